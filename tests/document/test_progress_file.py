"""Progress as JSON: what is written is read, and nothing else."""

import json
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document import load_lesson, scene_to_json
from mhagui.document.exercise_list import exercises
from mhagui.document.exercises import Choice
from mhagui.document.progress import Progress
from mhagui.document.progress_file import progress_from_json, progress_to_json
from mhagui.errors import UserError

SCENE = scene_to_json(load_lesson("two-heads")).decode()
CHECKS = [e.key_of(check) for e in exercises() for check in e.checks]
QUESTIONS = [(e.key_of(q), q) for e in exercises() for q in e.questions]
START = {"format": "mhagui progress", "version": 1}


def text(**changes):
    return json.dumps(START | changes).encode()


@st.composite
def progresses(draw):
    lines = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=40)
    numbers = st.floats(allow_nan=False, allow_infinity=False).map(repr)
    answers = {
        key: draw(st.sampled_from(question.options) if isinstance(question, Choice) else numbers)
        for key, question in draw(st.lists(st.sampled_from(QUESTIONS), unique=True))
    }
    return Progress(
        active=draw(st.none() | st.integers(1, 6)),
        readings=MappingProxyType(draw(st.dictionaries(st.sampled_from(CHECKS), lines))),
        answers=MappingProxyType(answers),
        scenes=MappingProxyType(dict.fromkeys(draw(st.sets(st.integers(1, 6))), SCENE)),
    )


@given(progresses())
def test_what_is_written_reads_back_equal(progress):
    written = progress_to_json(progress)
    assert progress_from_json(written) == progress
    assert progress_to_json(progress_from_json(written)) == written


def test_nothing_but_the_format_is_the_beginning():
    assert progress_from_json(text()) == Progress()


def test_what_belongs_to_no_exercise_is_left_out():
    known = {"6.six": "row t6: 0.510 bits", "9.six": "x", "six": "y", "1.mix": "two\nlines"}
    answers = {
        "4.bits": "1",
        "6.bits6": "a lot",
        "6.bits9": "nan",
        "1.which": "perhaps",
        "7.x": "1",
    }
    progress = progress_from_json(
        text(active=7, readings=known, answers=answers, scenes={"6": SCENE, "70": SCENE})
    )
    assert progress.active is None
    assert dict(progress.readings) == {"6.six": "row t6: 0.510 bits"}
    assert dict(progress.answers) == {"4.bits": "1"}
    assert dict(progress.scenes) == {6: SCENE}


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        text()[:-1],
        text() + b"x",
        b"[" * 100_000,
        b"{}",
        text(format="mhagui scene"),
        text(version=2),
        text(version="1"),
        text(version=True),
        text(surplus=1),
        text(active="6"),
        text(active=6.5),
        text(readings=[]),
        text(readings={"6.six": 1}),
        text(answers={"4.bits": 1.0}),
        text(scenes={"six": SCENE}),
        text(scenes={"6": {}}),
        text(scenes={"6": "{}"}),
        text(scenes={"6": SCENE[:-9]}),
        text(scenes={"6": "\ud800"}),
        b'{"format": "mhagui progress", "version": 1, "readings": {"6.six": "\\ud800"}}',
    ],
)
def test_anything_else_is_refused_in_one_sentence(wrong):
    with pytest.raises(UserError) as caught:
        progress_from_json(wrong)
    sentence = str(caught.value)
    assert sentence.isprintable()
    assert sentence.endswith(".")
    assert len(sentence) < 600


def test_texts_stay_readable_in_the_file():
    progress = Progress(readings=MappingProxyType({"6.six": "row t6: 0.510 bits, |K|·g"}))
    assert "|K|·g".encode() in progress_to_json(progress)
