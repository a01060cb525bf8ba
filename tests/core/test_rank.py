"""Score ranks and singular values from the factors; effective rank of any matrix."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.core import (
    effective_rank,
    first_token_head,
    previous_token_head,
    score_rank,
    score_singular_values,
    singular_values,
)

relaxed = settings(deadline=None)


@st.composite
def integer_factors(draw):
    """Draw q and k of small integers: their product is exact and its rank is beyond doubt."""
    n_queries, n_keys, width = (
        draw(st.integers(1, 6)),
        draw(st.integers(1, 6)),
        draw(st.integers(1, 3)),
    )
    entries = st.integers(-3, 3)
    return tuple(
        draw(hnp.arrays(np.int64, (n, width), elements=entries)) for n in (n_queries, n_keys)
    )


@relaxed
@given(integer_factors())
def test_rank_agrees_with_the_rank_of_the_product(factors):
    q, k = factors
    rank = score_rank(q, k)
    assert type(rank) is int
    assert rank == np.linalg.matrix_rank((q @ k.T).astype(float))
    assert 0 <= rank <= min(len(q), len(k), q.shape[1])


@relaxed
@given(integer_factors())
def test_singular_values_agree_with_those_of_the_product(factors):
    q, k = (factor.astype(float) for factor in factors)
    values = score_singular_values(q, k)
    count = min(len(q), len(k), q.shape[1])
    assert values.shape == (count,)
    tolerance = 1e-14 * (1 + np.linalg.norm(q) * np.linalg.norm(k))
    whole = np.linalg.svd(q @ k.T, compute_uv=False)
    assert_allclose(values, whole[:count], rtol=0, atol=tolerance)
    assert_allclose(whole[count:], 0.0, atol=tolerance)
    assert (np.diff(values) <= 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rank", [1, 3, 8])
def test_rank_of_random_factors(dtype, rank):
    rng = np.random.default_rng(rank)
    q, k = (rng.normal(size=(40, 8)).astype(dtype) for _ in range(2))
    q[:, rank:] = 0
    assert score_rank(q, k) == rank == np.linalg.matrix_rank(q @ k.T)
    assert score_singular_values(q, k).dtype == dtype


@pytest.mark.parametrize("n", [1, 2, 6, 50, 1000])
def test_queries_orthogonal_to_every_key_have_rank_zero(n):
    q, k = np.ones((n, 2)), np.tile([1.0, -1.0], (n, 1))
    assert not (q @ k.T).any()
    assert score_rank(q, k) == 0


def test_threshold_is_the_longer_side_times_epsilon():
    n, eps = 6, np.finfo(float).eps
    k = np.eye(n)[:, :2]
    for factor, rank in ((0.9, 1), (1.1, 2)):
        q = np.eye(n)[:, :2] * [1.0, factor * n * eps]
        assert score_rank(q, k) == rank


def test_opposite_scales_of_features_cancel():
    q, k = np.diag([1e200, 1.0]), np.diag([1e-200, 1.0])
    assert score_rank(q, k) == 2
    assert_allclose(score_singular_values(q, k), [1.0, 1.0], rtol=1e-15)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
def test_rank_does_not_depend_on_the_size_of_the_factors(size):
    q, k = previous_token_head(6)
    assert score_rank(q * size, k * size) == 2
    assert score_rank(q * size, k / size) == 2


@pytest.mark.parametrize("gain", [-3.0, 0.01, 1.0, 100.0])
def test_no_gain_changes_the_rank(gain):
    q, k = previous_token_head(12)
    assert score_rank(q, gain * k) == 2


def test_feature_that_only_one_side_has_counts_for_nothing():
    q, k = np.array([[1.0, 0.0]] * 3), np.array([[0.0, 1e300]] * 3)
    assert score_rank(q, k) == 0
    assert_array_equal(score_singular_values(q, k), [0.0, 0.0])
    k[:, 0] = 2.0
    assert score_rank(q, k) == 1
    assert_allclose(score_singular_values(q, k), [6.0, 0.0], rtol=1e-14)


def test_long_sequences_need_no_square_matrix():
    n = 200_000  # the product would take 320 GB
    q, k = first_token_head(n)
    assert score_rank(q, k) == 1
    assert_allclose(score_singular_values(q, k), [3.0 * math.sqrt(n), 0.0], rtol=1e-12)


def test_leading_axes_give_an_array_of_ranks(lesson_heads):
    q, k = (np.stack(matrices) for matrices in zip(*lesson_heads, strict=True))
    ranks = score_rank(q, k)
    assert ranks.dtype == np.int64
    assert ranks.tolist() == [1, 2, 2, 0]
    assert score_rank(q[:, None], k[None]).shape == (4, 4)
    assert score_singular_values(q, k).shape == (4, 2)


@pytest.mark.parametrize(("n_queries", "n_keys"), [(0, 3), (3, 0), (0, 0)])
def test_no_positions_have_rank_zero(n_queries, n_keys):
    q, k = np.ones((n_queries, 2)), np.ones((n_keys, 2))
    assert (type(score_rank(q, k)), score_rank(q, k)) == (int, 0)
    assert score_singular_values(q, k).shape == (0,)


# ------------------------------------------------------------------------------- any other matrix


@relaxed
@given(hnp.arrays(np.float64, (4, 3), elements=st.floats(-1e3, 1e3)))
def test_squared_singular_values_sum_to_the_squared_cells(m):
    values = singular_values(m)
    assert values.shape == (3,)
    assert (values >= 0).all()
    assert_allclose((values**2).sum(), (m**2).sum(), rtol=1e-12, atol=1e-300)


def test_singular_values_of_known_matrices():
    assert_allclose(singular_values([[3, 0], [0, -4]]), [4, 3], rtol=1e-15)
    assert singular_values(np.zeros((2, 5, 3), np.float32)).shape == (2, 3)
    assert singular_values(np.eye(2, dtype=np.float32)).dtype == np.float32


@pytest.mark.parametrize("n", [1, 2, 7])
def test_effective_rank_of_the_identity_is_its_size(n):
    assert_allclose(effective_rank(np.eye(n)), n, rtol=1e-14)


def test_effective_rank_of_one_outer_product_is_one():
    assert_allclose(effective_rank(np.outer([1, 2, 3], [1, -1])), 1.0, rtol=1e-12)


def test_effective_rank_of_two_unequal_directions():
    p = np.array([0.75, 0.25])
    wanted = math.exp(-(p * np.log(p)).sum())
    assert_allclose(effective_rank(np.diag([3.0, 1.0])), wanted, rtol=1e-14)


@pytest.mark.parametrize(("dtype", "size"), [(np.float32, 3e38), (np.float64, 1.7e308)])
def test_effective_rank_is_known_where_singular_values_overflow(dtype, size):
    m = np.full((4, 4), size, dtype)
    assert_allclose(effective_rank(m), 1.0, rtol=1e-5)
    assert_allclose(effective_rank(np.stack([m, np.eye(4)])), [1.0, 4.0], rtol=1e-5)


def test_effective_ranks_of_a_float32_stack_are_float32():
    stack = np.stack([np.eye(3), np.diag([3.0, 1.0, 0.0])])
    double, single = effective_rank(stack), effective_rank(np.float32(stack))
    assert (double.dtype, single.dtype) == (np.float64, np.float32)
    assert_allclose(single, double, rtol=1e-6)
    assert type(effective_rank(np.float32(stack[0]))) is float


def test_effective_rank_of_zero_is_zero():
    rank = effective_rank(np.zeros((3, 3)))
    assert type(rank) is float
    assert rank == 0.0
    assert effective_rank(np.stack([np.zeros((2, 2)), np.eye(2)])).tolist() == [0.0, 2.0]


@relaxed
@given(
    hnp.arrays(np.float64, (4, 4), elements=st.integers(-5, 5)), st.sampled_from([1e-200, 1e200])
)
def test_effective_rank_lies_between_one_and_the_rank(m, size):
    rank = effective_rank(m)
    if m.any():
        assert 1.0 - 1e-12 <= rank <= np.linalg.matrix_rank(m) + 1e-10
    assert_allclose(effective_rank(size * m), rank, rtol=1e-10)
