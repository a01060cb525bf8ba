"""All six exercises in the main window, once with the mouse and once with the keyboard alone."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QTabBar,
    QTableView,
    QWidget,
)

from mhagui.document import load_lesson
from mhagui.document.exercise_list import exercises
from mhagui.document.exercises import Choice
from mhagui.gui.main_window import MainWindow
from mhagui.gui.widgets.column_scroll import ColumnScroll

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
Key = Qt.Key


class User:
    """What both users do alike: look for things, and see what comes of it."""

    def __init__(self, window, qtbot, settle, wheel):
        self.window, self.qtbot, self.settle, self.wheel = window, qtbot, settle, wheel

    def find(self, kind, name):
        widget = self.window.findChild(kind, name)
        assert widget is not None, name
        return widget

    @property
    def focus(self):
        return QApplication.focusWidget() or self.window

    def keys(self, text):
        for char in text:  # one by one: the first may open an editor that takes the others
            self.qtbot.keyClicks(self.focus, char)

    def key(self, key, modifier=NO_KEYS):
        self.qtbot.keyClick(self.focus, key, modifier)
        self.settle()


class Mouse(User):
    """Clicks; and types numbers where there is no other way."""

    def click(self, widget, place=None):
        assert widget.isEnabled()
        scroll = widget.parentWidget()
        while scroll is not None and not isinstance(scroll, ColumnScroll):
            scroll = scroll.parentWidget()
        if scroll is not None:
            scroll.ensureWidgetVisible(widget)  # by its wheel
            self.settle()
        assert not widget.visibleRegion().isEmpty(), widget
        self.qtbot.mouseClick(widget, LEFT, pos=place or widget.rect().center())
        self.settle()

    def front(self, title):
        bars = self.window.findChildren(QTabBar)
        bar, index = next(
            (bar, i) for bar in bars for i in range(bar.count()) if bar.tabText(i) == title
        )
        self.click(bar, bar.tabRect(index).center())

    def press(self, name):
        self.click(self.find(QWidget, name))

    def option(self, name):
        self.click(self.find(QWidget, name).parentWidget().label)

    def select_head(self, number):
        card = self.find(QWidget, f"headCard{number}")
        self.click(card, QPoint(card.width() // 2, card.height() - 4))

    def type(self, name, text):
        field = self.find(QWidget, name)
        edit = field if isinstance(field, QLineEdit) else field.findChild(QLineEdit)
        self.click(edit)
        self.key(Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        self.keys(text)
        self.key(Key.Key_Return)

    def preset(self, name):
        self.click(self.find(QWidget, "projectionPresets"))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        action = next(a for a in menu.actions() if a.objectName() == f"preset{name}")
        self.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
        self.settle()

    def choose(self, name, text):
        box = self.find(QComboBox, name)
        box.setFocus(Qt.FocusReason.MouseFocusReason)  # as a click would, with a list that opens
        wanted = box.findText(text, Qt.MatchFlag.MatchStartsWith)
        while box.currentIndex() != wanted:
            self.wheel(box, 120 if box.currentIndex() > wanted else -120)
            self.settle()

    def cell(self, name, row, column):
        table = self.find(QTableView, name)
        self.click(table.viewport(), table.visualRect(table.model().index(row, column)).center())

    take_row = cell


class Keyboard(User):
    """Tab, arrows, Space, Enter, and texts."""

    def go(self, wanted):
        for _ in range(400):
            if wanted(self.focus):
                return
            self.key(Key.Key_Tab)
        raise AssertionError(f"Tab never came there; it is at {self.focus}")

    def go_to(self, name):
        self.go(lambda widget: widget.objectName() == name)

    def front(self, title):
        def is_it(bar):
            return isinstance(bar, QTabBar) and title in map(bar.tabText, range(bar.count()))

        self.go(is_it)
        bar = self.focus
        for key in [Key.Key_Left] * bar.count() + [Key.Key_Right] * bar.count():
            if bar.tabText(bar.currentIndex()) == title:
                return
            self.key(key)
        assert bar.tabText(bar.currentIndex()) == title

    def press(self, name):
        self.go_to(name)
        self.key(Key.Key_Space)

    def option(self, name):
        first, number = name.split("Option")
        self.go_to(f"{first}Option1")
        self.key(Key.Key_Space)
        for _ in range(int(number) - 1):
            self.key(Key.Key_Down)

    def select_head(self, number):
        self.go_to(f"heatmap{number}")
        self.key(Key.Key_Left)
        self.key(Key.Key_Right)

    def type(self, name, text):
        self.go_to(name)
        self.key(Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        self.keys(text)
        self.key(Key.Key_Return)

    def preset(self, name):
        self.press("projectionPresets")
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        for _ in menu.actions():
            self.qtbot.keyClick(menu, Key.Key_Down)
            if menu.activeAction().objectName() == f"preset{name}":
                break
        self.qtbot.keyClick(menu, Key.Key_Return)
        self.settle()

    def choose(self, name, text):
        self.go_to(name)
        box = self.focus
        self.key(Key.Key_Home)
        while not box.currentText().startswith(text):
            self.key(Key.Key_Down)

    def cell(self, name, row, column):
        self.go_to(name)
        self.key(Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
        for _ in range(row):
            self.key(Key.Key_Down)
        for _ in range(column):
            self.key(Key.Key_Right)

    def take_row(self, name, row, column):
        self.cell(name, row, column)
        self.key(Key.Key_Return)


@pytest.fixture(params=[Mouse, Keyboard])
def user(request, qtbot, bundled_font, settle, wheel):
    window = MainWindow(load_lesson("four-heads"))
    window.resize(1280, 800)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    settle()
    yield request.param(window, qtbot, settle, wheel)
    window.close()


def begin(user, number):
    user.front("Lesson")
    user.choose("lessonExercise", f"{number} ")
    user.press("lessonStart")
    assert not any(check_states(user))


def check_states(user):
    return [line.icon.met for line in user.window.docks.lesson.page.checks]


def finish(user, number):
    """Answer all questions, and see that nothing is missing."""
    user.front("Lesson")
    assert all(check_states(user))
    for place, question in enumerate(exercises()[number - 1].questions, 1):
        if isinstance(question, Choice):
            user.option(f"question{place}Option{question.right + 1}")
            user.press(f"question{place}Check")
        else:
            user.type(f"question{place}Number", f"{question.right:.3f}")
        assert user.find(QLabel, f"question{place}Verdict").text() == "Right"
    assert user.find(QWidget, "lessonWhy").isVisible()
    assert user.window.docks.lesson.session.progress.scenes.keys() == {number}


@pytest.mark.qt_log_ignore("This plugin does not support grabbing the keyboard")  # for menus
def test_exercise_1(user):
    begin(user, 1)
    user.preset("Identity")
    user.preset("Swap")
    user.cell("outputProjectionTable", 0, 0)
    user.keys("0.5")
    user.key(Key.Key_Return)
    finish(user, 1)


@pytest.mark.parametrize(("number", "rows"), [(2, 6), (5, 2)])
def test_exercises_2_and_5(user, number, rows):
    begin(user, number)
    user.press("show_costDock")
    for row in range(rows):
        user.take_row(f"costExercise{number}", row, 0)
    finish(user, number)


def test_exercise_3(user):
    begin(user, 3)
    user.press("show_headsDock")
    for number in (1, 3, 5, 7):
        user.select_head(number)
        user.press("duplicateHeadButton")
    user.type("gainBox4", "2")
    finish(user, 3)


def test_exercise_4(user):
    begin(user, 4)
    user.press("show_headsDock")
    user.choose("patternBox1", "two positions")
    user.type("gainBox1", "3")
    user.type("gainBox3", "4")
    finish(user, 4)


def test_exercise_6(user):
    begin(user, 6)
    user.press("show_headsDock")
    user.type("keyMagnitudeBox1", "6")
    user.type("keyMagnitudeBox1", "9")
    user.type("keyMagnitudeBox1", "3")
    user.front("Lesson")
    user.press("solverSet")
    finish(user, 6)
