"""Query heads that share the keys and values of fewer heads, as grouped-query attention has it."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import FloatArray, as_exactly, as_length, as_place
from mhagui.core.attention import Mask, allowed_for, attention_scores, weights_from_scores
from mhagui.core.kernels import weights_and_entropies
from mhagui.core.masks import weights_with_sinks


def key_head(head: SupportsIndex, n_heads: SupportsIndex, n_key_heads: SupportsIndex) -> int:
    """Return which key and value head a query head reads: ⌊head · H_kv / H⌋.

    Parameters
    ----------
    head
        Query head h, 0-based: from 0 to H − 1.
    n_heads, n_key_heads
        H and H_kv, at least 1; H must be a multiple of H_kv.

    Returns
    -------
    int
        0-based: from 0 to H_kv − 1; `head` itself where H_kv = H, 0 where H_kv = 1.

    Raises
    ------
    ValueError
        When a count is not acceptable, H is no multiple of H_kv, or there is no such head.

    Notes
    -----
    Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from
    Multi-Head Checkpoints" (2023).
    """
    heads = as_length(n_heads, "n_heads")
    together = _heads_per_key_head(heads, as_length(n_key_heads, "n_key_heads"))
    return as_place(head, "head", heads) // together


def grouped_weights(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    *,
    mask: Mask = "causal",
    scale: float | None = None,
    bias: npt.ArrayLike | None = None,
    sinks: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return the weights A = softmax(S + bias), S the scores of each query head with its key head.

    Parameters
    ----------
    q
        Queries, shape (H, T_q, d_k), finite.
    k
        Keys, shape (H_kv, T_k, d_k), finite; H must be a multiple of H_kv.
    mask, scale
        As for `attention_weights`.
    bias
        What is added to the scaled scores, of a shape that broadcasts to (H, T_q, T_k); finite,
        or −inf where a key is forbidden. None means nothing.
    sinks
        As for `weights_with_sinks`, shape (H,); None means none.

    Returns
    -------
    ndarray, shape (H, T_q, T_k)
        A new array, values 0..1, dimensionless; rows sum to 1, with `sinks` to less.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, H is no multiple of H_kv, or a value is not finite.

    Notes
    -----
    Source: as for `key_head`; for `bias` and `sinks` as for `alibi_bias` and `weights_with_sinks`.
    """
    queries, keys = as_exactly(q, "q", "H, T_q, d_k"), as_exactly(k, "k", "H_kv, T_k, d_k")
    together = _heads_per_key_head(len(queries), len(keys))
    grouped = queries.reshape(len(keys), together, *queries.shape[1:])
    shape = (len(queries), queries.shape[1], keys.shape[1])
    shared = keys[:, np.newaxis]
    if bias is None and sinks is None:
        mask = _grouped_mask(mask, shape, together)
        return weights_and_entropies(grouped, shared, mask=mask, scale=scale)[0].reshape(shape)
    scores = attention_scores(grouped, shared, scale).reshape(shape)
    if bias is not None:
        with np.errstate(over="ignore"):  # what forbids a key in float64 does so in float32
            added = np.broadcast_to(np.asarray(bias, scores.dtype), shape)
            scores += added
        mask = _without(np.isneginf(added), mask, shape)
    if sinks is None:
        return weights_from_scores(scores, mask=mask)
    return weights_with_sinks(scores, sinks, mask=mask)


def _heads_per_key_head(n_heads: int, n_key_heads: int) -> int:
    if n_key_heads == 0 or n_heads % n_key_heads:
        raise ValueError(
            f"n_heads must be a multiple of n_key_heads, got {n_heads} query heads over"
            f" {n_key_heads} key heads."
        )
    return n_heads // n_key_heads


def _grouped_mask(mask: Mask, shape: tuple[int, int, int], together: int) -> Mask:
    """Return a mask of (H, T_q, T_k) as one of (H_kv, H / H_kv, T_q, T_k)."""
    if mask is None or isinstance(mask, str):
        return mask
    allowed = allowed_for(mask, shape)
    if allowed is None or allowed.ndim < 3:
        return allowed
    return np.broadcast_to(allowed, shape).reshape(-1, together, *shape[1:])


def _without(forbidden: npt.NDArray[np.bool_], mask: Mask, shape: tuple[int, ...]) -> Mask:
    """Return `mask` without the cells that are forbidden besides."""
    if not forbidden.any():
        return mask
    allowed = allowed_for(mask, shape)
    return ~forbidden if allowed is None else allowed & ~forbidden
