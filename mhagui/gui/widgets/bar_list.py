"""Numbers as bars, one below the other, against a ceiling."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mhagui.document.table_text import number_text
from mhagui.formats import USUAL, Precision
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.words import below, plain

GAP = 6.0
LEAST_BAR = 60
_AS_LONG_AS_ANY = 1 / 3  # in any number of digits
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its label, its number (NaN where unknown), its colour, and what its tooltip says."""

    label: str
    value: float
    colour: QColor
    tip: str = ""
    dimmed: bool = False


class BarList(QWidget):
    """A bar a row, its label before it and its number behind it.

    Signals
    -------
    pointed
        The user asks for the row it carries, from 0: a click, or ↑ or ↓.
    """

    pointed = Signal(int)

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit, self._precision = unit, USUAL
        self._most, self._ceiling = 1.0, math.nan
        self._marked = 0
        self.bars: tuple[Bar, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_bars(
        self, bars: tuple[Bar, ...], most: float, ceiling: float, precision: Precision
    ) -> None:
        """Show ``bars``, ``most`` being a whole one, and a line across them at ``ceiling``."""
        shown = self.bars, self._most, self._ceiling, self._precision
        if shown == (bars, most, ceiling, precision):
            return
        if len(bars) != len(self.bars) or precision != self._precision:
            self.updateGeometry()
        self.bars, self._most, self._ceiling, self._precision = bars, most, ceiling, precision
        words = (f"{bar.label} {self._write(bar.value)} {self._unit}" for bar in bars)
        self.setAccessibleDescription(", ".join(words))
        self.update()

    def mark_row(self, row: int) -> None:
        """Mark the label of ``row`` and no other."""
        if row != self._marked:
            self._marked = row
            self.update()

    def row_rect(self, row: int) -> QRectF:
        """Return where a row is."""
        height = self._row_height()
        return QRectF(0, row * height, self.width(), height)

    def row_at(self, y: float) -> int | None:
        """Return the row at ``y``, if there is one."""
        row = int(y // self._row_height())
        return row if 0 <= row < len(self.bars) else None

    def sizeHint(self) -> QSize:
        """Return room for every row, whose numbers are never cut."""
        least = self._label_width() + self._number_width() + 2 * GAP + LEAST_BAR
        return QSize(math.ceil(least), max(len(self.bars), 1) * self._row_height() + 1)

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()

    def _row_height(self) -> int:
        return self.fontMetrics().height() + 4

    def _label_width(self) -> float:
        metrics = self.fontMetrics()
        return max((metrics.horizontalAdvance(bar.label) for bar in self.bars), default=0) + 8.0

    def _number_width(self) -> float:
        return float(self.fontMetrics().horizontalAdvance(self._write(_AS_LONG_AS_ANY)))

    def _write(self, value: float) -> str:
        return self._precision.fixed(value)

    # --- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw bars, labels, numbers, and the ceiling over them."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = self._track()
        for row, bar in enumerate(self.bars):
            self._paint_label(painter, self.row_rect(row), bar, marked=row == self._marked)
            self._paint_bar(painter, self.row_rect(row), bar)
        if not math.isnan(self._ceiling):
            x = track.left() + track.width() * self._fraction(self._ceiling)
            painter.setPen(QPen(theme.text, 1.5))
            bottom = len(self.bars) * self._row_height()
            painter.drawLine(QPointF(x, 0), QPointF(x, bottom))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Highlight), 2.0))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 3, 3)
        painter.end()

    def _paint_bar(self, painter: QPainter, box: QRectF, bar: Bar) -> None:
        theme, track = theme_of(self.palette()), self._track()
        painter.setPen(theme.text)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, right, self._write(bar.value))
        line = QRectF(track.left(), box.top() + 4, track.width(), box.height() - 8)
        painter.fillRect(line, theme.grid)
        if not math.isnan(bar.value):
            line.setWidth(line.width() * self._fraction(bar.value))
            painter.fillRect(line, bar.colour)
            if bar.dimmed:  # hollow
                painter.fillRect(line.adjusted(2, 2, -2, -2), theme.grid)

    def _paint_label(self, painter: QPainter, box: QRectF, bar: Bar, *, marked: bool) -> None:
        theme = theme_of(self.palette())
        band = QRectF(box.left(), box.top() + 4, 4, box.height() - 8)
        painter.fillRect(band, bar.colour)
        painter.setPen(theme.muted if bar.dimmed else theme.text)
        painter.setFont(demi_bold(self.font()) if marked else self.font())
        painter.drawText(box.adjusted(8, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, bar.label)
        painter.setFont(self.font())

    def _track(self) -> QRectF:
        left = self._label_width() + GAP
        return QRectF(left, 0, self.width() - left - self._number_width() - GAP, self.height())

    def _fraction(self, value: float) -> float:
        return min(max(value / self._most, 0.0), 1.0)

    # --- what the user does

    def event(self, event: QEvent) -> bool:
        """Say more of the row under a pointer at rest."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self.row_at(event.pos().y())
            tip = self.bars[row].tip if row is not None else ""
            QToolTip.showText(event.globalPos(), below(self.toolTip(), plain(tip)), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the row under the pointer."""
        row = self.row_at(event.position().y())
        if row is not None:
            self.pointed.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the row above or below, or copy all numbers."""
        if event.matches(QKeySequence.StandardKey.Copy):
            lines = (f"{bar.label}\t{number_text(bar.value)}" for bar in self.bars)
            QGuiApplication.clipboard().setText("\n".join(lines))
        elif event.key() in _STEPS:
            row = self._marked + _STEPS[Qt.Key(event.key())]
            if 0 <= row < len(self.bars):
                self.pointed.emit(row)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Take the room that another font needs."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
