"""Unsaved work, kept aside while it is worked on, and offered again after an end without saving."""

import shutil
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from mhagui.document import Scene
from mhagui.document.session import Session
from mhagui.document.session_file import read_session, session_to_bytes
from mhagui.errors import UserError
from mhagui.files import make_folder, stamp, write_atomically
from mhagui.gui.file_lock import lock_at
from mhagui.gui.notices import NoticeBar
from mhagui.gui.worker import Worker

KEEP_EVERY = 30.0  # seconds
PATIENCE = 1.0  # seconds, for a write under way when the window closes
FILE_NAME = "unsaved.mhascene"


class Document(Protocol):
    """What recovery has to know of the work."""

    @property
    def changed(self) -> SignalInstance:
        """Whether there is anything to save, or which file it belongs to, is another now."""

    @property
    def is_modified(self) -> bool:
        """Whether there is anything to save."""

    def session(self) -> Session:
        """Return the work, and the file it belongs to."""


class _Place:
    """Where the unsaved work of one window is: a folder, and a lock beside it for all that lives.

    The folder has nothing but the work, and what a write left that was killed. Writing is done in
    threads; what is wanted there last is what ends up there, whoever comes late.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder / name
        self._lock = lock_at(folder / f"{name}.lock")
        self._wanted: Session | None = None
        self._guard = threading.Lock()

    @property
    def file(self) -> Path:
        return self._folder / FILE_NAME

    def acquire(self) -> bool:
        """Take the lock; False where its window lives, and where none can be had."""
        return self._lock.tryLock(0)

    def want(self, session: Session) -> Callable[[], str]:
        """Return what writes ``session``, unless something else is wanted by then."""
        self._wanted = session
        return partial(self._write, session)

    def _write(self, session: Session) -> str:
        """Write to the disk; return why not, in a sentence, or nothing."""
        data = session_to_bytes(session)
        with self._guard:
            if self._wanted is not session:
                return ""
            try:
                self._write_locked(data)
            except UserError as error:
                return f"Unsaved work cannot be kept aside: {error}"
        self._tidy()  # nothing may be wanted any more, and nobody had the time to wait for this
        return ""

    def _write_locked(self, data: bytes) -> None:
        make_folder(self._folder.parent)
        if not (self._lock.isLocked() or self.acquire()):
            raise UserError(f"No lock can be made in {self._folder.parent}.")
        make_folder(self._folder)
        write_atomically(self.file, data)

    def clear(self, patience: float = 0.05) -> bool:
        """Remove the work; False where that is left to a write under way."""
        self._wanted = None
        return self._tidy(patience)

    def _tidy(self, patience: float = 0.05) -> bool:
        if not self._guard.acquire(timeout=patience):
            return False
        if self._wanted is None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._guard.release()
        return True

    def release(self) -> None:
        """Let another window have what is there."""
        self._lock.unlock()


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Work that a window left which is no more."""

    session: Session
    kept_at: datetime
    place: _Place


class Recovery(QObject):
    """Keeps the unsaved work of one window aside, in ``folder``, and finds what others left there.

    Signals
    -------
    said
        Work could not be kept, or what was kept cannot be read; carries a sentence.
    """

    said = Signal(str)

    def __init__(self, folder: Path, parent: QObject, keep_every: float = KEEP_EVERY) -> None:
        super().__init__(parent)
        self._folder = folder
        self._place = _Place(folder, uuid.uuid4().hex)
        self._found: list[Found] = []
        self._document: Document | None = None
        self._kept: Scene | None = None  # what is on the disk, or on its way
        self._complaint = ""
        self._worker = Worker(self)
        self._timer = QTimer(self)
        self._timer.setInterval(round(1000 * keep_every))
        self._timer.timeout.connect(self._on_time)

    def begin(self, document: Document) -> None:
        """Keep what is unsaved of ``document`` from now on."""
        self._document = document
        document.changed.connect(self._on_changed)
        self._timer.start()

    def keep_now(self) -> bool:
        """Keep what is unsaved before this returns; False where that cannot be."""
        if self._document is None or not self._document.is_modified:
            return True
        self._worker.cancel()
        session = self._document.session()
        complaint = self._place.want(session)()
        self._kept = session.scene
        self._on_written(complaint)
        return not complaint

    def end(self) -> None:
        """Leave nothing behind, for all is saved or discarded; what was found stays as it is."""
        self._document = None
        self._timer.stop()
        self._worker.cancel()
        if self._place.clear(PATIENCE):
            self._place.release()
        for found in self._found:
            found.place.release()
        self._found = []

    # --- what is kept

    def _on_time(self) -> None:
        """Keep what has changed, in a thread."""
        if self._document is None or not self._document.is_modified:
            return
        session = self._document.session()
        if session.scene is not self._kept:
            self._kept = session.scene
            self._worker.run(self._place.want(session), self._on_written, self._on_failed)

    def _on_changed(self) -> None:
        if self._document is not None and not self._document.is_modified:
            self._worker.cancel()
            self._place.clear()
            self._kept = None

    def _on_written(self, complaint: str) -> None:
        """Say once why work cannot be kept, and try again the next time."""
        if complaint:
            self._kept = None
            if complaint != self._complaint:
                self.said.emit(complaint)
        self._complaint = complaint

    def _on_failed(self, _error: Exception) -> None:
        """Try again: the worker has told of the fault."""
        self._kept = None

    # --- what is found

    def found(self) -> list[Found]:
        """Return what windows left that are no more, the newest first.

        It is this window's until ``end``: no other finds it. What cannot be read is put aside.
        """
        paths = [path for path in self._folder.glob("*") if _is_of_window(path)]
        names = {path.name.removesuffix(".lock") for path in paths}
        for place in (_Place(self._folder, name) for name in sorted(names)):
            if place.acquire():
                self._look_into(place)
        self._found.sort(key=attrgetter("kept_at"), reverse=True)
        return list(self._found)

    def take(self, found: Found) -> None:
        """Forget what was found, once it is this window's own unsaved work, and kept as such."""
        if self.keep_now():
            self.discard(found)

    def discard(self, found: Found) -> None:
        """Forget what was found."""
        self._found.remove(found)
        found.place.clear()
        found.place.release()

    def _look_into(self, place: _Place) -> None:
        """Remember what is there, or let the place go."""
        state = stamp(place.file)
        if state is None:  # the window ended before it kept anything
            place.clear()
            place.release()
            return
        try:
            session = read_session(place.file)
        except UserError as error:
            self._put_aside(place, error)
            place.release()
        else:
            kept_at = datetime.fromtimestamp(state.modified_ns / 1e9).astimezone()
            self._found.append(Found(session, kept_at, place))

    def _put_aside(self, place: _Place, error: UserError) -> None:
        aside = self._folder / f"{place.file.parent.name}.bad"
        try:
            place.file.replace(aside)
        except OSError:
            aside = place.file
        else:
            place.clear()
        self.said.emit(f"Unsaved work was kept, but cannot be read from {aside}: {error}")


class RecoveryOffer(QObject):
    """Offers what was found; what is not answered is offered at the next start again.

    ``recover`` puts a session on the bench as work to be saved; it returns False where the user
    would rather keep what is there.
    """

    def __init__(
        self, recovery: Recovery, notices: NoticeBar, recover: Callable[[Session], bool]
    ) -> None:
        super().__init__(recovery)
        self._recovery, self._notices, self._recover = recovery, notices, recover

    def make(self) -> None:
        """Offer each work that is found, in a notice of its own."""
        works = self._recovery.found()
        for number, found in enumerate(works, 1):
            of_all = f" ({number} of {len(works)})" if len(works) > 1 else ""
            actions = (
                ("&Recover", partial(self._on_recover, found)),
                ("D&iscard", partial(self._recovery.discard, found)),
            )
            self._notices.tell(f"{_sentence(found)}{of_all}.", _details(found), actions)

    def _on_recover(self, found: Found) -> None:
        if self._recover(found.session):
            self._recovery.take(found)


def _is_of_window(path: Path) -> bool:
    return path.suffix == ".lock" or path.is_dir()


def _sentence(found: Found) -> str:
    at, title = found.kept_at, found.session.scene.title
    day = "" if at.date() == datetime.now().astimezone().date() else f"on {at:%Y-%m-%d} "
    return f"mhagui ended unexpectedly; unsaved work on “{title}” was kept {day}at {at:%H:%M}"


def _details(found: Found) -> str:
    scene = found.session.scene
    return (
        f"Title: {scene.title}\n"
        f"Sizes: T = {scene.n_positions}, H = {scene.n_heads}, d_k = {scene.d_k}, "
        f"d_v = {scene.d_v}, d_model = {scene.d_model}\n"
        f"File: {found.session.path or 'never saved'}\n"
        f"Kept: {found.kept_at:%Y-%m-%d %H:%M:%S}, in {found.place.file}"
    )
