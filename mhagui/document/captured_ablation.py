"""What becomes of a captured layer when one of its heads is taken away or looks elsewhere.

All of it happens before W_O, to the outputs O_h = A_h V: what `CapturedLayer.w_o` reads, and what a
model that runs can be given in their place.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from mhagui import core
from mhagui.document.capture import CapturedLayer, Floats
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


def head_outputs(layer: CapturedLayer) -> Floats:
    """Return O_h = A_h V of all heads, (H, T_q, d_v); raises UserError where V is not known."""
    return core.grouped_sums(layer.weights, _values(layer))


def ablated_weights(layer: CapturedLayer, ablation: Ablation) -> Floats:
    """Return the weights of the head after the ablation, (T_q, T_k): those it has where V is hit.

    A gain is that of Q K^T where the weights were made of these, otherwise of all that is in
    their softmax. Raises UserError where there is no such head or edge, or a gain cannot be told.
    """
    head = _head(layer, ablation)
    weights: Floats = layer.weights[head]
    allowed = np.ones(layer.shape, dtype=bool) if layer.allowed is None else layer.allowed
    has_sink = layer.sinks is not None
    try:
        if ablation.kind is AblationKind.UNIFORM:
            return core.uniform_weights(allowed).astype(weights.dtype)
        if ablation.kind is AblationKind.EDGE:
            return core.without_edge(weights, ablation.query, ablation.key, has_sink=has_sink)
        if ablation.kind is AblationKind.GAIN:
            return _gained(layer, head, ablation.gain)
    except ValueError as error:
        raise UserError(f"Layer {layer.number}, head {head}: {error}") from error
    return weights


def ablated_outputs(
    layer: CapturedLayer, ablation: Ablation, outputs: Floats | None = None
) -> Floats:
    """Return the outputs of all heads after the ablation, (H, T_q, d_v).

    ``outputs`` are those before it where they are known, as in a model that runs; None makes them.
    Raises UserError as `ablated_weights`, and where V or the bias of V is needed and not known.
    """
    head = _head(layer, ablation)
    before = head_outputs(layer) if outputs is None else outputs
    match ablation.kind:
        case AblationKind.ZERO:
            return core.zero_ablation(before, head)
        case AblationKind.VALUE_BIAS:
            bias = _value_bias(layer, head)
            return core.zero_ablation(before, head, a=layer.weights[head], value_bias=bias)
        case AblationKind.MEAN:
            return core.mean_ablation(before, head, layer.weights[head].any(axis=-1))
    after = before.copy()
    values = _values(layer)[core.key_head(head, layer.n_heads, layer.n_key_heads)]
    after[head] = ablated_weights(layer, ablation) @ values
    return after


def layer_output(layer: CapturedLayer, outputs: Floats) -> Floats:
    """Return O = Concat W_O + b_O of head outputs, (T_q, d_model); UserError without W_O."""
    if layer.w_o is None:
        raise UserError(f"Layer {layer.number} comes without W_O, which its output is made by.")
    output: Floats = core.concat_heads(outputs) @ layer.w_o
    if layer.b_o is not None:
        output += layer.b_o
    return output


def wrong_site_output(layer: CapturedLayer, head: int) -> Floats:
    """Return the layer's output with the columns of O zeroed that a head's are in Concat.

    That is the wrong site, for show: W_O has mixed all heads into each column, the bias too.
    Raises UserError where d_model is no multiple of H: then no slices of O can be mistaken so.
    """
    output = layer_output(layer, head_outputs(layer))
    try:
        return core.zero_head_columns(output, head, layer.n_heads)
    except ValueError as error:
        raise UserError(f"Layer {layer.number}: {error}") from error


def _gained(layer: CapturedLayer, head: int, gain: float) -> Floats:
    if layer.given is None and layer.q is not None and layer.k is not None:
        of_head = slice(head, head + 1)
        place = core.key_head(head, layer.n_heads, layer.n_key_heads)
        scale = layer.q.shape[-1] ** -0.5 if layer.scale is None else layer.scale
        weights: Floats = core.grouped_weights(
            layer.q[of_head],
            layer.k[place : place + 1],
            mask=layer.allowed,
            scale=scale * gain,
            bias=None if layer.bias is None else layer.bias[of_head],
            sinks=None if layer.sinks is None else layer.sinks[of_head],
        )[0]
        return weights
    if layer.sinks is not None:
        raise UserError(
            f"Layer {layer.number} has sinks and only its weights are known: what a gain makes of "
            "them depends on the scores."
        )
    return core.gained_weights(layer.weights[head], gain, layer.allowed)


def _head(layer: CapturedLayer, ablation: Ablation) -> int:
    if not 0 <= ablation.head < layer.n_heads:
        raise UserError(
            f"Layer {layer.number} has heads 0 to {layer.n_heads - 1}; there is no head "
            f"{ablation.head}."
        )
    return ablation.head


def _values(layer: CapturedLayer) -> Floats:
    if layer.v is None:
        raise UserError(f"Layer {layer.number} comes without values, which its heads add up.")
    return layer.v


def _value_bias(layer: CapturedLayer, head: int) -> Floats:
    if layer.b_v is None:
        raise UserError(
            f"Layer {layer.number} has no value bias that could be kept: ablate the head to zero."
        )
    bias: Floats = layer.b_v[core.key_head(head, layer.n_heads, layer.n_key_heads)]
    return bias
