"""The designed heads and the filters they approach."""

import numpy as np
import pytest

from mhagui.document import Pattern, compute, load_lesson
from mhagui.document.designs import design_of, factors, ideal_taps
from mhagui.document.edits import set_gain

LESSON_QUERY = {
    Pattern.FIRST_TOKEN: 1.0, Pattern.PREVIOUS_TOKEN: 3.0, Pattern.SELF: 3.0, Pattern.UNIFORM: 0.0
}  # fmt: skip


@pytest.mark.parametrize("pattern", Pattern)
def test_factors_have_the_key_magnitude_asked_for_and_the_lessons_queries(pattern):
    q, k = factors(pattern, 5, 3, 6.0)
    assert q.shape == k.shape == (5, 3)
    assert not q.flags.writeable
    assert not k.flags.writeable
    assert np.linalg.norm(k, axis=1).max() == pytest.approx(6.0 if LESSON_QUERY[pattern] else 0.0)
    assert np.linalg.norm(q, axis=1) == pytest.approx([LESSON_QUERY[pattern]] * 5)
    assert design_of(pattern).has_keys == bool(k.any())


@pytest.mark.parametrize("row", range(6))
def test_ideal_filters_are_what_the_heads_tend_to(row):
    scene = load_lesson("four-heads")
    for uid in (1, 2, 3, 4):
        scene = set_gain(uid, 1e6).apply(scene)
    for head in compute(scene).heads:
        taps = ideal_taps(head.head.pattern, row)
        assert taps.shape == (row + 1,)
        np.testing.assert_allclose(taps, head.weights[row, : row + 1], atol=1e-9)
