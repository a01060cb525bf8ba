"""The bench: the one place where scene and view change, and from which all panels are fed."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from mhagui.document import History, Result, Scene, ViewState, compute
from mhagui.document.edits import Edit
from mhagui.errors import UserError

MOST_UNTOLD_WEIGHTS = 2**24  # about a second's work


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
    delayed
        The next frame takes seconds to compute, which begins when this has been told.
    """

    shown = Signal(object)
    history_changed = Signal()
    refused = Signal(str)
    delayed = Signal()

    def __init__(
        self,
        scene: Scene,
        parent: QObject | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self.history = History(scene, clock)
        self._frame = _frame(scene, None, ViewState.of(scene))
        self._view = self._frame.view
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._show)
        self._timer.start()

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
        """The frame of this moment, computed if it has to be."""
        if self._frame.scene is not self.scene:
            with self._told_of_delay():
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

    def undo(self) -> None:
        """Take back the last step."""
        self.history.undo()
        self._on_scene()

    def redo(self) -> None:
        """Do again what was undone last."""
        self.history.redo()
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
        self.blockSignals(True)

    def _on_scene(self) -> None:
        self._view = self._view.fitted(self.scene)
        self._ask_for_frame()
        self.history_changed.emit()

    def _ask_for_frame(self) -> None:
        """Have a frame shown, a new one even of the same scene: controls may be ahead of it."""
        self._frame = replace(self._frame)
        self._timer.start()

    @contextmanager
    def _told_of_delay(self) -> Iterator[None]:
        if _n_new_weights(self.scene, self._frame.scene) <= MOST_UNTOLD_WEIGHTS:
            yield
            return
        self.delayed.emit()
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            yield
        finally:
            QGuiApplication.restoreOverrideCursor()

    def _show(self) -> None:
        self.shown.emit(self.frame)


def _n_new_weights(scene: Scene, before: Scene) -> int:
    """Return how many weights have to be computed, those of layer 2 not counted."""
    known = set(map(id, before.heads)) if _of_all_heads(scene) == _of_all_heads(before) else set()
    return sum(id(head) not in known for head in scene.heads) * scene.n_positions**2


def _of_all_heads(scene: Scene) -> tuple[object, ...]:
    """Return what counts for every head's weights."""
    return id(scene.x), scene.master_gain, scene.d_k, scene.keep_margin


def _frame(scene: Scene, previous: Result | None, view: ViewState) -> Frame:
    begin = time.perf_counter()
    result = compute(scene, previous)
    return Frame(scene, result, view, time.perf_counter() - begin)
