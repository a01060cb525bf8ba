"""Impulse responses: row t of every head's weights, and the filter the head approaches."""

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mhagui.document import HeadResult, Result, Scene
from mhagui.document.designs import filter_of, ideal_taps
from mhagui.document.response import row_response, shown_row
from mhagui.figures.page import (
    EDGE,
    FULL_WIDTH,
    HATCH,
    INK,
    LABEL_SIZE,
    MUTED_INK,
    POINTS,
    TICK_SIZE,
    TITLE_SIZE,
    dress,
    line_height,
    new_page,
    place,
    round_ticks,
    state_of,
    text_width,
    wrapped,
    write,
)
from mhagui.formats import fixed
from mhagui.palette import head_colour

LEFT = EDGE + line_height(LABEL_SIZE) + 0.3
BELOW = line_height(TICK_SIZE) + 0.14
LINES_BELOW = 2 * line_height(LABEL_SIZE) + 0.14
WIDEST = 2.4
MANY_HEADS = 8
SHORTEST_IDEAL = 0.06  # inches: the line of one tap
MANY_KEYS = 40  # from here on taps are drawn without dots
LEGEND = ("weights", "ideal filter, which a growing gain approaches")


@dataclass(frozen=True)
class Layout:
    """Where the panels are, in inches."""

    n_columns: int
    width: float
    height: float
    gap: float
    title_size: float
    titles: list[list[str]]

    @property
    def title_height(self) -> float:
        """Height of the tallest title, with the space under it."""
        return max(map(len, self.titles)) * line_height(self.title_size) + 0.06

    @property
    def page(self) -> tuple[float, float]:
        """Width and height of the page; wide enough for the legend."""
        n_rows = math.ceil(len(self.titles) / self.n_columns)
        panels = LEFT + self.n_columns * (self.width + self.gap) - self.gap + 0.12
        legend = sum(map(text_width, LEGEND)) + 1.4
        return max(panels, legend), EDGE + n_rows * self.pitch + LINES_BELOW

    @property
    def pitch(self) -> float:
        """From the top of a row of panels to that of the next."""
        return self.title_height + self.height + BELOW

    def corner(self, index: int) -> tuple[float, float]:
        """Return left and top of panel ``index``."""
        row, column = divmod(index, self.n_columns)
        return LEFT + column * (self.width + self.gap), EDGE + row * self.pitch + self.title_height


def draw(scene: Scene, result: Result, row: int | None = None) -> Figure:
    """Draw row ``row`` (from 0) of every head; t4, or the last where T is less, when None."""
    at = shown_row(scene, row)
    layout = _layout(result, at)
    figure = new_page(*layout.page, f"{scene.title}: impulse responses at t{at + 1}")
    for index, head in enumerate(result.heads):
        _panel(figure, layout, index, head, at)
    _surroundings(figure, layout, at)
    has_ideal = any(ideal_taps(head.head, at) is not None for head in result.heads)
    _legend(figure, has_ideal=has_ideal)
    return figure


def _layout(result: Result, row: int) -> Layout:
    n_heads = len(result.heads)
    few = n_heads <= MANY_HEADS
    n_columns = min(n_heads, 4 if few else 6)
    gap, size = (0.16, TITLE_SIZE) if few else (0.12, TICK_SIZE)
    width = min((FULL_WIDTH - LEFT - 0.12 - (n_columns - 1) * gap) / n_columns, WIDEST)
    numbered = enumerate(result.heads, 1)
    titles = [_title(number, head, row, width, size) for number, head in numbered]
    return Layout(n_columns, width, 1.35 if few else 0.8, gap, size, titles)


def _title(number: int, head: HeadResult, row: int, width: float, size: float) -> list[str]:
    """Return the head's number, the filter it approaches, and how far row ``row`` is from that."""
    name = wrapped(f"{filter_of(head.head)}{state_of(head)}", width, size)
    response = row_response(head, row)
    if response.ideal is None:
        distance = f"no ideal at t{row + 1}"
    else:
        distance = f"TV distance {fixed(response.distance)}"
    return [f"Head {number}", *name, *wrapped(distance, width, size)]


def _panel(figure: Figure, layout: Layout, index: int, head: HeadResult, row: int) -> None:
    left, top = layout.corner(index)
    axes = place(figure, left, top, layout.width, layout.height)
    last = _last_shown(len(head.weights), row)
    _stems(axes, head, row, last, layout.width / last)
    _dress(axes, last, layout.width, is_first=index % layout.n_columns == 0)
    lines = layout.titles[index]
    title_top = top - 0.06 - len(lines) * line_height(layout.title_size)
    look = {
        "fontsize": layout.title_size,
        "color": INK if head.active else MUTED_INK,
        "parse_math": False,
    }
    write(figure, left, title_top, "\n".join(lines), **look)


def _last_shown(n_positions: int, row: int) -> int:
    """Return up to which key, from 1, there is room: of many, not much past those of ``row``."""
    return min(n_positions, max(2 * (row + 1), MANY_KEYS))


def _stems(axes: Axes, head: HeadResult, row: int, last: int, pitch: float) -> None:
    """Draw the taps of ``row``, ``pitch`` inches from one key to the next."""
    keys = np.arange(1, row + 2)
    taps, ideal, _ = row_response(head, row)
    colour = head_colour(head.head.uid)
    if row + 1 < last:
        axes.axvspan(
            row + 1.5, last + 0.6, facecolor="white", edgecolor=HATCH, hatch="//////", linewidth=0
        )
    if ideal is not None:
        half = max(0.36, SHORTEST_IDEAL / 2 / pitch)  # in keys
        on, at = ideal[ideal > 0], keys[ideal > 0]
        axes.hlines(on, at - half, at + half, color=MUTED_INK, linewidth=1, zorder=2)
    axes.vlines(keys, 0, taps, color=colour, linewidth=min(1.4, 0.6 * pitch * POINTS), zorder=3)
    dots = "o" if last <= MANY_KEYS else ""
    axes.plot(keys, taps, dots, color=colour, markersize=4, zorder=4, clip_on=False)


def _dress(axes: Axes, last: int, width: float, *, is_first: bool) -> None:
    shown = round_ticks(last, int(width / (text_width(f"t{last}") + 0.1)))
    axes.set_xticks(shown, [f"t{key}" for key in shown])
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.tick_params(labelleft=is_first)
    axes.set_xlim(0.4, last + 0.6)
    axes.set_ylim(0, 1.08)
    dress(axes, "y")


def _surroundings(figure: Figure, layout: Layout, row: int) -> None:
    height = layout.page[1]
    panels = EDGE + layout.title_height, height - LINES_BELOW - BELOW
    write(figure, EDGE, sum(panels) / 2, f"weight at t{row + 1}", rotation=90, va="center")
    middle = LEFT + (layout.n_columns * (layout.width + layout.gap) - layout.gap) / 2
    write(figure, middle, height - LINES_BELOW, "key position i", ha="center")


def _legend(figure: Figure, *, has_ideal: bool) -> None:
    handles = [
        Line2D([], [], color=INK, marker="o", markersize=4, linewidth=1.4, label=LEGEND[0]),
        Line2D([], [], color=MUTED_INK, linewidth=1.0, label=LEGEND[1]),
    ]
    handles = handles if has_ideal else handles[:1]
    figure.legend(
        handles=handles, loc="lower center", ncols=2, frameon=False, borderpad=0, borderaxespad=0.4
    )
