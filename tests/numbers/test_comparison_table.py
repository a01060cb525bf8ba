"""Two heads compared, as CSV: every number comes back to the last bit."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.data import tidy
from mhagui.data.comparison_table import comparison_csv
from mhagui.document.capture import CapturedLayer
from mhagui.document.captured_comparison import compare
from mhagui.errors import UserError


def table_of(one, other, heads=(0, 0)):
    layers = (CapturedLayer(0, given=np.array(weights)) for weights in (one, other))
    comparison = compare(*layers, heads)
    text = comparison_csv(comparison).decode()
    return comparison, list(csv.DictReader(io.StringIO(text, newline="")))


@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.integers(1, 5), st.integers(1, 7)),
    kind=st.sampled_from([np.float32, np.float64]),
)
def test_numbers_come_back_to_the_last_bit(seed, shape, kind):
    rng = np.random.default_rng(seed)
    one, other = (rng.dirichlet(np.ones(shape[1]), (2, shape[0])).astype(kind) for _ in range(2))
    comparison, rows = table_of(one, other, (1, 0))
    assert [(int(row["t"]), int(row["i"])) for row in rows] == [
        (t, i) for t in range(1, shape[0] + 1) for i in range(1, shape[1] + 1)
    ]
    for name, expected in (("weight_a", one[1]), ("weight_b", other[0])):
        assert np.array_equal([kind(row[name]) for row in rows], expected.ravel())
    bits = np.array([float(row["row_jensen_shannon_bits"]) for row in rows]).reshape(shape)
    assert np.array_equal(bits, np.broadcast_to(comparison.divergences[0][:, None], shape))


def test_what_is_not_defined_is_empty():
    one = [[[1.0, 0.0], [np.nan, 0.5]]]
    _, rows = table_of(one, [[[0.0, 1.0], [0.5, 0.5]]])
    assert [row["row_jensen_shannon_bits"] for row in rows] == ["1.0", "1.0", "", ""]
    assert [row["weight_a"] for row in rows] == ["1.0", "0.0", "", "0.5"]
    assert [row["difference"] for row in rows] == ["-1.0", "1.0", "", "0.0"]


def test_too_many_are_refused_with_the_numbers(monkeypatch):
    monkeypatch.setattr("mhagui.data.comparison_table.MAX_WEIGHTS_AS_TEXT", 8)
    with pytest.raises(UserError, match=r"3 × 3 .* 8"):
        table_of(np.eye(3)[None], np.eye(3)[None])
    assert tidy.MAX_WEIGHTS_AS_TEXT > 2**20
