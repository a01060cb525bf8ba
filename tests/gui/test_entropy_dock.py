import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QApplication, QStyle

from mhagui.document import Pattern
from mhagui.document.edits import (
    AddHead,
    RemoveHead,
    SetSequenceLength,
    set_gain,
    set_muted,
    set_soloed,
)
from mhagui.gui.docks.entropy import EntropyDock
from mhagui.gui.theme import ThemeChoice, apply_theme, theme_of
from mhagui.gui.widgets.number_table import DIMMED_ROLE, NumberTable

LEFT = Qt.MouseButton.LeftButton
ROLE = Qt.ItemDataRole
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
HEADS = ["h1", "h2", "h3", "h4"]

# The lesson, row t4 and t6, bits; and the means of H and 2^H over its six rows.
LESSON = {
    "t4": [1.2526846097131275, 0.46787065328944816, 0.24268929670360515, 2.0],
    "t6": [1.824399294858548, 0.46890486270647136, 0.46890486270647136, 2.584962500721156],
}
MEAN_BITS = [1.0045, 0.3522, 0.2399, 1.5820]
MEAN_POSITIONS = [2.1901, 1.2858, 1.1861, 3.5]


@pytest.fixture
def dock(qtbot, bench):
    dock = EntropyDock(bench)
    qtbot.addWidget(dock)
    dock.resize(300, 640)
    with qtbot.waitExposed(dock):
        dock.show()
    QApplication.processEvents()
    return dock


def table_of(dock) -> NumberTable:
    return dock.findChild(NumberTable, "entropyTable")


def labels(dock, orientation):
    model = table_of(dock).model()
    count = model.columnCount() if orientation == ACROSS else model.rowCount()
    return [model.headerData(number, orientation) for number in range(count)]


def cell(dock, row, column):
    place = labels(dock, DOWN).index(row), labels(dock, ACROSS).index(column)
    return table_of(dock).model().index(*place)


def exact(dock, row, columns):
    return [cell(dock, row, column).data(ROLE.EditRole) for column in columns]


def texts(dock, row, columns):
    return [cell(dock, row, column).data() for column in columns]


def first_token_bits(t, gain):
    """Entropy of row t of the first-token head, by hand: one weight stands out of t."""
    score = math.exp(gain * 3 / math.sqrt(2))
    p, rest = score / (score + t - 1), 1 / (score + t - 1)
    return -p * math.log2(p) - (t - 1) * rest * math.log2(rest)


def spot(dock, position):
    view, box = dock.plot.view, dock.plot.box
    return view.mapFromScene(box.mapViewToScene(QPointF(position, 1.0)))


@pytest.mark.parametrize("row", LESSON)
def test_the_lessons_entropies(dock, row):
    assert exact(dock, row, HEADS) == pytest.approx(LESSON[row], abs=1e-12)
    assert texts(dock, row, HEADS) == [f"{bits:.3f}" for bits in LESSON[row]]


def test_the_lessons_means(dock):
    assert exact(dock, "mean H", HEADS) == pytest.approx(MEAN_BITS, abs=5e-5)
    assert exact(dock, "mean 2^H", HEADS) == pytest.approx(MEAN_POSITIONS, abs=5e-5)
    assert texts(dock, "mean H", HEADS) == ["1.004", "0.352", "0.240", "1.582"]
    assert texts(dock, "mean 2^H", HEADS) == ["2.190", "1.286", "1.186", "3.500"]


def test_the_ceiling_is_log2_t(dock):
    rows = [f"t{t}" for t in range(1, 7)]
    ceiling = [exact(dock, row, ["log2 t"])[0] for row in rows]
    assert ceiling == pytest.approx(np.log2(range(1, 7)))


def test_certainty_is_zero_without_a_sign(dock):
    assert texts(dock, "t1", ["log2 t", *HEADS]) == ["0.000"] * 5


def test_a_gain_moves_the_table_and_the_curve(qtbot, bench, dock):
    drag = object()
    for gain in (1.5, 2.0, 3.0):
        bench.edit(set_gain(1, gain), gesture=drag)
    wanted = [first_token_bits(t, 3.0) for t in range(1, 7)]
    qtbot.waitUntil(lambda: exact(dock, "t6", ["h1"]) == pytest.approx(wanted[-1:]))
    drawn = next(line for line in dock.plot.lines if line.getData()[1][-1] < 0.2)
    assert drawn.getData()[1] == pytest.approx(wanted)


def test_the_scale_does_not_move_while_a_gain_is_dragged(qtbot, bench, dock):
    before = dock.plot.box.viewRange()
    assert before[1][1] > math.log2(6)
    bench.edit(set_gain(1, 0.0))
    qtbot.waitUntil(lambda: exact(dock, "t6", ["h1"]) == pytest.approx([math.log2(6)]))
    assert dock.plot.box.viewRange() == before


def test_a_hidden_dock_keeps_its_numbers_up_to_date(qtbot, bench, dock):
    dock.hide()
    bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(lambda: exact(dock, "t6", ["h1"]) == pytest.approx([first_token_bits(6, 2.0)]))
    bench.point(query=1)
    dock.show()
    qtbot.waitUntil(lambda: table_of(dock).currentIndex().row() == 1)


def test_a_dock_never_shown_has_its_numbers_at_once(qtbot, bench):
    dock = EntropyDock(bench)
    qtbot.addWidget(dock)
    assert exact(dock, "t4", HEADS) == pytest.approx(LESSON["t4"])


def test_the_cursor_is_followed(qtbot, bench, dock):
    bench.point(query=4)
    qtbot.waitUntil(lambda: table_of(dock).currentIndex().row() == 4)
    rows = {index.row() for index in table_of(dock).selectedIndexes()}
    assert rows == {4}
    assert dock.plot.cursor_line.value() == 5


def test_arrows_and_clicks_in_the_table_move_the_cursor(qtbot, bench, dock):
    table = table_of(dock)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert bench.view.cursor.query == 4
    qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(cell(dock, "t2", "h2")).center())
    assert bench.view.cursor.query == 1
    qtbot.waitUntil(lambda: dock.plot.cursor_line.value() == 2)


def test_pointing_shows_one_frame_and_no_more(qtbot, bench, dock):
    frames = []
    bench.shown.connect(frames.append)
    qtbot.keyClick(table_of(dock), Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: len(frames) > 0)
    for _ in range(5):
        QApplication.processEvents()
    assert len(frames) == 1


def test_a_click_into_the_plot_moves_the_cursor(qtbot, bench, dock):
    qtbot.mouseClick(dock.plot.view.viewport(), LEFT, pos=spot(dock, 2))
    assert bench.view.cursor.query == 1
    qtbot.waitUntil(lambda: table_of(dock).currentIndex().row() == 1)


def test_arrow_keys_in_the_plot_move_the_cursor(qtbot, bench, dock):
    qtbot.keyClick(dock.plot, Qt.Key.Key_Right)
    assert bench.view.cursor.query == 4


def test_the_means_can_be_selected_and_stay_so(qtbot, bench, dock):
    table = table_of(dock)
    mean = cell(dock, "mean H", "h1")
    qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(mean).center())
    assert bench.view.cursor.query == 3
    bench.edit(set_gain(1, 2.0))
    qtbot.waitUntil(lambda: exact(dock, "t6", ["h1"]) == pytest.approx([first_token_bits(6, 2.0)]))
    assert table.currentIndex().row() == mean.row()


def test_rows_are_copied_in_full_precision(qtbot, bench, dock):
    qtbot.keyClick(table_of(dock), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = [float(text) for text in QGuiApplication.clipboard().text().split("\t")]
    assert copied == exact(dock, "t4", ["log2 t", *HEADS])


def test_heads_come_and_go_as_columns(qtbot, bench, dock):
    bench.edit(AddHead(Pattern.UNIFORM))
    qtbot.waitUntil(lambda: labels(dock, ACROSS) == ["log2 t", *HEADS, "h5"])
    assert exact(dock, "t4", ["h5"]) == pytest.approx([2.0])
    assert len(dock.plot.lines) == 5
    bench.edit(RemoveHead(1))
    qtbot.waitUntil(lambda: labels(dock, ACROSS) == ["log2 t", *HEADS])
    assert exact(dock, "t4", ["h1"]) == pytest.approx(LESSON["t4"][1:2])


def dimmed(dock):
    model = table_of(dock).model()
    return [model.headerData(column, ACROSS, DIMMED_ROLE) for column in range(1, 5)]


def test_a_muted_head_is_dimmed_and_keeps_its_numbers(qtbot, bench, dock):
    bench.edit(set_muted(2, True))
    qtbot.waitUntil(lambda: dimmed(dock) == [False, True, False, False])
    assert exact(dock, "t4", HEADS) == pytest.approx(LESSON["t4"])
    tip = table_of(dock).model().headerData(2, ACROSS, ROLE.ToolTipRole)
    assert "previous token" in tip
    assert "; muted: it does not reach W_O" in tip


def test_all_but_a_soloed_head_are_dimmed(qtbot, bench, dock):
    bench.edit(set_soloed(3, True))
    qtbot.waitUntil(lambda: dimmed(dock) == [True, True, False, True])
    header = table_of(dock).model().headerData
    tips = [header(column, ACROSS, ROLE.ToolTipRole) for column in range(1, 5)]
    assert tips[0] == "h1 first token; not soloed: it does not reach W_O"
    assert tips[2] == "h3 self; soloed"
    spoken = [cell(dock, "t4", head).data(ROLE.AccessibleTextRole) for head in HEADS]
    assert [text.split(":")[0] for text in spoken] == [
        "t4, h1 (not soloed)", "t4, h2 (not soloed)", "t4, h3 (soloed)", "t4, h4 (not soloed)",
    ]  # fmt: skip


def test_no_number_is_cut_and_nothing_scrolls_at_300_pixels(dock):
    table = table_of(dock)
    assert dock.width() == 300
    assert not table.horizontalScrollBar().isVisible()
    assert not table.verticalScrollBar().isVisible()
    margin = 2 * (table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
    for row in labels(dock, DOWN):
        for column in labels(dock, ACROSS):
            index = cell(dock, row, column)
            font = index.data(ROLE.FontRole)
            metrics = QFontMetrics(font.resolve(table.font()) if font else table.font())
            needed = metrics.horizontalAdvance(index.data()) + margin
            assert needed <= table.columnWidth(index.column()), (row, column)


def test_many_heads_scroll_beside_the_positions(qtbot, bench, dock):
    for _ in range(8):
        bench.edit(AddHead(Pattern.SELF))
    table = table_of(dock)
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() > 0)
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    assert table.verticalHeader().isVisible()
    assert labels(dock, DOWN) == [*(f"t{t}" for t in range(1, 7)), "mean H", "mean 2^H"]


def window_of(dock, qtbot):
    """The dock as large as in the window of 1280 × 800."""
    dock.resize(303, 698)
    qtbot.waitUntil(lambda: dock.size().height() == 698)


@pytest.mark.parametrize("n_more", [1, 4, 28])
def test_many_heads_scroll_sideways_alone(qtbot, bench, dock, n_more):
    window_of(dock, qtbot)
    for _ in range(n_more):
        bench.edit(AddHead(Pattern.SELF))
    table = table_of(dock)
    qtbot.waitUntil(lambda: len(labels(dock, ACROSS)) == 5 + n_more)
    qtbot.waitUntil(table.horizontalScrollBar().isVisible)
    qtbot.waitUntil(lambda: table.verticalScrollBar().maximum() == 0)
    last = table.visualRect(cell(dock, "mean 2^H", "h1"))
    assert last.bottom() <= table.viewport().height()


def test_more_positions_take_height_from_the_plot_up_to_a_point(qtbot, bench, dock):
    window_of(dock, qtbot)
    table = table_of(dock)
    before = dock.plot.height()
    bench.edit(SetSequenceLength(10))
    qtbot.waitUntil(lambda: dock.plot.height() < before)
    assert not table.verticalScrollBar().isVisible()
    bench.edit(SetSequenceLength(512))
    qtbot.waitUntil(lambda: len(labels(dock, DOWN)) == 514)
    QApplication.processEvents()
    assert dock.plot.height() > 200


def test_a_height_that_the_user_has_chosen_stays(qtbot, bench, dock):
    window_of(dock, qtbot)
    splitter = dock.widget()
    handle = splitter.handle(1)
    qtbot.mousePress(handle, LEFT, pos=handle.rect().center())
    qtbot.mouseMove(handle, handle.rect().center() - QPoint(0, 100))
    qtbot.mouseRelease(handle, LEFT, pos=handle.rect().center() - QPoint(0, 100))
    chosen = dock.plot.height()
    bench.edit(SetSequenceLength(3))
    qtbot.waitUntil(lambda: len(labels(dock, DOWN)) == 5)
    QApplication.processEvents()
    assert dock.plot.height() == chosen


def test_all_rows_are_alike_whatever_was_shown_before(qtbot, bench, dock):
    table = table_of(dock)
    for length in (1, 512, 6):
        bench.edit(SetSequenceLength(length))
        qtbot.waitUntil(lambda length=length: len(labels(dock, DOWN)) == length + 2)
        assert len({table.rowHeight(row) for row in range(length + 2)}) == 1


def marked(dock):
    """The column whose label is filled with its head's colour."""
    header = table_of(dock).horizontalHeader()
    image = header.grab().toImage()
    columns = range(1, table_of(dock).model().columnCount())
    xs = [header.sectionViewportPosition(column) + 6 for column in columns]
    shades = [image.pixelColor(x, image.height() // 2).hslSaturation() for x in xs]
    return [f"h{number}" for number, shade in enumerate(shades, 1) if shade > 60]


def test_the_head_of_the_cursor_is_marked(qtbot, bench, dock):
    assert marked(dock) == ["h1"]
    bench.point(head=3)
    qtbot.waitUntil(lambda: marked(dock) == ["h3"])
    bench.edit(RemoveHead(1))  # the third head is the second now
    qtbot.waitUntil(lambda: marked(dock) == ["h2"])


def test_light_and_dark(qapp, dock):
    def corner():
        QApplication.processEvents()
        return dock.grab().toImage().pixelColor(dock.plot.mapTo(dock, QPoint(3, 60)))

    light = corner()
    assert light == theme_of(dock.palette()).plot
    apply_theme(ThemeChoice.DARK)
    assert corner() == theme_of(dock.palette()).plot != light
    apply_theme(ThemeChoice.LIGHT)
    assert corner() == light


def test_everything_has_a_name_and_a_unit(dock):
    assert "bits" in table_of(dock).accessibleName()
    assert "bits" in dock.plot.accessibleName()
    assert "Bits" in dock.plot.toolTip()
    assert cell(dock, "t4", "h1").data(ROLE.AccessibleTextRole) == "t4, h1: 1.253 bits"
    tip = table_of(dock).model().headerData(7, DOWN, ROLE.ToolTipRole)
    assert "mean of 2^H" in tip
    assert dock.plot.legend.accessibleName() == "Legend: ceiling log2 t, h1, h2, h3, h4"


def test_a_thousand_positions(qtbot, bench, dock):
    bench.edit(SetSequenceLength(1024))
    qtbot.waitUntil(lambda: labels(dock, DOWN)[-3] == "t1024")
    assert exact(dock, "t1024", ["log2 t", "h4"]) == pytest.approx([10.0, 10.0])
    assert exact(dock, "mean 2^H", ["h4"]) == pytest.approx([512.5])
    assert all(len(line.getData()[0]) <= 64 for line in dock.plot.lines)  # with markers, so few
    assert f"means of {dock.plot.per_mean} rows" in dock.caption.text()
    bench.point(query=1000)
    table = table_of(dock)
    qtbot.waitUntil(lambda: table.currentIndex().row() == 1000)
    assert table.viewport().rect().intersects(table.visualRect(table.currentIndex()))


def test_one_position(qtbot, bench, dock):
    bench.edit(SetSequenceLength(1))
    qtbot.waitUntil(lambda: labels(dock, DOWN) == ["t1", "mean H", "mean 2^H"])
    assert texts(dock, "mean 2^H", HEADS) == ["1.000"] * 4
    assert table_of(dock).currentIndex().row() == 0
