"""Where the command line's words go, and how it ends when something outside ends it."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import time
import weakref
from pathlib import Path

import pytest

from mhagui import cli, files
from mhagui.commands import report, shared

ROOT = Path(__file__).parents[1]
BEFORE = {name: signal.getsignal(getattr(signal, name)) for name in ("SIGTERM", "SIGHUP", "SIGINT")}
MAIN = [sys.executable, str(ROOT / "main.py")]


def ends_with(capsys, arguments, status):
    """Run ``main`` and return what it printed: standard output and standard error."""
    assert cli.main(arguments) == status
    return capsys.readouterr()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="for systems with POSIX pipes")
def test_a_reader_that_has_had_enough_is_no_error():
    process = subprocess.Popen(
        [*MAIN, "report", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 0
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["report"], ["--help"], ["report", "--help"], ["--version"]])
def test_output_that_cannot_be_written_is_said_to_be_so(arguments):
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [*MAIN, *arguments], stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False
        )
    assert run.returncode == 2
    assert re.fullmatch(rb"mhagui: The standard output cannot be written: [^\n]+\n", run.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_complaints_that_cannot_be_written_change_no_status():
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run([*MAIN, "nolesson"], stderr=full, cwd=ROOT, check=False)
    assert run.returncode == 2


@pytest.mark.parametrize("arguments", [["report"], ["--help"], ["--version"], ["--info"]])
def test_closed_output_is_said_to_be_so(capsys, monkeypatch, arguments):
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(arguments) == 2
    assert capsys.readouterr().err == "mhagui: The standard output is closed.\n"


@pytest.mark.parametrize("debug", ["", "1"])
def test_no_complaint_takes_the_output_where_stderr_is_closed(capsys, monkeypatch, debug):
    monkeypatch.setenv("MHAGUI_DEBUG", debug)
    monkeypatch.setattr(sys, "stderr", None)
    assert cli.main(["nolesson"]) == 2
    monkeypatch.setattr(report, "the_scene", lambda command, options: 1 // 0)
    assert cli.main(["report"]) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("figure", "is_told"), [("singular-values", True), ("summary", True), ("entropy", False)]
)
@pytest.mark.parametrize(("threshold", "time"), [(4 * 6**3, "some seconds"), (1, "minutes")])
def test_so_do_figures_that_need_as_long(
    capsys, monkeypatch, tmp_path, figure, is_told, threshold, time
):
    monkeypatch.setattr(shared, "_LONG_DECOMPOSITION", threshold)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    arguments = ["export", "--figure", figure, "--dpi", "30", "--out", str(tmp_path)]
    said = f"mhagui: decomposing 4 matrices of 6 × 6 takes {time}...\n"
    assert (said in ends_with(capsys, arguments, 0).err) is is_told


@pytest.mark.parametrize(("is_terminal", "lines"), [(True, 1), (False, 0)])
def test_a_long_report_says_so_to_whoever_waits(capsys, monkeypatch, is_terminal, lines):
    monkeypatch.setattr(shared, "_LONG_DECOMPOSITION", 4 * 6**3)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    _, err = ends_with(capsys, ["report", "four-heads"], 0)
    assert err == "mhagui: decomposing 4 matrices of 6 × 6 takes some seconds...\n" * lines
    assert ends_with(capsys, ["report", "two-heads"], 0).err == ""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_a_terminal_without_our_signs_gets_plain_ones(monkeypatch, encoding):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    assert cli.main(["report", "two-heads"]) == 0
    text = raw.getvalue().decode(encoding)
    assert re.search(r"^  t1 +1\.000000 +0\.000000 +-1\.000000 +0\.000000\s*$", text, re.MULTILINE)
    assert "?" not in text


# ------------------------------------------------------------------------------------------ signals


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_an_export_in_good_order(capsys, tmp_path, monkeypatch, name):
    number = getattr(signal, name)

    def interrupted(descriptor):
        assert list(tmp_path.iterdir()) != []
        os.kill(os.getpid(), number)
        raise AssertionError("the signal was not seen")

    monkeypatch.setattr(os, "fsync", interrupted)
    arguments = ["export", "--out", str(tmp_path), "--figure", "entropy", "--dpi", "30"]
    assert ends_with(capsys, arguments, 128 + number) == ("", "")
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(number) == BEFORE[name]


class Last:
    """An object whose end calls something."""

    def __init__(self, call):
        self.call = call

    def __del__(self):
        self.call()


def when_called_back(call):
    """Call where a weak reference calls back: Python drops what is raised there."""
    thing = Last(int)
    reference = weakref.ref(thing, lambda _: call())
    del thing
    return reference


def when_finalised(call):
    """Call where an object is finalised: Python drops what is raised there, too."""
    del [Last(call)][:]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
@pytest.mark.parametrize("somewhere", [when_called_back, when_finalised])
def test_a_signal_is_obeyed_where_python_drops_exceptions(
    capsys, tmp_path, monkeypatch, name, somewhere
):
    number = getattr(signal, name)

    def interrupted(descriptor):
        for _ in range(2):  # a second one is dropped no better
            somewhere(lambda: os.kill(os.getpid(), number))
        end = time.monotonic() + 10
        while time.monotonic() < end:
            pass
        raise AssertionError("the signal was not obeyed")

    monkeypatch.setattr(os, "fsync", interrupted)
    hook = sys.unraisablehook
    arguments = ["export", "--out", str(tmp_path), "--figure", "entropy", "--dpi", "30"]
    assert ends_with(capsys, arguments, 128 + number) == ("", "")
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(number) == BEFORE[name]
    assert sys.unraisablehook == hook


def test_a_signal_that_somebody_catches_ends_the_program_all_the_same(capsys, monkeypatch):
    def caught(scene):
        with contextlib.suppress(BaseException):
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(report, "tell_if_long", caught)
    ends_with(capsys, ["report"], 128 + signal.SIGTERM)


def test_a_second_signal_disturbs_no_cleaning(capsys, tmp_path, monkeypatch):
    remove = files._remove

    def disturbed(path):
        os.kill(os.getpid(), signal.SIGHUP)
        remove(path)

    monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    monkeypatch.setattr(files, "_remove", disturbed)
    arguments = ["export", "--out", str(tmp_path), "--figure", "entropy", "--dpi", "30"]
    assert ends_with(capsys, arguments, 128 + signal.SIGTERM) == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_what_else_python_drops_is_told_as_ever(capsys, monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    monkeypatch.setattr(report, "tell_if_long", lambda _: when_finalised(lambda: 1 // 0))
    ends_with(capsys, ["report"], 0)
    assert [dropped.exc_type for dropped in told] == [ZeroDivisionError]


def test_a_signal_that_was_to_be_ignored_is(capsys, monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup has it
    monkeypatch.setattr(report, "tell_if_long", lambda scene: os.kill(os.getpid(), signal.SIGHUP))
    try:
        assert ends_with(capsys, ["report"], 0).out != ""
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_interrupt_is_quiet(capsys, monkeypatch):
    def interrupt(command, options):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "the_scene", interrupt)
    assert ends_with(capsys, ["report"], 130) == ("", "")
