"""What the menus do with the file or model that is open beside the bench."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.opening.openings import Openings

TOKENS_AGAIN = "Shown with all tokens again"


class CaptureCommands(QObject):
    """Runs the model on another prompt, and shows what is open by words.

    Signals
    -------
    said, refused
        Something was done, or cannot be; carries a sentence.
    """

    said = Signal(str)
    refused = Signal(str)

    def __init__(self, captures: CaptureSession, openings: Openings, parent: QObject) -> None:
        super().__init__(parent)
        self._captures, self._openings = captures, openings
        self._actions: Mapping[str, QAction] = {}

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what each action does, by its key."""
        return {"prompt": self._openings.ask_for_prompt, "words": self._turn_words}

    def mark(self, actions: Mapping[str, QAction]) -> None:
        """Have ``actions`` grey and checked as what is open has them, from now on."""
        self._actions = actions
        self._captures.changed.connect(self._mark)
        self._mark()

    def _mark(self) -> None:
        captures = self._captures
        self._actions["prompt"].setEnabled(captures.model is not None)
        self._actions["words"].setEnabled(captures.capture is not None)
        self._actions["words"].setChecked(captures.is_by_words)

    def _turn_words(self) -> None:
        """Show by words what is shown by tokens, or the other way."""
        captures = self._captures
        is_done = captures.show_by_words(wanted=not captures.is_by_words)
        self._mark()  # the action is checked already
        if captures.why_not_words:
            self.refused.emit(captures.why_not_words)
        elif is_done and captures.capture is not None:
            self.said.emit(captures.capture.notes[-1] if captures.is_by_words else TOKENS_AGAIN)
