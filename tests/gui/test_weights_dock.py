"""The weights dock: what it shows, what can be edited, and what it says where it cannot."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QScrollBar

from mhagui.document import Pattern
from mhagui.document.edits import (
    DuplicateHead,
    OpenScene,
    RemoveHead,
    SetKeyWidth,
    SetSequenceLength,
    set_gain,
)
from mhagui.document.scene_input import embedded_tokens
from mhagui.document.weight_edits import SetInputBlock, to_pattern
from mhagui.gui.docks.weights import WeightsDock
from mhagui.gui.docks.weights_content import Shown

Key, Button, Modifier = Qt.Key, Qt.MouseButton, Qt.KeyboardModifier
Role = Qt.ItemDataRole


@pytest.fixture
def dock(open_dock):
    return open_dock(WeightsDock, 680, 290)


def choose(qtbot, dock, shown):
    """Press the button of what is to be shown."""
    button = dock.choice.button(list(Shown).index(shown))
    qtbot.mouseClick(button, Button.LeftButton, pos=QPoint(8, button.height() // 2))
    assert dock.shown is shown


def seen(dock):
    """Return the panes that are in sight."""
    return [pane for pane in dock.panes if pane.isVisible()]


def numbers(pane):
    """Return what a pane shows, as its model says."""
    model = pane.table.model()
    return np.array(
        [
            [model.index(row, column).data(Role.EditRole) for column in range(model.columnCount())]
            for row in range(model.rowCount())
        ]
    )


def headers(pane, orientation):
    model = pane.table.model()
    count = model.columnCount() if orientation == Qt.Orientation.Horizontal else model.rowCount()
    return [model.headerData(section, orientation) for section in range(count)]


def type_into(qtbot, table, row, column, text):
    table.setFocus()
    table.setCurrentIndex(table.model().index(row, column))
    qtbot.keyClick(table, text[0])
    editor = table.findChild(QLineEdit, "cellEditor")
    assert editor is not None
    qtbot.keyClicks(editor, text[1:])
    qtbot.keyClick(editor, Key.Key_Return)


def paste(qtbot, table, row, column, text):
    table.setFocus()
    table.setCurrentIndex(table.model().index(row, column))
    QGuiApplication.clipboard().setText(text)
    qtbot.keySequence(table, QKeySequence(QKeySequence.StandardKey.Paste))


def scrub(table, row, column, pixels):
    """Drag with the middle button on a cell, to the right."""
    at = table.visualRect(table.model().index(row, column)).center()
    steps = [(QEvent.Type.MouseButtonPress, 0), *((QEvent.Type.MouseMove, n) for n in pixels)]
    for kind, by in [*steps, (QEvent.Type.MouseButtonRelease, pixels[-1])]:
        place = QPointF(at + QPoint(by, 0))
        held = Button.NoButton if kind == QEvent.Type.MouseButtonRelease else Button.MiddleButton
        which = Button.NoButton if kind == QEvent.Type.MouseMove else Button.MiddleButton
        globally = QPointF(table.viewport().mapToGlobal(place.toPoint()))
        event = QMouseEvent(kind, place, globally, which, held, Modifier.NoModifier)
        QApplication.sendEvent(table.viewport(), event)


# --- what is shown


def test_x_times_w_q_is_shown_with_the_heads_slices(dock, bench):
    left, middle, right = seen(dock)
    q = np.hstack([head.q for head in bench.frame.result.heads])
    assert np.array_equal(left.view.picture.values, np.eye(6, 8))
    assert np.array_equal(numbers(middle)[:6], q)  # X is one-hot
    assert np.array_equal(right.view.picture.values, q)
    assert headers(middle, Qt.Orientation.Horizontal)[2:4] == ["h2.1", "h2.2"]
    assert headers(middle, Qt.Orientation.Vertical)[7] == "x8"
    assert len({colour.name() for colour in right.view.picture.column_bands}) == 4
    assert dock.note.text().replace("\xa0", " ") == (
        "max |Q_all[:, slice h] − Q_h|: h1 0 · h2 0 · h3 0 · h4 0"
    )


def test_the_models_pass_qts_tests(dock, qtmodeltester):
    qtmodeltester.check(dock.panes[1].table.model())


def test_w_k_and_w_v_are_shown(qtbot, dock, bench):
    choose(qtbot, dock, Shown.KEYS)
    keys = np.hstack([head.k for head in bench.frame.result.heads])
    assert np.array_equal(numbers(seen(dock)[1])[:6], keys)
    choose(qtbot, dock, Shown.VALUES)
    w_v = np.hstack([head.w_v for head in bench.scene.heads])
    assert np.array_equal(numbers(seen(dock)[1]), w_v)
    assert np.array_equal(seen(dock)[2].view.picture.values, w_v[:6])
    assert dock.note.text().startswith("max |V_all[:, slice h] − V_h|")


def test_q_k_and_v_of_the_cursors_head_are_shown(qtbot, dock, bench, settle):
    choose(qtbot, dock, Shown.HEAD)
    bench.point(head=2, query=4)
    settle()
    head = bench.frame.result.heads[1]
    for pane, values in zip(seen(dock), (head.q, head.k, head.values), strict=True):
        assert np.array_equal(numbers(pane), values)
        assert headers(pane, Qt.Orientation.Vertical) == ["t1", "t2", "t3", "t4", "t5", "t6"]
    assert [pane.model.matrix.name for pane in seen(dock)] == ["Q_2", "K_2", "V_2"]


def test_why_there_is_no_w_q_is_said_in_its_place(dock, bench, settle):
    bench.edit(SetSequenceLength(10))
    settle()
    assert "tokens t2 and t10 are the same, but their queries are not" in dock.note.text()
    assert [pane.model.matrix.name for pane in seen(dock)] == ["X"]
    bench.undo()
    settle()
    assert len(seen(dock)) == 3
    assert dock.note.text().startswith("max |Q_all[:, slice h] − Q_h|")


def test_the_projected_heads_keep_their_w_q_where_there_is_no_packed_one(dock, bench, settle):
    for uid in (1, 3):
        bench.edit(to_pattern(bench.frame.result, uid, Pattern.PROJECTED))
    bench.edit(SetSequenceLength(10))
    settle()
    own = np.hstack([bench.scene.head(uid).w_q for uid in (1, 3)])
    assert np.array_equal(numbers(seen(dock)[1]), own)
    assert headers(seen(dock)[1], Qt.Orientation.Horizontal) == ["h1.1", "h1.2", "h3.1", "h3.2"]
    assert "does not exist" in dock.note.text()


def test_what_an_edit_of_x_leaves_as_it_is_stands_below_it(qtbot, dock, bench, settle):
    choose(qtbot, dock, Shown.INPUT)
    settle()
    assert "hand-set" not in dock.note.text()
    for uid in (1, 2):
        bench.edit(to_pattern(bench.frame.result, uid, Pattern.HAND_SET))
    settle()
    assert dock.note.text() == (
        "Q and K of 2 of the heads are hand-set: an edit of X changes their V alone."
    )
    x = bench.scene.x.copy()
    before = bench.frame.result.heads
    x[0, 0] += 1.0
    bench.edit(SetInputBlock(0, 0, x[:1, :1]))
    settle()
    after = bench.frame.result.heads
    assert [np.array_equal(a.q, b.q) for a, b in zip(before, after, strict=True)][:2] == [True] * 2
    assert not np.array_equal(before[0].values, after[0].values)


def test_a_gain_draws_nothing_anew(dock, bench, settle):
    shown = [(pane.view.picture, pane.model.matrix) for pane in dock.panes]
    bench.edit(set_gain(2, 3.0))
    settle()
    after = [(pane.view.picture, pane.model.matrix) for pane in dock.panes]
    for one, other in zip(itertools.chain(*shown), itertools.chain(*after), strict=True):
        assert one is other


def test_tokens_stand_beside_the_rows_of_x(qtbot, dock, bench, settle):
    tokens = ("the", "cat", "sat", "on", "the", "mat")
    bench.edit(OpenScene(replace(bench.scene, tokens=tokens)))
    choose(qtbot, dock, Shown.INPUT)
    settle()
    assert headers(seen(dock)[0], Qt.Orientation.Vertical)[1] == "t2 cat"


def test_more_than_64_rows_are_a_picture_and_say_so(qtbot, dock, bench, settle):
    bench.edit(SetSequenceLength(65))
    choose(qtbot, dock, Shown.HEAD)
    settle()
    assert "More than 64 rows" in dock.note.text()
    assert not any(pane.table.isVisible() for pane in dock.panes)
    assert seen(dock)[0].view.picture.values.shape == (65, 2)
    bench.edit(SetSequenceLength(64))
    settle()
    assert all(pane.table.isVisible() for pane in seen(dock))


# --- the cursor


def tops(table):
    """Return the first line of pixels of each row."""
    model = table.model()
    return [table.visualRect(model.index(row, 0)).top() for row in range(model.rowCount())]


def test_a_cell_moves_the_cursors_row_and_its_line(qtbot, dock, bench, settle, grabbed):
    choose(qtbot, dock, Shown.INPUT)
    settle()
    table = seen(dock)[0].table
    before = grabbed(table.viewport())
    table.setFocus()
    table.setCurrentIndex(table.model().index(4, 2))
    assert bench.view.cursor.query == 4
    table.clearFocus()
    table.clearSelection()
    settle()
    after = grabbed(table.viewport())
    changed = [(before[top] != after[top]).any() for top in tops(table)]
    assert changed == [False, False, False, True, True, False]  # t4 had a line, t5 has one


def test_a_column_of_w_q_moves_the_cursor_to_its_head(dock, bench, settle):
    table = seen(dock)[1].table
    table.setCurrentIndex(table.model().index(0, 5))
    assert bench.view.cursor.head == 3
    settle()
    assert dock.head_box.currentText() == "h3 self"
    assert dock.pattern_box.currentText() == "self"


def test_the_head_is_chosen(qtbot, dock, bench):
    dock.head_box.setFocus()
    qtbot.keyClick(dock.head_box, Key.Key_Down)
    assert bench.view.cursor.head == 2


def test_heads_of_layer_2_are_said_to_read_more_than_x(dock, bench, settle):
    assert "layer 2" not in dock.note.text()
    heads = bench.scene.heads
    scene = replace(bench.scene, heads=(*heads[:3], replace(heads[3], layer=2)))
    bench.edit(OpenScene(scene))
    settle()
    assert dock.note.text().endswith(" · heads of layer 2 read X + O_1")


# --- editing


def test_x_is_typed_and_all_heads_follow(qtbot, dock, bench, settle):
    choose(qtbot, dock, Shown.INPUT)
    settle()
    type_into(qtbot, seen(dock)[0].table, 1, 3, "0.25")
    assert bench.scene.x[1, 3] == 0.25
    assert numbers(seen(dock)[0])[1, 3] == 0.25  # at once
    assert bench.history.undo_text == "Edit X"
    w_v = bench.scene.heads[1].w_v
    assert_allclose(bench.frame.result.heads[1].values[1], w_v[1] + 0.25 * w_v[3])


def test_words_in_x_are_not_to_be_edited(qtbot, dock, bench, settle, refused):
    tokens, words = ("a", "b") * 3, ("a", "b")
    x = embedded_tokens(tokens, words, 8, has_position_code=False)
    bench.edit(OpenScene(replace(bench.scene, x=x, tokens=tokens, vocabulary=words)))
    choose(qtbot, dock, Shown.INPUT)
    settle()
    table = seen(dock)[0].table
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 1))
    qtbot.keyClick(table, "7")
    assert refused == ["Columns 1 to 2 of X hold the words of the tokens."]
    type_into(qtbot, table, 0, 2, "7")
    assert bench.scene.x[0].tolist() == [1, 0, 7, 0, 0, 0, 0, 0]


def test_w_v_is_pasted_across_heads_and_undone_at_once(qtbot, dock, bench, settle):
    choose(qtbot, dock, Shown.VALUES)
    settle()
    before = bench.scene
    paste(qtbot, seen(dock)[1].table, 6, 1, "1\t2\n3\t4")
    assert bench.scene.heads[0].w_v[6:, 1].tolist() == [1, 3]
    assert bench.scene.heads[1].w_v[6:, 0].tolist() == [2, 4]
    assert bench.history.undo_text == "Paste into W_V"
    bench.undo()
    assert bench.scene == before


def test_a_scrub_of_w_v_is_one_step(qtbot, dock, bench, settle):
    choose(qtbot, dock, Shown.VALUES)
    settle()
    scrub(seen(dock)[1].table, 0, 2, [5, 10, 40])
    assert bench.scene.heads[1].w_v[0, 0] == pytest.approx(0.4)
    assert bench.history.n_steps == 1
    assert bench.history.undo_text == "Edit W_V"


def test_a_cell_is_stepped_by_the_wheel_twice_before_a_frame(qtbot, dock, bench, settle):
    choose(qtbot, dock, Shown.VALUES)
    settle()
    table = seen(dock)[1].table
    table.cell_stepped.emit(0, 3, 0.1)
    table.cell_stepped.emit(0, 3, 0.1)
    assert bench.scene.heads[1].w_v[0, 1] == pytest.approx(0.2)
    assert bench.history.n_steps == 1


@pytest.mark.parametrize("key", [Key.Key_5, Key.Key_Return, Key.Key_F2, Key.Key_Delete])
def test_designed_heads_are_not_edited_and_say_what_to_do(qtbot, dock, bench, refused, key):
    table = seen(dock)[1].table
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    scene = bench.scene
    qtbot.keyClick(table, key)
    assert refused == [
        "Head “first token” is designed (first token); make it “projected” to edit its W_Q."
    ]
    assert table.findChild(QLineEdit, "cellEditor") is None
    assert bench.scene is scene
    assert refused[0] in str(table.model().index(0, 0).data(Role.ToolTipRole))


def test_fixed_cells_are_not_pasted_scrubbed_or_double_clicked(qtbot, dock, bench, refused):
    table, scene = seen(dock)[1].table, bench.scene
    paste(qtbot, table, 0, 2, "5")
    scrub(table, 0, 2, [5, 10])
    at = table.visualRect(table.model().index(0, 2)).center()
    qtbot.mouseDClick(table.viewport(), Button.LeftButton, pos=at)
    assert len(refused) == 3
    assert len(set(refused)) == 1
    assert bench.scene is scene
    assert table.findChild(QLineEdit, "cellEditor") is None


def pick_pattern(dock, bench, pattern):
    dock.pattern_box.setCurrentText(pattern.value)
    return bench.scene.head(bench.view.cursor.head)


def test_a_head_is_projected_and_its_w_q_edited(qtbot, dock, bench, settle):
    bench.point(head=2)
    settle()
    output = bench.frame.result.output
    assert pick_pattern(dock, bench, Pattern.PROJECTED).pattern is Pattern.PROJECTED
    assert np.array_equal(bench.frame.result.output, output)
    settle()
    type_into(qtbot, seen(dock)[1].table, 0, 3, "1.5")
    assert bench.scene.head(2).w_q[0, 1] == 1.5
    settle()
    assert seen(dock)[2].view.picture.values[0, 3] == 1.5  # t1 is x1


def test_a_head_is_hand_set_and_its_q_and_k_edited(qtbot, dock, bench, settle, refused):
    choose(qtbot, dock, Shown.HEAD)
    assert pick_pattern(dock, bench, Pattern.HAND_SET).pattern is Pattern.HAND_SET
    settle()
    q, k, v = (pane.table for pane in seen(dock))
    type_into(qtbot, q, 2, 1, "0.5")
    type_into(qtbot, k, 3, 0, "2")
    assert bench.scene.head(1).q[2, 1] == 0.5
    assert bench.scene.head(1).k[3, 0] == 2
    assert refused == []
    v.setCurrentIndex(v.model().index(0, 0))
    qtbot.keyClick(v, "9")
    assert refused == ["V_1 = X·W_V: edit W_V or X."]


def test_a_head_that_cannot_be_projected_stays_and_the_box_says_so(dock, bench, settle, refused):
    bench.edit(SetSequenceLength(10))
    bench.point(head=2)
    settle()
    scene = bench.scene
    pick_pattern(dock, bench, Pattern.PROJECTED)
    assert bench.scene is scene
    assert len(refused) == 1
    assert "A W_Q of head “previous token” does not exist" in refused[0]
    assert dock.pattern_box.currentText() == "previous token"


def test_what_is_written_for_a_head_that_has_gone_is_refused(qtbot, dock, bench, settle, refused):
    choose(qtbot, dock, Shown.VALUES)
    settle()
    table = seen(dock)[1].table
    bench.edit(RemoveHead(4))
    scene = bench.scene
    table.block_written.emit(0, 7, np.array([[3.0]]), "Edit W_V", None)
    assert bench.scene is scene
    assert len(refused) == 1


# --- that it fits


@pytest.mark.parametrize("points", [9, 10, 14])
@pytest.mark.parametrize("shown", list(Shown))
def test_all_is_seen_at_its_size_in_the_window(qtbot, dock, points, shown, settle):
    font = dock.font()
    font.setPointSize(points)
    dock.setFont(font)
    choose(qtbot, dock, shown)
    settle()
    for bar in dock.findChildren(QScrollBar):
        assert not bar.isVisible()
    for label in dock.findChildren(QLabel):
        if label.isVisible() and not label.wordWrap():
            wide = label.fontMetrics().horizontalAdvance(label.text())
            assert label.width() >= wide
    note = dock.note
    assert note.height() >= note.heightForWidth(note.width())


def test_many_wide_heads_are_drawn(qtbot, dock, bench, settle):
    for _ in range(28):
        bench.edit(DuplicateHead(3))
    bench.edit(SetKeyWidth(64))
    for shown in Shown:
        choose(qtbot, dock, shown)
        settle()
    choose(qtbot, dock, Shown.QUERIES)
    settle()
    assert seen(dock)[1].table.model().columnCount() == 32 * 64
    assert "over all 32 heads: 0" in dock.note.text()


def test_tab_reaches_every_part(qtbot, dock, settle):
    settle()
    reached = []
    dock.choice.checkedButton().setFocus()
    for _ in range(12):
        reached.append(QApplication.focusWidget().objectName())
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Tab)
    wanted = [
        "weightsQueries",
        "weightsHead",
        "weightsPattern",
        "weights1View",
        "weights2Table",
        "weights3View",
    ]
    assert reached[:6] == wanted
    assert reached[6] == "weightsQueries"
