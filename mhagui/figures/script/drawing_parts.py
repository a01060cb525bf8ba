"""The part of a script that draws, in plain matplotlib: each figure is a function of a figure."""

from collections.abc import Mapping
from typing import NamedTuple

from mhagui.figure_names import FACTS

_HEATMAP = '''def heatmap(ax, M, look, rows, columns, shown=None):
    """Draw M as cells; those that are not shown are hatched."""
    shown = np.isfinite(M) if shown is None else shown
    cells = np.ma.array(M, mask=~shown)
    aspect = "equal" if max(M.shape) <= 4 * min(M.shape) else "auto"
    image = ax.imshow(cells, interpolation="none", aspect=aspect, **look)
    ax.patch.set(hatch="//////", edgecolor=HATCH)
    ax.tick_params(length=0)
    label(ax.yaxis, rows)
    label(ax.xaxis, columns)
    return image'''
VALUES = '''def write_values(fig):
    """Write values into cells with room for them, now that all has its place."""
    fig.draw_without_rendering()
    for image in [image for ax in fig.axes for image in ax.images]:
        M, box = image.get_array(), image.axes.bbox
        height, width = np.array([box.height, box.width]) / M.shape * 72 / fig.dpi
        if min(width / 1.2, height) < 0.7 * FONT_SIZE:
            continue
        texts = {(i, j): written(M[i, j]) for i, j in np.argwhere(~M.mask)}
        longest = max(map(len, texts.values()), default=1)
        size = min(0.9 * FONT_SIZE, 0.9 * width / (0.62 * longest))
        if size < 0.55 * FONT_SIZE:
            continue
        for (i, j), text in texts.items():
            look = {"color": ink_on(image.to_rgba(M[i, j])), "fontsize": size}
            image.axes.text(j, i, text, ha="center", va="center_baseline", **look)'''
HELPERS = (
    '''def written(value):
    """Return a value for its cell: whole numbers whole, others to two decimals."""
    near = round(value, 2) + 0.0
    if abs(value) >= 1000:
        text = f"{value:.3g}"
    elif near == round(near):
        text = f"{near:.0f}" if value == near else f"≈{near:.0f}"
    else:
        text = f"{near:.2f}"
    return text.replace("-", "−")''',
    '''def ink_on(rgba):
    """Return black or white, whichever stands out more on a colour (WCAG 2)."""
    rgb = np.array(rgba[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "black" if linear @ [0.2126, 0.7152, 0.0722] > 0.179 else "white"''',
    '''def label(axis, names):
    """Label the cells along an axis; of many only every second, third ... one."""
    letters = max(map(len, names)) + 1 if axis.axis_name == "x" else 3
    places = range(0, len(names), -(-len(names) * letters // LETTERS))
    axis.set_ticks(places, [names[place] for place in places])''',
    _HEATMAP,
    '''def signed(*matrices):
    """Return diverging colours around 0 that reach as far as the matrices do."""
    most = max(np.nanmax(np.abs(M), initial=0.0) for M in matrices) or 1.0
    return {"cmap": SIGNED, "vmin": -most, "vmax": most}''',
    '''def weight_bar(fig, image, axes):
    """Draw the colour bar of weights beside axes."""
    bar = fig.colorbar(image, ax=axes, label=weight_label, format="%g")
    bar.minorticks_off()''',
    '''def grid(fig, n, n_columns):
    """Return n axes in so many columns."""
    axes = fig.subplots(-(-n // n_columns), n_columns, squeeze=False).ravel()
    for ax in axes[n:]:
        ax.set_axis_off()
    return axes[:n]''',
    '''def dress(ax):
    """Leave of the frame what is needed to read curves."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=RULE, linewidth=0.4)
    ax.set_axisbelow(True)''',
    '''def curve(ax, h, x, y, name):
    """Draw a curve of head h in its colour and with its marker; hollow where muted."""
    fill = colours[h] if active[h] else "none"
    look = {"color": colours[h], "marker": markers[h], "markerfacecolor": fill}
    ax.plot(x, y, label=name, markevery=max(len(x) // 24, 1), **look)''',
    '''def legend(ax):
    """Name the curves at the right of ax."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)''',
)
_WEIGHTS = '''def draw_heads(fig):
    """Draw the weights of every head, with one colour bar."""
    axes = grid(fig, H, COLUMNS)
    for h, ax in enumerate(axes):
        image = heatmap(ax, WEIGHTS[h], weight_look, row_names, column_names, allowed)
        ax.set_title(names[h])
    fig.supxlabel("key position i")
    fig.supylabel("query position t")
    weight_bar(fig, image, axes)'''
_ONE = '''def draw_head(fig):
    """Draw the weights of one head."""
    ax = fig.subplots()
    image = heatmap(ax, WEIGHTS[head], weight_look, row_names, column_names, allowed)
    ax.set(title=names[head], xlabel="key position i", ylabel="query position t")
    weight_bar(fig, image, ax)'''
_SCORES = '''def draw_scores(fig):
    """Draw the scores of every head, with one colour bar."""
    axes = grid(fig, H, COLUMNS)
    look = signed(*np.where(allowed, S, np.nan))
    for h, ax in enumerate(axes):
        image = heatmap(ax, S[h], look, row_names, column_names, allowed)
        ax.set_title(names[h])
    fig.supxlabel("key position i")
    fig.supylabel("query position t")
    fig.colorbar(image, ax=axes, label="score S")'''
_MATRIX = '''def draw_NAME(fig):
    """Draw TITLE."""
    ax, M = fig.subplots(), M_HERE
    image = heatmap(ax, M, signed(M), ROWS, COLUMNS)
    ax.set(title="TITLE", xlabel="X_LABEL", ylabel="Y_LABEL")
    fig.colorbar(image, ax=ax)'''
_PROJECTION = '''def draw_projection(fig):
    """Draw W_O, Concat and O = Concat W_O, each with its own colour bar."""
    widths = [d_model, H * d_v, d_model]
    axes = fig.subplots(1, 3, width_ratios=widths)
    for ax, M, rows, columns, title in (
        (axes[0], W_O, concat_names, channel_names, "W_O"),
        (axes[1], Concat, row_names, concat_names, "Concat"),
        (axes[2], output, row_names, channel_names, "O = Concat W_O"),
    ):
        image = heatmap(ax, M, signed(M), rows, columns)
        ax.set_title(title)
        fig.colorbar(image, ax=ax, location="bottom")'''
_LISTENING = '''def draw_listening(fig):
    """Draw the norm of column j of W_O^(h) for each output channel j and head h."""
    ax = fig.subplots()
    look = {"cmap": WEIGHT_COLOURS, "vmin": 0.0, "vmax": listening.max() or 1.0}
    numbers = [f"h{h + 1}" for h in range(H)]
    image = heatmap(ax, listening, look, channel_names, numbers)
    ax.set(title="Which channels listen to which heads", ylabel="output channel")
    fig.colorbar(image, ax=ax, label="norm of the column of W_O^(h)")'''
_BANK = '''def draw_bank(fig):
    """Draw every term, their sum and O = Concat W_O; below what each head adds."""
    above, below = fig.subfigures(2, 1, height_ratios=[3, 1])
    axes, look = grid(above, H + 2, COLUMNS), signed(*added, total, output)
    titles = [f"{names[h]}\\nnorm {norms[h]:.3g}" for h in range(H)]
    titles += ["sum of the terms", "O = Concat W_O"]
    for ax, M, title in zip(axes, [*added, total, output], titles):
        image = heatmap(ax, M, look, row_names, channel_names)
        ax.set_title(title)
    above.colorbar(image, ax=axes)
    left, right = below.subplots(1, 2)
    at = np.arange(H)
    left.bar(at, norms_heard, color="none", edgecolor=colours)
    left.bar(at, norms, color=colours)
    left.set_title("Norm of what each head adds\\n(hollow: muted)")
    right.bar(at - 0.2, change_before, 0.36, color=colours)
    right.bar(at + 0.2, change_after, 0.36, color="none", edgecolor=colours)
    right.set_title("Largest change of O, head zeroed before W_O\\n(hollow: after it)")
    for ax in (left, right):
        dress(ax)
        label(ax.xaxis, [f"h{h + 1}" for h in range(H)])
    left.set_xlabel(f"max |Concat W_O − Σ| = {residual:.2g}")'''
_PIPELINE = '''def draw_pipeline(fig):
    """Draw every stage of one head; each matrix but A has colours of its own."""
    q, k = Q[head], K[head]
    features, values = ([f"{n + 1}" for n in range(d)] for d in (d_k, d_v))
    axes = grid(fig, 11, 4)
    for ax, M, name, rows, columns, shown in (
        (axes[0], q, "Q", positions, features, None),
        (axes[1], k.T, "· Kᵀ", features, positions, None),
        (axes[2], q @ k.T, "= Q·Kᵀ", positions, positions, None),
        (axes[3], S[head], "→ S = Q·Kᵀ / √d_k", positions, positions, None),
        (axes[4], gained, "→ g·S", positions, positions, None),
        (axes[5], gained, "→ g·S where i ≤ t", positions, positions, allowed),
        (axes[6], A[head], "→ A = softmax(g·S)", positions, positions, allowed),
        (axes[7], V[head], "· V", positions, values, None),
        (axes[8], O_h[head], "= O_h", positions, values, None),
        (axes[9], block[head], "· W_O^(h)", values, channel_names, None),
        (axes[10], terms[head], "= O_h·W_O^(h)", positions, channel_names, None),
    ):
        is_A = "softmax" in name
        look = signed(M if shown is None else M[shown])
        if is_A:
            look = {"cmap": WEIGHT_COLOURS, "vmin": 0.0, "vmax": 1.0}
        heatmap(ax, M, look, rows, columns, shown)
        ax.set_title(name if is_A else f"{name}  (±{look['vmax']:.3g})")'''
_IMPULSE = '''def draw_impulse(fig):
    """Draw row t of every head as stems, and as lines the filter that it approaches."""
    last = min(T, max(2 * len(keys), 40))
    for h, ax in enumerate(grid(fig, H, COLUMNS)):
        on = ideals[h] > 0
        ax.hlines(ideals[h][on], keys[on] - 0.36, keys[on] + 0.36, color=MUTED)
        ax.vlines(keys, 0.0, taps[h], color=colours[h])
        ax.plot(keys, taps[h], "o", color=colours[h], clip_on=False)
        if len(keys) < last:  # what t does not see
            look = {"facecolor": "none", "edgecolor": HATCH, "hatch": "//////"}
            ax.axvspan(len(keys) + 0.5, last + 0.6, linewidth=0, **look)
        far = "no ideal" if ideal[h] is None else f"TV distance {distance[h]:.3f}"
        ax.set_title(f"{names[h]}\\n{filters[h]}\\n{far}")
        ax.set(xlim=(0.4, last + 0.6), ylim=(0.0, 1.08), yticks=[0.0, 0.5, 1.0])
        shown = range(1, last + 1, -(-last * 4 // LETTERS))
        ax.set_xticks(shown, [f"t{key}" for key in shown])
        dress(ax)
    fig.supxlabel("key position i")
    fig.supylabel(f"weight at t{row + 1}")'''
_FREQUENCY = '''def draw_frequency(fig):
    """Draw magnitude and group delay of row t of every head over the frequency."""
    above, below = fig.subplots(2, 1, sharex=True)
    for h in range(H):
        curve(above, h, omega / np.pi, magnitude[h], names[h])
        curve(below, h, omega / np.pi, delay[h], names[h])
    above.set(ylabel=f"|H| at t{row + 1}", ylim=(-0.04, 1.06))
    longest = max(row, 1)
    below.set(xlabel="frequency ω/π", ylabel="delay (positions)")
    below.set_ylim(-0.25 * longest, 1.25 * longest)
    dress(above)
    dress(below)
    legend(above)'''
_ENTROPY = '''def draw_entropy(fig):
    """Draw the row entropy of every head below its ceiling."""
    ax, t = fig.subplots(), np.arange(1, T + 1)
    ax.plot(t, ceiling, color=RULE, linewidth=6, label="ceiling log₂ t")
    for h in range(H):
        curve(ax, h, t, bits[h], names[h])
    shown = range(1, T + 1, -(-T // 12))
    ax.set_xticks(shown, [f"t{number}" for number in shown])
    ax.set(xlabel="query position t", ylabel="row entropy (bits)")
    dress(ax)
    legend(ax)'''
_SINGULAR = '''def draw_singular_values(fig):
    """Draw the singular values of the weights and of Q Kᵀ of every head."""
    left, right = fig.subplots(1, 2)
    for h in range(H):
        ranks = f"{names[h]}\\nrank {score_rank[h]}, effective {effective_rank[h]:.2f}"
        curve(left, h, np.arange(1, T + 1), sigma_A[h], ranks)
        curve(right, h, np.arange(1, len(sigma_QK[h]) + 1), sigma_QK[h], ranks)
    left.set(title="A (effective rank)", xlabel="number", ylabel="singular value")
    right.set(title="Q·Kᵀ (rank)", xlabel="number")
    for ax in (left, right):
        ax.xaxis.get_major_locator().set_params(integer=True)
        dress(ax)
    legend(right)'''
_INFORMATION = '''def draw_information(fig):
    """Draw what every head tells of the next token."""
    ax, most = fig.subplots(), np.log2(n_symbols)
    for h in range(H):
        face = colours[h] if active[h] else "none"
        known = not np.isnan(told[h])
        ax.barh(h, told[h] if known else 0.0, 0.62, color=face, edgecolor=colours[h])
        ax.text(1.03 * most, h, f"{told[h]:.3f}" if known else "–", va="center")
    if not np.isnan(whole_past):
        ax.axvline(whole_past, color=INK, linewidth=1.0)
    ax.set(xlim=(0.0, 1.01 * most), ylim=(H - 0.5, -0.5))
    ax.set_yticks(range(H), names)
    ax.set_xlabel(f"I(X_{{t+1}}; o_t) in bits, t = {row + 1}; line: the whole past")
    dress(ax)'''
_REDUNDANCY = '''def draw_redundancy(fig):
    """Draw the divergence, and redundancy minus synergy, of each two heads."""
    left, right = fig.subplots(1, 2)
    numbers = [f"h{h + 1}" for h in range(H)]
    look = {"cmap": WEIGHT_COLOURS, "vmin": 0.0, "vmax": 1.0}
    image = heatmap(left, divergence, look, numbers, numbers)
    left.set_title("Jensen–Shannon (bits)")
    fig.colorbar(image, ax=left)
    some = numbers[:n_told]
    image = heatmap(right, balance, signed(balance), some, some)
    right.set_title(f"Redundancy − synergy (bits)\\nat t = {row + 1}")
    fig.colorbar(image, ax=right)'''
_COST = '''def draw_cost(fig):
    """Draw the cost of the layer over T, and over H."""
    left, right = fig.subplots(1, 2)
    blue, green, red = "#0072b2", "#009e73", "#d55e00"
    for stage, colour, style in (
        ("projections", blue, "-"),
        ("Q, K, V", blue, ":"),
        ("W_O", blue, "--"),
        ("scores and A V", red, "-"),
        ("scores", red, ":"),
        ("A V", red, "--"),
        ("exponentials", green, "-"),
    ):
        left.plot(lengths, over_T[stage], color=colour, linestyle=style, label=stage)
    there = costs(**{**sizes, "T": float(meet)})["projections"]
    left.plot([meet], [there], "o", color=INK, label=f"T* = {meet:,}")
    for at, heads, look in (
        (over_H, divisors, {"linestyle": "-", "marker": "o"}),
        (over_H_kept, powers, {"linestyle": "--", "marker": "^"}),
    ):
        kept = f"d_k = {sizes['d_k']} kept"
        widths = kept if at is over_H_kept else "d_k = d_model/H"
        totals = np.broadcast_to(at["parameters"], heads.shape)
        right.plot(heads, totals, color=blue, label=f"parameters, {widths}", **look)
        flops = np.broadcast_to(at["score FLOPs"], heads.shape)
        right.plot(heads, flops, color=red, label=f"score FLOPs, {widths}", **look)
    left.set(xlabel="sequence length T", ylabel="multiply–adds")
    right.set(xlabel="heads H", ylabel="parameters, FLOPs")
    for ax, here, name in ((left, sizes["T"], "T"), (right, sizes["H"], "H")):
        mark = f"{name} = {here:,}"
        ax.axvline(here, color=RULE, linewidth=2.5, zorder=0.5, label=mark)
        ax.set(xscale="log", yscale="log")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("")
        dress(ax)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), frameon=False)'''

_FACTS = '''def draw_facts(fig):
    """Write a table of the heads."""
    ax = fig.subplots()
    ax.set_axis_off()
    titles = ["head", "gain", "rank", "eff. rank", "mean bits", "eff. positions"]
    cells = [
        [names[h], f"{gains[h]:.4g}", f"{score_rank[h]}", f"{effective_rank[h]:.2f}"]
        + [f"{mean_bits[h]:.3f}", f"{mean_positions[h]:.2f}"]
        for h in range(H)
    ]
    where = {"loc": "center", "cellLoc": "center", "edges": "horizontal"}
    table = ax.table(cells, colLabels=titles, bbox=[0.0, 0.0, 1.0, 1.0], **where)
    table.auto_set_font_size(False)
    table.set_fontsize(0.875 * FONT_SIZE)'''


class Drawing(NamedTuple):
    """How a figure is drawn in a script.

    Attributes
    ----------
    function
        The name of the function that draws it.
    text
        That function.
    numbers
        What the figure shows: names, and expressions of them.
    """

    function: str
    text: str
    numbers: Mapping[str, str]


def _matrix(
    name: str, title: str, matrix: str, labels: tuple[str, str], axes: tuple[str, str]
) -> Drawing:
    """Return how one signed matrix is drawn; labels and names of rows and of columns."""
    text = _MATRIX.replace("NAME", name).replace("TITLE", title).replace("M_HERE", matrix)
    text = text.replace("ROWS", labels[0]).replace("COLUMNS", labels[1])
    text = text.replace("Y_LABEL", axes[0]).replace("X_LABEL", axes[1])
    return Drawing(f"draw_{name}", text, {title.removeprefix("Packed "): matrix})


def _packed(letter: str) -> Drawing:
    """Return how the packed W_Q, W_K or W_V is drawn."""
    matrix, what = f"packed_W_{letter}", {"Q": "query", "K": "key", "V": "value"}[letter]
    names = f"{what}_names"
    return _matrix(
        f"packed_{letter.lower()}",
        f"Packed W_{letter}",
        matrix,
        ("input_names", names),
        ("input feature", f"{what} dimension"),
    )


_QUERY = "query position t"
DRAWINGS = {
    FACTS: Drawing(
        "draw_facts",
        _FACTS,
        {"gains": "gains", "score_rank": "score_rank", "effective_rank": "effective_rank"}
        | {"mean_bits": "mean_bits", "mean_positions": "mean_positions"},
    ),
    "heads": Drawing("draw_heads", _WEIGHTS, {"A": "A"}),
    "head": Drawing("draw_head", _ONE, {"A": "A[head]"}),
    "scores": Drawing("draw_scores", _SCORES, {"S": "S"}),
    "projection": Drawing(
        "draw_projection", _PROJECTION, {"W_O": "W_O", "Concat": "Concat", "O": "output"}
    ),
    "w-o": _matrix(
        "w_o", "W_O", "W_O", ("concat_names", "channel_names"), ("head.feature", "output channel")
    ),
    "concat": _matrix(
        "concat", "Concat", "Concat", ("row_names", "concat_names"), (_QUERY, "head.feature")
    ),
    "output": _matrix(
        "output", "O", "output", ("row_names", "channel_names"), (_QUERY, "output channel")
    ),
    "listening": Drawing("draw_listening", _LISTENING, {"listening": "listening"}),
    "filter-bank": Drawing(
        "draw_bank",
        _BANK,
        {"terms": "added", "sum": "total", "O": "output", "norms": "norms"}
        | {"norms_heard": "norms_heard", "residual": "residual"}
        | {"change_before": "change_before", "change_after": "change_after"},
    ),
    "packed-wq": _packed("Q"),
    "packed-wk": _packed("K"),
    "packed-wv": _packed("V"),
    "pipeline": Drawing(
        "draw_pipeline",
        _PIPELINE,
        {"Q": "Q[head]", "K": "K[head]", "QK": "Q[head] @ K[head].T", "S": "S[head]"}
        | {"gS": "gained", "A": "A[head]", "V": "V[head]", "O_h": "O_h[head]"}
        | {"W_O_h": "block[head]", "term": "terms[head]"},
    ),
    "impulse": Drawing(
        "draw_impulse", _IMPULSE, {"taps": "taps", "ideal": "ideals", "distance": "distance"}
    ),
    "frequency": Drawing(
        "draw_frequency",
        _FREQUENCY,
        {"omega": "omega", "magnitude": "magnitude", "delay": "delay"},
    ),
    "entropy": Drawing("draw_entropy", _ENTROPY, {"bits": "bits", "ceiling": "ceiling"}),
    "singular-values": Drawing(
        "draw_singular_values",
        _SINGULAR,
        {"sigma_A": "sigma_A", "effective_rank": "effective_rank"}
        | {"sigma_QK": "sigma_QK", "score_rank": "score_rank"},
    ),
    "information": Drawing(
        "draw_information", _INFORMATION, {"information": "told", "whole_past": "whole_past"}
    ),
    "redundancy": Drawing(
        "draw_redundancy", _REDUNDANCY, {"divergence": "divergence", "balance": "balance"}
    ),
    "cost": Drawing(
        "draw_cost",
        _COST,
        {"lengths": "lengths", "projections": 'over_T["projections"]'}
        | {"scores_and_AV": 'over_T["scores and A V"]', "exponentials": 'over_T["exponentials"]'}
        | {"divisors": "divisors", "score_flops": 'over_H["score FLOPs"]'}
        | {"powers": "powers", "parameters": 'over_H_kept["parameters"]'},
    ),
}
