"""A long session: twenty thousand gain changes lose and hoard nothing. ``make soak`` runs it."""

import os
import sys
from pathlib import Path

import pytest

from mhagui.document import load_lesson
from mhagui.document.edits import set_gain
from mhagui.gui.main_window import MainWindow

pytestmark = pytest.mark.soak

WARM_UP = 1_000
CHANGES = int(os.environ.get("MHAGUI_SOAK_CHANGES", "20000"))
IMMORTAL_NONE = sys.version_info >= (3, 12)


def resident_bytes() -> int:
    """Return the memory this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@pytest.mark.timeout(1800)
def test_twenty_thousand_gain_changes(qtbot, qapp):
    window = MainWindow(load_lesson("four-heads"))
    qtbot.addWidget(window)
    window.resize(1600, 1000)
    window.show()
    docks = window.docks
    in_front = (docks.heads, docks.heatmaps, docks.projection, docks.entropy)
    for dock in docks.all:
        dock.setFloating(dock not in in_front)  # behind others it would not be drawn
        dock.show()
    drawn = []
    window.bench.shown.connect(drawn.append)

    def change_gains(count: int) -> None:
        for number in range(count):
            uid = window.bench.scene.heads[number % 4].uid
            window.bench.edit(set_gain(uid, (number * 7 % 401) / 100))
            qapp.processEvents()
            drawn[:-1] = []

    change_gains(WARM_UP)
    assert all(dock.is_in_sight() for dock in docks.all)
    nones, memory = sys.getrefcount(None), resident_bytes()
    change_gains(CHANGES)
    grown = (resident_bytes() - memory) / 2**20
    lost = nones - sys.getrefcount(None)
    print(f"{CHANGES} changes: {grown:.1f} MiB grown, {lost} references to None lost")
    assert grown < 20
    assert IMMORTAL_NONE or lost <= 0
