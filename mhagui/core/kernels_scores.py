"""Gained scores a tile at a time, and their exponentials: what every kernel begins with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import (
    FloatArray,
    as_matrices,
    as_number,
    require_finite,
    require_no_overflow,
)
from mhagui.core.attention import (
    Mask,
    allowed_for,
    fitting_queries_and_keys,
    gain_for,
    require_finite_where_allowed,
    scores_by_exponents,
)
from mhagui.core.kernels_tiles import Tile, flattened

# Exponentials of numbers no larger than this, and sums of them, are far from both ends of float32.
_SAFE_EXPONENT = 40.0
_BITS = 1.0 / math.log(2.0)  # in a nat
# Columns of a product that is made at once: with AVX-512 OpenBLAS takes up to a third less time for
# products so small, which it makes without rearranging them first; elsewhere a twentieth more.
_STRIP = 128
# Cells. Where one number meets a whole row NumPy copies both, and the result, by way of a buffer;
# rows that are longer than that it leaves in place, in half to three quarters of the time. Shorter
# rows take longer with a short buffer.
_BUFFER = 256


@contextmanager
def quiet_and_in_place(n_columns: int) -> Iterator[None]:
    """Let NumPy warn of no number and copy no long row, in this thread, until the end."""
    with np.errstate(all="ignore"):  # which sets the buffer back as well
        if n_columns > 2 * _BUFFER:
            np.setbufsize(_BUFFER)
        yield


class TiledScores(Protocol):
    """The scores S of all heads and their gains, from which a tile is made at a time.

    Attributes
    ----------
    leading, n_rows, n_columns, dtype
        Of the scores.
    """

    leading: tuple[int, ...]
    n_rows: int
    n_columns: int
    dtype: np.dtype[np.floating]

    def parts(self, tile: Tile) -> Iterator[Tile]:
        """Return the tiles to work on, which are the same for a head whatever the others are."""

    def gained(self, tile: Tile, out: FloatArray) -> bool:
        """Write g·S into `out`, the quick way; say whether every exponential of it is safe."""

    def plain(self, tile: Tile) -> FloatArray:
        """Return S the careful way, finite where allowed, or refuse it."""

    def gain(self, tile: Tile) -> FloatArray:
        """Return the gain of each head of the tile, (heads, 1, 1)."""


class FactoredScores:
    """The scores of queries and keys, made anew for each tile."""

    def __init__(
        self, q: npt.ArrayLike, k: npt.ArrayLike, gain: npt.ArrayLike, scale: float | None
    ) -> None:
        queries, keys = fitting_queries_and_keys(q, k)
        width = queries.shape[-1]
        self._scale = 1.0 / math.sqrt(width) if scale is None else as_number(scale, "scale")
        self.dtype = np.result_type(queries, keys)
        self.leading = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
        self.n_rows, self.n_columns = queries.shape[-2], keys.shape[-2]
        self._q = flattened(queries, self.leading).astype(self.dtype, copy=False)
        self._k = flattened(keys, self.leading).astype(self.dtype, copy=False)
        self._gains = _gain_per_head(gain, self)
        q_norms, k_norms = _largest_norms(self._q, "q"), _largest_norms(self._k, "k")
        with np.errstate(all="ignore"):
            factors = self._gains * self._scale
            is_safe = q_norms * k_norms * np.abs(factors[:, 0, 0]) <= _SAFE_EXPONENT
            # With AVX-512 BLAS takes half as long again with keys that lie row by row.
            gained_keys = np.multiply(
                np.swapaxes(self._k, -1, -2), factors.astype(self.dtype), order="C"
            )
        self._gained_keys: FloatArray = gained_keys
        # What the gain makes of k may underflow, which only queries out of all measure would show.
        self._kinds = list(zip(is_safe.tolist(), np.isfinite(q_norms).tolist(), strict=True))
        self._is_of_one_kind = len(set(self._kinds)) <= 1

    def parts(self, tile: Tile) -> Iterator[Tile]:
        """Return the tile, or one a head where what is safe or quick differs from head to head."""
        is_whole = self._is_of_one_kind or len(set(self._kinds[tile.heads])) == 1
        return iter((tile,)) if is_whole else tile.one_by_one()

    def gained(self, tile: Tile, out: FloatArray) -> bool:
        """Write g·S into `out`: the product of q with g·scale·k."""
        is_safe, is_quick = self._kinds[tile.heads.start]  # of all heads of one of the `parts`
        if not is_quick:
            out.fill(np.nan)
            return False
        gained_keys = self._gained_keys[tile.heads, :, tile.columns]
        multiply(self._q[tile.heads, tile.rows], gained_keys, out)
        return bool(is_safe)

    def plain(self, tile: Tile) -> FloatArray:
        """Return S by `attention_scores`' own way, refusing only what the mask lets be seen."""
        queries, keys = self._q[tile.heads, tile.rows], self._k[tile.heads, tile.columns]
        with np.errstate(all="ignore"):
            scores: FloatArray = queries @ np.swapaxes(keys, -1, -2)
            scores *= self.dtype.type(self._scale)
        rescaled = scores_by_exponents(queries, keys, self._scale)
        scores = np.where(np.isfinite(scores), scores, rescaled)
        seen = scores if tile.allowed is None else np.where(tile.allowed, scores, 0.0)
        require_no_overflow(seen, "q and k", "a score")
        return scores

    def gain(self, tile: Tile) -> FloatArray:
        """Return the gain of each head of the tile, (heads, 1, 1)."""
        return self._gains[tile.heads]


class CachedScores:
    """Scores that somebody keeps."""

    def __init__(self, scores: npt.ArrayLike, gain: npt.ArrayLike, mask: Mask) -> None:
        self._given = as_matrices(scores, "scores", "T_q, T_k")
        self._mask = mask
        self.dtype = self._given.dtype
        self.leading = self._given.shape[:-2]
        self.n_rows, self.n_columns = self._given.shape[-2:]
        self._scores = flattened(self._given, self.leading)
        self._gains = _gain_per_head(gain, self)
        with np.errstate(all="ignore"):
            self._factors = self._gains.astype(self.dtype)

    def parts(self, tile: Tile) -> Iterator[Tile]:
        """Return the tile."""
        return iter((tile,))

    def gained(self, tile: Tile, out: FloatArray) -> bool:
        """Write g·S into `out`; nothing is known of how large they are."""
        scores = self._scores[tile.heads, tile.rows, tile.columns]
        np.multiply(scores, self._factors[tile.heads], out=out)
        return False

    def plain(self, tile: Tile) -> FloatArray:
        """Return S, or refuse it by the first cell in all of it that is not finite."""
        scores = self._scores[tile.heads, tile.rows, tile.columns]
        seen = scores if tile.allowed is None else np.where(tile.allowed, scores, 0.0)
        if not np.isfinite(seen).all():
            require_finite_where_allowed(self._given, allowed_for(self._mask, self._given.shape))
        return scores

    def gain(self, tile: Tile) -> FloatArray:
        """Return the gain of each head of the tile, (heads, 1, 1)."""
        return self._gains[tile.heads]


class Exponentials(NamedTuple):
    """What a tile's gained scores have become.

    Attributes
    ----------
    shift
        What was subtracted from the gained scores of each row, (heads, rows); 0 where nothing.
    total
        The sum of the row's exponentials; 1 for a row that may see no column.
    dot
        The sum over the row of exponential times exponent.
    """

    shift: FloatArray
    total: FloatArray
    dot: FloatArray

    def bits(self, tile: Tile) -> FloatArray:
        """Return the entropy of each row, (heads, rows): NaN for one that may see no column."""
        nats = np.log(self.total) - self.dot / self.total
        bits: FloatArray = np.maximum(nats * _BITS, 0.0)
        if tile.n_common < 1:
            np.copyto(bits, np.nan, where=tile.rows_that_see(0))
        if tile.n_common < 2:
            # A rounding step from it without a shift.
            np.copyto(bits, 0.0, where=tile.rows_that_see(1))
        return bits


def exponentials(
    exponents: FloatArray, tile: Tile, *, is_safe: bool, ones: FloatArray, out: FloatArray
) -> Exponentials | None:
    """Write exp(g·S − shift) into `out`, 0 where forbidden; None when this needs more care.

    `exponents` are the gained scores, and are overwritten. Where it is safe nothing is shifted,
    which saves a tenth of the time.
    """
    filler = exponents.dtype.type(-0.25 * np.finfo(exponents.dtype).max)
    if tile.forbidden is not None:
        np.copyto(exponents[..., tile.ragged], filler, where=tile.forbidden)
    shift = np.zeros(exponents.shape[:-1], dtype=exponents.dtype)
    if not is_safe:
        np.maximum.reduce(exponents, axis=-1, out=shift)
        if tile.n_common < 1:
            np.copyto(shift, 0.0, where=tile.rows_that_see(0))
        if not (shift > 0.5 * filler).all():  # so low that the filler might pass for a score
            return None
        exponents -= shift[..., np.newaxis]
    np.exp(exponents, out=out)
    total, dot = np.matmul(out, ones[: out.shape[-1]]), np.vecdot(out, exponents)
    if not math.isfinite(np.add.reduce(dot, axis=None)):
        return None
    if tile.n_common < 1:
        total[total == 0.0] = 1.0
    return Exponentials(shift, total, dot)


def multiply(rows: FloatArray, columns: FloatArray, out: FloatArray) -> None:
    """Write the product of (heads, M, K) and (heads, K, N) into `out`, a strip after the other.

    The last axis of `columns` and of `out` is contiguous.
    """
    n_strips = out.shape[-1] // _STRIP
    rest = n_strips * _STRIP
    if n_strips:
        of_columns, of_out = (
            array[..., :rest].reshape(*array.shape[:2], n_strips, _STRIP, copy=False).swapaxes(1, 2)
            for array in (columns, out)
        )
        np.matmul(rows[:, np.newaxis], of_columns, out=of_out)
    if rest < out.shape[-1]:
        np.matmul(rows, columns[..., rest:], out=out[..., rest:])


def _gain_per_head(gain: npt.ArrayLike, scores: TiledScores) -> npt.NDArray[np.float64]:
    """Return the gains as float64, (heads, 1, 1)."""
    gains = gain_for(gain, scores.leading)
    if isinstance(gains, float):
        return np.full((math.prod(scores.leading), 1, 1), gains)
    return flattened(gains, scores.leading).astype(np.float64)


def _largest_norms(rows: FloatArray, name: str) -> npt.NDArray[np.float64]:
    """Return the largest length of a head's rows, (heads,); infinite where its square is.

    Refuse rows that are not finite, by their name.
    """
    with np.errstate(all="ignore"):
        squares = np.maximum.reduce(np.vecdot(rows, rows), axis=-1, initial=0.0)
    if not np.isfinite(squares).all():  # as squares of finite numbers may be as well
        require_finite(rows, name)
    norms: npt.NDArray[np.float64] = np.sqrt(squares, dtype=np.float64)
    return norms
