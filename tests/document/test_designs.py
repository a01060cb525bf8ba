"""The designed heads and the filters they approach."""

import math

import numpy as np
import pytest

from mhagui import core
from mhagui.document import Head, Pattern, compute, load_lesson
from mhagui.document.designs import design_of, designed_factors, filter_of, ideal_taps
from mhagui.document.edits import (
    SetKeepMargin,
    SetPattern,
    SetSequenceLength,
    SetSetting,
    set_gain,
    set_key_magnitude,
)
from mhagui.document.patterns import checked_settings, parameters_of
from mhagui.errors import UserError

DESIGNED = [pattern for pattern in Pattern if pattern.is_designed]
LESSON_QUERY = {
    Pattern.FIRST_TOKEN: 1.0,
    Pattern.PREVIOUS_TOKEN: 3.0,
    Pattern.SELF: 3.0,
    Pattern.UNIFORM: 0.0,
    Pattern.DELAY: 3.0,
    Pattern.TWO_POSITIONS: 1.0,
    Pattern.BLOCK_LOCAL: 3.0,
}
# The positions, from 1, that share row t of the ideal at each pattern's own default numbers.
IDEALS = {
    Pattern.FIRST_TOKEN: lambda t: [1],
    Pattern.PREVIOUS_TOKEN: lambda t: [t - 1] if t > 1 else [],
    Pattern.SELF: lambda t: [t],
    Pattern.UNIFORM: lambda t: list(range(1, t + 1)),
    Pattern.DELAY: lambda t: [t - 2] if t > 2 else [],
    Pattern.TWO_POSITIONS: lambda t: [1, 3] if t >= 3 else [1],
    Pattern.RECENCY: lambda t: [t],
    Pattern.BLOCK_LOCAL: lambda t: [t - 1, t] if t % 2 == 0 else [t],
}


def factors(pattern, n_positions, d_k, key_magnitude, **changes):
    return designed_factors(
        pattern, checked_settings(pattern, ()), n_positions, d_k, key_magnitude, **changes
    )


@pytest.mark.parametrize("pattern", LESSON_QUERY)
def test_factors_have_the_key_magnitude_asked_for_and_the_lessons_queries(pattern):
    q, k = factors(pattern, 5, 3, 6.0)
    assert q.shape == k.shape == (5, 3)
    assert not q.flags.writeable
    assert not k.flags.writeable
    assert np.linalg.norm(k, axis=1).max() == pytest.approx(6.0 if LESSON_QUERY[pattern] else 0.0)
    assert np.linalg.norm(q, axis=1) == pytest.approx([LESSON_QUERY[pattern]] * 5)
    assert design_of(pattern).has_keys == bool(k.any())


def test_recency_loses_its_slope_with_each_step_back_whatever_d_k():
    for d_k in (1, 2, 16):
        q, k = designed_factors(Pattern.RECENCY, (0.25,), 7, d_k, 99.0)
        scores = core.attention_scores(q, k)
        assert np.diff(scores, axis=1) == pytest.approx(np.full((7, 6), 0.25))


@pytest.mark.parametrize("pattern", DESIGNED)
@pytest.mark.parametrize("row", range(6))
def test_ideal_filters_are_what_the_heads_tend_to(pattern, row):
    scene = set_gain(1, 1e6).apply(load_lesson("four-heads"))
    head = compute(SetPattern(1, pattern).apply(scene)).heads[0]
    taps = ideal_taps(head.head, row)
    looked_at = IDEALS[pattern](row + 1)
    if not looked_at:
        assert taps is None
        return
    wanted = [1 / len(looked_at) if t in looked_at else 0.0 for t in range(1, row + 2)]
    assert taps.tolist() == wanted
    np.testing.assert_allclose(head.weights[row, : row + 1], wanted, atol=1e-9)


@pytest.mark.parametrize("pattern", DESIGNED)
def test_without_a_key_magnitude_a_head_is_the_uniform_one(pattern):
    scene = set_gain(1, 1e6).apply(load_lesson("four-heads"))
    made = SetPattern(1, pattern).apply(set_key_magnitude(1, 0.0).apply(scene))
    if pattern is Pattern.RECENCY:
        made = SetSetting(1, 0, 0.0).apply(made)
    head = compute(made).heads[0]
    assert filter_of(head.head) == "growing box"
    for row in range(6):
        taps = ideal_taps(head.head, row)
        assert taps == pytest.approx([1 / (row + 1)] * (row + 1))
        assert head.weights[row, : row + 1] == pytest.approx(taps)


def test_rows_before_the_first_of_two_positions_have_no_ideal():
    scene = SetPattern(1, Pattern.TWO_POSITIONS).apply(load_lesson("four-heads"))
    for place, position in enumerate((5, 3)):
        scene = SetSetting(1, place, position).apply(scene)
    found = [ideal_taps(scene.head(1), row) for row in range(6)]
    assert found[:2] == [None, None]
    assert found[2].tolist() == [0, 0, 1]
    assert found[4].tolist() == [0, 0, 0.5, 0, 0.5]


def test_given_queries_and_keys_have_no_ideal():
    eye = np.eye(3)
    hand_set = Head(1, "h", Pattern.HAND_SET, eye, q=eye, k=eye)
    projected = Head(1, "h", Pattern.PROJECTED, eye, w_q=eye, w_k=eye)
    assert ideal_taps(hand_set, 2) is None
    assert ideal_taps(projected, 2) is None


def test_filters_are_named_with_their_delay():
    scene = load_lesson("four-heads")
    assert filter_of(scene.head(2)) == "unit delay z⁻¹"
    delayed = SetSetting(2, 0, 12).apply(
        SetPattern(2, Pattern.DELAY).apply(SetSequenceLength(20).apply(scene))
    )
    assert filter_of(delayed.head(2)) == "delay z⁻¹²"


@pytest.mark.parametrize("n_positions", [6, 7, 64, 1000])
def test_keep_margin_keeps_neighbours_as_far_apart_as_at_six(n_positions):
    scene = SetSequenceLength(n_positions).apply(load_lesson("four-heads"))
    kept = compute(SetKeepMargin(True).apply(scene)).heads
    margin = 9 * (1 - math.cos(2 * math.pi / 6)) / math.sqrt(2)
    for head, target in ((kept[1], 3), (kept[2], 4)):
        scores = head.scores[4]
        assert scores[target] - scores[target - 1] == pytest.approx(margin)
        assert scores[target] - scores[target + 1] == pytest.approx(margin)


def test_keep_margin_goes_by_the_number_of_blocks_where_blocks_are_on_the_circle():
    scene = SetSequenceLength(24).apply(load_lesson("four-heads"))
    blocks = SetSetting(2, 0, 2).apply(SetPattern(2, Pattern.BLOCK_LOCAL).apply(scene))
    scores = compute(SetKeepMargin(True).apply(blocks)).heads[1].scores
    margin = 9 * (1 - math.cos(2 * math.pi / 6)) / math.sqrt(2)  # of 12 blocks as of 6
    assert scores[10, 10] - scores[10, 9] == pytest.approx(margin)
    assert scores[10, 10] - scores[10, 11] == pytest.approx(0.0, abs=1e-12)


def test_circle_codes_weaken_with_t_where_the_margin_is_not_kept():
    scene = SetSequenceLength(64).apply(load_lesson("four-heads"))
    previous = compute(scene).heads[1].weights
    on_target = [previous[t, t - 1] for t in range(20, 64)]
    assert min(on_target) > 0.09
    assert max(on_target) < 0.17
    kept = compute(SetKeepMargin(True).apply(scene)).heads[1].weights
    assert min(kept[t, t - 1] for t in range(20, 64)) > 0.9


@pytest.mark.parametrize(
    ("pattern", "settings"),
    [
        (Pattern.DELAY, (0,)),
        (Pattern.DELAY, (1.5,)),
        (Pattern.DELAY, (1, 2)),
        (Pattern.DELAY, (math.nan,)),
        (Pattern.SELF, (1,)),
        (Pattern.RECENCY, (-1,)),
        (Pattern.BLOCK_LOCAL, (4097,)),
    ],
)
def test_numbers_a_pattern_cannot_have_are_refused(pattern, settings):
    with pytest.raises(UserError):
        Head(1, "h", pattern, np.eye(2), settings=settings)


@pytest.mark.parametrize("pattern", Pattern)
def test_numbers_that_are_not_given_are_the_patterns_own(pattern):
    defaults = tuple(parameter.default for parameter in parameters_of(pattern))
    assert checked_settings(pattern, ()) == defaults
