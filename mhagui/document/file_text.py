"""From the JSON of a scene file, of any version there was, to its checked structures."""

import codecs
import json
from collections.abc import Callable
from typing import TypeGuard

import msgspec

from mhagui.document.checks import count
from mhagui.document.faults_of_text import fault_in_words
from mhagui.document.file_entries import FORMAT, VERSION, SceneEntry
from mhagui.document.json_text import json_text
from mhagui.document.scene import MAX_HEADS
from mhagui.errors import UserError

MAX_MESSAGE_LENGTH = 300
MAX_NAME_LENGTH = 40
# What becomes a Python object costs up to thirty times its text.
MAX_NUMBERS, MAX_ROWS = 2_500_000, 50_000  # of a scene that is kept as text
MAX_TEXT_BYTES = 64 * 2**20  # as many numbers to full precision
# All text in such a scene has fewer of these characters than that.
_MOST = {b",": 3_000_000, b"[": 200_000, b"{": 200_000, b":": 200_000, b'"': 400_000}

Document = dict[str, object]


def entry_from_json(text: bytes) -> SceneEntry:
    """Return what JSON ``text`` says, as of the newest version.

    Raises UserError, naming what is wrong and in which field.
    """
    document = _parsed(text)
    if not _is_object(document) or document.get("format") != FORMAT:
        raise UserError(f'it lacks "format": "{FORMAT}".')
    document = _migrated(document)
    heads = document.get("heads")
    if isinstance(heads, list):  # before so many are looked into
        count("The number of heads", len(heads), MAX_HEADS)
    try:
        return msgspec.convert(document, SceneEntry)
    except (msgspec.MsgspecError, ValueError) as error:
        raise UserError(f"{line(fault_in_words(error))}.") from error


def text_of(entry: SceneEntry) -> bytes:
    """Return ``entry`` as JSON text."""
    text = json_text(msgspec.to_builtins(entry), only_ascii=False)
    # A path can hold bytes that are no text, which Python keeps as halves of a pair; as "\\udcff"
    # they are JSON.
    return text.encode(errors="backslashreplace")


def line(value: object, most: int = MAX_MESSAGE_LENGTH) -> str:
    """Return text from a file as part of one sentence: one line, not too long, no full stop."""
    text = str(value)[:most].rstrip(".")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _parsed(text: bytes) -> object:
    """Return JSON as Python's own objects: json, unlike msgspec, names the line, and sees pairs."""
    if not text:
        raise UserError("it is empty.")
    if len(text) > MAX_TEXT_BYTES:
        raise UserError(f"it has more than {MAX_TEXT_BYTES:,} bytes, the most a scene has as text.")
    if text.startswith(codecs.BOM_UTF8):
        raise UserError("it begins with a byte order mark; save it as UTF-8 without one.")
    if any(text.count(sign) > most for sign, most in _MOST.items()):
        raise UserError("it holds more values than the largest scene.")
    try:
        document: object = json.loads(text.decode("utf-8"), object_pairs_hook=_without_duplicates)
    except UserError:
        raise
    except UnicodeDecodeError as error:
        raise UserError(f"it is not UTF-8 text, at byte {error.start + 1}.") from error
    except RecursionError as error:
        raise UserError("it is nested too deeply.") from error
    except json.JSONDecodeError as error:
        raise UserError(f"it is not JSON: {line(error)}.") from error
    except ValueError as error:  # which Python raises for nothing else
        raise UserError("a number in it has thousands of digits; no scene needs them.") from error
    return document


def _without_duplicates(pairs: list[tuple[str, object]]) -> Document:
    fields: Document = {}
    for name, value in pairs:
        if name in fields:
            raise UserError(f'it gives "{line(name)}" twice in one object.')
        fields[name] = value
    return fields


def _is_object(value: object) -> TypeGuard[Document]:
    return isinstance(value, dict)


# --------------------------------------------------------------------------------- earlier versions


def _second(first: Document) -> Document:
    """Return a document as of version 2, which has all of the first and more kinds of heads."""
    return first


def _third(second: Document) -> Document:
    """Return a document as of version 3, with the uids of heads, which were in order till then."""
    heads = second.get("heads")
    if not isinstance(heads, list):
        return second
    numbered = enumerate(heads, 1)
    return second | {
        "heads": [{"uid": uid} | head if _is_object(head) else head for uid, head in numbered]
    }


def _fourth(third: Document) -> Document:
    """Return a document as of version 4, which has all of the third, and masks and biases."""
    return third


# For each earlier version what makes the next one of it. None is ever taken out: what somebody
# has saved can be opened for as long as there is this program.
_MIGRATIONS: dict[int, Callable[[Document], Document]] = {1: _second, 2: _third, 3: _fourth}


def _migrated(document: Document) -> Document:
    """Return ``document`` as of the newest version; a still newer one is refused by its number."""
    version = document.get("version", "missing")
    named = line(version, MAX_NAME_LENGTH)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise UserError(f"its version is {named}; this program reads versions 1 to {VERSION}.")
    if version > VERSION:
        app = document.get("app")
        by = f"mhagui {line(app, MAX_NAME_LENGTH)}" if isinstance(app, str) else "a newer mhagui"
        raise UserError(
            f"it was saved by {by}; its format version is {named}, this program reads 1 to "
            f"{VERSION}."
        )
    for earlier in range(version, VERSION):
        document = _MIGRATIONS[earlier](document)
    return document | {"version": VERSION}
