"""Weights of scores to which something is added that no gain scales, beside a logit of no key."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    FloatArray,
    as_floats,
    as_matrices,
    broadcasts_to,
    require_finite,
    shape_error,
)
from mhagui.core.attention import Check, Mask, gain_for, softmax_exponents
from mhagui.core.kernels import weights_and_entropies_from_scores


class BiasedWeights(NamedTuple):
    """What is made of biased scores.

    Attributes
    ----------
    weights
        A, shape (..., T_q, T_k), 0..1; a row sums to 1 less what its sink takes.
    bits
        Entropy of each row's shares, of the weights over what they sum to, shape (..., T_q): it
        does not depend on the sink. NaN for a row without weight.
    sink_shares
        What the sink takes of each row, shape (..., T_q), 0..1; NaN for a row with no allowed key.
    """

    weights: FloatArray
    bits: FloatArray
    sink_shares: FloatArray


def biased_weights(
    scores: npt.ArrayLike,
    *,
    gain: npt.ArrayLike = 1.0,
    bias: npt.ArrayLike = 0.0,
    sinks: npt.ArrayLike | None = None,
    mask: Mask = "causal",
    check: Check | None = None,
) -> BiasedWeights:
    """Return A = softmax(gain · scores + bias), a sink logit beside the keys, and the entropies.

    The gain scales the scores alone: at 0 the weights are what bias and sink make by themselves.

    Parameters
    ----------
    scores, gain, mask
        As for `weights_from_scores`.
    bias
        Added to the gained scores, as `alibi_bias` returns it: finite, of a shape that broadcasts
        to that of `scores`.
    sinks
        A further logit in each softmax that is no key: finite, one number or an array that
        broadcasts to the leading axes of `scores`. None means none.
    check
        As for `weights_and_entropies`.

    Returns
    -------
    BiasedWeights
        New arrays; float32 scores give float32.

    Raises
    ------
    ValueError
        As for `weights_from_scores`; when `bias` or `sinks` is not finite or does not fit.

    Notes
    -----
    Source: as for `alibi_bias` and `weights_with_sinks`. The sink multiplies the weights of a row
    by Z / (Z + e^sink), Z the sum of their exponentials, so that their shares stay as they are.
    """
    array, added = as_matrices(scores, "scores", "T_q, T_k"), as_floats(bias, "bias")
    require_finite(added, "bias")
    if not broadcasts_to(added.shape, array.shape):
        raise shape_error("bias", f"that broadcasts to the scores' {array.shape}", added)
    logits = None if sinks is None else _logits(sinks, array.shape[:-2])
    exponents = softmax_exponents(array, gain=gain, mask=mask)
    # The largest numbers of a gain or a bias lose a key, and are no reason to refuse a row.
    most = np.finfo(exponents.dtype).max / 4
    with np.errstate(over="ignore"):
        exponents += added
    np.clip(exponents, -most, most, out=exponents)
    weights, bits = weights_and_entropies_from_scores(exponents, mask=mask, check=check)
    sees_none = np.isnan(bits)
    shares = np.where(sees_none, np.nan, 0.0).astype(bits.dtype)
    if logits is not None and weights.size:
        kept, lost, largest = _parts(array, added, gain, weights, logits)
        weights *= np.where(sees_none, 0, kept)[..., np.newaxis]
        bits[(largest * kept).astype(bits.dtype) == 0] = np.nan
        shares = np.where(sees_none, shares, lost).astype(bits.dtype)
    return BiasedWeights(weights, bits, shares)


def _logits(sinks: npt.ArrayLike, leading: tuple[int, ...]) -> FloatArray:
    """Return the sinks as float64, for rows of such leading axes."""
    logits = as_floats(sinks, "sinks").astype(np.float64, copy=False)
    require_finite(logits, "sinks")
    if not broadcasts_to(logits.shape, leading):
        raise shape_error("sinks", f"that broadcasts to the leading axes {leading}", logits)
    return logits[..., np.newaxis]


def _parts(
    scores: FloatArray,
    bias: FloatArray,
    gain: npt.ArrayLike,
    weights: FloatArray,
    logits: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what of each row its keys keep and its sink takes, and its largest weight, (..., T_q).

    The sum of a row's exponentials follows from any key and its weight: from the largest, which
    is at least 1/n, to the last digits.
    """
    at = weights.argmax(axis=-1)[..., np.newaxis]
    score, added, weight = (
        np.take_along_axis(np.broadcast_to(of, scores.shape), at, axis=-1).astype(np.float64)
        for of in (scores, bias, weights)
    )
    with np.errstate(all="ignore"):  # of rows without a key, and of gains as large as numbers are
        keys = (gain_for(gain, scores.shape[:-2]) * score + added - np.log(weight))[..., 0]
        ahead = np.exp(logits - keys)
        return 1 / (1 + ahead), 1 / (1 + np.exp(keys - logits)), weight[..., 0]
