"""What the window of shortcuts says of heatmaps, pipeline, tokens and heads is true."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from mhagui.document import Window, load_lesson
from mhagui.document.edits import SetSequenceLength

K, LEFT = Qt.Key, Qt.MouseButton.LeftButton
NONE, CONTROL, SHIFT, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
LESSON = load_lesson("four-heads")
WORDS = load_lesson("content-position")


def heatmap(user, scene=LESSON, cursor=(3, 1)):
    user.open(scene, user.window.docks.heatmaps)
    user.bench.point(head=1, query=cursor[0], key=cursor[1])
    user.settle()
    user.find("heatmap1").setFocus()
    return user.find("heatmap1")


@pytest.mark.gesture("Heatmaps", "← → ↑ ↓")
def test_arrows(user):
    heatmap(user)
    user.press(K.Key_Right, K.Key_Down)
    assert user.cursor == (5, 3)
    user.press(K.Key_Left, K.Key_Left, K.Key_Up)
    assert user.cursor == (4, 1)


@pytest.mark.gesture("Heatmaps", "Ctrl+arrow")
def test_to_the_edge(user):
    heatmap(user)
    user.press((CONTROL, K.Key_Right), (CONTROL, K.Key_Down))
    assert user.cursor == (6, 6)
    user.press((CONTROL, K.Key_Left), (CONTROL, K.Key_Up))
    assert user.cursor == (1, 1)


@pytest.mark.gesture("Heatmaps", "Home, End")
def test_ends_of_the_row(user):
    heatmap(user)
    user.press(K.Key_End)
    assert user.cursor == (4, 6)
    user.press(K.Key_Home)
    assert user.cursor == (4, 1)


@pytest.mark.gesture("Heatmaps", "Ctrl+Home, Ctrl+End")
def test_corners(user):
    heatmap(user)
    user.press((CONTROL, K.Key_End))
    assert user.cursor == (6, 6)
    user.press((CONTROL, K.Key_Home))
    assert user.cursor == (1, 1)


@pytest.mark.gesture("Heatmaps", "Page Up, Page Down")
def test_pages(user):
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


@pytest.mark.gesture("Heatmaps", "Enter, click")
def test_arithmetic(user):
    view, cell = heatmap(user), user.window.docks.cell
    user.press(K.Key_Return)
    assert cell.isVisible()
    cell.hide()
    user.click(view, cell_of(view))
    user.qtbot.waitUntil(cell.isVisible)


@pytest.mark.gesture("Heatmaps", "Shift+Enter, double click")
def test_alone(user):
    view = heatmap(user)
    user.press((SHIFT, K.Key_Return))
    assert user.bench.view.enlarged == 1
    user.press((SHIFT, K.Key_Return))
    assert user.bench.view.enlarged is None
    QTest.mouseDClick(view, LEFT, NONE, cell_of(view))
    assert user.bench.view.enlarged == 1


@pytest.mark.gesture("Heatmaps", "Esc")
def test_all_again(user):
    heatmap(user)
    user.press((SHIFT, K.Key_Return), K.Key_Escape)
    assert user.bench.view.enlarged is None


@pytest.mark.gesture("Heatmaps", "+, -, Ctrl+wheel")
def test_larger_cells(user):
    view = heatmap(user, SetSequenceLength(64).apply(LESSON))
    user.press(K.Key_Plus)
    assert user.bench.view.window.count == 32
    user.press(K.Key_Minus)
    assert user.bench.view.window is None
    user.wheel(view, 2, cell_of(view), CONTROL)
    assert user.bench.view.window.count == 32
    user.wheel(view, -2, cell_of(view), CONTROL)
    assert user.bench.view.window is None


@pytest.mark.gesture("Heatmaps", "Shift+drag, middle drag")
def test_part_that_is_shown(user):
    view = heatmap(user, SetSequenceLength(64).apply(LESSON), cursor=(31, 31))
    user.press(K.Key_Plus, K.Key_Plus)
    before = user.bench.view.window
    begin, cell = view.cell_rect(before.query + 8, before.key + 8).center(), view.cell_rect(31, 31)
    way = QPoint(3 * cell.width(), -2 * cell.height())
    user.drag(view, begin, begin + way, modifiers=SHIFT)
    assert user.bench.view.window == Window(before.query + 2, before.key - 3, 16)
    user.drag(view, begin, begin - way, button=Qt.MouseButton.MiddleButton)
    assert user.bench.view.window == before
    assert user.cursor == (32, 32)


@pytest.mark.gesture("Heatmaps", "0")
def test_all_cells_again(user):
    heatmap(user, SetSequenceLength(64).apply(LESSON))
    user.press(K.Key_Plus, K.Key_0)
    assert user.bench.view.window is None


def pipeline(user):
    user.open(LESSON, user.window.docks.pipeline)
    user.bench.look(stage=3)
    user.bench.point(query=3, key=1)
    user.settle()
    return user.window.docks.pipeline


@pytest.mark.gesture("Pipeline", "← →, Page Up, Page Down")
def test_stages(user):
    pipeline(user)
    for key, stage in ((K.Key_Right, 4), (K.Key_Left, 3), (K.Key_PageDown, 4), (K.Key_PageUp, 3)):
        user.press(key)
        assert user.bench.view.stage == stage


@pytest.mark.gesture("Pipeline", "Home, End")
def test_first_and_last_stage(user):
    pipeline(user)
    user.press(K.Key_End)
    assert user.bench.view.stage == 7
    user.press(K.Key_Home)
    assert user.bench.view.stage == 0


@pytest.mark.gesture("Pipeline", "Space")
def test_play(user):
    dock = pipeline(user)
    user.press(K.Key_Space)
    assert dock.timer.isActive()
    user.press(K.Key_Space)
    assert not dock.timer.isActive()


@pytest.mark.gesture("Pipeline", "Shift+arrow")
def test_cursor_in_the_pipeline(user):
    pipeline(user)
    user.press((SHIFT, K.Key_Right), (SHIFT, K.Key_Down))
    assert user.cursor == (5, 3)


@pytest.mark.gesture("Pipeline", "Enter, click")
def test_arithmetic_in_the_pipeline(user):
    dock = pipeline(user)
    user.press(K.Key_Return)
    cell = user.window.docks.cell
    assert cell.isVisible()
    cell.hide()
    product = [view for view in dock.row.views if view.isVisible()][-1]
    user.click(product, product.cell_rect(1, 0).center())
    user.qtbot.waitUntil(cell.isVisible)
    assert user.cursor == (2, 1)


def tokens(user):
    user.open(WORDS, user.window.docks.tokens)
    user.bench.point(query=2, key=0)
    user.settle()
    strip = user.find("tokenStrip")
    strip.setFocus()
    return strip


def chip(strip, place):
    return strip.chip(place).center().toPoint()


@pytest.mark.gesture("Tokens", "← →, click")
def test_row_of_tokens(user):
    strip = tokens(user)
    user.press(K.Key_Right, K.Key_Right, K.Key_Left)
    assert user.cursor == (4, 1)
    user.click(strip, chip(strip, 1))
    assert user.cursor == (2, 1)


@pytest.mark.gesture("Tokens", "Shift+← →, Shift+click")
def test_key_of_tokens(user):
    strip = tokens(user)
    user.press((SHIFT, K.Key_Right))
    assert user.cursor == (3, 2)
    user.click(strip, chip(strip, 3), SHIFT)
    assert user.cursor == (3, 4)


@pytest.mark.gesture("Tokens", "Home, End")
def test_ends_of_the_tokens(user):
    tokens(user)
    user.press(K.Key_End)
    assert user.cursor == (WORDS.n_positions, 1)
    user.press(K.Key_Home)
    assert user.cursor == (1, 1)


def words(user):
    return user.bench.scene.tokens


@pytest.mark.gesture("Tokens", "S, drag onto a token")
def test_swap(user):
    strip, (a, b, c, *rest) = tokens(user), WORDS.tokens
    user.press(K.Key_S)
    assert words(user) == (c, b, a, *rest)
    user.bench.undo()
    user.settle()
    user.drag(strip, chip(strip, 0), chip(strip, 2))
    assert words(user) == (c, b, a, *rest)


@pytest.mark.gesture("Tokens", "Ctrl+Shift+← →, drag between tokens")
def test_move(user):
    strip, (a, b, c, *rest) = tokens(user), WORDS.tokens
    user.press((CONTROL, SHIFT, K.Key_Left))
    assert words(user) == (a, c, b, *rest)
    user.bench.undo()
    user.settle()
    left = strip.chip(1).left()
    user.drag(strip, chip(strip, 2), QPoint(round(left), chip(strip, 1).y()))
    assert words(user) == (a, c, b, *rest)


@pytest.mark.gesture("Tokens", "R, Ctrl+drag")
def test_repeat(user):
    strip, (a, b, _, *rest) = tokens(user), WORDS.tokens
    user.press(K.Key_R)
    assert words(user) == (a, b, a, *rest)
    user.bench.undo()
    user.settle()
    user.drag(strip, chip(strip, 0), chip(strip, 2), modifiers=CONTROL)
    assert words(user) == (a, b, a, *rest)


@pytest.mark.gesture("Tokens", "Esc")
def test_let_go(user):
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


@pytest.mark.gesture("Heads", "Space, click")
def test_point_at_a_head(user):
    heads(user)
    user.find("headCard3").setFocus()
    user.press(K.Key_Space)
    assert user.bench.view.cursor.head == 3
    user.click(user.find("headCard2"), QPoint(12, 12))
    assert user.bench.view.cursor.head == 2


@pytest.mark.gesture("Heads", "↑ ↓")
def test_from_card_to_card(user):
    heads(user)
    user.find("headCard2").setFocus()
    user.press(K.Key_Down)
    assert user.find("headCard3").hasFocus()
    user.press(K.Key_Up)
    assert user.find("headCard2").hasFocus()


@pytest.mark.gesture("Heads", "Alt+↑, Alt+↓")
def test_move_a_head(user):
    heads(user)
    user.find("headCard1").setFocus()
    user.press((ALT, K.Key_Down))
    assert [head.uid for head in user.bench.scene.heads] == [2, 1, 3, 4]
    user.press((ALT, K.Key_Up))
    assert [head.uid for head in user.bench.scene.heads] == [1, 2, 3, 4]
