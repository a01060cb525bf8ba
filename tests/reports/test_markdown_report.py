"""The report as Markdown, as a reader of CommonMark with tables sees it."""

import base64
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from PIL import Image

from mhagui.reports.markdown import plain

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
    rows, cells = [], None
    for token in tokens_of(four):
        if token.type == "tr_open":
            cells = []
        elif token.type == "inline" and cells is not None:
            cells.append(token.children[0].content if token.children else "")
        elif token.type == "tr_close":
            rows.append(cells)
            cells = None
    assert ["t4", "2.0000", "1.2527", "0.4679", "0.2427", "2.0000"] in rows
    assert ["h1", "first token", "first token", "1", "1"] in [row[:5] for row in rows]


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
    assert len(headings) == 1 + 9
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
