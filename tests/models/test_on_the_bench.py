"""Layers of the real models as scenes: their weights and outputs are those of the model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mhagui.document import compute
from mhagui.document.captured_scene import scene_of
from mhagui.document.filter_bank import in_bounds
from mhagui.document.mask_rule import MaskKind, MaskRule

pytestmark = [pytest.mark.real_model, pytest.mark.thorough]
PROMPT = "The cat sat on the mat because the cat was tired."


def output_of(layer):
    """What the layer's attention gives, in the float32 of the model, from the values it had."""
    group = len(layer.weights) // len(layer.v)
    outputs = layer.weights @ np.repeat(layer.v, group, axis=0)
    output = np.concatenate(list(outputs), axis=1) @ layer.w_o
    return output if layer.b_o is None else output + layer.b_o


def check(model, n_layers, mask):
    capture = model.run(model.tokens(PROMPT).ids).capture()
    for number in (0, n_layers // 2, n_layers - 1):
        layer, scene = capture.layer(number), scene_of(capture, number)
        result = compute(scene)
        assert scene.mask == mask
        assert scene.has_values
        weights = np.stack([head.weights for head in result.heads])
        assert_allclose(weights, layer.weights, atol=1e-5)
        output = output_of(layer)
        assert_allclose(result.output, output, atol=1e-5 * np.abs(output).max())
        assert in_bounds(result) <= 1
        assert len(scene.tokens) == scene.n_positions
    return scene


def test_a_llama_with_shared_keys(smollm):
    scene = check(smollm, 30, MaskRule())
    assert [head.key_head for head in scene.heads] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert (scene.tokens[:3], scene.token_scheme) == (("The", "Ġcat", "Ġsat"), "byte-level")


def test_a_bert_with_biases_under_a_full_mask(minilm):
    scene = check(minilm, 6, MaskRule(MaskKind.FULL))
    assert scene.n_heads == 12
    assert scene.b_o is not None
    assert all(head.b_v is not None for head in scene.heads)


def test_a_character_over_several_tokens_is_one_on_the_bench(smollm):
    ids = smollm.tokens("at 😀 9").ids
    scene = scene_of(smollm.run(ids, layers=(0,)).capture(), 0)
    shown = scene.shown_tokens
    assert "".join(token.text for token in shown if not token.is_partial) == "at 9"
    parts = [token for token in shown if token.is_partial]
    assert len({token.group for token in parts}) == 1
    assert parts[0].together == " 😀"
    assert [token.raw for token in shown] == list(smollm.tokens("at 😀 9").pieces)
