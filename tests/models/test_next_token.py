"""Heads of a whole model ablated: what becomes of the next token's probabilities."""

import numpy as np
import pytest

from mhagui.document.captured_ablation import Ablation, AblationKind
from mhagui.errors import UserError
from mhagui.models import open_model
from mhagui.models.next_token import NextTokens, next_probabilities

IDS = [5, 81, 5, 0, 269, 81, 17]
NAMES = {  # of W_O in layer 1, and whether its rows are those of the outputs
    "llama": ("model.layers.1.self_attn.o_proj.weight", False),
    "qwen2": ("model.layers.1.self_attn.o_proj.weight", False),
    "gpt2": ("h.1.attn.c_proj.weight", True),
}


@pytest.fixture(params=NAMES)
def made(request, write_checkpoint):
    return write_checkpoint(request.param)


def softmax(logits):
    shares = np.exp(logits.astype(float) - logits.max())
    return shares / shares.sum()


def test_without_an_ablation_they_are_the_softmax_of_the_last_logits(made):
    model = open_model(made.folder)
    found = next_probabilities(model, IDS)
    np.testing.assert_allclose(found, softmax(model.run(IDS).logits()[-1]), rtol=1e-5)
    assert found.sum() == pytest.approx(1)


def test_heads_that_are_zeroed_are_those_whose_rows_of_w_o_are_zero(made, write_checkpoint):
    kind = made.config["model_type"]
    name, has_rows = NAMES[kind]
    model = open_model(made.folder)
    layer = model.run(IDS).capture().layer(1)
    width = layer.v.shape[2]
    ablations = [Ablation(AblationKind.ZERO, head) for head in (0, 2)]
    found = next_probabilities(model, IDS, layer, ablations)
    without = made.tensors[name].copy()
    for head in (0, 2):
        of_head = slice(head * width, (head + 1) * width)
        without[of_head if has_rows else (slice(None), of_head)] = 0
    changed = open_model(write_checkpoint(kind, {name: without}).folder)
    np.testing.assert_allclose(found, softmax(changed.run(IDS).logits()[-1]), atol=1e-6)
    assert abs(found - next_probabilities(model, IDS)).max() > 1e-4


@pytest.mark.parametrize("kind", [AblationKind.MEAN, AblationKind.UNIFORM, AblationKind.EDGE])
def test_other_kinds_change_them_and_leave_probabilities(made, kind):
    model = open_model(made.folder)
    layer = model.run(IDS).capture().layer(0)
    key = int(layer.weights[1, 6].argmax())
    found = next_probabilities(model, IDS, layer, [Ablation(kind, 1, query=6, key=key)])
    assert found.sum() == pytest.approx(1)
    assert abs(found - next_probabilities(model, IDS)).max() > 1e-7


def test_a_gain_of_1_changes_nothing(made):
    model = open_model(made.folder)
    layer = model.run(IDS).capture().layer(1)
    found = next_probabilities(model, IDS, layer, [Ablation(AblationKind.GAIN, 1, gain=1.0)])
    np.testing.assert_allclose(found, next_probabilities(model, IDS), atol=1e-6)


def test_each_layer_is_told_and_can_end_the_run(made):
    class EndedError(Exception):
        pass

    def step(number):
        seen.append(number)
        if len(seen) == 3:
            raise EndedError

    model, seen = open_model(made.folder), []
    next_probabilities(model, IDS, before_layer=step)
    with pytest.raises(EndedError):
        next_probabilities(model, IDS, before_layer=step)
    assert seen == [0, 1, 0]


def test_an_encoder_predicts_no_token(write_checkpoint):
    with pytest.raises(UserError, match="predicts no next token"):
        next_probabilities(open_model(write_checkpoint("bert").folder), IDS)


def test_the_likeliest_before_come_first_and_then_those_that_became_so():
    before, after = np.array([0.1, 0.5, 0.3, 0.1]), np.array([0.1, 0.1, 0.2, 0.6])
    assert NextTokens(before, after).top(2) == [1, 2, 3]
    assert NextTokens(before, after).top(9) == [1, 2, 0, 3]


def test_divergence_is_in_bits():
    half = np.array([0.5, 0.5, 0.0])
    assert NextTokens(half, half).divergence_bits == 0
    assert NextTokens(half, np.array([0.25, 0.25, 0.5])).divergence_bits == pytest.approx(1)
    assert NextTokens(half, np.array([1.0, 0.0, 0.0])).divergence_bits == np.inf


@pytest.mark.real_model
@pytest.mark.soak
def test_a_layer_of_a_real_model_without_heads_predicts_otherwise(smollm):
    """A gain of 1 leaves all as it is to rounding."""
    ids = smollm.tokens("The capital of France is").ids
    layer = smollm.run(ids, layers={12}).capture().layer(12)
    before = next_probabilities(smollm, ids)
    heads = range(layer.n_heads)
    after = next_probabilities(
        smollm, ids, layer, [Ablation(AblationKind.ZERO, head) for head in heads]
    )
    same = next_probabilities(
        smollm, ids, layer, [Ablation(AblationKind.GAIN, head, gain=1.0) for head in heads]
    )
    assert smollm.texts([int(before.argmax())]) == (" Paris",)
    assert NextTokens(before, after).divergence_bits > 0.001
    assert NextTokens(before, same).divergence_bits < 1e-6
