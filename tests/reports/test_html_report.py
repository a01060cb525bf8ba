"""The report as HTML: whole without a network, read aloud, printed, and deaf to what names say."""

import hashlib
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from mhagui import __version__
from mhagui.document.edits import SetSequenceLength
from mhagui.document.session import Session
from mhagui.document.session_file import session_to_bytes
from mhagui.figures import FigureStyle, Ground
from mhagui.reports.inline_svg import inlined

pytestmark = pytest.mark.thorough

VOID = {"meta", "br", "hr", "img", "link", "input"}
PICTURES = 11


class Page(HTMLParser):
    """Reads a page: every element with its attributes and its place, and the text of each."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names))
        self.elements.append((tag, dict(attributes), [place for place, _ in self.open]))
        self.texts.append("")
        if tag not in VOID:
            self.open.append((tag, len(self.elements) - 1))

    def handle_startendtag(self, tag, attributes):
        assert any(place == "svg" for place, _ in self.open)  # nowhere else does "/>" end anything
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for _, number in self.open:
            self.texts[number] += data

    def all(self, tag, within=None):
        return [
            (attributes, text)
            for (name, attributes, places), text in zip(self.elements, self.texts, strict=True)
            if name == tag and (within is None or within in places)
        ]

    def tables(self):
        """Return each table as its caption and its rows of texts, the head's first."""
        return dict(self._tables())

    def _tables(self):
        caption, rows = "", []
        for (tag, _, _), text in zip(self.elements, self.texts, strict=True):
            if tag == "table" and rows:
                yield caption, rows
                rows = []
            if tag == "caption":
                caption = text.partition(". ")[2]
            if tag == "tr":
                rows.append([])
            if tag in ("th", "td"):
                rows[-1].append(text)
        yield caption, rows


@pytest.fixture(scope="module")
def page(html_of_four_heads):
    return Page(html_of_four_heads)


def test_nothing_is_fetched_and_nothing_runs(page, html_of_four_heads):
    tags = {tag for tag, _, _ in page.elements}
    assert not tags & {
        "script",
        "link",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "foreignobject",
    }
    for _, attributes, _ in page.elements:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("src", "href", "xlink:href", "srcset", "data", "action", "poster"):
                assert value.startswith(("#", "data:image/png;base64,"))
            elif not name.startswith("xmlns"):
                assert "://" not in value
    assert not re.search(r"url\((?!#)|@import", html_of_four_heads)
    (policy,) = [a["content"] for a, _ in page.all("meta") if "http-equiv" in a]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_every_name_is_there_once_and_every_link_leads_somewhere(page, html_of_four_heads):
    names = [a["id"] for _, a, _ in page.elements if "id" in a]
    assert len(names) == len(set(names))
    wanted = set(re.findall(r"url\(#([^)]+)\)", html_of_four_heads))
    for _, attributes, _ in page.elements:
        wanted |= set(attributes.get("aria-labelledby", "").split())
        if attributes.get("href", "").startswith("#"):
            wanted.add(attributes["href"][1:])
    assert len(wanted) > PICTURES
    assert wanted <= set(names)


def test_contents_lists_every_section(page):
    links = [text for _, text in page.all("a", within="nav")]
    headings = [text for _, text in page.all("h2", within="main")]
    assert links == headings
    assert len(links) == 10


def test_a_reader_aloud_gets_language_captions_and_headers(page):
    ((html, _),) = page.all("html")
    assert html["lang"] == "en"
    assert page.all("title")[0][1] == "four heads"
    assert len(page.all("caption")) == len(page.all("table")) >= 8
    assert {a["scope"] for a, _ in page.all("th", within="thead")} == {"col"}
    assert {a["scope"] for a, _ in page.all("th", within="tbody")} == {"row"}
    pictures = [a for a, _ in page.all("svg", within="figure")]
    assert len(pictures) == len(page.all("figcaption")) == PICTURES
    for picture in pictures:
        assert picture["role"] == "img"
        assert len(picture["aria-label"]) > 3
    for number, (_, text) in enumerate(page.all("figcaption"), 1):
        assert text.startswith(f"Figure {number}. ")


def test_tables_have_as_many_cells_in_each_row_and_the_lessons_numbers(page, four_heads):
    scene, result = four_heads
    tables = page.tables()
    for rows in tables.values():
        assert len({len(row) for row in rows}) == 1
    entropies = tables["Row entropy, bits"]
    assert entropies[0] == ["t", "log2 t", "h1", "h2", "h3", "h4"]
    # As the lesson prints row 4, to four places.
    assert entropies[4] == ["t4", "2.0000", "1.2527", "0.4679", "0.2427", "2.0000"]
    assert [row[4] for row in tables["Heads"][1:]] == ["1", "2", "2", "0"]
    assert [row[-1] for row in tables["Heads"][1:]][-1] == "3.5000"  # the mean of 1 .. 6
    assert tables["Parameters"][-1] == ["all = 4·dmodel²", "256"]
    shown = [[number(cell) for cell in row[1:]] for row in tables["O = Concat·WO"][1:]]
    np.testing.assert_allclose(shown, result.output, atol=5.1e-5)
    shown = [[number(cell) for cell in row[1:]] for row in tables["WO"][1:]]
    np.testing.assert_array_equal(shown, scene.w_o)


def number(text):
    return float(text.replace("−", "-"))


def test_what_names_say_is_shown_and_never_obeyed(hostile, report_with):
    scene = hostile
    page = Page(report_with(scene, "html", "heads").decode())
    assert not page.all("script")
    assert not page.all("b", within="td")
    assert page.all("h1")[0][1] == scene.title
    assert page.all("title")[0][1] == scene.title
    assert [row[1] for row in page.tables()["Heads"][1:]] == [head.name for head in scene.heads]
    (tokens,) = [text for _, text in page.all("p") if text.startswith("Tokens: ")]
    assert tokens == f"Tokens: {' '.join(scene.tokens)}"
    assert [row[0] for row in page.tables()["Row entropy, bits"][1:3]] == ["t1 <b>", "t2 a|b"]


def test_a_long_and_wide_scene_is_sampled_and_says_so(four_heads, report_with):
    scene = SetSequenceLength(192).apply(four_heads[0])
    heads = tuple(replace(scene.heads[n % 4], uid=n + 1) for n in range(14))
    w_o = np.ones((14 * scene.d_v, scene.d_model))
    scene = replace(scene, heads=heads, w_o=w_o)
    data = report_with(scene, "html", "heads")
    page = Page(data.decode())
    tables = page.tables()
    parts = [rows for name, rows in tables.items() if name.startswith("Row entropy")]
    assert [rows[0][2:] for rows in parts] == [
        ["h1", "h2", "h3", "h4", "h5", "h6", "h7"],
        ["h8", "h9", "h10", "h11", "h12", "h13", "h14"],
    ]
    for rows in parts:
        assert len(rows) == 1 + 32 + 1
        assert [row[0] for row in rows[1:3]] == ["t6", "t12"]
        assert rows[-2][0] == "t192"
    text = page.all("main")[0][1]
    assert "32 of 192 rows, evenly spaced up to the last" in text
    assert "Concat = [O1 .. OH] is 192 × 28, too wide for a table" in text
    assert "Concat = [O1 .. OH]" not in tables
    assert len(data) < 1e6


def test_ablated_heads_are_said_to_be(four_heads, report_with):
    scene = four_heads[0].with_head(2, muted=True)
    heads = Page(report_with(scene, "html").decode()).tables()["Heads"]
    assert [row[-1] for row in heads] == ["State", "", "muted", "", ""]


def test_figures_stand_on_their_own_ground(four_heads, report_with):
    style = FigureStyle(ground=Ground.DARK)
    dark = report_with(four_heads[0], "html", "entropy", "cost", style=style).decode()
    cards = [a["class"] for a, _ in Page(dark).all("div") if "card" in a.get("class", "")]
    assert cards == ["card on-dark"] * 2


def test_two_processes_write_the_same_bytes(html_of_four_heads):
    script = (
        "import hashlib; from mhagui.document import load_lesson, compute;"
        "from mhagui.reports import render_report; scene = load_lesson('four-heads');"
        "print(hashlib.sha256(render_report(scene, compute(scene), 'html')).hexdigest())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    told = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == hashlib.sha256(html_of_four_heads.encode()).hexdigest()


def test_where_it_comes_from_is_said_without_a_date_or_a_path(page, four_heads, html_of_four_heads):
    text = page.all("main")[0][1]
    data = session_to_bytes(Session.of(four_heads[0]))
    assert hashlib.sha256(data).hexdigest() in text
    assert f"by mhagui {__version__}" in text
    assert not re.search(r"20\d\d-\d\d|/home/|/tmp/", html_of_four_heads)


SVG = b"""<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9pt">
 <metadata>x</metadata><defs><style>*{stroke: red}</style>
 <clipPath id="c"><path d="M0 0"/></clipPath>
 <g id="mark"/></defs><g id="idle" clip-path="url(#c)" style="fill: url(#c); x: 1"/>
 <use xlink:href="#mark"/><image xlink:href="data:image/png;base64,AA=="/></svg>"""


def test_drawings_of_one_page_keep_their_names_apart():
    text = inlined(SVG, "heads", 'all "heads"')
    page = Page(text)
    assert not page.all("style")
    assert not page.all("metadata")
    assert [a["id"] for _, a, _ in page.elements if "id" in a] == ["heads-c", "heads-mark"]
    assert page.all("g")[-1][0] == {
        "clip-path": "url(#heads-c)", "style": "fill: url(#heads-c); x: 1"
    }  # fmt: skip
    assert page.all("use")[0][0]["href"] == "#heads-mark"
    assert page.all("image")[0][0]["href"] == "data:image/png;base64,AA=="
    assert page.all("svg")[0][0]["aria-label"] == 'all "heads"'
