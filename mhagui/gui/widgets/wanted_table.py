"""A triangle of weights that can be typed and pasted, row by row."""

import math

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QSizePolicy,
    QWidget,
)

from mhagui import formats
from mhagui.document.records import Array
from mhagui.document.table_text import parse_number, parse_table
from mhagui.errors import UserError
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.number_delegate import Index, let_type
from mhagui.gui.widgets.number_table import Column, NumberModel, Numbers, NumberTable, Row

Role = Qt.ItemDataRole

_TIP = (
    "Type a number, or paste rows with Ctrl+V from the current cell on; Delete empties cells.\n"
    "Ctrl+C copies the selected numbers in full precision."
)


class _Model(NumberModel):
    """Lets the cells up to the diagonal be typed into."""

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return what can be done with a cell; nothing with a masked one."""
        if index.column() == self.columnCount() - 1:
            return super().flags(index)
        if index.column() > index.row():
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Return what a cell offers; masked ones are in the mask's colour."""
        if role == Role.BackgroundRole and index.row() < index.column() < self.columnCount() - 1:
            parent = self.parent()
            return theme_of(parent.palette()).mask if isinstance(parent, QWidget) else None
        return super().data(index, role)


class WantedTable(NumberTable):
    """Shows weights asked for, NaN where a cell is empty, and the sum of each row.

    It never changes them itself. Cells past the diagonal are masked.

    Signals
    -------
    written
        The user has typed, pasted or emptied cells: row and column of the first, from 0, and the
        numbers, (rows, columns), NaN where emptied.
    refused
        What was typed or pasted cannot be read; carries the sentence that says why.
    """

    written = Signal(int, int, object)
    refused = Signal(str)
    make_model = _Model

    def __init__(self) -> None:
        super().__init__()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setToolTip(_TIP)
        let_type(self, "wantedEditor").typed.connect(self._on_typed)

    def show_weights(self, weights: Array) -> None:
        """Show ``weights``, (T, T); the sum of a row without a number is empty too."""
        labels = formats.positions(len(weights))
        rows = tuple(Row(label, _written) for label in labels)
        columns = (*map(Column, labels), Column("sum", "Sum of the row; it is scaled to 1"))
        with np.errstate(over="ignore"):
            sums = np.where(np.isnan(weights).all(axis=1), math.nan, np.nansum(weights, axis=1))
        self.set_numbers(Numbers(rows, columns, np.column_stack([weights, sums])))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Paste, empty the selection, or do what tables do."""
        if event.matches(QKeySequence.StandardKey.Paste):
            self._paste()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._empty()
        else:
            super().keyPressEvent(event)

    def _paste(self) -> None:
        index = self.currentIndex()
        try:
            values = _pasted(QGuiApplication.clipboard().text())
        except UserError as error:
            self.refused.emit(str(error))
            return
        self.written.emit(max(index.row(), 0), max(index.column(), 0), values)

    def _empty(self) -> None:
        rows = [index.row() for index in self.selectedIndexes()]
        columns = [index.column() for index in self.selectedIndexes()]
        if rows:
            shape = (max(rows) - min(rows) + 1, max(columns) - min(columns) + 1)
            self.written.emit(min(rows), min(columns), np.full(shape, math.nan))

    def _on_typed(self, row: int, column: int, text: str) -> None:
        try:
            number = parse_number(text) if text.strip() else math.nan
        except UserError as error:
            self.refused.emit(str(error))
        else:
            self.written.emit(row, column, np.array([[number]]))


def _pasted(text: str) -> Array:
    """Return a pasted table, also one whose rows grow as a triangle's do: NaN where they end."""
    try:
        return parse_table(text)
    except UserError as refusal:
        try:
            rows = [parse_table(line)[0] for line in text.strip().splitlines()]
        except UserError:
            raise refusal from None
        table = np.full((len(rows), max(map(len, rows), default=0)), math.nan)
        for cells, row in zip(table, rows, strict=True):
            cells[: len(row)] = row
        return table


def _written(value: float) -> str:
    return "" if math.isnan(value) else formats.short(value, 3)
