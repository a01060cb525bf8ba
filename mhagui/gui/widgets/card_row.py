"""Cards with signs between them: a sum that is read as text is, from left to right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.cards import exchange, lay_sheet
from mhagui.gui.widgets.drawing import demi_bold, scaled_font

SIGN_WIDTH = 15
SPACING = 6  # between lines
TALL = 2.2  # no card is more times as high as wide
MIN_SIZE = QSize(160, 96)
_SIGN_SIZE = 1.2  # times the widget's font

Signs = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowShape:
    """How many cards stand side by side, how large each is, and which way they scroll."""

    columns: int
    card: QSize
    across: bool = False
    down: bool = False


def row_shape(count: int, area: QSize, least: QSize, bar: int) -> RowShape:
    """Return the shape in which ``count`` cards are largest in ``area``, none below ``least``.

    Where they do not all fit they stand in one line, with a scroll bar that takes ``bar``.
    """
    shapes = [_filling(columns, count, area) for columns in range(count, 0, -1)]
    fitting = [shape for shape in shapes if shape.card.expandedTo(least) == shape.card]
    if not fitting:
        return _scrolling(count, area, least, bar)
    best = max(fitting, key=lambda shape: min(shape.card.width(), shape.card.height() / TALL))
    width, height = best.card.width(), best.card.height()
    height = max(min(height, round(TALL * width)), least.height())
    return RowShape(best.columns, QSize(width, height))


def _filling(columns: int, count: int, area: QSize) -> RowShape:
    """Return a shape that fills the area; of several lines, each ends with a sign."""
    lines = math.ceil(count / columns)
    across = area.width() + (SIGN_WIDTH if lines == 1 else 0)
    height = (area.height() + SPACING) // lines - SPACING
    return RowShape(columns, QSize(across // columns - SIGN_WIDTH, height))


def _scrolling(count: int, area: QSize, least: QSize, bar: int) -> RowShape:
    """Return one line of cards, as wide as its height is of use, two or more of them in sight."""
    needed = count * (least.width() + SIGN_WIDTH) - SIGN_WIDTH
    down = area.height() < least.height()
    across = needed > area.width() - (bar if down else 0)
    height = area.height() - (bar if across else 0)
    down = height < least.height()
    room = area.width() - (bar if down else 0)
    widest = (room - SIGN_WIDTH) // 2 if across else (room + SIGN_WIDTH) // count - SIGN_WIDTH
    width = max(min(round(height / TALL), widest), least.width())
    return RowShape(count, QSize(width, max(height, least.height())), across, down)


class _Sheet(QWidget):
    """What the cards stand on; it writes the signs."""

    def __init__(self) -> None:
        super().__init__()
        self._signs: list[tuple[QRect, str]] = []

    def show_signs(self, signs: list[tuple[QRect, str]]) -> None:
        """Write each sign into its box."""
        if signs != self._signs:
            self._signs = signs
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Write each sign into its gap."""
        painter = QPainter(self)
        painter.setFont(demi_bold(scaled_font(self.font(), _SIGN_SIZE)))
        painter.setPen(theme_of(self.palette()).text)
        for box, sign in self._signs:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sign)
        painter.end()


class CardRow(QScrollArea):
    """Gives all cards the same size, as large as the room allows, in as many lines as suits that.

    Where they do not all fit, they stand in one line that scrolls.

    Signals
    -------
    sight_changed
        Other cards than before may be in sight.
    """

    sight_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._cards: tuple[QWidget, ...] = ()
        self._signs: Signs = ()
        self._sheet = _Sheet()
        lay_sheet(self, self._sheet)
        self.horizontalScrollBar().valueChanged.connect(self._on_scrolled)

    @property
    def cards(self) -> tuple[QWidget, ...]:
        """All cards, in sight or not."""
        return self._cards

    def set_cards(self, cards: Sequence[QWidget], signs: Sequence[str]) -> None:
        """Hold ``cards``, with ``signs`` between them; those no longer held are deleted."""
        cards, signs = tuple(cards), tuple(signs)
        if (cards, signs) == (self._cards, self._signs):
            return
        exchange(self._sheet, self._cards, cards)
        for card in cards:
            if card not in self._cards:
                card.show()
        self._cards, self._signs = cards, signs
        self.arrange()

    def in_sight(self) -> list[int]:
        """Return the places of the cards of which anything can be seen."""
        seen = QRect(self.horizontalScrollBar().value(), 0, self.width(), self._sheet.height())
        return [place for place, card in enumerate(self._cards) if seen.intersects(card.geometry())]

    def arrange(self) -> None:
        """Give the cards their places, the least size of the first being that of all."""
        if not self._cards:
            return
        bar = self.verticalScrollBar().sizeHint().width()
        least = self._cards[0].minimumSizeHint()
        shape = row_shape(len(self._cards), self.size(), least, bar)
        on, off = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setHorizontalScrollBarPolicy(on if shape.across else off)
        self.setVerticalScrollBarPolicy(on if shape.down else off)
        width, height = shape.card.width(), shape.card.height()
        signs = []
        for place, card in enumerate(self._cards):
            line, column = divmod(place, shape.columns)
            left, top = column * (width + SIGN_WIDTH), line * (height + SPACING)
            card.setGeometry(left, top, width, height)
            if place < len(self._signs):
                signs.append((QRect(left + width, top, SIGN_WIDTH, height), self._signs[place]))
        lines = math.ceil(len(self._cards) / shape.columns)
        across = shape.columns * (width + SIGN_WIDTH) - (SIGN_WIDTH if lines == 1 else 0)
        self._sheet.resize(across, lines * (height + SPACING) - SPACING)
        self._sheet.show_signs(signs)

    def minimumSizeHint(self) -> QSize:
        """Return a size in which one card can be read."""
        return MIN_SIZE

    def sizeHint(self) -> QSize:
        """Return a size in which six small cards stand side by side."""
        return QSize(640, 200)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the cards anew."""
        super().resizeEvent(event)
        self.arrange()
        self.sight_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Take the room that another font needs."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.arrange()

    def _on_scrolled(self, _value: int) -> None:
        self.sight_changed.emit()
