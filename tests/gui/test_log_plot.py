import math

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from mhagui.gui.widgets.curve_plot import Curve
from mhagui.gui.widgets.log_plot import LogPlot, power_of_ten


def curve(label, at, values):
    return Curve(label, np.array(values, float), QColor("#0072b2"), at=np.array(at, float))


@pytest.fixture
def plot(qtbot):
    plot = LogPlot("T", "count")
    qtbot.addWidget(plot)
    plot.resize(300, 260)
    plot.set_curves([curve("square", [1, 10, 1000], [3, 300, 3e6]), curve("dot", [50], [40])])
    with qtbot.waitExposed(plot):
        plot.show()
    return plot


def texts(plot, side):
    """The texts of an axis, in its range and length of this moment."""
    axis = plot.axes[side]
    size = axis.size().width() if side == "bottom" else axis.size().height()
    spacing, values = axis.tickValues(*axis.range, size)[0]
    return axis.tickStrings(values, 1.0, spacing)


def test_a_power_is_a_straight_line(plot):
    x, y = plot.lines[0].getData()
    assert x == pytest.approx([0, 1, 3])
    assert np.diff(y) / np.diff(x) == pytest.approx([2, 2])
    assert y[0] == pytest.approx(math.log10(3))


def test_all_of_every_curve_is_in_view(plot):
    (left, right), (bottom, top) = plot.box.viewRange()
    for line in plot.lines:
        x, y = line.getData()
        assert left < x.min()
        assert x.max() < right
        assert bottom < y.min()
        assert y.max() < top


def test_ticks_are_powers_of_ten(plot):
    assert texts(plot, "bottom") == ["1", "10", "10²", "10³"]
    assert texts(plot, "left")[0] == "1"
    assert {"10²", "10⁴", "10⁶"} <= set(texts(plot, "left"))


def test_ticks_thin_out_where_there_is_no_room(qtbot, plot):
    plot.set_curves([curve("long", [1, 1e20], [1, 1e40])])
    shown = texts(plot, "bottom")
    assert 3 <= len(shown) <= 8
    assert shown[:2] == ["1", "10⁵"]


def test_curves_of_one_height_still_have_a_scale(plot):
    plot.set_curves([curve("flat", [1, 2], [100, 100])])
    assert texts(plot, "left") == ["10²", "10³"]


def test_the_cursor_stands_at_its_number(plot):
    plot.set_cursor(100)
    assert plot.cursor_line.value() == pytest.approx(2)
    plot.set_cursor(None)
    assert not plot.cursor_line.isVisible()


def test_in_a_column_with_wrapped_text_it_keeps_its_height_and_its_legend(qtbot):
    body = QWidget()
    qtbot.addWidget(body)
    column = QVBoxLayout(body)
    text, plot = QLabel("words and " * 40), LogPlot("T", "count")
    text.setWordWrap(True)
    column.addWidget(text)
    column.addWidget(plot)
    plot.set_curves([curve(f"a long name of curve {n}", [1, 2], [1, 2]) for n in range(5)])
    body.resize(260, 10)
    with qtbot.waitExposed(body):
        body.show()
    body.resize(260, body.heightForWidth(260))
    qtbot.waitUntil(lambda: plot.legend.height() >= plot.legend.heightForWidth(plot.legend.width()))
    assert plot.legend.height() >= 5 * plot.fontMetrics().height()
    assert plot.view.height() >= 10 * plot.fontMetrics().height()


def test_it_takes_no_focus(plot):
    assert plot.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_it_leaves_keys_to_what_it_stands_in(plot, qtbot):
    plot.set_curves([curve("weights", [1, 10], [1, 100])])
    plot.set_cursor(6)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_End):
        qtbot.keyClick(plot, key)
    assert plot.cursor_line.value() == pytest.approx(math.log10(6))


@pytest.mark.parametrize(
    ("exponent", "text"), [(0, "1"), (1, "10"), (2, "10²"), (13, "10¹³"), (-4, "10⁻⁴")]
)
def test_powers_are_written_with_raised_digits(exponent, text):
    assert power_of_ten(exponent) == text
