"""What a model is built like: the numbers and choices that its forward pass depends on."""

from dataclasses import dataclass
from typing import Literal

from mhagui.errors import UserError


@dataclass(frozen=True)
class Family:
    """What all models of a family do the same way.

    Attributes
    ----------
    name
        What people call it.
    is_causal
        Whether a position sees itself and those before it, and the next token is predicted.
    norms_after
        Whether the sum with the residual stream is normed, as by BERT, and not what a block reads.
    has_rms_norm
        RMSNorm; otherwise LayerNorm.
    activation
        Of the feed-forward block; ``"swiglu"`` has a gate.
    """

    name: str
    is_causal: bool
    norms_after: bool
    has_rms_norm: bool
    activation: Literal["gelu_tanh", "gelu_erf", "swiglu"]


GPT2 = Family("GPT-2", True, False, False, "gelu_tanh")
LLAMA = Family("LLaMA", True, False, True, "swiglu")
QWEN2 = Family("Qwen2", True, False, True, "swiglu")
BERT = Family("BERT", False, True, False, "gelu_erf")


@dataclass(frozen=True)
class SlowedRotation:
    """How LLaMA 3 turns more slowly what it reads beyond the context it was first trained on.

    Raises UserError where low_freq_factor is not below high_freq_factor.
    """

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    first_context: int

    def __post_init__(self) -> None:
        """Refuse factors in the wrong order."""
        if self.low_freq_factor >= self.high_freq_factor:
            raise UserError(
                f"low_freq_factor, {self.low_freq_factor}, has to be below high_freq_factor, "
                f"{self.high_freq_factor}."
            )


@dataclass(frozen=True)
class Architecture:
    """One model of a family; sizes are counts, and queries, keys and values have d_head each.

    ``is_tied`` says that a checkpoint's output matrix is its embedding. Raises UserError where the
    numbers of heads cannot be.
    """

    family: Family
    n_layers: int
    n_heads: int
    n_key_heads: int
    d_model: int
    d_head: int
    d_hidden: int
    n_vocabulary: int
    context: int
    epsilon: float
    n_types: int = 0
    rope_theta: float | None = None
    slowed: SlowedRotation | None = None
    is_tied: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be shared out among the heads."""
        if self.n_heads % self.n_key_heads:
            raise UserError(
                f"{self.n_heads} query heads cannot share {self.n_key_heads} key heads evenly."
            )
        if self.rope_theta is not None and self.d_head % 2:
            raise UserError(
                f"Rotary positions turn pairs of numbers, but a head has {self.d_head} of them."
            )


def head_width(d_model: int, n_heads: int) -> int:
    """Return d_model / n_heads; raises UserError where that is no whole number."""
    if d_model % n_heads:
        raise UserError(
            f"{n_heads} heads cannot share d_model = {d_model} evenly: "
            f"{d_model} is no multiple of {n_heads}."
        )
    return d_model // n_heads
