"""The line that heads have alike which share keys and values."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel

from mhagui.palette import key_head_line

WIDTH = 2.0
ROOM = 3  # pixels below a text


def draw_key_line(painter: QPainter, number: int, left: float, right: float, bottom: float) -> None:
    """Draw the line of key head ``number``, from 0, just above ``bottom``."""
    colour, dashes = key_head_line(number)
    pen = QPen(QColor(colour), WIDTH)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dashes is not None:
        pen.setDashPattern(list(dashes))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(pen)
    y = bottom - WIDTH / 2
    painter.drawLine(QPointF(left, y), QPointF(right, y))
    painter.restore()


class KeyLabel(QLabel):
    """A text about a key head, with the line of it below."""

    def __init__(self) -> None:
        super().__init__()
        self._number: int | None = None
        self.setTextFormat(Qt.TextFormat.PlainText)

    def show_key_head(self, number: int | None, text: str) -> None:
        """Show ``text``, which is about key head ``number``, from 0; None for none."""
        if (number, text) != (self._number, self.text()):
            self._number = number
            self.setText(text)
            self.setContentsMargins(0, 0, 0, 0 if number is None else ROOM)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, and the line."""
        super().paintEvent(event)
        if self._number is not None:
            painter = QPainter(self)
            right = min(self.fontMetrics().horizontalAdvance(self.text()), self.width())
            text = self.contentsRect()
            bottom = text.center().y() + self.fontMetrics().height() / 2 + ROOM
            draw_key_line(painter, self._number, 0.0, right, round(min(bottom, self.height())))
            painter.end()
