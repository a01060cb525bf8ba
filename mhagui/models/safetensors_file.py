"""The tensors of a checkpoint: one .safetensors file, or several with an index."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np

from mhagui.errors import UserError
from mhagui.models.tensor_file import Floats32, Ids, Unchanged
from mhagui.models.values import read_bounded
from mhagui.sources.entries import BFLOAT16, Entry
from mhagui.sources.safetensors_files import safetensors_entries

_KINDS = ("float64", "float32", "float16", BFLOAT16)
INDEX = "model.safetensors.index.json"


class SafetensorsFile:
    """The tensors of all ``paths`` together; raises UserError where one is damaged or not whole."""

    def __init__(self, title: str, paths: Iterable[Path]) -> None:
        """Read the headers."""
        self.title = title
        self._entries: dict[str, Entry] = {}
        self._files = []
        for path in paths:
            file = Unchanged(path)
            self._files.append(file)
            for entry in safetensors_entries(path, file.size):
                if entry.name in self._entries:
                    raise UserError(f"{title} has the tensor “{entry.name}” in two of its files.")
                if entry.texts is None:
                    self._entries[entry.name] = entry
        self.shapes = {name: entry.shape for name, entry in self._entries.items()}

    def check_kind(self, name: str) -> None:
        """Raise UserError where the numbers of ``name`` are written in a way that is not read."""
        entry = self._entries[name]
        if entry.problem:
            raise UserError(f"{self.title}: {entry.problem}")
        if entry.dtype not in _KINDS:
            raise UserError(
                f"{self.title}: the tensor “{name}” is of {entry.dtype}; weights are read from "
                f"{', '.join(_KINDS)}."
            )

    def read(self, name: str, rows: Ids | None = None) -> Floats32:
        """Return a tensor, or some rows of it; raises UserError where it cannot be read."""
        for file in self._files:
            file.require()
        entry = self._entries[name]
        with np.errstate(over="ignore"):  # of float64; what is infinite is said by name
            if rows is None:
                whole = entry.read((None,) * len(entry.shape))
                return whole.astype(np.float32, copy=False)
            return np.stack([entry.read((int(row), None)) for row in rows]).astype(np.float32)


def shards(index: Path) -> list[Path]:
    """Return the files that an index names, beside it; raises UserError where one is missing."""
    try:
        named = msgspec.json.decode(read_bounded(index), type=_Index).weight_map
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{index.name} is damaged: it does not say what lies where.") from error
    paths = []
    for name in sorted(set(named.values())):
        if Path(name).name != name or "\\" in name or not (index.parent / name).is_file():
            raise UserError(f"{index.name} names the file “{name}”, which is not beside it.")
        paths.append(index.parent / name)
    return paths


class _Index(msgspec.Struct):
    weight_map: dict[str, str]
