"""The actions as data: what each is called, does and answers to, and in which menu it stands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from mhagui.gui.icons import icon

Key = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class ActionInfo:
    """One action: its key in the tables below, what it is called, does and answers to."""

    key: str
    text: str
    tip: str
    shortcut: QKeySequence.StandardKey | str | tuple[str, ...] = ()
    icon: str | None = None
    checkable: bool = False
    is_local: bool = False  # its keys are those of the docks that are given it
    role: QAction.MenuRole = QAction.MenuRole.NoRole


ACTIONS = (
    ActionInfo(
        key="new",
        text="&New…",
        tip="Put a fresh scene on the bench, of the sizes you choose",
        shortcut=Key.New,
    ),
    ActionInfo(
        key="open",
        text="&Open…",
        tip="Open a scene, a figure that holds one, tensors of a model's attention, or a model",
        shortcut=Key.Open,
        icon="open",
    ),
    ActionInfo(
        key="open_folder",
        text="Open model &folder…",
        tip="Open a model that has a folder of its own, with config.json in it",
    ),
    ActionInfo(
        key="save",
        text="&Save",
        tip="Write the scene to its file, which opens here and on the command line",
        shortcut=Key.Save,
        icon="save",
    ),
    ActionInfo(
        key="save_as",
        text="Save &as…",
        tip="Write the scene to another file",
        shortcut="Ctrl+Shift+S",  # the standard key, given also where a platform has none
    ),
    ActionInfo(
        key="revert",
        text="Re&vert",
        tip="Put the scene back as it is in its file; an undo brings back what was there",
    ),
    ActionInfo(
        key="export",
        text="&Export figures…",
        tip="Write the figures of this scene to files",
        shortcut="Ctrl+Shift+E",  # Ctrl+E is the end of the line in a box
        icon="export",
    ),
    ActionInfo(
        key="animate",
        text="Export an&imation…",
        tip="Write a figure in motion, while a gain or another number of the scene changes",
    ),
    ActionInfo(
        key="quit",
        text="&Quit",
        tip="Close mhagui",
        shortcut="Ctrl+Q",  # the standard key, given also where a platform has none
        role=QAction.MenuRole.QuitRole,
    ),
    ActionInfo(
        key="undo",
        text="&Undo",
        tip="Take back the last edit",
        shortcut=Key.Undo,
        icon="undo",
    ),
    ActionInfo(
        key="redo",
        text="&Redo",
        tip="Do again what was undone",
        shortcut=("Ctrl+Shift+Z", "Ctrl+Y"),  # the standard keys of all platforms
        icon="redo",
    ),
    ActionInfo(
        key="reset_gains",
        text="Reset all &gains to 1",
        tip="Set the master gain and every head's gain to 1",
        shortcut="Ctrl+0",
        icon="reset",
    ),
    ActionInfo(
        key="duplicate_head",
        text="&Duplicate head",
        tip="Put a copy behind the cursor's head, with rows of W_O that are zero",
        shortcut="Ctrl+D",
        icon="duplicate",
    ),
    ActionInfo(
        key="remove_head",
        text="Re&move head",
        tip="Remove the cursor's head and its rows of W_O",
        shortcut="Ctrl+Shift+D",
        icon="remove",
    ),
    ActionInfo(
        key="move_head_up",
        text="Move head u&p",
        tip="Move the cursor's head up, its rows of W_O with it; in the Heads dock Alt+Up does",
        icon="up",
    ),
    ActionInfo(
        key="move_head_down",
        text="Move head do&wn",
        tip="Move the cursor's head down, its rows of W_O with it; in the Heads dock Alt+Down does",
        icon="down",
    ),
    ActionInfo(
        key="mute_head",
        text="Mu&te head",
        tip="Ablate the cursor's head before W_O, or let it through again",
        shortcut="Ctrl+M",
        icon="mute",
        checkable=True,
    ),
    ActionInfo(
        key="solo_head",
        text="&Solo head",
        tip="Ablate all other heads before W_O, or end that",
        shortcut="Ctrl+Shift+M",
        icon="solo",
        checkable=True,
    ),
    ActionInfo(
        key="describe",
        text="D&escribe scene…",
        tip="Give the scene a title, and say what it is",
    ),
    ActionInfo(
        key="exercises",
        text="E&xercises",
        tip="Go to the lesson's exercises",
        shortcut="F2",
        icon="lesson",
    ),
    ActionInfo(
        key="copy_figure",
        text="Copy &figure",
        tip="Copy the figure of what has the keyboard, as an image and as SVG",
        shortcut="Ctrl+Shift+C",
    ),
    ActionInfo(
        key="copy_numbers",
        text="Copy &numbers",
        tip="Copy the numbers of what has the keyboard, as tab-separated text",
        shortcut="Ctrl+Shift+N",
    ),
    ActionInfo(
        key="prompt",
        text="Pr&ompt…",
        tip="Run the model that is open on another prompt",
    ),
    ActionInfo(
        key="words",
        text="Merge sub-to&kens to words",
        tip="Show what is open by words: weights on a word are summed, those of a word averaged",
        shortcut="Ctrl+Shift+W",
        checkable=True,
    ),
    ActionInfo(
        key="weights",
        text="&Weights A",
        tip="Show the attention weights A = softmax(g·S) in the heatmaps",
        shortcut="Ctrl+1",
        checkable=True,
    ),
    ActionInfo(
        key="scores",
        text="&Scores S",
        tip="Show the scores S = Q·Kᵀ/√d_k in the heatmaps",
        shortcut="Ctrl+2",
        checkable=True,
    ),
    ActionInfo(
        key="enlarge",
        text="En&large head",
        tip="Show the cursor's head alone, or all heads again",
        shortcut="Ctrl+L",
        icon="enlarge",
        checkable=True,
    ),
    ActionInfo(
        key="zoom_in",
        text="&Zoom in",
        tip="Show fewer and larger cells in the heatmaps, around the cursor",
        shortcut=("+", "="),  # where + needs Shift
        is_local=True,
    ),
    ActionInfo(
        key="zoom_out",
        text="Zoom o&ut",
        tip="Show more and smaller cells in the heatmaps",
        shortcut="-",
        is_local=True,
    ),
    ActionInfo(
        key="zoom_all",
        text="S&how all cells",
        tip="Show all cells of the heatmaps again",
        shortcut="0",
        is_local=True,
    ),
    ActionInfo(
        key="next_dock",
        text="&Next dock",
        tip="Give the keyboard to the next dock in sight",
        shortcut="F6",
    ),
    ActionInfo(
        key="previous_dock",
        text="&Previous dock",
        tip="Give the keyboard to the dock in sight before this one",
        shortcut="Shift+F6",
    ),
    ActionInfo(
        key="notice",
        text="&Answer the notice",
        tip="Give the keyboard to the notice below the tool bar, if there is one",
        shortcut="Ctrl+F6",
    ),
    ActionInfo(
        key="reset_layout",
        text="&Reset layout",
        tip="Put every dock back where it was at first",
        shortcut="Ctrl+Shift+R",
    ),
    ActionInfo(
        key="larger_type",
        text="&Larger type",
        tip="Write everything in larger type, for those at the back of a room",
        shortcut=("Ctrl++", "Ctrl+="),
    ),
    ActionInfo(
        key="smaller_type",
        text="&Smaller type",
        tip="Write everything in smaller type",
        shortcut="Ctrl+-",
    ),
    ActionInfo(
        key="usual_type",
        text="&Usual type",
        tip="Write everything as large as the system does",
    ),
    ActionInfo(
        key="full_screen",
        text="&Full screen",
        tip="Use the whole screen, or a window again",
        shortcut=("F11", "Ctrl+Meta+F"),
        checkable=True,
    ),
    ActionInfo(
        key="command_palette",
        text="&Command palette…",
        tip="Find any command by a few letters of its name, and run it",
        shortcut="Ctrl+Shift+P",
    ),
    ActionInfo(
        key="shortcuts",
        text="&Keyboard shortcuts…",
        tip="List all shortcuts, and what keys and the mouse do inside the docks",
        shortcut="Ctrl+/",
    ),
    ActionInfo(
        key="about_scene",
        text="About this &scene",
        tip="Say what this scene is and where its numbers come from",
        shortcut=Key.HelpContents,
        icon="lesson",
    ),
    ActionInfo(
        key="about",
        text="&About mhagui",
        tip="Name the program, its version and what it runs on",
        role=QAction.MenuRole.AboutRole,
    ),
)

SEPARATOR = "-"

# A key in angle brackets stands for a sub-menu that the window fills itself.
_OPEN = ("open", "open_folder", "<recent>", "<lessons>")
_FILE = ("new", *_OPEN, SEPARATOR, "save", "save_as", "revert")
_COPIES = ("copy_figure", "copy_numbers")
_SCENE = ("reset_gains", "describe", "prompt", "words")
_PLACES = ("move_head_up", "move_head_down")
_HEAD = ("<add_head>", "duplicate_head", "remove_head", *_PLACES, "mute_head", "solo_head")
_ZOOM = ("zoom_in", "zoom_out", "zoom_all")
_COLOURS = ("<colours>", "<weight_colours>", "<signed_colours>", "<digits>")
_DOCKS = ("exercises", "<docks>", "next_dock", "previous_dock", "notice")
_WINDOW = (*_DOCKS, "<layout>", "reset_layout", "<theme>", "<type>", "full_screen")
TYPE_MENU = ("larger_type", "smaller_type", "usual_type")
MENUS = (
    ("&File", (*_FILE, SEPARATOR, "export", "animate", SEPARATOR, "quit")),
    ("&Edit", ("undo", "redo", SEPARATOR, *_COPIES, SEPARATOR, *_HEAD, SEPARATOR, *_SCENE)),
    ("&View", ("weights", "scores", "enlarge", *_ZOOM, SEPARATOR, *_COLOURS, SEPARATOR, *_WINDOW)),
    ("&Help", ("command_palette", "shortcuts", SEPARATOR, "about_scene", "about")),
)

_MENU_TIPS = {
    "<recent>": "Open a file that was opened or saved before",
    "<lessons>": "Open a scene of the lesson",
    "<add_head>": "Add a head after the last; its rows of W_O are zero, so O stays",
    "<colours>": "Choose how a weight becomes a colour",
    "<weight_colours>": "Choose the colours of weights",
    "<signed_colours>": "Choose the colours of numbers that can be negative",
    "<digits>": "Choose how many digits numbers are written with",
    "<docks>": "Bring a dock to the front",
    "<layout>": "Put all docks where they are for a purpose",
    "<theme>": "Choose a light or a dark window",
    "<type>": "Choose how large everything is written",
}

TOOL_BAR = ("open", "save", SEPARATOR, "undo", "redo", "reset_gains", SEPARATOR, "export")


def make_actions(
    parent: QWidget, handlers: Mapping[str, Callable[[], object]]
) -> dict[str, QAction]:
    """Return a QAction for every entry of ``ACTIONS``, each calling its handler when triggered."""
    return {info.key: _make_action(info, parent, handlers[info.key]) for info in ACTIONS}


def fill_menu(
    menu: QMenu, keys: tuple[str, ...], actions: Mapping[str, QAction], menus: Mapping[str, QMenu]
) -> None:
    """Put into ``menu`` the actions, separators and sub-menus that ``keys`` name."""
    for key in keys:
        if key == SEPARATOR:
            menu.addSeparator()
        elif key in menus:
            menu.addMenu(menus[key]).setStatusTip(_MENU_TIPS.get(key, ""))
        else:
            menu.addAction(actions[key])


def with_mnemonics(titles: Iterable[str], others: Iterable[str] = ()) -> list[str]:
    """Return ``titles`` with an & before the first letter or digit of each that is still free.

    Where none is, an earlier title takes another one of its own, so that as many as can be have a
    letter. ``others`` are taken by other entries of the menu.
    """
    given = list(titles)
    forbidden = {letter.lower() for letter in others}
    letters = [[c for c in title.lower() if c.isalnum() and c not in forbidden] for title in given]
    owners: dict[str, int] = {}
    for number in range(len(given)):
        _give_letter(number, letters, owners, set())
    of_title = {number: letter for letter, number in owners.items()}
    return [_marked(title, of_title.get(number)) for number, title in enumerate(given)]


def _give_letter(
    number: int, letters: Sequence[Sequence[str]], owners: dict[str, int], tried: set[str]
) -> bool:
    """Give title ``number`` a letter, if need be one whose owner takes another; say if it has."""
    free = next((letter for letter in letters[number] if letter not in owners), None)
    if free is not None:
        owners[free] = number
        return True
    for letter in letters[number]:
        if letter not in tried:
            tried.add(letter)
            if _give_letter(owners[letter], letters, owners, tried):
                owners[letter] = number
                return True
    return False


def _marked(title: str, letter: str | None) -> str:
    if letter is None:
        return title
    place = title.lower().index(letter)
    return f"{title[:place]}&{title[place:]}"


def _make_action(info: ActionInfo, parent: QWidget, handler: Callable[[], object]) -> QAction:
    action = QAction(info.text, parent)
    action.setObjectName(info.key)
    action.setIconText(info.text.replace("&", "").rstrip("…"))  # the tool bar's stays as it is
    action.setStatusTip(info.tip)
    action.setCheckable(info.checkable)
    action.setMenuRole(info.role)
    if info.icon:
        action.setIcon(icon(info.icon))
    action.setShortcuts(_keys(info.shortcut))
    if info.is_local:
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    action.setToolTip(_with_shortcut(info.tip, action.shortcut()))
    action.triggered.connect(handler)
    return action


def _keys(shortcut: QKeySequence.StandardKey | str | tuple[str, ...]) -> list[QKeySequence]:
    if isinstance(shortcut, Key):
        return QKeySequence.keyBindings(shortcut)
    texts = (shortcut,) if isinstance(shortcut, str) else shortcut
    return [QKeySequence(text) for text in texts]


def _with_shortcut(tip: str, shortcut: QKeySequence) -> str:
    keys = shortcut.toString(QKeySequence.SequenceFormat.NativeText)
    return f"{tip} ({keys})" if keys else tip
