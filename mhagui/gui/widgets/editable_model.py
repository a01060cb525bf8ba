"""A matrix as a Qt model: exact to edit, short to read, coloured by sign and size."""

from dataclasses import dataclass, field

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
from PySide6.QtGui import QColor, QGuiApplication

from mhagui import core
from mhagui.document import Appearance
from mhagui.document.records import Array, read_only
from mhagui.document.table_text import number_text, parse_number
from mhagui.errors import UserError
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import is_dark
from mhagui.gui.widgets.colour_range import round_limit
from mhagui.gui.widgets.formula_tip import with_formula
from mhagui.gui.widgets.words import plain
from mhagui.palette import diverging_table, ink_on

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
NO_INDEX = QModelIndex()

BAND_ROLE = Role.UserRole + 1
NEW_BLOCK_ROLE = Role.UserRole + 2
NOISE_ROLE = Role.UserRole + 3
PRECISION_ROLE = Role.UserRole + 4
NOISE = 1e-15  # of the largest number: what rounding leaves of a zero

# On the colour of zero, by darkness of the theme: fainter than the other inks, and still 4.5:1.
_ZERO_INKS = {False: QColor("#696969"), True: QColor("#a3abb6")}
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
class EditableMatrix:
    """What the model shows.

    Attributes
    ----------
    name
        What the matrix is called: W_O.
    values
        The numbers, (rows, columns).
    row_labels, column_labels
        h1.1.. and d1..
    row_bands, column_bands
        The colour of each row's or column's head; none where they belong to no head.
    per_head
        How many of the rows or columns with bands each head has.
    fixed
        For each column why its cells cannot be written, empty where they can; () where all can.
    look
        The digits of its numbers, and its colours.
    formula
        What it is.
    """

    name: str
    values: Array
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    row_bands: tuple[QColor, ...] = ()
    column_bands: tuple[QColor, ...] = ()
    per_head: int = 1
    fixed: tuple[str, ...] = ()
    look: Appearance = field(default_factory=Appearance)
    formula: Formula | None = None

    def cell(self, row: int, column: int) -> str:
        """Return how a cell is named: "row h2.1, column d3"."""
        return f"row {self.row_labels[row]}, column {self.column_labels[column]}"

    def labels(self, orientation: Qt.Orientation) -> tuple[str, ...]:
        """Return the labels of the columns (horizontal) or rows."""
        across = orientation == Qt.Orientation.Horizontal
        return self.column_labels if across else self.row_labels

    def bands(self, orientation: Qt.Orientation) -> tuple[QColor, ...]:
        """Return the bands of the columns (horizontal) or rows."""
        across = orientation == Qt.Orientation.Horizontal
        return self.column_bands if across else self.row_bands

    def why_fixed(self, first: int, last: int) -> str:
        """Return why not all of columns ``first`` to ``last`` can be written; empty if they can."""
        return next(filter(None, self.fixed[first : last + 1]), "")


_NOTHING = EditableMatrix("", read_only(np.zeros((0, 0))), (), ())


class EditableModel(QAbstractTableModel):
    """Shows an EditableMatrix; what is set in it is asked for by a signal, and comes with the next.

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
    def matrix(self) -> EditableMatrix:
        """What is shown."""
        return self._shown

    def set_matrix(self, matrix: EditableMatrix) -> None:
        """Show ``matrix``; unless its shape is another, views keep their selection."""
        before, limit = self._shown, self._limit
        if matrix.values.shape != before.values.shape:
            self.beginResetModel()
            self._take(matrix)
            self.endResetModel()
            return
        self._take(matrix)
        self._tell_headers(before)
        other_look = before.look != matrix.look
        if before.values is not matrix.values or other_look:
            everything = other_look or limit != self._limit or _names(before) != _names(matrix)
            self._tell_cells(before.values, everything=everything)

    def _take(self, matrix: EditableMatrix) -> None:
        self._shown = matrix
        self._limit = round_limit(matrix.values)
        self._levels = core.quantise(matrix.values, -self._limit, self._limit)

    def _tell_headers(self, before: EditableMatrix) -> None:
        now = self._shown
        for orientation in (Qt.Orientation.Vertical, Qt.Orientation.Horizontal):
            labels = now.labels(orientation)
            if labels != before.labels(orientation) or now.bands(orientation) != before.bands(
                orientation
            ):
                self.headerDataChanged.emit(orientation, 0, len(labels) - 1)

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
        """Cells can be edited but for those of fixed columns."""
        base, column = super().flags(index), index.column()
        if not index.isValid() or self._shown.why_fixed(column, column):
            return base
        return base | Qt.ItemFlag.ItemIsEditable

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
                return QColor(ink_on(self._rgb(row, column))) if value else _ZERO_INKS[_is_dark()]
            case _ if role == NOISE_ROLE:
                return NOISE * self._limit
            case _ if role == PRECISION_ROLE:
                return self._shown.look.precision
        return self._words(row, column, role)

    def _words(self, row: int, column: int, role: int) -> str | None:
        value = float(self._shown.values[row, column])
        cell = f"{self._shown.name} {self._shown.cell(row, column)}"
        match role:
            case Role.DisplayRole:
                return self._shown.look.precision.short(value)
            case Role.ToolTipRole:
                how = self._shown.why_fixed(column, column) or _HOW_TO_EDIT
                words = plain(f"{cell}: {number_text(value + 0.0).replace('-', '−')}\n{how}")
                formula = self._shown.formula
                return with_formula(formula, words) if formula else words
            case Role.AccessibleTextRole:
                return f"{cell}, {self._shown.look.precision.short(value)}"
        return None

    def _rgb(self, row: int, column: int) -> tuple[int, int, int]:
        table = diverging_table(colours=self._shown.look.signed_colours, dark=_is_dark())
        red, green, blue = table[self._levels[row, column]].tolist()
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
        """Return labels; also the head's colour, if any, and whether its block begins here."""
        labels, bands = self._shown.labels(orientation), self._shown.bands(orientation)
        if not 0 <= section < len(labels):
            return None
        if role == Role.DisplayRole:
            return labels[section]
        if bands and role == BAND_ROLE:
            return bands[section]
        if bands and role == NEW_BLOCK_ROLE:
            return section > 0 and section % self._shown.per_head == 0
        return None


def _is_dark() -> bool:
    return is_dark(QGuiApplication.palette())


def _names(matrix: EditableMatrix) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return matrix.name, matrix.row_labels, matrix.column_labels
