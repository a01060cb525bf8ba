"""The stages of a head, and the arithmetic of one row of its weights."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetSequenceLength, set_gain, set_muted
from mhagui.document.pipeline import (
    GAINED,
    MASKED,
    MIXED,
    PRODUCT,
    PROJECTED,
    SCALED,
    SOFTMAX,
    STAGES,
    row_arithmetic,
    study_stage,
)

PREVIOUS = 1  # the lesson's second head


def lesson(*edits):
    scene = load_lesson("four-heads")
    for edit in edits:
        scene = edit.apply(scene)
    return scene, compute(scene)


def stage(number, *edits, place=PREVIOUS):
    return study_stage(*lesson(*edits), place, number).matrices


# ------------------------------------------------------------------------------------- the stages


def test_each_stage_begins_with_what_the_one_before_it_made():
    scene, result = lesson(set_gain(2, 1.5))
    for number in range(SCALED, MIXED + 1):
        made = study_stage(scene, result, PREVIOUS, number - 1).matrices[-1]
        taken = study_stage(scene, result, PREVIOUS, number).matrices[0]
        assert_array_equal(made.values, taken.values)
        assert made.allowed is taken.allowed
    mixed = study_stage(scene, result, PREVIOUS, MIXED).matrices[-1]
    assert_array_equal(
        mixed.values, study_stage(scene, result, PREVIOUS, PROJECTED).matrices[0].values
    )


def test_products_are_what_the_lesson_designed():
    q, k_turned, product = stage(PRODUCT)
    # q_t and k_i of the lesson lie on a circle of radius 3: q_t at 2π(t − 1)/T, k_i at 2πi/T
    angles = 2 * math.pi * np.arange(6) / 6
    assert_allclose(product.values, 9 * np.cos((angles - angles[1])[:, None] - angles), atol=1e-13)
    assert_allclose(q.values @ k_turned.values, product.values, atol=1e-13)


def test_scaling_and_gain_are_factors_on_the_products():
    before, after = stage(SCALED, set_gain(2, -1.5))
    assert_allclose(after.values, before.values / math.sqrt(2), rtol=1e-15)
    scores, gained = stage(GAINED, set_gain(2, -1.5))
    assert_allclose(gained.values, -1.5 * scores.values, rtol=1e-15)


def test_the_mask_hides_later_keys_and_changes_no_number():
    before, after = stage(MASKED)
    assert before.values is after.values
    assert before.allowed is None
    assert_array_equal(after.allowed, np.tri(6, dtype=bool))


def test_the_last_stage_is_what_the_head_adds_even_where_it_is_ablated():
    output, block, term = stage(PROJECTED, set_muted(2, True))
    assert block.values.shape == (2, 8)
    assert_allclose(term.values, output.values @ block.values, atol=1e-15)
    assert np.abs(term.values).max() > 0.5


def test_a_gain_leaves_what_comes_before_it_the_very_same():
    scene, before = lesson()
    for number in range(len(STAGES)):
        first = study_stage(scene, before, PREVIOUS, number)
        edited = set_gain(2, 2.0).apply(scene)
        after = compute(edited, before)
        second = study_stage(edited, after, PREVIOUS, number, first)
        both = zip(first.matrices, second.matrices, strict=True)
        same = [one.values is other.values for one, other in both]
        wanted = {GAINED: [True, False], MASKED: [False, False], SOFTMAX: [False, False]}
        wanted |= {MIXED: [False, True, False], PROJECTED: [False, True, False]}
        assert same == wanted.get(number, [True] * len(same)), number


def test_a_gain_as_large_as_numbers_are_leaves_finite_numbers():
    *_, gained = stage(GAINED, set_gain(2, 1.7e308))
    assert np.isfinite(gained.values).all()
    assert gained.values.max() == np.finfo(float).max


# -------------------------------------------------------------------------- the arithmetic of a row


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 12),
    st.integers(0, 3),
    st.floats(-40, 40) | st.just(0.0),
    st.data(),
)
def test_the_arithmetic_gives_the_weights_of_the_result(n_positions, place, gain, data):
    scene = SetSequenceLength(n_positions).apply(load_lesson("four-heads"))
    result = compute(set_gain(place + 1, gain).apply(scene))
    query = data.draw(st.integers(0, n_positions - 1))
    row = row_arithmetic(result, place, query)
    rounding = 16 * np.finfo(float).eps * (1 + np.abs(row.gained).max())
    assert_allclose(row.exponentials / row.total, row.weights, rtol=rounding)
    assert_array_equal(row.weights, result.heads[place].weights[query])
    seen = slice(0, query + 1)
    assert_allclose(row.gained, gain * row.products / row.root, atol=1e-12)
    assert_allclose(row.exponents[seen], row.gained[seen] - row.gained[seen].max(), atol=1e-12)
    assert row.gained[row.largest] == pytest.approx(row.gained[seen].max(), abs=1e-12)
    assert_array_equal(row.exponents[query + 1 :], -np.inf)


def test_the_lessons_cell():
    row = row_arithmetic(lesson()[1], PREVIOUS, 3)
    # query t4 points where key t3 lies: 3·3; its neighbours are 60° off, t1 is 120° off
    assert_allclose(row.products[:4], [-4.5, 4.5, 9, 4.5], atol=1e-13)
    assert row.scores[2] == pytest.approx(9 / math.sqrt(2))
    less = (9 - 4.5) / math.sqrt(2)
    total = 1 + 2 * math.exp(-less) + math.exp(-3 * less)
    assert row.total == pytest.approx(total)
    assert row.weights[2] == pytest.approx(1 / total)


def test_keys_that_tie_and_products_feature_by_feature():
    row = row_arithmetic(lesson()[1], PREVIOUS, 3)
    assert row.n_allowed == 4
    assert row.ties.tolist() == [False, False, True, False, False, False]
    # query t4 and key t2 are points of a circle of radius 3 at 180° and 120°
    wanted = [9 * math.cos(math.pi) * math.cos(2 * math.pi / 3), 0]
    assert_allclose(row.feature_products(1), wanted, atol=1e-14)
    alike = row_arithmetic(lesson()[1], 3, 4)  # of the uniform head
    assert alike.ties.tolist() == [True] * 5 + [False]


@pytest.mark.parametrize(
    ("key", "neighbours"), [(0, (0, 1, 2)), (2, (1, 2, 3)), (5, (2, 4, 5)), (4, (2, 3, 4, 5))]
)
def test_neighbours_are_beside_the_cell_and_the_largest(key, neighbours):
    assert row_arithmetic(lesson()[1], PREVIOUS, 3).neighbours(key) == neighbours


def test_a_row_of_one_position_is_its_own_neighbour():
    scene, result = lesson(SetSequenceLength(1))
    assert row_arithmetic(result, 0, 0).neighbours(0) == (0,)
    assert scene.n_positions == 1


def test_wide_heads_have_their_own_root():
    scene = replace(load_lesson("four-heads"), d_k=16)
    row = row_arithmetic(compute(scene), PREVIOUS, 3)
    assert row.root == 4
    assert_allclose(row.scores, row.products / 4, atol=1e-15)


def test_the_arithmetic_of_a_row_keeps_no_matrix_alive():
    _, result = lesson()
    row = row_arithmetic(result, PREVIOUS, 3)
    matrices = (result.allowed, result.heads[PREVIOUS].scores, result.heads[PREVIOUS].weights)
    for part in (row.allowed, row.scores, row.weights):
        assert not any(np.shares_memory(part, matrix) for matrix in matrices)
