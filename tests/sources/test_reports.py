"""Files as people reported them of other tools: each gives its picture, or one clear sentence."""

import json
import os
import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from mhagui import sources
from mhagui.document.captured_scene import scene_of
from mhagui.document.compute import compute
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.errors import UserError


def opened(path, **choices):
    return sources.open_capture(path, sources.Choices(**choices))


def refused(path, **choices):
    with pytest.raises(UserError) as error:
        opened(path, **choices)
    sentence = str(error.value)
    assert sentence.endswith(".")
    assert "Traceback" not in sentence
    return sentence


def saved(path, array):
    np.save(path, array)
    return path


def notes(capture):
    return " ".join(capture.notes)


# ------------------------------------------------------------------------------- A. length and size


def test_512_positions_open(tmp_path, attention):
    weights = attention(2, 512, 512)
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert np.array_equal(capture.layers[0].given, weights)


def test_leaving_layers_out_renumbers_none(tmp_path, attention):
    weights = attention(6, 2, 4, 4)
    path = saved(tmp_path / "a.npy", weights)
    capture = opened(path, axes="layer,head,query,key", layers=(4, 1))
    assert [layer.number for layer in capture.layers] == [1, 4]
    assert np.array_equal(capture.layer(4).given, weights[4])
    assert "no layer 9; its layers are 0 to 5" in refused(
        path, axes="layer,head,query,key", layers=(9,)
    )


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("of_padding", ["zero", "weights", "nan"])
@pytest.mark.parametrize("at_start", [False, True])
def test_padding_is_masked(tmp_path, attention, causal, of_padding, at_start):
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


def test_padding_is_never_guessed_of_one_head_or_of_hard_ones(tmp_path, attention):
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
    tmp_path, attention
):
    weights = attention(2, 10, 10, causal=False)
    weights[0, :, 7:] = 0
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert capture.layers[0].allowed is None
    assert "padding" not in notes(capture)


@pytest.mark.parametrize("n_layers", [1, 25, 96])
@pytest.mark.parametrize("n_heads", [1, 7])
def test_any_number_of_layers_and_heads(tmp_path, attention, n_layers, n_heads):
    weights = attention(n_layers, n_heads, 3, 3)
    capture = opened(saved(tmp_path / "a.npy", weights), axes="layer,head,query,key")
    assert [layer.n_heads for layer in capture.layers] == [n_heads] * n_layers
    assert np.array_equal(capture.layers[-1].given, weights[-1])


def test_12_layers_of_12_heads_and_256_positions_take_little_more_than_themselves(tmp_path):
    weights = np.broadcast_to(np.eye(256, dtype=np.float32), (12, 12, 256, 256))
    path = saved(tmp_path / "a.npy", weights)
    tracemalloc.start()
    capture = opened(path, axes="layer,head,query,key")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.25 * weights.nbytes
    assert capture.layer(11).given[11, 255, 255] == 1


@pytest.mark.parametrize(
    ("shape", "axis"), [((0, 2, 3, 3), "axis 0 (layer)"), ((2, 0, 3, 3), "axis 1 (head)"),
                        ((2, 2, 3, 0), "axis 3 (key)")]
)  # fmt: skip
def test_axes_of_no_entries_are_named(tmp_path, shape, axis):
    sentence = refused(saved(tmp_path / "a.npy", np.zeros(shape)), axes="layer,head,query,key")
    assert axis in sentence
    assert str(shape) in sentence


def test_a_list_of_no_layers(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    assert "empty" in refused(tmp_path / "a.json")


# ------------------------------------------------------------- B. shapes, batch, types, frameworks


def test_a_batch_asks_which_item(tmp_path, attention):
    weights = attention(2, 16, 3, 4, 4)
    path = saved(tmp_path / "a.npy", weights)
    assert "batch has 16 items: say which one (batch=0 to 15)" in refused(path)
    capture = opened(path, batch=5)
    assert np.array_equal(capture.layer(1).given, weights[1, 5])
    assert "item 5" in notes(capture)
    assert "16 items, 0 to 15, and no item 16" in refused(path, batch=16)


def test_four_axes_are_layers_or_a_batch_and_only_people_know(tmp_path, attention):
    path = saved(tmp_path / "a.npy", attention(16, 3, 4, 4))
    sentence = refused(path)
    assert "(16, 3, 4, 4)" in sentence
    assert "axes=layer,head,query,key" in sentence
    assert "axes=batch,head,query,key" in sentence
    assert len(opened(path, axes="layer,head,query,key").layers) == 16
    assert len(opened(path, axes="batch,head,query,key", batch=3).layers) == 1


def test_tokens_that_do_not_fit_a_padded_batch_are_said_not_to(tmp_path, attention):
    np.savez(
        tmp_path / "a.npz",
        attn=attention(16, 2, 12, 12),
        tokens=np.array(["a", "b", "c", "d", "e"]),
    )
    capture = opened(tmp_path / "a.npz", axes="batch,head,query,key", batch=1)
    assert capture.query_tokens == ()
    assert "5 tokens and 12 positions" in notes(capture)


def test_a_plain_vector_is_one_row(tmp_path):
    capture = opened(saved(tmp_path / "a.npy", np.array([0.9, 0.1])))
    assert capture.layers[0].given.tolist() == [[[0.9, 0.1]]]


def test_a_matrix_is_one_head(tmp_path, attention):
    weights = attention(5, 5)
    assert np.array_equal(opened(saved(tmp_path / "a.npy", weights)).layers[0].given, [weights])


def test_three_axes_may_be_heads_layers_or_a_batch(tmp_path, attention):
    weights = attention(4, 5, 5)
    path = saved(tmp_path / "a.npy", weights)
    sentence = refused(path)
    for first in ("head", "layer", "batch"):
        assert f"axes={first},query,key" in sentence
    assert opened(path, axes="head,query,key").layers[0].n_heads == 4
    layers = opened(path, axes="layer,query,key").layers
    assert [layer.n_heads for layer in layers] == [1] * 4
    assert np.array_equal(layers[2].given, weights[2:3])
    item = opened(path, axes="batch,query,key", batch=3)
    assert np.array_equal(item.layers[0].given, weights[3:])


def test_what_a_library_returns_with_a_batch_of_one_needs_no_word(tmp_path, attention):
    weights = attention(1, 3, 4, 4)
    assert np.array_equal(opened(saved(tmp_path / "a.npy", weights)).layers[0].given, weights[0])


def test_six_axes_are_none(tmp_path):
    sentence = refused(saved(tmp_path / "a.npy", np.ones((1, 1, 1, 2, 2, 2))))
    assert "6 axes (1 × 1 × 1 × 2 × 2 × 2)" in sentence


@pytest.mark.parametrize("missing", [None, 0.5, [], "none"])
def test_a_layer_that_is_no_array_is_named(tmp_path, attention, missing):
    layers = [attention(2, 3, 3).tolist() for _ in range(4)]
    layers[2] = missing
    (tmp_path / "a.json").write_text(json.dumps({"attentions": layers}))
    sentence = refused(tmp_path / "a.json")
    assert "attentions[2]" in sentence
    assert "layer 2" in sentence


def test_a_scalar_among_arrays_is_named(tmp_path, attention):
    np.savez(tmp_path / "a.npz", attn_0=attention(2, 3, 3), attn_1=np.float32(0.5))
    sentence = refused(tmp_path / "a.npz")
    assert "attn_1 (layer 1)" in sentence
    assert "a single number" in sentence


def test_tokens_fewer_than_a_block_are_not_stretched_and_nothing_is_cropped(tmp_path, attention):
    tokens = np.array([f"w{n}" for n in range(61)])
    np.savez(tmp_path / "a.npz", attn=attention(64, 64), tokens=tokens)
    capture = opened(tmp_path / "a.npz")
    assert capture.layers[0].shape == (64, 64)
    assert capture.key_tokens == ()
    assert "61 tokens and 64 positions" in notes(capture)
    assert "3 positions may be padding" in notes(capture)


def test_tokens_of_queries_and_keys_are_counted_each(tmp_path, attention):
    tokens = np.array(["a", "b", "c"])
    np.savez(tmp_path / "a.npz", attn=attention(3, 5, causal=False), tokens=tokens)
    capture = opened(tmp_path / "a.npz")
    assert capture.query_tokens == ("a", "b", "c")
    assert capture.key_tokens == ()
    assert "3 tokens and 5 key positions" in notes(capture)


def test_tokens_that_are_no_texts_are_said_to_be_left_out(tmp_path, attention):
    tokens = np.array(["a", "b", "c"], dtype=object)
    np.savez(tmp_path / "a.npz", attn=attention(3, 3), tokens=tokens)
    capture = opened(tmp_path / "a.npz")
    assert capture.query_tokens == ()
    assert "tokens holds Python objects" in notes(capture)
    assert "so positions stay without labels" in notes(capture)


def test_tokens_given_as_numbers_are_their_ids(tmp_path, attention):
    np.savez(tmp_path / "a.npz", attn=attention(3, 3), tokens=np.array([7, 8, 7]))
    assert opened(tmp_path / "a.npz").token_ids == (7, 8, 7)


def test_cross_attention_is_rectangular_with_tokens_of_its_own(tmp_path, attention):
    np.savez(
        tmp_path / "a.npz",
        attn=attention(2, 7, 18, causal=False),
        query_tokens=np.array([f"d{n}" for n in range(7)]),
        key_tokens=np.array([f"e{n}" for n in range(18)]),
    )
    capture = opened(tmp_path / "a.npz", axes="head,query,key")
    assert capture.layers[0].shape == (7, 18)
    assert (len(capture.query_tokens), len(capture.key_tokens)) == (7, 18)


def test_encoder_decoder_and_cross_are_told_apart(tmp_path, attention):
    np.savez(
        tmp_path / "a.npz",
        encoder_attentions=attention(2, 5, 5, causal=False),
        decoder_attentions=attention(2, 3, 3),
        cross_attentions=attention(2, 3, 5, causal=False),
    )
    sentence = refused(tmp_path / "a.npz")
    assert "weights=cross_attentions" in sentence
    capture = opened(tmp_path / "a.npz", weights="cross", axes="head,query,key")
    assert capture.layers[0].shape == (3, 5)


def test_steps_of_generation_become_one_triangle(tmp_path, attention):
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


def test_steps_of_layers_as_nested_lists(tmp_path, attention):
    layers = [attention(1, 2, 5, 5, seed=n) for n in range(3)]
    steps = [[layer[:, :, :4, :4].tolist() for layer in layers]]
    steps += [[layer[:, :, 4:5, :5].tolist() for layer in layers]]
    (tmp_path / "a.json").write_text(json.dumps(steps))
    capture = opened(tmp_path / "a.json")
    assert [layer.number for layer in capture.layers] == [0, 1, 2]
    assert np.array_equal(capture.layer(2).given[:, 4], layers[2][0, :, 4])
    assert capture.layer(1).shape == (5, 5)


def test_a_missing_step_is_named(tmp_path, attention):
    np.savez(
        tmp_path / "a.npz", step_0=attention(2, 6, 6), step_1=attention(2, 1, 7),
        step_3=attention(2, 1, 9),
    )  # fmt: skip
    sentence = refused(tmp_path / "a.npz")
    assert "Step 3" in sentence
    assert "1 × 9" in sentence
    assert "1 × 8" in sentence


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_are_refused_with_the_reason(tmp_path, dtype):
    sentence = refused(saved(tmp_path / "a.npy", np.eye(2, dtype=dtype)))
    assert "complex numbers, which are no weights" in sentence


def test_float16_is_read_and_its_rounding_allowed_for(tmp_path, attention):
    weights = attention(40, 40, dtype=np.float16)
    capture = opened(saved(tmp_path / "a.npy", weights))
    assert np.array_equal(capture.layers[0].given[0], weights.astype(np.float32))
    assert "All 40 rows sum to 1" in notes(capture)


# ------------------------------------------------------------- C. not returned, or not the same


def test_attention_that_should_be_causal_and_is_not_is_said_with_its_mass(tmp_path):
    weights = np.array([[0.75, 0.25], [0.5, 0.5]])
    capture = opened(saved(tmp_path / "a.npy", weights))
    assert "up to 0.25 (in layer 0, head 0, query 0)" in notes(capture)
    assert capture.layers[0].allowed is None
    found = sources.inspect(tmp_path / "a.npy")
    said = sources.evidence(found, replace(found.readings[0], causal=True))
    (above,) = said.about("above")
    assert (above.verdict, above.number) == ("fault", 0.25)


def test_zeros_above_the_diagonal_make_it_causal(tmp_path, attention):
    layer = opened(saved(tmp_path / "a.npy", attention(4, 4))).layers[0]
    assert np.array_equal(layer.allowed, np.tri(4, dtype=bool))


def test_an_empty_tuple_of_attentions_says_what_there_is(tmp_path):
    (tmp_path / "a.json").write_text('{"logits": 3, "loss": 0.5}')
    assert "logits" in refused(tmp_path / "a.json")


# ------------------------------------------------------------------------- D. masks, padding, NaN


def test_rows_of_no_allowed_key_are_counted_and_left_out_of_the_sums(tmp_path, attention):
    weights = attention(3, 6, 6)
    weights[1, :2] = 0
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert "Rows that are all zero, as where no key is allowed: 2" in notes(capture)
    assert "layer 0, head 1: 2" in notes(capture)
    assert "All 16 rows sum to 1" in notes(capture)
    assert np.array_equal(capture.layers[0].given, weights)


def test_nan_is_counted_by_head_and_never_made_zero(tmp_path, attention):
    weights = attention(2, 3, 4, 4)
    weights[1, 2, 0] = np.nan
    weights[0, 1, 3, 0] = np.inf
    path = saved(tmp_path / "a.npy", weights)
    capture = opened(path, axes="layer,head,query,key")
    assert "Weights that are NaN or infinite: 5" in notes(capture)
    assert "layer 1, head 2: 4" in notes(capture)
    assert "layer 0, head 1: 1" in notes(capture)
    assert np.array_equal(capture.layer(1).given, weights[1], equal_nan=True)


def test_a_head_that_is_wholly_nan_is_counted(tmp_path, attention):
    weights = attention(3, 4, 4)
    weights[1] = np.nan
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert "layer 0, head 1: 16" in notes(capture)
    assert "All 8 rows sum to 1" in notes(capture)


def test_scores_given_as_weights_are_seen(tmp_path):
    scores = np.random.default_rng(3).normal(size=(5, 5)).astype(np.float32)
    path = saved(tmp_path / "a.npy", scores)
    capture = opened(path)
    assert f"Negative weights: {(scores < 0).sum()}" in notes(capture)
    assert np.array_equal(capture.layers[0].given[0], scores)
    found = sources.inspect(path)
    assert sources.evidence(found, found.readings[0]).verdict == "fault"


def test_rows_that_sum_to_something_else_are_left_and_named(tmp_path, attention):
    weights = attention(2, 5, 5)
    weights[1, 3] *= 1.5
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert "1 of 10 rows do not sum to 1" in notes(capture)
    assert "1.5, in layer 0, head 1, query 3" in notes(capture)
    assert np.array_equal(capture.layers[0].given, weights)


# ------------------------------------------------------------- E. shared keys, windows, sinks


def test_rows_that_a_sink_takes_from_are_no_fault_and_stay(tmp_path, attention):
    weights = attention(2, 5, 5) * np.float32(0.75)
    path = saved(tmp_path / "a.npy", weights)
    capture = opened(path, axes="head,query,key")
    assert "none sums to more, as where a sink takes the rest" in notes(capture)
    assert np.array_equal(capture.layers[0].given, weights)


def test_columns_that_sum_to_one_show_the_axes_to_be_turned(tmp_path, attention):
    turned = attention(3, 5, 5).swapaxes(1, 2)
    single = saved(tmp_path / "one.npy", turned[0])
    assert "key and query, not query and key" in refused(single)
    capture = opened(single, axes="key,query")
    assert np.array_equal(capture.layers[0].given[0], turned[0].T)
    assert "one.npy as weights (key 5, query 5)" in notes(capture)
    capture = opened(saved(tmp_path / "a.npy", turned), axes="head,key,query")
    assert np.array_equal(capture.layers[0].given, turned.swapaxes(1, 2))


def test_query_heads_that_key_heads_do_not_divide(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", q=rng.normal(size=(7, 4, 3)), k=rng.normal(size=(2, 4, 3)))
    sentence = refused(tmp_path / "a.npz", axes="head,position,width", causal=True)
    assert "7 query heads, which 2 key heads do not divide" in sentence


# --------------------------------------------------------------------------- files that are none


def test_object_arrays_are_refused_by_their_header(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "executed"), "w"))

    np.save(tmp_path / "a.npy", np.array([Trap()], dtype=object), allow_pickle=True)
    assert "Python objects" in refused(tmp_path / "a.npy")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("name", ["a.pkl", "a.npy", "a.json", "a.safetensors"])
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickles_are_refused_whatever_they_are_called(tmp_path, name, protocol):
    (tmp_path / name).write_bytes(pickle.dumps(np.eye(2), protocol))
    assert "pickle" in refused(tmp_path / name)


def test_names_that_match_nothing_are_listed(tmp_path):
    np.savez(tmp_path / "a.npz", foo=np.eye(2), bar=np.ones((3, 4)))
    sentence = refused(tmp_path / "a.npz")
    assert "foo (2 × 2 float64)" in sentence
    assert "bar (3 × 4 float64)" in sentence


def test_rows_of_different_lengths_are_named_by_their_path(tmp_path):
    ragged = [[[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.25, 0.25]]]
    (tmp_path / "a.json").write_text(json.dumps({"attn": ragged}))
    sentence = refused(tmp_path / "a.json")
    assert "attn[1][1] has 3 numbers, but attn[1][0] has 2" in sentence


@pytest.mark.parametrize("what", ["folder", "missing", "empty", "text", "gguf"])
def test_what_is_no_file_of_these(tmp_path, what):
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
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.npy")
    assert "no plain file" in refused(tmp_path / "a.npy")


@pytest.mark.parametrize("ending", ["npy", "npz", "json", "safetensors"])
@pytest.mark.parametrize("kept", [0.02, 0.5, 0.99])
def test_half_a_file(tmp_path, attention, as_f32, ending, kept):
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
def test_attention_that_a_model_did_not_return_says_how_to_ask(tmp_path, attentions):
    (tmp_path / "a.json").write_text(json.dumps({"attentions": attentions}))
    assert "only with output_attentions=True and eager attention" in refused(tmp_path / "a.json")


def test_reading_can_be_called_off_before_any_layer(tmp_path, attention):
    found = sources.inspect(saved(tmp_path / "a.npy", attention(5, 2, 4, 4)))
    seen = []

    def stop(number):
        seen.append(number)
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sources.read(found, found.readings[0], before_layer=stop)
    assert seen == [0, 1, 2]


# ----------------------------------------------------------- what is said, and what is left unsaid


def test_a_batch_item_of_what_has_no_batch_is_refused(tmp_path, attention):
    path = saved(tmp_path / "a.npy", attention(4, 4))
    assert "there is no batch that item 3 could be taken of" in refused(path, batch=3)


def test_a_number_of_heads_that_the_weights_do_not_have_is_refused(tmp_path, attention):
    path = saved(tmp_path / "a.npy", attention(1, 2, 4, 4))
    assert "has 2 heads, but 7 were said" in refused(path, heads=7)


def test_a_layer_named_twice_is_taken_once(tmp_path, attention):
    path = saved(tmp_path / "a.npy", attention(3, 1, 2, 4, 4))
    assert [layer.number for layer in opened(path, layers=[1, 1]).layers] == [1]


def test_axes_may_have_spaces_after_their_commas(tmp_path, attention):
    path = saved(tmp_path / "a.npy", attention(3, 5, 5))
    assert opened(path, axes="head, query, key").layers[0].n_heads == 3


@pytest.mark.parametrize(
    "choice",
    [
        {"batch": "0"}, {"batch": 1.0}, {"batch": True}, {"layers": 1}, {"layers": "a"},
        {"axes": ("head", "query", "key")}, {"weights": 3}, {"causal": "no"}, {"heads": 2.5},
    ],
)  # fmt: skip
def test_choices_of_another_kind_are_refused_by_name(choice):
    with pytest.raises(UserError, match=f"^{next(iter(choice))}="):
        sources.Choices(**choice)


def test_what_is_in_the_file_and_not_read_is_named(tmp_path, attention):
    mask = np.ones((1, 6), np.int64)
    np.savez(tmp_path / "a.npz", attention=attention(1, 2, 6, 6), attention_mask=mask)
    assert "not read: attention_mask (1 × 6)" in notes(opened(tmp_path / "a.npz"))


def test_nan_alone_says_nothing_of_a_mask(tmp_path):
    capture = opened(saved(tmp_path / "a.npy", np.full((1, 2, 5, 5), np.nan, np.float32)))
    assert capture.layers[0].allowed is None
    assert "causal" not in notes(capture)


@pytest.mark.parametrize("shape", [(1, 2, 9, 4), (1, 2, 4, 9)])
def test_keys_of_another_sequence_are_no_missing_mask(tmp_path, attention, shape):
    capture = opened(saved(tmp_path / "a.npy", attention(*shape, causal=False)))
    assert "mask was not applied" not in notes(capture)
    assert "as where keys are of another sequence" in notes(capture)


def test_how_many_rows_look_ahead_is_said(tmp_path, attention):
    weights = attention(1, 1, 6, 6)
    weights[0, 0, 1] = weights[0, 0, 4] = 1 / 6  # as rows of padding under a mask of -1e9
    said = "in 2 of 6 rows, up to 0.666667 (in layer 0, head 0, query 1)"
    assert said in notes(opened(saved(tmp_path / "a.npy", weights)))


def test_arrays_for_each_head_are_not_taken_for_layers(tmp_path, attention):
    heads = {f"head{head}.attn": attention(4, 4, seed=head) for head in range(3)}
    np.savez(tmp_path / "a.npz", **heads)
    assert "count heads; put those of a layer into one array" in refused(tmp_path / "a.npz")


@pytest.mark.parametrize(("shape", "said"), [((2, 5, 3), "6 key positions"), ((3, 6, 3), "3 of v")])
def test_values_that_do_not_fit_the_weights_are_named(tmp_path, attention, shape, said):
    np.savez(tmp_path / "a.npz", attention=attention(1, 2, 6, 6), v=np.ones((1, *shape)))
    assert said in refused(tmp_path / "a.npz", axes="batch,head,query,key")


def test_heads_after_positions_are_read_beside_weights_of_a_batch_of_one(tmp_path, attention):
    rng = np.random.default_rng(5)
    states = {name: rng.normal(size=(1, 6, 2, 3)) for name in ("hook_q", "hook_k", "hook_v")}
    np.savez(tmp_path / "a.npz", hook_pattern=attention(1, 2, 6, 6), **states)
    layer = opened(tmp_path / "a.npz").layers[0]
    assert np.array_equal(layer.q, states["hook_q"][0].swapaxes(0, 1))


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ([["a", "b", "c"]], "tokens is no list of texts"),
        ("abc", "tokens is no list of texts"),
        (["a", None, 3], "tokens is no list of texts"),
    ],
)
def test_tokens_in_json_that_are_no_list_of_texts(tmp_path, attention, tokens, said):
    fields = {"attention": attention(3, 3).tolist(), "tokens": tokens}
    (tmp_path / "a.json").write_text(json.dumps(fields))
    assert said in notes(opened(tmp_path / "a.json"))


def test_tokens_of_a_batch_in_npz_say_their_shape(tmp_path, attention):
    np.savez(tmp_path / "a.npz", attention=attention(3, 3), tokens=np.array([["a", "b", "c"]]))
    assert "tokens holds texts as 1 × 3; one list of them is read" in notes(
        opened(tmp_path / "a.npz")
    )


def test_ids_that_do_not_fit_are_said_not_to_be_used(tmp_path, attention):
    np.savez(tmp_path / "a.npz", attention=attention(3, 3), input_ids=np.arange(5))
    assert "input_ids (5) is not one whole number for each of 3 positions" in notes(
        opened(tmp_path / "a.npz")
    )


def test_half_a_pair_of_utf_16_becomes_a_text_that_can_be_written(tmp_path):
    text = '{"attention": [[1, 0], [0.5, 0.5]], "tokens": ["\\ud83d", "b"]}'
    (tmp_path / "a.json").write_text(text)
    tokens = opened(tmp_path / "a.json").query_tokens
    assert tokens[1] == "b"
    assert tokens[0].encode() == "\N{REPLACEMENT CHARACTER}".encode()


def test_bfloat16_as_numpy_writes_it_is_named(tmp_path):
    sentence = refused(saved(tmp_path / "a.npy", np.zeros((1, 2, 4, 4), "V2")))
    assert "if it is bfloat16, save it as float32, or with safetensors" in sentence


def test_rows_of_steps_over_the_same_keys_say_what_to_put_together(attention):
    steps = [[attention(1, 2, 1, 18) for _ in range(3)] for _ in range(4)]  # (step, layer)
    with pytest.raises(UserError, match="put the rows of a layer's steps into one array"):
        sources.found_in_arrays("attentions", {"attentions": steps})
