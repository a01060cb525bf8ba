"""The gain's slider and box, under the mouse, the wheel and the keyboard."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSlider

from mhagui.document import load_lesson
from mhagui.document.edits import OpenScene
from mhagui.gui.widgets.gain_control import GainControl

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def control(qtbot):
    control = GainControl()
    control.describe("Gain of h1", "what it does")
    control.resize(400, 30)
    control.show_gain(1.0)
    qtbot.addWidget(control)
    with qtbot.waitExposed(control):
        control.show()
    return control


@pytest.fixture
def edits(control):
    """What the control asked for: (gain, gesture) pairs."""
    edits = []
    control.edited.connect(lambda gain, gesture: edits.append((gain, gesture)))
    return edits


def drag(qtbot, slider, start, *stops):
    qtbot.mousePress(slider, LEFT, pos=start)
    for stop in stops:
        qtbot.mouseMove(slider, stop)
    qtbot.mouseRelease(slider, LEFT, pos=stops[-1])


def test_ends_of_the_slider_are_0_and_4(control, edits, qtbot, at):
    slider = control.slider
    drag(qtbot, slider, at(slider, 1), QPoint(slider.width() + 50, 5), QPoint(-50, 5))
    assert [gain for gain, _ in edits] == [4.0, 0.0]


def test_drag_follows_the_pointer_from_wherever_the_handle_is_taken(control, edits, qtbot, at):
    slider = control.slider
    off_centre = at(slider, 1) + QPoint(4, 2)
    drag(qtbot, slider, off_centre, at(slider, 2.5) + QPoint(4, 0))
    ((gain, _),) = edits
    assert gain == pytest.approx(2.5, abs=0.02)


def test_press_on_the_handle_alone_changes_nothing(control, edits, qtbot, handle):
    control.show_gain(1 / 3)
    qtbot.mouseClick(control.slider, LEFT, pos=handle(control.slider).center())
    assert edits == []


def test_press_on_the_groove_goes_where_it_points(control, edits, qtbot, at):
    qtbot.mouseClick(control.slider, LEFT, pos=at(control.slider, 3))
    ((gain, gesture),) = edits
    assert gain == pytest.approx(3, abs=0.02)
    assert gesture is not None


def test_one_drag_is_one_gesture_and_two_drags_are_two(control, edits, qtbot, at):
    slider = control.slider
    for _ in range(2):
        drag(qtbot, slider, at(slider, 1), at(slider, 2), at(slider, 3))
        control.show_gain(1.0)
    gestures = [gesture for _, gesture in edits]
    assert gestures[0] is gestures[1]
    assert gestures[2] is gestures[3]
    assert gestures[0] is not gestures[2]
    assert None not in gestures


def test_a_drag_ends_where_somebody_else_changes_the_gain(control, edits, qtbot, at):
    slider = control.slider
    qtbot.mousePress(slider, LEFT, pos=at(slider, 1))
    qtbot.mouseMove(slider, at(slider, 2))
    control.show_gain(edits[-1][0])  # the drag's own gain: it goes on
    qtbot.mouseMove(slider, at(slider, 3))
    assert len(edits) == 2
    control.show_gain(0.5)
    qtbot.mouseMove(slider, at(slider, 2))
    assert (len(edits), slider.value()) == (2, 50)


@pytest.mark.parametrize("offset", [-3, -1, 0, 2, 3])
def test_drag_snaps_to_exactly_1_nearby(control, edits, qtbot, offset, at):
    slider = control.slider
    control.show_gain(2.0)
    drag(qtbot, slider, at(slider, 2), at(slider, 1) + QPoint(offset, 0))
    assert edits[-1][0] == 1.0


def test_drag_leaves_the_detent(control, edits, qtbot, at):
    slider = control.slider
    drag(qtbot, slider, at(slider, 1), at(slider, 1) + QPoint(8, 0))
    assert 1.0 < edits[-1][0] < 1.2


def test_arrows_pass_the_detent_in_steps_of_5_hundredths(control, edits, qtbot):
    control.show_gain(0.95)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_PageUp):
        qtbot.keyClick(control.slider, key)
    assert edits == [(1.0, None), (1.05, None), (1.0, None), (1.5, None)]


def test_wheel_turns_the_slider_without_the_focus(control, edits, wheel):
    control.box.setFocus()
    wheel(control.slider, 120)
    wheel(control.slider, -240)
    assert edits == [(1.05, None), (0.95, None)]


def test_parts_of_a_notch_add_up(control, edits, wheel):
    for _ in range(10):
        wheel(control.slider, 12)  # ten times a tenth of a notch
    assert edits[-1] == (1.05, None)
    assert len(edits) == 5  # in hundredths


def test_double_click_asks_for_exactly_1_in_the_gesture_of_its_first_click(
    control, edits, qtbot, at
):
    slider = control.slider
    control.show_gain(1.004)  # the slider is at 1 already, the gain is not
    qtbot.mouseDClick(slider, LEFT, pos=at(slider, 3))
    assert edits[-1][0] == 1.0
    edits.clear()
    qtbot.mouseClick(slider, LEFT, pos=at(slider, 2))
    qtbot.mouseDClick(slider, LEFT, pos=at(slider, 2))
    assert edits[0][1] is edits[-1][1] is not None


@pytest.mark.parametrize(("gain", "end"), [(1e6, 4.0), (-3.0, 0.0), (1e100, 4.0)])
def test_gain_beyond_the_slider_leaves_it_at_its_end(control, edits, qtbot, gain, end, at, wheel):
    control.show_gain(gain)
    slider = control.slider
    qtbot.mouseClick(slider, LEFT, pos=at(slider, end))
    qtbot.keyClick(slider, Qt.Key.Key_Right if end else Qt.Key.Key_Left)
    wheel(slider, 120 if end else -120)
    assert slider.value() == end * 100
    assert control.box.value() == gain
    assert edits == []


def test_shown_gain_is_silent(control, edits):
    control.show_gain(2.5)
    assert edits == []
    assert control.slider.value() == 250
    assert control.box.value() == 2.5


def test_typed_gain_is_no_drag(control, edits, qtbot):
    control.box.setFocus()
    control.box.selectAll()
    qtbot.keyClicks(control.box, "2,5")
    qtbot.keyClick(control.box, Qt.Key.Key_Return)
    assert edits == [(2.5, None)]


def test_slider_is_greyed_where_no_gain_acts_but_the_box_stays(control):
    control.show_gain(1.0, why_fixed="all scores 0")
    assert not control.slider.isEnabled()
    assert control.box.isEnabled()


def test_other_buttons_do_nothing(control, edits, qtbot, at):
    for button in (Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton):
        qtbot.mouseClick(control.slider, button, pos=at(control.slider, 3))
        qtbot.mouseDClick(control.slider, button, pos=at(control.slider, 3))
    assert edits == []


def test_a_tick_shows_where_1_is(control, handle, at):
    slider = control.slider
    control.show_gain(3.0)
    picture = slider.grab().toImage()
    ratio = picture.devicePixelRatio()
    top = handle(slider).top() + 1
    shades = {
        gain: QColor(picture.pixel(QPoint(at(slider, gain).x(), top) * ratio)).lightness()
        for gain in (0.5, 1, 1.5, 2)
    }
    assert shades[1] < min(shades[0.5], shades[1.5], shades[2]) - 60


@pytest.mark.parametrize("how", ["undo", "another scene"])
def test_a_drag_ends_with_the_scene_it_began_in(bench, heads_dock, qtbot, settle, at, how):
    slider = heads_dock.findChild(QSlider, "gainSlider1")
    qtbot.mousePress(slider, LEFT, pos=at(slider, 1))
    qtbot.mouseMove(slider, at(slider, 2))
    settle()
    dragged = bench.scene.heads[0].gain
    bench.undo() if how == "undo" else bench.edit(OpenScene(load_lesson("two-heads")))
    settle()
    undo_text, redo_text = bench.history.undo_text, bench.history.redo_text
    qtbot.mouseMove(slider, at(slider, 3))
    settle()
    assert dragged == pytest.approx(2, abs=0.1)
    assert bench.scene.heads[0].gain == 1.0
    assert slider.value() == 100
    assert (bench.history.undo_text, bench.history.redo_text) == (undo_text, redo_text)
    qtbot.mouseRelease(slider, LEFT, pos=at(slider, 3))
    qtbot.mousePress(slider, LEFT, pos=at(slider, 1))  # the next drag is its own
    qtbot.mouseMove(slider, at(slider, 3))
    qtbot.mouseRelease(slider, LEFT, pos=at(slider, 3))
    assert bench.scene.heads[0].gain == pytest.approx(3, abs=0.1)


def test_a_double_click_right_after_a_drag_is_a_step_of_its_own(bench, heads_dock, qtbot, at):
    slider = heads_dock.findChild(QSlider, "gainSlider1")
    qtbot.mousePress(slider, LEFT, pos=at(slider, 1))
    for gain in (1.5, 2.0, 2.5):
        qtbot.mouseMove(slider, at(slider, gain))
    qtbot.mouseRelease(slider, LEFT, pos=at(slider, 2.5))
    dragged = bench.scene.heads[0].gain
    qtbot.mouseDClick(slider, LEFT, pos=at(slider, 2.5))
    assert bench.scene.heads[0].gain == 1.0
    bench.undo()
    assert bench.scene.heads[0].gain == dragged
