"""How much room a computation takes, by what Python and NumPy ask for."""

import tracemalloc

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from mhagui.document import Head, Pattern, Scene, compute
from mhagui.document.edits import SetProjectionBlock, set_gain, set_muted

NUMBER = 8  # bytes
T, D_MODEL, WIDTH = 512, 48, 8


@pytest.fixture
def scene_of():
    """Return a function that makes a scene of so many heads that attend by what they read."""

    def scene_of(n_heads, n_positions=T):
        numbers = np.random.default_rng(5)
        heads = [
            Head(
                uid,
                f"head {uid}",
                Pattern.PROJECTED,
                w_v=numbers.normal(size=(D_MODEL, WIDTH)),
                w_q=numbers.normal(size=(D_MODEL, WIDTH)),
                w_k=numbers.normal(size=(D_MODEL, WIDTH)),
            )
            for uid in range(1, n_heads + 1)
        ]
        x = numbers.normal(size=(n_positions, D_MODEL))
        w_o = numbers.normal(size=(n_heads * WIDTH, D_MODEL))
        return Scene("room", "", heads, x, w_o, d_k=WIDTH)

    return scene_of


@pytest.fixture
def peak():
    """Return a function that computes, and gives by how many bytes the memory grew meanwhile.

    In two threads at most, for each has room of its own to work in.
    """

    def peak(scene, previous=None):
        tracemalloc.start()
        try:
            with threadpool_limits(2):
                compute(scene, previous)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return peak


@pytest.mark.parametrize(("n_heads", "n_positions"), [(2, 1024), (6, 512)])
def test_a_scene_takes_at_most_two_and_a_half_times_its_weights(
    scene_of, peak, n_heads, n_positions
):
    weights = n_heads * n_positions**2 * NUMBER
    assert weights < peak(scene_of(n_heads, n_positions)) <= 2.5 * weights


@pytest.mark.parametrize(
    ("edit", "most"),
    [
        # One head's weights, and what is as long as its input or the output: no other head's.
        (set_gain(2, 1.5), T * T + 4 * T * D_MODEL),
        (set_muted(2, True), 4 * T * D_MODEL),
        (SetProjectionBlock(0, 3, np.array([[2.0]])), 4 * T * D_MODEL),
    ],
)
def test_an_edit_takes_room_for_what_it_changes_alone(scene_of, peak, edit, most):
    scene, tiles = scene_of(16), 2 * 128 * T  # that two threads work in
    result = compute(scene)
    sums = 2 * T * 16 * WIDTH  # Concat, and while it is being made
    assert peak(edit.apply(scene), result) <= NUMBER * (most + tiles + sums)


def test_the_terms_of_all_heads_are_not_stacked_unless_asked_for(scene_of):
    result = compute(scene_of(2))
    assert "terms" not in vars(result)
    assert result.terms.shape == (2, T, D_MODEL)
    assert result.terms is result.terms
