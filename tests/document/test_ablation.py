"""Heads of a scene ablated before W_O, against sums written out and against the bench itself."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document import Head, Pattern, Scene, compute, load_lesson
from mhagui.document.ablation import MuteHeads, ablation_effect, wrong_site_effect
from mhagui.document.captured_ablation import Ablation, AblationKind
from mhagui.document.edits import set_gain, set_muted
from mhagui.document.importance import Readout, ReadoutKind, head_importance
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.on_demand import OnDemand
from mhagui.errors import UserError

H, T, D_K, D_V, D_MODEL = 3, 7, 3, 2, 6
READOUTS = [
    Readout(ReadoutKind.WHOLE),
    Readout(ReadoutKind.ROW, query=4),
    Readout(ReadoutKind.CHANNEL, query=4, channel=2),
    Readout(ReadoutKind.DIFFERENCE, query=4, channel=2, other=5),
]


def scene_of(seed=3, **changes):
    """Give a scene of hand-set heads with all biases, sharing nothing with the lesson's."""
    rng = np.random.default_rng(seed)
    heads = [
        Head(
            uid=10 + n,
            name=f"head {n}",
            pattern=Pattern.HAND_SET,
            q=rng.normal(size=(T, D_K)),
            k=rng.normal(size=(T, D_K)),
            w_v=rng.normal(size=(D_MODEL, D_V)),
            b_v=rng.normal(size=(1, D_V)),
            gain=1.5,
        )
        for n in range(H)
    ]
    x, w_o = rng.normal(size=(T, D_MODEL)), rng.normal(size=(H * D_V, D_MODEL))
    b_o = rng.normal(size=(1, D_MODEL))
    return replace(Scene("made", "", tuple(heads), x, w_o, D_K, b_o=b_o), **changes)


def effect(scene, kind, *heads, **details):
    return ablation_effect(
        scene, compute(scene), [Ablation(kind, head, **details) for head in heads]
    )


def term(scene, place, weights=None):
    """Give A_h (X W_V + b_V) W_O^(h) of a head."""
    result, head = compute(scene), scene.heads[place]
    a = np.asarray(result.heads[place].weights) if weights is None else weights
    values = scene.x @ head.w_v + (0 if head.b_v is None else head.b_v)
    return a @ values @ scene.w_o[place * D_V : (place + 1) * D_V]


def block(scene, place):
    return scene.w_o[place * D_V : (place + 1) * D_V]


# ------------------------------------------------------------------------- what becomes of O


def test_zero_takes_away_what_the_heads_add():
    scene = scene_of()
    found = effect(scene, AblationKind.ZERO, 0, 2)
    np.testing.assert_allclose(found.change, -term(scene, 0) - term(scene, 2), atol=1e-12)
    np.testing.assert_array_equal(found.output, compute(scene).output)


def test_zero_does_what_mute_does_on_the_bench():
    scene = scene_of()
    muted = compute(set_muted(11, True).apply(scene))
    found = effect(scene, AblationKind.ZERO, 1)
    np.testing.assert_allclose(found.output + found.change, muted.output, atol=1e-12)


def test_a_kept_bias_stays_at_every_position():
    scene = scene_of()
    zeroed, kept = (effect(scene, kind, 1) for kind in (AblationKind.ZERO, AblationKind.VALUE_BIAS))
    stays = scene.heads[1].b_v @ block(scene, 1)
    np.testing.assert_allclose(kept.change - zeroed.change, np.tile(stays, (T, 1)), atol=1e-12)


def test_a_bias_that_is_not_there_keeps_nothing():
    scene = load_lesson("four-heads")
    zeroed, kept = (effect(scene, kind, 1) for kind in (AblationKind.ZERO, AblationKind.VALUE_BIAS))
    np.testing.assert_array_equal(kept.change, zeroed.change)


def test_the_mean_leaves_what_a_head_adds_everywhere():
    scene = scene_of()
    added = term(scene, 1)
    found = effect(scene, AblationKind.MEAN, 1)
    np.testing.assert_allclose(found.change, added.mean(axis=0) - added, atol=1e-12)


def test_uniform_attention_is_over_the_keys_that_the_mask_allows():
    scene = scene_of(mask=MaskRule(MaskKind.SLIDING, 3))
    allowed = np.tril(np.ones((T, T))) - np.tril(np.ones((T, T)), -3)
    uniform = allowed / allowed.sum(axis=1, keepdims=True)
    found = effect(scene, AblationKind.UNIFORM, 2)
    np.testing.assert_allclose(found.change, term(scene, 2, uniform) - term(scene, 2), atol=1e-12)


def test_an_edge_that_is_cut_moves_one_row_alone():
    scene = scene_of()
    cut = np.array(compute(scene).heads[0].weights)
    cut[5, 2] = 0
    cut[5] /= cut[5].sum()
    found = effect(scene, AblationKind.EDGE, 0, query=5, key=2)
    np.testing.assert_allclose(found.change, term(scene, 0, cut) - term(scene, 0), atol=1e-12)
    assert np.flatnonzero(found.by_position > 1e-12).tolist() == [5]


def test_a_gain_is_a_factor_on_the_heads_own_and_does_what_it_does_on_the_bench():
    scene = scene_of()
    moved = compute(set_gain(10, 1.5 * 0.4).apply(scene))
    found = effect(scene, AblationKind.GAIN, 0, gain=0.4)
    np.testing.assert_allclose(found.output + found.change, moved.output, atol=1e-12)
    assert not effect(scene, AblationKind.GAIN, 0, gain=1.0).change.any()


def test_a_gain_of_given_weights_does_what_it_does_on_the_bench():
    a = np.tril(np.random.default_rng(5).random((T, T))) * 0.5  # rows of a sum of their own
    scene = scene_of()
    head = Head(1, "given", Pattern.GIVEN, scene.heads[0].w_v, a=a)
    scene = replace(scene, heads=(head, *scene.heads[1:]))
    found = effect(scene, AblationKind.GAIN, 0, gain=2.0)
    moved = compute(set_gain(1, 2.0).apply(scene))
    np.testing.assert_allclose(found.output + found.change, moved.output, atol=1e-12)


def test_a_muted_head_has_nothing_that_could_be_ablated():
    scene = set_muted(10, True).apply(scene_of())
    assert not effect(scene, AblationKind.ZERO, 0).change.any()
    both, one = effect(scene, AblationKind.ZERO, 0, 1), effect(scene, AblationKind.ZERO, 1)
    np.testing.assert_array_equal(both.change, one.change)


def test_shares_are_of_the_output_as_it_was():
    scene = scene_of()
    found = effect(scene, AblationKind.ZERO, 1)
    rows = np.sqrt((found.change**2).sum(axis=1))
    np.testing.assert_allclose(found.by_position, rows)
    np.testing.assert_allclose(
        found.share_by_position, rows / np.sqrt((found.output**2).sum(axis=1))
    )
    assert found.share == pytest.approx(found.norm / np.sqrt((found.output**2).sum()))
    row, channel = found.largest
    assert abs(found.change[row, channel]) == abs(found.change).max()
    assert found.largest_at(row) == channel


def test_a_share_of_nothing_is_undefined():
    scene = scene_of()
    silent = replace(scene, w_o=np.zeros_like(scene.w_o), b_o=None)
    found = effect(silent, AblationKind.ZERO, 0)
    assert np.isnan(found.share)
    assert np.isnan(found.share_by_position).all()
    assert found.norm == 0


def test_a_gain_beyond_all_numbers_is_refused_in_a_sentence():
    with pytest.raises(UserError, match="gain"):
        effect(scene_of(), AblationKind.GAIN, 0, gain=np.inf)


def test_heads_that_are_made_on_demand_are_ablated_alike(monkeypatch):
    scene = scene_of(b_o=None)
    kept = {kind: effect(scene, kind, 1, query=4, key=2, gain=0.5).change for kind in AblationKind}
    monkeypatch.setattr("mhagui.document.on_demand.MOST_KEPT", 1)
    assert isinstance(compute(scene).heads[1].weights, OnDemand)
    for kind, change in kept.items():
        again = effect(scene, kind, 1, query=4, key=2, gain=0.5).change
        np.testing.assert_allclose(again, change, atol=1e-9, err_msg=kind.value)


# -------------------------------------------------------------------------------- the wrong site


def test_the_wrong_site_zeroes_columns_that_are_no_heads():
    scene = scene_of()
    result = compute(scene)
    found = wrong_site_effect(scene, result, [0, 2])
    wanted = result.output.copy()
    wanted[:, [0, 1, 4, 5]] = 0
    np.testing.assert_array_equal(found.output + found.change, wanted)
    right = effect(scene, AblationKind.ZERO, 0, 2)
    assert abs(right.change - found.change).max() > 0.1


def test_behind_the_identity_both_sites_are_the_same():
    scene = scene_of(w_o=np.eye(H * D_V), b_o=None)
    wrong = wrong_site_effect(scene, compute(scene), [1])
    right = effect(scene, AblationKind.ZERO, 1)
    np.testing.assert_allclose(right.change, wrong.change, atol=1e-12)


def test_there_is_no_wrong_site_where_o_has_other_columns():
    scene = scene_of()
    narrow = replace(scene, w_o=scene.w_o[:, :5], x=scene.x[:, :5], b_o=None, heads=tuple(
        replace(head, w_v=head.w_v[:5]) for head in scene.heads
    ))  # fmt: skip
    assert wrong_site_effect(narrow, compute(narrow), [0]) is None


# ------------------------------------------------------------------- what hangs on each head


def value(readout, output):
    """Give L of the whole output, written out."""
    row = output[readout.query]
    return {
        ReadoutKind.WHOLE: np.sqrt((output**2).sum()),
        ReadoutKind.ROW: np.sqrt((row**2).sum()),
        ReadoutKind.CHANNEL: row[readout.channel],
        ReadoutKind.DIFFERENCE: row[readout.channel] - row[readout.other],
    }[readout.kind]


@pytest.mark.parametrize("readout", READOUTS, ids=lambda readout: readout.kind.name)
def test_gradient_times_output_is_the_slope_of_a_gate_on_each_head(readout):
    scene = scene_of()
    found, output = head_importance(scene, compute(scene), readout), compute(scene).output
    step = 1e-5
    for place in range(H):
        up, down = (value(readout, output + way * step * term(scene, place)) for way in (1, -1))
        assert found.predicted[place] == pytest.approx(-(up - down) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("readout", READOUTS, ids=lambda readout: readout.kind.name)
def test_ablation_is_what_is_left_without_each_head(readout):
    scene = scene_of()
    found, output = head_importance(scene, compute(scene), readout), compute(scene).output
    assert found.value == pytest.approx(value(readout, output))
    without = [value(readout, output - term(scene, place)) for place in range(H)]
    np.testing.assert_allclose(found.ablated, np.array(without) - found.value, atol=1e-12)
    np.testing.assert_allclose(found.gap, found.ablated - found.predicted)


@given(st.integers(0, 2**32 - 1))
def test_first_order_is_exact_where_the_readout_is_linear(seed):
    scene = scene_of(seed)
    for readout in READOUTS[2:]:
        found = head_importance(scene, compute(scene), readout)
        np.testing.assert_allclose(found.gap, 0, atol=1e-10)
    assert abs(head_importance(scene, compute(scene), READOUTS[0]).gap).max() > 1e-6


def test_the_pruning_curve_is_that_of_outputs_made_anew():
    scene = scene_of()
    result = compute(scene)
    found = head_importance(scene, result, READOUTS[0])
    norm = np.linalg.norm(result.output)
    for errors, sizes in (
        (found.error_by_gradient, found.predicted),
        (found.error_by_ablation, found.ablated),
    ):
        kept, anew = list(range(H)), []
        for place in np.argsort(abs(sizes)):
            kept.remove(place)
            output = scene.b_o + sum(term(scene, other) for other in kept)
            anew.append(np.linalg.norm(output - result.output) / norm)
        np.testing.assert_allclose(errors, anew, atol=1e-12)


def test_a_muted_head_is_of_no_importance_and_not_pruned_again():
    scene = set_muted(11, True).apply(scene_of())
    found = head_importance(scene, compute(scene), READOUTS[0])
    assert found.predicted[1] == found.ablated[1] == 0
    assert len(found.error_by_gradient) == len(found.error_by_ablation) == H - 1


def test_a_norm_of_zeros_has_no_gradient_but_an_ablation():
    scene = scene_of()
    silent = replace(scene, w_o=np.zeros_like(scene.w_o), b_o=None)
    found = head_importance(silent, compute(silent), READOUTS[1])
    assert np.isnan(found.predicted).all()
    assert not found.ablated.any()
    assert len(found.error_by_gradient) == 0


# ----------------------------------------------------------------------------------------- mute


def test_several_heads_are_muted_in_one_step():
    scene = scene_of()
    edit = MuteHeads((10, 12))
    after = edit.apply(scene)
    assert [head.muted for head in after.heads] == [True, False, True]
    assert (edit.text, MuteHeads((10,)).text) == ("Mute 2 heads", "Mute head")
    with pytest.raises(UserError, match="no head 99"):
        MuteHeads((99,)).apply(scene)


def test_norms_are_found_once_however_often_they_are_read():
    found = effect(load_lesson("four-heads"), AblationKind.ZERO, 1)
    assert found.by_position is found.by_position
    assert found.share_by_position is found.share_by_position
