"""What a figure's file says of where it comes from, read back from every format it is written in.

It is one line of ASCII in the format's own metadata: a text chunk of a PNG, an element of an SVG,
an entry of a PDF's document information, comments of an EPS or GIF, the description of a TIFF.
Files may come from anywhere: what is long is measured before it is taken, and nothing in them is
obeyed.
"""

import hashlib
import html
import io
import json
import logging
import math
import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import astuple
from functools import lru_cache
from typing import Annotated, Literal

import msgspec

from mhagui.document.faults_of_text import fault_in_words
from mhagui.document.file_text import line
from mhagui.document.scene import MAX_TITLE_LENGTH
from mhagui.document.view_state import WhatIf
from mhagui.errors import UserError

MAX_SCENE_BYTES = 4 * 2**20  # of a session file in a figure; the lessons have less than 10 kB
MAX_TEXT_BYTES = 6 * 2**20  # of such a file that cannot be made smaller, as base64, and the rest
MAX_PDF_BYTES = 12 * 2**20  # a PDF is taken apart in Python, which is slow
MAX_SIZE = 10**6
MAX_SHOWN = 1000  # characters of a name, or of what it stands for

KEYWORD = "mhagui"  # of a PNG's chunk and a PDF's entry; the prefix of an SVG's element
SVG_ELEMENT = f"{KEYWORD}:provenance"
EPS_COMMENT = f"%{KEYWORD}: "
_BEGINNING = b'{"app":'  # of the text, whose names are in order
_MARK = b'"mhagui figure"'
_XML_SIGNS = {sign: f"\\u{ord(sign):04x}" for sign in "<>&"}
_HEADER = 4096  # bytes in which the element <svg> begins
_PNG_CHUNK = struct.Struct(">I4s")
_CHECK = 4  # bytes behind a chunk
_TIFF_DESCRIPTION, _TIFF_TEXT, _TIFF_FIELD = 270, 2, 12
_DAMAGED = "what mhagui wrote into it is damaged"

# It has much to say of files that are not as they should be, in lines that nobody asked for.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)

_Position = Annotated[int, msgspec.Meta(ge=0, le=MAX_SIZE)]
_Word = Annotated[str, msgspec.Meta(max_length=MAX_SHOWN)]
_Shown = Annotated[dict[_Word, _Word], msgspec.Meta(max_length=40)]


class Provenance(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="format", tag="mhagui figure"
):
    """What was drawn, how, and by what; but not the scale or the note of a frame of a film.

    Attributes
    ----------
    app
        The version of mhagui that drew it.
    figure
        Its name among the figures.
    title
        That of the scene, or of what else was drawn.
    scene_sha256, scene_bytes
        SHA-256, in hexadecimal digits, and length of the scene's session file; None and 0 where it
        was drawn from no scene.
    style
        How it looks: all entries of a style of figures.
    row, head
        The query position and the head it was asked for, from 0; None for the usual row.
    sizes
        The layer whose cost it shows; None for the scene's own.
    scene
        The session file itself; None where that was not wanted, or is longer than
        ``MAX_SCENE_BYTES``.
    shown
        What it shows that is no scene: names and what they stand for, the model's and the
        prompt's among them.
    version
        That of this text's form.
    """

    app: Annotated[str, msgspec.Meta(max_length=40)]
    figure: Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9-]{1,60}\Z")]
    title: Annotated[str, msgspec.Meta(max_length=MAX_TITLE_LENGTH)]
    style: dict[str, object]
    scene_sha256: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")] | None = None
    scene_bytes: Annotated[int, msgspec.Meta(ge=0, le=2**31)] = 0
    row: _Position | None = None
    head: _Position = 0
    sizes: WhatIf | None = None
    scene: bytes | None = None
    shown: _Shown = msgspec.field(default_factory=dict)
    version: Literal[1] = 1

    def __post_init__(self) -> None:
        """Raise ValueError where the sizes are none of a layer."""
        if self.sizes is None:
            return
        numbers = [number for number in astuple(self.sizes) if number is not None]
        if not all(1 <= number <= MAX_SIZE for number in numbers):
            raise ValueError(f"sizes must be from 1 to {MAX_SIZE:,}")
        if self.sizes.key_heads > self.sizes.n_heads:
            raise ValueError("sizes must have at most as many key heads as heads")

    def session_file(self) -> bytes:
        """Return the session file in the figure; raises UserError that says why there is none."""
        if self.scene is not None:
            return self.scene
        if self.scene_sha256 is None:
            raise UserError("it was drawn from no scene, but from numbers of heads.")
        if self.scene_bytes > MAX_SCENE_BYTES:
            raise UserError(
                f"it holds no scene: this one has {self.scene_bytes:,} bytes, and figures hold at "
                f"most {MAX_SCENE_BYTES:,}."
            )
        raise UserError("it was exported without its scene.")


def sha256(data: bytes) -> str:
    """Return the SHA-256 of ``data`` in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def provenance_to_text(provenance: Provenance) -> str:
    """Return ``provenance`` as one line of JSON, the same every time.

    It is ASCII without the signs of XML, so that it can stand in any format as it is; the scene in
    it is packed by zlib.
    """
    scene = provenance.scene
    packed = None if scene is None else _packed(scene)
    entry = msgspec.to_builtins(msgspec.structs.replace(provenance, scene=packed))
    text = json.dumps(entry, sort_keys=True, separators=(",", ":"), allow_nan=False)
    for sign, escape in _XML_SIGNS.items():
        text = text.replace(sign, escape)
    return text


@lru_cache(maxsize=1)  # all formats of all figures of a scene hold the same
def _packed(scene: bytes) -> bytes:
    # The weights of a model hardly pack: a higher level takes nine times as long for two percent.
    return zlib.compress(scene, 6)


def size_in_figure(scene: bytes) -> int | None:
    """Return how many bytes a session file adds to a figure; None where it is too large for one."""
    if len(scene) > MAX_SCENE_BYTES:
        return None
    return 4 * math.ceil(len(_packed(scene)) / 3)  # in base 64


def provenance_of_text(text: bytes) -> Provenance:
    """Return what ``provenance_to_text`` wrote; raises UserError naming what is wrong in it."""
    if len(text) > MAX_TEXT_BYTES:
        raise UserError(f"{_DAMAGED}: it has more than {MAX_TEXT_BYTES:,} bytes.")
    try:
        provenance = msgspec.json.decode(text, type=Provenance)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{_DAMAGED}: {line(fault_in_words(error))}.") from error
    if provenance.scene is None:
        return provenance
    scene = _unpacked(provenance.scene, MAX_SCENE_BYTES)
    if sha256(scene) != provenance.scene_sha256:
        raise UserError("the scene in it is not the one it was drawn from: it has been changed.")
    if is_figure(scene):
        raise UserError(f"{_DAMAGED}: a figure stands where its scene should be.")
    return msgspec.structs.replace(provenance, scene=scene)


def is_figure(data: bytes) -> bool:
    """Say whether ``data`` begins as a file of a format that figures are written in."""
    return _kind_of(data) is not None


def provenance_of_file(data: bytes) -> Provenance:
    """Return what a figure's file says of where it comes from.

    Raises
    ------
    UserError
        When it is no figure of ours, or what stands there is damaged: a clause about “it”.
    """
    kind = _kind_of(data)
    if kind is None:
        raise UserError("it is no figure: neither PNG, SVG, PDF, EPS, TIFF nor GIF.")
    text = _TEXTS[kind](data)
    if text is None or _MARK not in text:
        raise UserError(
            f"it is {'an' if kind in ('SVG', 'EPS') else 'a'} {kind} file, but no figure of mhagui."
        )
    return provenance_of_text(text)


def _kind_of(data: bytes) -> str | None:
    for beginning, kind in _BEGINNINGS.items():
        if data.startswith(beginning):
            return kind
    head = data[:_HEADER].removeprefix(b"\xef\xbb\xbf").lstrip()
    return "SVG" if head.startswith(b"<") and b"<svg" in head else None


def _unpacked(data: bytes, most: int) -> bytes:
    """Return what zlib packed, never more than ``most`` bytes of it."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, most + 1)
    except zlib.error as error:
        raise UserError(f"{_DAMAGED}: it cannot be unpacked.") from error
    if len(content) > most:
        raise UserError(f"{_DAMAGED}: unpacked it has more than {most:,} bytes.")
    if not stream.eof:
        raise UserError(f"{_DAMAGED}: it ends too early.")
    return content


# ------------------------------------------------------------------------- the text in each format


def _text_of_png(data: bytes) -> bytes | None:
    """Return the text of our chunk, also as other programs write texts they take over."""
    place, keyword = 8, KEYWORD.encode() + b"\0"
    while place + _PNG_CHUNK.size <= len(data):
        length, kind = _PNG_CHUNK.unpack_from(data, place)
        place += _PNG_CHUNK.size
        if data.startswith(keyword, place) and kind in (b"iTXt", b"zTXt", b"tEXt"):
            return _text_of_chunk(kind, data[place + len(keyword) : place + length])
        place += length + _CHECK
    return None


def _text_of_chunk(kind: bytes, content: bytes) -> bytes:
    is_packed = kind == b"zTXt"
    if kind == b"zTXt":
        content = content[1:]  # behind the method, of which there is one
    elif kind == b"iTXt":
        is_packed = content[:1] == b"\1"
        *_, content = content[2:].split(b"\0", 2)  # behind the language and the translated keyword
    return _unpacked(content, MAX_TEXT_BYTES) if is_packed else content


def _text_of_svg(data: bytes) -> bytes | None:
    """Return the text of our element: found, not parsed, so that no entity is ever expanded."""
    start = data.find(f"<{SVG_ELEMENT}".encode())
    end = data.find(f"</{SVG_ELEMENT}".encode(), start)
    opened = data.find(b">", start, end)
    if min(start, end, opened) < 0 or end - opened > 2 * MAX_TEXT_BYTES:
        return None
    text = data[opened + 1 : end].strip().decode("ascii", "replace")
    return html.unescape(text).encode()  # some programs write quotes as &quot;


def _text_of_pdf(data: bytes) -> bytes | None:
    if len(data) > MAX_PDF_BYTES:
        raise UserError(f"it has {len(data):,} bytes; a PDF of ours has at most {MAX_PDF_BYTES:,}.")
    from pypdf import PdfReader

    try:
        information = PdfReader(io.BytesIO(data), strict=True).metadata
        name = f"/{KEYWORD}"
        # Not by get(), which follows no reference.
        text: object = information[name] if information and name in information else None
    # Whatever it stumbles over in a file made to do harm, the file is to blame.
    except Exception as error:
        raise UserError("it is a PDF file that is damaged or locked.") from error
    return text.encode("ascii", "replace") if isinstance(text, str) else None


def _text_of_eps(data: bytes) -> bytes | None:
    comments = re.findall(rf"^{EPS_COMMENT}(.*?)\r?$".encode(), data, re.MULTILINE)
    return b"".join(comments) or None


def _text_of_tiff(data: bytes) -> bytes | None:
    """Return the description of the first image."""
    order = "<" if data.startswith(b"II") else ">"
    try:
        (place,) = struct.unpack_from(f"{order}I", data, 4)
        (n_fields,) = struct.unpack_from(f"{order}H", data, place)
        for field in range(place + 2, place + 2 + n_fields * _TIFF_FIELD, _TIFF_FIELD):
            tag, kind, length, start = struct.unpack_from(f"{order}2H2I", data, field)
            if (tag, kind) == (_TIFF_DESCRIPTION, _TIFF_TEXT):
                return data[start : start + length].rstrip(b"\0")
    except struct.error as error:
        raise UserError("it is a TIFF file that is damaged.") from error
    return None


def _text_of_gif(data: bytes) -> bytes | None:
    """Return our comment, which lies in blocks of up to 255 bytes."""
    found = re.search(rb"!\xfe(?=." + re.escape(_BEGINNING) + rb")", data, re.DOTALL)
    if found is None:
        return None
    blocks, place = [], found.end()
    while place < len(data) and data[place]:
        blocks.append(data[place + 1 : place + 1 + data[place]])
        place += 1 + data[place]
    return b"".join(blocks)


_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"%PDF-": "PDF",
    b"%!PS-Adobe": "EPS",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
    b"GIF87a": "GIF",
    b"GIF89a": "GIF",
}
_TEXTS: dict[str, Callable[[bytes], bytes | None]] = {
    "PNG": _text_of_png,
    "SVG": _text_of_svg,
    "PDF": _text_of_pdf,
    "EPS": _text_of_eps,
    "TIFF": _text_of_tiff,
    "GIF": _text_of_gif,
}
