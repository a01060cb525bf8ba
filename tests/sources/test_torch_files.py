"""Files of PyTorch: by its loader of weights alone, or not at all."""

import importlib.util
import io
import os
import pickle
import warnings
import zipfile

import numpy as np
import pytest

from mhagui import sources
from mhagui.errors import UserError

HAS_TORCH = importlib.util.find_spec("torch") is not None


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def zipped_trap(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Trap(tmp_path / "executed"), 2))
        archive.writestr("archive/version", b"3\n")
    return file.getvalue()


@pytest.mark.parametrize("kind", ["zip", "plain"])
@pytest.mark.parametrize("name", ["a.pt", "a.pth", "a.bin"])
def test_nothing_in_them_is_executed(tmp_path, kind, name, refused):
    plain = pickle.dumps(Trap(tmp_path / "executed"), 2)
    (tmp_path / name).write_bytes(zipped_trap(tmp_path) if kind == "zip" else plain)
    assert name in refused(tmp_path / name)
    assert not (tmp_path / "executed").exists()


@pytest.mark.skipif(HAS_TORCH, reason="says what is said where torch is missing")
def test_without_torch_one_sentence_says_so(tmp_path, refused):
    (tmp_path / "a.pt").write_bytes(zipped_trap(tmp_path))
    assert "PyTorch, which is not installed: install torch, or save" in refused(tmp_path / "a.pt")


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is not installed")


@pytest.mark.parametrize("is_zip", [True, False])
def test_what_output_attentions_gives(tmp_path, torch, attention, is_zip):
    layers = [attention(1, 2, 4, 4, seed=n) for n in range(3)]
    torch.save(
        {"attentions": tuple(map(torch.from_numpy, layers)), "tokens": ["a", "b", "c", "d"]},
        tmp_path / "a.pt",
        _use_new_zipfile_serialization=is_zip,
    )
    capture = sources.open_capture(tmp_path / "a.pt")
    assert [layer.number for layer in capture.layers] == [0, 1, 2]
    assert np.array_equal(capture.layer(2).given, layers[2][0])
    assert capture.query_tokens == ("a", "b", "c", "d")


def test_a_layer_that_is_none(tmp_path, torch, attention, refused):
    weights = torch.from_numpy(attention(1, 2, 4, 4))
    torch.save({"attentions": [weights, None, weights]}, tmp_path / "a.pt")
    sentence = refused(tmp_path / "a.pt")
    assert "attentions[1] is None" in sentence
    assert "layer 1" in sentence


def test_bfloat16_half_and_views(tmp_path, torch):
    weights = torch.tensor([[1.0, 0.0], [0.25, 0.75]])
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        torch.save(weights.T.contiguous().T.to(dtype), tmp_path / "a.pt")
        given = sources.open_capture(tmp_path / "a.pt").layers[0].given
        assert given.tolist() == [weights.tolist()]


def test_what_is_no_full_tensor_of_numbers(tmp_path, torch, refused):
    wanted = {
        "complex": (torch.eye(2, dtype=torch.complex64), "complex numbers"),
        "sparse": (torch.eye(2).to_sparse(), "sparse"),
        "stretched": (torch.ones(1).expand(10**6, 10**6), "4,000,000,000,000 bytes in a file of"),
    }
    for value, said in wanted.values():
        torch.save(value, tmp_path / "a.pt")
        assert said in refused(tmp_path / "a.pt")


def test_half_a_file_of_torch(tmp_path, torch, refused):
    torch.save(torch.eye(64), tmp_path / "a.pt")
    data = (tmp_path / "a.pt").read_bytes()
    (tmp_path / "a.pt").write_bytes(data[: len(data) // 2])
    assert "cut short" in refused(tmp_path / "a.pt")


def test_a_file_cut_short_while_it_is_read_ends_nothing_but_the_reading(tmp_path, torch):
    path = tmp_path / "a.pt"
    torch.save([torch.eye(300)[None, None] for _ in range(3)], path)
    found = sources.inspect(path)

    def cut(number):
        if number == 1:
            os.truncate(path, 5000)

    with pytest.raises(UserError, match="has changed since it was looked at"):
        sources.read(found, found.readings[0], before_layer=cut)


def test_lists_that_hold_one_another_are_not_followed_for_ever(tmp_path, torch, refused):
    value = []
    for _ in range(4):
        value = [value] * 100
    torch.save(value, tmp_path / "a.pt")
    assert "holds more than 20,000 tensors" in refused(tmp_path / "a.pt")


def test_what_has_no_numbers_or_no_one_shape_is_said(tmp_path, torch, refused):
    torch.save([torch.eye(3, device="meta")], tmp_path / "a.pt")
    assert "a shape without numbers" in refused(tmp_path / "a.pt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nested tensors are said to be new
        nested = torch.nested.nested_tensor([torch.eye(2), torch.eye(3)])
    torch.save([nested], tmp_path / "b.pt")
    assert "save them as a list of tensors" in refused(tmp_path / "b.pt")
    torch.save(3, tmp_path / "c.pt")
    assert "What it holds is a int, not a tensor." in refused(tmp_path / "c.pt")


def test_a_whole_module_says_what_to_save_and_not_how_to_run_it(tmp_path, torch, refused):
    torch.save(torch.nn.Linear(2, 2), tmp_path / "a.pt")
    sentence = refused(tmp_path / "a.pt")
    assert "save a dict or a list of tensors" in sentence
    assert "two options" not in sentence


def test_numbers_and_empty_dicts_beside_the_one_tensor_are_in_nobodys_way(tmp_path, torch):
    torch.save({"probe": torch.eye(3), "epoch": 3, "state": {}}, tmp_path / "a.pt")
    assert sources.open_capture(tmp_path / "a.pt").layers[0].shape == (3, 3)
