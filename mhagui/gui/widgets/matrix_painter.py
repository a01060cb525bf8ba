"""Painting a matrix: what stays the same until the picture, the size or the colours change."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPixmap

from mhagui.gui.theme import Theme
from mhagui.gui.widgets.drawing import (
    argb,
    draw_indexed,
    indexed_image,
    scaled_font,
)
from mhagui.gui.widgets.matrix_layout import Label, MatrixLayout
from mhagui.gui.widgets.matrix_picture import HATCHED, Picture, shown_indices
from mhagui.palette import ink_on

# Sizes that values may have, times the widget's font; at last, before they are left out, narrow.
VALUE_FONTS = (*((size, 100) for size in (1.2, 1.1, 1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7)), (0.7, 85))
# Points that values may have beside larger type, which takes room from the cells.
SMALL_POINTS = (9.0, 8.5, 8.0, 7.5, 7.0)
BIG_CELL = 4.0  # heights of a line of text; only such cells have values larger than other texts
SMALLEST_PIXELS = 8.0
DIMMED = 0.35  # what is left of the colours of a dimmed matrix
HATCH_PERIOD = 6
_TO_ZERO = str.maketrans("123456789", "000000000")

Indices = npt.NDArray[np.uint8]


def cell_image(indices: Indices, table: Indices, theme: Theme) -> QImage:
    """Return the cells as an image; masked ones in the plain colour of the mask."""
    return indexed_image(indices, [*argb(table), theme.mask.rgba()])


def hatch_image(indices: Indices, theme: Theme, ratio: float) -> QImage:
    """Return an image that hatches the masked cells and is clear elsewhere."""
    height, width = indices.shape
    period, line = round(HATCH_PERIOD * ratio), max(round(ratio), 1)
    row = 1 + (np.arange(height + width) % period < line).astype(np.uint8)
    slanted = sliding_window_view(row, width)[:height]
    layers = (indices == HATCHED) * slanted
    return indexed_image(layers, [0, theme.mask.rgba(), theme.hatch.rgba()])


def dimmed_table(table: Indices, theme: Theme) -> Indices:
    """Return ``table`` faded into the ground, with all its steps."""
    card = theme.card
    ground = np.array([card.red(), card.green(), card.blue()])
    faded: Indices = np.rint(DIMMED * table + (1 - DIMMED) * ground).astype(np.uint8)
    return faded


def ground_pixmap(layout: MatrixLayout, size: QSizeF, font: QFont, theme: Theme) -> QPixmap:
    """Return bands and labels, which none of the cells touches, for a widget of ``size``."""
    pixmap = QPixmap((size * layout.ratio).toSize().expandedTo(QSizeF(1, 1).toSize()))
    pixmap.fill(Qt.GlobalColor.transparent)
    pixmap.setDevicePixelRatio(layout.ratio)
    painter = QPainter(pixmap)
    painter.scale(1 / layout.ratio, 1 / layout.ratio)
    for box, colour in layout.column_bands:
        painter.fillRect(box, colour)
    painter.resetTransform()
    _paint_labels(painter, layout, font, theme)
    painter.end()
    return pixmap


def matrix_pixmap(
    picture: Picture,
    layout: MatrixLayout,
    indices: Indices | None,
    ground: QPixmap,
    font: QFont,
    theme: Theme,
    table: Indices,
) -> QPixmap:
    """Return everything but cursor and focus as a pixmap: ``ground`` with the cells.

    ``indices`` are those of all device pixels of the cells, None where they are yet to come.
    """
    pixmap = ground.copy()
    painter = QPainter(pixmap)
    painter.scale(1 / layout.ratio, 1 / layout.ratio)
    if indices is not None:
        _paint_cells(painter, picture, layout, indices, theme, table)
    painter.resetTransform()
    _paint_values(painter, picture, layout, font, table)
    painter.end()
    return pixmap


def _paint_cells(
    painter: QPainter,
    picture: Picture,
    layout: MatrixLayout,
    indices: Indices,
    theme: Theme,
    table: Indices,
) -> None:
    """Paint in device pixels: colours, gaps over them, and the hatching over both."""
    corner = QPointF(float(layout.column_edges[0]), float(layout.row_edges[0]))
    draw_indexed(painter, corner, cell_image(indices, table, theme))
    if layout.gap:
        # Zero is nearly white, and some grey is like any ground: lost between lines that are too.
        is_lost = (picture.signed and not theme.dark) or _is_grey(table)
        _paint_gaps(painter, layout, theme.grid if is_lost else theme.cell_line)
    if (indices == HATCHED).any():
        draw_indexed(painter, corner, hatch_image(indices, theme, layout.ratio))


def _is_grey(table: Indices) -> bool:
    return bool((table == table[:, :1]).all())


def _paint_gaps(painter: QPainter, layout: MatrixLayout, colour: QColor) -> None:
    """Paint a line around every cell: over its own last pixels, and outside of the first cells."""
    gap = layout.gap
    left, right = layout.column_edges[[0, -1]].tolist()
    top, bottom = layout.row_edges[[0, -1]].tolist()
    for x in layout.column_edges.tolist():
        painter.fillRect(QRectF(x - gap, top - gap, gap, bottom - top + gap), colour)
    for y in layout.row_edges.tolist():
        painter.fillRect(QRectF(left - gap, y - gap, right - left + gap, gap), colour)


def _paint_labels(painter: QPainter, layout: MatrixLayout, font: QFont, theme: Theme) -> None:
    painter.setFont(font)
    painter.setPen(theme.muted)
    loose = Qt.TextFlag.TextDontClip | Qt.AlignmentFlag.AlignVCenter
    for label in layout.row_labels:
        painter.drawText(label.box, loose | Qt.AlignmentFlag.AlignRight, label.text)
    for label in layout.column_labels:
        if label.is_turned:
            _paint_turned(painter, label)
        else:
            painter.drawText(label.box, loose | Qt.AlignmentFlag.AlignHCenter, label.text)


def _paint_turned(painter: QPainter, label: Label) -> None:
    """Write a label upwards, so that it ends at the cells."""
    painter.save()
    painter.translate(label.box.bottomLeft())
    painter.rotate(-90)
    box = QRectF(QPointF(), label.box.size().transposed())
    loose = Qt.TextFlag.TextDontClip | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(box, loose | Qt.AlignmentFlag.AlignRight, label.text)
    painter.restore()


def _paint_values(
    painter: QPainter, picture: Picture, layout: MatrixLayout, font: QFont, table: Indices
) -> None:
    first_row, first_column = (cells.start for cells in layout.part)
    cell = (
        layout.cell(first_row, first_column).size() - QSizeF(layout.gap, layout.gap) / layout.ratio
    )
    if cell.height() < SMALLEST_PIXELS or cell.width() < SMALLEST_PIXELS:
        return
    indices = shown_indices(picture, layout.part)
    corner = np.array([first_row, first_column])
    shown = [(row, column) for row, column in (np.argwhere(indices != HATCHED) + corner).tolist()]
    block = picture.exact(layout.part)
    values = [float(block[row - first_row, column - first_column]) for row, column in shown]
    written = _written(picture, values, cell, font)
    if written is None:
        return
    texts, fitting = written
    painter.setFont(fitting)
    inks = _inks(table.tobytes())
    for (row, column), text in zip(shown, texts, strict=True):
        painter.setPen(inks[indices[row - first_row, column - first_column]])
        box = QRectF(layout.cell(row, column).topLeft(), cell)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)


def _written(
    picture: Picture, values: list[float], cell: QSizeF, font: QFont
) -> tuple[list[str], QFont] | None:
    """Return the texts that fit a cell, and the font they fit in; None where none do.

    The largest sensible font comes first, then the longest texts. Digits count as zeros, so that
    nothing changes with every small change of a value.
    """
    written = [[writing.text(value) for value in values] for writing in picture.writings]
    widest = [
        {text.translate(_TO_ZERO) for text in (*texts, writing.sample)}
        for writing, texts in zip(picture.writings, written, strict=True)
    ]
    for candidate in _value_fonts(font, cell):
        metrics = QFontMetricsF(candidate)
        room = cell - QSizeF(0.5 * metrics.horizontalAdvance("0"), 2.0)
        for texts, wide in zip(written, widest, strict=True):
            width = max(metrics.horizontalAdvance(text) for text in wide)
            if width <= room.width() and metrics.capHeight() <= room.height():
                return texts, candidate
    return None


def _value_fonts(font: QFont, cell: QSizeF) -> Iterator[QFont]:
    line, points = QFontMetricsF(font).height(), font.pointSizeF()
    smaller = [size / points for size in SMALL_POINTS if size < VALUE_FONTS[-2][0] * points]
    least = smaller[-1:] or [VALUE_FONTS[-1][0]]
    narrow = [(least[0], VALUE_FONTS[-1][1])]
    for factor, stretch in (*VALUE_FONTS[:-1], *((size, 100) for size in smaller), *narrow):
        if factor <= 1 or cell.height() >= BIG_CELL * line:
            candidate = scaled_font(font, factor)
            candidate.setStretch(stretch)
            yield candidate


def number_room(picture: Picture, font: QFont) -> float:
    """Return how wide a cell is at least that has a number in it, 0 where nothing says how long."""
    sample = picture.writings[-1].sample if picture.writings else ""
    *_, smallest = _value_fonts(font, QSizeF())
    metrics = QFontMetricsF(smallest)
    gap_and_room = 1.0 + 0.5 * metrics.horizontalAdvance("0")
    return metrics.horizontalAdvance(sample) + gap_and_room if sample else 0.0


@lru_cache(maxsize=16)
def _inks(table: bytes) -> list[QColor]:
    """Return the colour to write with on each colour of a table."""
    colours = np.frombuffer(table, dtype=np.uint8).reshape(-1, 3).tolist()
    return [QColor(ink_on((red, green, blue))) for red, green, blue in colours]
