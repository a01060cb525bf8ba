"""The bench: the one place where scene and view change, and from which all panels are fed."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from mhagui.document import History, Result, Scene, ViewState, compute, load_lesson
from mhagui.document.beginning import beginning
from mhagui.document.edits import Edit, OpenScene
from mhagui.document.effort import effort, moves_numbers_alone
from mhagui.document.history import Mark
from mhagui.document.origin import Origin
from mhagui.errors import UserError
from mhagui.files import Stamp
from mhagui.gui.held_input import HeldInput
from mhagui.gui.watch import Watch
from mhagui.gui.worker import Worker

INSTEAD = "four-heads"  # the lesson that is on the bench where what it began with is cancelled
MOST_AT_ONCE = 2**25  # multiplications and additions: some 8 ms, half of what a screen waits for
TOLD_AFTER = 300  # milliseconds
TOLD_EVERY = 100  # milliseconds


@dataclass(frozen=True, slots=True)
class Frame:
    """What every panel shows at one moment: scene, result, and how they are looked at.

    Attributes
    ----------
    scene
        What the result is of.
    result
        All that is computed of it.
    view
        How both are looked at.
    compute_seconds
        How long that took to compute.
    latest
        The scene on the bench, which controls show. While its result is being computed it is ahead
        of ``scene``: in gains, mute, solo and W_O alone; or, at a start with a long scene, in its
        length, for then ``scene`` is the beginning of it.
    """

    scene: Scene
    result: Result
    view: ViewState
    compute_seconds: float
    latest: Scene

    @property
    def is_behind(self) -> bool:
        """Whether the result of the scene on the bench is still to come."""
        return self.latest is not self.scene


class Computation:
    """A frame that is made in a thread of its own; its watch counts the heads that are done."""

    def __init__(self, mark: Mark, before: Frame, view: ViewState) -> None:
        self.mark = mark  # of the scene, to return to when it is shown
        self.scene = mark.scene
        self.moves_numbers_alone = moves_numbers_alone(self.scene, before.scene)
        self.watch = Watch()
        self._result, self._view = before.result, view

    def make(self) -> Frame:
        """Compute the frame; raises ``Dropped`` where nobody wants it any more."""
        return _frame(self.scene, self._result, self._view, self.watch)


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
        The next frame takes long to compute, in a thread of its own; carries how many heads of how
        many are computed.
    caught_up
        What took so long is done, or no longer wanted.
    """

    shown = Signal(object)
    history_changed = Signal()
    refused = Signal(str)
    failed = Signal(str)
    delayed = Signal(int, int)
    caught_up = Signal()

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
        self._view = (view or ViewState.of(scene)).fitted(scene)
        self._frame = _first_frame(scene, self._view)
        self._is_begun = self._frame.scene is scene  # with a scene that can be gone back to
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._show)
        self._timer.start()
        self._worker = Worker(self)
        self._computation: Computation | None = None  # what the worker is at
        self._mark_shown = self.history.mark  # of the frame
        self._waiting: Callable[[Frame], object] | None = None  # for a frame that is settled
        self._input = HeldInput(self)
        self._telling = QTimer(self)
        self._telling.timeout.connect(self._tell)

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
        if self._frame.scene is not self.scene and not self._takes_long:
            self._take(_frame(self.scene, self._frame.result, self._view))
        elif not self._is_as_looked_at and self._fits:
            self._frame = replace(self._frame, view=self._view, latest=self.scene)
        return self._frame

    def when_settled(self, do: Callable[[Frame], object]) -> None:
        """Call ``do`` with the frame of the scene as it is now: at once, or when it is computed.

        For what is made of its result and kept: an edit, or a file. Input is held back meanwhile.
        Of several that wait the last is called, and none where the computation is cancelled.
        """
        frame = self.frame
        if frame.scene is self.scene:
            do(frame)
            return
        self._waiting = do
        self._input.hold()
        self._timer.start()

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
        self._leave_computation()
        self.history.undo()
        self._on_scene()

    def redo(self) -> None:
        """Do again what was undone last."""
        self._leave_computation()
        self.history.redo()
        self._on_scene()

    def go_to(self, n_steps: int) -> None:
        """Undo or redo until ``n_steps`` are done."""
        self._leave_computation()
        self.history.go_to(n_steps)
        self._on_scene()

    def cancel(self) -> None:
        """Compute no longer what takes so long: go back to the scene that is shown."""
        self._waiting = None
        if self._computation is None:
            return
        self._drop_computation()
        if self._is_begun:
            self.history.return_to(self._mark_shown)
        else:  # there is nothing before it
            self.history = History(load_lesson(INSTEAD))
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
        cursor = replace(self._view.cursor, **{k: v for k, v in wanted.items() if v is not None})
        window = self._view.window
        if window is not None and (query is not None or key is not None):
            window = window.holding(cursor)  # what is shown follows
        self.look(cursor=cursor, window=window)

    def stop(self) -> None:
        """Show no more frames: the panels are about to go."""
        self._timer.stop()
        self._leave_computation()
        self._input.drop()
        self.blockSignals(True)

    def _leave_computation(self) -> None:
        """Want no frame of the scene on the bench any more, nor what was to be done with it."""
        self._drop_computation()
        self._waiting = None

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
        return effort(self.scene, self._frame.scene) > MOST_AT_ONCE

    @property
    def _is_as_looked_at(self) -> bool:
        return self._frame.latest is self.scene and self._frame.view is self._view

    @property
    def _fits(self) -> bool:
        """Whether what acts upon the frame's scene means the same to that on the bench."""
        shown = self._frame.scene
        return shown is self.scene or moves_numbers_alone(self.scene, shown)

    def _take(self, frame: Frame) -> None:
        self._frame, self._mark_shown, self._is_begun = frame, self.history.mark, True

    def _show(self) -> None:
        if self._frame.scene is not self.scene and self._takes_long:
            self._compute_aside()
            return
        self._drop_computation()
        frame, do, self._waiting = self.frame, self._waiting, None
        self.shown.emit(frame)
        self._input.let_go()
        if do is not None:
            do(frame)

    def _compute_aside(self) -> None:
        """Compute in a thread; where cells may come or go meanwhile, hold input back.

        Else what is being computed is shown as soon as it is there, although the hand is further,
        and the newest is computed next.
        """
        if self._fits:
            self.shown.emit(self.frame)  # controls are ahead
            if self._waiting is None:
                self._input.let_go()
        begun = self._computation
        if begun is not None:
            if begun.scene is self.scene or (begun.moves_numbers_alone and self._fits):
                return
            self._drop_computation()
        self._computation = Computation(self.history.mark, self._frame, self._view)
        if not self._fits:
            self._input.hold()
        if not self._telling.isActive():
            self._telling.start(TOLD_AFTER)
        self._worker.run(self._computation.make, self._on_computed, self._on_failed)

    def _tell(self) -> None:
        """Say how far the computation is that takes so long, and that input waits for it."""
        self._telling.setInterval(TOLD_EVERY)
        self._input.say_so()
        if self._computation is not None:
            n_heads_done = self._computation.watch.at or 0
            self.delayed.emit(n_heads_done, self._computation.scene.n_heads)

    def _drop_computation(self) -> None:
        """Want no more what is being computed, if anything is; nothing of it is shown."""
        if self._computation is not None:
            self._computation.watch.drop()
            self._computation = None
        self._worker.cancel()
        if self._telling.isActive():
            self._telling.stop()
            self.caught_up.emit()

    def _on_computed(self, frame: Frame) -> None:
        if self._computation is not None:
            self._mark_shown, self._is_begun = self._computation.mark, True
        self._computation = None
        self._frame = frame
        self._show()

    def _on_failed(self, _error: Exception) -> None:
        """Go back to what is shown: nobody may act upon a scene that cannot be."""
        self.cancel()
        self._input.let_go()


def _first_frame(scene: Scene, view: ViewState) -> Frame:
    """Return the frame to begin with: of the beginning of ``scene`` where all of it takes long."""
    short = beginning(scene)
    if short is scene or effort(scene, short) <= MOST_AT_ONCE:
        return _frame(scene, None, view)
    return replace(_frame(short, None, view.fitted(short)), latest=scene)


def _frame(
    scene: Scene,
    previous: Result | None,
    view: ViewState,
    step: Callable[[int], object] | None = None,
) -> Frame:
    begin = time.perf_counter()
    result = compute(scene, previous, step)
    return Frame(scene, result, view, time.perf_counter() - begin, scene)
