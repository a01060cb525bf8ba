"""Queries and keys for weights that are asked for row by row."""

from __future__ import annotations

from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import as_length, as_matrices, shape_error
from mhagui.core._target_search import ZERO_SHARE, Floats, Rows, nearest_factors
from mhagui.core.attention import attention_weights, causal_mask

LARGEST_TARGET = 64
WIDEST_TARGET = 16

TARGET_TOLERANCE = 1e-2
_SUM_TOLERANCE = 1e-6
_EXACT = 1.01 * ZERO_SHARE  # what weights asked as 0 take from the others


class TargetFit(NamedTuple):
    """Queries and keys, and how near their weights come to those asked for.

    Attributes
    ----------
    q, k
        Shape (T, d_k), dimensionless.
    realised
        Their causal weights at gain 1, shape (T, T).
    largest_error
        The largest |realised − asked| of the given rows, 0..1; 0 where none is given.
    worst_row
        The row, 0-based, in which it is; None where no row is given.
    d_k_needed
        The smallest width from d_k to 16 that was found to come within 0.01; None where none
        was. It is d_k itself where `largest_error` is at most 0.01.
    """

    q: Floats
    k: Floats
    realised: Floats
    largest_error: float
    worst_row: int | None
    d_k_needed: int | None


def queries_and_keys_for(weights: npt.ArrayLike, d_k: SupportsIndex) -> TargetFit:
    """Return queries and keys whose causal weights are those asked for, as nearly as found.

    Sought are scores q·kᵀ/√d_k that are log `weights` plus a constant of each row. Masked cells
    and whole rows may be free, so a head can do more than its rank suggests. A weight asked as
    0 cannot be exactly 0 after a softmax: such cells are brought to at most 0.001 of their row
    all together, and how far below that does not matter. As many rows as d_k are always met.
    Of more the nearest is searched for step by step from a few fixed starts: the answer is the
    same each time, but need not be the nearest there is.

    Parameters
    ----------
    weights
        Shape (T, T) with T of at most 64: each given row is at least 0, 0 past the diagonal,
        and sums to 1 within 1e-6; a row that is all NaN is free.
    d_k
        Width of queries and keys, at least 1.

    Returns
    -------
    TargetFit
        New arrays of float64. Of the many factors of the same scores those are returned whose
        keys have the mean 0 and whose columns of q and k are orthogonal and of like size.

    Raises
    ------
    ValueError
        When a shape or d_k does not fit, or a given row is no row of causal weights.

    Notes
    -----
    Source: the lesson on multi-head attention, exercise 4 and section "Engineering Lenses,
    Signals".
    """
    width = as_length(d_k, "d_k")
    asked = _checked(weights)
    q, k = _factors(asked, width)
    realised, errors = _errors(asked, q, k)
    given = np.flatnonzero(~np.isnan(asked[:, 0]))
    worst = int(given[errors[given].argmax()]) if given.size else None
    largest = float(errors.max())
    needed = width if largest <= TARGET_TOLERANCE else _narrowest(asked, width)
    return TargetFit(q, k, realised, largest, worst, needed)


def _checked(weights: npt.ArrayLike) -> Floats:
    array = as_matrices(weights, "weights", "T, T").astype(np.float64)
    n = array.shape[0]
    if array.shape != (n, n) or not 1 <= n <= LARGEST_TARGET:
        raise shape_error("weights", f"(T, T) with T from 1 to {LARGEST_TARGET}", array)
    for row in np.flatnonzero(~np.isnan(array).all(axis=1)):
        cells = array[row]
        if not (np.isfinite(cells).all() and cells.min() >= 0):
            raise ValueError(f"weights must be finite and at least 0; row {row} is not.")
        if cells[row + 1 :].any():
            raise ValueError(f"weights must be 0 past the diagonal; row {row} is not.")
        if abs(cells.sum() - 1) > _SUM_TOLERANCE:
            raise ValueError(
                f"weights must sum to 1 in each given row; row {row} sums to {cells.sum():.6g}."
            )
    return array


def _narrowest(asked: Floats, width: int) -> int | None:
    """Return the least width above `width`, up to 16, that comes near enough; None if none does."""
    fails, works = width, min(WIDEST_TARGET, len(asked) - 1)
    if works <= fails or not _works(asked, works):
        return None
    while works - fails > 1:
        middle = (fails + works) // 2
        fails, works = (fails, middle) if _works(asked, middle) else (middle, works)
    return works


def _works(asked: Floats, width: int) -> bool:
    _, errors = _errors(asked, *_factors(asked, width, enough=TARGET_TOLERANCE, share=0.25))
    return bool(errors.max() <= TARGET_TOLERANCE)


def _errors(asked: Floats, q: Floats, k: Floats) -> tuple[Floats, Floats]:
    """Return the weights of `q` and `k`, and the largest error of each row, 0 of a free one."""
    realised = np.asarray(attention_weights(q, k), dtype=np.float64)
    return realised, np.nan_to_num(np.abs(realised - asked)).max(axis=1)


def _factors(
    asked: Floats, width: int, *, enough: float = _EXACT, share: float = 1.0
) -> tuple[Floats, Floats]:
    """Return the nearest Q and K that were found, both (T, width)."""
    n = len(asked)
    q, k = np.zeros((n, width)), np.zeros((n, width))
    rows = np.flatnonzero(~np.isnan(asked[:, 0]) & (np.arange(n) > 0))  # row 0 has no choice
    if rows.size:
        wanted = Rows(asked[rows], causal_mask(n)[rows])
        used = min(width, rows.size)
        queries, keys, _ = nearest_factors(wanted, used, enough=enough, share=share)
        queries, keys = _balanced(queries, _centred(keys, int(rows[-1]) + 1))
        root = width**0.25  # √√d_k in both undoes the 1/√d_k of the scores
        q[rows, :used], k[:, :used] = root * queries, root * keys
    return q, k


def _centred(keys: Floats, n_used: int) -> Floats:
    """Return the keys about their mean, which no softmax sees; keys past the last row are 0."""
    centred = np.zeros_like(keys)
    centred[:n_used] = keys[:n_used] - keys[:n_used].mean(axis=0)
    return centred


def _balanced(queries: Floats, keys: Floats) -> tuple[Floats, Floats]:
    """Return factors of the same product with orthogonal columns of like size."""
    (q, r_q), (k, r_k) = np.linalg.qr(queries), np.linalg.qr(keys)
    left, sizes, right = np.linalg.svd(r_q @ r_k.T)
    roots = np.sqrt(sizes)
    return q @ left * roots, k @ right.T * roots
