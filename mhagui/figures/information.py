"""What the heads tell of the next token, and what two of them tell twice."""

import itertools
import math
import re

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
    Scale,
    bar_room,
    colour_bar,
    draw_bands,
    draw_cells,
    draw_values,
    label_columns,
    label_rows,
    signed_scale,
    weight_scale,
)
from mhagui.figures.page import (
    EDGE,
    FILL,
    LABEL_SIZE,
    MUTED_INK,
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    dress,
    line_height,
    new_page,
    place,
    state_of,
    text_width,
    wrapped,
    write,
)
from mhagui.formats import fixed, positions, short
from mhagui.palette import head_colour

BARS_WIDTH, BAR_HEIGHT = 3.2, 0.2
NAME_WIDTH = 2.2
NUMBER_WIDTH = 0.4
CELL, TALLEST = 0.42, 2.7  # inches: of a cell, and of a matrix, at most
TITLE = line_height(TITLE_SIZE) + line_height(TICK_SIZE) + 0.06
LABELS = line_height(TICK_SIZE) + BAND + 0.06
_TOKEN = re.compile(r"X_(?:\{[^}]*\}|t)")  # as sources write it, which is how formulas have it
BAR_THICKNESS, LEAST_BAR = 0.13, 0.8


def draw_information(scene: Scene, result: Result, row: int | None = None) -> Figure:
    """Draw I(X_{t+1}; o_t) of every head at ``row``, t from 0; None means t4 or the last."""
    study = study_information(scene, result, shown_row(scene, row))
    names = [
        wrapped(f"h{number} {head.head.name}{state_of(head)}", NAME_WIDTH, TICK_SIZE)
        for number, head in enumerate(result.heads, 1)
    ]
    left = EDGE + max(text_width(line) for lines in names for line in lines) / FILL + 0.08
    width = left + BARS_WIDTH + NUMBER_WIDTH + EDGE
    told = _told(study, width)
    top = EDGE + line_height(TITLE_SIZE) + len(told) * line_height(TICK_SIZE) + 0.06
    step = max(BAR_HEIGHT, max(map(len, names)) * line_height(TICK_SIZE) + 0.02)
    page = width, top + step * len(names) + 2 * line_height(LABEL_SIZE) + 0.1 + EDGE
    figure = new_page(*page, f"{scene.title}: information")
    write(figure, EDGE, EDGE, f"$I(X_{{t+1}}; o_t)$ at t = {study.row + 1}", fontsize=TITLE_SIZE)
    _note(figure, EDGE, EDGE + line_height(TITLE_SIZE), told)
    axes = place(figure, left, top, BARS_WIDTH, step * len(names))
    _bars(axes, result, study)
    axes.set_yticks(np.arange(len(names)), ["\n".join(lines) for lines in names])
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    return figure


def draw_redundancy(scene: Scene, result: Result, row: int | None = None) -> Figure:
    """Draw the divergence, and redundancy minus synergy at ``row``, of each two heads."""
    study = study_information(scene, result, shown_row(scene, row))
    divergences, balance = study_divergences(result), _balances(study)
    n_rows, n_all = len(divergences.rows), scene.n_positions
    rows = "all rows" if n_rows == n_all else f"{n_rows} rows of {n_all}"
    balanced = f"$I_a + I_b - I_{{ab}}$ at t = {study.row + 1}"
    left = EDGE + text_width(f"h{scene.n_heads}") + 0.1
    bar, scale = 0.1 + BAR_THICKNESS, signed_scale(balance)
    second = left + max(_side(divergences.bits), 1.3) + bar + bar_room(weight_scale(), "") + left
    width = second + max(_side(balance), 1.9) + bar + bar_room(scale, "")
    told = _told(study, width)
    note = EDGE + TITLE + max(_side(divergences.bits), LEAST_BAR) + LABELS + 0.06
    page = width, note + len(told) * line_height(TICK_SIZE) + EDGE
    figure = new_page(*page, f"{scene.title}: redundancy")
    for matrix, colours, start, title, below in (
        (divergences.bits, weight_scale(), left, "Jensen–Shannon (bits)", f"mean over {rows}"),
        (balance, scale, second, "Redundancy − synergy (bits)", balanced),
    ):
        write(figure, start, EDGE, title, fontsize=TITLE_SIZE)
        under = EDGE + line_height(TITLE_SIZE)
        write(figure, start, under, below, fontsize=TICK_SIZE, color=MUTED_INK)
        box = Box(start, EDGE + TITLE, _side(matrix), _side(matrix))
        _matrix(figure, box, matrix, colours, scene)
    _note(figure, EDGE, note, told)
    return figure


def _side(matrix: Array) -> float:
    return min(CELL * len(matrix), TALLEST)


def _note(figure: Figure, left: float, top: float, lines: list[str]) -> None:
    words = _TOKEN.sub(r"$\g<0>$", "\n".join(lines))
    write(figure, left, top, words, fontsize=TICK_SIZE, color=MUTED_INK)


def _bars(axes: Axes, result: Result, study: InformationStudy) -> None:
    most = math.log2(study.source.n_symbols)
    for number, (head, told) in enumerate(zip(result.heads, study.heads, strict=True)):
        colour = head_colour(head.head.uid)
        face = colour if head.active else "white"
        value = 0.0 if math.isnan(told.bits) else told.bits
        axes.barh(number, value, height=0.62, color=face, edgecolor=colour, linewidth=0.8)
        axes.text(most * 1.03, number, fixed(told.bits), va="center", fontsize=TICK_SIZE)
    if not math.isnan(study.whole_past_bits):
        axes.axvline(study.whole_past_bits, color="black", linewidth=1.0)
    axes.set_xlim(0, most * 1.01)
    axes.set_ylim(len(study.heads) - 0.5, -0.5)
    axes.set_xlabel("bits")
    dress(axes, "x")
    axes.tick_params(axis="y", length=0)


def _balances(study: InformationStudy) -> Array:
    """Return redundancy minus synergy of each two of the first heads, NaN where unknown."""
    count = min(len(study.heads), MOST_REPORTED_HEADS)
    balance = np.full((count, count), np.nan)
    for one, other in itertools.combinations(range(count), 2):
        difference = study.pair(one, other).redundancy_minus_synergy
        balance[one, other] = balance[other, one] = difference
    return balance


def _matrix(figure: Figure, box: Box, matrix: Array, scale: Scale, scene: Scene) -> None:
    grid = Grid.on(figure, box, matrix.shape)
    draw_cells(grid, matrix, scale, as_image=False)
    draw_values(grid, matrix, scale, ~np.isnan(matrix))
    labels = positions(len(matrix), "h")
    label_rows(grid, labels)
    label_columns(grid, labels)
    colours = [head_colour(head.uid) for head in scene.heads[: len(matrix)]]
    draw_bands(grid, colours, 1, below=True, active=scene.active[: len(matrix)])
    right = box.left + box.width + 0.1
    colour_bar(place(figure, right, box.top, BAR_THICKNESS, max(box.height, LEAST_BAR)), scale, "")


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
