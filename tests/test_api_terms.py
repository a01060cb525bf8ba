"""Slopes of ALiBi, sink logits and other biases from Python, beside queries and keys."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mhagui
from mhagui.document import compute
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import scene_of

H, T, WIDTH = 4, 7, 3
CHOICES = {"axes": "head,position,width", "causal": True}
USUAL = np.array([2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8])  # of four heads, as Press et al. have them
AWAY = np.abs(np.subtract.outer(np.arange(T), np.arange(T)))


def states(seed=0, lead=()):
    dice = np.random.default_rng(seed)
    return dice.normal(size=(*lead, H, T, WIDTH)), dice.normal(size=(*lead, H, T, WIDTH))


def plain(q, k, bias=0.0, sinks=None):
    """Weights of softmax with what is added to scores, and one more logit, under a causal mask."""
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) + bias
    e = np.where(np.tri(T, dtype=bool), np.exp(scores), 0)
    sink = 0 if sinks is None else np.exp(np.asarray(sinks))[:, np.newaxis, np.newaxis]
    return e / (e.sum(axis=-1, keepdims=True) + sink)


def weights(**given_):
    (layer,) = mhagui.capture(**given_, **CHOICES).layers
    return layer.weights


numbers = st.lists(st.floats(-5, 5), min_size=H, max_size=H)


@given(slopes=st.none() | numbers, sinks=st.none() | numbers, seed=st.integers(0, 20))
def test_weights_are_those_of_the_plain_formula(slopes, sinks, seed):
    q, k = states(seed)
    bias = 0.0 if slopes is None else -np.array(slopes)[:, np.newaxis, np.newaxis] * AWAY
    found = weights(q=q, k=k, slopes=slopes, sinks=sinks)
    np.testing.assert_allclose(found, plain(q, k, bias, sinks), atol=1e-12)
    if slopes is not None:
        np.testing.assert_array_equal(weights(q=q, k=k, bias=bias, sinks=sinks), found)


def test_the_usual_slopes_by_their_name():
    q, k = states()
    wanted = plain(q, k, -USUAL[:, np.newaxis, np.newaxis] * AWAY, np.ones(H))
    found = weights(q=q, k=k, slopes="alibi", sinks=np.ones(H, np.float32))
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_each_layer_may_have_its_own():
    q, k = states(lead=(2,))
    axes, sinks = (
        {"axes": "layer,head,position,width", "causal": True},
        np.array([[0.0] * H, [2.0] * H]),
    )
    for given_ in (sinks, list(sinks)):
        layers = mhagui.capture(q=q, k=k, sinks=given_, slopes=USUAL, **axes).layers
        for number, layer in enumerate(layers):
            bias = -USUAL[:, np.newaxis, np.newaxis] * AWAY
            wanted = plain(q[number], k[number], bias, sinks[number])
            np.testing.assert_allclose(layer.weights, wanted, atol=1e-12)


def test_beside_a_mask_and_an_array_that_is_changed_later():
    q, k = states()
    bias, window = np.zeros((H, T, T)), np.tri(T, dtype=bool) & ~np.tri(T, k=-2, dtype=bool)
    bias[:, range(1, T), range(T - 1)] = 50.0
    capture = mhagui.capture(q=q, k=k, bias=bias, mask=window, axes="head,position,width")
    bias[:] = 0
    assert capture.layers[0].weights[:, range(1, T), range(T - 1)].min() > 0.999
    assert mhagui.scorecard(capture).called("previous token") == tuple((0, h) for h in range(H))


def test_the_scorecard_takes_them_too():
    q = np.zeros((H, T, WIDTH))
    card = mhagui.scorecard(q=q, k=q, slopes=[50.0] * H, **CHOICES)
    assert card.called("self") == tuple((0, head) for head in range(H))
    card = mhagui.scorecard(q=q, k=q, sinks=[np.log(T)] * H, **CHOICES)
    first = [1 / (t + 1 + T) for t in range(1, T)]  # of rows that see another, and a sink of T
    assert card[0]["first_token"] == pytest.approx(np.mean(first), abs=1e-12)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"slopes": np.ones(3)}, "Layer 0 has 4 query heads, and slopes 3 numbers; there is one"),
        ({"sinks": np.ones(5)}, "Layer 0 has 4 query heads, and sinks 5 numbers; there is one"),
        ({"sinks": 1.0}, "sinks is a single number; sinks are a number for each head"),
        ({"slopes": np.ones((1, H, T, T))}, "slopes is 1 × 4 × 7 × 7; slopes are a number for"),
        ({"slopes": "usual"}, "slopes holds texts, not numbers."),
        ({"sinks": [0, 0, np.nan, 0]}, "In layer 0 sinks has nan for head 2"),
        ({"sinks": []}, "sinks is an empty list"),
        ({"bias": np.zeros((1, T, T))}, "bias is of shape (1, 7, 7); layer 0 needs (4, 7, 7), (H,"),
        ({"bias": np.full((H, T, T), -np.inf)}, "bias holds 196 numbers that are NaN or infinite;"),
        ({"bias": np.ones((H, T, T), bool)}, "bias is one array of numbers"),
        ({"bias": [np.zeros((H, T, T))] * 2}, "bias is one array of numbers"),
        ({"bias": np.zeros((H, T, T)), "slopes": "alibi"}, "Give slopes or bias"),
        ({"k": None, "slopes": "alibi"}, "slopes can be given where weights are made of q and k"),
        ({"attentions": np.eye(T), "sinks": np.ones(H)}, "sinks can be given where weights are"),
        ({"attentions": np.eye(T), "q": None, "k": None, "bias": 0}, "bias can be given where"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(said, told):
    q, k = states()
    with pytest.raises(mhagui.UserError) as refused:
        mhagui.capture(**({"q": q, "k": k} | said), **CHOICES)
    assert told in str(refused.value)
    assert str(refused.value).endswith(".")


def test_none_beside_a_capture():
    capture = Capture("mine", (CapturedLayer(0, given=np.eye(T)[np.newaxis]),))
    for name in ("slopes", "sinks", "bias"):
        with pytest.raises(mhagui.UserError, match=f"{name} cannot be given beside a capture"):
            mhagui.capture(capture, **{name: np.ones(1)})


def test_the_example_of_the_document_runs_and_is_true():
    text = (Path(__file__).parents[1] / "docs/python.md").read_text("utf-8")
    example = re.search(r"## ALiBi and sinks\n.*?```python\n(.*?)```", text, re.DOTALL)[1]
    q, k = states()
    known = {"mhagui": mhagui, "q": q[:2], "k": k[:2]}
    exec(example, known)
    found = known["capture"].layers[0].weights
    bias = -np.array([0.5, 0.25])[:, np.newaxis, np.newaxis] * AWAY
    np.testing.assert_allclose(found, plain(q[:2], k[:2], bias), atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=-1), 1, atol=1e-12)
    usual = -np.array([2.0**-4, 2.0**-8])[:, np.newaxis, np.newaxis] * AWAY  # of two heads
    wanted = plain(q[:2], k[:2], usual, [0.0, 1.5])
    own = wanted[:, range(T), range(T)].mean(axis=1)
    np.testing.assert_allclose([row["self"] for row in known["card"]], own, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_they_are_numbers_of_the_heads_on_the_bench(dtype):
    q, k = (state.astype(dtype) for state in states())
    slopes, sinks = np.array([0.3, 0.0, 1 / 3, 2.5], dtype), np.array([-1.5, 0.0, 0.1, 8.0], dtype)
    capture = mhagui.capture(q=q, k=k, slopes=slopes, sinks=sinks, **CHOICES)
    scene = scene_of(capture, 0)
    found = [head.slope for head in scene.heads]
    np.testing.assert_allclose(found, slopes, rtol=4 * np.finfo(dtype).eps)
    assert [head.sink for head in scene.heads] == sinks.tolist()
    bias = -slopes[:, np.newaxis, np.newaxis].astype(float) * AWAY
    wanted = plain(q.astype(float), k.astype(float), bias, sinks.astype(float))
    on_bench = [head.weights for head in compute(scene).heads]
    np.testing.assert_allclose(on_bench, wanted, atol=1e-5 if dtype == np.float32 else 1e-12)


def test_the_usual_slopes_come_to_the_bench_to_the_bit():
    q, k = (state.astype(np.float32) for state in states())
    capture = mhagui.capture(q=q, k=k, slopes="alibi", **CHOICES)
    assert [head.slope for head in scene_of(capture, 0).heads] == USUAL.tolist()


def test_another_bias_is_scored_and_refused_by_the_bench():
    q, k = states()
    bias = np.random.default_rng(2).normal(size=(H, T, T))
    np.testing.assert_allclose(weights(q=q, k=k, bias=bias), plain(q, k, bias), atol=1e-12)
    with pytest.raises(mhagui.UserError, match="Layer 0 adds to the scores of head 0 what is no"):
        scene_of(mhagui.capture(q=q, k=k, bias=bias, **CHOICES), 0)
