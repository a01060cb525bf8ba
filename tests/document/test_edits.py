import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mhagui.document import Head, Pattern, Scene, compute, scene_to_json
from mhagui.document.edits import (
    AddHead,
    DuplicateHead,
    HandSet,
    MoveHead,
    OpenScene,
    RemoveHead,
    SetMasterGain,
    SetPattern,
    SetProjectionBlock,
    SetSequenceLength,
    rename_head,
    set_gain,
    set_key_magnitude,
    set_muted,
    set_soloed,
)
from mhagui.document.token_edits import DragTokens, MoveToken, RepeatToken, SetTokens, SwapTokens
from mhagui.document.weight_edits import SetHeadBlock, SetInputBlock
from mhagui.errors import UserError

EDITS_OF_X = (
    SetSequenceLength, SetInputBlock, SwapTokens, MoveToken, RepeatToken, SetTokens, DragTokens,
)  # fmt: skip


@given(st.data())
def test_no_edit_touches_the_scene_it_is_given(scenes, draw_edit, data):
    scene = data.draw(scenes)
    before = scene_to_json(scene)
    draw_edit(data.draw, scene).apply(scene)
    assert scene_to_json(scene) == before


@given(st.data())
def test_edits_share_what_they_do_not_change(scenes, draw_edit, data):
    scene = data.draw(scenes)
    edit = draw_edit(data.draw, scene)
    after = edit.apply(scene)
    if not isinstance(edit, OpenScene):
        assert after.x is scene.x or isinstance(edit, EDITS_OF_X)
    if not isinstance(edit, OpenScene | SetHeadBlock):
        kept = {head.uid: head.w_v for head in after.heads}
        assert all(kept.get(head.uid, head.w_v) is head.w_v for head in scene.heads)


# ----------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("value", [0.0, -2.5, 1e300, np.float32(0.5), np.int64(3), True])
def test_gain_can_be_any_finite_number(four_heads, value):
    after = set_gain(2, value).apply(four_heads)
    assert [head.gain for head in after.heads] == [1.0, float(value), 1.0, 1.0]
    assert type(after.heads[1].gain) is float
    assert replace(after, heads=four_heads.heads) == four_heads


def test_key_magnitude_is_the_length_of_the_keys(four_heads):
    after = set_key_magnitude(1, 6).apply(four_heads)
    assert compute(after).heads[0].k[0].tolist() == [6.0, 0.0]


def test_master_gain_multiplies_every_gain(four_heads):
    after = SetMasterGain(0.5).apply(set_gain(2, 4.0).apply(four_heads))
    assert [head.gain for head in compute(after).heads] == [0.5, 2.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (
            set_gain(2, math.nan),
            "The gain of head “previous token” must be a finite number; got nan.",
        ),
        (set_gain(9, 1.0), "There is no head 9 in this scene."),
        (
            set_key_magnitude(2, -1.0),
            "The key magnitude of head “previous token” must be a number from 0 to 1e+30; "
            "got -1.0.",
        ),
        (SetMasterGain(math.inf), "The master gain must be a finite number; got inf."),
        (rename_head(2, "  "), "A head's name needs 1 to 60 printable characters; got 0: ''."),
        (
            SetSequenceLength(2.5),
            "The sequence length T must be a whole number from 1 to 4096; got 2.5.",
        ),
        (
            SetSequenceLength(0),
            "The sequence length T must be a whole number from 1 to 4096; got 0.",
        ),
        (MoveHead(2, 4), "A head can move to places 1 to 4; got 5."),
        (MoveHead(2, -1), "A head can move to places 1 to 4; got 0."),
        (
            SetProjectionBlock(0, 0, np.array([[0.0, math.nan]])),
            "W_O must hold numbers from -1e+30 to 1e+30; row 1, column 2 is nan.",
        ),
        (
            SetProjectionBlock(7, 6, np.array([[-math.inf]])),
            "W_O must hold numbers from -1e+30 to 1e+30; row 8, column 7 is -inf.",
        ),
        (
            SetProjectionBlock(7, 7, np.ones((1, 2))),
            "A block of 1 × 2 does not fit at row 8, column 8 of W_O, which is 8 × 8.",
        ),
        (
            SetProjectionBlock(-1, 0, np.ones((1, 1))),
            "A block of 1 × 1 does not fit at row 0, column 1 of W_O, which is 8 × 8.",
        ),
        (
            SetProjectionBlock(0, 0, np.ones(3)),
            "A block of W_O has rows and columns; got 1 dimensions.",
        ),
    ],
)
def test_refusals_are_one_sentence(four_heads, edit, sentence):
    with pytest.raises(UserError) as caught:
        edit.apply(four_heads)
    assert str(caught.value) == sentence


# --------------------------------------------------------------------------------- names, switches


def test_renaming_strips_blanks(four_heads):
    assert rename_head(2, "  unit delay ").apply(four_heads).heads[1].name == "unit delay"


def test_muting_and_soloing(four_heads):
    assert set_muted(2, True).apply(four_heads).active == (True, False, True, True)
    soloed = set_soloed(2, True).apply(four_heads)
    assert soloed.active == (False, True, False, False)
    assert set_soloed(2, False).apply(soloed) == four_heads


def test_what_an_edit_is_called_says_which_way_it_goes():
    assert [set_muted(1, on).text for on in (True, False)] == ["Mute head", "Unmute head"]
    assert [set_soloed(1, on).text for on in (True, False)] == ["Solo head", "End solo"]


def test_a_name_that_was_the_patterns_follows_the_pattern(four_heads):
    after = SetPattern(2, Pattern.SELF).apply(four_heads)
    assert (after.heads[1].name, after.heads[1].pattern) == ("self", Pattern.SELF)


def test_a_name_of_the_users_own_stays(four_heads):
    named = rename_head(2, "mine").apply(four_heads)
    assert SetPattern(2, Pattern.SELF).apply(named).heads[1].name == "mine"


def test_a_new_pattern_has_its_own_queries_and_the_heads_gain_and_keys(four_heads):
    head = set_key_magnitude(2, 5.0).apply(set_gain(2, 2.0).apply(four_heads))
    after = compute(SetPattern(2, Pattern.FIRST_TOKEN).apply(head)).heads[1]
    assert (after.gain, after.head.key_magnitude) == (2.0, 5.0)
    assert after.q.tolist() == [[1.0, 0.0]] * 6  # |Q| = 1 in the lesson, where a circle's is 3
    assert after.k.tolist() == [[5.0, 0.0], *[[0.0, 0.0]] * 5]


def test_a_circle_needs_two_dimensions():
    uniform = Head(1, "u", Pattern.UNIFORM, np.ones((2, 1)))
    scene = Scene("t", "", (uniform,), np.eye(2), np.ones((1, 2)), d_k=1)
    with pytest.raises(UserError, match="needs d_k of at least 2; this scene has d_k = 1"):
        SetPattern(1, Pattern.SELF).apply(scene)


# --------------------------------------------------------------------------------- sequence length


@pytest.mark.parametrize("n_positions", [1, 3, 9, 1024, np.int64(7)])
def test_sequence_length_never_touches_w_o(four_heads, n_positions):
    after = SetSequenceLength(n_positions).apply(four_heads)
    assert after.w_o is four_heads.w_o
    assert after.x.shape == (n_positions, 8)
    assert after.x.argmax(axis=1).tolist() == [t % 8 for t in range(n_positions)]
    assert after.x.sum(axis=1).tolist() == [1.0] * n_positions


# ------------------------------------------------------------------------------- heads come and go


def test_a_new_head_is_last_and_its_rows_of_w_o_are_zero(four_heads):
    after = AddHead(Pattern.FIRST_TOKEN).apply(four_heads)
    new = after.heads[-1]
    assert (new.uid, new.name, new.key_magnitude) == (5, "first token", 3.0)
    assert after.heads[:-1] == four_heads.heads
    assert after.w_o.tolist() == [*four_heads.w_o.tolist(), [0.0] * 8, [0.0] * 8]
    assert new.w_v.T.tolist() == np.eye(8)[:2].tolist()  # features 9 and 10 of 8: 1 and 2


def test_new_heads_read_the_next_features_in_turn(two_heads):
    one = RemoveHead(2).apply(two_heads)
    assert AddHead(Pattern.SELF).apply(one).heads[1].w_v.T.tolist() == np.eye(4)[2:].tolist()


def test_a_duplicate_is_an_equal_head_with_zero_rows_behind_the_first(four_heads):
    original = set_soloed(2, True).apply(set_gain(2, 3.0).apply(four_heads))
    after = DuplicateHead(2).apply(original)
    assert [head.uid for head in after.heads] == [1, 2, 5, 3, 4]
    assert replace(after.heads[2], uid=2) == after.heads[1]
    assert after.w_o.tolist() == np.insert(original.w_o, [4, 4], 0.0, axis=0).tolist()


def test_removing_a_head_deletes_its_block(four_heads):
    after = RemoveHead(2).apply(four_heads)
    assert [head.uid for head in after.heads] == [1, 3, 4]
    assert after.w_o.tolist() == four_heads.w_o[[0, 1, 4, 5, 6, 7]].tolist()


def test_the_last_head_stays(two_heads):
    with pytest.raises(
        UserError, match=r"^The last head cannot be removed; a scene needs at least"
    ):
        RemoveHead(2).apply(RemoveHead(1).apply(two_heads))


@pytest.mark.parametrize("edit", [AddHead(Pattern.SELF), DuplicateHead(1)])
def test_sixty_four_heads_are_enough(two_heads, edit):
    full = two_heads
    for _ in range(62):
        full = AddHead(Pattern.UNIFORM).apply(full)
    with pytest.raises(UserError, match=r"^A scene holds at most 64 heads; remove one first\.$"):
        edit.apply(full)


def test_moving_a_head_moves_its_block(four_heads):
    after = MoveHead(1, 2).apply(four_heads)
    assert [head.uid for head in after.heads] == [2, 3, 1, 4]
    assert after.w_o.tolist() == four_heads.w_o[[2, 3, 4, 5, 0, 1, 6, 7]].tolist()


@given(st.data())
def test_adding_duplicating_and_moving_leave_the_output(scenes, data):
    scene = data.draw(scenes)
    uid = data.draw(st.sampled_from([head.uid for head in scene.heads]))
    place = data.draw(st.integers(0, scene.n_heads - 1))
    added = AddHead(
        data.draw(st.sampled_from([pattern for pattern in Pattern if pattern.is_designed]))
    ).apply(scene)
    result = compute(scene)
    w_v = np.hstack([head.w_v for head in scene.heads])
    read = np.max([np.abs(head.x) for head in result.heads], axis=0)
    scale = np.max(read @ np.abs(w_v) @ np.abs(scene.w_o))
    for after in (added, DuplicateHead(uid).apply(scene), MoveHead(uid, place).apply(scene)):
        assert_allclose(compute(after).output, result.output, rtol=0, atol=1e-13 * scale)


# --------------------------------------------------------------------------------------------- W_O


def test_a_block_is_written_where_it_belongs(four_heads):
    after = SetProjectionBlock(2, 5, np.array([[7.0, 8.0, 9.0]])).apply(four_heads)
    wanted = four_heads.w_o.copy()
    wanted[2, 5:] = [7.0, 8.0, 9.0]
    assert after.w_o.tolist() == wanted.tolist()
    assert after.heads is four_heads.heads


def test_an_edit_keeps_its_values_whatever_becomes_of_the_callers(two_heads):
    mine = np.full((4, 4), 2.0)
    block = SetProjectionBlock(0, 0, mine)
    mine[:] = 0.0
    assert block.apply(two_heads).w_o.tolist() == np.full((4, 4), 2.0).tolist()


def test_cells_merge_and_blocks_do_not():
    one, other = np.ones((1, 1)), np.zeros((1, 1))
    assert SetProjectionBlock(1, 2, one).merge_key == SetProjectionBlock(1, 2, other).merge_key
    assert SetProjectionBlock(1, 2, one).merge_key != SetProjectionBlock(2, 1, one).merge_key
    assert SetProjectionBlock(1, 2, np.ones((1, 2))).merge_key is None
    assert set_gain(1, 2.0).merge_key == set_gain(1, 3.0).merge_key
    assert len({set_gain(1, 2.0).merge_key, set_gain(2, 2.0).merge_key}) == 2
    assert len({set_gain(1, 2.0).merge_key, set_key_magnitude(1, 2.0).merge_key}) == 2


def test_opening_a_scene_puts_it_on_the_bench(two_heads, four_heads):
    edit = OpenScene(four_heads)
    assert edit.apply(two_heads) is four_heads
    assert edit.text == "Open “four heads”"


def test_a_name_that_was_the_patterns_follows_queries_and_keys_for_other_weights(four_heads):
    eye = np.eye(6, 2)
    assert HandSet(2, eye, eye).apply(four_heads).head(2).name == "previous token"
    assert HandSet(2, eye, eye, gain=1.0).apply(four_heads).head(2).name == "hand-set"
    named = rename_head(2, "mine").apply(four_heads)
    assert HandSet(2, eye, eye, gain=1.0).apply(named).head(2).name == "mine"
