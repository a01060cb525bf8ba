"""A run: what is captured of it, what an edit of head outputs does, and how it is ended."""

import dataclasses

import numpy as np
import pytest

from mhagui.errors import UserError
from mhagui.models import describe, open_model

IDS = [5, 81, 5, 0, 269, 81, 17]
KINDS = ("gpt2", "llama", "qwen2", "bert")


@pytest.fixture(params=KINDS)
def model(request, write_checkpoint):
    return open_model(write_checkpoint(request.param).folder)


def test_values_and_the_output_follow_from_what_is_captured(model):
    """X W_V + b_V is V; heads' outputs times W_O, and b_O, are what the block adds."""
    captured = model.run(IDS).capture()
    outputs = []
    model.run(IDS, edit=lambda layer, heads: outputs.append(heads.copy()) or heads)
    for layer, heads in zip(captured.layers, outputs, strict=True):
        values = layer.x @ layer.w_v
        if layer.b_v is not None:
            values = values + layer.b_v[:, np.newaxis]
        np.testing.assert_allclose(values, layer.v, atol=1e-4)
        shared = np.repeat(layer.v, layer.n_heads // layer.n_key_heads, axis=0)
        keys = np.repeat(layer.k, layer.n_heads // layer.n_key_heads, axis=0)
        scores = layer.q @ keys.swapaxes(1, 2) / np.sqrt(layer.q.shape[2])
        if layer.allowed is not None:
            scores = np.where(layer.allowed, scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        np.testing.assert_allclose(weights @ shared, heads, atol=1e-4)
        d_v = layer.v.shape[2]
        assert layer.w_o.shape == (layer.n_heads * d_v, model.facts.d_model)


def test_a_capture_names_its_tokens_and_nobody_can_write_to_it(model):
    ids = model.tokens("the 1234").ids
    capture = model.run(ids).capture()
    assert capture.token_ids == ids
    assert capture.query_tokens == capture.key_tokens == ("the", " ", "1234")
    assert capture.title == model.facts.title
    for layer in capture.layers:
        arrays = [getattr(layer, field.name) for field in dataclasses.fields(layer)]
        arrays = [array for array in arrays if isinstance(array, np.ndarray)]
        assert len(arrays) >= 5
        assert not any(array.flags.writeable for array in arrays)


def test_only_the_layers_that_are_wanted_are_kept(model):
    whole = model.run(IDS)
    run = model.run(IDS, layers={1})
    assert [layer.number for layer in run.capture().layers] == [1]
    np.testing.assert_array_equal(run.last, whole.last)
    np.testing.assert_array_equal(run.layers[0].q, whole.layers[1].q)
    with pytest.raises(UserError, match="No layer was kept"):
        model.run(IDS, layers=()).capture()


def test_a_silenced_head_is_one_whose_rows_of_w_o_are_zero(write_checkpoint):
    made = write_checkpoint("llama")
    d_v = made.config["head_dim"]

    def silence(layer, heads):
        if layer == 1:
            heads[2] = 0
        return heads

    given = open_model(made.folder).run(IDS, edit=silence).logits()
    name = "model.layers.1.self_attn.o_proj.weight"
    zeroed = made.tensors[name].copy()
    zeroed[:, 2 * d_v : 3 * d_v] = 0
    changed = open_model(write_checkpoint("llama", {name: zeroed}).folder)
    np.testing.assert_allclose(given, changed.run(IDS).logits(), atol=1e-5)
    whole = open_model(write_checkpoint("llama").folder).run(IDS).logits()
    assert abs(given - whole).max() > 1e-2


def test_an_edit_that_changes_nothing_changes_nothing(model):
    np.testing.assert_array_equal(
        model.run(IDS, edit=lambda _, heads: heads).last, model.run(IDS).last
    )


def test_an_edit_in_the_first_layer_reaches_the_second(model):
    before = model.run(IDS)
    after = model.run(IDS, edit=lambda layer, heads: heads * 0 if layer == 0 else heads)
    np.testing.assert_array_equal(after.layers[0].v, before.layers[0].v)
    assert abs(after.layers[1].v - before.layers[1].v).max() > 1e-3


def test_an_edit_of_another_shape_is_refused(model):
    with pytest.raises(ValueError, match="edit has to return shape"):
        model.run(IDS, edit=lambda _, heads: heads[:1])


def test_a_run_can_be_ended_before_any_layer(model):
    class EndedError(Exception):
        pass

    seen = []

    def before(layer):
        seen.append(layer)
        if layer == 1:
            raise EndedError

    with pytest.raises(EndedError):
        model.run(IDS, before_layer=before)
    assert seen == [0, 1]
    assert len(model.run(IDS).layers) == 2


def test_a_run_that_memory_does_not_do_for_is_told(model):
    def before(layer):
        raise MemoryError

    with pytest.raises(UserError, match="more memory than there is: take a shorter prompt"):
        model.run(IDS, before_layer=before)


def test_logits_of_the_last_position_alone(model):
    run = model.run(IDS)
    if not model.facts.predicts_next:
        with pytest.raises(UserError, match="A BERT model predicts no next token"):
            run.logits()
        return
    assert run.logits().shape == (len(IDS), 270)
    np.testing.assert_allclose(run.logits(slice(-1, None))[0], run.logits()[-1], atol=1e-5)


def test_what_comes_later_changes_nothing_before_it_where_the_mask_is_causal(model):
    short, long = model.run(IDS[:4]), model.run(IDS)
    differ = abs(short.last - long.last[:4]).max()
    assert (differ < 1e-4) == model.facts.predicts_next


@pytest.mark.parametrize("kind", KINDS)
def test_facts_are_those_of_the_configuration(kind, write_checkpoint):
    made = write_checkpoint(kind)
    facts = describe(made.folder)
    used = [tensor.size for name, tensor in made.tensors.items() if "pooler" not in name]
    assert facts.float32_bytes == 4 * sum(used)
    assert (facts.n_layers, facts.n_vocabulary, facts.context) == (2, 270, 24)
    expected = {"gpt2": (3, 3, 12, 4), "bert": (3, 3, 12, 4)}.get(kind, (4, 2, 16, 6))
    assert (facts.n_heads, facts.n_key_heads, facts.d_model, facts.d_head) == expected
    assert facts.title == f"tiny-{kind}"


def test_one_token_attends_to_itself(model):
    (layer, *_) = model.run([7]).layers
    assert layer.shape == (1, 1)
    assert layer.q.shape == (model.facts.n_heads, 1, model.facts.d_head)
