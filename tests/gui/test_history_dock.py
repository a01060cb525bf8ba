"""The history dock: what it lists, and that choosing a step is so many undos or redos."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from mhagui.document import Pattern, load_lesson
from mhagui.document.edits import (
    AddHead,
    OpenScene,
    RemoveHead,
    SetMasterGain,
    rename_head,
    set_gain,
    set_muted,
)
from mhagui.document.history import MAX_STEPS
from mhagui.gui.docks.history import HistoryDock
from mhagui.gui.theme import theme_of

LEFT = Qt.MouseButton.LeftButton
TEXT, FONT, COLOUR = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.FontRole,
    Qt.ItemDataRole.ForegroundRole,
)


@pytest.fixture
def dock(open_dock):
    return open_dock(HistoryDock, 240, 300)


@pytest.fixture
def three_steps(bench, dock, settle):
    """Do three steps; give the scene at the beginning and after each."""
    scenes = [bench.scene]
    for edit in (set_muted(1, True), AddHead(Pattern.SELF), set_gain(2, 2.0)):
        bench.edit(edit)
        scenes.append(bench.scene)
    settle()
    return scenes


def cells(dock, role=TEXT):
    model = dock.model
    return [model.data(model.index(row), role) for row in range(model.rowCount())]


def row_in_sight(dock, row):
    box = dock.list.visualRect(dock.model.index(row))
    return dock.list.viewport().rect().contains(box)


def click(qtbot, dock, row):
    box = dock.list.visualRect(dock.model.index(row))
    qtbot.mouseClick(dock.list.viewport(), LEFT, pos=box.center())


def test_it_begins_with_the_scene_as_opened(dock):
    assert cells(dock) == ["Start with “four heads”"]
    assert dock.list.currentIndex().row() == 0


def test_every_step_is_listed_and_the_present_one_marked(dock, bench, three_steps, settle):
    assert cells(dock)[1:] == ["h1 muted", "h5 added: self", "h2 gain 2"]
    bench.undo()
    bench.undo()
    settle()
    assert cells(dock)[1:] == ["h1 muted", "h5 added: self", "h2 gain 2"]
    assert [font is not None for font in cells(dock, FONT)] == [False, True, False, False]
    muted = theme_of(dock.palette()).muted
    assert cells(dock, COLOUR) == [None, None, muted, muted]
    assert dock.list.selectionModel().selectedIndexes() == [dock.model.index(1)]


@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_a_click_goes_to_the_scene_after_that_step_in_one_frame(
    dock, bench, three_steps, qtbot, settle, row
):
    frames = []
    bench.shown.connect(frames.append)
    click(qtbot, dock, row)
    assert bench.scene is three_steps[row]
    settle()
    assert len(frames) == (row != 3)
    assert dock.list.currentIndex().row() == row
    click(qtbot, dock, 3)
    assert bench.scene is three_steps[3]


def test_arrows_home_and_end_go_from_step_to_step(dock, bench, three_steps, qtbot, settle):
    dock.take_focus()
    assert QApplication.focusWidget() is dock.list
    for key, row in (
        (Qt.Key.Key_Up, 2),
        (Qt.Key.Key_Up, 1),
        (Qt.Key.Key_Down, 2),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_End, 3),
    ):
        qtbot.keyClick(dock.list, key)
        settle()
        assert bench.scene is three_steps[row]


def test_a_letter_goes_nowhere(dock, bench, three_steps, qtbot, settle):
    dock.take_focus()
    qtbot.keyClicks(dock.list, "m")
    settle()
    assert bench.scene is three_steps[3]


def test_an_edit_after_going_back_takes_the_place_of_what_was_undone(
    dock, bench, three_steps, qtbot, settle
):
    click(qtbot, dock, 1)
    bench.edit(rename_head(1, "mine"))
    settle()
    assert cells(dock)[1:] == ["h1 muted", "h1 name: mine"]
    assert dock.list.currentIndex().row() == 2
    bench.undo()
    assert bench.scene is three_steps[1]


def test_a_drag_is_one_row_which_follows_it(dock, bench, settle):
    drag = object()
    for gain in (1.5, 2.0, 2.5):
        bench.edit(set_gain(1, gain), drag)
        settle()
        assert cells(dock)[1:] == [f"h1 gain {gain:g}"]
    bench.edit(set_gain(1, 1.0), drag)
    settle()
    assert len(cells(dock)) == 1


def test_a_hint_names_the_scene_where_it_becomes_another(dock, bench, settle):
    other = replace(load_lesson("two-heads"), title="a <b>bold</b> one")
    bench.edit(OpenScene(other))
    bench.edit(set_muted(1, True))
    settle()
    begin, opened, muted = cells(dock, Qt.ItemDataRole.ToolTipRole)
    assert "four heads" in begin
    assert "&lt;b&gt;bold" in opened  # as it stands, not in bold
    assert muted == "Mute head"


def test_it_says_to_a_screen_reader_what_is_done(dock, bench, three_steps, settle):
    bench.undo()
    settle()
    said = cells(dock, Qt.ItemDataRole.AccessibleTextRole)
    assert said[1:] == ["h1 muted", "h5 added: self, where you are", "h2 gain 2, undone"]


def test_the_present_step_stays_in_sight_of_five_hundred(dock, bench, settle, qtbot):
    for value in range(MAX_STEPS + 20):
        bench.edit(SetMasterGain(value), object())
    settle()
    assert len(cells(dock)) == MAX_STEPS + 1
    assert row_in_sight(dock, MAX_STEPS)
    bench.go_to(200)
    settle()
    assert row_in_sight(dock, 200)
    assert bench.scene.master_gain == 20 + 199
    dock.list.verticalScrollBar().setValue(0)
    bench.point(query=0)  # a look is no reason to scroll back
    settle()
    assert not row_in_sight(dock, 200)


def test_rows_that_stay_are_not_scrolled_away(dock, bench, settle):
    for value in range(2, 60):
        bench.edit(SetMasterGain(value), object())
    settle()
    bench.go_to(30)
    settle()
    top = dock.list.indexAt(QPoint(5, 5)).row()
    bench.go_to(33)
    settle()
    assert dock.list.indexAt(QPoint(5, 5)).row() == top


def test_a_dock_out_of_sight_catches_up(dock, bench, settle):
    dock.hide()
    bench.edit(RemoveHead(1))
    settle()
    dock.show()
    settle()
    assert cells(dock)[1:] == ["h1 removed: first token"]


def test_the_step_that_is_saved_is_marked_as_soon_as_it_is(dock, bench, three_steps, settle):
    saved = Qt.ItemDataRole.UserRole
    assert not any(cells(dock, saved))
    bench.undo()
    bench.keep(Path("a.mhascene"), None)
    settle()
    assert cells(dock, saved) == [False, False, True, False]
    said = cells(dock, Qt.ItemDataRole.AccessibleTextRole)
    assert said[2:] == ["h5 added: self, saved, where you are", "h2 gain 2, undone"]
    bench.go_to(0)
    bench.keep(Path("a.mhascene"), None)
    settle()
    assert cells(dock, saved) == [True, False, False, False]


def test_the_mark_of_what_is_saved_stands_clear_of_the_words(dock, bench, settle, grabbed):
    bench.edit(rename_head(1, "a name that is much too long for a dock of this width"))
    settle()
    box = dock.list.visualRect(dock.model.index(1))
    width = dock.list.fontMetrics().horizontalAdvance("saved")
    left, middle = box.right() - width - 12, box.center().y()  # of the gap before the mark
    room = slice(middle - 4, middle + 5), slice(left, left + 5)
    before = grabbed(dock.list.viewport())[room]
    assert (before != before[:, :1]).any()  # where the words run on
    bench.keep(Path("a.mhascene"), None)
    settle()
    after = grabbed(dock.list.viewport())[room]
    assert (after == after[:, :1]).all()


def test_a_scene_that_was_opened_is_named_and_not_compared(dock, bench, settle):
    bench.open(replace(bench.scene, title="another"))
    settle()
    assert cells(dock)[1:] == ["Open “another”"]


def test_it_keeps_nothing_of_scenes_that_are_forgotten(dock, bench, settle):
    """The rows are words alone: what the undo stack lets go of is gone."""
    bench.edit(set_muted(1, True))
    settle()
    held = [value for row in dock.model._rows for value in row]
    assert all(isinstance(value, str) for value in held)


def test_going_there_is_as_many_undos_and_redos(bench):
    rng = np.random.default_rng(4)
    for value in range(2, 12):
        bench.edit(SetMasterGain(value), object())
    for wanted in rng.integers(-2, 14, size=40):
        bench.go_to(int(wanted))
        at = min(max(int(wanted), 0), 10)
        assert bench.history.n_steps == at
        assert bench.scene.master_gain == (at + 1 if at else 1.0)
        assert len(bench.history.steps) == 10
