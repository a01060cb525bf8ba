import math
from functools import partial

import numpy as np
import pyqtgraph as pg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage
from PySide6.QtWidgets import QApplication

from mhagui.gui.theme import ThemeChoice, apply_theme, theme_of
from mhagui.gui.widgets.curve_legend import SYMBOLS, CurveLegend, LegendEntry
from mhagui.gui.widgets.curve_line import peaks
from mhagui.gui.widgets.curve_plot import Curve, CurvePlot
from mhagui.gui.widgets.frequency_plot import FrequencyPlot

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
BLUE, ORANGE = QColor("#0072b2"), QColor("#e69f00")
CEILING = np.log2(np.arange(1.0, 7.0))


@pytest.fixture
def plot(qtbot):
    plot = CurvePlot("query position t", "row entropy (bits)", x_prefix="t", can_point=True)
    qtbot.addWidget(plot)
    plot.resize(340, 300)
    plot.set_y_range(0.0, math.log2(6))
    plot.set_curves([Curve("h1", CEILING / 2, BLUE), Curve("h2", CEILING / 3, ORANGE, "s")])
    with qtbot.waitExposed(plot):
        plot.show()
    return plot


@pytest.mark.parametrize("width", range(300, 460, 20))
def test_no_word_touches_the_edge(plot, width):
    plot.resize(width, 300)
    plot.set_words(("the", "cat", "sat", "on", "the", "mat"), ())
    image = picture(plot)
    below = round(plot.box.sceneBoundingRect().bottom()) + 2
    ground = image.pixelColor(image.width() - 1, below)
    for x in range(image.width() - 3, image.width()):
        assert {image.pixelColor(x, y).rgb() for y in range(below, image.height())} == {
            ground.rgb()
        }


def n_drawn_markers(plot):
    """How many markers pyqtgraph keeps ready, of all curves."""
    curves = [of for of in plot.box.allChildItems() if isinstance(of, pg.ScatterPlotItem)]
    return sum(len(curve.fragmentAtlas) for curve in curves)


@pytest.mark.parametrize("make", [partial(CurvePlot, "t", "bits"), partial(FrequencyPlot, "|H|")])
def test_markers_are_drawn_once_however_often_a_curve_moves(qtbot, make):
    plot = make()
    qtbot.addWidget(plot)
    counts = []
    for height in range(1, 6):
        plot.set_curves([Curve("h1", CEILING / height, BLUE), Curve("h2", CEILING, ORANGE, "s")])
        picture(plot)
        counts.append(n_drawn_markers(plot))
    assert len(set(counts)) == 1


def spot(plot, x, y=1.0):
    """Where in the plot's viewport position x at height y is."""
    box = plot.box
    return plot.view.mapFromScene(box.mapViewToScene(QPointF(x, y)))


def picture(plot) -> QImage:
    QApplication.processEvents()
    return plot.view.grab().toImage()


def count(image, colour):
    return sum(
        image.pixelColor(x, y) == colour
        for x in range(image.width())
        for y in range(image.height())
    )


def names_of_items(plot):
    return len(plot.view.scene().items())


def test_a_curve_that_is_undefined_everywhere_has_markers_nowhere(plot):
    plot.set_curves([Curve("h1", np.full(len(CEILING), math.nan), BLUE)])
    plot.grab()  # a warning would be a failure
    assert not plot.lines[0].scatter.isVisible()
    plot.set_curves([Curve("h1", CEILING, BLUE)])
    assert plot.lines[0].scatter.isVisible()


def test_two_hundred_refreshes_leave_as_many_items(plot):
    before = names_of_items(plot)
    for number in range(200):
        curves = [Curve("h1", CEILING * number / 200, BLUE), Curve("h2", CEILING / 3, ORANGE)]
        plot.set_curves(curves, Curve("ceiling", CEILING, QColor()))
    QApplication.processEvents()
    assert names_of_items(plot) == before


def test_items_of_removed_curves_go(plot):
    plot.set_curves([Curve("h1", CEILING, BLUE)])
    one = names_of_items(plot)
    plot.set_curves([Curve(f"h{n}", CEILING, BLUE) for n in range(8)])
    plot.set_curves([Curve("h1", CEILING, BLUE)])
    assert names_of_items(plot) == one


def test_a_removed_curve_leaves_its_line_to_the_next(plot):
    flat = np.zeros(6)
    plot.set_curves(
        [Curve("h1", CEILING, BLUE), Curve("h2", flat, ORANGE), Curve("h3", flat, BLUE)]
    )
    plot.set_curves([Curve("h1", flat, ORANGE), Curve("h2", flat, BLUE)])
    assert [list(line.getData()[1]) for line in plot.lines] == [[0.0] * 6] * 2
    assert count(picture(plot), BLUE) > 50
    plot.set_curves([Curve("h1", flat, ORANGE), Curve("h2", flat, ORANGE)])
    assert count(picture(plot), BLUE) == 0


def test_ranges_do_not_follow_the_data(plot):
    before = plot.box.viewRange()
    plot.set_curves([Curve("h1", CEILING * 100, BLUE)])
    QApplication.processEvents()
    assert plot.box.viewRange() == before


def test_all_positions_and_the_whole_range_can_be_seen(plot):
    (left, right), (bottom, top) = plot.box.viewRange()
    assert left < 1
    assert right > 6
    assert bottom < 0 < math.log2(6) < top


@pytest.mark.parametrize("x", [1, 4, 6])
def test_a_click_points_at_the_nearest_position(qtbot, plot, x):
    with qtbot.waitSignal(plot.pointed) as signal:
        qtbot.mouseClick(plot.view.viewport(), LEFT, pos=spot(plot, x + 0.3))
    assert signal.args == [x]


def test_a_right_click_points_at_nothing_and_opens_no_menu(qtbot, plot):
    with qtbot.assertNotEmitted(plot.pointed):
        qtbot.mouseClick(plot.view.viewport(), RIGHT, pos=spot(plot, 3))
    QApplication.processEvents()
    assert QApplication.activePopupWidget() is None


def test_a_drag_neither_pans_nor_zooms(qtbot, plot):
    before = plot.box.viewRange()
    for button in (LEFT, RIGHT):
        qtbot.mousePress(plot.view.viewport(), button, pos=spot(plot, 2))
        qtbot.mouseMove(plot.view.viewport(), spot(plot, 5, 2.0))
        qtbot.mouseRelease(plot.view.viewport(), button, pos=spot(plot, 5, 2.0))
    assert plot.box.viewRange() == before


def test_arrow_keys_move_the_cursor_and_stop_at_the_ends(qtbot, plot):
    pointed = []
    plot.pointed.connect(pointed.append)
    plot.pointed.connect(plot.set_cursor)
    plot.set_cursor(2)
    keys = Qt.Key
    for key in (
        keys.Key_Left,
        keys.Key_Left,
        keys.Key_End,
        keys.Key_Right,
        keys.Key_Home,
        keys.Key_Right,
    ):
        qtbot.keyClick(plot, key)
    assert pointed == [1, 1, 6, 6, 1, 2]


def test_keys_that_are_faster_than_frames_all_count(qtbot, plot):
    pointed = []
    plot.pointed.connect(pointed.append)
    plot.set_cursor(2)
    for _ in range(3):
        qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert pointed == [3, 4, 5]


def test_a_plot_that_is_only_looked_at_takes_no_focus(qtbot):
    plot = CurvePlot("index k", "σ")
    qtbot.addWidget(plot)
    assert plot.focusPolicy() == Qt.FocusPolicy.NoFocus
    assert plot.view.focusPolicy() == Qt.FocusPolicy.NoFocus


@pytest.mark.parametrize("place", ["curves", "left axis", "bottom axis"])
def test_the_wheel_is_left_to_what_is_around_the_plot(plot, place, wheel):
    before = plot.box.viewRange()
    view = plot.view.viewport()
    at = {
        "curves": spot(plot, 3),
        "left axis": QPoint(5, 100),
        "bottom axis": view.rect().bottomRight() - QPoint(60, 10),
    }[place]
    assert not wheel(view, -120, at)  # so that Qt offers it to the scroll area around
    assert plot.box.viewRange() == before


def test_the_cursor_is_a_vertical_line_at_its_position(plot):
    red = theme_of(plot.palette()).cursor
    plot.set_cursor(None)
    assert count(picture(plot), red) == 0
    plot.set_cursor(3)
    image, at = picture(plot), spot(plot, 3)
    columns = {
        x
        for x in range(image.width())
        if image.pixelColor(x, 20).red() > 180 and image.pixelColor(x, 20).green() < 120
    }
    assert columns
    assert all(abs(x - at.x()) <= 2 for x in columns)


def test_the_ceiling_can_be_seen_under_a_curve_that_lies_on_it(plot):
    band = theme_of(plot.palette()).hatch
    plot.set_curves([Curve("h4", CEILING, ORANGE)])
    assert count(picture(plot), band) == 0
    plot.set_curves([Curve("h4", CEILING, ORANGE)], Curve("ceiling log2 t", CEILING, QColor()))
    image = picture(plot)
    assert count(image, band) > 500
    assert count(image, ORANGE) > 50
    assert "ceiling log2 t" in plot.legend.accessibleName()


def test_colours_follow_light_and_dark_at_once(qapp, plot):
    def corner():
        return picture(plot).pixelColor(2, 2)

    assert corner() == theme_of(plot.palette()).plot
    assert corner().lightness() > 200
    apply_theme(ThemeChoice.DARK)
    assert corner() == theme_of(plot.palette()).plot
    assert corner().lightness() < 60
    apply_theme(ThemeChoice.LIGHT)
    assert corner().lightness() > 200


def test_axis_texts_can_be_read_in_the_dark(qapp, plot):
    apply_theme(ThemeChoice.DARK)
    image = picture(plot)
    brightest = max(
        image.pixelColor(x, y).lightness() for x in range(40) for y in range(image.height())
    )
    assert brightest > 180


def test_negative_ticks_have_a_true_minus(plot):
    assert plot.axes["left"].tickStrings([-0.5, 0.5], 1.0, 0.5) == ["−0.5", "0.5"]


@pytest.mark.parametrize("n_positions", [1, 2, 6, 24, 300, 1024])
@pytest.mark.parametrize("width", [150, 340, 1200])
def test_position_ticks_are_whole_and_do_not_run_into_each_other(plot, n_positions, width):
    plot.set_curves([Curve("h1", np.zeros(n_positions), BLUE)])
    axis = plot.axes["bottom"]
    (low, high), _ = plot.box.viewRange()
    ((spacing, values),) = axis.tickValues(low, high, width)
    texts = axis.tickStrings(values, 1.0, spacing)
    widest = max(QFontMetrics(plot.font()).horizontalAdvance(text) for text in texts)
    assert set(texts) <= {f"t{t}" for t in range(1, n_positions + 1)}
    assert len(values) == 1 or spacing * width / (high - low) > widest


def test_markers_are_for_a_handful_of_points(plot):
    def shapes():
        return [line.opts["symbol"] for line in plot.lines]

    plot.set_curves([Curve("h1", np.zeros(64), BLUE, "t1")])
    assert shapes() == ["t1"]
    plot.set_curves([Curve("h1", np.zeros(65), BLUE, "t1")])
    assert shapes() == [None]


@pytest.mark.parametrize("n_positions", [6, 64, 512, 1024])
def test_curves_are_two_pixels_thick_and_before_the_grid(plot, n_positions):
    plot.set_curves([Curve("h1", np.full(n_positions, 1.0), BLUE)])
    ((_, values),) = plot.axes["left"].tickValues(0.0, 2.6, 300)
    assert 1.0 in values
    image = picture(plot)
    x = spot(plot, 1 + 0.3 * (n_positions - 1)).x()  # between markers
    column = [image.pixelColor(x, y) for y in range(image.height())]
    thick = [pixel for pixel in column if abs(pixel.hslHue() - BLUE.hslHue()) < 10]
    assert len(thick) >= 2


@given(
    st.lists(st.floats(-1e3, 1e3) | st.just(math.nan), min_size=1, max_size=300),
    st.floats(0.01, 3.0),
    st.sampled_from([1.0, 1.5, 2.0]),
)
def test_no_extreme_is_lost_where_points_are_closer_than_pixels(values, step, pixels):
    x, y = np.arange(len(values)) * step, np.array(values)
    at, heights = peaks(x, y, pixels)
    assert at.tolist() == sorted(at)
    assert (at[0], at[-1]) == (x[0], x[-1])
    columns = np.floor(x * pixels)
    assert len(at) <= max(2 * (columns[-1] + 1) + 1, 2)
    for column in set(columns):
        here, drawn = y[columns == column], heights[np.floor(at * pixels) == column]
        if not np.isnan(here).all():
            wanted = np.nanmin(here), np.nanmax(here)
            assert (np.nanmin(drawn), np.nanmax(drawn)) == wanted


@pytest.mark.parametrize("n_positions", [500, 4096])
def test_a_lone_peak_of_many_points_is_drawn_to_its_top(plot, n_positions):
    values = np.full(n_positions, 0.5)
    values[[n_positions // 3, -1]] = 2.5
    plot.set_curves([Curve("h1", values, BLUE)])
    image = picture(plot)
    for x in (n_positions // 3 + 1, n_positions):
        place = spot(plot, x, 2.0)
        near = {image.pixelColor(place + QPoint(dx, 0)).rgb() for dx in (-2, -1, 0, 1, 2)}
        assert BLUE.rgb() in near


def test_curves_that_stay_are_not_made_anew(plot):
    values = [np.linspace(0, 2, 3000) / n for n in (1, 2, 3)]
    plot.set_curves([Curve(f"h{n}", of, BLUE) for n, of in enumerate(values, 1)])
    picture(plot)
    made = []
    for line in plot.lines:
        line.sigPlotChanged.connect(made.append)
    values[1] = values[1] * 0.9
    plot.set_curves([Curve(f"h{n}", of, BLUE) for n, of in enumerate(values, 1)])
    assert made == [plot.lines[1]]


def test_an_undefined_value_leaves_a_gap(plot):
    values = np.array([0.5, 0.5, math.nan, math.nan, 0.5, 0.5])
    plot.set_curves([Curve("h1", values, BLUE)])
    image = picture(plot)

    def is_drawn(x):
        at = spot(plot, x, 0.5)
        column = [image.pixelColor(at.x(), y) for y in range(at.y() - 3, at.y() + 4)]
        return any(abs(pixel.hslHue() - BLUE.hslHue()) < 10 for pixel in column)

    assert [is_drawn(x) for x in (1.5, 3.5, 5.5)] == [True, False, True]


def test_a_dimmed_curve_is_dashed_and_as_strong(plot):
    drawn = {}
    for dimmed in (False, True):
        plot.set_curves([Curve("h1", np.full(6, 1.0), BLUE, dimmed=dimmed)])
        drawn[dimmed] = count(picture(plot), BLUE)
    assert 0.3 * drawn[False] < drawn[True] < 0.9 * drawn[False]


def test_a_low_plot_has_no_title_that_would_be_cut_or_take_its_room(plot, settle):
    drawn = {}
    for height in (300, 175, 80):
        plot.resize(340, height)
        settle()
        titles = {side: axis.label for side, axis in plot.axes.items()}
        drawn[height] = {side for side, title in titles.items() if title.isVisible()}
        if titles["left"].isVisible():
            box = titles["left"].mapRectToScene(titles["left"].boundingRect())
            margin = 4.0  # of a document
            assert -margin <= box.top() < box.bottom() <= plot.view.height() + margin
    assert drawn == {300: {"left", "bottom"}, 175: {"left"}, 80: set()}


def test_the_legend_names_all_curves(plot):
    assert plot.legend.accessibleName() == "Legend: h1, h2"


def test_a_legend_takes_as_many_lines_as_it_needs(qtbot):
    legend = CurveLegend()
    qtbot.addWidget(legend)
    assert legend.heightForWidth(300) == 0
    legend.set_entries(tuple(LegendEntry(f"h{n}", BLUE, SYMBOLS[n % 8]) for n in range(32)))
    line = legend.heightForWidth(10_000)
    text = legend.fontMetrics().horizontalAdvance("h30")
    assert line >= legend.fontMetrics().height()
    assert legend.heightForWidth(300) >= math.ceil(32 * text / 300) * line
    assert legend.minimumSizeHint().width() >= text


def test_eight_symbols_can_be_told_apart():
    assert len(set(SYMBOLS)) == len(SYMBOLS) == 8


def test_one_position_is_enough(plot):
    plot.set_curves([Curve("h1", np.zeros(1), BLUE)], Curve("ceiling", np.zeros(1), QColor()))
    (left, right), _ = plot.box.viewRange()
    assert left < 1 < right
