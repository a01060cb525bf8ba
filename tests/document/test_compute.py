import gc
import math
import weakref
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mhagui import core
from mhagui.document import Pattern, compute, load_lesson
from mhagui.document.edits import (
    AddHead,
    DuplicateHead,
    HandSet,
    MoveHead,
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
from mhagui.document.new_scene import new_scene
from mhagui.document.recall import Recall

# -------------------------------------------------------------------------------- what is computed


def softmax_rows(scores, gain, allowed):
    """Weights over the allowed keys as a textbook writes them, row by row."""
    weights = np.zeros_like(scores)
    for row, sees, exponents in zip(weights, allowed, gain * scores, strict=True):
        if sees.any():
            e = np.exp(exponents[sees] - exponents[sees].max())
            row[sees] = e / e.sum()
    return weights


def bits_of(row):
    """The entropy of a row's shares, NaN where it has none."""
    shares = [float(weight / row.sum()) for weight in row if weight > 0]
    return -sum(p * math.log2(p) for p in shares) if shares else math.nan


def plain_weights(scene, head, made, gain):
    """Scores, and weights, of a head of any kind."""
    allowed = scene.mask.allowed(scene.n_positions)
    if head.a is None:
        scores = made.q @ made.k.T / math.sqrt(scene.d_k)
        return scores, softmax_rows(scores, gain, allowed)
    scores = np.log(np.maximum(head.a, 2.0**-1022))
    return scores, softmax_rows(scores, gain, allowed) * head.a.sum(axis=1, keepdims=True)


@given(st.data())
def test_a_result_is_what_the_formulas_say(scenes, data):
    scene = data.draw(scenes)
    result = compute(scene)
    output = np.zeros((scene.n_positions, scene.d_model))
    size = 0.0  # of the products before anything cancels, which is what rounding is relative to
    for index, (head, made) in enumerate(zip(scene.heads, result.heads, strict=True)):
        assert made.head is head
        gain = head.gain * scene.master_gain
        scores, weights = plain_weights(scene, head, made, gain)
        assert_allclose(made.scores, scores, rtol=1e-12)
        # An exponent is rounded as it is large, and a weight by as much.
        rounding = 16 * np.finfo(float).eps * np.abs(gain * made.scores).max()
        assert_allclose(made.weights, weights, rtol=1e-9 + rounding, atol=1e-12)
        bits = [bits_of(row) for row in weights]
        assert_allclose(made.row_entropy_bits, bits, atol=1e-9 + 64 * rounding)
        assert_allclose(made.effective_positions, np.exp2(bits), rtol=1e-9 + 64 * rounding)
        values = np.einsum("tm,mv->tv", made.x, head.w_v)
        values = values if head.b_v is None else values + head.b_v
        assert_allclose(made.values, values, atol=1e-9)
        o = made.weights @ made.values
        assert_allclose(made.output, o, rtol=1e-12, atol=1e-12 * np.abs(made.values).max())
        block = scene.w_o[index * scene.d_v :][: scene.d_v]
        read = np.abs(made.x) @ np.abs(head.w_v) + (0 if head.b_v is None else np.abs(head.b_v))
        size += np.max(read @ np.abs(block)) * max(1.0, made.weights.sum(axis=1).max())
        if made.active:
            output += made.output @ block
        assert_allclose(result.listening[:, index], np.linalg.norm(block, axis=0), rtol=1e-12)
    bias = 0 if scene.b_o is None else scene.b_o
    assert_allclose(result.output - bias, output, rtol=0, atol=1e-12 * (size + np.abs(bias).max()))
    assert_allclose(result.terms.sum(axis=0), output, rtol=0, atol=1e-12 * size)
    assert result.filter_bank_residual <= result.residual_bound <= 1e-12 * size


def test_muted_heads_are_taken_out_before_w_o(two_heads, expected):
    result = compute(set_muted(2, True).apply(two_heads))
    concat = np.array(expected["two_heads"]["concat"])
    assert result.concat[:, 2:].tolist() == np.zeros((4, 2)).tolist()
    assert result.terms[1].tolist() == np.zeros((4, 4)).tolist()
    assert_allclose(result.concat[:, :2], concat[:, :2], atol=1e-15)
    assert_allclose(result.output[:, :2], result.concat[:, :2], atol=1e-15)  # W_O^(1) = [I 0]
    assert result.heads[1].output.any()  # its own output is still there to be seen


def test_the_ceiling_is_the_logarithm_of_the_allowed_keys(four_heads):
    assert_allclose(compute(four_heads).ceiling_bits, [math.log2(t) for t in range(1, 7)])


@pytest.mark.parametrize(
    ("edits", "standings"),
    [
        ([], ["", "", "", ""]),
        ([set_muted(2, True)], ["", "muted", "", ""]),
        ([set_soloed(1, True)], ["soloed", "not soloed", "not soloed", "not soloed"]),
        (
            [set_soloed(1, True), set_muted(2, True), set_muted(2, False), set_muted(3, True)],
            ["soloed", "not soloed", "muted", "not soloed"],
        ),
        ([set_soloed(1, True), set_muted(1, True)], ["soloed", *["not soloed"] * 3]),
    ],
)
def test_standing_says_why_a_head_is_heard_or_not(four_heads, edits, standings):
    scene = four_heads
    for edit in edits:
        scene = edit.apply(scene)
    assert [head.standing for head in compute(scene).heads] == standings


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_largest_numbers_a_scene_can_hold_overflow_nowhere(two_heads, sign):
    huge = 1e30
    full = np.full((4, 2), huge)
    given = {"pattern": Pattern.PROJECTED, "w_q": full, "w_k": -sign * full}
    heads = [
        replace(head, w_v=sign * full, gain=1e308, key_magnitude=huge) for head in two_heads.heads
    ]
    heads += [replace(heads[0], uid=2 + layer, layer=layer, **given) for layer in (1, 2)]
    x, w_o = np.full((4, 4), huge), np.full((8, 4), sign * huge)
    result = compute(replace(two_heads, heads=heads, x=x, w_o=w_o))
    for array in all_arrays(result).values():
        assert np.isfinite(array).all()


# ------------------------------------------------------------------------------------ what is kept


def all_arrays(result):
    """Every array and number of a result by name, those made when asked for as well."""
    named = {}
    for prefix, record in (("", result), *((f"{i}.", h) for i, h in enumerate(result.heads))):
        for field in fields(record):
            value = getattr(record, field.name)
            if isinstance(value, np.ndarray | float | bool):
                named[prefix + field.name] = np.asarray(value)
    named["ceiling_bits"] = result.ceiling_bits
    for i, head in enumerate(result.heads):
        for name in ("term", "score_singular_values", "weight_singular_values"):
            named[f"{i}.{name}"] = getattr(head, name)
        for name in ("score_rank", "effective_rank"):
            named[f"{i}.{name}"] = np.asarray(getattr(head, name))
    return named


def bits(result):
    return {name: (a.shape, a.dtype, a.tobytes()) for name, a in all_arrays(result).items()}


@given(st.data())
def test_what_is_taken_over_is_to_the_bit_what_is_computed_anew(scenes, draw_edit, data):
    scene, result = data.draw(scenes), None
    for _ in range(data.draw(st.integers(1, 6))):
        result = compute(scene, result)
        assert bits(result) == bits(compute(scene))
        scene = draw_edit(data.draw, scene).apply(scene)


def test_every_array_is_read_only_and_the_mask_too(four_heads):
    result = compute(set_muted(1, True).apply(four_heads), compute(four_heads))
    arrays = {name: a for name, a in all_arrays(result).items() if a.ndim}
    assert {"allowed", "concat", "0.scores", "0.score_singular_values"} <= arrays.keys()
    assert not [name for name, a in arrays.items() if a.flags.writeable]


def cell(row, column, value):
    return SetProjectionBlock(row, column, np.array([[value]]))


def of_head(uid, *steps):
    return {f"head {uid}", *(f"head {uid} {step}" for step in steps)}


# What hangs on a head's gain, on its scores, and on its rows of W_O, where d_model is 16 at most.
BY_GAIN = "weights", "positions", "mixed", "term 0", "term", "output", "weight spectrum"
BY_SCORES = "factors", "scores", "differ", "score spectrum", *BY_GAIN
BY_BLOCK = "channels 0", "term 0", "term"
SUMS = {"concat", "output 0", "residual 0"}
ABLATION = SUMS | {"w_v 1", "bound 1 0"}
PROJECTION = {"output 0", "residual 0", "bound 1 0", "listening 0", "listening"}
PACKED = {"W_Q", "W_K"}
OF_HEADS = SUMS | PROJECTION | PACKED | {"w_v 1", "W_V"}  # of which heads there are
OF_LENGTH = {"allowed", "keys seen", "ceiling", "zero", "bound 1 0"}
ALL_HEADS = 1, 2, 3, 4


def made_by(edit, scene):
    """Return which steps are made of the edited scene, and check that each was made once."""
    made = compute(edit.apply(scene), compute(scene)).made
    assert len(set(made)) == len(made)
    return set(made)


def of_all(*steps):
    return set().union(*(of_head(uid, *steps) for uid in ALL_HEADS))


def test_from_scratch_everything_is_made_once(four_heads):
    made = compute(four_heads).made
    assert len(set(made)) == len(made)
    wanted = of_all(*BY_SCORES, *BY_BLOCK, "values", "read")
    assert set(made) == wanted | OF_HEADS | OF_LENGTH


def test_of_the_same_scene_nothing_is_made_again(four_heads):
    result = compute(four_heads)
    assert compute(four_heads, result).made == ()
    assert compute(replace(four_heads, title="another"), result).made == ()


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (set_gain(2, 2.0), of_head(2, *BY_GAIN) | SUMS),
        (SetMasterGain(2.0), of_all(*BY_GAIN) | SUMS),
        (set_key_magnitude(2, 6.0), of_head(2, *BY_SCORES) | SUMS | PACKED),
        (SetPattern(2, Pattern.SELF), of_head(2, *BY_SCORES) | SUMS | PACKED),
        (cell(2, 0, 5.0), of_head(2, *BY_BLOCK) | PROJECTION),
        (
            SetProjectionBlock(1, 0, np.full((2, 1), 5.0)),
            of_head(1, *BY_BLOCK) | of_head(2, *BY_BLOCK) | PROJECTION,
        ),
        (set_muted(2, True), of_head(2) | ABLATION),
        (set_soloed(2, True), of_all() | ABLATION),
        (rename_head(2, "unit delay"), of_head(2)),
        (MoveHead(1, 3), OF_HEADS | {"W_V"}),
        (RemoveHead(2), OF_HEADS),
        (DuplicateHead(2), of_head(5, *BY_SCORES, *BY_BLOCK, "values", "read") | OF_HEADS),
        (AddHead(Pattern.SELF), of_head(5, *BY_SCORES, *BY_BLOCK, "values", "read") | OF_HEADS),
        (
            SetSequenceLength(7),
            of_all(*BY_SCORES, "values", "read", "channels 0")
            | SUMS
            | PACKED
            | {"W_V"}
            | OF_LENGTH,
        ),
    ],
)
def test_an_edit_redoes_only_what_it_changes(four_heads, edit, wanted):
    assert made_by(edit, four_heads) == wanted


@pytest.fixture
def wide(four_heads):
    """Return the four heads with forty output channels: three blocks of columns."""
    numbers = np.random.default_rng(7)
    heads = tuple(
        replace(head, w_v=numbers.normal(size=(40, 2)), layer=1) for head in four_heads.heads
    )
    return replace(
        four_heads, heads=heads, x=numbers.normal(size=(6, 40)), w_o=numbers.normal(size=(8, 40))
    )


@pytest.mark.parametrize(("column", "block"), [(0, 0), (15, 0), (16, 1), (39, 2)])
def test_a_cell_of_w_o_redoes_the_columns_that_it_stands_in(wide, column, block):
    before, edit = compute(wide), cell(3, column, 5.0)
    after = compute(edit.apply(wide), before)
    assert set(after.made) == {
        *of_head(2, f"channels {block}", f"term {block}", "term"),
        *(f"{step} {block}" for step in ("output", "residual", "bound 1", "listening")),
        *("output", "listening"),
    }
    parts = after.heads[1].term_parts, before.heads[1].term_parts
    same = [now is old for now, old in zip(*parts, strict=True)]
    assert [place for place, is_same in enumerate(same) if not is_same] == [block]
    assert np.flatnonzero((after.output != before.output).any(axis=0)).tolist() == [column]
    assert bits(after) == bits(compute(edit.apply(wide)))


def test_a_pasted_block_of_w_o_redoes_the_columns_that_it_touches(wide):
    made = made_by(SetProjectionBlock(1, 14, np.full((2, 4), 5.0)), wide)
    assert {step for step in made if step.startswith(("head", "output"))} == {
        *of_head(1, "channels 0", "channels 1", "term 0", "term 1", "term"),
        *of_head(2, "channels 0", "channels 1", "term 0", "term 1", "term"),
        *("output 0", "output 1", "output"),
    }


def test_arrays_in_tuples_are_the_same_input_when_they_are_the_same_objects():
    made = []
    one, other = np.zeros(2), np.zeros(2)
    steps = {}
    for parts in (((one, 1.0), None), ((one, 1.0), None), ((other, 1.0), None), ((other, 2.0),)):
        recall = Recall(steps)
        recall("step", made.append, parts)
        steps = recall.steps
    assert [len(parts) for parts in made] == [2, 2, 1]
    assert [parts[0][0] is one for parts in made] == [True, False, False]


def test_a_gain_redoes_the_columns_that_hear_the_head():
    scene = new_scene(32, 4, d_k=4, d_v=8, d_model=32)  # each head is heard in columns of its own
    before, edit = compute(scene), set_gain(3, 2.0)
    after = compute(edit.apply(scene), before)
    assert {
        step for step in after.made if step.startswith(("output", "residual", "head 3 term"))
    } == {
        *("output 1", "output", "residual 1"),
        *("head 3 term 1", "head 3 term"),
    }
    changed = np.flatnonzero((after.output != before.output).any(axis=0))
    assert set(changed) <= set(range(16, 24))
    assert len(changed)
    assert bits(after) == bits(compute(edit.apply(scene)))


def test_a_head_weighs_only_features_that_it_reads(monkeypatch):
    widths, weighted_sums = [], core.weighted_sums

    def noted(weights, values, **mask):
        widths.append(values.shape[1])
        return weighted_sums(weights, values, **mask)

    monkeypatch.setattr(core, "weighted_sums", noted)
    numbers, scene = np.random.default_rng(4), new_scene(10, 4, d_k=4, d_v=8, d_model=32)
    w_v = np.zeros((32, 8))
    w_v[[3, 30]] = numbers.normal(size=(2, 8))
    heads = replace(scene.heads[0], w_v=w_v), replace(scene.heads[1], w_v=np.zeros((32, 8)))
    x, w_o = numbers.normal(size=(10, 32)), numbers.normal(size=(32, 32))
    few, none, *_ = compute(replace(scene, heads=heads + scene.heads[2:], x=x, w_o=w_o)).heads
    assert widths[:2] == [2, 8]
    assert_allclose(few.term, few.weights @ x @ (w_v @ w_o[:8]), atol=1e-12)
    assert not none.term.any()


def test_columns_that_hear_nobody_are_as_long_as_the_sequence():
    scene = new_scene(6, 2, d_k=4, d_v=8, d_model=32)  # of 32 channels the heads fill 16
    result = compute(SetSequenceLength(9).apply(scene), compute(scene))
    assert result.output.shape == result.heads[0].term.shape == (9, 32)
    assert not result.output[:, 16:].any()


def test_an_undo_redoes_as_little_as_the_edit(four_heads):
    after = compute(set_gain(2, 2.0).apply(four_heads), compute(four_heads))
    assert set(compute(four_heads, after).made) == of_head(2, *BY_GAIN) | SUMS


@pytest.fixture
def calls(monkeypatch):
    """Count the calls of the core's functions."""
    counter = Counter()

    def counted(name, function):
        def count_and_call(*args, **kwargs):
            counter[name] += 1
            return function(*args, **kwargs)

        return count_and_call

    for name in ("singular_values", "score_singular_values", "score_rank"):
        monkeypatch.setattr(core, name, counted(name, getattr(core, name)))
    return counter


def test_spectra_are_made_when_asked_for_and_then_kept(four_heads, calls):
    result = compute(four_heads)
    assert not result.heads[1].weight_spectrum.is_known
    assert calls["singular_values"] == 0
    for head in result.heads:
        _ = head.effective_rank, head.weight_singular_values, head.score_rank
        _ = head.score_singular_values, head.effective_rank
    assert result.heads[1].weight_spectrum.is_known
    calls.clear()
    after = compute(set_gain(2, 2.0).apply(four_heads), result)
    assert [head.weight_spectrum.is_known for head in after.heads] == [True, False, True, True]
    for head in after.heads:
        _ = head.effective_rank, head.weight_singular_values, head.score_rank
    assert (calls["singular_values"], calls["score_rank"], calls["score_singular_values"]) == (
        1, 0, 0,
    )  # fmt: skip


def test_arrays_of_heads_that_did_not_change_are_the_same_objects(four_heads):
    before = compute(four_heads)
    after = compute(set_gain(2, 2.0).apply(four_heads), before)
    for index, head in enumerate(after.heads):
        is_same = [
            getattr(head, field.name) is getattr(before.heads[index], field.name)
            for field in fields(head)
            if isinstance(getattr(head, field.name), np.ndarray)
        ]
        assert len(is_same) == 9
        assert all(is_same) == (head.joined is before.heads[index].joined) == (index != 1)
    assert after.heads[1].scores is before.heads[1].scores
    assert after.allowed is before.allowed
    assert after.listening is before.listening


def test_no_result_holds_on_to_the_one_before_the_last(four_heads):
    scene, results = four_heads, [compute(four_heads)]
    first_weights = weakref.ref(results[0].heads[1].weights)
    for gain in (2.0, 3.0):
        scene = set_gain(2, gain).apply(scene)
        results = [compute(scene, results[0])]
    gc.collect()
    assert first_weights() is None


def test_an_earlier_w_o_is_let_go_though_most_heads_are_taken_over():
    scene = load_lesson("four-heads")
    scene = replace(scene, w_o=scene.w_o + 1.0)
    first_w_o, result = weakref.ref(scene.w_o), compute(scene)
    scene = SetProjectionBlock(0, 0, np.array([[5.0]])).apply(scene)
    result = compute(scene, result)
    assert "head 1" in result.made
    assert "head 2" not in result.made
    gc.collect()
    assert first_w_o() is None


def test_a_projected_head_can_become_hand_set_and_back():
    scene = load_lesson("content-position")
    result = compute(scene)
    for head in result.heads:
        uid = head.head.uid
        hand_set = HandSet(uid, head.q, head.k).apply(scene)
        taken_over = compute(hand_set, result)
        assert bits(taken_over) == bits(compute(hand_set))
        assert bits(compute(scene, taken_over)) == bits(result)
