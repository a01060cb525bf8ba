"""Windows, prefixes, padding, linear biases and sinks against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui import core

LENGTHS = st.integers(1, 9)


@given(LENGTHS, LENGTHS, LENGTHS)
def test_a_window_holds_the_own_position_and_those_before(n_queries, n_keys, window):
    found = core.sliding_window_mask(n_queries, n_keys, window=window)
    for t in range(n_queries):
        position = t + n_keys - n_queries
        assert found[t].tolist() == [position - window < i <= position for i in range(n_keys)]
    assert core.allowed_counts(found).max() <= window


def test_counts_of_a_window_of_three_show_whether_it_is_off_by_one():
    counts = core.allowed_counts(core.sliding_window_mask(6, window=3))
    assert counts.tolist() == [1, 2, 3, 3, 3, 3]
    assert core.allowed_counts(core.causal_mask(4)).tolist() == [1, 2, 3, 4]


@given(LENGTHS, st.integers(0, 12))
def test_a_prefix_is_seen_by_all_and_the_rest_is_causal(n, prefix):
    found = core.prefix_mask(n, prefix=prefix)
    for t in range(n):
        assert found[t].tolist() == [i < prefix or i <= t for i in range(n)]


def test_padding_neither_sees_nor_is_seen():
    real = np.array([False, True, True])  # padded on the left
    assert core.padding_mask(real).tolist() == [
        [False] * 3,
        [False, True, True],
        [False, True, True],
    ]
    weights = core.weights_from_scores(
        np.zeros((3, 3)), mask=core.padding_mask(real) & core.causal_mask(3)
    )
    assert weights.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0.5, 0.5]]


@pytest.mark.parametrize("power", [1, 2, 4, 8, 16, 32])
def test_slopes_of_a_power_of_two(power):
    wanted = [2 ** (-8 * (h + 1) / power) for h in range(power)]
    assert_allclose(core.alibi_slopes(power), wanted, rtol=1e-15)


def test_slopes_of_other_numbers_of_heads():
    # 12: the 8 of eight heads, then the first, third, fifth and seventh of sixteen
    wanted = [2.0**-n for n in range(1, 9)] + [2 ** -(n / 2) for n in (1, 3, 5, 7)]
    assert_allclose(core.alibi_slopes(12), wanted, rtol=1e-15)
    assert core.alibi_slopes(3).shape == (3,)


def test_the_bias_is_softmax_equal_to_the_form_constant_along_rows():
    slopes, scores = core.alibi_slopes(4), np.random.default_rng(0).normal(size=(4, 6, 6))
    bias = core.alibi_bias(slopes, 6)
    assert bias[0, 5].tolist() == [-slopes[0] * n for n in (5, 4, 3, 2, 1, 0)]
    other = slopes[:, None, None] * np.arange(6)
    assert_allclose(
        core.weights_from_scores(scores + bias),
        core.weights_from_scores(scores + other),
        atol=1e-15,
    )
    assert_array_equal(core.alibi_bias(slopes, 2, 6), bias[:, 4:])


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=3), st.floats(-50, 50))
def test_a_sink_takes_its_share_of_the_softmax(scores, sink):
    found = core.weights_with_sinks([[scores]], [sink], mask=None)[0, 0]
    top = max(*scores, sink)
    total = math.fsum(math.exp(value - top) for value in [*scores, sink])
    assert_allclose(found, [math.exp(s - top) / total for s in scores], rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("size", [1e30, -1e30])
def test_extreme_scores_beside_a_sink(size):
    found = core.weights_with_sinks([[[size, 0.0]]], [0.0], mask=None)[0, 0]
    assert found.tolist() == ([1.0, 0.0] if size > 0 else [0.0, 0.5])


def test_a_row_with_no_key_gives_all_to_the_sink():
    found = core.weights_with_sinks(np.zeros((1, 2, 2)), [0.0], mask=[[False, False], [True, True]])
    assert found.tolist() == [[[0, 0], [1 / 3, 1 / 3]]]


def test_a_sink_of_a_very_low_logit_is_none():
    scores = np.random.default_rng(1).normal(size=(2, 4, 4)).astype(np.float32)
    found = core.weights_with_sinks(scores, [-1e30, -1e30])
    assert found.dtype == np.float32
    assert_allclose(found, core.weights_from_scores(scores), atol=1e-7)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="window must be an integer of at least 1, got 0"):
        core.sliding_window_mask(3, window=0)
    with pytest.raises(ValueError, match=r"sinks must have shape \(2,\): one per head"):
        core.weights_with_sinks(np.zeros((2, 1, 1)), [0.0])
    with pytest.raises(ValueError, match="sinks must be smaller"):
        core.weights_with_sinks(np.zeros((1, 1, 1), np.float32), [1e39])
    with pytest.raises(ValueError, match="is_token must be boolean"):
        core.padding_mask([0, 1])
    with pytest.raises(ValueError, match="mask must be boolean of shape"):
        core.allowed_counts([[0, 1]])
    with pytest.raises(ValueError, match=r"slopes must have shape \(H,\)"):
        core.alibi_bias([[0.5]], 3)
