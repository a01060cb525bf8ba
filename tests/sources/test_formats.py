"""Every format gives the numbers that were put into it, whatever their type and order."""

import json

import numpy as np
import pytest

from mhagui import sources
from mhagui.errors import UserError


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("dtype", ["<f2", ">f4", "<f8", ">f8", "|b1", "<i8", ">u2", "|i1"])
def test_npy_of_any_version_and_type(tmp_path, version, dtype, opened):
    array = np.eye(4).astype(dtype)
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array(file, array, version=version)
    (layer,) = opened(tmp_path / "a.npy").layers
    assert layer.given.dtype in (np.float32, np.float64)
    assert np.array_equal(layer.given, [np.eye(4)])


def test_types_that_float32_holds_stay_small_and_others_lose_nothing(tmp_path, opened):
    kept = {}
    for dtype in ("float16", "float32", "float64", "int64"):
        np.save(tmp_path / "a.npy", np.eye(3, dtype=dtype))
        kept[dtype] = opened(tmp_path / "a.npy").layers[0].given.dtype.name
    assert kept == {
        "float16": "float32", "float32": "float32", "float64": "float64", "int64": "float64"
    }  # fmt: skip


@pytest.mark.parametrize("axes", ["layer,head,query,key", "batch,head,query,key"])
def test_fortran_order_gives_the_same_numbers(tmp_path, attention, axes, opened):
    array = attention(3, 2, 40, 40)
    np.save(tmp_path / "a.npy", np.asfortranarray(array))
    capture = opened(tmp_path / "a.npy", axes=axes, batch=2 if "batch" in axes else None)
    assert np.array_equal(capture.layers[-1].given, array[2])


def test_headers_in_the_spacing_and_order_of_other_programs(tmp_path, opened):
    text = b"{'shape':(2,2), \"fortran_order\":False,\n'descr' : '<f4'}"
    data = np.eye(2, dtype="<f4").tobytes()
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data)
    assert np.array_equal(opened(path).layers[0].given[0], np.eye(2))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_with_tokens(tmp_path, attention, save, opened):
    weights, tokens = attention(2, 5, 5), np.array(["The", " cat", "⏎", "שלום", "🙂"])
    save(tmp_path / "a.npz", attentions=weights, tokens=tokens)
    capture = opened(tmp_path / "a.npz", axes="head,query,key")
    assert np.array_equal(capture.layers[0].given, weights)
    assert capture.query_tokens == capture.key_tokens == tuple(tokens)


def test_npz_holds_layers_by_their_numbers_and_reads_one_of_them(tmp_path, attention, opened):
    arrays = {f"layer_{n}": attention(2, 3, 3, seed=n) for n in (11, 3, 7)}
    np.savez(tmp_path / "a.npz", **arrays)
    capture = opened(tmp_path / "a.npz")
    assert [layer.number for layer in capture.layers] == [3, 7, 11]
    assert np.array_equal(capture.layer(7).given, arrays["layer_7"])
    (alone,) = opened(tmp_path / "a.npz", layers=(11,)).layers
    assert alone.number == 11
    assert np.array_equal(alone.given, arrays["layer_11"])


def test_bfloat16_is_the_upper_half_of_float32(tmp_path, safetensors, opened):
    # 1.0 is 0x3F80, 0.5 is 0x3F00, 0.25 is 0x3E80: as the format has them, by hand
    bits = np.array([[0x3F80, 0], [0x3F00, 0x3F00]], "<u2")
    path = safetensors(tmp_path / "a.safetensors", {"attn": ("BF16", (2, 2), bits.tobytes())})
    assert sources.inspect(path).entries[0].dtype == "bfloat16"
    (layer,) = opened(path).layers
    assert layer.given.dtype == np.float32
    assert layer.given.tolist() == [[[1.0, 0.0], [0.5, 0.5]]]


@pytest.mark.parametrize(("kind", "dtype"), [("F64", "<f8"), ("F32", "<f4"), ("F16", "<f2")])
def test_safetensors_of_floats_with_tokens_in_the_metadata(
    tmp_path, safetensors, kind, dtype, opened
):
    content = np.eye(3).astype(dtype).tobytes()
    path = safetensors(
        tmp_path / "a.safetensors",
        {"attn": (kind, (3, 3), content)},
        {"tokens": json.dumps(["a", "b", "c"]), "format": "pt"},
    )
    capture = opened(path)
    assert np.array_equal(capture.layers[0].given, [np.eye(3)])
    assert capture.key_tokens == ("a", "b", "c")


def test_a_header_whose_length_begins_as_a_pickle_does(tmp_path, as_f32, opened):
    for n_spaces in range(300):
        path = as_f32(tmp_path / "a.safetensors", {"attn": np.eye(2)}, {"x": " " * n_spaces})
        if path.read_bytes()[:2] == b"\x80\x01":
            break
    assert path.read_bytes()[:2] == b"\x80\x01"
    assert np.array_equal(opened(path).layers[0].given[0], np.eye(2))


def test_what_the_library_of_safetensors_writes_is_read(tmp_path, attention, opened):
    library = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    weights = attention(4, 6, 6)
    library.save_file({"attention": weights}, tmp_path / "a.safetensors")
    capture = opened(tmp_path / "a.safetensors", axes="head,query,key")
    assert np.array_equal(capture.layers[0].given, weights)


def test_json_lists_with_tokens(tmp_path, attention, opened):
    weights = attention(2, 2, 3, 3, dtype=np.float64)
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"attention": weights.tolist(), "tokens": ["x", "y", "z"]}))
    capture = opened(path, axes="layer,head,query,key")
    assert [layer.given.tolist() for layer in capture.layers] == weights.tolist()
    assert capture.query_tokens == ("x", "y", "z")


def test_the_content_says_the_format_not_the_name(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(2))
    (tmp_path / "a.npy").rename(tmp_path / "a.safetensors")
    assert sources.inspect(tmp_path / "a.safetensors").kind == "npy"


def test_arrays_cannot_be_changed(tmp_path, attention, opened):
    np.savez(tmp_path / "a.npz", attn=attention(1, 3, 3), x=np.ones((3, 4)))
    for array in (opened(tmp_path / "a.npz").layers[0].given,):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0, 0] = 1


def test_looking_reads_no_numbers(tmp_path, attention):
    np.save(tmp_path / "a.npy", attention(8, 64, 64))
    found = sources.inspect(tmp_path / "a.npy")
    assert [(e.name, e.shape, e.dtype, e.n_bytes) for e in found.entries] == [
        ("a.npy", (8, 64, 64), "float32", 8 * 64 * 64 * 4)
    ]
    with (tmp_path / "a.npy").open("r+b") as file:
        file.truncate(1000)
    with pytest.raises(UserError, match="changed since"):
        sources.read(found, found.readings[0])


@pytest.mark.parametrize(
    "picks", [(None, 1, None, None), (None, None, None, 1), (2, None, 0, None)]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_axis_can_be_picked_from(tmp_path, picks, order):
    array = np.arange(3 * 4 * 50 * 30, dtype=np.float32).reshape(3, 4, 50, 30)
    np.save(tmp_path / "a.npy", np.asarray(array, order=order))
    (entry,) = sources.inspect(tmp_path / "a.npy").entries
    index = tuple(slice(None) if pick is None else pick for pick in picks)
    assert np.array_equal(entry.read(picks), array[index])
