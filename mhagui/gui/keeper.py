"""What a window keeps for the next: preferences, unsaved work, and which file it has open."""

from PySide6.QtCore import QObject

from mhagui.gui.file_lock import FileLock
from mhagui.gui.file_session import FileSession
from mhagui.gui.notices import NoticeBar
from mhagui.gui.recovery import Recovery, RecoveryOffer
from mhagui.home import Home
from mhagui.settings import FILE_NAME, Preferences, SettingsStore


class Keeper(QObject):
    """Keeps in ``home`` what outlives a window; without one, nothing."""

    def __init__(
        self, home: Home | None, files: FileSession, notices: NoticeBar, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._files, self._notices = files, notices
        self._recovery: Recovery | None = None
        self._lock: FileLock | None = None
        store = None
        if home is not None:
            store = SettingsStore(home.config / FILE_NAME)
            self._recovery = Recovery(home.state / "recovery", self)
            self._recovery.said.connect(notices.tell)
            self._lock = FileLock(home.state / "open")
            files.changed.connect(self._follow_file)
        self.preferences = Preferences(store, notices.tell)

    def begin(self) -> None:
        """Offer what earlier windows left, and keep what is unsaved from now on."""
        if self._recovery is not None:
            self._recovery.begin(self._files)
            RecoveryOffer(self._recovery, self._notices, self._files.recover).make()
            self._follow_file()

    def keep_now(self) -> None:
        """Keep what is unsaved: the end may come without a question."""
        if self._recovery is not None:
            self._recovery.keep_now()

    def end(self) -> None:
        """Leave nothing behind: all is saved or discarded."""
        if self._recovery is not None:
            self._recovery.end()
        if self._lock is not None:
            self._lock.release()

    def _follow_file(self) -> None:
        """Tell where another window has the same file open."""
        sentence = self._lock.follow(self._files.state.path) if self._lock is not None else ""
        if sentence:
            self._notices.tell(sentence)
