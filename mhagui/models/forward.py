"""The forward pass of a model in float32, and what its attention reads and makes on the way."""

import math
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from mhagui import core
from mhagui.document.capture import CapturedLayer
from mhagui.document.mask_rule import CAUSAL
from mhagui.errors import UserError
from mhagui.models.architecture import Architecture
from mhagui.models.rotary import Rotation
from mhagui.models.tensor_file import Floats32, Ids
from mhagui.models.weights import Layer, Norm, Weights

# Given a layer and its head outputs (H, T, d_head), returns those that W_O is to read.
Edit: TypeAlias = Callable[[int, Floats32], Floats32]
BeforeLayer: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Passed:
    """What a pass leaves: the captured layers, and what the output matrix reads, (T, d_model)."""

    layers: tuple[CapturedLayer, ...]
    last: Floats32


@dataclass(frozen=True, eq=False)
class _Heads:
    """Queries, keys and values, (H, T, d_head) and (H_kv, T, d_head), positions encoded."""

    q: Floats32
    k: Floats32
    v: Floats32


class ForwardPass:
    """One pass over the tokens ``ids``."""

    def __init__(self, architecture: Architecture, weights: Weights, ids: Ids) -> None:
        """Take the tokens; nothing is read yet."""
        self._architecture = architecture
        self._family = architecture.family
        self._weights = weights
        self._ids = ids
        self._rotation = self._new_rotation()
        self._allowed = CAUSAL.allowed(len(ids)) if self._family.is_causal else None

    def run(
        self,
        wanted: Container[int],
        before_layer: BeforeLayer | None = None,
        edit: Edit | None = None,
    ) -> Passed:
        """Go through all layers, keeping what those that are ``wanted`` read and make.

        ``before_layer`` is called with the number of each and may raise, which ends the pass.
        Raises UserError where numbers grow beyond float32.
        """
        captured = []
        with np.errstate(all="ignore"):  # what is not finite is looked for after each layer
            stream = self._embedded()
            for number in range(self._architecture.n_layers):
                if before_layer is not None:
                    before_layer(number)
                layer = self._weights.layer(number)
                x = stream if self._family.norms_after else self._normed(stream, layer.norm1)
                heads = self._heads(layer, x)
                outputs = self._outputs(heads, number)
                if edit is not None:
                    outputs = _edited(edit, number, outputs)
                stream = self._after(layer, stream, outputs)
                _require_finite(stream, number)
                if number in wanted:
                    captured.append(self._captured(number, layer, x, heads))
            if not self._family.norms_after:
                stream = self._normed(stream, self._weights.norm())
        return Passed(tuple(captured), _sealed(stream))

    def _new_rotation(self) -> Rotation | None:
        if self._architecture.rope_theta is None:
            return None
        slowness = self._weights.whole("slowness") if self._weights.has("slowness") else None
        with np.errstate(all="ignore"):  # what is not finite is said of the layer that reads it
            return Rotation(self._architecture, len(self._ids), slowness)

    def _embedded(self) -> Floats32:
        stream = self._weights.whole("embedding", self._ids).copy()
        if self._weights.has("positions"):
            stream += self._weights.whole("positions", np.arange(len(self._ids)))
        if self._weights.has("types"):  # one text: all its tokens are of the first type
            stream += self._weights.whole("types", np.zeros(1, np.intp))
        return self._normed(stream, self._weights.norm()) if self._family.norms_after else stream

    def _normed(self, x: Floats32, norm: Norm) -> Floats32:
        if norm.bias is not None:
            x = x - x.mean(axis=-1, keepdims=True)
        size = np.sqrt(
            np.mean(np.square(x), axis=-1, keepdims=True) + np.float32(self._architecture.epsilon)
        )
        normed: Floats32 = x / size * norm.gain
        return normed if norm.bias is None else normed + norm.bias

    def _heads(self, layer: Layer, x: Floats32) -> _Heads:
        q, k, v = (self._split(linear(x)) for linear in (layer.q, layer.k, layer.v))
        if self._rotation is not None:
            q, k = self._rotation(q), self._rotation(k)
        return _Heads(_sealed(q), _sealed(k), _sealed(v))

    def _split(self, rows: Floats32) -> Floats32:
        by_head = rows.reshape(len(rows), -1, self._architecture.d_head)
        return np.ascontiguousarray(by_head.swapaxes(0, 1))

    def _outputs(self, heads: _Heads, number: int) -> Floats32:
        """Return the head outputs, (H, T, d_head), those that share keys at a time."""
        mask = "causal" if self._family.is_causal else None
        outputs = np.empty_like(heads.q)
        group = len(heads.q) // len(heads.k)
        for key_head, (keys, values) in enumerate(zip(heads.k, heads.v, strict=True)):
            sharing = slice(key_head * group, (key_head + 1) * group)
            try:
                weights, _ = core.weights_and_entropies(heads.q[sharing], keys, mask=mask)
            except ValueError as error:  # scores that are not finite; the shapes are ours
                raise _too_large(number) from error
            outputs[sharing] = core.weighted_sums(weights, values, mask=mask)
        return outputs

    def _after(self, layer: Layer, stream: Floats32, outputs: Floats32) -> Floats32:
        """Return the residual stream after the layer."""
        concat = outputs.swapaxes(0, 1).reshape(len(stream), -1)
        stream = stream + layer.o(concat)
        if self._family.norms_after:
            stream = self._normed(stream, layer.norm1)
            return self._normed(stream + self._fed_forward(layer, stream), layer.norm2)
        return stream + self._fed_forward(layer, self._normed(stream, layer.norm2))

    def _fed_forward(self, layer: Layer, x: Floats32) -> Floats32:
        if layer.gate is not None:
            gate = layer.gate(x)
            return layer.down(gate / (1 + np.exp(-gate)) * layer.up(x))
        gelu = gelu_erf if self._family.activation == "gelu_erf" else gelu_tanh
        return layer.down(gelu(layer.up(x)))

    def _captured(self, number: int, layer: Layer, x: Floats32, heads: _Heads) -> CapturedLayer:
        d_head = self._architecture.d_head
        w_v, b_v = layer.v
        return CapturedLayer(
            number=number,
            q=heads.q,
            k=heads.k,
            v=heads.v,
            allowed=self._allowed,
            x=_sealed(x),
            w_v=w_v.reshape(len(w_v), -1, d_head).swapaxes(0, 1),
            b_v=None if b_v is None else b_v.reshape(-1, d_head),
            w_o=layer.o.matrix,
            b_o=layer.o.bias,
        )


def gelu_tanh(x: Floats32) -> Floats32:
    """Return GELU by its tanh formula, as GPT-2 has it. Source: Hendrycks & Gimpel (2016)."""
    half: Floats32 = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    return half


def gelu_erf(x: Floats32) -> Floats32:
    """Return GELU by its definition, x times the normal distribution's share below x."""
    share = np.frompyfunc(math.erf, 1, 1)(x * np.float32(math.sqrt(0.5))).astype(np.float32)
    half: Floats32 = 0.5 * x * (1 + share)
    return half


def _edited(edit: Edit, number: int, outputs: Floats32) -> Floats32:
    edited = np.asarray(edit(number, outputs), np.float32)
    if edited.shape != outputs.shape:
        raise ValueError(f"edit has to return shape {outputs.shape}, not {edited.shape}")
    return edited


def _require_finite(stream: Floats32, number: int) -> None:
    if not np.isfinite([stream.min(), stream.max()]).all():
        raise _too_large(number)


def _too_large(number: int) -> UserError:
    return UserError(f"The numbers that layer {number} makes do not fit into float32.")


def _sealed(array: Floats32) -> Floats32:
    array.flags.writeable = False
    return array
