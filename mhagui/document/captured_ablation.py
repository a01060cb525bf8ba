"""What becomes of a captured layer when one of its heads is taken away or looks elsewhere.

All of it happens before W_O, to the outputs O_h = A_h V: of heads on the bench, and of a model that
runs, which can be given others in their place.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace

import numpy as np

from mhagui import core
from mhagui.document.capture import CapturedLayer, Flags, Floats
from mhagui.errors import UserError


class AblationKind(enum.Enum):
    """What is done to a head; the value is the name shown to the user."""

    ZERO = "zero"
    VALUE_BIAS = "zero, value bias kept"
    MEAN = "mean of its rows"
    UNIFORM = "uniform attention"
    EDGE = "one edge cut"
    GAIN = "gain"


@dataclass(frozen=True, slots=True)
class Ablation:
    """One head, counted from 0, and what is done to it.

    ``query`` and ``key``, from 0, are of an edge; ``gain`` is of a gain.
    """

    kind: AblationKind
    head: int
    query: int = 0
    key: int = 0
    gain: float = 1.0


def ablated_outputs(layer: CapturedLayer, ablation: Ablation, outputs: Floats) -> Floats:
    """Return what becomes of the ``outputs`` of all heads, (H, T_q, d_v), by the ablation.

    Raises UserError where there is no such head or edge, V or its bias is needed and not known, or
    a gain is asked for on weights that came without queries and keys.
    """
    head = ablation.head
    key_head = layer.key_head(head)
    match ablation.kind:
        case AblationKind.ZERO:
            return core.zero_ablation(outputs, head)
        case AblationKind.VALUE_BIAS:
            bias = _value_biases(layer)[key_head]
            return core.zero_ablation(outputs, head, a=layer.weights[head], value_bias=bias)
        case AblationKind.MEAN:
            return core.mean_ablation(outputs, head, _looks_at_any(layer, head))
    if layer.v is None:
        raise UserError(f"Layer {layer.number} comes without values, which its heads add up.")
    after = outputs.copy()
    after[head] = _weights(layer, ablation) @ layer.v[key_head]
    return after


def _weights(layer: CapturedLayer, ablation: Ablation) -> Floats:
    """Return the weights of a head that looks elsewhere, (T_q, T_k)."""
    head = ablation.head
    if ablation.kind is AblationKind.UNIFORM:
        uniform = core.uniform_weights(layer.mask)
        if layer.sinks is None:
            return uniform
        # What the sink takes it keeps: that a head looks elsewhere is not that it looks more.
        kept: Floats = uniform * layer.weights[head].sum(axis=-1, keepdims=True, dtype=np.float64)
        return kept
    try:
        if ablation.kind is AblationKind.GAIN:
            return _gained(layer, head, ablation.gain)
        edge, has_sink = (ablation.query, ablation.key), layer.sinks is not None
        return core.without_edge(layer.weights[head], *edge, has_sink=has_sink)
    except ValueError as error:
        raise UserError(f"Layer {layer.number}, head {head}: {error}") from error


def _looks_at_any(layer: CapturedLayer, head: int) -> Flags | None:
    """Return which rows of a head have weight, (T_q,); None where all have.

    By the mask where that tells: it takes no making of weights.
    """
    if layer.given is not None or layer.bias is not None:
        return np.asarray(layer.weights[head].any(axis=-1))
    return None if layer.allowed is None else np.asarray(layer.allowed.any(axis=-1))


def _gained(layer: CapturedLayer, head: int, gain: float) -> Floats:
    """Return the weights under a factor on Q K^T, and on neither bias nor sinks."""
    if layer.given is not None or layer.q is None or layer.k is None:
        raise UserError(
            f"Layer {layer.number} came with its weights made: what a gain makes of them depends "
            "on the scores."
        )
    scale = 1 / math.sqrt(layer.q.shape[-1]) if layer.scale is None else layer.scale
    weights: Floats = replace(layer.states_of(head), scale=scale * gain).recomputed()[0]
    return weights


def _value_biases(layer: CapturedLayer) -> Floats:
    if layer.b_v is None:
        raise UserError(
            f"Layer {layer.number} has no value bias that could be kept: ablate the head to zero."
        )
    return layer.b_v
