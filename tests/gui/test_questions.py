"""The questions before anything could be lost: what they say, and what Enter answers."""

from pathlib import Path

import pytest

from mhagui.gui import questions
from mhagui.gui.questions import ask_to_leave  # the real one: the tests' own discards


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("Save", questions.Leave.SAVE),
        ("Discard", questions.Leave.DISCARD),
        ("Cancel", questions.Leave.CANCEL),
    ],
)
def test_the_question_on_leaving(window, answer, text, means):
    asked = answer(text)
    assert ask_to_leave(window, "a & <b>", questions.LOST) is means
    assert asked == ["Save the changes to “a & <b>”?", questions.LOST, "Save"]


def test_the_question_on_forgetting_has_cancel_at_enter(window, answer):
    asked = answer("Discard")
    assert questions.ask_to_forget(window, "mine")
    assert asked[2] == "Cancel"


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("Overwrite", questions.Replace.OVERWRITE),
        ("Save as…", questions.Replace.SAVE_AS),
        ("Cancel", questions.Replace.CANCEL),
    ],
)
def test_the_question_on_replacing(window, answer, text, means):
    asked = answer(text)
    assert questions.ask_to_replace(window, Path("/a/b.json")) is means
    assert asked[2] == "Cancel"
