"""Checks of what goes into a scene: each returns the value as kept, or says what is wrong."""

import math
import operator
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from mhagui.document.records import Array, read_only
from mhagui.errors import UserError

# Neither the scores of a second layer, which multiply eight matrices of such numbers, nor any other
# product overflows: a Result is always finite.
LARGEST = 1e30


def count(what: str, given: object, most: int, least: int = 1) -> int:
    """Return ``given`` as an int; whole numbers of any integer type pass, but no bool."""
    number = operator.index(given) if isinstance(given, SupportsIndex) else least - 1
    if isinstance(given, bool | np.bool_) or not least <= number <= most:
        raise UserError(f"{what} must be a whole number from {least} to {most}; got {given!s:.40}.")
    return number


def plain(value: float) -> float:
    """Return any real number as a Python float, and no negative zero."""
    try:
        return float(value) + 0.0
    except OverflowError:  # an integer beyond float64
        return math.inf


def check_finite(what: str, value: float) -> None:
    """Raise UserError unless ``value`` is finite."""
    if not math.isfinite(value):
        raise UserError(f"{what} must be a finite number; got {value}.")


def check_text(what: str, text: str, most: int) -> None:
    """Raise UserError unless ``text`` is one line of 1 to ``most`` characters that show."""
    if not text.strip() or len(text) > most or not text.isprintable():
        raise UserError(
            f"{what} needs 1 to {most} printable characters; got {len(text)}: {text[:20]!r}."
        )


def matrix(what: str, value: npt.ArrayLike) -> Array:
    """Return ``value`` as a read-only matrix of numbers whose size is at most ``LARGEST``."""
    kept = read_only(value)
    if kept.ndim != 2:
        raise UserError(f"{what} must have rows and columns; got {kept.ndim} dimensions.")
    # Of NaN neither is true. Extremes need no room, and are looked for at every edit of a scene.
    if kept.size and not (kept.max() <= LARGEST and kept.min() >= -LARGEST):
        row, column = np.argwhere(~(np.abs(kept) <= LARGEST))[0]
        raise UserError(
            f"{what} must hold numbers from -{LARGEST:g} to {LARGEST:g}; "
            f"row {row + 1}, column {column + 1} is {kept[row, column]}."
        )
    return kept


def shape_text(array: Array) -> str:
    """Return the shape as people write it: 4 × 2."""
    return " × ".join(str(length) for length in array.shape)
