"""Rows of a head's weights as impulse responses, beside the ideal filters that heads approach."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.core.threads import one_blas_thread
from mhagui.document.compute import Result
from mhagui.document.designs import filter_of, ideal_rows, ideal_taps
from mhagui.document.head import Head
from mhagui.document.head_result import HeadResult
from mhagui.document.json_text import finite
from mhagui.document.mask_rule import MaskRule
from mhagui.document.on_demand import Matrix, rows_of
from mhagui.document.recall import Recall, Steps
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene
from mhagui.document.view_state import default_row

# ω of every spectrum that is shown, in radians per position: enough for every lobe of so many rows.
FINE_ROWS = 128
FREQUENCIES = sealed(np.linspace(0.0, math.pi, 2 * FINE_ROWS + 1))
MEAN_ROWS = 64  # that are soon gone through, for a mean that follows a gain
ROWS_AT_ONCE = 64  # of all, so that few are in memory twice

# Said wherever spectra are shown: in the magnitudes alone these three look the same.
FLAT_FILTERS = (
    "First-sample hold, delay and identity are flat, magnitude 1 at every frequency: they differ "
    "in delay alone, t\xa0−\xa01, k and 0 positions."
)


NO_IDEAL = "The filters that heads approach are those under the causal mask: no other has an ideal."


class RowResponse(NamedTuple):
    """Row t of a head's weights, and what it would be without softness.

    Attributes
    ----------
    taps
        The weights of t1 .. t, (t,); those of all keys where the mask lets later ones be seen.
    ideal
        Those of the filter the head approaches as its gain grows, (t,); None where there is none,
        and under any mask but the causal one.
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


@dataclass(frozen=True, eq=False)
class ResponseStudy:
    """One row of every head, and the mean of ``distances`` of each head, in the scene's order."""

    responses: tuple[RowResponse, ...]
    mean_distances: tuple[float, ...]
    steps: Steps = field(repr=False)


@dataclass(frozen=True, eq=False)
class SpectrumStudy:
    """What row ``row`` of every head makes of frequencies, and the weights that this came from."""

    row: int
    spectra: tuple[Spectrum, ...]
    weights: tuple[Matrix, ...] = field(repr=False)


def shown_row(scene: Scene, row: int | None) -> int:
    """Return ``row`` (from 0), or the default row where it is None."""
    return default_row(scene) if row is None else row


def row_response(head: HeadResult, row: int) -> RowResponse:
    """Return row ``row`` (from 0) of ``head``."""
    return _row_response(head.weights, head.head, head.mask, row)


def why_no_filters(mask: MaskRule) -> str:
    """Return why rows are no causal filters, which have spectra; empty where they are."""
    if not mask.sees_later:
        return ""
    if mask.across:
        return (
            f"Under this mask ({mask.text}) queries and keys are not the same positions: rows are "
            "no filters."
        )
    return (
        f"Under this mask ({mask.text}) queries see later keys: their rows are no causal filters."
    )


def _taps(weights: Matrix, mask: MaskRule, row: int) -> Array:
    return weights[row, : None if mask.sees_later else row + 1]


def _row_response(weights: Matrix, head: Head, mask: MaskRule, row: int) -> RowResponse:
    taps = sealed(_taps(weights, mask, row).copy())  # which keeps no T × T weights alive
    ideal = ideal_taps(head, row) if mask.is_causal else None
    distance = math.nan if ideal is None else float(core.total_variation(taps, ideal))
    return RowResponse(taps, ideal, distance)


def distances(head: HeadResult) -> Array:
    """Return the distance of every row t1 .. tT to its ideal, (T,); NaN where it has none."""
    blocks = np.split(
        np.arange(len(head.weights)), range(ROWS_AT_ONCE, len(head.weights), ROWS_AT_ONCE)
    )
    of = head.weights, head.head, head.mask
    return sealed(np.concatenate([_distances(*of, rows) for rows in blocks]))


def _distances(weights: Matrix, head: Head, mask: MaskRule, rows: npt.NDArray[np.int64]) -> Array:
    """Return the distances of ``rows``, (R,); NaN where there is no ideal."""
    if not mask.is_causal:
        return np.full(len(rows), np.nan)
    ideals = ideal_rows(head, rows, len(weights))
    known = np.flatnonzero(~np.isnan(ideals[:, 0]))
    found = np.full(len(rows), np.nan)
    if known.size:
        found[known] = core.total_variation(rows_of(weights, rows[known]), ideals[known])
    return found


def mean_rows(n_positions: int) -> list[int]:
    """Return the rows, from 0, that ``mean_distance`` is over: all, or evenly spaced ones."""
    return spaced_rows(n_positions, MEAN_ROWS)


def spaced_rows(n_positions: int, most: int) -> list[int]:
    """Return up to ``most`` rows of T, from 0: all, or evenly spaced ones up to the last."""
    count = min(n_positions, most)
    return [n_positions * number // count - 1 for number in range(1, count + 1)]


def mean_distance(head: HeadResult) -> float:
    """Return the mean of ``distances`` over ``mean_rows``, NaN where none of them has an ideal."""
    return _mean_distance(head.weights, head.head, head.mask)


def _mean_distance(weights: Matrix, head: Head, mask: MaskRule) -> float:
    found = _distances(weights, head, mask, np.array(mean_rows(len(weights))))
    known = found[~np.isnan(found)]
    return float(known.mean()) if known.size else math.nan


def spectra(heads: Sequence[HeadResult], row: int) -> list[Spectrum]:
    """Return what row ``row`` of each of ``heads`` makes of each of ``FREQUENCIES``."""
    if not heads:
        return []
    taps = np.stack([_taps(head.weights, head.mask, row) for head in heads])
    with one_blas_thread():  # the products are small: threads would wait for one another
        magnitudes = sealed(np.abs(core.frequency_response(taps, FREQUENCIES)))
        delays = sealed(core.group_delay(taps, FREQUENCIES))
    return [Spectrum(*of_head) for of_head in zip(magnitudes, delays, strict=True)]


def study_responses(
    result: Result, row: int, earlier: ResponseStudy | None = None
) -> ResponseStudy:
    """Return row ``row`` (from 0) of every head, with what is the same taken from ``earlier``."""
    recall = Recall(earlier.steps if earlier else {})
    responses, means = [], []
    for head in result.heads:
        uid, of = head.head.uid, (head.weights, head.head, head.mask)
        responses.append(recall(f"row {uid}", _row_response, *of, row))
        means.append(recall(f"mean {uid}", _mean_distance, *of))
    return ResponseStudy(tuple(responses), tuple(means), recall.steps)


def study_spectra(result: Result, row: int, earlier: SpectrumStudy | None = None) -> SpectrumStudy:
    """Return the spectra of row ``row`` (from 0), of all heads that are not as in ``earlier``.

    They are made at once, for each alone would cost as much as all.
    """
    known: dict[int, Spectrum] = {}
    if earlier is not None and earlier.row == row:
        known = {id(of): found for of, found in zip(earlier.weights, earlier.spectra, strict=True)}
    new = [head for head in result.heads if id(head.weights) not in known]
    known |= {id(of.weights): found for of, found in zip(new, spectra(new, row), strict=True)}
    weights = tuple(head.weights for head in result.heads)
    return SpectrumStudy(row, tuple(known[id(of)] for of in weights), weights)


def delay_range(row: int) -> tuple[float, float]:
    """Return from where to where group delays of row ``row`` are shown, in positions.

    The filters that heads approach have 0 to t − 1; taps that nearly cancel can have any.
    """
    longest = max(row, 1)
    return -0.25 * longest, 1.25 * longest


def impulse_report(scene: Scene, result: Result, row: int | None = None) -> dict[str, object]:
    """Return impulse responses and their distances to the ideals, as JSON can hold them.

    ``row`` is t from 0, t4 where it is None. Taps are those of t1 .. t; ``total_variation`` lists
    the rows t1 .. tT, its mean is over those of ``mean_rows``, t from 1. What has no ideal is None
    and does not count in the mean. ``why_no_filters`` and ``why_no_ideal`` say what other masks
    than the causal one leave of it; they are None under that.
    """
    at = shown_row(scene, row)
    return {
        "t": at + 1,
        "mean_rows": [number + 1 for number in mean_rows(scene.n_positions)],
        "heads": [_head_report(head, at) for head in result.heads],
        "why_no_filters": why_no_filters(result.mask) or None,
        "why_no_ideal": None if result.mask.is_causal else NO_IDEAL,
    }


def _head_report(head: HeadResult, row: int) -> dict[str, object]:
    taps, ideal, _ = row_response(head, row)
    return {
        "name": head.head.name,
        "filter": filter_of(head.head, head.mask),
        "taps": taps.tolist(),
        "ideal": None if ideal is None else ideal.tolist(),
        "total_variation": [finite(value) for value in distances(head)],
        "mean_total_variation": finite(mean_distance(head)),
    }
