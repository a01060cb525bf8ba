"""What files that the program keeps for itself have in common: bounded reading, putting aside."""

import errno
import os
import stat
from itertools import chain, count
from pathlib import Path

from mhagui.errors import UserError


def read_kept(path: Path, most_bytes: int) -> bytes | None:
    """Return the content of ``path``, None where there is no file; never wait for a pipe.

    Raises OSError where the file cannot be read, UserError where it has more than ``most_bytes``.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        with path.open("rb") as file:
            n_bytes = os.fstat(file.fileno()).st_size
            if n_bytes > most_bytes:
                raise UserError(f"it has more than {most_bytes // 2**20} MB.")
            return file.read(n_bytes)  # no more room is made than it needs
    except FileNotFoundError:
        return None


def put_aside(path: Path, suffix: str = "bad") -> Path:
    """Rename a file, over nothing that was put aside before; return its new name.

    Raises OSError where that cannot be.
    """
    names = (path.with_name(f"{path.name}.{suffix}{n}") for n in chain([""], count(2)))
    aside = next(name for name in names if not os.path.lexists(name))
    path.replace(aside)
    return aside
