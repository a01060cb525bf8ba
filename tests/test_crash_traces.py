"""A crash leaves the stacks of its threads for the next start, which reads them once."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from mhagui.crash_traces import MAX_TRACE_BYTES, traced, traces_left, what_happened

ROOT = Path(__file__).parents[1]
DIES = """
import faulthandler, os, sys
from pathlib import Path
from mhagui.crash_traces import traced
with traced(Path(sys.argv[1])):
    if sys.argv[2] == "wait":
        print("here", flush=True)
        sys.stdin.read()
    getattr(faulthandler, sys.argv[2], os._exit)(0)
"""


def start(folder, what):
    return subprocess.Popen(
        [sys.executable, "-c", DIES, str(folder), what],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_crash_is_read_once_and_says_what_and_where(tmp_path):
    with start(tmp_path / "state", "_sigsegv") as process:
        assert process.wait(20) == -signal.SIGSEGV
    (trace,) = traces_left(tmp_path / "state")
    assert what_happened(trace) == "segmentation fault"
    assert 'File "<string>", line 9 in <module>' in trace
    assert traces_left(tmp_path / "state") == []
    assert list((tmp_path / "state").iterdir()) == []


def test_what_was_killed_leaves_nothing_to_tell(tmp_path):
    with start(tmp_path, "_exit") as process:
        process.wait(20)
    assert len(list(tmp_path.iterdir())) == 1
    assert traces_left(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_one_that_lives_is_left_alone(tmp_path):
    with start(tmp_path, "wait") as process:
        process.stdout.readline()
        (file,) = tmp_path.iterdir()
        assert traces_left(tmp_path) == []
        assert file.exists()
        file.write_text("Fatal Python error: Aborted")  # as faulthandler would, before it dies
        assert traces_left(tmp_path) == []
        process.kill()
        process.wait(20)
    assert traces_left(tmp_path) == ["Fatal Python error: Aborted"]


@pytest.mark.parametrize("error", [None, ValueError])
def test_an_end_that_is_no_crash_leaves_nothing(tmp_path, error):
    with suppress(ValueError), traced(tmp_path):
        assert len(list(tmp_path.iterdir())) == 1
        if error:
            raise error
    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_all_goes_on(tmp_path):
    (tmp_path / "file").write_text("")
    with traced(tmp_path / "file"):
        pass
    assert traces_left(tmp_path / "file") == []
    assert traces_left(tmp_path / "nowhere") == []


def test_of_a_huge_trace_and_of_many_no_more_is_kept_than_helps(tmp_path):
    for number in range(30):
        text = b"Fatal Python error: \xff" + b"x" * 10 * MAX_TRACE_BYTES
        (tmp_path / f"crash-{number}.txt").write_bytes(text)
    (tmp_path / "crash-folder.txt").mkdir()
    traces = traces_left(tmp_path)
    assert 1 <= len(traces) <= 5
    assert max(map(len, traces)) <= MAX_TRACE_BYTES
    assert [path.name for path in tmp_path.iterdir()] == ["crash-folder.txt"]


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        ("Fatal Python error: Aborted\n\nThread 0x", "aborted"),
        ("Windows fatal exception: access violation\n", "access violation"),
        ("Fatal Python error: none_dealloc: deallocating None\n", "none_dealloc"),
        ("what is this?", "no reason known"),
    ],
)
def test_a_trace_is_told_in_words(trace, words):
    assert what_happened(trace) == words
