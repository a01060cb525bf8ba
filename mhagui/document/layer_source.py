"""Where the layer on the bench is from: the file that was opened, and how; kept with a session.

It is no part of the scene: figures, reports and exported numbers say nothing of it. Nobody opens
the file unasked, or looks whether it is there: a session may come from anywhere.
"""

import hashlib
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mhagui.document.checks import count
from mhagui.document.file_entries import LayerEntry, ReadingEntry
from mhagui.document.file_text import line
from mhagui.errors import UserError
from mhagui.files import absolute

MAX_PATH_LENGTH = 4096
# More than the bench holds of most prompts and files, and less than would make a session that has
# too much text to be read: each character may take six bytes.
MAX_PROMPT_LENGTH = 2**15
MAX_ARRAYS, MAX_NAMES_LENGTH = 10_000, 2**16  # of a reading, all names together
_MAX_PARTS, _MAX_WORD = 32, 40
_MOST = 10**6  # layers, steps, heads, items of a batch
_ENDS = 2**16  # bytes at either end of a file that tell it from others
_PARTS_OF_MODELS = (".json", ".safetensors")
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileMark:
    """What a file or the folder of a model is known by: no more than its ends are read.

    Attributes
    ----------
    n_bytes
        The length; of a folder that of all files a model may consist of.
    sha256
        SHA-256 of the ends, in hexadecimal digits.
    is_folder
        Whether it is a folder.
    """

    n_bytes: int
    sha256: str
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class LayerSource:
    """Of which layer of what a scene was made.

    Raises UserError where it is more than a session keeps.

    Attributes
    ----------
    path, mark
        What was opened.
    layer
        The number of the layer, from 0.
    prompt
        What the model was run on; empty for a file of tensors.
    reading
        How a file of tensors was read; None for a model.
    by_words
        Whether the layer is by words, merged of its tokens.
    """

    path: Path
    mark: FileMark
    layer: int = 0
    prompt: str = ""
    reading: ReadingEntry | None = None
    by_words: bool = False

    def __post_init__(self) -> None:
        """Refuse what no session keeps, before anybody works with it."""
        path = str(self.path)
        if "\0" in path or not 0 < len(path) <= MAX_PATH_LENGTH:
            raise UserError(f"path of the layer is none of a file: “{line(path, 80)}”.")
        if not _SHA256.fullmatch(self.mark.sha256):
            raise UserError(f"sha256 of the layer is “{line(self.mark.sha256, 80)}”.")
        count("n_bytes of the layer", self.mark.n_bytes, 2**63, 0)
        count("number of the layer", self.layer, _MOST, 0)
        count("The length of its prompt", len(self.prompt), MAX_PROMPT_LENGTH, 0)
        if self.reading is not None:
            _check_reading(self.reading)

    def is_as(self, other: "LayerSource") -> bool:
        """Say whether ``other`` is of the same content, opened alike, whatever file and layer."""
        return replace(self, path=other.path, layer=other.layer) == other

    def at(self, path: Path) -> "LayerSource":
        """Return the same, found at another path."""
        return replace(self, path=path)

    def from_folder(self, folder: Path) -> "LayerSource":
        """Return it with a path from the root, where it was one from ``folder``."""
        return self.at(absolute(folder) / self.path)


def remembered(
    path: Path, mark: FileMark | None, prompt: str = "", reading: ReadingEntry | None = None
) -> LayerSource | None:
    """Return where layers are from; None where there is no mark, or it is more than is kept."""
    try:
        return None if mark is None else LayerSource(path, mark, prompt=prompt, reading=reading)
    except UserError:
        return None


def mark_of(path: Path) -> FileMark | None:
    """Return what is known again at ``path``; None where nothing that ends can be read there."""
    try:
        if not path.is_dir():
            return None if not path.is_file() else FileMark(*_of_files([path]))
        parts = sorted(each for each in path.iterdir() if each.suffix in _PARTS_OF_MODELS)
        files = [each for each in parts[:MAX_ARRAYS] if each.is_file()]
        return FileMark(*_of_files(files, has_names=True), is_folder=True)
    except (OSError, ValueError):
        return None


def _of_files(paths: list[Path], *, has_names: bool = False) -> tuple[int, str]:
    """Return the length of all, and the SHA-256 of their ends."""
    total, digest = 0, hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            n_bytes = file.seek(0, os.SEEK_END)
            total += n_bytes
            if has_names:
                digest.update(f"{n_bytes} {path.name}\n".encode(errors="backslashreplace"))
            n_end = min(_ENDS, n_bytes)  # of no length are files of the system that never end
            file.seek(0)
            digest.update(file.read(n_end))
            file.seek(n_bytes - n_end)
            digest.update(file.read(n_end))
    return total, digest.hexdigest()


# ------------------------------------------------------------------------------------- in a file


def layer_entry(source: LayerSource | None, folder: Path | None) -> LayerEntry | None:
    """Return ``source`` as it stands in a session file in ``folder``; below that its path is short.

    Without a folder the path is one from the root.
    """
    if source is None:
        return None
    path = str(source.path)
    if folder is not None and source.path.is_relative_to(folder):
        path = source.path.relative_to(folder).as_posix()
    return LayerEntry(
        number=source.layer,
        path=path,
        is_folder=source.mark.is_folder,
        n_bytes=source.mark.n_bytes,
        sha256_of_ends=source.mark.sha256,
        prompt=source.prompt,
        reading=source.reading,
        by_words=source.by_words,
    )


def source_of(entry: LayerEntry | None) -> LayerSource | None:
    """Return what ``entry`` says; raises UserError where that can be of no file."""
    if entry is None:
        return None
    path = Path(entry.path)
    if ".." in path.parts and not path.is_absolute():
        raise UserError(f"path of the layer leads out of its folder: “{line(path, 80)}”.")
    mark = FileMark(entry.n_bytes, entry.sha256_of_ends, entry.is_folder)
    return LayerSource(path, mark, entry.number, entry.prompt, entry.reading, entry.by_words)


def _check_reading(reading: ReadingEntry) -> None:
    """Raise UserError where a reading is larger than any; whether it fits a file is asked there."""
    count("The number of parts of the reading", len(reading.parts), _MAX_PARTS)
    count("The number of its arrays", sum(len(part.arrays) for part in reading.parts), MAX_ARRAYS)
    names = [name for part in reading.parts for name in part.arrays]
    count("The length of their names", sum(map(len, names)), MAX_NAMES_LENGTH, 0)
    for part in reading.parts:
        for word in (part.role, *part.axes):
            count("The length of a word of the reading", len(word), _MAX_WORD, 0)
        count("The number of axes of an array", len(part.axes), _MAX_PARTS, 0)
    for number in _numbers(reading):
        count("A number of the reading", number, _MOST, 0)
    if reading.scale is not None and not math.isfinite(reading.scale):
        raise UserError(f"scale of the reading must be a finite number; got {reading.scale}.")
    count("The length of the orientation", len(reading.orientation or ""), _MAX_WORD, 0)


def _numbers(reading: ReadingEntry) -> Iterator[int]:
    for part in reading.parts:
        yield len(part.layers)
        yield len(part.steps)
        yield from part.layers
        yield from part.steps
    yield from reading.layers or ()
    for number in (reading.batch, reading.heads, reading.key_heads):
        if number is not None:
            yield number
