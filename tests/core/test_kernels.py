"""Tiled weights and entropies against the plain formulas in float64, and the promises beside."""

import math
from contextlib import contextmanager, nullcontext
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mhagui import core
from mhagui.core import kernels, kernels_scores, kernels_tiles

DTYPES = [np.float32, np.float64]


@contextmanager
def blocks_of(n_rows, n_cells):
    """Tiles as for a long sequence, of these sizes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels_tiles, "_ROWS", n_rows)
        for name in ("_CELLS", "_FEW_CELLS"):
            patch.setattr(kernels_tiles, name, n_cells)
        patch.setattr(kernels_scores, "_STRIP", 16)
        patch.setattr(kernels, "_FEW_CELLS", 1)  # threads even for these
        patch.setattr(kernels, "_PLAIN_CELLS", 0)
        patch.setattr(kernels, "_CELLS_IN_PLACE", 400)  # some in place, some not
        yield


def plain(gained, allowed):
    """Return softmax(gained scores) and its row entropies in bits, all of it in float64."""
    gained = np.where(allowed, gained.astype(np.float64), -np.inf)
    top = gained.max(axis=-1, keepdims=True, initial=-np.inf)
    e = np.exp(gained - np.where(np.isinf(top), 0.0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0.0, 1.0, total)
    terms = weights * np.log2(weights, where=weights > 0.0, out=np.zeros_like(weights))
    return weights, np.where(total[..., 0] == 0.0, np.nan, -terms.sum(axis=-1))


def assert_near(found, gained, allowed, dtype):
    weights, bits = plain(gained, allowed)
    seen = np.where(allowed, gained, 0.0)
    eps = np.finfo(dtype).eps * (1.0 + np.max(np.abs(seen), initial=0.0))
    assert found[0].dtype == found[1].dtype == dtype
    assert np.max(np.abs(found[0] - weights), initial=0.0) <= 16 * eps
    np.testing.assert_array_equal(np.isnan(found[1]), np.isnan(bits))
    assert np.nanmax(np.abs(found[1] - bits), initial=0.0) <= 64 * eps
    assert (found[0][~np.broadcast_to(allowed, found[0].shape)] == 0.0).all()
    assert not (found[1] < 0.0).any()


@st.composite
def cases(draw):
    """Return (q, k, gain, mask, allowed, block sizes) of any small shape."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from(DTYPES))
    heads, n_rows, n_columns = (draw(st.integers(1, n)) for n in (3, 40, 40))
    if draw(st.booleans()):
        n_columns = n_rows
    width, size = draw(st.integers(1, 8)), draw(st.sampled_from([0.0, 0.1, 1.0, 10.0]))
    q = (rng.normal(size=(heads, n_rows, width)) * size).astype(dtype)
    k = rng.normal(size=(heads, n_columns, width)).astype(dtype)
    if draw(st.booleans()):
        q = q[:, ::-1, ::-1]  # not contiguous
        k = np.asfortranarray(k)[:1]  # and one head's keys for all
    number = st.sampled_from([1.0, 0.0, -1.0, 0.3, -2.5, 30.0])
    gain = draw(number) if draw(st.booleans()) else np.array([draw(number) for _ in range(heads)])
    allowed = np.tri(n_rows, n_columns, n_columns - n_rows, dtype=bool)
    match draw(st.sampled_from(["causal", "all", "tri", "prefix", "holes", "each", "row"])):
        case "causal":
            mask = "causal"
        case "all":
            mask, allowed = None, np.ones((n_rows, n_columns), bool)
        case "tri":
            mask = allowed
        case "prefix":
            mask = allowed = np.broadcast_to(
                np.arange(n_columns) < draw(st.integers(0, n_columns)), (n_rows, n_columns)
            )
        case "holes":
            mask = allowed = rng.random((n_rows, n_columns)) < draw(
                st.sampled_from([0.05, 0.5, 0.95])
            )
        case "each":
            mask = allowed = rng.random((heads, n_rows, n_columns)) < 0.3
        case "row":
            mask = allowed = np.broadcast_to(rng.random(n_columns) < 0.5, (1, n_columns))
    sizes = draw(st.sampled_from([1, 3, 8, 64])), draw(st.sampled_from([1, 50, 2**17]))
    return q, k, gain, mask, allowed, sizes


def gains_for(gain):
    return np.asarray(gain, dtype=np.float64)[..., np.newaxis, np.newaxis]


@settings(max_examples=100, deadline=None)
@given(cases())
def test_queries_and_keys_give_what_the_plain_formula_gives(case):
    q, k, gain, mask, allowed, sizes = case
    scores = core.attention_scores(q.astype(np.float64), k.astype(np.float64))
    with blocks_of(*sizes):
        found = core.weights_and_entropies(q, k, gain=gain, mask=mask)
    assert_near(found, gains_for(gain) * scores, allowed, q.dtype)


@settings(max_examples=100, deadline=None)
@given(cases())
def test_cached_scores_give_what_the_plain_formula_gives(case):
    q, k, gain, mask, allowed, sizes = case
    scores = core.attention_scores(q, k)
    with blocks_of(*sizes):
        found = core.weights_and_entropies_from_scores(scores, gain=gain, mask=mask)
    assert_near(found, gains_for(gain) * scores, allowed, q.dtype)


@settings(max_examples=40, deadline=None)
@given(cases())
def test_sums_are_those_of_all_products(case):
    q, k, gain, mask, _, sizes = case
    weights = core.attention_weights(q, k, gain=gain, mask=mask)
    with blocks_of(*sizes):
        sums = core.weighted_sums(weights, k, mask=mask)
    exact = weights.astype(np.float64) @ k.astype(np.float64)
    size = np.abs(k).max() * np.finfo(q.dtype).eps
    assert sums.dtype == q.dtype
    assert np.abs(sums - exact).max() <= 8 * size


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 63, 64, 65, 129, 1023, 1025])
def test_any_length_and_the_blocks_that_are_used(n, dtype):
    rng = np.random.default_rng(n)
    q, k = rng.normal(size=(2, 2, n, 16)).astype(dtype)
    scores = core.attention_scores(q.astype(np.float64), k.astype(np.float64))
    allowed = np.tri(n, dtype=bool)
    found = core.weights_and_entropies(q, k)
    assert_near(found, scores, allowed, dtype)
    assert (found[0][:, 0, 0] == 1.0).all()
    assert (found[1][:, 0] == 0.0).all()
    cached = core.weights_and_entropies_from_scores(scores.astype(dtype), gain=-40.0)
    assert_near(cached, -40.0 * scores.astype(dtype), allowed, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1e6, 1e19, 1e30, 3e38])
@pytest.mark.parametrize("gain", [1.0, -1.0, 0.0, 1e-30, 1e30])
def test_scores_out_of_all_measure_give_what_the_careful_way_gives(dtype, size, gain):
    q = np.linspace(-1.0, 1.0, 24, dtype=dtype).reshape(2, 12, 1)
    k = (q * dtype(size)).astype(dtype)
    for mask in ("causal", None, np.arange(12) < 7):
        scores = core.attention_scores(q, k)
        expected = core.weights_from_scores(scores, gain=gain, mask=mask)
        for weights, bits in (
            core.weights_and_entropies(q, k, gain=gain, mask=mask),
            core.weights_and_entropies_from_scores(scores, gain=gain, mask=mask),
        ):
            limit = 64 * np.finfo(dtype).eps * (1.0 + min(abs(gain) * size, 1e30))
            np.testing.assert_allclose(weights, expected, rtol=0, atol=limit)
            np.testing.assert_allclose(bits, core.row_entropy_bits(expected), rtol=0, atol=limit)
            np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("q", "k", "gain"),
    [
        ([[3e38], [-3e38]], [[1.0], [-1.0]], 1.0),  # further apart than float32 can say
        ([[1e-38], [2e-38]], [[1e38], [0.0]], 1e-7),  # the gain alone would underflow q
        ([[1e38], [0.0]], [[1e-38], [2e-38]], 1e-7),  # or k
        ([[3e38] * 1024], [[0.0] * 1024, [1e-38] * 1024], 6e-8),  # to nothing, a thousand times
        ([[1e-30], [2e-30]], [[1.0], [0.0]], 1e45),  # a gain beyond float32
        ([[1e20], [1.0]], [[1e20], [1.0]], 1e-40),  # scores beyond float32 are refused below
    ],
)
def test_both_ends_of_float32(q, k, gain):
    q, k = np.array(q, np.float32), np.array(k, np.float32)
    wide = q.astype(np.float64) @ k.astype(np.float64).T
    for around in (nullcontext(), blocks_of(1, 1)):
        with around:
            assert_right_or_refused(q, k, gain, wide)


def assert_right_or_refused(q, k, gain, wide):
    """Compare with the scores in float64, or expect the overflow to be named."""
    if np.abs(wide).max() > np.finfo(np.float32).max:
        with pytest.raises(ValueError, match="q and k must be smaller: a score overflows float32"):
            core.weights_and_entropies(q, k, gain=gain, mask=None, scale=1.0)
        return
    weights, bits = plain(wide * gain, True)
    found = core.weights_and_entropies(q, k, gain=gain, mask=None, scale=1.0)
    np.testing.assert_allclose(found[0], weights, atol=2e-6)
    np.testing.assert_allclose(found[1], bits, atol=8e-6)


def test_a_row_of_the_lowest_scores_is_not_taken_for_a_masked_one():
    scores = np.full((3, 3), np.finfo(np.float32).min, np.float32)
    weights, bits = core.weights_and_entropies_from_scores(scores)
    np.testing.assert_array_equal(weights, core.weights_from_scores(scores))
    np.testing.assert_allclose(bits, np.log2([1.0, 2.0, 3.0]), rtol=1e-6)


def test_a_row_with_no_allowed_key_has_no_weight_and_no_entropy():
    allowed = np.array([[False] * 3, [True, False, True]])
    for gain in (1.0, -2.0, 0.0):
        weights, bits = core.weights_and_entropies(
            np.ones((2, 2)), np.ones((3, 2)), gain=gain, mask=allowed
        )
        np.testing.assert_array_equal(weights, [[0, 0, 0], [0.5, 0, 0.5]])
        np.testing.assert_array_equal(bits, [math.nan, 1.0])
    weights, bits = core.weights_and_entropies(np.ones((3, 1)), np.ones((1, 1)))  # T_k < T_q
    np.testing.assert_array_equal(weights, [[0], [0], [1]])
    np.testing.assert_array_equal(bits, [math.nan, math.nan, 0.0])


def test_what_the_mask_forbids_may_be_anything():
    scores = np.array([[0.0, np.nan, np.inf], [1.0, 1.0, -np.inf], [2.0, 2.0, 2.0]])
    expected = [[1, 0, 0], [0.5, 0.5, 0], [1 / 3] * 3]
    for mask in ("causal", np.tri(3, dtype=bool)):
        weights, bits = core.weights_and_entropies_from_scores(scores, mask=mask)
        np.testing.assert_allclose(weights, expected, rtol=1e-15)
        np.testing.assert_allclose(bits, np.log2([1, 2, 3]), rtol=1e-15)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("gain", [1.0, 0.0, -1.0])
def test_an_allowed_score_that_is_not_finite_is_refused_by_its_place(value, gain):
    scores = np.zeros((2, 300, 300))
    scores[1, 200, 7] = value
    with pytest.raises(ValueError, match=rf"must be finite, got {value} at index \(1, 200, 7\)"):
        core.weights_and_entropies_from_scores(scores, gain=gain)


def test_the_other_heads_change_no_bit():
    rng = np.random.default_rng(5)
    for n in (5, 200, 600, 1030):
        q, k = rng.normal(size=(2, 3, n, 8))
        q[1] *= 10.0 ** rng.choice([1, 30, 160])  # what one head needs the others need not
        together = core.weights_and_entropies(q, k)
        for head in range(3):
            alone = core.weights_and_entropies(q[head], k[head])
            np.testing.assert_array_equal(alone[0], together[0][head])
            np.testing.assert_array_equal(alone[1], together[1][head])


def test_buffers_of_the_caller_are_filled_and_returned():
    rng = np.random.default_rng(6)
    q, k = rng.normal(size=(2, 3, 150, 8))
    for mask in ("causal", np.arange(150) < 40, None):
        fresh = core.weights_and_entropies(q, k, mask=mask)
        out = np.full_like(fresh[0], 7.0), np.full_like(fresh[1], 7.0)
        given_back = core.weights_and_entropies(q, k, mask=mask, out=out)
        for one, other, wanted in zip(out, given_back, fresh, strict=True):
            assert one is other
            np.testing.assert_array_equal(one, wanted)


@pytest.mark.parametrize(
    ("weights", "bits", "words"),
    [
        (np.zeros((4, 4)), np.zeros(3), r"out's bits must have shape \(4,\), got shape \(3,\)"),
        (np.zeros((1, 4, 4)), np.zeros(4), r"out's weights must have shape \(4, 4\)"),
        (np.zeros((4, 4), np.float32), np.zeros(4), "out's weights .* got dtype float32"),
        (np.zeros((4, 4)).T[::-1], np.zeros(4), "C-contiguous"),
        (np.broadcast_to(np.zeros(4), (4, 4)), np.zeros(4), "out's weights must be writeable"),
        (np.zeros((4, 4)), None, "out must be two arrays, weights and bits, got .*None"),
    ],
)
def test_buffers_that_do_not_fit_are_refused(weights, bits, words):
    with pytest.raises(ValueError, match=words):
        core.weights_and_entropies(np.ones((4, 2)), np.ones((4, 2)), out=(weights, bits))


@pytest.mark.parametrize("n", [8, 80])
def test_buffers_that_lie_in_what_is_read_or_in_one_another_are_refused(n):
    q, k, weights, bits = np.ones((n, n)), np.ones((n, n)), np.zeros((n, n)), np.zeros(n)
    for out, words in (
        ((q, bits), "out's weights must not share memory with q"),
        ((k, bits), "out's weights must not share memory with k"),
        ((weights, k[0]), "out's bits must not share memory with k"),
        ((weights, weights[0]), "out's weights must not share memory with out's bits"),
    ):
        with pytest.raises(ValueError, match=words):
            core.weights_and_entropies(q, k, mask=None, out=out)
    with pytest.raises(ValueError, match="out's weights must not share memory with scores"):
        core.weights_and_entropies_from_scores(q, out=(q, bits))
    assert (q == 1.0).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"mask": "casual"}, 'mask must be "causal", None or a boolean array'),
        ({"mask": np.ones((4, 4))}, "mask must be boolean"),
        ({"mask": np.ones((2, 4, 4), bool)}, "mask must have shape that broadcasts"),
        ({"gain": math.inf}, "gain must be a finite number"),
        ({"gain": np.ones(2)}, "gain must have shape that broadcasts"),
        ({"scale": math.nan}, "scale must be a finite number"),
        ({"k": np.ones((4, 3))}, r"k must have shape \(..., T_k, 2\)"),
    ],
)
def test_what_does_not_fit_is_refused_as_ever(arguments, words):
    arguments = {"q": np.ones((4, 2)), "k": np.ones((4, 2))} | arguments
    for function in (core.weights_and_entropies, core.attention_weights):
        with pytest.raises(ValueError, match=words):
            function(**arguments)


@pytest.mark.parametrize("n", [4, 80])
def test_sums_refuse_a_mask_that_does_not_fit(n):
    weights, values = np.ones((1, n, n)), np.ones((2, n, n))
    for mask, words in (
        ("full", 'mask must be "causal", None or a boolean array'),
        (np.ones((n + 1, n), bool), rf"mask must have shape that broadcasts to .*\(2, {n}, {n}\)"),
        (np.ones((n, n)), "mask must be boolean"),
    ):
        with pytest.raises(ValueError, match=words):
            core.weighted_sums(weights, values, mask=mask)
    core.weighted_sums(weights, values, mask=np.ones((2, n, n), bool))


def test_sums_refuse_values_that_do_not_fit():
    with pytest.raises(ValueError, match=r"values must have shape \(..., 4, d_v\)"):
        core.weighted_sums(np.ones((4, 4)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="weights and values must have leading axes"):
        core.weighted_sums(np.ones((2, 4, 4)), np.ones((3, 4, 2)))


def test_only_what_is_allowed_is_worked_out():
    """A causal matrix costs about half the cells of a full one, a narrow mask its span."""
    causal = kernels_tiles.tiles_of("causal", (4,), 2048, 2048)
    assert 0.5 <= cells(causal) / (4 * 2048**2) <= 0.54
    narrow = np.zeros((2048, 2048), bool)
    narrow[:, 100:164] = True
    assert cells(kernels_tiles.tiles_of(narrow, (4,), 2048, 2048)) == 4 * 2048 * 64


def cells(tiles):
    return sum(math.prod(tile.shape) for tile in tiles)


class Ended(Exception):  # noqa: N818 - nothing is wrong
    """What a check raises."""


def all_with_checks(q, k, check):
    """Yield a call of each kernel that a check may end, which works through tiles."""
    scores = core.attention_scores(q, k)
    weights = core.attention_weights(q, k)
    yield lambda: core.weights_and_entropies(q, k, check=check)
    yield lambda: core.weights_and_entropies_from_scores(scores, check=check)
    yield lambda: core.weighted_sums(weights, k, check=check)
    yield lambda: core.attention_statistics(q, k, check=check)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("which", range(4))
def test_a_check_is_called_before_each_tile_and_ends_the_work(which, n_threads, monkeypatch):
    monkeypatch.setattr(kernels, "_FEW_CELLS", 1 if n_threads > 1 else 2**40)
    q, k = np.random.default_rng(1).normal(size=(2, 2, 512, 8))
    calls = []

    def check():
        calls.append(None)
        if len(calls) >= last:
            raise Ended

    last = 10**6
    call = list(all_with_checks(q, k, check))[which]
    call()
    assert len(calls) == len(kernels_tiles.tiles_of("causal", (2,), 512, 512)) > 6
    calls.clear()
    last = 3
    with pytest.raises(Ended):
        call()
    assert 3 <= len(calls) < 3 + n_threads


def test_long_rows_are_not_copied_by_way_of_a_buffer_and_short_ones_are(monkeypatch):
    monkeypatch.setattr(kernels, "_FEW_CELLS", 1)  # in more than one thread
    usual, found = np.getbufsize(), {}
    for length in (128, 1024):
        q, k = np.random.default_rng(1).normal(size=(2, length, 8))
        found[length] = sizes = set()
        for kernel in (core.weights_and_entropies, core.attention_statistics):
            kernel(q, k, check=partial(noted_size, sizes))
    assert found[128] == {usual}
    assert max(found[1024]) < 1024
    assert np.getbufsize() == usual


def noted_size(sizes):
    sizes.add(np.getbufsize())
