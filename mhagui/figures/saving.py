"""Figures as files: true to size, the same bytes every time, and told where they come from."""

import html
import io
import math
import os
import re
import struct
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text

from mhagui import __version__
from mhagui.document.provenance import (
    EPS_COMMENT,
    KEYWORD,
    MAX_SCENE_BYTES,
    SVG_ELEMENT,
    Provenance,
    provenance_to_text,
    sha256,
)
from mhagui.document.session import Session
from mhagui.document.session_file import session_to_bytes
from mhagui.errors import UserError
from mhagui.figures.charts import Chart
from mhagui.figures.style import FigureStyle, Ground, style_to_entry
from mhagui.figures.subject import Subject

CREATOR = f"mhagui {__version__}"
MOST_PIXELS = 2**28  # a gigabyte while they are drawn, and some three while they are packed
EPS_LINE = 240  # characters of a comment: a line of PostScript has at most 255
TRUE_TYPE, DRAWN = 42, 3
TIFF_TITLE, TIFF_DESCRIPTION, TIFF_SOFTWARE, TIFF_PREDICTOR = 269, 270, 305, 317


class _Facts(NamedTuple):
    """What a file says of itself."""

    title: str
    description: str
    provenance: str


def provenance_of(name: str, subject: Subject) -> Provenance:
    """Return where figure ``name`` of ``subject`` comes from, with the scene if it is wanted.

    The limits of its colour scales and its note, which frames of a film have, are left out.
    """
    scene, style = session_to_bytes(Session.of(subject.scene)), subject.style
    has_room = len(scene) <= MAX_SCENE_BYTES
    return Provenance(
        app=__version__,
        figure=name,
        title=subject.scene.title,
        scene_sha256=sha256(scene),
        scene_bytes=len(scene),
        style=style_to_entry(style),
        row=subject.row,
        head=subject.head,
        sizes=subject.sizes,
        scene=scene if style.embed_scene and has_room else None,
    )


def provenance_of_chart(chart: Chart, style: FigureStyle) -> Provenance:
    """Return where ``chart`` comes from: what it says itself, for there is no scene."""
    return Provenance(
        app=__version__,
        figure=chart.name,
        title=chart.seen.title,
        style=style_to_entry(style),
        shown=chart.facts,
    )


def to_bytes(
    figure: Figure, kind: str, provenance: Provenance, style: FigureStyle, caption: str = ""
) -> bytes:
    """Return ``figure`` as a file of ``kind``, one of ``FORMATS``; its label is the title.

    It is to be called within the style in which the figure was painted. In an EPS a transparent
    ground is white, for that format has no transparency. Of what is drawn from no scene its
    ``caption`` says what it shows.
    """
    title = str(figure.get_label()) or provenance.figure
    description = f"{title}. Drawn by {CREATOR} from the scene “{provenance.title}”."
    if provenance.scene_sha256 is None:
        description = f"{caption} Drawn by {CREATOR}."
    facts = _Facts(title, description, provenance_to_text(provenance))
    font_type = _font_type(figure) if kind in ("pdf", "eps") else TRUE_TYPE
    habits = {
        "pdf.fonttype": font_type,
        "pdf.use14corefonts": False,
        "ps.fonttype": font_type,
        "ps.useafm": False,
        "ps.usedistiller": None,
        "savefig.bbox": None,
        "savefig.facecolor": "auto",
        "svg.fonttype": "path" if style.outlines else "none",
        "svg.hashsalt": KEYWORD,
        "svg.image_inline": True,
    }
    with mpl.rc_context(habits):  # type: ignore[arg-type]
        return _WRITERS[kind](figure, facts, style)


def _is_clear(style: FigureStyle) -> bool:
    return style.ground is Ground.TRANSPARENT


def _saved(
    figure: Figure, kind: str, style: FigureStyle, *, clear: bool = False, **given: Any
) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=style.dpi, transparent=clear, **given)
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------ pixels


def pixels(figure: Figure, style: FigureStyle) -> npt.NDArray[np.uint8]:
    """Return the figure as (height, width, 3) uint8 RGB, or 4 with alpha on a clear ground.

    Raises UserError where it would have more than ``MOST_PIXELS``.
    """
    square = float(np.prod(figure.get_size_inches()))
    if square * style.dpi**2 > MOST_PIXELS:
        raise UserError(
            f"At {style.dpi} dpi a page of this size has more pixels than the {MOST_PIXELS:,} that "
            f"can be drawn; give {math.isqrt(int(MOST_PIXELS / square))} dpi or less."
        )
    canvas = FigureCanvasAgg(figure)
    figure.savefig(os.devnull, format="rgba", dpi=style.dpi, transparent=_is_clear(style))
    # The canvas knows how large it is: inches × dpi may lie a hair below a whole number.
    rgba = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    return rgba if _is_clear(style) else np.ascontiguousarray(rgba[..., :3])


def _png(figure: Figure, facts: _Facts, style: FigureStyle) -> bytes:
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    told = PngInfo()
    for name, text in (
        ("Title", facts.title),
        ("Description", facts.description),
        ("Software", CREATOR),
        # Not packed: the scene in it is, and Pillow opens no file with a text that unpacks to 1 MB.
        (KEYWORD, facts.provenance),
    ):
        told.add_itxt(name, text)
    buffer = io.BytesIO()
    Image.fromarray(pixels(figure, style)).save(
        buffer, "png", dpi=(style.dpi, style.dpi), pnginfo=told
    )
    return buffer.getvalue()


def _tiff(figure: Figure, facts: _Facts, style: FigureStyle) -> bytes:
    from PIL import Image

    told = {
        TIFF_TITLE: facts.title,
        TIFF_DESCRIPTION: facts.provenance,
        TIFF_SOFTWARE: CREATOR,
        TIFF_PREDICTOR: 2,  # each pixel as its difference from the one before
    }
    buffer = io.BytesIO()
    image = Image.fromarray(pixels(figure, style))
    image.save(buffer, "tiff", compression="tiff_lzw", dpi=(style.dpi, style.dpi), tiffinfo=told)
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------ vectors


def _svg(figure: Figure, facts: _Facts, style: FigureStyle) -> bytes:
    metadata = {
        "Title": facts.title,
        "Description": facts.description,
        "Creator": CREATOR,
        "Date": None,
    }
    text = _saved(figure, "svg", style, clear=_is_clear(style), metadata=metadata).decode()
    described = f"</title>\n <desc>{html.escape(facts.description, quote=False)}</desc>"
    held = (
        f' <{SVG_ELEMENT} xmlns:{KEYWORD}="urn:{KEYWORD}:figure">{facts.provenance}'
        f"</{SVG_ELEMENT}>\n </metadata>"
    )
    # A reader of the screen takes it for one picture, whose name and description come first.
    text = text.replace("<svg ", '<svg role="img" ', 1)
    return text.replace("</title>", described, 1).replace("</metadata>", held, 1).encode()


def _pdf(figure: Figure, facts: _Facts, style: FigureStyle) -> bytes:
    from matplotlib.backends.backend_pdf import PdfPages  # loads fontTools, which takes a while

    told = {"Title": facts.title, "Subject": facts.description, "Creator": CREATOR}
    buffer = io.BytesIO()
    with PdfPages(buffer, metadata={**told, "CreationDate": None}) as pages:
        # In the document information, which programs keep that write a PDF anew; an attached file
        # is what printers and journals turn down.
        pages.infodict()[KEYWORD] = facts.provenance
        figure.savefig(pages, format="pdf", dpi=style.dpi, transparent=_is_clear(style))
    return buffer.getvalue()


def _eps(figure: Figure, facts: _Facts, style: FigureStyle) -> bytes:
    data = _saved(figure, "eps", style, metadata={"Creator": CREATOR})
    data = _with_clips_once(_with_images_packed(data))
    title = facts.title.encode("ascii", "replace")[:EPS_LINE]
    titled = re.sub(rb"(?m)^%%CreationDate: .*$", lambda _: b"%%Title: " + title, data, count=1)
    text = facts.provenance
    lines = (text[start : start + EPS_LINE] for start in range(0, len(text), EPS_LINE))
    comments = "".join(f"{EPS_COMMENT}{line}\n" for line in lines)
    return titled + f"%%Trailer\n{comments}%%EOF\n".encode()


def _with_images_packed(data: bytes) -> bytes:
    """Return an EPS whose images are packed, as those of a PDF are; matplotlib packs none.

    It is PostScript of level 3, which the file says of itself. The digits are read to their end
    before what comes after them is run.
    """

    def pack(found: re.Match[bytes]) -> bytes:
        size, digits = found.groups()
        packed = zlib.compress(bytes.fromhex(digits.decode()), 9).hex("\n", -64)
        return (
            b"{ /digits currentfile /ASCIIHexDecode filter def\n"
            b"%s digits /FlateDecode filter false 3 colorimage digits flushfile } exec\n%s>\n"
        ) % (size, packed.encode())

    image = (
        rb"/DataString \d+ string def\n(\d+ \d+ 8 \[ .* \])\n\{\n"
        rb"currentfile DataString readhexstring pop\n\} bind false 3 colorimage\n([0-9a-f\n]+)"
    )
    return re.sub(image, pack, data)


def _with_clips_once(data: bytes) -> bytes:
    """Return an EPS in which each outline that clips is defined once.

    matplotlib tells outlines apart by where they lie in memory, so that some are defined several
    times, and not the same ones every time.
    """
    names: dict[bytes, bytes] = {}
    defined: dict[bytes, bytes] = {}

    def define(found: re.Match[bytes]) -> bytes:
        given, outline = found.groups()
        is_new = outline not in defined
        names[given] = defined.setdefault(outline, b"c%d" % len(defined))
        return b"/%s {\n%s} bind def\n" % (names[given], outline) if is_new else b""

    data = re.sub(rb"(?m)^/(c\d+) \{\n([^}]*)\} bind def\n", define, data)
    # Nowhere else: the last line of an image in hexadecimal digits may look the same.
    used = rb"(?m)(?:(?<=gsave\n)|(?<=rectclip\n)|(?<=bind def\n))c\d+$"
    return re.sub(used, lambda found: names[found[0]], data)


def _font_type(figure: Figure) -> int:
    """Return how fonts go into a PDF or EPS: as TrueType, or drawn where one of them is not that.

    matplotlib calls all fonts TrueType, and an OpenType one with PostScript outlines would make a
    file that some programs refuse.
    """
    missing = set("0".join(text.get_text() for text in figure.findobj(Text)))
    for family in mpl.rcParams["font.family"]:
        path = findfont(FontProperties(family=[family]))
        there = {chr(code) for code in get_font(path).get_charmap()}
        if missing & there and _is_postscript(path):
            return DRAWN
        missing -= there
    return TRUE_TYPE


@cache
def _is_postscript(path: str) -> bool:
    """Say whether a font has PostScript outlines; of a collection, whether its first one has."""
    with Path(path).open("rb") as file:
        head = file.read(16)
        if head.startswith(b"ttcf"):
            file.seek(struct.unpack_from(">I", head, 12)[0])
            head = file.read(4)
    return head.startswith(b"OTTO")


_WRITERS: dict[str, Callable[[Figure, _Facts, FigureStyle], bytes]] = {
    "png": _png,
    "svg": _svg,
    "pdf": _pdf,
    "eps": _eps,
    "tiff": _tiff,
}
