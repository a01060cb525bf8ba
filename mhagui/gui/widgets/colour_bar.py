"""The colour bar: which colour stands for which number."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.colour_range import ColourRange
from mhagui.gui.widgets.drawing import LABEL_FONT, argb, indexed_image, scaled_font
from mhagui.palette import table_on

BAR_WIDTH = 14.0
TICK_LENGTH = 4.0
GAP = 4.0
_WIDEST_LABEL = "−0.000"  # so that the bar keeps its width while its ends move
_MOST_STEPS = 10
_TICK_SPACING = 4.0  # heights of a label, at least, from one round number to the next


def tick_values(scale: ColourRange, length: float, spacing: float) -> list[float]:
    """Return the numbers to write beside a bar of ``length``, at least ``spacing`` apart.

    Both ends come first, then 0 or 1 in the middle, then round numbers between.
    """
    taken: list[float] = []
    for value in _wanted(scale, min(max(int(length / spacing), 1), _MOST_STEPS)):
        place = scale.fraction(value) * length
        apart = [abs(place - scale.fraction(other) * length) for other in taken]
        if all(distance >= spacing - 0.01 for distance in apart):  # 0.6 may be 0.6000000000000001
            taken.append(value)
    return sorted(taken)


def _wanted(scale: ColourRange, most: int) -> Iterator[float]:
    yield scale.low
    yield scale.high
    middle = 1.0 if scale.logarithmic else 0.0
    if scale.low < middle < scale.high:
        yield middle
    yield from (_decades(scale) if scale.logarithmic else _round_numbers(scale, most))


def _round_numbers(scale: ColourRange, most: int) -> Iterator[float]:
    step = _round_step((scale.high - scale.low) / most)
    if not math.isfinite(step) or step <= 0:
        return
    first, last = math.ceil(scale.low / step), math.floor(scale.high / step)
    yield from (number * step for number in range(first, last + 1))


def _round_step(least: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not below ``least``."""
    if not (math.isfinite(least) and least > 1e-300):
        return 0.0
    power = 10.0 ** math.floor(math.log10(least))
    return next((power * factor for factor in (1, 2, 5) if power * factor >= least), power * 10)


def _decades(scale: ColourRange) -> Iterator[float]:
    """Yield powers of ten, from the top; then, for a short range, 2 and 5 times them."""
    first, last = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    for factor in (1, 2, 5):
        for power in range(last, first - 1, -1):
            value = factor * 10.0**power
            if scale.low < value < scale.high:
                yield value


class ColourKey(QWidget):
    """Says which colour stands for which number: what bar and strip have in common."""

    def __init__(self) -> None:
        super().__init__()
        self._scale: ColourRange | None = None

    @property
    def scale(self) -> ColourRange | None:
        """What is shown."""
        return self._scale

    def set_scale(self, scale: ColourRange) -> None:
        """Show ``scale`` from now on."""
        if scale == self._scale:
            return
        self._scale = scale
        words = f"{scale.caption}, from {scale.text(scale.low)} to {scale.text(scale.high)}"
        self.setAccessibleName(f"Colours: {words}")
        self.setToolTip(words)
        self.updateGeometry()
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Draw anew in other colours or another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.updateGeometry()
            self.update()

    def label_font(self) -> QFont:
        """Return the font of the numbers."""
        return scaled_font(self.font(), LABEL_FONT)

    def paint_colours(self, painter: QPainter, box: QRectF, *, upright: bool) -> None:
        """Paint the table into ``box``, low at the left or the bottom, with a line around it."""
        if self._scale is None:
            return
        levels = np.arange(255, dtype=np.uint8)
        shape = levels[::-1, None] if upright else levels[None, :]
        theme = theme_of(self.palette())
        colours = argb(table_on(self._scale.table, dark=theme.dark))
        painter.drawImage(box, indexed_image(np.ascontiguousarray(shape), colours))
        painter.setPen(theme.card_border)
        painter.drawRect(box)


class ColourBar(ColourKey):
    """An upright bar in the colours of a ``ColourRange``, its numbers and its caption beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def ticks(self) -> list[tuple[float, str]]:
        """Return height, from the top of the widget, and text of every number beside the bar."""
        if self._scale is None:
            return []
        bar = self.bar_rect()
        spacing = QFontMetricsF(self.label_font()).capHeight() * _TICK_SPACING
        values = tick_values(self._scale, bar.height(), spacing)
        scale = self._scale
        return [(bar.bottom() - scale.fraction(v) * bar.height(), scale.text(v)) for v in values]

    def bar_rect(self) -> QRectF:
        """Return where the colours are."""
        half = QFontMetricsF(self.label_font()).capHeight() / 2 + 2
        return QRectF(1.0, round(half), BAR_WIDTH, max(round(self.height() - 2 * half), 1))

    def sizeHint(self) -> QSize:
        """Return the width of all texts, and a height in which the caption fits."""
        metrics = QFontMetricsF(self.label_font())
        scale = self._scale
        ends = [scale.text(scale.low), scale.text(scale.high)] if scale else []
        unit = scale.unit if scale else ""
        labels = _widest(metrics.horizontalAdvance, [*ends, _WIDEST_LABEL + unit])
        caption = metrics.horizontalAdvance(scale.caption) if scale else 0.0
        width = 1 + BAR_WIDTH + TICK_LENGTH + GAP / 2 + labels + GAP + metrics.height()
        return QSize(math.ceil(width), math.ceil(caption + 2 * metrics.height()))

    def minimumSizeHint(self) -> QSize:
        """Return the same: a bar never cuts its texts."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw bar, numbers and caption."""
        if self._scale is None:
            return
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setFont(self.label_font())
        self.paint_colours(painter, self.bar_rect(), upright=True)
        painter.setPen(theme.muted)
        self._paint_ticks(painter)
        painter.setPen(theme.text)
        self._paint_caption(painter, self._scale.caption)
        painter.end()

    def _paint_ticks(self, painter: QPainter) -> None:
        left = self.bar_rect().right() + 1
        metrics = QFontMetricsF(painter.font())
        for y, text in self.ticks():
            painter.drawLine(QPointF(left, y), QPointF(left + TICK_LENGTH - 1, y))
            baseline = y + metrics.capHeight() / 2
            painter.drawText(QPointF(left + TICK_LENGTH + GAP / 2, baseline), text)

    def _paint_caption(self, painter: QPainter, caption: str) -> None:
        height = QFontMetricsF(painter.font()).height()
        painter.translate(self.width() - height, self.height() / 2)
        painter.rotate(-90)
        box = QRectF(-self.height() / 2, 0, self.height(), height)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, caption)


def _widest(advance: Callable[[str], float], texts: Sequence[str]) -> float:
    return max(advance(text) for text in texts)
