"""All stages of one head, from queries and keys to what it adds to the output."""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from mhagui.document import Result, Scene
from mhagui.document.pipeline import (
    GAINED,
    MASKED,
    MIXED,
    PRODUCT,
    PROJECTED,
    SCALED,
    SOFTMAX,
    Axis,
    StageMatrix,
    study_stage,
)
from mhagui.figures.cells import (
    Grid,
    Scale,
    colour_bar,
    draw_cells,
    draw_mask,
    draw_values,
    label_columns,
    label_rows,
    signed_scale,
    too_many,
    weight_scale,
)
from mhagui.figures.page import (
    EDGE,
    FULL_WIDTH,
    INK,
    LABEL_SIZE,
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    line_height,
    new_page,
    place,
    state_of,
    text_width,
    wrapped,
    write,
)
from mhagui.formats import positions, short

N_COLUMNS = 4
GAP = 0.14  # inches between panels
SLIMMEST = 0.12  # inches that a matrix of few columns or rows is wide at the least
BAR_WIDTH, BAR_GAP = 0.12, 0.75
# Of each stage the matrices that those before it have not shown.
_NEW = {PRODUCT: 3, SCALED: 1, GAINED: 1, MASKED: 1, SOFTMAX: 1, MIXED: 2, PROJECTED: 2}


@dataclass(frozen=True)
class Layout:
    """Where the panels are, in inches."""

    top: float
    labels: float
    side: float

    @property
    def pitch(self) -> float:
        """From the top of a row of panels to that of the next."""
        return 2 * line_height(TICK_SIZE) + self.side + GAP + 0.06

    def corner(self, index: int) -> tuple[float, float]:
        """Return left and top of the cells of panel ``index``."""
        row, column = divmod(index, N_COLUMNS)
        left = EDGE + self.labels + column * (self.labels + self.side + GAP)
        return left, self.top + row * self.pitch + line_height(LABEL_SIZE) + 0.04


def draw(scene: Scene, result: Result, head: int = 0) -> Figure:
    """Draw the stages of head number ``head`` from 0."""
    matrices = _matrices(scene, result, head)
    title = _title(result, head)
    labels = text_width(positions(scene.n_positions)[-1]) + 0.06
    # The last label below a panel may reach beyond it by half its own width.
    room = FULL_WIDTH - 2 * EDGE - labels / 2 - (N_COLUMNS - 1) * GAP
    side = room / N_COLUMNS - labels
    layout = Layout(EDGE + len(title) * line_height(TITLE_SIZE) + 0.05, labels, side)
    n_rows = -(-(len(matrices) + 1) // N_COLUMNS)
    height = layout.top + n_rows * layout.pitch
    figure = new_page(FULL_WIDTH, height, f"{scene.title}: pipeline of head {head + 1}")
    write(figure, EDGE, EDGE, "\n".join(title), fontsize=TITLE_SIZE, parse_math=False)
    for index, matrix in enumerate(matrices):
        _panel(figure, layout, index, matrix)
    _bars(figure, layout, len(matrices))
    return figure


def _matrices(scene: Scene, result: Result, head: int) -> list[StageMatrix]:
    matrices: list[StageMatrix] = []
    for stage, n_new in _NEW.items():
        matrices += study_stage(scene, result, head, stage).matrices[-n_new:]
    return matrices


def _title(result: Result, place_of_head: int) -> list[str]:
    head = result.heads[place_of_head]
    name = f"Head {place_of_head + 1} — {head.head.name}{state_of(head)}"
    return wrapped(f"{name}: gain g = {short(head.gain)}", FULL_WIDTH - 2 * EDGE, TITLE_SIZE)


def _panel(figure: Figure, layout: Layout, index: int, matrix: StageMatrix) -> None:
    left, top = layout.corner(index)
    (n_rows, n_columns), side = matrix.values.shape, layout.side
    unit = side / max(n_rows, n_columns)
    box = Box(left, top, max(n_columns * unit, SLIMMEST), max(n_rows * unit, SLIMMEST))
    grid = Grid.on(figure, box, matrix.values.shape)
    scale = weight_scale() if matrix.is_weights else signed_scale(matrix.values)
    as_image, allowed = too_many(matrix.values.shape), matrix.allowed
    values = matrix.values if allowed is None else np.where(allowed, matrix.values, np.nan)
    draw_cells(grid, values, scale, as_image=as_image)
    if allowed is not None:
        draw_mask(grid, allowed)
    if not as_image:
        draw_values(grid, matrix.values, scale, allowed)
    rows, columns = matrix.axes
    label_rows(grid, _labels(rows, n_rows))
    label_columns(grid, _labels(columns, n_columns))
    name_top = top - line_height(LABEL_SIZE) - 0.04
    name = f"{matrix.sign} {matrix.name}{_limit(scale)}".strip()
    write(figure, left, name_top, name, color=INK, parse_math=False)


def _limit(scale: Scale) -> str:
    return f"  (±{short(scale.high, 3)})" if scale.is_signed else ""


def _labels(axis: Axis, length: int) -> tuple[str, ...]:
    if axis in (Axis.QUERY, Axis.KEY):
        return positions(length)
    return positions(length, "d" if axis is Axis.CHANNEL else "")


def _bars(figure: Figure, layout: Layout, index: int) -> None:
    """Put the two colour bars where the last panel would be."""
    left, top = layout.corner(index)
    signed = signed_scale(np.ones((1, 1)))
    colour_bar(place(figure, left, top, BAR_WIDTH, layout.side), signed, "share of ±")
    colour_bar(place(figure, left + BAR_GAP, top, BAR_WIDTH, layout.side), weight_scale(), "weight")
