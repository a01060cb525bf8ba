"""The table of formulas: readable, drawn as it says, and shown wherever such a quantity is."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QRadioButton

from mhagui._resources import resource_path
from mhagui.document.bias_edits import SetSinks
from mhagui.gui.formulas import Formula
from mhagui.gui.panel import Panel
from mhagui.gui.widgets.curve_legend import CurveLegend
from mhagui.gui.widgets.formula_tip import FormulaTip
from mhagui.gui.widgets.number_table import NumberTable
from mhagui.gui.widgets.score_table import ScoreTable

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
    window.bench.edit(SetSinks(True))
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
