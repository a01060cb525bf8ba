"""Queries and keys for weights that are asked for row by row."""

import math
import re
import time

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.core import attention_weights, queries_and_keys_for, score_rank, uniform_head

FREE = math.nan
NEAR = 0.01


def softmax_below(scores):
    """Return the causal softmax as a textbook has it."""
    e = np.exp(scores - scores.max()) * np.tri(len(scores))
    return e / e.sum(axis=1, keepdims=True)


def free_but(n, rows):
    """Return weights of which only the rows given, {row: cells up to the diagonal}, are asked."""
    weights = np.full((n, n), FREE)
    for row, cells in rows.items():
        weights[row] = 0.0
        weights[row, : len(cells)] = cells
    return weights


def weights_of_random_head(n, d_k, seed):
    random = np.random.default_rng(seed)
    return softmax_below(random.normal(size=(n, d_k)) @ random.normal(size=(n, d_k)).T)


@pytest.mark.parametrize(
    ("n", "d_k", "seed"), [(6, 1, 0), (6, 2, 1), (12, 2, 2), (16, 4, 3), (40, 8, 4)]
)
def test_weights_of_a_head_of_this_width_are_realised_again(n, d_k, seed):
    asked = weights_of_random_head(n, d_k, seed)
    assert_allclose(queries_and_keys_for(asked, d_k).realised, asked, atol=1e-6)


@given(st.integers(1, 10), st.integers(1, 4), st.integers(0, 2**32 - 1))
@example(9, 3, 54100064)  # which four starts did not find
@settings(max_examples=60, deadline=None)
def test_any_head_is_found_to_be_possible_at_its_width(n, d_k, seed):
    asked = weights_of_random_head(n, d_k, seed)
    assume(asked[np.tri(n, dtype=bool)].min() > 1e-4)
    fit = queries_and_keys_for(asked, d_k)
    assert_allclose(fit.realised, asked, atol=NEAR)
    assert fit.d_k_needed == d_k


@given(st.integers(2, 8), st.integers(1, 5), st.data())
@settings(max_examples=60, deadline=None)
def test_as_many_rows_as_d_k_are_always_met(n, d_k, data):
    rows = data.draw(st.sets(st.integers(1, n - 1), min_size=1, max_size=d_k))
    cells = st.integers(0, 9)
    asked = {}
    for row in rows:
        parts = data.draw(st.lists(cells, min_size=row + 1, max_size=row + 1).filter(any))
        asked[row] = np.array(parts) / sum(parts)
    weights = free_but(n, asked)
    fit = queries_and_keys_for(weights, d_k)
    assert fit.largest_error <= 1e-3 + 1e-9
    given_rows = sorted(rows)
    zeros = np.where(weights[given_rows] == 0, fit.realised[given_rows], 0.0)
    assert zeros.sum(axis=1).max() <= 1e-3 + 1e-9


def test_the_result_is_told_as_it_is():
    random = np.random.default_rng(3)
    asked = softmax_below(random.normal(size=(6, 6)) * 2)
    fit = queries_and_keys_for(asked, 1)
    realised = attention_weights(fit.q, fit.k)
    assert_array_equal(fit.realised, realised)
    errors = np.abs(realised - asked)
    assert fit.largest_error == errors.max()
    assert fit.worst_row == errors.max(axis=1).argmax()


def test_row_4_shared_by_positions_1_and_3_in_one_feature():
    fit = queries_and_keys_for(free_but(6, {3: [0.5, 0.0, 0.5, 0.0]}), 1)
    assert_allclose(fit.realised[3, :4], [0.5, 0.0, 0.5, 0.0], atol=1e-3)
    assert fit.realised[3, 0] == pytest.approx(fit.realised[3, 2], rel=1e-9)
    assert 0 < fit.realised[3, [1, 3]].sum() <= 1e-3 + 1e-12


def test_a_single_row_of_positive_weights_is_exact():
    asked = [0.1, 0.2, 0.3, 0.4]
    fit = queries_and_keys_for(free_but(5, {3: asked}), 1)
    assert_allclose(fit.realised[3, :4], asked, rtol=1e-9)
    assert not fit.q[[0, 1, 2, 4]].any()  # free rows are left uniform
    assert not fit.k[4].any()  # and keys that no row uses are zero


@pytest.mark.parametrize("n", [6, 16])
@pytest.mark.parametrize("back", [0, 1])
def test_self_and_previous_token_fit_on_two_features(n, back):
    asked = np.eye(n, k=-back)
    asked[0, 0] = 1.0
    fit = queries_and_keys_for(asked, 2)
    assert fit.largest_error <= NEAR
    assert fit.d_k_needed == 2


def test_uniform_needs_no_scores():
    fit = queries_and_keys_for(attention_weights(*uniform_head(6)), 2)
    assert_allclose(fit.realised, attention_weights(*uniform_head(6)), atol=1e-12)
    assert score_rank(fit.q, fit.k) == 0 or np.abs(fit.q @ fit.k.T).max() < 1e-9


def test_what_one_feature_cannot_do_is_said_with_the_width_that_can():
    """Past the constant of its row a score of one feature is q·k: rows 5 and 6 fix k twice."""
    asked = free_but(6, {4: [0.6, 0.1, 0.1, 0.1, 0.1], 5: [0.1, 0.6, 0.1, 0.1, 0.05, 0.05]})
    fit = queries_and_keys_for(asked, 1)
    assert fit.largest_error > NEAR
    assert fit.worst_row in (4, 5)
    assert fit.d_k_needed == 2
    assert queries_and_keys_for(asked, 2).largest_error < 1e-9


def test_six_full_rows_need_at_most_five_features():
    asked = np.random.default_rng(8).dirichlet(np.full(6, 0.4), size=6) * np.tri(6)
    asked /= asked.sum(axis=1, keepdims=True)
    fit = queries_and_keys_for(asked, 1)
    assert fit.largest_error > NEAR
    assert 2 <= fit.d_k_needed <= 5
    assert queries_and_keys_for(asked, fit.d_k_needed).largest_error <= NEAR


def test_nothing_asked_is_a_head_of_zeros():
    fit = queries_and_keys_for(np.full((4, 4), FREE), 3)
    assert not fit.q.any()
    assert not fit.k.any()
    assert (fit.largest_error, fit.worst_row, fit.d_k_needed) == (0.0, None, 3)


def test_row_1_has_no_choice():
    fit = queries_and_keys_for(np.ones((1, 1)), 2)
    assert fit.realised.tolist() == [[1.0]]
    assert (fit.largest_error, fit.worst_row) == (0.0, 0)


def test_it_is_the_same_each_time_and_leaves_its_input_alone():
    asked = softmax_below(np.random.default_rng(1).normal(size=(7, 7)))
    asked.setflags(write=False)
    one, other = queries_and_keys_for(asked, 2), queries_and_keys_for(asked.tolist(), 2)
    assert_array_equal(one.q, other.q)
    assert_array_equal(one.k, other.k)
    assert one.q.shape == one.k.shape == (7, 2)
    assert queries_and_keys_for(asked, 9).q.shape == (7, 9)


def test_queries_and_keys_are_of_like_size_and_the_keys_centred():
    asked = softmax_below(np.random.default_rng(2).normal(size=(6, 6)))
    fit = queries_and_keys_for(asked, 3)
    assert_allclose(fit.k.mean(axis=0), 0.0, atol=1e-12)
    of_keys = fit.k.T @ fit.k
    assert_allclose(of_keys, np.diag(np.diag(of_keys)), atol=1e-9)
    assert_allclose(np.linalg.norm(fit.q, axis=0), np.linalg.norm(fit.k, axis=0), rtol=1e-9)


def test_the_longest_target_is_met_while_one_waits():
    asked = weights_of_random_head(64, 3, 100)
    begin = time.process_time()
    fit = queries_and_keys_for(asked, 3)
    assert time.process_time() - begin < 5  # tenths of a second on a machine at rest
    assert fit.largest_error <= 1e-6


def with_cell(row, column, value):
    weights = np.tri(4) / np.arange(1, 5)[:, np.newaxis]
    weights[row, column] = value
    return weights


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.ones((2, 3)), "weights must have shape (T, T) with T from 1 to 64, got shape (2, 3)."),
        (np.eye(65), "weights must have shape (T, T) with T from 1 to 64, got shape (65, 65)."),
        (
            np.ones((1, 2, 2)),
            "weights must have shape (T, T) with T from 1 to 64, got shape (1, 2, 2).",
        ),
        (
            with_cell(2, 1, 0.2),
            "weights must sum to 1 in each given row; row 2 sums to 0.866667.",
        ),
        (with_cell(1, 3, 0.5), "weights must be 0 past the diagonal; row 1 is not."),
        (with_cell(1, 0, -0.5), "weights must be finite and at least 0; row 1 is not."),
        (with_cell(3, 0, FREE), "weights must be finite and at least 0; row 3 is not."),
        (with_cell(3, 0, math.inf), "weights must be finite and at least 0; row 3 is not."),
    ],
)
def test_refusals(weights, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        queries_and_keys_for(weights, 2)


def test_a_width_of_none_is_refused():
    with pytest.raises(ValueError, match=r"^d_k must be an integer of at least 1, got 0\.$"):
        queries_and_keys_for(np.eye(3), 0)


def test_a_row_within_a_millionth_of_1_is_taken():
    weights = with_cell(3, 0, 0.25 + 9e-7)
    assert queries_and_keys_for(weights, 3).largest_error < 2e-6
