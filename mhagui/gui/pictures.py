"""From numbers to pictures: the colour of a weight or a score, and how one cell reads in words."""

from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg

from mhagui import core, formats
from mhagui.document import ColourScale, HeadResult, Quantity, Result, ViewState
from mhagui.gui.bench import Frame
from mhagui.gui.widgets.colour_range import ColourRange
from mhagui.gui.widgets.matrix_picture import Picture, Writing
from mhagui.palette import diverging_table

N_COLOURS = 255
LOG_FLOOR = 1e-6
SMALL_WEIGHT = 0.001  # smaller ones are read out with significant digits

Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Tokens = tuple[str, ...]


@lru_cache(maxsize=1)
def weight_table() -> npt.NDArray[np.uint8]:
    """Return the colour table of weights, viridis, (255, 3) uint8 RGB, read-only."""
    table: npt.NDArray[np.uint8] = pg.colormap.get("viridis").getLookupTable(nPts=N_COLOURS)
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


def signed_range(largest: float, caption: str) -> ColourRange:
    """Return a scale around 0 for magnitudes up to ``largest``, to 1 where all are 0."""
    limit = largest if largest > 1e-300 else 1.0
    return ColourRange(-limit, limit, caption, diverging_table())


def colour_range(view: ViewState, n_positions: int, largest: float) -> ColourRange:
    """Return the scale shared by all heads; ``largest`` is their largest shown magnitude."""
    if view.quantity is Quantity.SCORES:
        return signed_range(largest, "score S (no gain), linear")
    scale = view.colour_scale
    if scale is ColourScale.LOGARITHMIC:
        caption = f"weight A, logarithmic, floor {formats.short(LOG_FLOOR)}"
        return ColourRange(LOG_FLOOR, 1.0, caption, weight_table(), logarithmic=True)
    if scale is ColourScale.RELATIVE:
        # Around 1 by ratio: neutral is uniform, red above it, blue below; no row can pass n_t <= T.
        ratio = float(max(n_positions, 2))
        caption = "A·n_t, relative to uniform, logarithmic"
        return ColourRange(1 / ratio, ratio, caption, diverging_table(), logarithmic=True, unit="×")
    if scale is ColourScale.LINEAR_TO_MAX:
        caption = f"weight A, {scale.value} of rows t ≥ 2"
        return ColourRange(0.0, largest or 1.0, caption, weight_table())
    return ColourRange(0.0, 1.0, f"weight A, {scale.value}", weight_table())


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
        signed=scale.table is diverging_table(),
        row_words=words,
        column_words=words,
        noun=noun,
    )


def _writings(view: ViewState, scale: ColourRange) -> tuple[Writing, ...]:
    """Return how the numbers in the cells are written; each sample is as wide as any of them."""
    if view.quantity is Quantity.SCORES:
        return tuple(
            Writing(partial(formats.cell, decimals=decimals), formats.fixed(scale.low, decimals))
            for decimals in (2, 1)
        )
    if view.colour_scale is ColourScale.RELATIVE:
        return (Writing(_ratio_in_cell, "0.0"),)
    weights = tuple(Writing(partial(formats.cell, decimals=n), "." + n * "0") for n in (3, 2))
    if view.colour_scale is ColourScale.LOGARITHMIC:
        return Writing(_small_in_cell, "0e−0"), *weights[1:]
    return weights


def _ratio_in_cell(value: float) -> str:
    """Write a ratio with two digits: .35, 1.0, 3.7, 12."""
    if value < 0.995:
        return formats.cell(value)
    return formats.fixed(value, 1 if value < 9.95 else 0)


def _small_in_cell(value: float) -> str:
    """Write a weight to two decimals, one that has none there with its power of ten: 2e−3."""
    return formats.power(value) if 0 < value < 0.005 else formats.cell(value)


def cursor_text(frame: Frame) -> str:
    """Return the read-out of the cell under the cursor.

    For instance "head 2 · t = 4 · i = 3 · weight 0.9233 · 3.69× uniform"; with tokens
    "head 2 · t = 4 “the” · i = 3 “on” · ..".
    """
    cursor, result = frame.view.cursor, frame.result
    place, tokens = frame.scene.index_of(cursor.head), frame.scene.tokens
    row, key = (f"{at + 1}{_quoted(tokens, at)}" for at in (cursor.query, cursor.key))
    where = f"head {place + 1} · t = {row} · i = {key}"
    if not result.allowed[cursor.query, cursor.key]:
        return f"{where} · masked"
    head = result.heads[place]
    value = float(shown_values(head, frame.view.quantity)[cursor.query, cursor.key])
    if frame.view.quantity is Quantity.SCORES:
        return f"{where} · score {formats.fixed(value, 4)}"
    ratio = value * int(result.allowed[cursor.query].sum())
    return f"{where} · weight {_weight(value)} · {_ratio(ratio)}× uniform"


def _quoted(tokens: Tokens, place: int) -> str:
    return f" “{formats.token(tokens[place])}”" if tokens else ""


def _weight(value: float) -> str:
    return formats.short(value) if 0 < value < SMALL_WEIGHT else formats.fixed(value, 4)


def _ratio(value: float) -> str:
    """Return three digits: 3.97, 4.00, 200, 0.353."""
    return formats.significant(value, 3) if value >= 1 else formats.short(value, 3)


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
