"""Steps of generation: the rows that each has, put together."""

import json

import numpy as np
import pytest

from mhagui import sources
from mhagui.errors import UserError


def test_steps_of_generation_become_one_triangle(tmp_path, attention, opened, notes):
    whole = attention(2, 9, 9)
    steps = {"step_0": whole[:, :6, :6] / whole[:, :6, :6].sum(-1, keepdims=True)}
    steps |= {f"step_{n}": whole[:, 5 + n : 6 + n, : 6 + n] for n in (1, 2, 3)}
    tokens = np.array([f"t{n}" for n in range(10)])
    np.savez(tmp_path / "a.npz", tokens=tokens, **steps)
    capture = opened(tmp_path / "a.npz")
    assert np.allclose(capture.layers[0].given, whole, atol=1e-6)
    assert np.array_equal(capture.layers[0].allowed, np.tri(9, dtype=bool))
    assert "last token that was generated was never read, and has no row" in notes(capture)
    assert capture.query_tokens == tuple(tokens[:9])
    assert "The last of 10 tokens" in notes(capture)


def test_steps_of_layers_as_nested_lists(tmp_path, attention, opened):
    layers = [attention(1, 2, 5, 5, seed=n) for n in range(3)]
    steps = [[layer[:, :, :4, :4].tolist() for layer in layers]]
    steps += [[layer[:, :, 4:5, :5].tolist() for layer in layers]]
    (tmp_path / "a.json").write_text(json.dumps(steps))
    capture = opened(tmp_path / "a.json")
    assert [layer.number for layer in capture.layers] == [0, 1, 2]
    assert np.array_equal(capture.layer(2).given[:, 4], layers[2][0, :, 4])
    assert capture.layer(1).shape == (5, 5)


def test_a_missing_step_is_named(tmp_path, attention, refused):
    np.savez(
        tmp_path / "a.npz", step_0=attention(2, 6, 6), step_1=attention(2, 1, 7),
        step_3=attention(2, 1, 9),
    )  # fmt: skip
    sentence = refused(tmp_path / "a.npz")
    assert "Step 3" in sentence
    assert "1 × 9" in sentence
    assert "1 × 8" in sentence


def test_rows_of_steps_over_the_same_keys_say_what_to_put_together(attention):
    steps = [[attention(1, 2, 1, 18) for _ in range(3)] for _ in range(4)]  # (step, layer)
    with pytest.raises(UserError, match="put the rows of a layer's steps into one array"):
        sources.found_in_arrays("attentions", {"attentions": steps})
