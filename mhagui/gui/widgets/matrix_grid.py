"""A grid of cards that keeps the cells as large as the room allows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from mhagui.gui.widgets.cards import exchange, lay_sheet
from mhagui.gui.widgets.matrix_card import MatrixCard
from mhagui.gui.widgets.matrix_layout import STRIP_RATIO

Shares = tuple[float, float]  # of the longer side of a matrix: its width, its height
SQUARE = (1.0, 1.0)
SPACING = 6
MIN_SIDE = 40  # a matrix smaller than this says nothing: then the grid scrolls
MIN_SIZE = QSize(200, 150)
WORTH_A_NAME = 0.8  # of their side the matrices may lose so that the heads' names can be read
MOST_SHAPES = 8  # that are kept
NO_LIMIT = 2**20  # pixels
SMALL = 56  # pixels, below which a matrix has no labels where it is larger without them,
WORTH_NO_LABELS = 1.15  # at least so many times
WORTH_WORDS = 0.66  # of their side they may lose for words of keys that no row has


@dataclass(frozen=True, slots=True)
class GridShape:
    """How many cards stand beside each other, how large each is, and whether the grid scrolls."""

    columns: int
    card: QSize
    scrolls: bool


def grid_shape(
    count: int, area: QSize, chrome: QSize, bar_width: int, shares: Shares = SQUARE
) -> GridShape:
    """Return the shape with the largest matrices for ``count`` cards in ``area``.

    ``chrome`` is how much larger than its matrix a card is, ``bar_width`` what a scroll bar takes.
    """
    shapes = [_filling(columns, count, area) for columns in range(1, count + 1)]
    best = max(shapes, key=lambda shape: _side(shape.card, chrome, shares))
    if _side(best.card, chrome, shares) >= MIN_SIDE:
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


def _side(card: QSize, chrome: QSize, shares: Shares) -> int:
    """Return how long the longer side of a matrix is."""
    width, height = card.width() - chrome.width(), card.height() - chrome.height()
    return int(min(width / shares[0], height / shares[1]))


def _shares(card: MatrixCard) -> Shares:
    """Return what width and height of the matrix are of the longer of both."""
    if card.view.picture is None:
        return SQUARE
    rows, columns = card.view.picture.shape
    longer = max(rows, columns)
    return max(columns / longer, 1 / STRIP_RATIO), max(rows / longer, 1 / STRIP_RATIO)


@dataclass(frozen=True, slots=True)
class CardShape:
    """How cards stand, and what of them is shown."""

    grid: GridShape
    side: int
    is_name_below: bool
    is_bare: bool


def _are_told_apart(cards: Sequence[MatrixCard], width: int) -> bool:
    """Return whether names that differ do so in lines of their own, in cards of ``width``."""
    cut = {card.name_in(width) for card in cards}
    return len(cut) == len({card.name_in(NO_LIMIT) for card in cards})


class CardGrid(QScrollArea):
    """Shows cards in a grid, or one of them alone."""

    def __init__(self) -> None:
        super().__init__()
        self._cards: tuple[MatrixCard, ...] = ()
        self._outlines: list[tuple[object, ...]] = []
        self._shapes: dict[tuple[int, int], CardShape] = {}  # of these, in sizes that were asked
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
        shown = self._shown()
        if not shown:
            return
        bar, cards = self.verticalScrollBar().sizeHint().width(), self._shape(shown, self.size())
        shape = cards.grid
        for card in shown:
            card.set_name_below(cards.is_name_below)
            card.view.set_bare(cards.is_bare)
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

    def shape_in(self, size: QSize) -> CardShape | None:
        """Return how the cards would stand in a grid of another ``size``, None without any."""
        shown = self._shown()
        return self._shape(shown, size) if shown else None

    def _shown(self) -> list[MatrixCard]:
        return [card for card in self._cards if not card.isHidden()]

    def _shape(self, shown: Sequence[MatrixCard], size: QSize) -> CardShape:
        """Return how all ``shown`` cards stand in ``size``, found once while they stay alike."""
        outlines, key = [card.outline() for card in shown], (size.width(), size.height())
        if outlines != self._outlines or len(self._shapes) > MOST_SHAPES:
            self._outlines, self._shapes = outlines, {}
        if key not in self._shapes:
            self._shapes[key] = self._found(shown, size)
        return self._shapes[key]

    def _found(self, shown: Sequence[MatrixCard], size: QSize) -> CardShape:
        """Return how all ``shown`` cards stand in ``size``: small ones without labels."""
        labelled = self._with_names(shown, size, bare=False)
        if shown[0].view.word_room.height() > 0:
            worded = self._with_names(shown, size, bare=False, words=True)
            is_worth_it = worded.side >= max(WORTH_WORDS * labelled.side, SMALL)
            labelled = worded if is_worth_it and not worded.grid.scrolls else labelled
        if labelled.side >= SMALL:
            return labelled
        bare = self._with_names(shown, size, bare=True)
        is_larger = bare.side >= WORTH_NO_LABELS * labelled.side
        return bare if is_larger or labelled.grid.scrolls else labelled

    def _with_names(
        self, shown: Sequence[MatrixCard], size: QSize, *, bare: bool, words: bool = False
    ) -> CardShape:
        """Return the shape for all ``shown`` cards, whose names go into lines of their own if cut.

        These are left out where the matrices would be much smaller for them, or would scroll.
        """
        bar, shares = self.verticalScrollBar().sizeHint().width() + SPACING, _shares(shown[0])
        chrome = [
            shown[0].chrome(name_below=below, bare=bare, words=words) for below in (False, True)
        ]
        beside, below = (
            CardShape(shape, _side(shape.card, of, shares), is_below, bare)
            for is_below, of in zip((False, True), chrome, strict=True)
            for shape in [grid_shape(len(shown), size, of, bar, shares)]
        )
        if all(card.has_room_for_name(beside.grid.card.width()) for card in shown):
            return beside
        is_worth_it = below.side >= WORTH_A_NAME * beside.side
        is_worth_it = is_worth_it and _are_told_apart(shown, below.grid.card.width())
        return below if is_worth_it and below.grid.scrolls == beside.grid.scrolls else beside

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
