"""Several figures on one page, lettered."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from mhagui.figures.page import TITLE_SIZE, Plan, Sheet, line_height
from mhagui.figures.paper import EDGE, Paper

GAP = 0.14  # inches between figures
LETTER = line_height(TITLE_SIZE)  # above each


@dataclass(frozen=True, eq=False)
class _Placed:
    """A plan, and where it is."""

    plan: Plan
    left: float
    top: float


def composed(title: str, caption: str, plans: Sequence[Plan], paper: Paper) -> Plan:
    """Return ``plans`` in order, as many beside one another as the paper has room for.

    Each has a letter, by which the caption says what it shows; what has no caption is a heading. A
    page of a fixed height is filled as well as can be.
    """
    best = min((_rows(plans, width) for width in _widths(plans, paper)), key=_Fit(paper))
    width = max(one.left + one.plan.width for one in best)
    height = max(one.top + one.plan.height for one in best)
    lettered = list(zip(ascii_lowercase, (one for one in best if one.plan.caption), strict=False))

    def paint(sheet: Sheet) -> None:
        look = {"fontsize": TITLE_SIZE, "fontweight": "bold"}
        for letter, one in lettered:
            sheet.write(one.left + EDGE, one.top - LETTER, letter, **look)
        for one in best:
            one.plan.paint(sheet.moved(one.left, one.top))

    said = " ".join(f"({letter}) {one.plan.caption}" for letter, one in lettered)
    return Plan(title, f"{caption} {said}".strip(), width, height, paint)


@dataclass(frozen=True)
class _Fit:
    """How badly rows of figures fit a page: lowest is best."""

    paper: Paper

    def __call__(self, rows: list[_Placed]) -> float:
        """Return how much larger than the paper they are."""
        width = max(one.left + one.plan.width for one in rows)
        height = max(one.top + one.plan.height for one in rows)
        return max(width / self.paper.width, height / (self.paper.height or height))


def _widths(plans: Sequence[Plan], paper: Paper) -> list[float]:
    """Return the widths to try: that of the paper, and wider ones where it is only so high."""
    if paper.height is None:
        return [max(paper.width, *(plan.width for plan in plans))]
    most = sum(plan.width + GAP for plan in plans)
    least = max(plan.width for plan in plans)
    return [least + (most - least) * step / 8 for step in range(9)]


def _rows(plans: Sequence[Plan], width: float) -> list[_Placed]:
    """Place the plans from left to right, in the next row where one is full."""
    rows: list[list[Plan]] = [[]]
    for plan in plans:
        taken = sum(one.width + GAP for one in rows[-1])
        if rows[-1] and taken + plan.width > width + 1e-9:
            rows.append([])
        rows[-1].append(plan)
    placed, top = [], 0.0
    for row in rows:
        left = (width - sum(one.width + GAP for one in row) + GAP) / 2
        for plan in row:
            placed.append(_Placed(plan, left, top + LETTER))
            left += plan.width + GAP
        top += LETTER + max(plan.height for plan in row) + GAP
    return placed
