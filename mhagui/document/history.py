"""Undo and redo over frozen scenes."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice
from operator import is_
from pathlib import Path
from typing import NamedTuple

from mhagui.document.changes import difference
from mhagui.document.edits import Edit
from mhagui.document.origin import Origin
from mhagui.document.scene import Scene
from mhagui.files import Stamp

BURST_SECONDS = 1.0
MAX_STEPS = 500
# 500 edits of a cell of the largest W_O would hold 2 GB. One step is at most a tenth of this.
MAX_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Step:
    """One undoable step: what it is called, and the scene and its origin on either side of it."""

    text: str
    before: Scene
    after: Scene
    origin_before: Origin
    origin: Origin
    merge_key: Hashable | None
    gesture: object | None
    at: float

    @cached_property
    def n_bytes(self) -> int:
        """The size of the arrays that came with this step, those of ``before`` left out."""
        shared = {id(array) for array in self.before.matrices()}
        fresh = {id(array): array.nbytes for array in self.after.matrices()}
        return sum(size for key, size in fresh.items() if key not in shared)

    @cached_property
    def words(self) -> str:
        """What it changed and to what, in a few words; what it is called where these do not do."""
        is_of_one_work = self.origin is self.origin_before
        return (is_of_one_work and difference(self.before, self.after)) or self.text


class Mark(NamedTuple):
    """Where a history stands: its scene, where that is kept, and the steps on either side of it."""

    scene: Scene
    origin: Origin
    done: tuple[Step, ...]
    undone: tuple[Step, ...]


class History:
    """The scene on the bench and the steps that led to it.

    A gesture (press to release of a slider, say) is any object; edits with the same merge key and
    the same gesture are one step. A gesture is over, and does no more, once an undo, a redo or
    another edit comes between: what it set out from is no more. Edits without a gesture (keys,
    wheel) are one step while less than a second lies between them. A step that ends where it began
    is as if it had never been: there is nothing to undo, and what could be redone before it still
    can.

    Work on a scene keeps its origin; an undo over the opening of another scene brings back the one
    before, and its origin with it.
    """

    def __init__(
        self,
        scene: Scene,
        clock: Callable[[], float] = time.monotonic,
        origin: Origin | None = None,
    ) -> None:
        self._scene = scene
        self._origin = origin or Origin(kept=scene)
        self._clock = clock
        self._done: list[Step] = []
        self._undone: list[Step] = []
        # What the last step made impossible to redo, while that step can still grow; else None.
        self._displaced: list[Step] | None = None
        self._gesture: object | None = None  # the one the last change is of
        self._over: object | None = None  # the last one that was interrupted: there is one pointer

    @property
    def scene(self) -> Scene:
        """The scene as it is now."""
        return self._scene

    @property
    def origin(self) -> Origin:
        """Where the scene is kept."""
        return self._origin

    @property
    def is_modified(self) -> bool:
        """Whether the scene is another than the one that is kept."""
        return self._scene != self._origin.kept

    @property
    def undo_text(self) -> str | None:
        """What an undo would take back; None when there is nothing."""
        return self._done[-1].text if self._done else None

    @property
    def redo_text(self) -> str | None:
        """What a redo would do again; None when there is nothing."""
        return self._undone[-1].text if self._undone else None

    @property
    def n_steps(self) -> int:
        """How many steps can be undone."""
        return len(self._done)

    @property
    def mark(self) -> Mark:
        """Where it stands, to return to."""
        return Mark(self._scene, self._origin, tuple(self._done), tuple(self._undone))

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps there are, in their order; of these the first ``n_steps`` are done."""
        return (*self._done, *reversed(self._undone))

    @property
    def states(self) -> list[tuple[Scene, Origin]]:
        """The scenes that undo and redo reach, in their order, each with where it is kept."""
        steps = self.steps
        first = (steps[0].before, steps[0].origin_before) if steps else (self._scene, self._origin)
        return [first, *((step.after, step.origin) for step in steps)]

    def do(self, edit: Edit, gesture: object | None = None, origin: Origin | None = None) -> bool:
        """Apply ``edit``; False, with nothing changed, where its ``gesture`` is over.

        ``origin`` is that of another scene which the edit opens. Raises UserError, with nothing
        changed, where it cannot be done.
        """
        if gesture is not None and gesture is self._over:
            return False
        after = edit.apply(self._scene)
        if after == self._scene and origin is None:
            return True
        if gesture is not self._gesture:
            self._interrupt()
            self._gesture = gesture
        origins = self._origin, origin or self._origin
        now = self._clock()
        step = Step(edit.text, self._scene, after, *origins, edit.merge_key, gesture, now)
        if self._displaced is not None and _is_one_step(self._done[-1], step):
            self._grow(replace(step, before=self._done.pop().before))
        else:
            self._displaced, self._undone = self._undone, []
            self._push(step)
        return True

    def undo(self) -> None:
        """Take back the last step; does nothing when there is none."""
        if self._done:
            step = self._done.pop()
            self._undone.append(step)
            self._scene, self._origin = step.before, step.origin_before
            self._displaced = None
            self._interrupt()

    def redo(self) -> None:
        """Do again what was undone last; does nothing when there is none."""
        if self._undone:
            step = self._undone.pop()
            self._done.append(step)
            self._scene, self._origin = step.after, step.origin
            self._interrupt()

    def keep(self, path: Path, stamp: Stamp | None) -> None:
        """Note that the scene stands in the file at ``path`` now; an undo can come back to here."""
        origin = self._origin
        origin.path, origin.kept, origin.stamp = path, self._scene, stamp
        origin.is_practice = False
        self._displaced = None

    def go_to(self, n_steps: int) -> None:
        """Undo or redo until ``n_steps`` are done, or as many as there are."""
        while self._done and self.n_steps > n_steps:
            self.undo()
        while self._undone and self.n_steps < n_steps:
            self.redo()

    def return_to(self, mark: Mark) -> None:
        """Stand again as at ``mark``.

        What was merely done since then is undone; where steps have grown or others are in their
        place, all of it is no more.
        """
        n_steps = len(mark.done)
        if n_steps <= self.n_steps and all(map(is_, self._done, mark.done)):
            self.go_to(n_steps)
            return
        self._interrupt()
        self._scene, self._origin = mark.scene, mark.origin
        self._done, self._undone, self._displaced = [*mark.done], [*mark.undone], None

    def _interrupt(self) -> None:
        if self._gesture is not None:
            self._over, self._gesture = self._gesture, None

    def _push(self, step: Step) -> None:
        self._done.append(step)
        self._scene, self._origin = step.after, step.origin
        sizes = accumulate(step.n_bytes for step in reversed(self._done))
        n_kept = sum(size <= MAX_BYTES for size in islice(sizes, MAX_STEPS))
        del self._done[:-n_kept]

    def _grow(self, step: Step) -> None:
        if step.before != step.after:
            self._push(step)
        else:
            self._undone, self._displaced = self._displaced or [], None
            self._scene = step.before


def _is_one_step(last: Step, new: Step) -> bool:
    if new.merge_key is None or new.merge_key != last.merge_key or last.gesture is not new.gesture:
        return False
    return new.gesture is not None or new.at - last.at < BURST_SECONDS
