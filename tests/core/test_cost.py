"""Counts of parameters and operations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.core import ParameterCount, parameter_count, score_flops

WIDTHS = st.integers(1, 64)


@given(heads=WIDTHS, width=WIDTHS)
def test_default_widths_give_four_squares(heads, width):
    d_model = heads * width
    square = d_model**2
    assert parameter_count(d_model, heads) == (square, square, square, square, 4 * square)


@given(heads=WIDTHS, width=WIDTHS)
def test_biases_of_the_standard_block_are_four_widths(heads, width):
    d_model = heads * width
    plain, biased = parameter_count(d_model, heads), parameter_count(d_model, heads, bias=True)
    assert biased.total - plain.total == 4 * d_model


@given(st.integers(1, 6), st.integers(1, 6), WIDTHS, WIDTHS, WIDTHS, st.booleans())
def test_count_is_the_number_of_cells(shared, group, d_model, d_k, d_v, bias):
    heads = shared * group
    rows = d_model + bias
    q, k, v = rows * heads * d_k, rows * shared * d_k, rows * shared * d_v
    o = (heads * d_v + bias) * d_model
    count = parameter_count(d_model, heads, d_k, d_v, n_kv_heads=shared, bias=bias)
    assert count == ParameterCount(q=q, k=k, v=v, o=o, total=q + k + v + o)


def test_grouped_heads_share_keys_and_values():
    # 64 query heads of width 128 on 8 key-value heads: keys and values shrink eightfold.
    full, grouped = parameter_count(8192, 64), parameter_count(8192, 64, n_kv_heads=8)
    assert (grouped.q, grouped.o) == (full.q, full.o)
    assert (8 * grouped.k, 8 * grouped.v) == (full.k, full.v)


def test_lesson_8_counts():
    count = parameter_count(96, 1, 256, 256)
    assert count.q + count.k + count.v == 73_728
    assert count.total == 98_304


@given(st.integers(1, 10**6), WIDTHS, WIDTHS)
def test_flops_are_exact_integers(n_positions, heads, d_k):
    flops = score_flops(n_positions, heads, d_k)
    assert type(flops) is int
    assert flops == 2 * n_positions * n_positions * heads * d_k


def test_narrow_heads_cost_what_one_wide_head_costs():
    assert {score_flops(100, h, 240 // h) for h in (1, 2, 3, 4, 5, 6, 8)} == {4_800_000}


@pytest.mark.parametrize("integer", ["int8", "uint64", "int32"])
def test_numpy_integers_do_not_overflow(integer):
    import numpy as np

    n = np.dtype(integer).type(100)
    assert score_flops(n, n, n) == 200_000_000
    assert type(parameter_count(n, n).total) is int
    assert parameter_count(n, n).total == 40_000
