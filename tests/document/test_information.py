"""What heads tell of the next token, against the claims of the lesson and a count by hand."""

import itertools
import json
import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from mhagui import core
from mhagui.document import Head, Pattern, Scene, compute, load_lesson
from mhagui.document.edits import (
    DuplicateHead,
    MoveHead,
    RemoveHead,
    SetMasterGain,
    SetSequenceLength,
    set_gain,
)
from mhagui.document.information import (
    PairInformation,
    information_report,
    study_divergences,
    study_information,
    verdict,
)
from mhagui.document.token_source import SourceKind, TokenSource

PREVIOUS, SELF = 1, 2  # places of heads 2 and 3


def study(source, row=3, scene=None, earlier=None):
    scene = replace(scene or load_lesson("four-heads"), source=source)
    return study_information(scene, compute(scene), row, earlier)


def entropy(weights):
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def following_sequences(source, length):
    """Yield every sequence of ``length`` + 1 tokens with a number its probability is in ratio to.

    By the definitions, from all sequences there are.
    """
    s, k = source.n_symbols, source.lag
    for tokens in itertools.product(range(s), repeat=length + 1):
        weight = 1.0
        for i in range(1, length + 1):
            x = tokens[i]
            match source.kind:
                case SourceKind.PERIODIC:
                    weight *= x == (tokens[i - 1] + 1) % s
                case SourceKind.COPY:
                    weight *= i < k or x == tokens[i - k]
                case SourceKind.SUM:
                    weight *= i < 2 or x == (tokens[i - 1] + tokens[i - 2]) % s
                case SourceKind.PARTS:
                    weight *= i < 2 or x == (tokens[i - 1] & 1) << 1 | tokens[i - 2] >> 1
                case SourceKind.MARKOV:
                    weight *= float(source.probabilities[tokens[i - 1], x])
        if weight:
            yield tokens, weight


def counted(source, rows_of):
    """Return I(next; what is seen of the rows) from ``rows_of(tokens)``, a tuple of rows of A."""
    seen, after, both = defaultdict(float), defaultdict(float), defaultdict(float)
    step = source.resolution or 1e-12
    for tokens, weight in following_sequences(source, len(rows_of(None)[0])):
        past, x = tokens[:-1], tokens[-1]
        outputs = [
            sum(a for a, token in zip(row, past, strict=True) if token == s)
            for row in rows_of(past)
            for s in range(source.n_symbols)
        ]
        o = tuple(math.floor(number / step + 0.5 + 1e-6) for number in outputs)
        seen[o] += weight
        after[x] += weight
        both[o, x] += weight
    return entropy(seen.values()) + entropy(after.values()) - entropy(both.values())


# ---------------------------------------------------------------------------------- the lesson


def test_observed_exactly_heads_2_and_3_bring_the_same_fragment():
    found = study(TokenSource(SourceKind.COPY, 2, lag=2))
    pair = found.pair(PREVIOUS, SELF)
    assert pair == pytest.approx((1.0, 1.0, 1.0))
    assert pair.redundancy_minus_synergy == pytest.approx(1.0)
    assert verdict(pair, "h2", "h3") == "The same fragment: redundant"


def test_observed_coarsely_the_previous_token_alone_tells_the_copy():
    found = study(TokenSource(SourceKind.COPY, 2, lag=2, resolution=0.5))
    pair = found.pair(PREVIOUS, SELF)
    assert pair == pytest.approx((1.0, 0.0, 1.0), abs=1e-12)
    assert verdict(pair, "h2", "h3") == "Only h2 tells something"


def test_only_both_together_tell_an_exclusive_or():
    found = study(TokenSource(SourceKind.SUM, 2, resolution=0.5))
    pair = found.pair(PREVIOUS, SELF)
    assert pair == pytest.approx((0.0, 0.0, 1.0), abs=1e-12)
    assert pair.redundancy_minus_synergy == pytest.approx(-1.0)
    assert verdict(pair, "h2", "h3") == "Only together: synergy"


def test_heads_that_pass_on_different_parts_add():
    found = study(TokenSource(SourceKind.PARTS, 4, resolution=0.5))
    pair = found.pair(PREVIOUS, SELF)
    assert pair == pytest.approx((1.0, 1.0, 2.0), abs=1e-12)
    assert pair.redundancy_minus_synergy == pytest.approx(0.0, abs=1e-12)
    assert verdict(pair, "h2", "h3") == "They add: redundancy = synergy"


@pytest.mark.parametrize("n_symbols", [2, 3, 4])
def test_sharp_heads_pass_on_one_token_however_finely_it_is_observed(n_symbols):
    scene = SetMasterGain(60.0).apply(load_lesson("four-heads"))
    found = study(TokenSource(SourceKind.COPY, n_symbols, lag=2), scene=scene)
    wanted = (math.log2(n_symbols), 0.0, math.log2(n_symbols))
    assert found.pair(PREVIOUS, SELF) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("resolution", [0.0, 0.1, 0.5])
def test_nothing_is_told_of_an_iid_source(resolution):
    found = study(TokenSource(SourceKind.IID, 3, resolution=resolution))
    assert [head.bits for head in found.heads] == pytest.approx([0.0] * 4, abs=1e-12)
    assert found.whole_past_bits == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("resolution", [0.0, 0.1, 0.25])
@pytest.mark.parametrize("n_symbols", [2, 3])
@pytest.mark.parametrize("kind", SourceKind)
def test_every_head_and_pair_is_what_a_count_by_hand_says(kind, n_symbols, resolution):
    source = TokenSource(n_symbols=n_symbols, lag=3, resolution=resolution).with_kind(kind)
    scene = replace(load_lesson("four-heads"), source=source)
    result = compute(scene)
    found = study_information(scene, result, 3)
    rows = [head.weights[3, :4].tolist() for head in result.heads]
    for place, row in enumerate(rows):
        wanted = counted(source, lambda _, row=row: (row,))
        assert found.heads[place].bits == pytest.approx(wanted, abs=1e-9)
    wanted = counted(source, lambda _: (rows[1], rows[3]))
    assert found.pair(1, 3).joint == pytest.approx(wanted, abs=1e-9)


# ----------------------------------------------------------------------------------- its limits


def test_a_long_past_is_refused_with_the_longest_there_is():
    scene = SetSequenceLength(12).apply(load_lesson("four-heads"))
    found = study(TokenSource(SourceKind.IID, 4), 9, scene)
    assert "t = 10 is too long" in found.why_not
    assert "The most is t = 8." in found.why_not  # 4^8 = 65,536
    assert math.isnan(found.whole_past_bits)
    assert all(math.isnan(head.bits) for head in found.heads)
    assert math.isnan(found.pair(1, 2).joint)
    assert verdict(found.pair(1, 2), "h2", "h3") == ""
    assert study(TokenSource(SourceKind.IID, 4), 7, scene).why_not == ""


def test_a_source_of_few_sequences_may_be_long():
    scene = SetSequenceLength(256).apply(load_lesson("four-heads"))
    found = study(TokenSource(SourceKind.COPY, 2, lag=2, resolution=0.1), 255, scene)
    assert not found.why_not
    assert found.sequences.shape == (4, 256)


# ------------------------------------------------------------------------------------- taken over


def test_a_gain_has_only_its_own_head_looked_at_again():
    scene = load_lesson("four-heads")
    result = compute(scene)
    before = study_information(scene, result, 3)
    changed = set_gain(2, 2.0).apply(scene)
    after = study_information(changed, compute(changed, result), 3, before)
    same = [a.labels is b.labels for a, b in zip(after.heads, before.heads, strict=True)]
    assert same == [True, False, True, True]
    assert after.sequences is before.sequences


def test_what_is_taken_over_is_what_would_be_made_anew():
    source = TokenSource(SourceKind.MARKOV, 3)
    earlier = study(TokenSource(SourceKind.COPY))
    for now in (source, replace(source, resolution=0.5), source.with_probability(0, 0, 0.2)):
        earlier = study(now, 2, earlier=earlier)
        anew = study(now, 2)
        assert [h.bits for h in earlier.heads] == [h.bits for h in anew.heads]


# ------------------------------------------------------------------- heads that attend by content


def content_scene(n_words=3, layers=(1, 1, 2)):
    """Return a scene of three heads, one of them designed, with words and positions in X."""
    numbers = np.random.default_rng(3)
    n_positions, d_model, d_k = 4, 8, 3
    patterns = [Pattern.PREVIOUS_TOKEN, Pattern.PROJECTED, Pattern.PROJECTED]
    heads = []
    for uid, (pattern, layer) in enumerate(zip(patterns, layers, strict=True), 1):
        given = {}
        if pattern is Pattern.PROJECTED:
            given = {name: numbers.normal(size=(d_model, d_k)) for name in ("w_q", "w_k")}
        w_v = numbers.normal(size=(d_model, 2))
        heads.append(Head(uid, f"head {uid}", pattern, w_v, gain=1.5, layer=layer, **given))
    x = np.zeros((n_positions, d_model))
    x[np.arange(n_positions), [0, 1, 2, 0]] = 1.0
    x[np.arange(n_positions), n_words + np.arange(n_positions)] = 1.0
    words = tuple("abcd"[:n_words])
    tokens = tuple("abca")
    w_o = numbers.normal(size=(6, d_model))
    return Scene("by content", "", tuple(heads), x, w_o, d_k, tokens=tokens, vocabulary=words)


def with_tokens(scene, past):
    """Return ``scene`` with other words at its first positions."""
    x = scene.x.copy()
    for place, token in enumerate(past):
        x[place, : len(scene.vocabulary)] = np.eye(len(scene.vocabulary))[token]
    return replace(scene, x=x)


@pytest.mark.parametrize("kind", [SourceKind.MARKOV, SourceKind.SUM])
@pytest.mark.parametrize("place", [1, 2])
def test_heads_that_attend_by_content_look_anew_at_every_sequence(place, kind):
    scene = content_scene()
    if place == 2:  # what it reads is added by the designed head alone
        scene = scene.with_head(2, muted=True)
    scene = replace(scene, source=TokenSource(kind, 3, resolution=0.1))
    row = 2

    def rows_of(past):
        looking = compute(with_tokens(scene, past or (0, 0, 0))).heads[place]
        return (looking.weights[row, : row + 1].tolist(),)

    found = study_information(scene, compute(scene), row)
    assert found.heads[place].bits == pytest.approx(counted(scene.source, rows_of), abs=1e-9)
    assert found.heads[place].bits > 0.01


def test_what_cannot_be_known_says_why():
    scene = replace(content_scene(), source=TokenSource(SourceKind.IID, 3))
    reasons = [head.why_not for head in study_information(scene, compute(scene), 2).heads]
    assert reasons[:2] == ["", ""]
    assert reasons[2] == "attends to what heads that attend by content have added"
    scene = replace(scene, source=TokenSource(SourceKind.IID, 4))
    reasons = [head.why_not for head in study_information(scene, compute(scene), 2).heads]
    assert reasons[1] == "attends by content, and there are no 4 words"
    assert math.isnan(study_information(scene, compute(scene), 2).pair(0, 1).joint)


# ------------------------------------------------------------------------------------ divergences


def test_divergences_are_the_mean_over_all_rows():
    result = compute(load_lesson("four-heads"))
    found = study_divergences(result)
    assert found.rows == (0, 1, 2, 3, 4, 5)
    for one, other in itertools.combinations(range(4), 2):
        rows = []
        for p, q in zip(result.heads[one].weights, result.heads[other].weights, strict=True):
            rows.append(entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2)
        assert found.bits[one, other] == pytest.approx(np.mean(rows), abs=1e-12)
    assert np.array_equal(found.bits, found.bits.T)
    assert not np.diag(found.bits).any()


def test_equal_heads_do_not_differ():
    result = compute(DuplicateHead(2).apply(load_lesson("four-heads")))
    assert study_divergences(result).bits[1, 2] == 0.0


def test_of_many_rows_some_evenly_spaced_ones_are_taken():
    result = compute(SetSequenceLength(256).apply(load_lesson("four-heads")))
    found = study_divergences(result)
    assert found.rows == tuple(range(3, 256, 4))  # 64 rows of 256 are 2^14 cells


def test_a_gain_has_only_pairs_of_its_head_compared_again():
    scene = load_lesson("four-heads")
    result = compute(scene)
    before = study_divergences(result)
    changed = set_gain(2, 2.0).apply(scene)
    after = study_divergences(compute(changed, result), before)
    assert (before.n_compared, after.n_compared) == (6, 3)
    assert np.array_equal(after.bits, study_divergences(compute(changed)).bits)


def test_heads_that_move_or_come_take_their_divergences_along():
    scene = load_lesson("four-heads")
    result = compute(scene)
    before = study_divergences(result)
    for edit, n_compared in ((MoveHead(1, 3), 0), (RemoveHead(2), 0), (DuplicateHead(2), 4)):
        changed = edit.apply(scene)
        after = study_divergences(compute(changed, result), before)
        assert after.n_compared == n_compared
        assert np.array_equal(after.bits, study_divergences(compute(changed)).bits)


# ----------------------------------------------------------------------------- verdicts and report


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((0.0, 0.0, 0.0), "Neither h1 nor h2 tells anything"),
        ((0.5, 0.5, 0.5), "The same fragment: redundant"),
        ((0.5, 0.4, 0.9), "They add: redundancy = synergy"),
        ((0.5, 0.4, 0.7), "Fragments that overlap in part"),
        ((0.5, 0.8, 0.8), "h2 tells all that h1 and h2 do"),
        ((0.5, 0.0, 0.5), "Only h1 tells something"),
        ((0.0, 0.0, 1.0), "Only together: synergy"),
        ((0.2, 0.1, 0.4), "More than in sum: synergy"),
    ],
)
def test_the_verdict_says_what_the_numbers_show(numbers, words):
    assert verdict(PairInformation(*numbers), "h1", "h2") == words


def test_heads_of_which_redundancy_and_synergy_balance_are_not_said_to_differ():
    """Both tell the one bit C, and each has a bit whose exclusive or is the other one of two."""
    tokens = list(itertools.product((0, 1), repeat=3))  # C, and two bits to be put together

    def told(seen):
        joint = defaultdict(float)
        for c, one, other in tokens:
            joint[seen(c, one, other), (c, one ^ other)] += 1 / len(tokens)
        rows, columns = ({key[axis] for key in joint} for axis in (0, 1))
        return core.mutual_information_bits([[joint[r, c] for c in columns] for r in rows])

    first, second = told(lambda c, a, b: (c, a)), told(lambda c, a, b: (c, b))
    pair = PairInformation(first, second, told(lambda c, a, b: (c, a, b)))
    assert pair == pytest.approx((1, 1, 2), abs=1e-12)
    assert verdict(pair, "h1", "h2") == "They add: redundancy = synergy"


def test_the_report_is_json_of_every_head_and_pair():
    scene = replace(load_lesson("four-heads"), source=TokenSource(SourceKind.SUM, resolution=0.5))
    report = json.loads(json.dumps(information_report(scene, compute(scene)), allow_nan=False))
    information, redundancy = report["information"], report["redundancy"]
    assert information["query_position"] == 4
    assert information["source"] == {"kind": "sum of two", "symbols": 2, "resolution": 0.5}
    assert [head["bits"] for head in information["heads"]] == pytest.approx([0, 0, 0, 0.5])
    pairs = {tuple(pair["heads"]): pair for pair in redundancy["pairs"]}
    assert len(pairs) == 6
    assert pairs[2, 3]["redundancy_minus_synergy_bits"] == pytest.approx(-1.0)
    assert pairs[2, 3]["verdict"] == "Only together: synergy"
    assert np.shape(redundancy["jensen_shannon_bits"]) == (4, 4)


def test_what_is_unknown_is_null_in_the_report():
    scene = SetSequenceLength(12).apply(load_lesson("four-heads"))
    scene = replace(scene, source=TokenSource(SourceKind.IID, 4))
    report = json.loads(json.dumps(information_report(scene, compute(scene), 9), allow_nan=False))
    assert report["information"]["heads"][0]["bits"] is None
    assert report["redundancy"]["pairs"][0]["joint_bits"] is None
    assert "t = 10 is too long" in report["information"]["why_not"]
