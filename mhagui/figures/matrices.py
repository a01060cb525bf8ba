"""Figures of one matrix: the packed projections, W_O, Concat, O, and who listens to whom."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mhagui.document import Scene
from mhagui.document.packed import PackedProjection
from mhagui.document.records import Array
from mhagui.errors import UserError
from mhagui.figures.cells import (
    BAND,
    BAR_GAP,
    BAR_WIDTH,
    Grid,
    Writing,
    bar_room,
    colour_bar,
    draw_bands,
    draw_matrix,
    label_columns,
    label_rows,
    rule_heads,
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
)
from mhagui.figures.panels import AXIS_LABEL
from mhagui.figures.paper import EDGE, Paper
from mhagui.figures.scales import Scale, magnitude_scale, signed_scale
from mhagui.figures.subject import Subject
from mhagui.formats import head_columns, positions
from mhagui.palette import head_colour

CELL = 0.38  # inches at most
TALLEST = 5.0
NARROWEST, LOWEST = 2.4, 1.2
TITLE = line_height(TITLE_SIZE) + line_height(TICK_SIZE) + 0.12
POSITION = "position t"
SLICES = line_height(LABEL_SIZE) + 0.06
LABELS = BAND + line_height(TICK_SIZE) + 0.06
AROUND = EDGE + TITLE + SLICES + LABELS + AXIS_LABEL + EDGE  # inches above and below a matrix


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix with its names; ``per_row`` and ``per_column`` are those of each head, or 0.

    ``slices`` is the letter of the weights whose slices are named above their columns; a
    ``is_magnitude`` matrix has no number below 0.
    """

    values: Array
    title: str
    shape: str
    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, str]
    per_row: int = 0
    per_column: int = 0
    slices: str = ""
    is_magnitude: bool = False


def plan_w_q(subject: Subject, paper: Paper) -> Plan:
    """Lay out the packed W_Q; raises UserError where it does not exist."""
    return _packed(subject, paper, subject.result.packed_queries)


def plan_w_k(subject: Subject, paper: Paper) -> Plan:
    """Lay out the packed W_K; raises UserError where it does not exist."""
    return _packed(subject, paper, subject.result.packed_keys)


def plan_w_v(subject: Subject, paper: Paper) -> Plan:
    """Lay out the packed W_V."""
    return _packed(subject, paper, subject.result.packed_values)


def _packed(subject: Subject, paper: Paper, packed: PackedProjection) -> Plan:
    if packed.why_none is not None:
        raise UserError(packed.why_none)
    letter, scene, per_head = packed.symbol[-1], subject.scene, packed.width
    what = {"Q": "query", "K": "key", "V": "value"}[letter]
    rows, columns = packed.matrix.shape
    heads, numbers = range(1, scene.n_heads + 1), range(1, per_head + 1)
    matrix = Matrix(
        packed.matrix,
        f"Packed $W_{letter}$ = [$W_{letter}^1$ … $W_{letter}^H$]",
        f"d_model × H·d_{'v' if letter == 'V' else 'k'} = {rows} × {columns}",
        positions(rows, "x"),
        [f"h{head}.{letter.lower()}{number}" for head in heads for number in numbers],
        ("input feature", f"{what} dimension"),
        per_column=per_head,
        slices=letter,
    )
    caption = (
        f"The packed {packed.symbol} of “{scene.title}”: rows are features of X, columns {what} "
        "dimensions; each head owns the slice above its band."
    )
    return _plan(subject, paper, matrix, f"packed {packed.symbol}", caption, everyone=True)


def plan_w_o(subject: Subject, paper: Paper) -> Plan:
    """Lay out W_O."""
    caption = (
        f"The output projection W_O of “{subject.scene.title}”: rows are columns of Concat, in the "
        "heads' bands; columns are output channels."
    )
    return _plan(subject, paper, w_o(subject.scene), "W_O", caption)


def plan_concat(subject: Subject, paper: Paper) -> Plan:
    """Lay out Concat."""
    caption = (
        f"Concat = [O_1 … O_H] of “{subject.scene.title}”: rows are positions, columns the "
        "features of the heads' outputs, in their bands."
    )
    return _plan(subject, paper, concat(subject, paper), "Concat", caption)


def plan_output(subject: Subject, paper: Paper) -> Plan:
    """Lay out O."""
    caption = (
        f"The output O = Concat·W_O{' + b_O' if subject.scene.b_o is not None else ''} of "
        f"“{subject.scene.title}”: rows are positions, columns output channels."
    )
    return _plan(subject, paper, output(subject, paper), "output", caption)


def plan_listening(subject: Subject, paper: Paper) -> Plan:
    """Lay out how much each output channel hears of each head."""
    scene = subject.scene
    matrix = Matrix(
        subject.result.listening,
        "Listening: ‖column j of $W_O^{(h)}$‖",
        f"d_model × H = {scene.d_model} × {scene.n_heads}",
        positions(scene.d_model, "d"),
        positions(scene.n_heads, "h"),
        ("output channel", "head"),
        per_column=1,
        is_magnitude=True,
    )
    caption = (
        f"How much each output channel of “{scene.title}” hears of each head: the norm of the "
        "channel's column of that head's rows of W_O."
    )
    return _plan(subject, paper, matrix, "listening", caption)


def w_o(scene: Scene) -> Matrix:
    """Return W_O with its names."""
    reads, channels = scene.w_o.shape
    return Matrix(
        scene.w_o,
        "$W_O$",
        f"H·d_v × d_model = {reads} × {channels}",
        head_columns(scene.n_heads, scene.d_v),
        positions(channels, "d"),
        ("head.feature", "output channel"),
        per_row=scene.d_v,
    )


def concat(subject: Subject, paper: Paper) -> Matrix:
    """Return Concat with its names."""
    scene, values = subject.scene, subject.result.concat
    return Matrix(
        values,
        "Concat",
        f"T × H·d_v = {values.shape[0]} × {values.shape[1]}",
        paper.row_names(scene),
        head_columns(scene.n_heads, scene.d_v),
        (POSITION, "head.feature"),
        per_column=scene.d_v,
    )


def output(subject: Subject, paper: Paper) -> Matrix:
    """Return O with its names."""
    values, has_bias = subject.result.output, subject.scene.b_o is not None
    return Matrix(
        values,
        "O = Concat · $W_O$" + " + $b_O$" * has_bias,
        f"T × d_model = {values.shape[0]} × {values.shape[1]}",
        paper.row_names(subject.scene),
        positions(values.shape[1], "d"),
        (POSITION, "output channel"),
    )


def draw(
    sheet: Sheet,
    box: Box,
    matrix: Matrix,
    scale: Scale,
    scene: Scene,
    *,
    as_image: bool,
    everyone: bool = False,
    writing: Writing | None = None,
) -> None:
    """Draw a matrix in ``box`` with its labels and bands, hollow for heads that are not active.

    Those of ``everyone`` are filled where it matters not who is.
    """
    grid = Grid.on(sheet, box, matrix.values.shape)
    draw_matrix(grid, matrix.values, scale, as_image=as_image, writing=writing)
    label_rows(grid, matrix.rows, matrix.per_row)
    label_columns(grid, matrix.columns, matrix.per_column)
    colours = [head_colour(head.uid) for head in scene.heads]
    active = [True] * scene.n_heads if everyone else scene.active
    for per_head, below in ((matrix.per_row, False), (matrix.per_column, True)):
        if per_head:
            draw_bands(grid, colours, per_head, below=below, active=active)
            rule_heads(grid, scene.n_heads, per_head, columns=below)


def hollow_note(scene: Scene) -> str:
    """Return what a hollow band means, and which there are; empty when all heads reach W_O."""
    silent = [f"h{number}" for number, active in enumerate(scene.active, 1) if not active]
    return f"Hollow bands: muted before W_O ({', '.join(silent)})" if silent else ""


def _plan(
    subject: Subject,
    paper: Paper,
    matrix: Matrix,
    name: str,
    caption: str,
    *,
    everyone: bool = False,
) -> Plan:
    scene, values = subject.scene, matrix.values
    scale_of = magnitude_scale if matrix.is_magnitude else signed_scale
    scale = scale_of(paper, matrix.title, values)
    at_positions = matrix.axes[0] == POSITION
    rows = paper.row_names(paper.roomiest(scene)) if at_positions else matrix.rows
    left = EDGE + AXIS_LABEL + BAND + widest_of(rows) + 0.06
    bar = BAR_GAP + BAR_WIDTH + bar_room(scale, "value")
    n_columns = values.shape[1]
    tallest = min(paper.tallest, (paper.height or math.inf) - AROUND)
    width, height = _size(len(rows), n_columns, paper.width - left - bar, tallest)
    box = Box(left, EDGE + TITLE + (SLICES if matrix.slices else 0.0), width, height)
    labels = box.bottom + LABELS
    note = "" if everyone else hollow_note(scene) * bool(matrix.per_row or matrix.per_column)
    end = labels + AXIS_LABEL + EDGE + (line_height(TICK_SIZE) if note else 0.0)

    def paint(sheet: Sheet) -> None:
        as_image = too_many(values.shape)
        draw(sheet, box, matrix, scale, scene, as_image=as_image, everyone=everyone)
        if matrix.slices:
            _name_slices(sheet, box, matrix, scene.n_heads)
        sheet.write(left, EDGE, matrix.title, fontsize=TITLE_SIZE)
        under = EDGE + line_height(TITLE_SIZE) + 0.05
        look = {"fontsize": TICK_SIZE, "color": sheet.inks.muted}
        sheet.write(left, under, in_math(matrix.shape), **look)
        middle = box.top + height / 2
        sheet.write(EDGE, middle, matrix.axes[0], rotation=90, va="center")
        sheet.write(left + width / 2, labels, matrix.axes[1], ha="center")
        sheet.write(EDGE, labels + AXIS_LABEL, in_math(note), fontsize=TICK_SIZE)
        beside = Box(box.right + BAR_GAP, box.top, BAR_WIDTH, height)
        colour_bar(sheet, beside, scale, "value")

    return Plan(f"{scene.title}: {name}", caption, left + width + bar, end, paint)


def _size(rows: int, columns: int, room: float, tallest: float) -> tuple[float, float]:
    cell = min(room / columns, min(tallest, TALLEST) / rows, CELL)
    return min(max(columns * cell, NARROWEST), room), max(rows * cell, LOWEST)


def _name_slices(sheet: Sheet, box: Box, matrix: Matrix, n_heads: int) -> None:
    """Write W^h over each head's slice, over every second or fifth one where they would touch."""
    width = box.width / n_heads
    step = next(step for step in (1, 2, 5, 10, 32) if step * width > 0.42 or step == 32)
    for head in range(0, n_heads, step):
        name = f"$W_{matrix.slices}^{{{head + 1}}}$"
        middle = box.left + (head + 0.5) * width
        sheet.write(middle, box.top - 0.05, name, ha="center", va="bottom")
