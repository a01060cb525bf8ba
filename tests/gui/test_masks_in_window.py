"""Masks on screen: chosen by hand, hatched where they hide, and told in words and numbers."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QSpinBox, QWidget

from mhagui.document import ColourScale, Head, Pattern, Quantity, Scene, load_lesson
from mhagui.document.edits import OpenScene, SetMask, SetSequenceLength
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.gui.docks.cost import CostDock
from mhagui.gui.docks.entropy import EntropyDock
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.docks.impulse import ImpulseDock
from mhagui.gui.docks.pipeline import PipelineDock
from mhagui.gui.formulas import Formula
from mhagui.gui.pictures import Pictures, cursor_text, largest_seen
from mhagui.gui.status import StatusBar
from mhagui.gui.theme import ThemeChoice, apply_theme
from mhagui.gui.widgets.key_line import KeyLabel
from mhagui.gui.widgets.matrix_card import MatrixCard
from mhagui.gui.widgets.matrix_picture import HATCHED, Part, shown_indices
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.number_table import NumberTable
from mhagui.palette import key_head_line

DOWN, UP = Qt.Key.Key_Down, Qt.Key.Key_Up
WINDOW = MaskRule(MaskKind.SLIDING, 3)
RULES = [
    MaskRule(),
    MaskRule(MaskKind.FULL),
    WINDOW,
    MaskRule(MaskKind.PREFIX, 4),
    MaskRule(left=2),
    MaskRule(right=2),
    MaskRule(MaskKind.SLIDING, 3, 2, 1),
    MaskRule(MaskKind.FULL, 0, 1, 2),
]


def find(dock, name, kind=QWidget):
    (found,) = dock.findChildren(kind, name)
    return found


def masked(rule, n_positions=6):
    return SetMask(rule).apply(SetSequenceLength(n_positions).apply(load_lesson("four-heads")))


def weights_alone(n=6):
    a = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    head = Head(1, "L0 H0", Pattern.GIVEN, np.zeros((1, 1)), a=a)
    return Scene("weights", "", (head,), np.zeros((n, 1)), np.zeros((1, 1)), 1, has_values=False)


def shared_keys():
    scene = load_lesson("four-heads")
    heads = [
        replace(head, pattern=Pattern.HAND_SET, q=np.ones((6, 2)), k=np.eye(6, 2), key_head=of)
        for head, of in zip(scene.heads, (0, 0, 1, 1), strict=True)
    ]
    return replace(scene, heads=heads)


def pictures_of(bench):
    frame, made = bench.frame, Pictures()
    scale = made.scale(frame.result, frame.view)
    heads = frame.result.heads
    return [made.of(head, frame.result.allowed, frame.view, scale) for head in heads]


# --- what pictures show


@pytest.mark.parametrize("quantity", list(Quantity))
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.text)
def test_cells_are_hatched_that_the_mask_hides_and_no_others(bench, settle, rule, quantity):
    bench.edit(OpenScene(masked(rule)))
    bench.look(quantity=quantity)
    settle()
    for picture in pictures_of(bench):
        hatched = shown_indices(picture) == HATCHED
        assert (hatched == ~rule.allowed(6)).all()
        told = [[picture.is_allowed(t, i) for i in range(6)] for t in range(6)]
        assert (np.array(told) == rule.allowed(6)).all()
        assert [picture.sees_none(t) for t in range(6)] == (~rule.allowed(6).any(axis=1)).tolist()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.text)
def test_parts_and_pooled_cells_are_hatched_alike(bench, settle, rule):
    bench.edit(OpenScene(masked(rule, 90)))
    settle()
    picture, allowed = pictures_of(bench)[1], rule.allowed(90)
    part = Part(range(40, 60), range(30, 60))
    assert ((shown_indices(picture, part) == HATCHED) == ~allowed[40:60, 30:60]).all()
    some = allowed.reshape(30, 3, 30, 3).any(axis=(1, 3))
    pooled = shown_indices(picture, most=(30, 30))
    assert ((pooled == HATCHED) == ~some).all()
    weights = np.where(allowed, picture.values, -1).reshape(30, 3, 30, 3).max(axis=(1, 3))
    assert (pooled[some] == np.rint(254 * weights[some])).all()


def test_pictures_and_scale_follow_the_mask_where_the_numbers_stay(bench, heads_dock, settle):
    bench.look(quantity=Quantity.SCORES)
    kept = Pictures()

    def shown():
        settle()
        result, view = bench.frame.result, bench.view
        scale = kept.scale(result, view)
        return scale, kept.of(result.heads[1], result.allowed, view, scale)

    before = shown()[1].values
    for rule in (MaskRule(MaskKind.FULL), WINDOW, MaskRule()):
        bench.edit(SetMask(rule))
        scale, picture = shown()
        assert picture.values is before  # scores know no mask
        assert ((shown_indices(picture) == HATCHED) == ~rule.allowed(6)).all()
        scores = [np.abs(head.scores[rule.allowed(6)]).max() for head in bench.frame.result.heads]
        assert scale.high >= max(scores)


def test_uniform_is_one_time_uniform_under_any_mask(bench, settle):
    for rule in RULES:
        bench.edit(OpenScene(masked(rule)))
        bench.look(colour_scale=ColourScale.RELATIVE)
        settle()
        picture = pictures_of(bench)[3]  # the uniform head
        t, i = np.nonzero(rule.allowed(6))
        shown = [picture.value(*cell) for cell in zip(t.tolist(), i.tolist(), strict=True)]
        assert shown == pytest.approx([1.0] * len(shown))


def test_the_largest_weight_is_that_of_what_is_seen(bench, settle):
    scores = np.array([[1.0, 50.0, 9.0], [-3.0, 2.0, 40.0], [60.0, 2.0, 1.0]])
    ends = np.array([[0, 0, 1], [1, 2, 3]])
    assert largest_seen(scores, ends) == 3.0
    bench.edit(OpenScene(masked(WINDOW)))
    bench.look(colour_scale=ColourScale.LINEAR_TO_MAX)
    settle()
    largest = max(float(head.weights[1:].max()) for head in bench.frame.result.heads)
    assert pictures_of(bench)[0].high == pytest.approx(largest)


def test_a_row_without_a_key_is_undefined_in_words(bench, settle):
    bench.edit(OpenScene(masked(MaskRule(left=2))))
    settle()
    bench.point(head=1, query=1, key=0)
    assert cursor_text(bench.frame) == "head 1 · t = 2 · i = 1 · undefined (no allowed key)"
    bench.point(query=3)
    assert cursor_text(bench.frame).endswith("· masked")
    view, picture = MatrixView(), pictures_of(bench)[0]
    assert view.value_words(picture, 0, 0) == "undefined (no allowed key)"
    assert view.value_words(picture, 3, 0) == "masked"
    view.deleteLater()


# --- the control


def test_a_mask_is_chosen_by_keys_sized_and_taken_back(bench, heads_dock, qtbot, settle):
    kind, size = find(heads_dock, "maskBox", QComboBox), find(heads_dock, "maskSizeBox", QSpinBox)
    assert (kind.currentText(), size.isVisible()) == ("causal", False)
    kind.setFocus()
    qtbot.keyClick(kind, DOWN)
    settle()
    assert bench.scene.mask == MaskRule(MaskKind.FULL)
    qtbot.keyClick(kind, DOWN)
    settle()
    assert (bench.scene.mask, kind.currentText()) == (MaskRule(MaskKind.SLIDING, 2), "window")
    qtbot.keyClick(kind, Qt.Key.Key_Tab)
    assert size.hasFocus()
    qtbot.keyClick(size, UP)
    settle()
    assert bench.scene.mask == WINDOW
    assert size.accessibleName() == "Size of the sliding window mask"
    units = [label for label in kind.parentWidget().findChildren(QLabel) if label.isVisible()]
    assert [label.text() for label in units] == ["keys"]
    bench.point(query=4)
    settle()
    assert "t − 3 < i ≤ t; t5 sees 3 keys." in kind.accessibleDescription()
    assert "t5 sees 3 keys." in kind.toolTip()
    while bench.history.undo_text:
        bench.undo()
        settle()
    assert (bench.scene.mask, kind.currentText()) == (MaskRule(), "causal")
    assert not size.isVisible()
    assert not units[0].isVisible()


def test_a_size_is_typed_or_refused_in_a_sentence(bench, heads_dock, type_in, settle):
    bench.edit(SetMask(MaskRule(MaskKind.PREFIX, 2)))
    settle()
    size, refused = find(heads_dock, "maskSizeBox", QSpinBox), []
    bench.refused.connect(refused.append)
    type_in(size, "5")
    settle()
    assert bench.scene.mask == MaskRule(MaskKind.PREFIX, 5)
    type_in(size, "0")
    settle()
    assert bench.scene.mask == MaskRule(MaskKind.PREFIX, 5)
    assert refused == ["Size of the prefix mask must be a whole number from 1 to 4096; got 0."]


def test_padding_stays_when_another_kind_is_chosen(bench, heads_dock, qtbot, settle):
    bench.edit(SetMask(MaskRule(left=1)))
    settle()
    kind = find(heads_dock, "maskBox", QComboBox)
    assert kind.currentText() == "causal, padded"
    kind.setFocus()
    qtbot.keyClick(kind, DOWN)
    settle()
    assert bench.scene.mask == MaskRule(MaskKind.FULL, left=1)
    assert kind.accessibleDescription().startswith("Mask: full, padding 1 on the left.")


def padding_boxes(dock):
    return [find(dock, f"{end}PaddingBox", QSpinBox) for end in ("left", "right")]


def test_padding_is_asked_for_and_set_by_keys_and_taken_back(bench, heads_dock, qtbot, settle):
    kind, boxes = find(heads_dock, "maskBox", QComboBox), padding_boxes(heads_dock)
    quiet = find(heads_dock, "masterGainSlider").mapTo(heads_dock, QPoint())
    assert not any(box.isVisible() for box in boxes)
    kind.setFocus()
    qtbot.keyClick(kind, Qt.Key.Key_End)
    settle()
    assert (bench.scene.mask, kind.currentText()) == (MaskRule(), "causal")  # nothing yet
    assert boxes[0].hasFocus()
    assert boxes[1].isVisible()
    qtbot.keyClick(boxes[0], UP)
    settle()
    assert bench.scene.mask == MaskRule(left=1)
    qtbot.keyClick(boxes[0], Qt.Key.Key_Tab)
    assert boxes[1].hasFocus()
    for _ in range(2):
        qtbot.keyClick(boxes[1], UP)
        settle()
    assert bench.scene.mask == MaskRule(left=1, right=2)
    assert kind.currentText() == "causal, padded"
    assert not bench.frame.result.allowed[0].any()
    assert [box.accessibleName() for box in boxes] == [
        "Padding on the left", "Padding on the right",
    ]  # fmt: skip
    while bench.history.undo_text:
        bench.undo()
        settle()
    assert bench.scene.mask == MaskRule()
    assert [box.value() for box in boxes] == [0, 0]
    kind.setFocus()
    settle()
    assert not any(box.isVisible() for box in boxes)
    assert find(heads_dock, "masterGainSlider").mapTo(heads_dock, QPoint()) == quiet


@pytest.mark.qt_log_ignore("This plugin does not support grabbing the keyboard")
def test_padding_is_asked_for_by_the_mouse(bench, heads_dock, qtbot, settle):
    kind = find(heads_dock, "maskBox", QComboBox)
    qtbot.mouseClick(kind, Qt.MouseButton.LeftButton)
    entries = kind.view()
    last = entries.visualRect(entries.model().index(kind.count() - 1, 0)).center()
    QTest.qWait(QApplication.doubleClickInterval() + 50)  # or Qt takes it for the opening click
    qtbot.mouseClick(entries.viewport(), Qt.MouseButton.LeftButton, pos=last)
    settle()
    boxes = padding_boxes(heads_dock)
    assert boxes[0].hasFocus()
    qtbot.keyClicks(boxes[0], "2")
    qtbot.keyClick(boxes[0], Qt.Key.Key_Return)
    settle()
    assert bench.scene.mask == MaskRule(left=2)


def test_padding_of_a_file_is_in_sight_and_zero_of_it_goes_when_left(
    bench, heads_dock, qtbot, type_in, settle
):
    bench.edit(OpenScene(masked(MaskRule(MaskKind.FULL, 0, 0, 2))))
    settle()
    boxes = padding_boxes(heads_dock)
    assert [(box.isVisible(), box.value()) for box in boxes] == [(True, 0), (True, 2)]
    type_in(boxes[1], "0")
    settle()
    assert bench.scene.mask == MaskRule(MaskKind.FULL)
    assert boxes[1].isVisible()  # the keyboard is there still
    qtbot.keyClick(boxes[1], Qt.Key.Key_Tab)
    settle()
    assert not boxes[1].isVisible()


@pytest.mark.parametrize(("scene", "count"), [("weights", "1"), ("lesson", "6")])
def test_padding_that_would_hide_too_much_is_refused(
    bench, heads_dock, type_in, settle, scene, count
):
    bench.edit(OpenScene(weights_alone() if scene == "weights" else masked(MaskRule())))
    settle()
    refused, kind = [], find(heads_dock, "maskBox", QComboBox)
    bench.refused.connect(refused.append)
    kind.setCurrentIndex(kind.count() - 1)
    kind.activated.emit(kind.count() - 1)
    left, right = padding_boxes(heads_dock)
    type_in(left, count)
    settle()
    assert "padding" in refused[0]
    assert bench.scene.mask == MaskRule()
    assert (left.value(), right.value()) == (0, 0)


def test_a_mask_that_given_weights_do_not_have_is_refused(bench, heads_dock, qtbot, settle):
    bench.edit(OpenScene(weights_alone()))
    settle()
    kind, refused = find(heads_dock, "maskBox", QComboBox), []
    bench.refused.connect(refused.append)
    kind.setFocus()
    qtbot.keyClick(kind, Qt.Key.Key_W)  # for the window
    settle()
    assert "which its mask (sliding window of 2 keys) does not let be seen" in refused[0]
    assert (bench.scene.mask, kind.currentText()) == (MaskRule(), "causal")


# --- words and numbers of other docks


def test_entropy_rows_say_how_many_keys_they_see(bench, open_dock, settle):
    dock = open_dock(EntropyDock, 500, 600)
    bench.edit(OpenScene(masked(MaskRule(MaskKind.SLIDING, 3, 1))))
    settle()
    dock.draw_ahead()
    model = find(dock, "entropyTable", NumberTable).model()
    tips = [
        model.headerData(row, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole)
        for row in range(6)
    ]
    assert "t1 sees no key, so that its entropy is undefined." in tips[0]
    assert "t2 sees 1 key." in tips[1]
    assert "t6 sees 3 keys." in tips[5]


def test_a_head_says_that_its_row_is_undefined(bench, heads_dock, settle):
    bench.edit(OpenScene(masked(MaskRule(right=2))))
    bench.point(query=5)
    settle()
    told = [label.text() for label in find(heads_dock, "headCard1").findChildren(QLabel)]
    assert "row t6: undefined (no allowed key)" in told


def test_one_key_a_row_is_not_called_uniform(bench, heads_dock, settle):
    bench.edit(OpenScene(masked(MaskRule(MaskKind.SLIDING, 1))))
    settle()
    told = [label.text() for label in find(heads_dock, "headCard2").findChildren(QLabel)]
    assert "one key a row: its weight is 1 at any gain" in told


def test_the_pipeline_names_the_mask_that_there_is(bench, open_dock, settle):
    dock = open_dock(PipelineDock, 700, 400)
    bench.edit(OpenScene(masked(WINDOW)))
    bench.look(stage=4)
    bench.point(head=2, query=4, key=3)
    settle()
    assert (
        "no query sees what is masked: sliding window of 3 keys" in dock.steps.buttons[4].toolTip()
    )
    assert "g·S where t − 3 < i ≤ t" in dock.title.accessibleName()
    assert dock.words.text().startswith("sliding window of 3 keys: allowed")
    bench.undo()
    settle()
    assert "no query sees a later key" in dock.steps.buttons[4].toolTip()


def test_impulse_cards_hatch_what_is_before_a_window(bench, open_dock, settle):
    dock = open_dock(ImpulseDock, 420, 700)
    bench.edit(OpenScene(masked(WINDOW)))
    bench.point(query=4)
    settle()
    cards = [card for card in dock.findChildren(QWidget) if hasattr(card, "plot")]
    stems = [card.plot.stems for card in cards if hasattr(card.plot, "stems")]
    assert [(each.first, each.row) for each in stems] == [(2, 4)] * 4
    captions = [card.caption.accessibleName() for card in cards if hasattr(card, "caption")]
    assert captions[3].startswith("sliding box of 3")


def test_the_status_line_has_no_stand_ins_and_tells_of_shared_keys(bench, settle, qtbot):
    status = StatusBar()
    qtbot.addWidget(status)

    def facts(scene):
        bench.edit(OpenScene(scene))
        settle()
        status.show_frame(bench.frame)
        return find(status, "sceneFacts", QLabel).text()

    assert facts(weights_alone()).startswith("T 6 · H 1 · d_k – · d_v – · d_model – · ")
    assert facts(shared_keys()).startswith("T 6 · H 4 · H_kv 2 · d_k 2 · d_v 2 · d_model 8 · ")


def test_the_width_of_weights_alone_is_no_number(bench, heads_dock, settle):
    width = find(heads_dock, "keyWidthBox", QSpinBox)
    bench.edit(OpenScene(weights_alone()))
    settle()
    assert (width.text(), width.isEnabled()) == ("–", False)
    bench.undo()
    settle()
    assert (width.text(), width.isEnabled()) == ("2", True)


def test_heads_of_one_key_head_are_marked_alike(bench, heads_dock, open_dock, settle):
    heatmaps = open_dock(HeatmapsDock, 700, 600)
    bench.edit(OpenScene(shared_keys()))
    settle()
    for place, mark in enumerate(("KV 0", "KV 0", "KV 1", "KV 1"), 1):
        labels = find(heads_dock, f"headCard{place}").findChildren(QLabel)
        (label,) = [label for label in labels if label.text() == mark]
        assert label.isVisible()
    told = (
        "Key and value head 1, the keys and values of h3 and h4 alike. They are underlined alike."
    )
    assert label.toolTip() == told
    titles = [card.title.accessibleName() for card in heatmaps.findChildren(MatrixCard)]
    assert titles[0] == "h1 first token · KV 0"
    assert "h3 and h4 alike" in heatmaps.findChildren(MatrixCard)[3].view.toolTip()


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_heads_of_one_key_head_have_one_line_in_cards_and_titles(
    bench, heads_dock, open_dock, settle, grabbed, theme
):
    apply_theme(theme)
    heatmaps = open_dock(HeatmapsDock, 700, 600)
    cost = open_dock(CostDock, 400, 700)
    legend = find(cost, "keyHeadLegend")
    assert not legend.isVisible()
    bench.edit(OpenScene(shared_keys()))
    settle()
    assert legend.isVisible()
    assert legend.accessibleDescription() == "KV 0: h1 h2; KV 1: h3 h4"

    def lines(widget):
        """Which of the two lines a widget has, and how much of its width has ink."""
        pixels = grabbed(widget).reshape(-1, 3)
        colours = [QColor(key_head_line(number)[0]).getRgb()[:3] for number in (0, 1)]
        return [int((pixels == colour).all(axis=1).sum()) for colour in colours]

    titles = [card.title for card in heatmaps.findChildren(MatrixCard)]
    for place, of in enumerate((0, 0, 1, 1)):
        labels = find(heads_dock, f"headCard{place + 1}").findChildren(KeyLabel)
        (label,) = labels
        for widget in (label, titles[place]):
            found = lines(widget)
            assert found[of] >= 12
            assert found[1 - of] == 0
    whole, dashed = lines(titles[0])[0], lines(titles[2])[1]
    assert dashed < whole  # told apart by shape as well
    assert all(n >= 12 for n in lines(legend))
    bench.undo()
    settle()
    assert not legend.isVisible()
    assert lines(titles[0]) == [0, 0]


def test_scores_of_given_weights_are_said_to_be_logarithms(bench, open_dock, settle):
    dock = open_dock(HeatmapsDock, 700, 600)
    bench.edit(OpenScene(weights_alone()))
    bench.look(quantity=Quantity.SCORES)
    settle()
    (card,) = dock.findChildren(MatrixCard)
    assert Formula.GIVEN_SCORES.words in card.title.toolTip()
