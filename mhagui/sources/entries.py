"""What a file holds under one name: its shape and kind at once, its numbers when asked for.

Numbers become float32 where that holds each of them exactly, float64 otherwise; the order of the
axes is the file's own. Files are read block by block rather than mapped: a mapped file that
somebody cuts short ends the whole program.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.document.capture import Floats
from mhagui.errors import UserError

Stored: TypeAlias = npt.NDArray[Any]
Picks: TypeAlias = tuple[int | None, ...]  # of each axis the index to take; None takes all of it

MOST_AXES = 8
BFLOAT16 = "bfloat16"
NOT_RETURNED = "; models return attention only with output_attentions=True and eager attention"
_LEAST_BLOCK = 4096  # bytes; of many smaller pieces the whole is read in one go
_KINDS = re.compile(r"[<>|=]?([biufcOSUVMm])(\d{0,9})(?:\[\w{1,9}\])?")
_WHY_NOT = {
    "c": "complex numbers, which are no weights; save their real part or their magnitude",
    "O": "Python objects, which only running a pickle could read; save arrays of numbers",
    "V": "records or raw bytes, not numbers",
    "M": "dates, not numbers",
    "m": "times, not numbers",
}


def _nothing(_: Picks) -> Stored:
    raise UserError("There are no numbers under this name.")


@contextmanager
def enough_memory(name: str) -> Iterator[None]:
    """Make a sentence of running out of memory while ``name`` is read."""
    try:
        yield
    except MemoryError as error:
        raise UserError(f"{name} is larger than what memory is left.") from error


@dataclass(frozen=True)
class Entry:
    """One array of a file.

    Attributes
    ----------
    name, shape, dtype, n_bytes
        As the file's header gives them; ``dtype`` in NumPy's words, or ``bfloat16``.
    problem
        Why its numbers cannot be read, a sentence; empty where they can.
    texts
        Its texts, where it is a list of them.
    take
        Reads what is picked of it, as it is stored; ``read`` is what others call.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    n_bytes: int
    problem: str = ""
    texts: tuple[str, ...] | None = None
    take: Callable[[Picks], Stored] = field(default=_nothing, repr=False, compare=False)

    def read(self, picks: Picks) -> Floats:
        """Return the numbers that are picked, float32 or float64, read-only.

        Raises UserError where they cannot be read.
        """
        if self.problem:
            raise UserError(self.problem)
        try:
            with enough_memory(self.name):
                return as_floats(self.take(picks), self.dtype)
        except OSError as error:
            raise UserError(f"{self.name} cannot be read: {error.strerror or error}.") from error


def text_entry(name: str, texts: Sequence[str], n_bytes: int | None = None) -> Entry:
    """Return a list of texts, of ``n_bytes`` in its file or else as many as characters."""
    size = sum(map(len, texts)) if n_bytes is None else n_bytes
    problem = f"{name} holds texts, not numbers."
    return Entry(name, (len(texts),), "text", size, problem, tuple(texts))


def unreadable(name: str, problem: str) -> Entry:
    """Return what is no array, or one of which not even the shape is known."""
    return Entry(name, (), "unknown", 0, problem)


def first_line(error: Exception) -> str:
    """Return what another library says of a fault, short and without a full stop."""
    lines = str(error).strip().splitlines()
    return lines[0][:200].rstrip(".") if lines else type(error).__name__


def as_floats(stored: Stored, dtype: str = "") -> Floats:
    """Return numbers of any real kind as float32 where that is exact, float64 otherwise."""
    if dtype == BFLOAT16:  # the upper half of a float32
        floats = (stored.astype(np.uint32) << np.uint32(16)).view(np.float32)
    elif stored.dtype.kind == "b" or (stored.dtype.kind in "iuf" and stored.dtype.itemsize <= 2):
        floats = stored.astype(np.float32)
    else:
        is_single = stored.dtype.kind == "f" and stored.dtype.itemsize == 4
        with np.errstate(over="ignore"):  # of long doubles; what is not finite is counted
            floats = stored.astype(np.float32 if is_single else np.float64, copy=False)
    floats = np.ascontiguousarray(floats)
    floats.flags.writeable = False
    return floats


def checked_dtype(name: str, text: str) -> np.dtype[Any]:
    """Return the type that NumPy writes as ``text``; raises UserError where it holds no numbers.

    Texts pass too: they may be tokens.
    """
    kind = _KINDS.fullmatch(text)
    if kind is None:
        raise UserError(f"{name} holds “{text[:40]}”, which is no type of numbers.")
    if kind[1] + kind[2] == "V2":  # as NumPy writes the bfloat16 that other packages give it
        raise UserError(
            f"{name} holds two bytes for each number, and not of which type; if it is bfloat16, "
            "save it as float32, or with safetensors."
        )
    if kind[1] in _WHY_NOT:
        raise UserError(f"{name} holds {_WHY_NOT[kind[1]]}.")
    try:
        return np.dtype(text)
    except (TypeError, ValueError) as error:
        raise UserError(f"{name} holds “{text[:40]}”, which is no type of numbers.") from error


def check_shape(name: str, shape: tuple[int, ...]) -> None:
    """Raise UserError where ``shape`` is none that an array in memory may have."""
    if len(shape) > MOST_AXES:
        raise UserError(f"{name} has {len(shape)} axes; attention has at most 5.")
    if any(not 0 <= size < 2**48 for size in shape):
        raise UserError(f"{name} has the impossible shape ({', '.join(map(str, shape))}).")


@dataclass(frozen=True)
class Block:
    """Where the numbers of an array lie in a file, one after the other."""

    path: Path
    start: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool = False

    def take(self, picks: Picks) -> Stored:
        """Return what is picked, reading no more than that."""
        if self.is_fortran:
            turned = Block(self.path, self.start, self.dtype, self.shape[::-1])
            return turned.take(picks[::-1]).T
        chosen = [axis for axis, pick in enumerate(picks) if pick is not None]
        n_lead = chosen[-1] + 1 if chosen else 0
        is_one_piece = len(chosen) == n_lead
        n_bytes = math.prod(self.shape[n_lead:]) * self.dtype.itemsize
        if n_bytes < _LEAST_BLOCK and not is_one_piece:
            n_lead = 0
        lead = [
            range(size) if pick is None else (pick,)
            for size, pick in zip(self.shape[:n_lead], picks, strict=False)
        ]
        numbers = self._blocks(lead, n_lead)
        rest = picks[n_lead:]
        return picked(numbers, tuple(None for axis in lead if isinstance(axis, range)) + rest)

    def _blocks(self, lead: list[range | tuple[int]], n_lead: int) -> Stored:
        tail = self.shape[n_lead:]
        n_tail = math.prod(tail)
        free = [len(axis) for axis in lead if isinstance(axis, range)]
        blocks = np.empty((math.prod(free), n_tail), self.dtype)
        with self.path.open("rb") as file:
            for block, place in zip(blocks, itertools.product(*lead), strict=True):
                item = 0
                for size, index in zip(self.shape, place, strict=False):
                    item = item * size + index
                file.seek(self.start + item * n_tail * self.dtype.itemsize)
                if file.readinto(block.view(np.uint8)) != block.nbytes:
                    raise UserError(f"{self.path.name} has become shorter since it was looked at.")
        return blocks.reshape(*free, *tail)


def picked(array: Stored, picks: Picks) -> Stored:
    """Return ``array`` with the picked indices taken; the other axes keep their order."""
    return array[tuple(slice(None) if pick is None else pick for pick in picks)]


def shape_text(shape: tuple[int, ...]) -> str:
    """Return a shape for people: 12 × 6 × 6."""
    return " × ".join(f"{size:,}" for size in shape) if shape else "a single number"
