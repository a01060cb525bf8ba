"""The figures of the packed W_K and W_V."""

import pytest

from mhagui.document.edits import SetSequenceLength
from mhagui.errors import UserError
from mhagui.figures import Subject, render


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("packed-wk", {"W_K^4", "key dimension", "h4.k2", "d_model × H·d_k = 8 × 8"}),
        ("packed-wv", {"W_V^4", "value dimension", "h4.v2", "d_model × H·d_v = 8 × 8"}),
    ],
)
def test_slices_and_dimensions_are_named(name, wanted, four_heads, draw, words):
    assert wanted <= words(draw(name, *four_heads))


def test_there_is_no_figure_of_a_w_k_that_does_not_exist(lesson):
    subject = Subject(*lesson("four-heads", SetSequenceLength(10)))
    with pytest.raises(UserError, match="The packed W_K does not exist"):
        render("packed-wk", subject, "svg")
