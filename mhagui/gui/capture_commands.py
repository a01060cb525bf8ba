"""What the menus do with the file or model that is open beside the bench."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from mhagui.gui.actions import ACTIONS, set_tip
from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.opening.openings import Openings

WORDS_TIP = next(info.tip for info in ACTIONS if info.key == "words")
TOKENS_AGAIN = "Shown with all tokens again"


class CaptureCommands(QObject):
    """Runs the model on another prompt, and shows what is open by words.

    Signals
    -------
    said
        Something was done; carries a sentence.
    refused
        Something was not done, and all is as it was.
    """

    said = Signal(str)
    refused = Signal()

    def __init__(self, captures: CaptureSession, openings: Openings, parent: QObject) -> None:
        super().__init__(parent)
        self._captures, self._openings = captures, openings

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what each action does, by its key."""
        return {"prompt": self._openings.ask_for_prompt, "words": self._turn_words}

    def show(self, actions: Mapping[str, QAction]) -> None:
        """Grey what cannot be done with what is open, and say why; mark what is by words."""
        actions["prompt"].setEnabled(self._captures.model is not None)
        words, why_not = actions["words"], self._captures.why_not_words
        words.setEnabled(not why_not)
        words.setChecked(self._captures.is_by_words)
        set_tip(words, why_not.rstrip(".") or WORDS_TIP)

    def _turn_words(self) -> None:
        """Show by words what is shown by tokens, or the other way."""
        captures = self._captures
        if not captures.show_by_words(wanted=not captures.is_by_words):
            self.refused.emit()
        elif captures.capture is not None:
            self.said.emit(captures.capture.notes[-1] if captures.is_by_words else TOKENS_AGAIN)
