"""The figure of what a layer costs."""

import numpy as np
import pytest
from matplotlib.text import Text

from mhagui.document import compute
from mhagui.figures import cost
from mhagui.figures.page import house_style


@pytest.fixture
def drawn(four_heads):
    """The figure of the lesson's scene: T = 6, d_model = 8, four heads of width 2."""
    with house_style():
        return cost.draw(*four_heads)


def lines(axes):
    return {line.get_label(): line.get_data() for line in axes.lines}


def test_stages_over_t(drawn):
    stages = lines(drawn.axes[0])
    wanted = {
        "Q, K, V": lambda t: t * 8 * 4 * 6,
        "W_O": lambda t: t * 8 * 8,
        "projections, ∝ T": lambda t: t * 256,
        "scores": lambda t: t * t * 8,
        "A·V": lambda t: t * t * 8,
        "scores and A·V, ∝ T²": lambda t: t * t * 16,
        "exponentials H·T²": lambda t: t * t * 4,
    }
    for name, formula in wanted.items():
        t, count = (np.asarray(values) for values in stages[name])
        assert t.min() == 1
        assert t.max() >= 32
        np.testing.assert_array_equal(count, formula(t))


def test_the_overtaking_is_marked(drawn):
    at, height = lines(drawn.axes[0])["T* = 16"]
    assert list(at) == [16]
    assert list(height) == [16 * 256]


def test_parameters_and_score_flops_over_heads(drawn):
    curves = lines(drawn.axes[1])
    heads, parameters = curves["parameters, d_k = d_model/H"]
    assert list(heads) == [1, 2, 4, 8]
    assert list(parameters) == [256] * 4
    assert list(curves["score FLOPs, d_k = d_model/H"][1]) == [2 * 36 * 8] * 4
    heads, parameters = (np.array(values) for values in curves["parameters, d_k = 2 kept"])
    np.testing.assert_array_equal(parameters, 64 * heads)
    np.testing.assert_array_equal(curves["score FLOPs, d_k = 2 kept"][1], 2 * 36 * 2 * heads)


def test_the_scene_is_marked_in_both(drawn):
    left, right = (lines(axes) for axes in drawn.axes)
    assert list(left["T = 6"][0]) == [6, 6]
    assert list(right["H = 4"][0]) == [4, 4]


@pytest.mark.parametrize("sizes", [(1, 1, 2, 1, 1), (40, 16, 16, 16, 256)])
def test_all_text_is_on_the_page_and_legends_are_apart(make_scene, sizes):
    scene = make_scene(*sizes)
    with house_style():
        figure = cost.draw(scene, compute(scene))
        figure.draw_without_rendering()
    page = figure.bbox
    legends = [axes.get_legend().get_window_extent() for axes in figure.axes]
    for text in (text for axes in figure.axes for text in axes.get_legend().findobj(Text)):
        box = text.get_window_extent()
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, text.get_text()
        assert page.y0 <= box.y0, text.get_text()
    assert legends[0].x1 < legends[1].x0
    for axes in figure.axes:
        assert axes.get_legend().get_window_extent().y1 < axes.xaxis.label.get_window_extent().y0
