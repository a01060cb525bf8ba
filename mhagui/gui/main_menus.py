"""The menus and the tool bar of the main window, filled as the tables of actions say."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from mhagui.document import lesson_names, load_lesson
from mhagui.gui.actions import MENUS, SEPARATOR, TOOL_BAR, TYPE_MENU, fill_menu, with_mnemonics

Actions = Mapping[str, QAction]
ICONS = QSize(16, 16)


def lessons_menu(window: QWidget, open_lesson: Callable[[str], object]) -> QMenu:
    """Return a menu that calls ``open_lesson`` with the name of a scene of the lesson."""
    menu = QMenu("&Lessons", window)
    names = lesson_names()
    titles = with_mnemonics(load_lesson(name).title for name in names)
    for name, title in zip(names, titles, strict=True):
        action = menu.addAction(title, partial(open_lesson, name))
        action.setStatusTip("Put this scene of the lesson on the bench")
    return menu


def docks_menu(window: QWidget, titles: Mapping[str, str], enter: Callable[[str], object]) -> QMenu:
    """Return a menu that calls ``enter`` with the name of a dock; ``titles`` are by name."""
    menu = QMenu("&Docks", window)
    texts = with_mnemonics(titles.values())
    for (name, title), text in zip(titles.items(), texts, strict=True):
        action = menu.addAction(text, partial(enter, name))
        action.setStatusTip(f"Bring the dock {title} to the front, and go there")
    return menu


def type_menu(window: QWidget, actions: Actions) -> QMenu:
    """Return the menu of how large everything is written."""
    menu = QMenu("Typ&e size", window)
    fill_menu(menu, TYPE_MENU, actions, {})
    return menu


def fill_menu_bar(window: QMainWindow, actions: Actions, submenus: Mapping[str, QMenu]) -> QMenu:
    """Put all menus into the menu bar; return the first, of files."""
    menus = []
    for title, keys in MENUS:
        menu = window.menuBar().addMenu(title)
        fill_menu(menu, keys, actions, submenus)
        menus.append(menu)
    return menus[0]


def of_one_kind(window: QWidget, actions: Actions, keys: tuple[str, ...]) -> None:
    """Have at most one of the actions ``keys`` checked at a time."""
    group = QActionGroup(window)
    for key in keys:
        group.addAction(actions[key])


def add_tool_bar(window: QMainWindow, actions: Actions) -> None:
    """Add the tool bar."""
    bar = window.addToolBar("Main tool bar")
    bar.setObjectName("mainToolBar")
    bar.setMovable(False)
    bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    bar.setIconSize(ICONS)
    for key in TOOL_BAR:
        if key == SEPARATOR:
            bar.addSeparator()
        else:
            bar.addAction(actions[key])
