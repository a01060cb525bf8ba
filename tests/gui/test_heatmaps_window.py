"""The heatmaps in the window: reached by Tab, and all to be seen at its first size."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QRadioButton,
    QTableView,
    QToolButton,
    QWidget,
)

from mhagui.document import ColourScale, Pattern, Quantity
from mhagui.document.edits import AddHead, RemoveHead
from mhagui.document.new_scene import new_scene
from mhagui.gui.widgets.matrix_grid import CardGrid
from mhagui.gui.widgets.matrix_view import MatrixView

HEATMAPS = [f"heatmap{place}" for place in (1, 2, 3, 4)]
KEY = Qt.Key


def tabbed(qtbot, start, count):
    """What the Tab key reaches from ``start`` on."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    reached = [QApplication.focusWidget()]
    for _ in range(count):
        qtbot.keyClick(QApplication.focusWidget(), KEY.Key_Tab)
        reached.append(QApplication.focusWidget())
    return reached


def test_tab_goes_through_the_controls_and_from_head_to_head(window, qtbot, settle):
    dock, names = window.docks.heatmaps, ["showWeights", "colourScale", *HEATMAPS]
    settle()
    for added in range(3):  # heads that come later stand where they belong as well
        stops = tabbed(qtbot, dock.findChild(QRadioButton, "showWeights"), 5 + added)
        assert [stop.objectName() for stop in stops] == names
        window.bench.edit(AddHead(Pattern.SELF))
        names.append(f"heatmap{5 + added}")
        settle()
    window.bench.edit(RemoveHead(1))
    settle()
    stops = tabbed(qtbot, dock.findChild(QRadioButton, "showWeights"), 7)
    assert [stop.objectName() for stop in stops] == names[:-1]


def test_arrows_and_shift_enter_work_where_tab_leads(window, qtbot, settle):
    settle()
    heatmap = tabbed(qtbot, window.docks.heatmaps.findChild(QComboBox), 3)[-1]
    for key in (KEY.Key_Down, KEY.Key_Left):
        qtbot.keyClick(heatmap, key)
    cursor = window.bench.view.cursor
    assert (cursor.head, cursor.query, cursor.key) == (3, 4, 1)  # from t4, t3
    qtbot.keyClick(heatmap, KEY.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert window.bench.view.enlarged == 3
    settle()
    button = heatmap.parentWidget().button
    assert tabbed(qtbot, heatmap, 1)[-1] is button
    qtbot.keyClick(button, KEY.Key_Space)
    assert window.bench.view.enlarged is None


def test_every_tab_stop_shows_its_focus(window, qtbot, settle, grabbed):
    settle()
    window.bench.look(enlarged=2)
    settle()
    dock = window.docks.heatmaps
    stops = [dock.findChild(QWidget, name) for name in ("showWeights", "colourScale", "heatmap2")]
    stops.append(dock.findChild(QWidget, "heatmap2").parentWidget().button)
    window.docks.heads.findChild(QWidget, "moveDownHeadButton").setFocus()
    bare = [grabbed(stop) for stop in stops]
    for stop, without in zip(stops, bare, strict=True):
        for _ in range(12):
            if not stop.hasFocus():
                qtbot.keyClick(QApplication.focusWidget(), KEY.Key_Tab)
        assert stop.hasFocus()
        assert (grabbed(stop) != without).any(), stop.accessibleName()


def test_the_window_can_be_narrow(window, settle):
    settle()
    assert window.docks.heatmaps.minimumSizeHint().width() <= 330
    assert window.docks.output_projection.minimumSizeHint().width() <= 330


# --- what is written in the cells


@pytest.mark.parametrize(
    "look",
    [
        {},
        {"quantity": Quantity.SCORES},
        {"colour_scale": ColourScale.RELATIVE},
        {"colour_scale": ColourScale.LOGARITHMIC},
    ],
)
def test_numbers_are_written_at_the_first_size_of_the_window(window, settle, grabbed, look):
    window.bench.look(**look)
    settle()
    for name in HEATMAPS:
        heatmap = window.docks.heatmaps.findChild(MatrixView, name)
        box = heatmap.cell_rect(4, 4).adjusted(3, 3, -3, -3)
        cell = grabbed(heatmap)[box.top() : box.bottom(), box.left() : box.right()]
        assert len(np.unique(cell.reshape(-1, 3), axis=0)) > 1, name


def test_twelve_heads_are_all_seen_at_the_first_size_of_the_window(window, settle):
    for _ in range(8):
        window.bench.edit(AddHead(Pattern.SELF))
    settle()
    grid = window.docks.heatmaps.findChild(CardGrid)
    assert not grid.verticalScrollBar().isVisible()
    assert len({card.y() for card in grid.cards}) == 3
    assert all(grid.rect().contains(card.geometry()) for card in grid.cards)
    assert all(card.view.cell_rect(0, 0).width() >= 6 for card in grid.cards)


def test_asking_about_a_cell_keeps_the_keyboard_and_the_heatmaps_where_they_are(
    window, qtbot, settle
):
    dock, cell = window.docks.heatmaps, window.docks.cell
    heatmap = dock.findChild(MatrixView, "heatmap2")
    heatmap.setFocus()
    window.bench.point(head=2, query=3, key=2)
    settle()
    before = heatmap.mapTo(window, heatmap.rect().topLeft()), heatmap.size()
    qtbot.keyClick(heatmap, KEY.Key_Return)
    settle()
    assert cell.isVisible()
    assert heatmap.hasFocus()
    assert (heatmap.mapTo(window, heatmap.rect().topLeft()), heatmap.size()) == before
    qtbot.keyClick(heatmap, KEY.Key_Left)
    settle()
    assert "A[4,2]" in cell.title.text()


def test_after_a_wheel_with_ctrl_the_keys_of_the_zoom_are_heard(window, qtbot, settle, wheel):
    window.bench.open(new_scene(64, 2, 2, 2, 4))
    settle()
    window.docks.enter(window.docks.heads)
    heatmap = window.docks.heatmaps.findChild(MatrixView, "heatmap2")
    assert not heatmap.hasFocus()
    wheel(heatmap, 240, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert window.bench.view.window is not None
    assert heatmap.hasFocus()
    settle()
    qtbot.keyClick(heatmap, Qt.Key.Key_0)
    settle()
    assert window.bench.view.window is None


def test_the_menu_says_which_keys_zoom_and_they_are_of_the_heatmaps_alone(window, qtbot, settle):
    window.bench.open(new_scene(64, 2, 2, 2, 4))
    settle()
    shown = {name: window.findChild(QAction, name) for name in ("zoom_in", "zoom_out", "zoom_all")}
    keys = [action.shortcut().toString() for action in shown.values()]
    assert keys == ["+", "-", "0"]
    window.docks.heatmaps.take_focus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Plus)
    settle()
    assert window.bench.view.window.count == 32
    window.docks.enter(window.docks.dock("outputProjectionDock"))
    table = window.findChild(QTableView, "outputProjectionTable")
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_0)  # begins to type a number
    settle()
    assert window.bench.view.window.count == 32
    assert table.findChild(QLineEdit, "cellEditor").text() == "0"


def test_an_offer_of_another_scale_does_not_widen_the_window(window, qtbot, settle):
    window.resize(1024, 700)
    settle()
    window.bench.open(new_scene(256, 4, 2, 2, 8))
    offer = window.docks.heatmaps.findChild(QToolButton, "offerScale")
    qtbot.waitUntil(offer.isVisible)
    settle()
    assert window.width() == 1024
