"""The window as a whole: one drag moves every panel, menus do what they say."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QTableView,
    QWidget,
)

from mhagui.document import Quantity, load_lesson
from mhagui.document.edits import rename_head, set_gain
from mhagui.gui.main_window import MainWindow
from mhagui.gui.theme import ThemeChoice, apply_theme, is_dark

LEFT = Qt.MouseButton.LeftButton


def handle(slider):
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    return (
        slider.style()
        .subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider)
        .center()
    )


def drag(qtbot, slider, distance):
    """Press the slider's handle, move it by `distance` pixels in steps of one, release."""
    begin = handle(slider)
    qtbot.mousePress(slider, LEFT, pos=begin)
    step = 1 if distance > 0 else -1
    for moved in range(step, distance + step, step):
        qtbot.mouseMove(slider, begin + QPoint(moved, 0))
    qtbot.mouseRelease(slider, LEFT, pos=begin + QPoint(distance, 0))


def number(table, row, column):
    model = table.model()
    return model.data(model.index(row, column), Qt.ItemDataRole.EditRole)


def row_entropy(weights):
    """Entropy in bits of one row, written out here on purpose."""
    return -sum(w * np.log2(w) for w in weights if w > 0)


def test_docks_have_the_names_that_layouts_and_tests_rely_on(window):
    for name in ("headsDock", "heatmapsDock", "outputProjectionDock", "entropyDock", "rankDock"):
        assert window.findChild(object, name) is not None
    for name in ("entropyTable", "outputProjectionTable"):
        assert isinstance(window.findChild(QTableView, name), QTableView)


def test_a_window_never_shown_is_complete_and_follows(qtbot, bundled_font):
    window = MainWindow(load_lesson("four-heads"))
    qtbot.addWidget(window)
    for name in ("gainSlider4", "gainBox4", "heatmap4", "entropyTable", "rankTable"):
        assert window.findChild(QWidget, name) is not None
    effective = window.findChild(QTableView, "effectiveRankTable")
    for gain, rank in ((0.5, 3.27), (1, 2.11), (2, 1.18), (4, 1.00)):
        window.findChild(QSlider, "gainSlider1").setValue(int(100 * gain))
        qtbot.waitUntil(lambda rank=rank: abs(number(effective, 0, 0) - rank) < 0.005)


def test_what_is_behind_another_tab_is_true_too(window, qtbot):
    effective = window.findChild(QTableView, "effectiveRankTable")
    window.bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(lambda: abs(number(effective, 0, 0) - 1.18) < 0.005)


def test_controls_and_models_agree_before_the_next_frame(window):
    slider = window.findChild(QSlider, "gainSlider1")
    box = window.findChild(QAbstractSpinBox, "gainBox1")
    slider.setValue(200)
    assert box.value() == 2.0
    box.setValue(3.0)
    assert slider.value() == 300
    model = window.findChild(QTableView, "outputProjectionTable").model()
    assert model.setData(model.index(0, 1), 0.1234)
    assert model.data(model.index(0, 1), Qt.ItemDataRole.EditRole) == 0.1234


def test_one_drag_moves_entropy_rank_output_and_is_one_undo_step(window, qtbot):
    table = window.findChild(QTableView, "entropyTable")
    slider = window.findChild(QSlider, "gainSlider1")
    before = window.bench.frame
    assert number(table, 5, 1) == pytest.approx(1.824399294858548, abs=1e-12)
    drag(qtbot, slider, slider.width())
    after = window.bench.frame
    assert after.scene.heads[0].gain == 4.0
    # Head 1 at t = 6: one score of 3/sqrt 2 · 4 against five of 0.
    peak = np.exp(4 * 3 / np.sqrt(2))
    weights = np.array([peak, 1, 1, 1, 1, 1]) / (peak + 5)
    qtbot.waitUntil(lambda: abs(number(table, 5, 1) - row_entropy(weights)) < 1e-12)
    assert after.result.heads[0].effective_rank == pytest.approx(1.00, abs=0.005)
    assert not np.array_equal(after.result.output, before.result.output)
    assert window.bench.history.n_steps == 1
    window.bench.undo()
    assert window.bench.scene == before.scene


def test_typed_cell_of_w_o_changes_the_output_channel(window, qtbot):
    table = window.findChild(QTableView, "outputProjectionTable")
    before = window.bench.frame.result.output.copy()
    concat = window.bench.frame.result.concat
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 3))
    qtbot.keyClick(table, Qt.Key.Key_2)  # the first key opens the editor, which takes the rest
    editor = table.findChild(QLineEdit)
    qtbot.keyClicks(editor, ",5")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.bench.scene.w_o[0, 3] == 2.5)  # Qt commits in its next turn
    expected = before.copy()
    expected[:, 3] += 2.5 * concat[:, 0]
    np.testing.assert_allclose(window.bench.frame.result.output, expected, atol=1e-14)


def test_undo_and_redo_by_the_platforms_keys(window, qtbot):
    window.bench.edit(set_gain(1, 2.0))
    undo = window.findChild(QAction, "undo")
    assert undo.text() == "&Undo change gain"
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.bench.scene.heads[0].gain == 1.0
    assert not undo.isEnabled()
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(window, Qt.Key.Key_Y, control)
    assert window.bench.scene.heads[0].gain == 2.0
    window.bench.undo()
    qtbot.keyClick(window, Qt.Key.Key_Z, control | shift)
    assert window.bench.scene.heads[0].gain == 2.0


def test_menus_are_file_edit_view_help(window):
    titles = [action.text().replace("&", "") for action in window.menuBar().actions()]
    assert titles == ["File", "Edit", "View", "Help"]


def menu_action(window, text):
    for menu in window.findChildren(QMenu):
        for action in menu.actions():
            if action.text().replace("&", "") == text:
                return action
    raise AssertionError(text)


def test_a_lesson_opened_from_the_menu_can_be_undone(window):
    before = window.bench.scene
    menu_action(window, "two heads").trigger()
    assert window.bench.scene.n_positions == 4
    assert window.bench.view.cursor.query <= 3
    window.findChild(QAction, "undo").trigger()
    assert window.bench.scene == before


def test_a_broken_file_is_refused_in_one_sentence_and_nothing_changes(window, tmp_path):
    before = window.bench.scene
    for text in ("", "{", "[]", json.dumps({"format": "mhagui scene", "version": 99})):
        path = tmp_path / "broken.json"
        path.write_text(text)
        window.files.open(path)
        assert window.bench.scene is before
        sentence = window.findChild(QLabel, "notice").text()
        window.notices.dismiss()
        assert "broken.json" in sentence
        assert "\n" not in sentence


def test_a_refusal_leaves_the_readout_and_ends_with_the_next_edit(window, qtbot):
    refusal = window.findChild(QLabel, "refusal")
    window.bench.edit(set_gain(1, float("nan")))
    assert "finite" in refusal.text()
    assert window.findChild(QLabel, "cursorReadout").isVisible()
    window.bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(lambda: refusal.text() == "")


def test_a_saved_scene_opens_as_it_was(window, tmp_path, unsaved):
    window.bench.edit(set_gain(1, 1 / 3))
    saved = window.bench.scene
    window.files.write(tmp_path / "mine.json")
    window.bench.edit(set_gain(1, 2.0))
    window.files.open(tmp_path / "mine.json")
    assert unsaved == ["mine.json"]
    assert window.bench.scene == saved


def test_a_scene_that_cannot_be_saved_says_why(window, tmp_path):
    window.files.write(tmp_path / "not there" / "mine.json")
    assert "not there" in window.findChild(QLabel, "notice").text()
    assert window.notices.isVisible()


def test_what_is_being_typed_lands_on_the_scene_it_was_typed_for(window, qtbot, unsaved):
    box = window.findChild(QAbstractSpinBox, "gainBox1")
    window.activateWindow()
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "3.3")
    menu_action(window, "two heads").trigger()
    assert unsaved == ["four heads"]
    assert window.bench.scene.heads[0].gain == 1.0
    window.findChild(QAction, "undo").trigger()
    assert window.bench.scene.heads[0].gain == 3.3


def test_a_title_with_an_ampersand_is_shown_as_it_is(window):
    window.files.lay_out(replace(window.bench.scene, title="Q & A"))
    assert "Q && A" in window.findChild(QAction, "undo").text()


def test_words_of_others_are_shown_as_they_stand(window, qtbot):
    refusal = window.findChild(QLabel, "refusal")
    window.refuse("“<h1>5</h1>” is no number")
    assert refusal.sizeHint().height() < 2 * refusal.fontMetrics().height()
    assert "&lt;h1&gt;" in refusal.toolTip()
    window.bench.edit(rename_head(1, "<b>a</b> & b"))
    view = window.findChild(QWidget, "heatmap1")
    qtbot.waitUntil(lambda: "&lt;b&gt;" in view.toolTip())
    assert "&lt;b&gt;" in window.findChild(QWidget, "nameEdit1").toolTip()


def test_a_refusal_is_seen_right_after_a_notice_and_ended_by_one(window, tmp_path):
    refusal = window.findChild(QLabel, "refusal")
    window.files.write(tmp_path / "mine.json")
    window.refuse("That cannot be done.")
    assert refusal.isVisible()
    window.files.write(tmp_path / "mine.json")
    assert refusal.text() == ""


def test_weights_and_scores_switch_leaves_undo_alone(window, qtbot):
    window.findChild(QAction, "scores").trigger()
    readout = window.findChild(QLabel, "cursorReadout")
    qtbot.waitUntil(lambda: "score" in readout.text())
    assert window.bench.history.n_steps == 0
    assert window.findChild(QAction, "scores").isChecked()
    window.findChild(QAction, "weights").trigger()
    qtbot.waitUntil(lambda: "weight" in readout.text())


def test_choosing_what_is_chosen_leaves_it_ticked(window):
    weights = window.findChild(QAction, "weights")
    weights.trigger()
    assert weights.isChecked()
    assert window.bench.view.quantity is Quantity.WEIGHTS


def test_the_theme_in_force_is_ticked_and_the_systems_is_followed(window, qtbot, qapp):
    system, dark = menu_action(window, "Follow the system"), menu_action(window, "Dark")
    assert system.isChecked()
    dark.trigger()
    assert dark.isChecked()
    assert not system.isChecked()
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert is_dark(qapp.palette())  # the user has chosen; the system is not asked
    system.trigger()
    assert not is_dark(qapp.palette())
    apply_theme(ThemeChoice.DARK)  # behind the window's back, to see the signal undo it
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert not is_dark(qapp.palette())


def test_readout_names_the_cell_under_the_cursor(window, qtbot):
    window.bench.point(head=2, query=3, key=2)
    readout = window.findChild(QLabel, "cursorReadout")
    qtbot.waitUntil(lambda: "0.9233" in readout.text())
    assert all(part in readout.text() for part in ("head 2", "t = 4", "i = 3"))


def test_theme_switches_live_both_ways(window, qtbot, qapp):
    def brightness():
        return window.grab().toImage().pixelColor(3, window.height() - 3).lightness()

    apply_theme(ThemeChoice.DARK)
    qtbot.waitUntil(lambda: brightness() < 80)
    apply_theme(ThemeChoice.LIGHT)
    qtbot.waitUntil(lambda: brightness() > 200)


def test_reset_layout_brings_back_a_closed_dock(window, qtbot):
    window.docks.entropy.close()
    window.docks.heads.setFloating(True)
    window.findChild(QAction, "reset_layout").trigger()
    qtbot.waitUntil(
        lambda: window.docks.entropy.isVisible() and not window.docks.heads.isFloating()
    )


def test_every_interactive_widget_has_an_accessible_name(window):
    kinds = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QAbstractItemView, QComboBox)
    nameless = [
        f"{type(widget).__name__} {widget.objectName()}"
        for kind in kinds
        for widget in window.findChildren(kind)
        if not widget.inherits("QScrollBar")
        and not widget.inherits("QHeaderView")
        and not (widget.accessibleName() or getattr(widget, "text", str)())
        and not widget.objectName().startswith("qt_")
        and not widget.window().inherits("QComboBoxPrivateContainer")
    ]
    assert nameless == []


def test_all_shows_at_1280_by_800_without_a_cut_label_or_scroll_bar(window, qtbot, qapp):
    window.resize(1280, 800)
    qapp.processEvents()
    scroll_bars = [
        bar.parentWidget().parentWidget()
        for bar in window.findChildren(QAbstractSlider)
        if bar.inherits("QScrollBar") and not bar.visibleRegion().isEmpty()
    ]
    assert scroll_bars == []
    cut = [
        label.text()
        for label in window.findChildren(QLabel)
        if not label.visibleRegion().isEmpty()
        and not label.wordWrap()
        and max(map(label.fontMetrics().horizontalAdvance, label.text().splitlines()), default=0)
        > label.width() + 1
    ]
    assert cut == []


def test_arrows_move_the_cursor_from_the_start(window, qtbot):
    before = window.bench.view.cursor
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Up)
    assert window.bench.view.cursor.query == before.query - 1


def test_closing_stops_the_frames(open_window, unsaved):
    window = open_window()
    shown = []
    window.bench.shown.connect(shown.append)
    window.bench.edit(set_gain(1, 3.0))
    assert window.close()
    assert unsaved == ["four heads"]
    QApplication.processEvents()
    assert shown == []


def test_every_dock_can_be_reached_from_the_menu_and_takes_the_keyboard(window, settle):
    for dock in window.docks.all:
        menu = next(m for m in window.findChildren(QMenu) if m.title() == "&Docks")
        action = next(a for a in menu.actions() if a.text().replace("&", "") == dock.windowTitle())
        action.trigger()
        settle()
        assert dock.is_in_sight()
        assert dock.isAncestorOf(window.focusWidget()), dock.windowTitle()


def test_the_tokens_are_there_while_the_scene_has_some(window, settle):
    tokens = window.docks.tokens
    assert not tokens.isVisible()
    window.files.lay_out(load_lesson("induction"))
    settle()
    assert tokens.isVisible()
    window.findChild(QAction, "reset_layout").trigger()
    assert tokens.isVisible()
    window.bench.undo()
    settle()
    assert not tokens.isVisible()


def test_what_an_exercise_says_is_in_the_status_bar(window):
    window.docks.lesson.said.emit("Exercise 1: met")
    assert window.statusBar().currentMessage() == "Exercise 1: met"


def test_space_plays_in_the_pipeline_that_the_menu_leads_to(window, qtbot, settle):
    window.docks.enter(window.docks.pipeline)
    settle()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert window.docks.pipeline.timer.isActive()


def test_the_cursors_head_is_copied_muted_soloed_and_removed_by_keys(window, qtbot, settle):
    window.bench.point(head=2)
    control, both = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    for key, modifiers in (
        (Qt.Key.Key_D, control),
        (Qt.Key.Key_M, control),
        (Qt.Key.Key_M, control | both),
    ):
        qtbot.keyClick(window, key, modifiers)
        settle()
    scene = window.bench.scene
    assert [head.name for head in scene.heads[1:3]] == ["previous token"] * 2
    assert (scene.head(2).muted, scene.head(2).soloed) == (True, True)
    assert window.findChild(QAction, "mute_head").isChecked()
    qtbot.keyClick(window, Qt.Key.Key_D, control | both)
    assert not window.bench.scene.has_head(2)


def test_f2_leads_to_the_exercises(window, qtbot, settle):
    qtbot.keyClick(window, Qt.Key.Key_F2)
    settle()
    assert window.docks.lesson.isAncestorOf(window.focusWidget())


def test_each_dock_has_a_letter_of_its_own_in_the_menu(window):
    menu = next(m for m in window.findChildren(QMenu) if m.title() == "&Docks")
    letters = [action.text().partition("&")[2][:1].lower() for action in menu.actions()]
    assert all(letters)
    assert len(set(letters)) == len(letters) == len(window.docks.all)


@pytest.mark.parametrize("name", ["entropy", "tokens", "heatmaps"])
def test_the_keyboard_goes_to_the_heatmaps_when_the_dock_that_has_it_goes(
    window, qtbot, settle, name
):
    window.files.lay_out(load_lesson("induction"))
    settle()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    dock = getattr(window.docks, name)
    window.docks.enter(dock)
    settle()
    assert dock.isAncestorOf(window.focusWidget())
    if name == "tokens":
        window.findChild(QAction, "undo").trigger()  # a scene without tokens is back
    else:
        dock.close()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    settle()
    heir = QApplication.focusWidget()
    assert window.docks.heatmaps.isAncestorOf(heir) != (name == "heatmaps")
    assert window.isAncestorOf(heir)
    dock.show()


def test_undo_and_redo_say_what_they_did(window):
    window.bench.edit(set_gain(1, 2.0))
    said = []
    window.statusBar().messageChanged.connect(said.append)
    window.findChild(QAction, "undo").trigger()
    window.findChild(QAction, "redo").trigger()
    assert [text for text in said if text] == ["Undone: Change gain", "Done again: Change gain"]


def test_f11_is_the_whole_screen_and_a_window_again(window, qtbot, settle):
    whole = Qt.WindowState.WindowFullScreen
    for is_whole in (True, False):
        qtbot.keyClick(window, Qt.Key.Key_F11)
        settle()
        assert bool(window.windowState() & whole) == is_whole


def test_ctrl_f6_goes_to_the_notice(window, qtbot, settle):
    window.notices.tell("Something is.", actions=[("&Do it", int)])
    settle()
    qtbot.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ControlModifier)
    assert window.notices.isAncestorOf(QApplication.focusWidget())
