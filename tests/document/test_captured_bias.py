"""Layers of models with ALiBi and sink logits on the bench: the same weights, or a sentence."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mhagui import core
from mhagui.document import compute
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import heads_with_room, scene_of
from mhagui.document.on_demand import most_kept
from mhagui.errors import UserError

T, H, H_KV, WIDTH = 9, 6, 2, 4
CAUSAL = np.tri(T, dtype=bool)
AWAY = np.abs(np.subtract.outer(np.arange(T), np.arange(T))).astype(float)
ODD = np.array([0.3, 0.0, 1.7, 0.01, 2**-7, 1 / 3])


def layer(dtype=np.float32, **changes):
    dice = np.random.default_rng(4)
    known = {
        "q": dice.standard_normal((H, T, WIDTH)).astype(dtype),
        "k": dice.standard_normal((H_KV, T, WIDTH)).astype(dtype),
        "allowed": CAUSAL,
    }
    return CapturedLayer(2, **(known | changes))


def bias_of(slopes, dtype=np.float32):
    return (-np.asarray(slopes)[:, None, None] * AWAY).astype(dtype)


def on_bench(of, heads=None):
    return scene_of(Capture("made up", (of,)), 2, heads)


def slopes(of):
    return [head.slope for head in on_bench(of).heads]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("has_sinks", [False, True])
@pytest.mark.parametrize("allowed", [CAUSAL, None], ids=["causal", "full"])
def test_the_weights_are_those_of_grouped_queries(dtype, has_sinks, allowed):
    """As GPT-style models with ALiBi have it, and models with a learned sink of each head."""
    sinks = np.random.default_rng(1).standard_normal(H).astype(dtype) if has_sinks else None
    of = layer(dtype, bias=bias_of(core.alibi_slopes(H), dtype), sinks=sinks, allowed=allowed)
    scene = on_bench(of)
    found = np.stack([head.weights for head in compute(scene).heads])
    wanted = core.grouped_weights(
        of.q.astype(float),
        of.k.astype(float),
        bias=core.alibi_bias(core.alibi_slopes(H), T),
        sinks=sinks,
        mask="causal" if allowed is not None else None,
    )
    assert_allclose(found, wanted, atol=1e-12)
    assert_allclose(found, of.weights, atol=1e-6)
    assert "slope (ALiBi)" in scene.description
    assert ("sink logit" in scene.description) is has_sinks
    assert [head.sink for head in scene.heads] == ([None] * H if sinks is None else sinks.tolist())


def test_sinks_alone():
    sinks = np.linspace(-3, 3, H)
    of = layer(sinks=sinks)
    found = np.stack([head.weights for head in compute(on_bench(of)).heads])
    assert_allclose(found, core.grouped_weights(of.q, of.k, sinks=sinks), atol=1e-6)
    assert [head.slope for head in on_bench(of).heads] == [0.0] * H


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_slopes_are_found_to_the_bit_where_no_rounding_hides_them(dtype):
    of = layer(bias=bias_of(core.alibi_slopes(H), dtype))
    assert slopes(of) == core.alibi_slopes(H).tolist()
    given = ODD.astype(dtype)
    assert slopes(layer(bias=bias_of(given, dtype))) == given.astype(float).tolist()


def test_slope_times_position_is_as_good_where_there_is_no_sink():
    rising = (ODD[:, None, None] * np.arange(T)).astype(np.float32) * np.ones((1, T, 1), np.float32)
    assert_allclose(slopes(layer(bias=rising)), ODD, rtol=1e-6)
    with pytest.raises(UserError, match="no ALiBi bias"):
        on_bench(layer(bias=rising, sinks=np.zeros(H)))


def test_what_is_hidden_does_not_count():
    bias = bias_of(ODD, np.float64)
    bias[:, ~CAUSAL] = -np.inf
    assert_allclose(slopes(layer(bias=bias)), ODD)


def test_some_heads_alone_keep_theirs():
    of = layer(bias=bias_of(ODD), sinks=np.arange(H, dtype=float))
    scene = on_bench(of, (4, 2))
    assert [head.sink for head in scene.heads] == [4.0, 2.0]
    assert_allclose([head.slope for head in scene.heads], ODD[[4, 2]], rtol=1e-6)


def wrong(head, row, column, value):
    bias = bias_of(ODD)
    bias[head, row, column] = value
    return bias


@pytest.mark.parametrize(
    ("bias", "sentence"),
    [
        (bias_of(-ODD), "adds to the scores of head 0 what is no ALiBi bias"),
        (
            wrong(2, 6, 3, 0.5),
            "head 2 what is no ALiBi bias, −slope · |t − i| with a slope of 0 or",
        ),
        (wrong(2, 6, 3, 0.5), ": 0.5 on key t4 at query t7. Heads on the bench have no other."),
        (wrong(3, 4, 4, np.nan), "of head 3 what is no ALiBi bias"),
        (wrong(0, 8, 0, -np.inf), "of head 0 what is no ALiBi bias"),
        (bias_of(ODD) * AWAY.astype(np.float32), "of head 0 what is no ALiBi bias"),
    ],
)
def test_another_bias_is_refused_by_its_cell(bias, sentence):
    with pytest.raises(UserError) as caught:
        on_bench(layer(bias=bias))
    assert str(caught.value).startswith("Layer 2 adds to the scores of head")
    assert sentence in str(caught.value)


def test_given_weights_have_their_bias_in_them():
    of = layer(bias=bias_of(ODD), sinks=np.ones(H))
    scene = on_bench(replace(of, given=of.weights))
    assert [(head.slope, head.sink) for head in scene.heads] == [(0.0, None)] * H


@pytest.mark.parametrize("changes", [{"sinks": np.zeros(8)}, {"bias": np.zeros((8, 1, 1))}])
def test_no_more_heads_are_taken_than_weights_are_kept(changes):
    n = most_kept(4)
    changes = {
        name: np.broadcast_to(value, (8, n, n)) if name == "bias" else value
        for name, value in changes.items()
    }
    long = CapturedLayer(
        2,
        q=np.zeros((8, n, 1), np.float32),
        k=np.zeros((8, n, 1), np.float32),
        allowed=core.causal_mask(n),
        **changes,
    )
    assert heads_with_room(Capture("long", (long,)), 2) == (0, 1, 2, 3)
