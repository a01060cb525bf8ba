"""The edits of X and of the heads' matrices, and how a head comes by them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mhagui.document import History, Pattern, compute
from mhagui.document.edits import SetPattern, SetSequenceLength
from mhagui.document.scene_input import embedded_tokens
from mhagui.document.weight_edits import SetHeadBlock, SetInputBlock, to_pattern
from mhagui.errors import UserError

CELL = np.array([[0.5]])


def given_as(scene, pattern, *uids):
    """Return ``scene`` with heads ``uids`` of another pattern."""
    for uid in uids:
        scene = to_pattern(compute(scene), uid, pattern).apply(scene)
    return scene


# --- X


def test_a_block_of_x_is_written(four_heads):
    block = np.arange(6.0).reshape(2, 3)
    after = SetInputBlock(1, 2, block).apply(four_heads)
    wanted = np.eye(6, 8)
    wanted[1:3, 2:5] = block
    assert np.array_equal(after.x, wanted)
    assert np.array_equal(four_heads.x, np.eye(6, 8))


@pytest.mark.parametrize(("row", "column"), [(5, 0), (0, 6), (-1, 0)])
def test_a_block_that_does_not_fit_x_is_refused(four_heads, row, column):
    with pytest.raises(UserError, match=r"does not fit at .* of X, which is 6 × 8"):
        SetInputBlock(row, column, np.zeros((2, 3))).apply(four_heads)


def test_words_and_positions_in_x_are_not_overwritten(four_heads):
    tokens = ("a", "b") * 3
    x = embedded_tokens(tokens, ("a", "b"), 8, has_position_code=True)
    scene = replace(four_heads, x=x, tokens=tokens, vocabulary=("a", "b"), has_position_code=True)
    with pytest.raises(UserError, match="Columns 1 to 4 of X hold the words and positions"):
        SetInputBlock(0, 3, CELL).apply(scene)
    assert SetInputBlock(0, 4, CELL).apply(scene).x[0, 4] == 0.5


def test_edits_of_one_cell_are_one_step_and_blocks_stand_alone(four_heads):
    history = History(four_heads, clock=lambda: 0.0)
    for value in (0.1, 0.2, 0.3):
        history.do(SetInputBlock(0, 1, np.array([[value]])))
    assert history.n_steps == 1
    for value in (1.0, 2.0):
        history.do(SetInputBlock(0, 0, np.full((2, 2), value)))
    assert history.n_steps == 3
    for value in (0.1, 0.2):
        history.do(SetHeadBlock((1,), "w_v", 0, 0, np.array([[value]]), "Edit W_V"))
    history.do(SetHeadBlock((2,), "w_v", 0, 0, CELL, "Edit W_V"))
    assert history.n_steps == 5


# --- matrices of heads


def test_a_block_of_w_v_is_written_across_heads(four_heads):
    uids = tuple(head.uid for head in four_heads.heads)
    before = np.hstack([head.w_v for head in four_heads.heads])
    after = SetHeadBlock(uids, "w_v", 2, 1, np.full((2, 2), 7.0), "Paste into W_V").apply(
        four_heads
    )
    wanted = before.copy()
    wanted[2:4, 1:3] = 7.0
    assert np.array_equal(np.hstack([head.w_v for head in after.heads]), wanted)
    # so that nothing of the heads that were not written to is computed anew
    assert after.heads[3].w_v is four_heads.heads[3].w_v


@pytest.mark.parametrize("field", ["w_q", "w_k", "q", "k"])
def test_designed_heads_are_not_written_and_say_what_to_do(four_heads, field):
    how = "projected" if field.startswith("w") else "hand-set"
    with pytest.raises(UserError, match=rf"designed \(first token\); make it “{how}” to edit its"):
        SetHeadBlock((1,), field, 0, 0, CELL, "Edit").apply(four_heads)


def test_a_block_over_a_projected_and_a_designed_head_is_refused_whole(four_heads):
    scene = given_as(four_heads, Pattern.PROJECTED, 1)
    uids = tuple(head.uid for head in scene.heads)
    with pytest.raises(UserError, match="previous token"):
        SetHeadBlock(uids, "w_q", 0, 1, np.ones((1, 2)), "Paste").apply(scene)
    after = SetHeadBlock(uids, "w_q", 0, 0, np.full((1, 2), 9.0), "Paste").apply(scene)
    assert after.head(1).w_q[0].tolist() == [9.0, 9.0]
    assert after.heads[1:] == scene.heads[1:]


def test_q_of_a_projected_head_is_made_and_not_written(four_heads):
    scene = given_as(four_heads, Pattern.PROJECTED, 2)
    with pytest.raises(UserError, match="makes its Q with W_Q; edit that"):
        SetHeadBlock((2,), "q", 0, 0, CELL, "Edit").apply(scene)


def test_a_block_that_does_not_fit_a_heads_matrix_is_refused(four_heads):
    scene = given_as(four_heads, Pattern.HAND_SET, 1)
    with pytest.raises(UserError, match="does not fit at row 6, column 1 of K, which is 6 × 2"):
        SetHeadBlock((1,), "k", 5, 0, np.zeros((2, 2)), "Paste").apply(scene)


@given(st.integers(0, 5), st.integers(0, 1), st.sampled_from(["q", "k"]))
def test_a_cell_of_a_hand_set_head_moves_its_scores_alone(four_heads, row, column, field):
    scene = given_as(four_heads, Pattern.HAND_SET, 2)
    after = SetHeadBlock((2,), field, row, column, np.array([[4.5]]), "Edit").apply(scene)
    result = compute(after).heads[1]
    q, k = np.array(scene.head(2).q), np.array(scene.head(2).k)
    (q if field == "q" else k)[row, column] = 4.5
    assert_allclose(result.scores, q @ k.T / np.sqrt(2), rtol=1e-14, atol=1e-14)
    assert after.heads[0] == scene.heads[0]


# --- where Q and K come from


@pytest.mark.parametrize("pattern", [Pattern.HAND_SET, Pattern.PROJECTED])
def test_a_head_keeps_its_queries_and_keys_when_they_are_given(four_heads, pattern):
    before = compute(four_heads)
    for head in four_heads.heads:
        after = compute(given_as(four_heads, pattern, head.uid))
        place = four_heads.index_of(head.uid)
        assert after.heads[place].head.pattern is pattern
        assert np.array_equal(after.heads[place].q, before.heads[place].q)
        assert np.array_equal(after.heads[place].k, before.heads[place].k)
        assert np.array_equal(after.output, before.output)


def test_a_hand_set_head_is_projected_and_designed_again(four_heads):
    scene = given_as(given_as(four_heads, Pattern.HAND_SET, 3), Pattern.PROJECTED, 3)
    assert scene.head(3).q is None
    assert np.array_equal(scene.x @ scene.head(3).w_q, compute(four_heads).heads[2].q)
    again = given_as(scene, Pattern.SELF, 3)
    assert again.head(3).pattern is Pattern.SELF
    assert again.head(3).w_q is None
    assert isinstance(to_pattern(compute(scene), 3, Pattern.UNIFORM), SetPattern)


def test_a_head_that_x_cannot_make_is_not_projected(four_heads):
    scene = SetSequenceLength(10).apply(four_heads)
    with pytest.raises(UserError, match=r"A W_Q of head “previous token” does not exist .*queries"):
        to_pattern(compute(scene), 2, Pattern.PROJECTED)
    # the queries of the first-token head are alike, its keys are not
    with pytest.raises(UserError, match=r"A W_K of head “first token” does not exist .* keys are"):
        to_pattern(compute(scene), 1, Pattern.PROJECTED)
