"""The figure of one head's stages."""

import math

import numpy as np
import pytest
from matplotlib.text import Text

from mhagui.document import compute
from mhagui.figures import pipeline
from mhagui.figures.page import house_style


def drawn(scene, result, head=1):
    with house_style():
        figure = pipeline.draw(scene, result, head)
        figure.draw_without_rendering()
    return figure


def words(figure):
    return {text.get_text() for text in figure.findobj(Text) if text.get_visible()}


def numbers(axes):
    """The values that the cells of a mesh are coloured by, NaN where masked."""
    mesh = axes.collections[0].get_array()
    rows, columns = round(axes.get_ylim()[0]), round(axes.get_xlim()[1])
    return np.ma.filled(mesh.astype(float), np.nan).reshape(rows, columns)


def test_each_stage_is_drawn_once_and_in_order(four_heads):
    figure = drawn(*four_heads)
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


def test_the_lessons_limits_and_head_are_written(four_heads):
    written = words(drawn(*four_heads))
    assert "Head 2 — previous token: gain g = 1" in written
    assert {"Q  (±3)", "· Kᵀ  (±3)", "= Q·Kᵀ  (±9)", "→ S  (±6.36)", "→ A"} <= written


# T, H, d_k, d_v, d_model
@pytest.mark.parametrize("sizes", [(1, 1, 2, 1, 1), (40, 2, 16, 16, 256), (1024, 1, 2, 2, 8)])
def test_it_is_legible_whatever_the_scene(make_scene, sizes):
    scene = make_scene(*sizes)
    figure = drawn(scene, compute(scene), head=0)
    width, height = figure.get_size_inches()
    assert width <= 7
    assert height <= 9
    boxes = [text.get_window_extent() for text in figure.texts]
    for number, box in enumerate(boxes):
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
        assert box.y1 <= figure.bbox.y1
        for other in boxes[:number]:
            beside = box.x0 >= other.x1 or other.x0 >= box.x1
            assert beside or box.y0 >= other.y1 - 1.5 or other.y0 >= box.y1 - 1.5


def test_many_positions_become_images(make_scene):
    scene = make_scene(200, 1, 2, 2, 4)
    figure = drawn(scene, compute(scene), head=0)
    assert sum(len(axes.images) for axes in figure.axes) == 10  # all panels but W_O^(h)
