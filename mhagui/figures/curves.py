"""Curves of heads: how each is drawn and named, told apart without colour too."""

import math
from typing import Any

from matplotlib.axes import Axes

from mhagui.document import HeadResult, Result
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
from mhagui.figures.paper import EDGE, Paper
from mhagui.palette import HEAD_MARKERS, head_colour, head_marker

WIDTH = 4.2  # inches of the axes, at most
LEGEND_WIDTH, LEGEND_GAP = 1.75, 0.15
HANDLE, COLUMN_GAP = 0.35, 0.15  # inches before a name, and between two columns of names
CEILING = "ceiling log₂ t"
NARROW = 5.0  # inches of paper, below which the legend is below the curves
LINES = ("-", "--", "-.", ":")
MOST_MARKERS = 24  # on one line
STAR_SIZE, MARKER_SIZE = 6.5, 4.0  # in points; a star of the same size looks smaller
AXIS_TITLE = EDGE + line_height(LABEL_SIZE)


class Legend:
    """Where the names of the heads' curves stand: beside the axes, or below on narrow paper."""

    def __init__(self, result: Result, paper: Paper, left: float) -> None:
        """Measure the names; the axes begin at ``left`` inches."""
        self.is_beside = paper.width > NARROW
        room = LEGEND_WIDTH if self.is_beside else paper.width - left - EDGE
        self.names = [_name(n, head, room, paper) for n, head in enumerate(result.heads, 1)]
        lines = [line for name in (CEILING, *self.names) for line in name.split("\n")]
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


def _name(number: int, head: HeadResult, room: float, paper: Paper) -> str:
    # On a page with other figures heads are named in these.
    name = f"h{number}" if paper.is_part else f"h{number} {head.head.name}{state_of(head)}"
    # A dollar sign would start a formula in a legend.
    return "\n".join(wrapped(name.replace("$", r"\$"), room - HANDLE, TICK_SIZE))


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
