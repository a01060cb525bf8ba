"""What each head of a scene, and two together, tell of the next token of a source.

Not part of every Result, for it costs more than a gain's drag may: who shows it asks for it, and
hands in the study before, of which every step whose inputs are the same is taken over.
"""

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.attention import BoolArray
from mhagui.document.compute import Result
from mhagui.document.head import Head
from mhagui.document.head_result import HeadResult
from mhagui.document.json_text import finite
from mhagui.document.on_demand import Matrix, rows_of
from mhagui.document.patterns import Pattern
from mhagui.document.recall import Recall, Steps
from mhagui.document.records import Array, sealed
from mhagui.document.response import shown_row, spaced_rows
from mhagui.document.scene import Scene
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.document.view_state import ViewState

MOST_OBSERVATIONS = 2**18  # sequences times heads: what can be gone through at every step of a drag
MOST_PAIR_CELLS = 2**14  # of A, for the divergence of two heads: all rows up to T = 128
MOST_REPORTED_HEADS = 8
MOST_NUMBERS = 2**22  # of the inputs X of all sequences, for a head that attends by content
_NOTHING = 1e-9  # bits


_Below = tuple[Matrix, Array, Array | None]  # A, W_V W_O^(h) and b_V W_O^(h)


class HeadInformation(NamedTuple):
    """What one head tells of the next token: bits, or NaN and the reason why not."""

    bits: float
    labels: core.Labels | None
    why_not: str = ""


class PairInformation(NamedTuple):
    """What two heads tell, in bits: each alone, both together, NaN where unknown."""

    one: float
    other: float
    joint: float

    @property
    def redundancy_minus_synergy(self) -> float:
        """I_1 + I_2 − I_12: what both say twice, less what only both together say."""
        return self.one + self.other - self.joint


@dataclass(frozen=True, eq=False)
class InformationStudy:
    """The information of all heads at one query position, or why there is none.

    Attributes
    ----------
    source
        The token source.
    row
        The query position t, from 0; the heads are seen at t, and X_{t+1} is what they tell of.
    sequences
        All token sequences X_1 .. X_t of positive probability, (N, t); of fewer tokens where t are
        too many.
    whole_past_bits
        I(X_{t+1}; X_1 .. X_t), which no head exceeds; NaN where t is too long.
    heads
        One for each head, in the scene's order.
    why_not
        The sentence that says that t is too long, or that the mask lets later tokens be seen; empty
        where neither is so.
    steps
        What the next ``study_information`` can take over.
    """

    source: TokenSource
    row: int
    sequences: core.Tokens
    whole_past_bits: float
    heads: tuple[HeadInformation, ...]
    why_not: str
    probabilities: Array = field(repr=False)
    following: Array = field(repr=False)
    steps: Steps = field(repr=False)

    def reasons(self) -> list[str]:
        """Return each reason why heads are unknown, behind their names: h1, h2: reason."""
        heads: dict[str, list[str]] = {}
        for number, told in enumerate(self.heads, 1):
            if told.why_not:
                heads.setdefault(told.why_not, []).append(f"h{number}")
        return [f"{', '.join(names)}: {reason}." for reason, names in heads.items()]

    def pair(self, one: int, other: int) -> PairInformation:
        """Return what the heads at places ``one`` and ``other``, from 0, tell together."""
        first, second = self.heads[one], self.heads[other]
        joint = math.nan
        if first.labels is not None and second.labels is not None:
            labels = core.joint_labels(first.labels, second.labels)
            joint = core.information_bits(labels, self.probabilities, self.following)
        return PairInformation(first.bits, second.bits, joint)


@dataclass(frozen=True, eq=False)
class Divergences:
    """How differently each two heads look, (H, H): mean Jensen–Shannon divergence, 0 to 1 bit.

    ``rows`` are the rows of A, from 0, over which the mean is: all in which every head has weights,
    or some evenly spaced ones of them where A is large; NaN where there are none. ``n_compared`` is
    how many pairs were compared anew for it.
    """

    bits: Array
    rows: tuple[int, ...]
    n_compared: int
    parts: tuple[Array, ...] = field(repr=False)
    steps: Steps = field(repr=False)


class _Outlook(NamedTuple):
    """The sequences of a source, and what comes after them."""

    sequences: core.Tokens
    probabilities: Array
    following: Array


def study_information(
    scene: Scene, result: Result, row: int, earlier: InformationStudy | None = None
) -> InformationStudy:
    """Return what every head tells of X_{t+1} at ``row``, t from 0."""
    recall, source = Recall(earlier.steps if earlier else {}), scene.source
    most = min(core.MOST_SEQUENCES, MOST_OBSERVATIONS // scene.n_heads)
    exactly = replace(source, resolution=0.0)  # its sequences are the same
    outlook = recall("outlook", _outlook, exactly, row + 1, most)
    why_not = _too_long(row + 1, outlook.sequences, most) or _sees_later(scene)
    if why_not:
        whole = math.nan
        heads = (HeadInformation(math.nan, None, why_not),) * scene.n_heads
    else:
        whole = recall("whole", _whole_past_bits, *outlook[1:])
        heads = tuple(
            _of_head(scene, result, place, outlook, recall) for place in range(scene.n_heads)
        )
    return InformationStudy(
        source, row, outlook[0], whole, heads, why_not, *outlook[1:], recall.steps
    )


def study_divergences(result: Result, earlier: Divergences | None = None) -> Divergences:
    """Return the divergence of each two heads."""
    recall, heads = Recall(earlier.steps if earlier else {}), result.heads
    n_positions = len(result.allowed)
    has_all = np.all([head.has_support for head in heads], axis=0)
    spaced = spaced_rows(n_positions, max(MOST_PAIR_CELLS // n_positions, 1))
    rows = tuple(row for row in spaced if has_all[row])
    parts = [recall.array(f"rows {head.head.uid}", _shares, head.weights, rows) for head in heads]
    entropies = [
        recall.array(f"bits {head.head.uid}", core.row_entropy_bits, part)
        for head, part in zip(heads, parts, strict=True)
    ]
    bits, compared = np.zeros((len(heads), len(heads))), 0
    known = _places_in(earlier.parts if earlier else (), parts)
    done, was_at = list(known), list(known.values())
    if earlier is not None and known:
        bits[np.ix_(done, done)] = earlier.bits[np.ix_(was_at, was_at)]
    for one in (place for place in range(len(heads)) if place not in known):
        if done:
            # One after the other they stay in the cache: up to twice as quick as all at once.
            apart = [_mean_bits(parts, entropies, one, other) for other in done]
            bits[one, done] = bits[done, one] = apart
            compared += len(done)
        done.append(one)
    return Divergences(sealed(bits), rows, compared, tuple(parts), recall.steps)


def _mean_bits(parts: list[Array], entropies: list[Array], one: int, other: int) -> float:
    """Return the mean divergence of two heads, NaN over no rows."""
    if not parts[one].size:
        return math.nan
    known = entropies[one], entropies[other]
    return float(core.jensen_shannon_bits(parts[one], parts[other], entropies=known).mean())


def _shares(weights: Matrix, rows: tuple[int, ...]) -> Array:
    """Return rows of weights; given ones, whose sums are what they are, as shares of these."""
    found = rows_of(weights, rows)
    sums = found.sum(axis=1, keepdims=True)
    return found if np.allclose(sums, 1.0, rtol=0, atol=1e-9) else found / sums


def _places_in(earlier: tuple[Array, ...], parts: list[Array]) -> dict[int, int]:
    """Return where each of ``parts`` was among ``earlier`` ones, of those that are the same."""
    places = {id(part): place for place, part in enumerate(earlier)}
    return {place: places[id(part)] for place, part in enumerate(parts) if id(part) in places}


def places_of(view: ViewState, scene: Scene) -> tuple[int, int] | None:
    """Return the places of the two heads looked at, from 0; None in a scene of one head.

    At first they are heads 2 and 3 where there are.
    """
    if view.pair is not None:
        one, other = view.pair
        return scene.index_of(one), scene.index_of(other)
    return (1, 2) if scene.n_heads > 2 else (0, 1) if scene.n_heads == 2 else None


def verdict(pair: PairInformation, one: str, other: str) -> str:
    """Return in a few words what the numbers of heads ``one`` and ``other`` show."""
    least, most = sorted((pair.one, pair.other))
    both, balance = f"{one} and {other}", pair.redundancy_minus_synergy
    if math.isnan(pair.joint):
        return ""
    if pair.joint < _NOTHING:
        return f"Neither {one} nor {other} tells anything"
    if balance < -_NOTHING:
        return "Only together: synergy" if most < _NOTHING else "More than in sum: synergy"
    if pair.joint - least < _NOTHING:
        return "The same fragment: redundant"
    if least < _NOTHING and pair.joint - most < _NOTHING:
        return f"Only {one if pair.one > pair.other else other} tells something"
    if pair.joint - most < _NOTHING:
        return f"{one if pair.one > pair.other else other} tells all that {both} do"
    if balance < _NOTHING:
        return "They add: redundancy = synergy"
    return "Fragments that overlap in part"


def information_report(scene: Scene, result: Result, row: int | None = None) -> dict[str, Any]:
    """Return what can be written as JSON under the keys "information" and "redundancy".

    ``row`` is t from 0; None means t4, or the last where T is less. Bits that are not known are
    None. Pairs are those of the first 8 heads.
    """
    at = shown_row(scene, row)
    study, divergences = study_information(scene, result, at), study_divergences(result)
    source = study.source
    heads = [
        {"head": number, "name": head.head.name, "bits": finite(of.bits), "why_not": of.why_not}
        for number, (head, of) in enumerate(zip(result.heads, study.heads, strict=True), 1)
    ]
    information = {
        "query_position": at + 1,
        "source": _source_report(source),
        "sequences": len(study.sequences),
        "symbol_bits": math.log2(source.n_symbols),
        "whole_past_bits": finite(study.whole_past_bits),
        "why_not": study.why_not,
        "heads": heads,
    }
    places = range(min(scene.n_heads, MOST_REPORTED_HEADS))
    redundancy = {
        "jensen_shannon_bits": [[finite(cell) for cell in row] for row in divergences.bits],
        "rows": [number + 1 for number in divergences.rows],
        "pairs": [_pair_report(study, *pair) for pair in itertools.combinations(places, 2)],
    }
    return {"information": information, "redundancy": redundancy}


def _source_report(source: TokenSource) -> dict[str, Any]:
    report: dict[str, Any] = {"kind": source.kind.value, "symbols": source.n_symbols}
    if source.kind is SourceKind.COPY:
        report["lag"] = source.lag
    if source.kind is SourceKind.MARKOV:
        report["transition"] = source.probabilities.tolist()
    return {**report, "resolution": source.resolution}


def _pair_report(study: InformationStudy, one: int, other: int) -> dict[str, Any]:
    pair = study.pair(one, other)
    return {
        "heads": [one + 1, other + 1],
        "joint_bits": finite(pair.joint),
        "redundancy_minus_synergy_bits": finite(pair.redundancy_minus_synergy),
        "verdict": verdict(pair, f"h{one + 1}", f"h{other + 1}"),
    }


def _outlook(source: TokenSource, length: int, most_sequences: int) -> _Outlook:
    sequences, probabilities = core.enumerate_tokens(source.next_tokens, length, most_sequences)
    sequences.flags.writeable = False
    following = sealed(source.next_tokens(sequences))
    return _Outlook(sequences, sealed(probabilities), following)


def _sees_later(scene: Scene) -> str:
    """Return why nothing can be told of the next token; empty where it can."""
    if not scene.mask.sees_later:
        return ""
    if scene.mask.across:
        return f"Under this mask ({scene.mask.text}) queries and keys are not of one sequence."
    return f"Under this mask ({scene.mask.text}) a query sees the tokens that it is to tell of."


def _too_long(length: int, sequences: core.Tokens, most_sequences: int) -> str:
    longest = sequences.shape[1]
    if longest == length:
        return ""
    return (
        f"t = {length} is too long: its token sequences are more than are gone through, "
        f"{most_sequences:,} sequences and {core.MOST_TOKENS:,} tokens in all. "
        f"The most is t = {longest}."
    )


def _whole_past_bits(probabilities: Array, following: Array) -> float:
    return core.information_bits(np.arange(len(probabilities)), probabilities, following)


def _of_head(
    scene: Scene, result: Result, place: int, outlook: _Outlook, recall: Recall
) -> HeadInformation:
    head, source, length = result.heads[place], scene.source, outlook.sequences.shape[1]
    uid = head.head.uid
    why_not = _why_unknown(scene, result, head.head, outlook.sequences)
    if why_not:
        return HeadInformation(math.nan, None, why_not)
    if head.head.pattern is Pattern.PROJECTED:
        read = _layer_below(scene, result, head.head, recall)
        visible = recall("seen", _row, result.allowed, length)
        given = scene.x, head.head, head.gain, len(scene.vocabulary), outlook.sequences, read
        rows = recall(f"rows {uid}", _rows_by_content, *given, visible)
    else:
        rows = recall(f"row {uid}", _row, head.weights, length)
    seen = rows, outlook.sequences, source.n_symbols, source.resolution
    labels = recall(f"labels {uid}", core.observed_labels, *seen)
    bits = recall(f"bits {uid}", core.information_bits, labels, *outlook[1:])
    return HeadInformation(bits, labels)


def _why_unknown(scene: Scene, result: Result, head: Head, sequences: core.Tokens) -> str:
    """Return why the head's weights are not known for other tokens; empty where they are."""
    if head.pattern is not Pattern.PROJECTED:
        return ""
    if len(scene.vocabulary) < scene.source.n_symbols:
        return f"attends by content, and there are no {scene.source.n_symbols} words"
    if sequences.size * scene.d_model > MOST_NUMBERS:
        return "attends by content, which is not gone through for so many tokens"
    below = _heads_below(result, head)
    if any(other.head.pattern is Pattern.PROJECTED for _, other in below):
        return "attends to what heads that attend by content have added"
    return ""


def _row(matrix: Matrix | BoolArray, length: int) -> npt.NDArray[Any]:
    """Return what row t of A or of the mask has at t1 .. t, (t,)."""
    return matrix[length - 1, :length]


def _heads_below(result: Result, head: Head) -> list[tuple[int, HeadResult]]:
    """Return the heads, and their places, whose outputs ``head`` reads."""
    return [
        (place, other)
        for place, other in enumerate(result.heads)
        if other.active and other.head.layer < head.layer
    ]


def _layer_below(scene: Scene, result: Result, head: Head, recall: Recall) -> tuple[_Below, ...]:
    """Return A, W_V W_O^(h) and b_V W_O^(h) of each head that ``head`` reads."""
    below = []
    for place, other in _heads_below(result, head):
        name, w_v = f"added by {other.head.uid}", other.head.w_v
        added = recall.array(name, _through, w_v, scene.w_o, scene.rows_of(place))
        b_v, bias = other.head.b_v, None
        if b_v is not None:
            bias = recall.array(f"{name}, bias", _through, b_v, scene.w_o, scene.rows_of(place))
        below.append((other.weights, added, bias))
    return tuple(below)


def _through(w_v: Array, w_o: Array, rows: slice) -> Array:
    product: Array = w_v @ w_o[rows]
    return product


def _rows_by_content(
    x: Array,
    head: Head,
    gain: float,
    n_words: int,
    sequences: core.Tokens,
    below: tuple[_Below, ...],
    seen: BoolArray,
) -> Array:
    """Return row t of A of a projected head for every sequence, symbol s being word s, (N, t)."""
    assert head.w_q is not None
    assert head.w_k is not None
    length = sequences.shape[1]
    place = x[:length].copy()
    place[:, :n_words] = 0.0
    read = words = np.eye(n_words, x.shape[1])[sequences] + place
    for weights, through, bias in below:
        part = weights[:length, :length]
        read = read + part @ words @ through
        if bias is not None:
            read = read + part.sum(axis=1, keepdims=True) * bias
    scores = core.attention_scores(read[:, -1:] @ head.w_q, read @ head.w_k)
    if head.is_biased:
        bias = core.alibi_bias([head.slope], 1, length)[0]
        found = core.biased_weights(scores, gain=gain, bias=bias, sinks=head.sink, mask=seen)
        return sealed(found.weights[:, 0])
    return sealed(core.weights_from_scores(scores, gain=gain, mask=seen)[:, 0])
