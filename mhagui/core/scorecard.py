"""What kind of head it is, in numbers: pattern scores with their chance level, and labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import BoolArray, FloatArray, as_exactly, as_flags, shape_error
from mhagui.core._scored_rows import (
    Cells,
    Counts,
    Doubles,
    Rows,
    count,
    inverse_of,
    mean,
    readable_and_largest,
    rows_of,
    total,
)
from mhagui.core.entropy import entropy_bits
from mhagui.core.masks import query_positions
from mhagui.core.patterns import (
    HEAD_PATTERNS,
    POSITION_PATTERNS,
    TOKEN_PATTERNS,
    HeadPattern,
    pattern_targets,
)

# A head is called by a pattern when it is at least half the way from chance to a perfect one: what
# speaks for the pattern then outweighs all that speaks for anything else.
LEAST_CORRECTED = 0.5
# A head is called uniform when its rows blend nine tenths of what they could. Rows drawn evenly at
# random from all that sum to 1 blend about 0.65 of it, whatever their length.
LEAST_UNIFORMITY = 0.9
# Fewer rows that have a choice tell nothing: of heads with all weight on a random key, 1 in 6 would
# reach half the way by two rows, 1 in 20 do by three (T = 4, causal), 1 in 100 by seven.
LEAST_ROWS = 3

SCORES = (
    *HEAD_PATTERNS,
    "uniformity",
    "confidence",
    "entropy",
    "effective positions",
    "mean distance",
    "distance variance",
)


@dataclass(frozen=True, slots=True)
class Score:
    """One score of each head, (H,) all; NaN where no row counts.

    Attributes
    ----------
    values
        The score.
    baselines
        The same score of the uniform head under the same mask, or of what else is by chance, over
        the same rows.
    corrected
        (values − baselines) / (1 − baselines): 0 at chance, 1 for a perfect head; NaN where the
        score has no perfect value of 1, or where chance is perfect.
    n_rows
        How many rows counted.
    is_telling
        Whether rows enough had a choice for a label to say something, and of a pattern of tokens,
        whether none of position does as well on the same rows.
    """

    values: Doubles
    baselines: Doubles
    corrected: Doubles
    n_rows: Counts
    is_telling: BoolArray


@dataclass(frozen=True, slots=True)
class HeadScores:
    """The scores of the heads of a layer, as `head_scores` finds them.

    Attributes
    ----------
    scores
        By name, in the order of `SCORES`. Of each of `HEAD_PATTERNS`: the mean weight on its
        keys, 0..1. "uniformity": (effective positions − 1) / (allowed keys − 1), mean over rows
        with at least two keys; 0 for one position, 1 for all alike. "confidence": mean of the
        largest weight of a row. "entropy": mean row entropy, bits. "effective positions": mean of
        2 to the row entropy. "mean distance": positions between query and key, weighted by the
        weights of all rows. "distance variance": its variance, positions squared.
    n_empty
        Rows with no allowed key or no weight, (H,); they count for nothing.
    n_unreadable
        Rows with NaN, infinity or a number outside 0..1 among their weights, (H,); neither do they.
    """

    scores: Mapping[str, Score]
    n_empty: Counts
    n_unreadable: Counts

    @property
    def labels(self) -> tuple[str, ...]:
        """What each head is called: "uniform", one of `HEAD_PATTERNS`, or "" for neither.

        Uniform heads, by `LEAST_UNIFORMITY`, are called nothing else. Of the patterns whose
        corrected score reaches `LEAST_CORRECTED` that with the largest counts; those of tokens
        before those of position, for such heads rest on the first token wherever no token repeats.
        """
        return tuple(self._label(head) for head in range(len(self.n_empty)))

    def _label(self, head: int) -> str:
        uniformity = self.scores["uniformity"]
        if uniformity.is_telling[head] and uniformity.values[head] >= LEAST_UNIFORMITY:
            return "uniform"
        for patterns in (TOKEN_PATTERNS, POSITION_PATTERNS):
            corrected = {
                pattern: float(self.scores[pattern].corrected[head])
                for pattern in patterns
                if self.scores[pattern].is_telling[head]
            }
            best = max(corrected, key=lambda pattern: corrected[pattern], default=None)
            if best is not None and corrected[best] >= LEAST_CORRECTED:
                return best
        return ""


def head_scores(
    a: npt.ArrayLike,
    *,
    allowed: npt.ArrayLike | None = None,
    token_ids: npt.ArrayLike | None = None,
    is_cross: bool = False,
) -> HeadScores:
    """Return all scores of the heads of a layer, with their chance levels and labels.

    Parameters
    ----------
    a
        Weights A, shape (H, T_q, T_k); never renormalised.
    allowed, token_ids, is_cross
        As for `HeadScoring`; an `allowed` of None means all.

    Returns
    -------
    HeadScores
        Of float64, found without a float64 copy of the weights.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit.

    Notes
    -----
    Source: Vig & Belinkov (2019) for the mean distance, Voita et al., "Analyzing Multi-Head
    Self-Attention" (2019) for the confidence, here with all keys; this project for the rest.
    """
    weights = as_exactly(a, "a", "H, T_q, T_k")
    mask = np.ones(weights.shape[1:], dtype=bool) if allowed is None else allowed
    return HeadScoring(mask, token_ids=token_ids, is_cross=is_cross).scores(weights)


def readable_rows(a: npt.ArrayLike) -> BoolArray:
    """Return which rows hold weights and nothing else: finite numbers from 0 to 1.

    Parameters
    ----------
    a
        Weights A as a file has them, shape (H, T_q, T_k).

    Returns
    -------
    ndarray of bool, shape (H, T_q)
        False where a number of the row is NaN, infinite, or outside 0..1.01; up to there
        is taken as rounding.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit.

    Notes
    -----
    Source: this project.
    """
    return readable_and_largest(as_exactly(a, "a", "H, T_q, T_k"))[0]


class HeadScoring:
    """How heads under one mask are scored: made once, for all layers that it is the mask of.

    Parameters
    ----------
    allowed
        The mask, shape (T_q, T_k), boolean, True = allowed.
    token_ids
        Which token stands at each key position, shape (T_k,), integers; None leaves out the
        patterns of tokens.
    is_cross
        Whether queries and keys are of different sequences: there are no distances then, and
        of the patterns "first token" alone, for all rows.
    chance
        What is by chance, weights of shape (T_q, T_k), where that is not the same on all allowed
        keys: by words, a uniform head gives those of many tokens more.
    """

    def __init__(
        self,
        allowed: npt.ArrayLike,
        *,
        token_ids: npt.ArrayLike | None = None,
        is_cross: bool = False,
        chance: npt.ArrayLike | None = None,
    ) -> None:
        self.allowed = _as_mask(allowed)
        self.chance = None if chance is None else _as_chance(chance, self.allowed)
        self._n_allowed = count(self.allowed)
        self._positions: Doubles = np.maximum(self._n_allowed, 1.0)  # effective ones, by chance
        if self.chance is not None:
            self._positions = np.exp2(entropy_bits(self.chance, "chance"))
        self._is_cross = is_cross
        self._patterns = {
            pattern: _Pattern(
                _targets(pattern, self.allowed, token_ids, is_cross), self.allowed, self.chance
            )
            for pattern in HEAD_PATTERNS
        }
        n_queries, n_keys = self.allowed.shape
        away = query_positions(n_queries, n_keys)[:, np.newaxis] - np.arange(n_keys)
        self._distance = np.abs(away).astype(np.float64)
        self._distance_squared = self._distance**2

    def scores(self, a: npt.ArrayLike) -> HeadScores:
        """Return the scores of weights A, shape (H, T_q, T_k), as from `head_scores`."""
        weights = as_exactly(a, "a", "H, T_q, T_k")
        if weights.shape[1:] != self.allowed.shape:
            raise shape_error("allowed", f"{weights.shape[1:]} to match a", self.allowed)
        rows = rows_of(weights, self._n_allowed)
        found = self._pattern_scores(rows)
        found["uniformity"], found["entropy"], found["effective positions"] = self._entropies(rows)
        most = inverse_of(self._n_allowed) if self.chance is None else self.chance.max(axis=-1)
        found["confidence"] = self._row_score(rows, rows.largest, most, is_share=True)
        found["mean distance"], found["distance variance"] = self._distances(rows)
        return HeadScores(
            scores={name: found[name] for name in SCORES},
            n_empty=count(rows.readable & ~rows.counted),
            n_unreadable=count(~rows.readable),
        )

    def _pattern_scores(self, rows: Rows) -> dict[str, Score]:
        sums = {name: of.cells.sums(rows.weights) for name, of in self._patterns.items()}
        found: dict[str, Score] = {
            name: of.score(sums[name], rows.counted, self._n_allowed)
            for name, of in self._patterns.items()
        }
        for name in TOKEN_PATTERNS:
            # Where one token follows itself, a head that looks at the previous token finds it as
            # well. What a head does on the other rows is not asked: it has to rest somewhere.
            same_rows = rows.counted & (self._patterns[name].cells.in_row > 0)
            explained = np.full(len(rows.weights), -np.inf)
            for position in POSITION_PATTERNS:
                other = self._patterns[position].score(sums[position], same_rows, self._n_allowed)
                explained = np.fmax(explained, other.corrected)
            score = found[name]
            is_telling = score.is_telling & (score.corrected > explained)
            found[name] = replace(score, is_telling=is_telling)
        return found

    def _entropies(self, rows: Rows) -> tuple[Score, Score, Score]:
        """Return uniformity, entropy and effective positions."""
        bits = np.empty(rows.weights.shape[:-1])
        for of_head, head in zip(bits, rows.weights, strict=True):  # it makes a copy
            of_head[:] = entropy_bits(head, "a")
        positions = np.exp2(bits)
        has_choice = rows.counted & (self._n_allowed >= 2)
        by_chance = self._positions
        # What a file has on forbidden keys may make it more than the mask allows.
        of_rows, of_chance = (
            np.minimum((each - 1.0) / np.maximum(self._n_allowed - 1, 1), 1.0)
            for each in (positions, by_chance)
        )
        n_rows = count(has_choice)
        values, baselines = mean(of_rows, has_choice), mean(of_chance, has_choice)
        uniformity = Score(
            values, baselines, np.full_like(values, np.nan), n_rows, n_rows >= LEAST_ROWS
        )
        return (
            uniformity,
            self._row_score(rows, bits, np.log2(by_chance)),
            self._row_score(rows, positions, by_chance),
        )

    def _distances(self, rows: Rows) -> tuple[Score, Score]:
        """Return the mean distance and its variance."""
        counted = rows.counted & (not self._is_cross)
        # einsum adds up in float64 whatever the weights are, and copies none of them.
        of_rows = [
            np.add.reduce(rows.weights, axis=-1, dtype=np.float64),
            np.einsum("hti,ti->ht", rows.weights, self._distance),
            np.einsum("hti,ti->ht", rows.weights, self._distance_squared),
        ]
        moments = (self.allowed, self._distance, self._distance_squared)
        n_rows = count(counted)
        nothing, no_labels = np.full(len(n_rows), np.nan), np.zeros(len(n_rows), dtype=bool)
        pairs = zip(
            _mean_and_variance(of_rows, counted),
            _mean_and_variance([self._by_chance(moment) for moment in moments], counted),
            strict=True,
        )
        distance, variance = (Score(*pair, nothing, n_rows, no_labels) for pair in pairs)
        return distance, variance

    def _by_chance(self, moment: npt.NDArray[Any]) -> Doubles:
        """Return what each row has of a moment, (T_q, T_k), by chance."""
        of_rows: Doubles
        if self.chance is None:
            of_rows = np.sum(moment, axis=-1, where=self.allowed) * inverse_of(self._n_allowed)
        else:
            of_rows = np.sum(moment * self.chance, axis=-1)
        return of_rows

    def _row_score(
        self, rows: Rows, of_rows: FloatArray, of_uniform: Doubles, *, is_share: bool = False
    ) -> Score:
        """Return the mean of what each row has; corrected where it is a share, whose best is 1."""
        values, baselines = mean(of_rows, rows.counted), mean(of_uniform, rows.counted)
        corrected = _corrected(values, baselines) if is_share else np.full_like(values, np.nan)
        no_labels = np.zeros(len(values), dtype=bool)
        return Score(values, baselines, corrected, count(rows.counted), no_labels)


class _Pattern:
    """The keys of a pattern that a mask allows."""

    def __init__(self, targets: BoolArray, allowed: BoolArray, chance: Doubles | None) -> None:
        self.cells = Cells(targets & allowed)
        if chance is None:
            self._by_chance = self.cells.in_row * inverse_of(count(allowed))
        else:
            self._by_chance = self.cells.sums(chance[np.newaxis])[0]
        n_in_sight = np.count_nonzero(self.cells.in_row)
        self._is_in_sight = 2 * n_in_sight >= np.count_nonzero(targets.any(axis=-1))

    def score(self, sums: Doubles, counted: BoolArray, n_allowed: Counts) -> Score:
        """Return the score of heads with so much weight on the keys, (H, T_q), by rows counted."""
        n_seen = self.cells.in_row
        counted = counted & (n_seen > 0)
        n_choices = count(counted & (n_seen < n_allowed))
        values, baselines = mean(sums, counted), mean(self._by_chance, counted)
        is_telling = (n_choices >= LEAST_ROWS) & self._is_in_sight
        return Score(values, baselines, _corrected(values, baselines), count(counted), is_telling)


def _as_mask(allowed: npt.ArrayLike) -> BoolArray:
    mask = as_flags(allowed, "allowed")
    if mask.ndim != 2:
        raise shape_error("allowed", "(T_q, T_k)", mask)
    return mask


def _as_chance(chance: npt.ArrayLike, allowed: BoolArray) -> Doubles:
    weights = as_exactly(chance, "chance", "T_q, T_k")
    if weights.shape != allowed.shape:
        raise shape_error("chance", f"{allowed.shape} to match allowed", weights)
    return weights.astype(np.float64)


def _targets(
    pattern: HeadPattern, allowed: BoolArray, token_ids: npt.ArrayLike | None, is_cross: bool
) -> BoolArray:
    """Return the keys of a pattern; none where it has no meaning."""
    n_queries, n_keys = allowed.shape
    if is_cross and pattern == "first token":
        return np.broadcast_to(np.arange(n_keys) == 0, allowed.shape)
    is_of_tokens = pattern in TOKEN_PATTERNS
    if is_cross or not allowed.size or (is_of_tokens and token_ids is None):
        return np.zeros_like(allowed)
    return pattern_targets(pattern, n_queries, n_keys, token_ids=token_ids)


def _mean_and_variance(moments: list[Doubles], counted: BoolArray) -> tuple[Doubles, Doubles]:
    """Return both of each head, from the zeroth to the second moment of each of its rows."""
    mass, first, second = (total(moment, counted) for moment in moments)
    mass = np.where(mass > 0.0, mass, np.nan)
    average = first / mass
    return average, np.maximum(second / mass - average * average, 0.0)


def _corrected(values: Doubles, baselines: Doubles) -> Doubles:
    room = 1.0 - baselines
    room[room <= 0.0] = np.nan
    corrected: Doubles = (values - baselines) / room
    return corrected
