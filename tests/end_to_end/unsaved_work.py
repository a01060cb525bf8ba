"""A program for the tests: it starts the application, and leaves unsaved work or answers for it.

It prints the notice that it is met with. The argument says what follows: ``work`` turns the first
gain by a key, says "kept" once that is on the disk, and goes on; ``change`` turns it too, but says
"changed" without waiting for the disk; ``Recover`` and ``Discard`` press
that button, and ``look`` nothing: these print the first gain and whether there is anything to save,
and end as by a crash. ``save`` turns the gain too, saves to the file named next, and closes.
"""

import os
import sys
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QSlider

from mhagui.document import load_lesson
from mhagui.gui.application import make_application, run
from mhagui.gui.main_window import MainWindow
from mhagui.gui.recovery import Recovery
from mhagui.home import own_home

TASK = sys.argv[1]


def say(*words: object) -> None:
    """Print at once: what comes next may be the end."""
    print(*words, flush=True)


def turn_gain(window: MainWindow) -> None:
    """Turn the first gain up by five steps."""
    slider = window.findChild(QSlider, "gainSlider1")
    slider.setFocus()
    for _ in range(5):
        QTest.keyClick(slider, Qt.Key.Key_Right)


def press(window: MainWindow, text: str) -> None:
    """Press the button of the notice that has this text."""
    buttons = window.notices.findChildren(QPushButton)
    shown = [b for b in buttons if b.isVisible() and b.text().replace("&", "") == text]
    while not shown[0].height():  # its row is laid out in its own time
        QApplication.processEvents()
    QTimer.singleShot(0, agree)
    QTest.mouseClick(shown[0], Qt.MouseButton.LeftButton)


def agree() -> None:
    """Say that what is to be discarded is not wanted."""
    question = QApplication.activeModalWidget()
    if isinstance(question, QMessageBox):
        discard = question.button(QMessageBox.StandardButton.Discard)
        QTest.mouseClick(discard, Qt.MouseButton.LeftButton)


def work(window: MainWindow) -> None:
    """Change something, and say so once the timer, which is in a hurry here, has had it kept."""
    recovery = window.findChild(Recovery)
    recovery._timer.start(20)
    turn_gain(window)
    folder = own_home().state / "recovery"
    while not list(folder.glob("*/unsaved.mhascene")):
        QApplication.processEvents()
    say("kept")


def change(window: MainWindow) -> None:
    """Change something, and say so at once: it is long until the timer would keep that."""
    turn_gain(window)
    say("changed")


def save(window: MainWindow) -> None:
    """Change something, have it kept, save it and close."""
    work(window)
    window.files.write(Path(sys.argv[2]))
    window.close()


def answer(window: MainWindow) -> None:
    """Answer the notice, if so told, and tell what is on the bench then."""
    if TASK != "look":
        press(window, TASK)
    say(window.bench.scene.heads[0].gain, window.files.is_modified)
    os._exit(0)


def begin() -> None:
    """Do what is asked for, once the window is there and has looked for unsaved work."""
    windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
    if windows and windows[0].isVisible():
        QTimer.singleShot(50, partial(do, windows[0]))  # later than what the showing asked for
    else:
        QTimer.singleShot(10, begin)


def do(window: MainWindow) -> None:
    """Tell what is noticed, and go on with the task."""
    notice = window.notices.findChild(QLabel, "notice")
    say(notice.text() if window.notices.isVisible() else "no notice")
    {"work": work, "change": change, "save": save}.get(TASK, answer)(window)


if __name__ == "__main__":
    make_application()
    QTimer.singleShot(0, begin)
    sys.exit(run(load_lesson("four-heads")))
