"""ALiBi slopes and sink logits by hand: the menu of the Heads dock, the cards, and what is told."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QToolButton, QWidget

from mhagui import core
from mhagui.document import Head, Pattern, Quantity, Scene, compute, load_lesson
from mhagui.document.bias_edits import SetAlibi, SetSinks, set_sink, set_slope
from mhagui.document.captured_comparison import compare
from mhagui.document.edits import HandSet, OpenScene, SetPattern, set_gain
from mhagui.document.pipeline import GAINED, MASKED, SOFTMAX
from mhagui.document.result_capture import scene_capture
from mhagui.formats import USUAL
from mhagui.gui.docks.cell import CellDock
from mhagui.gui.docks.compare_sources import OfScene
from mhagui.gui.docks.head_card import why_no_gain_acts
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.docks.pipeline import PipelineDock
from mhagui.gui.formulas import Formula
from mhagui.gui.pictures import cursor_text, spoken_cell
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.number_box import NumberBox
from mhagui.gui.widgets.number_table import NumberTable

LEFT = Qt.MouseButton.LeftButton
UP = Qt.Key.Key_Up


@pytest.fixture
def dock(heads_dock):
    return heads_dock


def find(dock, name, kind=QWidget):
    (found,) = dock.findChildren(kind, name)
    return found


def seen(dock, name):
    return find(dock, name).isVisible()


def slopes(bench):
    return [head.slope for head in bench.scene.heads]


def sinks(bench):
    return [head.sink for head in bench.scene.heads]


def choose(dock, settle, entry):
    """Choose the entry of the menu that begins so; return what was marked before."""
    menu = find(dock, "biasButton", QToolButton).menu()
    menu.aboutToShow.emit()
    found = {each.text(): each for each in menu.actions() if each.text()}
    marked = {text for text, each in found.items() if each.isChecked()}
    next(each for text, each in found.items() if text.startswith(entry)).trigger()
    settle()
    return marked


# --- the menu


def test_alibi_is_given_to_all_heads_and_taken_away(bench, dock, settle):
    assert choose(dock, settle, "&ALiBi") == set()
    assert slopes(bench) == core.alibi_slopes(4).tolist()
    assert bench.history.n_steps == 1
    bench.edit(set_slope(2, 0.5))
    settle()
    assert choose(dock, settle, "&ALiBi slopes (now others)") == set()
    assert slopes(bench) == core.alibi_slopes(4).tolist()
    assert choose(dock, settle, "&ALiBi") == {"&ALiBi slopes"}
    assert slopes(bench) == [0.0] * 4
    bench.undo()
    assert slopes(bench) == core.alibi_slopes(4).tolist()


def test_sinks_for_all_heads_or_for_the_selected_one(bench, dock, settle):
    bench.point(head=3)
    settle()
    choose(dock, settle, "Sink logit of &h3")
    assert sinks(bench) == [None, None, 0.0, None]
    assert choose(dock, settle, "&Sink logits") == {"Sink logit of &h3"}
    assert sinks(bench) == [0.0] * 4
    choose(dock, settle, "Sink logit of &h3")
    assert sinks(bench) == [0.0, 0.0, None, 0.0]
    choose(dock, settle, "&Sink logits")
    assert choose(dock, settle, "&Sink logits") == {"&Sink logits", "Sink logit of &h3"}
    assert sinks(bench) == [None] * 4


def test_given_weights_can_have_neither(bench, dock, settle):
    a = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    head = Head(1, "given", Pattern.GIVEN, np.zeros((1, 1)), a=a)
    scene = Scene("w", "", (head,), np.zeros((4, 1)), np.zeros((1, 1)), 1, has_values=False)
    bench.edit(OpenScene(scene))
    settle()
    menu = find(dock, "biasButton", QToolButton).menu()
    menu.aboutToShow.emit()
    assert not any(action.isEnabled() for action in menu.actions() if action.text())


# --- the cards


def test_cards_are_quiet_where_no_head_has_either(bench, dock, settle):
    before = [find(dock, f"headCard{n}").height() for n in range(1, 5)]
    names = ("slopeBox", "sinkBox", "hasSinkBox")
    made = [dock.findChildren(QWidget, f"{name}{n}") for name in names for n in range(1, 5)]
    assert not any(made)
    bench.edit(SetAlibi(True))
    settle()
    assert all(seen(dock, f"slopeBox{n}") for n in range(1, 5))
    assert not any(seen(dock, f"sinkBox{n}") for n in range(1, 5))
    bench.undo()
    settle()
    settle()  # the scroll bar goes a turn later
    assert [find(dock, f"headCard{n}").height() for n in range(1, 5)] == before


def test_a_slope_is_typed_and_scrubbed_in_one_step(bench, dock, qtbot, settle, type_in):
    bench.edit(SetAlibi(True))
    settle()
    box = find(dock, "slopeBox2", NumberBox)
    type_in(box, "0.5")
    assert slopes(bench)[1] == 0.5
    steps = bench.history.n_steps
    for _ in range(3):
        qtbot.keyClick(box, UP)
    settle()
    assert slopes(bench)[1] == pytest.approx(0.65)
    assert bench.history.n_steps == steps
    bench.undo()
    assert slopes(bench) == core.alibi_slopes(4).tolist()


def test_no_slope_below_0_is_taken(bench, dock, qtbot, settle, type_in):
    bench.edit(SetAlibi(True))
    settle()
    with qtbot.waitSignal(bench.refused) as told:
        type_in(find(dock, "slopeBox1", NumberBox), "-1")
    assert told.args[0] == "ALiBi slope of h1 must be a number from 0 to 100; got -1."
    assert slopes(bench)[0] == 0.25


def test_a_sink_is_taken_from_one_card_and_given_again(bench, dock, qtbot, settle, type_in):
    bench.edit(SetSinks(True))
    settle()
    check, box = find(dock, "hasSinkBox2", QCheckBox), find(dock, "sinkBox2", NumberBox)
    qtbot.mouseClick(check, LEFT)
    settle()
    assert sinks(bench) == [0.0, None, 0.0, 0.0]
    assert not box.isEnabled()
    qtbot.mouseClick(check, LEFT)
    settle()
    assert sinks(bench) == [0.0] * 4
    type_in(box, "2.5")
    assert sinks(bench)[1] == 2.5
    assert bench.view.cursor.head == 2  # by the press on its card


def test_a_card_says_what_the_sink_takes_of_the_row(bench, dock, settle):
    bench.edit(SetSinks(True))
    bench.point(head=4, query=3)
    settle()
    words = [label.text() for label in find(dock, "headCard4").findChildren(QLabel)]
    assert any("takes 20.0 %" in text for text in words)  # of five alike, of which four are keys
    bench.point(query=0)
    settle()
    words = [label.text() for label in find(dock, "headCard4").findChildren(QLabel)]
    assert any("takes 50.0 %" in text for text in words)


def test_tab_reaches_slope_and_sink(bench, dock, qtbot, settle):
    bench.edit(SetAlibi(True))
    bench.edit(SetSinks(True))
    settle()
    find(dock, "keyMagnitudeBox1").setFocus()
    visited = []
    for _ in range(3):
        qtbot.keyClick(dock.window().focusWidget(), Qt.Key.Key_Tab)
        visited.append(dock.window().focusWidget().objectName())
    assert visited == ["slopeBox1", "hasSinkBox1", "sinkBox1"]
    for name in visited:
        assert find(dock, name).accessibleName().endswith("of h1")
        assert find(dock, name).toolTip()


@pytest.mark.parametrize("points", [9, 12, 18])
def test_nothing_is_cut(bench, dock, set_points, settle, points):
    set_points(points)
    bench.edit(SetAlibi(True))
    bench.edit(SetSinks(True))
    settle()
    settle()
    for label in dock.findChildren(QLabel):
        if label.isVisible():
            text = label.fontMetrics().horizontalAdvance(label.text())
            assert label.width() >= text, label.text()


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        ([set_slope(4, 0.5)], "equal scores: its slope alone acts, at any gain"),
        ([set_sink(4, 0.5)], "all scores 0: no gain changes its weights"),
        ([set_sink(1, 0.5)], ""),
        ([HandSet(1, np.ones((6, 2)), np.ones((6, 2))), set_sink(1, 0.5)], ""),
        ([], "all scores 0: uniform at any gain"),
    ],
)
def test_why_no_gain_acts(edits, why):
    scene = load_lesson("four-heads")
    for edit in edits:
        scene = edit.apply(scene)
    place = 0 if why == "" else 3
    assert why_no_gain_acts(compute(scene).heads[place]) == why


# --- what is told of a cell


def test_the_status_line_tells_what_the_sink_takes(bench, settle):
    bench.edit(SetSinks(True))
    bench.point(head=4, query=3, key=1)
    settle()
    assert cursor_text(bench.frame) == (
        "head 4 · t = 4 · i = 2 · weight 0.2000 · 0.8× uniform · sink 0.2000"
    )
    assert spoken_cell(bench.frame).endswith("0.8 times uniform, sink 0.2000")


def test_a_cell_of_a_heatmap_tells_it_too(bench, qtbot, settle):
    bench.edit(SetSinks(True))
    dock = HeatmapsDock(bench)
    qtbot.addWidget(dock)
    dock.resize(700, 600)
    with qtbot.waitExposed(dock):
        dock.show()
    bench.point(head=4, query=3, key=1)
    settle()
    (view,) = (v for v in dock.findChildren(MatrixView) if "4" in v.accessibleName())
    assert view.accessibleDescription().endswith("weight 0.2000, sink 0.2000")
    bench.look(quantity=Quantity.SCORES)
    settle()
    assert "sink" not in view.accessibleDescription()


@pytest.fixture
def cell(bench, open_dock):
    bench.point(head=1, query=3, key=0)
    return open_dock(CellDock, 360, 760)


def test_the_cells_arithmetic_has_the_slope_and_the_sink(cell, bench, settle):
    lines = find(cell, "cellLines")
    plain = lines.accessibleName()
    bench.edit(set_slope(1, 0.5))
    settle()
    row = bench.frame.result.heads[0].scores[3]
    biased = row[0] - 1.5
    told = lines.accessibleName()
    assert f"− slope·|t − i|: {row[0]:.3f} − 0.5000·3 = {biased:.3f}" in told.replace("−−", "−")
    assert sum(label.isVisible() for label in lines.findChildren(QLabel)) == 3 * 8
    bench.edit(set_sink(1, 9.0))
    settle()
    told = lines.accessibleName()
    assert "− sink: 0.6213 − 9 = −8.379" in told
    assert "exp of the sink: e^(9 − 9) = 1" in told
    assert "and the sink" in told
    assert "the sink logit" in cell.reason.accessibleName()
    bench.undo()
    bench.undo()
    settle()
    assert lines.accessibleName() == plain
    assert sum(label.isVisible() for label in lines.findChildren(QLabel)) == 3 * 7
    neighbours = find(cell, "cellNeighbours", NumberTable)
    assert neighbours.model().rowCount() == 5


def test_the_pipeline_shows_the_bias_of_its_own(bench, qtbot, settle):
    dock = PipelineDock(bench)
    qtbot.addWidget(dock)
    dock.resize(900, 500)
    with qtbot.waitExposed(dock):
        dock.show()
    bench.edit(set_slope(1, 0.5))
    bench.edit(set_sink(1, 1.0))
    bench.point(head=1, query=3, key=1)
    for stage, words in (
        (GAINED, "− 0.5000·2 = "),
        (MASKED, "g·S[4,2] + bias = "),
        (SOFTMAX, "sum of the exp of row and sink"),
    ):
        bench.look(stage=stage)
        settle()
        assert words in dock.words.accessibleName()
        assert not dock.row.grab().isNull()
    bench.edit(SetPattern(1, Pattern.UNIFORM))
    bench.edit(set_gain(1, 0.0))
    settle()
    assert "slope" in Formula.ALIBI.text
    assert USUAL.fixed(bench.frame.result.heads[0].sink_shares[0]) > "0"


# --- compared and scored


def test_what_a_sink_takes_is_a_key_where_heads_are_compared():
    scene = set_sink(4, 0.0).apply(load_lesson("four-heads"))
    bare = OfScene(0, ("a", "a"), load_lesson("four-heads")).head(0, 4)
    sunk = OfScene(1, ("b", "b"), scene).head(0, 4)
    found = compare(bare.layer, sunk.layer).divergences[0]
    for t, bits in enumerate(found, 1):  # n keys of 1/n, and n keys of 1/(n + 1) beside the sink
        one = np.append(np.full(t, 1 / t), 0.0)
        other = np.full(t + 1, 1 / (t + 1))
        between = (one + other) / 2
        wanted = sum(
            (p[p > 0] * np.log2(p[p > 0] / between[p > 0])).sum() / 2 for p in (one, other)
        )
        assert bits == pytest.approx(wanted, abs=1e-12)


def test_scores_are_of_the_weights_as_they_are(bench, settle):
    bench.edit(set_sink(1, 3.0))
    settle()
    weights = bench.frame.result.heads[0].weights
    layer = scene_capture(bench.scene, bench.frame.result).layers[0]
    scored = core.head_scores(layer.weights, allowed=layer.allowed).scores["first token"]
    assert scored.values[0] == pytest.approx(weights[1:, 0].mean())  # t1 has no other
    assert scored.baselines[0] == pytest.approx((1 / np.arange(2, 7)).mean())
