"""What the lesson says in words, shown by numbers: the claims that have no table of their own."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mhagui import core
from mhagui.document import Pattern, compute, load_lesson
from mhagui.document.edits import DuplicateHead, SetPattern, SetProjectionBlock, set_gain
from mhagui.document.information import PairInformation, verdict
from mhagui.document.presets import Preset, SetPreset
from mhagui.document.token_edits import SetTokens

FIRST, PREVIOUS, ITSELF, UNIFORM = range(4)
SHARP = 60.0


@pytest.fixture(scope="module")
def result(four_heads):
    return compute(four_heads)


# ------------------------------------------------------------------------------------ one head


@given(st.data())
def test_an_output_lies_between_the_values_it_averages(scenes, data):
    result = compute(data.draw(scenes))
    for head in result.heads:
        slack = 1e-12 * np.abs(head.values).max()
        # Given weights sum to what they sum to, and of no key there is nothing.
        for row in np.flatnonzero(head.has_support & (head.head.a is None)):
            seen = head.values[result.allowed[row]]
            assert (seen.min(axis=0) - slack <= head.output[row]).all()
            assert (head.output[row] <= seen.max(axis=0) + slack).all()


def test_one_head_blends_what_two_heads_fetch(four_heads):
    scene = SetPattern(1, Pattern.TWO_POSITIONS).apply(four_heads)
    both = compute(set_gain(1, SHARP).apply(scene)).heads[0].weights[3]
    apart = [compute(set_gain(uid, SHARP).apply(four_heads)) for uid in (1, 2)]
    rows = [apart[0].heads[FIRST].weights[3], apart[1].heads[PREVIOUS].weights[3]]
    x = np.array([[5.0], [0.0], [7.0], [0.0], [0.0], [0.0]])  # something at t1, something at t3
    swapped = x[[2, 1, 0, 3, 4, 5]]
    assert_allclose(both @ x, both @ swapped, rtol=1e-12)  # which was which is gone
    assert_allclose(both @ x, (5 + 7) / 2)
    assert_allclose(rows @ x, [[5], [7]])
    assert_allclose(rows @ swapped, [[7], [5]])


@given(st.data())
def test_scores_have_no_higher_rank_than_a_head_is_wide(scenes, data):
    scene = data.draw(scenes)
    known = [head.score_rank for head in compute(scene).heads if head.has_queries]
    assert all(rank <= scene.d_k for rank in known)


def test_narrow_heads_have_scores_of_low_rank_at_the_cost_of_a_wide_one():
    n, d_model, n_heads = 80, 64, 8
    rng = np.random.default_rng(9)
    q, k = rng.normal(size=(2, n, d_model))
    q_slices, k_slices = (np.split(matrix, n_heads, axis=1) for matrix in (q, k))
    narrow = [core.score_rank(*pair) for pair in zip(q_slices, k_slices, strict=True)]
    assert narrow == [d_model // n_heads] * n_heads
    assert core.score_rank(q, k) == d_model
    cost = 2 * n**2 * d_model
    assert core.score_flops(n, 1, d_model) == core.score_flops(n, n_heads, 8) == cost


# ------------------------------------------------------------------------------------- the mask


def test_the_mask_as_a_large_negative_number_gives_the_same_weights(result):
    added = np.triu(np.full((6, 6), -1e9), 1)
    for head in result.heads:
        e = np.exp(head.scores + added)
        assert_allclose(head.weights, e / e.sum(axis=1, keepdims=True), rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("name", ["content-position", "induction"])
def test_what_comes_later_changes_nothing_before_it(name):
    scene = load_lesson(name)
    for row in range(1, scene.n_positions - 1):
        last = (*scene.tokens[:row], *reversed(scene.tokens[row:]))
        before, after = compute(scene), compute(SetTokens(last).apply(scene))
        assert_allclose(after.output[:row], before.output[:row], rtol=0, atol=1e-12)
        for old, new in zip(before.heads, after.heads, strict=True):
            assert_allclose(new.weights[:row], old.weights[:row], rtol=0, atol=1e-12)


# ------------------------------------------------------------------------------ four heads


def test_each_head_looks_where_it_is_said_to(result):
    looked_at = [head.weights.argmax(axis=1).tolist() for head in result.heads[:UNIFORM]]
    assert looked_at == [[0] * 6, [0, 0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5]]
    for head in result.heads:
        assert not np.triu(head.weights, 1).any()
        assert_allclose(head.weights.sum(axis=1), 1.0, rtol=1e-14)


def test_the_uniform_head_is_the_average_of_the_past(result):
    x = np.random.default_rng(7).normal(size=(6, 3))
    means = np.cumsum(x, axis=0) / np.arange(1, 7)[:, np.newaxis]
    assert_allclose(result.heads[UNIFORM].weights @ x, means, rtol=1e-12, atol=1e-15)
    assert result.heads[UNIFORM].weights[3].tolist() == [0.25, 0.25, 0.25, 0.25, 0, 0]


def test_the_first_key_leads_by_three_over_root_two(result):
    scores = result.heads[FIRST].scores
    assert_allclose(scores[:, 0] - scores[:, 1], 3 / math.sqrt(2), rtol=1e-14)
    share = math.exp(3 / math.sqrt(2))
    total = share + 5
    bits = -share / total * math.log2(share / total) + 5 / total * math.log2(total)
    assert result.heads[FIRST].row_entropy_bits[5] == pytest.approx(bits, abs=1e-12)
    assert (bits, 2**bits) == pytest.approx((1.824, 3.5416), abs=5e-4)


def test_previous_token_and_self_look_by_the_same_scores_a_row_apart(result):
    previous, itself = result.heads[PREVIOUS].scores, result.heads[ITSELF].scores
    assert_allclose(previous[1:], itself[:-1], rtol=0, atol=1e-12)


def test_an_even_split_of_two_costs_one_bit(four_heads):
    scene = set_gain(1, 3.0).apply(SetPattern(1, Pattern.TWO_POSITIONS).apply(four_heads))
    split = compute(scene).heads[0].row_entropy_bits[3]
    margin = 3 * 3 / math.sqrt(2)  # gain times |K|/√d_k, of t1 and t3 before t2 and t4
    p = math.exp(margin) / (2 * math.exp(margin) + 2)
    q = 0.5 - p
    assert split == pytest.approx(-2 * p * math.log2(p) - 2 * q * math.log2(q), abs=1e-12)
    assert split == pytest.approx(1.0, abs=0.03)
    one_hot = compute(set_gain(1, SHARP).apply(four_heads)).heads[0].row_entropy_bits[3]
    assert one_hot == pytest.approx(0.0, abs=1e-12)


def test_a_head_and_its_copy_would_be_trained_alike(four_heads):
    scene = DuplicateHead(1).apply(four_heads)  # the copy is next, with rows of zero
    scene = SetProjectionBlock(2, 0, scene.w_o[:2]).apply(scene)
    target = np.random.default_rng(3).normal(size=compute(scene).output.shape)

    def slope(uid):
        """How a squared loss changes with the gain of one head."""
        losses = [
            ((compute(set_gain(uid, gain).apply(scene)).output - target) ** 2).sum()
            for gain in (1 - 1e-4, 1 + 1e-4)
        ]
        return (losses[1] - losses[0]) / 2e-4

    first, copy, other = (head.uid for head in scene.heads[:3])
    assert abs(slope(first)) > 0.01
    assert slope(copy) == pytest.approx(slope(first), rel=1e-6)
    assert slope(other) != pytest.approx(slope(first), rel=0.1)


# ------------------------------------------------------------------------ Concat, W_O and O


@given(st.data())
def test_concat_and_output_have_the_shapes_of_the_lesson(scenes, data):
    scene = data.draw(scenes)
    result = compute(scene)
    assert result.concat.shape == (scene.n_positions, scene.n_heads * scene.d_v)
    assert result.output.shape == (scene.n_positions, scene.d_model)


def test_row_3_of_the_two_heads_reads_as_the_lesson_reads_it(two_heads):
    result = compute(two_heads)
    assert_allclose(result.concat[2], [0.998, 0, 1 / 3, 1 / 3], atol=5e-4)
    assert_allclose(result.output[:, 0], result.concat[:, 0] + result.concat[:, 2], rtol=1e-15)
    assert_allclose(result.output[:, 2], -result.concat[:, 2], rtol=1e-15)
    assert result.output[2, 0] == pytest.approx(1.332, abs=5e-4)
    assert result.terms[:, 2, 0] == pytest.approx([0.998, 1 / 3], abs=5e-4)  # both heads in d1


@pytest.mark.parametrize("preset", [Preset.LESSON, Preset.RANDOM_ORTHOGONAL])
def test_a_term_of_the_filter_bank_has_no_higher_rank_than_its_head_is_wide(four_heads, preset):
    scene = SetPreset(preset, 3).apply(four_heads)
    result = compute(scene)
    ranks = [int(np.linalg.matrix_rank(term)) for term in result.terms]
    assert max(ranks) == scene.d_v
    assert np.linalg.matrix_rank(result.output) > scene.d_v  # their sum is not so limited


# ------------------------------------------------------------------------------- information


def bits_told(*seen):
    """What is told of the next of four tokens, all alike, by what each observer sees for each."""
    labels = list(zip(*seen, strict=True))
    joint = [[0.25 * (label == each) for label in labels] for each in sorted(set(labels))]
    return core.mutual_information_bits(joint)


def test_fragments_that_differ_add_and_equal_ones_do_not():
    high, low = [0, 0, 1, 1], [0, 1, 0, 1]  # the two bits of the token
    apart = PairInformation(bits_told(high), bits_told(low), bits_told(high, low))
    assert apart == pytest.approx((1, 1, 2), abs=1e-12)
    assert verdict(apart, "h1", "h2") == "They add: redundancy = synergy"
    alike = PairInformation(bits_told(high), bits_told(high), bits_told(high, high))
    assert alike == pytest.approx((1, 1, 1), abs=1e-12)
    assert verdict(alike, "h1", "h2") == "The same fragment: redundant"
