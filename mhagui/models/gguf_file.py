"""The tensors of a GGUF file, made float32 by the ``gguf`` package."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mhagui.errors import UserError
from mhagui.models.gguf_header import TensorEntry, read_header
from mhagui.models.packages import require_package
from mhagui.models.tensor_file import Floats32, Ids, Unchanged
from mhagui.sources.entries import Block

if TYPE_CHECKING:
    from gguf import GGMLQuantizationType


class GgufFile:
    """A GGUF file; raises UserError where it is none, or not whole."""

    def __init__(self, path: Path) -> None:
        """Read the header of the file ``path``."""
        require_package("gguf")
        self.title = path.name
        self._path = path
        self._file = Unchanged(path)
        header = read_header(path)
        self.values = header.values
        self._entries = header.tensors
        for name, entry in self._entries.items():
            self._require_whole(name, entry, self._file.size)
        self.shapes = {name: entry.shape for name, entry in self._entries.items()}

    def check_kind(self, name: str) -> None:
        """Raise UserError where the numbers of ``name`` are written in a way that is not read."""
        from gguf.quants import dequantize

        kind = self._kind(name)
        try:
            dequantize(np.zeros((1, _block(kind)[1]), np.uint8), kind)
        except NotImplementedError:
            raise UserError(
                f"{self.title}: the tensor “{name}” is quantised as {kind.name}, which is not "
                "read here."
            ) from None

    def read(self, name: str, rows: Ids | None = None) -> Floats32:
        """Return a tensor, or some rows of it; raises UserError where it cannot be read."""
        from gguf.quants import dequantize

        self._file.require()
        kind, shape = self._kind(name), self.shapes[name]
        packed = self._packed(name, rows)
        with np.errstate(all="ignore"):  # what is not finite is said by name
            numbers = dequantize(packed, kind)
        return numbers.reshape(-1, *shape[1:]).astype(np.float32, copy=False)

    def _packed(self, name: str, rows: Ids | None) -> npt.NDArray[np.uint8]:
        """Return the bytes of some rows, a row of bytes for each, read and not mapped."""
        entry = self._entries[name]
        shape = math.prod(entry.shape[:-1]), _bytes_of_row(entry, self._kind(name))
        block = Block(self._path, entry.offset, np.dtype(np.uint8), shape)
        if rows is None:
            return block.take((None, None))
        return np.stack([block.take((int(row), None)) for row in rows])

    def _kind(self, name: str) -> "GGMLQuantizationType":
        from gguf import GGMLQuantizationType

        try:
            return GGMLQuantizationType(self._entries[name].kind)
        except ValueError:
            raise UserError(
                f"{self.title}: the tensor “{name}” is quantised in way "
                f"{self._entries[name].kind}, which is not known."
            ) from None

    def _require_whole(self, name: str, entry: TensorEntry, size: int) -> None:
        kind = self._kind(name)
        if entry.shape[-1] % _block(kind)[0]:
            raise UserError(
                f"{self.title}: the tensor “{name}” has rows of {entry.shape[-1]} numbers, but "
                f"{kind.name} packs {_block(kind)[0]} together."
            )
        end = entry.offset + math.prod(entry.shape[:-1]) * _bytes_of_row(entry, kind)
        if end > size:
            raise UserError(
                f"{self.title} is not whole: its tensor “{name}” ends at byte {end:,}, but the "
                f"file has {size:,} bytes."
            )


def _block(kind: "GGMLQuantizationType") -> tuple[int, int]:
    """Return how many numbers are packed together, and into how many bytes."""
    from gguf import GGML_QUANT_SIZES

    return GGML_QUANT_SIZES[kind]


def _bytes_of_row(entry: TensorEntry, kind: "GGMLQuantizationType") -> int:
    n_packed, n_bytes = _block(kind)
    return entry.shape[-1] // n_packed * n_bytes
