"""The weights of a model as its forward pass reads them: checked first, then read by layer."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mhagui.errors import UserError
from mhagui.models.architecture import Architecture
from mhagui.models.layouts import Layout, shape_of
from mhagui.models.tensor_file import Floats32, Ids, TensorFile

KEPT_BYTES = 2**30  # models up to this size as float32 stay in memory after the first pass


class Linear(NamedTuple):
    """Row vectors times ``matrix``, (in, out), plus ``bias``, (out,), where there is one."""

    matrix: Floats32
    bias: Floats32 | None

    def __call__(self, x: Floats32) -> Floats32:
        """Return x · matrix + bias."""
        product = x @ self.matrix
        if self.bias is not None:
            product += self.bias
        return product


class Norm(NamedTuple):
    """The gain and, for LayerNorm, the bias of a norm, (d_model,) each."""

    gain: Floats32
    bias: Floats32 | None


class Layer(NamedTuple):
    """The weights of one layer; only SwiGLU has a gate."""

    q: Linear
    k: Linear
    v: Linear
    o: Linear
    norm1: Norm
    norm2: Norm
    gate: Linear | None
    up: Linear
    down: Linear


class Weights:
    """All weights of a model in a file.

    Every tensor is looked for, and its shape compared, before any number is read; what a file has
    beyond them would change what the model computes, and is refused. Raises UserError.
    """

    def __init__(self, architecture: Architecture, layout: Layout, file: TensorFile) -> None:
        """Check that ``file`` has what ``architecture`` needs, and no more."""
        self._architecture = architecture
        self._layout = layout
        self._file = file
        used = self._checked()
        self._whole = {role: name for role, (name, _) in layout.whole.items() if name in used}
        self.float32_bytes = 4 * sum(math.prod(file.shapes[name]) for name in used)
        self._keeps = self.float32_bytes <= KEPT_BYTES
        self._tensors: dict[str, Floats32] = {}
        self._layers: dict[int, Layer] = {}

    def _checked(self) -> set[str]:
        """Return the names of the tensors that are used."""
        used = set()
        for role, name, letters, where in self._wanted():
            if name not in self._file.shapes:
                if role in self._layout.optional:
                    continue
                raise UserError(f"{self._file.title} has no tensor “{name}”, which {where} needs.")
            self._check_shape(name, letters)
            self._file.check_kind(name)
            used.add(name)
        self._refuse_others(used)
        return used

    def _wanted(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield role, name, shape and whose it is, of all tensors."""
        model = f"a {self._architecture.family.name} model"
        for role, (name, letters) in self._layout.whole.items():
            yield role, name, letters, model
        for number in range(self._architecture.n_layers):
            for role, name, letters in self._layout.names(number):
                yield role, name, letters, f"layer {number} of {model}"

    def _check_shape(self, name: str, letters: str) -> None:
        given, right = self._file.shapes[name], shape_of(letters, self._architecture)
        if given != right:
            raise UserError(
                f"{self._file.title}: the tensor “{name}” is {_shape(given)}, but by the model's "
                f"configuration it has to be {_shape(right)}."
            )

    def _refuse_others(self, used: set[str]) -> None:
        others = sorted(
            name
            for name in self._file.shapes
            if name not in used and not self._layout.ignores(name)
        )
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            raise UserError(
                f"{self._file.title} has the tensor “{others[0]}”{more}, which a "
                f"{self._architecture.family.name} model of {self._architecture.n_layers} layers "
                "has no place for: it cannot be rebuilt exactly."
            )

    def has(self, role: str) -> bool:
        """Tell whether the model has what ``role`` names, and it belongs to no layer."""
        return role in self._whole

    def whole(self, role: str, rows: Ids | None = None) -> Floats32:
        """Return what belongs to no layer, as the embedding, or some rows of it."""
        name = self._whole[role]
        if not self._keeps:
            return self._read(name, rows)
        if name not in self._tensors:
            self._tensors[name] = self._read(name)
        return self._tensors[name] if rows is None else self._tensors[name][rows]

    def norm(self) -> Norm:
        """Return the norm that belongs to no layer."""
        return Norm(self.whole("norm"), self.whole("norm.bias") if self.has("norm.bias") else None)

    def head(self) -> Floats32:
        """Return the output matrix, (vocabulary, d_model); the embedding where they are tied."""
        return self.whole("head" if self.has("head") else "embedding")

    def layer(self, number: int) -> Layer:
        """Return the weights of layer ``number``."""
        if number in self._layers:
            return self._layers[number]
        layer = self._read_layer(number)
        if self._keeps:
            self._layers[number] = layer
        return layer

    def _read_layer(self, number: int) -> Layer:
        stored = {
            role: self._read(name)
            for role, name, _ in self._layout.names(number)
            if name in self._file.shapes
        }
        biases = {role: stored.get(f"{role}.bias") for role in stored}
        linears = {
            role: Linear(self._in_first(tensor), biases[role])
            for role, tensor in stored.items()
            if tensor.ndim == 2
        }
        q, k, v = self._projections(linears)
        return Layer(
            q=q,
            k=k,
            v=v,
            o=linears["o"],
            norm1=Norm(stored["norm1"], biases["norm1"]),
            norm2=Norm(stored["norm2"], biases["norm2"]),
            gate=linears.get("gate"),
            up=linears["up"],
            down=linears["down"],
        )

    def _in_first(self, matrix: Floats32) -> Floats32:
        return matrix.T if self._layout.out_first else matrix

    def _projections(self, linears: dict[str, Linear]) -> tuple[Linear, Linear, Linear]:
        """Return what makes queries, keys and values, numbers turned together half a head apart."""
        if "qkv" in linears:
            matrix, bias = linears["qkv"]
            assert bias is not None
            q, k, v = map(Linear, np.split(matrix, 3, axis=1), np.split(bias, 3))
            return q, k, v
        q, k, v = linears["q"], linears["k"], linears["v"]
        if not self._layout.interleaved:
            return q, k, v
        return self._apart(q), self._apart(k), v

    def _apart(self, linear: Linear) -> Linear:
        order = np.arange(linear.matrix.shape[1]).reshape(-1, self._architecture.d_head // 2, 2)
        columns = order.swapaxes(1, 2).ravel()
        bias = None if linear.bias is None else linear.bias[columns]
        # Rows of the transposed: so the result is as contiguous as the others are.
        return Linear(linear.matrix.T[columns].T, bias)

    def _read(self, name: str, rows: Ids | None = None) -> Floats32:
        tensor = self._file.read(name, rows)
        # Either end is NaN where any number is; so no array of flags is made.
        if tensor.size and not np.isfinite([tensor.min(), tensor.max()]).all():
            raise UserError(f"{self._file.title}: the tensor “{name}” has NaN or infinite numbers.")
        tensor.flags.writeable = False
        return tensor


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "a single number"
