"""Whether another window has the same file open."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mhagui.gui.file_lock import FileLock

CHECKOUT = Path(__file__).parents[2]
HOLDER = """
import sys
from pathlib import Path
from mhagui.gui.file_lock import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.hold(Path(sys.argv[2])), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "state" / "open"


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "x.mhascene"
    file.touch()
    return file


@pytest.fixture
def other_process(folder, file):
    """Another process that has the file open."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), str(file)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "True\n"
    yield process
    process.kill()
    process.communicate(timeout=10)


def test_a_file_is_open_in_one_window_alone_until_that_lets_it_go(folder, file):
    first, second = FileLock(folder), FileLock(folder)
    assert first.hold(file)
    assert first.hold(file)  # saved again
    assert not second.hold(file)
    first.release()
    assert second.hold(file)
    assert not first.hold(file)


def test_a_window_has_one_file_open(folder, file, tmp_path):
    first, second = FileLock(folder), FileLock(folder)
    first.hold(file)
    assert first.hold(tmp_path / "y.mhascene")
    assert second.hold(file)
    first.release()
    second.release()
    assert list(folder.iterdir()) == []


def test_one_that_found_it_taken_holds_nothing(folder, file, tmp_path):
    first, second = FileLock(folder), FileLock(folder)
    first.hold(file)
    second.hold(tmp_path / "y.mhascene")
    assert not second.hold(file)
    assert first.hold(tmp_path / "y.mhascene")


def test_whatever_path_leads_to_it_a_file_is_the_same(folder, file, tmp_path, monkeypatch):
    link = tmp_path / "link.mhascene"
    link.symlink_to(file)
    monkeypatch.chdir(tmp_path)
    holder, other = FileLock(folder), FileLock(folder)
    assert holder.hold(file)
    for path in (link, Path("x.mhascene"), tmp_path / "state" / ".." / "x.mhascene"):
        assert not other.hold(path)


def test_another_process_counts_as_long_as_it_lives(folder, file, other_process):
    lock = FileLock(folder)
    assert not lock.hold(file)
    other_process.kill()
    other_process.wait(timeout=10)
    assert lock.hold(file)


def test_where_no_lock_can_be_made_nobody_is_warned(folder, file):
    folder.parent.mkdir()
    folder.write_text("not a folder")
    assert FileLock(folder).hold(file)
    assert FileLock(folder).hold(file)


def test_a_window_is_told_once_of_each_file_that_another_has_open(folder, file, tmp_path):
    first, second = FileLock(folder), FileLock(folder)
    sentence = (
        "“x.mhascene” is open in another window too; whoever saves last overwrites the other."
    )
    assert first.follow(file) == ""
    assert second.follow(file) == sentence
    assert second.follow(file) == ""
    assert second.follow(tmp_path / "y.mhascene") == ""
    assert second.follow(file) == sentence
    assert first.follow(None) == ""  # a scene that has no file
    assert second.follow(file) == ""
    assert first.follow(file) == sentence
