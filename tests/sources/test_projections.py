"""Q and K, and X with its projections: the same attention, however the matrices lie in the file."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mhagui import sources

T, WIDTH, HEADS, D = 5, 12, 3, 4


def softmax(scores, causal):
    """Rows of softmax, key by key, in plain loops: what everything here has to agree with."""
    weights = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape[:-1]):
        n_seen = place[-1] + 1 if causal else scores.shape[-1]
        e = np.exp(scores[place][:n_seen] - scores[place][:n_seen].max())
        weights[place][:n_seen] = e / e.sum()
    return weights


@pytest.fixture
def layer():
    """One layer in float64: X, the matrices of its heads (H, d_model, d), and what follows."""
    rng = np.random.default_rng(5)
    made = {"x": rng.normal(size=(T, WIDTH))}
    for name in "qkv":
        made[f"w_{name}"] = rng.normal(size=(HEADS, WIDTH, D)) / 2
        made[f"b_{name}"] = rng.normal(size=(HEADS, D))
        made[name] = np.stack(
            [made["x"] @ w + b for w, b in zip(made[f"w_{name}"], made[f"b_{name}"], strict=True)]
        )
    made["w_o"] = rng.normal(size=(HEADS * D, WIDTH))
    made["weights"] = softmax(made["q"] @ made["k"].swapaxes(1, 2) / D**0.5, causal=True)
    return made


def packed(w):
    """(H, d_model, d) as (d_model, H·d): the heads side by side."""
    return np.concatenate(list(w), axis=1)


def test_q_and_k_ask_for_the_mask_alone(tmp_path, layer, opened, refused):
    np.savez(tmp_path / "a.npz", q=layer["q"], k=layer["k"])
    assert "axes=head,position,width" in refused(tmp_path / "a.npz")
    assert "causal=yes or no" in refused(tmp_path / "a.npz", axes="head,position,width")
    (opened_layer,) = opened(tmp_path / "a.npz", axes="head,position,width", causal=True).layers
    assert np.allclose(opened_layer.weights, layer["weights"], atol=1e-12)


def test_q_k_v_with_stored_weights_prove_one_another(tmp_path, layer, opened):
    arrays = {name: layer[name] for name in ("q", "k", "v", "weights")}
    np.savez(tmp_path / "a.npz", **arrays)
    capture = opened(tmp_path / "a.npz")  # the weights leave one way to read the axes of q, k and v
    assert any("differ from the stored ones by" in note for note in capture.notes)
    np.savez(tmp_path / "b.npz", **arrays | {"k": layer["k"][::-1]})
    found = sources.inspect(tmp_path / "b.npz")
    (proof,) = sources.evidence(found, found.readings[0]).about("recomputed")
    assert proof.verdict == "fault"
    assert proof.number > 0.1


def test_heads_before_or_after_positions_and_packed(tmp_path, layer, opened, refused):
    kept = layer["weights"]
    by_position = {name: layer[name].transpose(1, 0, 2) for name in "qk"}
    np.savez(tmp_path / "a.npz", **by_position)
    read = opened(tmp_path / "a.npz", axes="position,head,width", causal=True)
    assert np.allclose(read.layers[0].weights, kept, atol=1e-12)
    np.savez(tmp_path / "b.npz", **{n: a.reshape(T, -1) for n, a in by_position.items()})
    assert "how many there are (heads=" in refused(
        tmp_path / "b.npz", axes="position,packed", causal=True
    )
    read = opened(tmp_path / "b.npz", axes="position,packed", causal=True, heads=HEADS)
    assert np.allclose(read.layers[0].weights, kept, atol=1e-12)
    assert "5 heads do not divide" in refused(
        tmp_path / "b.npz", axes="position,packed", causal=True, heads=5
    )


def test_shared_keys(tmp_path, opened):
    rng = np.random.default_rng(2)
    q, k = rng.normal(size=(4, T, D)), rng.normal(size=(2, T, D))
    np.savez(tmp_path / "a.npz", q=q, k=k)
    capture = opened(tmp_path / "a.npz", axes="head,position,width", causal=False)
    (read,) = capture.layers
    assert "4 query heads share 2 key heads, 2 each." in capture.notes
    assert (read.n_heads, read.n_key_heads) == (4, 2)
    expected = softmax(q @ k[[0, 0, 1, 1]].swapaxes(1, 2) / D**0.5, causal=False)
    assert np.allclose(read.weights, expected, atol=1e-12)


@pytest.mark.parametrize("way", ["in x out", "out x in"])
@pytest.mark.parametrize("form", ["packed", "per head", "fused"])
def test_projections_however_they_lie(tmp_path, layer, way, form, opened):
    if form == "per head":
        matrices = {f"w_{n}": layer[f"w_{n}"] for n in "qkv"}
        matrices["w_o"] = layer["w_o"].reshape(HEADS, D, WIDTH)
    else:
        matrices = {f"w_{n}": packed(layer[f"w_{n}"]) for n in "qkv"} | {"w_o": layer["w_o"]}
    biases = {f"b_{n}": layer[f"b_{n}"].reshape(-1) for n in "qkv"}
    if form == "fused":
        matrices = {
            "w_qkv": np.concatenate([matrices[f"w_{n}"] for n in "qkv"], axis=1),
            "w_o": layer["w_o"],
        }
        biases = {"b_qkv": np.concatenate(list(biases.values()))}
    if way == "out x in":
        matrices = {name: w.swapaxes(-1, -2) for name, w in matrices.items()}
    path = tmp_path / "a.npz"
    np.savez(path, x=layer["x"], **matrices, **biases)
    (read,) = opened(path, orientation=way, heads=HEADS, causal=True).layers
    assert np.allclose(read.weights, layer["weights"], atol=1e-12)
    for name in ("x", "q", "k", "v", "w_v", "b_v", "w_o"):
        assert np.allclose(getattr(read, name), layer[name], atol=1e-12), name


@pytest.mark.parametrize("way", ["in x out", "out x in"])
def test_stored_weights_prove_the_orientation(tmp_path, layer, way, opened):
    matrices = {f"w_{n}": packed(layer[f"w_{n}"]) for n in "qk"}
    if way == "out x in":
        matrices = {name: w.T for name, w in matrices.items()}
    biases = {f"b_{n}": layer[f"b_{n}"] for n in "qk"}
    path = tmp_path / "a.npz"
    np.savez(path, x=layer["x"], weights=layer["weights"], **matrices, **biases)
    capture = opened(path, axes="head,query,key")
    assert np.allclose(capture.layers[0].q, layer["q"])
    assert any(f"read as {way}" in note for note in capture.notes)
    found = sources.inspect(path)
    tried = sources.evidence(found, found.readings[0]).about("recomputed")
    assert {("the same" in p.sentence and "not the same" not in p.sentence) for p in tried} == {
        True, False
    }  # fmt: skip


def test_square_matrices_alone_ask_for_all_that_is_open(tmp_path, layer, refused):
    np.savez(tmp_path / "a.npz", x=layer["x"], w_q=packed(layer["w_q"]), w_k=packed(layer["w_k"]))
    sentence = refused(tmp_path / "a.npz")
    for asked in ("heads=", "orientation=", "causal="):
        assert asked in sentence


@pytest.mark.parametrize(
    "names",
    [
        {"w_q": "q_proj.weight", "w_k": "k_proj.weight", "w_v": "v_proj.weight"},
        {"w_q": "model.layers.3.self_attn.q_proj.weight",
         "w_k": "model.layers.3.self_attn.k_proj.weight",
         "w_v": "model.layers.3.self_attn.v_proj.weight"},
        {"w_q": "encoder.layer.3.attention.self.query.weight",
         "w_k": "encoder.layer.3.attention.self.key.weight",
         "w_v": "encoder.layer.3.attention.self.value.weight",
         "w_o": "encoder.layer.3.attention.output.dense.weight"},
    ],
)  # fmt: skip
def test_names_of_linear_layers_say_out_by_in(tmp_path, as_f32, layer, names, opened):
    layer["w_o"] = layer["w_o"].reshape(HEADS, D, WIDTH)
    arrays = {
        name: (layer[role].reshape(-1, WIDTH) if role == "w_o" else packed(layer[role])).T
        for role, name in names.items()
    }
    path = as_f32(tmp_path / "a.safetensors", arrays | {"x": layer["x"]})
    (read,) = opened(path, heads=HEADS, causal=True).layers
    plain = np.stack([layer["x"] @ w for w in layer["w_q"]])
    assert np.allclose(read.q, plain, atol=1e-5)
    if "w_o" in names:
        assert np.allclose(read.w_o, layer["w_o"].reshape(-1, WIDTH), atol=1e-6)
    assert read.number == (3 if "3" in names["w_q"] else 0)


def test_names_of_gpt2_say_in_by_out(tmp_path, as_f32, layer, opened):
    fused = np.concatenate([packed(layer[f"w_{n}"]) for n in "qkv"], axis=1)
    bias = np.concatenate([layer[f"b_{n}"].reshape(-1) for n in "qkv"])
    arrays = {"h.2.attn.c_attn.weight": fused, "h.2.attn.c_attn.bias": bias}
    arrays |= {"h.2.attn.c_proj.weight": layer["w_o"], "x": layer["x"]}
    (read,) = opened(as_f32(tmp_path / "a.safetensors", arrays), heads=HEADS, causal=True).layers
    assert np.allclose(read.weights, layer["weights"], atol=1e-5)
    assert np.allclose(read.w_o, layer["w_o"], atol=1e-6)
    assert read.number == 2


@pytest.mark.parametrize(
    ("name", "family"),
    [("transformer.wte.weight", "GPT-2"), ("bert.embeddings.word_embeddings.weight", "BERT"),
     ("model.embed_tokens.weight", "LLaMA")],
)  # fmt: skip
def test_a_whole_checkpoint_is_opened_as_a_model(tmp_path, as_f32, name, family, refused):
    arrays = {name: np.ones((7, WIDTH)), "h.0.ln_1.weight": np.ones(WIDTH)}
    arrays |= {f"model.layers.{n}.self_attn.q_proj.weight": np.eye(WIDTH) for n in range(2)}
    path = as_f32(tmp_path / "a.safetensors", arrays)
    assert sources.inspect(path).family == family
    assert f"checkpoint of a {family} model" in refused(path)
    assert "open it as a model" in refused(path)


def test_one_x_for_many_layers_asks_for_the_layer(tmp_path, as_f32, layer, opened, refused):
    arrays = {
        f"layers.{number}.{name}_proj.weight": (number + 1) * packed(layer[f"w_{name}"]).T
        for number in range(2)
        for name in "qk"
    }
    path = as_f32(tmp_path / "a.safetensors", arrays | {"x": layer["x"]})
    assert "choose the one layer" in refused(path, heads=HEADS, causal=True)
    (read,) = opened(path, heads=HEADS, causal=True, layers=(1,)).layers
    assert np.allclose(read.q, 2 * np.stack([layer["x"] @ w for w in layer["w_q"]]), atol=1e-5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"w_q": np.ones((9, 12))}, ("9", "12")),
        ({"b_q": np.ones(7)}, ("7 numbers", "3 × 4")),
        ({"w_o": np.ones((10, 12))}, ("10 numbers", "3 heads of 4 give 12")),
    ],
)
def test_sizes_that_do_not_fit_are_named(tmp_path, layer, change, said, refused):
    matrices = {f"w_{n}": packed(layer[f"w_{n}"]) for n in "qkv"}
    np.savez(tmp_path / "a.npz", **{"x": layer["x"]} | matrices | change)
    sentence = refused(tmp_path / "a.npz", orientation="in x out", heads=HEADS, causal=True)
    assert all(part in sentence for part in said)


def test_layers_that_differ_are_named(tmp_path, layer, refused):
    np.savez(
        tmp_path / "a.npz",
        **{f"q_{n}": layer["q"] for n in range(3)}, **{f"k_{n}": layer["k"] for n in range(2)},
    )  # fmt: skip
    sentence = refused(tmp_path / "a.npz", axes="head,position,width", causal=True)
    assert "0 to 2" in sentence
    assert "0, 1" in sentence


def test_a_reading_is_data_that_a_dialog_can_change(tmp_path, layer):
    np.savez(tmp_path / "a.npz", foo=layer["weights"], bar=layer["q"], baz=layer["k"])
    found = sources.inspect(tmp_path / "a.npz")
    assert found.readings == ()
    reading = sources.Reading(()).with_part("weights", "foo", ("head", "query", "key"))
    reading = reading.with_part("q", "bar", ("head", "position", "width"))
    reading = reading.with_part("k", "baz", ("head", "position", "width"))
    (proof,) = sources.evidence(found, reading).about("recomputed")
    assert proof.verdict == "ok"
    turned = reading.with_axes("weights", ("head", "key", "query"))
    assert sources.evidence(found, turned).verdict == "fault"
    assert "foo as weights (head 3, query 5, key 5)" in sources.describe(found, reading)
    assert "foo as weights (head 3, key 5, query 5)" in sources.describe(found, turned)
    assert sources.axes_choices("weights", 3)[0] == ("head", "query", "key")


def test_input_ids_are_kept_where_they_fit(tmp_path, attention, opened):
    np.savez(tmp_path / "a.npz", attn=attention(4, 4), input_ids=np.array([[5, 6, 5, 7]]))
    assert opened(tmp_path / "a.npz").token_ids == (5, 6, 5, 7)
    (tmp_path / "b.json").write_text(
        json.dumps({"attn": attention(4, 4).tolist(), "token_ids": [1, 2]})
    )
    assert opened(tmp_path / "b.json").token_ids == ()


def test_scale_of_one_as_some_models_have(tmp_path, layer):
    scores = layer["q"] @ layer["k"].swapaxes(1, 2)
    np.savez(tmp_path / "a.npz", q=layer["q"], k=layer["k"], attn=softmax(scores, causal=True))
    found = sources.inspect(tmp_path / "a.npz")
    reading = found.readings[0]
    assert sources.evidence(found, reading).about("recomputed")[0].verdict == "fault"
    (proof,) = sources.evidence(found, replace(reading, scale=1.0)).about("recomputed")
    assert proof.verdict == "ok"


def test_weights_and_states_of_different_sizes_are_named(tmp_path, layer, attention, refused):
    np.savez(tmp_path / "a.npz", attn=attention(2, 7, 7), q=layer["q"], k=layer["k"])
    sentence = refused(tmp_path / "a.npz")
    assert "weights has 2 heads, q has 3" in sentence


def test_x_of_one_input_beside_a_batch_is_no_ones(tmp_path, attention, refused):
    np.savez(tmp_path / "a.npz", attn=attention(6, 2, 3, 3), x=np.ones((3, 8)))
    sentence = refused(tmp_path / "a.npz", axes="batch,head,query,key", batch=1)
    assert "x has no batch, and there are 6 items" in sentence


def test_q_and_k_that_are_not_finite_are_counted(tmp_path, layer, opened):
    q = layer["q"].copy()
    q[1, 2] = np.nan
    np.savez(tmp_path / "a.npz", q=q, k=layer["k"], attn=layer["weights"])
    capture = opened(tmp_path / "a.npz")
    assert any(f"Numbers of q in layer 0 that are NaN or infinite: {D}" in n for n in capture.notes)
    assert any("cannot be recomputed" in n for n in capture.notes)
    assert np.array_equal(capture.layers[0].q, q, equal_nan=True)


def test_stored_queries_stay_as_they_are_beside_their_projection(tmp_path, layer, opened):
    stored = {name: layer[name] + 1 for name in "qkv"}  # as rotary positions would change them
    matrices = {f"w_{name}": packed(layer[f"w_{name}"]) for name in "qkv"}
    np.savez(tmp_path / "a.npz", x=layer["x"], **stored, **matrices)
    choices = {"orientation": "in x out", "heads": HEADS, "causal": True}
    (read,) = opened(tmp_path / "a.npz", axes="head,position,width", **choices).layers
    for name in "qkv":
        assert np.array_equal(getattr(read, name), stored[name])
    assert np.allclose(read.w_v, layer["w_v"])


def test_stored_weights_say_how_many_heads_are_packed(tmp_path, layer, opened):
    side_by_side = {name: layer[name].transpose(1, 0, 2).reshape(T, -1) for name in "qkv"}
    np.savez(tmp_path / "a.npz", weights=layer["weights"], **side_by_side)
    capture = opened(tmp_path / "a.npz", axes="head,query,key position,packed")
    for name in "qkv":
        assert np.array_equal(getattr(capture.layers[0], name), layer[name])
    assert any(": the same." in note for note in capture.notes)
