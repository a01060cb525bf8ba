"""Concat, contributions of heads, the filter-bank identity and who listens to whom."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.core import (
    concat_heads,
    filter_bank_bound,
    filter_bank_residual,
    filter_bank_terms,
    head_contributions,
    synthesis_norms,
    weights_from_scores,
)

relaxed = settings(deadline=None)


@st.composite
def outputs_and_projection(draw):
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    heads, positions, d_v, d_model = (draw(st.integers(1, 5)) for _ in range(4))
    # Products of the smallest would underflow, which no bound relative to them can hold.
    elements = st.floats(-1000, 1000, width=32).map(lambda v: v if abs(v) > 1e-6 else 0.0)
    o = draw(hnp.arrays(dtype, (heads, positions, d_v), elements=elements))
    return o, draw(hnp.arrays(dtype, (heads * d_v, d_model), elements=elements))


@pytest.fixture(params=[(1, 4, 3), (2, 6, 2), (8, 32, 8)], ids=str)
def layer(request):
    """Return a random layer: weights, input, value projections, W_O."""
    heads, positions, d_v = request.param
    rng = np.random.default_rng(heads)
    d_model = heads * d_v
    a = weights_from_scores(rng.normal(size=(heads, positions, positions)))
    x = rng.normal(size=(positions, d_model))
    w_v = rng.normal(size=(heads, d_model, d_v))
    return a, x, w_v, rng.normal(size=(d_model, d_model))


def test_concat_puts_heads_side_by_side():
    o = np.arange(12).reshape(2, 3, 2)
    assert_array_equal(concat_heads(o), np.hstack([o[0], o[1]]))
    batch = np.stack([o, -o])
    assert_array_equal(concat_heads(batch), [concat_heads(o), concat_heads(-o)])


def test_concat_of_one_head_is_a_copy():
    o = np.ones((1, 3, 2))
    assert not np.shares_memory(concat_heads(o), o)


def test_contribution_is_output_times_its_synthesis_block():
    rng = np.random.default_rng(1)
    o, w_o = rng.normal(size=(3, 5, 2)), rng.normal(size=(6, 4))
    contributions = head_contributions(o, w_o)
    assert contributions.shape == (3, 5, 4)
    for h in range(3):
        assert_allclose(contributions[h], o[h] @ w_o[2 * h : 2 * h + 2], rtol=1e-14)


def test_terms_are_filters_after_channel_maps(layer):
    a, x, w_v, w_o = layer
    d_v = w_v.shape[-1]
    terms = filter_bank_terms(a, x, w_v, w_o)
    for h in range(len(a)):
        block = w_o[h * d_v : (h + 1) * d_v]
        assert_array_equal(terms[h], a[h] @ (x @ (w_v[h] @ block)))


@relaxed
@given(outputs_and_projection())
def test_contributions_meet_the_identity_within_rounding(case):
    o, w_o = case
    concat = np.hstack(list(o))
    bound = 4 * len(w_o) * np.finfo(o.dtype).eps * (np.abs(concat) @ np.abs(w_o))
    difference = np.abs(concat @ w_o - head_contributions(o, w_o).sum(axis=0))
    assert (difference <= bound).all()
    assert filter_bank_residual(o, w_o) <= bound.max()


def test_terms_meet_the_identity_within_rounding(layer):
    a, x, w_v, w_o = layer
    o = a @ (x @ w_v)
    terms = filter_bank_terms(a, x, w_v, w_o)
    residual = filter_bank_residual(o, w_o, terms)
    assert residual <= filter_bank_bound(x, w_v, w_o)
    assert_allclose(residual, np.abs(np.hstack(list(o)) @ w_o - terms.sum(axis=0)).max())


def test_residual_sees_a_wrong_term():
    rng = np.random.default_rng(2)
    o, w_o = rng.normal(size=(2, 4, 2)), rng.normal(size=(4, 3))
    terms = head_contributions(o, w_o)
    terms[1, 2, 0] += 0.5
    assert_allclose(filter_bank_residual(o, w_o, terms), 0.5, rtol=1e-12)
    assert type(filter_bank_residual(o, w_o)) is float


def test_leading_axes_of_the_filter_bank(layer):
    a, x, w_v, w_o = layer
    batch = np.stack([x, 2 * x, -x])
    weights = np.stack([a, a, a])
    terms = filter_bank_terms(weights, batch, w_v, w_o)
    assert terms.shape == (3, *a.shape[:2], w_o.shape[1])
    for b in range(3):
        assert_allclose(terms[b], filter_bank_terms(a, batch[b], w_v, w_o), rtol=1e-12, atol=1e-12)
    o = weights @ (batch[:, None] @ w_v)
    assert filter_bank_residual(o, w_o, terms) <= filter_bank_bound(batch, w_v, w_o)


def test_no_heads_sum_to_nothing():
    o, w_o = np.zeros((0, 3, 2)), np.zeros((0, 4))
    assert head_contributions(o, w_o).shape == (0, 3, 4)
    assert filter_bank_residual(o, w_o) == 0.0


@relaxed
@given(outputs_and_projection())
def test_synthesis_norms_are_norms_of_block_columns(case):
    o, w_o = case
    heads, _, d_v = o.shape
    norms = synthesis_norms(w_o, heads)
    assert norms.shape == (w_o.shape[1], heads)
    assert norms.dtype == w_o.dtype
    for h in range(heads):
        for j in range(w_o.shape[1]):
            column = w_o[h * d_v : (h + 1) * d_v, j].tolist()
            assert_allclose(norms[j, h], math.hypot(*column), rtol=1e-6)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200, 3e307])
def test_synthesis_norms_of_extreme_cells(size):
    norms = synthesis_norms(np.array([[3.0], [4.0], [0.0], [0.0]]) * size, 2)
    assert_allclose(norms, [[5.0 * size, 0.0]], rtol=1e-3 if size < 1e-300 else 1e-15)
