"""The bench: the one place where scene and view change, and from which all panels are fed."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from mhagui.document import History, Result, Scene, ViewState, compute
from mhagui.document.edits import Edit, OpenScene
from mhagui.document.origin import Origin
from mhagui.errors import UserError
from mhagui.files import Stamp
from mhagui.gui.held_input import HeldInput
from mhagui.gui.worker import Worker

MOST_UNTOLD_WEIGHTS = 2**23  # some tenths of a second's work


@dataclass(frozen=True, slots=True)
class Frame:
    """What every panel shows at one moment: scene, result, and how they are looked at."""

    scene: Scene
    result: Result
    view: ViewState
    compute_seconds: float


class Bench(QObject):
    """Takes edits and looks, and hands out frames, at most one per turn of the event loop.

    Signals
    -------
    shown
        A new ``Frame`` for all panels to draw.
    history_changed
        What can be undone or redone has changed.
    refused
        An edit could not be done; carries the sentence that says why.
    failed
        Something that belongs to the work could not be read or written; carries the sentence.
    delayed
        The next frame takes long to compute: in a thread of its own, with input held back.
    """

    shown = Signal(object)
    history_changed = Signal()
    refused = Signal(str)
    failed = Signal(str)
    delayed = Signal()

    def __init__(
        self,
        scene: Scene,
        parent: QObject | None = None,
        clock: Callable[[], float] = time.monotonic,
        origin: Origin | None = None,
        view: ViewState | None = None,
    ) -> None:
        super().__init__(parent)
        self.history = History(scene, clock, origin)
        self._frame = _frame(scene, None, (view or ViewState.of(scene)).fitted(scene))
        self._view = self._frame.view
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._show)
        self._timer.start()
        self._worker = Worker(self)
        self._awaited: Scene | None = None  # what the worker computes
        self._input = HeldInput(self)

    @property
    def scene(self) -> Scene:
        """The scene as it is now."""
        return self.history.scene

    @property
    def view(self) -> ViewState:
        """What is looked at now."""
        return self._view

    @property
    def frame(self) -> Frame:
        """The frame of this moment, computed if it has to be.

        Where that takes long, the one before is the frame until it is done.
        """
        if self._frame.scene is not self.scene:
            if not self._takes_long:
                self._frame = _frame(self.scene, self._frame.result, self._view)
        elif self._frame.view is not self._view:
            self._frame = replace(self._frame, view=self._view)
        return self._frame

    def edit(self, edit: Edit, gesture: object | None = None) -> bool:
        """Do ``edit``; edits of one ``gesture`` are one undo step.

        False, and ``refused`` with the reason, where it cannot be done; False alone where the
        ``gesture`` is over, because an undo, a redo or another edit came between.
        """
        try:
            done = self.history.do(edit, gesture)
        except UserError as error:
            self.refused.emit(str(error))
            self._ask_for_frame()
            return False
        self._on_scene()
        return done

    def open(
        self, scene: Scene, origin: Origin | None = None, view: ViewState | None = None
    ) -> None:
        """Put another scene on the bench, seen as in ``view``; an undo brings this one back."""
        self.history.do(OpenScene(scene), origin=origin or Origin(kept=scene))
        if view is not None:
            self._view = replace(view, appearance=self._view.appearance)
        self._on_scene()

    def keep(self, path: Path, stamp: Stamp | None) -> None:
        """Note that the scene stands in the file at ``path`` now."""
        self.history.keep(path, stamp)
        self._ask_for_frame()
        self.history_changed.emit()

    def undo(self) -> None:
        """Take back the last step."""
        self.history.undo()
        self._on_scene()

    def redo(self) -> None:
        """Do again what was undone last."""
        self.history.redo()
        self._on_scene()

    def go_to(self, n_steps: int) -> None:
        """Undo or redo until ``n_steps`` are done."""
        self.history.go_to(n_steps)
        self._on_scene()

    def look(self, **changes: Any) -> None:
        """Change fields of the view state; it is kept inside the scene."""
        view = replace(self._view, **changes).fitted(self.scene)
        if view != self._view:
            self._view = view
            self._timer.start()

    def point(
        self, *, head: int | None = None, query: int | None = None, key: int | None = None
    ) -> None:
        """Move the shared cursor: head by uid, query and key from 0; what is not given stays."""
        wanted = {"head": head, "query": query, "key": key}
        self.look(
            cursor=replace(self._view.cursor, **{k: v for k, v in wanted.items() if v is not None})
        )

    def stop(self) -> None:
        """Show no more frames: the panels are about to go."""
        self._timer.stop()
        self._worker.cancel()
        self._input.drop()
        self.blockSignals(True)

    def _on_scene(self) -> None:
        self._view = self._view.fitted(self.scene)
        self._ask_for_frame()
        self.history_changed.emit()

    def _ask_for_frame(self) -> None:
        """Have a frame shown, a new one even of the same scene: controls may be ahead of it."""
        self._frame = replace(self._frame)
        self._timer.start()

    @property
    def _takes_long(self) -> bool:
        return _n_new_weights(self.scene, self._frame.scene) > MOST_UNTOLD_WEIGHTS

    def _show(self) -> None:
        if self._frame.scene is not self.scene and self._takes_long:
            self._compute_aside()
            return
        self._awaited = None
        self._worker.cancel()
        self.shown.emit(self.frame)
        self._input.let_go()

    def _compute_aside(self) -> None:
        """Compute in a thread, so that meanwhile the window can be painted and closed."""
        if self._awaited is self.scene:
            return
        self._awaited = self.scene
        self._input.hold()
        self.delayed.emit()
        make = partial(_frame, self.scene, self._frame.result, self._view)
        self._worker.run(make, self._on_computed, self._on_failed)

    def _on_computed(self, frame: Frame) -> None:
        self._frame = frame
        self._show()

    def _on_failed(self, _error: Exception) -> None:
        self._awaited = None
        self._input.let_go()


def _n_new_weights(scene: Scene, before: Scene) -> int:
    """Return how many weights have to be computed at most."""
    known = set(map(id, before.heads)) if _of_all_heads(scene) == _of_all_heads(before) else set()
    new = {head.uid for head in scene.heads if id(head) not in known}
    if scene.w_o is not before.w_o or any(scene.head(uid).layer == 1 for uid in new):
        new |= {head.uid for head in scene.heads if head.layer > 1}  # which read X + O_1
    return len(new) * scene.n_positions**2


def _of_all_heads(scene: Scene) -> tuple[object, ...]:
    """Return what counts for every head's weights."""
    return id(scene.x), scene.master_gain, scene.d_k, scene.keep_margin


def _frame(scene: Scene, previous: Result | None, view: ViewState) -> Frame:
    begin = time.perf_counter()
    result = compute(scene, previous)
    return Frame(scene, result, view, time.perf_counter() - begin)
