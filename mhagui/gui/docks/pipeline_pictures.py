"""The pictures of a stage's matrices: large ones to read, and small ones to go by."""

from functools import partial

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPalette, QPixmap

from mhagui import core, formats
from mhagui.document import HeadResult
from mhagui.document.compute import BoolArray
from mhagui.document.pipeline import SOFTMAX, Axis, StageMatrix
from mhagui.document.records import Array
from mhagui.gui.pictures import position_labels, signed_range, weight_table
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.colour_range import ColourRange, round_limit
from mhagui.gui.widgets.drawing import Levels, argb, indexed_image
from mhagui.gui.widgets.matrix_picture import HATCHED, Picture, Writing
from mhagui.palette import diverging_table, table_on

WEIGHTS = ColourRange(0.0, 1.0, "weight A, linear, 0 to 1", weight_table())


class StagePictures:
    """The pictures of a stage, each kept as long as its matrix and its colours are the same."""

    def __init__(self) -> None:
        self._kept: list[tuple[StageMatrix, ColourRange, Picture]] = []

    def of(self, matrices: tuple[StageMatrix, ...]) -> tuple[list[Picture], dict[str, ColourRange]]:
        """Return a picture of each matrix, and the colours that the named matrices share."""
        scales = _scales(matrices)
        kept = [*self._kept, None, None, None]
        self._kept = []
        for matrix, before in zip(matrices, kept, strict=False):
            scale = scales[matrix.scale]
            same = before is not None and _is_same(before[0], matrix) and before[1] == scale
            picture = before[2] if before is not None and same else _picture(matrix, scale)
            self._kept.append((matrix, scale, picture))
        return [picture for _, _, picture in self._kept], scales


def _is_same(one: StageMatrix, other: StageMatrix) -> bool:
    return (
        one.values is other.values
        and one.allowed is other.allowed
        and (one.name, one.axes) == (other.name, other.axes)
    )


def _scales(matrices: tuple[StageMatrix, ...]) -> dict[str, ColourRange]:
    scales: dict[str, ColourRange] = {}
    for matrix in matrices:
        if matrix.scale not in scales:
            sharing = [other.values for other in matrices if other.scale == matrix.scale]
            scales[matrix.scale] = WEIGHTS if matrix.is_weights else _signed_range(sharing)
    return scales


def _signed_range(matrices: list[Array]) -> ColourRange:
    """Return round limits, found without making more such matrices, which may be large."""
    ends = [end for matrix in matrices for end in (matrix.max(), matrix.min())]
    return signed_range(round_limit(np.array(ends)), "linear")


def _picture(matrix: StageMatrix, scale: ColourRange) -> Picture:
    rows, columns = (
        _labels(axis, length) for axis, length in zip(matrix.axes, matrix.values.shape, strict=True)
    )
    return Picture(
        values=matrix.values,
        indices=core.quantise(matrix.values, scale.low, scale.high),
        table=scale.table,
        row_labels=rows,
        column_labels=columns,
        allowed=matrix.allowed,
        writings=_writings(3, 2) if matrix.is_weights else _writings(2, 1),
        signed=not matrix.is_weights,
        noun="weight" if matrix.is_weights else matrix.name,
    )


def _labels(axis: Axis, length: int) -> tuple[str, ...]:
    if axis in (Axis.QUERY, Axis.KEY):
        return position_labels(length)
    return formats.positions(length, "d" if axis is Axis.CHANNEL else "")


def _writings(*decimals: int) -> tuple[Writing, ...]:
    return tuple(Writing(partial(formats.cell, decimals=n)) for n in decimals)


# --- small pictures


class Thumbnails:
    """What comes out of each stage, as small pictures.

    The scores are pooled before anything is done with them, and once: 1/√d_k and the gain change no
    more than their sign and size, of which colours that reach to the largest show the sign alone.
    """

    def __init__(self) -> None:
        self._pooled_from: tuple[object, ...] = ()
        self._scores: Array = np.zeros((1, 1))
        self._hidden: BoolArray = np.zeros((1, 1), dtype=bool)

    def of(
        self, head: HeadResult, allowed: BoolArray, side: int, palette: QPalette
    ) -> tuple[QPixmap, ...]:
        """Return a picture of every stage of ``head``, ``side`` device pixels square."""
        self._pool(head.scores, allowed, side)
        weights = core.quantise(core.pool_maximum(head.weights, side, side), 0.0, 1.0)
        weights[self._hidden] = HATCHED
        products = _signed(self._scores, side)
        gained = _signed(np.sign(head.gain) * self._scores, side)
        masked = np.where(self._hidden, np.uint8(HATCHED), gained)
        output, term = _signed(head.output, side), _signed(head.term, side)
        signed = (_signed(head.q, side), products, products, gained, masked, output, term)
        drawn = [_pixmap(each, diverging_table(), side, palette) for each in signed]
        drawn.insert(SOFTMAX, _pixmap(weights, weight_table(), side, palette))
        return tuple(drawn)

    def _pool(self, scores: Array, allowed: BoolArray, side: int) -> None:
        pooled_from = scores, allowed, side
        before = self._pooled_from
        if before and all(one is other for one, other in zip(before, pooled_from, strict=True)):
            return
        self._pooled_from = pooled_from
        self._scores = np.asarray(core.pool_largest_magnitude(scores, side, side))
        self._hidden = ~_any_in_blocks(_any_in_blocks(allowed, side, 0), side, 1)


def _signed(values: npt.NDArray[np.floating], side: int) -> Levels:
    pooled = core.pool_largest_magnitude(values, side, side)
    limit = float(np.max(np.abs(pooled))) or 1.0
    return core.quantise(pooled, -limit, limit)


def _any_in_blocks(cells: BoolArray, count: int, axis: int) -> BoolArray:
    """Return for each of at most ``count`` blocks along an axis whether any cell is true."""
    count = min(count, cells.shape[axis])
    edges = np.arange(count) * cells.shape[axis] // count
    return np.logical_or.reduceat(cells, edges, axis=axis)


def _pixmap(levels: Levels, colours: Levels, side: int, palette: QPalette) -> QPixmap:
    """Return ``levels`` as large as fits a square, in the middle of it."""
    theme = theme_of(palette)
    table = [*argb(table_on(colours, dark=theme.dark)), theme.hatch.rgba()]
    image = indexed_image(np.ascontiguousarray(levels), table)
    rows, columns = levels.shape
    unit, least = side / max(rows, columns), side // 4
    width, height = max(round(columns * unit), least), max(round(rows * unit), least)
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    corner = QPoint((side - width) // 2, (side - height) // 2)
    painter.drawImage(corner, image.scaled(width, height))
    painter.setPen(theme.card_border)
    painter.drawRect(corner.x(), corner.y(), width - 1, height - 1)
    painter.end()
    return pixmap
