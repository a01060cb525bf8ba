"""Matrices as cells: colours, values, hatched masks, labels, bands of the heads, colour bars."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Outline

from mhagui import core
from mhagui.figures.page import (
    EDGE,
    FILL,
    HATCH,
    INK,
    LABEL_SIZE,
    MUTED_INK,
    POINTS,
    RULE,
    TICK_SIZE,
    Box,
    line_height,
    place,
    round_ticks,
    text_width,
)
from mhagui.formats import cell, short
from mhagui.palette import diverging_table, ink_on

BAND = 0.05  # inches: thickness of a head's band
LABELS_BELOW = line_height(TICK_SIZE) + 0.03  # inches: height of the columns' labels
VALUE_SIZES = (7.0, 6.5, 6.0, 5.5)
MAX_DRAWN_CELLS = 20_000  # in one figure; a viewer of vector files grows slow beyond
MAX_DRAWN_SIDE = 64
PIXELS_PER_INCH = (
    200  # of a matrix drawn as an image: half of what 400 dpi can show, so none of it is lost
)

Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Scale:
    """How a value becomes a colour: equal steps from ``low`` to ``high``."""

    colours: Colormap
    low: float
    high: float

    @property
    def is_signed(self) -> bool:
        """Whether zero is in the middle."""
        return self.low < 0

    @property
    def mappable(self) -> ScalarMappable:
        """The scale as matplotlib has it."""
        return ScalarMappable(Normalize(self.low, self.high), self.colours)

    def rgb(self, values: Matrix) -> npt.NDArray[np.uint8]:
        """Return the colours of ``values``, 0..255 on a new last axis; white for NaN."""
        rgb: npt.NDArray[np.uint8] = self.mappable.to_rgba(np.asarray(values), bytes=True)[..., :3]
        return np.where(np.isnan(values)[..., np.newaxis], np.uint8(255), rgb)


def weight_scale() -> Scale:
    """Return the scale of weights: viridis, always 0 to 1."""
    return Scale(mpl.colormaps["viridis"], 0.0, 1.0)


def signed_scale(*matrices: Matrix) -> Scale:
    """Return the diverging scale around 0 that holds every finite value of ``matrices``."""
    largest = max(float(np.max(np.abs(m), where=np.isfinite(m), initial=0.0)) for m in matrices)
    limit = largest or 1.0
    return Scale(ListedColormap(diverging_table() / 255), -limit, limit)


@dataclass(frozen=True)
class Grid:
    """Axes of a known size in inches for a matrix; cell (i, j) is x j..j+1, y i..i+1, downwards."""

    axes: Axes
    width: float
    height: float
    n_rows: int
    n_columns: int

    @classmethod
    def on(cls, figure: Figure, box: Box, shape: tuple[int, ...]) -> "Grid":
        """Place axes in ``box`` for a matrix of ``shape``."""
        n_rows, n_columns = shape
        axes = place(figure, box.left, box.top, box.width, box.height)
        axes.set_xlim(0, n_columns)
        axes.set_ylim(n_rows, 0)
        axes.tick_params(length=0, pad=2)
        for spine in axes.spines.values():
            spine.set(edgecolor=RULE, linewidth=0.5)
        return cls(axes, box.width, box.height, n_rows, n_columns)

    @property
    def cell_width(self) -> float:
        """Width of a cell in inches."""
        return self.width / self.n_columns

    @property
    def cell_height(self) -> float:
        """Height of a cell in inches."""
        return self.height / self.n_rows


def draw_cells(grid: Grid, values: Matrix, scale: Scale, *, as_image: bool) -> None:
    """Colour the cells: as rectangles, sharp at any size, or as an image where they are many."""
    if as_image:
        image = _image(values, grid, scale)
        extent = (0, grid.n_columns, grid.n_rows, 0)
        grid.axes.imshow(scale.rgb(image), extent=extent, interpolation="none", aspect="auto")
        return
    # A line around each cell: white between large cells, of the cell's own colour between small
    # ones, where viewers would otherwise let the page shine through the joints.
    is_large = min(grid.cell_width, grid.cell_height) * POINTS >= 8
    grid.axes.pcolormesh(
        np.arange(grid.n_columns + 1),
        np.arange(grid.n_rows + 1),
        values,
        cmap=scale.colours,
        norm=Normalize(scale.low, scale.high),
        edgecolors="white" if is_large else "face",
        linewidth=0.6 if is_large else 0.2,
    )


def too_many(*shapes: tuple[int, ...]) -> bool:
    """Return whether matrices of these shapes are too large for drawn cells."""
    cells = sum(rows * columns for rows, columns in shapes)
    return cells > MAX_DRAWN_CELLS or max(max(shape) for shape in shapes) > MAX_DRAWN_SIDE


def _image(values: Matrix, grid: Grid, scale: Scale) -> Matrix:
    """Return ``values`` with cells repeated, or pooled, to as many pixels as paper can show."""
    rows, columns = round(grid.height * PIXELS_PER_INCH), round(grid.width * PIXELS_PER_INCH)
    pool = core.pool_largest_magnitude if scale.is_signed else core.pool_maximum
    pooled = pool(values, rows, columns)
    down, across = max(rows // pooled.shape[0], 1), max(columns // pooled.shape[1], 1)
    repeated: Matrix = np.repeat(np.repeat(pooled, down, axis=0), across, axis=1)
    return repeated


def draw_mask(grid: Grid, allowed: Mask) -> None:
    """Hatch what each query may not see: the keys after the last allowed one of its row."""
    counts = allowed.sum(axis=1)
    rows = np.arange(grid.n_rows)
    right = [(grid.n_columns, grid.n_rows), (grid.n_columns, 0)]
    stairs = np.column_stack([np.repeat(counts, 2), np.column_stack([rows, rows + 1]).ravel()])
    outline = Outline(np.vstack([right, stairs, right[:1]]))
    grid.axes.add_patch(
        PathPatch(
            outline, facecolor="white", edgecolor=HATCH, hatch="//////", linewidth=0, zorder=3
        )
    )


def draw_values(grid: Grid, values: Matrix, scale: Scale, allowed: Mask | None = None) -> None:
    """Write each value into its cell, where all of them fit in a size that can be read."""
    texts = [[cell(float(value), leading_zero=True) for value in row] for row in values]
    size = _value_size(grid, texts)
    if size is None:
        return
    colours = scale.rgb(values)
    for (row, column), _ in np.ndenumerate(values):
        if allowed is not None and not allowed[row, column]:
            continue
        ink = ink_on(tuple(float(channel) for channel in colours[row, column]))  # type: ignore[arg-type]
        look: dict[str, Any] = {
            "ha": "center",
            "va": "center_baseline",
            "fontsize": size,
            "color": ink,
        }
        grid.axes.text(
            column + 0.5, row + 0.5, texts[row][column], zorder=4, parse_math=False, **look
        )


def _value_size(grid: Grid, texts: list[list[str]]) -> float | None:
    if grid.n_rows * grid.n_columns > MAX_DRAWN_CELLS:
        return None
    longest = max((text for row in texts for text in row), key=len)
    for size in VALUE_SIZES:
        fits = text_width(longest, size) <= 0.84 * grid.cell_width
        if fits and line_height(size) <= 0.95 * grid.cell_height:
            return size
    return None


def label_rows(grid: Grid, labels: Sequence[str], per_head: int = 0) -> None:
    """Label the rows on the left; some are left out where they would touch.

    Where each head has ``per_head`` rows, those left out are all but the first of a head.
    """
    shown = _shown(len(labels), line_height(TICK_SIZE) / grid.cell_height, per_head)
    _set_labels(grid.axes.yaxis, labels, shown)


def label_columns(
    grid: Grid, labels: Sequence[str], per_head: int = 0, words: Sequence[str] = ()
) -> None:
    """Label the columns below, as ``label_rows`` does the rows; with ``words`` where all fit."""
    if words and widest_of(words) + 0.08 <= grid.cell_width:
        labels = words
    widest = widest_of((labels[0], labels[-1])) + 0.08
    shown = _shown(len(labels), widest / grid.cell_width, per_head)
    _set_labels(grid.axes.xaxis, labels, shown)


def _set_labels(axis: Axis, labels: Sequence[str], shown: list[int]) -> None:
    """Write the labels that are shown; in a token a dollar sign is one, and begins no formula."""
    axis.set_ticks([index + 0.5 for index in shown], [labels[index] for index in shown])
    for text in axis.get_ticklabels():
        text.set_parse_math(False)


def widest_of(texts: Sequence[str]) -> float:
    """Return the width in inches of the widest of ``texts``, as a label."""
    return max(map(text_width, set(texts)))


def _shown(count: int, needed: float, per_head: int) -> list[int]:
    """Return which of ``count`` labels, each as wide as ``needed`` cells, to show."""
    if needed <= 1:
        return list(range(count))
    if per_head:
        return list(range(0, count, per_head * math.ceil(needed / per_head)))
    # The first of round ones has one cell less to the label of t1.
    return [number - 1 for number in round_ticks(count, max(int(count / (needed + 1)), 1))]


def draw_bands(
    grid: Grid, colours: Sequence[str], width: int, *, below: bool, active: Sequence[bool]
) -> None:
    """Mark which ``width`` rows or columns (``below``) are which head's; hollow when not active."""
    across = BAND / grid.height if below else BAND / grid.width
    is_wide = width * (grid.cell_width if below else grid.cell_height) >= 0.1
    transform = grid.axes.get_xaxis_transform() if below else grid.axes.get_yaxis_transform()
    for head, colour in enumerate(colours):
        start, place = head * width, (0.0 - across)
        corner, size = (
            ((start, place), (width, across)) if below else ((place, start), (across, width))
        )
        grid.axes.add_patch(
            Rectangle(
                corner,
                *size,
                transform=transform,
                facecolor=colour if active[head] else "white",
                edgecolor="white" if active[head] else colour,
                linewidth=0.6 if is_wide else 0,
                clip_on=False,
            )
        )
    grid.axes.tick_params(axis="x" if below else "y", pad=2 + BAND * POINTS)


def rule_heads(grid: Grid, n_heads: int, width: int, *, columns: bool) -> None:
    """Draw a line between the rows or ``columns`` of heads, unless they lie too close."""
    if width * (grid.cell_width if columns else grid.cell_height) < 0.2:
        return
    for head in range(1, n_heads):
        line = grid.axes.axvline if columns else grid.axes.axhline
        line(head * width, color=INK, linewidth=0.6, zorder=3.5)


def bar_room(scale: Scale, label: str) -> float:
    """Return how many inches beside its bar the numbers of ``scale``, and ``label``, take."""
    numbers = widest_of([short(tick, 3) for tick in _bar_ticks(scale)]) / FILL
    return 0.07 + numbers + (line_height(LABEL_SIZE) + 0.06 if label else 0.0) + EDGE


def _bar_ticks(scale: Scale) -> list[float]:
    return [float(tick) for tick in np.linspace(scale.low, scale.high, 3 if scale.is_signed else 5)]


def colour_bar(axes: Axes, scale: Scale, label: str) -> None:
    """Fill ``axes`` with the bar of ``scale``: its ends, its middle and, of a signed one, zero."""
    bar = axes.figure.colorbar(scale.mappable, cax=axes)
    ticks = _bar_ticks(scale)
    bar.set_ticks(ticks, labels=[short(tick, 3) for tick in ticks])
    bar.ax.tick_params(length=2, width=0.5, color=MUTED_INK)
    bar.outline.set(linewidth=0.5, edgecolor=RULE)
    if bar.solids is not None:  # a line of each colour's own, or viewers let the page shine through
        bar.solids.set(edgecolor="face", linewidth=0.3)
    bar.set_label(label)
