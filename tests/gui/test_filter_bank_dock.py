"""The filter bank dock: terms that add up, mute switches, and both sites of an ablation."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QWidget

from mhagui.document import Head, Pattern, Scene, load_lesson
from mhagui.document.edits import (
    DuplicateHead,
    OpenScene,
    RemoveHead,
    SetProjectionBlock,
    SetSequenceLength,
    rename_head,
    set_gain,
    set_muted,
    set_soloed,
)
from mhagui.document.presets import Preset, SetPreset
from mhagui.gui.docks.filter_bank import FilterBankDock
from mhagui.gui.widgets.matrix_picture import shown_indices
from mhagui.palette import head_colour

Button, Key = Qt.MouseButton, Qt.Key


@pytest.fixture
def dock(open_dock):
    """The dock at about its size in the main window."""
    return open_dock(FilterBankDock, 680, 290)


@pytest.fixture
def site(dock, qtbot, settle):
    """The same dock showing the ablation site."""
    qtbot.mouseClick(dock.site_button, Button.LeftButton, pos=QPoint(8, 8))
    settle()
    return dock


def many_heads(n_heads, n_positions=6, d_v=2):
    numbers = np.random.default_rng(5)
    width = n_heads * d_v
    heads = tuple(
        Head(number, f"head {number}", Pattern.UNIFORM, numbers.normal(size=(width, d_v)))
        for number in range(1, n_heads + 1)
    )
    x = np.eye(width)[np.arange(n_positions) % width]
    return Scene("many", "", heads, x, numbers.normal(size=(width, width)), 2)


def term(scene, result, place):
    head, rows = scene.heads[place], slice(place * scene.d_v, (place + 1) * scene.d_v)
    return result.heads[place].weights @ scene.x @ head.w_v @ scene.w_o[rows]


def values(view):
    return view.picture.values


# --- the sum


def test_each_card_shows_its_term_and_the_sum_so_far(dock, bench):
    scene, result = bench.scene, bench.frame.result
    so_far = 0
    for place, card in enumerate(dock.cards):
        so_far = so_far + term(scene, result, place)
        np.testing.assert_allclose(values(card.view), term(scene, result, place), atol=1e-13)
        np.testing.assert_allclose(values(card.lower_view), so_far, atol=1e-13)
    np.testing.assert_allclose(values(dock.total_card.view), so_far, atol=1e-13)
    np.testing.assert_allclose(values(dock.total_card.lower_view), result.output, atol=1e-13)


def test_a_muted_term_is_zero_and_its_bar_is_hollow(dock, bench, settle):
    card = dock.cards[1]
    heard = np.linalg.norm(term(bench.scene, bench.frame.result, 1))
    assert card.bar.fractions[0] == card.bar.fractions[1]
    bench.edit(set_muted(2, True))
    settle()
    assert not values(card.view).any()
    assert card.bar.text == "0"
    filled, hollow = card.bar.fractions
    assert filled == 0 < hollow
    assert f"{heard:.2f}" in card.bar.toolTip()
    assert card.mute.isChecked()


def test_the_bars_are_the_norms(dock, bench):
    norms = [np.linalg.norm(term(bench.scene, bench.frame.result, place)) for place in range(4)]
    assert [card.bar.text for card in dock.cards] == [f"{norm:.2f}" for norm in norms]
    fractions = [card.bar.fractions[0] for card in dock.cards]
    np.testing.assert_allclose(fractions, np.array(norms) / max(norms), rtol=1e-12)


def test_the_bar_is_painted_in_the_heads_colour_as_far_as_it_goes(dock, grabbed):
    bar = dock.cards[1].bar
    box, pixels = bar.bar_rect(), grabbed(bar)
    middle = pixels[round(box.center().y())]
    rgb = [int(head_colour(2)[at : at + 2], 16) for at in (1, 3, 5)]
    length = (middle[: round(box.right())] == rgb).all(axis=1).sum()
    assert length == pytest.approx(bar.fractions[0] * box.width(), abs=1)


def test_all_matrices_share_one_symmetric_scale(dock, bench, settle):
    bench.edit(SetProjectionBlock(0, 0, np.array([[7.0]])))
    settle()
    scale = dock.strip.scale
    views = [view for card in dock.cards for view in (card.view, card.lower_view)]
    largest = max(np.abs(values(view)).max() for view in views)
    assert scale.low == -scale.high
    assert scale.high >= largest > 6
    for view in views:  # 255 colours, the middle of them white
        expected = 127 + values(view) / scale.high * 127
        assert np.abs(shown_indices(view.picture) - expected).max() <= 1


def test_the_residual_is_said_in_units_of_its_bound(dock, bench, settle):
    said = dock.residual.accessibleName()
    assert said.startswith(
        "max |Concat·W_O − Σ_h A_h X W_V^h W_O^(h)| = 0 (0 of the rounding bound"
    )
    bench.edit(OpenScene(many_heads(3)))
    settle()
    result = bench.frame.result
    assert result.filter_bank_residual > 0
    units = dock.residual.accessibleName().split("(")[-1].split(" of the")[0]
    wanted = result.filter_bank_residual / result.residual_bound
    assert float(units) == pytest.approx(wanted, rel=0.05)
    assert dock.total_card.caption.text() == "≈ Concat·W_O"


def test_a_gain_repaints_what_it_touches_alone(dock, bench, settle):
    before = [(card.view.picture, card.lower_view.picture) for card in dock.cards]
    bench.edit(set_gain(3, 1.01))
    settle()
    after = [(card.view.picture, card.lower_view.picture) for card in dock.cards]
    same = [
        [one is other for one, other in zip(now, then, strict=True)]
        for now, then in zip(after, before, strict=True)
    ]
    assert same == [[True, True], [True, True], [False, False], [True, False]]


# --- mute, here and there


def test_mute_here_and_in_the_heads_dock_alike(dock, heads_dock, bench, qtbot, settle):
    there = heads_dock.findChild(QWidget, "muteButton2")
    here = dock.cards[1].mute
    qtbot.mouseClick(here, Button.LeftButton)
    settle()
    assert bench.scene.head(2).muted
    assert there.isChecked()
    qtbot.mouseClick(there, Button.LeftButton)
    settle()
    assert not here.isChecked()
    bench.undo()
    settle()
    assert here.isChecked()
    assert there.isChecked()
    bench.undo()
    settle()
    assert not bench.scene.head(2).muted
    assert bench.history.undo_text is None


def test_a_card_says_what_silences_its_head(dock, bench, settle):
    bench.edit(set_soloed(1, True))
    settle()
    assert dock.cards[1].title.accessibleName() == "h2 previous token (not soloed)"
    assert not dock.cards[1].mute.isChecked()
    assert "not soloed" in dock.cards[1].view.toolTip()


def test_a_card_says_what_its_head_reads(dock, bench, settle):
    assert "A_h·X·W_V^h·W_O^(h)" in dock.cards[3].view.toolTip()
    bench.edit(OpenScene(bench.scene.with_head(4, layer=2)))
    settle()
    assert "A_h·(X + O_1)·W_V^h·W_O^(h)" in dock.cards[3].view.toolTip()
    np.testing.assert_allclose(values(dock.total_card.view), bench.frame.result.output, atol=1e-13)


def test_a_mute_of_a_head_that_has_just_gone_does_nothing(dock, bench, refused, qtbot):
    bench.edit(RemoveHead(4))
    qtbot.mouseClick(dock.cards[3].mute, Button.LeftButton)
    assert refused == []
    assert bench.scene.n_heads == 3


# --- the cursor


def test_the_pointer_on_a_term_moves_the_shared_cursor(dock, bench, qtbot, settle):
    view = dock.cards[2].view
    qtbot.mouseClick(view, Button.LeftButton, pos=view.cell_rect(4, 3).center())
    settle()
    assert (bench.view.cursor.head, bench.view.cursor.query) == (3, 4)
    every = [v for card in [*dock.cards, dock.total_card] for v in (card.view, card.lower_view)]
    assert {v.cursor_cell for v in every} == {(4, None)}


def test_arrow_keys_in_the_sum_move_the_row_and_no_head(dock, bench, qtbot):
    view = dock.total_card.lower_view
    view.setFocus()
    row = bench.view.cursor.query
    qtbot.keyClick(view, Key.Key_Down)
    qtbot.keyClick(view, Key.Key_Down)
    assert (bench.view.cursor.head, bench.view.cursor.query) == (1, row + 2)


def test_a_click_on_a_card_points_at_its_head(dock, bench, qtbot):
    card = dock.cards[3]
    qtbot.mouseClick(card, Button.LeftButton, pos=QPoint(30, card.height() - 2))
    assert bench.view.cursor.head == 4


def test_tab_reaches_switch_and_matrices_of_each_card_in_order(dock, qtbot):
    dock.cards[0].mute.setFocus()
    visited = []
    for _ in range(8):
        visited.append(QApplication.focusWidget().objectName())
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Tab)
    assert visited == [
        *("termMuteButton1", "termView1", "runningSumView1"),
        *("termMuteButton2", "termView2", "runningSumView2"),
        *("termMuteButton3", "termView3"),
    ]


# --- many heads


def test_heads_that_come_and_go(dock, bench, settle):
    bench.edit(DuplicateHead(1))
    settle()
    assert [card.uid for card in dock.cards] == [1, 5, 2, 3, 4]
    bench.edit(OpenScene(load_lesson("two-heads")))
    settle()
    assert [card.uid for card in dock.cards] == [1, 2]
    assert len(dock.findChildren(QWidget, "termView3")) == 0
    bench.undo()
    settle()
    assert len(dock.cards) == 5
    np.testing.assert_allclose(values(dock.total_card.view), bench.frame.result.output, atol=1e-13)


def test_of_32_heads_those_in_sight_are_painted_and_others_when_scrolled_to(dock, bench, settle):
    scene = many_heads(32)
    bench.edit(OpenScene(scene))
    settle()
    painted = [card.view.picture is not None for card in dock.cards]
    assert painted[:3] == [True] * 3
    assert sum(painted) < 12
    bar = dock.row.horizontalScrollBar()
    bar.setValue(bar.maximum())
    settle()
    np.testing.assert_allclose(
        values(dock.cards[31].view), term(scene, bench.frame.result, 31), atol=1e-12
    )
    assert dock.cards[15].view.picture is None
    bench.edit(set_muted(32, True))
    settle()
    assert not values(dock.cards[31].view).any()


@pytest.mark.parametrize("n_heads", [1, 16])
@pytest.mark.parametrize("size", [(680, 290), (1000, 420), (340, 700), (1900, 900), (680, 150)])
def test_cards_have_one_size_and_do_not_touch(dock, bench, settle, size, n_heads):
    bench.edit(OpenScene(many_heads(n_heads)))
    dock.resize(*size)
    settle()
    boxes = [card.geometry() for card in dock.row.cards]
    assert len({(box.width(), box.height()) for box in boxes}) == 1
    for one, other in pairwise(boxes):
        assert one.right() < other.left() or one.bottom() < other.top()
    assert boxes[0].size().expandedTo(dock.cards[0].minimumSizeHint()) == boxes[0].size()
    if dock.row.horizontalScrollBar().maximum() == 0 == dock.row.verticalScrollBar().maximum():
        assert all(dock.row.rect().contains(box) for box in boxes)


@pytest.mark.parametrize("part", ["mute", "view"])
@pytest.mark.parametrize("opens", [True, False], ids=["another lesson", "fewer heads"])
def test_the_card_with_the_keyboard_may_go(dock, bench, qtbot, settle, opens, part):
    bench.edit(OpenScene(many_heads(12)))
    settle()
    getattr(dock.cards[6], part).setFocus(Qt.FocusReason.TabFocusReason)
    settle()
    with qtbot.captureExceptions() as raised:
        for uid in () if opens else range(7, 13):
            bench.edit(RemoveHead(uid))
        if opens:
            bench.edit(OpenScene(load_lesson("two-heads")))
        settle()
    assert raised == []
    assert len(dock.cards) == bench.scene.n_heads
    for place, card in enumerate(dock.cards):
        np.testing.assert_allclose(
            values(card.view), term(bench.scene, bench.frame.result, place), atol=1e-13
        )


def test_many_heads_stand_in_several_lines_where_there_is_height(dock, bench, settle):
    bench.edit(OpenScene(many_heads(16)))
    dock.resize(1400, 900)
    settle()
    tops = {card.y() for card in dock.row.cards}
    assert len(tops) > 1
    assert dock.row.horizontalScrollBar().maximum() == 0
    assert all(card.view.picture is not None for card in dock.cards)


def test_four_heads_fit_without_scrolling_and_sixteen_scroll(dock, bench, settle):
    assert dock.row.horizontalScrollBar().maximum() == 0
    assert dock.row.verticalScrollBar().maximum() == 0
    bench.edit(OpenScene(many_heads(16)))
    settle()
    assert dock.row.horizontalScrollBar().maximum() > 0
    assert dock.row.verticalScrollBar().maximum() == 0


def test_a_long_sequence_is_shown(dock, bench, qtbot):
    bench.edit(SetSequenceLength(1024))
    qtbot.waitUntil(lambda: dock.cards[0].view.picture.shape == (1024, 8))
    dock.grab()


# --- nothing is cut


def assert_nothing_is_cut(dock):
    for label in dock.findChildren(QLabel):
        if label.isVisible() and label.text() and not label.wordWrap():
            wide = QFontMetrics(label.font()).horizontalAdvance(label.text())
            assert wide <= label.width() + 1, label.text()
    for card in dock.cards:
        if card.isVisible():
            assert card.bar.bar_rect().width() > 10


@pytest.mark.parametrize("points", [9, 10, 14])
@pytest.mark.parametrize("size", [(680, 290), (1000, 420)])
def test_no_words_are_cut(dock, bench, settle, qtbot, points, size):
    bench.edit(rename_head(2, "a name of rather many words to show"))
    bench.edit(set_muted(3, True))
    font = dock.font()
    font.setPointSize(points)
    dock.setFont(font)
    dock.resize(*size)
    settle()
    assert_nothing_is_cut(dock)
    dock.site_button.click()
    settle()
    assert_nothing_is_cut(dock)


def test_a_name_that_looks_like_html_is_shown_as_it_stands(dock, bench, settle):
    dock.resize(1400, 420)
    bench.edit(rename_head(1, "<b>x</b>"))
    settle()
    assert dock.cards[0].title.text() == "h1 <b>x</b>"
    assert dock.cards[0].title.textFormat() is Qt.TextFormat.PlainText
    assert "&lt;b&gt;" in dock.cards[0].view.toolTip()


def test_everything_is_named(dock, site):
    for part in dock.findChildren(QWidget):
        if part.focusPolicy() != Qt.FocusPolicy.NoFocus and part.isVisible():
            assert part.objectName(), part
            assert part.accessibleName() or getattr(part, "text", str)(), part.objectName()
            assert part.toolTip(), part.objectName()


def test_light_and_dark_differ_in_ground_alone(dock, dark, settle, grabbed):
    settle()
    card = dock.cards[0]
    picture = grabbed(card)
    ground = picture[card.height() - 3, card.width() // 2]
    assert ground.max() < 80
    assert card.view.picture.table[127].min() > 240


# --- the ablation site


def test_both_sites_side_by_side_with_their_difference(site, bench, settle):
    bench.edit(OpenScene(load_lesson("two-heads")))
    settle()
    scene, result = bench.scene, bench.frame.result
    right = term(scene, result, 1)
    wrong = result.output * [0, 0, 1, 1]
    np.testing.assert_allclose(values(site.site.before.view), right, atol=1e-14)
    np.testing.assert_allclose(values(site.site.after.view), wrong, atol=1e-14)
    np.testing.assert_allclose(values(site.site.difference.view), right - wrong, atol=1e-14)
    assert site.site.difference.note.accessibleName() == "max |right − wrong| = 1"
    assert site.site.after.title.accessibleName() == "Wrong: columns d1..d2 zeroed after W_O"


def test_the_zeroed_columns_are_marked(site, bench, settle):
    bench.point(head=3)
    settle()
    bands = site.site.after.view.picture.column_bands
    marked = [at for at, band in enumerate(bands) if band.alpha() > 0]
    assert marked == [4, 5]
    assert bands[4].name() == head_colour(3)


def test_a_head_is_chosen_in_the_box_or_anywhere_else(site, bench, qtbot, settle):
    box = site.findChild(QComboBox, "ablatedHead")
    assert [box.itemText(at) for at in range(2)] == ["h1 first token", "h2 previous token"]
    box.setFocus()
    qtbot.keyClick(box, Key.Key_Down)
    settle()
    assert bench.view.cursor.head == 2
    assert site.site.before.title.accessibleName() == "Right: h2 zeroed before W_O"
    bench.point(head=4)
    settle()
    assert box.currentIndex() == 3
    expected = sum(term(bench.scene, bench.frame.result, place) for place in range(3))
    np.testing.assert_allclose(values(site.site.before.view), expected, atol=1e-13)


def test_with_the_identity_the_mistake_hides_and_the_note_says_so(site, bench, settle):
    assert site.site.verdict.accessibleName().startswith("With W_O = I both sites agree")
    bench.edit(SetPreset(Preset.IDENTITY))
    settle()
    assert site.site.verdict.accessibleName().startswith("W_O = I here: both sites agree")
    assert site.site.difference.note.accessibleName() == "max |right − wrong| = 0"
    assert not values(site.site.difference.view).any()


def test_where_shapes_do_not_allow_it_the_reason_is_shown(site, bench, settle):
    bench.edit(RemoveHead(4))
    settle()
    assert site.site.why.isVisible()
    assert "H·d_v = 6 columns and O has d_model = 8" in site.site.why.text()
    assert not site.site.after.view.isVisible()
    assert not site.site.difference.isVisible()
    bench.undo()
    settle()
    assert not site.site.why.isVisible()
    assert site.site.after.view.isVisible()
    assert site.site.difference.isVisible()


def test_an_ablated_head_changes_nothing_and_it_is_said(site, bench, settle):
    bench.edit(set_muted(1, True))
    settle()
    assert site.site.before.note.accessibleName().startswith("h1 is muted already")


def test_rows_of_the_ablation_move_the_cursor(site, bench, qtbot):
    view = site.site.difference.view
    view.setFocus()
    qtbot.keyClick(view, Key.Key_Up)
    assert bench.view.cursor.query == 2
    assert site.site.before.view.cursor_cell == (2, None)


def test_the_bank_catches_up_after_the_ablation_site(site, bench, qtbot, settle):
    bench.edit(OpenScene(replace(many_heads(3), title="other")))
    settle()
    qtbot.mouseClick(site.bank_button, Button.LeftButton, pos=QPoint(8, 8))
    settle()
    assert len(site.cards) == 3
    np.testing.assert_allclose(values(site.total_card.view), bench.frame.result.output, atol=1e-12)
    assert site.residual.isVisible()
    assert not site.site.verdict.isVisible()
