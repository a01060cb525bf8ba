"""Panels of one size in rows and columns, with names above and labels at the outside."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from mhagui.document import HeadResult
from mhagui.figures.cells import LABELS_BELOW
from mhagui.figures.page import (
    LABEL_SIZE,
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    Plan,
    Sheet,
    in_math,
    line_height,
    state_of,
    wrapped,
)
from mhagui.figures.paper import EDGE, NARROW, Paper

AXIS_LABEL = line_height(LABEL_SIZE) + 0.04
ROOMY = 3  # columns with which every panel has its own labels, on paper that is not narrow
FEW, FEW_IN_PART = 9, 4  # panels that are in two columns on narrow paper, and in part of a page
MOST_BESIDE = 6  # panels in a row, on a page with other figures
NAME_GAP = 0.05  # between a name and what is below it
OUTSIDE_GAP = 0.2  # between panels without labels of their own


@dataclass(frozen=True, eq=False)
class Panels:
    """Where panels are, in inches.

    Attributes
    ----------
    n_panels, n_columns
        How many there are, in rows of so many.
    width, height
        Of the cells or axes of each.
    left, gap
        Where the first begins, and what is between two of them.
    names
        The name of each, in lines.
    is_roomy
        Whether every panel has its own labels; of many panels only the outer ones do.
    labels
        Height of the labels below a panel.
    under
        Inches between a name and its panel, for what else is written there.
    """

    n_panels: int
    n_columns: int
    width: float
    height: float
    left: float
    gap: float
    names: Sequence[list[str]]
    is_roomy: bool = True
    labels: float = LABELS_BELOW
    under: float = 0.0

    @property
    def n_rows(self) -> int:
        """How many rows of panels there are."""
        return math.ceil(self.n_panels / self.n_columns)

    @property
    def name_size(self) -> float:
        """Points of the names."""
        return TITLE_SIZE if self.is_roomy else TICK_SIZE

    @property
    def above(self) -> float:
        """Height of the tallest name and what is below it."""
        lines = max(map(len, self.names))
        return lines * line_height(self.name_size) + NAME_GAP + self.under

    @property
    def below(self) -> float:
        """From the cells of a row of panels to the names of the next."""
        return (self.labels if self.is_roomy else 0.0) + 0.1

    @property
    def pitch(self) -> float:
        """From the top of a row of panels to that of the next."""
        return self.above + self.height + self.below

    @property
    def right(self) -> float:
        """Where the last column of panels ends."""
        return self.left + self.n_columns * (self.width + self.gap) - self.gap

    @property
    def middle(self) -> float:
        """The middle of all columns."""
        return (self.left + self.right) / 2

    @property
    def inside(self) -> Box:
        """From the first panel's corner to the last's."""
        top = EDGE + self.above
        bottom = EDGE + self.n_rows * self.pitch - self.below
        return Box(self.left, top, self.right - self.left, bottom - top)

    @property
    def end(self) -> float:
        """Where the labels below the last row of panels end."""
        return EDGE + self.n_rows * self.pitch + (0.0 if self.is_roomy else self.labels)

    def box(self, index: int) -> Box:
        """Return where the cells of panel ``index`` are."""
        row, column = divmod(index, self.n_columns)
        left = self.left + column * (self.width + self.gap)
        return Box(left, EDGE + row * self.pitch + self.above, self.width, self.height)

    def write_name(self, sheet: Sheet, index: int, *, muted: bool = False) -> None:
        """Write the name of panel ``index`` above it."""
        lines, box = self.names[index], self.box(index)
        top = box.top - self.under - NAME_GAP - len(lines) * line_height(self.name_size)
        ink = sheet.inks.muted if muted else sheet.inks.ink
        look = {"fontsize": self.name_size, "color": ink}
        sheet.write(box.left, top, in_math("\n".join(lines)), **look)

    def keep_labels(self, axes: Axes, index: int) -> None:
        """Take the labels of panel ``index`` away that one at the outside has for it."""
        if not self.is_roomy:
            is_left = index % self.n_columns == 0
            is_below = index + self.n_columns >= self.n_panels
            axes.tick_params(labelleft=is_left, labelbottom=is_below)

    def write_axes(self, sheet: Sheet, rows: str, columns: str) -> None:
        """Write what the rows and the columns of all panels are."""
        inside = self.inside
        sheet.write(self.middle, self.end, columns, ha="center")
        middle = inside.top + inside.height / 2
        sheet.write(EDGE, middle, rows, rotation=90, va="center")


def head_name(number: int, head: HeadResult) -> str:
    """Return how a panel of a head is named, as in legends; ``number`` is from 1."""
    return f"h{number} {head.head.name}{state_of(head)}"


def is_roomy(n_columns: int, paper: Paper) -> bool:
    """Return whether there is room for labels of every panel."""
    return n_columns == 1 or (n_columns <= ROOMY and paper.width > NARROW)


def wrapped_names(names: Sequence[str], width: float, *, roomy: bool) -> list[list[str]]:
    """Return the names in lines as wide as a panel."""
    return [wrapped(name, width - 0.02, TITLE_SIZE if roomy else TICK_SIZE) for name in names]


def best_of(n_panels: int, paper: Paper, lay_out: Callable[[int], Plan]) -> Plan:
    """Return the plan with the number of columns that suits the paper best.

    Type is to be as large as it is asked for, and then panels as large as can be.

    As many columns as rows, or less on narrow paper, where it is as high as it needs to be; on a
    page with other figures, as many as there is room for.
    """
    if paper.height is None:
        n_columns = math.ceil(math.sqrt(n_panels))
        if paper.is_part and paper.width > NARROW:
            return lay_out(min(n_panels, MOST_BESIDE))
        few = 2 if n_panels <= (FEW_IN_PART if paper.is_part else FEW) else 3
        return lay_out(n_columns if paper.width > NARROW else min(n_columns, few))
    width, height = paper.width, paper.height

    def fit(n_columns: int) -> tuple[float, float]:
        plan = plans[n_columns]
        scale = min(width / plan.width, height / plan.height)
        return round(min(scale, 1.0), 2), scale * plan.width / n_columns

    plans = {n_columns: lay_out(n_columns) for n_columns in range(1, n_panels + 1)}
    return plans[max(plans, key=fit)]
