"""What the lesson dock shows of one exercise."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from mhagui.document import Scene
from mhagui.document.exercises import Exercise
from mhagui.document.progress import Progress
from mhagui.gui.docks.lesson_question import QuestionBox
from mhagui.gui.docks.lesson_solver import LessonSolver
from mhagui.gui.widgets.lead_line import LeadLine, StateLine
from mhagui.gui.widgets.page import heading, wrapped_label

START_TIP = "Opens what the exercise begins with, and watches the bench; what is met stays met"
KEEP_ROOM = "\xa0"  # where a reading will be, so that nothing moves when it comes


class ExercisePage(QWidget):
    """An exercise from its task to its why, with how it stands.

    The ``titles`` of docks are given by their object names.

    Signals
    -------
    start_wanted
        The exercise is to begin.
    docks_wanted
        Docks are to be seen; carries their object names.
    """

    start_wanted = Signal()
    docks_wanted = Signal(object)

    def __init__(self, exercise: Exercise, titles: Mapping[str, str]) -> None:
        super().__init__()
        self.exercise = exercise
        self.start = QPushButton()
        self.state = wrapped_label()
        self.checks = [StateLine(check.text) for check in exercise.checks]
        self.questions = [
            QuestionBox(question, f"question{number}")
            for number, question in enumerate(exercise.questions, 1)
        ]
        self._docks = [_DockButton(name, titles[name]) for name in exercise.start.docks]
        self.hint = QPushButton("Hint")
        self.solver = LessonSolver() if exercise.has_solver else None
        self._hint_text = wrapped_label(exercise.hint)
        self._why = QWidget()
        self._describe()
        self._arrange()
        self.start.clicked.connect(self.start_wanted)
        self.hint.toggled.connect(self._hint_text.setVisible)

    def _describe(self) -> None:
        self.start.setObjectName("lessonStart")
        self.start.setToolTip(START_TIP)
        self.state.setObjectName("lessonState")
        self.hint.setObjectName("lessonHint")
        self.hint.setCheckable(True)
        self.hint.setToolTip("Show or hide how to go about it")
        self._hint_text.setObjectName("lessonHintText")
        self._hint_text.hide()
        self._why.setObjectName("lessonWhy")
        for number, line in enumerate(self.checks, 1):
            line.setObjectName(f"check{number}")

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        head = QHBoxLayout()
        head.addWidget(self.start)
        head.addWidget(self.state, 1)
        column.addLayout(head)
        column.addWidget(heading("What to do"))
        for number, step in enumerate(self.exercise.task, 1):
            column.addWidget(LeadLine(QLabel(f"{number}."), step))
        column.addLayout(self._dock_buttons())
        column.addWidget(heading("What the bench has to show"))
        for line in self.checks:
            column.addWidget(line)
        if self.solver is not None:
            column.addWidget(heading("Solver"))
            column.addWidget(self.solver)
        column.addWidget(heading("Questions"))
        for box in self.questions:
            column.addWidget(box)
        hint = QHBoxLayout()
        hint.addWidget(self.hint)
        hint.addStretch(1)
        column.addLayout(hint)
        column.addWidget(self._hint_text)
        why = QVBoxLayout(self._why)
        why.setContentsMargins(0, 0, 0, 0)
        why.addWidget(heading("Why"))
        why.addWidget(wrapped_label(self.exercise.why))
        column.addWidget(self._why)

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, from top to bottom."""
        solver = [] if self.solver is None else self.solver.stops()
        questions = [stop for box in self.questions for stop in box.stops()]
        return [self.start, *self._docks, *solver, *questions, self.hint]

    def _dock_buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(QLabel("Show"))
        for button in self._docks:
            button.wanted.connect(self.docks_wanted)
            row.addWidget(button)
        row.addStretch(1)
        return row

    def show_progress(self, progress: Progress) -> None:
        """Show what is met and answered."""
        exercise = self.exercise
        button, state = _standing(exercise, progress)
        self.start.setText(button)
        self.state.setText(state)
        for check, line in zip(exercise.checks, self.checks, strict=True):
            reading = progress.readings.get(exercise.key_of(check))
            line.set_state(met=reading is not None, note=reading or KEEP_ROOM)
        for box in self.questions:
            answer = progress.answers.get(exercise.key_of(box.question))
            box.show_answer(answer, progress.is_right(exercise, box.question))
        self._why.setVisible(progress.is_done(exercise))

    def show_scene(self, scene: Scene) -> None:
        """Let the solver offer the heads and rows of ``scene``."""
        if self.solver is not None:
            self.solver.show_scene(scene)


class _DockButton(QPushButton):
    """Asks for one dock to be seen."""

    wanted = Signal(object)

    def __init__(self, name: str, title: str) -> None:
        super().__init__(title)
        self._name = name
        self.setObjectName(f"show_{name}")
        self.setAccessibleName(f"Show {title}")
        self.setToolTip(f"Bring the dock “{title}” to the front")
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.wanted.emit((self._name,))


def _standing(exercise: Exercise, progress: Progress) -> tuple[str, str]:
    """Return what the start button says, and how far the exercise is."""
    met, is_done = progress.n_met(exercise), progress.is_done(exercise)
    state = "Done" if is_done else f"{met} of {len(exercise.keys)} met"
    if progress.active == exercise.number:
        return "Back to the start", state
    if met == 0:
        return "Start", "Not started"
    return "Open again" if is_done else "Go on", state
