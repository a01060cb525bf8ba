"""How far somebody has come with the exercises; a value, kept from start to start."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar

from mhagui.document.exercise_list import exercises
from mhagui.document.exercises import Exercise, Objective, Question, Shown
from mhagui.document.scene_file import fits_text, scene_to_json

Key = TypeVar("Key", int, str)


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Progress:
    """What has been met and answered.

    Attributes
    ----------
    active
        Number of the exercise that was started last; None before the first.
    readings
        By the key of each check that was met, the numbers that showed it.
    answers
        By the key of each question, what was answered last, right or wrong.
    scenes
        By the number of each exercise all of whose checks are met, the scene that met the last of
        them, as JSON text.
    """

    active: int | None = None
    readings: Mapping[str, str] = field(default_factory=_nothing)
    answers: Mapping[str, str] = field(default_factory=_nothing)
    scenes: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))

    def with_others(self, kept: "Progress", known: "Progress") -> "Progress":
        """Return this with what is ``kept`` by others: all that was not ``known`` to be there."""
        return replace(
            self,
            readings=_joined(self.readings, kept.readings, known.readings),
            answers=_joined(self.answers, kept.answers, known.answers),
            scenes=_joined(self.scenes, kept.scenes, known.scenes),
        )

    def started(self, exercise: Exercise) -> "Progress":
        """Return the progress once ``exercise`` is worked on; what is met of it stays met."""
        return replace(self, active=exercise.number)

    def cleared(self, exercise: Exercise) -> "Progress":
        """Return the progress with nothing of ``exercise`` met or answered."""
        mine = set(exercise.keys)
        scenes = {n: text for n, text in self.scenes.items() if n != exercise.number}
        return replace(
            self,
            readings=_without(self.readings, mine),
            answers=_without(self.answers, mine),
            scenes=MappingProxyType(scenes),
        )

    def answered(self, exercise: Exercise, question: Question, answer: str) -> "Progress":
        """Return the progress once ``question`` has been given ``answer``; right stays right."""
        if self.is_right(exercise, question):
            return self
        answers = {**self.answers, exercise.key_of(question): answer}
        return replace(self, answers=MappingProxyType(answers))

    def seen(self, exercise: Exercise, shown: Shown) -> "Progress":
        """Return the progress once the bench has shown ``shown``; itself where nothing is new.

        What was met stays met. Only the exercise that is being worked on looks at the bench, and at
        no scene that cannot be kept as text: those of the exercises are small.
        """
        if self.active != exercise.number or not fits_text(shown.scene):
            return self
        new = {
            exercise.key_of(check): reading
            for check in exercise.checks
            if exercise.key_of(check) not in self.readings
            and (reading := check.reading(shown)) is not None
        }
        if not new:
            return self
        progress = replace(self, readings=MappingProxyType({**self.readings, **new}))
        if not progress.all_seen(exercise):
            return progress
        text = scene_to_json(shown.scene).decode()
        return replace(progress, scenes=MappingProxyType({**self.scenes, exercise.number: text}))

    def is_right(self, exercise: Exercise, question: Question) -> bool | None:
        """Say whether the last answer is right; None where there is none."""
        answer = self.answers.get(exercise.key_of(question))
        return None if answer is None else question.is_right(answer)

    def all_seen(self, exercise: Exercise) -> bool:
        """Say whether every check of ``exercise`` is met."""
        return all(exercise.key_of(check) in self.readings for check in exercise.checks)

    def n_met(self, exercise: Exercise) -> int:
        """Return how many checks of ``exercise`` are met and questions answered rightly."""
        seen = sum(exercise.key_of(check) in self.readings for check in exercise.checks)
        return seen + sum(bool(self.is_right(exercise, each)) for each in exercise.questions)

    def is_done(self, exercise: Exercise) -> bool:
        """Say whether every check of ``exercise`` is met and every question answered rightly."""
        return self.n_met(exercise) == len(exercise.keys)

    def is_shown(self, objective: Objective) -> bool:
        """Say whether every exercise that shows ``objective`` is done."""
        return all(self.is_done(e) for e in exercises() if e.number in objective.exercises)


def _joined(
    mine: Mapping[Key, str], kept: Mapping[Key, str], known: Mapping[Key, str]
) -> Mapping[Key, str]:
    others = {key: text for key, text in kept.items() if known.get(key) != text}
    return MappingProxyType({**others, **mine})


def _without(texts: Mapping[str, str], keys: set[str]) -> Mapping[str, str]:
    return MappingProxyType({key: text for key, text in texts.items() if key not in keys})
