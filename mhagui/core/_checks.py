"""Turning what callers pass into arrays and numbers, or refusing it in one clear sentence."""

from __future__ import annotations

import contextlib
import math
import operator
import reprlib
from typing import Any, SupportsFloat, SupportsIndex, TypeAlias, cast

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

_FLOAT32 = np.dtype(np.float32)
_FLOAT64 = np.dtype(np.float64)
# The most cells along one axis: positions are counted in 32 bits.
_LONGEST = 2**31 - 1


def as_floats(value: npt.ArrayLike, name: str) -> FloatArray:
    """Return float32 and float64 arrays as they are, other real numbers as float64."""
    array = as_array(value, name)
    if array.dtype in (_FLOAT64, _FLOAT32):
        return array
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, got dtype {array.dtype}.")
    is_swapped_single = array.dtype.kind == "f" and array.dtype.itemsize == 4
    with np.errstate(over="ignore"):  # a long double out of range becomes inf, refused later
        return array.astype(_FLOAT32 if is_swapped_single else _FLOAT64)


def as_array(value: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return a plain array; refuse nested lists whose rows differ in length."""
    try:
        return np.asarray(value)
    except (ValueError, TypeError) as error:
        is_ragged = isinstance(value, list | tuple) and isinstance(error, ValueError)
        came = "rows of unequal length or depth" if is_ragged else described(value)
        raise ValueError(f"{name} must be a regular array, got {came}.") from error


def as_matrices(value: npt.ArrayLike, name: str, axes: str) -> FloatArray:
    """Return floats with at least as many axes as `axes` names, e.g. "T, d_k"."""
    array = as_floats(value, name)
    if array.ndim < axes.count(",") + 1:
        raise shape_error(name, f"(..., {axes})", array)
    return array


def as_exactly(value: npt.ArrayLike, name: str, axes: str) -> FloatArray:
    """Return floats that have exactly the axes named, e.g. "H, T_q, T_k"."""
    array = as_floats(value, name)
    if array.ndim != axes.count(",") + 1:
        raise shape_error(name, f"({axes})" if "," in axes else f"({axes},)", array)
    return array


def as_flags(value: npt.ArrayLike, name: str) -> BoolArray:
    """Return booleans of any shape; refuse numbers, 0 and 1 among them."""
    flags = as_array(value, name)
    if flags.dtype != np.bool_:
        raise ValueError(f"{name} must be boolean, got dtype {flags.dtype}.")
    return flags


def as_finite_matrices(value: npt.ArrayLike, name: str, axes: str) -> FloatArray:
    """Return `as_matrices` of a value that holds neither NaN nor infinity."""
    array = as_matrices(value, name, axes)
    require_finite(array, name)
    return array


def as_finite_exactly(value: npt.ArrayLike, name: str, axes: str) -> FloatArray:
    """Return `as_exactly` of a value that holds neither NaN nor infinity."""
    array = as_exactly(value, name, axes)
    require_finite(array, name)
    return array


def require_finite(array: FloatArray, name: str) -> None:
    """Refuse NaN and infinity, naming the first place."""
    finite = np.isfinite(array)
    if not finite.all():
        raise non_finite_error(name, array, ~finite)


def non_finite_error(name: str, array: FloatArray, bad: BoolArray) -> ValueError:
    """Return the error for the first cell marked in `bad`."""
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    return ValueError(f"{name} must be finite, got {array[index]} at index {index}.")


def require_no_overflow(result: FloatArray, names: str, what: str) -> None:
    """Refuse finite inputs, called `names`, whose `what` has left the range of its dtype."""
    if not np.isfinite(result).all():
        raise ValueError(f"{names} must be smaller: {what} overflows {result.dtype}.")


def shape_error(name: str, wanted: str, array: npt.NDArray[Any]) -> ValueError:
    """Return the error for an array of the wrong shape."""
    return ValueError(f"{name} must have shape {wanted}, got shape {array.shape}.")


def as_labels(value: npt.ArrayLike, name: str) -> npt.NDArray[np.intp]:
    """Return labels, integers from 0 that are few enough to be counted in pairs, shape (N,)."""
    array = as_array(value, name)
    if array.ndim != 1:
        raise shape_error(name, "(N,)", array)
    if array.dtype.kind not in "iu" or not ((array >= 0) & (array <= _LONGEST)).all():
        raise ValueError(f"{name} must hold integers from 0 to {_LONGEST}.")
    return array.astype(np.intp, copy=False)


def as_count(value: SupportsIndex, name: str, minimum: int = 1) -> int:
    """Return a Python int of at least `minimum`; whole numbers of any integer type pass."""
    try:
        count = operator.index(value)
    except TypeError:
        count = minimum - 1
    if count < minimum:
        raise ValueError(
            f"{name} must be an integer of at least {minimum}, got {described(value)}."
        )
    return count


def as_place(value: SupportsIndex, name: str, size: int) -> int:
    """Return a Python int from 0 to `size` − 1."""
    place = as_count(value, name, 0)
    if place >= size:
        raise ValueError(f"{name} must be from 0 to {size - 1}, got {described(place)}.")
    return place


def as_length(value: SupportsIndex, name: str, minimum: int = 1) -> int:
    """Return `as_count` of what counts positions; refuse more than an array can have."""
    length = as_count(value, name, minimum)
    if length > _LONGEST:
        raise ValueError(f"{name} must be at most {_LONGEST}, got {described(length)}.")
    return length


def as_number(value: SupportsFloat, name: str) -> float:
    """Return a finite Python float; refuse text, complex numbers, arrays, NaN and infinity."""
    number = math.nan
    if not isinstance(value, str | bytes | np.complexfloating):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            if np.ndim(cast(Any, value)) == 0:
                number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {described(value)}.")
    return number


def described(value: object) -> str:
    """Return what came instead of what was wanted, as a few words on one line."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    try:
        return " ".join(reprlib.repr(value).split())
    except ValueError:  # more digits than Python prints
        return "a number of thousands of digits"


def broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Say whether an array of `shape` can be broadcast to exactly `target`."""
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


def require_common_leading(names: str, *leading: tuple[int, ...]) -> None:
    """Refuse leading axes (batch, heads) that do not broadcast against each other."""
    try:
        np.broadcast_shapes(*leading)
    except ValueError:
        came = " and ".join(str(axes) for axes in leading)
        raise ValueError(f"{names} must have leading axes that broadcast, got {came}.") from None
