"""How long the window takes from the start of its process to its first paint, beside a bare one.

The bare program is the least that shows a curve in a window: a QMainWindow with one PlotWidget of
pyqtgraph.
"""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from measuring import Row, Section, profile

TURNS = 15
GOAL = 1.3

TEXT = """From the start of the process to the first paint of its window, no screen, the files
in the system's cache; beside a QMainWindow with one pyqtgraph PlotWidget and one curve. Both are
processes of their own. That window is complete when it is painted first: the second row is ours
with every dock in sight painted."""

# Says when a window has been painted, in the clock that all processes share, and ends. What is
# posted while a part of the window is painted arrives when all of it is.
_WATCH = """
import os, time
from PySide6.QtCore import QCoreApplication, QEvent, QObject

class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User))
        return False

    def customEvent(self, event):
        os.write(1, str(time.monotonic()).encode())
        os._exit(0)
"""

# What is watched of ours for either moment. The Entropy dock, which has curves, is the last that
# comes into sight.
FIRST_PAINT = "window.installEventFilter(Watch(window))"
ALL_IN_SIGHT = "window.docks.made.connect(watch_entropy)"

# All imports in the order that they have without a watch, or it would cost either side something.
_OURS = f"""
import sys
from mhagui.__main__ import main
from mhagui.commands.shared import without_collecting
with without_collecting():
    from mhagui.document import open_named
    import mhagui.gui.application
{_WATCH}
from PySide6.QtWidgets import QMainWindow
show = QMainWindow.show

def watch_entropy(dock):
    if dock.objectName() == "entropyDock":
        dock.table.viewport().installEventFilter(Watch(dock))

def show_watched(window):
    {{watched}}
    show(window)

QMainWindow.show = show_watched
sys.argv = ["mhagui"]
main()
"""

_BARE = f"""
from PySide6.QtWidgets import QApplication, QMainWindow
{_WATCH}
app = QApplication([])
import pyqtgraph
window = QMainWindow()
plot = pyqtgraph.PlotWidget()
plot.plot([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 2.0, 4.0])
plot.viewport().installEventFilter(Watch(plot))  # it hides all of the window
window.setCentralWidget(plot)
window.resize(1280, 800)
window.show()
app.exec()
"""


def measure(n: int, watched: str) -> list[tuple[float, float]]:
    """Start ours and the bare window in turn, ``n`` times each; return the seconds of each pair.

    Ours is timed to its FIRST_PAINT, or until ALL_IN_SIGHT is painted; the bare one is complete
    when it is painted first. One turn before does not count: it warms the cache and compiles what
    was never run.
    """
    ours = _OURS.format(watched=watched)
    with tempfile.TemporaryDirectory() as home:
        pairs = [(_seconds(ours, home), _seconds(_BARE, home)) for _ in range(n + 1)]
    return pairs[1:]


def _seconds(program: str, home: str) -> float:
    """Return the time from starting ``program`` to the first paint of its window."""
    folders = ("CACHE", "CONFIG", "DATA", "STATE")
    theirs = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    own = {"HOME": home, **{f"XDG_{folder}_HOME": f"{home}/{folder}" for folder in folders}}
    start = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        timeout=20,
        cwd=Path(__file__).parents[1],
        env=theirs | own | {"QT_QPA_PLATFORM": "offscreen"},
    )
    return float(run.stdout) - start


def section(turns: int = TURNS) -> Section:
    """Start both in turn, for either moment."""
    made = Section("e. Cold start to first paint", TEXT, "bare window", at_least=False)
    for what, watched, goal in (
        ("start to first paint", FIRST_PAINT, GOAL),
        ("start until all is in sight", ALL_IN_SIGHT, None),
    ):
        ours, bare = zip(*measure(turns, watched), strict=True)
        row = Row(what, ours, bare, goal=goal)
        made.add(row, "Imports, and the window made and painted", partial(profile, _start))
    return made


def _start() -> None:
    from PySide6.QtWidgets import QApplication

    from mhagui.document import load_lesson
    from mhagui.gui.main_window import MainWindow

    app = QApplication([])
    window = MainWindow(load_lesson("four-heads"), is_start=True)
    window.show()
    app.processEvents()
    window.bench.stop()
