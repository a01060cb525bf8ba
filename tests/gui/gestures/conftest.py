"""A user before the whole window, with two hands."""

from dataclasses import dataclass
from functools import reduce
from operator import or_

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from mhagui.document import Quantity, load_lesson
from mhagui.document.edits import OpenScene
from mhagui.document.view_state import ViewState
from mhagui.gui.main_window import MainWindow

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
LESSON = load_lesson("four-heads")


def pytest_configure(config):
    line = "gesture(where, keys): does what this line of gui/gestures.py tells"
    config.addinivalue_line("markers", line)


@dataclass
class User:
    """Whoever sits before the window, with two hands."""

    window: MainWindow
    qtbot: QtBot

    def __post_init__(self):
        self.bench = self.window.bench

    @property
    def cursor(self):
        view = self.bench.view.cursor
        return view.query + 1, view.key + 1

    def open(self, scene, dock):
        self.bench.edit(OpenScene(scene))
        self.settle()
        self.window.docks.enter(dock)
        self.settle()

    def hide_docks(self):
        for dock in self.window.docks.all:
            dock.hide()  # what is not looked at is not drawn

    def settle(self):
        for _ in range(3):
            QApplication.processEvents()

    def find(self, name):
        return self.window.findChild(QWidget, name)

    def press(self, *keys, to=None):
        for key in keys:
            *held, last = key if isinstance(key, tuple) else (key,)
            modifiers = reduce(or_, held, NONE)
            QTest.keyClick(to or QApplication.focusWidget(), last, modifiers)
            self.settle()

    def click(self, widget, place=None, modifiers=NONE):
        QTest.mouseClick(widget, LEFT, modifiers, place or widget.rect().center())
        self.settle()

    def drag(self, widget, begin, end, button=LEFT, modifiers=NONE):
        QTest.mousePress(widget, button, modifiers, begin)
        for share in (0.25, 0.5, 0.75, 1.0):
            place = begin + (end - begin) * share
            self.move(widget, place, button, modifiers)
        QTest.mouseRelease(widget, button, modifiers, end)
        self.settle()

    def move(self, widget, place, button, modifiers):
        at, around = QPointF(place), QPointF(widget.mapToGlobal(place))
        event = QMouseEvent(
            QEvent.Type.MouseMove, at, around, Qt.MouseButton.NoButton, button, modifiers
        )
        QApplication.sendEvent(widget, event)

    def wheel(self, widget, notches, place=None, modifiers=NONE):
        place = place or widget.rect().center()
        event = QWheelEvent(
            QPointF(place), QPointF(widget.mapToGlobal(place)), QPoint(), QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton, modifiers, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(widget, event)
        self.settle()


@pytest.fixture
def user(shared_window, light, qtbot):
    user = User(shared_window, qtbot)
    user.hide_docks()
    shared_window.activateWindow()
    interval = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(20)  # a click is waited for so long
    yield user
    QApplication.setDoubleClickInterval(interval)
    user.bench.go_to(0)
    user.bench.look(
        cursor=ViewState.of(LESSON).cursor, enlarged=None, quantity=Quantity.WEIGHTS, stage=0,
        pair=None, what_if=None,
    )  # fmt: skip
    user.hide_docks()
    user.settle()
