"""What stands at the beginning of a GGUF file: named values, and where its tensors lie.

A reader of its own, for that of the ``gguf`` package makes several arrays for every word of the
vocabulary before it can be asked anything: docs/decisions/0026.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from mhagui.errors import UserError
from mhagui.models.values import MOST_BYTES

_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_DEEPEST = 4  # lists within lists
_MOST_DIMENSIONS = 4

# Number of a type of values: how one is written.
_SCALARS: Final = {
    0: struct.Struct("<B"),
    1: struct.Struct("<b"),
    2: struct.Struct("<H"),
    3: struct.Struct("<h"),
    4: struct.Struct("<I"),
    5: struct.Struct("<i"),
    6: struct.Struct("<f"),
    7: struct.Struct("<?"),
    10: struct.Struct("<Q"),
    11: struct.Struct("<q"),
    12: struct.Struct("<d"),
}
_U32, _U64 = _SCALARS[4], _SCALARS[10]


@dataclass(frozen=True)
class TensorEntry:
    """A tensor as the header has it: rows first, the number of its type, offset in the file."""

    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True)
class Header:
    """The named values and the tensors of a GGUF file."""

    values: dict[str, object]
    tensors: dict[str, TensorEntry]


def read_header(path: Path) -> Header:
    """Return the header; raises UserError where it is none, or does not fit into the file."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise UserError(f"{path.name} is no GGUF file: it does not begin with “GGUF”.")
        return _Cursor(path.name, file, path.stat().st_size).header()


class _Cursor:
    """A place in the header, which moves on as it is read."""

    def __init__(self, name: str, file: BinaryIO, size: int) -> None:
        self._name = name
        self._file = file
        self._size = size
        self._at = 4

    def header(self) -> Header:
        version = self._number(_U32)
        if version not in _VERSIONS:
            turned = int(version).to_bytes(4, "little") in (b"\0\0\0\2", b"\0\0\0\3")
            what = "for big-endian machines" if turned else f"of GGUF version {version}"
            raise UserError(f"{self._name} is written {what}; versions 2 and 3 are read.")
        n_tensors, n_values = self._count(24), self._count(13)
        values: dict[str, object] = {}
        for _ in range(n_values):
            name = self._text()
            self._require_new(name, values)
            values[name] = self._value(self._number(_U32), 0)
        entries: dict[str, TensorEntry] = {}
        for _ in range(n_tensors):
            name = self._text()
            self._require_new(name, entries)
            entries[name] = self._tensor(name)
        start = self._start_of_data(values)
        return Header(
            values,
            {
                name: TensorEntry(entry.shape, entry.kind, start + entry.offset)
                for name, entry in entries.items()
            },
        )

    def _tensor(self, name: str) -> TensorEntry:
        n_dimensions = self._number(_U32)
        if not 1 <= n_dimensions <= _MOST_DIMENSIONS:
            raise UserError(
                f"{self._name}: the tensor “{name}” has {n_dimensions} axes; there can be 1 to "
                f"{_MOST_DIMENSIONS}."
            )
        shape = tuple(int(self._number(_U64)) for _ in range(int(n_dimensions)))[::-1]
        return TensorEntry(shape, int(self._number(_U32)), int(self._number(_U64)))

    def _start_of_data(self, values: dict[str, object]) -> int:
        alignment = values.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
            raise UserError(
                f"{self._name}: “general.alignment” is {alignment}, but has to be a power of 2."
            )
        return -(-self._at // alignment) * alignment

    def _value(self, kind: float, depth: int) -> object:
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            return self._number(self._scalar(kind))
        inner, depth = self._number(_U32), depth + 1
        if depth > _DEEPEST:
            raise UserError(f"{self._name} has lists within lists, more than {_DEEPEST} deep.")
        if inner in (_STRING, _ARRAY):
            return [self._value(inner, depth) for _ in range(self._count(8))]
        scalar = self._scalar(inner)
        count = self._count(scalar.size)
        return list(struct.unpack(f"<{count}{scalar.format[1:]}", self._bytes(count * scalar.size)))

    def _scalar(self, kind: float) -> struct.Struct:
        if kind not in _SCALARS:
            raise UserError(f"{self._name} has a value of type {kind}, which GGUF does not have.")
        return _SCALARS[int(kind)]

    def _count(self, least_bytes: int) -> int:
        """Return a number of things that take at least ``least_bytes`` each in what follows."""
        count = int(self._number(_U64))
        left = self._size - self._at
        if count * least_bytes > left:
            raise UserError(
                f"{self._name} is not whole, or no GGUF file: at byte {self._at} it announces "
                f"{count} entries, but only {left} bytes follow."
            )
        return count

    def _text(self) -> str:
        return self._bytes(self._count(1)).decode("utf-8", "replace")

    def _number(self, scalar: struct.Struct) -> float:
        (value,) = scalar.unpack(self._bytes(scalar.size))
        number: float = value
        return number

    def _bytes(self, size: int) -> bytes:
        if self._at + size > MOST_BYTES:
            raise UserError(f"{self._name} has a header of more than {MOST_BYTES:,} bytes.")
        taken = self._file.read(size)
        if len(taken) < size:
            raise UserError(f"{self._name} ends within its header: it is not whole.")
        self._at += size
        return taken

    def _require_new(self, name: str, known: dict[str, object] | dict[str, TensorEntry]) -> None:
        if name in known:
            raise UserError(f"{self._name} has “{name}” twice.")
