"""A script that opens the window: it waits, can be interrupted, and ends as it would alone."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BEGINNING = """
import os, signal, sys, threading
import numpy as np
import mhagui
assert "PySide6" not in sys.modules
weights = np.tri(4) / np.arange(1, 5)[:, np.newaxis]

def later(seconds, do):
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
"""


def run(script):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", BEGINNING + script],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )


def assert_quiet(ended):
    lines = ended.stderr.splitlines()
    assert [line for line in lines if not line.startswith("This plugin does not support")] == []


def test_a_script_waits_until_the_window_is_closed():
    ended = run("""
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
app = QApplication([])  # as a program with windows of its own has it
QTimer.singleShot(300, app.closeAllWindows)
view = mhagui.view(weights, list("abcd"), block=True)
print(view.is_open, view.scene.n_positions, app is QApplication.instance())
again = mhagui.view(weights, block=False)
again.close()
print(again.is_open)
""")
    assert ended.stdout.split() == ["False", "4", "True", "False"]
    assert ended.returncode == 0
    assert_quiet(ended)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to send")
def test_an_interrupt_ends_the_waiting_and_keeps_the_window():
    ended = run("""
later(1, interrupt)
try:
    mhagui.view(weights, title="mine")
except KeyboardInterrupt:
    print("interrupted")
try:
    raise SystemExit(7)
finally:
    print("cleaned up")
""")
    assert ended.stdout.splitlines() == ["interrupted", "cleaned up"]
    assert ended.returncode == 7
    assert_quiet(ended)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to send")
def test_an_interrupt_while_the_window_is_made_is_not_lost():
    ended = run("""
from mhagui.gui.main_window import MainWindow
from PySide6.QtWidgets import QApplication
app = QApplication([])

class Painted(MainWindow):
    def showEvent(self, event):
        interrupt()  # Python would raise it here, in a callback of Qt's
        super().showEvent(event)

import mhagui.gui.main_window
mhagui.gui.main_window.MainWindow = Painted
try:
    mhagui.view(weights)
except KeyboardInterrupt:
    print("interrupted")
""")
    assert ended.stdout.split() == ["interrupted"]
    assert ended.returncode == 0
    assert_quiet(ended)


def test_a_script_may_end_with_windows_open():
    ended = run("""
views = [mhagui.view(weights, block=False) for _ in range(2)]
views[0].set_gain(0, 2.0)
print(views)
""")
    assert ended.stdout.count("open>") == 2
    assert ended.returncode == 0
    assert_quiet(ended)


def test_without_a_display_it_is_said_in_a_sentence():
    ended = run("""
os.environ.pop("QT_QPA_PLATFORM", None)
for name in ("DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(name, None)
try:
    mhagui.view(weights)
except ValueError as error:
    print(error)
print("PySide6.QtWidgets" in sys.modules)
""")
    if not sys.platform.startswith("linux"):
        pytest.skip("there is a display whatever the environment says")
    sentence, loaded = ended.stdout.splitlines()
    assert sentence.endswith("; mhagui.scorecard works without a window.")
    assert loaded == "False"
