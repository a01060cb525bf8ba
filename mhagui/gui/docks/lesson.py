"""The lesson dock: the exercises, what shows that each is done, and how far one is."""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMainWindow,
    QMessageBox,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mhagui.document.exercise_list import OBJECTIVES, exercises
from mhagui.document.exercises import Question
from mhagui.document.solver import edit_for
from mhagui.errors import UserError
from mhagui.formats import short
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.lesson_page import ExercisePage
from mhagui.gui.icons import icon
from mhagui.gui.lesson_session import LessonSession
from mhagui.gui.panel import Panel
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.lead_line import StateLine
from mhagui.gui.widgets.page import heading
from mhagui.lesson_report import write_report

REPORT_NAME = "exercises.pdf"
REPORT_FILES = "PDF (*.pdf);;Markdown, with its pictures in a folder beside it (*.md)"


class LessonDock(Panel):
    """One exercise at a time, the objectives, and the way to a report.

    The ``titles`` of the other docks are given by their object names.
    """

    def __init__(self, bench: Bench, session: LessonSession, titles: Mapping[str, str]) -> None:
        super().__init__(bench, "lessonDock", "Lesson")
        self.session, self._titles = session, titles
        self.choice = ChoiceBox()
        self.next = QPushButton("Next exercise")
        self.export = QPushButton("Export report…")
        self.over = QPushButton("Start over…")
        self.objectives = [StateLine(objective.text) for objective in OBJECTIVES]
        self._column = QVBoxLayout()
        self.page = self._make_page()
        self._describe()
        self._connect()
        self._scroll = ColumnScroll(self._make_body())
        self._order_stops()
        self.set_body(self._scroll)
        self._show_progress()

    def _describe(self) -> None:
        for exercise in exercises():
            self.choice.addItem(f"{exercise.number}  {exercise.title}", exercise.number)
        self.choice.setObjectName("lessonExercise")
        self.choice.setAccessibleName("Exercise")
        self.choice.setToolTip("The exercise that is shown below")
        self.choice.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.next.setObjectName("lessonNext")
        self.next.setToolTip("Go to the next exercise that is not done")
        self.export.setObjectName("lessonExport")
        self.export.setToolTip("Write tasks, answers, numbers and figures as PDF or Markdown")
        self.over.setObjectName("lessonStartOver")
        self.over.setToolTip("Forget what is met and answered, of this exercise or of all")
        for number, line in enumerate(self.objectives, 1):
            line.setObjectName(f"objective{number}")

    def _connect(self) -> None:
        self.session.changed.connect(self._show_progress)
        self.session.said.connect(self.said)
        self.choice.activated.connect(self._on_chosen)
        self.next.clicked.connect(self._on_next)
        self.export.clicked.connect(self._on_export)
        self.over.clicked.connect(self._on_over)

    def _make_body(self) -> QWidget:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(5)
        column.addWidget(self.choice)
        column.addLayout(self._column)
        self._column.addWidget(self.page)
        column.addWidget(self.next)
        column.addWidget(heading("Objectives"))
        for line in self.objectives:
            column.addWidget(line)
        buttons = QHBoxLayout()
        buttons.addWidget(self.export)
        buttons.addWidget(self.over)
        column.addLayout(buttons)
        column.addStretch(1)
        return body

    def _make_page(self) -> ExercisePage:
        page = ExercisePage(self.session.chosen, self._titles)
        page.start_wanted.connect(self._on_start)
        page.docks_wanted.connect(self.docks_wanted)
        for box in page.questions:
            box.answered.connect(self._on_answered)
            box.refused.connect(self.bench.refused)
        if page.solver is not None:
            page.solver.wanted.connect(self._on_gain_wanted)
            page.solver.refused.connect(self.bench.refused)
        page.show_scene(self.bench.scene)
        return page

    # --- drawing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Offer the heads of the scene; what is met comes from the session."""
        if previous is None or frame.scene is not previous.scene:
            self.page.show_scene(frame.scene)

    def _show_progress(self) -> None:
        progress = self.session.progress
        if self.page.exercise is not self.session.chosen:
            self._change_page()
        self.page.show_progress(progress)
        with QSignalBlocker(self.choice):
            for index, exercise in enumerate(exercises()):
                done = progress.is_done(exercise)
                self.choice.setItemIcon(index, icon("met" if done else "unmet"))
                said = f"Exercise {exercise.number}, {exercise.title}, {'' if done else 'not '}done"
                self.choice.setItemData(index, said, Qt.ItemDataRole.AccessibleTextRole)
            self.choice.setCurrentIndex(self.session.chosen.number - 1)
        for objective, line in zip(OBJECTIVES, self.objectives, strict=True):
            line.set_state(met=progress.is_shown(objective), note=objective.where)

    def _change_page(self) -> None:
        old, self.page = self.page, self._make_page()
        self._column.replaceWidget(old, self.page)
        old.hide()
        old.deleteLater()
        self._order_stops()
        self._scroll.verticalScrollBar().setValue(0)

    def _order_stops(self) -> None:
        """Have Tab go from top to bottom, whatever was made last."""
        chain = [self.choice, *self.page.stops(), self.next, self.export, self.over]
        for before, after in pairwise(chain):
            QWidget.setTabOrder(before, after)

    # --- what the user does

    def _on_chosen(self, index: int) -> None:
        self.session.choose(self.choice.itemData(index))

    def _on_next(self) -> None:
        self.session.choose_next()
        self.page.start.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_start(self) -> None:
        if self.session.start():
            self.docks_wanted.emit(self._docks_beside())

    def _docks_beside(self) -> tuple[str, ...]:
        """Return the docks of the exercise, but not those that would hide this one."""
        window = self.parent()
        behind = window.tabifiedDockWidgets(self) if isinstance(window, QMainWindow) else []
        hiding = {dock.objectName() for dock in behind}
        return tuple(name for name in self.page.exercise.start.docks if name not in hiding)

    def _on_answered(self, question: Question, answer: str) -> None:
        self.session.answer(question, answer)

    def _on_gain_wanted(self, uid: int, row: int, n_effective: float) -> None:
        self.bench.when_settled(partial(self._set_gain, uid, row, n_effective))

    def _set_gain(self, uid: int, row: int, n_effective: float, frame: Frame) -> None:
        try:
            edit = edit_for(frame.scene, frame.result, uid, row, n_effective)
        except UserError as error:
            self.bench.refused.emit(str(error))
            return
        if self.bench.edit(edit):
            head = f"h{frame.scene.index_of(uid) + 1}"
            gain = short(self.bench.scene.head(uid).gain, 5)
            self.said.emit(f"Gain of {head} set to {gain}.")

    def _on_over(self) -> None:
        box = QMessageBox(self)
        box.setObjectName("startOver")
        box.setWindowTitle("Start over")
        box.setIcon(QMessageBox.Icon.Question)
        box.setText("Forget what is met and answered?")
        box.setInformativeText("This cannot be undone. The scene on the bench stays as it is.")
        number = self.session.chosen.number
        one = box.addButton(f"Exercise {number}", QMessageBox.ButtonRole.DestructiveRole)
        every = box.addButton("All exercises", QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.exec()
        if box.clickedButton() is one:
            self.session.start_over(self.session.chosen)
        elif box.clickedButton() is every:
            self.session.start_over(*exercises())
        box.deleteLater()

    def _on_export(self) -> None:
        dialog = QFileDialog(self, "Export report", self.session.report_folder, REPORT_FILES)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("pdf")
        dialog.selectFile(REPORT_NAME)
        dialog.filterSelected.connect(partial(_follow_filter, dialog))
        if dialog.exec():
            self.export_report(Path(dialog.selectedFiles()[0]))
        dialog.deleteLater()

    def export_report(self, path: Path) -> None:
        """Write the report to ``path``, as PDF or Markdown by its suffix, or say why not."""
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            write_report(self.session.progress, path)
        except UserError as error:
            self.bench.failed.emit(str(error))
        else:
            self.session.report_folder = str(path.parent)
            self.said.emit(f"Report written to {path}")
        finally:
            QGuiApplication.restoreOverrideCursor()


def _follow_filter(dialog: QFileDialog, chosen: str) -> None:
    """Give the name the suffix of the kind of file that was chosen."""
    suffix = "md" if "*.md" in chosen else "pdf"
    dialog.setDefaultSuffix(suffix)
    for name in dialog.selectedFiles()[:1]:
        dialog.selectFile(str(Path(name).with_suffix(f".{suffix}")))
