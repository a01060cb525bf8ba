"""The table of all heads of a capture: its rows, its masks, what it says beside them."""

import numpy as np
import pytest

from mhagui import core
from mhagui.document import scorecard as document_scorecard
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.scorecard import EFFECTIVE_RANK, MEASURES, scorecard
from mhagui.errors import UserError

RNG = np.random.default_rng(0)
T = 12
TOKENS = ("the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "saw", "the", "dog")


def designed(*makers, n=T):
    return np.stack([core.attention_weights(*make(n, key_magnitude=12.0)) for make in makers])


def capture(*layers, **known):
    return Capture("made up", tuple(layers), **known)


@pytest.fixture
def two_layers():
    first = designed(core.first_token_head, core.previous_token_head, core.uniform_head)
    second = designed(core.self_head)
    causal = core.causal_mask(T)
    return capture(
        CapturedLayer(3, given=first, allowed=causal),
        CapturedLayer(7, given=second, allowed=causal),
        query_tokens=TOKENS,
        key_tokens=TOKENS,
    )


def test_a_row_to_each_head_with_its_layers_own_number(two_layers):
    card = scorecard(two_layers)
    assert card.heads == ((3, 0), (3, 1), (3, 2), (7, 0))
    assert card.labels == ("first token", "previous token", "uniform", "self")
    assert [column.measure for column in card.columns] == list(MEASURES)
    assert card.n_rows.tolist() == [T] * 4
    assert card.notes == ()


def test_columns_hold_what_the_core_finds_of_each_layer(two_layers):
    card = scorecard(two_layers)
    numbers = {token: number for number, token in enumerate(TOKENS)}
    ids = [numbers[token] for token in TOKENS]
    for column in card.columns:
        for name in ("values", "baselines", "corrected"):
            wanted = [
                getattr(
                    core.head_scores(
                        layer.given, allowed=core.causal_mask(T), token_ids=ids
                    ).scores[column.measure.name],
                    name,
                )
                for layer in two_layers.layers
            ]
            found = getattr(column, name)
            np.testing.assert_array_equal(found, np.concatenate(wanted))
            assert not found.flags.writeable
        if not column.measure.is_share:
            assert np.isnan(column.corrected).all()
    assert card.column("previous token").measure.name == "previous token"


def test_every_measure_is_a_score_of_the_core():
    assert tuple(measure.name for measure in MEASURES) == core.SCORES


def test_chance_is_that_of_the_mask_and_of_all_keys_without_one():
    causal = core.causal_mask(T)
    uniform = core.uniform_weights(causal)[np.newaxis]
    masked, bare = (
        scorecard(capture(CapturedLayer(0, given=uniform, allowed=allowed))).column("first token")
        for allowed in (causal, None)
    )
    assert masked.baselines[0] == pytest.approx(sum(1 / t for t in range(2, T + 1)) / (T - 1))
    assert bare.baselines[0] == pytest.approx(1 / T)


def test_weights_made_of_queries_and_keys_are_scored_and_not_kept():
    q, k = RNG.normal(size=(2, 4, T, 8)).astype(np.float32)
    layer = CapturedLayer(0, q=q, k=k[:2], allowed=core.causal_mask(T))
    card = scorecard(capture(layer))
    wanted = core.head_scores(core.grouped_weights(q, k[:2]), allowed=core.causal_mask(T)).scores[
        "entropy"
    ]
    np.testing.assert_array_equal(card.column("entropy").values, wanted.values)
    assert "weights" not in vars(layer)


def test_without_tokens_there_are_no_scores_of_tokens_and_it_is_said():
    layer = CapturedLayer(0, given=designed(core.self_head), allowed=core.causal_mask(T))
    card = scorecard(capture(layer))
    assert np.isnan(card.column("induction").values[0])
    assert any("came without tokens" in note for note in card.notes)
    numbered = scorecard(capture(layer, token_ids=(5,) * T))
    assert not np.isnan(numbered.column("duplicate token").values[0])


def test_the_tokenizers_numbers_count_before_the_texts():
    layer = CapturedLayer(0, given=designed(core.uniform_head), allowed=core.causal_mask(T))
    same = capture(layer, token_ids=(1,) * T, query_tokens=TOKENS, key_tokens=TOKENS)
    allowed = sum(t / (t + 1) for t in range(1, T)) / (T - 1)
    assert scorecard(same).column("duplicate token").values[0] == pytest.approx(allowed)


def test_cross_attention_is_known_by_its_tokens():
    a = np.full((1, T, T), 1 / T)
    known = {"query_tokens": TOKENS, "key_tokens": TOKENS[::-1]}
    card = scorecard(capture(CapturedLayer(0, given=a), **known))
    assert np.isnan(card.column("self").values[0])
    assert not np.isnan(card.column("first token").values[0])
    assert any("different sequences" in note for note in card.notes)


@pytest.mark.parametrize(
    ("n_queries", "n_keys", "is_cross"),
    [(2, 6, False), (6, 2, True), (1, 6, False)],
)
def test_without_tokens_fewer_causal_queries_are_the_last_positions(n_queries, n_keys, is_cross):
    a = np.zeros((1, n_queries, n_keys))
    a[..., 0] = 1.0
    allowed = core.causal_mask(n_queries, n_keys)
    card = scorecard(capture(CapturedLayer(0, given=a, allowed=allowed)))
    assert np.isnan(card.column("mean distance").values[0]) == is_cross
    if not is_cross:
        positions = np.arange(n_keys - n_queries, n_keys)
        assert card.column("mean distance").values[0] == pytest.approx(positions.mean())


def test_rows_left_out_are_counted_and_named():
    a = designed(core.self_head, core.uniform_head)
    a[1, 4:7] = np.nan
    a[0, 2] = 0.0
    card = scorecard(capture(CapturedLayer(0, given=a, allowed=core.causal_mask(T))))
    assert card.n_unreadable.tolist() == [0, 3]
    assert card.n_empty.tolist() == [1, 0]
    assert any(note.startswith("3 rows, in 1 of 2 heads, with NaN") for note in card.notes)
    assert any(
        note.startswith("1 row, in 1 of 2 heads, without any weight is left out")
        for note in card.notes
    )
    assert card.labels == ("self", "uniform")


def test_heads_that_are_all_uniform_are_remarked_on():
    a = designed(core.uniform_head, core.uniform_head)
    card = scorecard(capture(CapturedLayer(0, given=a, allowed=core.causal_mask(T))))
    assert any(note.startswith("Every head is uniform") for note in card.notes)


def test_effective_ranks_are_made_when_asked_for(two_layers):
    card = scorecard(two_layers)
    assert "effective_ranks" not in vars(card)
    column = card.effective_ranks
    assert column.measure == EFFECTIVE_RANK
    for found, head in zip(
        column.values, [head for layer in two_layers.layers for head in layer.given], strict=True
    ):
        p = np.linalg.svd(head, compute_uv=False)
        p /= p.sum()
        assert found == pytest.approx(np.exp(-np.sum(p * np.log(p))), rel=1e-9)
    assert column.baselines[0] == pytest.approx(column.values[2])  # the uniform head's
    assert card.effective_ranks is column


def test_a_head_with_unreadable_rows_has_no_effective_rank():
    a = designed(core.self_head, core.self_head)
    a[0, 3, 3] = np.inf
    card = scorecard(capture(CapturedLayer(0, given=a, allowed=core.causal_mask(T))))
    assert np.isnan(card.effective_ranks.values).tolist() == [True, False]


def test_it_can_be_watched_and_given_up(two_layers):
    seen = []
    scorecard(two_layers, before_layer=seen.append)
    assert seen == [0, 1]

    def give_up(done):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        scorecard(two_layers, before_layer=give_up)


def test_layers_of_different_shapes_share_a_table():
    small = CapturedLayer(0, given=designed(core.self_head, n=5), allowed=core.causal_mask(5))
    large = CapturedLayer(1, given=designed(core.self_head, core.self_head))
    card = scorecard(capture(small, large, query_tokens=TOKENS, key_tokens=TOKENS))
    assert card.n_rows.tolist() == [5, T, T]
    assert np.isnan(card.column("induction").values).tolist() == [True, False, False]


def test_queries_and_keys_that_do_not_fit_are_named_with_their_layer():
    q, k = RNG.normal(size=(3, T, 4)), RNG.normal(size=(2, T, 4))
    with pytest.raises(UserError, match=r"Layer 4: n_heads must be .* 3 query heads over 2 key"):
        scorecard(capture(CapturedLayer(4, q=q, k=k)))


def test_bytes_of_different_characters_are_different_tokens():
    pieces = ("a", "<0xC3>", "<0xA4>", "<0xC3>", "<0xB6>", "a")
    decoded = ("a", *"\ufffd" * 4, "a")
    weights = np.zeros((1, 6, 6))
    weights[0, np.arange(6), [0, 0, 0, 1, 0, 0]] = 1.0  # <0xC3>, and a, look at the same earlier
    layer = CapturedLayer(0, given=weights, allowed=core.causal_mask(6))
    card = scorecard(
        capture(
            layer,
            query_tokens=decoded,
            key_tokens=decoded,
            pieces=pieces,
            token_scheme="sentencepiece",
        )
    )
    assert card.column("duplicate token").values == [1.0]


# --- weights that are too many to be made at once


@pytest.mark.parametrize("n_key_heads", [1, 2, 4])
def test_heads_one_by_one_are_scored_as_all_together(monkeypatch, n_key_heads):
    layer = CapturedLayer(
        3,
        q=RNG.normal(size=(4, T, 3)),
        k=RNG.normal(size=(n_key_heads, T, 3)),
        allowed=core.causal_mask(T),
        scale=0.7,
        bias=core.alibi_bias(core.alibi_slopes(4), T),
        sinks=RNG.normal(size=4),
    )
    of = capture(layer, key_tokens=TOKENS, query_tokens=TOKENS)
    together = scorecard(of)
    monkeypatch.setattr(document_scorecard, "MOST_AT_ONCE", T * T)
    told = []
    apart = scorecard(of, told.append)
    assert told == [0] * 4  # it can be called off between heads
    assert (apart.heads, apart.labels, apart.notes) == (
        together.heads,
        together.labels,
        together.notes,
    )
    for one, other in zip(apart.columns, together.columns, strict=True):
        for part in ("values", "baselines", "corrected"):
            np.testing.assert_allclose(getattr(one, part), getattr(other, part), atol=1e-12)
    np.testing.assert_allclose(
        apart.effective_ranks.values, together.effective_ranks.values, atol=1e-9
    )
    np.testing.assert_array_equal(apart.n_rows, together.n_rows)


def test_no_more_weights_than_of_one_head_are_made_at_once(monkeypatch):
    made = []
    real = core.grouped_weights

    def noting(q, k, **given):
        weights = real(q, k, **given)
        made.append(weights.shape)
        return weights

    monkeypatch.setattr(document_scorecard, "MOST_AT_ONCE", T * T)
    monkeypatch.setattr(core, "grouped_weights", noting)
    x = RNG.normal(size=(3, T, 2))
    scorecard(capture(CapturedLayer(0, q=x, k=x, allowed=core.causal_mask(T))))
    assert made == [(1, T, T)] * 3
