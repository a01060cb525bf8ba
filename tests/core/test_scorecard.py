"""Head scores against loops over rows and keys, their chance levels, and what heads are called."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mhagui import core

CAUSAL = "previous token", "first token", "self"


@pytest.fixture(scope="module")
def lesson(lesson_heads):
    return np.stack([core.attention_weights(q, k) for q, k in lesson_heads])


def wanted_keys(pattern, position, ids):
    """Return the keys that a pattern names, from its description."""
    n = len(ids)
    earlier = [p for p in range(min(position, n)) if 0 <= position < n and ids[p] == ids[position]]
    return {
        "previous token": [position - 1] if 1 <= position <= n else [],
        "first token": [0] if position >= 1 else [],
        "self": [position] if 0 <= position < n else [],
        "duplicate token": earlier,
        "induction": [p + 1 for p in earlier if p + 1 != position],
    }[pattern]


def score_by_loops(head, allowed, pattern, ids):
    """Return (score, chance) of one head, a row at a time; (NaN, NaN) where no row counts."""
    n_queries, n_keys = head.shape
    found, chance = [], []
    for t in range(n_queries):
        keys = [i for i in range(n_keys) if allowed[t, i]]
        wanted = [i for i in wanted_keys(pattern, t + n_keys - n_queries, ids) if i in keys]
        if wanted and np.isfinite(head[t]).all() and head[t].any():
            found.append(math.fsum(head[t, i] for i in wanted))
            chance.append(len(wanted) / len(keys))
    if not found:
        return math.nan, math.nan
    return math.fsum(found) / len(found), math.fsum(chance) / len(chance)


def random_heads(rng, n_heads, allowed, peak=1.0):
    scores = peak * rng.normal(size=(n_heads, *allowed.shape))
    return core.weights_from_scores(scores, mask=allowed)


MASKS = st.sampled_from(["causal", "full", "window", "random"])


def mask_of(kind, rng, n_queries, n_keys):
    if kind == "full":
        return np.ones((n_queries, n_keys), dtype=bool)
    if kind == "random":
        return rng.random((n_queries, n_keys)) < 0.5
    if kind == "window":
        return core.sliding_window_mask(n_queries, n_keys, window=3)
    return core.causal_mask(n_queries, n_keys)


@given(st.integers(0, 2**32 - 1), MASKS, st.integers(1, 9), st.integers(0, 3), st.integers(1, 4))
def test_patterns_are_what_loops_over_rows_find(seed, kind, n_queries, earlier, n_symbols):
    rng = np.random.default_rng(seed)
    allowed = mask_of(kind, rng, n_queries, n_queries + earlier)
    a, ids = random_heads(rng, 3, allowed), rng.integers(0, n_symbols, n_queries + earlier)
    found = core.head_scores(a, allowed=allowed, token_ids=ids).scores
    for pattern in core.HEAD_PATTERNS:
        wanted = [score_by_loops(head, allowed, pattern, ids) for head in a]
        assert_allclose(found[pattern].values, [pair[0] for pair in wanted], atol=1e-14)
        assert_allclose(found[pattern].baselines, [pair[1] for pair in wanted], atol=1e-14)


@given(st.integers(0, 2**32 - 1), MASKS, st.integers(1, 8))
def test_the_other_scores_are_what_loops_over_rows_find(seed, kind, n):
    rng = np.random.default_rng(seed)
    allowed = mask_of(kind, rng, n, n)
    a = random_heads(rng, 2, allowed)
    found = core.head_scores(a, allowed=allowed).scores
    for h, head in enumerate(a):
        rows = [(t, [i for i in range(n) if allowed[t, i]]) for t in range(n)]
        rows = [(t, keys) for t, keys in rows if keys]
        bits = [-sum(head[t, i] * math.log2(head[t, i]) for i in keys) for t, keys in rows]
        pairs = list(zip(bits, rows, strict=True))
        spread = [(2**b - 1) / (len(keys) - 1) for b, (_, keys) in pairs if len(keys) > 1]
        mass = [(head[t, i], abs(t - i)) for t, keys in rows for i in keys]
        total = sum(weight for weight, _ in mass)
        if not rows:
            assert all(np.isnan(found[name].values[h]) for name in core.SCORES)
            continue
        mean = sum(weight * d for weight, d in mass) / total
        assert found["entropy"].values[h] == pytest.approx(np.mean(bits), abs=1e-12)
        effective = found["effective positions"].values[h]
        assert effective == pytest.approx(np.mean([2**b for b in bits]), abs=1e-12)
        confidence = found["confidence"].values[h]
        assert confidence == pytest.approx(np.mean([max(head[t]) for t, _ in rows]))
        assert found["mean distance"].values[h] == pytest.approx(mean, abs=1e-12)
        variance = sum(weight * (d - mean) ** 2 for weight, d in mass) / total
        assert found["distance variance"].values[h] == pytest.approx(variance, abs=1e-10)
        if spread:
            assert found["uniformity"].values[h] == pytest.approx(np.mean(spread), abs=1e-12)


# docs: these are of another program, rounded to four digits
GOLDEN = {
    "previous token": ([0.2468, 0.9307, 0.0395, 0.2900], 0.2900),
    "first token": ([0.7472, 0.1997, 0.0157, 0.2900], 0.2900),
    "self": ([0.2413, 0.1989, 0.9606, 0.4083], 0.4083),
    "confidence": ([0.7894, 0.9422, 0.9606, 0.4083], 0.4083),
    "entropy": ([1.0045, 0.3522, 0.2399, 1.5820], 1.5820),
    "effective positions": ([2.1901, 1.2858, 1.1861, 3.5], 3.5),
    "mean distance": ([2.0232, 0.8268, 0.0651, 1.25], 1.25),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_lessons_heads(lesson, name):
    found = core.head_scores(lesson, allowed=core.causal_mask(6)).scores[name]
    values, chance = GOLDEN[name]
    assert_allclose(found.values, values, atol=6e-5)
    assert_allclose(found.baselines, [chance] * 4, atol=6e-5)


def test_the_lessons_heads_are_called_what_they_are(lesson):
    found = core.head_scores(lesson, allowed=core.causal_mask(6))
    assert found.labels == ("first token", "previous token", "self", "uniform")
    assert found.n_empty.tolist() == found.n_unreadable.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("n", [2, 3, 6, 64, 1024])
def test_chance_levels_in_closed_form(n):
    harmonic = math.fsum(1 / t for t in range(1, n + 1))
    allowed = core.causal_mask(n)
    found = core.head_scores(core.uniform_weights(allowed)[None], allowed=allowed).scores
    for name, wanted in (
        ("previous token", (harmonic - 1) / (n - 1)),
        ("first token", (harmonic - 1) / (n - 1)),
        ("self", harmonic / n),
        ("confidence", harmonic / n),
        ("mean distance", (n - 1) / 4),
        ("effective positions", (n + 1) / 2),
    ):
        assert found[name].baselines[0] == pytest.approx(wanted, rel=1e-12)
        assert found[name].values[0] == pytest.approx(wanted, rel=1e-9)


@given(st.integers(0, 2**32 - 1), MASKS, st.integers(1, 12))
def test_the_uniform_head_is_at_chance_and_called_nothing_but_uniform(seed, kind, n):
    rng = np.random.default_rng(seed)
    allowed = mask_of(kind, rng, n, n)
    a = core.uniform_weights(allowed)[np.newaxis]
    found = core.head_scores(a, allowed=allowed, token_ids=rng.integers(0, 3, n))
    for name in (*core.HEAD_PATTERNS, "confidence"):
        corrected = found.scores[name].corrected[0]
        assert np.isnan(corrected) or abs(corrected) < 1e-12
    assert found.labels[0] in ("uniform", "")
    has_choice = core.allowed_counts(allowed) >= 2
    assert (found.labels[0] == "uniform") == (np.count_nonzero(has_choice) >= core.LEAST_ROWS)


@pytest.mark.parametrize("pattern", core.HEAD_PATTERNS)
def test_a_perfect_head_scores_one_and_is_called_by_its_pattern(pattern):
    block = np.random.default_rng(3).permutation(12)
    ids = [*block, *block]  # a random sequence, twice
    allowed = core.causal_mask(24)
    targets = core.pattern_targets(pattern, 24, token_ids=ids)
    a = np.eye(24)  # rows that have no such key look at themselves
    has_target = targets.any(axis=1)
    a[has_target] = targets[has_target] / targets[has_target].sum(axis=1, keepdims=True)
    found = core.head_scores(a[np.newaxis], allowed=allowed, token_ids=ids)
    assert found.scores[pattern].values[0] == 1.0
    assert found.scores[pattern].corrected[0] == 1.0
    assert found.scores[pattern].n_rows[0] == {
        "self": 24,
        "induction": 12,
        "duplicate token": 12,
    }.get(pattern, 23)
    # the heads that look at themselves where no token came before are so for half of their rows
    assert found.labels == (pattern,)


@given(st.integers(0, 2**32 - 1), MASKS, st.integers(1, 8), st.floats(0, 8))
def test_scores_stay_in_range_and_follow_their_heads(seed, kind, n, peak):
    rng = np.random.default_rng(seed)
    allowed = mask_of(kind, rng, n, n)
    a = random_heads(rng, 4, allowed, peak).astype(rng.choice([np.float32, np.float64]))
    ids, order = rng.integers(0, 3, n), rng.permutation(4)
    found = core.head_scores(a, allowed=allowed, token_ids=ids)
    moved = core.head_scores(a[order], allowed=allowed, token_ids=ids)
    for name in core.SCORES:
        score = found.scores[name]
        np.testing.assert_array_equal(moved.scores[name].values, score.values[order])
        values = score.values[~np.isnan(score.values)]
        assert (values >= 0).all()
        if name in (*core.HEAD_PATTERNS, "uniformity", "confidence"):
            assert (values <= 1 + 1e-6).all()
            corrected = score.corrected[~np.isnan(score.corrected)]
            assert (corrected <= 1 + 1e-5).all()
    assert moved.labels == tuple(found.labels[head] for head in order)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_short_sequences_have_no_label(n):
    for make in (
        core.first_token_head,
        core.previous_token_head,
        core.self_head,
        core.uniform_head,
    ):
        a = core.attention_weights(*make(n, key_magnitude=30.0))
        found = core.head_scores(a[np.newaxis], allowed=core.causal_mask(n), token_ids=[0] * n)
        assert found.labels == ("",)


def test_one_position_is_all_forced():
    found = core.head_scores([[[1.0]]], allowed=core.causal_mask(1), token_ids=[4]).scores
    assert found["self"].values[0] == found["self"].baselines[0] == 1.0
    assert np.isnan(found["self"].corrected[0])
    assert np.isnan(found["previous token"].values[0])
    assert found["entropy"].values[0] == found["mean distance"].values[0] == 0.0


def test_rows_without_support_and_rows_that_are_no_weights_are_counted_apart():
    allowed = core.causal_mask(8)
    allowed[2] = False
    good = random_heads(np.random.default_rng(5), 1, allowed)[0]
    bad = good.copy()
    bad[3, 0], bad[4, 1], bad[5, 5], bad[6, 2] = np.nan, np.inf, -0.25, 3.0
    bad[7] = 0.0
    found = core.head_scores(np.stack([good, bad]), allowed=allowed)
    assert found.n_empty.tolist() == [1, 2]
    assert found.n_unreadable.tolist() == [0, 4]
    score = found.scores["self"]
    assert score.n_rows.tolist() == [7, 2]
    assert score.values[1] == pytest.approx((good[0, 0] + good[1, 1]) / 2)
    assert score.baselines[1] == pytest.approx((1 + 1 / 2) / 2)
    assert found.labels[1] == ""  # one row with a choice tells nothing
    assert core.readable_rows(np.stack([good, bad]))[1].tolist() == [True] * 3 + [False] * 4 + [
        True
    ]


def test_a_head_of_nan_alone_has_no_scores():
    found = core.head_scores(np.full((1, 5, 5), np.nan), allowed=core.causal_mask(5))
    assert found.n_unreadable.tolist() == [5]
    assert all(np.isnan(found.scores[name].values[0]) for name in core.SCORES)
    assert found.labels == ("",)


def test_a_sink_out_of_the_window_is_no_first_token_head():
    allowed = core.sliding_window_mask(64, window=8)
    a = np.eye(64)
    a[:8, :] = 0.0
    a[:8, 0] = 1.0  # where it can, it looks at the first token: 7 of 63 rows
    found = core.head_scores(a[np.newaxis], allowed=allowed)
    assert found.scores["first token"].corrected[0] == 1.0
    assert found.labels == ("self",)


def test_where_one_token_follows_itself_position_explains_as_much():
    n = 12
    a = core.attention_weights(*core.previous_token_head(n, key_magnitude=60.0))[np.newaxis]
    assert core.head_scores(a, allowed=core.causal_mask(n), token_ids=[0] * n).labels == (
        "previous token",
    )


def test_cross_attention_has_no_positions():
    a = np.zeros((1, 4, 6))
    a[..., 0] = 1.0
    found = core.head_scores(a, is_cross=True, token_ids=range(6))
    assert found.scores["first token"].n_rows.tolist() == [4]
    assert found.labels == ("first token",)
    for name in ("previous token", "self", "induction", "mean distance", "distance variance"):
        assert np.isnan(found.scores[name].values[0])


def test_rows_that_sum_to_less_are_never_scaled_up():
    allowed = core.causal_mask(6)
    a = core.attention_weights(*core.self_head(6))[np.newaxis]
    whole = core.head_scores(a, allowed=allowed).scores
    half = core.head_scores(a / 2, allowed=allowed).scores
    assert half["self"].values[0] == pytest.approx(whole["self"].values[0] / 2)
    assert half["mean distance"].values[0] == pytest.approx(whole["mean distance"].values[0])


def test_induction_pairs_of_a_sequence_written_out():
    #       0    1    2    3    4    5
    ids = [7, 8, 7, 7, 8, 9]
    found = core.pattern_targets("induction", 6, token_ids=ids)
    # 2 is the second 7: after the first came 8, at 1. 3: after the 7s at 0 and 2 came 1 and itself.
    assert [np.flatnonzero(row).tolist() for row in found] == [[], [], [1], [1], [2], []]
    found = core.pattern_targets("duplicate token", 6, token_ids=ids)
    assert [np.flatnonzero(row).tolist() for row in found] == [[], [], [0], [0, 2], [1], []]


def test_no_heads_and_no_positions():
    for shape in ((0, 3, 3), (2, 0, 0), (2, 0, 3), (2, 3, 0)):
        found = core.head_scores(np.zeros(shape), token_ids=[0] * shape[2])
        assert len(found.labels) == shape[0]
        assert all(np.isnan(found.scores[name].values).all() for name in core.SCORES)


def test_what_does_not_fit_is_refused(lesson):
    with pytest.raises(ValueError, match=r"allowed must have shape \(6, 6\) to match a"):
        core.head_scores(lesson, allowed=core.causal_mask(5))
    with pytest.raises(ValueError, match="allowed must be boolean, got dtype int64"):
        core.head_scores(lesson, allowed=np.tri(6, dtype=int))
    with pytest.raises(ValueError, match=r"token_ids must be one per key, 6, got shape \(2,\)"):
        core.head_scores(lesson, token_ids=[1, 2])
    with pytest.raises(ValueError, match=r"a must have shape \(H, T_q, T_k\), got shape \(6, 6\)"):
        core.head_scores(lesson[0])
    with pytest.raises(ValueError, match="pattern must be one of"):
        core.pattern_targets("next token", 3)
    with pytest.raises(ValueError, match="token_ids must be given"):
        core.pattern_targets("induction", 3)


def test_an_induction_head_that_rests_on_the_first_token_is_called_by_what_it_does():
    block = list(np.random.default_rng(8).permutation(10))
    ids = [99, *range(20, 40), *block, *block]  # ten of 41 rows have something to copy
    targets = core.pattern_targets("induction", len(ids), token_ids=ids)
    a = np.zeros((1, len(ids), len(ids)))
    a[0, :, 0] = 1.0
    a[0, targets.any(axis=1)] = targets[targets.any(axis=1)]
    found = core.head_scores(a, allowed=core.causal_mask(len(ids)), token_ids=ids)
    assert found.scores["first token"].corrected[0] > core.LEAST_CORRECTED
    assert found.labels == ("induction",)


def test_the_sink_of_a_repeated_sequence_is_no_head_of_tokens():
    n = 12
    a = np.zeros((1, n, n))
    a[..., 0] = 1.0  # where all tokens are the same, the first is a duplicate of each
    found = core.head_scores(a, allowed=core.causal_mask(n), token_ids=[0] * n)
    assert found.scores["duplicate token"].corrected[0] == 1.0
    assert found.labels == ("first token",)


def test_no_copy_of_all_weights_is_made():
    n = 256
    allowed = core.causal_mask(n)
    a = np.broadcast_to(core.uniform_weights(allowed).astype(np.float32), (48, n, n)).copy()
    scoring = core.HeadScoring(allowed, token_ids=np.arange(n) % 7)
    tracemalloc.start()
    try:
        scoring.scores(a)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < a.nbytes
