"""What the user should know of files, told in the notice bar for as long as it holds."""

from pathlib import Path

from PySide6.QtCore import QObject

from mhagui.files import Stamp, stamp
from mhagui.gui.file_session import FileSession
from mhagui.gui.notices import Action, NoticeBar


class FileNotices(QObject):
    """Tells what could not be read or written, and that another program has changed the file."""

    def __init__(self, files: FileSession, notices: NoticeBar, parent: QObject) -> None:
        super().__init__(parent)
        self._files, self._notices = files, notices
        self._told: list[str] = []
        self._path = files.state.path
        self._known: tuple[Path, Stamp | None] | None = None  # the state that was told of last
        files.failed.connect(self._tell)
        files.used.connect(self._take_back)
        files.changed.connect(self._on_changed)

    def check(self) -> None:
        """Tell of the file that is changed elsewhere, or gone, once for each change."""
        path = self._files.state.path
        if path is None:
            return
        now = path, stamp(path)
        if now == self._known:
            return
        if self._files.is_gone:
            save = ("&Save it again", self._files.save)
            self._tell(f"“{path.name}” is no more on the disk.", save)
        elif not self._files.is_changed_elsewhere:
            return
        elif self._files.is_modified:
            self._tell(f"“{path.name}” has been changed by another program; saving asks first.")
        else:
            self._tell(
                f"“{path.name}” has been changed by another program.",
                ("&Reload", self._files.revert),
            )
        self._known = now

    def _tell(self, sentence: str, *actions: Action) -> None:
        self._notices.withdraw(sentence)
        self._told.append(sentence)
        self._notices.tell(sentence, actions=actions, is_urgent=True)

    def _take_back(self) -> None:
        """Have what was told answered: a file was read or written, or it was another one's."""
        for sentence in self._told:
            self._notices.withdraw(sentence)
        self._told = []

    def _on_changed(self) -> None:
        if self._files.state.path != self._path:
            self._path = self._files.state.path
            self._take_back()
