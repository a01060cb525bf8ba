"""Equality and read-only arrays for frozen records that hold NumPy arrays."""

from dataclasses import fields
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Scalar = TypeVar("Scalar", bound=np.generic)


def read_only(array: npt.ArrayLike) -> Array:
    """Return ``array`` as float64, C-contiguous, and such that nobody can write to it.

    It is copied unless it is so already: what a caller can still write to is never shared.
    """
    given = np.asarray(array)
    if given.dtype == np.float64 and given.flags.c_contiguous and _is_sealed(given):
        return given
    return sealed(np.array(given, dtype=np.float64, order="C"))


def sealed(fresh: npt.NDArray[np.generic]) -> Array:
    """Return an array that was just made, and that nobody else holds, as float64 and read-only."""
    return frozen(np.asarray(fresh, dtype=np.float64))


def frozen(fresh: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return such an array as read-only, whatever it holds."""
    fresh.flags.writeable = False
    return fresh


def _is_sealed(array: npt.NDArray[np.generic]) -> bool:
    """Tell whether ``array`` is read-only, and so is all that it is a view of."""
    owner: object = array
    while isinstance(owner, np.ndarray) and not owner.flags.writeable:
        if owner.base is None:
            return True
        owner = owner.base
    return False


class Record:
    """Base of the frozen dataclasses of the document: equal when every field is."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Compare field by field; arrays are equal when shape and every element are."""
        if type(self) is not type(other):
            return NotImplemented
        return all(
            _are_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]


def _are_equal(one: object, other: object) -> bool:
    if one is other:  # most of two scenes' arrays are shared
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):  # where one may have none
        return False
    return bool(one == other)
