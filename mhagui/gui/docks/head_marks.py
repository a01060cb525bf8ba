"""How a head is labelled, coloured and marked, wherever heads stand side by side."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from mhagui.document import HeadResult, Result
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
