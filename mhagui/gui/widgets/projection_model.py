"""W_O as a Qt model: exact to edit, short to read, coloured by sign and size."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor

from mhagui import core, formats
from mhagui.document.records import Array, read_only
from mhagui.document.table_text import number_text, parse_number
from mhagui.errors import UserError
from mhagui.gui.widgets.colour_range import round_limit
from mhagui.palette import diverging_table, ink_on

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
NO_INDEX = QModelIndex()

BAND_ROLE = Role.UserRole + 1
NEW_BLOCK_ROLE = Role.UserRole + 2

_TABLE = diverging_table()
_ZERO_INK = QColor("#696969")  # on the colour of zero: fainter than black, and still 4.5:1
_VALUE_ROLES = [
    Role.DisplayRole,
    Role.EditRole,
    Role.BackgroundRole,
    Role.ForegroundRole,
    Role.ToolTipRole,
    Role.AccessibleTextRole,
]
_HOW_TO_EDIT = (
    "Type a number, or drag with Ctrl or the middle button held; Shift makes it ten times finer.\n"
    "Ctrl+wheel steps by 0.1. Ctrl+C and Ctrl+V copy and paste cells, Delete sets them to 0."
)


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """What the model shows.

    Attributes
    ----------
    values
        W_O, (H * d_v, d_model).
    row_labels, column_labels
        h1.1.. and d1..
    row_bands
        The colour of each row's head.
    rows_per_head
        d_v.
    """

    values: Array
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    row_bands: tuple[QColor, ...]
    rows_per_head: int

    def cell(self, row: int, column: int) -> str:
        """Return how a cell is named: "row h2.1, column d3"."""
        return f"row {self.row_labels[row]}, column {self.column_labels[column]}"


_NOTHING = Projection(read_only(np.zeros((0, 0))), (), (), (), 1)


class ProjectionModel(QAbstractTableModel):
    """Shows a Projection; what is set in it is asked for by a signal, and comes with the next.

    Signals
    -------
    cell_written
        A finite number was set: row, column, number.
    refused
        A text was set that is no number; carries the sentence that says why.
    """

    cell_written = Signal(int, int, float)
    refused = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown = _NOTHING
        self._limit = 1.0
        self._levels: npt.NDArray[np.uint8] = np.zeros((0, 0), np.uint8)

    @property
    def projection(self) -> Projection:
        """What is shown."""
        return self._shown

    def set_projection(self, projection: Projection) -> None:
        """Show ``projection``; unless its shape is another, views keep their selection."""
        before, limit = self._shown, self._limit
        if projection.values.shape != before.values.shape:
            self.beginResetModel()
            self._take(projection)
            self.endResetModel()
            return
        self._take(projection)
        self._tell_headers(before)
        if before.values is not projection.values:
            everything = limit != self._limit or before.row_labels != projection.row_labels
            self._tell_cells(before.values, everything=everything)

    def _take(self, projection: Projection) -> None:
        self._shown = projection
        self._limit = round_limit(projection.values)
        self._levels = core.quantise(projection.values, -self._limit, self._limit)

    def _tell_headers(self, before: Projection) -> None:
        now = self._shown
        if (now.row_labels, now.row_bands) != (before.row_labels, before.row_bands):
            last = len(now.row_labels) - 1
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, last)

    def _tell_cells(self, before: Array, *, everything: bool) -> None:
        changed = np.argwhere(everything | (before != self._shown.values))
        if len(changed):
            first, last = changed.min(axis=0).tolist(), changed.max(axis=0).tolist()
            self.dataChanged.emit(self.index(*first), self.index(*last), _VALUE_ROLES)

    # --- what Qt asks

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """Return how many rows there are; cells have none."""
        return 0 if parent.isValid() else len(self._shown.row_labels)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """Return how many columns there are; cells have none."""
        return 0 if parent.isValid() else len(self._shown.column_labels)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every cell can be edited."""
        base = super().flags(index)
        return base | Qt.ItemFlag.ItemIsEditable if index.isValid() else base

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Return the exact number to edit, and short text, colours and words to show."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        value = float(self._shown.values[row, column])
        match role:
            case Role.EditRole:
                return value
            case Role.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignCenter
            case Role.BackgroundRole:
                return QColor(*self._rgb(row, column))
            case Role.ForegroundRole:
                return QColor(ink_on(self._rgb(row, column))) if value else _ZERO_INK
        return self._words(row, column, role)

    def _words(self, row: int, column: int, role: int) -> str | None:
        value, cell = float(self._shown.values[row, column]), self._shown.cell(row, column)
        match role:
            case Role.DisplayRole:
                return formats.short(value)
            case Role.ToolTipRole:
                return f"W_O {cell}: {number_text(value + 0.0).replace('-', '−')}\n{_HOW_TO_EDIT}"
            case Role.AccessibleTextRole:
                return f"W_O {cell}, {formats.short(value)}"
        return None

    def _rgb(self, row: int, column: int) -> tuple[int, int, int]:
        red, green, blue = _TABLE[self._levels[row, column]].tolist()
        return red, green, blue

    def setData(self, index: Index, value: object, role: int = Role.EditRole) -> bool:
        """Ask for a number to be written; a text that is none is refused with the reason."""
        if not index.isValid() or role != Role.EditRole:
            return False
        try:
            number = parse_number(str(value))
        except UserError as error:
            self.refused.emit(str(error))
            return False
        self.cell_written.emit(index.row(), index.column(), number)
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Return labels; for rows also the head's colour, and whether its block begins here."""
        rows = orientation == Qt.Orientation.Vertical
        labels = self._shown.row_labels if rows else self._shown.column_labels
        if not 0 <= section < len(labels):
            return None
        if role == Role.DisplayRole:
            return labels[section]
        if rows and role == BAND_ROLE:
            return self._shown.row_bands[section]
        if rows and role == NEW_BLOCK_ROLE:
            return section > 0 and section % self._shown.rows_per_head == 0
        return None
