"""What the tensors of a model are called in its file, and their shapes there.

A role is what a tensor is to the forward pass: ``q`` makes queries, ``up`` opens the feed-forward
block, ``norm1`` is attention's and ``norm2`` that of the feed-forward block. Shapes are letters:

d  d_model          a  H · d_head              v  vocabulary
f  d_hidden         k  H_kv · d_head           c  context
t  token types      q  H · d_head, 2 times H_kv · d_head more: queries, keys and values in one
h  d_head / 2
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mhagui.models.architecture import BERT, GPT2, QWEN2, Architecture

Shapes = dict[str, tuple[str, str]]  # role -> name in the file, letters of the shape


@dataclass(frozen=True)
class Layout:
    """Names and shapes of the tensors of one family in one kind of file.

    Attributes
    ----------
    whole, layer
        Role -> name and shape; names of a layer's tensors follow ``prefix`` with its number.
    optional
        Roles that a model need not have: biases, an output matrix beside the embedding.
    ignored
        Names of what plays no part in the forward pass, as a pattern.
    out_first
        Whether a matrix is stored (out, in), as ``torch.nn.Linear`` has it.
    interleaved
        Whether queries and keys are stored so that the numbers turned together are neighbours;
        elsewhere they are half a head apart.
    """

    whole: Shapes
    prefix: str
    layer: Shapes
    optional: frozenset[str]
    ignored: str = "(?!)"
    out_first: bool = True
    interleaved: bool = False

    def names(self, number: int) -> Iterator[tuple[str, str, str]]:
        """Yield role, name in the file and letters of the shape of what layer ``number`` has."""
        prefix = self.prefix.format(number)
        return ((role, prefix + name, letters) for role, (name, letters) in self.layer.items())

    def ignores(self, name: str) -> bool:
        """Tell whether the tensor ``name`` plays no part."""
        return re.fullmatch(self.ignored, name) is not None


def checkpoint_layout(architecture: Architecture, names: Mapping[str, object]) -> Layout:
    """Return the layout of a checkpoint that has tensors of these names."""
    family = architecture.family
    if family is BERT:
        prefix = "bert." if "bert.embeddings.word_embeddings.weight" in names else ""
        return _with_first_names(_bert(prefix), names)
    if family is GPT2:
        layout = _gpt2("transformer." if "transformer.wte.weight" in names else "")
    else:
        layout = _llama("model." if "model.embed_tokens.weight" in names else "")
    if not architecture.is_tied:
        return replace(layout, whole=layout.whole | {"head": ("lm_head.weight", "vd")})
    return replace(layout, ignored=rf"{layout.ignored}|lm_head\.weight")


def _with_first_names(layout: Layout, names: Mapping[str, object]) -> Layout:
    """Return BERT's layout with the names of norms in its first checkpoints, if they are used."""
    if not any(name.endswith("LayerNorm.gamma") for name in names):
        return layout

    def first(shapes: Shapes) -> Shapes:
        return {
            role: (
                name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                    "LayerNorm.bias", "LayerNorm.beta"
                ),
                letters,
            )
            for role, (name, letters) in shapes.items()
        }

    return replace(layout, whole=first(layout.whole), layer=first(layout.layer))


def gguf_layout(architecture: Architecture) -> Layout:
    """Return the layout of a GGUF file; of LLaMA's it has Q and K in interleaved pairs."""
    if architecture.family is GPT2:
        return _GGUF_GPT2
    return _GGUF_QWEN2 if architecture.family is QWEN2 else _GGUF_LLAMA


def shape_of(letters: str, architecture: Architecture) -> tuple[int, ...]:
    """Return the shape that ``letters`` stand for."""
    queries = architecture.n_heads * architecture.d_head
    keys = architecture.n_key_heads * architecture.d_head
    sizes = {
        "d": architecture.d_model,
        "f": architecture.d_hidden,
        "a": queries,
        "k": keys,
        "q": queries + 2 * keys,
        "v": architecture.n_vocabulary,
        "c": architecture.context,
        "t": architecture.n_types,
        "h": architecture.d_head // 2,
    }
    return tuple(sizes[letter] for letter in letters)


def _with_biases(weights: Shapes) -> Shapes:
    """Return ``weights``, named without an ending, as weights and biases."""
    both: Shapes = {}
    for role, (name, letters) in weights.items():
        both[role] = (f"{name}.weight", letters)
        both[f"{role}.bias"] = (f"{name}.bias", letters[-1] if len(letters) == 1 else letters[0])
    return both


def _gpt2(prefix: str) -> Layout:
    # Conv1D: (in, out), so a bias is as long as the last axis.
    stored = _with_biases(
        {
            "norm1": ("ln_1", "d"),
            "qkv": ("attn.c_attn", "qd"),
            "o": ("attn.c_proj", "da"),
            "norm2": ("ln_2", "d"),
            "up": ("mlp.c_fc", "fd"),
            "down": ("mlp.c_proj", "df"),
        }
    )
    return Layout(
        whole={
            "embedding": (f"{prefix}wte.weight", "vd"),
            "positions": (f"{prefix}wpe.weight", "cd"),
            "norm": (f"{prefix}ln_f.weight", "d"),
            "norm.bias": (f"{prefix}ln_f.bias", "d"),
        },
        prefix=f"{prefix}h.{{}}.",
        layer={role: (name, letters[::-1]) for role, (name, letters) in stored.items()},
        optional=frozenset(),
        ignored=r".*\.attn\.(bias|masked_bias)",  # the causal mask
        out_first=False,
    )


_BIASES = frozenset(f"{role}.bias" for role in ("q", "k", "v", "o", "gate", "up", "down"))


def _llama(prefix: str) -> Layout:
    layer = _with_biases(
        {
            "q": ("self_attn.q_proj", "ad"),
            "k": ("self_attn.k_proj", "kd"),
            "v": ("self_attn.v_proj", "kd"),
            "o": ("self_attn.o_proj", "da"),
            "gate": ("mlp.gate_proj", "fd"),
            "up": ("mlp.up_proj", "fd"),
            "down": ("mlp.down_proj", "df"),
        }
    )
    layer |= {
        "norm1": ("input_layernorm.weight", "d"),
        "norm2": ("post_attention_layernorm.weight", "d"),
    }
    return Layout(
        whole={
            "embedding": (f"{prefix}embed_tokens.weight", "vd"),
            "norm": (f"{prefix}norm.weight", "d"),
        },
        prefix=f"{prefix}layers.{{}}.",
        layer=layer,
        optional=_BIASES,
        ignored=r".*\.rotary_emb\.inv_freq",
    )


def _bert(prefix: str) -> Layout:
    embeddings = f"{prefix}embeddings."
    return Layout(
        whole={
            "embedding": (f"{embeddings}word_embeddings.weight", "vd"),
            "positions": (f"{embeddings}position_embeddings.weight", "cd"),
            "types": (f"{embeddings}token_type_embeddings.weight", "td"),
            "norm": (f"{embeddings}LayerNorm.weight", "d"),
            "norm.bias": (f"{embeddings}LayerNorm.bias", "d"),
        },
        prefix=f"{prefix}encoder.layer.{{}}.",
        layer=_with_biases(
            {
                "q": ("attention.self.query", "ad"),
                "k": ("attention.self.key", "kd"),
                "v": ("attention.self.value", "kd"),
                "o": ("attention.output.dense", "da"),
                "norm1": ("attention.output.LayerNorm", "d"),
                "up": ("intermediate.dense", "fd"),
                "down": ("output.dense", "df"),
                "norm2": ("output.LayerNorm", "d"),
            }
        ),
        optional=frozenset(),
        # Buffers, and what stands upon the last layer.
        ignored=r"(.*\.)?embeddings\.(position_ids|token_type_ids)|(.*\.)?pooler\..*|"
        r"(cls|classifier|qa_outputs)\..*",
    )


_GGUF_LINEAR = {
    "q": ("attn_q", "ad"),
    "k": ("attn_k", "kd"),
    "v": ("attn_v", "kd"),
    "o": ("attn_output", "da"),
    "gate": ("ffn_gate", "fd"),
    "up": ("ffn_up", "fd"),
    "down": ("ffn_down", "df"),
}
_GGUF_WHOLE = {
    "embedding": ("token_embd.weight", "vd"),
    "norm": ("output_norm.weight", "d"),
    "head": ("output.weight", "vd"),
}
_GGUF_NORMS = {"norm1": ("attn_norm.weight", "d"), "norm2": ("ffn_norm.weight", "d")}

_GGUF_LLAMA = Layout(
    whole=_GGUF_WHOLE | {"slowness": ("rope_freqs.weight", "h")},
    prefix="blk.{}.",
    layer=_with_biases(_GGUF_LINEAR) | _GGUF_NORMS,
    optional=_BIASES | {"head", "slowness"},
    interleaved=True,
)
_GGUF_QWEN2 = Layout(
    whole=_GGUF_WHOLE,
    prefix="blk.{}.",
    layer=_with_biases(_GGUF_LINEAR) | _GGUF_NORMS,
    optional=_BIASES | {"head"},
)
_GGUF_GPT2 = Layout(
    whole=_GGUF_WHOLE
    | {
        "positions": ("position_embd.weight", "cd"),
        "norm.bias": ("output_norm.bias", "d"),
    },
    prefix="blk.{}.",
    layer=_with_biases(
        {
            "norm1": ("attn_norm", "d"),
            "qkv": ("attn_qkv", "qd"),
            "o": ("attn_output", "da"),
            "norm2": ("ffn_norm", "d"),
            "up": ("ffn_up", "fd"),
            "down": ("ffn_down", "df"),
        }
    ),
    optional=frozenset({"head"}),
)
