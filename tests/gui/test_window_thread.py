"""What the window's thread does by itself: little, however long the scene; counted, not timed."""

import time
from threading import Event, get_ident, main_thread

import numpy as np
import pytest
from PySide6.QtCore import QEventLoop, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolButton

from mhagui import core
from mhagui.document import ColourScale, Quantity, Window, compute, load_lesson
from mhagui.document.beginning import POSITIONS
from mhagui.document.edits import SetMasterGain, set_gain
from mhagui.document.new_scene import new_scene
from mhagui.gui import bench as bench_module
from mhagui.gui import pooling
from mhagui.gui.bench import Bench
from mhagui.gui.main_window import MainWindow
from mhagui.gui.pooling import MOST_AT_ONCE
from mhagui.gui.widgets.matrix_view import MatrixView

pytestmark = pytest.mark.qt_log_ignore(
    "This plugin does not support grabbing the keyboard|This plugin does not support raise",
    extend=True,
)
HEADS, LENGTH = 16, 1024  # more cells than are read at once, and more to compute
BY = {"pool_maximum", "pool_extremes", "pool_largest_magnitude"}


class Work:
    """Counts the cells that are pooled, and the scenes computed, here and in other threads."""

    def __init__(self, monkeypatch):
        self.begin()
        for name in BY:
            monkeypatch.setattr(core, name, self._counted(getattr(core, name)))
        monkeypatch.setattr(bench_module, "compute", self._compute)

    def begin(self):
        self.pooled = {True: 0, False: 0}  # by whether it is in the window's thread
        self.computed = {True: [], False: []}

    def _counted(self, pool):
        def counted(a, n_rows, n_columns, *, seen=None, **given):
            self.pooled[is_here()] += np.size(a) if seen is None else int(np.sum(seen))
            return pool(a, n_rows, n_columns, seen=seen, **given)

        return counted

    def _compute(self, scene, *given):
        self.computed[is_here()].append(scene)
        return compute(scene, *given)


def is_here():
    return get_ident() == main_thread().ident


@pytest.fixture(scope="module")
def long_scene():
    return new_scene(LENGTH, HEADS, d_k=8, d_v=8, d_model=128)


@pytest.fixture(scope="module")
def work():
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield Work(monkeypatch)


def rest(window):
    """Wait until all is shown as it is."""
    bench, heatmaps, end = window.bench, window.docks.heatmaps, time.monotonic() + 30
    QApplication.processEvents()
    while bench.frame.scene is not bench.scene or heatmaps.is_behind:
        assert time.monotonic() < end
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    QApplication.processEvents()


@pytest.fixture(scope="module")
def opened(fusion, nothing_old, work, long_scene):
    """The window with the long scene, and what its start has computed and pooled."""
    window = MainWindow(long_scene, is_start=True)
    window.show()
    rest(window)
    at_start = dict(work.pooled), dict(work.computed)
    window.docks.make_all()
    rest(window)
    yield window, *at_start
    window.bench.stop()
    window.hide()
    window.deleteLater()


@pytest.fixture
def window(opened, light, work):
    window = opened[0]
    rest(window)
    work.begin()
    yield window
    window.bench.look(**AS_AT_FIRST)
    window.bench.go_to(0)
    rest(window)


def heads_of(window):
    return window.bench.frame.result.heads


def views_of(window):
    return [card.view for card in window.docks.heatmaps._grid.cards]


def test_a_start_computes_and_pools_the_scene_elsewhere(opened, long_scene):
    window, pooled, computed = opened
    assert computed[False] == [long_scene]
    assert [scene.n_positions for scene in computed[True]] == [POSITIONS]
    assert pooled[True] <= MOST_AT_ONCE < pooled[False]
    assert window.bench.history.n_steps == 0
    shown = [view.picture.values for view in views_of(window)]
    assert all(values is of.weights for values, of in zip(shown, heads_of(window), strict=True))


AS_AT_FIRST = {"quantity": Quantity.WEIGHTS, "colour_scale": ColourScale.LINEAR, "window": None}
LOOKS = {
    "scores": {"quantity": Quantity.SCORES},
    "the largest weight": {"colour_scale": ColourScale.LINEAR_TO_MAX},
    "logarithmic": {"colour_scale": ColourScale.LOGARITHMIC},
}


@pytest.mark.parametrize("name", LOOKS)
def test_other_colours_of_all_heads_are_made_elsewhere(window, work, name):
    window.bench.look(**LOOKS[name])
    rest(window)
    assert work.pooled[True] <= MOST_AT_ONCE < work.pooled[False]
    assert work.computed == {True: [], False: []}


def test_what_is_painted_in_the_end_is_what_one_thread_would_paint(window, grabbed, qtbot):
    window.bench.look(colour_scale=ColourScale.LOGARITHMIC)
    rest(window)
    inner = slice(8, -8), slice(8, -8)  # without the focus frame
    for view in views_of(window)[:4]:
        plain = MatrixView()
        qtbot.addWidget(plain)
        plain.setFont(view.font())
        plain.set_bare(view.is_bare)
        plain.resize(view.size())
        plain.set_picture(view.picture)
        plain.set_cursor_cell(*view.cursor_cell)
        wanted, shown = grabbed(plain), grabbed(view)
        assert np.array_equal(shown[inner], wanted[inner])


def test_a_zoom_shows_at_once_what_is_known_and_then_the_cells(window, monkeypatch, grabbed):
    monkeypatch.setattr(pooling, "MOST_AT_ONCE", 0)
    view = views_of(window)[1]
    whole = grabbed(view)
    window.bench.look(window=Window(256, 0, 512))
    QApplication.processEvents()
    assert view.wanted is not None
    meanwhile = grabbed(view)
    rest(window)
    assert view.wanted is None
    then = grabbed(view)

    def differ(one, other):
        return np.mean(one.astype(int) != other)

    assert 0 < differ(meanwhile, then) < differ(whole, then) / 2


def test_one_gain_is_pooled_at_once(window, work):
    window.bench.edit(set_gain(2, 1.5))
    rest(window)
    assert 0 < work.pooled[True] <= MOST_AT_ONCE
    assert work.pooled[False] == 0


def test_a_context_menu_waits_while_a_gain_is_computed(window, work, qtbot):
    window.bench.edit(SetMasterGain(1.5))
    body, place = window.docks.heatmaps.widget(), QPoint(60, 60)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, body.mapToGlobal(place))
    QApplication.sendEvent(body, event)
    assert QApplication.activePopupWidget() is None
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None, timeout=20_000)
    assert window.bench.frame.scene is window.bench.scene
    assert work.computed[True] == []
    QApplication.activePopupWidget().close()


def test_what_waits_for_a_computation_that_is_cancelled_is_not_done(window):
    done = []
    window.bench.edit(SetMasterGain(1.5))
    window.bench.when_settled(done.append)
    QApplication.processEvents()  # it begins
    window.bench.cancel()
    rest(window)
    assert (done, window.bench.scene.master_gain) == ([], 1.0)


# --- a start that is cancelled


@pytest.fixture
def held(monkeypatch):
    """Keeps long computations from going on until it is set."""
    gate = Event()

    def wait(scene, previous=None, step=None):
        if step is not None:
            assert gate.wait(30)
            step(0)
        return compute(scene, previous, step)

    monkeypatch.setattr(bench_module, "compute", wait)
    monkeypatch.setattr(bench_module, "TOLD_AFTER", 1)
    yield gate
    gate.set()


def test_a_start_can_be_cancelled_and_leaves_the_lesson(held, long_scene, qtbot, settle, unsaved):
    window = MainWindow(long_scene, is_start=True)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    cancel = window.findChild(QToolButton, "cancelComputing")
    qtbot.waitUntil(cancel.isVisible)
    facts = window.findChild(QLabel, "sceneFacts")
    assert facts.text() == f"computing… head 1 of {HEADS}"
    cards = window.docks.heatmaps._grid.cards
    assert [card.title.accessibleName() for card in cards] == [
        f"h{n} {head.name}" for n, head in enumerate(long_scene.heads, 1)
    ]
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    settle()
    assert window.bench.scene == window.bench.frame.scene == load_lesson("four-heads")
    assert (window.bench.history.n_steps, window.bench.history.is_modified) == (0, False)
    assert not cancel.isVisible()
    held.set()
    settle()
    assert window.bench.frame.scene == load_lesson("four-heads")
    assert window.docks.heatmaps._grid.cards[0].view.picture.shape == (6, 6)


def test_a_short_scene_is_there_from_the_beginning(qapp, work):
    work.begin()
    scene = load_lesson("four-heads")
    bench = Bench(scene)
    assert bench.frame.scene is scene
    assert work.computed == {True: [scene], False: []}
    bench.stop()
    bench.deleteLater()
