"""The figures of the packed W_K and W_V."""

import pytest

from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.errors import UserError
from mhagui.figures import packed


def texts(figure):
    """Return all that is written in a figure."""
    written = [text for axes in figure.axes for text in axes.texts] + figure.texts
    ticks = [label for axes in figure.axes for label in axes.get_xticklabels()]
    return {text.get_text() for text in [*written, *ticks]}


@pytest.mark.parametrize(
    ("draw", "wanted"),
    [
        (packed.draw_w_k, {"$W_K^{4}$", "key dimension", "h4.k2", "d_model × H·d_k = 8 × 8"}),
        (packed.draw_w_v, {"$W_V^{4}$", "value dimension", "h4.v2", "d_model × H·d_v = 8 × 8"}),
    ],
)
def test_slices_and_dimensions_are_named(draw, wanted):
    scene = load_lesson("four-heads")
    assert wanted <= texts(draw(scene, compute(scene)))


def test_there_is_no_figure_of_a_w_k_that_does_not_exist():
    scene = SetSequenceLength(10).apply(load_lesson("four-heads"))
    with pytest.raises(UserError, match="The packed W_K does not exist"):
        packed.draw_w_k(scene, compute(scene))
