"""Faults, crashes and closing in the midst of work, in a process of the program's own."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
TRIES = 4
DRIVER = Path(__file__).with_name("faulty.py")


@pytest.fixture
def home(tmp_path):
    """The folders of a user who has never started the program, by their variables."""
    names = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    return {name: str(tmp_path / name) for name in names}


def start(home, *arguments, **environment):
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, **home, "PYTHONPATH": str(CHECKOUT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def use(home, what):
    """Return the status, and what was printed, when ``what`` has happened."""
    with start(home, DRIVER, what) as process:
        out, err = process.communicate(timeout=90)
        return process.returncode, out, [line for line in err.splitlines() if "plugin" not in line]


def log_of(home):
    (log,) = Path(home["XDG_STATE_HOME"]).rglob("mhagui.log")
    return log.read_text()


def traces_in(home):
    return list(Path(home["XDG_STATE_HOME"]).rglob("crash-*"))


def test_a_clean_use_leaves_no_trace_and_nothing_to_tell(home):
    assert use(home, "show") == (0, "\n", [])
    assert traces_in(home) == []


@pytest.mark.skipif(sys.platform == "win32", reason="ends by a signal")
def test_the_start_after_a_crash_tells_of_it_once(home):
    status, _, _ = use(home, "crash")
    assert status == -signal.SIGSEGV
    assert len(traces_in(home)) == 1
    _, out, _ = use(home, "show")
    assert "mhagui crashed last time (segmentation fault)." in out
    assert traces_in(home) == []
    assert re.search(r"Fatal Python error: Segmentation fault(.|\n)*in string_at", log_of(home))
    assert "crashed" not in use(home, "show")[1]


def test_after_faults_everywhere_it_goes_on_and_ends_well(home):
    status, out, err = use(home, "fault")
    assert status == 0
    assert out == ("Something went wrong in mhagui; your work is untouched (2 times).\n")
    assert log_of(home).count("ZeroDivisionError: on purpose") == 2
    assert err == []


def test_what_cannot_be_painted_is_a_fault_and_no_crash(home):
    status, out, _ = use(home, "repaint")
    assert status == 0
    sentence = "Something went wrong in mhagui; your work is untouched"
    assert re.fullmatch(rf"{sentence} \(\d+ times\)\.\n", out)
    assert traces_in(home) == []


FAILS_TO_OPEN = """
from mhagui import cli
from mhagui.gui import main_window
def fail(*_, **__):
    raise KeyError("on purpose")
main_window.Docks = fail
raise SystemExit(cli.main([]))
"""


def test_a_start_that_fails_says_so_in_a_sentence_and_in_the_log(home):
    with start(home, "-c", FAILS_TO_OPEN) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    lines = [line for line in err.splitlines() if "plugin" not in line]
    assert len(lines) == 1
    assert re.fullmatch(
        r"mhagui: this is a bug, KeyError: 'on purpose'; (\S+) says where\.", lines[0]
    )
    assert "in fail" in log_of(home)
    assert traces_in(home) == []


@pytest.mark.parametrize("what", ["length", "gain", "rank", "export"])
def test_closing_in_the_midst_of_work_ends_within_a_second(home, what):
    took = []
    while len(took) < TRIES and min(took, default=60) > 1.0:  # others may use the machine as well
        with start(home, DRIVER, what) as process:
            asked = float(process.stdout.readline())
            assert process.wait(60) == 0
            took.append(time.time() - asked)
    assert min(took) < 1.0, took


@pytest.mark.skipif(sys.platform == "win32", reason="ends by a signal")
def test_a_signal_leaves_no_trace_of_a_crash(home):
    with start(home, DRIVER, "wait") as process:
        assert process.stdout.readline() == "running\n"
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
    assert traces_in(home) == []
