"""No dock that nobody looks at keeps what is T × T of a result that is no more."""

import gc
import weakref

import pytest
from PySide6.QtWidgets import QAbstractButton, QMainWindow

from mhagui.document.edits import SetSequenceLength
from mhagui.gui.layout import Docks
from mhagui.gui.lesson_session import LessonSession

# Docks, and of those with several pages what opens another one.
PAGES = [
    *((name, "") for name in ("heads", "cost", "heatmaps", "pipeline", "tokens", "projection")),
    *((name, "") for name in ("filter_bank", "weights", "entropy", "rank", "impulse")),
    *((name, "") for name in ("information", "lesson", "cell")),
    ("heatmaps", "showScores"),
    ("filter_bank", "showAblationSite"),
    ("impulse", "showResponse"),
]


@pytest.fixture
def docks(bench, qtbot):
    """All docks of a window that is not shown."""
    window = QMainWindow()
    qtbot.addWidget(window)
    return Docks(window, bench, LessonSession(bench, None, window))


def large_arrays(result):
    large = [result.allowed, *(of for head in result.heads for of in (head.weights, head.scores))]
    return [weakref.ref(of) for of in large]


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_a_dock_keeps_nothing_large_seen_or_not(docks, bench, qtbot, settle, name, page):
    dock = getattr(docks, name)
    dock.setParent(None)
    qtbot.addWidget(dock)
    with qtbot.waitExposed(dock):
        dock.show()
    if page:
        dock.findChild(QAbstractButton, page).click()
    settle()
    settle()
    assert dock._drawn is bench.frame  # or there were nothing to forget
    for n_positions in (8, 9):
        large = large_arrays(bench.frame.result)
        bench.edit(SetSequenceLength(n_positions))
        settle()
        gc.collect()
        assert [of for of in large if of() is not None] == []
        dock.hide()


def test_every_dock_is_asked(docks):
    assert {id(getattr(docks, name)) for name, _ in PAGES} == set(map(id, docks.all))
