"""Padding that weights show is masked, and never guessed."""

from dataclasses import replace

import numpy as np
import pytest

from mhagui import sources
from mhagui.document.captured_scene import scene_of
from mhagui.document.compute import compute
from mhagui.document.mask_rule import MaskKind, MaskRule


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("of_padding", ["zero", "weights", "nan"])
@pytest.mark.parametrize("at_start", [False, True])
def test_padding_is_masked(tmp_path, attention, causal, of_padding, at_start, opened, saved, notes):
    tokens = slice(3, 10) if at_start else slice(7)
    weights = np.zeros((2, 10, 10), np.float32)
    if of_padding == "weights" and not (causal and at_start):  # or no row looks causal
        weights[:, :, tokens] = attention(2, 10, 7, causal=False)
        if causal:
            weights[:, 6:, tokens] = attention(2, 4, 7)[:, -1:]
    elif of_padding == "nan":
        weights[:] = np.nan
        weights[:, tokens] = 0
    weights[:, tokens, tokens] = attention(2, 7, 7, causal=causal)
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    end = "first" if at_start else "last"
    told = f"The {end} 3 keys have no weight in any head or row: taken as padding."
    assert told in notes(capture)
    kind = MaskKind.CAUSAL if causal else MaskKind.FULL
    rule = MaskRule(kind, left=3 * at_start, right=3 * (not at_start))
    assert np.array_equal(capture.layers[0].allowed, rule.allowed(10))
    assert capture.layers[0].shape == (10, 10)
    scene = scene_of(capture, 0)
    assert scene.mask == rule
    result = compute(scene)
    assert np.array_equal(result.heads[1].weights[tokens], weights[1, tokens])
    assert not np.delete(result.heads[1].weights, tokens, axis=0).any()
    assert np.isnan(np.delete(result.heads[1].row_entropy_bits, tokens)).all()


@pytest.mark.parametrize("ends", [(0, 3), (2, 0), (1, 2)])
def test_padded_keys_of_another_sequence_are_masked(
    tmp_path, attention, opened, saved, notes, ends
):
    left, right = ends
    weights = np.zeros((2, 8, 10), np.float32)
    weights[:, :, left : 10 - right] = attention(2, 8, 10 - left - right, causal=False)
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert "no weight in any head or row: taken as padding." in notes(capture)
    rule = MaskRule(MaskKind.FULL, 0, *ends, across=True)
    assert np.array_equal(capture.layers[0].allowed, rule.allowed(8, 10))
    scene = scene_of(capture, 0)
    assert scene.mask == rule
    assert np.array_equal(compute(scene).n_allowed, [10 - left - right] * 8)


def test_keys_that_only_some_queries_look_at_are_none_of_padding(
    tmp_path, attention, opened, saved
):
    weights = np.zeros((2, 8, 10), np.float32)
    weights[:, :, :7] = attention(2, 8, 7, causal=False)
    weights[:, 2, 3] = 0
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert capture.layers[0].allowed is None


def test_padding_is_never_guessed_of_one_head_or_of_hard_ones(
    tmp_path, attention, opened, saved, notes
):
    weights = np.zeros((1, 10, 10), np.float32)
    weights[:, :, :7] = attention(1, 10, 7, causal=False)
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert "The last 3 keys have no weight from any query, as padding; they stay" in notes(capture)
    assert capture.layers[0].allowed is None
    first = np.eye(10, dtype=np.float32)[np.zeros(10, int)]
    previous = np.eye(10, dtype=np.float32)[[0, *range(9)]]
    path = saved(tmp_path / "b.npy", np.stack([first, previous]))
    capture = opened(path, axes="head,query,key")
    assert np.array_equal(capture.layers[0].allowed, np.tri(10, dtype=bool))


def test_a_head_with_weight_on_the_last_keys_shows_that_they_are_none_of_padding(
    tmp_path, attention, opened, saved, notes
):
    weights = attention(2, 10, 10, causal=False)
    weights[0, :, 7:] = 0
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert capture.layers[0].allowed is None
    assert "padding" not in notes(capture)


def left_padded(attention, n_padding=3, n=10):
    """Return weights whose first rows have nothing but masked scores: softmax makes them equal."""
    weights = np.zeros((2, n, n), np.float32)
    weights[:, n_padding:, n_padding:] = attention(2, n - n_padding, n - n_padding)
    weights[:, :n_padding] = 1 / n
    return weights


def test_rows_of_padding_at_the_start_may_look_ahead(tmp_path, attention, opened, saved, notes):
    weights = left_padded(attention)
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    told = notes(capture)
    assert (
        "The first 3 keys have weight from their own rows alone, which look ahead as no others "
        "do: taken as padding." in told
    )
    assert "No query has weight on keys after its own position: causal." in told
    rule = MaskRule(MaskKind.CAUSAL, left=3)
    assert np.array_equal(capture.layers[0].allowed, rule.allowed(10))
    scene = scene_of(capture, 0)
    assert scene.mask == rule
    np.testing.assert_array_equal(compute(scene).heads[0].weights[3:], weights[0, 3:])


def test_what_is_wrong_in_other_rows_is_said_by_their_own_numbers(
    tmp_path, attention, opened, saved, notes
):
    weights = left_padded(attention)
    weights[1, 7] *= 0.5
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert "1 of 14 rows do not sum to 1" in notes(capture)
    assert "in layer 0, head 1, query 7" in notes(capture)


@pytest.mark.parametrize("spoil", ["a row", "one head", "said", "seen", "turned", "packed"])
def test_where_that_is_not_sure_nothing_is_masked(tmp_path, attention, opened, saved, spoil):
    weights = left_padded(attention)
    if spoil == "a row":
        weights[0, 5, 8] = 0.1  # looks ahead, and is none of padding
    elif spoil == "one head":
        weights = weights[:1]
    elif spoil == "turned":  # keys and queries exchanged: the last row sees one key
        weights = attention(2, 10, 10).transpose(0, 2, 1)
    elif spoil == "packed":  # two texts, of which neither sees the other
        weights[:, :3] = 0
        weights[:, :3, :3] = attention(2, 3, 3)
    elif spoil == "seen":
        weights[0, 6, 1] = 0.1
    causal = {"causal": False} if spoil == "said" else {}
    found = sources.inspect(saved(tmp_path / "a.npy", weights))
    reading = found.readings[0].with_axes("weights", ("head", "query", "key"))
    layer = sources.read(found, replace(reading, **causal)).layers[0]
    assert layer.allowed is None or np.array_equal(layer.allowed, np.tri(10, dtype=bool))
