"""Curves of heads: each is seen, also where others lie on it."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.figures import FigureStyle, Ground, Preset, Subject, drawing
from mhagui.palette import head_colour

ALIKE = (3, 4)  # heads of “content and position” with the same row entropies and responses


def pixels_of(colour, image):
    """Return how many pixels have nearly ``colour``."""
    far = np.abs(image[..., :3] / 255.0 - to_rgb(colour)).max(axis=2)
    return int((far < 0.02).sum())


@pytest.mark.parametrize(
    ("name", "ground"), [("entropy", Ground.LIGHT), ("frequency", Ground.DARK)]
)
def test_curves_that_lie_on_one_another_are_both_seen(name, ground):
    scene = load_lesson("content-position")
    style = FigureStyle(dpi=100, ground=ground)
    figure = drawing.draw(name, Subject(scene, compute(scene), style))
    for axes in figure.axes:
        if axes.get_legend():
            axes.get_legend().remove()  # its lines are no part of the curves
    image = drawing.pixels(figure, style)
    one, other = (pixels_of(head_colour(uid), image) for uid in ALIKE)
    assert min(one, other) > 0.3 * max(one, other)
    assert min(one, other) > 100


def test_no_point_is_moved_and_other_curves_look_as_in_the_legend(draw, four_heads):
    scene, result = four_heads
    (axes,) = draw("entropy", *four_heads).axes
    _, *lines = axes.lines
    for head, line in zip(result.heads, lines, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, scene.n_positions + 1))
        np.testing.assert_array_equal(line.get_ydata(), head.row_entropy_bits)
        assert line.get_linestyle() == "-"  # none of these heads is like another


def test_as_many_as_there_are_heads_at_a_single_point_can_be_counted(draw, lesson):
    (axes,) = draw("entropy", *lesson("four-heads", SetSequenceLength(1))).axes
    _, *lines = axes.lines
    sizes = [line.get_markersize() for line in lines]
    assert sizes == sorted(set(sizes), reverse=True)


def labels_below(axes):
    return [text.get_text() for text in axes.get_xticklabels() if text.get_text()]


def test_every_key_of_a_response_is_named_where_there_is_room(draw, lesson):
    figure = draw("impulse", *lesson("content-position"), preset=Preset.SINGLE_COLUMN)
    for axes in figure.axes:
        assert [name.split()[0] for name in labels_below(axes)] == [f"t{t}" for t in range(1, 7)]


def test_the_row_and_the_peak_of_a_response_are_named_in_any_case(draw, lesson):
    scene, result = lesson("four-heads", SetSequenceLength(60))
    for row in (36, 42):
        figure = draw("impulse", scene, result, row=row, preset=Preset.SINGLE_COLUMN)
        for head, axes in zip(result.heads, figure.axes, strict=True):
            peak = int(np.argmax(head.weights[row]))
            assert f"t{peak + 1}" in labels_below(axes)
            assert len(labels_below(axes)) < 30
        assert f"t{row + 1}" in labels_below(figure.axes[2])  # whose peak is the row
