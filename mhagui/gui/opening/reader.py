"""How all that is opened is read: in a thread, and with questions where something is left open."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from mhagui.document.file_entries import ReadingEntry
from mhagui.document.layer_source import remembered
from mhagui.file_kinds import Kind, kind_of, takes_long
from mhagui.gui.bench import Bench
from mhagui.gui.capture_session import CaptureSession, Opened
from mhagui.gui.watch import Watch
from mhagui.gui.worker import Worker

if TYPE_CHECKING:  # what reads tensors and models is for those who open some
    from mhagui.gui.opening.import_dialog import ImportDialog
    from mhagui.gui.opening.model_dialog import ModelDialog
    from mhagui.gui.opening.trial import Look, Trial
    from mhagui.models import Model

T = TypeVar("T")
Failed = Callable[[Exception], None]
Take = Callable[[Opened], object]


class Reader(QObject):
    """Reads one thing at a time in a thread, and asks for what has to be said of it.

    Its dialogs stand before ``asker``. What comes of it is for whoever wanted it.
    """

    def __init__(self, bench: Bench, captures: CaptureSession, asker: QWidget) -> None:
        super().__init__(asker)
        self._bench, self._captures, self._asker = bench, captures, asker
        self._worker, self._watch = Worker(self), Watch()

    def stop(self) -> None:
        """Read no more what is being read."""
        self._watch.drop()
        self._worker.cancel()

    def read(self, make: Callable[[], T], done: Callable[[T], None], failed: Failed) -> None:
        """Have ``make`` called in a thread, and then ``done`` with what it returned."""
        self._worker.run(make, done, failed)

    def find_kind(self, path: Path, done: Callable[[Kind], None], failed: Failed) -> None:
        """Tell ``done`` the kind of ``path``, at once if it can be; what else was read is not."""
        self.stop()
        if takes_long(path):
            self.read(partial(kind_of, path), done, failed)
        else:
            done(kind_of(path))

    # --- tensors

    def look(self, path: Path, done: Callable[["Look"], None], failed: Failed) -> None:
        """Look at the file of tensors at ``path``."""
        self._watch = Watch()
        self.read(partial(_look, path, self._watch), done, failed)

    def look_again(
        self, path: Path, entry: ReadingEntry, done: Callable[["Look"], None], failed: Failed
    ) -> None:
        """Look at the file of tensors at ``path``, read as ``entry`` says."""
        self._watch = Watch()
        self.read(partial(_look_again, path, entry, self._watch), done, failed)

    def ask_reading(self, look: "Look", take: Take) -> None:
        """Ask how a file is to be read, and give ``take`` what comes of it."""
        from mhagui.gui.opening.import_dialog import ImportDialog  # not for the start

        dialog = ImportDialog(look, self._bench.view.appearance, self._asker)
        dialog.accepted.connect(partial(_give_reading, dialog, take))
        dialog.open()

    # --- models

    def open_model(self, path: Path, done: Callable[["Model"], None], failed: Failed) -> None:
        """Open the model at ``path``."""
        self.read(partial(_model, path), done, failed)

    def ask_prompt(self, model: "Model", path: Path, prompt: str, take: Take) -> "ModelDialog":
        """Ask for a prompt, and give ``take`` what ``model`` makes of it; ``prompt`` to begin."""
        from mhagui.gui.opening.model_dialog import ModelDialog  # not for the start

        dialog = ModelDialog(model, path, prompt, self._asker)
        dialog.accepted.connect(partial(_give_run, dialog, take))
        dialog.open()
        return dialog

    def ask_other_prompt(self, take: Take) -> None:
        """Ask for another prompt of the model that is open, if one is."""
        opened = self._captures.opened
        if opened is not None and opened.model is not None and opened.path is not None:
            self.ask_prompt(opened.model, opened.path, opened.prompt, take)


def opened_of(look: "Look", trial: "Trial") -> Opened:
    """Return what ``trial``, one of ``look``'s, has made of a file; there has to be something."""
    from mhagui.sources.remembered import entry_of  # not for the start

    assert trial.capture is not None
    path = look.found.path
    source = remembered(path, look.mark, reading=entry_of(trial.reading))
    return Opened(trial.capture, path, source=source)


def _give_reading(dialog: "ImportDialog", take: Take) -> None:
    if dialog.trial is not None and dialog.trial.capture is not None:
        take(opened_of(dialog.seen, dialog.trial))


def _give_run(dialog: "ModelDialog", take: Take) -> None:
    if dialog.opened is not None:
        take(dialog.opened)


def _look(path: Path, watch: Watch) -> "Look":
    from mhagui.gui.opening.trial import look

    return look(path, watch)


def _look_again(path: Path, entry: ReadingEntry, watch: Watch) -> "Look":
    from mhagui.gui.opening.trial import look_again

    return look_again(path, entry, watch)


def _model(path: Path) -> "Model":
    from mhagui.models import open_model

    return open_model(path)
