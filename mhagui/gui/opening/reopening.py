"""What the layer on the bench was made of: said while it is not open, and opened again if asked."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QDialog, QFileDialog

from mhagui.document.file_text import line
from mhagui.document.layer_source import FileMark, LayerSource, mark_of
from mhagui.document.origin import Origin
from mhagui.document.token_text import elided
from mhagui.errors import UserError
from mhagui.gui.capture_session import CaptureSession, Opened
from mhagui.gui.file_session import FileSession
from mhagui.gui.notices import Action, NoticeBar
from mhagui.gui.opening.reader import Reader, opened_of

if TYPE_CHECKING:  # what reads tensors and models is for those who open some
    from mhagui.gui.opening.trial import Look
    from mhagui.models import Model

NAME_SHOWN, PROMPT_SHOWN = 60, 48  # characters

Put = Callable[[Opened, int | None], bool]


class Reopening(QObject):
    """Says in the notice bar of what the layer on the bench was made, where that is not open.

    A session that is opened, what is recovered and an undo bring such layers. The file is looked at
    when that is asked for, never before. It has to be the one that it was: then all there was is
    open again, and the bench stays as it is. What was made of another prompt is ``put`` there as
    anything that is opened.
    """

    def __init__(
        self,
        files: FileSession,
        captures: CaptureSession,
        notices: NoticeBar,
        reader: Reader,
        put: Put,
    ) -> None:
        super().__init__(files)
        self._files, self._captures, self._notices = files, captures, notices
        self._reader, self._put = reader, put
        self._of: Origin | None = None  # of what was told last
        self._told = ""
        self._soon = QTimer(self)  # once a layer that comes to the bench is known as what it is
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._look)
        self.follow()

    def follow(self) -> None:
        """Say what there is to say of the scene on the bench, unless that was said."""
        if self._told or self._files.origin.source is not None:
            self._soon.start(0)

    def _look(self) -> None:
        origin = self._files.origin
        if origin.source is None or self._captures.layer is not None:
            self._withdraw()
            self._of = None
        elif origin is not self._of:
            self._withdraw()
            self._of = origin
            if not self._captures.recognise(origin):
                self._offer(origin)

    def _withdraw(self) -> None:
        if self._told:
            self._notices.withdraw(self._told)
            self._told = ""

    def _offer(self, origin: Origin) -> None:
        """Offer to open again what ``origin`` is of, as long as its scene is on the bench."""
        source = origin.source
        if source is None or self._files.origin is not origin:
            return
        again = ("&Open it again", partial(self._open, origin, source))
        self._tell(_sentence(source), source, again)

    def _tell(self, sentence: str, source: LayerSource, action: Action) -> None:
        self._withdraw()
        self._told = sentence
        self._notices.tell(sentence, _details(source), [action])

    # --- opened again

    def _open(self, origin: Origin, source: LayerSource) -> None:
        """Open what is at the path of ``source``, if it is what it should be."""
        self._reader.stop()
        self._files.said.emit(f"Opening {source.path.name}…")
        done = partial(self._on_marked, origin, source)
        self._reader.read(partial(mark_of, source.path), done, partial(self._on_failed, origin))

    def _on_marked(self, origin: Origin, source: LayerSource, mark: FileMark | None) -> None:
        failed = partial(self._on_failed, origin)
        if mark != source.mark:
            self._offer_to_find(origin, source, is_there=mark is not None)
        elif source.reading is not None:
            done = partial(self._on_looked, origin, source)
            self._reader.look_again(source.path, source.reading, done, failed)
        else:
            done_with_model = partial(self._on_model, origin, source)
            self._reader.open_model(source.path, done_with_model, failed)

    def _on_looked(self, origin: Origin, source: LayerSource, look: "Look") -> None:
        self._take_back(origin, source, opened_of(look, look.trial))

    def _on_model(self, origin: Origin, source: LayerSource, model: "Model") -> None:
        take = partial(self._take_back, origin, source)
        dialog = self._reader.ask_prompt(model, source.path, source.prompt, take)
        dialog.finished.connect(partial(self._on_answered, origin))
        dialog.run_when_counted()

    def _on_answered(self, origin: Origin, result: int) -> None:
        if result == QDialog.DialogCode.Rejected.value:
            self._offer(origin)

    def _take_back(self, origin: Origin, source: LayerSource, opened: Opened) -> None:
        if opened.prompt != source.prompt:
            self._put(opened, source.layer)
            return
        if opened.source is None or opened.source.mark != source.mark:  # another by now
            self._offer_to_find(origin, source, is_there=True)
            return
        try:
            self._captures.take_back(opened, source.layer, origin)
        except UserError as error:
            self._files.failed.emit(str(error))
            return
        self._files.note(source.path)
        self._files.said.emit(f"{opened.capture.title} is open again")

    def _on_failed(self, origin: Origin, error: Exception) -> None:
        is_told = isinstance(error, UserError)
        self._files.failed.emit(str(error) if is_told else "It cannot be opened again.")
        self._offer(origin)

    # --- found again

    def _offer_to_find(self, origin: Origin, source: LayerSource, *, is_there: bool) -> None:
        if self._files.origin is not origin:
            return
        name = _shown(source.path.name, NAME_SHOWN)
        sentence = f"{name} is not where it was."
        if is_there and origin.source is not None and origin.source.path == source.path:
            sentence = f"{name} has changed since this layer was taken from it."
        elif is_there:
            sentence = f"{name} is not what this layer was taken from."
        self._tell(sentence, source, ("&Find it…", partial(self._find, origin, source)))

    def _find(self, origin: Origin, source: LayerSource) -> None:
        """Ask where it is now, and open it there."""
        window, folder = self._notices.window(), str(self._files.start_folder())
        title = f"Find {_shown(source.path.name, NAME_SHOWN)}"
        if source.mark.is_folder:
            chosen = QFileDialog.getExistingDirectory(window, title, folder)
        else:
            chosen, _ = QFileDialog.getOpenFileName(window, title, folder)
        if chosen:
            self._open(origin, source.at(Path(chosen)))
        else:
            self._offer(origin)


def _sentence(source: LayerSource) -> str:
    words = ", by words," if source.by_words else ""
    what = f"This is layer {source.layer}{words} of {_shown(source.path.name, NAME_SHOWN)}"
    if source.prompt:
        what += f" with the prompt “{_shown(source.prompt, PROMPT_SHOWN)}”"
    return f"{what}; its other layers are not open."


def _details(source: LayerSource) -> str:
    what = "Folder" if source.mark.is_folder else "File"
    told = f"{what}: {line(source.path, 1000)}\nBytes: {source.mark.n_bytes:,}\n"
    told += f"Layer: {source.layer}\n"
    if source.prompt:
        told += f"Prompt: {source.prompt}\n"
    return (
        f"{told}\nOpened again, Scorecard and Compare have all its layers, and the prompt can be "
        "changed; the bench stays as it is. The file is not looked at before."
    )


def _shown(text: str, most: int) -> str:
    """Return ``text``, which may be anybody's, in one line of at most ``most`` characters."""
    return line(elided(" ".join(text.split()), most), most)
