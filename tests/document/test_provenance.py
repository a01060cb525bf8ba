"""What figures say of where they come from, in files that other programs wrote or that do harm."""

import base64
import io
import json
import struct
import time
import tracemalloc
import zlib
from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from pypdf import PdfWriter
from pypdf.generic import NameObject, StreamObject, TextStringObject

from mhagui.document import Session, WhatIf, load_lesson
from mhagui.document.provenance import (
    MAX_SCENE_BYTES,
    MAX_TEXT_BYTES,
    Provenance,
    is_figure,
    provenance_of_file,
    provenance_of_text,
    provenance_to_text,
    sha256,
)
from mhagui.document.session_file import session_from_bytes, session_to_bytes, session_to_json
from mhagui.errors import UserError

SCENE = load_lesson("two-heads")
SAVED = session_to_bytes(Session.of(SCENE))
MADE = Provenance(
    app="1.2.3",
    figure="heads",
    title="größer <2> & “more”",
    scene_sha256=sha256(SAVED),
    scene_bytes=len(SAVED),
    style={"dpi": 300, "font": "", "font_size": None, "title": True},
    row=3,
    head=1,
    sizes=WhatIf(8, 2, 4, 4, 9, 1),
    scene=SAVED,
)
TEXT = provenance_to_text(MADE)
DOT = Image.new("RGB", (3, 2), "red")


def png(text=TEXT, **given):
    texts = PngInfo()
    texts.add_itxt("mhagui", text, **given)
    return saved_by_pillow(DOT, "png", pnginfo=texts)


def saved_by_pillow(image, kind, **given):
    file = io.BytesIO()
    image.save(file, kind, **given)
    return file.getvalue()


def apng(text=TEXT):
    texts = PngInfo()
    texts.add_itxt("mhagui", text)
    frames = [Image.new("RGB", (3, 2), "blue")]
    return saved_by_pillow(DOT, "png", save_all=True, append_images=frames, pnginfo=texts)


def gif(text=TEXT):
    frames = [Image.new("RGB", (3, 2), "blue")]
    return saved_by_pillow(DOT, "gif", save_all=True, append_images=frames, comment=text)


def tiff(text=TEXT, **given):
    return saved_by_pillow(DOT, "tiff", tiffinfo={270: text}, **given)


def svg(text=TEXT, before=""):
    return (
        f'<?xml version="1.0"?>\n{before}<svg xmlns="http://www.w3.org/2000/svg"><metadata>'
        f'<mhagui:provenance xmlns:mhagui="urn:mhagui:figure">{text}</mhagui:provenance>'
        "</metadata></svg>\n"
    ).encode()


def pdf(text=TEXT, **given):
    writer, file = PdfWriter(), io.BytesIO()
    writer.add_blank_page(72, 72)
    writer.add_metadata({"/mhagui": text})
    if given.get("password"):
        writer.encrypt(given["password"], algorithm="RC4-128")
    writer.write(file)
    return file.getvalue()


def eps(text=TEXT, end="\n"):
    lines = ["%!PS-Adobe-3.0 EPSF-3.0", "showpage"]
    lines += [f"%mhagui: {text[start : start + 100]}" for start in range(0, len(text), 100)]
    return (end.join([*lines, "%%EOF"]) + end).encode()


FILES = {
    "PNG": png,
    "animated PNG": apng,
    "GIF": gif,
    "SVG": svg,
    "PDF": pdf,
    "EPS": eps,
    "TIFF": tiff,
}


def changed(**fields):
    """The text with other fields, as somebody may write it."""
    return json.dumps(json.loads(TEXT) | fields)


def packed(content):
    return base64.b64encode(zlib.compress(content, 9)).decode()


def bounded_refusal(refusal, content):
    """The sentence with which a file is refused, which costs little memory and time."""
    began = time.process_time()
    tracemalloc.start()
    try:
        sentence = refusal(provenance_of_file, content)
        assert tracemalloc.get_traced_memory()[1] < 9 * len(content) + 64 * 2**20
    finally:
        tracemalloc.stop()
    assert time.process_time() - began < 10
    return sentence


# --------------------------------------------------------------------------------------- the text


def test_the_text_is_one_line_of_ascii_that_stands_anywhere():
    assert TEXT.isascii()
    assert TEXT.isprintable()
    assert not set("<>&") & set(TEXT)
    assert list(json.loads(TEXT)) == sorted(json.loads(TEXT))
    assert json.loads(TEXT)["format"] == "mhagui figure"


def test_the_text_gives_all_back():
    assert provenance_of_text(TEXT.encode()) == MADE
    assert session_from_bytes(MADE.session_file()).scene == SCENE


@given(
    title=st.text(max_size=120),
    row=st.none() | st.integers(0, 9),
    style=st.dictionaries(
        st.text(max_size=9), st.none() | st.booleans() | st.text() | st.floats(0)
    ),
)
def test_any_provenance_comes_back(title, row, style):
    style = {name: value for name, value in style.items() if value != float("inf")}
    made = msgspec.structs.replace(MADE, title=title.encode("utf-8", "replace").decode(), row=row)
    made = msgspec.structs.replace(made, style=json.loads(json.dumps(style)))
    text = provenance_to_text(made)
    assert text.isascii()
    assert "\n" not in text
    assert provenance_of_text(text.encode()) == made


def test_the_scene_makes_a_figure_hardly_longer():
    assert len(TEXT) < len(SAVED)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"figure": "../../etc/passwd"}, "figure must be text"),
        ({"figure": "heads\n"}, "figure must be text"),
        ({"head": -1}, "head must be a whole number of at least 0"),
        ({"row": 1e300}, "row must be a whole number"),
        ({"title": "t" * 121}, "title must be text"),
        ({"style": [1]}, "style must be an object, not a list"),
        ({"scene": "not base64!"}, "damaged"),
        ({"scene": base64.b64encode(b"not zlib").decode()}, "it cannot be unpacked"),
        ({"sizes": {}}, "sizes lacks “d_model”"),
        ({"version": 2}, "version 2, which only a newer mhagui reads"),
        ({"scene_sha256": "0" * 64}, "is not the one it was drawn from"),
        ({"scene": packed(b"other")}, "is not the one it was drawn from"),
    ],
)
def test_what_is_wrong_in_it_is_named(fields, sentence, refusal):
    assert sentence in refusal(provenance_of_file, png(changed(**fields)))


def test_sizes_are_those_of_a_layer(refusal):
    sizes = json.loads(TEXT)["sizes"] | {"n_key_heads": 3}
    assert "at most as many key heads" in refusal(provenance_of_file, svg(changed(sizes=sizes)))
    sizes |= {"n_key_heads": 1, "d_k": 10**30}
    assert "sizes" in refusal(provenance_of_file, svg(changed(sizes=sizes)))


def test_why_there_is_no_scene(refusal):
    without = msgspec.structs.replace(MADE, scene=None)
    read = provenance_of_file(png(provenance_to_text(without)))
    assert read == without
    assert refusal(read.session_file) == "it was exported without its scene."
    large = msgspec.structs.replace(without, scene_bytes=MAX_SCENE_BYTES + 1)
    assert "holds no scene: this one has 4,194,305 bytes" in refusal(large.session_file)


# ---------------------------------------------------------------------------------- every format


@pytest.mark.parametrize("kind", FILES)
def test_it_is_read_from_every_format(kind):
    content = FILES[kind]()
    assert is_figure(content)
    assert provenance_of_file(content) == MADE


@pytest.mark.parametrize(
    "content",
    [
        png(zip=True),
        saved_by_pillow(DOT, "tiff", compression="tiff_deflate", tiffinfo={270: TEXT}),
        eps(end="\r\n"),
        svg(TEXT.replace('"', "&quot;")),
        b"\xef\xbb\xbf" + svg(),
        svg(before="<!-- by hand -->\n"),
    ],
)
def test_it_is_read_as_other_programs_write_it(content):
    assert provenance_of_file(content) == MADE


@pytest.mark.parametrize("keep_in", ["tEXt", "zTXt"])
def test_other_text_chunks(keep_in):
    texts = PngInfo()
    texts.add_text("mhagui", TEXT, zip=keep_in == "zTXt")
    content = saved_by_pillow(DOT, "png", pnginfo=texts)
    assert keep_in.encode() in content
    assert provenance_of_file(content) == MADE


@pytest.mark.parametrize("kind", FILES)
def test_what_others_drew_is_refused_by_its_format(kind, refusal):
    content = FILES[kind]("a picture of a cat")
    format_ = kind.removeprefix("animated ")
    wanted = f"it is {'an' if format_ in ('SVG', 'EPS') else 'a'} {format_} file, but no figure of"
    assert refusal(provenance_of_file, content) == f"{wanted} mhagui."


def test_what_is_no_figure_is_refused(refusal):
    for content in (b"", b"hello", SAVED, session_to_json(Session.of(SCENE)), b"<html></html>"):
        assert not is_figure(content)
        assert refusal(provenance_of_file, content).startswith("it is no figure: neither PNG, ")


# ------------------------------------------------------------------------------------ made to harm


def chunked(kind, content):
    data = kind + content
    length, check = struct.pack(">I", len(content)), struct.pack(">I", zlib.crc32(data))
    return b"\x89PNG\r\n\x1a\n" + length + data + check


@cache
def bomb(size=2**28):
    """So many zeros, in a thousandth of the room."""
    packer = zlib.compressobj(9)
    blank = bytes(2**20)
    return b"".join(packer.compress(blank) for _ in range(size // 2**20)) + packer.flush()


def test_texts_that_unpack_to_gigabytes(refusal):
    for kind, beginning in ((b"iTXt", b"mhagui\0\1\0\0\0"), (b"zTXt", b"mhagui\0\0")):
        sentence = bounded_refusal(refusal, chunked(kind, beginning + bomb()))
        assert f"unpacked it has more than {MAX_TEXT_BYTES:,} bytes" in sentence


def test_a_scene_that_unpacks_to_gigabytes(refusal):
    scene = base64.b64encode(bomb()).decode()
    sentence = bounded_refusal(refusal, svg(changed(scene=scene)))
    assert f"unpacked it has more than {MAX_SCENE_BYTES:,} bytes" in sentence


def test_a_figure_in_a_figure(refusal):
    inner = svg(provenance_to_text(MADE))
    text = changed(scene=packed(inner), scene_sha256=sha256(inner))
    assert "a figure stands where its scene should be" in bounded_refusal(refusal, png(text))
    assert "a figure stands" in refusal(session_from_bytes, png(text))


def test_entities_in_an_svg_are_never_expanded():
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 30))
    before = f'<!DOCTYPE svg [<!ENTITY l0 "ha"><!ENTITY f SYSTEM "file:///etc/passwd">{laughs}]>'
    content = svg(changed(title="&l29;&f;"), before)
    began = time.process_time()
    assert provenance_of_file(content).title == "&l29;&f;"
    assert time.process_time() - began < 1


def test_texts_that_are_too_long(refusal):
    long = changed(more="x" * MAX_TEXT_BYTES)
    for content in (png(long), svg(long), eps(long), tiff(long)):
        assert "it has more than" in bounded_refusal(refusal, content)


def test_text_that_is_nested_deeply(refusal):
    deep = TEXT.replace('"dpi":300', '"dpi":' + "[" * 100_000 + "]" * 100_000)
    assert "nested too deeply" in bounded_refusal(refusal, png(deep))


def test_a_tiff_whose_directory_lies(refusal):
    head = b"II*\0" + struct.pack("<I", 8)
    fields = struct.pack("<H2H2I", 1, 270, 2, 2**32 - 1, 2**32 - 1)
    assert "no figure of mhagui" in bounded_refusal(refusal, head + fields)
    assert "TIFF file that is damaged" in bounded_refusal(refusal, head + b"\xff\xff" + bytes(50))
    assert "TIFF file that is damaged" in bounded_refusal(refusal, head[:4] + b"\xff\xff\xff\xff")


def test_a_png_of_very_many_empty_chunks(refusal):
    content = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sI", 0, b"tEXt", 0) * 10**5
    assert "no figure of mhagui" in bounded_refusal(refusal, content)


def test_a_gif_of_thousands_of_comments(refusal):
    content = b"GIF89a" + b'!\xfe\x09{"app":12' * 200_000
    assert "no figure of mhagui" in bounded_refusal(refusal, content)


def test_a_pdf_that_is_locked_or_refers_to_itself(refusal):
    locked = pdf(password="secret")
    assert "damaged or locked" in bounded_refusal(refusal, locked)
    looped = pdf().replace(b"/Info", b"/Prev 0 /Info")
    assert bounded_refusal(refusal, looped.replace(b"startxref\n", b"startxref\n1"))


def test_a_pdf_whose_entry_is_a_stream_that_unpacks_to_gigabytes(refusal):
    writer, file = PdfWriter(), io.BytesIO()
    writer.add_blank_page(72, 72)
    stream = StreamObject()
    stream._data = bomb()
    stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    writer.add_metadata({"/Title": TextStringObject("t")})
    writer._info[NameObject("/mhagui")] = writer._add_object(stream)
    writer.write(file)
    assert "no figure of mhagui" in bounded_refusal(refusal, file.getvalue())


def opened(content):
    """The scene in a figure, or None and the sentence with which it is refused."""
    try:
        return session_from_bytes(content).scene, ""
    except UserError as error:
        return None, str(error)


WHOLE = {kind: make() for kind, make in FILES.items()}


@given(st.data())
@settings(max_examples=100)
def test_a_figure_that_was_tampered_with_is_refused_or_opens_the_same_scene(data):
    content = bytearray(WHOLE[data.draw(st.sampled_from(sorted(WHOLE)))])
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content) - 1))
        end = start + data.draw(st.sampled_from([0, 1, 1, 4, 50, len(content)]))
        content[start:end] = data.draw(st.binary(max_size=6))
        if not content:
            return
    scene, sentence = opened(bytes(content))
    assert scene in (None, SCENE)
    assert sentence.isprintable()
    assert len(sentence) < 600


def test_a_pdf_whose_entry_lies_elsewhere_in_the_file():
    writer, file = PdfWriter(), io.BytesIO()
    writer.add_blank_page(72, 72)
    writer.add_metadata({"/Title": TextStringObject("t")})
    writer._info[NameObject("/mhagui")] = writer._add_object(TextStringObject(TEXT))
    writer.write(file)
    assert provenance_of_file(file.getvalue()) == provenance_of_file(pdf())
