"""The formulas of the tooltips: there for every quantity, drawn as they read, right when shown."""

import base64
import html
import importlib.util
import re
from pathlib import Path
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
from mhagui.gui.panel import Panel
from mhagui.gui.theme import ThemeChoice, apply_theme, theme_of
from mhagui.gui.widgets import formula_tip
from mhagui.gui.widgets.bar_list import BarList
from mhagui.gui.widgets.curve_legend import CurveLegend
from mhagui.gui.widgets.curve_plot import CurvePlot
from mhagui.gui.widgets.formula_tip import FormulaTip, explain, put_above, with_formula
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.number_box import NumberBox
from mhagui.gui.widgets.number_table import NumberTable
from mhagui.gui.widgets.score_table import ScoreTable

ROLE = Qt.ItemDataRole
SCRIPT = Path(__file__).parents[2] / "docs" / "make_formulas.py"

# Where each quantity stands: object names of widgets; of tables and legends, the labels in them.
WHERE = {
    "headsDock": {
        "masterGainSlider": Formula.MASTER_GAIN,
        "masterGainBox": Formula.MASTER_GAIN,
        "keepMarginBox": Formula.KEPT_MARGIN,
        "gainSlider1": Formula.GAIN,
        "gainBox4": Formula.GAIN,
        "keyMagnitudeBox1": Formula.KEY_MAGNITUDE,
        "rank 2": Formula.SCORE_RANK,
        "row t4: 2.000 bits, 4.00 positions": Formula.EFFECTIVE_POSITIONS,
    },
    "heatmapsDock": {
        "showWeights": Formula.WEIGHTS,
        "showScores": Formula.SCORES,
        "heatmap1": Formula.WEIGHTS,
    },
    "atlasDock": {
        "atlasMap": Formula.PATTERN_SCORE,
        "atlasAboveChance": Formula.CHANCE_CORRECTED,
        "induction": Formula.PATTERN_SCORE,
        "uniformity": Formula.UNIFORMITY,
        "confidence": Formula.CONFIDENCE,
        "entropy (bits)": Formula.MEAN_ENTROPY,
        "effective positions": Formula.MEAN_POSITIONS,
        "mean distance": Formula.MEAN_DISTANCE,
        "distance variance": Formula.DISTANCE_VARIANCE,
        "atlasScatter": Formula.MEAN_ENTROPY,
    },
    "pipelineDock": {
        "stage1": Formula.QUERIES_AND_KEYS,
        "stage2": Formula.PRODUCT,
        "stage3": Formula.SCORES,
        "stage4": Formula.GAINED_SCORES,
        "stage5": Formula.MASK,
        "stage6": Formula.SOFTMAX,
        "stage7": Formula.HEAD_OUTPUT,
        "stage8": Formula.TERM,
        "stageTitle": Formula.QUERIES_AND_KEYS,
    },
    "cellDock": {
        "cellTitle": Formula.WEIGHTS,
        "q_t·k_i": Formula.PRODUCT,
        "÷ √d_k": Formula.SCORES,
        "× g": Formula.GAINED_SCORES,
        "exp": Formula.EXPONENTIAL,
        "÷ Σ exp": Formula.SOFTMAX,
        "q_t": Formula.QUERIES,
        "k_i": Formula.KEYS,
        "g·S": Formula.GAINED_SCORES,
        "weight": Formula.SOFTMAX,
    },
    "tokensDock": {"tokenGuess": Formula.GUESS},
    "outputProjectionDock": {
        "W_O": Formula.OUTPUT_PROJECTION,
        "concatView": Formula.CONCAT,
        "outputView": Formula.OUTPUT,
        "listeningView": Formula.LISTENING,
        "filterBankResidual": Formula.RESIDUAL,
    },
    "filterBankDock": {
        "termView1": Formula.TERM,
        "normBar1": Formula.TERM_NORM,
        "runningSumView1": Formula.RUNNING_SUM,
        "termSumView": Formula.FILTER_BANK,
        "bankOutputView": Formula.OUTPUT,
        "filterBankIdentity": Formula.RESIDUAL,
        "ablatedBeforeView": Formula.ABLATED,
    },
    "weightsDock": {
        "weightsInput": Formula.INPUT,
        "weightsQueries": Formula.PACKED_QUERIES,
        "weightsKeys": Formula.PACKED_KEYS,
        "weightsValues": Formula.PACKED_VALUES,
        "= Q_all = [Q_1 .. Q_4]": Formula.ALL_QUERIES,
        "= K_all = [K_1 .. K_4]": Formula.ALL_KEYS,
        "= V_all = [V_1 .. V_4]": Formula.ALL_VALUES,
        "Q_2, previous token": Formula.QUERIES,
        "K_2, previous token": Formula.KEYS,
        "V_2 = X·W_V": Formula.VALUES,
        "weightsNote": Formula.PACKED_ERROR,
    },
    "entropyDock": {
        "entropyPlot": Formula.ROW_ENTROPY,
        "entropyTable": Formula.ROW_ENTROPY,
        "log2 t": Formula.CEILING,
        "ceiling log2 t": Formula.CEILING,
        "mean H": Formula.MEAN_ENTROPY,
        "mean 2^H": Formula.MEAN_POSITIONS,
    },
    "rankDock": {
        "rank": Formula.SCORE_RANK,
        "σ1": Formula.SCORE_SINGULAR_VALUES,
        "eff. rank": Formula.EFFECTIVE_RANK,
        "spectrumPlot": Formula.SINGULAR_VALUES,
        "W_K": Formula.QUERY_PARAMETERS,
        "W_O": Formula.VALUE_PARAMETERS,
        "total": Formula.PARAMETERS,
        "scoreFlops": Formula.SCORE_FLOPS,
    },
    "impulseDock": {
        "showTaps": Formula.IMPULSE_RESPONSE,
        "showResponse": Formula.FREQUENCY_RESPONSE,
        "impulseCaption1": Formula.TOTAL_VARIATION,
        "magnitudePlot": Formula.FREQUENCY_RESPONSE,
        "groupDelayPlot": Formula.GROUP_DELAY,
        "weight A[t, i]": Formula.IMPULSE_RESPONSE,
        "ideal filter · TV distance": Formula.IDEAL_TAPS,
    },
    "informationDock": {
        "informationBars": Formula.INFORMATION,
        "wholePast": Formula.WHOLE_PAST,
        "pairBars": Formula.JOINT_INFORMATION,
        "redundancySynergy": Formula.REDUNDANCY,
        "divergenceMatrix": Formula.DIVERGENCE,
        "transitionTable": Formula.SOURCE,
        "sourceResolution": Formula.OBSERVED,
    },
    "costDock": {
        "Q, K, V": Formula.PROJECTION_COST,
        "scores": Formula.SCORE_COST,
        "softmax": Formula.EXPONENTIALS,
        "A·V": Formula.MIX_COST,
        "FLOPs": Formula.FLOPS,
        "W_Q": Formula.QUERY_PARAMETERS,
        "W_V": Formula.VALUE_PARAMETERS,
        "parameters": Formula.PARAMETERS,
        "weights A": Formula.WEIGHT_COUNT,
        "KV cache": Formula.CACHE,
        "float32": Formula.MEMORY,
        "costOvertaking": Formula.OVERTAKING,
        "Q, K, V and W_O": Formula.LINEAR_COST,
        "scores and A·V": Formula.QUADRATIC_COST,
        "T* = 16": Formula.OVERTAKING,
        "parameters, d_k = d_model/H": Formula.PARAMETERS,
        "multiply–adds, d_k = d_model/H": Formula.TOTAL_COST,
        "total": Formula.TOTAL_COST,
        "costStages W_O": Formula.OUTPUT_COST,
    },
}


@pytest.fixture(autouse=True)
def no_tooltip_left(qtbot, nothing_left):
    """Put away the tooltip that a test has asked for."""
    yield
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


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


# --- the table of formulas, and their drawings


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder into which the script has drawn all formulas."""
    spec = importlib.util.spec_from_file_location("make_formulas", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.FORMULAS = tmp_path_factory.mktemp("formulas")
    (script.FORMULAS / "of-long-ago.svg").touch()
    script.main()
    return script.FORMULAS


def outline(svg):
    return re.search(r' d="([^"]*)"', svg)[1]


def box(svg):
    return np.array(re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups(), dtype=float)


def test_a_formula_can_be_read_in_plain_signs_and_in_words():
    for formula in Formula:
        assert formula.tex, formula
        assert formula.text, formula
        words, measure = formula.sentences.split("\n")
        assert words.endswith("."), formula
        assert measure == f"{formula.unit}; {formula.span}."
        assert not set("\\{}$<&") & set(formula.text + formula.unit + formula.span), formula
        assert not set("\\{}$<") & set(words), formula


def test_the_drawings_are_those_of_the_table_and_no_others(made):
    there = {path.name for path in resource_path("formulas").iterdir()}
    assert there == {path.name for path in made.iterdir()} == {each.file for each in Formula}


def test_each_drawing_is_what_its_tex_makes_today(made):
    for formula in Formula:
        today = (made / formula.file).read_text(encoding="utf-8")
        kept = resource_path("formulas", formula.file).read_text(encoding="utf-8")
        # Another matplotlib spaces letters a little differently; they are the same letters.
        letters = [re.sub("[^A-Z]", "", outline(svg)) for svg in (today, kept)]
        assert letters[0] == letters[1], formula
        np.testing.assert_allclose(box(today), box(kept), rtol=0.25, err_msg=formula.name)


# --- where they stand


def quantities(dock):
    """Return the formula of everything in a dock that has one, by object name, name or label."""
    found = {}
    for tip in dock.findChildren(FormulaTip):
        part = tip.parent()
        name = part.objectName() or part.accessibleName() or getattr(part, "text", str)()
        found[name] = tip.formula
    for table in dock.findChildren(NumberTable):
        numbers = table.model().numbers
        for label in (*numbers.rows, *numbers.columns):
            if label.formula:
                found[f"{table.objectName()} {label.label}"] = label.formula
                found.setdefault(label.label, label.formula)
    for table in dock.findChildren(ScoreTable):
        found |= {column.label: column.formula for column in table.scores.columns}
    for legend in dock.findChildren(CurveLegend):
        found |= {entry.label: entry.formula for entry in legend.entries if entry.formula}
    return found


def test_every_quantity_of_the_window_is_explained_and_every_formula_used(window, qtbot, settle):
    window.docks.show(["weightsDock", "atlasDock"])
    window.bench.point(head=2)
    qtbot.waitUntil(lambda: window.docks.atlas.map.heads is not None)
    tabs = window.docks.atlas.views.tabs
    for number in range(tabs.count()):
        tabs.setCurrentIndex(number)
    docks = {dock.objectName(): dock for dock in window.findChildren(Panel)}
    found = {}
    for choice in docks["weightsDock"].findChildren(QRadioButton):
        choice.click()
        settle()
        for name, dock in docks.items():
            dock.draw_ahead()
            found[name] = found.get(name, {}) | quantities(dock)
    for dock, expected in WHERE.items():
        assert {name: found[dock].get(name) for name in expected} == expected, dock
    used = {formula for parts in found.values() for formula in parts.values()}
    assert set(Formula) - used == {Formula.GIVEN_SCORES}  # which no lesson has


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
        "Row entropy: how far row t of A spreads over the keys it may see.\n"
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
