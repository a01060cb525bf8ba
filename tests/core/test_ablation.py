"""A head's columns zeroed, before W_O and after it, and the norm of what a head adds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.core import (
    concat_heads,
    filter_bank_terms,
    frobenius_norms,
    head_contributions,
    zero_head_columns,
)

CELLS = st.floats(-1e6, 1e6)


@given(hnp.arrays(np.float64, st.tuples(st.integers(0, 4), st.integers(1, 6)), elements=CELLS))
def test_a_norm_is_the_root_of_the_sum_of_squares(m):
    assert_allclose(frobenius_norms(m), math.hypot(*m.ravel().tolist()), rtol=1e-13)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200, 3e307])
def test_norms_of_extreme_cells(size):
    m = np.array([[[3.0, 0.0], [0.0, -4.0]], [[0.0, 0.0], [0.0, 0.0]]]) * size
    assert_allclose(frobenius_norms(m), [5.0 * size, 0.0], rtol=1e-3 if size < 1e-300 else 1e-15)


@given(st.integers(1, 4), st.integers(1, 3), st.data())
def test_only_the_heads_own_columns_are_zeroed(n_heads, d_v, data):
    head = data.draw(st.integers(0, n_heads - 1))
    concat = np.arange(1.0, 1 + 2 * n_heads * d_v).reshape(2, -1)
    without = zero_head_columns(concat, head, n_heads)
    for column in range(n_heads * d_v):
        expected = 0 if column // d_v == head else concat[:, column]
        assert_array_equal(without[:, column], expected)


def test_before_w_o_exactly_the_heads_term_is_missing():
    rng = np.random.default_rng(3)
    o, w_o = rng.normal(size=(3, 5, 2)), rng.normal(size=(6, 6))
    whole, parts = concat_heads(o) @ w_o, head_contributions(o, w_o)
    for head in range(3):
        right = zero_head_columns(concat_heads(o), head, 3) @ w_o
        assert_allclose(whole - right, parts[head], atol=1e-13)
        wrong = zero_head_columns(whole, head, 3)
        assert np.abs(right - wrong).max() > 0.1


@pytest.mark.parametrize("head", [0, 1])
def test_the_identity_hides_the_wrong_site_and_the_lessons_w_o_does_not(two_head_scene, head):
    # The uniform head's O_2 is known by hand: row t has 1/t of each of the first t tokens.
    o = np.zeros((2, 4, 2))
    o[0] = [[0, 0], [0, 0], [1, 0], [0, 1]]
    o[1] = [[1, 0], [1 / 2, 1 / 2], [1 / 3, 1 / 3], [1 / 4, 1 / 4]]
    for w_o, hidden in ((np.eye(4), True), (two_head_scene["w_o"], False)):
        concat = concat_heads(o)
        right = zero_head_columns(concat, head, 2) @ w_o
        wrong = zero_head_columns(concat @ w_o, head, 2)
        assert np.array_equal(right, wrong) is hidden


def test_terms_of_the_lessons_scene_have_the_norms_worked_out_by_hand(two_head_scene):
    # Head 2, uniform: its term has columns (o1, 0, −o1, o2) of O_2 = [[1,0],[1/2,1/2],..].
    x, w_v, w_o = (two_head_scene[name] for name in ("x", "w_v", "w_o"))
    uniform = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, np.newaxis]
    terms = filter_bank_terms(np.stack([np.eye(4), uniform]), x, w_v, w_o)
    ones = 1 + 1 / 4 + 1 / 9 + 1 / 16
    assert_allclose(frobenius_norms(terms)[1], math.sqrt(3 * ones - 1), rtol=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: zero_head_columns(np.ones((2, 5)), 0, 2), "n_heads must divide the 5 columns of"),
        (lambda: zero_head_columns(np.ones((2, 4)), 2, 2), "head must be from 0 to 1, got 2."),
        (lambda: zero_head_columns(np.ones((2, 4)), -1, 2), "head must be an integer of at least"),
        (lambda: zero_head_columns(np.ones(4), 0, 2), "concat must have shape (..., T, H·d_v), g"),
        (lambda: frobenius_norms(np.ones(3)), "m must have shape (..., T, n), got shape (3,)."),
        (lambda: frobenius_norms([[math.nan]]), "m must be finite, got nan at index (0, 0)."),
        (lambda: frobenius_norms(np.full((2, 2), 1.7e308)), "m must be smaller: a norm overflow"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=r" must ") as caught:
        call()
    assert str(caught.value).startswith(message)
