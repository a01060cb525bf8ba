"""Tensors in a file, whatever the format: what they are, and their numbers as float32."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.errors import UserError
from mhagui.files import stamp

Floats32: TypeAlias = npt.NDArray[np.float32]
Ids: TypeAlias = npt.NDArray[np.intp]


class TensorFile(Protocol):
    """Tensors of a model, by name; no number is read until it is asked for."""

    @property
    def title(self) -> str:
        """What the file is called, for people."""

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shapes of all tensors."""

    def check_kind(self, name: str) -> None:
        """Raise UserError where the numbers of ``name`` are written in a way that is not read."""

    def read(self, name: str, rows: Ids | None = None) -> Floats32:
        """Return a tensor, or some rows of it; raises UserError where it cannot be read."""


class Unchanged:
    """A file that is read now and again, and has to stay what it was when it was opened."""

    def __init__(self, path: Path) -> None:
        """Remember the state of ``path``; raises UserError where it is no file."""
        if not path.is_file():  # a pipe would be waited for
            raise UserError(f"{path.name} is a pipe or a device, and no file.")
        self._path, self._state = path, stamp(path)
        self.size = self._state.n_bytes if self._state else 0

    def require(self) -> None:
        """Raise UserError where the file is another one now, or none."""
        now = stamp(self._path)
        if now is None:
            raise UserError(f"{self._path.name} is gone.")
        if now != self._state:
            raise UserError(f"{self._path.name} has changed since it was opened: open it again.")
