"""A few of the broken session files that ``fuzz_sessions.py`` makes by the ten thousand."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

SCRIPT = Path(__file__).with_name("fuzz_sessions.py")


def test_three_hundred_broken_files_are_refused_in_a_sentence_or_open_whole():
    done = subprocess.run(
        [sys.executable, SCRIPT, "--count", "300"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 files, numbers from 0: " in done.stdout
    assert " 0 faults" in done.stdout
    assert done.stderr == ""
