"""Unsaved work is found by the next window, and never by two."""

import errno
import os
import time

import pytest

from mhagui.document.edits import set_gain
from mhagui.gui import recovery as module


def test_what_a_dead_window_left_is_found_as_it_was(window, leave, folder, dead):
    scene = leave(2.5)
    os.utime(dead / "unsaved.mhascene", (1_790_000_000, 1_790_000_000))
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


def test_the_newest_comes_first(window, leave, folder, an_id):
    gains = (1.5, 2.5, 3.5)
    for minute, gain in zip((2, 1, 3), gains, strict=True):
        leave(gain, an_id(gain))
        at = 1_790_000_000 + 60 * minute
        os.utime(folder / an_id(gain) / "unsaved.mhascene", (at, at))
    found = window.recovery.found()
    assert [one.session.scene.heads[0].gain for one in found] == [3.5, 1.5, 2.5]


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"PK\x03\x04", b"{}", b"\x00" * 1000])
def test_a_corrupt_one_is_put_aside_and_said_and_the_others_are_found(
    window, leave, folder, garbage, an_id
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


def test_what_a_killed_window_left_beside_its_work_is_swept_up(window, folder, an_id):
    half, none = an_id("half"), an_id("none")
    (folder / half).mkdir(parents=True)
    (folder / half / ".mhagui-0123.tmp").write_bytes(b"half")
    (folder / f"{half}.lock").touch()
    (folder / f"{none}.lock").touch()
    assert window.recovery.found() == []
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("seconds", [2**40, -(2**36)])
def test_a_clock_that_was_anywhere_hides_no_work(window, leave, folder, seconds, dead):
    leave(2.5)
    try:
        os.utime(dead / "unsaved.mhascene", (seconds, seconds))
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
def test_no_lock_that_nobody_holds_hides_the_work(window, leave, folder, text, dead):
    scene = leave(2.5)
    # As a power cut leaves it; in a container the number may be our own.
    (folder / f"{dead.name}.lock").write_text(text.format(pid=os.getpid()))
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
