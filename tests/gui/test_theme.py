"""Light and dark: what the style makes of the palettes, and what is drawn where it does not do."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLabel,
    QMainWindow,
    QRadioButton,
    QStyle,
    QTabBar,
)

from mhagui.gui.panel import Panel
from mhagui.gui.tab_marks import TabMarks
from mhagui.gui.theme import ThemeChoice, apply_theme, is_dark, theme_of
from mhagui.palette import contrast

Role = QPalette.ColorRole
THEMES = pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])


def ratio(one: QColor, other: QColor) -> float:
    return contrast(one.getRgb()[:3], other.getRgb()[:3])


def middle_row(button) -> list[QColor]:
    """The colours across the middle of a button's mark, from rim to rim."""
    button.resize(60, 20)
    size = button.style().pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth)
    picture = button.grab().toImage()
    return [picture.pixelColor(x, 10) for x in range(size + 2)]


class Bare(Panel):
    """A dock with a title of its own and nothing in it."""

    def __init__(self, bench, name="bareDock"):
        super().__init__(bench, name, name)
        self.setTitleBarWidget(QLabel(name))
        self.set_body(QLabel())

    def show_frame(self, frame, previous):
        """Draw nothing."""


@THEMES
def test_chosen_text_can_be_read(qapp, theme):
    apply_theme(theme)
    palette = QApplication.palette()
    assert ratio(palette.color(Role.Highlight), palette.color(Role.HighlightedText)) >= 4.5
    assert ratio(palette.color(Role.Highlight), palette.color(Role.Window)) >= 3


@THEMES
@pytest.mark.parametrize("kind", [QRadioButton, QCheckBox])
def test_a_mark_that_is_not_chosen_is_a_ring_and_a_chosen_one_is_filled(qtbot, theme, kind):
    apply_theme(theme)
    button = kind()
    qtbot.addWidget(button)
    palette = QApplication.palette()
    base, window = palette.color(Role.Base), palette.color(Role.Window)
    row = middle_row(button)
    assert ratio(row[len(row) // 2], base) < 1.1
    assert max(ratio(colour, window) for colour in row) >= (3 if is_dark(palette) else 1.5)
    button.setChecked(True)
    assert max(ratio(colour, base) for colour in middle_row(button)[3:-3]) >= 4.5


@pytest.fixture
def window(qtbot):
    """A window whose docks are tabbed by the tests."""
    window = QMainWindow()
    TabMarks(window)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    yield window
    window.close()


@THEMES
def test_the_tab_in_front_is_written_stronger_than_those_behind(
    bench, window, qtbot, settle, theme
):
    apply_theme(theme)
    first, second, third = (Bare(bench, name) for name in ("first", "second", "third"))
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, first)
    window.tabifyDockWidget(first, second)
    settle()
    (bar,) = window.findChildren(QTabBar)
    muted = theme_of(window.palette()).muted

    def strong():
        assert bar.elideMode() is Qt.TextElideMode.ElideNone
        return [bar.tabText(i) for i in range(bar.count()) if bar.tabTextColor(i) != muted]

    for dock in (first, second):
        dock.raise_()
        qtbot.waitUntil(lambda dock=dock: strong() == [dock.windowTitle()])
    window.tabifyDockWidget(first, third)
    first.raise_()
    qtbot.waitUntil(lambda: (bar.count(), strong()) == (3, ["first"]))
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(2).center())
    qtbot.waitUntil(lambda: strong() == [bar.tabText(2)])


@THEMES
def test_a_floating_dock_has_a_frame_and_one_in_the_window_has_none(
    bench, window, qtbot, settle, theme
):
    apply_theme(theme)
    dock = Bare(bench)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    settle()
    ground = dock.palette().color(Role.Window)

    def edges():
        picture, right, bottom = dock.grab().toImage(), dock.width() - 1, dock.height() - 1
        places = [(0, bottom // 2), (right, bottom // 2), (right // 2, 0), (right // 2, bottom)]
        return [ratio(picture.pixelColor(*place), ground) for place in places]

    assert max(edges()) < 1.05
    dock.setFloating(True)
    qtbot.waitUntil(dock.isWindow)
    assert min(edges()) >= 3
