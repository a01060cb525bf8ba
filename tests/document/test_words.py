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
        # Arabic: كتابها is a word of three tokens, one of which has half a letter.
        (["ĠÙĥØªØ§", "Ø¨Ù", "ĩØ§", "ĠÙĦÙĬ"], ["ĠÙĥØªØ§ Ø¨Ù ĩØ§", "ĠÙĦÙĬ"]),
        # Chinese behind a mark of SentencePiece, and in a sentence with spaces.
        (["▁", "我", "喜", "欢", "▁GPT", "4", "。"], ["▁ 我", "喜", "欢", "▁GPT 4", "。"]),
        (["▁2", "4", "年", "に", "ラ", "ー", "メン"], ["▁2 4", "年", "に", "ラ", "ー", "メン"]),
        # An emoji of four tokens, with a joiner between two signs.
        (["Ġoh", "ĠðŁĳ", "©", "âĢį", "ðŁĶ", "¬", "Ġok"], ["Ġoh", "ĠðŁĳ © âĢį ðŁĶ ¬", "Ġok"]),
        (["▁a", "bc", "\u200c", "d"], ["▁a bc \u200c d"]),  # a joiner that is not seen
        (["▁a", "", "b"], ["▁a", "", "b"]),
        ([], []),
    ],
)
def test_tokens_make_words(pieces, wanted):
    assert words_of(pieces) == [word.split(" ") for word in wanted]


@pytest.mark.parametrize(
    "mark",
    [
        *("<s>", "</s>", "<unk>", "<pad>", "<mask>", "<bos>", "<eos>", "<extra_id_0>"),
        *("<|endoftext|>", "<|begin_of_text|>", "<|eot_id|>", "<|im_start|>", "<|im_end|>"),
        *("<start_of_turn>", "<end_of_turn>", "<｜begin▁of▁sentence｜>"),
        *("[CLS]", "[SEP]", "[PAD]", "[MASK]", "[UNK]", "[INST]", "[/INST]", "[unused1]"),
    ],
)
def test_a_mark_of_a_tokenizer_is_a_word_of_its_own(mark):
    assert words_of([mark, mark, "Ġcat", "s", mark, "s", mark]) == [
        [mark], [mark], ["Ġcat", "s"], [mark], ["s"], [mark],
    ]  # fmt: skip
    assert words_of(["play", mark, "##ing"])[:2] == [["play"], [mark]]


def test_text_that_its_scheme_writes_with_spaces_is_one_word_without_any():
    shown = shown_tokens(["un", "happ", "iness"], "byte-level")
    assert words(shown) == (slice(0, 1), slice(1, 2), slice(2, 3))
    assert words(shown, is_spaced=True) == (slice(0, 3),)
    thai = shown_tokens(["ที่", "นี่", "ดี"])
    assert words(thai, is_spaced=True) == (slice(0, 1), slice(1, 2), slice(2, 3))


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
