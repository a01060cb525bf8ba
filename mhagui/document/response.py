"""Rows of a head's weights as impulse responses, beside the ideal filters that heads approach."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mhagui import core
from mhagui.document.blas import one_blas_thread
from mhagui.document.compute import HeadResult, Result
from mhagui.document.designs import filter_of, ideal_taps
from mhagui.document.json_text import finite
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene

# ω of every spectrum that is shown, in radians per position: enough for every lobe of so many rows.
FINE_ROWS = 128
FREQUENCIES = sealed(np.linspace(0.0, math.pi, 2 * FINE_ROWS + 1))
MEAN_ROWS = 64  # that are soon gone through, for a mean that follows a gain

# Said wherever spectra are shown: in the magnitudes alone these three look the same.
FLAT_FILTERS = (
    "First-sample hold, delay and identity are flat, magnitude 1 at every frequency: they differ "
    "in delay alone, t\xa0−\xa01, k and 0 positions."
)


class RowResponse(NamedTuple):
    """Row t of a head's weights, and what it would be without softness.

    Attributes
    ----------
    taps
        The weights of t1 .. t, (t,).
    ideal
        Those of the filter the head approaches as its gain grows, (t,); None where there is none.
    distance
        Total-variation distance of the two, 0 .. 1; NaN where there is no ideal.
    """

    taps: Array
    ideal: Array | None
    distance: float


class Spectrum(NamedTuple):
    """|H| of a row at ``FREQUENCIES``, and its group delay in positions, NaN at nulls; (F,)."""

    magnitude: Array
    delay: Array


def shown_row(scene: Scene, row: int | None) -> int:
    """Return ``row`` (from 0); where it is None that of t4, or the last where T is less."""
    return min(3, scene.n_positions - 1) if row is None else row


def row_response(head: HeadResult, row: int) -> RowResponse:
    """Return row ``row`` (from 0) of ``head``."""
    taps = head.weights[row, : row + 1]
    ideal = ideal_taps(head.head, row)
    distance = math.nan if ideal is None else float(core.total_variation(taps, ideal))
    return RowResponse(taps, ideal, distance)


def distances(head: HeadResult) -> Array:
    """Return the distance of every row t1 .. tT to its ideal, (T,); NaN where it has none."""
    return sealed(np.array([row_response(head, row).distance for row in range(len(head.weights))]))


def mean_rows(n_positions: int) -> list[int]:
    """Return the rows, from 0, that ``mean_distance`` is over: all, or evenly spaced ones."""
    return spaced_rows(n_positions, MEAN_ROWS)


def spaced_rows(n_positions: int, most: int) -> list[int]:
    """Return up to ``most`` rows of T, from 0: all, or evenly spaced ones up to the last."""
    count = min(n_positions, most)
    return [n_positions * number // count - 1 for number in range(1, count + 1)]


def mean_distance(head: HeadResult) -> float:
    """Return the mean of ``distances`` over ``mean_rows``, NaN where none of them has an ideal."""
    n_positions = len(head.weights)
    every = {row: ideal_taps(head.head, row) for row in mean_rows(n_positions)}
    ideals = {row: taps for row, taps in every.items() if taps is not None}
    if not ideals:
        return math.nan
    wanted = np.zeros((len(ideals), n_positions))
    for place, (row, taps) in enumerate(ideals.items()):
        wanted[place, : row + 1] = taps
    return float(core.total_variation(head.weights[list(ideals)], wanted).mean())


def spectra(heads: Sequence[HeadResult], row: int) -> list[Spectrum]:
    """Return what row ``row`` of each of ``heads`` makes of each of ``FREQUENCIES``."""
    if not heads:
        return []
    taps = np.stack([head.weights[row, : row + 1] for head in heads])
    with one_blas_thread():  # the products are small: threads would wait for one another
        magnitudes = sealed(np.abs(core.frequency_response(taps, FREQUENCIES)))
        delays = sealed(core.group_delay(taps, FREQUENCIES))
    return [Spectrum(*of_head) for of_head in zip(magnitudes, delays, strict=True)]


def delay_range(row: int) -> tuple[float, float]:
    """Return from where to where group delays of row ``row`` are shown, in positions.

    The filters that heads approach have 0 to t − 1; taps that nearly cancel can have any.
    """
    longest = max(row, 1)
    return -0.25 * longest, 1.25 * longest


def impulse_report(scene: Scene, result: Result, row: int | None = None) -> dict[str, object]:
    """Return impulse responses and their distances to the ideals, as JSON can hold them.

    ``row`` is t from 0, t4 where it is None. Taps are those of t1 .. t; ``total_variation`` lists
    the rows t1 .. tT, and what has no ideal is None and does not count in the mean.
    """
    at = shown_row(scene, row)
    return {"t": at + 1, "heads": [_head_report(head, at) for head in result.heads]}


def _head_report(head: HeadResult, row: int) -> dict[str, object]:
    taps, ideal, _ = row_response(head, row)
    of_rows = distances(head)
    known = of_rows[~np.isnan(of_rows)]
    return {
        "name": head.head.name,
        "filter": filter_of(head.head),
        "taps": taps.tolist(),
        "ideal": None if ideal is None else ideal.tolist(),
        "total_variation": [finite(value) for value in of_rows],
        "mean_total_variation": float(known.mean()) if len(known) else None,
    }
