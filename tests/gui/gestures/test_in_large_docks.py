"""What the window of shortcuts says of heatmaps, pipeline, tokens and heads is true."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from mhagui.document import load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.gui.gestures import GESTURES

K, LEFT = Qt.Key, Qt.MouseButton.LeftButton
NONE, CONTROL, SHIFT, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
LESSON = load_lesson("four-heads")
WORDS = load_lesson("content-position")
LARGE = ("Heatmaps", "Pipeline", "Tokens", "Heads")  # all others: test_in_small_parts.py
MINE = [each for each in GESTURES if each.where in LARGE]
CHECKS = {}


def holds(where, keys):
    """Say of which line of the table a check is."""

    def keep(check):
        assert (where, keys) not in CHECKS
        CHECKS[where, keys] = check
        return check

    return keep


@pytest.mark.parametrize("gesture", MINE, ids=lambda each: f"{each.where}: {each.keys}")
def test_every_gesture_does_what_the_table_says(user, gesture):
    CHECKS[gesture.where, gesture.keys](user)


def test_the_table_and_the_checks_are_of_the_same_gestures():
    assert list(CHECKS) == [(each.where, each.keys) for each in MINE]


def heatmap(user, scene=LESSON, cursor=(3, 1)):
    user.open(scene, user.window.docks.heatmaps)
    user.bench.point(head=1, query=cursor[0], key=cursor[1])
    user.settle()
    user.find("heatmap1").setFocus()
    return user.find("heatmap1")


@holds("Heatmaps", "← → ↑ ↓")
def arrows(user):
    heatmap(user)
    user.press(K.Key_Right, K.Key_Down)
    assert user.cursor == (5, 3)
    user.press(K.Key_Left, K.Key_Left, K.Key_Up)
    assert user.cursor == (4, 1)


@holds("Heatmaps", "Ctrl+arrow")
def to_the_edge(user):
    heatmap(user)
    user.press((CONTROL, K.Key_Right), (CONTROL, K.Key_Down))
    assert user.cursor == (6, 6)
    user.press((CONTROL, K.Key_Left), (CONTROL, K.Key_Up))
    assert user.cursor == (1, 1)


@holds("Heatmaps", "Home, End")
def ends_of_the_row(user):
    heatmap(user)
    user.press(K.Key_End)
    assert user.cursor == (4, 6)
    user.press(K.Key_Home)
    assert user.cursor == (4, 1)


@holds("Heatmaps", "Ctrl+Home, Ctrl+End")
def corners(user):
    heatmap(user)
    user.press((CONTROL, K.Key_End))
    assert user.cursor == (6, 6)
    user.press((CONTROL, K.Key_Home))
    assert user.cursor == (1, 1)


@holds("Heatmaps", "Page Up, Page Down")
def pages(user):
    heatmap(user, SetSequenceLength(30).apply(LESSON))
    user.press(K.Key_PageDown)
    assert user.cursor == (14, 2)
    user.press(K.Key_PageDown, K.Key_PageUp)
    assert user.cursor == (14, 2)


def cell_of(view):
    """Return a place inside the first cell of ``view``."""
    for x in range(view.width()):
        if view.cell_at(QPointF(x, view.height() / 2)) is not None:
            return QPoint(x + 3, view.height() // 2)
    raise AssertionError(view)


@holds("Heatmaps", "Enter, click")
def arithmetic(user):
    view, cell = heatmap(user), user.window.docks.cell
    user.press(K.Key_Return)
    assert cell.isVisible()
    cell.hide()
    interval = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(20)
    try:
        user.click(view, cell_of(view))
        user.qtbot.waitUntil(cell.isVisible)
    finally:
        QApplication.setDoubleClickInterval(interval)


@holds("Heatmaps", "Shift+Enter, double click")
def alone(user):
    view = heatmap(user)
    user.press((SHIFT, K.Key_Return))
    assert user.bench.view.enlarged == 1
    user.press((SHIFT, K.Key_Return))
    assert user.bench.view.enlarged is None
    QTest.mouseDClick(view, LEFT, NONE, cell_of(view))
    assert user.bench.view.enlarged == 1


@holds("Heatmaps", "Esc")
def all_again(user):
    heatmap(user)
    user.press((SHIFT, K.Key_Return), K.Key_Escape)
    assert user.bench.view.enlarged is None


def pipeline(user):
    user.open(LESSON, user.window.docks.pipeline)
    user.bench.look(stage=3)
    user.bench.point(query=3, key=1)
    user.settle()
    return user.window.docks.pipeline


@holds("Pipeline", "← →, Page Up, Page Down")
def stages(user):
    pipeline(user)
    for key, stage in ((K.Key_Right, 4), (K.Key_Left, 3), (K.Key_PageDown, 4), (K.Key_PageUp, 3)):
        user.press(key)
        assert user.bench.view.stage == stage


@holds("Pipeline", "Home, End")
def first_and_last_stage(user):
    pipeline(user)
    user.press(K.Key_End)
    assert user.bench.view.stage == 7
    user.press(K.Key_Home)
    assert user.bench.view.stage == 0


@holds("Pipeline", "Space")
def play(user):
    dock = pipeline(user)
    user.press(K.Key_Space)
    assert dock.timer.isActive()
    user.press(K.Key_Space)
    assert not dock.timer.isActive()


@holds("Pipeline", "Shift+arrow")
def cursor_in_the_pipeline(user):
    pipeline(user)
    user.press((SHIFT, K.Key_Right), (SHIFT, K.Key_Down))
    assert user.cursor == (5, 3)


@holds("Pipeline", "Enter, click")
def arithmetic_in_the_pipeline(user):
    pipeline(user)
    user.press(K.Key_Return)
    assert user.window.docks.cell.isVisible()


def tokens(user):
    user.open(WORDS, user.window.docks.tokens)
    user.bench.point(query=2, key=0)
    user.settle()
    strip = user.find("tokenStrip")
    strip.setFocus()
    return strip


def chip(strip, place):
    return strip.chip(place).center().toPoint()


@holds("Tokens", "← →, click")
def row_of_tokens(user):
    strip = tokens(user)
    user.press(K.Key_Right, K.Key_Right, K.Key_Left)
    assert user.cursor == (4, 1)
    user.click(strip, chip(strip, 1))
    assert user.cursor == (2, 1)


@holds("Tokens", "Shift+← →, Shift+click")
def key_of_tokens(user):
    strip = tokens(user)
    user.press((SHIFT, K.Key_Right))
    assert user.cursor == (3, 2)
    user.click(strip, chip(strip, 3), SHIFT)
    assert user.cursor == (3, 4)


@holds("Tokens", "Home, End")
def ends_of_the_tokens(user):
    tokens(user)
    user.press(K.Key_End)
    assert user.cursor == (WORDS.n_positions, 1)
    user.press(K.Key_Home)
    assert user.cursor == (1, 1)


def words(user):
    return user.bench.scene.tokens


@holds("Tokens", "S, drag onto a token")
def swap(user):
    strip, (a, b, c, *rest) = tokens(user), WORDS.tokens
    user.press(K.Key_S)
    assert words(user) == (c, b, a, *rest)
    user.bench.undo()
    user.settle()
    user.drag(strip, chip(strip, 0), chip(strip, 2))
    assert words(user) == (c, b, a, *rest)


@holds("Tokens", "Ctrl+Shift+← →, drag between tokens")
def move(user):
    strip, (a, b, c, *rest) = tokens(user), WORDS.tokens
    user.press((CONTROL, SHIFT, K.Key_Left))
    assert words(user) == (a, c, b, *rest)
    user.bench.undo()
    user.settle()
    left = strip.chip(1).left()
    user.drag(strip, chip(strip, 2), QPoint(round(left), chip(strip, 1).y()))
    assert words(user) == (a, c, b, *rest)


@holds("Tokens", "R, Ctrl+drag")
def repeat(user):
    strip, (a, b, _, *rest) = tokens(user), WORDS.tokens
    user.press(K.Key_R)
    assert words(user) == (a, b, a, *rest)
    user.bench.undo()
    user.settle()
    user.drag(strip, chip(strip, 0), chip(strip, 2), modifiers=CONTROL)
    assert words(user) == (a, b, a, *rest)


@holds("Tokens", "Esc")
def let_go(user):
    strip = tokens(user)
    QTest.mousePress(strip, LEFT, NONE, chip(strip, 0))
    user.move(strip, chip(strip, 2), LEFT, NONE)
    user.settle()
    assert words(user) != WORDS.tokens
    user.press(K.Key_Escape, to=strip)
    assert words(user) == WORDS.tokens
    QTest.mouseRelease(strip, LEFT, NONE, chip(strip, 2))
    assert words(user) == WORDS.tokens


def heads(user):
    user.open(LESSON, user.window.docks.heads)
    user.bench.point(head=1)
    user.settle()


@holds("Heads", "Space, click")
def point_at_a_head(user):
    heads(user)
    user.find("headCard3").setFocus()
    user.press(K.Key_Space)
    assert user.bench.view.cursor.head == 3
    user.click(user.find("headCard2"), QPoint(12, 12))
    assert user.bench.view.cursor.head == 2


@holds("Heads", "↑ ↓")
def from_card_to_card(user):
    heads(user)
    user.find("headCard2").setFocus()
    user.press(K.Key_Down)
    assert user.find("headCard3").hasFocus()
    user.press(K.Key_Up)
    assert user.find("headCard2").hasFocus()


@holds("Heads", "Alt+↑, Alt+↓")
def move_a_head(user):
    heads(user)
    user.find("headCard1").setFocus()
    user.press((ALT, K.Key_Down))
    assert [head.uid for head in user.bench.scene.heads] == [2, 1, 3, 4]
    user.press((ALT, K.Key_Up))
    assert [head.uid for head in user.bench.scene.heads] == [1, 2, 3, 4]
