"""Progress with the exercises as JSON, read as strictly as a scene."""

from types import MappingProxyType

import msgspec

from mhagui.document.exercise_list import exercises
from mhagui.document.faults_of_text import fault_in_words
from mhagui.document.json_text import json_text
from mhagui.document.progress import Progress
from mhagui.document.scene_file import scene_from_json
from mhagui.errors import UserError

FORMAT = "mhagui progress"
VERSION = 1
LONGEST_READING = 500  # characters; those of ours have at most 200


class ProgressEntry(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Progress as it stands in a file."""

    format: str
    version: int
    active: int | None = None
    readings: dict[str, str] = {}
    answers: dict[str, str] = {}
    scenes: dict[int, str] = {}


def progress_to_json(progress: Progress) -> bytes:
    """Return ``progress`` as JSON text, from which ``progress_from_json`` makes an equal one."""
    entry = ProgressEntry(
        format=FORMAT,
        version=VERSION,
        active=progress.active,
        readings=dict(sorted(progress.readings.items())),
        answers=dict(sorted(progress.answers.items())),
        scenes=dict(sorted(progress.scenes.items())),
    )
    return json_text(msgspec.to_builtins(entry, str_keys=True), only_ascii=False).encode()


def progress_from_json(text: bytes) -> Progress:
    """Return the progress in ``text``; raises UserError with one sentence where it is none.

    What belongs to no exercise of this version is left out, and what cannot be an answer or a
    reading as well.
    """
    try:
        entry = msgspec.json.decode(text, type=ProgressEntry)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        what = fault_in_words(error)
        raise UserError(f"it is not the progress of an exercise: {what}.") from error
    if (entry.format, entry.version) != (FORMAT, VERSION):
        raise UserError(f"it is not “{FORMAT}” of version {VERSION}.")
    for scene in entry.scenes.values():
        scene_from_json(scene.encode())
    return _known(entry)


def _known(entry: ProgressEntry) -> Progress:
    checks, answers, numbers = set(), {}, set()
    for exercise in exercises():
        numbers.add(exercise.number)
        checks |= {exercise.key_of(check) for check in exercise.checks}
        for question in exercise.questions:
            answer = entry.answers.get(exercise.key_of(question))
            if answer is not None and question.can_be(answer):
                answers[exercise.key_of(question)] = answer
    readings = {
        key: text for key, text in entry.readings.items() if key in checks and _is_line(text)
    }
    scenes = {number: text for number, text in entry.scenes.items() if number in numbers}
    return Progress(
        active=entry.active if entry.active in numbers else None,
        readings=MappingProxyType(readings),
        answers=MappingProxyType(answers),
        scenes=MappingProxyType(scenes),
    )


def _is_line(text: str) -> bool:
    return 0 < len(text) <= LONGEST_READING and text.isprintable()
