"""Wherever a quantity is shown, a pointer at rest is told its formula: every dock, every page."""

import html
import re

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QMenu,
    QRadioButton,
    QScrollBar,
    QSlider,
    QSplitterHandle,
    QTableView,
    QToolTip,
    QWidget,
)

from mhagui.document.exercise_list import exercises
from mhagui.gui.docks.key_heads import KeyHeadLegend
from mhagui.gui.widgets.bar_list import BarList
from mhagui.gui.widgets.colour_bar import ColourKey
from mhagui.gui.widgets.curve_legend import CurveLegend
from mhagui.gui.widgets.curve_plot import CurvePlot
from mhagui.gui.widgets.head_map import HeadMap
from mhagui.gui.widgets.matrix_card import HeadTitle
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.norm_bar import NormBar
from mhagui.gui.widgets.state_icon import StateIcon
from mhagui.gui.widgets.stem_plot import StemPlot
from mhagui.gui.widgets.step_list import StepButton
from mhagui.gui.widgets.token_strip import TokenStrip

# What can show a quantity; all of it has to, but for what is named below.
SHOWING = (
    QLabel, QAbstractSpinBox, QSlider, QRadioButton, QCheckBox, QTableView,
    StepButton, MatrixView, BarList, NormBar, StemPlot, ColourKey, HeadTitle, CurveLegend,
    CurvePlot, HeadMap,
)  # fmt: skip
# What never shows one: what is pressed, typed into or scrolled by, what only holds others, tokens.
OTHERS = (
    QAbstractButton, QLineEdit, QScrollBar, QSplitterHandle, QMenu, StateIcon, TokenStrip,
    KeyHeadLegend,
)  # fmt: skip
# What shows none though it is of such a kind: object names, and texts of labels without one.
NO_QUANTITY = {
    "headsDock": {"h1", "h2", "h3", "h4"},
    "heatmapsDock": {"rows: queries t · columns: keys i"},
    "pipelineDock": {"·", "=", "→"},
    "filterBankDock": {"+", "=", "−", "≈", "Ablate"},
    "outputProjectionDock": {"projectionSeed"},
    "tokensDock": {"tokensNote"},
    "informationDock": {"heads", "and", "source"},
    "atlasDock": {"Show"},
}
BEGINS = r"<table[^>]*><tr><td[^>]*><img "  # with a formula
BEFORE = "the tooltip before"
# Exercises are prose, and answers are typed: of them the solver alone shows quantities.
PROSE = "lessonDock"
LESSONS = ("four-heads", pytest.param("induction", marks=pytest.mark.thorough))
pytestmark = pytest.mark.usefixtures("no_tooltip_left")


@pytest.fixture(autouse=True)
def large(window, settle):
    """Have room for the whole of most docks."""
    window.resize(1500, 1000)
    settle()


def hover(widget, spot):
    """Let the pointer rest on ``widget``; return the tooltip that is shown then."""
    QToolTip.showText(QPoint(), BEFORE)  # a tooltip that is hidden still stays for a moment
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, spot, widget.mapToGlobal(spot)))
    return QToolTip.text().replace(BEFORE, "")


def words_of(tip):
    return html.unescape(re.sub(r"<[^>]*>", " ", tip))


def in_table(table):
    model, view = table.model(), table.viewport()
    for row in range(min(model.rowCount(), 8)):
        for column in range(min(model.columnCount(), 4)):
            yield view, table.visualRect(model.index(row, column)).center()


def in_matrix(matrix):
    rows, columns = matrix.picture.shape
    for row, column in ((0, 0), (rows - 1, 0), (rows - 1, columns - 1), (0, columns - 1)):
        yield matrix, matrix.cell_rect(row, column).center()
    yield matrix, QPoint(1, 1)


def in_bars(bars):
    for row in range(len(bars.bars)):
        yield bars, bars.row_rect(row).center().toPoint()


def in_plot(plot):
    view = plot.view.viewport()
    yield view, view.rect().center()
    for curve in plot.curves:
        yield view, point_of(plot, curve, len(curve.values) // 2)


def in_legend(legend):
    for x in range(10, legend.width() - 10, 40):
        yield legend, QPoint(x, 8)


# Where the pointer is to rest: on cells, rows, points of curves; else in the middle.
PLACES = {
    QTableView: in_table,
    MatrixView: in_matrix,
    BarList: in_bars,
    CurvePlot: in_plot,
    CurveLegend: in_legend,
}


def places(widget):
    for kind, where in PLACES.items():
        if isinstance(widget, kind):
            return list(where(widget))
    return [(widget, widget.rect().center())]


def point_of(plot, curve, number):
    """Return where a point of a curve is drawn, in the viewport of its plot."""
    x = number + 1.0 if curve.at is None else float(curve.at[number])
    scene = plot.box.mapViewToScene(QPointF(x, float(curve.values[number])))
    return plot.view.mapFromScene(scene)


def name_of(widget):
    return widget.objectName() or getattr(widget, "text", str)() or widget.accessibleName()


def shows_a_quantity(widget, dock):
    name = dock.objectName()
    if not isinstance(widget, SHOWING) or not widget.isVisible():
        return False
    if isinstance(widget, QLabel) and not widget.text().strip():
        return False
    if name == PROSE:
        return widget.objectName().startswith("solver")
    return name_of(widget) not in NO_QUANTITY.get(name, ())


def without_formula(dock):
    """Return what of a dock shows a quantity, and has a place without a formula."""
    found = []
    for widget in dock.widget().findChildren(QWidget):
        is_known = isinstance(widget, (*SHOWING, *OTHERS)) or type(widget) is QWidget
        if not is_known and not widget.findChildren(QWidget):
            found.append((dock.objectName(), name_of(widget), "of a kind that is not listed"))
        if not shows_a_quantity(widget, dock):
            continue
        for part, spot in places(widget):
            tip = hover(part, spot) if part.rect().contains(spot) else None
            if tip is not None and not re.match(BEGINS, tip):
                found.append((dock.objectName(), name_of(widget), spot.toTuple(), tip))
    return found


@pytest.mark.parametrize("window", LESSONS, indirect=True)
def test_every_quantity_of_every_dock_tells_its_formula(window, settle):
    missing = []
    for dock in window.docks.all:
        window.docks.enter(dock)
        settle()
        missing += without_formula(dock)
    assert not missing, "\n".join(map(str, missing))


PAGES = {
    "heatmaps": ["showScores"],
    "filter_bank": ["showAblationSite"],
    "impulse": ["showResponse"],
    "weights": ["weightsInput", "weightsQueries", "weightsKeys", "weightsValues", "weightsHead"],
    "pipeline": [f"stage{number}" for number in range(1, 9)],
}


@pytest.mark.parametrize("dock", PAGES)
def test_so_do_the_other_pages_of_the_docks(window, settle, dock):
    panel, missing = getattr(window.docks, dock), []
    window.docks.enter(panel)
    for button in PAGES[dock]:
        panel.findChild(QAbstractButton, button).click()
        settle()
        missing += without_formula(panel)
    assert not missing, "\n".join(map(str, missing))


def test_so_do_the_views_behind_the_tabs_of_the_scorecard(window, settle, qtbot):
    dock, missing = window.docks.atlas, []
    window.docks.enter(dock)
    qtbot.waitUntil(lambda: dock.map.heads is not None)
    tabs = dock.views.tabs
    for number in range(tabs.count()):
        tabs.setCurrentIndex(number)
        settle()
        missing += without_formula(dock)
    assert not missing, "\n".join(map(str, missing))


def test_so_do_the_pages_of_the_exercises(window, settle):
    lesson, missing, solvers = window.docks.lesson, [], 0
    window.docks.enter(lesson)
    for exercise in exercises():
        lesson.session.choose(exercise.number)
        settle()
        missing += without_formula(lesson)
        solvers += lesson.page.solver is not None
    assert not missing, "\n".join(map(str, missing))
    assert solvers


def test_a_cell_tells_its_own_numbers_below_the_formula(window, settle):
    window.docks.enter(window.docks.heatmaps)
    settle()
    view = window.findChild(MatrixView, "heatmap2")
    cell = view.cell_rect(3, 2).center()
    assert "head 2, previous token, row t4, column t3: weight 0.9233" in words_of(hover(view, cell))
    above = view.cell_rect(0, 5).center()
    assert "row t1, column t6: masked" in words_of(hover(view, above))
    window.docks.enter(window.docks.entropy)
    settle()
    table = window.docks.entropy.table
    cell = table.visualRect(table.model().index(3, 1)).center()
    assert "t4, h1: 1.253 bits" in words_of(hover(table.viewport(), cell))
    plot = window.docks.entropy.plot
    spot = point_of(plot, plot.curves[0], 3)
    told = words_of(hover(plot.view.viewport(), spot))
    assert re.search(r"h1, query position t = 4: .*entropy \(bits\) 1\.253", told)


def test_a_label_explains_what_its_field_holds(window, settle):
    window.docks.enter(window.docks.heads)
    settle()
    labels = {label.text(): label for label in window.docks.heads.findChildren(QLabel)}
    for text, words in (("Length T", "How many"), ("d_k", "Width"), ("|K|", "Key magnitude")):
        label = labels[text]
        assert words in words_of(hover(label, label.rect().center()))


@pytest.mark.parametrize("window", LESSONS, indirect=True)
def test_sizes_and_cell_in_the_status_bar_tell_theirs(window):
    for name in ("sceneFacts", "cursorReadout"):
        label = window.findChild(QLabel, name)
        assert re.match(BEGINS, hover(label, label.rect().center()))
