"""The pixels of a matrix's cells: how long they take to make, and what is shown meanwhile."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mhagui.document.on_demand import OnDemand
from mhagui.gui.widgets.matrix_layout import Edges, MatrixLayout
from mhagui.gui.widgets.matrix_picture import (
    HATCHED,
    Levels,
    Picture,
    is_overview_enough,
    shown_indices,
)

_MADE_ANEW = 32  # cells that are read in the time in which one is made that is not kept
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The index of every device pixel of a picture in a layout; it needs no widget to be made."""

    picture: Picture
    layout: MatrixLayout
    indices: Levels

    def are_of(self, picture: Picture, layout: MatrixLayout) -> bool:
        """Say whether they are what is to be painted for these very two."""
        return self.picture is picture and self.layout is layout


def cells_of(picture: Picture, layout: MatrixLayout) -> Cells:
    """Return the cells of ``picture``; those too small for a pixel are pooled."""
    down, across = np.diff(layout.row_edges), np.diff(layout.column_edges)
    indices = shown_indices(picture, layout.part, _size(layout))
    indices = _stretched(_stretched(indices, down, 0), across, 1)
    return Cells(picture, layout, np.ascontiguousarray(indices))


def effort(picture: Picture, layout: MatrixLayout) -> int:
    """Return how long ``cells_of`` takes, in cells of an array that are read once."""
    (rows, columns), values, per_cell = layout.part, picture.values, 1
    if picture.signed or picture.row_factors is not None:
        per_cell = 2  # the largest and the smallest
    if isinstance(values, OnDemand):
        if is_overview_enough(values, layout.part, _size(layout)):
            return per_cell * min(values.overview.size, len(rows) * len(columns))
        per_cell += _MADE_ANEW
    if picture.seen is None or picture.seen.ndim > 1:  # masked on both sides: all cells are read
        per_cell += picture.seen is not None
        return per_cell * len(rows) * len(columns)
    seen = picture.seen[rows.start : rows.stop] - columns.start
    return per_cell * int(np.clip(seen, 0, len(columns)).sum())


def stand_in(known: Iterable[Cells], layout: MatrixLayout) -> Levels | None:
    """Return indices for ``layout`` out of cells that were made for others; None without any.

    Later ones, which are to be the nearer ones, are put over earlier ones. Where none has anything
    it is hatched.
    """
    indices = None
    for cells in known:
        source = cells.layout
        down = _sources(layout.row_edges, layout.part.rows, source.row_edges, source.part.rows)
        across = _sources(
            layout.column_edges, layout.part.columns, source.column_edges, source.part.columns
        )
        found = cells.indices[np.ix_(np.maximum(down, 0), np.maximum(across, 0))]
        if indices is None:
            indices = np.full(found.shape, HATCHED, np.uint8)
        np.copyto(indices, found, where=(down >= 0)[:, np.newaxis] & (across >= 0))
    return indices


def _sources(to: Edges, shown: range, of: Edges, known: range) -> Places:
    """Return for each pixel of a side the pixel of another layout's that has its cell, or −1."""
    pixels = np.arange(to[0], to[-1])
    cells = shown.start + np.searchsorted(to, pixels, side="right") - 1
    is_known = (cells >= known.start) & (cells < known.stop)
    places = of[np.clip(cells - known.start, 0, len(known) - 1)] - of[0]
    return np.where(is_known, np.minimum(places, of[-1] - of[0] - 1), -1)


def _size(layout: MatrixLayout) -> tuple[int, int]:
    """Return the device pixels down and across."""
    rows, columns = layout.row_edges, layout.column_edges
    return int(rows[-1] - rows[0]), int(columns[-1] - columns[0])


def _stretched(indices: Levels, sizes: Edges, axis: int) -> Levels:
    """Return an index for every device pixel of cells that are so many pixels long."""
    count, n_pixels = indices.shape[axis], int(sizes.sum())
    if count == n_pixels:
        return indices
    if count == len(sizes):
        return np.repeat(indices, sizes, axis=axis)
    # Blocks of a matrix that is not kept: fewer than its cells, and than the pixels.
    stretched: Levels = indices.take(np.arange(n_pixels) * count // n_pixels, axis=axis)
    return stretched
