"""Words of several tokens, and attention between them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui import core
from mhagui.document.token_text import shown_tokens
from mhagui.document.words import words


def words_of(pieces, scheme=None):
    return [pieces[word] for word in words(shown_tokens(pieces, scheme))]


@pytest.mark.parametrize(
    ("pieces", "wanted"),
    [
        (["The", "Ġun", "happy", "Ġcat", "."], ["The", "Ġun happy", "Ġcat", "."]),
        (["I", "Ġdon", "'t", ",", "Ġno"], ["I", "Ġdon 't", ",", "Ġno"]),
        (["ĠGPT", "2", ".", "5"], ["ĠGPT 2", ".", "5"]),
        (["a", "Ċ", "b", "Ġc"], ["a", "Ċ", "b", "Ġc"]),
        (["if", "Ġx", ":", "Ċ", "ĠĠĠ", "Ġreturn"], ["if", "Ġx", ":", "Ċ", "ĠĠĠ", "Ġreturn"]),
        (["Ġok", "ðŁĺ", "Ģ", "!"], ["Ġok", "ðŁĺ Ģ !"]),
        (["<|endoftext|>", "a", "Ġb"], ["<|endoftext|>", "a", "Ġb"]),
        (["▁The", "▁", "1", "2", "<0x0A>", "x"], ["▁The", "▁ 1 2", "<0x0A>", "x"]),
        (["[CLS]", "play", "##ing", "ball", "[SEP]"], ["[CLS]", "play ##ing", "ball", "[SEP]"]),
        (["cat", "sat", "on"], ["cat", "sat", "on"]),
        (["çĮ«", "ãģĮ"], ["çĮ«", "ãģĮ"]),  # no spaces: each its own
        (["Ġcat", "Ð¸"], ["Ġcat", "Ð¸"]),  # Latin, then Cyrillic
        ([], []),
    ],
)
def test_tokens_make_words(pieces, wanted):
    assert words_of(pieces) == [word.split(" ") for word in wanted]


@given(st.lists(st.text(max_size=4), max_size=8))
def test_words_cover_all_tokens_in_order(pieces):
    found = words(shown_tokens(pieces))
    assert [place for word in found for place in range(len(pieces))[word]] == list(
        range(len(pieces))
    )
    assert all(word.stop > word.start for word in found)


WORDS = [slice(0, 2), slice(2, 3), slice(3, 6)]


def test_merged_weights_are_sums_over_keys_and_means_over_queries():
    weights = core.attention_weights(
        np.random.default_rng(1).normal(size=(2, 6, 4)), np.ones((2, 6, 4)), mask="causal"
    )
    merged = core.merged_weights(weights, WORDS, WORDS)
    plain = [
        [[weights[h, q, k].sum() / (q.stop - q.start) for k in WORDS] for q in WORDS]
        for h in range(2)
    ]
    np.testing.assert_allclose(merged, plain, rtol=1e-15)
    np.testing.assert_allclose(merged.sum(axis=-1), 1.0, rtol=1e-15)
    assert merged.dtype == weights.dtype


def test_merged_weights_of_a_rectangle_keep_what_is_no_number():
    weights = np.full((2, 3), 0.25, dtype=np.float32)
    weights[0, 0] = np.nan
    merged = core.merged_weights(weights, [slice(0, 1), slice(1, 2)], [slice(0, 3)])
    assert merged.dtype == np.float32
    np.testing.assert_array_equal(merged, [[np.nan], [0.75]])


@pytest.mark.parametrize(
    "given_words",
    [[], [slice(0, 2)], [slice(0, 2), slice(3, 6)], [slice(0, 6), slice(6, 6)], [slice(1, 6)]],
)
def test_words_with_gaps_are_refused(given_words):
    with pytest.raises(ValueError, match="key words must follow on one another from 0 to 6"):
        core.merged_weights(np.ones((6, 6)), WORDS, given_words)
