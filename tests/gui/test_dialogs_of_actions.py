"""The actions that open dialogs, and what comes of the answers."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QPushButton, QSpinBox

from mhagui.document import (
    Session,
    load_lesson,
    write_session,
)
from mhagui.gui.about import AboutDialog, SceneDialog
from mhagui.gui.describe import DescribeDialog
from mhagui.gui.export.dialog import ExportDialog
from mhagui.gui.main_window import MainWindow
from mhagui.gui.motion_dialog import MotionDialog
from mhagui.gui.new_scene import NewSceneDialog


def do(window: MainWindow, key: str) -> None:
    window.findChild(QAction, key).trigger()


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[QDialog], object]]:
    """What is done to the next dialogs, of which each is accepted then; others are rejected."""
    answers: list[Callable[[QDialog], object]] = []

    def answer(dialog: QDialog) -> int:
        if not answers:
            return 0
        answers.pop(0)(dialog)
        return 1

    monkeypatch.setattr(QDialog, "exec", answer)
    return answers


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("export", ExportDialog),
        ("animate", MotionDialog),
        ("about_scene", SceneDialog),
        ("about", AboutDialog),
        ("new", NewSceneDialog),
        ("describe", DescribeDialog),
    ],
)
def test_each_dialog_opens_by_its_action_and_goes_when_it_is_answered(
    window, settle, answers, key, kind
):
    shown = []
    answers.append(lambda dialog: shown.append(type(dialog)))
    do(window, key)
    settle()
    assert shown == [kind]
    assert window.findChildren(QDialog, options=Qt.FindChildOption.FindDirectChildrenOnly) == []


def test_about_gives_the_system_information_to_copy(window, answers, qtbot):
    def copy(dialog: QDialog) -> None:
        button = next(b for b in dialog.findChildren(QPushButton) if "Copy" in b.text())
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    answers.append(copy)
    QApplication.clipboard().setText("")
    do(window, "about")
    assert "PySide6" in QApplication.clipboard().text()


def test_open_asks_for_a_file_and_opens_it(window, monkeypatch, tmp_path):
    path = tmp_path / "chosen.mhascene"
    write_session(path, Session.of(load_lesson("two-heads")))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    do(window, "open")  # nothing is chosen
    assert window.files.state.path is None
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    do(window, "open")
    assert window.files.state.path == path
    assert window.bench.scene == load_lesson("two-heads")


def test_a_new_scene_of_the_chosen_sizes_is_a_step(window, answers):
    before = window.bench.scene

    def choose(dialog: QDialog) -> None:
        dialog.findChild(QSpinBox, "newScene_H").setValue(3)

    answers.append(choose)
    do(window, "new")
    assert (window.bench.scene.title, window.bench.scene.n_heads) == ("Untitled", 3)
    assert not window.isWindowModified()
    do(window, "undo")
    assert window.bench.scene is before


def test_a_scene_is_described_in_a_step_that_undo_names(window, answers):
    def describe(dialog: QDialog) -> None:
        dialog.findChild(QLineEdit, "sceneTitle").setText("My four heads")

    answers.append(describe)
    do(window, "describe")
    assert window.bench.scene.title == "My four heads"
    assert window.findChild(QAction, "undo").text() == "&Undo describe scene"
    do(window, "undo")
    assert window.bench.scene.title == "four heads"
