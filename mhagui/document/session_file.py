"""Session files, opened and saved whole: a zip of readable JSON and matrices, or JSON alone.

A figure that was exported with its scene is opened as that scene.
"""

import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mhagui.document.archive import TEXT, Archive, is_archive, packed
from mhagui.document.file_entries import Matrix, SceneEntry
from mhagui.document.file_text import entry_from_json, line, text_of
from mhagui.document.layer_source import layer_entry, source_of
from mhagui.document.npy import matrix_from_npy, npy_from_matrix
from mhagui.document.provenance import is_figure, provenance_of_file
from mhagui.document.records import Array
from mhagui.document.scene import MAX_NUMBERS, Scene
from mhagui.document.scene_file import (
    FindMatrix,
    KeepMatrix,
    check_fits_text,
    entry_of,
    matrix_of_rows,
    rows_of_matrix,
    scene_of,
)
from mhagui.document.session import Session
from mhagui.document.view_file import view_entry, view_of
from mhagui.errors import UserError
from mhagui.files import Stamp, absolute, write_atomically

# The numbers of the largest scene, and room for its words and the directory.
MAX_FILE_BYTES = MAX_NUMBERS * 8 + 4 * 2**20
MAX_PATH_LENGTH = 4096


def read_session(path: Path) -> Session:
    """Read the file at ``path``; raises UserError naming the file and what is wrong in it."""
    return session_in(path, read_file(path))


def session_in(path: Path, data: bytes) -> Session:
    """Return what is in ``data``, the content of the file at ``path``, as ``read_session`` does."""
    try:
        session = session_from_bytes(data)
        if session.source is None:
            return session
        return replace(session, source=session.source.from_folder(path.parent))
    except UserError as error:
        raise UserError(f"{path} is not a scene this version can open: {error}") from error


def read_scene(path: Path) -> Scene:
    """Read the scene in the file at ``path``, as ``read_session`` does."""
    return read_session(path).scene


def write_session(
    path: Path, session: Session, before_swap: Callable[[], object] = int
) -> Stamp | None:
    """Write ``session`` to ``path``: as JSON text where its name ends so, as a zip file otherwise.

    Returns the file's new state, as ``write_atomically`` does, which also tells of ``before_swap``.
    After a failure the file is as it was before; raises UserError with the reason.
    """
    is_text = path.suffix.lower() == ".json"
    to_data, folder = session_to_json if is_text else session_to_bytes, absolute(path).parent
    data = to_data(session, folder)
    return write_atomically(path, data, before_swap)


def session_from_bytes(data: bytes) -> Session:
    """Return what a file of any version holds; raises UserError naming what is wrong in it."""
    if is_figure(data):
        session = session_from_bytes(provenance_of_file(data).session_file())
        return replace(session, source=None)  # which no figure is exported with
    if not is_archive(data):
        return _session(entry_from_json(data), matrix_of_rows)
    archive = Archive(data)
    entry = entry_from_json(archive.text())  # before the rest, which a newer version may change
    archive.check_arrays()
    arrays = _Arrays(archive)
    session = _session(entry, arrays.find)
    unused = archive.array_names() - arrays.found.keys()
    if unused:
        raise UserError(f"it holds {min(unused)}, which {TEXT} does not name.")
    return session


def session_to_bytes(session: Session, folder: Path | None = None) -> bytes:
    """Return ``session`` as a zip file, from which ``session_from_bytes`` makes an equal one.

    In it are ``scene.json``, for people to read, and each matrix as a ``.npy`` file beside it. The
    path of what it was made of is one from ``folder`` where it is below that.
    """
    arrays: dict[str, bytes] = {}

    def keep(name: str, matrix: Array) -> Matrix:
        member = f"arrays/{name}.npy"
        arrays[member] = npy_from_matrix(matrix)
        return member

    return packed({TEXT: text_of(_entry(session, keep, folder)), **arrays})


def session_to_json(session: Session, folder: Path | None = None) -> bytes:
    """Return ``session`` as JSON text, from which ``session_from_bytes`` makes an equal one.

    ``folder`` is as for ``session_to_bytes``. Raises UserError where the scene is too large for
    text.
    """
    check_fits_text(session.scene)
    return text_of(_entry(session, rows_of_matrix, folder))


class _Arrays:
    """The matrices of an archive, each unpacked once, however often it is named."""

    def __init__(self, archive: Archive) -> None:
        self.found: dict[str, Array] = {}
        self._archive = archive

    def find(self, name: str, given: Matrix) -> Array:
        """Return the matrix of the member ``given``; ``name`` is what it is in the scene."""
        if not isinstance(given, str):
            return matrix_of_rows(name, given)
        if given not in self._archive.array_names():
            raise UserError(f"{name} is to be in “{line(given, 80)}”, which is not in the file.")
        if given not in self.found:
            self.found[given] = matrix_from_npy(given, self._archive.array(given))
        return self.found[given]


def _entry(session: Session, keep: KeepMatrix, folder: Path | None) -> SceneEntry:
    entry = entry_of(session.scene, keep)
    entry.view = view_entry(session.view)
    entry.belongs_to = session.path
    entry.made_of = layer_entry(session.source, folder)
    return entry


def _session(entry: SceneEntry, find: FindMatrix) -> Session:
    scene = scene_of(entry, find)
    path = entry.belongs_to
    if path is not None and ("\0" in path or not 0 < len(path) <= MAX_PATH_LENGTH):
        raise UserError(f"belongs_to is no path of a file: “{line(path, 80)}”.")
    return Session(scene, view_of(entry.view, scene), path, source_of(entry.made_of))


def read_file(path: Path) -> bytes:
    """Return the content of a file, and never wait for a pipe or a device that has no end.

    Raises UserError naming the file where it cannot be read, or is longer than a scene can be.
    """
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_FILE_BYTES:
            with path.open("rb") as file:
                return file.read(status.st_size)  # no more room is made than it needs
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{path} cannot be read: {reason}.") from error
    if stat.S_ISREG(status.st_mode):
        raise UserError(f"{path} is too long; a scene file has at most {MAX_FILE_BYTES:,} bytes.")
    raise UserError(f"{path} is not a file; give a scene file or a lesson's name.")
