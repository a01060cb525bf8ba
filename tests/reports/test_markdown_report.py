"""The report as Markdown, as a reader of CommonMark with tables sees it."""

import base64
import io
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from PIL import Image

from mhagui.document import compute
from mhagui.document.new_scene import new_scene
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.figures import Subject
from mhagui.reports.content import report_of
from mhagui.reports.markdown import plain
from mhagui.reports.model import Table

PICTURES = ("entropy", "impulse")
READER = MarkdownIt("commonmark").enable("table")


def tokens_of(text):
    return READER.parse(text)


def inline(text):
    """Return what is within the paragraphs, cells and headings: pairs of kind and text."""
    for token in tokens_of(text):
        yield from ((child.type, child.content) for child in token.children or ())


@pytest.fixture(scope="module")
def four(four_heads, report_with):
    return report_with(four_heads[0], "markdown", *PICTURES).decode()


def test_every_picture_is_in_the_file_and_shown(four):
    images = [c for t in tokens_of(four) for c in t.children or () if c.type == "image"]
    assert len(images) == 2
    for image in images:
        head, _, data = image.attrs["src"].partition(",")
        assert head == "data:image/png;base64"
        with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as picture:
            picture.load()
            assert round(picture.info["dpi"][0]) == 150
        assert image.content


def test_the_text_comes_before_the_data_of_the_pictures(four):
    start = four.index("]: data:")
    assert "## Provenance" in four[:start]
    assert len(four[:start]) < 20_000
    assert four[start:].count("]: data:image/png") == 2


def test_tables_are_tables_with_the_lessons_numbers(four):
    rows = rows_of(four)
    assert ["t4", "2.0000", "1.2527", "0.4679", "0.2427", "2.0000"] in rows
    assert ["h1", "first token", "first token", "1", "1"] in [row[:5] for row in rows]


def rows_of(text):
    """Return the cells of every row of every table."""
    rows, cells = [], None
    for token in tokens_of(text):
        if token.type == "tr_open":
            cells = []
        elif token.type == "inline" and cells is not None:
            cells.append(token.children[0].content if token.children else "")
        elif token.type == "tr_close":
            rows.append(cells)
            cells = None
    return rows


def test_what_the_heads_tell_of_the_next_token_has_its_section(four):
    headings = [
        written(one) for head, one in pairwise(tokens_of(four)) if head.type == "heading_open"
    ]
    assert "Information and redundancy" in headings
    # X_{t+1} = X_{t−1} of two symbols: a bit, of which a uniform mean of one-hot tokens keeps all.
    assert "tells 1.0000 bits of the next token" in four
    rows = rows_of(four)
    told = [row for row in rows if row[:2] == ["h1", "first token"] and len(row) == 3]
    assert len(told) == 1
    assert 0 <= float(told[0][2]) <= 1
    pairs = [row for row in rows if row[0].startswith("h") and ", h" in row[0]]
    assert [row[0] for row in pairs] == ["h1, h2", "h1, h3", "h1, h4", "h2, h3", "h2, h4", "h3, h4"]
    assert all(row[3] for row in pairs)


def test_where_the_past_is_too_long_the_section_says_so():
    scene = replace(new_scene(64, 2, 2, 2, 4), source=TokenSource(SourceKind.MARKOV))
    text = report_of(Subject(scene, compute(scene), row=63))
    section = next(part for part in text.sections if part.key == "information")
    assert "t = 64 is too long" in section.blocks[0].text
    assert not [block for block in section.blocks if isinstance(block, Table)]


def test_what_names_say_is_shown_and_never_obeyed(hostile, report_with):
    scene = hostile
    text = report_with(scene, "markdown", "entropy").decode()
    tokens = tokens_of(text)
    assert not [token for token in tokens if token.type in ("html_block", "bullet_list_open")]
    kinds = {kind for kind, _ in inline(text)}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "image", "softbreak"}
    headings = [
        written(tokens[place + 1])
        for place, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    assert headings[0] == scene.title
    assert len(headings) == 1 + 10
    shown = [written(token) for token in tokens if token.type == "inline"]
    for name in (*(head.name for head in scene.heads), "# no heading", "1. nor this"):
        assert name in shown


def written(token):
    return "".join(child.content for child in token.children)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1))
def test_any_word_in_a_cell_is_read_as_it_is(word):
    tokens = tokens_of(f"| a | b |\n|---|---|\n| {plain(word)} | c |")
    cells = [written(token) for token in tokens if token.type == "inline"]
    assert cells == ["a", "b", word, "c"]


def test_the_same_scene_gives_the_same_bytes(four_heads, four, report_with):
    assert report_with(four_heads[0], "markdown", *PICTURES).decode() == four
