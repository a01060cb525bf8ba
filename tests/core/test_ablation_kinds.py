"""Heads zeroed, averaged, made uniform and cut before W_O; and the wrong site, for show."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui import core

RNG = np.random.default_rng(11)
H, T, D_V, D_MODEL = 3, 6, 2, 6
O = RNG.normal(size=(H, T, D_V))  # noqa: E741
A = core.weights_from_scores(RNG.normal(size=(H, T, T)))
X = RNG.normal(size=(T, D_MODEL))
W_V, B_V = RNG.normal(size=(H, D_MODEL, D_V)), RNG.normal(size=(H, D_V))
W_O = RNG.normal(size=(H * D_V, D_MODEL))


def output(o, w_o=W_O):
    return core.concat_heads(o) @ w_o


def test_zero_takes_the_heads_term_and_no_other():
    found = output(core.zero_ablation(O, 1))
    assert_allclose(found, O[0] @ W_O[:2] + O[2] @ W_O[4:], atol=1e-14)


def test_zero_takes_the_value_bias_too_unless_it_is_kept():
    o = A @ (X @ W_V + B_V[:, np.newaxis])
    whole, block = output(o), W_O[2:4]
    without = whole - output(core.zero_ablation(o, 1))
    assert_allclose(without, A[1] @ (X @ W_V[1] + B_V[1]) @ block, atol=1e-13)
    # of rows that sum to 1 the bias adds b_V·W_O^(h) to each row, whatever the head looks at
    kept = core.zero_ablation(o, 1, a=A[1], value_bias=B_V[1])
    assert_allclose(output(kept) - (whole - without), np.tile(B_V[1] @ block, (T, 1)), atol=1e-13)
    assert_allclose(whole - output(kept), A[1] @ (X @ W_V[1]) @ block, atol=1e-13)


def test_what_is_kept_of_the_bias_is_what_sinks_left_of_the_row():
    kept = core.zero_ablation(O, 0, a=A[0] / 4, value_bias=B_V[0])
    assert_allclose(kept[0], np.tile(B_V[0] / 4, (T, 1)), atol=1e-15)


def test_mean_over_rows_keeps_what_the_head_adds_everywhere():
    found = core.mean_ablation(O, 2)
    assert_array_equal(found[:2], O[:2])
    for row in found[2]:
        assert_allclose(row, [math.fsum(O[2, :, c]) / T for c in range(D_V)], atol=1e-15)
    counted = np.array([False, True, True, True, True, False])
    some = core.mean_ablation(O, 2, counted)
    assert_array_equal(some[2, [0, 5]], O[2, [0, 5]])
    assert_allclose(some[2, 3], O[2, 1:5].mean(axis=0), atol=1e-15)


def test_the_mean_of_many_float32_rows_has_all_their_digits():
    many = np.full((1, 20_000, 4), 0.1, np.float32)
    assert (core.mean_ablation(many, 0) == np.float32(0.1)).all()


def test_uniform_weights_share_alike_what_is_allowed():
    allowed = np.array([[False, False], [True, False], [True, True]])
    assert core.uniform_weights(allowed).tolist() == [[0, 0], [1, 0], [0.5, 0.5]]


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.integers(0, 4))
def test_a_cut_edge_is_a_score_of_minus_infinity(seed, query, key):
    scores = np.random.default_rng(seed).normal(size=(5, 5))
    allowed = np.ones((5, 5), dtype=bool)
    a = core.weights_from_scores(scores, mask=None)
    allowed[query, key] = False
    assert_allclose(
        core.without_edge(a, query, key), core.weights_from_scores(scores, mask=allowed), atol=1e-14
    )


@given(st.integers(0, 2**32 - 1), st.floats(-3, 3))
def test_a_cut_edge_beside_a_sink(seed, sink):
    scores = np.random.default_rng(seed).normal(size=(1, 4, 4))
    allowed = np.tri(4, dtype=bool)
    a = core.weights_with_sinks(scores, [sink])[0]
    allowed[3, 1] = False
    wanted = core.weights_with_sinks(scores, [sink], mask=allowed)[0]
    assert_allclose(core.without_edge(a, 3, 1, has_sink=True), wanted, atol=1e-14)


def test_a_row_that_saw_nothing_else_is_empty_and_tiny_rests_do_not_overflow():
    assert core.without_edge([[1.0, 0.0]], 0, 0).tolist() == [[0.0, 0.0]]
    assert core.without_edge([[1.0, 1e-310]], 0, 0)[0, 1] == pytest.approx(1.0)
    tiny = np.array([[1.0, 1e-40]], np.float32)
    assert core.without_edge(tiny, 0, 0)[0, 1] == pytest.approx(1.0)


def test_slices_of_the_output_are_the_wrong_site():
    swap = np.eye(4)[[2, 3, 0, 1]]  # W_O that swaps the blocks of two heads
    o = RNG.normal(size=(2, T, 2))
    right = output(core.zero_ablation(o, 0), swap)
    wrong = core.zero_head_columns(output(o, swap), 0, 2)
    assert not right[:, 2:].any()  # head 1 of 2 arrives in the last columns
    assert_array_equal(wrong[:, 2:], o[0])  # the head that was to go is all that stays
    assert not wrong[:, :2].any()
    # W_O = I is where the fault hides
    eye = np.eye(4)
    assert_array_equal(
        output(core.zero_ablation(o, 0), eye), core.zero_head_columns(output(o, eye), 0, 2)
    )


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="head must be from 0 to 2, got 3"):
        core.zero_ablation(O, 3)
    with pytest.raises(ValueError, match="a and value_bias must be given together"):
        core.zero_ablation(O, 0, value_bias=B_V[0])
    with pytest.raises(ValueError, match=r"value_bias must have shape \(2,\), got shape \(3,\)"):
        core.zero_ablation(O, 0, a=A[0], value_bias=[0.0] * 3)
    with pytest.raises(ValueError, match=r"a must have shape \(6, T_k\), got shape \(3, 6\)"):
        core.zero_ablation(O, 0, a=A[0, :3], value_bias=B_V[0])
    with pytest.raises(ValueError, match="counted must be boolean"):
        core.mean_ablation(O, 0, [1, 0])
    with pytest.raises(ValueError, match="key must be from 0 to 5, got 6"):
        core.without_edge(A[0], 0, 6)
    with pytest.raises(ValueError, match=r"a must have shape \(T_q, T_k\)"):
        core.without_edge(A, 0, 0)
    with pytest.raises(ValueError, match="allowed must be boolean"):
        core.uniform_weights([[1]])
