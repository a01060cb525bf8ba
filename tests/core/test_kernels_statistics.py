"""Statistics without the weights are those of the weights, and take no memory for them."""

import dataclasses
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mhagui import core
from mhagui.core import kernels, kernels_tiles


@st.composite
def cases(draw):
    """Return (q, k, values, gain, mask, overview) of any small shape."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    heads, n_rows, n_columns = (draw(st.integers(1, n)) for n in (3, 30, 30))
    q = rng.normal(size=(heads, n_rows, 4)).astype(dtype)
    k = rng.normal(size=(1, n_columns, 4)).astype(dtype)
    gain = rng.choice([1.0, 0.0, -3.0, 30.0], size=heads)
    holes = rng.random((n_rows, n_columns)) < draw(st.sampled_from([0.1, 0.6]))
    each = holes & (gain < 2.0)[:, np.newaxis, np.newaxis]
    mask = draw(st.sampled_from(["causal", None, holes, each]))
    values = rng.normal(size=(n_columns, 3)).astype(dtype)
    return q, k, values, gain, mask, draw(st.integers(1, 40))


@settings(max_examples=50, deadline=None)
@given(cases(), st.sampled_from([1, 5, 64]))
def test_statistics_are_those_of_the_weights(case, n_rows):
    q, k, values, gain, mask, overview = case
    weights = core.attention_weights(q, k, gain=gain, mask=mask)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels_tiles, "_ROWS", n_rows)
        found = core.attention_statistics(
            q, k, gain=gain, mask=mask, values=values, overview=overview
        )
    near = {"rtol": 0, "atol": float(9000 * np.finfo(q.dtype).eps)}
    bits, pooled = core.row_entropy_bits(weights), core.pool_maximum(weights, overview, overview)
    np.testing.assert_allclose(found.row_entropy_bits, bits, **near)
    np.testing.assert_array_equal(found.effective_positions, np.exp2(found.row_entropy_bits))
    np.testing.assert_allclose(found.sums, weights @ values, **near)
    np.testing.assert_allclose(found.overview, pooled, **near)
    assert_patterns(found, weights.astype(np.float64), np.isnan(bits), near)
    for array in dataclasses.asdict(found).values():
        assert array.dtype == q.dtype
    rows, columns = slice(1, n_rows + 1), slice(0, 20)
    block = core.weights_block(q, k, found, rows, columns, gain=gain, mask=mask)
    assert block.dtype == q.dtype
    np.testing.assert_allclose(block, weights[:, rows, columns], **near)


def assert_patterns(found, weights, is_empty, near):
    """Compare with the definitions, cell by cell."""
    n_heads, n_rows, n_columns = weights.shape
    for head in range(n_heads):
        previous, first, own = [], [], []
        for t in range(n_rows):
            at, row = t + n_columns - n_rows, weights[head, t]
            if is_empty[head, t]:
                assert np.isnan(found.mean_distances[head, t])
                continue
            distance = sum(weight * (at - i) for i, weight in enumerate(row))
            atol = near["atol"] * n_columns
            assert found.mean_distances[head, t] == pytest.approx(distance, abs=atol)
            previous += [row[at - 1]] if 1 <= at <= n_columns else []
            first += [row[0]] if at >= 1 else []
            own += [row[at]] if 0 <= at < n_columns else []
        for scalar, of_rows in (
            (found.previous_token, previous),
            (found.first_token, first),
            (found.self_token, own),
        ):
            expected = sum(of_rows) / len(of_rows) if of_rows else np.nan
            np.testing.assert_allclose(scalar[head], expected, **near)


def test_heads_with_a_pattern_score_one_on_it():
    for make, score in (
        (core.previous_token_head, "previous_token"),
        (core.first_token_head, "first_token"),
        (core.self_head, "self_token"),
    ):
        q, k = make(8)
        found = core.attention_statistics(q, k, gain=1e4)
        assert getattr(found, score) == pytest.approx(1.0)
    assert found.mean_distances == pytest.approx(np.zeros(8), abs=1e-12)


def test_what_is_not_asked_for_is_not_made():
    found = core.attention_statistics(np.ones((3, 1)), np.ones((3, 1)))
    assert found.overview is None
    assert found.sums is None
    assert found.row_entropy_bits == pytest.approx(np.log2([1, 2, 3]))
    alone = core.attention_statistics(np.ones((1, 1)), np.ones((1, 1)))
    assert np.isnan(alone.previous_token)
    assert np.isnan(alone.first_token)
    assert alone.self_token == 1.0


@pytest.mark.parametrize("gain", [1.0, -1e-30, 0.0, 1e-308])
@pytest.mark.parametrize("mask", ["causal", None])
def test_blocks_of_scores_at_both_ends_of_the_range(gain, mask):
    q, k = np.array([[1.5e308], [-1e308], [1.0]]), np.array([[1.0], [-1.0], [0.5]])
    expected = core.attention_weights(q, k, gain=gain, mask=mask)
    found = core.attention_statistics(q, k, gain=gain, mask=mask)
    block = core.weights_block(q, k, found, slice(0, 3), slice(0, 2), gain=gain, mask=mask)
    np.testing.assert_allclose(block, expected[:, :2], rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.row_entropy_bits, core.row_entropy_bits(expected), atol=1e-15)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"values": np.ones((3, 2))}, r"values must have shape \(..., 4, d_v\) to match k"),
        ({"values": np.ones((2, 4, 2))}, "values must have shape that broadcasts"),
        ({"overview": 0}, "overview must be an integer of at least 1"),
        ({"mask": "none"}, "mask must be"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        core.attention_statistics(np.ones((4, 2)), np.ones((4, 2)), **arguments)


def test_a_block_needs_the_statistics_of_these_rows():
    found = core.attention_statistics(np.ones((3, 1)), np.ones((3, 1)))
    with pytest.raises(ValueError, match=r"q must have shape \(..., 3, d_k\) to match statistics"):
        core.weights_block(np.ones((4, 1)), np.ones((3, 1)), found, slice(0, 1), slice(0, 1))


def peak_of_statistics(n_heads, n):
    """Return the most memory that the statistics of a length take, in bytes."""
    q = np.random.default_rng(n).normal(size=(n_heads, n, 4)).astype(np.float32)
    tracemalloc.start()
    core.attention_statistics(q, q, values=q, overview=64)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_grows_with_the_length_and_not_its_square(monkeypatch):
    # In one thread, for what several need at the same time is chance.
    monkeypatch.setattr(kernels, "_FEW_CELLS", 2**40)
    peaks = {n: peak_of_statistics(1, n) for n in (1024, 2048, 4096)}
    assert peaks[4096] < 4096**2 * 4 / 4  # a quarter of one copy of the weights
    assert peaks[4096] < 2.5 * peaks[2048] < 2.5**2 * peaks[1024]


@pytest.mark.soak
def test_sixteen_thousand_positions_take_a_fraction_of_two_gigabytes():
    assert peak_of_statistics(12, 16_384) < 2**29  # the weights would be 12 GiB
