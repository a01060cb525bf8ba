"""Right clicks, the menus that come of them, and the clipboard."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from mhagui.settings import ExportChoices

MILLISECONDS = 30_000  # for a first figure, which has matplotlib loaded
INTERVAL = 2
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


class Menu:
    """The menu that is open, by the texts of its entries without their marks."""

    def __init__(self, menu):
        self.menu = menu

    @property
    def texts(self):
        """What it offers, from top to bottom."""
        return [bare(a.text()) for a in self.menu.actions() if not a.isSeparator()]

    def entry(self, *way):
        """The entry that ``way`` leads to, menu by menu."""
        found = self.menu
        for text in way:
            action = next(a for a in found.actions() if bare(a.text()) == text)
            found = action.menu()
        return action

    def press(self, *way):
        """Choose an entry, as by its letters, and have the menu gone."""
        self.entry(*way).trigger()
        self.close()

    def close(self):
        """Have it gone, as by Esc."""
        self.menu.close()
        QApplication.processEvents()


def bare(text):
    return text.replace("&", "")


@pytest.fixture
def as_at_first(window):
    """Have figures look as they do before one has chosen anything."""
    window.preferences.change(export=ExportChoices())


@pytest.fixture
def find(window):
    """A function that gives the widget of that name."""
    return lambda name: window.findChild(QWidget, name)


@pytest.fixture
def enter(window, settle):
    """A function that brings a dock to the front, drawn."""

    def enter(dock):
        window.docks.enter(getattr(window.docks, dock))
        settle()

    return enter


@pytest.fixture
def right_click():
    """A function that presses the right button on a widget; gives the menu, None without one."""

    def right_click(widget, place=None):
        QApplication.processEvents()
        window = widget.window()
        at = widget.mapTo(window, place or widget.rect().center())
        click = (window.windowHandle(), Qt.MouseButton.RightButton, NONE, at, 2 * INTERVAL)
        for spot in (at + QPoint(1, 0), at):  # as a mouse comes, or Qt looks where it was before
            QTest.mouseMove(window.windowHandle(), spot)
        QTest.mouseClick(*click)
        return open_menu()

    interval = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(INTERVAL)  # each click stands alone, soon as it may follow
    yield right_click
    QApplication.setDoubleClickInterval(interval)


@pytest.fixture
def menu_key():
    """A function that presses Shift+F10, or another key, on what has the keyboard."""

    def menu_key(key=Qt.Key.Key_F10, held=SHIFT):
        QTest.keyClick(QApplication.focusWidget(), key, held)
        return open_menu()

    return menu_key


def open_menu():
    menu = QApplication.activePopupWidget()
    return None if menu is None else Menu(menu)


@pytest.fixture
def clipboard(qtbot, window):
    """A function that waits for what is being copied, and gives what the clipboard holds.

    Its attribute ``told`` is what the status bar said of it.
    """
    QGuiApplication.clipboard().setText("what was there before")
    status = window.statusBar()
    status.clearMessage()

    def clipboard():
        message = status.currentMessage
        qtbot.waitUntil(lambda: message().startswith("Copied: "), timeout=MILLISECONDS)
        clipboard.told = message()
        status.clearMessage()
        return QGuiApplication.clipboard().mimeData()

    return clipboard
