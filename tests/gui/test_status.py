"""The status bar: one thing at a time in one place."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel

from mhagui.document.edits import set_muted
from mhagui.gui.status import StatusBar


def test_a_larger_font_shows_nothing_below_a_message(qtbot, settle):
    bar = StatusBar()
    qtbot.addWidget(bar)
    bar.resize(600, 30)
    bar.show()
    settle()
    cell = bar.findChild(QLabel, "cursorReadout")
    bar.notice("Type is at 150 % of the system's size")
    font = bar.font()
    font.setPointSizeF(2 * font.pointSizeF())
    bar.setFont(font)
    settle()
    qtbot.waitUntil(lambda: not cell.isVisible())  # a later turn of the event loop
    bar.clearMessage()
    assert cell.isVisible()


def said(window):
    return window.statusBar().currentMessage()


def test_undone_is_said_no_longer_than_it_is_so(window, settle):
    window.bench.edit(set_muted(1, True))
    window._actions["undo"].trigger()
    assert said(window) == "Undone: Mute head"
    window.bench.point(query=2)
    settle()
    assert said(window)  # to look around takes nothing back
    window.bench.edit(set_muted(2, True))
    settle()
    assert said(window) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0126, "12.6 ms"), (0.4565, "456 ms"), (12.0751, "12.1 s"), (125.2, "2 min 5 s")],
)
def test_times_are_in_the_unit_that_suits_them(bench, qtbot, seconds, text):
    bar = StatusBar()
    qtbot.addWidget(bar)
    bar.show_frame(replace(bench.frame, compute_seconds=seconds))
    assert bar.findChild(QLabel, "sceneFacts").text().endswith(f" · {text}")
