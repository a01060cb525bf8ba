"""Importance by gradient, against finite differences and true ablation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mhagui import core

H, T, D_V, D_MODEL = 3, 4, 2, 5


def layer(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(H, T, D_V)), rng.normal(size=(H * D_V, D_MODEL)), rng


def gated(o, w_o, gates):
    blocks = w_o.reshape(H, D_V, D_MODEL)
    return sum(gate * head @ block for gate, head, block in zip(gates, o, blocks, strict=True))


def test_of_a_linear_readout_gradient_and_ablation_are_the_same():
    o, w_o, rng = layer(0)
    g = rng.normal(size=(T, D_MODEL))
    slopes = core.gradient_importance(o, w_o, g)
    for h in range(H):
        assert slopes[h] == pytest.approx(np.sum(g * (o[h] @ w_o[2 * h : 2 * h + 2])), abs=1e-12)
    true = core.ablation_importance(o, w_o, lambda y: float(np.sum(g * y)))
    assert_allclose(true, -slopes, atol=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_the_gradient_is_the_slope_of_the_readout_with_a_gate_on_the_head(seed):
    o, w_o, _ = layer(seed)

    def readout(y):
        return float(np.sum(np.tanh(y)))

    slopes = core.gradient_importance(o, w_o, 1 - np.tanh(gated(o, w_o, [1] * H)) ** 2)
    for h in range(H):
        step = np.eye(H)[h] * 1e-5
        ahead, behind = (readout(gated(o, w_o, 1 + sign * step)) for sign in (1, -1))
        assert slopes[h] == pytest.approx((ahead - behind) / 2e-5, abs=1e-6)


def test_ablation_is_the_readout_without_the_head():
    o, w_o, rng = layer(1)
    rest = rng.normal(size=D_MODEL)  # the bias of W_O belongs to no head

    def readout(y):
        return float(np.max(y**3))

    base = readout(gated(o, w_o, [1] * H) + rest)
    found = core.ablation_importance(o, w_o, readout, rest=rest)
    for h in range(H):
        gates = [float(other != h) for other in range(H)]
        assert found[h] == pytest.approx(readout(gated(o, w_o, gates) + rest) - base, abs=1e-9)


def test_what_does_not_fit_is_refused():
    o, w_o, _ = layer(4)
    with pytest.raises(ValueError, match=r"w_o must have shape \(6, d_model\): 3 heads"):
        core.gradient_importance(o, w_o[:-1], np.zeros((T, D_MODEL)))
    with pytest.raises(ValueError, match=r"gradient must have shape \(4, 5\)"):
        core.gradient_importance(o, w_o, np.zeros((T, 2)))
    with pytest.raises(ValueError, match="readout's result must be a finite number, got nan"):
        core.ablation_importance(o, w_o, lambda y: float("nan"))
