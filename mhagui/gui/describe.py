"""The dialog in which a scene gets its title and its description."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import Scene
from mhagui.document.edits import DescribeScene
from mhagui.document.scene import MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH
from mhagui.errors import UserError
from mhagui.gui.widgets.naming import named

_MESSAGE_LINES = 2


class DescribeDialog(QDialog):
    """Asks for the title and the description of ``scene``; ``edit`` tells what was written."""

    def __init__(self, scene: Scene, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene = scene
        self._title, self._text = QLineEdit(scene.title), QPlainTextEdit(scene.description)
        self._message = QLabel()
        self._buttons = QDialogButtonBox()
        self._ok = self._buttons.addButton(QDialogButtonBox.StandardButton.Ok)
        self._cancel = self._buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.setObjectName("describeDialog")
        self.setWindowTitle("Describe scene")
        self._lay_out()
        self._title.selectAll()
        self._title.textChanged.connect(self._check)
        self._text.textChanged.connect(self._check)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        self._check()

    def edit(self) -> DescribeScene:
        """Return what gives the scene the words that stand here."""
        return DescribeScene(self._title.text(), self._text.toPlainText())

    def _lay_out(self) -> None:
        most = f"At most {MAX_TITLE_LENGTH} characters; it names the scene in menus and figures"
        named(self._title, "sceneTitle", "Title", most)
        most = f"At most {MAX_DESCRIPTION_LENGTH:,} characters; Ctrl+Enter is OK"
        named(self._text, "sceneDescription", "Description", most)
        named(self._ok, "describeOk", "OK", "Give the scene these words; an undo takes them back")
        named(self._cancel, "describeCancel", "Cancel", "Leave the scene's words as they are")
        named(self._message, "describeMessage", "Why it cannot be so", "")
        self._text.setTabChangesFocus(True)
        self._ok.setShortcut("Ctrl+Return")  # Enter alone is a line more, in a description
        self._message.setWordWrap(True)
        self._message.setTextFormat(Qt.TextFormat.PlainText)
        form = QFormLayout()
        form.addRow("&Title", self._title)
        form.addRow("&Description", self._text)
        rows = QVBoxLayout(self)
        rows.addLayout(form, 1)
        rows.addWidget(self._message)
        rows.addWidget(self._buttons)
        em = self.fontMetrics().lineSpacing()
        self._message.setMinimumHeight(_MESSAGE_LINES * em)
        self.resize(36 * em, 20 * em)

    def _check(self) -> None:
        """Say why the scene cannot have such words, as long as it cannot."""
        try:
            self.edit().apply(self._scene)
            refusal = ""
        except UserError as error:
            refusal = str(error)
        self._message.setText(refusal)
        self._ok.setEnabled(not refusal)
