"""Files that hold no attention, or not in a way that is read: one clear sentence."""

import json
import os
import pickle

import numpy as np
import pytest


def test_a_list_of_no_layers(tmp_path, refused):
    (tmp_path / "a.json").write_text("[]")
    assert "empty" in refused(tmp_path / "a.json")


@pytest.mark.parametrize("missing", [None, 0.5, [], "none"])
def test_a_layer_that_is_no_array_is_named(tmp_path, attention, missing, refused):
    layers = [attention(2, 3, 3).tolist() for _ in range(4)]
    layers[2] = missing
    (tmp_path / "a.json").write_text(json.dumps({"attentions": layers}))
    sentence = refused(tmp_path / "a.json")
    assert "attentions[2]" in sentence
    assert "layer 2" in sentence


def test_a_scalar_among_arrays_is_named(tmp_path, attention, refused):
    np.savez(tmp_path / "a.npz", attn_0=attention(2, 3, 3), attn_1=np.float32(0.5))
    sentence = refused(tmp_path / "a.npz")
    assert "attn_1 (layer 1)" in sentence
    assert "a single number" in sentence


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_are_refused_with_the_reason(tmp_path, dtype, refused, saved):
    sentence = refused(saved(tmp_path / "a.npy", np.eye(2, dtype=dtype)))
    assert "complex numbers, which are no weights" in sentence


def test_an_empty_tuple_of_attentions_says_what_there_is(tmp_path, refused):
    (tmp_path / "a.json").write_text('{"logits": 3, "loss": 0.5}')
    assert "logits" in refused(tmp_path / "a.json")


def test_object_arrays_are_refused_by_their_header(tmp_path, refused):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "executed"), "w"))

    np.save(tmp_path / "a.npy", np.array([Trap()], dtype=object), allow_pickle=True)
    assert "Python objects" in refused(tmp_path / "a.npy")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("name", ["a.pkl", "a.npy", "a.json", "a.safetensors"])
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickles_are_refused_whatever_they_are_called(tmp_path, name, protocol, refused):
    (tmp_path / name).write_bytes(pickle.dumps(np.eye(2), protocol))
    assert "pickle" in refused(tmp_path / name)


def test_names_that_match_nothing_are_listed(tmp_path, refused):
    np.savez(tmp_path / "a.npz", foo=np.eye(2), bar=np.ones((3, 4)))
    sentence = refused(tmp_path / "a.npz")
    assert "foo (2 × 2 float64)" in sentence
    assert "bar (3 × 4 float64)" in sentence


def test_rows_of_different_lengths_are_named_by_their_path(tmp_path, refused):
    ragged = [[[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.25, 0.25]]]
    (tmp_path / "a.json").write_text(json.dumps({"attn": ragged}))
    sentence = refused(tmp_path / "a.json")
    assert "attn[1][1] has 3 numbers, but attn[1][0] has 2" in sentence


@pytest.mark.parametrize("what", ["folder", "missing", "empty", "text", "gguf"])
def test_what_is_no_file_of_these(tmp_path, what, refused):
    path = tmp_path / "a.npy"
    if what == "folder":
        path.mkdir()
    elif what != "missing":
        path.write_bytes({"empty": b"", "text": b"hello, world", "gguf": b"GGUF\3\0\0\0"}[what])
    expected = {
        "folder": "is a folder", "missing": "no such file", "empty": "is empty",
        "text": "no file that is known", "gguf": "open it as a model",
    }  # fmt: skip
    assert expected[what] in refused(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path, refused):
    os.mkfifo(tmp_path / "a.npy")
    assert "no plain file" in refused(tmp_path / "a.npy")


@pytest.mark.parametrize("ending", ["npy", "npz", "json", "safetensors"])
@pytest.mark.parametrize("kept", [0.02, 0.5, 0.99])
def test_half_a_file(tmp_path, attention, as_f32, ending, kept, refused):
    weights, path = attention(2, 16, 16), tmp_path / f"a.{ending}"
    if ending == "npy":
        np.save(path, weights)
    elif ending == "npz":
        np.savez(path, attn=weights)
    elif ending == "json":
        path.write_text(json.dumps(weights.tolist()))
    else:
        as_f32(path, {"attn": weights})
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    sentence = refused(path)
    assert "cut short" in sentence or "damaged" in sentence or "no file that is known" in sentence


@pytest.mark.parametrize("attentions", [None, [None, None], [[None]]])
def test_attention_that_a_model_did_not_return_says_how_to_ask(tmp_path, attentions, refused):
    (tmp_path / "a.json").write_text(json.dumps({"attentions": attentions}))
    assert "only with output_attentions=True and eager attention" in refused(tmp_path / "a.json")


def test_bfloat16_as_numpy_writes_it_is_named(tmp_path, refused, saved):
    sentence = refused(saved(tmp_path / "a.npy", np.zeros((1, 2, 4, 4), "V2")))
    assert "if it is bfloat16, save it as float32, or with safetensors" in sentence
