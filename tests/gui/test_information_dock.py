"""The information dock, with the mouse and the keys of a user."""

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QRadioButton, QWidget

from mhagui.document import load_lesson
from mhagui.document.edits import (
    DuplicateHead,
    OpenScene,
    RemoveHead,
    SetMasterGain,
    SetSequenceLength,
    set_gain,
    set_muted,
)
from mhagui.document.source_edits import SetSource
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.gui.docks.information import InformationDock


@pytest.fixture
def dock(open_dock):
    return open_dock(InformationDock, 320, 700)


def chosen(dock):
    return [box.currentText() for box in dock.choices]


def press(qtbot, dock, name):
    button = dock.findChild(QRadioButton, name)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def bits(bars):
    return [bar.value for bar in bars.bars]


def test_what_the_heads_tell_is_seen_first(dock, settle):
    settle()
    top = {part: part.mapTo(dock, QPoint(0, 0)).y() for part in (
        dock.bars, dock.verdict, dock.pair_bars, dock.controls, dock.matrix
    )}  # fmt: skip
    assert list(top.values()) == sorted(top.values())
    assert top[dock.controls] < 400


# ---------------------------------------------------------------------------- what the numbers say


def test_two_clicks_show_the_claim_of_heads_2_and_3_and_where_it_fails(dock, qtbot, settle):
    press(qtbot, dock, "resolution3")
    settle()
    assert bits(dock.pair_bars) == pytest.approx([1, 0, 1], abs=1e-12)
    assert dock.verdict.text() == "Only h2 tells something"
    press(qtbot, dock, "resolution0")
    settle()
    assert bits(dock.pair_bars) == pytest.approx([1, 1, 1])
    assert dock.verdict.text() == "The same fragment: redundant"
    assert dock.balance.text() == "redundancy − synergy = +1.000 bits"


def test_an_exclusive_or_has_a_negative_balance(dock, bench, qtbot, settle, choose):
    choose(dock.controls.kind, "sum of two")
    press(qtbot, dock, "resolution3")
    settle()
    assert bench.scene.source == TokenSource(SourceKind.SUM, resolution=0.5)
    assert dock.balance.text() == "redundancy − synergy = −1.000 bits"
    assert dock.verdict.text() == "Only together: synergy"


def test_a_bit_of_each_of_two_adds_and_needs_four_symbols(
    dock, bench, qtbot, settle, refused, choose
):
    choose(dock.controls.kind, "a bit of each of two")
    press(qtbot, dock, "resolution3")
    settle()
    assert bench.scene.source.n_symbols == 4
    assert dock.verdict.text() == "They add: redundancy = synergy"
    assert dock.balance.text() == "redundancy − synergy = 0.000 bits"
    qtbot.keyClick(dock.controls.symbols, Qt.Key.Key_Up)
    settle()
    assert bench.scene.source.n_symbols == 4
    assert "has 4 symbols" in refused[-1]
    assert dock.controls.symbols.value() == 4


def test_indices_are_written_as_subscripts(dock, bench, settle):
    for kind in SourceKind:
        bench.edit(SetSource(TokenSource().with_kind(kind)))
        settle()
        texts = [label.text() for label in dock.findChildren(QLabel)]
        texts += [widget.toolTip() for widget in dock.findChildren(QWidget)]
        assert any("Xₜ₊₁" in text for text in texts)
        assert not [text for text in texts if "X_" in text or "o_t" in text]


def test_the_tip_of_a_source_is_its_formula_and_what_it_shows(dock, bench, settle):
    for n_symbols in (2, 3):
        source = TokenSource(SourceKind.COPY, n_symbols, lag=3)
        bench.edit(SetSource(source))
        settle()
        kind = dock.controls.kind
        formula = "X₁..X₃ i.i.d., then Xₜ₊₁ = Xₜ₋₂"
        assert kind.toolTip() == f"{formula}: the token k back tells it"
        of_sum = kind.itemData(list(SourceKind).index(SourceKind.SUM), Qt.ItemDataRole.ToolTipRole)
        assert f"mod {n_symbols}" in of_sum
        assert "exclusive or" in of_sum


def test_a_gain_moves_the_bars(dock, bench, settle):
    bench.edit(SetMasterGain(60.0))  # row t4: head 2 is sharp on t3, head 3 on t4
    settle()
    assert bits(dock.bars)[1:3] == pytest.approx([1.0, 0.0], abs=1e-12)


def test_the_row_is_the_cursors(dock, bench, settle):
    bench.point(query=0)  # of X_2 no head knows anything: the first two tokens are independent
    settle()
    assert bits(dock.bars) == pytest.approx([0] * 4, abs=1e-12)
    assert "at t = 1" in words(dock)


def words(dock):
    labels = dock.widget().widget().findChildren(type(dock.past))
    return " ".join(label.text() for label in labels if label.isVisible())


def test_a_past_that_is_too_long_is_said_to_be_and_nothing_stale_is_left(dock, bench, settle):
    bench.edit(SetSequenceLength(12))
    bench.edit(SetSource(TokenSource(SourceKind.IID, 4)))
    bench.point(query=9)
    settle()
    assert "The most is t = 8." in words(dock)
    assert not dock.bars.isVisible()
    assert not dock.pair_bars.isVisible()
    assert not dock.balance.isVisible()
    assert dock.verdict.text() == "Not known"
    bench.point(query=7)
    settle()
    assert dock.bars.isVisible()
    assert "65,536 token sequences" in words(dock)


def test_divergences_are_shown_with_their_numbers(dock, bench):
    matrix = dock.matrix.picture.values
    p, q = (head.weights for head in bench.frame.result.heads[1:3])

    def entropy(rows):
        return -np.sum(rows * np.log2(rows, where=rows > 0, out=np.zeros_like(rows)), axis=1)

    wanted = np.mean(entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2)
    assert matrix[1, 2] == pytest.approx(wanted)
    assert dock.rows.text() == "Mean over all 6 rows of A."


def test_many_rows_are_said_to_be_sampled(dock, bench, settle):
    bench.edit(SetSequenceLength(256))
    settle()
    assert dock.rows.text() == "Mean over 64 evenly spaced rows of 256."


# ------------------------------------------------------------------------------------ the controls


def test_controls_show_what_the_source_has(dock, bench, settle):
    bench.edit(SetSource(TokenSource(SourceKind.MARKOV, 3, resolution=0.25)))
    settle()
    controls = dock.controls
    assert controls.kind.currentText() == "Markov"
    assert controls.symbols.value() == 3
    assert controls.table.isVisible()
    assert not controls.lag.isVisible()
    checked = [b.text() for b in controls.findChildren(QRadioButton) if b.isChecked()]
    assert checked == ["0.25"]
    bench.undo()
    settle()
    assert controls.lag.isVisible()
    assert not controls.table.isVisible()


def test_symbols_lag_and_resolution_are_typed(dock, bench, type_in, settle):
    type_in(dock.controls.symbols, "3")
    type_in(dock.controls.lag, "4")
    type_in(dock.controls.resolution, "0.2")
    settle()
    assert bench.scene.source == TokenSource(SourceKind.COPY, 3, lag=4, resolution=0.2)
    assert dock.controls.formula.text() == "X₁..X₄ i.i.d., then Xₜ₊₁ = Xₜ₋₃"
    assert bench.history.n_steps == 3


def test_a_probability_is_typed_and_its_row_scaled(dock, bench, qtbot, settle, choose):
    choose(dock.controls.kind, "Markov")
    settle()
    table = dock.controls.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 1))
    qtbot.keyClick(table, Qt.Key.Key_F2)
    editor = table.findChild(QLineEdit, "probabilityEditor")
    editor.selectAll()
    qtbot.keyClicks(editor, "0.25")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    settle()
    assert bench.scene.source.probabilities[0].tolist() == [0.75, 0.25]
    assert table.model().index(0, 0).data() == "0.75"
    assert table.model().index(0, 2).data() == "1.00"
    assert bench.history.undo_text == "Change transition probability"


def test_the_sum_cannot_be_typed_over(dock, qtbot, settle, choose):
    choose(dock.controls.kind, "Markov")
    settle()
    table = dock.controls.table
    table.setCurrentIndex(table.model().index(0, 2))
    qtbot.keyClick(table, Qt.Key.Key_F2)
    assert table.findChild(QLineEdit, "probabilityEditor") is None


@pytest.mark.parametrize(
    ("text", "sentence"), [("2", "from 0 to 1; got 2"), ("half", "A probability")]
)
def test_what_is_no_probability_is_refused(
    dock, bench, refused, qtbot, settle, text, sentence, choose
):
    choose(dock.controls.kind, "Markov")
    settle()
    before = bench.scene
    table = dock.controls.table
    table.setCurrentIndex(table.model().index(1, 0))
    qtbot.keyClick(table, Qt.Key.Key_F2)
    editor = table.findChild(QLineEdit, "probabilityEditor")
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    settle()
    assert sentence in refused[-1]
    assert bench.scene is before


def test_a_resolution_too_fine_is_refused_and_the_old_one_comes_back(
    dock, bench, refused, type_in, settle
):
    type_in(dock.controls.resolution, "0.0001")
    settle()
    assert "The resolution must be 0 (exact) or" in refused[-1]
    assert dock.controls.resolution.value() == 0.0
    assert bench.scene.source.resolution == 0.0


def test_a_click_on_the_resolution_there_is_leaves_it_pressed(dock, bench, qtbot, settle):
    press(qtbot, dock, "resolution0")
    settle()
    assert dock.findChild(QRadioButton, "resolution0").isChecked()
    assert bench.history.n_steps == 0


def test_two_changes_in_one_turn_are_both_kept(dock, bench, qtbot, choose):
    press(qtbot, dock, "resolution2")
    choose(dock.controls.kind, "periodic")
    assert bench.scene.source == TokenSource(SourceKind.PERIODIC, resolution=0.25)


# --------------------------------------------------------------------------------- the two heads


def test_a_click_in_the_matrix_chooses_the_two_heads(dock, bench, qtbot, settle):
    place = dock.matrix.cell_rect(3, 0).center()
    qtbot.mouseMove(dock.matrix, dock.matrix.cell_rect(0, 1).center())
    settle()
    assert bench.view.pair is None  # a pointer that passes by chooses nothing
    qtbot.mouseClick(dock.matrix, Qt.MouseButton.LeftButton, pos=place)
    settle()
    assert bench.view.pair == (4, 1)
    assert chosen(dock) == ["h4 uniform", "h1 first token"]
    assert [bar.label for bar in dock.pair_bars.bars] == ["h4", "h1", "both"]
    qtbot.keyClick(dock.matrix, Qt.Key.Key_Right)
    settle()
    assert bench.view.pair == (4, 2)


def test_boxes_choose_the_two_heads(dock, bench, settle, choose):
    choose(dock.findChild(QComboBox, "secondHead"), "h4")
    settle()
    assert bench.view.pair == (2, 4)
    assert bits(dock.pair_bars)[1] == bits(dock.bars)[3]


def test_the_pair_stays_with_its_heads_and_falls_back_when_one_is_gone(dock, bench, settle):
    bench.look(pair=(1, 3))
    bench.edit(DuplicateHead(1))
    settle()
    assert chosen(dock) == ["h1 first token", "h4 self"]
    bench.edit(RemoveHead(3))
    settle()
    assert chosen(dock)[0].startswith("h2")
    assert chosen(dock)[1].startswith("h3")


def test_one_head_has_no_pair(dock, bench, settle):
    for uid in (2, 3, 4):
        bench.edit(RemoveHead(uid))
    settle()
    assert len(dock.bars.bars) == 1
    assert not dock.matrix.isVisible()
    bench.edit(OpenScene(load_lesson("two-heads")))
    settle()
    assert dock.matrix.isVisible()
    assert chosen(dock) == ["h1 self", "h2 uniform"]


# ---------------------------------------------------------------------------------------- the bars


def test_a_click_or_an_arrow_on_a_bar_moves_the_cursors_head(dock, bench, qtbot, settle):
    middle = dock.bars.row_rect(2).center().toPoint()
    qtbot.mouseClick(dock.bars, Qt.MouseButton.LeftButton, pos=middle)
    settle()
    assert bench.view.cursor.head == 3
    dock.bars.setFocus()
    qtbot.keyClick(dock.bars, Qt.Key.Key_Down)
    settle()
    assert bench.view.cursor.head == 4
    qtbot.keyClick(dock.bars, Qt.Key.Key_Down)  # there is none below
    qtbot.keyClick(dock.bars, Qt.Key.Key_Up)
    assert bench.view.cursor.head == 3
    below = QPoint(20, dock.bars.height() + 50)
    qtbot.mouseClick(dock.bars, Qt.MouseButton.LeftButton, pos=below)
    assert bench.view.cursor.head == 3


def test_bars_of_a_pair_move_the_cursors_head(dock, bench, qtbot, settle):
    for row, wanted in ((1, 3), (0, 2), (2, 2)):  # that of both is no head
        middle = dock.pair_bars.row_rect(row).center().toPoint()
        qtbot.mouseClick(dock.pair_bars, Qt.MouseButton.LeftButton, pos=middle)
        settle()
        assert bench.view.cursor.head == wanted


def test_the_numbers_of_the_bars_are_copied_in_full(dock, bench, qtbot, settle):
    bench.edit(SetSource(TokenSource(SourceKind.MARKOV, 2)))
    settle()
    dock.bars.setFocus()
    qtbot.keyClick(dock.bars, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert [line.split("\t")[0] for line in lines] == ["h1", "h2", "h3", "h4"]
    assert [float(line.split("\t")[1]) for line in lines] == bits(dock.bars)


def test_a_screen_reader_hears_the_bars(dock):
    assert dock.bars.accessibleName() == "Information of each head in bits"
    assert dock.bars.accessibleDescription().startswith("h1 1.000 bits, h2 1.000 bits")


def test_bars_are_as_long_as_their_numbers_and_ablated_ones_hollow(dock, bench, grabbed, settle):
    bench.edit(set_muted(4, True))
    settle()
    picture = grabbed(dock.bars).astype(int)
    whole, half = (
        picture[round(dock.bars.row_rect(row).top()) + 4 : round(dock.bars.row_rect(row).bottom())]
        for row in (0, 3)
    )

    def length(line):  # the pixels that have the colour of the band before the label
        return np.count_nonzero(np.abs(line - line[1]).sum(axis=1) < 9)

    middle = len(whole) // 2 - 2
    assert length(half[1]) == pytest.approx(length(whole[middle]) / 2, abs=6)  # 0.5 and 1 bit
    assert length(half[middle]) < 10  # the band, and the ends of the rim


def test_nothing_is_measured_while_nobody_looks(dock, bench, settle):
    dock.hide()
    settle()
    before = bits(dock.bars)
    bench.edit(SetSource(TokenSource(SourceKind.IID)))
    settle()
    assert bits(dock.bars) == before
    dock.show()
    settle()
    assert bits(dock.bars) == pytest.approx([0.0] * 4, abs=1e-12)


def test_a_gain_leaves_the_choice_of_symbols_alone(dock, bench, qtbot, settle):
    dock.controls.symbols.setFocus()
    dock.controls.symbols.selectAll()
    qtbot.keyClicks(dock.controls.symbols, "4")  # typed, not yet entered
    bench.edit(set_gain(1, 2.0))
    settle()
    assert dock.controls.symbols.text() == "4"


@pytest.mark.parametrize("points", [9, 10, 14])
def test_numbers_have_room_at_every_font(dock, points, settle):
    font = dock.font()
    font.setPointSize(points)
    dock.setFont(font)
    settle()
    bars = dock.bars
    assert bars.height() >= 4 * bars.fontMetrics().height()
    track = bars.width() - 2 * bars.fontMetrics().horizontalAdvance("0.000")
    assert track > 60
    assert not math.isnan(bits(bars)[0])
    assert bars.row_at(QPointF(0, bars.row_rect(3).center().y()).y()) == 3


def test_tab_goes_down_through_all_that_can_be_used(dock, bench, settle, choose):
    choose(dock.controls.kind, "Markov")
    settle()
    order, widget = [dock.bars], dock.bars.nextInFocusChain()
    while widget is not dock.bars:
        can_tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if widget.isVisible() and can_tab and not isinstance(widget, QLabel | QLineEdit):
            order.append(widget)
        widget = widget.nextInFocusChain()
    inside = [widget for widget in order if dock.widget().isAncestorOf(widget)]
    names = [widget.objectName() for widget in inside if widget.objectName()]
    assert names == [
        "informationBars", "firstHead", "secondHead", "pairBars",
        "sourceKind", "sourceSymbols", "transitionTable", "sourceResolution",
        "resolution0", "resolution1", "resolution2", "resolution3", "divergenceMatrix",
    ]  # fmt: skip
    assert all(widget.accessibleName() for widget in inside if widget.objectName())
    assert all(widget.toolTip() for widget in inside if widget.objectName())
