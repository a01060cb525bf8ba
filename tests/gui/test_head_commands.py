"""What the Edit menu does to heads, in a real window."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu

from mhagui.document import Pattern
from mhagui.document.edits import AddHead
from mhagui.document.scene import MAX_HEADS
from mhagui.gui.command_palette import CommandPalette
from mhagui.gui.commands import commands_of
from mhagui.gui.main_window import MainWindow


def add_menu(window: MainWindow) -> QMenu:
    edit = window.menuBar().actions()[1].menu()
    return next(a.menu() for a in edit.actions() if a.text().replace("&", "") == "Add head")


def uids(window: MainWindow) -> list[int]:
    return [head.uid for head in window.bench.scene.heads]


def test_a_head_of_any_designed_pattern_is_added_and_the_cursor_goes_to_it(window, settle):
    designed = [pattern for pattern in Pattern if pattern.is_designed]
    actions = add_menu(window).actions()
    assert [a.text().replace("&", "") for a in actions] == [p.value for p in designed]
    for pattern, action in zip(designed, actions, strict=True):
        action.trigger()
        assert window.bench.scene.heads[-1].pattern is pattern
        assert window.bench.view.cursor.head == window.bench.scene.heads[-1].uid
    assert window.bench.scene.n_heads == 4 + len(designed)


def test_no_head_is_offered_where_there_is_no_room(window, settle):
    assert add_menu(window).menuAction().isEnabled()
    while window.bench.scene.n_heads < MAX_HEADS:
        window.bench.edit(AddHead(Pattern.UNIFORM))
    settle()
    assert not add_menu(window).menuAction().isEnabled()


def test_the_cursors_head_is_moved_as_far_as_there_are_places(window, settle):
    up, down = (window.findChild(QAction, f"move_head_{way}") for way in ("up", "down"))
    window.bench.point(head=2)
    settle()
    up.trigger()
    settle()
    assert uids(window) == [2, 1, 3, 4]
    assert not up.isEnabled()
    for _ in range(3):
        down.trigger()
        settle()
    assert uids(window) == [1, 3, 4, 2]
    assert not down.isEnabled()
    assert up.isEnabled()
    assert window.bench.view.cursor.head == 2


def test_the_palette_adds_and_moves_heads(window, qtbot, settle):
    palette = window.findChild(CommandPalette)
    for query, expected in (
        ("add head recency", [1, 2, 3, 4, 5]),
        ("move head up", [1, 2, 3, 5, 4]),
    ):
        palette.toggle()
        qtbot.keyClicks(palette.query, query)
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
        settle()
        assert uids(window) == expected
    names = [command.name for command in commands_of(window.menuBar())]
    assert "Edit › Move head down" in names
