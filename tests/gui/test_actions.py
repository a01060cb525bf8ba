"""The actions as data, and all that can be reached from the menus of the window."""

from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton

from mhagui.document import load_lesson
from mhagui.gui.actions import (
    ACTIONS,
    MENUS,
    SEPARATOR,
    TOOL_BAR,
    TYPE_MENU,
    fill_menu,
    make_actions,
    with_mnemonics,
)
from mhagui.gui.commands import commands_of
from mhagui.gui.main_window import MainWindow
from mhagui.gui.recent_menu import RecentMenu

KEYS = [info.key for info in ACTIONS]


@pytest.fixture(scope="module")
def window(qapp, nothing_old):
    window = MainWindow(load_lesson("four-heads"))
    yield window
    window.bench.stop()
    window.deleteLater()


def test_every_action_stands_in_one_menu():
    menus = [keys for _, keys in MENUS] + [TYPE_MENU]
    in_menus = [key for keys in menus for key in keys if key != SEPARATOR and key[0] != "<"]
    assert sorted(in_menus) == sorted(KEYS)
    assert len(set(KEYS)) == len(KEYS)
    assert set(TOOL_BAR) - {SEPARATOR} <= set(KEYS)


@pytest.mark.parametrize("info", ACTIONS, ids=KEYS)
def test_an_action_says_what_it_does(info):
    assert "&" in info.text
    assert info.text.replace("&", "")[0].isupper()
    assert len(info.tip) > 10
    assert not info.tip.endswith(".")


def test_the_window_has_every_action_and_sub_menu(window):
    there = {action.objectName() for action in window.findChildren(QAction)}
    assert set(KEYS) <= there
    bar = window.menuBar()
    for action, (title, keys) in zip(bar.actions(), MENUS, strict=True):
        assert action.text() == title
        n_submenus = sum(entry.menu() is not None for entry in action.menu().actions())
        assert n_submenus == sum(key.startswith("<") for key in keys)


def test_all_that_menus_offer_has_a_text_and_a_tip(window):
    for command in commands_of(window.menuBar()):
        assert all(command.path), command.path
        if command.action.objectName():
            assert command.action.toolTip().startswith(command.action.statusTip())
    window.findChild(RecentMenu).show_files([Path("/a/b.mhascene")])
    menus = [top.menu() for top in window.menuBar().actions()]
    for menu in menus:  # which grows
        for action in menu.actions():
            if not action.isSeparator():
                tip = action.statusTip()
                assert len(tip) > 10, action.text()
                assert tip[0].isupper()
                assert not tip.endswith(".")
            if action.menu() is not None:
                menus.append(action.menu())
    assert len(menus) > 10


def test_no_two_actions_answer_to_the_same_keys(window):
    commands = commands_of(window.menuBar())
    keys = [k.toString() for command in commands for k in command.action.shortcuts()]
    assert [key for key, times in Counter(keys).items() if times > 1] == []
    # Of the others some hold in one table or dock alone, and there they go before the window's.
    own = [a for a in window.findChildren(QAction) if a not in {c.action for c in commands}]
    everywhere = [a for a in own if a.shortcutContext() is Qt.ShortcutContext.WindowShortcut]
    assert [a.text() for a in everywhere if a.shortcuts()] == []


def test_tips_on_the_tool_bar_name_the_keys(window):
    bar = window.findChild(QToolBar, "mainToolBar")
    for action in bar.actions():
        if not action.isSeparator():
            native = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            assert native in action.toolTip()


def test_the_tool_bar_shows_icons_and_short_texts(window):
    bar = window.findChild(QToolBar, "mainToolBar")
    buttons = [bar.widgetForAction(action) for action in bar.actions()]
    buttons = [button for button in buttons if isinstance(button, QToolButton)]
    assert len(buttons) == sum(key != SEPARATOR for key in TOOL_BAR)
    for button in buttons:
        assert not button.icon().isNull()
        assert "&" not in button.text()
        assert not button.text().endswith("…")


def test_no_two_entries_of_a_menu_have_the_same_mnemonic(window):
    menus = [menu for menu in window.findChildren(QMenu) if menu.parent() is not None]
    for menu in [window.menuBar(), *menus]:
        texts = [action.text().replace("&&", "") for action in menu.actions()]
        letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
        assert [letter for letter, times in Counter(letters).items() if times > 1] == [], texts


def test_menus_of_the_bar_and_their_entries_have_mnemonics(window):
    for top in window.menuBar().actions():
        for action in top.menu().actions():
            if not action.isSeparator():
                assert "&" in action.text(), action.text()


def test_an_action_calls_its_handler(qtbot):
    parent = QMainWindow()
    qtbot.addWidget(parent)
    called = []

    def handler(key):
        return lambda: called.append(key)

    actions = make_actions(parent, {key: handler(key) for key in KEYS})
    for action in actions.values():
        action.trigger()
    assert called == KEYS


def test_a_menu_is_filled_in_the_order_of_its_keys(qtbot):
    parent = QMainWindow()
    qtbot.addWidget(parent)
    actions = make_actions(parent, dict.fromkeys(KEYS, parent.update))
    menu, inner = QMenu(parent), QMenu("Inner", parent)
    fill_menu(menu, ("save", SEPARATOR, "<inner>", "open"), actions, {"<inner>": inner})
    assert [action.text() for action in menu.actions()] == ["&Save", "", "Inner", "&Open…"]
    assert menu.actions()[1].isSeparator()


def test_an_earlier_title_gives_its_letter_up_where_it_has_another():
    assert with_mnemonics(["ab", "a"]) == ["a&b", "&a"]
    assert with_mnemonics(["abc", "ab", "a"]) == ["ab&c", "a&b", "&a"]


def test_as_many_titles_as_can_be_have_a_letter():
    marked = with_mnemonics(["a", "a", "ab"], "c")
    assert sum("&" in title for title in marked) == 2
