"""What the notice bar of a real window says of files: failures, and what others did to them."""

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from mhagui.document import ViewState, load_lesson
from mhagui.document.edits import set_gain
from mhagui.document.session import Session
from mhagui.document.session_file import write_session
from mhagui.gui.main_window import MainWindow
from mhagui.gui.recent_menu import RecentMenu


def do(window: MainWindow, key: str) -> None:
    window.findChild(QAction, key).trigger()


def a_session(lesson: str) -> Session:
    scene = load_lesson(lesson)
    return Session(scene, ViewState.of(scene))


def notice(window: MainWindow) -> str:
    """What the notice bar says; nothing where it is not there."""
    return window.findChild(QLabel, "notice").text() if window.notices.isVisible() else ""


def written_elsewhere(path: Path, lesson: str) -> None:
    """Have another program write to the file, some time later."""
    write_session(path, a_session(lesson))
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000))


def press(window: MainWindow, qtbot: QtBot, text: str) -> None:
    """Press a button of the notice."""
    button = next(b for b in window.notices.findChildren(QPushButton) if b.text() == text)
    qtbot.waitUntil(lambda: button.height() > 10)  # it has been given its place
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def activated(window: MainWindow, qtbot: QtBot) -> None:
    """Go to another window of the screen, and come back."""
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def test_what_could_not_be_done_with_a_file_is_said_until_it_is_done(window, tmp_path):
    (tmp_path / "bad.json").write_text("[]")
    window.files.open(tmp_path / "bad.json")
    window.files.write(tmp_path / "none" / "mine.json")
    assert notice(window).startswith("Not saved: ")  # the newest
    window.notices.dismiss()
    assert "bad.json" in notice(window)
    window.files.write(tmp_path / "mine.json")
    assert notice(window) == ""


def test_revert_is_offered_as_soon_as_the_file_is_another(window, qtbot, tmp_path):
    path = tmp_path / "a.mhascene"
    window.files.write(path)
    revert = window.findChild(QAction, "revert")
    written_elsewhere(path, "two-heads")
    assert not revert.isEnabled()
    window.menuBar().actions()[0].menu().aboutToShow.emit()
    assert revert.isEnabled()
    revert.trigger()
    assert window.bench.scene == load_lesson("two-heads")
    window.menuBar().actions()[0].menu().aboutToShow.emit()
    assert not revert.isEnabled()


def test_a_file_that_another_program_changed_is_offered_to_be_loaded_again(window, qtbot, tmp_path):
    path = tmp_path / "a.mhascene"
    window.files.write(path)
    activated(window, qtbot)
    assert notice(window) == ""
    written_elsewhere(path, "two-heads")
    activated(window, qtbot)
    assert notice(window) == "“a.mhascene” has been changed by another program."
    assert window.findChild(QAction, "revert").isEnabled()
    press(window, qtbot, "&Reload")
    assert window.bench.scene == load_lesson("two-heads")
    assert not window.isWindowModified()
    assert notice(window) == ""
    do(window, "undo")
    assert window.bench.scene == load_lesson("four-heads")


def test_one_change_is_told_once_and_the_next_again(window, qtbot, tmp_path):
    path = tmp_path / "a.mhascene"
    window.files.write(path)
    for lesson in ("two-heads", "induction"):
        written_elsewhere(path, lesson)
        activated(window, qtbot)
        assert "another program" in notice(window)
        window.notices.dismiss()
        activated(window, qtbot)
        assert notice(window) == ""


def test_where_something_is_unsaved_here_too_saving_asks_first(window, qtbot, tmp_path):
    path = tmp_path / "a.mhascene"
    window.files.write(path)
    window.bench.edit(set_gain(1, 2.0))
    write_session(path, Session.of(load_lesson("two-heads")))
    activated(window, qtbot)
    assert notice(window) == "“a.mhascene” has been changed by another program; saving asks first."
    assert not any(b.text() == "&Reload" for b in window.notices.findChildren(QPushButton))


def test_a_file_that_is_gone_is_told_of_and_closing_asks(window, qtbot, tmp_path, unsaved):
    path = tmp_path / "a.mhascene"
    window.files.write(path)
    path.unlink()
    activated(window, qtbot)
    assert notice(window) == "“a.mhascene” is no more on the disk."
    assert window.files.may_leave()
    assert unsaved == ["a.mhascene"]
    press(window, qtbot, "&Save it again")
    assert path.exists()
    assert notice(window) == ""
    assert window.files.may_leave()
    assert unsaved == ["a.mhascene"]


@pytest.mark.parametrize("way", ["save", "leave"])
def test_what_was_said_of_a_file_goes_with_it(window, qtbot, tmp_path, way):
    path = tmp_path / "a.mhascene"
    window.files.write(path)
    written_elsewhere(path, "two-heads")
    activated(window, qtbot)
    assert notice(window)
    if way == "save":
        window.files.write(path)
    else:
        window.files.lay_out(load_lesson("induction"))
    assert notice(window) == ""


def test_a_file_that_is_gone_leaves_the_list_of_recent_files(window, tmp_path):
    paths = [tmp_path / name for name in ("a.json", "b.json")]
    for path in paths:
        window.files.write(path)
    recent = window.findChild(RecentMenu)
    paths[1].unlink()
    recent.actions()[0].trigger()
    assert "b.json" in notice(window)
    assert [action.toolTip() for action in recent.actions()[:-2]] == [str(paths[0])]
    paths[0].write_text("broken")
    recent.actions()[0].trigger()
    assert [action.toolTip() for action in recent.actions()[:-2]] == [str(paths[0])]
