"""A mark that says whether something is met."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mhagui.gui.icons import draw_icon
from mhagui.gui.theme import theme_of


class StateIcon(QWidget):
    """A tick in a circle where something is met, an empty circle where it is not; as high as text.

    It says nothing to a screen reader: the text beside it has to.
    """

    def __init__(self) -> None:
        super().__init__()
        self.met = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_met(self, met: bool) -> None:
        """Show whether it is met."""
        if met != self.met:
            self.met = met
            self.update()

    def sizeHint(self) -> QSize:
        """Return a square as high as a line of text."""
        side = self.fontMetrics().height()
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the mark: green where it is met, and of another shape too."""
        theme = theme_of(self.palette())
        name, colour = ("met", theme.met) if self.met else ("unmet", theme.muted)
        painter = QPainter(self)
        draw_icon(painter, name, QRectF(self.rect()), colour)
        painter.end()
