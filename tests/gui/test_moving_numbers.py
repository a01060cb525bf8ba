"""Gains, mute, solo and W_O while a computation takes long: the hand goes on, results follow."""

import random
from threading import Semaphore

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDoubleSpinBox, QSlider, QToolButton

from mhagui.document import Quantity, compute
from mhagui.document.edits import (
    SetMasterGain,
    SetProjectionBlock,
    SetSequenceLength,
    set_gain,
    set_muted,
    set_soloed,
)
from mhagui.document.effort import moves_numbers_alone
from mhagui.gui import bench as bench_module
from mhagui.gui.docks.output_projection import OutputProjectionDock
from mhagui.gui.worker import LOOK_EVERY

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class Gate:
    """Lets one computation through for each ``let``, in the thread that is meant for it."""

    def __init__(self):
        self._tokens, self.n_begun = Semaphore(0), 0

    def compute(self, scene, previous, step=None):
        self.n_begun += 1
        assert self._tokens.acquire(timeout=30)
        return compute(scene, previous, step)

    def let(self, n=1):
        self._tokens.release(n)


@pytest.fixture
def gate(monkeypatch):
    gate = Gate()
    monkeypatch.setattr(bench_module, "TOLD_AFTER", 10_000)

    def begin():
        monkeypatch.setattr(bench_module, "compute", gate.compute)
        monkeypatch.setattr(bench_module, "MOST_AT_ONCE", 0)
        return gate

    yield begin
    gate.let(1000)


def results_of(bench):
    """The master gains of the results shown from now on, each once."""
    gains = []

    def note(frame):
        gain = frame.scene.master_gain
        if gains[-1:] != [gain]:
            gains.append(gain)

    bench.shown.connect(note)
    return gains


def gain_of(frame):
    return frame.scene.master_gain


def test_results_follow_the_newest_is_next_and_none_is_twice(bench, gate, settle, qtbot):
    settle()
    shown, gate = results_of(bench), gate()
    for gain in (2.0, 3.0, 4.0):
        bench.edit(SetMasterGain(gain))
        settle()
    assert shown == [1.0]  # controls may be ahead
    assert (gain_of(bench.frame), bench.frame.latest.master_gain) == (1.0, 4.0)
    gate.let()
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert (gain_of(bench.frame), bench.frame.latest.master_gain) == (2.0, 4.0)
    gate.let()
    qtbot.waitUntil(lambda: len(shown) == 3)
    settle()
    assert shown == [1.0, 2.0, 4.0]
    assert not bench.frame.is_behind
    assert gate.n_begun == 2


def test_the_cursor_moves_meanwhile(bench, gate, settle):
    settle()
    gate()
    bench.edit(SetMasterGain(2.0))
    settle()
    frames = []
    bench.shown.connect(frames.append)
    bench.point(query=2)
    settle()
    assert [(gain_of(f), f.view.cursor.query) for f in frames] == [(1.0, 2)]


def test_looks_compute_nothing_and_an_edit_what_it_changes(bench, settle):
    settle()
    before = bench.frame.result
    bench.point(head=3, query=2, key=1)
    bench.look(quantity=Quantity.SCORES, enlarged=1)
    settle()
    assert bench.frame.result is before
    bench.edit(set_muted(1, True))
    settle()
    made = {step for step in bench.frame.result.made if not step.startswith("head ")}
    assert made == {"concat", "output 0", "residual 0", "w_v 1", "bound 1 0"}


def test_what_is_undone_is_not_shown(bench, gate, settle, qtbot):
    settle()
    shown, gate = results_of(bench), gate()
    bench.edit(set_muted(1, True))
    bench.edit(SetMasterGain(2.0))
    settle()
    bench.undo()
    settle()
    gate.let(2)
    qtbot.waitUntil(lambda: not bench.frame.is_behind)
    assert shown == [1.0]
    assert bench.frame.scene.heads[0].muted
    assert bench.frame.result.concat[:, :2].any() == np.False_


def test_cells_that_come_hold_input_back_and_drop_what_was_begun(bench, gate, settle, qtbot):
    settle()
    shown, gate = results_of(bench), gate()
    bench.edit(SetMasterGain(2.0))
    settle()
    bench.edit(SetSequenceLength(9))
    settle()
    assert (bench.frame.scene.n_positions, bench.frame.is_behind) == (6, True)
    gate.let(2)
    qtbot.waitUntil(lambda: bench.frame.scene.n_positions == 9)
    assert shown == [1.0, 2.0]
    assert bench.frame.result.allowed.shape == (9, 9)


def test_what_is_kept_is_made_of_the_newest_scene(bench, gate, settle, qtbot):
    settle()
    opened = gate()
    bench.edit(SetMasterGain(2.0))
    settle()
    kept = []
    bench.when_settled(kept.append)
    settle()
    assert kept == []
    opened.let(2)
    qtbot.waitUntil(lambda: len(kept) == 1)
    (frame,) = kept
    assert frame.scene is frame.latest is bench.scene
    assert frame.result.heads[1].gain == 2.0
    settle()
    assert bench.frame.result is frame.result
    bench.when_settled(kept.append)
    assert kept == [frame, frame]  # nothing to wait for


def test_cancelling_goes_back_to_what_is_shown_even_within_a_step(bench, gate, settle, qtbot):
    settle()
    shown, gate, drag = results_of(bench), gate(), object()
    for gain in (2.0, 3.0):
        bench.edit(SetMasterGain(gain), drag)
        settle()
    gate.let()
    qtbot.waitUntil(lambda: gain_of(bench.frame) == 2.0)
    bench.edit(set_muted(1, True))
    settle()
    bench.cancel()
    settle()
    assert (bench.scene.master_gain, bench.scene.heads[0].muted) == (2.0, False)
    assert not bench.frame.is_behind
    assert bench.edit(SetMasterGain(4.0), drag) is False  # the drag is over
    gate.let(9)
    qtbot.wait(5 * LOOK_EVERY)
    assert shown == [1.0, 2.0]
    assert bench.history.n_steps == 1
    bench.undo()
    assert bench.scene.master_gain == 1.0
    bench.redo()
    assert bench.scene.master_gain == 2.0


def test_nothing_is_cancelled_when_nothing_is_computed(bench, settle):
    bench.edit(SetMasterGain(2.0))
    settle()
    bench.cancel()
    assert bench.scene.master_gain == 2.0


# --- random edits against a plain list of scenes


@pytest.mark.parametrize("seed", range(6))
def test_any_edits_meanwhile_are_right(bench, gate, settle, qtbot, seed):
    settle()
    numbers, gate, faults = random.Random(seed), gate(), []
    scenes, place = [bench.scene], 0  # what undo and redo reach

    def check(frame):
        is_right = frame.result.output.tobytes() == compute(frame.scene).output.tobytes()
        is_near = frame.scene is frame.latest or moves_numbers_alone(frame.scene, frame.latest)
        if not (is_right and is_near and frame.latest is bench.scene):
            faults.append(frame)

    bench.shown.connect(check)

    def edit(scene):
        uid, value = numbers.randint(1, 4), numbers.uniform(-3, 3)
        cell = SetProjectionBlock(numbers.randrange(8), numbers.randrange(8), np.array([[value]]))
        kinds = [set_gain(uid, value), SetMasterGain(value), cell]
        kinds += [set_muted(uid, not scene.head(uid).muted)]
        kinds += [set_soloed(uid, not scene.head(uid).soloed)]
        return numbers.choice(kinds)

    for _ in range(40):
        action = numbers.choice(["edit", "edit", "edit", "undo", "redo", "let", "settle", "cancel"])
        if action == "edit":
            edit_now = edit(bench.scene)
            bench.edit(edit_now, object())  # a gesture of its own: a step of its own
            scenes[place + 1 :] = [edit_now.apply(scenes[place])]
            place += 1
        elif action in ("undo", "redo"):
            getattr(bench, action)()
            place = min(max(place + (1 if action == "redo" else -1), 0), len(scenes) - 1)
        elif action == "let":
            gate.let()
        elif action == "cancel" and bench.frame.is_behind:
            shown = bench.frame.scene
            before = bench.scene
            bench.cancel()
            assert bench.scene in (shown, before)  # before: nothing had begun yet
            place = bench.history.n_steps
        else:
            settle()
        assert bench.scene == scenes[place]
    gate.let(1000)
    qtbot.waitUntil(lambda: not bench.frame.is_behind)
    settle()
    assert bench.frame.scene == scenes[place]
    assert faults == []


# --- with a hand, on the real window


@pytest.fixture
def window(open_window):
    return open_window()


def test_a_drag_goes_on_and_its_slider_stays_in_the_hand(window, gate, settle, qtbot, at):
    slider, gate = window.findChild(QSlider, "masterGainSlider"), gate()
    box = window.findChild(QDoubleSpinBox, "masterGainBox")
    shown, handle = results_of(window.bench), window.windowHandle()

    def place(gain):
        return slider.mapTo(window, at(slider, gain))

    def is_at(gain):
        return slider.isSliderDown() and box.value() == pytest.approx(gain, abs=0.1)

    QTest.mousePress(handle, LEFT, NO_KEYS, place(1.0))
    QTest.mouseMove(handle, place(2.0))
    settle()
    assert QGuiApplication.overrideCursor() is None
    QTest.mouseMove(handle, place(3.0))
    settle()
    assert is_at(3.0)
    gate.let()
    qtbot.waitUntil(lambda: shown[-1] == pytest.approx(2.0, abs=0.1))
    assert is_at(3.0)  # although what is shown is further back
    QTest.mouseMove(handle, place(4.0))
    QTest.mouseRelease(handle, LEFT, NO_KEYS, place(4.0))
    gate.let(9)
    qtbot.waitUntil(lambda: shown[-1] == pytest.approx(4.0, abs=0.1))
    assert window.bench.history.n_steps == 1
    assert not slider.isSliderDown()
    assert box.value() == window.bench.scene.master_gain


def test_controls_are_ahead_of_the_frame(window, gate, settle, qtbot):
    gate, bench = gate(), window.bench
    window.docks.show(["outputProjectionDock"])
    settle()
    mute = window.findChild(QToolButton, "muteButton2")
    table = window.findChild(OutputProjectionDock).table
    bench.edit(SetMasterGain(2.0))
    settle()
    qtbot.mouseClick(mute, LEFT)
    index = table.model().index(1, 2)
    table.setCurrentIndex(index)
    table.edit(index)
    editor = table.indexWidget(index) or table.focusWidget()
    QTest.keyClicks(editor, "7.5")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    settle()
    assert mute.isChecked()
    assert bench.scene.w_o[1, 2] == 7.5
    assert float(table.model().data(index, Qt.ItemDataRole.EditRole)) == 7.5
    assert window._actions["mute_head"].isChecked() is (bench.view.cursor.head == 2)
    assert gain_of(bench.frame) == 1.0
    bench.undo()
    settle()
    assert float(table.model().data(index, Qt.ItemDataRole.EditRole)) == 0.0
    assert mute.isChecked()
    gate.let(9)
    qtbot.waitUntil(lambda: not bench.frame.is_behind)
    assert bench.frame.result.output.tobytes() == compute(bench.scene).output.tobytes()
    assert mute.isChecked()


def test_after_a_fault_the_bench_has_what_is_shown(bench, monkeypatch, settle, qtbot):
    settle()
    shown = bench.frame.scene

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(bench_module, "compute", fail)
    monkeypatch.setattr(bench_module, "MOST_AT_ONCE", 0)
    with qtbot.captureExceptions() as faults:
        bench.edit(SetSequenceLength(12))
        qtbot.waitUntil(lambda: faults != [])
    assert [kind for kind, *_ in faults] == [MemoryError]
    monkeypatch.undo()
    settle()
    assert bench.scene is bench.frame.scene is shown
