"""Unsaved work is kept aside before long, and no longer once it is saved."""

import shutil
import time
from threading import Event, Timer
from types import SimpleNamespace

import pytest

from mhagui.document.edits import set_gain
from mhagui.gui import recovery as module

SOON = 0.01  # seconds


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
