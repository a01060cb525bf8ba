"""The exercises: right answers meet their checks, plausible wrong ones do not."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mhagui.document import (
    Pattern,
    ViewState,
    WhatIf,
    compute,
    load_lesson,
    scene_from_json,
    scene_to_json,
)
from mhagui.document.edits import (
    AddHead,
    DuplicateHead,
    HandSet,
    SetKeyWidth,
    SetMasterGain,
    SetPattern,
    SetProjectionBlock,
    SetSequenceLength,
    SetSetting,
    set_gain,
    set_key_magnitude,
    set_muted,
)
from mhagui.document.exercise_list import OBJECTIVES, exercises
from mhagui.document.exercises import Choice, Number, Shown
from mhagui.document.presets import Preset, SetPreset
from mhagui.document.progress import Progress

EXERCISES = {exercise.number: exercise for exercise in exercises()}


def shown(scene, **changes):
    return Shown(scene, compute(scene), replace(ViewState.of(scene), **changes))


def edited(scene, *edits):
    for edit in edits:
        scene = edit.apply(scene)
    return scene


def check(number, key):
    return next(check for check in EXERCISES[number].checks if check.key == key)


def cell(row, column, value):
    return SetProjectionBlock(row, column, np.array([[float(value)]]))


def start(number):
    exercise = EXERCISES[number]
    return load_lesson(exercise.start.lesson or "four-heads")


@pytest.mark.parametrize("number", EXERCISES)
def test_nothing_is_met_where_an_exercise_starts(number):
    exercise = EXERCISES[number]
    moment = shown(start(number), what_if=exercise.start.what_if)
    assert [check.reading(moment) for check in exercise.checks] == [None] * len(exercise.checks)


# --------------------------------------------------------------------------- what has to be shown

NEGATED = [cell(row, row, -1) for row in range(4)]
ADDED = [AddHead(p) for p in list(Pattern)[:4]]
COPIED = [DuplicateHead(uid) for uid in (1, 2, 3, 4)]
HAND_SET_6 = HandSet(1, np.eye(2)[[0] * 6], 6.0 * np.eye(6, 2) * [[1, 0]])  # K1(1, 1) = 6
# In row t4 e^6 on t1 and 0.63 of that on t3: over 0.9 together, but not even.
UNEVEN = HandSet(
    1,
    np.eye(2)[[0] * 6],
    math.sqrt(2) * np.array([[6.0, 0], [0, 0], [6 + math.log(0.63), 0], [0, 0], [0, 0], [0, 0]]),
)
TWO = [SetPattern(1, Pattern.TWO_POSITIONS), set_gain(1, 3.0)]


@pytest.mark.parametrize(
    ("number", "key", "edits"),
    [
        (1, "identity", [SetPreset(Preset.IDENTITY)]),
        (1, "swap", [SetPreset(Preset.SWAP)]),
        (1, "mix", [SetPreset(Preset.IDENTITY), cell(2, 0, 1)]),
        (1, "mix", [SetPreset(Preset.RANDOM_ORTHOGONAL, 3)]),
        (3, "eight", COPIED),
        (3, "parted", [*COPIED, set_gain(6, 2.0)]),
        (3, "parted", [*COPIED, SetPattern(5, Pattern.UNIFORM)]),
        (4, "two", TWO),
        (4, "two", [SetPattern(3, Pattern.TWO_POSITIONS), SetSetting(3, 0, 3), SetSetting(3, 1, 1),
                    set_key_magnitude(3, 12)]),
        (4, "two", [HandSet(4, np.array([[0.0, 0.0]] * 3 + [[9.0, 0.0]] + [[0.0, 0.0]] * 2),
                            np.array([[1.0, 0], [0, 0], [1, 0], [0, 0], [0, 0], [0, 0]]))]),
        (4, "one", [*TWO, set_gain(3, 4.0)]),
        (6, "six", [set_key_magnitude(1, 6)]),
        (6, "six", [set_gain(1, 2)]),
        (6, "six", [HAND_SET_6]),
        (6, "six", [SetKeyWidth(8), set_key_magnitude(1, 12)]),  # 12/√8 = 6/√2
        (6, "nine", [set_key_magnitude(1, 9)]),
        (6, "nine", [SetMasterGain(3)]),
        (6, "enough", [set_key_magnitude(1, 8.309)]),
        (6, "enough", [set_gain(1, 2.77)]),
        (6, "enough", [set_gain(1, 8.308535015128045 / 3)]),  # as exactly as floats go
        (6, "enough", [set_gain(1, math.nextafter(8.308535015128045 / 3, 0))]),
    ],
)  # fmt: skip
def test_right_answers_meet_the_check(number, key, edits):
    assert check(number, key).reading(shown(edited(start(number), *edits)))


@pytest.mark.parametrize(
    ("number", "key", "edits"),
    [
        (1, "identity", []),
        (1, "identity", [SetPreset(Preset.SWAP)]),
        (1, "identity", [SetPreset(Preset.IDENTITY), cell(0, 0, 2)]),
        (1, "swap", [SetPreset(Preset.IDENTITY)]),
        (1, "swap", [SetPreset(Preset.SWAP), cell(0, 0, 1)]),
        (1, "swap", [SetPreset(Preset.ZERO)]),
        (1, "mix", [SetPreset(Preset.IDENTITY)]),
        (1, "mix", [SetPreset(Preset.SWAP), cell(0, 2, -1)]),
        (1, "mix", [SetPreset(Preset.IDENTITY), *NEGATED]),
        (1, "mix", [cell(0, 0, 2), SetPreset(Preset.LESSON)]),
        (3, "eight", ADDED[:3]),
        (3, "eight", [AddHead(Pattern.SELF)] * 4),
        (3, "eight", ADDED),  # same patterns, but head 8 reads other features than head 4
        (3, "eight", [*COPIED, set_gain(6, 2.0)]),
        (3, "parted", COPIED),
        (3, "parted", [*COPIED, set_gain(6, 2.0), set_gain(7, 2.0)]),
        (3, "parted", [*COPIED, set_muted(6, True)]),
        (4, "two", []),
        (4, "two", [SetPattern(1, Pattern.TWO_POSITIONS)]),  # too soft: under 0.9 together
        (4, "two", [SetPattern(1, Pattern.TWO_POSITIONS), SetSetting(1, 1, 2), set_gain(1, 3.0)]),
        (4, "two", [UNEVEN]),
        (4, "two", [SetSequenceLength(3)]),
        (4, "one", TWO),
        (4, "one", [set_gain(3, 4.0)]),
        (4, "one", [*TWO, set_gain(3, 1.2)]),
        (6, "six", [set_key_magnitude(1, 9)]),
        (6, "six", [set_key_magnitude(2, 6)]),
        (6, "six", [set_key_magnitude(1, 6), SetKeyWidth(8)]),  # 1.824 bits, as at 3
        (6, "six", [set_key_magnitude(1, 6), set_gain(1, 2)]),
        (6, "nine", [set_gain(1, 9)]),
        (6, "nine", [set_gain(1, -3)]),
        (6, "nine", [set_key_magnitude(1, 9), SetSequenceLength(5)]),
        (6, "enough", [set_key_magnitude(1, 8.0)]),
        (6, "enough", [set_key_magnitude(1, 9.0)]),
        (6, "enough", [set_gain(3, 3.0)]),
    ],
)
def test_plausible_wrong_answers_do_not(number, key, edits):
    assert check(number, key).reading(shown(edited(start(number), *edits))) is None


@pytest.mark.parametrize(("heads", "width"), [(1, 384), (2, 192), (4, 96), (6, 64), (12, 32)])
def test_exercise_2_wants_each_head_count_at_its_width(heads, width, expected):
    asked = WhatIf(384, heads, width, width, 128)
    reading = check(2, f"h{heads}").reading(shown(start(2), what_if=asked))
    known = dict(
        zip(expected["exercises"]["2"]["H"], expected["exercises"]["2"]["d_k"], strict=True)
    )
    assert known[heads] == width
    assert f"d_k = {width}, 589,824 parameters" in reading
    for wrong in (
        replace(asked, d_model=512),
        replace(asked, n_heads=heads + 1),
        replace(asked, d_v=width + 1),
    ):
        assert check(2, f"h{heads}").reading(shown(start(2), what_if=wrong)) is None


def test_exercise_5_wants_the_width_kept(expected):
    known = expected["exercises"]["5"]
    for heads, parameters in zip(known["H"], known["parameters"], strict=True):
        asked = WhatIf(512, heads, 64, 64, 128)
        reading = check(5, f"h{heads}").reading(shown(start(5), what_if=asked))
        assert reading.endswith(f"{parameters:,} parameters")
        for wrong in (
            replace(asked, d_k=32, d_v=32),
            replace(asked, d_model=1024),
            replace(asked, n_heads=4),
        ):
            assert check(5, f"h{heads}").reading(shown(start(5), what_if=wrong)) is None


def test_a_w_o_that_mixes_is_called_what_it_is_another_than_the_lessons():
    mix = check(1, "mix")
    assert mix.text == "With a W_O other than the lesson's a channel hears two heads"
    for seed in (0, 3):  # no W_O of one's own, and not said to be one
        scene = edited(start(1), SetPreset(Preset.RANDOM_ORTHOGONAL, seed))
        assert mix.reading(shown(scene))


# ------------------------------------------------------------------------------ what has to be said


def test_numbers_asked_for_are_those_of_the_lesson(expected):
    known = expected["exercises"]["6"]
    asked = {q.key: q for e in EXERCISES.values() for q in e.questions if isinstance(q, Number)}
    bits = dict(zip(known["key_magnitude"], known["entropy_bits_at_t6"], strict=True))
    magnitude = known["key_magnitude_for_1.1_effective_positions"]
    assert asked["bits6"].right == pytest.approx(bits[6], abs=1e-12)
    assert asked["bits9"].right == pytest.approx(bits[9], abs=1e-12)
    assert asked["magnitude"].right == pytest.approx(magnitude, abs=1e-12)
    assert asked["count"].right == expected["exercises"]["2"]["parameters"][-1]
    before, after = expected["exercises"]["5"]["parameters"]
    assert asked["factor"].right == after / before
    for question, right, wrong in (
        ("bits6", ["0.51", "0.5104"], ["1.824", "0.09", "0.255"]),
        ("bits9", ["0.09", "0.091"], ["0.51", "0", "0.9"]),
        ("magnitude", ["8.31", "8.3", "8.308535"], ["9", "2.77", "8"]),
        ("count", ["589824"], ["49152", "147456", "7077888"]),
        ("factor", ["2"], ["1", "4", "16"]),
        ("bits", ["1", "1.0"], ["0.5", "2", "0"]),
    ):
        assert all(asked[question].is_right(answer) for answer in right)
        assert not any(asked[question].is_right(answer) for answer in wrong)


def test_one_option_of_each_choice_is_right():
    choices = [q for e in EXERCISES.values() for q in e.questions if isinstance(q, Choice)]
    assert len(choices) >= 6
    for choice in choices:
        right = [option for option in choice.options if choice.is_right(option)]
        assert len(right) == 1
        assert len(choice.options) >= 3


def test_every_objective_has_an_exercise_and_every_exercise_an_objective():
    assert len(OBJECTIVES) == 5
    assert all(objective.exercises for objective in OBJECTIVES)
    assert {number for objective in OBJECTIVES for number in objective.exercises} == set(EXERCISES)


# --------------------------------------------------------------------------------- how far one is


def answer_all(progress, exercise):
    for question in exercise.questions:
        right = (
            question.options[question.right]
            if isinstance(question, Choice)
            else repr(question.right)
        )
        progress = progress.answered(exercise, question, right)
    return progress


def test_what_was_met_stays_met_and_the_scene_is_kept_when_all_is():
    exercise, scene = EXERCISES[6], start(6)
    progress = Progress().started(exercise)
    for magnitude in (6, 9, 8.309):
        progress = progress.seen(exercise, shown(set_key_magnitude(1, magnitude).apply(scene)))
    assert len(progress.readings) == 3
    assert not progress.is_done(exercise)
    progress = answer_all(progress, exercise)
    assert progress.is_done(exercise)
    last = set_key_magnitude(1, 8.309).apply(scene)
    assert scene_from_json(progress.scenes[6].encode()) == last
    again = progress.seen(exercise, shown(scene))
    assert again is progress


def test_only_the_exercise_at_work_looks_at_the_bench():
    moment = shown(set_key_magnitude(1, 6).apply(start(6)))
    assert Progress().seen(EXERCISES[6], moment) == Progress()
    other = Progress().started(EXERCISES[1])
    assert other.seen(EXERCISES[6], moment) is other


def test_a_wrong_answer_can_be_mended():
    exercise = EXERCISES[4]
    bits, softmax = exercise.questions
    progress = Progress().started(exercise).answered(exercise, bits, "2")
    assert progress.is_right(exercise, bits) is False
    assert progress.is_right(exercise, softmax) is None
    assert progress.answered(exercise, bits, "1").is_right(exercise, bits) is True


def test_starting_again_keeps_what_is_met_until_it_is_cleared():
    six, one = EXERCISES[6], EXERCISES[1]
    progress = Progress().started(six).seen(six, shown(set_gain(1, 2).apply(start(6))))
    progress = progress.started(one).seen(one, shown(SetPreset(Preset.SWAP).apply(start(1))))
    progress = answer_all(answer_all(progress, six), one)
    again = progress.started(six)
    assert (again.readings, again.answers) == (progress.readings, progress.answers)
    assert set(again.readings) == {"6.six", "1.swap"}
    cleared = again.cleared(six)
    assert set(cleared.readings) == {"1.swap"}
    assert {key[0] for key in cleared.answers} == {"1"}


def test_a_right_answer_stays_right():
    exercise = EXERCISES[4]
    bits = exercise.questions[0]
    progress = Progress().started(exercise).answered(exercise, bits, "1")
    assert progress.answered(exercise, bits, "2") is progress
    assert progress.n_met(exercise) == 1


def test_the_scene_is_that_which_met_the_last_check_and_done_comes_with_the_answers():
    exercise, first = EXERCISES[3], edited(start(3), *COPIED)
    second = edited(first, set_gain(6, 2.0))
    progress = Progress().started(exercise).seen(exercise, shown(first))
    assert (dict(progress.scenes), progress.n_met(exercise)) == ({}, 1)
    progress = progress.seen(exercise, shown(second)).seen(exercise, shown(start(3)))
    assert progress.scenes[3].encode() == scene_to_json(second)
    assert not progress.is_done(exercise)
    progress = answer_all(progress, exercise)
    assert progress.is_done(exercise)
    assert [progress.is_shown(objective) for objective in OBJECTIVES] == [
        objective.exercises == (3,) for objective in OBJECTIVES
    ]
    assert dict(progress.cleared(exercise).scenes) == {}
