import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QPushButton

from mhagui.document.edits import OpenScene, SetSequenceLength, set_gain
from mhagui.document.view_state import WhatIf
from mhagui.formats import USUAL
from mhagui.gui.docks import cost_tables
from mhagui.gui.docks.cost import CostDock
from mhagui.gui.theme import ThemeChoice, apply_theme, theme_of
from mhagui.gui.widgets.log_plot import LogPlot
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.number_table import NumberTable

LEFT, ROLE = Qt.MouseButton.LeftButton, Qt.ItemDataRole
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
TABLES = ("costStages", "costElements", "costMemory", "costExercise2", "costExercise5")
LARGEST = WhatIf(65_536, 1_024, 65_536, 65_536, 1_048_576)


@pytest.fixture
def dock(open_dock):
    return open_dock(CostDock, 320, 700)


@pytest.fixture
def ask(bench, dock, settle):
    """A function that has the dock show other sizes."""

    def ask(*sizes):
        bench.look(what_if=WhatIf(*sizes))
        settle()

    return ask


def box(dock, field) -> CountBox:
    return dock.findChild(CountBox, f"cost_{field}")


def switch_of(dock) -> QCheckBox:
    return dock.findChild(QCheckBox, "costStandard")


def table_of(dock, name) -> NumberTable:
    return dock.findChild(NumberTable, name)


def row_of(dock, name, row, role=ROLE.EditRole):
    model = table_of(dock, name).model()
    labels = [model.headerData(number, DOWN) for number in range(model.rowCount())]
    number = labels.index(row)
    return [model.index(number, column).data(role) for column in range(model.columnCount())]


def test_a_box_whose_arrow_is_held_goes_faster_and_faster(dock):
    boxes = dock.findChildren(CountBox)
    assert len(boxes) == 5
    assert all(box.isAccelerated() for box in boxes)


def says(dock, name):
    return dock.findChild(QLabel, name).text().replace("\xa0", " ")


def lines(dock, name):
    """The curves of a plot by their names: x and y, no longer logarithms."""
    plot = dock.findChild(LogPlot, name)
    drawn = zip(plot.curves, plot.lines, strict=True)
    return {curve.label: [10**values for values in line.getData()] for curve, line in drawn}


def sizes_of(bench):
    return bench.view.what_if


def click_row(qtbot, table, row):
    place = table.visualRect(table.model().index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=place)


def test_it_starts_with_the_sizes_of_the_bench(dock):
    shown = {f: box(dock, f).value() for f in ("d_model", "n_heads", "d_k", "d_v", "n_positions")}
    assert shown == {"d_model": 8, "n_heads": 4, "d_k": 2, "d_v": 2, "n_positions": 6}
    assert switch_of(dock).isChecked()
    assert says(dock, "costSizes") == "As on the bench: d_k = d_v = 8/4 = 2."
    assert row_of(dock, "costStages", "total") == [2112, 4224]


def test_it_follows_the_bench_until_told_otherwise(bench, dock, settle, type_in):
    bench.edit(SetSequenceLength(12))
    settle()
    assert box(dock, "n_positions").value() == 12
    assert row_of(dock, "costStages", "scores") == [12 * 12 * 8, 2 * 12 * 12 * 8]
    type_in(box(dock, "n_positions"), "100")
    bench.edit(SetSequenceLength(9))
    settle()
    assert box(dock, "n_positions").value() == 100
    assert bench.scene.n_positions == 9


def test_shared_key_heads_are_chosen_among_the_divisors(qtbot, bench, dock, ask, settle):
    ask(576, 9, 64, 64, 14)
    shared = dock.findChild(QComboBox, "cost_n_key_heads")
    assert [shared.itemText(at) for at in range(shared.count())] == ["9", "3", "1"]
    assert shared.currentText() == "9"
    shared.setFocus()
    qtbot.keyClick(shared, Qt.Key.Key_Down)
    settle()
    assert sizes_of(bench) == WhatIf(576, 9, 64, 64, 14, 3)
    assert shared.hasFocus()
    assert row_of(dock, "costStages", "Q, K, V")[0] == 7_741_440
    assert row_of(dock, "costElements", "KV cache")[0] == 14 * 3 * 128
    assert "T* = (1 + H_kv/H)·d_model = 768" in says(dock, "costOvertaking")


def test_the_bench_tells_how_many_keys_its_heads_share(bench, dock, settle):
    scene = bench.scene
    heads = [replace(head, key_head=at // 2) for at, head in enumerate(scene.heads)]
    bench.edit(OpenScene(replace(scene, heads=tuple(heads))))
    settle()
    assert dock.findChild(QComboBox, "cost_n_key_heads").currentText() == "2"
    t, d = 6, 8
    assert row_of(dock, "costStages", "Q, K, V")[0] == t * d * (4 * 2 + 2 * 2 + 2 * 2)
    bench.undo()
    settle()
    assert dock.findChild(QComboBox, "cost_n_key_heads").currentText() == "4"


def test_back_to_the_bench(qtbot, bench, dock, ask, settle):
    ask(512, 8, 64, 32, 1024)
    assert not switch_of(dock).isChecked()
    qtbot.mouseClick(dock.findChild(QPushButton, "costOfBench"), LEFT)
    settle()
    assert sizes_of(bench) is None
    assert box(dock, "d_model").value() == 8
    assert switch_of(dock).isChecked()


def test_asking_is_never_undone_and_changes_no_scene(bench, dock, settle, type_in):
    scene = bench.scene
    type_in(box(dock, "d_model"), "512")
    settle()
    assert sizes_of(bench) == WhatIf(512, 4, 128, 128, 6)
    assert bench.scene is scene
    assert bench.history.undo_text is None


def test_stages_are_what_the_matrix_products_take(dock, ask):
    t, d, h, d_k, d_v = 10, 12, 3, 5, 7
    ask(d, h, d_k, d_v, t)
    wanted = {
        "Q, K, V": t * d * h * (d_k + d_k + d_v),
        "scores": t * t * h * d_k,
        "A·V": t * t * h * d_v,
        "W_O": t * h * d_v * d,
    }
    for stage, adds in wanted.items():
        assert row_of(dock, "costStages", stage) == [adds, 2 * adds]
    total = sum(wanted.values())
    assert row_of(dock, "costStages", "total") == [total, 2 * total]
    exponentials, flops = row_of(dock, "costStages", "softmax")
    assert exponentials == h * t * t
    assert math.isnan(flops)
    assert row_of(dock, "costStages", "softmax", ROLE.DisplayRole) == ["300 exp", "–"]


def test_the_lessons_score_flops_are_written_out(dock, ask):
    ask(512, 8, 64, 64, 1024)
    shown = row_of(dock, "costStages", "scores", ROLE.DisplayRole)
    assert shown == ["536,870,912", "1,073,741,824"]


def test_numbers_and_bytes(dock, ask):
    t, d, h, d_k, d_v = 10, 12, 3, 5, 7
    ask(d, h, d_k, d_v, t)
    per_head = {"W_Q": d * d_k, "W_K": d * d_k, "W_V": d * d_v, "W_O": d_v * d}
    per_head |= {"parameters": sum(per_head.values())}
    per_head |= {"weights A": t * t, "KV cache": t * (d_k + d_v)}
    for matrix, count in per_head.items():
        assert row_of(dock, "costElements", matrix) == [h * count, count]
    for matrix in ("parameters", "weights A", "KV cache"):
        wanted = [h * per_head[matrix] * size for size in (8, 4, 2)]
        assert row_of(dock, "costMemory", matrix) == wanted
    assert row_of(dock, "costMemory", "KV cache", ROLE.DisplayRole)[2] == "720 B"


def test_where_the_quadratic_part_overtakes(dock, ask):
    ask(512, 8, 64, 32, 1024)
    said = says(dock, "costOvertaking")
    assert "T* = 2·d_model = 1,024" in said
    assert "at T = 1,024 they are 50.0 % of all" in said
    assert "T* = 4·d_model − 1 = 2,047" in said


def test_the_overtaking_is_where_the_curves_cross(dock, ask):
    ask(512, 8, 64, 32, 6)
    drawn = lines(dock, "costOverT")
    (at,), (height,) = drawn["T* = 1,024"]
    assert at == pytest.approx(1024)
    for name in ("Q, K, V and W_O", "scores and A·V"):
        x, y = drawn[name]
        assert np.interp(math.log(at), np.log(x), np.log(y)) == pytest.approx(math.log(height))
    assert dock.findChild(LogPlot, "costOverT").cursor_line.value() == pytest.approx(math.log10(6))


def test_curves_over_heads(dock, ask):
    ask(384, 5, 32, 32, 100)
    drawn = lines(dock, "costOverH")
    heads, parameters = drawn["parameters, d_k = d_model/H"]
    assert set(np.rint(heads)) >= {1, 2, 4, 6, 8, 12}
    assert parameters == pytest.approx(589_824)
    heads, kept = drawn["parameters, d_k = 32 kept"]
    assert kept == pytest.approx(4 * 384 * 32 * heads)
    heads, weights = drawn["weights H·T²"]
    assert weights == pytest.approx(heads * 100**2)


def test_tied_widths_follow(bench, dock, settle, type_in, ask):
    ask(512, 8, 64, 64, 6)
    assert not box(dock, "d_k").isEnabled()
    type_in(box(dock, "n_heads"), "16")
    settle()
    assert sizes_of(bench) == WhatIf(512, 16, 32, 32, 6)
    assert box(dock, "d_v").value() == 32
    assert says(dock, "costSizes") == "d_k = d_v = 512/16 = 32."


def test_where_heads_do_not_divide_the_width_it_says_which_do(bench, dock, settle, type_in, ask):
    ask(12, 2, 6, 6, 6)
    type_in(box(dock, "n_heads"), "5")
    settle()
    assert sizes_of(bench) == WhatIf(12, 5, 6, 6, 6)
    assert switch_of(dock).isChecked()
    said = says(dock, "costSizes")
    assert "H = 5 does not divide d_model = 12, so d_k and d_v stay as they are." in said
    assert said.endswith("These do: 1, 2, 3, 4, 6, 12.")
    type_in(box(dock, "n_heads"), "4")
    settle()
    assert sizes_of(bench) == WhatIf(12, 4, 3, 3, 6)


def test_of_many_heads_that_divide_it_names_the_nearest(dock, settle, type_in, ask):
    ask(720, 10, 72, 72, 6)
    type_in(box(dock, "n_heads"), "11")
    settle()
    assert says(dock, "costSizes").endswith("The nearest that do: 5, 6, 8, 9, 10, 12, 15, 16.")


def test_untied_widths_stay(qtbot, bench, dock, settle, type_in, ask):
    ask(512, 8, 64, 64, 6)
    qtbot.keyClick(switch_of(dock), Qt.Key.Key_Space)
    settle()
    assert box(dock, "d_k").isEnabled()
    type_in(box(dock, "n_heads"), "16")
    type_in(box(dock, "d_v"), "32")
    settle()
    assert sizes_of(bench) == WhatIf(512, 16, 64, 32, 6)
    assert says(dock, "costSizes") == "H·d_k = 1,024, H·d_v = 512, d_model = 512."
    qtbot.keyClick(switch_of(dock), Qt.Key.Key_Space)
    settle()
    assert sizes_of(bench) == WhatIf(512, 16, 32, 32, 6)


def test_whether_widths_follow_is_known_to_all_that_look(qtbot, bench, dock, settle, type_in, ask):
    ask(512, 8, 64, 64, 6)
    qtbot.keyClick(switch_of(dock), Qt.Key.Key_Space)
    settle()
    assert bench.view.widths_follow is False
    other = CostDock(bench)
    qtbot.addWidget(other)
    other.draw_ahead()
    assert not switch_of(other).isChecked()  # though d_k = d_model/H here
    type_in(box(other, "n_heads"), "16")
    settle()
    assert sizes_of(bench) == WhatIf(512, 16, 64, 64, 6)


def test_untying_stops_following_the_bench(qtbot, bench, dock, settle):
    qtbot.keyClick(switch_of(dock), Qt.Key.Key_Space)
    settle()
    assert sizes_of(bench) == WhatIf(8, 4, 2, 2, 6)
    assert not switch_of(dock).isChecked()


def test_exercise_2(qtbot, bench, dock, settle):
    table = table_of(dock, "costExercise2")
    table.window().findChild(CountBox, "cost_d_model").setFocus()
    assert [row_of(dock, "costExercise2", f"H = {h}")[:2] for h in (1, 2, 4, 6, 8, 12)] == [
        [384 // h, 589_824] for h in (1, 2, 4, 6, 8, 12)
    ]
    click_row(qtbot, table, 3)
    settle()
    assert sizes_of(bench) == WhatIf(384, 6, 64, 64, 6)
    assert switch_of(dock).isChecked()
    assert row_of(dock, "costElements", "parameters")[0] == 589_824


def test_exercise_5_by_keys(qtbot, bench, dock, settle):
    table = table_of(dock, "costExercise5")
    table.setFocus(Qt.FocusReason.TabFocusReason)
    settle()
    assert sizes_of(bench) is None  # coming here changes nothing
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    settle()
    assert sizes_of(bench) == WhatIf(512, 16, 64, 64, 6)
    assert not switch_of(dock).isChecked()
    assert row_of(dock, "costElements", "parameters")[0] == 2_097_152
    qtbot.keyClick(table, Qt.Key.Key_Up)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    settle()
    assert row_of(dock, "costElements", "parameters")[0] == 1_048_576
    assert not switch_of(dock).isChecked()  # though d_k = d_model/H here


def test_the_case_on_show_is_marked(dock, ask):
    table = table_of(dock, "costExercise2")
    ask(384, 8, 48, 48, 100)
    assert {index.row() for index in table.selectedIndexes()} == {4}
    ask(384, 8, 48, 47, 100)
    assert not table.selectedIndexes()


def test_what_cannot_be_is_refused_in_words(bench, dock, refused, type_in):
    type_in(box(dock, "n_positions"), "2000000")
    assert len(refused) == 1
    assert "The sequence length T must be a whole number from 1 to" in refused[0]
    assert sizes_of(bench) is None


def test_a_gain_draws_nothing_anew(bench, dock, settle):
    plot = dock.findChild(LogPlot, "costOverT")
    before = plot.curves
    bench.edit(set_gain(1, 2.0))
    settle()
    assert plot.curves is before


def test_the_mark_of_the_overtaking_follows_the_theme(dock, settle):
    plot = dock.findChild(LogPlot, "costOverT")
    apply_theme(ThemeChoice.DARK)
    settle()
    assert plot.curves[-1].colour == theme_of(dock.palette()).text


@pytest.mark.parametrize("sizes", [WhatIf(1, 1, 1, 1, 1), WhatIf(512, 8, 64, 64, 8192), LARGEST])
def test_every_number_fits_at_320_pixels(dock, ask, sizes):
    ask(*(getattr(sizes, f) for f in ("d_model", "n_heads", "d_k", "d_v", "n_positions")))
    assert dock.width() == 320
    scroll = dock.widget()
    assert scroll.widget().width() <= scroll.viewport().width()
    for name in TABLES:
        table = table_of(dock, name)
        assert table.verticalScrollBar().maximum() == table.horizontalScrollBar().maximum() == 0
        model = table.model()
        for row in range(model.rowCount()):
            for column in range(model.columnCount()):
                text = model.index(row, column).data()
                room = table.columnWidth(column)
                assert table.fontMetrics().horizontalAdvance(text) < room, text
    for field in ("d_model", "n_positions"):
        edit = box(dock, field).lineEdit()
        assert edit.fontMetrics().horizontalAdvance(edit.text()) < edit.width()


def test_legends_show_every_curve_without_being_asked(qtbot, bench):
    dock = CostDock(bench)
    qtbot.addWidget(dock)
    dock.resize(320, 700)
    dock.show()
    for plot in dock.findChildren(LogPlot):
        legend = plot.legend
        qtbot.waitUntil(lambda it=legend: it.height() == it.heightForWidth(it.width()))
        assert plot.view.height() > 10 * plot.fontMetrics().height()


def test_every_control_is_named_and_says_what_it_does(dock):
    controls = [*dock.findChildren(CountBox), *(table_of(dock, name) for name in TABLES)]
    controls += dock.findChildren(LogPlot)
    assert len(controls) == 12
    for control in controls:
        assert control.objectName()
        assert control.accessibleName()
        assert control.toolTip()
    for button in (switch_of(dock), dock.findChild(QPushButton, "costOfBench")):
        assert button.text()
        assert button.toolTip()


def test_tab_goes_through_all_from_top_to_bottom(qtbot, dock, ask):
    ask(512, 8, 64, 32, 6)  # the switch is off, so d_k and d_v are on the way
    box(dock, "d_model").setFocus()
    seen = []
    for _ in range(13):
        seen.append(QApplication.focusWidget().objectName())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    fields = ["d_model", "n_heads", "d_k", "d_v", "n_positions", "n_key_heads"]
    assert seen == [*(f"cost_{f}" for f in fields), "costOfBench", "costStandard", *TABLES]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1_073_741_824.0, "1,073,741,824"),
        (9_999_999_999.0, "9,999,999,999"),
        (1e10, "1e10"),
        (2.0**40, "1.09951e12"),
        (math.nan, "–"),
    ],
)
def test_counts_are_written_out_up_to_ten_digits(value, text):
    assert cost_tables.count_text(value, USUAL) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2, "2 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (1536, "1.50 KiB"),
        (2**20 - 1, "1024 KiB"),
        (2**23, "8.00 MiB"),
        (3 * 2**50, "3.00 PiB"),
        (2**75, "32768 EiB"),
    ],
)
def test_bytes_are_written_in_the_largest_unit(value, text):
    assert cost_tables.bytes_text(float(value), USUAL) == text
