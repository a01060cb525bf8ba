"""The window follows the size of the system's type, at the start and while it runs."""

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QSizePolicy,
    QTabBar,
    QWidget,
)

from mhagui.gui.export.dialog import ExportDialog
from mhagui.gui.export.side import Sides
from mhagui.gui.layouts import PRESENT
from mhagui.gui.motion_dialog import MotionDialog
from mhagui.gui.widgets.fitting_label import FittingLabel

KINDS = (QLabel, QAbstractButton, QComboBox, QAbstractSpinBox)


@pytest.fixture
def open_drawn(open_window, settle):
    """A function that opens the window, with all of it drawn."""

    def open_drawn(lesson="four-heads"):
        window = open_window(lesson)
        for _ in window.docks.all:
            settle()
        return window

    return open_drawn


def is_cut(widget):
    """Whether a widget has less room than what is written in it needs."""
    if isinstance(widget, FittingLabel):
        lines = widget.text().split("\n")
        return max(map(QFontMetrics(widget.font()).horizontalAdvance, lines)) > widget.width()
    if isinstance(widget, QLabel) and widget.wordWrap():
        return widget.heightForWidth(widget.width()) > widget.height() + 1
    if isinstance(widget, QAbstractButton) and not widget.text():
        return False
    if widget.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Ignored:
        return False  # a remark that is not written where there is no room
    need = widget.sizeHint() if isinstance(widget, QLabel) else widget.minimumSizeHint()
    return need.width() > widget.width() + 1 or need.height() > widget.height() + 1


def cut(root):
    """Everything below ``root`` that can be seen and is cut."""
    widgets = [w for w in root.findChildren(QWidget) if isinstance(w, KINDS) and w.isVisible()]
    assert widgets
    return [f"{w} {w.text() if hasattr(w, 'text') else ''}" for w in widgets if is_cut(w)]


def cut_in_docks(window, settle):
    found = []
    for dock in window.docks.all:
        window.docks.show([dock.objectName()])
        for _ in range(4):
            settle()
        found += [f"{dock.windowTitle()}: {words}" for words in cut(dock)]
    return found


@pytest.mark.parametrize(
    ("lesson", "points"),
    [
        ("four-heads", 9),
        pytest.param("four-heads", 14, marks=pytest.mark.thorough),  # between the other two
        ("four-heads", 18),
        ("induction", 18),
    ],
)
def test_nothing_is_cut_in_a_window_that_opens_in_other_type(
    open_drawn, set_points, settle, lesson, points
):
    set_points(points)
    window = open_drawn(lesson)
    assert window.font().pointSize() == points
    found = cut_in_docks(window, settle)
    assert found == [], "\n".join(found)


def test_nothing_is_cut_when_the_type_changes_while_it_runs(open_drawn, set_points, settle):
    window = open_drawn()
    for points in (18, 10):
        set_points(points)
        settle()
        found = cut_in_docks(window, settle)
        assert found == [], "\n".join(found)


def test_the_tabs_take_the_room_that_their_words_need(open_drawn, set_points, settle):
    set_points(18)
    window = open_drawn()
    bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible()]
    assert bars
    for bar in bars:
        for tab in range(bar.count()):
            words = bar.fontMetrics().size(0, bar.tabText(tab))
            assert bar.tabRect(tab).width() > words.width()
            assert bar.tabRect(tab).height() >= words.height()


def test_large_type_has_a_layout_for_a_small_screen(open_drawn, set_points, settle):
    set_points(14)
    window = open_drawn()
    window.docks.apply(PRESENT)
    settle()
    assert window.minimumSizeHint().width() <= 1024


@pytest.mark.parametrize(("points", "screen"), [(10, (1024, 700)), (12, (1280, 720))])
def test_all_docks_have_room_in_the_default_layout(open_drawn, set_points, settle, points, screen):
    set_points(points)
    window = open_drawn("induction")
    settle()
    least = window.minimumSizeHint()
    assert least.width() <= screen[0]
    assert least.height() <= screen[1]


@pytest.mark.parametrize("kind", [ExportDialog, MotionDialog])
@pytest.mark.parametrize("points", [9, 14, 18])
def test_nothing_is_cut_in_a_dialog(bench, qtbot, settle, set_points, points, kind):
    set_points(points)
    dialog = kind(bench.frame)
    qtbot.addWidget(dialog)
    dialog.show()
    sides = dialog.findChild(Sides)
    for number in range(sides.count()):
        sides.setCurrentIndex(number)
        settle()
        assert cut(dialog) == []
    dialog.close()
