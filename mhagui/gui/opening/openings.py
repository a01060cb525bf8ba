"""Whatever is opened in a window: scenes, figures, tensors and models, each in its way."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from mhagui.document import Scene
from mhagui.errors import UserError
from mhagui.files import absolute
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.capture_session import CaptureSession, Opened
from mhagui.gui.file_session import FileSession
from mhagui.gui.notices import NoticeBar
from mhagui.gui.opening.kinds import Kind, kind_of, takes_long
from mhagui.gui.watch import Watch
from mhagui.gui.worker import Worker

if TYPE_CHECKING:  # what reads tensors and models is for those who open some
    from mhagui.gui.opening.model_dialog import ModelDialog
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
        self._worker, self._watch = Worker(self), Watch()
        self._told = ""  # how the file that is open was read
        self._to_come: tuple[Scene, str] | None = None  # what to say when a scene is shown
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

    def open(self, path: Path, prompt: str | None = None) -> None:
        """Open what is at ``path``; a model is run at once where there is a ``prompt``."""
        path = absolute(path)
        self.stop()  # whatever else was to be opened
        if not takes_long(path):
            self._open_as(path, prompt, kind_of(path))
            return
        self._files.said.emit(f"Reading {path.name}…")
        done = partial(self._open_as, path, prompt)
        self._worker.run(partial(kind_of, path), done, partial(self._on_failed, path))

    def _open_as(self, path: Path, prompt: str | None, kind: Kind) -> None:
        failed = partial(self._on_failed, path)
        if kind is Kind.SCENE:
            self._files.open(path)
        elif kind is Kind.TENSORS:
            self._files.said.emit(f"Reading {path.name}…")
            self._watch = Watch()
            self._worker.run(partial(_look, path, self._watch), self._on_looked, failed)
        else:
            self._files.said.emit(f"Opening {path.name}…")
            done = partial(self._on_model, path, prompt)
            self._worker.run(partial(_model, path), done, failed)

    def ask_for_prompt(self) -> None:
        """Run the model that is open on another prompt."""
        opened = self._captures.opened
        if opened is not None and opened.model is not None and opened.path is not None:
            self._ask_model(opened.model, opened.path, opened.prompt)

    def stop(self) -> None:
        """Open no more what is being read."""
        self._watch.drop()
        self._worker.cancel()

    # --- tensors

    def _on_looked(self, look: "Look") -> None:
        if look.is_clear:
            self._open_look(look)
        else:
            self._ask_reading(look)

    def _open_look(self, look: "Look") -> None:
        """Open what is clear, and say how it was read."""
        capture, path = look.trial.capture, look.found.path
        if capture is None or not self._put(Opened(capture, path)):
            return
        self._notices.withdraw(self._told)
        self._told = f"{path.name} is read as {capture.notes[0]}"
        how = ("&How it was read…", partial(self._ask_reading, look))
        self._notices.tell(self._told, actions=[how])

    def _ask_reading(self, look: "Look") -> None:
        from mhagui.gui.opening.import_dialog import ImportDialog  # not for the start

        dialog = ImportDialog(look, self._bench.view.appearance, self._window)
        dialog.accepted.connect(partial(self._on_reading, dialog))
        dialog.open()

    def _on_reading(self, dialog: QDialog) -> None:
        from mhagui.gui.opening.import_dialog import ImportDialog

        assert isinstance(dialog, ImportDialog)
        if dialog.trial is not None and dialog.trial.capture is not None:
            self._put(Opened(dialog.trial.capture, dialog.path))

    # --- models

    def _on_model(self, path: Path, prompt: str | None, model: "Model") -> None:
        dialog = self._ask_model(model, path, prompt or "")
        if prompt:
            dialog.run_when_counted()

    def _ask_model(self, model: "Model", path: Path, prompt: str) -> "ModelDialog":
        from mhagui.gui.opening.model_dialog import ModelDialog  # not for the start

        dialog = ModelDialog(model, path, prompt, self._window)
        dialog.accepted.connect(partial(self._on_run, dialog))
        dialog.open()
        return dialog

    def _on_run(self, dialog: "ModelDialog") -> None:
        if dialog.opened is not None:
            is_same = self._captures.model is dialog.opened.model
            before = self._captures.layer if is_same else None
            middle = len(dialog.opened.capture.layers) // 2
            self._put(dialog.opened, middle if before is None else before)

    # --- what comes of it

    def _put(self, opened: Opened, layer: int | None = None) -> bool:
        """Have ``opened`` open, and its file among the recent ones."""
        if not self._captures.open(opened, layer):
            return False
        self._notices.withdraw(self._told)
        self._told = ""
        if opened.path is not None:
            self._files.note(opened.path)
        title = opened.capture.title
        self._to_come = self._bench.scene, f"{title} is open"
        self._on_shown(self._bench.frame)
        if self._to_come is not None:
            self._files.said.emit(f"Opening {title}…")
        return True

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


def _look(path: Path, watch: Watch) -> "Look":
    from mhagui.gui.opening.trial import look

    return look(path, watch)


def _model(path: Path) -> "Model":
    from mhagui.models import open_model

    return open_model(path)
