"""The capture that is open, and how its layers come to the bench."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.edits import DuplicateHead, RemoveHead, set_gain
from mhagui.gui import questions
from mhagui.gui.capture_session import CaptureSession, Opened
from mhagui.gui.file_session import FileSession


@pytest.fixture
def work(qtbot, bench, settle):
    """A bench with its file session and the session of captures beside it, without a window."""
    widget = QWidget()
    qtbot.addWidget(widget)
    files = FileSession(bench, widget, settle)
    captures = CaptureSession(bench, files, widget)
    return SimpleNamespace(bench=bench, files=files, captures=captures)


@pytest.fixture
def opened(attention):
    layers = [CapturedLayer(number, given=attention(3, 5, 5)) for number in (2, 7)]
    return Opened(Capture("made up", tuple(layers), token_ids=(4, 5, 4, 5, 6)))


def given(scene):
    return np.stack([head.a for head in scene.heads])


def test_at_first_nothing_is_open(work):
    captures = work.captures
    assert (captures.opened, captures.capture, captures.model) == (None, None, None)
    assert captures.layer is None
    before = work.bench.scene
    assert not captures.show(0)
    assert work.bench.scene is before


def test_what_is_opened_has_its_first_layer_on_the_bench(work, qtbot, opened):
    before = work.bench.scene
    captures = work.captures
    with qtbot.waitSignal(captures.changed) as changed, qtbot.waitSignal(captures.shown) as shown:
        assert captures.open(opened)
    assert (changed.args, shown.args) == ([opened.capture], [2])
    assert work.captures.capture.token_ids == (4, 5, 4, 5, 6)
    np.testing.assert_array_equal(given(work.bench.scene), opened.capture.layers[0].given)
    assert not work.files.is_modified
    work.bench.undo()
    assert work.bench.scene is before
    assert work.captures.layer is None
    assert work.captures.capture is opened.capture  # to be returned to


def test_a_head_that_came_in_place_of_one_of_the_layer_is_not_taken_for_that(work, opened, unsaved):
    work.captures.open(opened)
    for edit in (RemoveHead(3), DuplicateHead(1)):
        assert work.bench.edit(edit)
    assert work.captures.show(2, 2)
    shown = work.bench.scene.head(work.bench.view.cursor.head)
    np.testing.assert_array_equal(shown.a, opened.capture.layers[0].given[2])
    assert unsaved == ["made up, layer 2"]  # it was laid out anew


def test_of_more_heads_than_there_is_room_for_the_one_that_is_wanted_is_there(work, qtbot):
    many = Opened(Capture("many", (CapturedLayer(0, given=np.tile(np.eye(2), (65, 1, 1))),)))
    with qtbot.waitSignal(work.captures.shortened) as told:
        assert work.captures.open(many)
    assert told.args == [
        "The bench has room for 64 of the 65 heads of layer 0 at T = 2: a click on another head in "
        "Scorecard brings it."
    ]
    first = work.bench.scene
    assert work.captures.show(0, 63)
    assert work.bench.scene is first
    assert work.captures.show(0, 64)
    assert [head.name for head in work.bench.scene.heads] == ["L0 H64"]
    assert work.bench.view.cursor.head == 65
    assert work.captures.layer == 0


def test_a_head_of_another_layer_is_shown_and_pointed_at(work, opened):
    work.captures.open(opened)
    assert work.captures.show(7, 2)
    np.testing.assert_array_equal(given(work.bench.scene), opened.capture.layers[1].given)
    scene, cursor = work.bench.scene, work.bench.view.cursor
    assert scene.heads[scene.index_of(cursor.head)].name == "L7 H2"
    assert work.captures.layer == 7


def test_the_layer_that_is_there_stays_with_what_was_done_to_it(work, opened):
    work.captures.open(opened)
    work.bench.edit(set_gain(1, 2.0))
    changed = work.bench.scene
    assert work.captures.show(2, 1)  # and nothing is asked
    assert work.bench.scene is changed
    assert work.bench.view.cursor.head == changed.heads[1].uid


def test_undo_and_redo_keep_to_the_layer_that_is_on_the_bench(work, opened):
    captures, bench = work.captures, work.bench
    captures.open(opened)
    captures.show(7)
    bench.edit(set_gain(1, 2.0))
    steps = [None, 2, 7, 7]
    for n_done in (2, 1, 0):
        bench.undo()
        assert captures.layer == steps[n_done]
    for n_done in (1, 2, 3):
        bench.redo()
        assert captures.layer == steps[n_done]
    bench.go_to(1)
    before = bench.scene
    assert captures.show(2)  # is there already
    assert bench.scene is before


def test_no_more_layers_are_kept_in_mind_than_undo_can_bring_back(work, opened):
    captures, bench = work.captures, work.bench
    captures.open(opened)
    for _ in range(5):
        captures.show(7)
        bench.undo()  # which the next layer makes impossible to redo
    captures.show(7)
    assert len(captures._layers) == 2
    assert captures.open(Opened(Capture("other", opened.capture.layers)))
    bench.undo()
    assert captures.layer is None  # it is a layer of what was open before


def test_unsaved_work_is_asked_about_and_may_stay(work, opened, unsaved, monkeypatch):
    work.captures.open(opened)
    work.bench.edit(set_gain(1, 2.0))
    changed = work.bench.scene
    monkeypatch.setattr(questions, "ask_to_leave", lambda *_: questions.Leave.CANCEL)
    assert not work.captures.show(7)
    assert not work.captures.open(Opened(Capture("other", opened.capture.layers)))
    assert work.bench.scene is changed
    assert work.captures.capture is opened.capture


def test_a_layer_that_the_bench_cannot_hold_is_said_so_and_open_all_the_same(work, qtbot):
    own = np.eye(5, dtype=bool)[::-1]
    turned = CapturedLayer(4, given=np.full((2, 5, 5), 0.2) * own, allowed=own)
    before = work.bench.scene
    with qtbot.waitSignal(work.files.failed) as told:
        assert work.captures.open(Opened(Capture("turned", (turned,))))
    assert "Layer 4 lets 5 of 25 cells be seen by a mask that the bench does not" in told.args[0]
    assert work.bench.scene is before
    assert work.captures.capture.title == "turned"
    with qtbot.waitSignal(work.files.failed) as told:
        assert not work.captures.show(9)
    assert "There is no layer 9" in told.args[0]
