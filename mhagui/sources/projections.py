"""Queries, keys and values from X and the matrices of their projections, however these lie."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mhagui.document.capture import Floats
from mhagui.errors import UserError
from mhagui.sources import names
from mhagui.sources.entries import shape_text
from mhagui.sources.readings import OUT_BY_IN, Reading


def projected(reading: Reading, read: Mapping[str, Floats]) -> dict[str, Any]:
    """Return the fields of a captured layer that follow from X and projections.

    What was read itself stays as it was.

    Raises UserError where the number of heads or the way matrices lie is not known, and where
    sizes do not fit, with the numbers.
    """
    if reading.orientation is None:
        raise UserError("Say whether the matrices of the projections are in x out or out x in.")
    for role in names.MATRICES:
        if role in read and read[role].ndim not in (2, 3):
            raise UserError(
                f"{role} has {read[role].ndim} axes ({shape_text(read[role].shape)}); a projection "
                "has 2, or 3 with one matrix for each head."
            )
    arrays = _split(reading, read)
    heads = _heads(reading, arrays)
    x = arrays[names.X]
    fields: dict[str, Any] = {"x": x}
    for role, matrix, bias in (
        (names.Q, names.W_Q, names.B_Q),
        (names.K, names.W_K, names.B_K),
        (names.V, names.W_V, names.B_V),
    ):
        if matrix not in arrays:
            continue
        n_heads = heads if role == names.Q else _key_heads(reading, arrays[matrix], heads, fields)
        w = _by_head(reading, arrays[matrix], matrix, x.shape[1], n_heads)
        b = _bias(arrays.get(bias), bias, w)
        if role in read:  # with positions in them, say
            fields[role] = read[role]
        else:
            with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is counted
                fields[role] = x @ w if b is None else x @ w + b[:, np.newaxis]
        if role == names.V:
            fields |= {"w_v": w, "b_v": b}
    return fields | _output(reading, arrays, heads, fields.get(names.V))


def _split(reading: Reading, read: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return all arrays, with a fused W_QKV and its bias as three that lie as it did."""
    arrays = dict(read)
    for fused, parts in (
        (names.W_QKV, (names.W_Q, names.W_K, names.W_V)),
        (names.B_QKV, (names.B_Q, names.B_K, names.B_V)),
    ):
        if fused not in arrays:
            continue
        array = arrays.pop(fused)
        axis = 0 if array.ndim == 1 or reading.orientation == OUT_BY_IN else array.ndim - 1
        if array.shape[axis] % 3:
            raise UserError(
                f"{fused} has {array.shape[axis]} outputs, which is no multiple of three for "
                "Q, K and V of the same width."
            )
        arrays |= zip(parts, np.split(array, 3, axis=axis), strict=True)
    return arrays


def _heads(reading: Reading, arrays: Mapping[str, Floats]) -> int:
    matrix = arrays.get(names.W_Q)
    by_head = len(matrix) if matrix is not None and matrix.ndim == 3 else None
    known = by_head or reading.heads
    if known is None:
        raise UserError("The matrices hold the heads side by side: say how many heads there are.")
    if reading.heads not in (None, known):
        raise UserError(f"W_Q has {known} heads, but {reading.heads} are said or in the weights.")
    return known


def _key_heads(reading: Reading, matrix: Floats, heads: int, known: Mapping[str, Floats]) -> int:
    """Return how many heads W_K or W_V has; several query heads may share one."""
    if matrix.ndim == 3:
        return len(matrix)
    if names.K in known:
        return len(known[names.K])
    if reading.key_heads is not None or names.Q not in known:
        return reading.key_heads or heads
    width = known[names.Q].shape[2]
    n_out = matrix.shape[0 if reading.orientation == OUT_BY_IN else 1]
    return n_out // width if n_out % width == 0 else heads


def _by_head(reading: Reading, matrix: Floats, name: str, width: int, n_heads: int) -> Floats:
    """Return a projection as (H, d_model, d), for row vectors times it."""
    w = matrix.swapaxes(-1, -2) if reading.orientation == OUT_BY_IN else matrix
    if w.shape[-2] != width:
        raise UserError(
            f"{name} read as {reading.orientation} takes {w.shape[-2]} numbers, but x has {width} "
            "at each position."
        )
    if w.ndim == 3:
        return w
    if n_heads < 1 or w.shape[1] % n_heads:
        raise UserError(f"{name} has {w.shape[1]} outputs, which {n_heads} heads do not divide.")
    return w.reshape(width, n_heads, -1).transpose(1, 0, 2)


def _bias(bias: Floats | None, name: str, w: Floats) -> Floats | None:
    n_heads, _, width = w.shape
    if bias is None:
        return None
    if bias.size != n_heads * width:
        raise UserError(
            f"{name} has {bias.size} numbers, but there are {n_heads} × {width} outputs."
        )
    return bias.reshape(n_heads, width)


def _output(
    reading: Reading, arrays: Mapping[str, Floats], heads: int, v: Floats | None
) -> dict[str, Any]:
    """Return W_O as (H·d_v, d_model) and its bias."""
    fields: dict[str, Any] = {}
    if names.W_O in arrays:
        w = arrays[names.W_O]
        w = w.swapaxes(-1, -2) if reading.orientation == OUT_BY_IN else w
        fields["w_o"] = w = w.reshape(-1, w.shape[-1])
        if v is not None and len(w) != heads * v.shape[2]:
            raise UserError(
                f"{names.W_O} read as {reading.orientation} takes {len(w)} numbers, but {heads} "
                f"heads of {v.shape[2]} give {heads * v.shape[2]}."
            )
    if names.B_O in arrays:
        fields["b_o"] = arrays[names.B_O].reshape(-1)
    return fields
