"""The pictures of two heads and their difference: numbers, scales, one cursor, and numbers out."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from mhagui.document import ColourScale
from mhagui.document.edits import OpenScene, SetSequenceLength
from mhagui.document.mask_rule import MaskKind, MaskRule

LEFT = Qt.MouseButton.LeftButton
A, B, DIFFERENCE, ROWS = range(4)


def bits(p, q):
    """The divergence of two rows from its definition: (KL(p, m) + KL(q, m)) / 2."""
    m = (p + q) / 2
    return sum(float(np.sum(r[r > 0] * np.log2(r[r > 0] / m[r > 0]))) for r in (p, q)) / 2


# ------------------------------------------------------------------------------------ what is shown


def test_two_heads_stand_side_by_side_with_their_exact_difference(
    dock, bench, shown, titles, weights
):
    one, other = weights(bench.scene, 0), weights(bench.scene, 1)
    assert np.array_equal(shown(dock, A), one)
    assert np.array_equal(shown(dock, B), other)
    assert np.array_equal(shown(dock, DIFFERENCE), other - one)
    assert titles(dock)[:3] == ["A  h1 first token", "B  h2 previous token", "B − A"]


def test_each_row_has_its_divergence_in_bits(dock, bench, shown, weights):
    one, other = weights(bench.scene, 0), weights(bench.scene, 1)
    expected = [bits(p, q) for p, q in zip(one, other, strict=True)]
    assert shown(dock, ROWS).ravel() == pytest.approx(expected, abs=1e-12)
    mean = f"{np.mean(expected):.3f}"
    assert mean in dock.summary.text()
    worst = int(np.argmax(expected))
    assert f"{expected[worst]:.3f} at t{worst + 1}" in dock.summary.accessibleName()


def test_the_largest_difference_is_named_with_its_sign(dock, bench, weights):
    difference = weights(bench.scene, 1) - weights(bench.scene, 0)
    t, i = np.unravel_index(np.abs(difference).argmax(), difference.shape)
    assert f"B − A: +{difference[t, i]:.4f} at t{t + 1}, i{i + 1}" in dock.summary.text()


def test_a_and_b_have_one_scale_and_the_difference_is_centred(dock):
    one, other, difference, rows = (view.picture for view in dock.pictures.views)
    assert (one.low, one.high) == (other.low, other.high) == (0.0, 1.0)
    assert one.table is other.table
    assert difference.low == -difference.high
    assert difference.signed
    assert (rows.low, rows.high) == (0.0, 1.0)
    assert [strip.scale.high for strip in dock.strips] == [1.0, difference.high, 1.0]


def test_masked_cells_are_no_numbers_in_any_of_them(dock):
    for view in dock.pictures.views[:ROWS]:
        assert not view.picture.is_allowed(2, 3)
        assert view.picture.is_allowed(3, 3)


@pytest.mark.parametrize("rule", [MaskRule(MaskKind.FULL), MaskRule(MaskKind.SLIDING, 2)])
def test_cells_are_masked_by_the_rule_of_the_scene(dock, bench, settle, rule):
    bench.edit(OpenScene(replace(bench.scene, mask=rule)))
    settle()
    allowed = bench.frame.result.allowed
    for view in dock.pictures.views[:ROWS]:
        found = [[view.picture.is_allowed(t, i) for i in range(6)] for t in range(6)]
        assert np.array_equal(found, allowed)


@pytest.mark.parametrize("size", [(640, 440), (330, 330), (420, 760), (1200, 900)])
def test_rows_are_level_and_nothing_is_outside(dock, settle, size):
    dock.resize(*size)
    settle()
    pictures = dock.pictures
    for view in pictures.views:
        assert pictures.rect().contains(view.geometry())
    of_cells, of_rows = pictures.views[DIFFERENCE], pictures.views[ROWS]
    for row in range(6):
        cell, bar = of_cells.cell_rect(row, 0), of_rows.cell_rect(row, 0)
        assert abs(of_cells.y() + cell.top() - of_rows.y() - bar.top()) <= 1
        assert abs(cell.height() - bar.height()) <= 1


@pytest.mark.parametrize("width", [340, 380, 430, 520, 640])
def test_how_far_they_are_apart_is_said_in_a_dock_of_any_width(dock, settle, width):
    dock.resize(width, 300)
    settle()
    assert dock.summary.text().startswith("JS mean") or "mean" in dock.summary.text()
    assert dock.summary.width() >= dock.summary.fontMetrics().horizontalAdvance(dock.summary.text())
    shown = dock.summary.geometry()
    for button in (dock.swap, dock.open, dock.let_go, dock.save):
        assert not shown.intersects(button.geometry())
    assert dock.pictures.geometry().top() >= dock.summary.parentWidget().geometry().bottom()


def test_the_same_head_on_both_sides_is_said_to_be_the_same(dock, bench, settle, choose, shown):
    choose(dock.sides[1].head_box, "h1")
    settle()
    assert dock.summary.accessibleName() == "The same weights, to the last digit"
    assert not shown(dock, DIFFERENCE).any()
    assert not shown(dock, ROWS).any()


def test_the_colour_scale_of_the_heatmaps_is_that_of_both(dock, bench, settle):

    bench.look(colour_scale=ColourScale.LOGARITHMIC)
    settle()
    assert dock.pictures.views[A].picture.logarithmic
    assert dock.pictures.views[B].picture.logarithmic
    assert not dock.pictures.views[DIFFERENCE].picture.logarithmic


# -------------------------------------------------------------------------------------- one cursor


def test_the_cursor_of_the_bench_is_in_all_pictures(dock, bench, settle):
    bench.point(query=5, key=2)
    settle()
    cells = [view.cursor_cell for view in dock.pictures.views]
    assert cells == [(5, 2), (5, 2), (5, 2), (5, 0)]


def test_keys_in_any_picture_move_it_and_leave_the_head(dock, bench, qtbot):
    bench.point(query=3, key=2)
    for place, key, cell in (
        (A, Qt.Key.Key_Down, (4, 2)),
        (B, Qt.Key.Key_Right, (4, 3)),
        (DIFFERENCE, Qt.Key.Key_Left, (4, 2)),
        (ROWS, Qt.Key.Key_Up, (3, 2)),
    ):
        qtbot.keyClick(dock.pictures.views[place], key)
        assert (bench.view.cursor.query, bench.view.cursor.key) == cell
        assert bench.view.cursor.head == 1


def test_zoom_is_the_same_in_all_pictures_and_on_the_bench(dock, bench, qtbot, settle):
    bench.edit(SetSequenceLength(40))
    bench.point(query=20, key=10)
    settle()
    qtbot.keyClick(dock.pictures.views[B], Qt.Key.Key_Plus)
    settle()
    window = bench.view.window
    assert window.count == 20
    parts = [view.part for view in dock.pictures.views]
    assert parts[0] == parts[1] == parts[2]
    assert parts[A].rows == parts[ROWS].rows == range(window.query, window.query + 20)
    qtbot.keyClick(dock.pictures.views[ROWS], Qt.Key.Key_0)
    settle()
    assert bench.view.window is None
    assert [view.part for view in dock.pictures.views] == [None] * 4


def test_the_wheel_over_the_rows_keeps_the_columns_that_are_shown(dock, bench, settle, wheel):
    bench.edit(SetSequenceLength(40))
    bench.point(query=20, key=30)
    settle()
    wheel(dock.pictures.views[ROWS], 240, modifiers=Qt.KeyboardModifier.ControlModifier)
    settle()
    window = bench.view.window
    assert window.key <= 30 < window.key + window.count


# ------------------------------------------------------------------------------------- numbers out


def test_all_numbers_are_saved_with_all_digits(
    dock, bench, qtbot, tmp_path, monkeypatch, shown, weights
):
    path = tmp_path / "comparison.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    qtbot.mouseClick(dock.save, LEFT)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 36
    one, other = weights(bench.scene, 0), weights(bench.scene, 1)
    for row in rows:
        t, i = int(row["t"]) - 1, int(row["i"]) - 1
        assert float(row["weight_a"]) == one[t, i]
        assert float(row["weight_b"]) == other[t, i]
        assert float(row["difference"]) == other[t, i] - one[t, i]
        assert float(row["row_jensen_shannon_bits"]) == shown(dock, ROWS)[t, 0]


def test_a_folder_that_is_not_there_is_said(dock, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "nowhere" / "comparison.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(dock.bench.failed) as told:
        qtbot.mouseClick(dock.save, LEFT)
    assert "nowhere" in told.args[0]


def test_tables_are_of_what_is_shown(dock, shown):
    made = {name: make() for name, make, _ in dock.own_tables()}
    assert np.array_equal(made["A"].values, shown(dock, A))
    assert np.array_equal(made["B"].values, shown(dock, B))
    assert np.array_equal(made["B − A"].values, shown(dock, DIFFERENCE))
    assert np.array_equal(made["divergences"].values, shown(dock, ROWS))
    assert list(made["A"].row_labels) == ["t1", "t2", "t3", "t4", "t5", "t6"]


# -------------------------------------------------------------------------------------- keyboard


def test_tab_goes_through_boxes_buttons_and_pictures(dock, qtbot):
    stops = []
    dock.sides[0].source_box.setFocus()
    for _ in range(13):
        stops.append(dock.focusWidget().objectName())
        qtbot.keyClick(dock.focusWidget(), Qt.Key.Key_Tab)
    assert stops == [
        "compareASource", "compareAHead", "compareAPin",
        "compareBSource", "compareBHead", "compareBPin",
        "compareSwap", "compareOpen", "compareSave",
        "compareA", "compareB", "compareDifference", "compareRows",
    ]  # fmt: skip


def test_what_is_out_of_sight_is_let_go_and_comes_back(dock, bench, settle, shown, weights):
    dock.forget()
    dock.redraw()
    settle()
    assert np.array_equal(shown(dock, A), weights(bench.scene, 0))
