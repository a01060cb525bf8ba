"""The filter bank: every head's term, their sum, Concat·W_O, and what zeroing a head changes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from matplotlib.patches import Rectangle

from mhagui.document import Result, Scene
from mhagui.document.filter_bank import (
    SHORT_IDENTITY,
    FilterBank,
    ablation_sites,
    filter_bank,
    residual_text,
)
from mhagui.figures.cells import (
    BAR_GAP,
    BAR_WIDTH,
    LABELS_BELOW,
    Grid,
    Writing,
    bar_room,
    colour_bar,
    draw_matrix,
    label_columns,
    label_rows,
    too_many,
    widest_of,
    writing_for,
)
from mhagui.figures.page import (
    LABEL_SIZE,
    TICK_SIZE,
    Box,
    Plan,
    Sheet,
    in_math,
    line_height,
    round_ticks,
    text_width,
    wrapped,
)
from mhagui.figures.panels import (
    AXIS_LABEL,
    OUTSIDE_GAP,
    Panels,
    best_of,
    head_name,
    is_roomy,
    wrapped_names,
)
from mhagui.figures.paper import EDGE, Paper
from mhagui.figures.scales import signed_scale
from mhagui.figures.subject import Subject
from mhagui.formats import positions, short, significant
from mhagui.palette import head_colour

CELL = 0.38  # inches at most
SMALLEST_WIDTH, SMALLEST_HEIGHT, LEAST_WIDTH = 1.8, 0.35, 0.6
UNDER = line_height(TICK_SIZE) + 0.03  # a norm below a name
CHART_HEIGHT, CHART_GAP = 0.6, 0.35
TALL_CELL, TALL_CHART = 1.75, 1.2  # times as high as wide, and inches, where a slide has room
USUAL_LABEL = "0.000"  # beside a chart: it stays where it is while numbers change
BAR_LABEL = "value, all panels"
NORMS = "Norm of what each head adds"
MUTED = " (hollow: would add, but is muted)"
CHANGES = "Largest change of O when the head is zeroed before W_O (filled) and after it (hollow)"
CHANGES_BEFORE = "Largest change of O when the head is zeroed before W_O"


@dataclass(frozen=True, eq=False)
class Chart:
    """A bar chart over the heads: filled bars, and hollow ones in their place or ``beside``."""

    title: str
    filled: Sequence[float | None]
    hollow: Sequence[float | None]
    beside: bool

    @property
    def most(self) -> float:
        """The largest bar; 1 where all are 0."""
        return max([value or 0.0 for value in (*self.filled, *self.hollow)]) or 1.0

    @property
    def most_text(self) -> str:
        """The largest bar as the axis has it."""
        return short(self.most, 3)


def plan(subject: Subject, paper: Paper) -> Plan:
    """Lay out the terms, their sum and Concat·W_O; the row asked for is framed."""
    bank = filter_bank(subject.result)
    charts = _charts(subject.scene, subject.result, bank)
    return best_of(subject.scene.n_heads + 2, paper, partial(_plan, subject, paper, bank, charts))


def _plan(
    subject: Subject, paper: Paper, bank: FilterBank, charts: tuple[Chart, Chart], n_columns: int
) -> Plan:
    scene, result = subject.scene, subject.result
    matrices = [*bank.terms, bank.sums[-1], result.output]
    scale = signed_scale(paper, "terms", *matrices)
    for label in (BAR_LABEL, BAR_LABEL.replace(" ", "\n", 1)):  # in two lines beside a short bar
        bar = BAR_GAP + BAR_WIDTH + bar_room(scale, label)
        panels = _panels(subject, paper, n_columns, bar)
        if widest_of([label]) * LABEL_SIZE / TICK_SIZE <= panels.inside.height:
            break
    norms = [*bank.norms, *(float(np.linalg.norm(matrix)) for matrix in matrices[-2:])]
    width = panels.right + bar
    identity = f"{SHORT_IDENTITY} = {residual_text(result)}"
    note = wrapped(identity, width - 2 * EDGE, TICK_SIZE)
    below = len(note) * line_height(TICK_SIZE) + EDGE
    _, end = _chart_boxes(charts, panels.end + AXIS_LABEL + 0.12, width)
    panels, chart_height = _filling(panels, (paper.height or 0.0) - end - below)
    boxes, charts_bottom = _chart_boxes(charts, panels.end + AXIS_LABEL + 0.12, width, chart_height)
    as_image = too_many(*(matrix.shape for matrix in matrices))
    writing = Writing() if as_image else writing_for(matrices, scale, panels.box(0))

    def paint(sheet: Sheet) -> None:
        for index, matrix in enumerate(matrices):
            grid = Grid.on(sheet, panels.box(index), matrix.shape)
            draw_matrix(grid, matrix, scale, as_image=as_image, writing=writing)
            label_rows(grid, paper.row_names(scene))
            label_columns(grid, positions(grid.n_columns, "d"))
            panels.keep_labels(grid.axes, index)
            _frame(grid, subject.row)
            is_heard = index >= scene.n_heads or result.heads[index].active
            panels.write_name(sheet, index, muted=not is_heard)
            _write_norm(sheet, panels.box(index), norms[index])
        panels.write_axes(sheet, "position t", "output channel")
        inside = panels.inside
        beside = Box(panels.right + BAR_GAP, inside.top, BAR_WIDTH, inside.height)
        colour_bar(sheet, beside, scale, label)
        for chart, box in zip(charts, boxes, strict=True):
            _draw_chart(sheet, box, chart, scene)
        sheet.write(EDGE, charts_bottom, in_math("\n".join(note)), fontsize=TICK_SIZE)

    caption = (
        f"The filter bank of “{scene.title}”: what each head adds to the output, the sum of these "
        "terms, and Concat·W_O, in one scale around 0. "
        + (f"Row t{subject.row + 1} is framed. " if subject.row is not None else "")
        + "Below: the norm of each term, and how much the output changes without a head."
    )
    end = charts_bottom + below
    return Plan(f"{scene.title}: filter bank", caption, width, end, paint)


def _filling(panels: Panels, spare: float) -> tuple[Panels, float]:
    """Return the panels, and the height of the charts, so that they take ``spare`` inches more.

    Cells become higher than wide for it, but no more than so; what is left is for the charts.
    """
    if spare <= 0:
        return panels, CHART_HEIGHT
    grown = min((TALL_CELL - 1) * panels.height, spare / panels.n_rows)
    rest = spare - panels.n_rows * grown
    return replace(panels, height=panels.height + grown), min(CHART_HEIGHT + rest, TALL_CHART)


def _panels(subject: Subject, paper: Paper, n_columns: int, bar: float) -> Panels:
    """Return where the panels are, beside which the colour bar takes ``bar`` inches."""
    scene, n_panels = paper.roomiest(subject.scene), subject.scene.n_heads + 2
    labels = widest_of(paper.row_names(scene)) + 0.06
    left = EDGE + AXIS_LABEL + labels
    roomy = is_roomy(n_columns, paper)
    gap = 0.18 + labels if roomy else OUTSIDE_GAP
    room = paper.width - left - (n_columns - 1) * gap - bar
    width = min(room / n_columns, max(CELL * scene.d_model, SMALLEST_WIDTH))
    width = max(width, LEAST_WIDTH)  # where there is no room, all is made smaller
    height = width * scene.n_positions / scene.d_model  # square cells, where they can be
    height = max(min(height, width, paper.tallest), SMALLEST_HEIGHT)
    names = [head_name(number, head) for number, head in enumerate(subject.result.heads, 1)]
    total = f"Σ of {scene.n_heads} terms" if scene.n_heads > 1 else "Σ of 1 term"
    lines = wrapped_names([*names, total, "Concat·W_O"], width, roomy=roomy)
    return Panels(n_panels, n_columns, width, height, left, gap, lines, roomy, under=UNDER)


def _frame(grid: Grid, row: int | None) -> None:
    if row is not None:
        ink = grid.sheet.inks.ink
        frame = Rectangle((0, row), grid.n_columns, 1, fill=False, edgecolor=ink, zorder=5)
        frame.set(linewidth=grid.sheet.pt(1.0), clip_on=False)
        grid.axes.add_patch(frame)


def _write_norm(sheet: Sheet, box: Box, norm: float) -> None:
    look = {"fontsize": TICK_SIZE, "color": sheet.inks.muted}
    text = f"norm {significant(norm, 3) if norm else '0'}"
    sheet.write(box.left, box.top - 0.02 - UNDER, text, **look)


def _charts(scene: Scene, result: Result, bank: FilterBank) -> tuple[Chart, Chart]:
    """Return what each head adds, and how much O changes when it is zeroed at either site."""
    sites = [ablation_sites(scene, result, head) for head in range(scene.n_heads)]
    before = [site.change_before for site in sites]
    after = [site.change_after for site in sites if site.change_after is not None]
    both = zip(bank.norms, bank.norms_heard, strict=True)
    added = [norm if norm > 0 else None for norm in bank.norms]
    could = [None if norm > 0 else heard for norm, heard in both]
    changes = CHANGES if after else CHANGES_BEFORE
    norms = NORMS + MUTED * any(could)
    return Chart(norms, added, could, beside=False), Chart(changes, before, after, beside=True)


def _chart_boxes(
    charts: Sequence[Chart], top: float, width: float, height: float = CHART_HEIGHT
) -> tuple[list[Box], float]:
    """Return where the charts stand below ``top``, side by side, and where their labels end."""
    labels = [max(map(text_width, (chart.most_text, USUAL_LABEL))) + 0.06 for chart in charts]
    room = (width - 2 * EDGE - sum(labels) - CHART_GAP) / len(charts)
    lines = max(len(wrapped(chart.title, room, TICK_SIZE)) for chart in charts)
    top += lines * line_height(TICK_SIZE) + 0.06
    lefts = EDGE + labels[0], EDGE + sum(labels) + room + CHART_GAP
    boxes = [Box(left, top, room, height) for left in lefts]
    return boxes, top + height + LABELS_BELOW + 0.06


def _draw_chart(sheet: Sheet, box: Box, chart: Chart, scene: Scene) -> None:
    """Draw a filled and a hollow bar for each head that has one, as parts of the largest."""
    axes = sheet.place(box)
    axes.set_xlim(0, scene.n_heads)
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 1], labels=["0", chart.most_text])
    widest = text_width(f"h{scene.n_heads}") + 0.08
    numbers = round_ticks(scene.n_heads, max(int(box.width / widest), 1))
    axes.set_xticks([number - 0.5 for number in numbers], [f"h{number}" for number in numbers])
    axes.tick_params(length=0)
    for side, spine in axes.spines.items():
        spine.set(visible=side in ("left", "bottom"), edgecolor=sheet.inks.rule)
    wide, offset = (0.34, 0.36) if chart.beside else (0.7, 0.0)
    for bars, left in ((chart.filled, 0.15), (chart.hollow, 0.15 + offset)):
        for head, value in enumerate(bars):
            if value is None:
                continue
            colour = head_colour(scene.heads[head].uid)
            bar = Rectangle((head + left, 0), wide, value / chart.most, clip_on=False, zorder=3)
            face = colour if bars is chart.filled else sheet.inks.ground
            bar.set(facecolor=face, edgecolor=colour, linewidth=sheet.pt(0.8))
            axes.add_patch(bar)
    lines = wrapped(chart.title, box.width, TICK_SIZE)
    top = box.top - 0.06 - len(lines) * line_height(TICK_SIZE)
    sheet.write(box.left, top, in_math("\n".join(lines)), fontsize=TICK_SIZE)
