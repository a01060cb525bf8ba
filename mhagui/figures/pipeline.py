"""All stages of one head, from queries and keys to what it adds to the output."""

import math
from dataclasses import dataclass

import numpy as np

from mhagui.document import Scene
from mhagui.document.bias_words import bias_words
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
    ColumnNames,
    Grid,
    colour_bar,
    column_names,
    draw_matrix,
    label_columns,
    label_rows,
    name_columns,
    too_many,
    widest_of,
)
from mhagui.figures.page import (
    LABEL_SIZE,
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    Plan,
    Sheet,
    in_math,
    line_height,
    wrapped,
)
from mhagui.figures.panels import best_of, head_name
from mhagui.figures.paper import EDGE, NARROW, Paper
from mhagui.figures.scales import Scale, signed_scale, unit_scale
from mhagui.figures.style import Labels
from mhagui.figures.subject import Subject
from mhagui.formats import positions, short

GAP = 0.14  # inches between panels
SLIMMEST = 0.12  # inches that a matrix of few columns or rows is wide at the least
LIMIT = line_height(TICK_SIZE)
NAME = line_height(LABEL_SIZE) + LIMIT + 0.03
BAR_WIDTH = 0.12
USUAL_SIDE, NARROW_SIDE = 1.2, 0.8  # inches of a panel; on narrow paper
# Of each stage the matrices that those before it have not shown.
_NEW = {PRODUCT: 3, SCALED: 1, GAINED: 1, MASKED: 1, SOFTMAX: 1, MIXED: 2, PROJECTED: 2}


@dataclass(frozen=True)
class _Layout:
    """Where the panels are, in inches."""

    n_columns: int
    top: float
    labels: float
    side: float
    columns: ColumnNames

    @property
    def pitch(self) -> float:
        """From the top of a row of panels to that of the next."""
        return NAME + self.side + self.columns.height + GAP - 0.03

    def corner(self, index: int) -> tuple[float, float]:
        """Return left and top of the cells of panel ``index``."""
        row, column = divmod(index, self.n_columns)
        left = EDGE + self.labels + column * (self.labels + self.side + GAP)
        return left, self.top + row * self.pitch + NAME


def plan(subject: Subject, paper: Paper) -> Plan:
    """Lay out the stages of one head."""
    n_panels = sum(_new(subject).values()) + 1  # and the bars

    def with_columns(n_columns: int) -> Plan:
        return _plan(subject, paper, n_columns, n_panels)

    is_high = paper.width > NARROW and paper.height is None
    side = USUAL_SIDE if is_high else NARROW_SIDE
    labels = widest_of(_row_names(paper.roomiest(subject.scene), paper)) + 0.06
    most = max(int((paper.width - 2 * EDGE) / (side + labels + GAP)), 2)
    return best_of(most, paper, with_columns) if paper.height is not None else with_columns(most)


def _plan(subject: Subject, paper: Paper, n_columns: int, n_panels: int) -> Plan:
    scene, number = subject.scene, subject.head + 1
    matrices = _matrices(subject)
    head = subject.result.heads[subject.head]
    name = f"{head_name(number, head)}: gain g = {short(head.gain)}"
    title = wrapped(name, paper.width - 2 * EDGE, TITLE_SIZE)
    widest = paper.roomiest(scene)
    labels = widest_of(_row_names(widest, paper)) + 0.06
    # The last label below a panel may reach beyond it by half its own width.
    room = paper.width - 2 * EDGE - labels / 2 - (n_columns - 1) * GAP
    top, side = EDGE + len(title) * line_height(TITLE_SIZE) + 0.05, room / n_columns - labels
    columns = column_names(paper, scene, side / scene.n_positions)
    below = max(columns.height, column_names(paper, widest, side / widest.n_positions).height)
    layout = _Layout(n_columns, top, labels, side, columns._replace(height=below))
    scales = [_scale(paper, number, matrix) for number, matrix in enumerate(matrices)]

    def paint(sheet: Sheet) -> None:
        sheet.write(EDGE, EDGE, "\n".join(title), fontsize=TITLE_SIZE, parse_math=False)
        for index, (matrix, scale) in enumerate(zip(matrices, scales, strict=True)):
            _panel(sheet, layout, index, matrix, scale, scene)
        _bars(sheet, layout, n_panels - 1)

    caption = (
        f"Every stage of head {number} of “{scene.title}” at gain {short(head.gain)}, from Q and K "
        "to its part of O. Each signed matrix has its own scale around 0, up to the number below "
        "its name; weights go from 0 to 1. Hatched keys are masked."
    )
    caption = f"{caption} {bias_words((head,), number)}".rstrip()
    height = layout.top + math.ceil(n_panels / n_columns) * layout.pitch
    return Plan(f"{scene.title}: pipeline of head {number}", caption, paper.width, height, paint)


def _new(subject: Subject) -> dict[int, int]:
    """Return how many matrices of each stage are shown: with a slope the bias is one of them."""
    has_slope = subject.result.heads[subject.head].head.slope
    return _NEW | {GAINED: 3} if has_slope else _NEW


def _matrices(subject: Subject) -> list[StageMatrix]:
    matrices: list[StageMatrix] = []
    for stage, n_new in _new(subject).items():
        study = study_stage(subject.scene, subject.result, subject.head, stage)
        matrices += study.matrices[-n_new:]
    return matrices


def _scale(paper: Paper, number: int, matrix: StageMatrix) -> Scale:
    if matrix.is_weights:
        return unit_scale(paper, "weight")
    allowed = True if matrix.allowed is None else matrix.allowed
    return signed_scale(paper, f"stage {number}", np.where(allowed, matrix.values, 0.0))


def _panel(
    sheet: Sheet, layout: _Layout, index: int, matrix: StageMatrix, scale: Scale, scene: Scene
) -> None:
    left, top = layout.corner(index)
    (n_rows, n_columns), side = matrix.values.shape, layout.side
    unit = side / max(n_rows, n_columns)
    # Rows high enough for a label each, so that all panels with the positions have the same.
    high = max(unit, min(side / n_rows, line_height(TICK_SIZE)))
    box = Box(left, top, max(n_columns * unit, SLIMMEST), max(n_rows * high, SLIMMEST))
    grid = Grid.on(sheet, box, matrix.values.shape)
    as_image = too_many(matrix.values.shape)
    draw_matrix(grid, matrix.values, scale, matrix.allowed, as_image=as_image)
    rows, columns = matrix.axes
    label_rows(grid, _labels(rows, n_rows, _row_names(scene, sheet.paper)))
    if columns in _POSITIONS:
        name_columns(grid.axes, layout.columns)
    else:
        label_columns(grid, _labels(columns, n_columns, ()))
    sheet.write(left, top - NAME, in_math(f"{matrix.sign} {matrix.name}".strip()))
    _write_limit(sheet, left, top, f"±{short(scale.high, 3)}" if scale.is_signed else "0 to 1")


def _row_names(scene: Scene, paper: Paper) -> tuple[str, ...]:
    """Return how positions are called beside each panel: briefly where words leave no room."""
    names = paper.row_names(scene)
    is_wanted = paper.width > NARROW or paper.style.labels is Labels.TOKENS
    fits = is_wanted or widest_of(names) < NARROW_SIDE / 3
    return names if fits else positions(scene.n_positions)


def _write_limit(sheet: Sheet, left: float, top: float, limit: str) -> None:
    """Write under the name of a panel what its colours reach."""
    look = {"fontsize": TICK_SIZE, "color": sheet.inks.muted}
    sheet.write(left, top - LIMIT - 0.02, limit, **look)


_POSITIONS = (Axis.QUERY, Axis.KEY)


def _labels(axis: Axis, length: int, names: tuple[str, ...]) -> tuple[str, ...]:
    if axis in _POSITIONS:
        return names
    return positions(length, "d" if axis is Axis.CHANNEL else "")


def _bars(sheet: Sheet, layout: _Layout, index: int) -> None:
    """Put the two colour bars where the last panel would be."""
    left, top = layout.corner(index)
    signed = signed_scale(Paper(sheet.paper.style), "share", np.ones((1, 1)))
    weights = unit_scale(sheet.paper, "weight")
    for start, scale, name in (
        (left, signed, "share of ±"),
        (left + layout.side / 2 + 0.1, weights, "weight"),
    ):
        colour_bar(sheet, Box(start, top, BAR_WIDTH, layout.side), scale)
        _write_limit(sheet, start, top, name)
