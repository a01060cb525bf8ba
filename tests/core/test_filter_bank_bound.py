"""What rounding may leave of the filter-bank residual, where the terms are made their own way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.core import filter_bank_bound, filter_bank_residual, filter_bank_terms


def residual(a, x, w_v, w_o):
    return filter_bank_residual(a @ (x @ w_v), w_o, filter_bank_terms(a, x, w_v, w_o))


def a_layer(seed, sizes, dtype, *, spread=0.0):
    n_heads, t, d_model, d_v, d_out = sizes
    rng = np.random.default_rng(seed)

    def normal(*shape):
        return (rng.normal(size=shape) * np.exp(spread * rng.normal(size=shape))).astype(dtype)

    a = np.tril(rng.random((n_heads, t, t))) + np.eye(t)
    a /= a.sum(axis=-1, keepdims=True)
    layer = normal(t, d_model), normal(n_heads, d_model, d_v), normal(n_heads * d_v, d_out)
    return a.astype(dtype), *layer


@given(
    st.integers(0, 2**32),
    st.tuples(*[st.integers(1, n) for n in (3, 40, 9, 3, 3)]),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([0.0, 3.0]),
)
def test_it_bounds_the_residual(seed, sizes, dtype, spread):
    a, x, w_v, w_o = a_layer(seed, sizes, dtype, spread=spread)
    assert residual(a, x, w_v, w_o) <= filter_bank_bound(x, w_v, w_o)


@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-12])
def test_it_bounds_the_residual_of_values_that_cancel(gap):
    a, x = np.ones((1, 1, 1)), np.array([[1 / 3, 1 / 3]])
    w_v, w_o = np.array([[[0.7, 1.0], [-0.7 + gap, 0.0]]]), np.full((2, 3), 1 / 3)
    assert residual(a, x, w_v, w_o) <= filter_bank_bound(x, w_v, w_o)


def test_the_bound_of_contributions_does_not_hold_for_terms():
    a, x, w_v = np.ones((1, 1, 1)), np.ones((1, 3)), np.array([[[0.1], [0.2], [-0.3]]])
    beyond = 0
    for w_o in np.linspace(0.1, 0.9, 50).reshape(50, 1, 1):
        left = residual(a, x, w_v, w_o)
        assert left <= filter_bank_bound(x, w_v, w_o)
        concat = (a @ (x @ w_v))[0]  # of one head of width 1, so that H·d_v = 1
        beyond += left > 4 * 2.0**-52 * (np.abs(concat) @ np.abs(w_o[:1])).max()
    assert beyond > 0


def test_it_is_the_formula_of_its_documentation():
    _, x, w_v, w_o = a_layer(1, (2, 5, 4, 3, 4), np.float64)
    blocks = w_o.reshape(2, 3, 4)
    size = sum(np.abs(x) @ np.abs(w_v[h]) @ np.abs(blocks[h]) for h in range(2)).max()
    wanted = 2 * (5 + 4 + 6) * 2.0**-52 * size
    assert filter_bank_bound(x, w_v, w_o) == pytest.approx(wanted, rel=1e-12)


def test_leading_axes_give_the_largest_bound_of_all():
    _, x, w_v, w_o = a_layer(3, (2, 5, 4, 3, 4), np.float64)
    batch = np.stack([x, 3 * x, -2 * x])
    wanted = 3 * filter_bank_bound(x, w_v, w_o)
    assert filter_bank_bound(batch, w_v, w_o) == pytest.approx(wanted, rel=1e-14)


def test_it_is_of_use():
    """A wrong sign in the smallest of many cells is far above the bound."""
    a, x, w_v, w_o = a_layer(2, (4, 64, 32, 8, 32), np.float64)
    terms = filter_bank_terms(a, x, w_v, w_o)
    wrong = terms.copy()
    place = np.unravel_index(np.abs(terms).argmin(), terms.shape)
    wrong[place] = -wrong[place]
    left = filter_bank_residual(a @ (x @ w_v), w_o, wrong)
    assert left > 10 * filter_bank_bound(x, w_v, w_o)


@pytest.mark.parametrize(
    ("x", "w_v", "w_o", "message"),
    [
        (np.ones(3), np.ones((1, 3, 2)), np.ones((2, 3)), "x must have shape (..., T, d_model), g"),
        (np.ones((2, 4)), np.ones((1, 3, 2)), np.ones((2, 3)), "x must have shape (..., T, 3) to"),
        (np.ones((2, 3)), np.ones((3, 2)), np.ones((2, 3)), "w_v must have shape (..., H, d_mode"),
        (
            np.ones((2, 2, 3)),
            np.ones((3, 1, 3, 2)),
            np.ones((2, 3)),
            "x, w_v and w_o must have leading axes that broadcast",
        ),
        (
            np.ones((2, 3)),
            np.ones((1, 3, 2)),
            np.ones((3, 3)),
            "w_o must have shape (..., 2, d_mod",
        ),
        (np.full((2, 3), np.nan), np.ones((1, 3, 2)), np.ones((2, 3)), "x must be finite, got nan"),
    ],
)
def test_refusals(x, w_v, w_o, message):
    with pytest.raises(ValueError, match=r" must ") as caught:
        filter_bank_bound(x, w_v, w_o)
    assert str(caught.value).startswith(message)
