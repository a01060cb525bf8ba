"""The lesson dock: starting, live checks, answers, hint, why, solver, progress, report."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QRadioButton,
    QWidget,
)

from mhagui.document import WhatIf, load_lesson
from mhagui.document.edits import (
    DuplicateHead,
    SetMasterGain,
    set_gain,
    set_key_magnitude,
)
from mhagui.document.exercise_list import exercises
from mhagui.document.exercises import Choice
from mhagui.document.presets import Preset, SetPreset
from mhagui.document.progress import Progress
from mhagui.gui.docks.lesson import LessonDock
from mhagui.gui.lesson_session import LessonSession
from mhagui.gui.progress_store import ProgressStore
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.lead_line import StateLine
from mhagui.palette import contrast

NEEDED_MAGNITUDE = 8.308535015128045  # the lesson's, for 1.1 effective positions at t6
LEFT = Qt.MouseButton.LeftButton
TITLES = {
    "headsDock": "Heads",
    "heatmapsDock": "Heatmaps",
    "outputProjectionDock": "Output projection",
    "entropyDock": "Entropy",
    "impulseDock": "Impulse",
    "costDock": "Cost",
}


@pytest.fixture
def make(qtbot, bench):
    def make(store=None, width=290, height=700):
        dock = LessonDock(bench, LessonSession(bench, store, bench), TITLES)
        qtbot.addWidget(dock)
        dock.resize(width, height)
        with qtbot.waitActive(dock):
            dock.show()
            dock.activateWindow()
        QApplication.processEvents()
        return dock

    return make


@pytest.fixture
def dock(make):
    return make()


@pytest.fixture
def click(dock, qtbot, settle):
    """A function that clicks a widget of the dock where it can be seen."""

    def click(name):
        widget = dock.findChild(QWidget, name)
        assert widget.isEnabled()
        dock.widget().ensureWidgetVisible(widget)
        settle()
        place = widget.rect().center()
        if isinstance(widget, QRadioButton):
            place = QPoint(8, widget.height() // 2)
        qtbot.mouseClick(widget, LEFT, pos=place)
        settle()

    return click


@pytest.fixture
def do(bench, settle):
    def do(*edits):
        for edit in edits:
            assert bench.edit(edit)
            settle()

    return do


@pytest.fixture
def choose(dock, qtbot, settle):
    """A function that goes to an exercise with the keys of the box."""

    def choose(number):
        dock.choice.setFocus()
        qtbot.keyClick(dock.choice, Qt.Key.Key_Home)
        for _ in range(number - 1):
            qtbot.keyClick(dock.choice, Qt.Key.Key_Down)
        settle()
        assert dock.page.exercise.number == number

    return choose


def met(dock):
    return [line.icon.met for line in dock.page.checks]


def text_of(dock, name):
    return dock.findChild(QLabel, name).text()


def right_answers(dock, qtbot, click, type_in):
    """Answer each question of the page: options with the mouse, numbers with Enter."""
    for number, question in enumerate(dock.page.exercise.questions, 1):
        if isinstance(question, Choice):
            click(f"question{number}Option{question.right + 1}")
            click(f"question{number}Check")
        else:
            field = dock.findChild(QLineEdit, f"question{number}Number")
            type_in(field, f"{question.right:.3f}")
        assert text_of(dock, f"question{number}Verdict") == "Right"


# --- starting


@pytest.mark.parametrize("number", range(1, 7))
def test_start_lays_out_the_beginning_and_asks_for_docks(
    dock, bench, click, choose, number, qtbot, do
):
    do(set_gain(1, 0.5))
    choose(number)
    with qtbot.waitSignal(dock.docks_wanted) as asked:
        click("lessonStart")
    exercise = exercises()[number - 1]
    assert asked.args[0] == exercise.start.docks
    lesson = exercise.start.lesson
    if lesson is None:
        assert bench.scene.head(1).gain == 0.5  # what lies there stays
        assert bench.view.what_if == exercise.start.what_if
    else:
        assert np.array_equal(bench.scene.w_o, load_lesson(lesson).w_o)
        assert bench.scene.head(1).gain == 1.0
    if exercise.start.row is not None:
        assert bench.view.cursor.query == exercise.start.row
    assert met(dock) == [False] * len(exercise.checks)
    assert dock.page.start.text() == "Back to the start"


def test_a_start_is_one_undo_step(bench, click, do):
    do(set_gain(1, 0.5))
    before = bench.scene
    click("lessonStart")
    assert bench.scene.n_heads == 2
    bench.undo()
    assert bench.scene is before


def test_nothing_counts_before_an_exercise_is_started_or_once_it_is_left(
    dock, click, choose, do, bench
):
    choose(6)
    do(set_key_magnitude(1, 6.0))
    assert met(dock) == [False] * 3
    click("lessonStart")
    do(set_key_magnitude(1, 6.0))
    assert met(dock) == [True, False, False]
    choose(4)
    click("lessonStart")
    do(set_key_magnitude(1, 9.0))
    choose(6)
    assert met(dock) == [True, False, False]
    assert dock.page.start.text() == "Go on"
    click("lessonStart")
    assert met(dock) == [True, False, False]
    do(set_key_magnitude(1, 9.0))
    assert met(dock) == [True, True, False]


def test_looking_at_another_exercise_does_not_leave_the_one_at_work(dock, click, choose, do):
    choose(6)
    click("lessonStart")
    choose(2)
    do(set_key_magnitude(1, 6.0))
    choose(6)
    assert met(dock) == [True, False, False]


# --- live checks


def test_a_check_turns_met_with_its_numbers_and_stays_so(dock, click, choose, do, qtbot):
    choose(6)
    click("lessonStart")
    line = dock.page.checks[0]
    assert line.accessibleName() == "Not met yet: A first-token head with |K|·g = 6 at d_k = 2"
    with qtbot.waitSignal(dock.said) as said:
        do(set_key_magnitude(1, 6.0))
    assert said.args == ["Met: A first-token head with |K|·g = 6 at d_k = 2."]
    bits = 0.5103  # the lesson's, at t6
    assert line.note.text() == f"row t6: {bits:.3f} bits, 2^H = {2**bits:.3f}"
    assert line.accessibleName().startswith(
        "Met: A first-token head with |K|·g = 6 at d_k = 2; row t6:"
    )
    do(set_key_magnitude(1, 3.0))
    assert met(dock) == [True, False, False]


@pytest.mark.parametrize("width", [290, 340])
def test_nothing_moves_when_a_check_turns_met(make, bench, settle, qtbot, width):
    dock = make(width=width)
    dock.session.choose(6)
    dock.session.start()
    settle()
    button = dock.findChild(QWidget, "solverSet")
    places = []
    for _ in range(2):
        places.append(button.mapTo(dock, QPoint()))
        qtbot.mouseClick(button, LEFT)
        bench.edit(set_key_magnitude(1, 6.0))  # in the next frame alone
        settle()
        bench.edit(set_gain(1, 1.0))
        settle()
    assert met(dock)[0]
    assert places[0] == places[1]


def test_checks_are_met_while_the_dock_is_hidden(dock, click, choose, do):
    choose(6)
    click("lessonStart")
    dock.hide()
    do(set_gain(1, 2.0), set_gain(1, 3.0))
    dock.show()
    assert met(dock) == [True, True, False]


def test_what_is_seen_for_one_frame_alone_counts(dock, click, choose, bench, settle):
    choose(6)
    click("lessonStart")
    bench.edit(set_gain(1, 2.0))
    bench.edit(set_gain(1, 1.0))  # before a frame is drawn: nobody saw it
    settle()
    assert met(dock) == [False] * 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_differ_by_shape_and_can_be_made_out(make, grabbed, settle, request, theme):
    request.getfixturevalue(theme)
    dock = make()
    icon = dock.page.checks[0].icon
    ground = dock.palette().window().color().getRgb()[:3]
    theme_colours = theme_of(dock.palette())
    assert contrast(theme_colours.met.getRgb()[:3], ground) >= 4.5
    empty = grabbed(icon)
    icon.set_met(True)
    settle()
    tick = grabbed(icon)
    differ = (empty.astype(int) - tick).any(axis=2)
    middle = differ[4:-4, 4:-4]
    assert middle.sum() > 20  # the tick, inside the circle


# --- answers


def test_an_option_is_no_answer_before_it_is_handed_in(dock, click):
    click("question1Option4")
    assert text_of(dock, "question1Verdict") == "Not yet"
    assert dock.session.progress.answers == {}
    click("question1Check")
    assert text_of(dock, "question1Verdict") == "Right"


def test_a_click_on_the_text_of_an_option_chooses_it(dock, qtbot, settle):
    radio = dock.findChild(QRadioButton, "question2Option2")
    line = radio.parentWidget()
    qtbot.mouseClick(line.label, LEFT)
    assert radio.isChecked()
    assert radio.accessibleName() == exercises()[0].questions[1].options[1]


def test_a_wrong_answer_is_said_until_another_is_chosen(dock, click, refused):
    click("question1Check")
    assert refused == ["Choose one of the options first."]
    click("question1Option1")
    click("question1Check")
    assert text_of(dock, "question1Verdict") == "Not right"
    click("question1Option2")
    assert text_of(dock, "question1Verdict") == "Not yet"
    click("question1Option4")
    click("question1Check")
    assert not dock.findChild(QRadioButton, "question1Option1").isEnabled()


def test_arrows_go_through_the_options(dock, qtbot):
    first = dock.findChild(QRadioButton, "question1Option1")
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Space)
    qtbot.keyClick(first, Qt.Key.Key_Down)
    second = dock.findChild(QRadioButton, "question1Option2")
    assert QApplication.focusWidget() is second
    assert second.isChecked()
    assert dock.session.progress.answers == {}


@pytest.mark.parametrize("typed", ["0.51", "0,51", ".5104", "5.1e-1"])
def test_numbers_are_read_as_everywhere(dock, choose, type_in, typed):
    choose(6)
    type_in(dock.findChild(QLineEdit, "question1Number"), typed)
    assert text_of(dock, "question1Verdict") == "Right"


def test_what_is_no_number_is_no_answer(dock, choose, type_in, refused):
    choose(6)
    field = dock.findChild(QLineEdit, "question1Number")
    type_in(field, "half")
    assert len(refused) == 1
    assert "half" in refused[0]
    assert field.text() == "half"
    assert dock.session.progress.answers == {}
    type_in(field, "1.824")
    assert text_of(dock, "question1Verdict") == "Not right"
    type_in(field, "0.51", end=None)
    assert text_of(dock, "question1Verdict") == "Not yet"


# --- hint, why, next


def test_the_hint_is_shown_when_it_is_asked_for(dock, click):
    hint = dock.findChild(QLabel, "lessonHintText")
    assert not hint.isVisible()
    click("lessonHint")
    assert hint.isVisible()
    click("lessonHint")
    assert not hint.isVisible()


def test_why_appears_once_all_is_met_and_answered(dock, click, choose, do, qtbot, type_in):
    choose(3)
    click("lessonStart")
    why = dock.findChild(QWidget, "lessonWhy")
    do(*[DuplicateHead(uid) for uid in (1, 2, 3, 4)])
    do(set_gain(6, 2.0))
    assert met(dock) == [True, True]
    assert not why.isVisible()
    sentences = []
    dock.said.connect(sentences.append)
    right_answers(dock, qtbot, click, type_in)
    assert why.isVisible()
    assert sentences[-1] == "Exercise 3, More heads, same roles, is done."
    assert text_of(dock, "lessonState") == "Done"
    assert "done" in dock.choice.itemData(2, Qt.ItemDataRole.AccessibleTextRole)
    assert [line.icon.met for line in dock.objectives] == [False, True, False, False, False]


def test_next_goes_to_the_next_that_is_not_done_and_round(dock, click, choose):
    choose(5)
    click("lessonNext")
    assert dock.page.exercise.number == 6
    assert QApplication.focusWidget() is dock.page.start
    assert dock.widget().verticalScrollBar().value() == 0
    click("lessonNext")
    assert dock.page.exercise.number == 1


# --- the solver


def test_the_solver_sets_the_gain_that_gives_1_1_effective_positions(
    dock, bench, click, choose, do
):
    choose(6)
    click("lessonStart")
    click("solverSet")
    assert 3 * bench.scene.head(1).gain == pytest.approx(NEEDED_MAGNITUDE, rel=1e-12)
    assert met(dock) == [False, False, True]
    do(SetMasterGain(0.5))
    click("solverSet")
    assert bench.frame.result.heads[0].effective_positions[5] == pytest.approx(1.1, abs=1e-9)
    assert bench.scene.master_gain == 0.5


def test_the_solver_takes_any_head_row_and_number(dock, bench, click, choose, type_in, qtbot):
    choose(6)
    type_in(dock.page.solver.findChild(QWidget, "solverCount"), "1,5")
    type_in(dock.page.solver.findChild(QWidget, "solverRow"), "4")
    box = dock.page.solver.findChild(QWidget, "solverHead")
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    click("solverSet")
    assert bench.frame.result.heads[1].effective_positions[3] == pytest.approx(1.5, abs=1e-9)


def test_what_cannot_be_reached_is_said(dock, bench, click, choose, type_in, refused, settle):
    choose(6)
    type_in(dock.page.solver.findChild(QWidget, "solverCount"), "7")
    before = bench.scene
    click("solverSet")
    assert refused[-1].startswith("This row's effective positions lie between 1 and 6")
    assert bench.scene is before


def test_the_solver_follows_the_heads(dock, choose, do):
    choose(6)
    box = dock.page.solver.findChild(QWidget, "solverHead")
    do(DuplicateHead(1))
    assert [box.itemText(i)[:2] for i in range(box.count())] == ["h1", "h2", "h3", "h4", "h5"]


# --- progress is kept


@pytest.fixture
def store(tmp_path):
    return ProgressStore(tmp_path / "kept" / "progress.json")


def test_progress_outlives_the_window(make, store, bench, settle, qtbot):
    dock = make(store)
    dock.session.choose(6)
    dock.session.start()
    settle()
    bench.edit(set_key_magnitude(1, 6.0))
    settle()
    qtbot.waitUntil(store.path.exists)
    again = make(ProgressStore(store.path))
    assert again.page.exercise.number == 6
    assert met(again) == [True, False, False]
    bench.edit(set_key_magnitude(1, 9.0))  # nothing is looked at before it goes on
    settle()
    assert met(again) == [True, False, False]
    dock.session.save_now()


def test_the_last_moment_is_kept_when_the_program_ends(make, store, qapp):
    dock = make(store)
    dock.session.start()
    assert not store.path.exists()
    qapp.aboutToQuit.emit()
    assert store.load().active == 1


def test_a_file_that_cannot_be_read_is_said_once_and_begins_anew(
    make, store, refused, settle, bench
):
    store.path.parent.mkdir()
    store.path.write_bytes(b"garbage")
    dock = make(store)
    settle()
    bench.look(stage=1)
    settle()
    assert len(refused) == 1
    assert "begins anew" in refused[0]
    assert dock.session.progress == Progress()


@pytest.mark.parametrize(
    ("when", "sentence"),
    [("before", "cannot be read, and is not kept:"), ("after", "Progress is not kept:")],
)
def test_a_disk_that_fails_is_said_once_and_disturbs_nothing(
    make, store, refused, settle, bench, when, sentence
):
    if when == "before":
        store.path.parent.write_bytes(b"")  # where the folder should be
    dock = make(store)
    if when == "after":
        store.path.parent.write_bytes(b"")
    dock.session.choose(6)
    dock.session.start()
    dock.session.save_now()
    settle()
    bench.edit(set_key_magnitude(1, 6.0))
    settle()
    dock.session.save_now()
    assert len(refused) == 1
    assert sentence in refused[0]
    assert met(dock) == [True, False, False]


def answer_box(qtbot, name):
    """Press the button ``name`` in the box that opens."""

    def press():
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):  # not open yet
            QTimer.singleShot(0, press)
            return
        button = next(b for b in box.findChildren(QAbstractButton) if name in b.text())
        qtbot.mouseClick(button, LEFT)

    QTimer.singleShot(0, press)


@pytest.mark.parametrize(
    ("button", "left"),
    [("Exercise 6", {"1.swap"}), ("All", set()), ("Cancel", {"1.swap", "6.six"})],
)
def test_start_over_forgets_one_or_all_or_nothing(dock, click, choose, do, qtbot, button, left):
    click("lessonStart")
    do(SetPreset(Preset.SWAP))
    choose(6)
    click("lessonStart")
    do(set_key_magnitude(1, 6.0))
    answer_box(qtbot, button)
    click("lessonStartOver")
    assert set(dock.session.progress.readings) == left
    assert met(dock)[0] is ("6.six" in left)


# --- the report


def test_the_report_is_written_where_one_says(dock, click, do, monkeypatch, tmp_path):
    click("lessonStart")
    do(SetPreset(Preset.SWAP))
    path = tmp_path / "handed in.md"

    def choose(dialog):
        assert Path(dialog.selectedFiles()[0]).name == "exercises.pdf"
        dialog.filterSelected.emit(dialog.nameFilters()[1])
        assert Path(dialog.selectedFiles()[0]).name == "exercises.md"
        dialog.selectFile(str(path))
        return True

    monkeypatch.setattr(QFileDialog, "exec", choose)
    sentences = []
    dock.said.connect(sentences.append)
    click("lessonExport")
    assert sentences == [f"Report written to {path}"]
    assert "- [x] W_O swaps the head blocks, and no channel hears two heads: d1: h2; d2: h2" in (
        path.read_text()
    )


def test_a_report_that_cannot_be_written_is_said(dock, refused, tmp_path):
    dock.export_report(tmp_path / "no" / "report.md")
    assert len(refused) == 1
    assert "does not exist" in refused[0]


# --- how it looks


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize(("width", "points"), [(290, 10), (340, 9), (400, 14)])
def test_no_text_is_cut(qapp, make, settle, number, width, points):
    font = qapp.font()
    size = font.pointSize()
    font.setPointSize(points)
    qapp.setFont(font)
    try:
        dock = make(width=width, height=2200)
        dock.session.choose(number)
        dock.page.hint.click()
        settle()
        assert dock.width() == width
        for label in dock.findChildren(QLabel):
            if not label.isVisible() or not label.text():
                continue
            wanted = label.heightForWidth(label.width()) if label.wordWrap() else 0
            assert label.height() >= wanted, label.text()
            if not label.wordWrap():
                assert label.width() >= label.sizeHint().width(), label.text()
        room = dock.choice.width() - 50  # icon and arrow
        metrics = dock.choice.fontMetrics()
        assert metrics.horizontalAdvance(dock.choice.currentText()) <= room
    finally:
        font.setPointSize(size)
        qapp.setFont(font)


@pytest.mark.parametrize("number", range(1, 7))
def test_tab_goes_from_top_to_bottom_through_all(dock, qtbot, settle, number):
    dock.session.choose(number)
    dock.choice.setFocus()
    settle()
    places, names = [], []
    for _ in range(60):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        settle()
        widget = QApplication.focusWidget()
        if widget is dock.choice:
            break
        assert widget.toolTip() or isinstance(widget, QLabel)
        assert widget.accessibleName() or widget.text()
        names.append(widget.objectName())
        places.append(widget.mapTo(dock.widget().widget(), QPoint()).toTuple()[::-1])
        where = widget.mapTo(dock.widget().viewport(), widget.rect().center())
        assert dock.widget().viewport().rect().contains(where)
    rows = [y for y, _ in places]
    assert all(after > before - 8 for before, after in pairwise(rows))
    assert {"lessonStart", "lessonHint", "lessonNext", "lessonExport", "lessonStartOver"} <= set(
        names
    )
    questions = len(dock.page.exercise.questions)
    assert {f"question{n}Check" for n in range(1, questions + 1)} <= set(names)


def test_a_frame_costs_little_where_no_check_can_be_met(dock, bench, click, choose, settle):
    choose(2)
    click("lessonStart")
    before = dock.session.progress
    bench.look(what_if=WhatIf(384, 1, 384, 383, 128))
    settle()
    assert dock.session.progress is before


def test_state_lines_tell_screen_readers_the_state(qapp):
    line = StateLine("Something")
    assert line.accessibleName() == "Not met yet: Something"
    line.set_state(met=True, note="by this")
    assert line.accessibleName() == "Met: Something; by this"
    line.deleteLater()
