"""How much a readout of the layer's output hangs on each head: by gradient, and by ablation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import FloatArray, as_finite_exactly, as_number, shape_error

Readout = Callable[[FloatArray], float]


def gradient_importance(
    o: npt.ArrayLike, w_o: npt.ArrayLike, gradient: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Return how a readout L of the output Y changes with a gate on each head, ∂L/∂ξ_h.

    With Y = Σ_h ξ_h·O_h·W_O^(h) this is ⟨∂L/∂Y, O_h·W_O^(h)⟩ at ξ = 1: gradient times output.

    Parameters
    ----------
    o
        Head outputs, shape (H, T, d_v), finite.
    w_o
        Output projection, shape (H·d_v, d_model), finite.
    gradient
        ∂L/∂Y, shape (T, d_model), finite: of a linear readout ⟨G, Y⟩ it is G.

    Returns
    -------
    ndarray of float64, shape (H,)
        In the unit of L, with its sign: removing a head changes L by about −∂L/∂ξ_h, and by
        exactly that where L is linear. Michel et al. take the magnitude.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, or a value is not finite.

    Notes
    -----
    Source: Michel, Levy & Neubig, "Are Sixteen Heads Really Better than One?" (2019), section
    4.1. A bias of W_O belongs to no head and has no part in it.
    """
    outputs, blocks = _outputs_and_blocks(o, w_o)
    slope = as_finite_exactly(gradient, "gradient", "T, d_model")
    wanted = outputs.shape[1], blocks.shape[2]
    if slope.shape != wanted:
        raise shape_error("gradient", f"{wanted}", slope)
    # Backwards through W_O first: nothing of size (H, T, d_model) is made.
    return np.array(
        [
            np.sum(head * (slope @ block.T), dtype=np.float64)
            for head, block in zip(outputs, blocks, strict=True)
        ]
    )


def ablation_importance(
    o: npt.ArrayLike, w_o: npt.ArrayLike, readout: Readout, *, rest: npt.ArrayLike | None = None
) -> npt.NDArray[np.float64]:
    """Return by how much removing each head alone, before W_O, really changes a readout.

    Parameters
    ----------
    o, w_o
        As for `gradient_importance`.
    readout
        L: called with an output Y, shape (T, d_model), H + 1 times; gives one finite number.
    rest
        What is added to Y and belongs to no head, of a shape that broadcasts to (T, d_model):
        the bias of W_O, the residual stream. None means nothing.

    Returns
    -------
    ndarray of float64, shape (H,)
        L without the head minus L with all of them, in the unit of L.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, a value is not finite, or `readout` gives no finite
        number.

    Notes
    -----
    Source: as for `gradient_importance`.
    """
    outputs, blocks = _outputs_and_blocks(o, w_o)
    whole = _sum(outputs, blocks, rest)
    base = _read(readout, whole)
    return np.array(
        [
            _read(readout, whole - head @ block) - base
            for head, block in zip(outputs, blocks, strict=True)
        ]
    )


def _outputs_and_blocks(o: npt.ArrayLike, w_o: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    outputs = as_finite_exactly(o, "o", "H, T, d_v")
    projection = as_finite_exactly(w_o, "w_o", "H·d_v, d_model")
    n_heads, _, d_v = outputs.shape
    if len(projection) != n_heads * d_v:
        wanted = f"({n_heads * d_v}, d_model): {n_heads} heads times d_v = {d_v}"
        raise shape_error("w_o", wanted, projection)
    return outputs, projection.reshape(n_heads, d_v, projection.shape[1])


def _sum(outputs: FloatArray, blocks: FloatArray, rest: npt.ArrayLike | None) -> FloatArray:
    """Return Σ_h O_h·W_O^(h) + rest, never more than one term at a time."""
    dtype = np.result_type(outputs, blocks)
    total: FloatArray = np.zeros((outputs.shape[1], blocks.shape[2]), dtype)
    for head, block in zip(outputs, blocks, strict=True):
        total += head @ block
    if rest is not None:
        total += np.asarray(rest, dtype)
    return total


def _read(readout: Readout, output: FloatArray) -> float:
    return as_number(readout(output), "readout's result")
