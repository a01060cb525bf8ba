"""What a MatrixView paints."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from mhagui import core, formats
from mhagui.document.on_demand import Matrix, OnDemand

HATCHED = 255
NO_KEY = "undefined (no allowed key)"
_MIDDLE = 127

Levels = npt.NDArray[np.uint8]


class Part(NamedTuple):
    """The rows and columns of a matrix that are shown, from 0."""

    rows: range
    columns: range

    @property
    def cells(self) -> tuple[slice, slice]:
        """What takes the part out of a matrix."""
        return slice(self.rows.start, self.rows.stop), slice(self.columns.start, self.columns.stop)


@dataclass(frozen=True, slots=True)
class Writing:
    """A way to write numbers into cells.

    Attributes
    ----------
    text
        Returns what is written for a number.
    sample
        A text that has to fit the cells too, so that pictures side by side are written alike.
    """

    text: Callable[[float], str]
    sample: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What a MatrixView paints.

    Attributes
    ----------
    values
        The exact numbers, (rows, columns); cell texts and read-outs come from here.
    low, high
        The numbers at the ends of ``table``; those beyond have the colours of the ends. A cell
        without a number (NaN) is hatched.
    table
        Colour table, (255, 3) uint8 RGB.
    row_labels, column_labels
        One label per row and column of ``values``.
    column_bands
        A colour per column (a head's), or None for no band.
    seen
        How many cells of each row are not masked, (rows,), its first; or from which cell on and
        before which none is, (2, rows); None where none is masked. Masked cells are hatched,
        whatever their number.
    row_factors
        What the numbers of each row are multiplied by to be shown, (rows,); None for nothing.
    logarithmic
        Whether equal steps of colour are equal ratios.
    writings
        Ways to write values into cells, from the longest to the shortest; the first that fits is
        used, none where none does.
    signed
        Whether the middle of ``table`` stands for zero: where many cells share a pixel, the one
        furthest from the middle is shown; otherwise the highest.
    row_words, column_words
        What stands at each row and column, in the texts that are shown: said with the labels where
        there is room; or none.
    row_tips, column_tips
        What is said of a row and a column whose label is pointed at; or none.
    noun
        What a value is called, for those who listen: "row t4, column t3, weight 0.9233".
    precision
        How a value is read out; in the cell it is short.
    sink_shares
        What a sink takes of each row, (rows,), said with its values; None where there is none.
    """

    values: Matrix
    low: float
    high: float
    table: Levels
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    column_bands: tuple[QColor, ...] | None = None
    seen: npt.NDArray[np.intp] | None = None
    row_factors: npt.NDArray[np.float64] | None = None
    logarithmic: bool = False
    writings: tuple[Writing, ...] = (
        Writing(partial(formats.cell, decimals=3)),
        Writing(formats.cell),
    )
    signed: bool = False
    row_words: tuple[str, ...] = ()
    column_words: tuple[str, ...] = ()
    row_tips: tuple[str, ...] = ()
    column_tips: tuple[str, ...] = ()
    noun: str = "value"
    precision: formats.Precision = formats.USUAL
    sink_shares: npt.NDArray[np.float64] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def whole(self) -> Part:
        """All rows and columns."""
        rows, columns = self.shape
        return Part(range(rows), range(columns))

    def row_name(self, row: int) -> str:
        """Return the label of a row, with its word if there is one: t3 cat."""
        return " ".join((self.row_labels[row], *self.row_words[row : row + 1]))

    def column_name(self, column: int) -> str:
        """Return the label of a column, with its word if there is one: t3 cat."""
        return " ".join((self.column_labels[column], *self.column_words[column : column + 1]))

    def is_allowed(self, row: int, column: int) -> bool:
        """Return whether the cell is not masked."""
        first, end = self._seen_of(row)
        return first <= column < end

    def sees_none(self, row: int) -> bool:
        """Return whether all cells of a row are masked."""
        first, end = self._seen_of(row)
        return first >= end

    def _seen_of(self, row: int) -> tuple[int, int]:
        """Return from which cell on a row is not masked, and before which."""
        if self.seen is None:
            return 0, self.shape[1]
        first, end = (0, self.seen[row]) if self.seen.ndim == 1 else self.seen[:, row]
        return int(first), int(end)

    def value(self, row: int, column: int) -> float:
        """Return the exact number that a cell shows."""
        factor = 1.0 if self.row_factors is None else float(self.row_factors[row])
        return float(self.values[row, column]) * factor

    def exact(self, part: Part) -> npt.NDArray[Any]:
        """Return the exact numbers that the cells of a part show, (rows, columns)."""
        rows, columns = part.cells
        block = self.values[rows, columns]
        return block if self.row_factors is None else block * self.row_factors[rows, np.newaxis]


def with_words(labels: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, ...]:
    """Return each label followed by its word; the labels alone where there are no words."""
    if not words:
        return labels
    return tuple(f"{label} {word}" for label, word in zip(labels, words, strict=True))


def shown_indices(
    picture: Picture, part: Part | None = None, most: tuple[int, int] | None = None
) -> Levels:
    """Return the colour of each cell of a part: 0..254 into the table, or ``HATCHED``.

    Of more than ``most`` rows and columns, blocks of cells are shown: each its strongest cell that
    is not masked, so that a lone one survives; it is hatched only when all its cells are. Strongest
    is the highest, in signed pictures what is furthest from the middle of the table.

    Of a matrix that is not kept its overview is shown, unless there is room for more of a part of
    it: all of the matrix in at most as many blocks, and a part in those that it reaches into.
    """
    part = part or picture.whole
    matrix = picture.values
    if isinstance(matrix, OnDemand) and is_overview_enough(matrix, part, most or picture.shape):
        return shown_indices(_overview(picture, matrix), _blocks(part, matrix), most)
    rows, columns = part.cells
    values, seen, factors = matrix[rows, columns], picture.seen, picture.row_factors
    counts = [max(n, 1) for n in most or values.shape]
    if seen is not None:
        seen = np.clip(seen[..., rows] - columns.start, 0, values.shape[1])
    if factors is not None:
        factors = factors[rows]
    if not picture.signed and factors is None:
        return _levels(picture, core.pool_maximum(values, *counts, seen=seen))
    ends = core.pool_extremes(values, *counts, seen=seen, row_factors=factors)
    lowest, highest = (_levels(picture, end) for end in ends)
    if not picture.signed:
        return highest
    is_low = _MIDDLE - lowest.astype(np.int16) > highest.astype(np.int16) - _MIDDLE
    return np.where(is_low, lowest, highest)


def is_overview_enough(values: OnDemand, part: Part, most: tuple[int, int]) -> bool:
    """Say whether the overview of ``values`` says as much of a part as so many pixels can show."""
    is_whole = all(len(cells) == len(values) for cells in part)
    return is_whole or all(len(of) >= n for of, n in zip(_blocks(part, values), most, strict=True))


def _blocks(part: Part, values: OnDemand) -> Part:
    """Return the rows and columns of the overview that have the cells of ``part``."""
    n, n_blocks = len(values), len(values.overview)
    # Block b begins at row b n // n_blocks.
    rows, columns = (
        range(((cells.start + 1) * n_blocks - 1) // n, -(-cells.stop * n_blocks // n))
        for cells in part
    )
    return Part(rows, columns)


def _overview(picture: Picture, values: OnDemand) -> Picture:
    """Return a picture of the blocks of cells of one whose matrix is not kept."""
    n_blocks, factors = len(values.overview), picture.row_factors
    if factors is not None:  # near enough: those of the last row of each block
        factors = factors[np.arange(1, n_blocks + 1) * len(values) // n_blocks - 1]
    seen = None if picture.seen is None else np.arange(1, n_blocks + 1)
    return replace(picture, values=values.overview, seen=seen, row_factors=factors)


def _levels(picture: Picture, values: npt.NDArray[Any]) -> Levels:
    return core.quantise(values, picture.low, picture.high, logarithmic=picture.logarithmic)
