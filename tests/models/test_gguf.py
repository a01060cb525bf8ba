"""GGUF files: the same model as the checkpoint it was made of, in every way numbers are packed."""

import gguf
import numpy as np
import pytest

from mhagui.errors import UserError
from mhagui.models import describe, open_model

IDS = [5, 81, 5, 0, 269, 81, 17]
LLAMA_VALUES = {
    "block_count": 2,
    "context_length": 24,
    "embedding_length": 32,
    "feed_forward_length": 64,
    "attention.head_count": 4,
    "attention.head_count_kv": 2,
    "attention.layer_norm_rms_epsilon": 1e-5,
    "rope.freq_base": 500.0,
    "rope.dimension_count": 8,
}
LLAMA_CONFIG = {"hidden_size": 32, "intermediate_size": 64, "head_dim": 8}
NAMES = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "model.layers.": "blk.",
    "wte.weight": "token_embd.weight",
    "wpe.weight": "position_embd.weight",
    "ln_f": "output_norm",
    "attn.c_attn": "attn_qkv",
    "attn.c_proj": "attn_output",
    "mlp.c_fc": "ffn_up",
    "mlp.c_proj": "ffn_down",
    "ln_1": "attn_norm",
    "ln_2": "ffn_norm",
}


def renamed(name):
    for old, new in NAMES.items():
        name = name.replace(old, new)
    return name.replace("h.", "blk.") if name.startswith("h.") else name


def interleaved(rows, n_heads):
    """Put numbers that are half a head apart side by side, as llama.cpp's converter does."""
    out = []
    for head in np.split(rows, n_heads):
        half = len(head) // 2
        for j in range(half):
            out += [head[j], head[j + half]]
    return np.array(out)


def llama_tensors(checkpoint):
    tensors = {}
    for name, tensor in checkpoint.tensors.items():
        n_heads = 4 if "q_proj" in name else 2 if "k_proj" in name else None
        tensors[renamed(name)] = interleaved(tensor, n_heads) if n_heads else tensor
    return tensors


def test_a_llama_is_the_same_as_its_checkpoint(write_checkpoint, write_gguf):
    checkpoint = write_checkpoint("llama", **LLAMA_CONFIG)
    path = write_gguf("llama", LLAMA_VALUES, llama_tensors(checkpoint))
    one, other = open_model(checkpoint.folder), open_model(path)
    given, expected = other.run(IDS), one.run(IDS)
    np.testing.assert_allclose(given.logits(), expected.logits(), atol=1e-5)
    for layer, right in zip(given.layers, expected.layers, strict=True):
        np.testing.assert_allclose(layer.q, right.q, atol=1e-5)
        np.testing.assert_allclose(layer.k, right.k, atol=1e-5)
    assert describe(path).float32_bytes == describe(checkpoint.folder).float32_bytes
    assert other.tokens("the 1234").ids == one.tokens("the 1234").ids


def test_a_qwen2_has_its_pairs_half_a_head_apart(write_checkpoint, write_gguf):
    checkpoint = write_checkpoint("qwen2", **LLAMA_CONFIG)
    tensors = {renamed(name): tensor for name, tensor in checkpoint.tensors.items()}
    values = {name: v for name, v in LLAMA_VALUES.items() if "dimension" not in name}
    given = open_model(write_gguf("qwen2", values, tensors, cut="qwen2")).run(IDS)
    expected = open_model(checkpoint.folder).run(IDS)
    np.testing.assert_allclose(given.logits(), expected.logits(), atol=1e-5)
    assert given.layers[0].b_v.shape == (2, 8)


def test_a_gpt2_is_the_same_as_its_checkpoint(write_checkpoint, write_gguf):
    checkpoint = write_checkpoint("gpt2")
    tensors = {
        renamed(name): np.ascontiguousarray(tensor.T) if ".c_" in name else tensor
        for name, tensor in checkpoint.tensors.items()
    }
    values = {
        "block_count": 2,
        "context_length": 24,
        "embedding_length": 12,
        "feed_forward_length": 48,
        "attention.head_count": 3,
        "attention.layer_norm_epsilon": 1e-5,
    }
    given = open_model(write_gguf("gpt2", values, tensors)).run(IDS)
    expected = open_model(checkpoint.folder).run(IDS)
    np.testing.assert_allclose(given.logits(), expected.logits(), atol=1e-4)


def test_llama_3s_table_of_slowness_divides_the_speeds(write_checkpoint, write_gguf):
    checkpoint = write_checkpoint("llama", **LLAMA_CONFIG)
    tensors = llama_tensors(checkpoint)
    slow = np.array([1, 1, 8, 8], np.float32)
    path = write_gguf("llama", LLAMA_VALUES, tensors | {"rope_freqs.weight": slow})
    given = open_model(path).run(IDS).layers[0].q
    plain = open_model(write_gguf("llama", LLAMA_VALUES, tensors)).run(IDS).layers[0].q
    speeds = 500.0 ** (-np.arange(4) / 4)
    turns = np.arange(len(IDS))[:, np.newaxis] * (speeds / slow - speeds)  # from plain to given
    both = plain[..., :4] + 1j * plain[..., 4:]
    expected = both * np.exp(1j * turns)
    np.testing.assert_allclose(given[..., :4] + 1j * given[..., 4:], expected, atol=1e-4)


def test_a_table_of_slowness_has_to_be_above_0(write_checkpoint, write_gguf):
    tensors = llama_tensors(write_checkpoint("llama", **LLAMA_CONFIG))
    tensors["rope_freqs.weight"] = np.array([1, 1, 0, 8], np.float32)
    model = open_model(write_gguf("llama", LLAMA_VALUES, tensors))
    with pytest.raises(UserError, match="has numbers of 0 or less"):
        model.run(IDS)


@pytest.mark.parametrize("kind", ["F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"])
def test_packed_tensors_are_what_the_package_unpacks(kind, write_checkpoint, write_gguf):
    checkpoint = write_checkpoint("llama", **LLAMA_CONFIG)
    unpacked, packed = {}, {}
    as_kind = gguf.GGMLQuantizationType[kind]
    for name, tensor in llama_tensors(checkpoint).items():
        if tensor.ndim == 1:
            unpacked[name] = packed[name] = tensor
            continue
        data = gguf.quants.quantize(tensor, as_kind)
        packed[name] = (data, as_kind)
        unpacked[name] = gguf.quants.dequantize(data, as_kind).astype(np.float32)
    given = open_model(write_gguf("llama", LLAMA_VALUES, packed)).run(IDS).logits()
    expected = open_model(write_gguf("llama", LLAMA_VALUES, unpacked)).run(IDS).logits()
    np.testing.assert_array_equal(given, expected)


def test_an_embedding_is_read_row_by_row_where_a_model_is_not_kept(
    monkeypatch, write_checkpoint, write_gguf
):
    checkpoint = write_checkpoint("llama", **LLAMA_CONFIG)
    path = write_gguf("llama", LLAMA_VALUES, llama_tensors(checkpoint))
    expected = open_model(path).run(IDS).logits()
    monkeypatch.setattr("mhagui.models.weights.KEPT_BYTES", 0)
    for where in (path, checkpoint.folder):
        model = open_model(where)
        for _ in range(2):
            np.testing.assert_allclose(model.run(IDS).logits(), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("attention.sliding_window", "“llama.attention.sliding_window” is 16"),
        ("expert_count", "“llama.expert_count” is 16"),
        ("rope.scaling.factor", "“llama.rope.scaling.factor” is 16"),
    ],
)
def test_what_would_change_the_attention_is_refused_by_name(
    value, said, write_checkpoint, write_gguf
):
    tensors = llama_tensors(write_checkpoint("llama", **LLAMA_CONFIG))
    path = write_gguf("llama", LLAMA_VALUES | {value: 16}, tensors)
    with pytest.raises(UserError, match=said):
        describe(path)


def test_another_architecture_is_refused_by_name(write_gguf):
    with pytest.raises(UserError, match="“gemma3” model, which is not rebuilt here; gpt2, llama"):
        describe(write_gguf("gemma3", {"block_count": 1}, {"x": np.zeros((1, 32), np.float32)}))


def test_a_way_of_packing_that_cannot_be_unpacked_is_refused_by_name(write_checkpoint, write_gguf):
    tensors = llama_tensors(write_checkpoint("llama", **LLAMA_CONFIG))
    packed = np.zeros((270, 40), np.uint8)  # 32 numbers in 40 bytes, a row each
    tensors["token_embd.weight"] = (packed, gguf.GGMLQuantizationType.Q8_1)
    path = write_gguf("llama", LLAMA_VALUES, tensors)
    with pytest.raises(UserError, match=r"“token_embd.weight” is quantised as Q8_1, which is not"):
        describe(path)
    data = bytearray(path.read_bytes())
    at = data.index(b"token_embd.weight") + len("token_embd.weight") + 4 + 16  # behind the shape
    assert data[at] == gguf.GGMLQuantizationType.Q8_1
    data[at] = 99
    path.write_bytes(data)
    with pytest.raises(
        UserError, match=r"“token_embd.weight” is quantised in way 99, which is not"
    ):
        describe(path)
