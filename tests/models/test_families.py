"""Every family against its formulas, written out in float64 head by head."""

import json
import math

import numpy as np
import pytest
from safetensors.numpy import save_file

from mhagui.models import open_model

IDS = [5, 81, 5, 0, 269, 81, 17]


def softmax(scores):
    scores = np.exp(scores - scores.max())
    return scores / scores.sum()


def layer_norm(x, gain, bias, epsilon):
    return np.array([(r - r.mean()) / math.sqrt(r.var() + epsilon) * gain + bias for r in x])


def rms_norm(x, gain, epsilon):
    return np.array([r / math.sqrt((r @ r) / len(r) + epsilon) * gain for r in x])


def attended(q, k, v, causal):
    """Give weights and outputs of one head, row by row."""
    weights = np.zeros((len(q), len(k)))
    for t in range(len(q)):
        seen = t + 1 if causal else len(k)
        weights[t, :seen] = softmax(k[:seen] @ q[t] / math.sqrt(len(q[t])))
    return weights, weights @ v


def by_head(rows, n_heads):
    return np.split(rows, n_heads, axis=1)


def turned(head, speeds):
    """Turn number j of each row, together with the one half a head on, by t times its speed."""
    half = head.shape[1] // 2
    out = np.empty_like(head)
    for t, row in enumerate(head):
        for j in range(half):
            cos, sin = math.cos(t * speeds[j]), math.sin(t * speeds[j])
            out[t, j] = row[j] * cos - row[j + half] * sin
            out[t, j + half] = row[j + half] * cos + row[j] * sin
    return out


def gpt2(config, w, ids):
    x = w["wte.weight"][ids] + w["wpe.weight"][: len(ids)]
    layers = []
    for n in range(config["n_layer"]):
        own = {name.removeprefix(f"h.{n}."): t for name, t in w.items() if f"h.{n}." in name}
        read = layer_norm(x, own["ln_1.weight"], own["ln_1.bias"], 1e-5)
        qkv = read @ own["attn.c_attn.weight"] + own["attn.c_attn.bias"]
        q, k, v = (by_head(part, config["n_head"]) for part in np.split(qkv, 3, axis=1))
        heads = [attended(*parts, causal=True) for parts in zip(q, k, v, strict=True)]
        concat = np.hstack([out for _, out in heads])
        x = x + concat @ own["attn.c_proj.weight"] + own["attn.c_proj.bias"]
        up = layer_norm(x, own["ln_2.weight"], own["ln_2.bias"], 1e-5) @ own["mlp.c_fc.weight"]
        up += own["mlp.c_fc.bias"]
        up = 0.5 * up * (1 + np.tanh(math.sqrt(2 / math.pi) * (up + 0.044715 * up**3)))
        x = x + up @ own["mlp.c_proj.weight"] + own["mlp.c_proj.bias"]
        layers.append((read, np.array([weights for weights, _ in heads])))
    last = layer_norm(x, w["ln_f.weight"], w["ln_f.bias"], 1e-5)
    return layers, last @ w["wte.weight"].T


def llama(config, w, ids, speeds=None):
    n_heads, n_key_heads, width = (
        config[name] for name in ("num_attention_heads", "num_key_value_heads", "head_dim")
    )
    if speeds is None:
        speeds = [config["rope_theta"] ** (-2 * j / width) for j in range(width // 2)]
    x = w["model.embed_tokens.weight"][ids]
    layers = []
    for n in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{n}."
        own = {name.removeprefix(prefix): t for name, t in w.items() if prefix in name}
        read = rms_norm(x, own["input_layernorm.weight"], config["rms_norm_eps"])
        q, k, v = (
            by_head(
                read @ own[f"self_attn.{c}_proj.weight"].T + own.get(f"self_attn.{c}_proj.bias", 0),
                count,
            )
            for c, count in (("q", n_heads), ("k", n_key_heads), ("v", n_key_heads))
        )
        heads = [
            attended(turned(q[h], speeds), turned(k[g], speeds), v[g], causal=True)
            for h in range(n_heads)
            for g in [h // (n_heads // n_key_heads)]
        ]
        x = x + np.hstack([out for _, out in heads]) @ own["self_attn.o_proj.weight"].T
        fed = rms_norm(x, own["post_attention_layernorm.weight"], config["rms_norm_eps"])
        gate, up = fed @ own["mlp.gate_proj.weight"].T, fed @ own["mlp.up_proj.weight"].T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ own["mlp.down_proj.weight"].T
        layers.append((read, np.array([weights for weights, _ in heads])))
    last = rms_norm(x, w["model.norm.weight"], config["rms_norm_eps"])
    return layers, last @ w.get("lm_head.weight", w["model.embed_tokens.weight"]).T


def bert(config, w, ids):
    def normed(x, name):
        return layer_norm(x, w[f"{name}.weight"], w[f"{name}.bias"], config["layer_norm_eps"])

    def linear(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = normed(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    layers = []
    for n in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{n}."
        q, k, v = (
            by_head(linear(x, f"{name}attention.self.{part}"), config["num_attention_heads"])
            for part in ("query", "key", "value")
        )
        heads = [attended(*parts, causal=False) for parts in zip(q, k, v, strict=True)]
        layers.append((x, np.array([weights for weights, _ in heads])))
        concat = np.hstack([out for _, out in heads])
        x = normed(
            x + linear(concat, f"{name}attention.output.dense"), f"{name}attention.output.LayerNorm"
        )
        up = linear(x, f"{name}intermediate.dense")
        up = np.vectorize(lambda z: z * 0.5 * (1 + math.erf(z / math.sqrt(2))))(up)
        x = normed(x + linear(up, f"{name}output.dense"), f"{name}output.LayerNorm")
    return layers, x


FORMULAS = {"gpt2": gpt2, "llama": llama, "qwen2": llama, "bert": bert}


def exactly(tensors):
    return {name: tensor.astype(np.float64) for name, tensor in tensors.items()}


def softmax_of(layer):
    """Make the weights of a captured layer from its queries and keys, head by head."""
    share = len(layer.q) // len(layer.k)
    causal = layer.allowed is not None
    return np.array(
        [
            attended(q.astype(float), layer.k[h // share].astype(float), layer.v[0], causal)[0]
            for h, q in enumerate(layer.q)
        ]
    )


def assert_agrees(run, layers, last):
    assert [layer.number for layer in run.layers] == list(range(len(layers)))
    for layer, (read, weights) in zip(run.layers, layers, strict=True):
        np.testing.assert_allclose(layer.x, read, atol=2e-4)
        np.testing.assert_allclose(softmax_of(layer), weights, atol=2e-4)
        # Of uniform weights any formula would do.
        assert weights[:, -1].max() > 1.4 / len(IDS)
    given = run.logits() if run.layers[0].allowed is not None else run.last
    np.testing.assert_allclose(given, last, rtol=2e-4, atol=2e-3)


@pytest.mark.parametrize("kind", ["gpt2", "llama", "qwen2", "bert"])
def test_weights_inputs_and_logits_follow_the_formulas(kind, write_checkpoint):
    made = write_checkpoint(kind)
    run = open_model(made.folder).run(IDS)
    assert_agrees(run, *FORMULAS[kind](made.config, exactly(made.tensors), IDS))


@pytest.mark.parametrize("kind", ["gpt2", "llama", "bert"])
def test_prefixes_that_other_programs_leave_out_or_add_make_no_difference(kind, write_checkpoint):
    plain = write_checkpoint(kind)
    expected = open_model(plain.folder).run(IDS).last
    prefix = {"gpt2": "transformer.", "bert": "bert.", "llama": ""}[kind]
    renamed = {
        name: f"{prefix}{name}" if prefix else name.removeprefix("model.") for name in plain.tensors
    }
    tensors = dict.fromkeys(plain.tensors) | {
        renamed[name]: tensor for name, tensor in plain.tensors.items()
    }
    again = open_model(write_checkpoint(kind, tensors).folder).run(IDS).last
    np.testing.assert_array_equal(again, expected)


def test_a_bert_with_the_names_of_its_first_checkpoints(write_checkpoint):
    plain = write_checkpoint("bert")
    expected = open_model(plain.folder).run(IDS).last
    renamed = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for name, tensor in plain.tensors.items()
    }
    again = write_checkpoint("bert", dict.fromkeys(plain.tensors) | renamed)
    assert "embeddings.LayerNorm.weight" not in again.tensors
    np.testing.assert_array_equal(open_model(again.folder).run(IDS).last, expected)


def test_an_output_matrix_counts_only_where_it_is_not_tied(write_checkpoint):
    matrix = np.ones((270, 12), np.float32)
    tied = open_model(write_checkpoint("gpt2", {"lm_head.weight": matrix}).folder)
    assert tied.run(IDS).logits().std(axis=1).min() > 1
    untied = write_checkpoint("gpt2", {"lm_head.weight": matrix}, tie_word_embeddings=False)
    assert open_model(untied.folder).run(IDS).logits().std(axis=1).max() < 1e-3


def test_llama_3_turns_slow_pairs_more_slowly(write_checkpoint):
    scaling = {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    }
    made = write_checkpoint("llama", rope_scaling=scaling)
    speeds = []
    for j in range(3):
        speed = 500.0 ** (-2 * j / 6)
        length = 2 * math.pi / speed
        if length > 64 / 1.0:
            speeds.append(speed / 8)
        elif length < 64 / 4.0:
            speeds.append(speed)
        else:
            share = (64 / length - 1.0) / (4.0 - 1.0)
            speeds.append((1 - share) * speed / 8 + share * speed)
    assert len({round(speed * 500.0 ** (2 * j / 6), 6) for j, speed in enumerate(speeds)}) == 3
    run = open_model(made.folder).run(IDS)
    assert_agrees(run, *llama(made.config, exactly(made.tensors), IDS, speeds))
    newer = {"rope_theta": None, "rope_parameters": scaling | {"rope_theta": 500.0}}
    again = write_checkpoint("llama", **newer)
    np.testing.assert_array_equal(open_model(again.folder).run(IDS).last, run.last)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_other_kinds_of_numbers_are_read_exactly(dtype, write_checkpoint):
    made = write_checkpoint("gpt2")
    halves = {
        # numbers that a bfloat16 can hold: the lower half of a float32 is nothing
        name: (tensor.view(np.uint32) & 0xFFFF0000).view(np.float32).astype(np.float16)
        .astype(np.float32)
        for name, tensor in made.tensors.items()
    }  # fmt: skip
    expected = open_model(write_checkpoint("gpt2", halves).folder).run(IDS).last
    folder = write_checkpoint("gpt2", halves).folder
    if dtype == "bfloat16":
        rewrite_as_bfloat16(folder / "model.safetensors", halves)
    else:
        stored = {name: tensor.astype(dtype) for name, tensor in halves.items()}
        folder = write_checkpoint("gpt2", stored).folder
    np.testing.assert_array_equal(open_model(folder).run(IDS).last, expected)


def rewrite_as_bfloat16(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        half = (tensor.view(np.uint32) >> 16).astype("<u2").tobytes()
        header[name] = {
            "dtype": "BF16",
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(half)],
        }
        data += half
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def test_a_checkpoint_in_several_files_is_one_model(write_checkpoint):
    made = write_checkpoint("llama")
    expected = open_model(made.folder).run(IDS).last
    (made.folder / "model.safetensors").unlink()
    names = list(made.tensors)
    files = {"model-1.safetensors": names[:9], "model-2.safetensors": names[9:]}
    for file, held in files.items():
        save_file({name: made.tensors[name] for name in held}, made.folder / file)
    index = {"weight_map": {name: file for file, held in files.items() for name in held}}
    (made.folder / "model.safetensors.index.json").write_text(json.dumps(index))
    for path in (made.folder, made.folder / "model-2.safetensors"):
        np.testing.assert_array_equal(open_model(path).run(IDS).last, expected)


def test_gelu_by_its_definition_and_by_tanh_are_told_apart(write_checkpoint):
    from mhagui.models.forward import gelu_erf, gelu_tanh

    x = np.linspace(-6, 6, 1001, dtype=np.float32)
    exact = np.array([z * 0.5 * math.erfc(-z / math.sqrt(2)) for z in x.astype(float)])
    np.testing.assert_allclose(gelu_erf(x), exact, atol=5e-7)
    assert 1e-4 < abs(gelu_tanh(x) - exact).max() < 1e-3  # the known error of the tanh formula
