"""Decompositions on one BLAS thread, and as many as before when they are done."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from mhagui import core
from mhagui.document import compute


def n_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture
def several():
    """How many threads BLAS has when nobody limits it."""
    found = n_threads()
    if not found or found == {1}:
        pytest.skip("BLAS has one thread here anyway, or does not say how many")
    return found


def test_the_weights_are_decomposed_on_one_thread(four_heads, several, monkeypatch):
    seen = []

    def singular_values(weights):
        seen.append(n_threads())
        return np.ones(len(weights))

    monkeypatch.setattr(core, "singular_values", singular_values)
    for head in compute(four_heads).heads:
        assert head.effective_rank == pytest.approx(6.0)  # asked twice, decomposed once
        assert head.effective_rank == head.effective_rank
    assert seen == [{1}] * 4
    assert n_threads() == several
