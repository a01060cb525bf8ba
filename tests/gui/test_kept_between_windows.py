"""What a window leaves in its home is there in the next: choices, files, unsaved work."""

import json
from functools import partial

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QFileDialog, QLabel, QMenu

from mhagui.document import load_lesson
from mhagui.document.edits import set_gain
from mhagui.document.origin import open_session
from mhagui.document.session import Session
from mhagui.document.session_file import write_session
from mhagui.gui.recent_menu import RecentMenu
from mhagui.gui.recovery import Recovery
from mhagui.gui.theme import is_dark
from mhagui.home import Home

pytestmark = pytest.mark.thorough

LOOKS = [
    ("Theme", "Dark", "theme", "dark"),
    ("Digits", "10", "digits", 10),
    ("Colours of weights", "cividis", "weight_colours", "cividis"),
    ("Colours of signed numbers", "purple to orange", "signed_colours", "purple to orange"),
]


@pytest.fixture
def home(tmp_path):
    return Home.below(tmp_path / "home")


@pytest.fixture
def open_at_home(open_window, home):
    return partial(open_window, home=home)


def kept(home):
    return json.loads((home.config / "settings.json").read_text())


def entry(window, menu, text):
    """The entry of a menu, by the words of both."""
    menus = [m for m in window.findChildren(QMenu) if m.title().replace("&", "") == menu]
    (found,) = (a for m in menus for a in m.actions() if a.text().replace("&", "") == text)
    return found


def notices(window):
    """All that is told, each notice answered by putting it away."""
    told = []
    while window.notices.isVisible():
        told.append(window.notices.findChild(QLabel, "notice").text())
        window.notices.dismiss()
    return told


def recent(window):
    return [
        action.toolTip() for action in window.findChild(RecentMenu).actions() if action.toolTip()
    ]


def a_file(path, lesson="two-heads"):
    write_session(path, Session.of(load_lesson(lesson)))
    return path


# --- how things look


@pytest.mark.parametrize(("menu", "text", "name", "value"), LOOKS)
def test_how_things_look_is_kept_and_marked_in_the_next_window(
    open_at_home, home, menu, text, name, value
):
    first = open_at_home()
    assert not entry(first, menu, text).isChecked()
    entry(first, menu, text).trigger()
    assert kept(home)[name] == value
    first.close()
    second = open_at_home()
    assert entry(second, menu, text).isChecked()


def test_the_theme_is_that_of_the_window_before(open_at_home, home, light):
    first = open_at_home()
    entry(first, "Theme", "Dark").trigger()
    first.close()
    QApplication.setPalette(first.style().standardPalette())  # as at a start
    assert not is_dark(QApplication.palette())
    open_at_home()
    assert is_dark(QApplication.palette())


def test_digits_and_colours_are_those_of_the_window_before(open_at_home):
    first = open_at_home()
    for menu, text, *_ in LOOKS[1:]:
        entry(first, menu, text).trigger()
    wanted = first.bench.view.appearance
    first.close()
    second = open_at_home()
    assert second.bench.view.appearance == wanted
    assert (wanted.digits, wanted.weight_colours, wanted.signed_colours) == tuple(
        value for *_, value in LOOKS[1:]
    )


def test_what_is_wrong_with_the_settings_is_told_in_the_window(open_at_home, home):
    home.config.mkdir(parents=True)
    text = {
        "format": "mhagui settings",
        "version": 1,
        "theme": "blue",
        "shoe_size": 43,
        "digits": 6,
    }
    (home.config / "settings.json").write_text(json.dumps(text))
    window = open_at_home()
    assert window.bench.view.appearance.digits == 6
    told = " ".join(notices(window))
    assert "theme" in told
    assert "shoe_size" in told


# --- files


def test_recent_files_are_those_of_the_window_before_until_they_are_cleared(
    open_at_home, home, tmp_path
):
    one, two = a_file(tmp_path / "one.mhascene"), a_file(tmp_path / "two.json")
    first = open_at_home()
    assert first.files.open(one)
    assert first.files.open(two)
    first.close()
    second = open_at_home()
    assert recent(second)[:2] == [str(two), str(one)]
    entry(second, "Open recent", "Clear this list").trigger()
    assert recent(second) == []
    assert kept(home)["recent_files"] == []


def test_a_file_of_the_recent_ones_is_opened_by_a_click(open_at_home, tmp_path):
    window = open_at_home()
    window.files.open(a_file(tmp_path / "one.mhascene"))
    window.files.lay_out(load_lesson("induction"))
    window.findChild(RecentMenu).actions()[0].trigger()
    assert window.files.state.path == tmp_path / "one.mhascene"


def test_a_file_given_at_the_start_is_a_recent_one(open_window, home, tmp_path):
    path = a_file(tmp_path / "given.mhascene")
    _, origin = open_session(path)
    window = open_window("two-heads", home=home, origin=origin)
    assert recent(window)[:1] == [str(path)]
    assert kept(home)["recent_files"] == [str(path)]


def test_a_second_window_on_the_same_file_is_told_so(open_window, home, tmp_path):
    path, other = a_file(tmp_path / "shared.mhascene"), a_file(tmp_path / "other.mhascene")
    _, origin = open_session(path)
    sentence = (
        "“shared.mhascene” is open in another window too; whoever saves last overwrites the other."
    )
    first = open_window("two-heads", home=home, origin=origin)
    assert notices(first) == []
    second = open_window("two-heads", home=home, origin=open_session(path)[1])
    assert notices(second) == [sentence]  # at its start
    second.files.open(other)
    assert notices(second) == []
    second.files.open(path)
    assert notices(second) == [sentence]  # and when it is opened
    first.close()
    second.close()
    third = open_window("two-heads", home=home, origin=open_session(path)[1])
    assert notices(third) == []
    assert len(list((home.state / "open").iterdir())) == 1


# --- unsaved work


def test_unsaved_work_is_kept_every_thirty_seconds(open_at_home):
    timer = open_at_home().findChild(Recovery)._timer
    assert timer.isActive()
    assert timer.interval() == 30_000


def test_a_window_that_is_closed_leaves_no_unsaved_work(open_at_home, home, unsaved):
    window = open_at_home()
    window.bench.edit(set_gain(1, 2.0))
    window.keep_now()
    assert len(list((home.state / "recovery").glob("*/unsaved.mhascene"))) == 1
    window.close()
    assert unsaved == ["four heads"]
    assert list((home.state / "recovery").iterdir()) == []


def test_what_comes_without_a_question_leaves_the_work_with_what_was_being_typed(
    open_at_home, home, qtbot
):
    window = open_at_home()
    box = window.findChild(QAbstractSpinBox, "gainBox1")
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "2.5")
    window.keep_now()
    (path,) = (home.state / "recovery").glob("*/unsaved.mhascene")
    session, _ = open_session(path)
    assert session.scene.heads[0].gain == 2.5
    window.bench.undo()


@pytest.fixture
def asked_in(monkeypatch):
    """The folders in which dialogs for files have begun; all are cancelled."""
    folders = []

    def cancel(_parent, _title, folder, _filters):
        folders.append(folder)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", cancel)
    return folders


def test_the_folder_of_scenes_is_there_in_the_next_window(open_at_home, tmp_path, asked_in):
    folder = tmp_path / "scenes of mine"
    folder.mkdir()
    window = open_at_home()
    assert window.files.write(folder / "one.mhascene")
    window.close()
    window = open_at_home("two-heads")
    window.files.ask_which()
    assert asked_in == [str(folder)]
    folder.joinpath("one.mhascene").unlink()
    folder.rmdir()
    window.files.ask_which()
    assert asked_in[1] != str(folder)  # one that has gone is no place to begin
    window.close()


def test_the_folder_of_reports_is_there_in_the_next_window(open_at_home, tmp_path, qtbot):
    window = open_at_home()
    window.docks.dock("lessonDock").export_report(tmp_path / "mine.md")
    assert (tmp_path / "mine.md").exists()
    window.close()
    window = open_at_home()
    begun = []

    def look():
        dialog = QApplication.activeModalWidget()
        begun.append(dialog.directory().absolutePath())
        dialog.reject()

    QTimer.singleShot(0, look)
    window.docks.dock("lessonDock")._on_export()
    assert begun == [str(tmp_path)]
    window.close()
