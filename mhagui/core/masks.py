"""Which keys a query may see beside the causal ones, and what else joins in the softmax."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    BoolArray,
    FloatArray,
    as_array,
    as_finite_exactly,
    as_finite_matrices,
    as_flags,
    as_length,
    as_matrices,
    require_no_overflow,
    shape_error,
)
from mhagui.core.attention import (
    Mask,
    allowed_for,
    causal_mask,
    require_finite_where_allowed,
    weights_from_scores,
)


def sliding_window_mask(
    n_queries: SupportsIndex, n_keys: SupportsIndex | None = None, *, window: SupportsIndex
) -> BoolArray:
    """Return the causal mask of queries that see the last `window` positions only.

    The query's own position counts: at position p the keys p − window + 1 to p are allowed,
    at most `window` of them. (Some programs let p − window be seen as well.)

    Parameters
    ----------
    n_queries, n_keys
        T_q and T_k, as for `causal_mask`.
    window
        How many positions are seen, at least 1: 1 is a query's own alone, T_k or more all of
        the causal mask.

    Returns
    -------
    ndarray of bool, shape (T_q, T_k)
        A new array, True = allowed.

    Raises
    ------
    ValueError
        When a count is not an integer from 1 to 2³¹ − 1.

    Notes
    -----
    Source: Beltagy, Peters & Cohan, "Longformer: The Long-Document Transformer" (2020); that
    the window holds the own position is the rule of Jiang et al., "Mistral 7B" (2023).
    """
    length = as_length(window, "window")
    allowed = causal_mask(n_queries, n_keys)
    position = query_positions(*allowed.shape)[:, np.newaxis]
    allowed &= np.arange(allowed.shape[1]) > position - length
    return allowed


def prefix_mask(
    n_queries: SupportsIndex, n_keys: SupportsIndex | None = None, *, prefix: SupportsIndex
) -> BoolArray:
    """Return the causal mask of a sequence whose first `prefix` keys every query may see.

    Parameters
    ----------
    n_queries, n_keys
        T_q and T_k, as for `causal_mask`.
    prefix
        How many keys, at least 0: 0 is the causal mask, T_k or more lets all be seen.

    Returns
    -------
    ndarray of bool, shape (T_q, T_k)
        A new array, True = allowed.

    Raises
    ------
    ValueError
        When a count is not an integer in its range.

    Notes
    -----
    Source: Raffel et al., "Exploring the Limits of Transfer Learning with a Unified
    Text-to-Text Transformer" (2020), section 3.2.1.
    """
    length = as_length(prefix, "prefix", 0)
    allowed = causal_mask(n_queries, n_keys)
    allowed[:, :length] = True
    return allowed


def padding_mask(is_token: npt.ArrayLike) -> BoolArray:
    """Return the mask of a sequence in which some positions are padding: they neither see nor are.

    Parameters
    ----------
    is_token
        Which positions are tokens, shape (T,), boolean: False = padding.

    Returns
    -------
    ndarray of bool, shape (T, T)
        A new array, True = allowed. A query that is padding has no allowed key, so that no mean
        over rows counts it; ``padding_mask(...) & causal_mask(...)`` is causal as well.

    Raises
    ------
    ValueError
        When `is_token` is not boolean or has not one axis.

    Notes
    -----
    Source: this project. Models themselves forbid padded keys only, and what they compute in
    padded rows is read by nobody.
    """
    flags = as_flags(is_token, "is_token")
    if flags.ndim != 1:
        raise shape_error("is_token", "(T,)", flags)
    allowed: BoolArray = flags[:, np.newaxis] & flags
    return allowed


def allowed_counts(mask: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return how many keys each query may see.

    Parameters
    ----------
    mask
        Shape (..., T_q, T_k), boolean, True = allowed.

    Returns
    -------
    ndarray of int64, shape (..., T_q)
        From 0 to T_k.

    Raises
    ------
    ValueError
        When `mask` is not boolean or has fewer than two axes.

    Notes
    -----
    Source: this project. Off by one here is how rules for windows differ.
    """
    allowed = as_array(mask, "mask")
    if allowed.dtype != np.bool_ or allowed.ndim < 2:
        raise ValueError(
            "mask must be boolean of shape (..., T_q, T_k), "
            f"got shape {allowed.shape} and dtype {allowed.dtype}."
        )
    return np.asarray(np.count_nonzero(allowed, axis=-1), dtype=np.int64)


def alibi_slopes(n_heads: SupportsIndex) -> npt.NDArray[np.float64]:
    """Return by how much each head's scores fall per position under ALiBi.

    Parameters
    ----------
    n_heads
        H, at least 1.

    Returns
    -------
    ndarray of float64, shape (H,)
        Dimensionless, between 0 and 1. Of a power of two 2^(−8/H), 2^(−16/H), …, 2^(−8); of
        another H those of the power of two below it, then every other one, from the first, of
        twice that power.

    Raises
    ------
    ValueError
        When `n_heads` is not an integer from 1 to 2³¹ − 1.

    Notes
    -----
    Source: Press, Smith & Lewis, "Train Short, Test Long: Attention with Linear Biases" (2022)
    and, for an H that is no power of two, the program that came with it.
    """
    heads = as_length(n_heads, "n_heads")
    power = 2 ** (heads.bit_length() - 1)
    between = _falling(2 * power)[::2]
    return np.concatenate([_falling(power), between[: heads - power]])


def alibi_bias(
    slopes: npt.ArrayLike, n_queries: SupportsIndex, n_keys: SupportsIndex | None = None
) -> npt.NDArray[np.float64]:
    """Return what ALiBi adds to the scores: −slope · |distance of query and key|.

    Parameters
    ----------
    slopes
        One per head, shape (H,), finite, as from `alibi_slopes`.
    n_queries, n_keys
        T_q and T_k, as for `causal_mask`; the queries are the last positions.

    Returns
    -------
    ndarray of float64, shape (H, T_q, T_k)
        A new array, dimensionless, 0 at a query's own position and at most 0 for slopes of at
        least 0.

    Raises
    ------
    ValueError
        When a count is not acceptable, or `slopes` is not finite or has not one axis.

    Notes
    -----
    Source: as for `alibi_slopes`. Programs that add slope · i instead add the same number to
    a whole row, which no softmax sees.
    """
    falls = as_finite_exactly(slopes, "slopes", "H")
    rows = as_length(n_queries, "n_queries")
    columns = rows if n_keys is None else as_length(n_keys, "n_keys")
    # Each row is the one before it, moved by one: no distance is worked out twice.
    away = np.abs(np.arange(1 - columns, rows))
    added = 0.0 - falls.astype(np.float64)[:, np.newaxis] * away
    windows = np.lib.stride_tricks.sliding_window_view(added, columns, axis=-1)
    return windows[:, ::-1].copy()


def weights_with_sinks(
    scores: npt.ArrayLike, sinks: npt.ArrayLike, *, mask: Mask = "causal"
) -> FloatArray:
    """Return the weights of scores when one more logit, which is no key, is in each softmax.

    Parameters
    ----------
    scores
        Shape (..., H, T_q, T_k), as for `weights_from_scores`.
    sinks
        The further logit of each head, shape (H,), finite, dimensionless.
    mask
        As for `weights_from_scores`; the sink is always allowed.

    Returns
    -------
    ndarray, shape (..., H, T_q, T_k)
        A new array, values 0..1, dimensionless: exp(S_ti) / (exp(sink) + Σ_j exp(S_tj)). Rows
        sum to less than 1, and what is missing went to the sink; a row with no allowed key is
        all zero.

    Raises
    ------
    ValueError
        As for `weights_from_scores`; when `sinks` is not finite or not one per head.

    Notes
    -----
    Source: OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card" (2025), section 2; Xiao et al.,
    "Efficient Streaming Language Models with Attention Sinks" (2024), whose zero sink has
    logit 0.
    """
    array = as_matrices(scores, "scores", "H, T_q, T_k")
    logits = as_finite_matrices(sinks, "sinks", "H")
    if logits.shape != array.shape[-3:-2]:
        raise shape_error("sinks", f"({array.shape[-3]},): one per head", logits)
    allowed = allowed_for(mask, array.shape)
    require_finite_where_allowed(array, allowed)
    with np.errstate(over="ignore"):
        narrow = logits.astype(array.dtype)[:, np.newaxis, np.newaxis]
    require_no_overflow(narrow, "sinks", "a logit")
    column = np.broadcast_to(narrow, (*array.shape[:-1], 1))
    if allowed is not None:
        whole = np.broadcast_to(allowed, np.broadcast_shapes(allowed.shape, array.shape[-2:]))
        allowed = np.concatenate([whole, np.ones((*whole.shape[:-1], 1), dtype=bool)], axis=-1)
    weights = weights_from_scores(np.concatenate([array, column], axis=-1), mask=allowed)
    return weights[..., :-1].copy()


def query_positions(n_queries: int, n_keys: int) -> npt.NDArray[np.int64]:
    """Return where the queries are among the keys, (T_q,), 0-based: they are the last."""
    return np.arange(n_queries, dtype=np.int64) + (n_keys - n_queries)


def _falling(n_heads: int) -> npt.NDArray[np.float64]:
    slopes: npt.NDArray[np.float64] = np.exp2(-8.0 * np.arange(1, n_heads + 1) / n_heads)
    return slopes
