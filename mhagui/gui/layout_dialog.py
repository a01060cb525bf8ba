"""The dialog in which a layout gets its name."""

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QWidget

from mhagui.gui.layouts import LAYOUTS
from mhagui.gui.widgets.naming import named
from mhagui.settings import LONGEST_NAME, fault_of_name

WIDTH_IN_LINES = 24


class LayoutNameDialog(QDialog):
    """Asks for a name, and says when one of the ``taken`` ones would be replaced."""

    def __init__(self, taken: Collection[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken = taken
        self._field, self._message = QLineEdit(), QLabel()
        self._buttons = QDialogButtonBox()
        self._save = self._buttons.addButton(QDialogButtonBox.StandardButton.Save)
        self._cancel = self._buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.setObjectName("layoutNameDialog")
        self.setWindowTitle("Save layout as")
        self._lay_out()
        self._field.textChanged.connect(self._check)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        self._check()

    def name(self) -> str:
        """Return what stands in the field."""
        return self._field.text().strip()

    def _lay_out(self) -> None:
        named(self._field, "layoutName", "Name", f"At most {LONGEST_NAME} characters")
        named(self._message, "layoutMessage", "What becomes of the name", "")
        named(self._save, "layoutSave", "Save", "Keep the places of the docks under this name")
        named(self._cancel, "layoutCancel", "Cancel", "Keep nothing")
        self._field.setMaxLength(LONGEST_NAME)
        self._message.setWordWrap(True)
        self._message.setTextFormat(Qt.TextFormat.PlainText)
        form = QFormLayout(self)
        form.addRow("&Name", self._field)
        form.addRow(self._message)
        form.addRow(self._buttons)
        line = self.fontMetrics().lineSpacing()
        self._message.setMinimumHeight(2 * line)
        self.setMinimumWidth(WIDTH_IN_LINES * line)

    def _check(self) -> None:
        name = self.name()
        fault = fault_of_name(name)
        if name in LAYOUTS:
            fault = f"“{name}” comes with the program; choose another name."
        if fault and name:
            self._message.setText(fault[:1].upper() + fault[1:])
        else:
            replaced = f"“{name}” is there already and will be replaced."
            self._message.setText(replaced if name in self._taken else "")
        self._save.setEnabled(not fault)
