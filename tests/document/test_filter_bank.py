"""The filter bank of a scene: terms, running sum, norms, and both sites of an ablation."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.document import Scene, compute
from mhagui.document.edits import set_gain, set_muted, set_soloed
from mhagui.document.filter_bank import (
    ablation_sites,
    filter_bank,
    filter_bank_report,
    in_bounds,
    residual_text,
    why_no_wrong_site,
)
from mhagui.document.new_scene import new_scene
from mhagui.document.presets import Preset, SetPreset


def edited(scene: Scene, *edits):
    for edit in edits:
        scene = edit.apply(scene)
    return scene, compute(scene)


def block(scene, place):
    return scene.w_o[place * scene.d_v : (place + 1) * scene.d_v]


def test_the_sums_build_up_to_the_output_of_the_lesson(two_heads, expected):
    bank = filter_bank(compute(two_heads))
    assert_allclose(bank.sums[-1], expected["two_heads"]["output"], atol=1e-14)
    assert_array_equal(bank.sums[0], bank.terms[0])


def test_sums_are_sums_of_terms(four_heads):
    scene, result = edited(four_heads, set_gain(1, 0.3), set_gain(3, -2.0))
    bank = filter_bank(result)
    for place, head in enumerate(result.heads):
        term = head.weights @ scene.x @ scene.heads[place].w_v @ block(scene, place)
        assert_allclose(bank.terms[place], term, atol=1e-13)
        assert bank.norms[place] == pytest.approx(np.sqrt((term**2).sum()), rel=1e-13)
        assert_allclose(bank.sums[place], sum(bank.terms[: place + 1]), atol=1e-13)
    shown = np.stack([*bank.terms, *bank.sums])
    assert bank.largest == np.abs(shown).max()


def test_an_ablated_head_adds_nothing_but_says_what_it_could(four_heads):
    heard = filter_bank(compute(four_heads))
    bank = filter_bank(edited(four_heads, set_muted(2, True))[1])
    assert not bank.terms[1].any()
    assert bank.norms[1] == 0
    assert bank.norms_heard == heard.norms == heard.norms_heard
    assert_array_equal(bank.sums[1], bank.sums[0])


def test_a_solo_silences_the_others(four_heads):
    bank = filter_bank(edited(four_heads, set_soloed(3, True))[1])
    assert [norm > 0 for norm in bank.norms] == [False, False, True, False]


def test_a_gain_leaves_what_it_does_not_touch(four_heads):
    result = compute(four_heads)
    bank = filter_bank(result)
    before = list(bank.sums)
    later = filter_bank(compute(set_gain(3, 2.0).apply(four_heads), result), bank)
    kept = [one is other for one, other in zip(later.terms, bank.terms, strict=True)]
    assert kept == [True, True, False, True]
    kept = [one is other for one, other in zip(later.sums, before, strict=True)]
    assert kept == [True, True, False, False]


def test_a_head_of_layer_2_filters_what_layer_1_has_added_to(four_heads):
    scene = four_heads.with_head(4, layer=2)
    bank = filter_bank(compute(scene))
    x_2 = scene.x + sum(bank.terms[:3])
    uniform = np.tril(np.ones((6, 6))) / np.arange(1, 7)[:, np.newaxis]
    term = uniform @ x_2 @ scene.heads[3].w_v @ block(scene, 3)
    assert_allclose(bank.terms[3], term, atol=1e-13)
    assert np.abs(term - filter_bank(compute(four_heads)).terms[3]).max() > 0.05


def test_heads_that_come_and_go_are_not_mixed_up(four_heads):
    bank = filter_bank(compute(four_heads))
    for edit in (set_muted(1, True), set_muted(4, True)):
        result = edited(four_heads, edit)[1]
        again = filter_bank(result, bank)
        fresh = filter_bank(result)
        assert again.norms == fresh.norms
        assert again.largest == fresh.largest
        for one, other in zip(again.sums, fresh.sums, strict=True):
            assert_array_equal(one, other)


@given(st.data())
def test_any_scene_after_any_other(scenes, data):
    one, other = data.draw(scenes), data.draw(scenes)
    result = compute(other)
    bank = filter_bank(result, filter_bank(compute(one)))
    bias = 0 if other.b_o is None else other.b_o
    wanted = result.output - bias
    rounding = np.abs(result.output).max() * np.finfo(float).eps
    atol = max(result.residual_bound, 1e-300) + rounding
    assert_allclose(bank.sums[-1], wanted, rtol=0, atol=atol)
    assert in_bounds(result) <= 1


@given(st.data())
def test_sums_that_are_taken_over_are_those_made_anew(data):
    """Whichever sums were looked at before, whatever changed: to the bit."""
    scene = new_scene(5, 4, 2, 2, 8)
    if data.draw(st.booleans(), "W_O mixes all"):
        scene = SetPreset(Preset.RANDOM_ORTHOGONAL).apply(scene)
    gain, muted = st.builds(set_gain, st.integers(1, 4), st.floats(-3, 3)), st.booleans()
    edits = st.one_of(gain, st.builds(set_muted, st.integers(1, 4), muted))
    result, bank = None, None
    for edit in data.draw(st.lists(edits, min_size=1, max_size=5)):
        scene = edit.apply(scene)
        result = compute(scene, result)
        bank = filter_bank(result, bank)
        fresh = filter_bank(result)
        for place in data.draw(st.lists(st.integers(0, 3), max_size=3), "looked at"):
            assert_array_equal(bank.sums[place], fresh.sums[place])
        assert bank.largest == fresh.largest == np.abs([*fresh.terms, *fresh.sums]).max()


@pytest.mark.parametrize(
    ("preset", "n_added"),
    [
        (Preset.IDENTITY, 2),  # the two columns that hear the head, and no other head
        (Preset.RANDOM_ORTHOGONAL, 4 * 8),  # all columns hear all heads
    ],
)
def test_a_gain_has_only_the_columns_added_up_that_hear_its_head(preset, n_added):
    scene = SetPreset(preset).apply(new_scene(6, 4, 2, 2, 8))
    result = compute(scene)
    bank = filter_bank(result)
    later = compute(set_gain(2, 2.0).apply(scene), result)
    assert filter_bank(later, bank).sums.n_added == n_added
    assert filter_bank(result, bank).sums.n_added == 0


# --- both sites of an ablation


def without(scene, place):
    """Return O as a sum over the other heads, from the weights up."""
    result = compute(scene)
    others = [h for h in range(scene.n_heads) if h != place]
    return sum(
        result.heads[h].weights @ scene.x @ scene.heads[h].w_v @ block(scene, h) for h in others
    )


@pytest.mark.parametrize("place", range(4))
def test_before_w_o_only_the_head_is_missing(four_heads, place):
    result = compute(four_heads)
    sites = ablation_sites(four_heads, result, place)
    assert_allclose(sites.before, without(four_heads, place), atol=1e-13)
    muted = edited(four_heads, set_muted(four_heads.heads[place].uid, True))[1]
    assert_array_equal(sites.before, muted.output)
    assert sites.change_before == np.abs(result.output - muted.output).max()


def test_after_w_o_the_wrong_columns_are_missing(two_heads, expected):
    output = np.array(expected["two_heads"]["output"])
    sites = ablation_sites(two_heads, compute(two_heads), 0)
    assert_allclose(sites.after, output * [0, 0, 1, 1], atol=1e-14)
    # Column 1 of W_O also reads head 2, whose O_2 has 1 at t1: that is what goes missing there.
    assert sites.largest_difference == pytest.approx(1)
    assert sites.change_after == pytest.approx(output[2, 0])  # h1.1 + h2.1 at t3


def test_the_identity_hides_the_mistake(four_heads):
    scene, result = edited(four_heads, SetPreset(Preset.IDENTITY))
    assert [ablation_sites(scene, result, h).largest_difference for h in range(4)] == [0] * 4
    result = compute(four_heads)
    told = [ablation_sites(four_heads, result, h).largest_difference for h in range(4)]
    assert max(told) > 0.5


def test_where_o_is_not_as_wide_as_concat_there_is_no_wrong_site(four_heads):
    scene = replace(four_heads, heads=four_heads.heads[:3], w_o=four_heads.w_o[:6])
    sites = ablation_sites(scene, compute(scene), 1)
    assert (sites.after, sites.difference) == (None, None)
    assert (sites.change_after, sites.largest_difference) == (None, None)
    assert sites.before.shape == (6, 8)
    assert "H·d_v = 6 columns and O has d_model = 8" in why_no_wrong_site(scene)
    assert why_no_wrong_site(four_heads) == ""


def test_an_ablated_head_changes_nothing_before_w_o(four_heads):
    scene, result = edited(four_heads, set_muted(2, True))
    sites = ablation_sites(scene, result, 1)
    assert sites.change_before == 0
    assert_array_equal(sites.before, result.output)


# --- the report


def test_the_report_says_the_same_as_the_matrices(two_heads, expected):
    report = filter_bank_report(two_heads, compute(two_heads))
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    # The uniform head, by hand: columns (o1, 0, −o1, o2) of O_2 = [[1, 0], [1/2, 1/2], ..].
    ones = 1 + 1 / 4 + 1 / 9 + 1 / 16
    assert report["heads"][1]["norm"] == pytest.approx(np.sqrt(3 * ones - 1), rel=1e-14)
    assert report["heads"][0]["ablation_difference"] == pytest.approx(1)
    assert report["heads"][0]["ablation_before_w_o"] == pytest.approx(
        np.max(expected["two_heads"]["concat"], axis=0)[:2].max()
    )
    assert report["residual"] == 0
    assert report["residual_in_bounds"] == 0
    assert report["why_no_wrong_site"] is None


def test_the_report_where_shapes_do_not_allow_the_wrong_site(four_heads):
    scene = replace(four_heads, heads=four_heads.heads[:3], w_o=four_heads.w_o[:6])
    report = filter_bank_report(scene, compute(scene))
    assert {head["ablation_after_w_o"] for head in report["heads"]} == {None}
    assert report["why_no_wrong_site"].startswith("Concat has H·d_v = 6 columns")


def test_the_residual_is_told_beside_its_bound(two_heads):
    result = compute(two_heads)
    told = residual_text(replace(result, filter_bank_residual=3e-16, residual_bound=1.2e-14))
    assert told == "3e−16 (0.025 of the rounding bound 1.2e−14)"


@given(st.data())
def test_the_residual_in_bounds_is_the_residual_over_the_bound(scenes, data):
    result = compute(data.draw(scenes))
    if result.filter_bank_residual == 0:
        assert in_bounds(result) == 0
    else:
        ratio = result.filter_bank_residual / result.residual_bound
        assert 0 < in_bounds(result) == ratio <= 1
