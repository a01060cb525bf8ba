"""Curves of heads: how each is drawn and named, told apart without colour too."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from mhagui.document import HeadResult, Result
from mhagui.document.records import Array
from mhagui.figures.page import (
    FILL,
    LABEL_SIZE,
    TICK_SIZE,
    Sheet,
    line_height,
    state_of,
    text_width,
    wrapped,
)
from mhagui.figures.paper import EDGE, NARROW, Paper
from mhagui.palette import HEAD_MARKERS, head_colour, head_marker

WIDTH = 4.2  # inches of the axes, at most
LEGEND_WIDTH, LEGEND_GAP = 1.75, 0.15
HANDLE, COLUMN_GAP = 0.35, 0.15  # inches before a name, and between two columns of names
LINES = ("-", "--", "-.", ":")
MOST_MARKERS = 24  # on one line
STAR_SIZE, MARKER_SIZE = 6.5, 4.0  # in points; a star of the same size looks smaller
MORE_MARKER = 2.5  # points, than that of the curve which lies on it
SAME = 0.004  # of the largest value: curves no further apart are seen as one
DASH = 2.5  # line widths, of each of the curves that take turns on one line
AXIS_TITLE = EDGE + line_height(LABEL_SIZE)


class Legend:
    """Where the names of the heads' curves stand: beside the axes, or below on narrow paper."""

    def __init__(self, result: Result, paper: Paper, left: float) -> None:
        """Measure the names; the axes begin at ``left`` inches."""
        self.is_beside = paper.width > NARROW
        room = LEGEND_WIDTH if self.is_beside else paper.width - left - EDGE
        self.names = [_name(n, head, room, paper) for n, head in enumerate(result.heads, 1)]
        lines = [line for name in (ceiling(result), *self.names) for line in name.split("\n")]
        longest = max(map(text_width, lines)) / FILL
        fitting = int((room + COLUMN_GAP) / (longest + HANDLE + COLUMN_GAP))
        self.n_columns = 1 if self.is_beside else max(fitting, 1)
        self.width = WIDTH if self.is_beside else paper.width - left - 2 * EDGE
        taken = LEGEND_GAP + LEGEND_WIDTH if self.is_beside else EDGE
        self.page_width = left + self.width + taken + EDGE

    def height(self, n_more: int = 0) -> float:
        """Return how high it is, with ``n_more`` names of one line."""
        lines = [*n_more * [1], *(name.count("\n") + 1 for name in self.names)]
        columns = [lines[start :: self.n_columns] for start in range(self.n_columns)]
        most = max(sum(column) + 0.4 * len(column) for column in columns)
        return most * line_height(TICK_SIZE)

    def draw(self, axes: Axes, height: float, below: float) -> None:
        """Name the curves of ``axes``, which are ``height`` inches; labels take ``below``."""
        place = (1 + LEGEND_GAP / self.width, 1.0) if self.is_beside else (0.0, -below / height)
        axes.legend(
            loc="upper left",
            bbox_to_anchor=place,
            frameon=False,
            borderpad=0,
            borderaxespad=0,
            handlelength=2.6,
            ncols=self.n_columns,
            columnspacing=1.2,
        )


def ceiling(result: Result) -> str:
    """Return what the most that a row's entropy can be is called."""
    return f"ceiling {result.ceiling_name.replace('log2', 'log₂')}"


def _name(number: int, head: HeadResult, room: float, paper: Paper) -> str:
    # On a page with other figures heads are named in these.
    name = f"h{number}" if paper.is_part else f"h{number} {head.head.name}{state_of(head)}"
    # A dollar sign would start a formula in a legend.
    return "\n".join(wrapped(name.replace("$", r"\$"), room - HANDLE, TICK_SIZE))


def draw_curves(
    axes: Axes, sheet: Sheet, result: Result, names: Sequence[str], at: Array, values: list[Array]
) -> None:
    """Draw the curve of every head over ``at``; those that lie on one another take turns."""
    for number, (head, name, of_head) in enumerate(zip(result.heads, names, values, strict=True)):
        alike = [other for other, others in enumerate(values) if _are_alike(of_head, others)]
        look = curve_look(sheet, head, len(at))
        if len(alike) > 1:
            look |= _turn(sheet, alike.index(number), len(alike), len(values), len(at))
        axes.plot(at, of_head, label=name, **look)


def _are_alike(one: Array, other: Array) -> bool:
    largest = float(np.max(np.abs(one), where=np.isfinite(one), initial=0.0))
    return np.allclose(one, other, rtol=0, atol=SAME * largest, equal_nan=True)


def _turn(sheet: Sheet, number: int, count: int, n_heads: int, n_points: int) -> dict[str, Any]:
    """Return what shows curve ``number``, from 0, of so many on one another.

    Of the line it has its own dashes over the first. Its markers, where those of all are at the
    same points, are larger than those of the next, which is drawn over it.
    """
    turn: dict[str, Any] = {}
    if number and n_heads <= len(HEAD_MARKERS):  # of more, dashes tell heads apart
        turn["linestyle"] = (-number * DASH, (DASH, DASH * (count - 1)))
    step = math.ceil(n_points / MOST_MARKERS)
    if step > 1:
        turn["markevery"] = (step * number // count, step)
    else:
        size = MARKER_SIZE + MORE_MARKER * min(count - 1 - number, 3)
        turn["markersize"] = sheet.pt(size)
    return turn


def curve_look(sheet: Sheet, head: HeadResult, n_points: int) -> dict[str, Any]:
    """Return how the curve of a head is drawn, told apart from others without colour too."""
    uid = head.head.uid
    marker = head_marker(uid).on_paper
    step = math.ceil(n_points / MOST_MARKERS)
    faded = sheet.paper.faded(head_colour(uid), 0.85 if sheet.paper.style.is_dark else 0.6)
    colour = head_colour(uid) if head.active else faded
    return {
        "color": colour,
        # Where markers come again dashes differ, so that 32 heads are told apart without colour.
        "linestyle": LINES[(uid - 1) // len(HEAD_MARKERS) % len(LINES)],
        "linewidth": sheet.pt(1.4),
        "marker": marker,
        "markersize": sheet.pt(STAR_SIZE if marker == "*" else MARKER_SIZE),
        "markeredgewidth": sheet.pt(1.0),
        "markevery": ((uid - 1) % step, step),  # apart where curves lie on one another
        "markerfacecolor": None if head.active else sheet.inks.ground,
    }
