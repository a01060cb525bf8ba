"""Impulse responses: row t of every head's weights, and the filter the head approaches."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.path import Path as Outline
from matplotlib.transforms import Affine2D

from mhagui.document import HeadResult, Result
from mhagui.document.designs import filter_of
from mhagui.document.response import row_response, shown_row
from mhagui.figures.cells import column_names, hatch, name_columns
from mhagui.figures.page import (
    LABEL_SIZE,
    POINTS,
    TICK_SIZE,
    Plan,
    Sheet,
    dress,
    line_height,
    state_of,
    text_width,
)
from mhagui.figures.panels import AXIS_LABEL, Panels, best_of, wrapped_names
from mhagui.figures.paper import EDGE, Paper
from mhagui.figures.subject import Subject
from mhagui.formats import fixed
from mhagui.palette import head_colour

LEFT = EDGE + line_height(LABEL_SIZE) + 0.3
WIDEST, NARROWEST = 2.4, 1.15
TALL, LOW, LOWEST = 1.35, 0.8, 0.45
MANY_HEADS = 8
SHORTEST_IDEAL = 0.06  # inches: the line of one tap
SLIMMEST = 0.5  # inches, where there is no room, and all is made smaller
BESIDE = 0.6  # keys of room before the first and after the last
FEW_KEYS = 12  # up to so many all are shown, of which the row sees the first
MANY_KEYS = 40  # from here on taps are drawn without dots
LEGEND = ("weights", "filter as gain grows")
LEGEND_LINE = 1.2 * line_height(TICK_SIZE)


def plan(subject: Subject, paper: Paper) -> Plan:
    """Lay out row t of every head."""
    result, at = subject.result, shown_row(subject.scene, subject.row)
    n_heads = len(result.heads)

    def with_columns(n_columns: int) -> Plan:
        return _plan(subject, paper, at, n_columns)

    if paper.height is not None:
        return best_of(n_heads, paper, with_columns)
    room = int((paper.width - LEFT) / NARROWEST)
    most = min(n_heads, 4 if n_heads <= MANY_HEADS else 6, max(room, 1))
    return with_columns(math.ceil(n_heads / math.ceil(n_heads / most)))  # rows of one length


def _plan(subject: Subject, paper: Paper, at: int, n_columns: int) -> Plan:
    result = subject.result
    scene, last = subject.scene, _last_shown(subject.scene.n_positions, at)
    panels = _panels(result, paper, at, n_columns)
    columns, widest = (
        column_names(paper, of, panels.width / (_last_shown(of.n_positions, at) - 1 + 2 * BESIDE))
        for of in (scene, paper.roomiest(scene))
    )
    panels = replace(panels, labels=max(columns.height, widest.height))
    has_ideal = any(row_response(head, at).ideal is not None for head in result.heads)

    def paint(sheet: Sheet) -> None:
        for index, head in enumerate(result.heads):
            axes = sheet.place(panels.box(index))
            _dress(axes, sheet, panels, index, last)
            peaks = (at, int(head.weights[at].argmax()))[: 1 + panels.is_roomy]
            name_columns(axes, columns, last, at=1.0, always=peaks)
            panels.keep_labels(axes, index)
            allowed = result.allowed[at, :last]
            _stems(axes, sheet, head, at, np.flatnonzero(allowed), panels.width / last)
            for keys in _unseen(allowed):
                hatch(sheet, axes, panels.box(index), keys)
            panels.write_name(sheet, index, muted=not head.active)
        panels.write_axes(sheet, f"weight at t{at + 1}", "key position i")
        handles, n_beside = _handles(sheet, has_ideal), 1 + (width >= legend)
        sheet.legend(width / 2, panels.end + AXIS_LABEL + 0.04, handles, n_beside)

    title = f"{subject.scene.title}: impulse responses at t{at + 1}"
    caption = (
        f"Row t{at + 1} of the weights of each head, its impulse response at that position. "
        + has_ideal
        * "Grey: the filter that it approaches as the gain grows, at the distance given."
    )
    legend = sum(map(text_width, LEGEND)) + 1.4 if has_ideal else 0.0
    width = max(panels.right + 0.12, min(legend, paper.width))
    height = LEGEND_LINE * (2 if width < legend else 1) + 0.04
    return Plan(title, caption, width, panels.end + AXIS_LABEL + height + EDGE, paint)


def _panels(result: Result, paper: Paper, at: int, n_columns: int) -> Panels:
    """Return where the panels are."""
    few = len(result.heads) <= MANY_HEADS
    roomy = few and not paper.is_part
    gap, height = (0.16, TALL) if few else (0.12, LOW)
    height = min(height, max(paper.tallest / math.ceil(len(result.heads) / n_columns), LOWEST))
    room = paper.width - LEFT - 0.12 - (n_columns - 1) * gap
    width = min(max(room / n_columns, SLIMMEST), WIDEST)
    names = []
    for number, head in enumerate(result.heads, 1):
        what = filter_of(head.head, head.mask) if head.head.pattern.is_designed else head.head.name
        parts = f"h{number} {what}{state_of(head)}", _distance(head, at)
        lines_of = wrapped_names(parts, width, roomy=roomy)
        names.append([line for lines in lines_of for line in lines])
    return Panels(len(names), n_columns, width, height, LEFT, gap, names, roomy)


def _distance(head: HeadResult, row: int) -> str:
    """Return how far ``row`` is from the filter the head approaches."""
    response = row_response(head, row)
    if response.ideal is None:
        return f"no ideal at t{row + 1}"
    return f"TV distance {fixed(response.distance)}"


def _last_shown(n_positions: int, row: int) -> int:
    """Return up to which key, from 1, there is room: of many, not much past those of ``row``."""
    return min(n_positions, max(2 * (row + 1), FEW_KEYS))


def _unseen(allowed: npt.NDArray[np.bool_]) -> Iterator[Outline]:
    """Yield a box around each run of keys that are not ``allowed``, up to the edges of the axes."""
    last = len(allowed)
    ends = np.flatnonzero(np.diff(allowed, prepend=True, append=True)).tolist()
    for first, end in zip(ends[::2], ends[1::2], strict=True):
        left = first + 0.5 if first else 1 - BESIDE
        width = (end + 0.5 if end < last else last + BESIDE) - left
        yield Outline.unit_rectangle().transformed(Affine2D().scale(width, 1.08).translate(left, 0))


def _stems(
    axes: Axes,
    sheet: Sheet,
    head: HeadResult,
    row: int,
    seen: npt.NDArray[np.intp],
    pitch: float,
) -> None:
    """Draw the taps of ``row`` at the keys ``seen``, ``pitch`` inches from one to the next."""
    taps, ideal, _ = row_response(head, row)
    keys, taps = seen + 1, taps[seen]
    colour = head_colour(head.head.uid)
    if ideal is not None:
        half = max(0.36, SHORTEST_IDEAL / 2 / pitch)  # in keys
        on, at = ideal[ideal > 0], keys[ideal > 0]
        ink, width = sheet.inks.muted, sheet.pt(1.0)
        axes.hlines(on, at - half, at + half, color=ink, linewidth=width, zorder=2)
    width = sheet.pt(min(1.4, 0.6 * pitch * POINTS))
    axes.vlines(keys, 0, taps, color=colour, linewidth=width, zorder=3)
    if row < MANY_KEYS:
        look: dict[str, Any] = {"color": colour, "markersize": sheet.pt(4), "zorder": 4}
        axes.plot(keys, taps, "o", clip_on=False, **look)


def _dress(axes: Axes, sheet: Sheet, panels: Panels, index: int, last: int) -> None:
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.tick_params(labelleft=index % panels.n_columns == 0)
    axes.set_xlim(1 - BESIDE, last + BESIDE)
    axes.set_ylim(0, 1.08)
    dress(axes, sheet, "y")


def _handles(sheet: Sheet, has_ideal: bool) -> list[Line2D]:
    look: dict[str, Any] = {"marker": "o", "markersize": sheet.pt(4), "linewidth": sheet.pt(1.4)}
    weights = Line2D([], [], color=sheet.inks.ink, label=LEGEND[0], **look)
    ideal = Line2D([], [], color=sheet.inks.muted, linewidth=sheet.pt(1.0), label=LEGEND[1])
    return [weights, ideal] if has_ideal else [weights]
