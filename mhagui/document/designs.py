"""How heads of a pattern are made, and the filter that each of them approaches."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.head import Head
from mhagui.document.mask_rule import CAUSAL, MaskKind, MaskRule
from mhagui.document.patterns import Pattern
from mhagui.document.records import Array, sealed
from mhagui.formats import superscript

QueriesAndKeys = tuple[Array, Array]
_QUERY_MAGNITUDE = 3.0  # of heads that write positions on a circle, as the lesson has it


class Make(NamedTuple):
    """What a design is made from: T, d_k, the pattern's numbers, and |K|."""

    n_positions: int
    d_k: int
    settings: tuple[float, ...]
    key_magnitude: float
    keep_margin: bool

    def on_circle(self, n_points: int) -> dict[str, float]:
        """Return the magnitudes of a code of ``n_points`` on a circle."""
        factor = core.margin_factor(n_points) if self.keep_margin else 1.0
        return {
            "key_magnitude": self.key_magnitude * factor,
            "query_magnitude": _QUERY_MAGNITUDE * factor,
        }


class Design(NamedTuple):
    """How a pattern is made; and what filter it is."""

    make: Callable[[Make], QueriesAndKeys]
    filter_name: str
    has_keys: bool = True  # where it has none |K| plays no part


def _first_token(made: Make) -> QueriesAndKeys:
    return core.first_token_head(made.n_positions, made.d_k, made.key_magnitude)


def _previous_token(made: Make) -> QueriesAndKeys:
    magnitudes = made.on_circle(made.n_positions)
    return core.previous_token_head(made.n_positions, made.d_k, **magnitudes)


def _self(made: Make) -> QueriesAndKeys:
    return core.self_head(made.n_positions, made.d_k, **made.on_circle(made.n_positions))


def _uniform(made: Make) -> QueriesAndKeys:
    return core.uniform_head(made.n_positions, made.d_k)


def _delay(made: Make) -> QueriesAndKeys:
    (steps,) = map(int, made.settings)
    magnitudes = made.on_circle(made.n_positions)
    return core.delay_head(made.n_positions, made.d_k, steps=steps, **magnitudes)


def _two_positions(made: Make) -> QueriesAndKeys:
    first, second = map(int, made.settings)
    return core.two_position_head(
        made.n_positions, made.d_k, made.key_magnitude, first=first, second=second
    )


def _recency(made: Make) -> QueriesAndKeys:
    return core.recency_head(made.n_positions, made.d_k, slope=made.settings[0])


def _block_local(made: Make) -> QueriesAndKeys:
    (block,) = map(int, made.settings)
    magnitudes = made.on_circle(-(-made.n_positions // block))
    return core.block_local_head(made.n_positions, made.d_k, block=block, **magnitudes)


def _given(made: Make) -> QueriesAndKeys:
    raise AssertionError(f"{made} is not designed: its queries and keys are given")


_DESIGNS = {
    Pattern.FIRST_TOKEN: Design(_first_token, "first-sample hold"),
    Pattern.PREVIOUS_TOKEN: Design(_previous_token, "unit delay"),
    Pattern.SELF: Design(_self, "identity"),
    Pattern.UNIFORM: Design(_uniform, "growing box", has_keys=False),
    Pattern.DELAY: Design(_delay, "delay"),
    Pattern.TWO_POSITIONS: Design(_two_positions, "two-sample hold"),
    Pattern.RECENCY: Design(_recency, "identity", has_keys=False),
    Pattern.BLOCK_LOCAL: Design(_block_local, "box within a block"),
    Pattern.HAND_SET: Design(_given, "hand-set", has_keys=False),
    Pattern.PROJECTED: Design(_given, "projected from its input", has_keys=False),
    Pattern.GIVEN: Design(_given, "given weights", has_keys=False),
}


def design_of(pattern: Pattern) -> Design:
    """Return how heads of ``pattern`` are made."""
    return _DESIGNS[pattern]


def designed_factors(
    pattern: Pattern,
    settings: tuple[float, ...],
    n_positions: int,
    d_k: int,
    key_magnitude: float,
    *,
    keep_margin: bool = False,
) -> QueriesAndKeys:
    """Return Q and K of a designed head, each (T, d_k); |Q| is what the lesson has.

    With ``keep_margin`` codes on a circle are made so large that neighbouring positions stay as
    far apart in score as they are at T = 6.
    """
    made = Make(n_positions, d_k, settings, key_magnitude, keep_margin)
    q, k = design_of(pattern).make(made)
    return sealed(q), sealed(k)


def filter_of(head: Head, mask: MaskRule = CAUSAL) -> str:
    """Return what the filter is called that a head approaches, with its number where it has one."""
    if head.is_biased:
        return "none with a bias"  # of slope or sink, which no gain outgrows where scores are equal
    if _is_uniform(head):
        return _box_under(mask)
    name = design_of(head.pattern).filter_name
    if head.pattern is Pattern.PREVIOUS_TOKEN:
        return f"{name} z⁻¹"
    if head.pattern is Pattern.DELAY:
        return f"{name} z{superscript(-int(head.settings[0]))}"
    return name


def _box_under(mask: MaskRule) -> str:
    """Return what the filter is called that weights all keys alike which ``mask`` lets be seen."""
    match mask.kind:
        case MaskKind.FULL:
            return "box over all keys"
        case MaskKind.SLIDING:
            return f"sliding box of {mask.size}"
        case MaskKind.PREFIX:
            return f"growing box from {mask.size}"
    return design_of(Pattern.UNIFORM).filter_name


def ideal_taps(head: Head, row: int) -> Array | None:
    """Return the taps at t1 .. t of the filter ``head`` approaches as its gain grows, (row + 1,).

    ``row`` is t from 0. None where there is no such filter: in the rows of a delay that reach back
    before t1, in those of two positions before the first of them, for queries and keys that are
    given and not designed, and for heads with a slope or a sink.
    """
    looked_at = _looked_at(head, row, np.arange(row + 1))
    count = np.count_nonzero(looked_at)
    return sealed(looked_at / count) if count else None


def ideal_rows(head: Head, rows: npt.NDArray[np.int64], n_positions: int) -> Array:
    """Return ``ideal_taps`` of each of ``rows``, zero behind t, (R, T); NaN where none are."""
    down, keys = rows[:, np.newaxis], np.arange(n_positions)
    looked_at = _looked_at(head, down, keys) & (keys <= down)
    counts = np.count_nonzero(looked_at, axis=1)[:, np.newaxis]
    return sealed(looked_at / np.where(counts > 0, counts, np.nan))


def _looked_at(
    head: Head, row: int | npt.NDArray[np.int64], keys: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Return which of ``keys`` share row ``row`` of the ideal; none where it has none."""
    at: npt.NDArray[np.bool_] = keys < 0
    if head.is_biased:
        return at
    if _is_uniform(head):
        return ~at
    match head.pattern:
        case Pattern.FIRST_TOKEN:
            at = keys == 0
        case Pattern.PREVIOUS_TOKEN:
            at = keys == row - 1
        case Pattern.SELF | Pattern.RECENCY:
            at = keys == row
        case Pattern.DELAY:
            at = keys == row - head.settings[0]
        case Pattern.TWO_POSITIONS:
            at = np.isin(keys + 1, head.settings)
        case Pattern.BLOCK_LOCAL:
            at = keys >= row - row % head.settings[0]
    return at


def _is_uniform(head: Head) -> bool:
    """Say whether all scores of a designed head are alike, so that no gain makes a difference."""
    if head.pattern is Pattern.RECENCY:
        return head.settings[0] == 0
    has_no_keys = design_of(head.pattern).has_keys and head.key_magnitude == 0
    return head.pattern is Pattern.UNIFORM or has_no_keys
