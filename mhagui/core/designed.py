"""Designed heads, the lesson's four and more, as queries and keys for any sequence length."""

from __future__ import annotations

import math
from typing import SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import as_length, as_number, require_no_overflow

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
    return delay_head(n_positions, d_k, key_magnitude, query_magnitude, steps=1)


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
    return delay_head(n_positions, d_k, key_magnitude, query_magnitude, steps=0)


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


def delay_head(
    n_positions: SupportsIndex,
    d_k: SupportsIndex = 2,
    key_magnitude: float = 3.0,
    query_magnitude: float = 3.0,
    *,
    steps: SupportsIndex = 1,
) -> QueriesAndKeys:
    """Return queries and keys of a head that looks a fixed number of positions back.

    As `previous_token_head`, but query t is the point of position t − `steps`.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    d_k
        Width of queries and keys, at least 2, which the circle needs; features past the
        second are zero.
    key_magnitude, query_magnitude
        Radius of the circles, finite, dimensionless.
    steps
        How many positions back, at least 0: 0 is `self_head`, 1 is `previous_token_head`.

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
    Source: the lesson on multi-head attention, section "Four Heads, Four Patterns", heads 2
    and 3, whose circle this turns further. The first `steps` rows have no such position: they
    look at the allowed one that lies nearest on the circle.
    """
    back = as_length(steps, "steps", 0)
    q, k = _circle_factors(n_positions, d_k)
    positions = np.arange(1, len(k) + 1)
    return _on_circle(
        (q, k), positions - back, positions, len(k), _magnitudes(key_magnitude, query_magnitude)
    )


def two_position_head(
    n_positions: SupportsIndex,
    d_k: SupportsIndex = 2,
    key_magnitude: float = 3.0,
    query_magnitude: float = 1.0,
    *,
    first: SupportsIndex = 1,
    second: SupportsIndex = 3,
) -> QueriesAndKeys:
    """Return queries and keys of a head that looks at two positions alike.

    The keys of both have the same feature, of size `key_magnitude`, and every query asks for
    it: equal scores share the weight, for softmax sees nothing but differences.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    d_k
        Width of queries and keys, at least 1; features past the first are zero.
    key_magnitude, query_magnitude
        Finite, dimensionless.
    first, second
        The positions, counted from 1; one past T is absent, and equal ones are one position.

    Returns
    -------
    (q, k) : tuple of ndarray of float64, each of shape (T, d_k)
        New arrays, dimensionless: `key_magnitude` in column 0 of the two keys,
        `query_magnitude` in column 0 of q, 0 elsewhere.

    Raises
    ------
    ValueError
        When a count or a magnitude is not acceptable.

    Notes
    -----
    Source: the lesson on multi-head attention, exercise 4, with positions 1 and 3.
    """
    magnitudes = _magnitudes(key_magnitude, query_magnitude)
    places = as_length(first, "first"), as_length(second, "second")
    q, k = _zeros(n_positions, d_k)
    for place in places:
        k[place - 1 : place, 0] = magnitudes[0]  # a slice past the end is empty
    q[:, 0] = magnitudes[1]
    return q, k


def recency_head(
    n_positions: SupportsIndex, d_k: SupportsIndex = 2, *, slope: float = 0.5
) -> QueriesAndKeys:
    """Return queries and keys of a head whose scores fall by `slope` with each step back.

    Key i (1-based) is slope·√d_k·(i − T) and every query is 1, so that S = slope·(i − T): the
    weights of row t are those of a decaying average, e^(−slope) from one position to the one
    before it.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    d_k
        Width of queries and keys, at least 1; features past the first are zero.
    slope
        Score per position, finite, dimensionless; 0 is `uniform_head`, and below 0 the
        oldest positions weigh most.

    Returns
    -------
    (q, k) : tuple of ndarray of float64, each of shape (T, d_k)
        New arrays, dimensionless: k[:, 0] from slope·√d_k·(1 − T) to 0, q[:, 0] all 1.

    Raises
    ------
    ValueError
        When a count is not acceptable, or `slope` is not finite or too large for T.

    Notes
    -----
    Source: Press, Smith & Lewis, Train Short, Test Long (2022), whose linear bias this writes
    into the keys.
    """
    fall = as_number(slope, "slope")
    q, k = _zeros(n_positions, d_k)
    n, width = k.shape
    steps_back = np.arange(n - 1, -1, -1)
    with np.errstate(over="ignore"):
        k[:, 0] = 0.0 - fall * math.sqrt(width) * steps_back  # 0 − 0 is no negative zero
    require_no_overflow(k, "slope", "a key")
    q[:, 0] = 1.0
    return q, k


def block_local_head(
    n_positions: SupportsIndex,
    d_k: SupportsIndex = 2,
    key_magnitude: float = 3.0,
    query_magnitude: float = 3.0,
    *,
    block: SupportsIndex = 2,
) -> QueriesAndKeys:
    """Return queries and keys of a head that averages the allowed positions of its own block.

    Positions are cut into blocks of `block`; the last may be shorter. The blocks lie on a
    circle as the positions of `self_head` do; a block's queries and keys are its point.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    d_k
        Width of queries and keys, at least 2, which the circle needs; features past the
        second are zero.
    key_magnitude, query_magnitude
        Radius of the circles, finite, dimensionless.
    block
        Positions in a block, at least 1: 1 is `self_head`, and T or more one single block.

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
    Source: the lesson on multi-head attention, section "Four Heads, Four Patterns", head 3,
    with blocks in the place of positions.
    """
    length = as_length(block, "block")
    q, k = _circle_factors(n_positions, d_k)
    blocks = np.arange(len(k)) // length + 1
    magnitudes = _magnitudes(key_magnitude, query_magnitude)
    return _on_circle((q, k), blocks, blocks, int(blocks[-1]), magnitudes)


def margin_factor(n_points: SupportsIndex) -> float:
    """Return what |Q| and |K| of a circle code grow by to keep the score margin of six points.

    The more points a circle has, the less the score of one differs from its neighbour's, by
    |Q|·|K|·(1 − cos 2π/n)/√d_k. With both radii times √((1 − cos 2π/6) / (1 − cos 2π/n)) the
    margin is what it is at n = 6, the lesson's T.

    Parameters
    ----------
    n_points
        Points n on the circle, at least 1: T of the positional heads, the number of blocks of
        a block-local one.

    Returns
    -------
    float
        Dimensionless, about n/6 for large n: exactly 1 at n = 6, below 1 for n from 2 to 5,
        which would have a larger margin; 1 at n = 1, a point without a neighbour.

    Raises
    ------
    ValueError
        When `n_points` is not acceptable.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Four Heads, Four Patterns", head 2.
    """
    n = as_length(n_points, "n_points")
    # 1 − cos 2x is 2 sin² x, which loses no digits where x is small.
    return 1.0 if n == 1 else math.sin(math.pi / 6) / math.sin(math.pi / n)


def _magnitudes(key_magnitude: float, query_magnitude: float) -> tuple[float, float]:
    return as_number(key_magnitude, "key_magnitude"), as_number(query_magnitude, "query_magnitude")


def _zeros(n_positions: SupportsIndex, d_k: SupportsIndex) -> QueriesAndKeys:
    shape = as_length(n_positions, "n_positions"), as_length(d_k, "d_k")
    return np.zeros(shape), np.zeros(shape)


def _circle_factors(n_positions: SupportsIndex, d_k: SupportsIndex) -> QueriesAndKeys:
    """Return `_zeros` wide enough for points of a circle."""
    q, k = _zeros(n_positions, d_k)
    if k.shape[1] < 2:
        raise ValueError(
            f"d_k must be at least 2, got {k.shape[1]}: a position on a circle needs a cosine and"
            " a sine."
        )
    return q, k


def _on_circle(
    factors: QueriesAndKeys,
    query_points: npt.NDArray[np.int64],
    key_points: npt.NDArray[np.int64],
    n_points: int,
    magnitudes: tuple[float, float],
) -> QueriesAndKeys:
    """Write points of a circle of `n_points` into both; `magnitudes` are the key's and query's."""
    q, k = factors
    k[:, :2] = magnitudes[0] * _points(key_points, n_points)
    q[:, :2] = magnitudes[1] * _points(query_points, n_points)
    return q, k


def _points(numbers: npt.NDArray[np.int64], n_points: int) -> npt.NDArray[np.float64]:
    angles = 2.0 * np.pi * numbers / n_points
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)
