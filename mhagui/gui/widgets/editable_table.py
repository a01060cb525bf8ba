"""The table in which a matrix is typed, scrubbed, copied and pasted."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QFrame,
    QStyleOptionViewItem,
    QTableView,
)

from mhagui.document.records import Array, read_only
from mhagui.document.table_text import parse_table, write_table
from mhagui.errors import UserError
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import LABEL_FONT, demi_bold, even_digits, scaled_font
from mhagui.gui.widgets.editable_delegate import (
    BLOCK_GAP,
    GAP,
    PADDING,
    EditableDelegate,
    least_width,
)
from mhagui.gui.widgets.editable_header import EditableHeader, label_margin
from mhagui.gui.widgets.editable_model import EditableModel
from mhagui.gui.widgets.number_delegate import is_edit_key
from mhagui.gui.widgets.scrub import FINE, Scrub

WHEEL_STEP = 0.1
_FONTS = (LABEL_FONT, 0.85, 0.8, 0.75, 0.7)  # times the widget's font
_LEAST_POINTS = 8.0
_SHOWN_ROWS = _SHOWN_COLUMNS = 8  # that are seen without scrolling,
_FEW_COLUMNS = 6  # and of more columns, which scroll in any case
_WIDEST, _HIGHEST = 2.2, 1.8  # times the least cell, so that a wide dock does not blow cells up
_ALONE = QItemSelectionModel.SelectionFlag.ClearAndSelect
Key = Qt.Key
Modifier = Qt.KeyboardModifier
Index = QModelIndex | QPersistentModelIndex
_EDIT_KEYS = (Key.Key_Return, Key.Key_Enter, Key.Key_F2)


class EditableTable(QTableView):
    """Shows an EditableModel and asks for changes to it.

    Signals
    -------
    block_written
        A rectangle is to be overwritten: row, column, values (rows, columns), what to call it, and
        the gesture it belongs to.
    cell_stepped
        A number is to be made larger: row, column, by how much.
    refused
        Something typed or pasted cannot be had; carries the sentence that says why.
    current_moved
        Another cell is the current one: row, column.
    """

    block_written = Signal(int, int, object, str, object)
    cell_stepped = Signal(int, int, float)
    refused = Signal(str)
    current_moved = Signal(int, int)

    def __init__(self, model: EditableModel) -> None:
        super().__init__()
        self._scrub: Scrub | None = None
        self._matrix_model = model
        self._cell_font, self._least = self.font(), QSize()
        self._outlined: int | None = None
        self._column_header = EditableHeader(Qt.Orientation.Horizontal, self)
        self.setHorizontalHeader(self._column_header)
        self._row_header = EditableHeader(Qt.Orientation.Vertical, self)
        self.setVerticalHeader(self._row_header)
        self.setModel(model)
        self.setItemDelegate(EditableDelegate(self))
        self._prepare()
        self._make_actions()
        model.cell_written.connect(self._on_cell_written)
        model.refused.connect(self.refused)
        model.modelReset.connect(self._on_reset)
        # Other rows stand where the scrub began: it must not write into them.
        model.modelReset.connect(self._end_scrub)
        model.headerDataChanged.connect(self._end_scrub)
        model.dataChanged.connect(self._on_data_changed)

    def _prepare(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab goes on to the next widget; the arrows move in here
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.DoubleClicked | trigger.EditKeyPressed | trigger.AnyKeyPressed)
        self.viewport().setBackgroundRole(self.backgroundRole())

    def _make_actions(self) -> None:
        keys = QKeySequence.StandardKey
        self._add_action("&Copy", [QKeySequence(keys.Copy)], self.copy_selection)
        self._add_action("&Paste", [QKeySequence(keys.Paste)], self.paste)
        zero = [QKeySequence(keys.Delete), QKeySequence(Key.Key_Backspace)]
        self._add_action("Set to &0", zero, self.zero_selection)

    def add_menu(self, actions: list[QAction]) -> None:
        """Add ``actions`` to the context menu, behind a line."""
        line = QAction(self)
        line.setSeparator(True)
        self.addActions([line, *actions])

    def _add_action(self, text: str, keys: list[QKeySequence], do: Callable[[], None]) -> None:
        action = QAction(text, self)
        action.setShortcuts(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(do)
        self.addAction(action)

    # --- copy, paste, zero

    def selected_block(self) -> QRect | None:
        """Return the selected rectangle, columns as x and rows as y; None without one."""
        selection, current = self.selectionModel().selection(), self.currentIndex()
        box = QRect()
        for part in (selection.at(place) for place in range(selection.count())):
            box = box.united(QRect(part.left(), part.top(), part.width(), part.height()))
        if box.isEmpty() and current.isValid():
            box = QRect(current.column(), current.row(), 1, 1)
        return None if box.isEmpty() else box

    def copy_selection(self) -> None:
        """Copy the selected cells, tabs between columns, with all digits."""
        box = self.selected_block()
        if box is not None:
            rows, columns = _slices(box)
            values = self._matrix_model.matrix.values[rows, columns]
            QGuiApplication.clipboard().setText(write_table(values))

    def paste(self) -> None:
        """Ask for the numbers on the clipboard to be written from the selection's first cell on.

        One number fills the whole selection. What cannot be read or does not fit is refused whole.
        """
        box = self.selected_block()
        try:
            if box is None:
                raise UserError(
                    f"Choose the cell of {self._name} where the pasted numbers shall begin."
                )
            values = parse_table(QGuiApplication.clipboard().text())
            if values.size == 1:
                values = np.full((box.height(), box.width()), values.item())
            self._check_room(values, box)
        except UserError as error:
            self.refused.emit(str(error))
            return
        self._write(box.top(), box.left(), values, f"Paste into {self._name}", object())

    def zero_selection(self) -> None:
        """Ask for the selected cells to be set to 0."""
        box = self.selected_block()
        if box is not None:
            zeros = np.zeros((box.height(), box.width()))
            self._write(box.top(), box.left(), zeros, f"Set cells of {self._name} to 0", object())

    def _check_room(self, values: Array, box: QRect) -> None:
        matrix = self._matrix_model.matrix
        rows = matrix.values.shape[0] - box.top()
        columns = matrix.values.shape[1] - box.left()
        if values.shape[0] > rows or values.shape[1] > columns:
            raise UserError(
                f"The pasted block is {values.shape[0]} × {values.shape[1]}, but from "
                f"{matrix.cell(box.top(), box.left())} on {matrix.name} has room for "
                f"{rows} × {columns}."
            )

    def select_block(self, row: int, column: int, shape: tuple[int, int]) -> None:
        """Select a rectangle of cells."""
        model = self.model()
        first, last = (
            model.index(row, column),
            model.index(row + shape[0] - 1, column + shape[1] - 1),
        )
        self.selectionModel().select(QItemSelection(first, last), _ALONE)

    def mark_rows(self, first: int, count: int) -> None:
        """Write the labels of some rows bold: of those that the cursor's head is read by."""
        self._row_header.mark(range(first, first + count))

    def mark_columns(self, columns: range) -> None:
        """Write the labels of some columns bold."""
        self._column_header.mark(columns)

    def outline_row(self, row: int | None) -> None:
        """Draw a line around a row, the cursor's; None for no row."""
        if row != self._outlined:
            self._outlined = row
            self.viewport().update()

    @property
    def _name(self) -> str:
        return self._matrix_model.matrix.name

    def _on_cell_written(self, row: int, column: int, value: float) -> None:
        self._write(row, column, np.array([[value]]), f"Edit {self._name}", object())

    def _write(self, row: int, column: int, values: Array, text: str, gesture: object) -> None:
        if not self._refuse(column, column + values.shape[1] - 1):
            self.block_written.emit(row, column, read_only(values), text, gesture)

    def _refuse(self, first: int, last: int) -> bool:
        """Say why columns ``first`` to ``last`` cannot all be written, if they cannot."""
        reason = self._matrix_model.matrix.why_fixed(first, last)
        if reason:
            self.refused.emit(reason)
        return bool(reason)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell where the current cell is."""
        super().currentChanged(current, previous)
        if current.isValid():
            self.current_moved.emit(current.row(), current.column())

    # --- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter edits, Escape gives a scrub up; all else is what tables do."""
        current, text = self.currentIndex(), event.text()
        asks = event.key() in _EDIT_KEYS or (text.isprintable() and text.strip())
        if self._scrub is not None and event.key() == Key.Key_Escape:
            if self._scrub.moved:
                self._write_cell(self._scrub, self._scrub.start)
            self._end_scrub()
        elif asks and current.isValid() and self._refuse(current.column(), current.column()):
            event.accept()
        elif event.key() in (Key.Key_Return, Key.Key_Enter) and current.isValid():
            self.edit(current)
        else:
            super().keyPressEvent(event)

    # --- scrubbing

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit, or say why that cannot be."""
        index = self.indexAt(event.position().toPoint())
        if not index.isValid() or not self._refuse(index.column(), index.column()):
            super().mouseDoubleClickEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to scrub with the middle button; with Ctrl, once a drag follows."""
        index = self.indexAt(event.position().toPoint())
        middle = event.button() == Qt.MouseButton.MiddleButton
        ctrl = event.button() == Qt.MouseButton.LeftButton and bool(
            event.modifiers() & Modifier.ControlModifier
        )
        if not index.isValid() or not (middle or ctrl):
            super().mousePressEvent(event)
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.selectionModel().setCurrentIndex(index, _ALONE)
        slack = QApplication.startDragDistance() if ctrl else 0
        at, value = event.position(), self._value(index)
        self._scrub = Scrub(index.row(), index.column(), value, at, slack)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scrub."""
        if self._scrub is None:
            super().mouseMoveEvent(event)
        elif not self._scrub.begins(event.position()):
            return
        elif self._refuse(self._scrub.column, self._scrub.column):
            self._end_scrub()
        else:
            self.viewport().setCursor(Qt.CursorShape.SizeAllCursor)
            fine = bool(event.modifiers() & Modifier.ShiftModifier)
            self._write_cell(self._scrub, self._scrub.move(event.position(), fine=fine))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a scrub."""
        if self._scrub is None:
            super().mouseReleaseEvent(event)
        else:
            self._end_scrub()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Ctrl, step the number under the pointer; scroll otherwise."""
        index = self.indexAt(event.position().toPoint())
        if not event.modifiers() & Modifier.ControlModifier or not index.isValid():
            super().wheelEvent(event)
            return
        fine = FINE if event.modifiers() & Modifier.ShiftModifier else 1.0
        step = event.angleDelta().y() / 120 * WHEEL_STEP * fine
        if not self._refuse(index.column(), index.column()):
            self.cell_stepped.emit(index.row(), index.column(), step)
        event.accept()

    def _end_scrub(self) -> None:
        self._scrub = None
        self.viewport().unsetCursor()

    def _write_cell(self, scrub: Scrub, value: float) -> None:
        self._write(
            scrub.row, scrub.column, np.array([[value]]), f"Edit {self._name}", scrub.gesture
        )

    def _value(self, index: QModelIndex) -> float:
        return float(self._matrix_model.matrix.values[index.row(), index.column()])

    def hideEvent(self, event: QHideEvent) -> None:
        """End a scrub: the release of the button is not seen."""
        super().hideEvent(event)
        self._end_scrub()

    # --- sizes

    def _fonts(self) -> list[QFont]:
        """Return the fonts that numbers may have, the largest first."""
        least = min(self.font().pointSizeF() * _FONTS[0], _LEAST_POINTS)
        # Digits of one width: what fits once fits always.
        fonts = [even_digits(scaled_font(self.font(), factor)) for factor in _FONTS]
        return [font for font in fonts if font.pointSizeF() >= least or font.pointSizeF() < 0]

    def _least_cell(self, font: QFont) -> QSize:
        metrics = QFontMetrics(font)
        values = self._matrix_model.matrix.values
        peak = float(np.max(np.abs(values), initial=0.0))
        width = least_width(peak, metrics.horizontalAdvance) + 2 * PADDING + GAP
        matrix = self._matrix_model.matrix
        label = max(matrix.column_labels, key=len, default="")
        bold = QFontMetrics(demi_bold(font)).horizontalAdvance  # as marked labels are
        between = BLOCK_GAP - GAP if matrix.column_bands else 0
        width = max(width, bold(label) + GAP) + between
        return QSize(int(width), metrics.height() + BLOCK_GAP)

    def _on_data_changed(self) -> None:
        if self._least_cell(self._cell_font) != self._least:
            self._on_reset()

    def _on_reset(self) -> None:
        self._fit()
        self.updateGeometry()

    def _fit(self) -> None:
        """Use the largest font with which all fits, and share the room among the cells."""
        count, room = self._count(), self.size()
        least = self._size_of(self._fonts()[-1], count)
        if least.height() > room.height():  # rows scroll whatever the font; columns may yet fit
            count.setHeight(0)
            room.setWidth(room.width() - self._bar_width())
        if least.width() > room.width():
            count.setWidth(0)
            room.setHeight(room.height() - self._bar_width())
        fonts = self._fonts()
        font = next((f for f in fonts if _fits(self._size_of(f, count), room)), fonts[-1])
        self._use_font(font)
        self._least = self._least_cell(font)
        self._share(self._least, room - self._size_of(font, QSize(0, 0)), count)

    def _use_font(self, font: QFont) -> None:
        if font != self._cell_font:
            self._cell_font = font
            self.horizontalHeader().setFont(font)
            self.verticalHeader().setFont(font)

    def _share(self, least: QSize, room: QSize, count: QSize) -> None:
        across = room.width() // count.width() if count.width() else 0
        down = room.height() // count.height() if count.height() else 0
        width = _within(across, least.width(), _WIDEST)
        height = _within(down, least.height(), _HIGHEST)
        for header, size in ((self.horizontalHeader(), width), (self.verticalHeader(), height)):
            if header.defaultSectionSize() != size:
                header.setDefaultSectionSize(size)

    def _count(self) -> QSize:
        return QSize(self.model().columnCount(), self.model().rowCount())

    def _bar_width(self) -> int:
        return self.verticalScrollBar().sizeHint().width()

    def _size_of(self, font: QFont, count: QSize) -> QSize:
        """Return the least size of the table with so many columns and rows."""
        least, metrics = self._least_cell(font), QFontMetrics(font)
        matrix = self._matrix_model.matrix
        wide = QFontMetrics(demi_bold(font)).horizontalAdvance  # as marked rows are
        across = max((wide(label) for label in matrix.row_labels), default=0)
        across += label_margin(rows=True, banded=bool(matrix.row_bands))
        above = metrics.height() + label_margin(rows=False, banded=bool(matrix.column_bands))
        return QSize(
            across + count.width() * least.width(), above + count.height() * least.height()
        )

    def _size_for(self, font: QFont) -> QSize:
        count = self._count()
        bar = self._bar_width() if count.height() > _SHOWN_ROWS else 0
        if count.width() > _SHOWN_COLUMNS:
            count.setWidth(_FEW_COLUMNS)
        count.setHeight(min(count.height(), _SHOWN_ROWS))
        return self._size_of(font, count) + QSize(bar, 0)

    def sizeHint(self) -> QSize:
        """Return a size for eight rows and columns in the font of choice."""
        return self._size_for(self._fonts()[0])

    def minimumSizeHint(self) -> QSize:
        """Return a size for eight rows and columns in the smallest font."""
        return self._size_for(self._fonts()[-1])

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells, and the line around a row."""
        super().paintEvent(event)
        row = self._outlined
        if row is None or not 0 <= row < self.model().rowCount():
            return
        last = self.model().columnCount() - 1
        right = self.columnViewportPosition(last) + self.columnWidth(last)
        left, top = self.columnViewportPosition(0), self.rowViewportPosition(row)
        painter = QPainter(self.viewport())
        painter.setPen(theme_of(self.palette()).cursor)
        painter.drawRect(left, top, right - left - GAP, self.rowHeight(row) - GAP)
        painter.end()

    def initViewItemOption(self, option: QStyleOptionViewItem) -> None:
        """Write cells in the font that fits."""
        super().initViewItemOption(option)
        option.font = self._cell_font

    def updateGeometries(self) -> None:
        """Place headers and scroll bars; there is no corner to press."""
        super().updateGeometries()
        corner = self.findChild(QAbstractButton)
        if corner is not None:
            corner.hide()

    def event(self, event: QEvent) -> bool:
        """Keep F2, and share new room; ``resizeEvent`` is told of the viewport's size alone."""
        if is_edit_key(event):
            event.accept()
            return True
        done = super().event(event)
        if event.type() == QEvent.Type.Resize:
            self._fit()
            self.updateGeometries()  # now: Qt's timer for it may fall behind the next resize
        return done

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.model() is not None:
            self._on_reset()


def _slices(box: QRect) -> tuple[slice, slice]:
    return slice(box.top(), box.bottom() + 1), slice(box.left(), box.right() + 1)


def _fits(size: QSize, room: QSize) -> bool:
    return size.width() <= room.width() and size.height() <= room.height()


def _within(size: int, least: int, most: float) -> int:
    return max(least, min(size, round(least * most)))
