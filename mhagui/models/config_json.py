"""The architecture that a checkpoint's config.json describes."""

from collections.abc import Callable, Mapping
from typing import Final

from mhagui.errors import UserError
from mhagui.models.architecture import (
    BERT,
    GPT2,
    LLAMA,
    QWEN2,
    Architecture,
    Family,
    SlowedRotation,
    head_width,
)
from mhagui.models.values import Values


def architecture_of_config(values: Values) -> Architecture:
    """Return the architecture; raises UserError for what cannot be rebuilt exactly."""
    kind = values.text("model_type")
    if kind not in _READERS:
        raise UserError(
            f"{values.where} describes a “{kind}” model, which is not rebuilt here; "
            f"{', '.join(sorted(_READERS))} are."
        )
    values.require("quantization_config")
    return _READERS[kind](values)


def _gpt2(values: Values) -> Architecture:
    values.require("activation_function", "gelu_new", "gelu_pytorch_tanh")
    values.require("scale_attn_weights", True)
    values.require("scale_attn_by_inverse_layer_idx", False)
    values.require("add_cross_attention", False)
    n_heads, d_model = values.count("n_head"), values.count("n_embd")
    return Architecture(
        family=GPT2,
        n_layers=values.count("n_layer"),
        n_heads=n_heads,
        n_key_heads=n_heads,
        d_model=d_model,
        d_head=head_width(d_model, n_heads),
        d_hidden=values.count("n_inner", 4 * d_model),
        n_vocabulary=values.count("vocab_size"),
        context=values.count("n_positions"),
        epsilon=values.number("layer_norm_epsilon", 1e-5),
        is_tied=values.flag("tie_word_embeddings", True),
    )


def _llama(values: Values) -> Architecture:
    values.require("sliding_window")
    return _rotary(values, LLAMA)


def _qwen2(values: Values) -> Architecture:
    # Its sliding_window counts only where use_sliding_window says so.
    values.require("use_sliding_window", False)
    if values.has("layer_types") and set(values.texts("layer_types")) - {"full_attention"}:
        raise UserError(f"{values.where}: “layer_types” has layers without full attention.")
    return _rotary(values, QWEN2)


def _rotary(values: Values, family: Family) -> Architecture:
    values.require("hidden_act", "silu")
    values.require("partial_rotary_factor", 1.0)
    values.require("rope_interleaved", False)
    n_heads, d_model = values.count("num_attention_heads"), values.count("hidden_size")
    wide = values.has("head_dim")
    theta, slowed = _rotation(values)
    return Architecture(
        family=family,
        n_layers=values.count("num_hidden_layers"),
        n_heads=n_heads,
        n_key_heads=values.count("num_key_value_heads", n_heads),
        d_model=d_model,
        d_head=values.count("head_dim") if wide else head_width(d_model, n_heads),
        d_hidden=values.count("intermediate_size"),
        n_vocabulary=values.count("vocab_size"),
        context=values.count("max_position_embeddings"),
        epsilon=values.number("rms_norm_eps", 1e-6),
        rope_theta=theta,
        slowed=slowed,
        is_tied=values.flag("tie_word_embeddings", False),
    )


def _rotation(values: Values) -> tuple[float, SlowedRotation | None]:
    """Return theta and what slows the rotation, from either of the two places they stand in."""
    theta = values.number("rope_theta", 10000.0)
    for key in ("rope_parameters", "rope_scaling"):
        if not values.has(key):
            continue
        given = values.named[key]
        if not isinstance(given, Mapping):
            raise UserError(f"{values.where}: “{key}” has to hold named values.")
        named = Values(f"{values.where}, {key}", given)
        theta = named.number("rope_theta", theta)
        kind = named.text("rope_type", named.text("type", "default"))
        if kind == "llama3":
            return theta, SlowedRotation(
                factor=named.number("factor"),
                low_freq_factor=named.number("low_freq_factor"),
                high_freq_factor=named.number("high_freq_factor"),
                first_context=named.count("original_max_position_embeddings"),
            )
        if kind != "default":
            raise UserError(
                f"{named.where}: positions scaled the “{kind}” way are not rebuilt here; "
                "“default” and “llama3” are."
            )
    return theta, None


def _bert(values: Values) -> Architecture:
    values.require("hidden_act", "gelu")
    values.require("position_embedding_type", "absolute")
    values.require("is_decoder", False)
    n_heads, d_model = values.count("num_attention_heads"), values.count("hidden_size")
    return Architecture(
        family=BERT,
        n_layers=values.count("num_hidden_layers"),
        n_heads=n_heads,
        n_key_heads=n_heads,
        d_model=d_model,
        d_head=head_width(d_model, n_heads),
        d_hidden=values.count("intermediate_size"),
        n_vocabulary=values.count("vocab_size"),
        context=values.count("max_position_embeddings"),
        epsilon=values.number("layer_norm_eps", 1e-12),
        n_types=values.count("type_vocab_size", 2),
    )


_READERS: Final[Mapping[str, Callable[[Values], Architecture]]] = {
    "gpt2": _gpt2,
    "llama": _llama,
    "qwen2": _qwen2,
    "bert": _bert,
}
