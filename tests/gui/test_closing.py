"""A computation that takes long: told of, with input held back, and no obstacle to closing.

Of edits that may change which cells there are; where numbers alone move, the hand goes on
(test_moving_numbers).
"""

from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QProgressBar, QToolButton

from mhagui.document import compute
from mhagui.document.edits import SetSequenceLength, set_key_magnitude
from mhagui.gui import bench as bench_module
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.worker import LOOK_EVERY

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def gate(monkeypatch):
    """Whatever is computed waits for it, in the thread that is meant for it."""
    gate = Event()

    def compute_slowly(scene, previous, step=None):
        assert gate.wait(30)
        return compute(scene, previous, step)

    def begin():
        monkeypatch.setattr(bench_module, "compute", compute_slowly)
        monkeypatch.setattr(bench_module, "MOST_AT_ONCE", 0)
        monkeypatch.setattr(bench_module, "TOLD_AFTER", 0)
        monkeypatch.setattr(bench_module, "TOLD_EVERY", 1)
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
    bench.delayed.connect(lambda *heads: told.append((*heads, bench.frame.scene.n_positions)))
    bench.edit(SetSequenceLength(50))
    settle()
    qtbot.waitUntil(lambda: bool(told))
    assert set(told) == {(0, 4, 6)}
    assert is_waiting()
    bench.point(query=40)  # fits what is on the bench, not what is shown
    settle()
    assert (bench.scene.n_positions, bench.frame.scene.n_positions, frames) == (50, 6, [])
    opened.set()
    qtbot.waitUntil(lambda: bool(frames))
    assert frames[0].result.allowed.shape == (50, 50)
    assert frames[0].view.cursor.query == 40
    assert QGuiApplication.overrideCursor() is None
    n_told = len(told)
    qtbot.wait(5 * LOOK_EVERY)
    assert len(told) == n_told


def test_of_edits_meanwhile_only_the_newest_is_shown(bench, gate, settle, qtbot):
    settle()
    frames, opened = frames_of(bench), gate()
    for length in (7, 8, 9):
        bench.edit(SetSequenceLength(length))
        settle()
    opened.set()
    qtbot.waitUntil(lambda: bool(frames))
    settle()
    assert [frame.scene.n_positions for frame in frames] == [9]
    assert not is_waiting()


def test_an_undo_that_brings_back_what_is_shown_ends_the_waiting(bench, gate, settle, qtbot):
    settle()
    frames, opened = frames_of(bench), gate()
    bench.edit(SetSequenceLength(7))
    settle()
    bench.undo()
    settle()
    assert [frame.scene.n_positions for frame in frames] == [6]
    assert not is_waiting()
    opened.set()
    qtbot.wait(5 * LOOK_EVERY)  # what is computed in vain is not heard of
    assert len(frames) == 1


def test_a_computation_that_fails_is_told_of_and_ends_the_waiting(
    bench, monkeypatch, settle, qtbot
):
    settle()

    def compute_not(scene, previous, step=None):
        raise MemoryError

    monkeypatch.setattr(bench_module, "compute", compute_not)
    monkeypatch.setattr(bench_module, "MOST_AT_ONCE", 0)
    with qtbot.captureExceptions() as faults:
        bench.edit(SetSequenceLength(7))
        qtbot.waitUntil(lambda: bool(faults))
    assert [kind for kind, *_ in faults] == [MemoryError]
    assert not is_waiting()
    assert bench.frame.scene.n_positions == 6
    bench.undo()
    settle()
    assert bench.frame.scene is bench.scene


def test_the_status_bar_says_that_it_is_computing(window, gate, settle, qtbot):
    facts, opened = window.findChild(QLabel, "sceneFacts"), gate()
    bar = window.findChild(QProgressBar, "computeProgress")
    assert bar.isHidden()
    window.bench.edit(SetSequenceLength(7))
    settle()
    qtbot.waitUntil(bar.isVisible)
    assert facts.text() == "computing… head 1 of 4"
    assert (bar.value(), bar.maximum()) == (0, 4)
    opened.set()
    qtbot.waitUntil(lambda: facts.text().startswith("T 7"))
    assert bar.isHidden()


def test_what_is_soon_done_is_not_told_of(window, gate, monkeypatch, settle, qtbot):
    opened, told = gate(), []
    monkeypatch.setattr(bench_module, "TOLD_AFTER", 10_000)
    window.bench.delayed.connect(lambda *heads: told.append(heads))
    window.bench.edit(SetSequenceLength(7))
    settle()
    assert not is_waiting()
    opened.set()
    qtbot.waitUntil(lambda: window.bench.frame.scene.n_positions == 7)
    assert told == []


@pytest.mark.parametrize("way", ["key", "button"])
def test_it_can_be_cancelled_although_input_is_held_back(window, gate, settle, qtbot, way):
    opened, cancel = gate(), window.findChild(QToolButton, "cancelComputing")
    frames = frames_of(window.bench)
    before = window.bench.scene
    window.bench.edit(SetSequenceLength(7))
    settle()
    qtbot.waitUntil(cancel.isVisible)
    if way == "key":
        press(window, Qt.Key.Key_Escape)
    else:
        click(window, cancel, cancel.rect().center())
    qtbot.waitUntil(lambda: bool(frames))
    assert window.bench.scene is before
    assert window.bench.history.redo_text is not None
    assert [frame.scene for frame in frames] == [before]
    assert cancel.isHidden()
    assert not is_waiting()
    opened.set()
    qtbot.wait(5 * LOOK_EVERY)
    assert len(frames) == 1  # nothing of it is shown
    press(window, Qt.Key.Key_Down)  # and input is heard again
    assert window.bench.view.cursor.query != frames[0].view.cursor.query


def test_an_undo_that_is_cancelled_is_not_said_to_be_done(window, gate, settle, qtbot):
    window.bench.edit(SetSequenceLength(7))
    settle()
    gate()
    window._actions["undo"].trigger()
    assert window.statusBar().currentMessage().startswith("Undone")
    qtbot.waitUntil(window.findChild(QToolButton, "cancelComputing").isVisible)
    press(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.bench.scene.n_positions == 7)
    assert window.statusBar().currentMessage().startswith("Cancelled")


# --- what a hand does meanwhile: through the window, as it comes from the screen


def press(window, key, modifier=NO_KEYS):
    QTest.keyClick(window.windowHandle(), key, modifier)


def click(window, widget, place):
    QTest.mouseClick(window.windowHandle(), LEFT, NO_KEYS, widget.mapTo(window, place))


def test_keys_and_clicks_wait_and_come_in_their_order(window, gate, settle, qtbot):
    view, opened = window.findChild(MatrixView, "heatmap2"), gate()
    window.bench.edit(set_key_magnitude(1, 6.0))
    settle()
    before = window.bench.view.cursor
    click(window, view, view.cell_rect(4, 2).center())
    press(window, Qt.Key.Key_Up)
    press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle()
    assert window.bench.view.cursor == before
    assert window.bench.scene.heads[0].key_magnitude == 6.0
    opened.set()
    qtbot.waitUntil(lambda: window.bench.scene.heads[0].key_magnitude == 3.0)
    cursor = window.bench.view.cursor
    assert (window.bench.scene.index_of(cursor.head), cursor.query, cursor.key) == (1, 3, 2)


def test_a_dialog_that_is_open_is_answered(window, gate, settle, qtbot):
    opened = gate()
    window.bench.edit(SetSequenceLength(7))
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
    qtbot.waitUntil(lambda: window.bench.frame.scene.n_positions == 7)


def test_a_window_closes_in_the_midst_of_it(window, gate, settle, qtbot, unsaved):
    frames, opened = frames_of(window.bench), gate()
    window.bench.edit(SetSequenceLength(7))
    settle()
    press(window, Qt.Key.Key_Right)
    assert window.close()
    assert len(unsaved) == 1  # asked once
    assert not is_waiting()
    opened.set()
    qtbot.wait(5 * LOOK_EVERY)  # what is computed in vain is not heard of
    assert frames == []
