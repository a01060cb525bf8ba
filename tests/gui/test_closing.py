"""A computation that takes long: told of, with input held back, and no obstacle to closing."""

from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QSlider

from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetMasterGain, SetProjectionBlock, SetSequenceLength, set_gain
from mhagui.gui import bench as bench_module
from mhagui.gui.bench import Bench
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.worker import LOOK_EVERY

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def gate(monkeypatch):
    """Whatever is computed waits for it, in the thread that is meant for it."""
    gate = Event()

    def compute_slowly(scene, previous):
        assert gate.wait(30)
        return compute(scene, previous)

    def begin():
        monkeypatch.setattr(bench_module, "compute", compute_slowly)
        monkeypatch.setattr(bench_module, "MOST_UNTOLD_WEIGHTS", 1)
        return gate

    yield begin
    gate.set()


@pytest.fixture
def window(open_window):
    return open_window()


def is_waiting():
    cursor = QGuiApplication.overrideCursor()
    return cursor is not None and cursor.shape() == Qt.CursorShape.WaitCursor


def frames_of(bench):
    frames = []
    bench.shown.connect(frames.append)
    return frames


def test_it_is_told_of_and_the_frame_before_stays_until_it_is_done(bench, gate, settle, qtbot):
    settle()
    frames, told, opened = frames_of(bench), [], gate()
    bench.delayed.connect(lambda: told.append(bench.frame.scene.n_positions))
    bench.edit(SetSequenceLength(50))
    settle()
    assert told == [6]
    assert is_waiting()
    bench.point(query=40)  # fits what is on the bench, not what is shown
    settle()
    assert (bench.scene.n_positions, bench.frame.scene.n_positions, frames) == (50, 6, [])
    opened.set()
    qtbot.waitUntil(lambda: bool(frames))
    assert frames[0].result.allowed.shape == (50, 50)
    assert frames[0].view.cursor.query == 40
    assert QGuiApplication.overrideCursor() is None
    assert told == [6]


@pytest.mark.parametrize(
    ("edit", "is_long"),
    [
        (set_gain(1, 2.0), False),  # the weights of one head of four
        (SetMasterGain(2.0), True),
        (SetSequenceLength(49), True),
        (SetProjectionBlock("Edit W_O", 0, 0, ((0.5,),)), False),
    ],
)
def test_what_takes_long_is_known_from_the_edit(bench, monkeypatch, qtbot, edit, is_long):
    bench.edit(SetSequenceLength(50))
    frames, told = frames_of(bench), []
    qtbot.waitUntil(lambda: bool(frames))
    bench.delayed.connect(lambda: told.append(True))
    monkeypatch.setattr(bench_module, "MOST_UNTOLD_WEIGHTS", 50 * 50)
    bench.edit(edit)
    qtbot.waitUntil(lambda: len(frames) == 2)
    assert bool(told) is is_long
    assert frames[-1].scene is bench.scene


def test_heads_that_read_what_others_add_are_counted(qtbot, monkeypatch):
    bench = Bench(load_lesson("induction"))
    frames, told = frames_of(bench), []
    qtbot.waitUntil(lambda: bool(frames))
    bench.delayed.connect(lambda: told.append(True))
    layers = [head.layer for head in bench.scene.heads]
    assert set(layers) == {1, 2}
    n = bench.scene.n_positions**2
    monkeypatch.setattr(bench_module, "MOST_UNTOLD_WEIGHTS", layers.count(2) * n)
    second, first = (bench.scene.heads[layers.index(layer)].uid for layer in (2, 1))
    bench.edit(set_gain(second, 1.5))
    qtbot.waitUntil(lambda: len(frames) == 2)
    assert told == []
    bench.edit(set_gain(first, 1.5))
    qtbot.waitUntil(lambda: len(frames) == 3)
    assert told == [True]
    bench.stop()
    bench.deleteLater()


def test_of_edits_meanwhile_only_the_newest_is_shown(bench, gate, settle, qtbot):
    settle()
    frames, opened = frames_of(bench), gate()
    for gain in (2.0, 3.0, 4.0):
        bench.edit(SetMasterGain(gain))
        settle()
    opened.set()
    qtbot.waitUntil(lambda: bool(frames))
    settle()
    assert [frame.scene.master_gain for frame in frames] == [4.0]
    assert not is_waiting()


def test_an_undo_that_brings_back_what_is_shown_ends_the_waiting(bench, gate, settle, qtbot):
    settle()
    frames, opened = frames_of(bench), gate()
    bench.edit(SetMasterGain(2.0))
    settle()
    bench.undo()
    settle()
    assert [frame.scene.master_gain for frame in frames] == [1.0]
    assert not is_waiting()
    opened.set()
    qtbot.wait(5 * LOOK_EVERY)  # what is computed in vain is not heard of
    assert len(frames) == 1


def test_a_computation_that_fails_is_told_of_and_ends_the_waiting(
    bench, monkeypatch, settle, qtbot
):
    settle()

    def compute_not(scene, previous):
        raise MemoryError

    monkeypatch.setattr(bench_module, "compute", compute_not)
    monkeypatch.setattr(bench_module, "MOST_UNTOLD_WEIGHTS", 1)
    with qtbot.captureExceptions() as faults:
        bench.edit(SetMasterGain(2.0))
        qtbot.waitUntil(lambda: bool(faults))
    assert [kind for kind, *_ in faults] == [MemoryError]
    assert not is_waiting()
    assert bench.frame.scene.master_gain == 1.0
    bench.undo()
    settle()
    assert bench.frame.scene is bench.scene


def test_the_status_bar_says_that_it_is_computing(window, gate, settle, qtbot):
    facts, opened = window.findChild(QLabel, "sceneFacts"), gate()
    window.bench.edit(SetMasterGain(2.0))
    settle()
    assert facts.text() == "computing…"
    opened.set()
    qtbot.waitUntil(lambda: facts.text().startswith("T 6"))


# --- what a hand does meanwhile: through the window, as it comes from the screen


def press(window, key, modifier=NO_KEYS):
    QTest.keyClick(window.windowHandle(), key, modifier)


def click(window, widget, place):
    QTest.mouseClick(window.windowHandle(), LEFT, NO_KEYS, widget.mapTo(window, place))


def test_keys_and_clicks_wait_and_come_in_their_order(window, gate, settle, qtbot):
    view, opened = window.findChild(MatrixView, "heatmap2"), gate()
    window.bench.edit(SetMasterGain(2.0))
    settle()
    before = window.bench.view.cursor
    click(window, view, view.cell_rect(4, 2).center())
    press(window, Qt.Key.Key_Up)
    press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle()
    assert window.bench.view.cursor == before
    assert window.bench.scene.master_gain == 2.0
    opened.set()
    qtbot.waitUntil(lambda: window.bench.scene.master_gain == 1.0)
    cursor = window.bench.view.cursor
    assert (window.bench.scene.index_of(cursor.head), cursor.query, cursor.key) == (1, 3, 2)


def test_a_drag_ends_where_the_hand_lets_go(window, gate, settle, qtbot, at):
    slider, opened = window.findChild(QSlider, "masterGainSlider"), gate()
    handle = window.windowHandle()

    def place(gain):
        return slider.mapTo(window, at(slider, gain))

    QTest.mousePress(handle, LEFT, NO_KEYS, place(1.0))
    QTest.mouseMove(handle, place(2.0))
    settle()  # this much is being computed, and the rest waits
    QTest.mouseMove(handle, place(3.0))
    QTest.mouseMove(handle, place(4.0))
    QTest.mouseRelease(handle, LEFT, NO_KEYS, place(4.0))
    assert slider.isSliderDown()
    opened.set()
    qtbot.waitUntil(lambda: window.bench.frame.scene.master_gain == pytest.approx(4.0, abs=0.1))
    assert not slider.isSliderDown()
    assert window.bench.history.n_steps == 1
    assert not is_waiting()


def test_a_dialog_that_is_open_is_answered(window, gate, settle, qtbot):
    opened = gate()
    window.bench.edit(SetMasterGain(2.0))
    settle()
    dialog = QDialog(window)
    field = QLineEdit(dialog)
    dialog.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    field.setFocus()
    press(dialog, Qt.Key.Key_7)
    assert field.text() == "7"
    press(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    opened.set()
    qtbot.waitUntil(lambda: window.bench.frame.scene.master_gain == 2.0)


def test_a_window_closes_in_the_midst_of_it(window, gate, settle, qtbot, unsaved):
    frames, opened = frames_of(window.bench), gate()
    window.bench.edit(SetMasterGain(2.0))
    settle()
    press(window, Qt.Key.Key_Right)
    assert window.close()
    assert len(unsaved) == 1  # asked once
    assert not is_waiting()
    opened.set()
    qtbot.wait(5 * LOOK_EVERY)  # what is computed in vain is not heard of
    assert frames == []
