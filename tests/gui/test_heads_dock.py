"""The Heads dock, used as people use it, on a real bench."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QSpinBox,
    QStyle,
    QStyleOptionSlider,
    QWidget,
)

from mhagui.document import Pattern, load_lesson
from mhagui.document.edits import OpenScene, SetMasterGain, SetSequenceLength, rename_head, set_gain
from mhagui.gui.bench import Bench
from mhagui.gui.docks.heads import HeadsDock
from mhagui.gui.theme import theme_of
from mhagui.palette import contrast

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
UP, DOWN = Qt.Key.Key_Up, Qt.Key.Key_Down


class Clock:
    """The time, as the test wants it."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def bench(qapp, clock, nothing_left):
    bench = Bench(load_lesson("four-heads"), clock=clock)
    yield bench
    bench.stop()
    bench.deleteLater()


@pytest.fixture
def refused(bench):
    sentences = []
    bench.refused.connect(sentences.append)
    return sentences


@pytest.fixture
def dock(bench, qtbot):
    window = QMainWindow()
    dock = HeadsDock(bench)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.resize(300, 662)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.resizeDocks([dock], [300], Qt.Orientation.Horizontal)
    yield dock  # the window lives as long as this function
    window.close()


def find(dock, name, kind=QWidget):
    (found,) = dock.findChildren(kind, name)
    return found


def settle(bench):
    """Let the frame of this moment be drawn."""
    QApplication.processEvents()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()


def names(bench):
    return [head.name for head in bench.scene.heads]


def gains(bench):
    return [head.gain for head in bench.scene.heads]


def type_in(qtbot, box, text, end=Qt.Key.Key_Return):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text) if text else qtbot.keyClick(box, Qt.Key.Key_Delete)
    if end is not None:
        qtbot.keyClick(box, end)


def words(card):
    return [label.text() for label in card.findChildren(QLabel) if label.isVisible()]


def at(slider, gain):
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    width = (
        slider.style()
        .subControlRect(
            QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, slider
        )
        .width()
    )
    x = width // 2 + round(gain / 4 * (slider.width() - width))
    return QPoint(x, slider.height() // 2)


def click_card(qtbot, dock, number):
    """Click on a free place of the card: its lower right corner."""
    card = find(dock, f"headCard{number}")
    qtbot.mouseClick(card, LEFT, pos=QPoint(card.width() - 4, card.height() - 4))
    settle(dock.bench)


# --- gains


def test_drag_moves_the_gain_live_and_is_one_step(bench, dock, qtbot):
    slider = find(dock, "gainSlider2")
    qtbot.mousePress(slider, LEFT, pos=at(slider, 1))
    seen = set()
    for move in range(500):
        qtbot.mouseMove(slider, at(slider, 1.5 + math.sin(move / 20)))
        seen.add(bench.scene.heads[1].gain)
    qtbot.mouseRelease(slider, LEFT)
    assert len(seen) > 20
    assert gains(bench)[0] == 1.0
    assert bench.history.n_steps == 1
    bench.undo()
    assert gains(bench)[1] == 1.0


def test_two_drags_are_two_steps(bench, dock, qtbot):
    slider = find(dock, "gainSlider1")
    for start, stop in ((1, 2), (2, 3)):
        qtbot.mousePress(slider, LEFT, pos=at(slider, start))
        qtbot.mouseMove(slider, at(slider, stop))
        qtbot.mouseRelease(slider, LEFT)
        settle(bench)
    assert bench.history.n_steps == 2


def test_double_click_is_one_step_back_to_1(bench, dock, qtbot):
    bench.edit(set_gain(1, 2.0))
    settle(bench)
    slider = find(dock, "gainSlider1")
    qtbot.mouseClick(slider, LEFT, pos=at(slider, 3))
    qtbot.mouseDClick(slider, LEFT, pos=at(slider, 3))
    assert gains(bench)[0] == 1.0
    bench.undo()
    assert gains(bench)[0] == 2.0


def test_keys_in_a_burst_are_one_step_and_a_second_later_another(bench, dock, clock, qtbot):
    slider = find(dock, "gainSlider1")
    slider.setFocus()
    for _ in range(10):
        clock.now += 0.5
        qtbot.keyClick(slider, Qt.Key.Key_Right)
        settle(bench)
    assert gains(bench)[0] == 1.5
    assert bench.history.n_steps == 1
    clock.now += 1.5
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert bench.history.n_steps == 2


def test_gain_moves_the_numbers_of_its_card_alone(bench, dock, qtbot):
    type_in(qtbot, find(dock, "gainBox1"), "2")
    settle(bench)
    # Row t4 of the first-token head: scores 3/√2 and three zeros, so with gain 2
    # p = e^(6/√2) / (e^(6/√2) + 3), and H = −p log2 p − (1 − p) log2((1 − p) / 3).
    lead = math.exp(6 / math.sqrt(2))
    p = lead / (lead + 3)
    bits = -p * math.log2(p) - (1 - p) * math.log2((1 - p) / 3)
    assert f"row t4: {bits:.3f} bits, {2**bits:.1f} positions" in words(find(dock, "headCard1"))
    assert "row t4: 0.468 bits, 1.4 positions" in words(find(dock, "headCard2"))


@pytest.mark.parametrize(("text", "gain"), [("2,5", 2.5), ("-2", -2.0), ("1e-3", 0.001)])
def test_typed_gain(bench, dock, qtbot, refused, text, gain):
    type_in(qtbot, find(dock, "gainBox1"), text)
    assert gains(bench) == [gain, 1, 1, 1]
    assert refused == []


@pytest.mark.parametrize("text", ["nan", "1e999", "1000", "", "1.234,5"])
def test_refused_gain_changes_nothing_and_says_why_once(bench, dock, qtbot, refused, text):
    scene = bench.scene
    box = find(dock, "gainBox1")
    type_in(qtbot, box, text, end=Qt.Key.Key_Tab)
    assert bench.scene is scene
    assert box.text() == "1.00"
    (sentence,) = refused
    assert "Gain of h1" in sentence


@pytest.mark.parametrize("gain", [1 / 3, 1e6, -3.0])
def test_visit_changes_no_gain(bench, dock, qtbot, refused, gain):
    bench.edit(set_gain(1, gain))
    settle(bench)
    scene = bench.scene
    box, slider = find(dock, "gainBox1"), find(dock, "gainSlider1")
    assert box.value() == gain
    for widget in (slider, box):
        widget.setFocus()
        qtbot.keyClick(widget, Qt.Key.Key_Return)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    settle(bench)
    assert bench.scene is scene
    assert refused == []


def test_master_gain(bench, dock, qtbot):
    slider = find(dock, "masterGainSlider")
    qtbot.mousePress(slider, LEFT, pos=at(slider, 1))
    qtbot.mouseMove(slider, at(slider, 4))
    qtbot.mouseMove(slider, at(slider, 0))
    qtbot.mouseRelease(slider, LEFT)
    settle(bench)
    assert bench.scene.master_gain == 0
    assert bench.history.n_steps == 1
    # With no gain every row is uniform: row t4 has log2 4 bits.
    assert "row t4: 2.000 bits, 4.0 positions" in words(find(dock, "headCard2"))
    type_in(qtbot, find(dock, "masterGainBox"), "0,5")
    assert bench.scene.master_gain == 0.5


def test_edit_that_the_scene_refuses_is_taken_back_on_the_screen(bench, dock, qtbot, refused):
    scene = load_lesson("four-heads")
    heads = tuple(
        replace(head, pattern=Pattern.UNIFORM, name=f"u{head.uid}") for head in scene.heads
    )
    bench.edit(OpenScene(replace(scene, heads=heads, d_k=1)))  # positions on a circle need d_k = 2
    settle(bench)
    combo = find(dock, "patternBox1", QComboBox)
    combo.setFocus()
    qtbot.keyClick(combo, UP)
    settle(bench)
    assert len(refused) == 1
    assert combo.currentText() == "uniform"


# --- the other fields of a card


def test_key_magnitude_of_exercise_6(bench, dock, qtbot):
    bench.point(query=5)
    type_in(qtbot, find(dock, "keyMagnitudeBox1"), "9")
    settle(bench)
    lead = math.exp(9 / math.sqrt(2))
    p = lead / (lead + 5)
    bits = -p * math.log2(p) - (1 - p) * math.log2((1 - p) / 5)
    assert f"row t6: {bits:.3f} bits, {2**bits:.1f} positions" in words(find(dock, "headCard1"))
    bench.undo()
    assert bench.scene.heads[0].key_magnitude == 3


def test_key_magnitude_below_0_is_refused(bench, dock, qtbot, refused):
    type_in(qtbot, find(dock, "keyMagnitudeBox1"), "-1")
    assert bench.scene.heads[0].key_magnitude == 3
    assert refused == ["Key magnitude of h1 must be a number from 0 to 1000; got -1."]


def test_mute_and_solo(bench, dock, qtbot):
    mute, solo = find(dock, "muteButton2"), find(dock, "soloButton3")
    qtbot.mouseClick(mute, LEFT)
    settle(bench)
    assert bench.scene.active == (True, False, True, True)
    solo.setFocus()
    qtbot.keyClick(solo, Qt.Key.Key_Space)
    settle(bench)
    assert bench.scene.active == (False, False, True, False)
    bench.undo()
    bench.undo()
    settle(bench)
    assert bench.scene.active == (True, True, True, True)
    assert not mute.isChecked()
    assert not solo.isChecked()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["muteButton1", "soloButton1"])
def test_pressed_switch_stands_out_and_can_be_read(bench, dock, request, qtbot, theme, name):
    request.getfixturevalue(theme)
    settle(bench)
    button = find(dock, name)
    corner = QPoint(4, button.height() // 2)
    off = button.grab().toImage().pixelColor(corner)
    qtbot.mouseClick(button, LEFT)
    settle(bench)
    qtbot.mouseMove(find(dock, "headCard3"))
    on = button.grab().toImage().pixelColor(corner)
    ink = button.palette().color(QPalette.ColorRole.ButtonText)
    assert abs(on.hslSaturation() - off.hslSaturation()) > 60
    assert contrast(on.getRgb()[:3], ink.getRgb()[:3]) >= 4.5


def test_rename_in_place(bench, dock, qtbot):
    edit = find(dock, "nameEdit1", QLineEdit)
    qtbot.mouseClick(edit, LEFT)
    type_in(qtbot, edit, " hold ")
    settle(bench)
    assert names(bench)[0] == "hold"
    assert edit.text() == "hold"
    bench.undo()
    settle(bench)
    assert edit.text() == "first token"


def test_leaving_a_name_unchanged_is_no_edit(bench, dock, qtbot):
    edit = find(dock, "nameEdit1", QLineEdit)
    edit.setFocus()
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.keyClick(edit, Qt.Key.Key_Tab)
    assert bench.history.n_steps == 0


@pytest.mark.parametrize("text", ["", "   "])
def test_empty_name_is_refused(bench, dock, qtbot, refused, text):
    edit = find(dock, "nameEdit1", QLineEdit)
    type_in(qtbot, edit, text)
    settle(bench)
    assert len(refused) == 1
    assert names(bench)[0] == edit.text() == "first token"


def test_escape_takes_back_a_name(bench, dock, qtbot):
    edit = find(dock, "nameEdit1", QLineEdit)
    type_in(qtbot, edit, "x", end=Qt.Key.Key_Escape)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.text() == "first token"
    assert bench.history.n_steps == 0


def test_long_name_ends_in_dots_and_is_told_in_full_by_its_tip(bench, dock, qtbot):
    edit = find(dock, "nameEdit1", QLineEdit)
    bench.edit(rename_head(1, "W" * 60))
    settle(bench)
    assert "W" * 60 in edit.toolTip()
    picture = edit.grab().toImage()
    ratio = picture.devicePixelRatio()
    blank = picture.pixelColor(1, 1)
    middle, right = edit.height() // 2, edit.width() - 6

    def inked(columns):
        return any(picture.pixelColor(QPoint(x, middle) * ratio) != blank for x in columns)

    assert inked(range(right - 40, right - 20))  # letters
    assert not inked(range(right - 6, right))  # dots, which are lower


@pytest.mark.parametrize(("name", "text"), [("gainBox1", "2"), ("nameEdit1", "x")])
def test_undo_key_undoes_typing_first_and_edits_then(bench, dock, qtbot, name, text):
    window = dock.window()
    action = QAction(window)
    action.setShortcut(QKeySequence.StandardKey.Undo)
    action.triggered.connect(bench.undo)
    window.addAction(action)
    field = find(dock, name)
    before = field.text()
    type_in(qtbot, field, text)
    settle(bench)
    assert bench.history.n_steps == 1
    qtbot.keyClicks(field, "9")
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
    assert bench.history.n_steps == 1
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
    settle(bench)
    assert bench.history.n_steps == 0
    assert field.text() == before


def test_pattern_takes_the_name_along_and_is_one_step(bench, dock, qtbot):
    combo = find(dock, "patternBox1", QComboBox)
    combo.setFocus()
    qtbot.keyClick(combo, DOWN)
    settle(bench)
    head = bench.scene.heads[0]
    assert (head.pattern, head.name) == (Pattern.PREVIOUS_TOKEN, "previous token")
    assert find(dock, "nameEdit1").text() == "previous token"
    assert "rank 2" in words(find(dock, "headCard1"))
    bench.undo()
    settle(bench)
    assert combo.currentText() == "first token"


def test_lessons_numbers_at_row_t4(dock):
    texts = [words(find(dock, f"headCard{number}")) for number in (1, 2, 3, 4)]
    for text, rank, numbers in zip(
        texts,
        (1, 2, 2, 0),
        ("1.253 bits, 2.4", "0.468 bits, 1.4", "0.243 bits, 1.2", "2.000 bits, 4.0"),
        strict=True,
    ):
        assert f"rank {rank}" in text
        assert f"row t4: {numbers} positions" in text


# --- where no gain acts


def test_uniform_head_says_why_its_gain_does_nothing(dock):
    assert "all scores 0: no gain changes a uniform head" in words(find(dock, "headCard4"))
    assert not find(dock, "gainSlider4").isEnabled()
    assert find(dock, "gainBox4").isEnabled()
    assert not find(dock, "keyMagnitudeBox4").isEnabled()
    for number in (1, 2, 3):
        assert not any("no gain" in text for text in words(find(dock, f"headCard{number}")))
        assert find(dock, f"gainSlider{number}").isEnabled()


def test_key_magnitude_0_makes_a_uniform_head_and_can_be_taken_back(bench, dock, qtbot):
    box = find(dock, "keyMagnitudeBox2")
    type_in(qtbot, box, "0")
    settle(bench)
    assert "all scores 0: no gain changes a uniform head" in words(find(dock, "headCard2"))
    assert not find(dock, "gainSlider2").isEnabled()
    type_in(qtbot, box, "3")
    settle(bench)
    assert find(dock, "gainSlider2").isEnabled()


def test_one_position_says_why_no_gain_acts(bench, dock, qtbot):
    type_in(qtbot, find(dock, "sequenceLengthBox"), "1")
    settle(bench)
    for number in (1, 2, 3, 4):
        text = words(find(dock, f"headCard{number}"))
        assert "one position: its weight is 1 at any gain" in text
        assert "row t1: 0.000 bits, 1.0 positions" in text
        assert not find(dock, f"gainSlider{number}").isEnabled()
    assert not find(dock, "masterGainSlider").isEnabled()


# --- the sequence length


def test_typed_sequence_length(bench, dock, qtbot):
    box = find(dock, "sequenceLengthBox", QSpinBox)
    type_in(qtbot, box, "10", end=None)
    assert bench.scene.n_positions == 6
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert bench.scene.n_positions == 10


def test_arrows_on_the_sequence_length_are_live_and_one_step(bench, dock, qtbot):
    box = find(dock, "sequenceLengthBox")
    box.setFocus()
    for length in (7, 8, 9):
        qtbot.keyClick(box, UP)
        assert bench.scene.n_positions == length
    assert bench.history.n_steps == 1


@pytest.mark.parametrize("text", ["0", "10000000"])
def test_refused_sequence_length(bench, dock, qtbot, refused, text):
    scene = bench.scene
    type_in(qtbot, find(dock, "sequenceLengthBox"), text)
    assert bench.scene is scene
    assert refused == [f"Sequence length T must be a whole number from 1 to 1024; got {text}."]


# --- the selected head, and what is done with it


def test_clicking_a_card_or_anything_in_it_selects_its_head(bench, dock, qtbot):
    click_card(qtbot, dock, 3)
    assert bench.view.cursor.head == 3
    qtbot.mouseClick(find(dock, "gainSlider2"), LEFT)
    assert bench.view.cursor.head == 2
    qtbot.mouseClick(find(dock, "gainBox1").lineEdit(), LEFT)
    assert bench.view.cursor.head == 1


def test_selected_card_is_framed_in_the_highlight(bench, dock):
    bench.point(head=2)
    settle(bench)
    highlight = dock.palette().color(QPalette.ColorRole.Highlight)
    framed = []
    for number in (1, 2, 3, 4):
        card = find(dock, f"headCard{number}")
        picture = card.grab().toImage()
        at_top = QPoint(card.width() // 2, 1) * picture.devicePixelRatio()
        framed.append(picture.pixelColor(at_top).name() == highlight.name())
    assert framed == [False, True, False, False]


def test_arrow_keys_go_from_card_to_card(bench, dock, qtbot):
    click_card(qtbot, dock, 1)
    qtbot.keyClick(find(dock, "headCard1"), DOWN)
    qtbot.keyClick(find(dock, "headCard2"), DOWN)
    assert bench.view.cursor.head == 3
    assert find(dock, "headCard3").hasFocus()
    qtbot.keyClick(find(dock, "headCard3"), UP)
    assert bench.view.cursor.head == 2
    card = find(dock, "headCard4")
    card.setFocus()
    qtbot.keyClick(card, DOWN)
    assert bench.view.cursor.head == 2
    qtbot.keyClick(card, Qt.Key.Key_Space)
    assert bench.view.cursor.head == 4


def test_add_by_its_menu(bench, dock, qtbot):
    button = find(dock, "addHeadButton")
    menu = button.menu()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == [p.value for p in Pattern]
    output = bench.frame.result.output
    menu.actions()[1].trigger()
    settle(bench)
    assert names(bench)[4:] == ["previous token"]
    assert bench.view.cursor.head == bench.scene.heads[4].uid
    np.testing.assert_array_equal(bench.frame.result.output, output)
    assert find(dock, "headCard5").isVisible()
    bench.undo()
    settle(bench)
    assert dock.findChildren(QWidget, "headCard5") == []


def test_duplicate(bench, dock, qtbot):
    bench.edit(set_gain(2, 1.5))
    click_card(qtbot, dock, 2)
    qtbot.mouseClick(find(dock, "duplicateHeadButton"), LEFT)
    settle(bench)
    assert gains(bench) == [1, 1.5, 1.5, 1, 1]
    assert bench.view.cursor.head == bench.scene.heads[2].uid
    bench.undo()
    settle(bench)
    assert gains(bench) == [1, 1.5, 1, 1]


def test_remove(bench, dock, qtbot):
    click_card(qtbot, dock, 2)
    qtbot.mouseClick(find(dock, "removeHeadButton"), LEFT)
    settle(bench)
    assert names(bench) == ["first token", "self", "uniform"]
    assert bench.view.cursor.head == 3  # the one that took its place
    assert [find(dock, f"nameEdit{n}").text() for n in (1, 2, 3)] == names(bench)
    bench.undo()
    settle(bench)
    assert names(bench) == ["first token", "previous token", "self", "uniform"]
    assert [find(dock, f"nameEdit{n}").text() for n in (1, 2, 3, 4)] == names(bench)


def test_move_by_button_and_by_keys(bench, dock, qtbot):
    click_card(qtbot, dock, 1)
    qtbot.mouseClick(find(dock, "moveDownHeadButton"), LEFT)
    settle(bench)
    assert names(bench) == ["previous token", "first token", "self", "uniform"]
    box = find(dock, "gainBox3")
    box.setFocus()
    qtbot.keyClick(box, DOWN, ALT)
    settle(bench)
    assert names(bench) == ["previous token", "self", "first token", "uniform"]
    qtbot.keyClick(QApplication.focusWidget(), UP, ALT)
    bench.undo()
    bench.undo()
    settle(bench)
    assert names(bench) == ["previous token", "first token", "self", "uniform"]
    assert [find(dock, f"nameEdit{n}").text() for n in (1, 2, 3, 4)] == names(bench)


def test_keys_move_heads_while_a_box_has_the_focus_without_stepping_it(bench, dock, qtbot):
    box = find(dock, "gainBox1")
    box.setFocus()
    qtbot.keyClick(box, DOWN, ALT)
    settle(bench)
    assert names(bench)[1] == "first token"
    assert gains(bench) == [1, 1, 1, 1]


def test_limits_grey_the_buttons_and_say_why(bench, dock, qtbot):
    def state(key):
        button = find(dock, f"{key}HeadButton")
        return button.isEnabled(), button.toolTip()

    click_card(qtbot, dock, 1)
    assert state("moveUp") == (False, "The selected head is the first")
    click_card(qtbot, dock, 4)
    assert state("moveDown") == (False, "The selected head is the last")
    add = find(dock, "addHeadButton").menu().actions()[0]
    for _ in range(28):
        add.trigger()
    settle(bench)
    for key in ("add", "duplicate"):
        assert state(key) == (False, "A scene holds at most 32 heads")
    scene = load_lesson("four-heads")
    bench.edit(OpenScene(replace(scene, heads=scene.heads[:1], w_o=scene.w_o[:2])))
    settle(bench)
    assert state("remove") == (False, "A scene needs at least one head")
    assert state("add")[0]


def test_selected_card_is_scrolled_into_view(bench, dock, qtbot):
    add = find(dock, "addHeadButton").menu().actions()[0]
    for _ in range(4):
        add.trigger()
    settle(bench)

    def is_seen(number):
        card = find(dock, f"headCard{number}")
        return card.visibleRegion().boundingRect().height() == card.height()

    qtbot.waitUntil(lambda: is_seen(8))
    assert not is_seen(1)
    bench.point(head=1)
    qtbot.waitUntil(lambda: is_seen(1))


# --- focus, names, order, looks


def test_focus_and_typing_survive_edits_undo_and_reordering(bench, dock, qtbot):
    box = find(dock, "gainBox2")
    type_in(qtbot, box, "1.", end=None)
    bench.edit(SetSequenceLength(8))
    settle(bench)
    bench.edit(set_gain(1, 3.0))
    settle(bench)
    click_card(qtbot, dock, 2)
    qtbot.mouseClick(find(dock, "moveUpHeadButton"), LEFT)
    settle(bench)
    assert find(dock, "gainBox1") is box  # the card moved with its head
    box.setFocus()
    bench.undo()
    settle(bench)
    assert box.hasFocus()
    assert find(dock, "gainBox2") is box


def test_text_being_typed_is_left_alone_by_frames(bench, dock, qtbot):
    box = find(dock, "gainBox2")
    type_in(qtbot, box, "1.2", end=None)
    bench.edit(set_gain(1, 3.0))
    bench.point(query=2)
    settle(bench)
    assert box.text() == "1.2"
    bench.edit(set_gain(2, 4.0))
    settle(bench)
    assert box.text() == "4.00"


def test_frames_are_silent(bench, dock):
    bench.edit(OpenScene(load_lesson("two-heads")))
    bench.edit(SetMasterGain(1e6))
    steps = bench.history.n_steps
    settle(bench)
    assert bench.history.n_steps == steps
    assert find(dock, "masterGainBox").value() == 1e6


def test_focus_goes_somewhere_when_its_card_goes(bench, dock):
    find(dock, "gainBox4").setFocus()
    bench.edit(OpenScene(load_lesson("two-heads")))
    settle(bench)
    assert dock.isAncestorOf(QApplication.focusWidget())


INTERACTIVE = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)


def test_everything_interactive_has_a_name_of_its_own_and_a_tip(dock):
    seen = []
    for kind in INTERACTIVE:
        for widget in dock.findChildren(kind):
            inner = isinstance(widget.parent(), QAbstractSpinBox | QComboBox)
            bar = widget.metaObject().className() == "QScrollBar"
            if inner or bar or not widget.isVisible() or widget.objectName().startswith("qt_"):
                continue
            assert widget.accessibleName(), widget.objectName()
            assert widget.toolTip(), widget.objectName()
            seen.append(widget.accessibleName())
    assert len(seen) == len(set(seen)) == 3 + 4 * 7 + 5


def test_tab_goes_through_everything_in_reading_order(bench, dock, qtbot):
    bench.point(head=2)  # all buttons can be used
    settle(bench)
    find(dock, "sequenceLengthBox").setFocus()
    visited = []
    for _ in range(60):
        focus = QApplication.focusWidget()
        if focus.objectName() in visited:
            break
        visited.append(focus.objectName())
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    of_card = (
        "headCard{}", "nameEdit{}", "muteButton{}", "soloButton{}", "patternBox{}",
        "keyMagnitudeBox{}", "gainSlider{}", "gainBox{}",
    )  # fmt: skip
    greyed = {"keyMagnitudeBox4", "gainSlider4"}
    assert visited == [
        "sequenceLengthBox",
        "masterGainSlider",
        "masterGainBox",
        *(name.format(n) for n in (1, 2, 3, 4) for name in of_card if name.format(n) not in greyed),
        "addHeadButton",
        "duplicateHeadButton",
        "removeHeadButton",
        "moveUpHeadButton",
        "moveDownHeadButton",
    ]


def test_four_cards_fit_the_default_dock_without_a_scroll_bar_and_uncut(bench, dock):
    dock.window().resize(300, 640)
    settle(bench)
    assert dock.width() <= 300
    card = find(dock, "headCard4")
    assert card.visibleRegion().boundingRect().height() == card.height()
    for widget in dock.findChildren(QWidget):
        if isinstance(widget, QLabel | QAbstractButton) and widget.isVisible():
            assert widget.width() >= widget.minimumSizeHint().width(), widget.objectName()


@pytest.mark.parametrize("points", [9, 12, 14])
def test_nothing_is_cut_at_other_font_sizes(bench, dock, qapp, points):
    bench.edit(SetSequenceLength(1024))
    bench.point(query=1023)
    font = qapp.font()
    other = qapp.font()
    other.setPointSize(points)
    qapp.setFont(other)
    try:
        settle(bench)
        settle(bench)
        for label in dock.findChildren(QLabel):
            if label.isVisible():
                text = label.fontMetrics().horizontalAdvance(label.text())
                assert label.width() >= text, label.text()
                assert abs(label.font().pointSizeF() - points) <= 0.1 * points
    finally:
        qapp.setFont(font)


def test_theme_is_followed_at_once(bench, dock, dark):
    settle(bench)
    muted = theme_of(dock.palette()).muted
    card = find(dock, "headCard1")
    (live,) = [label for label in card.findChildren(QLabel) if label.text().startswith("row")]
    assert live.palette().color(QPalette.ColorRole.WindowText) == muted
    picture = card.grab().toImage()
    inside = QPoint(card.width() - 4, card.height() // 2) * picture.devicePixelRatio()
    assert picture.pixelColor(inside).name() == theme_of(dock.palette()).card.name()


def test_ablated_head_has_a_hollow_edge(bench, dock, qtbot):
    card = find(dock, "headCard2")
    inside = QPoint(3, card.height() // 2) * card.devicePixelRatio()
    full = card.grab().toImage().pixelColor(inside)
    qtbot.mouseClick(find(dock, "muteButton2"), LEFT)
    settle(bench)
    hollow = card.grab().toImage().pixelColor(inside)
    assert full.name() == "#e69f00"
    assert hollow.name() == theme_of(dock.palette()).card.name()
