"""The Heads dock: its heads as a whole, used as people use it, on a real bench."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QSpinBox,
    QWidget,
)

from mhagui.document import Pattern, load_lesson
from mhagui.document.edits import (
    AddHead,
    HandSet,
    OpenScene,
    SetMasterGain,
    SetSequenceLength,
    set_gain,
)
from mhagui.gui.theme import theme_of

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
UP, DOWN = Qt.Key.Key_Up, Qt.Key.Key_Down
DESIGNED = [
    "first token", "previous token", "self", "uniform",
    "delay", "two positions", "recency", "block-local",
]  # fmt: skip


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


@pytest.fixture
def click_card(dock, qtbot, settle):
    """A function that clicks on a free place of a card: its lower right corner."""

    def click_card(number):
        card = find(dock, f"headCard{number}")
        qtbot.mouseClick(card, LEFT, pos=QPoint(card.width() - 4, card.height() - 4))
        settle()

    return click_card


# --- the sequence length


def test_typed_sequence_length(bench, dock, qtbot, type_in):
    box = find(dock, "sequenceLengthBox", QSpinBox)
    type_in(box, "10", end=None)
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
def test_refused_sequence_length(bench, dock, refused, text, type_in):
    scene = bench.scene
    type_in(find(dock, "sequenceLengthBox"), text)
    assert bench.scene is scene
    assert refused == [f"Sequence length T must be a whole number from 1 to 4096; got {text}."]


def test_a_hand_set_head_keeps_t_and_the_box_takes_the_old_one_back(
    bench, dock, refused, settle, type_in
):
    head = bench.frame.result.heads[2]
    bench.edit(HandSet(3, head.q, head.k))
    box = find(dock, "sequenceLengthBox", QSpinBox)
    type_in(box, "9")
    settle()
    assert bench.scene.n_positions == 6
    assert box.value() == 6
    (sentence,) = refused
    assert "“self” is hand-set for T = 6" in sentence


# --- d_k, and the margin that is kept


def test_d_k_is_typed_and_makes_the_heads_anew(bench, dock, settle, type_in):
    type_in(find(dock, "keyWidthBox"), "8")
    settle()
    assert bench.scene.d_k == 8
    assert [head.k.shape for head in bench.frame.result.heads] == [(6, 8)] * 4
    bench.undo()
    settle()
    assert find(dock, "keyWidthBox", QSpinBox).value() == 2


def test_a_d_k_too_small_for_a_circle_is_refused_with_the_reason(
    bench, dock, refused, settle, type_in
):
    box = find(dock, "keyWidthBox", QSpinBox)
    type_in(box, "1")
    settle()
    assert bench.scene.d_k == box.value() == 2
    (sentence,) = refused
    assert "circle" in sentence


def test_keep_margin_is_one_step_and_keeps_a_long_sequence_sharp(bench, dock, qtbot, settle):
    bench.edit(SetSequenceLength(64))
    settle()
    box = find(dock, "keepMarginBox", QCheckBox)
    assert bench.frame.result.heads[1].weights[40, 39] < 0.16
    steps = bench.history.n_steps
    qtbot.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))
    settle()
    assert bench.history.n_steps == steps + 1
    # The margin to the neighbours is that of six points, 9/√2·(1 − cos 60°), and the next are
    # four margins away: about 1 / (1 + 2 e^−3.18) is left.
    wanted = 1 / (1 + 2 * math.exp(-9 / math.sqrt(2) / 2))
    assert bench.frame.result.heads[1].weights[40, 39] == pytest.approx(wanted, abs=1e-3)
    bench.undo()
    settle()
    assert not box.isChecked()


# --- the selected head, and what is done with it


def test_clicking_a_card_or_anything_in_it_selects_its_head(bench, dock, qtbot, click_card):
    click_card(3)
    assert bench.view.cursor.head == 3
    qtbot.mouseClick(find(dock, "gainSlider2"), LEFT)
    assert bench.view.cursor.head == 2
    qtbot.mouseClick(find(dock, "gainBox1").lineEdit(), LEFT)
    assert bench.view.cursor.head == 1


def test_selected_card_is_framed_in_the_highlight(bench, dock, settle):
    bench.point(head=2)
    settle()
    highlight = dock.palette().color(QPalette.ColorRole.Highlight)
    framed = []
    for number in (1, 2, 3, 4):
        card = find(dock, f"headCard{number}")
        picture = card.grab().toImage()
        at_top = QPoint(card.width() // 2, 1) * picture.devicePixelRatio()
        framed.append(picture.pixelColor(at_top).name() == highlight.name())
    assert framed == [False, True, False, False]


def test_arrow_keys_go_from_card_to_card(bench, dock, qtbot, click_card):
    click_card(1)
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


def test_add_by_its_menu(bench, dock, settle):
    button = find(dock, "addHeadButton")
    menu = button.menu()
    assert isinstance(menu, QMenu)
    assert [action.text().replace("&", "") for action in menu.actions()] == DESIGNED
    output = bench.frame.result.output
    menu.actions()[1].trigger()
    settle()
    assert names(bench)[4:] == ["previous token"]
    assert bench.view.cursor.head == bench.scene.heads[4].uid
    np.testing.assert_array_equal(bench.frame.result.output, output)
    assert find(dock, "headCard5").isVisible()
    bench.undo()
    settle()
    assert dock.findChildren(QWidget, "headCard5") == []


def test_duplicate(bench, dock, qtbot, settle, click_card):
    bench.edit(set_gain(2, 1.5))
    click_card(2)
    qtbot.mouseClick(find(dock, "duplicateHeadButton"), LEFT)
    settle()
    assert gains(bench) == [1, 1.5, 1.5, 1, 1]
    assert bench.view.cursor.head == bench.scene.heads[2].uid
    bench.undo()
    settle()
    assert gains(bench) == [1, 1.5, 1, 1]


def test_remove(bench, dock, qtbot, settle, click_card):
    click_card(2)
    qtbot.mouseClick(find(dock, "removeHeadButton"), LEFT)
    settle()
    assert names(bench) == ["first token", "self", "uniform"]
    assert bench.view.cursor.head == 3  # the one that took its place
    assert [find(dock, f"nameEdit{n}").text() for n in (1, 2, 3)] == names(bench)
    bench.undo()
    settle()
    assert names(bench) == ["first token", "previous token", "self", "uniform"]
    assert [find(dock, f"nameEdit{n}").text() for n in (1, 2, 3, 4)] == names(bench)


def test_move_by_button_and_by_keys(bench, dock, qtbot, settle, click_card):
    click_card(1)
    qtbot.mouseClick(find(dock, "moveDownHeadButton"), LEFT)
    settle()
    assert names(bench) == ["previous token", "first token", "self", "uniform"]
    box = find(dock, "gainBox3")
    box.setFocus()
    qtbot.keyClick(box, DOWN, ALT)
    settle()
    assert names(bench) == ["previous token", "self", "first token", "uniform"]
    qtbot.keyClick(QApplication.focusWidget(), UP, ALT)
    bench.undo()
    bench.undo()
    settle()
    assert names(bench) == ["previous token", "first token", "self", "uniform"]
    assert [find(dock, f"nameEdit{n}").text() for n in (1, 2, 3, 4)] == names(bench)


def test_keys_move_heads_while_a_box_has_the_focus_without_stepping_it(bench, dock, qtbot, settle):
    box = find(dock, "gainBox1")
    box.setFocus()
    qtbot.keyClick(box, DOWN, ALT)
    settle()
    assert names(bench)[1] == "first token"
    assert gains(bench) == [1, 1, 1, 1]


def test_limits_grey_the_buttons_and_say_why(bench, dock, settle, click_card):
    def state(key):
        button = find(dock, f"{key}HeadButton")
        return button.isEnabled(), button.toolTip()

    click_card(1)
    assert state("moveUp") == (False, "The selected head is the first")
    click_card(4)
    assert state("moveDown") == (False, "The selected head is the last")
    add = find(dock, "addHeadButton").menu().actions()[0]
    for _ in range(60):
        add.trigger()
    settle()
    for key in ("add", "duplicate"):
        assert state(key) == (False, "A scene holds at most 64 heads")
    scene = load_lesson("four-heads")
    bench.edit(OpenScene(replace(scene, heads=scene.heads[:1], w_o=scene.w_o[:2])))
    settle()
    assert state("remove") == (False, "A scene needs at least one head")
    assert state("byRows")[0]
    bench.edit(SetSequenceLength(65))
    settle()
    assert state("byRows") == (False, "Rows of at most 64 positions can be asked for; T is 65")
    assert state("add")[0]


def test_selected_card_is_scrolled_into_view(bench, dock, qtbot, settle):
    add = find(dock, "addHeadButton").menu().actions()[0]
    for _ in range(4):
        add.trigger()
    settle()

    def is_seen(number):
        card = find(dock, f"headCard{number}")
        return card.visibleRegion().boundingRect().height() == card.height()

    qtbot.waitUntil(lambda: is_seen(8))
    assert not is_seen(1)
    bench.point(head=1)
    qtbot.waitUntil(lambda: is_seen(1))


# --- focus, names, order, looks


def test_focus_and_typing_survive_edits_undo_and_reordering(
    bench, dock, qtbot, settle, type_in, click_card
):
    box = find(dock, "gainBox2")
    type_in(box, "1.", end=None)
    bench.edit(SetSequenceLength(8))
    settle()
    bench.edit(set_gain(1, 3.0))
    settle()
    click_card(2)
    qtbot.mouseClick(find(dock, "moveUpHeadButton"), LEFT)
    settle()
    assert find(dock, "gainBox1") is box  # the card moved with its head
    box.setFocus()
    bench.undo()
    settle()
    assert box.hasFocus()
    assert find(dock, "gainBox2") is box


def test_text_being_typed_is_left_alone_by_frames(bench, dock, settle, type_in):
    box = find(dock, "gainBox2")
    type_in(box, "1.2", end=None)
    bench.edit(set_gain(1, 3.0))
    bench.point(query=2)
    settle()
    assert box.text() == "1.2"
    bench.edit(set_gain(2, 4.0))
    settle()
    assert box.text() == "4.00"


def test_frames_are_silent(bench, dock, settle):
    bench.edit(OpenScene(load_lesson("two-heads")))
    bench.edit(SetMasterGain(1e6))
    steps = bench.history.n_steps
    settle()
    assert bench.history.n_steps == steps
    assert find(dock, "masterGainBox").value() == 1e6


def test_focus_goes_somewhere_when_its_card_goes(bench, dock, settle):
    find(dock, "gainBox4").setFocus()
    bench.edit(OpenScene(load_lesson("two-heads")))
    settle()
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
    assert len(seen) == len(set(seen)) == 8 + 4 * 7 - 1 + 5


def test_tab_goes_through_everything_in_reading_order(bench, dock, qtbot, settle):
    bench.point(head=2)  # all buttons can be used
    settle()
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
    without = {"keyMagnitudeBox4", "gainSlider4"}
    assert visited == [
        "sequenceLengthBox",
        "keyWidthBox",
        "maskBox",
        "masterGainSlider",
        "masterGainBox",
        "keepMarginBox",
        "biasButton",
        "byRowsHeadButton",
        *(
            name.format(n)
            for n in (1, 2, 3, 4)
            for name in of_card
            if name.format(n) not in without
        ),
        "addHeadButton",
        "duplicateHeadButton",
        "removeHeadButton",
        "moveUpHeadButton",
        "moveDownHeadButton",
    ]


def test_four_cards_fit_the_default_dock_without_a_scroll_bar_and_uncut(bench, dock, settle):
    dock.window().resize(300, 640)
    settle()
    assert dock.width() <= 300
    card = find(dock, "headCard4")
    assert card.visibleRegion().boundingRect().height() == card.height()
    for widget in dock.findChildren(QWidget):
        if isinstance(widget, QLabel | QAbstractButton) and widget.isVisible():
            assert widget.width() >= widget.minimumSizeHint().width(), widget.objectName()


@pytest.mark.parametrize("points", [9, 12, 14])
def test_nothing_is_cut_at_other_font_sizes(bench, dock, qapp, points, settle):
    bench.edit(SetSequenceLength(1024))
    bench.point(query=1023)
    font = qapp.font()
    other = qapp.font()
    other.setPointSize(points)
    qapp.setFont(other)
    try:
        settle()
        settle()
        for label in dock.findChildren(QLabel):
            if label.isVisible():
                text = label.fontMetrics().horizontalAdvance(label.text())
                assert label.width() >= text, label.text()
                assert abs(label.font().pointSizeF() - points) <= 0.1 * points
    finally:
        qapp.setFont(font)


def test_theme_is_followed_at_once(bench, dock, dark, settle):
    settle()
    muted = theme_of(dock.palette()).muted
    card = find(dock, "headCard1")
    (live,) = [label for label in card.findChildren(QLabel) if label.text().startswith("row")]
    assert live.palette().color(QPalette.ColorRole.WindowText) == muted
    picture = card.grab().toImage()
    inside = QPoint(card.width() - 4, card.height() // 2) * picture.devicePixelRatio()
    assert picture.pixelColor(inside).name() == theme_of(dock.palette()).card.name()


def test_ablated_head_has_a_hollow_edge(bench, dock, qtbot, settle):
    card = find(dock, "headCard2")
    inside = QPoint(3, card.height() // 2) * card.devicePixelRatio()
    full = card.grab().toImage().pixelColor(inside)
    qtbot.mouseClick(find(dock, "muteButton2"), LEFT)
    settle()
    hollow = card.grab().toImage().pixelColor(inside)
    assert full.name() == "#e69f00"
    assert hollow.name() == theme_of(dock.palette()).card.name()


def test_it_is_narrow_whatever_the_patterns(bench, heads_dock, settle):
    for pattern in Pattern:
        if pattern.is_designed:
            bench.edit(AddHead(pattern))
    settle()
    assert heads_dock.minimumSizeHint().width() <= 296  # of a window of 930
