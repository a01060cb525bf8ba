"""Looking at a file: what arrays are in it and how they may be read, from its headers alone."""

import errno
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mhagui.errors import UserError
from mhagui.files import Stamp, stamp
from mhagui.sources import names
from mhagui.sources.entries import Entry, enough_memory, shape_text
from mhagui.sources.json_files import json_entries
from mhagui.sources.npy_files import MAGIC, npy_entries
from mhagui.sources.npz_files import member_names, npz_entries
from mhagui.sources.readings import Reading, candidates
from mhagui.sources.safetensors_files import looks_like_safetensors, safetensors_entries
from mhagui.sources.torch_files import SUFFIXES, torch_entries

MOST_ENTRIES = 20_000  # as in the largest models
_LONGEST_NAME = 500
_MOST_NAMED = 12
_REASONS = {errno.ENOENT: "there is no such file", errno.EACCES: "reading it is not permitted"}


@dataclass(frozen=True)
class Found:
    """What a file holds.

    Attributes
    ----------
    path, kind, state
        The file, its format, and its state when it was looked at.
    entries
        Its arrays, in the order of the file.
    readings
        Ways to read them, the likeliest first; there may be none.
    family
        Of which kind of model it is a whole checkpoint; empty where it is none.
    """

    path: Path
    kind: str
    state: Stamp | None
    entries: tuple[Entry, ...]
    readings: tuple[Reading, ...] = ()
    family: str = ""

    def entry(self, name: str) -> Entry:
        """Return the array called ``name``; raises UserError where there is none."""
        if name in self._by_name:
            return self._by_name[name]
        raise UserError(f"{self.path.name} has no array called “{name[:80]}”; {self.listing}")

    @cached_property
    def _by_name(self) -> dict[str, Entry]:
        return {entry.name: entry for entry in self.entries}

    @property
    def listing(self) -> str:
        """What is in the file, a sentence."""
        shown = [
            f"{entry.name or 'one without a name'} ({_said(entry)})"
            for entry in self.entries[:_MOST_NAMED]
        ]
        n_more = len(self.entries) - len(shown)
        more = f" and {n_more:,} more" if n_more else ""
        return f"it holds {', '.join(shown) or 'nothing'}{more}."

    def check_unchanged(self) -> None:
        """Raise UserError where somebody has written to the file since it was looked at."""
        if stamp(self.path) != self.state:
            raise UserError(f"{self.path.name} has changed since it was looked at: open it again.")


def inspect(path: Path) -> Found:
    """Return what the file at ``path`` holds; of its numbers none are read (but those of JSON).

    Raises
    ------
    UserError
        Where it cannot be read, is damaged, is of no known format, or could only be read by
        running a program in it.
    """
    try:
        state = stamp(path)
        if path.is_dir():
            raise UserError(f"{path} is a folder; open a file in it.")
        if path.exists() and not path.is_file():  # reading a pipe may wait for ever
            raise UserError(f"{path} is no plain file.")
        with path.open("rb") as file:
            start = file.read(16 if state and state.n_bytes else 0)  # or it may wait for ever
        with enough_memory(path.name):
            kind, entries = _entries(path, start, state.n_bytes if state else 0)
    except (OSError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        code = error.errno if isinstance(error, OSError) else None
        why = _REASONS.get(code or 0) or getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path} cannot be read: {why}.") from error
    if not entries:
        raise UserError(f"{path.name} holds no arrays.")
    if len(entries) > MOST_ENTRIES:
        raise UserError(f"{path.name} holds {len(entries):,} arrays; {MOST_ENTRIES:,} are read.")
    longest = max((entry.name for entry in entries), key=len)
    if len(longest) > _LONGEST_NAME:
        raise UserError(
            f"{path.name} has an array whose name, “{longest[:40]}…”, has {len(longest):,} "
            f"characters; {_LONGEST_NAME} are read."
        )
    return Found(
        path, kind, state, entries, candidates(entries), names.family(e.name for e in entries)
    )


def _entries(path: Path, start: bytes, size: int) -> tuple[str, tuple[Entry, ...]]:
    """Return the format by the content, not by the ending of the name, and the arrays."""
    if not start:
        raise UserError(f"{path.name} is empty.")
    if start.startswith(MAGIC):
        return "npy", npy_entries(path, size)
    if start.startswith(b"PK"):
        members = member_names(path, size)
        if any(name == "data.pkl" or name.endswith("/data.pkl") for name in members):
            return "torch", torch_entries(path, size)
        return "npz", npz_entries(path, size)
    if start.startswith(b"GGUF"):
        raise UserError(f"{path.name} is a whole model in GGUF: open it as a model.")
    # Before pickles, which begin with a byte that the length of a header may begin with too.
    if looks_like_safetensors(start):
        return "safetensors", safetensors_entries(path, size)
    if start[0] == 0x80 and start[1:2] <= b"\x05":  # the first operation of every pickle since 2003
        if path.suffix.lower() in SUFFIXES:
            return "torch", torch_entries(path, size)
        raise UserError(
            f"{path.name} is a Python pickle, which may do anything when it is opened, and never "
            "is: save the arrays with numpy.savez."
        )
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{"):
        return "json", json_entries(path, size)
    raise UserError(
        f"{path.name} is no file that is known here: .npy, .npz, .safetensors, JSON, or .pt of "
        "PyTorch; a file of these may also be damaged at its beginning."
    )


def _said(entry: Entry) -> str:
    if entry.problem and entry.texts is None:
        return "cannot be read"
    return f"{shape_text(entry.shape)} {entry.dtype}"
