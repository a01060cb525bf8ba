"""What comes of an ablation in the lab: how far O moves, at which site, what hangs on a head."""

import re
import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from mhagui.document.edits import OpenScene, set_gain, set_muted
from mhagui.errors import UserError
from mhagui.gui.docks import ablation_lab

# ------------------------------------------------------------------------------- what comes of it


def test_the_wrong_site_stands_beside_the_right_one_when_it_is_asked_for(
    dock, bench, qtbot, settle, cells
):
    assert dock.effect.table.model().columnCount() == 2
    assert not dock.effect.wrong.isVisible()
    qtbot.mouseClick(dock.controls.wrong, Qt.MouseButton.LeftButton)
    settle()
    wrong = bench.frame.result.output[:, :2]
    np.testing.assert_allclose(cells(dock.effect.table)[:, 2], np.linalg.norm(wrong, axis=1))
    assert dock.effect.wrong.text().startswith("Why before W_O?")
    assert [curve.label for curve in dock.effect.plot.curves] == [
        "before W_O",
        "after W_O: wrong",
    ]


def test_the_wrong_site_is_of_zeroing_alone(dock, qtbot, settle, choose):
    qtbot.mouseClick(dock.controls.wrong, Qt.MouseButton.LeftButton)
    settle()
    assert dock.effect.wrong.isVisible()
    choose(dock.controls.kind, "mean")
    settle()
    assert not dock.controls.wrong.isEnabled()
    assert "choose zero" in dock.controls.wrong.toolTip()
    assert dock.effect.table.model().columnCount() == 2
    assert not dock.effect.wrong.isVisible()


def test_the_sentences_say_how_much_and_where(dock, bench, settle):
    bench.point(query=3)
    settle()
    output = bench.frame.result.output
    change = -bench.frame.result.heads[0].term
    share = 100 * np.linalg.norm(change) / np.linalg.norm(output)
    assert f"{share:.1f}\xa0%" in dock.effect.summary.text()
    here = 100 * np.linalg.norm(change[3]) / np.linalg.norm(output[3])
    assert dock.effect.here.text().startswith("At t4")
    assert f"{here:.1f}\xa0%" in dock.effect.here.text()
    channel = int(abs(change[3]).argmax())
    found = re.search(r"O\[t4,\xa0d(\d+)\]: (\S+) → (\S+)\.$", dock.effect.here.text())
    assert int(found[1]) == channel + 1
    after = output[3, channel] + change[3, channel]
    assert float(found[3]) == pytest.approx(after, abs=1e-3)


def test_plot_and_table_move_the_cursor_and_follow_it(dock, bench, qtbot, settle):
    dock.effect.plot.setFocus()
    qtbot.keyClick(dock.effect.plot, Qt.Key.Key_Home)
    settle()
    assert bench.view.cursor.query == 0
    assert dock.effect.table.currentIndex().row() == 0
    dock.effect.table.setFocus()
    qtbot.keyClick(dock.effect.table, Qt.Key.Key_Down)
    settle()
    assert bench.view.cursor.query == 1
    assert dock.effect.plot.cursor_line.value() == 2


def test_the_table_is_copied_in_full_precision(dock, bench, qtbot, settle, cells):
    dock.effect.table.setFocus()
    qtbot.keyClick(dock.effect.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(dock.effect.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().split("\n")
    copied = np.array([[float(cell) for cell in line.split("\t")] for line in lines])
    np.testing.assert_array_equal(copied, cells(dock.effect.table))


def test_what_is_shown_can_be_copied_as_a_table(
    dock, bench, qtbot, settle, choose, click_head, cells, show_page
):
    click_head(qtbot, dock, 2)
    choose(dock.controls.kind, "mean")
    settle()
    ((name, make, place),) = dock.own_tables()
    assert (name, place) == ("changes of O", "effectTable")
    assert make().title == "Change of O: h1, h3, mean of its rows"
    assert list(make().row_labels) == ["t1", "t2", "t3", "t4", "t5", "t6"]
    np.testing.assert_array_equal(make().values, cells(dock.effect.table))
    show_page(qtbot, dock, dock.importance)
    settle()
    ((_, make, place),) = dock.own_tables()
    assert place == "importanceTable"
    assert list(make().row_labels) == ["gradient × output", "ablation", "gap"]
    show_page(qtbot, dock, dock.next_token)
    settle()
    assert dock.own_tables() == ()


def test_a_gain_on_the_bench_is_followed(dock, bench, settle, cells, norms_without):
    bench.edit(set_gain(1, 0.2))
    settle()
    np.testing.assert_allclose(cells(dock.effect.table)[:, 0], norms_without(bench.scene, 0))


def test_muted_heads_have_nothing_to_ablate(dock, bench, settle):
    bench.edit(set_muted(1, True))
    settle()
    assert "muted on the bench" in dock.effect.summary.text()
    assert not dock.effect.table.isVisible()
    assert not dock.controls.mute.isEnabled()
    bench.undo()
    settle()
    assert dock.effect.table.isVisible()
    assert dock.controls.mute.isEnabled()


def test_only_the_button_edits_the_scene_and_one_undo_takes_it_back(
    dock, bench, qtbot, settle, choose, click_head, show_page
):
    before = bench.scene
    click_head(qtbot, dock, 2)
    choose(dock.controls.kind, "uniform")
    show_page(qtbot, dock, dock.importance)
    settle()
    assert bench.scene is before
    qtbot.mouseClick(dock.controls.mute, Qt.MouseButton.LeftButton)
    settle()
    assert [head.muted for head in bench.scene.heads] == [True, False, True, False]
    bench.undo()
    settle()
    assert bench.scene == before


def test_a_file_without_values_has_a_sentence(dock, bench, settle):
    scene = bench.scene
    heads = tuple(replace(head, w_v=np.zeros((1, 1))) for head in scene.heads)
    empty = replace(
        scene, heads=heads, x=np.zeros((6, 1)), w_o=np.zeros((4, 1)), has_values=False,
        tokens=(), vocabulary=(), has_position_code=False,
    )  # fmt: skip
    bench.edit(OpenScene(empty))
    settle()
    assert "no values" in dock.why_blank


def test_what_takes_long_is_worked_out_aside_and_the_newest_is_shown(
    dock, bench, qtbot, settle, monkeypatch, cells, norms_without
):
    monkeypatch.setattr(ablation_lab, "AT_ONCE", 0)
    threads, usual = [], ablation_lab._found

    def found(*given):
        threads.append(threading.current_thread())
        return usual(*given)

    monkeypatch.setattr(ablation_lab, "_found", found)
    for gain in (0.1, 0.2, 0.3):
        bench.edit(set_gain(1, gain))
        settle()
    wanted = norms_without(bench.scene, 0)
    qtbot.waitUntil(lambda: np.allclose(cells(dock.effect.table)[:, 0], wanted))
    assert threading.main_thread() not in threads
    assert len(threads) == 1  # once the hand rests, and not at every step


def test_what_cannot_be_worked_out_is_said(dock, bench, qtbot, settle, monkeypatch):
    def fail(*_):
        raise UserError("There is no such thing.")

    monkeypatch.setattr(ablation_lab, "ablation_effect", fail)
    bench.edit(set_gain(1, 0.5))
    settle()
    assert dock.effect.summary.text() == "There is no such thing."
    assert not dock.effect.table.isVisible()


# ------------------------------------------------------------------- what hangs on each head


def test_gradient_stands_beside_ablation_and_the_gap_is_between_them(
    dock, bench, qtbot, settle, cells, show_page
):
    show_page(qtbot, dock, dock.importance)
    settle()
    gradient, ablation, gap = cells(dock.importance.table)
    output = bench.frame.result.output
    for place, head in enumerate(bench.frame.result.heads):
        without = np.linalg.norm(output - head.term) - np.linalg.norm(output)
        assert ablation[place] == pytest.approx(without)
        slope = -(output * head.term).sum() / np.linalg.norm(output)
        assert gradient[place] == pytest.approx(slope)
    np.testing.assert_allclose(gap, ablation - gradient)
    assert dock.importance.value.text() == f"L = ‖O‖ = {np.linalg.norm(output):.3f}"
    by_gradient, by_ablation = (curve.values for curve in dock.importance.plot.curves)
    assert len(by_gradient) == len(by_ablation) == 4
    assert by_gradient[-1] == pytest.approx(1)  # all are gone
    first = bench.frame.result.heads[int(abs(gradient).argmin())].term
    assert by_gradient[0] == pytest.approx(np.linalg.norm(first) / np.linalg.norm(output))


def test_channels_are_chosen_where_the_readout_has_some(
    dock, bench, qtbot, settle, type_in, choose, cells, show_page
):
    show_page(qtbot, dock, dock.importance)
    page = dock.importance
    assert not page.channel.isVisible()
    choose(page.kind, "difference")
    settle()
    assert page.channel.isVisible()
    assert page.other.isVisible()
    assert page.value.text().startswith("L = O[t4, d1] − O[t4, d2]")
    type_in(page.channel, "3")
    type_in(page.other, "8")
    bench.point(query=5)
    settle()
    output = bench.frame.result.output
    assert page.value.text().startswith("L = O[t6, d3] − O[t6, d8]")
    assert float(page.value.text().split(" = ")[-1].replace("−", "-")) == pytest.approx(
        output[5, 2] - output[5, 7], abs=1e-3
    )
    np.testing.assert_allclose(cells(page.table)[2], 0, atol=1e-12)
    assert "linear" in page.words.text()


def test_a_channel_that_is_not_there_is_refused(
    dock, qtbot, settle, type_in, refused, choose, show_page
):
    show_page(qtbot, dock, dock.importance)
    choose(dock.importance.kind, "one channel")
    settle()
    type_in(dock.importance.channel, "9")
    assert "from 1 to 8" in refused[-1]


@pytest.mark.parametrize("kind", ["zero", "mean", "uniform", "one edge", "gain"])
def test_one_head_at_one_position_of_huge_numbers(
    dock, bench, qtbot, settle, kind, choose, cells, show_page
):
    head = bench.scene.heads[1]
    huge = replace(head, w_v=1e30 * np.ones_like(head.w_v))
    alone = replace(
        bench.scene, heads=(huge,), x=1e30 * np.ones((1, 8)), w_o=1e30 * np.ones((2, 8))
    )
    bench.edit(OpenScene(alone))
    choose(dock.controls.kind, kind)
    settle()
    expected = 0.0 if kind in ("mean", "uniform", "gain") else 8e90 * 2 * np.sqrt(8)
    assert cells(dock.effect.table)[0, 0] == pytest.approx(expected)
    show_page(qtbot, dock, dock.importance)
    settle()
    np.testing.assert_allclose(cells(dock.importance.table)[:2], -8e90 * 2 * np.sqrt(8))
