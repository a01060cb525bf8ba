"""The pipeline: every stage of the lesson's second head, gone through by key, click and clock."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QComboBox, QStyle, QStyleOptionComboBox, QToolButton

from mhagui.document.edits import (
    OpenScene,
    RemoveHead,
    SetSequenceLength,
    rename_head,
    set_gain,
    set_muted,
)
from mhagui.document.pipeline import GAINED, MIXED, PRODUCT, PROJECTED, SCALED, SOFTMAX, STAGES
from mhagui.gui.docks.pipeline import PipelineDock
from mhagui.gui.theme import ThemeChoice, apply_theme
from mhagui.gui.widgets.step_list import StepList

LEFT = Qt.MouseButton.LeftButton
KEY = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier
LAST = len(STAGES) - 1
# Of the lesson's row t4: the products of q_4 with k_1 .. k_4, on a circle of radius 3.
PRODUCTS = np.array([-4.5, 4.5, 9.0, 4.5])
EXPONENTIALS = np.exp((PRODUCTS - 9) / math.sqrt(2))


@pytest.fixture
def dock(bench, qtbot, open_dock):
    bench.point(head=2)
    dock = open_dock(PipelineDock, 680, 290)
    dock.row.setFocus()
    qtbot.waitUntil(dock.row.hasFocus)
    return dock


def shown(dock):
    return [view for view in dock.row.views if view.isVisible()]


def numbers(dock):
    return [view.picture.values for view in shown(dock)]


def texts(dock):
    """The sentence's texts, the longest first, whatever there is room for."""
    return dock.words.accessibleName()


# --- what each stage shows


def test_every_stage_shows_its_matrices_in_the_order_of_the_formula(dock, bench, settle):
    head = bench.frame.result.heads[1]
    product = head.q @ head.k.T
    block = bench.scene.w_o[2:4]
    wanted = [
        [head.q, head.k],
        [head.q, head.k.T, product],
        [product, product / math.sqrt(2)],
        [head.scores, head.scores],
        [head.scores, head.scores],
        [head.scores, head.weights],
        [head.weights, head.values, head.weights @ head.values],
        [head.output, block, head.output @ block],
    ]
    for stage, matrices in enumerate(wanted):
        bench.look(stage=stage)
        settle()
        for painted, matrix in zip(numbers(dock), matrices, strict=True):
            assert painted == pytest.approx(matrix, abs=1e-14), stage


def test_the_gain_in_force_is_the_masters_too(dock, bench, settle):
    bench.edit(set_gain(2, 1.5))
    bench.edit(OpenScene(replace(bench.scene, master_gain=2.0)))
    bench.look(stage=3)
    settle()
    scores, gained = numbers(dock)
    assert gained == pytest.approx(3 * scores)
    assert "g = 3" in texts(dock)


def test_masked_cells_are_hatched_from_the_mask_on(dock, bench, settle):
    for stage in range(SCALED, MIXED):
        bench.look(stage=stage)
        settle()
        picture = shown(dock)[-1].picture
        assert picture.is_allowed(3, 4) is (stage < 4), stage
        assert picture.is_allowed(3, 3), stage


def test_row_of_the_query_and_column_of_the_key_are_marked(dock, bench, settle):
    bench.point(query=4, key=1)
    wanted = {
        0: [(4, None), (1, None)],
        PRODUCT: [(4, None), (None, 1), (4, 1)],
        SOFTMAX: [(4, 1), (4, 1)],
        MIXED: [(4, 1), (1, None), (4, None)],
        PROJECTED: [(4, None), (None, None), (4, None)],
    }
    for stage, marks in wanted.items():
        bench.look(stage=stage)
        settle()
        assert [view.cursor_cell for view in shown(dock)] == marks, stage


@pytest.mark.parametrize(
    ("stage", "sentence"),
    [
        (0, "q_4 = (−3, ≈0)\nk_3 = (−3, ≈0)"),
        (1, "q_4·k_3\n= (−3)·(−3) + ≈0·≈0 = 9"),
        (2, "S[4,3] = q_4·k_3 / √2\n= 9 / 1.414 = 6.364"),
        (3, "g·S[4,3], g = 1\n= 1 · 6.364 = 6.364"),
        (4, "i = 3 ≤ t = 4: allowed\ng·S[4,3] = 6.364 stays"),
        (5, f"= 1 / {EXPONENTIALS.sum():.3f} = {1 / EXPONENTIALS.sum():.4f}"),
        (6, f"A[4,3]·v_3 = {1 / EXPONENTIALS.sum():.4f}·(1, 0)"),
        (7, f"o_4 = ({1 / EXPONENTIALS.sum():.2f}, "),
    ],
)
def test_the_cursors_cell_is_said_with_its_numbers(dock, bench, settle, stage, sentence):
    bench.look(stage=stage)
    settle()
    assert sentence in texts(dock)


def test_a_masked_cell_says_why_it_is_nothing(dock, bench, settle):
    bench.point(query=2, key=4)
    for stage in (4, 5):
        bench.look(stage=stage)
        settle()
        assert "i = 5 > t = 3: masked" in texts(dock)


def test_a_muted_head_says_that_it_adds_nothing(dock, bench, settle):
    bench.edit(set_muted(2, True))
    bench.look(stage=PROJECTED)
    settle()
    assert texts(dock).startswith("muted: does not reach O")


# --- from stage to stage


def test_keys_go_from_stage_to_stage_and_stop_at_the_ends(dock, bench, qtbot):
    for key, stage in (
        (KEY.Key_Right, 1),
        (KEY.Key_PageDown, 2),
        (KEY.Key_Left, 1),
        (KEY.Key_PageUp, 0),
        (KEY.Key_Left, 0),
        (KEY.Key_End, LAST),
        (KEY.Key_Right, LAST),
        (KEY.Key_Home, 0),
    ):
        qtbot.keyClick(dock.row, key)
        assert bench.view.stage == stage, key


def test_buttons_and_steps_go_from_stage_to_stage(dock, bench, qtbot, settle):
    back, forth = (dock.findChild(QToolButton, f"{name}Stage") for name in ("previous", "next"))
    assert not back.isEnabled()
    qtbot.mouseClick(forth, LEFT)
    assert bench.view.stage == 1
    settle()
    qtbot.mouseClick(back, LEFT)
    assert bench.view.stage == 0
    qtbot.mouseClick(dock.findChild(QToolButton, "stage8"), LEFT)
    settle()
    assert bench.view.stage == LAST
    assert not forth.isEnabled()
    checked = [button.isChecked() for button in dock.findChild(StepList).buttons]
    assert checked == [False] * LAST + [True]


def test_play_goes_through_all_stages_and_stops(dock, bench, qtbot):
    stages = []
    dock.timer.timeout.connect(lambda: stages.append(bench.view.stage))
    dock.timer.setInterval(5)
    bench.look(stage=LAST)  # from the end it begins anew
    qtbot.keyClick(dock.row, KEY.Key_Space)
    assert dock.player.accessibleName() == "Pause"
    assert bench.view.stage == 0
    qtbot.waitUntil(lambda: not dock.timer.isActive())
    assert stages == list(range(1, LAST + 1))
    assert dock.player.accessibleName() == "Play all stages"


def test_space_pauses_and_so_does_going_on_by_hand(dock, bench, qtbot):
    for key in (KEY.Key_Space, KEY.Key_Right):
        qtbot.mouseClick(dock.player, LEFT)
        assert dock.timer.isActive()
        qtbot.keyClick(dock.row, key)
        assert not dock.timer.isActive()
    assert bench.view.stage == 1


def test_a_hidden_dock_does_not_play_on(dock, qtbot):
    qtbot.keyClick(dock.row, KEY.Key_Space)
    dock.hide()
    assert not dock.timer.isActive()


def test_a_stage_beyond_the_last_is_the_last(dock, bench, settle):
    bench.look(stage=99)
    settle()
    assert len(numbers(dock)) == 3
    assert dock.title.accessibleName().startswith("h2 previous token  ·  8/8")


# --- head and cell


def test_the_head_is_the_cursors_and_can_be_chosen(dock, bench, qtbot, settle):
    box = dock.findChild(QComboBox, "pipelineHead")
    assert box.currentText() == "h2 previous token"
    box.setFocus()
    qtbot.keyClick(box, KEY.Key_Down)
    assert bench.view.cursor.head == 3
    bench.point(head=1)
    settle()
    assert box.currentText() == "h1 first token"
    bench.edit(rename_head(1, "hold"))
    bench.edit(RemoveHead(2))
    settle()
    assert [box.itemText(n) for n in range(box.count())] == ["h1 hold", "h2 self", "h3 uniform"]


def test_keys_move_the_cell_and_ask_about_it(dock, bench, qtbot):
    bench.point(query=3, key=2)
    for key, cell in (
        (KEY.Key_Down, (4, 2)),
        (KEY.Key_Left, (4, 1)),
        (KEY.Key_Home, (4, 0)),
        (KEY.Key_Up, (3, 0)),
    ):
        qtbot.keyClick(dock.row, key, SHIFT)
        assert (bench.view.cursor.query, bench.view.cursor.key) == cell
    assert bench.view.stage == 0
    with qtbot.waitSignal(dock.cell_asked):
        qtbot.keyClick(dock.row, KEY.Key_Return)


def test_the_pointer_moves_what_the_matrix_has_of_the_cell(dock, bench, qtbot, settle):
    bench.look(stage=PRODUCT)
    bench.point(query=3, key=2)
    settle()
    q, turned, product = shown(dock)
    qtbot.mouseMove(q, q.cell_rect(5, 1).center())
    assert (bench.view.cursor.query, bench.view.cursor.key) == (5, 2)
    qtbot.mouseMove(turned, turned.cell_rect(1, 4).center())
    assert (bench.view.cursor.query, bench.view.cursor.key) == (5, 4)
    usual = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(20)
    with qtbot.waitSignal(dock.cell_asked):
        qtbot.mouseClick(product, LEFT, pos=product.cell_rect(1, 0).center())
    QApplication.setDoubleClickInterval(usual)
    assert (bench.view.cursor.query, bench.view.cursor.key) == (1, 0)
    assert dock.row.hasFocus()


# --- what is drawn anew, and at which size


def test_a_gain_draws_nothing_anew_that_comes_before_it(dock, bench, settle):
    bench.look(stage=PRODUCT)
    settle()
    before = [view.picture for view in shown(dock)]
    bench.edit(set_gain(2, 2.5))
    settle()
    assert [view.picture for view in shown(dock)] == before
    bench.look(stage=SOFTMAX)
    settle()
    weights = shown(dock)[1].picture
    bench.edit(set_gain(3, 2.5))  # another head
    settle()
    assert shown(dock)[1].picture is weights
    bench.edit(set_gain(2, 0.0))
    settle()
    assert shown(dock)[1].picture.values[3, :4] == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("size", [(320, 700), (420, 760), (680, 290), (1000, 420)])
@pytest.mark.parametrize("stage", range(LAST + 1))
def test_all_is_inside_the_dock_at_its_usual_sizes(dock, bench, settle, size, stage):
    dock.resize(*size)
    bench.look(stage=stage)
    settle()
    assert (dock.width(), dock.height()) == size
    row = dock.row
    boxes = [view.geometry() for view in shown(dock)]
    assert all(row.rect().contains(box) for box in boxes)
    assert not any(a.intersects(b) for n, a in enumerate(boxes) for b in boxes[:n])
    assert all(view.cell_rect(0, 0).width() >= 15 for view in shown(dock))
    for label in (dock.title, dock.words):
        lines = label.text().split("\n")
        assert max(map(label.fontMetrics().horizontalAdvance, lines)) <= label.width()
    assert not dock.widget().verticalScrollBar().isVisible()


def test_type_grows_with_the_dock(dock, settle):
    usual = dock.words.font().pointSizeF()
    dock.resize(1600, 960)
    settle()
    assert dock.words.font().pointSizeF() >= 2 * usual
    assert dock.row.views[0].font().pointSizeF() >= 2 * usual
    dock.resize(680, 290)
    settle()
    assert dock.words.font().pointSizeF() == usual
    assert (dock.width(), dock.height()) == (680, 290)


def test_the_small_pictures_follow_gain_and_theme(dock, bench, settle, grabbed):
    button = dock.findChild(QToolButton, "stage6")
    sharp = grabbed(button)
    bench.edit(set_gain(2, 0.0))
    settle()
    flat = grabbed(button)
    assert (sharp != flat).any()
    apply_theme(ThemeChoice.DARK)
    settle()
    assert (grabbed(button) != flat).any()


def test_many_positions_are_drawn_and_said_to_have_no_numbers(dock, bench, settle):
    bench.edit(SetSequenceLength(300))
    bench.point(query=250, key=249)
    for stage in range(LAST + 1):
        bench.look(stage=stage)
        settle()
        assert all(view.picture.shape[0] in (2, 300) for view in shown(dock))
    assert "no numbers above T = 64" in dock.title.accessibleName()


def test_the_keyboard_is_seen_to_be_here(dock, grabbed):
    with_focus = grabbed(dock.row)
    dock.heads.setFocus()
    assert (grabbed(dock.row) != with_focus).any()


def test_tab_goes_through_the_controls_to_the_stages(dock, bench, qtbot, settle):
    bench.look(stage=PRODUCT)
    settle()
    dock.heads.setFocus()
    reached = []
    for _ in range(4):
        qtbot.keyClick(QApplication.focusWidget(), KEY.Key_Tab)
        reached.append(QApplication.focusWidget().objectName())
    assert reached == ["previousStage", "playStage", "nextStage", "stageMatrices"]
    assert dock.row.accessibleName().startswith("Stage 2 of 8: Q·Kᵀ")
    assert dock.row.accessibleDescription().endswith("= 9")


def test_type_follows_the_applications_font(dock, qapp, settle):
    usual, height = qapp.font(), dock.title.fontMetrics().height()
    larger = qapp.font()
    larger.setPointSize(14)
    qapp.setFont(larger)
    settle()
    assert dock.words.font().pointSize() == 14
    assert dock.title.fontMetrics().height() > 1.2 * height
    qapp.setFont(usual)
    settle()
    assert dock.title.fontMetrics().height() == height


def test_the_head_is_shown_with_its_name_at_the_first_size_in_the_window(dock, bench, settle):
    dock.resize(656, 426)
    settle()
    option = QStyleOptionComboBox()
    dock.heads.initStyleOption(option)
    assert option.currentText == "h2 previous token"
    part, control = QStyle.SubControl.SC_ComboBoxEditField, QStyle.ComplexControl.CC_ComboBox
    field = dock.heads.style().subControlRect(control, option, part, dock.heads)
    words = dock.heads.fontMetrics().horizontalAdvance(option.currentText)
    assert words <= field.width() - dock.heads.iconSize().width()


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_the_stage_of_the_moment_is_framed_and_no_other(dock, bench, settle, grabbed, theme):
    apply_theme(theme)
    bench.look(stage=2)
    settle()
    frame = dock.palette().color(QPalette.ColorRole.Highlight).getRgb()[:3]
    for number, button in enumerate(dock.steps.buttons):
        pixels = grabbed(button)
        assert (tuple(pixels[button.height() // 2, 1]) == frame) == (number == 2)


def test_a_small_dock_shows_stages_and_matrices_without_scrolling(dock, settle):
    dock.resize(460, 250)
    settle()
    assert not dock.widget().verticalScrollBar().isVisible()
    assert all(button.isVisible() for button in dock.steps.buttons)
    assert shown(dock)[0].cell_rect(0, 0).width() >= 12


def test_small_pictures_follow_the_gain_and_make_no_new_icon(dock, bench, settle, grabbed):
    dock.resize(900, 420)
    settle()
    gained = dock.steps.buttons[GAINED]
    icon, before, products = gained.icon(), grabbed(gained), grabbed(dock.steps.buttons[PRODUCT])
    bench.edit(set_gain(bench.view.cursor.head, -1.0))
    settle()
    assert (grabbed(gained) != before).any()
    assert (grabbed(dock.steps.buttons[PRODUCT]) == products).all()
    assert gained.icon().cacheKey() == icon.cacheKey()  # Qt keeps the pixmaps of every new one


def test_a_step_stands_still_when_it_is_chosen(dock, bench, settle, grabbed):
    dock.resize(900, 420)
    bench.look(stage=PRODUCT)
    settle()
    button = dock.steps.buttons[GAINED]
    before = outline(grabbed(button))
    bench.look(stage=GAINED)
    settle()
    assert outline(grabbed(button)) == before


def outline(pixels):
    """From where to where a button is dark, away from its frame: columns, rows."""
    dark = pixels[3:-3, 3:-3].max(axis=2) < 128
    return [np.flatnonzero(dark.any(axis=axis))[[0, -1]].tolist() for axis in (0, 1)]
