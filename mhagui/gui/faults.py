"""What comes from outside the event loop: signals that end it, and exceptions that must not."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import TracebackType

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    Qt,
    QTimer,
    QtMsgType,
    Signal,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from mhagui.fault_log import DEBUG_VARIABLE, FAULT, NOTE, FaultLog, trace_of
from mhagui.gui.notices import NoticeBar
from mhagui.system_info import info_text, system_info

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
MOST_TRACES = 5  # in the details of a notice; the log has more
GATHERED_FOR = 1000  # milliseconds between two tellings
_LEVELS = {
    QtMsgType.QtWarningMsg: NOTE,
    QtMsgType.QtCriticalMsg: FAULT,
    QtMsgType.QtFatalMsg: FAULT,
}


@contextmanager
def ended_by_signals(app: QApplication, keep: Callable[[], object]) -> Iterator[None]:
    """End ``app`` in good order, with status 128 + number, when a signal asks for it.

    What is not saved is kept by ``keep`` before. The signal wakes Qt's waiting loop by way of a
    socket, and is answered there: a handler of Python's would be called in the midst of anything,
    such as the keeping that a signal before has asked for.
    """
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    notifier = QSocketNotifier(ours.fileno(), QSocketNotifier.Type.Read)
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]

    def end() -> None:
        asked = [number for number in ours.recv(64) if number in numbers]
        if asked:
            notifier.setEnabled(False)  # once is enough
            app.exit(128 + asked[0])  # first: whatever comes of keeping, the program ends
            keep()

    notifier.activated.connect(end)
    before = {number: signal.getsignal(number) for number in numbers}
    woken = signal.set_wakeup_fd(theirs.fileno())  # first: no signal falls between the two
    try:
        for number in numbers:
            signal.signal(number, _leave_it_to_the_loop)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(woken)
        notifier.setEnabled(False)
        ours.close()
        theirs.close()


@contextmanager
def interrupt_held() -> Iterator[None]:
    """Answer Ctrl+C at the end of what is begun here: raised in a callback of Qt's, it is lost."""
    held: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        signal.raise_signal(signal.SIGINT)


def _leave_it_to_the_loop(_number: int, _frame: object) -> None:
    """Keep Python from ending the program at once."""


class Faults(QObject):
    """Takes the exceptions that nobody caught, from any thread, to the log and to a notice.

    However many there are: of one kind there is one notice, which counts, once a second at most;
    the log has a measure of its own.
    """

    _caught = Signal()

    def __init__(self, log: FaultLog) -> None:
        super().__init__()
        self._log = log
        self._notices: NoticeBar | None = None
        self._lock = threading.RLock()
        self._gathered: dict[str, tuple[int, str]] = {}  # by kind: how many, the first's traceback
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(GATHERED_FOR)
        self._timer.timeout.connect(self._tell)
        # Queued: a fault may be of a thread, or of the painting of the very bar that tells of it.
        self._caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)

    def tell_in(self, notices: NoticeBar) -> None:
        """Tell in ``notices``, also of what was caught before they were there."""
        self._notices = notices
        self._on_caught()

    def catch(self, error: BaseException, where: str) -> None:
        """Note an ``error`` and ``where`` it surfaced."""
        trace, kind = trace_of(error), type(error).__name__
        if os.environ.get(DEBUG_VARIABLE) and sys.stderr is not None:
            print(trace, file=sys.stderr)
        self._log.write(f"{where}\n{trace}")
        with self._lock:
            is_first = not self._gathered
            times, first = self._gathered.get(kind, (0, trace))
            self._gathered[kind] = times + 1, first
        if is_first:
            self._caught.emit()

    def catch_message(self, kind: QtMsgType, message: str) -> None:
        """Note what Qt says, where that is a warning or worse."""
        if kind in _LEVELS:
            self._log.write(f"Qt: {message}", _LEVELS[kind])

    @Slot()
    def _on_caught(self) -> None:
        if not self._timer.isActive():
            self._tell()

    @Slot()
    def _tell(self) -> None:
        if self._notices is None:
            return
        with self._lock:
            gathered, self._gathered = self._gathered, {}
        if not gathered:
            return
        self._timer.start()  # first: a fault in what follows must not be told at once
        traces = [trace for _, trace in islice(gathered.values(), MOST_TRACES)]
        self._notices.tell(
            "Something went wrong in mhagui; your work is untouched.",
            "\n\n".join([*traces, _system()]),
            folder=self._log.path.parent,
            times=sum(times for times, _ in gathered.values()),
        )


def _system() -> str:
    try:
        return info_text(system_info())
    except Exception as error:  # noqa: BLE001 - what is told of may have taken everything with it
        return f"What it runs on cannot be told: {error}"


@contextmanager
def faults_caught(faults: Faults) -> Iterator[None]:
    """Give ``faults`` what nobody catches: in slots, Qt's virtual methods, threads, clean-ups."""

    def of_slot(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
        faults.catch(error, f"{kind.__name__} that no slot caught")

    def of_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and args.exc_type is not SystemExit:
            faults.catch(args.exc_value, f"In {args.thread or 'a thread'}")

    def unraisable(args: "sys.UnraisableHookArgs") -> None:
        if args.exc_value is not None:
            faults.catch(args.exc_value, f"{args.err_msg or 'Ignored'} in {type(args.object)}")

    def message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        faults.catch_message(kind, text)
        if say is not None:
            say(kind, context, text)
        elif sys.stderr is not None:
            print(text, file=sys.stderr)

    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    sys.excepthook, threading.excepthook, sys.unraisablehook = of_slot, of_thread, unraisable
    say = qInstallMessageHandler(message)
    try:
        yield
    finally:
        qInstallMessageHandler(say)
        sys.excepthook, threading.excepthook, sys.unraisablehook = before
