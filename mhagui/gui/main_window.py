"""The main window: it places the docks and wires menus to the bench."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDialog,
    QLineEdit,
    QMainWindow,
    QWidget,
)

from mhagui.document import Quantity, Scene, ViewState, load_lesson
from mhagui.document.edits import ResetGains
from mhagui.document.origin import Origin
from mhagui.document.view_state import FEWEST_SHOWN
from mhagui.errors import UserError
from mhagui.gui.access import name_extensions
from mhagui.gui.actions import make_actions
from mhagui.gui.announcer import Announcer
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.capture_commands import CaptureCommands
from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.command_palette import CommandPalette
from mhagui.gui.copying.copier import Copier
from mhagui.gui.copying.menus import CopyMenus
from mhagui.gui.file_drop import FileDrop
from mhagui.gui.file_notices import FileNotices
from mhagui.gui.file_session import FileSession
from mhagui.gui.focus_keeper import FocusKeeper
from mhagui.gui.head_commands import AddHeadMenu, HeadCommands
from mhagui.gui.icons import application_icon
from mhagui.gui.keeper import Keeper
from mhagui.gui.layout import Docks
from mhagui.gui.layout_menu import LayoutMenu
from mhagui.gui.layouts import DEFAULT
from mhagui.gui.lesson_session import LessonSession
from mhagui.gui.main_menus import (
    add_tool_bar,
    docks_menu,
    fill_menu_bar,
    lessons_menu,
    of_one_kind,
    type_menu,
)
from mhagui.gui.notices import NoticeBar
from mhagui.gui.opening.openings import Openings
from mhagui.gui.panel import Panel
from mhagui.gui.progress_store import FILE_NAME, ProgressStore
from mhagui.gui.recent_menu import RecentMenu
from mhagui.gui.status import StatusBar
from mhagui.gui.type_size import TypeSize
from mhagui.gui.view_menus import ViewMenus
from mhagui.gui.widgets.matrix_zoom import STEP
from mhagui.gui.window_place import place_of, put_back
from mhagui.home import Home
from mhagui.settings import MOST_FILES

DEFAULT_SIZE = QSize(1280, 800)


class MainWindow(QMainWindow):
    """The instrument: docks around one bench on which ``scene`` lies.

    The scene has an ``origin``, its file say, and is looked at as in ``view``. What outlives the
    window is kept in ``home``; without one nothing is. At a start, where it is shown at once, docks
    that are not in sight come when it is painted; else all are there from the beginning.
    """

    def __init__(
        self,
        scene: Scene,
        parent: QWidget | None = None,
        home: Home | None = None,
        origin: Origin | None = None,
        view: ViewState | None = None,
        *,
        is_start: bool = False,
    ) -> None:
        super().__init__(parent)
        self.bench = Bench(scene, self, origin=origin, view=view)
        self.files = FileSession(self.bench, self, self._finish_typing)
        self.notices = NoticeBar()
        self._file_notices = FileNotices(self.files, self.notices, self)
        self._keeper = Keeper(home, self.files, self.notices, self)
        self.preferences = self._keeper.preferences
        self._type = TypeSize(self.preferences, self)
        self._view_menus = ViewMenus(self.bench, self.preferences, self)
        self._is_painted = False
        self.setWindowIcon(application_icon())
        self.setDockNestingEnabled(True)
        self.resize(DEFAULT_SIZE)
        store = None if home is None else ProgressStore(home.data / FILE_NAME)
        self._lesson = LessonSession(self.bench, store, self, self.files.lay_out)
        self.captures = CaptureSession(self.bench, self.files, self)
        self.openings = Openings(self.bench, self.files, self.captures, self.notices, self)
        self._of_captures = CaptureCommands(self.captures, self.openings, self)
        self.docks = Docks(self, self.bench, self._lesson, self.captures)
        self._copier, self._drop = Copier(self.preferences, self), FileDrop(self)
        self._copying = CopyMenus(self.bench, self._copier, self)
        self.docks.made.connect(self._on_dock_made)
        if not is_start:
            self.docks.make_all()
        self._heads, self._add_head = HeadCommands(self.bench, self), AddHeadMenu(self.bench, self)
        self._layouts = LayoutMenu("La&yout", self.docks, self.preferences, self)
        self._actions = make_actions(self, self._handlers())
        of_one_kind(self, self._actions, ("weights", "scores"))
        self._recent = RecentMenu("Open &recent", self)
        self._make_menus()
        name_extensions(self)
        self._status = StatusBar()
        self.setStatusBar(self._status)
        self._announcer = Announcer(self.bench, self)
        self._connect()
        self._restore()
        self._on_history_changed()
        self._on_file_changed()
        self._of_captures.mark(self._actions)
        self._on_shown(self.bench.frame)

    # --- what the window is made of

    def _connect(self) -> None:
        FocusKeeper(self, self.docks.enter_any)
        self.bench.shown.connect(self._on_shown)
        self.bench.history_changed.connect(self._on_history_changed)
        self.bench.refused.connect(self.refuse)
        self.bench.failed.connect(self.notices.tell)
        self.bench.delayed.connect(self._status.tell_of_delay)
        self.bench.caught_up.connect(self._status.end_delay)
        self._status.cancelled.connect(self._cancel)
        self.files.changed.connect(self._on_file_changed)
        self.files.said.connect(self._say)
        self.files.failed.connect(self._status.clearMessage)  # what was said to be under way
        self.files.used.connect(self._on_file_used)
        self.files.gone.connect(self._forget_file)
        self._drop.watch(self)
        self._drop.wanted.connect(self.openings.open)
        self._of_captures.said.connect(self._say)
        self._of_captures.refused.connect(self.refuse)
        self._drop.refused.connect(self.refuse)
        self._recent.wanted.connect(self.openings.open)
        self._recent.cleared.connect(self._forget_files)
        self._layouts.said.connect(self._say)
        self._copier.said.connect(self._say)
        self._copier.refused.connect(self.refuse)
        self._copying.refused.connect(self.refuse)
        self._copying.export_wanted.connect(self._export_figure)
        self._type.said.connect(self._say)

    def _on_dock_made(self, dock: Panel) -> None:
        self._copying.watch(dock)
        self._drop.watch(dock)
        dock.cell_asked.connect(self._explain_cell)
        dock.docks_wanted.connect(self.docks.show)
        dock.said.connect(self._say)

    def _make_menus(self) -> None:
        submenus = {
            "<recent>": self._recent,
            "<lessons>": lessons_menu(self, self._open_lesson),
            "<add_head>": self._add_head,
            "<docks>": docks_menu(self, self.docks.titles, self._enter_dock),
            "<layout>": self._layouts,
            "<type>": type_menu(self, self._actions),
            **self._view_menus.by_key(),
        }
        of_files = fill_menu_bar(self, self._actions, submenus)
        of_files.aboutToShow.connect(self._offer_revert)
        for key in ("zoom_in", "zoom_out", "zoom_all"):
            self.docks.heatmaps.addAction(self._actions[key])  # where its keys are heard
        add_tool_bar(self, self._actions)
        self.notices.add_to(self)

    def _handlers(self) -> dict[str, Callable[[], object]]:
        return {
            "new": self._new,
            "open": self.openings.choose,
            "open_folder": self.openings.choose_folder,
            "save": self.files.save,
            "save_as": self.files.save_as,
            "revert": self.files.revert,
            "export": self._export,
            "animate": self._animate,
            "quit": self.close,
            "undo": self._undo,
            "redo": self._redo,
            "copy_figure": self._copying.copy_figure,
            "copy_numbers": self._copying.copy_numbers,
            "reset_gains": partial(self.bench.edit, ResetGains()),
            **self._heads.handlers(),
            "describe": self._describe,
            **self._of_captures.handlers(),
            "exercises": partial(self._enter_dock, "lessonDock"),
            "weights": partial(self.bench.look, quantity=Quantity.WEIGHTS),
            "scores": partial(self.bench.look, quantity=Quantity.SCORES),
            "enlarge": self._toggle_enlarged,
            "zoom_in": partial(self._zoom, STEP),
            "zoom_out": partial(self._zoom, 1 / STEP),
            "zoom_all": partial(self.bench.look, window=None),
            "next_dock": self.docks.enter_next,
            "previous_dock": self.docks.enter_previous,
            "notice": self.notices.take_focus,
            "reset_layout": partial(self._layouts.apply, DEFAULT),
            **self._type.handlers(),
            "full_screen": self._toggle_full_screen,
            "command_palette": CommandPalette(self).toggle,
            "shortcuts": self._show_shortcuts,
            "about_scene": self._about_scene,
            "about": self._about,
        }

    # --- what it shows

    def _on_shown(self, frame: Frame) -> None:
        self._status.show_frame(frame)
        self.docks.follow(frame.scene)
        view = frame.view
        self._actions["weights"].setChecked(view.quantity is Quantity.WEIGHTS)
        self._actions["scores"].setChecked(view.quantity is Quantity.SCORES)
        self._actions["enlarge"].setChecked(view.enlarged is not None)
        n_shown = view.window.count if view.window else frame.scene.n_positions
        self._actions["zoom_in"].setEnabled(n_shown > FEWEST_SHOWN)
        for key in ("zoom_out", "zoom_all"):
            self._actions[key].setEnabled(view.window is not None)
        self._heads.show_frame(frame, self._actions)
        self._add_head.show_frame(frame)
        self._view_menus.show_frame(frame)

    def _on_history_changed(self) -> None:
        history = self.bench.history
        _name(self._actions["undo"], "&Undo", history.undo_text)
        _name(self._actions["redo"], "&Redo", history.redo_text)

    def _on_file_changed(self) -> None:
        state = self.files.state
        name = state.name.replace("[*]", "[*][*]")  # which stands for the star
        self.setWindowTitle(f"{name}[*] — mhagui")
        self.setWindowModified(state.is_modified)
        self.setWindowFilePath("" if state.path is None else str(state.path))
        self._offer_revert()

    def _offer_revert(self) -> None:
        self._actions["revert"].setEnabled(self.files.can_revert)

    def _on_file_used(self, path: Path) -> None:
        files = (str(path), *self.preferences.settings.recent_files)
        self._keep_files(tuple(dict.fromkeys(files))[:MOST_FILES])

    def _forget_file(self, path: Path) -> None:
        files = self.preferences.settings.recent_files
        self._keep_files(tuple(file for file in files if file != str(path)))

    def _forget_files(self) -> None:
        self._keep_files(())

    def _keep_files(self, files: tuple[str, ...]) -> None:
        self.preferences.change(recent_files=files)
        self._recent.show_files(map(Path, self.preferences.settings.recent_files))

    # --- what the user asks of it

    def _undo(self) -> None:
        self._finish_typing()
        text = self.bench.history.undo_text
        self.bench.undo()
        self._say(f"Undone: {text}", self.bench.scene)

    def _redo(self) -> None:
        self._finish_typing()
        text = self.bench.history.redo_text
        self.bench.redo()
        self._say(f"Done again: {text}", self.bench.scene)

    def _cancel(self) -> None:
        self.bench.cancel()
        self._say("Cancelled; the scene is the one that is shown")  # whatever was said to be done

    def _finish_typing(self) -> None:
        """Take over what is being typed, which would else land on whatever comes in its place."""
        focus = self.focusWidget()
        if isinstance(focus, QLineEdit | QAbstractSpinBox):
            focus.clearFocus()
            self.setFocus()

    def _new(self) -> None:
        from mhagui.gui.new_scene import NewSceneDialog  # not for the start

        dialog = NewSceneDialog(self)
        if self._ask(dialog):
            self.files.lay_out(dialog.scene())

    def _describe(self) -> None:
        from mhagui.gui.describe import DescribeDialog  # not for the start

        dialog = DescribeDialog(self.bench.scene, self)
        if self._ask(dialog):
            self.bench.edit(dialog.edit())

    def _ask(self, dialog: QDialog) -> bool:
        """Show ``dialog`` until it is answered; say whether the answer is yes."""
        is_accepted = bool(dialog.exec())
        dialog.deleteLater()
        return is_accepted

    def _open_lesson(self, name: str) -> None:
        try:
            self.files.lay_out(load_lesson(name))
        except UserError as error:
            self.files.failed.emit(str(error))

    def _say(self, sentence: str, scene: Scene | None = None) -> None:
        self._status.notice(sentence, scene)
        self._announcer.say(sentence)

    def refuse(self, sentence: str) -> None:
        """Say in the status bar why something was not done."""
        self._status.refuse(sentence, self.bench.scene)
        self._announcer.say(sentence)

    def _export(self) -> None:
        self._export_figure(None)

    def _export_figure(self, name: str | None) -> None:
        self.bench.when_settled(partial(self._ask_for_figures, name))

    def _ask_for_figures(self, name: str | None, frame: Frame) -> None:
        from mhagui.gui.export.dialog import ExportDialog  # not for the start

        charts = self._copying.charts()
        self._ask(ExportDialog(frame, self.preferences, name, charts, self))

    def _animate(self) -> None:
        self.bench.when_settled(self._ask_for_motion)

    def _ask_for_motion(self, frame: Frame) -> None:
        from mhagui.gui.motion_dialog import MotionDialog  # not for the start

        self._ask(MotionDialog(frame, self.preferences, self))

    def _enter_dock(self, name: str) -> None:
        self.docks.enter(self.docks.dock(name))

    def _explain_cell(self) -> None:
        self.docks.show(["cellDock"])

    def _toggle_enlarged(self) -> None:
        view = self.bench.view
        self.bench.look(enlarged=None if view.enlarged is not None else view.cursor.head)
        self.docks.heatmaps.take_focus()

    def _zoom(self, factor: float) -> None:
        self.bench.look(window=self.bench.view.zoomed(factor, self.bench.scene))

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _show_shortcuts(self) -> None:
        from mhagui.gui.shortcuts import show_shortcuts  # not for the start

        show_shortcuts(self)

    def _about_scene(self) -> None:
        from mhagui.gui.about import SceneDialog  # not for the start

        self._ask(SceneDialog(self.bench.scene, self))

    def _about(self) -> None:
        from mhagui.gui.about import AboutDialog  # not for the start

        self._ask(AboutDialog(self))

    def showEvent(self, event: QShowEvent) -> None:
        """Place the docks, and begin at the heatmaps, where arrows move the cursor."""
        super().showEvent(event)
        if not self.docks.are_placed:
            QTimer.singleShot(0, self, self._keeper.begin)
            self.docks.apply(self.preferences.settings.layout or DEFAULT)
        if self.focusWidget() is None:
            self.docks.heatmaps.take_focus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have type smaller where it has made the docks, and so the window, too large."""
        super().resizeEvent(event)
        self._type.fit_later()

    def changeEvent(self, event: QEvent) -> None:
        """Keep type as large as is chosen, relative to a font of the system that may be new."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ThemeChange):
            self._type.follow_system()
        elif event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._offer_revert()
            self._file_notices.check()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Have the docks that are behind others made once there is something to look at."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self.docks.make_ahead()

    def keep_now(self) -> None:
        """Keep what is unsaved for the next start: the end may come without a question."""
        self._finish_typing()
        self._keeper.keep_now()

    def _restore(self) -> None:
        """Be as the window before was; the docks follow when there is something to see."""
        settings = self.preferences.settings
        self._keep_files(settings.recent_files)
        if settings.scene_folder:
            self.files.scene_folder = Path(settings.scene_folder)
        if settings.opened_folder:
            self.files.folder = Path(settings.opened_folder)
        self._lesson.report_folder = settings.report_folder
        if self.files.state.path is not None:
            self._on_file_used(self.files.state.path)
        put_back(self, settings)

    def _keep_places(self) -> None:
        layout = self.docks.layout() or self.preferences.settings.layout
        self.preferences.change(
            layout=layout,
            opened_folder=str(self.files.folder or ""),
            scene_folder=str(self.files.scene_folder or ""),
            report_folder=self._lesson.report_folder,
            **place_of(self),
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask for what is unsaved, and stop feeding the panels before they go."""
        event.ignore()  # until all is asked and done, whatever raises on the way
        if not self.files.may_leave():
            return
        self.bench.stop()
        self.openings.stop()
        try:
            self._lesson.save_now()
            self._keep_places()
        finally:
            self._keeper.end()
            event.accept()


def _name(action: QAction, verb: str, what: str | None) -> None:
    action.setEnabled(what is not None)
    escaped = what.replace("&", "&&") if what else ""
    action.setText(f"{verb} {escaped[:1].lower()}{escaped[1:]}".strip())
