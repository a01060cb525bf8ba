"""Heads of captured layers ablated before W_O, and at the wrong site, against sums written out."""

import numpy as np
import pytest

from mhagui import core
from mhagui.document.capture import CapturedLayer
from mhagui.document.captured_ablation import (
    Ablation,
    AblationKind,
    ablated_outputs,
    ablated_weights,
    head_outputs,
    layer_output,
    wrong_site_output,
)
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
    whole = layer_output(layer, head_outputs(layer))
    return layer_output(layer, ablated_outputs(layer, ablation)) - whole


def test_the_layers_output_is_the_sum_of_its_heads_and_its_bias():
    layer = layer_of()
    wanted = sum(contribution(layer, h, layer.weights[h]) for h in range(H)) + layer.b_o
    np.testing.assert_allclose(layer_output(layer, head_outputs(layer)), wanted, atol=1e-13)


def test_zero_removes_the_heads_contribution_and_leaves_the_output_bias():
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
    layer = layer_of(bias=bias, sinks=sinks)
    found = ablated_weights(layer, Ablation(AblationKind.GAIN, 0, gain=3.0))
    scores = np.where(CAUSAL, 3 * layer.q[0] @ layer.k[0].T / np.sqrt(D) + bias[0], -np.inf)
    e = np.exp(scores)
    total = e.sum(axis=1, keepdims=True) + np.exp(sinks[0])
    np.testing.assert_allclose(found, e / total, atol=1e-13)


def test_of_weights_alone_a_gain_is_told_by_them_unless_there_are_sinks():
    known = layer_of()
    alone = CapturedLayer(0, given=known.weights, allowed=CAUSAL)
    ablation = Ablation(AblationKind.GAIN, 2, gain=0.5)
    np.testing.assert_allclose(
        ablated_weights(alone, ablation), ablated_weights(known, ablation), atol=1e-13
    )
    with pytest.raises(UserError, match="has sinks and only its weights are known"):
        ablated_weights(CapturedLayer(0, given=known.weights, sinks=np.zeros(H)), ablation)


def test_outputs_of_a_model_that_runs_are_what_is_ablated():
    layer = layer_of()
    running = RNG.normal(size=(H, T, D_V)).astype(np.float32)
    found = ablated_outputs(layer, Ablation(AblationKind.ZERO, 1), running)
    assert not found[1].any()
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[[0, 2, 3]], running[[0, 2, 3]])


def test_the_wrong_site_removes_something_else():
    swapped = np.eye(D_MODEL)[
        [2, 3, 0, 1, 4, 5, 6, 7]
    ]  # heads 0 and 1 arrive in each other's place
    layer = layer_of(w_o=swapped, b_o=None)
    right = layer_output(layer, ablated_outputs(layer, Ablation(AblationKind.ZERO, 0)))
    wrong = wrong_site_output(layer, 0)
    outputs = head_outputs(layer)
    np.testing.assert_array_equal(right[:, 0:2], outputs[1])
    np.testing.assert_array_equal(wrong[:, 2:4], outputs[0])  # what was to go
    assert not wrong[:, 0:2].any()
    identity = layer_of(w_o=np.eye(D_MODEL), b_o=None)
    np.testing.assert_array_equal(
        wrong_site_output(identity, 0),
        layer_output(identity, ablated_outputs(identity, Ablation(AblationKind.ZERO, 0))),
    )


def test_what_is_not_known_is_named():
    bare = CapturedLayer(5, given=core.uniform_weights(CAUSAL)[np.newaxis], allowed=CAUSAL)
    zero = Ablation(AblationKind.ZERO, 0)
    with pytest.raises(UserError, match="Layer 5 comes without values"):
        ablated_outputs(bare, zero)
    with pytest.raises(UserError, match="Layer 5 comes without W_O"):
        layer_output(bare, np.zeros((1, T, 2)))
    with pytest.raises(UserError, match="Layer 5 has heads 0 to 0; there is no head 1"):
        ablated_outputs(bare, Ablation(AblationKind.ZERO, 1))
    with pytest.raises(UserError, match="Layer 0 has no value bias"):
        ablated_outputs(layer_of(b_v=None), Ablation(AblationKind.VALUE_BIAS, 0))
    with pytest.raises(UserError, match="Layer 0, head 1: key must be from 0 to 5, got 6"):
        ablated_outputs(layer_of(), Ablation(AblationKind.EDGE, 1, query=0, key=6))
    with pytest.raises(UserError, match="Layer 0: n_heads must divide the 7 columns"):
        wrong_site_output(layer_of(w_o=np.zeros((H * D_V, 7)), b_o=None), 0)
