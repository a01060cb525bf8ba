"""Colours of the data, the same on the screen and in exported figures."""

import enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class WeightColours(enum.StrEnum):
    """The colours of weights, dark to light; the value is their name in the menu."""

    VIRIDIS = "viridis"
    CIVIDIS = "cividis"
    MAGMA = "magma"
    GREY = "grey"


class SignedColours(enum.StrEnum):
    """The colours of signed numbers, low to high; the value is their name in the menu."""

    BLUE_RED = "blue to red"
    PURPLE_ORANGE = "purple to orange"
    GREEN_PINK = "green to pink"


# Okabe and Ito (2008): told apart under the common kinds of colour blindness. Two are left out: the
# black, which would not show in a dark window, and the yellow, which would not show in a light one.
# A violet and a brown stand for them; a darker yellow would be the orange to those who see no red.
HEAD_COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7c5cff", "#a0522d",
)  # fmt: skip

# For the heads after those: each of 24 is, of the colours that show in light and dark windows, the
# one that is furthest from all before it to the eye that sees least difference, with all cones or
# without the red or the green ones.
MORE_HEAD_COLOURS = (
    "#6900ff", "#96b45a", "#3c6969", "#7896ff", "#2d4bc3", "#b40096", "#ff7896", "#785a4b",
    "#3cb4c3", "#5a874b", "#5a961e", "#d24be1", "#b40f00", "#781ee1", "#1eb469", "#8787c3",
    "#1e69c3", "#d21e87", "#ff693c", "#1e691e", "#d25a4b", "#b42d69", "#87b4a5", "#786987",
)  # fmt: skip


class Marker(NamedTuple):
    """One shape, as pyqtgraph and as matplotlib calls it."""

    on_screen: str
    on_paper: str


# With 32 colours they make 64 heads that differ, and neighbours differ in both.
HEAD_MARKERS = (
    Marker("o", "o"), Marker("s", "s"), Marker("t1", "^"), Marker("d", "D"),
    Marker("star", "*"), Marker("t", "v"), Marker("p", "p"), Marker("+", "P"),
)  # fmt: skip

# Of lines that mark heads which share keys: none of a head's, quieter, and of a lightness that
# shows on light and dark cards. Each is told from the others with or without red or green cones.
KEY_HEAD_COLOURS = ("#6496a0", "#8c7846", "#5a8cbe", "#78826e")
# Ink and gaps of these lines, in times their width: neighbours differ in this as well.
KEY_HEAD_DASHES: tuple[tuple[float, float] | None, ...] = (None, (4.0, 2.0), (1.0, 1.0))

# From the lowest number to the highest, 11 anchors each. Blue to red is ColorBrewer's RdBu, as
# matplotlib interpolates it. The others are after ColorBrewer's PuOr and PiYG, with both sides made
# equally light (CIE L* 25, 41, 59, 77, 91), so that equal magnitudes look alike.
_SIGNED = {
    SignedColours.BLUE_RED: (
        "#053061", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7",
        "#fddbc7", "#f4a582", "#d6604d", "#b2182b", "#67001f",
    ),
    SignedColours.PURPLE_ORANGE: (
        "#542571", "#7949ad", "#9386c0", "#c1b9e1", "#e2e4f5", "#f7f7f7",
        "#ffe1b7", "#f5b15c", "#d37701", "#9b4a00", "#632b00",
    ),
    SignedColours.GREEN_PINK: (
        "#074600", "#2e6f00", "#619e22", "#a2cb71", "#dcebc6", "#f7f7f7",
        "#fadeec", "#e7add1", "#d26ca3", "#bb0374", "#780144",
    ),
}  # fmt: skip
# The same hues for a dark ground: there zero is dark, and the largest magnitudes are light.
_SIGNED_ON_DARK = {
    SignedColours.BLUE_RED: (
        "#a6d4ff", "#70b4f5", "#4390da", "#2f6cab", "#30506f", "#383838",
        "#68433d", "#a34c40", "#d7654f", "#f6907a", "#ffbfae",
    ),
    SignedColours.PURPLE_ORANGE: (
        "#d6c7ff", "#b29dff", "#8c78eb", "#6b5caf", "#514870", "#383838",
        "#674728", "#955a15", "#c6760f", "#e89a47", "#fcc491",
    ),
    SignedColours.GREEN_PINK: (
        "#b3da9b", "#7abc59", "#4d9a2a", "#3e7525", "#3c542e", "#383838",
        "#6f3e59", "#a8437f", "#e152a8", "#fe80c8", "#ffbbde",
    ),
}  # fmt: skip


def head_colour(uid: int) -> str:
    """Return the colour ``#rrggbb`` of head ``uid`` (from 1), which it keeps wherever it moves."""
    colours = HEAD_COLOURS + MORE_HEAD_COLOURS
    return colours[(uid - 1) % len(colours)]


def head_marker(uid: int) -> Marker:
    """Return the shape that marks head ``uid`` (from 1) on a curve; it keeps that as well."""
    place = uid - 1
    return HEAD_MARKERS[(place + place // len(HEAD_COLOURS)) % len(HEAD_MARKERS)]


def key_head_line(number: int) -> tuple[str, tuple[float, float] | None]:
    """Return the colour ``#rrggbb`` and the dashes of what reads key head ``number``, from 0.

    Twelve differ, and those whose numbers are next to each other differ in both.
    """
    colour = KEY_HEAD_COLOURS[number % len(KEY_HEAD_COLOURS)]
    return colour, KEY_HEAD_DASHES[number % len(KEY_HEAD_DASHES)]


def diverging_table(
    n_colours: int = 255,
    colours: SignedColours = SignedColours.BLUE_RED,
    *,
    dark: bool = False,
) -> npt.NDArray[np.uint8]:
    """Return the signed colours, (n_colours, 3) uint8 RGB, blue below zero and red above.

    Or those of other ``colours``. Zero is nearly white, or dark where they are to stand on a
    ``dark`` ground. Read-only, and the same array every time.
    """
    return _diverging(n_colours, colours, dark)


def is_signed(table: npt.NDArray[np.uint8]) -> bool:
    """Return whether ``table`` is one of signed colours: its middle stands for zero."""
    return _colours_of(table) is not None


def table_on(table: npt.NDArray[np.uint8], *, dark: bool) -> npt.NDArray[np.uint8]:
    """Return ``table`` as it is shown on a light or ``dark`` ground: signed colours differ."""
    colours = _colours_of(table) if dark else None
    return table if colours is None else diverging_table(len(table), colours, dark=True)


def _colours_of(table: npt.NDArray[np.uint8]) -> SignedColours | None:
    """Return whose signed colours for a light ground ``table`` is; None where it is not one."""
    found = (colours for colours in SignedColours if diverging_table(len(table), colours) is table)
    return next(found, None)


@lru_cache(maxsize=32)
def _diverging(n_colours: int, colours: SignedColours, dark: bool) -> npt.NDArray[np.uint8]:
    hues = (_SIGNED_ON_DARK if dark else _SIGNED)[colours]
    anchors = np.array([_channels(colour) for colour in hues], dtype=float)
    at = np.linspace(0, len(anchors) - 1, n_colours)
    channels = [np.interp(at, np.arange(len(anchors)), channel) for channel in anchors.T]
    table: npt.NDArray[np.uint8] = np.rint(np.stack(channels, axis=1)).astype(np.uint8)
    table.flags.writeable = False
    return table


def relative_luminance(rgb: tuple[float, float, float]) -> float:
    """Return WCAG 2 relative luminance, 0..1, of an sRGB colour with channels 0..255."""
    red, green, blue = (_linear(channel / 255) for channel in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """Return the WCAG 2 contrast ratio, 1..21, of two sRGB colours with channels 0..255."""
    dark, light = sorted((relative_luminance(one), relative_luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def ink_on(rgb: tuple[float, float, float]) -> str:
    """Return ``#000000`` or ``#ffffff``, whichever stands out more on ``rgb``; 4.5:1 or better.

    The worst case is a luminance of √(0.05 · 1.05) − 0.05, where both have a contrast of 4.58:1.
    """
    on_black, on_white = contrast(rgb, (0, 0, 0)), contrast(rgb, (255, 255, 255))
    return "#000000" if on_black >= on_white else "#ffffff"


def _linear(channel: float) -> float:
    """Undo the sRGB transfer curve of a channel 0..1."""
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
