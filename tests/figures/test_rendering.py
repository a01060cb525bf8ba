"""The files of figures: true to size, the same every time, and written all or none."""

import errno
import hashlib
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
from PIL import Image
from pypdf import PdfReader

import mhagui
from mhagui import figures
from mhagui.document import compute
from mhagui.document.edits import SetSequenceLength, rename_head
from mhagui.errors import UserError
from mhagui.figures import FigureStyle, Preset, Subject
from mhagui.figures.drawing import draw, pixels
from mhagui.files import write_into

pytestmark = pytest.mark.thorough

MM = 25.4
SVG = "{http://www.w3.org/2000/svg}"
SMALL = FigureStyle(dpi=72)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def plain(element):
    return "".join(element.itertext()).strip()


# ------------------------------------------------------------------------------------- each format


@pytest.mark.parametrize(
    ("name", "preset", "width", "there"),
    [
        (
            "heads",
            Preset.DOUBLE_COLUMN,
            170,
            {"h2 previous token", "t6", "0.96", "weight A, all heads"},
        ),
        ("projection", Preset.SINGLE_COLUMN, 85, {"Concat", "h4.2", "output channel"}),
        ("packed-wq", Preset.DOUBLE_COLUMN, 170, {"h1.q1", "−2.60", "query dimension"}),
        ("impulse", Preset.POSTER, 600, {"weight at t4", "h4 growing box", "key position i"}),
        ("entropy", Preset.SLIDE, 1000 / 3 * 1.016, {"ceiling log₂ t", "h4 uniform", "t6"}),
    ],
)
def test_files_have_the_size_of_the_page_and_their_text_as_text(
    four_heads, draw, name, preset, width, there
):
    style = FigureStyle(preset=preset, dpi=72)
    subject = Subject(*four_heads, style)
    files = figures.render_all(subject, [name], ["png", "svg", "pdf"])
    inches = draw(name, *four_heads, preset=preset).get_size_inches()
    assert inches[0] * MM == pytest.approx(width)
    with Image.open(io.BytesIO(files[f"{name}.png"])) as image:
        np.testing.assert_allclose(image.size, inches * 72, atol=1)
        np.testing.assert_allclose(image.info["dpi"], 72, rtol=0.01)  # pHYs counts per metre
    root = ET.fromstring(files[f"{name}.svg"])
    size = [float(root.get(side).removesuffix("pt")) for side in ("width", "height")]
    box = [float(part) for part in root.get("viewBox").split()]
    np.testing.assert_allclose(size, inches * 72, atol=0.01)
    np.testing.assert_allclose(box, [0, 0, *size], atol=0.01)
    assert {plain(element) for element in root.iter(f"{SVG}text")} >= there
    assert root.find(f"{SVG}title").text.startswith("four heads: ")
    (page,) = PdfReader(io.BytesIO(files[f"{name}.pdf"])).pages
    np.testing.assert_allclose([float(at) for at in page.mediabox[2:]], inches * 72, atol=0.01)
    text = page.extract_text()
    assert all(word in text for word in there if not set(word) & set("−—"))


@pytest.mark.parametrize("name", ["heads", "w-o", "impulse", "information", "cost"])
def test_a_pdf_has_nothing_but_true_type_fonts_inside(four_heads, name):
    reader = PdfReader(io.BytesIO(figures.render(name, Subject(*four_heads, SMALL), "pdf")))
    fonts = [font.get_object() for font in reader.pages[0]["/Resources"]["/Font"].values()]
    assert fonts
    for font in fonts:
        (descendant,) = font["/DescendantFonts"]
        assert font["/Subtype"] == "/Type0"
        assert "/FontFile2" in descendant.get_object()["/FontDescriptor"]


def test_a_thousand_positions_can_be_drawn_and_stay_small(any_scene):
    subject = Subject(*any_scene("t1024"), FigureStyle(dpi=100))
    contents = figures.render_all(subject, ["heads", "impulse"], ["png", "pdf"])
    assert len(contents) == 4
    assert all(1_000 < len(data) < 1_000_000 for data in contents.values())


def test_pixels_are_those_of_the_png(two_heads):
    subject = Subject(*two_heads, SMALL)
    with Image.open(io.BytesIO(figures.render("heads", subject, "png"))) as image:
        np.testing.assert_array_equal(
            pixels(draw("heads", subject), subject.style)[..., :3], np.asarray(image)
        )


# ----------------------------------------------------------------------------- the same every time

ELSEWHERE = """
import hashlib, sys
from mhagui.document import compute, load_lesson
from mhagui.figures import FigureStyle, FORMATS, Subject, render
scene = load_lesson("two-heads")
subject = Subject(scene, compute(scene), FigureStyle(dpi=72))
for kind in reversed(FORMATS):
    print(f"w-o.{kind}", hashlib.sha256(render("w-o", subject, kind)).hexdigest())
"""


def test_a_figure_has_the_same_bytes_alone_with_others_and_in_another_process(two_heads):
    subject = Subject(*two_heads, SMALL)
    figures.render("redundancy", subject, "png")
    together = figures.render_all(subject, ["w-o"], figures.FORMATS)
    run = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        env=os.environ | {"PYTHONHASHSEED": "3", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "0"},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    alone = dict(line.split() for line in run.stdout.splitlines())
    assert alone == {name: hashlib.sha256(data).hexdigest() for name, data in together.items()}


def test_the_order_of_the_formats_makes_no_difference(two_heads):
    subject = Subject(*two_heads, SMALL)
    one = figures.render_all(subject, ["w-o"], ["png", "pdf", "svg"])
    other = figures.render_all(subject, ["w-o"], ["svg", "pdf", "png"])
    assert one == other
    assert list(other) == ["w-o.svg", "w-o.pdf", "w-o.png"]


def test_a_users_matplotlibrc_neither_matters_nor_changes(two_heads):
    subject = Subject(*two_heads)
    before = figures.render("entropy", subject, "svg")
    theirs = {"savefig.bbox": "tight", "font.size": 20, "text.usetex": False, "axes.grid": True}
    with mpl.rc_context(theirs):
        kept = dict(mpl.rcParams)
        assert figures.render("entropy", subject, "svg") == before
        assert dict(mpl.rcParams) == kept


def test_drawing_needs_neither_pyplot_nor_qt():
    code = (
        "import sys\n"
        "from mhagui import figures\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from mhagui.document import compute, load_lesson\n"
        "scene = load_lesson('two-heads')\n"
        "subject = figures.Subject(scene, compute(scene), figures.FigureStyle(dpi=72))\n"
        "figures.render_all(subject, ['heads'], ['png', 'svg', 'pdf', 'tiff'])\n"
        "print({'PySide6', 'matplotlib.pyplot', 'tkinter'} & set(sys.modules))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("set()\n", "")


def test_a_script_that_no_font_has_is_drawn_without_a_warning(two_heads, recwarn):
    scene = rename_head(1, "注意力 🙂").apply(two_heads[0])
    figures.render("heads", Subject(scene, compute(scene), SMALL), "png")
    assert not recwarn.list


# ------------------------------------------------------------------------------------ writing files


@pytest.mark.parametrize(
    ("names", "kinds"), [(list(figures.FIGURES), ["svg"]), (["heads"], figures.FORMATS)]
)
def test_every_figure_is_written_in_every_format(two_heads, tmp_path, names, kinds):
    out = tmp_path / "deep" / "out"
    paths = write_into(out, figures.render_all(Subject(*two_heads, SMALL), names, kinds))
    wanted = {f"{name}.{kind}" for name in names for kind in kinds}
    assert {path.name for path in paths} == wanted == set(names_in(out))
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "eps": b"%!PS", "tiff": b"II*"}
    for path in paths:
        assert path.read_bytes().startswith(starts[path.suffix[1:]])


def test_files_come_one_after_the_other_so_that_one_can_stop(two_heads):
    files = figures.render_each(Subject(*two_heads, SMALL), ["heads", "cost"], ["svg", "png"])
    assert [name for name, _ in files] == ["heads.svg", "heads.png", "cost.svg", "cost.png"]
    subject = Subject(*two_heads, FigureStyle(font="No Such Font"))
    files = figures.render_each(subject, ["heads"], ["svg"])  # nothing is drawn before it is asked
    with pytest.raises(UserError, match="no font"):
        next(files)


@pytest.mark.parametrize(
    ("names", "formats", "said"),
    [
        (["heads", "hands"], ["png"], "no figure “hands”; the figures are heads, head, scores"),
        (["heads"], ["png", "gif"], "no format “gif”; the formats are png, svg, pdf, eps, tiff"),
    ],
)
def test_a_bad_choice_is_named_at_once_and_nothing_written(
    two_heads, tmp_path, names, formats, said
):
    out, subject = tmp_path / "out", Subject(*two_heads, SMALL)
    with pytest.raises(UserError, match=said):
        write_into(out, figures.render_all(subject, names, formats))
    with pytest.raises(UserError, match=said):
        figures.render_each(subject, names, formats)
    assert not out.exists()


def test_what_cannot_be_drawn_leaves_nothing_half_written(lesson, tmp_path):
    subject = Subject(*lesson("two-heads", SetSequenceLength(6)), SMALL)
    with pytest.raises(UserError, match="packed W_Q does not exist"):
        write_into(tmp_path / "out", figures.render_all(subject, ["heads", "packed-wq"], ["svg"]))
    assert not (tmp_path / "out").exists()


def test_a_disk_that_fills_up_leaves_what_was_there(two_heads, tmp_path, monkeypatch):
    (tmp_path / "heads.png").write_bytes(b"old")
    kept, calls = os.fsync, []

    def fsync(descriptor):
        calls.append(descriptor)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        kept(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    subject = Subject(*two_heads, SMALL)
    files = figures.render_all(subject, ["heads", "entropy"], ["png", "svg"])
    with pytest.raises(UserError, match="the disk is full"):
        write_into(tmp_path, files)
    assert names_in(tmp_path) == ["heads.png"]
    assert (tmp_path / "heads.png").read_bytes() == b"old"


def test_the_row_asked_for_reaches_the_files(two_heads):
    written = {
        row: figures.render("impulse", Subject(*two_heads, row=row), "svg").decode()
        for row in (None, 3, 1)
    }
    said = {row: re.findall(r"weight at t\d", text) for row, text in written.items()}
    assert said == {None: ["weight at t4"], 3: ["weight at t4"], 1: ["weight at t2"]}


def test_a_home_that_cannot_be_written_is_not_told_of(tmp_path):
    away = {"MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"}
    done = subprocess.run(
        [sys.executable, "-m", "mhagui", "export", "--out", tmp_path, "--figure", "entropy"],
        env={key: value for key, value in os.environ.items() if key not in away}
        | {"HOME": os.devnull, "PYTHONPATH": str(Path(mhagui.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
