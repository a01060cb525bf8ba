"""Unsaved work comes back after a kill, by the real program in processes of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mhagui.document.session_file import read_session

PROGRAM = Path(__file__).with_name("unsaved_work.py")
CHECKOUT = Path(__file__).parents[2]
# What the offscreen plugin says of every window is not of the program.
ALLOWED = ("This plugin does not support propagateSizeHints()", "does not support raise()")


class Program:
    """The program at work; its output line by line."""

    def __init__(self, home, *arguments):
        folders = {f"XDG_{name}_HOME": str(home / name) for name in ("STATE", "DATA", "CONFIG")}
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(CHECKOUT), "MHAGUI_DEBUG": "1", **folders},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self):
        return self.process.stdout.readline().rstrip("\n")

    def end(self, with_signal=None):
        """Wait for the end, or bring it about; return the status, with no word on stderr."""
        if with_signal is not None:
            self.process.send_signal(with_signal)
        _, said = self.process.communicate(timeout=30)
        assert [line for line in said.splitlines() if not line.endswith(ALLOWED)] == []
        return self.process.returncode


@pytest.fixture
def start(tmp_path):
    """A function that starts the program in a home of this test's own."""
    running = []

    def start(*arguments):
        running.append(Program(tmp_path, *arguments))
        return running[-1]

    yield start
    for program in running:
        program.process.kill()
        program.process.communicate(timeout=30)


@pytest.fixture
def folder(tmp_path):
    """Where unsaved work is kept."""
    return tmp_path / "STATE" / "mhagui" / "recovery"


def leave_work(start, with_signal=signal.SIGKILL):
    program = start("work")
    assert program.line() == "no notice"
    assert program.line() == "kept"
    return program.end(with_signal)


def kept(folder):
    (path,) = folder.glob("*/unsaved.mhascene")
    return read_session(path).scene


def test_after_a_kill_the_work_is_offered_until_it_is_answered(start, folder):
    assert leave_work(start) == -signal.SIGKILL
    scene = kept(folder)
    gain = scene.heads[0].gain
    assert gain > 1
    for task, then in (
        ("look", "1.0 False"),
        ("Recover", f"{gain} True"),
        ("Discard", "1.0 False"),
    ):
        program = start(task)
        notice = program.line()
        assert notice.startswith("mhagui ended unexpectedly; unsaved work on “four heads” was kept")
        assert program.line() == then
        assert program.end() == 0
        if task != "Discard":  # it was the program's own again when it ended, still unsaved
            assert kept(folder) == scene
    assert list(folder.iterdir()) == []


def test_of_two_that_live_neither_is_offered_the_work_of_the_other(start, folder):
    first = start("work")
    assert (first.line(), first.line()) == ("no notice", "kept")
    second = start("look")
    assert (second.line(), second.line()) == ("no notice", "1.0 False")
    assert second.end() == 0
    assert kept(folder).heads[0].gain > 1
    first.end(signal.SIGKILL)


def test_what_is_corrupt_is_put_aside_and_said(start, folder):
    leave_work(start)
    (path,) = folder.glob("*/unsaved.mhascene")
    path.write_bytes(path.read_bytes()[:-100])
    program = start("look")
    aside = folder / f"{path.parent.name}.bad"
    assert program.line().startswith(f"Unsaved work was kept, but cannot be read from {aside}: ")
    assert program.line() == "1.0 False"
    assert program.end() == 0
    assert [entry.name for entry in folder.iterdir()] == [aside.name]


def test_after_saving_a_clean_exit_leaves_nothing(start, folder, tmp_path):
    program = start("save", tmp_path / "mine.mhascene")
    assert (program.line(), program.line()) == ("no notice", "kept")
    assert program.end() == 0
    assert list(folder.iterdir()) == []
    assert read_session(tmp_path / "mine.mhascene").scene.heads[0].gain > 1


def test_a_signal_that_ends_the_program_keeps_the_work(start, folder):
    assert leave_work(start, signal.SIGTERM) == 128 + signal.SIGTERM
    assert kept(folder).heads[0].gain > 1


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_also_what_was_changed_a_moment_before(start, folder, ending):
    program = start("change")
    assert (program.line(), program.line()) == ("no notice", "changed")
    assert list(folder.glob("*/unsaved.mhascene")) == []
    assert program.end(ending) == 128 + ending
    assert kept(folder).heads[0].gain > 1
