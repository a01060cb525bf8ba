"""Concat, its projection by W_O, and the same output as a sum of one filter per head."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    FloatArray,
    as_finite_matrices,
    as_length,
    as_place,
    require_common_leading,
    require_no_overflow,
    shape_error,
)


def concat_heads(o: npt.ArrayLike) -> FloatArray:
    """Return Concat = [O_1, …, O_H], the head outputs side by side.

    Parameters
    ----------
    o
        Head outputs O_h = A_h·V_h, shape (..., H, T, d_v), finite.

    Returns
    -------
    ndarray, shape (..., T, H·d_v)
        A new array in the unit of `o`; head h (0-based) has columns h·d_v to (h+1)·d_v − 1.

    Raises
    ------
    ValueError
        When `o` has fewer than three axes, a dtype that is not real, or a value that is not
        finite.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Concatenation and Output
    Projection".
    """
    return _concat(as_finite_matrices(o, "o", "H, T, d_v"))


def head_contributions(o: npt.ArrayLike, w_o: npt.ArrayLike) -> FloatArray:
    """Return what each head adds to the output, O_h · W_O^(h).

    Parameters
    ----------
    o
        Head outputs, shape (..., H, T, d_v), finite.
    w_o
        Output projection W_O, shape (..., H·d_v, d_model), finite; its rows h·d_v to
        (h+1)·d_v − 1 are the synthesis block W_O^(h).

    Returns
    -------
    ndarray, shape (..., H, T, d_model)
        Any finite value, in the unit of the output; the sum over heads is Concat·W_O within
        rounding.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, an input is not finite, or the result overflows.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Signals".
    """
    outputs, projection = _outputs_and_projection(o, w_o)
    return _contributions(outputs, projection)


def filter_bank_terms(
    a: npt.ArrayLike, x: npt.ArrayLike, w_v: npt.ArrayLike, w_o: npt.ArrayLike
) -> FloatArray:
    """Return the terms of the filter bank, A_h · (X · (W_V^h · W_O^(h))).

    Each term is a causal filter A_h along the positions after a channel map of rank at most
    d_v. It is the other side of the identity Concat·W_O = Σ_h A_h X W_V^h W_O^(h): the
    products are taken in another order than by `head_contributions`.

    Parameters
    ----------
    a
        Weights, shape (..., H, T, T_k), finite.
    x
        Input, shape (..., T_k, d_model), finite, shared by the heads.
    w_v
        Value projections, shape (..., H, d_model, d_v), finite.
    w_o
        Output projection, shape (..., H·d_v, d_model_out), finite.

    Returns
    -------
    ndarray, shape (..., H, T, d_model_out)
        Any finite value, in the unit of the output; the sum over heads is Concat·W_O within
        rounding.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, an input is not finite, or the result overflows.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Signals".
    """
    weights = as_finite_matrices(a, "a", "H, T, T_k")
    inputs = as_finite_matrices(x, "x", "T_k, d_model")
    values = as_finite_matrices(w_v, "w_v", "H, d_model, d_v")
    projection = as_finite_matrices(w_o, "w_o", "H·d_v, d_model_out")
    n_heads, n_keys = weights.shape[-3], weights.shape[-1]
    d_model, d_v = values.shape[-2:]
    if values.shape[-3] != n_heads:
        raise shape_error("w_v", f"(..., {n_heads}, d_model, d_v) to match a", values)
    if inputs.shape[-2:] != (n_keys, d_model):
        raise shape_error("x", f"(..., {n_keys}, {d_model}) to match a and w_v", inputs)
    _require_projection_rows(projection, n_heads, d_v)
    require_common_leading(
        "a, x, w_v and w_o",
        *(weights.shape[:-3], inputs.shape[:-2], values.shape[:-3], projection.shape[:-2]),
    )
    with np.errstate(all="ignore"):
        channel_maps = values @ _synthesis_blocks(projection, n_heads, d_v)
        terms: FloatArray = weights @ (inputs[..., np.newaxis, :, :] @ channel_maps)
    require_no_overflow(terms, "a, x, w_v and w_o", "their product")
    return terms


def filter_bank_residual(
    o: npt.ArrayLike, w_o: npt.ArrayLike, terms: npt.ArrayLike | None = None
) -> float:
    """Return the filter-bank residual, max |Concat·W_O − Σ_h terms_h|.

    Parameters
    ----------
    o, w_o
        As for `head_contributions`.
    terms
        Shape (..., H, T, d_model), finite: what each head adds, e.g. from
        `filter_bank_terms`; None means ``head_contributions(o, w_o)``.

    Returns
    -------
    float
        At least 0, in the unit of the output; 0.0 when nothing was rounded differently.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, an input is not finite, or the result overflows.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Signals".
    """
    outputs, projection = _outputs_and_projection(o, w_o)
    with np.errstate(all="ignore"):
        output = _concat(outputs) @ projection
    if terms is None:
        parts = _contributions(outputs, projection)
    else:
        parts = as_finite_matrices(terms, "terms", "H, T, d_model")
        wanted = (*output.shape[:-2], outputs.shape[-3], *output.shape[-2:])
        if parts.shape != wanted:
            raise shape_error("terms", f"{wanted} to match o and w_o", parts)
    with np.errstate(all="ignore"):
        difference = output - parts.sum(axis=-3)
    require_no_overflow(difference, "o, w_o and terms", "their difference")
    return float(np.max(np.abs(difference), initial=0.0))


def filter_bank_bound(x: npt.ArrayLike, w_v: npt.ArrayLike, w_o: npt.ArrayLike) -> float:
    """Return what rounding alone may leave of the residual of `filter_bank_terms`.

    Parameters
    ----------
    x
        Input, shape (..., T, d_model), finite.
    w_v
        Value projections, shape (..., H, d_model, d_v), finite.
    w_o
        Output projection, shape (..., H·d_v, d_model_out), finite.

    Returns
    -------
    float
        2·(T + d_model + H·d_v)·ε times the largest of |X|·Σ_h |W_V^h|·|W_O^(h)|, in the unit
        of the output; ε is that of its dtype. It bounds the residual for all weights whose
        rows sum to at most 1, if no product underflows, for O_h = A_h·(X·W_V^h).

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, an input is not finite, or the result overflows.

    Notes
    -----
    Source: N. Higham, Accuracy and Stability of Numerical Algorithms (2002), section 3.5: a
    product over n errs by at most n·ε/2 of the product of magnitudes. Concat·W_O is made by
    products over d_model, T and H·d_v, the terms by products over d_v, d_model and T, and
    their sum over H.
    """
    inputs = as_finite_matrices(x, "x", "T, d_model")
    values = as_finite_matrices(w_v, "w_v", "H, d_model, d_v")
    projection = as_finite_matrices(w_o, "w_o", "H·d_v, d_model_out")
    n_heads, d_model, d_v = values.shape[-3:]
    if inputs.shape[-1] != d_model:
        raise shape_error("x", f"(..., T, {d_model}) to match w_v", inputs)
    _require_projection_rows(projection, n_heads, d_v)
    leading = inputs.shape[:-2], values.shape[:-3], projection.shape[:-2]
    require_common_leading("x, w_v and w_o", *leading)
    with np.errstate(all="ignore"):
        channel_maps = np.abs(values) @ np.abs(_synthesis_blocks(projection, n_heads, d_v))
        magnitudes = np.abs(inputs) @ channel_maps.sum(axis=-3)
    require_no_overflow(magnitudes, "x, w_v and w_o", "the product of their magnitudes")
    return _bound(magnitudes, inputs.shape[-2] + d_model + n_heads * d_v)


def synthesis_bound(reach: npt.ArrayLike, w_o: npt.ArrayLike, n_heads: SupportsIndex) -> float:
    """Return what rounding alone may leave of the residual of `head_contributions`.

    Parameters
    ----------
    reach
        The largest |O_h| of each column of Concat, or more, shape (H·d_v,), at least 0.
    w_o
        Output projection, shape (H·d_v, d_model_out), finite.
    n_heads
        H, at least 1; must divide the rows of `w_o`.

    Returns
    -------
    float
        2·(H·d_v + d_v + H)·ε times the largest of reach·|W_O|, in the unit of the output; ε is
        that of its dtype. It bounds |Concat·W_O − Σ_h O_h·W_O^(h)| if no product underflows.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, an input is not finite, or the result overflows.

    Notes
    -----
    Source: as for `filter_bank_bound`. Concat·W_O is made by products over H·d_v, the
    contributions by products over d_v, and their sum over H.
    """
    largest = as_finite_matrices(np.atleast_2d(np.asarray(reach)), "reach", "1, H·d_v")
    projection = as_finite_matrices(w_o, "w_o", "H·d_v, d_model_out")
    rows = projection.shape[-2]
    heads, d_v = _split(n_heads, rows, "rows of w_o")
    if largest.shape[-1] != rows:
        raise shape_error("reach", f"({rows},) to match w_o", largest)
    with np.errstate(all="ignore"):
        magnitudes: FloatArray = np.abs(largest) @ np.abs(projection)
    require_no_overflow(magnitudes, "reach and w_o", "the product of their magnitudes")
    return _bound(magnitudes, rows + d_v + heads)


def synthesis_norms(w_o: npt.ArrayLike, n_heads: SupportsIndex) -> FloatArray:
    """Return how strongly each output channel listens to each head, ‖W_O^(h)[:, j]‖₂.

    Parameters
    ----------
    w_o
        Output projection, shape (..., H·d_v, d_model), finite.
    n_heads
        H, at least 1; must divide the rows of `w_o`.

    Returns
    -------
    ndarray, shape (..., d_model, H)
        At least 0, in the unit of `w_o`; row j is output channel j, column h is head h.

    Raises
    ------
    ValueError
        When `n_heads` does not divide the rows, a shape or dtype does not fit, `w_o` is not
        finite, or a norm overflows the dtype.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Concatenation and Output
    Projection", and its exercise 1 (who listens to whom).
    """
    projection = as_finite_matrices(w_o, "w_o", "H·d_v, d_model")
    blocks = _synthesis_blocks(projection, *_split(n_heads, projection.shape[-2], "rows of w_o"))
    norms = _norms(blocks, -2)
    require_no_overflow(norms, "w_o", "a norm")
    return np.swapaxes(norms, -1, -2)


def frobenius_norms(m: npt.ArrayLike) -> FloatArray:
    """Return the Frobenius norm of each matrix, ‖M‖ = √(Σ M[t, j]²).

    Of a term of the filter bank it is how much that head adds to the output.

    Parameters
    ----------
    m
        Matrices, shape (..., T, n), finite: for instance the terms of the filter bank.

    Returns
    -------
    ndarray, shape (...)
        At least 0, in the unit of `m`; 0 for a matrix without cells.

    Raises
    ------
    ValueError
        When `m` has fewer than two axes, a dtype that is not real, a value that is not finite,
        or a norm overflows the dtype.

    Notes
    -----
    Source: G. Golub and C. Van Loan, Matrix Computations (2013), section 2.3.1.
    """
    matrices = as_finite_matrices(m, "m", "T, n")
    norms = np.asarray(_norms(matrices, (-2, -1)))
    require_no_overflow(norms, "m", "a norm")
    return norms


def zero_head_columns(
    concat: npt.ArrayLike, head: SupportsIndex, n_heads: SupportsIndex
) -> FloatArray:
    """Return a matrix with the columns of one head set to zero.

    Of Concat this is the ablation of that head. The same columns of O belong to no head unless
    W_O keeps heads apart, as W_O = I does.

    Parameters
    ----------
    concat
        Shape (..., T, H·d_v), finite: `n_heads` blocks of equally many columns.
    head
        The head to zero, 0-based: from 0 to H − 1.
    n_heads
        H, at least 1; must divide the columns of `concat`.

    Returns
    -------
    ndarray, shape (..., T, H·d_v)
        A new array in the unit of `concat`.

    Raises
    ------
    ValueError
        When `n_heads` does not divide the columns, there is no such head, a shape or dtype does
        not fit, or `concat` is not finite.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Concatenation and Output
    Projection": columns h·d_v to (h+1)·d_v − 1 of Concat are head h's.
    """
    columns = as_finite_matrices(concat, "concat", "T, H·d_v")
    heads, width = _split(n_heads, columns.shape[-1], "columns of concat")
    place = as_place(head, "head", heads)
    without: FloatArray = columns.copy()
    without[..., place * width : (place + 1) * width] = 0.0
    return without


def _outputs_and_projection(o: npt.ArrayLike, w_o: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    outputs = as_finite_matrices(o, "o", "H, T, d_v")
    projection = as_finite_matrices(w_o, "w_o", "H·d_v, d_model")
    _require_projection_rows(projection, outputs.shape[-3], outputs.shape[-1])
    require_common_leading("o and w_o", outputs.shape[:-3], projection.shape[:-2])
    return outputs, projection


def _require_projection_rows(projection: FloatArray, n_heads: int, d_v: int) -> None:
    if projection.shape[-2] != n_heads * d_v:
        wanted = f"(..., {n_heads * d_v}, d_model): {n_heads} heads times d_v = {d_v}"
        raise shape_error("w_o", wanted, projection)


def _split(n_heads: SupportsIndex, size: int, of: str) -> tuple[int, int]:
    """Return H, and how many of `size` rows or columns each head has."""
    heads = as_length(n_heads, "n_heads")
    if size % heads:
        raise ValueError(f"n_heads must divide the {size} {of}, got {heads}.")
    return heads, size // heads


def _bound(magnitudes: FloatArray, n_products: int) -> float:
    """Return what products over so many, of sums of such magnitudes, may differ by."""
    epsilon = float(np.finfo(magnitudes.dtype).eps)
    return 2 * n_products * epsilon * float(np.max(magnitudes, initial=0.0))


def _concat(outputs: FloatArray) -> FloatArray:
    *leading, n_heads, n_positions, d_v = outputs.shape
    # The copy keeps a single head's result from sharing memory with the input.
    side_by_side: FloatArray = np.swapaxes(outputs, -3, -2).copy()
    return side_by_side.reshape(*leading, n_positions, n_heads * d_v)


def _synthesis_blocks(projection: FloatArray, n_heads: int, d_v: int) -> FloatArray:
    *leading, _, d_model = projection.shape
    return projection.reshape(*leading, n_heads, d_v, d_model)


def _norms(array: FloatArray, axis: int | tuple[int, int]) -> FloatArray:
    """Return the root of the sum of squares along `axis`, at any magnitude of the cells."""
    # Powers of two are exact, and keep the squares of very large or small cells in range.
    most = np.finfo(array.dtype).maxexp - 8  # of a power that has a normal reciprocal
    lowest, largest = (
        extreme.reduce(array, axis=axis, keepdims=True, initial=0.0)
        for extreme in (np.minimum, np.maximum)
    )
    exponent = np.clip(np.frexp(np.maximum(-lowest, largest))[1], -most, most)
    with np.errstate(all="ignore"):
        small = array * np.ldexp(array.dtype.type(1.0), -exponent)
        norms = np.sqrt(np.sum(np.square(small, out=small), axis=axis))
        scaled: FloatArray = np.ldexp(norms, np.squeeze(exponent, axis))
    return scaled


def _contributions(outputs: FloatArray, projection: FloatArray) -> FloatArray:
    n_heads, d_v = outputs.shape[-3], outputs.shape[-1]
    with np.errstate(all="ignore"):
        product: FloatArray = outputs @ _synthesis_blocks(projection, n_heads, d_v)
    require_no_overflow(product, "o and w_o", "their product")
    return product
