"""The application: fonts, theme, the main window, and an orderly end."""

import gc
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from mhagui import __version__
from mhagui._resources import resource_path
from mhagui.crash_traces import traced, traces_left, what_happened
from mhagui.document import Scene, ViewState
from mhagui.document.origin import Origin
from mhagui.fault_log import FaultLog
from mhagui.gui.access import install_roles
from mhagui.gui.collecting import collecting_here
from mhagui.gui.faults import Faults, ended_by_signals, faults_caught
from mhagui.gui.focus_ring import FocusRings
from mhagui.gui.guarded import guard_overrides
from mhagui.gui.icons import application_icon
from mhagui.gui.notices import NoticeBar
from mhagui.gui.theme import apply_theme
from mhagui.gui.widgets.words import plain
from mhagui.home import Home, own_home
from mhagui.settings import ThemeChoice
from mhagui.system_info import info_text, system_info

if TYPE_CHECKING:
    from mhagui.gui.main_window import MainWindow

NAME = "mhagui"
FALLBACK_FONT = "Inter"
FALLBACK_POINTS = 10
COLLECTING_FROM = 1000  # milliseconds after the start
UNSEEN = ("offscreen", "minimal")  # platforms on which nobody could close a message
FRAME = QSize(16, 48)  # about what a window manager puts around a window


def make_application() -> QApplication:
    """Return the one QApplication, in the system's theme, with a font even where there is none."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    app = QApplication(sys.argv[:1])
    set_up(app)
    return app


def set_up(app: QApplication) -> None:
    """Have ``app`` be this program's: its name, style, fonts and theme."""
    app.setApplicationName(NAME)
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("mhagui")
    app.setStyle("Fusion")
    install_roles()
    FocusRings(app)
    if QGuiApplication.platformName() == "offscreen" or not QFontDatabase.families():
        use_bundled_font(app)
    app.setWindowIcon(application_icon())
    apply_theme(ThemeChoice.SYSTEM)


def use_bundled_font(app: QApplication) -> None:
    """Set the font that travels with the program, where there is none or pictures must agree."""
    for path in sorted(resource_path("fonts").glob("*.otf")):
        QFontDatabase.addApplicationFont(str(path))
    font = app.font()
    font.setFamily(FALLBACK_FONT)
    font.setPointSize(FALLBACK_POINTS)
    app.setFont(font)


def run(
    scene: Scene,
    origin: Origin | None = None,
    view: ViewState | None = None,
    home: Home | None = None,
    opened: Path | None = None,
    prompt: str | None = None,
    *,
    by_words: bool = False,
) -> int:
    """Show ``scene`` in a window and return the exit status when it is closed or interrupted.

    The scene has an ``origin``, its file say, and is looked at as in ``view``. What the program
    keeps is in ``home``, that of whoever runs it unless given. What else is to be ``opened``,
    tensors or a model, follows, ``by_words`` where it can be; a model is run at once where there is
    a ``prompt``.
    """
    home = home or own_home()
    log = FaultLog(home.logs)
    crashes = traces_left(home.state)
    faults = Faults(log)
    with collecting_here() as begin, traced(home.state), faults_caught(faults):
        app = make_application()
        window = _open_window(scene, origin, view, home, log)
        faults.tell_in(window.notices)
        _tell_of(crashes, window.notices, log)
        QTimer.singleShot(COLLECTING_FROM, partial(_collect_garbage, begin))
        if opened is not None:
            start = partial(window.openings.open, opened, prompt, by_words=by_words)
            QTimer.singleShot(0, window, start)
        with ended_by_signals(app, window.keep_now):
            status = app.exec()
        window.deleteLater()
        app.processEvents()
    log.close()
    if threading.active_count() > 1:
        _end_at_once(status)
    return status


def _open_window(
    scene: Scene, origin: Origin | None, view: ViewState | None, home: Home, log: FaultLog
) -> "MainWindow":
    """Open the window; say on the screen as well where that fails, for who sees no terminal."""
    try:
        # The window pulls in pyqtgraph, which looks for a running application when it is imported.
        from mhagui.gui.main_window import MainWindow

        guard_overrides()
        window = MainWindow(scene, home=home, origin=origin, view=view, is_start=True)
        window.docks.imported.connect(guard_overrides)
        window.resize(window.size().boundedTo(window.screen().availableSize() - FRAME))
        window.show()
    except Exception as error:
        if QGuiApplication.platformName() not in UNSEEN:
            _say_in_a_box(error, log)
        raise
    return window


def _say_in_a_box(error: Exception, log: FaultLog) -> None:
    text = f"mhagui cannot start: {type(error).__name__}: {error}"
    QMessageBox.critical(None, "mhagui", plain(f"{text}\n\nWhat led to it will be in {log.path}."))


def _tell_of(crashes: list[str], notices: NoticeBar, log: FaultLog) -> None:
    """Tell that earlier windows have crashed, once, with all that is known of it."""
    for trace in crashes:
        log.write(f"An earlier window crashed:\n{trace}")
    if crashes:
        info = info_text(system_info())
        notices.tell(
            f"mhagui crashed last time ({what_happened(crashes[0])}).",
            "\n\n".join([*crashes, info]),
            folder=log.path.parent,
        )


def _end_at_once(status: int) -> NoReturn:
    """End without the clean-up that would free what a decomposition still works with and crash."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)


def _collect_garbage(begin: Callable[[], None]) -> None:
    """Look for garbage from now on, but never in what a start makes, which is there to stay."""
    gc.freeze()
    begin()
