"""Files that are dropped on a window, wherever on it."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from mhagui.gui.file_session import is_opened

WHAT_CAN = (
    "One thing at a time can be dropped here: a scene, a figure that holds one, a file of tensors "
    "(.npy, .npz, .safetensors, .pt, .json), or a model (.gguf, or its folder)."
)


class FileDrop(QObject):
    """Takes files that are dropped on what it watches, or on what is in it and takes no drops.

    Signals
    -------
    wanted
        A file or folder is to be opened; carries its path.
    refused
        Something else was dropped; carries the sentence that says what can be.
    """

    wanted = Signal(object)
    refused = Signal(str)

    def watch(self, target: QWidget) -> None:
        """Take what is dropped on ``target`` from now on."""
        target.setAcceptDrops(True)
        target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take files, which are opened once whoever they were dragged from is free again."""
        if not isinstance(event, QDropEvent) or not event.mimeData().hasUrls():
            return super().eventFilter(watched, event)
        if not event.possibleActions() & Qt.DropAction.CopyAction:
            return True  # never as moved: whoever had the file would delete it
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() == QEvent.Type.Drop:
            QTimer.singleShot(0, self, partial(self._take, _paths(event.mimeData())))
        return True

    def _take(self, paths: list[Path]) -> None:
        if len(paths) == 1 and is_opened(paths[0]):
            self.wanted.emit(paths[0])
        else:
            self.refused.emit(WHAT_CAN)


def _paths(data: QMimeData) -> list[Path]:
    """Return what is dropped; of what is no file an empty path."""
    return [Path(url.toLocalFile()) for url in data.urls()]
