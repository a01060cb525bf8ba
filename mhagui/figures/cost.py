"""What the scene's layer would cost at other T, and at other H."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from mhagui.document.cost import costs_of, over_lengths, overtaking, parameters_of, with_heads
from mhagui.document.view_state import WhatIf
from mhagui.figures.page import (
    LABEL_SIZE,
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    Plan,
    Sheet,
    dress,
    in_math,
    line_height,
)
from mhagui.figures.paper import EDGE, NARROW, Paper
from mhagui.figures.subject import Subject
from mhagui.palette import HEAD_COLOURS

LEFT = EDGE + line_height(LABEL_SIZE) + 0.36
GAP = LEFT + 0.1
HEIGHT, LOW = 2.3, 1.7  # of axes side by side, and of one below the other
ABOVE = EDGE + line_height(TITLE_SIZE) + 0.08
BELOW = 0.45
TWO_COLUMNS = 3.0  # inches of axes under which the names of curves are in two columns
LEGEND_LINE = 1.4 * line_height(TICK_SIZE)
MOST_HEADS = 64  # drawn at least
SHORT = 200  # times its beginning: how far an axis of 1, 2, 5, 10 … reaches

_BLUE, _GREEN, _RED = (HEAD_COLOURS[number] for number in (0, 2, 4))


def plan(subject: Subject, paper: Paper) -> Plan:
    """Lay out multiply-adds of the stages over T, and parameters and score FLOPs over H."""
    sizes = subject.sizes or WhatIf.of(subject.scene)
    is_wide = paper.width > NARROW
    width = (paper.width - LEFT - GAP - 2 * EDGE) / 2 if is_wide else paper.width - LEFT - 2 * EDGE
    height = HEIGHT if is_wide else LOW
    first = Box(LEFT, ABOVE, width, height)
    n_columns = 2 if is_wide or width >= TWO_COLUMNS else 1
    end = first.bottom + BELOW + (5 if n_columns > 1 else 9) * LEGEND_LINE
    second = Box(LEFT + width + GAP, ABOVE, width, height)
    if not is_wide:
        second = Box(LEFT, end + ABOVE, width, height)
        end = second.bottom + BELOW + 5 * LEGEND_LINE

    def paint(sheet: Sheet) -> None:
        _over_lengths(_Curves(sheet, first), sizes, n_columns)
        _over_heads(_Curves(sheet, second), sizes)

    caption = (
        "Left: " if is_wide else "Above: "
    ) + "multiply–adds of each stage over the sequence length; T* is where scores and A·V overtake "
    caption += "the projections. " + ("Right" if is_wide else "Below")
    caption += ": parameters and score FLOPs over the number of heads."
    return Plan(f"{subject.scene.title}: cost", caption, paper.width, end + EDGE, paint)


class _Curves:
    """One pair of logarithmic axes, and its curves."""

    def __init__(self, sheet: Sheet, box: Box) -> None:
        self._sheet, self._box = sheet, box
        self.axes: Axes = sheet.place(box)

    def line(
        self, at: Sequence[int], values: Sequence[int], label: str, colour: str, **look: Any
    ) -> None:
        """Draw a curve; ``linewidth`` is in points of the layout."""
        width = self._sheet.pt(look.pop("linewidth", 1.0))
        look |= {"markersize": self._sheet.pt(3.5), "linewidth": width}
        self.axes.plot(at, values, color=colour, label=in_math(label), **look)

    def point(self, at: int, value: int, label: str) -> None:
        """Draw a point."""
        self.line([at], [value], label, self._sheet.inks.ink, linestyle="", marker="o", zorder=3)

    def mark(self, at: int, label: str) -> None:
        """Mark where the scene is, behind the curves."""
        ink, width = self._sheet.inks.rule, self._sheet.pt(2.5)
        self.axes.axvline(at, color=ink, linewidth=width, zorder=0.5, label=label)

    def finish(self, title: str, x: str, y: str, n_columns: int) -> None:
        """Name axes and curves."""
        axes = self.axes
        axes.set_title(in_math(title))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        for axis in (axes.xaxis, axes.yaxis):
            low, high = axis.get_view_interval()
            is_short = high < low * SHORT
            axis.set_major_locator(LogLocator(subs=(1, 2, 5) if is_short else (1,), numticks=8))
            if is_short:
                axis.set_major_formatter(FuncFormatter(_plain))
            axis.set_minor_formatter(NullFormatter())
        axes.tick_params(which="minor", length=0)
        dress(axes, self._sheet)
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(0, -BELOW / self._box.height),
            ncols=n_columns,
            frameon=False,
            borderpad=0,
            borderaxespad=0,
            handlelength=2.4,
            columnspacing=1.0,
        )


def _plain(number: float, _place: object = None) -> str:
    return f"{number:,.0f}"


def _over_lengths(curves: _Curves, sizes: WhatIf, n_columns: int) -> None:
    meet = overtaking(sizes)
    longest = 4 * max(meet, sizes.n_positions, 4)
    lengths = [2**power for power in range(longest.bit_length())]
    costs = over_lengths(sizes, lengths)
    there = costs_of(replace(sizes, n_positions=meet))
    line = curves.line
    line(lengths, [c.linear for c in costs], "projections, ∝ T", _BLUE, linewidth=1.6)
    line(lengths, [c.projections for c in costs], "Q, K, V", _BLUE, linestyle=":")
    line(lengths, [c.output_projection for c in costs], "W_O", _BLUE, linestyle="--")
    line(lengths, [c.quadratic for c in costs], "scores and A·V, ∝ T²", _RED, linewidth=1.6)
    line(lengths, [c.scores for c in costs], "scores", _RED, linestyle=":")
    line(lengths, [c.weighted_sums for c in costs], "A·V", _RED, linestyle="--")
    line(lengths, [c.exponentials for c in costs], "exponentials H·T²", _GREEN)
    curves.point(meet, there.linear, f"T* = {meet:,}")
    curves.mark(sizes.n_positions, f"T = {sizes.n_positions:,}")
    heads = f"H = {sizes.n_heads}" + (f", H_kv = {sizes.key_heads}" if sizes.is_shared else "")
    title = f"d_model = {sizes.d_model}, {heads}, d_k = {sizes.d_k}, d_v = {sizes.d_v}"
    curves.finish(title, "sequence length T", "multiply–adds", n_columns)


def _over_heads(curves: _Curves, sizes: WhatIf) -> None:
    most = max(MOST_HEADS, 2 * sizes.n_heads)
    for keep_widths, tail, look in (
        (False, "d_k = d_model/H", {"linestyle": "-", "marker": "o"}),
        (True, f"d_k = {sizes.d_k} kept", {"linestyle": "--", "marker": "^"}),
    ):
        layers = [s for s in with_heads(sizes, keep_widths=keep_widths) if s.n_heads <= most]
        heads = [layer.n_heads for layer in layers]
        totals = [parameters_of(layer).total for layer in layers]
        flops = [2 * costs_of(layer).scores for layer in layers]
        curves.line(heads, totals, f"parameters, {tail}", _BLUE, **look)
        curves.line(heads, flops, f"score FLOPs, {tail}", _RED, **look)
    curves.mark(sizes.n_heads, f"H = {sizes.n_heads}")
    title = f"d_model = {sizes.d_model}, T = {sizes.n_positions}"
    curves.finish(title, "heads H", "parameters, FLOPs", 1)
