"""The file or model that is open beside the bench, and the way from it to the bench."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import (
    heads_with_room,
    layer_of,
    run_with_room,
    scene_of,
    why_left_out,
)
from mhagui.document.captured_words import by_words, place_in
from mhagui.document.layer_source import LayerSource
from mhagui.document.origin import Origin
from mhagui.errors import UserError
from mhagui.gui.bench import Bench
from mhagui.gui.file_session import FileSession

if TYPE_CHECKING:  # only who opens a model needs what reads it
    from mhagui.models import Model

NOTHING_OPEN = "Nothing with tokens is open: open tensors of a model's attention, or a model."


@dataclass(frozen=True, eq=False)
class Opened:
    """A capture, and where it is from.

    Attributes
    ----------
    capture
        The attention of all layers.
    path
        The file or folder; None where it is from none.
    model, prompt
        The model that was run, and on what; None and empty for a file of tensors.
    source
        The same, as a session keeps it; None where it cannot.
    """

    capture: Capture
    path: Path | None = None
    model: "Model | None" = None
    prompt: str = ""
    source: LayerSource | None = None


class CaptureSession(QObject):
    """Owns the capture of one window, from which layers come to the bench.

    It stays open whatever is on the bench, until another takes its place. Where it has tokens it
    can be shown by words, and back; an undo that brings back a layer brings back which of the two.

    Signals
    -------
    changed
        Another capture is open; carries it.
    shown
        A layer was put on the bench; carries its number.
    shortened
        Some heads alone of a layer are on the bench, for want of room or since others are no
        numbers; carries a sentence on it.
    """

    changed = Signal(object)
    shown = Signal(int)
    shortened = Signal(str)

    def __init__(self, bench: Bench, files: FileSession, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._files = bench, files
        self._opened: Opened | None = None
        self._layers: dict[Origin, int] = {}  # of what is open, by the origins of their scenes
        # The same by words, or with all tokens where it is by words.
        self._other: Opened | None = None
        self._layers_of_other: dict[Origin, int] = {}
        self._why_not_words = NOTHING_OPEN
        bench.history_changed.connect(self._on_history_changed)

    @property
    def opened(self) -> Opened | None:
        """What is open, with where it is from; None where nothing is."""
        return self._opened

    @property
    def capture(self) -> Capture | None:
        """What is open; None where nothing is."""
        return None if self._opened is None else self._opened.capture

    @property
    def model(self) -> "Model | None":
        """The model that was run; None where none was."""
        return None if self._opened is None else self._opened.model

    @property
    def is_by_words(self) -> bool:
        """Whether what is open is shown by words."""
        return self.capture is not None and self.capture.whole is not None

    @property
    def why_not_words(self) -> str:
        """Why what is open cannot be shown by words, a sentence; empty where it can."""
        return self._why_not_words

    def holds(self, opened: Opened) -> bool:
        """Say whether ``opened`` is what is open, by words or not."""
        return opened is self._opened or opened is self._other

    @property
    def layer(self) -> int | None:
        """The layer that is on the bench, whatever was done to it; None where another scene is."""
        return self._layers.get(self._files.origin)

    def open(self, opened: Opened, layer: int | None = None) -> bool:
        """Have ``opened`` in place of what is open, and a layer of it on the bench.

        The first unless ``layer`` is given. False, with all as it was, where the user would rather
        keep what is on the bench; where the bench cannot hold the layer it is open all the same.
        """
        number = opened.capture.layers[0].number if layer is None else layer
        try:
            origin = self._lay_out(opened.capture, number)
        except UserError as error:
            self._become(opened)
            self._note_file(opened)
            title = opened.capture.title
            self._files.failed.emit(f"{title} is open in Scorecard only: {error}")
            return True
        if origin is None:
            return False
        self._become(opened, number, origin)
        self._note_file(opened)
        return True

    def begin(self, opened: Opened, layer: int) -> None:
        """Have ``opened`` be what the scene on the bench is of: its ``layer``."""
        self._become(opened, layer, self._files.origin)

    def take_back(self, opened: Opened, layer: int, origin: Origin) -> None:
        """Have ``opened`` be open again; the scene of ``origin``, as it is, is its ``layer``.

        By words, where the scene is. Raises UserError where there is no such layer.
        """
        if origin.source is not None and origin.source.by_words:
            opened = other_way(opened)
        layer_of(opened.capture, layer)
        self._take(opened)
        self._note(layer, origin)
        self.changed.emit(opened.capture)
        self.shown.emit(layer)

    def recognise(self, origin: Origin) -> bool:
        """Say whether the scene of ``origin`` was made of what is open, and take it for that."""
        source, opened = origin.source, self._opened
        if source is None or opened is None or opened.source is None:
            return False
        is_other = source.by_words != self.is_by_words
        of_it = self._other if is_other else opened
        numbers = [layer.number for layer in opened.capture.layers]
        if of_it is None or of_it.source is None or source.layer not in numbers:
            return False
        if not source.is_as(of_it.source):
            return False
        if is_other:
            self._swap()
            self.changed.emit(self.capture)
        self._note(source.layer, origin)
        self.shown.emit(source.layer)
        return True

    def show(self, layer: int, head: int | None = None) -> bool:
        """Put ``layer`` on the bench, and the cursor at ``head`` of it, both from 0.

        A layer that is there already stays, with all that was done to it. False, with all as it
        was, where the user would rather keep what is there, or the bench cannot hold the layer.
        """
        if self._opened is None:
            return False
        is_there = head is None or self._bench.scene.has_head(head + 1)
        if self.layer != layer or not is_there:
            try:
                origin = self._lay_out(self._opened.capture, layer, head)
            except UserError as error:
                self._files.failed.emit(str(error))
                return False
            if origin is None:
                return False
            self._note(layer, origin)
            self._tell_of_left_out(self._opened.capture, layer)
        if head is not None:
            self._bench.point(head=head + 1)  # its uid, as `scene_of` gives it
        self.shown.emit(layer)
        return True

    def _lay_out(self, capture: Capture, number: int, head: int | None = None) -> Origin | None:
        """Put a layer on the bench; None where the user would rather keep what is there.

        Where there is no room for all of its heads, some with ``head`` among them. Raises
        UserError where the bench cannot hold it.
        """
        scene = scene_of(capture, number, heads_with_room(capture, number, head))
        origin = Origin(kept=scene)
        return origin if self._files.lay_out(scene, origin) else None

    def _note(self, layer: int, origin: Origin) -> None:
        """Note which layer the scene on the bench is; forget those that no undo brings back."""
        source = None if self._opened is None else self._opened.source
        origin.source = None if source is None else replace(source, layer=layer)
        known = {each for _, each in self._bench.history.states}
        layers = {**self._layers, origin: layer}
        self._layers = {each: number for each, number in layers.items() if each in known}
        others = self._layers_of_other
        self._layers_of_other = {each: others[each] for each in others if each in known}

    def _take(self, opened: Opened) -> None:
        """Have ``opened`` in place of what is open, without any layer on the bench."""
        self._opened, self._layers, self._layers_of_other = opened, {}, {}
        try:
            self._other, self._why_not_words = other_way(opened), ""
        except UserError as error:
            self._other, self._why_not_words = None, str(error)

    # --- by words

    def show_by_words(self, *, wanted: bool) -> bool:
        """Have all that is open by words or, unless that is ``wanted``, with all its tokens again.

        So is the layer that is on the bench. False, with all as it was, where the user would rather
        keep what is there, or there are no words.
        """
        other, number, origin = self._other, self.layer, None
        if other is None or wanted == self.is_by_words:
            return False
        if number is not None:
            try:
                origin = self._lay_out_alike(other.capture.layer(number), other.capture)
            except UserError as error:
                self._files.failed.emit(str(error))
            else:
                if origin is None:
                    return False
        self._swap()
        if number is not None and origin is not None:
            self._note(number, origin)
        self._tell_of_swap()
        return True

    def _lay_out_alike(self, layer: CapturedLayer, capture: Capture) -> Origin | None:
        """Put ``layer`` on the bench as `_lay_out` does, the cursor where it is in the text."""
        cursor = self._bench.view.cursor
        head = cursor.head - 1  # counted as `scene_of` does
        origin = self._lay_out(capture, layer.number, head if head < layer.n_heads else None)
        if origin is not None:
            assert self.capture is not None
            query, key = place_in(self.capture.layer(layer.number), layer, cursor.query, cursor.key)
            self._bench.point(query=query, key=key)
        return origin

    def _on_history_changed(self) -> None:
        """Follow an undo from words to tokens, or back."""
        if self._files.origin in self._layers_of_other:
            self._swap()
            self._tell_of_swap()

    def _swap(self) -> None:
        self._opened, self._other = self._other, self._opened
        self._layers, self._layers_of_other = self._layers_of_other, self._layers

    def _tell_of_swap(self) -> None:
        self.changed.emit(self.capture)
        if self.layer is not None:
            self.shown.emit(self.layer)

    def _become(
        self, opened: Opened, layer: int | None = None, origin: Origin | None = None
    ) -> None:
        self._take(opened)
        if layer is not None and origin is not None:
            self._note(layer, origin)
        self.changed.emit(opened.capture)
        if layer is not None:
            self.shown.emit(layer)
            self._tell_of_room(opened.capture, layer)

            self._tell_of_left_out(opened.capture, layer)

    def _note_file(self, opened: Opened) -> None:
        """Have the file among the recent ones, before anything is said of it."""
        if opened.path is not None:
            self._files.note(opened.path)

    def _tell_of_room(self, capture: Capture, layer: int) -> None:
        scene, n_heads = self._bench.scene, capture.layer(layer).n_heads
        n_with_room = len(run_with_room(capture, layer, scene.heads[0].uid - 1))
        if n_with_room < n_heads:
            self.shortened.emit(
                f"The bench has room for {n_with_room} of the {n_heads} heads of layer {layer} "
                f"at T = {scene.n_positions:,}: a click on another head in Scorecard brings it."
            )

    def _tell_of_left_out(self, capture: Capture, layer: int) -> None:
        """Say of which heads that there would be room for the weights are no numbers."""
        sentence = why_left_out(capture, layer, [head.uid - 1 for head in self._bench.scene.heads])
        if sentence:
            self.shortened.emit(sentence)


def other_way(opened: Opened) -> Opened:
    """Return ``opened`` by words; with all its tokens where it is by words.

    Raises UserError where it has no tokens, or each is a word.
    """
    capture = opened.capture
    source, is_merged = opened.source, capture.whole is None
    return replace(
        opened,
        capture=capture.whole or by_words(capture),
        source=None if source is None else replace(source, by_words=is_merged),
    )
