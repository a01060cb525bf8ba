"""Where progress with the exercises is kept from one start to the next."""

from pathlib import Path

from mhagui.document.progress import Progress
from mhagui.document.progress_file import progress_from_json, progress_to_json
from mhagui.errors import UserError
from mhagui.files import make_folder, write_atomically
from mhagui.kept_files import put_aside, read_kept

FILE_NAME = "progress.json"
MAX_FILE_BYTES = 64 * 2**20


class ProgressStore:
    """Keeps progress in one file, which several windows may share.

    A disk that fails is said, and stops nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._may_write = True
        self._known = Progress()  # what this store itself has read or written last

    def load(self) -> Progress:
        """Return what is kept, or the beginning where there is nothing.

        Raises
        ------
        UserError
            When what is there cannot be read; it is put aside, so that it is not written over.
        """
        try:
            self._known = self._read()
        except OSError as error:
            self._may_write = False  # what is there may be good
            raise UserError(
                f"Progress in {self.path} cannot be read, and is not kept: {error.strerror}."
            ) from error
        except UserError as error:
            aside = self._put_aside()
            raise UserError(
                f"Progress in {aside} cannot be read, and begins anew: {error}"
            ) from error
        return self._known

    def save(self, progress: Progress) -> None:
        """Keep ``progress``, and what others have kept meanwhile.

        Raises UserError where it cannot be written. Nothing is written over what could neither be
        read nor put aside.
        """
        if self._may_write:
            make_folder(self.path.parent)
            joined = progress.with_others(self._kept(), self._known)
            write_atomically(self.path, progress_to_json(joined))
            self._known = progress

    def _kept(self) -> Progress:
        """Return what stands in the file now; nothing where it has become unreadable."""
        try:
            return self._read()
        except OSError as error:
            raise UserError(f"{self.path} cannot be read: {error.strerror}.") from error
        except UserError:
            self._put_aside()
            return Progress()

    def _read(self) -> Progress:
        text = read_kept(self.path, MAX_FILE_BYTES)
        return Progress() if text is None else progress_from_json(text)

    def _put_aside(self) -> Path:
        try:
            return put_aside(self.path)
        except OSError as error:
            self._may_write = False
            raise UserError(
                f"{self.path} cannot be read nor put aside: {error.strerror}."
            ) from error
