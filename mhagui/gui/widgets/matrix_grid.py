"""A grid of cards that keeps the cells as large as the room allows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from mhagui.gui.widgets.cards import exchange, lay_sheet
from mhagui.gui.widgets.matrix_card import MatrixCard

SPACING = 6
MIN_SIDE = 40  # a matrix smaller than this says nothing: then the grid scrolls
MIN_SIZE = QSize(200, 150)
WORTH_A_NAME = 0.8  # of their side the matrices may lose so that the heads' names can be read


@dataclass(frozen=True, slots=True)
class GridShape:
    """How many cards stand beside each other, how large each is, and whether the grid scrolls."""

    columns: int
    card: QSize
    scrolls: bool


def grid_shape(count: int, area: QSize, chrome: QSize, bar_width: int) -> GridShape:
    """Return the shape with the largest square matrices for ``count`` cards in ``area``.

    ``chrome`` is how much larger than its matrix a card is, ``bar_width`` what a scroll bar takes.
    """
    shapes = [_filling(columns, count, area) for columns in range(1, count + 1)]
    best = max(shapes, key=lambda shape: _side(shape.card, chrome))
    if _side(best.card, chrome) >= MIN_SIDE:
        return best
    return _scrolling(count, area, chrome, bar_width)


def _filling(columns: int, count: int, area: QSize) -> GridShape:
    rows = math.ceil(count / columns)
    width = (area.width() - (columns - 1) * SPACING) // columns
    height = (area.height() - (rows - 1) * SPACING) // rows
    return GridShape(columns, QSize(width, height), scrolls=False)


def _scrolling(count: int, area: QSize, chrome: QSize, bar_width: int) -> GridShape:
    room = area.width() - bar_width
    most = (room + SPACING) // (MIN_SIDE + chrome.width() + SPACING)
    columns = min(max(most, 1), count)
    width = (room - (columns - 1) * SPACING) // columns
    side = max(width - chrome.width(), MIN_SIDE)
    visible = max(area.height() - chrome.height(), MIN_SIDE)  # a card is not higher than the grid
    return GridShape(columns, QSize(width, min(side, visible) + chrome.height()), scrolls=True)


def _side(card: QSize, chrome: QSize) -> int:
    return min(card.width() - chrome.width(), card.height() - chrome.height())


class CardGrid(QScrollArea):
    """Shows cards in a grid, or one of them alone."""

    def __init__(self) -> None:
        super().__init__()
        self._cards: tuple[MatrixCard, ...] = ()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._sheet = QWidget()
        lay_sheet(self, self._sheet)

    @property
    def cards(self) -> tuple[MatrixCard, ...]:
        """All cards, shown or not."""
        return self._cards

    def set_cards(self, cards: Sequence[MatrixCard]) -> None:
        """Hold ``cards`` from now on; those held before and no longer are deleted."""
        exchange(self._sheet, self._cards, cards)
        self._cards = tuple(cards)

    def show_cards(self, alone: MatrixCard | None) -> None:
        """Show one card alone, or all of them for None, as large as fits."""
        for card in self._cards:
            card.setVisible(alone is None or card is alone)
        self.arrange()

    def arrange(self) -> None:
        """Give the shown cards their places."""
        shown = [card for card in self._cards if not card.isHidden()]
        if not shown:
            return
        bar = self.verticalScrollBar().sizeHint().width()
        shape = self._shape(shown, bar + SPACING)
        policy = Qt.ScrollBarPolicy
        on, off = policy.ScrollBarAlwaysOn, policy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(on if shape.scrolls else off)
        for place, card in enumerate(shown):
            row, column = divmod(place, shape.columns)
            x, y = column * (shape.card.width() + SPACING), row * (shape.card.height() + SPACING)
            card.setGeometry(QRect(x, y, shape.card.width(), shape.card.height()))
        bottom = shown[-1].geometry().bottom() + 1
        width = self.width() - (bar if shape.scrolls else 0)
        self._sheet.resize(width, bottom if shape.scrolls else self.height())

    def _shape(self, shown: Sequence[MatrixCard], bar: int) -> GridShape:
        """Return the shape for all ``shown`` cards, whose names go into lines of their own if cut.

        These are left out where the matrices would be much smaller for them, or would scroll.
        """
        chrome = [shown[0].chrome(name_below=below) for below in (False, True)]
        beside, below = (grid_shape(len(shown), self.size(), of, bar) for of in chrome)
        is_below = False
        if not all(card.has_room_for_name(beside.card.width()) for card in shown):
            sides = _side(beside.card, chrome[0]), _side(below.card, chrome[1])
            is_below = sides[1] >= WORTH_A_NAME * sides[0] and below.scrolls == beside.scrolls
        for card in shown:
            card.set_name_below(is_below)
        return below if is_below else beside

    def minimumSizeHint(self) -> QSize:
        """Return a size in which one card can be read."""
        return MIN_SIZE

    def sizeHint(self) -> QSize:
        """Return a size in which four cards have cells with values."""
        return QSize(560, 460)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the cards anew."""
        super().resizeEvent(event)
        self.arrange()
