"""The file or model that is open beside the bench, and the way from it to the bench."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from mhagui.document.capture import Capture
from mhagui.document.captured_scene import heads_with_room, scene_of
from mhagui.document.origin import Origin
from mhagui.errors import UserError
from mhagui.gui.bench import Bench
from mhagui.gui.file_session import FileSession

if TYPE_CHECKING:  # only who opens a model needs what reads it
    from mhagui.models import Model


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
    """

    capture: Capture
    path: Path | None = None
    model: "Model | None" = None
    prompt: str = ""


class CaptureSession(QObject):
    """Owns the capture of one window, from which layers come to the bench.

    It stays open whatever is on the bench, until another takes its place.

    Signals
    -------
    changed
        Another capture is open; carries it.
    shown
        A layer was put on the bench; carries its number.
    shortened
        The bench has room for some heads alone of what was opened; carries a sentence on it.
    """

    changed = Signal(object)
    shown = Signal(int)
    shortened = Signal(str)

    def __init__(self, bench: Bench, files: FileSession, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._files = bench, files
        self._opened: Opened | None = None
        self._layers: dict[Origin, int] = {}  # of what is open, by the origins of their scenes

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
            self._files.failed.emit(str(error))
            return True
        if origin is None:
            return False
        self._become(opened, number, origin)
        return True

    def begin(self, opened: Opened, layer: int) -> None:
        """Have ``opened`` be what the scene on the bench is of: its ``layer``."""
        self._become(opened, layer, self._files.origin)

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
                origin = self._lay_out(self._opened.capture, layer, head or 0)
            except UserError as error:
                self._files.failed.emit(str(error))
                return False
            if origin is None:
                return False
            self._note(layer, origin)
        if head is not None:
            self._bench.point(head=head + 1)  # its uid, as `scene_of` gives it
        self.shown.emit(layer)
        return True

    def _lay_out(self, capture: Capture, number: int, head: int = 0) -> Origin | None:
        """Put a layer on the bench; None where the user would rather keep what is there.

        Where there is no room for all of its heads, some with ``head`` among them. Raises
        UserError where the bench cannot hold it.
        """
        scene = scene_of(capture, number, heads_with_room(capture, number, head))
        origin = Origin(kept=scene)
        return origin if self._files.lay_out(scene, origin) else None

    def _note(self, layer: int, origin: Origin) -> None:
        """Note which layer the scene on the bench is; forget those that no undo brings back."""
        known = {each for _, each in self._bench.history.states}
        layers = {**self._layers, origin: layer}
        self._layers = {each: number for each, number in layers.items() if each in known}

    def _become(
        self, opened: Opened, layer: int | None = None, origin: Origin | None = None
    ) -> None:
        self._opened, self._layers = opened, {}
        if layer is not None and origin is not None:
            self._note(layer, origin)
        self.changed.emit(opened.capture)
        if layer is not None:
            self.shown.emit(layer)
            self._tell_of_room(opened.capture, layer)

    def _tell_of_room(self, capture: Capture, layer: int) -> None:
        scene, n_heads = self._bench.scene, capture.layer(layer).n_heads
        if scene.n_heads < n_heads:
            self.shortened.emit(
                f"The bench has room for {scene.n_heads} of the {n_heads} heads of layer {layer} "
                f"at T = {scene.n_positions:,}: a click on another head in Scorecard brings it."
            )
