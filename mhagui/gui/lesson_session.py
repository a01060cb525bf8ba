"""Work on the exercises: what is met by what the bench shows, what is answered, how it is kept."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from mhagui.document import Scene, load_lesson
from mhagui.document.exercise_list import exercises
from mhagui.document.exercises import Exercise, Question, Shown
from mhagui.document.origin import Origin
from mhagui.document.progress import Progress
from mhagui.errors import UserError
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.progress_store import ProgressStore

SAVE_AFTER_MILLISECONDS = 300


class LessonSession(QObject):
    """Owns the progress of one window, and looks at every frame of its bench.

    What a former session left is taken over; nothing is looked at until an exercise is started.
    ``lay_out`` puts the scene of an exercise on the bench, unless the user would rather keep the
    one that is there.

    Signals
    -------
    changed
        The progress, or which exercise is chosen, is another.
    said
        Something is met or answered; carries a sentence.
    """

    changed = Signal()
    said = Signal(str)

    def __init__(
        self,
        bench: Bench,
        store: ProgressStore | None,
        parent: QObject,
        lay_out: Callable[[Scene, Origin], bool | None] | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench, self._store = bench, store
        self._lay_out = lay_out or bench.open
        self.report_folder = ""  # where a report was written last
        self._complaint = ""  # of the store, to be said once
        self._fails = False
        progress = self._loaded()
        self.chosen = _exercise(progress.active or 1)
        self.progress = replace(progress, active=None)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self._save)
        bench.shown.connect(self._on_shown)
        if application := QCoreApplication.instance():
            application.aboutToQuit.connect(self.save_now)

    # --- what the user does

    def choose(self, number: int) -> None:
        """Look at exercise ``number``; the one that was started goes on."""
        if number != self.chosen.number:
            self.chosen = _exercise(number)
            self.changed.emit()

    def choose_next(self) -> None:
        """Look at the next exercise that is not done, after the last at the first again."""
        order = exercises()[self.chosen.number :] + exercises()[: self.chosen.number]
        self.choose(next((e.number for e in order if not self.progress.is_done(e)), 1))

    def start(self) -> bool:
        """Lay out where the chosen exercise begins, and watch the bench for it from now on."""
        start = self.chosen.start
        if start.lesson is not None and not self._open(start.lesson):
            return False
        if start.what_if is not None:
            self._bench.look(what_if=start.what_if, widths_follow=True)
        self._bench.point(query=start.row)
        self._become(self.progress.started(self.chosen))
        return True

    def answer(self, question: Question, answer: str) -> None:
        """Take ``answer`` to a question of the chosen exercise."""
        self._become(self.progress.answered(self.chosen, question, answer))
        right = self.progress.is_right(self.chosen, question)
        if not self.progress.is_done(self.chosen):
            self.said.emit("Right." if right else f"“{answer}” is not right; try again.")

    def start_over(self, *which: Exercise) -> None:
        """Forget what is met and answered of ``which``, and start none of them."""
        progress = replace(self.progress, active=None)
        for exercise in which:
            progress = progress.cleared(exercise)
        self._become(progress)

    def save_now(self) -> None:
        """Keep what has not been kept yet."""
        if self._timer.isActive():
            self._timer.stop()
            self._save()

    # --- what follows from it

    def _open(self, lesson: str) -> bool:
        try:
            scene = load_lesson(lesson)
        except UserError as error:
            self._bench.failed.emit(str(error))
            return False
        return self._lay_out(scene, Origin(kept=scene, is_practice=True)) is not False

    def _on_shown(self, frame: Frame) -> None:
        if self._complaint:
            self._bench.failed.emit(self._complaint)
            self._complaint = ""
        if self.progress.active is None or frame.is_behind:
            return
        exercise, before = _exercise(self.progress.active), self.progress
        self._become(before.seen(exercise, Shown(frame.scene, frame.result, frame.view)))
        if self.progress is before or self.progress.is_done(exercise):
            return
        new = self.progress.readings.keys() - before.readings.keys()
        for check in exercise.checks:
            if exercise.key_of(check) in new:
                self.said.emit(f"Met: {check.text}.")

    def _become(self, progress: Progress) -> None:
        if progress is self.progress:
            return
        done = {e.number for e in exercises() if self.progress.is_done(e)}
        self.progress = progress
        if self._store is not None:
            self._timer.start()
        self.changed.emit()
        for exercise in exercises():
            if exercise.number not in done and progress.is_done(exercise):
                self.said.emit(f"Exercise {exercise.number}, {exercise.title}, is done.")

    def _loaded(self) -> Progress:
        try:
            return Progress() if self._store is None else self._store.load()
        except UserError as error:
            self._complaint = str(error)
            return Progress()

    def _save(self) -> None:
        if self._store is None:
            return
        try:
            self._store.save(self.progress)
        except UserError as error:
            if not self._fails:  # said once; it is tried again with each change
                self._bench.failed.emit(f"Progress is not kept: {error}")
            self._fails = True
        else:
            self._fails = False


def _exercise(number: int) -> Exercise:
    return next(exercise for exercise in exercises() if exercise.number == number)
