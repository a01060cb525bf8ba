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
from mhagui.file_kinds import Kind
from mhagui.gui.bench import Bench
from mhagui.gui.capture_session import CaptureSession, Opened
from mhagui.gui.docks.compare_sources import OfCapture, OfScene
from mhagui.gui.opening.reader import Reader, opened_of

if TYPE_CHECKING:  # what reads tensors and models is for those who open some
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
        self._captures, self._dock = captures, dock
        self._reader = Reader(bench, captures, dock)
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
        self.said.emit(f"Opening {path.name}…")
        self._reader.find_kind(path, partial(self._open_as, path), self._on_failed)

    def _open_as(self, path: Path, kind: Kind) -> None:
        if kind is Kind.TENSORS:
            self._reader.look(path, self._on_looked, self._on_failed)
        elif kind is Kind.MODEL:
            self._reader.open_model(path, partial(self._on_model, path), self._on_failed)
        else:
            done = partial(self._on_scene, path)
            self._reader.read(partial(_scene, path), done, self._on_failed)

    def ask_for_prompt(self) -> None:
        """Run the model that is open on another prompt."""
        self._reader.ask_other_prompt(self._give)

    # --- what comes of it

    def _on_scene(self, path: Path, scene: Scene) -> None:
        self.opened.emit(OfScene(("opened", next(self._numbers)), (path.name, path.name), scene))

    def _on_looked(self, look: "Look") -> None:
        if look.is_clear and look.trial.capture is not None:
            self._give(opened_of(look, look.trial))
        else:
            self._reader.ask_reading(look, self._give)

    def _on_model(self, path: Path, model: "Model") -> None:
        self._reader.ask_prompt(model, path, "", self._give)

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


def _scene(path: Path) -> Scene:
    return open_session(path)[0].scene
