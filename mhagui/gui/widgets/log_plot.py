"""Curves over logarithmic axes: where a line's slope is its power."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QSizePolicy

from mhagui.formats import superscript
from mhagui.gui.widgets.curve_plot import Curve, CurvePlot
from mhagui.gui.widgets.plot_axes import Axis, round_step

LINES = 12  # of text, which the plot is as high as


class LogPlot(CurvePlot):
    """A CurvePlot of positive numbers over positive numbers, with ticks at powers of ten.

    The ranges are those of the curves, upwards to the whole decade. Its height is its own, for it
    stands in columns that scroll.
    """

    def __init__(self, x_title: str, y_title: str) -> None:
        super().__init__(x_title, y_title)
        # Not ignored, as in other plots: a column with wrapped text would give it no room at all.
        self.view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy = self.legend.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Preferred)  # so it has the lines it needs
        self.legend.setSizePolicy(policy)

    def set_curves(self, curves: Sequence[Curve], ceiling: Curve | None = None) -> None:
        """Draw ``curves``; each has its places in ``at``, and there is no ceiling."""
        drawn = [_logarithmic(curve) for curve in curves]
        places = np.concatenate([curve.at for curve in drawn if curve.at is not None])
        heights = np.concatenate([curve.values for curve in drawn])
        self._show_range(places, heights)
        super().set_curves(drawn, ceiling)

    def set_cursor(self, x: int | None) -> None:
        """Mark the place ``x`` by a vertical line; None marks none."""
        super().set_cursor(x)
        if x is not None:
            self.cursor_line.setValue(math.log10(x))

    def _number(self, drawn: float) -> float:
        """Return the number of which ``drawn`` is the logarithm."""
        return float(10.0**drawn)

    def _restyle(self) -> None:
        super()._restyle()
        self.view.setFixedHeight(LINES * self.fontMetrics().height())

    def _show_range(
        self, places: npt.NDArray[np.float64], heights: npt.NDArray[np.float64]
    ) -> None:
        low, high = float(places.min()), float(places.max())
        room = 0.03 * (high - low) or 0.5
        self.box.setXRange(low - room, high + room, padding=0)
        lowest = math.floor(heights.min())
        self.set_y_range(lowest, max(math.ceil(heights.max()), lowest + 1))

    def _set_x_range(self, n_points: int) -> None:
        """Leave the range as it is: it does not follow from how many points there are."""

    def _make_axes(self, x_prefix: str) -> dict[str, Axis]:  # noqa: ARG002 - powers have none
        return {"bottom": _PowerAxis("bottom"), "left": _PowerAxis("left")}


class _PowerAxis(Axis):
    """An axis of logarithms, with ticks at powers of ten, as many as have room."""

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return every first, second, fifth .. whole number from ``low`` to ``high``."""
        metrics = QFontMetrics(self.style["tickFont"])
        across = self.orientation == "bottom"
        room = metrics.horizontalAdvance("10²⁰  ") if across else 1.5 * metrics.height()
        step = round_step((high - low) * room / max(size, 1.0))
        first = step * math.ceil(low / step)
        return [(step, [float(value) for value in range(first, math.floor(high) + 1, step)])]

    def tickStrings(
        self,
        values: list[float],
        scale: float,  # noqa: ARG002 - pyqtgraph gives both
        spacing: float,  # noqa: ARG002
    ) -> list[str]:
        """Return 1, 10, 10², 10³ .."""
        return [power_of_ten(round(value)) for value in values]


def power_of_ten(exponent: int) -> str:
    """Return ten to the ``exponent`` as text: 1, 10, 10², 10⁻³."""
    return ("1", "10")[exponent] if exponent in (0, 1) else f"10{superscript(exponent)}"


def _logarithmic(curve: Curve) -> Curve:
    at = np.arange(1.0, len(curve.values) + 1) if curve.at is None else curve.at
    return replace(curve, values=np.log10(curve.values), at=np.log10(at))
