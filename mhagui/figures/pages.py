"""Pages of several figures: the lesson's four, and a summary of a scene."""

from collections.abc import Sequence
from dataclasses import replace

from mhagui.document import Result, Scene
from mhagui.document.filter_bank import SHORT_IDENTITY, residual_text
from mhagui.figures import entropy, filter_bank, heads, impulse, matrices, projection
from mhagui.figures.compose import GAP, composed
from mhagui.figures.page import (
    HEADING_SIZE,
    TICK_SIZE,
    Plan,
    Sheet,
    line_height,
    state_of,
    text_width,
    wrapped,
)
from mhagui.figures.paper import EDGE, Paper
from mhagui.figures.subject import Subject
from mhagui.formats import fixed, short

COLUMN_GAP = 0.16  # inches between columns of the table
WIDE = 6.0  # inches of paper, from which two figures are side by side
MOST_ROWS = 16  # heads of the table
TABLE_TITLES = ("", "head", "gain", "rank", "eff. rank", "mean bits", "eff. positions")


def plan_lesson(subject: Subject, paper: Paper) -> Plan:
    """Lay out the weights, the packed W_Q where there is one, the output projection, and row t."""
    half = _half(paper)
    plans = [heads.plan_weights(subject, half)]
    if subject.result.packed_queries.why_none is None:
        plans.append(matrices.plan_w_q(subject, half))
    plans += [projection.plan(subject, paper), impulse.plan(subject, paper)]
    return composed(f"{subject.scene.title}: the lesson's figures", "", plans, paper)


def plan_summary(subject: Subject, paper: Paper) -> Plan:
    """Lay out what a scene is, in numbers and in its main figures."""
    half = _half(paper)
    plans = [
        _facts(subject, paper),
        heads.plan_weights(subject, half),
        entropy.plan(subject, half),
        impulse.plan(subject, paper),
        filter_bank.plan(subject, paper),
    ]
    title = f"{subject.scene.title}: summary"
    return composed(title, "", plans, paper)


def _half(paper: Paper) -> Paper:
    """Return the paper of one of two figures side by side, where there is room for two."""
    share = (paper.width - GAP) / 2 / paper.width
    return replace(paper, share=share) if paper.width > WIDE else paper


def _facts(subject: Subject, paper: Paper) -> Plan:
    """Lay out the scene's name and sizes, and a table of its heads."""
    scene, result = subject.scene, subject.result
    title = wrapped(scene.title, paper.width - 2 * EDGE, HEADING_SIZE)
    sizes = wrapped(_sizes(scene, result), paper.width - 2 * EDGE, TICK_SIZE)
    rows = [TABLE_TITLES, *_rows(result)]
    top = EDGE + len(title) * line_height(HEADING_SIZE) + 0.04
    table = top + len(sizes) * line_height(TICK_SIZE) + 0.08
    line = 1.15 * line_height(TICK_SIZE)
    lefts = _lefts(rows)

    def paint(sheet: Sheet) -> None:
        look = {"fontsize": HEADING_SIZE, "fontweight": "bold", "parse_math": False}
        sheet.write(EDGE, EDGE, "\n".join(title), **look)
        sheet.write(EDGE, top, "\n".join(sizes), fontsize=TICK_SIZE, color=sheet.inks.muted)
        for number, row in enumerate(rows):
            _write_row(sheet, row, lefts, table + number * line, is_title=number == 0)

    end = table + len(rows) * line + EDGE
    return Plan(scene.title, "", paper.width, end, paint)


def _sizes(scene: Scene, result: Result) -> str:
    return (
        f"T = {scene.n_positions}, H = {scene.n_heads}, d_model = {scene.d_model}, "
        f"d_k = {scene.d_k}, d_v = {scene.d_v}, master gain {short(scene.master_gain)}. "
        f"{SHORT_IDENTITY} = {residual_text(result)}"
    )


def _rows(result: Result) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = [
        (
            f"h{number}",
            f"{head.head.name}{state_of(head)}"[:28],
            short(head.gain),
            str(head.score_rank),
            fixed(head.effective_rank, 2),
            fixed(head.mean_row_entropy_bits),
            fixed(head.mean_effective_positions, 2),
        )
        for number, head in enumerate(result.heads[:MOST_ROWS], 1)
    ]
    more = len(result.heads) - MOST_ROWS
    return [*rows, ("", f"and {more} more", *5 * [""])] if more > 0 else rows


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
