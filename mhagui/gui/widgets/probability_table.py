"""A table of probabilities that can be typed into."""

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyledItemDelegate, QWidget

from mhagui.document.table_text import number_text, parse_number
from mhagui.errors import UserError
from mhagui.gui.widgets.number_table import NumberModel, NumberTable

Index = QModelIndex | QPersistentModelIndex


class ProbabilityTable(NumberTable):
    """Numbers to read, copy and overwrite; it never changes them itself.

    The last column, the sum of its row, is read-only.

    Signals
    -------
    written
        The user has typed a number: row and column from 0, and the number.
    refused
        What was typed is no number; carries the sentence that says why.
    """

    written = Signal(int, int, float)
    refused = Signal(str)

    def __init__(self) -> None:
        self.make_model = _Model
        super().__init__()
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed
        )
        delegate = _Delegate(self)
        delegate.typed.connect(self._on_typed)
        self.setItemDelegate(delegate)

    def _on_typed(self, row: int, column: int, text: str) -> None:
        try:
            number = parse_number(text)
        except UserError as error:
            self.refused.emit(f"A probability: {error}")
        else:
            self.written.emit(row, column, number)


class _Model(NumberModel):
    """Lets all but the last column be typed into."""

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        is_sum = index.column() == self.columnCount() - 1
        editable = Qt.ItemFlag.NoItemFlags if is_sum else Qt.ItemFlag.ItemIsEditable
        return super().flags(index) | editable


class _Delegate(QStyledItemDelegate):
    """A line of text for one number, which is handed on and not written to the model."""

    typed = Signal(int, int, str)

    def createEditor(self, parent: QWidget, _option: object, index: Index) -> QWidget:
        """Return a line of text."""
        editor = QLineEdit(parent)
        editor.setObjectName("probabilityEditor")
        editor.setFrame(False)
        editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        editor.setAccessibleName(str(index.data(Qt.ItemDataRole.AccessibleTextRole)))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Offer the exact number, unless something is being typed."""
        if isinstance(editor, QLineEdit) and not editor.isModified():
            editor.setText(number_text(index.data(Qt.ItemDataRole.EditRole)))

    def setModelData(self, editor: QWidget, _model: QAbstractItemModel, index: Index) -> None:
        """Hand on what was typed."""
        if isinstance(editor, QLineEdit) and editor.isModified():
            self.typed.emit(index.row(), index.column(), editor.text())
