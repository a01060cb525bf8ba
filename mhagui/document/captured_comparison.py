"""Two captured layers, or two of their heads, side by side: where and how much they differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.capture import CapturedLayer, Floats
from mhagui.document.records import frozen
from mhagui.errors import UserError


@dataclass(frozen=True, eq=False)
class Comparison:
    """The weights of pairs of heads, (H, T_q, T_k) both, and how they differ."""

    one: Floats
    other: Floats
    has_sinks: bool

    @cached_property
    def difference(self) -> Floats:
        """Other minus one, signed, (H, T_q, T_k); NaN where either is."""
        with np.errstate(invalid="ignore"):  # ∞ − ∞
            return frozen(self.other - self.one)

    @cached_property
    def divergences(self) -> Floats:
        """Jensen–Shannon divergence of each pair of rows, bits, 0..1, (H, T_q).

        NaN where one of the two has no weight, or numbers that are no weights. What sinks took
        counts as one more key.
        """
        one, other = (_comparable(weights, self.has_sinks) for weights in (self.one, self.other))
        return frozen(core.jensen_shannon_bits(one, other))

    @cached_property
    def mean_divergences(self) -> npt.NDArray[np.float64]:
        """Mean of a pair's rows that have a divergence, bits, (H,); NaN where none has."""
        counted = ~np.isnan(self.divergences)
        n_rows = np.count_nonzero(counted, axis=-1)
        total = np.sum(self.divergences, axis=-1, where=counted, dtype=np.float64)
        mean: npt.NDArray[np.float64] = total / np.where(n_rows > 0, n_rows, np.nan)
        return mean


def compare(
    one: CapturedLayer, other: CapturedLayer, heads: tuple[int, int] | None = None
) -> Comparison:
    """Compare two layers head by head, or head ``heads[0]`` of one with ``heads[1]`` of the other.

    They may be of two captures. Raises UserError, with the numbers, where there is no such head or
    the shapes differ: nothing is cropped to make them fit.
    """
    if heads is None and one.n_heads != other.n_heads:
        raise UserError(
            f"The layers have {one.n_heads} and {other.n_heads} heads; to compare them, choose one "
            "head of each."
        )
    for what, index in (("queries", 0), ("keys", 1)):
        if one.shape[index] != other.shape[index]:
            raise UserError(
                f"The weights to compare have {one.shape[index]} and {other.shape[index]} {what}; "
                "they can only be compared cell by cell where both have as many."
            )
    if heads is None:
        pair = one.weights, other.weights
    else:
        pair = _of_head(one, heads[0]), _of_head(other, heads[1])
    return Comparison(*pair, has_sinks=one.sinks is not None or other.sinks is not None)


def _of_head(layer: CapturedLayer, head: int) -> Floats:
    layer.require_head(head)
    return layer.weights[head : head + 1]


def _comparable(weights: Floats, has_sinks: bool) -> npt.NDArray[Any]:
    """Return weights with unreadable rows emptied and, with sinks, their share as a last key."""
    readable = core.readable_rows(weights)[..., np.newaxis]
    known = weights if readable.all() else np.where(readable, weights, 0)
    if not has_sinks:
        return known
    mass = known.sum(axis=-1, keepdims=True)
    sunk = np.where(mass > 0, np.clip(1 - mass, 0, 1), 0).astype(known.dtype)
    return np.concatenate([known, sunk], axis=-1)
