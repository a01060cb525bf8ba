"""What mouse and keyboard do in the heatmaps: the one cursor, and one head alone."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QComboBox

from mhagui.document import Cursor, load_lesson
from mhagui.document.edits import RemoveHead
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.widgets.matrix_view import MatrixView

LEFT = Qt.MouseButton.LeftButton
KEY = Qt.Key


@pytest.fixture
def dock(open_dock):
    return open_dock(HeatmapsDock, 900, 700)


def view(dock, place):
    return dock.findChild(MatrixView, f"heatmap{place}")


def focus(dock, place, qtbot):
    dock.activateWindow()
    view(dock, place).setFocus()
    qtbot.waitUntil(view(dock, place).hasFocus)


def shown_places(dock):
    return [
        int(heatmap.objectName().removeprefix("heatmap"))
        for heatmap in dock.findChildren(MatrixView)
        if heatmap.isVisible()
    ]


# --- the cursor


def test_hover_moves_the_one_cursor(dock, bench, qtbot, settle):
    qtbot.mouseMove(view(dock, 3), view(dock, 3).cell_rect(4, 1).center())
    cursor = bench.view.cursor
    assert (cursor.head, cursor.query, cursor.key) == (3, 4, 1)
    settle()
    assert [view(dock, place).cursor_cell for place in (1, 2, 3, 4)] == [(4, 1)] * 4


def test_cursor_is_painted_in_every_head(dock, bench, settle, grabbed):
    bench.point(query=0, key=0)
    settle()
    before = [grabbed(view(dock, place)) for place in (1, 2, 3, 4)]
    bench.point(query=5, key=5)
    settle()
    for place, old in zip((1, 2, 3, 4), before, strict=True):
        box = view(dock, place).cell_rect(5, 5)
        edge = np.s_[box.top() - 2 : box.top() + 1, box.center().x()]
        assert (grabbed(view(dock, place))[edge] != old[edge]).any()


def test_hover_is_no_edit(dock, bench, qtbot):
    scene = bench.scene
    qtbot.mouseMove(view(dock, 3), view(dock, 3).cell_rect(4, 1).center())
    assert bench.scene is scene
    assert bench.history.undo_text is None


def test_arrow_keys_move_the_cursor_in_the_focused_head(dock, bench, qtbot):
    focus(dock, 2, qtbot)
    bench.point(head=1, query=3, key=2)
    QApplication.processEvents()
    qtbot.keyClick(view(dock, 2), KEY.Key_Down)
    qtbot.keyClick(view(dock, 2), KEY.Key_End)
    cursor = bench.view.cursor
    assert (cursor.head, cursor.query, cursor.key) == (2, 4, 5)


@pytest.mark.parametrize("part", ["title", "beside the cells"])
def test_a_press_beside_the_cells_chooses_the_head_and_leaves_the_cell(
    dock, bench, qtbot, settle, part
):
    focus(dock, 1, qtbot)
    bench.point(query=4, key=2)
    card = view(dock, 3).parentWidget()
    if part == "title":
        qtbot.mouseClick(card.title, LEFT)
    else:
        qtbot.mouseClick(view(dock, 3), LEFT, pos=QPoint(1, 1))
    settle()
    cursor = bench.view.cursor
    assert (cursor.head, cursor.query, cursor.key) == (3, 4, 2)
    assert view(dock, 3).hasFocus()


# --- one head alone


def test_double_click_enlarges_and_takes_back(dock, bench, qtbot, settle):
    small = view(dock, 2).cell_rect(0, 0).width()
    qtbot.mouseDClick(view(dock, 2), LEFT, pos=view(dock, 2).cell_rect(3, 1).center())
    settle()
    assert bench.view.enlarged == 2
    assert (bench.view.cursor.query, bench.view.cursor.key) == (3, 1)
    assert shown_places(dock) == [2]
    assert view(dock, 2).cell_rect(0, 0).width() > 1.5 * small
    qtbot.mouseDClick(view(dock, 2), LEFT, pos=view(dock, 2).cell_rect(0, 0).center())
    settle()
    assert bench.view.enlarged is None
    assert shown_places(dock) == [1, 2, 3, 4]


def test_a_double_click_on_a_card_that_has_just_gone_does_nothing(dock, bench, qtbot, settle):
    settle()
    gone, at = view(dock, 4), QPointF(view(dock, 4).cell_rect(0, 0).center())
    bench.edit(RemoveHead(4))
    QApplication.processEvents()  # the frame is drawn, the card not deleted yet
    assert shown_places(dock) == [1, 2, 3]
    click = QMouseEvent(
        QEvent.Type.MouseButtonDblClick, at, at, LEFT, LEFT, Qt.KeyboardModifier.NoModifier
    )
    with qtbot.captureExceptions() as raised:
        QApplication.sendEvent(gone, click)
        settle()
    assert raised == []
    assert bench.view.enlarged is None
    assert shown_places(dock) == [1, 2, 3]


def test_enter_and_a_click_ask_for_the_cell_under_the_cursor(dock, bench, qtbot, settle):
    focus(dock, 3, qtbot)
    bench.point(query=4, key=2)
    settle()
    with qtbot.waitSignal(dock.cell_asked):
        qtbot.keyClick(view(dock, 3), KEY.Key_Return)
    cursor = bench.view.cursor
    assert (cursor.head, cursor.query, cursor.key) == (3, 4, 2)
    with qtbot.waitSignal(dock.cell_asked):
        qtbot.mouseClick(view(dock, 2), LEFT, pos=view(dock, 2).cell_rect(5, 1).center())
    cursor = bench.view.cursor
    assert (cursor.head, cursor.query, cursor.key) == (2, 5, 1)
    assert bench.view.enlarged is None


def test_shift_enter_and_escape_keep_the_focus_in_the_head(dock, bench, qtbot, settle):
    focus(dock, 3, qtbot)
    qtbot.keyClick(view(dock, 3), KEY.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    settle()
    assert bench.view.enlarged == 3
    assert view(dock, 3).hasFocus()
    qtbot.keyClick(view(dock, 3), KEY.Key_Escape)
    settle()
    assert bench.view.enlarged is None
    assert view(dock, 3).hasFocus()


def test_focus_follows_when_another_head_is_enlarged(dock, bench, qtbot, settle):
    focus(dock, 1, qtbot)
    bench.look(enlarged=4)
    settle()
    assert shown_places(dock) == [4]
    assert view(dock, 4).hasFocus()


def test_focus_follows_the_cursors_head_when_another_scene_is_laid_out(dock, bench, qtbot, settle):
    focus(dock, 1, qtbot)
    settle()
    scene = load_lesson("four-heads")
    seen = replace(bench.view, cursor=Cursor(3, 5, 2))
    bench.open(replace(scene, title="found again"), view=seen)
    settle()
    assert view(dock, 3).hasFocus()
    assert [view(dock, place).hasFocus() for place in (1, 2, 4)] == [False] * 3


def test_no_focus_is_taken_from_elsewhere_when_another_scene_is_laid_out(dock, bench, settle):
    box = dock.findChild(QComboBox, "colourScale")
    box.setFocus()
    seen = replace(bench.view, cursor=Cursor(3, 5, 2))
    bench.open(replace(load_lesson("four-heads"), title="found again"), view=seen)
    settle()
    assert box.hasFocus()


def test_button_enlarges_and_takes_back(dock, bench, qtbot, settle):
    card = view(dock, 4).parentWidget()
    qtbot.mouseClick(card.button, LEFT)
    settle()
    assert bench.view.enlarged == 4
    assert card.button.accessibleName() == "Show all heads again (Esc)"
    qtbot.mouseClick(card.button, LEFT)
    settle()
    assert bench.view.enlarged is None


def test_enlarged_head_that_is_removed_gives_way_to_all(dock, bench, settle):
    bench.look(enlarged=2)
    settle()
    bench.edit(RemoveHead(2))
    settle()
    assert shown_places(dock) == [1, 2, 3]
