"""Colours of the data, the same on the screen and in exported figures."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# Okabe and Ito (2008): told apart under the common kinds of colour blindness. Two are left out: the
# black, which would not show in a dark window, and the yellow, which would not show in a light one.
# A violet and a brown stand for them; a darker yellow would be the orange to those who see no red.
HEAD_COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7c5cff", "#a0522d",
)  # fmt: skip


class Marker(NamedTuple):
    """One shape, as pyqtgraph and as matplotlib calls it."""

    on_screen: str
    on_paper: str


# Eight shapes and eight colours make 64 heads that differ.
HEAD_MARKERS = (
    Marker("o", "o"), Marker("s", "s"), Marker("t1", "^"), Marker("d", "D"),
    Marker("star", "*"), Marker("t", "v"), Marker("p", "p"), Marker("+", "P"),
)  # fmt: skip

# ColorBrewer RdBu, 11 classes, blue to red: the anchors matplotlib interpolates for its RdBu_r.
_DIVERGING = (
    "#053061", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7",
    "#fddbc7", "#f4a582", "#d6604d", "#b2182b", "#67001f",
)  # fmt: skip
# The same hues for a dark ground: there zero is dark, and the largest magnitudes are light.
_DIVERGING_ON_DARK = (
    "#a6d4ff", "#70b4f5", "#4390da", "#2f6cab", "#30506f", "#383838",
    "#68433d", "#a34c40", "#d7654f", "#f6907a", "#ffbfae",
)  # fmt: skip


def head_colour(uid: int) -> str:
    """Return the colour ``#rrggbb`` of head ``uid`` (from 1), which it keeps wherever it moves."""
    return HEAD_COLOURS[(uid - 1) % len(HEAD_COLOURS)]


def head_marker(uid: int) -> Marker:
    """Return the shape that marks head ``uid`` (from 1) on a curve; it keeps that as well."""
    place = uid - 1
    return HEAD_MARKERS[(place + place // len(HEAD_COLOURS)) % len(HEAD_MARKERS)]


def diverging_table(n_colours: int = 255, *, dark: bool = False) -> npt.NDArray[np.uint8]:
    """Return the signed colours, (n_colours, 3) uint8 RGB, blue below zero and red above.

    Zero is nearly white, or dark where they are to stand on a ``dark`` ground. Read-only, and the
    same array every time.
    """
    return _diverging(n_colours, dark)


def table_on(table: npt.NDArray[np.uint8], *, dark: bool) -> npt.NDArray[np.uint8]:
    """Return ``table`` as it is shown on a light or ``dark`` ground: signed colours differ."""
    is_signed = table is diverging_table(len(table))
    return diverging_table(len(table), dark=True) if dark and is_signed else table


@lru_cache(maxsize=8)
def _diverging(n_colours: int, dark: bool) -> npt.NDArray[np.uint8]:
    hues = _DIVERGING_ON_DARK if dark else _DIVERGING
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
