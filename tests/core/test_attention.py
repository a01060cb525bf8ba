"""The mask, the scores, and the weights for every gain and mask."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.core import (
    attention_scores,
    attention_weights,
    causal_mask,
    softmax_exponents,
    weights_from_scores,
)

relaxed = settings(deadline=None)

DTYPES = st.sampled_from([np.float32, np.float64])
GAINS = st.floats(-8, 8, width=32)


@st.composite
def queries_and_keys(draw, largest=8.0):
    """Draw q and k of one dtype, with or without a leading axis."""
    dtype = draw(DTYPES)
    leading = draw(st.sampled_from([(), (1,), (3,), (2, 2)]))
    n_queries, n_keys, width = (draw(st.integers(1, 7)) for _ in range(3))
    elements = st.floats(-largest, largest, width=32)
    shapes = [(*leading, n_queries, width), (*leading, n_keys, width)]
    return tuple(draw(hnp.arrays(dtype, shape, elements=elements)) for shape in shapes)


def some_allowed_mask(draw, shape):
    """Draw a mask that leaves each row a key."""
    mask = draw(hnp.arrays(np.bool_, shape))
    mask[..., 0] |= ~mask.any(axis=-1)
    return mask


# ------------------------------------------------------------------------------------- causal_mask


def test_mask_is_lower_triangular():
    assert_array_equal(causal_mask(5), np.tri(5, dtype=bool))
    assert causal_mask(np.int64(3)).dtype == np.bool_


@given(st.integers(1, 9), st.integers(1, 9))
def test_queries_are_the_last_positions(n_queries, n_keys):
    mask = causal_mask(n_queries, n_keys)
    assert mask.shape == (n_queries, n_keys)
    for t in range(n_queries):
        for i in range(n_keys):
            assert mask[t, i] == (i <= t + n_keys - n_queries)


def test_queries_before_the_first_key_see_nothing():
    assert_array_equal(causal_mask(4, 2), [[0, 0], [0, 0], [1, 0], [1, 1]])
    weights = weights_from_scores(np.ones((4, 2)))
    assert_array_equal(weights, [[0, 0], [0, 0], [1, 0], [0.5, 0.5]])


# ------------------------------------------------------------------------------------------ scores


def test_scores_are_scaled_products():
    q, k = [[1.0, 2.0, 0.0, -1.0]], [[4.0, 1.0, 7.0, 2.0], [0.0, 0.5, 1.0, 1.0]]
    assert attention_scores(q, k).tolist() == [[2.0, 0.0]]
    assert attention_scores(q, k, scale=1).tolist() == [[4.0, 0.0]]


def test_scores_broadcast_leading_axes():
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(3, 1, 4, 2)), rng.normal(size=(5, 6, 2))
    scores = attention_scores(q, k)
    assert scores.shape == (3, 5, 4, 6)
    assert_allclose(scores[2, 3], attention_scores(q[2, 0], k[3]), rtol=1e-15)


@pytest.mark.parametrize(
    ("dtype", "q", "k", "scale", "score"),
    [
        (np.float64, [[1e200]], [[1e200]], 1e-300, 1e100),
        (np.float64, [[1e200, 1e200]], [[1e200, -5e199]], 1e-300, 5e99),
        (np.float64, [[1e154] * 100], [[1e153] * 100], None, 1e308),
        (np.float64, [[1e308] * 2], [[4.0] * 2], 1e-308, 8.0),
        (np.float32, [[1e30]], [[1e30]], 1e-30, 1e30),
        (np.float32, [[1e-20]], [[1e-20]], 1e45, 1e5),
    ],
)
def test_no_finite_score_overflows_on_the_way(dtype, q, k, scale, score):
    q, k = np.array(q, dtype), np.array(k, dtype)
    scores = attention_scores(q, k, scale)
    assert scores.dtype == dtype
    assert_allclose(scores, [[score]], rtol=10 * np.finfo(dtype).eps)


def test_a_large_score_leaves_the_small_ones_of_its_head_as_they_are():
    q, k = np.array([[1e200, 1e-300], [0.0, 3.0]]), np.array([[1e200, 0.0], [0.0, 2.0]])
    small = [[1e100, 0.0], [0.0, 6e-300]]
    assert_allclose(attention_scores(q, k, 1e-300), small, rtol=1e-14)


def test_mixed_dtypes_give_float64():
    q, k = np.ones((2, 2), np.float32), np.ones((2, 2))
    assert attention_scores(q, q).dtype == np.float32
    assert attention_scores(q, k).dtype == np.float64
    assert attention_scores(q.astype(np.float16), q).dtype == np.float64
    assert attention_scores([[1, 2]], [[3, 4]]).dtype == np.float64
    assert attention_scores(q.astype(">f4"), q.astype(">f4")).dtype == np.dtype("=f4")


# -------------------------------------------------------------------- weights: the plain definition


@relaxed
@given(st.data())
def test_weights_agree_with_the_plain_formula(plain_weights, data):
    q, k = data.draw(queries_and_keys())
    gain = data.draw(GAINS)
    shape = (*q.shape[:-1], k.shape[-2])
    mask = some_allowed_mask(data.draw, shape)
    scores = (q @ np.swapaxes(k, -1, -2)) / np.sqrt(q.dtype.type(q.shape[-1]))
    tolerance = 16 * np.finfo(q.dtype).eps * (1 + np.max(np.abs(gain * scores)))

    weights = attention_weights(q, k, gain=gain, mask=mask)

    assert weights.dtype == q.dtype
    assert_allclose(weights, plain_weights(scores, gain, mask), rtol=0, atol=tolerance)
    assert_array_equal(weights, weights_from_scores(attention_scores(q, k), gain=gain, mask=mask))


@relaxed
@given(st.data())
def test_rows_sum_to_one_and_masked_cells_are_zero(data):
    q, k = data.draw(queries_and_keys())
    shape = (*q.shape[:-1], k.shape[-2])
    mask = data.draw(hnp.arrays(np.bool_, shape))
    weights = attention_weights(q, k, gain=data.draw(GAINS), mask=mask)
    assert not weights[~mask].any()
    assert weights.min() >= 0
    assert weights.max() <= 1
    sums = weights.sum(axis=-1)
    assert_allclose(sums, mask.any(axis=-1), rtol=0, atol=16 * np.finfo(q.dtype).eps)


@pytest.mark.parametrize(("n_queries", "n_keys"), [(5, 5), (3, 7), (1, 4), (6, 2)])
def test_causal_by_name_is_the_causal_mask(n_queries, n_keys):
    scores = np.random.default_rng(2).normal(size=(2, n_queries, n_keys))
    by_mask = weights_from_scores(scores, mask=causal_mask(n_queries, n_keys))
    assert_array_equal(weights_from_scores(scores, mask="causal"), by_mask)
    assert_array_equal(weights_from_scores(scores), by_mask)


def test_no_mask_allows_every_key():
    scores = np.log([[1.0, 2.0, 5.0], [4.0, 3.0, 1.0]])
    wanted = [[0.125, 0.25, 0.625], [0.5, 0.375, 0.125]]
    assert_allclose(weights_from_scores(scores, mask=None), wanted, rtol=1e-15)


def test_mask_broadcasts_over_heads_and_rows():
    scores = np.random.default_rng(3).normal(size=(2, 3, 4))
    keys = np.array([True, False, True, True])
    weights = weights_from_scores(scores, mask=keys)
    assert not weights[..., 1].any()
    assert_array_equal(
        weights, weights_from_scores(scores, mask=np.broadcast_to(keys, scores.shape))
    )


@pytest.mark.parametrize("gain", [0.0, 1.0, -1.0, 1e308, -1e308])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_row_without_allowed_key_is_zero(gain, dtype):
    scores = np.random.default_rng(4).normal(size=(3, 4)).astype(dtype)
    mask = np.ones((3, 4), dtype=bool)
    mask[1] = False
    weights = weights_from_scores(scores, gain=gain, mask=mask)
    assert_array_equal(weights[1], 0.0)
    assert_allclose(weights[[0, 2]].sum(axis=-1), 1.0, rtol=1e-6)


@pytest.mark.parametrize("gain", [2.0, 0.0, -2.0, [1.0, -1.0]])
@pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf, 1e308])
def test_masked_scores_may_hold_anything(gain, junk):
    mask = causal_mask(5)
    clean = np.random.default_rng(5).normal(size=(2, 5, 5))
    dirty = np.where(mask, clean, junk)
    assert_array_equal(weights_from_scores(dirty, gain=gain), weights_from_scores(clean, gain=gain))


# -------------------------------------------------------------------------------- weights: the gain


def test_gain_scales_scores_and_not_the_mask():
    scores = np.random.default_rng(6).normal(size=(5, 5))
    for gain in (0.3, 2.0, -1.5):
        assert_allclose(
            weights_from_scores(scores, gain=gain),
            weights_from_scores(gain * scores),
            rtol=1e-14,
        )


@relaxed
@given(queries_and_keys(largest=1e6), st.sampled_from([0, 0.0, -0.0, False, np.float32(0)]))
def test_gain_zero_is_uniform_over_allowed_keys(q_and_k, gain):
    q, k = q_and_k
    mask = causal_mask(q.shape[-2], k.shape[-2])
    counts = np.maximum(mask.sum(axis=-1, keepdims=True), 1)
    weights = attention_weights(q, k, gain=gain)
    wanted = (mask / counts).astype(q.dtype)
    assert_array_equal(weights, np.broadcast_to(wanted, weights.shape))


def test_huge_positive_gain_picks_the_largest_allowed_score():
    scores = np.array([[1.0, 9.0], [2.0, 2.0 - 1e-15]])
    assert weights_from_scores(scores, gain=1e308).tolist() == [[1, 0], [1, 0]]


def test_huge_negative_gain_picks_the_smallest_allowed_score():
    scores = np.array([[1.0, -9.0, 0.0], [2.0, 1.0, -9.0], [0.0, 0.0, 5.0]])
    weights = weights_from_scores(scores, gain=-1e308)
    assert weights.tolist() == [[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0]]


@pytest.mark.parametrize("gain", [1e308, -1e308, 1e-308, 5e-324, 1e39, -1e39])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1e6, 1e30, 0.0])
def test_extreme_gains_and_scores_stay_finite(gain, dtype, size):
    scores = (size * np.random.default_rng(7).uniform(-1, 1, (4, 6, 6))).astype(dtype)
    for gains in (gain, np.full(4, gain), [gain, 0.0, -gain, 1.0]):
        with np.errstate(all="raise"):
            weights = weights_from_scores(scores, gain=gains)
        assert weights.dtype == dtype
        assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-6)
        assert not weights[:, ~causal_mask(6)].any()


@given(st.sampled_from([np.float32, np.float64]), st.sampled_from([1.0, -1.0]))
def test_scores_at_both_ends_of_the_range(dtype, sign):
    largest = np.finfo(dtype).max
    scores = np.array([[largest, -largest, 0.0]], dtype=dtype)
    favoured = [[1, 0, 0]] if sign > 0 else [[0, 1, 0]]
    assert weights_from_scores(scores, gain=sign, mask=None).tolist() == favoured
    # A gain that brings them back to -1, 0, 1: e^2, e^1, e^0 over their sum.
    e = np.exp([2.0, 0.0, 1.0])
    gain = sign / float(largest)  # subnormal in float32, hence short of digits
    weights = weights_from_scores(sign * scores, gain=gain, mask=None)
    assert_allclose(weights, [e / e.sum()], rtol=1e-5 if dtype == np.float32 else 1e-12)


def test_float32_gain_beyond_its_range_is_not_rounded_to_the_largest():
    scores = np.array([[0.0, 1e-38]], dtype=np.float32)
    weights = weights_from_scores(scores, gain=1e300, mask=None)
    assert weights.dtype == np.float32
    assert weights.tolist() == [[0, 1]]


@pytest.mark.parametrize("size", [1e6, -1e6])
def test_scores_of_a_million(size):
    weights = weights_from_scores(np.array([[0.0, size], [size, size]]), mask=None)
    wanted = [[0, 1], [0.5, 0.5]] if size > 0 else [[1, 0], [0.5, 0.5]]
    assert weights.tolist() == wanted


@relaxed
@given(
    hnp.arrays(np.float64, (3, 5, 5), elements=st.floats(-30, 30)),
    hnp.arrays(np.float64, 3, elements=st.sampled_from([-2.0, -0.5, 0.0, 0.5, 1.0, 3.0])),
)
def test_each_head_takes_its_own_gain(scores, gains):
    together = weights_from_scores(scores, gain=gains)
    apart = [weights_from_scores(s, gain=g) for s, g in zip(scores, gains, strict=True)]
    assert_array_equal(together, np.stack(apart))


def test_gains_broadcast_over_a_batch():
    scores = np.random.default_rng(8).normal(size=(2, 3, 4, 4))
    gains = [1.0, 0.0, -2.0]
    together = weights_from_scores(scores, gain=gains)
    for batch in range(2):
        assert_array_equal(together[batch], weights_from_scores(scores[batch], gain=gains))
    per_batch = weights_from_scores(scores, gain=[[2.0], [3.0]])
    assert_array_equal(per_batch[1], weights_from_scores(scores[1], gain=3.0))


@pytest.mark.parametrize("gain", [2, np.float32(2), np.int8(2), np.array(2.0), [2.0, 2.0]])
def test_gain_may_be_any_real_number(gain):
    scores = np.random.default_rng(9).normal(size=(2, 3, 3)).astype(np.float32)
    weights = weights_from_scores(scores, gain=gain)
    assert weights.dtype == np.float32
    assert_array_equal(weights, weights_from_scores(scores, gain=2.0))


def test_no_heads_is_no_weights():
    assert weights_from_scores(np.zeros((0, 4, 4)), gain=np.zeros(0)).shape == (0, 4, 4)


def test_user_error_state_does_not_reach_the_softmax():
    scores = np.array([[0.0, -800.0], [-745.0, 0.0]])
    with np.errstate(all="raise"):
        weights = weights_from_scores(scores, mask=None)
    assert weights.tolist() == [[1, 0], [5e-324, 1]]


def test_overflow_of_masked_scores_is_not_an_error():
    scores = np.full((3, 3), 1e308)  # their sum overflows, no score does
    assert_array_equal(weights_from_scores(scores)[2], [1 / 3] * 3)


# ------------------------------------------------------------------------------ softmax_exponents


@relaxed
@given(st.data())
def test_exponents_lead_to_the_weights(data):
    q, k = data.draw(queries_and_keys())
    scores = attention_scores(q, k)
    mask, gain = some_allowed_mask(data.draw, scores.shape[-2:]), data.draw(GAINS)
    exponents = softmax_exponents(scores, gain=gain, mask=mask)
    assert exponents.dtype == scores.dtype
    powers = np.exp(exponents.astype(float))
    assert_allclose(
        powers / powers.sum(axis=-1, keepdims=True),
        weights_from_scores(scores.astype(float), gain=gain, mask=mask),
        rtol=1e-12 if scores.dtype == np.float64 else 1e-3,
        atol=1e-7,
    )
    allowed = np.broadcast_to(mask, scores.shape)
    assert (exponents[~allowed] == -np.inf).all()
    assert (exponents.max(axis=-1) == 0).all()


def test_exponents_of_a_negative_gain_count_from_the_smallest_score():
    exponents = softmax_exponents([[3.0, 1.0, 2.0]], gain=-2.0, mask=None)
    assert_array_equal(exponents, [[-4.0, 0.0, -2.0]])


def test_exponents_of_a_gain_of_zero_are_zero_where_allowed():
    exponents = softmax_exponents([[1e308, -1e308, 5.0]], gain=0.0, mask=[[True, True, False]])
    assert_array_equal(exponents, [[0.0, 0.0, -np.inf]])


# ---------------------------------------------------------------------------------- long sequences


class Ended(Exception):  # noqa: N818 - nothing is wrong
    """What a check raises."""


@pytest.mark.parametrize("leading", [(), (2,)])
def test_scores_of_many_rows_are_made_a_few_at_a_time(leading):
    q, k = np.random.default_rng(1).normal(size=(2, *leading, 600, 5))
    calls = []
    scores = attention_scores(q, k, check=lambda: calls.append(None))
    assert_allclose(scores, q @ np.swapaxes(k, -1, -2) / 5**0.5, rtol=1e-13, atol=1e-14)
    assert_array_equal(scores, attention_scores(q, k))
    assert len(calls) > 1
    left = len(calls) - 1

    def check():
        nonlocal left
        left -= 1
        if left < 0:
            raise Ended

    with pytest.raises(Ended):
        attention_scores(q, k, check=check)


@pytest.mark.parametrize("row", [0, 300, 599])
def test_a_score_that_overflows_is_found_in_any_row(row):
    q, k = np.zeros((600, 2)), np.full((600, 2), 1e200)
    q[row] = 1e200
    with pytest.raises(ValueError, match="a score overflows"):
        attention_scores(q, k)
    q[row] = 1e108
    assert np.isfinite(attention_scores(q, k)).all()
