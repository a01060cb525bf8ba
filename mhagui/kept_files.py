"""What files that the program keeps for itself have in common: bounded reading, putting aside."""

import errno
import os
import stat
from pathlib import Path


def read_kept(path: Path, most_bytes: int) -> bytes | None:
    """Return the content of ``path``, None where there is no file; never wait for a pipe.

    One byte more than ``most_bytes`` is read, so that the caller sees that there is more. Raises
    OSError where the file cannot be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        with path.open("rb") as file:
            n_bytes = os.fstat(file.fileno()).st_size  # read makes room for all it is asked for
            return file.read(min(n_bytes, most_bytes) + 1)
    except FileNotFoundError:
        return None


def put_aside(path: Path, suffix: str = "bad") -> Path:
    """Rename a file, over nothing that was put aside before; return its new name.

    Raises OSError where that cannot be.
    """
    names = (path.with_name(f"{path.name}.{suffix}{n}") for n in ("", *range(2, 1000)))
    aside = next(name for name in names if not os.path.lexists(name))
    path.replace(aside)
    return aside
