"""Tokens and their numbers beside attention: used where there is one for each position."""

import json

import numpy as np
import pytest


def test_tokens_that_do_not_fit_a_padded_batch_are_said_not_to(tmp_path, attention, opened, notes):
    np.savez(
        tmp_path / "a.npz",
        attn=attention(16, 2, 12, 12),
        tokens=np.array(["a", "b", "c", "d", "e"]),
    )
    capture = opened(tmp_path / "a.npz", axes="batch,head,query,key", batch=1)
    assert capture.query_tokens == ()
    assert "5 tokens and 12 positions" in notes(capture)


def test_tokens_fewer_than_a_block_are_not_stretched_and_nothing_is_cropped(
    tmp_path, attention, opened, notes
):
    tokens = np.array([f"w{n}" for n in range(61)])
    np.savez(tmp_path / "a.npz", attn=attention(64, 64), tokens=tokens)
    capture = opened(tmp_path / "a.npz")
    assert capture.layers[0].shape == (64, 64)
    assert capture.key_tokens == ()
    assert "61 tokens and 64 positions" in notes(capture)
    assert "3 positions may be padding" in notes(capture)


def test_tokens_of_queries_and_keys_are_counted_each(tmp_path, attention, opened, notes):
    tokens = np.array(["a", "b", "c"])
    np.savez(tmp_path / "a.npz", attn=attention(3, 5, causal=False), tokens=tokens)
    capture = opened(tmp_path / "a.npz")
    assert capture.query_tokens == ("a", "b", "c")
    assert capture.key_tokens == ()
    assert "3 tokens and 5 key positions" in notes(capture)


def test_tokens_that_are_no_texts_are_said_to_be_left_out(tmp_path, attention, opened, notes):
    tokens = np.array(["a", "b", "c"], dtype=object)
    np.savez(tmp_path / "a.npz", attn=attention(3, 3), tokens=tokens)
    capture = opened(tmp_path / "a.npz")
    assert capture.query_tokens == ()
    assert "tokens holds Python objects" in notes(capture)
    assert "so positions stay without labels" in notes(capture)


def test_tokens_given_as_numbers_are_their_ids(tmp_path, attention, opened):
    np.savez(tmp_path / "a.npz", attn=attention(3, 3), tokens=np.array([7, 8, 7]))
    assert opened(tmp_path / "a.npz").token_ids == (7, 8, 7)


def test_cross_attention_is_rectangular_with_tokens_of_its_own(tmp_path, attention, opened):
    np.savez(
        tmp_path / "a.npz",
        attn=attention(2, 7, 18, causal=False),
        query_tokens=np.array([f"d{n}" for n in range(7)]),
        key_tokens=np.array([f"e{n}" for n in range(18)]),
    )
    capture = opened(tmp_path / "a.npz", axes="head,query,key")
    assert capture.layers[0].shape == (7, 18)
    assert (len(capture.query_tokens), len(capture.key_tokens)) == (7, 18)


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ([["a", "b", "c"]], "tokens is no list of texts"),
        ("abc", "tokens is no list of texts"),
        (["a", None, 3], "tokens is no list of texts"),
    ],
)
def test_tokens_in_json_that_are_no_list_of_texts(tmp_path, attention, tokens, said, opened, notes):
    fields = {"attention": attention(3, 3).tolist(), "tokens": tokens}
    (tmp_path / "a.json").write_text(json.dumps(fields))
    assert said in notes(opened(tmp_path / "a.json"))


def test_tokens_of_a_batch_in_npz_say_their_shape(tmp_path, attention, opened, notes):
    np.savez(tmp_path / "a.npz", attention=attention(3, 3), tokens=np.array([["a", "b", "c"]]))
    assert "tokens holds texts as 1 × 3; one list of them is read" in notes(
        opened(tmp_path / "a.npz")
    )


def test_ids_that_do_not_fit_are_said_not_to_be_used(tmp_path, attention, opened, notes):
    np.savez(tmp_path / "a.npz", attention=attention(3, 3), input_ids=np.arange(5))
    assert "input_ids (5) is not one whole number for each of 3 positions" in notes(
        opened(tmp_path / "a.npz")
    )


def test_half_a_pair_of_utf_16_becomes_a_text_that_can_be_written(tmp_path, opened):
    text = '{"attention": [[1, 0], [0.5, 0.5]], "tokens": ["\\ud83d", "b"]}'
    (tmp_path / "a.json").write_text(text)
    tokens = opened(tmp_path / "a.json").query_tokens
    assert tokens[1] == "b"
    assert tokens[0].encode() == "\N{REPLACEMENT CHARACTER}".encode()
