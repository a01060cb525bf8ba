"""tokenizer.json from strangers: nothing outgrows memory, and only a sentence is said."""

import base64
import json
import os

import pytest

from mhagui.errors import UserError
from mhagui.models import open_model
from mhagui.models.tokenizer_json import tokenizer_of_json

BASE = {
    "version": "1.0",
    "added_tokens": [],
    "model": {"type": "BPE", "vocab": {"x": 0, "a": 1, "▁": 2}, "merges": []},
}

TABLE = base64.b64encode(bytes(4) + b"x" * 65 + b"\0").decode()


def replacing(old, new, kind="String"):
    return {"type": "Replace", "pattern": {kind: old}, "content": new}


def in_turn(*steps):
    return {"type": "Sequence", "normalizers": list(steps)}


def text_of(**parts):
    return json.dumps(BASE | parts).encode()


def marks(count, ids=1):
    return {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "x", "type_id": 0}}] * count
        + [{"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"x": {"id": "x", "ids": [0] * ids, "tokens": ["x"] * ids}},
    }


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"normalizer": in_turn(*[replacing("x", "x" * 100)] * 5)}, "puts 100 characters into a"),
        ({"normalizer": {"type": "Prepend", "prepend": "x" * 17}}, "puts 17 characters into a"),
        ({"normalizer": in_turn(*[replacing("x", "xxx")] * 5)}, "can make 243 characters or tok"),
        ({"normalizer": in_turn(in_turn(*[replacing("z*", "xx", "Regex")] * 5))}, "make 243 char"),
        ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}] * 4}},
         "can make 256 characters"),
        ({"normalizer": in_turn(*[{"type": "Lowercase"}] * 32)}, "has 33 steps; 32 are taken"),
        ({"normalizer": replacing("", "x")}, "a step “Replace” that looks for an empty text"),
        ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": TABLE}},
         "a table that makes more than 64 bytes of a character"),
        ({"normalizer": {"type": "Grow"}}, "has a step “Grow”, which is not known here"),
        ({"normalizer": {"pattern": {"String": "x"}, "content": "x"}}, "missing required field"),
        ({"post_processor": marks(2, 100)}, "can make 201 characters or tokens of one"),
        ({"post_processor": marks(1) | {"special_tokens": {}}}, "marks around a prompt that it do"),
        ({"model": BASE["model"] | {"end_of_word_suffix": "x" * 99}}, "puts 99 characters"),
    ],
)  # fmt: skip
def test_what_could_grow_beyond_memory_is_refused_before_it_is_made(parts, said):
    with pytest.raises(UserError, match=said):
        tokenizer_of_json(text_of(**parts), "tokenizer.json")


def test_a_tokenizer_that_cuts_at_random_is_refused_by_the_name_of_what_does():
    model = BASE["model"] | {"vocab": {"x": 0, "a": 1, "xa": 2}, "merges": [["x", "a"]]}
    for none in ({}, {"dropout": None}, {"dropout": 0.0}):
        text = text_of(model=model | none)
        assert tokenizer_of_json(text, "tokenizer.json").encode("xa").ids == [2]
    with pytest.raises(UserError, match=r"at random \(dropout 0\.5\)"):
        tokenizer_of_json(text_of(model=model | {"dropout": 0.5}), "tokenizer.json")
    with pytest.raises(UserError, match=r"tokenizer\.json is no tokenizer that can be read"):
        tokenizer_of_json(text_of(model=model | {"dropout": "much"}), "tokenizer.json")


@pytest.mark.parametrize("depth", [30, 400, 100_000])
def test_steps_within_steps_are_a_sentence(depth):
    text = text_of(normalizer=0).decode()
    opened = '{"type": "Sequence", "normalizers": ['
    text = text.replace('"normalizer": 0', f'"normalizer": {opened * depth}{"]}" * depth}')
    if depth < 32:
        assert tokenizer_of_json(text.encode(), "t").encode("a").ids == [1]
        return
    with pytest.raises(UserError, match=r"steps; 32 are taken|that can be read"):
        tokenizer_of_json(text.encode(), "tokenizer.json")


def test_what_a_text_says_twice_is_checked_as_it_is_read():
    text = text_of(normalizer=replacing("x", "a"))
    twice = text.replace(b'"content": "a"', b'"content": "' + b"a" * 99 + b'", "content": "a"')
    assert tokenizer_of_json(twice, "tokenizer.json").encode("xx").ids == [1, 1]


@pytest.mark.parametrize(
    ("normalizer", "prompt", "ids"),
    [
        (in_turn({"type": "Prepend", "prepend": "▁"}, replacing(" ", "▁")), "a x", [2, 1, 2, 0]),
        (in_turn({"type": "NFC"}, {"type": "Lowercase"}), "AX", [1, 0]),
    ],
)  # fmt: skip
def test_what_real_tokenizers_do_is_taken(normalizer, prompt, ids):
    assert tokenizer_of_json(text_of(normalizer=normalizer), "t").encode(prompt).ids == ids


def byte_level(first):
    alone = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    return {"type": "Sequence", "pretokenizers": [first, alone | {"use_regex": False}]}


def split(pattern):
    pattern = {"Regex": pattern}
    return {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}


LAST = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}


@pytest.mark.parametrize(
    "parts",
    [
        {"pre_tokenizer": LAST, "post_processor": LAST},  # GPT-2
        {"pre_tokenizer": byte_level({"type": "Digits", "individual_digits": True})},  # SmolLM2
        {
            "pre_tokenizer": byte_level(split(r"\p{N}{1,3}|\s+(?!\S)|\s+")),
            "post_processor": {"type": "Sequence", "processors": [LAST, marks(1)]},
        },  # LLaMA 3
        {
            "normalizer": {"type": "NFC"},
            "pre_tokenizer": byte_level(split(r"\p{N}|\s+")),
            "post_processor": LAST,
        },  # Qwen2
        {
            "normalizer": {
                "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                "strip_accents": None, "lowercase": True,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": marks(2),
        },
    ],
)  # fmt: skip
def test_the_forms_of_all_families_are_taken(parts):
    assert 1 in tokenizer_of_json(text_of(**parts), "tokenizer.json").encode("a").ids


def test_a_pattern_that_gives_up_leaves_no_trace_on_the_terminal(write_checkpoint, capfd):
    folder = write_checkpoint("gpt2").folder
    made = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    made["pre_tokenizer"] = split("(a+a+)+!")
    (folder / "tokenizer.json").write_text(json.dumps(made))
    model = open_model(folder)
    with pytest.raises(UserError, match=r"cannot cut this prompt: .*retry-limit"):
        model.tokens("a" * 40)
    os.write(2, b"still here")
    assert capfd.readouterr().err == "still here"


def test_a_prompt_that_is_far_too_long_is_refused_before_its_texts_are_made(
    write_checkpoint, monkeypatch
):
    model = open_model(write_checkpoint("gpt2").folder)
    monkeypatch.setattr("mhagui.models.tokenizer.shown_tokens", None)  # makes texts
    with pytest.raises(UserError, match="makes 30,000 tokens, but tiny-gpt2 reads 24 at most"):
        model.tokens("b" * 30_000)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_file_beside_a_model_is_none(write_checkpoint, name):
    folder = write_checkpoint("gpt2").folder
    said = rf"{name} is no model: give a \.gguf or \.safetensors file, or a folder"
    with pytest.raises(UserError, match=said):
        open_model(folder / name)
