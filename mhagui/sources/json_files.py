"""Arrays as nested lists in JSON: bounded, and what does not fit is named by its path."""

import codecs
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mhagui.errors import UserError
from mhagui.sources import names
from mhagui.sources.entries import (
    MOST_AXES,
    NOT_RETURNED,
    Entry,
    Picks,
    Stored,
    picked,
    text_entry,
    unreadable,
)

MOST_BYTES = 64 * 2**20
# What becomes a Python object costs up to thirty times its text.
_MOST = {b",": 5_000_000, b"[": 300_000, b"{": 100_000, b'"': 400_000}
_UNNAMED = "list"
_NUMBERS = (float, int, bool)

Numbers = npt.NDArray[np.float64]


def json_entries(path: Path, size: int) -> tuple[Entry, ...]:
    """Return the arrays of numbers and lists of texts in the JSON file at ``path``."""
    if size > MOST_BYTES:
        raise UserError(
            f"{path.name} has {size:,} bytes; of JSON at most {MOST_BYTES:,} are read: save "
            "the arrays with numpy.savez."
        )
    value = _parsed(path.name, path.read_bytes())
    fields = value if isinstance(value, dict) else {_UNNAMED: value}
    if not isinstance(value, dict | list):
        raise UserError(
            f"{path.name} holds a single value; attention is a list of lists of numbers."
        )
    return tuple(entry for name, field in fields.items() for entry in _entries(name, field))


def _parsed(name: str, text: bytes) -> object:
    text = text.removeprefix(codecs.BOM_UTF8)
    if any(text.count(sign) > most for sign, most in _MOST.items()):
        raise UserError(f"{name} holds too many values for JSON: save the arrays with numpy.savez.")
    try:
        value: object = json.loads(text.decode("utf-8"), object_pairs_hook=_without_duplicates)
    except UserError:
        raise
    except UnicodeDecodeError as error:
        raise UserError(f"{name} is not UTF-8 text, at byte {error.start + 1}.") from error
    except RecursionError as error:
        raise UserError(f"{name} is nested too deeply.") from error
    except json.JSONDecodeError as error:
        raise UserError(f"{name} is not JSON, or cut short: {error}.") from error
    except ValueError as error:  # which Python raises for nothing else
        raise UserError(f"{name} has a number of thousands of digits.") from error
    return value


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise UserError(f"“{twice[:80]}” is there twice in one object.")
    return fields


def _entries(name: str, value: object, depth: int = 0) -> Iterator[Entry]:
    """Yield ``value`` as one array; a list of arrays of different shapes as each of them."""
    texts = _texts(value)
    if texts:
        yield text_entry(name, texts)
        return
    try:
        array = _array(name, value, depth)
    except UserError as error:
        if isinstance(value, list) and _holds_arrays(value) and depth < MOST_AXES:
            for index, item in enumerate(value):
                yield from _entries(f"{name}[{index}]", item, depth + 1)
        else:
            are_tokens = names.role_of(name) in names.LABELS
            yield unreadable(name, f"{name} is no list of texts." if are_tokens else str(error))
        return

    def take(picks: Picks) -> Stored:
        return picked(array, picks)

    yield Entry(name, array.shape, array.dtype.name, array.nbytes, take=take)


def _texts(value: object) -> tuple[str, ...]:
    """Return a list of nothing but texts; nothing for any other value."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return ()
    return tuple(value)


def _holds_arrays(value: list[object]) -> bool:
    """Say whether a list may be one of layers or steps: of matrices or deeper, some missing."""
    matrices = [
        isinstance(item, list) and bool(item) and isinstance(item[0], list) for item in value
    ]
    return any(matrices)


def _array(name: str, value: object, depth: int) -> Numbers:
    """Return nested lists as an array; raises UserError with the path of what does not fit."""
    _shape(name, (), value, depth)
    try:
        return np.array(value, np.float64)
    except OverflowError as error:
        raise UserError(f"{name} has a whole number too large for float64.") from error


def _shape(name: str, path: tuple[int, ...], value: object, depth: int) -> tuple[int, ...]:
    """Return the sizes of nested lists of numbers, all of the same lengths."""
    if not isinstance(value, list):
        hint = NOT_RETURNED if value is None else ""
        raise UserError(f"{_at(name, path)} is {_said(value)}, not a list of numbers{hint}.")
    if depth >= MOST_AXES:
        raise UserError(f"{_at(name, path)} is nested more than {MOST_AXES} lists deep.")
    if all(type(item) in _NUMBERS for item in value):
        return (len(value),)
    if not any(isinstance(item, list) for item in value):
        at = next(at for at, item in enumerate(value) if type(item) not in _NUMBERS)
        hint = NOT_RETURNED if not any(value) else ""
        raise UserError(f"{_at(name, (*path, at))} is {_said(value[at])}, not a number{hint}.")
    first: tuple[int, ...] = ()
    for at, item in enumerate(value):
        shape = _shape(name, (*path, at), item, depth + 1)
        first = first or shape
        if shape != first:
            here, other = _at(name, (*path, at)), _at(name, (*path, 0))
            raise UserError(f"{here} has {_sizes(shape)}, but {other} has {_sizes(first)}.")
    return (len(value), *first)


def _at(name: str, path: tuple[int, ...]) -> str:
    return name + "".join(f"[{at}]" for at in path)


def _sizes(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) + (" numbers" if shape != (1,) else " number")


def _said(value: object) -> str:
    if value is None:
        return "null"  # as what a model did not return is written
    if isinstance(value, str):
        return "a text"
    return "an object" if isinstance(value, dict) else "a single number"
