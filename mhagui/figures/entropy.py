"""Row entropy of every head against its ceiling."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mhagui.document import Result
from mhagui.document.bias_words import bias_words
from mhagui.figures.cells import more_lines, name_positions, widest_of
from mhagui.figures.curves import AXIS_TITLE, Legend, ceiling, draw_curves
from mhagui.figures.page import Box, Plan, Sheet, dress, round_ticks
from mhagui.figures.paper import EDGE, Paper
from mhagui.figures.subject import Subject

LEFT = AXIS_TITLE + 0.32
HEIGHT = 2.7
BELOW = 0.42
TOP = EDGE + 0.05


def plan(subject: Subject, paper: Paper) -> Plan:
    """Lay out the row entropies in bits over the query position."""
    scene, result = subject.scene, subject.result
    legend = Legend(result, paper, LEFT)
    names = legend.height(n_more=1)
    height = max(HEIGHT, names) if legend.is_beside else HEIGHT * legend.width / 4.2 + 0.5
    names_below = paper.names_below(scene)
    under = BELOW + more_lines(names_below)
    height = min(height, paper.tallest, (paper.height or math.inf) - TOP - under)
    below = TOP + height + under
    end = max(below, TOP + names + EDGE) if legend.is_beside else below + names

    def paint(sheet: Sheet) -> None:
        axes = sheet.place(Box(LEFT, TOP, legend.width, height))
        _ceiling(axes, sheet, result)
        bits = [head.row_entropy_bits for head in result.heads]
        at = np.arange(1.0, scene.n_positions + 1)
        draw_curves(axes, sheet, result, legend.names, at, bits)
        _dress(axes, sheet, names_below, legend.width, result.allowed.shape[1])
        legend.draw(axes, height, under)

    caption = (
        f"Row entropy of the {scene.n_heads} heads of “{scene.title}” in bits; the "
        f"{ceiling(result)} is that of a row that weights all its keys alike"
        + ("." if result.mask.is_causal else f", n_t keys under this mask: {result.mask.text}.")
    )
    caption = f"{caption} {bias_words(result.heads)}".rstrip()
    return Plan(f"{scene.title}: row entropy", caption, legend.page_width, end, paint)


def _ceiling(axes: Axes, sheet: Sheet, result: Result) -> None:
    """Draw the ceiling wide and pale, so that it is seen on both sides of a line on it."""
    axes.plot(
        np.arange(1, len(result.ceiling_bits) + 1),
        result.ceiling_bits,
        color=sheet.inks.band,
        linewidth=sheet.pt(6),
        solid_capstyle="round",
        label=ceiling(result),
    )


def _dress(axes: Axes, sheet: Sheet, names: Sequence[str], width: float, n_keys: int) -> None:
    last, most = len(names), max(np.log2(n_keys), 1)
    axes.set_xlabel("query position t")
    axes.set_ylabel("row entropy (bits)")
    axes.set_xlim(1 - 0.03 * max(last - 1, 1), last + 0.03 * max(last - 1, 1))
    axes.set_ylim(bottom=-0.04 * most, top=1.06 * most)
    shown = round_ticks(last, min(12, max(int(width / (widest_of(names) + 0.1)), 2)))
    name_positions(axes, names, shown)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    dress(axes, sheet)
