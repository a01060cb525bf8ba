"""A program for the tests: runs main with arguments, and closes the window when something is open.

Prints the layer that is on the bench, its tokens, and the weights of its first head's last row.
"""

import sys
import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from mhagui import cli
from mhagui.gui.application import make_application
from mhagui.gui.main_window import MainWindow

WAITS = 40  # seconds


def look(timer: QTimer, begun: float) -> None:
    """Close the window once a layer is shown, or it is too late; say what is on the bench."""
    window = next((w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)), None)
    if window is None:
        return
    is_shown = window.captures.layer is not None and not window.bench.frame.is_behind
    if not is_shown and time.monotonic() - begun < WAITS:
        return
    timer.stop()
    frame = window.bench.frame
    print(window.captures.layer)
    print(*window.captures.capture.query_tokens, sep="|")
    print(*frame.result.heads[0].weights[-1])
    window.close()


make_application()
looking = QTimer()
looking.timeout.connect(lambda: look(looking, BEGUN))
BEGUN = time.monotonic()
looking.start(20)
sys.exit(cli.main(sys.argv[1:]))
