"""What msgspec complains of, in the words of a user."""

from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document.faults_of_text import fault_in_words
from mhagui.document.file_entries import SceneEntry
from mhagui.layout_tree import Layout

TABS = b'{"tree": {"type": "tabs", "docks": []}'


def told(text: bytes, kind: object) -> str:
    with pytest.raises((msgspec.MsgspecError, RecursionError)) as caught:
        msgspec.json.decode(text, type=kind)
    return fault_in_words(caught.value)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (b'"a"', int, "it must be a whole number, not text"),
        (b"1.5", int, "it must be a whole number, not a number with decimals"),
        (b"[]", Layout, "it must be an object, not a list"),
        (TABS + b', "version": 2}', Layout, "it is of version 2, which only a newer mhagui reads"),
        (TABS + b', "x": 2}', Layout, "it has an unknown entry, “x”"),
        (
            TABS + b', "floating": {"a": 3}}',
            Layout,
            "floating[...] must be an object, not a whole number",
        ),
        (b'{"tree": {"type": "x"}}', Layout, "tree.type is “x”, which it cannot be"),
        (b'{"tree": {}}', Layout, "tree lacks “type”"),
        (
            b'{"tree": {"type": "tabs", "docks": [], "size": 0}}',
            Layout,
            "tree.size must be a whole number of at least 1",
        ),
        (
            b'{"tree": {"type": "tabs", "docks": ["%b"]}}' % (b"a" * 61),
            Layout,
            "tree.docks[0] must be text of length at most 60",
        ),
        (b'"b"', Literal["a"], "it is “b”, which it cannot be"),
        (b'{"a": 1}', dict[int, str], "a name in it must be a whole number, not text"),
        (b"[", list, "it ends too early"),
        (b"[1] 2", list, "it is not JSON: trailing characters (byte 5)"),
        (b'"\xff"', str, "it is not UTF-8 text"),
        (b"[" * 100_000, list, "it is nested too deeply"),
        (b"1" + b"0" * 400, float, "it is too large a number"),
    ],
)
def test_a_fault_is_told_by_where_it_is_and_what_would_be_right(text, kind, words):
    assert told(text, kind) == words


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from([field.name for field in msgspec.structs.fields(SceneEntry)])


@given(st.dictionaries(FIELDS | st.text(), JSON, max_size=6))
def test_nothing_is_told_in_the_words_of_the_library(document):
    try:
        msgspec.convert(document, SceneEntry)
    except (msgspec.MsgspecError, ValueError) as error:
        words = fault_in_words(error)
        for theirs in ("Expected `", "got `", "missing required", "unknown field", "$."):
            assert theirs not in words or any(theirs in name for name in document)
