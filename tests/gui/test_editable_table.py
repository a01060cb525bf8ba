"""W_O as a user edits it: keys, mouse and clipboard, through the dock and a bench."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QLineEdit

from mhagui.document.edits import MoveHead, RemoveHead, SetProjectionBlock

Key, Button, Modifier = Qt.Key, Qt.MouseButton, Qt.KeyboardModifier
Role = Qt.ItemDataRole


@pytest.fixture
def dock(projection_dock):
    return projection_dock


@pytest.fixture
def table(dock):
    dock.table.setFocus()
    return dock.table


def settle(bench):
    """Let the frame of this moment be drawn."""
    for _ in range(3):
        QApplication.processEvents()
    assert bench.frame.scene is bench.scene


def w_o(bench):
    return np.array(bench.scene.w_o)


def shown(table):
    """What the model says W_O is."""
    model = table.model()
    return np.array(
        [
            [model.index(row, column).data(Role.EditRole) for column in range(model.columnCount())]
            for row in range(model.rowCount())
        ]
    )


def at(table, row, column):
    return table.visualRect(table.model().index(row, column)).center()


def click(qtbot, table, row, column, modifier=Modifier.NoModifier):
    qtbot.mouseClick(table.viewport(), Button.LeftButton, modifier, at(table, row, column))


def select(qtbot, table, first, last):
    click(qtbot, table, *first)
    click(qtbot, table, *last, modifier=Modifier.ShiftModifier)


def type_in(qtbot, table, row, column, text):
    click(qtbot, table, row, column)
    press(table, text[0])
    editor = editor_of(table)
    for letter in text[1:]:
        press(editor, letter)
    qtbot.keyClick(editor, Key.Key_Return)


def editor_of(table):
    """The line that is being typed into; ended ones wait to be deleted."""
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    assert table.isAncestorOf(editor)
    return editor


def press(widget, letter):
    """Press any letter's key; QTest has keys for those of Latin-1 only."""
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        event = QKeyEvent(kind, Key.Key_unknown, Modifier.NoModifier, letter)
        QApplication.sendEvent(widget, event)


def paste(qtbot, table, text):
    QGuiApplication.clipboard().setText(text)
    qtbot.keySequence(table, QKeySequence(QKeySequence.StandardKey.Paste))


# --- typing


@pytest.mark.parametrize(
    ("text", "value"), [("0,5", 0.5), ("0.5", 0.5), ("1e-3", 1e-3), ("−2", -2.0), ("-.25", -0.25)]
)
def test_a_number_is_typed(qtbot, bench, table, text, value):
    type_in(qtbot, table, 3, 4, text)
    assert w_o(bench)[3, 4] == value
    settle(bench)
    assert shown(table)[3, 4] == value
    assert bench.history.undo_text == "Edit W_O"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nan", "“nan” is not a finite number; write it like 0.5, −2 or 1e-3."),
        ("inf", "“inf” is not a finite number; write it like 0.5, −2 or 1e-3."),
        ("1.234,5", "“1.234,5” has more than one decimal mark; write it like 0.5, −2 or 1e-3."),
        ("1,234", "“1,234” can mean 1.234 or 1234; write either of them."),
        ("abc", "“abc” is no number; write it like 0.5, −2 or 1e-3."),
        ("1e999", "“1e999” is larger than any number a cell can hold."),
    ],
)
def test_what_is_no_number_is_refused_and_the_old_value_stays(
    qtbot, bench, table, refused, text, sentence
):
    type_in(qtbot, table, 1, 7, text)
    settle(bench)
    assert refused == [sentence]
    assert w_o(bench)[1, 7] == shown(table)[1, 7] == -0.5
    assert bench.history.n_steps == 0


def test_an_emptied_cell_is_refused(qtbot, bench, table, refused):
    click(qtbot, table, 1, 7)
    qtbot.keyClick(table, Key.Key_F2)
    editor = editor_of(table)
    qtbot.keyClick(editor, Key.Key_Delete)
    qtbot.keyClick(editor, Key.Key_Return)
    assert refused == ["The cell is empty; write it like 0.5, −2 or 1e-3."]
    assert w_o(bench)[1, 7] == -0.5


def test_enter_edits_from_the_exact_number_and_leaves_it_when_nothing_is_typed(qtbot, bench, table):
    bench.edit(SetProjectionBlock(0, 0, np.array([[1 / 3]])))
    settle(bench)
    click(qtbot, table, 0, 0)
    qtbot.keyClick(table, Key.Key_Return)
    editor = editor_of(table)
    assert editor.text() == "0.3333333333333333"
    assert editor.width() > table.columnWidth(0)  # room for more than a cell's width of digits
    qtbot.keyClick(editor, Key.Key_Return)
    assert bench.history.n_steps == 1


def test_escape_gives_typing_up(qtbot, bench, table):
    click(qtbot, table, 0, 0)
    qtbot.keyClicks(table, "7")
    qtbot.keyClick(editor_of(table), Key.Key_Escape)
    assert bench.history.n_steps == 0


def test_arrows_move_between_cells_and_tab_leaves_the_table(qtbot, dock, table):
    click(qtbot, table, 0, 0)
    qtbot.keyClick(table, Key.Key_Down)
    qtbot.keyClick(table, Key.Key_Right)
    assert (table.currentIndex().row(), table.currentIndex().column()) == (1, 1)
    qtbot.keyClick(table, Key.Key_Tab)
    assert dock.concat_view.hasFocus()


def test_the_same_cell_typed_twice_is_two_steps(qtbot, bench, table):
    click(qtbot, table, 0, 0)
    for digit in "23":
        press(table, digit)
        qtbot.keyClick(editor_of(table), Key.Key_Return)
    bench.undo()
    assert w_o(bench)[0, 0] == 2


# --- copy and paste


def test_a_selected_rectangle_is_copied_with_all_digits(qtbot, bench, table):
    bench.edit(SetProjectionBlock(4, 1, np.array([[1 / 3]])))
    settle(bench)
    select(qtbot, table, (4, 0), (5, 2))
    qtbot.keySequence(table, QKeySequence(QKeySequence.StandardKey.Copy))
    assert QGuiApplication.clipboard().text() == "1\t0.3333333333333333\t-1\n0\t0\t0"


def test_a_spreadsheet_is_pasted_in_one_step_and_undone(qtbot, bench, table, four_heads_w_o):
    click(qtbot, table, 2, 5)
    paste(qtbot, table, '0,5\t"−1"\r\n0,33333333333333331\t1e-3\r\n')
    settle(bench)
    expected = four_heads_w_o.copy()
    expected[2:4, 5:7] = [[0.5, -1], [1 / 3, 0.001]]
    assert w_o(bench).tolist() == shown(table).tolist() == expected.tolist()
    assert (bench.history.n_steps, bench.history.undo_text) == (1, "Paste into W_O")
    bench.undo()
    settle(bench)
    assert shown(table).tolist() == four_heads_w_o.tolist()
    bench.redo()
    settle(bench)
    assert shown(table).tolist() == expected.tolist()


def test_what_was_pasted_is_selected(qtbot, table):
    click(qtbot, table, 2, 5)
    paste(qtbot, table, "1 2\n3 4\n5 6")
    cells = {(index.row(), index.column()) for index in table.selectedIndexes()}
    assert cells == {(row, column) for row in (2, 3, 4) for column in (5, 6)}


def test_what_the_scene_refuses_is_not_selected(qtbot, bench, table, refused, four_heads_w_o):
    click(qtbot, table, 2, 5)
    paste(qtbot, table, "1e300 2\n3 1e308")
    assert len(refused) == 1
    assert [(index.row(), index.column()) for index in table.selectedIndexes()] == [(2, 5)]
    assert w_o(bench).tolist() == four_heads_w_o.tolist()


def test_a_copied_rectangle_can_be_pasted_elsewhere(qtbot, bench, table, four_heads_w_o):
    select(qtbot, table, (4, 0), (5, 2))
    qtbot.keySequence(table, QKeySequence(QKeySequence.StandardKey.Copy))
    click(qtbot, table, 0, 5)
    qtbot.keySequence(table, QKeySequence(QKeySequence.StandardKey.Paste))
    assert w_o(bench)[0:2, 5:8].tolist() == four_heads_w_o[4:6, 0:3].tolist()


def test_one_pasted_number_fills_the_selection(qtbot, bench, table, four_heads_w_o):
    select(qtbot, table, (0, 0), (2, 3))
    paste(qtbot, table, "0.25\n")
    assert (w_o(bench)[0:3, 0:4] == 0.25).all()
    assert w_o(bench)[3:].tolist() == four_heads_w_o[3:].tolist()
    assert bench.history.n_steps == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "1\t2\t3\n4\t5\t6",
            "The pasted block is 2 × 3, but from row h4.1, column d7 on W_O has room for 2 × 2.",
        ),
        (
            "1\n2\n3",
            "The pasted block is 3 × 1, but from row h4.1, column d7 on W_O has room for 2 × 2.",
        ),
        ("1\t2\n3", "Row 2 of the pasted text, “3”, has 1 column, but row 1 has 2 columns."),
        (
            "1\t2\n3\tinf",
            "“inf” in row 2, column 2 of the pasted text is not a finite number; "
            "write it like 0.5, −2 or 1e-3.",
        ),
    ],
)
def test_a_paste_is_refused_whole(qtbot, bench, table, refused, text, sentence, four_heads_w_o):
    click(qtbot, table, 6, 6)
    paste(qtbot, table, text)
    assert refused == [sentence]
    assert w_o(bench).tolist() == four_heads_w_o.tolist()
    assert bench.history.n_steps == 0


@pytest.mark.parametrize("key", [Key.Key_Delete, Key.Key_Backspace])
def test_delete_sets_the_selection_to_zero_in_one_step(qtbot, bench, table, key, four_heads_w_o):
    select(qtbot, table, (4, 0), (7, 7))
    qtbot.keyClick(table, key)
    settle(bench)
    assert not shown(table)[4:].any()
    assert shown(table)[:4].tolist() == four_heads_w_o[:4].tolist()
    bench.undo()
    assert w_o(bench).tolist() == four_heads_w_o.tolist()
    assert bench.history.n_steps == 0


# --- scrubbing


def drag(qtbot, table, start, moves, button, modifier=Modifier.NoModifier):
    view, at_start = table.viewport(), at(table, *start)
    qtbot.mousePress(view, button, modifier, at_start)
    for dx, dy in moves:
        qtbot.mouseMove(view, at_start + QPoint(dx, dy))
    qtbot.mouseRelease(view, button, modifier, at_start + QPoint(*moves[-1]))


def test_a_scrub_is_one_step_of_a_hundredth_a_pixel(qtbot, bench, table):
    drag(qtbot, table, (4, 4), [(5, 0), (12, -20), (-10, -20)], Button.MiddleButton)
    settle(bench)
    assert shown(table)[4, 4] == 1.1  # 10 pixels left is less, 20 up is more
    assert bench.history.n_steps == 1
    bench.undo()
    assert w_o(bench)[4, 4] == 1


def test_a_drag_with_ctrl_scrubs_once_it_is_no_click_any_more(qtbot, bench, table):
    far = QApplication.startDragDistance()
    moves = [(far, 0), (far + 30, 0), (far + 10, 0)]
    drag(qtbot, table, (4, 4), moves, Button.LeftButton, Modifier.ControlModifier)
    settle(bench)
    assert shown(table)[4, 4] == 1.1
    assert bench.history.n_steps == 1
    drag(qtbot, table, (4, 4), [(far, 0), (far - 30, 0)], Button.LeftButton)
    assert w_o(bench)[4, 4] == 1.1  # without Ctrl a drag selects


def test_a_click_with_ctrl_selects_and_a_shaking_hand_changes_nothing(
    qtbot, bench, table, four_heads_w_o
):
    select(qtbot, table, (0, 0), (2, 2))
    drag(qtbot, table, (5, 5), [(2, 1)], Button.LeftButton, Modifier.ControlModifier)
    assert [(index.row(), index.column()) for index in table.selectedIndexes()] == [(5, 5)]
    assert bench.history.n_steps == 0
    qtbot.mouseMove(table.viewport(), at(table, 0, 0))
    assert w_o(bench).tolist() == four_heads_w_o.tolist()


def test_alt_is_left_to_the_window_manager(qtbot, bench, table):
    drag(qtbot, table, (4, 4), [(30, 0), (60, 0)], Button.LeftButton, Modifier.AltModifier)
    assert bench.history.n_steps == 0


def test_another_scrub_is_another_step(qtbot, bench, table):
    for _ in range(2):
        drag(qtbot, table, (4, 4), [(5, 0)], Button.MiddleButton)
        settle(bench)
    assert bench.history.n_steps == 2
    assert w_o(bench)[4, 4] == 1.1


def test_shift_scrubs_ten_times_finer(qtbot, bench, table, send_move):
    view, start = table.viewport(), at(table, 4, 4)
    qtbot.mousePress(view, Button.MiddleButton, pos=start)
    send_move(view, start + QPoint(30, 0), Modifier.ShiftModifier)
    qtbot.mouseRelease(view, Button.MiddleButton, pos=start)
    assert w_o(bench)[4, 4] == 1.03


def test_escape_gives_a_scrub_up(qtbot, bench, table):
    view, start = table.viewport(), at(table, 4, 4)
    qtbot.mousePress(view, Button.MiddleButton, pos=start)
    qtbot.mouseMove(view, start + QPoint(30, 0))
    qtbot.keyClick(table, Key.Key_Escape)
    qtbot.mouseMove(view, start + QPoint(60, 0))
    qtbot.mouseRelease(view, Button.MiddleButton, pos=start)
    assert w_o(bench)[4, 4] == 1
    assert bench.history.n_steps == 0


@pytest.fixture
def send_move():
    """Return a function that moves the mouse with a key held, which QTest cannot."""

    def send(widget, position, modifiers):
        spot = QPointF(position)
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            spot,
            QPointF(widget.mapToGlobal(position)),
            Button.NoButton,
            Button.MiddleButton,
            modifiers,
        )
        QApplication.sendEvent(widget, event)

    return send


def wheel(table, row, column, modifiers, notches=1):
    spot = at(table, row, column)
    event = QWheelEvent(
        QPointF(spot),
        QPointF(table.viewport().mapToGlobal(spot)),
        QPoint(),
        QPoint(0, 120 * notches),
        Button.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(table.viewport(), event)


def test_ctrl_wheel_steps_the_cell_under_the_pointer(bench, table):
    for _ in range(3):  # before any frame is drawn
        wheel(table, 4, 4, Modifier.ControlModifier, -1)
    assert w_o(bench)[4, 4] == 0.7
    wheel(table, 4, 4, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert w_o(bench)[4, 4] == 0.71
    assert bench.history.n_steps == 1
    wheel(table, 4, 4, Modifier.NoModifier)
    assert w_o(bench)[4, 4] == 0.71


# --- what stays


def test_selection_and_current_cell_survive_edits_undo_and_redo(qtbot, bench, table):
    select(qtbot, table, (1, 2), (3, 4))
    before = sorted((index.row(), index.column()) for index in table.selectedIndexes())
    bench.edit(SetProjectionBlock(0, 0, np.full((8, 8), 3.0)))
    for step in (settle, lambda b: b.undo(), settle, lambda b: b.redo(), settle):
        step(bench)
    after = sorted((index.row(), index.column()) for index in table.selectedIndexes())
    assert after == before
    assert len(after) == 9
    assert (table.currentIndex().row(), table.currentIndex().column()) == (3, 4)


@pytest.mark.parametrize("edit", [RemoveHead(1), MoveHead(1, 3)])
def test_a_scrub_ends_when_other_rows_take_its_place(qtbot, bench, table, edit):
    view, start = table.viewport(), at(table, 4, 4)
    qtbot.mousePress(view, Button.MiddleButton, pos=start)
    qtbot.mouseMove(view, start + QPoint(30, 0))
    bench.edit(edit)
    settle(bench)
    before = w_o(bench).copy()
    qtbot.mouseMove(view, start + QPoint(60, 0))
    assert np.array_equal(w_o(bench), before)
    qtbot.mouseRelease(view, Button.MiddleButton, pos=start)


def test_a_notch_of_the_wheel_on_a_row_that_has_gone_does_nothing(bench, table):
    bench.edit(RemoveHead(4))
    before = bench.scene
    table.cell_stepped.emit(7, 0, 1.0)
    assert bench.scene is before


def test_what_rounding_leaves_of_a_zero_is_shown_as_such_and_kept_exact(
    bench, dock, table, grabbed
):
    dock.resize(1400, 400)  # room for 2e−16

    def cell(value):
        bench.edit(SetProjectionBlock(2, 5, np.array([[value]])))
        settle(bench)
        box = table.visualRect(table.model().index(2, 5))
        return grabbed(table.viewport())[box.top() : box.bottom(), box.left() : box.right()]

    noise, other, none, small = map(cell, (2e-16, 3e-16, 0.0, 2e-13))
    assert (noise == other).all()
    assert (noise != none).any()
    assert (noise != small).any()
    cell(2e-16)
    assert shown(table)[2, 5] == 2e-16
