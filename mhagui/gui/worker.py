"""Work that takes long, in a thread of its own, so that the window goes on meanwhile."""

from collections.abc import Callable
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from PySide6.QtCore import QObject, QTimer

from mhagui.errors import UserError

LOOK_EVERY = 2  # milliseconds: far less than what is done here takes, and than a screen waits
THREAD = "mhagui at work"
T = TypeVar("T")


class _Work(NamedTuple):
    make: Callable[[], Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]


class _Job:
    """Something made in a thread; it knows nobody, so that it may outlive who asked for it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.made: Any = None
        self.error: Exception | None = None
        # As a daemon it keeps no closed window waiting.
        self._thread = Thread(target=self._run, args=(make,), daemon=True, name=THREAD)
        self._thread.start()

    def _run(self, make: Callable[[], Any]) -> None:
        try:
            self.made = make()
        except Exception as error:  # noqa: BLE001 - it is raised in the window's thread
            self.error = error

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()


class Worker(QObject):
    """Does one thing at a time; what is asked for meanwhile waits, and of that only the newest."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wanted: _Work | None = None
        self._begun: _Work | None = None
        self._job: _Job | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY)
        self._timer.timeout.connect(self._look)

    @property
    def is_busy(self) -> bool:
        """Whether something is wanted that is yet to be handed over."""
        return self._wanted is not None

    def run(
        self,
        make: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Have ``make`` called in a thread, and then ``done`` with what it returned.

        Unless something else is asked for before. Where it raises, ``failed`` is called, and what
        is no sentence for the user goes on to whoever tells of faults.
        """
        self._wanted = _Work(make, done, failed)
        self._timer.start()
        if self._job is None or self._job.is_over:
            self._begin(self._wanted)

    def cancel(self) -> None:
        """Want nothing any more; what has begun goes on unheard."""
        self._wanted = self._begun = None
        self._timer.stop()

    def _begin(self, work: _Work) -> None:
        self._begun, self._job = work, _Job(work.make)

    def _look(self) -> None:
        """Look whether what has begun is over."""
        job, work = self._job, self._wanted
        if job is None or work is None or not job.is_over:
            return
        if work is not self._begun:  # something else is wanted by now
            self._begin(work)
            return
        self._job = None
        self.cancel()
        if job.error is not None:
            work.failed(job.error)
            if not isinstance(job.error, UserError):
                raise job.error
            return
        work.done(job.made)
