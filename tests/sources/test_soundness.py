"""What the numbers show is said with its place, and left as it is: sums, masks, NaN, signs."""

from dataclasses import replace

import numpy as np
import pytest

from mhagui import sources


def test_float16_is_read_and_its_rounding_allowed_for(tmp_path, attention, opened, saved, notes):
    weights = attention(40, 40, dtype=np.float16)
    capture = opened(saved(tmp_path / "a.npy", weights))
    assert np.array_equal(capture.layers[0].given[0], weights.astype(np.float32))
    assert "All 40 rows sum to 1" in notes(capture)


def test_attention_that_should_be_causal_and_is_not_is_said_with_its_mass(
    tmp_path, opened, saved, notes
):
    weights = np.array([[0.75, 0.25], [0.5, 0.5]])
    capture = opened(saved(tmp_path / "a.npy", weights))
    assert "up to 0.25 (in layer 0, head 0, query 0)" in notes(capture)
    assert capture.layers[0].allowed is None
    found = sources.inspect(tmp_path / "a.npy")
    said = sources.evidence(found, replace(found.readings[0], causal=True))
    (above,) = said.about("above")
    assert (above.verdict, above.number) == ("fault", 0.25)


def test_zeros_above_the_diagonal_make_it_causal(tmp_path, attention, opened, saved):
    layer = opened(saved(tmp_path / "a.npy", attention(4, 4))).layers[0]
    assert np.array_equal(layer.allowed, np.tri(4, dtype=bool))


def test_rows_of_no_allowed_key_are_counted_and_left_out_of_the_sums(
    tmp_path, attention, opened, saved, notes
):
    weights = attention(3, 6, 6)
    weights[1, :2] = 0
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert "Rows that are all zero, as where no key is allowed: 2" in notes(capture)
    assert "layer 0, head 1: 2" in notes(capture)
    assert "All 16 rows sum to 1" in notes(capture)
    assert np.array_equal(capture.layers[0].given, weights)


def test_nan_is_counted_by_head_and_never_made_zero(tmp_path, attention, opened, saved, notes):
    weights = attention(2, 3, 4, 4)
    weights[1, 2, 0] = np.nan
    weights[0, 1, 3, 0] = np.inf
    path = saved(tmp_path / "a.npy", weights)
    capture = opened(path, axes="layer,head,query,key")
    assert "Weights that are NaN or infinite: 5" in notes(capture)
    assert "layer 1, head 2: 4" in notes(capture)
    assert "layer 0, head 1: 1" in notes(capture)
    assert np.array_equal(capture.layer(1).given, weights[1], equal_nan=True)


def test_a_head_that_is_wholly_nan_is_counted(tmp_path, attention, opened, saved, notes):
    weights = attention(3, 4, 4)
    weights[1] = np.nan
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert "layer 0, head 1: 16" in notes(capture)
    assert "All 8 rows sum to 1" in notes(capture)


def test_scores_given_as_weights_are_seen(tmp_path, opened, saved, notes):
    scores = np.random.default_rng(3).normal(size=(5, 5)).astype(np.float32)
    path = saved(tmp_path / "a.npy", scores)
    capture = opened(path)
    assert f"Negative weights: {(scores < 0).sum()}" in notes(capture)
    assert np.array_equal(capture.layers[0].given[0], scores)
    found = sources.inspect(path)
    assert sources.evidence(found, found.readings[0]).verdict == "fault"


def test_rows_that_sum_to_something_else_are_left_and_named(
    tmp_path, attention, opened, saved, notes
):
    weights = attention(2, 5, 5)
    weights[1, 3] *= 1.5
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert "1 of 10 rows do not sum to 1" in notes(capture)
    assert "1.5, in layer 0, head 1, query 3" in notes(capture)
    assert np.array_equal(capture.layers[0].given, weights)


def test_rows_that_a_sink_takes_from_are_no_fault_and_stay(
    tmp_path, attention, opened, saved, notes
):
    weights = attention(2, 5, 5) * np.float32(0.75)
    path = saved(tmp_path / "a.npy", weights)
    capture = opened(path, axes="head,query,key")
    assert "none sums to more, as where a sink takes the rest" in notes(capture)
    assert np.array_equal(capture.layers[0].given, weights)


def test_what_is_in_the_file_and_not_read_is_named(tmp_path, attention, opened, notes):
    mask = np.ones((1, 6), np.int64)
    np.savez(tmp_path / "a.npz", attention=attention(1, 2, 6, 6), attention_mask=mask)
    assert "not read: attention_mask (1 × 6)" in notes(opened(tmp_path / "a.npz"))


def test_nan_alone_says_nothing_of_a_mask(tmp_path, opened, saved, notes):
    capture = opened(saved(tmp_path / "a.npy", np.full((1, 2, 5, 5), np.nan, np.float32)))
    assert capture.layers[0].allowed is None
    assert "causal" not in notes(capture)


@pytest.mark.parametrize("shape", [(1, 2, 9, 4), (1, 2, 4, 9)])
def test_keys_of_another_sequence_are_no_missing_mask(
    tmp_path, attention, shape, opened, saved, notes
):
    capture = opened(saved(tmp_path / "a.npy", attention(*shape, causal=False)))
    assert "mask was not applied" not in notes(capture)
    assert "as where keys are of another sequence" in notes(capture)


def test_how_many_rows_look_ahead_is_said(tmp_path, attention, opened, saved, notes):
    weights = attention(1, 1, 6, 6)
    weights[0, 0, 1] = weights[0, 0, 4] = 1 / 6  # as rows of padding under a mask of -1e9
    said = "in 2 of 6 rows, up to 0.666667 (in layer 0, head 0, query 1)"
    assert said in notes(opened(saved(tmp_path / "a.npy", weights)))
