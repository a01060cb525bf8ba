"""The output projection dock: that it fits, and that keys reach all of it."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractSlider, QApplication, QLabel, QScrollArea, QWidget

from mhagui.document.edits import OpenScene
from mhagui.document.new_scene import new_scene
from mhagui.gui.widgets.editable_delegate import fitting_text
from mhagui.gui.widgets.fitting_label import FittingLabel


@pytest.fixture
def dock(projection_dock):
    return projection_dock


def area_of(dock):
    """What scrolls where the dock is small."""
    return dock.widget().findChild(QScrollArea)


def misfits(dock):
    """Return what scrolls, which labels are cut, and which numbers are wider than their cell."""
    found = [bar.objectName() for bar in dock.findChildren(QAbstractSlider) if bar.maximum() > 0]
    for label in dock.findChildren(FittingLabel):
        metrics = label.fontMetrics()
        lines = label.text().split("\n")
        found += [line for line in lines if metrics.horizontalAdvance(line) > label.width()]
    advance = QFontMetrics(dock.table.horizontalHeader().font()).horizontalAdvance
    width = dock.table.columnWidth(0) - 1  # a pixel lies between cells
    texts = [fitting_text(value, width, advance) for value in dock.bench.scene.w_o.flat]
    return found + [text for text in texts if advance(text) > width]


@pytest.mark.parametrize("points", [9, 10, 12, 14])
@pytest.mark.parametrize("size", [(660, 260), (640, 270), (1200, 500), (360, 520)])
def test_all_four_matrices_fit(qtbot, dock, bench, points, size, settle):
    application = QApplication.instance()
    font = application.font()
    usual = font.pointSize()
    font.setPointSize(points)
    application.setFont(font)
    try:
        dock.resize(*size)
        settle()
        assert not misfits(dock)
        for view in (dock.concat_view, dock.output_view, dock.listening_view):
            inside = area_of(dock).viewport().rect()
            corner = view.mapTo(area_of(dock).viewport(), view.rect().bottomRight())
            assert inside.contains(corner)
            assert view.laid_out.column_labels
    finally:
        font.setPointSize(usual)
        application.setFont(font)


def test_rows_of_concat_and_o_are_level(dock):
    for row in (0, 5):
        concat = dock.concat_view.mapTo(dock, dock.concat_view.cell_rect(row, 0).topLeft())
        output = dock.output_view.mapTo(dock, dock.output_view.cell_rect(row, 0).topLeft())
        assert concat.y() == output.y()


def test_a_large_scene_scrolls_in_the_table_and_nowhere_else(dock, bench, settle):
    scene, rng = bench.scene, np.random.default_rng(0)
    heads = tuple(
        replace(scene.heads[0], uid=uid, w_v=rng.standard_normal((64, 4))) for uid in range(1, 17)
    )
    x = np.eye(64)
    w = rng.standard_normal((64, 64))
    bench.edit(OpenScene(replace(scene, title="large", heads=heads, x=x, w_o=w)))
    settle()
    area = area_of(dock)
    assert area.horizontalScrollBar().maximum() == area.verticalScrollBar().maximum() == 0
    assert dock.table.verticalScrollBar().maximum() > 0
    assert dock.output_view.picture.values.shape == (64, 64)


def test_every_control_says_what_it_is(dock):
    for name in (
        "outputProjectionTable",
        "projectionPresets",
        "projectionSeed",
        "concatView",
        "outputView",
        "listeningView",
        "signedColours",
        "listeningColours",
    ):
        widget = dock.findChild(QWidget, name)
        assert widget.accessibleName(), name
        if name != "outputProjectionTable":  # its cells have tooltips of their own
            assert widget.toolTip(), name
    assert "Ctrl" in dock.table.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert dock.findChild(QLabel, "filterBankResidual").toolTip()


def test_concat_and_o_can_be_copied(qtbot, dock):
    dock.output_view.setFocus()
    qtbot.keySequence(dock.output_view, QKeySequence(QKeySequence.StandardKey.Copy))
    first = QGuiApplication.clipboard().text().split("\n")[0]
    assert first == "1\t0\t0\t0\t0\t0.5\t1\t0"


def test_tab_goes_through_the_dock_in_reading_order(qtbot, dock, grabbed):
    order = ["projectionPresets", "projectionSeed", "outputProjectionTable"]
    order += ["concatView", "outputView", "listeningView"]
    stops = [dock.findChild(QWidget, name) for name in order]
    stops[0].setFocus()
    bare = {stops[-1]: grabbed(stops[-1])}
    stops[-1].setFocus()
    bare |= {stop: grabbed(stop) for stop in stops[:-1]}
    for stop in stops:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is stop
        assert (grabbed(stop) != bare[stop]).any(), stop.objectName()  # it shows its focus


def test_a_narrow_dock_scrolls_down_and_not_sideways(dock, bench, settle):
    dock.resize(322, 229)
    settle()
    area = area_of(dock)
    assert area.horizontalScrollBar().maximum() == 0
    assert area.verticalScrollBar().maximum() > 0
    assert dock.table.horizontalHeader().length() <= dock.table.viewport().width()


@pytest.mark.parametrize("n_positions", [6, 12, 60])
@pytest.mark.parametrize("points", [9, 10, 11])
def test_in_the_default_window_nothing_of_four_heads_scrolls(
    window, set_points, settle, n_positions, points
):
    set_points(points)
    window.bench.open(new_scene(n_positions, 4, 2, 2, 8))
    settle()
    dock = window.docks.dock("outputProjectionDock")
    assert not misfits(dock)
    assert dock.residual.isVisible()


@pytest.mark.parametrize("size", [(322, 229), (400, 212), (543, 244)])
def test_the_residual_is_in_sight_in_the_smallest_dock(dock, bench, settle, size):
    bench.open(new_scene(64, 8, 2, 2, 16))
    dock.resize(*size)
    settle()
    assert dock.rect().contains(dock.residual.geometry().translated(dock.widget().pos()))
    assert dock.residual.text().partition(" = ")[2]
    assert area_of(dock).horizontalScrollBar().maximum() == 0
