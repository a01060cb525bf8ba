"""How a head is labelled, coloured and marked, wherever heads stand side by side."""

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from mhagui.document import HeadResult, Result
from mhagui.gui.widgets.curve_plot import Curve
from mhagui.gui.widgets.number_table import Column
from mhagui.gui.widgets.words import plain
from mhagui.palette import head_colour, head_marker


def head_columns(result: Result) -> tuple[Column, ...]:
    """Return a table's columns h1..hH, in the heads' colours, dimmed where a head is ablated."""
    return tuple(_head_column(number, head) for number, head in enumerate(result.heads, 1))


def head_curve(number: int, head: HeadResult, values: npt.NDArray[np.float64]) -> Curve:
    """Return the curve of head ``number`` (from 1), in the colour and with the marker it keeps."""
    uid = head.head.uid
    colour, symbol = QColor(head_colour(uid)), head_marker(uid).on_screen
    return Curve(f"h{number}", values, colour, symbol, not head.active)


def _head_column(number: int, head: HeadResult) -> Column:
    band = QColor(head_colour(head.head.uid))
    tip = plain(f"h{number} {head.head.name}{_tail(head)}")
    return Column(f"h{number}", tip, band, dimmed=not head.active, state=head.standing)


def _tail(head: HeadResult) -> str:
    """Return what the tip says of mute and solo."""
    if head.active:
        return f"; {head.standing}" if head.standing else ""
    return f"; ablated ({head.standing}): it does not reach W_O"
