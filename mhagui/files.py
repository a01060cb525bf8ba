"""Writing files whole or not at all."""

import errno
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path

from mhagui.errors import UserError

_REASONS = {
    errno.EACCES: "writing there is not permitted",
    errno.EDQUOT: "the quota of disk space is used up",
    errno.EFBIG: "the file is too large for this disk",
    errno.EIO: "the disk does not take it",
    errno.EISDIR: "it is a folder",
    errno.ELOOP: "its links lead in a circle",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOENT: "the folder does not exist",
    errno.ENOSPC: "the disk is full",
    errno.ENOTDIR: "a part of the path is not a folder",
    errno.EPERM: "writing there is not permitted",
    errno.EROFS: "the disk is read-only",
}


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``; after a failure the file is as it was before.

    Raises
    ------
    UserError
        When that cannot be done, with the path and the reason.
    """
    write_all({path: data})


def write_all(contents: Mapping[Path, bytes]) -> None:
    """Write several files; none of them changes before all of them are on the disk.

    Raises
    ------
    UserError
        When one cannot be written, with its path and the reason; no temporary file stays.
    """
    written: list[tuple[Path, Path]] = []
    try:
        for path, data in contents.items():
            target = _target(path)
            temporary = target.with_name(f".mhagui-{uuid.uuid4().hex}.tmp")
            written.append((temporary, target))
            _write(temporary, target, data)
        for temporary, target in written:
            _replace(temporary, target)
    finally:
        for temporary, _ in written:
            _remove(temporary)


def make_folder(path: Path) -> None:
    """Make the folder ``path`` and those above it; raises UserError where that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        taken = Path(error.filename)
        is_lost = taken.is_symlink() and not taken.exists()
        what = "a link that leads nowhere" if is_lost else "not a folder"
        raise UserError(f"{taken} is {what}; give a folder to write into.") from error
    except FileNotFoundError as error:  # not for a missing parent, which would have been made
        raise UserError(f"The folder {path} cannot be made: none can be made there.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"The folder {path} cannot be made: {_reason(error)}.") from error


def _target(path: Path) -> Path:
    """Return the file itself where ``path`` is a link to it; refuse what is no plain file."""
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            what = "a folder" if target.is_dir() else "not a plain file"
            raise UserError(f"{path} cannot be written: it is {what}.")
        if target.exists() and not os.access(target, os.W_OK):
            raise UserError(f"{path} cannot be written: it is write-protected.")
    except (OSError, RuntimeError) as error:
        raise UserError(f"{path} cannot be written: {_reason(error)}.") from error
    return target


def _write(temporary: Path, target: Path, data: bytes) -> None:
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {_reason(error)}.") from error


def _replace(temporary: Path, target: Path) -> None:
    try:
        temporary.replace(target)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {_reason(error)}.") from error


def _remove(temporary: Path) -> None:
    try:
        temporary.unlink(missing_ok=True)
    except OSError:
        return  # the folder is gone, say: then so is the file, and the first error tells more


def _reason(error: Exception) -> str:
    code = error.errno if isinstance(error, OSError) else None
    if isinstance(error, RuntimeError):  # so says Path.resolve of a loop, until Python 3.13
        code = errno.ELOOP
    if code in _REASONS:
        return _REASONS[code]
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")
