"""What Help says of the program: enough for a report of a fault, and to be copied."""

import pytest
from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton

from mhagui import __version__
from mhagui.gui.about import AboutDialog, system_text
from mhagui.system_info import info_text, system_info


@pytest.fixture
def dialog(qtbot):
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


def test_it_says_what_the_command_line_says_and_more_of_the_window():
    lines = system_text().splitlines()
    assert lines[: len(system_info())] == info_text(system_info()).splitlines()
    said = {line[:19].strip(): line[20:] for line in lines}
    assert said["Qt"] == qVersion()
    assert said["Qt platform"] == "offscreen"
    assert said["style"] == "fusion"
    assert said["font"] == f"{QApplication.font().family()}, {round(10 * 96 / 72)} px"
    size = QGuiApplication.primaryScreen().size()
    assert said["screens"] == f"{size.width()}×{size.height()} at 1"


def test_all_of_it_is_shown_and_copied(dialog, qtbot):
    assert system_text() in dialog.findChild(QPlainTextEdit).toPlainText()
    (copy,) = (b for b in dialog.findChildren(QPushButton) if "Copy" in b.text())
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert system_text() in copied
    assert copied.startswith(f"mhagui {__version__}")


def test_escape_closes_it(qtbot):
    dialog = AboutDialog()  # which is gone with that
    with qtbot.waitExposed(dialog):
        dialog.show()
    with qtbot.waitSignal(dialog.destroyed):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
