"""What every GUI test starts from: font, theme and bench; and a look at what it leaves behind."""

import gc
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pytest
import shiboken6
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from mhagui.document import load_lesson
from mhagui.gui.bench import Bench
from mhagui.gui.theme import ThemeChoice, apply_theme

POINTS = 10


@pytest.fixture(scope="session", autouse=True)
def fusion(qapp: QApplication, bundled_font: str) -> None:
    """Draw with the style and the font of the program on a screen without either."""
    qapp.setStyle("Fusion")
    font = qapp.font()
    font.setFamily(bundled_font)
    font.setPointSize(POINTS)
    qapp.setFont(font)


@pytest.fixture(autouse=True)
def nothing_left(qapp: QApplication, fusion: None) -> Iterator[None]:
    """Fail a test that leaves a window open or a timer running.

    Set up first of all, so that it looks last: after qtbot has closed its widgets.
    """
    before = _windows() | _active_timers()
    yield
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()
    if _left(before):
        gc.collect()  # only now, for it takes long
    assert not _left(before)


@pytest.fixture(autouse=True)
def light(qapp: QApplication, nothing_left: None) -> None:
    """Light colours: what every test starts with."""
    apply_theme(ThemeChoice.LIGHT)


@pytest.fixture
def dark(qapp: QApplication, light: None) -> None:
    """Dark colours."""
    apply_theme(ThemeChoice.DARK)


@pytest.fixture
def bench(qapp: QApplication, nothing_left: None) -> Iterator[Bench]:
    """A bench with the four heads of the lesson."""
    bench = Bench(load_lesson("four-heads"))
    yield bench
    bench.stop()
    bench.deleteLater()


def _left(before: dict[int, str]) -> list[str]:
    now = _windows() | _active_timers()
    return [now[address] for address in now.keys() - before.keys()]


def _windows() -> dict[int, str]:
    windows = QApplication.topLevelWidgets()
    return {shiboken6.getCppPointer(window)[0]: repr(window) for window in windows}


def _active_timers() -> dict[int, str]:
    timers = [found for found in gc.get_objects() if type(found) is QTimer]
    alive = [timer for timer in timers if shiboken6.isValid(timer) and timer.isActive()]
    return {shiboken6.getCppPointer(timer)[0]: repr(timer) for timer in alive}


@pytest.fixture
def grabbed(qapp: QApplication) -> Callable[[QWidget], npt.NDArray[np.uint8]]:
    """A function that gives what a widget looks like: (height, width, 3) uint8 RGB."""

    def grab(widget: QWidget) -> npt.NDArray[np.uint8]:
        image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGBX8888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
        return rows[:, : image.width(), :3].copy()

    return grab
