"""ALiBi slopes and sink logits of heads: their numbers, edits, files and what follows from them."""

import csv
import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui import core
from mhagui.data.tidy import arrays, csv_of
from mhagui.document import Head, Pattern, Scene, compute, load_lesson
from mhagui.document.ablation import ablation_effect
from mhagui.document.bias_edits import (
    SetAlibi,
    SetSinks,
    add_sink,
    has_standard_slopes,
    set_sink,
    set_slope,
)
from mhagui.document.captured_ablation import Ablation, AblationKind
from mhagui.document.changes import difference
from mhagui.document.designs import filter_of
from mhagui.document.edits import HandSet, SetMask, SetPattern, set_gain
from mhagui.document.effort import effort, moves_numbers_alone
from mhagui.document.filter_bank import in_bounds
from mhagui.document.information import study_divergences, study_information
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.on_demand import most_kept
from mhagui.document.pipeline import (
    GAINED,
    MASKED,
    SOFTMAX,
    row_arithmetic,
    stage_of,
    study_stage,
)
from mhagui.document.response import row_response
from mhagui.document.scene_file import scene_from_json, scene_to_json
from mhagui.document.session import Session
from mhagui.document.session_file import session_from_bytes, session_to_bytes
from mhagui.document.solver import edit_for
from mhagui.errors import UserError
from mhagui.figures.script import script
from mhagui.figures.subject import Subject
from mhagui.report import report, report_text
from mhagui.reports.content import report_of

LESSON = load_lesson("four-heads")
MASKS = [MaskRule(), MaskRule(MaskKind.FULL), MaskRule(MaskKind.SLIDING, 2), MaskRule(left=1)]


def scene_with(*, slopes=(), sinks=(), mask=None, size=1.0, n=7, seed=0):
    """Hand-set heads of random queries and keys, as many as there are slopes or sinks."""
    dice = np.random.default_rng(seed)
    n_heads = max(len(slopes), len(sinks))
    heads = [
        Head(
            number + 1,
            f"head {number + 1}",
            Pattern.HAND_SET,
            dice.standard_normal((5, 3)),
            q=size * dice.standard_normal((n, 2)),
            k=dice.standard_normal((n, 2)),
            slope=slopes[number] if slopes else 0.0,
            sink=sinks[number] if sinks else None,
        )
        for number in range(n_heads)
    ]
    x, w_o = dice.standard_normal((n, 5)), dice.standard_normal((3 * n_heads, 5))
    return Scene("biased", "", heads, x, w_o, 2, mask=mask or MaskRule())


def plain(head, allowed, gain):
    """The weights of a head and what its sink takes, in long double."""
    n = len(allowed)
    away = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    scores = (head.q.astype(np.longdouble) @ head.k.T) / np.sqrt(np.longdouble(2))
    exponents = np.where(allowed, gain * scores - np.longdouble(head.slope) * away, -np.inf)
    sink = -np.inf if head.sink is None else head.sink
    top = np.maximum(exponents.max(axis=1, keepdims=True), sink)
    top = np.where(np.isinf(top), 0, top)
    e, sunk = np.exp(exponents - top), np.exp(sink - top)[:, 0]
    total = e.sum(axis=1) + sunk
    total[total == 0] = 1
    return e / total[:, None], sunk / total


# --- the numbers


@settings(max_examples=50, deadline=None)
@given(
    slopes=st.lists(st.sampled_from([0.0, 2**-8, 0.3, 2.0]), min_size=2, max_size=2),
    sinks=st.lists(st.sampled_from([None, 0.0, -2.0, 3.0]), min_size=2, max_size=2),
    gain=st.sampled_from([1.0, 0.0, -1.5]),
    mask=st.sampled_from(MASKS),
    size=st.sampled_from([1.0, 1e6]),
    n=st.integers(2, 9),
    seed=st.integers(0, 2**31),
)
def test_weights_entropies_and_shares_by_the_plain_formula(
    slopes, sinks, gain, mask, size, n, seed
):
    scene = scene_with(slopes=slopes, sinks=sinks, mask=mask, size=size, n=n, seed=seed)
    scene = set_gain(2, gain).apply(scene)
    result = compute(scene)
    near = 1e-12 * size
    for head in result.heads:
        a, lost = plain(head.head, result.allowed, head.gain)
        assert_allclose(head.weights, a, atol=near)
        assert_allclose(head.output, a @ head.values, atol=100 * near)
        sees = result.allowed.any(axis=1)
        if head.head.sink is None:
            assert head.sink_shares is None
        else:
            assert_allclose(head.sink_shares[sees], lost[sees], atol=near)
            assert np.isnan(head.sink_shares[~sees]).all()
        for t in np.flatnonzero(a.sum(axis=1) > 1e-9):
            shares = a[t] / a[t].sum()
            bits = -sum(p * math.log2(p) for p in map(float, shares) if p > 0)
            assert head.row_entropy_bits[t] == pytest.approx(bits, abs=100 * near)
    assert in_bounds(result) <= 1


def test_a_scene_of_one_position():
    head = compute(scene_with(slopes=[0.5], sinks=[0.0], n=1)).heads[0]
    score = float(head.scores[0, 0])
    assert head.weights[0, 0] == pytest.approx(1 / (1 + math.exp(-score)))
    assert head.row_entropy_bits[0] == 0.0


def test_a_slope_of_0_and_no_sink_is_none_to_the_bit():
    plain_scene = scene_with(slopes=[0.0, 0.0])
    other = set_slope(1, -0.0).apply(set_sink(2, None).apply(plain_scene))
    assert other == plain_scene
    one, two = compute(plain_scene), compute(other)
    assert one.heads[0].weights.tobytes() == two.heads[0].weights.tobytes()
    assert not math.copysign(1, other.heads[0].slope) < 0


def test_what_a_small_and_a_large_sink_take():
    scene = scene_with(slopes=[0.0], sinks=[-1e30])
    bare = compute(set_sink(1, None).apply(scene))
    least, most = compute(scene), compute(set_sink(1, 1e30).apply(scene))
    assert_allclose(least.heads[0].weights, bare.heads[0].weights, atol=1e-15)
    assert_allclose(least.heads[0].row_entropy_bits, bare.heads[0].row_entropy_bits, atol=1e-14)
    head = most.heads[0]
    assert not head.weights.any()
    assert np.isnan(head.row_entropy_bits).all()
    assert_array_equal(head.sink_shares, np.ones(7))
    assert not head.output.any()
    assert not most.output.any()


def test_entropies_are_those_of_the_keys_shares_whatever_the_sink_takes():
    bits = [
        compute(scene_with(slopes=[0.2], sinks=[sink])).heads[0].row_entropy_bits
        for sink in (None, -4.0, 0.0, 6.0)
    ]
    for other in bits[1:]:
        assert_allclose(other, bits[0], atol=1e-14)


def test_at_gain_0_the_slope_acts_alone():
    head = compute(set_gain(1, 0.0).apply(scene_with(slopes=[0.5]))).heads[0]
    for t, row in enumerate(head.weights):
        e = np.exp(-0.5 * (t - np.arange(t + 1.0)))
        assert_allclose(row[: t + 1], e / e.sum(), atol=1e-15)


# --- computed again


def test_a_slope_or_a_sink_redoes_the_softmax_of_its_head_alone():
    scene = scene_with(slopes=[0.5, 0.25, 0.0], sinks=[None, 0.0, 1.0])
    first = compute(scene)
    for edit in (set_slope(2, 0.75), set_sink(2, 2.0), set_sink(2, None)):
        after = edit.apply(scene)
        result = compute(after, first)
        of_heads = [made for made in result.made if made.startswith("head")]
        assert all(made.startswith("head 2") for made in of_heads)
        assert "head 2 weights" in of_heads
        assert not {"head 2 scores", "head 2 values", "head 2 q"} & set(of_heads)
        assert result.heads[0] is first.heads[0]
        assert result.heads[1].scores is first.heads[1].scores
        full = compute(after)
        for name in ("weights", "row_entropy_bits", "output", "term"):
            one, other = getattr(result.heads[1], name), getattr(full.heads[1], name)
            assert one.tobytes() == other.tobytes(), name
        assert result.output.tobytes() == full.output.tobytes()


def test_a_drag_goes_on_while_it_is_computed():
    scene = scene_with(slopes=[0.5], sinks=[0.0])
    for edit in (set_slope(1, 0.75), set_sink(1, 2.0), set_sink(1, None), SetAlibi(True)):
        after = edit.apply(scene)
        assert moves_numbers_alone(after, scene)
        assert effort(after, scene) > 0


@pytest.mark.parametrize("sink", [None, 0.0])
def test_gains_act_unless_all_scores_are_alike(sink):
    scene = scene_with(slopes=[0.5], sinks=[sink])
    assert compute(scene).heads[0].scores_differ
    q = np.zeros((7, 2))
    alike = HandSet(1, q, q).apply(scene)
    assert not compute(alike).heads[0].scores_differ
    q, k = np.ones((7, 2)), np.ones((7, 2))  # the same score everywhere, but another than the sink
    constant = HandSet(1, q, k).apply(scene)
    assert compute(constant).heads[0].scores_differ is (sink is not None)
    gained = compute(set_gain(1, 3.0).apply(constant))
    moved = np.abs(gained.heads[0].weights - compute(constant).heads[0].weights).max() > 1e-3
    assert moved is np.bool_(sink is not None)


# --- what is refused


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"slope": -0.5}, "The ALiBi slope of head “head 1” must be a number from 0 to 1e+30;"),
        ({"slope": math.nan}, "The ALiBi slope of head “head 1” must be a number from 0"),
        ({"slope": math.inf}, "The ALiBi slope of head “head 1” must be a number from 0"),
        ({"sink": math.nan}, "The sink logit of head “head 1” must be a number from -1e+30 to"),
        ({"sink": -math.inf}, "The sink logit of head “head 1” must be a number from -1e+30 to"),
        ({"sink": 1e31}, "The sink logit of head “head 1” must be a number from -1e+30 to 1e+30;"),
    ],
)
def test_numbers_that_no_head_has(changes, sentence):
    with pytest.raises(UserError) as caught:
        scene_with(slopes=[0.0]).with_head(1, **changes)
    assert str(caught.value).startswith(sentence)


def weights_alone():
    a = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    head = Head(1, "given", Pattern.GIVEN, np.zeros((1, 1)), a=a)
    return Scene("weights", "", (head,), np.zeros((4, 1)), np.zeros((1, 1)), 1, has_values=False)


@pytest.mark.parametrize("edit", [set_slope(1, 0.5), add_sink(1)])
def test_given_weights_take_neither(edit):
    with pytest.raises(UserError, match="in which slope and sink are already: it takes neither"):
        edit.apply(weights_alone())


@pytest.mark.parametrize("edit", [SetAlibi(True), SetSinks(True)])
def test_where_all_weights_are_given_there_is_nothing_to_set(edit):
    with pytest.raises(UserError, match="All heads have given weights, in which bias and sink"):
        edit.apply(weights_alone())
    assert not has_standard_slopes(weights_alone())


@pytest.mark.parametrize("changes", [{"slope": 0.1}, {"sink": 0.0}])
def test_weights_have_to_be_kept(changes):
    heads = [
        Head(uid, "u", Pattern.UNIFORM, np.ones((1, 1)), **(changes if uid == 1 else {}))
        for uid in range(1, 65)
    ]
    longest = most_kept(64)
    w_o = np.zeros((64, 1))
    Scene("fits", "", heads, np.zeros((longest, 1)), w_o, 1)
    with pytest.raises(UserError, match="With an ALiBi slope or a sink logit, T is at most 1,024"):
        Scene("long", "", heads, np.zeros((longest + 1, 1)), w_o, 1)


# --- edits


def test_alibi_for_all_heads_and_off_again():
    on = SetAlibi(True).apply(LESSON)
    assert [head.slope for head in on.heads] == core.alibi_slopes(4).tolist()
    assert has_standard_slopes(on)
    assert not has_standard_slopes(set_slope(1, 0.5).apply(on))
    assert SetAlibi(False).apply(on) == LESSON


def test_sinks_for_all_heads_keep_those_that_are():
    own = set_sink(2, 1.5).apply(LESSON)
    on = SetSinks(True).apply(own)
    assert [head.sink for head in on.heads] == [0.0, 1.5, 0.0, 0.0]
    assert SetSinks(False).apply(on) == LESSON


def test_heads_of_given_weights_stay_as_they_are():
    a = np.tril(np.ones((6, 6)))
    mixed = LESSON.with_head(2, pattern=Pattern.GIVEN, a=a)
    on = SetSinks(True).apply(SetAlibi(True).apply(mixed))
    assert on.heads[1] == mixed.heads[1]
    assert on.heads[0].slope == 2**-2
    assert has_standard_slopes(on)


def test_a_head_keeps_both_with_another_pattern_and_loses_them_by_rows():
    scene = set_sink(1, 2.0).apply(set_slope(1, 0.5).apply(LESSON))
    head = SetPattern(1, Pattern.UNIFORM).apply(scene).heads[0]
    assert (head.slope, head.sink) == (0.5, 2.0)
    q = np.eye(6, 2)
    head = HandSet(1, q, q).apply(scene).heads[0]
    assert (head.slope, head.sink) == (0.5, 2.0)
    head = HandSet(1, q, q, "Design head by rows", gain=1.0).apply(scene).heads[0]
    assert (head.slope, head.sink) == (0.0, None)


def test_a_drag_is_one_step():
    for edits in ([set_slope(1, s) for s in (0.1, 0.2)], [set_sink(1, s) for s in (1.0, 2.0)]):
        assert len({edit.merge_key for edit in edits}) == 1
    assert set_slope(1, 0.1).merge_key != set_slope(2, 0.1).merge_key
    assert set_sink(1, None).merge_key is None


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (set_slope(2, 0.25), "h2 slope 0.25"),
        (set_sink(3, 1.5), "h3 sink 1.5"),
        (add_sink(3), "h3 sink 0"),
    ],
)
def test_what_changed_is_told(edit, told):
    assert difference(LESSON, edit.apply(LESSON)) == told
    undone = edit.apply(LESSON)
    assert difference(undone, LESSON).split(" ", 1)[1] in ("no slope", "no sink")


# --- files


def test_files_hold_both_and_say_nothing_of_none():
    scene = set_sink(2, -1.5).apply(set_slope(1, 1 / 3).apply(LESSON))
    for text in (scene_to_json(scene), scene_to_json(LESSON)):
        assert scene_from_json(text) == (scene if text == scene_to_json(scene) else LESSON)
    assert b"slope" not in scene_to_json(LESSON)
    assert b"sink" not in scene_to_json(LESSON)
    assert session_from_bytes(session_to_bytes(Session.of(scene))).scene == scene


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ('"slope": -1', "The ALiBi slope of head"),
        ('"slope": 1e99', "The ALiBi slope of head"),
        ('"slope": "steep"', "slope"),
        ('"sink": 1e99', "The sink logit of head"),
        ('"sink": [1, 2]', "sink"),
        ('"sinks": 1', "sinks"),
    ],
)
def test_hostile_entries_are_refused(entry, sentence):
    text = scene_to_json(LESSON).decode().replace('"uid":', f'{entry}, "uid":', 1)
    with pytest.raises(UserError, match=sentence):
        scene_from_json(text.encode())


# --- what is said of a cell


def test_the_arithmetic_of_a_cell():
    scene = scene_with(slopes=[0.5], sinks=[0.75])
    result = compute(scene)
    row = row_arithmetic(result, 0, 4)
    away = np.abs(4 - np.arange(7))
    assert_allclose(row.biased, row.gained - 0.5 * away)
    assert row.largest == int(np.argmax(row.biased[:5]))
    assert row.subtracted == max(row.biased[:5].max(), 0.75)
    assert_allclose(row.exponentials[:5], np.exp(row.biased[:5] - row.subtracted))
    assert row.sink_exponential == pytest.approx(math.exp(0.75 - row.subtracted))
    assert row.total == pytest.approx(row.exponentials.sum() + row.sink_exponential)
    assert_allclose(row.exponentials / row.total, row.weights, atol=1e-15)
    assert row.sink_share == pytest.approx(row.sink_exponential / row.total)


@pytest.mark.parametrize("sink", [None, 1e6])
def test_a_row_that_sees_no_key_has_no_arithmetic(sink):
    scene = scene_with(slopes=[0.5], sinks=[sink], mask=MaskRule(left=2))
    row = row_arithmetic(compute(scene), 0, 0)
    assert (row.n_allowed, row.total, row.sink_share) == (0, 0.0, 0.0)
    assert not row.exponentials.any()


def test_the_stages_show_the_bias():
    scene = scene_with(slopes=[0.5], sinks=[0.0])
    result = compute(scene)
    g_s, bias, both = study_stage(scene, result, 0, GAINED).matrices
    assert [m.name for m in (g_s, bias, both)] == ["g·S", "bias", "g·S + bias"]
    assert_array_equal(both.values, g_s.values + bias.values)
    assert bias.values[5, 2] == -1.5
    assert_array_equal(study_stage(scene, result, 0, SOFTMAX).matrices[0].values, both.values)
    head = scene.heads[0]
    assert stage_of(GAINED, scene.mask, head).formula == "g·S − slope·|t − i|"
    assert stage_of(MASKED, scene.mask, head).formula == "g·S + bias where i ≤ t"
    assert stage_of(SOFTMAX, scene.mask, head).formula == "A = softmax(g·S + bias, sink)"
    assert stage_of(SOFTMAX, scene.mask, LESSON.heads[0]) is stage_of(SOFTMAX, scene.mask)


# --- what follows from the weights


def test_no_filter_is_approached():
    scene = SetAlibi(True).apply(LESSON)
    result = compute(scene)
    assert row_response(result.heads[0], 3).ideal is None
    assert filter_of(scene.heads[0]) == "none with a bias"


def test_no_gain_is_looked_for_with_a_slope_and_a_sink_does_not_matter():
    scene = scene_with(slopes=[0.5])
    with pytest.raises(UserError, match="ALiBi slope, which a gain does not scale"):
        edit_for(scene, compute(scene), 1, 5, 3.0)
    scene = scene_with(sinks=[2.0])
    solved = edit_for(scene, compute(scene), 1, 5, 3.0).apply(scene)
    assert compute(solved).heads[0].effective_positions[5] == pytest.approx(3.0)


@pytest.mark.parametrize("change", [SetAlibi(True), SetSinks(True)])
def test_information_is_that_of_the_weights(change):
    words = load_lesson("induction")
    scene = change.apply(words)
    result = compute(scene)
    told = study_information(scene, result, 3)
    assert all(head.bits >= 0 or math.isnan(head.bits) for head in told.heads)
    bits = study_divergences(result).bits
    shares = [head.weights / head.weights.sum(axis=1, keepdims=True) for head in result.heads]
    one, other = shares[:2]
    wanted = core.jensen_shannon_bits(one, other).mean()
    assert bits[0, 1] == pytest.approx(float(wanted), abs=1e-12)


def test_uniform_attention_keeps_what_the_sink_takes():
    scene = scene_with(sinks=[1.0])
    result = compute(scene)
    head = result.heads[0]
    effect = ablation_effect(scene, result, [Ablation(AblationKind.UNIFORM, 0)])
    kept = 1 - head.sink_shares
    uniform = np.tril(np.ones((7, 7))) / np.arange(1, 8)[:, None] * kept[:, None]
    wanted = (uniform @ head.values - head.output) @ scene.w_o
    assert_allclose(effect.change, wanted, atol=1e-12)


def test_a_cut_edge_leaves_its_part_to_the_sink_as_well():
    scene = scene_with(slopes=[0.25], sinks=[1.0])
    result = compute(scene)
    head = result.heads[0]
    effect = ablation_effect(scene, result, [Ablation(AblationKind.EDGE, 0, query=5, key=2)])
    allowed = np.tri(7, dtype=bool)
    allowed[5, 2] = False
    a, _ = plain(head.head, allowed, 1.0)
    wanted = (a[5] @ head.values - head.output[5]) @ scene.w_o
    assert_allclose(effect.change[5], wanted.astype(float), atol=1e-12)


# --- numbers and words that leave the program


def test_data_files_have_columns_for_both_where_a_head_has_any():
    scene = set_sink(2, 1.5).apply(set_slope(1, 0.25).apply(LESSON))
    result = compute(scene)
    found = arrays(scene, result)
    assert_array_equal(found["slopes"], [0.25, 0, 0, 0])
    assert_array_equal(found["sinks"], [np.nan, 1.5, np.nan, np.nan])
    assert_array_equal(found["sink_shares"][1], result.heads[1].sink_shares)
    assert np.isnan(found["sink_shares"][0]).all()
    rows = list(csv.DictReader(io.StringIO(csv_of(scene, result).decode())))
    of_2 = [row for row in rows if (row["head"], row["t"]) == ("2", "4")]
    total = sum(float(row["weight"]) for row in of_2)
    assert float(of_2[0]["sink_share"]) == pytest.approx(1 - total)
    assert {row["slope"] for row in rows if row["head"] == "1"} == {"0.25"}
    assert {(row["sink"], row["sink_share"]) for row in rows if row["head"] == "1"} == {("", "")}
    bare = compute(LESSON)
    assert not {"slopes", "sinks", "sink_shares"} & arrays(LESSON, bare).keys()
    assert b"slope" not in csv_of(LESSON, bare)


def test_reports_tell_of_both():
    scene = set_sink(2, 1.5).apply(set_slope(1, 0.25).apply(LESSON))
    result = compute(scene)
    heads = report(scene, result)["heads"]
    assert (heads[0]["slope"], heads[0]["sink"], heads[1]["sink"]) == (0.25, None, 1.5)
    assert heads[1]["sink_shares"] == result.heads[1].sink_shares.tolist()
    text = report_text(scene, result)
    assert "ALiBi slopes: h1 0.25." in text
    assert "Sink logits: h2 1.5;" in text
    told = [str(block) for block in report_of(Subject(scene, result)).sections[1].blocks]
    assert any("Sink logits: h2 1.5;" in block for block in told)
    assert "slope" not in report(LESSON, compute(LESSON))["heads"][0]


@pytest.mark.parametrize("change", [SetAlibi(True), add_sink(3)])
def test_scripts_are_refused(change):
    scene = change.apply(LESSON)
    with pytest.raises(UserError, match="without ALiBi slopes and sink logits"):
        script("heads", Subject(scene, compute(scene)))


def test_a_mask_goes_with_both():
    scene = SetMask(MaskRule(MaskKind.FULL)).apply(SetAlibi(True).apply(LESSON))
    result = compute(set_gain(4, 0.0).apply(scene))
    slope = core.alibi_slopes(4)[3]
    row = np.exp(-slope * np.abs(2 - np.arange(6)))
    assert_allclose(result.heads[3].weights[2], row / row.sum(), atol=1e-15)
