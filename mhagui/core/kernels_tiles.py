"""Which cells of a matrix of weights are worked on at once, and what the mask forbids in them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import BoolArray
from mhagui.core.attention import Mask, allowed_for

Scalar = TypeVar("Scalar", bound=np.generic)

# Of more rows, more cells of the triangle are worked out in vain; of fewer, there are more calls.
_ROWS = 64
# Heads are taken together up to so many cells: what is made of them stays in the cache of a core.
_CELLS = 2**17
# Of tiles as narrow as this, to fewer: the less a short call allocates, the more seldom the system
# takes it back after the call and clears it for the next, which would double the time.
_FEW_COLUMNS = 128
_FEW_CELLS = 3 * 2**14


@dataclass(frozen=True, slots=True)
class Tile:
    """Rows of some heads, and the columns between the first and the last that any of them may see.

    Attributes
    ----------
    heads, rows, columns
        Slices with a start and a stop; no column where no row may see one.
    ragged
        Which of `columns`, counted from their first, some row may not see.
    forbidden
        True = not allowed, (heads or 1, rows, ragged columns); None where `ragged` is empty.
    """

    heads: slice
    rows: slice
    columns: slice
    ragged: slice
    forbidden: BoolArray | None

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many heads, rows and columns."""
        return _length(self.heads), _length(self.rows), _length(self.columns)

    @property
    def n_cells(self) -> int:
        """How many cells."""
        return math.prod(self.shape)

    @property
    def n_common(self) -> int:
        """How many columns every row may see, at least."""
        return _length(self.columns) - _length(self.ragged)

    def one_by_one(self) -> Iterator[Tile]:
        """Return a tile for each head."""
        for place, head in enumerate(range(self.heads.start, self.heads.stop)):
            forbidden = self.forbidden
            if forbidden is not None and len(forbidden) > 1:
                forbidden = forbidden[place : place + 1]
            yield Tile(slice(head, head + 1), self.rows, self.columns, self.ragged, forbidden)

    def rows_that_see(self, n_columns: int) -> BoolArray:
        """Return which rows may see exactly so many columns, (heads or 1, rows)."""
        _, n_rows, n_seen = self.shape
        if self.forbidden is None:
            return np.full((1, n_rows), n_seen == n_columns)
        found: BoolArray = (
            np.add.reduce(self.forbidden, axis=-1, dtype=np.int32) == n_seen - n_columns
        )
        return found

    @property
    def allowed(self) -> BoolArray | None:
        """The mask of the tile, (heads or 1, rows, columns); None where all is allowed."""
        if self.forbidden is None:
            return None
        allowed = np.ones((*self.forbidden.shape[:-1], _length(self.columns)), dtype=bool)
        allowed[..., self.ragged] = ~self.forbidden
        return allowed


def _row_blocks(n_rows: int) -> list[slice]:
    """Return the blocks of rows, which never depend on how many heads there are."""
    return [slice(begin, min(begin + _ROWS, n_rows)) for begin in range(0, n_rows, _ROWS)]


def tiles_of(mask: Mask, leading: tuple[int, ...], n_rows: int, n_columns: int) -> list[Tile]:
    """Return tiles that cover all rows of all heads, the largest first; refuse a mask that differs.

    The heads are the leading axes, flattened.
    """
    n_heads = math.prod(leading)
    blocks = _row_blocks(n_rows)
    if isinstance(mask, str) and mask == "causal":
        spans = [_causal_span(rows.start, rows.stop, n_rows, n_columns) for rows in blocks]
        tiles = [tile for span in spans for tile in _in_groups(span, n_heads)]
    else:
        tiles = list(_masked(mask, leading, blocks, n_columns))
    return sorted(tiles, key=attrgetter("n_cells"), reverse=True)


def _n_together(rows: slice, n_columns: int) -> int:
    """Return of how many heads a block of rows makes one tile."""
    most = _FEW_CELLS if n_columns <= _FEW_COLUMNS else _CELLS
    return max(1, most // max(1, _length(rows) * n_columns))


def _masked(
    mask: Mask, leading: tuple[int, ...], blocks: list[slice], n_columns: int
) -> Iterator[Tile]:
    n_heads = math.prod(leading)
    n_rows = blocks[-1].stop if blocks else 0
    shape = (n_rows, n_columns)
    allowed = allowed_for(mask, (*leading, *shape))
    if allowed is None:
        for rows in blocks:
            whole = Tile(slice(0, 1), rows, slice(0, n_columns), slice(0, 0), None)
            yield from _in_groups(whole, n_heads)
    elif allowed.ndim <= 2 or all(n == 1 for n in allowed.shape[:-2]):
        same = np.broadcast_to(allowed.reshape((1, 1, *allowed.shape)[-2:]), shape)
        for rows in blocks:
            yield from _in_groups(_span(slice(0, 1), rows, same[np.newaxis, rows]), n_heads)
    else:
        each = np.broadcast_to(allowed, (*leading, *shape)).reshape(n_heads, *shape)
        for rows in blocks:
            for heads in _groups(n_heads, _n_together(rows, n_columns)):
                yield _span(heads, rows, each[heads, rows])


@lru_cache(maxsize=256)
def _causal_span(first: int, end: int, n_rows: int, n_columns: int) -> Tile:
    """Return the tile that the rule of `causal_mask` gives the rows from `first` to before `end`.

    Kept, for a gain that is moved asks for the same again and again: a tenth of a head's time.
    """
    earlier = n_columns - n_rows
    stop = max(0, min(n_columns, end + earlier))
    begin = max(0, min(stop, first + earlier + 1))
    last = np.arange(first, end, dtype=np.int32)[:, np.newaxis] + earlier
    forbidden = np.arange(begin, stop, dtype=np.int32) > last
    forbidden.setflags(write=False)
    rows, ragged = slice(first, end), slice(begin, stop)
    return Tile(
        slice(0, 1), rows, slice(0, stop), ragged, forbidden[np.newaxis] if stop > begin else None
    )


def _span(heads: slice, rows: slice, allowed: BoolArray) -> Tile:
    """Return the tile for a mask (heads or 1, rows, all columns)."""
    columns = _extent(np.logical_or.reduce(allowed, axis=(0, 1)))
    inside = allowed[..., columns]
    ragged = _extent(~np.logical_and.reduce(inside, axis=(0, 1)))
    forbidden = ~inside[..., ragged] if ragged.stop > ragged.start else None
    return Tile(heads, rows, columns, ragged, forbidden)


def _extent(marked: BoolArray) -> slice:
    """Return the slice from the first to the last that is marked."""
    if not marked.any():
        return slice(0, 0)
    return slice(int(marked.argmax()), marked.size - int(marked[::-1].argmax()))


def _in_groups(tile: Tile, n_heads: int) -> Iterator[Tile]:
    """Repeat the tile for all heads, as many at a time as fit."""
    for heads in _groups(n_heads, _n_together(tile.rows, _length(tile.columns))):
        yield Tile(heads, tile.rows, tile.columns, tile.ragged, tile.forbidden)


def _groups(n_heads: int, together: int) -> list[slice]:
    starts = range(0, n_heads, together)
    return [slice(begin, min(begin + together, n_heads)) for begin in starts]


def _length(part: slice) -> int:
    length: int = part.stop - part.start
    return length


def flattened(array: npt.NDArray[Scalar], leading: tuple[int, ...]) -> npt.NDArray[Scalar]:
    """Return an array (..., M, N) with the given leading axes made one."""
    n_heads = math.prod(leading)
    if array.shape[:-2] != leading:
        array = np.broadcast_to(array, (*leading, *array.shape[-2:]))
    return array.reshape(n_heads, *array.shape[-2:])
