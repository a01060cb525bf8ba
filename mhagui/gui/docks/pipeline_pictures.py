"""The pictures of a stage's matrices: large ones to read, and small ones to go by."""

from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPainter

from mhagui import core, formats
from mhagui.document import Appearance, HeadResult
from mhagui.document.attention import BoolArray
from mhagui.document.on_demand import Matrix, overview
from mhagui.document.pipeline import Axis, StageMatrix, biased_scores
from mhagui.document.recall import Recall
from mhagui.document.records import Array
from mhagui.gui.pictures import Counts, keys_seen, position_labels, weight_range, weight_table
from mhagui.gui.theme import Theme
from mhagui.gui.widgets.colour_range import ColourRange, round_limit, signed_range
from mhagui.gui.widgets.drawing import Levels, argb, indexed_image
from mhagui.gui.widgets.matrix_picture import HATCHED, Picture, Writing
from mhagui.palette import diverging_table, is_signed, table_on


def stage_pictures(
    matrices: tuple[StageMatrix, ...], look: Appearance, recall: Recall
) -> tuple[list[Picture], dict[str, ColourRange]]:
    """Return a picture of each matrix, and the colours that the named matrices share."""
    scales = _scales(matrices, look, recall)
    pictures = []
    for number, matrix in enumerate(matrices):
        seen = None if matrix.allowed is None else recall("seen", keys_seen, matrix.allowed)
        what = matrix.values, seen, matrix.name, matrix.axes, scales[matrix.scale]
        pictures.append(recall(f"picture {number}", _picture, *what))
    return pictures, scales


def _scales(
    matrices: tuple[StageMatrix, ...], look: Appearance, recall: Recall
) -> dict[str, ColourRange]:
    ends: dict[str, list[float]] = {}
    for number, matrix in enumerate(matrices):
        of_matrix = () if matrix.is_weights else recall(f"ends {number}", _ends, matrix.values)
        ends.setdefault(matrix.scale, []).extend(of_matrix)
    return {
        scale: signed_range(round_limit(np.array(numbers)), "linear", look)
        if numbers
        else weight_range(1.0, "weight A, linear, 0 to 1", look)
        for scale, numbers in ends.items()
    }


def _ends(matrix: Array) -> tuple[float, float]:
    """Return the ends, found without making another such matrix, which may be large."""
    return float(matrix.min()), float(matrix.max())


def _picture(
    values: Array,
    seen: Counts | None,
    name: str,
    axes: tuple[Axis, Axis],
    scale: ColourRange,
) -> Picture:
    is_weights = not is_signed(scale.table)
    rows, columns = map(_labels, axes, values.shape)
    return Picture(
        values=values,
        low=scale.low,
        high=scale.high,
        table=scale.table,
        row_labels=rows,
        column_labels=columns,
        seen=seen,
        writings=_writings(3, 2) if is_weights else _writings(2, 1),
        signed=not is_weights,
        noun="weight" if is_weights else name,
        precision=scale.precision,
    )


def _labels(axis: Axis, length: int) -> tuple[str, ...]:
    if axis in (Axis.QUERY, Axis.KEY):
        return position_labels(length)
    return formats.positions(length, "d" if axis is Axis.CHANNEL else "")


def _writings(*decimals: int) -> tuple[Writing, ...]:
    return tuple(Writing(partial(formats.cell, decimals=n)) for n in decimals)


# --- small pictures


def thumbnails(
    head: HeadResult,
    allowed: BoolArray,
    side: int,
    theme: Theme,
    look: Appearance,
    recall: Recall,
) -> tuple[QImage, ...]:
    """Return a picture of what comes out of every stage, ``side`` device pixels square.

    The scores are pooled before anything is done with them, and once: 1/√d_k and the gain change no
    more than their sign and size, of which colours that reach to the largest show the sign alone.
    """
    scores = recall("pooled", _pooled, head.scores, side)
    hidden = recall("hidden", _hidden, allowed, side)
    sign, signed = float(np.sign(head.gain)), diverging_table(colours=look.signed_colours)
    ground = signed, side, theme
    query = recall("query", _signed_image, head.q, 1.0, None, *ground)
    product = recall("product", _signed_image, scores, 1.0, None, *ground)
    if head.head.slope:  # of which more than the sign of the scores is seen
        scores, sign = recall("biased", _pooled_biased, head, side), 1.0
    gained = recall("gained", _signed_image, scores, sign, None, *ground)
    masked = recall("masked", _signed_image, scores, sign, hidden, *ground)
    shares = weight_table(look.weight_colours)
    weights = recall("weights", _weights_image, head.weights, hidden, shares, side, theme)
    output = recall("output", _signed_image, head.output, 1.0, None, *ground)
    term = recall("term", _signed_image, head.term, 1.0, None, *ground)
    return query, product, product, gained, masked, weights, output, term


def _signed_image(
    values: Array,
    sign: float,
    hidden: BoolArray | None,
    colours: Levels,
    side: int,
    theme: Theme,
) -> QImage:
    pooled = sign * _pooled(values, side)
    limit = float(np.max(np.abs(pooled))) or 1.0
    return _image(core.quantise(pooled, -limit, limit), hidden, colours, side, theme)


def _weights_image(
    weights: Matrix, hidden: BoolArray, colours: Levels, side: int, theme: Theme
) -> QImage:
    shares = core.quantise(core.pool_maximum(overview(weights), side, side), 0.0, 1.0)
    return _image(shares, hidden, colours, side, theme)


def _pooled(values: Matrix, side: int) -> Array:
    return np.asarray(core.pool_largest_magnitude(overview(values), side, side))


def _pooled_biased(head: HeadResult, side: int) -> Array:
    return _pooled(biased_scores(head), side)


def _hidden(allowed: BoolArray, side: int) -> BoolArray:
    """Return which of the pooled cells have no allowed one in them."""
    return ~_any_in_blocks(_any_in_blocks(allowed, side, 0), side, 1)


def _any_in_blocks(cells: BoolArray, count: int, axis: int) -> BoolArray:
    """Return for each of at most ``count`` blocks along an axis whether any cell is true."""
    count = min(count, cells.shape[axis])
    edges = np.arange(count) * cells.shape[axis] // count
    return np.logical_or.reduceat(cells, edges, axis=axis)


def _image(
    levels: Levels, hidden: BoolArray | None, colours: Levels, side: int, theme: Theme
) -> QImage:
    """Return ``levels``, hatched where hidden, as large as fits a square, in the middle of it."""
    if hidden is not None:
        levels = np.where(hidden, np.uint8(HATCHED), levels)
    table = [*argb(table_on(colours, dark=theme.dark)), theme.hatch.rgba()]
    cells = indexed_image(np.ascontiguousarray(levels), table)
    rows, columns = levels.shape
    unit, least = side / max(rows, columns), side // 4
    width, height = max(round(columns * unit), least), max(round(rows * unit), least)
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    corner = QPoint((side - width) // 2, (side - height) // 2)
    painter.drawImage(corner, cells.scaled(width, height))
    painter.setPen(theme.card_border)
    painter.drawRect(corner.x(), corner.y(), width - 1, height - 1)
    painter.end()
    return image
