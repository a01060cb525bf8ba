"""Two layers: what the heads of the second read, and how little is computed again."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mhagui.document import Head, Pattern, Scene, compute
from mhagui.document.edits import (
    MoveHead,
    SetKeepMargin,
    SetProjectionBlock,
    rename_head,
    set_gain,
    set_muted,
    set_soloed,
)
from mhagui.document.head_result import Joined
from mhagui.document.weight_edits import SetHeadBlock, SetInputBlock

FIRST, DELAY, DESIGNED, BY_CONTENT = 1, 2, 3, 4  # the first two are of layer 1


@pytest.fixture
def two_layers():
    """Return a scene whose layers are mixed in order: heads 3, 1, 4, 2, of layers 2, 1, 2, 1."""
    numbers = np.random.default_rng(3)
    w_v, w_q, w_k = (numbers.normal(size=(4, 6, 2)) for _ in range(3))
    projected = {"w_q": w_q[3], "w_k": w_k[3]}
    heads = (
        Head(DESIGNED, "self", Pattern.SELF, w_v[2], layer=2),
        Head(FIRST, "first token", Pattern.FIRST_TOKEN, w_v[0]),
        Head(BY_CONTENT, "by content", Pattern.PROJECTED, w_v[3], layer=2, **projected),
        Head(DELAY, "delay", Pattern.DELAY, w_v[1]),
    )
    x, w_o = numbers.normal(size=(5, 6)), numbers.normal(size=(8, 6))
    return Scene("two layers", "", heads, x, w_o, d_k=2)


def of(result, uid):
    return next(head for head in result.heads if head.head.uid == uid)


def attended(scores, gain, values):
    """Return A V as a textbook writes it, row by row."""
    rows = []
    for t, row in enumerate(scores):
        e = np.exp(gain * (row[: t + 1] - row[: t + 1].max()))
        rows.append(e @ values[: t + 1] / e.sum())
    return np.array(rows)


# -------------------------------------------------------------------------------- what is computed


def test_the_second_layer_reads_x_and_what_the_first_has_added(two_layers):
    scene = set_gain(BY_CONTENT, 0.7).apply(two_layers)
    result = compute(scene)
    blocks = dict(zip((3, 1, 4, 2), scene.w_o.reshape(4, 2, 6), strict=True))
    stream = scene.x.copy()
    for uid in (FIRST, DELAY):
        head = of(result, uid)
        assert head.x is scene.x
        stream += (
            attended(head.q @ head.k.T / math.sqrt(2), 1.0, scene.x @ head.head.w_v) @ (blocks[uid])
        )
    head = of(result, BY_CONTENT)
    assert_allclose(head.x, stream, atol=1e-12)
    scores = (stream @ head.head.w_q) @ (stream @ head.head.w_k).T / math.sqrt(2)
    assert_allclose(head.scores, scores, atol=1e-11)
    wanted = attended(scores, 0.7, stream @ head.head.w_v)
    assert_allclose(head.output, wanted, atol=1e-11)
    assert_allclose(head.term, wanted @ blocks[BY_CONTENT], atol=1e-11)
    own = of(result, DESIGNED)
    assert own.x is head.x
    assert_allclose(own.values, stream @ own.head.w_v, atol=1e-12)
    first, second = (
        sum(one.term for one in result.heads if one.head.layer == layer) for layer in (1, 2)
    )
    assert_allclose(result.output, first + second, atol=1e-11)
    assert_allclose(stream - scene.x, first, atol=1e-12)


@given(st.data())
def test_any_layer_two_reads_what_counts_of_layer_one(scenes, data):
    scene = data.draw(scenes)
    result = compute(scene)
    soloed = any(head.soloed for head in scene.heads)
    added = [
        made.term
        for made in result.heads
        if made.head.layer == 1 and (made.head.soloed if soloed else not made.head.muted)
    ]
    size = max(float(np.max(np.abs(array))) for array in (scene.x, *added))
    for made in result.heads:
        wanted = scene.x + (sum(added) if made.head.layer == 2 else 0)
        assert_allclose(made.x, wanted, rtol=0, atol=1e-13 * size)


def test_a_muted_head_of_layer_one_adds_nothing_to_what_layer_two_reads(two_layers):
    result = compute(set_muted(FIRST, True).apply(two_layers))
    assert_allclose(of(result, DESIGNED).x, two_layers.x + of(result, DELAY).term, atol=1e-13)
    result = compute(set_soloed(FIRST, True).apply(two_layers))
    assert_allclose(of(result, DESIGNED).x, two_layers.x + of(result, FIRST).term, atol=1e-13)


def test_a_soloed_head_of_layer_two_reads_x_alone(two_layers):
    result = compute(set_soloed(BY_CONTENT, True).apply(two_layers))
    assert of(result, BY_CONTENT).x.tolist() == two_layers.x.tolist()
    assert_allclose(result.output, of(result, BY_CONTENT).term, atol=1e-12)


def test_without_a_first_layer_the_second_reads_x(two_layers):
    heads = tuple(replace(head, layer=2) for head in two_layers.heads)
    result = compute(replace(two_layers, heads=heads))
    assert all(head.x is two_layers.x for head in result.heads)


def test_the_order_of_heads_does_not_change_the_output(two_layers):
    output = compute(two_layers).output
    for uid in (DESIGNED, DELAY):
        for place in range(4):
            moved = compute(MoveHead(uid, place).apply(two_layers))
            assert_allclose(moved.output, output, atol=1e-12)


def test_packed_matrices_make_what_heads_of_both_layers_have(two_layers):
    result = compute(two_layers)
    for packed, field in (
        (result.packed_values, "w_v"),
        (result.packed_queries, "w_q"),
        (result.packed_keys, "w_k"),
    ):
        assert packed.why_none is None
        for place, head in enumerate(result.heads):
            made = {"w_v": head.values, "w_q": head.q, "w_k": head.k}[field]
            assert_allclose(head.x @ packed.matrix_of(place), made, atol=1e-9)
        own = getattr(two_layers.heads[2], field)
        assert packed.matrix_of(2).tolist() == own.tolist()


# ---------------------------------------------------------------------------- what is taken over


BY_GAIN = "weights", "positions", "mixed", "term 0", "term", "output", "weight spectrum"
# What else follows what a head reads, where it is projected and where it is designed.
BY_INPUT = "q", "k", "scores", "differ", "score spectrum", "values", "read", *BY_GAIN
VALUES = "values", "read", "mixed", "term 0", "term", "output"
SUMS = {"concat", "output 0", "residual 0"}


def of_head(uid, *steps):
    return {f"head {uid}", *(f"head {uid} {step}" for step in steps)}


def cell(row, column):
    return SetProjectionBlock(row, column, np.array([[5.0]]))


def in_w_v(uid):
    return SetHeadBlock((uid,), "w_v", 0, 0, np.array([[5.0]]), "Edit W_V")


# Of layer 2 the head by content follows what layer 1 adds, the designed one with its values alone.
LAYER_TWO = of_head(BY_CONTENT, *BY_INPUT) | of_head(DESIGNED, *VALUES)
BY_STREAM = LAYER_TWO | {"stream", "bound 2 0"} | SUMS | {"W_Q", "W_K", "W_V"}
BY_BLOCK = {"output 0", "residual 0", "bound 1 0", "bound 2 0", "listening 0", "listening"}


@pytest.mark.parametrize(
    ("edit", "wanted", "changed"),
    [
        (set_gain(BY_CONTENT, 2.0), of_head(BY_CONTENT, *BY_GAIN) | SUMS, {BY_CONTENT}),
        (set_gain(DESIGNED, 2.0), of_head(DESIGNED, *BY_GAIN) | SUMS, {DESIGNED}),
        (
            set_gain(DELAY, 2.0),
            of_head(DELAY, *BY_GAIN) | BY_STREAM,
            {DELAY, DESIGNED, BY_CONTENT},
        ),
        (
            set_muted(DELAY, True),
            of_head(DELAY) | BY_STREAM | {"w_v 1", "bound 1 0"},
            {DESIGNED, BY_CONTENT},
        ),
        (set_muted(DESIGNED, True), of_head(DESIGNED) | {"w_v 2", "bound 2 0"} | SUMS, set()),
        (cell(0, 0), of_head(DESIGNED, "channels 0", "term 0", "term") | BY_BLOCK, {DESIGNED}),
        (
            in_w_v(DESIGNED),
            of_head(DESIGNED, "values", "read", "output", "channels 0", "term 0", "term")
            | SUMS
            | {"w_v 1", "w_v 2", "bound 1 0", "bound 2 0", "W_V"},
            {DESIGNED},
        ),
        (rename_head(DELAY, "back"), of_head(DELAY), set()),
        (
            SetInputBlock(4, 0, np.array([[5.0]])),
            of_head(FIRST, *VALUES) | of_head(DELAY, *VALUES) | BY_STREAM | {"bound 1 0"},
            {FIRST, DELAY, DESIGNED, BY_CONTENT},
        ),
    ],
)
def test_an_edit_redoes_only_what_hangs_on_it(two_layers, edit, wanted, changed):
    before = compute(two_layers)
    after = compute(edit.apply(two_layers), before)
    assert set(after.made) == wanted
    assert len(after.made) == len(wanted)
    assert {uid for uid in range(1, 5) if arrays(of(after, uid)) != arrays(of(before, uid))} == (
        changed
    )


def arrays(head):
    """Return the identities of a head's arrays."""
    values = [getattr(head, field.name) for field in fields(head)]
    return [id(value) for value in values if isinstance(value, np.ndarray | Joined)]


def test_what_layer_one_adds_leaves_the_weights_of_a_designed_head_alone(two_layers):
    before = compute(two_layers)
    after = compute(set_gain(FIRST, 2.0).apply(two_layers), before)
    one, other = of(before, DESIGNED), of(after, DESIGNED)
    assert other.weights is one.weights
    assert other.values is not one.values
    assert (other.values != one.values).any()


def test_keeping_the_margin_leaves_given_queries_and_keys_alone(two_layers):
    before = compute(two_layers)
    after = compute(SetKeepMargin(True).apply(two_layers), before)
    margin = math.sin(math.pi / 6) / math.sin(math.pi / 5)
    for uid in (DELAY, DESIGNED):
        assert_allclose(of(after, uid).scores, margin**2 * of(before, uid).scores, atol=1e-12)
    assert of(after, FIRST).scores.tolist() == of(before, FIRST).scores.tolist()
    # Three designed ones, and what follows by content.
    assert len([step for step in after.made if step.endswith("scores")]) == 4
    hand_set = Head(9, "mine", Pattern.HAND_SET, np.eye(6)[:, :2], q=np.eye(5, 2), k=np.eye(5, 2))
    with_given = replace(two_layers, heads=(*two_layers.heads[:3], hand_set))
    before = compute(with_given)
    after = compute(SetKeepMargin(True).apply(with_given), before)
    assert of(after, 9).scores is of(before, 9).scores
