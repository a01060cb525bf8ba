"""Frequency responses: magnitude and group delay of row t of every head."""

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mhagui.document import Result, Scene
from mhagui.document.records import Array
from mhagui.document.response import (
    FINE_ROWS,
    FLAT_FILTERS,
    FREQUENCIES,
    delay_range,
    shown_row,
    spectra,
)
from mhagui.figures.entropy import LEGEND_WIDTH, curve_look, curve_name, name_curves
from mhagui.figures.page import (
    EDGE,
    LABEL_SIZE,
    TICK_SIZE,
    dress,
    line_height,
    new_page,
    place,
    text_width,
    wrapped,
    write,
)

HEIGHT = 1.75  # inches, of each of the two panels
WIDTH = 4.1
BETWEEN = 0.16
BELOW = 0.42
COARSE_NOTE = (
    f" At {len(FREQUENCIES)} frequencies: for t above {FINE_ROWS} some lobes lie between them."
)


def draw(scene: Scene, result: Result, row: int | None = None) -> Figure:
    """Draw what row ``row`` (from 0) of every head makes of frequencies; t4 when it is None."""
    at = shown_row(scene, row)
    names = [curve_name(number, head) for number, head in enumerate(result.heads, 1)]
    lines = sum(name.count("\n") + 1 for name in names)
    legend_height = (lines + 0.4 * len(names)) * line_height(TICK_SIZE)
    panel = max(HEIGHT, (legend_height - BETWEEN) / 2)
    left = EDGE + line_height(LABEL_SIZE) + text_width(f"{delay_range(at)[1]:.0f}.5") + 0.16
    width = left + WIDTH + 0.15 + LEGEND_WIDTH + EDGE
    note = wrapped(FLAT_FILTERS + COARSE_NOTE * (at >= FINE_ROWS), width - left - EDGE, TICK_SIZE)
    tops = EDGE + 0.05, EDGE + 0.05 + panel + BETWEEN
    end = tops[1] + panel + BELOW
    height = end + len(note) * line_height(TICK_SIZE) + EDGE
    figure = new_page(width, height, f"{scene.title}: frequency responses at t{at + 1}")
    magnitude, delay = (place(figure, left, top, WIDTH, panel) for top in tops)
    of_heads = spectra(result.heads, at)
    _curves(magnitude, result, names, [of.magnitude for of in of_heads])
    _curves(delay, result, names, [of.delay for of in of_heads])
    _dress(magnitude, (-0.04, 1.06))
    _dress(delay, delay_range(at))
    magnitude.tick_params(labelbottom=False)
    delay.set_xlabel("frequency ω/π")
    for top, title in zip(tops, (f"|H| at t{at + 1}", "delay (positions)"), strict=True):
        write(figure, EDGE, top + panel / 2, title, rotation=90, va="center")
    write(figure, left, end, "\n".join(note), fontsize=TICK_SIZE)
    name_curves(magnitude, WIDTH)
    return figure


def _curves(axes: Axes, result: Result, names: list[str], values: list[Array]) -> None:
    for head, name, of_head in zip(result.heads, names, values, strict=True):
        axes.plot(FREQUENCIES / math.pi, of_head, label=name, **curve_look(head, len(of_head)))


def _dress(axes: Axes, heights: tuple[float, float]) -> None:
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(*heights)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    dress(axes)
