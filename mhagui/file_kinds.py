"""Which way a file or folder is opened."""

import enum
import stat
from pathlib import Path

from mhagui.errors import UserError

TENSOR_FILES = (".npy", ".npz", ".safetensors", ".pt", ".pth")
MODEL_FILES = (".gguf",)
CONFIG = "config.json"
_SCENE_MARK = b"mhagui scene"  # in every scene that is kept as JSON text
_LARGEST_TEXT = 2**26  # bytes; neither a scene nor tensors are JSON texts above that
_READ_AT_ONCE = 2**20  # bytes of a JSON text


class Kind(enum.Enum):
    """What there is to open."""

    SCENE = "a scene, or a figure that holds one"
    TENSORS = "tensors of a model's attention"
    MODEL = "a whole model"


def kind_of(path: Path) -> Kind:
    """Return how the file or folder at ``path`` is opened.

    By its name, and where several things have such a name by what is in it. What is not there, or
    is none of these, is a scene: whoever opens that says what is wrong.
    """
    suffix = path.suffix.lower()
    if path.is_dir() or suffix in MODEL_FILES:
        return Kind.MODEL
    if suffix == ".json":
        return Kind.SCENE if _is_scene_text(path) else Kind.TENSORS
    if suffix == ".safetensors" and _is_checkpoint(path):
        return Kind.MODEL
    return Kind.TENSORS if suffix in TENSOR_FILES else Kind.SCENE


def takes_long(path: Path) -> bool:
    """Say whether ``kind_of`` has to look into a file for so long that a window has to go on."""
    suffix = path.suffix.lower()
    try:
        is_short = path.stat().st_size <= _READ_AT_ONCE
    except OSError:
        return False
    return suffix == ".safetensors" or (suffix == ".json" and not is_short)


def _is_scene_text(path: Path) -> bool:
    """Say whether a file says that it is a scene; or is no JSON text that could hold arrays."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # who reads a pipe may wait for ever
            return True
        if status.st_size > _LARGEST_TEXT:
            return False
        with path.open("rb") as file:
            text = file.read(status.st_size)
    except OSError:
        return True
    return text.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"[", b"{") or _SCENE_MARK in text


def _is_checkpoint(path: Path) -> bool:
    """Say whether a file of tensors holds the weights of a model, and no attention."""
    from mhagui import sources

    is_beside_config = (path.parent / CONFIG).is_file()
    try:
        found = sources.inspect(path)
    except UserError:
        return is_beside_config
    return bool(found.family) or (is_beside_config and not found.readings)
