"""The part of a script that computes: the layer, and what figures show of it."""

from mhagui.document import Scene
from mhagui.document.information import study_divergences, study_information
from mhagui.document.response import shown_row
from mhagui.document.token_source import SourceKind
from mhagui.figures.script import literals
from mhagui.figures.script.parts import Part, parts_of
from mhagui.figures.script.scene_parts import has_own, is_stacked
from mhagui.figures.subject import Subject

_SOFTMAX = '''allowed = np.tri(T, dtype=bool)  # causal: query t sees the keys 1 .. t


def softmax(S, g):
    """Return softmax(g S) of each row over its allowed keys; other cells are 0."""
    if g >= 0:
        best = S.max(axis=1, keepdims=True, where=allowed, initial=-np.inf)
    else:
        best = S.min(axis=1, keepdims=True, where=allowed, initial=np.inf)
    with np.errstate(over="ignore"):  # far below the best there is no weight
        E = np.exp(np.where(allowed, g * (S - best), -np.inf))
    return E / E.sum(axis=1, keepdims=True)'''
_OWN = ("Q |= {h: X @ W_Q[h] for h in W_Q}", "K |= {h: X @ W_K[h] for h in W_K}")
_SCORES = """S = np.array([Q[h] @ K[h].T * (1 / np.sqrt(d_k)) for h in range(H)])  # scores"""
_WEIGHTS = """A = np.array([softmax(S[h], gain[h]) for h in range(H)])  # weights"""
_VALUES = """V = [X @ W_V[h] for h in range(H)]  # values"""
_OUTPUTS = """O_h = [A[h] @ V[h] for h in range(H)]  # what each head reads out"""
_BLOCK = """block = np.split(W_O, H)  # W_O^(h): the rows of W_O that read head h"""
_TERMS = """terms = [A[h] @ (X @ (W_V[h] @ block[h])) for h in range(H)]  # what each head adds"""
# The heads of layer 1 come first, for those of layer 2 read X + O_1.
_STACKED = """reads, S, A, V, O_h, terms = ([None] * H for _ in range(6))
for h in sorted(range(H), key=layer.__getitem__):
    below = [terms[n] for n in range(H) if layer[n] < layer[h] and active[n]]
    reads[h] = np.sum([X, *below], axis=0)  # heads of layer 2 read X + O_1
    S[h] = Q[h] @ K[h].T * (1 / np.sqrt(d_k))  # scores
    A[h] = softmax(S[h], gain[h])  # weights
    V[h] = reads[h] @ W_V[h]  # values
    O_h[h] = A[h] @ V[h]  # what the head reads out
    terms[h] = A[h] @ (reads[h] @ (W_V[h] @ block[h]))  # what it adds to O
S, A = np.array(S), np.array(A)"""
_STACKED_OWN = """    if h in W_Q:
        Q[h], K[h] = reads[h] @ W_Q[h], reads[h] @ W_K[h]
    S[h] ="""
_CONCAT = """# A muted head is zero before W_O.
Concat = np.hstack([O_h[h] if active[h] else np.zeros((T, d_v)) for h in range(H)])"""
_OUTPUT = """output = Concat @ W_O  # O"""
_LISTENING = """listening = np.linalg.norm(np.reshape(W_O, (H, d_v, d_model)), axis=1).T"""
_BANK = '''added = [terms[h] if active[h] else np.zeros((T, d_model)) for h in range(H)]
total = np.sum(added, axis=0)
residual = np.abs(output - total).max()
norms = np.array([np.linalg.norm(term) for term in added])
norms_heard = np.array([np.linalg.norm(term) for term in terms])  # muted ones too


def without(matrix, h):
    """Return the matrix with the columns of head h zero."""
    columns = np.arange(H * d_v)
    return np.where(columns // d_v == h, 0.0, matrix)


change_before = np.array(
    [np.abs(output - without(Concat, h) @ W_O).max() for h in range(H)]
)
change_after = np.full(H, np.nan)  # the mistake: columns of O are zeroed, not of Concat
if H * d_v == d_model:
    change_after[:] = [np.abs(output - without(output, h)).max() for h in range(H)]'''
_SHORTEST = '''def shortest(x, wanted):
    """Return the W of least norm with x W = wanted."""
    if len(x) <= x.shape[1] and np.array_equal(x @ x.T, np.eye(len(x))):
        return x.T @ wanted  # one-hot tokens: to the last bit
    return np.linalg.lstsq(x, wanted, rcond=None)[0]'''
_GAINED = """limit = np.finfo(float).max
with np.errstate(over="ignore"):  # a gain may be as large as numbers are
    gained = np.clip(gain[head] * S[head], -limit, limit)"""
_TAPS = """taps = A[:, row, : row + 1]
ideals = np.full(taps.shape, np.nan)  # where a head approaches no filter
for h in range(H):
    if ideal[h] is not None:
        ideals[h] = ideal[h] / np.sum(ideal[h])
distance = np.abs(taps / 2 - ideals / 2).sum(axis=1)  # total variation"""
_FREQUENCY = """omega = np.linspace(0.0, np.pi, 257)  # radians per position
lags = np.arange(row + 1)
by_lag = A[:, row, row::-1]
turns = np.exp(-1j * np.outer(lags, omega))
response = by_lag @ turns
magnitude = np.abs(response)
is_null = magnitude <= 1e-6 * by_lag.sum(axis=1, keepdims=True)  # rounding would decide
delay = (by_lag * lags @ turns / np.where(is_null, 1, response)).real  # of the group
delay = np.where(is_null, np.nan, delay)"""
_ENTROPY = '''def entropy(p):
    """Return the entropy of each row of p in bits; 0 log 0 is 0."""
    return np.maximum(0.0 - np.sum(p * np.log2(np.where(p > 0, p, 1)), axis=-1), 0.0)'''
_BITS = """bits = entropy(A)  # (H, T)
ceiling = np.log2(allowed.sum(axis=1))
mean_bits = bits.mean(axis=1)
mean_positions = np.exp2(bits).mean(axis=1)"""
_SINGULAR = """sigma_A = np.linalg.svd(A, compute_uv=False)
share = sigma_A / sigma_A.sum(axis=1, keepdims=True)
effective_rank = np.exp(-np.sum(share * np.log(np.where(share > 0, share, 1)), axis=1))
R_Q = [np.linalg.qr(Q[h], mode="r") for h in range(H)]
R_K = [np.linalg.qr(K[h], mode="r") for h in range(H)]
sigma_QK = np.array(  # of Q K^T, by way of its small factors
    [np.linalg.svd(R_Q[h] @ R_K[h].T, compute_uv=False) for h in range(H)]
)
rounding = [np.linalg.norm(R_Q[h], 2) * np.linalg.norm(R_K[h], 2) for h in range(H)]
noise = np.maximum(T * sigma_QK[:, 0], 2 * np.sqrt(T) * np.array(rounding))
score_rank = np.sum(sigma_QK > np.finfo(float).eps * noise[:, None], axis=1)"""
_SEQUENCES = '''sequences, p = np.zeros((1, 0), dtype=int), np.ones(1)
for _ in range(row + 1):  # all token sequences X_1 .. X_t of positive probability
    coming = following(sequences)
    parents, symbols = np.nonzero(coming)
    p = p[parents] * coming[parents, symbols]
    sequences = np.column_stack([sequences[parents], symbols])
coming = following(sequences)


def joined(one, other):
    """Return labels from 0 that are equal where both labels are."""
    return np.unique(one * (other.max() + 1) + other, return_inverse=True)[1].ravel()


def seen(weights):
    """Return labels that are equal where the observed outputs of a head are."""
    labels = np.zeros(len(sequences), dtype=int)
    for symbol in range(n_seen):
        on_symbol = np.vecdot((sequences == symbol).astype(float), weights)
        steps = np.floor(on_symbol / resolution + (0.5 + 1e-6))
        labels = joined(labels, np.unique(steps, return_inverse=True)[1].ravel())
    return labels


def information(labels):
    """Return I(X_{t+1}; label) in bits."""
    columns = [np.bincount(labels, p * coming[:, s]) for s in range(n_symbols)]
    joint = np.stack(columns, axis=1)
    some = joint > 0
    ratio = joint / joint.sum(axis=1, keepdims=True) / joint.sum(axis=0)
    return max(np.sum(joint[some] * np.log2(ratio[some])), 0.0)'''
_WHOLE = """whole_past = information(np.arange(len(sequences)))"""
_LABELS = """labels = {h: seen(A[h, row, : row + 1]) for h in range(H) if h not in unknown}"""
_TOLD = """told = np.array([information(labels[h]) if h in labels else np.nan for h in range(H)])"""
_BY_CONTENT = '''def row_by_content(h):
    """Return row t of A for every sequence, symbol s being word s."""
    t = row + 1
    place = np.where(np.arange(d_model) < n_words, 0.0, X[:t])
    x = np.eye(n_words, d_model)[sequences] + place
    q, k = x[:, -1:] @ W_Q[h], x @ W_K[h]
    E = gain[h] * (q @ np.swapaxes(k, 1, 2) * (1 / np.sqrt(d_k)))[:, 0]
    E = np.exp(E - E.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


labels = {}
for h in range(H):
    if h not in unknown:
        labels[h] = seen(row_by_content(h) if h in W_Q else A[h, row, : row + 1])'''
_READ_BELOW = """    words = x
    for n in range(H):
        if layer[n] < layer[h] and active[n]:
            x = x + A[n][:t, :t] @ words @ (W_V[n] @ block[n])
    q, k ="""
_TOO_LONG = """whole_past, told = np.nan, np.full(H, np.nan)"""
_DIVERGENCE = """divergence = np.zeros((H, H))  # Jensen-Shannon, in bits: the mean over rows
for a, b in itertools.combinations(range(H), 2):
    one, other = A[a][rows], A[b][rows]
    apart = entropy((one + other) / 2) - (entropy(one) + entropy(other)) / 2
    divergence[a, b] = divergence[b, a] = np.clip(apart, 0.0, 1.0).mean()"""
_BALANCE = """n_told = min(H, 8)
balance = np.full((n_told, n_told), np.nan)  # I_a + I_b - I_ab: redundancy - synergy
for a, b in itertools.combinations(range(n_told), 2):
    if a in labels and b in labels:
        both = information(joined(labels[a], labels[b]))
        balance[a, b] = balance[b, a] = told[a] + told[b] - both"""
_NO_BALANCE = """n_told = min(H, 8)
balance = np.full((n_told, n_told), np.nan)"""
_COST = '''def costs(d_model, H, H_kv, d_k, d_v, T):
    """Return multiply-adds of the stages of a layer, exponentials and parameters."""
    parameters = d_model * (H + H_kv) * (d_k + d_v)
    return {
        "Q, K, V": T * d_model * (H * d_k + H_kv * (d_k + d_v)),
        "W_O": T * H * d_v * d_model,
        "projections": T * parameters,
        "scores": T**2 * H * d_k,
        "A V": T**2 * H * d_v,
        "scores and A V": T**2 * H * (d_k + d_v),
        "exponentials": H * T**2,
        "parameters": parameters,
        "score FLOPs": 2 * T**2 * H * d_k,
    }


# T at which scores and A V cost what the projections do, rounded up
meet = -(-sizes["d_model"] * (sizes["H"] + sizes["H_kv"]) // sizes["H"])
longest = 4 * max(meet, sizes["T"], 4)
lengths = 2 ** np.arange(int(longest).bit_length())
over_T = costs(**{**sizes, "T": lengths.astype(float)})
most_heads = max(64, 2 * sizes["H"])
n_heads = np.arange(1, min(sizes["d_model"], most_heads, 1024) + 1)
divisors = n_heads[sizes["d_model"] % n_heads == 0].astype(float)
shared = sizes["d_model"] / divisors  # d_k = d_v = d_model / H
widths = {"d_k": shared, "d_v": shared}
over_H = costs(**{**sizes, "H": divisors, "H_kv": divisors, **widths})
powers = 2.0 ** np.arange(11)
powers = powers[powers <= most_heads]
over_H_kept = costs(**{**sizes, "H": powers, "H_kv": powers})'''

_FOLLOWING = '''def following(sequences):
    """Return the probability of each symbol to come next, for each sequence."""
    if sequences.shape[1] < {least}:
        return np.full((len(sequences), n_symbols), 1 / n_symbols)
    {rule}'''
_IID = '''def following(sequences):
    """Return the probability of each symbol to come next, for each sequence."""
    return np.full((len(sequences), n_symbols), 1 / n_symbols)'''
_RULES = {
    SourceKind.MARKOV: (
        "1",
        "chances = transition / transition.sum(axis=1, keepdims=True)\n"
        "    return chances[sequences[:, -1]]",
    ),
    SourceKind.PERIODIC: ("1", "return np.eye(n_symbols)[(sequences[:, -1] + 1) % n_symbols]"),
    SourceKind.COPY: ("lag", "return np.eye(n_symbols)[sequences[:, -lag]]"),
    SourceKind.SUM: (
        "2",
        "return np.eye(n_symbols)[(sequences[:, -1] + sequences[:, -2]) % n_symbols]",
    ),
    SourceKind.PARTS: (
        "2",
        "return np.eye(n_symbols)[sequences[:, -1] % 2 * 2 + sequences[:, -2] // 2]",
    ),
}


def computing_parts(scene: Scene) -> list[Part]:
    """Return all that can be computed of ``scene`` but for its information, in order."""
    later = (
        _CONCAT, _OUTPUT, _LISTENING, _BANK, _SHORTEST, *_packed(scene), _GAINED, _TAPS,
        _FREQUENCY, _ENTROPY, _BITS, _SINGULAR, _COST,
    )  # fmt: skip
    return parts_of([_SOFTMAX, *_layer(scene), *later])


def _layer(scene: Scene) -> list[str]:
    """Return scores, weights, values, head outputs and terms."""
    if is_stacked(scene):
        stacked = _STACKED.replace("    S[h] =", _STACKED_OWN) if has_own(scene) else _STACKED
        return [_BLOCK, stacked]
    own = _OWN if has_own(scene) else ()
    return [*own, _SCORES, _WEIGHTS, _VALUES, _OUTPUTS, _BLOCK, _TERMS]


def _packed(scene: Scene) -> list[str]:
    """Return the packed W_Q, W_K and W_V: the heads' own, or what makes their factors."""
    reads = "reads[h]" if is_stacked(scene) else "X"
    lines, all_own = [], all(head.w_q is not None for head in scene.heads)
    for letter in "QK":
        made = f"W_{letter}[h]" if all_own else f"shortest({reads}, {letter}[h])"
        if has_own(scene) and not all_own:
            made = f"W_{letter}[h] if h in W_{letter} else {made}"
        line = f"packed_W_{letter} = np.hstack([{made} for h in range(H)])"
        lines.append(line if len(line) <= 88 else _broken(letter, made))
    return [*lines, "packed_W_V = np.hstack(W_V)"]


def _broken(letter: str, made: str) -> str:
    return f"packed_W_{letter} = np.hstack(\n    [{made} for h in range(H)]\n)"


def information_parts(subject: Subject) -> list[Part]:
    """Return what tells of the next token, and what two heads tell twice, in order."""
    scene, result = subject.scene, subject.result
    row = shown_row(scene, subject.row)
    study, n_rows = study_information(scene, result, row), len(study_divergences(result).rows)
    spaced = f"np.arange(1, {n_rows} + 1) * T // {n_rows} - 1"
    lines = [f"rows = {spaced if n_rows < scene.n_positions else 'np.arange(T)'}", _DIVERGENCE]
    if study.why_not:
        return parts_of([_TOO_LONG, *lines, _NO_BALANCE])
    reasons = {place: told.why_not for place, told in enumerate(study.heads) if told.why_not}
    unknown = [f"    {place}: {literals.text(why)}," for place, why in reasons.items()]
    known = [
        "\n".join(["unknown = {", *unknown, "}"]) if unknown else "unknown = {}",
        _following(scene.source.kind),
        _SEQUENCES,
        _WHOLE,
        _labels(scene),
        _TOLD,
    ]
    return parts_of([*known, *lines, _BALANCE])


def _following(kind: SourceKind) -> str:
    if kind is SourceKind.IID:
        return _IID
    least, rule = _RULES[kind]
    return _FOLLOWING.format(least=least, rule=rule)


def _labels(scene: Scene) -> str:
    if not has_own(scene):
        return _LABELS
    return _BY_CONTENT.replace("    q, k =", _READ_BELOW) if is_stacked(scene) else _BY_CONTENT
