"""Masks of a scene: which keys a query may see, in everything that is made of it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.document import Head, History, Pattern, Scene, compute, load_lesson
from mhagui.document.edits import SetMask, SetSequenceLength, set_gain
from mhagui.document.effort import effort
from mhagui.document.information import study_divergences, study_information
from mhagui.document.mask_rule import MaskKind, MaskRule, rule_of
from mhagui.document.new_scene import new_scene
from mhagui.document.on_demand import most_kept
from mhagui.document.pipeline import MASKED, STAGES, row_arithmetic, stage_of, study_stage
from mhagui.document.response import (
    distances,
    impulse_report,
    row_response,
    study_responses,
    study_spectra,
    why_no_filters,
)
from mhagui.document.solver import edit_for
from mhagui.document.weight_scale import largest_weight
from mhagui.errors import UserError

FULL = MaskRule(MaskKind.FULL)
WINDOW = MaskRule(MaskKind.SLIDING, 2)
PREFIX = MaskRule(MaskKind.PREFIX, 3)
PADDED = MaskRule(left=2)
BOTH_ENDS = MaskRule(MaskKind.FULL, left=1, right=2)


def picture(rule, n_positions=4):
    return ["".join(".#"[cell] for cell in row) for row in rule.allowed(n_positions).astype(int)]


@pytest.mark.parametrize(
    ("rule", "rows"),
    [
        (MaskRule(), ["#...", "##..", "###.", "####"]),
        (FULL, ["####"] * 4),
        (WINDOW, ["#...", "##..", ".##.", "..##"]),
        (MaskRule(MaskKind.SLIDING, 1), ["#...", ".#..", "..#.", "...#"]),
        (PREFIX, ["###.", "###.", "###.", "####"]),
        (PADDED, ["....", "....", "..#.", "..##"]),
        (MaskRule(right=1), ["#...", "##..", "###.", "...."]),
        (BOTH_ENDS, ["....", ".#..", "....", "...."]),
        (MaskRule(MaskKind.PREFIX, 2, left=1), ["....", ".#..", ".##.", ".###"]),
    ],
)
def test_what_is_seen(rule, rows):
    assert picture(rule) == rows
    assert not rule.allowed(4).flags.writeable


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (MaskRule(), "causal"),
        (FULL, "full"),
        (MaskRule(MaskKind.SLIDING, 1), "sliding window of 1 key"),
        (PREFIX, "prefix of 3 keys"),
        (PADDED, "causal, padding 2 on the left"),
        (BOTH_ENDS, "full, padding 1 on the left and 2 on the right"),
    ],
)
def test_a_mask_says_what_it_is(rule, text):
    assert rule.text == text


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: MaskRule(MaskKind.SLIDING),
            "The size of a sliding window mask must be a whole nu",
        ),
        (
            lambda: MaskRule(MaskKind.FULL, 3),
            "The size of a full mask must be a whole number from 0",
        ),
        (lambda: MaskRule(left=-1), "The number of padded positions on the left must be a whole"),
        (
            lambda: MaskRule(MaskKind.PREFIX, 4097),
            "The size of a prefix mask must be a whole number",
        ),
    ],
)
def test_masks_that_cannot_be(make, sentence):
    with pytest.raises(UserError) as caught:
        make()
    assert str(caught.value).startswith(sentence)


@st.composite
def rules(draw, n_positions):
    kind = draw(st.sampled_from(MaskKind))
    left = draw(st.integers(0, n_positions - 1))
    right = draw(st.integers(0, n_positions - 1 - left))
    return MaskRule(kind, draw(st.integers(1, 9)) if kind.has_size else 0, left, right)


@given(st.data(), st.integers(1, 8))
def test_a_rule_is_found_again_by_what_it_lets_be_seen(data, n_positions):
    rule = data.draw(rules(n_positions))
    allowed = rule.allowed(n_positions)
    assert_array_equal(rule_of(allowed).allowed(n_positions), allowed)


def test_what_no_rule_makes_has_none():
    for allowed in (np.eye(3, dtype=bool)[::-1], np.zeros((3, 3), dtype=bool)):
        assert rule_of(allowed) is None
    hole = np.tri(5, dtype=bool)
    hole[4, 2] = False
    assert rule_of(hole) is None


# ------------------------------------------------------------------------------------ in the scene


@pytest.fixture
def four_heads():
    return load_lesson("four-heads")


@pytest.mark.parametrize("rule", [FULL, WINDOW, PREFIX, PADDED, BOTH_ENDS])
def test_weights_are_a_softmax_over_what_is_seen(four_heads, rule):
    result = compute(SetMask(rule).apply(four_heads))
    allowed = rule.allowed(6)
    assert_array_equal(result.allowed, allowed)
    counts = allowed.sum(axis=1)
    ceiling = [math.log2(n) if n else math.nan for n in counts]
    assert_allclose(result.ceiling_bits, ceiling, rtol=1e-15)
    for head in result.heads:
        for t, sees in enumerate(allowed):
            e = np.where(sees, np.exp(head.gain * head.scores[t]), 0.0)
            assert_allclose(head.weights[t], e / max(e.sum(), 1e-300), rtol=1e-12, atol=1e-15)
        assert_array_equal(head.has_support, counts > 0)
        assert_array_equal(np.isnan(head.row_entropy_bits), counts == 0)
        assert_array_equal(np.isnan(head.effective_positions), counts == 0)
        bits = head.row_entropy_bits[counts > 0]
        assert head.mean_row_entropy_bits == pytest.approx(bits.mean())
        assert (bits <= result.ceiling_bits[counts > 0] + 1e-12).all()
    assert result.filter_bank_residual <= result.residual_bound
    assert np.isfinite(result.output).all()
    assert not result.output[counts == 0].any()


def test_a_uniform_head_has_the_ceiling_under_any_mask(four_heads):
    for rule in (FULL, WINDOW, PREFIX):
        result = compute(SetMask(rule).apply(four_heads))
        assert_allclose(result.heads[3].row_entropy_bits, result.ceiling_bits, atol=1e-12)


def test_the_causal_mask_as_an_array_gives_what_the_word_does():
    scene = new_scene(90, 3, 4, 4, 8)
    word, array = compute(scene), compute(SetMask(MaskRule(MaskKind.SLIDING, 90)).apply(scene))
    for one, other in zip(word.heads, array.heads, strict=True):
        assert_allclose(other.weights, one.weights, rtol=1e-13, atol=1e-15)
        assert one.scores_differ == other.scores_differ


def test_scores_that_differ_only_where_nothing_is_seen_do_not_count(four_heads):
    alone = compute(SetMask(MaskRule(MaskKind.SLIDING, 1)).apply(four_heads))
    assert not any(head.scores_differ for head in alone.heads)
    pairs = compute(SetMask(WINDOW).apply(four_heads))
    assert [head.scores_differ for head in pairs.heads] == [True, True, True, False]


def test_an_edit_of_the_mask_is_undone_and_told(four_heads):
    history = History(four_heads)
    history.do(SetMask(WINDOW))
    assert history.undo_text == "Set mask to sliding window of 2 keys"
    assert history.steps[-1].words == "mask: sliding window of 2 keys"
    assert effort(history.scene, four_heads) > 0
    made = compute(history.scene, compute(four_heads)).made
    assert "head 1 weights" in made
    assert "head 1 scores" not in made
    history.undo()
    assert history.scene is four_heads


def test_padding_leaves_a_position(four_heads):
    with pytest.raises(UserError, match=r"^6 positions of padding leave none of T = 6\.$"):
        SetMask(MaskRule(left=4, right=2)).apply(four_heads)
    padded = SetMask(MaskRule(left=4)).apply(four_heads)
    with pytest.raises(UserError, match=r"^4 positions of padding leave none of T = 3\.$"):
        SetSequenceLength(3).apply(padded)


def test_other_masks_are_for_weights_that_are_kept():
    scene = new_scene(most_kept(64), 64, 1, 1, 1)
    assert SetMask(FULL).apply(scene).mask == FULL
    longer = new_scene(most_kept(64) + 1, 64, 1, 1, 1)
    with pytest.raises(
        UserError, match=r"^With a mask that is not plainly causal, T is at most 1,02"
    ):
        SetMask(FULL).apply(longer)


# ------------------------------------------------------------------------------- what is made of it


def test_rows_as_filters_follow_the_mask(four_heads):
    window = compute(SetMask(WINDOW).apply(four_heads))
    response = row_response(window.heads[1], 4)
    assert_array_equal(response.taps, window.heads[1].weights[4, :5])
    assert response.ideal is None
    assert math.isnan(response.distance)
    assert np.isnan(distances(window.heads[1])).all()
    assert why_no_filters(WINDOW) == ""
    full = compute(SetMask(FULL).apply(four_heads))
    assert_array_equal(row_response(full.heads[1], 2).taps, full.heads[1].weights[2])
    assert "see later keys" in why_no_filters(FULL)
    report = impulse_report(four_heads, full, 2)
    assert report["why_no_filters"] == why_no_filters(FULL)
    assert all(len(head["taps"]) == 6 for head in report["heads"])
    assert impulse_report(four_heads, compute(four_heads))["why_no_ideal"] is None


def test_responses_are_made_anew_when_the_mask_is_another(four_heads):
    causal = compute(four_heads)
    study = study_responses(causal, 3)
    other = compute(SetMask(MaskRule(MaskKind.SLIDING, 6)).apply(four_heads), causal)
    assert study.responses[1].ideal is not None
    assert study_responses(other, 3, study).responses[1].ideal is None


def test_a_row_that_sees_nothing_has_no_spectrum_and_does_no_harm(four_heads):
    padded = compute(SetMask(PADDED).apply(four_heads))
    spectrum = study_spectra(padded, 0).spectra[0]
    assert not spectrum.magnitude.any()
    assert np.isnan(spectrum.delay).all()
    row = row_arithmetic(padded, 0, 1)
    assert (row.n_allowed, row.total) == (0, 0.0)
    assert not row.weights.any()
    for stage in range(len(STAGES)):
        study_stage(four_heads, padded, 0, stage)
    with pytest.raises(UserError, match=r"^Row t2 sees no key, so that no gain changes it\.$"):
        edit_for(four_heads, padded, 1, 1, 1.5)


def test_why_a_key_is_masked(four_heads):
    row = row_arithmetic(compute(four_heads), 0, 2)
    assert row.why_masked(4) == "Key t5 comes after query t3"
    row = row_arithmetic(compute(SetMask(WINDOW).apply(four_heads)), 0, 2)
    told = "The mask (sliding window of 2 keys) hides key t1 from query t3"
    assert row.why_masked(0) == told


@pytest.mark.parametrize("rule", [FULL, WINDOW, PREFIX])
def test_a_gain_for_so_many_positions_counts_the_keys_that_are_seen(four_heads, rule):
    scene = SetMask(rule).apply(four_heads)
    edit = edit_for(scene, compute(scene), 2, 4, 1.5)
    head = compute(edit.apply(scene)).heads[1]
    assert head.effective_positions[4] == pytest.approx(1.5, rel=1e-9)


def test_the_stage_of_the_mask_says_which(four_heads):
    assert stage_of(MASKED, MaskRule()) is STAGES[MASKED]
    assert stage_of(MASKED, WINDOW).formula == "g·S where t − 2 < i ≤ t"
    assert "full" in stage_of(MASKED, FULL).meaning
    assert stage_of(0, FULL) is STAGES[0]


def test_nothing_is_told_of_a_token_that_is_seen(four_heads):
    study = study_information(four_heads, compute(four_heads), 3)
    assert not study.why_not
    for rule in (FULL, PREFIX):
        scene = SetMask(rule).apply(four_heads)
        study = study_information(scene, compute(scene), 3)
        assert "a query sees the tokens that it is to tell of" in study.why_not
        assert all(math.isnan(head.bits) for head in study.heads)
    scene = SetMask(MaskRule(MaskKind.SLIDING, 1)).apply(four_heads)
    told = study_information(scene, compute(scene), 3).heads
    assert len({round(head.bits, 9) for head in told}) == 1  # all see the last token alone


def test_a_head_by_content_sees_no_more_of_other_sequences_than_of_its_own():
    scene = SetMask(MaskRule(MaskKind.SLIDING, 1)).apply(load_lesson("induction"))
    study = study_information(scene, compute(scene), 4)
    last = [head for head in study.heads if not head.why_not]
    assert len({round(head.bits, 9) for head in last}) == 1


def test_divergences_are_over_rows_that_have_weights(four_heads):
    padded = study_divergences(compute(SetMask(PADDED).apply(four_heads)))
    assert padded.rows == (2, 3, 4, 5)
    assert np.isfinite(padded.bits).all()


def test_the_largest_weight_is_of_rows_with_two_keys_or_more(four_heads):
    scene = SetMask(MaskRule(MaskKind.SLIDING, 1)).apply(four_heads)
    assert largest_weight(compute(scene)) == 0.0
    result = compute(SetMask(PADDED).apply(four_heads))
    assert largest_weight(result) == max(head.weights[3:].max() for head in result.heads)


def test_a_gain_under_a_mask_is_what_all_anew_would_be():
    dice = np.random.default_rng(2)
    scene = SetMask(PREFIX).apply(new_scene(40, 3, 4, 4, 12))
    scene = replace(scene, x=dice.standard_normal((40, 12)), w_o=dice.standard_normal((12, 12)))
    before, after = compute(scene), set_gain(2, 0.3).apply(scene)
    one, other = compute(after, before), compute(after)
    assert one.output.tobytes() == other.output.tobytes()
    assert one.heads[0] is before.heads[0]


def test_a_scene_is_another_with_another_mask(four_heads):
    assert SetMask(FULL).apply(four_heads) != four_heads
    assert SetMask(MaskRule()).apply(four_heads) == four_heads


def test_a_single_position_may_have_any_mask():
    head = Head(1, "h", Pattern.SELF, np.ones((1, 1)))
    for rule in (FULL, WINDOW, PREFIX):
        scene = Scene("one", "", [head], np.ones((1, 1)), np.ones((1, 1)), 2, mask=rule)
        assert compute(scene).heads[0].weights.tolist() == [[1.0]]
