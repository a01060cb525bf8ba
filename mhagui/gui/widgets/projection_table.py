"""The table in which W_O is typed, scrubbed, copied and pasted."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPointF,
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
from mhagui.gui.widgets.drawing import LABEL_FONT, demi_bold, scaled_font
from mhagui.gui.widgets.projection_delegate import (
    BLOCK_GAP,
    GAP,
    PADDING,
    ProjectionDelegate,
    least_width,
)
from mhagui.gui.widgets.projection_header import ROW_LABEL_MARGIN, ProjectionHeader
from mhagui.gui.widgets.projection_model import ProjectionModel

SCRUB_PER_PIXEL = 0.01
WHEEL_STEP = 0.1
FINE = 0.1
_FONTS = (LABEL_FONT, 0.85, 0.8, 0.75, 0.7)  # times the widget's font
_LEAST_POINTS = 8.0
_SHOWN_ROWS = _SHOWN_COLUMNS = 8  # that are seen without scrolling,
_FEW_COLUMNS = 6  # and of more columns, which scroll in any case
_WIDEST, _HIGHEST = 2.2, 1.8  # times the least cell, so that a wide dock does not blow cells up
_DECIMALS = 3  # of what is scrubbed; finer digits of the number scrubbed from are kept

_ALONE = QItemSelectionModel.SelectionFlag.ClearAndSelect
Key = Qt.Key
Modifier = Qt.KeyboardModifier


@dataclass(slots=True)
class _Scrub:
    """A drag on one cell, from press to release; it begins once the pointer is ``slack`` away."""

    row: int
    column: int
    start: float
    at: QPointF
    slack: int
    moved: float = 0.0
    gesture: object = field(default_factory=object)

    def begins(self, to: QPointF) -> bool:
        """Return whether the pointer at ``to`` scrubs; the way up to there does not count."""
        if self.slack and (to - self.at).manhattanLength() >= self.slack:
            self.slack, self.at = 0, to
        return not self.slack

    def move(self, to: QPointF, *, fine: bool) -> float:
        """Return the number that belongs to the pointer at ``to``; right and up are more."""
        pixels = (to.x() - self.at.x()) - (to.y() - self.at.y())
        self.at = to
        self.moved += pixels * SCRUB_PER_PIXEL * (FINE if fine else 1.0)
        return stepped(self.start, self.moved)


class ProjectionTable(QTableView):
    """Shows a ProjectionModel and asks for changes to it.

    Signals
    -------
    block_written
        A rectangle is to be overwritten: row, column, values (rows, columns), what to call it, and
        the gesture it belongs to.
    cell_stepped
        A number is to be made larger: row, column, by how much.
    refused
        Something typed or pasted cannot be had; carries the sentence that says why.
    """

    block_written = Signal(int, int, object, str, object)
    cell_stepped = Signal(int, int, float)
    refused = Signal(str)

    def __init__(self, model: ProjectionModel) -> None:
        super().__init__()
        self._scrub: _Scrub | None = None
        self._projection_model = model
        self._cell_font, self._least = self.font(), QSize()
        self.setHorizontalHeader(ProjectionHeader(Qt.Orientation.Horizontal, self))
        self._row_header = ProjectionHeader(Qt.Orientation.Vertical, self)
        self.setVerticalHeader(self._row_header)
        self.setModel(model)
        self.setItemDelegate(ProjectionDelegate(self))
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
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
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
            values = self._projection_model.projection.values[rows, columns]
            QGuiApplication.clipboard().setText(write_table(values))

    def paste(self) -> None:
        """Ask for the numbers on the clipboard to be written from the selection's first cell on.

        One number fills the whole selection. What cannot be read or does not fit is refused whole.
        """
        box = self.selected_block()
        try:
            if box is None:
                raise UserError("Choose the cell of W_O where the pasted numbers shall begin.")
            values = parse_table(QGuiApplication.clipboard().text())
            if values.size == 1:
                values = np.full((box.height(), box.width()), values.item())
            self._check_room(values, box)
        except UserError as error:
            self.refused.emit(str(error))
            return
        self._write(box.top(), box.left(), values, "Paste into W_O", object())

    def zero_selection(self) -> None:
        """Ask for the selected cells to be set to 0."""
        box = self.selected_block()
        if box is not None:
            zeros = np.zeros((box.height(), box.width()))
            self._write(box.top(), box.left(), zeros, "Set cells of W_O to 0", object())

    def _check_room(self, values: Array, box: QRect) -> None:
        projection = self._projection_model.projection
        rows = projection.values.shape[0] - box.top()
        columns = projection.values.shape[1] - box.left()
        if values.shape[0] > rows or values.shape[1] > columns:
            raise UserError(
                f"The pasted block is {values.shape[0]} × {values.shape[1]}, but from "
                f"{projection.cell(box.top(), box.left())} on W_O has room for {rows} × {columns}."
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

    def _on_cell_written(self, row: int, column: int, value: float) -> None:
        self._write(row, column, np.array([[value]]), "Edit W_O", object())

    def _write(self, row: int, column: int, values: Array, text: str, gesture: object) -> None:
        self.block_written.emit(row, column, read_only(values), text, gesture)

    # --- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter edits, Escape gives a scrub up; all else is what tables do."""
        if self._scrub is not None and event.key() == Key.Key_Escape:
            if self._scrub.moved:
                self._write_cell(self._scrub, self._scrub.start)
            self._end_scrub()
        elif event.key() in (Key.Key_Return, Key.Key_Enter) and self.currentIndex().isValid():
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    # --- scrubbing

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
        self._scrub = _Scrub(index.row(), index.column(), value, at, slack)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scrub."""
        if self._scrub is None:
            super().mouseMoveEvent(event)
        elif self._scrub.begins(event.position()):
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
        self.cell_stepped.emit(index.row(), index.column(), step)
        event.accept()

    def _end_scrub(self) -> None:
        self._scrub = None
        self.viewport().unsetCursor()

    def _write_cell(self, scrub: _Scrub, value: float) -> None:
        self._write(scrub.row, scrub.column, np.array([[value]]), "Edit W_O", scrub.gesture)

    def _value(self, index: QModelIndex) -> float:
        return float(self._projection_model.projection.values[index.row(), index.column()])

    def hideEvent(self, event: QHideEvent) -> None:
        """End a scrub: the release of the button is not seen."""
        super().hideEvent(event)
        self._end_scrub()

    # --- sizes

    def _fonts(self) -> list[QFont]:
        """Return the fonts that numbers may have, the largest first."""
        least = min(self.font().pointSizeF() * _FONTS[0], _LEAST_POINTS)
        fonts = [scaled_font(self.font(), factor) for factor in _FONTS]
        for font in fonts:
            font.setFeature(QFont.Tag("tnum"), 1)  # digits of one width: what fits once fits always
        return [font for font in fonts if font.pointSizeF() >= least or font.pointSizeF() < 0]

    def _least_cell(self, font: QFont) -> QSize:
        metrics = QFontMetrics(font)
        values = self._projection_model.projection.values
        peak = float(np.max(np.abs(values), initial=0.0))
        width = least_width(peak, metrics.horizontalAdvance) + 2 * PADDING + GAP
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
        labels = self._projection_model.projection.row_labels
        wide = QFontMetrics(demi_bold(font)).horizontalAdvance  # as marked rows are
        across = max((wide(label) for label in labels), default=0)
        width = across + ROW_LABEL_MARGIN + count.width() * least.width()
        return QSize(width, metrics.height() + GAP + count.height() * least.height())

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
        """Share the new room; ``resizeEvent`` is told of the viewport's size alone."""
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


def stepped(start: float, by: float) -> float:
    """Return ``start + by``, without noise in the last digits where ``start`` has few."""
    value = start + round(by, _DECIMALS)
    return round(value, _DECIMALS) if round(start, _DECIMALS) == start else value
