"""Everything in larger or smaller type: by the menu, by keys, from one start to the next."""

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, QSizeF, Qt
from PySide6.QtGui import QAction, QFontDatabase, QScreen
from PySide6.QtWidgets import QLabel, QMenuBar, QStatusBar

from mhagui.document import load_lesson
from mhagui.gui import type_size
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.layouts import DEFAULT, LEARN, PRESENT
from mhagui.gui.type_size import SETTLED_AFTER, STEPS
from mhagui.gui.widgets.drawing import scaled_font
from mhagui.gui.widgets.matrix_card import MatrixCard
from mhagui.gui.widgets.matrix_painter import _written
from mhagui.home import Home
from mhagui.settings import FILE_NAME, SettingsStore

pytestmark = pytest.mark.thorough

CONTROL = Qt.KeyboardModifier.ControlModifier
POINTS = 10.0  # of the system's type, in tests


@pytest.fixture(autouse=True)
def usual_font(qapp):
    """The system's type again, whatever a test has made of it."""
    before = qapp.font()
    yield
    qapp.setFont(before)


@pytest.fixture
def screen(monkeypatch):
    """A function that has the screen be of another size."""

    def screen(width, height):
        monkeypatch.setattr(QScreen, "availableSize", lambda _screen: QSize(width, height))
        room = QRect(0, 0, width, height)
        monkeypatch.setattr(QScreen, "availableGeometry", lambda _screen: room)

    screen(1920, 1080)
    return screen


@pytest.fixture
def home(tmp_path):
    return Home.below(tmp_path)


@pytest.fixture
def open_window(open_window, screen):
    return partial(open_window, size=(1700, 1000))


def points(widget):
    return widget.font().pointSizeF()


def fits(window, width, height):
    least, now = window.minimumSizeHint(), window.size()
    return least.width() <= now.width() <= width and least.height() <= now.height() <= height


def said(window):
    return window.statusBar().currentMessage()


def test_keys_make_all_type_larger_smaller_and_usual(open_window, qtbot, settle):
    window = open_window()
    parts = [window, window.docks.heads.widget(), *map(window.findChild, (QMenuBar, QStatusBar))]
    for key, wanted in (
        (Qt.Key.Key_Plus, 11.0),
        (Qt.Key.Key_Equal, 12.5),
        (Qt.Key.Key_Equal, 15.0),
        (Qt.Key.Key_Minus, 12.5),
    ):
        qtbot.keyClick(window, key, CONTROL)
        settle()
        assert [points(part) for part in parts] == [wanted] * len(parts)
    assert said(window) == "Type is at 125 % of the system's size"
    window.findChild(QAction, "usual_type").trigger()
    settle()
    assert [points(part) for part in parts] == [POINTS] * len(parts)


def test_the_sentence_is_not_written_over_the_cursors_cell(open_window, qtbot, settle):
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    for _ in range(4):
        settle()
    assert said(window)
    assert window.findChild(QLabel, "cursorReadout").isHidden()


def test_it_ends_at_sizes_that_can_be_kept(open_window, qtbot, screen, home):
    screen(6000, 4000)
    window = open_window(home=home)
    for key, before, percent in ((Qt.Key.Key_Plus, 225, 250), (Qt.Key.Key_Minus, 90, 80)):
        window.preferences.change(type_percent=before)
        for _ in range(2):
            qtbot.keyClick(window, key, CONTROL)
        assert window.preferences.settings.type_percent == percent
        kept, complaints = SettingsStore(home.config / FILE_NAME).load()
        assert (kept.type_percent, complaints) == (percent, [])


def test_the_next_window_opens_in_the_same_type(open_window, qtbot, settle, home, qapp):
    window = open_window(home=home)
    usual = qapp.font()
    qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    window.close()
    qapp.setFont(usual)  # as at the start of a program
    assert points(open_window(home=home)) == pytest.approx(11.0)


def test_another_font_of_the_system_is_followed(open_window, qtbot, settle, qapp):
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    font = qapp.font()
    font.setPointSizeF(14.0)
    qapp.setFont(font)
    for _ in range(3):
        settle()
    assert points(window) == pytest.approx(14.0 * 1.1)


def test_another_font_of_the_system_is_followed_though_the_program_has_set_its_own(
    open_window, qtbot, settle, qapp, monkeypatch
):
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    font = qapp.font()
    font.setPointSizeF(14.0)
    monkeypatch.setattr(QFontDatabase, "systemFont", lambda _kind: font)
    qapp.sendEvent(window, QEvent(QEvent.Type.ThemeChange))
    settle()
    assert points(window) == pytest.approx(14.0 * 1.1)


def test_type_goes_back_where_the_screen_has_no_room_for_it(open_window, qtbot, settle, screen):
    screen(1366, 768)
    window = open_window(size=(1340, 700))
    for _ in range(5):
        qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    assert window.preferences.settings.type_percent == 200
    qtbot.waitUntil(lambda: fits(window, 1366, 768))
    percent = window.preferences.settings.type_percent
    assert 100 < percent < 200
    assert said(window) == (
        f"Type is at {percent} % of the system's size; "
        "larger type has no room in this layout on this screen"
    )


def test_the_window_stays_on_its_screen_and_is_as_before_in_usual_type(
    open_window, qtbot, settle, screen
):
    screen(1400, 900)
    window = open_window(size=(1280, 800))
    window.move(100, 60)
    settle()
    before, room = window.size(), QRect(0, 0, 1400, 900)
    for _ in range(4):
        qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
        qtbot.waitUntil(lambda: room.contains(window.geometry()))
    assert window.width() > before.width()
    window.findChild(QAction, "usual_type").trigger()
    qtbot.waitUntil(lambda: window.size() == before)
    assert window.pos() == QPoint(100, 60)


def test_a_size_the_user_gives_in_large_type_is_kept(
    open_window, qtbot, settle, screen, monkeypatch
):
    monkeypatch.setattr(type_size, "ANSWERED_AFTER", SETTLED_AFTER)
    screen(1600, 1000)
    window = open_window(size=(1280, 800))
    for _ in range(3):
        qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    qtbot.wait(3 * SETTLED_AFTER)  # nothing else tells that all is done
    window.resize(1500, 900)
    settle()
    window.findChild(QAction, "usual_type").trigger()
    qtbot.wait(2 * SETTLED_AFTER)
    assert window.size() == QSize(1500, 900)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_larger_type_leaves_the_numbers_in_heatmaps(bench, qtbot, open_dock, settle, steps):
    bench.open(load_lesson("four-heads"))
    dock = open_dock(HeatmapsDock, 900, 700)
    card = dock.findChildren(MatrixCard)[0].view
    cell, font = QSizeF(20, 20), card.font()
    usual = value_font(card.picture, cell, font)
    larger = value_font(card.picture, cell, scaled_font(font, STEPS[2 + steps] / 100))
    assert larger.pointSizeF() >= min(usual.pointSizeF(), 7.0)


def value_font(picture, cell, font):
    """The font in which the weights of the lesson are written into cells of that size."""
    values = [float(value) for value in np.asarray(picture.values)[np.tri(6, dtype=bool)]]
    written = _written(picture, values, cell, font)
    assert written is not None
    return written[1]


def test_a_layout_that_needs_more_room_has_smaller_type(open_window, qtbot, settle, screen):
    screen(1500, 1080)
    window = open_window(size=(1480, 1000))
    window.docks.apply(PRESENT)
    settle()
    for _ in range(5):
        qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    qtbot.wait(4 * SETTLED_AFTER)  # there is room, so nothing comes of it
    assert window.preferences.settings.type_percent == 200
    window.docks.apply(LEARN)
    qtbot.waitUntil(lambda: window.preferences.settings.type_percent < 200)
    qtbot.waitUntil(lambda: fits(window, 1500, 1080))


def test_type_is_as_before_after_present_on_a_full_screen(open_window, settle):
    window = open_window(size=(1400, 900))
    heatmaps = window.docks.heatmaps.widget()
    window.docks.apply(PRESENT)
    settle()
    window.resize(1920, 1080)  # as by full screen
    settle()
    assert points(heatmaps) > 1.3 * POINTS
    window.docks.apply(LEARN)
    settle()
    window.docks.apply(DEFAULT)
    settle()
    window.resize(1400, 900)
    settle()
    assert points(heatmaps) == POINTS
