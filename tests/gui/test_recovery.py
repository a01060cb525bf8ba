"""Unsaved work: kept aside, found by the next window, never by two, and gone once it is saved."""

import errno
import hashlib
import os
import shutil
import time
from datetime import datetime
from threading import Event, Timer
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QPushButton

from mhagui.document import load_lesson
from mhagui.document.edits import set_gain
from mhagui.document.origin import Origin
from mhagui.document.session_file import read_session
from mhagui.gui import questions
from mhagui.gui import recovery as module
from mhagui.gui.file_session import FileSession
from mhagui.gui.notices import NoticeBar
from mhagui.gui.recovery import Recovery, RecoveryOffer

SOON = 0.01  # seconds


class Window(QMainWindow):
    """What of the main window counts here: a file, a place for unsaved work, notices."""

    def __init__(self, bench, folder, keep_every=3600.0):
        super().__init__()
        self.bench = bench
        self.files = FileSession(bench, self, lambda: None)
        self.recovery = Recovery(folder, self, keep_every)
        self.notices = NoticeBar()
        self.notices.add_to(self)
        self.offer = RecoveryOffer(self.recovery, self.notices, self.files.recover)
        self.said = []
        self.recovery.said.connect(self.said.append)
        self.recovery.begin(self.files)

    def leave(self):
        self.recovery.end()
        self.close()

    def notice(self):
        return self.notices.findChild(QLabel, "notice").text()

    def press(self, text):
        QApplication.processEvents()  # of a notice that has come just now
        buttons = [b for b in self.notices.findChildren(QPushButton) if b.isVisible()]
        QTest.mouseClick(next(b for b in buttons if b.text() == text), Qt.MouseButton.LeftButton)


def an_id(word):
    """Return a name as those that windows give to the places of their work."""
    return hashlib.md5(str(word).encode()).hexdigest()


DEAD = an_id("dead")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "state" / "recovery"


@pytest.fixture
def kept(folder):
    """A function that gives what is kept, as (path, session), oldest first."""

    def kept():
        paths = sorted(folder.glob("*/unsaved.mhascene"), key=os.path.getmtime)
        return [(path, read_session(path)) for path in paths]

    return kept


@pytest.fixture
def open_window(bench, folder, qtbot):
    def open_window(keep_every=3600.0):
        window = Window(bench, folder, keep_every)
        qtbot.addWidget(window, before_close_func=Window.leave)
        window.show()
        return window

    return open_window


@pytest.fixture
def window(open_window):
    return open_window()


@pytest.fixture
def leave(window, bench, folder):
    """A function that leaves work behind, as a window that was killed does."""

    def leave(gain, name=DEAD):
        bench.edit(set_gain(1, gain))
        assert window.recovery.keep_now()
        shutil.copytree(
            folder / window.recovery._place_of(window.files.origin).file.parent.name, folder / name
        )
        scene = bench.scene
        while bench.history.undo_text:
            bench.undo()
        return scene

    return leave


@pytest.fixture
def slow_disk(monkeypatch):
    """A disk that has begun to write and does not come to an end before ``go`` is set."""
    write = module.write_atomically

    disk = SimpleNamespace(begun=Event(), go=Event())

    def slow(path, data):
        disk.begun.set()
        assert disk.go.wait(30)
        write(path, data)

    monkeypatch.setattr(module, "write_atomically", slow)
    yield disk
    disk.go.set()


# --- keeping


def test_what_is_modified_is_kept_before_long_with_view_and_file(
    open_window, bench, tmp_path, kept, qtbot
):
    window = open_window(keep_every=SOON)
    window.files.write(tmp_path / "mine.mhascene")
    bench.point(head=3, query=5)
    bench.edit(set_gain(1, 2.5))
    qtbot.waitUntil(lambda: bool(kept()))
    ((_, session),) = kept()
    assert session.scene == bench.scene
    assert session.scene.heads[0].gain == 2.5
    assert session.view == bench.view
    assert session.path == str(tmp_path / "mine.mhascene")


def test_it_is_kept_in_a_thread_while_the_hand_goes_on(open_window, bench, kept, qtbot, slow_disk):
    open_window(keep_every=SOON)
    bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(slow_disk.begun.is_set)
    bench.edit(set_gain(1, 3.0))
    assert bench.scene.heads[0].gain == 3
    assert kept() == []
    slow_disk.go.set()
    qtbot.waitUntil(lambda: [s.scene.heads[0].gain for _, s in kept()] == [3.0])


def test_what_is_not_modified_is_not_kept(open_window, folder, qtbot):
    window = open_window(keep_every=SOON)
    for _ in range(3):
        qtbot.waitSignal(window.recovery._timer.timeout).wait()
    assert window.recovery.keep_now()
    assert not folder.exists()


def test_what_is_kept_already_is_not_written_again(open_window, bench, kept, qtbot):
    window = open_window(keep_every=SOON)
    bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(lambda: bool(kept()))
    before = kept()[0][0].stat().st_ino
    for _ in range(5):
        qtbot.waitSignal(window.recovery._timer.timeout).wait()
    assert kept()[0][0].stat().st_ino == before


def test_what_is_saved_is_kept_no_longer_and_what_follows_is_again(window, bench, tmp_path, kept):
    bench.edit(set_gain(1, 2.0))
    assert window.recovery.keep_now()
    window.files.write(tmp_path / "mine.mhascene")
    assert kept() == []
    bench.edit(set_gain(2, 3.0))
    assert window.recovery.keep_now()
    bench.undo()  # as it was saved
    assert kept() == []
    bench.redo()
    assert window.recovery.keep_now()
    assert [session.scene.heads[1].gain for _, session in kept()] == [3.0]


def test_of_two_writes_the_newer_stays_though_the_older_ends_late(
    open_window, bench, kept, qtbot, slow_disk
):
    window = open_window(keep_every=SOON)
    bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(slow_disk.begun.is_set)
    bench.edit(set_gain(1, 3.0))
    opener = Timer(0.05, slow_disk.go.set)
    opener.start()
    assert window.recovery.keep_now()
    opener.join()
    assert [session.scene.heads[0].gain for _, session in kept()] == [3.0]


def test_what_is_saved_during_a_write_is_not_kept(
    open_window, bench, folder, qtbot, tmp_path, slow_disk
):
    window = open_window(keep_every=SOON)
    bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(slow_disk.begun.is_set)
    window.files.write(tmp_path / "mine.mhascene")
    slow_disk.go.set()
    qtbot.waitUntil(lambda: list(folder.iterdir()) == [])


@pytest.mark.parametrize("in_time", [True, False])
def test_a_clean_exit_leaves_nothing_even_during_a_write(
    open_window, bench, folder, qtbot, slow_disk, in_time, monkeypatch
):
    monkeypatch.setattr(module, "PATIENCE", 5.0 if in_time else 0.1)
    window = open_window(keep_every=SOON)
    bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(slow_disk.begun.is_set)
    opener = Timer(0.05, slow_disk.go.set)
    if in_time:
        opener.start()
        window.leave()
        opener.join()
        assert list(folder.iterdir()) == []
    else:
        begin = time.monotonic()
        window.leave()
        assert time.monotonic() - begin < 2
        slow_disk.go.set()
        qtbot.waitUntil(lambda: not any(path.is_dir() for path in folder.iterdir()))


def test_a_failure_is_said_once_and_tried_again(window, bench, folder, kept):
    folder.parent.write_text("not a folder")
    bench.edit(set_gain(1, 2.0))
    for _ in range(3):
        assert not window.recovery.keep_now()
    (sentence,) = window.said
    assert sentence.startswith("Unsaved work cannot be kept aside: ")
    assert str(folder.parent) in sentence
    folder.parent.unlink()
    assert window.recovery.keep_now()
    assert len(kept()) == 1
    shutil.rmtree(folder.parent)
    folder.parent.write_text("not a folder")
    bench.edit(set_gain(1, 3.0))
    assert not window.recovery.keep_now()
    assert window.said == [sentence, sentence]


def test_a_failure_in_the_thread_is_said_once_too(open_window, bench, folder, qtbot):
    folder.parent.write_text("not a folder")
    window = open_window(keep_every=SOON)
    bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(lambda: len(window.said) == 1)
    for _ in range(5):
        qtbot.waitSignal(window.recovery._timer.timeout).wait()
    assert len(window.said) == 1


# --- finding


def test_what_a_dead_window_left_is_found_as_it_was(window, leave, folder):
    scene = leave(2.5)
    os.utime(folder / DEAD / "unsaved.mhascene", (1_790_000_000, 1_790_000_000))
    (found,) = window.recovery.found()
    assert found.session.scene == scene
    assert found.kept_at.timestamp() == 1_790_000_000


def test_living_windows_find_nothing_of_each_other(window, open_window, bench, kept):
    bench.edit(set_gain(1, 2.0))
    assert window.recovery.keep_now()
    other = open_window()
    assert other.recovery.found() == []
    other.leave()
    assert len(kept()) == 1


def test_what_one_window_has_found_no_other_finds_until_it_is_closed(window, leave, open_window):
    leave(2.5)
    assert len(window.recovery.found()) == 1
    other = open_window()
    assert other.recovery.found() == []
    window.leave()
    assert len(other.recovery.found()) == 1


def test_the_newest_comes_first(window, leave, folder):
    gains = (1.5, 2.5, 3.5)
    for minute, gain in zip((2, 1, 3), gains, strict=True):
        leave(gain, an_id(gain))
        at = 1_790_000_000 + 60 * minute
        os.utime(folder / an_id(gain) / "unsaved.mhascene", (at, at))
    found = window.recovery.found()
    assert [one.session.scene.heads[0].gain for one in found] == [3.5, 1.5, 2.5]


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"PK\x03\x04", b"{}", b"\x00" * 1000])
def test_a_corrupt_one_is_put_aside_and_said_and_the_others_are_found(
    window, leave, folder, garbage
):
    leave(2.5)
    ill = an_id("ill")
    leave(3.5, ill)
    (folder / ill / "unsaved.mhascene").write_bytes(garbage)
    (found,) = window.recovery.found()
    assert found.session.scene.heads[0].gain == 2.5
    assert (folder / f"{ill}.bad").read_bytes() == garbage
    assert not (folder / ill).exists()
    (sentence,) = window.said
    assert sentence.startswith(
        f"Unsaved work was kept, but cannot be read from {folder}/{ill}.bad: "
    )
    assert "\n" not in sentence


def test_what_a_killed_window_left_beside_its_work_is_swept_up(window, folder):
    half, none = an_id("half"), an_id("none")
    (folder / half).mkdir(parents=True)
    (folder / half / ".mhagui-0123.tmp").write_bytes(b"half")
    (folder / f"{half}.lock").touch()
    (folder / f"{none}.lock").touch()
    assert window.recovery.found() == []
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("seconds", [2**40, -(2**36)])
def test_a_clock_that_was_anywhere_hides_no_work(window, leave, folder, seconds):
    leave(2.5)
    try:
        os.utime(folder / DEAD / "unsaved.mhascene", (seconds, seconds))
    except OSError:
        pytest.skip("this disk has no such times")
    (found,) = window.recovery.found()
    assert abs(found.kept_at.timestamp() - time.time()) < 60


def test_what_others_put_beside_it_is_none_of_its_business(window, folder):
    notes = folder / "my notes" / "copy.mhascene"
    notes.parent.mkdir(parents=True)
    notes.write_bytes(b"mine")
    (folder / "other.lock").touch()
    assert window.recovery.found() == []
    assert notes.read_bytes() == b"mine"


@pytest.mark.parametrize("text", ["", "\0" * 64, "{pid}\nmhagui\nhere\n", "garbage"])
def test_no_lock_that_nobody_holds_hides_the_work(window, leave, folder, text):
    scene = leave(2.5)
    # As a power cut leaves it; in a container the number may be our own.
    (folder / f"{DEAD}.lock").write_text(text.format(pid=os.getpid()))
    (found,) = window.recovery.found()
    assert found.session.scene == scene


def test_a_full_disk_is_said_as_such(window, bench, monkeypatch):
    def full(lock):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module.Lock, "acquire", full)
    bench.edit(set_gain(1, 2.0))
    assert not window.recovery.keep_now()
    assert window.said[0].endswith("takes no lock: the disk is full.")


def test_a_home_that_takes_no_locks_stops_nothing(window, folder):
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("not a folder")
    assert window.recovery.found() == []


# --- offering


def test_recover_brings_the_very_work_back_as_unsaved(window, leave, bench, kept, folder, settle):
    scene = leave(2.5)
    window.offer.make()
    at = datetime.fromtimestamp((folder / DEAD / "unsaved.mhascene").stat().st_mtime)
    assert window.notice() == (
        f"mhagui ended unexpectedly; unsaved work on “four heads” was kept at {at:%H:%M}."
    )
    window.press("&Recover")
    settle()
    assert bench.scene == scene
    assert window.files.is_modified
    ((path, session),) = kept()  # this window's own by now
    assert session.scene == scene
    assert path == window.recovery._place_of(window.files.origin).file
    assert not window.notices.isVisible()


def test_discard_removes_it_when_that_is_meant(window, leave, bench, kept, monkeypatch):
    leave(2.5)
    before = bench.scene
    window.offer.make()
    monkeypatch.setattr(questions, "ask_to_forget", lambda *_: False)
    window.press("D&iscard")
    assert window.notices.isVisible()  # it is offered still
    assert len(kept()) == 1
    monkeypatch.setattr(questions, "ask_to_forget", lambda *_: True)
    window.press("D&iscard")
    assert not window.notices.isVisible()
    assert bench.scene is before
    assert kept() == []


def test_recovered_work_that_an_undo_left_is_offered_at_the_next_start(
    window, leave, bench, open_window
):
    scene = leave(2.5)
    window.offer.make()
    window.press("&Recover")
    assert bench.scene == scene
    bench.undo()
    assert not window.files.is_modified  # closing asks nothing
    window.leave()
    (found,) = open_window().recovery.found()
    assert found.session.scene == scene


def test_work_that_was_left_on_purpose_is_not_offered(window, bench, kept, unsaved):
    bench.edit(set_gain(1, 2.0))
    assert window.recovery.keep_now()
    assert window.files.lay_out(load_lesson("two-heads"))  # discarded, says the question
    assert unsaved == ["four heads"]
    assert kept() == []
    bench.undo()  # it is back, and unsaved again
    assert window.recovery.keep_now()
    assert [session.scene.heads[0].gain for _, session in kept()] == [2.0]


def test_every_unsaved_work_has_a_place_of_its_own(window, leave, bench, kept):
    leave(2.5)
    bench.edit(set_gain(2, 3.5))
    assert window.recovery.keep_now()
    found = window.recovery.found()[0]
    bench.open(found.session.scene, Origin())  # with no question
    window.recovery.take(found)
    bench.edit(set_gain(1, 4.5))
    assert window.recovery.keep_now()
    gains = [[head.gain for head in session.scene.heads[:2]] for _, session in kept()]
    assert sorted(gains) == [[1.0, 3.5], [4.5, 1.0]]


def test_left_unanswered_it_is_offered_again(window, leave, open_window):
    leave(2.5)
    window.offer.make()
    window.leave()
    other = open_window()
    other.offer.make()
    assert "“four heads”" in other.notice()


def test_refused_in_favour_of_what_is_there_it_stays(window, leave, bench, folder):
    leave(2.5)
    before = bench.scene
    RecoveryOffer(window.recovery, window.notices, lambda _session: False).make()
    window.press("&Recover")
    assert bench.scene is before
    assert (folder / DEAD / "unsaved.mhascene").exists()


def test_what_cannot_be_kept_anew_stays_as_it_was(window, leave, bench, kept, monkeypatch):
    leave(2.5)
    window.offer.make()

    def full(path, data):
        raise module.UserError(f"{path} cannot be written: the disk is full.")

    monkeypatch.setattr(module, "write_atomically", full)
    window.press("&Recover")
    bench.edit(set_gain(1, 3.0))
    assert not window.recovery.keep_now()
    assert "the disk is full" in window.said[0]
    assert [session.scene.heads[0].gain for _, session in kept()] == [2.5]


def test_two_that_read_alike_are_two_offers(window, leave, bench, folder, monkeypatch):
    monkeypatch.setattr(questions, "ask_to_forget", lambda *_: True)
    for name in (an_id("one"), an_id("two")):
        leave(2.5, name)
        os.utime(folder / name / "unsaved.mhascene", (1_790_000_000, 1_790_000_000))
    window.offer.make()
    day = datetime.fromtimestamp(1_790_000_000)
    for number in (1, 2):
        assert window.notice() == (
            "mhagui ended unexpectedly; unsaved work on “four heads” was kept "
            f"on {day:%Y-%m-%d} at {day:%H:%M} ({number} of 2)."
        )
        window.press("D&iscard")
    assert not window.notices.isVisible()


def test_the_file_it_belongs_to_comes_back_with_it(window, bench, tmp_path, folder, open_window):
    path = tmp_path / "mine.mhascene"
    window.files.write(path)
    bench.edit(set_gain(1, 2.5))
    assert window.recovery.keep_now()
    shutil.copytree(window.recovery._place_of(window.files.origin).file.parent, folder / DEAD)
    window.files.write(path)
    assert window.files.lay_out(load_lesson("two-heads"))
    assert window.files.state.path is None
    window.offer.make()
    window.press("&Recover")
    assert window.files.state.path == path
    assert window.files.is_modified
