"""The files that were opened or saved last."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget


class RecentMenu(QMenu):
    """Lists files, the newest first.

    Signals
    -------
    wanted
        One of them is to be opened; carries its path.
    cleared
        The list is to be forgotten.
    """

    wanted = Signal(object)
    cleared = Signal()

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.setToolTipsVisible(True)
        self.show_files(())

    def show_files(self, paths: Iterable[Path]) -> None:
        """List ``paths``; where there are none the menu is grey."""
        self.clear()
        for number, path in enumerate(paths, 1):
            name = path.name.replace("&", "&&")
            action = self.addAction(f"&{number % 10} {name}", partial(self.wanted.emit, path))
            action.setToolTip(str(path))
            action.setStatusTip(f"Open {path}")
        self.setEnabled(not self.isEmpty())
        if not self.isEmpty():
            self.addSeparator()
            clear = self.addAction("&Clear this list", self.cleared.emit)
            clear.setStatusTip("Forget which files were opened and saved; the files stay")
            clear.setToolTip(clear.statusTip())
