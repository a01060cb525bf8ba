"""What the scene's layer would cost at other T, and at other H."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from mhagui.core import overtaking_length
from mhagui.document import Result, Scene
from mhagui.document.cost import costs_of, over_lengths, parameters_of, with_heads
from mhagui.document.view_state import WhatIf
from mhagui.figures.page import (
    EDGE,
    FULL_WIDTH,
    INK,
    LABEL_SIZE,
    RULE,
    TICK_SIZE,
    TITLE_SIZE,
    dress,
    line_height,
    new_page,
    place,
)
from mhagui.palette import HEAD_COLOURS

LEFT = EDGE + line_height(LABEL_SIZE) + 0.36
GAP = LEFT + 0.1
WIDTH = (FULL_WIDTH - LEFT - GAP - 2 * EDGE) / 2
HEIGHT = 2.3
ABOVE = EDGE + line_height(TITLE_SIZE) + 0.08
BELOW = 0.45
LEGEND_LINES = 5
MOST_HEADS = 64  # drawn at least

_BLUE, _GREEN, _RED = (HEAD_COLOURS[number] for number in (0, 2, 4))


def draw(
    scene: Scene,
    result: Result,  # noqa: ARG001 - all figures are drawn alike
    *,
    sizes: WhatIf | None = None,
) -> Figure:
    """Draw multiply-adds of the stages over T, and parameters and score FLOPs over H.

    The layer is that of the scene, or of ``sizes``.
    """
    sizes = sizes or WhatIf.of(scene)
    legend = LEGEND_LINES * 1.4 * line_height(TICK_SIZE)
    page = (FULL_WIDTH, ABOVE + HEIGHT + BELOW + legend + EDGE)
    figure = new_page(*page, f"{scene.title}: cost")
    left = place(figure, LEFT, ABOVE, WIDTH, HEIGHT)
    right = place(figure, LEFT + WIDTH + GAP, ABOVE, WIDTH, HEIGHT)
    _over_lengths(left, sizes)
    _over_heads(right, sizes)
    return figure


def _over_lengths(axes: Axes, sizes: WhatIf) -> None:
    meet = overtaking_length(sizes.d_model)
    longest = 4 * max(meet, sizes.n_positions, 4)
    lengths = [2**power for power in range(longest.bit_length())]
    costs = over_lengths(sizes, lengths)
    there = costs_of(replace(sizes, n_positions=meet))
    _line(axes, lengths, [c.linear for c in costs], "projections, ∝ T", _BLUE, linewidth=1.6)
    _line(axes, lengths, [c.projections for c in costs], "Q, K, V", _BLUE, linestyle=":")
    _line(axes, lengths, [c.output_projection for c in costs], "W_O", _BLUE, linestyle="--")
    _line(axes, lengths, [c.quadratic for c in costs], "scores and A·V, ∝ T²", _RED, linewidth=1.6)
    _line(axes, lengths, [c.scores for c in costs], "scores", _RED, linestyle=":")
    _line(axes, lengths, [c.weighted_sums for c in costs], "A·V", _RED, linestyle="--")
    _line(axes, lengths, [c.exponentials for c in costs], "exponentials H·T²", _GREEN)
    _line(axes, [meet], [there.linear], f"T* = {meet:,}", INK, linestyle="", marker="o", zorder=3)
    _mark(axes, sizes.n_positions, f"T = {sizes.n_positions:,}")
    _dress(axes, "sequence length T", "multiply–adds")
    _legend(axes, 2)
    axes.set_title(f"d_model {sizes.d_model}, H {sizes.n_heads}, d_k {sizes.d_k}, d_v {sizes.d_v}")


def _over_heads(axes: Axes, sizes: WhatIf) -> None:
    most = max(MOST_HEADS, 2 * sizes.n_heads)
    for keep_widths, tail, look in (
        (False, "d_k = d_model/H", {"linestyle": "-", "marker": "o"}),
        (True, f"d_k = {sizes.d_k} kept", {"linestyle": "--", "marker": "^"}),
    ):
        layers = [s for s in with_heads(sizes, keep_widths=keep_widths) if s.n_heads <= most]
        heads = [layer.n_heads for layer in layers]
        totals = [parameters_of(layer).total for layer in layers]
        flops = [2 * costs_of(layer).scores for layer in layers]
        _line(axes, heads, totals, f"parameters, {tail}", _BLUE, **look)
        _line(axes, heads, flops, f"score FLOPs, {tail}", _RED, **look)
    _mark(axes, sizes.n_heads, f"H = {sizes.n_heads}")
    _dress(axes, "heads H", "parameters, FLOPs")
    _legend(axes, 1)
    axes.set_title(f"d_model {sizes.d_model}, T {sizes.n_positions}")


def _line(
    axes: Axes, at: Sequence[int], values: Sequence[int], label: str, colour: str, **look: Any
) -> None:
    axes.plot(at, values, color=colour, label=label, **{"linewidth": 1.0, "markersize": 3.5} | look)


def _mark(axes: Axes, at: int, label: str) -> None:
    """Mark where the scene is, behind the curves."""
    axes.axvline(at, color=RULE, linewidth=2.5, zorder=0.5, label=label)


def _dress(axes: Axes, x: str, y: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(numticks=8))
        axis.set_minor_formatter(NullFormatter())
    axes.tick_params(which="minor", length=0)
    dress(axes)


def _legend(axes: Axes, n_columns: int) -> None:
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(0, -BELOW / HEIGHT),
        ncols=n_columns,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        handlelength=2.4,
        columnspacing=1.0,
    )
