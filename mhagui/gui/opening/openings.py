"""Whatever is opened in a window: scenes, figures, tensors and models, each in its way."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from mhagui.document import Scene
from mhagui.errors import UserError
from mhagui.file_kinds import Kind, takes_long
from mhagui.files import absolute
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.capture_session import CaptureSession, Opened, other_way
from mhagui.gui.file_session import FileSession
from mhagui.gui.notices import Action, NoticeBar
from mhagui.gui.opening.reader import Reader, opened_of
from mhagui.gui.opening.reopening import Reopening

if TYPE_CHECKING:  # what reads tensors and models is for those who open some
    from mhagui.gui.opening.trial import Look
    from mhagui.models import Model


class Openings(QObject):
    """Opens files and folders of all kinds in one window, and asks for what has to be said.

    A file is looked at in a thread. What can be read in one sensible way and is sound in all that
    is proven of it is opened at once; for everything else there is a dialog. Where something cannot
    be opened, ``files`` says why, and all is as it was.
    """

    def __init__(
        self,
        bench: Bench,
        files: FileSession,
        captures: CaptureSession,
        notices: NoticeBar,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._bench, self._files, self._captures = bench, files, captures
        self._notices, self._window = notices, window
        self._reader = Reader(bench, captures, window)
        self._reopening = Reopening(files, captures, notices, self._reader, self._put)
        bench.history_changed.connect(self._reopening.follow)
        captures.changed.connect(self._reopening.follow)
        captures.shortened.connect(self._on_shortened)
        self._told: list[str] = []  # of what is open
        self._to_come: tuple[Scene, str] | None = None  # what to say when a scene is shown
        self._by_words = False  # what is opened next, whatever was asked about it
        bench.shown.connect(self._on_shown)

    # --- what the user does

    def choose(self) -> None:
        """Ask for a file, and open it."""
        path = self._files.ask_which()
        if path is not None:
            self.open(path)

    def choose_folder(self) -> None:
        """Ask for the folder of a model, and open that."""
        name = QFileDialog.getExistingDirectory(
            self._window, "Open model folder", str(self._files.start_folder())
        )
        if name:
            self.open(Path(name))

    def open(self, path: Path, prompt: str | None = None, *, by_words: bool = False) -> None:
        """Open what is at ``path``, and show it ``by_words`` where it can be.

        A model is run at once where there is a ``prompt``.
        """
        path, self._by_words = absolute(path), by_words
        if takes_long(path):
            self._files.said.emit(f"Reading {path.name}…")
        done, failed = partial(self._open_as, path, prompt), partial(self._on_failed, path)
        self._reader.find_kind(path, done, failed)

    def _open_as(self, path: Path, prompt: str | None, kind: Kind) -> None:
        failed = partial(self._on_failed, path)
        if kind is Kind.SCENE:
            self._files.open(path)
        elif kind is Kind.TENSORS:
            self._files.said.emit(f"Reading {path.name}…")
            self._reader.look(path, self._on_looked, failed)
        else:
            self._files.said.emit(f"Opening {path.name}…")
            self._reader.open_model(path, partial(self._on_model, path, prompt), failed)

    def ask_for_prompt(self) -> None:
        """Run the model that is open on another prompt."""
        self._reader.ask_other_prompt(self._on_run)

    def stop(self) -> None:
        """Open no more what is being read."""
        self._reader.stop()

    # --- tensors

    def _on_looked(self, look: "Look") -> None:
        if look.is_clear:
            self._open_look(look)
        else:
            self._ask_reading(look)

    def _open_look(self, look: "Look") -> None:
        """Open what is clear, and say how it was read."""
        capture, name = look.trial.capture, look.found.path.name
        if capture is None or not self._put(opened_of(look, look.trial)):
            return
        how = ("&How it was read…", partial(self._ask_reading, look))
        self._tell(_how_read(name, capture.notes[0]), how)

    def _ask_reading(self, look: "Look") -> None:
        self._reader.ask_reading(look, self._put)

    # --- models

    def _on_model(self, path: Path, prompt: str | None, model: "Model") -> None:
        dialog = self._reader.ask_prompt(model, path, prompt or "", self._on_run)
        if prompt:
            dialog.run_when_counted()

    def _on_run(self, opened: Opened) -> None:
        """Put what a model made on the bench: the layer that is there, or that in the middle."""
        is_same = self._captures.model is opened.model
        self._by_words = self._captures.is_by_words if is_same else self._by_words
        before = self._captures.layer if is_same else None
        middle = len(opened.capture.layers) // 2
        self._put(opened, middle if before is None else before)

    # --- what comes of it

    def _put(self, opened: Opened, layer: int | None = None) -> bool:
        """Have ``opened`` open, and its file among the recent ones."""
        shown, why_not_words = self._as_wanted(opened)
        before, self._told = self._told, []
        if not self._captures.open(shown, layer):
            self._told = before
            return False
        self._by_words = False
        for sentence in before:
            if sentence not in self._told:
                self._notices.withdraw(sentence)
        self._to_come = None
        if self._captures.layer is None:  # which was said, with the reason
            return True
        title = shown.capture.title
        is_open = f"{title} is open with all its tokens. {why_not_words}".rstrip(".")
        self._to_come = self._bench.scene, is_open if why_not_words else f"{title} is open"
        self._on_shown(self._bench.frame)
        if self._to_come is not None:
            self._files.said.emit(f"Opening {title}…")
        return True

    def _on_shortened(self, sentence: str) -> None:
        self._tell(sentence, is_urgent=True)  # before how it was read

    def _tell(self, sentence: str, *actions: Action, is_urgent: bool = False) -> None:
        """Tell what holds as long as what is open is."""
        self._notices.withdraw(sentence)
        self._told.append(sentence)
        self._notices.tell(sentence, actions=actions, is_urgent=is_urgent)

    def _as_wanted(self, opened: Opened) -> tuple[Opened, str]:
        """Return ``opened`` by words, where that was asked for; and why not where it cannot be."""
        if not self._by_words:
            return opened, ""
        try:
            return other_way(opened), ""
        except UserError as error:
            return opened, str(error)

    def _on_shown(self, frame: Frame) -> None:
        """Say what is open once its numbers are there, unless another scene has come instead."""
        if self._to_come is None:
            return
        scene, sentence = self._to_come
        if self._bench.scene is not scene:
            self._to_come = None
        elif frame.scene is scene:
            self._to_come = None
            self._files.said.emit(sentence)

    def _on_failed(self, path: Path, error: Exception) -> None:
        told = str(error) if isinstance(error, UserError) else f"{path.name} cannot be opened."
        self._files.failed.emit(told if path.name in told else f"{path.name}: {told}")
        if not path.exists():
            self._files.gone.emit(path)


def _how_read(name: str, told: str) -> str:
    """Return that the file was read as is ``told``; an array without a name is called as it is."""
    is_one = told.startswith(f"{name} as ")
    return (
        f"{name} was read {told.removeprefix(f'{name} ')}" if is_one else f"{name} was read: {told}"
    )
