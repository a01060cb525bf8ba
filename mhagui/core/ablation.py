"""Heads taken away, or made to look elsewhere: always before W_O, where a head is still itself.

Slices of the projected output O are the wrong site: W_O has mixed all heads into each of its
columns. ``zero_head_columns(output, head, n_heads)`` does that wrong, for show.
"""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    FloatArray,
    as_exactly,
    as_finite_exactly,
    as_flags,
    as_place,
    shape_error,
)


def zero_ablation(
    o: npt.ArrayLike,
    head: SupportsIndex,
    *,
    a: npt.ArrayLike | None = None,
    value_bias: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return the head outputs with those of one head set to zero, or to its value bias alone.

    Values with a bias, V = X·W_V + b_V, make a head add b_V·W_O^(h) to each row whatever it looks
    at. Zero takes that away as well; with `a` and `value_bias` it stays.

    Parameters
    ----------
    o
        Head outputs O_h = A_h·V_h, shape (H, T, d_v), finite.
    head
        The head h, 0-based: from 0 to H − 1.
    a
        The weights of that head, shape (T, T_k): what is kept of the bias is the sum of a row of
        them, 1 but for sinks, times the bias. None where `value_bias` is.
    value_bias
        b_V of that head, shape (d_v,), finite; None: nothing is kept.

    Returns
    -------
    ndarray, shape (H, T, d_v)
        A new array in the unit of `o`.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, there is no such head, one of `a` and `value_bias` is
        given without the other, or a value is not finite.

    Notes
    -----
    Source: Michel, Levy & Neubig, "Are Sixteen Heads Really Better than One?" (2019).
    """
    outputs = as_finite_exactly(o, "o", "H, T, d_v")
    place = as_place(head, "head", len(outputs))
    if (a is None) != (value_bias is None):
        raise ValueError("a and value_bias must be given together, or neither.")
    kept: FloatArray | float = 0.0
    if a is not None and value_bias is not None:
        weights = as_exactly(a, "a", "T, T_k")
        bias = as_finite_exactly(value_bias, "value_bias", "d_v")
        if len(weights) != outputs.shape[1]:
            raise shape_error("a", f"({outputs.shape[1]}, T_k)", weights)
        if bias.shape != outputs.shape[2:]:
            raise shape_error("value_bias", f"({outputs.shape[2]},)", bias)
        kept = weights.sum(axis=-1, keepdims=True) * bias
    ablated = outputs.copy()
    ablated[place] = kept
    return ablated


def mean_ablation(
    o: npt.ArrayLike, head: SupportsIndex, counted: npt.ArrayLike | None = None
) -> FloatArray:
    """Return the head outputs with each row of one head set to the mean of its rows.

    What the head says of the positions is gone; what it adds everywhere, its value bias among
    it, stays.

    Parameters
    ----------
    o, head
        As for `zero_ablation`.
    counted
        Which rows the mean is of, shape (T,), boolean: those with an allowed key. None means all.

    Returns
    -------
    ndarray, shape (H, T, d_v)
        A new array in the unit of `o`; rows not counted keep what they had.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, there is no such head, or a value is not finite.

    Notes
    -----
    Source: Wang et al., "Interpretability in the Wild" (2022), whose mean is over a data set, and
    here over the rows of one input.
    """
    outputs = as_finite_exactly(o, "o", "H, T, d_v")
    place = as_place(head, "head", len(outputs))
    n_rows = outputs.shape[1]
    rows = np.ones(n_rows, dtype=bool) if counted is None else as_flags(counted, "counted")
    if rows.shape != (n_rows,):
        raise shape_error("counted", f"({n_rows},)", rows)
    ablated = outputs.copy()
    if rows.any():
        ablated[place, rows] = outputs[place, rows].mean(axis=0, dtype=np.float64)
    return ablated


def uniform_weights(allowed: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the weights of a head that looks at all allowed keys alike.

    Parameters
    ----------
    allowed
        The mask, shape (..., T_q, T_k), boolean, True = allowed.

    Returns
    -------
    ndarray of float64, shape (..., T_q, T_k)
        A new array: 1/n on each of n allowed keys, 0 elsewhere; a row with none is all zero.

    Raises
    ------
    ValueError
        When `allowed` is not boolean or has fewer than two axes.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Four Heads, Four Patterns", head 4.
    """
    mask = as_flags(allowed, "allowed")
    if mask.ndim < 2:
        raise shape_error("allowed", "(..., T_q, T_k)", mask)
    n_allowed = np.count_nonzero(mask, axis=-1, keepdims=True)
    weights: npt.NDArray[np.float64] = mask / np.maximum(n_allowed, 1)
    return weights


def without_edge(
    a: npt.ArrayLike, query: SupportsIndex, key: SupportsIndex, *, has_sink: bool = False
) -> FloatArray:
    """Return the weights of a head after one query may no longer see one key.

    The same as a score of −∞ before the softmax: the other weights of the row grow in proportion.

    Parameters
    ----------
    a
        Weights A of a head, shape (T_q, T_k), finite.
    query, key
        Row and column of the edge, 0-based.
    has_sink
        Whether what a row lacks of 1 went to a sink logit, which then takes its part of what the
        key had; otherwise the row keeps its sum.

    Returns
    -------
    ndarray, shape (T_q, T_k)
        A new array; all of the row is 0 where it saw nothing else.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, there is no such row or column, or `a` is not finite.

    Notes
    -----
    Source: Geva et al., "Dissecting Recall of Factual Associations in Auto-Regressive Language
    Models" (2023), attention knockout.
    """
    weights = as_finite_exactly(a, "a", "T_q, T_k")
    t, i = as_place(query, "query", len(weights)), as_place(key, "key", weights.shape[1])
    cut = weights.copy()
    cut[t, i] = 0.0
    row = cut[t]
    rest = float(row.sum(dtype=np.float64))
    # With a sink the keys may not share what it keeps: all that is left of 1 is shared.
    before = 1.0 if has_sink else rest + float(weights[t, i])
    left = 1.0 - float(weights[t, i]) if has_sink else rest
    if rest > 0.0 and left > 0.0:
        row[...] = row.astype(np.float64) / left * before  # in float64: one over it may overflow
    return cut
