"""The actions as data: what each is called, does and answers to, and in which menu it stands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from mhagui.gui.icons import icon

Key = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class ActionInfo:
    """One action: its key in the tables below, its text, its tip, and what it answers to and looks like."""

    key: str
    text: str
    tip: str
    shortcut: QKeySequence.StandardKey | str | None = None
    icon: str | None = None
    checkable: bool = False
    role: QAction.MenuRole = QAction.MenuRole.NoRole


ACTIONS = (
    ActionInfo("open", "&Open scene…", "Open a scene file", Key.Open, "open"),
    ActionInfo("export", "&Export figures…", "Write the figures of this scene to files", "Ctrl+E", "export"),
    ActionInfo("quit", "&Quit", "Close mhagui", Key.Quit, role=QAction.MenuRole.QuitRole),
    ActionInfo("undo", "&Undo", "Take back the last edit", Key.Undo, "undo"),
    ActionInfo("redo", "&Redo", "Do again what was undone", Key.Redo, "redo"),
    ActionInfo("reset_gains", "Reset all &gains to 1", "Set the master gain and every head's gain to 1", "Ctrl+0", "reset"),
    ActionInfo("weights", "&Weights A", "Show the attention weights A = softmax(g·S) in the heatmaps", "Ctrl+1", checkable=True),
    ActionInfo("scores", "&Scores S", "Show the scores S = Q·Kᵀ/√d_k in the heatmaps", "Ctrl+2", checkable=True),
    ActionInfo("enlarge", "En&large head", "Show the cursor's head alone, or all heads again", "Ctrl+L", "enlarge", checkable=True),
    ActionInfo("reset_layout", "&Reset layout", "Put every dock back where it was at first", "Ctrl+Shift+0"),
    ActionInfo("full_screen", "&Full screen", "Use the whole screen, or a window again", Key.FullScreen, checkable=True),
    ActionInfo("about_scene", "About this &scene", "Say what this scene is and where its numbers come from", Key.HelpContents, "lesson"),
    ActionInfo("about", "&About mhagui", "Name the program, its version and what it runs on", role=QAction.MenuRole.AboutRole),
)  # fmt: skip

SEPARATOR = "-"

# A key in angle brackets stands for a sub-menu that the window fills itself.
MENUS = (
    ("&File", ("open", "<lessons>", SEPARATOR, "export", SEPARATOR, "quit")),
    ("&Edit", ("undo", "redo", SEPARATOR, "reset_gains")),
    ("&View", ("weights", "scores", "<colours>", "enlarge", SEPARATOR, "<docks>", "reset_layout", "<theme>", "full_screen")),
    ("&Help", ("about_scene", "about")),
)  # fmt: skip

TOOL_BAR = ("open", SEPARATOR, "undo", "redo", "reset_gains", SEPARATOR, "export")


def make_actions(parent: QWidget, handlers: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """Return a QAction for every entry of ``ACTIONS``, each calling its handler when triggered."""
    return {info.key: _make_action(info, parent, handlers[info.key]) for info in ACTIONS}


def fill_menu(menu: QMenu, keys: tuple[str, ...], actions: Mapping[str, QAction], menus: Mapping[str, QMenu]) -> None:
    """Put into ``menu`` what ``keys`` name: actions, separators and, in angle brackets, sub-menus."""
    for key in keys:
        if key == SEPARATOR:
            menu.addSeparator()
        elif key in menus:
            menu.addMenu(menus[key])
        else:
            menu.addAction(actions[key])


def _make_action(info: ActionInfo, parent: QWidget, handler: Callable[[], object]) -> QAction:
    action = QAction(info.text, parent)
    action.setObjectName(info.key)
    action.setStatusTip(info.tip)
    action.setCheckable(info.checkable)
    action.setMenuRole(info.role)
    if info.icon:
        action.setIcon(icon(info.icon))
    if info.shortcut is not None:
        action.setShortcuts(QKeySequence.keyBindings(info.shortcut) if isinstance(info.shortcut, Key) else [QKeySequence(info.shortcut)])
    action.setToolTip(_with_shortcut(info.tip, action.shortcut()))
    action.triggered.connect(handler)
    return action


def _with_shortcut(tip: str, shortcut: QKeySequence) -> str:
    keys = shortcut.toString(QKeySequence.SequenceFormat.NativeText)
    return f"{tip} ({keys})" if keys else tip
