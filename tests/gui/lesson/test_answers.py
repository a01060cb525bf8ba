"""The lesson dock: answers, hint, why, next, and the solver."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QRadioButton, QWidget

from mhagui.document.edits import DuplicateHead, SetMasterGain, set_gain
from mhagui.document.exercise_list import exercises
from mhagui.document.exercises import Choice

NEEDED_MAGNITUDE = 8.308535015128045  # the lesson's, for 1.1 effective positions at t6
LEFT = Qt.MouseButton.LeftButton


def right_answers(dock, qtbot, click, type_in, text_of):
    """Answer each question of the page: options with the mouse, numbers with Enter."""
    for number, question in enumerate(dock.page.exercise.questions, 1):
        if isinstance(question, Choice):
            click(f"question{number}Option{question.right + 1}")
            click(f"question{number}Check")
        else:
            field = dock.findChild(QLineEdit, f"question{number}Number")
            type_in(field, f"{question.right:.3f}")
        assert text_of(dock, f"question{number}Verdict") == "Right"


# --- answers


def test_an_option_is_no_answer_before_it_is_handed_in(dock, click, text_of):
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


def test_a_wrong_answer_is_said_until_another_is_chosen(dock, click, refused, text_of):
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
def test_numbers_are_read_as_everywhere(dock, choose, type_in, typed, text_of):
    choose(6)
    type_in(dock.findChild(QLineEdit, "question1Number"), typed)
    assert text_of(dock, "question1Verdict") == "Right"


def test_what_is_no_number_is_no_answer(dock, choose, type_in, refused, text_of):
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


def test_why_appears_once_all_is_met_and_answered(
    dock, click, choose, do, qtbot, type_in, met, text_of
):
    choose(3)
    click("lessonStart")
    why = dock.findChild(QWidget, "lessonWhy")
    do(*[DuplicateHead(uid) for uid in (1, 2, 3, 4)])
    do(set_gain(6, 2.0))
    assert met(dock) == [True, True]
    assert not why.isVisible()
    sentences = []
    dock.said.connect(sentences.append)
    right_answers(dock, qtbot, click, type_in, text_of)
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
    dock, bench, click, choose, do, met
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
