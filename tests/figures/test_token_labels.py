import matplotlib as mpl
import pytest

from mhagui import figures
from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.document.token_edits import SetTokens

WORDS = ["cat", "sat", "on", "the", "red", "mat"]


def axes_of(scene):
    """The labels of rows and columns of the first head."""
    axes = figures.draw("heads", scene, compute(scene)).axes[0]
    return (
        [label.get_text() for label in axes.get_yticklabels()],
        [label.get_text() for label in axes.get_xticklabels()],
    )


def test_axes_have_the_tokens():
    rows, columns = axes_of(load_lesson("content-position"))
    assert rows == [f"t{number} {word}" for number, word in enumerate(WORDS, 1)]
    assert columns == WORDS


def test_words_too_wide_for_the_cells_stand_at_the_rows_alone():
    tokens = ("^", "incomprehensible", "because", "x")
    rows, columns = axes_of(SetTokens(tokens).apply(load_lesson("induction")))
    assert rows == ["t1 ^", "t2 incompr…", "t3 because", "t4 x"]
    assert columns == ["t1", "t2", "t3", "t4"]


def test_a_long_sequence_has_some_of_them():
    rows, columns = axes_of(SetSequenceLength(60).apply(load_lesson("content-position")))
    assert 3 < len(rows) < 30
    assert rows[0] == "t1 cat"
    assert columns[0] == "t1"


@pytest.mark.parametrize("token", ["$x$", "^", "a_b", "50%", "\\alpha"])
def test_a_token_is_no_formula(token):
    scene = SetTokens((token, "cat")).apply(load_lesson("content-position"))
    figure = figures.draw("heads", scene, compute(scene))
    assert figures.render(figure, "png", 50).startswith(b"\x89PNG")
    for label in (*figure.axes[0].get_xticklabels(), *figure.axes[0].get_yticklabels()):
        assert not label.get_parse_math()


def test_no_row_label_reaches_beyond_the_page():
    tokens = ("because",) * 3
    scene = SetTokens(tokens).apply(load_lesson("content-position"))
    figure = figures.draw("heads", scene, compute(scene))
    with mpl.rc_context({"savefig.bbox": None}):
        figures.render(figure, "png", 100)
    axis_label = next(text for text in figure.texts if text.get_text() == "query position t")
    right = axis_label.get_window_extent().x1
    for label in figure.axes[0].get_yticklabels():
        assert label.get_window_extent().x0 > right
