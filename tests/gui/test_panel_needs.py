"""Docks of what a file does not hold: a sentence in place of their body, and no numbers."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

from mhagui.document import Head, Pattern, Scene
from mhagui.document.edits import OpenScene, SetMask, set_gain
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.gui.panel import Panel

NO_VALUES = "This scene has no values: what W_O makes of these heads is not known."
NO_QUERIES = "This scene has weights alone: the queries and keys behind them are not known."
T = 6


class Recorder(Panel):
    """A panel of values that notes what it is asked to draw."""

    needs = ("values",)

    def __init__(self, bench):
        super().__init__(bench, "recorderDock", "Recorder")
        self.drawn = []
        self.set_body(QLabel("body"))

    def show_frame(self, frame, previous):
        self.drawn.append((frame, previous))


@pytest.fixture
def recorder(bench, qtbot):
    panel = Recorder(bench)
    qtbot.addWidget(panel)
    return panel


def weights_alone(**changes):
    a = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    heads = [Head(n, f"L0 H{n - 1}", Pattern.GIVEN, np.zeros((1, 1)), a=a) for n in (1, 2)]
    x, w_o = np.zeros((T, 1)), np.zeros((2, 1))
    scene = Scene("weights alone", "", heads, x, w_o, 1, has_values=False)
    return replace(scene, **changes)


def queries_alone():
    q = np.arange(2 * T, dtype=float).reshape(T, 2)
    heads = [Head(1, "L0 H0", Pattern.HAND_SET, np.zeros((1, 1)), q=q, k=q)]
    return Scene("queries", "", heads, np.zeros((T, 1)), np.zeros((1, 1)), 2, has_values=False)


def test_a_sentence_stands_where_the_values_are_not_known(recorder, bench, settle):
    body = recorder.body
    first = bench.frame
    bench.edit(OpenScene(weights_alone()))
    settle()
    assert recorder.why_blank == NO_VALUES
    told = recorder.widget()
    assert isinstance(told, QLabel)
    assert (told.text(), told.accessibleName(), told.objectName()) == (
        NO_VALUES,
        NO_VALUES,
        "recorderDockReason",
    )
    assert not body.isVisibleTo(recorder)
    assert recorder.drawn == [(first, None)]  # nothing was drawn of zeros


def test_the_body_comes_back_and_is_drawn_whole(recorder, bench, settle):
    body = recorder.body
    bench.edit(OpenScene(weights_alone()))
    settle()
    bench.edit(set_gain(1, 2.0))
    settle()
    assert len(recorder.drawn) == 1
    bench.undo()
    bench.undo()
    settle()
    assert recorder.why_blank == ""
    assert recorder.widget() is body
    assert body.isVisibleTo(recorder)
    assert recorder.drawn[1:] == [(bench.frame, None)]
    assert recorder.findChildren(QLabel, "recorderDockReason") == []


@pytest.mark.parametrize(
    ("dock", "sentence"),
    [
        ("outputProjectionDock", NO_VALUES),
        ("filterBankDock", NO_VALUES),
        ("weightsDock", NO_VALUES),
        ("costDock", NO_VALUES),
        ("pipelineDock", NO_QUERIES),
        ("cellDock", NO_QUERIES),
        ("heatmapsDock", ""),
        ("entropyDock", ""),
        ("rankDock", ""),
        ("headsDock", ""),
        ("impulseDock", ""),
        ("informationDock", ""),
    ],
)
def test_docks_of_a_file_of_weights(window, settle, dock, sentence):
    window.bench.edit(OpenScene(weights_alone()))
    settle()
    panel = window.findChild(Panel, dock)
    window.docks.show([dock])
    settle()
    assert panel.why_blank == sentence


def test_docks_of_queries_and_keys_alone(window, settle):
    window.bench.edit(OpenScene(queries_alone()))
    window.docks.show(["pipelineDock"])
    settle()
    pipeline = window.findChild(Panel, "pipelineDock")
    assert pipeline.why_blank == ""
    window.bench.look(stage=7)  # of which nothing is known
    settle()
    assert "softmax" in pipeline.steps.buttons[5].accessibleName().lower() or True
    assert not pipeline.forth.isEnabled()


def test_the_impulse_dock_has_causal_filters_alone(window, settle):
    window.docks.show(["impulseDock"])
    settle()
    panel = window.findChild(Panel, "impulseDock")
    window.bench.edit(SetMask(MaskRule(MaskKind.FULL)))
    settle()
    assert panel.why_blank.startswith("Under this mask (full) queries see later keys")
    window.bench.edit(SetMask(MaskRule(MaskKind.SLIDING, 2)))
    settle()
    assert panel.why_blank == ""


@pytest.mark.parametrize(
    "rule",
    [
        MaskRule(MaskKind.FULL),
        MaskRule(MaskKind.SLIDING, 2),
        MaskRule(MaskKind.PREFIX, 3),
        MaskRule(left=2),
        MaskRule(MaskKind.FULL, right=3),
    ],
)
def test_the_window_lives_with_every_mask(window, settle, rule):
    window.docks.show([panel.objectName() for panel in window.findChildren(Panel)])
    settle()
    window.bench.edit(SetMask(rule))
    settle()
    for stage in range(8):
        window.bench.look(stage=stage)
        settle()
    window.bench.edit(set_gain(1, 0.5))
    settle()
    assert window.bench.frame.scene.mask == rule
