"""Parameters and operations of a multi-head attention block, in exact integers."""

from __future__ import annotations

from typing import NamedTuple, SupportsIndex

from mhagui.core._checks import as_count


class ParameterCount(NamedTuple):
    """Parameters of the four projections and their total."""

    q: int
    k: int
    v: int
    o: int
    total: int


class StageCosts(NamedTuple):
    """What each stage of a layer does for one sequence, and what it has to hold.

    Attributes
    ----------
    projections, scores, weighted_sums, output_projection
        Multiply-adds of X·W_Q, X·W_K and X·W_V together, of Q·Kᵀ, of A·V, and of Concat·W_O.
    exponentials
        Exponentials of the softmax, which are no multiply-adds.
    weights, cache
        Elements of the weights A of all heads, and of the keys and values that are kept for the
        next position.
    """

    projections: int
    scores: int
    exponentials: int
    weighted_sums: int
    output_projection: int
    weights: int
    cache: int

    @property
    def linear(self) -> int:
        """Multiply-adds of the stages that grow with T: all projections."""
        return self.projections + self.output_projection

    @property
    def quadratic(self) -> int:
        """Multiply-adds of the stages that grow with T²: scores and A·V."""
        return self.scores + self.weighted_sums

    @property
    def multiply_adds(self) -> int:
        """All multiply-adds; the FLOPs are twice as many."""
        return self.linear + self.quadratic


def parameter_count(
    d_model: SupportsIndex,
    n_heads: SupportsIndex,
    d_k: SupportsIndex | None = None,
    d_v: SupportsIndex | None = None,
    *,
    n_kv_heads: SupportsIndex | None = None,
    bias: bool = False,
) -> ParameterCount:
    """Return the parameters of W_Q, W_K, W_V, W_O and their total.

    Parameters
    ----------
    d_model
        Model width, at least 1.
    n_heads
        Query heads H, at least 1.
    d_k, d_v
        Width of a head's keys and values, at least 1; None means d_model / n_heads, which
        must then be a whole number.
    n_kv_heads
        Key-value heads H_kv (grouped-query attention), at most `n_heads`; None means `n_heads`.
    bias
        Whether each projection adds one parameter per output.

    Returns
    -------
    ParameterCount
        Python ints (q, k, v, o, total): q = d_model·H·d_k, k = d_model·H_kv·d_k,
        v = d_model·H_kv·d_v, o = H·d_v·d_model. The total is 4·d_model² with the defaults.

    Raises
    ------
    ValueError
        When a count is not an integer of at least 1, d_model is not divisible by `n_heads`
        though a width was left out, or there are more `n_kv_heads` than `n_heads`.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Parameter Count"; grouped heads
    from Ainslie et al. 2023, "GQA".
    """
    width, heads = as_count(d_model, "d_model"), as_count(n_heads, "n_heads")
    key_width = _head_width(d_k, "d_k", width, heads)
    value_width = _head_width(d_v, "d_v", width, heads)
    shared = _shared_heads(n_kv_heads, heads)
    inputs = width + 1 if bias else width
    q, k, v = (inputs * n for n in (heads * key_width, shared * key_width, shared * value_width))
    o = (heads * value_width + (1 if bias else 0)) * width
    return ParameterCount(q, k, v, o, q + k + v + o)


def score_flops(n_positions: SupportsIndex, n_heads: SupportsIndex, d_k: SupportsIndex) -> int:
    """Return the floating-point operations of all scores Q_h·K_hᵀ, 2·T²·H·d_k.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    n_heads
        Heads H, at least 1.
    d_k
        Width of a head's keys, at least 1.

    Returns
    -------
    int
        Operations, a multiply and an add counting two; the whole T × T matrix, masked cells
        included.

    Raises
    ------
    ValueError
        When a count is not an integer of at least 1.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Engineering Lenses, Signals".
    """
    positions = as_count(n_positions, "n_positions")
    return 2 * positions**2 * as_count(n_heads, "n_heads") * as_count(d_k, "d_k")


def stage_costs(
    n_positions: SupportsIndex,
    d_model: SupportsIndex,
    n_heads: SupportsIndex,
    d_k: SupportsIndex | None = None,
    d_v: SupportsIndex | None = None,
    *,
    n_kv_heads: SupportsIndex | None = None,
) -> StageCosts:
    """Return multiply-adds, exponentials and elements to hold, stage by stage.

    Parameters
    ----------
    n_positions
        Sequence length T, at least 1.
    d_model
        Model width, at least 1.
    n_heads
        Heads H, at least 1.
    d_k, d_v
        Width of a head's keys and values, at least 1; None means d_model / n_heads, which
        must then be a whole number.
    n_kv_heads
        Key-value heads H_kv (grouped-query attention), at most `n_heads`; None means `n_heads`.

    Returns
    -------
    StageCosts
        Python ints: projections = T·d_model·(H·d_k + H_kv·(d_k + d_v)), scores = T²·H·d_k,
        exponentials = weights = H·T², weighted_sums = T²·H·d_v,
        output_projection = T·H·d_v·d_model, cache = T·H_kv·(d_k + d_v). Scores and weights are
        the whole T × T matrix, masked cells included; biases and scalings are left out.

    Raises
    ------
    ValueError
        When a count is not an integer of at least 1, d_model is not divisible by `n_heads`
        though a width was left out, or there are more `n_kv_heads` than `n_heads`.

    Notes
    -----
    Source: the lesson on multi-head attention, sections "Parameter Count" and "Engineering
    Lenses, Signals"; shapes of the stages from Vaswani et al. 2017, "Attention Is All You Need".
    """
    positions = as_count(n_positions, "n_positions")
    count = parameter_count(d_model, n_heads, d_k, d_v, n_kv_heads=n_kv_heads)
    heads, width = as_count(n_heads, "n_heads"), as_count(d_model, "d_model")
    return StageCosts(
        projections=positions * (count.q + count.k + count.v),
        scores=positions**2 * (count.q // width),  # H·d_k
        exponentials=heads * positions**2,
        weighted_sums=positions**2 * (count.o // width),  # H·d_v
        output_projection=positions * count.o,
        weights=heads * positions**2,
        cache=positions * ((count.k + count.v) // width),  # H_kv·(d_k + d_v)
    )


def overtaking_length(
    d_model: SupportsIndex,
    *,
    masked_cells: bool = True,
    n_heads: SupportsIndex = 1,
    n_kv_heads: SupportsIndex | None = None,
) -> int:
    """Return the sequence length T* at which scores and A·V cost what the projections cost.

    Below it the projections have more multiply-adds, beyond it scores and A·V have. d_k and d_v
    do not matter: they are factors of both; nor does H, unless heads share keys and values.

    Parameters
    ----------
    d_model
        Model width, at least 1.
    masked_cells
        Whether a causal layer computes the whole T × T matrix. If it computes the T·(T + 1)/2
        allowed cells alone, T* is about twice as long.
    n_heads, n_kv_heads
        Heads H and key-value heads H_kv, at most as many; None means `n_heads`.

    Returns
    -------
    int
        Positions, rounded up: (1 + H_kv/H)·d_model, from
        T²·H·(d_k + d_v) = T·d_model·(H + H_kv)·(d_k + d_v); without the masked cells twice that
        less 1. With keys and values of each head's own, 2·d_model and 4·d_model - 1.

    Raises
    ------
    ValueError
        When a count is not an integer of at least 1, or there are more `n_kv_heads` than
        `n_heads`.

    Notes
    -----
    Source: the two sums of `stage_costs`, set equal.
    """
    width = as_count(d_model, "d_model")
    heads = as_count(n_heads, "n_heads")
    each = width * (heads + _shared_heads(n_kv_heads, heads))  # H times the length
    return -(-each // heads) if masked_cells else -(-2 * each // heads) - 1


def _shared_heads(n_kv_heads: SupportsIndex | None, n_heads: int) -> int:
    """Return H_kv, as many as heads where None; any number up to H can be counted."""
    shared = n_heads if n_kv_heads is None else as_count(n_kv_heads, "n_kv_heads")
    if shared > n_heads:
        raise ValueError(f"n_kv_heads must be at most n_heads, {n_heads}, got {shared}.")
    return shared


def _head_width(width: SupportsIndex | None, name: str, d_model: int, n_heads: int) -> int:
    if width is not None:
        return as_count(width, name)
    if d_model % n_heads:
        raise ValueError(
            f"d_model must be divisible by n_heads when {name} is not given, got d_model"
            f" {d_model} and n_heads {n_heads}."
        )
    return d_model // n_heads
