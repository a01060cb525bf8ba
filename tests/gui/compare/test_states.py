"""Heads compared with what they were: before and after an edit, pinned, and swapped."""

import numpy as np
from PySide6.QtCore import Qt

from mhagui.document import load_lesson
from mhagui.document.edits import DuplicateHead, OpenScene, set_gain

LEFT = Qt.MouseButton.LeftButton
A, B, DIFFERENCE, ROWS = range(4)


# ---------------------------------------------------------------- before and after an edit


def test_before_and_after_an_edit_of_the_cursors_head(dock, bench, settle, choose, shown, weights):
    before = weights(bench.scene, 0)
    bench.edit(set_gain(1, 2.0))
    settle()
    choose(dock.sides[0].source_box, "Before the last edit")
    choose(dock.sides[1].head_box, "cursor’s head")
    settle()
    assert np.array_equal(shown(dock, A), before)
    assert np.array_equal(shown(dock, DIFFERENCE), weights(bench.scene, 0) - before)
    bench.point(head=3)  # which the gain of another leaves as it is
    settle()
    assert dock.summary.accessibleName().startswith("The same weights")


def test_a_drag_is_followed_step_by_step(dock, bench, settle, choose, shown, weights):
    choose(dock.sides[1].source_box, "On the bench")
    gesture = object()
    for gain in (1.5, 2.0, 2.5):
        bench.edit(set_gain(1, gain), gesture)
        settle()
        assert np.array_equal(shown(dock, A), weights(bench.scene, 0))
    choose(dock.sides[0].source_box, "Before the last edit")
    settle()
    assert np.array_equal(shown(dock, A), weights(load_lesson("four-heads"), 0))


def test_any_state_of_the_history_can_be_compared(dock, bench, settle, choose, shown, weights):
    scenes = [bench.scene]
    for gain in (0.5, 1.5, 3.0):
        bench.edit(set_gain(1, gain), object())
        scenes.append(bench.scene)
    settle()
    for number in (0, 1, 3):
        choose(dock.sides[0].source_box, f"State {number}: ")
        settle()
        assert np.array_equal(shown(dock, A), weights(scenes[number], 0))


def test_a_state_that_is_no_more_in_the_history_stays_compared(
    dock, bench, settle, choose, shown, weights
):
    bench.edit(set_gain(1, 3.0))
    scene = bench.scene
    settle()
    choose(dock.sides[0].source_box, "State 1")
    bench.undo()
    bench.edit(set_gain(2, 0.5))  # in the place of that step
    settle()
    assert np.array_equal(shown(dock, A), weights(scene, 0))
    assert dock.sides[0].source_box.currentText().endswith("(kept)")


def test_where_the_cursors_head_was_not_yet_it_is_said(dock, bench, settle, choose):
    bench.edit(DuplicateHead(1))
    settle()
    choose(dock.sides[0].source_box, "Before the last edit")
    bench.point(head=bench.scene.heads[1].uid)
    settle()
    assert "before the last edit" in dock.reason.text()
    assert dock.reason.isVisible()
    assert not dock.pictures.isVisible()
    bench.point(head=1)
    settle()
    assert dock.pictures.isVisible()


# ---------------------------------------------------------------------------------- pinned, swapped


def test_a_pinned_head_stays_as_it_was(dock, bench, qtbot, settle, choose, shown, weights):
    before = weights(bench.scene, 0)
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    settle()
    assert dock.sides[0].source_box.currentText() == "Pinned 1: h1 first token"
    choose(dock.sides[1].head_box, "cursor’s head")
    bench.edit(set_gain(1, 3.0))
    settle()
    assert np.array_equal(shown(dock, A), before)
    assert np.array_equal(shown(dock, B), weights(bench.scene, 0))
    bench.edit(OpenScene(load_lesson("two-heads")))
    bench.undo()
    settle()
    assert np.array_equal(shown(dock, A), before)


def test_a_pinned_head_can_be_let_go(dock, qtbot, settle, entries):
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    settle()
    assert dock.sides[0].pin.text() == "Unpin"
    assert dock.sides[1].pin.text() == "Pin"
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    settle()
    assert not [text for text in entries(dock.sides[1].source_box) if text.startswith("Pinned")]
    assert dock.sides[0].source_box.currentText() == "On the bench"


def test_a_pinned_head_on_both_sides_goes_from_both(dock, qtbot, settle, choose):
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    choose(dock.sides[1].source_box, "Pinned 1")
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    settle()
    assert [side.source_box.currentText() for side in dock.sides] == ["On the bench"] * 2


def test_a_swap_turns_the_sign(dock, qtbot, settle, shown):
    one, other, difference = (shown(dock, place) for place in (A, B, DIFFERENCE))
    rows = shown(dock, ROWS)
    qtbot.mouseClick(dock.swap, LEFT)
    settle()
    assert np.array_equal(shown(dock, A), other)
    assert np.array_equal(shown(dock, B), one)
    assert np.array_equal(shown(dock, DIFFERENCE), -difference)
    assert np.array_equal(shown(dock, ROWS), rows)
    assert dock.sides[1].head_box.currentText().startswith("cursor’s head")


def test_states_in_place_of_one_another_are_never_taken_for_one(dock, bench, settle):
    keys = []
    for step in range(12):
        bench.edit(set_gain(1, 1.5 + step), object())
        settle()
        keys += [s.key for s in dock._sources.values() if s.title.startswith("State 1:")]
        bench.undo()
        settle()
    assert len(set(keys)) == 12


def test_a_state_is_the_same_when_the_dock_comes_back(dock, bench, settle, choose):
    bench.edit(set_gain(1, 3.0))
    settle()
    choose(dock.sides[0].source_box, "State 0: ")
    settle()
    dock.forget()
    dock.redraw()
    settle()
    assert dock.sides[0].source_box.currentText() == "State 0: as it was opened"


def test_it_begins_with_two_heads_wherever_the_cursor_is(dock, bench, settle, titles):
    scene = load_lesson("induction")
    bench.open(scene)
    bench.point(head=scene.heads[1].uid)
    dock.forget()
    dock._origin = None  # it has not begun yet
    dock.redraw()
    settle()
    one, other = titles(dock)[:2]
    assert (one, other) != (other, one)
    uids = [dock.sides[1].pick.head, bench.view.cursor.head]
    assert uids == [scene.heads[0].uid, scene.heads[1].uid]
