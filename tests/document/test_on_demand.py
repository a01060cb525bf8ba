"""Weights and scores that are too many to keep: the same numbers, made when they are asked for."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mhagui import core
from mhagui.data.tidy import render_data
from mhagui.document import Head, Pattern, Scene, compute, load_lesson, on_demand
from mhagui.document.edits import SetProjectionBlock, set_gain, set_muted
from mhagui.document.information import study_divergences, study_information
from mhagui.document.pipeline import row_arithmetic
from mhagui.document.response import study_responses, study_spectra
from mhagui.document.scene import MAX_HEADS
from mhagui.document.view_state import WhatIf
from mhagui.document.weight_scale import largest_weight
from mhagui.errors import UserError
from mhagui.figures import why_not

T, BLOCKS = 150, 40


@pytest.fixture
def scene():
    """Return heads of both layers that attend by content and by design, one of them uniform."""
    numbers = np.random.default_rng(11)
    given = {"w_q": numbers.normal(size=(12, 4)), "w_k": numbers.normal(size=(12, 4))}
    heads = (
        Head(1, "by content", Pattern.PROJECTED, numbers.normal(size=(12, 3)), **given),
        Head(2, "previous", Pattern.PREVIOUS_TOKEN, numbers.normal(size=(12, 3)), gain=-2.0),
        Head(3, "uniform", Pattern.UNIFORM, numbers.normal(size=(12, 3))),
        Head(4, "above", Pattern.PROJECTED, numbers.normal(size=(12, 3)), layer=2, **given),
    )
    return Scene("long", "", heads, numbers.normal(size=(T, 12)), numbers.normal(size=(12, 12)), 4)


@pytest.fixture
def kept(scene):
    return compute(scene)


@pytest.fixture
def made(scene, kept, few_kept):
    return compute(scene)


@pytest.fixture
def few_kept(monkeypatch):
    """Keep no weights of more than a few positions."""
    monkeypatch.setattr(on_demand, "MOST_KEPT", 4 * 20**2)
    monkeypatch.setattr(on_demand, "OVERVIEW", BLOCKS)


def test_everything_is_what_it_is_where_weights_are_kept(kept, made):
    for one, other in zip(kept.heads, made.heads, strict=True):
        assert isinstance(other.weights, on_demand.OnDemand)
        assert isinstance(one.weights, np.ndarray)
        for name in ("scores", "weights", "row_entropy_bits", "effective_positions", "output"):
            wanted = np.asarray(getattr(one, name))
            assert_allclose(np.asarray(getattr(other, name)), wanted, rtol=1e-9, atol=1e-12)
        assert_allclose(other.term, one.term, rtol=1e-9, atol=1e-11)
        assert other.scores_differ is one.scores_differ
    assert_allclose(made.output, kept.output, rtol=1e-9, atol=1e-10)
    assert made.filter_bank_residual <= made.residual_bound
    assert not kept.heads[2].scores_differ


def test_a_head_keeps_both_or_neither_whatever_was_before(scene, kept, few_kept):
    for head in compute(scene, kept).heads:
        assert isinstance(head.scores, on_demand.OnDemand)
        assert isinstance(head.weights, on_demand.OnDemand)


@pytest.mark.parametrize(
    "place",
    [0, -1, T - 1, (3, 2), (7, 9), slice(5, 9), (slice(3, 50), slice(20, 31)), (9, slice(10))],
)
def test_rows_cells_and_blocks_are_those_of_the_array(kept, made, place):
    for field in ("weights", "scores"):
        for one, other in zip(kept.heads, made.heads, strict=True):
            array, asked = getattr(one, field), getattr(other, field)
            assert asked.shape == array.shape
            assert len(asked) == T
            found = asked[place]
            assert np.shape(found) == np.shape(array[place])
            assert_allclose(found, array[place], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("place", [T, (0, -T - 1), slice(0, 9, 2)])
def test_what_is_not_there_is_refused(made, place):
    with pytest.raises(IndexError):
        made.heads[0].weights[place]


def test_the_overview_is_what_pooling_makes_of_the_array(kept, made):
    seen = np.arange(1, T + 1)
    for one, other in zip(kept.heads, made.heads, strict=True):
        weights = core.pool_maximum(one.weights, BLOCKS, BLOCKS)
        assert_allclose(other.weights.overview, weights, atol=1e-12)
        scores = core.pool_largest_magnitude(one.scores, BLOCKS, BLOCKS, seen=seen)
        assert_allclose(other.scores.overview, scores, atol=1e-9)
        is_seen = np.tril(np.ones((BLOCKS, BLOCKS), dtype=bool))
        assert (np.isfinite(scores) == is_seen).all()
    assert largest_weight(made) == pytest.approx(largest_weight(kept), abs=1e-12)


def test_studies_of_rows_are_the_same(scene, kept, made):
    for query in (0, 77, T - 1):
        one, other = (row_arithmetic(result, 0, query) for result in (kept, made))
        assert_allclose(other.exponentials / other.total, one.weights, rtol=1e-9)
        one, other = (study_spectra(result, query).spectra[1] for result in (kept, made))
        assert_allclose(other[0], one[0], atol=1e-9)
    one, other = (study_responses(result, 99) for result in (kept, made))
    assert_allclose(other.mean_distances, one.mean_distances, atol=1e-9)
    one, other = (study_divergences(result) for result in (kept, made))
    assert_allclose(other.bits, one.bits, atol=1e-9)


def test_a_head_that_reads_others_tells_the_same_and_is_gone_through_once(monkeypatch):
    scene = load_lesson("induction")
    kept = study_information(scene, compute(scene), 4)
    monkeypatch.setattr(on_demand, "MOST_KEPT", scene.n_heads)
    result = compute(scene)
    assert isinstance(result.heads[0].weights, on_demand.OnDemand)
    made = study_information(scene, result, 4)
    assert made.heads[1].bits == pytest.approx(kept.heads[1].bits, abs=1e-12)
    assert kept.heads[1].bits > 0.1
    again = study_information(scene, result, 4, made)
    assert all(again.steps[name] is step for name, step in made.steps.items())


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (
            set_gain(4, 2.0),
            {"weights", "positions", "term 0", "term", "weight spectrum"},
        ),
        (SetProjectionBlock(11, 0, np.array([[2.0]])), {"channels 0", "term 0", "term"}),
        (set_muted(4, True), set()),
    ],
)
def test_an_edit_redoes_no_more_than_elsewhere(scene, made, edit, wanted):
    after = compute(edit.apply(scene), made)
    steps = {step for step in after.made if step.startswith("head")}
    assert steps == {"head 4", *(f"head 4 {step}" for step in wanted)}
    assert after.heads[0].weights is made.heads[0].weights


def test_a_scene_may_grow_over_what_is_kept_and_back(scene, kept, few_kept, monkeypatch):
    made = compute(scene, kept)
    assert isinstance(made.heads[0].weights, on_demand.OnDemand)
    monkeypatch.undo()
    assert compute(scene, made).output.tobytes() == kept.output.tobytes()


def test_no_weights_of_all_heads_are_in_memory_at_any_time(scene, few_kept):
    n_positions, n_heads = 700, 8
    numbers = np.random.default_rng(3)
    heads = [replace(scene.heads[0], uid=uid) for uid in range(1, n_heads + 1)]
    x, w_o = numbers.normal(size=(n_positions, 12)), numbers.normal(size=(3 * n_heads, 12))
    long = replace(scene, heads=heads, x=x, w_o=w_o)
    tracemalloc.start()
    try:
        result = compute(long)
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    of_one = 8 * n_positions**2
    assert peak < 3 * of_one  # of sixteen, weights and scores
    assert now < of_one
    assert len(result.heads) == n_heads


def test_files_and_figures_of_all_weights_are_refused(scene, made):
    sentence = "An NPZ file holds every weight and score; with 4 heads it does for T up to 20, and "
    with pytest.raises(UserError, match=sentence):
        render_data(scene, made, "npz")
    reason = why_not("heads", made)
    assert reason == (
        "The figure “heads” draws every weight or score of 4 heads, for T up to 20; this scene has "
        "T = 150."
    )
    assert why_not("head", made) is None
    assert why_not("entropy", made) is None


def test_the_longest_scene_may_have_all_heads():
    heads = [
        Head(n, f"head {n}", Pattern.UNIFORM, np.zeros((1, 1))) for n in range(1, MAX_HEADS + 1)
    ]
    scene = Scene("largest", "", heads, np.zeros((4096, 1)), np.zeros((MAX_HEADS, 1)), d_k=1)
    assert scene.n_positions > on_demand.most_kept(MAX_HEADS) == 1024
    assert WhatIf.of(scene).n_positions == 4096
