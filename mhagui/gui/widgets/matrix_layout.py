"""Where the cells, bands and labels of a matrix stand in a rectangle."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from mhagui.gui.widgets.matrix_picture import Part, with_words

MARGIN = 4.0  # room for the focus frame
LABEL_GAP = 4.0
OVERHANG = 2.0  # how far a label may reach beyond the cells along their edge
BAND = 4.0
BAND_GAP = 2.0
MIN_GAPPED_CELL = 8.0  # smaller cells touch each other
MIN_WHOLE_CELL = 8  # device pixels; from here on all cells have exactly the same size
STRIP_RATIO = 3  # a matrix longer than this many times its width is a strip,
STRIP_CELL = 12.0  # whose cells may be longer than high, up to this size
STRIP_LENGTH = 120.0  # and this size of the matrix
_STEPS = (1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)

Edges = npt.NDArray[np.int64]
Band = tuple[QRectF, QColor]


@dataclass(frozen=True, slots=True)
class Label:
    """A label that is shown, and the box it is written in."""

    text: str
    box: QRectF


@dataclass(frozen=True, slots=True)
class Gutters:
    """Room for what stands left of the cells and below them, logical pixels."""

    left: float
    bottom: float


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

    def place_at(self, x: float, y: float) -> tuple[float, float]:
        """Return how many rows and columns lie before a point, which may be beside the cells."""
        spans = (y, self.row_edges, self.part.rows), (x, self.column_edges, self.part.columns)
        row, column = (
            cells.start + (at * self.ratio - edges[0]) / (edges[-1] - edges[0]) * len(cells)
            for at, edges, cells in spans
        )
        return float(row), float(column)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around the cells: labels and bands, and the font of the labels.

    Words, where there are any, are said with the labels if that makes no cell smaller. Cells are
    square, or up to ``stretch`` times as wide as high where there is room.
    """

    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    column_bands: tuple[QColor, ...] | None
    font: QFont
    row_words: tuple[str, ...] = ()
    column_words: tuple[str, ...] = ()
    stretch: float = 1.0

    @property
    def whole(self) -> Part:
        """All rows and columns."""
        return Part(range(len(self.row_labels)), range(len(self.column_labels)))

    def of(self, part: Part) -> "Surroundings":
        """Return what stands around a part of the matrix."""
        if part == self.whole:
            return self
        rows, columns = part.cells
        return replace(
            self,
            row_labels=self.row_labels[rows],
            column_labels=self.column_labels[columns],
            column_bands=self.column_bands and self.column_bands[columns],
            row_words=self.row_words[rows],
            column_words=self.column_words[columns],
        )

    @property
    def metrics(self) -> QFontMetricsF:
        """Measures of the labels' font."""
        return QFontMetricsF(self.font)

    def gutters(self) -> Gutters:
        """Return the room that labels and bands need."""
        metrics, left = self.metrics, self.width_of(self.row_labels)
        bottom = label_height(metrics) if any(self.column_labels) else 0.0
        return Gutters(
            left=left + LABEL_GAP if left else 0.0,
            bottom=_below(bottom, has_bands=self.column_bands is not None),
        )

    def width_of(self, texts: tuple[str, ...]) -> float:
        """Return the width of the longest of ``texts``, logical pixels."""
        return _widest(texts, self.font.toString())


@lru_cache(maxsize=32)
def _widest(texts: tuple[str, ...], font: str) -> float:
    """Measure once what stands around many matrices, which may be thousands of labels."""
    written_in = QFont()
    written_in.fromString(font)
    advance = QFontMetricsF(written_in).horizontalAdvance
    return max((advance(text) for text in set(texts)), default=0.0)


def label_height(metrics: QFontMetricsF) -> float:
    """Return the height of a label with a hair of room: its ascenders, for it has no descenders."""
    return metrics.capHeight() + 4.0


def lay_out(
    around: Surroundings, gutters: Gutters, size: QSizeF, ratio: float, part: Part | None = None
) -> MatrixLayout:
    """Return the layout of a matrix in a widget of ``size``, as large as fits, in the middle.

    Of a ``part`` of it, where one is given, with the ``gutters`` of the whole.
    """
    part = part or around.whole
    around = around.of(part)
    rows, columns = map(len, part)
    width = max(size.width() - 2 * MARGIN - gutters.left, 1.0)
    height = max(size.height() - 2 * MARGIN - gutters.bottom, 1.0)
    unit_x, unit_y = _units(rows, columns, width * ratio, height * ratio, ratio)
    unit_x = max(unit_x, min(_whole(width * ratio / columns), around.stretch * unit_y))
    across, down = _edges(columns, unit_x), _edges(rows, unit_y)
    spare_x = width * ratio - float(across[-1])
    spare_y = height * ratio - float(down[-1])
    room = QSizeF(spare_x, unit_y) / ratio
    around, more = _with_row_words(around, gutters.left - LABEL_GAP, room)
    left = round((MARGIN + gutters.left) * ratio + (spare_x + more * ratio) / 2)
    top = round(MARGIN * ratio + spare_y / 2)
    layout = MatrixLayout(
        ratio=ratio,
        part=part,
        row_edges=down + top,
        column_edges=across + left,
        gap=max(round(ratio), 1) if min(unit_x, unit_y) >= MIN_GAPPED_CELL * ratio else 0,
    )
    return _with_surroundings(layout, around, size)


def _with_row_words(
    around: Surroundings, labels: float, room: QSizeF
) -> tuple[Surroundings, float]:
    """Return row labels with their words, and how much wider they are than ``labels`` alone.

    ``room`` is what the width may grow by, and the height of a row. Where it is too narrow, words
    alone stand for rows so high that each of them has its own.
    """
    words = around.width_of(around.row_words)
    if not words:
        return around, 0.0
    space = around.metrics.horizontalAdvance(" ")
    if space + words <= room.width():
        names = with_words(around.row_labels, around.row_words)
        return replace(around, row_labels=names), space + words
    if words - labels <= room.width() and room.height() >= label_height(around.metrics):
        return replace(around, row_labels=around.row_words), max(words - labels, 0.0)
    return around, 0.0


def _below(labels: float, *, has_bands: bool) -> float:
    return (labels + LABEL_GAP if labels else 0.0) + (BAND + BAND_GAP if has_bands else 0.0)


def _units(
    rows: int, columns: int, width: float, height: float, ratio: float
) -> tuple[float, float]:
    """Return width and height of a cell in device pixels: square, but for a long strip."""
    unit = min(width / columns, height / rows)
    unit = _whole(unit)
    unit_x = unit_y = unit
    if rows > STRIP_RATIO * columns:
        unit_x = max(unit, min(width, columns * STRIP_CELL * ratio, STRIP_LENGTH * ratio) / columns)
    elif columns > STRIP_RATIO * rows:
        unit_y = max(unit, min(height, rows * STRIP_CELL * ratio, STRIP_LENGTH * ratio) / rows)
    return unit_x, unit_y


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


def _with_surroundings(layout: MatrixLayout, around: Surroundings, size: QSizeF) -> MatrixLayout:
    return replace(
        layout,
        row_labels=_row_labels(layout, around),
        column_labels=_column_labels(layout, around, size.width()),
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


def _row_labels(layout: MatrixLayout, around: Surroundings) -> tuple[Label, ...]:
    right = layout.column_edges[0] / layout.ratio - LABEL_GAP
    height = label_height(around.metrics)
    middles = _middles(layout.row_edges, layout)
    low, high = layout.row_edges[[0, -1]] / layout.ratio
    for places in _candidates(None, middles, height, layout.part.rows.start):
        tops = [_kept(middles[place], height, low - OVERHANG, high + OVERHANG) for place in places]
        boxes = [QRectF(0.0, top, right, height) for top in tops]
        if _are_apart([(box.top(), box.bottom()) for box in boxes], 0.0):
            return _labels(around.row_labels, places, boxes)
    return ()


def _column_labels(layout: MatrixLayout, around: Surroundings, width: float) -> tuple[Label, ...]:
    band = BAND + BAND_GAP if around.column_bands is not None else 0.0
    top = layout.row_edges[-1] / layout.ratio + OVERHANG + band
    metrics = around.metrics
    advance, height = metrics.horizontalAdvance, label_height(metrics)
    middles = _middles(layout.column_edges, layout)
    low = layout.column_edges[0] / layout.ratio - OVERHANG  # further left, row labels stand
    before = layout.part.columns.start
    for texts, places in _column_candidates(around, middles, advance("1"), before):
        boxes = []
        for place in places:
            wide = advance(texts[place])
            left = _kept(middles[place], wide, low, width)
            boxes.append(QRectF(left, top, wide, height))
        if _are_apart([(box.left(), box.right()) for box in boxes], 0.5 * advance("0")):
            return _labels(texts, places, boxes)
    return ()


def _column_candidates(
    around: Surroundings, middles: Sequence[float], shortest: float, before: int
) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """Yield texts for columns, and the places to label with them: words are for all or none."""
    everywhere = list(range(len(middles)))
    pitch = (middles[-1] - middles[0]) / max(len(middles) - 1, 1)
    can_name = len(middles) == 1 or pitch >= shortest
    if around.column_words and around.column_bands is None and can_name:
        yield with_words(around.column_labels, around.column_words), everywhere
        yield around.column_words, everywhere
    for places in _candidates(around.column_bands, middles, shortest, before):
        yield around.column_labels, places


def _kept(middle: float, length: float, low: float, high: float) -> float:
    """Return where a label of ``length`` begins: around ``middle``, but inside low..high."""
    begin = middle - length / 2
    return begin if high - low < length else min(max(begin, low), high - length)


def _labels(
    texts: Sequence[str], places: Sequence[int], boxes: Sequence[QRectF]
) -> tuple[Label, ...]:
    named = zip(places, boxes, strict=True)
    return tuple(Label(texts[place], box) for place, box in named if texts[place])


def _middles(edges: Edges, layout: MatrixLayout) -> list[float]:
    """Return the middles of the cells, gaps left out, in logical pixels."""
    middles: list[float] = ((edges[:-1] + edges[1:] - layout.gap) / (2 * layout.ratio)).tolist()
    return middles


def _candidates(
    bands: Sequence[QColor] | None, middles: Sequence[float], shortest: float, before: int
) -> Iterator[list[int]]:
    """Yield ever fewer places to label: all, each band's first, 1 5 10 15.., only the first.

    The first stands between round numbers, so it goes without where others are ``before`` it.
    """
    count = len(middles)
    pitch = (middles[-1] - middles[0]) / max(count - 1, 1)
    for step in _STEPS:
        if step < count and step * pitch >= shortest:
            round_ones = range(-(before + 1) % step, count, step)
            yield sorted({*round_ones, *([] if before else [0])})
        if step == 1 and bands:
            yield [first for first, _, _ in _runs(bands)]
    yield [0]


def _are_apart(spans: Sequence[tuple[float, float]], space: float) -> bool:
    return all(end + space <= start for (_, end), (start, _) in pairwise(spans))
