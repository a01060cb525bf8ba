"""Rows of weights, which of them count, and means over these: what all head scores are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import BoolArray, FloatArray
from mhagui.core.entropy import LARGEST_WEIGHT

Doubles = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

# Weights are picked from so many heads at a time that no more than this are copied.
_PICKED = 2**20


@dataclass(frozen=True, slots=True)
class Rows:
    """Weights of heads, (H, T_q, T_k), unreadable rows emptied, and which of their rows count.

    `largest`, `readable` and `counted` are (H, T_q); what counts can be read, may see a key, and
    has weight.
    """

    weights: FloatArray
    largest: FloatArray
    readable: BoolArray
    counted: BoolArray


def rows_of(weights: FloatArray, n_allowed: Counts) -> Rows:
    """Return the rows of weights as a file has them, with the number of keys that each may see."""
    readable, largest = readable_and_largest(weights)
    if not readable.all():  # not in place: the weights are the caller's
        weights = np.where(readable[..., np.newaxis], weights, weights.dtype.type(0.0))
    return Rows(weights, largest, readable, readable & (largest > 0.0) & (n_allowed > 0))


def readable_and_largest(weights: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Return which rows hold weights and nothing else, and the largest number of each."""
    largest = np.maximum.reduce(weights, axis=-1, initial=0.0)
    smallest = np.minimum.reduce(weights, axis=-1, initial=0.0)
    return (smallest >= 0.0) & (largest <= LARGEST_WEIGHT), largest  # False for NaN


class Cells:
    """Some cells of a matrix, (T_q, T_k)."""

    def __init__(self, marked: BoolArray) -> None:
        """Find the marked cells, row after row."""
        self.in_row = count(marked)
        self._places = np.nonzero(marked)
        self._begins = np.flatnonzero(np.diff(self._places[0], prepend=-1))

    def sums(self, weights: FloatArray) -> Doubles:
        """Return the sum of the weights in the cells of each row, (H, T_q)."""
        sums = np.zeros(weights.shape[:-1])
        rows, columns = self._places
        together = max(1, _PICKED // max(1, rows.size))
        for first in range(0, len(weights) if rows.size else 0, together):
            heads = slice(first, first + together)
            picked = weights[heads, rows, columns]
            of_rows = np.add.reduceat(picked, self._begins, axis=1, dtype=np.float64)
            sums[heads, rows[self._begins]] = of_rows
        return sums


def mean(of_rows: FloatArray, counted: BoolArray) -> Doubles:
    """Return the mean of what each row has over the rows counted of a head, NaN where none is."""
    n_rows = count(counted)
    means: Doubles = total(of_rows, counted) / np.where(n_rows > 0, n_rows, np.nan)
    return means


def total(of_rows: FloatArray, counted: BoolArray) -> Doubles:
    """Return the sum of what each row has, (H, T_q) or (T_q,), over the rows counted of a head."""
    each = np.broadcast_to(of_rows, counted.shape)
    totals: Doubles = np.sum(each, axis=-1, dtype=np.float64, where=counted)
    return totals


def inverse_of(n_allowed: Counts) -> Doubles:
    """Return 1/n for each row, what the uniform head has on a key; 1 where none is allowed."""
    inverse: Doubles = 1.0 / np.maximum(n_allowed, 1)
    return inverse


def count(marked: BoolArray) -> Counts:
    """Return how many of the last axis are marked."""
    return np.asarray(np.count_nonzero(marked, axis=-1), dtype=np.int64)
