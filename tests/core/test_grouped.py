"""Query heads over fewer key heads, against a loop over heads."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui import core

RNG = np.random.default_rng(7)
H, H_KV, T, D = 6, 3, 5, 4
Q, K = RNG.normal(size=(H, T, D)), RNG.normal(size=(H_KV, T, D))


def by_head(q, k, allowed, scale=None, bias=None, sinks=None):
    """Softmax written out: a number at a time, no mask array added to anything."""
    n_heads, n_rows, width = q.shape
    weights = np.zeros((n_heads, n_rows, k.shape[1]))
    factor = 1 / math.sqrt(width) if scale is None else scale
    for h in range(n_heads):
        key_head = h * len(k) // n_heads
        for t in range(n_rows):
            keys = [i for i in range(k.shape[1]) if allowed[t][i]]
            s = {i: factor * float(q[h, t] @ k[key_head, i]) for i in keys}
            if bias is not None:
                s = {i: value + float(bias[h, t, i]) for i, value in s.items()}
            total = math.fsum(math.exp(value) for value in s.values())
            if sinks is not None:
                total += math.exp(sinks[h])
            for i, value in s.items():
                weights[h, t, i] = math.exp(value) / total
    return weights


@given(st.integers(1, 8), st.integers(1, 8), st.data())
def test_groups_are_equal_and_consecutive(key_heads, together, data):
    n_heads = key_heads * together
    head = data.draw(st.integers(0, n_heads - 1))
    of = core.key_head(head, n_heads, key_heads)
    assert of == math.floor(head * key_heads / n_heads)
    assert of == np.repeat(range(key_heads), together)[head]


def test_what_does_not_divide_is_refused_with_the_numbers():
    with pytest.raises(ValueError, match="got 9 query heads over 2 key heads"):
        core.key_head(0, 9, 2)
    with pytest.raises(ValueError, match="got 6 query heads over 4 key heads"):
        core.grouped_weights(Q, RNG.normal(size=(4, T, D)))
    with pytest.raises(ValueError, match="head must be from 0 to 8, got 9"):
        core.key_head(9, 9, 3)
    with pytest.raises(ValueError, match=r"q must have shape \(H, T_q, d_k\)"):
        core.grouped_weights(Q[0], K)


@pytest.mark.parametrize("mask", ["causal", None, "own"])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_weights_are_those_of_each_head_with_its_key_head(mask, scale):
    own = RNG.random((T, T)) < 0.6
    allowed = {"causal": np.tri(T, dtype=bool), None: np.ones((T, T), dtype=bool), "own": own}[mask]
    found = core.grouped_weights(Q, K, mask=own if mask == "own" else mask, scale=scale)
    assert_allclose(found, by_head(Q, K, allowed, scale), atol=1e-14)


def test_a_mask_of_each_head():
    allowed = RNG.random((H, T, T)) < 0.6
    found = core.grouped_weights(Q, K, mask=allowed)
    for h in range(H):
        assert_allclose(found[h], by_head(Q, K, allowed[h])[h], atol=1e-14)


def test_bias_and_sinks():
    bias, sinks = RNG.normal(size=(H, T, T)), RNG.normal(size=H)
    causal = np.tri(T, dtype=bool)
    found = core.grouped_weights(Q, K, bias=bias)
    assert_allclose(found, by_head(Q, K, causal, bias=bias), atol=1e-14)
    found = core.grouped_weights(Q, K, bias=bias, sinks=sinks)
    assert_allclose(found, by_head(Q, K, causal, bias=bias, sinks=sinks), atol=1e-14)
    assert (found.sum(axis=-1) < 1).all()


def test_a_bias_of_minus_infinity_forbids_and_leaves_no_nan():
    bias = np.zeros((T, T))
    bias[2, :2] = bias[3] = -np.inf
    allowed = np.tri(T, dtype=bool) & ~np.isneginf(bias)
    assert_allclose(core.grouped_weights(Q, K, bias=bias), by_head(Q, K, allowed), atol=1e-14)
    narrow = core.grouped_weights(Q.astype("f4"), K.astype("f4"), bias=bias)
    assert narrow.dtype == np.float32
    assert not narrow[:, 3].any()


def test_one_key_head_and_as_many_as_query_heads():
    assert_array_equal(core.grouped_weights(Q, K[:1]), core.attention_weights(Q, K[:1]))
    same = RNG.normal(size=(H, T, D))
    assert_array_equal(core.grouped_weights(Q, same), core.attention_weights(Q, same))


def test_a_bias_that_leaves_what_float32_holds_is_refused_without_a_warning():
    q, k = (np.full((1, 2, 1), side, np.float32) for side in (-3e38, 1.0))
    with pytest.raises(ValueError, match="scores must be finite"):
        core.grouped_weights(q, k, scale=1.0, mask=None, bias=np.full((1, 2, 2), -3e38, np.float32))
