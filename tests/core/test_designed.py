"""The four designed heads of the lesson for any sequence length and width."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.core import (
    attention_weights,
    first_token_head,
    previous_token_head,
    self_head,
    uniform_head,
)

HEADS = [first_token_head, previous_token_head, self_head, uniform_head]
CIRCLES = [previous_token_head, self_head]


def test_defaults_are_the_lesson(lesson_heads):
    for make, (q, k) in zip(HEADS, lesson_heads, strict=True):
        assert_allclose(make(6), (q, k), rtol=0, atol=1e-15)


@pytest.mark.parametrize("make", HEADS)
@pytest.mark.parametrize(("n", "width"), [(1, 2), (6, 3), (9, 64)])
def test_wider_heads_are_padded_with_zeros(make, n, width):
    for narrow, wide in zip(make(n), make(n, width), strict=True):
        assert wide.shape == (n, width)
        assert wide.dtype == np.float64
        assert_array_equal(wide[:, :2], narrow)
        assert not wide[:, 2:].any()


@pytest.mark.parametrize("make", HEADS)
def test_magnitudes_scale_keys_and_queries(make):
    q, k = make(7, 2, 1.0, 1.0)
    scaled_q, scaled_k = make(7, 2, key_magnitude=-2.5, query_magnitude=4)
    assert_allclose(scaled_q, 4 * q, rtol=1e-15)
    assert_allclose(scaled_k, -2.5 * k, rtol=1e-15)


@pytest.mark.parametrize("make", [first_token_head, uniform_head])
def test_heads_without_a_circle_may_have_width_one(make):
    q, k = make(4, 1)
    assert q.shape == k.shape == (4, 1)


@pytest.mark.parametrize("make", CIRCLES)
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_keys_lie_on_the_circle(make, n):
    q, k = make(n)
    assert_allclose(np.hypot(*k.T), 3.0, rtol=1e-15)
    assert_allclose(np.hypot(*q.T), 3.0, rtol=1e-15)


@pytest.mark.parametrize(
    ("make", "looks_at"),
    [
        (first_token_head, lambda t: 0),
        (previous_token_head, lambda t: max(t - 1, 0)),
        (self_head, lambda t: t),
    ],
)
def test_each_head_looks_where_its_name_says(make, looks_at):
    weights = attention_weights(*make(12), gain=50)
    assert weights.argmax(axis=-1).tolist() == [looks_at(t) for t in range(12)]


def test_uniform_head_averages_whatever_its_magnitudes():
    weights = attention_weights(*uniform_head(5, 3, 8.0, 8.0))
    assert_array_equal(weights, np.tri(5) / np.arange(1, 6)[:, None])


def test_heads_share_no_memory():
    q, k = self_head(4)
    assert not np.shares_memory(q, k)
