"""The dialog that writes figures of the scene to files."""

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QGridLayout,
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
from mhagui.errors import UserError
from mhagui.files import write_into
from mhagui.gui.bench import Frame
from mhagui.gui.widgets.words import plain
from mhagui.gui.worker import Worker

DEFAULT_FOLDER = "mhagui-figures"


class ExportDialog(QDialog):
    """Asks which figures, in which formats, how fine and where, and writes them."""

    def __init__(self, frame: Frame, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export figures")
        self._frame = frame
        self._figures = {name: QCheckBox(title) for name, title in figures.FIGURES.items()}
        self._formats = {name: QCheckBox(name.upper()) for name in figures.FORMATS}
        self._dpi = QSpinBox()
        self._row, self._head = QSpinBox(), QSpinBox()
        self._folder = QLineEdit(str(_start_folder() / DEFAULT_FOLDER))
        self._message = QLabel()
        self._write_button = QPushButton("&Export")
        self._inputs = QWidget()
        self._worker = Worker(self)
        self._had_focus: QWidget | None = None
        self._build()

    def _build(self) -> None:
        for name, check in self._figures.items():
            reason = figures.why_not(name, self._frame.result)
            check.setObjectName(f"figure_{name}")
            check.setEnabled(reason is None)
            check.setChecked(reason is None)
            check.setToolTip(reason or f"Written as {name}")
        for name, check in self._formats.items():
            check.setObjectName(f"format_{name}")
            check.setChecked(name != "svg")
        self._dpi.setSuffix(" dpi")
        self._row.setPrefix("t")
        self._head.setPrefix("h")
        cursor, scene = self._frame.view.cursor, self._frame.scene
        for box, name, least, most, value in (
            (self._dpi, "exportDpi", figures.MIN_DPI, figures.MAX_DPI, figures.DEFAULT_DPI),
            (self._row, "exportRow", 1, scene.n_positions, cursor.query + 1),
            (self._head, "exportHead", 1, scene.n_heads, scene.index_of(cursor.head) + 1),
        ):
            box.setObjectName(name)
            box.setRange(least, most)
            box.setValue(value)
        self._folder.setObjectName("exportFolder")
        self._folder.setMinimumWidth(340)
        self._message.setObjectName("exportMessage")
        self._message.setWordWrap(True)
        self._message.setTextFormat(Qt.TextFormat.PlainText)  # folders may be called anything
        self._message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._name_for_screen_readers()
        layout = QVBoxLayout(self)
        self._inputs.setLayout(self._form())
        layout.addWidget(self._inputs)
        layout.addWidget(self._message)
        layout.addWidget(self._buttons())
        self._write_button.setDefault(True)  # once it is in the dialog; before, it means nothing

    def _name_for_screen_readers(self) -> None:
        self._dpi.setAccessibleName("Resolution of PNG files in dots per inch")
        self._dpi.setToolTip("Pixels per inch of PNG files; SVG and PDF are vector files")
        self._row.setAccessibleName("Query row of responses and information")
        self._row.setToolTip(
            "The row of A whose weights are drawn as impulse and frequency responses, and whose "
            "outputs are asked for information"
        )
        self._head.setAccessibleName("Head of the pipeline")
        self._head.setToolTip("The head whose stages, Q and K to its part of W_O, are drawn")
        self._folder.setAccessibleName("Folder to write to")
        self._folder.setToolTip("The folder is made if it is not there")

    def _form(self) -> QFormLayout:
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow("Figures", _in_two_columns(self._figures.values()))
        form.addRow("Formats", _held(QHBoxLayout(), self._formats.values()))
        form.addRow("Row &t of responses", self._row)
        form.addRow("&Head of the pipeline", self._head)
        form.addRow("&Resolution", self._dpi)
        browse = QPushButton("&Browse…")
        browse.setAutoDefault(False)  # Enter exports
        browse.clicked.connect(self._browse)
        label = QLabel("&Folder")
        label.setBuddy(self._folder)
        form.addRow(label, _held(QHBoxLayout(), [self._folder, browse]))
        return form

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self._write_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self._write_button.setObjectName("exportButton")
        self._write_button.clicked.connect(self._export)
        buttons.rejected.connect(self.reject)
        return buttons

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Folder to write to", self._folder.text())
        if folder:
            self._folder.setText(folder)

    def _export(self) -> None:
        names = [name for name, box in self._figures.items() if box.isChecked()]
        formats = [name for name, box in self._formats.items() if box.isChecked()]
        folder = Path(os.path.expanduser(self._folder.text()))  # noqa: PTH111 - Path's may raise
        if not (names and formats and self._folder.text().strip()):
            self._message.setText("Choose at least one figure, one format and a folder.")
            return
        self._message.setText("")
        if self._may_replace(folder, names, formats):
            self._write(folder, names, formats)

    def _may_replace(self, folder: Path, names: list[str], formats: list[str]) -> bool:
        files = [f"{name}.{kind}" for name in names for kind in formats]
        # os.path's says no where one may not look; the writing will say why.
        there = [file for file in files if os.path.lexists(folder / file)]
        if not there:
            return True
        question = f"{folder} already has {', '.join(there)}.\n\nReplace what is there?"
        answer = QMessageBox.question(self, "Replace files?", plain(question))
        return answer == QMessageBox.StandardButton.Yes

    def _write(self, folder: Path, names: list[str], formats: list[str]) -> None:
        """Draw in a thread, which a closed dialog does not wait for, and then write the files."""
        draw = partial(
            figures.render_all,
            self._frame.scene,
            self._frame.result,
            names,
            formats,
            self._dpi.value(),
            row=self._row.value() - 1,
            head=self._head.value() - 1,
        )
        self._set_busy(True)
        self._worker.run(draw, partial(self._on_drawn, folder), self._on_failed)

    def _on_drawn(self, folder: Path, contents: dict[str, bytes]) -> None:
        self._set_busy(False)
        try:
            write_into(folder, contents)
        except UserError as error:
            self._message.setText(str(error))
        else:
            files = "1 file" if len(contents) == 1 else f"{len(contents)} files"
            self._message.setText(f"{files} written to {folder}")

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        is_told = isinstance(error, UserError)
        self._message.setText(str(error) if is_told else "They cannot be drawn; none is written.")

    def _set_busy(self, busy: bool) -> None:
        if busy:
            self._had_focus = self.focusWidget()
        self._inputs.setEnabled(not busy)
        self._write_button.setEnabled(not busy)
        if busy:
            self._message.setText("Drawing…")
            self.setCursor(Qt.CursorShape.BusyCursor)
        else:
            self.unsetCursor()
            if self._had_focus is not None:
                self._had_focus.setFocus()

    def done(self, result: int) -> None:
        """Leave, and leave unwritten what is being drawn."""
        self._worker.cancel()
        super().done(result)


def _start_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:  # the folder the program was started in is gone
        return Path.home()


def _in_two_columns(boxes: Iterable[QWidget]) -> QWidget:
    holder = QWidget()
    grid = QGridLayout(holder)
    grid.setContentsMargins(0, 0, 0, 0)
    given = list(boxes)
    n_rows = -(-len(given) // 2)
    for index, box in enumerate(given):
        grid.addWidget(box, index % n_rows, index // n_rows)
    return holder


def _held(layout: QBoxLayout, widgets: Iterable[QWidget]) -> QWidget:
    """Return a widget that holds ``widgets`` in ``layout``."""
    holder = QWidget()
    holder.setLayout(layout)
    layout.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        layout.addWidget(widget)
    return holder
