"""The figures of information and redundancy say what the numbers say, and all can be read."""

from dataclasses import replace

import pytest
from matplotlib.text import Text

from mhagui.document import Pattern, compute, load_lesson
from mhagui.document.edits import (
    DuplicateHead,
    RemoveHead,
    SetSequenceLength,
    rename_head,
    set_muted,
)
from mhagui.document.information import study_divergences, study_information
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.document.weight_edits import to_pattern
from mhagui.figures.information import draw_information, draw_redundancy
from mhagui.figures.page import house_style, to_bytes


def drawn(draw, scene, row=None):
    with house_style():
        return draw(scene, compute(scene), row)


def lesson(*edits, **fields):
    scene = load_lesson("four-heads")
    for edit in edits:
        scene = edit.apply(scene)
    return replace(scene, **fields)


def words(figure):
    return " ".join(text.get_text() for text in figure.findobj(Text) if text.get_visible())


EXCLUSIVE_OR = TokenSource(SourceKind.SUM, resolution=0.5)


def test_bars_have_the_length_of_their_bits_and_the_line_is_the_whole_past():
    scene = lesson(source=TokenSource(SourceKind.MARKOV, 3))
    figure = drawn(draw_information, scene)
    axes = figure.axes[0]
    found = study_information(scene, compute(scene), 3)
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(
        [head.bits for head in found.heads]
    )
    assert axes.lines[0].get_xdata()[0] == pytest.approx(found.whole_past_bits)
    assert "at t = 4" in words(figure)


def test_the_row_can_be_chosen():
    assert "at t = 2" in words(drawn(draw_information, lesson(), 1))
    assert "at t = 2" in words(drawn(draw_redundancy, lesson(), 1))


def test_ablated_heads_are_hollow():
    bars = drawn(draw_information, lesson(set_muted(2, True))).axes[0].patches
    assert bars[1].get_facecolor()[:3] == (1.0, 1.0, 1.0)
    assert bars[0].get_facecolor()[:3] != (1.0, 1.0, 1.0)


def test_cells_hold_divergence_and_balance():
    scene = lesson(source=EXCLUSIVE_OR)
    axes = drawn(draw_redundancy, scene).axes
    divergence, balance = axes[0], axes[2]  # each is followed by its bar
    place = (2.5, 1.5)  # column 3, row 2
    written = {text.get_position(): text.get_text() for text in divergence.texts}
    assert float(written[place]) == pytest.approx(
        study_divergences(compute(scene)).bits[1, 2], abs=0.005
    )
    written = {text.get_position(): text.get_text() for text in balance.texts}
    assert written[place] == "−1"
    assert (1.5, 1.5) not in written  # nothing is told of a head and itself


def test_what_is_not_known_is_said():
    scene = lesson(SetSequenceLength(12), source=TokenSource(SourceKind.IID, 4))
    for draw in (draw_information, draw_redundancy):
        text = words(drawn(draw, scene, 9)).replace("\n", " ")
        assert "The most is t = 8." in text


def test_a_head_of_which_nothing_is_known_is_named_with_the_reason():
    scene = to_pattern(compute(lesson()), 2, Pattern.PROJECTED).apply(lesson())
    for draw in (draw_information, draw_redundancy):
        text = words(drawn(draw, scene)).replace("\n", " ")
        assert "Not known of h2: attends by content, and there are no 2 words." in text


LONG = "the quick brown fox jumps over the lazy dog, for $x$ and W_V"
SCENES = {
    "four heads": lesson,
    "long names": lambda: lesson(rename_head(2, LONG), rename_head(3, "W" * 60)),
    "unknown": lambda: lesson(SetSequenceLength(12), source=TokenSource(SourceKind.IID, 8)),
    "one head": lambda: lesson(*(RemoveHead(uid) for uid in (2, 3, 4))),
    "many heads": lambda: lesson(*[DuplicateHead(2)] * 20),
    "long": lambda: lesson(SetSequenceLength(200), source=EXCLUSIVE_OR),
}


@pytest.mark.parametrize("draw", [draw_information, draw_redundancy])
@pytest.mark.parametrize("name", SCENES)
def test_all_texts_are_inside_the_page(draw, name):
    with house_style():
        figure = drawn(draw, SCENES[name](), 11 if name == "unknown" else None)
        figure.draw_without_rendering()
    beyond = {
        label
        for axes in figure.axes
        for label in axes.get_xticklabels()
        if label.get_position()[0] > axes.get_xlim()[1]
    }
    for text in set(figure.findobj(Text)) - beyond:
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent()
            assert 0 <= box.x0 <= box.x1 <= figure.bbox.x1, text
            assert 0 <= box.y0 <= box.y1 <= figure.bbox.y1, text


def test_a_figure_has_no_date_and_is_the_same_each_time():
    pictures = [to_bytes(drawn(draw_redundancy, lesson()), "svg", 100) for _ in range(2)]
    assert pictures[0] == pictures[1]
