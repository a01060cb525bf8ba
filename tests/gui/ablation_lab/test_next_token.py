"""The next token of a whole model, with and without the heads that the lab ablates."""

import html
import re
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import scene_of
from mhagui.document.edits import DuplicateHead
from mhagui.errors import UserError
from mhagui.gui.capture_session import Opened

H, T, D, D_MODEL, WORDS = 3, 5, 2, 6, 14


# ------------------------------------------------------------------------------------- next token


def tip_of(table, row, column):
    """Let the pointer rest on a cell; return the words of the tooltip."""
    QToolTip.hideText()
    port, spot = table.viewport(), table.visualRect(table.model().index(row, column)).center()
    QApplication.sendEvent(port, QHelpEvent(QEvent.Type.ToolTip, spot, port.mapToGlobal(spot)))
    return html.unescape(re.sub("<[^>]*>", "", QToolTip.text()))


class TinyModel:
    """A model of two layers, of which the second adds the heads' outputs times a matrix."""

    facts = SimpleNamespace(n_layers=2, predicts_next=True)

    def __init__(self):
        rng = np.random.default_rng(8)
        arrays = {
            "q": rng.normal(size=(H, T, D)),
            "k": rng.normal(size=(H, T, D)),
            "x": rng.normal(size=(T, D_MODEL)),
            "w_v": rng.normal(size=(H, D_MODEL, D)),
            "w_o": rng.normal(size=(H * D, D_MODEL)),
        }
        arrays["v"] = arrays["x"] @ arrays["w_v"]
        arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
        self.layers = tuple(
            CapturedLayer(n, allowed=np.tril(np.ones((T, T), bool)), **arrays) for n in (0, 1)
        )
        self.words = rng.normal(size=(H * D, WORDS))
        self.go_on = threading.Event()
        self.go_on.set()
        self.n_runs = 0

    def run(self, ids, *, layers, before_layer, edit):
        self.n_runs += 1
        outputs = self.layers[1].weights @ self.layers[1].v
        for number in (0, 1):
            self.go_on.wait(10)
            before_layer(number)
            if number == 1:
                outputs = edit(1, outputs)
        logits = outputs.swapaxes(0, 1).reshape(T, -1) @ self.words
        return SimpleNamespace(logits=lambda positions: logits[positions])

    def texts(self, ids):
        return tuple(f" w{number}" for number in ids)


def softmax(logits):
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


@pytest.fixture
def model():
    return TinyModel()


@pytest.fixture
def with_model(dock, bench, captures, model, settle, qtbot, show_page):
    """The dock with a model open, its second layer on the bench, and the third page shown."""
    capture = Capture("tiny", model.layers, token_ids=tuple(range(T)))
    captures.opened, captures.layer = Opened(capture, model=model), 1
    bench.open(scene_of(capture, 1))
    captures.changed.emit(capture)
    show_page(qtbot, dock, dock.next_token)
    settle()
    return dock


def run(qtbot, page):
    qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.button.text() == "Run")


def test_probabilities_of_the_next_token_before_and_after(
    with_model, bench, model, qtbot, settle, cells
):
    page, layer = with_model.next_token, model.layers[1]
    bench.point(head=2)
    settle()
    assert page.state.text().startswith("L1 H1 (zero): not run yet.")
    run(qtbot, page)
    outputs = np.array(layer.weights @ layer.v)
    before = softmax((outputs.swapaxes(0, 1).reshape(T, -1) @ model.words)[-1])
    outputs[1] = 0
    after = softmax((outputs.swapaxes(0, 1).reshape(T, -1) @ model.words)[-1])
    top = np.argsort(-before)[:10]
    found = cells(page.table)
    np.testing.assert_allclose(found[:10, 0], 100 * before[top], rtol=1e-5)
    np.testing.assert_allclose(found[:10, 1], 100 * after[top], rtol=1e-5)
    np.testing.assert_allclose(found[:, 2], found[:, 1] - found[:, 0])
    labels = [
        page.table.model().headerData(row, Qt.Orientation.Vertical) for row in range(len(found))
    ]
    assert labels[0].endswith(f"w{top[0]}")
    ((_, make, place),) = with_model.own_tables()
    assert place == page.table.objectName()
    assert make().title == "Next token, L1 H1 (zero)"
    np.testing.assert_array_equal(make().values, found)
    (chart,) = with_model.own_figures().values()
    assert (chart.what, list(chart.tokens)) == ("L1 H1 (zero)", labels)
    np.testing.assert_allclose(chart.before, found[:, 0] / 100)
    np.testing.assert_allclose(chart.after, found[:, 1] / 100)
    newcomers = set(np.argsort(-after)[:10]) - set(top)
    assert len(labels) == 10 + len(newcomers)
    bits = float(re.search(r"([\d.]+) bits", page.result.text())[1])
    assert bits == pytest.approx((before * np.log2(before / after)).sum(), abs=1e-3)
    assert not page.button.isEnabled()  # it would say the same again


def test_a_cell_says_that_it_is_a_probability_or_a_change_in_points(
    with_model, qtbot, settle, cells
):
    page = with_model.next_token
    run(qtbot, page)
    settle()
    found = cells(page.table)
    for column, told in enumerate(("before (%)", "after (%)", "change (points)")):
        tip = tip_of(page.table, 0, column)
        number = f"{abs(found[0, column]):.2f}"
        assert re.search(rf"{re.escape(told)}: −?{number}Probability of the next token", tip), tip
        assert "logits" in tip
        assert "unit of O" not in tip
        assert "W_O" not in tip


def test_another_choice_keeps_what_was_run_and_says_of_what(
    with_model, bench, model, qtbot, settle, choose
):
    page = with_model.next_token
    run(qtbot, page)
    assert model.n_runs == 2
    choose(with_model.controls.kind, "mean")
    settle()
    assert page.result.text().startswith("L1 H0 (zero):")
    assert page.state.text().startswith("L1 H0 (mean of its rows): not run yet.")
    run(qtbot, page)
    assert page.result.text().startswith("L1 H0 (mean of its rows):")
    assert model.n_runs == 3  # the model as it is was known


def test_a_run_says_how_far_it_is_and_is_cancelled(with_model, model, qtbot, settle):
    page = with_model.next_token
    model.go_on.clear()
    qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "layer 0 of 4" in page.state.text())
    assert page.button.text() == "Cancel"
    qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    model.go_on.set()
    assert page.button.text() == "Run"
    assert page.button.isEnabled()
    assert not page.table.isVisible()
    run(qtbot, page)
    assert model.n_runs == 3  # the first was ended before the model ran with the ablation


def test_what_the_model_cannot_do_is_said(with_model, model, qtbot, settle, monkeypatch):
    def fail(*_, **__):
        raise UserError("The numbers that layer 1 makes do not fit.")

    monkeypatch.setattr(model, "run", fail)
    page = with_model.next_token
    qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.state.text() == "The numbers that layer 1 makes do not fit.")
    assert page.button.isEnabled()


def test_each_reason_why_nothing_can_be_run(with_model, bench, captures, model, qtbot, settle):
    page = with_model.next_token
    bench.edit(DuplicateHead(1))
    bench.point(head=bench.scene.heads[-1].uid)
    settle()
    if bench.scene.heads[-1].uid <= H:
        bench.point(head=max(head.uid for head in bench.scene.heads))
        settle()
    assert "none of the 3" in page.state.text()
    captures.layer = None
    captures.shown.emit(0)
    settle()
    assert page.state.text().startswith("No layer of tiny is on the bench: choose a head")
    model.facts = SimpleNamespace(n_layers=2, predicts_next=False)
    captures.changed.emit(None)
    settle()
    assert page.state.text() == "tiny is an encoder: it predicts no next token."
    captures.opened = None
    captures.changed.emit(None)
    settle()
    assert page.state.text().startswith("No model is open.")
    assert not page.button.isVisible()


def test_another_model_takes_the_results_of_the_first_away(with_model, captures, qtbot, settle):
    page = with_model.next_token
    run(qtbot, page)
    assert page.table.isVisible()
    captures.opened = replace(captures.opened, prompt="another")
    captures.changed.emit(captures.opened.capture)
    settle()
    assert not page.table.isVisible()


def test_a_model_that_is_opened_in_the_window_can_be_run_without_a_head(
    window, model, qtbot, settle, show_page
):
    capture = Capture("tiny", model.layers, token_ids=tuple(range(T)))
    assert window.captures.open(Opened(capture, model=model), 1)
    window.docks.show(["ablationLabDock"])
    settle()
    lab = window.docks.ablation_lab
    show_page(qtbot, lab, lab.next_token)
    settle()
    assert lab.next_token.state.text().startswith("L1 H0 (zero): not run yet.")
    run(qtbot, lab.next_token)
    assert lab.next_token.table.isVisible()
    window.captures.show(0, 2)
    settle()
    assert lab.next_token.state.text().startswith("L0 H2 (zero): not run yet.")
