"""What whoever waits for an export sees, and what is left when it is ended."""

import contextlib
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from mhagui import cli
from mhagui.commands import output

ROOT = Path(__file__).parents[2]
AT_ONCE = """
import sys
from mhagui import cli
from mhagui.commands import output
output._BAR_AFTER = 0
sys.exit(cli.main(sys.argv[1:]))
"""
ARGUMENTS = ["--figure", "heads", "entropy", "--format", "svg,png", "--dpi", "30"]


def everything_in(descriptor):
    read = b""
    with contextlib.suppress(OSError):  # how Linux tells that the other end is closed
        while part := os.read(descriptor, 4096):
            read += part
    return read.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="for systems with POSIX terminals")
def test_a_terminal_shows_how_many_files_are_made(tmp_path):
    import fcntl
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    scenes = ["two-heads", "four-heads", "nolesson", "induction"]
    with subprocess.Popen(
        [sys.executable, "-c", AT_ONCE, "export", *scenes, "--out", str(tmp_path), *ARGUMENTS],
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=ROOT,
    ) as process:
        os.close(theirs)
        shown = everything_in(ours)
        printed = process.stdout.read().decode().splitlines()
    os.close(ours)
    assert process.returncode == 2
    folders = [Path(line).parent.name for line in printed]
    assert folders == ["two-heads"] * 4 + ["four-heads"] * 4 + ["induction"] * 4
    counts = [(int(done), int(total)) for done, total in re.findall(r" (\d+)/(\d+) \[", shown)]
    assert counts
    assert {total for _, total in counts} <= {16, 12}  # of nolesson nothing is made
    assert [done for done, _ in counts] == sorted(done for done, _ in counts)
    # The complaint has a line of its own, and nothing of the bar stays at the end.
    assert re.search(r"(^|[\r\n])mhagui: “nolesson” is neither", shown)
    assert re.search(r"\r *\r$", shown)


def test_elsewhere_no_bar_is_shown_and_none_is_loaded(tmp_path):
    code = (
        "import sys; from mhagui import cli; status = cli.main(sys.argv[1:])\n"
        "sys.exit(status or 'tqdm' in sys.modules)"
    )
    arguments = ["export", "two-heads", "--out", str(tmp_path), *ARGUMENTS]
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, check=False, cwd=ROOT
    )
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="ends by a signal")
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 128 + 15)])
def test_a_signal_leaves_whole_scenes_and_nothing_half_written(
    capsys, tmp_path, monkeypatch, name, status
):
    folders = [tmp_path / "two-heads", tmp_path / "four-heads"]
    sync = os.fsync

    def fsync(descriptor):
        if folders[1].exists() and list(folders[1].iterdir()):  # in the midst of the second scene
            os.kill(os.getpid(), getattr(signal, name))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    scenes = [folder.name for folder in folders]
    arguments = ["export", *scenes, "--figure", "heads", "entropy", "--format", "svg"]
    assert cli.main([*arguments, "--out", str(tmp_path)]) == status
    paths = [folders[0] / f"{figure}.svg" for figure in ("heads", "entropy")]
    assert capsys.readouterr() == ("".join(f"{path}\n" for path in paths), "")
    assert sorted(folders[0].iterdir()) == sorted(paths)
    assert list(folders[1].iterdir()) == []


def test_a_figure_that_is_left_out_is_no_file_to_make(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with output.progress(4) as shown:
        shown.step()
        shown.add(-2)
        shown.step()
        bar = shown._bar
        assert (bar.n, bar.total) == (2, 2)
