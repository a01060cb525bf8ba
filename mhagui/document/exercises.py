"""What an exercise is: something to do on the bench, and how the bench tells that it is done."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from mhagui.document.compute import Result
from mhagui.document.scene import Scene
from mhagui.document.view_state import ViewState, WhatIf


class Shown(NamedTuple):
    """What lies on the bench at one moment."""

    scene: Scene
    result: Result
    view: ViewState


class Check(NamedTuple):
    """Something the bench has to show.

    Attributes
    ----------
    key
        Names the check within its exercise.
    text
        What has to be seen, for the user.
    reading
        The numbers that show it, as a line for the report; None while it is not met.
    """

    key: str
    text: str
    reading: Callable[[Shown], str | None]


class Choice(NamedTuple):
    """A question with one right answer among ``options``, by its place."""

    key: str
    text: str
    options: tuple[str, ...]
    right: int

    def can_be(self, answer: str) -> bool:
        """Say whether ``answer`` is one of the options."""
        return answer in self.options

    def is_right(self, answer: str) -> bool:
        """Say whether ``answer`` is the right option."""
        return answer == self.options[self.right]


class Number(NamedTuple):
    """A question whose answer is a number, right within ``tolerance``."""

    key: str
    text: str
    right: float
    tolerance: float
    unit: str

    def can_be(self, answer: str) -> bool:
        """Say whether ``answer`` is a number as text."""
        try:
            return math.isfinite(float(answer))
        except ValueError:
            return False

    def is_right(self, answer: str) -> bool:
        """Say whether ``answer``, a number as text, is near enough."""
        return abs(float(answer) - self.right) <= self.tolerance


Question = Choice | Number


class Start(NamedTuple):
    """Where an exercise begins: a lesson, docks to look at, sizes to ask for, a row t from 0."""

    lesson: str | None
    docks: tuple[str, ...]
    what_if: WhatIf | None = None
    row: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One exercise.

    Attributes
    ----------
    number, title
        As it is listed.
    task
        What to do, step by step.
    start
        Where it begins.
    checks, questions
        What has to be shown, and what has to be answered.
    hint, why
        How to go about it; and what it was about, for when it is done.
    figures
        Names of the figures that belong into a report.
    sizes
        The layer whose cost is drawn there; None for that of the scene.
    has_solver
        Whether a gain that gives so many effective positions can be asked for.
    """

    number: int
    title: str
    task: tuple[str, ...]
    start: Start
    checks: tuple[Check, ...]
    questions: tuple[Question, ...]
    hint: str
    why: str
    figures: tuple[str, ...] = ()
    sizes: WhatIf | None = None
    has_solver: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """All that has to be met, as ``Progress`` knows it."""
        return tuple(self.key_of(part) for part in (*self.checks, *self.questions))

    def key_of(self, part: Check | Question) -> str:
        """Return the key of a check or question among those of all exercises."""
        return f"{self.number}.{part.key}"


class Objective(NamedTuple):
    """Something to be able to do after the lesson, and the exercises that show it."""

    text: str
    exercises: tuple[int, ...]

    @property
    def where(self) -> str:
        """The exercises in words."""
        numbers = " and ".join(map(str, sorted(self.exercises)))
        return f"Exercise{'s' if len(self.exercises) > 1 else ''} {numbers}"
