"""What a sentence for a user may hold."""

import pytest

from mhagui.errors import LONGEST_SENTENCE, UserError, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("größer “1” · 日本 \N{EYES}", "größer “1” · 日本 \N{EYES}"),
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("two\nlines\r\t", r"two\nlines\r\t"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}gnp", r"\u202egnp"),
        ("\udcff", r"\udcff"),  # a byte of a file's name that is not UTF-8
        ("C:\\new", r"C:\new"),
    ],
)
def test_what_a_terminal_would_obey_is_made_visible(text, shown):
    assert visible(text) == shown
    assert str(UserError(f"{text} is not there.")) == f"{shown} is not there."


def test_what_nobody_would_read_is_cut_out():
    sentence = str(UserError(f"begins {'x' * 10**6} ends."))
    assert len(sentence) == LONGEST_SENTENCE + 1
    assert sentence.startswith("begins ")
    assert sentence.endswith(" ends.")
    whole = "x" * LONGEST_SENTENCE
    assert str(UserError(whole)) == whole
