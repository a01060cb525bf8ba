"""The frequency responses on paper are those of the rows."""

import numpy as np
import pytest

from mhagui.document.edits import SetSequenceLength, set_gain, set_muted
from mhagui.document.response import FLAT_FILTERS
from mhagui.figures import frequency


@pytest.fixture(scope="module")
def drawn(draw, lesson):
    return lambda *edits, row=None: draw("frequency", *lesson("four-heads", *edits), row=row)


def heights(axes):
    return [line.get_ydata() for line in axes.lines]


def test_curves_are_the_transform_of_row_four(expected, drawn):
    magnitude, delay = drawn().axes
    for place, weights in enumerate(expected["four_heads"]["attention"]):
        omega = np.pi * magnitude.lines[place].get_xdata()
        lags = np.arange(3, -1, -1)
        terms = np.array(weights[3][:4])[:, None] * np.exp(-1j * np.outer(lags, omega))
        response, slope = terms.sum(axis=0), (lags[:, None] * terms).sum(axis=0)
        np.testing.assert_allclose(heights(magnitude)[place], np.abs(response), atol=1e-12)
        off_nulls = np.abs(response) > 1e-3
        wanted = (slope[off_nulls] / response[off_nulls]).real
        np.testing.assert_allclose(heights(delay)[place][off_nulls], wanted, atol=1e-9)


def test_sharp_heads_are_flat_and_that_is_said(drawn, words):
    figure = drawn(*(set_gain(uid, 300.0) for uid in (1, 2, 3)), row=5)
    magnitude, delay = figure.axes
    for place, lag in ((0, 5), (1, 1), (2, 0)):
        assert heights(magnitude)[place] == pytest.approx(1)
        assert heights(delay)[place] == pytest.approx(lag, abs=1e-9)
    assert "magnitude 1 at every frequency" in FLAT_FILTERS
    assert FLAT_FILTERS.replace("\u00a0", " ") in words(figure)
    assert "|H| at t6" in words(figure)


def test_the_row_is_the_last_of_a_short_sequence_and_mute_is_said(drawn, words):
    found = words(drawn(SetSequenceLength(2), set_muted(2, True)))
    assert {"|H| at t2", "h2 previous token (muted)", "delay (positions)"} <= found


def test_the_limit_of_the_grid_is_said_where_it_matters(drawn, words):
    long = SetSequenceLength(140)
    note = (FLAT_FILTERS + frequency.COARSE_NOTE).replace("\u00a0", " ")
    assert note in words(drawn(long, row=139))
    assert FLAT_FILTERS.replace("\u00a0", " ") in words(drawn(long, row=20))
