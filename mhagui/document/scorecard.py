"""All heads of a capture in one table: what each does, against chance, and what it is called."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.core.threads import one_blas_thread
from mhagui.document.capture import Capture, CapturedLayer, Flags, Floats
from mhagui.document.records import Scalar, frozen

Doubles = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


class Measure(NamedTuple):
    """A score that heads have.

    Its name, its unit, "" for a plain number, what it says in words, and whether it is a share, of
    which a perfect head has 1: such a score can be corrected for chance.
    """

    name: str
    unit: str
    meaning: str
    is_share: bool = False

    @property
    def is_up_to_1(self) -> bool:
        """Whether no head has more than 1: all shares, and uniformity."""
        return self.is_share or self.name == "uniformity"

    @property
    def with_unit(self) -> str:
        """Its name, and behind it its unit where it has one."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


MEASURES = (
    Measure("previous token", "", "mean weight on the position before", True),
    Measure("first token", "", "mean weight on the first position, a sink", True),
    Measure("self", "", "mean weight on the query's own position", True),
    Measure("induction", "", "mean weight on what came after the same token earlier", True),
    Measure("duplicate token", "", "mean weight on the same token earlier", True),
    Measure("uniformity", "", "how much of what it may see a row blends: 0 one key, 1 all alike"),
    Measure("confidence", "", "largest weight of a row, mean over rows", True),
    Measure("entropy", "bits", "row entropy, mean over rows"),
    Measure("effective positions", "positions", "2 to the row entropy, mean over rows"),
    Measure("mean distance", "positions", "how far from the query the weight lies on average"),
    Measure("distance variance", "positions²", "how much that distance varies"),
)
# The letters with which heads are marked, by what they are called, in the order of these.
LETTERS = {
    "previous token": "P",
    "first token": "F",
    "self": "S",
    "induction": "I",
    "duplicate token": "D",
    "uniform": "U",
}
NO_LABEL = "no label"
MOST_AT_ONCE = 2**24  # weights that are made of queries and keys, as float64 134 MB
EFFECTIVE_RANK = Measure("effective rank", "", "effective rank of the weights (Roy & Vetterli)")


class HeadPlace(NamedTuple):
    """A head of a capture: the number of its layer as in `CapturedLayer`, and its own, from 0."""

    layer: int
    head: int


@dataclass(frozen=True, eq=False)
class Column:
    """One score of all heads, (N,) each, read-only; NaN where it is not defined.

    Attributes
    ----------
    values
        The score, in the unit of its measure.
    baselines
        What the uniform head has under the same mask; by words, what such a head of tokens has.
    corrected
        (values − baselines) / (1 − baselines), 0 at chance and 1 for a perfect head; NaN for
        scores that are no shares.
    """

    measure: Measure
    values: Doubles
    baselines: Doubles
    corrected: Doubles


@dataclass(frozen=True, eq=False)
class Scorecard:
    """The scores of all heads of a capture, in its order: N heads.

    Attributes
    ----------
    heads
        Which head each is.
    labels
        What it is called, by `core.HeadScores.labels`; "" where it is called nothing.
    columns
        The scores, in the order of `MEASURES`; the effective rank is one apart.
    n_rows, n_empty, n_unreadable
        How many rows its weights have, and how many of these counted for nothing: without an
        allowed key or any weight, and with NaN, infinities or numbers that are no weights.
    notes
        What was taken for granted or left out, a sentence each.
    is_by_words
        Whether words stand where scores speak of tokens.
    """

    heads: tuple[HeadPlace, ...]
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    n_rows: Counts
    n_empty: Counts
    n_unreadable: Counts
    notes: tuple[str, ...]
    is_by_words: bool
    _layers: tuple[_ScoredLayer, ...] = field(repr=False)

    def column(self, name: str) -> Column:
        """Return the scores called ``name``; raises KeyError where there are none."""
        return {column.measure.name: column for column in self.columns}[name]

    @cached_property
    def effective_ranks(self) -> Column:
        """Effective rank of each head's A; made when first asked for, as it takes far longer.

        NaN for a head that has unreadable rows.
        """
        with one_blas_thread():
            values = _joined([_effective_ranks(scored) for scored in self._layers])
            chance = _uniform_ranks(self._layers)
        return Column(EFFECTIVE_RANK, values, chance, frozen(np.full_like(values, np.nan)))

    @property
    def known_ranks(self) -> Column | None:
        """The effective ranks, once they have been asked for."""
        ranks: Column | None = vars(self).get("effective_ranks")
        return ranks

    def without_weights(self) -> Scorecard:
        """Return the scores without the weights they are of, to be kept; ranks are not known."""
        return replace(self, _layers=())


class _ScoredLayer(NamedTuple):
    """A layer, how its heads were scored, what is known of it, and their scores."""

    layer: CapturedLayer
    scoring: core.HeadScoring
    is_cross: bool
    has_tokens: bool
    scores: core.HeadScores


def scorecard(capture: Capture, before_layer: Callable[[int], object] | None = None) -> Scorecard:
    """Score all heads of ``capture``, one layer after another.

    ``before_layer`` is called before each with how many are done; what it raises ends the work.
    Weights that have to be made of queries and keys are not kept.

    Raises UserError where a layer's queries and keys make no weights.
    """
    layers = list(_scored_layers(capture, before_layer))
    n_heads = [scored.layer.n_heads for scored in layers]
    return Scorecard(
        heads=tuple(
            HeadPlace(scored.layer.number, head)
            for scored in layers
            for head in range(scored.layer.n_heads)
        ),
        labels=tuple(label for scored in layers for label in scored.scores.labels),
        columns=tuple(_column(measure, layers) for measure in MEASURES),
        n_rows=frozen(np.repeat([scored.layer.shape[0] for scored in layers], n_heads)),
        n_empty=_joined([scored.scores.n_empty for scored in layers]),
        n_unreadable=_joined([scored.scores.n_unreadable for scored in layers]),
        notes=(*_notes_on_words(capture), *_notes(layers)),
        is_by_words=capture.whole is not None,
        _layers=tuple(layers),
    )


def weights_of(layer: CapturedLayer) -> Floats:
    """Return the weights of ``layer``: made anew, and not kept, where it does not have them yet."""
    return layer.weights if layer.has_weights else layer.recomputed()


def _weights_in_turn(layer: CapturedLayer) -> Iterator[Floats]:
    """Yield the weights of ``layer``, head by head where too many would have to be made at once."""
    is_small = layer.n_heads * math.prod(layer.shape) <= MOST_AT_ONCE
    if layer.has_weights or layer.q is None or layer.k is None or is_small:
        yield weights_of(layer)
        return
    for head in range(layer.n_heads):
        yield layer.states_of(head).recomputed()


def _of_all_heads(parts: list[core.HeadScores]) -> core.HeadScores:
    """Return the scores of heads that were scored one after the other."""
    if len(parts) == 1:
        return parts[0]
    scores = {}
    for name in parts[0].scores:
        found = [astuple(part.scores[name]) for part in parts]
        scores[name] = core.Score(*map(np.concatenate, zip(*found, strict=True)))
    counts = ([getattr(part, name) for part in parts] for name in ("n_empty", "n_unreadable"))
    return core.HeadScores(scores, *map(np.concatenate, counts))


def _scored_layers(
    capture: Capture, before_layer: Callable[[int], object] | None
) -> Iterator[_ScoredLayer]:
    scoring: core.HeadScoring | None = None
    for done, layer in enumerate(capture.layers):
        if before_layer is not None:
            before_layer(done)
        allowed = layer.mask
        is_cross = _is_cross(capture, layer.shape, allowed)
        ids = None if is_cross else _token_ids(capture, layer.shape[1])
        # Most layers have the mask of the one before, and what it makes takes longer than a layer.
        chance = layer.chance
        if scoring is None or not _is_of(scoring, allowed, chance):
            scoring = core.HeadScoring(allowed, token_ids=ids, is_cross=is_cross, chance=chance)
        found: list[core.HeadScores] = []
        for weights in _weights_in_turn(layer):
            if found and before_layer is not None:
                before_layer(done)
            found.append(scoring.scores(weights))
        scores = _of_all_heads(found)
        yield _ScoredLayer(layer, scoring, is_cross, ids is not None, scores)


def _is_of(scoring: core.HeadScoring, allowed: Flags, chance: Floats | None) -> bool:
    """Say whether heads are scored so under a mask, beside what they have by chance."""
    if not np.array_equal(scoring.allowed, allowed):
        return False
    if chance is None or scoring.chance is None:
        return chance is scoring.chance
    return np.array_equal(scoring.chance, chance)


def _is_cross(capture: Capture, shape: tuple[int, int], allowed: Flags) -> bool:
    """Tell whether queries and keys are of different sequences.

    By their tokens, where there are any. Otherwise queries that are fewer than keys, and see none
    after their own, are the last positions of the keys, as when a text is continued.
    """
    n_queries, n_keys = shape
    queries, keys = capture.query_tokens, capture.key_tokens
    if (len(queries), len(keys)) == shape:
        return queries != keys[n_keys - n_queries :] if n_queries <= n_keys else True
    if n_queries == n_keys:
        return False
    return n_queries > n_keys or bool(np.any(allowed & ~core.causal_mask(n_queries, n_keys)))


def _token_ids(capture: Capture, n_keys: int) -> list[int] | None:
    """Return a number for each key's token: the tokenizer's, or one for each different text."""
    if len(capture.token_ids) == n_keys:
        return list(capture.token_ids)
    tokens = capture.texts[1]
    if len(capture.key_tokens) != n_keys:
        return None
    numbers: dict[str, int] = {}
    return [numbers.setdefault(token, len(numbers)) for token in tokens]


def _column(measure: Measure, layers: list[_ScoredLayer]) -> Column:
    scores = [scored.scores.scores[measure.name] for scored in layers]
    return Column(
        measure,
        _joined([score.values for score in scores]),
        _joined([score.baselines for score in scores]),
        _joined([score.corrected for score in scores]),
    )


def _effective_ranks(scored: _ScoredLayer) -> Doubles:
    is_readable = scored.scores.n_unreadable == 0
    ranks = np.full(len(is_readable), np.nan)
    heads = (head for weights in _weights_in_turn(scored.layer) for head in weights)
    for place, weights in enumerate(heads):
        if is_readable[place]:
            ranks[place] = core.effective_rank(weights)
    return ranks


def _uniform_ranks(layers: tuple[_ScoredLayer, ...]) -> Doubles:
    """Return what every head has by chance; made once for all layers that are scored alike."""
    ranks = {scoring: _rank_by_chance(scoring) for scoring in {each.scoring for each in layers}}
    return _joined([np.full(each.layer.n_heads, ranks[each.scoring]) for each in layers])


def _rank_by_chance(scoring: core.HeadScoring) -> float:
    chance = core.uniform_weights(scoring.allowed) if scoring.chance is None else scoring.chance
    return float(core.effective_rank(chance))


def _notes_on_words(capture: Capture) -> Iterator[str]:
    if capture.whole is not None:
        n_words, n_tokens = capture.layers[0].shape[1], capture.whole.layers[0].shape[1]
        yield (
            f"Scored by words, {n_words:,} of {n_tokens:,} tokens: the previous token is the "
            "previous word, and so on. Chance is what a head has that is uniform over tokens."
        )


def _notes(layers: list[_ScoredLayer]) -> Iterator[str]:
    """Yield what a reader of the table has to know of it, a sentence each."""
    counts = (
        (
            sum(scored.is_cross for scored in layers),
            "had queries and keys of different sequences: no distances, and of the patterns the "
            "first token alone.",
        ),
        (
            sum(not scored.has_tokens and not scored.is_cross for scored in layers),
            "came without tokens: no induction and no duplicate tokens.",
        ),
    )
    for count, what in counts:
        if count:
            who = "The layer" if len(layers) == 1 else f"{count} of {len(layers)} layers"
            yield f"{who} {what}"
    yield from _notes_on_rows(layers)


def _notes_on_rows(layers: list[_ScoredLayer]) -> Iterator[str]:
    counts = (
        ("n_unreadable", "with NaN, infinities or numbers outside 0 to 1"),
        ("n_empty", "without any weight"),
    )
    for name, what in counts:
        rows = np.concatenate([getattr(scored.scores, name) for scored in layers])
        if rows.any():
            total, in_heads = int(rows.sum()), np.count_nonzero(rows)
            row, are = ("row", "is") if total == 1 else ("rows", "are")
            yield f"{total} {row}, in {in_heads} of {len(rows)} heads, {what} {are} left out."
    labels = [label for scored in layers for label in scored.scores.labels]
    if len(labels) > 1 and set(labels) == {"uniform"}:
        yield "Every head is uniform, as before training, or with weights read in a wrong way."


def _joined(parts: list[npt.NDArray[Scalar]]) -> npt.NDArray[Scalar]:
    return frozen(np.concatenate(parts))
