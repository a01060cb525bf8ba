"""Pooling to the size of a screen, and quantising to the levels of a colour table."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from mhagui.core import pool_extremes, pool_largest_magnitude, pool_maximum, quantise

relaxed = settings(deadline=None)
COUNTS = st.integers(1, 12)
MATRICES = hnp.arrays(
    st.sampled_from([np.float32, np.float64]),
    st.tuples(st.integers(1, 11), st.integers(1, 11)),
    elements=st.one_of(st.just(math.nan), st.floats(-100, 100, width=32)),
)


def blocks(size, count):
    """Return the slices of `count` near-equal blocks, or of single cells when these fit."""
    count = min(size, count)
    edges = [j * size // count for j in range(count + 1)]
    return [slice(*pair) for pair in itertools.pairwise(edges)]


def by_block(a, n_rows, n_columns, reduce_block):
    rows, columns = blocks(a.shape[0], n_rows), blocks(a.shape[1], n_columns)
    return [[reduce_block(a[r, c]) for c in columns] for r in rows]


def largest(block):
    known = block[~np.isnan(block)]
    return known.max() if known.size else math.nan


def smallest(block):
    return -largest(-block)


def largest_magnitude(block):
    known = block[~np.isnan(block)]
    return max(known, key=lambda v: (abs(v), v)) if known.size else math.nan


@relaxed
@given(MATRICES, COUNTS, COUNTS)
def test_pools_reduce_each_block(a, n_rows, n_columns):
    for pool, reduce_block in (
        (pool_maximum, largest),
        (pool_largest_magnitude, largest_magnitude),
    ):
        pooled = pool(a, n_rows, n_columns)
        assert pooled.dtype == a.dtype
        assert_array_equal(pooled, by_block(a, n_rows, n_columns, reduce_block))


@given(st.integers(1, 400), st.integers(1, 400))
def test_blocks_differ_by_at_most_one_cell(size, count):
    # Blocks of 0, 1, 2, ...: the largest of a block is its last, so sizes are differences.
    last = pool_maximum(np.arange(size)[np.newaxis], 1, count)[0]
    sizes = np.diff(np.concatenate([[-1], last]))
    assert sizes.sum() == size
    assert len(sizes) == min(size, count)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("shape", [(4, 4), (2, 4), (4, 1), (0, 4)])
def test_what_fits_is_returned_itself(shape):
    a = np.ones(shape)
    assert pool_maximum(a, 4, 4) is a
    assert pool_largest_magnitude(a, 4, 4) is a


def test_lone_cell_survives():
    a = np.zeros((1024, 1024))
    a[700, 3] = 0.5
    a[3, 700] = -0.75
    assert pool_maximum(a, 100, 90).max() == 0.5
    assert pool_largest_magnitude(a, 100, 90).min() == -0.75


def test_opposite_values_of_one_block_show_the_positive():
    assert pool_largest_magnitude([[-2.0, 2.0, -1.0]], 1, 1).tolist() == [[2.0]]


def test_pools_keep_leading_axes():
    a = np.random.default_rng(1).normal(size=(2, 3, 7, 5))
    for pool in (pool_maximum, pool_largest_magnitude):
        pooled = pool(a, 3, 2)
        assert pooled.shape == (2, 3, 3, 2)
        assert_array_equal(pooled[1, 2], pool(a[1, 2], 3, 2))


@relaxed
@given(MATRICES, COUNTS, COUNTS, st.data())
def test_extremes_of_what_is_seen_of_each_row(a, n_rows, n_columns, data):
    n, m = a.shape
    seen = data.draw(hnp.arrays(np.intp, n, elements=st.integers(0, m)))
    check_extremes(a, n_rows, n_columns, seen, np.zeros_like(seen), data)


def test_rows_that_end_before_they_begin_show_nothing():
    assert np.isnan(pool_maximum(np.ones((2, 3)), 1, 1, seen=np.array([[2, 3], [0, 1]]))).all()


@relaxed
@given(MATRICES, COUNTS, COUNTS, st.data())
def test_extremes_of_what_is_seen_from_a_place_to_another(a, n_rows, n_columns, data):
    n, m = a.shape
    ends = data.draw(hnp.arrays(np.intp, (2, n), elements=st.integers(0, m)))
    check_extremes(a, n_rows, n_columns, ends, ends[0], data)


def check_extremes(a, n_rows, n_columns, seen, begin, data):
    n, m = a.shape
    end = np.atleast_2d(seen)[-1]
    factors = data.draw(hnp.arrays(a.dtype, n, elements=st.floats(-4, 4, width=32)))
    columns = np.arange(m)
    counts = (begin[:, np.newaxis] <= columns) & (columns < end[:, np.newaxis])
    told = np.where(counts, a, np.nan).astype(a.dtype)
    scaled = told * factors[:, np.newaxis]
    wanted = [by_block(scaled, n_rows, n_columns, end) for end in (smallest, largest)]
    pooled = pool_extremes(a, n_rows, n_columns, seen=seen, row_factors=factors)
    assert pooled.dtype == a.dtype
    assert_array_equal(pooled, wanted)
    assert_array_equal(
        pool_maximum(a, n_rows, n_columns, seen=seen), by_block(told, n_rows, n_columns, largest)
    )
    assert_array_equal(
        pool_largest_magnitude(a, n_rows, n_columns, seen=seen),
        by_block(told, n_rows, n_columns, largest_magnitude),
    )


@pytest.mark.parametrize("size", [300, 512, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_half_a_causal_matrix_is_pooled_as_all_of_it(size, dtype):
    a = np.random.default_rng(size).normal(size=(size, size)).astype(dtype)
    a[np.triu_indices(size, 1)] = np.nan
    poisoned = np.where(np.isnan(a), dtype(1e30), a)  # what is masked must not count
    pooled = pool_extremes(poisoned, 100, 90, seen=np.arange(1, size + 1))
    assert_array_equal(pooled[1], pool_maximum(a, 100, 90))
    assert_array_equal(pooled[0], -pool_maximum(-a, 100, 90))


@pytest.mark.parametrize("size", [300, 700])
def test_windows_and_padding_are_pooled_as_they_stand(size):
    a = np.random.default_rng(size).normal(size=(size, size))
    rows = np.arange(size)
    padded = np.stack([np.minimum(40, rows), np.where(rows < 40, 0, rows + 1)])
    for begin, end in (
        (np.maximum(rows - 9, 0), rows + 1),  # a sliding window of 10 keys
        padded,  # 40 positions of padding on the left: rows that see none
        (0 * rows, np.where(rows >= size - 40, 0, size)),  # and on the right, all keys seen
    ):
        seen = (begin[:, np.newaxis] <= rows) & (rows < end[:, np.newaxis])
        told = np.where(seen, a, np.nan)
        poisoned = np.where(seen, a, 1e30)
        pooled = pool_extremes(poisoned, 100, 90, seen=np.stack([begin, end]))
        assert_array_equal(pooled[1], by_block(told, 100, 90, largest))
        assert_array_equal(pooled[0], by_block(told, 100, 90, smallest))
    with pytest.raises(ValueError, match=r"seen must have shape \(300,\) or \(2, 300\)"):
        pool_maximum(np.zeros((300, 300)), 9, 9, seen=np.zeros((3, 300), np.intp))


# ---------------------------------------------------------------------------------------- quantise


def test_linear_levels():
    a = [0.0, 0.5, 1.0, -3.0, 7.0, math.nan, math.inf, -math.inf, 1 / 254, 1.4 / 254]
    assert quantise(a, 0.0, 1.0).tolist() == [0, 127, 254, 0, 254, 255, 254, 0, 1, 1]
    assert quantise([-2, 0, 2], -2, 2).tolist() == [0, 127, 254]


@pytest.mark.parametrize(("value", "level"), [(1.0, 127), (3.0, 254), (math.nan, 255)])
def test_a_single_number_has_a_level(value, level):
    levels = quantise(value, 0.0, 2.0)
    assert (levels.shape, levels.dtype, int(levels)) == ((), np.uint8, level)


def test_logarithmic_levels():
    a = [1e-4, 1e-2, 1.0, 0.0, -1.0, 5.0, math.nan, math.inf]
    levels = quantise(a, 1e-4, 1.0, logarithmic=True)
    assert levels.tolist() == [0, 127, 254, 0, 0, 254, 255, 254]


@pytest.mark.parametrize("logarithmic", [False, True])
def test_empty_range_is_level_zero(logarithmic):
    levels = quantise([0.0, 2.0, 9.0, math.nan], 2.0, 2.0, logarithmic=logarithmic)
    assert levels.tolist() == [0, 0, 0, 255]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("low", "high"), [(-1.7e308, 1.7e308), (0.0, 5e-324), (1e-300, 2e-300), (1e39, 1e40)]
)
def test_extreme_ranges_reach_both_ends(dtype, low, high):
    ends = np.array([low, high])
    with np.errstate(all="raise"):
        assert quantise(ends, low, high).tolist() == [0, 254]
        assert quantise(np.array([-np.inf, np.inf], dtype), low, high).tolist() == [0, 254]


@relaxed
@given(
    hnp.arrays(np.float64, 20, elements=st.floats(-1e3, 1e3)),
    st.booleans(),
)
def test_levels_rise_with_the_value(a, logarithmic):
    levels = quantise(np.sort(a), 1e-3, 10.0, logarithmic=logarithmic)
    assert levels.dtype == np.uint8
    assert levels.max() <= 254
    assert (np.diff(levels.astype(int)) >= 0).all()


def test_levels_are_contiguous_in_rows():
    a = np.asfortranarray(np.random.default_rng(2).random((5, 7)))
    for view in (a, a.T, a[::2, ::-1], np.float32(a)[:, ::3]):
        levels = quantise(view, 0.0, 1.0)
        assert levels.flags.c_contiguous
        assert levels.shape == view.shape
        assert_array_equal(levels, np.rint(view * 254.0))
