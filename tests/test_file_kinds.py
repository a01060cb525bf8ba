"""Which way a file or folder is opened."""

import os

import numpy as np
import pytest
from safetensors.numpy import save_file

from mhagui.document import load_lesson, scene_to_json
from mhagui.file_kinds import Kind, kind_of


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.mhascene", Kind.SCENE),
        ("a.PNG", Kind.SCENE),
        ("a.npy", Kind.TENSORS),
        ("a.NPZ", Kind.TENSORS),
        ("a.pt", Kind.TENSORS),
        ("a.pth", Kind.TENSORS),
        ("a.safetensors", Kind.TENSORS),
        ("a.gguf", Kind.MODEL),
        ("gone.json", Kind.SCENE),
    ],
)
def test_by_the_name(tmp_path, name, kind):
    assert kind_of(tmp_path / name) is kind


def test_json_is_a_scene_where_it_says_so(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(scene_to_json(load_lesson("two-heads")))
    assert kind_of(path) is Kind.SCENE
    path.write_text(" [[[1.0, 0.0], [0.5, 0.5]]]")
    assert kind_of(path) is Kind.TENSORS
    path.write_bytes(b"\x89PNG")
    assert kind_of(path) is Kind.SCENE  # which then is said to be none


def test_a_folder_is_a_model_and_so_are_weights_that_are_no_attention(tmp_path):
    assert kind_of(tmp_path) is Kind.MODEL
    weights, states = tmp_path / "model.safetensors", tmp_path / "states.safetensors"
    save_file({"wte.weight": np.zeros((4, 2), np.float32)}, weights)
    save_file({name: np.zeros((2, 4, 3), np.float32) for name in "qk"}, states)
    assert kind_of(weights) is Kind.MODEL  # whose configuration is said to be missing
    assert kind_of(states) is Kind.TENSORS
    (tmp_path / "config.json").write_text("{}")
    assert kind_of(weights) is Kind.MODEL
    assert kind_of(states) is Kind.TENSORS


def test_what_has_no_end_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zeros.json").symlink_to("/dev/zero")
    for name in ("pipe.json", "zeros.json"):
        assert kind_of(tmp_path / name) is Kind.SCENE  # which then is said to be no file
