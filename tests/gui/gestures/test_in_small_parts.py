"""What the window of shortcuts says of sliders, boxes, tables, plots and titles is true."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from mhagui.document import load_lesson
from mhagui.document.edits import SetSequenceLength

K, LEFT, MIDDLE = Qt.Key, Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
RIGHT = Qt.MouseButton.RightButton
NONE, CONTROL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
LESSON = load_lesson("four-heads")
WORDS = load_lesson("content-position")


def heads(user):
    user.open(LESSON, user.window.docks.heads)
    user.bench.point(head=1)
    user.settle()


def gain_slider(user):
    heads(user)
    user.find("gainSlider1").setFocus()
    return user.find("gainSlider1")


def gain(user):
    return user.bench.scene.head(1).gain


@pytest.mark.gesture("Gain sliders", "← →")
def test_gain_by_arrows(user):
    gain_slider(user)
    user.press(K.Key_Right, K.Key_Right)
    assert gain(user) == pytest.approx(1.10)
    user.press(K.Key_Left)
    assert gain(user) == pytest.approx(1.05)


@pytest.mark.gesture("Gain sliders", "Page Up, Page Down")
def test_gain_by_pages(user):
    gain_slider(user)
    user.press(K.Key_PageUp)
    assert gain(user) == pytest.approx(1.5)
    user.press(K.Key_PageDown, K.Key_PageDown)
    assert gain(user) == pytest.approx(0.5)


@pytest.mark.gesture("Gain sliders", "Wheel")
def test_gain_by_wheel(user):
    user.wheel(gain_slider(user), 2)
    assert gain(user) == pytest.approx(1.10)


@pytest.mark.gesture("Gain sliders", "Double click")
def test_gain_reset(user):
    slider = gain_slider(user)
    user.press(K.Key_PageUp)
    QTest.mouseDClick(slider, LEFT)
    user.settle()
    assert gain(user) == 1.0


def number_box(user):
    heads(user)
    box = user.find("gainBox1")
    box.setFocus()
    box.selectAll()
    return box


@pytest.mark.gesture("Number boxes", "↑ ↓")
def test_step_a_number(user):
    number_box(user)
    user.press(K.Key_Up, K.Key_Up, K.Key_Down)
    assert gain(user) == pytest.approx(1.05)


@pytest.mark.gesture("Number boxes", "Enter")
def test_take_a_number(user):
    QTest.keyClicks(number_box(user), "2.5")
    assert gain(user) == 1.0
    user.press(K.Key_Return)
    assert gain(user) == 2.5


@pytest.mark.gesture("Number boxes", "Esc")
def test_take_back_a_number(user):
    box = number_box(user)
    QTest.keyClicks(box, "2.5")
    user.press(K.Key_Escape, K.Key_Return)
    assert gain(user) == 1.0


@pytest.mark.gesture("Number boxes", "Wheel")
def test_turn_a_number(user):
    box = number_box(user)
    user.wheel(box, 1)
    assert gain(user) == pytest.approx(1.05)
    user.find("headCard1").setFocus()
    user.wheel(box, 1)
    assert gain(user) == pytest.approx(1.05)


def matrix(user, row=0, column=0):
    user.open(LESSON, user.window.docks.output_projection)
    table = user.find("outputProjectionTable")
    table.setFocus()
    table.setCurrentIndex(table.model().index(row, column))
    return table


def w_o(user, row=0, column=0):
    return float(user.bench.scene.w_o[row, column])


def middle_of(table, row=0, column=0):
    return table.visualRect(table.model().index(row, column)).center()


@pytest.mark.gesture("Matrices to edit", "Digits, F2, Enter, double click")
def test_edit_a_cell(user):
    for number, keys in ((2, [K.Key_2]), (3, [K.Key_F2, K.Key_3]), (4, [K.Key_Return, K.Key_4])):
        matrix(user)
        user.press(*keys, K.Key_Return)
        assert w_o(user) == number
    table = matrix(user)
    QTest.mouseClick(table.viewport(), LEFT, NONE, middle_of(table))
    QTest.mouseDClick(table.viewport(), LEFT, NONE, middle_of(table))
    user.press(K.Key_5, K.Key_Return)
    assert w_o(user) == 5


@pytest.mark.gesture("Matrices to edit", "Ctrl+drag, middle drag")
def test_scrub(user):
    far = QPoint(60, 0)
    for button, modifiers in ((LEFT, CONTROL), (MIDDLE, NONE)):
        table = matrix(user)
        begin = middle_of(table)
        user.drag(table.viewport(), begin, begin + far, button, modifiers)
        coarse = w_o(user) - 1
        assert coarse > 0.2
        table = matrix(user)
        user.drag(table.viewport(), begin, begin + far, button, modifiers | SHIFT)
        assert w_o(user) - 1 == pytest.approx(coarse / 10, abs=0.01)


@pytest.mark.gesture("Matrices to edit", "Ctrl+wheel")
def test_step_a_cell(user):
    table = matrix(user)
    user.wheel(table.viewport(), 1, middle_of(table), CONTROL)
    assert w_o(user) == pytest.approx(1.1)
    user.wheel(table.viewport(), -1, middle_of(table), CONTROL | SHIFT)
    assert w_o(user) == pytest.approx(1.09)


@pytest.mark.gesture("Matrices to edit", "Ctrl+C, Ctrl+V")
def test_copy_and_paste(user):
    table = matrix(user, 1, 7)
    user.press((CONTROL, K.Key_C))
    assert QGuiApplication.clipboard().text() == "-0.5"
    QGuiApplication.clipboard().setText("1\t2\n3\t4")
    table.setCurrentIndex(table.model().index(2, 3))
    user.press((CONTROL, K.Key_V))
    assert user.bench.scene.w_o[2:4, 3:5].tolist() == [[1, 2], [3, 4]]


@pytest.mark.gesture("Matrices to edit", "Delete")
def test_set_to_zero(user):
    matrix(user)
    user.press(K.Key_Delete)
    assert w_o(user) == 0.0


@pytest.mark.gesture("Matrices to edit", "Esc")
def test_take_back_a_cell(user):
    matrix(user)
    user.press(K.Key_7)
    user.press(K.Key_Escape)
    assert w_o(user) == 1.0
    table = matrix(user)
    begin = middle_of(table)
    QTest.mousePress(table.viewport(), MIDDLE, NONE, begin)
    user.move(table.viewport(), begin + QPoint(50, 0), MIDDLE, NONE)
    assert w_o(user) != 1.0
    user.press(K.Key_Escape, to=table)
    assert w_o(user) == 1.0
    QTest.mouseRelease(table.viewport(), MIDDLE, NONE, begin + QPoint(50, 0))


def entropy(user):
    user.open(LESSON, user.window.docks.entropy)
    user.bench.point(query=3, key=1)
    user.settle()
    user.find("entropyPlot").setFocus()


@pytest.mark.gesture("Entropy", "← →, click")
def test_row_in_the_plot(user):
    entropy(user)
    user.press(K.Key_Right)
    assert user.cursor == (5, 2)
    user.press(K.Key_Left, K.Key_Left)
    assert user.cursor == (3, 2)
    plot = user.window.docks.entropy.plot
    place = plot.view.mapFromScene(plot.box.mapViewToScene(QPointF(5, 1)))
    user.click(plot.view.viewport(), place)
    assert user.cursor == (5, 2)


@pytest.mark.gesture("Entropy", "Home, End")
def test_ends_of_the_plot(user):
    entropy(user)
    user.press(K.Key_End)
    assert user.cursor == (6, 2)
    user.press(K.Key_Home)
    assert user.cursor == (1, 2)


def impulse(user):
    user.open(LESSON, user.window.docks.impulse)
    user.bench.point(query=3, key=1)
    user.settle()
    user.find("impulsePlot1").setFocus()


@pytest.mark.gesture("Impulse", "← →, click")
def test_key_in_the_plot(user):
    impulse(user)
    user.press(K.Key_Right)
    assert user.cursor == (4, 3)
    user.press(K.Key_Left, K.Key_Left)
    assert user.cursor == (4, 1)
    plot = user.find("impulsePlot1")
    user.click(plot, QPoint(round(plot.x_of(2)), plot.height() // 2))
    assert user.cursor == (4, 3)


@pytest.mark.gesture("Impulse", "↑ ↓")
def test_row_of_the_filter(user):
    impulse(user)
    user.press(K.Key_Down)
    assert user.cursor == (5, 2)
    user.press(K.Key_Up, K.Key_Up)
    assert user.cursor == (3, 2)


@pytest.mark.gesture("Information", "↑ ↓ or click on a bar")
def test_head_of_a_bar(user):
    user.open(LESSON, user.window.docks.information)
    user.bench.point(head=1)
    user.settle()
    bars = user.find("informationBars")
    bars.setFocus()
    user.press(K.Key_Down)
    assert user.bench.view.cursor.head == 2
    user.press(K.Key_Up)
    assert user.bench.view.cursor.head == 1
    user.click(bars, bars.row_rect(2).center().toPoint())
    assert user.bench.view.cursor.head == 3


@pytest.mark.gesture("Information", "Arrow or click in the matrix")
def test_two_heads(user):
    user.open(LESSON, user.window.docks.information)
    matrix = user.find("divergenceMatrix")
    matrix.setFocus()
    user.press((CONTROL, K.Key_Home), K.Key_Right)
    assert user.bench.view.pair == (1, 2)
    user.press(K.Key_Right)
    assert user.bench.view.pair == (1, 3)
    user.click(matrix, matrix.cell_rect(3, 1).center())
    assert user.bench.view.pair == (4, 2)


@pytest.mark.gesture("Cost", "Enter, click")
def test_sizes_of_a_row(user):
    user.open(LESSON, user.window.docks.cost)
    table = user.find("costExercise2")
    table.setFocus()
    table.setCurrentIndex(table.model().index(1, 0))
    user.press(K.Key_Return)
    asked = user.bench.view.what_if
    assert (asked.d_model, asked.n_heads) == (384, 2)
    user.click(table.viewport(), middle_of(table, 2))
    assert user.bench.view.what_if.n_heads == 4


@pytest.mark.gesture("History", "↑ ↓, click")
def test_go_back(user):
    user.open(WORDS, user.window.docks.history)
    user.press(K.Key_Up)
    assert user.bench.scene == LESSON
    user.press(K.Key_Down)
    assert user.bench.scene == WORDS
    steps = user.window.docks.history.list
    user.click(steps.viewport(), middle_of(steps, 0))
    assert user.bench.scene == LESSON


@pytest.mark.gesture("History", "Home, End")
def test_first_and_last_step(user):
    user.open(WORDS, user.window.docks.history)
    user.bench.edit(SetSequenceLength(7))
    user.settle()
    user.press(K.Key_Home)
    assert user.bench.history.n_steps == 0
    user.press(K.Key_End)
    assert user.bench.scene.n_positions == 7


@pytest.mark.gesture("Tables of numbers", "Ctrl+C")
def test_copy_numbers(user):
    user.open(LESSON, user.window.docks.entropy)
    table = user.find("entropyTable")
    table.setFocus()
    table.setCurrentIndex(table.model().index(1, 1))
    user.press((CONTROL, K.Key_C))
    weights = user.bench.frame.result.heads[0].weights[1, :2]
    bits = -float(np.sum(weights * np.log2(weights)))
    copied = QGuiApplication.clipboard().text().split()[1]  # the whole row, log2 t first
    assert float(copied) == pytest.approx(bits, rel=1e-12)


@pytest.mark.qt_log_ignore("This plugin does not support grabbing the")
@pytest.mark.gesture("Docks with numbers", "Right click, Shift+F10")
def test_ask_what_can_be_copied(user):
    user.open(LESSON, user.window.docks.entropy)
    table = user.find("entropyTable")
    table.setFocus()
    place = table.viewport().mapTo(user.window, table.viewport().rect().center())

    def offered():
        menu = QApplication.activePopupWidget()
        texts = [action.text() for action in menu.actions()]
        menu.close()
        user.settle()
        return texts

    QTest.mouseClick(user.window.windowHandle(), RIGHT, NONE, place)
    by_mouse = offered()
    user.press((SHIFT, K.Key_F10))
    assert by_mouse == offered()
    assert by_mouse[0] == "Copy &figure"


@pytest.mark.qt_log_ignore("This plugin does not support grabbing the mouse")
@pytest.mark.gesture("Titles of docks", "Drag")
def test_drag_a_dock(user):
    dock = user.window.docks.rank
    user.open(LESSON, dock)
    title = dock.titleBarWidget()
    user.drag(title, title.rect().center(), title.rect().center() + QPoint(-300, 200))
    assert dock.isFloating()
    dock.setFloating(False)
    user.settle()
    for dock in user.window.docks.all:
        assert dock.features() & dock.DockWidgetFeature.DockWidgetMovable
        assert dock.allowedAreas() == Qt.DockWidgetArea.AllDockWidgetAreas


@pytest.mark.gesture("Titles of docks", "Double click")
def test_float_a_dock(user):
    dock = user.window.docks.rank
    user.open(LESSON, dock)
    title = dock.titleBarWidget()
    QTest.mouseDClick(title, LEFT, NONE, QPoint(60, title.height() // 2))
    user.settle()
    assert dock.isFloating()
    dock.setFloating(False)
    user.settle()
