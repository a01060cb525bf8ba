"""Locks that end with their process, however it ends: the system's kernel holds them.

A number of a process in a file would not do: another process may have that number by now, or, in a
container, the very one that asks.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)  # a pipe there keeps nobody waiting


class Lock:
    """What one holder at a time can have, of all processes that know its ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def acquire(self) -> bool:
        """Hold it; False where another does. Raises OSError where none can be made."""
        while self._file is None:
            file = os.open(self.path, _FLAGS, 0o600)
            if not lock_file(file):
                os.close(file)
                return False
            if self._is_at_its_path(file):
                self._file = file
            else:  # whoever held it has removed it meanwhile
                os.close(file)
        return True

    def release(self) -> None:
        """Let it go, and leave nothing behind."""
        if self._file is None:
            return
        with suppress(OSError):
            if sys.platform != "win32":  # there a file that is open cannot be removed
                self.path.unlink()
        os.close(self._file)
        self._file = None
        if sys.platform == "win32":
            with suppress(OSError):
                self.path.unlink()

    def _is_at_its_path(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), self.path.stat())
        except FileNotFoundError:
            return False


def lock_file(file: int) -> bool:
    """Lock the open ``file`` as long as it is open; False where another process has locked it."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
