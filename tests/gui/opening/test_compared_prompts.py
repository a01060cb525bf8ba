"""Two prompts of one model, compared: the second is run from the compare dock."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from mhagui.gui.capture_session import Opened
from mhagui.models import open_model

ONE, OTHER = "the cat sat", "the dog lay"


@pytest.fixture
def model(tiny_model):
    return open_model(tiny_model)


@pytest.fixture
def dock(window, model, tiny_model, settle):
    capture = model.run(model.tokens(ONE).ids).capture()
    assert window.captures.open(Opened(capture, tiny_model, model, ONE), 1)
    window.docks.enter(window.docks.compare)
    settle()
    return window.docks.compare


def run(dock, dialog_of, qtbot, prompt):
    """Ask for another prompt in the menu, type it, and run it."""
    menu = dock.open.menu()
    menu.aboutToShow.emit()
    action = next(each for each in menu.actions() if "prompt" in each.text())
    assert action.isEnabled()
    action.trigger()
    dialog = dialog_of(dock, "modelDialog")
    dialog.findChild(QPlainTextEdit, "modelPrompt").setPlainText(prompt)
    button = dialog.findChild(QPushButton, "modelRun")
    qtbot.waitUntil(button.isEnabled)
    with qtbot.waitSignal(dock._opening.opened):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def choose(box, text):
    row = next(row for row in range(box.count()) if box.itemText(row).startswith(text))
    box.setCurrentIndex(row)
    box.activated.emit(row)


def test_the_same_head_on_two_prompts(dock, window, model, dialog_of, qtbot, settle):
    scene = window.bench.scene
    run(dock, dialog_of, qtbot, OTHER)
    settle()
    assert window.bench.scene is scene
    assert window.captures.opened.prompt == ONE
    choose(dock.sides[0].source_box, f"“{ONE}”")
    for side in dock.sides:
        choose(side.layer_box, "L2")
        choose(side.head_box, "H1")
    settle()
    assert [f"“{prompt}”" in side.source_box.currentText() for side, prompt in zip(
        dock.sides, (ONE, OTHER), strict=True
    )] == [True, True]  # fmt: skip
    expected = [
        model.run(model.tokens(prompt).ids).capture().layer(2).weights[1] for prompt in (ONE, OTHER)
    ]
    pictures = [np.asarray(view.picture.values) for view in dock.pictures.views]
    assert np.array_equal(pictures[0], expected[0])
    assert np.array_equal(pictures[1], expected[1])
    assert np.array_equal(pictures[2], expected[1] - expected[0])


def test_a_prompt_of_another_length_is_refused_with_the_numbers(
    dock, dialog_of, qtbot, settle, window
):
    choose(dock.sides[0].source_box, f"“{ONE}”")
    run(dock, dialog_of, qtbot, "a bird")
    settle()
    assert dock.reason.isVisible()
    assert "11 and 6 queries" in dock.reason.text()


def test_a_model_in_a_file_is_asked_for_a_prompt(dock, tiny_model, dialog_of, qtbot, settle):
    n_sources = dock.sides[1].source_box.count()
    dock._opening.open(tiny_model)
    dialog = dialog_of(dock, "modelDialog")
    qtbot.mouseClick(dialog.findChild(QPushButton, "modelCancel"), Qt.MouseButton.LeftButton)
    settle()
    assert dock.sides[1].source_box.count() == n_sources
