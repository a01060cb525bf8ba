"""Heads whose weights are given: what is known of them, and what is not."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.document import Head, Pattern, Scene, Session, compute
from mhagui.document.edits import (
    AddHead,
    DuplicateHead,
    SetKeyWidth,
    SetMask,
    SetPattern,
    SetProjectionBlock,
    SetSequenceLength,
    set_gain,
)
from mhagui.document.filter_bank import in_bounds
from mhagui.document.information import study_divergences
from mhagui.document.known import why_unknown
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.session_file import session_from_bytes, session_to_bytes, session_to_json
from mhagui.document.solver import edit_for
from mhagui.document.weight_edits import SetHeadBlock, SetInputBlock, to_pattern
from mhagui.errors import UserError

T = 5


def causal_weights(seed=0, *, sums=1.0):
    dice = np.random.default_rng(seed)
    weights = np.tril(dice.random((T, T)))
    return weights / weights.sum(axis=1, keepdims=True) * sums


def alone(*weights, mask=None):
    """A scene of weights alone."""
    n_positions = len(weights[0])
    heads = [
        Head(uid, f"L0 H{uid - 1}", Pattern.GIVEN, np.zeros((1, 1)), a=a)
        for uid, a in enumerate(weights, 1)
    ]
    x, w_o = np.zeros((n_positions, 1)), np.zeros((len(heads), 1))
    mask = mask or MaskRule()
    return Scene("given", "", heads, x, w_o, 1, mask=mask, has_values=False)


def valued(a, **changes):
    """A head of given weights whose values are known."""
    dice = np.random.default_rng(4)
    head = Head(1, "given", Pattern.GIVEN, dice.standard_normal((3, 2)), a=a, **changes)
    x, w_o = dice.standard_normal((len(a), 3)), dice.standard_normal((2, 3))
    return Scene("valued", "", [head], x, w_o, 2)


@pytest.mark.parametrize("sums", [1.0, 0.9, 1.7])
def test_at_gain_1_the_weights_are_the_given_ones_to_the_bit(sums):
    a = causal_weights(sums=sums).astype(np.float32).astype(float)
    (head,) = compute(alone(a)).heads
    assert_array_equal(head.weights, a)
    shares = a / a.sum(axis=1, keepdims=True)
    bits = [-sum(p * math.log2(p) for p in row if p) for row in shares]
    assert_allclose(head.row_entropy_bits, bits, atol=1e-12)


@given(st.integers(0, 99), st.floats(-3, 3), st.sampled_from([1.0, 0.5, 1.3]))
def test_another_gain_is_a_softmax_of_the_logarithms_and_keeps_the_sums(seed, gain, sums):
    a = causal_weights(seed, sums=sums)
    (head,) = compute(set_gain(1, gain).apply(alone(a))).heads
    for t, row in enumerate(a):
        powers = row[: t + 1] ** gain
        assert_allclose(head.weights[t, : t + 1], powers / powers.sum() * sums, rtol=1e-9)
    assert not np.triu(head.weights, 1).any()


def test_a_weight_of_zero_stays_nothing_until_the_gain_is_0_or_less():
    a = np.tril(np.eye(T))
    (sharp,) = compute(set_gain(1, 2.0).apply(alone(a))).heads
    assert_allclose(sharp.weights, a, atol=1e-300)
    (flat,) = compute(set_gain(1, 0.0).apply(alone(a))).heads
    assert_allclose(flat.weights[3], [0.25, 0.25, 0.25, 0.25, 0], rtol=1e-15)


def test_a_row_of_zeros_has_no_entropy_at_any_gain():
    a = causal_weights()
    a[2] = 0.0
    for gain in (1.0, 0.5, 0.0):
        (head,) = compute(set_gain(1, gain).apply(alone(a))).heads
        assert head.has_support.tolist() == [True, True, False, True, True]
        assert not head.weights[2].any()
        assert math.isnan(head.row_entropy_bits[2])
        assert math.isfinite(head.mean_row_entropy_bits)
    (head,) = compute(alone(np.zeros((T, T)))).heads
    assert math.isnan(head.mean_effective_positions)
    result = compute(alone(a, causal_weights(1)))
    assert study_divergences(result).rows == (0, 1, 3, 4)


def test_queries_keys_and_ranks_are_not_known():
    scene = alone(causal_weights())
    (head,) = compute(scene).heads
    assert not scene.has_queries
    assert not head.has_queries
    assert (head.score_rank, head.score_rank_text) == (None, "–")
    assert len(head.score_singular_values) == 0
    assert head.effective_rank > 1
    assert "weights alone" in why_unknown(("queries",), scene)
    assert "no values" in why_unknown(("values", "queries"), scene)
    assert why_unknown(("filters",), scene) == ""
    for pattern in (Pattern.HAND_SET, Pattern.PROJECTED, Pattern.GIVEN):
        with pytest.raises(UserError, match=f"^Head “L0 H0” cannot become “{pattern.value}”: "):
            to_pattern(compute(scene), 1, pattern)


def test_the_terms_of_given_weights_are_in_bounds_whatever_rows_sum_to():
    for sums in (1.0, 40.0):
        scene = valued(causal_weights(sums=sums), b_v=np.array([[1.0, -2.0]]))
        result, (head,) = compute(scene), scene.heads
        values = scene.x @ head.w_v + head.b_v
        assert_allclose(result.output, head.a @ values @ scene.w_o, rtol=1e-12, atol=1e-12)
        assert in_bounds(result) <= 1
    one, many = (compute(valued(causal_weights(sums=n))).residual_bound for n in (1.0, 40.0))
    assert many == pytest.approx(40 * one)


def test_a_gain_makes_no_more_than_it_moves():
    scene = alone(causal_weights(), causal_weights(1))
    before = compute(scene)
    after = compute(set_gain(2, 3.0).apply(scene), before)
    assert after.heads[0] is before.heads[0]
    assert "head 2 scores" not in after.made
    assert compute(scene, after).heads[1].weights is scene.heads[1].a


def test_a_gain_for_so_many_positions():
    scene = alone(causal_weights())
    edit = edit_for(scene, compute(scene), 1, 4, 2.5)
    (head,) = compute(edit.apply(scene)).heads
    assert head.effective_positions[4] == pytest.approx(2.5)


# ------------------------------------------------------------------------------ what cannot be


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: alone(causal_weights() - 0.5),
            "Weights are 0 or more; A of head “L0 H0” has -0.5 in row 1, column 2.",
        ),
        (
            lambda: alone(np.full((T, T), 0.2)),
            "Head “L0 H0” has a weight of 0.2 on key t2 at query t1, which its mask (causal) does",
        ),
        (
            lambda: alone(np.full((2, 2), np.nan)),
            "A of head “L0 H0” must hold numbers from -1e+30 to 1e+30; row 1, column 1 is nan.",
        ),
        (
            lambda: replace(alone(causal_weights()), x=np.zeros((4, 1))),
            "A of head “L0 H0” is 5 × 5, but this scene needs 4 × 4 (T rows, T columns).",
        ),
        (
            lambda: Head(1, "h", Pattern.GIVEN, np.ones((1, 1))),
            "Head “h” (given weights) needs matrix A.",
        ),
        (
            lambda: Head(1, "h", Pattern.SELF, np.ones((1, 1)), a=np.ones((1, 1))),
            "Head “h” (self) takes no matrix A.",
        ),
    ],
)
def test_weights_that_cannot_be(make, sentence):
    with pytest.raises(UserError) as caught:
        make()
    assert str(caught.value).startswith(sentence)


def test_a_mask_that_hides_a_given_weight_is_refused():
    scene = alone(np.full((T, T), 0.2), mask=MaskRule(MaskKind.FULL))
    with pytest.raises(UserError, match=r"which its mask \(causal\) does not let be seen\.$"):
        SetMask(MaskRule()).apply(scene)
    assert SetMask(MaskRule(MaskKind.FULL)).apply(alone(causal_weights())).mask.sees_later


@pytest.mark.parametrize(
    "edit",
    [
        SetInputBlock(0, 0, np.ones((1, 1))),
        SetProjectionBlock(0, 0, np.ones((1, 1))),
        SetHeadBlock((1,), "w_v", 0, 0, np.ones((1, 1)), "Edit W_V"),
    ],
)
def test_what_is_not_known_cannot_be_written(edit):
    with pytest.raises(
        UserError, match=r"^This scene has no values: X, W_V and W_O of its file are"
    ):
        edit.apply(alone(causal_weights()))


def test_heads_can_be_added_beside_given_ones():
    scene = AddHead(Pattern.UNIFORM).apply(alone(causal_weights()))
    assert [head.has_queries for head in compute(scene).heads] == [False, True]
    assert DuplicateHead(1).apply(scene).n_heads == 3
    assert SetPattern(1, Pattern.SELF).apply(SetKeyWidth(2).apply(scene)).has_queries
    with pytest.raises(UserError, match=r"^Head “L0 H0” has given weights for T = 5; give it anot"):
        SetSequenceLength(6).apply(scene)


def test_shared_keys_are_shared_until_one_is_changed():
    k = np.ones((2, 2))
    heads = [
        Head(uid, "h", Pattern.HAND_SET, np.ones((1, 1)), q=k, k=k, key_head=0) for uid in (1, 2)
    ]
    scene = Scene("shared", "", heads, np.ones((2, 1)), np.ones((2, 1)), 2)
    cell = np.array([[5.0]])
    for field, left in (("k", None), ("w_v", None), ("q", 0)):
        edit = SetHeadBlock((1,), field, 0, 0, cell, "Edit")
        assert [head.key_head for head in edit.apply(scene).heads] == [left, 0]
    assert SetPattern(1, Pattern.SELF).apply(scene).heads[0].key_head is None


# -------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("write", [session_to_bytes, session_to_json])
def test_everything_comes_back_from_a_file(write):
    a = causal_weights()
    scene = valued(a, b_v=np.array([[0.5, -1.0]]), key_head=3)
    scene = replace(scene, b_o=np.array([[1.0, 2.0, 3.0]]), mask=MaskRule(MaskKind.SLIDING, T))
    for each in (scene, alone(a), alone(a, a, mask=MaskRule(MaskKind.FULL, left=0, right=0))):
        assert session_from_bytes(write(Session.of(each))).scene == each


def test_a_file_with_a_mask_there_is_none_of_is_refused():
    text = session_to_json(Session.of(alone(causal_weights(), mask=MaskRule(MaskKind.FULL))))
    with pytest.raises(
        UserError, match=r"^the mask is “dilated”; the masks are causal, full, slid"
    ):
        session_from_bytes(text.replace(b'"kind": "full"', b'"kind": "dilated"'))
    with pytest.raises(
        UserError, match=r"^The size of a full mask must be a whole number from 0 to"
    ):
        session_from_bytes(text.replace(b'"kind": "full"', b'"kind": "full", "size": 3'))
