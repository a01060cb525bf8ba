"""What dialogs that write files have in common: a thread that makes them, progress and Cancel."""

from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QCloseEvent, QDesktopServices
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QWidget,
)

from mhagui.errors import UserError
from mhagui.figures.motion import Progress
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import sentence
from mhagui.gui.worker import Worker

T = TypeVar("T")
LOOK_EVERY = 50  # milliseconds


class Making(Generic[T]):
    """Goes through steps in one thread, while another looks how far it is; no Qt here."""

    def __init__(self, steps: Generator[Progress[T]]) -> None:
        self._steps = steps
        self.progress: Progress[T] | None = None
        self.is_stopped = False  # nothing more is made once somebody sets it

    def __call__(self) -> T | None:
        """Return what the last step made; None where it was stopped."""
        for progress in self._steps:
            if self.is_stopped:
                break
            self.progress = progress
            if progress.data is not None:
                return progress.data
        self._steps.close()
        return None


class WritingDialog(QDialog):
    """Has files made in a thread, says how far that is, and writes them at the end or not at all.

    Attributes
    ----------
    inputs
        What rests meanwhile; for the subclass to fill.
    bottom
        The last row of the dialog; for the subclass to place, and to connect ``export`` and
        ``reset`` of.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.inputs: list[QWidget] = []
        self.bottom = Bottom()
        self._worker = Worker(self)
        self._making: Making[Any] | None = None
        self._had_focus: QWidget | None = None
        self._look = QTimer(self)
        self._look.setInterval(LOOK_EVERY)
        self._look.timeout.connect(self._show_progress)
        self.bottom.cancel.clicked.connect(self._cancel)
        self.bottom.close_button.clicked.connect(self._leave)

    def make(self, steps: Generator[Progress[T]], write: Callable[[T], tuple[str, Path]]) -> None:
        """Go through ``steps`` in a thread, and then ``write`` what they made.

        ``write`` returns what is to be said of it and the folder it went to, or raises UserError.
        """
        self._making = Making(steps)
        self._set_busy(True)
        self._worker.run(self._making, partial(self._on_made, write), self._on_failed)

    def _on_made(self, write: Callable[[T], tuple[str, Path]], made: T) -> None:
        self._set_busy(False)
        try:
            self.bottom.say_written(*write(made))
        except UserError as error:
            self.bottom.say(str(error))

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        is_told = isinstance(error, UserError)
        self.bottom.say(str(error) if is_told else "It cannot be drawn; nothing is written.")

    def _show_progress(self) -> None:
        if self._making is not None and self._making.progress is not None:
            self.bottom.show_progress(self._making.progress)

    def _set_busy(self, is_busy: bool) -> None:
        if is_busy:
            self._had_focus = self.focusWidget()
            self._look.start()
        else:
            self._making = None
            self._look.stop()
        for part in self.inputs:
            part.setEnabled(not is_busy)
        self.bottom.set_busy(is_busy)
        if is_busy:
            self.bottom.cancel.setFocus()
        elif self._had_focus is not None:
            self._had_focus.setFocus()

    def _stop(self) -> None:
        """Want nothing any more; what is being made ends with the step it is at."""
        if self._making is not None:
            self._making.is_stopped = True
        self._worker.cancel()

    def _cancel(self) -> None:
        self._stop()
        self._set_busy(False)
        self.bottom.say("Cancelled; nothing is written.")

    def _leave(self) -> None:
        self.done(QDialog.DialogCode.Rejected.value)

    def reject(self) -> None:
        """Cancel what is being made, and stay; else leave."""
        self._leave() if self._making is None else self._cancel()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave even while something is made: who closes the window wants it gone."""
        self._leave()
        event.accept()

    def done(self, result: int) -> None:
        """Leave, and leave unwritten what is being made; a thread that makes it is not awaited."""
        self._stop()
        self._look.stop()
        super().done(result)


class Bottom(QWidget):
    """What a dialog says, how far it is, and its buttons."""

    def __init__(self) -> None:
        super().__init__()
        self._message = sentence("exportMessage")
        self._bar = QProgressBar()
        self._folder = Path()
        self._is_possible, self._is_busy = True, False
        self.cancel, self._open = QPushButton("Cancel"), QPushButton("Open folder")
        self.reset, self.close_button = QPushButton("Re&set"), QPushButton("Close")
        self.export = QPushButton("&Export")
        self._build()

    def _build(self) -> None:
        named(self._bar, "exportProgress", "Progress", "")
        for button, name, spoken, tip in (
            (self.cancel, "exportCancel", "Cancel", "Stop drawing, and write nothing"),
            (self._open, "exportOpen", "Open folder", "Show the folder that was written to"),
            (self.reset, "exportReset", "Reset", "Have all choices as at the first start"),
            (self.export, "exportButton", "Export", "Write what is chosen"),
            (self.close_button, "exportClose", "Close", "Close; what is chosen is remembered"),
        ):
            named(button, name, spoken, tip)
            button.setAutoDefault(False)
        self._open.clicked.connect(self._open_folder)
        self._message.setMinimumHeight(2 * self.fontMetrics().lineSpacing() + 2)
        self._message.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.reset)
        row.addSpacing(6)
        row.addWidget(self._message, 1)
        for widget in (self._bar, self.cancel, self._open):
            widget.hide()
            row.addWidget(widget)
        row.addSpacing(6)
        buttons = QDialogButtonBox()
        buttons.addButton(self.export, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(self.close_button, QDialogButtonBox.ButtonRole.RejectRole)
        row.addWidget(buttons)

    def say(self, text: str) -> None:
        """Say ``text``, of which a folder may be a part that is called anything."""
        self._message.setText(text)
        self._open.hide()

    def say_written(self, text: str, folder: Path) -> None:
        """Say what was written, and offer to show the ``folder`` it is in."""
        self.say(text)
        self._folder = folder
        self._open.show()

    def refuse(self, words: str) -> None:
        """Say why something typed is not taken; the key that ended it must not export the rest."""
        self.say(words)
        self.export.setEnabled(False)
        QTimer.singleShot(0, self, self._allow_again)

    def allow(self, is_possible: bool) -> None:
        """Let what is chosen be exported, or not."""
        self._is_possible = is_possible
        self._allow_again()

    def _allow_again(self) -> None:
        self.export.setEnabled(self._is_possible and not self._is_busy)

    def show_progress(self, progress: Progress[Any]) -> None:
        """Show how far it is."""
        self._bar.setMaximum(progress.total)
        self._bar.setValue(progress.done)
        self._message.setText(progress.text)

    def set_busy(self, is_busy: bool) -> None:
        """Offer to cancel, or to begin again."""
        self._is_busy = is_busy
        self.say("Drawing…" if is_busy else "")
        self._bar.reset()
        self._bar.setVisible(is_busy)
        self.cancel.setVisible(is_busy)
        for button in (self.reset, self.close_button):
            button.setEnabled(not is_busy)
        self._allow_again()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))
