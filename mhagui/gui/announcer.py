"""What changes is said to whoever does not see it."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from mhagui.document import Cursor, Quantity
from mhagui.gui.access import announce, is_listened_to
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.pictures import spoken_cell

REST_MILLISECONDS = 150  # longer than keys take to repeat


class Announcer(QObject):
    """Has a screen reader say the cell that the cursor comes to, and sentences it is given.

    All of one turn of the event loop is said at once, and a cell when the cursor has come to rest:
    whoever holds an arrow key down hears the last one. A number that changes under a cursor that
    stays, as when a gain is dragged, is not said: the slider says its own. Nothing is done where
    nothing listens.
    """

    def __init__(self, bench: Bench, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._sentences: list[str] = []
        self._frame: Frame | None = None  # whose cell is still to be said
        self._place = _place(bench.frame)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._send)
        bench.shown.connect(self._on_shown)

    def _on_shown(self, frame: Frame) -> None:
        if _place(frame) != self._place:
            self._place = _place(frame)
            if is_listened_to():
                self._frame = frame
                self._timer.start(REST_MILLISECONDS)

    def say(self, sentence: str) -> None:
        """Say ``sentence``, of what was done, refused or met, before any cell."""
        if is_listened_to():
            self._sentences.append(sentence)
            self._timer.start(0)

    def _send(self) -> None:
        sentences, frame = self._sentences, self._frame
        self._sentences, self._frame = [], None
        if frame is not None:
            sentences = [*sentences, spoken_cell(frame)]
        announce(self._window, " ".join(f"{sentence.rstrip('.')}." for sentence in sentences))


def _place(frame: Frame) -> tuple[Cursor, Quantity]:
    """Return where the cursor is, and of which numbers."""
    return frame.view.cursor, frame.view.quantity
