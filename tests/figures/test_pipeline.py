"""The figure of one head's stages."""

import math

import numpy as np
import pytest

from mhagui.document import compute
from mhagui.figures import Preset


def numbers(axes):
    """The values that the cells of a mesh are coloured by, NaN where masked."""
    mesh = axes.collections[0].get_array()
    rows, columns = round(axes.get_ylim()[0]), round(axes.get_xlim()[1])
    return np.ma.filled(mesh.astype(float), np.nan).reshape(rows, columns)


def test_each_stage_is_drawn_once_and_in_order(four_heads, draw):
    figure = draw("pipeline", *four_heads, head=1)
    head = four_heads[1].heads[1]
    seen = np.where(np.tri(6, dtype=bool), head.scores, np.nan)
    wanted = [
        head.q,
        head.k.T,
        math.sqrt(2) * head.scores,
        head.scores,
        head.scores,
        seen,
        np.where(np.tri(6, dtype=bool), head.weights, np.nan),
        head.values,
        head.weights @ head.values,
        four_heads[0].w_o[2:4],
        head.weights @ head.values @ four_heads[0].w_o[2:4],
    ]
    for axes, matrix in zip(figure.axes, wanted, strict=False):
        np.testing.assert_allclose(numbers(axes), matrix, atol=1e-14)
    assert len(figure.axes) == len(wanted) + 2  # and the two colour bars


def test_the_lessons_limits_and_head_are_written(four_heads, draw, words):
    written = words(draw("pipeline", *four_heads, head=1))
    assert "h2 previous token: gain g = 1" in written
    assert {"Q", "· Kᵀ", "= Q·Kᵀ", "→ S", "→ A", "±3", "±9", "±6.36", "0 to 1"} <= written


def test_many_positions_become_images(make_scene, draw):
    scene = make_scene(200, 1, 2, 2, 4)
    figure = draw("pipeline", scene, compute(scene))
    assert sum(len(axes.images) for axes in figure.axes) == 10  # all panels but W_O^(h)


@pytest.mark.parametrize("preset", [Preset.SINGLE_COLUMN, Preset.DOUBLE_COLUMN])
def test_all_panels_with_positions_beside_them_name_the_same(four_heads, draw, preset):
    figure = draw("pipeline", *four_heads, preset=preset)
    beside = [[text.get_text() for text in axes.get_yticklabels()] for axes in figure.axes]
    times = [names for names in beside if names[0] == "t1"]
    assert times == 9 * [[f"t{t}" for t in range(1, 7)]]
