"""What is said on the standard streams: text, files, complaints and a progress bar."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from mhagui.errors import UserError, visible

if TYPE_CHECKING:
    from tqdm import tqdm

# What to write where the terminal's encoding lacks a character.
_PLAIN = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "·": "*", "×": "x", "√": "sqrt", "Σ": "sum",
        "ᵀ": "'", "²": "^2", "“": '"', "”": '"', "…": "...", "≥": ">=", "≤": "<=",
        **{sign: f"_{digit}" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    }
)  # fmt: skip

_BAR_AFTER = 0.5  # seconds: what is done sooner needs no bar


def say(text: str, end: str = "\n") -> None:
    """Print ``text``; raises UserError where it cannot be, BrokenPipeError where nobody reads."""
    with _written() as stream:
        print(_printable(text, stream), end=end, flush=True)


def refuse_terminal() -> None:
    """Raise UserError where a terminal is to show what is no text."""
    if sys.stdout is not None and sys.stdout.isatty():
        raise UserError("That is no text, and a terminal cannot show it: give --out FILE.")


def say_file(data: bytes) -> None:
    """Print a file: to the byte where it goes to a file or a program, as text on a terminal.

    Raises UserError as ``say`` does.
    """
    if sys.stdout is not None and sys.stdout.isatty():
        say(data.decode(), end="")
        return
    with _written() as stream:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()


def complain(text: str, status: int) -> int:
    """Print ``text`` on the standard error, as a line of the program's; return ``status``."""
    if sys.stderr is None:  # print would take the standard output then
        return status
    try:
        line = visible(f"mhagui: {text}")
        print(_printable(line, sys.stderr), file=sys.stderr, flush=True)
    except OSError:
        _silence(sys.stderr)
    return status


class Progress:
    """How many files are made of all there are to make, as a bar where somebody watches."""

    def __init__(self, bar: "tqdm[NoReturn] | None" = None) -> None:
        self._bar = bar

    def add(self, n_files: int) -> None:
        """There are ``n_files`` more to make, or fewer where it is negative."""
        if self._bar is not None:
            self._bar.total = (self._bar.total or 0) + n_files

    def step(self) -> None:
        """One more is made."""
        if self._bar is not None:
            self._bar.update()

    def at(self, done: int, total: int) -> None:
        """Of ``total`` steps ``done`` are done."""
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(done - self._bar.n)

    def clear(self) -> None:
        """Make room for a line that is printed; the bar comes back with the next step."""
        if self._bar is not None:
            self._bar.clear()


@contextlib.contextmanager
def progress(n_files: int, unit: str = " files") -> Iterator[Progress]:
    """Show the progress of making ``n_files`` on the standard error, if that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield Progress()
        return
    from tqdm import tqdm as bar_of

    with bar_of(total=n_files, unit=unit, delay=_BAR_AFTER, leave=False, dynamic_ncols=True) as bar:
        yield Progress(bar)


@contextlib.contextmanager
def _written() -> Iterator[Any]:
    """Give the standard output; tell in a sentence why it cannot be written."""
    if sys.stdout is None:
        raise UserError("The standard output is closed.")
    try:
        yield sys.stdout
    except OSError as error:
        _silence(sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise
        raise UserError(
            f"The standard output cannot be written: {error.strerror or error}."
        ) from error


def _printable(text: str, stream: TextIO | None) -> str:
    """Return ``text`` as ``stream`` can take it, with plain signs where its encoding lacks ours."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


def _silence(stream: TextIO) -> None:
    """Send what is still unwritten nowhere, or Python complains about it at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
