"""A signal from the terminal ends the window in good order."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PROGRAM = """
from PySide6.QtCore import QTimer
from mhagui.document import load_lesson
from mhagui.gui.application import make_application, run
make_application()
QTimer.singleShot(0, lambda: print("running", flush=True))
raise SystemExit(run(load_lesson("two-heads")))
"""


@pytest.mark.parametrize(
    "names", [["SIGINT"], ["SIGTERM"], ["SIGHUP"], ["SIGHUP", "SIGTERM", "SIGHUP", "SIGINT"]]
)
def test_a_signal_ends_the_window_and_more_of_them_too(names):
    numbers = [getattr(signal, name) for name in names]
    window = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert window.stdout.readline() == "running\n"
    for number in numbers:
        window.send_signal(number)
    _, said = window.communicate(timeout=20)
    assert window.returncode in [128 + number for number in numbers]
    assert [line for line in said.splitlines() if "propagateSizeHints" not in line] == []
