"""Whoever goes through the docks by Tab sees where the focus is, at every stop."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMainWindow

from mhagui.gui.docks.entropy import EntropyDock
from mhagui.gui.docks.heads import HeadsDock
from mhagui.gui.docks.rank import RankDock

STOPS = {HeadsDock: 6 + 4 * 8 - 2 + 5, EntropyDock: 2, RankDock: 3}
NAMES = [kind.__name__ for kind in STOPS]


@pytest.fixture(params=STOPS, ids=NAMES)
def window(request, bench, qtbot):
    window = QMainWindow()
    window.dock = request.param(bench)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, window.dock)
    window.resize(310, 720)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_stop_shows_the_focus(window, bench, qtbot, grabbed, settle, request, theme):
    request.getfixturevalue(theme)
    bench.point(head=2)  # all buttons can be used
    settle()
    if QApplication.focusWidget() is None:
        window.setFocus()
    before, stops = grabbed(window), {}
    for _ in range(STOPS[type(window.dock)]):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        settle()
        stop = QApplication.focusWidget()
        after = grabbed(window)
        left, top = stop.mapTo(window, QPoint()).toTuple()
        box = np.s_[top : top + stop.height(), left : left + stop.width()]
        change = np.abs(after[box].astype(int) - before[box]).sum(axis=2)
        stops[stop.objectName()] = int((change > 100).sum())
        before = after
    assert len(stops) == STOPS[type(window.dock)]
    assert {name: pixels for name, pixels in stops.items() if pixels < 40} == {}


@pytest.mark.parametrize("front", ["entropy", "rank"])
def test_tab_stays_out_of_docks_that_are_behind_others(open_window, qtbot, settle, front):
    window = open_window()
    getattr(window.docks, front).raise_()
    settle()
    first, visited = QApplication.focusWidget(), []
    while first not in visited:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        visited.append(QApplication.focusWidget())
        assert window.rect().contains(visited[-1].mapTo(window, QPoint())), visited[-1]
    assert any(getattr(window.docks, front).isAncestorOf(stop) for stop in visited)
    window.close()
