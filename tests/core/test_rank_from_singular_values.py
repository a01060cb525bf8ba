"""The effective rank of a matrix whose singular values are known already."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from mhagui.core import effective_rank, effective_rank_from_singular_values, singular_values

sigmas = arrays(np.float64, st.integers(1, 6), elements=st.floats(0, 1e6, allow_subnormal=False))


def test_two_unequal_values_by_hand():
    p = np.array([0.75, 0.25])
    wanted = math.exp(-(p * np.log(p)).sum())
    assert_allclose(effective_rank_from_singular_values([3.0, 1.0]), wanted, rtol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_n_equal_values_have_rank_n(n):
    assert_allclose(effective_rank_from_singular_values([0.3] * n), n, rtol=1e-14)


@pytest.mark.parametrize("values", [[0.0], [0.0, 0.0, -0.0]])
def test_values_of_a_zero_matrix_have_rank_zero(values):
    assert effective_rank_from_singular_values(values) == 0.0


def test_the_largest_floats_do_not_overflow():
    assert_allclose(effective_rank_from_singular_values([1.7e308, 1.7e308]), 2.0, rtol=1e-14)


@given(sigmas)
def test_it_is_the_effective_rank_of_the_diagonal_matrix(values):
    wanted = effective_rank(np.diag(values))
    assert_allclose(effective_rank_from_singular_values(values), wanted, rtol=1e-9)


@given(sigmas, st.randoms(use_true_random=False))
def test_the_order_does_not_matter(values, random):
    shuffled = values.tolist()
    random.shuffle(shuffled)
    wanted = effective_rank_from_singular_values(values)
    assert_allclose(effective_rank_from_singular_values(shuffled), wanted, rtol=1e-12)


def test_stacks_give_one_rank_per_matrix_bit_for_bit():
    m = np.random.default_rng(0).normal(size=(3, 5, 4))
    ranks = effective_rank_from_singular_values(singular_values(m))
    assert ranks.tolist() == effective_rank(m).tolist()
    assert ranks.tolist() == [
        effective_rank_from_singular_values(singular_values(one)) for one in m
    ]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, -0.5], "values must be at least 0, got -0.5."),
        ([1.0, math.nan], "values must be finite, got nan at index (1,)."),
        ([math.inf], "values must be finite, got inf at index (0,)."),
        (1.0, "values must have shape (..., N), got shape ()."),
        (["a"], "values must hold real numbers, got dtype <U1."),
    ],
)
def test_refusals(values, message):
    with pytest.raises(ValueError, match=r"^values must") as caught:
        effective_rank_from_singular_values(values)
    assert str(caught.value) == message
