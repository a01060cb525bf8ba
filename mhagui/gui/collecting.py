"""Where garbage is collected while the window works: in its thread, and in no other."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QTimer

EVERY = 500  # milliseconds


@contextmanager
def collecting_here() -> Iterator[Callable[[], None]]:
    """Collect garbage in this thread alone, and only from when what is yielded is called.

    Python collects in whichever thread asks for memory next. A closed window that others still
    knew is garbage as well, and Qt crashes where widgets are freed in a thread at work.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    timers: list[QTimer] = []

    def begin() -> None:
        timer = QTimer()
        timer.setInterval(EVERY)
        timer.timeout.connect(collect_if_due)
        timer.start()
        timers.append(timer)

    try:
        yield begin
    finally:
        for timer in timers:
            timer.stop()
        if was_enabled:
            gc.enable()


def collect_if_due() -> None:
    """Collect the oldest generation that Python would by now."""
    due = zip(gc.get_count(), gc.get_threshold(), strict=True)
    generations = [number for number, (count, most) in enumerate(due) if 0 < most < count]
    if generations:
        gc.collect(generations[-1])
