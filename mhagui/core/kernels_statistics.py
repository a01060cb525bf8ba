"""What the rows of attention weights say, without the weights: memory grows with T, not T × T."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    BoolArray,
    FloatArray,
    as_count,
    as_matrices,
    broadcasts_to,
    shape_error,
)
from mhagui.core.attention import (
    Check,
    Mask,
    allowed_for,
    attention_scores,
    attention_weights,
    fitting_queries_and_keys,
    gain_for,
    softmax_exponents,
)
from mhagui.core.display import pool_maximum
from mhagui.core.entropy import entropy_bits
from mhagui.core.kernels import work_through
from mhagui.core.kernels_scores import FactoredScores, exponentials, quiet_and_in_place
from mhagui.core.kernels_tiles import Tile, flattened, tiles_of

# The largest rounding of a gained shift with which a block is made without the rest of its rows.
_ROUNDING = 2.0**-10


@dataclass(frozen=True, slots=True)
class AttentionStatistics:
    """What `attention_statistics` finds; "position" is a query's among the keys, t + T_k − T_q.

    Attributes
    ----------
    row_entropy_bits
        (..., T_q), bits, as from `row_entropy_bits`: NaN for a row with no allowed key.
    effective_positions
        (..., T_q), 2 to the entropy.
    row_shifts
        (..., T_q), a score near the one that the gain favours most in the row, dimensionless.
    row_log_sums
        (..., T_q), ln Σ_i exp(gain · (S_ti − shift)) over the allowed keys; +inf for a row
        with none. With the shifts, what `weights_block` needs.
    mean_distances
        (..., T_q), position − Σ_i A_ti · i: how many positions back the row looks on average;
        NaN for a row with no allowed key.
    previous_token, first_token, self_token
        (...,), 0..1: the mean weight on the key one position back, on the first key, on the
        query's own position. The first position counts for the last alone, as the other two
        have nothing to tell there; rows with no allowed key or no such key do not count;
        NaN where no row does.
    overview
        (..., at most n, at most n), the largest weight of each block of `pool_maximum`, or
        None.
    sums
        (..., T_q, d_v), the head outputs A·V, or None.
    """

    row_entropy_bits: FloatArray
    effective_positions: FloatArray
    row_shifts: FloatArray
    row_log_sums: FloatArray
    mean_distances: FloatArray
    previous_token: FloatArray
    first_token: FloatArray
    self_token: FloatArray
    overview: FloatArray | None
    sums: FloatArray | None


def attention_statistics(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    *,
    gain: npt.ArrayLike = 1.0,
    mask: Mask = "causal",
    scale: float | None = None,
    values: npt.ArrayLike | None = None,
    overview: SupportsIndex | None = None,
    check: Check | None = None,
) -> AttentionStatistics:
    """Return what the weights of q and k say, in memory that grows with T_q + T_k alone.

    Parameters
    ----------
    q, k, gain, mask, scale
        As for `attention_weights`.
    values
        V, shape (..., T_k, d_v), for the head outputs A·V; its leading axes broadcast
        to those of the scores.
    overview
        The most rows and columns of a picture of the weights, at least 1.
    check
        As for `weights_and_entropies`.

    Returns
    -------
    AttentionStatistics
        float32 when q and k are, otherwise float64; the sums as from `weighted_sums`.

    Raises
    ------
    ValueError
        As for `weights_and_entropies`; when `values` or `overview` does not fit.

    Notes
    -----
    Source: this project; docs/decisions/0023. The scores of patterns are as in Vig and
    Belinkov 2019 (mean distance) and, for the first and the previous token, the mean over
    all positions but the first.
    """
    scores = FactoredScores(q, k, gain, scale)
    v = None if values is None else _values_for(values, scores)
    n_cells = None if overview is None else as_count(overview, "overview")
    tiles = tiles_of(mask, scores.leading, scores.n_rows, scores.n_columns)
    found = _Found(scores, v, n_cells)
    work_through(tiles, found.work, check)
    return found.statistics()


def weights_block(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    statistics: AttentionStatistics,
    rows: slice,
    columns: slice,
    *,
    gain: npt.ArrayLike = 1.0,
    mask: Mask = "causal",
    scale: float | None = None,
) -> FloatArray:
    """Return some rows and columns of the weights whose statistics are known.

    Parameters
    ----------
    q, k, gain, mask, scale
        Those that the statistics were made of.
    statistics
        What `attention_statistics` returned.
    rows, columns
        Which queries and which keys.

    Returns
    -------
    ndarray, shape (..., rows, columns)
        As these rows and columns of what `weights_and_entropies` returns.

    Raises
    ------
    ValueError
        As for `attention_weights`, of what is read of q and k; when `statistics` has other rows.

    Notes
    -----
    Source: this project; docs/decisions/0023.
    """
    queries, keys = fitting_queries_and_keys(q, k)  # finite where they are read, as is seen below
    leading = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    shape = (*leading, queries.shape[-2], keys.shape[-2])
    shifts = statistics.row_shifts
    if shifts.shape != shape[:-1]:
        raise shape_error("q", f"(..., {shifts.shape[-1]}, d_k) to match statistics", queries)
    factor, shifts = gain_for(gain, leading), shifts[..., rows]
    with np.errstate(all="ignore"):
        rounding = np.abs(shifts[..., np.newaxis] * factor) * np.finfo(shifts.dtype).eps
    if np.max(rounding, initial=0.0) > _ROUNDING:
        whole = _allowed_block(mask, rows, slice(None), shape)
        return attention_weights(queries[..., rows, :], keys, gain=gain, mask=whole, scale=scale)[
            ..., columns
        ]
    scores = attention_scores(queries[..., rows, :], keys[..., columns, :], scale)
    with np.errstate(all="ignore"):
        # In halves, for scores at both ends of the floating-point range are further apart.
        exponents = scores.astype(np.float64) * 0.5 - shifts[..., np.newaxis] * 0.5
        exponents = exponents * factor * 2.0
        exponents -= statistics.row_log_sums[..., rows, np.newaxis]
        weights = np.minimum(np.exp(exponents), 1.0)
    allowed = _allowed_block(mask, rows, columns, shape)
    return np.where(allowed, weights, 0.0).astype(shifts.dtype, copy=False)


def _allowed_block(mask: Mask, rows: slice, columns: slice, shape: tuple[int, ...]) -> BoolArray:
    n_rows, n_columns = shape[-2:]
    if isinstance(mask, str) and mask == "causal":  # not made whole, which is large
        t, i = np.arange(n_rows)[rows, np.newaxis], np.arange(n_columns)[columns]
        within: BoolArray = i <= t + (n_columns - n_rows)
        return within
    allowed = allowed_for(mask, shape)
    if allowed is None:
        return np.ones((1, 1), dtype=bool)
    return np.broadcast_to(allowed, shape)[..., rows, columns]


class _Rows(NamedTuple):
    """The weights of a tile, (heads, rows, columns), and what is known of its rows."""

    weights: FloatArray
    bits: FloatArray
    shifts: FloatArray
    log_sums: FloatArray


class _Found:
    """The statistics while tile after tile is added to them, all heads along one axis."""

    def __init__(
        self,
        scores: FactoredScores,
        values: FloatArray | None,
        n_cells: int | None,
    ) -> None:
        self._scores, self._values = scores, values
        shape = (math.prod(scores.leading), scores.n_rows)
        per_row = np.zeros((7, *shape), scores.dtype)
        self._bits, self._shifts, self._log_sums, self._distances = per_row[:4]
        self._previous, self._first, self._own = per_row[4:]
        self._position = np.arange(scores.n_rows) + (scores.n_columns - scores.n_rows)
        self._sums: FloatArray | None = None
        if values is not None:
            dtype = np.result_type(values, scores.dtype)
            self._sums = np.zeros((*shape, values.shape[-1]), dtype)
        self._overview: FloatArray | None = None
        if n_cells is not None:
            n_rows, n_columns = min(shape[1], n_cells), min(scores.n_columns, n_cells)
            self._overview = np.zeros((shape[0], n_rows, n_columns), scores.dtype)
        self._lock = Lock()  # two tiles may meet in a row of the overview

    def work(self, tiles: Iterator[Tile]) -> None:
        """Add the tiles, the first of which is the largest of all that come."""
        space: FloatArray = np.empty((2, 0), self._scores.dtype)
        ones = np.ones(self._scores.n_columns, self._scores.dtype)
        with quiet_and_in_place(self._scores.n_columns):
            for tile in (part for whole in tiles for part in self._scores.parts(whole)):
                if tile.n_cells > space.shape[1]:
                    space = np.empty((2, tile.n_cells), self._scores.dtype)
                found = self._rows_of(tile, space[:, : tile.n_cells], ones)
                part = tile.heads, tile.rows
                self._bits[part], self._shifts[part] = found.bits, found.shifts
                self._log_sums[part] = found.log_sums
                self._add_patterns(tile, found.weights)
                if self._values is not None and self._sums is not None:
                    values = self._values[tile.heads, tile.columns]
                    np.matmul(found.weights, values, out=self._sums[part])
                if self._overview is not None:
                    self._add_overview(tile, found.weights, self._overview)

    def statistics(self) -> AttentionStatistics:
        """Return what was found, the heads along their own axes again."""
        scores = self._scores
        seeing, after_first = np.isfinite(self._log_sums), self._position >= 1
        has_own = (self._position >= 0) & (self._position < scores.n_columns)
        has_previous = after_first & (self._position <= scores.n_columns)
        self._distances[~seeing] = np.nan
        with np.errstate(invalid="ignore"):
            scalars = [
                np.sum(found, axis=-1, where=counts) / np.sum(counts, axis=-1)
                for found, counts in (
                    (self._previous, seeing & has_previous),
                    (self._first, seeing & after_first),
                    (self._own, seeing & has_own),
                )
            ]
        previous, first, own = (
            array.astype(scores.dtype).reshape(scores.leading) for array in scalars
        )
        bits, shifts, log_sums, distances = (
            array.reshape(*scores.leading, scores.n_rows)
            for array in (self._bits, self._shifts, self._log_sums, self._distances)
        )
        overview, sums = (
            None if array is None else array.reshape(*scores.leading, *array.shape[1:])
            for array in (self._overview, self._sums)
        )
        return AttentionStatistics(
            row_entropy_bits=bits,
            effective_positions=np.exp2(bits),
            row_shifts=shifts,
            row_log_sums=log_sums,
            mean_distances=distances,
            previous_token=previous,
            first_token=first,
            self_token=own,
            overview=overview,
            sums=sums,
        )

    def _rows_of(self, tile: Tile, space: FloatArray, ones: FloatArray) -> _Rows:
        exponents, weights = space.reshape(2, *tile.shape)
        if not weights.size:
            nothing = np.zeros(tile.shape[:2], weights.dtype)
            return _Rows(weights, nothing + np.nan, nothing, nothing + np.inf)
        is_safe = self._scores.gained(tile, exponents)
        found = exponentials(exponents, tile, is_safe=is_safe, ones=ones, out=weights)
        if found is None:
            return self._careful_rows_of(tile)
        np.divide(weights, found.total[..., np.newaxis], out=weights)
        gains = self._scores.gain(tile)[..., 0]
        shifts = np.where(gains == 0.0, 0.0, found.shift / gains)
        bits = found.bits(tile)
        return _Rows(weights, bits, shifts, np.where(np.isnan(bits), np.inf, np.log(found.total)))

    def _careful_rows_of(self, tile: Tile) -> _Rows:
        scores = self._scores.plain(tile)
        gains = self._scores.gain(tile)[..., 0, 0]
        exponents = softmax_exponents(scores.astype(np.float64), gain=gains, mask=tile.allowed)
        best = np.argmax(exponents, axis=-1, keepdims=True)
        shifts = np.take_along_axis(scores, best, axis=-1)[..., 0]
        weights = np.exp(exponents, out=exponents)
        total = np.sum(weights, axis=-1)
        weights /= np.where(total == 0.0, 1.0, total)[..., np.newaxis]
        log_sums = np.where(total == 0.0, np.inf, np.log(total))
        narrow = weights.astype(scores.dtype, copy=False)
        return _Rows(narrow, entropy_bits(narrow, "weights"), shifts, log_sums)

    def _add_patterns(self, tile: Tile, weights: FloatArray) -> None:
        part, columns = (tile.heads, tile.rows), tile.columns
        position = self._position[tile.rows]
        begin = position[0]
        # Counted from near the rows, for what is far from them is rounded more.
        steps = np.arange(columns.start - begin, columns.stop - begin, dtype=weights.dtype)
        self._distances[part] = (position - begin) - np.vecdot(weights, steps)
        rows = np.arange(len(position))
        for back, found in ((0, self._own), (1, self._previous)):
            column = position - back - columns.start
            within = (column >= 0) & (column < weights.shape[-1])
            found[tile.heads, tile.rows.start + rows[within]] = weights[
                :, rows[within], column[within]
            ]
        if columns.start == 0 < columns.stop:
            self._first[part] = weights[..., 0]

    def _add_overview(self, tile: Tile, weights: FloatArray, overview: FloatArray) -> None:
        n_rows, n_columns = overview.shape[-2:]
        edges = np.arange(n_rows + 1) * self._scores.n_rows // n_rows
        first = int(np.searchsorted(edges, tile.rows.start, side="right")) - 1
        last = int(np.searchsorted(edges, tile.rows.stop, side="left"))
        strip = np.zeros((tile.shape[0], last - first, self._scores.n_columns), weights.dtype)
        for row in range(first, last):
            begin = max(int(edges[row]) - tile.rows.start, 0)
            block = weights[:, begin : int(edges[row + 1]) - tile.rows.start]
            np.maximum.reduce(block, axis=1, out=strip[:, row - first, tile.columns])
        pooled = pool_maximum(strip, last - first, n_columns)
        with self._lock:
            place = overview[tile.heads, first:last]
            np.maximum(place, pooled, out=place)


def _values_for(values: npt.ArrayLike, scores: FactoredScores) -> FloatArray:
    array = as_matrices(values, "values", "T_k, d_v")
    if array.shape[-2] != scores.n_columns:
        raise shape_error("values", f"(..., {scores.n_columns}, d_v) to match k", array)
    if not broadcasts_to(array.shape[:-2], scores.leading):
        raise shape_error("values", f"that broadcasts to the leading axes {scores.leading}", array)
    return flattened(array, scores.leading)
