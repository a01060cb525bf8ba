"""How many positions a row of weights blends: entropy in bits, and 2 to that power."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import FloatArray, as_matrices

# Weights stored in half precision, bfloat16 above all, may exceed 1 by a rounding step.
LARGEST_WEIGHT = 1.01


def row_entropy_bits(a: npt.ArrayLike) -> FloatArray:
    """Return the entropy of each row of weights, −Σ_i a_ti log₂ a_ti, in bits.

    Parameters
    ----------
    a
        Weights A, shape (..., T_q, T_k), values 0..1 (up to 1.01 is taken as rounding).
        Rows need not sum to 1 and are never renormalised.

    Returns
    -------
    ndarray, shape (..., T_q)
        Bits, from 0 (one position) to log₂ of the number of allowed keys (all alike); never
        negative, never −0.0; 0·log 0 counts as 0. NaN for a row of zeros: no support, so
        the entropy is not defined. float32 weights give float32 bits.

    Raises
    ------
    ValueError
        When `a` has fewer than two axes, a dtype that is not real, or a value outside 0..1
        or NaN.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Information"
    (Shannon 1948).
    """
    return entropy_bits(as_matrices(a, "a", "T_q, T_k"), "a")


def entropy_bits(weights: FloatArray, name: str) -> FloatArray:
    """Return `row_entropy_bits` of weights that their caller calls `name`."""
    top = np.maximum.reduce(weights, axis=-1, initial=0.0)
    _require_weights(weights, top, name)
    with np.errstate(all="ignore"):
        # A zero becomes the smallest normal number, whose logarithm is finite, so that
        # 0 · log 0 is 0. Not the smallest subnormal: logarithms of those are slow.
        logs = np.maximum(weights, np.finfo(weights.dtype).tiny)
        np.log2(logs, out=logs)
        bits = np.maximum(0.0 - np.vecdot(weights, logs), 0.0)
    return np.where(top > 0.0, bits, weights.dtype.type(np.nan))


def effective_positions(a: npt.ArrayLike) -> FloatArray:
    """Return how many positions each row effectively blends, 2 to its entropy in bits.

    Parameters
    ----------
    a
        Weights A, as for `row_entropy_bits`.

    Returns
    -------
    ndarray, shape (..., T_q)
        A number of positions, from 1 to the number of allowed keys; NaN for a row of zeros.

    Raises
    ------
    ValueError
        As for `row_entropy_bits`.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Information".
    """
    return np.exp2(row_entropy_bits(a))


def _require_weights(weights: FloatArray, top: FloatArray, name: str) -> None:
    lowest = np.minimum.reduce(weights, axis=None, initial=0.0)
    highest = np.maximum.reduce(top, axis=None, initial=0.0)
    if np.isnan(lowest):
        raise ValueError(f"{name} must hold weights within 0..1, got NaN.")
    if lowest < 0.0 or highest > LARGEST_WEIGHT:
        worst = lowest if lowest < 0.0 else highest
        raise ValueError(f"{name} must hold weights within 0..1, got {worst}.")
