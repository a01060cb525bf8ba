"""The application: fonts, theme, the main window, and an orderly end."""

import gc
import os
import sys
import threading
from typing import NoReturn

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QApplication

from mhagui import __version__
from mhagui._resources import resource_path
from mhagui.document import Scene
from mhagui.gui.faults import ended_by_signals, faults_shown
from mhagui.gui.icons import application_icon
from mhagui.gui.theme import ThemeChoice, apply_theme

FALLBACK_FONT = "Inter"
FALLBACK_POINTS = 10
COLLECTING_FROM = 1000  # milliseconds after the start
FRAME = QSize(16, 48)  # about what a window manager puts around a window


def make_application() -> QApplication:
    """Return the one QApplication, in the system's theme, with a font even where there is none."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    app = QApplication(sys.argv[:1])
    app.setApplicationName("mhagui")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("mhagui")
    app.setStyle("Fusion")
    if QGuiApplication.platformName() == "offscreen" or not QFontDatabase.families():
        use_bundled_font(app)
    app.setWindowIcon(application_icon())
    apply_theme(ThemeChoice.SYSTEM)
    return app


def use_bundled_font(app: QApplication) -> None:
    """Set the font that travels with the program, where there is none or pictures must agree."""
    for path in sorted(resource_path("fonts").glob("*.otf")):
        QFontDatabase.addApplicationFont(str(path))
    font = app.font()
    font.setFamily(FALLBACK_FONT)
    font.setPointSize(FALLBACK_POINTS)
    app.setFont(font)


def run(scene: Scene) -> int:
    """Show ``scene`` in a window and return the exit status when it is closed or interrupted."""
    gc.disable()  # what a start makes is there to stay
    app = make_application()
    # The window pulls in pyqtgraph, which looks for a running application when it is imported.
    from mhagui.gui.main_window import MainWindow
    from mhagui.gui.progress_store import own_store

    window = MainWindow(scene, store=own_store())
    window.resize(window.size().boundedTo(window.screen().availableSize() - FRAME))
    window.show()
    QTimer.singleShot(COLLECTING_FROM, _collect_garbage)
    with ended_by_signals(app), faults_shown(window.refuse):
        status = app.exec()
    window.deleteLater()
    app.processEvents()
    if threading.active_count() > 1:
        _end_at_once(status)
    return status


def _end_at_once(status: int) -> NoReturn:
    """End without the clean-up that would free what a decomposition still works with and crash."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)


def _collect_garbage() -> None:
    """Look for garbage from now on, but not again and again in what was there before."""
    gc.freeze()
    gc.enable()
