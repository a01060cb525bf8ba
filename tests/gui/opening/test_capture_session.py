"""The capture of a window, and how its layers come to the bench."""

import numpy as np
import pytest

from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.edits import set_gain
from mhagui.gui import questions
from mhagui.gui.capture_session import Opened


@pytest.fixture
def opened(attention):
    layers = [CapturedLayer(number, given=attention(3, 5, 5)) for number in (2, 7)]
    return Opened(Capture("made up", tuple(layers), token_ids=(4, 5, 4, 5, 6)))


def given(scene):
    return np.stack([head.a for head in scene.heads])


def test_at_first_nothing_is_open(window):
    captures = window.captures
    assert (captures.capture, captures.model, captures.prompt) == (None, None, "")
    assert (captures.ids, captures.layer) == ((), None)
    before = window.bench.scene
    assert not captures.show(0)
    assert window.bench.scene is before


def test_what_is_opened_has_its_first_layer_on_the_bench(window, qtbot, opened):
    before = window.bench.scene
    captures = window.captures
    with qtbot.waitSignal(captures.changed) as changed, qtbot.waitSignal(captures.shown) as shown:
        assert captures.open(opened)
    assert (changed.args, shown.args) == ([opened.capture], [2])
    assert window.captures.ids == (4, 5, 4, 5, 6)
    np.testing.assert_array_equal(given(window.bench.scene), opened.capture.layers[0].given)
    assert not window.files.is_modified
    window.bench.undo()
    assert window.bench.scene is before
    assert window.captures.layer is None
    assert window.captures.capture is opened.capture  # to be returned to


def test_a_head_of_another_layer_is_shown_and_pointed_at(window, opened):
    window.captures.open(opened)
    assert window.captures.show(7, 2)
    np.testing.assert_array_equal(given(window.bench.scene), opened.capture.layers[1].given)
    scene, cursor = window.bench.scene, window.bench.view.cursor
    assert scene.heads[scene.index_of(cursor.head)].name == "L7 H2"
    assert window.captures.layer == 7


def test_the_layer_that_is_there_stays_with_what_was_done_to_it(window, opened):
    window.captures.open(opened)
    window.bench.edit(set_gain(1, 2.0))
    changed = window.bench.scene
    assert window.captures.show(2, 1)  # and nothing is asked
    assert window.bench.scene is changed
    assert window.bench.view.cursor.head == changed.heads[1].uid


def test_unsaved_work_is_asked_about_and_may_stay(window, opened, unsaved, monkeypatch):
    window.captures.open(opened)
    window.bench.edit(set_gain(1, 2.0))
    changed = window.bench.scene
    monkeypatch.setattr(questions, "ask_to_leave", lambda *_: questions.Leave.CANCEL)
    assert not window.captures.show(7)
    assert not window.captures.open(Opened(Capture("other", opened.capture.layers)))
    assert window.bench.scene is changed
    assert window.captures.capture is opened.capture


def test_a_layer_that_the_bench_cannot_hold_is_said_so_and_open_all_the_same(window, qtbot):
    wide = CapturedLayer(4, given=np.full((2, 3, 5), 0.2))
    before = window.bench.scene
    with qtbot.waitSignal(window.files.failed) as told:
        assert window.captures.open(Opened(Capture("cross", (wide,))))
    assert "Layer 4 has 3 queries and 5 keys" in told.args[0]
    assert window.bench.scene is before
    assert window.captures.capture.title == "cross"
    with qtbot.waitSignal(window.files.failed) as told:
        assert not window.captures.show(9)
    assert "There is no layer 9" in told.args[0]
