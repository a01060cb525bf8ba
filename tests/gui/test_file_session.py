"""The file menu of a real window: nothing that is unsaved is lost without a question."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QFileDialog,
    QLabel,
    QMenu,
)

from mhagui.document import Appearance, Cursor, Quantity, ViewState, load_lesson
from mhagui.document.edits import rename_head, set_gain
from mhagui.document.origin import Origin
from mhagui.document.session import Session
from mhagui.document.session_file import read_session, write_session
from mhagui.gui import file_session as module
from mhagui.gui import questions
from mhagui.gui.main_window import MainWindow


@dataclass
class Asked:
    """What was asked of the user, and what he shall answer next."""

    leaving: list[str]
    replacing: list[Path]
    otherwise: list[str]
    leave: questions.Leave = questions.Leave.CANCEL
    replace: questions.Replace = questions.Replace.CANCEL


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, window: MainWindow) -> Iterator[Asked]:
    asked = Asked([], [], [])

    def leave(parent: object, name: str, otherwise: str) -> questions.Leave:
        asked.leaving.append(name)
        asked.otherwise.append(otherwise)
        return asked.leave

    def overwrite(parent: object, path: Path) -> questions.Replace:
        asked.replacing.append(path)
        return asked.replace

    monkeypatch.setattr(questions, "ask_to_leave", leave)
    monkeypatch.setattr(questions, "ask_to_replace", overwrite)
    yield asked
    asked.leave = questions.Leave.DISCARD  # so that the window can be closed


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What the user chooses in the next file dialogs; nothing where the list is empty."""
    answers: list[Path] = []

    def answer(dialog: QFileDialog) -> bool:
        if answers:
            dialog.setDirectory(str(answers[0].parent))
            dialog.selectFile(str(answers.pop(0)))
            return True
        return False

    monkeypatch.setattr(QFileDialog, "exec", answer)
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *_: (str(answers.pop(0)) if answers else "", "")
    )
    return answers


def do(window: MainWindow, key: str) -> None:
    window.findChild(QAction, key).trigger()


def notice(window: MainWindow) -> str:
    """What the notice bar says; nothing where it is not there."""
    return window.findChild(QLabel, "notice").text() if window.notices.isVisible() else ""


def changed(window: MainWindow, gain: float = 2.0) -> None:
    window.bench.edit(set_gain(1, gain))


def open_lesson(window: MainWindow, title: str) -> None:
    menus = window.menuBar().findChildren(QMenu) + window.findChildren(QMenu)
    actions = (action for menu in menus for action in menu.actions())
    next(action for action in actions if action.text().replace("&", "") == title).trigger()


def test_a_star_tells_that_there_is_something_to_save(window, tmp_path):
    assert window.windowTitle() == "four heads[*] — mhagui"
    assert not window.isWindowModified()
    changed(window)
    assert window.isWindowModified()
    do(window, "undo")
    assert not window.isWindowModified()
    do(window, "redo")
    window.files.write(tmp_path / "mine.mhascene")
    assert window.windowTitle() == "mine.mhascene[*] — mhagui"
    assert not window.isWindowModified()
    do(window, "undo")
    assert window.isWindowModified()


def test_looking_about_leaves_nothing_to_save(window, settle):
    window.bench.point(head=2, query=5, key=1)
    do(window, "scores")
    settle()
    assert not window.isWindowModified()


def test_a_star_in_the_name_of_a_file_is_shown_as_it_is(window, tmp_path):
    window.files.write(tmp_path / "a[*].json")
    assert window.windowTitle() == "a[*][*].json[*] — mhagui"


@pytest.mark.parametrize("name", ["mine.mhascene", "mine.json"])
def test_save_writes_to_the_same_file_again_and_all_comes_back(window, tmp_path, chosen, name):
    path = tmp_path / name
    changed(window, 1 / 3)
    window.bench.point(head=3, query=4, key=2)
    chosen.append(path)
    do(window, "save")
    assert read_session(path).scene == window.bench.scene
    changed(window, 0.7)
    do(window, "save")  # no dialog any more
    session = read_session(path)
    assert session.scene == window.bench.scene
    assert session.view.cursor == window.bench.view.cursor
    other = MainWindow(session.scene, origin=Origin(path, session.scene), view=session.view)
    assert other.bench.scene == window.bench.scene
    assert other.bench.view.cursor == window.bench.view.cursor
    other.close()
    other.deleteLater()


def test_save_as_goes_on_with_the_new_file_and_leaves_the_old(window, tmp_path, chosen):
    old, new = tmp_path / "old.mhascene", tmp_path / "new.mhascene"
    window.files.write(old)
    before = old.read_bytes()
    changed(window)
    chosen.append(new)
    do(window, "save_as")
    assert window.files.state.path == new
    assert old.read_bytes() == before
    assert read_session(new).scene.heads[0].gain == 2.0


def test_the_name_offered_is_the_files_or_else_the_scenes(window, monkeypatch, tmp_path):
    offered = []

    def answer(dialog):
        offered.append((Path(dialog.selectedFiles()[0]).name, dialog.defaultSuffix()))
        return False

    monkeypatch.setattr(QFileDialog, "exec", answer)
    window.files.lay_out(replace(window.bench.scene, title="K/V study"))
    do(window, "save")
    window.files.write(tmp_path / "mine.json")
    do(window, "save_as")
    open_lesson(window, "two heads")
    do(window, "save")
    assert offered == [
        ("K-V study.mhascene", "mhascene"),
        ("mine.json", "json"),
        ("two heads.mhascene", "mhascene"),
    ]


def test_leaving_unsaved_work_is_asked_about_and_can_be_called_off(window, asked, tmp_path, chosen):
    write_session(tmp_path / "b.mhascene", a_session("two-heads"))
    changed(window)
    mine = window.bench.scene
    window.files.open(tmp_path / "b.mhascene")
    open_lesson(window, "induction")
    window.close()
    assert asked.leaving == ["four heads"] * 3
    undo = "If you do not, Undo brings them back until this window is closed."
    assert asked.otherwise == [undo, undo, "They are lost unless you save them."]
    assert window.bench.scene is mine
    assert window.isVisible()

    asked.leave = questions.Leave.SAVE  # but no file is chosen
    window.close()
    assert window.isVisible()
    chosen.append(tmp_path / "mine.mhascene")
    window.files.open(tmp_path / "b.mhascene")
    assert read_session(tmp_path / "mine.mhascene").scene == mine
    assert window.bench.scene.title == "two heads"


def test_what_was_discarded_comes_back_by_undo_with_its_file(window, asked, tmp_path):
    window.files.write(tmp_path / "a.mhascene")
    changed(window)
    mine = window.bench.scene
    asked.leave = questions.Leave.DISCARD
    open_lesson(window, "two heads")
    assert window.windowTitle() == "two heads[*] — mhagui"
    do(window, "undo")
    assert window.bench.scene is mine
    assert window.windowTitle() == "a.mhascene[*] — mhagui"
    assert window.isWindowModified()
    do(window, "save")
    assert read_session(tmp_path / "a.mhascene").scene == mine


def test_a_window_with_nothing_unsaved_closes_without_a_question(open_window, asked):
    window = open_window()
    window.close()
    assert not window.isVisible()
    assert asked.leaving == []


def test_opening_the_scene_that_is_there_takes_over_its_file(window, tmp_path):
    write_session(tmp_path / "same.mhascene", a_session("four-heads"))
    window.files.open(tmp_path / "same.mhascene")
    assert window.files.state.path == tmp_path / "same.mhascene"


def test_a_file_that_cannot_be_opened_asks_nothing_and_changes_nothing(window, asked, tmp_path):
    changed(window)
    before = window.bench.scene
    bad = tmp_path / "bad.mhascene"
    bad.write_bytes(b"PK\x03\x04 no more")
    assert not window.files.open(bad)
    assert "bad.mhascene" in notice(window)
    assert asked.leaving == []
    assert window.bench.scene is before


def test_a_file_that_somebody_else_changed_is_not_written_over_unasked(window, asked, tmp_path):
    path = tmp_path / "shared.json"
    window.files.write(path)
    theirs = a_session("two-heads")
    write_session(path, theirs)
    changed(window)
    do(window, "save")
    assert asked.replacing == [path]
    assert read_session(path).scene == theirs.scene
    assert window.isWindowModified()
    asked.replace = questions.Replace.OVERWRITE
    do(window, "save")
    assert read_session(path).scene == window.bench.scene
    do(window, "save")
    assert asked.replacing == [path, path]


def test_a_file_that_is_gone_is_simply_written_again(window, asked, tmp_path):
    path = tmp_path / "mine.mhascene"
    window.files.write(path)
    path.unlink()
    changed(window)
    do(window, "save")
    assert asked.replacing == []
    assert read_session(path).scene == window.bench.scene


def test_a_vanished_folder_loses_nothing_and_says_why(window, tmp_path):
    folder = tmp_path / "usb"
    folder.mkdir()
    window.files.write(folder / "mine.mhascene")
    (folder / "mine.mhascene").unlink()
    folder.rmdir()
    changed(window)
    do(window, "save")
    assert "the folder does not exist" in notice(window)
    assert window.isWindowModified()
    assert window.bench.scene.heads[0].gain == 2.0


def test_revert_puts_back_what_is_in_the_file_and_can_be_undone(window, tmp_path):
    window.files.write(tmp_path / "a.mhascene")
    kept = window.bench.scene
    assert not window.findChild(QAction, "revert").isEnabled()
    changed(window)
    mine = window.bench.scene
    do(window, "revert")
    assert window.bench.scene == kept
    assert not window.isWindowModified()
    assert window.findChild(QAction, "undo").text() == "&Undo revert to “four heads”"
    do(window, "undo")
    assert window.bench.scene is mine
    assert window.isWindowModified()


def test_a_name_in_capitals_is_a_scenes_too(window, tmp_path, monkeypatch):
    offered = []

    def answer(dialog):
        offered.append(Path(dialog.selectedFiles()[0]).name)
        return False

    monkeypatch.setattr(QFileDialog, "exec", answer)
    for name in ("X.JSON", "X.MhaScene"):
        window.files.write(tmp_path / name)
        do(window, "save_as")
    assert offered == ["X.JSON", "X.MhaScene"]
    assert json.loads((tmp_path / "X.JSON").read_text())["format"] == "mhagui scene"


def test_revert_without_a_file_goes_back_to_the_lesson(window):
    changed(window)
    do(window, "revert")
    assert window.bench.scene == load_lesson("four-heads")


def test_revert_to_a_file_that_is_gone_is_refused_and_leaves_all(window, tmp_path):
    window.files.write(tmp_path / "a.mhascene")
    changed(window)
    mine = window.bench.scene
    (tmp_path / "a.mhascene").unlink()
    do(window, "revert")
    assert "a.mhascene" in notice(window)
    assert window.bench.scene is mine
    assert window.isWindowModified()


def test_what_was_recovered_is_unsaved_until_it_is_saved(window, asked, tmp_path):
    path = tmp_path / "mine.mhascene"
    write_session(path, a_session("two-heads"))
    found = replace(a_session("induction"), path=str(path))
    assert window.files.recover(found)
    assert window.isWindowModified()
    assert window.files.state.path == path
    do(window, "save")
    assert asked.replacing == [path]  # what is there may be newer


def test_an_exercise_asks_before_it_takes_the_place_of_unsaved_work(window, asked):
    changed(window)
    lesson = window._lesson
    assert not lesson.start()
    assert asked.leaving == ["four heads"]
    assert lesson.progress.active is None
    asked.leave = questions.Leave.DISCARD
    assert lesson.start()
    changed(window, 3.0)
    assert lesson.start()  # from exercise to exercise nobody is asked
    assert asked.leaving == ["four heads"] * 2


def test_what_is_being_typed_is_saved(window, qtbot, tmp_path):
    box = window.findChild(QAbstractSpinBox, "gainBox1")
    window.activateWindow()
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "2.5")
    window.files.write(tmp_path / "typed.mhascene")
    assert read_session(tmp_path / "typed.mhascene").scene.heads[0].gain == 2.5


def a_session(lesson: str) -> Session:
    scene = load_lesson(lesson)
    return Session(scene, ViewState.of(scene))


def test_an_older_scene_opens_and_is_saved_in_todays_form(window, tmp_path):
    path = tmp_path / "old.json"
    scene = json.loads(Path("resources/lessons/two-heads.json").read_text())
    path.write_text(json.dumps(scene))
    window.files.open(path)
    window.bench.edit(rename_head(1, "mine"))
    do(window, "save")
    assert json.loads(path.read_text())["version"] > scene["version"]
    assert read_session(path).scene == window.bench.scene


def test_a_fault_on_closing_keeps_the_window_and_the_work(window, monkeypatch, asked):
    changed(window)
    asked.leave = questions.Leave.SAVE

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(window.files, "may_leave", fail)
    event = QCloseEvent()
    with pytest.raises(ZeroDivisionError):
        window.closeEvent(event)
    assert not event.isAccepted()
    monkeypatch.undo()


def test_too_little_memory_to_save_is_said_and_loses_nothing(window, monkeypatch, tmp_path):
    changed(window)

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(module, "write_session", fail)
    assert not window.files.write(tmp_path / "mine.mhascene")
    assert window.findChild(QLabel, "notice").text() == "Not saved: there is not enough memory."
    assert window.isWindowModified()


def test_what_another_saves_during_our_save_is_not_written_over_unasked(
    window, asked, monkeypatch, tmp_path
):
    path, theirs = tmp_path / "shared.mhascene", a_session("two-heads")
    window.files.write(path)
    changed(window)
    write = module.write_session

    def slow(path, session, before_swap=int):
        monkeypatch.setattr(module, "write_session", write)
        write_session(path, theirs)  # while ours is on its way to the disk
        return write(path, session, before_swap)

    monkeypatch.setattr(module, "write_session", slow)
    do(window, "save")
    assert asked.replacing == [path]
    assert read_session(path).scene == theirs.scene
    assert window.isWindowModified()


def test_what_another_saves_right_after_our_save_is_asked_about(
    window, asked, monkeypatch, tmp_path
):
    path, theirs = tmp_path / "shared.mhascene", a_session("two-heads")
    write = module.write_session

    def slow(path, session, before_swap=int):
        state = write(path, session, before_swap)
        write_session(path, theirs)
        return state

    monkeypatch.setattr(module, "write_session", slow)
    window.files.write(path)
    changed(window)
    do(window, "save")
    assert asked.replacing == [path]
    assert read_session(path).scene == theirs.scene


def test_work_that_stands_nowhere_cannot_be_reverted(window):
    window.files.recover(a_session("induction"))
    assert window.isWindowModified()
    assert not window.findChild(QAction, "revert").isEnabled()


def test_a_scene_is_looked_at_as_when_it_was_saved_and_appears_as_the_user_likes_it(
    window, tmp_path
):
    scene = load_lesson("induction")
    view = replace(
        ViewState.of(scene),
        cursor=Cursor(scene.heads[1].uid, 5, 2),
        quantity=Quantity.SCORES,
        enlarged=scene.heads[1].uid,
        stage=3,
    )
    write_session(tmp_path / "seen.mhascene", Session(scene, view))
    window.bench.look(appearance=Appearance(digits=6))
    window.files.open(tmp_path / "seen.mhascene")
    assert window.bench.view == replace(view, appearance=Appearance(digits=6))
    window.files.lay_out(load_lesson("two-heads"))
    window.files.recover(Session(scene, view))
    assert window.bench.view == replace(view, appearance=Appearance(digits=6))


def test_a_scene_is_offered_where_one_was_saved_last_and_not_beside_a_model(
    window, monkeypatch, tmp_path
):
    offered, (models, mine) = [], (tmp_path / "models", tmp_path / "mine")
    for folder in (models, mine):
        folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(
        QFileDialog, "exec", lambda dialog: offered.append(dialog.directory().absolutePath())
    )
    window.files.scene_folder = None
    window.files.note(models / "tiny.gguf")
    assert window.files.start_folder() == models  # where the next is looked for
    do(window, "save")
    window.files.write(mine / "a.mhascene")
    open_lesson(window, "two heads")
    window.files.note(models / "tiny.gguf")
    do(window, "save")
    assert models not in map(Path, offered)
    assert Path(offered[1]) == mine
