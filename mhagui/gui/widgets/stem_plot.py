"""One row of weights as stems over the key positions, the ideal filter behind them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mhagui.core import pool_maximum
from mhagui.formats import USUAL, Precision, short
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import Theme, theme_of
from mhagui.gui.widgets.drawing import LABEL_FONT, indexed_image, scaled_font
from mhagui.gui.widgets.formula_tip import with_formula
from mhagui.gui.widgets.label_text import drawable
from mhagui.gui.widgets.matrix_keys import moved
from mhagui.gui.widgets.matrix_painter import HATCH_PERIOD, hatch_image
from mhagui.gui.widgets.matrix_picture import HATCHED
from mhagui.gui.widgets.matrix_surroundings import LABEL_GAP, label_height
from mhagui.gui.widgets.plot_axes import round_step
from mhagui.gui.widgets.words import below

HEAD = 6  # room for the dot of a whole tap, logical pixels
FRAME = 2  # room for the focus frame
STEM, DOT, CAP = 2.0, 3.0, 1.5  # logical pixels: width, radius, thickness
WIDEST_BAR = 24.0
CURSOR = 5.0  # height of the mark of the key, and half of its width
MIN_WORD_PITCH = 8.0  # logical pixels of a key that may have a word
DENSE_PITCH = 4.0  # logical pixels; below it stems have neither dots nor gaps
LEAST_LINES, HINT_LINES = 4.3, 7.0  # heights of a line of text
FINE_LINES = 6.0  # from here on 0.5 is labelled

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Stems:
    """What a StemPlot shows.

    Attributes
    ----------
    taps
        Weights of the keys t1 .. t, 0 .. 1.
    ideal
        The same of the ideal filter; None where there is none.
    n_positions
        T: keys behind t are hatched.
    first
        From which key on, from 0, the row sees any: those before are hatched too.
    colour
        Of the stems.
    dimmed
        Drawn dashed, with hollow dots.
    precision
        How weights are read out.
    """

    taps: Array
    ideal: Array | None
    n_positions: int
    colour: QColor
    dimmed: bool = False
    precision: Precision = USUAL
    first: int = 0

    @property
    def row(self) -> int:
        """The query row t, from 0."""
        return len(self.taps) - 1


class StemPlot(QWidget):
    """Paints Stems; it never moves its key by itself.

    Where keys are closer than pixels a pixel shows the largest of its weights.

    Signals
    -------
    pointed
        The pointer or a key asks for the cursor at (row, key), from 0.
    """

    pointed = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self._stems: Stems | None = None
        self._words: tuple[str, ...] = ()
        self._key = 0
        self._is_current = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    # --- what is shown

    @property
    def stems(self) -> Stems | None:
        """The stems that are painted."""
        return self._stems

    @property
    def key(self) -> int:
        """The key that is marked, from 0."""
        return self._key

    def set_stems(self, stems: Stems) -> None:
        """Paint ``stems`` from now on."""
        self._stems = stems
        self._describe()
        self.update()

    def set_words(self, words: tuple[str, ...]) -> None:
        """Say what stands at each position, where there is room below it; or nothing anywhere."""
        if words is not self._words:
            self._words = words
            self._describe()
            self.update()

    def set_key(self, key: int, *, is_current: bool) -> None:
        """Mark ``key``; and the whole plot, if the cursor is in this one."""
        if (key, is_current) != (self._key, self._is_current):
            self._key, self._is_current = key, is_current
            self._describe()
            self.update()

    def _describe(self) -> None:
        if self._stems is not None:
            self.setAccessibleDescription(_said(self._stems, self._key, self._words))

    # --- places

    @property
    def area(self) -> QRectF:
        """The box of the plot without its labels, in the widget's coordinates."""
        metrics = self._metrics()
        left = math.ceil(metrics.horizontalAdvance("0.5") + LABEL_GAP) + FRAME
        bottom = math.ceil(label_height(metrics) + CURSOR) + 3
        width, height = self.width() - left - FRAME, self.height() - FRAME - HEAD - bottom
        return QRectF(left, FRAME + HEAD, max(width, 1), max(height, 1))

    def key_at(self, x: float) -> int:
        """Return the key at ``x`` in the widget's coordinates, the nearest for a place beside."""
        n = self._stems.n_positions if self._stems else 1
        area = self.area
        return min(max(int((x - area.left()) / area.width() * n), 0), n - 1)

    def x_of(self, key: int) -> float:
        """Return where the stem of ``key`` stands, in the widget's coordinates."""
        n = self._stems.n_positions if self._stems else 1
        return self.area.left() + (key + 0.5) / n * self.area.width()

    def sizeHint(self) -> QSize:
        """Return a size in which a few stems can be told apart."""
        return self._size(200, HINT_LINES)

    def minimumSizeHint(self) -> QSize:
        """Return the least size that says something."""
        return self._size(120, LEAST_LINES)

    def _size(self, width: int, lines: float) -> QSize:
        return QSize(width, round(lines * self.fontMetrics().height()))

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(scaled_font(self.font(), LABEL_FONT))

    # --- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the ground, then ideal and stems in device pixels, then labels and frame."""
        if self._stems is None:
            return
        theme = theme_of(self.palette())
        painter = QPainter(self)
        self._paint_labels(painter, theme)
        painter.save()
        ratio = self.devicePixelRatioF()
        painter.scale(1 / ratio, 1 / ratio)
        area = self.area
        device = QRectF(area.topLeft() * ratio, area.size() * ratio).toAlignedRect()
        _StemPainter(painter, self._stems, QRectF(device), ratio, theme).paint()
        painter.restore()
        self._paint_frame(painter, theme)
        self._paint_cursor(painter, theme)
        painter.end()

    def _paint_frame(self, painter: QPainter, theme: Theme) -> None:
        box = self.area.adjusted(-1, -HEAD - 1, 0, 0)  # around the pixels of the plot
        pen = QPen(theme.card_border, 1.0)
        if self._is_current and self._stems is not None:
            pen = QPen(self._stems.colour, 2.0)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        wider = pen.widthF() - 1.0  # a pen of two pixels begins one pixel before its line
        painter.drawRect(box.adjusted(0, 0, wider, wider))
        if self.hasFocus():  # around all, for within it the head's own frame says another thing
            painter.setPen(QPen(self.palette().highlight().color(), 2.0))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _paint_cursor(self, painter: QPainter, theme: Theme) -> None:
        """Point at the key from below, where it covers no stem."""
        x, y = self.x_of(self._key), self.area.bottom() + 1.5
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.cursor)
        low = y + CURSOR
        painter.drawPolygon([QPointF(x, y), QPointF(x - CURSOR, low), QPointF(x + CURSOR, low)])

    def _paint_labels(self, painter: QPainter, theme: Theme) -> None:
        metrics, area = self._metrics(), self.area
        painter.setFont(scaled_font(self.font(), LABEL_FONT))
        painter.setPen(theme.muted)
        height = label_height(metrics)
        loose = Qt.TextFlag.TextDontClip | Qt.AlignmentFlag.AlignVCenter
        is_fine = area.height() >= FINE_LINES * height / 2
        for value in (0.0, 0.5, 1.0) if is_fine else (0.0, 1.0):
            y = area.bottom() - value * area.height()
            box = QRectF(0, y - height / 2, area.left() - LABEL_GAP, height)
            painter.drawText(box, loose | Qt.AlignmentFlag.AlignRight, short(value))
        for text, box in self._key_labels(metrics, area):
            painter.drawText(box, loose | Qt.AlignmentFlag.AlignHCenter, text)

    def _key_labels(self, metrics: QFontMetricsF, area: QRectF) -> Iterator[tuple[str, QRectF]]:
        """Yield words if all have room, or t1 and the round ones that have, each with its box."""
        n = self._stems.n_positions if self._stems else 1
        if words := list(self._word_labels(metrics, area)):
            yield from words
            return
        widest = metrics.horizontalAdvance(f"t{n}")
        step = round_step((widest + 8.0) * n / area.width())
        top, end = area.bottom() + CURSOR + 2, -np.inf
        for number in sorted({1, *range(step, n + 1, step)}):
            wide = metrics.horizontalAdvance(f"t{number}")
            left = min(self.x_of(number - 1) - wide / 2, self.width() - wide)
            if left >= end:
                yield f"t{number}", QRectF(left, top, wide, label_height(metrics))
                end = left + wide + 4.0

    def _word_labels(self, metrics: QFontMetricsF, area: QRectF) -> Iterator[tuple[str, QRectF]]:
        """Yield the words of all keys, with t1 t2 .. if there is room; none where some has none."""
        n = self._stems.n_positions if self._stems else 0
        pitch = area.width() / max(n, 1)
        if not n or len(self._words) != n or pitch < MIN_WORD_PITCH:
            return
        words = drawable(self._words, scaled_font(self.font(), LABEL_FONT).toString())
        both = tuple(f"t{number} {word}" for number, word in enumerate(words, 1))
        top, height = area.bottom() + CURSOR + 2, label_height(metrics)
        for texts in (both, words):
            widths = [metrics.horizontalAdvance(text) for text in texts]
            if all((a + b) / 2 + 4.0 <= pitch for a, b in pairwise(widths)):
                for key, (text, wide) in enumerate(zip(texts, widths, strict=True)):
                    left = min(self.x_of(key) - wide / 2, self.width() - wide)
                    yield text, QRectF(left, top, wide, height)
                return

    # --- what the user does

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the cursor at the key under the pointer."""
        if event.button() == Qt.MouseButton.LeftButton and self._stems is not None:
            self.pointed.emit(self._stems.row, self.key_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Ask for it wherever the pressed pointer goes."""
        if event.buttons() & Qt.MouseButton.LeftButton and self._stems is not None:
            self.pointed.emit(self._stems.row, self.key_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move as in a heatmap: left and right from key to key, up and down from row to row."""
        place = None
        if self._stems is not None:
            n = self._stems.n_positions
            place = moved(event.keyCombination(), (self._stems.row, self._key), (n, n))
        if place is None:
            super().keyPressEvent(event)
        else:
            self.pointed.emit(*place)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the keys go here."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the keys no longer go here."""
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        """Say in the tooltip what the pointer is on."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._stems:
            words = _said(self._stems, self.key_at(event.pos().x()), self._words)
            tip = with_formula(Formula.IMPULSE_RESPONSE, below(words, self.toolTip()))
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)


class _StemPainter:
    """Paints the inside of one plot, all in device pixels."""

    def __init__(
        self, painter: QPainter, stems: Stems, area: QRectF, ratio: float, theme: Theme
    ) -> None:
        self._painter, self._stems, self._area = painter, stems, area
        self._ratio, self._theme = ratio, theme
        self._pitch = area.width() / stems.n_positions

    def paint(self) -> None:
        """Paint from the ground up."""
        self._paint_ground()
        if self._pitch < DENSE_PITCH * self._ratio:
            self._painter.drawImage(self._area.topLeft(), self._dense_image())
            return
        if self._stems.ideal is not None:
            self._paint_ideal(self._stems.ideal)
        self._paint_stems()

    def _x(self, key: float) -> float:
        return self._area.left() + (key + 0.5) * self._pitch

    def _paint_ground(self) -> None:
        painter, area, theme = self._painter, self._area, self._theme
        head_room = round(HEAD * self._ratio)
        ground = area.adjusted(0, -head_room, 0, 0)
        painter.fillRect(ground, theme.plot)
        before, behind = QRectF(ground), QRectF(ground)
        before.setRight(round(self._x(self._stems.first - 0.5)))
        behind.setLeft(round(self._x(self._stems.row + 0.5)))
        for masked in (before, behind):
            if masked.width() >= 1:
                painter.fillRect(masked, _hatching(theme, self._ratio))
        thin = max(round(self._ratio), 1)
        for value in (0.5, 1.0):
            y = round(area.bottom() - value * area.height())
            painter.fillRect(QRectF(area.left(), y, area.width(), thin), theme.grid)

    def _paint_ideal(self, ideal: Array) -> None:
        """Paint pale bars with a cap: what the stems grow into."""
        wide = min(0.6 * self._pitch, WIDEST_BAR * self._ratio)
        cap = CAP * self._ratio
        for key in np.flatnonzero(ideal).tolist():
            height = float(ideal[key]) * self._area.height()
            left, top = round(self._x(key) - wide / 2), round(self._area.bottom() - height)
            bar = QRectF(left, top, round(wide), self._area.bottom() - top)
            self._painter.fillRect(bar, self._theme.hatch)
            self._painter.fillRect(QRectF(left, top, round(wide), cap), self._theme.muted)

    def _paint_stems(self) -> None:
        painter, ratio = self._painter, self._ratio
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = max(round(min(STEM * ratio, 0.4 * self._pitch)), 1)
        colour, is_dimmed = self._stems.colour, self._stems.dimmed
        style = Qt.PenStyle.DashLine if is_dimmed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(colour, width, style, Qt.PenCapStyle.FlatCap))
        radius = min(DOT * ratio, 0.35 * self._pitch)
        xs = np.rint(self._x(0) + np.arange(len(self._stems.taps)) * self._pitch - width / 2)
        xs += width / 2
        bottom = self._area.bottom()
        tops = bottom - self._stems.taps * self._area.height()
        places = list(zip(xs.tolist(), tops.tolist(), strict=True))[self._stems.first :]
        painter.drawLines([QLineF(x, bottom, x, top) for x, top in places])
        painter.setPen(QPen(colour, ratio))
        painter.setBrush(self._theme.plot if is_dimmed else colour)
        radius -= ratio / 2  # half of the rim
        for x, top in places:
            painter.drawEllipse(QPointF(x, top), radius, radius)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _dense_image(self) -> QImage:
        """Return stems over ideal, a column of pixels to a key, or to the largest of several."""
        width, height = int(self._area.width()), int(self._area.height())
        levels = height - np.arange(height)[:, None] - 0.5  # of the middle of each pixel
        image = np.zeros((height, width), dtype=np.uint8)
        taps = _columns(self._stems.taps, self._stems.n_positions, width)
        if self._stems.ideal is not None:
            ideal = _columns(self._stems.ideal, self._stems.n_positions, width)
            image[levels < _widened(ideal, round(self._ratio)) * height] = 1
        # What a growing box has is a pixel high, however small that is.
        is_more = taps >= 0.5 / len(self._stems.taps)
        image[levels < np.maximum(taps * height, is_more)] = 2
        colours = [0, self._theme.hatch.rgba(), self._stems.colour.rgba()]
        return indexed_image(image, colours)


def _columns(values: Array, n_positions: int, width: int) -> Array:
    """Return the value of every column of pixels of a row of T keys, 0 behind the last value."""
    row = np.zeros(n_positions)
    row[: len(values)] = values
    if n_positions > width:
        return np.asarray(pool_maximum(row[np.newaxis], 1, width)[0], dtype=np.float64)
    spread: Array = row[np.arange(width) * n_positions // width]
    return spread


def _widened(columns: Array, by: int) -> Array:
    """Return ``columns`` with each as high as those up to ``by`` beside it: an edge to be seen."""
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(columns, by), 2 * by + 1)
    widened: Array = windows.max(axis=1)
    return widened


def _hatching(theme: Theme, ratio: float) -> QBrush:
    """Return the brush of masked keys, for device pixels; it looks like a heatmap's."""
    period = round(HATCH_PERIOD * ratio)
    tile = hatch_image(np.full((period, period), HATCHED, dtype=np.uint8), theme, ratio)
    return QBrush(QPixmap.fromImage(tile))


def _said(stems: Stems, key: int, words: tuple[str, ...]) -> str:
    """Return what there is at ``key``; ``words`` are what stands at each."""
    name = " ".join((f"t{key + 1}", *words[key : key + 1]))
    if not stems.first <= key <= stems.row:
        return f"{name}: masked at t{stems.row + 1}"
    write = stems.precision
    ideal = "" if stems.ideal is None else f", ideal {write.short(float(stems.ideal[key]))}"
    return f"{name}: weight {write.fixed(float(stems.taps[key]), 4)}{ideal}"
