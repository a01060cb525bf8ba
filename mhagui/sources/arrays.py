"""Arrays in memory, as other programs hold them: looked at and read by the rules of files.

Tensors are known by what they can do: no library of theirs is imported.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mhagui.errors import UserError
from mhagui.sources import names
from mhagui.sources.entries import (
    BFLOAT16,
    MOST_AXES,
    NOT_RETURNED,
    Entry,
    Picks,
    Stored,
    checked_dtype,
    first_line,
    picked,
    text_entry,
    unreadable,
)
from mhagui.sources.found import MOST_ENTRIES, Found
from mhagui.sources.readings import candidates

_NAMES = (*names.LABELS, names.TOKEN_IDS)


@dataclass(frozen=True)
class InMemory(Found):
    """Arrays that are in no file; ``path`` is but a name for them."""

    def check_unchanged(self) -> None:
        """Do nothing: no other program writes to them."""


def found_in_arrays(name: str, arrays: Mapping[str, object]) -> Found:
    """Return what ``arrays`` hold, called ``name`` in what is said of them.

    Parameters
    ----------
    arrays
        By their roles, as names in files say them: arrays, tensors of any library, nested lists of
        numbers, or lists of these, one for each layer, for each step of generation, or for each
        layer of each step. Under ``tokens`` and the like, texts; under ``token_ids``, numbers.
        What is None is left out. What is read of them is a copy.

    Raises
    ------
    UserError
        Where there is none, or their names count what is not understood.
    """
    each = (
        entry
        for key, value in arrays.items()
        if value is not None
        for entry in (_texts(key, value) if key in names.LABELS else _entries(key, value, 0))
    )
    entries = tuple(itertools.islice(each, MOST_ENTRIES + 1))  # lists may hold one another
    if len(entries) > MOST_ENTRIES:
        raise UserError(f"{name} holds more than {MOST_ENTRIES:,} arrays.")
    if all(entry.name in _NAMES for entry in entries):
        raise UserError(f"There are neither attention weights nor q and k{NOT_RETURNED}.")
    return InMemory(Path(name), "memory", None, entries, candidates(entries))


def _texts(name: str, value: Any) -> Iterator[Entry]:  # noqa: ANN401  # anything may be given
    texts = [] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise UserError(f"{name} is a list of texts, one for each position.")
    yield text_entry(name, texts)


def _entries(name: str, value: object, depth: int) -> Iterator[Entry]:
    """Yield ``value`` as one array, or each of those that it lists."""
    if isinstance(value, list | tuple) and not _is_of_numbers(value) and depth < MOST_AXES:
        if not value:
            raise UserError(f"{name} is an empty list{NOT_RETURNED}.")
        for index, item in enumerate(value):
            yield from _entries(f"{name}[{index}]", item, depth + 1)
    elif isinstance(value, Mapping):  # all that an encoder with a decoder returns, say
        keys = ", ".join(map(str, value))
        raise UserError(f"{name} is a {type(value).__name__} of {keys}: give one of these.")
    elif value is None:
        yield unreadable(name, f"{name} is None, not an array{NOT_RETURNED}.")
    else:
        yield _entry(name, value)


def _is_of_numbers(value: Sequence[object]) -> bool:
    """Say whether nested lists are one array: of numbers, as far as their first items tell."""
    first: object = value
    for _ in range(MOST_AXES):  # a list may hold itself
        if isinstance(first, list | tuple) and first:
            first = first[0]
    return isinstance(first, int | float | complex | np.number)


def _entry(name: str, value: object) -> Entry:
    try:
        array, kind = _array(value)
        checked_dtype(name, "<u2" if kind == BFLOAT16 else array.dtype.str)
        if array.dtype.kind == "U":
            raise UserError(f"{name} holds texts, not numbers.")
    except UserError as error:
        return Entry(name, np.shape(getattr(value, "shape", ())), "unknown", 0, str(error))
    except Exception as error:  # noqa: BLE001  # whatever the library of the tensor raises
        return unreadable(name, f"{name} is no array of numbers: {first_line(error)}.")

    def take(picks: Picks) -> Stored:
        return np.array(picked(array, picks))

    return Entry(name, array.shape, kind, array.nbytes, take=take)


def _array(value: Any) -> tuple[Stored, str]:  # noqa: ANN401  # tensors have no common type
    """Return an array of what may be a tensor on any device, and its type in NumPy's words."""
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":  # which NumPy has no type for
            return _upper_half(value.float().numpy()), BFLOAT16
        value = value.numpy()
    if np.ma.is_masked(value):
        raise UserError("Masked arrays lose their mask here; give an array with what was meant.")
    array = np.asarray(value)
    if array.dtype.name == BFLOAT16:  # as JAX has it
        return array.view(np.uint16), BFLOAT16
    return array, array.dtype.name


def _upper_half(array: Stored) -> Stored:
    """Return the bits of bfloat16 numbers that were made float32."""
    bits: Stored = (np.ascontiguousarray(array).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return bits.reshape(array.shape)
