"""Faults of a package whose own code is in Rust: a sentence each, and no trace of its stack."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile

from mhagui.errors import UserError

_STDERR = 2
_TRACE = b"\nthread '"  # how what such a package prints of a fault begins
_ONE_AT_A_TIME = threading.Lock()  # the standard error is the whole process's


@contextmanager
def said(what: str) -> Iterator[None]:
    """Make a sentence that begins with ``what`` of any fault that the package finds."""
    try:
        with _without_traces():
            yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # where its own code fails, what it raises is no Exception
        raise UserError(f"{what}: {error}.") from error


@contextmanager
def _without_traces() -> Iterator[None]:
    """Keep traces off the standard error; what else is written there meanwhile comes after."""
    with _ONE_AT_A_TIME, TemporaryFile() as held:
        try:
            stderr = os.dup(_STDERR)
        except OSError:  # there is none
            yield
            return
        os.dup2(held.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(stderr, _STDERR)
            os.close(stderr)
            held.seek(0)
            others, _, _ = held.read().partition(_TRACE)
            if others:
                os.write(_STDERR, others)
