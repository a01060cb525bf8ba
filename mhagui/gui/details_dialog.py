"""What lies behind a notice, to be read and copied."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

AT_FIRST = QSize(680, 420)
LEAST = 40, 6  # characters, lines


class DetailsDialog(QDialog):
    """Shows a sentence and what there is to say beyond it; ``folder`` is where the log is."""

    def __init__(
        self, sentence: str, details: str, folder: Path | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("detailsDialog")
        self.setWindowTitle("Details")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._copied = f"{sentence}\n\n{details}\n"
        head = QLabel(sentence)
        head.setTextFormat(Qt.TextFormat.PlainText)
        head.setWordWrap(True)
        column = QVBoxLayout(self)
        column.addWidget(head)
        column.addWidget(_reader(details))
        column.addWidget(self._make_buttons(folder))
        self.resize(column.sizeHint().expandedTo(AT_FIRST))

    def _make_buttons(self, folder: Path | None) -> QDialogButtonBox:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.rejected.connect(self.reject)
        self._copy = QPushButton("&Copy")
        self._copy.setObjectName("copyDetails")
        self._copy.setToolTip("Put the sentence and all below it on the clipboard")
        self._copy.clicked.connect(self._on_copy)
        box.addButton(self._copy, QDialogButtonBox.ButtonRole.ActionRole)
        if folder is not None:
            opener = QPushButton("Open &log folder")
            opener.setObjectName("openLogs")
            opener.setToolTip(f"Show the folder of the log, {folder}")
            opener.clicked.connect(partial(_open_folder, folder))
            box.addButton(opener, QDialogButtonBox.ButtonRole.ActionRole)
        return box

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._copied)
        self._copy.setText("&Copied")


def _reader(text: str) -> QPlainTextEdit:
    reader = QPlainTextEdit(text)
    reader.setObjectName("details")
    reader.setAccessibleName("Details")
    reader.setReadOnly(True)
    reader.setTabChangesFocus(True)
    reader.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(reader.font().pointSizeF())
    reader.setFont(font)
    metrics = reader.fontMetrics()
    characters, lines = LEAST
    reader.setMinimumSize(
        metrics.horizontalAdvance("0") * characters, metrics.lineSpacing() * lines
    )
    return reader


def _open_folder(folder: Path, _checked: bool = False) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
