"""Limits of colours: round, and of finite numbers alone."""

import numpy as np
import pytest

from mhagui.gui.widgets.colour_range import round_limit


@pytest.mark.parametrize(
    ("numbers", "limit"),
    [
        ([], 1.0),
        ([0.0, -0.0], 1.0),
        ([1.0, -3.2], 5.0),
        ([np.nan, 2.0], 2.0),
        ([np.inf, -6.0], 7.5),
        ([-np.inf, np.nan], 1.0),
        ([1e30], 1e30),
    ],
)
def test_no_finite_magnitude_is_beyond_the_limit(numbers, limit):
    assert round_limit(np.array(numbers)) == pytest.approx(limit)
    assert round_limit(np.array([0.1]), np.array(numbers, ndmin=2)) >= limit * (limit > 1)
