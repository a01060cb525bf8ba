"""The file of what lies on the bench: opened, saved, and never lost without a question."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from mhagui.document import Scene, ViewState
from mhagui.document.edits import OpenScene
from mhagui.document.origin import Origin, open_session
from mhagui.document.session import Session
from mhagui.document.session_file import read_session, write_session
from mhagui.errors import UserError
from mhagui.file_kinds import MODEL_FILES, TENSOR_FILES
from mhagui.files import absolute, stamp
from mhagui.gui import questions
from mhagui.gui.bench import Bench

FIGURE_FILES = (".png", ".svg", ".pdf", ".eps", ".tiff", ".tif", ".gif")
SAVED_FILES = {"Scenes (*.mhascene)": ".mhascene", "Scenes as JSON text (*.json)": ".json"}
_SCENES, _FIGURES = (
    " ".join(f"*{ending}" for ending in endings) for endings in (SAVED_FILES.values(), FIGURE_FILES)
)
_TENSORS, _MODELS = (
    " ".join(f"*{ending}" for ending in endings) for endings in (TENSOR_FILES, MODEL_FILES)
)
OPENED_FILES = (
    f"All that can be opened ({_SCENES} {_FIGURES} {_TENSORS} {_MODELS});;"
    f"Scenes ({_SCENES});;"
    f"Figures exported by mhagui ({_FIGURES});;"
    f"Tensors ({_TENSORS} *.json);;"
    f"Models ({_MODELS} *.safetensors);;"
    "All files (*)"
)


@dataclass(frozen=True, slots=True)
class State:
    """What of the file a window shows."""

    path: Path | None
    name: str
    is_modified: bool


class ChangedElsewhereError(Exception):
    """Somebody else has written to the file."""


class FileSession(QObject):
    """Opens and saves what lies on the bench.

    ``finish_typing`` is called before the scene is saved or left, so that what is being typed
    counts.

    Signals
    -------
    changed
        Another file, or there is something else to save.
    used
        A file was read or written; carries its path.
    gone
        A file was to be opened that is not there; carries its path.
    failed
        A file could not be read or written; carries the sentence that says why.
    discarded
        Nothing is to be kept of the unsaved work whose origin this carries.
    said
        Something was done; carries a sentence.
    """

    changed = Signal()
    used = Signal(object)
    gone = Signal(object)
    failed = Signal(str)
    discarded = Signal(object)
    said = Signal(str)

    def __init__(self, bench: Bench, window: QWidget, finish_typing: Callable[[], None]) -> None:
        super().__init__(window)
        self._bench, self._window, self._finish_typing = bench, window, finish_typing
        self.folder: Path | None = None  # where a file was opened or saved last
        self.scene_folder: Path | None = None  # where that was a scene; none lies beside a model
        self.state = self._state()
        bench.history_changed.connect(self._on_history_changed)

    @property
    def is_modified(self) -> bool:
        """Whether there is anything to save."""
        return self.state.is_modified

    @property
    def is_changed_elsewhere(self) -> bool:
        """Whether somebody else has written to the file."""
        origin = self.origin
        return origin.path is not None and stamp(origin.path) not in (None, origin.stamp)

    @property
    def can_revert(self) -> bool:
        """Whether there is something else to go back to."""
        origin = self.origin
        is_there = origin.kept is not None or (origin.path is not None and not self.is_gone)
        return is_there and (self.is_modified or self.is_changed_elsewhere)

    @property
    def is_gone(self) -> bool:
        """Whether the file is no more, so that what it held is on the bench alone."""
        return self.origin.path is not None and stamp(self.origin.path) is None

    @property
    def origin(self) -> Origin:
        """Where the scene on the bench is kept."""
        return self._bench.history.origin

    def session(self) -> Session:
        """Return what is worked on, and which file it belongs to."""
        origin = self.origin
        path = None if origin.path is None else str(origin.path)
        return Session(self._bench.scene, self._bench.view, path, origin.source)

    # --- opening

    def ask_which(self) -> Path | None:
        """Ask for a file of any kind that can be opened; None where there is no answer."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open", str(self.start_folder()), OPENED_FILES
        )
        return Path(name) if name else None

    def open(self, path: Path) -> bool:
        """Open the file at ``path``; False, with all as it was, where it cannot or shall not be."""
        path = absolute(path)
        try:
            session, origin = open_session(path)
        except UserError as error:
            self.failed.emit(str(error))
            if isinstance(error.__cause__, FileNotFoundError):
                self.gone.emit(path)
            return False
        if not self.lay_out(session.scene, origin, session.view):
            return False
        self.folder = path.parent  # also of a figure, beside which its scene may be saved
        self.scene_folder = path.parent
        self._note()
        if origin.path is None:  # so that nothing in the window names the figure
            self.said.emit(f"The scene of {path.name} is on the bench")
        return True

    def lay_out(
        self, scene: Scene, origin: Origin | None = None, view: ViewState | None = None
    ) -> bool:
        """Put another scene on the bench, unless the user would rather keep this one."""
        practises = origin is not None and origin.is_practice
        if not self.may_leave(questions.CAN_BE_UNDONE, practises=practises):
            return False
        self._bench.open(scene, origin, view)
        return True

    def recover(self, session: Session) -> bool:
        """Put what was kept of a former session on the bench, as work that is yet to be saved."""
        path = None if session.path is None else Path(session.path)
        # A file that was written to since is asked about: no stamp is that of this work.
        return self.lay_out(session.scene, Origin(path, source=session.source), session.view)

    def revert(self) -> None:
        """Put the scene back as it stands in its file; without one, as work on it began."""
        origin = self.origin
        self._finish_typing()
        try:
            if origin.path is not None:
                origin.stamp, origin.kept = stamp(origin.path), read_session(origin.path).scene
        except UserError as error:
            self.failed.emit(str(error))
            return
        if origin.kept is not None:
            self._bench.edit(OpenScene(origin.kept, verb="Revert to"))
        self._note()

    # --- saving

    def save(self) -> bool:
        """Write to the file, or ask for one; False where nothing was written."""
        path = self.origin.path
        if path is None:
            return self.save_as()
        try:
            self._check_as_left()
            return self.write(path, self._check_as_left)  # which takes a while: nobody came between
        except ChangedElsewhereError:
            answer = questions.ask_to_replace(self._window, path)
        if answer is questions.Replace.OVERWRITE:
            return self.write(path)
        return answer is questions.Replace.SAVE_AS and self.save_as()

    def save_as(self) -> bool:
        """Ask for a file and write to it; False where nothing was written."""
        self._finish_typing()
        path = self.origin.path
        name = f"{_file_name(self._bench.scene.title)}.mhascene"
        suggested = path or _first_there(self.scene_folder) / name
        if not is_scene_file(suggested):
            suggested = suggested.with_name(f"{suggested.name}.mhascene")
        dialog = QFileDialog(self._window, "Save scene as", str(suggested.parent))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(SAVED_FILES))
        dialog.filterSelected.connect(partial(_follow, dialog))
        ending = suggested.suffix.lower()
        kind = next(kind for kind, suffix in SAVED_FILES.items() if suffix == ending)
        dialog.selectNameFilter(kind)
        _follow(dialog, kind)
        dialog.selectFile(suggested.name)
        is_chosen = bool(dialog.exec())
        chosen = dialog.selectedFiles()
        dialog.deleteLater()
        return is_chosen and self.write(Path(chosen[0]))

    def may_leave(self, otherwise: str = questions.LOST, *, practises: bool = False) -> bool:
        """Ask what becomes of unsaved changes; False where all is to stay as it is.

        ``otherwise`` says what happens to those that are not saved. An exercise that follows on
        another (``practises``) asks nothing.
        """
        self._finish_typing()
        if not (self.is_modified or self.is_gone):
            return True
        answer = questions.Leave.DISCARD
        if not (practises and self.origin.is_practice):
            answer = questions.ask_to_leave(self._window, self.state.name, otherwise)
        if answer is questions.Leave.DISCARD:
            self.discarded.emit(self.origin)
        return self.save() if answer is questions.Leave.SAVE else answer is questions.Leave.DISCARD

    def write(self, path: Path, before_swap: Callable[[], object] = int) -> bool:
        """Write to the file at ``path``, which is the scene's from now on, or say why not.

        ``before_swap`` is called when all is written but not yet there, and may raise to stop it.
        """
        self._finish_typing()
        path = absolute(path)
        session = replace(self.session(), path=None)
        try:
            state = write_session(path, session, before_swap)
        except (UserError, MemoryError) as error:
            self.failed.emit(f"Not saved: {str(error) or 'there is not enough memory.'}")
            return False
        self._bench.keep(path, state)
        self.scene_folder = path.parent
        self._note()
        self.said.emit(f"Saved to {path}")
        return True

    def _check_as_left(self) -> None:
        if self.is_changed_elsewhere:
            raise ChangedElsewhereError

    # --- what follows from it

    def _note(self) -> None:
        """Note that the scene's file, if there is one, was read or written."""
        if self.origin.path is not None:
            self.note(self.origin.path)

    def note(self, path: Path) -> None:
        """Note that the file at ``path`` was opened here, also where it is no scene's."""
        self.folder = path.parent
        self.used.emit(path)

    def start_folder(self) -> Path:
        """Return the folder in which one looks for a file first."""
        path = self.origin.path
        return _first_there(path and path.parent, self.folder)

    def _state(self) -> State:
        history = self._bench.history
        path = history.origin.path
        return State(path, path.name if path else history.scene.title, history.is_modified)

    def _on_history_changed(self) -> None:
        state = self._state()
        if state != self.state:
            self.state = state
            self.changed.emit()


def _first_there(*folders: Path | None) -> Path:
    """Return the first of ``folders`` that is there, or else the user's own for documents."""
    documents = QStandardPaths.StandardLocation.DocumentsLocation
    known = *folders, Path(QStandardPaths.writableLocation(documents))
    return next((folder for folder in known if folder and folder.is_dir()), Path.home())


def is_scene_file(path: Path) -> bool:
    """Say whether a file's name is one of a scene."""
    return path.suffix.lower() in SAVED_FILES.values()


def is_opened(path: Path) -> bool:
    """Say whether what is at ``path`` can be opened: a scene, a figure, tensors or a model."""
    endings = (*FIGURE_FILES, *TENSOR_FILES, *MODEL_FILES)
    return is_scene_file(path) or path.suffix.lower() in endings or path.is_dir()


def _follow(dialog: QFileDialog, kind: str) -> None:
    """Have names without a suffix end as files of the chosen kind do."""
    dialog.setDefaultSuffix(SAVED_FILES[kind].lstrip("."))


def _file_name(title: str) -> str:
    return re.sub(r'[\\/:*?"<>|]', "-", title)  # for the sake of all systems
