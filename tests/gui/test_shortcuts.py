"""The window of shortcuts: complete, to be searched and copied."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QPushButton

from mhagui.document import load_lesson
from mhagui.gui.commands import commands_of
from mhagui.gui.gestures import GESTURES
from mhagui.gui.main_window import MainWindow
from mhagui.gui.shortcuts import NOTHING_FOUND, ShortcutsDialog, all_lines, as_text, show_shortcuts

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def whole_window(qapp, fusion, nothing_old):
    window = MainWindow(load_lesson("four-heads"))
    yield window
    window.bench.stop()
    window.deleteLater()


@pytest.fixture
def dialog(whole_window, light, settle):
    show_shortcuts(whole_window)
    dialog = whole_window.findChild(ShortcutsDialog)
    yield dialog
    dialog.close()
    settle()


def listed(dialog):
    """Return what is to be seen: heading, what it does, keys."""
    return [
        (heading.text(0), item.text(0), item.text(1))
        for heading, items in dialog._parts
        for item in items
        if not (heading.isHidden() or item.isHidden())
    ]


def test_no_shortcut_of_the_menus_is_missing(dialog, whole_window):
    lines = listed(dialog)
    for command in commands_of(whole_window.menuBar()):
        if command.keys:
            assert (f"{command.path[0]} menu", ", ".join(command.keys)) in {
                (where, keys) for where, _, keys in lines
            }
    assert [line for line in lines if not line[0].endswith(" menu")] == [
        (each.where, each.does, each.keys) for each in GESTURES
    ]
    assert ("Edit menu", "Redo", "Ctrl+Shift+Z, Ctrl+Y") in lines
    assert ("File menu", "New", "Ctrl+N") in lines  # and not the key New, which few keyboards have


def test_words_narrow_it_and_none_brings_all_back(dialog):
    everything = listed(dialog)
    dialog.filter.setText("page")
    assert {where for where, _, _ in listed(dialog)} == {"Heatmaps", "Pipeline", "Gain sliders"}
    dialog.filter.setText("HEATMAPS alone")
    assert [keys for _, _, keys in listed(dialog)] == ["Shift+Enter, double click"]
    dialog.filter.setText("qqq")
    assert listed(dialog) == []
    dialog.filter.clear()
    assert listed(dialog) == everything


def test_all_of_it_is_copied_as_text(dialog, qtbot):
    dialog.filter.setText("page")
    qtbot.mouseClick(dialog.findChild(QPushButton, "copyShortcuts"), LEFT)
    text = QGuiApplication.clipboard().text()
    for each in GESTURES:
        assert any(each.keys in line and line.endswith(each.does) for line in text.splitlines())
    assert "Ctrl+Shift+E" in text
    headings = [line for line in text.splitlines() if line and line[0] != " "]
    assert headings[:2] == ["File menu", "Edit menu"]
    assert len(headings) == len(set(headings))


def test_there_is_one_window_and_the_program_goes_on_beside_it(dialog, whole_window):
    show_shortcuts(whole_window)
    assert whole_window.findChildren(ShortcutsDialog) == [dialog]
    assert not dialog.isModal()
    assert dialog.findChild(QLineEdit).hasFocus()


def test_a_key_of_a_gesture_is_no_key_of_the_menus(whole_window):
    """Or one would do the other's work: F2 aside, which a matrix takes for itself.

    Keys of menus that are those of one dock alone may be told of there.
    """
    everywhere = Qt.ShortcutContext.WindowShortcut
    commands = commands_of(whole_window.menuBar())
    of_window = [each for each in commands if each.action.shortcutContext() is everywhere]
    of_menus = {key for command in of_window for key in command.keys}
    of_docks = {key for each in GESTURES for key in each.keys.split(", ")}
    assert of_menus & of_docks <= {"F2"}


def test_text_keeps_columns(whole_window):
    text = as_text(all_lines(commands_of(whole_window.menuBar())))
    lines = [line for line in text.splitlines() if line.startswith("  ")]
    width = max(len(each.keys) for each in GESTURES)
    assert all(line[2 + width : 4 + width] == "  " for line in lines)
    assert all(line[4 + width] != " " for line in lines)


def test_where_no_line_is_left_it_says_so(dialog):
    said = dialog._nothing
    assert said.isHidden()
    dialog.filter.setText("qqq")
    assert (said.text(0), said.isHidden()) == (NOTHING_FOUND, False)
    dialog.filter.clear()
    assert said.isHidden()


def test_no_line_is_cut_and_columns_stay_when_it_is_narrowed(dialog, settle):
    settle()
    widths = [dialog.list.columnWidth(column) for column in (0, 1)]
    assert all(width >= dialog.list.sizeHintForColumn(n) for n, width in enumerate(widths))
    dialog.filter.setText("Ctrl+N")
    settle()
    assert dialog.list.columnWidth(1) == widths[1]
