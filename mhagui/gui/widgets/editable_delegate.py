"""How a cell of a matrix is painted and typed into."""

import math
from collections.abc import Callable, Iterator

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from mhagui import formats
from mhagui.document.table_text import number_text
from mhagui.gui.widgets.editable_model import NEW_BLOCK_ROLE, NOISE_ROLE, PRECISION_ROLE

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

BLOCK_GAP = 3
GAP = 1
PADDING = 2
_EDITOR_TEXT = "−0.3333333333"
_ROUND_TO_ZERO = 0.005
# The widest text of two or three digits of numbers below each limit.
_FORMS = (
    (99, "−.{0}{0}"), (999, "−{0}{0}{0}"), (9e9, "−{0}e{0}"), (math.inf, "−{0}e{0}{0}{0}"),
)  # fmt: skip


def fitting_text(
    value: float,
    width: float,
    advance: Callable[[str], float],
    precision: formats.Precision = formats.USUAL,
) -> str:
    """Return ``value`` with as many digits as ``width`` holds; the last resort may be wider.

    A number too small for the room reads ≈0, so that only a true zero reads 0.
    """
    text = ""
    for text in _texts(value, precision):
        if advance(text) <= width:
            break
    return text


def least_width(peak: float, advance: Callable[[str], float]) -> float:
    """Return the width in which ``fitting_text`` fits, whatever the number up to ``peak``."""
    form = next(form for most, form in _FORMS if peak < most)
    return max(advance(form.format(digit)) for digit in "0123456789")


def _texts(value: float, precision: formats.Precision) -> Iterator[str]:
    """Yield texts from the longest to the shortest; numbers that go on have two decimals.

    Those and more digits where more than usual are asked for.
    """
    size = abs(value)
    if precision.digits > formats.USUAL_DIGITS:
        yield precision.short(value)
    if float(f"{value:.4g}") == value or size >= 9999.5:
        yield formats.short(value)
    if 0 < size < _ROUND_TO_ZERO:
        yield formats.short(value, 2)
        yield "≈0"
    elif size < 0.995:
        yield formats.fixed(value, 2)
        yield formats.fixed(value, 2).replace("0.", ".")
    elif size < 9999.5:
        yield from (formats.fixed(value, decimals) for decimals in (2, 1, 0))
    yield formats.power(value)


class EditableDelegate(QStyledItemDelegate):
    """Paints cells in their colours, the selection as frames in them; edits with a line of text."""

    # --- painting

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint colour, number and selection of one cell."""
        painter.save()
        box = cell_box(option.rect, *new_blocks(index))
        painter.fillRect(box, index.data(Role.BackgroundRole))
        painter.setFont(option.font)
        painter.setPen(index.data(Role.ForegroundRole))
        advance = painter.fontMetrics().horizontalAdvance
        value = index.data(Role.EditRole)
        precision = index.data(PRECISION_ROLE)
        text = fitting_text(value, box.width() - 2 * PADDING, advance, precision)
        if 0 < abs(value) < index.data(NOISE_ROLE) and not precision.is_exact:
            text = "≈0"
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        _paint_state(painter, option, box)
        painter.restore()

    # --- typing

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return a line of text for one number."""
        editor = QLineEdit(parent)
        editor.setObjectName("cellEditor")
        editor.setAcceptDrops(False)  # a file is for the window
        editor.setLocale(QLocale(QLocale.Language.C))
        editor.setFont(option.font)
        editor.setFrame(False)
        editor.setAlignment(Qt.AlignmentFlag.AlignCenter)
        editor.setAccessibleName(str(index.data(Role.AccessibleTextRole)))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Offer the exact number."""
        if isinstance(editor, QLineEdit):
            editor.setText(number_text(index.data(Role.EditRole) + 0.0))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Hand over what was typed, unless it is what was offered."""
        if isinstance(editor, QLineEdit) and editor.isModified():
            model.setData(index, editor.text(), Role.EditRole)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Take what was typed at the press of Enter, not a turn of the event loop later."""
        if isinstance(event, QKeyEvent) and isinstance(editor, QWidget):
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and event.type() == QEvent.Type.KeyPress:
                self.commitData.emit(editor)
                self.closeEditor.emit(editor, self.EndEditHint.NoHint)
                return True
        return super().eventFilter(editor, event)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, _index: Index
    ) -> None:
        """Give the line room for a number, over the neighbours and inside the table."""
        parent = editor.parentWidget()
        room = parent.rect() if parent else option.rect
        wanted = QFontMetrics(option.font).horizontalAdvance(_EDITOR_TEXT)
        width = min(max(wanted, option.rect.width()), room.width())
        left = option.rect.center().x() - width // 2
        left = max(min(left, room.right() - width + 1), room.left())
        editor.setGeometry(left, option.rect.top(), width, option.rect.height())


def new_blocks(index: Index) -> tuple[bool, bool]:
    """Return whether another head begins with this cell's row, and whether with its column."""
    data, orientation = index.model().headerData, Qt.Orientation
    return (
        bool(data(index.row(), orientation.Vertical, NEW_BLOCK_ROLE)),
        bool(data(index.column(), orientation.Horizontal, NEW_BLOCK_ROLE)),
    )


def cell_box(section: QRect, new_row: bool = False, new_column: bool = False) -> QRect:
    """Return what is coloured of a cell: all but the gaps to neighbours and to another head."""
    gap = BLOCK_GAP - GAP
    return section.adjusted(gap if new_column else 0, gap if new_row else 0, -GAP, -GAP)


def _paint_state(painter: QPainter, option: QStyleOptionViewItem, box: QRect) -> None:
    """Frame a selected cell, and the current one twice: once to be seen on any colour."""
    state = option.state
    if not state & QStyle.StateFlag.State_Selected and not state & QStyle.StateFlag.State_HasFocus:
        return
    highlight = option.palette.color(QPalette.ColorRole.Highlight)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(highlight)
    painter.drawRect(box.adjusted(0, 0, -1, -1))
    if state & QStyle.StateFlag.State_HasFocus:
        painter.drawRect(box.adjusted(1, 1, -2, -2))
    painter.setPen(Qt.GlobalColor.white)
    inset = 2 if state & QStyle.StateFlag.State_HasFocus else 1
    painter.drawRect(box.adjusted(inset, inset, -inset - 1, -inset - 1))
