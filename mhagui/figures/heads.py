"""The weights of every head, in one grid with one colour bar."""

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from mhagui.document import HeadResult, Result, Scene
from mhagui.figures.cells import (
    LABELS_BELOW,
    Grid,
    colour_bar,
    draw_cells,
    draw_mask,
    draw_values,
    label_columns,
    label_rows,
    too_many,
    weight_scale,
    widest_of,
)
from mhagui.figures.page import (
    EDGE,
    FULL_WIDTH,
    INK,
    LABEL_SIZE,
    MUTED_INK,
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    line_height,
    new_page,
    place,
    state_of,
    wrapped,
    write,
)
from mhagui.formats import positions, token

CELL = 0.38  # inches at most
SMALLEST_SIDE = 1.8
BAR_WIDTH, BAR_GAP, BAR_LABELS = 0.13, 0.2, 0.55
AXIS_LABEL = line_height(LABEL_SIZE) + 0.04


@dataclass(frozen=True)
class Layout:
    """Where the panels are, in inches."""

    n_rows: int
    n_columns: int
    side: float
    left: float
    gap: float
    title_size: float
    titles: list[list[str]]
    below: float

    @property
    def title_height(self) -> float:
        """Height of the tallest title, with the space under it."""
        return max(map(len, self.titles)) * line_height(self.title_size) + 0.05

    @property
    def pitch(self) -> float:
        """From the top of a row of panels to that of the next."""
        return self.title_height + self.side + self.below

    @property
    def grid_width(self) -> float:
        """From the left edge of the first panel to the right edge of the last."""
        return self.n_columns * self.side + (self.n_columns - 1) * self.gap

    def corner(self, index: int) -> tuple[float, float]:
        """Return left and top of the cells of panel ``index``."""
        row, column = divmod(index, self.n_columns)
        return self.left + column * (
            self.side + self.gap
        ), EDGE + row * self.pitch + self.title_height


def _row_names(scene: Scene) -> tuple[str, ...]:
    """Return t1..tT, each with its token if there are any: t3 cat."""
    labels = positions(scene.n_positions)
    if not scene.tokens:
        return labels
    named = zip(labels, scene.tokens, strict=True)
    return tuple(f"{label} {token(word)}" for label, word in named)


def draw(scene: Scene, result: Result) -> Figure:
    """Draw the weights of every head."""
    layout = _layout(scene, result)
    width = layout.left + layout.grid_width + BAR_GAP + BAR_WIDTH + BAR_LABELS
    labels = 0.0 if _labels_all(layout) else LABELS_BELOW
    height = EDGE + layout.n_rows * layout.pitch + labels + AXIS_LABEL
    figure = new_page(width, height, f"{scene.title}: weights of the heads")
    as_image = too_many(*(head.weights.shape for head in result.heads))
    for index, head in enumerate(result.heads):
        grid = _panel(figure, layout, index, head, result, as_image=as_image)
        _labels_of(grid, layout, index, scene)
    _axis_labels(figure, layout)
    _bar(figure, layout)
    return figure


def _layout(scene: Scene, result: Result) -> Layout:
    n_columns = math.ceil(math.sqrt(scene.n_heads))
    n_rows = math.ceil(scene.n_heads / n_columns)
    labels = widest_of(_row_names(scene)) + 0.06
    left = EDGE + AXIS_LABEL + labels
    gap = 0.18 + labels if n_columns <= 3 else 0.2
    room = FULL_WIDTH - left - (n_columns - 1) * gap - BAR_GAP - BAR_WIDTH - BAR_LABELS
    side = min(room / n_columns, max(CELL * scene.n_positions, SMALLEST_SIDE))
    size = TITLE_SIZE if n_columns <= 3 else TICK_SIZE
    titles = [
        wrapped(_title(number, head), side - 0.02, size)
        for number, head in enumerate(result.heads, 1)
    ]
    below = (LABELS_BELOW + 0.1) if n_columns <= 3 else 0.1
    return Layout(n_rows, n_columns, side, left, gap, size, titles, below)


def _title(number: int, head: HeadResult) -> str:
    return f"Head {number} — {head.head.name}{state_of(head)}"


def _labels_all(layout: Layout) -> bool:
    """Return whether every panel has its own labels; of many panels only the outer ones do."""
    return layout.n_columns <= 3


def _panel(
    figure: Figure, layout: Layout, index: int, head: HeadResult, result: Result, *, as_image: bool
) -> Grid:
    left, top = layout.corner(index)
    grid = Grid.on(figure, Box(left, top, layout.side, layout.side), head.weights.shape)
    scale = weight_scale()
    draw_cells(grid, np.where(result.allowed, head.weights, np.nan), scale, as_image=as_image)
    draw_mask(grid, result.allowed)
    if not as_image:
        draw_values(grid, head.weights, scale, result.allowed)
    lines = layout.titles[index]
    title_top = top - 0.05 - len(lines) * line_height(layout.title_size)
    look = {
        "fontsize": layout.title_size,
        "color": INK if head.active else MUTED_INK,
        "parse_math": False,
    }
    write(figure, left, title_top, "\n".join(lines), **look)
    return grid


def _labels_of(grid: Grid, layout: Layout, index: int, scene: Scene) -> None:
    label_rows(grid, _row_names(scene))
    label_columns(grid, positions(grid.n_rows), words=tuple(map(token, scene.tokens)))
    if _labels_all(layout):
        return
    has_left, has_below = index % layout.n_columns > 0, index + layout.n_columns < scene.n_heads
    grid.axes.tick_params(labelleft=not has_left, labelbottom=not has_below)


def _axis_labels(figure: Figure, layout: Layout) -> None:
    middle = layout.left + layout.grid_width / 2
    bottom = figure.get_size_inches()[1] - AXIS_LABEL
    write(figure, middle, bottom, "key position i", ha="center")
    half = (
        EDGE
        + layout.title_height
        + (layout.n_rows * layout.pitch - layout.title_height - layout.below) / 2
    )
    write(figure, EDGE, half, "query position t", rotation=90, va="center")


def _bar(figure: Figure, layout: Layout) -> None:
    top = EDGE + layout.title_height
    height = layout.n_rows * layout.pitch - layout.title_height - layout.below
    left = layout.left + layout.grid_width + BAR_GAP
    colour_bar(place(figure, left, top, BAR_WIDTH, height), weight_scale(), "weight")
