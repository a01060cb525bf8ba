"""Padding that weights show is masked, and never guessed."""

import numpy as np
import pytest

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
