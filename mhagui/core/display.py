"""Reducing matrices to about the size of a screen, and to the 255 levels of a colour table."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    FloatArray,
    as_array,
    as_count,
    as_floats,
    as_matrices,
    as_number,
    shape_error,
)

_TOP_LEVEL = 254
_NOT_A_NUMBER = 255
_BLOCK = 2**15  # values at once: what is made of them on the way stays in the cache
_CACHED = 2**18  # bytes that are pooled at once, for the same reason

Counts: TypeAlias = npt.NDArray[np.intp]


def pool_maximum(
    a: npt.ArrayLike,
    n_rows: SupportsIndex,
    n_columns: SupportsIndex,
    *,
    seen: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return the largest value of each block of cells, so that a lone bright cell survives.

    Parameters
    ----------
    a
        Shape (..., M, N), real; NaN counts only where a whole block is NaN.
    n_rows, n_columns
        The most rows and columns to return, at least 1.
    seen
        Shape (M,), 0..N, whole: of row m only the first seen[m] cells count, under the causal mask
        m + 1 of them. Shape (2, M): the cells from seen[0, m] up to seen[1, m], which is not among
        them, as under a sliding window. A block in which none counts is NaN. Cells behind the
        counted are hardly read, so that half of a causal matrix costs half the time. None: all
        count.

    Returns
    -------
    ndarray, shape (..., min(M, n_rows), min(N, n_columns))
        In the unit of `a`. Blocks are contiguous and differ by at most one row or column.
        An array that fits already is returned itself, not a copy, unless `seen` is given.

    Raises
    ------
    ValueError
        When `a` has fewer than two axes or is not real, a count is below 1, or `seen` is not one
        whole number from 0 to N a row, or two.

    Notes
    -----
    Source: this project; the peak-detect display of an oscilloscope.
    """
    return _pooled(a, n_rows, n_columns, seen, None, np.fmax)[0]


def pool_largest_magnitude(
    a: npt.ArrayLike,
    n_rows: SupportsIndex,
    n_columns: SupportsIndex,
    *,
    seen: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return the value of largest magnitude of each block, with its sign.

    Parameters
    ----------
    a, n_rows, n_columns, seen
        As for `pool_maximum`.

    Returns
    -------
    ndarray, shape (..., min(M, n_rows), min(N, n_columns))
        As for `pool_maximum`; of +v and −v in one block, +v.

    Raises
    ------
    ValueError
        As for `pool_maximum`.

    Notes
    -----
    Source: this project; for signed matrices (scores, W_O, outputs).
    """
    lowest, *others = _pooled(a, n_rows, n_columns, seen, None, np.fmin, np.fmax)
    return np.where(others[0] >= -lowest, others[0], lowest) if others else lowest


def pool_extremes(
    a: npt.ArrayLike,
    n_rows: SupportsIndex,
    n_columns: SupportsIndex,
    *,
    seen: npt.ArrayLike | None = None,
    row_factors: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return the smallest and the largest value of each block of cells.

    Parameters
    ----------
    a, n_rows, n_columns, seen
        As for `pool_maximum`.
    row_factors
        Shape (M,): what each row is multiplied by before it is pooled; None for nothing.

    Returns
    -------
    ndarray, shape (2, ..., min(M, n_rows), min(N, n_columns))
        The smallest first, then the largest, each as for `pool_maximum`.

    Raises
    ------
    ValueError
        As for `pool_maximum`, or when `row_factors` is not one real number a row.

    Notes
    -----
    Source: this project; for colours that say how far to either side of a middle a number is.
    """
    pooled = _pooled(a, n_rows, n_columns, seen, row_factors, np.fmin, np.fmax)
    return np.stack([pooled[0], pooled[-1]])


def quantise(
    a: npt.ArrayLike, low: float, high: float, *, logarithmic: bool = False
) -> npt.NDArray[np.uint8]:
    """Return the level of each value between `low` and `high`, for a table of colours.

    Parameters
    ----------
    a
        Real, any shape; values outside the range take its nearer end.
    low, high
        Ends of the range, finite, in the unit of `a`, low <= high; above 0 when
        logarithmic.
    logarithmic
        Whether equal steps of level are equal ratios instead of equal differences.

    Returns
    -------
    ndarray of uint8, same shape, C-contiguous
        `low` is level 0, `high` is 254, rounded to the nearest between; NaN is 255, the
        level kept for cells without a value. All levels are 0 when low = high.

    Raises
    ------
    ValueError
        When `a` is not real, an end is not finite, low > high, or low <= 0 on a logarithmic
        scale.

    Notes
    -----
    Source: this project.
    """
    bottom, top = as_number(low, "low"), as_number(high, "high")
    if bottom > top:
        raise ValueError(f"low must not exceed high, got low {bottom} and high {top}.")
    if logarithmic and bottom <= 0.0:
        raise ValueError(f"low must be above 0 on a logarithmic scale, got {bottom}.")
    values = as_floats(a, "a")
    flat, quantised = values.reshape(-1), np.empty(values.size, dtype=np.uint8)
    for begin in range(0, flat.size, _BLOCK):
        block = slice(begin, begin + _BLOCK)
        quantised[block] = _levels(flat[block], bottom, top, logarithmic)
    return quantised.reshape(values.shape)


def _levels(
    values: npt.NDArray[Any], low: float, high: float, logarithmic: bool
) -> npt.NDArray[np.float64]:
    """Return the level of each value, (n,)."""
    values = values.astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        levels = _fractions(np.clip(values, low, high), low, high, logarithmic) * _TOP_LEVEL
        np.rint(levels, out=levels)
        np.copyto(levels, _NOT_A_NUMBER, where=np.isnan(values))
    return levels


def _fractions(
    clipped: npt.NDArray[np.float64], low: float, high: float, logarithmic: bool
) -> npt.NDArray[np.float64]:
    """Return how far along the range each value is, 0..1."""
    if low == high:
        return np.zeros(clipped.shape)
    if logarithmic:
        return _fractions(np.log(clipped), math.log(low), math.log(high), logarithmic=False)
    half = 0.5 if math.isinf(high - low) else 1.0  # a range wider than float64 can say
    return (clipped * half - low * half) / (high * half - low * half)


def _seen(seen: npt.ArrayLike | None, array: FloatArray) -> Counts | None:
    """Return how many cells of each row count, (M,), or from where to where, (2, M), or None."""
    if seen is None:
        return None
    ends = as_array(seen, "seen")
    n_rows, n_columns = array.shape[-2:]
    if ends.shape not in ((n_rows,), (2, n_rows)):
        raise shape_error("seen", f"({n_rows},) or (2, {n_rows})", ends)
    if ends.dtype.kind not in "iu" or not ((ends >= 0) & (ends <= n_columns)).all():
        raise ValueError(f"seen must hold whole numbers from 0 to {n_columns}.")
    return ends.astype(np.intp)


def _factors(row_factors: npt.ArrayLike | None, array: FloatArray) -> FloatArray | None:
    """Return what each row is multiplied by, None where it is nothing."""
    if row_factors is None:
        return None
    factors = as_floats(row_factors, "row_factors")
    if factors.shape != array.shape[-2:-1]:
        raise shape_error("row_factors", f"({array.shape[-2]},)", factors)
    return factors


def _pooled(
    a: npt.ArrayLike,
    n_rows: SupportsIndex,
    n_columns: SupportsIndex,
    n_seen: npt.ArrayLike | None,
    row_factors: npt.ArrayLike | None,
    *combine: np.ufunc,
) -> tuple[FloatArray, ...]:
    """Return the blocks of `a` combined in each way; once, where every block is one cell."""
    array = as_matrices(a, "a", "M, N")
    most = as_count(n_rows, "n_rows"), as_count(n_columns, "n_columns")
    seen, factors = _seen(n_seen, array), _factors(row_factors, array)
    if array.shape[-2] <= most[0] and array.shape[-1] <= most[1]:
        return (_each_cell(array, seen, factors),)
    rows, columns = _edges(array.shape[-2], most[0]), _edges(array.shape[-1], most[1])
    shape = (*array.shape[:-2], len(rows) - 1, len(columns) - 1)
    dtype = array.dtype if factors is None else np.result_type(array, factors)
    pooled = tuple(np.full(shape, np.nan, dtype) for _ in combine)
    reading = _Reading(array, rows, seen, factors)
    n_at_once = max(_CACHED // max(array[..., :1, :].nbytes, 1), 1)
    for begin in range(0, len(rows) - 1, n_at_once):
        blocks = slice(begin, min(begin + n_at_once, len(rows) - 1))
        n_reached = int(np.searchsorted(columns[:-1], reading.stop[blocks].max()))
        strips = reading.strips(blocks, int(columns[n_reached]), combine)
        for whole, strip, way in zip(pooled, strips, combine, strict=True):
            part = _pooled_columns(strip, columns[: n_reached + 1], way)
            whole[..., blocks, :n_reached] = part
    return pooled


def _each_cell(array: FloatArray, seen: Counts | None, factors: FloatArray | None) -> FloatArray:
    if factors is not None:
        array = array * factors[:, np.newaxis]
    return array if seen is None else _counted(array, seen)


def _counted(rows: FloatArray, seen: Counts) -> FloatArray:
    """Return a copy of `rows`, NaN where a cell does not count."""
    columns, ends = np.arange(rows.shape[-1]), np.atleast_2d(seen)[..., np.newaxis]
    counts = columns < ends[-1]
    if len(ends) > 1:
        counts &= columns >= ends[0]
    counted: FloatArray = np.where(counts, rows, rows.dtype.type(np.nan))
    return counted


def _edges(size: int, most: int) -> Counts:
    """Return where each of at most `most` blocks of near-equal size begins, and the end."""
    count = min(size, most)
    edges: Counts = np.arange(count + 1, dtype=np.intp) * size // max(count, 1)
    return edges


class _Reading:
    """Combines the rows of each block of rows into one, of a matrix of which parts may not count.

    The cells that count in every row of a block are combined where they stand. Those between
    `start` and `stop`, which count in some of its rows, are few under a causal mask: they are
    gathered from all blocks at once, NaN where they do not count. Where rows begin later than at
    the first cell, or some end far from the others of their block, all from the first are read.
    """

    def __init__(
        self, array: FloatArray, rows: Counts, seen: Counts | None, factors: FloatArray | None
    ) -> None:
        self._array, self._rows, self._factors = array, rows, factors
        self._seen = seen
        n_rows, n_columns = array.shape[-2:]
        ends = np.atleast_2d(np.full(n_rows, n_columns) if seen is None else seen)
        end = ends[-1]
        self.start = np.minimum.reduceat(end, rows[:-1])
        self.stop = np.maximum.reduceat(end, rows[:-1])
        is_even = int((self.stop - self.start).max(initial=0)) * 2 <= n_columns
        self._reads_all = seen is None or len(ends) > 1 or not is_even
        # Of the columns that all are read of, the first.
        self._begin = np.minimum.reduceat(ends[0], rows[:-1]) if len(ends) > 1 else 0 * rows[:-1]
        if not self._reads_all:
            self._ragged = self._gathered(end)

    def _gathered(self, seen: Counts) -> FloatArray:
        """Return the ragged ends of the rows, (..., blocks, rows of a block, columns)."""
        first, last = self._rows[:-1], self._rows[1:] - 1
        steps = np.arange(int((last - first).max(initial=0)) + 1)
        rows = np.minimum(first[:, np.newaxis] + steps, last[:, np.newaxis])[..., np.newaxis]
        width = np.arange(int((self.stop - self.start).max(initial=0)))
        columns = (self.start[:, np.newaxis] + width)[:, np.newaxis]
        cells = self._array[..., rows, np.minimum(columns, self._array.shape[-1] - 1)]
        if self._factors is not None:
            cells = cells * self._factors[rows]
        return np.where(columns < seen[rows], cells, cells.dtype.type(np.nan))

    def strips(self, blocks: slice, width: int, combine: tuple[np.ufunc, ...]) -> list[FloatArray]:
        """Return of each way one row a block, (..., blocks, width); NaN where none counts."""
        if self._reads_all:
            return self._whole_strips(blocks, width, combine)
        return [self._strip(blocks, width, way) for way in combine]

    def _strip(self, blocks: slice, width: int, combine: np.ufunc) -> FloatArray:
        ragged = combine.reduce(self._ragged[..., blocks, :, :], axis=-2)
        n_blocks = blocks.stop - blocks.start
        strip = np.full((*ragged.shape[:-2], n_blocks, width), np.nan, ragged.dtype)
        edges = self._rows[blocks.start : blocks.stop + 1].tolist()
        ends = zip(self.start[blocks].tolist(), self.stop[blocks].tolist(), strict=True)
        for place, (start, stop) in enumerate(ends):
            cells = self._array[..., edges[place] : edges[place + 1], :start]
            if self._factors is not None:
                factors = self._factors[edges[place] : edges[place + 1]]
                cells = cells * factors[:, np.newaxis]
            combine.reduce(cells, axis=-2, out=strip[..., place, :start])
            strip[..., place, start:stop] = ragged[..., place, : stop - start]
        return strip

    def _whole_strips(
        self, blocks: slice, width: int, combine: tuple[np.ufunc, ...]
    ) -> list[FloatArray]:
        """Return the same of all cells: the blocks' first rows at once, then the next.

        That is a few calls and not one a block, and up to three times as fast.
        """
        first, last = self._rows[:-1][blocks], self._rows[1:][blocks] - 1
        begin = min(int(self._begin[blocks].min()), width)
        row = self._row(first, begin, width)
        strips = [row, *(row.copy() for _ in combine[1:])]
        for step in range(1, int((last - first).max()) + 1):
            row = self._row(np.minimum(first + step, last), begin, width)
            for strip, way in zip(strips, combine, strict=True):
                way(strip, row, out=strip)
        if begin == 0:
            return strips
        before = np.full((*row.shape[:-1], begin), np.nan, row.dtype)
        return [np.concatenate([before, strip], axis=-1) for strip in strips]

    def _row(self, places: Counts, begin: int, end: int) -> FloatArray:
        """Return some columns of some rows, multiplied by their factors; NaN where none counts."""
        if self._seen is None:
            rows = self._array.take(places, axis=-2)  # faster than by an index, of whole rows
        else:
            rows = self._array[..., places, begin:end]
        if self._factors is not None:
            rows = rows * self._factors[places, np.newaxis]
        return rows if self._seen is None else _counted(rows, self._seen[..., places] - begin)


def _pooled_columns(strip: FloatArray, edges: Counts, combine: np.ufunc) -> FloatArray:
    """Combine blocks of near-equal size along the last axis.

    Every block is two windows of one size, a power of two, that may overlap: its first cells and
    its last. The windows of all places are made in a few passes in which cells stand side by side,
    which is several times as fast as `reduceat`, whose blocks are short here.
    """
    if len(edges) - 1 == strip.shape[-1]:
        return strip
    first, last = edges[:-1], edges[1:] - 1
    size = 1
    while 2 * size <= int((last - first).min()) + 1:
        strip = combine(strip[..., :-size], strip[..., size:])
        size *= 2
    pooled: FloatArray = combine(strip.take(first, axis=-1), strip.take(last - size + 1, axis=-1))
    return pooled
