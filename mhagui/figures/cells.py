"""Matrices as cells: colours, values, hatched masks, labels, bands of the heads, colour bars."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Outline

from mhagui import core
from mhagui.figures.page import (
    FILL,
    LABEL_SIZE,
    POINTS,
    TICK_SIZE,
    Box,
    Sheet,
    in_math,
    line_height,
    round_ticks,
    text_width,
)
from mhagui.figures.paper import EDGE, UNIT_SIZE, Paper, Positions, numbers_of
from mhagui.figures.scales import Mask, Matrix, Scale
from mhagui.palette import ink_on

BAND = 0.05  # inches: thickness of a head's band
LABELS_BELOW = line_height(TICK_SIZE) + 0.03  # inches: height of the columns' labels
VALUE_SIZES = (7.0, 6.65, 6.3)  # the least is 5.5 points where labels are of 7
SMALL_SIZES = (5.6, 5.0, 4.5)  # 9 points where labels are of 16, as on a slide
LARGE_TYPE = 14.0  # points of labels, from which those can be read
MAX_DRAWN_CELLS = 20_000  # in one figure; a viewer of vector files grows slow beyond
MAX_DRAWN_SIDE = 64
# Of a matrix drawn as an image: half of what 400 dpi can show, and then enlarged, for viewers blur
# the joints between pixels, and the middle of a cell is to have its colour.
PIXELS_PER_INCH, ENLARGED = 200, 2
WORD_GAP = 0.05  # inches between words beside one another
HATCH_STEP = 0.055  # inches between the lines of a hatch

BAR_WIDTH, BAR_GAP = 0.13, 0.2


@dataclass(frozen=True, eq=False)
class Grid:
    """Axes of a known size in inches for a matrix; cell (i, j) is x j..j+1, y i..i+1, downwards."""

    sheet: Sheet
    axes: Axes
    box: Box
    n_rows: int
    n_columns: int

    @classmethod
    def on(cls, sheet: Sheet, box: Box, shape: tuple[int, ...]) -> "Grid":
        """Place axes in ``box`` for a matrix of ``shape``."""
        n_rows, n_columns = shape
        axes = sheet.place(box)
        axes.set_xlim(0, n_columns)
        axes.set_ylim(n_rows, 0)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set(edgecolor=sheet.inks.rule, linewidth=sheet.pt(0.5))
        return cls(sheet, axes, box, n_rows, n_columns)

    @property
    def cell_width(self) -> float:
        """Width of a cell in inches."""
        return self.box.width / self.n_columns

    @property
    def cell_height(self) -> float:
        """Height of a cell in inches."""
        return self.box.height / self.n_rows


class Writing(NamedTuple):
    """How numbers are written into cells, and in which size in points; None where none are."""

    write: Callable[[float], str] | None = None
    size: float = 0.0


def draw_matrix(
    grid: Grid,
    values: Matrix,
    scale: Scale,
    allowed: Mask | None = None,
    *,
    as_image: bool = False,
    writing: Writing | None = None,
) -> None:
    """Colour the cells, hatch those that are masked or undefined, write values into the others.

    ``writing`` is that of the panels beside this one; None where there are none.
    """
    shown = values if allowed is None else np.where(allowed, values, np.nan)
    _colour(grid, shown, scale, as_image=as_image)
    if allowed is not None and not allowed.all():
        hatch(grid.sheet, grid.axes, grid.box, _outline(~allowed))
    undefined = ~np.isfinite(values) if allowed is None else ~np.isfinite(values) & allowed
    if undefined.any():
        hatch(grid.sheet, grid.axes, grid.box, _outline(undefined), crossed=True)
    if grid.sheet.paper.style.values and not as_image:
        _write(grid, shown, scale, writing or writing_for([shown], scale, grid.box))


def _colour(grid: Grid, values: Matrix, scale: Scale, *, as_image: bool) -> None:
    """Colour the cells: as rectangles, sharp at any size, or as an image where they are many."""
    if as_image:
        image = scale.rgb(_image(values, grid, scale))
        extent = (0, grid.n_columns, grid.n_rows, 0)
        grid.axes.imshow(image, extent=extent, interpolation="none", aspect="auto")
        return
    # A line around each cell: of the ground between large cells, of the cell's own colour between
    # small ones, where viewers would otherwise let the page shine through the joints.
    is_large = min(grid.cell_width, grid.cell_height) * POINTS >= 8
    grid.axes.pcolormesh(
        np.arange(grid.n_columns + 1),
        np.arange(grid.n_rows + 1),
        np.where(np.isfinite(values), np.maximum(values, scale.low), np.nan),
        cmap=scale.colours,
        norm=scale.norm,
        edgecolors=grid.sheet.inks.ground if is_large else "face",
        linewidth=grid.sheet.pt(0.6 if is_large else _joint(grid)),
    )


def _joint(grid: Grid) -> float:
    """Return how wide the line around a small cell is, in points: half of it covers the joint.

    With less, programs that draw each shape by itself let the ground shine through at some sizes.
    """
    return min(0.8, min(grid.cell_width, grid.cell_height) * POINTS / 2)


def too_many(*shapes: tuple[int, ...]) -> bool:
    """Return whether matrices of these shapes are too large for drawn cells."""
    cells = sum(rows * columns for rows, columns in shapes)
    return cells > MAX_DRAWN_CELLS or max(max(shape) for shape in shapes) > MAX_DRAWN_SIDE


def _image(values: Matrix, grid: Grid, scale: Scale) -> Matrix:
    """Return ``values``, pooled to as many pixels as paper can show, and those repeated."""
    rows, columns = (round(side * PIXELS_PER_INCH) for side in (grid.box.height, grid.box.width))
    pool = core.pool_largest_magnitude if scale.is_signed else core.pool_maximum
    pooled = pool(values, rows, columns)
    down, across = ENLARGED * rows // pooled.shape[0], ENLARGED * columns // pooled.shape[1]
    repeated: Matrix = np.repeat(np.repeat(pooled, down, axis=0), across, axis=1)
    return repeated


def hatch(sheet: Sheet, axes: Axes, box: Box, outline: Outline, *, crossed: bool = False) -> None:
    """Draw slanted lines over an ``outline`` in data of ``axes``; ``crossed`` in both directions.

    They are lines of their own: patterns are scaled, blurred or left out by one viewer or another.
    """
    ground = PathPatch(outline, facecolor=sheet.inks.ground, linewidth=0, zorder=3)
    axes.add_patch(ground)
    lines = LineCollection(
        _slanted(box) + ([[(1 - x, y) for x, y in line] for line in _slanted(box)] * crossed),
        colors=sheet.inks.hatch,
        linewidths=sheet.pt(0.5),
        zorder=3,
        transform=axes.transAxes,
    )
    axes.add_collection(lines, autolim=False)
    lines.set_clip_path(outline, axes.transData)


def _outline(where: Mask) -> Outline:
    """Return the outline of cells: a rectangle for each run of them in a row.

    Runs of rows below one another that are alike are one rectangle.
    """
    edges = np.diff(where.astype(np.int8), axis=1, prepend=0, append=0)
    corners, codes = [], []
    row = 0
    while row < len(where):
        end = row + 1
        while end < len(where) and np.array_equal(where[row], where[end]):
            end += 1
        starts, stops = np.flatnonzero(edges[row] == 1), np.flatnonzero(edges[row] == -1)
        for left, right in zip(starts.tolist(), stops.tolist(), strict=True):
            corners += [(left, row), (right, row), (right, end), (left, end), (left, row)]
            codes += [Outline.MOVETO, *3 * [Outline.LINETO], Outline.CLOSEPOLY]
        row = end
    return Outline(np.array(corners, dtype=float), codes)


def _slanted(box: Box) -> list[list[tuple[float, float]]]:
    """Return slanted lines across axes in ``box``, in shares of their width and height."""
    starts = np.arange(-box.height, box.width, HATCH_STEP * math.sqrt(2)) / box.width
    rise = box.height / box.width
    return [[(float(start), 0.0), (float(start) + rise, 1.0)] for start in starts]


def writing_for(
    matrices: Sequence[Matrix],
    scale: Scale,
    box: Box,
    *,
    briefly: bool = False,
    type_size: float = UNIT_SIZE,
) -> Writing:
    """Return how the finite numbers of matrices of one shape are written into panels as ``box``.

    All of them have to fit, so that panels are alike; ``briefly`` leaves the longest way out.
    Where labels have a large ``type_size``, in points, numbers may be smaller beside them.
    """
    sizes = VALUE_SIZES + (SMALL_SIZES if type_size >= LARGE_TYPE else ())
    n_rows, n_columns = matrices[0].shape
    if matrices[0].size * len(matrices) > MAX_DRAWN_CELLS:
        return Writing()
    room = 0.86 * box.width / n_columns, 0.95 * box.height / n_rows
    if text_width("0", sizes[-1]) > room[0]:  # many cells need not be written out to see it
        return Writing()
    numbers = [float(n) for matrix in matrices for n in matrix[np.isfinite(matrix)]]
    for write in scale.ways_to_write[briefly:]:
        longest = max(map(write, numbers), key=len, default="")
        for size in sizes:
            if text_width(longest, size) <= room[0] and line_height(size) <= room[1]:
                return Writing(write, size)
    return Writing()


def _write(grid: Grid, values: Matrix, scale: Scale, writing: Writing) -> None:
    if writing.write is None:
        return
    colours = scale.rgb(values)
    look: dict[str, Any] = {
        "ha": "center",
        "va": "center_baseline",
        "fontsize": grid.sheet.pt(writing.size),
        "zorder": 4,
        "parse_math": False,
    }
    for row, column in np.argwhere(np.isfinite(values)).tolist():
        text = writing.write(float(values[row, column]))
        ink = ink_on(colours[row, column].tolist())
        grid.axes.text(column + 0.5, row + 0.5, text, color=ink, **look)


def label_rows(grid: Grid, labels: Sequence[str], per_head: int = 0) -> None:
    """Label the rows on the left; some are left out where they would touch.

    Where each head has ``per_head`` rows, those left out are all but the first of a head.
    """
    shown = _shown(len(labels), line_height(TICK_SIZE) / grid.cell_height, per_head)
    _set_labels(grid.axes.yaxis, labels, shown)


def label_columns(grid: Grid, labels: Sequence[str], per_head: int = 0) -> None:
    """Label the columns below, as ``label_rows`` does the rows."""
    widest = widest_of((labels[0], labels[-1])) + 0.08
    shown = _shown(len(labels), widest / grid.cell_width, per_head)
    _set_labels(grid.axes.xaxis, labels, shown)


class ColumnNames(NamedTuple):
    """How positions are called below columns, and how high that is in inches.

    Each needs the room of so many columns; words that have none otherwise stand upright.
    """

    names: Sequence[str]
    height: float
    needed: float
    is_upright: bool = False


def column_names(paper: Paper, scene: Positions, cell_width: float) -> ColumnNames:
    """Return what is written below columns of this width, in inches."""
    names = paper.names_below(scene)
    widest = widest_of(names)
    if names == numbers_of(scene):
        return ColumnNames(names, LABELS_BELOW, (widest + 0.08) / cell_width)
    if widest + WORD_GAP <= cell_width:
        return ColumnNames(names, LABELS_BELOW + more_lines(names), 1.0)
    upright = paper.row_names(scene)
    needed = line_height(TICK_SIZE) / cell_width
    return ColumnNames(upright, widest_of(upright) / FILL + 0.05, needed, is_upright=True)


def more_lines(names: Sequence[str]) -> float:
    """Return how many inches higher than one line the names are."""
    return names[0].count("\n") * line_height(TICK_SIZE)


def name_columns(
    axes: Axes,
    columns: ColumnNames,
    last: int | None = None,
    *,
    at: float = 0.5,
    always: Sequence[int] = (),
) -> None:
    """Write the names of the positions up to ``last`` below; some are left out that would touch.

    The first has its middle ``at``. In the place of neighbours ``always`` are written, the last of
    these in any case.
    """
    names = columns.names[:last]
    shown = _shown(len(names), columns.needed, 0)
    for index in always:
        shown = [index, *(other for other in shown if abs(other - index) >= columns.needed)]
    _set_labels(axes.xaxis, names, sorted(set(shown)), at)
    if columns.is_upright:
        axes.tick_params(axis="x", labelrotation=90)


def _set_labels(axis: Axis, labels: Sequence[str], shown: list[int], at: float = 0.5) -> None:
    """Write the labels that are shown; in a token a dollar sign is one, and begins no formula."""
    axis.set_ticks([index + at for index in shown], [labels[index] for index in shown])
    for text in axis.get_ticklabels():
        text.set_parse_math(False)


def name_positions(axes: Axes, names: Sequence[str], shown: Sequence[int]) -> None:
    """Write the names of the positions ``shown``, from 1, along an axis of curves."""
    axes.set_xticks(shown, [names[number - 1] for number in shown])
    for text in axes.get_xticklabels():
        text.set_parse_math(False)


def widest_of(texts: Sequence[str]) -> float:
    """Return the width in inches of the widest of ``texts``, as a label of one line or more."""
    return max(text_width(line) for text in set(texts) for line in text.split("\n"))


def _shown(count: int, needed: float, per_head: int) -> list[int]:
    """Return which of ``count`` labels, each as wide as ``needed`` cells, to show."""
    if needed <= 1:
        return list(range(count))
    if per_head:
        return list(range(0, count, per_head * math.ceil(needed / per_head)))
    if needed <= 2:
        return list(range(0, count, 2))
    # The first of round ones has one cell less to the label of t1.
    return [number - 1 for number in round_ticks(count, max(int(count / (needed + 1)), 1))]


def draw_bands(
    grid: Grid, colours: Sequence[str], width: int, *, below: bool, active: Sequence[bool]
) -> None:
    """Mark which ``width`` rows or columns (``below``) are which head's; hollow when not active."""
    across = BAND / grid.box.height if below else BAND / grid.box.width
    is_wide = width * (grid.cell_width if below else grid.cell_height) >= 0.1
    ground = grid.sheet.inks.ground
    transform = grid.axes.get_xaxis_transform() if below else grid.axes.get_yaxis_transform()
    for head, colour in enumerate(colours):
        start = head * width
        corner, size = (start, -across), (width, across)
        grid.axes.add_patch(
            Rectangle(
                corner if below else corner[::-1],
                *(size if below else size[::-1]),
                transform=transform,
                facecolor=colour if active[head] else ground,
                edgecolor=ground if active[head] else colour,
                linewidth=grid.sheet.pt(0.6) if is_wide else 0,
                clip_on=False,
            )
        )
    grid.axes.tick_params(axis="x" if below else "y", pad=grid.sheet.pt(2 + BAND * POINTS))


def rule_heads(grid: Grid, n_heads: int, width: int, *, columns: bool) -> None:
    """Draw a line between the rows or ``columns`` of heads, unless they lie too close."""
    if width * (grid.cell_width if columns else grid.cell_height) < 0.2:
        return
    for head in range(1, n_heads):
        line = grid.axes.axvline if columns else grid.axes.axhline
        line(head * width, color=grid.sheet.inks.ink, linewidth=grid.sheet.pt(0.6), zorder=3.5)


def bar_room(scale: Scale, label: str) -> float:
    """Return how many inches beside its bar the numbers of ``scale``, and ``label``, take."""
    numbers = widest_of([scale.tick_text(tick) for tick in scale.ticks]) / FILL
    lines = label.count("\n") + 1
    return 0.07 + numbers + (lines * line_height(LABEL_SIZE) + 0.06 if label else 0.0) + EDGE


def colour_bar(sheet: Sheet, box: Box, scale: Scale, label: str = "") -> Axes:
    """Fill ``box`` with the bar of ``scale``: its ends, its middle and, of a signed one, zero.

    Returns its axes, on which values go upwards.
    """
    axes = sheet.place(box)
    bar = sheet.figure.colorbar(scale.mappable, cax=axes)
    bar.set_ticks(scale.ticks, labels=[scale.tick_text(tick) for tick in scale.ticks])
    bar.minorticks_off()
    bar.ax.tick_params(color=sheet.inks.muted)
    bar.outline.set(linewidth=sheet.pt(0.5), edgecolor=sheet.inks.rule)
    if bar.solids is not None:  # a line of each colour's own, or viewers let the page shine through
        bar.solids.set(edgecolor="face", linewidth=sheet.pt(0.3))
    bar.set_label(in_math(label))
    return bar.ax
