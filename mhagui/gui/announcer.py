"""What changes is said to whoever does not see it."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from mhagui.document import Cursor, Quantity
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.pictures import spoken_cell


class Announcer(QObject):
    """Has a screen reader say the cell that the cursor comes to, and sentences it is given.

    All of one turn of the event loop is said at once, and of several cells the last: whoever holds
    an arrow key down hears where it came to rest. A number that changes under a cursor that stays,
    as when a gain is dragged, is not said: the slider says its own. Nothing is done where nothing
    listens.
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
            self._place, self._frame = _place(frame), frame
            self._timer.start()

    def say(self, sentence: str) -> None:
        """Say ``sentence``, of what was done, refused or met, before any cell."""
        self._sentences.append(sentence)
        self._timer.start()

    def _send(self) -> None:
        sentences, frame = self._sentences, self._frame
        self._sentences, self._frame = [], None
        if QAccessible.isActive():
            if frame is not None:
                sentences = [*sentences, spoken_cell(frame)]
            text = " ".join(f"{sentence.rstrip('.')}." for sentence in sentences)
            event = QAccessibleAnnouncementEvent(self._window, text)
            QAccessible.updateAccessibility(event)


def _place(frame: Frame) -> tuple[Cursor, Quantity]:
    """Return where the cursor is, and of which numbers."""
    return frame.view.cursor, frame.view.quantity
