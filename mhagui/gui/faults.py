"""What comes from outside the event loop: signals that end it, and exceptions that must not."""

import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
DEBUG_VARIABLE = "MHAGUI_DEBUG"


@contextmanager
def ended_by_signals(app: QApplication) -> Iterator[None]:
    """End ``app`` in good order, with status 128 + number, when a signal asks for it.

    Python runs a signal's handler between two of its own instructions, of which Qt's waiting loop
    has none: the signal wakes it by way of a socket.
    """
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    notifier = QSocketNotifier(ours.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda: ours.recv(64))
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, lambda number, _frame: app.exit(128 + number))
    woken = signal.set_wakeup_fd(theirs.fileno())
    try:
        yield
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        notifier.setEnabled(False)
        ours.close()
        theirs.close()


@contextmanager
def faults_shown(show: Callable[[str], None]) -> Iterator[None]:
    """Give ``show`` a sentence for an exception that no slot caught; the program goes on.

    The traceback goes to stderr where MHAGUI_DEBUG is set.
    """

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if os.environ.get(DEBUG_VARIABLE):
            traceback.print_exception(kind, error, trace)
        show(
            f"A fault of mhagui, not yours: {kind.__name__}: {error}. "
            f"Set {DEBUG_VARIABLE}=1 and start it from a terminal to see where."
        )

    before, sys.excepthook = sys.excepthook, hook
    try:
        yield
    finally:
        sys.excepthook = before
