"""What the menus do to heads: to the one under the cursor, and a new one."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from mhagui.document import Head, Pattern
from mhagui.document.edits import (
    AddHead,
    DuplicateHead,
    MoveHead,
    RemoveHead,
    set_muted,
    set_soloed,
    why_given_alone,
)
from mhagui.document.scene import MAX_HEADS
from mhagui.gui.actions import with_mnemonics
from mhagui.gui.bench import Bench, Frame


class HeadCommands(QObject):
    """Edits of the cursor's head."""

    def __init__(self, bench: Bench, parent: QObject) -> None:
        super().__init__(parent)
        self._bench = bench

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what each action of heads does, by its key."""
        return {
            "duplicate_head": self._duplicate,
            "remove_head": self._remove,
            "move_head_up": partial(self._move, -1),
            "move_head_down": partial(self._move, 1),
            "mute_head": self._mute,
            "solo_head": self._solo,
        }

    def show_frame(self, frame: Frame, actions: Mapping[str, QAction]) -> None:
        """Mark what holds for the cursor's head, and grey where it cannot move."""
        head = frame.latest.head(frame.view.cursor.head)
        place = frame.scene.index_of(head.uid)
        actions["mute_head"].setChecked(head.muted)
        actions["solo_head"].setChecked(head.soloed)
        actions["move_head_up"].setEnabled(place > 0)
        actions["move_head_down"].setEnabled(place < frame.scene.n_heads - 1)

    def _duplicate(self) -> None:
        self._bench.edit(DuplicateHead(self._head().uid))

    def _remove(self) -> None:
        self._bench.edit(RemoveHead(self._head().uid))

    def _move(self, step: int) -> None:
        uid = self._head().uid
        self._bench.edit(MoveHead(uid, self._bench.scene.index_of(uid) + step))

    def _mute(self) -> None:
        head = self._head()
        self._bench.edit(set_muted(head.uid, not head.muted))

    def _solo(self) -> None:
        head = self._head()
        self._bench.edit(set_soloed(head.uid, not head.soloed))

    def _head(self) -> Head:
        return self._bench.scene.head(self._bench.view.cursor.head)


class AddHeadMenu(QMenu):
    """Adds a head of one of the designed patterns, and moves the cursor to it."""

    def __init__(self, bench: Bench, parent: QWidget) -> None:
        super().__init__("&Add head", parent)
        self._bench = bench
        patterns = [pattern for pattern in Pattern if pattern.is_designed]
        titles = with_mnemonics(pattern.value for pattern in patterns)
        for pattern, title in zip(patterns, titles, strict=True):
            action = self.addAction(title, partial(self._add, pattern))
            action.setStatusTip(f"Add a head after the last, designed for: {pattern.value}")

    def show_frame(self, frame: Frame) -> None:
        """Be grey where there is no room for another head."""
        is_possible = frame.scene.n_heads < MAX_HEADS and not why_given_alone(frame.scene)
        self.menuAction().setEnabled(is_possible)

    def _add(self, pattern: Pattern) -> None:
        if self._bench.edit(AddHead(pattern)):
            self._bench.point(head=self._bench.scene.heads[-1].uid)
