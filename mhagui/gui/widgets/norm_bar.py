"""A bar for one norm, with its number beside it."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from mhagui.formats import USUAL, Precision
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import LABEL_FONT, scaled_font
from mhagui.gui.widgets.formula_tip import explain

THICKNESS = 7.0
GAP = 5.0
LEAST_BAR = 24.0
WIDE = 100.0
WIDEST = "0.000"
NORM_OF = "‖·‖ "  # before the number where there is room for it too


class NormBar(QWidget):
    """Shows how large a norm is among others; hollow for what is left out but could be added."""

    def __init__(self) -> None:
        super().__init__()
        self._norm, self._heard, self._most, self._colour = 0.0, 0.0, 1.0, QColor()
        self._precision = USUAL
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The number as it is written, in usual digits where more have no room."""
        text = self._text(self._precision)
        least = self._metrics().horizontalAdvance(text) + GAP + LEAST_BAR
        return text if least <= self.width() else self._text(USUAL)

    def _text(self, precision: Precision) -> str:
        return precision.significant(self._norm, 3) if self._norm else "0"

    @property
    def fractions(self) -> tuple[float, float]:
        """How much of the bar is filled, and how much outlined, 0..1."""
        return self._norm / self._most, self._heard / self._most

    def set_norm(
        self, norm: float, heard: float, most: float, colour: QColor, precision: Precision
    ) -> None:
        """Show ``norm``, and hollow the ``heard`` one; the bar's full length is ``most``."""
        shown = (norm, heard, most if most > 0 else 1.0, colour, precision)
        if shown != (self._norm, self._heard, self._most, self._colour, self._precision):
            self._norm, self._heard, self._most, self._colour, self._precision = shown
            words = f"‖·‖ = {self._text(precision)}, the Frobenius norm of what the head adds to O"
            if heard > norm:
                words += f"; were it heard, it would be {precision.significant(heard, 3)}"
            self.setAccessibleName(words)
            explain(self, Formula.TERM_NORM, words)
            self.update()

    def sizeHint(self) -> QSize:
        """Return one line."""
        metrics = self._metrics()
        width = metrics.horizontalAdvance(WIDEST) + GAP + LEAST_BAR
        return QSize(round(width), round(metrics.height()) + 2)

    def minimumSizeHint(self) -> QSize:
        """Return one line."""
        return self.sizeHint()

    def bar_rect(self) -> QRectF:
        """Return where a bar of full length is."""
        width = max(self.width() - self._written_width() - GAP, 0.0)
        return QRectF(0, (self.height() - THICKNESS) / 2, width, THICKNESS)

    def _written_width(self) -> float:
        """Return the room kept for the number, the same for most numbers."""
        metrics = self._metrics()
        number = max(metrics.horizontalAdvance(text) for text in (self.text, WIDEST))
        return number + (metrics.horizontalAdvance(NORM_OF) if self._is_wide() else 0.0)

    def _is_wide(self) -> bool:
        number = self._metrics().horizontalAdvance(NORM_OF + self.text)
        return self.width() >= max(WIDE, number + GAP + LEAST_BAR)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bar at the left and write the number at the right."""
        theme, box = theme_of(self.palette()), self.bar_rect()
        filled, outlined = (fraction * box.width() for fraction in self.fractions)
        painter = QPainter(self)
        painter.fillRect(QRectF(box.left(), box.top(), filled, box.height()), self._colour)
        if outlined > filled:
            painter.setPen(QPen(self._colour, 1.0))
            hollow = QRectF(box.left(), box.top(), outlined, box.height())
            painter.drawRect(hollow.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(theme.text)
        painter.setFont(scaled_font(self.font(), LABEL_FONT))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        text = NORM_OF + self.text if self._is_wide() else self.text
        painter.drawText(QRectF(self.rect()), right, text)
        painter.end()

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(scaled_font(self.font(), LABEL_FONT))
