"""The gain for so many effective positions."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mhagui.document import ViewState, compute, load_lesson
from mhagui.document.edits import SetMasterGain
from mhagui.document.exercise_list import exercises
from mhagui.document.exercises import Shown
from mhagui.document.solver import edit_for, gain_for
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


@pytest.mark.parametrize(
    ("head", "row", "wanted"), [(1, 5, 1.1), (1, 5, 4.0), (2, 3, 1.5), (3, 2, 2.9)]
)
@pytest.mark.parametrize("master", [1.0, 0.5, -2.0])
def test_the_edit_gives_the_row_what_was_asked_for_whatever_the_master_gain(
    head, row, wanted, master
):
    scene = SetMasterGain(master).apply(load_lesson("four-heads"))
    scene = edit_for(scene, compute(scene), head, row, wanted).apply(scene)
    result = compute(scene)
    assert result.heads[head - 1].effective_positions[row] == pytest.approx(wanted, rel=1e-9)
    assert result.heads[head - 1].gain > 0
    assert scene.master_gain == master


def test_keys_that_come_later_do_not_count():
    scene = load_lesson("four-heads")
    with pytest.raises(UserError, match="between 1 and 3"):  # row t3 has three keys
        edit_for(scene, compute(scene), 1, 2, 3.5)


def test_a_master_gain_of_0_leaves_nothing_to_set():
    scene = SetMasterGain(0.0).apply(load_lesson("four-heads"))
    with pytest.raises(UserError, match="master gain is 0"):
        edit_for(scene, compute(scene), 1, 5, 1.1)


def test_its_exact_answer_meets_the_check_of_exercise_6():
    scene = load_lesson("four-heads")
    scene = edit_for(scene, compute(scene), 1, 5, 1.1).apply(scene)
    check = next(check for check in exercises()[5].checks if check.key == "enough")
    reading = check.reading(Shown(scene, compute(scene), ViewState.of(scene)))
    assert reading == "|K|·g = 8.309: 0.138 bits, 2^H = 1.100"
