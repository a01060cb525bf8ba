import math
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QLineEdit, QStyle, QVBoxLayout, QWidget

from mhagui.formats import fixed
from mhagui.gui.widgets.number_table import Column, NumberModel, Numbers, NumberTable, Row

KEY = Qt.Key
LEFT = Qt.MouseButton.LeftButton
ROLE = Qt.ItemDataRole
three = partial(fixed, decimals=3)


def numbers(values, *, summary=False, dimmed=False, band=None):
    values = np.array(values, dtype=float)
    rows = [Row(f"t{row}", three, "bits", f"tip of t{row}") for row in range(1, len(values) + 1)]
    if summary:
        rows[-1] = Row("mean 2^H", three, "positions", summary=True)
    columns = tuple(
        Column(f"h{column}", f"head {column}", band, dimmed)
        for column in range(1, values.shape[1] + 1)
    )
    return Numbers(tuple(rows), columns, values)


@pytest.fixture
def table(qtbot):
    table = NumberTable(whole_rows=True)
    qtbot.addWidget(table)
    table.resize(300, 200)
    with qtbot.waitExposed(table):
        table.show()
    return table


def needed_width(table, index):
    """What a cell's text takes, with the room that the style leaves at both its sides."""
    own = index.data(ROLE.FontRole)
    font = own.resolve(table.font()) if own else table.font()
    margin = table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, table) + 1
    return QFontMetrics(font).horizontalAdvance(index.data()) + 2 * margin


def cut_cells(table):
    """Every text of the table that is wider than its column."""
    model = table.model()
    cells = [
        model.index(row, column)
        for row in range(model.rowCount())
        for column in range(model.columnCount())
    ]
    return [
        cell.data()
        for cell in cells
        if needed_width(table, cell) > table.columnWidth(cell.column())
    ]


def test_model_keeps_the_rules_of_models(qtmodeltester):
    model = NumberModel()
    model.set_numbers(numbers([[1.0, math.nan], [3.0, 4.0]], summary=True))
    qtmodeltester.check(model)


def test_text_is_short_and_the_number_behind_it_is_whole(table):
    table.set_numbers(numbers([[0.4909281462229702, -0.0, math.nan, -1.5]]))
    cells = [table.model().index(0, column) for column in range(4)]
    assert [cell.data() for cell in cells] == ["0.491", "0.000", "–", "−1.500"]
    exact = [cell.data(ROLE.EditRole) for cell in cells]
    assert exact[0] == 0.4909281462229702
    assert exact[3] == -1.5
    assert math.isnan(exact[2])


def test_cells_are_read_only(table):
    table.set_numbers(numbers([[1.0]]))
    index = table.model().index(0, 0)
    assert not index.flags() & Qt.ItemFlag.ItemIsEditable
    assert not table.model().setData(index, 2.0)
    assert index.data(ROLE.EditRole) == 1.0


def test_a_cell_is_spoken_with_row_column_and_unit(table):
    table.set_numbers(numbers([[0.25], [2.0]], summary=True))
    spoken = [table.model().index(row, 0).data(ROLE.AccessibleTextRole) for row in range(2)]
    assert spoken == ["t1, h1: 0.250 bits", "mean 2^H, h1: 2.000 positions"]


def test_the_state_of_a_column_is_spoken(table):
    column = Column("h1", dimmed=True, state="not soloed")
    table.set_numbers(Numbers((Row("t1", three, "bits"),), (column,), np.array([[0.25]])))
    spoken = table.model().index(0, 0).data(ROLE.AccessibleTextRole)
    assert spoken == "t1, h1 (not soloed): 0.250 bits"


def test_tips_of_rows_and_columns(table):
    table.set_numbers(numbers([[0.25]]))
    header = table.model().headerData
    assert header(0, Qt.Orientation.Horizontal, ROLE.ToolTipRole) == "head 1"
    assert header(0, Qt.Orientation.Vertical, ROLE.ToolTipRole) == "tip of t1"


def test_copy_gives_full_precision_with_tabs(qtbot, table):
    values = [[0.1, 1 / 3], [2.0, 1e-12], [5.0, 6.0]]
    table.set_numbers(numbers(values))
    qtbot.mouseClick(table.viewport(), LEFT, pos=QPoint(5, table.rowViewportPosition(0) + 2))
    qtbot.keyClick(table, KEY.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(table, KEY.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert [[float(cell) for cell in line.split("\t")] for line in lines] == values[:2]


@pytest.mark.parametrize("points", [9, 10, 14])
def test_no_number_is_cut_whatever_its_length(qtbot, table, points):
    font = QFont(table.font())
    font.setPointSize(points)
    table.setFont(font)
    table.resize(200, 200)
    table.set_numbers(
        numbers(
            [[0.0, 1234567.891, -88888.888], [1.0, 0.1, math.nan], [9.0, 8.0, 7.0]], summary=True
        )
    )
    assert cut_cells(table) == []
    table.set_numbers(
        numbers([[99999.999, 0.0, 0.0], [0.0, 0.0, 0.0], [1e9, 8.0, 7.0]], summary=True)
    )
    assert cut_cells(table) == []


def test_a_larger_font_is_measured_anew(table):
    table.set_numbers(numbers([[1234.5] * 4], summary=True))
    font = QFont(table.font())
    font.setPointSize(18)
    table.setFont(font)
    assert cut_cells(table) == []


def test_columns_do_not_jump_while_numbers_get_shorter(table):
    table.set_numbers(numbers([[1.0, 22222.0]] * 2))
    before = [table.columnWidth(column) for column in range(2)]
    table.set_numbers(numbers([[1.0, 2.0]] * 2))
    assert [table.columnWidth(column) for column in range(2)] == before


def test_only_the_column_that_changed_is_written_and_drawn_anew(qtbot, table, settle):
    written, drawn = [], []

    def write(value):
        written.append(value)
        return f"{value:.3f}"

    before = np.arange(6000.0).reshape(1000, 6)
    rows = tuple(Row(f"t{number}", write) for number in range(1, 1001))
    columns = tuple(Column(f"h{number}") for number in range(1, 7))
    table.set_numbers(Numbers(rows, columns, before))
    settle()
    table.model().dataChanged.connect(lambda *cells: drawn.append(cells[:2]))
    written.clear()
    after = before.copy()
    after[:, 2] += 1.0
    table.set_numbers(Numbers(rows, columns, after))
    assert set(written) <= set(after[:, 2])
    assert len(written) == 2  # the largest and the smallest
    settle()
    assert set(written) <= set(after[:, 2])  # those that are in sight
    assert len(written) <= 2 + 20
    [(first, last)] = drawn
    assert (first.row(), first.column(), last.row(), last.column()) == (0, 2, 999, 2)


def test_columns_fill_a_wide_table(qtbot, table):
    table.resize(613, 200)
    table.set_numbers(numbers([[1.0, 2.0, 3.0]]))
    QApplication.processEvents()
    assert sum(table.columnWidth(column) for column in range(3)) == table.viewport().width()
    assert not table.horizontalScrollBar().isVisible()


def test_many_columns_scroll_beside_row_labels_that_stay(qtbot, table):
    table.set_numbers(numbers([[1.5] * 32]))
    QApplication.processEvents()
    bar = table.horizontalScrollBar()
    bar.setValue(bar.maximum())
    assert cut_cells(table) == []
    assert bar.value() > 0
    assert table.columnViewportPosition(31) + table.columnWidth(31) == table.viewport().width()
    assert table.verticalHeader().isVisible()
    assert table.verticalHeader().geometry().right() < table.viewport().geometry().left() + 1


def test_row_labels_are_not_cut(table):
    table.set_numbers(numbers([[1.0], [2.0]], summary=True))
    QApplication.processEvents()
    header = table.verticalHeader()
    bold = header.model().headerData(1, Qt.Orientation.Vertical, ROLE.FontRole)
    metrics = QFontMetrics(bold.resolve(header.font()))
    assert header.width() >= metrics.horizontalAdvance("mean 2^H")


def test_the_user_points_at_rows_and_the_program_follows_silently(qtbot, table):
    table.set_numbers(numbers([[1.0], [2.0], [3.0]]))
    pointed = []
    table.row_pointed.connect(pointed.append)
    table.follow_row(2)
    assert pointed == []
    assert table.currentIndex().row() == 2
    qtbot.keyClick(table, KEY.Key_Up)
    assert pointed == [1]


def test_following_a_row_does_not_scroll_sideways(qtbot, table):
    table.set_numbers(numbers([[1.5] * 32] * 3))
    QApplication.processEvents()
    bar = table.horizontalScrollBar()
    table.follow_row(0)
    bar.setValue(bar.maximum())
    table.follow_row(2)
    assert bar.value() == bar.maximum()


def test_tab_leaves_the_table(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    table, after = NumberTable(), QLineEdit()
    column = QVBoxLayout(window)
    column.addWidget(table)
    column.addWidget(after)
    table.set_numbers(numbers([[1.0, 2.0]]))
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    table.setFocus()
    qtbot.keyClick(table, KEY.Key_Tab)
    assert after.hasFocus()


def header_image(table) -> QImage:
    return table.horizontalHeader().grab().toImage()


def test_a_heads_column_has_its_colour_below_the_label(table):
    colour = QColor("#d55e00")
    table.set_numbers(numbers([[1.0]], band=colour))
    image = header_image(table)
    assert image.pixelColor(image.width() // 2, image.height() - 2) == colour


def test_the_label_of_the_marked_column_is_filled_with_its_colour(table):
    colour = QColor("#d55e00")
    table.set_numbers(numbers([[1.0] * 3], band=colour))

    def filled():
        image, header = header_image(table), table.horizontalHeader()
        xs = [header.sectionViewportPosition(column) + 6 for column in range(3)]
        hues = [image.pixelColor(x, image.height() // 2) for x in xs]
        return [abs(hue.hslHue() - colour.hslHue()) < 5 for hue in hues]

    assert filled() == [False, False, False]
    table.mark_column(1)
    assert filled() == [False, True, False]
    table.mark_column(2)
    assert filled() == [False, False, True]


def test_marking_a_column_in_sight_paints_no_cell(table, settle):
    class Paints(QObject):
        count = 0

        def eventFilter(self, watched, event):  # noqa: N802 - Qt calls it so
            self.count += event.type() == QEvent.Type.Paint
            return False

    table.set_numbers(numbers([[1.0] * 3]))
    settle()
    paints = Paints()
    table.viewport().installEventFilter(paints)
    table.mark_column(1)
    QApplication.processEvents()
    assert paints.count == 0
    table.set_numbers(numbers([[2.0] * 3]))
    QApplication.processEvents()
    assert paints.count > 0


def test_a_marked_column_is_scrolled_into_sight(table):
    table.set_numbers(numbers([[1.5] * 32]))
    QApplication.processEvents()
    for column in (31, 0, 16):
        table.mark_column(column)
        left = table.columnViewportPosition(column)
        assert 0 <= left <= table.viewport().width() - table.columnWidth(column)


@pytest.mark.parametrize("width", range(200, 420, 37))
def test_no_column_is_seen_in_part(table, width):
    table.set_numbers(numbers([[-2.107] * 13]))
    table.resize(width, 120)
    QApplication.processEvents()
    for column in (0, 5, 12):
        table.mark_column(column)
        edges = [table.columnViewportPosition(c) for c in range(13)]
        text = table.fontMetrics().horizontalAdvance("−2.107")
        for left in edges:
            right = left + table.columnWidth(0)
            seen = min(right, table.viewport().width()) - max(left, 0)
            assert seen <= table.columnWidth(0) - text or seen == table.columnWidth(0)


def test_the_label_of_a_dimmed_column_is_paler(table):
    def darkest():
        image = header_image(table)
        xs, ys = range(image.width() - 30, image.width() - 3), range(3, image.height() - 5)
        return min(image.pixelColor(x, y).lightness() for x in xs for y in ys)

    table.set_numbers(numbers([[1.0]]))
    plain = darkest()
    table.set_numbers(numbers([[1.0]], dimmed=True))
    assert darkest() > plain + 20


def test_a_thousand_rows_are_asked_only_where_they_are_seen(qtbot, table):
    class Counting:
        calls = 0

        def __call__(self, value):
            Counting.calls += 1
            return three(value)

    write = Counting()
    rows = tuple(Row(f"t{row}", write) for row in range(1024))
    columns = tuple(Column(f"h{column}") for column in range(32))
    rng = np.random.default_rng(1)
    table.set_numbers(Numbers(rows, columns, rng.random((1024, 32))))
    table.viewport().repaint()
    assert Counting.calls < 2000
    assert cut_cells(table) == []
