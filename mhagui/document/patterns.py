"""The patterns a head can have, and the numbers each of them takes."""

import enum
import math
from typing import NamedTuple

from mhagui.errors import UserError

MAX_POSITIONS = 4096


class Pattern(enum.Enum):
    """Where a head's queries and keys come from; the value is the name shown to the user.

    All but the last three are designed: made from T, d_k and a few numbers.
    """

    FIRST_TOKEN = "first token"
    PREVIOUS_TOKEN = "previous token"
    SELF = "self"
    UNIFORM = "uniform"
    DELAY = "delay"
    TWO_POSITIONS = "two positions"
    RECENCY = "recency"
    BLOCK_LOCAL = "block-local"
    HAND_SET = "hand-set"
    PROJECTED = "projected"
    GIVEN = "given weights"

    @property
    def is_designed(self) -> bool:
        """Whether queries and keys are made for any T and d_k, and not given as matrices."""
        return self not in (Pattern.HAND_SET, Pattern.PROJECTED, Pattern.GIVEN)


class Parameter(NamedTuple):
    """One number of a pattern: what it is called, what it begins with, what it can be."""

    name: str
    default: float
    least: float
    most: float
    is_whole: bool
    tip: str

    def checked(self, value: float) -> float:
        """Return ``value`` as a float; raises UserError unless the parameter can have it."""
        number = float(value)
        if not self.least <= number <= self.most or (self.is_whole and number % 1):
            kind = "a whole number" if self.is_whole else "a number"
            raise UserError(
                f"The {self.name} must be {kind} from {self.least:g} to {self.most:g}; "
                f"got {number:g}."
            )
        return number


_PARAMETERS = {
    Pattern.DELAY: (
        Parameter("steps back k", 2, 1, MAX_POSITIONS - 1, True, "Row t looks at position t − k"),
    ),
    Pattern.TWO_POSITIONS: (
        Parameter("first position", 1, 1, MAX_POSITIONS, True, "One of the positions looked at"),
        Parameter("second position", 3, 1, MAX_POSITIONS, True, "The other position looked at"),
    ),
    Pattern.RECENCY: (
        Parameter("slope", 0.5, 0, 1e6, False, "What the score S loses with each step back"),
    ),
    Pattern.BLOCK_LOCAL: (
        Parameter("block length", 2, 1, MAX_POSITIONS, True, "Positions in one block"),
    ),
}


def parameters_of(pattern: Pattern) -> tuple[Parameter, ...]:
    """Return the numbers that heads of ``pattern`` take, in the order of ``Head.settings``."""
    return _PARAMETERS.get(pattern, ())


def checked_settings(pattern: Pattern, settings: tuple[float, ...]) -> tuple[float, ...]:
    """Return ``settings`` as ``pattern`` can have them; its defaults where none are given."""
    parameters = parameters_of(pattern)
    if not settings:
        return tuple(float(parameter.default) for parameter in parameters)
    if len(settings) != len(parameters) or not all(map(math.isfinite, settings)):
        names = ", ".join(parameter.name for parameter in parameters) or "no numbers"
        got = settings if len(settings) == len(parameters) else f"{len(settings)} numbers"
        raise UserError(f"A head of pattern “{pattern.value}” takes {names}; got {got}.")
    return tuple(
        parameter.checked(value) for parameter, value in zip(parameters, settings, strict=True)
    )
