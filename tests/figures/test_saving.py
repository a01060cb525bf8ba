"""Figures as files: what other programs find in them, and that they are the same every time."""

import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.path import Path as Outline
from PIL import Image
from pypdf import PdfReader, PdfWriter

import mhagui
from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.document.provenance import provenance_of_file, provenance_to_text
from mhagui.document.session_file import session_from_bytes
from mhagui.document.view_state import WhatIf
from mhagui.errors import UserError
from mhagui.figures import FORMATS, FigureStyle, Ground, Subject, render, style_to_entry
from mhagui.figures.saving import provenance_of, to_bytes

pytestmark = pytest.mark.thorough

SVG = "{http://www.w3.org/2000/svg}"
INCHES = (3.2, 2.45)
TITLE = "Größe <W_O> & (more) – 注"
COLOURS = ("#440154", "#21918c", "#fde725", "#b2182b")
# Where the four cells have their centres, as shares of the width, and of the height from above.
CENTRES = ((0.3, 0.35), (0.7, 0.35), (0.3, 0.75), (0.7, 0.75))
LIGHT = FigureStyle(dpi=200)


def small_figure(ground="#ffffff", font="DejaVu Sans"):
    """Four cells whose colours are known, a hatched part of a fifth, and text."""
    with mpl.rc_context({"font.family": [font, "DejaVu Sans"], "axes.facecolor": ground}):
        figure = Figure(figsize=INCHES, facecolor=ground)
        figure.set_label(TITLE)
        axes = figure.add_axes((0.1, 0.05, 0.8, 0.8))
        axes.set(xlim=(0, 2), ylim=(2, 0), xticks=[], yticks=[])
        for number, colour in enumerate(COLOURS):
            axes.add_patch(Rectangle((number % 2, number // 2), 1, 1, color=colour, lw=0))
        outline = Outline([(0, 0), (0.3, 0), (0.3, 0.3), (0, 0)])
        for shift in np.linspace(0, 0.3, 12):
            (stripe,) = axes.plot([shift, 0], [0, shift], color="black", lw=0.5)
            stripe.set_clip_path(outline, axes.transData)
        figure.text(0.1, 0.9, "weights A ≈ 0.5")
    return figure


@pytest.fixture(scope="module")
def subject(four_heads):
    return Subject(*four_heads, LIGHT, row=4, head=2, sizes=WhatIf(8, 2, 4, 4, 9))


@pytest.fixture(scope="module")
def provenance(subject):
    return provenance_of("heads", subject)


@pytest.fixture(scope="module")
def files(provenance):
    figure = small_figure()
    return {kind: to_bytes(figure, kind, provenance, LIGHT) for kind in FORMATS}


def run(*command, given=None):
    done = subprocess.run(command, input=given, capture_output=True, timeout=60, check=True)
    assert not done.stderr, done.stderr
    return done.stdout


def as_picture(kind, data, folder, dpi):
    """The picture that another program makes of a file."""
    path = folder / f"figure.{kind}"
    path.write_bytes(data)
    if kind == "svg":
        picture = run("rsvg-convert", "-d", str(dpi), "-p", str(dpi), path)
    elif kind == "pdf":
        picture = run("pdftocairo", "-png", "-transp", "-singlefile", "-r", str(dpi), path, "-")
    elif kind == "eps":
        habits = ("-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-dEPSCrop", "-sDEVICE=png16m")
        picture = run("gs", *habits, f"-r{dpi}", "-sOutputFile=-", path)
    else:
        picture = data
    with Image.open(io.BytesIO(picture)) as image:
        return np.asarray(image.convert("RGBA"))


def at_centres(pixels):
    height, width = pixels.shape[:2]
    return [tuple(map(int, pixels[int(y * height), int(x * width)])) for x, y in CENTRES]


# ------------------------------------------------------------------------------------------- looks


@pytest.mark.parametrize("kind", FORMATS)
def test_another_program_sees_the_colours_where_they_are(kind, files, tmp_path):
    pixels = as_picture(kind, files[kind], tmp_path, 200)
    wanted = [(*(int(colour[i : i + 2], 16) for i in (1, 3, 5)), 255) for colour in COLOURS]
    np.testing.assert_allclose(at_centres(pixels), wanted, atol=1)
    np.testing.assert_allclose(np.array(pixels.shape[:2]), np.array(INCHES[::-1]) * 200, atol=3)


@pytest.mark.parametrize("kind", ["svg", "pdf", "eps"])
def test_vectors_look_as_the_png_does(kind, files, tmp_path):
    seen = as_picture(kind, files[kind], tmp_path, 200)[..., :3].astype(float)
    wanted = as_picture("png", files["png"], tmp_path, 200)[..., :3].astype(float)
    height, width = (min(sizes) for sizes in zip(seen.shape[:2], wanted.shape[:2], strict=True))
    # Letters and stripes are not smoothed alike; on the whole there is hardly a difference.
    assert np.abs(seen[:height, :width] - wanted[:height, :width]).mean() < 3


@pytest.mark.parametrize("ground", [Ground.DARK, Ground.TRANSPARENT])
@pytest.mark.parametrize("kind", FORMATS)
def test_the_ground(kind, ground, provenance, tmp_path):
    figure = small_figure("#1b1d20" if ground is Ground.DARK else "#ffffff")
    data = to_bytes(figure, kind, provenance, FigureStyle(ground=ground, dpi=60))
    corner = tuple(map(int, as_picture(kind, data, tmp_path, 60)[1, 1]))
    if ground is Ground.DARK:
        assert corner == (0x1B, 0x1D, 0x20, 255)
    elif kind != "eps":
        assert corner[3] == 0
    else:  # an EPS has no transparency
        assert corner == (255, 255, 255, 255)


# -------------------------------------------------------------------------------- each format's own


@pytest.mark.parametrize("kind", ["png", "tiff"])
@pytest.mark.parametrize(("dpi", "pixels"), [(72, (230, 176)), (300, (960, 735))])
def test_pixels_are_inches_times_dpi(kind, dpi, pixels, provenance):
    data = to_bytes(small_figure(), kind, provenance, FigureStyle(dpi=dpi))
    with Image.open(io.BytesIO(data)) as image:
        assert image.size == pixels
        assert image.info["dpi"] == pytest.approx((dpi, dpi), abs=0.02)
        assert image.mode == "RGB"
        assert image.info.get("compression", "tiff_lzw") == "tiff_lzw"


@given(width=st.floats(0.3, 3), height=st.floats(0.3, 3), dpi=st.integers(30, 200))
@settings(max_examples=25)
def test_pngs_of_any_size(provenance, width, height, dpi):
    figure = Figure(figsize=(width, height), facecolor="#336699")
    data = to_bytes(figure, "png", provenance, FigureStyle(dpi=dpi))
    with Image.open(io.BytesIO(data)) as image:
        np.testing.assert_allclose(image.size, (width * dpi, height * dpi), atol=1)
        assert image.getcolors() == [(image.width * image.height, (0x33, 0x66, 0x99))]


@pytest.mark.parametrize("kind", ["png", "tiff"])
def test_no_more_pixels_than_memory_holds(kind, provenance):
    page = Figure(figsize=(30.0, 40.0))
    with pytest.raises(UserError, match=r"At 1200 dpi .* give 472 dpi or less"):
        to_bytes(page, kind, provenance, FigureStyle(dpi=1200))
    assert to_bytes(page, "svg", provenance, FigureStyle(dpi=1200))


def test_what_a_png_says_of_itself(files, provenance):
    with Image.open(io.BytesIO(files["png"])) as image:
        image.load()
        assert image.text["Title"] == TITLE
        assert image.text["Software"] == f"mhagui {mhagui.__version__}"
        assert image.text["Description"].endswith("from the scene “four heads”.")
        assert image.text["mhagui"] == provenance_to_text(provenance)


def test_what_a_tiff_says_of_itself(files):
    with Image.open(io.BytesIO(files["tiff"])) as image:
        told = {image.tag_v2.tagtype[tag] and tag: image.tag_v2[tag] for tag in (269, 270, 305)}
    assert told[269].startswith("Gr??e <W_O> & (more)")  # which has no other letters
    assert told[270].startswith('{"app":')
    assert told[305] == f"mhagui {mhagui.__version__}"


def test_an_svg_has_its_size_and_its_text(files):
    root = ET.fromstring(files["svg"])
    assert (root.get("width"), root.get("height")) == ("230.4pt", "176.4pt")
    assert root.get("viewBox") == "0 0 230.4 176.4"
    assert [text.text for text in root.iter(f"{SVG}text")] == ["weights A ≈ 0.5"]


def test_an_svg_is_read_aloud_by_its_title(files):
    root = ET.fromstring(files["svg"])
    assert root.get("role") == "img"
    title, description, *_ = root
    assert (title.tag, title.text) == (f"{SVG}title", TITLE)
    assert description.tag == f"{SVG}desc"
    assert description.text.startswith(TITLE)
    dublin_core = {element.tag.rpartition("}")[2]: element.text for element in root.iter()}
    assert dublin_core["format"] == "image/svg+xml"
    assert "date" not in dublin_core


def test_outlines_in_an_svg_need_no_font(provenance):
    data = to_bytes(small_figure(), "svg", provenance, FigureStyle(outlines=True))
    assert not list(ET.fromstring(data).iter(f"{SVG}text"))
    assert b"font-family" not in data


def test_a_pdf_has_its_size_and_its_title(files):
    reader = PdfReader(io.BytesIO(files["pdf"]), strict=True)
    (page,) = reader.pages
    assert [float(edge) for edge in page.mediabox] == pytest.approx([0, 0, 230.4, 176.4])
    assert reader.metadata.title == TITLE
    assert reader.metadata.creator == f"mhagui {mhagui.__version__}"
    assert reader.metadata.creation_date is None
    assert "weights A ≈ 0.5" in page.extract_text()


def fonts_in(data, folder):
    path = folder / "fonts.pdf"
    path.write_bytes(data)
    rows = run("pdffonts", path).decode().splitlines()[2:]
    return [(row[:36].partition("+")[2].strip(), row[37:54].strip(), row[72:75]) for row in rows]


def test_fonts_in_a_pdf_are_embedded_as_true_type(files, tmp_path):
    assert fonts_in(files["pdf"], tmp_path) == [("DejaVuSans", "CID TrueType", "yes")]


@pytest.fixture
def postscript_font():
    """A font with PostScript outlines, as a user may have installed it."""
    path = Path(__file__).parents[2] / "resources" / "fonts" / "Inter-Regular.otf"
    known = list(font_manager.fontManager.ttflist)
    font_manager.fontManager.addfont(path)
    yield "Inter"
    font_manager.fontManager.ttflist = known


@pytest.mark.parametrize("kind", ["pdf", "eps"])
def test_fonts_that_are_no_true_type_are_drawn(kind, postscript_font, provenance, tmp_path):
    with mpl.rc_context({"font.family": [postscript_font, "DejaVu Sans"]}):
        data = to_bytes(small_figure(font=postscript_font), kind, provenance, LIGHT)
    as_picture(kind, data, tmp_path, 60)  # without a word of complaint
    if kind == "pdf":
        fonts = fonts_in(data, tmp_path)
        assert ("Inter-Regular", "Type 3", "yes") in fonts
        assert {embedded for _, _, embedded in fonts} == {"yes"}


def test_an_eps_is_as_the_conventions_want_it(files):
    text = files["eps"].decode("latin-1")
    lines = text.splitlines()
    assert lines[0] == "%!PS-Adobe-3.0 EPSF-3.0"
    assert lines[-1] == "%%EOF"
    assert max(map(len, lines)) <= 255
    assert "%%BoundingBox: 0 0 231 177" in lines
    assert "%%HiResBoundingBox: 0.000000 0.000000 230.400000 176.400000" in lines
    assert f"%%Title: {TITLE.encode('ascii', 'replace').decode()}" in lines
    assert "CreationDate" not in text
    assert not re.search(r"setopacity|setfillconstantalpha|pdfmark|setsoftmask", text)


def test_an_eps_ends_where_its_box_says(files, tmp_path):
    path = tmp_path / "figure.eps"
    path.write_bytes(files["eps"])
    command = ("gs", "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=bbox", path)
    told = subprocess.run(command, capture_output=True, timeout=60, check=True).stderr.decode()
    left, bottom, right, top = map(int, re.search(r"%%BoundingBox: (.*)", told)[1].split())
    assert min(left, bottom) >= 0
    assert (right <= 231, top <= 177) == (True, True)


def test_an_eps_packs_its_images(provenance, tmp_path):
    figure, pixels = Figure(figsize=INCHES), np.kron(np.eye(4), np.ones((150, 150)))
    for left in (0.1, 0.6):
        axes = figure.add_axes((left, 0.2, 0.3, 0.6), xticks=[], yticks=[])
        axes.imshow(pixels, interpolation="none", aspect="auto", cmap="gray")
    figure.text(0.1, 0.9, "what comes after them")
    with mpl.rc_context({"font.family": "DejaVu Sans"}):
        data = {kind: to_bytes(figure, kind, provenance, LIGHT) for kind in ("eps", "png")}
        pixels[:] = 0
        plain = to_bytes(Figure(figsize=INCHES), "eps", provenance, LIGHT)
    assert len(data["eps"]) - len(plain) < 2 * pixels.size * 6 / 10  # of six digits each
    seen, wanted = (as_picture(kind, data[kind], tmp_path, 200) for kind in ("eps", "png"))
    height, width = (min(sides) for sides in zip(seen.shape[:2], wanted.shape[:2], strict=True))
    shift = np.abs(seen[:height, :width].astype(int) - wanted[:height, :width])
    assert shift.mean() < 3


def test_large_matrices_take_a_small_eps():
    scene = SetSequenceLength(100).apply(load_lesson("four-heads"))
    data = render("heads", Subject(scene, compute(scene)), "eps")
    assert len(data) < 500_000


# ------------------------------------------------------------------------------ where it comes from


def test_provenance_says_what_was_asked_for(subject, provenance):
    assert provenance.app == mhagui.__version__
    assert (provenance.figure, provenance.title) == ("heads", "four heads")
    assert (provenance.row, provenance.head, provenance.sizes) == (4, 2, subject.sizes)
    assert provenance.style == style_to_entry(LIGHT)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_figure_gives_its_scene_back(kind, files, subject, provenance):
    assert provenance_of_file(files[kind]) == provenance
    assert session_from_bytes(files[kind]).scene == subject.scene


@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "tiff"])
def test_a_scene_stays_out_where_it_is_not_wanted(kind, four_heads):
    style = FigureStyle(embed_scene=False, dpi=60)
    provenance = provenance_of("heads", Subject(*four_heads, style))
    read = provenance_of_file(to_bytes(small_figure(), kind, provenance, style))
    assert read == provenance
    assert read.scene is None


def test_a_pdf_written_anew_keeps_its_scene(files, provenance):
    anew = io.BytesIO()
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(files["pdf"])))
    writer.compress_identical_objects()
    writer.write(anew)
    assert anew.getvalue() != files["pdf"]
    assert provenance_of_file(anew.getvalue()) == provenance


@pytest.mark.parametrize("packs", [True, False])
def test_a_png_written_anew_keeps_its_scene(packs, files, provenance):
    from PIL.PngImagePlugin import PngInfo

    anew, texts = io.BytesIO(), PngInfo()
    with Image.open(io.BytesIO(files["png"])) as image:
        texts.add_text("mhagui", str(image.text["mhagui"]), zip=packs)
        image.save(anew, "png", pnginfo=texts)
    assert provenance_of_file(anew.getvalue()) == provenance


# ------------------------------------------------------------------------ the same bytes every time

PROGRAM = """
import gc, sys
gc.set_threshold(int(sys.argv[1]))
sys.path[:0] = sys.argv[2:4]
from test_saving import small_figure, LIGHT
from mhagui.document import compute, load_lesson
from mhagui.figures import FORMATS, Subject
from mhagui.figures.saving import provenance_of, to_bytes
import hashlib
scene = load_lesson("four-heads")
provenance = provenance_of("heads", Subject(scene, compute(scene), LIGHT, row=4, head=2))
for kind in FORMATS:
    print(kind, hashlib.sha256(to_bytes(small_figure(), kind, provenance, LIGHT)).hexdigest())
"""


def test_two_processes_write_the_same_bytes():
    here = Path(__file__)
    worlds = (
        ("700", {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "0"}),
        ("3", {"PYTHONHASHSEED": "2", "TZ": "America/Lima", "LC_ALL": "C"}),
    )
    command = (sys.executable, "-c", PROGRAM)
    folders = (str(here.parent), str(here.parents[2]))
    running = [
        subprocess.Popen(
            (*command, threshold, *folders), env={**os.environ, **world}, stdout=subprocess.PIPE
        )
        for threshold, world in worlds
    ]
    one, other = (process.communicate(timeout=100)[0].decode() for process in running)
    assert one == other
    assert [row.split()[0] for row in one.splitlines()] == list(FORMATS)


def test_an_outline_that_clips_is_defined_once(files):
    text = files["eps"].decode("latin-1")
    assert re.findall(r"(?m)^/(c\d+) \{$", text) == ["c0"]
    assert len(re.findall(r"(?m)^c0$", text)) == 12
