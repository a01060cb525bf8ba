"""All heads of a model by two scores: those with a label in its colour, some of them named."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from mhagui.document.scorecard import LETTERS, NO_LABEL, Column
from mhagui.figures.charts import Doubles, HeadScatter, chances
from mhagui.figures.page import (
    LABEL_SIZE,
    TICK_SIZE,
    Box,
    Plan,
    Sheet,
    dress,
    in_math,
    line_height,
    text_width,
)
from mhagui.figures.paper import EDGE, NARROW, Paper
from mhagui.figures.scales import round_up
from mhagui.palette import HEAD_COLOURS, HEAD_MARKERS

LEFT = EDGE + line_height(LABEL_SIZE) + 0.36
BELOW = 2 * line_height(LABEL_SIZE) + 0.14
WIDTH, HEIGHT, LOW = 4.2, 3.2, 2.6  # inches of the axes, and on narrow paper
LEGEND_GAP, LEGEND_COLUMN = 0.15, 1.65
LEGEND_LINE = 1.4 * line_height(TICK_SIZE)
MOST_NAMED = 12
REACHES = (0.06, 0.12)  # inches from a point to its name
MARKER, PLAIN = 4.2, 2.4  # points, and so many times as much where there are few
FEW, LARGER = 64, 1.4
HALF_POINT = 0.035  # inches, of a point that a name keeps clear of


def plan(chart: HeadScatter, paper: Paper) -> Plan:
    """Lay out the points."""
    counts = chart.heads.counts()
    has_chance = any(chances(score) for score in (chart.across, chart.upwards))
    n_entries = len(counts) + has_chance
    is_beside = paper.width > NARROW
    n_columns = 1 if is_beside else 2
    n_lines = -(-n_entries // n_columns)
    taken = LEGEND_GAP + LEGEND_COLUMN if is_beside else EDGE
    under = EDGE + BELOW + (0.0 if is_beside else LEGEND_LINE * n_lines)
    width = min(paper.width - LEFT - taken - EDGE, WIDTH)
    height = HEIGHT if is_beside else LOW
    if paper.height is not None:
        height = paper.height - EDGE - under
        width = min(paper.width - LEFT - taken - EDGE, 1.8 * height)
    box = Box(LEFT, EDGE, width, height)

    def paint(sheet: Sheet) -> None:
        axes = sheet.place(box)
        _draw(axes, sheet, chart, box)
        place = (1 + LEGEND_GAP / width, 1.0) if is_beside else (0.0, -BELOW / height)
        axes.legend(
            handles=list(_handles(sheet, counts, has_chance=has_chance)),
            loc="upper left",
            bbox_to_anchor=place,
            ncols=n_columns,
            frameon=False,
            borderpad=0,
            borderaxespad=0,
            handlelength=1.6,
            columnspacing=1.2,
        )

    end = max(box.bottom + under - EDGE, EDGE + LEGEND_LINE * n_entries if is_beside else 0.0)
    return Plan(chart.heading, _caption(chart), LEFT + width + taken + EDGE, end + EDGE, paint)


def _draw(axes: Axes, sheet: Sheet, chart: HeadScatter, box: Box) -> None:
    xs, ys = chart.across.values, chart.upwards.values
    low_x, high_x = _ends(chart.across)
    low_y, high_y = _ends(chart.upwards)
    axes.set_xlim(low_x, high_x)
    axes.set_ylim(low_y, high_y)
    axes.set_xlabel(in_math(chart.across.measure.with_unit))
    axes.set_ylabel(in_math(chart.upwards.measure.with_unit))
    dress(axes, sheet)
    lines: list[_Rectangle] = []
    for score, draw, is_upright in (
        (chart.across, axes.axvline, True),
        (chart.upwards, axes.axhline, False),
    ):
        for level in sorted(set(chances(score) or ())):
            draw(level, **_chance_look(sheet))
            low, high = (low_x, high_x) if is_upright else (low_y, high_y)
            at = (level - low) / (high - low) * (box.width if is_upright else box.height)
            whole = _Rectangle(at, 0, at, box.height), _Rectangle(0, at, box.width, at)
            lines.append(whole[0] if is_upright else whole[1])
    labels = np.array(chart.heads.labels)
    for label in ("", *LETTERS):
        has = labels == label
        axes.plot(xs[has], ys[has], **_look(sheet, label, len(labels)))
    inches = np.column_stack(
        [(xs - low_x) / (high_x - low_x) * box.width, (ys - low_y) / (high_y - low_y) * box.height]
    )
    for name in _names(chart, inches, box, lines):
        axes.text(
            name.left / box.width,
            name.bottom / box.height,
            name.text,
            transform=axes.transAxes,
            fontsize=sheet.pt(TICK_SIZE),
            color=sheet.inks.ink,
            va="bottom",
            parse_math=False,
            zorder=4,
        )


def _ends(score: Column) -> tuple[float, float]:
    """Return what an axis shows: from a little below 0 to beyond all heads and chance."""
    if score.measure.is_up_to_1:
        high = 1.0
    else:
        high = round_up(np.concatenate([score.values, score.baselines]))
    return -0.03 * high, 1.03 * high


def _look(sheet: Sheet, label: str, n_heads: int) -> dict[str, Any]:
    """Return how the points of a label look, in every figure alike but for their size."""
    larger = LARGER if n_heads <= FEW else 1.0
    common = {"linestyle": "", "markeredgewidth": sheet.pt(0.4), "zorder": 3}
    if not label:
        size, ink = sheet.pt(PLAIN * larger), sheet.inks.muted
        return common | {"marker": "o", "markersize": size, "color": ink, "zorder": 2.5}
    number = list(LETTERS).index(label)
    marker = HEAD_MARKERS[number].on_paper
    return common | {
        "marker": marker,
        "markersize": sheet.pt(MARKER * larger * (1.4 if marker == "*" else 1.0)),
        "markerfacecolor": HEAD_COLOURS[number],
        "markeredgecolor": sheet.inks.ground,
    }


def _chance_look(sheet: Sheet) -> dict[str, Any]:
    dashes = {"linestyle": (0, (4, 2)), "linewidth": sheet.pt(0.8)}
    return {"color": sheet.inks.muted, "zorder": 2, **dashes}


def _handles(sheet: Sheet, counts: dict[str, int], *, has_chance: bool) -> Iterator[Line2D]:
    for label, count in counts.items():
        look = _look(sheet, label, sum(counts.values()))
        yield Line2D([], [], label=f"{label or NO_LABEL} ({count})", **look)
    if has_chance:
        yield Line2D([], [], label="chance", **_chance_look(sheet))


# ------------------------------------------------------------------------------------------- names


class _Rectangle(NamedTuple):
    """A part of the axes, in inches from their lower left corner."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: "_Rectangle") -> bool:
        return (
            self.left < other.right and other.left < self.right
            and self.bottom < other.top and other.bottom < self.top
        )  # fmt: skip


@dataclass(frozen=True)
class _Name:
    """A head's name and its lower left corner."""

    text: str
    left: float
    bottom: float


def _names(
    chart: HeadScatter, inches: Doubles, box: Box, lines: Sequence[_Rectangle]
) -> Iterator[_Name]:
    """Yield the names of some labelled heads, where they touch nothing.

    Labels take turns, so that many sinks leave room for the one induction head.
    """
    known = np.isfinite(inches.sum(axis=1))
    taken = [_around(*point) for point in inches[known].tolist()]
    taken += [_grown(line, 0.01) for line in lines]
    n_named = 0
    for head in _in_turn(chart):
        if n_named == MOST_NAMED:
            return
        if not known[head]:
            continue
        text = chart.heads.names[head]
        x, y = map(float, inches[head])
        for place in _places(x, y, text_width(text) * 1.04, line_height(TICK_SIZE)):
            is_inside = place.left >= 0.02 and place.right <= box.width
            is_inside = is_inside and place.bottom >= 0.02 and place.top <= box.height
            if is_inside and not any(place.meets(other) for other in taken):
                taken.append(place)
                n_named += 1
                yield _Name(text, place.left, place.bottom)
                break


def _in_turn(chart: HeadScatter) -> Iterator[int]:
    """Yield the labelled heads, the clearest of each label first, one label after another."""
    labels = np.array(chart.heads.labels)
    queues = []
    for label in chart.heads.counts():
        places = np.flatnonzero(labels == label)
        if label:
            order = np.argsort(-chart.strengths[places], kind="stable")
            queues.append(places[order].tolist())
    for turn in range(max(map(len, queues), default=0)):
        yield from (queue[turn] for queue in queues if turn < len(queue))


def _places(x: float, y: float, width: float, height: float) -> Iterator[_Rectangle]:
    """Yield where a name could stand that belongs to the point at (x, y)."""
    for reach in REACHES:
        for across, up in (
            (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1),
        ):  # fmt: skip
            away = reach if across == 0 or up == 0 else 0.7 * reach
            left = x + across * away - (0.5 - across / 2) * width
            bottom = y + up * away - (0.5 - up / 2) * height
            yield _Rectangle(left, bottom, left + width, bottom + height)


def _around(x: float, y: float) -> _Rectangle:
    return _grown(_Rectangle(x, y, x, y), HALF_POINT)


def _grown(part: _Rectangle, by: float) -> _Rectangle:
    return _Rectangle(part.left - by, part.bottom - by, part.right + by, part.top + by)


def _caption(chart: HeadScatter) -> str:
    across, upwards = chart.across.measure, chart.upwards.measure
    named = any(chart.heads.labels)
    names = (
        " Colours and shapes are those of labels; of each the clearest heads are named, "
        f"{MOST_NAMED} at most."
        if named
        else ""
    )
    chance = any(chances(score) for score in (chart.across, chart.upwards))
    lines = " Dashed: chance, what a head has that looks at all it may see alike." if chance else ""
    return (
        f"The {len(chart.heads.names)} heads of “{chart.seen.title}”{chart.seen.given}: across "
        f"{across.name} ({across.meaning}), upwards {upwards.name} ({upwards.meaning}).{lines}"
        f"{names}"
    )
