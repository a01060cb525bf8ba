"""Weights with a bias beside the gained scores and a sink, against plain formulas of one row."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui import core

MASKS = {
    "causal": lambda n: np.tri(n, dtype=bool),
    "full": lambda n: np.ones((n, n), dtype=bool),
    "window": lambda n: np.tri(n, dtype=bool) & ~np.tri(n, k=-2, dtype=bool),
    "padded": lambda n: np.tri(n, dtype=bool) & (np.arange(n) > 0) & (np.arange(n)[:, None] > 0),
}


def by_rows(scores, allowed, gain=1.0, bias=0.0, sink=None):
    """Weights, entropies of shares and the sink's part, one row after the other, in long double."""
    exponents = np.longdouble(gain) * scores.astype(np.longdouble) + bias
    a = np.zeros(scores.shape)
    bits, lost = np.full((2, len(scores)), np.nan)
    for t, row in enumerate(exponents):
        keys = np.flatnonzero(allowed[t])
        if not len(keys):
            continue
        top = max(row[keys].max(), -np.inf if sink is None else sink)
        e = np.exp(row[keys] - top)
        sunk = np.longdouble(0) if sink is None else np.exp(np.longdouble(sink) - top)
        a[t, keys], lost[t] = e / (e.sum() + sunk), sunk / (e.sum() + sunk)
        if a[t].any():
            shares = np.exp(row[keys] - row[keys].max())
            shares /= shares.sum()
            bits[t] = -sum(p * math.log2(p) for p in map(float, shares) if p > 0)
    return a, bits, lost


@settings(max_examples=60)
@given(
    n=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
    size=st.sampled_from([0.0, 1.0, 30.0, 1e6]),
    gain=st.sampled_from([1.0, 0.0, -2.0, 2.5]),
    slope=st.sampled_from([0.0, 2**-8, 0.5, 3.0]),
    sink=st.sampled_from([None, 0.0, -3.0, 2.5, 40.0]),
    mask=st.sampled_from(sorted(MASKS)),
)
def test_rows_are_as_the_plain_formula_has_them(n, seed, size, gain, slope, sink, mask):
    scores = size * np.random.default_rng(seed).standard_normal((n, n))
    allowed = MASKS[mask](n)
    bias = -slope * np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    found = core.biased_weights(scores, gain=gain, bias=bias, sinks=sink, mask=allowed)
    a, bits, lost = by_rows(scores, allowed, gain, bias, sink)
    near = 1e-13 * max(1.0, abs(gain) * size)
    assert_allclose(found.weights, a, atol=near)
    assert_allclose(found.sink_shares, lost, atol=near)
    sees = np.flatnonzero(a.max(axis=1) > 1e-300)
    assert_allclose(found.bits[sees], bits[sees], atol=64 * near)
    assert np.isnan(found.bits[~allowed.any(axis=1)]).all()
    sums = found.weights.sum(axis=1) + np.nan_to_num(found.sink_shares)
    assert_allclose(sums, allowed.any(axis=1), atol=1e-14)


def test_without_bias_and_sink_it_is_the_softmax():
    scores = np.random.default_rng(3).standard_normal((3, 9, 9))
    found = core.biased_weights(scores, gain=[1.0, 0.5, -1.0])
    weights, bits = core.weights_and_entropies_from_scores(scores, gain=[1.0, 0.5, -1.0])
    assert_allclose(found.weights, weights, atol=1e-15)
    assert_allclose(found.bits, bits, atol=1e-14)
    assert not found.sink_shares.any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_as_grouped_queries_have_it(dtype):
    dice = np.random.default_rng(5)
    q, k = dice.standard_normal((6, 8, 4)), dice.standard_normal((3, 8, 4))
    bias, sinks = core.alibi_bias(core.alibi_slopes(6), 8), dice.standard_normal(6)
    wanted = core.grouped_weights(q, k, bias=bias, sinks=sinks)
    scores = core.attention_scores(q, np.repeat(k, 2, axis=0)).astype(dtype)
    found = core.biased_weights(scores, bias=bias, sinks=sinks)
    assert_allclose(found.weights, wanted, atol=1e-6 if dtype == np.float32 else 1e-14)
    assert {part.dtype for part in found} == {np.dtype(dtype)}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sink", [1e30, 1e300])
def test_a_very_large_sink_takes_all(dtype, sink):
    scores = np.random.default_rng(1).standard_normal((5, 5)).astype(dtype)
    found = core.biased_weights(scores, sinks=sink)
    assert not found.weights.any()
    assert_array_equal(found.sink_shares, np.ones(5))
    assert np.isnan(found.bits).all()


def test_a_row_that_is_too_small_for_numbers_has_no_entropy():
    scores = np.zeros((4, 4), np.float32) - np.arange(4, dtype=np.float32)[:, None]
    found = core.biased_weights(scores, sinks=102.0)
    assert_array_equal(np.isnan(found.bits), ~found.weights.any(axis=1))
    assert not np.isnan(found.bits[0])
    assert np.isnan(found.bits[3])


def test_a_very_small_sink_takes_nothing():
    scores = np.random.default_rng(1).standard_normal((5, 5))
    found = core.biased_weights(scores, sinks=-1e30)
    assert_allclose(found.weights, core.weights_from_scores(scores), atol=1e-15)
    assert not found.sink_shares.any()


@pytest.mark.parametrize("gain", [1e300, -1e300, 1e-300])
def test_gains_as_large_as_numbers_are(gain):
    scores = np.array([[0.0, 0.0, 0.0], [1e30, -1e30, 0.0], [2.0, 2.0, 2.0]])
    bias = -np.abs(np.subtract.outer(np.arange(3), np.arange(3.0)))
    found = core.biased_weights(scores, gain=gain, bias=bias, sinks=0.0)
    assert np.isfinite(found.weights).all()
    assert np.isfinite(found.sink_shares).all()
    # All scores of row 3 are alike: what the bias says of its keys stands, however large the gain.
    if gain > 1:
        shares = found.weights[2] / found.weights[2].sum()
        assert_allclose(shares, np.exp(bias[2]) / np.exp(bias[2]).sum(), atol=1e-15)
        assert found.sink_shares[2] == 0.0
    if gain < 0:
        assert (found.weights[2].any(), found.sink_shares[2]) == (False, 1.0)


@pytest.mark.parametrize(("score", "gain"), [(-1e30, 1e300), (np.nan, 1.0), (np.inf, -1.0)])
@pytest.mark.parametrize("sink", [0.0, -1e300])
def test_a_row_that_sees_no_key_has_no_weights_whatever_stands_there(score, gain, sink):
    allowed = np.array([[False, False], [True, False]])
    found = core.biased_weights(
        [[score, score], [1.0, score]], gain=gain, bias=[[0.0, -1.0]], sinks=sink, mask=allowed
    )
    assert_array_equal(found.weights[0], [0.0, 0.0])
    assert_array_equal(np.isnan(found.sink_shares), [True, False])
    assert_array_equal(np.isfinite(found.weights), True)


def test_equal_scores_far_from_0_keep_their_bias():
    scores, bias = np.full((1, 4), 1e17), np.array([-1.5, -1.0, -0.5, 0.0])
    found = core.biased_weights(scores, bias=bias, mask=None)
    assert_allclose(found.weights[0], np.exp(bias) / np.exp(bias).sum(), atol=1e-15)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"bias": np.zeros((2, 5))}, "bias must have shape that broadcasts to the scores' (5, 5)"),
        ({"bias": np.nan}, "bias must be finite, got nan"),
        ({"sinks": np.inf}, "sinks must be finite, got inf"),
        ({"sinks": [0.0, 1.0]}, "sinks must have shape that broadcasts to the leading axes ()"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, sentence):
    with pytest.raises(ValueError, match="must") as caught:
        core.biased_weights(np.zeros((5, 5)), **arguments)
    assert str(caught.value).startswith(sentence)
