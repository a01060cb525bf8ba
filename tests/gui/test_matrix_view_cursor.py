"""The widget behind every heatmap: its cursor, and what mouse and keyboard make it say."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from mhagui.gui.formulas import Formula
from mhagui.gui.theme import ThemeChoice, apply_theme
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.palette import contrast, diverging_table

LEFT = Qt.MouseButton.LeftButton
KEY = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def shown(shown_matrix):
    return shown_matrix


@pytest.fixture
def painted():
    """The regions of all paint events of watched widgets."""

    class Watcher(QObject):
        def __init__(self):
            super().__init__()
            self.regions = []

        def eventFilter(self, _watched, event):  # noqa: N802 - Qt's name
            if event.type() == QEvent.Type.Paint:
                self.regions.append(event.region())
            return False

    return Watcher()


def inside(view, row, column, pixels):
    """The colour of a cell just inside its upper left corner, clear of lines and of its value."""
    box = view.cell_rect(row, column)
    return tuple(int(channel) for channel in pixels[box.top() + 3, box.left() + 3])


# --- the cursor


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
@pytest.mark.parametrize("level", [0, 40, 80, 127, 170, 200, 225, 254])
def test_cursor_stands_out_on_every_colour(qapp, shown, grabbed, level, theme):
    apply_theme(theme)
    view = shown(np.full((5, 5), level), table=diverging_table())
    before = grabbed(view)
    view.set_cursor_cell(2, 2)
    after = grabbed(view)
    cell, ground = view.cell_rect(2, 2), inside(view, 2, 2, before)
    for column in (2, 4):  # beside the cell, and beside the row alone
        box = view.cell_rect(2, column)
        strip = np.s_[box.top() - 3 : box.top() + 2, box.center().x()]
        changed = (after[strip] != before[strip]).any(axis=1)
        drawn = [tuple(map(int, colour)) for colour in after[strip][changed]]
        # The best that red and white can do on the colour halfway between them.
        assert max(contrast(colour, ground) for colour in drawn) >= 2.2
    assert inside(view, 2, 2, after) == ground
    assert (after[cell.bottom() + 6 :] == before[cell.bottom() + 6 :]).all()


def test_cursor_repaints_only_around_its_rows(shown, painted, qtbot):
    view = shown(np.zeros((6, 6)))
    view.set_cursor_cell(1, 1)
    view.installEventFilter(painted)
    view.update()
    qtbot.waitUntil(lambda: bool(painted.regions))
    painted.regions.clear()
    view.set_cursor_cell(2, 4)
    qtbot.waitUntil(lambda: bool(painted.regions))
    height = sum(region.boundingRect().height() for region in painted.regions)
    assert height < 3 * view.cell_rect(0, 0).height()


def test_the_same_picture_again_repaints_nothing(shown, painted, qtbot):
    view = shown(np.zeros((6, 6)))
    view.installEventFilter(painted)
    view.update()
    qtbot.waitUntil(lambda: bool(painted.regions))
    painted.regions.clear()
    view.set_picture(view.picture)
    view.set_cursor_cell(None, None)
    view.update(0, 0, 1, 1)  # all that was asked for is painted with this
    qtbot.waitUntil(lambda: bool(painted.regions))
    assert [region.boundingRect() for region in painted.regions] == [QRect(0, 0, 1, 1)]


def test_cursor_outside_a_smaller_picture_is_not_drawn(shown, grabbed):
    view = shown(np.zeros((6, 6)))
    view.set_cursor_cell(5, 5)
    view.set_picture(shown(np.zeros((2, 2))).picture)
    with_cursor = grabbed(view)
    view.set_cursor_cell(None, None)
    assert (grabbed(view) == with_cursor).all()


def test_description_follows_the_cursor(shown):
    values = np.array([[1.0, 0.0], [0.0766, 0.92332]])
    seen = np.array([1, 2])
    view = shown(np.zeros((2, 2)), values=values, seen=seen, noun="weight")
    view.set_cursor_cell(1, 1)
    assert view.accessibleDescription() == "row t2, column t2, weight 0.9233"
    view.set_cursor_cell(0, 1)
    assert view.accessibleDescription() == "row t1, column t2, masked"


def test_focus_can_be_seen(shown, grabbed, qtbot):
    view = shown(np.zeros((3, 3)))
    view.clearFocus()
    without = grabbed(view)
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    corner = np.s_[0:3, 100:200]
    assert (grabbed(view)[corner] != without[corner]).any()


# --- mouse and keyboard


def test_hover_points_once_per_cell(shown, qtbot):
    view = shown(np.zeros((4, 5)))
    pointed = []
    view.pointed.connect(lambda row, column: pointed.append((row, column)))
    first, second = view.cell_rect(1, 3).center(), view.cell_rect(2, 3).center()
    for where in (first, first + QPoint(2, 1), second, QPoint(1, 1), second):
        qtbot.mouseMove(view, where)
    assert pointed == [(1, 3), (2, 3), (2, 3)]


def test_click_points(shown, qtbot):
    view = shown(np.zeros((4, 4)))
    with qtbot.waitSignal(view.pointed) as pointed:
        qtbot.mouseClick(view, LEFT, pos=view.cell_rect(3, 2).center())
    assert pointed.args == [3, 2]


def test_double_click_activates_a_cell_and_nothing_beside_it(shown, qtbot):
    view = shown(np.zeros((4, 4)))
    with qtbot.waitSignal(view.activated) as activated:
        qtbot.mouseDClick(view, LEFT, pos=view.cell_rect(3, 2).center())
    assert activated.args == [3, 2]
    with qtbot.assertNotEmitted(view.activated):
        qtbot.mouseDClick(view, LEFT, pos=QPoint(2, 2))


@pytest.mark.parametrize(
    ("key", "modifier", "target"),
    [
        (KEY.Key_Left, None, (7, 4)),
        (KEY.Key_Right, None, (7, 6)),
        (KEY.Key_Up, None, (6, 5)),
        (KEY.Key_Down, None, (8, 5)),
        (KEY.Key_Home, None, (7, 0)),
        (KEY.Key_End, None, (7, 29)),
        (KEY.Key_PageUp, None, (0, 5)),
        (KEY.Key_PageDown, None, (17, 5)),
        (KEY.Key_Left, CTRL, (7, 0)),
        (KEY.Key_Right, CTRL, (7, 29)),
        (KEY.Key_Up, CTRL, (0, 5)),
        (KEY.Key_Down, CTRL, (19, 5)),
        (KEY.Key_Home, CTRL, (0, 0)),
        (KEY.Key_End, CTRL, (19, 29)),
    ],
)
def test_keys_move_the_cursor(shown, qtbot, key, modifier, target):
    view = shown(np.zeros((20, 30)))
    view.set_cursor_cell(7, 5)
    with qtbot.waitSignal(view.pointed) as pointed:
        qtbot.keyClick(view, key, modifier or Qt.KeyboardModifier.NoModifier)
    assert tuple(pointed.args) == target


def test_keys_stop_at_the_edge(shown, qtbot):
    view = shown(np.zeros((2, 2)))
    view.set_cursor_cell(0, 0)
    for key in (KEY.Key_Up, KEY.Key_Left):
        with qtbot.waitSignal(view.pointed) as pointed:
            qtbot.keyClick(view, key)
        assert pointed.args == [0, 0]


def test_the_cursor_is_where_it_is_told_to_be(shown, qtbot):
    view = shown(np.zeros((9, 9)))
    view.set_cursor_cell(3, None)
    with qtbot.waitSignal(view.pointed) as pointed:
        qtbot.keyClick(view, KEY.Key_Right)
    assert pointed.args == [3, 1]
    assert view.cursor_cell == (3, None)


def tip_at(view, spot):
    """Let the pointer rest at ``spot``; return the tooltip, and where on the screen it is."""
    event = QHelpEvent(QEvent.Type.ToolTip, spot, view.mapToGlobal(spot))
    QApplication.sendEvent(view, event)
    (label,) = (w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel"))
    return QToolTip.text(), label.geometry()


@pytest.mark.parametrize("at_the_bottom", [False, True])
def test_a_tooltip_covers_no_cell(shown, qtbot, at_the_bottom):
    view = shown(np.zeros((4, 4)))
    view.setToolTip("what it is")
    view.setAccessibleName("Weights A of head 1")
    if at_the_bottom:
        view.move(0, view.screen().geometry().bottom() - view.height())
    put_above(view, Formula.WEIGHTS)
    tip, box = tip_at(view, view.cell_rect(2, 1).center())
    assert "Weights A of head 1, row t3, column t2: value 0" in tip
    cells = QRect(view.mapToGlobal(QPoint(0, 0)), view.size())
    assert not box.intersects(cells)
    assert view.screen().geometry().contains(box)
    tip, _ = tip_at(view, QPoint(2, 2))
    assert "what it is" in tip
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


@pytest.mark.parametrize("key", [KEY.Key_Return, KEY.Key_Enter])
def test_enter_asks_about_the_cursor_cell_and_activates_it_with_shift(shown, qtbot, key):
    view = shown(np.zeros((4, 4)))
    view.set_cursor_cell(2, 1)
    with qtbot.waitSignal(view.asked) as asked, qtbot.assertNotEmitted(view.activated):
        qtbot.keyClick(view, key)
    assert asked.args == [2, 1]
    with qtbot.waitSignal(view.activated) as activated, qtbot.assertNotEmitted(view.asked):
        qtbot.keyClick(view, key, Qt.KeyboardModifier.ShiftModifier)
    assert activated.args == [2, 1]


@pytest.fixture
def quick_clicks():
    """A short time in which a click can become a double click, in milliseconds."""
    usual = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(30)
    yield 30
    QApplication.setDoubleClickInterval(usual)


def test_a_click_asks_about_its_cell(shown, qtbot, quick_clicks):
    view = shown(np.zeros((4, 4)))
    with qtbot.waitSignal(view.asked) as asked:
        qtbot.mouseClick(view, LEFT, pos=view.cell_rect(3, 1).center())
    assert asked.args == [3, 1]


def test_what_is_no_click_on_a_cell_asks_nothing(shown, qtbot, quick_clicks):
    view = shown(np.zeros((4, 4)))
    one, other = view.cell_rect(3, 1).center(), view.cell_rect(2, 1).center()
    with qtbot.assertNotEmitted(view.asked, wait=2 * quick_clicks):
        qtbot.mousePress(view, LEFT, pos=one)
        qtbot.mouseMove(view, other)
        qtbot.mouseRelease(view, LEFT, pos=other)
        qtbot.mouseClick(view, Qt.MouseButton.RightButton, pos=one)
        qtbot.mouseClick(view, LEFT, pos=QPoint(2, 2))


def test_a_double_click_does_not_ask_as_well(shown, qtbot, quick_clicks):
    view = shown(np.zeros((4, 4)))
    spot = view.cell_rect(3, 1).center()
    with qtbot.assertNotEmitted(view.asked, wait=2 * quick_clicks):
        qtbot.mouseClick(view, LEFT, pos=spot)
        qtbot.mouseDClick(view, LEFT, pos=spot)


def test_a_single_cell_works(shown, grabbed, qtbot):
    view = shown([[77]])
    view.set_cursor_cell(0, 0)
    assert inside(view, 0, 0, grabbed(view)) == (77, 77, 77)
    with qtbot.waitSignal(view.pointed) as pointed:
        qtbot.keyClick(view, KEY.Key_End, CTRL)
    assert pointed.args == [0, 0]
