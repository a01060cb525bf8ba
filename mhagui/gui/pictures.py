"""From numbers to pictures: the colour of a weight or a score, and how one cell reads in words."""

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg

from mhagui import core, formats
from mhagui.document import Appearance, ColourScale, HeadResult, Quantity, Result, ViewState
from mhagui.document.weight_scale import weight_scale
from mhagui.formats import Precision
from mhagui.gui.bench import Frame
from mhagui.gui.widgets.colour_range import ColourRange, signed_range
from mhagui.gui.widgets.matrix_picture import Picture, Writing
from mhagui.palette import WeightColours, is_signed

N_COLOURS = 255
SMALL_WEIGHT = 0.001  # smaller ones are read out with significant digits

Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Tokens = tuple[str, ...]


def weight_table(colours: WeightColours = WeightColours.VIRIDIS) -> npt.NDArray[np.uint8]:
    """Return the colour table of weights, (255, 3) uint8 RGB, read-only, the same every time."""
    return _weight_table(colours)


@lru_cache(maxsize=len(WeightColours))
def _weight_table(colours: WeightColours) -> npt.NDArray[np.uint8]:
    table: npt.NDArray[np.uint8]
    if colours is WeightColours.GREY:
        table = np.repeat(np.rint(np.linspace(0, 255, N_COLOURS)).astype(np.uint8)[:, None], 3, 1)
    else:
        table = pg.colormap.get(colours.value).getLookupTable(nPts=N_COLOURS)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=8)
def position_labels(n_positions: int) -> tuple[str, ...]:
    """Return t1..tT, the same tuple for the same T."""
    return formats.positions(n_positions)


@lru_cache(maxsize=8)
def shown_tokens(tokens: Tokens) -> Tokens:
    """Return what is written for each token, the same tuple for the same tokens."""
    return tuple(map(formats.token, tokens))


def shown_values(head: HeadResult, quantity: Quantity) -> Array:
    """Return what the head's heatmap shows: A_h or S_h, (T, T)."""
    return head.weights if quantity is Quantity.WEIGHTS else head.scores


def largest_allowed(values: Array, allowed: BoolArray) -> float:
    """Return the largest magnitude among the allowed cells, 0 where there are none."""
    return float(np.max(np.abs(values), where=allowed, initial=0.0))


def weight_range(high: float, caption: str, look: Appearance, unit: str = "") -> ColourRange:
    """Return a scale from 0 to ``high`` in the colours of weights."""
    table = weight_table(look.weight_colours)
    return ColourRange(0.0, high, caption, table, unit=unit, precision=look.precision)


def colour_range(view: ViewState, n_positions: int, largest: float) -> ColourRange:
    """Return the scale shared by all heads; ``largest`` is their largest shown magnitude."""
    look, scale = view.appearance, view.colour_scale
    if view.quantity is Quantity.SCORES:
        return signed_range(largest, "score S (no gain), linear", look)
    ends = weight_scale(scale, n_positions, largest)
    if ends.is_ratio:
        around = signed_range(ends.high, ends.caption, look)
    else:
        around = weight_range(ends.high, ends.caption, look)
    return replace(around, low=ends.low, logarithmic=ends.logarithmic, unit=ends.unit)


def head_picture(
    head: HeadResult, allowed: BoolArray, view: ViewState, scale: ColourRange, tokens: Tokens = ()
) -> Picture:
    """Return the picture of one head's weights or scores in the colours of ``scale``."""
    values, noun = shown_values(head, view.quantity), "score"
    if view.quantity is Quantity.WEIGHTS:
        noun = "weight"
        if view.colour_scale is ColourScale.RELATIVE:
            values, noun = values * allowed.sum(axis=1)[:, None], "times uniform"
    labels, words = position_labels(values.shape[0]), shown_tokens(tokens)
    return Picture(
        values=values,
        indices=core.quantise(values, scale.low, scale.high, logarithmic=scale.logarithmic),
        table=scale.table,
        row_labels=labels,
        column_labels=labels,
        allowed=allowed,
        writings=_writings(view, scale),
        signed=is_signed(scale.table),
        row_words=words,
        column_words=words,
        noun=noun,
        precision=scale.precision,
    )


def _writings(view: ViewState, scale: ColourRange) -> tuple[Writing, ...]:
    """Return how the numbers in the cells are written; each sample is as wide as any of them."""
    if view.quantity is Quantity.SCORES:
        return tuple(
            Writing(partial(formats.cell, decimals=decimals), formats.fixed(scale.low, decimals))
            for decimals in (2, 1)
        )
    if view.colour_scale is ColourScale.RELATIVE:
        return (Writing(formats.ratio_in_cell, "0.0"),)
    weights = tuple(Writing(partial(formats.cell, decimals=n), "." + n * "0") for n in (3, 2))
    if view.colour_scale is ColourScale.LOGARITHMIC:
        return Writing(formats.small_in_cell, "0e−0"), *weights[1:]
    return weights


def cursor_text(frame: Frame) -> str:
    """Return the read-out of the cell under the cursor.

    For instance "head 2 · t = 4 · i = 3 · weight 0.9233 · 3.69× uniform"; with tokens
    "head 2 · t = 4 “the” · i = 3 “on” · ..".
    """
    head, row, key, value = _cell_under_cursor(frame)
    return f"head {head} · t = {row} · i = {key} · {value}"


def spoken_cell(frame: Frame) -> str:
    """Return the same as a sentence to be spoken.

    For instance "head 2, row t4, column t3, weight 0.9233, 3.69 times uniform".
    """
    head, row, key, value = _cell_under_cursor(frame)
    value = value.replace(" · ", ", ").replace("×", " times")
    return f"head {head}, row t{row}, column t{key}, {value}"


def _cell_under_cursor(frame: Frame) -> tuple[int, str, str, str]:
    """Return head, row and key from 1, the latter with their tokens, and what the cell holds."""
    cursor, result = frame.view.cursor, frame.result
    place, tokens = frame.scene.index_of(cursor.head), frame.scene.tokens
    row, key = (f"{at + 1}{_quoted(tokens, at)}" for at in (cursor.query, cursor.key))
    if not result.allowed[cursor.query, cursor.key]:
        return place + 1, row, key, "masked"
    head, write = result.heads[place], frame.view.appearance.precision
    value = float(shown_values(head, frame.view.quantity)[cursor.query, cursor.key])
    if frame.view.quantity is Quantity.SCORES:
        return place + 1, row, key, f"score {write.fixed(value, 4)}"
    ratio = value * int(result.allowed[cursor.query].sum())
    return place + 1, row, key, f"weight {_weight(value, write)} · {_ratio(ratio, write)}× uniform"


def _quoted(tokens: Tokens, place: int) -> str:
    return f" “{formats.token(tokens[place])}”" if tokens else ""


def _weight(value: float, write: Precision) -> str:
    return write.short(value) if 0 < value < SMALL_WEIGHT else write.fixed(value, 4)


def _ratio(value: float, write: Precision) -> str:
    """Return three digits where four are usual: 3.97, 4.00, 200, 0.353."""
    return write.significant(value, 3) if value >= 1 else write.short(value, 3)


class Pictures:
    """The pictures of all heads, each kept until its numbers or the scale change.

    While a gain is dragged only one head's weights change; the others keep their very pictures.
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Array, ColourRange, Tokens, Picture]] = {}
        self._largest: dict[int, tuple[Array, float]] = {}

    def scale(self, result: Result, view: ViewState) -> ColourRange:
        """Return the scale that the pictures of all heads share, and forget heads that are gone."""
        uids = {head.head.uid for head in result.heads}
        for kept in (self._kept, self._largest):
            for uid in kept.keys() - uids:
                del kept[uid]
        return colour_range(view, result.allowed.shape[0], self._largest_of_all(result, view))

    def of(
        self,
        head: HeadResult,
        allowed: BoolArray,
        view: ViewState,
        scale: ColourRange,
        tokens: Tokens = (),
    ) -> Picture:
        """Return the picture of one head."""
        values = shown_values(head, view.quantity)
        kept = self._kept.get(head.head.uid)
        if kept is not None and kept[0] is values and kept[1:3] == (scale, tokens):
            return kept[3]
        picture = head_picture(head, allowed, view, scale, tokens)
        self._kept[head.head.uid] = (values, scale, tokens, picture)
        return picture

    def _largest_of_all(self, result: Result, view: ViewState) -> float:
        allowed = result.allowed
        if view.quantity is Quantity.WEIGHTS:
            if view.colour_scale is not ColourScale.LINEAR_TO_MAX:
                return 1.0
            # a row with a single key has weight 1 always
            allowed = allowed & (allowed.sum(axis=1) > 1)[:, None]
        return max(self._largest_of(head, view, allowed) for head in result.heads)

    def _largest_of(self, head: HeadResult, view: ViewState, allowed: BoolArray) -> float:
        values, uid = shown_values(head, view.quantity), head.head.uid
        kept = self._largest.get(uid)
        if kept is None or kept[0] is not values:
            kept = self._largest[uid] = values, largest_allowed(values, allowed)
        return kept[1]
