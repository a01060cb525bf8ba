"""Tooltips that begin with a formula: what they say and how it is drawn when they are shown."""

import base64
import html
import re
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QFont, QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QRadioButton, QSlider, QToolTip

from mhagui._resources import resource_path
from mhagui.document.edits import rename_head
from mhagui.gui.docks.cost import CostDock
from mhagui.gui.docks.entropy import EntropyDock
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.docks.information import InformationDock
from mhagui.gui.docks.rank import RankDock
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import ThemeChoice, apply_theme, theme_of
from mhagui.gui.widgets import formula_tip
from mhagui.gui.widgets.bar_list import BarList
from mhagui.gui.widgets.curve_plot import CurvePlot
from mhagui.gui.widgets.formula_tip import FormulaTip, explain, put_above, with_formula
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.number_box import NumberBox
from mhagui.gui.widgets.number_table import NumberTable

ROLE = Qt.ItemDataRole
pytestmark = pytest.mark.usefixtures("no_tooltip_left")


def hover(widget, spot=None):
    """Let the pointer rest on ``widget``; return what the tooltip then is."""
    QToolTip.hideText()
    spot = widget.rect().center() if spot is None else spot
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, spot, widget.mapToGlobal(spot)))
    return QToolTip.text()


def words_of(tip):
    """Return what is read in a tooltip: its markup left out, its signs as they are written."""
    return html.unescape(re.sub(r"<[^>]*>", "", tip))


def picture_of(tip):
    """Return the picture that a tooltip begins with, and the size it is shown in."""
    start = r"<table[^>]*><tr><td[^>]*><img width='(\d+)' height='(\d+)' "
    found = re.match(start + r"src='data:image/png;base64,([^']*)'>", tip)
    image = QImage.fromData(base64.b64decode(found[3], validate=True))
    return image, QSize(int(found[1]), int(found[2]))


def pixels(image):
    """Return an image as (height, width, 4) uint8 RGBA."""
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4).copy()


def inked(image):
    """Return the colour of what is drawn, where it covers a pixel in full."""
    rgba = pixels(image)
    ((red, green, blue, _),) = np.unique(rgba[rgba[..., 3] == 255], axis=0)
    return QColor(int(red), int(green), int(blue))


def begins_with(tip, formula):
    """Say whether a tooltip begins with the drawing of ``formula``."""
    return picture_of(tip) == picture_of(with_formula(formula))


def box(svg):
    return np.array(re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups(), dtype=float)


def test_the_heatmap_is_explained_by_what_it_shows(open_dock, settle):
    dock = open_dock(HeatmapsDock, 700, 600)
    view = dock.findChild(MatrixView, "heatmap1")
    for name, formula in (("showScores", Formula.SCORES), ("showWeights", Formula.WEIGHTS)):
        dock.findChild(QRadioButton, name).click()
        settle()
        assert begins_with(hover(view, view.cell_rect(2, 1).center()), formula)
        tip = hover(view, QPoint(1, 1))
        assert begins_with(tip, formula)
        assert formula.sentences in words_of(tip)
        assert "rows are query positions" in words_of(tip)


# --- the tooltip when it is shown


@pytest.fixture
def shown(qtbot):
    """A function that shows a widget in a window of its own."""

    def shown(widget):
        qtbot.addWidget(widget)
        with qtbot.waitExposed(widget):
            widget.show()
        return widget

    return shown


def test_resting_on_a_widget_shows_formula_words_unit_and_range(shown):
    tip = hover(shown(explain(QLabel("0.81"), Formula.ROW_ENTROPY, "And more.")))
    assert begins_with(tip, Formula.ROW_ENTROPY)
    assert words_of(tip) == (
        "Row entropy: how far row t of A spreads over the keys it may see. Beside a sink, of the "
        "row's weights over their sum.\n"
        "Bits; from 0 (one key has it all) to log2 n_t (all n_t alike); n_t = t if causal.\n"
        "And more."
    )


def test_a_part_without_a_tooltip_of_its_own_shows_that_of_the_whole(shown):
    box = shown(NumberBox(0.0, 4.0, 0.1))
    box.describe("The gain of h1", Formula.GAIN.sentences)
    put_above(box, Formula.GAIN)
    box.show_value(1 / 3)
    tip = hover(box.lineEdit())
    assert begins_with(tip, Formula.GAIN)
    assert words_of(tip).endswith("\nExactly 0.3333333333333333")


def test_what_cannot_be_used_says_why_below_its_formula(shown):
    slider = shown(explain(QSlider(), Formula.GAIN))
    slider.setEnabled(False)
    slider.setToolTip("equal scores: uniform at any gain")
    tip = hover(slider)
    assert begins_with(tip, Formula.GAIN)
    assert words_of(tip) == "equal scores: uniform at any gain"


def test_another_formula_takes_the_place_of_the_first(shown):
    label = shown(explain(QLabel("S"), Formula.SCORES))
    assert begins_with(hover(explain(label, Formula.WEIGHTS)), Formula.WEIGHTS)
    assert len(label.findChildren(FormulaTip)) == 1


def test_plots_and_their_legends_are_explained(open_dock):
    dock = open_dock(EntropyDock, 500, 600)
    plot = dock.findChild(CurvePlot, "entropyPlot")
    assert begins_with(hover(plot.view.viewport()), Formula.ROW_ENTROPY)
    assert begins_with(hover(plot.legend, QPoint(10, 8)), Formula.CEILING)
    of_a_head = QPoint(plot.legend.fontMetrics().horizontalAdvance("ceiling log2 t") + 50, 8)
    assert begins_with(hover(plot.legend, of_a_head), Formula.ROW_ENTROPY)


def test_each_curve_of_the_cost_is_explained(open_dock):
    dock = open_dock(CostDock, 500, 900)
    legend = dock.findChild(CurvePlot, "costOverT").legend
    metrics, found = legend.fontMetrics(), set()
    for y in range(0, legend.height(), metrics.height() // 2):
        found |= {hover(legend, QPoint(x, y)) for x in range(0, legend.width(), 10)}
    for formula in (Formula.LINEAR_COST, Formula.QUADRATIC_COST, Formula.OVERTAKING):
        assert any(tip and begins_with(tip, formula) for tip in found if "<img" in tip)


def test_rows_and_columns_of_tables_are_explained(open_dock):
    dock = open_dock(RankDock, 400, 900)
    table = dock.findChild(NumberTable, "rankTable")
    model, rows = table.model(), table.verticalHeader()
    spot = QPoint(rows.width() // 2, rows.sectionViewportPosition(1) + 4)
    assert begins_with(hover(rows.viewport(), spot), Formula.SCORE_SINGULAR_VALUES)
    cell = table.visualRect(model.index(0, 1)).center()
    assert begins_with(hover(table.viewport(), cell), Formula.SCORE_RANK)
    columns = dock.findChild(NumberTable, "parameterTable").horizontalHeader()
    spot = QPoint(columns.sectionViewportPosition(4) + 4, columns.height() // 2)
    assert begins_with(hover(columns.viewport(), spot), Formula.PARAMETERS)


def test_a_bar_adds_its_own_number_below(open_dock):
    dock = open_dock(InformationDock, 400, 900)
    bars = dock.findChild(BarList, "informationBars")
    tip = hover(bars, bars.row_rect(0).center().toPoint())
    assert begins_with(tip, Formula.INFORMATION)
    assert re.search(r"h1 first token: I = \d\.\d{6} bits$", words_of(tip))


def test_a_screen_reader_is_given_plain_words(open_dock, shown):
    label = shown(explain(QLabel("0.81"), Formula.ROW_ENTROPY))
    hover(label)
    described = QAccessible.queryAccessibleInterface(label).text(QAccessible.Text.Description)
    assert described == label.toolTip() == Formula.ROW_ENTROPY.sentences
    dock = open_dock(RankDock, 400, 900)
    header = dock.rank_table.model().headerData
    described = header(0, Qt.Orientation.Vertical, ROLE.AccessibleDescriptionRole)
    assert described == Formula.SCORE_RANK.sentences


def test_words_of_others_are_no_markup(bench, open_dock, settle):
    dock = open_dock(HeatmapsDock, 700, 600)
    bench.edit(rename_head(1, "<img src=x> & b"))
    settle()
    tip = hover(dock.findChild(MatrixView, "heatmap1"), QPoint(1, 1))
    assert tip.count("<img") == 1
    assert "of h1 <img src=x> & b:" in html.unescape(tip)


def label_of_tip():
    (label,) = (w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel"))
    return label


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_the_formula_is_drawn_in_the_colour_of_the_text(shown, choice, grabbed):
    box = shown(explain(QCheckBox("margin"), Formula.KEPT_MARGIN))
    hover(box)
    apply_theme(choice)  # while it runs: the next tooltip is right
    text = theme_of(box.palette()).text
    assert inked(picture_of(hover(box))[0]) == text
    rows = grabbed(label_of_tip())[:20]
    assert (rows == (text.red(), text.green(), text.blue())).all(axis=2).any()


def test_the_formula_grows_with_the_font(qapp, shown):
    label = shown(explain(QLabel("H"), Formula.MEAN_ENTROPY))
    (_, small), font = picture_of(hover(label)), qapp.font()
    larger = QFont(font)
    larger.setPointSize(font.pointSize() * 2)
    qapp.setFont(larger)
    try:
        large = picture_of(hover(label))[1]
    finally:
        qapp.setFont(font)
    assert large.width() == pytest.approx(2 * small.width(), rel=0.1)
    assert large.height() == pytest.approx(2 * small.height(), rel=0.1)


def test_no_formula_is_cut_or_has_no_room_on_a_screen():
    for formula in Formula:
        image, size = picture_of(with_formula(formula))
        svg = resource_path("formulas", formula.file).read_text(encoding="utf-8")
        width, height = box(svg)
        assert size.width() / size.height() == pytest.approx(width / height, rel=0.1), formula
        alpha = pixels(image)[..., 3]
        for edge in (alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]):
            assert (edge < 100).all(), formula
        assert size.width() < 480, formula


def test_the_formula_is_as_sharp_as_the_finest_screen(monkeypatch):
    _, size = picture_of(with_formula(Formula.SOFTMAX))
    screens = [SimpleNamespace(devicePixelRatio=lambda ratio=ratio: ratio) for ratio in (1.0, 2.0)]
    monkeypatch.setattr(formula_tip, "QGuiApplication", SimpleNamespace(screens=lambda: screens))
    image, shown_size = picture_of(with_formula(Formula.SOFTMAX))
    assert shown_size == size
    assert image.size() == 2 * size


@pytest.mark.parametrize("content", [None, b"", b"<svg", b"not a drawing"])
def test_plain_signs_stand_in_for_a_drawing_that_is_lost(monkeypatch, tmp_path, content):
    monkeypatch.setattr(formula_tip, "resource_path", lambda *_: tmp_path / "one.svg")
    if content is not None:
        (tmp_path / "one.svg").write_bytes(content)
    tip = with_formula(Formula.SCORE_RANK)
    assert "<img" not in tip
    text = "rank(Q_h·K_hᵀ) ≤ d_k"
    assert words_of(tip).startswith(text + Formula.SCORE_RANK.sentences)
