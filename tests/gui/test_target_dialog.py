"""The dialog that designs a head row by row, used as people use it, on a real bench."""

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from mhagui import core
from mhagui.core import queries_and_keys_for
from mhagui.document import Pattern
from mhagui.document.edits import SetKeyWidth, SetSequenceLength, set_gain
from mhagui.document.target import fit_text
from mhagui.gui.docks.target_dialog import TargetDialog
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.wanted_table import WantedTable
from mhagui.palette import contrast

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
Key = Qt.Key
FULL = "0.12\n0.22 0.47\n0.28 0.29 0\n0.12 0.04 0.01 0\n0.17 0.36 0.07 0.27 0.01"


def find(dialog, name, kind=QWidget):
    (found,) = dialog.findChildren(kind, name)
    return found


@pytest.fixture
def dialog(bench, heads_dock, qtbot, settle):
    """The dialog for head 2, opened by its button in the Heads dock."""
    bench.point(head=2)
    settle()
    qtbot.mouseClick(find(heads_dock, "byRowsHeadButton"), LEFT)
    (dialog,) = heads_dock.findChildren(QDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


@pytest.fixture
def said(dialog):
    """A function that gives the sentence below the table."""
    return find(dialog, "targetMessage", QLabel).text


@pytest.fixture
def apply(dialog, qtbot):
    """A function that waits for the search and applies what it found."""

    def apply():
        button = find(dialog, "targetApply")
        qtbot.waitUntil(button.isEnabled)
        qtbot.mouseClick(button, LEFT)

    return apply


def wanted(dialog):
    """Return what the table holds, without its sums."""
    model = find(dialog, "targetWanted", WantedTable).model()
    rows, columns = range(model.rowCount()), range(model.columnCount() - 1)
    cells = [[model.index(r, c).data(Qt.ItemDataRole.EditRole) for c in columns] for r in rows]
    return np.array(cells)


def paste(dialog, qtbot, text, row=0, column=0):
    table = find(dialog, "targetWanted", WantedTable)
    QGuiApplication.clipboard().setText(text)
    table.setCurrentIndex(table.model().index(row, column))
    table.setFocus()
    qtbot.keyClick(table, Key.Key_V, CTRL)


# --- one row: exercise 4


def test_one_row_is_typed_and_applied_as_one_step(bench, dialog, said, apply, qtbot, settle):
    bench.edit(set_gain(2, 3.0))
    steps = bench.history.n_steps
    assert find(dialog, "targetRow", QSpinBox).value() == 4  # where the cursor is
    cells = find(dialog, "targetCells", QLineEdit)
    assert cells.hasFocus()
    qtbot.keyClicks(cells, ".5 0 .5 0")
    qtbot.keyClick(cells, Key.Key_Return)
    qtbot.waitUntil(lambda: said().startswith("Found"))
    assert said() == "Found with d_k = 2: every given weight is met within 0.001."
    apply()
    settle()
    head = bench.frame.result.heads[1]
    assert bench.history.n_steps == steps + 1
    assert (head.head.pattern, head.head.name) == (Pattern.HAND_SET, "hand-set")
    np.testing.assert_allclose(head.weights[3], [0.5, 0, 0.5, 0, 0, 0], atol=1e-3)
    assert head.row_entropy_bits[3] == pytest.approx(1, abs=0.02)  # one bit for two alike
    bench.undo()
    assert bench.scene.heads[1].pattern is Pattern.PREVIOUS_TOKEN
    assert bench.scene.heads[1].gain == 3.0


def test_enter_applies_nothing_that_was_found_before(bench, dialog, said, qtbot, type_in):
    cells = find(dialog, "targetCells", QLineEdit)
    type_in(cells, "1e308 1e308 1e308 1e308")
    qtbot.waitUntil(find(dialog, "targetApply").isEnabled)
    type_in(cells, "1 -2")
    assert said().startswith("A weight is at least 0")
    assert dialog.isVisible()
    find(dialog, "targetWanted").setFocus()
    qtbot.keyClick(find(dialog, "targetWanted"), Key.Key_Return)
    assert dialog.isVisible()
    find(dialog, "targetCancel").setFocus()
    qtbot.keyClick(find(dialog, "targetCancel"), Key.Key_Return)
    assert not dialog.isVisible()
    assert bench.scene.heads[1].pattern is Pattern.PREVIOUS_TOKEN


def test_another_row_and_fewer_numbers(dialog, qtbot, type_in):
    type_in(find(dialog, "targetRow", QSpinBox), "6")
    find(dialog, "targetCells", QLineEdit).setText("0,5, 0, 0,5,")
    qtbot.mouseClick(find(dialog, "targetSetRow"), LEFT)
    nan = math.nan
    np.testing.assert_array_equal(wanted(dialog)[5], [0.5, 0, 0.5, 0, 0, 0])
    np.testing.assert_array_equal(wanted(dialog)[:5], np.full((5, 6), nan))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 2 3 4 5", "Row t4 takes 1 to 4 numbers; got 5."),
        ("", "Row t4 takes 1 to 4 numbers; got 0."),
        ("1 -2", "A weight is at least 0; got −2."),
        ("one", "“one” is no number; write it like 0.5, −2 or 1e-3."),
        ("0 0", "Row t4 asks for nothing; give it a weight above 0."),
    ],
)  # fmt: skip
def test_what_is_no_row_is_refused_with_the_reason(dialog, said, type_in, text, sentence):
    type_in(find(dialog, "targetCells", QLineEdit), text)
    assert said() == sentence
    assert not find(dialog, "targetApply").isEnabled()


# --- the table


def test_a_cell_is_typed_and_emptied(dialog, qtbot):
    table = find(dialog, "targetWanted", WantedTable)
    table.setFocus()
    table.setCurrentIndex(table.model().index(1, 0))
    qtbot.keyClick(table, Key.Key_3)
    editor = find(dialog, "wantedEditor", QLineEdit)
    qtbot.keyClicks(editor, ".5")
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: wanted(dialog)[1, 0] == 3.5)  # Qt commits a turn later
    assert table.model().index(1, 6).data() == "3.5"
    qtbot.keyClick(table, Key.Key_Delete)
    assert np.isnan(wanted(dialog)).all()
    assert table.model().index(1, 6).data() == ""


def test_masked_cells_and_sums_cannot_be_typed_into(dialog):
    table = find(dialog, "targetWanted", WantedTable)
    editable = Qt.ItemFlag.ItemIsEditable
    for row, column, may in ((2, 2, True), (2, 3, False), (5, 6, False)):
        assert bool(table.model().index(row, column).flags() & editable) is may


def test_rows_are_pasted_and_what_a_width_cannot_do_is_said(dialog, said, qtbot, bench, apply):
    paste(dialog, qtbot, "0.02\t0.08\t0.31\t0.13\t0.17\t0.3", row=5)
    np.testing.assert_array_equal(wanted(dialog)[5], [0.02, 0.08, 0.31, 0.13, 0.17, 0.3])
    paste(dialog, qtbot, "1 3 0 0 0 0\n2 0 5 0 0 0\n0 1 0 6 0 0\n0 5 0 0 1 0", row=1)
    np.testing.assert_array_equal(wanted(dialog)[2:4, :4], [[2, 0, 5, math.nan], [0, 1, 0, 6]])
    qtbot.waitUntil(lambda: said().startswith(("Found", "Nearest")))
    asked = np.zeros((6, 6))
    asked[1, :2], asked[2, :3] = [1 / 4, 3 / 4], [2 / 7, 0, 5 / 7]
    asked[3, :4], asked[4, :5] = [0, 1 / 7, 0, 6 / 7], [0, 5 / 6, 0, 0, 1 / 6]
    asked[5], asked[0] = np.array([0.02, 0.08, 0.31, 0.13, 0.17, 0.3]) / 1.01, math.nan
    assert said() == fit_text(queries_and_keys_for(asked, 2), 2)
    apply()
    np.testing.assert_allclose(
        bench.frame.result.heads[1].weights, queries_and_keys_for(asked, 2).realised, atol=1e-9
    )


def test_a_block_past_the_diagonal_is_refused_whole(dialog, said, qtbot):
    paste(dialog, qtbot, "1 2\n3 4")
    assert said() == "Weights past the diagonal are masked; row t1 ends at t1."
    assert np.isnan(wanted(dialog)).all()


def test_a_table_with_a_word_is_refused(dialog, said, qtbot):
    paste(dialog, qtbot, "a\tb")
    assert "“a” in row 1, column 1" in said()


def test_current_weights_are_taken_and_found_again(bench, dialog, said, qtbot):
    qtbot.mouseClick(find(dialog, "targetCurrent"), LEFT)
    weights = bench.frame.result.heads[1].weights
    np.testing.assert_array_equal(np.nan_to_num(wanted(dialog)), weights)
    qtbot.waitUntil(lambda: said().startswith("Found"))
    qtbot.waitUntil(find(dialog, "targetApply").isEnabled)
    shown = find(dialog, "targetFound", MatrixView).picture.values
    np.testing.assert_allclose(shown, weights, atol=1e-6)
    qtbot.mouseClick(find(dialog, "targetClear"), LEFT)
    qtbot.waitUntil(lambda: said() == "Give at least one row; empty rows are free.")
    assert not find(dialog, "targetApply").isEnabled()


def test_the_newest_question_wins(dialog, said, qtbot, type_in):
    cells = find(dialog, "targetCells", QLineEdit)
    for text in (".5 0 .5 0", "0 1 0 0", "0 0 1 1"):
        type_in(cells, text)
    qtbot.waitUntil(find(dialog, "targetApply").isEnabled)
    shown = find(dialog, "targetFound", MatrixView).picture.values
    np.testing.assert_allclose(shown[3, :4], [0, 0, 0.5, 0.5], atol=1e-3)


def test_a_search_that_breaks_off_is_told_and_another_can_follow(
    dialog, said, qtbot, type_in, monkeypatch
):
    def break_off(asked, d_k):
        raise ArithmeticError("no digits left")

    cells = find(dialog, "targetCells", QLineEdit)
    with monkeypatch.context() as patched, qtbot.captureExceptions() as faults:
        patched.setattr(core, "queries_and_keys_for", break_off)
        type_in(cells, "1 1 0 1")
        qtbot.waitUntil(lambda: "broke off" in said())
    assert said() == "The search broke off: ArithmeticError: no digits left."
    assert [kind for kind, *_ in faults] == [ArithmeticError]
    assert not find(dialog, "targetApply").isEnabled()
    type_in(cells, ".5 0 .5 0")
    qtbot.waitUntil(find(dialog, "targetApply").isEnabled)


def test_nothing_waits_for_a_search_after_a_refusal(dialog, said, qtbot, type_in):
    cells = find(dialog, "targetCells", QLineEdit)
    type_in(cells, ".5 0 .5 0")
    type_in(cells, "0 0")
    assert not any(timer.isActive() for timer in dialog.findChildren(QTimer))
    assert said() == "Row t4 asks for nothing; give it a weight above 0."


def test_a_row_pointed_at_is_the_row_of_the_line(dialog, qtbot):
    table, view = find(dialog, "targetWanted", WantedTable), find(dialog, "targetFound", MatrixView)
    table.setCurrentIndex(table.model().index(1, 0))
    assert find(dialog, "targetRow", QSpinBox).value() == 2
    assert view.cursor_cell == (1, None)


def test_cancel_while_a_search_runs_changes_nothing(bench, heads_dock, dialog, qtbot, settle):
    find(dialog, "targetCells", QLineEdit).setText("1 1 0 1")
    qtbot.mouseClick(find(dialog, "targetSetRow"), LEFT)
    qtbot.mouseClick(find(dialog, "targetCancel"), LEFT)
    settle()
    assert bench.history.n_steps == 0
    assert heads_dock.findChildren(QDialog) == []


def test_the_width_of_the_scene_is_used(bench, qtbot, settle):
    bench.edit(SetKeyWidth(5))
    dialog = TargetDialog(bench.frame, 1)
    qtbot.addWidget(dialog)
    dialog.show()
    paste(dialog, qtbot, FULL)
    qtbot.waitUntil(lambda: find(dialog, "targetMessage", QLabel).text().startswith("Found"))
    fits = []
    dialog.found.connect(fits.append)
    dialog.accept()
    assert fits[0].q.shape == (6, 5)


# --- looks


def test_everything_interactive_has_a_name_and_a_tip(dialog):
    for kind in (QAbstractButton, QAbstractSpinBox, QLineEdit, QComboBox, WantedTable):
        for widget in dialog.findChildren(kind):
            inner = isinstance(widget.parent(), QAbstractSpinBox)
            if widget.isVisible() and not inner and not widget.objectName().startswith("qt_"):
                if isinstance(widget.parent(), WantedTable):
                    continue  # the corner of the table
                assert widget.objectName(), widget
                assert widget.accessibleName(), widget.objectName()
                assert widget.toolTip(), widget.objectName()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_masked_cells_stand_back(dialog, request, theme, settle, grabbed):
    request.getfixturevalue(theme)
    settle()
    table = find(dialog, "targetWanted", WantedTable)
    picture = grabbed(table.viewport())
    ratio = table.devicePixelRatio()

    def colour(row, column):
        centre = table.visualRect(table.model().index(row, column)).center() * ratio
        return tuple(int(part) for part in picture[centre.y(), centre.x()])

    assert colour(1, 4) != colour(4, 1)
    assert contrast(colour(1, 4), colour(4, 1)) < 1.5  # a shade, no more


@pytest.mark.parametrize("points", [9, 14])
def test_nothing_is_cut_at_other_font_sizes(bench, dialog, qapp, points, settle):
    font, other = qapp.font(), qapp.font()
    other.setPointSize(points)
    qapp.setFont(other)
    try:
        settle()
        settle()
        for widget in dialog.findChildren(QWidget):
            if isinstance(widget, QLabel | QAbstractButton) and widget.isVisible():
                least = widget.minimumSizeHint()
                assert widget.width() >= least.width(), widget.objectName()
                assert widget.height() >= least.height(), widget.objectName()
        assert dialog.rect().contains(QPoint(dialog.width() - 1, 0))
    finally:
        qapp.setFont(font)


def test_sixty_four_positions_can_be_asked_for(bench, qtbot, settle):
    bench.edit(SetSequenceLength(64))
    dialog = TargetDialog(bench.frame, 0)
    qtbot.addWidget(dialog)
    dialog.show()
    paste(dialog, qtbot, "1", row=63, column=63)
    qtbot.waitUntil(find(dialog, "targetApply").isEnabled)
    shown = find(dialog, "targetFound", MatrixView).picture.values
    assert shown[63, 63] >= 0.999
    dialog.reject()
