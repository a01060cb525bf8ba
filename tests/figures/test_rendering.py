"""The files: complete, true to size and colour, the same every time, and written all or none."""

import errno
import io
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
import zlib
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import mhagui
from mhagui import figures
from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.errors import UserError
from mhagui.figures.page import to_bytes

SVG = "{http://www.w3.org/2000/svg}"


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def viridis(weight):
    return np.round(255 * np.array(mpl.colormaps["viridis"](weight)[:3]))


def off_centre(axes, row, column):
    """Return where in the figure a cell's upper left quarter is, beside its value, from 0 to 1."""
    point = axes.transData.transform((column + 0.2, row + 0.2))
    return axes.figure.transFigure.inverted().transform(point)


def assert_has_the_lessons_colours(image, figure, attention):
    """Look into each cell of each head in a picture of the heads."""
    pixels = np.asarray(image.convert("RGB"), dtype=float)
    height, width, _ = pixels.shape
    for axes, weights in zip(figure.axes, attention, strict=False):
        for row in range(len(weights)):
            for column in range(row + 1):
                x, y = off_centre(axes, row, column)
                seen = pixels[int((1 - y) * height), int(x * width)]
                np.testing.assert_allclose(seen, viridis(weights[row][column]), atol=4)


def assert_is_hatched(image, figure):
    """Look at the masked triangle: white and grey, and nothing of the colours."""
    pixels = np.asarray(image.convert("RGB"), dtype=int)
    height, width, _ = pixels.shape
    (left, top), (right, bottom) = (off_centre(figure.axes[0], *cell) for cell in ((0, 3), (2, 5)))
    part = pixels[int((1 - top) * height) : int((1 - bottom) * height)]
    part = part[:, int(left * width) : int(right * width)]
    assert (np.ptp(part, axis=2) <= 3).all()
    assert part.min() < 235
    assert part.max() == 255


def unpacked(pdf):
    """Return a PDF with its streams unpacked as far as they are packed."""
    streams = re.findall(rb"stream\r?\n(.*?)\nendstream", pdf, re.DOTALL)
    # An object, for what stands behind the packed bytes does not disturb it.
    return [
        zlib.decompressobj().decompress(stream) if stream[:1] == b"x" else stream
        for stream in streams
    ]


# ------------------------------------------------------------------------------------- each format


@pytest.mark.parametrize(
    ("name", "dpi"), [("heads", 300), *((name, 72) for name in figures.FIGURES)]
)
def test_png_has_its_size_in_inches_and_says_so(four_heads, name, dpi):
    figure = figures.draw(name, *four_heads)
    image = Image.open(io.BytesIO(figures.render(figure, "png", dpi)))
    np.testing.assert_allclose(image.size, figure.get_size_inches() * dpi, atol=1)
    np.testing.assert_allclose(image.info["dpi"], dpi, rtol=0.01)  # pHYs counts per metre
    assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize("name", figures.FIGURES)
def test_pdf_has_one_page_of_its_size_with_true_type_fonts_inside(four_heads, name):
    figure = figures.draw(name, *four_heads)
    pdf = figures.render(figure, "pdf")
    (box,) = re.findall(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", pdf)
    np.testing.assert_allclose([float(n) for n in box], figure.get_size_inches() * 72, atol=0.01)
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert len(re.findall(rb"/BaseFont /\w+\+DejaVuSans", pdf)) >= 1
    assert any(b" Tj" in stream or b" TJ" in stream for stream in unpacked(pdf))


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("heads", {"Head 2 — previous token", "t6", "0.96", "weight"}),
        ("projection", {"Concat", "h4.2", "d8", "−0.50", "output channel"}),
        ("packed-wq", {"h1.q1", "x8", "−2.60", "query dimension"}),
        ("impulse", {"weight at t4", "unit delay z⁻¹", "growing box", "key position i"}),
        ("entropy", {"ceiling log₂ t", "h4 uniform", "row entropy (bits)"}),
    ],
)
def test_svg_is_sound_has_its_size_and_its_text_as_text(four_heads, name, there):
    figure = figures.draw(name, *four_heads)
    root = ET.fromstring(figures.render(figure, "svg"))
    width, height = figure.get_size_inches() * 72
    assert float(root.get("width").removesuffix("pt")) == pytest.approx(width, abs=0.01)
    assert float(root.get("height").removesuffix("pt")) == pytest.approx(height, abs=0.01)
    texts = {"".join(element.itertext()).strip() for element in root.iter(f"{SVG}text")}
    assert texts >= there
    assert root.find(f"{SVG}title").text.startswith("four heads: ")


# ------------------------------------------------------------------------------------------ colours


@pytest.mark.parametrize("dpi", [60, 150])
def test_png_cells_have_the_colours_of_the_numbers(four_heads, expected, dpi):
    figure = figures.draw("heads", *four_heads)
    image = Image.open(io.BytesIO(figures.render(figure, "png", dpi)))
    assert_has_the_lessons_colours(image, figure, expected["four_heads"]["attention"])
    assert_is_hatched(image, figure)


def test_svg_cells_have_the_colours_of_the_numbers(two_heads, expected):
    root = ET.fromstring(figures.render(figures.draw("heads", *two_heads), "svg"))
    meshes = [g for g in root.iter(f"{SVG}g") if re.fullmatch(r"QuadMesh_[12]", g.get("id", ""))]
    for mesh, weights in zip(meshes, expected["two_heads"]["attention"], strict=True):
        fills = [re.search(r"fill: (#?\w+)", path.get("style"))[1] for path in mesh]
        for (row, column), weight in np.ndenumerate(weights):
            fill = fills[4 * row + column]
            if column > row:
                assert fill == "none"
            else:
                channels = [int(fill[at : at + 2], 16) for at in (1, 3, 5)]
                np.testing.assert_allclose(channels, viridis(weight), atol=2)


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("pdf", ["pdftoppm", "-r", "150", "-png", "-singlefile", "in.pdf", "out"]),
        ("svg", ["rsvg-convert", "-d", "150", "-p", "150", "in.svg", "-o", "out.png"]),
    ],
)
def test_vector_files_show_the_colours_in_a_viewer(four_heads, expected, tmp_path, kind, command):
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    figure = figures.draw("heads", *four_heads)
    (tmp_path / f"in.{kind}").write_bytes(figures.render(figure, kind))
    subprocess.run(command, cwd=tmp_path, check=True)
    image = Image.open(tmp_path / "out.png")
    assert_has_the_lessons_colours(image, figure, expected["four_heads"]["attention"])
    assert_is_hatched(image, figure)


def test_a_thousand_positions_can_be_drawn_and_stay_small():
    scene = SetSequenceLength(1024).apply(load_lesson("four-heads"))
    names = ["heads", "projection", "impulse", "entropy"]
    contents = figures.render_all(scene, compute(scene), names, ["png", "pdf"], 100)
    assert len(contents) == 8
    assert all(1_000 < len(data) < 1_000_000 for data in contents.values())


# ---------------------------------------------------------------------------------- no side effects


@pytest.mark.parametrize("kind", figures.FORMATS)
def test_the_same_scene_gives_the_same_bytes(two_heads, kind):
    once, again = (figures.render(figures.draw("heads", *two_heads), kind) for _ in range(2))
    assert once == again
    assert b"CreationDate" not in once
    assert b"<dc:date>" not in once


def test_a_users_matplotlibrc_neither_matters_nor_changes(two_heads):
    plain = figures.render(figures.draw("entropy", *two_heads), "svg")
    theirs = {"savefig.bbox": "tight", "font.size": 20, "text.usetex": False, "axes.grid": True}
    with mpl.rc_context(theirs):
        before = dict(mpl.rcParams)
        assert figures.render(figures.draw("entropy", *two_heads), "svg") == plain
        assert dict(mpl.rcParams) == before


def test_drawing_needs_neither_pyplot_nor_qt(tmp_path):
    code = (
        "import sys\n"
        "from mhagui import figures\n"
        "assert 'matplotlib' not in sys.modules and 'numpy' not in sys.modules\n"
        "from mhagui.document import compute, load_lesson\n"
        "scene = load_lesson('two-heads')\n"
        "figures.render_all(scene, compute(scene), ['heads'], figures.FORMATS, 72)\n"
        "print({'PySide6', 'matplotlib.pyplot', 'tkinter'} & set(sys.modules))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("set()\n", "")


def test_a_script_that_no_font_has_is_drawn_without_a_warning(two_heads, recwarn):
    from mhagui.document.edits import rename_head

    scene = rename_head(1, "注意力 🙂").apply(two_heads[0])
    figures.render(figures.draw("heads", scene, compute(scene)), "png", 72)
    assert not recwarn.list


# ------------------------------------------------------------------------------------ writing files


@pytest.mark.parametrize(
    ("names", "kinds"), [(list(figures.FIGURES), ["svg"]), (["heads", "cost"], figures.FORMATS)]
)
def test_every_figure_is_written_in_every_format(two_heads, tmp_path, names, kinds):
    out = tmp_path / "deep" / "out"
    paths = figures.write_figures(*two_heads, out, names, kinds, 72)
    wanted = {f"{name}.{kind}" for name in names for kind in kinds}
    assert {path.name for path in paths} == wanted == set(names_in(out))
    for path in paths:
        start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[path.suffix[1:]]
        assert path.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("names", "formats", "dpi", "said"),
    [
        (["heads", "hands"], ["png"], 300, "no figure “hands”; the figures are heads, projection"),
        (["heads"], ["png", "gif"], 300, "no format “gif”; the formats are png, svg, pdf"),
        (["heads"], ["png"], 29, "from 30 to 1200; got 29"),
        (["heads"], ["png"], 1201, "from 30 to 1200; got 1201"),
        (["heads"], ["png"], 99.5, "whole number from 30 to 1200"),
    ],
)
def test_a_bad_choice_is_named_and_nothing_written(two_heads, tmp_path, names, formats, dpi, said):
    out = tmp_path / "out"
    with pytest.raises(UserError, match=said):
        figures.write_figures(*two_heads, out, names, formats, dpi)
    assert not out.exists()


def test_a_disk_that_fills_up_leaves_what_was_there(two_heads, tmp_path, monkeypatch):
    (tmp_path / "heads.png").write_bytes(b"old")
    kept, calls = os.fsync, []

    def fsync(descriptor):
        calls.append(descriptor)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        kept(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(UserError, match="the disk is full"):
        figures.write_figures(*two_heads, tmp_path, ["heads", "entropy"], ["png", "svg"], 72)
    assert names_in(tmp_path) == ["heads.png"]
    assert (tmp_path / "heads.png").read_bytes() == b"old"


def test_the_row_asked_for_reaches_the_files(two_heads, tmp_path):
    written = {}
    for row in (None, 3, 1):
        folder = tmp_path / str(row)
        (path,) = figures.write_figures(*two_heads, folder, ["impulse"], ["svg"], row=row)
        written[row] = path.read_text()
    assert written[None] == written[3]
    assert "weight at t4" in written[3]
    assert "weight at t2" in written[1]


def test_render_refuses_what_it_cannot_make(two_heads):
    figure = figures.draw("entropy", *two_heads)
    with pytest.raises(UserError, match="no format “bmp”"):
        figures.render(figure, "bmp")
    with pytest.raises(UserError, match="from 30 to 1200"):
        figures.render(figure, "png", 5)
    assert to_bytes(figure, "png", 30)[:4] == b"\x89PNG"


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
