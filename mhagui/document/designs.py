"""The designed heads: what each pattern looks for, how it is made, the filter it approaches."""

import enum
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mhagui import core
from mhagui.document.records import Array, sealed


class Pattern(enum.Enum):
    """What a designed head looks for; the value is the name shown to the user."""

    FIRST_TOKEN = "first token"
    PREVIOUS_TOKEN = "previous token"
    SELF = "self"
    UNIFORM = "uniform"


class Design(NamedTuple):
    """How a pattern is made: queries and keys from T, d_k and |K|; and what filter it is."""

    make: Callable[[int, int, float], tuple[Array, Array]]
    filter_name: str
    has_keys: bool = True  # where it has none all keys are 0, whatever |K|


_DESIGNS = {
    Pattern.FIRST_TOKEN: Design(core.first_token_head, "first-sample hold"),
    Pattern.PREVIOUS_TOKEN: Design(core.previous_token_head, "unit delay"),
    Pattern.SELF: Design(core.self_head, "identity"),
    Pattern.UNIFORM: Design(core.uniform_head, "growing box", has_keys=False),
}


def design_of(pattern: Pattern) -> Design:
    """Return how heads of ``pattern`` are made."""
    return _DESIGNS[pattern]


def factors(
    pattern: Pattern, n_positions: int, d_k: int, key_magnitude: float
) -> tuple[Array, Array]:
    """Return Q and K of a designed head, each (T, d_k); |Q| is what the lesson has."""
    q, k = design_of(pattern).make(n_positions, d_k, key_magnitude)
    return sealed(q), sealed(k)


def ideal_taps(pattern: Pattern, row: int) -> Array:
    """Return the taps at t1 .. t of the filter a head approaches as its gain grows, (row + 1,).

    ``row`` is t from 0. A first-sample hold, a unit delay (whose first row has only t1 to hold),
    the identity or a growing box.
    """
    if pattern is Pattern.UNIFORM:
        return sealed(np.full(row + 1, 1 / (row + 1)))
    at = {Pattern.FIRST_TOKEN: 0, Pattern.PREVIOUS_TOKEN: max(row - 1, 0), Pattern.SELF: row}
    taps = np.zeros(row + 1)
    taps[at[pattern]] = 1.0
    return sealed(taps)
