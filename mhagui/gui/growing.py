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

    def growth(self) -> float:
        """Return how many times as large type is as elsewhere."""
        return self._growth_in(self.size())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let type grow with the room."""
        super().resizeEvent(event)
        if self.growth() != self._growth_in(event.oldSize()):
            self.redraw()

    def redraw(self) -> None:
        """Draw all anew, in type of the right size."""
        growth = self.growth()
        self.widget().setFont(scaled_font(self.font(), growth) if growth > 1 else QFont())
        super().redraw()

    def _growth_in(self, size: QSize) -> float:
        usual = self.usual_size
        growth = min(size.width() / usual.width(), size.height() / usual.height())
        return round(min(max(growth, 1.0), MOST_GROWTH), 1)
