"""Distances between rows of weights, and the rows as filters."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.core import (
    frequency_response,
    group_delay,
    total_variation,
    weights_from_scores,
)

relaxed = settings(deadline=None)
ROWS = hnp.arrays(np.float64, (2, 6), elements=st.floats(-30, 30))
GRID = np.linspace(0, math.pi, 41)


def softmax(scores):
    return weights_from_scores(scores, mask=None)


def one_tap(n, lag):
    taps = np.zeros(n)
    taps[n - 1 - lag] = 1.0
    return taps


# --- total variation


def test_distances_by_hand():
    p = [[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]]
    q = [[0, 0, 1], [0.5, 0.5, 0], [0.5, 0.25, 0.25]]
    assert total_variation(p, q).tolist() == [1.0, 0.0, 0.25]
    assert total_variation([1.0, 0.0], [0.75, 0.25]) == 0.25


def test_distance_to_a_single_position_is_the_weight_elsewhere():
    weights = softmax(np.random.default_rng(1).normal(size=(5, 7)))
    for key in range(7):
        assert_allclose(total_variation(weights, np.eye(7)[key]), 1 - weights[:, key], atol=1e-15)


@relaxed
@given(ROWS, ROWS)
def test_a_distance_is_a_metric_from_0_to_1(scores, others):
    p, q, middle = softmax(scores), softmax(others), softmax((scores + others) / 2)
    distance = total_variation(p, q)
    assert ((distance >= 0) & (distance <= 1 + 1e-15)).all()
    assert_array_equal(distance, total_variation(q, p))
    assert_array_equal(total_variation(p, p), 0)
    assert (distance <= total_variation(p, middle) + total_variation(middle, q) + 1e-15).all()
    # No set of positions tells the rows apart better than by their distance.
    gains = np.maximum(p - q, 0).sum(axis=-1)
    assert_allclose(distance, gains, atol=1e-14)


def test_leading_axes_broadcast():
    p, q = np.full((2, 1, 4), 0.25), np.broadcast_to(np.eye(4)[0], (3, 4))
    assert_allclose(total_variation(p, q), np.full((2, 3), 0.75))


# --- frequency response


@pytest.mark.parametrize("lag", [0, 1, 2, 5])
def test_one_tap_is_flat_and_only_delays(lag):
    taps = one_tap(6, lag)
    assert_allclose(np.abs(frequency_response(taps, GRID)), 1.0, rtol=1e-14)
    assert_allclose(group_delay(taps, GRID), lag, atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 4, 7, 33])
def test_a_box_is_the_periodic_sinc_and_delays_by_half(n):
    omega = GRID[1:-1] + 0.001  # none of them a null
    box = np.full(n, 1 / n)
    wanted = np.abs(np.sin(n * omega / 2) / (n * np.sin(omega / 2)))
    assert_allclose(np.abs(frequency_response(box, omega)), wanted, atol=1e-14)
    assert_allclose(group_delay(box, omega), (n - 1) / 2, rtol=1e-9, atol=1e-12)


def test_a_null_has_no_delay():
    nulls = 2 * np.pi * np.arange(1, 4) / 8
    box = np.full(8, 1 / 8)
    assert_allclose(np.abs(frequency_response(box, nulls)), 0, atol=1e-15)
    assert np.isnan(group_delay(box, nulls)).all()
    assert np.isnan(group_delay(np.zeros(3), GRID)).all()


@relaxed
@given(hnp.arrays(np.float64, (9,), elements=st.floats(-4, 4)), st.floats(0, math.pi))
def test_the_response_is_the_sum_term_by_term(scores, omega):
    taps = softmax(scores[None])[0]
    wanted = sum(tap * cmath.exp(-1j * omega * (8 - i)) for i, tap in enumerate(taps))
    (found,) = frequency_response(taps, [omega])
    assert found == pytest.approx(wanted, abs=1e-14)
    assert abs(found) <= 1 + 1e-14


def test_every_row_passes_what_does_not_change():
    taps = softmax(np.random.default_rng(2).normal(size=(3, 4, 50)))
    assert_allclose(frequency_response(taps, [0.0]), np.ones((3, 4, 1)), rtol=1e-14)
    mean_lag = (taps * np.arange(49, -1, -1)).sum(axis=-1)
    assert_allclose(group_delay(taps, [0.0])[..., 0], mean_lag, rtol=1e-13)


@relaxed
@given(hnp.arrays(np.float64, (6,), elements=st.floats(-2, 2)), st.floats(0.1, 3.0))
def test_group_delay_is_minus_the_slope_of_the_phase(scores, omega):
    taps = softmax(scores[None])[0] + one_tap(6, 1)  # one tap outweighs the rest: no null
    step = 1e-5
    before, after = frequency_response(taps, [omega - step, omega + step])
    slope = cmath.phase(after / before) / (2 * step)
    assert group_delay(taps, [omega])[0] == pytest.approx(-slope, abs=1e-6)


def test_long_rows_keep_their_precision():
    n = 4096
    taps = softmax(np.random.default_rng(3).normal(size=(1, n)))[0]
    by_fft = np.fft.rfft(taps[::-1], 2 * n)  # at multiples of pi / n
    at = np.arange(0, n + 1, 97)
    found = frequency_response(taps, np.pi * at / n)
    assert_allclose(found, by_fft[at], atol=1e-12)


def test_single_precision_stays_single():
    taps = np.full(4, 0.25, dtype=np.float32)
    assert frequency_response(taps, GRID).dtype == np.complex64
    assert group_delay(taps, GRID).dtype == np.float32
    assert total_variation(taps, taps).dtype == np.float32


# --- refusals


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: total_variation(0.5, [1.0]),
            r"p must have shape \(..., N\) with N at least 1, got shape \(\).",
        ),
        (
            lambda: total_variation([1.0], [0.5, 0.5]),
            r"q must have shape \(..., 1\) to match p, got shape \(2,\).",
        ),
        (
            lambda: total_variation(np.ones((2, 3)), np.ones((4, 3))),
            r"p and q must have leading axes that broadcast, got \(2,\) and \(4,\).",
        ),
        (lambda: total_variation([math.nan], [1.0]), r"p must be finite, got nan at index \(0,\)."),
        (
            lambda: frequency_response([], GRID),
            r"taps must have shape \(..., N\) with N at least 1, got shape \(0,\).",
        ),
        (
            lambda: group_delay([1.0], 0.5),
            r"frequencies must have shape \(F,\), got shape \(\).",
        ),
        (
            lambda: frequency_response([1.0], [math.inf]),
            r"frequencies must be finite, got inf at index \(0,\).",
        ),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        call()


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e308])
def test_the_delay_does_not_depend_on_the_size_of_the_taps(size):
    found = group_delay(np.full(4, size), [0.0, 1.0])
    assert found == pytest.approx([1.5, 1.5])  # a box of four taps


def test_what_overflows_is_refused_by_name():
    with pytest.raises(ValueError, match="taps and frequencies must be smaller: the response"):
        frequency_response(np.full(4, 1e308), [0.0])
    with pytest.raises(ValueError, match="the response overflows complex64"):
        frequency_response(np.full(4, 3e38, np.float32), [0.0])
    for respond in (frequency_response, group_delay):
        with pytest.raises(ValueError, match="frequencies must be smaller"):
            respond([1.0, 2.0, 3.0, 4.0], [1e308])
    with pytest.raises(ValueError, match="p and q must be smaller: their distance"):
        total_variation(np.full(3, 1e308), np.full(3, -1e308))
