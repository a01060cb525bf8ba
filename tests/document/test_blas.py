"""Decompositions on one BLAS thread, and as many as before when they are done."""

import numpy as np
import pytest

from mhagui import core
from mhagui.document import compute


def test_the_weights_are_decomposed_on_one_thread(four_heads, blas_threads, monkeypatch):
    seen, several = [], blas_threads()

    def singular_values(weights):
        seen.append(blas_threads())
        return np.ones(len(weights))

    monkeypatch.setattr(core, "singular_values", singular_values)
    for head in compute(four_heads).heads:
        assert head.effective_rank == pytest.approx(6.0)  # asked twice, decomposed once
        assert head.effective_rank == head.effective_rank
    assert seen == [{1}] * 4
    assert blas_threads() == several
