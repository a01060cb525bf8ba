"""The packed W_Q, W_K or W_V = [W^1 .. W^H] with the slice of every head."""

from matplotlib.figure import Figure

from mhagui.document import Result, Scene
from mhagui.document.packed import PackedProjection
from mhagui.document.records import Array
from mhagui.errors import UserError
from mhagui.figures.cells import (
    BAND,
    Grid,
    Scale,
    bar_room,
    colour_bar,
    draw_bands,
    draw_cells,
    draw_values,
    label_columns,
    label_rows,
    rule_heads,
    signed_scale,
    too_many,
)
from mhagui.figures.page import (
    EDGE,
    FULL_WIDTH,
    LABEL_SIZE,
    MUTED_INK,
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    line_height,
    new_page,
    place,
    text_width,
    write,
)
from mhagui.formats import positions
from mhagui.palette import head_colour

CELL = 0.38  # inches at most
TALLEST = 5.0
SMALLEST = 1.2
BAR_WIDTH, BAR_GAP, BAR_LABEL = 0.13, 0.2, "value"
AXIS_LABEL = line_height(LABEL_SIZE) + 0.04
TITLE = line_height(TITLE_SIZE) + line_height(TICK_SIZE) + 0.12
HEADS = line_height(LABEL_SIZE) + 0.06


def draw(scene: Scene, result: Result) -> Figure:
    """Draw the packed W_Q; raises UserError where it does not exist."""
    return _draw(scene, result.packed_queries)


def draw_w_k(scene: Scene, result: Result) -> Figure:
    """Draw the packed W_K; raises UserError where it does not exist."""
    return _draw(scene, result.packed_keys)


def draw_w_v(scene: Scene, result: Result) -> Figure:
    """Draw the packed W_V."""
    return _draw(scene, result.packed_values)


def _draw(scene: Scene, packed: PackedProjection) -> Figure:
    if packed.why_none is not None:
        raise UserError(packed.why_none)
    values, per_head = packed.matrix, packed.width
    rows, columns = values.shape
    labels = positions(rows, "x")
    left = EDGE + AXIS_LABEL + text_width(labels[-1]) + 0.06
    scale = signed_scale(values)
    bar = BAR_GAP + BAR_WIDTH + bar_room(scale, BAR_LABEL)
    width, height = _size(rows, columns, FULL_WIDTH - left - bar)
    top = EDGE + TITLE + HEADS
    below = BAND + line_height(TICK_SIZE) + 0.06 + AXIS_LABEL + EDGE
    figure = new_page(
        left + width + bar, top + height + below, f"{scene.title}: packed {packed.symbol}"
    )
    grid = Grid.on(figure, Box(left, top, width, height), values.shape)
    _fill(grid, values, scale, scene, per_head)
    _names(figure, grid, left, top, packed)
    label_rows(grid, labels)
    letter = _letter(packed).lower()
    heads, numbers = range(1, scene.n_heads + 1), range(1, per_head + 1)
    dimensions = [f"h{head}.{letter}{number}" for head in heads for number in numbers]
    label_columns(grid, dimensions, per_head)
    _titles(figure, left, top, width, height, packed)
    axes = place(figure, left + width + BAR_GAP, top, BAR_WIDTH, height)
    colour_bar(axes, scale, BAR_LABEL)
    return figure


def _letter(packed: PackedProjection) -> str:
    return packed.symbol[-1]


def _size(rows: int, columns: int, room: float) -> tuple[float, float]:
    cell = min(room / columns, TALLEST / rows, CELL)
    return max(columns * cell, 2.4), max(rows * cell, SMALLEST)


def _fill(grid: Grid, values: Array, scale: Scale, scene: Scene, per_head: int) -> None:
    as_image = too_many(values.shape)
    draw_cells(grid, values, scale, as_image=as_image)
    if not as_image:
        draw_values(grid, values, scale)
    rule_heads(grid, scene.n_heads, per_head, columns=True)
    colours = [head_colour(head.uid) for head in scene.heads]
    draw_bands(grid, colours, per_head, below=True, active=[True] * scene.n_heads)


def _names(figure: Figure, grid: Grid, left: float, top: float, packed: PackedProjection) -> None:
    """Write W^h over each head's slice, over every second or fifth one where they would touch."""
    slice_width = packed.width * grid.cell_width
    step = next(step for step in (1, 2, 5, 10, 32) if step * slice_width > 0.42 or step == 32)
    for head in range(0, len(packed.slices), step):
        middle = left + (head + 0.5) * slice_width
        write(
            figure,
            middle,
            top - 0.05,
            f"$W_{_letter(packed)}^{{{head + 1}}}$",
            ha="center",
            va="bottom",
        )


def _titles(
    figure: Figure, left: float, top: float, width: float, height: float, packed: PackedProjection
) -> None:
    letter = _letter(packed)
    what = {"Q": "query", "K": "key", "V": "value"}[letter]
    rows, columns = packed.matrix.shape
    shape = f"d_model × H·d_{'v' if letter == 'V' else 'k'} = {rows} × {columns}"
    title = f"Packed $W_{letter}$ = [$W_{letter}^1$ … $W_{letter}^H$]"
    write(figure, left, EDGE, title, fontsize=TITLE_SIZE)
    below_title = EDGE + line_height(TITLE_SIZE) + 0.05
    write(figure, left, below_title, shape, fontsize=TICK_SIZE, color=MUTED_INK)
    write(figure, EDGE, top + height / 2, "input feature", rotation=90, va="center")
    below = figure.get_size_inches()[1] - AXIS_LABEL - EDGE / 2
    write(figure, left + width / 2, below, f"{what} dimension", ha="center")
