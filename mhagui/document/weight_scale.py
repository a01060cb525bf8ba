"""How weights become colours: what the colours begin and end with, on the screen and on paper."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mhagui import formats
from mhagui.document.compute import Result
from mhagui.document.head_result import HeadResult
from mhagui.document.on_demand import Matrix, OnDemand
from mhagui.document.records import Array
from mhagui.document.response import spaced_rows
from mhagui.document.view_state import ColourScale

LOG_FLOOR = 1e-6
DIM = 0.1  # of a linear scale: what is below it is hard to tell from 0
_ROWS_LOOKED_AT = 9  # of a head, at every step of a drag


@dataclass(frozen=True, slots=True)
class WeightScale:
    """What stands at the ends of the colours of weights.

    Attributes
    ----------
    low, high
        The numbers at the ends; low > 0 where logarithmic.
    caption
        What the numbers are and how they become colours, in a few words.
    logarithmic
        Whether equal steps of colour are equal ratios.
    unit
        Written behind every number.
    is_ratio
        Whether what is shown is a weight as many times what a uniform head gives, around 1.
    """

    low: float
    high: float
    caption: str
    logarithmic: bool = False
    unit: str = ""
    is_ratio: bool = False


def weight_scale(scale: ColourScale, n_keys: int, largest: float) -> WeightScale:
    """Return the scale that all heads share; ``largest`` is their largest weight of rows t ≥ 2."""
    if scale is ColourScale.LOGARITHMIC:
        caption = f"weight A, logarithmic, floor {formats.short(LOG_FLOOR)}"
        return WeightScale(LOG_FLOOR, 1.0, caption, logarithmic=True)
    if scale is ColourScale.RELATIVE:
        # Around 1 by ratio: neutral is uniform, red above it, blue below; no row can pass n_t, and
        # none sees more than all keys.
        ratio = float(max(n_keys, 2))
        caption = "A·n_t, relative to uniform, logarithmic"
        return WeightScale(1 / ratio, ratio, caption, logarithmic=True, unit="×", is_ratio=True)
    if scale is ColourScale.LINEAR_TO_MAX:
        return WeightScale(0.0, largest or 1.0, f"weight A, {scale.value} of rows t ≥ 2")
    return WeightScale(0.0, 1.0, f"weight A, {scale.value}")


def largest_weight(result: Result) -> float:
    """Return the largest weight of rows with two keys or more: that of a single key is always 1."""
    is_usual = result.mask.is_causal  # so that the second row is the first with two keys
    rows = slice(1, None) if is_usual else result.n_allowed > 1
    return max(_largest(head.weights, rows) for head in result.heads)


def _largest(weights: Matrix, rows: slice | npt.NDArray[np.bool_]) -> float:
    if isinstance(weights, OnDemand):
        return weights.largest_below_first_row()
    return float(np.max(weights[rows], initial=0.0))


def looks_dark(heads: Sequence[HeadResult], high: float) -> bool:
    """Return whether most ``heads`` are nearly black on a linear scale from 0 to ``high``.

    A head is where no weight of most of its rows reaches a tenth of the scale.
    """
    n_dark = sum(_median(_peaks(head.weights)) < DIM * high for head in heads)
    return 2 * n_dark > len(heads)


def _median(few: list[float]) -> float:
    """Return the median: of so few numbers NumPy takes many times as long."""
    few = sorted(few)
    return (few[(len(few) - 1) // 2] + few[len(few) // 2]) / 2


def _peaks(weights: Matrix) -> list[float]:
    """Return the largest weight of some evenly spaced rows, or of the blocks of rows there are."""
    rows = weights.overview if isinstance(weights, OnDemand) else weights
    return [float(rows[t].max()) for t in spaced_rows(len(rows), _ROWS_LOOKED_AT)]


def as_coloured(weights: Array, result: Result, scale: WeightScale) -> Array:
    """Return what the colours of ``scale`` stand for: the weights, or times uniform."""
    return weights * result.n_allowed[:, None] if scale.is_ratio else weights
