"""Numbers of scenes that a file does not hold all of, or that have biases or another mask."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mhagui.data.tidy import render_data
from mhagui.document import Head, Pattern, Scene, compute, load_lesson
from mhagui.document.edits import SetMask
from mhagui.document.mask_rule import MaskRule

T = 3
VALUES = {"X", "W_V", "V", "head_outputs", "concat", "W_O", "terms", "output"}


def npz(scene):
    with np.load(io.BytesIO(render_data(scene, compute(scene), "npz"))) as file:
        return {name: file[name] for name in file.files}


@pytest.fixture
def weights_alone():
    a = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    a[1] = 0.0
    head = Head(1, "L0 H0", Pattern.GIVEN, np.zeros((1, 1)), a=a)
    return Scene("x", "", [head], np.zeros((T, 1)), np.zeros((1, 1)), 1, has_values=False)


def test_no_zeros_stand_for_what_is_not_known(weights_alone):
    found, all_there_is = npz(weights_alone), npz(load_lesson("four-heads"))
    assert set(all_there_is) - set(found) == VALUES | {"Q", "K"}
    assert_array_equal(found["weights"][0], weights_alone.heads[0].a)


def test_an_undefined_entropy_is_null_in_json(weights_alone):
    told = json.loads(render_data(weights_alone, compute(weights_alone), "json"))
    assert told["row_entropy_bits"] == [[0.0, None, pytest.approx(np.log2(3))]]
    padded = SetMask(MaskRule(left=2)).apply(load_lesson("four-heads"))
    assert json.loads(render_data(padded, compute(padded), "json"))["ceiling_bits"][:3] == [
        None,
        None,
        0.0,
    ]


def test_biases_are_there_where_a_scene_has_them():
    scene = load_lesson("four-heads").with_head(2, b_v=np.array([[1.0, 2.0]]))
    scene = replace(scene, b_o=np.full((1, 8), 0.5))
    found = npz(scene)
    assert found["b_V"].tolist() == [[0, 0], [1, 2], [0, 0], [0, 0]]
    assert found["b_O"].tolist() == [0.5] * 8
    assert not {"b_V", "b_O"} & set(npz(load_lesson("four-heads")))
