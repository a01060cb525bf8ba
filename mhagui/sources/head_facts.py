"""What is counted in the weights of each head, as they were given."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from mhagui.document.capture import CapturedLayer, Floats

_BLOCK_CELLS = 2**17


@dataclass(frozen=True)
class HeadFacts:
    """Counts and extremes of one head's weights, (T_q, T_k).

    Rows of zeros alone, and rows that hold NaN or infinities, are counted and then left out of all
    that is said of sums.

    Attributes
    ----------
    layer, head
        Which head it is, as the file counts.
    n_rows, n_wrong, n_long
        How many rows are looked at, sum to 1 not within the tolerance, and to more than that.
    n_empty, n_not_finite, n_negative
        How many rows are all zero, and how many cells are not finite, or below zero.
    sum, sum_row
        The row sum farthest from 1, and the query it belongs to.
    column_off
        How far the column sums are from 1 at most.
    above, above_row, n_above
        The largest mass that a query puts on keys after its own position, which query that is, and
        how many put any there.
    n_unseen
        How many of the last keys no query sees at all.
    """

    layer: int
    head: int
    n_rows: int
    n_wrong: int
    n_long: int
    n_empty: int
    n_not_finite: int
    n_negative: int
    sum: float
    sum_row: int
    column_off: float
    above: float
    above_row: int
    n_above: int
    n_unseen: int

    @property
    def name(self) -> str:
        """Which head it is, for people."""
        return f"layer {self.layer}, head {self.head}"


def head_facts(layer: CapturedLayer, tolerance: float, first: int = 0) -> Iterator[HeadFacts]:
    """Yield the facts of each head whose weights are given, from row and key ``first`` on."""
    if layer.given is None:
        return
    for head, weights in enumerate(layer.given):
        facts = _facts(layer.number, head, weights[first:, first:], tolerance)
        yield replace(facts, sum_row=facts.sum_row + first, above_row=facts.above_row + first)


def _facts(layer: int, head: int, weights: Floats, tolerance: float) -> HeadFacts:
    n_queries, n_keys = weights.shape
    sums, mass = np.empty(n_queries), np.empty(n_queries)
    columns, keys = np.zeros(n_keys), np.zeros(n_keys, np.bool_)
    is_empty = np.empty(n_queries, np.bool_)
    n_not_finite = n_negative = 0
    n_block = max(1, _BLOCK_CELLS // n_keys)
    for first in range(0, n_queries, n_block):  # not to take the memory of the head again
        rows, block = slice(first, first + n_block), weights[first : first + n_block]
        # Cells after a query's own position, the last query of all seeing all keys.
        own = first + n_keys - n_queries
        start = min(max(own + 1, 0), n_keys)
        above = ~np.tri(len(block), n_keys - start, own - start, dtype=np.bool_)
        with np.errstate(invalid="ignore", over="ignore"):
            sums[rows] = block.sum(axis=1, dtype=np.float64)
            columns += block.sum(axis=0, dtype=np.float64)
            mass[rows] = np.where(above, block[:, start:], 0).sum(axis=1, dtype=np.float64)
        if not np.isfinite(sums[rows]).all():
            n_not_finite += int(block.size - np.isfinite(block).sum())
        n_negative += int((block < 0).sum())
        seen = block != 0
        is_empty[rows] = ~seen.any(axis=1)
        keys |= seen.any(axis=0)
    sound = np.isfinite(sums) & ~is_empty
    sums = np.where(sound, sums, 1.0)
    mass = np.where(np.isfinite(mass), np.abs(mass), 0.0)
    worst, highest = int(np.argmax(np.abs(sums - 1.0))), int(np.argmax(mass))
    return HeadFacts(
        layer,
        head,
        n_rows=int(sound.sum()),
        n_wrong=int((np.abs(sums - 1.0) > tolerance).sum()),
        n_long=int((sums > 1.0 + tolerance).sum()),
        n_empty=int(is_empty.sum()),
        n_not_finite=n_not_finite,
        n_negative=n_negative,
        sum=float(sums[worst]),
        sum_row=worst,
        column_off=float(np.abs(columns - 1.0).max()),
        above=float(mass[highest]),
        above_row=highest,
        n_above=int((mass > 0).sum()),
        n_unseen=int(np.argmax(keys[::-1])) if keys.any() else len(keys),
    )
