"""Curves of many heads over many positions: each can be followed, and read exactly."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from mhagui.gui.widgets.crowded_plot import MOST_POINTS, CrowdedPlot, means
from mhagui.gui.widgets.curve_plot import Curve

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00")
T = 800
CEILING = np.log2(np.arange(1.0, T + 1))
Values = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), min_size=1, max_size=300)


@pytest.fixture
def plot(qtbot, settle):
    plot = CrowdedPlot("query position t", "entropy (bits)", x_prefix="t")
    qtbot.addWidget(plot)
    plot.resize(420, 400)
    plot.show()
    plot.set_y_range(0.0, 10.0)
    settle()
    return plot


def noisy(n_heads=5, n_positions=T):
    """Return a curve to each head, around 1, 2, 3 .. and wilder than these are apart."""
    rng = np.random.default_rng(3)
    return tuple(
        Curve(f"h{n + 1}", n + 1 + rng.uniform(-1.5, 1.5, n_positions), QColor(colour))
        for n, colour in enumerate(COLOURS[:n_heads])
    )


def ceiling(n_positions=T):
    return Curve("ceiling", CEILING[:n_positions], QColor())


def tip_at(plot, x, y):
    spot = plot.view.mapFromScene(plot.box.mapViewToScene(QPointF(x, y)))
    at = plot.mapFromGlobal(plot.view.mapToGlobal(spot))
    QApplication.sendEvent(plot, QHelpEvent(QEvent.Type.ToolTip, at, plot.mapToGlobal(at)))
    return re.sub("<[^>]*>", " ", QToolTip.text()) if QToolTip.isVisible() else ""


@given(Values, st.integers(1, 40))
def test_means_are_those_of_the_numbers_that_are_known(values, length):
    values = np.array(values)
    found, places = means(values, length)
    for n, (mean, place) in enumerate(zip(found, places, strict=True)):
        own = values[n * length : (n + 1) * length]
        known = own[~np.isnan(own)]
        assert place == pytest.approx(n * length + (1 + len(own)) / 2)
        if len(known):
            assert mean == pytest.approx(float(np.mean(known)), rel=1e-9, abs=1e-6)
        else:
            assert np.isnan(mean)
    assert len(found) == -(-len(values) // length)


def test_few_points_are_drawn_as_they_are(plot):
    curves = noisy(5, MOST_POINTS // 5)
    plot.set_heads(curves, ceiling(MOST_POINTS // 5), 0)
    assert plot.per_mean == 1
    assert plot.curves == curves


def test_one_long_curve_is_drawn_as_it_is(plot):
    plot.set_heads(noisy(1), ceiling(), 0)
    assert plot.per_mean == 1


def test_the_means_of_heads_that_differ_do_not_cross(plot):
    plot.set_heads(noisy(), ceiling(), 2)
    drawn = [line.getData()[1] for line in plot.lines]
    for below, above in pairwise(drawn):
        assert (below < above).all()
    assert plot.box.viewRange()[0][1] > T  # the positions are those there are
    assert plot.axes["bottom"].most == T


def test_the_current_head_is_drawn_strongly_with_its_exact_curve_behind(plot):
    curves = noisy()
    plot.set_heads(curves, ceiling(), 2)
    widths = [line.opts["pen"].widthF() for line in plot.lines]
    assert [n for n, width in enumerate(widths) if width > min(widths)] == [2]
    assert plot._behind.isVisible()
    assert (plot._behind.getData()[1] == curves[2].values).all()
    kept = [line.getData()[1] for line in plot.lines]
    plot.set_current(4)
    widths = [line.opts["pen"].widthF() for line in plot.lines]
    assert widths[4] == max(widths) > widths[2]
    assert (plot._behind.getData()[1] == curves[4].values).all()
    for line, before in zip(plot.lines, kept, strict=True):
        assert (line.getData()[1] == before).all()
    plot.set_heads(noisy(5, 20), ceiling(20), 0)
    assert not plot._behind.isVisible()


def test_among_many_short_curves_that_of_the_current_head_is_drawn_strongly_too(plot):
    many = noisy(5, 14) + noisy(5, 14)
    plot.set_heads(many, ceiling(14), 7)
    assert plot.per_mean == 1
    assert [curve.strong for curve in plot.curves] == [n == 7 for n in range(10)]
    plot.set_current(0)
    assert [curve.strong for curve in plot.curves] == [n == 0 for n in range(10)]
    plot.set_heads(noisy(5, 14), ceiling(14), 0)
    assert not any(curve.strong for curve in plot.curves)


@pytest.mark.parametrize("x", [1, 5, 400, T])
def test_a_curve_of_means_tells_the_exact_number(plot, settle, no_tooltip_left, x):
    curves = noisy()
    plot.set_heads(curves, ceiling(), 0)
    settle()
    drawn = plot.curves[3]
    said = tip_at(plot, x, float(np.interp(x, drawn.at, drawn.values)))
    assert "h4" in said
    position = int(re.search(r"t = (\d+)", said)[1])
    value = float(re.search(r"\(bits\) (\S+)", said)[1].replace("−", "-"))
    assert abs(position - x) <= 2  # pixels are wider than a position
    assert value == pytest.approx(curves[3].values[position - 1], rel=1e-3)


def test_beside_all_curves_nothing_is_told(plot, settle, no_tooltip_left):
    plot.set_heads(noisy(), ceiling(), 0)
    settle()
    assert not re.findall(r"\bh\d\b", tip_at(plot, 400, 9.5))


def test_a_click_goes_to_the_position(plot, qtbot, settle):
    plot.set_heads(noisy(), ceiling(), 0)
    settle()
    spot: QPoint = plot.view.mapFromScene(plot.box.mapViewToScene(QPointF(400, 5)))
    with qtbot.waitSignal(plot.pointed) as pointed:
        qtbot.mouseClick(plot.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert abs(pointed.args[0] - 400) <= 2
