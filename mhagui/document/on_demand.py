"""T × T matrices that are too many to be kept: a row or a block is made when it is asked for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.records import Array, sealed

Index: TypeAlias = int | np.integer[Any] | slice
# The most weights, of all heads together, that are kept, and as many scores: half a gigabyte each.
MOST_KEPT = 4 * 4096**2
OVERVIEW = 1024  # rows and columns: about as many as a screen has pixels for a matrix


@dataclass(frozen=True, eq=False)
class OnDemand:
    """A matrix of which a picture is kept alone; in place of an array where that is read.

    A row ``[t]``, a cell ``[t, i]`` and a block ``[rows, columns]`` of slices cost what they hold.
    ``np.asarray`` makes all of it: that is as large as an array of T × T, until it is let go.

    Attributes
    ----------
    n
        T.
    make
        Makes the block of some rows and columns, which are slices from 0 to T with a step of 1.
    overview
        Of each block of cells the largest weight, or the allowed score of largest magnitude: what
        the core's pooling makes of the matrix for ``OVERVIEW`` rows and columns. Row r has r + 1
        blocks with an allowed cell, its first.
    """

    n: int
    make: Callable[[slice, slice], Array]
    overview: Array

    @property
    def shape(self) -> tuple[int, int]:
        """(T, T)."""
        return self.n, self.n

    def __len__(self) -> int:
        return self.n

    def largest_below_first_row(self) -> float:
        """Return the largest cell of the rows from the second on."""
        second = -(-self.n // len(self.overview))  # row of blocks: it begins no later
        return max(float(self[1 : second + 1].max()), float(self.overview[1:].max()))

    @overload
    def __getitem__(self, place: tuple[int, int]) -> float: ...
    @overload
    def __getitem__(self, place: Index | tuple[slice, Index] | tuple[Index, slice]) -> Array: ...
    def __getitem__(self, place: Index | tuple[Index, Index]) -> float | Array:
        """Return a row, a cell or a block, as of an array."""
        rows, columns = place if isinstance(place, tuple) else (place, slice(None))
        block = self.make(_span(rows, self.n), _span(columns, self.n))
        found: float | Array = block[_within(rows), _within(columns)]
        return found

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """Return all of it, made anew."""
        if copy is False:
            raise ValueError("A matrix that is not kept is made anew.")
        return np.asarray(self[:, :], dtype=dtype)


Matrix: TypeAlias = Array | OnDemand


def scores_on_demand(check: Callable[[], object], q: Array, k: Array) -> OnDemand:
    """Return S = Q Kᵀ / sqrt(d_k); what ``check`` raises, again and again called, ends it."""
    seen, scores = np.arange(1, len(q) + 1), core.attention_scores(q, k, check=check)
    overview = core.pool_largest_magnitude(scores, OVERVIEW, OVERVIEW, seen=seen)
    return OnDemand(len(q), partial(_scores, q, k), sealed(overview))


def weights_on_demand(
    check: Callable[[], object], q: Array, k: Array, gain: float, x: Array, values: Array
) -> tuple[OnDemand, Array, tuple[Array, Array]]:
    """Return A = softmax(g S), its row entropies in bits, and (A X, A V).

    It takes long: what ``check`` raises, which is called again and again, ends it.
    """
    whole = np.concatenate((x, values), axis=1)
    found = core.attention_statistics(q, k, gain=gain, values=whole, overview=OVERVIEW, check=check)
    assert found.sums is not None
    assert found.overview is not None
    mixed, output = np.split(found.sums, [x.shape[1]], axis=1)
    make = partial(_weights, q, k, gain, replace(found, sums=None, overview=None))
    weights = OnDemand(len(q), make, sealed(found.overview))
    sums = sealed(mixed.copy()), sealed(output.copy())
    return weights, sealed(found.row_entropy_bits), sums


def most_kept(n_heads: int) -> int:
    """Return the longest sequence at which the weights of so many heads are kept."""
    return math.isqrt(MOST_KEPT // n_heads)


def are_kept(n_weights: int) -> bool:
    """Say whether so many weights, of all heads together, are kept."""
    return n_weights <= MOST_KEPT


def overview(matrix: Matrix) -> Array:
    """Return what a small picture of ``matrix`` is made from: all of it where it is kept."""
    return np.nan_to_num(matrix.overview) if isinstance(matrix, OnDemand) else matrix


def rows_of(matrix: Matrix, rows: Sequence[int] | npt.NDArray[np.integer[Any]]) -> Array:
    """Return some rows of a matrix, (R, T)."""
    if isinstance(matrix, OnDemand):
        return np.stack([matrix[int(row)] for row in rows])
    found: Array = matrix[np.asarray(rows, dtype=np.intp)]
    return found


def _scores(q: Array, k: Array, rows: slice, columns: slice) -> Array:
    return sealed(core.attention_scores(q[rows], k[columns]))


def _weights(
    q: Array,
    k: Array,
    gain: float,
    statistics: core.AttentionStatistics,
    rows: slice,
    columns: slice,
) -> Array:
    return sealed(core.weights_block(q, k, statistics, rows, columns, gain=gain))


def _span(place: Index, n: int) -> slice:
    """Return the rows or columns at ``place`` as a slice from 0 to ``n``."""
    if isinstance(place, slice):
        first, last, step = place.indices(n)
        if step != 1:
            raise IndexError(f"Rows and columns come one after the other; got a step of {step}.")
        return slice(first, max(first, last))
    at = range(n)[place]
    return slice(at, at + 1)


def _within(place: Index) -> int | slice:
    return slice(None) if isinstance(place, slice) else 0
