"""Patterns past the lesson's four on a head's card: their numbers, and what sets a head apart."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QWidget

from mhagui.document import Pattern
from mhagui.document.edits import SetHead, SetPattern, SetSequenceLength
from mhagui.document.weight_edits import to_pattern

LEFT = Qt.MouseButton.LeftButton
UP, DOWN = Qt.Key.Key_Up, Qt.Key.Key_Down
NUMBERS = {
    Pattern.DELAY: ["|K|", "steps back k"],
    Pattern.TWO_POSITIONS: ["|K|", "first position", "second position"],
    Pattern.RECENCY: ["slope"],
    Pattern.BLOCK_LOCAL: ["|K|", "block length"],
    Pattern.SELF: ["|K|"],
    Pattern.UNIFORM: [],
    Pattern.HAND_SET: [],
}


@pytest.fixture
def dock(heads_dock):
    return heads_dock


@pytest.fixture
def give(bench, dock, settle):
    """A function that gives head 1 a pattern."""

    def give(pattern):
        bench.edit(to_pattern(bench.frame.result, 1, pattern))
        settle()

    return give


def find(dock, name, kind=QWidget):
    (found,) = dock.findChildren(kind, name)
    return found


def labels(card):
    return [label.text() for label in card.findChildren(QLabel) if label.isVisible()]


def numbers_of(card):
    """Return the labels of the boxes beside and below the pattern, from the top."""
    known = {name for names in NUMBERS.values() for name in names}
    found = [
        (label.y(), label.text())
        for label in card.findChildren(QLabel)
        if label.isVisible() and label.text() in known
    ]
    return [text for _, text in sorted(found)]


@pytest.mark.parametrize("pattern", NUMBERS)
def test_each_pattern_shows_its_own_numbers_and_no_others(dock, give, pattern):
    give(pattern)
    card = find(dock, "headCard1")
    assert numbers_of(card) == NUMBERS[pattern]
    give(Pattern.FIRST_TOKEN)
    assert numbers_of(card) == ["|K|"]


def test_steps_back_are_live_and_a_burst_is_one_step(bench, dock, give, qtbot, settle):
    give(Pattern.DELAY)
    steps = bench.history.n_steps
    box = find(dock, "settingBox1_1")
    box.setFocus()
    for _ in range(2):
        qtbot.keyClick(box, UP)
        settle()
    assert bench.scene.heads[0].settings == (4.0,)
    assert bench.history.n_steps == steps + 1
    assert bench.frame.result.heads[0].weights[5].argmax() == 1  # t6 looks at t2
    bench.undo()
    settle()
    assert box.value() == 2


def test_both_positions_have_a_box_of_their_own(bench, dock, give, settle, type_in):
    give(Pattern.TWO_POSITIONS)
    type_in(find(dock, "settingBox1_2"), "4")
    type_in(find(dock, "settingBox1_1"), "2")
    settle()
    assert bench.scene.heads[0].settings == (2.0, 4.0)
    weights = bench.frame.result.heads[0].weights[5]
    assert set(np.argsort(weights)[-2:]) == {1, 3}


def test_a_slope_is_any_number_and_shown_as_it_is(bench, dock, give, settle, type_in):
    give(Pattern.RECENCY)
    box = find(dock, "settingBox1_1")
    type_in(box, "0.35")
    settle()
    assert bench.scene.heads[0].settings == (0.35,)
    assert box.text() == "0.35"
    weights = bench.frame.result.heads[0].weights[3]
    np.testing.assert_allclose(weights[1:4] / weights[:3], np.exp(0.35), rtol=1e-12)


@pytest.mark.parametrize(
    ("pattern", "text", "sentence"),
    [
        (
            Pattern.DELAY,
            "1.5",
            "Steps back k of h1 must be a whole number from 1 to 4095; got 1.5.",
        ),
        (Pattern.RECENCY, "-1", "Slope of h1 must be a number from 0 to 1000000; got -1."),
    ],
)
def test_what_a_pattern_does_not_take_is_refused(
    bench, dock, give, refused, type_in, pattern, text, sentence
):
    give(pattern)
    scene = bench.scene
    type_in(find(dock, "settingBox1_1"), text)
    assert bench.scene is scene
    assert refused == [sentence]


def test_a_setting_selects_its_head_and_is_named_after_its_place(bench, dock, qtbot, settle):
    bench.edit(SetPattern(3, Pattern.BLOCK_LOCAL))
    settle()
    box = find(dock, "settingBox3_1")
    assert box.accessibleName() == "Block length of h3"
    assert box.toolTip().startswith("Positions in one block")
    qtbot.mouseClick(box.lineEdit(), LEFT)
    assert bench.view.cursor.head == 3
    settle()
    qtbot.mouseClick(find(dock, "moveUpHeadButton"), LEFT)
    settle()
    assert find(dock, "settingBox2_1") is box
    assert box.accessibleName() == "Block length of h2"


def test_tab_goes_from_the_magnitude_to_the_settings_to_the_gain(dock, give, qtbot):
    give(Pattern.TWO_POSITIONS)
    find(dock, "keyMagnitudeBox1").setFocus()
    visited = []
    for _ in range(3):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        visited.append(QApplication.focusWidget().objectName())
    assert visited == ["settingBox1_1", "settingBox1_2", "gainSlider1"]


def test_a_setting_outlives_its_pattern(bench, dock, give, qtbot, refused, settle):
    give(Pattern.TWO_POSITIONS)
    box = find(dock, "settingBox1_2")
    bench.undo()
    box.stepUp()  # before the card has heard of it
    settle()
    assert bench.scene.heads[0].pattern is Pattern.FIRST_TOKEN
    assert bench.scene.heads[0].settings == ()
    assert refused == []


def test_frames_are_silent(bench, dock, give, settle):
    give(Pattern.DELAY)
    steps = bench.history.n_steps
    bench.edit(SetSequenceLength(12))
    settle()
    assert bench.history.n_steps == steps + 1


# --- hand-set, projected, layer 2


def test_hand_set_freezes_what_the_head_has_now(bench, dock, qtbot, settle):
    before = bench.frame.result.heads[1]
    combo = find(dock, "patternBox2", QComboBox)
    assert combo.findText("projected") == -1
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_End)
    settle()
    head = bench.frame.result.heads[1]
    assert combo.currentText() == "hand-set"
    assert head.head.pattern is Pattern.HAND_SET
    assert head.head.name == "previous token"
    np.testing.assert_array_equal(head.weights, before.weights)
    np.testing.assert_array_equal(head.q, before.q)
    assert bench.history.n_steps == 1
    assert not find(dock, "keyMagnitudeBox2").isVisible()


def test_projected_is_listed_where_a_head_is_it_and_said(bench, dock, settle):
    bench.edit(to_pattern(bench.frame.result, 2, Pattern.PROJECTED))
    settle()
    combo = find(dock, "patternBox2", QComboBox)
    assert combo.currentText() == "projected"
    assert "projected from X" in labels(find(dock, "headCard2"))
    bench.edit(SetHead(2, "layer", 2, "Change layer"))
    settle()
    assert "layer 2, projected from X2" in labels(find(dock, "headCard2"))
    bench.edit(SetPattern(2, Pattern.SELF))
    settle()
    assert combo.findText("projected") == -1
    assert "layer 2" in labels(find(dock, "headCard2"))


# --- looks


def test_nothing_moves_for_the_lessons_patterns(bench, dock, settle):
    card, combo, mute = (find(dock, f"{n}2") for n in ("headCard", "patternBox", "muteButton"))
    before = [widget.geometry() for widget in (card, combo, mute)]
    for pattern in (Pattern.SELF, Pattern.FIRST_TOKEN, Pattern.PREVIOUS_TOKEN):
        bench.edit(SetPattern(2, pattern))
        settle()
        assert [widget.geometry() for widget in (card, combo, mute)] == before
    bench.edit(SetPattern(2, Pattern.UNIFORM))  # has a line more, which says why no gain acts
    settle()
    assert combo.width() == before[1].width()


def test_nothing_is_cut_or_overlaps_with_all_patterns(bench, dock, settle):
    for uid, pattern in enumerate(list(NUMBERS)[:4], start=1):
        bench.edit(SetPattern(uid, pattern))
    dock.window().resize(300, 800)
    settle()
    assert dock.width() <= 300
    for number in range(1, 5):
        card = find(dock, f"headCard{number}")
        boxes = [w for w in card.findChildren(QWidget) if w.isVisible() and w.parent() is card]
        for widget in boxes:
            if isinstance(widget, QLabel):
                assert widget.width() >= widget.fontMetrics().horizontalAdvance(widget.text())
            assert card.rect().contains(widget.geometry())
            others = [other for other in boxes if other is not widget]
            assert not any(widget.geometry().intersects(other.geometry()) for other in others)


def test_settings_are_muted_like_the_other_labels(dock, give):
    give(Pattern.DELAY)
    (label,) = [w for w in dock.findChildren(QLabel) if w.text() == "steps back k"]
    other = find(dock, "headCard1").childAt(QPoint(label.x() + 2, label.y() + 2))
    assert other is label
    assert label.buddy() is find(dock, "settingBox1_1")
