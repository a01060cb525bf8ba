"""Whoever does not see the window is told what every widget is, and what changes."""

import re
import subprocess
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDockWidget,
    QLabel,
    QRadioButton,
    QWidget,
)

from mhagui.document import Quantity, load_lesson
from mhagui.document.edits import set_gain
from mhagui.document.exercise_list import exercises
from mhagui.gui import access
from mhagui.gui import announcer as announcer_module
from mhagui.gui.about import AboutDialog, SceneDialog
from mhagui.gui.access import ROLES, install_roles
from mhagui.gui.announcer import Announcer
from mhagui.gui.command_palette import CommandPalette
from mhagui.gui.describe import DescribeDialog
from mhagui.gui.details_dialog import DetailsDialog
from mhagui.gui.docks.target_dialog import TargetDialog
from mhagui.gui.export.dialog import ExportDialog
from mhagui.gui.layout_dialog import LayoutNameDialog
from mhagui.gui.main_window import MainWindow
from mhagui.gui.motion_dialog import MotionDialog
from mhagui.gui.new_scene import NewSceneDialog
from mhagui.gui.shortcuts import ShortcutsDialog

Name, Role = QAccessible.Text.Name, QAccessible.Role


@pytest.fixture(scope="module", autouse=True)
def roles(fusion):
    """Give roles as the application does."""
    install_roles()


def told(widget):
    """What assistive technology is told: name and role."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(Name), interface.role()


def is_used(widget):
    """Whether somebody may bring the focus to a widget, or click it."""
    if isinstance(widget, QLabel) and not widget.text():
        return False  # one could be selected from it, but there is nothing
    takes_focus = widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.focusProxy() is None
    return takes_focus or (isinstance(widget, QAbstractButton) and widget.isEnabled())


def faults(root):
    """What is wrong with the widgets of ``root`` that can be seen and used."""
    found = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or not is_used(widget):
            continue
        name, role = told(widget)
        if isinstance(widget, QComboBox):  # on Linux it is called what is chosen in it
            name = widget.accessibleName()
        if not re.search(r"\w", name):
            found.append(f"{widget} has no name, {name!r}")
        if role in (Role.NoRole, Role.Client):
            found.append(f"{widget} has the role {role}")
    return found


@pytest.fixture(params=["four-heads", "induction"])
def window(request, open_window):
    return open_window(request.param)


def test_every_widget_of_every_dock_has_a_name_and_a_role(window, settle):
    for dock in window.docks.all:
        window.docks.enter(dock)
        settle()
        assert dock.is_in_sight()
        assert faults(dock) == []
    parts = [part for part in window.children() if isinstance(part, QWidget)]
    for part in parts:
        assert isinstance(part, QDockWidget) or faults(part) == []


@pytest.mark.parametrize("window", ["four-heads"], indirect=True)
def test_so_have_the_docks_other_pages(window, settle):
    ablation = window.findChild(QWidget, "showAblationSite")
    window.docks.enter(window.docks.filter_bank)
    ablation.click()
    settle()
    assert faults(window.docks.filter_bank) == []
    window.docks.enter(window.docks.lesson)
    for exercise in exercises():
        window.docks.lesson.session.choose(exercise.number)
        settle()
        assert faults(window.docks.lesson) == []
    window.docks.enter(window.docks.weights)
    for radio in window.docks.weights.findChildren(QRadioButton):
        radio.click()
        settle()
        assert faults(window.docks.weights) == []


DIALOGS = {
    "export": ExportDialog,
    "animate": MotionDialog,
    "target": lambda frame: TargetDialog(frame, 1),
    "about the scene": lambda frame: SceneDialog(frame.scene),
    "about": lambda _frame: AboutDialog(),
    "details": lambda _frame: DetailsDialog("It failed.", "how it failed"),
    "new": lambda _frame: NewSceneDialog(),
    "describe": lambda frame: DescribeDialog(frame.scene),
    "layout": lambda _frame: LayoutNameDialog(["mine"]),
}


@pytest.mark.parametrize("make", DIALOGS.values(), ids=DIALOGS)
def test_so_has_every_widget_of_a_dialog(bench, qtbot, settle, make):
    dialog = make(bench.frame)
    qtbot.addWidget(dialog)
    dialog.show()
    settle()
    assert faults(dialog) == []
    dialog.close()


@pytest.mark.parametrize("window", ["four-heads"], indirect=True)
@pytest.mark.parametrize("key", [Qt.Key.Key_P, Qt.Key.Key_Slash], ids=["palette", "shortcuts"])
def test_so_have_the_palette_and_the_list_of_shortcuts(window, qtbot, settle, key):
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(window, key, control | shift if key == Qt.Key.Key_P else control)
    settle()
    kind = CommandPalette if key == Qt.Key.Key_P else ShortcutsDialog
    shown = window.findChild(kind)
    assert shown.isVisible()
    assert faults(shown) == []
    shown.close()


@pytest.mark.qt_log_ignore("This plugin does not support grabbing the keyboard")
def test_the_list_of_a_box_bears_the_name_of_the_box(heads_dock, qtbot):
    box = heads_dock.findChild(QComboBox, "patternBox1")
    box.showPopup()
    qtbot.waitUntil(box.view().isVisible)
    assert told(box.view()) == (box.accessibleName(), Role.List)
    assert box.accessibleName() == "Pattern of h1"
    box.hidePopup()


def test_every_kind_that_is_painted_here_has_its_role(qtbot, settle):
    window = MainWindow(load_lesson("four-heads"))
    qtbot.addWidget(window)
    widgets = window.findChildren(QWidget)
    for kind, role in ROLES.items():
        found = [w for w in widgets if kind in [base.__name__ for base in type(w).mro()]]
        assert found, kind
        assert {told(widget)[1] for widget in found} == {role}
    window.close()


# --- what is said


class Listener:
    """Assistive technology that writes down what it is told, where somebody uses it."""

    def __init__(self):
        self.said = []

    def isActive(self):  # noqa: N802 - stands for QAccessible
        return True

    def updateAccessibility(self, event):  # noqa: N802 - stands for QAccessible
        assert event.politeness() is QAccessible.AnnouncementPoliteness.Polite
        self.said.append(event.message())


@pytest.fixture
def listener(monkeypatch):
    listener = Listener()
    monkeypatch.setattr(access, "QAccessible", listener)
    return listener


@pytest.fixture
def announcer(bench, qtbot, monkeypatch):
    """An announcer of the bench, which takes a cursor to be at rest at once."""
    monkeypatch.setattr(announcer_module, "REST_MILLISECONDS", 0)
    widget = QWidget()
    qtbot.addWidget(widget)
    return Announcer(bench, widget)


def test_a_cell_that_the_cursor_comes_to_is_said(bench, announcer, listener, settle):
    bench.point(head=2, query=3, key=2)
    settle()
    assert listener.said == ["head 2, row t4, column t3, weight 0.9233, 3.69 times uniform."]


def test_of_cells_passed_in_one_frame_the_last_is_said(bench, announcer, listener, settle):
    for key in range(4):
        bench.point(query=3, key=key)
    settle()
    assert len(listener.said) == 1
    assert listener.said[0].startswith("head 1, row t4, column t4, weight ")


def test_of_cells_passed_by_a_key_that_is_held_the_last_is_said(
    bench, announcer, listener, settle, qtbot, monkeypatch
):
    monkeypatch.setattr(announcer_module, "REST_MILLISECONDS", 200)
    for key in range(4):
        bench.point(query=3, key=key)
        settle()
    assert listener.said == []
    qtbot.waitUntil(lambda: bool(listener.said))
    (said,) = listener.said
    assert said.startswith("head 1, row t4, column t4, weight ")


def test_a_masked_cell_and_a_score_are_said_as_such(bench, announcer, listener, settle):
    bench.point(head=3, query=1, key=4)
    settle()
    bench.point(head=1, query=3, key=0)
    bench.look(quantity=Quantity.SCORES)
    settle()
    assert listener.said == [
        "head 3, row t2, column t5, masked.",
        "head 1, row t4, column t1, score 2.1213.",
    ]


def test_a_number_that_changes_under_a_cursor_at_rest_is_not_said(
    bench, announcer, listener, settle
):
    bench.edit(set_gain(1, 2.0))
    settle()
    assert listener.said == []


def test_sentences_of_one_moment_are_said_at_once(announcer, listener, settle):
    announcer.say("Saved to a.mhascene")
    announcer.say("Exercise 2 done.")
    settle()
    assert listener.said == ["Saved to a.mhascene. Exercise 2 done."]


@pytest.mark.parametrize("window", ["four-heads"], indirect=True)
def test_what_is_refused_and_what_an_exercise_says_is_said(window, listener, settle):
    window.bench.refused.emit("A head must stay.")
    settle()
    window.docks.lesson.session.said.emit("Exercise 2 is done")
    settle()
    assert listener.said == ["A head must stay.", "Exercise 2 is done."]


def test_nothing_is_told_where_nothing_listens(bench, announcer, listener, settle, monkeypatch):
    monkeypatch.setattr(listener, "isActive", lambda: False)
    announcer.say("Saved to a.mhascene")
    bench.point(query=3)
    settle()
    assert listener.said == []


def test_the_cell_is_the_description_of_the_heatmap_with_the_focus(open_window, qtbot, settle):
    window = open_window()
    window.bench.point(head=2, query=2, key=2)
    window.docks.enter(window.docks.heatmaps)
    settle()
    view = QApplication.focusWidget()
    qtbot.keyClick(view, Qt.Key.Key_Down)
    settle()
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface.text(Name) == "Weights A of head 2, previous token"
    description = interface.text(QAccessible.Text.Description)
    assert description == "row t4, column t3, weight 0.9233"
    window.close()


def test_the_window_goes_on_under_a_screen_reader(open_window, qtbot, settle, unsaved):
    QAccessible.setActive(True)
    try:
        window = open_window()
        for dock in window.docks.all:
            window.docks.enter(dock)
            qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
            settle()
        assert window.close()
        assert unsaved == ["four heads"]
    finally:
        QAccessible.setActive(False)


def test_the_program_itself_gives_painted_widgets_their_roles():
    program = """
from PySide6.QtGui import QAccessible
from mhagui.gui.application import make_application
app = make_application()
from mhagui.gui.widgets.matrix_view import MatrixView
view = MatrixView()
print(QAccessible.queryAccessibleInterface(view).role().name)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "Graphic\n"
