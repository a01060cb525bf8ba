"""Weights asked for row by row, scaled and told."""

import math

import numpy as np
import pytest

from mhagui.core import queries_and_keys_for
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.target import asked_rows, fit_text, why_not_by_rows
from mhagui.errors import UserError


def test_rows_are_scaled_and_empty_ones_are_free():
    nan = math.nan
    asked = asked_rows(np.array([[nan, nan, nan], [1.0, 3.0, nan], [nan, 2.0, nan]]))
    np.testing.assert_array_equal(asked, [[nan, nan, nan], [0.25, 0.75, 0], [0, 1, 0]])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e308, 1e-320])
def test_rows_of_any_size_are_scaled(size):
    asked = asked_rows(np.array([[size, math.nan], [size, size]]))
    np.testing.assert_array_equal(asked, [[1, 0], [0.5, 0.5]])


def test_a_row_of_zeros_asks_for_nothing():
    with pytest.raises(UserError, match=r"^Row t2 asks for nothing; give it a weight above 0\.$"):
        asked_rows(np.array([[1.0, 0.0], [0.0, 0.0]]))


def test_the_verdict_names_the_row_and_the_width_that_would_do():
    asked = np.full((6, 6), math.nan)
    asked[4, :], asked[5, :] = [0.6, 0.1, 0.1, 0.1, 0.1, 0], [0.1, 0.6, 0.1, 0.1, 0.05, 0.05]
    fit = queries_and_keys_for(asked, 1)
    missed = f"row t{fit.worst_row + 1} by {fit.largest_error:.2f}"
    assert fit_text(fit, 1) == f"Nearest found misses {missed}; d_k = 2 would do."
    none = fit._replace(d_k_needed=None)
    assert fit_text(none, 1).endswith(f"{missed}; no larger d_k was found that would do.")
    near = fit._replace(largest_error=0.0041)
    assert fit_text(near, 1) == "Found with d_k = 1: every given weight is met within 0.005."


def test_long_sequences_are_refused_with_the_reason():
    assert why_not_by_rows(64) == ""
    window = MaskRule(MaskKind.SLIDING, 2)
    assert why_not_by_rows(6, window).endswith("this one is sliding window of 2 keys")
    assert why_not_by_rows(65) == "Rows of at most 64 positions can be asked for; T is 65"
