"""The gain for so many effective positions."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mhagui.document import compute, load_lesson
from mhagui.document.solver import gain_for
from mhagui.errors import UserError


def effective(scores, gain):
    e = np.exp(gain * (scores - scores.max()))
    p = e / e.sum()
    return 2 ** -sum(x * math.log2(x) for x in p if x > 0)


def test_it_finds_the_magnitude_of_exercise_6(expected):
    scores = compute(load_lesson("four-heads")).heads[0].scores[5]
    wanted = expected["exercises"]["6"]["key_magnitude_for_1.1_effective_positions"]
    assert 3 * gain_for(scores, 1.1) == pytest.approx(wanted, rel=1e-14)


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=12),
    st.floats(0.02, 0.98),
    st.sampled_from([1e-3, 1.0, 1e4]),
)
def test_the_gain_it_finds_gives_what_was_asked_for(numbers, share, size):
    scores = np.array(numbers) * size
    least, most = int((scores == scores.max()).sum()), len(scores)
    assume(least < most)
    wanted = least + share * (most - least)
    assert effective(scores, gain_for(scores, wanted)) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("wanted", [0.5, 2.0, 6.0, 7.0, math.nan])
def test_what_no_gain_gives_is_said(wanted):
    scores = np.array([1.0, 1.0, 0, 0, 0, 0])
    with pytest.raises(UserError, match="between 2 and 6"):
        gain_for(scores, wanted)


def test_equal_scores_are_moved_by_no_gain():
    with pytest.raises(UserError, match="the same score"):
        gain_for(np.zeros(4), 2.0)
