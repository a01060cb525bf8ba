"""What heads' outputs tell of the next token, in bits, by going through all token sequences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    FloatArray,
    as_array,
    as_count,
    as_finite_matrices,
    as_floats,
    as_labels,
    as_length,
    as_number,
    require_finite,
    shape_error,
)

Tokens: TypeAlias = npt.NDArray[np.intp]
Labels: TypeAlias = npt.NDArray[np.intp]
NextTokens: TypeAlias = Callable[[Tokens], npt.NDArray[np.floating[Any]]]

MOST_SEQUENCES = 2**16
MOST_TOKENS = 2**20

_SUM_TOLERANCE = 1e-6
_EXACT_STEP = 1e-12
# Halves are rounded up, and what a sum leaves just below one counts as one.
_HALF = 0.5 + 1e-6


def enumerate_tokens(
    next_tokens: NextTokens,
    length: SupportsIndex,
    most_sequences: SupportsIndex = MOST_SEQUENCES,
) -> tuple[Tokens, FloatArray]:
    """Return all token sequences of positive probability, and their probabilities.

    Parameters
    ----------
    next_tokens
        The source: takes sequences (N, j), symbols 0..S−1, and returns the probability of each
        symbol to come next, (N, S); asked with j = 0 for the first token.
    length
        t, the wanted number of tokens, at least 1.
    most_sequences
        How many sequences there may be, at least 1.

    Returns
    -------
    sequences : ndarray of int, shape (N, j)
        In lexicographic order. j = `length`, or less where t tokens would be more than
        `most_sequences` sequences or 2²⁰ tokens in all: then the longest that are not, with
        j = 0 where even one token is too much.
    probabilities : ndarray, shape (N,)
        0..1, summing to 1.

    Raises
    ------
    ValueError
        When a count is not an integer of at least 1.

    Notes
    -----
    Source: the chain rule of probability; a symbol of probability 0 ends its branch.
    """
    wanted = as_length(length, "length")
    most = as_count(most_sequences, "most_sequences")
    tokens, probabilities = np.empty((1, min(wanted, MOST_TOKENS)), np.intp), np.ones(1)
    for place in range(wanted):
        following = next_tokens(tokens[:, :place])
        parents, symbols = np.nonzero(following)
        room = min(wanted, MOST_TOKENS // len(parents))
        if len(parents) > most or place >= room:
            return tokens[:, :place], probabilities
        if len(parents) > len(tokens):
            tokens = tokens[parents, :room]
        tokens[:, place] = symbols
        probabilities = probabilities[parents] * following[parents, symbols]
    return tokens, probabilities


def observed_labels(
    weights: npt.ArrayLike,
    sequences: npt.ArrayLike,
    n_symbols: SupportsIndex,
    resolution: SupportsFloat = 0.0,
) -> Labels:
    """Return which of the sequences one sees as alike in the output o_t = Σ_i a_ti e_{X_i}.

    The value of a token is its own one-hot vector, so that an output holds, per symbol, the
    weight the head puts on it.

    Parameters
    ----------
    weights
        Row t of A, shape (t,), or one row per sequence, shape (N, t); values 0..1.
    sequences
        Symbols 0..S−1, integers, shape (N, t).
    n_symbols
        S, at least 1.
    resolution
        Each component is rounded to the nearest multiple of it, halves upwards; 1e-12 or more,
        or 0 for exactly, which is to 12 decimals.

    Returns
    -------
    ndarray of int, shape (N,)
        Labels from 0 without gaps, equal where the observed outputs are.

    Raises
    ------
    ValueError
        When a shape does not fit, weights are not finite or `resolution` is none there is.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Information".
    A generic output of real numbers tells all pasts apart, whatever the head looks at; only
    at a resolution does it tell which tokens a head passes on.
    """
    rows, tokens = as_floats(weights, "weights"), as_array(sequences, "sequences")
    require_finite(rows, "weights")
    if tokens.ndim != 2:
        raise shape_error("sequences", "(N, t)", tokens)
    if rows.shape not in (tokens.shape, tokens.shape[1:]):
        raise shape_error("weights", "(t,) or (N, t)", rows)
    step = as_number(resolution, "resolution")
    if step and step < _EXACT_STEP:
        raise ValueError(f"resolution must be 0, or 1e-12 or more, got {step}.")
    count = as_count(n_symbols, "n_symbols")
    labels: Labels = np.zeros(len(tokens), np.intp)
    for symbol in range(count if step else max(count - 1, 1)):  # exactly, one follows from the sum
        on_symbol = _sum_where(rows, tokens == symbol)
        steps = np.floor(on_symbol / (step or _EXACT_STEP) + _HALF)
        labels = joint_labels(labels, np.unique(steps, return_inverse=True)[1])
    return labels


def joint_labels(one: npt.ArrayLike, other: npt.ArrayLike) -> Labels:
    """Return labels of what is seen by looking at two things at once.

    Parameters
    ----------
    one, other
        Labels, shape (N,), integers from 0.

    Returns
    -------
    ndarray of int, shape (N,)
        Labels from 0 without gaps, equal where both labels are.

    Raises
    ------
    ValueError
        When the shapes differ or are not (N,), or a label is no integer from 0.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Information".
    """
    first, second = as_labels(one, "one"), as_labels(other, "other")
    if first.shape != second.shape:
        raise shape_error("other", "(N,), as one", second)
    pairs = first * (int(second.max(initial=0)) + 1) + second
    joint: Labels = np.unique(pairs, return_inverse=True)[1]
    return joint


def information_bits(
    labels: npt.ArrayLike, probabilities: npt.ArrayLike, following: npt.ArrayLike
) -> float:
    """Return I(X_{t+1}; label), what a label tells of the next token.

    Parameters
    ----------
    labels
        What is observed of each sequence, shape (N,), integers from 0.
    probabilities
        Of the sequences, shape (N,), summing to 1.
    following
        P(X_{t+1} = s | sequence), shape (N, S), rows summing to 1.

    Returns
    -------
    float
        Bits, from 0 to log₂ S.

    Raises
    ------
    ValueError
        When a shape does not fit, a label is no integer from 0, or the probabilities are none.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Information"
    (Shannon 1948).
    """
    seen = as_labels(labels, "labels")
    weights, after = as_floats(probabilities, "probabilities"), as_floats(following, "following")
    if not seen.shape == weights.shape == after.shape[:1] or after.ndim != 2:
        raise shape_error("following", "(N, S), N that of labels and probabilities", after)
    n_labels = int(seen.max(initial=0)) + 1
    joint = np.stack(
        [np.bincount(seen, weights * column, minlength=n_labels) for column in after.T], axis=1
    )
    return mutual_information_bits(joint)


def mutual_information_bits(joint: npt.ArrayLike) -> float:
    """Return the mutual information of two variables, Σ p(x, y) log₂ p(x, y) / (p(x) p(y)).

    Parameters
    ----------
    joint
        p(x, y), shape (M, N), values of 0 or more that sum to 1 within 1e-6.

    Returns
    -------
    float
        Bits, from 0 (independent) to log₂ min(M, N); 0·log 0 counts as 0.

    Raises
    ------
    ValueError
        When `joint` has another shape, holds negative numbers or NaN, or does not sum to 1.

    Notes
    -----
    Source: Shannon 1948; the lesson on multi-head attention, section "Engineering Lenses,
    Information".
    """
    p = as_finite_matrices(joint, "joint", "M, N")
    if p.ndim != 2:
        raise shape_error("joint", "(M, N)", p)
    total = float(p.sum())
    if (p < 0).any() or not math.isclose(total, 1.0, abs_tol=_SUM_TOLERANCE):
        raise ValueError(f"joint must be 0 or more and sum to 1, got a sum of {total:.9g}.")
    rows, columns = np.nonzero(p)
    some = p[rows, columns]
    # Logarithms apart: the product of two small probabilities may be too small for a number.
    ratios = np.log2(some) - np.log2(p.sum(axis=1)[rows]) - np.log2(p.sum(axis=0)[columns])
    return max(float(np.sum(some * ratios)), 0.0)


def _sum_where(rows: FloatArray, chosen: npt.NDArray[np.bool_]) -> FloatArray:
    """Return for each sequence the sum of its weights where ``chosen``."""
    summed: FloatArray = np.vecdot(chosen.astype(rows.dtype), rows)
    return summed
