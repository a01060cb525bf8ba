"""Designed heads past the lesson's four, and what keeps their margin."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.core import (
    attention_scores,
    attention_weights,
    block_local_head,
    causal_mask,
    delay_head,
    margin_factor,
    previous_token_head,
    recency_head,
    self_head,
    two_position_head,
    uniform_head,
)

HEADS = [delay_head, two_position_head, recency_head, block_local_head]
CIRCLES = [delay_head, block_local_head]
lengths = st.integers(1, 40)


@pytest.mark.parametrize("make", HEADS)
@pytest.mark.parametrize("n", [1, 6, 9])
def test_wider_heads_score_alike_but_for_the_square_root(make, n):
    narrow, wide = make(n), make(n, 8)
    assert wide[0].shape == wide[1].shape == (n, 8)
    assert not wide[0][:, 2:].any()
    factor = 1.0 if make is recency_head else 2.0  # a slope is a score: its keys make up for √d_k
    assert_allclose(
        attention_scores(*narrow), factor * attention_scores(*wide), rtol=1e-13, atol=1e-13
    )


@pytest.mark.parametrize("make", [two_position_head, recency_head])
def test_heads_without_a_circle_may_have_width_one(make):
    q, k = make(4, 1)
    assert q.shape == k.shape == (4, 1)


@pytest.mark.parametrize("make", CIRCLES)
def test_a_circle_needs_two_features(make):
    with pytest.raises(ValueError, match=r"^d_k must be at least 2, got 1: a position on a circle"):
        make(4, 1)


@pytest.mark.parametrize("n", [1, 2, 6, 64])
def test_delays_of_none_and_one_are_the_lessons_heads(n):
    assert_array_equal(delay_head(n, steps=0), self_head(n))
    assert_array_equal(delay_head(n, steps=1), previous_token_head(n))


@given(st.integers(2, 40), st.data())
def test_a_delay_looks_its_steps_back(n, data):
    steps = data.draw(st.integers(0, n - 1))
    weights = attention_weights(*delay_head(n, steps=steps), gain=1e4)
    wanted = np.eye(n, k=-steps)
    assert_allclose(weights[steps:], wanted[steps:], atol=1e-6)


def test_row_4_of_two_positions_is_shared_by_positions_1_and_3():
    other = math.exp(-3.0 / math.sqrt(2.0))  # a margin of |K|·1/√d_k below the two
    whole = 2.0 + 2.0 * other
    wanted = [1 / whole, other / whole, 1 / whole, other / whole]
    assert_allclose(attention_weights(*two_position_head(6))[3, :4], wanted, rtol=1e-13)


def test_positions_past_the_end_are_absent_and_equal_ones_are_one():
    q, k = two_position_head(4, first=9, second=4)
    assert k[:, 0].tolist() == [0.0, 0.0, 0.0, 3.0]
    assert q[:, 0].tolist() == [1.0] * 4
    assert two_position_head(4, first=2, second=2)[1][:, 0].tolist() == [0.0, 3.0, 0.0, 0.0]
    assert not two_position_head(4, first=7, second=5)[1].any()


@given(lengths, st.integers(1, 8), st.floats(-3, 3))
def test_recency_scores_fall_by_the_slope_with_each_step_back(n, d_k, slope):
    scores = attention_scores(*recency_head(n, d_k, slope=slope))
    wanted = np.broadcast_to(slope * (np.arange(1, n + 1) - n), (n, n))
    assert_allclose(scores, wanted, rtol=1e-12, atol=1e-12)


def test_recency_is_a_decaying_average():
    weights = attention_weights(*recency_head(5, slope=math.log(2)))
    assert_allclose(weights[2], np.array([1, 2, 4, 0, 0]) / 7, rtol=1e-13, atol=1e-15)


def test_recency_without_a_slope_is_uniform_with_no_negative_zero():
    q, k = recency_head(5, slope=0.0)
    assert not np.signbit(k).any()
    assert_array_equal(attention_weights(q, k), attention_weights(*uniform_head(5)))


@given(st.integers(1, 30), st.integers(1, 35))
def test_keys_of_one_block_are_one_point_and_a_large_gain_averages_them(n, block):
    q, k = block_local_head(n, block=block)
    same = np.equal.outer(np.arange(n) // block, np.arange(n) // block)
    assert_allclose(np.hypot(*(k[:, np.newaxis] - k).T) < 1e-9, same)
    averaged = np.where(same & np.tri(n, dtype=bool), 1.0, 0.0)
    averaged /= averaged.sum(axis=1, keepdims=True)
    assert_allclose(attention_weights(q, k, gain=1e4), averaged, atol=1e-6)


def test_blocks_of_one_are_self():
    assert_array_equal(block_local_head(7, block=1), self_head(7))


@given(st.integers(2, 5000))
def test_the_margin_factor_is_the_ratio_of_margins(n):
    wanted = math.sqrt((1 - math.cos(math.tau / 6)) / (1 - math.cos(math.tau / n)))
    assert_allclose(margin_factor(n), wanted, rtol=1e-9)


def test_six_points_and_a_single_one_are_left_alone():
    assert margin_factor(6) == 1.0
    assert margin_factor(1) == 1.0
    assert margin_factor(5) < 1.0 < margin_factor(7)


def neighbour_margin(n, factor):
    """Return by how much, at most, the position looked for scores above its neighbours."""
    magnitude = 3.0 * factor
    scores = attention_scores(*previous_token_head(n, 2, magnitude, magnitude))
    rows = np.arange(2, n)
    return scores[rows, rows - 1] - scores[rows, rows - 2]


def test_a_long_sequence_blurs_the_lessons_circle_and_the_factor_keeps_its_margin():
    rows = np.arange(20, 63)  # the last row also sees position 1, its neighbour on the circle
    blurred = attention_weights(*previous_token_head(64))[rows, rows - 1]
    assert 0.10 < blurred.min() < blurred.max() < 0.16
    wanted = 9 / math.sqrt(2) * (1 - math.cos(math.tau / 6))
    assert_allclose(neighbour_margin(6, 1.0), wanted, rtol=1e-13)
    assert_allclose(neighbour_margin(64, margin_factor(64)), wanted, rtol=1e-10)
    magnitude = 3.0 * margin_factor(64)
    kept = attention_weights(*previous_token_head(64, 2, magnitude, magnitude))[rows, rows - 1]
    assert_allclose(kept, attention_weights(*previous_token_head(6))[4, 3], atol=0.01)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: delay_head(4, steps=-1), "steps must be an integer of at least 0, got -1."),
        (lambda: delay_head(4, steps=1.5), "steps must be an integer of at least 0, got 1.5."),
        (lambda: delay_head(4, steps=2**31), "steps must be at most 2147483647, got 2147483648."),
        (lambda: two_position_head(4, first=0), "first must be an integer of at least 1, got 0."),
        (
            lambda: two_position_head(4, second=-2),
            "second must be an integer of at least 1, got -2.",
        ),
        (lambda: block_local_head(4, block=0), "block must be an integer of at least 1, got 0."),
        (lambda: recency_head(4, slope=math.inf), "slope must be a finite number, got inf."),
        (lambda: recency_head(4, slope=1e308), "slope must be smaller: a key overflows float64."),
        (lambda: margin_factor(0), "n_points must be an integer of at least 1, got 0."),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(ValueError, match=r"\S") as caught:
        call()
    assert str(caught.value) == sentence


@pytest.mark.parametrize("make", HEADS)
def test_thousands_of_positions_are_no_trouble(make):
    q, k = make(4096)
    weights = attention_weights(q[-3:], k, mask=causal_mask(4096)[-3:])
    assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)
