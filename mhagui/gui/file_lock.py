"""Who has which file open."""

import os
from pathlib import Path

from mhagui.errors import UserError
from mhagui.files import make_folder
from mhagui.locks import Lock


class FileLock:
    """Tells whether another window has the same file open; it keeps nobody from anything."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._followed: Path | None = None
        self._lock: Lock | None = None

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
        """Have ``path`` open here, and no other file; False where another window has it open.

        Where no lock can be made nobody knows of any other.
        """
        import hashlib  # not for the start

        # One file, whatever path leads to it.
        name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()
        lock_path = self._folder / f"{name}.lock"
        if self._lock is not None and self._lock.path == lock_path:
            return True
        self.release()
        lock = Lock(lock_path)
        try:
            make_folder(self._folder)
            if not lock.acquire():
                return False
        except (OSError, UserError):
            return True
        self._lock = lock
        return True

    def release(self) -> None:
        """Have no file open any more."""
        if self._lock is not None:
            self._lock.release()
        self._lock = None
