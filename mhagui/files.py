"""Writing files whole or not at all."""

import errno
import os
import re
import shutil
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
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

_TEMPORARY = re.compile(r"\.mhagui-[0-9a-f]{32}\.tmp")
_ABANDONED = 24 * 60 * 60  # seconds: no file takes as long to write


@dataclass(frozen=True, slots=True)
class Stamp:
    """The state of a file: another one means that somebody has written to it."""

    modified_ns: int
    n_bytes: int
    inode: int


def stamp(path: Path) -> Stamp | None:
    """Return the state of the file at ``path``, None where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)


def write_atomically(
    path: Path,
    data: bytes,
    before_swap: Callable[[], object] = int,
    *,
    is_durable: bool = True,
) -> Stamp | None:
    """Write ``data`` to ``path``, and return the file's new state; after a failure it is as before.

    ``before_swap`` is called when all is written, and may raise to call the swap off. Once this
    returns, a durable file survives that the power fails.

    Raises
    ------
    UserError
        When that cannot be done, with the path and the reason.
    """
    (state,) = write_all({path: data}, before_swap, is_durable=is_durable)
    return state


def write_all(
    contents: Mapping[Path, bytes],
    before_swap: Callable[[], object] = int,
    *,
    is_durable: bool = True,
) -> list[Stamp | None]:
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
            _write(temporary, target, data, is_durable=is_durable)
        # Taken now: a swap leaves it as it is, and after that others may have written.
        states = [stamp(temporary) for temporary, _ in written]
        before_swap()
        for temporary, target in written:
            _replace(temporary, target)
    finally:
        for temporary, _ in written:
            _remove(temporary)
    for folder in {target.parent for _, target in written}:
        if is_durable:
            _keep(folder)
        _sweep(folder)
    return states


def write_into(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write files into ``folder``, by their names, and return their paths; it is made if missing.

    Raises UserError as ``make_folder`` and ``write_all`` do.
    """
    make_folder(folder)
    files = {folder / name: data for name, data in contents.items()}
    write_all(files)
    return list(files)


def absolute(path: Path) -> Path:
    """Return ``path`` from the root; as it is where the folder we were started in is gone."""
    try:
        return path.absolute()
    except OSError:
        return path


def make_folder(path: Path) -> None:
    """Make the folder ``path`` and those above it; raises UserError where that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise _taken(Path(error.filename)) from error
    except FileNotFoundError as error:  # not for a missing parent, which would have been made
        raise UserError(f"The folder {path} cannot be made: none can be made there.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"The folder {path} cannot be made: {reason(error)}.") from error


def check_folder(path: Path) -> None:
    """Raise UserError where it is plain, with nothing made, that files cannot go into ``path``.

    The folder need not be there: what is above it is looked at then.
    """
    for above in (path, *absolute(path).parents):
        try:
            above.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            raise UserError(f"The folder {path} cannot be made: {reason(error)}.") from error
        if not above.is_dir():
            why = f"The folder {path} cannot be made: {above} is not a folder."
            raise _taken(path) if above == path else UserError(why)
        if not os.access(above, os.W_OK | os.X_OK):
            raise UserError(f"{above} cannot be written into: that is not permitted.")
        return


def check_target(path: Path) -> None:
    """Raise UserError where it is plain, with nothing made, that ``path`` cannot be written."""
    target = _target(path)
    if path.is_symlink() and not target.parent.is_dir():
        raise UserError(f"{path} cannot be written: it is a link into a folder that is not there.")
    check_folder(target.parent)


def check_into(folder: Path, names: Iterable[str]) -> None:
    """Raise UserError where it is plain that files of these ``names`` cannot go into ``folder``."""
    check_folder(folder)
    for name in names:
        _target(folder / name)


def _taken(path: Path) -> UserError:
    is_lost = path.is_symlink() and not path.exists()
    what = "a link that leads nowhere" if is_lost else "not a folder"
    return UserError(f"{path} is {what}; give a folder to write into.")


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
        raise UserError(f"{path} cannot be written: {reason(error)}.") from error
    return target


def _write(temporary: Path, target: Path, data: bytes, *, is_durable: bool) -> None:
    try:
        with temporary.open("xb") as file:
            if target.exists():  # what only the owner may read is never to be read by others
                shutil.copymode(target, temporary)
            file.write(data)
            file.flush()
            if is_durable:
                os.fsync(file.fileno())
    except OSError as error:
        raise UserError(f"{target} cannot be written: {reason(error)}.") from error


def _replace(temporary: Path, target: Path) -> None:
    try:
        temporary.replace(target)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {reason(error)}.") from error


def _remove(temporary: Path) -> None:
    # The folder is gone, say: then so is the file, and the first error tells more.
    with suppress(OSError):
        temporary.unlink(missing_ok=True)


def _keep(folder: Path) -> None:
    """Have the new names in ``folder`` on the disk, as the files are, where the system can."""
    with suppress(OSError):  # Windows opens no folder, and some disks of a network sync none
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Remove what a program that was killed while it wrote has left in ``folder`` a day ago."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if (
                _TEMPORARY.fullmatch(entry.name)
                and entry.is_file(follow_symlinks=False)
                and _is_abandoned(entry)
            ):
                _remove(Path(entry.path))


def sweep_folders(folder: Path, prefix: str) -> None:
    """Remove folders in ``folder`` that a killed program has left a day ago.

    They are those of ``tempfile`` with this ``prefix``, which has to be nobody else's.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if (
                re.fullmatch(re.escape(prefix) + "[a-z0-9_]{8}", entry.name)
                and entry.is_dir(follow_symlinks=False)
                and _is_abandoned(entry)
            ):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_abandoned(entry: "os.DirEntry[str]") -> bool:
    return time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED


def reason(error: Exception) -> str:
    """Return why a file cannot be written, as a part of a sentence."""
    code = error.errno if isinstance(error, OSError) else None
    if isinstance(error, RuntimeError):  # so says Path.resolve of a loop, until Python 3.13
        code = errno.ELOOP
    if code in _REASONS:
        return _REASONS[code]
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")
