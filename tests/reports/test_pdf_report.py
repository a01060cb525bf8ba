"""The report as a PDF, as poppler reads it."""

import re
import subprocess
from dataclasses import replace
from operator import itemgetter
from shutil import which

import numpy as np
import pytest
from PIL import Image

from mhagui.document import load_lesson
from mhagui.figures import FigureStyle, Ground, Preset
from mhagui.figures.text_page import MARGIN, TEXT_HEIGHT, Item
from mhagui.figures.text_page import pages_of as pages_of_items

pytestmark = pytest.mark.thorough

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
    return write(four_heads[0], "entropy")


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
    assert re.search(
        r"^ *h4 +uniform +uniform +1 +0 +4\.267 +1\.5820 +3\.5000$", text, re.MULTILINE
    )
    assert "Figure 3. Row entropy." in text


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


def are_in_the_margins(path):
    """Return the words of ``path`` that stand where no text should, beside the page numbers."""
    text = poppler("pdftotext", path, "-bbox")
    most = MARGIN * POINTS
    for page in text.split("<page ")[1:]:
        width, height = (float(number) for number in re.findall(r'"([\d.]+)"', page.split(">")[0]))
        words = re.findall(r'"(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*)</word>', page)
        boxes = sorted(((*map(float, sides), word) for *sides, word in words), key=itemgetter(3))
        assert boxes
        for left, top, right, bottom, word in boxes[:-1]:
            # Boxes of large type are a little higher than its letters.
            if left < most - 1 or right > width - most + 1:
                yield word
            if top < most - 6 or bottom > height - most + 6:
                yield word


def test_nothing_stands_in_the_margins_however_wide_names_and_numbers_are(write):
    scene = load_lesson("four-heads")
    heads = tuple(
        replace(scene.heads[n % 4], uid=n + 1, name=f"{'WWWMMMWWW ' * 5}{n:02}") for n in range(24)
    )
    w_o = np.full((24 * scene.d_v, scene.d_model), -123456.7891)
    scene = replace(scene, heads=heads, w_o=w_o, tokens=("W" * 20,) * 6)
    path = write(scene, "singular-values")  # below a heading, and as high as a page
    assert list(are_in_the_margins(path)) == []
    # A table that is longer than a page goes on with the same number and its titles.
    text = "\n".join(pages_of(path))
    assert text.count("Table 2. Heads") >= 2
    assert len(re.findall(r"^ *h\d+ +W", text, re.MULTILINE)) >= 24


def test_what_names_say_is_shown_and_never_obeyed(hostile, write):
    text = "\n".join(pages_of(write(hostile, "entropy")))
    title = " ".join(text.split("The layer")[0].split())
    assert title.startswith(hostile.title)
    for head in hostile.heads:
        assert re.search(rf"^ *h\d +{re.escape(head.name)} ", text, re.MULTILINE)


def test_pages_are_white_and_narrow_enough_whatever_figures_are_for(four_heads, write, tmp_path):
    style = FigureStyle(ground=Ground.DARK, preset=Preset.POSTER)
    path = write(four_heads[0], "entropy", style=style)
    assert list(are_in_the_margins(path)) == []
    if which("pdftoppm") is None:
        pytest.skip("needs pdftoppm")
    target = tmp_path / "page"
    subprocess.run(["pdftoppm", "-r", "30", "-gray", "-png", path, target], check=True)
    pages = sorted(tmp_path.glob("*.png"))
    assert pages
    for file in pages:
        with Image.open(file) as page:
            assert (np.asarray(page) > 200).mean() > 0.8


def test_the_same_scene_gives_the_same_bytes(four_heads, four, report_with):
    again = report_with(four_heads[0], "pdf", "entropy")
    assert again == four.read_bytes()


def test_symbols_have_their_indices_low_as_formulas_have(four_heads, four):
    text = "\n".join(pages_of(four))
    assert "Concat" in text
    assert not re.findall(r"\w_\w+|\^\(?h", text)


def test_figures_are_a_little_smaller_where_one_more_fits_on_the_page_then():
    def figure(share):
        return Item(6.0 * share, print, drawn=6.0 * share, scaled=figure)

    (page,) = pages_of_items([figure(1.0), figure(1.0)])
    assert sum(item.height for item in page) == pytest.approx(TEXT_HEIGHT)
    assert page[0].height == page[1].height
    assert len(pages_of_items([figure(1.0), Item(0.75 * TEXT_HEIGHT, print)])) == 2
    assert len(pages_of_items([Item(0.5 * TEXT_HEIGHT, print), Item(6.0, print)])) == 2
