"""No dock keeps what is T × T of a result that is no more, seen or not."""

import gc
import weakref

from PySide6.QtWidgets import QAbstractButton, QMainWindow

from mhagui.document.edits import SetSequenceLength
from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.file_session import FileSession
from mhagui.gui.layout import Docks
from mhagui.gui.lesson_session import LessonSession

# What opens another page of a dock than its first.
MORE_PAGES = {
    "heatmapsDock": "showScores",
    "filterBankDock": "showAblationSite",
    "impulseDock": "showResponse",
}


def large_arrays(result):
    large = [result.allowed, *(of for head in result.heads for of in (head.weights, head.scores))]
    return [weakref.ref(of) for of in large]


def n_left(dock, bench, settle):
    """How many large arrays are left after another length, of a dock in sight and out of it."""
    dock.show()
    settle()
    assert dock._drawn is bench.frame  # or there were nothing to forget
    left = []
    for visible in (True, False):
        dock.setVisible(visible)
        large = large_arrays(bench.frame.result)
        bench.edit(SetSequenceLength(bench.scene.n_positions + 1))
        settle()
        gc.collect()
        left.append(sum(of() is not None for of in large))
    return left


def test_no_dock_keeps_what_is_large_of_an_old_result(bench, qtbot, settle):
    window = QMainWindow()
    qtbot.addWidget(window)
    left = {}
    captures = CaptureSession(bench, FileSession(bench, window, settle), window)
    for dock in Docks(window, bench, LessonSession(bench, None, window), captures).all:
        dock.setParent(None)
        qtbot.addWidget(dock)
        left[dock.objectName()] = n_left(dock, bench, settle)
        if page := MORE_PAGES.get(dock.objectName()):
            dock.findChild(QAbstractButton, page).click()
            left[page] = n_left(dock, bench, settle)
    assert {name: found for name, found in left.items() if found != [0, 0]} == {}
    assert len(left) == 18 + len(MORE_PAGES)
