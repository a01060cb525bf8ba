"""The pictures of a comparison: A, B and their difference, and how far apart their rows are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QEvent, QRect, QSize, QSizeF, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from mhagui.document import Cursor, Window
from mhagui.document.view_state import FEWEST_SHOWN
from mhagui.gui.formulas import Formula
from mhagui.gui.pooling import Pooling
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain
from mhagui.gui.widgets.matrix_layout import MARGIN, MIN_WHOLE_CELL
from mhagui.gui.widgets.matrix_picture import Part, Picture
from mhagui.gui.widgets.matrix_zoom import ZoomedView

NAMES = ("compareA", "compareB", "compareDifference", "compareRows")
LEAST = QSize(200, 110)
GAP = 8
LEAST_WIDTH = 56  # of a picture, so that its title can be read
LEAST_ROWS_WIDTH = 32  # of the picture of the rows
MOST_WORDS = 110  # pixels that words below the cells may have, where there is room
NO_WORDS = QSizeF(0.0, 0.0)
WORTH_WORDS = 0.55  # of their size cells may lose for words of keys that no row has
ROWS = 3  # the place of the picture of the rows
# How many pictures stand in each line.
_WAYS = ((4,), (2, 2), (1, 1, 2))
_HALVINGS = 20


@dataclass(frozen=True, slots=True)
class Look:
    """The cell that is pointed at, from 0, and the part that is shown; None for all of it."""

    query: int
    key: int
    window: Window | None = None

    def pointed(self, query: int, key: int) -> "Look":
        """Return the look with the cursor at a cell, in sight."""
        window = self.window and self.window.holding(Cursor(0, query, key))
        return Look(query, key, window)

    def zoomed(
        self, factor: float, shape: tuple[int, int], at: tuple[float, float] | None
    ) -> "Look":
        """Return the look in which cells are ``factor`` times as large, around a place."""
        shown = self.window or Window(0, 0, max(shape))
        at = at or (self.query + 0.5, self.key + 0.5)
        return self.seen(shown.zoomed(factor, *at), shape)

    def seen(self, window: Window | None, shape: tuple[int, int]) -> "Look":
        """Return the look at a part of a matrix of ``shape``."""
        return replace(self, window=window and window.fitted(*shape))

    def fitted(self, shape: tuple[int, int]) -> "Look":
        """Return the look with its cursor inside a matrix of ``shape``."""
        inside = replace(self, query=min(self.query, shape[0] - 1), key=min(self.key, shape[1] - 1))
        return inside.seen(self.window, shape)

    def part(self, shape: tuple[int, int]) -> Part | None:
        """Return the rows and columns of a matrix of ``shape`` that are shown; None for all."""
        window = self.window
        if window is None or max(shape) <= FEWEST_SHOWN:
            return None
        firsts = zip((window.query, window.key), shape, strict=True)
        rows, columns = (
            range(first := max(min(at, n - window.count), 0), min(first + window.count, n))
            for at, n in firsts
        )
        return Part(rows, columns)


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture, and what it is called, from the longest to the shortest text."""

    picture: Picture
    titles: tuple[str, ...]
    spoken: str
    formula: Formula
    tip: str


class ComparePictures(QWidget):
    """Four pictures with cells of one size, the rows of the last level with those of the third.

    They move neither cursor nor part themselves.

    Signals
    -------
    pointed, zoomed, dragged, whole_wanted
        What a ``ZoomedView`` says; the picture of the rows leaves columns as they are.
    """

    pointed = Signal(int, int)
    zoomed = Signal(float, object)
    dragged = Signal(int, int)
    whole_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.views = tuple(ZoomedView() for _ in NAMES)
        self.titles = tuple(FittingLabel() for _ in NAMES)
        self.views[ROWS].set_bare(True)  # its rows are named beside the third
        self._pooling = Pooling(self._served, self)
        self._shape, self._look = (1, 1), Look(0, 0)
        for place, (view, title, name) in enumerate(
            zip(self.views, self.titles, NAMES, strict=True)
        ):
            view.setObjectName(name)
            view.setParent(self)
            title.setObjectName(f"{name}Title")
            title.setParent(self)
            view.set_aside(self._pooling)
            view.pointed.connect(partial(self._on_pointed, place))
            view.zoomed.connect(partial(self._on_zoomed, place))
            view.dragged.connect(partial(self._on_dragged, place))
            view.whole_wanted.connect(self.whole_wanted)
        self._set_fonts()

    def _served(self) -> Sequence[ZoomedView]:
        return self.views

    def _set_fonts(self) -> None:
        for title in self.titles:
            title.setFont(demi_bold(self.font()))

    # --- what is shown

    def show_pictures(self, shown: Sequence[Shown]) -> None:
        """Show A, B, their difference, and a column with a number to each row."""
        before = [_outline(view.picture) for view in self.views]
        self._shape = shown[0].picture.shape
        for view, title, each in zip(self.views, self.titles, shown, strict=True):
            view.set_picture(each.picture)
            view.setAccessibleName(each.spoken)
            title.set_texts(*each.titles)
            for part in (view, title):
                explain(part, each.formula, each.tip)
        if before != [_outline(view.picture) for view in self.views]:
            self._place()

    def show_look(self, look: Look) -> None:
        """Mark the cursor's cell in all of them, and show the same part of all."""
        self._look, part = look, look.part(self._shape)
        for place, view in enumerate(self.views):
            is_of_rows = place == ROWS
            view.set_part(Part(part.rows, range(1)) if part and is_of_rows else part)
            view.set_cursor_cell(look.query, 0 if is_of_rows else look.key)
        self._level()

    def forget(self) -> None:
        """Let go of the pictures, which are to be shown anew before the next painting."""
        for view in self.views:
            view.forget_picture()

    # --- what the user does

    def _on_pointed(self, place: int, row: int, column: int) -> None:
        self.pointed.emit(row, self._look.key if place == ROWS else column)

    def _on_zoomed(self, place: int, factor: float, at: tuple[float, float] | None) -> None:
        if place == ROWS and at is not None:
            at = at[0], self._look.key + 0.5
        self.zoomed.emit(factor, at)

    def _on_dragged(self, place: int, row: int, column: int) -> None:
        window = self._look.window
        if place == ROWS and window is not None:
            column = window.key
        self.dragged.emit(row, column)

    # --- where things are

    def minimumSizeHint(self) -> QSize:
        """Return a size in which small matrices can be made out."""
        return LEAST

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place all anew."""
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        """Write titles in another font, and place all anew."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_fonts()
            self._place()

    def _place(self) -> None:
        """Arrange all in the way that makes for the largest cells, or of several the highest."""
        if self.views[0].picture is None:
            return
        unit, way = self._way()
        has_words = bool(self._picture(0).column_words)
        given = self._arrange(way, unit, MOST_WORDS if has_words else 0)
        free = round(_ends(self.views[0])[0] - MARGIN)  # between title and cells
        if given and free > 0:  # words need less
            self._arrange(way, unit, max(given - 2 * free, 0))
        self._even_out()
        self._level()

    def _even_out(self) -> None:
        """Have cells of one size, and level, where one matrix has shorter words than another."""
        views = self.views[:ROWS]
        heights = [_ends(view)[1] - _ends(view)[0] for view in views]
        for view, height in zip(views, heights, strict=True):
            if height > min(heights):
                view.resize(view.width(), view.height() - round(height - min(heights)))
        tops = [_ends(view)[0] for view in views]
        for view, top in zip(views, tops, strict=True):
            view.move(view.x(), view.y() + round(max(tops) - top))

    def _way(self) -> tuple[float, tuple[int, ...]]:
        """Return the largest cells, and the way of arranging them; with the keys' own words."""
        unit, _, way = max((self._unit(way), len(way), way) for way in _WAYS)
        words = self.views[0].word_room
        if words.height() > 0:
            smaller, _, other = max((self._unit(way, words), len(way), way) for way in _WAYS)
            if smaller >= WORTH_WORDS * unit:
                return smaller, other
        return unit, way

    def _unit(self, way: tuple[int, ...], words: QSizeF = NO_WORDS) -> float:
        """Return the largest cell with which all fit, with room for ``words`` around each."""
        low, high = 0.0, float(max(self.width(), self.height()))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            columns, height = self._lines(way, middle, words)
            fits = sum(columns) + (len(columns) - 1) * GAP <= self.width()
            fits = fits and len(way) * height <= self.height()
            low, high = (middle, high) if fits else (low, middle)
        return float(int(low)) if low >= MIN_WHOLE_CELL else low

    def _lines(
        self, way: tuple[int, ...], unit: float, words: QSizeF = NO_WORDS
    ) -> tuple[list[int], int]:
        """Return how wide each column of pictures is, and how high each line with its titles."""
        rows = self._picture(0).shape[0]
        height = round(rows * unit + 2 * MARGIN + self.views[0].gutters.bottom + words.height())
        columns = [0] * max(way)
        for place, (_, column) in enumerate(_places(way)):
            around = 2 * MARGIN + self.views[place].gutters.left
            around += words.width() if place != ROWS else 0.0
            width = round(self._picture(place).shape[1] * unit + around)
            least = LEAST_ROWS_WIDTH if place == ROWS else LEAST_WIDTH
            columns[column] = max(columns[column], width, least)
        return columns, height + self._line()

    def _picture(self, place: int) -> Picture:
        picture = self.views[place].picture
        assert picture is not None  # or nothing is placed
        return picture

    def _line(self) -> int:
        return self.titles[0].sizeHint().height() + 2

    def _arrange(self, way: tuple[int, ...], unit: float, words: int) -> int:
        """Give all their places, with room for ``words`` below the cells as far as there is some.

        Room that is left across goes to those beside the cells. Returns what there was below.
        """
        columns, height = self._lines(way, unit)
        spare = self.width() - sum(columns) - (len(columns) - 1) * GAP
        columns = [width + max(spare, 0) // len(columns) for width in columns]
        spare = max(self.height() - len(way) * height, 0)
        words = min(spare // len(way), words)
        height += words
        first = max((self.height() - len(way) * height) // 2, 0)
        for place, (line, column) in enumerate(_places(way)):
            left, top = sum(columns[:column]) + column * GAP, first + line * height
            self.titles[place].setGeometry(left, top, columns[column], self._line())
            box = QRect(left, top + self._line(), columns[column], height - self._line())
            self.views[place].setGeometry(box)
        return words

    def _level(self) -> None:
        """Have the rows of the last picture at the height of those of the difference."""
        difference, rows = self.views[ROWS - 1 :]
        if difference.picture is None:
            return
        top, bottom = _ends(difference)
        first = difference.y() + top - MARGIN
        height = bottom - top + 2 * MARGIN + rows.gutters.bottom
        rows.setGeometry(rows.x(), round(first), rows.width(), round(height))


def _ends(view: ZoomedView) -> tuple[float, float]:
    """Return the top of the first row and the bottom of the last, in the view."""
    layout = view.laid_out
    assert layout is not None  # or nothing is placed
    top, bottom = layout.row_edges[[0, -1]] / layout.ratio
    return float(top), float(bottom)


def _outline(picture: Picture | None) -> tuple[object, ...]:
    """Return all of ``picture`` that has a say in where things are."""
    if picture is None:
        return ()
    rows, columns = picture.row_labels, picture.column_labels
    return rows, columns, picture.row_words, picture.column_words


def _places(way: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the line and the column of each picture."""
    return [(line, column) for line, count in enumerate(way) for column in range(count)]
