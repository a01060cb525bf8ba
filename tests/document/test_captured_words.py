"""Captures by words: what is merged, what a word sees, and what heads of words are called."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import scene_of
from mhagui.document.captured_words import by_words, place_in
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.scorecard import scorecard
from mhagui.document.token_text import Scheme
from mhagui.errors import UserError

PIECES = ("<s>", "The", "Ġun", "happy", "Ġcat", "s", ".")
WORDS = ("<s>", "The", "unhappy", "cats", ".")
OF_WORD = [0, 1, 2, 2, 3, 3, 4]  # of each token


def softmaxed(seed, n_heads, allowed):
    weights = np.exp(2 * np.random.default_rng(seed).normal(size=(n_heads, *allowed.shape)))
    weights = weights * allowed
    return weights / weights.sum(axis=-1, keepdims=True)


def of_text(tokens, n_layers=1, mask=None, **more):
    allowed = core.causal_mask(len(tokens)) if mask is None else mask
    layers = [
        CapturedLayer(3 * n, given=softmaxed(n, 2, allowed), allowed=allowed)
        for n in range(n_layers)
    ]
    return Capture("made up", tuple(layers), tokens, tokens, **more)


def pooling(of_word):
    """The matrix that adds up what is of a word, (words, tokens)."""
    return (np.arange(max(of_word) + 1)[:, np.newaxis] == of_word).astype(float)


def test_weights_are_summed_on_the_tokens_of_a_word_and_averaged_over_its_own():
    capture = of_text(PIECES, n_layers=2, token_ids=(9, 1, 2, 3, 4, 5, 6))
    words = by_words(capture)
    assert (words.query_tokens, words.key_tokens) == (WORDS, WORDS)
    assert [layer.number for layer in words.layers] == [0, 3]
    add = pooling(OF_WORD)
    mean = add / add.sum(axis=1, keepdims=True)
    for layer, whole in zip(words.layers, capture.layers, strict=True):
        assert (layer.n_heads, layer.shape) == (2, (5, 5))
        np.testing.assert_allclose(layer.weights, mean @ whole.given @ add.T, rtol=1e-14)
        assert not layer.weights.flags.writeable
        assert (layer.q, layer.x, layer.w_o, layer.has_values) == (None, None, None, False)
    assert words.whole is capture
    assert words.title == "made up, by words"
    assert words.notes == (
        "By words: 7 tokens make 5 words. What goes to a word is the sum over its tokens, what it "
        "gives the mean over them.",
    )
    assert words.token_ids == ()  # of tokens, not of words
    assert by_words(words) is words


def test_a_word_sees_itself_and_the_words_before_it():
    (layer,) = by_words(of_text(PIECES)).layers
    np.testing.assert_array_equal(layer.allowed, core.causal_mask(5))
    assert np.all(np.triu(layer.weights, 1) == 0)


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        (MaskRule(MaskKind.FULL), MaskRule(MaskKind.FULL)),
        # The first three tokens are two words and half of one, which all see whole.
        (MaskRule(MaskKind.PREFIX, 3), MaskRule(MaskKind.PREFIX, 3)),
        (MaskRule(MaskKind.SLIDING, 1), MaskRule(MaskKind.SLIDING, 1)),
    ],
)
def test_a_key_is_seen_where_a_token_of_one_sees_one_of_the_other(rule, wanted):
    (layer,) = by_words(of_text(PIECES, mask=rule.allowed(7))).layers
    np.testing.assert_array_equal(layer.allowed, wanted.allowed(5))


@given(
    st.lists(st.sampled_from(["Ġa", "b", "c", ".", "<s>"]), min_size=2, max_size=12).filter(
        lambda pieces: "b" in pieces[1:] and "Ġa" in pieces
    ),
    st.integers(0, 99),
)
def test_rows_still_sum_to_1_and_causal_stays_causal(pieces, seed):
    weights = softmaxed(seed, 3, core.causal_mask(len(pieces))).astype(np.float32)
    capture = Capture("", (CapturedLayer(0, given=weights),), *[tuple(pieces)] * 2)
    try:
        words = by_words(capture)
    except UserError:
        return  # each is a word
    (layer,) = words.layers
    assert layer.weights.dtype == np.float32
    np.testing.assert_allclose(layer.weights.sum(axis=-1), 1, atol=1e-6)
    assert np.all(np.triu(layer.weights, 1) == 0)
    assert layer.allowed is None  # as it was


def test_where_every_token_is_a_word_merging_changes_nothing():
    weights = softmaxed(0, 2, core.causal_mask(4))
    alone = [slice(place, place + 1) for place in range(4)]
    np.testing.assert_array_equal(core.merged_weights(weights, alone, alone), weights)


def test_what_is_no_number_stays_so_and_an_empty_row_counts_for_nothing():
    weights = softmaxed(0, 1, core.causal_mask(7))
    weights[0, 3, 0], weights[0, 6] = np.nan, 0
    weights[0, 4, :2] = np.inf, -np.inf
    layer = CapturedLayer(0, given=weights)
    (words,) = by_words(Capture("", (layer,), PIECES, PIECES)).layers
    assert np.argwhere(np.isnan(words.weights[0])).tolist() == [[2, 0]]
    assert words.weights[0, 4].sum() == 0
    assert np.isposinf(words.weights[0, 3, 0])


def test_weights_are_made_of_queries_and_keys_layer_by_layer_and_not_kept_by_scoring():
    rng = np.random.default_rng(2)
    allowed = core.causal_mask(7)
    layers = tuple(
        CapturedLayer(
            n, q=rng.normal(size=(4, 7, 3)), k=rng.normal(size=(2, 7, 3)), allowed=allowed
        )
        for n in range(2)
    )
    capture = Capture("lazy", layers, PIECES, PIECES)
    words = by_words(capture)
    scorecard(words)
    assert not any(layer.has_weights for layer in (*words.layers, *layers))
    assert words.layers[0].allowed is words.layers[1].allowed
    assert (words.layers[0].n_key_heads, words.layers[0].key_head(3)) == (2, 1)
    add = pooling(OF_WORD)
    expected = (add / add.sum(axis=1, keepdims=True)) @ layers[1].recomputed() @ add.T
    np.testing.assert_allclose(words.layers[1].weights, expected, rtol=1e-12)
    assert [layer.has_weights for layer in words.layers] == [False, True]
    assert not layers[1].has_weights


def test_queries_and_keys_of_two_texts():
    keys = ("Le", "Ġch", "at", "Ġdor", "t")
    weights = softmaxed(1, 2, np.ones((7, 5), dtype=bool))
    capture = Capture("cross", (CapturedLayer(0, given=weights),), PIECES, keys)
    words = by_words(capture)
    assert (words.query_tokens, words.key_tokens) == (WORDS, ("Le", "chat", "dort"))
    add, to = pooling(OF_WORD), pooling([0, 1, 1, 2, 2])
    expected = (add / add.sum(axis=1, keepdims=True)) @ weights @ to.T
    np.testing.assert_allclose(words.layers[0].weights, expected, rtol=1e-14)
    assert "7 tokens make 5 words as queries, 5 tokens make 3 words as keys" in words.notes[-1]


def test_positions_without_tokens_stay_as_they_are():
    weights = softmaxed(1, 2, np.ones((2, 7), dtype=bool))
    capture = Capture("keys", (CapturedLayer(0, given=weights),), (), PIECES)
    words = by_words(capture)
    assert (words.query_tokens, words.layers[0].shape) == ((), (2, 5))
    np.testing.assert_allclose(words.layers[0].weights, weights @ pooling(OF_WORD).T, rtol=1e-14)


def test_words_are_told_by_the_pieces_of_the_tokenizer_where_these_are_known():
    # What is split over tokens is lost where they are decoded one by one.
    pieces = ("Ġok", "ðŁĺ", "Ģ", "Ġdone")
    texts = (" ok", "\ufffd", "\ufffd", " done")
    capture = of_text(texts, pieces=pieces, token_scheme=Scheme.BYTE_LEVEL)
    assert by_words(capture).query_tokens == ("ok", "😀", "done")
    alone = of_text(("anti", "dis"), pieces=("anti", "dis"), token_scheme=Scheme.BYTE_LEVEL)
    assert by_words(alone).query_tokens == ("antidis",)  # where spaces could be, and are none


@pytest.mark.parametrize(
    ("pieces", "wanted"),
    [
        (("[CLS]", "play", "##ing", "[SEP]"), ("[CLS]", "playing", "[SEP]")),
        (("▁Hi", "▁the", "re", "<0x0A>", "▁", "x"), ("Hi", "there", "\n", "x")),
        (("a", "Ġb", "c", "ðŁĺ"), ("a", "bc", "⟨F0 9F 98⟩")),  # which ends within a character
    ],
)
def test_words_are_decoded_without_the_spaces_around_them(pieces, wanted):
    assert by_words(of_text(pieces)).query_tokens == wanted


@pytest.mark.parametrize(
    ("capture", "told"),
    [
        (of_text(("the", "cat", "sat")), "nothing to merge: each of the 3 tokens is a word"),
        (Capture("", of_text(PIECES).layers), "no tokens that words could be made of"),
        (Capture("", of_text(PIECES).layers, ("a", "b")), "2 tokens and 7 positions"),
        (
            Capture("", (of_text(PIECES).layers[0], of_text(PIECES[:3], 2).layers[1]), PIECES),
            "Layer 0 has 7 queries and 7 keys, layer 3 3 and 3",
        ),
    ],
)
def test_what_has_no_words_is_refused_in_a_sentence(capture, told):
    with pytest.raises(UserError, match=told):
        by_words(capture)


def test_a_layer_by_words_is_a_scene_that_says_what_is_not_known():
    scene = scene_of(by_words(of_text(PIECES, n_layers=2)), 3)
    assert scene.title == "made up, by words, layer 3"
    assert (scene.tokens, scene.mask, scene.has_values) == (WORDS, MaskRule(), False)
    assert [head.name for head in scene.heads] == ["L3 H0", "L3 H1"]
    assert "Of words the weights alone are known" in scene.description
    assert "7 tokens make 5 words" in scene.description


def test_the_cursor_stays_in_its_word():
    (whole,) = of_text(PIECES).layers
    (words,) = by_words(of_text(PIECES)).layers
    assert place_in(whole, words, 3, 5) == (2, 3)
    assert place_in(words, whole, 2, 3) == (2, 4)
    assert place_in(whole, whole, 2, 3) == (2, 3)


# ----------------------------------------------------------------------------------- what is scored


def test_a_head_that_goes_through_its_word_is_a_head_of_words():
    """Within a word it looks at the piece before: “previous token” by tokens, “self” by words."""
    pieces = tuple(piece for n in range(6) for piece in (f"Ġ{n}", "a", "b", "c"))
    n = len(pieces)
    first = np.arange(n) % 4 == 0
    weights = np.where(first[:, np.newaxis], np.eye(n), np.eye(n, k=-1))
    layer = CapturedLayer(0, given=weights[np.newaxis], allowed=core.causal_mask(n))
    capture = Capture("", (layer,), pieces, pieces)
    assert scorecard(capture).labels == ("previous token",)
    card = scorecard(by_words(capture))
    assert card.labels == ("self",)
    assert card.notes == (
        "Scored by words, 6 of 24 tokens: the previous token is the previous word, and so on. "
        "Chance is what a head has that is uniform over tokens.",
    )


def test_chance_by_words_is_the_uniform_head_of_tokens():
    """Which gives long words more: it is at chance in every score, and is called nothing."""
    pieces = ("Ġa", "Ġb", "Ġlong", "e", "r", "e", "s", "t", "Ġc", "Ġd", "Ġe", "f")
    allowed = core.causal_mask(len(pieces))
    uniform = core.uniform_weights(allowed)
    layer = CapturedLayer(0, given=uniform[np.newaxis], allowed=allowed)
    card = scorecard(by_words(Capture("", (layer,), pieces, pieces)))
    for column in (*card.columns, card.effective_ranks):
        np.testing.assert_allclose(column.values, column.baselines, rtol=1e-12, err_msg=column)
    shares = np.array([column.corrected for column in card.columns if column.measure.is_share])
    np.testing.assert_allclose(shares[np.isfinite(shares)], 0, atol=1e-12)
    assert card.labels == ("",)
    by_tokens = scorecard(Capture("", (layer,), pieces, pieces))
    assert by_tokens.labels == ("uniform",)
    add = pooling([0, 1, 2, 2, 2, 2, 2, 2, 3, 4, 5, 5])
    of_words = (add / add.sum(axis=1, keepdims=True)) @ uniform @ add.T
    wanted = np.diag(of_words, -1).mean()
    np.testing.assert_allclose(card.column("previous token").baselines, wanted, rtol=1e-12)


def test_layers_of_several_masks_have_each_its_own_chance():
    masks = [core.causal_mask(7), core.sliding_window_mask(7, window=5)]
    layers = tuple(
        CapturedLayer(n, given=core.uniform_weights(mask)[np.newaxis], allowed=mask)
        for n, mask in enumerate(masks)
    )
    card = scorecard(by_words(Capture("", layers, PIECES, PIECES)))
    column = card.column("first token")
    np.testing.assert_allclose(column.values, column.baselines, rtol=1e-12)
    assert column.values[0] != column.values[1]
