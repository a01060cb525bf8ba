"""How the values of a matrix become colours, and numbers in its cells."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, ListedColormap, LogNorm, Normalize

from mhagui.document import Result
from mhagui.document.view_state import ColourScale
from mhagui.document.weight_scale import WeightScale, largest_weight
from mhagui.document.weight_scale import weight_scale as ends_of
from mhagui.figures.paper import Paper
from mhagui.formats import cell, ratio_in_cell, short, small_in_cell
from mhagui.palette import SignedColours, WeightColours, diverging_table

N_COLOURS = 255
ROUND, LARGEST = (1.0, 1.2, 1.6, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0), 1e300
TWO_DIGITS = 2.0  # from this magnitude on one decimal says enough where there is no room for two

Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Scale:
    """How a value becomes a colour, in equal steps from ``low`` to ``high``; or in equal ratios."""

    colours: Colormap
    low: float
    high: float
    ground: tuple[int, int, int]
    caption: str = ""
    ends: WeightScale | None = None

    @property
    def is_signed(self) -> bool:
        """Whether zero is in the middle."""
        return self.low < 0

    @property
    def is_logarithmic(self) -> bool:
        """Whether equal steps of colour are equal ratios."""
        return self.ends is not None and self.ends.logarithmic

    @property
    def mappable(self) -> ScalarMappable:
        """The scale as matplotlib has it."""
        return ScalarMappable(self.norm, self.colours)

    @property
    def norm(self) -> Normalize:
        """What makes 0..1 of a value; what lies beyond the ends is at them."""
        kind = LogNorm if self.is_logarithmic else Normalize
        return kind(self.low, self.high, clip=True)

    @property
    def ticks(self) -> list[float]:
        """The numbers written beside its bar: its ends, its middle and, of a signed one, zero."""
        if self.is_logarithmic:
            return [float(tick) for tick in np.geomspace(self.low, self.high, 3)]
        return [float(t) for t in np.linspace(self.low, self.high, 3 if self.is_signed else 5)]

    def tick_text(self, tick: float) -> str:
        """Return how a number is written beside the bar."""
        return short(tick, 3) + (self.ends.unit if self.ends else "")

    @property
    def ways_to_write(self) -> tuple[Callable[[float], str], ...]:
        """How a number is written into a cell; where that has no room, shorter: 0.92, .92.

        Large ones then with one decimal, which would say too little of weights.
        """
        if self.is_logarithmic and self.ends is not None:
            writer = ratio_in_cell if self.ends.is_ratio else small_in_cell
            return partial(writer, leading_zero=True), writer
        ways = partial(cell, leading_zero=True), cell
        return (*ways, partial(cell, decimals=1)) if self.low <= -TWO_DIGITS else ways

    def rgb(self, values: Matrix) -> npt.NDArray[np.uint8]:
        """Return the colours of ``values``, 0..255 on a new last axis; the ground's for NaN."""
        shown = np.asarray(values)
        if self.is_logarithmic:  # where zero has no place, and is at the lower end
            shown = np.where(np.isnan(shown), np.nan, np.maximum(shown, self.low))
        rgb: npt.NDArray[np.uint8] = self.mappable.to_rgba(shown, bytes=True)[..., :3]
        return np.where(np.isnan(shown)[..., np.newaxis], np.array(self.ground, np.uint8), rgb)


def weights_scale(paper: Paper, result: Result) -> Scale:
    """Return the scale of the weights of ``result``, as the style asks for."""
    return scale_of_weights(paper, result.allowed.shape[1], lambda: largest_weight(result))


def scale_of_weights(paper: Paper, n_keys: int, largest_of: Callable[[], float]) -> Scale:
    """Return the scale of weights over ``n_keys`` keys, as the style asks for.

    ``largest_of`` gives the largest of them, where that matters.
    """
    style = paper.style
    largest = 1.0
    if style.colour_scale is ColourScale.LINEAR_TO_MAX:
        largest = paper.limit("weights", largest_of())
    ends = ends_of(style.colour_scale, n_keys, largest)
    if ends.is_ratio:
        colours = _signed_colours(style.signed_colours, dark=style.is_dark)
    else:
        colours = _weight_colours(style.weight_colours)
    return Scale(colours, ends.low, ends.high, _ground(paper), ends.caption, ends)


def unit_scale(paper: Paper, caption: str) -> Scale:
    """Return the scale of what goes from 0 to 1, in the colours of weights."""
    colours = _weight_colours(paper.style.weight_colours)
    return Scale(colours, 0.0, 1.0, _ground(paper), caption)


def magnitude_scale(paper: Paper, name: str, matrix: Matrix) -> Scale:
    """Return the scale of numbers from 0 on, in the colours of weights."""
    limit = paper.limit(name, float(np.max(matrix, initial=0.0)))
    return Scale(_weight_colours(paper.style.weight_colours), 0.0, limit, _ground(paper))


def limited_scale(paper: Paper, name: str, values: Matrix) -> Scale:
    """Return the scale of numbers from 0 to a round one that no finite one of them exceeds."""
    limit = paper.limit(name, round_up(values))
    return Scale(_weight_colours(paper.style.weight_colours), 0.0, limit, _ground(paper))


def round_up(values: Matrix) -> float:
    """Return a round number that no finite value exceeds, with a round quarter too; 1 for 0."""
    value = float(np.max(values, where=np.isfinite(values), initial=0.0))
    if not 0 < value < LARGEST:
        return 1.0 if value <= 0 else value
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in ROUND if step * power >= value * (1 - 1e-12)), 10 * power)


def signed_scale(paper: Paper, name: str, *matrices: Matrix) -> Scale:
    """Return the diverging scale around 0 that holds every finite value of ``matrices``.

    It holds as well what the paper says of the scale of this ``name``.
    """
    finite = [float(np.max(np.abs(m), where=np.isfinite(m), initial=0.0)) for m in matrices]
    limit = paper.limit(name, max(finite, default=0.0))
    colours = _signed_colours(paper.style.signed_colours, dark=paper.style.is_dark)
    return Scale(colours, -limit, limit, _ground(paper))


def _ground(paper: Paper) -> tuple[int, int, int]:
    ground = paper.inks.ground
    return int(ground[1:3], 16), int(ground[3:5], 16), int(ground[5:7], 16)


def _weight_colours(colours: WeightColours) -> Colormap:
    return mpl.colormaps["gray" if colours is WeightColours.GREY else colours.value]


def _signed_colours(colours: SignedColours, *, dark: bool) -> Colormap:
    return ListedColormap(diverging_table(N_COLOURS, colours, dark=dark) / 255)
