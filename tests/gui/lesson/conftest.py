"""The lesson dock, and what one does with it."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QRadioButton, QWidget

from mhagui.gui.docks.lesson import LessonDock
from mhagui.gui.lesson_session import LessonSession

LEFT = Qt.MouseButton.LeftButton
TITLES = {
    "headsDock": "Heads",
    "heatmapsDock": "Heatmaps",
    "outputProjectionDock": "Output projection",
    "entropyDock": "Entropy",
    "impulseDock": "Impulse",
    "costDock": "Cost",
}


@pytest.fixture
def make(open_dock):
    def make(store=None, width=290, height=700):
        def with_session(bench):
            return LessonDock(bench, LessonSession(bench, store, bench), TITLES)

        return open_dock(with_session, width, height)

    return make


@pytest.fixture
def failed(bench):
    """The sentences about what could not be read or written."""
    sentences = []
    bench.failed.connect(sentences.append)
    return sentences


@pytest.fixture
def dock(make):
    return make()


@pytest.fixture
def click(dock, qtbot, settle):
    """A function that clicks a widget of the dock where it can be seen."""

    def click(name):
        widget = dock.findChild(QWidget, name)
        assert widget.isEnabled()
        dock.widget().ensureWidgetVisible(widget)
        settle()
        place = widget.rect().center()
        if isinstance(widget, QRadioButton):
            place = QPoint(8, widget.height() // 2)
        qtbot.mouseClick(widget, LEFT, pos=place)
        settle()

    return click


@pytest.fixture
def do(bench, settle):
    def do(*edits):
        for edit in edits:
            assert bench.edit(edit)
            settle()

    return do


@pytest.fixture
def choose(dock, qtbot, settle):
    """A function that goes to an exercise with the keys of the box."""

    def choose(number):
        dock.choice.setFocus()
        qtbot.keyClick(dock.choice, Qt.Key.Key_Home)
        for _ in range(number - 1):
            qtbot.keyClick(dock.choice, Qt.Key.Key_Down)
        settle()
        assert dock.page.exercise.number == number

    return choose


@pytest.fixture
def met():
    """A function that gives which checks of the page are met."""

    def met(dock):
        return [line.icon.met for line in dock.page.checks]

    return met


@pytest.fixture
def text_of():
    """A function that gives the text of a label."""

    def text_of(dock, name):
        return dock.findChild(QLabel, name).text()

    return text_of
