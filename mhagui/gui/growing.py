"""A panel whose type grows with its room: for a lecture hall."""

from typing import ClassVar

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QResizeEvent

from mhagui.gui.panel import Panel
from mhagui.gui.widgets.drawing import scaled_font

MOST_GROWTH = 3.0


class GrowingPanel(Panel):
    """Writes larger than elsewhere where it is larger than ``usual_size``."""

    usual_size: ClassVar[QSize]
    _growth = 1.0  # of what is written now: a hidden dock may be given any size

    def growth(self) -> float:
        """Return how many times as large type is as elsewhere."""
        room, usual = self.size(), self.usual_size
        growth = min(room.width() / usual.width(), room.height() / usual.height())
        return round(min(max(growth, 1.0), MOST_GROWTH), 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let type grow with the room."""
        super().resizeEvent(event)
        if self.growth() != self._growth:
            self.redraw()

    def redraw(self) -> None:
        """Draw all anew, in type of the right size."""
        self._growth = growth = self.growth()
        self.body.setFont(scaled_font(self.font(), growth) if growth > 1 else QFont())
        super().redraw()
