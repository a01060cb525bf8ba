"""A score of all heads of a model as a map: layers down, heads across, chance on the colour bar."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from mhagui.document.scorecard import LETTERS, NO_LABEL
from mhagui.figures.cells import (
    BAR_GAP,
    BAR_WIDTH,
    LABELS_BELOW,
    LARGE_TYPE,
    SMALL_SIZES,
    VALUE_SIZES,
    Grid,
    Writing,
    bar_room,
    colour_bar,
    draw_matrix,
    widest_of,
    writing_for,
)
from mhagui.figures.charts import HeadMap, chance_in_words, chances
from mhagui.figures.page import (
    FILL,
    LABEL_SIZE,
    POINTS,
    TICK_SIZE,
    Box,
    Plan,
    Sheet,
    line_height,
    round_ticks,
    text_width,
    wrapped,
)
from mhagui.figures.panels import AXIS_LABEL
from mhagui.figures.paper import EDGE, NARROW, Paper
from mhagui.figures.scales import Matrix, Scale, limited_scale, signed_scale, unit_scale
from mhagui.palette import ink_on

WIDEST, HIGHEST = 0.5, 0.38  # inches of a cell
TWO_LINES = 0.27  # inches of a cell, from which it has room for a letter and a number
TALLEST = 5.8  # inches of all layers, on a page that may be as high as it needs
FLATTEST, STEEPEST = 0.4, 1.5  # of a cell: its height beside its width
LEAST_BAR = 1.0  # inches
LETTER_GAP = 0.16  # from a letter of the legend to its words
LEGEND_GAP, LEGEND_TOP = 0.2, 0.14
LINE = 1.2 * line_height(TICK_SIZE)
CAP_HEIGHT, MOST_FILLED = 0.73, 0.65  # of a letter in type sizes, and of a cell by it
CHANCE, DOT = "▸", "·"


@dataclass(frozen=True, eq=False)
class _Legend:
    """What the letters stand for, and where: lines of (letter, words), in columns."""

    entries: Sequence[tuple[str, str]]
    n_columns: int
    column: float  # inches of one
    is_beside: bool

    @property
    def n_lines(self) -> int:
        return math.ceil(len(self.entries) / self.n_columns)

    @property
    def width(self) -> float:
        return self.n_columns * self.column

    @property
    def height(self) -> float:
        return self.n_lines * LINE

    def of_dots(self) -> "_Legend":
        """Return the same where all letters are dots."""
        letters = LETTERS.values()
        dotted = [(DOT if letter in letters else letter, words) for letter, words in self.entries]
        return replace(self, entries=dotted)

    def write(self, sheet: Sheet, left: float, top: float) -> None:
        for number, (letter, words) in enumerate(self.entries):
            column, line = divmod(number, self.n_lines)
            x, y = left + column * self.column, top + line * LINE
            look: dict[str, Any] = {"fontsize": TICK_SIZE, "parse_math": False}
            sheet.write(x + LETTER_GAP / 3, y, letter, ha="center", fontweight="bold", **look)
            sheet.write(x + LETTER_GAP, y, words, **look)


def plan(chart: HeadMap, paper: Paper) -> Plan:
    """Lay out the map."""
    scale, legend = _scale(chart, paper), _legend(chart, paper)
    label = _bar_label(chart)
    left = EDGE + AXIS_LABEL + widest_of(chart.heads.rows) + 0.06
    bar = BAR_GAP + BAR_WIDTH + bar_room(scale, label)
    under = LABELS_BELOW + AXIS_LABEL + (0.0 if legend.is_beside else legend.height + LEGEND_TOP)
    beside = LEGEND_GAP + legend.width if legend.is_beside else 0.0
    n_rows, n_columns = len(chart.heads.rows), len(chart.heads.columns)
    room = paper.width - left - bar - beside
    tallest = TALLEST if paper.height is None else paper.height - 2 * EDGE - under
    width, height = _cell(room / n_columns, tallest / n_rows)
    size = _letter_size(width, height, paper)
    legend = legend if size else legend.of_dots()
    box = Box(left, EDGE, n_columns * width, n_rows * height)
    bar_height = max(box.height, LEAST_BAR, 1.1 * text_width(label, LABEL_SIZE))
    lines = [*wrapped(label, bar_height, LABEL_SIZE)]
    bottom = max(box.bottom + LABELS_BELOW + AXIS_LABEL, EDGE + bar_height)
    end = max(bottom, EDGE + legend.height)
    if not legend.is_beside:
        end = bottom + LEGEND_TOP + legend.height

    def paint(sheet: Sheet) -> None:
        _paint_map(Grid.on(sheet, box, (n_rows, n_columns)), chart, scale, size)
        sheet.write(box.left + box.width / 2, box.bottom + LABELS_BELOW, "head", ha="center")
        middle = box.top + box.height / 2
        sheet.write(EDGE, middle, "layer", rotation=90, va="center")
        place = Box(box.right + BAR_GAP, EDGE, BAR_WIDTH, bar_height)
        axes = colour_bar(sheet, place, scale, "\n".join(lines))
        _mark_chance(axes, sheet, chart, scale)
        if legend.is_beside:
            legend.write(sheet, box.right + bar + LEGEND_GAP, EDGE)
        else:
            legend.write(sheet, EDGE, bottom + LEGEND_TOP)

    whole = box.right + bar + beside + (EDGE if legend.is_beside else 0.0)
    width = max(whole, EDGE + legend.width)
    return Plan(chart.heading, _caption(chart, size), width, end + EDGE, paint)


def _cell(width: float, height: float) -> tuple[float, float]:
    """Return how wide and high a cell is where there is room for so much; nearly square."""
    width, height = min(width, WIDEST), min(height, HIGHEST)
    return min(width, height / FLATTEST), min(height, STEEPEST * width)


def _scale(chart: HeadMap, paper: Paper) -> Scale:
    measure = chart.score.measure
    if chart.above_chance:
        return signed_scale(paper, "above chance", np.ones(1))
    if measure.is_up_to_1:
        return unit_scale(paper, measure.name)
    both = np.concatenate([chart.score.values, chart.score.baselines])
    return limited_scale(paper, measure.name, both)


def _bar_label(chart: HeadMap) -> str:
    return chart.score.measure.with_unit + (", above chance" if chart.above_chance else "")


def _legend(chart: HeadMap, paper: Paper) -> _Legend:
    counts = chart.heads.counts()
    entries = [
        (LETTERS.get(label, ""), f"{label or NO_LABEL} ({count})")
        for label, count in counts.items()
    ]
    if chart.above_chance:
        entries.append((CHANCE, "0: at chance"))
    elif chance := chance_in_words(chart.score):
        entries.append((CHANCE, f"chance {chance}"))
    column = LETTER_GAP + widest_of([words for _, words in entries]) / FILL + 0.12
    if paper.width > NARROW:
        return _Legend(entries, 1, column, is_beside=True)
    n_columns = max(min(int((paper.width - EDGE) / column), len(entries)), 1)
    return _Legend(entries, n_columns, column, is_beside=False)


def _paint_map(grid: Grid, chart: HeadMap, scale: Scale, size: float) -> None:
    """Paint the cells and their labels, and letters of ``size`` in points; dots where that is 0."""
    matrix, heads, sheet = chart.heads.matrix(chart.values), chart.heads, grid.sheet
    draw_matrix(grid, matrix, scale, writing=Writing())
    ground: dict[str, Any] = {
        "facecolor": sheet.inks.ground,
        "edgecolor": sheet.inks.ground,
        "zorder": 3.2,
    }
    for row, column in heads.missing:
        grid.axes.add_patch(Rectangle((column, row), 1, 1, linewidth=sheet.pt(0.6), **ground))
        grid.axes.spines[:].set_visible(False)  # or they would go around nothing
    rows = _round_ones(heads.rows, line_height(TICK_SIZE) / grid.cell_height)
    columns = _round_ones(heads.columns, (widest_of(heads.columns) + 0.08) / grid.cell_width)
    grid.axes.set_yticks([row + 0.5 for row in rows], [heads.rows[row] for row in rows])
    grid.axes.set_xticks([at + 0.5 for at in columns], [heads.columns[at] for at in columns])
    writing = _writing(grid, matrix, scale)
    colours = scale.rgb(matrix)
    look: dict[str, Any] = {
        "ha": "center", "va": "center_baseline", "zorder": 4, "parse_math": False,
    }  # fmt: skip
    for (row, column), label in zip(heads.cells, heads.labels, strict=True):
        ink = ink_on(colours[row, column].tolist())
        letter, value = LETTERS.get(label, ""), matrix[row, column]
        has_both = bool(writing.write and letter)
        if letter and size:
            look |= {"color": ink, "fontsize": sheet.pt(size), "fontweight": "bold"}
            grid.axes.text(column + 0.5, row + (0.29 if has_both else 0.5), letter, **look)
        elif letter:
            spot: dict[str, Any] = {
                "marker": ".",
                "markersize": sheet.pt(2.0),
                "color": ink,
                "zorder": 4,
            }
            grid.axes.plot([column + 0.5], [row + 0.5], linestyle="", **spot)
        if writing.write and math.isfinite(value):
            look |= {"color": ink, "fontsize": sheet.pt(writing.size), "fontweight": "normal"}
            place = row + (0.7 if has_both else 0.5)
            grid.axes.text(column + 0.5, place, writing.write(float(value)), **look)


def _round_ones(labels: Sequence[str], needed: float) -> list[int]:
    """Return which labels to write, each as wide as ``needed`` cells: L0, L5, L10, or h1, h5, h10.

    They count from 0, as in models, or from 1.
    """
    if not labels[0].endswith("0"):
        return [
            number - 1 for number in round_ticks(len(labels), max(int(len(labels) / needed), 1))
        ]
    step = next(
        step * power for power in (1, 10, 100) for step in (1, 2, 5) if step * power >= needed
    )
    return list(range(0, len(labels), step))


def _letter_size(width: float, height: float, paper: Paper) -> float:
    """Return how many points letters have in cells of so many inches; 0 where there is no room."""
    sizes = VALUE_SIZES + (SMALL_SIZES if paper.style.type_size >= LARGE_TYPE else ())
    fitting = (
        size
        for size in sizes
        if CAP_HEIGHT * size / POINTS <= MOST_FILLED * height
        and text_width("D", size) <= 0.9 * width
    )
    return next(fitting, 0.0)


def _writing(grid: Grid, matrix: Matrix, scale: Scale) -> Writing:
    """Return how numbers are written in the lower half of cells."""
    style = grid.sheet.paper.style
    if not style.values or grid.cell_height < TWO_LINES:
        return Writing()
    lower = Box(0, 0, grid.box.width, 0.5 * grid.box.height)
    return writing_for([matrix], scale, lower, type_size=style.type_size)


def _mark_chance(axes: Axes, sheet: Sheet, chart: HeadMap, scale: Scale) -> None:
    """Mark chance beside the bar, and across it; both ends where heads have different ones."""
    ends = (0.0, 0.0) if chart.above_chance else chances(chart.score)
    for level in sorted(set(ends or ())):
        (colour,) = scale.rgb(np.array([level]))
        ink = ink_on(colour.tolist())
        axes.axhline(level, color=ink, linewidth=sheet.pt(0.8))
        axes.plot(
            [-0.3],
            [level],
            transform=axes.get_yaxis_transform(),
            marker=">",
            markersize=sheet.pt(3.6),
            color=sheet.inks.ink,
            linestyle="",
            clip_on=False,
        )


def _caption(chart: HeadMap, letter_size: float) -> str:
    measure, seen = chart.score.measure, chart.seen
    n_layers, n_heads = len(chart.heads.rows), len(chart.heads.names)
    what = f"{measure.name} ({measure.meaning})"
    if chart.above_chance:
        what += ", as (score − chance) / (1 − chance): 0 at chance, 1 for a perfect head"
    chance = chance_in_words(chart.score)
    told = f": {chance} (▸)" if chance and not chart.above_chance else ""
    layers = f"{n_layers} layers" if n_layers > 1 else "one layer"
    marks = "Letters" if letter_size else "Dots"
    named = f" {marks} are on heads that are at least half the way from chance to 1."
    named = named if any(chart.heads.labels) else ""
    return (
        f"The {n_heads} heads of “{seen.title}” in {layers}{seen.given}: {what}. Layers go down, "
        f"heads across. Chance is what a head has that looks at all it may see alike{told}.{named}"
    )
