"""The cards of the Heads dock: gains, fields and switches of a head, on a real bench."""

import math
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QWidget,
)

from mhagui.document import Pattern, load_lesson
from mhagui.document.edits import AddHead, OpenScene, rename_head, set_gain
from mhagui.palette import contrast

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
UP, DOWN = Qt.Key.Key_Up, Qt.Key.Key_Down


@pytest.fixture
def dock(heads_dock):
    return heads_dock


def find(dock, name, kind=QWidget):
    (found,) = dock.findChildren(kind, name)
    return found


def names(bench):
    return [head.name for head in bench.scene.heads]


def gains(bench):
    return [head.gain for head in bench.scene.heads]


def words(card):
    return [label.text() for label in card.findChildren(QLabel) if label.isVisible()]


# --- gains


def test_drag_moves_the_gain_live_and_is_one_step(bench, dock, qtbot, at):
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


def test_two_drags_are_two_steps(bench, dock, qtbot, at, settle):
    slider = find(dock, "gainSlider1")
    for start, stop in ((1, 2), (2, 3)):
        qtbot.mousePress(slider, LEFT, pos=at(slider, start))
        qtbot.mouseMove(slider, at(slider, stop))
        qtbot.mouseRelease(slider, LEFT)
        settle()
    assert bench.history.n_steps == 2


def test_double_click_is_one_step_back_to_1(bench, dock, qtbot, at, settle):
    bench.edit(set_gain(1, 2.0))
    settle()
    slider = find(dock, "gainSlider1")
    qtbot.mouseClick(slider, LEFT, pos=at(slider, 3))
    qtbot.mouseDClick(slider, LEFT, pos=at(slider, 3))
    assert gains(bench)[0] == 1.0
    bench.undo()
    assert gains(bench)[0] == 2.0


def test_keys_in_a_burst_are_one_step_and_a_second_later_another(bench, dock, clock, qtbot, settle):
    slider = find(dock, "gainSlider1")
    slider.setFocus()
    for _ in range(10):
        clock.now += 0.5
        qtbot.keyClick(slider, Qt.Key.Key_Right)
        settle()
    assert gains(bench)[0] == 1.5
    assert bench.history.n_steps == 1
    clock.now += 1.5
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert bench.history.n_steps == 2


def test_gain_moves_the_numbers_of_its_card_alone(bench, dock, settle, type_in):
    type_in(find(dock, "gainBox1"), "2")
    settle()
    # Row t4 of the first-token head: scores 3/√2 and three zeros, so with gain 2
    # p = e^(6/√2) / (e^(6/√2) + 3), and H = −p log2 p − (1 − p) log2((1 − p) / 3).
    lead = math.exp(6 / math.sqrt(2))
    p = lead / (lead + 3)
    bits = -p * math.log2(p) - (1 - p) * math.log2((1 - p) / 3)
    assert f"row t4: {bits:.3f} bits, {2**bits:.2f} positions" in words(find(dock, "headCard1"))
    assert "row t4: 0.468 bits, 1.38 positions" in words(find(dock, "headCard2"))


@pytest.mark.parametrize(("text", "gain"), [("2,5", 2.5), ("-2", -2.0), ("1e-3", 0.001)])
def test_typed_gain(bench, dock, refused, text, gain, type_in):
    type_in(find(dock, "gainBox1"), text)
    assert gains(bench) == [gain, 1, 1, 1]
    assert refused == []


@pytest.mark.parametrize("text", ["nan", "1e999", "1000", "", "1.234,5"])
def test_refused_gain_changes_nothing_and_says_why_once(bench, dock, refused, text, type_in):
    scene = bench.scene
    box = find(dock, "gainBox1")
    type_in(box, text, end=Qt.Key.Key_Tab)
    assert bench.scene is scene
    assert box.text() == "1.00"
    (sentence,) = refused
    assert "Gain of h1" in sentence


@pytest.mark.parametrize("gain", [1 / 3, 1e6, -3.0])
def test_visit_changes_no_gain(bench, dock, qtbot, refused, gain, settle):
    bench.edit(set_gain(1, gain))
    settle()
    scene = bench.scene
    box, slider = find(dock, "gainBox1"), find(dock, "gainSlider1")
    assert box.value() == gain
    for widget in (slider, box):
        widget.setFocus()
        qtbot.keyClick(widget, Qt.Key.Key_Return)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    settle()
    assert bench.scene is scene
    assert refused == []


def test_master_gain(bench, dock, qtbot, at, settle, type_in):
    slider = find(dock, "masterGainSlider")
    qtbot.mousePress(slider, LEFT, pos=at(slider, 1))
    qtbot.mouseMove(slider, at(slider, 4))
    qtbot.mouseMove(slider, at(slider, 0))
    qtbot.mouseRelease(slider, LEFT)
    settle()
    assert bench.scene.master_gain == 0
    assert bench.history.n_steps == 1
    # With no gain every row is uniform: row t4 has log2 4 bits.
    assert "row t4: 2.000 bits, 4.00 positions" in words(find(dock, "headCard2"))
    type_in(find(dock, "masterGainBox"), "0,5")
    assert bench.scene.master_gain == 0.5


def test_edit_that_the_scene_refuses_is_taken_back_on_the_screen(
    bench, dock, qtbot, refused, settle
):
    scene = load_lesson("four-heads")
    heads = tuple(
        replace(head, pattern=Pattern.UNIFORM, name=f"u{head.uid}") for head in scene.heads
    )
    bench.edit(OpenScene(replace(scene, heads=heads, d_k=1)))  # positions on a circle need d_k = 2
    settle()
    combo = find(dock, "patternBox1", QComboBox)
    combo.setFocus()
    qtbot.keyClick(combo, UP)
    settle()
    assert len(refused) == 1
    assert combo.currentText() == "uniform"


# --- the other fields of a card


def test_key_magnitude_of_exercise_6(bench, dock, settle, type_in):
    bench.point(query=5)
    type_in(find(dock, "keyMagnitudeBox1"), "9")
    settle()
    lead = math.exp(9 / math.sqrt(2))
    p = lead / (lead + 5)
    bits = -p * math.log2(p) - (1 - p) * math.log2((1 - p) / 5)
    assert f"row t6: {bits:.3f} bits, {2**bits:.2f} positions" in words(find(dock, "headCard1"))
    bench.undo()
    assert bench.scene.heads[0].key_magnitude == 3


def test_key_magnitude_below_0_is_refused(bench, dock, refused, type_in):
    type_in(find(dock, "keyMagnitudeBox1"), "-1")
    assert bench.scene.heads[0].key_magnitude == 3
    assert refused == ["Key magnitude of h1 must be a number from 0 to 1000; got -1."]


def test_mute_and_solo(bench, dock, qtbot, settle):
    mute, solo = find(dock, "muteButton2"), find(dock, "soloButton3")
    qtbot.mouseClick(mute, LEFT)
    settle()
    assert bench.scene.active == (True, False, True, True)
    solo.setFocus()
    qtbot.keyClick(solo, Qt.Key.Key_Space)
    settle()
    assert bench.scene.active == (False, False, True, False)
    bench.undo()
    bench.undo()
    settle()
    assert bench.scene.active == (True, True, True, True)
    assert not mute.isChecked()
    assert not solo.isChecked()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["muteButton1", "soloButton1"])
def test_pressed_switch_stands_out_and_can_be_read(
    bench, dock, request, qtbot, theme, name, settle
):
    request.getfixturevalue(theme)
    settle()
    button = find(dock, name)
    corner = QPoint(4, button.height() // 2)
    off = button.grab().toImage().pixelColor(corner)
    qtbot.mouseClick(button, LEFT)
    settle()
    qtbot.mouseMove(find(dock, "headCard3"))
    on = button.grab().toImage().pixelColor(corner)
    ink = button.palette().color(QPalette.ColorRole.ButtonText)
    assert abs(on.hslSaturation() - off.hslSaturation()) > 60
    assert contrast(on.getRgb()[:3], ink.getRgb()[:3]) >= 4.5


def test_rename_in_place(bench, dock, qtbot, settle, type_in):
    edit = find(dock, "nameEdit1", QLineEdit)
    qtbot.mouseClick(edit, LEFT)
    type_in(edit, " hold ")
    settle()
    assert names(bench)[0] == "hold"
    assert edit.text() == "hold"
    bench.undo()
    settle()
    assert edit.text() == "first token"


def test_leaving_a_name_unchanged_is_no_edit(bench, dock, qtbot):
    edit = find(dock, "nameEdit1", QLineEdit)
    edit.setFocus()
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.keyClick(edit, Qt.Key.Key_Tab)
    assert bench.history.n_steps == 0


@pytest.mark.parametrize("text", ["", "   "])
def test_empty_name_is_refused(bench, dock, refused, text, settle, type_in):
    edit = find(dock, "nameEdit1", QLineEdit)
    type_in(edit, text)
    settle()
    assert len(refused) == 1
    assert names(bench)[0] == edit.text() == "first token"


def test_escape_takes_back_a_name(bench, dock, qtbot, type_in):
    edit = find(dock, "nameEdit1", QLineEdit)
    type_in(edit, "x", end=Qt.Key.Key_Escape)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.text() == "first token"
    assert bench.history.n_steps == 0


def test_long_name_ends_in_dots_and_is_told_in_full_by_its_tip(bench, dock, settle):
    edit = find(dock, "nameEdit1", QLineEdit)
    bench.edit(rename_head(1, "W" * 60))
    settle()
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
def test_undo_key_undoes_typing_first_and_edits_then(
    bench, dock, qtbot, name, text, settle, type_in
):
    window = dock.window()
    action = QAction(window)
    action.setShortcut(QKeySequence.StandardKey.Undo)
    action.triggered.connect(bench.undo)
    window.addAction(action)
    field = find(dock, name)
    before = field.text()
    type_in(field, text)
    settle()
    assert bench.history.n_steps == 1
    qtbot.keyClicks(field, "9")
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
    assert bench.history.n_steps == 1
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.keyClick(field, Qt.Key.Key_Z, CTRL)
    settle()
    assert bench.history.n_steps == 0
    assert field.text() == before


def test_pattern_takes_the_name_along_and_is_one_step(bench, dock, qtbot, settle):
    combo = find(dock, "patternBox1", QComboBox)
    combo.setFocus()
    qtbot.keyClick(combo, DOWN)
    settle()
    head = bench.scene.heads[0]
    assert (head.pattern, head.name) == (Pattern.PREVIOUS_TOKEN, "previous token")
    assert find(dock, "nameEdit1").text() == "previous token"
    assert "rank 2" in words(find(dock, "headCard1"))
    bench.undo()
    settle()
    assert combo.currentText() == "first token"


def test_lessons_numbers_at_row_t4(dock):
    texts = [words(find(dock, f"headCard{number}")) for number in (1, 2, 3, 4)]
    for text, rank, numbers in zip(
        texts,
        (1, 2, 2, 0),
        ("1.253 bits, 2.38", "0.468 bits, 1.38", "0.243 bits, 1.18", "2.000 bits, 4.00"),
        strict=True,
    ):
        assert f"rank {rank}" in text
        assert f"row t4: {numbers} positions" in text


# --- where no gain acts


def test_uniform_head_says_why_its_gain_does_nothing(dock):
    assert "all scores 0: uniform at any gain" in words(find(dock, "headCard4"))
    assert not find(dock, "gainSlider4").isEnabled()
    assert find(dock, "gainBox4").isEnabled()
    assert not find(dock, "keyMagnitudeBox4").isVisible()
    for number in (1, 2, 3):
        assert not any("any gain" in text for text in words(find(dock, f"headCard{number}")))
        assert find(dock, f"gainSlider{number}").isEnabled()


def test_key_magnitude_0_makes_a_uniform_head_and_can_be_taken_back(bench, dock, settle, type_in):
    box = find(dock, "keyMagnitudeBox2")
    type_in(box, "0")
    settle()
    assert "all scores 0: uniform at any gain" in words(find(dock, "headCard2"))
    assert not find(dock, "gainSlider2").isEnabled()
    type_in(box, "3")
    settle()
    assert find(dock, "gainSlider2").isEnabled()


def test_one_position_says_why_no_gain_acts(bench, dock, settle, type_in):
    type_in(find(dock, "sequenceLengthBox"), "1")
    settle()
    for number in (1, 2, 3, 4):
        text = words(find(dock, f"headCard{number}"))
        assert "one position: its weight is 1 at any gain" in text
        assert "row t1: 0.000 bits, 1.00 positions" in text
        assert not find(dock, f"gainSlider{number}").isEnabled()
    assert not find(dock, "masterGainSlider").isEnabled()


# --- a head that goes while its card is in use


def test_a_drag_outlives_its_head(bench, dock, qtbot, at, refused):
    slider = find(dock, "gainSlider3")
    qtbot.mousePress(slider, LEFT, pos=at(slider, 1))
    qtbot.mouseMove(slider, at(slider, 2))
    two_heads = load_lesson("two-heads")
    bench.edit(OpenScene(two_heads))
    qtbot.mouseMove(slider, at(slider, 3))
    assert bench.scene == two_heads
    assert refused == []


def test_typing_outlives_its_head(bench, dock, qtbot, refused, settle):
    bench.edit(AddHead(Pattern.SELF))
    settle()
    name = find(dock, "nameEdit5", QLineEdit)
    name.setFocus()
    qtbot.keyClicks(name, "mine")
    bench.undo()
    settle()
    assert len(bench.scene.heads) == 4
    assert refused == []


@pytest.mark.parametrize("gain", [1.79e308, -1.79e308])
def test_a_gain_at_the_end_of_the_numbers_is_shown(bench, dock, settle, gain):
    heads = tuple(replace(head, gain=gain) for head in bench.scene.heads)
    bench.edit(OpenScene(replace(bench.scene, heads=heads)))
    settle()
    assert find(dock, "gainBox4").value() == gain
    assert find(dock, "nameEdit4", QLineEdit).text() == "uniform"


def test_what_is_undone_before_it_was_drawn_is_not_left_on_the_card(bench, dock, settle):
    find(dock, "gainSlider1").setValue(250)
    bench.undo()
    settle()
    assert find(dock, "gainBox1").value() == 1.0
    assert find(dock, "gainSlider1").value() == 100
