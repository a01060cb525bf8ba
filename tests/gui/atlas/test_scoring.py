"""What the atlas scores, and when: one capture after another, the scene on the bench, long ones."""

import weakref
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt

from mhagui import core
from mhagui.document import load_lesson, on_demand, scorecard
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.edits import SetMasterGain, SetSequenceLength, set_gain
from mhagui.errors import UserError
from mhagui.gui.capture_session import Opened
from mhagui.gui.docks import atlas
from mhagui.gui.docks.atlas import AtlasDock

T = 12
LEFT, PLAIN = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
Key = Qt.Key


# --- effective ranks, other captures, errors


def test_effective_ranks_are_found_when_they_are_asked_for(dock, wait, two_layers, rows_of):
    assert all(not title.startswith("effective rank") for title in rows_of(dock.table.table)[1])
    dock.map.score.setCurrentText("effective rank")
    wait(dock)
    _, titles, texts = rows_of(dock.table.table)
    wanted = []
    for layer in two_layers().layers:
        for weights in layer.given:
            sigma = np.linalg.svd(weights, compute_uv=False)
            p = sigma[sigma > 0] / sigma.sum()
            wanted.append(f"{np.exp(-np.sum(p * np.log(p))):.3f}")
    assert [row[titles.index("effective rank")] for row in texts] == wanted
    assert dock.map.map._shown.scale.caption == "effective rank"


def test_another_capture_takes_the_place_of_the_first_which_is_let_go(
    captures, dock, wait, designed, rows_of
):
    first = weakref.ref(captures.capture.layers[0])
    weights = np.stack(designed(core.uniform_head))
    captures.open(Capture("another", (CapturedLayer(2, given=weights),)))
    wait(dock)
    assert rows_of(dock.table.table)[0] == ["L2 H0"]
    assert first() is None


def test_longer_names_of_as_many_heads_are_whole(captures, dock, wait, designed):
    weights = np.stack(designed(core.uniform_head) * 5)
    for number in (2, 123456):
        captures.open(Capture("another", (CapturedLayer(number, given=weights),)))
        wait(dock)
        header = dock.table.table.verticalHeader()
        assert header.width() >= header.sizeHint().width()


@pytest.fixture
def gate():
    """What layers wait for; open in the end, for no thread may be left waiting."""
    gate = Event()
    yield gate
    gate.set()


def slow(gate):
    """Return a capture whose weights are made when ``gate`` is open."""

    class Slow(CapturedLayer):
        def recomputed(self):
            assert gate.wait(20)
            return super().recomputed()

    numbers = np.random.default_rng(0).normal(size=(2, T, 3))
    mask = core.causal_mask(T)
    layers = [Slow(number, q=numbers, k=numbers, allowed=mask) for number in range(3)]
    return Capture("slow", tuple(layers))


def test_what_takes_long_is_told_of_and_can_be_cancelled(
    captures, dock, qtbot, wait, gate, rows_of
):
    captures.open(slow(gate))
    qtbot.waitUntil(lambda: dock.state.text() == "Scoring layer 1 of 3 …")
    assert dock.button.text() == "Cancel"
    qtbot.mouseClick(dock.button, LEFT)
    assert dock.state.text() == "The heads are not scored."
    assert dock.button.text() == "Score"
    gate.set()
    qtbot.mouseClick(dock.button, LEFT)
    wait(dock)
    assert len(rows_of(dock.table.table)[0]) == 6
    assert not dock.button.isVisible()


def test_effective_ranks_can_be_cancelled(captures, dock, qtbot, wait, gate):
    gate.set()
    captures.open(slow(gate))
    wait(dock)
    gate.clear()
    dock.map.score.setCurrentText("effective rank")
    assert "effective ranks" in dock.state.text()
    assert dock.map.map._shown.scale.caption == "previous token"  # until they are known
    qtbot.mouseClick(dock.button, LEFT)
    assert dock.map.score.currentText() == "previous token"
    assert dock.state.text().startswith("6")
    assert not dock._scoring.is_at_work


def test_a_capture_without_weights_is_a_sentence(captures, dock, qtbot):
    numbers = np.zeros((1, T, 2))
    layer = CapturedLayer(5, q=numbers, k=numbers, bias=np.zeros((1, T, 3)))
    captures.open(Capture("wrong", (layer,)))
    qtbot.waitUntil(lambda: dock.state.text().startswith("Layer 5"))
    assert not dock.views.isVisible()


# --- the scene on the bench, where no capture is open


@pytest.fixture
def bench_dock(captures, open_dock, wait):
    captures.capture = None
    dock = open_dock(lambda bench: AtlasDock(bench, captures), 640, 620)
    wait(dock)
    return dock


def test_without_a_capture_it_shows_the_heads_on_the_bench(
    bench_dock, bench, qtbot, settle, rows_of, centre, marked
):
    names, _, texts = rows_of(bench_dock.table.table)
    assert names == ["h1", "h2", "h3", "h4"]
    assert [row[0] for row in texts] == ["first token", "previous token", "self", "uniform"]
    qtbot.mouseClick(bench_dock.map.map, LEFT, PLAIN, centre(bench_dock, 2))
    settle()
    assert bench.view.cursor.head == bench.scene.heads[2].uid
    bench.point(head=bench.scene.heads[1].uid)
    settle()
    assert marked(bench_dock) == (1, 1, 1)
    assert bench_dock.map.map._on_bench == 1


def test_layers_of_the_scene_stand_below_each_other(bench_dock, bench, qtbot, settle):
    bench.open(load_lesson("induction"))
    qtbot.waitUntil(lambda: len(bench_dock.map.map._shown.row_labels) == 2)
    settle()
    shown, heads = bench_dock.map.map._shown, bench.scene.heads
    assert shown.row_labels == ("layer 1", "layer 2")
    names = bench_dock.map.heads.names
    rows = {int(name[1:]): row for name, (row, _) in zip(names, shown.cells, strict=True)}
    assert [rows[n] for n in range(1, len(heads) + 1)] == [head.layer - 1 for head in heads]
    for key in (Key.Key_Up, Key.Key_Home, Key.Key_Down, Key.Key_End, Key.Key_Left, Key.Key_Up):
        qtbot.keyClick(bench_dock.map.map, key)
        settle()
        assert bench.view.cursor.head == bench_dock.map.heads.uids[bench_dock.map.map._current]


def test_scores_follow_a_gain(bench_dock, bench, qtbot, rows_of):
    bench.edit(SetMasterGain(0.0))
    qtbot.waitUntil(lambda: {row[0] for row in rows_of(bench_dock.table.table)[2]} == {"uniform"})


def test_what_fails_is_followed_by_what_is_wanted_by_then(
    bench_dock, bench, qtbot, settle, monkeypatch, gate, rows_of
):
    begun, of = Event(), atlas.scene_capture

    def fails_once(*what):
        if begun.is_set():
            return of(*what)
        begun.set()
        assert gate.wait(20)
        raise UserError("These weights are gone.")

    monkeypatch.setattr(atlas, "scene_capture", fails_once)
    bench.edit(SetMasterGain(0.5))
    qtbot.waitUntil(begun.is_set)
    bench.edit(SetMasterGain(0.0))
    settle()
    gate.set()
    qtbot.waitUntil(lambda: {row[0] for row in rows_of(bench_dock.table.table)[2]} == {"uniform"})
    assert "gone" not in bench_dock.state.text()


def test_a_long_scene_is_scored_when_that_is_asked_for(bench_dock, bench, qtbot, settle, wait):
    bench.edit(SetSequenceLength(600))
    qtbot.waitUntil(lambda: bench_dock.button.isVisible() and "T = 600" in bench_dock.state.text())
    assert not bench_dock.views.isVisible()
    qtbot.mouseClick(bench_dock.button, LEFT)
    wait(bench_dock)
    assert bench_dock.views.isVisible()
    assert not bench_dock.button.isVisible()


def test_weights_that_are_not_kept_are_scored_head_by_head(
    bench_dock, bench, qtbot, wait, monkeypatch
):
    n = 150
    for module, most in (on_demand, "MOST_KEPT"), (scorecard, "MOST_AT_ONCE"), (atlas, "MOST_LIVE"):
        monkeypatch.setattr(module, most, n * n)
    bench.edit(SetSequenceLength(n))
    bench.edit(set_gain(bench.scene.heads[0].uid, -0.5))
    qtbot.waitUntil(lambda: bench_dock.button.isVisible() and "T = 150" in bench_dock.state.text())
    heads = bench.frame.result.heads
    assert isinstance(heads[0].weights, on_demand.OnDemand)
    qtbot.mouseClick(bench_dock.button, LEFT)
    wait(bench_dock)
    weights = np.stack([np.asarray(head.weights) for head in heads])
    right = core.head_scores(weights, allowed=core.causal_mask(n))
    for column in bench_dock.map.heads.card.columns:
        wanted = right.scores[column.measure.name].values
        np.testing.assert_allclose(column.values, wanted, atol=1e-9)
    assert bench_dock.map.heads.card.labels == right.labels


def test_what_is_offered_stays_as_it_lies_while_a_gain_moves(bench_dock, bench, qtbot, settle):
    bench.edit(SetSequenceLength(600))
    qtbot.waitUntil(bench_dock.button.isVisible)
    seen = []

    class Watch(QObject):
        def eventFilter(self, watched, event):  # noqa: N802 - the name is Qt's
            seen.append(event.type())
            return False

    watch = Watch()
    bench_dock.button.installEventFilter(watch)
    for gain in (0.5, 0.6):
        bench.edit(set_gain(bench.scene.heads[0].uid, gain))
        qtbot.waitUntil(lambda: not bench.frame.is_behind)
        settle()
    bench_dock.button.removeEventFilter(watch)
    assert {QEvent.Type.Hide, QEvent.Type.Paint}.isdisjoint(seen)
    assert bench_dock.button.isVisible()


# --- in the window


def test_a_layer_without_any_weight_is_shown_in_curves_and_scores(open_window, qtbot, settle, wait):
    window = open_window()
    nothing = CapturedLayer(0, given=np.zeros((2, 6, 6)))
    assert window.captures.open(Opened(Capture("nothing", (nothing,))))
    for dock in (window.docks.entropy, window.docks.atlas):
        window.docks.enter(dock)
        settle()
        assert dock.is_in_sight()
    wait(window.docks.atlas)
    ((_, make, _),) = window.docks.atlas.own_tables()
    assert np.isnan(make().values).all()


def test_a_head_comes_to_the_bench_and_is_marked_there(
    open_window, qtbot, settle, wait, two_layers, marked
):
    window = open_window()
    assert window.captures.open(Opened(two_layers()))
    window.docks.show(["atlasDock"])
    dock = window.docks.atlas
    wait(dock)
    assert dock.map.map._on_bench == 0
    dock.take_focus()
    qtbot.keyClick(dock.map.map, Key.Key_Down)
    qtbot.keyClick(dock.map.map, Key.Key_Right)
    qtbot.keyClick(dock.map.map, Key.Key_Return)
    settle()
    assert window.bench.scene.title == "made up, layer 7"
    assert window.bench.scene.heads[1].uid == window.bench.view.cursor.head
    assert marked(dock) == (4, 4, 4)
    assert dock.map.map._on_bench == 4
    qtbot.keyClick(window, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle()
    assert window.bench.scene.title == "made up, layer 3"
    assert dock.map.map._on_bench == 1  # the same head of the layer that is there again
    qtbot.keyClick(window, Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    settle()
    assert dock.map.map._on_bench == 4
    window.bench.undo()
    window.bench.undo()
    settle()
    assert dock.map.map._on_bench == -1  # the lesson is no layer of the capture
