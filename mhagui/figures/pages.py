"""Pages of several figures: the lesson's, and a summary of a scene."""

import math
from collections.abc import Sequence

from mhagui.document import HeadResult, Result, Scene
from mhagui.document.filter_bank import SHORT_IDENTITY, residual_text
from mhagui.figure_names import FACTS, PANELS
from mhagui.figures import entropy, filter_bank, heads, impulse, matrices, projection
from mhagui.figures.compose import GAP, composed
from mhagui.figures.page import (
    HEADING_SIZE,
    TICK_SIZE,
    Plan,
    Sheet,
    in_math,
    line_height,
    state_of,
    text_width,
    wrapped,
)
from mhagui.figures.panels import FEW, FEW_IN_PART
from mhagui.figures.paper import EDGE, Paper
from mhagui.figures.subject import Subject
from mhagui.formats import fixed, short

COLUMN_GAP = 0.13  # inches between columns of the table
NAME_WIDTH, LEAST_NAME = 2.0, 0.6  # inches of a name in it, at most and at least
WIDE = 6.0  # inches of paper, from which two figures are side by side
HALF, MATRICES, STEMS = 1.8, 3.25, 0.8  # inches of cells or axes, so that all fit on an A4 page
COLUMN, MOST_COLUMN = 1.3, 1.9  # inches of one panel with its labels, at least and at most
OF_SLIDE = 0.6  # of the width of a slide, for figures that would else be a row
COLUMN_TALL = 2.4  # inches of the axes of panels below one another
MOST_ROWS = 16  # heads of the table
TABLE_TITLES = ("", "head", "gain", "rank", "eff. rank", "mean bits", "eff. positions")


def plan_lesson(subject: Subject, paper: Paper) -> Plan:
    """Lay out the weights, the packed W_Q where there is one, the output projection, and row t."""
    matrices_of_o = projection.plans(subject, paper.part(MATRICES))
    plans = {
        "heads": [heads.plan_weights(subject, _of_heads(subject, paper))],
        "projection": matrices_of_o,
        "impulse": [impulse.plan(subject, _beside(matrices_of_o, subject, paper))],
    }
    if subject.result.packed_queries.why_none is None:
        plans["packed-wq"] = [matrices.plan_w_q(subject, _half(paper))]
    ordered = [plan for panel in PANELS["lesson"] for plan in plans.get(panel, ())]
    return composed(f"{subject.scene.title}: the lesson's figures", "", ordered, paper)


def plan_summary(subject: Subject, paper: Paper) -> Plan:
    """Lay out what a scene is, in numbers and in its main figures."""
    plans = {
        FACTS: _facts(subject, paper),
        "heads": heads.plan_weights(subject, _of_heads(subject, paper)),
        "entropy": entropy.plan(subject, _half(paper)),
        "impulse": impulse.plan(subject, _row(paper)),
        "filter-bank": filter_bank.plan(subject, _row(paper)),
    }
    title = f"{subject.scene.title}: summary"
    return composed(title, "", [plans[panel] for panel in PANELS["summary"]], paper)


def _of_heads(subject: Subject, paper: Paper) -> Paper:
    """Return the paper of one panel for each head: all of it where there are many.

    A row of two is low, and has as much of a slide as other rows.
    """
    if paper.height is not None and subject.scene.n_heads <= 2:
        return _row(paper)
    return _half(paper) if subject.scene.n_heads <= FEW else paper.part(math.inf)


def _beside(others: Sequence[Plan], subject: Subject, paper: Paper) -> Paper:
    """Return the paper beside one other figure, one panel below the other, if there is room."""
    rest = paper.width - max(plan.width for plan in others) - GAP
    is_fit = len(others) == 1 and rest >= COLUMN and subject.scene.n_heads <= FEW_IN_PART
    share = min(rest, MOST_COLUMN) / paper.width
    return paper.part(COLUMN_TALL, share) if is_fit else paper.part(STEMS)


def _row(paper: Paper) -> Paper:
    """Return the paper of a row of panels; of a slide, where rows are beside one another, less."""
    return paper.part(STEMS) if paper.height is None else paper.part(MATRICES, OF_SLIDE)


def _half(paper: Paper) -> Paper:
    """Return the paper of one of two figures side by side, where there is room for two."""
    share = (paper.width - GAP) / 2 / paper.width
    return paper.part(HALF, share) if paper.width > WIDE else paper.part(MATRICES)


def _facts(subject: Subject, paper: Paper) -> Plan:
    """Lay out the scene's name and sizes, and a table of its heads."""
    scene, result = subject.scene, subject.result
    is_titled = paper.style.title  # above all, and not a second time here
    rows = [TABLE_TITLES, *_rows(result, paper)]
    lefts = _lefts(rows)
    width = max(paper.width, lefts[-1]) if paper.height is None else lefts[-1]
    title = [] if is_titled else wrapped(scene.title, width - 2 * EDGE, HEADING_SIZE)
    sizes = wrapped(_sizes(scene, result), width - 2 * EDGE, TICK_SIZE)
    top = EDGE + len(title) * line_height(HEADING_SIZE) + 0.04
    table = top + len(sizes) * line_height(TICK_SIZE) + 0.08
    line = 1.15 * line_height(TICK_SIZE)

    def paint(sheet: Sheet) -> None:
        look = {"fontsize": HEADING_SIZE, "fontweight": "bold", "parse_math": False}
        sheet.write(EDGE, EDGE, "\n".join(title), **look)
        look = {"fontsize": TICK_SIZE, "color": sheet.inks.muted}
        sheet.write(EDGE, top, in_math("\n".join(sizes)), **look)
        for number, row in enumerate(rows):
            _write_row(sheet, row, lefts, table + number * line, is_title=number == 0)

    end = table + len(rows) * line + EDGE
    return Plan(scene.title, "", width, end, paint)


def _sizes(scene: Scene, result: Result) -> str:
    return (
        f"T = {scene.n_positions}, H = {scene.n_heads}, d_model = {scene.d_model}, "
        f"d_k = {scene.d_k}, d_v = {scene.d_v}, master gain {short(scene.master_gain)}. "
        f"{SHORT_IDENTITY} = {residual_text(result)}"
    )


def _rows(result: Result, paper: Paper) -> list[Sequence[str]]:
    """Return the rows of the table, the heads' names cut to what the numbers leave of the width."""
    heads = result.heads[:MOST_ROWS]
    numbers = _numbers(heads)
    rest = _lefts([("h32", "", *TABLE_TITLES[2:]), *numbers])[-1] - COLUMN_GAP + EDGE
    room = min(NAME_WIDTH, max(paper.width - rest, LEAST_NAME))
    names = [_cut(head.head.name, state_of(head), room) for head in heads]
    rows: list[Sequence[str]] = [
        (row[0], name, *row[2:]) for row, name in zip(numbers, names, strict=True)
    ]
    more = len(result.heads) - MOST_ROWS
    return [*rows, ("", f"and {more} more", *5 * [""])] if more > 0 else rows


def _numbers(heads: Sequence[HeadResult]) -> list[Sequence[str]]:
    return [
        (
            f"h{number}",
            "",
            short(head.gain),
            head.score_rank_text,
            fixed(head.effective_rank, 2),
            fixed(head.mean_row_entropy_bits),
            fixed(head.mean_effective_positions, 2),
        )
        for number, head in enumerate(heads, 1)
    ]


def _cut(name: str, state: str, room: float) -> str:
    """Return a name with its state, the name cut to so many inches of both."""
    shown, end = name, ""
    while shown and text_width(f"{shown}{end}{state}") > room:
        shown, end = shown[:-1].rstrip(), "…"
    return f"{shown}{end}{state}"


def _lefts(rows: Sequence[Sequence[str]]) -> list[float]:
    """Return where the columns begin."""
    lefts = [EDGE]
    for column in range(len(TABLE_TITLES)):
        widest = max(text_width(row[column]) for row in rows)
        lefts.append(lefts[-1] + widest + COLUMN_GAP)
    return lefts


def _write_row(
    sheet: Sheet, row: Sequence[str], lefts: Sequence[float], top: float, *, is_title: bool
) -> None:
    """Write a row of the table: words at the left of their columns, numbers at the right."""
    ink = sheet.inks.muted if is_title else sheet.inks.ink
    look = {"fontsize": TICK_SIZE, "color": ink, "parse_math": False}
    for column, text in enumerate(row):
        if column < 2:
            sheet.write(lefts[column], top, text, **look)
        else:
            sheet.write(lefts[column + 1] - COLUMN_GAP, top, text, ha="right", **look)
