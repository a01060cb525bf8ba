"""What every GUI test starts from: font, theme and bench; and a look at what it leaves behind."""

import gc
import inspect
import threading
from collections.abc import Callable, Iterator
from dataclasses import fields, replace

import numpy as np
import numpy.typing as npt
import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QMessageBox,
    QPushButton,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from mhagui.document import History, Scene, ViewState, load_lesson
from mhagui.gui import questions
from mhagui.gui.bench import Bench
from mhagui.gui.collecting import collect_if_due, collecting_here
from mhagui.gui.docks.heads import HeadsDock
from mhagui.gui.docks.output_projection import OutputProjectionDock
from mhagui.gui.layouts import DEFAULT
from mhagui.gui.main_window import DEFAULT_SIZE, MainWindow
from mhagui.gui.panel import Panel
from mhagui.gui.theme import ThemeChoice, apply_theme
from mhagui.gui.widgets.matrix_picture import Picture
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.worker import THREAD

POINTS = 10


@pytest.fixture(scope="session", autouse=True)
def fusion(qapp: QApplication, bundled_font: str) -> None:
    """Draw with the style and the font of the program on a screen without either."""
    qapp.setStyle("Fusion")
    font = qapp.font()
    font.setFamily(bundled_font)
    font.setPointSize(POINTS)
    qapp.setFont(font)


@pytest.fixture(scope="module", autouse=True)
def nothing_old(fusion: None) -> Iterator[None]:
    """Have what is here now left out when garbage, and timers that run, are looked for.

    The runner keeps more with every test; looking through it after each would take half the time.
    As in the program garbage is collected in this thread alone. In the end work is waited for that
    nobody wants any more: none may be left when it is collected elsewhere, or Python ends.
    """
    gc.collect()
    gc.freeze()
    with collecting_here():
        yield
        for thread in threading.enumerate():
            if thread.name == THREAD:
                thread.join(30)


@pytest.fixture(autouse=True)
def nothing_left(qapp: QApplication, nothing_old: None) -> Iterator[None]:
    """Fail a test that leaves a window open or a timer running.

    Set up first of all, so that it looks last: after qtbot has closed its widgets.
    """
    before = _windows() | _active_timers()
    yield
    _release_mouse()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()
    collect_if_due()
    if _left(before):
        gc.collect()  # only now, for it takes long
    assert not _left(before)


def _release_mouse() -> None:
    """Release what a test has pressed: QTest's double click ends without the last release."""
    pressed = [button for button in Qt.MouseButton if button & QGuiApplication.mouseButtons()]
    if pressed:
        anywhere = QWindow()
        anywhere.create()
        for button in pressed:
            QTest.mouseRelease(anywhere, button)
        anywhere.destroy()


@pytest.fixture(autouse=True)
def light(qapp: QApplication, nothing_left: None) -> None:
    """Light colours: what every test starts with."""
    apply_theme(ThemeChoice.LIGHT)


@pytest.fixture(autouse=True)
def unsaved(monkeypatch: pytest.MonkeyPatch, nothing_left: None) -> list[str]:
    """The names for which it was asked what becomes of unsaved changes: they are discarded."""
    asked: list[str] = []

    def discard(parent: QWidget, name: str, otherwise: str) -> questions.Leave:
        asked.append(name)
        return questions.Leave.DISCARD

    monkeypatch.setattr(questions, "ask_to_leave", discard)
    return asked


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Function) -> Iterator[None]:
    """Fail a test in which something unsaved was asked about, and which does not look at that.

    What is asked afterwards, where pytest-qt closes the windows, is no matter.
    """
    yield
    if "unsaved" not in inspect.signature(item.function).parameters:
        assert item.funcargs["unsaved"] == []


@pytest.fixture
def dark(qapp: QApplication, light: None) -> None:
    """Dark colours."""
    apply_theme(ThemeChoice.DARK)


class Clock:
    """The time as the test wants it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of ``bench``: it stands still until the test sets ``now``, in seconds."""
    return Clock()


@pytest.fixture
def bench(qapp: QApplication, nothing_left: None, clock: Clock) -> Iterator[Bench]:
    """A bench with the four heads of the lesson."""
    bench = Bench(load_lesson("four-heads"), clock=clock)
    yield bench
    bench.stop()
    bench.deleteLater()


@pytest.fixture(scope="module")
def shared_window(fusion: None, nothing_old: None) -> Iterator[MainWindow]:
    """The main window that the tests of a module share, for one costs as much as many tests."""
    window = MainWindow(load_lesson("four-heads"))
    window.show()
    for _ in window.docks.all:  # one is drawn ahead in each turn
        QApplication.processEvents()
    yield window
    window.bench.stop()
    window.hide()
    window.deleteLater()


@pytest.fixture
def window(
    shared_window: MainWindow,
    light: None,
    qtbot: QtBot,
    settle: Callable[[], None],
    request: pytest.FixtureRequest,
) -> Iterator[MainWindow]:
    """The main window with the four heads, or the lesson of the parameter, as at a start."""
    scene = load_lesson(getattr(request, "param", "four-heads"))
    _begin_again(shared_window, scene)
    with qtbot.waitActive(shared_window):
        shared_window.show()
        shared_window.activateWindow()
    settle()
    shared_window.docks.heatmaps.take_focus()
    yield shared_window
    _begin_again(shared_window, scene)
    settle()


def _begin_again(window: MainWindow, scene: Scene) -> None:
    """Have no past in ``window``: neither steps nor a file, notices, another layout or size."""
    while window.notices.isVisible():
        window.notices.dismiss()
    window.docks.pipeline.timer.stop()
    window.bench.history = History(scene)
    view = ViewState.of(scene)
    window.bench.look(**{field.name: getattr(view, field.name) for field in fields(view)})
    window.bench.go_to(0)
    window.preferences.change(layouts={}, layout=None)
    window._forget_files()
    window.resize(DEFAULT_SIZE)
    # To place all docks takes as long as many a test, and few move any.
    if window.docks.layout() != getattr(window, "usual_layout", None):
        window.docks.apply(DEFAULT)
        QApplication.processEvents()
        window.usual_layout = window.docks.layout()


@pytest.fixture
def open_window(qtbot: QtBot, settle: Callable[[], None]) -> Callable[..., MainWindow]:
    """A function that opens a main window of its own, for a test that closes it, say."""

    def open_window(
        lesson: str = "four-heads", size: tuple[int, int] | None = None, **given: object
    ) -> MainWindow:
        window = MainWindow(load_lesson(lesson), **given)
        qtbot.addWidget(window)
        if size is not None:
            window.resize(*size)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        settle()
        return window

    return open_window


@pytest.fixture
def set_points(qapp: QApplication) -> Iterator[Callable[[int], None]]:
    """A function that sets the size of the system's type."""

    def set_points(points: int) -> None:
        font = qapp.font()
        font.setPointSize(points)
        qapp.setFont(font)

    before = qapp.font().pointSize()
    yield set_points
    set_points(before)


@pytest.fixture
def answer(qtbot: QtBot) -> Callable[[str], list[str]]:
    """A function that has the button with a text pressed in the question that comes next.

    It gives the list in which the texts of that question then are, and that of the button Enter is
    for.
    """

    def answer(text: str) -> list[str]:
        said: list[str] = []

        def press() -> None:
            box = QApplication.activeModalWidget()
            assert isinstance(box, QMessageBox)
            by_text = {b.text().replace("&", ""): b for b in box.findChildren(QPushButton)}
            at_enter = next(name for name, button in by_text.items() if button.isDefault())
            said.extend((box.text(), box.informativeText(), at_enter))
            qtbot.mouseClick(by_text[text], Qt.MouseButton.LeftButton)

        QTimer.singleShot(0, press)
        return said

    return answer


@pytest.fixture
def no_tooltip_left(qtbot: QtBot, nothing_left: None) -> Iterator[None]:
    """Put away the tooltip that a test has asked for."""
    yield
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


@pytest.fixture
def refused(bench: Bench) -> list[str]:
    """The sentences with which the bench has refused something."""
    sentences: list[str] = []
    bench.refused.connect(sentences.append)
    return sentences


@pytest.fixture
def settle(qapp: QApplication) -> Callable[[], None]:
    """A function that lets the frame of this moment be drawn, and what is deleted be gone."""

    def settle() -> None:
        qapp.processEvents()
        qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        qapp.processEvents()

    return settle


@pytest.fixture
def heads_dock(bench: Bench, qtbot: QtBot) -> Iterator[HeadsDock]:
    """The Heads dock in an active window that is not much larger."""
    window = QMainWindow()
    dock = HeadsDock(bench)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.resize(300, 662)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.resizeDocks([dock], [300], Qt.Orientation.Horizontal)
    yield dock  # the window lives as long as this function
    window.close()


@pytest.fixture
def open_dock(bench: Bench, qtbot: QtBot, settle: Callable[[], None]) -> Callable[..., Panel]:
    """A function that opens a dock of its own, drawn and with the keyboard, at a size."""

    def open_dock(make: Callable[[Bench], Panel], width: int, height: int) -> Panel:
        dock = make(bench)
        qtbot.addWidget(dock)
        dock.resize(width, height)
        with qtbot.waitActive(dock):
            dock.show()
            dock.activateWindow()
        settle()
        return dock

    return open_dock


@pytest.fixture
def projection_dock(open_dock: Callable[..., Panel]) -> Panel:
    """The Output projection dock at about its size in the main window."""
    return open_dock(OutputProjectionDock, 660, 260)


@pytest.fixture
def four_heads_w_o() -> npt.NDArray[np.float64]:
    """W_O of the four heads of the lesson."""
    return np.array(
        [
            [1, 0, 0, 0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0, 0, 0, -0.5],
            [0, 0, 1, 0, 0, 0, 0, 0],
            [0, 0, 0, 1, 0, 0, 0, 0],
            [1, 0, -1, 0, 1, 0, 0, 0],
            [0, 0, 0, 0, 0, 1, 0, 0],
            [0, 0, 0, 0, 0, 0.5, 1, 0],
            [0, 0, 0, 0, 0, 0, 0, 1],
        ]
    )


@pytest.fixture
def shown_matrix(qtbot: QtBot) -> Callable[..., MatrixView]:
    """A function that shows a heatmap of indices from 0, black, to 254, white, in its own window.

    255 is a cell without a number.
    A colour tells its index; no values are written unless ``writings`` are among the changes.
    """

    def show(
        indices: npt.ArrayLike, size: tuple[int, int] = (300, 300), **changes: object
    ) -> MatrixView:
        indices = np.asarray(indices, dtype=np.uint8)
        rows, columns = (tuple(f"t{i + 1}" for i in range(n)) for n in indices.shape)
        greys = np.repeat(np.arange(255, dtype=np.uint8)[:, None], 3, axis=1)
        values = np.where(indices == 255, np.nan, indices / 254.0)
        plain = Picture(values, 0.0, 1.0, greys, rows, columns, writings=())
        view = MatrixView()
        qtbot.addWidget(view)
        view.resize(*size)
        view.set_picture(replace(plain, **changes))
        with qtbot.waitExposed(view):
            view.show()
        return view

    return show


@pytest.fixture
def handle() -> Callable[[QSlider], QRect]:
    """A function that gives where the handle of a slider is, from the style's own geometry."""

    def handle(slider: QSlider) -> QRect:
        option = QStyleOptionSlider()
        slider.initStyleOption(option)
        part = QStyle.SubControl.SC_SliderHandle
        return slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider)

    return handle


@pytest.fixture
def at(handle: Callable[[QSlider], QRect]) -> Callable[[QSlider, float], QPoint]:
    """A function that gives where the centre of a gain slider's handle is at a gain from 0 to 4."""

    def at(slider: QSlider, gain: float) -> QPoint:
        width = handle(slider).width()
        x = width // 2 + round(gain / 4 * (slider.width() - width))
        return QPoint(x, slider.height() // 2)

    return at


@pytest.fixture
def type_in(qtbot: QtBot) -> Callable[..., None]:
    """A function that types ``text`` for what is in a field, and then the key ``end``."""

    def type_in(
        field: QLineEdit | QAbstractSpinBox, text: str, end: Qt.Key | None = Qt.Key.Key_Return
    ) -> None:
        field.setFocus()
        field.selectAll()
        if not text.isascii():  # QTest has keys for ASCII alone
            QGuiApplication.clipboard().setText(text)
            qtbot.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        elif text:
            qtbot.keyClicks(field, text)
        else:
            qtbot.keyClick(field, Qt.Key.Key_Delete)
        if end is not None:
            qtbot.keyClick(field, end)

    return type_in


@pytest.fixture
def choose(qtbot: QtBot) -> Callable[[QComboBox, str], None]:
    """A function that chooses the entry that begins with a text as a user does: by keys."""

    def choose(box: QComboBox, text: str) -> None:
        box.setFocus()
        steps = box.findText(text, Qt.MatchFlag.MatchStartsWith) - box.currentIndex()
        for _ in range(abs(steps)):
            qtbot.keyClick(box, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)
        assert box.currentText().startswith(text)

    return choose


@pytest.fixture
def wheel(qapp: QApplication) -> Callable[..., bool]:
    """A function that turns the wheel over a widget, and tells whether that took it."""

    def wheel(
        widget: QWidget,
        delta: int,
        place: QPoint | None = None,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> bool:
        place = place or widget.rect().center()
        places = QPointF(place), QPointF(widget.mapToGlobal(place))
        turned = QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton, modifiers
        event = QWheelEvent(*places, *turned, Qt.ScrollPhase.NoScrollPhase, False)
        QApplication.sendEvent(widget, event)
        return event.isAccepted()

    return wheel


def _left(before: dict[int, str]) -> list[str]:
    now = _windows() | _active_timers()
    return [now[address] for address in now.keys() - before.keys()]


def _windows() -> dict[int, str]:
    """Return the windows there are, without those that others hide, a list of choices say."""
    windows = QApplication.topLevelWidgets()
    own = [window for window in windows if window.isVisible() or window.parentWidget() is None]
    return {shiboken6.getCppPointer(window)[0]: repr(window) for window in own}


def _root(found: QObject) -> QObject:
    while found.parent() is not None:
        found = found.parent()
    return found


def _active_timers() -> dict[int, str]:
    """Return the timers that run, without those of a window: where it goes, they go with it."""
    timers = [found for found in gc.get_objects() if type(found) is QTimer]
    alive = [timer for timer in timers if shiboken6.isValid(timer) and timer.isActive()]
    alive = [timer for timer in alive if not isinstance(_root(timer), QWidget)]
    return {shiboken6.getCppPointer(timer)[0]: repr(timer) for timer in alive}


@pytest.fixture
def grabbed(qapp: QApplication) -> Callable[[QWidget], npt.NDArray[np.uint8]]:
    """A function that gives what a widget looks like: (height, width, 3) uint8 RGB."""

    def grab(widget: QWidget) -> npt.NDArray[np.uint8]:
        image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGBX8888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
        return rows[:, : image.width(), :3].copy()

    return grab
