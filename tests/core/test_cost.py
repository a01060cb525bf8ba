"""Counts of parameters and operations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.core import (
    ParameterCount,
    overtaking_length,
    parameter_count,
    score_flops,
    stage_costs,
)

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


@given(WIDTHS, WIDTHS, WIDTHS, WIDTHS, WIDTHS)
def test_stages_cost_what_their_matrix_products_cost(n_positions, d_model, heads, d_k, d_v):
    def product(rows, inner, columns):
        return rows * inner * columns

    t, costs = n_positions, stage_costs(n_positions, d_model, heads, d_k, d_v)
    assert costs.projections == heads * (2 * product(t, d_model, d_k) + product(t, d_model, d_v))
    assert costs.scores == heads * product(t, d_k, t)
    assert costs.weighted_sums == heads * product(t, t, d_v)
    assert costs.output_projection == product(t, heads * d_v, d_model)
    assert costs.exponentials == costs.weights == heads * t * t
    assert costs.cache == heads * (t * d_k + t * d_v)


@given(st.integers(1, 10**6), WIDTHS, WIDTHS, WIDTHS, WIDTHS)
def test_sums_of_the_stages(n_positions, d_model, heads, d_k, d_v):
    costs = stage_costs(n_positions, d_model, heads, d_k, d_v)
    assert costs.linear == costs.projections + costs.output_projection
    assert costs.quadratic == costs.scores + costs.weighted_sums
    assert costs.multiply_adds == costs.linear + costs.quadratic
    assert 2 * costs.scores == score_flops(n_positions, heads, d_k)
    assert costs.linear == n_positions * parameter_count(d_model, heads, d_k, d_v).total


@pytest.mark.parametrize("heads", [1, 2, 8, 64, 512])
def test_the_lessons_score_flops_stay_whatever_the_heads(heads, expected):
    lesson = expected["score_flops"]
    costs = stage_costs(lesson["T"], lesson["d_model"], heads)
    assert 2 * costs.scores == 2 * costs.weighted_sums == lesson["wide"] == lesson["narrow"]
    assert costs.exponentials == heads * 2**20  # these do grow with H


def test_exercises_2_and_5(expected):
    two, five = expected["exercises"]["2"], expected["exercises"]["5"]
    counts = [parameter_count(two["d_model"], heads) for heads in two["H"]]
    assert [count.total for count in counts] == two["parameters"]
    kept = [
        parameter_count(five["d_model"], heads, five["d_k"], five["d_k"]) for heads in five["H"]
    ]
    assert [count.total for count in kept] == five["parameters"]


@given(WIDTHS, WIDTHS, WIDTHS, WIDTHS)
def test_the_quadratic_part_overtakes_at_twice_the_width(d_model, heads, d_k, d_v):
    at = overtaking_length(d_model)
    before, there, beyond = (
        stage_costs(t, d_model, heads, d_k, d_v) for t in (max(at - 1, 1), at, at + 1)
    )
    assert before.quadratic < before.linear
    assert there.quadratic == there.linear
    assert beyond.quadratic > beyond.linear
    assert at == 2 * d_model


@given(WIDTHS, WIDTHS, WIDTHS)
def test_without_the_masked_cells_it_overtakes_about_twice_as_late(d_model, d_k, d_v):
    at = overtaking_length(d_model, masked_cells=False)
    allowed = sum(range(1, at + 1))
    assert allowed * (d_k + d_v) == at * d_model * (d_k + d_k + d_v + d_v)


def test_the_largest_sizes_are_exact_too():
    n = 2**20
    costs = stage_costs(n, 2**16, 2**10, 2**16, 2**16)
    assert costs.multiply_adds == 2 * 2**40 * 2**26 + 4 * 2**20 * 2**16 * 2**26
    assert type(costs.scores) is int


def test_widths_left_out_must_come_out_even():
    with pytest.raises(ValueError, match="d_model must be divisible by n_heads"):
        stage_costs(6, 10, 4)


@pytest.mark.parametrize("name", ["n_positions", "d_model", "n_heads", "d_k", "d_v"])
def test_stage_costs_refuse_what_is_no_count(name):
    sizes = {"n_positions": 6, "d_model": 8, "n_heads": 4, "d_k": 2, "d_v": 2, name: 0}
    with pytest.raises(ValueError, match=f"{name} must be an integer of at least 1"):
        stage_costs(**sizes)


def test_an_overtaking_length_needs_a_width():
    with pytest.raises(ValueError, match="d_model must be an integer of at least 1"):
        overtaking_length(0)
