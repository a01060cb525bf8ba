"""What the heads tell of the next token, and what two of them tell twice."""

import itertools
import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from mhagui.document import Result, Scene
from mhagui.document.information import (
    MOST_REPORTED_HEADS,
    InformationStudy,
    study_divergences,
    study_information,
)
from mhagui.document.records import Array
from mhagui.document.response import shown_row
from mhagui.document.token_source import TokenSource
from mhagui.figures.cells import (
    BAND,
    Grid,
    bar_room,
    colour_bar,
    draw_bands,
    draw_matrix,
    label_columns,
    label_rows,
)
from mhagui.figures.page import (
    FILL,
    LABEL_SIZE,
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    Plan,
    Sheet,
    dress,
    in_math,
    line_height,
    state_of,
    text_width,
    wrapped,
)
from mhagui.figures.paper import EDGE, NARROW, Paper
from mhagui.figures.scales import Scale, signed_scale, unit_scale
from mhagui.figures.subject import Subject
from mhagui.formats import fixed, positions, short
from mhagui.palette import head_colour

BARS_WIDTH, BAR_HEIGHT = 3.2, 0.2
NAME_WIDTH = 2.2
NUMBER_WIDTH = 0.4
CELL, TALLEST = 0.5, 2.7  # inches: of a cell, and of a matrix, at most
TITLE = line_height(TITLE_SIZE) + line_height(TICK_SIZE) + 0.06
LABELS = line_height(TICK_SIZE) + BAND + 0.06
BAR_THICKNESS, LEAST_BAR = 0.13, 0.8
LEAST_ROOM = 1.9  # inches of a matrix with its bar, for its title


def plan_information(subject: Subject, paper: Paper) -> Plan:
    """Lay out I(X_{t+1}; o_t) of every head at row t."""
    scene, result = subject.scene, subject.result
    study = study_information(scene, result, shown_row(scene, subject.row))
    room = min(NAME_WIDTH, 0.4 * paper.width)
    names = [
        wrapped(f"h{number} {head.head.name}{state_of(head)}", room, TICK_SIZE)
        for number, head in enumerate(result.heads, 1)
    ]
    left = EDGE + max(text_width(line) for lines in names for line in lines) / FILL + 0.08
    bars = min(BARS_WIDTH, paper.width - left - NUMBER_WIDTH - EDGE)
    width = left + bars + NUMBER_WIDTH + EDGE
    told = _told(study, width)
    top = EDGE + line_height(TITLE_SIZE) + len(told) * line_height(TICK_SIZE) + 0.06
    step = max(BAR_HEIGHT, max(map(len, names)) * line_height(TICK_SIZE) + 0.02)
    end = top + step * len(names) + 2 * line_height(LABEL_SIZE) + 0.1 + EDGE

    def paint(sheet: Sheet) -> None:
        title = f"$I(X_{{t+1}}; o_t)$ at t = {study.row + 1}"
        sheet.write(EDGE, EDGE, title, fontsize=TITLE_SIZE)
        _note(sheet, EDGE + line_height(TITLE_SIZE), told)
        axes = sheet.place(Box(left, top, bars, step * len(names)))
        _bars(axes, sheet, result, study)
        axes.set_yticks(np.arange(len(names)), ["\n".join(lines) for lines in names])
        for label in axes.get_yticklabels():
            label.set_parse_math(False)

    caption = (
        f"How many bits of the next token the output of each head of “{scene.title}” tells at row "
        f"t{study.row + 1}; the line is what the whole past tells."
    )
    return Plan(f"{scene.title}: information", caption, width, end, paint)


def plan_redundancy(subject: Subject, paper: Paper) -> Plan:
    """Lay out the divergence, and redundancy minus synergy at row t, of each two heads."""
    scene, result = subject.scene, subject.result
    study = study_information(scene, result, shown_row(scene, subject.row))
    divergences, balance = study_divergences(result), _balances(study)
    scales = unit_scale(paper, "bits"), signed_scale(paper, "balance", balance)
    n_rows, n_all = len(divergences.rows), scene.n_positions
    rows = "all rows" if n_rows == n_all else f"{n_rows} rows of {n_all}"
    balanced = f"$I_a + I_b - I_{{ab}}$ at t = {study.row + 1}"
    left = EDGE + text_width(f"h{scene.n_heads}") + 0.1
    bars = [0.1 + BAR_THICKNESS + bar_room(scale, "") for scale in scales]
    is_wide = paper.width > NARROW
    room = (paper.width - left) / 2 if is_wide else paper.width
    side = min(TALLEST, room - left - max(bars))
    sides = [min(CELL * len(matrix), side) for matrix in (divergences.bits, balance)]
    heights = [EDGE + TITLE + max(length, LEAST_BAR) + LABELS for length in sides]
    if is_wide:
        second, below = left + max(sides[0] + bars[0], LEAST_ROOM) + left, 0.0
        width, note = second + max(sides[1] + bars[1], LEAST_ROOM), max(heights) + 0.06
    else:
        second, below = left, heights[0]
        width, note = paper.width, sum(heights) + 0.06
    told = _told(study, width)

    def paint(sheet: Sheet) -> None:
        first, other = sheet.moved(left, EDGE), sheet.moved(second, EDGE + below)
        for part, matrix, scale, length, title, measure in (
            (first, divergences.bits, scales[0], sides[0], DIVERGENCE, f"mean over {rows}"),
            (other, balance, scales[1], sides[1], BALANCE, balanced),
        ):
            part.write(0.0, 0.0, title, fontsize=TITLE_SIZE)
            look = {"fontsize": TICK_SIZE, "color": sheet.inks.muted}
            part.write(0.0, line_height(TITLE_SIZE), measure, **look)
            _matrix(part, Box(0.0, TITLE, length, length), matrix, scale, scene)
        _note(sheet, note, told)

    caption = (
        f"Pairs of heads of “{scene.title}”: Jensen–Shannon divergence of their weights, and the "
        "redundancy minus synergy of what their outputs tell of the next token; crossed where it "
        "is not defined."
    )
    end = note + len(told) * line_height(TICK_SIZE) + EDGE
    return Plan(f"{scene.title}: redundancy", caption, width, end, paint)


DIVERGENCE, BALANCE = "Jensen–Shannon (bits)", "Redundancy − synergy (bits)"


def _note(sheet: Sheet, top: float, lines: list[str]) -> None:
    words = in_math("\n".join(lines))
    sheet.write(EDGE, top, words, fontsize=TICK_SIZE, color=sheet.inks.muted)


def _bars(axes: Axes, sheet: Sheet, result: Result, study: InformationStudy) -> None:
    most = math.log2(study.source.n_symbols)
    for number, (head, told) in enumerate(zip(result.heads, study.heads, strict=True)):
        colour = head_colour(head.head.uid)
        face = colour if head.active else sheet.inks.ground
        value = 0.0 if math.isnan(told.bits) else told.bits
        look: dict[str, Any] = {"height": 0.62, "linewidth": sheet.pt(0.8)}
        axes.barh(number, value, color=face, edgecolor=colour, **look)
        size = sheet.pt(TICK_SIZE)
        axes.text(most * 1.03, number, fixed(told.bits), va="center", fontsize=size)
    if not math.isnan(study.whole_past_bits):
        axes.axvline(study.whole_past_bits, color=sheet.inks.ink, linewidth=sheet.pt(1.0))
    axes.set_xlim(0, most * 1.01)
    axes.set_ylim(len(study.heads) - 0.5, -0.5)
    axes.set_xlabel("bits")
    dress(axes, sheet, "x")
    axes.tick_params(axis="y", length=0)


def _balances(study: InformationStudy) -> Array:
    """Return redundancy minus synergy of each two of the first heads, NaN where unknown."""
    count = min(len(study.heads), MOST_REPORTED_HEADS)
    balance = np.full((count, count), np.nan)
    for one, other in itertools.combinations(range(count), 2):
        difference = study.pair(one, other).redundancy_minus_synergy
        balance[one, other] = balance[other, one] = difference
    return balance


def _matrix(sheet: Sheet, box: Box, matrix: Array, scale: Scale, scene: Scene) -> None:
    grid = Grid.on(sheet, box, matrix.shape)
    draw_matrix(grid, matrix, scale)
    labels = positions(len(matrix), "h")
    label_rows(grid, labels)
    label_columns(grid, labels)
    colours = [head_colour(head.uid) for head in scene.heads[: len(matrix)]]
    draw_bands(grid, colours, 1, below=True, active=scene.active[: len(matrix)])
    height = max(box.height, LEAST_BAR)
    colour_bar(sheet, Box(box.right + 0.1, box.top, BAR_THICKNESS, height), scale)


def _told(study: InformationStudy, width: float) -> list[str]:
    """Return, in lines for a page of ``width``, what was measured, or why not."""
    source = study.source
    observed = f"rounded to {short(source.resolution)}" if source.resolution else "exactly"
    unknown = "".join(f" Not known of {reason}" for reason in study.reasons())
    told = study.why_not or (
        f"Outputs observed {observed}. The whole past tells {fixed(study.whole_past_bits)} bits "
        f"({len(study.sequences):,} token sequences).{unknown}"
    )
    return wrapped(f"Source: {_source(source)}. {told}", width - 2 * EDGE, TICK_SIZE)


def _source(source: TokenSource) -> str:
    return f"{source.kind.value}, S = {source.n_symbols}, {source.formula}"
