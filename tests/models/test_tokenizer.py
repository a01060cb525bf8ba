"""Prompts as tokens: with the marks of the model, each word cut the way its name says."""

import json

import pytest

from mhagui.errors import UserError
from mhagui.models import open_model
from mhagui.models.tokenizer import tokenizer_of_folder, tokenizer_of_gguf
from mhagui.models.values import Values


def values(words, cut="gpt-2", merges=(), **more):
    named = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": cut,
        "tokenizer.ggml.tokens": list(words),
        "tokenizer.ggml.merges": list(merges),
    }
    return Values("tiny.gguf", named | more)


def tokens(tokenizer, prompt):
    return tokenizer.of_ids(tokenizer.ids(prompt))


DIGITS = ["1", "2", "3", "4", "12", "34", "1234", "'", "S", "s", "'s", "Ġ", "Ċ", "ĊĊ", "<|end|>"]
MERGES = ["1 2", "3 4", "12 34", "' s", "Ċ Ċ"]


@pytest.mark.parametrize(
    ("cut", "pieces"),
    [
        ("gpt-2", ["1234"]),
        ("smollm", ["1", "2", "3", "4"]),
        ("qwen2", ["1", "2", "3", "4"]),
        ("llama-bpe", ["12", "3", "4"]),  # at most three digits to a word
    ],
)
def test_numbers_are_cut_as_the_name_says(cut, pieces):
    tokenizer = tokenizer_of_gguf(
        values(DIGITS, cut, MERGES, **{"tokenizer.ggml.add_bos_token": False})
    )
    assert list(tokens(tokenizer, "1234").pieces) == pieces


def test_a_mark_within_the_prompt_is_one_token():
    kinds = [1] * (len(DIGITS) - 1) + [3]
    made = values(DIGITS, merges=MERGES, **{"tokenizer.ggml.token_type": kinds})
    assert tokens(tokenizer_of_gguf(made), "12<|end|>12").pieces == ("12", "<|end|>", "12")


def test_a_first_token_is_put_in_front_where_the_file_says_so():
    more = {"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.bos_token_id": 14}
    assert tokenizer_of_gguf(values(DIGITS, merges=MERGES, **more)).ids("12") == (14, 4)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"tokenizer.ggml.model": "llama"}, "kind “llama”; only “gpt2”"),
        ({"tokenizer.ggml.pre": "tekken"}, "the “tekken” way, which is not rebuilt here; gpt-2,"),
        ({"tokenizer.ggml.merges": ["1 2 3"]}, "merge 1 of 1 is “1 2 3”"),
        ({"tokenizer.ggml.merges": ["2 1"]}, "merge 1 of 1 is “2 1”"),
        ({"tokenizer.ggml.tokens": ["a", "a"]}, "words twice"),
        ({"tokenizer.ggml.tokens": 3}, "a list of texts"),
        ({"tokenizer.ggml.pre": None}, "does not say “tokenizer.ggml.pre”"),
    ],
)
def test_what_was_not_compared_is_refused_by_name(named, said):
    with pytest.raises(UserError, match=said):
        tokenizer_of_gguf(values(DIGITS, **named))


def test_berts_words_from_a_list_alone(tmp_path):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##lock", "##ed", "!", "naive"]
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    cut = tokens(tokenizer_of_folder(tmp_path), "Unlocked! Naïve zebra")
    assert cut.pieces == (
        "[CLS]", "un", "##lock", "##ed", "!", "naive", "[UNK]", "[SEP]",
    )  # fmt: skip
    assert cut.ids == (2, 4, 5, 6, 7, 8, 1, 3)
    assert cut.texts == ("[CLS]", "un", "lock", "ed", "!", "naive", "[UNK]", "[SEP]")
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert tokens(tokenizer_of_folder(tmp_path), "Unlocked").pieces[1] == "[UNK]"


def test_a_line_of_the_list_ends_where_it_says_and_at_no_other_sign(tmp_path):
    words = ["[UNK]", "[CLS]", "[SEP]", "\u2028", "\x85", "a"]
    text = "".join(f"{word}\r\n" for word in words)
    (tmp_path / "vocab.txt").write_bytes(text.encode())
    assert tokenizer_of_folder(tmp_path).ids("a") == (1, 5, 2)


def test_lengths_that_somebody_cut_to_are_not_kept(write_checkpoint):
    folder = write_checkpoint("gpt2").folder
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.enable_truncation(3)
    made.enable_padding(length=9, pad_id=0, pad_token="!")
    made.save(str(folder / "tokenizer.json"))
    assert len(open_model(folder).tokens("abcdef").ids) == 6


def test_a_folder_without_a_tokenizer_still_runs_numbers(write_checkpoint):
    folder = write_checkpoint("gpt2").folder
    (folder / "tokenizer.json").unlink()
    model = open_model(folder)
    with pytest.raises(
        UserError, match=r"There is no tokenizer\.json beside the model in tiny-gpt2"
    ):
        model.tokens("text")
    assert model.run([1, 2]).capture().query_tokens == ()


@pytest.mark.parametrize(
    ("prompt", "said"),
    [("", "The prompt is empty"), ("ab\ud83d", "Character 3 of the prompt is half of one")],
)
def test_prompts_that_are_no_text(prompt, said, write_checkpoint):
    with pytest.raises(UserError, match=said):
        open_model(write_checkpoint("gpt2").folder).tokens(prompt)


def test_a_tokenizer_that_fails_within_its_package_is_said(write_checkpoint):
    folder = write_checkpoint("gpt2").folder
    path = folder / "tokenizer.json"
    made = json.loads(path.read_text(encoding="utf-8"))
    made["model"]["continuing_subword_prefix"] = "Ġ"  # the package cuts one byte of two off
    path.write_text(json.dumps(made))
    with pytest.raises(UserError, match="no tokenizer that can be read: slice index"):
        open_model(folder).tokens("the 1234")


@pytest.mark.parametrize("text", ["{", '{"version": "1.0"}', "[]", "\0"])
def test_a_tokenizer_that_is_none(text, write_checkpoint):
    folder = write_checkpoint("gpt2").folder
    (folder / "tokenizer.json").write_text(text)
    with pytest.raises(UserError, match=r"tokenizer\.json is no tokenizer that can be read"):
        open_model(folder).tokens("text")
