"""What the menus do to the head under the cursor."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from mhagui.document import Head
from mhagui.document.edits import DuplicateHead, RemoveHead, set_muted, set_soloed
from mhagui.gui.bench import Bench


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
            "mute_head": self._mute,
            "solo_head": self._solo,
        }

    def _duplicate(self) -> None:
        self._bench.edit(DuplicateHead(self._head().uid))

    def _remove(self) -> None:
        self._bench.edit(RemoveHead(self._head().uid))

    def _mute(self) -> None:
        head = self._head()
        self._bench.edit(set_muted(head.uid, not head.muted))

    def _solo(self) -> None:
        head = self._head()
        self._bench.edit(set_soloed(head.uid, not head.soloed))

    def _head(self) -> Head:
        return self._bench.scene.head(self._bench.view.cursor.head)
