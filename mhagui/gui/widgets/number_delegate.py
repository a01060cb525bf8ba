"""How a number in a table is typed."""

import math

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyledItemDelegate, QWidget

from mhagui.document.table_text import number_text

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class NumberDelegate(QStyledItemDelegate):
    """A line of text for one number, which is handed on and not written to the model.

    Signals
    -------
    typed
        Row and column, from 0, and the text that was typed there.
    """

    typed = Signal(int, int, str)

    def __init__(self, parent: QObject, editor_name: str) -> None:
        super().__init__(parent)
        self._editor_name = editor_name

    def createEditor(self, parent: QWidget, _option: object, index: Index) -> QWidget:
        """Return a line of text."""
        editor = QLineEdit(parent)
        editor.setObjectName(self._editor_name)
        editor.setAcceptDrops(False)  # a file is for the window
        editor.setFrame(False)
        editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        editor.setAccessibleName(str(index.data(Role.AccessibleTextRole)))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Offer the exact number, nothing for NaN, unless something is being typed."""
        value = index.data(Role.EditRole)
        if isinstance(editor, QLineEdit) and not editor.isModified():
            editor.setText("" if math.isnan(value) else number_text(value))

    def setModelData(self, editor: QWidget, _model: QAbstractItemModel, index: Index) -> None:
        """Hand on what was typed."""
        if isinstance(editor, QLineEdit) and editor.isModified():
            self.typed.emit(index.row(), index.column(), editor.text())


def is_edit_key(event: QEvent) -> bool:
    """Return whether a table is about to lose F2, which edits a cell, to a shortcut of the window.

    The table that has the focus keeps it by accepting the event.
    """
    if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
        return False
    return event.key() == Qt.Key.Key_F2


def let_type(table: QAbstractItemView, editor_name: str) -> NumberDelegate:
    """Let the editable cells of ``table`` be typed into; return what hands on the texts."""
    triggers = QAbstractItemView.EditTrigger
    table.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)
    delegate = NumberDelegate(table, editor_name)
    table.setItemDelegate(delegate)
    return delegate
