"""What every dock has in common."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QDockWidget, QWidget

from mhagui.gui.bench import Bench, Frame


class Panel(QDockWidget):
    """A dock that draws the frames it is given, when it can be seen; it owns no truth of its own.

    A panel builds its widgets, turns what the user does into edits or looks on the bench, and draws
    frames in ``show_frame``. Hidden panels are not drawn; they catch up when they are shown.
    """

    def __init__(self, bench: Bench, object_name: str, title: str) -> None:
        super().__init__(title)
        self.setObjectName(object_name)
        self.bench = bench
        self._drawn: Frame | None = None
        bench.shown.connect(self._on_shown)
        self.visibilityChanged.connect(self._on_visibility_changed)

    def set_body(self, body: QWidget) -> None:
        """Make ``body`` the dock's content."""
        self.setWidget(body)

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw ``frame``; ``previous`` is what is drawn now, None when all must be drawn anew."""
        raise NotImplementedError

    def is_in_sight(self) -> bool:
        """Say whether the dock can be seen; Qt calls one behind other tabs visible."""
        corner = self.geometry().bottomRight()
        return self.isVisible() and (self.isWindow() or (corner.x() >= 0 and corner.y() >= 0))

    def _on_shown(self, frame: Frame) -> None:
        if frame is not self._drawn and self.is_in_sight():
            previous, self._drawn = self._drawn, frame
            self.show_frame(frame, previous)

    def _on_visibility_changed(self, _visible: bool) -> None:
        self._on_shown(self.bench.frame)

    def changeEvent(self, event: QEvent) -> None:
        """Draw everything anew in the new colours or fonts."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._drawn = None
            self._on_shown(self.bench.frame)
