"""The status bar: one thing at a time in one place."""

from PySide6.QtWidgets import QLabel

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
