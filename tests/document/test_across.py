"""Maps from queries to keys that are not their positions: of another sequence, or before them."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mhagui import core
from mhagui.data.tidy import render_data
from mhagui.document import Cursor, Head, Pattern, Scene, Session, ViewState, Window, compute
from mhagui.document.beginning import beginning
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import heads_with_room, scene_of
from mhagui.document.changes import difference
from mhagui.document.edits import (
    AddHead,
    DuplicateHead,
    MoveHead,
    OpenScene,
    RemoveHead,
    SetMask,
    SetPattern,
    SetSequenceLength,
    set_gain,
)
from mhagui.document.exercise_checks import two_at_once
from mhagui.document.exercise_list import exercises
from mhagui.document.exercises import Shown
from mhagui.document.information import study_information
from mhagui.document.known import why_unknown
from mhagui.document.mask_rule import MaskKind, MaskRule, rule_across
from mhagui.document.on_demand import are_kept
from mhagui.document.scorecard import scorecard
from mhagui.document.session_file import session_from_bytes, session_to_bytes, session_to_json
from mhagui.document.target import why_not_by_rows
from mhagui.document.token_edits import SetTokens
from mhagui.errors import UserError
from mhagui.report import report, report_text

LENGTHS = st.integers(1, 9)
ACROSS = MaskRule(MaskKind.FULL, across=True)


def weights(n_queries, n_keys, n_heads=2, *, seed=0, allowed=None):
    dice = np.random.default_rng(seed)
    cells = dice.random((n_heads, n_queries, n_keys)) ** 3 + 1e-3
    cells = cells if allowed is None else np.where(allowed, cells, 0.0)
    return cells / np.maximum(cells.sum(axis=2, keepdims=True), 1e-300)


def words(sign, count):
    return tuple(f"{sign}{number}" for number in range(count))


def captured(n_queries, n_keys, *, has_tokens=True, **layer):
    layer.setdefault("given", weights(n_queries, n_keys))
    layer = {name: part for name, part in layer.items() if part is not None}
    tokens = (words("q", n_queries), words("k", n_keys)) if has_tokens else ((), ())
    return Capture("a map", (CapturedLayer(0, **layer),), *tokens)


def across(n_queries, n_keys, **options):
    return scene_of(captured(n_queries, n_keys, **options), 0)


def entropy(row):
    shares = row[row > 0] / row.sum()
    return float(-(shares * np.log2(shares)).sum())


# ------------------------------------------------------------------------------------ the numbers


@given(LENGTHS, LENGTHS, st.integers(0, 50), st.sampled_from([1.0, 0.0, 2.5, -1.0]))
def test_numbers_are_those_of_plain_formulas(n_queries, n_keys, seed, gain):
    given_weights = weights(n_queries, n_keys, seed=seed)
    scene = across(n_queries, n_keys, given=given_weights, has_tokens=n_queries == n_keys)
    assert (scene.n_positions, scene.n_keys) == (n_queries, n_keys)
    result = compute(set_gain(scene.heads[0].uid, gain).apply(scene))
    powers = given_weights[0] ** gain
    expected = powers / powers.sum(axis=1, keepdims=True)
    head = result.heads[0]
    assert_allclose(head.weights, expected, atol=1e-12)
    assert_array_equal(result.heads[1].weights, given_weights[1])
    assert_allclose(head.row_entropy_bits, [entropy(row) for row in expected], atol=1e-9)
    sigma = np.linalg.svd(expected, compute_uv=False)
    shares = sigma[sigma > 0] / sigma.sum()
    assert len(head.weight_singular_values) == min(n_queries, n_keys)
    assert head.effective_rank == pytest.approx(np.exp(-(shares * np.log(shares)).sum()))
    assert result.allowed.shape == (n_queries, n_keys)
    assert result.allowed.all()
    assert_array_equal(result.n_allowed, [n_keys] * n_queries)
    assert_allclose(result.ceiling_bits, np.log2(n_keys))


@given(LENGTHS, LENGTHS, st.data())
def test_padding_is_of_the_keys_alone(n_queries, n_keys, data):
    left = data.draw(st.integers(0, n_keys - 1))
    right = data.draw(st.integers(0, n_keys - 1 - left))
    allowed = np.zeros((n_queries, n_keys), dtype=bool)
    allowed[:, left : n_keys - right] = True
    has_tokens = n_queries == n_keys
    given_weights = weights(n_queries, n_keys, allowed=allowed)
    scene = across(n_queries, n_keys, given=given_weights, allowed=allowed, has_tokens=has_tokens)
    assert scene.mask == MaskRule(MaskKind.FULL, 0, left, right, across=True)
    result = compute(scene)
    assert_array_equal(result.allowed, allowed)
    assert_array_equal(result.n_allowed, allowed.sum(axis=1))
    assert_array_equal(result.heads[1].weights, given_weights[1])
    assert beginning(scene).n_keys == n_keys


@given(LENGTHS, st.integers(1, 9))
def test_queries_may_be_the_last_of_the_keys(n_queries, n_before):
    n_keys = n_queries + n_before
    allowed = core.causal_mask(n_queries, n_keys)
    given_weights = weights(n_queries, n_keys, allowed=allowed)
    scene = across(n_queries, n_keys, given=given_weights, allowed=allowed)
    is_full = n_queries == 1  # which sees all keys
    assert scene.mask.kind is (MaskKind.FULL if is_full else MaskKind.CAUSAL)
    assert scene.mask.across
    result = compute(scene)
    assert_array_equal(result.allowed, allowed)
    assert_array_equal(result.n_allowed, n_before + 1 + np.arange(n_queries))


def test_rules_across_are_found_where_there_are_any():
    assert rule_across(np.zeros((2, 3), dtype=bool)) is None
    assert rule_across(np.array([[True, False, True], [True, True, True]])) is None
    assert rule_across(np.ones((3, 2), dtype=bool)) == ACROSS
    assert (
        rule_across(core.causal_mask(3, 4)).text == "causal, the queries being the last of the keys"
    )


def test_a_layer_of_queries_and_keys_has_the_weights_they_make():
    dice = np.random.default_rng(5)
    q, k = dice.standard_normal((4, 3, 2)), dice.standard_normal((2, 7, 2))
    bias, sinks = dice.standard_normal((4, 3, 7)), dice.standard_normal(4)
    capture = captured(3, 7, given=None, q=q, k=k, bias=bias, sinks=sinks)
    scene = scene_of(capture, 0)
    for number, head in enumerate(scene.heads):
        scores = q[number] @ k[number // 2].T / np.sqrt(2) + bias[number]
        powers = np.exp(scores)
        total = powers.sum(axis=1, keepdims=True) + np.exp(sinks[number])
        assert_allclose(head.a, powers / total, atol=1e-12)
        assert (head.pattern, head.key_head) == (Pattern.GIVEN, number // 2)
    assert "The weights are made of the layer's queries and keys" in scene.description
    assert not scene.has_values
    assert heads_with_room(capture, 0) == (0, 1, 2, 3)


def test_as_many_keys_as_queries_are_of_another_sequence_by_their_tokens():
    assert across(5, 5).mask == ACROSS
    assert across(5, 5).key_tokens == words("k", 5)
    same = replace(captured(5, 5), key_tokens=words("q", 5))
    for capture in (same, captured(5, 5, has_tokens=False)):
        scene = scene_of(capture, 0)
        assert (scene.mask, scene.key_tokens) == (MaskRule(MaskKind.FULL), ())


def test_values_of_a_layer_do_not_come_to_the_bench():
    dice = np.random.default_rng(1)
    of_keys = {"w_v": dice.random((2, 3, 2)), "w_o": dice.random((4, 3))}
    scene = across(5, 3, x=dice.random((5, 3)), **of_keys)
    assert not scene.has_values
    assert "There are no values on the bench" in scene.description
    assert (scene.n_positions, scene.n_keys, scene.d_model) == (5, 3, 1)


def test_many_keys_of_few_queries_fit():
    scene = across(2, 4096, given=weights(2, 4096, n_heads=60))
    assert are_kept(scene.n_weights)
    result = compute(scene)
    assert result.heads[59].weights.shape == (2, 4096)
    assert beginning(scene) is scene


def test_a_long_one_begins_with_its_first_positions():
    scene = across(100, 90)
    short = beginning(scene)
    assert (short.n_positions, short.n_keys) == (64, 64)
    assert short.key_tokens == scene.key_tokens[:64]
    assert_array_equal(short.heads[0].a, scene.heads[0].a[:64, :64])
    allowed = core.causal_mask(80, 100)
    last = across(80, 100, given=weights(80, 100, allowed=allowed), allowed=allowed)
    assert_array_equal(compute(beginning(last)).allowed, core.causal_mask(64, 84))


def test_a_gain_redoes_one_head_to_the_same_bits():
    scene = across(4, 6)
    before = compute(scene)
    changed = set_gain(scene.heads[0].uid, 1.5).apply(scene)
    after, anew = compute(changed, before), compute(changed)
    assert not [name for name in after.made if name.startswith(f"head {scene.heads[1].uid} ")]
    for one, other in zip(after.heads, anew.heads, strict=True):
        assert one.weights.tobytes() == other.weights.tobytes()


# --------------------------------------------------------------------------------------- the files


@given(LENGTHS, LENGTHS, st.booleans(), st.data())
def test_files_keep_all_of_it(n_queries, n_keys, has_tokens, data):
    heads = [
        Head(uid, f"head {uid}", Pattern.GIVEN, np.zeros((1, 1)), a=a)
        for uid, a in enumerate(weights(n_queries, n_keys), 1)
    ]
    left = data.draw(st.integers(0, n_keys - 1))
    for head in heads:
        hidden = head.a.copy()
        hidden[:, :left] = 0
        object.__setattr__(head, "a", hidden)
    scene = Scene(
        "a map", "", heads, np.zeros((n_queries, 1)), np.zeros((2, 1)), 1,
        mask=MaskRule(MaskKind.FULL, 0, left, across=True),
        tokens=words("q", n_queries) if has_tokens else (),
        key_tokens=words("k", n_keys) if data.draw(st.booleans()) else (),
        has_values=False,
    )  # fmt: skip
    for data_of in (session_to_bytes, session_to_json):
        kept = data_of(Session.of(scene))
        opened = session_from_bytes(kept)
        assert opened.scene == scene
        assert data_of(opened) == kept


def test_a_square_scene_keeps_its_bytes():
    text = session_to_json(Session.of(scene_of(captured(3, 3, has_tokens=False), 0)))
    assert b"across" not in text
    assert b"key_tokens" not in text


def entry(**changes):
    document = json.loads(session_to_json(Session.of(across(3, 5))))
    document.update(changes)
    return json.dumps(document).encode()


def test_files_that_cannot_be_are_refused():
    document = json.loads(entry())
    heads = document["heads"]
    one = {**document["mask"], "across": False}
    cases = {
        "There are 2 tokens of keys, but A has 5 columns": entry(key_tokens=["a", "b"]),
        "Keys have tokens of their own where": entry(mask=one),
        "A token needs 1 to 512": entry(key_tokens=["", "b", "c", "d", "e"]),
        "A of head “L0 H1” is 3 × 4, but this scene needs 3 × 5 (T rows, T_k columns)": entry(
            heads=[heads[0], {**heads[1], "a": [row[:4] for row in heads[1]["a"]]}]
        ),
        "A of head “L0 H0” is 2 × 5": entry(heads=[{**heads[0], "a": heads[0]["a"][:2]}, heads[1]]),
        "Where queries and keys are not the same positions, every head has given": entry(
            has_values=True
        ),
        "Where queries and keys are not the same positions a mask is full or causal": entry(
            mask={"kind": "sliding window", "size": 2, "across": True}
        ),
        "5 positions of padding leave none of T_k = 5": entry(
            mask={**document["mask"], "left": 2, "right": 3}
        ),
        "on key i1 at query t1, which its mask (full over the keys of another sequence, pad": entry(
            mask={**document["mask"], "left": 1}
        ),
        "it": entry(mask={**document["mask"], "across": "yes"}),
    }
    for sentence, data in cases.items():
        with pytest.raises(UserError) as caught:
            session_from_bytes(data)
        assert sentence in str(caught.value) or sentence == "it"
    no_tokens = entry(mask=one, key_tokens=[])
    with pytest.raises(UserError, match="A of head “L0 H0” is 3 × 5, but this scene needs 3 × 3"):
        session_from_bytes(no_tokens)


def test_there_are_at_least_as_many_keys_as_queries_among_them():
    scene = across(5, 3)
    causal = MaskRule(MaskKind.CAUSAL, across=True)
    with pytest.raises(UserError, match="The number of keys T_k must be a whole number from 5"):
        replace(scene, mask=causal)


def test_a_view_of_a_file_is_moved_onto_its_cells():
    document = json.loads(entry())
    document["view"] = {"cursor": {"head": 1, "query": 7, "key": 7}}
    cursor = session_from_bytes(json.dumps(document).encode()).view.cursor
    assert cursor == Cursor(1, 2, 4)


# ------------------------------------------------------------------------ what is done on the bench


def test_heads_can_be_copied_moved_and_removed():
    scene = across(3, 5)
    scene = DuplicateHead(1).apply(scene)
    scene = MoveHead(2, 0).apply(scene)
    scene = RemoveHead(1).apply(scene)
    assert scene.n_heads == 2
    assert compute(scene).heads[1].weights.shape == (3, 5)
    assert SetTokens(("a", "b", "c")).apply(replace(scene, tokens=())).tokens == ("a", "b", "c")


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (AddHead(Pattern.UNIFORM), "Queries and keys are not the same positions: every head has"),
        (SetPattern(1, Pattern.SELF), "Queries and keys are not the same positions: every head"),
        (SetMask(MaskRule()), "Queries and keys are not the same positions: their mask is as it"),
        (SetMask(MaskRule(MaskKind.FULL)), "Queries and keys are not the same positions: their"),
        (SetSequenceLength(4), "Head “L0 H0” has given weights for T = 3; give it another pattern"),
        (SetTokens(("a", "b", "c")), "Weights are made of these tokens;"),
    ],
)
def test_what_cannot_be_is_said(edit, sentence, refusal):
    assert refusal(edit.apply, across(3, 5)).startswith(sentence)


def test_it_is_said_why_there_are_no_filters_and_no_information():
    scene = across(3, 5)
    result = compute(scene)
    assert "queries and keys are not the same positions" in why_unknown(("filters",), result)
    told = study_information(scene, result, 2).heads[0].why_not
    assert told.endswith("queries and keys are not of one sequence.")
    assert why_not_by_rows(3, scene.mask).startswith("No rows can be asked for where queries")


@pytest.mark.parametrize("shape", [(1, 5), (4, 1), (7, 2), (8, 8), (6, 6)])
def test_exercises_can_look_at_such_a_scene(shape):
    scene = across(*shape)
    shown = Shown(scene, compute(scene), ViewState.of(scene))
    readings = [check.reading(shown) for exercise in exercises() for check in exercise.checks]
    assert not [reading for reading in readings if reading and "row t" in reading]


def test_the_two_at_once_of_another_sequence_are_none():
    a = np.zeros((4, 4))
    a[:, (0, 2)] = 0.5
    scene = across(4, 4, given=a[np.newaxis])
    shown = Shown(scene, compute(scene), ViewState.of(scene))
    assert two_at_once(shown) is None
    same = scene_of(captured(4, 4, given=a[np.newaxis], has_tokens=False), 0)
    assert two_at_once(Shown(same, compute(same), ViewState.of(same)))


def test_another_number_of_keys_is_a_change():
    one, other = (replace(across(3, n), title="a", description="") for n in (5, 6))
    assert "T_k = 6" in difference(one, other)
    assert OpenScene(other).apply(one) is other


# ----------------------------------------------------------------------------- where one looks


@given(LENGTHS, LENGTHS, st.integers(-3, 20), st.integers(-3, 20))
def test_the_cursor_stays_on_the_cells(n_queries, n_keys, query, key):
    scene = across(n_queries, n_keys, has_tokens=n_queries == n_keys)
    for view in (ViewState.of(scene), ViewState(Cursor(9, query, key)).fitted(scene)):
        assert 0 <= view.cursor.query < n_queries
        assert 0 <= view.cursor.key < n_keys


@given(st.integers(1, 40), st.integers(1, 40), *[st.integers(-50, 50)] * 2, st.integers(1, 50))
def test_the_window_stays_on_the_cells(n_queries, n_keys, query, key, count):
    window = Window(query, key, count).fitted(n_queries, n_keys)
    if window is None:
        assert max(count, 8) >= max(n_queries, n_keys)
        return
    rows, columns = window.shown(n_queries, n_keys)
    assert (len(rows), len(columns)) == (min(window.count, n_queries), min(window.count, n_keys))
    assert rows.start >= 0
    assert columns.start >= 0
    assert rows.stop <= n_queries
    assert columns.stop <= n_keys
    assert window.fitted(n_queries, n_keys) == window


# ----------------------------------------------------------------------------- data and reports


def test_data_files_have_both_axes():
    scene = across(3, 7)
    result = compute(scene)
    lines = render_data(scene, result, "csv").decode().splitlines()
    assert lines[0].split(",")[-2:] == ["query", "key"]
    assert len(lines) == 1 + 2 * 3 * 7
    number, t, i, weight, *_, query, key = lines[-1].split(",")
    assert (number, t, i, query, key) == ("2", "3", "7", "q2", "k6")
    assert float(weight) == scene.heads[1].a[2, 6]
    arrays = np.load(io.BytesIO(render_data(scene, result, "npz")))
    assert_array_equal(arrays["weights"], np.stack([head.a for head in scene.heads]))
    assert (arrays["allowed"].shape, arrays["scores"].shape) == ((3, 7), (2, 3, 7))
    assert tuple(arrays["key_tokens"]) == words("k", 7)
    lists = json.loads(render_data(scene, result, "json"))
    assert np.array(lists["weights"]).shape == (2, 3, 7)


def test_data_files_name_what_is_known():
    scene = replace(across(3, 7), tokens=())
    header, first, *_ = render_data(scene, compute(scene), "csv").decode().splitlines()
    assert header.split(",")[-2:] == ["active", "key"]
    assert first.split(",")[-1] == "k0"


def test_reports_say_how_many_keys_there_are():
    scene = across(3, 7)
    result = compute(scene)
    numbers = report(scene, result)
    assert (numbers["T"], numbers["T_k"]) == (3, 7)
    assert numbers["key_tokens"] == list(words("k", 7))
    assert np.shape(numbers["heads"][0]["weights"]) == (3, 7)
    assert [numbers[name] for name in ("cost", "parameters", "score_flops")] == [None] * 3
    text = report_text(scene, result)
    assert "T 3 · T_k 7" in text
    assert "i1" in text
    assert "tokens of keys: k0 k1" in text


def test_a_square_report_has_no_keys_of_its_own(four_heads):
    numbers = report(four_heads, compute(four_heads))
    assert "T_k" not in numbers
    assert "key_tokens" not in numbers


def test_the_scene_is_scored_like_the_capture_it_is_of():
    capture = captured(4, 9)
    scene = scene_of(capture, 0)
    again = Capture(
        "again",
        (CapturedLayer(0, given=np.stack([head.a for head in scene.heads])),),
        *scene.texts,
    )
    one, other = scorecard(capture), scorecard(again)
    for column, same in zip(one.columns, other.columns, strict=True):
        assert_array_equal(column.values, same.values)
