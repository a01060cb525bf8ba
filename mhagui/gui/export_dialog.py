"""The dialog that writes figures of the scene to files."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from mhagui import figures
from mhagui.document import Result, Scene
from mhagui.errors import UserError

DEFAULT_FOLDER = "mhagui-figures"
DEFAULT_DPI = 300


class ExportDialog(QDialog):
    """Asks which figures, in which formats, how fine and where, and writes them."""

    def __init__(self, scene: Scene, result: Result, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export figures")
        self._scene = scene
        self._result = result
        self._figures = {name: QCheckBox(title) for name, title in figures.FIGURES.items()}
        self._formats = {name: QCheckBox(name.upper()) for name in figures.FORMATS}
        self._dpi = QSpinBox()
        self._folder = QLineEdit(str(Path.cwd() / DEFAULT_FOLDER))
        self._message = QLabel()
        self._build()

    def _build(self) -> None:
        for name, box in self._figures.items():
            box.setObjectName(f"figure_{name}")
            box.setChecked(True)
        for name, box in self._formats.items():
            box.setObjectName(f"format_{name}")
            box.setChecked(name != "svg")
        self._dpi.setRange(figures.MIN_DPI, figures.MAX_DPI)
        self._dpi.setValue(DEFAULT_DPI)
        self._dpi.setSuffix(" dpi")
        self._dpi.setObjectName("exportDpi")
        self._folder.setObjectName("exportFolder")
        self._folder.setMinimumWidth(340)
        self._message.setObjectName("exportMessage")
        self._message.setWordWrap(True)
        self._message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._name_for_screen_readers()
        layout = QVBoxLayout(self)
        layout.addLayout(self._form())
        layout.addWidget(self._message)
        layout.addWidget(self._buttons())

    def _name_for_screen_readers(self) -> None:
        self._dpi.setAccessibleName("Resolution of PNG files in dots per inch")
        self._dpi.setToolTip("Pixels per inch of PNG files; SVG and PDF are vector files")
        self._folder.setAccessibleName("Folder to write to")
        self._folder.setToolTip("The folder is made if it is not there")

    def _form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow("Figures", _in_column(list(self._figures.values())))
        form.addRow("Formats", _in_row(list(self._formats.values())))
        form.addRow("Resolution", self._dpi)
        browse = QPushButton("&Browse…")
        browse.clicked.connect(self._browse)
        form.addRow("Folder", _in_row([self._folder, browse]))
        return form

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        write = buttons.addButton("&Export", QDialogButtonBox.ButtonRole.ActionRole)
        write.setObjectName("exportButton")
        write.setDefault(True)
        write.clicked.connect(self._export)
        buttons.rejected.connect(self.reject)
        return buttons

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Folder to write to", self._folder.text())
        if folder:
            self._folder.setText(folder)

    def _export(self) -> None:
        names = [name for name, box in self._figures.items() if box.isChecked()]
        formats = [name for name, box in self._formats.items() if box.isChecked()]
        folder = Path(self._folder.text()).expanduser()
        if not names or not formats:
            self._message.setText("Choose at least one figure and one format.")
        elif self._may_replace(folder, names, formats):
            self._write(folder, names, formats)

    def _may_replace(self, folder: Path, names: list[str], formats: list[str]) -> bool:
        files = [f"{name}.{kind}" for name in names for kind in formats]
        there = [file for file in files if (folder / file).exists()]
        if not there:
            return True
        question = f"{folder} already has {', '.join(there)}.\n\nReplace what is there?"
        answer = QMessageBox.question(self, "Replace files?", question)
        return answer == QMessageBox.StandardButton.Yes

    def _write(self, folder: Path, names: list[str], formats: list[str]) -> None:
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            written = figures.write_figures(
                self._scene, self._result, folder, names, formats, self._dpi.value()
            )
        except UserError as error:
            self._message.setText(str(error))
        else:
            self._message.setText(f"{len(written)} files written to {folder}")
        finally:
            QGuiApplication.restoreOverrideCursor()


def _in_row(widgets: list[QWidget]) -> QWidget:
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        row.addWidget(widget)
    return holder


def _in_column(widgets: list[QWidget]) -> QWidget:
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        column.addWidget(widget)
    return holder
