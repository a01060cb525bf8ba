"""The window that Python opens: driven by its methods, with no question about what they did."""

import builtins
import gc
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QEvent, QEventLoop, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox

import mhagui
from mhagui.document import read_scene
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.edits import set_gain
from mhagui.errors import UserError
from mhagui.gui import questions, view_window
from mhagui.gui.capture_session import Opened
from mhagui.gui.main_window import MainWindow
from mhagui.gui.view_window import ViewWindow, is_loop_running
from mhagui.home import Home
from mhagui.python_api import View

pytestmark = pytest.mark.thorough

T = 8


@pytest.fixture
def view(qtbot, tmp_path, monkeypatch):
    """A view of three layers of four heads, as `mhagui.view` returns it with ``block=False``."""
    monkeypatch.setattr(view_window, "set_up", lambda app: None)  # the tests' own style stays
    weights = np.tril(np.random.default_rng(0).random((3, 1, 4, T, T)) + 0.1)
    weights /= weights.sum(-1, keepdims=True)
    capture = mhagui.capture(tuple(weights), [*"abcdabcd"], title="made up")
    view = View(ViewWindow(capture, home=Home.below(tmp_path)), capture)
    yield view
    view.close()


def window_of(view):
    return view._window._window


def test_a_layer_and_a_head_come_to_the_bench(view):
    assert view.scene.title == "made up, layer 0"
    view.show(2, 3)
    assert view.scene.title == "made up, layer 2"
    assert view.scene.tokens == tuple("abcdabcd")
    bench = window_of(view).bench
    assert view.scene.heads[3].uid == bench.view.cursor.head
    np.testing.assert_array_equal(view.scene.heads[3].a, view.weights(2, 3))


def test_it_shows_its_own_layers_whatever_was_opened_in_the_window_meanwhile(view):
    weights = np.stack([np.eye(T)])
    other = Opened(Capture("other", (CapturedLayer(0, given=weights),)))
    window_of(view).captures.open(other)
    assert view.scene.title == "other, layer 0"
    view.show(0, 1)
    assert view.scene.title == "made up, layer 0"
    view.show(1)
    assert view.scene.title == "made up, layer 1"


def test_what_python_does_is_asked_about_by_nobody_and_can_be_undone(view, unsaved, settle):
    view.set_gain(1, 3.0)
    assert view.scene.heads[1].gain == 3.0
    settle()
    window = window_of(view)
    assert window.bench.frame.result.heads[1].gain == 3.0
    assert not window.isWindowModified()
    window.bench.undo()
    assert view.scene.heads[1].gain == 1.0
    window.bench.redo()
    view.show(1)
    view.set_gain(0, 0.0)
    view.close()
    assert unsaved == []
    assert not view.is_open


def test_what_is_done_by_hand_is_asked_about(view, unsaved, settle):
    settle()
    box = window_of(view).docks.dock("headsDock").findChild(QCheckBox, "keepMarginBox")
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    assert window_of(view).isWindowModified()
    view.set_gain(0, 2.0)  # leaves it as what has to be asked about
    view.close()
    assert unsaved == ["made up, layer 0"]


def test_it_is_said_where_somebody_would_rather_keep_what_is_on_the_bench(view, monkeypatch):
    window_of(view).bench.edit(set_gain(1, 2.0))
    with monkeypatch.context() as patch:
        patch.setattr(questions, "ask_to_leave", lambda *_: questions.Leave.CANCEL)
        with pytest.raises(UserError, match="Layer 1 is not shown: what is on the bench"):
            view.show(1)
    assert view.scene.heads[0].gain == 2.0
    window_of(view).bench.undo()


def test_the_window_is_in_a_picture_and_the_scene_in_files(view, tmp_path):
    view.show(1)
    view.screenshot(tmp_path / "window.png")
    with Image.open(tmp_path / "window.png") as picture:
        ratio = window_of(view).devicePixelRatio()
        assert picture.size == tuple(
            round(side * ratio) for side in window_of(view).size().toTuple()
        )
        assert len(picture.convert("RGB").getcolors(2**24)) > 50
    view.export(tmp_path / "scene.mhascene")
    assert read_scene(tmp_path / "scene.mhascene") == view.scene
    view.export(str(tmp_path / "entropy.svg"), "entropy")
    assert (tmp_path / "entropy.svg").read_text("utf-8").startswith("<?xml")


REFUSALS = (
    (lambda view: view.show(7), "There is no layer 7; the layers are 0, 1, 2."),
    (lambda view: view.show(1, 4), "Layer 1 has heads 0 to 3; there is no head 4."),
    (lambda view: view.set_gain(4, 1), "There is no head 4; the bench has 0 to 3."),
    (lambda view: view.set_gain(0, float("inf")), "must be a finite number; got inf"),
    (lambda view: view.weights(3, 0), "There is no layer 3; the layers are 0, 1, 2."),
    (lambda view: view.weights(0, -1), "Layer 0 has heads 0 to 3; there is no head -1."),
    (lambda view: view.screenshot("window.jpg"), "window.jpg: a picture of the window is a PNG"),
    (lambda view: view.export("a.gif"), "There is no format “gif”"),
    (lambda view: view.export("a.png", "scores"), "the queries and keys behind them are not known"),
)


def test_what_cannot_be_done_is_raised_and_changes_nothing(view):
    before = view.scene
    for do, told in REFUSALS:
        with pytest.raises(UserError) as refused:
            do(view)
        assert told in str(refused.value)
    assert view.scene is before


def test_what_was_there_stays_to_be_asked_after_the_window_is_closed(view):
    view.show(1)
    assert repr(view) == "<mhagui.View of made up: 3 layers, 12 heads, open>"
    view.close()
    assert repr(view).endswith("closed>")
    assert view.scene.title == "made up, layer 1"
    assert view.weights(0, 0).shape == (T, T)
    assert len(view.scorecard()) == 12
    for do in (lambda: view.show(0), lambda: view.set_gain(0, 1), lambda: view.screenshot("a.png")):
        with pytest.raises(UserError, match="The window is closed"):
            do()
    view.wait()  # for nothing
    view.close()


def test_it_waits_until_the_window_is_closed(view):
    QTimer.singleShot(50, window_of(view).close)
    view.wait()
    assert not view.is_open


def test_a_window_stays_where_nobody_keeps_what_drives_it(view, qapp):
    ViewWindow(view.capture)
    gc.collect()
    (other,) = [
        w
        for w in qapp.topLevelWidgets()
        if isinstance(w, MainWindow) and w.isVisible() and w is not window_of(view)
    ]
    other.close()
    qapp.sendPostedEvents(other, QEvent.Type.DeferredDelete.value)


def test_two_windows_live_beside_one_another(view):
    other = View(ViewWindow(view.capture, layer=2), view.capture)
    other.set_gain(0, 5.0)
    assert view.scene.heads[0].gain == 1.0
    view.close()
    assert other.is_open
    other.show(0)
    other.close()


def test_a_layer_that_the_bench_cannot_hold_opens_no_window(qapp):
    before = qapp.topLevelWidgets()
    weights = np.tri(4)[np.newaxis, np.newaxis] / np.arange(1, 5)[:, np.newaxis]
    weights[0, 0, 2, 1] = np.nan
    with pytest.raises(UserError, match="Layer 0, head 0: 1 of 16 weights are not numbers"):
        mhagui.view((weights,), block=False)
    assert qapp.topLevelWidgets() == before


def test_a_window_is_of_the_main_thread(view):
    raised = []

    def open_one():
        try:
            ViewWindow(view.capture)
        except UserError as error:
            raised.append(str(error))

    thread = threading.Thread(target=open_one)
    thread.start()
    thread.join()
    assert raised == ["A window can be opened in the main thread of a program alone."]


def test_whether_a_loop_runs_by_itself(monkeypatch):
    assert not is_loop_running()
    seen = []
    loop = QEventLoop()
    QTimer.singleShot(0, lambda: (seen.append(is_loop_running()), loop.quit()))
    loop.exec()
    assert seen == [True]


@pytest.mark.parametrize(
    ("gui", "runs"), [("qt", True), ("qt6", True), ("inline", False), (None, False)]
)
def test_ipython_says_whether_its_loop_is_qts(monkeypatch, gui, runs):
    shell = SimpleNamespace(active_eventloop=gui)
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    assert is_loop_running() is runs
