"""The presets of W_O, and why one cannot be had."""

from dataclasses import replace

import numpy as np
import pytest

from mhagui.document import History, Pattern, load_lesson
from mhagui.document.edits import AddHead, RemoveHead, SetProjectionBlock
from mhagui.document.presets import Preset, SetPreset, is_preset, preset_matrix, why_not
from mhagui.errors import UserError

SQUARE = [Preset.IDENTITY, Preset.SWAP, Preset.RANDOM_ORTHOGONAL]


@pytest.fixture
def two():
    return load_lesson("two-heads")


@pytest.fixture
def four():
    return load_lesson("four-heads")


@pytest.fixture
def wide(four):
    """Five heads: W_O is 10 × 8."""
    return AddHead(Pattern.SELF).apply(four)


def test_lesson_brings_back_the_w_o_of_the_lesson(two):
    changed = SetProjectionBlock(0, 0, np.full((4, 4), 7.0)).apply(two)
    lesson = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, -1, 0], [0, 0, 0, 1]]
    assert preset_matrix(Preset.LESSON, changed).tolist() == lesson


def test_swap_of_two_heads_is_the_permutation_of_exercise_1(two):
    swap = [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert preset_matrix(Preset.SWAP, two).tolist() == swap


def test_swap_of_four_heads_reverses_their_order_and_keeps_each_block(four):
    concat = np.arange(8.0)[None, :]  # head h holds 2h and 2h + 1
    assert (concat @ preset_matrix(Preset.SWAP, four)).tolist() == [[6, 7, 4, 5, 2, 3, 0, 1]]


def test_identity_and_zero(four):
    assert preset_matrix(Preset.IDENTITY, four).tolist() == np.identity(8).tolist()
    assert not preset_matrix(Preset.ZERO, four).any()


def test_a_preset_is_known_again(two, wide):
    for preset in (Preset.IDENTITY, Preset.SWAP, Preset.ZERO):
        scene = SetPreset(preset).apply(two)
        assert [one for one in Preset if is_preset(one, scene)] == [preset]
    assert is_preset(Preset.LESSON, two)
    assert not is_preset(Preset.IDENTITY, wide)  # which has none


def test_random_orthogonal_is_orthogonal_and_the_seeds_own(four):
    one, again, other = (preset_matrix(Preset.RANDOM_ORTHOGONAL, four, s) for s in (3, 3, 4))
    np.testing.assert_allclose(one.T @ one, np.identity(8), atol=1e-14)
    assert one.tobytes() == again.tobytes()
    assert np.abs(one - other).max() > 0.1


def test_random_orthogonal_favours_no_sign(two):
    drawn = np.array([preset_matrix(Preset.RANDOM_ORTHOGONAL, two, seed) for seed in range(400)])
    # Each entry has mean 0 and standard deviation 1/2; 400 draws bring the mean's down to 0.025.
    assert np.abs(drawn.mean(axis=0)).max() < 0.13
    assert 120 < (np.linalg.det(drawn) > 0).sum() < 280


@pytest.mark.parametrize("preset", SQUARE)
def test_what_needs_a_square_says_so(preset, wide):
    reason = f"W_O is 10 × 8: {preset.value} needs as many rows as columns."
    assert why_not(preset, wide) == reason
    with pytest.raises(UserError) as refusal:
        SetPreset(preset).apply(wide)
    assert str(refusal.value) == reason


def test_zero_needs_no_square(wide):
    assert why_not(Preset.ZERO, wide) is None
    assert preset_matrix(Preset.ZERO, wide).shape == (10, 8)


def test_one_head_has_nothing_to_swap(two):
    one = RemoveHead(two.heads[1].uid).apply(two)
    one = replace(
        one,
        heads=(replace(one.heads[0], w_v=np.identity(4)),),
        w_o=np.identity(4),
    )
    assert why_not(Preset.SWAP, one) == "There is one head: swapping head blocks needs two or more."
    assert why_not(Preset.IDENTITY, one) is None


def test_lesson_is_for_the_scenes_of_lessons(four, wide):
    assert why_not(Preset.LESSON, four) is None
    assert why_not(Preset.LESSON, wide) == "W_O is 10 × 8: that of the lesson is 8 × 8."
    mine = replace(four, title="mine")
    assert why_not(Preset.LESSON, mine) == (
        "“mine” is not one of the lessons: four heads, two heads, content and position, induction."
    )


@pytest.mark.parametrize("preset", Preset)
def test_a_preset_is_one_undo_step_with_its_name(preset, four):
    history = History(SetProjectionBlock(0, 0, np.full((8, 8), 7.0)).apply(four))
    before = history.scene
    history.do(SetPreset(preset, seed=5))
    assert preset.value in history.undo_text
    assert history.n_steps == 1
    history.undo()
    assert history.scene.w_o.tobytes() == before.w_o.tobytes()


def test_the_undo_text_of_the_random_one_names_its_seed():
    assert SetPreset(Preset.RANDOM_ORTHOGONAL, seed=5).text == (
        "Set W_O to random orthogonal (seed 5)"
    )
