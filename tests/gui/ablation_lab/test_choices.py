"""Which heads are ablated in the lab, and how, chosen with the mouse and the keys of a user."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from mhagui.document import compute, load_lesson
from mhagui.document.captured_ablation import AblationKind
from mhagui.document.edits import DuplicateHead, OpenScene, RemoveHead, set_gain
from mhagui.gui.docks.ablation_lab import AblationLabDock


def chosen(dock):
    return sorted(index.row() + 1 for index in dock.controls.picker.selectedIndexes())


# ---------------------------------------------------------------------------- which heads, and how


def test_the_cursors_head_is_ablated_to_zero_at_first(dock, bench, settle, cells, norms_without):
    assert chosen(dock) == [1]
    np.testing.assert_allclose(cells(dock.effect.table)[:, 0], norms_without(bench.scene, 0))
    bench.point(head=3)
    settle()
    assert chosen(dock) == [3]
    np.testing.assert_allclose(cells(dock.effect.table)[:, 0], norms_without(bench.scene, 2))


def test_a_click_adds_a_head_and_the_cursor_is_no_longer_followed(
    dock, bench, qtbot, settle, click_head, cells, norms_without
):
    click_head(qtbot, dock, 2)
    settle()
    assert chosen(dock) == [1, 3]
    assert not dock.controls.follows.isChecked()
    np.testing.assert_allclose(cells(dock.effect.table)[:, 0], norms_without(bench.scene, 0, 2))
    bench.point(head=2)
    settle()
    assert chosen(dock) == [1, 3]
    qtbot.mouseClick(dock.controls.follows, Qt.MouseButton.LeftButton)
    settle()
    assert chosen(dock) == [2]


def test_heads_are_chosen_by_keys(dock, bench, qtbot, settle):
    picker = dock.controls.picker
    picker.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Space):
        qtbot.keyClick(picker, key)
    settle()
    assert chosen(dock) == [1, 2]
    qtbot.keyClick(picker, Qt.Key.Key_Space)
    settle()
    assert chosen(dock) == [1]


def test_with_no_head_left_it_is_the_cursors_again(dock, bench, qtbot, settle, click_head):
    click_head(qtbot, dock, 0)
    settle()
    assert chosen(dock) == [1]
    assert dock.controls.follows.isChecked()
    click_head(qtbot, dock, 3)
    click_head(qtbot, dock, 0)
    settle()
    assert chosen(dock) == [4]
    bench.edit(RemoveHead(4))
    settle()
    assert chosen(dock) == [1]
    assert dock.controls.follows.isChecked()


@pytest.mark.parametrize("n_heads", [4, 9, 64])
def test_all_heads_or_four_rows_of_them_can_be_seen(dock, bench, settle, n_heads):
    for _ in range(n_heads - 4):
        bench.edit(DuplicateHead(1))
    settle()
    picker = dock.controls.picker
    rects = [picker.visualItemRect(picker.item(row)) for row in range(n_heads)]
    rows = {rect.top() for rect in rects}
    assert picker.viewport().height() >= min(len(rows), 4) * rects[0].height()
    assert len(rows) == 1 or n_heads > 4
    for row, rect in enumerate(rects):
        text = picker.fontMetrics().horizontalAdvance(picker.item(row).text())
        assert text + 10 <= rect.width() < picker.viewport().width()  # no name is cut


def test_rows_of_heads_are_as_many_as_the_width_asks_for(dock, bench, settle):
    for _ in range(20):
        bench.edit(DuplicateHead(1))
    picker = dock.controls.picker
    for width in range(300, 900, 23):
        dock.resize(width, 600)
        settle()
        rows = {picker.visualItemRect(picker.item(row)).top() for row in range(picker.count())}
        height = picker.visualItemRect(picker.item(0)).height()
        seen = picker.viewport().height() // height
        assert seen == min(len(rows), 4)
        has_bar = picker.verticalScrollBar().isVisible()
        assert has_bar == (len(rows) > 4)
    dock.resize(300, 600)
    bench.point(head=bench.scene.heads[-1].uid)
    settle()
    last = picker.visualItemRect(picker.item(picker.count() - 1))
    assert picker.viewport().rect().contains(last.center())  # the one that is ablated


def test_kinds_do_what_they_say(dock, bench, settle, choose, cells):
    head = bench.scene.heads[0]
    expected = {}
    a = np.asarray(bench.frame.result.heads[0].weights)
    v, block = bench.frame.result.heads[0].values, bench.scene.w_o[:2]
    uniform = np.tril(np.ones_like(a)) / np.arange(1, len(a) + 1)[:, None]
    expected["uniform attention"] = (uniform - a) @ v @ block
    expected["mean of its rows"] = ((a @ v).mean(axis=0) - a @ v) @ block
    expected["zero"] = -a @ v @ block
    for text, change in expected.items():
        choose(dock.controls.kind, text)
        settle()
        found = cells(dock.effect.table)[:, 0]
        np.testing.assert_allclose(found, np.linalg.norm(change, axis=1), atol=1e-12)
    assert bench.scene.heads[0] is head  # nothing was changed on the bench


def test_an_edge_is_the_cursors(dock, bench, settle, choose, cells):
    choose(dock.controls.kind, "one edge cut")
    bench.point(query=4, key=0)
    settle()
    assert "Query t5 no longer sees key t1" in dock.controls.words.text()
    found = cells(dock.effect.table)[:, 0]
    assert np.flatnonzero(found > 1e-12).tolist() == [4]


def test_a_gain_is_typed_beside_its_kind(dock, bench, settle, type_in, refused, choose, cells):
    assert not dock.controls.gain.isVisible()
    choose(dock.controls.kind, "gain")
    settle()
    assert dock.controls.gain.isVisible()
    type_in(dock.controls.gain, "2.5")
    settle()
    moved = compute(set_gain(1, 2.5).apply(bench.scene))
    change = moved.output - bench.frame.result.output
    np.testing.assert_allclose(
        cells(dock.effect.table)[:, 0], np.linalg.norm(change, axis=1), atol=1e-12
    )
    type_in(dock.controls.gain, "1e9")
    assert "from −1000 to 1000" in refused[-1]


def test_a_value_bias_can_be_kept_where_there_is_one(
    dock, bench, qtbot, settle, cells, norms_without
):
    assert not dock.controls.keeps_bias.isVisible()
    biased = replace(bench.scene.heads[0], b_v=np.array([[2.0, -1.0]]))
    bench.edit(OpenScene(replace(bench.scene, heads=(biased, *bench.scene.heads[1:]))))
    settle()
    assert dock.controls.keeps_bias.isVisible()
    assert "goes as well" in dock.controls.words.text()
    zeroed = cells(dock.effect.table)[:, 0]
    np.testing.assert_allclose(zeroed, norms_without(bench.scene, 0))
    qtbot.mouseClick(dock.controls.keeps_bias, Qt.MouseButton.LeftButton)
    settle()
    assert "stays" in dock.controls.words.text()
    result = bench.frame.result
    without_bias = np.asarray(result.heads[0].weights) @ bench.scene.x @ biased.w_v
    change = without_bias @ bench.scene.w_o[:2]
    np.testing.assert_allclose(
        cells(dock.effect.table)[:, 0], np.linalg.norm(change, axis=1), atol=1e-12
    )


# --------------------------------------------------------------------------------- in the window


def test_the_lab_is_one_of_the_docks_of_the_window(window, settle):
    window.docks.show(["ablationLabDock"])
    settle()
    lab = window.docks.ablation_lab
    assert lab.is_in_sight()
    assert window.width() == 1280
    kinds = [lab.controls.kind.itemData(n) for n in range(lab.controls.kind.count())]
    assert kinds == [kind for kind in AblationKind if kind is not AblationKind.VALUE_BIAS]


@pytest.mark.parametrize("size", [(380, 700), (1000, 500)])
def test_choices_stand_above_or_beside(open_dock, captures, size):
    dock = open_dock(lambda bench: AblationLabDock(bench, captures), *size)
    assert (dock.width(), dock.height()) == size
    controls = dock.controls.mapTo(dock, dock.controls.rect().topRight())
    shown = dock.effect.mapTo(dock, dock.effect.rect().topLeft())
    assert (controls.x() <= shown.x()) == (size[0] > 500)


def test_two_layers_are_said_to_be_as_they_were(dock, bench, settle):
    bench.open(load_lesson("induction"))
    settle()
    assert "Heads of layer 2 read what they read before." in dock.controls.words.text()


def test_tab_goes_through_the_choices_as_they_stand(dock, qtbot, settle):
    dock.take_focus()
    stops = []
    for _ in range(7):
        stops.append(dock.focusWidget())
        qtbot.keyClick(dock.focusWidget(), Qt.Key.Key_Tab)
    controls = dock.controls
    first = (controls.follows, controls.picker, controls.kind, controls.wrong, controls.mute)
    assert stops == [next(iter(dock.pages)), *first, dock.effect.plot]
