"""Several figures on one page, lettered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from mhagui.figures.page import TITLE_SIZE, Plan, Sheet, line_height
from mhagui.figures.paper import EDGE, Paper

GAP, ROW_GAP = 0.14, 0.04  # inches between figures: beside one another, and below
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
    best = min(_placings(plans, paper), key=_Fit(paper))
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
    """How badly figures fit a page where they are placed: lowest is best."""

    paper: Paper

    def __call__(self, placed: list[_Placed]) -> float:
        """Return how much larger than the paper they are."""
        width = max(one.left + one.plan.width for one in placed)
        height = max(one.top + one.plan.height for one in placed)
        return max(width / self.paper.width, height / (self.paper.height or height))


def _placings(plans: Sequence[Plan], paper: Paper) -> Iterator[list[_Placed]]:
    """Yield the ways to try: rows as wide as the paper; of a fixed height also others."""
    widths, heights = [plan.width + GAP for plan in plans], [_height(plan) for plan in plans]
    if paper.height is None:
        yield _rows(plans, max(paper.width, *(plan.width for plan in plans)))
        return
    for step in range(9):
        yield _rows(plans, max(widths) + (sum(widths) - max(widths)) * step / 8)
        yield _columns(plans, max(heights) + (sum(heights) - max(heights)) * step / 8)


def _height(plan: Plan) -> float:
    return LETTER + plan.height + ROW_GAP


def _columns(plans: Sequence[Plan], height: float) -> list[_Placed]:
    """Place the plans from top to bottom, in the next column where one is full."""
    placed: list[_Placed] = []
    left, top, widest = 0.0, EDGE, 0.0
    for plan in plans:
        if placed and top + _height(plan) > EDGE + height + 1e-9:
            left, top, widest = left + widest + GAP, EDGE, 0.0
        placed.append(_Placed(plan, left, top + LETTER))
        top, widest = top + _height(plan), max(widest, plan.width)
    return placed


def _rows(plans: Sequence[Plan], width: float) -> list[_Placed]:
    """Place the plans from left to right, in the next row where one is full."""
    rows: list[list[Plan]] = [[]]
    for plan in plans:
        taken = sum(one.width + GAP for one in rows[-1])
        if rows[-1] and taken + plan.width > width + 1e-9:
            rows.append([])
        rows[-1].append(plan)
    placed, top = [], EDGE
    for row in rows:
        left = (width - sum(one.width + GAP for one in row) + GAP) / 2
        top += LETTER if any(plan.caption for plan in row) else 0.0
        for plan in row:
            placed.append(_Placed(plan, left, top))
            left += plan.width + GAP
        top += max(plan.height for plan in row) + ROW_GAP
    return placed
