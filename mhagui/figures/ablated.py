"""What ablating heads does: to O at each position, to a number read off it, to the next token."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mhagui.figures.cells import column_names, name_columns
from mhagui.figures.charts import Doubles
from mhagui.figures.found import AblatedOutput, HeadImportance, NextTokens, PrunedHeads
from mhagui.figures.page import (
    FILL,
    LABEL_SIZE,
    TICK_SIZE,
    Box,
    Plan,
    Sheet,
    dress,
    in_math,
    line_height,
    text_width,
    wrapped,
)
from mhagui.figures.paper import EDGE, NARROW, Paper
from mhagui.formats import fixed, short, significant
from mhagui.palette import HEAD_COLOURS, HEAD_MARKERS

LEFT = EDGE + line_height(LABEL_SIZE) + 0.42
WIDTH, HEIGHT, LOW = 5.6, 2.6, 2.1  # inches of the axes of curves, and on narrow paper
AXIS_TITLE = line_height(LABEL_SIZE) + 0.06
LEGEND = 1.4 * line_height(TICK_SIZE) + 0.06
MOST_MARKERS, MARKERS = 40, (4.4, 2.8)  # points: that of the curve which may lie on it is smaller
TICK = 0.06  # inches, of a tick and its distance to its label
NAME_WIDTH, BARS_WIDTH = 2.2, 3.6
BAR, PAIR_GAP = 0.12, 0.07  # inches: of one bar, and between two pairs
TALLEST = 8.0  # inches of all bars
COLOURS = HEAD_COLOURS[0], HEAD_COLOURS[1]

Curve = tuple[str, Doubles]


def plan_output(chart: AblatedOutput, paper: Paper) -> Plan:
    """Lay out ‖ΔO_t‖ over the positions."""
    curves: list[Curve] = [("before W_O", chart.change)]
    wrong = ""
    if chart.wrong is not None:
        curves.append(("after W_O: the wrong site", chart.wrong))
        wrong = " After W_O, whose columns mix all heads, it would be another change."
    caption = (
        f"How much the output O of “{chart.seen.title}” changes at each position by an ablation: "
        f"{chart.what}. Over all positions ‖ΔO‖ is {_percent(chart.share)} of ‖O‖.{wrong}"
    )
    width, height, below = _room(paper, n_curves=len(curves))
    last = chart.axis.n_positions
    columns = column_names(paper, chart.axis, width / max(last, 1))
    if paper.height is not None:
        height -= columns.height
    under = TICK + columns.height + AXIS_TITLE

    def paint(sheet: Sheet) -> None:
        axes = sheet.place(Box(LEFT, EDGE, width, height))
        _draw_curves(axes, sheet, np.arange(1.0, last + 1), curves)
        axes.set_xlim(0.5, last + 0.5)
        name_columns(axes, columns, at=1.0)
        axes.set_ylabel("‖Δ$O_t$‖")
        place = EDGE + height + TICK + columns.height
        sheet.write(LEFT + width / 2, place, "position t", ha="center")
        _legend(axes, height, under)

    end = EDGE + height + under + below
    return Plan(chart.heading, caption, LEFT + width + EDGE, end, paint)


def plan_pruned(chart: PrunedHeads, paper: Paper) -> Plan:
    """Lay out the error of O over the heads that are gone."""
    named = ("by gradient × output", chart.by_gradient), ("by ablation", chart.by_ablation)
    curves = [(name, np.append(0.0, values)) for name, values in named if np.isfinite(values).any()]
    width, height, below = _room(paper, n_curves=2)
    n_heads = max((len(values) - 1 for _, values in curves), default=1)
    under = TICK + line_height(TICK_SIZE) + 0.04 + AXIS_TITLE

    def paint(sheet: Sheet) -> None:
        axes = sheet.place(Box(LEFT, EDGE, width, height))
        _draw_curves(axes, sheet, np.arange(0.0, n_heads + 1), curves)
        axes.set_xlim(-0.02 * n_heads, 1.02 * n_heads)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
        axes.set_ylabel("‖ΔO‖ / ‖O‖")
        place = EDGE + height + TICK + line_height(TICK_SIZE) + 0.04
        words = "heads removed, the least important first"
        sheet.write(LEFT + width / 2, place, words, ha="center")
        _legend(axes, height, under)

    caption = (
        f"The share of the output O of “{chart.seen.title}” that is gone when heads are ablated "
        f"to zero one after another, those first that matter least to {chart.readout}: by "
        "gradient × output, and by what ablating each alone does."
    )
    end = EDGE + height + under + below
    return Plan(chart.heading, caption, LEFT + width + EDGE, end, paint)


def plan_importance(chart: HeadImportance, paper: Paper) -> Plan:
    """Lay out both numbers of each head."""
    pairs = ("gradient × output", chart.predicted), ("ablation", chart.ablated)
    caption = (
        f"What L = {chart.readout} = {significant(chart.value)} of “{chart.seen.title}” gains "
        "without each head: to first order, by gradient × output, and when the head is ablated "
        "to zero before W_O."
    )
    title = f"change of {chart.readout}"
    return _bars(chart.heading, caption, paper, chart.heads, pairs, title, significant)


def plan_next_token(chart: NextTokens, paper: Paper) -> Plan:
    """Lay out the probabilities of the likeliest tokens."""
    pairs = ("before", 100 * chart.before), ("after", 100 * chart.after)
    caption = (
        f"Probabilities of the next token of “{chart.seen.title}”{chart.seen.given}, before and "
        f"after an ablation: {chart.what}. The likeliest before, and those likeliest after; "
        f"divergence (Kullback–Leibler) {significant(chart.bits)} bits."
    )
    title = "probability of the next token (%)"
    return _bars(chart.heading, caption, paper, chart.tokens, pairs, title, lambda p: fixed(p, 2))


# ------------------------------------------------------------------------------------------ curves


def _percent(share: float) -> str:
    return "undefined" if math.isnan(share) else f"{significant(100 * share, 3)} %"


def _room(paper: Paper, n_curves: int) -> tuple[float, float, float]:
    """Return width and height of the axes of curves, and what the legend below takes."""
    width = min(paper.width - LEFT - 2 * EDGE, WIDTH)
    height = HEIGHT if paper.width > NARROW else LOW
    below = (LEGEND if n_curves > 1 else 0.0) + EDGE
    if paper.height is not None:
        height = paper.height - EDGE - below - TICK - AXIS_TITLE - line_height(TICK_SIZE) - 0.04
        width = min(paper.width - LEFT - 2 * EDGE, 2.2 * height)
    return width, height, below


def _draw_curves(axes: Axes, sheet: Sheet, at: Doubles, curves: Sequence[Curve]) -> None:
    highest = 0.0
    for number, (name, values) in enumerate(curves):
        axes.plot(
            at[: len(values)],
            values,
            label=in_math(name),
            color=COLOURS[number],
            linestyle=("-", "--")[number],
            linewidth=sheet.pt(1.4),
            marker=HEAD_MARKERS[number].on_paper if len(at) <= MOST_MARKERS else "",
            markersize=sheet.pt(MARKERS[number]),
            clip_on=False,
            zorder=3 + 0.1 * number,  # dashes over a line, so that both are seen
        )
        highest = max(highest, float(np.max(values, where=np.isfinite(values), initial=0.0)))
    axes.set_ylim(0, 1.05 * highest or 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(lambda value, _place: short(value, 4))
    dress(axes, sheet)


def _legend(axes: Axes, height: float, under: float) -> None:
    handles, _ = axes.get_legend_handles_labels()
    if len(handles) < 2:
        return
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(0, -under / height),
        ncols=2,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        handlelength=2.6,
        columnspacing=1.2,
    )


# -------------------------------------------------------------------------------------------- bars


def _bars(
    heading: str,
    caption: str,
    paper: Paper,
    names: Sequence[str],
    pairs: Sequence[Curve],
    title: str,
    write: Callable[[float], str],
) -> Plan:
    """Lay out two bars to each name, the second below the first, and their numbers at the right."""
    room = min(NAME_WIDTH, 0.35 * paper.width)
    lines = [wrapped(name, room, TICK_SIZE) or [""] for name in names]
    left = EDGE + max(text_width(line) for name in lines for line in name) / FILL + 0.08
    texts = [[write(float(value)) for value in values] for _, values in pairs]
    tallest = TALLEST if paper.height is None else paper.height - 2 * EDGE - LEGEND - 0.4
    pitch = max(2 * BAR + PAIR_GAP, max(map(len, lines)) * line_height(TICK_SIZE) + 0.02)
    # Of more the page is made smaller: names are not to run into one another.
    pitch = max(min(pitch, tallest / len(names)), line_height(TICK_SIZE))
    has_numbers = paper.style.values and pitch >= 2 * line_height(TICK_SIZE) * 0.86
    numbers = max(text_width(text) for column in texts for text in column) / FILL + 0.1
    right = numbers if has_numbers else EDGE
    width = min(paper.width - left - right - EDGE, 2 * BARS_WIDTH if paper.height else BARS_WIDTH)
    height = pitch * len(names)
    foot = TICK + line_height(TICK_SIZE) + 0.04
    under = foot + AXIS_TITLE

    def paint(sheet: Sheet) -> None:
        axes = sheet.place(Box(left, EDGE, width, height))
        for number, (name, values) in enumerate(pairs):
            at = np.arange(len(values)) + (number - 0.5) * 0.4
            axes.barh(
                at,
                np.nan_to_num(values),
                height=0.36,
                color=COLOURS[number],
                label=name,
                linewidth=0,
            )
            for place, text in zip(at.tolist(), texts[number], strict=True):
                if has_numbers:
                    axes.text(
                        1 + numbers / width, place, text, transform=axes.get_yaxis_transform(),
                        ha="right", va="center_baseline", fontsize=sheet.pt(TICK_SIZE * 0.9),
                    )  # fmt: skip
        _dress_bars(axes, sheet, lines)
        sheet.write(left + width / 2, EDGE + height + foot, in_math(title), ha="center")
        _legend(axes, height, under)

    end = EDGE + height + under + LEGEND + EDGE
    return Plan(heading, caption, left + width + right + EDGE, end, paint)


def _dress_bars(axes: Axes, sheet: Sheet, lines: Sequence[list[str]]) -> None:
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.axvline(0, color=sheet.inks.ink, linewidth=sheet.pt(0.6))
    axes.set_yticks(range(len(lines)), ["\n".join(name) for name in lines])
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(lambda value, _place: short(value, 4))
    dress(axes, sheet, "x")
    axes.tick_params(axis="y", length=0)
