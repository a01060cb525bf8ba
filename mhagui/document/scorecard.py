"""All heads of a capture in one table: what each does, against chance, and what it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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
        What the uniform head has under the same mask.
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
    """

    heads: tuple[HeadPlace, ...]
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    n_rows: Counts
    n_empty: Counts
    n_unreadable: Counts
    notes: tuple[str, ...]
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


class _ScoredLayer(NamedTuple):
    """A layer, the mask its heads were scored under, what is known of it, and their scores."""

    layer: CapturedLayer
    allowed: Flags
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
        notes=tuple(_notes(layers)),
        _layers=tuple(layers),
    )


def weights_of(layer: CapturedLayer) -> Floats:
    """Return the weights of ``layer``: made anew, and not kept, where it does not have them yet."""
    kept: Floats | None = vars(layer).get("weights", layer.given)
    return layer.recomputed() if kept is None else kept


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
        if scoring is None or not np.array_equal(scoring.allowed, allowed):
            scoring = core.HeadScoring(allowed, token_ids=ids, is_cross=is_cross)
        scores = scoring.scores(weights_of(layer))
        yield _ScoredLayer(layer, scoring.allowed, is_cross, ids is not None, scores)


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
    if len(capture.key_tokens) != n_keys:
        return None
    numbers: dict[str, int] = {}
    return [numbers.setdefault(token, len(numbers)) for token in capture.key_tokens]


def _column(measure: Measure, layers: list[_ScoredLayer]) -> Column:
    scores = [scored.scores.scores[measure.name] for scored in layers]
    return Column(
        measure,
        _joined([score.values for score in scores]),
        _joined([score.baselines for score in scores]),
        _joined([score.corrected for score in scores]),
    )


def _effective_ranks(scored: _ScoredLayer) -> Doubles:
    weights = weights_of(scored.layer)
    ranks = np.full(len(weights), np.nan)
    for head in np.flatnonzero(scored.scores.n_unreadable == 0):
        ranks[head] = core.effective_rank(weights[head])
    return ranks


def _uniform_ranks(layers: tuple[_ScoredLayer, ...]) -> Doubles:
    """Return what the uniform head has, of every head; made once for all layers of one mask."""
    masks = {id(scored.allowed): scored.allowed for scored in layers}
    ranks = {
        key: core.effective_rank(core.uniform_weights(allowed)) for key, allowed in masks.items()
    }
    return _joined([np.full(scored.layer.n_heads, ranks[id(scored.allowed)]) for scored in layers])


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
