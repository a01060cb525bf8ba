"""Tokens decoded and made visible: byte-level, sentencepiece, wordpiece and plain text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document.token_text import (
    ELLIPSIS,
    Scheme,
    elided,
    guess_scheme,
    labels,
    shown_tokens,
    texts,
)

EMOJI = "😀"  # F0 9F 98 80
TECHNOLOGIST = "🧑\u200d💻"


def byte_level(content):
    """Return the piece that stands for ``content``: GPT-2's table, from its description."""
    keep = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), 256)]
    moved = [byte for byte in range(256) if byte not in keep]
    return "".join(chr(b if b in keep else 256 + moved.index(b)) for b in content)


def label_of(piece, scheme=Scheme.PLAIN):
    return shown_tokens([piece], scheme)[0].label


# ---------------------------------------------------------------------------------- decoding


@pytest.mark.parametrize(
    ("piece", "text", "label"),
    [
        ("Ġcat", " cat", "␣cat"),
        ("ĊĊ", "\n\n", "⏎⏎"),
        ("ĉ", "\t", "⇥"),
        ("Ã¡n", "án", "án"),
        ("ä½łå¥½", "你好", "你好"),
        ("č", "\r", "\\u000D"),
        ("<|endoftext|>", "<|endoftext|>", "<|endoftext|>"),
        ("<｜begin▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜begin▁of▁sentence｜>"),
        ("    ", "    ", "␣␣␣␣"),  # an added token is no bytes
    ],
)
def test_byte_level_pieces_are_read_as_bytes(piece, text, label):
    (token,) = shown_tokens([piece], "byte-level")
    assert (token.raw, token.text, token.label) == (piece, text, label)
    assert not token.is_partial
    assert token.group == range(1)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.data())
def test_byte_level_text_comes_back_however_it_is_cut(text, data):
    content = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(1, len(content)))) | {len(content)})
    pieces = [byte_level(content[i:j]) for i, j in zip([0, *cuts], cuts, strict=False)]
    shown = shown_tokens(pieces, "byte-level")
    first_of_each = [token for place, token in enumerate(shown) if place == token.group.start]
    assert "".join(token.together for token in first_of_each) == text
    assert [token.is_partial for token in shown] == [len(token.group) > 1 for token in shown]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_tokenizers_package_reads_the_same_bytes(text):
    decoders = pytest.importorskip("tokenizers").decoders
    (token,) = shown_tokens([byte_level(text.encode())], "byte-level")
    assert token.text == decoders.ByteLevel().decode([token.raw]) == text


@pytest.mark.parametrize(
    ("piece", "text", "label"),
    [("▁The", " The", "␣The"), ("▁", " ", "␣"), ("<0x0A>", "\n", "⏎"), ("ing", "ing", "ing")],
)
def test_sentencepiece_marks_are_spaces_and_bytes(piece, text, label):
    (token,) = shown_tokens([piece], "sentencepiece")
    assert (token.raw, token.text, token.label) == (piece, text, label)


def test_wordpieces_that_go_on_keep_their_mark():
    play, ing, mark = shown_tokens(["play", "##ing", "##"], "wordpiece")
    assert (ing.raw, ing.text, ing.label, ing.goes_on) == ("##ing", "ing", "##ing", True)
    assert not play.goes_on
    assert (mark.text, mark.goes_on) == ("##", False)


def test_unknown_schemes_are_refused():
    with pytest.raises(ValueError, match="bpe"):
        shown_tokens(["a"], "bpe")


# ---------------------------------------------------------------------------------- parts


@pytest.mark.parametrize("scheme", ["byte-level", "sentencepiece"])
def test_a_character_of_several_tokens_has_one_bracket(scheme):
    if scheme == "byte-level":
        parts = [byte_level(part) for part in (b"a", b"\xf0\x9f", b"\x98", b"\x80", b" b")]
        wanted = ["a", "⟨F0 9F…", "…98…", "…80⟩", "␣b"]
    else:
        parts = ["a", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"]
        wanted = ["a", "⟨F0…", "…9F…", "…98…", "…80⟩"]
    shown = shown_tokens(parts, scheme)
    assert [token.label for token in shown] == wanted
    group = range(1, 4) if scheme == "byte-level" else range(1, 5)
    assert [token.group for token in shown if token.is_partial] == [group] * len(group)
    assert {token.together for token in shown if token.is_partial} == {EMOJI}
    assert not shown[0].is_partial


def test_tokens_that_share_characters_in_a_chain_are_one_group():
    content = "éñ".encode()  # C3 A9 C3 B1
    parts = [byte_level(part) for part in (content[:1], content[1:3], content[3:], b"x")]
    shown = shown_tokens(parts, "byte-level")
    assert [token.label for token in shown] == ["⟨C3…", "…A9⟩⟨C3…", "…B1⟩", "x"]
    assert [token.group for token in shown] == [range(3)] * 3 + [range(3, 4)]
    assert shown[1].together == "éñ"


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ([b"\xf0\x9f"], ["⟨F0 9F⟩"]),
        ([b"\xf0\x9f", b"a"], ["⟨F0 9F⟩", "a"]),
        ([b"\x80b\xff\xfe"], ["⟨80⟩b⟨FF FE⟩"]),
        ([b"\xf0", b"\x9f", b" "], ["⟨F0⟩", "⟨9F⟩", "␣"]),
        ([b"\xc0\xaf\xed\xa0\x80"], ["⟨C0 AF ED A0 80⟩"]),  # no UTF-8
    ],
)
def test_bytes_that_never_make_a_character_stand_in_brackets_of_their_own(parts, wanted):
    shown = shown_tokens([byte_level(part) for part in parts], "byte-level")
    assert [token.label for token in shown] == wanted
    assert shown[0].is_partial
    assert shown[0].group == range(1)


# ---------------------------------------------------------------------------------- what is drawn


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("", "∅"),
        ("in the end", "in␣the␣end"),
        ("a\tb\n", "a⇥b⏎"),
        ("\x07", "\\u0007"),
        ("\u200b", "\\u200B"),
        ("a\u200db", "a\\u200Db"),
        ("\ufeffx", "\\uFEFFx"),
        ("\u3000", "\\u3000"),
        ("\u2066x", "\\u2066x"),
        ("\u3164", "\\u3164"),
        (TECHNOLOGIST, TECHNOLOGIST),
        ("क्\u200dष", "क्\u200dष"),
        ("\u200d💻", "\\u200D💻"),
        ("\u0301", "◌\u0301"),
        (" \u0301e\u0301", "␣◌\u0301e\u0301"),
        ("नमस्ते", "नमस्ते"),
        ("שלום", "\u2068שלום\u2069"),
        (" مرحبا", "\u2068␣مرحبا\u2069"),
    ],
)
def test_nothing_is_invisible(text, label):
    assert label_of(text) == label


@given(st.text(min_size=1))
def test_labels_are_short_show_something_and_keep_their_isolates(text):
    (token,) = shown_tokens([text], "plain")
    assert token.raw == text
    assert 1 <= len(token.label) <= 42
    inner = token.label.removeprefix("\u2068").removesuffix("\u2069")
    assert token.label in (inner, f"\u2068{inner}\u2069")
    assert inner.strip()
    unseen = {c for c in inner if unicodedata.category(c)[0] in "CZ"}
    assert unseen <= {"\u200c", "\u200d"}


def test_long_labels_are_cut_in_the_middle():
    assert elided("incomprehensible", 8) == "inco…ble"
    assert elided("eight...", 8) == "eight..."
    assert elided("\u2068אבגדהוזחט\u2069", 5) == "\u2068אב…חט\u2069"
    assert labels(["x" * 60])[0] == "x" * 20 + ELLIPSIS + "x" * 19


def test_a_cut_tears_no_mark_from_its_letter():
    assert elided("e\u0301e\u0301e\u0301e\u0301e\u0301", 6) == "e\u0301…e\u0301"


# ---------------------------------------------------------------------------------- guesses


@pytest.mark.parametrize(
    ("pieces", "scheme"),
    [
        (["The", "Ġcat"], "byte-level"),
        (["<|endoftext|>", "ä½ł"], "byte-level"),
        (["Ġa", "ðŁ"], "byte-level"),  # cut within an emoji
        (["Ġa", "Ł"], "plain"),
        (["<s>", "▁The"], "sentencepiece"),
        (["<0xE2>"], "sentencepiece"),
        (["[CLS]", "play", "##ing"], "wordpiece"),
        (["cat", "sat"], "plain"),
        ([], "plain"),
        (["#", "##"], "plain"),
        (["café"], "plain"),
        (["był"], "plain"),
        (["Ġorġ"], "plain"),  # a name; as bytes it would have a control character
        (["שלום"], "plain"),
        (["^", "A", "B"], "plain"),
    ],
)
def test_the_scheme_is_guessed(pieces, scheme):
    assert guess_scheme(pieces) == scheme
    assert shown_tokens(pieces) == shown_tokens(pieces, scheme)


def test_texts_differ_where_bytes_do_and_are_plain_elsewhere():
    pieces = ("▁a", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "▁b", "<0x41>")
    found = texts(pieces, "sentencepiece")
    assert (found[0], found[5], found[6]) == (" a", " b", "A")
    assert len(set(found[1:5])) == 4
    assert "\ufffd" not in "".join(found)
