"""The axes of curve plots: numbers, and positions with what stands there."""

import math
from collections.abc import Sequence
from enum import Enum, auto
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsSceneWheelEvent

from mhagui.gui.widgets.label_text import drawable, fitted

# isort: split
# Behind PySide6: pyqtgraph takes the Qt binding that is loaded already.
import pyqtgraph as pg

EDGE = 3  # pixels between a label and the edge of the plot
LEAST_WORD, MOST_WORD = 6, 18  # widths of a digit that turned words have


class Form(Enum):
    """How positions are labelled."""

    NUMBERS = auto()  # t5 t10 ..: as many as have room
    BOTH = auto()  # t1 cat, t2 sat ..
    WORDS = auto()  # cat, sat ..
    TURNED = auto()  # the same, upwards


class Axis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph is not typed
    """An axis with one level of ticks and a true minus sign."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=0)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return the spacing and the places of the main ticks."""
        ticks: list[tuple[float, list[float]]] = super().tickValues(low, high, size)[:1]
        return ticks

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the texts beside the ticks."""
        return [text.replace("-", "−") for text in super().tickStrings(values, scale, spacing)]

    def wheelEvent(self, event: QGraphicsSceneWheelEvent) -> None:
        """Leave the wheel to what is around the plot; pyqtgraph's axes swallow it."""
        event.ignore()


class PositionAxis(Axis):
    """An axis with ticks at whole numbers, as many as have room, behind a prefix; or with words.

    Words, of which there is one for each position, are shown for all positions or none.

    Attributes
    ----------
    most
        The last position.
    words
        What stands at each position, or none.
    form
        How positions are labelled.
    """

    def __init__(self, side: str, prefix: str) -> None:
        self._prefix = prefix
        self.most = 1
        self.words: tuple[str, ...] = ()
        self.form = Form.NUMBERS
        self._depth = 0.0
        super().__init__(side)

    def fit_words(self, pitch: float, margin: float, height: float) -> None:
        """Show the words as there is room for them.

        Positions are ``pitch`` pixels apart, the last so many from the ``margin``; turned words
        may be so high as ``height``.
        """
        metrics = QFontMetricsF(self.style["tickFont"])
        self.form, self._depth, widest = Form.NUMBERS, 0.0, 0.0
        if len(self.words) == self.most:
            self.form, self._depth = self._form(metrics, pitch, margin, height)
            widest = max(map(metrics.horizontalAdvance, self._texts(self._drawn(), self.form)))
        # How far beyond its ends pyqtgraph lets the axis write; further out it leaves labels out.
        self.setStyle(hideOverlappingLabels=max(math.ceil(widest), 15))
        offset = self.style["tickTextOffset"][1]
        title = self.label.boundingRect().height() * 0.8 if self.label.isVisible() else 0
        self.setHeight(self._depth + offset + title if self.form is Form.TURNED else None)
        self.update()

    def _form(
        self, metrics: QFontMetricsF, pitch: float, margin: float, height: float
    ) -> tuple[Form, float]:
        digit = metrics.horizontalAdvance("0")
        words = self._drawn()
        if pitch >= digit:
            for form in (Form.BOTH, Form.WORDS):
                widths = [metrics.horizontalAdvance(text) for text in self._texts(words, form)]
                lefts = [place * pitch - wide / 2 for place, wide in enumerate(widths)]
                lefts[-1] -= max(widths[-1] / 2 + EDGE - margin, 0.0)  # it is kept inside
                spans = pairwise(zip(lefts, widths, strict=True))
                if all(left + wide + digit <= after for (left, wide), (after, _) in spans):
                    return form, 0.0
        if pitch >= metrics.height():
            wanted = max(map(metrics.horizontalAdvance, words))
            depth = min(wanted, MOST_WORD * digit, height)
            if depth >= min(wanted, LEAST_WORD * digit):
                return Form.TURNED, depth
        return Form.NUMBERS, 0.0

    def _drawn(self) -> tuple[str, ...]:
        return drawable(self.words, QFont(self.style["tickFont"]).toString())

    def _texts(self, words: Sequence[str], form: Form) -> list[str]:
        if form is Form.BOTH:
            return [f"{self._prefix}{at} {word}" for at, word in enumerate(words, 1)]
        return list(words)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return every first, second, fifth, tenth .. whole number from 1 to ``most``."""
        step = 1
        if self.form is Form.NUMBERS:
            metrics = QFontMetrics(self.style["tickFont"])
            room = metrics.horizontalAdvance(f"{self._prefix}{self.most}   ")
            step = round_step((high - low) * room / max(size, 1.0))
        return [(step, [float(value) for value in range(step, self.most + 1, step)])]

    def tickStrings(
        self,
        values: list[float],
        scale: float,  # noqa: ARG002 - pyqtgraph gives both
        spacing: float,  # noqa: ARG002
    ) -> list[str]:
        """Return prefix and number, or words."""
        if self.form is Form.NUMBERS:
            return [f"{self._prefix}{value:.0f}" for value in values]
        texts = self._texts(self._drawn(), self.form)
        return [texts[round(value) - 1] for value in values]

    def drawPicture(
        self,
        p: QPainter,
        axis: tuple[QPen, QPointF, QPointF],
        ticks: Sequence[tuple[QPen, QPointF, QPointF]],
        texts: Sequence[tuple[QRectF, int, str]],
    ) -> None:
        """Draw the axis, its words upwards where they are turned: pyqtgraph's never are."""
        if self.form is not Form.TURNED:
            # No label is cut at the edges, nor touches that of the plot.
            low, high = -self.pos().x() + EDGE, self.size().width() - EDGE
            boxes = [QRectF(box) for box, _, _ in texts]
            for box in boxes:
                box.moveRight(min(box.right(), high))
                box.moveLeft(max(box.left(), low))
            kept = [(box, *text[1:]) for box, text in zip(boxes, texts, strict=True)]
            super().drawPicture(p, axis, ticks, kept)
            return
        super().drawPicture(p, axis, ticks, [])
        metrics = QFontMetricsF(self.style["tickFont"])
        top, depth = self.style["tickTextOffset"][1], self._depth
        for box, _, text in texts:
            p.save()
            p.translate(QPointF(box.center().x(), top + depth))
            p.rotate(-90)
            line = QRectF(0, -metrics.height() / 2, depth, metrics.height())
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            p.drawText(line, flags | Qt.TextFlag.TextDontClip, fitted(text, metrics, depth))
            p.restore()


def round_step(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20 .. that is no less than ``least``."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= least:
                return factor * power
        power *= 10
