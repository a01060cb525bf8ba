"""Unsaved work, kept aside while it is worked on, and offered again after an end without saving."""

import re
import shutil
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from mhagui.document import Scene
from mhagui.document.origin import Origin
from mhagui.document.session import Session
from mhagui.document.session_file import read_session, session_to_bytes
from mhagui.errors import UserError
from mhagui.files import make_folder, reason, write_atomically
from mhagui.gui import questions
from mhagui.gui.file_session import FileSession
from mhagui.gui.notices import NoticeBar
from mhagui.gui.worker import Worker
from mhagui.locks import Lock

KEEP_EVERY = 30.0  # seconds
PATIENCE = 0.5  # seconds, for a write under way when the window closes
USUAL_PATIENCE = 0.05
_NAME = re.compile(r"[0-9a-f]{32}(\.lock)?")
FILE_NAME = "unsaved.mhascene"


class _Place:
    """Where one unsaved work is: a folder, and a lock beside it as long as its window lives.

    The folder has nothing but the work, and what a write left that was killed. Writing is done in
    threads; what is wanted there last is what ends up there, whoever comes late.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder / name
        self._lock = Lock(folder / f"{name}.lock")
        self.kept: Scene | None = None  # what is on the disk, or on its way
        self._wanted: Session | None = None
        self._guard = threading.Lock()

    @property
    def file(self) -> Path:
        return self._folder / FILE_NAME

    def acquire(self) -> bool:
        """Take the lock; False where its window lives, and where none can be had."""
        try:
            return self._lock.acquire()
        except OSError:
            return False

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
        # Nothing may be wanted any more, and nobody had the time to wait for this.
        self._tidy(USUAL_PATIENCE)
        return ""

    def _write_locked(self, data: bytes) -> None:
        make_folder(self._folder.parent)
        try:
            self._lock.acquire()  # nobody else knows of it
        except OSError as error:
            why = f"{self._folder.parent} takes no lock: {reason(error)}."
            raise UserError(why) from error
        make_folder(self._folder)
        write_atomically(self.file, data)

    def clear(self, patience: float = USUAL_PATIENCE) -> None:
        """Remove the work, and let the place go; a write under way does so at its end."""
        self._wanted = self.kept = None
        self._tidy(patience)

    def _tidy(self, patience: float) -> None:
        if not self._guard.acquire(timeout=patience):
            return
        if self._wanted is None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._lock.release()
        self._guard.release()

    def release(self) -> None:
        """Let another window have what is there."""
        self._lock.release()


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Work that a window left which is no more."""

    session: Session
    kept_at: datetime
    place: _Place


class Recovery(QObject):
    """Keeps the unsaved work of one window aside, in ``folder``, and finds what others left there.

    An undo may leave a work for the scene before it, which has another origin. Such a work stays
    kept until it is saved or discarded, though that be after the next start.

    Signals
    -------
    said
        Work could not be kept, or what was kept cannot be read; carries a sentence.
    """

    said = Signal(str)

    def __init__(self, folder: Path, parent: QObject, keep_every: float = KEEP_EVERY) -> None:
        super().__init__(parent)
        self._folder = folder
        self._places: dict[Origin, _Place] = {}
        self._found: list[Found] = []
        self._files: FileSession | None = None
        self._complaint = ""
        self._worker = Worker(self)
        self._timer = QTimer(self)
        self._timer.setInterval(round(1000 * keep_every))
        self._timer.timeout.connect(self._on_time)

    def begin(self, files: FileSession) -> None:
        """Keep what is unsaved of the work of ``files`` from now on."""
        self._files = files
        files.changed.connect(self._on_changed)
        files.discarded.connect(self._forget)
        self._timer.start()

    def keep_now(self) -> bool:
        """Keep what is unsaved before this returns; False where that cannot be."""
        if self._files is None or not self._files.is_modified:
            return True
        self._worker.cancel()
        place, session = self._place_of(self._files.origin), self._files.session()
        place.kept = session.scene
        complaint = place.want(session)()
        self._on_written(place, complaint)
        return not complaint

    def end(self) -> None:
        """Leave nothing of the work on the bench, which is saved or discarded by now.

        What was found stays as it is, and so does work that an undo has left.
        """
        if self._files is not None:
            self._forget(self._files.origin, PATIENCE)
        self._files = None
        self._timer.stop()
        self._worker.cancel()
        for place in (*self._places.values(), *(found.place for found in self._found)):
            place.release()
        self._places, self._found = {}, []

    # --- what is kept

    def _place_of(self, origin: Origin) -> _Place:
        if origin not in self._places:
            self._places[origin] = _Place(self._folder, uuid.uuid4().hex)
        return self._places[origin]

    def _on_time(self) -> None:
        """Keep what has changed, in a thread."""
        if self._files is None or not self._files.is_modified:
            return
        place, session = self._place_of(self._files.origin), self._files.session()
        if session.scene is not place.kept:
            place.kept = session.scene
            write, done = place.want(session), partial(self._on_written, place)
            self._worker.run(write, done, partial(self._on_failed, place))

    def _on_changed(self) -> None:
        if self._files is not None and not self._files.is_modified:
            self._forget(self._files.origin)

    def _forget(self, origin: Origin, patience: float = USUAL_PATIENCE) -> None:
        place = self._places.pop(origin, None)
        if place is not None:
            self._worker.cancel()
            place.clear(patience)

    def _on_written(self, place: _Place, complaint: str) -> None:
        """Say once why work cannot be kept, and try again the next time."""
        if complaint:
            place.kept = None
            if complaint != self._complaint:
                self.said.emit(complaint)
        self._complaint = complaint

    def _on_failed(self, place: _Place, _error: Exception) -> None:
        """Try again: the worker has told of the fault."""
        place.kept = None

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
        """Have what was found be what is kept of the work on the bench."""
        if self._files is not None:
            self._found.remove(found)
            found.place.kept = found.session.scene
            self._places[self._files.origin] = found.place

    def discard(self, found: Found) -> None:
        """Forget what was found."""
        self._found.remove(found)
        found.place.clear()

    def _look_into(self, place: _Place) -> None:
        """Remember what is there, or let the place go."""
        try:
            modified = place.file.stat().st_mtime
        except FileNotFoundError:  # the window ended before it kept anything
            place.clear()
            return
        except OSError:  # perhaps the next start has more luck
            place.release()
            return
        try:
            session = read_session(place.file)
        except UserError as error:
            self._put_aside(place, error)
            place.release()
        except MemoryError:
            place.release()
        else:
            # A clock may have been anywhere: times that no calendar has are taken for now.
            seconds = modified if 0 <= modified <= time.time() else time.time()
            kept_at = datetime.fromtimestamp(seconds).astimezone()
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
        for number, found in reversed([*enumerate(works, 1)]):  # the last told is shown first
            self._tell(found, f" ({number} of {len(works)})" if len(works) > 1 else "")

    def _tell(self, found: Found, of_all: str) -> None:
        actions = (
            ("&Recover", partial(self._on_recover, found, of_all)),
            ("D&iscard", partial(self._on_discard, found, of_all)),
        )
        self._notices.tell(f"{_sentence(found)}{of_all}.", _details(found), actions, is_urgent=True)

    def _on_recover(self, found: Found, of_all: str) -> None:
        if self._recover(found.session):
            self._recovery.take(found)
        else:
            self._tell(found, of_all)

    def _on_discard(self, found: Found, of_all: str) -> None:
        if questions.ask_to_forget(self._notices, _name(found)):
            self._recovery.discard(found)
        else:
            self._tell(found, of_all)


def _is_of_window(path: Path) -> bool:
    """Say whether a lock or a folder was made here: others may have put what they like beside."""
    return _NAME.fullmatch(path.name) is not None


def _name(found: Found) -> str:
    """Return what the title of the window said: the file's name, or else the scene's."""
    path = found.session.path
    return Path(path).name if path is not None else found.session.scene.title


def _sentence(found: Found) -> str:
    at = found.kept_at
    day = "" if at.date() == datetime.now().astimezone().date() else f"on {at:%Y-%m-%d} "
    what = f"unsaved work on “{_name(found)}”"
    return f"mhagui ended unexpectedly; {what} was kept {day}at {at:%H:%M}"


def _details(found: Found) -> str:
    scene = found.session.scene
    return (
        f"Title: {scene.title}\n"
        f"Sizes: {scene.lengths}, H = {scene.n_heads}, d_k = {scene.d_k}, "
        f"d_v = {scene.d_v}, d_model = {scene.d_model}\n"
        f"File: {found.session.path or 'never saved'}\n"
        f"Kept: {found.kept_at:%Y-%m-%d %H:%M:%S}, in {found.place.file}"
    )
