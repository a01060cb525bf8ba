"""The figure of what a layer costs."""

import re

import numpy as np
import pytest

from mhagui.document import compute
from mhagui.document.view_state import WhatIf
from mhagui.figures import Subject, drawing


@pytest.fixture(scope="module")
def drawn(four_heads, draw):
    """The figure of the lesson's scene: T = 6, d_model = 8, four heads of width 2."""
    return draw("cost", *four_heads)


def lines(axes):
    """The curves by their names, without what makes formulas of parts of these."""
    return {re.sub(r"[${}]|\\mathrm", "", line.get_label()): line.get_data() for line in axes.lines}


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


def test_another_layer_can_be_asked_for(four_heads):
    figure = drawing.draw("cost", Subject(*four_heads, sizes=WhatIf(512, 8, 64, 64, 1000)))
    left, right = (lines(axes) for axes in figure.axes)
    assert list(left["T = 1,000"][0]) == [1000, 1000]
    assert list(right["H = 8"][0]) == [8, 8]
    t, count = (np.asarray(values) for values in left["scores"])
    np.testing.assert_array_equal(count, t * t * 8 * 64)


@pytest.mark.parametrize("sizes", [(1, 1, 2, 1, 1), (40, 16, 16, 16, 256)])
def test_legends_are_apart_and_below_the_axes(make_scene, draw, sizes):
    scene = make_scene(*sizes)
    figure = draw("cost", scene, compute(scene))
    legends = [axes.get_legend().get_window_extent() for axes in figure.axes]
    assert legends[0].x1 < legends[1].x0
    for axes, legend in zip(figure.axes, legends, strict=True):
        assert legend.y1 < axes.xaxis.label.get_window_extent().y0
