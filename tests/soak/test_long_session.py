"""A long session: thousands of gain changes lose and hoard nothing. ``make soak`` runs it."""

import gc
import itertools
import os
import sys
import time
from pathlib import Path

import pytest

from mhagui.document import load_lesson
from mhagui.document.edits import set_gain
from mhagui.gui.main_window import MainWindow

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

CHANGES = int(os.environ.get("MHAGUI_SOAK_CHANGES", "20000"))  # 1,500 of 20,000 with every dock
MOST_LOST = 200  # references to None; where one is lost by each change there are thousands
IMMORTAL_NONE = sys.version_info >= (3, 12)


@pytest.fixture
def window(qtbot, qapp):
    """The window as it is laid out at first."""
    window = MainWindow(load_lesson("four-heads"))
    qtbot.addWidget(window, before_close_func=leave)
    window.resize(1280, 800)
    with qtbot.waitExposed(window):
        window.show()
    qapp.processEvents()
    return window


def leave(window):
    """Have nothing that is unsaved, or closing would ask for it."""
    window.bench.open(load_lesson("four-heads"))


def held() -> tuple[float, int]:
    """Return the memory this process holds now, in MiB, and how many references to None."""
    gc.collect()  # what is only waiting to be collected is neither hoarded nor lost
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20, sys.getrefcount(None)


def change_gains(window, qapp, count):
    frames = itertools.count()
    window.bench.shown.connect(lambda _frame: next(frames))
    for number in range(count):
        uid = window.bench.scene.heads[number % 4].uid
        window.bench.edit(set_gain(uid, (number * 7 % 401) / 100))
        qapp.processEvents()
    assert next(frames) == count


def soak(window, qapp, warm_up, changes, most_grown):
    """Change gains; hold what is hoarded (in MiB) and lost after a warm-up against limits."""
    began = time.monotonic()
    change_gains(window, qapp, warm_up)
    memory, nones = held()
    change_gains(window, qapp, changes)
    memory_then, nones_then = held()
    grown, lost = memory_then - memory, nones - nones_then
    took = time.monotonic() - began
    print(f"{changes} changes: {grown:.1f} MiB grown, {lost} None lost, {took:.0f} s")
    assert grown < most_grown
    assert IMMORTAL_NONE or lost < MOST_LOST


def test_twenty_thousand_changes_in_the_layout_of_the_start(window, qapp):
    soak(window, qapp, 1_000, CHANGES, most_grown=10)


def test_fifteen_hundred_changes_with_every_dock_in_sight(window, qapp):
    for dock in window.docks.all:
        dock.setFloating(True)  # behind others it would not be drawn
        dock.show()
    qapp.processEvents()
    assert all(dock.is_in_sight() for dock in window.docks.all)
    soak(window, qapp, 1_500, CHANGES * 3 // 40, most_grown=4)
