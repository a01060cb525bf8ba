"""Why is this cell lit? The arithmetic of the cursor's cell against the lesson's own."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from mhagui.document.edits import OpenScene, SetSequenceLength, rename_head, set_gain
from mhagui.gui.docks.cell import CellDock
from mhagui.gui.widgets.number_table import NumberTable

# Of the lesson's row t4 of head 2: the products of q_4 with k_1 .. k_4, on a circle of radius 3.
PRODUCTS = np.array([-4.5, 4.5, 9.0, 4.5])


@pytest.fixture
def dock(bench, qtbot):
    bench.point(head=2, query=3, key=2)
    dock = CellDock(bench)
    qtbot.addWidget(dock)
    dock.resize(320, 700)
    with qtbot.waitExposed(dock):
        dock.show()
    return dock


def said(dock):
    return dock.findChild(QWidget, "cellLines").accessibleName()


def column(table, label):
    """The numbers of the column with that label."""
    model = table.model()
    across = Qt.Orientation.Horizontal
    labels = [model.headerData(n, across) for n in range(model.columnCount())]
    at = labels.index(label)
    return [model.index(row, at).data(Qt.ItemDataRole.EditRole) for row in range(model.rowCount())]


def labels(table):
    model = table.model()
    return [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())]


def arithmetic(gain, key):
    """Scores, exponentials and weight of a cell of row t4, as the lesson has them."""
    scores = PRODUCTS / math.sqrt(2)
    gained = gain * scores
    powers = np.exp(gained - gained.max())
    return [PRODUCTS[key], scores[key], gained[key], powers[key], powers[key] / powers.sum()]


@pytest.mark.parametrize("gain", [1.0, 1.5, -1.0, 0.0])
def test_every_step_of_the_lessons_cell(dock, bench, settle, gain):
    bench.edit(set_gain(2, gain))
    for key in (1, 2, 3):
        bench.point(key=key)
        settle()
        numbers = arithmetic(gain, key)
        largest = int(np.argmax(gain * PRODUCTS))
        label = f"t{key + 1} max" if key == largest else f"t{key + 1}"
        assert column(dock.neighbours, label) == pytest.approx(numbers, abs=1e-12)
        written = dock.title.accessibleName().partition(f"A[4,{key + 1}] = ")[2]
        value = float(written.replace("−", "-"))
        assert value == pytest.approx(numbers[-1], rel=0.02)
        assert said(dock).endswith(f" = {written}")


def test_the_steps_are_said_with_their_numbers(dock):
    less = 9 / math.sqrt(2)
    total = np.exp((PRODUCTS - 9) / math.sqrt(2)).sum()
    assert said(dock) == "; ".join(
        [
            "q_t·k_i: sum of 2 products = 9",
            f"÷ √d_k: 9 / √2 = {less:.3f}",
            f"× g: 1 · {less:.3f} = {less:.3f}",
            f"− row's max: {less:.3f} − {less:.3f} = 0",
            "exp: e^0 = 1",
            f"Σ exp: sum of 4 keys = {total:.3f}",
            f"÷ Σ exp: 1 / {total:.3f} = {1 / total:.4f}",
        ]
    )


def test_the_products_add_up_feature_by_feature(dock, bench, settle):
    bench.point(key=1)
    settle()
    sine = 3 * math.sin(math.pi / 3)
    assert column(dock.products, "1") == pytest.approx([-3, -1.5, 4.5])
    assert column(dock.products, "2") == pytest.approx([0, sine, 0], abs=1e-12)
    assert column(dock.products, "Σ")[2] == pytest.approx(4.5)


@pytest.mark.parametrize(
    ("query", "key", "neighbours"),
    [
        (3, 2, ["t2", "t3 max", "t4"]),
        (3, 0, ["t1", "t2", "t3 max"]),
        (3, 4, ["t3 max", "t4", "t5", "t6"]),
        (5, 1, ["t1", "t2", "t3", "t5 max"]),
        (0, 0, ["t1 max", "t2"]),
    ],
)
def test_the_neighbours_and_the_largest_stand_beside_it(
    dock, bench, settle, query, key, neighbours
):
    bench.point(query=query, key=key)
    settle()
    assert labels(dock.neighbours) == neighbours


def test_a_masked_cell_says_why_it_is_dark(dock, bench, settle):
    bench.point(key=4)
    settle()
    assert dock.title.accessibleName().endswith("A[4,5] = 0")
    assert dock.reason.accessibleName().startswith("Key t5 comes after query t4")
    assert "exp: e^(−∞) = 0" in said(dock)
    assert column(dock.neighbours, "t5")[3:] == [0, 0]


@pytest.mark.parametrize(
    ("head", "query", "key", "words"),
    [
        (2, 3, 2, "Key t3 has the row's largest g·S:\nit takes 92.3 % of row t4."),
        (2, 3, 1, "below the row's largest, that of t3"),
        (4, 3, 1, "All 4 keys that t4 may see have the same g·S,\nso each takes 1/4."),
        (1, 0, 0, "Query t1 may see key t1 alone"),
    ],
)
def test_the_reason_is_said_in_words(dock, bench, settle, head, query, key, words):
    bench.point(head=head, query=query, key=key)
    settle()
    assert words in dock.reason.accessibleName()


def test_equal_largest_keys_share_the_honour(dock, bench, settle):
    bench.edit(set_gain(2, -1.0))
    bench.point(query=2, key=1)  # q_3 is as far from k_1 as from k_3
    settle()
    bench.point(key=0)
    settle()
    assert "Key t1 is one of 2 that have the row's largest g·S" in dock.reason.accessibleName()


def test_it_follows_gain_cursor_and_name(dock, bench, settle):
    before = said(dock)
    bench.edit(set_gain(2, 2.0))
    settle()
    assert said(dock) != before
    bench.edit(rename_head(2, "look back"))
    settle()
    assert dock.title.accessibleName().startswith("h2 look back")
    bench.point(head=4)
    settle()
    assert dock.title.accessibleName() == "h4 uniform  ·  A[4,3] = 0.2500"


@pytest.mark.parametrize("size", [(320, 700), (420, 760), (680, 290), (1000, 420)])
@pytest.mark.parametrize("key", [1, 2, 4])
def test_all_is_seen_at_the_usual_sizes(dock, bench, settle, size, key):
    bench.point(key=key)
    dock.resize(*size)
    settle()
    assert (dock.width(), dock.height()) == size
    assert not dock.widget().verticalScrollBar().isVisible()
    for table in dock.findChildren(NumberTable):
        assert not table.horizontalScrollBar().isVisible()
        assert not table.verticalScrollBar().isVisible()
    for label in (dock.title, dock.reason):
        lines = label.text().split("\n")
        assert max(map(label.fontMetrics().horizontalAdvance, lines)) <= label.width()


def test_wide_heads_of_many_positions_are_there_to_scroll_to(dock, bench, settle):
    bench.edit(SetSequenceLength(300))
    bench.edit(OpenScene(replace(bench.scene, d_k=16)))
    bench.point(query=299, key=298)
    settle()
    assert labels(dock.products) == [*map(str, range(1, 17)), "Σ"]
    assert "q_t·k_i: sum of 16 products" in said(dock)
    assert "÷ √d_k: 9 / √16 = 2.250" in said(dock)


def test_the_tables_go_below_where_they_do_not_fit_beside_the_arithmetic(dock, bench, qapp, settle):
    dock.resize(680, 290)
    settle()
    assert dock.products.mapTo(dock, dock.products.pos()).x() > dock.lines.width()
    usual, larger = qapp.font(), qapp.font()
    larger.setPointSize(16)
    qapp.setFont(larger)
    settle()
    assert dock.products.geometry().top() > dock.lines.geometry().bottom()
    assert not dock.widget().horizontalScrollBar().isVisible()
    qapp.setFont(usual)
    settle()
    assert dock.products.geometry().left() > dock.lines.geometry().right()


def test_type_grows_with_the_dock(dock, settle):
    usual = dock.reason.font().pointSizeF()
    title = dock.title.font().pointSizeF()
    dock.resize(1600, 960)
    settle()
    assert dock.reason.font().pointSizeF() >= 2 * usual
    assert dock.title.font().pointSizeF() >= 2 * title
    assert dock.neighbours.font().pointSizeF() >= 2 * usual
    dock.resize(320, 700)
    settle()
    assert dock.reason.font().pointSizeF() == usual
    assert dock.title.font().pointSizeF() == title
