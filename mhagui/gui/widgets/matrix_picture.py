"""What a MatrixView paints."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from mhagui import core, formats

HATCHED = 255
_MIDDLE = 127


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
    indices
        Colour of each cell as uint8, (rows, columns): 0..254 into ``table``, 255 = hatched.
    table
        Colour table, (255, 3) uint8 RGB.
    row_labels, column_labels
        One label per row and column of ``values``.
    column_bands
        A colour per column (a head's), or None for no band.
    allowed
        False where a cell is masked, (rows, columns), or None where all are allowed; masked cells
        are hatched, whatever their index.
    writings
        Ways to write values into cells, from the longest to the shortest; the first that fits is
        used, none where none does.
    signed
        Whether the middle of ``table`` stands for zero: where many cells share a pixel, the one
        furthest from the middle is shown; otherwise the highest.
    row_words, column_words
        What stands at each row and column, in the texts that are shown: said with the labels where
        there is room; or none.
    noun
        What a value is called, for those who listen: "row t4, column t3, weight 0.9233".
    precision
        How a value is read out; in the cell it is short.
    """

    values: npt.NDArray[np.float64]
    indices: npt.NDArray[np.uint8]
    table: npt.NDArray[np.uint8]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    column_bands: tuple[QColor, ...] | None = None
    allowed: npt.NDArray[np.bool_] | None = None
    writings: tuple[Writing, ...] = (
        Writing(partial(formats.cell, decimals=3)),
        Writing(formats.cell),
    )
    signed: bool = False
    row_words: tuple[str, ...] = ()
    column_words: tuple[str, ...] = ()
    noun: str = "value"
    precision: formats.Precision = formats.USUAL

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def row_names(self) -> tuple[str, ...]:
        """Labels of the rows, each with its word if there are any: t3 cat."""
        return with_words(self.row_labels, self.row_words)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Labels of the columns, each with its word if there are any: t3 cat."""
        return with_words(self.column_labels, self.column_words)

    def is_allowed(self, row: int, column: int) -> bool:
        """Return whether the cell is not masked."""
        return self.allowed is None or bool(self.allowed[row, column])


def with_words(labels: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, ...]:
    """Return each label followed by its word; the labels alone where there are no words."""
    if not words:
        return labels
    return tuple(f"{label} {word}" for label, word in zip(labels, words, strict=True))


def shown_indices(picture: Picture, n_rows: int, n_columns: int) -> npt.NDArray[np.uint8]:
    """Return the indices on at most ``n_rows`` × ``n_columns`` blocks, masked ones hatched.

    A block shows its strongest allowed cell, so that a lone one survives; it is hatched only when
    all its cells are.
    """
    indices = picture.indices
    if picture.allowed is not None:
        indices = np.where(picture.allowed, indices, np.uint8(HATCHED))
    if indices.shape[0] <= n_rows and indices.shape[1] <= n_columns:
        return indices
    offset = _MIDDLE if picture.signed else 0
    levels = indices.astype(np.float32) - np.float32(offset)
    levels[indices == HATCHED] = np.nan
    pool = core.pool_largest_magnitude if picture.signed else core.pool_maximum
    pooled = pool(levels, max(n_rows, 1), max(n_columns, 1)) + offset
    return np.nan_to_num(pooled, nan=HATCHED).astype(np.uint8)
