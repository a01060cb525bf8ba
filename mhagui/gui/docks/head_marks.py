"""How a head is labelled, coloured and marked, wherever heads stand side by side."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from mhagui.document import Head, HeadResult, Result, Scene
from mhagui.gui.widgets.curve_plot import Curve
from mhagui.gui.widgets.number_table import Column
from mhagui.gui.widgets.words import plain
from mhagui.palette import head_colour, head_marker


def head_columns(result: Result) -> tuple[Column, ...]:
    """Return a table's columns h1..hH, in the heads' colours, dimmed where a head is muted."""
    return tuple(
        _head_column(number, head.head.uid, head.head.name, head.active, head.standing)
        for number, head in enumerate(result.heads, 1)
    )


def head_curve(number: int, head: HeadResult, values: npt.NDArray[np.float64]) -> Curve:
    """Return the curve of head ``number`` (from 1), in the colour and with the marker it keeps."""
    uid = head.head.uid
    colour, symbol = QColor(head_colour(uid)), head_marker(uid).on_screen
    return Curve(f"h{number}", values, colour, symbol, not head.active)


def key_head_mark(head: Head) -> str:
    """Return the mark that heads have alike which share keys and values: KV 0; or nothing."""
    return "" if head.key_head is None else f"KV {head.key_head}"


def key_head_tip(scene: Scene, head: Head) -> str:
    """Return in words with which others a head shares keys and values; nothing where it does not.

    A head that no other on the bench shares them with has its own all the same.
    """
    if head.key_head is None:
        return ""
    alike = [f"h{n}" for n, of in enumerate(scene.heads, 1) if of.key_head == head.key_head]
    which = f"Key and value head {head.key_head}"
    if len(alike) == 1:
        return f"{which}: no other head on the bench reads it."
    return f"{which}, the keys and values of {', '.join(alike[:-1])} and {alike[-1]} alike."


@lru_cache(maxsize=64)  # tables are told of every head at every step of a drag
def _head_column(number: int, uid: int, name: str, active: bool, standing: str) -> Column:
    tip = plain(f"h{number} {name}{_tail(active, standing)}")
    band = QColor(head_colour(uid))
    return Column(f"h{number}", tip, band, dimmed=not active, state=standing)


def _tail(active: bool, standing: str) -> str:
    """Return what the tip says of mute and solo."""
    if active:
        return f"; {standing}" if standing else ""
    return f"; {standing}: it does not reach W_O"
