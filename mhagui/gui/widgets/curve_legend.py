"""The legend of a CurvePlot: a strip outside the plot, so that it never covers a curve."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mhagui.gui.formulas import Formula
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.formula_tip import with_formula
from mhagui.palette import HEAD_MARKERS

# isort: split
# Behind PySide6: pyqtgraph takes the Qt binding that is loaded already.
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol

SYMBOLS = tuple(marker.on_screen for marker in HEAD_MARKERS)

SAMPLE_WIDTH = 16
GAP = 8
MARGIN = 4
MARKER = 8


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One entry: a marker on a line, or without a symbol the ceiling's band, and its text."""

    label: str
    colour: QColor | None = None
    symbol: str | None = None
    dimmed: bool = False
    formula: Formula | None = None


class CurveLegend(QWidget):
    """Draws its entries one behind the other, in as many lines as they need."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[LegendEntry, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_entries(self, entries: tuple[LegendEntry, ...]) -> None:
        """Show ``entries`` from now on."""
        if entries == self.entries:
            return
        self.entries = entries
        self.setAccessibleName("Legend: " + ", ".join(entry.label for entry in entries))
        self.updateGeometry()
        self.update()

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines when the strip is ``width`` wide."""
        places = self._places(width)
        lines = places[-1].y() // self._line_height() + 1 if places else 0
        return lines * self._line_height()

    def sizeHint(self) -> QSize:
        """Return the size of one line."""
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        """Return the least size: the widest entry on each line."""
        widest = max((self._width(entry) for entry in self.entries), default=0)
        return QSize(widest + 2 * MARGIN, self._line_height() if self.entries else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for more lines, or fewer."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the entries."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = theme_of(self.palette())
        for entry, place in zip(self.entries, self._places(self.width()), strict=True):
            middle = place + QPoint(0, self._line_height() // 2)
            _paint_sample(painter, entry, entry.colour or theme.hatch, middle)
            painter.setPen(theme.muted if entry.dimmed else theme.text)
            left = place.x() + SAMPLE_WIDTH + MARGIN
            box = QRectF(left, place.y(), self.width() - left, self._line_height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, entry.label)

    def event(self, event: QEvent) -> bool:
        """Explain the entry under a pointer at rest, where it is of a quantity of its own."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            formula = self._formula_at(event.pos())
            if formula is not None:
                QToolTip.showText(event.globalPos(), with_formula(formula), self)
                return True
        return super().event(event)

    def _formula_at(self, spot: QPoint) -> Formula | None:
        for entry, place in zip(self.entries, self._places(self.width()), strict=True):
            if QRect(place, QSize(self._width(entry), self._line_height())).contains(spot):
                return entry.formula
        return None

    def _places(self, width: int) -> list[QPoint]:
        """Return the top left corner of each entry."""
        places, x, y = [], MARGIN, 0
        for entry in self.entries:
            if x > MARGIN and x + self._width(entry) > width - MARGIN:
                x, y = MARGIN, y + self._line_height()
            places.append(QPoint(x, y))
            x += self._width(entry) + GAP
        return places

    def _width(self, entry: LegendEntry) -> int:
        return SAMPLE_WIDTH + MARGIN + self.fontMetrics().horizontalAdvance(entry.label)

    def _line_height(self) -> int:
        return self.fontMetrics().height() + 4


def _paint_sample(
    painter: QPainter, entry: LegendEntry, colour: QColor, left_middle: QPoint
) -> None:
    right = left_middle + QPoint(SAMPLE_WIDTH, 0)
    style = Qt.PenStyle.DashLine if entry.dimmed else Qt.PenStyle.SolidLine
    thickness = 2 if entry.symbol else 7
    painter.setPen(QPen(colour, thickness, style, Qt.PenCapStyle.FlatCap))
    painter.drawLine(left_middle, right)
    if entry.symbol:
        painter.save()
        painter.translate((left_middle + right) / 2)
        drawSymbol(painter, entry.symbol, MARKER, QPen(Qt.PenStyle.NoPen), colour)
        painter.restore()
