"""Locks that tell living windows apart: who has a file open, and whose unsaved work is whose."""

import hashlib
import os
from pathlib import Path

from PySide6.QtCore import QLockFile

from mhagui.errors import UserError
from mhagui.files import make_folder


def lock_at(path: Path) -> QLockFile:
    """Return the lock at ``path``, not taken yet: once it is, it is held as long as we live."""
    lock = QLockFile(str(path))
    lock.setStaleLockTime(0)  # that of a process that is gone is free, of a living one never
    return lock


def is_held_elsewhere(lock: QLockFile) -> bool:
    """Try to take ``lock``; True where another window holds it.

    Where locks cannot be made at all, nobody holds any.
    """
    return not lock.tryLock(0) and lock.error() is QLockFile.LockError.LockFailedError


class FileLock:
    """Tells whether another window has the same file open; it keeps nobody from anything."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._followed: Path | None = None
        self._path: Path | None = None
        self._lock: QLockFile | None = None

    def follow(self, path: Path | None) -> str:
        """Have ``path`` open here, or no file; return what the user should know of that, once."""
        is_new, self._followed = path != self._followed, path
        if path is None:
            self.release()
        elif not self.hold(path) and is_new:
            return (
                f"“{path.name}” is open in another window too; "
                "whoever saves last overwrites the other."
            )
        return ""

    def hold(self, path: Path) -> bool:
        """Have ``path`` open here, and no other file; False where another window has it open."""
        # One file, whatever path leads to it.
        name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()
        lock_path = self._folder / f"{name}.lock"
        if self._lock is not None and self._path == lock_path:
            return True
        self.release()
        try:
            make_folder(self._folder)
        except UserError:
            return True
        lock = lock_at(lock_path)
        if is_held_elsewhere(lock):
            return False
        self._path, self._lock = lock_path, lock
        return True

    def release(self) -> None:
        """Have no file open any more."""
        if self._lock is not None:
            self._lock.unlock()
        self._lock = None
