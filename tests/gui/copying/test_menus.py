"""The menus of the panels: where they are, and what they offer."""

from collections import Counter

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

from mhagui.document import Quantity

FIGURE = ["Copy figure", "Copy figure as SVG", "Copy caption", "Export this figure…"]
WITHOUT = ("history", "tokens", "lesson")
OFFERED = {  # beside the figure
    "heads": ["Copy table of heads as"],
    "heatmaps": ["Other figures", "Copy A_1 as", "Copy S_1 as"],
    "pipeline": ["Copy K as", "Copy Q as"],
    "cell": ["Copy products as", "Copy neighbours as"],
    "output_projection": [
        "Other figures",
        "Copy W_O as",
        "Copy Concat as",
        "Copy O as",
        "Copy listening as",
    ],
    "filter_bank": [
        "Other figures",
        "Copy term of h1 as",
        "Copy sum up to h1 as",
        "Copy sum of all terms as",
        "Copy O as",
        "Copy norms of the terms as",
    ],
    "weights": ["Copy W_Q as", "Copy X as", "Copy Q_all as"],
    "impulse": ["Copy taps of t4 as", "Copy response of t4 as"],
    "entropy": ["Copy row entropy as", "Copy effective positions as"],
    "rank": [
        "Copy singular values of Q·Kᵀ as",
        "Copy effective rank of A as",
        "Copy singular values of A as",
        "Copy parameters as",
    ],
    "information": [
        "Other figures",
        "Copy information as",
        "Copy two heads together as",
        "Copy divergences as",
    ],
    "cost": [
        "Copy operations as",
        "Copy numbers in each matrix as",
        "Copy bytes as",
        "Copy costs over T as",
        "Copy costs over H as",
    ],
}
OWN = {  # beside a figure that shows no scene
    "ablation_lab": ["Copy changes of O as"],
    "atlas": ["Other figures", "Copy scores as"],
    "compare": ["Copy B − A as", "Copy A as", "Copy B as", "Copy divergences as"],
}
pytestmark = pytest.mark.qt_log_ignore(
    "This plugin does not support grabbing the keyboard|This plugin does not support raise",
    extend=True,
)


def entries(menu):
    """Return all entries of ``menu`` and of the menus in it, by menu."""
    yield [action for action in menu.actions() if not action.isSeparator()]
    for action in menu.actions():
        if action.menu() is not None:
            yield from entries(action.menu())


@pytest.mark.parametrize("dock", OFFERED)
def test_the_menu_key_offers_what_the_dock_shows(window, enter, menu_key, dock):
    enter(dock)
    menu = menu_key()
    assert menu.texts == FIGURE + OFFERED[dock]
    for group in entries(menu.menu):
        letters = Counter(
            a.text()[a.text().index("&") + 1].lower() for a in group if "&" in a.text()
        )
        assert not [letter for letter, times in letters.items() if times > 1]
        assert all(action.toolTip() for action in group)
    menu.close()


@pytest.mark.parametrize("dock", OWN)
def test_docks_of_heads_offer_figures_of_their_own(window, enter, menu_key, dock, qtbot):
    enter(dock)
    qtbot.waitUntil(lambda: bool(getattr(window.docks, dock).own_figures()))
    menu = menu_key()
    assert menu.texts == FIGURE + OWN[dock]
    menu.close()


@pytest.mark.parametrize("dock", WITHOUT)
@pytest.mark.parametrize("window", ["induction"], indirect=True)
def test_docks_without_numbers_have_no_menu(window, enter, menu_key, right_click, dock):
    enter(dock)
    assert menu_key() is None
    panel = getattr(window.docks, dock)
    assert right_click(panel.widget(), QPoint(3, 3)) is None


def test_every_dock_is_one_of_these(window):
    names = {*OFFERED, *OWN, *WITHOUT}
    assert {getattr(window.docks, name) for name in names} == set(window.docks.all)


def test_the_menu_key_of_the_platform_is_taken_too(window, enter, menu_key):
    enter("entropy")
    focus = QApplication.focusWidget()
    place = focus.rect().center()
    by_key = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(focus, QContextMenuEvent(by_key, place, focus.mapToGlobal(place)))
    popup = QApplication.activePopupWidget()
    assert [each.text().replace("&", "") for each in popup.actions()][:4] == FIGURE
    popup.close()
    menu = menu_key(Qt.Key.Key_Menu, Qt.KeyboardModifier.NoModifier)
    assert menu.texts[:4] == FIGURE
    menu.close()


@pytest.mark.parametrize(
    ("dock", "name"), [("entropy", "entropyPlot"), ("impulse", "impulsePlot1")]
)
def test_a_plot_has_the_menu_of_its_dock(enter, find, right_click, dock, name):
    enter(dock)
    menu = right_click(find(name))
    assert menu.texts == FIGURE + OFFERED[dock]
    menu.close()


def test_no_plot_has_a_menu_of_its_own(window):
    views = window.findChildren(pg.GraphicsView)
    items = [item for view in views for item in view.scene().items()]
    boxes = [item for item in items if isinstance(item, pg.ViewBox)]
    assert len(boxes) >= 5
    assert not any(box.menuEnabled() for box in boxes)
    assert not any(isinstance(item, pg.PlotItem) for item in items)


def test_the_table_of_w_o_has_one_menu_with_its_own_entries_first(window, find, right_click):
    table = find("outputProjectionTable")
    menu = right_click(table.viewport(), QPoint(20, 10))
    assert menu.texts[:3] == ["Copy", "Paste", "Set to 0"]
    after = menu.texts[menu.texts.index("Copy figure") :]
    assert after[4:6] == ["Other figures", "Copy W_O as"]
    assert menu.entry("Copy figure").toolTip().startswith("Put “Output projection W_O”")
    shown = [each for each in QApplication.topLevelWidgets() if isinstance(each, QMenu)]
    assert [each for each in shown if each.isVisible()] == [menu.menu]
    menu.close()


def test_what_is_clicked_comes_first(window, find, right_click):
    menu = right_click(find("outputView"))
    assert menu.texts[0] == "Copy values"
    numbers = [text for text in menu.texts if text.endswith(" as")]
    assert numbers[0] == "Copy O as"
    assert "“Output O”" in menu.entry("Copy figure").toolTip()
    others = [each.text().replace("&", "") for each in menu.entry("Other figures").menu().actions()]
    assert "W_O, Concat and output" in others
    assert "Output O" not in others
    menu.close()


def test_a_click_on_a_head_is_about_that_head(window, find, right_click, enter):
    menu = right_click(find("heatmap3"), QPoint(40, 20))
    assert "Copy A_3 as" in menu.texts
    assert "“Weights of h3”" in menu.entry("Copy figure").toolTip()
    menu.close()
    assert window.bench.scene.index_of(window.bench.view.cursor.head) == 2


def test_scores_come_first_while_they_are_shown(window, find, right_click, settle):
    window.bench.look(quantity=Quantity.SCORES)
    settle()
    menu = right_click(find("heatmap2"))
    assert [text for text in menu.texts if text.endswith(" as")] == ["Copy S_2 as", "Copy A_2 as"]
    assert "“Scores of every head”" in menu.entry("Copy figure").toolTip()
    menu.close()


def test_pages_of_a_dock_have_their_own_figure(window, enter, find, right_click, settle):
    enter("impulse")
    find("showResponse").click()
    settle()
    menu = right_click(find("magnitudePlot"))
    assert "“Frequency responses”" in menu.entry("Copy figure").toolTip()
    menu.close()
    find("showTaps").click()
    enter("weights")
    find("weightsValues").click()
    settle()
    menu = right_click(find("weights3View"))
    assert "“Packed W_V with the heads' slices”" in menu.entry("Copy figure").toolTip()
    assert next(text for text in menu.texts if text.endswith(" as")) == "Copy V_all as"
    menu.close()
    find("weightsQueries").click()
    enter("filter_bank")
    find("showAblationSite").click()
    settle()
    menu = right_click(find("ablatedAfterView"))
    assert "Copy O with columns of h1 zero as" in menu.texts
    menu.close()
    find("showFilterBank").click()


@pytest.mark.parametrize("window", ["induction"], indirect=True)
def test_a_figure_that_there_is_not_is_grey_and_says_why(window, enter, menu_key):
    enter("weights")
    menu = menu_key()
    copy = menu.entry("Copy figure")
    assert not copy.isEnabled()
    assert copy.toolTip().startswith("The packed W_Q does not exist for this scene")
    menu.close()


def test_a_floating_dock_has_its_menu(window, enter, find, right_click, settle):
    dock = window.docks.entropy
    dock.setFloating(True)
    settle()
    menu = right_click(find("entropyPlot"))
    assert menu.texts == FIGURE + OFFERED["entropy"]
    menu.close()
    dock.setFloating(False)
