"""A colour bar lying on its side, for where an upright one would take the room of the cells."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.colour_bar import ColourKey

BAR_HEIGHT = 8.0
GAP = 5.0
TICK = 3.0
_LEAST_BAR = 24.0


class ColourStrip(ColourKey):
    """The colours of a ``ColourRange`` from left to right, its ends written beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return a size for both ends and some colours between."""
        metrics = self._metrics()
        texts = sum(metrics.horizontalAdvance(text) for text in self._ends())
        return QSize(round(texts + 2 * GAP + 3 * _LEAST_BAR), round(metrics.height()))

    def minimumSizeHint(self) -> QSize:
        """Return a size for both ends and a few colours."""
        hint = self.sizeHint()
        return QSize(round(hint.width() - 2 * _LEAST_BAR), hint.height())

    def bar_rect(self) -> QRectF:
        """Return where the colours are."""
        low, high = (self._metrics().horizontalAdvance(text) + GAP for text in self._ends())
        top = round((self.height() - BAR_HEIGHT) / 2)
        return QRectF(round(low), top, max(round(self.width() - low - high), 1), BAR_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the colours, their ends, and a mark at 0 where that is between them."""
        if self._scale is None:
            return
        theme, bar = theme_of(self.palette()), self.bar_rect()
        painter = QPainter(self)
        self.paint_colours(painter, bar, upright=False)
        painter.setPen(theme.muted)
        painter.setFont(self.label_font())
        self._paint_ends(painter)
        if self._scale.low < 0 < self._scale.high:
            x = bar.left() + self._scale.fraction(0.0) * bar.width()
            painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + TICK))
        painter.end()

    def _ends(self) -> tuple[str, str]:
        scale = self._scale
        return (scale.text(scale.low), scale.text(scale.high)) if scale else ("", "")

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.label_font())

    def _paint_ends(self, painter: QPainter) -> None:
        box, middle = QRectF(self.rect()), Qt.AlignmentFlag.AlignVCenter
        low, high = self._ends()
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | middle, low)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | middle, high)
