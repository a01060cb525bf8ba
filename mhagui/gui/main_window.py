"""The main window: it places the docks and wires menus to the bench."""

import re
from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QGuiApplication,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QFileDialog,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMessageBox,
    QWidget,
)

from mhagui.document import (
    ColourScale,
    Head,
    Quantity,
    Scene,
    lesson_names,
    load_lesson,
    read_scene,
    scene_to_json,
)
from mhagui.document.edits import (
    DuplicateHead,
    OpenScene,
    RemoveHead,
    ResetGains,
    set_muted,
    set_soloed,
)
from mhagui.errors import UserError
from mhagui.files import write_atomically
from mhagui.gui.about import SceneDialog, about_text
from mhagui.gui.actions import MENUS, SEPARATOR, TOOL_BAR, fill_menu, make_actions
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.export_dialog import ExportDialog
from mhagui.gui.icons import application_icon
from mhagui.gui.layout import Docks
from mhagui.gui.lesson_session import LessonSession
from mhagui.gui.progress_store import ProgressStore
from mhagui.gui.status import StatusBar
from mhagui.gui.theme import ThemeChoice, apply_theme

DEFAULT_SIZE = QSize(1280, 800)
SCENE_FILES = "Scenes (*.json);;All files (*)"

Choice = TypeVar("Choice", bound=Enum)


class MainWindow(QMainWindow):
    """The instrument: docks around one bench on which ``scene`` lies.

    Progress with the exercises is kept in ``store``; nowhere where there is none.
    """

    def __init__(
        self, scene: Scene, parent: QWidget | None = None, store: ProgressStore | None = None
    ) -> None:
        super().__init__(parent)
        self.bench = Bench(scene, self)
        self._has_tokens = bool(scene.tokens)
        self._is_placed = self._is_painted = False
        self._file: Path | None = None  # where the scene was last opened from or saved to
        self.setWindowIcon(application_icon())
        self.setDockNestingEnabled(True)
        self.resize(DEFAULT_SIZE)
        self._lesson = LessonSession(self.bench, store, self)
        self.docks = Docks(self, self.bench, self._lesson)
        self._actions = make_actions(self, self._handlers())
        for dock in (self.docks.heatmaps, self.docks.pipeline):
            dock.cell_asked.connect(self._explain_cell)
        self.docks.lesson.docks_wanted.connect(self.docks.show)
        self.docks.lesson.said.connect(self._say)
        self._quantities = QActionGroup(self)
        self._quantities.addAction(self._actions["weights"])
        self._quantities.addAction(self._actions["scores"])
        self._scales = self._choices(ColourScale, self._set_colour_scale)
        self._themes = self._choices(ThemeChoice, self._set_theme)
        _check(self._themes, ThemeChoice.SYSTEM)
        self._make_menus()
        self._status = StatusBar()
        self.setStatusBar(self._status)
        self.bench.shown.connect(self._on_shown)
        self.bench.history_changed.connect(self._on_history_changed)
        self.bench.refused.connect(self.refuse)
        self.bench.delayed.connect(self._status.tell_of_delay)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_scheme_changed)
        self._on_history_changed()
        self._on_shown(self.bench.frame)

    # --- what the window is made of

    def _make_menus(self) -> None:
        lessons = QMenu("&Lessons", self)
        for name in lesson_names():
            lessons.addAction(load_lesson(name).title, partial(self._open_lesson, name))
        colours = self._choice_menu("&Colour scale", self._scales)
        docks = QMenu("&Docks", self)
        free = set("abcdefghijklmnopqrstuvwxyz")
        for dock in self.docks.all:
            title = _with_mnemonic(dock.windowTitle(), free)
            docks.addAction(title, partial(self.docks.enter, dock))
        theme = self._choice_menu("&Theme", self._themes)
        submenus = {"<lessons>": lessons, "<colours>": colours, "<docks>": docks, "<theme>": theme}
        for title, keys in MENUS:
            fill_menu(self.menuBar().addMenu(title), keys, self._actions, submenus)
        self._make_tool_bar()

    def _make_tool_bar(self) -> None:
        bar = self.addToolBar("Main tool bar")
        bar.setObjectName("mainToolBar")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.setIconSize(QSize(16, 16))
        for key in TOOL_BAR:
            if key == SEPARATOR:
                bar.addSeparator()
            else:
                bar.addAction(self._actions[key])

    def _choices(self, kind: type[Choice], handler: Callable[[Choice], None]) -> QActionGroup:
        group = QActionGroup(self)
        for choice in kind:
            action = group.addAction(choice.value)
            action.setCheckable(True)
            action.setData(choice)
            action.triggered.connect(partial(handler, choice))
        return group

    def _choice_menu(self, title: str, group: QActionGroup) -> QMenu:
        menu = QMenu(title, self)
        menu.addActions(group.actions())
        return menu

    def _handlers(self) -> dict[str, Callable[[], object]]:
        return {
            "open": self._choose_scene,
            "save": self._choose_file,
            "export": self._export,
            "quit": self.close,
            "undo": self._undo,
            "redo": self._redo,
            "reset_gains": partial(self.bench.edit, ResetGains()),
            "duplicate_head": self._duplicate_head,
            "remove_head": self._remove_head,
            "mute_head": self._mute_head,
            "solo_head": self._solo_head,
            "exercises": partial(self.docks.enter, self.docks.lesson),
            "weights": partial(self.bench.look, quantity=Quantity.WEIGHTS),
            "scores": partial(self.bench.look, quantity=Quantity.SCORES),
            "enlarge": self._toggle_enlarged,
            "reset_layout": self._reset_layout,
            "full_screen": self._toggle_full_screen,
            "about_scene": self._about_scene,
            "about": self._about,
        }

    # --- what it shows

    def _on_shown(self, frame: Frame) -> None:
        self._status.show_frame(frame)
        self.setWindowTitle(f"{frame.scene.title} — mhagui")
        if self._has_tokens != bool(frame.scene.tokens):
            self._has_tokens = not self._has_tokens
            self.docks.tokens.setVisible(self._has_tokens)
        view = frame.view
        self._actions["weights"].setChecked(view.quantity is Quantity.WEIGHTS)
        self._actions["scores"].setChecked(view.quantity is Quantity.SCORES)
        self._actions["enlarge"].setChecked(view.enlarged is not None)
        head = frame.scene.head(view.cursor.head)
        self._actions["mute_head"].setChecked(head.muted)
        self._actions["solo_head"].setChecked(head.soloed)
        self._scales.setEnabled(view.quantity is Quantity.WEIGHTS)
        _check(self._scales, view.colour_scale)

    def _on_history_changed(self) -> None:
        history = self.bench.history
        _name(self._actions["undo"], "&Undo", history.undo_text)
        _name(self._actions["redo"], "&Redo", history.redo_text)

    # --- what the user asks of it

    def _undo(self) -> None:
        self._finish_typing()
        self.bench.undo()

    def _redo(self) -> None:
        self._finish_typing()
        self.bench.redo()

    def _duplicate_head(self) -> None:
        self.bench.edit(DuplicateHead(self.bench.view.cursor.head))

    def _remove_head(self) -> None:
        self.bench.edit(RemoveHead(self.bench.view.cursor.head))

    def _mute_head(self) -> None:
        head = self._head()
        self.bench.edit(set_muted(head.uid, not head.muted))

    def _solo_head(self) -> None:
        head = self._head()
        self.bench.edit(set_soloed(head.uid, not head.soloed))

    def _head(self) -> Head:
        return self.bench.scene.head(self.bench.view.cursor.head)

    def _finish_typing(self) -> None:
        """Take over what is being typed, which would else land on whatever comes in its place."""
        focus = self.focusWidget()
        if isinstance(focus, QLineEdit | QAbstractSpinBox):
            focus.clearFocus()
            self.setFocus()

    def open_scene(self, scene: Scene) -> None:
        """Put ``scene`` on the bench; an undo brings the old one back."""
        self._finish_typing()
        self.bench.edit(OpenScene(scene))

    def _open_lesson(self, name: str) -> None:
        try:
            self.open_scene(load_lesson(name))
        except UserError as error:
            self.refuse(str(error))
        else:
            self._file = None

    def _choose_scene(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Open scene", "", SCENE_FILES)
        if path:
            self.open_file(Path(path))

    def open_file(self, path: Path) -> None:
        """Open the scene file at ``path``, or say why not and leave all as it is."""
        try:
            self.open_scene(read_scene(path))
        except UserError as error:
            self.refuse(str(error))
        else:
            self._file = path

    def _choose_file(self) -> None:
        name = re.sub(r'[\\/:*?"<>|]', "-", self.bench.scene.title)  # for the sake of all systems
        suggested = str(self._file or f"{name}.json")
        dialog = QFileDialog(self, "Save scene as", suggested, SCENE_FILES)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.selectFile(suggested)
        if dialog.exec():
            self.save_file(Path(dialog.selectedFiles()[0]))

    def save_file(self, path: Path) -> None:
        """Write the scene to ``path``, or say why not and leave what is there."""
        try:
            write_atomically(path, scene_to_json(self.bench.scene))
        except UserError as error:
            self.refuse(str(error))
        else:
            self._file = path
            self._status.notice(f"Saved to {path}")

    def _say(self, sentence: str) -> None:
        self._status.notice(sentence)

    def refuse(self, sentence: str) -> None:
        """Say in the status bar why something was not done."""
        self._status.refuse(sentence, self.bench.scene)

    def _export(self) -> None:
        ExportDialog(self.bench.frame, self).exec()

    def _explain_cell(self) -> None:
        self.docks.show(["cellDock"])

    def _toggle_enlarged(self) -> None:
        view = self.bench.view
        self.bench.look(enlarged=None if view.enlarged is not None else view.cursor.head)
        self.docks.heatmaps.take_focus()

    def _set_colour_scale(self, scale: ColourScale) -> None:
        self.bench.look(colour_scale=scale)

    def _set_theme(self, choice: ThemeChoice) -> None:
        _check(self._themes, choice)
        apply_theme(choice)

    def _on_system_scheme_changed(self) -> None:
        if self._themes.checkedAction().data() is ThemeChoice.SYSTEM:
            apply_theme(ThemeChoice.SYSTEM)

    def _reset_layout(self) -> None:
        self.docks.place()
        self.docks.tokens.setVisible(self._has_tokens)

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _about_scene(self) -> None:
        SceneDialog(self.bench.scene, self).exec()

    def _about(self) -> None:
        QMessageBox.about(self, "About mhagui", about_text())

    def showEvent(self, event: QShowEvent) -> None:
        """Place the docks, and begin at the heatmaps, where arrows move the cursor."""
        super().showEvent(event)
        if not self._is_placed:
            self._is_placed = True
            self._reset_layout()
        if self.focusWidget() is None:
            self.docks.heatmaps.take_focus()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Have the docks that are behind others drawn once there is something to look at."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self.docks.draw_ahead()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop feeding the panels before they go."""
        self.bench.stop()
        self._lesson.save_now()
        super().closeEvent(event)


def _with_mnemonic(title: str, free: set[str]) -> str:
    """Return ``title`` with an & before its first letter that is still ``free``."""
    for place, letter in enumerate(title.lower()):
        if letter in free:
            free.remove(letter)
            return f"{title[:place]}&{title[place:]}"
    return title


def _name(action: QAction, verb: str, what: str | None) -> None:
    action.setEnabled(what is not None)
    escaped = what.replace("&", "&&") if what else ""
    action.setText(f"{verb} {escaped[:1].lower()}{escaped[1:]}".strip())


def _check(group: QActionGroup, choice: object) -> None:
    for action in group.actions():
        action.setChecked(action.data() is choice)
