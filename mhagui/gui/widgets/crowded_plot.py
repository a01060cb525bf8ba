"""Curves of many heads over many positions, so drawn that each head can still be followed."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from mhagui.gui.widgets.curve_line import Line
from mhagui.gui.widgets.curve_plot import NEAR, Curve, CurvePlot

# isort: split
# Behind PySide6: pyqtgraph takes the Qt binding that is loaded already.
import pyqtgraph as pg

MOST_POINTS = 600  # of all curves together, that are drawn one by one
MOST_ALIKE = 8  # curves, that are drawn alike
KNOTS = 32  # at most, of a curve of means
FAINT = 150  # of 255, how strong the exact curve is behind its means

Doubles = npt.NDArray[np.float64]


class CrowdedPlot(CurvePlot):
    """Draws means of neighbouring positions where there are more points than can be told apart.

    The current head is drawn strongly there, with its exact curve behind it; among many heads it is
    drawn strongly where all are exact, too.
    """

    def __init__(self, x_title: str, y_title: str, *, x_prefix: str = "") -> None:
        super().__init__(x_title, y_title, x_prefix=x_prefix, can_point=True)
        self._exact: tuple[Curve, ...] = ()
        self._band: Curve | None = None  # for the ceiling of the plot
        self._current = -1
        self._behind = Line()
        self._behind.setZValue(-0.5)
        self._behind_of: tuple[Doubles, int] | None = None
        self.box.addItem(self._behind)

    @property
    def per_mean(self) -> int:
        """How many positions a point of the curves is the mean of, 1 where they are exact."""
        n_points = max((len(curve.values) for curve in self._exact), default=0)
        is_crowded = len(self._exact) > 1 and n_points * len(self._exact) > MOST_POINTS
        return -(-n_points // KNOTS) if is_crowded else 1

    def set_heads(self, curves: tuple[Curve, ...], ceiling: Curve, current: int) -> None:
        """Draw a curve to each head, the head at the place ``current`` strongly."""
        before = list(zip(self._exact, self.curves, strict=False))
        self._exact, self._band, self._current = curves, ceiling, current
        length = self.per_mean
        if length > 1:
            curves = tuple(
                replace(_mean(curve, length, before[place : place + 1]), strong=place == current)
                for place, curve in enumerate(curves)
            )
        elif len(curves) > MOST_ALIKE:
            curves = tuple(
                replace(curve, strong=place == current) for place, curve in enumerate(curves)
            )
        self.set_curves(curves, ceiling)
        self._draw_behind(length > 1)

    def set_current(self, current: int) -> None:
        """Draw another head strongly."""
        if current != self._current and self._band is not None:
            self.set_heads(self._exact, self._band, current)

    def _draw_behind(self, is_crowded: bool) -> None:
        has_it = is_crowded and 0 <= self._current < len(self._exact)
        self._behind.setVisible(has_it)
        if not has_it:
            return
        curve = self._exact[self._current]
        colour = QColor(curve.colour)
        colour.setAlpha(FAINT)
        of = self._behind_of
        if of is None or of[0] is not curve.values or of[1] != colour.rgba():
            self._behind_of = curve.values, colour.rgba()
            xs = np.arange(1.0, len(curve.values) + 1)
            pen = pg.mkPen(colour, width=self.devicePixelRatioF())
            self._behind.setData(xs, curve.values, pen=pen, connect="finite")

    def _set_x_range(self, n_points: int) -> None:
        super()._set_x_range(max((len(curve.values) for curve in self._exact), default=n_points))

    def _curve_at(self, place: QPointF) -> tuple[Curve, int] | None:
        """Return the exact curve of the means, or of the current head, that pass near ``place``."""
        found = super()._curve_at(place)
        if self.per_mean == 1:
            return found
        curve = None if found is None else self._exact[self.curves.index(found[0])]
        at = round(place.x()) - 1
        if curve is None and 0 <= self._current < len(self._exact):
            curve = self._exact[self._current]
            near = curve.values[max(at - 1, 0) : at + 2] - place.y()
            if not (np.abs(near) <= NEAR * self.box.viewPixelSize()[1]).any():
                return None
        if curve is None:
            return None
        return curve, min(max(at, 0), len(curve.values) - 1)


def _mean(curve: Curve, length: int, before: list[tuple[Curve, Curve]]) -> Curve:
    """Return the means of a curve: those of ``before``, exact and drawn, where it is the same."""
    for exact, drawn in before:
        if exact.values is curve.values and drawn.at is not None:
            return replace(curve, values=drawn.values, at=drawn.at, smooth=False)
    values, at = means(curve.values, length)
    return replace(curve, values=values, at=at, smooth=False)


def means(values: Doubles, length: int) -> tuple[Doubles, Doubles]:
    """Return the means of each ``length`` neighbours, of those that are known; and their places.

    Places count from 1; the last mean may be of fewer.
    """
    starts = np.arange(0, len(values), length)
    known = np.isfinite(values)
    counts = np.add.reduceat(known.astype(float), starts)
    sums = np.add.reduceat(np.where(known, values, 0.0), starts)
    result = np.divide(sums, counts, out=np.full(len(starts), np.nan), where=counts > 0)
    ends = np.minimum(starts + length, len(values))
    return result, (starts + 1 + ends) / 2
