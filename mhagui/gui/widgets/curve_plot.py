"""Curves over positions 1..n: pyqtgraph's view box and axes, made into a Qt widget.

Not its PlotWidget: that makes seven menus, shown or not, which outlive it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QFontInfo,
    QHelpEvent,
    QKeyEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QVBoxLayout, QWidget

from mhagui.formats import short
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.curve_legend import SYMBOLS, CurveLegend, LegendEntry
from mhagui.gui.widgets.curve_line import Line
from mhagui.gui.widgets.formula_tip import tip_of_part, with_formula
from mhagui.gui.widgets.plot_axes import Axis, PositionAxis
from mhagui.gui.widgets.words import plain

# isort: split
# Behind PySide6: pyqtgraph takes the Qt binding that is loaded already.
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent

MOST_MARKED_POINTS = 64
MARKER_PIXELS = 7
BAND_PIXELS = 9
LEAST_LINES = 8
NEAR = 8  # pixels above or below a curve
TALL_LINES = 11  # from where there is room for a title below
WORDS_SHARE = 5  # of the height, that turned words take at most
NO_PEN = QPen(Qt.PenStyle.NoPen)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One line of a CurvePlot.

    Attributes
    ----------
    label
        Its name in the legend.
    values
        Its height at x = 1..n; NaN leaves a gap.
    colour
        Of line, markers and legend.
    symbol
        Its markers, one of ``SYMBOLS``: curves are told apart without colour too.
    dimmed
        Drawn dashed; as strongly as others, for it still has to be seen.
    at
        The x of each value, where that is not 1..n.
    formula
        What the legend says of it, where that is more than the plot says.
    strong
        Drawn wider than others, and over them.
    smooth
        Drawn with soft edges, which of many curves takes long.
    """

    label: str
    values: npt.NDArray[np.float64]
    colour: QColor
    symbol: str = SYMBOLS[0]
    dimmed: bool = False
    at: npt.NDArray[np.float64] | None = None
    formula: Formula | None = None
    strong: bool = False
    smooth: bool = True


class CurvePlot(QWidget):
    """A legend above a plot with fixed ranges: no menu, no zoom, no use of the wheel.

    Attributes
    ----------
    curves
        What is drawn.
    lines
        The items that draw it, one for each curve.
    cursor_line
        The item that marks the cursor.

    Signals
    -------
    pointed
        A click or an arrow key asks for the cursor at x (from 1), where ``can_point``.
    """

    least_lines = LEAST_LINES  # of text, that it is as high as at least

    pointed = Signal(int)

    def __init__(
        self, x_title: str, y_title: str, *, x_prefix: str = "", can_point: bool = False
    ) -> None:
        super().__init__()
        self._titles = {"bottom": x_title, "left": y_title}
        self.axes: Any = self._make_axes(x_prefix)
        self.legend = CurveLegend()
        self.view: Any = pg.GraphicsView()
        self.box: Any = pg.ViewBox(enableMenu=False, enableMouse=False)
        self._ceiling: Any = pg.PlotCurveItem(antialias=True)
        self._ceiling_values: npt.NDArray[np.float64] | None = None
        self.lines: list[Any] = []
        self.curves: tuple[Curve, ...] = ()
        self.cursor_line: Any = pg.InfiniteLine(angle=90, movable=False)
        self._x: int | None = None
        self._words: tuple[str, ...] = ()
        self._tips: tuple[str, ...] = ()
        self._can_point = can_point
        self._arrange()
        self._prepare()
        self._restyle()
        self.box.sigResized.connect(self._fit_words)

    def set_y_range(self, low: float, high: float) -> None:
        """Show ``low`` to ``high``, with room for the markers above and for half a label below."""
        span = high - low
        self.box.setYRange(low - 0.09 * span, high + 0.05 * span, padding=0)

    def set_curves(self, curves: Sequence[Curve], ceiling: Curve | None = None) -> None:
        """Draw ``curves``, and behind them ``ceiling`` as a band that shows under any curve."""
        self._set_x_range(max(len(curve.values) for curve in curves))
        self._provide_lines(len(curves))
        for line, curve, drawn in zip_longest(self.lines, curves, self.curves[: len(curves)]):
            if drawn is None or not _look_alike(curve, drawn):
                _draw(line, curve, self.devicePixelRatioF())
        self.curves = tuple(curves)
        self._ceiling.setVisible(ceiling is not None)
        entries = [LegendEntry(c.label, c.colour, c.symbol, c.dimmed, c.formula) for c in curves]
        if ceiling is not None:
            if self._ceiling_values is not ceiling.values:
                self._ceiling_values = ceiling.values
                self._ceiling.setData(*_thinned(ceiling.values))
            entries.insert(0, LegendEntry(ceiling.label, formula=ceiling.formula))
        self.legend.set_entries(tuple(entries))

    def _provide_lines(self, count: int) -> None:
        while len(self.lines) > count:
            self.box.removeItem(self.lines.pop())
        while len(self.lines) < count:
            self.lines.append(Line())
            self.box.addItem(self.lines[-1])

    def set_words(self, words: tuple[str, ...], tips: tuple[str, ...]) -> None:
        """Say what stands at each position, below it where there is room; or nothing anywhere.

        ``tips`` is all there is to say of each.
        """
        if words is not self._words:
            self._words = self.axes["bottom"].words = words
            self._tips = tips
            self._fit_words()

    def _fit_words(self) -> None:
        axis, (low, high) = self.axes["bottom"], self.box.viewRange()[0]
        if isinstance(axis, PositionAxis):
            pitch = self.box.width() / (high - low)
            height = self.view.height() / WORDS_SHARE if self._is_tall() else 0.0
            axis.fit_words(pitch, (high - axis.most) * pitch, height)

    def set_cursor(self, x: int | None) -> None:
        """Mark position ``x`` (from 1) by a vertical line; None marks none."""
        self._x = x
        self.cursor_line.setVisible(x is not None)
        if x is not None:
            self.cursor_line.setValue(x)

    def _make_axes(self, x_prefix: str) -> dict[str, "Axis"]:
        return {"bottom": PositionAxis("bottom", x_prefix), "left": Axis("left")}

    def _arrange(self) -> None:
        """Put the axes around the box, and the legend above them."""
        grid = pg.GraphicsLayout(border=None)
        grid.setContentsMargins(0, 0, 1, 0)
        grid.setSpacing(0)
        grid.addItem(self.axes["left"], 0, 0)
        grid.addItem(self.box, 0, 1)
        grid.addItem(self.axes["bottom"], 1, 1)
        self.view.setCentralItem(grid)
        # A graphics view would like to be 480 pixels high, and layouts would give it that.
        self.view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.legend)
        column.addWidget(self.view, 1)

    def _prepare(self) -> None:
        # The view itself never takes the focus: what it can do by keys, this widget does.
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for part in (self.view, self.view.viewport()):
            part.setAcceptDrops(False)  # a file is for the window
        self.box.disableAutoRange()
        for axis in self.axes.values():
            axis.linkToView(self.box)
        self.axes["left"].setGrid(255)
        self.axes["left"].setZValue(-1000)  # the grid goes behind the curves
        self._ceiling.setZValue(-2)
        self.cursor_line.setZValue(-1)
        self.cursor_line.setVisible(False)
        self.box.addItem(self._ceiling)
        self.box.addItem(self.cursor_line)
        if self._can_point:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self.view.scene().sigMouseClicked.connect(self._on_clicked)

    def _set_x_range(self, n_points: int) -> None:
        room = 0.04 * (n_points - 1) or 0.5
        self.box.setXRange(1 - room, n_points + room, padding=0)
        if self.axes["bottom"].most != n_points:
            self.axes["bottom"].most = n_points
            self._fit_words()

    def _on_clicked(self, event: MouseClickEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            x = self.box.mapSceneToView(event.scenePos()).x()
            self._point(math.floor(x + 0.5))

    def _point(self, x: int) -> None:
        x = min(max(x, 1), self.axes["bottom"].most)
        self.set_cursor(x)  # at once: the next key may be here before the next frame
        self.pointed.emit(x)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor by one position, or to the first or last."""
        if not self._can_point or self._x is None:
            super().keyPressEvent(event)
            return
        wanted = {
            Qt.Key.Key_Left: self._x - 1,
            Qt.Key.Key_Right: self._x + 1,
            Qt.Key.Key_Home: 1,
            Qt.Key.Key_End: self.axes["bottom"].most,
        }.get(Qt.Key(event.key()))
        if wanted is None:
            super().keyPressEvent(event)
        else:
            self._point(wanted)

    def event(self, event: QEvent) -> bool:
        """Explain the curve under a pointer at rest, with its number there."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self.view.mapToScene(self.view.mapFromGlobal(event.globalPos()))
            point = self.box.mapSceneToView(place)
            at = math.floor(point.x() + 0.5) - 1
            if place.y() > self.box.sceneBoundingRect().bottom() and 0 <= at < len(self._tips):
                QToolTip.showText(event.globalPos(), plain(self._tips[at]), self)
                return True
            curve = self._curve_at(point)
            if curve is not None:
                QToolTip.showText(event.globalPos(), self._tip_of(*curve), self)
                return True
        return super().event(event)

    def _curve_at(self, place: QPointF) -> tuple[Curve, int] | None:
        """Return the curve that passes nearest to ``place``, if near, and its point there."""
        width, height = self.box.viewPixelSize()
        near = []
        for curve in self.curves:
            xs = _places(curve)
            away = abs(float(np.interp(place.x(), xs, curve.values)) - place.y()) / height
            is_beside = xs[0] - NEAR * width <= place.x() <= xs[-1] + NEAR * width
            if is_beside and away <= NEAR:
                near.append((away, curve, int(np.argmin(np.abs(xs - place.x())))))
        return min(near, key=itemgetter(0))[1:] if near else None

    def _tip_of(self, curve: Curve, point: int) -> str:
        x, y = (short(self._number(float(of[point])), 4) for of in (_places(curve), curve.values))
        said = self._words[point : point + 1]
        x = " ".join((x, *said))
        words = f"{curve.label}, {self._titles['bottom']} = {x}: {self._titles['left']} {y}"
        if curve.formula is None:
            return tip_of_part(self, words)
        return with_formula(curve.formula, f"{words}\n{curve.formula.sentences}")

    def _number(self, drawn: float) -> float:
        """Return the number that is drawn as ``drawn``."""
        return drawn

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the arrow keys go here."""
        super().focusInEvent(event)
        self._mark_focus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the arrow keys no longer go here."""
        super().focusOutEvent(event)
        self._mark_focus()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette and the font, which pyqtgraph does not."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write beside the axes what there is room for."""
        super().resizeEvent(event)
        self._fit_titles()

    def _is_tall(self) -> bool:
        return bool(self.view.height() >= TALL_LINES * self.fontMetrics().height())

    def _fit_titles(self) -> None:
        """Leave a title out that would be cut, or would take the room of a low plot's curves."""
        metrics, is_tall = self.fontMetrics(), self._is_tall()
        room = self.view.height() - (3 if is_tall else 2) * metrics.height()
        self.axes["bottom"].showLabel(is_tall)
        self._fit_words()
        self.axes["left"].showLabel(metrics.horizontalAdvance(self._titles["left"]) <= room)

    def _restyle(self) -> None:
        theme = theme_of(self.palette())
        self.view.setMinimumHeight(self.least_lines * self.fontMetrics().height())
        self.view.setBackground(theme.plot)
        points = QFontInfo(self.font()).pointSizeF()
        style = {"font-size": f"{points:g}pt", "color": theme.text.name()}
        for side, axis in self.axes.items():
            axis.setPen(theme.grid)
            axis.setTextPen(theme.text)
            axis.setTickFont(self.font())
            axis.setLabel(self._titles[side], **style)
        self._fit_titles()
        ratio = self.devicePixelRatioF()  # pyqtgraph's pens count device pixels
        self._ceiling.setPen(pg.mkPen(theme.hatch, width=BAND_PIXELS * ratio))
        self.cursor_line.setPen(pg.mkPen(theme.cursor, width=1.5 * ratio))
        self._mark_focus()

    def _mark_focus(self) -> None:
        border = self.palette().highlight().color() if self.hasFocus() else None
        self.box.setBorder(pg.mkPen(border, width=2) if border else None)


def _look_alike(curve: Curve, drawn: Curve) -> bool:
    """Return whether there is nothing to draw anew; values are the same when they are one array."""
    looks = [(c.colour, c.symbol, c.dimmed, c.strong) for c in (curve, drawn)]
    return curve.values is drawn.values and curve.at is drawn.at and looks[0] == looks[1]


def _draw(line: Line, curve: Curve, ratio: float) -> None:
    few = len(curve.values) <= MOST_MARKED_POINTS
    # pyqtgraph warns of markers that are nowhere.
    has_markers = few and bool(np.isfinite(curve.values).any())
    # It draws wide pens fast that are neither dashed nor smoothed.
    width = 2 if few or not curve.dimmed else 1
    width += 1 if curve.strong else 0
    line.setZValue(1 if curve.strong else 0)
    style = Qt.PenStyle.DashLine if curve.dimmed else Qt.PenStyle.SolidLine
    line.setData(
        _places(curve),
        curve.values,
        pen=pg.mkPen(curve.colour, width=width * ratio, style=style),
        symbol=curve.symbol if has_markers else None,
        symbolSize=MARKER_PIXELS,
        symbolBrush=marker_brush(curve.colour.rgba()),
        symbolPen=NO_PEN,
        antialias=few and curve.smooth,
        connect="finite",
    )


def _places(curve: Curve) -> npt.NDArray[np.float64]:
    return np.arange(1.0, len(curve.values) + 1) if curve.at is None else curve.at


@lru_cache(maxsize=128)
def marker_brush(rgba: int) -> QBrush:
    """Return the one brush of a colour.

    pyqtgraph draws and keeps every marker anew for each brush and pen that is another object.
    """
    return QBrush(QColor.fromRgba(rgba))


def _thinned(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], ...]:
    """Return x and y of at most 65 of ``values``, first and last among them: wide pens are slow."""
    at = np.linspace(0, len(values) - 1, min(len(values), MOST_MARKED_POINTS + 1)).astype(int)
    return at + 1.0, values[at]
