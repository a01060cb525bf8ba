"""The numbers of a comparison, from the dock of the window to the clipboard."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

pytestmark = pytest.mark.qt_log_ignore(
    "This plugin does not support grabbing the keyboard|This plugin does not support raise",
    extend=True,
)
BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.mark.parametrize("name", ["compareA", "compareB", "compareDifference", "compareRows"])
def test_a_key_copies_what_has_the_keyboard(window, enter, find, clipboard, name):
    enter("compare")
    view = find(name)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_N, BOTH)
    rows = [line.split("\t") for line in clipboard().text().splitlines()]
    found = [[float(cell) for cell in row[1:]] for row in rows[1:]]
    assert np.array_equal(found, view.picture.values)


def test_a_right_click_on_b_offers_its_numbers_first(enter, find, right_click, clipboard):
    enter("compare")
    menu = right_click(find("compareB"))
    assert menu.texts[4] == "Copy B as"
    menu.press("Copy B as", "NumPy array")
    assert "np.array" in clipboard().text()
