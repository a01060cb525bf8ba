"""What is counted in the weights of each head, as they were given."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mhagui.document.capture import CapturedLayer, Flags, Floats


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
    above, above_row
        The largest mass that a query puts on keys after its own position, and which query that is.
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
    n_unseen: int

    @property
    def name(self) -> str:
        """Which head it is, for people."""
        return f"layer {self.layer}, head {self.head}"


def head_facts(layer: CapturedLayer, tolerance: float) -> Iterator[HeadFacts]:
    """Yield the facts of each head whose weights are given."""
    if layer.given is None:
        return
    n_queries, n_keys = layer.shape
    # As bytes that multiply: cells after a query's own position, the last query seeing all keys.
    above = ~np.tri(n_queries, n_keys, n_keys - n_queries, dtype=np.bool_)
    for head, weights in enumerate(layer.given):
        yield _facts(layer.number, head, weights, above, tolerance)


def _facts(layer: int, head: int, weights: Floats, above: Flags, tolerance: float) -> HeadFacts:
    with np.errstate(invalid="ignore", over="ignore"):
        sums = weights.sum(axis=1, dtype=np.float64)
        columns = np.abs(weights.sum(axis=0, dtype=np.float64) - 1.0)
        mass = np.where(above, weights, 0).sum(axis=1, dtype=np.float64)
    is_finite = bool(np.isfinite(sums).all())
    n_not_finite = 0 if is_finite else int(weights.size - np.isfinite(weights).sum())
    seen = weights != 0
    is_empty = ~seen.any(axis=1)
    sound = np.isfinite(sums) & ~is_empty
    sums = np.where(sound, sums, 1.0)
    mass = np.where(np.isfinite(mass), np.abs(mass), 0.0)
    worst, highest = int(np.argmax(np.abs(sums - 1.0))), int(np.argmax(mass))
    keys = seen.any(axis=0)
    return HeadFacts(
        layer,
        head,
        n_rows=int(sound.sum()),
        n_wrong=int((np.abs(sums - 1.0) > tolerance).sum()),
        n_long=int((sums > 1.0 + tolerance).sum()),
        n_empty=int(is_empty.sum()),
        n_not_finite=n_not_finite,
        n_negative=int((weights < 0).sum()),
        sum=float(sums[worst]),
        sum_row=worst,
        column_off=float(columns.max()),
        above=float(mass[highest]),
        above_row=highest,
        n_unseen=int(np.argmax(keys[::-1])) if keys.any() else len(keys),
    )
