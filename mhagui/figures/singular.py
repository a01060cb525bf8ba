"""Singular values of the scores, which no gain moves, and of the weights, which one does."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mhagui.document import HeadResult
from mhagui.document.records import Array
from mhagui.figures.curves import AXIS_TITLE, Legend, curve_look
from mhagui.figures.page import TITLE_SIZE, Box, Plan, Sheet, dress, line_height, wrapped
from mhagui.figures.paper import EDGE, Paper
from mhagui.figures.subject import Subject
from mhagui.formats import fixed

LEFT = AXIS_TITLE + 0.36
APART = 0.08  # to both sides of a number: so that heads with the same values are all seen
HEIGHT = 1.7  # inches, of each of the two panels
BELOW = 0.42
SCORES = "Q·Kᵀ, before the gain: rank"
WEIGHTS = "A: effective rank"


def plan(subject: Subject, paper: Paper) -> Plan:
    """Lay out the singular values of Q·Kᵀ and of A of every head, with the ranks."""
    result = subject.result
    legend = Legend(result, paper, LEFT)
    ranks = ", ".join(head.score_rank_text for head in result.heads)
    effective = ", ".join(fixed(head.effective_rank, 2) for head in result.heads)
    titles = [
        wrapped(title, legend.width, TITLE_SIZE)
        for title in (f"{SCORES} {ranks}", f"{WEIGHTS} {effective}")
    ]
    above = [EDGE + len(lines) * line_height(TITLE_SIZE) + 0.06 for lines in titles]
    first = Box(LEFT, above[0], legend.width, HEIGHT)
    second = Box(LEFT, first.bottom + BELOW + above[1], legend.width, HEIGHT)
    beside = legend.height() if legend.is_beside else 0.0
    end = max(second.bottom + BELOW, above[0] + beside + EDGE)
    end += 0.0 if legend.is_beside else legend.height() + EDGE

    def paint(sheet: Sheet) -> None:
        upper, lower = sheet.place(first), sheet.place(second)
        _curves(upper, sheet, subject, legend, lambda head: head.score_singular_values)
        _curves(lower, sheet, subject, legend, lambda head: head.weight_singular_values)
        tops = EDGE, first.bottom + BELOW + EDGE
        for axes, top, lines in zip((upper, lower), tops, titles, strict=True):
            sheet.write(LEFT, top, "\n".join(lines), fontsize=TITLE_SIZE)
            _dress(axes, sheet)
        lower.set_xlabel("number of the singular value")
        legend.draw(upper if legend.is_beside else lower, HEIGHT, BELOW)

    caption = (
        f"Singular values of the {len(result.heads)} heads of “{subject.scene.title}”: of Q·Kᵀ, "
        f"whose rank ({ranks}) is at most d_k = {subject.scene.d_k} and which no gain moves; and "
        f"of the weights A, whose effective rank ({effective}) a gain does move."
    )
    title = f"{subject.scene.title}: singular values"
    return Plan(title, caption, legend.page_width, end, paint)


def _curves(
    axes: Axes,
    sheet: Sheet,
    subject: Subject,
    legend: Legend,
    values_of: Callable[[HeadResult], Array],
) -> None:
    apart = np.linspace(-APART, APART, len(legend.names)) if len(legend.names) > 1 else [0.0]
    for head, name, shift in zip(subject.result.heads, legend.names, apart, strict=True):
        values = values_of(head)
        at = np.arange(1, len(values) + 1) + shift
        axes.set_xlim(0.6, len(values) + 0.4)
        axes.plot(at, values, label=name, **curve_look(sheet, head, len(values)))


def _dress(axes: Axes, sheet: Sheet) -> None:
    axes.set_ylabel("σ")
    axes.set_ylim(bottom=-0.04 * axes.get_ylim()[1])  # where a marker at 0 is whole
    axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    dress(axes, sheet)
