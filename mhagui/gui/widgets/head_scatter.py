"""All heads as points over two scores: a CurvePlot with points instead of curves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent
from PySide6.QtWidgets import QToolTip

from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.curve_legend import LegendEntry
from mhagui.gui.widgets.curve_plot import MARKER_PIXELS, NO_PEN, CurvePlot, marker_brush
from mhagui.gui.widgets.plot_axes import Axis

# isort: split
# Behind PySide6: pyqtgraph takes the Qt binding that is loaded already.
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent

LEAST_RANGE = 1e-300  # of scores, that is shown as it is
REACH = 12.0  # pixels from a point within which it is meant
RING, BENCH_RING = 13, 17  # pixels
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Points that look alike: their name in the legend, which they are, colour and symbol."""

    label: str
    places: npt.NDArray[np.intp]
    colour: QColor
    symbol: str


class HeadScatter(CurvePlot):
    """Shows N heads by two scores; a click or an arrow key makes one current.

    Arrows go to the next one by the score across, or by that upwards.

    Signals
    -------
    headed
        Another head is current; carries its place.
    asked
        Enter was pressed; carries the place of the current head.
    """

    least_lines = 5

    headed = Signal(int)
    asked = Signal(int)

    def __init__(self) -> None:
        super().__init__("", "", can_point=True)
        self._head_tip: Callable[[int], str] = str
        self._xs = self._ys = np.empty(0)
        self._groups: list[Any] = []
        self._current = self._on_bench = -1
        self._rings = [pg.ScatterPlotItem(), pg.ScatterPlotItem()]
        self._note = pg.TextItem(anchor=(0.5, 0.5))
        for item in (*self._rings, self._note):
            item.setZValue(5)
            self.box.addItem(item)

    def set_points(
        self,
        points: tuple[Doubles, Doubles],
        titles: tuple[str, str],
        groups: tuple[Group, ...],
        tip_of: Callable[[int], str],
        note: str = "",
    ) -> None:
        """Show a point for each head where both scores are defined.

        ``points`` and ``titles`` are those across and upwards; ``tip_of`` returns what the tooltip
        says of a head, by its place; ``note`` stands in the middle of a plot without points.
        """
        self._xs, self._ys = xs, ys = points
        self._head_tip = tip_of
        for item in self._groups:
            self.box.removeItem(item)
        self._groups = [_points(xs[g.places], ys[g.places], g) for g in groups]
        for item in self._groups:
            self.box.addItem(item)
        self.legend.set_entries(tuple(LegendEntry(g.label, g.colour, g.symbol) for g in groups))
        self._show_range()
        self._note.setPlainText(note)
        self._note.setVisible(bool(note))
        self._note.setPos(0.5, 0.5)  # the middle of the range that there is without points
        self._draw_rings()
        if titles != tuple(self._titles.values()):
            self._titles = {"bottom": titles[0], "left": titles[1]}
            self._restyle()

    def mark(self, current: int, on_bench: int) -> None:
        """Ring the current head, and the one on the bench; -1 is none."""
        if (current, on_bench) != (self._current, self._on_bench):
            self._current, self._on_bench = current, on_bench
            self._draw_rings()

    def place_of(self, head: int) -> QPointF:
        """Return where the point of a head is, in pixels of ``view``."""
        place = self.box.mapViewToScene(QPointF(self._xs[head], self._ys[head]))
        return QPointF(self.view.mapFromScene(place))

    def head_at(self, place: QPointF) -> int:
        """Return the head whose point is nearest to a place in the plot, -1 where none is near."""
        if not self._known.any():
            return -1
        width, height = self.box.viewPixelSize()
        away = np.hypot((self._xs - place.x()) / width, (self._ys - place.y()) / height)
        nearest = int(np.nanargmin(away))
        return nearest if away[nearest] <= REACH else -1

    @property
    def _known(self) -> npt.NDArray[np.bool_]:
        known: npt.NDArray[np.bool_] = np.isfinite(self._xs) & np.isfinite(self._ys)
        return known

    def _show_range(self) -> None:
        known = self._known
        for values, show in ((self._xs, self.box.setXRange), (self._ys, self.box.setYRange)):
            low, high = (0.0, 1.0)
            if known.any():
                low, high = min(float(values[known].min()), 0.0), float(values[known].max())
            # Of less the scale to pixels would be infinite, and Qt crash.
            room = 0.09 * (high - low if high - low > LEAST_RANGE else 1.0)
            show(low - room, high + room, padding=0)

    def _draw_rings(self) -> None:
        theme, ratio = theme_of(self.palette()), self.devicePixelRatioF()
        heads, colours = (self._on_bench, self._current), (theme.cursor, theme.text)
        for ring, head, colour, size in zip(
            self._rings, heads, colours, (BENCH_RING, RING), strict=True
        ):
            at = [head] if 0 <= head < len(self._xs) and self._known[head] else []
            pen = pg.mkPen(colour, width=2 * ratio)
            ring.setData(self._xs[at], self._ys[at], size=size, pen=pen, brush=None, symbol="o")
        self._note.setColor(theme.text)
        self._note.fill = pg.mkBrush(theme.plot)
        self._note.setFont(self.font())

    # --- what is another way than with curves

    def _make_axes(self, _x_prefix: str) -> dict[str, Axis]:
        return {"bottom": Axis("bottom"), "left": Axis("left")}

    def _restyle(self) -> None:
        super()._restyle()
        if hasattr(self, "_rings"):  # CurvePlot does so while it is made
            self._draw_rings()

    def _on_clicked(self, event: MouseClickEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            head = self.head_at(self.box.mapSceneToView(event.scenePos()))
            if head >= 0:
                self.headed.emit(head)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next head by one of the scores, or ask for the current one."""
        steps = {
            Qt.Key.Key_Left: (self._xs, -1), Qt.Key.Key_Right: (self._xs, 1),
            Qt.Key.Key_Down: (self._ys, -1), Qt.Key.Key_Up: (self._ys, 1),
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current >= 0:
            self.asked.emit(self._current)
        elif key in steps and self._known.any():
            self.headed.emit(self._next(*steps[key]))
        else:
            event.ignore()

    def _next(self, scores: Doubles, step: int) -> int:
        """Return the head that is next by ``scores``; of equal ones as they come."""
        order = [int(head) for head in np.argsort(scores, kind="stable") if self._known[head]]
        if self._current not in order:
            return order[0]
        place = order.index(self._current) + step
        return order[min(max(place, 0), len(order) - 1)]

    def event(self, event: QEvent) -> bool:
        """Tell of the head under a pointer at rest all that is known."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self.view.mapToScene(self.view.mapFromGlobal(event.globalPos()))
            head = self.head_at(self.box.mapSceneToView(place))
            if head >= 0:
                QToolTip.showText(event.globalPos(), self._head_tip(head), self)
                return True
        return super().event(event)


def _points(xs: Doubles, ys: Doubles, group: Group) -> pg.ScatterPlotItem:
    known = np.isfinite(xs) & np.isfinite(ys)
    item = pg.ScatterPlotItem(
        xs[known],
        ys[known],
        symbol=group.symbol,
        size=MARKER_PIXELS,
        brush=marker_brush(group.colour.rgba()),
        pen=NO_PEN,
    )
    item.setZValue(1 if group.label else 0)
    return item
