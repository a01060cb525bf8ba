"""Reducing matrices to about the size of a screen, and to the 255 levels of a colour table."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    FloatArray,
    as_count,
    as_floats,
    as_matrices,
    as_number,
)

_TOP_LEVEL = 254
_NOT_A_NUMBER = 255
_BLOCK = 2**15  # values at once: what is made of them on the way stays in the cache


def pool_maximum(a: npt.ArrayLike, n_rows: SupportsIndex, n_columns: SupportsIndex) -> FloatArray:
    """Return the largest value of each block of cells, so that a lone bright cell survives.

    Parameters
    ----------
    a
        Shape (..., M, N), real; NaN counts only where a whole block is NaN.
    n_rows, n_columns
        The most rows and columns to return, at least 1.

    Returns
    -------
    ndarray, shape (..., min(M, n_rows), min(N, n_columns))
        In the unit of `a`. Blocks are contiguous and differ by at most one row or column.
        An array that fits already is returned itself, not a copy.

    Raises
    ------
    ValueError
        When `a` has fewer than two axes or is not real, or a count is below 1.

    Notes
    -----
    Source: this project; the peak-detect display of an oscilloscope.
    """
    array = as_matrices(a, "a", "M, N")
    return _pooled(array, _counts(n_rows, n_columns), np.fmax)


def pool_largest_magnitude(
    a: npt.ArrayLike, n_rows: SupportsIndex, n_columns: SupportsIndex
) -> FloatArray:
    """Return the value of largest magnitude of each block, with its sign.

    Parameters
    ----------
    a, n_rows, n_columns
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
    array = as_matrices(a, "a", "M, N")
    counts = _counts(n_rows, n_columns)
    if _fits(array, counts):
        return array
    highest, lowest = _pooled(array, counts, np.fmax), _pooled(array, counts, np.fmin)
    return np.where(highest >= -lowest, highest, lowest)


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


def _counts(n_rows: SupportsIndex, n_columns: SupportsIndex) -> tuple[int, int]:
    return as_count(n_rows, "n_rows"), as_count(n_columns, "n_columns")


def _fits(array: npt.NDArray[Any], counts: tuple[int, int]) -> bool:
    return bool(array.shape[-2] <= counts[0] and array.shape[-1] <= counts[1])


def _pooled(
    array: npt.NDArray[Any], counts: tuple[int, int], combine: np.ufunc
) -> npt.NDArray[Any]:
    rows = _pooled_axis(array, counts[0], -2, combine)
    return _pooled_axis(rows, counts[1], -1, combine)


def _pooled_axis(
    array: npt.NDArray[Any], count: int, axis: int, combine: np.ufunc
) -> npt.NDArray[Any]:
    """Combine blocks of near-equal size along one axis.

    The j-th cells of all blocks are gathered and combined at once, a block that has run out
    repeating its last: some ten times as fast as `reduceat`, whose blocks are short here.
    """
    size = array.shape[axis]
    if size <= count:
        return array
    edges = np.arange(count + 1) * size // count
    first, last = edges[:-1], edges[1:] - 1
    pooled: npt.NDArray[Any] = np.take(array, first, axis=axis)
    for step in range(1, int(np.max(last - first)) + 1):
        cells = np.take(array, np.minimum(first + step, last), axis=axis)
        combine(pooled, cells, out=pooled)
    return pooled
