"""The lesson dock: starting an exercise, and checks that turn met as one works."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from mhagui.document import WhatIf, load_lesson
from mhagui.document.edits import set_gain, set_key_magnitude
from mhagui.document.exercise_list import exercises
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.lead_line import StateLine
from mhagui.palette import contrast

LEFT = Qt.MouseButton.LeftButton


# --- starting


@pytest.mark.parametrize("number", range(1, 7))
def test_start_lays_out_the_beginning_and_asks_for_docks(
    dock, bench, click, choose, number, qtbot, do, met
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
    dock, click, choose, do, bench, met
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


def test_looking_at_another_exercise_does_not_leave_the_one_at_work(dock, click, choose, do, met):
    choose(6)
    click("lessonStart")
    choose(2)
    do(set_key_magnitude(1, 6.0))
    choose(6)
    assert met(dock) == [True, False, False]


# --- live checks


def test_a_check_turns_met_with_its_numbers_and_stays_so(dock, click, choose, do, qtbot, met):
    choose(6)
    click("lessonStart")
    line = dock.page.checks[0]
    assert line.accessibleName() == "Not met yet: A first-token head with |K|·g = 6"
    with qtbot.waitSignal(dock.said) as said:
        do(set_key_magnitude(1, 6.0))
    assert said.args == ["Met: A first-token head with |K|·g = 6."]
    bits = 0.5103  # the lesson's, at t6
    assert line.note.text() == f"row t6: {bits:.3f} bits, 2^H = {2**bits:.3f}"
    assert line.accessibleName().startswith("Met: A first-token head with |K|·g = 6; row t6:")
    do(set_key_magnitude(1, 3.0))
    assert met(dock) == [True, False, False]


@pytest.mark.parametrize("width", [290, 340])
def test_nothing_moves_when_a_check_turns_met(make, bench, settle, qtbot, width, met):
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


def test_checks_are_met_while_the_dock_is_hidden(dock, click, choose, do, met):
    choose(6)
    click("lessonStart")
    dock.hide()
    do(set_gain(1, 2.0), set_gain(1, 3.0))
    dock.show()
    assert met(dock) == [True, True, False]


def test_what_is_seen_for_one_frame_alone_counts(dock, click, choose, bench, settle, met):
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
