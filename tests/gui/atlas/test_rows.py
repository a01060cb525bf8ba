"""The rows of the atlas's table: sorted, filtered and copied."""

import csv
import io

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.scorecard import scorecard

T = 12
TOKENS = ("the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "saw", "the", "dog")
LEFT, PLAIN = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
NAMES = ("L3 H0", "L3 H1", "L3 H2", "L7 H0", "L7 H1")
LABELS = ("first token", "previous token", "uniform", "self", "")
Key = Qt.Key


# --- sorted, filtered, copied


def test_sorting_by_the_keyboard_goes_down_up_and_back(dock, qtbot, two_layers, rows_of, marked):
    table = dock.table.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(4, 2))  # first token
    values = scorecard(two_layers()).column("first token").values
    down = sorted(range(5), key=lambda place: -values[place])
    for wanted in (down, down[::-1], list(range(5))):
        qtbot.keyClick(table, Key.Key_S)
        assert [NAMES.index(name) for name in rows_of(table)[0]] == wanted
        assert marked(dock) == (4, 4, 4)


def test_a_click_on_a_label_sorts_and_undefined_scores_come_last(
    captures, dock, wait, qtbot, designed, blended, rows_of
):
    weights = np.stack([*designed(core.self_head), np.full((T, T), np.nan), blended()])
    layer = CapturedLayer(0, given=weights, allowed=core.causal_mask(T))
    captures.open(Capture("one is unreadable", (layer,), TOKENS, TOKENS))
    wait(dock)
    table = dock.table.table
    header = table.horizontalHeader()
    spot = QPoint(header.sectionViewportPosition(1) + 10, header.height() // 2)
    orders = []
    for _ in range(3):
        qtbot.mouseClick(header.viewport(), LEFT, PLAIN, spot)
        orders.append(rows_of(table)[0])
    previous = scorecard(captures.capture).column("previous token").values
    assert previous[2] > previous[0]  # what is blended looks back, what looks at itself does not
    down, as_they_come = ["L0 H2", "L0 H0", "L0 H1"], ["L0 H0", "L0 H1", "L0 H2"]
    assert orders == [down, ["L0 H0", "L0 H2", "L0 H1"], as_they_come]


def test_a_click_on_another_label_sorts_it_largest_first(dock, qtbot, two_layers, rows_of):
    table, header = dock.table.table, dock.table.table.horizontalHeader()
    for column in (1, 2, 1):
        spot = QPoint(header.sectionViewportPosition(column) + 10, header.height() // 2)
        qtbot.mouseClick(header.viewport(), LEFT, PLAIN, spot)
        values = scorecard(two_layers()).columns[column - 1].values
        down = sorted(range(5), key=lambda place: -values[place])
        assert [NAMES.index(name) for name in rows_of(table)[0]] == down


def test_a_click_on_the_label_of_labels_sorts_from_a_to_z(dock, qtbot, rows_of):
    table, header = dock.table.table, dock.table.table.horizontalHeader()
    spot = QPoint(header.sectionViewportPosition(0) + 10, header.height() // 2)
    qtbot.mouseClick(header.viewport(), LEFT, PLAIN, spot)
    assert rows_of(table)[0] == ["L3 H0", "L3 H1", "L7 H0", "L3 H2", "L7 H1"]


def test_heads_are_filtered_by_label_and_by_letters(dock, qtbot, rows_of, marked):
    table, which = dock.table.table, dock.table.which
    offered = [which.itemText(n) for n in range(which.count())]
    assert offered == [
        "all heads", "heads with a label", "previous token (1)", "first token (1)", "self (1)",
        "uniform (1)", "no label (1)",
    ]  # fmt: skip
    which.setCurrentText("heads with a label")
    assert rows_of(table)[0] == ["L3 H0", "L3 H1", "L3 H2", "L7 H0"]
    qtbot.keyClicks(dock.table.filter, "l7")
    assert rows_of(table)[0] == ["L7 H0"]
    which.setCurrentText("all heads")
    assert rows_of(table)[0] == ["L7 H0", "L7 H1"]
    dock.table.filter.setText("token")
    assert rows_of(table)[0] == ["L3 H0", "L3 H1"]
    dock.table.filter.setText("nothing at all")
    assert rows_of(table)[0] == []
    dock._on_pointed(2)
    dock.table.filter.clear()
    assert marked(dock) == (2, 2, 2)


def test_copied_rows_have_all_digits_and_chance(dock, qtbot, two_layers):
    table = dock.table.table
    table.setFocus()
    qtbot.keyClick(table, Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(table, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QGuiApplication.clipboard().text()
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    assert [row["head"] for row in rows] == list(NAMES)
    assert [row["label"] for row in rows] == list(LABELS)
    for column in scorecard(two_layers()).columns:
        title = next(name for name in rows[0] if name.startswith(column.measure.name))
        found = [float(row[title]) for row in rows]
        np.testing.assert_array_equal(found, column.values)
        chance = [float(row[f"{title}, chance"]) for row in rows]
        np.testing.assert_array_equal(chance, column.baselines)


def test_the_table_to_copy_has_all_heads_whatever_is_shown(dock, qtbot, two_layers):
    dock.table.filter.setText("L7")
    ((name, make, place),) = dock.own_tables()
    assert (name, place) == ("scores", dock.table.table.objectName())
    table = make()
    assert tuple(table.row_labels) == NAMES
    for title, found, column in zip(
        table.column_labels, table.values.T, scorecard(two_layers()).columns, strict=True
    ):
        assert title.startswith(column.measure.name)
        np.testing.assert_array_equal(found, column.values)
