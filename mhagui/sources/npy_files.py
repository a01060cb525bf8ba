""".npy files of any version: the header is looked at with expressions, never evaluated.

NumPy's reader takes in a header of up to 4 GB before it checks its length, and evaluates it as a
Python literal; of a plain array three values are wanted, in whatever order and spacing they stand.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mhagui.errors import UserError
from mhagui.sources.entries import (
    Block,
    Entry,
    Picks,
    Stored,
    check_shape,
    checked_dtype,
    picked,
    shape_text,
    text_entry,
)

MAGIC = b"\x93NUMPY"
MOST_HEADER = 10_000  # what NumPy itself takes for sound
_START = 8  # magic and version
_DESCR = re.compile(r"""['"]descr['"]\s*:\s*(?:(['"])([^'"]*)\1|(\[))""")
_ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)\b""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\d,\sL]*)\)""")
_MOST_TEXT_BYTES = 16 * 2**20


@dataclass(frozen=True)
class Header:
    """What stands before the numbers of a .npy file, and how many bytes it takes."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool
    n_bytes: int

    @property
    def n_data(self) -> int:
        """How many bytes the numbers take."""
        return math.prod(self.shape) * self.dtype.itemsize


def npy_entries(path: Path, size: int) -> tuple[Entry, ...]:
    """Return the one array of the .npy file at ``path``, which has ``size`` bytes."""
    name = path.name
    try:
        with path.open("rb") as file:
            header = read_header(name, file, size)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    block = Block(path, header.n_bytes, header.dtype, header.shape, header.is_fortran)
    return (entry(name, header, block.take),)


def entry(name: str, header: Header, take: Callable[[Picks], Stored]) -> Entry:
    """Return an array of a .npy file as an entry; texts are read at once, for they are few."""
    if header.dtype.kind in "US":
        return _texts(name, header, take)
    return Entry(name, header.shape, header.dtype.name, header.n_data, take=take)


def _texts(name: str, header: Header, take: Callable[[Picks], Stored]) -> Entry:
    problem = f"{name} holds texts, not numbers."
    if len(header.shape) != 1:
        problem = f"{name} holds texts as {shape_text(header.shape)}; one list of them is read."
    # Texts of no length take no bytes in the file, however many there are.
    is_bounded = 0 < header.n_data <= _MOST_TEXT_BYTES
    if len(header.shape) != 1 or not is_bounded:
        return Entry(name, header.shape, "text", header.n_data, problem)
    try:
        texts = tuple(_text(text) for text in take((None,)).tolist())
    except ValueError as error:  # code points that are none
        raise UserError(f"{name} holds texts that are damaged.") from error
    return text_entry(name, texts, header.n_data)


def _text(text: str | bytes) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text


def read_header(name: str, file: BinaryIO, size: int) -> Header:
    """Return the header that ``file`` begins with; the whole of it and its numbers has ``size``.

    Raises UserError where it is damaged, or where size and shape do not fit.
    """
    start = file.read(_START + 4)
    if len(start) < _START + 4 or not start.startswith(MAGIC):
        raise UserError(f"{name} is not a .npy file, or cut short within its header.")
    version, n_count = start[6], 2 if start[6] == 1 else 4
    if version not in (1, 2, 3):
        raise UserError(f"{name} is a .npy file of version {version}; known are 1 to 3.")
    n_header = int.from_bytes(start[_START : _START + n_count], "little")
    end = _START + n_count + n_header
    if n_header > MOST_HEADER:
        raise UserError(
            f"The header of {name} is damaged: it says it has {n_header:,} bytes; a sound one has "
            f"{MOST_HEADER:,} at most."
        )
    if end > size:
        raise UserError(f"{name} is cut short within its header.")
    text = (start[_START + n_count :] + file.read(n_header))[:n_header].decode("latin-1")
    header = _parsed(name, text, end)
    if size - end != header.n_data:
        are = "cut short" if size - end < header.n_data else "longer than its header says"
        raise UserError(
            f"{name} is {are}: it has {size - end:,} bytes of numbers, its shape "
            f"({', '.join(map(str, header.shape))}) of {header.dtype.name} takes "
            f"{header.n_data:,}."
        )
    return header


def _parsed(name: str, text: str, end: int) -> Header:
    descr, order, shape = (found.search(text) for found in (_DESCR, _ORDER, _SHAPE))
    if descr is None or order is None or shape is None:
        raise UserError(f"The header of {name} is damaged: it lacks a type, an order or a shape.")
    dtype = checked_dtype(name, "V" if descr[3] else descr[2])
    digits = re.findall(r"\d+", shape[1])
    if any(len(size) > 18 for size in digits):
        raise UserError(f"{name} has an impossible shape ({shape[1][:80]}).")
    sizes = tuple(int(size) for size in digits)
    check_shape(name, sizes)
    return Header(dtype, sizes, order[1] == "True", end)


def from_bytes(header: Header, data: bytes, picks: Picks) -> Stored:
    """Return what is picked of the numbers that follow ``header`` in ``data``."""
    array = np.frombuffer(data, header.dtype, offset=header.n_bytes)
    if header.is_fortran:
        return picked(array.reshape(header.shape[::-1]).T, picks)
    return picked(array.reshape(header.shape), picks)
