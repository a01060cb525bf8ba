"""What all docks have in common: when they draw, and what they hold on to."""

import subprocess
import sys
import weakref

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMainWindow

from mhagui.document import load_lesson
from mhagui.document.edits import SetMasterGain, set_gain
from mhagui.gui.docks.entropy import EntropyDock
from mhagui.gui.main_window import MainWindow
from mhagui.gui.panel import Panel

CLOSE_WHILE_BUSY = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton
from mhagui.document import load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.gui.application import make_application, run

def compute():
    window = next(w for w in QApplication.topLevelWidgets() if w.inherits("QMainWindow"))
    window.docks.show(["rankDock"])
    window.findChild(QPushButton, "computeRankButton").click()
    QTimer.singleShot(20, window.close)

make_application()
QTimer.singleShot(200, compute)
raise SystemExit(run(SetSequenceLength(2048).apply(load_lesson("four-heads"))))
"""


class Recorder(Panel):
    """A panel that notes what it is asked to draw."""

    def __init__(self, bench, name="recorderDock"):
        super().__init__(bench, name, "Recorder")
        self.drawn = []
        self.faults = []
        self.set_body(QLabel())

    def show_frame(self, frame, previous):
        self.drawn.append((frame, previous))
        if self.faults:
            raise self.faults.pop()


class Patient(Recorder):
    """A recorder whose first frame can wait."""

    is_complete_undrawn = True


@pytest.fixture
def in_front_and_behind(bench, qtbot, settle):
    """Two docks of one place in a window that is shown."""
    window = QMainWindow()
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    front, behind = Recorder(bench), Recorder(bench, "behindDock")
    for dock in (front, behind):
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.tabifyDockWidget(front, behind)
    front.raise_()
    settle()
    yield front, behind
    window.close()


def test_a_panel_is_drawn_when_it_is_made_or_can_wait(bench, qtbot):
    hasty, patient = Recorder(bench), Patient(bench)
    for panel in (hasty, patient):
        qtbot.addWidget(panel)
    assert len(hasty.drawn) == 1
    assert patient.drawn == []
    patient.draw_ahead()
    patient.draw_ahead()
    assert patient.drawn == [(bench.frame, None)]


def test_what_can_wait_is_drawn_with_the_next_frame_if_never_shown(bench, qtbot, settle):
    patient = Patient(bench)
    qtbot.addWidget(patient)
    bench.edit(set_gain(1, 2.0))
    settle()
    assert patient.drawn == [(bench.frame, None)]


def test_a_panel_behind_others_draws_nothing_and_lets_go_of_old_results(
    in_front_and_behind, bench, settle
):
    front, behind = in_front_and_behind
    behind.drawn.clear()
    front.drawn.clear()
    weights = weakref.ref(bench.frame.result.heads[0].weights)
    bench.edit(set_gain(1, 2.0))
    settle()
    assert behind.drawn == []
    assert [frame for frame, _ in front.drawn] == [bench.frame]
    front.drawn.clear()  # it noted the frame before as well
    assert weights() is None
    behind.raise_()
    settle()
    assert behind.drawn == [(bench.frame, None)]


def test_a_dock_that_was_behind_floats_and_is_closed_draws_nothing(
    in_front_and_behind, bench, settle
):
    _, behind = in_front_and_behind
    behind.setFloating(True)
    behind.hide()
    settle()
    behind.drawn.clear()
    bench.edit(set_gain(1, 2.0))
    settle()
    assert behind.drawn == []
    behind.show()
    settle()
    assert behind.drawn[-1][0] is bench.frame


def test_after_a_fault_all_is_drawn_anew(in_front_and_behind, bench, settle, qtbot):
    front, _ = in_front_and_behind
    front.faults.append(ZeroDivisionError("half-way"))
    with qtbot.captureExceptions() as faults:
        bench.edit(set_gain(1, 2.0))
        settle()
    assert [kind for kind, *_ in faults] == [ZeroDivisionError]
    bench.edit(set_gain(1, 3.0))
    settle()
    assert front.drawn[-1] == (bench.frame, None)


def test_a_fault_in_one_dock_leaves_the_others_to_go_on(qtbot, monkeypatch, settle):
    window = MainWindow(load_lesson("four-heads"))
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: all(dock._drawn for dock in window.docks.all))

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(EntropyDock, "show_frame", fail)
    text = window.findChild(QLabel, "cursorReadout").text
    before = text()
    with qtbot.captureExceptions() as faults:
        window.bench.edit(SetMasterGain(3.0))
        settle()
    assert len(faults) == 1
    assert text() != before
    gain = window.findChild(object, "masterGainBox")
    assert gain.value() == 3.0


def test_docks_behind_others_are_drawn_after_the_first_paint(qtbot, monkeypatch):
    drawn = []
    draw = Panel._draw
    monkeypatch.setattr(Panel, "_draw", lambda dock, frame: (drawn.append(dock), draw(dock, frame)))
    window = MainWindow(load_lesson("four-heads"))
    qtbot.addWidget(window)
    window.show()
    waiting = {dock for dock in window.docks.all if dock.is_complete_undrawn}
    assert len(waiting) >= 5
    assert waiting.isdisjoint(drawn)
    qtbot.waitUntil(lambda: waiting.issubset(drawn))


def test_closing_ends_the_program_in_the_middle_of_a_decomposition():
    ended = subprocess.run(
        [sys.executable, "-c", CLOSE_WHILE_BUSY],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    complaints = [line for line in ended.stderr.splitlines() if "This plugin" not in line]
    assert (ended.returncode, complaints) == (0, [])
