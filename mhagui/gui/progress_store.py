"""Where progress with the exercises is kept from one start to the next."""

from pathlib import Path

from platformdirs import user_data_path

from mhagui.document.progress import Progress
from mhagui.document.progress_file import progress_from_json, progress_to_json
from mhagui.errors import UserError
from mhagui.files import make_folder, write_atomically

MAX_FILE_BYTES = 64 * 2**20


class ProgressStore:
    """Keeps progress in one file; a disk that fails is said, and stops nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._may_write = True

    def load(self) -> Progress:
        """Return what is kept, or the beginning where there is nothing.

        Raises
        ------
        UserError
            When what is there cannot be read; it is put aside, so that it is not written over.
        """
        try:
            with self.path.open("rb") as file:
                text = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return Progress()
        except OSError as error:
            self._may_write = False  # what is there may be good
            raise UserError(
                f"Progress in {self.path} cannot be read, and is not kept: {error.strerror}."
            ) from error
        try:
            if len(text) > MAX_FILE_BYTES:
                raise UserError(f"it has more than {MAX_FILE_BYTES // 2**20} MB.")
            return progress_from_json(text)
        except UserError as error:
            aside = self.path.with_suffix(".json.bad")
            self._put_aside(aside)
            raise UserError(
                f"Progress in {aside} cannot be read, and begins anew: {error}"
            ) from error

    def save(self, progress: Progress) -> None:
        """Keep ``progress``; raises UserError where it cannot be written.

        Nothing is written over what could neither be read nor put aside.
        """
        if self._may_write:
            make_folder(self.path.parent)
            write_atomically(self.path, progress_to_json(progress))

    def _put_aside(self, aside: Path) -> None:
        try:
            self.path.replace(aside)
        except OSError as error:
            self._may_write = False
            raise UserError(
                f"{self.path} cannot be read nor put aside: {error.strerror}."
            ) from error


def own_store() -> ProgressStore:
    """Return the store of whoever runs the program."""
    return ProgressStore(user_data_path("mhagui", appauthor=False) / "progress.json")
