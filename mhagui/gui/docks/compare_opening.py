"""Files and prompts opened to be compared, while the bench and what is open beside it stay."""

from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from mhagui.document import Scene
from mhagui.document.origin import open_session
from mhagui.document.token_text import elided
from mhagui.errors import UserError
from mhagui.gui.bench import Bench
from mhagui.gui.capture_session import CaptureSession, Opened
from mhagui.gui.docks.compare_sources import OfCapture, OfScene
from mhagui.gui.opening.kinds import Kind, kind_of, takes_long
from mhagui.gui.watch import Watch
from mhagui.gui.worker import Worker

if TYPE_CHECKING:  # what reads tensors and models is for those who open some
    from mhagui.gui.opening.import_dialog import ImportDialog
    from mhagui.gui.opening.model_dialog import ModelDialog
    from mhagui.gui.opening.trial import Look
    from mhagui.models import Model

PROMPT_SHOWN = 24  # characters of a prompt, in the name of what was made of it


class Opening(QObject):
    """Asks for a file or a prompt, and for what else has to be said.

    Signals
    -------
    opened
        There is something to compare with; carries the ``Source``.
    failed
        It could not be opened; carries the sentence that says why.
    said
        Something is being read; carries a sentence.
    """

    opened = Signal(object)
    failed = Signal(str)
    said = Signal(str)

    def __init__(self, bench: Bench, captures: CaptureSession, dock: QWidget) -> None:
        super().__init__(dock)
        self._bench, self._captures, self._dock = bench, captures, dock
        self._worker, self._watch = Worker(self), Watch()
        self._numbers = count(1)

    def choose(self) -> None:
        """Ask for a file, and open it."""
        opened = self._captures.opened
        folder = "" if opened is None or opened.path is None else str(opened.path.parent)
        name, _ = QFileDialog.getOpenFileName(self._dock, "Open to compare", folder)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Open the file at ``path``: a scene, tensors or a model."""
        self._watch.drop()  # whatever else was to be opened
        self._worker.cancel()
        self.said.emit(f"Opening {path.name}…")
        if takes_long(path):
            done = partial(self._open_as, path)
            self._worker.run(partial(kind_of, path), done, self._on_failed)
        else:
            self._open_as(path, kind_of(path))

    def _open_as(self, path: Path, kind: Kind) -> None:
        if kind is Kind.TENSORS:
            self._watch = Watch()
            make = partial(_look, path, self._watch)
            self._worker.run(make, self._on_looked, self._on_failed)
        elif kind is Kind.MODEL:
            done = partial(self._ask_model, path, "")
            self._worker.run(partial(_model, path), done, self._on_failed)
        else:
            done_with_scene = partial(self._on_scene, path)
            self._worker.run(partial(_scene, path), done_with_scene, self._on_failed)

    def ask_for_prompt(self) -> None:
        """Run the model that is open on another prompt."""
        opened = self._captures.opened
        if opened is not None and opened.model is not None and opened.path is not None:
            self._ask_model(opened.path, opened.prompt, opened.model)

    # --- what has to be said, and what comes of it

    def _on_scene(self, path: Path, scene: Scene) -> None:
        self.opened.emit(OfScene(("opened", next(self._numbers)), (path.name, path.name), scene))

    def _on_looked(self, look: "Look") -> None:
        from mhagui.gui.opening.import_dialog import ImportDialog  # not for the start

        if look.is_clear and look.trial.capture is not None:
            self._give(Opened(look.trial.capture, look.found.path))
            return
        dialog = ImportDialog(look, self._bench.view.appearance, self._dock)
        dialog.accepted.connect(partial(self._on_reading, dialog))
        dialog.open()

    def _on_reading(self, dialog: "ImportDialog") -> None:
        if dialog.trial is not None and dialog.trial.capture is not None:
            self._give(Opened(dialog.trial.capture, dialog.path))

    def _ask_model(self, path: Path, prompt: str, model: "Model") -> None:
        from mhagui.gui.opening.model_dialog import ModelDialog  # not for the start

        dialog = ModelDialog(model, path, prompt, self._dock)
        dialog.accepted.connect(partial(self._on_run, dialog))
        dialog.open()

    def _on_run(self, dialog: "ModelDialog") -> None:
        if dialog.opened is not None:
            self._give(dialog.opened)

    def _give(self, opened: Opened) -> None:
        self.opened.emit(of_opened(("opened", next(self._numbers)), opened))

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(str(error) if isinstance(error, UserError) else "It cannot be opened.")


def of_opened(key: object, opened: Opened) -> OfCapture:
    """Return what can be compared of what was opened; by its prompt first, if there is one."""
    title = opened.capture.title
    if opened.prompt:
        title = f"“{elided(' '.join(opened.prompt.split()), PROMPT_SHOWN)}” {title}"
    return OfCapture(key, opened.capture, title)


def _look(path: Path, watch: Watch) -> "Look":
    from mhagui.gui.opening.trial import look

    return look(path, watch)


def _model(path: Path) -> "Model":
    from mhagui.models import open_model

    return open_model(path)


def _scene(path: Path) -> Scene:
    return open_session(path)[0].scene
