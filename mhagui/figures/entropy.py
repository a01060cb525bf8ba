"""Row entropy of every head against its ceiling."""

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mhagui.document import HeadResult, Result, Scene
from mhagui.figures.page import (
    EDGE,
    LABEL_SIZE,
    TICK_SIZE,
    dress,
    line_height,
    new_page,
    place,
    round_ticks,
    state_of,
    wrapped,
)
from mhagui.palette import HEAD_MARKERS, head_colour, head_marker

LEFT = EDGE + line_height(LABEL_SIZE) + 0.32
WIDTH, HEIGHT = 4.2, 2.7
BELOW = 0.42
LEGEND_WIDTH = 1.75
LINES = ("-", "--", "-.", ":")
MOST_MARKERS = 24  # on one line
STAR_SIZE, MARKER_SIZE = 6.5, 4.0  # in points; a star of the same size looks smaller


def draw(scene: Scene, result: Result) -> Figure:
    """Draw the row entropies in bits over the query position."""
    names = [curve_name(number, head) for number, head in enumerate(result.heads, 1)]
    lines = 1 + sum(name.count("\n") + 1 for name in names)
    legend_height = (lines + 0.4 * len(names)) * line_height(TICK_SIZE)
    height = max(HEIGHT, legend_height)
    page = (LEFT + WIDTH + 0.15 + LEGEND_WIDTH + EDGE, EDGE + 0.05 + height + BELOW)
    figure = new_page(*page, f"{scene.title}: row entropy")
    axes = place(figure, LEFT, EDGE + 0.05, WIDTH, height)
    _ceiling(axes, result)
    for head, name in zip(result.heads, names, strict=True):
        bits = head.row_entropy_bits
        axes.plot(np.arange(1, len(bits) + 1), bits, label=name, **curve_look(head, len(bits)))
    _dress(axes, scene)
    name_curves(axes, WIDTH)
    return figure


def curve_name(number: int, head: HeadResult) -> str:
    """Return how the curve of a head is named in a legend of ``LEGEND_WIDTH``."""
    # A dollar sign would start a formula in a legend.
    name = f"h{number} {head.head.name}{state_of(head)}".replace("$", r"\$")
    return "\n".join(wrapped(name, LEGEND_WIDTH - 0.35, TICK_SIZE))


def name_curves(axes: Axes, width: float) -> None:
    """Put the legend at the right of axes ``width`` inches wide."""
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(1 + 0.15 / width, 1),
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        handlelength=2.6,
    )


def _ceiling(axes: Axes, result: Result) -> None:
    """Draw the ceiling wide and pale, so that it is seen on both sides of a line on it."""
    axes.plot(
        np.arange(1, len(result.ceiling_bits) + 1),
        result.ceiling_bits,
        color="#d0d0d0",
        linewidth=6,
        solid_capstyle="round",
        label="ceiling log₂ t",
    )


def curve_look(head: HeadResult, n_points: int) -> dict[str, Any]:
    """Return how the curve of a head is drawn, told apart from others without colour too."""
    uid = head.head.uid
    marker = head_marker(uid).on_paper
    step = math.ceil(n_points / MOST_MARKERS)
    return {
        "color": head_colour(uid),
        # Where markers come again dashes differ, so that 32 heads are told apart without colour.
        "linestyle": LINES[(uid - 1) // len(HEAD_MARKERS) % len(LINES)],
        "linewidth": 1.4,
        "marker": marker,
        "markersize": STAR_SIZE if marker == "*" else MARKER_SIZE,
        "markevery": ((uid - 1) % step, step),  # apart where curves lie on one another
        "markerfacecolor": None if head.active else "white",
        "alpha": 1.0 if head.active else 0.6,
    }


def _dress(axes: Axes, scene: Scene) -> None:
    last = scene.n_positions
    axes.set_xlabel("query position t")
    axes.set_ylabel("row entropy (bits)")
    axes.set_xlim(1 - 0.03 * max(last - 1, 1), last + 0.03 * max(last - 1, 1))
    axes.set_ylim(bottom=-0.04 * max(np.log2(last), 1), top=1.06 * max(np.log2(last), 1))
    shown = round_ticks(last, 12)
    axes.set_xticks(shown, [f"t{number}" for number in shown])
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    dress(axes)
