"""The log of faults: one file that stays small, for whoever has to find out what went wrong."""

import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from logging import ERROR, WARNING, Formatter, Handler, LogRecord, NullHandler
from pathlib import Path

from mhagui import __version__

FILE_NAME = "mhagui.log"
MAX_FILE_BYTES = 512 * 1024
OLD_FILES = 2
MAX_ENTRY = 20_000  # characters
MOST_A_MINUTE = 20
DEBUG_VARIABLE = "MHAGUI_DEBUG"  # set, faults are printed as well
FAULT, NOTE = ERROR, WARNING  # how bad an entry is


class FaultLog:
    """Writes to ``mhagui.log`` in ``folder``, from any thread, and makes it with the first entry.

    No more than ``MOST_A_MINUTE`` entries of a level are written in a minute; those left out are
    counted. A folder or a disk that does not take them changes nothing for whoever reports.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = folder / FILE_NAME
        self._clock = clock
        self._lock = threading.RLock()  # a fault may come in the midst of writing another
        self._handler: Handler | None = None
        self._measures = {level: _Measure() for level in (FAULT, NOTE)}

    def write(self, text: str, level: int = FAULT) -> None:
        """Write ``text``, as an entry with time and version, unless there are too many."""
        with self._lock:
            n_left_out = self._measures[level].take(self._clock())
            if n_left_out is None:
                return
            if n_left_out:
                text = f"{text}\n({n_left_out} more before this came too fast and are left out)"
            self._emit(text, level)

    def close(self) -> None:
        """Let go of the file; another entry would open it again."""
        with self._lock:
            if self._handler is not None:
                with suppress(OSError):  # what is unwritten stays so
                    self._handler.close()
                self._handler = None

    def _emit(self, text: str, level: int) -> None:
        if self._handler is None:
            self._handler = _handler(self.path)
        if len(text) > MAX_ENTRY:
            text = f"{text[: MAX_ENTRY // 2]}\n[…]\n{text[-MAX_ENTRY // 2 :]}"
        self._handler.handle(LogRecord("mhagui", level, "", 0, text, None, None))


class _Measure:
    """Lets so many through in a minute."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=MOST_A_MINUTE)
        self._n_left_out = 0

    def take(self, now: float) -> int | None:
        """Return None for too many, else how many were too many since the last that was not."""
        if len(self._times) == MOST_A_MINUTE and now - self._times[0] < 60:
            self._n_left_out += 1
            return None
        self._times.append(now)
        n_left_out, self._n_left_out = self._n_left_out, 0
        return n_left_out


def trace_of(error: BaseException) -> str:
    """Return the traceback of ``error`` as text, whatever its own words do when they are asked."""
    try:
        return "".join(traceback.format_exception(error)).rstrip()
    except Exception:  # noqa: BLE001 - a fault in a fault must not hide it
        return f"{type(error).__name__}, which cannot be put into words"


def _handler(path: Path) -> Handler:
    try:
        from logging.handlers import RotatingFileHandler  # takes long
    except (ImportError, OSError):  # no more files can be opened, say
        return NullHandler()

    class Quiet(RotatingFileHandler):
        def handleError(self, record: LogRecord) -> None:  # noqa: N802 - logging's words
            """Go on without a word: the disk is full, say."""

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a pipe would keep everybody waiting
            return NullHandler()
        handler = Quiet(
            path,
            maxBytes=MAX_FILE_BYTES,
            backupCount=OLD_FILES,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError:
        return NullHandler()
    handler.setFormatter(Formatter(f"%(asctime)s mhagui {__version__} %(levelname)s %(message)s"))
    return handler
