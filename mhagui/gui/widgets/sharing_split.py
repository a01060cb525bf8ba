"""Two parts that share the room between them, until the user shares it otherwise."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget


class SharingSplit(QSplitter):
    """Gives the first part as much as it wants of the room, and the second the rest.

    Once the user has moved the handle it stays there.
    """

    def __init__(self, *parts: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._is_moved = False
        for part in parts:
            self.addWidget(part)
        self.setChildrenCollapsible(False)
        self.splitterMoved.connect(self._on_moved)

    def arrange(self) -> None:
        """Share the room anew."""
        if not self._is_moved:
            room = self._along(self.size())
            first = self._wanted(room)
            self.setSizes([first, room - first])

    def _wanted(self, room: int) -> int:
        """Return how much of the ``room``, in pixels, the first part has."""
        raise NotImplementedError

    def _along(self, size: QSize) -> int:
        """Return how long ``size`` is in the direction in which the parts follow one another."""
        is_wide = self.orientation() is Qt.Orientation.Horizontal
        return size.width() if is_wide else size.height()

    def _on_moved(self) -> None:
        self._is_moved = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new room."""
        super().resizeEvent(event)
        self.arrange()

    def event(self, event: QEvent) -> bool:
        """Share the room anew when a part asks for more or less."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.arrange()
        return done
