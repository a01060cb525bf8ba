"""Where the cells, bands and labels of a matrix stand in a rectangle."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF

from mhagui.gui.widgets.label_text import fitted
from mhagui.gui.widgets.matrix_picture import Part, with_words
from mhagui.gui.widgets.matrix_surroundings import (
    BAND,
    BAND_GAP,
    LABEL_GAP,
    MOST_WORD,
    Gutters,
    Surroundings,
    label_height,
)

MARGIN = 4.0  # room for the focus frame
OVERHANG = 2.0  # how far a label may reach beyond the cells along their edge
MIN_GAPPED_CELL = 8.0  # smaller cells touch each other
MIN_WHOLE_CELL = 8  # device pixels; from here on all cells have exactly the same size
STRIP_RATIO = 3  # a matrix longer than this many times its width is a strip,
STRIP_CELL = 12.0  # whose cells may be longer than high, up to this size
STRIP_LENGTH = 120.0  # and this size of the matrix
_STEPS = (1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
KEPT = 0.875  # of the size of cells, that words leave them
KEPT_OF_OWN = 0.66  # where columns have other words than rows, which nothing else says
# Widths of a digit that a word has: at least, or it is left out; and so many that it is not turned,
# though it is cut.
LEAST_WORD, LEVEL_WORD = 4, 8
LEAST_TURNED = 6  # of turned words, which may stand with a label

Edges = npt.NDArray[np.int64]
Band = tuple[QRectF, QColor]


@dataclass(frozen=True, slots=True)
class Label:
    """A label that is shown, of which row or column, and the box it is written in.

    One that is turned reads upwards.
    """

    text: str
    box: QRectF
    place: int
    is_turned: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MatrixLayout:
    """Where everything of one matrix, or of a part of it, stands.

    Rows and columns are counted from the first of the matrix, shown or not.

    Attributes
    ----------
    ratio
        Device pixels per logical pixel.
    part
        The rows and columns that are shown.
    row_edges, column_edges
        Edges of their cells in whole device pixels, one more than there are rows or columns.
    gap
        Device pixels between neighbouring cells, 0 for small cells.
    row_labels, column_labels
        The labels that are shown; none touches another.
    column_bands
        Boxes of the bands in device pixels with their colours.
    """

    ratio: float
    part: Part
    row_edges: Edges
    column_edges: Edges
    gap: int
    row_labels: tuple[Label, ...] = ()
    column_labels: tuple[Label, ...] = ()
    column_bands: tuple[Band, ...] = ()

    def cells(self, rows: slice, columns: slice) -> QRectF:
        """Return the box around a range of cells, in logical pixels."""
        row, column = self.part.rows.start, self.part.columns.start
        top, bottom = self.row_edges[[rows.start - row, rows.stop - row]]
        left, right = self.column_edges[[columns.start - column, columns.stop - column]]
        box = QRectF(left, top, right - left, bottom - top)
        return QRectF(box.topLeft() / self.ratio, box.size() / self.ratio)

    def cell(self, row: int, column: int) -> QRectF:
        """Return the box of one cell, in logical pixels."""
        return self.cells(slice(row, row + 1), slice(column, column + 1))

    def row(self, row: int) -> QRectF:
        """Return the box of a whole row, in logical pixels."""
        return self.cells(slice(row, row + 1), self.part.cells[1])

    def column(self, column: int) -> QRectF:
        """Return the box of a whole column, in logical pixels."""
        return self.cells(self.part.cells[0], slice(column, column + 1))

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return row and column of the cell at a point in logical pixels, None beside them."""
        row = _place(self.row_edges, y * self.ratio)
        column = _place(self.column_edges, x * self.ratio)
        if row is None or column is None:
            return None
        return self.part.rows[row], self.part.columns[column]

    def edge_at(self, x: float, y: float) -> tuple[int | None, int | None]:
        """Return the row that a point is left of, and the column that it is below; or None."""
        row = _place(self.row_edges, y * self.ratio)
        column = _place(self.column_edges, x * self.ratio)
        is_left, is_below = (
            x * self.ratio < self.column_edges[0],
            y * self.ratio > self.row_edges[-1],
        )
        return (
            self.part.rows[row] if row is not None and is_left else None,
            self.part.columns[column] if column is not None and is_below else None,
        )

    def place_at(self, x: float, y: float) -> tuple[float, float]:
        """Return how many rows and columns lie before a point, which may be beside the cells."""
        spans = (y, self.row_edges, self.part.rows), (x, self.column_edges, self.part.columns)
        row, column = (
            cells.start + (at * self.ratio - edges[0]) / (edges[-1] - edges[0]) * len(cells)
            for at, edges, cells in spans
        )
        return float(row), float(column)


@dataclass(frozen=True, slots=True)
class WordRoom:
    """Room for words, logical pixels, which is the same for any part of a matrix.

    Attributes
    ----------
    beside
        How much wider the labels of rows are, with words.
    instead
        Whether words stand there instead of labels.
    turned
        How high the labels of columns are that have turned words, 0 where they have none.
    """

    beside: float = 0.0
    instead: bool = False
    turned: float = 0.0


def lay_out(
    around: Surroundings, gutters: Gutters, size: QSizeF, ratio: float, part: Part | None = None
) -> MatrixLayout:
    """Return the layout of a matrix in a widget of ``size``, as large as fits, in the middle.

    Of a ``part`` of it, where one is given, with the ``gutters`` of the whole.
    """
    part = part or around.whole
    width = max(size.width() - 2 * MARGIN - gutters.left, 1.0)
    height = max(size.height() - 2 * MARGIN - gutters.bottom, 1.0)
    words = _room_for_words(around, gutters, QSizeF(width, height), ratio)
    width -= words.beside
    height -= max(words.turned - label_height(around.metrics), 0.0)
    around = around.of(part)
    rows, columns = map(len, part)
    unit_x, unit_y = _units(rows, columns, width * ratio, height * ratio, ratio, around.stretch)
    across, down = _edges(columns, unit_x), _edges(rows, unit_y)
    spare_x = width * ratio - float(across[-1])
    spare_y = height * ratio - float(down[-1])
    left = round((MARGIN + gutters.left + words.beside) * ratio + spare_x / 2)
    top = round(MARGIN * ratio + spare_y / 2)
    layout = MatrixLayout(
        ratio=ratio,
        part=part,
        row_edges=down + top,
        column_edges=across + left,
        gap=max(round(ratio), 1) if min(unit_x, unit_y) >= MIN_GAPPED_CELL * ratio else 0,
    )
    return _with_surroundings(layout, around, words, size)


def _room_for_words(
    around: Surroundings, gutters: Gutters, cells: QSizeF, ratio: float
) -> WordRoom:
    """Return the room for words beside and below ``cells`` that may be a little smaller for it."""
    if not (around.row_words or around.column_words):
        return WordRoom()
    rows, columns = map(len, around.whole)

    def unit(width: float) -> QSizeF:
        size = width * ratio, cells.height() * ratio
        return QSizeF(*_units(rows, columns, *size, ratio, around.stretch)) / ratio

    cell = unit(cells.width())
    taken = columns * cell.width()
    room = QSizeF(cells.width() - _kept_of(around, cell.width()) * taken, cell.height())
    words = _beside(around, gutters.left - LABEL_GAP, room, cells.width() - taken)
    cell = unit(cells.width() - words.beside)
    if around.column_words and around.column_bands is None and not _are_level(around, cell.width()):
        kept = _kept_of(around, cell.height()) * rows * cell.height()
        below = cells.height() - kept + label_height(around.metrics)
        is_thinned = cell.width() < label_height(around.metrics)
        words = replace(words, turned=_turned(around, below, with_labels=is_thinned))
    return words


def _kept_of(around: Surroundings, cell: float) -> float:
    """Return how much words leave of the size of a cell: all where it would lose its number.

    But not where columns have words of their own: the cursor and tooltips have the number as well.
    """
    if not around.word_room.isEmpty():
        return KEPT_OF_OWN
    return 1.0 if int(KEPT * cell) < around.number_room <= cell else KEPT


def _beside(around: Surroundings, labels: float, room: QSizeF, free: float) -> WordRoom:
    """Return the room for words beside the ``labels`` of rows, or instead of them.

    ``room`` is what the width may grow by, and the height of a row; ``free`` what the width may
    grow by at no cost. Where there is too little, words alone stand for rows so high that each of
    them has its own; at last they are cut.
    """
    metrics, words = around.metrics, around.width_of(around.row_words)
    if not words:
        return WordRoom()
    space, digit = metrics.horizontalAdvance(" "), metrics.horizontalAdvance("0")
    wanted = min(words, MOST_WORD * digit)
    for width in (free, room.width()):
        if space + wanted <= width:
            return WordRoom(space + wanted)
        if wanted - labels <= width and room.height() >= label_height(metrics):
            return WordRoom(max(wanted - labels, 0.0), instead=True)
    return WordRoom(room.width() if space + LEAST_WORD * digit <= room.width() else 0.0)


def _turned(around: Surroundings, room: float, *, with_labels: bool) -> float:
    """Return how much of ``room`` turned words of columns need, 0 where there is too little.

    Without labels they can do with less, where they are not ``with_labels`` since some are left
    out.
    """
    digit = around.metrics.horizontalAdvance("0")
    labels, words = around.width_of(around.column_labels), around.width_of(around.column_words)
    wanted = min(words, MOST_WORD * digit)
    label = labels + around.metrics.horizontalAdvance(" ")
    if room >= label + wanted:
        return label + wanted
    least = label + LEAST_WORD * digit if with_labels else LEAST_TURNED * digit
    return room if room >= least else wanted if room >= wanted and not with_labels else 0.0


def _are_level(around: Surroundings, pitch: float) -> bool:
    """Return whether columns so wide have words that need not be turned."""
    advance, count = around.metrics.horizontalAdvance, len(around.column_words)
    if pitch < advance("0"):
        return False
    if count == 1 or pitch >= (LEVEL_WORD + 0.5) * advance("0"):
        return True
    middles = [(place + 0.5) * pitch for place in range(count)]
    return _spans(around.column_words, middles, (-OVERHANG, math.inf), advance) is not None


def _units(
    rows: int, columns: int, width: float, height: float, ratio: float, stretch: float
) -> tuple[float, float]:
    """Return width and height of a cell in device pixels: square, but for a long strip.

    Where there is room, the width is up to ``stretch`` times the height.
    """
    unit = min(width / columns, height / rows)
    unit = _whole(unit)
    unit_x = unit_y = unit
    if rows > STRIP_RATIO * columns:
        unit_x = max(unit, min(width, columns * STRIP_CELL * ratio, STRIP_LENGTH * ratio) / columns)
    elif columns > STRIP_RATIO * rows:
        unit_y = max(unit, min(height, rows * STRIP_CELL * ratio, STRIP_LENGTH * ratio) / rows)
    return max(unit_x, min(_whole(width / columns), stretch * unit_y)), unit_y


def _whole(unit: float) -> float:
    return float(int(unit)) if unit >= MIN_WHOLE_CELL else unit


def _edges(count: int, unit: float) -> Edges:
    """Return count + 1 whole edges from 0 on; the matrix is at least one pixel long."""
    edges: Edges = np.floor(np.arange(count + 1) * unit + 1e-6).astype(np.int64)
    edges[-1] = max(edges[-1], 1)
    return edges


def _place(edges: Edges, at: float) -> int | None:
    place = int(np.searchsorted(edges, at, side="right")) - 1
    return place if 0 <= place < len(edges) - 1 else None


def _with_surroundings(
    layout: MatrixLayout, around: Surroundings, words: WordRoom, size: QSizeF
) -> MatrixLayout:
    return replace(
        layout,
        row_labels=_row_labels(layout, around, words),
        column_labels=_column_labels(layout, around, words.turned, size.width()),
        column_bands=tuple(_column_bands(layout, around.column_bands or ())),
    )


def _column_bands(layout: MatrixLayout, colours: Sequence[QColor]) -> Iterator[Band]:
    thick, gap = round(BAND * layout.ratio), round(BAND_GAP * layout.ratio)
    top = int(layout.row_edges[-1]) + gap
    for first, last, colour in _runs(colours):
        left = int(layout.column_edges[first])
        yield QRectF(left, top, int(layout.column_edges[last]) - layout.gap - left, thick), colour


def _runs(colours: Sequence[QColor]) -> Iterator[tuple[int, int, QColor]]:
    """Yield start, end and colour of each run of equal colours."""
    first = 0
    for place in range(1, len(colours) + 1):
        if place == len(colours) or colours[place] != colours[first]:
            yield first, place, colours[first]
            first = place


def _row_labels(layout: MatrixLayout, around: Surroundings, words: WordRoom) -> tuple[Label, ...]:
    right = layout.column_edges[0] / layout.ratio - LABEL_GAP
    height, before = label_height(around.metrics), layout.part.rows.start
    middles = _middles(layout.row_edges, layout)
    low, high = layout.row_edges[[0, -1]] / layout.ratio
    labels = tuple("" for _ in middles) if words.instead else around.row_labels
    names = around.row_words if words.beside or words.instead else ()
    for places in _candidates(None, middles, height, before, have_words=bool(names)):
        tops = [_kept(middles[place], height, low - OVERHANG, high + OVERHANG) for place in places]
        if _are_apart([(top, top + height) for top in tops], 0.0):
            return tuple(
                Label(text, QRectF(0.0, top, right, height), before + place)
                for top, place in zip(tops, places, strict=True)
                if (text := _name(labels, names, place, around.metrics, right))
            )
    return ()


def _name(
    labels: Sequence[str],
    words: Sequence[str],
    place: int,
    metrics: QFontMetricsF,
    room: float,
) -> str:
    """Return label and word of a place, where there are words; of the word what has ``room``."""
    label = labels[place]
    if not words:
        return label
    label = f"{label} " if label else ""
    return label + fitted(words[place], metrics, room - metrics.horizontalAdvance(label))


def _column_labels(
    layout: MatrixLayout, around: Surroundings, turned: float, width: float
) -> tuple[Label, ...]:
    band = BAND + BAND_GAP if around.column_bands is not None else 0.0
    top = layout.row_edges[-1] / layout.ratio + OVERHANG + band
    advance, height = around.metrics.horizontalAdvance, label_height(around.metrics)
    middles = _middles(layout.column_edges, layout)
    low = layout.column_edges[0] / layout.ratio - OVERHANG  # further left, row labels stand
    before, everywhere = layout.part.columns.start, list(range(len(middles)))

    def level(texts: Sequence[str], places: Sequence[int]) -> tuple[Label, ...] | None:
        at, ends = [middles[place] for place in places], (low, width)
        spans = _spans(texts, at, ends, advance)
        if spans is None:
            return None
        return tuple(
            Label(text, QRectF(left, top, right - left, height), before + place)
            for text, place, (left, right) in zip(texts, places, spans, strict=True)
            if text
        )

    for texts in _level_texts(around, middles, is_last=not turned):
        if shown := level(texts, everywhere):
            return shown
    if turned:
        return _turned_labels(layout, around, turned, top, width)
    for places in _candidates(around.column_bands, middles, advance("1"), before):
        if shown := level([around.column_labels[place] for place in places], places):
            return shown
    return ()


def _level_texts(
    around: Surroundings, middles: Sequence[float], *, is_last: bool
) -> Iterator[Sequence[str]]:
    """Yield texts with a word for every column: whole with labels, whole, and cut in the middle.

    Cut they still have to say much, unless nothing but labels ``is_last`` to come.
    """
    digit = around.metrics.horizontalAdvance("0")
    pitch = (middles[-1] - middles[0]) / max(len(middles) - 1, 1)
    if around.column_bands is not None or not around.column_words:
        return
    if len(middles) > 1 and pitch < digit:
        return
    yield with_words(around.column_labels, around.column_words)
    yield around.column_words
    if len(middles) > 1 and pitch >= ((LEAST_WORD if is_last else LEVEL_WORD) + 0.5) * digit:
        room = pitch - 0.5 * digit
        yield [fitted(word, around.metrics, room) for word in around.column_words]


def _turned_labels(
    layout: MatrixLayout, around: Surroundings, depth: float, top: float, width: float
) -> tuple[Label, ...]:
    """Return labels with words that read upwards, of so many columns as have room."""
    height, before = label_height(around.metrics), layout.part.columns.start
    middles = _middles(layout.column_edges, layout)
    for places in _candidates(None, middles, height, before, have_words=True):
        lefts = [min(middles[place] - height / 2, width - height) for place in places]
        if _are_apart([(left, left + height) for left in lefts], 0.0):
            labels, words, metrics = around.column_labels, around.column_words, around.metrics
            both = around.width_of(labels) + metrics.horizontalAdvance(" ")
            both += min(around.width_of(words), MOST_WORD * metrics.horizontalAdvance("0"))
            if depth < both and len(places) == len(middles):
                labels = ("",) * len(middles)  # which words say as well
            return tuple(
                Label(
                    _name(labels, words, place, metrics, depth),
                    QRectF(left, top, height, depth),
                    before + place,
                    is_turned=True,
                )
                for left, place in zip(lefts, places, strict=True)
            )
    return ()


def _spans(
    texts: Sequence[str],
    middles: Sequence[float],
    ends: tuple[float, float],
    advance: Callable[[str], float],
) -> list[tuple[float, float]] | None:
    """Return where texts around ``middles`` begin and end; None where two of them touch."""
    widths = [advance(text) for text in texts]
    spans = [
        (left := _kept(middle, wide, *ends), left + wide)
        for middle, wide in zip(middles, widths, strict=True)
    ]
    return spans if _are_apart(spans, 0.5 * advance("0")) else None


def _kept(middle: float, length: float, low: float, high: float) -> float:
    """Return where a label of ``length`` begins: around ``middle``, but inside low..high."""
    begin = middle - length / 2
    return begin if high - low < length else min(max(begin, low), high - length)


def _middles(edges: Edges, layout: MatrixLayout) -> list[float]:
    """Return the middles of the cells, gaps left out, in logical pixels."""
    middles: list[float] = ((edges[:-1] + edges[1:] - layout.gap) / (2 * layout.ratio)).tolist()
    return middles


def _candidates(
    bands: Sequence[QColor] | None,
    middles: Sequence[float],
    shortest: float,
    before: int,
    *,
    have_words: bool = False,
) -> Iterator[list[int]]:
    """Yield ever fewer places to label: all, each band's first, 1 5 10 15.., only the first.

    With words every second one comes before these, for a word says more than a number. The first
    stands between round numbers, so it goes without where others are ``before`` it.
    """
    count = len(middles)
    pitch = (middles[-1] - middles[0]) / max(count - 1, 1)
    if have_words and pitch < shortest <= 2 * pitch:
        yield list(range(before % 2, count, 2))
    for step in _STEPS:
        if step < count and step * pitch >= shortest:
            round_ones = range(-(before + 1) % step, count, step)
            yield sorted({*round_ones, *([] if before else [0])})
        if step == 1 and bands:
            yield [first for first, _, _ in _runs(bands)]
    yield [0]


def _are_apart(spans: Sequence[tuple[float, float]], space: float) -> bool:
    return all(end + space <= start for (_, end), (start, _) in pairwise(spans))
