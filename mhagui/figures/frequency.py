"""Frequency responses: magnitude and group delay of row t of every head."""

import math

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mhagui.document.response import (
    FINE_ROWS,
    FLAT_FILTERS,
    FREQUENCIES,
    delay_range,
    shown_row,
    spectra,
)
from mhagui.figures.curves import AXIS_TITLE, Legend, draw_curves
from mhagui.figures.page import TICK_SIZE, Box, Plan, Sheet, dress, line_height, text_width, wrapped
from mhagui.figures.paper import EDGE, Paper
from mhagui.figures.subject import Subject

HEIGHT = 1.75  # inches, of each of the two panels
BETWEEN = 0.16
BELOW = 0.42
TOP = EDGE + 0.05
COARSE_NOTE = (
    f" At {len(FREQUENCIES)} frequencies: for t above {FINE_ROWS} some lobes lie between them."
)


def plan(subject: Subject, paper: Paper) -> Plan:
    """Lay out what row t of every head makes of frequencies."""
    result, at = subject.result, shown_row(subject.scene, subject.row)
    left = AXIS_TITLE + text_width(f"{delay_range(at)[1]:.0f}.5") + 0.16
    legend = Legend(result, paper, left)
    names = legend.height()
    height = max(HEIGHT, (names - BETWEEN) / 2) if legend.is_beside else HEIGHT * 0.8
    boxes = [Box(left, TOP + n * (height + BETWEEN), legend.width, height) for n in (0, 1)]
    note_top = boxes[1].bottom + BELOW + (0.0 if legend.is_beside else names + 0.06)
    is_of_filters = any(head.head.pattern.is_designed for head in result.heads)
    text = FLAT_FILTERS * is_of_filters + COARSE_NOTE * (at >= FINE_ROWS)
    note = wrapped(text, legend.page_width - left - EDGE, TICK_SIZE)
    of_heads = spectra(result.heads, at)

    def paint(sheet: Sheet) -> None:
        magnitude, delay = map(sheet.place, boxes)
        for axes, values in (
            (magnitude, [of.magnitude for of in of_heads]),
            (delay, [of.delay for of in of_heads]),
        ):
            draw_curves(axes, sheet, result, legend.names, FREQUENCIES / math.pi, values)
        _dress(magnitude, sheet, (-0.04, 1.06))
        _dress(delay, sheet, delay_range(at))
        magnitude.tick_params(labelbottom=False)
        delay.set_xlabel("frequency ω/π")
        for box, title in zip(boxes, (f"|H| at t{at + 1}", "delay (positions)"), strict=True):
            sheet.write(EDGE, box.top + height / 2, title, rotation=90, va="center")
        sheet.write(left, note_top, "\n".join(note), fontsize=TICK_SIZE)
        legend.draw(magnitude if legend.is_beside else delay, height, BELOW)

    title = f"{subject.scene.title}: frequency responses at t{at + 1}"
    caption = (
        f"Magnitude and group delay of row t{at + 1} of the weights of each head, read as the taps "
        "of a filter."
    )
    end = note_top + len(note) * line_height(TICK_SIZE) + EDGE
    return Plan(title, caption, legend.page_width, end, paint)


def _dress(axes: Axes, sheet: Sheet, heights: tuple[float, float]) -> None:
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(*heights)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    dress(axes, sheet)
