"""Heads of captured layers ablated before W_O, against sums written out."""

from dataclasses import replace

import numpy as np
import pytest

from mhagui import core
from mhagui.document.capture import CapturedLayer
from mhagui.document.captured_ablation import Ablation, AblationKind, ablated_outputs
from mhagui.errors import UserError

H, H_KV, T, D, D_V, D_MODEL = 4, 2, 6, 3, 2, 8
RNG = np.random.default_rng(21)
CAUSAL = core.causal_mask(T)
X, W_V, B_V = (
    RNG.normal(size=shape) for shape in ((T, D_MODEL), (H_KV, D_MODEL, D_V), (H_KV, D_V))
)


def layer_of(**other):
    known = {
        "q": RNG.normal(size=(H, T, D)),
        "k": RNG.normal(size=(H_KV, T, D)),
        "v": X @ W_V + B_V[:, np.newaxis],
        "allowed": CAUSAL,
        "x": X,
        "w_v": W_V,
        "b_v": B_V,
        "w_o": RNG.normal(size=(H * D_V, D_MODEL)),
        "b_o": RNG.normal(size=D_MODEL),
    }
    return CapturedLayer(0, **known | other)


def contribution(layer, head, weights):
    """A_h V W_O^(h), the head reading the values that it shares with its neighbour."""
    return weights @ layer.v[head // 2] @ layer.w_o[head * D_V : (head + 1) * D_V]


def change(layer, ablation):
    """What W_O makes of what is gone, all heads together."""
    outputs = layer.weights @ np.repeat(layer.v, 2, axis=0)
    gone = ablated_outputs(layer, ablation, outputs) - outputs
    return gone.swapaxes(0, 1).reshape(T, H * D_V) @ layer.w_o


def test_zero_removes_the_heads_contribution():
    layer = layer_of()
    found = change(layer, Ablation(AblationKind.ZERO, 2))
    np.testing.assert_allclose(found, -contribution(layer, 2, layer.weights[2]), atol=1e-13)


def test_the_value_bias_can_be_kept():
    layer = layer_of()
    found = change(layer, Ablation(AblationKind.VALUE_BIAS, 1))
    without_bias = layer.weights[1] @ X @ W_V[0] @ layer.w_o[D_V : 2 * D_V]
    np.testing.assert_allclose(found, -without_bias, atol=1e-13)


def test_mean_uniform_edge_and_gain():
    layer = layer_of()
    a = layer.weights[3]
    scores = layer.q[3] @ layer.k[1].T / np.sqrt(D)
    no_edge = CAUSAL.copy()
    no_edge[4, 1] = False
    wanted = {
        Ablation(AblationKind.MEAN, 3): np.tile(a.mean(axis=0), (T, 1)),
        Ablation(AblationKind.UNIFORM, 3): CAUSAL / CAUSAL.sum(axis=1, keepdims=True),
        Ablation(AblationKind.EDGE, 3, query=4, key=1): core.weights_from_scores(
            scores, mask=no_edge
        ),
        Ablation(AblationKind.GAIN, 3, gain=-2.5): core.weights_from_scores(scores, gain=-2.5),
    }
    for ablation, weights in wanted.items():
        difference = contribution(layer, 3, weights) - contribution(layer, 3, a)
        np.testing.assert_allclose(change(layer, ablation), difference, atol=1e-12)


def test_a_gain_scales_scores_and_neither_bias_nor_sinks():
    bias, sinks = RNG.normal(size=(H, T, T)), RNG.normal(size=H)
    layer = layer_of(bias=bias, sinks=sinks, v=np.stack([np.eye(T)] * H_KV))
    gain = Ablation(AblationKind.GAIN, 0, gain=3.0)
    found = ablated_outputs(layer, gain, layer.weights)[0]
    scores = np.where(CAUSAL, 3 * layer.q[0] @ layer.k[0].T / np.sqrt(D) + bias[0], -np.inf)
    e = np.exp(scores)
    total = e.sum(axis=1, keepdims=True) + np.exp(sinks[0])
    np.testing.assert_allclose(found, e / total, atol=1e-13)


def test_given_weights_read_the_values_that_their_heads_share():
    known = layer_of()
    alone = replace(known, given=known.weights, q=None, k=None)
    for kind in (AblationKind.UNIFORM, AblationKind.VALUE_BIAS, AblationKind.MEAN):
        for head in range(H):
            found = change(alone, Ablation(kind, head))
            np.testing.assert_allclose(found, change(known, Ablation(kind, head)), atol=1e-13)


def test_a_mean_is_of_the_rows_that_look_at_anything():
    padded = CAUSAL.copy()
    padded[:2] = padded[:, :2] = False
    bias = np.where(padded, 0.0, -np.inf)
    o = RNG.normal(size=(H, T, D_V))
    for layer in (layer_of(allowed=padded), layer_of(bias=np.stack([bias] * H))):
        found = ablated_outputs(layer, Ablation(AblationKind.MEAN, 1), o)
        np.testing.assert_array_equal(found[1, :2], o[1, :2])
        np.testing.assert_allclose(found[1, 2:], np.tile(o[1, 2:].mean(axis=0), (T - 2, 1)))


def test_outputs_of_a_model_that_runs_are_what_is_ablated():
    layer = layer_of()
    running = RNG.normal(size=(H, T, D_V)).astype(np.float32)
    found = ablated_outputs(layer, Ablation(AblationKind.ZERO, 1), running)
    assert not found[1].any()
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[[0, 2, 3]], running[[0, 2, 3]])


def test_what_is_not_known_is_named():
    bare = CapturedLayer(5, given=core.uniform_weights(CAUSAL)[np.newaxis], allowed=CAUSAL)
    o = np.zeros((H, T, D_V))
    with pytest.raises(UserError, match="Layer 5 comes without values"):
        ablated_outputs(bare, Ablation(AblationKind.UNIFORM, 0), o[:1])
    with pytest.raises(UserError, match="Layer 5 has heads 0 to 0; there is no head 1"):
        ablated_outputs(bare, Ablation(AblationKind.ZERO, 1), o)
    with pytest.raises(UserError, match="Layer 0 came with its weights made"):
        ablated_outputs(
            layer_of(given=np.tile(CAUSAL, (H, 1, 1))), Ablation(AblationKind.GAIN, 0), o
        )
    with pytest.raises(UserError, match="Layer 0 has no value bias"):
        ablated_outputs(layer_of(b_v=None), Ablation(AblationKind.VALUE_BIAS, 0), o)
    with pytest.raises(UserError, match="Layer 0, head 1: key must be from 0 to 5, got 6"):
        ablated_outputs(layer_of(), Ablation(AblationKind.EDGE, 1, query=0, key=6), o)


def test_a_head_alone_has_the_weights_that_it_has_among_others():
    bias, sinks = RNG.normal(size=(H, T, T)), RNG.normal(size=H)
    layer = layer_of(bias=bias, sinks=sinks, scale=0.7)
    for head in range(H):
        alone = layer.states_of(head)
        assert alone.n_heads == 1
        np.testing.assert_allclose(alone.weights[0], layer.weights[head], atol=1e-14)
    with pytest.raises(UserError, match="there is no head 4"):
        layer.states_of(H)
    with pytest.raises(UserError, match="no queries and keys"):
        replace(layer, given=layer.weights, q=None).states_of(0)
