"""A table of probabilities that can be typed into."""

from PySide6.QtCore import QEvent, Qt, Signal

from mhagui.document.table_text import parse_number
from mhagui.errors import UserError
from mhagui.gui.widgets.number_delegate import Index, is_edit_key, let_type
from mhagui.gui.widgets.number_table import NumberModel, NumberTable


class _Model(NumberModel):
    """Lets all but the last column be typed into."""

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        is_sum = index.column() == self.columnCount() - 1
        editable = Qt.ItemFlag.NoItemFlags if is_sum else Qt.ItemFlag.ItemIsEditable
        return super().flags(index) | editable


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
    make_model = _Model

    def __init__(self) -> None:
        super().__init__()
        let_type(self, "probabilityEditor").typed.connect(self._on_typed)

    def event(self, event: QEvent) -> bool:
        """Keep F2, which edits the current cell."""
        if is_edit_key(event):
            event.accept()
            return True
        return super().event(event)

    def _on_typed(self, row: int, column: int, text: str) -> None:
        try:
            number = parse_number(text)
        except UserError as error:
            self.refused.emit(f"A probability: {error}")
        else:
            self.written.emit(row, column, number)
