"""How far somebody has come with the exercises; a value, kept from start to start."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from mhagui.document.exercises import Exercise, Question, Shown
from mhagui.document.scene_file import scene_to_json


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Progress:
    """What has been met and answered.

    Attributes
    ----------
    active
        Number of the exercise that is being worked on; None before the first is started.
    readings
        By the key of each check that was met, the numbers that showed it.
    answers
        By the key of each question, what was answered last, right or wrong.
    scenes
        By the number of each exercise that is done, its scene at that moment, as JSON text.
    """

    active: int | None = None
    readings: Mapping[str, str] = field(default_factory=_nothing)
    answers: Mapping[str, str] = field(default_factory=_nothing)
    scenes: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))

    def started(self, exercise: Exercise) -> "Progress":
        """Return the progress once ``exercise`` is begun, with nothing of it met."""
        mine = set(exercise.keys)
        return replace(
            self,
            active=exercise.number,
            readings=_without(self.readings, mine),
            answers=_without(self.answers, mine),
            scenes=MappingProxyType(
                {n: text for n, text in self.scenes.items() if n != exercise.number}
            ),
        )

    def answered(self, exercise: Exercise, question: Question, answer: str) -> "Progress":
        """Return the progress once ``question`` has been given ``answer``."""
        answers = {**self.answers, exercise.key_of(question): answer}
        return replace(self, answers=MappingProxyType(answers))

    def seen(self, exercise: Exercise, shown: Shown) -> "Progress":
        """Return the progress once the bench has shown ``shown``; itself where nothing is new.

        What was met stays met. Only the exercise that is being worked on looks at the bench.
        """
        if self.active != exercise.number:
            return self
        new = {
            exercise.key_of(check): reading
            for check in exercise.checks
            if exercise.key_of(check) not in self.readings
            and (reading := check.reading(shown)) is not None
        }
        progress = self
        if new:
            progress = replace(self, readings=MappingProxyType({**self.readings, **new}))
        if progress.is_done(exercise) and exercise.number not in self.scenes:
            text = scene_to_json(shown.scene).decode()
            scenes = MappingProxyType({**self.scenes, exercise.number: text})
            progress = replace(progress, scenes=scenes)
        return progress

    def is_right(self, exercise: Exercise, question: Question) -> bool | None:
        """Say whether the last answer is right; None where there is none."""
        answer = self.answers.get(exercise.key_of(question))
        return None if answer is None else question.is_right(answer)

    def is_done(self, exercise: Exercise) -> bool:
        """Say whether every check of ``exercise`` is met and every question answered rightly."""
        return all(exercise.key_of(check) in self.readings for check in exercise.checks) and all(
            self.is_right(exercise, question) for question in exercise.questions
        )


def _without(texts: Mapping[str, str], keys: set[str]) -> Mapping[str, str]:
    return MappingProxyType({key: text for key, text in texts.items() if key not in keys})
