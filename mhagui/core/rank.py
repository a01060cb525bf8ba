"""Rank and singular values of a head's scores, and the effective rank of a matrix."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import FloatArray, as_finite_matrices, require_no_overflow
from mhagui.core.attention import queries_and_keys


def score_singular_values(q: npt.ArrayLike, k: npt.ArrayLike) -> FloatArray:
    """Return the singular values of q·kᵀ (no 1/√d_k, no gain), largest first.

    Computed from the factors: QR of both, then the singular values of the small core
    R_q·R_kᵀ. The T_q × T_k product is never formed, so the cost is linear in T.

    Parameters
    ----------
    q
        Queries, shape (..., T_q, d_k), finite.
    k
        Keys, shape (..., T_k, d_k), finite; leading axes broadcast against those of `q`.

    Returns
    -------
    ndarray, shape (..., min(T_q, T_k, d_k))
        Dimensionless, at least 0; the remaining singular values are exactly 0.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, when `q` or `k` is not finite, or when a
        singular value overflows the dtype.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Signals".
    """
    queries, keys = queries_and_keys(q, k)
    r_q, r_k, exponent = _small_factors(queries, keys)
    with np.errstate(all="ignore"):
        values = np.ldexp(_core_values(r_q, r_k), exponent)
    require_no_overflow(values, "q and k", "a singular value")
    return values


def score_rank(q: npt.ArrayLike, k: npt.ArrayLike) -> int | npt.NDArray[np.int64]:
    """Return the numerical rank of q·kᵀ, at most d_k; no gain changes it.

    A singular value counts when it exceeds max(T_q, T_k) · ε · σ₁, ε of the dtype. It must
    also exceed 2·√max(T_q, T_k) · ε · ‖q‖₂·‖k‖₂ (columns of q and k brought to like size
    first): below that it is the rounding of the factors. So queries orthogonal to every key
    have rank 0, though σ₁ itself is then rounding.

    Parameters
    ----------
    q, k
        As for `score_singular_values`.

    Returns
    -------
    int, or ndarray of int64
        0..min(T_q, T_k, d_k); an array of the broadcast leading axes when there are any.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, or `q` or `k` is not finite.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Signals": its
    four heads have rank 1, 2, 2 and 0.
    """
    queries, keys = queries_and_keys(q, k)
    r_q, r_k, _ = _small_factors(queries, keys)
    values = _core_values(r_q, r_k)
    epsilon = float(np.finfo(values.dtype).eps)
    largest = np.max(values, axis=-1, keepdims=True, initial=0.0)
    longest = max(queries.shape[-2], keys.shape[-2])
    rounding = 2.0 * math.sqrt(longest) * _norms(r_q) * _norms(r_k)
    counts = values > epsilon * np.maximum(longest * largest, rounding)
    rank = np.count_nonzero(counts, axis=-1)
    return int(rank) if values.ndim == 1 else np.asarray(rank, dtype=np.int64)


def singular_values(m: npt.ArrayLike) -> FloatArray:
    """Return the singular values of a matrix, largest first.

    Parameters
    ----------
    m
        Shape (..., M, N), finite.

    Returns
    -------
    ndarray, shape (..., min(M, N))
        At least 0, in the unit of `m`.

    Raises
    ------
    ValueError
        When `m` has fewer than two axes, a dtype that is not real, or a value that is not
        finite, or when a singular value overflows the dtype.

    Notes
    -----
    Source: Golub & Van Loan, Matrix Computations, section 2.4.
    """
    relative, exponent = _relative_values(m)
    with np.errstate(all="ignore"):
        values = np.ldexp(relative, exponent)
    require_no_overflow(values, "m", "a singular value")
    return values


def effective_rank(m: npt.ArrayLike) -> float | FloatArray:
    """Return exp(−Σ p_i ln p_i) with p_i = σ_i / Σσ, σ the singular values of `m`.

    Parameters
    ----------
    m
        Shape (..., M, N), finite; weights A or any other matrix.

    Returns
    -------
    float, or ndarray
        Dimensionless, from 1 to the rank of `m`; 0.0 for a matrix of zeros or without cells,
        which has no distribution of singular values. An array of the leading axes when there
        are any, float32 for float32 matrices.

    Raises
    ------
    ValueError
        When `m` has fewer than two axes, a dtype that is not real, or a value that is not
        finite.

    Notes
    -----
    Source: O. Roy and M. Vetterli, "The effective rank: a measure of effective
    dimensionality", EUSIPCO 2007. Unlike the rank of the scores, the effective rank of A
    does change with a head's gain.
    """
    return effective_rank_from_singular_values(_relative_values(m)[0])


def effective_rank_from_singular_values(values: npt.ArrayLike) -> float | FloatArray:
    """Return the effective rank of a matrix whose singular values are known already.

    Parameters
    ----------
    values
        Singular values σ, shape (..., N), finite and at least 0, in any order.

    Returns
    -------
    float, or ndarray
        exp(−Σ p_i ln p_i) with p_i = σ_i / Σσ, as `effective_rank` of the matrix itself.

    Raises
    ------
    ValueError
        When `values` has no axis, a dtype that is not real, or a value that is negative or
        not finite.

    Notes
    -----
    Source: as for `effective_rank`.
    """
    given = as_finite_matrices(values, "values", "N")
    sigma = given.astype(np.float64)
    if np.any(sigma < 0.0):
        raise ValueError(f"values must be at least 0, got {sigma.min()}.")
    largest = np.max(sigma, axis=-1, keepdims=True, initial=0.0)
    is_zero = largest == 0.0
    relative = sigma / np.where(is_zero, 1.0, largest)  # first, so that the sum cannot overflow
    p = relative / np.where(is_zero, 1.0, relative.sum(axis=-1, keepdims=True))
    nats = -np.sum(p * np.log(np.where(p > 0.0, p, 1.0)), axis=-1)
    rank = np.where(is_zero[..., 0], 0.0, np.exp(nats))
    return float(rank) if rank.ndim == 0 else rank.astype(given.dtype)


def _relative_values(m: npt.ArrayLike) -> tuple[FloatArray, npt.NDArray[np.int32]]:
    """Return (s, e): 2^e · s are the singular values of `m`; s cannot overflow, e is (..., 1)."""
    matrices = as_finite_matrices(m, "m", "M, N")
    largest = np.max(np.abs(matrices), axis=(-2, -1), keepdims=True, initial=0.0)
    exponent = np.frexp(largest)[1]
    values: FloatArray = np.linalg.svd(np.ldexp(matrices, -exponent), compute_uv=False)
    return values, exponent[..., 0]


def _small_factors(
    q: FloatArray, k: FloatArray
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int32]]:
    """Return (R_q, R_k, e): 2^e · R_q·R_kᵀ has the singular values of q·kᵀ; e is (..., 1)."""
    balanced_q, balanced_k, exponent = _balanced(q, k)
    return _r_factor(balanced_q), _r_factor(balanced_k), exponent


def _r_factor(m: FloatArray) -> FloatArray:
    # numpy 2.4 types mode="r" as if it returned Q too.
    return cast(FloatArray, np.linalg.qr(m, mode="r"))


def _core_values(r_q: FloatArray, r_k: FloatArray) -> FloatArray:
    core = r_q @ np.swapaxes(r_k, -1, -2)
    values: FloatArray = np.linalg.svd(core, compute_uv=False)
    return values


def _norms(r: FloatArray) -> FloatArray:
    """Return spectral norms, shape (..., 1)."""
    norms: FloatArray = np.linalg.svd(r, compute_uv=False)[..., :1]
    return norms


def _balanced(q: FloatArray, k: FloatArray) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int32]]:
    """Scale column j of q up and of k down (or the reverse) by powers of two, exactly.

    Both columns end up of like size and below 1, so nothing overflows and the rounding of
    the QR factors is small beside the product. A column that is zero on either side adds
    nothing to the product and is cleared on both.
    """
    e_q, e_k = _column_exponents(q), _column_exponents(k)
    is_live = np.any(q, axis=-2, keepdims=True) & np.any(k, axis=-2, keepdims=True)
    joint = np.where(is_live, e_q + e_k, np.int32(-8192))
    common = np.max(joint, axis=-1, keepdims=True)
    shift = joint - common
    half = shift // 2
    balanced_q = np.ldexp(np.where(is_live, q, q.dtype.type(0.0)), half - e_q)
    balanced_k = np.ldexp(np.where(is_live, k, k.dtype.type(0.0)), shift - half - e_k)
    return balanced_q, balanced_k, common[..., 0]


def _column_exponents(m: FloatArray) -> npt.NDArray[np.int32]:
    largest = np.max(np.abs(m), axis=-2, keepdims=True, initial=0.0)
    exponents: npt.NDArray[np.int32] = np.frexp(largest)[1]
    return exponents
