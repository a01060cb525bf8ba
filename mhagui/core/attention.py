"""Scores and weights of causal attention, with a gain on the scores and a boolean mask."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    BoolArray,
    FloatArray,
    as_array,
    as_floats,
    as_length,
    as_matrices,
    as_number,
    broadcasts_to,
    described,
    non_finite_error,
    require_common_leading,
    require_finite,
    require_no_overflow,
    shape_error,
)

Mask: TypeAlias = Literal["causal"] | npt.ArrayLike | None
Gain: TypeAlias = float | FloatArray
Check: TypeAlias = Callable[[], object]

_LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
# Rows of scores that are made between two looks whether they are wanted still; all that is done to
# them is done while they are near. Fewer take longer in all.
_ROWS = 256


def causal_mask(n_queries: SupportsIndex, n_keys: SupportsIndex | None = None) -> BoolArray:
    """Return which keys each query may see: True = allowed.

    The queries are the last `n_queries` of `n_keys` positions, so key i is allowed for
    query t when ``i <= t + n_keys - n_queries`` (both 0-based). With fewer keys than
    queries the same rule holds: the first ``n_queries - n_keys`` queries come before every
    key and have no allowed key, and their rows of weights are zero.

    Parameters
    ----------
    n_queries
        Number of query positions T_q, at least 1.
    n_keys
        Number of key positions T_k, at least 1; None means `n_queries`.

    Returns
    -------
    ndarray of bool, shape (T_q, T_k)
        A new array, lower triangular when T_q = T_k.

    Raises
    ------
    ValueError
        When a count is not an integer from 1 to 2³¹ − 1.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Four Heads, Four Patterns". The
    lesson adds −10⁹ to the scores; a boolean mask gives the same weights and stays defined
    on a row with no allowed key.
    """
    rows = as_length(n_queries, "n_queries")
    columns = rows if n_keys is None else as_length(n_keys, "n_keys")
    return _causal(rows, columns)


def attention_scores(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    scale: float | None = None,
    *,
    check: Check | None = None,
) -> FloatArray:
    """Return the scores S = scale · q·kᵀ.

    Parameters
    ----------
    q
        Queries, shape (..., T_q, d_k), finite.
    k
        Keys, shape (..., T_k, d_k), finite; leading axes broadcast against those of `q`.
    scale
        Finite, dimensionless; None means 1/√d_k.
    check
        Called again and again, before each few rows; what it raises ends the work, and is raised.

    Returns
    -------
    ndarray, shape (..., T_q, T_k)
        Dimensionless, any finite value; float32 when both inputs are, otherwise float64.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, when `q`, `k` or `scale` is not finite, or when
        the scores of finite inputs overflow the dtype.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Per-Head Projections".
    """
    queries, keys = queries_and_keys(q, k)
    factor = 1.0 / math.sqrt(queries.shape[-1]) if scale is None else as_number(scale, "scale")
    scores, is_finite = _scaled_products(queries, np.swapaxes(keys, -1, -2), factor, check)
    if not is_finite and not np.isfinite(scores).all():
        rescaled = scores_by_exponents(queries, keys, factor)
        scores = np.where(np.isfinite(scores), scores, rescaled)
        require_no_overflow(scores, "q and k", "a score")
    return scores


def attention_weights(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    *,
    gain: npt.ArrayLike = 1.0,
    mask: Mask = "causal",
    scale: float | None = None,
) -> FloatArray:
    """Return the weights A = softmax(gain · S) over the allowed keys, S the scores of q and k.

    Parameters
    ----------
    q, k, scale
        As for `attention_scores`.
    gain, mask
        As for `weights_from_scores`.

    Returns
    -------
    ndarray, shape (..., T_q, T_k)
        As for `weights_from_scores`.

    Raises
    ------
    ValueError
        As for `attention_scores` and `weights_from_scores`.

    Notes
    -----
    Source: the lesson on multi-head attention, sections "Per-Head Projections" and "Four
    Heads, Four Patterns". Scaling a head's keys by g is the same as a gain of g.
    """
    scores = attention_scores(q, k, scale)
    factor = gain_for(gain, scores.shape[:-2])
    return softmax_weights(scores, factor, allowed_for(mask, scores.shape))


def weights_from_scores(
    scores: npt.ArrayLike, *, gain: npt.ArrayLike = 1.0, mask: Mask = "causal"
) -> FloatArray:
    """Return the weights A = softmax(gain · scores) over the allowed keys of each row.

    The gain scales the scores only, never the mask: 1 is the head as designed, 0 gives
    equal weights on all allowed keys, a negative gain attends away from high scores.

    Parameters
    ----------
    scores
        Shape (..., T_q, T_k), dimensionless; finite wherever the mask allows, anything
        (NaN, −inf) where it does not.
    gain
        Dimensionless and finite: one number, or an array that broadcasts to the leading
        axes of `scores` (one gain per head for scores of shape (H, T_q, T_k)).
    mask
        "causal" (as `causal_mask`), None (every key allowed), or a boolean array that
        broadcasts to the shape of `scores`, True = allowed.

    Returns
    -------
    ndarray, shape (..., T_q, T_k)
        A new array, values 0..1, dimensionless; each row sums to 1 within rounding, cells
        that the mask forbids are exactly 0, and a row with no allowed key is all zero.
        float32 scores give float32 weights.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, or an allowed score or a gain is not finite.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Per-Head Projections". Each row's
    allowed extreme is subtracted before the gain multiplies, so no finite score and no
    finite gain can overflow.
    """
    array = as_matrices(scores, "scores", "T_q, T_k")
    factor = gain_for(gain, array.shape[:-2])
    allowed = allowed_for(mask, array.shape)
    require_finite_where_allowed(array, allowed)
    return softmax_weights(array, factor, allowed)


def softmax_exponents(
    scores: npt.ArrayLike, *, gain: npt.ArrayLike = 1.0, mask: Mask = "causal"
) -> FloatArray:
    """Return the exponents of the softmax: gain · (scores − the score that the gain favours).

    Their exponentials over a row, divided by the row's sum of them, are the weights.

    Parameters
    ----------
    scores, gain, mask
        As for `weights_from_scores`.

    Returns
    -------
    ndarray, shape (..., T_q, T_k)
        A new array, dimensionless: at most 0, and 0 where a row's gained score is largest; −inf
        where the mask forbids. float32 scores give float32 exponents.

    Raises
    ------
    ValueError
        As for `weights_from_scores`.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Per-Head Projections". What is
    subtracted is the row's largest allowed score, the smallest where the gain is negative.
    """
    array = as_matrices(scores, "scores", "T_q, T_k")
    factor = gain_for(gain, array.shape[:-2])
    allowed = allowed_for(mask, array.shape)
    require_finite_where_allowed(array, allowed)
    with np.errstate(all="ignore"):
        wide = array.astype(np.float64, copy=False)
        return _exponents(*_without_zero_gains(wide, factor), allowed).astype(array.dtype)


def _scaled_products(
    queries: FloatArray, columns: FloatArray, factor: float, check: Check | None
) -> tuple[FloatArray, bool]:
    """Return the products times `factor`, and whether sums of them are finite."""
    leading = np.broadcast_shapes(queries.shape[:-2], columns.shape[:-2])
    n_rows, dtype = queries.shape[-2], np.result_type(queries, columns)
    scores: FloatArray = np.empty((*leading, n_rows, columns.shape[-1]), dtype)
    is_finite = True
    with np.errstate(all="ignore"):
        for begin in range(0, n_rows, _ROWS):
            if check is not None:
                check()
            rows = slice(begin, begin + _ROWS)
            strip = np.matmul(queries[..., rows, :], columns, out=scores[..., rows, :])
            strip *= dtype.type(factor)
            is_finite &= math.isfinite(np.add.reduce(strip, axis=None))
    return scores, is_finite


def _causal(n_queries: int, n_keys: int) -> BoolArray:
    last_allowed = np.arange(n_keys - n_queries, n_keys, dtype=np.int32)
    allowed: BoolArray = np.arange(n_keys, dtype=np.int32) <= last_allowed[:, np.newaxis]
    return allowed


def queries_and_keys(q: npt.ArrayLike, k: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return q and k as finite arrays that fit each other, or refuse them by name."""
    queries, keys = fitting_queries_and_keys(q, k)
    require_finite(queries, "q")
    require_finite(keys, "k")
    return queries, keys


def fitting_queries_and_keys(q: npt.ArrayLike, k: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return q and k as arrays that fit each other, finite or not."""
    queries = as_matrices(q, "q", "T_q, d_k")
    keys = as_matrices(k, "k", "T_k, d_k")
    if queries.shape[-1] == 0:
        raise shape_error("q", "(..., T_q, d_k) with d_k at least 1", queries)
    if keys.shape[-1] != queries.shape[-1]:
        raise shape_error("k", f"(..., T_k, {queries.shape[-1]}) to match q", keys)
    require_common_leading("q and k", queries.shape[:-2], keys.shape[:-2])
    return queries, keys


def scores_by_exponents(queries: FloatArray, keys: FloatArray, scale: float) -> FloatArray:
    """Return the scores with the powers of two applied last: only a score itself overflows."""
    (q, e_q), (k, e_k) = _rows_and_exponents(queries), _rows_and_exponents(keys)
    mantissa, exponent = math.frexp(scale)
    with np.errstate(all="ignore"):
        products = (q @ np.swapaxes(k, -1, -2)) * mantissa
        scores: FloatArray = np.ldexp(products, e_q + np.swapaxes(e_k, -1, -2) + exponent)
    return scores


def _rows_and_exponents(m: FloatArray) -> tuple[FloatArray, npt.NDArray[np.int32]]:
    """Return (r, e): 2^e · r are the rows of m; no cell of r exceeds 1, e is (..., T, 1)."""
    exponents = np.frexp(np.max(np.abs(m), axis=-1, keepdims=True))[1]
    with np.errstate(under="ignore"):
        return np.ldexp(m, -exponents), exponents


def gain_for(gain: npt.ArrayLike, leading: tuple[int, ...]) -> Gain:
    """Return one float64 gain, or an array (..., 1, 1) for scores with these leading axes."""
    if isinstance(gain, int | float):
        return as_number(gain, "gain")
    array = as_floats(gain, "gain").astype(np.float64, copy=False)
    require_finite(array, "gain")
    if array.ndim == 0:
        return float(array)
    if not broadcasts_to(array.shape, leading):
        raise shape_error("gain", f"that broadcasts to the leading axes {leading}", array)
    return array[..., np.newaxis, np.newaxis]


def allowed_for(mask: Mask, shape: tuple[int, ...]) -> BoolArray | None:
    """Return the mask of scores of a shape, as booleans that broadcast to it; None: all allowed."""
    if mask is None:
        return None
    if isinstance(mask, str):
        if mask != "causal":
            raise ValueError(
                f'mask must be "causal", None or a boolean array, got {described(mask)}.'
            )
        return _causal(*shape[-2:])
    allowed = as_array(mask, "mask")
    if allowed.dtype != np.bool_:
        raise ValueError(f"mask must be boolean (True = allowed), got dtype {allowed.dtype}.")
    if not broadcasts_to(allowed.shape, shape):
        raise shape_error("mask", f"that broadcasts to the scores' {shape}", allowed)
    return allowed


def require_finite_where_allowed(scores: FloatArray, allowed: BoolArray | None) -> None:
    """Refuse NaN and infinity where the mask allows, naming the first place."""
    # No NaN or infinity can vanish from a sum, and a sum is cheaper than a look at each cell.
    with np.errstate(all="ignore"):
        if math.isfinite(np.add.reduce(scores, axis=None)):
            return
    bad = ~np.isfinite(scores)
    if allowed is not None:
        bad &= allowed
    if bad.any():
        raise non_finite_error("scores", scores, bad)


def softmax_weights(scores: FloatArray, gain: Gain, allowed: BoolArray | None) -> FloatArray:
    """Return the weights of scores that are finite where allowed; gain as `gain_for` gives it."""
    if scores.dtype == np.float32:
        if np.max(np.abs(gain), initial=0.0) > _LARGEST_FLOAT32:
            return softmax_weights(scores.astype(np.float64), gain, allowed).astype(np.float32)
        gain = _as_float32(gain)
    with np.errstate(all="ignore"):
        weights = _exponents(*_without_zero_gains(scores, gain), allowed)
        np.exp(weights, out=weights)
        total = np.add.reduce(weights, axis=-1, keepdims=True)
        if allowed is not None:
            total[total == 0.0] = 1.0  # a row with no allowed key stays zero
        weights /= total
    return weights


def _as_float32(gain: Gain) -> Gain:
    # NumPy would do so anyway, but after the look for gains of zero, which underflow may make.
    with np.errstate(under="ignore"):
        return float(np.float32(gain)) if isinstance(gain, float) else gain.astype(np.float32)


def _without_zero_gains(scores: FloatArray, gain: Gain) -> tuple[FloatArray, Gain]:
    """Replace a gain of 0 by 1 on scores of 0: the same weights, and no 0 · inf on the way."""
    if isinstance(gain, float):
        return (scores, gain) if gain else (np.zeros_like(scores), 1.0)
    if gain.all():
        return scores, gain
    zero = gain == 0.0
    return np.where(zero, scores.dtype.type(0.0), scores), np.where(zero, gain.dtype.type(1), gain)


def _exponents(scores: FloatArray, gain: Gain, allowed: BoolArray | None) -> FloatArray:
    """Return gain · (S − the row's allowed extreme): at most 0, and −inf where not allowed."""
    filled = scores if allowed is None else np.where(allowed, scores, _filler(gain, scores.dtype))
    extreme = _row_extreme(filled, gain)
    if allowed is not None:
        extreme[np.isinf(extreme)] = 0.0  # a row with no allowed key: −inf − (−inf) is NaN
    try:
        with np.errstate(over="raise"):
            exponents = np.subtract(filled, extreme, out=None if allowed is None else filled)
    except FloatingPointError:
        # Scores at both ends of the floating-point range: half of them leaves room.
        return _exponents(scores * 0.5, gain, allowed) * 2.0
    exponents *= gain
    return exponents


def _filler(gain: Gain, dtype: np.dtype[Any]) -> float | FloatArray:
    """Return the score that a masked cell gets: the one this gain makes −inf."""
    if isinstance(gain, float):
        return -math.inf if gain > 0.0 else math.inf
    return np.where(gain > 0.0, -math.inf, math.inf).astype(dtype)


def _row_extreme(scores: FloatArray, gain: Gain) -> FloatArray:
    """Return the score of each row that the gain favours: (..., T_q, 1)."""
    favours_high = gain > 0.0
    if np.all(favours_high):
        return _row_maximum(scores)
    if not np.any(favours_high):
        return _row_minimum(scores)
    return np.where(favours_high, _row_maximum(scores), _row_minimum(scores))


def _row_maximum(scores: FloatArray) -> FloatArray:
    return np.maximum.reduce(scores, axis=-1, keepdims=True, initial=-math.inf)


def _row_minimum(scores: FloatArray) -> FloatArray:
    return np.minimum.reduce(scores, axis=-1, keepdims=True, initial=math.inf)
