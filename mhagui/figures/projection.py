"""The output projection drawn as a product: Concat at the left, W_O above, O where they meet."""

from dataclasses import dataclass
from typing import NamedTuple

from mhagui.document import Scene
from mhagui.figures import matrices
from mhagui.figures.cells import (
    BAND,
    Writing,
    bar_room,
    colour_bar,
    too_many,
    widest_of,
    writing_for,
)
from mhagui.figures.compose import composed
from mhagui.figures.matrices import Matrix, concat, draw, hollow_note, output, w_o
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
from mhagui.figures.paper import EDGE, NARROW, Paper
from mhagui.figures.scales import Scale, signed_scale
from mhagui.figures.subject import Subject

CELL = 0.36  # inches at most
ROOM = 1.3  # what a matrix is given at least, for its title
TALLEST = 6.4  # W_O and O together
TITLE = line_height(TITLE_SIZE) + line_height(TICK_SIZE) + 0.06
LABELS = line_height(TICK_SIZE) + BAND + 0.06
AXIS_LABEL = line_height(LABEL_SIZE) + 0.04
BAR_THICKNESS, BAR_GAP, LEAST_BAR = 0.1, 0.08, 0.6


class _Three(NamedTuple):
    """What there is of each of the three matrices."""

    w_o: Matrix
    concat: Matrix
    output: Matrix


@dataclass(frozen=True)
class _Layout:
    """Where everything is."""

    w_o: Box
    concat: Box
    output: Box
    note: list[str]
    note_top: float
    page: tuple[float, float]


def plan(subject: Subject, paper: Paper) -> Plan:
    """Lay out W_O, Concat and O = Concat · W_O; one by one where the paper is narrow."""
    scene, title = subject.scene, f"{subject.scene.title}: output projection"
    if paper.width < NARROW:
        return composed(title, "", plans(subject, paper), paper)
    three = _Three(w_o(scene), concat(subject, paper), output(subject, paper))
    scales = [signed_scale(paper, matrix.title, matrix.values) for matrix in three]
    layout = _layout(subject, paper, three, scales)
    boxes = layout.w_o, layout.concat, layout.output
    as_image = too_many(*(matrix.values.shape for matrix in three))
    writings = [Writing()] * 3 if as_image else _writings(three, scales, boxes)

    def paint(sheet: Sheet) -> None:
        for box, matrix, scale, writing in zip(boxes, three, scales, writings, strict=True):
            draw(sheet, box, matrix, scale, scene, as_image=as_image, writing=writing)
            bar = Box(box.right + BAR_GAP, box.top, BAR_THICKNESS, max(box.height, LEAST_BAR))
            colour_bar(sheet, bar, scale)
            top = box.top - TITLE
            sheet.write(box.left, top, matrix.title, fontsize=TITLE_SIZE)
            look = {"fontsize": TICK_SIZE, "color": sheet.inks.muted}
            sheet.write(box.left, top + line_height(TITLE_SIZE), in_math(matrix.shape), **look)
        _axis_labels(sheet, layout)
        sheet.write(EDGE, layout.note_top, in_math("\n".join(layout.note)), fontsize=TICK_SIZE)

    caption = (
        f"“{scene.title}”: Concat = [O_1 … O_H], the output projection W_O, and their product O, "
        "each in a scale of its own around 0."
    )
    return Plan(title, caption, *layout.page, paint)


def plans(subject: Subject, paper: Paper) -> list[Plan]:
    """Lay it out as the figures that a page has of it: one, or three on narrow paper."""
    if paper.width >= NARROW:
        return [plan(subject, paper)]
    each = matrices.plan_w_o, matrices.plan_concat, matrices.plan_output
    return [plan_one(subject, paper) for plan_one in each]


def _writings(three: _Three, scales: list[Scale], boxes: tuple[Box, ...]) -> list[Writing]:
    """Return how numbers are written into each: into all of them briefly, where one has to be."""
    each = list(zip(three, scales, boxes, strict=True))
    for briefly in (False, True):
        found = [writing_for([m.values], s, box, briefly=briefly) for m, s, box in each]
        written = {found_one.write for found_one in found}
        if written <= {scale.ways_to_write[0] for scale in scales} or briefly:
            break
    return found


def _layout(subject: Subject, paper: Paper, three: _Three, scales: list[Scale]) -> _Layout:
    longest = paper.roomiest(subject.scene)
    rows = widest_of(paper.row_names(longest))
    left = EDGE + AXIS_LABEL + rows + 0.06
    labels = max(widest_of(three.w_o.rows[-1:]), rows)
    upper, middle, last = (BAR_GAP + BAR_THICKNESS + bar_room(scale, "") for scale in scales)
    between, right = middle + labels + BAND + 0.12, max(upper, last)
    room = paper.width - left - between - right
    inner, outer, above, below = _sizes(longest, room, min(TALLEST, paper.tallest))
    second = left + max(inner, min(ROOM, room / 2)) + between
    upper_end = EDGE + TITLE + max(above, LEAST_BAR)
    lower = upper_end + LABELS + 0.12 + TITLE
    note = wrapped(hollow_note(subject.scene), 3.0, TICK_SIZE)
    note_top = lower + max(below, LEAST_BAR) + LABELS + AXIS_LABEL + 0.04
    return _Layout(
        w_o=Box(second, upper_end - max(above, LEAST_BAR), outer, above),
        concat=Box(left, lower, inner, below),
        output=Box(second, lower, outer, below),
        note=note,
        note_top=note_top,
        page=(
            second + max(outer, min(ROOM, room / 2)) + right,
            note_top + len(note) * line_height(TICK_SIZE) + EDGE,
        ),
    )


def _sizes(scene: Scene, room: float, tallest: float) -> tuple[float, float, float, float]:
    """Return the widths of Concat and O and the heights of W_O and O; square cells if possible."""
    reads, channels, rows = scene.w_o.shape[0], scene.d_model, scene.n_positions
    cell = min(room / (reads + channels), tallest / (reads + rows), CELL)
    if min(reads, channels, rows) * cell >= ROOM or cell >= CELL:
        return reads * cell, channels * cell, reads * cell, rows * cell
    return *_shares(room, reads, channels), *_shares(tallest, reads, rows)


def _shares(room: float, first: int, second: int) -> tuple[float, float]:
    """Share a length between two matrices by their cells, neither less than three tenths."""
    share = min(max(first / (first + second), 0.3), 0.7)
    return min(room * share, first * CELL), min(room * (1 - share), second * CELL)


def _axis_labels(sheet: Sheet, layout: _Layout) -> None:
    rows, below = layout.concat, layout.concat.bottom + LABELS
    sheet.write(EDGE, rows.top + rows.height / 2, "position t", rotation=90, va="center")
    for box, label in ((layout.concat, "head.feature"), (layout.output, "output channel")):
        sheet.write(box.left + box.width / 2, below, label, ha="center")
