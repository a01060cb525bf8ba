"""What a layer costs: in all, for the cases worth comparing, and as curves over T and H."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mhagui import core
from mhagui.core import (
    ParameterCount,
    StageCosts,
    overtaking_length,
    parameter_count,
    stage_costs,
)
from mhagui.document.scene import Scene
from mhagui.document.view_state import WhatIf

# The sizes that may be asked for.
MAX_WIDTH = 65_536
MAX_HEADS = 1_024
MAX_LENGTH = 1_048_576

BYTES = {"float64": 8, "float32": 4, "float16": 2}

LENGTHS = tuple(4**power for power in range(11))  # 1 .. MAX_LENGTH


@dataclass(frozen=True, slots=True)
class Case:
    """Layers of one width that differ in their number of heads.

    Attributes
    ----------
    title, text
        Its name, and what it shows.
    d_model, heads
        The width of all, and the number of heads of each.
    d_k
        Width of keys and values of every head; None for d_model/H.
    """

    title: str
    text: str
    d_model: int
    heads: tuple[int, ...]
    d_k: int | None = None

    def layers(self, n_positions: int) -> tuple[WhatIf, ...]:
        """Return the sizes of each layer, at sequence length ``n_positions``."""
        widths = [self.d_k or self.d_model // heads for heads in self.heads]
        return tuple(
            WhatIf(self.d_model, heads, width, width, n_positions)
            for heads, width in zip(self.heads, widths, strict=True)
        )


CASES = (
    Case(
        "Exercise 2",
        "H varies at d_model = 384 and d_k = d_v = d_model/H: the parameters stay.",
        384,
        (1, 2, 4, 6, 8, 12),
    ),
    Case(
        "Exercise 5",
        "H doubles at d_model = 512 while d_k = d_v = 64 is kept: the parameters double.",
        512,
        (8, 16),
        64,
    ),
)


def costs_of(sizes: WhatIf) -> StageCosts:
    """Return what a layer of these sizes does and holds."""
    t, widths, shared = sizes.n_positions, (sizes.d_k, sizes.d_v), sizes.n_key_heads
    return stage_costs(t, sizes.d_model, sizes.n_heads, *widths, n_kv_heads=shared)


def parameters_of(sizes: WhatIf) -> ParameterCount:
    """Return the parameters of a layer of these sizes."""
    widths, shared = (sizes.d_k, sizes.d_v), sizes.n_key_heads
    return parameter_count(sizes.d_model, sizes.n_heads, *widths, n_kv_heads=shared)


def overtaking(sizes: WhatIf, *, masked_cells: bool = True) -> int:
    """Return T*, the sequence length at which scores and A·V cost what the projections cost."""
    return overtaking_length(
        sizes.d_model,
        masked_cells=masked_cells,
        n_heads=sizes.n_heads,
        n_kv_heads=sizes.n_key_heads,
    )


def parameter_formula(sizes: WhatIf) -> str:
    """Return how the parameters of all matrices are counted, in symbols."""
    if sizes.is_shared:
        return "d_model·(H + H_kv)·(d_k + d_v)"
    return "4·d_model²" if is_standard(sizes) else "2·d_model·H·(d_k + d_v)"


def score_flops(sizes: WhatIf) -> int:
    """Return the FLOPs of the scores Q Kᵀ of all heads, 2·T²·H·d_k."""
    return core.score_flops(sizes.n_positions, sizes.n_heads, sizes.d_k)


def with_size(sizes: WhatIf, field: str, number: int) -> WhatIf:
    """Return ``sizes`` with another number in ``field``.

    Where H_kv does not divide a new H, or is as large, every head has keys of its own.
    """
    sizes = replace(sizes, **{field: number})
    if field not in ("n_heads", "n_key_heads"):
        return sizes
    is_split = sizes.is_shared and sizes.n_heads % sizes.key_heads == 0
    return sizes if is_split else replace(sizes, n_key_heads=None)


def is_divisible(sizes: WhatIf) -> bool:
    """Return whether d_model/H is a whole number."""
    return sizes.d_model % sizes.n_heads == 0


def with_standard_widths(sizes: WhatIf) -> WhatIf:
    """Return ``sizes`` with d_k = d_v = d_model/H; as they are where that is no whole number."""
    if not is_divisible(sizes):
        return sizes
    width = sizes.d_model // sizes.n_heads
    return replace(sizes, d_k=width, d_v=width)


def is_standard(sizes: WhatIf) -> bool:
    """Return whether d_k = d_v = d_model/H, shared or not."""
    return sizes.d_k == sizes.d_v and sizes.n_heads * sizes.d_k == sizes.d_model


def divisors(d_model: int) -> tuple[int, ...]:
    """Return every number of heads that may be asked for and divides ``d_model``."""
    most = min(d_model, MAX_HEADS)
    return tuple(heads for heads in range(1, most + 1) if d_model % heads == 0)


def over_lengths(sizes: WhatIf, lengths: Sequence[int] = LENGTHS) -> tuple[StageCosts, ...]:
    """Return the costs of ``sizes`` at other sequence lengths."""
    return tuple(costs_of(replace(sizes, n_positions=length)) for length in lengths)


def with_heads(sizes: WhatIf, *, keep_widths: bool) -> tuple[WhatIf, ...]:
    """Return ``sizes`` with other numbers of heads H.

    Either with every power of two, d_k and d_v kept, or with every divisor of d_model and
    d_k = d_v = d_model/H. Every head has keys and values of its own.
    """
    sizes = replace(sizes, n_key_heads=None)
    if keep_widths:
        powers = (2**power for power in range(MAX_HEADS.bit_length()))
        return tuple(replace(sizes, n_heads=heads) for heads in powers)
    divided = (replace(sizes, n_heads=heads) for heads in divisors(sizes.d_model))
    return tuple(map(with_standard_widths, divided))


def cost_report(scene: Scene) -> dict[str, object]:
    """Return what the layer of ``scene`` costs, and the cases, as JSON can hold it.

    Multiply-adds, exponentials and elements are exact counts for one sequence of T positions;
    FLOPs count a multiply and an add as two.
    """
    sizes = WhatIf.of(scene)
    costs = costs_of(sizes)
    stages = {
        "projections": costs.projections,
        "scores": costs.scores,
        "weighted_sums": costs.weighted_sums,
        "output_projection": costs.output_projection,
        "total": costs.multiply_adds,
    }
    return {
        "parameters": parameters_of(sizes)._asdict(),
        "multiply_adds": stages,
        "flops": {stage: 2 * count for stage, count in stages.items()},
        "exponentials": costs.exponentials,
        "weights": _memory(costs.weights),
        "kv_cache": _memory(costs.cache),
        "overtaking_T": overtaking(sizes),
        "overtaking_T_without_masked_cells": overtaking(sizes, masked_cells=False),
        "cases": [_case(case) for case in CASES],
    }


def _memory(elements: int) -> dict[str, int]:
    return {"elements": elements} | {
        f"bytes_{kind}": elements * size for kind, size in BYTES.items()
    }


def _case(case: Case) -> dict[str, object]:
    layers = [
        {"H": sizes.n_heads, "d_k": sizes.d_k, "parameters": parameters_of(sizes).total}
        for sizes in case.layers(1)  # parameters do not depend on T
    ]
    return {"title": case.title, "d_model": case.d_model, "layers": layers}
