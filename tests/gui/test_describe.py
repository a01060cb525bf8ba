"""The dialog in which a scene gets its title and its description."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QPlainTextEdit, QPushButton

from mhagui.gui.describe import DescribeDialog

Key, LEFT = Qt.Key, Qt.MouseButton.LeftButton


@pytest.fixture
def open_dialog(qtbot):
    """A function that opens the dialog for a scene."""

    def open_dialog(scene):
        dialog = DescribeDialog(scene)
        qtbot.addWidget(dialog)
        with qtbot.waitActive(dialog):
            dialog.show()
        return dialog

    return open_dialog


@pytest.fixture
def dialog(bench, open_dialog):
    return open_dialog(bench.scene)


@pytest.fixture
def ok(dialog):
    return dialog.findChild(QPushButton, "describeOk")


@pytest.fixture
def title(dialog):
    return dialog.findChild(QLineEdit, "sceneTitle")


@pytest.fixture
def text(dialog):
    return dialog.findChild(QPlainTextEdit, "sceneDescription")


@pytest.fixture
def said(dialog):
    return dialog.findChild(QLabel, "describeMessage").text


def test_the_scene_gets_the_words_and_an_undo_takes_them_back(bench, dialog, qtbot):
    before = bench.scene
    qtbot.keyClicks(dialog.focusWidget(), "My heads")  # in place of the title, which is selected
    qtbot.keyClick(dialog.focusWidget(), Key.Key_Tab)
    dialog.focusWidget().selectAll()
    qtbot.keyClicks(dialog.focusWidget(), "For a class")
    qtbot.keyClick(dialog.focusWidget(), Key.Key_Return)  # a line more, in a description
    qtbot.keyClicks(dialog.focusWidget(), "of ten")
    qtbot.keyClick(dialog.focusWidget(), Key.Key_Tab)
    qtbot.keyClick(dialog.focusWidget(), Key.Key_Space)
    assert dialog.result() == QDialog.DialogCode.Accepted
    bench.edit(dialog.edit())
    assert (bench.scene.title, bench.scene.description) == ("My heads", "For a class\nof ten")
    assert bench.history.undo_text == "Describe scene"
    bench.undo()
    assert bench.scene == before


def test_words_that_nobody_touches_stay_as_they_are(bench, open_dialog):
    scene = replace(bench.scene, title="<b>größer</b>", description="\n<i>T</i> = 6 \n\nend\n")
    assert open_dialog(scene).edit().apply(scene) == scene


def test_a_title_is_needed(ok, title, said, type_in):
    type_in(title, "", None)
    assert "title needs 1 to 120 printable characters" in said()
    assert not ok.isEnabled()
    type_in(title, "x", None)
    assert (said(), ok.isEnabled()) == ("", True)


def test_a_title_is_not_too_long(ok, title, said, type_in):
    type_in(title, "x" * 120, None)
    assert ok.isEnabled()
    type_in(title, "x" * 121, None)
    assert "got 121" in said()
    assert not ok.isEnabled()


def test_a_description_is_not_too_long_and_has_no_tabs(ok, text, said, qtbot):
    for pasted, got in (("y" * 4001, "got 4001"), ("a\tb", r"got 3: 'a\tb'")):
        QGuiApplication.clipboard().setText(pasted)
        text.selectAll()
        qtbot.keyClick(text, Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert got in said()
        assert not ok.isEnabled()
    text.selectAll()
    qtbot.keyClick(text, Key.Key_Delete)
    assert ok.isEnabled()


def test_everything_has_a_name_and_a_tip(dialog, title, text):
    for widget in (title, text, *dialog.findChildren(QPushButton)):
        assert all((widget.objectName(), widget.accessibleName(), widget.toolTip()))


def test_ctrl_enter_in_the_description_is_ok(dialog, text, qtbot):
    text.setFocus()
    qtbot.keyClick(text, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: dialog.result() == QDialog.DialogCode.Accepted)
    assert "\n" not in dialog.edit().description
