"""Row entropy in bits and effective positions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.core import causal_mask, effective_positions, row_entropy_bits, weights_from_scores

relaxed = settings(deadline=None)
SCORES = hnp.arrays(np.float64, (2, 6, 6), elements=st.floats(-50, 50))


def is_negative_zero(values):
    return (values == 0) & np.signbit(values)


def test_entropy_of_halves_quarters_and_certainty():
    rows = [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25] * 4, [0.5, 0.25, 0.125, 0.125]]
    assert row_entropy_bits(rows).tolist() == [0.0, 1.0, 2.0, 1.75]
    assert effective_positions(rows).tolist() == [1.0, 2.0, 4.0, 2**1.75]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_row_without_support_is_undefined(dtype):
    a = np.array([[0.0, 0.0], [0.0, 1.0]], dtype=dtype)
    for measure, certain in ((row_entropy_bits, 0.0), (effective_positions, 1.0)):
        values = measure(a)
        assert values.dtype == dtype
        assert math.isnan(values[0])
        assert values[1] == certain


def test_one_hot_rows_have_plain_zero():
    bits = row_entropy_bits(np.eye(9))
    assert_array_equal(bits, 0.0)
    assert not is_negative_zero(bits).any()


@pytest.mark.parametrize("excess", [np.finfo(float).eps, 1e-7, 0.0078])
def test_rounding_above_one_gives_zero_and_not_less(excess):
    bits = row_entropy_bits([[1.0 + excess, 0.0]])
    assert bits.tolist() == [0.0]
    assert not is_negative_zero(bits).any()


@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-300])
def test_tiny_weights_add_next_to_nothing(tiny):
    assert 0 <= row_entropy_bits([[1.0, tiny]])[0] <= 1.1 * tiny * 1075 + 1e-304


@relaxed
@given(SCORES, st.floats(-20, 20))
def test_entropy_lies_between_zero_and_the_ceiling(scores, gain):
    bits = row_entropy_bits(weights_from_scores(scores, gain=gain))
    ceiling = np.log2(np.arange(1, 7))
    assert (bits >= 0).all()
    assert (bits <= ceiling + 1e-14).all()
    assert not is_negative_zero(bits).any()


@relaxed
@given(SCORES)
def test_entropy_agrees_with_a_sum_term_by_term(scores):
    weights = weights_from_scores(scores)
    bits = row_entropy_bits(weights)
    for row, found in zip(weights.reshape(-1, 6), bits.ravel(), strict=True):
        wanted = math.fsum(-p * math.log2(p) for p in row if p > 0)
        assert_allclose(found, wanted, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 4, 16, 1024])
def test_uniform_rows_are_exactly_on_the_ceiling(n):
    weights = weights_from_scores(np.zeros((n, n)), mask=None)
    assert_array_equal(row_entropy_bits(weights), math.log2(n))


def test_uniform_causal_head_blends_half_the_positions_on_average():
    n = 50
    positions = effective_positions(weights_from_scores(np.zeros((n, n))))
    assert_allclose(positions, np.arange(1, n + 1), rtol=1e-13)


@relaxed
@given(
    hnp.arrays(np.float64, (6, 6), elements=st.floats(-3, 3)),
    st.floats(-2, 2),
)
def test_gain_law(scores, gain):
    """Check dH/dg = −g · Var_A(S), in nats, by a central difference."""
    step = 1e-5
    higher, lower = (
        row_entropy_bits(weights_from_scores(scores, gain=g)) * math.log(2)
        for g in (gain + step, gain - step)
    )
    a = weights_from_scores(scores, gain=gain)
    mean = (a * scores).sum(axis=-1, keepdims=True)
    variance = (a * (scores - mean) ** 2).sum(axis=-1)
    assert_allclose((higher - lower) / (2 * step), -gain * variance, rtol=0, atol=1e-6)


def test_rows_that_do_not_sum_to_one_are_taken_as_they_are():
    assert row_entropy_bits([[0.25, 0.25]]).tolist() == [1.0]


def test_leading_axes_and_dtype_are_kept():
    a = np.broadcast_to(causal_mask(4) / np.arange(1, 5)[:, None], (2, 3, 4, 4))
    assert row_entropy_bits(a).shape == (2, 3, 4)
    single = row_entropy_bits(a.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, row_entropy_bits(a), rtol=1e-6)
    assert row_entropy_bits(np.zeros((0, 4, 4))).shape == (0, 4)


def test_user_error_state_does_not_reach_the_entropy():
    with np.errstate(all="raise"):
        assert row_entropy_bits([[5e-324, 1e-310, 1.0]])[0] < 1e-304
