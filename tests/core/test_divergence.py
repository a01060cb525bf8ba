"""The Jensen–Shannon divergence against closed forms and its properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui import core


def rows(seed, count=3, width=5):
    return np.random.default_rng(seed).dirichlet(np.ones(width), size=count)


def test_the_same_rows_have_none_and_rows_with_no_key_in_common_one_bit():
    one = np.array([[1.0, 0.0], [0.3, 0.7]])
    assert core.jensen_shannon_bits(one, one).tolist() == [0.0, 0.0]
    assert core.jensen_shannon_bits([[1.0, 0.0]], [[0.0, 1.0]]).tolist() == [1.0]


def test_a_certain_row_against_a_fair_one():
    # m = (3/4, 1/4): H(m) − 1/2, H(m) = 2 − 3/4 log2 3
    wanted = 1.5 - 0.75 * math.log2(3)
    assert core.jensen_shannon_bits([[1.0, 0.0]], [[0.5, 0.5]])[0] == pytest.approx(wanted)


@given(st.integers(0, 2**32 - 1))
def test_it_is_the_mean_divergence_from_the_middle_and_symmetric(seed):
    p, q = rows(seed), rows(seed + 1)
    middle = (p + q) / 2
    from_middle = [np.sum(x * np.log2(x / middle), axis=-1) for x in (p, q)]
    found = core.jensen_shannon_bits(p, q)
    assert found == pytest.approx((from_middle[0] + from_middle[1]) / 2, abs=1e-12)
    assert found == pytest.approx(core.jensen_shannon_bits(q, p), abs=1e-15)
    assert ((found >= 0) & (found <= 1)).all()


def test_leading_axes_give_all_pairs():
    a = np.stack([rows(1), rows(2)])
    pairs = core.jensen_shannon_bits(a[:, None], a)
    assert pairs.shape == (2, 2, 3)
    assert pairs[0, 1] == pytest.approx(core.jensen_shannon_bits(a[0], a[1]))


def test_a_row_without_weight_has_no_divergence():
    assert np.isnan(core.jensen_shannon_bits([[0.0, 0.0]], [[1.0, 0.0]]))[0]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="other must have shape"):
        core.jensen_shannon_bits([[1.0, 0.0]], [[1.0]])
    with pytest.raises(ValueError, match="leading axes that broadcast"):
        core.jensen_shannon_bits(np.ones((2, 1, 1)), np.ones((3, 1, 1)))
    with pytest.raises(ValueError, match=r"one must hold weights within 0\.\.1, got -1\.0"):
        core.jensen_shannon_bits([[2.0, -1.0]], [[1.0, 0.0]])
    with pytest.raises(ValueError, match=r"other must hold weights within 0\.\.1, got NaN"):
        core.jensen_shannon_bits([[1.0]], [[math.nan]])
