"""The window that is opened from Python: how it is driven, waited for and closed."""

import builtins
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QBuffer,
    QCoreApplication,
    QEvent,
    QEventLoop,
    QIODevice,
    Qt,
    QThread,
)
from PySide6.QtWidgets import QApplication

from mhagui.document import Scene
from mhagui.document.capture import Capture
from mhagui.document.captured_scene import heads_with_room, scene_of
from mhagui.document.edits import set_gain
from mhagui.document.origin import Origin
from mhagui.errors import UserError
from mhagui.fault_log import FaultLog
from mhagui.gui.application import FRAME, NAME, make_application, set_up
from mhagui.gui.capture_session import Opened
from mhagui.gui.collecting import collecting_here
from mhagui.gui.faults import Faults, ended_by_signals, faults_caught, interrupt_held
from mhagui.gui.guarded import guard_overrides
from mhagui.gui.worker import THREAD, Worker
from mhagui.home import Home, own_home

if TYPE_CHECKING:
    from mhagui.gui.main_window import MainWindow

_SIGNALLED, _INTERRUPTED = 128, 130  # exit statuses: a signal's number above the first; Ctrl+C
_PATIENCE = 30  # seconds, for work that nobody wants any more


class ViewWindow:
    """A window on ``capture``, with ``layer`` of it on the bench, the first unless given.

    Raises UserError where the bench cannot hold that layer, or no window can be opened here.
    """

    def __init__(
        self, capture: Capture, layer: int | None = None, home: Home | None = None
    ) -> None:
        self._opened = Opened(capture)
        number = capture.layers[0].number if layer is None else layer
        scene = scene_of(capture, number, heads_with_room(capture, number))
        _begin_application()
        self._home = home or own_home()
        with interrupt_held():
            window = self._shown(scene, number)
        self._window: MainWindow | None = window
        self._scene = scene
        # As long as there is a window it is kept by this, also where nobody keeps what drives it.
        window.destroyed.connect(partial(ViewWindow._on_gone, self))

    def _shown(self, scene: Scene, number: int) -> "MainWindow":
        # The window pulls in pyqtgraph, which looks for a running application when it is imported.
        from mhagui.gui.main_window import MainWindow

        guard_overrides()
        window = MainWindow(scene, home=self._home, origin=Origin(kept=scene), is_start=True)
        window.docks.imported.connect(guard_overrides)
        window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        window.captures.begin(self._opened, number)
        window.resize(window.size().boundedTo(window.screen().availableSize() - FRAME))
        window.show()
        return window

    def _on_gone(self) -> None:
        self._scene, self._window = self.scene, None

    @property
    def is_open(self) -> bool:
        """Whether the window is there."""
        return self._window is not None and self._window.isVisible()

    @property
    def scene(self) -> Scene:
        """What is on the bench, or was when the window was closed."""
        return self._scene if self._window is None else self._window.bench.scene

    def show(self, layer: int, head: int | None = None) -> None:
        """Put ``layer`` on the bench, the cursor at ``head`` of it; raises UserError."""
        window = self._open_window()
        captures = window.captures
        with _refusals_raised(window):
            # Something else may have been opened in the window meanwhile.
            is_there = captures.holds(self._opened) or captures.open(self._opened, layer)
            is_shown = is_there and captures.show(layer, head)
        if not is_shown:
            raise UserError(f"Layer {layer} is not shown: what is on the bench was to stay there.")

    def set_gain(self, head: int, gain: float) -> None:
        """Set the gain of the head at a place on the bench, from 0; raises UserError."""
        window = self._open_window()
        heads = self.scene.heads
        if not 0 <= head < len(heads):
            raise UserError(f"There is no head {head}; the bench has 0 to {len(heads) - 1}.")
        with _refusals_raised(window), _as_begun_with(window):
            window.bench.edit(set_gain(heads[head].uid, float(gain)))

    def picture(self) -> bytes:
        """Return what the window shows as a PNG file, once all of it is computed."""
        window = self._open_window()
        window.docks.make_all()
        QCoreApplication.processEvents()
        while window.bench.frame.is_behind or any(
            worker.is_busy for worker in window.findChildren(Worker)
        ):
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            window = self._open_window()
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        window.grab().save(buffer, "PNG")
        return bytes(buffer.data().data())

    def wait(self) -> None:
        """Return when the window is closed; a signal that ends the program closes it.

        Raises KeyboardInterrupt or SystemExit after a signal.
        """
        window = self._window
        if window is None or not self.is_open:
            return
        loop, log = QEventLoop(), FaultLog(self._home.logs)
        window.destroyed.connect(loop.quit)
        faults = Faults(log)
        faults.tell_in(window.notices)
        ending = ended_by_signals(make_application(), window.keep_now)
        with collecting_here() as begin, faults_caught(faults), ending:
            begin()
            status = loop.exec()
        log.close()
        # What a decomposition still works with must not be freed under it when Python ends.
        for thread in threading.enumerate():
            if thread.name == THREAD:
                thread.join(_PATIENCE)
        if status == _INTERRUPTED:
            raise KeyboardInterrupt
        if status > _SIGNALLED:
            raise SystemExit(status)

    def close(self) -> None:
        """Close the window, unless who is asked about changes would rather keep it."""
        window = self._window
        if window is not None and window.close():  # gone now, not when events are next processed
            QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete.value)

    def _open_window(self) -> "MainWindow":
        if self._window is None or not self.is_open:
            raise UserError("The window is closed; mhagui.view opens another.")
        return self._window


@contextmanager
def _refusals_raised(window: "MainWindow") -> Iterator[None]:
    """Raise as UserError what ``window`` says in its status bar."""
    said: list[str] = []
    signals = window.bench.refused, window.files.failed
    for signal in signals:
        signal.connect(said.append)
    try:
        yield
    finally:
        for signal in signals:
            signal.disconnect(said.append)
    if said:
        raise UserError(said[0])


@contextmanager
def _as_begun_with(window: "MainWindow") -> Iterator[None]:
    """Have what is done count as the state that work by hand begins with: no question asks."""
    files, bench = window.files, window.bench
    was_modified = files.is_modified
    yield
    if not was_modified:
        files.origin.kept = bench.scene
        bench.history_changed.emit()


def is_loop_running() -> bool:
    """Say whether Qt's event loop runs by itself: some program's, or by ``%gui qt`` in IPython."""
    if QThread.currentThread().loopLevel() > 0:
        return True
    get_shell: Callable[[], Any] | None = getattr(builtins, "get_ipython", None)  # IPython's
    shell = get_shell() if get_shell is not None else None
    return str(getattr(shell, "active_eventloop", "")).startswith("qt")


def _begin_application() -> None:
    if threading.current_thread() is not threading.main_thread():
        raise UserError("A window can be opened in the main thread of a program alone.")
    running = QCoreApplication.instance()
    if running is not None and not isinstance(running, QApplication):
        raise UserError("A Qt application without windows runs here: none can be opened in it.")
    app = make_application()
    # IPython makes a bare one; in one that has windows, style and fonts are theirs.
    if app.applicationName() != NAME and not app.topLevelWidgets():
        set_up(app)
