"""A row of weights as a filter: how far it is from another, and what it does to frequencies."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    FloatArray,
    as_floats,
    require_common_leading,
    require_finite,
    require_no_overflow,
    shape_error,
)

ComplexArray: TypeAlias = npt.NDArray[np.complexfloating[Any]]

# A response below this part of the sum of its taps' magnitudes is a null: it has no delay.
_NULL = 1e-6


def total_variation(p: npt.ArrayLike, q: npt.ArrayLike) -> FloatArray:
    """Return the total-variation distance of each two rows, ½ Σ_i |p_i − q_i|.

    Parameters
    ----------
    p, q
        Rows of weights, shape (..., N) with N at least 1, finite; the leading axes broadcast.

    Returns
    -------
    ndarray, shape (...)
        The part of the weight that would have to move, dimensionless: for rows that are not
        negative and sum to 1 it is from 0 (the same row) to 1 (no position in common). float32
        rows give a float32 distance.

    Raises
    ------
    ValueError
        When a row is missing, not real or not finite, the shapes do not fit each other, or the
        distance overflows.

    Notes
    -----
    Source: the total-variation distance of two distributions (Levin, Peres and Wilmer 2009,
    "Markov Chains and Mixing Times", proposition 4.2).
    """
    one, other = _as_rows(p, "p"), _as_rows(q, "q")
    if one.shape[-1] != other.shape[-1]:
        raise shape_error("q", f"(..., {one.shape[-1]}) to match p", other)
    require_common_leading("p and q", one.shape[:-1], other.shape[:-1])
    # Halved first: the difference of two finite numbers may overflow, that of their halves not.
    with np.errstate(over="ignore"):
        distance: FloatArray = np.asarray(np.abs(one / 2 - other / 2).sum(axis=-1))
    require_no_overflow(distance, "p and q", "their distance")
    return distance


def frequency_response(taps: npt.ArrayLike, frequencies: npt.ArrayLike) -> ComplexArray:
    """Return H(ω) = Σ_τ h(τ) exp(−jωτ) of rows of weights, read as filters over the lag τ.

    Parameters
    ----------
    taps
        Shape (..., t), t at least 1, finite: row t of the weights at the keys t1..t, the oldest
        first. The tap of lag τ = t − i is the weight of key i, so the last is that of lag 0.
    frequencies
        ω, shape (F,), finite, in radians per position; a real filter says all between 0 and π.

    Returns
    -------
    complex ndarray, shape (..., F)
        Dimensionless. Weights that are not negative and sum to 1 have H(0) = 1 and |H| <= 1
        everywhere. A single tap of weight 1 is flat, |H| = 1, whatever its lag: a hold
        (lag t − 1), a delay and the identity differ in their delay alone. complex64 of float32
        taps, else complex128.

    Raises
    ------
    ValueError
        When there is no tap, an argument has the wrong shape, is not real or not finite, or a
        phase or the response overflows.

    Notes
    -----
    Source: the discrete-time Fourier transform; the lesson on multi-head attention, section
    "Engineering Lenses, Model", reads row t as the impulse response at t.
    """
    rows, omega = _as_rows(taps, "taps"), _as_frequencies(frequencies)
    with np.errstate(all="ignore"):
        transform = _transform(rows[..., ::-1], omega)
        response = transform.astype(np.result_type(rows.dtype, np.complex64))
    require_no_overflow(response, "taps and frequencies", "the response")
    return response


def group_delay(taps: npt.ArrayLike, frequencies: npt.ArrayLike) -> FloatArray:
    """Return the group delay −d arg H/dω, which is Re(Σ τ h exp(−jωτ) / Σ h exp(−jωτ)).

    Parameters
    ----------
    taps, frequencies
        As for `frequency_response`.

    Returns
    -------
    ndarray, shape (..., F)
        In positions: by how much a slow envelope at ω comes out later. A hold has t − 1, a delay
        by k has k, the identity 0, and a box of t equal taps (t − 1)/2. It can be negative, or
        more than t − 1, where taps nearly cancel. NaN at a null, where |H| is at most 1e-6 of
        Σ |h|: there rounding would decide.

    Raises
    ------
    ValueError
        As for `frequency_response`.

    Notes
    -----
    Source: Oppenheim and Schafer, "Discrete-Time Signal Processing", section on group delay; as
    a quotient of two transforms it needs no unwrapped phase.
    """
    rows, omega = _as_rows(taps, "taps"), _as_frequencies(frequencies)
    # The delay does not depend on the size of the taps: with the largest near 1 none overflows.
    largest = np.max(np.abs(rows), axis=-1, keepdims=True)
    by_lag = np.ldexp(rows, -np.frexp(largest)[1])[..., ::-1]
    with np.errstate(all="ignore"):
        response = _transform(by_lag, omega)
        weighted = _transform(by_lag * np.arange(rows.shape[-1]), omega)
        is_null = np.abs(response) <= _NULL * np.abs(by_lag).sum(axis=-1, keepdims=True)
        delay = (weighted / np.where(is_null, 1.0, response)).real
    require_no_overflow(delay, "frequencies", "a phase")
    return np.where(is_null, np.nan, delay).astype(rows.dtype)


def _transform(by_lag: FloatArray, omega: FloatArray) -> npt.NDArray[np.complex128]:
    """Return Σ_τ h(τ) exp(−jωτ), the lags counted as τ = b + a·B in blocks of B.

    So about 2·√N exponentials a frequency are enough for N lags.
    """
    n_lags = by_lag.shape[-1]
    block = math.isqrt(n_lags - 1) + 1
    n_blocks = -(-n_lags // block)
    padded = np.zeros((*by_lag.shape[:-1], n_blocks * block))
    padded[..., :n_lags] = by_lag
    within = padded.reshape(*by_lag.shape[:-1], n_blocks, block) @ _turns(np.arange(block), omega)
    transform: npt.NDArray[np.complex128] = np.einsum(
        "...af,af->...f", within, _turns(block * np.arange(n_blocks), omega)
    )
    return transform


def _turns(lags: npt.NDArray[np.int64], omega: FloatArray) -> npt.NDArray[np.complex128]:
    """Return exp(−jωτ) for each lag and frequency."""
    turns: npt.NDArray[np.complex128] = np.exp(-1j * np.multiply.outer(lags, omega))
    return turns


def _as_rows(value: npt.ArrayLike, name: str) -> FloatArray:
    array = as_floats(value, name)
    if array.ndim < 1 or array.shape[-1] < 1:
        raise shape_error(name, "(..., N) with N at least 1", array)
    require_finite(array, name)
    return array


def _as_frequencies(value: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = as_floats(value, "frequencies")
    if array.ndim != 1:
        raise shape_error("frequencies", "(F,)", array)
    require_finite(array, "frequencies")
    return array.astype(np.float64, copy=False)
