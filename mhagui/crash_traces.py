"""What the interpreter writes when the process crashes, for the next start to read."""

import faulthandler
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from mhagui.locks import lock_file

PATTERN = "crash-*.txt"
MAX_TRACE_BYTES = 64 * 1024
MAX_TRACES = 5


@contextmanager
def traced(folder: Path) -> Iterator[None]:
    """Have the stacks of all threads written into ``folder`` should the process crash meanwhile.

    The file is locked as long as the process lives, and goes with it unless it holds a trace.
    Without a folder to write to the program goes on untraced.
    """
    path = folder / f"crash-{os.getpid()}-{uuid.uuid4().hex[:8]}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("xb")
    except OSError:
        yield
        return
    was_enabled = faulthandler.is_enabled()
    try:
        with file:
            _lock(file)
            faulthandler.enable(file)
            try:
                yield
            finally:
                faulthandler.disable()
    finally:
        if was_enabled:
            faulthandler.enable()
        with suppress(OSError):
            path.unlink()


def traces_left(folder: Path) -> list[str]:
    """Return the traces of processes that have crashed, the newest first, and remove their files.

    Those of processes that live are left alone; so is what cannot be read.
    """
    traces = (_take(path) for path in sorted(_files(folder), key=_time, reverse=True))
    return [trace for trace in traces if trace][:MAX_TRACES]


def what_happened(trace: str) -> str:
    """Return in a word or two what a trace is of, such as "segmentation fault"."""
    found = re.match(r"(?:Fatal Python error|Windows fatal exception): ([\w ]{1,60})", trace)
    return found[1].lower() if found else "no reason known"


def _take(path: Path) -> str:
    """Return what the process wrote that left the file, and remove it; nothing where it lives."""
    try:
        with path.open("rb") as file:
            if not _lock(file):
                return ""
            trace = file.read(MAX_TRACE_BYTES)
        path.unlink()
    except OSError:
        return ""
    return trace.decode(errors="replace").strip()


def _lock(file: BinaryIO) -> bool:
    """Lock a file and say whether nobody else has; where files cannot be locked nobody has."""
    try:
        return lock_file(file.fileno())
    except OSError:
        return True


def _files(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.glob(PATTERN) if path.is_file()]
    except OSError:
        return []


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
