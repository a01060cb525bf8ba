"""Two heads side by side, their difference, and how far apart their rows are."""

import math
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import msgspec
import numpy as np
from matplotlib.axes import Axes

from mhagui.document.view_state import ColourScale
from mhagui.figures.cells import (
    BAR_WIDTH,
    ColumnNames,
    Grid,
    Writing,
    bar_room,
    colour_bar,
    column_names,
    draw_matrix,
    label_rows,
    name_columns,
    too_many,
    widest_of,
    writing_for,
)
from mhagui.figures.found import DIFFERS, ComparedHead, Comparison
from mhagui.figures.page import (
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    Plan,
    Sheet,
    dress,
    fitted,
    line_height,
    wrapped,
)
from mhagui.figures.panels import AXIS_LABEL, NAME_GAP
from mhagui.figures.paper import EDGE, UNIT_SIZE, Axis, Paper
from mhagui.figures.scales import (
    Mask,
    Matrix,
    Scale,
    round_up,
    scale_of_weights,
    signed_scale,
)
from mhagui.formats import fixed, short
from mhagui.palette import HEAD_COLOURS

LARGEST, LEAST = 2.6, 0.5  # inches of a panel, the longer way
BAR_GAP, GAP = 0.1, 0.18
LEAST_TITLE = 1.0  # inches, whatever the width of its panel
LEAST_BITS = 0.85  # inches of the divergences, in a row of all
BITS_TITLE = "JS (bits)"


@dataclass(frozen=True, eq=False)
class _Panel:
    """A matrix, and what stands around it."""

    title: str
    where: str
    values: Matrix
    allowed: Mask | None
    rows: Axis
    columns: Axis
    scale: Scale


@dataclass(frozen=True, eq=False)
class _Words:
    """What is written around panels of one size: below, and above them in lines."""

    columns: tuple[ColumnNames, ...]
    titles: tuple[list[str], ...]
    wheres: tuple[str, ...]

    @property
    def above(self) -> float:
        """Inches of the highest title with what is below it."""
        both = zip(self.titles, self.wheres, strict=True)
        heights = (
            len(title) * line_height(TITLE_SIZE) + bool(where) * line_height(TICK_SIZE)
            for title, where in both
        )
        return max(heights) + NAME_GAP

    @property
    def below(self) -> float:
        """Inches of the labels of columns, and of what these are."""
        return max(names.height for names in self.columns) + AXIS_LABEL


@dataclass(frozen=True, eq=False)
class _Places:
    """Where the panels are, in inches: A, B, B − A and the rows; in one line or in two."""

    boxes: tuple[Box, Box, Box, Box]
    words: _Words
    width: float
    end: float


def plan(chart: Comparison, paper: Paper) -> Plan:
    """Lay out the panels in two rows; on a slide in one where they are larger so."""
    panels = _panels(chart, paper)
    ways = [1, 2] if paper.height is not None else [2]
    places = max(
        (_placed(panels, chart, paper, way) for way in ways), key=lambda way: way.boxes[0].width
    )
    as_image = too_many(*3 * [panels[0].values.shape])
    writings = _writings(panels, places, paper, as_image=as_image)

    def paint(sheet: Sheet) -> None:
        for number, panel in enumerate(panels):
            box = places.boxes[number]
            grid = Grid.on(sheet, box, panel.values.shape)
            writing = writings[number == 2]
            draw_matrix(
                grid, panel.values, panel.scale, panel.allowed, as_image=as_image, writing=writing
            )
            if number == 0 or box.left == places.boxes[0].left or _differ(panels, number):
                label_rows(grid, paper.row_names(panel.rows))
            else:
                grid.axes.set_yticks([])
            name_columns(grid.axes, places.words.columns[number])
            _name(sheet, box, places.words.titles[number], places.words.wheres[number])
            if number > 0:
                place = Box(box.right + BAR_GAP, box.top, BAR_WIDTH, box.height)
                colour_bar(sheet, place, panel.scale)
        _draw_bits(sheet, places.boxes[3], chart, places)
        _write_axes(sheet, places)

    return Plan(chart.heading, _caption(chart, panels), places.width, places.end, paint)


def _panels(chart: Comparison, paper: Paper) -> tuple[_Panel, _Panel, _Panel]:
    style = paper.style
    if style.colour_scale is ColourScale.RELATIVE:  # which has another unit in every row
        style = msgspec.structs.replace(style, colour_scale=ColourScale.LINEAR)
    n_keys = chart.one.weights.shape[1]
    weights = scale_of_weights(replace(paper, style=style), n_keys, lambda: chart.largest_weight)
    a, b, difference = chart.one, chart.other, chart.difference
    neither = None if a.allowed is None or b.allowed is None else a.allowed | b.allowed
    seen = difference if neither is None else np.where(neither, difference, 0.0)
    rows, columns = _joint(a.queries, b.queries), _joint(a.keys, b.keys)
    scale = signed_scale(paper, "difference", seen)
    third = _Panel("B − A", "around 0", difference, neither, rows, columns, scale)
    return _of_head("A", a, weights), _of_head("B", b, weights), third


def _of_head(letter: str, head: ComparedHead, scale: Scale) -> _Panel:
    values = np.asarray(head.weights, dtype=np.float64)
    title = f"{letter}: {head.name}"
    return _Panel(title, head.where, values, head.allowed, head.queries, head.keys, scale)


def _joint(one: Axis, other: Axis) -> Axis:
    """Return the tokens of both, a dot where they differ."""
    if not (one.tokens and other.tokens):
        return replace(one, tokens=(), token_scheme="")
    pairs = zip(one.tokens, other.tokens, strict=True)
    tokens = tuple(a if a == b else DIFFERS for a, b in pairs)
    return replace(one, tokens=tokens)


def _differ(panels: tuple[_Panel, ...], number: int) -> bool:
    """Say whether the rows of a panel are called otherwise than those of A."""
    return panels[number].rows != panels[0].rows


def _placed(
    panels: tuple[_Panel, _Panel, _Panel], chart: Comparison, paper: Paper, n_lines: int
) -> _Places:
    """Return where the panels are in so many lines, as large as there is room."""
    labels = [widest_of(paper.row_names(panel.rows)) + 0.06 for panel in panels]
    bars = [BAR_GAP + BAR_WIDTH + bar_room(panel.scale, "") for panel in panels]
    left = EDGE + AXIS_LABEL + labels[0]
    beside, third = (labels[n] if _differ(panels, n) else 0.0 for n in (1, 2))
    if n_lines == 1:
        gaps = [GAP + beside, bars[1] + third, bars[2]]
        end = LEAST_BITS + EDGE
    else:
        gaps, end = [max(GAP + beside, bars[2] + 0.04)], bars[1]
    n_rows, n_columns = chart.one.weights.shape
    per_line = 3 if n_lines == 1 else 2
    room = (paper.width - left - sum(gaps) - end) / per_line
    unit = min(room / n_columns, LARGEST / max(n_rows, n_columns))
    height = math.inf if paper.height is None else (paper.height - 2 * EDGE) / n_lines
    while True:
        words = _words(panels, chart, paper, unit)
        pitch = words.above + unit * n_rows + words.below + 0.06
        if pitch <= height or unit * max(n_rows, n_columns) <= LEAST:
            break
        unit *= 0.97
    size = unit * n_columns, unit * n_rows
    lefts = list(accumulate((size[0] + gap for gap in gaps), initial=left))
    top = EDGE + words.above
    if n_lines == 1:
        a, b, difference = (Box(at, top, *size) for at in lefts[:3])
        bits = Box(lefts[3], top, LEAST_BITS, size[1])
    else:
        a, b, difference, bits = (
            Box(at, line, *size) for line in (top, top + pitch) for at in lefts
        )
    whole = max(lefts[-1], b.left) + (0.0 if n_lines == 1 else size[0]) + end
    return _Places((a, b, difference, bits), words, whole, EDGE + n_lines * pitch)


def _words(panels: tuple[_Panel, ...], chart: Comparison, paper: Paper, unit: float) -> _Words:
    """Return what is written around panels whose cells are ``unit`` inches."""
    width = max(unit * chart.one.weights.shape[1], LEAST_TITLE)
    return _Words(
        tuple(column_names(paper, panel.columns, unit) for panel in panels),
        (*(wrapped(panel.title, width, TITLE_SIZE) for panel in panels), [BITS_TITLE]),
        (
            *(fitted(panel.where, width, TICK_SIZE) for panel in panels),
            f"mean {fixed(chart.mean_bits)}",
        ),
    )


def _writings(
    panels: tuple[_Panel, ...], places: _Places, paper: Paper, *, as_image: bool
) -> tuple[Writing, Writing]:
    """Return how numbers are written into A and B, and into their difference."""
    if as_image:
        return Writing(), Writing()
    size = UNIT_SIZE if paper.is_part else paper.style.type_size
    shown = [
        panel.values if panel.allowed is None else np.where(panel.allowed, panel.values, np.nan)
        for panel in panels
    ]
    box = places.boxes[0]
    return (
        writing_for(shown[:2], panels[0].scale, box, type_size=size),
        writing_for(shown[2:], panels[2].scale, box, type_size=size),
    )


def _name(sheet: Sheet, box: Box, title: list[str], where: str) -> None:
    """Write a title above a panel, and below it what the panel is of."""
    under = bool(where) * line_height(TICK_SIZE) + NAME_GAP
    top = box.top - under - len(title) * line_height(TITLE_SIZE)
    sheet.write(box.left, top, "\n".join(title), fontsize=TITLE_SIZE, parse_math=False)
    look: dict[str, Any] = {"color": sheet.inks.muted, "parse_math": False, "fontsize": TICK_SIZE}
    sheet.write(box.left, box.top - under, where, **look)


def _draw_bits(sheet: Sheet, box: Box, chart: Comparison, places: _Places) -> None:
    """Draw the divergence of each row level with the rows of B − A."""
    axes, n_rows = sheet.place(box), len(chart.bits)
    bits = np.asarray(chart.bits, dtype=np.float64)
    high = round_up(bits)
    axes.stairs(
        np.nan_to_num(bits, nan=0.0),
        np.arange(n_rows + 1),
        orientation="horizontal",
        fill=True,
        color=HEAD_COLOURS[0],
        linewidth=0,
    )
    axes.set_xlim(0, high)
    axes.set_ylim(n_rows, 0)
    axes.set_xticks([0, high / 2, high] if box.width > 1.0 else [0, high])
    axes.set_yticks([])
    _dress_bits(axes, sheet)
    _name(sheet, box, places.words.titles[3], places.words.wheres[3])


def _dress_bits(axes: Axes, sheet: Sheet) -> None:
    axes.set_xticks(axes.get_xticks(), [short(tick, 3) for tick in axes.get_xticks()])
    first, *_, last = axes.get_xticklabels()
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")
    dress(axes, sheet, "x")


def _write_axes(sheet: Sheet, places: _Places) -> None:
    """Write what rows and columns are."""
    a, b, difference, _bits = places.boxes
    for box in {a.top: a, difference.top: difference}.values():
        sheet.write(EDGE, box.top + box.height / 2, "query position t", rotation=90, va="center")
    for number, box in enumerate((a, b, difference)):
        middle, under = box.left + box.width / 2, box.bottom + places.words.columns[number].height
        sheet.write(middle, under, "key position i", ha="center")


def _caption(chart: Comparison, panels: tuple[_Panel, ...]) -> str:
    a, b = chart.one, chart.other
    undefined = np.isnan(chart.bits).any()
    masks = [head.allowed for head in (a, b) if head.allowed is not None]
    hatched = "; hatched keys are masked" if not all(mask.all() for mask in masks) else ""
    lacking = " Rows without one have no bar." if undefined else ""
    return (
        f"Attention weights of A, {a.name} ({a.where}), and of B, {b.name} ({b.where}): rows are "
        f"queries, columns keys{hatched}. Colours of A and B: "
        f"{panels[0].scale.caption}; of B − A, around 0. Right below: Jensen–Shannon divergence of "
        f"each row in bits, 0 where both are the same, 1 with no key in common.{lacking}"
    )
