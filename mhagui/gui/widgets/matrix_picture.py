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
    noun
        What a value is called, for those who listen: "row t4, column t3, weight 0.9233".
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
    noun: str = "value"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def is_allowed(self, row: int, column: int) -> bool:
        """Return whether the cell is not masked."""
        return self.allowed is None or bool(self.allowed[row, column])


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
