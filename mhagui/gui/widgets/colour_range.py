"""Which colour stands for which number."""

import math
import sys
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mhagui import formats
from mhagui.document import Appearance
from mhagui.palette import diverging_table

_ROUND = (1, 1.5, 2, 3, 5, 7.5)


@dataclass(frozen=True, slots=True)
class ColourRange:
    """From numbers to colours.

    Attributes
    ----------
    low, high
        The numbers at the ends of the table; low < high, and low > 0 when logarithmic.
    caption
        What the numbers are and how they become colours, in a few words.
    table
        Colour table, (255, 3) uint8 RGB; ranges of different arrays are different.
    logarithmic
        Whether equal steps of colour are equal ratios.
    unit
        Written behind every number.
    precision
        How the number of a cell in these colours is read out; beside the colours it is short.
    """

    low: float
    high: float
    caption: str
    table: npt.NDArray[np.uint8] = field(compare=False, repr=False)
    logarithmic: bool = False
    unit: str = ""
    precision: formats.Precision = formats.USUAL
    _table_id: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Have ranges compared by which table they have, not by all its colours."""
        object.__setattr__(self, "_table_id", id(self.table))

    def fraction(self, value: float) -> float:
        """Return how far up the table ``value`` stands, 0..1."""
        if self.logarithmic:
            low, high = math.log(self.low), math.log(self.high)
            return (math.log(value) - low) / (high - low) if high > low else 0.0
        span = self.high - self.low
        return (value - self.low) / span if span > 0 else 0.0

    def text(self, value: float) -> str:
        """Return ``value`` as it is written beside the colours."""
        return formats.short(value, 3) + self.unit


def signed_range(largest: float, caption: str, look: Appearance) -> ColourRange:
    """Return a scale around 0 for magnitudes up to ``largest``, to 1 where all are 0."""
    limit = largest if largest > 1e-300 else 1.0
    table = diverging_table(colours=look.signed_colours)
    return ColourRange(-limit, limit, caption, table, precision=look.precision)


def _peak(array: npt.NDArray[np.float64]) -> float:
    """Return the largest finite magnitude, 0 where there is none."""
    # Twice over the cells is four times as quick as a copy of their magnitudes.
    peak = max(float(array.max(initial=0.0)), -float(array.min(initial=0.0)))
    if math.isfinite(peak):
        return peak
    return float(np.max(np.abs(array), initial=0.0, where=np.isfinite(array)))


def round_limit(*arrays: npt.NDArray[np.float64]) -> float:
    """Return a round number that no finite magnitude in ``arrays`` exceeds.

    A round limit stays put while a value is dragged, so that the other colours do. 1 for all zeros.
    """
    peak = max(map(_peak, arrays), default=0.0)
    if peak == 0:
        return 1.0
    peak = max(peak, 1e-300)
    power = 10.0 ** math.floor(math.log10(peak))
    rounding = 1 + 1e-12  # so that a sum of 1.0000000000000002 is still 1
    limit = next((f * power for f in _ROUND if f * power * rounding >= peak), 10 * power)
    return min(limit, sys.float_info.max)
