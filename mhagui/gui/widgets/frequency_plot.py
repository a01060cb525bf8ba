"""Curves over frequency, from 0 to half a cycle per position."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from mhagui.gui.widgets.curve_plot import MARKER_PIXELS, Curve, CurvePlot, marker_brush
from mhagui.gui.widgets.plot_axes import Axis

# isort: split
# Behind PySide6: pyqtgraph takes the Qt binding that is loaded already.
import pyqtgraph as pg

MARKS = 6  # on one curve
TICK_GAP = 14  # pixels around an axis' tick labels


class FrequencyPlot(CurvePlot):
    """A CurvePlot over ω/π from 0 to 1, its curves marked here and there.

    Marks of different curves stand at different places, so that all of them are seen where curves
    lie on one another.
    """

    def __init__(self, y_title: str) -> None:
        self.marks: list[Any] = []  # an item a curve: most ticks of a gain move one curve
        self._marked: tuple[Curve, ...] = ()
        super().__init__("frequency ω/π", y_title)
        self.box.setXRange(-0.03, 1.05, padding=0)  # room for the last label

    def set_curves(self, curves: Sequence[Curve], ceiling: Curve | None = None) -> None:
        """Draw ``curves``, each over its own ``at``."""
        super().set_curves(curves, ceiling)
        if len(curves) != len(self.marks):
            self._marked = ()  # all marks move
        while len(self.marks) > len(curves):
            self.box.removeItem(self.marks.pop())
        while len(self.marks) < len(curves):
            self.marks.append(pg.ScatterPlotItem(pen=None, size=MARKER_PIXELS))
            self.box.addItem(self.marks[-1])
        for place, (curve, marked) in enumerate(zip_longest(curves, self._marked)):
            if marked is None or not _is_same(curve, marked):
                _mark(self.marks[place], curve, place, len(curves))
        self._marked = tuple(curves)

    def keep_room(self, *ticks: str) -> None:
        """Keep room for tick labels as wide as ``ticks``, whichever there are."""
        metrics = self.fontMetrics()
        widest = max(metrics.horizontalAdvance(text) for text in ticks)
        self.axes["left"].setWidth(widest + metrics.height() + TICK_GAP)

    def _make_axes(self, x_prefix: str) -> dict[str, Axis]:  # noqa: ARG002 - fractions have none
        return {"bottom": Axis("bottom"), "left": Axis("left")}

    def _set_x_range(self, n_points: int) -> None:
        """Leave the range as it is: it does not follow from how many points there are."""


def _mark(marks: pg.ScatterPlotItem, curve: Curve, place: int, n_curves: int) -> None:
    """Put the marks of curve ``place`` where the other curves have none."""
    last = len(curve.values) - 1
    shares = (np.arange(MARKS) * n_curves + place + 0.5) / (MARKS * n_curves)
    at = np.rint(shares * last).astype(int)
    at = at[np.isfinite(curve.values[at])]
    x = at / last if curve.at is None else curve.at[at]
    marks.setData(x, curve.values[at], symbol=curve.symbol, brush=marker_brush(curve.colour.rgba()))


def _is_same(one: Curve, other: Curve) -> bool:
    """Return whether both have the same marks; values are the same when they are one array."""
    looks = [(c.colour, c.symbol) for c in (one, other)]
    return one.values is other.values and looks[0] == looks[1]
