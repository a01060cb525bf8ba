"""The report as a PDF, as poppler reads it."""

import re
import subprocess
from dataclasses import replace
from shutil import which

import numpy as np
import pytest
from PIL import Image

from mhagui.document import load_lesson
from mhagui.figures import FigureStyle, Ground, Preset
from mhagui.figures.text_page import MARGIN

POINTS = 72


def poppler(program, path, *options):
    if which(program) is None:
        pytest.skip(f"needs {program}")
    run = subprocess.run([program, *options, path, "-"], capture_output=True, check=True)
    return run.stdout.decode()


@pytest.fixture(scope="module")
def write(tmp_path_factory, report_with):
    def write(scene, *names, **more):
        path = tmp_path_factory.mktemp("report") / "report.pdf"
        path.write_bytes(report_with(scene, "pdf", *names, **more))
        return path

    return write


@pytest.fixture(scope="module")
def four(four_heads, write):
    return write(four_heads[0], "heads")


def pages_of(path, *options):
    return poppler("pdftotext", path, "-layout", *options).split("\f")[:-1]


def test_contents_names_the_page_of_every_section(four):
    pages = pages_of(four)
    told = dict(re.findall(r"^ *(\S.*?\S) {3,}(\d+)$", pages[0], re.MULTILINE))
    assert len(told) >= 9
    for title in ("Heads", "Row entropy", "Filter bank", "Provenance"):
        headed = re.compile(rf"^ *{title}$", re.MULTILINE)
        assert headed.search(pages[int(told[title]) - 1])
    for number, page in enumerate(pages, 1):
        assert page.rstrip().endswith(f" {number}")


def test_tables_have_the_lessons_numbers(four):
    text = "\n".join(pages_of(four))
    row = r"^ *t4 +2\.0000 +1\.2527 +0\.4679 +0\.2427 +2\.0000$"
    assert re.search(row, text, re.MULTILINE)
    assert re.search(r"^ *all = 4·d_model² +256$", text, re.MULTILINE)
    assert re.search(
        r"^ *h4 +uniform +uniform +1 +0 +4\.267 +1\.5820 +3\.5000$", text, re.MULTILINE
    )
    assert "Figure 1. Weights of every head." in text


def test_pages_are_a4_and_all_type_is_embedded_truetype(four):
    told = subprocess.run(["pdfinfo", four], capture_output=True, check=True).stdout.decode()
    assert re.search(r"^Page size: .*\(A4\)$", told, re.MULTILINE)
    assert re.search(r"^Title: +four heads$", told, re.MULTILINE)
    assert "CreationDate" not in told
    fonts = subprocess.run(["pdffonts", four], capture_output=True, check=True).stdout.decode()
    rows = fonts.splitlines()[2:]
    assert rows
    for row in rows:
        assert re.search(r"TrueType +\S+ +yes yes", row)


def words_of(path):
    """Return the page size and left, top, right and bottom of every word, in points."""
    text = poppler("pdftotext", path, "-bbox")
    for page in text.split("<page ")[1:]:
        size = [float(number) for number in re.findall(r'"([\d.]+)"', page.split(">")[0])]
        for word in re.findall(r"<word ([^>]*)>", page):
            yield size, [float(number) for number in re.findall(r'"(-?[\d.]+)"', word)]


def test_nothing_stands_in_the_margins_however_wide_names_and_numbers_are(write):
    scene = load_lesson("four-heads")
    heads = tuple(
        replace(scene.heads[n % 4], uid=n + 1, name=f"{'W' * 29} {'M' * 28}{n:02}")
        for n in range(32)
    )
    w_o = np.full((32 * scene.d_v, scene.d_model), -123456.7891)
    scene = replace(scene, heads=heads, w_o=w_o, tokens=("W" * 20,) * 6)
    path = write(scene, "entropy", style=FigureStyle(preset=Preset.POSTER))
    words = list(words_of(path))
    assert len(words) > 1000
    for (width, height), (left, top, right, bottom) in words:
        assert left > MARGIN * POINTS - 1
        assert right < width - MARGIN * POINTS + 1
        assert top > MARGIN * POINTS - 6  # a box of the title's type is higher than its letters
        assert bottom < height - MARGIN * POINTS / 2
    # A table that is longer than a page goes on with the same number and its titles.
    text = "\n".join(pages_of(path))
    assert text.count("Table 2. Heads") >= 2
    assert len(re.findall(r"^ *h\d+ +W", text, re.MULTILINE)) >= 32


def test_what_names_say_is_shown_and_never_obeyed(hostile, write):
    text = "\n".join(pages_of(write(hostile, "entropy")))
    title = " ".join(text.split("The layer")[0].split())
    assert title.startswith(hostile.title)
    for head in hostile.heads:
        assert re.search(rf"^ *h\d +{re.escape(head.name)} ", text, re.MULTILINE)


def test_pages_are_white_whatever_ground_figures_have(four_heads, write, tmp_path):
    path = write(four_heads[0], "entropy", style=FigureStyle(ground=Ground.DARK))
    target = tmp_path / "page"
    if which("pdftoppm") is None:
        pytest.skip("needs pdftoppm")
    subprocess.run(["pdftoppm", "-r", "30", "-gray", "-png", path, target], check=True)
    for file in tmp_path.glob("*.png"):
        with Image.open(file) as page:
            assert np.median(np.asarray(page)) == 255
            assert (np.asarray(page) > 200).mean() > 0.8


def test_the_same_scene_gives_the_same_bytes(four_heads, four, report_with):
    again = report_with(four_heads[0], "pdf", "heads")
    assert again == four.read_bytes()
