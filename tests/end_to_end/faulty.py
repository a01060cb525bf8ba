"""A program for the tests: opens a window, has something go wrong, and says what became of it.

Its argument says what: a name of a function below. What it prints is read by the test.
"""

import ctypes
import sys
import threading
import time

from PySide6.QtCore import QMetaObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from mhagui.document import load_lesson
from mhagui.document.edits import SetMasterGain, SetSequenceLength, set_gain
from mhagui.gui import questions
from mhagui.gui.application import make_application, run
from mhagui.gui.export.dialog import ExportDialog
from mhagui.gui.main_window import MainWindow
from mhagui.gui.widgets.matrix_view import MatrixView

CLOSE_AFTER = 0.3  # seconds of a computation that takes longer


def window():
    """Return the window of the program."""
    return next(w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow))


def notice():
    """Return what is told, nothing where there is no notice."""
    bar = window().notices
    return bar.findChild(QLabel, "notice").text() if bar.isVisible() else ""


def close():
    """Close the window as a hand does."""
    window().close()


def show():
    """Print what is told at the start, and close."""
    print(notice(), flush=True)
    close()


def crash():
    """Read where nothing is."""
    ctypes.string_at(0)


def wait():
    """Say that all is ready, and wait for a signal."""
    print("running", flush=True)


def fault():
    """Fail in a slot and in a thread, and go on."""

    def fail(*_):
        raise ZeroDivisionError("on purpose")

    def tell():
        print(notice(), flush=True)
        close()

    threading.Thread(target=fail).start()
    QTimer.singleShot(0, fail)
    QTimer.singleShot(1500, tell)


def spoil():
    """Let no heatmap be painted, enabled or disabled, of which Qt tells it by way of Python."""

    def fail(*_):
        raise ValueError("on purpose")

    MatrixView.paintEvent = MatrixView.changeEvent = fail


def repaint():
    """Have what is spoiled painted, disabled and enabled, and go on."""

    def tell():
        print(notice(), flush=True)
        close()

    window().setEnabled(False)
    window().setEnabled(True)
    QTimer.singleShot(1500, tell)


def close_from_elsewhere():
    """Have the window closed in a while, whatever the window's thread is doing by then."""

    def ask(place):
        time.sleep(CLOSE_AFTER)
        print(time.time(), flush=True)
        QMetaObject.invokeMethod(place, "close", Qt.ConnectionType.QueuedConnection)

    threading.Thread(target=ask, args=(window(),), daemon=True).start()


def after_next_frame(act):
    """Call ``act`` when the next frame has been drawn."""
    bench = window().bench

    def once(_):
        bench.shown.disconnect(once)
        QTimer.singleShot(0, act)

    bench.shown.connect(once)


def length():
    """Close while another length is computed."""
    close_from_elsewhere()
    window().bench.edit(SetSequenceLength(4096))


def gain():
    """Close while all weights of a long scene are computed anew."""

    def change():
        close_from_elsewhere()
        window().bench.edit(SetMasterGain(2.0))
        window().bench.edit(set_gain(1, 3.0))

    after_next_frame(change)
    window().bench.edit(SetSequenceLength(4096))


def rank():
    """Close while singular values are computed."""

    def decompose():
        close_from_elsewhere()
        window().findChild(QPushButton, "computeRankButton").click()

    after_next_frame(decompose)
    window().docks.show(["rankDock"])
    window().bench.edit(SetSequenceLength(2048))


def export():
    """Close the dialog and the window while figures are drawn."""

    def press():
        dialog = window().findChild(ExportDialog)
        dialog.findChild(QPushButton, "exportAll").click()
        dialog.findChild(QPushButton, "exportButton").click()
        QTimer.singleShot(int(1000 * CLOSE_AFTER), dialog.close)
        close_from_elsewhere()

    QTimer.singleShot(0, press)
    ExportDialog(window().bench.frame, parent=window()).exec()


def main(what):
    """Open the window and have ``what`` happen."""
    make_application()
    if what == "repaint":
        spoil()
    questions.ask_to_leave = lambda *_: questions.Leave.DISCARD
    QTimer.singleShot(0, globals()[what])
    return run(load_lesson("four-heads"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
