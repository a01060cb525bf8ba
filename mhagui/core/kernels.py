"""Weights and their entropies in one pass over tiles that stay in the cache of a core."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    FloatArray,
    as_matrices,
    described,
    require_common_leading,
    shape_error,
)
from mhagui.core.attention import (
    Check,
    Mask,
    allowed_for,
    attention_weights,
    softmax_weights,
    weights_from_scores,
)
from mhagui.core.entropy import entropy_bits
from mhagui.core.kernels_scores import (
    CachedScores,
    FactoredScores,
    TiledScores,
    exponentials,
    quiet_and_in_place,
)
from mhagui.core.kernels_tiles import Tile, flattened, tiles_of
from mhagui.core.threads import one_blas_thread, share

Pair: TypeAlias = tuple[FloatArray, FloatArray]

# Below so many cells for each the threads would take longer to start, and to wait for the
# interpreter after each step, than they save.
_FEW_CELLS = 2**18
# Of matrices so small that all of it stays in the cache the plain formulas are the quickest, as
# long as each of a cell's products has few terms: larger ones BLAS would share among its threads.
_PLAIN_CELLS = 2**12
_FEW_TERMS = 64
# Of matrices up to this size the exponentials are made in the result: so little is allocated
# besides that it is not given back to the system, and cleared again, with each call, which would
# double the time of T = 128. From T = 256 on this would cost up to a tenth.
_CELLS_IN_PLACE = 2**15


def weights_and_entropies(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    *,
    gain: npt.ArrayLike = 1.0,
    mask: Mask = "causal",
    scale: float | None = None,
    out: Pair | None = None,
    check: Check | None = None,
) -> Pair:
    """Return the weights A = softmax(gain · S), S the scores of q and k, and their row entropies.

    The same as `attention_weights` and `row_entropy_bits` of what that returns, in one pass
    and several times as fast: only what the mask lets be seen is worked out.

    Parameters
    ----------
    q, k, gain, mask, scale
        As for `attention_weights`.
    out
        Arrays for the weights and the bits: C-contiguous, writeable, of the shapes and dtype
        of the result, sharing no memory with one another or with what is read. None means new
        ones.
    check
        Called before each tile, in any thread; what it raises ends the work, and is raised.

    Returns
    -------
    weights : ndarray, shape (..., T_q, T_k)
        As from `attention_weights`: 0..1, dimensionless; within 16·eps·(1 + max|gain · S|)
        of softmax(gain · S).
    bits : ndarray, shape (..., T_q)
        As from `row_entropy_bits`: bits, at least 0, NaN for a row with no allowed key;
        within 64·eps·(1 + max|gain · S|).

    Raises
    ------
    ValueError
        As for `attention_weights`, though a forbidden score that overflows may go unnoticed;
        when an array of `out` does not fit. What `out` holds after an error is not defined.

    Notes
    -----
    Source: this project; docs/decisions/0023. Threads: as many as BLAS has, which works in
    one thread meanwhile. The numbers depend neither on the threads nor on the other heads.
    """
    queries, keys = as_matrices(q, "q", "T_q, d_k"), as_matrices(k, "k", "T_k, d_k")
    _require_apart(out, q=queries, k=keys)
    if _is_plain(queries.shape[-2], keys.shape[-2], queries.shape[-1]):
        weights = attention_weights(queries, keys, gain=gain, mask=mask, scale=scale)
        return _with_bits(weights, out)
    return _filled(FactoredScores(queries, keys, gain, scale), mask, out, check)


def weights_and_entropies_from_scores(
    scores: npt.ArrayLike,
    *,
    gain: npt.ArrayLike = 1.0,
    mask: Mask = "causal",
    out: Pair | None = None,
    check: Check | None = None,
) -> Pair:
    """Return the weights A = softmax(gain · scores) and their row entropies.

    The same as `weights_from_scores` and `row_entropy_bits` of what that returns, in one pass.

    Parameters
    ----------
    scores, gain, mask
        As for `weights_from_scores`.
    out, check
        As for `weights_and_entropies`.

    Returns
    -------
    weights, bits : ndarray, shapes (..., T_q, T_k) and (..., T_q)
        As for `weights_and_entropies`.

    Raises
    ------
    ValueError
        As for `weights_from_scores`; when an array of `out` does not fit. What `out` holds
        after an error is not defined.

    Notes
    -----
    Source: this project; docs/decisions/0023.
    """
    array = as_matrices(scores, "scores", "T_q, T_k")
    _require_apart(out, scores=array)
    if _is_plain(array.shape[-2], array.shape[-1]):
        return _with_bits(weights_from_scores(array, gain=gain, mask=mask), out)
    return _filled(CachedScores(array, gain, mask), mask, out, check)


def weighted_sums(
    weights: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    mask: Mask = "causal",
    check: Check | None = None,
) -> FloatArray:
    """Return the head outputs A·V, reading only the weights that the mask allows.

    Parameters
    ----------
    weights
        A, shape (..., T_q, T_k), 0 where the mask forbids: what is forbidden need not be read.
    values
        V, shape (..., T_k, d_v); leading axes broadcast against those of `weights`.
    mask
        As for `weights_from_scores`.
    check
        As for `weights_and_entropies`.

    Returns
    -------
    ndarray, shape (..., T_q, d_v)
        In the unit of `values`; float32 when both inputs are, otherwise float64.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, or there is no such mask.

    Notes
    -----
    Source: the lesson on multi-head attention, section "Per-Head Projections".
    """
    a = as_matrices(weights, "weights", "T_q, T_k")
    v = as_matrices(values, "values", "T_k, d_v")
    if v.shape[-2] != a.shape[-1]:
        raise shape_error("values", f"(..., {a.shape[-1]}, d_v) to match weights", v)
    require_common_leading("weights and values", a.shape[:-2], v.shape[:-2])
    leading = np.broadcast_shapes(a.shape[:-2], v.shape[:-2])
    if _is_plain(a.shape[-2], a.shape[-1], v.shape[-1]):
        allowed_for(mask, (*leading, *a.shape[-2:]))  # or refuse it, as the tiles do
        plain: FloatArray = a @ v
        return plain
    dtype = np.result_type(a, v)
    sums = np.zeros((*leading, a.shape[-2], v.shape[-1]), dtype=dtype)
    flat = sums.reshape(math.prod(leading), *sums.shape[-2:])
    a, v = flattened(a, leading), flattened(v, leading).astype(dtype, copy=False)

    def work(tiles: Iterator[Tile]) -> None:
        for tile in tiles:
            heads, rows, columns = tile.heads, tile.rows, tile.columns
            with np.errstate(all="ignore"):
                np.matmul(a[heads, rows, columns], v[heads, columns], out=flat[heads, rows])

    tiles = tiles_of(mask, leading, a.shape[-2], a.shape[-1])
    work_through(tiles, work, check, per_cell=v.shape[-1] / 128)
    return sums


def work_through(
    tiles: list[Tile],
    work: Callable[[Iterator[Tile]], None],
    check: Check | None,
    per_cell: float = 1.0,
) -> None:
    """Let `work` do all tiles, in as many threads as are worth it, with a `check` before each.

    `per_cell` is how long a cell takes, as a share of how long it takes to make a weight.
    """
    n_cells = int(per_cell * sum(tile.n_cells for tile in tiles))
    # For few cells as well: what BLAS gains with another thread, it takes twice from other work.
    with one_blas_thread() as n_threads:
        work = work if check is None else partial(_with_checks, work, check)
        share(tiles, work, max(1, min(n_threads, len(tiles), n_cells // _FEW_CELLS)))


def _with_checks(
    work: Callable[[Iterator[Tile]], None], check: Check, tiles: Iterator[Tile]
) -> None:
    def checked() -> Iterator[Tile]:
        for tile in tiles:
            check()
            yield tile

    work(checked())


def _is_plain(n_rows: int, n_columns: int, n_terms: int = 0) -> bool:
    """Say whether matrices of that size are not worth tiles."""
    return n_rows * n_columns * max(1.0, n_terms / _FEW_TERMS) <= _PLAIN_CELLS


def _with_bits(weights: FloatArray, out: Pair | None) -> Pair:
    """Return weights and their entropies, in the buffers where there are any."""
    bits = entropy_bits(weights, "weights")
    if out is None:
        return weights, bits
    buffers = _buffers(weights.shape, weights.dtype, out)
    buffers[0][...], buffers[1][...] = weights, bits
    return buffers


def _filled(scores: TiledScores, mask: Mask, out: Pair | None, check: Check | None) -> Pair:
    shape = (*scores.leading, scores.n_rows, scores.n_columns)
    tiles = tiles_of(mask, scores.leading, scores.n_rows, scores.n_columns)
    weights, bits = _buffers(shape, scores.dtype, out)
    n_heads = math.prod(scores.leading)
    flat_weights = weights.reshape(n_heads, *shape[-2:])
    flat_bits = bits.reshape(n_heads, shape[-2])
    is_in_place = scores.n_rows * scores.n_columns <= _CELLS_IN_PLACE
    largest = max((tile.n_cells for tile in tiles), default=0)

    def work(tiles: Iterator[Tile]) -> None:
        space = np.empty((1 if is_in_place else 2, largest), dtype=scores.dtype)
        ones = np.ones(scores.n_columns, dtype=scores.dtype)
        with quiet_and_in_place(scores.n_columns):
            for tile in (part for whole in tiles for part in scores.parts(whole)):
                part = flat_weights[tile.heads, tile.rows]
                if out is not None:
                    part[..., : tile.columns.start] = 0.0
                    part[..., tile.columns.stop :] = 0.0
                within = part[..., tile.columns]
                flat_bits[tile.heads, tile.rows] = _fill(scores, tile, space, ones, within)

    work_through(tiles, work, check)
    return weights, bits


def _fill(
    scores: TiledScores, tile: Tile, space: FloatArray, ones: FloatArray, out: FloatArray
) -> FloatArray:
    """Write the weights of a tile into `out`; return the bits of its rows, (heads, rows)."""
    if not out.size:
        return np.full(out.shape[:-1], np.nan, out.dtype)
    exponents, *other = space[:, : out.size].reshape(len(space), *out.shape)
    exponential = other[0] if other else out
    is_safe = scores.gained(tile, exponents)
    found = exponentials(exponents, tile, is_safe=is_safe, ones=ones, out=exponential)
    if found is None and tile.shape[0] > 1:  # what one head needs is not to change the others
        parts = enumerate(tile.one_by_one())
        return np.concatenate(
            [_fill(scores, part, space, ones, out[at : at + 1]) for at, part in parts]
        )
    if found is None:
        out[...] = softmax_weights(scores.plain(tile), scores.gain(tile), tile.allowed)
        return entropy_bits(out, "weights")
    np.divide(exponential, found.total[..., np.newaxis], out=out)
    return found.bits(tile)


def _require_apart(out: Pair | None, **read: FloatArray) -> None:
    """Refuse buffers that are no arrays, or share memory with one another or what is `read`."""
    if out is None:
        return
    if [isinstance(array, np.ndarray) for array in out] != [True, True]:
        raise ValueError(f"out must be two arrays, weights and bits, got {described(out)}.")
    weights, bits = out
    for name, array, others in (
        ("weights", weights, {"out's bits": bits} | read),
        ("bits", bits, read),
    ):
        for other_name, other in others.items():
            if np.may_share_memory(array, other):
                raise ValueError(f"out's {name} must not share memory with {other_name}.")


def _buffers(shape: tuple[int, ...], dtype: np.dtype[Any], out: Pair | None) -> Pair:
    """Return arrays for the weights, new ones filled with 0, and for the bits."""
    if out is None:
        return np.zeros(shape, dtype), np.empty(shape[:-1], dtype)
    weights, bits = out
    for name, array, wanted in (("weights", weights, shape), ("bits", bits, shape[:-1])):
        if array.shape != wanted:
            raise shape_error(f"out's {name}", str(wanted), array)
        if array.dtype != dtype:
            raise ValueError(f"out's {name} must hold {dtype}, got dtype {array.dtype}.")
        if not (array.flags.c_contiguous and array.flags.writeable):
            raise ValueError(f"out's {name} must be writeable and C-contiguous.")
    return weights, bits
