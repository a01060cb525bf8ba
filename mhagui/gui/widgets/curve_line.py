"""The lines of a CurvePlot: pyqtgraph's, but quick to draw where there are many points."""

from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

# isort: split
# Behind PySide6: pyqtgraph takes the Qt binding that is loaded already.
import pyqtgraph as pg
from pyqtgraph.graphicsItems.PlotCurveItem import arrayToLineSegments

Points = npt.NDArray[np.float64]


class Line(pg.PlotDataItem):  # type: ignore[misc]  # pyqtgraph is not typed
    """A line with markers; its points have ascending x."""

    def __init__(self) -> None:
        super().__init__()
        self.curve: Any
        self.curve.setParentItem(None)
        self.curve = _PixelCurve()
        self.curve.setParentItem(self)


class _PixelCurve(pg.PlotCurveItem):  # type: ignore[misc]
    """A plain line of which no more is drawn than there are pixels, and that in their units.

    Wide lines that Qt has to bring to the screen's scale itself take it several times as long.
    """

    def __init__(self) -> None:
        super().__init__()
        self._drawn: tuple[Any, ...] = ()
        self._segments: Any = None

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None
    ) -> None:
        """Draw a line that is neither dashed nor smooth by itself, any other as pyqtgraph does."""
        pen, (x, _) = self.opts["pen"], self.getData()
        if x is None or self.opts["antialias"] or pen.style() != Qt.PenStyle.SolidLine:
            super().paint(painter, option, widget)
            return
        self._bring_to(painter.worldTransform(), painter.device().devicePixelRatioF())
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(pen)
        painter.drawLines(*self._segments.drawargs())
        painter.restore()

    def _bring_to(self, scale: QTransform, ratio: float) -> None:
        """Make the segments, unless the same points were drawn at the same scale."""
        x, y = self.getData()
        drawn = (x, y, scale, ratio)
        if not self._drawn or not (
            x is self._drawn[0] and y is self._drawn[1] and drawn[2:] == self._drawn[2:]
        ):
            points = x * scale.m11() + scale.dx(), y * scale.m22() + scale.dy()
            self._segments = arrayToLineSegments(*peaks(*points, ratio), "finite", True)
            self._drawn = drawn


def peaks(x: Points, y: Points, pixels: float = 1.0) -> tuple[Points, Points]:
    """Return the lowest and the highest of the points on each column of pixels, if they are many.

    ``x`` ascends, in units of which one has so many ``pixels``. No extreme is lost, nor the last.
    """
    columns = np.floor(x * pixels)
    if len(x) <= 2 * (columns[-1] - columns[0] + 1):
        return x, y
    starts = np.flatnonzero(np.diff(columns, prepend=columns[0] - 1))
    low, high = np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)
    falls = y[starts] - low > high - y[starts]  # then the highest comes first
    first, second = np.where(falls, high, low), np.where(falls, low, high)
    heights = np.append(np.column_stack([first, second]).ravel(), y[-1])
    return np.append(np.repeat(x[starts], 2), x[-1]), heights
