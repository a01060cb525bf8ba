"""Rows of weights beside the filters that heads approach."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mhagui.document import Pattern, compute, load_lesson
from mhagui.document.edits import (
    HandSet,
    SetPattern,
    SetSequenceLength,
    SetSetting,
    set_gain,
)
from mhagui.document.response import (
    FREQUENCIES,
    delay_range,
    distances,
    impulse_report,
    mean_distance,
    mean_rows,
    row_response,
    shown_row,
    spectra,
)

HOLD, DELAY, IDENTITY, BOX = range(4)
GRID = np.asarray(FREQUENCIES)
PATTERNS = {
    Pattern.FIRST_TOKEN: (),
    Pattern.PREVIOUS_TOKEN: (),
    Pattern.SELF: (),
    Pattern.UNIFORM: (),
    Pattern.DELAY: (3,),
    Pattern.TWO_POSITIONS: (2, 5),
    Pattern.RECENCY: (),
    Pattern.BLOCK_LOCAL: (4,),
}


def results(*edits):
    scene = load_lesson("four-heads")
    for edit in edits:
        scene = edit.apply(scene)
    return scene, compute(scene)


def delayed_by(steps):
    return SetPattern(2, Pattern.DELAY), SetSetting(2, 0, steps)


def test_the_lessons_rows_and_how_far_they_are_from_their_filters(expected):
    attention = np.array(expected["four_heads"]["attention"])
    _, result = results()
    looked_at = {HOLD: 0, DELAY: 2, IDENTITY: 3}  # by row t4
    for place, head in enumerate(result.heads):
        response = row_response(head, 3)
        np.testing.assert_allclose(response.taps, attention[place][3][:4], rtol=1e-12)
        if place in looked_at:
            key = looked_at[place]
            assert response.ideal.tolist() == np.eye(4)[key].tolist()
            assert response.distance == pytest.approx(1 - attention[place][3][key])
        else:
            assert response.ideal.tolist() == [0.25] * 4
            assert response.distance == pytest.approx(0, abs=1e-15)


def test_a_delay_has_no_ideal_before_it_reaches_back_to_t1():
    _, result = results(*delayed_by(2))
    of_rows = distances(result.heads[DELAY])
    assert np.isnan(of_rows).tolist() == [True, True, False, False, False, False]
    weights = result.heads[DELAY].weights
    assert of_rows[2:] == pytest.approx([1 - weights[t, t - 2] for t in range(2, 6)])
    assert row_response(result.heads[DELAY], 1).ideal is None


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 12), st.floats(0.2, 3), st.floats(0.1, 3))
def test_more_gain_is_never_further_from_the_ideal(n_positions, gain, more):
    length = SetSequenceLength(n_positions)
    for place in range(4):
        uid = place + 1
        less = results(length, set_gain(uid, gain))[1].heads[place]
        greater = results(length, set_gain(uid, gain + more))[1].heads[place]
        known = ~np.isnan(distances(less))
        assert (distances(greater)[known] <= distances(less)[known] + 1e-12).all()


def test_at_a_large_gain_a_head_is_its_filter():
    _, result = results(*(set_gain(uid, 200.0) for uid in (1, 2, 3)))
    for head in result.heads:
        of_rows = distances(head)
        assert np.nanmax(of_rows) < 1e-12


def test_the_report_is_of_t4_and_of_all_rows():
    scene, result = results()
    report = impulse_report(scene, result)
    assert report["t"] == 4
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    hold, delay, identity, box = report["heads"]
    assert [head["filter"] for head in report["heads"]] == [
        "first-sample hold", "unit delay z⁻¹", "identity", "growing box",
    ]  # fmt: skip
    score = math.exp(3 / math.sqrt(2))  # of t1 in the hold, beside 1 of any other key
    assert hold["taps"] == pytest.approx([score / (score + 3), *[1 / (score + 3)] * 3])
    wanted = [1 - score / (score + t - 1) for t in range(1, 7)]
    assert hold["total_variation"] == pytest.approx(wanted, abs=1e-12)
    assert hold["mean_total_variation"] == pytest.approx(sum(wanted) / 6)
    assert delay["total_variation"][0] is None
    rest = delay["total_variation"][1:]
    assert delay["mean_total_variation"] == pytest.approx(sum(rest) / 5)
    assert delay["ideal"] == [0, 0, 1, 0]
    assert identity["ideal"] == [0, 0, 0, 1]
    assert box["total_variation"] == pytest.approx([0] * 6, abs=1e-15)


def test_the_report_takes_any_row_and_says_where_there_is_no_ideal():
    scene, result = results()
    report = impulse_report(scene, result, row=0)
    assert report["t"] == 1
    assert [head["ideal"] for head in report["heads"]] == [[1], None, [1], [1]]
    assert [head["taps"] for head in report["heads"]] == [[1.0]] * 4
    scene, result = results(SetSequenceLength(2))
    assert shown_row(scene, None) == 1
    assert impulse_report(scene, result)["t"] == 2


def test_the_mean_is_over_rows_with_an_ideal_of_many_over_some():
    _, result = results(SetSequenceLength(9), *delayed_by(3))
    of_rows = [1 - head.weights[t, t - 3] for head in result.heads[1:2] for t in range(3, 9)]
    assert mean_distance(result.heads[1]) == pytest.approx(sum(of_rows) / 6)
    assert mean_rows(9) == list(range(9))
    _, result = results(SetSequenceLength(640))
    assert mean_rows(640) == list(range(9, 640, 10))
    of_rows = [1 - result.heads[HOLD].weights[t, 0] for t in range(9, 640, 10)]
    assert mean_distance(result.heads[HOLD]) == pytest.approx(sum(of_rows) / 64)


@pytest.mark.parametrize(("pattern", "settings"), PATTERNS.items())
def test_the_distances_of_all_rows_are_those_of_each(pattern, settings):
    edits = [SetPattern(2, pattern), *(SetSetting(2, *each) for each in enumerate(settings))]
    _, result = results(SetSequenceLength(150), *edits, set_gain(2, 1.5))
    head = result.heads[DELAY]
    one_by_one = [row_response(head, row).distance for row in range(150)]
    np.testing.assert_allclose(distances(head), one_by_one, rtol=1e-13, atol=1e-15)


def test_the_report_means_over_the_rows_that_are_meant_elsewhere():
    scene, result = results(SetSequenceLength(100))
    report = impulse_report(scene, result)
    assert report["mean_rows"] == [100 * number // 64 for number in range(1, 65)]
    for head, told in zip(result.heads, report["heads"], strict=True):
        every = told["total_variation"]
        known = [every[t - 1] for t in report["mean_rows"] if every[t - 1] is not None]
        assert told["mean_total_variation"] == pytest.approx(np.mean(known), abs=1e-15)
        assert told["mean_total_variation"] == mean_distance(head)


def test_a_head_that_is_not_designed_approaches_no_filter():
    numbers = np.random.default_rng(5)
    q, k = numbers.normal(size=(2, 6, 2))
    scene, result = results(HandSet(1, q, k))
    head = impulse_report(scene, result)["heads"][0]
    assert head["ideal"] is None
    assert head["total_variation"] == [None] * 6
    assert head["mean_total_variation"] is None
    assert len(head["taps"]) == 4


def test_hold_delay_and_identity_are_flat_and_differ_in_delay_alone():
    _, result = results(*delayed_by(2), *(set_gain(uid, 200.0) for uid in (1, 2, 3)))
    hold, delay, identity, box = spectra(result.heads, 4)  # t5
    for spectrum, lag in ((hold, 4), (delay, 2), (identity, 0)):
        np.testing.assert_allclose(spectrum.magnitude, 1, rtol=1e-9)
        np.testing.assert_allclose(spectrum.delay, lag, atol=1e-9)
    inside = GRID[1:-1]
    sinc = np.abs(np.sin(5 * inside / 2) / (5 * np.sin(inside / 2)))
    np.testing.assert_allclose(box.magnitude[1:-1], sinc, atol=1e-14)
    np.testing.assert_allclose(box.delay, 2, rtol=1e-6)


def test_frequencies_go_from_0_to_half_a_cycle_per_position():
    assert (GRID[0], GRID[-1]) == (0, math.pi)
    assert np.diff(GRID) == pytest.approx(math.pi / (len(GRID) - 1))


@pytest.mark.parametrize("row", [0, 1, 7])
def test_every_ideal_delay_is_inside_the_range_that_is_shown(row):
    low, high = delay_range(row)
    assert low < 0
    assert high > row
