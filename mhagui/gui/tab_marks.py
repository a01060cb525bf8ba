"""Tabs of docks that tell which of them is in front."""

from functools import partial

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMainWindow, QTabBar

from mhagui.gui.panel import Panel
from mhagui.gui.theme import theme_of


class TabMarks(QObject):
    """Writes the tabs of docks behind others muted, and no word cut short: arrows come instead.

    A click on one gives its dock the keyboard, which Qt would give to the next widget that is to be
    had when the dock that had it goes behind: a number box at the other end of the window.

    Fusion tells them apart by shades that are one in the dark. A main window makes its tab bars
    itself, and fills them as it likes; hence they are seen to when they come, and before each
    painting.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take in the tab bars that come, and colour their tabs before they are painted."""
        if isinstance(event, QChildEvent) and event.type() == QEvent.Type.ChildPolished:
            self._take_in(event.child())
        elif isinstance(event, QKeyEvent) and isinstance(watched, QTabBar):
            return event.type() == QEvent.Type.KeyPress and _went(watched, event.key())
        elif isinstance(event, QMouseEvent) and isinstance(watched, QTabBar):
            if _is_click(watched, event):  # which the bar is yet to be told of
                QTimer.singleShot(0, watched, partial(_enter, watched))
        elif event.type() == QEvent.Type.Paint and isinstance(watched, QTabBar):
            _mark(watched)
        elif event.type() == QEvent.Type.Move and isinstance(watched, QTabBar):
            _let_focus_in(watched)
        return False

    def _take_in(self, child: QObject) -> None:
        if isinstance(child, QTabBar):
            child.setElideMode(Qt.TextElideMode.ElideNone)
            child.installEventFilter(self)


def _went(bar: QTabBar, key: int) -> bool:
    """Go to the first or last tab by Home or End, as in any list; Qt knows the arrows alone."""
    places = {int(Qt.Key.Key_Home): 0, int(Qt.Key.Key_End): bar.count() - 1}
    if key in places:
        bar.setCurrentIndex(places[key])
    return key in places


def _is_click(bar: QTabBar, event: QMouseEvent) -> bool:
    is_press = event.type() == QEvent.Type.MouseButtonPress
    is_left = event.button() == Qt.MouseButton.LeftButton
    return is_press and is_left and bar.tabAt(event.position().toPoint()) >= 0


def _enter(bar: QTabBar) -> None:
    """Give the keyboard to the dock whose tab is in front."""
    title = bar.tabText(bar.currentIndex())
    for dock in bar.window().findChildren(Panel):
        if dock.windowTitle() == title and dock.is_in_sight():
            dock.take_focus()


def _mark(bar: QTabBar) -> None:
    muted = theme_of(bar.palette()).muted
    for place in range(bar.count()):
        colour = QColor() if place == bar.currentIndex() else muted
        if bar.tabTextColor(place) != colour:  # or every painting would ask for the next
            bar.setTabTextColor(place, colour)


def _let_focus_in(bar: QTabBar) -> None:
    """Let Tab into a bar that can be seen; Qt puts that of a single dock outside of the window."""
    is_in_sight = bar.geometry().bottom() >= 0
    bar.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_in_sight else Qt.FocusPolicy.NoFocus)
