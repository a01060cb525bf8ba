"""From numbers to pictures: the colour of a weight or a score, and how one cell reads in words."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QGuiApplication

from mhagui import core, formats
from mhagui._resources import resource_path
from mhagui.document import (
    Appearance,
    ColourScale,
    Head,
    HeadResult,
    Quantity,
    Result,
    Scene,
    ViewState,
    token_text,
)
from mhagui.document.on_demand import Matrix, OnDemand
from mhagui.document.weight_scale import LOG_FLOOR, weight_scale
from mhagui.formats import Precision
from mhagui.gui.bench import Frame
from mhagui.gui.widgets.colour_range import ColourRange, signed_range
from mhagui.gui.widgets.label_text import drawable
from mhagui.gui.widgets.matrix_picture import NO_KEY, Picture, Writing
from mhagui.palette import WeightColours, is_signed

N_COLOURS = 255
READ_OUT = 16  # characters of a token or a name in the read-out

_POOLED = 256  # rows and columns of a matrix in which a largest number is looked for

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.intp]
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
        lines = resource_path("colours", f"{colours.value}.hex").read_text(encoding="ascii")
        table = np.frombuffer(bytearray.fromhex(lines), np.uint8).reshape(N_COLOURS, 3)
    table.flags.writeable = False
    return table


class Words(NamedTuple):
    """What stands at queries and keys, and how it stands for text; how keys are numbered."""

    tokens: Tokens = ()
    key_tokens: Tokens = ()
    scheme: str = ""
    key_sign: str = "t"


NO_WORDS = Words()


def words_of(scene: Scene) -> Words:
    """Return what stands at the queries and keys of ``scene``."""
    return Words(scene.tokens, scene.tokens_of_keys, scene.token_scheme, scene.mask.key_sign)


@lru_cache(maxsize=8)
def position_labels(n_positions: int, sign: str = "t") -> tuple[str, ...]:
    """Return t1..tT, or with another sign, the same tuple for the same T."""
    return formats.positions(n_positions, sign)


@lru_cache(maxsize=8)
def token_labels(tokens: Tokens, scheme: str = "") -> Tokens:
    """Return what is written for each token, the same tuple for the same tokens."""
    return token_text.labels(tokens, scheme=scheme)


@lru_cache(maxsize=8)
def token_tips(tokens: Tokens, scheme: str = "") -> Tokens:
    """Return all there is to say of each token, the same tuple for the same tokens."""
    return token_text.told(token_text.shown_tokens(tokens, scheme))


def shown_values(head: HeadResult, quantity: Quantity) -> Matrix:
    """Return what the head's heatmap shows: A_h or S_h, (T, T)."""
    return head.weights if quantity is Quantity.WEIGHTS else head.scores


def keys_seen(allowed: BoolArray) -> Counts:
    """Return which keys each row of a mask sees, as a picture has it; none between are masked.

    (T,): how many, its first. Or (2, T): the first key, and the one behind the last.
    """
    counts: Counts = np.count_nonzero(allowed, axis=1)
    first: Counts = np.argmax(allowed, axis=1)
    return np.stack([first, first + counts]) if first.any() else counts


def numbers_seen(seen: Counts) -> Counts:
    """Return how many keys each row sees, (T,), of what ``keys_seen`` says."""
    return seen if seen.ndim == 1 else seen[1] - seen[0]


def largest_seen(values: Matrix, seen: Counts, *, signed: bool = True) -> float:
    """Return the largest magnitude among the cells of each row that are seen, 0 if there are none.

    ``seen`` is as ``keys_seen`` has it. The matrix is pooled first: all of it is never made anew.
    """
    if isinstance(values, OnDemand):
        is_of_all = bool(seen[0])
        magnitudes = np.abs(values.overview)
        return float(np.nanmax(magnitudes)) if is_of_all else values.largest_below_first_row()
    pool = core.pool_largest_magnitude if signed else core.pool_maximum
    pooled = np.abs(pool(values, _POOLED, _POOLED, seen=seen))
    return float(np.max(pooled, where=~np.isnan(pooled), initial=0.0))


def weight_range(high: float, caption: str, look: Appearance, unit: str = "") -> ColourRange:
    """Return a scale from 0 to ``high`` in the colours of weights."""
    table = weight_table(look.weight_colours)
    return ColourRange(0.0, high, caption, table, unit=unit, precision=look.precision)


def colour_range(view: ViewState, n_keys: int, largest: float) -> ColourRange:
    """Return the scale shared by all heads; ``largest`` is their largest shown magnitude."""
    look, scale = view.appearance, view.colour_scale
    if view.quantity is Quantity.SCORES:
        return signed_range(largest, "score S (no gain), linear", look)
    ends = weight_scale(scale, n_keys, largest)
    if ends.is_ratio:
        around = signed_range(ends.high, ends.caption, look)
    else:
        around = weight_range(ends.high, ends.caption, look)
    return replace(around, low=ends.low, logarithmic=ends.logarithmic, unit=ends.unit)


def head_picture(
    head: HeadResult,
    seen: Counts,
    view: ViewState,
    scale: ColourRange,
    words: Words = NO_WORDS,
) -> Picture:
    """Return the picture of one head's weights or scores in the colours of ``scale``."""
    values, noun, factors = shown_values(head, view.quantity), "score", None
    if view.quantity is Quantity.WEIGHTS:
        noun = "weight"
        if view.colour_scale is ColourScale.RELATIVE:
            noun, factors = "times uniform", numbers_seen(seen).astype(np.float64)
    of_queries, of_keys = (words.tokens, words.scheme), (words.key_tokens, words.scheme)
    return Picture(
        values=values,
        low=scale.low,
        high=scale.high,
        table=scale.table,
        row_labels=position_labels(values.shape[0]),
        column_labels=position_labels(values.shape[1], words.key_sign),
        seen=seen,
        row_factors=factors,
        logarithmic=scale.logarithmic,
        writings=_writings(view, scale),
        signed=is_signed(scale.table),
        row_words=token_labels(*of_queries),
        column_words=token_labels(*of_keys),
        row_tips=token_tips(*of_queries),
        column_tips=token_tips(*of_keys),
        noun=noun,
        precision=scale.precision,
        sink_shares=head.sink_shares if view.quantity is Quantity.WEIGHTS else None,
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
    usual = Writing(formats.cell, ".00")
    if view.colour_scale is ColourScale.LOGARITHMIC:
        return Writing(formats.small_in_cell, "0e−0"), usual
    small = partial(formats.small_in_cell, decimals=3, least=LOG_FLOOR)
    return Writing(small, "0e−0"), Writing(partial(formats.cell, decimals=3), ".000"), usual


def cursor_text(frame: Frame) -> str:
    """Return the read-out of the cell under the cursor.

    For instance "head 2 · t = 4 · i = 3 · weight 0.9233 · 3.69× uniform"; with tokens
    "head 2 · t = 4 “the” · i = 3 “on” · ..", and with a name "head 11 L0 H25 · ..".
    """
    head, row, key, value = _cell_under_cursor(frame)
    return f"head {head} · t = {row} · i = {key} · {value}"


def spoken_cell(frame: Frame) -> str:
    """Return the same as a sentence to be spoken.

    For instance "head 2, row t4, column t3, weight 0.9233, 3.69 times uniform".
    """
    head, row, key, value = _cell_under_cursor(frame)
    value = value.replace(" · ", ", ").replace("×", " times")
    return f"head {head}, row t{row}, column {frame.scene.mask.key_sign}{key}, {value}"


def _cell_under_cursor(frame: Frame) -> tuple[str, str, str, str]:
    """Return head, row and key from 1, with name and tokens, and what the cell holds."""
    cursor, result = frame.view.cursor, frame.result
    place, scene = frame.scene.index_of(cursor.head), frame.scene
    row, key = (
        f"{at + 1}{_quoted(token_labels(tokens, scene.token_scheme), at)}"
        for at, tokens in ((cursor.query, scene.tokens), (cursor.key, scene.tokens_of_keys))
    )
    number = f"{place + 1}{_named(scene.heads[place])}"
    if not result.allowed[cursor.query].any():
        return number, row, key, NO_KEY
    if not result.allowed[cursor.query, cursor.key]:
        return number, row, key, "masked"
    head, write = result.heads[place], frame.view.appearance.precision
    value = float(shown_values(head, frame.view.quantity)[cursor.query, cursor.key])
    if frame.view.quantity is Quantity.SCORES:
        return number, row, key, f"score {write.fixed(value, 4)}"
    ratio = value * int(result.allowed[cursor.query].sum())
    told = f"weight {write.read_out(value)} · {_ratio(ratio, write)}× uniform"
    if head.sink_shares is not None:
        told += f" · sink {write.read_out(float(head.sink_shares[cursor.query]))}"
    return number, row, key, told


def _named(head: Head) -> str:
    """Return a head's name behind a space, cut where it is long; "" where it is its pattern's."""
    if head.name.startswith(head.pattern.value):
        return ""
    return f" {token_text.elided(head.name, READ_OUT)}"


def _quoted(words: Tokens, place: int) -> str:
    if not words:
        return ""
    word = token_text.elided(words[place], READ_OUT)
    return f" “{drawable((word,), QGuiApplication.font().toString())[0]}”"


def _ratio(value: float, write: Precision) -> str:
    """Return three digits where four are usual: 3.97, 4.00, 200, 0.353."""
    return write.significant(value, 3) if value >= 1 else write.short(value, 3)


class Largest(NamedTuple):
    """The largest shown magnitude of a head's values under a mask."""

    uid: int
    values: Matrix
    allowed: BoolArray
    magnitude: float


class Unknown(NamedTuple):
    """A head's values of which it is to be found, and which cells of each row count."""

    uid: int
    values: Matrix
    allowed: BoolArray
    seen: Counts
    signed: bool

    @property
    def effort(self) -> int:
        """How long it takes to find, in cells that are read."""
        if isinstance(self.values, OnDemand):
            return self.values.overview.size
        if self.seen.ndim > 1:  # all are read
            return (2 + self.signed) * self.values.size
        return (1 + self.signed) * int(self.seen.sum())


def largest_of_each(unknown: Iterable[Unknown]) -> list[Largest]:
    """Find what is unknown; this may take long."""
    return [
        Largest(of.uid, of.values, of.allowed, largest_seen(of.values, of.seen, signed=of.signed))
        for of in unknown
    ]


class Pictures:
    """The pictures of all heads, each kept until its numbers or the scale change.

    While a gain is dragged only one head's weights change; the others keep their very pictures.
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Matrix, BoolArray, ColourRange, Words, Picture]] = {}
        self._largest: dict[int, Largest] = {}
        self._seen: tuple[BoolArray | None, Counts] = None, np.zeros(0, dtype=np.intp)

    def scale(self, result: Result, view: ViewState) -> ColourRange:
        """Return the scale that the pictures of all heads share, and forget heads that are gone."""
        uids = {head.head.uid for head in result.heads}
        for kept in (self._kept, self._largest):
            for uid in kept.keys() - uids:
                del kept[uid]
        return colour_range(view, result.allowed.shape[1], self._largest_of_all(result, view))

    def scale_of(self, head: HeadResult, result: Result, view: ViewState) -> ColourRange:
        """Return the scale that the scores of one head have as their own, after ``scale``."""
        largest = self._largest[head.head.uid].magnitude
        scale = colour_range(view, result.allowed.shape[1], largest)
        number = 1 + [other.head.uid for other in result.heads].index(head.head.uid)
        return replace(scale, caption=f"score S of h{number} (no gain), linear")

    def of(
        self,
        head: HeadResult,
        allowed: BoolArray,
        view: ViewState,
        scale: ColourRange,
        words: Words = NO_WORDS,
    ) -> Picture:
        """Return the picture of one head."""
        values = shown_values(head, view.quantity)
        kept = self._kept.get(head.head.uid)
        is_of_these = kept is not None and kept[0] is values and kept[1] is allowed
        if kept is not None and is_of_these and kept[2:4] == (scale, words):
            return kept[4]
        picture = head_picture(head, self.seen(allowed), view, scale, words)
        self._kept[head.head.uid] = (values, allowed, scale, words, picture)
        return picture

    def seen(self, allowed: BoolArray) -> Counts:
        """Return which keys each row of the mask sees, as ``keys_seen`` does."""
        if self._seen[0] is not allowed:
            self._seen = allowed, keys_seen(allowed)
        return self._seen[1]

    def unknown(self, result: Result, view: ViewState) -> list[Unknown]:
        """Return the heads whose largest shown magnitude the scale needs and is not known yet."""
        seen, signed = self.seen(result.allowed), view.quantity is Quantity.SCORES
        if not signed:
            if view.colour_scale is not ColourScale.LINEAR_TO_MAX:
                return []
            # A row with a single key has weight 1 always.
            seen = np.where(numbers_seen(seen) > 1, seen, 0)
        shown = ((head.head.uid, shown_values(head, view.quantity)) for head in result.heads)
        return [
            Unknown(uid, values, result.allowed, seen, signed)
            for uid, values in shown
            if not self._is_known(uid, values, result.allowed)
        ]

    def _is_known(self, uid: int, values: Matrix, allowed: BoolArray) -> bool:
        known = self._largest.get(uid)
        return known is not None and known.values is values and known.allowed is allowed

    def learn(self, found: Iterable[Largest]) -> None:
        """Note what was found."""
        self._largest.update((each.uid, each) for each in found)

    def _largest_of_all(self, result: Result, view: ViewState) -> float:
        self.learn(largest_of_each(self.unknown(result, view)))
        if view.quantity is Quantity.WEIGHTS and view.colour_scale is not ColourScale.LINEAR_TO_MAX:
            return 1.0
        return max(self._largest[head.head.uid].magnitude for head in result.heads)
