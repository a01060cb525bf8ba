"""What an ablation does is in sight beside what is chosen, in docks of any size."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication

from mhagui.gui.widgets.turning_split import TurningSplit

SMALL, WIDE, TALL = (408, 172), (700, 260), (380, 560)  # of docks in usual windows


def in_sight(widget):
    """Say whether no part of a widget is scrolled away or covered."""
    seen = widget.visibleRegion().boundingRect()
    return widget.isVisible() and seen == QRect(QPoint(), widget.size())


@pytest.mark.parametrize("points", [10, 15])
@pytest.mark.parametrize("size", [SMALL, WIDE, TALL])
def test_the_answer_is_in_sight_where_heads_are_chosen(
    dock, settle, qtbot, click_head, set_points, size, points
):
    set_points(points)
    dock.resize(*size)
    for _ in range(3):
        settle()
    before = dock.effect.summary.text()
    click_head(qtbot, dock, 2)
    settle()
    assert dock.effect.summary.text() != before
    assert in_sight(dock.effect.summary)
    assert in_sight(dock.controls.follows)


@pytest.mark.parametrize("size", [SMALL, WIDE, TALL])
def test_nothing_moves_when_another_answer_is_shown(dock, settle, size):
    dock.resize(*size)
    settle()
    split = dock.findChild(TurningSplit)
    before = split.orientation(), split.sizes()
    for button in [*dock.pages, next(iter(dock.pages))]:
        button.click()
        settle()
        assert (split.orientation(), split.sizes()) == before


def test_choices_stand_above_the_answer_in_a_tall_dock_and_beside_it_in_a_wide_one(dock, settle):
    split = dock.findChild(TurningSplit)
    for size, wanted in ((TALL, Qt.Orientation.Vertical), (WIDE, Qt.Orientation.Horizontal)):
        dock.resize(*size)
        settle()
        assert split.orientation() is wanted


def test_the_room_stays_as_the_user_shares_it(dock, settle, qtbot):
    dock.resize(*WIDE)
    settle()
    split = dock.findChild(TurningSplit)
    handle = split.handle(1)
    before, middle = split.sizes()[0], handle.rect().center()
    qtbot.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(handle, middle + QPoint(90, 0))
    qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle)
    settle()
    shared = split.sizes()[0]
    assert shared > before + 60
    dock.controls.keeps_bias.setVisible(True)
    list(dock.pages)[1].click()
    settle()
    assert abs(split.sizes()[0] - shared) <= 2


def test_tab_scrolls_to_what_it_goes_to_in_either_part(dock, settle, qtbot):
    dock.resize(*SMALL)
    for _ in range(2):
        settle()
    dock.take_focus()
    for _ in range(2):  # the second time all parts are scrolled
        stops = []
        while (stop := QApplication.focusWidget()) not in stops and dock.isAncestorOf(stop):
            stops.append(stop)
            seen = stop.mapTo(dock, stop.visibleRegion().boundingRect().center())
            if stop is not dock.effect.plot:  # which its curves cover
                assert not stop.visibleRegion().isEmpty(), stop.objectName()
                assert dock.rect().contains(seen)
            qtbot.keyClick(stop, Qt.Key.Key_Tab)
        assert dock.controls.mute in stops
        dock.take_focus()
