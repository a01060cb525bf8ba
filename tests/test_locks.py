"""Locks of processes that live, of such that are dead, and of what is no lock at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mhagui.locks import Lock

CHECKOUT = Path(__file__).parents[1]
HOLDER = """
import sys
from pathlib import Path
from mhagui.locks import Lock
print(Lock(Path(sys.argv[1])).acquire(), flush=True)
sys.stdin.read()
"""


def start(path):
    """Start a process that tells whether it holds the lock, and lives until it is killed."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_one_holds_it_at_a_time(tmp_path):
    one, other = Lock(tmp_path / "a.lock"), Lock(tmp_path / "a.lock")
    assert one.acquire()
    assert one.acquire()
    assert not other.acquire()
    one.release()
    assert list(tmp_path.iterdir()) == []
    assert other.acquire()
    other.release()
    other.release()


def test_a_process_holds_it_until_it_is_killed(tmp_path):
    path = tmp_path / "a.lock"
    process = start(path)
    try:
        assert process.stdout.readline() == "True\n"
        assert not Lock(path).acquire()
    finally:
        process.kill()
        process.communicate(timeout=10)
    assert path.exists()
    lock = Lock(path)
    assert lock.acquire()
    second = start(path)
    assert second.stdout.readline() == "False\n"
    second.kill()
    second.communicate(timeout=10)
    lock.release()


def test_one_that_is_released_while_another_waits_for_it_is_not_held_twice(tmp_path):
    """Whoever opened the file before it was removed must not hold a file that is gone."""
    path = tmp_path / "a.lock"
    first, second, third = Lock(path), Lock(path), Lock(path)
    first.acquire()
    opened = os.open(path, os.O_RDWR)
    first.release()
    assert second.acquire()
    assert not third.acquire()
    os.close(opened)
    second.release()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_keeps_nobody_waiting(tmp_path):
    os.mkfifo(tmp_path / "a.lock")
    lock = Lock(tmp_path / "a.lock")
    assert lock.acquire()
    lock.release()


def test_where_none_can_be_made_that_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        Lock(tmp_path / "file" / "a.lock").acquire()
    with pytest.raises(IsADirectoryError):
        Lock(tmp_path).acquire()
