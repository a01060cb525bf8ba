"""How positions are called on paper, where the scene has tokens."""

from dataclasses import replace

import pytest

from mhagui import figures
from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.document.token_edits import SetTokens
from mhagui.figures import FigureStyle, Labels, Preset, Subject, drawing
from mhagui.figures.fonts import drawable
from mhagui.figures.page import house_style

WORDS = ["cat", "sat", "on", "the", "red", "mat"]
NUMBERS = ["t1", "t2", "t3", "t4", "t5", "t6"]
BOTH = ["t1 cat", "t2 sat", "t3 on", "t4 the", "t5 red", "t6 mat"]


@pytest.fixture(scope="module")
def labels_of(draw):
    def labels(subject, **style):
        """Return the labels of rows and columns of the first head."""
        axes = draw("heads", *subject, **style).axes[0]
        return tuple(
            [label.get_text() for label in labels]
            for labels in (axes.get_yticklabels(), axes.get_xticklabels())
        )

    return labels


@pytest.mark.parametrize(
    ("labels", "rows", "columns"),
    [
        (Labels.BOTH, BOTH, [name.replace(" ", "\n") for name in BOTH]),
        (Labels.TOKENS, WORDS, WORDS),
        (Labels.POSITIONS, NUMBERS, NUMBERS),
    ],
)
def test_axes_have_what_is_asked_for(labels, rows, columns, labels_of, lesson):
    assert labels_of(lesson("content-position"), labels=labels) == (rows, columns)


@pytest.mark.parametrize("labels", Labels)
def test_without_tokens_positions_have_their_numbers(labels, labels_of, four_heads):
    assert labels_of(four_heads, labels=labels) == (NUMBERS, NUMBERS)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (Labels.BOTH, ["t1 ^", "t2 incom…ible", "t3 because", "t4 x"]),
        (Labels.TOKENS, ["^", "incom…ible", "because", "x"]),
    ],
)
def test_words_too_wide_for_the_columns_stand_upright(labels, names, labels_of, lesson, draw):
    subject = lesson("induction", SetTokens(("^", "incomprehensible", "because", "x")))
    assert labels_of(subject, labels=labels) == (names, names)
    below = draw("heads", *subject, labels=labels).axes[0].get_xticklabels()
    assert {label.get_rotation() for label in below} == {90.0}


@pytest.mark.parametrize("preset", [Preset.SINGLE_COLUMN, Preset.DOUBLE_COLUMN, Preset.SLIDE])
def test_letters_stand_below_every_column_of_the_heads(preset, labels_of, lesson):
    rows, columns = labels_of(lesson("induction"), labels=Labels.TOKENS, preset=preset)
    assert rows == columns == ["^", "A", "B", "C", "D", "A", "B", "C"]


def test_a_long_sequence_has_some_of_them(labels_of, lesson):
    rows, columns = labels_of(lesson("content-position", SetSequenceLength(60)))
    assert 3 < len(rows) < 31
    assert rows[0] == "t1 cat"
    assert columns[0] == "t1 cat"


@pytest.mark.parametrize("token", ["$x$", "^", "a_b", "50%", "\\alpha"])
def test_a_token_is_no_formula(token, draw, lesson):
    scene, result = lesson("content-position", SetTokens((token, "cat")))
    figure = draw("heads", scene, result)
    data = figures.render("heads", Subject(scene, result, FigureStyle(dpi=50)), "png")
    assert data.startswith(b"\x89PNG")
    for label in (*figure.axes[0].get_xticklabels(), *figure.axes[0].get_yticklabels()):
        assert not label.get_parse_math()


def test_no_row_label_reaches_beyond_the_page(draw, lesson):
    figure = draw("heads", *lesson("content-position", SetTokens(("because",) * 3)))
    axis_label = next(text for text in figure.texts if text.get_text() == "query position t")
    right = axis_label.get_window_extent().x1
    for label in figure.axes[0].get_yticklabels():
        assert label.get_window_extent().x0 > right


@pytest.mark.parametrize("name", ["impulse", "entropy"])
def test_tokens_stand_along_curves_where_they_are_asked_for(name):
    scene = load_lesson("induction")
    subject = Subject(scene, compute(scene), FigureStyle(labels=Labels.TOKENS))
    axes = drawing.draw(name, subject).axes[0]
    shown = [text.get_text() for text in axes.get_xticklabels()]
    places = [round(float(tick)) for tick in axes.get_xticks()]
    assert shown == [scene.tokens[place - 1] for place in places]
    assert len(shown) >= 4


ODD = ("The", "Ġcat", "Ċ", "Ġ×©×Ļ", "ðŁĺ", "Ģ")  # a Hebrew word of two letters; an emoji in two


def test_pieces_of_a_tokenizer_are_decoded_and_nothing_is_invisible(labels_of, lesson):
    scene, _ = lesson("four-heads")
    scene = replace(scene, tokens=ODD)
    rows, columns = labels_of((scene, compute(scene)), labels=Labels.TOKENS)
    assert rows == columns == ["The", "␣cat", "⏎", "\u2068␣שי\u2069", "⟨F0 9F 98…", "…80⟩"]


def test_a_letter_that_no_font_has_is_told_by_its_code():
    with house_style():
        assert drawable("a\U0003fffd␣ש") == "aU+3FFFD␣ש"
