"""The architecture that the named values of a GGUF file describe."""

from mhagui.errors import UserError
from mhagui.models.architecture import GPT2, LLAMA, QWEN2, Architecture, Family, head_width
from mhagui.models.values import Values

_FAMILIES = {"gpt2": GPT2, "llama": LLAMA, "qwen2": QWEN2}

# What may stand behind the name of the architecture: all that is read below, and what changes no
# number. Anything else, as attention.sliding_window or expert_count, would.
_KNOWN = frozenset(
    {
        "attention.head_count",
        "attention.head_count_kv",
        "attention.key_length",
        "attention.layer_norm_epsilon",
        "attention.layer_norm_rms_epsilon",
        "attention.value_length",
        "block_count",
        "context_length",
        "embedding_length",
        "feed_forward_length",
        "rope.dimension_count",
        "rope.freq_base",
        "rope.scaling.type",
        "vocab_size",
    }
)


def architecture_of_gguf(values: Values) -> Architecture:
    """Return the architecture; raises UserError for what cannot be rebuilt exactly."""
    name = values.text("general.architecture")
    if name not in _FAMILIES:
        raise UserError(
            f"{values.where} holds a “{name}” model, which is not rebuilt here; "
            f"{', '.join(sorted(_FAMILIES))} are."
        )
    prefix = f"{name}."
    own = {
        key.removeprefix(prefix): value
        for key, value in values.named.items()
        if key.startswith(prefix)
    }
    for key in sorted(own.keys() - _KNOWN):
        values.require(prefix + key)
    n_words = len(values.texts("tokenizer.ggml.tokens"))
    return _architecture(Values(values.where, own), _FAMILIES[name], n_words)


def _architecture(values: Values, family: Family, n_words: int) -> Architecture:
    n_heads, d_model = values.count("attention.head_count"), values.count("embedding_length")
    wide = values.has("attention.key_length")
    d_head = values.count("attention.key_length") if wide else head_width(d_model, n_heads)
    values.require("attention.value_length", d_head)
    values.require("rope.dimension_count", d_head)
    values.require("rope.scaling.type", "none")
    norm = "layer_norm_rms" if family.has_rms_norm else "layer_norm"
    return Architecture(
        family=family,
        n_layers=values.count("block_count"),
        n_heads=n_heads,
        n_key_heads=values.count("attention.head_count_kv", n_heads),
        d_model=d_model,
        d_head=d_head,
        d_hidden=values.count("feed_forward_length"),
        n_vocabulary=values.count("vocab_size", n_words),
        context=values.count("context_length"),
        epsilon=values.number(f"attention.{norm}_epsilon"),
        rope_theta=values.number("rope.freq_base", 10000.0) if family is not GPT2 else None,
    )
