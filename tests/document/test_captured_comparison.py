"""Captured layers: weights made anew, and two of them or of their heads side by side."""

import math

import numpy as np
import pytest

from mhagui import core
from mhagui.document.capture import CapturedLayer
from mhagui.document.captured_comparison import compare
from mhagui.errors import UserError

RNG = np.random.default_rng(4)
H, H_KV, T, D = 4, 2, 5, 3
Q, K = RNG.normal(size=(H, T, D)), RNG.normal(size=(H_KV, T, D))
CAUSAL = core.causal_mask(T)


def softmax_row(scores, allowed, sink=None):
    values = [math.exp(s) if ok else 0.0 for s, ok in zip(scores, allowed, strict=True)]
    total = math.fsum(values) + (0.0 if sink is None else math.exp(sink))
    return [value / total for value in values]


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("has_sinks", [False, True])
def test_weights_are_made_of_queries_and_keys_with_all_that_belongs_to_them(has_bias, has_sinks):
    bias = RNG.normal(size=(H, T, T)) if has_bias else None
    sinks = RNG.normal(size=H) if has_sinks else None
    layer = CapturedLayer(0, q=Q, k=K, scale=0.7, allowed=CAUSAL, bias=bias, sinks=sinks)
    for h in range(H):
        for t in range(T):
            scores = [
                0.7 * float(Q[h, t] @ K[h // 2, i]) + (bias[h, t, i] if has_bias else 0.0)
                for i in range(T)
            ]
            wanted = softmax_row(scores, CAUSAL[t], sinks[h] if has_sinks else None)
            np.testing.assert_allclose(layer.weights[h, t], wanted, atol=1e-14)
    assert layer.weights is layer.weights
    assert not layer.weights.flags.writeable
    assert (layer.n_heads, layer.n_key_heads, layer.shape) == (H, H_KV, (T, T))


def test_no_mask_means_all_keys_and_given_weights_count():
    layer = CapturedLayer(0, q=Q, k=K)
    np.testing.assert_array_equal(layer.weights, core.grouped_weights(Q, K, mask=None))
    given = np.zeros((H, T, T))
    both = CapturedLayer(0, given=given, q=Q, k=K)
    assert both.weights is given
    assert both.recomputed().any()


def test_without_queries_or_keys_nothing_can_be_made():
    with pytest.raises(UserError, match="Layer 2 holds no queries and keys"):
        CapturedLayer(2, given=np.zeros((1, 2, 2)), q=np.zeros((1, 2, 2))).recomputed()


def test_difference_and_divergence_of_layers():
    one, other = CapturedLayer(0, q=Q, k=K), CapturedLayer(3, q=Q * 2, k=K)
    found = compare(one, other)
    np.testing.assert_array_equal(found.difference, other.weights - one.weights)
    for h in range(H):
        for t in range(T):
            p, q = one.weights[h, t], other.weights[h, t]
            m = (p + q) / 2
            wanted = sum(0.5 * np.sum(x * np.log2(x / m)) for x in (p, q))
            assert found.divergences[h, t] == pytest.approx(wanted, abs=1e-12)
        assert found.mean_divergences[h] == pytest.approx(found.divergences[h].mean())


def test_one_head_of_each():
    one, other = CapturedLayer(0, q=Q, k=K), CapturedLayer(0, q=Q[:1], k=K[:1])
    found = compare(one, other, heads=(3, 0))
    np.testing.assert_array_equal(found.difference[0], other.weights[0] - one.weights[3])
    same = compare(one, one, heads=(1, 1))
    assert not same.difference.any()
    assert not same.divergences.any()


def test_rows_that_hold_no_weights_have_no_divergence_and_do_not_count():
    given = core.grouped_weights(Q, K)
    spoilt = given.copy()
    spoilt[0, 1, 0], spoilt[0, 2] = np.nan, 0.0
    found = compare(CapturedLayer(0, given=given), CapturedLayer(0, given=spoilt), heads=(0, 0))
    assert np.isnan(found.divergences[0]).tolist() == [False, True, True, False, False]
    assert found.mean_divergences.tolist() == [0.0]
    assert np.isnan(found.difference[0, 1, 0])


def test_what_sinks_took_counts_as_a_key():
    given = np.array([[[0.5, 0.5]]])
    sunk = CapturedLayer(0, given=given / 2, sinks=np.zeros(1))
    found = compare(CapturedLayer(0, given=given), sunk)
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])

    def entropy(x):
        return -sum(v * math.log2(v) for v in x if v)

    wanted = entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2
    assert found.divergences[0, 0] == pytest.approx(wanted)


def test_what_differs_in_shape_is_refused_with_the_numbers():
    layer = CapturedLayer(0, given=np.zeros((2, 4, 6)))
    with pytest.raises(UserError, match="have 2 and 3 heads"):
        compare(layer, CapturedLayer(0, given=np.zeros((3, 4, 6))))
    with pytest.raises(UserError, match="have 4 and 5 queries"):
        compare(layer, CapturedLayer(0, given=np.zeros((2, 5, 6))))
    with pytest.raises(UserError, match="have 6 and 7 keys"):
        compare(layer, CapturedLayer(0, given=np.zeros((1, 4, 7))), heads=(0, 0))
    with pytest.raises(UserError, match="Layer 0 has heads 0 to 1; there is no head 2"):
        compare(layer, layer, heads=(0, 2))
