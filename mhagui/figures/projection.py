"""The output projection drawn as a product: Concat at the left, W_O above, O where they meet."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from mhagui.document import Result, Scene
from mhagui.document.records import Array
from mhagui.figures.cells import (
    BAND,
    Grid,
    Scale,
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
    wrapped,
    write,
)
from mhagui.formats import head_columns, positions
from mhagui.palette import head_colour

CELL = 0.36  # inches at most
ROOM = 1.75  # what a matrix is given at least, for its title
BARS_WIDTH, BARS_HEIGHT = 2.25, 1.2  # what the colour bars are given at least
TALLEST = 6.4  # W_O and O together
TITLE = line_height(TITLE_SIZE) + line_height(TICK_SIZE) + 0.06
LABELS = line_height(TICK_SIZE) + BAND + 0.06
AXIS_LABEL = line_height(LABEL_SIZE) + 0.04
BAR_THICKNESS = 0.13
RIGHT = 0.16


@dataclass(frozen=True)
class Layout:
    """Where everything is."""

    w_o: Box
    concat: Box
    output: Box
    bars: Box
    note_top: float
    page: tuple[float, float]


def draw(scene: Scene, result: Result) -> Figure:
    """Draw W_O, Concat and O = Concat · W_O."""
    layout = _layout(scene)
    figure = new_page(*layout.page, f"{scene.title}: output projection")
    scales = [signed_scale(matrix) for matrix in (scene.w_o, result.concat, result.output)]
    as_image = too_many(scene.w_o.shape, result.concat.shape, result.output.shape)
    w_o = _matrix(figure, layout.w_o, scene.w_o, scales[0], as_image=as_image)
    concat = _matrix(figure, layout.concat, result.concat, scales[1], as_image=as_image)
    output = _matrix(figure, layout.output, result.output, scales[2], as_image=as_image)
    _label(w_o, concat, output, scene)
    _mark_heads(w_o, concat, scene)
    _titles(figure, layout, scene)
    _bars(figure, layout.bars, scales)
    _axis_labels(figure, layout)
    note = "\n".join(_silent_note(scene))
    write(figure, EDGE, layout.note_top, note, fontsize=TICK_SIZE)
    return figure


def _layout(scene: Scene) -> Layout:
    left = EDGE + AXIS_LABEL + text_width(positions(scene.n_positions)[-1]) + 0.06
    reads = head_columns(scene.n_heads, scene.d_v)
    between = max(text_width(reads[-1]), text_width(positions(scene.n_positions)[-1])) + BAND + 0.22
    inner, outer, above, below = _sizes(scene, FULL_WIDTH - left - between - RIGHT)
    second = left + max(inner, BARS_WIDTH) + between
    upper_end = EDGE + TITLE + max(above, BARS_HEIGHT)
    lower = upper_end + LABELS + 0.12 + TITLE
    note_top = lower + below + LABELS + AXIS_LABEL + 0.04
    note = len(_silent_note(scene)) * line_height(TICK_SIZE)
    return Layout(
        w_o=Box(second, upper_end - above, outer, above),
        concat=Box(left, lower, inner, below),
        output=Box(second, lower, outer, below),
        bars=Box(left, EDGE + TITLE, max(inner, BARS_WIDTH), max(above, BARS_HEIGHT)),
        note_top=note_top,
        page=(second + max(outer, ROOM) + RIGHT, note_top + note + EDGE),
    )


def _sizes(scene: Scene, room: float) -> tuple[float, float, float, float]:
    """Return the widths of Concat and O and the heights of W_O and O; square cells if possible."""
    reads, channels, rows = scene.w_o.shape[0], scene.d_model, scene.n_positions
    cell = min(room / (reads + channels), TALLEST / (reads + rows), CELL)
    if min(reads, channels, rows) * cell >= ROOM or cell >= CELL:
        return reads * cell, channels * cell, reads * cell, rows * cell
    return *_shares(room, reads, channels), *_shares(TALLEST, reads, rows)


def _shares(room: float, first: int, second: int) -> tuple[float, float]:
    """Share a length between two matrices by their cells, neither less than three tenths."""
    share = min(max(first / (first + second), 0.3), 0.7)
    return min(room * share, first * CELL), min(room * (1 - share), second * CELL)


def _matrix(figure: Figure, box: Box, values: Array, scale: Scale, *, as_image: bool) -> Grid:
    grid = Grid.on(figure, box, values.shape)
    draw_cells(grid, values, scale, as_image=as_image)
    if not as_image:
        draw_values(grid, values, scale)
    return grid


def _label(w_o: Grid, concat: Grid, output: Grid, scene: Scene) -> None:
    rows, channels = positions(scene.n_positions), positions(scene.d_model, "d")
    reads = head_columns(scene.n_heads, scene.d_v)
    label_rows(w_o, reads, scene.d_v)
    label_columns(concat, reads, scene.d_v)
    for grid in (concat, output):
        label_rows(grid, rows)
    for grid in (w_o, output):
        label_columns(grid, channels)


def _mark_heads(w_o: Grid, concat: Grid, scene: Scene) -> None:
    colours = [head_colour(head.uid) for head in scene.heads]
    draw_bands(w_o, colours, scene.d_v, below=False, active=scene.active)
    draw_bands(concat, colours, scene.d_v, below=True, active=scene.active)
    rule_heads(w_o, scene.n_heads, scene.d_v, columns=False)
    rule_heads(concat, scene.n_heads, scene.d_v, columns=True)


def _titles(figure: Figure, layout: Layout, scene: Scene) -> None:
    reads, channels, rows = scene.w_o.shape[0], scene.d_model, scene.n_positions
    for box, title, shape in (
        (layout.w_o, "$W_O$", f"H·d_v × d_model = {reads} × {channels}"),
        (layout.concat, "Concat", f"T × H·d_v = {rows} × {reads}"),
        (layout.output, "O = Concat · $W_O$", f"T × d_model = {rows} × {channels}"),
    ):
        write(figure, box.left, box.top - TITLE, title, fontsize=TITLE_SIZE)
        below = box.top - TITLE + line_height(TITLE_SIZE)
        write(figure, box.left, below, shape, fontsize=TICK_SIZE, color=MUTED_INK)


def _bars(figure: Figure, box: Box, scales: Sequence[Scale]) -> None:
    """Fill the corner beside W_O with the three bars, as high as it is."""
    label_top = box.top - line_height(TICK_SIZE) - 0.05
    for number, (scale, label) in enumerate(zip(scales, ("$W_O$", "Concat", "O"), strict=True)):
        left = box.left + number * box.width / len(scales)
        write(figure, left, label_top, label, fontsize=TICK_SIZE)
        colour_bar(place(figure, left, box.top, BAR_THICKNESS, box.height), scale, "")


def _axis_labels(figure: Figure, layout: Layout) -> None:
    write(figure, EDGE, _middle(layout.concat)[1], "position t", rotation=90, va="center")
    below = layout.concat.top + layout.concat.height + LABELS
    for box, label in ((layout.concat, "head.feature"), (layout.output, "output channel")):
        write(figure, _middle(box)[0], below, label, ha="center")


def _middle(box: Box) -> tuple[float, float]:
    return box.left + box.width / 2, box.top + box.height / 2


def _silent_note(scene: Scene) -> list[str]:
    """Return the lines that name the heads whose bands are hollow, none when all reach W_O."""
    silent = [f"h{number}" for number, active in enumerate(scene.active, 1) if not active]
    if not silent:
        return []
    return wrapped(f"Hollow bands: ablated before W_O ({', '.join(silent)})", 3.0, TICK_SIZE)
