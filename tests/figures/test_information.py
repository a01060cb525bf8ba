"""The figures of information and redundancy say what the numbers say, and all can be read."""

from dataclasses import replace

import pytest

from mhagui.document import Pattern, compute, load_lesson
from mhagui.document.edits import SetSequenceLength, set_muted
from mhagui.document.information import study_divergences, study_information
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.document.weight_edits import to_pattern

BOTH = "information", "redundancy"


@pytest.fixture(scope="module")
def drawn(draw):
    return lambda name, scene, row=None: draw(name, scene, compute(scene), row)


def lesson(*edits, **fields):
    scene = load_lesson("four-heads")
    for edit in edits:
        scene = edit.apply(scene)
    return replace(scene, **fields)


EXCLUSIVE_OR = TokenSource(SourceKind.SUM, resolution=0.5)


def test_bars_have_the_length_of_their_bits_and_the_line_is_the_whole_past(drawn, words):
    scene = lesson(source=TokenSource(SourceKind.MARKOV, 3))
    figure = drawn("information", scene)
    axes = figure.axes[0]
    found = study_information(scene, compute(scene), 3)
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(
        [head.bits for head in found.heads]
    )
    assert axes.lines[0].get_xdata()[0] == pytest.approx(found.whole_past_bits)
    assert any("at t = 4" in word for word in words(figure))


@pytest.mark.parametrize("name", BOTH)
def test_the_row_can_be_chosen(name, drawn, words):
    assert any("at t = 2" in word for word in words(drawn(name, lesson(), 1)))


def test_ablated_heads_are_hollow(drawn):
    bars = drawn("information", lesson(set_muted(2, True))).axes[0].patches
    assert bars[1].get_facecolor()[:3] == (1.0, 1.0, 1.0)
    assert bars[0].get_facecolor()[:3] != (1.0, 1.0, 1.0)


def test_cells_hold_divergence_and_balance(drawn):
    scene = lesson(source=EXCLUSIVE_OR)
    axes = drawn("redundancy", scene).axes
    divergence, balance = axes[0], axes[2]  # each is followed by its bar
    place = (2.5, 1.5)  # column 3, row 2
    written = {text.get_position(): text.get_text() for text in divergence.texts}
    assert float(written[place]) == pytest.approx(
        study_divergences(compute(scene)).bits[1, 2], abs=0.005
    )
    written = {text.get_position(): text.get_text() for text in balance.texts}
    assert written[place] == "−1"
    assert (1.5, 1.5) not in written  # nothing is told of a head and itself


@pytest.mark.parametrize("name", BOTH)
def test_what_is_not_known_is_said(name, drawn, words):
    scene = lesson(SetSequenceLength(12), source=TokenSource(SourceKind.IID, 4))
    assert any("The most is t = 8." in word for word in words(drawn(name, scene, 9)))


@pytest.mark.parametrize("name", BOTH)
def test_a_head_of_which_nothing_is_known_is_named_with_the_reason(name, drawn, words):
    scene = to_pattern(compute(lesson()), 2, Pattern.PROJECTED).apply(lesson())
    said = "Not known of h2: attends by content, and there are no 2 words."
    assert any(said in word for word in words(drawn(name, scene)))
