"""The four designed heads of the lesson, as queries and keys for any sequence length."""

from __future__ import annotations

from typing import SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import as_length, as_number

QueriesAndKeys: TypeAlias = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def first_token_head(
    n_positions: SupportsIndex,
    d_k: SupportsIndex = 2,
    key_magnitude: float = 3.0,
    query_magnitude: float = 1.0,
) -> QueriesAndKeys:
    """Return queries and keys of a head that looks at the first position.

    Only the first key has a feature, of size `key_magnitude`, and every query asks for it.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    d_k
        Width of queries and keys, at least 1; features past the first are zero.
    key_magnitude, query_magnitude
        Finite, dimensionless; the lesson has 3 and 1.

    Returns
    -------
    (q, k) : tuple of ndarray of float64, each of shape (T, d_k)
        New arrays, dimensionless: `key_magnitude` in k[0, 0], `query_magnitude` in the first
        column of q, 0 elsewhere.

    Raises
    ------
    ValueError
        When a count or a magnitude is not acceptable.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Four Heads, Four Patterns", head 1.
    """
    magnitudes = _magnitudes(key_magnitude, query_magnitude)
    q, k = _zeros(n_positions, d_k)
    k[0, 0], q[:, 0] = magnitudes
    return q, k


def previous_token_head(
    n_positions: SupportsIndex,
    d_k: SupportsIndex = 2,
    key_magnitude: float = 3.0,
    query_magnitude: float = 3.0,
) -> QueriesAndKeys:
    """Return queries and keys of a head that looks at the position before.

    Position i (1-based) is the point at angle 2πi/T on a circle; key i is that point, query
    t is the point of position t − 1.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    d_k
        Width of queries and keys, at least 2, which the circle needs; features past the
        second are zero.
    key_magnitude, query_magnitude
        Radius of the circles, finite, dimensionless; the lesson has 3 and 3.

    Returns
    -------
    (q, k) : tuple of ndarray of float64, each of shape (T, d_k)
        New arrays, dimensionless: k within ±|key_magnitude|, q within ±|query_magnitude|.

    Raises
    ------
    ValueError
        When a count or a magnitude is not acceptable, or d_k is 1.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Four Heads, Four Patterns", head 2.
    Row 1 has no position before it, and the circle closes: position T lies next to 1.
    """
    return _circle_head(n_positions, d_k, key_magnitude, query_magnitude, steps_back=1)


def self_head(
    n_positions: SupportsIndex,
    d_k: SupportsIndex = 2,
    key_magnitude: float = 3.0,
    query_magnitude: float = 3.0,
) -> QueriesAndKeys:
    """Return queries and keys of a head that looks at its own position.

    As `previous_token_head`, but query t is the point of position t itself.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    d_k
        Width of queries and keys, at least 2, which the circle needs; features past the
        second are zero.
    key_magnitude, query_magnitude
        Radius of the circles, finite, dimensionless; the lesson has 3 and 3.

    Returns
    -------
    (q, k) : tuple of ndarray of float64, each of shape (T, d_k)
        New arrays, dimensionless: k within ±|key_magnitude|, q within ±|query_magnitude|.

    Raises
    ------
    ValueError
        When a count or a magnitude is not acceptable, or d_k is 1.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Four Heads, Four Patterns", head 3.
    """
    return _circle_head(n_positions, d_k, key_magnitude, query_magnitude, steps_back=0)


def uniform_head(
    n_positions: SupportsIndex,
    d_k: SupportsIndex = 2,
    key_magnitude: float = 3.0,
    query_magnitude: float = 0.0,
) -> QueriesAndKeys:
    """Return queries and keys of a head that averages all allowed positions: all zeros.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    d_k
        Width of queries and keys, at least 1.
    key_magnitude, query_magnitude
        Finite; without effect, here so that the four designed heads are called alike.

    Returns
    -------
    (q, k) : tuple of ndarray of float64, each of shape (T, d_k)
        New arrays, dimensionless, every cell 0.

    Raises
    ------
    ValueError
        When a count or a magnitude is not acceptable.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Four Heads, Four Patterns", head 4.
    """
    _magnitudes(key_magnitude, query_magnitude)
    return _zeros(n_positions, d_k)


def _magnitudes(key_magnitude: float, query_magnitude: float) -> tuple[float, float]:
    return as_number(key_magnitude, "key_magnitude"), as_number(query_magnitude, "query_magnitude")


def _zeros(n_positions: SupportsIndex, d_k: SupportsIndex) -> QueriesAndKeys:
    shape = as_length(n_positions, "n_positions"), as_length(d_k, "d_k")
    return np.zeros(shape), np.zeros(shape)


def _circle_head(
    n_positions: SupportsIndex,
    d_k: SupportsIndex,
    key_magnitude: float,
    query_magnitude: float,
    *,
    steps_back: int,
) -> QueriesAndKeys:
    key_radius, query_radius = _magnitudes(key_magnitude, query_magnitude)
    q, k = _zeros(n_positions, d_k)
    n, width = k.shape
    if width < 2:
        raise ValueError(
            f"d_k must be at least 2, got {width}: a position on a circle needs a cosine and"
            " a sine."
        )
    positions = np.arange(1, n + 1)
    k[:, :2] = key_radius * _on_circle(positions, n)
    q[:, :2] = query_radius * _on_circle(positions - steps_back, n)
    return q, k


def _on_circle(positions: npt.NDArray[np.int64], n_positions: int) -> npt.NDArray[np.float64]:
    angles = 2.0 * np.pi * positions / n_positions
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)
