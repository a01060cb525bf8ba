"""A saved layer says what it is of, and has it open again when that is asked for, and no sooner."""

import json
import os
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QLabel,
    QPlainTextEdit,
    QPushButton,
)

from mhagui.document import Session, ViewState, load_lesson, read_session, write_session
from mhagui.document.captured_scene import scene_of
from mhagui.document.edits import set_gain
from mhagui.document.history import History
from mhagui.document.layer_source import LayerSource, mark_of
from mhagui.document.origin import open_session
from mhagui.gui.opening import reopening
from mhagui.home import Home
from mhagui.models import open_model as read_model

OPEN, FIND = "Open it again", "Find it…"


def notice(window):
    return window.findChild(QLabel, "notice").text() if window.notices.isVisible() else ""


def told(window, qtbot, words):
    qtbot.waitUntil(lambda: words in notice(window))
    return notice(window)


def press(window, qtbot, text):
    QApplication.processEvents()  # of a notice that has come just now
    button = next(
        button
        for button in window.notices.findChildren(QPushButton)
        if button.text().replace("&", "") == text and button.isVisible()
    )
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def forget(window):
    """Have nothing open in ``window``, and another scene on the bench, as at the next start."""
    scene = load_lesson("four-heads")
    window.bench.history = History(scene)
    window.bench.go_to(0)
    while window.notices.isVisible():
        window.notices.dismiss()
    window.captures._opened, window.captures._layers = None, {}
    window.captures.changed.emit(None)


def open_model(window, qtbot, path, prompt):
    window.openings.open(path, prompt)
    qtbot.waitUntil(lambda: window.captures.capture is not None)


@pytest.fixture
def of_model(tmp_path, tiny_model):
    """A session of layer 2 of a model, with a gain changed by hand, as a window saves it."""
    model = read_model(tiny_model)
    capture = model.run(model.tokens("a cat").ids).capture()
    scene = set_gain(1, 0.25).apply(scene_of(capture, 2))
    source = LayerSource(tiny_model, mark_of(tiny_model), 2, "a cat")
    path = tmp_path / "layer.mhascene"
    write_session(path, Session(scene, ViewState.of(scene), source=source))
    return path


@pytest.fixture
def of_tensors(window, qtbot, tmp_path, layers_file):
    """A session of layer 7 of a file of tensors; nothing is open any more."""
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert window.captures.show(7)
    path = tmp_path / "layer.json"
    assert window.files.write(path)
    forget(window)
    return path


def test_a_session_of_a_model_says_what_it_is_of_and_has_it_open_again(
    of_model, window, qtbot, tiny_model, tmp_path
):
    open_model(window, qtbot, tiny_model, "a cat")
    assert window.captures.show(2)
    window.bench.edit(set_gain(1, 0.25))
    assert window.files.write(tmp_path / "own.mhascene")
    assert read_session(tmp_path / "own.mhascene") == read_session(of_model)
    forget(window)
    window.openings.open(tmp_path / "own.mhascene")
    said = told(window, qtbot, "layer 2 of tiny")
    assert said == (
        "This is layer 2 of tiny with the prompt “a cat”; its other layers are not open."
    )
    assert window.captures.opened is None  # nothing is opened by itself
    assert not window.findChild(QAction, "prompt").isEnabled()
    press(window, qtbot, OPEN)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    qtbot.waitUntil(lambda: window.findChild(QDialog, "modelDialog") is None)
    captures = window.captures
    assert (captures.layer, captures.opened.prompt, len(captures.capture.layers)) == (2, "a cat", 3)
    assert window.findChild(QAction, "prompt").isEnabled()
    assert window.bench.scene.heads[0].gain == 0.25  # what was done stays
    assert not window.files.is_modified
    qtbot.waitUntil(lambda: not notice(window))


def test_a_session_of_tensors_is_read_as_it_was(of_tensors, window, qtbot, layers_file):
    window.openings.open(of_tensors)
    told(window, qtbot, "This is layer 7 of attn.npz; its other layers are not open.")
    press(window, qtbot, OPEN)
    qtbot.waitUntil(lambda: window.captures.layer == 7)
    capture = window.captures.capture
    np.testing.assert_array_equal(capture.layer(2).given, layers_file.weights["layer_2"])
    assert window.files.state.path == of_tensors


def test_a_reading_that_was_chosen_by_hand_is_the_one_that_comes_back(
    window, qtbot, tmp_path, attention, dialog_of
):
    weights = attention(4, 3, 6, 6)
    np.save(tmp_path / "many.npy", weights)  # layers or items of a batch: who knows
    window.openings.open(tmp_path / "many.npy")
    dialog = dialog_of(window, "importDialog")
    found = next(r for r in dialog.seen.readings if "batch" in r.parts[0].axes)
    dialog._form._become(replace(found, batch=2))
    qtbot.waitUntil(lambda: dialog.trial is not None)
    qtbot.mouseClick(dialog.findChild(QPushButton, "importOpen"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert window.files.write(tmp_path / "one.mhascene")
    forget(window)
    window.openings.open(tmp_path / "one.mhascene")
    told(window, qtbot, "layer 0 of many.npy")
    press(window, qtbot, OPEN)
    qtbot.waitUntil(lambda: window.captures.layer == 0)
    np.testing.assert_array_equal(window.captures.capture.layers[0].given, weights[2])


def test_a_layer_by_words_comes_back_by_words(window, qtbot, tmp_path, attention):
    path = tmp_path / "words.npz"
    np.savez(path, tokens=np.array(["Ġun", "believ", "able", "Ġthings"]), a=attention(1, 2, 4, 4))
    window.openings.open(path, by_words=True)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert window.captures.is_by_words
    assert window.files.write(tmp_path / "one.mhascene")
    forget(window)
    window.openings.open(tmp_path / "one.mhascene")
    told(window, qtbot, "This is layer 0, by words, of words.npz")
    press(window, qtbot, OPEN)
    qtbot.waitUntil(lambda: window.captures.layer == 0)
    assert window.captures.is_by_words
    assert window.bench.scene.n_positions == 2


def test_what_is_open_anyway_is_known_without_a_word(window, qtbot, tmp_path, tiny_model):
    open_model(window, qtbot, tiny_model, "a cat")
    opened = window.captures.opened
    assert window.captures.layer == 1
    assert window.files.write(tmp_path / "layer.mhascene")
    window.openings.open(tmp_path / "layer.mhascene")
    qtbot.waitUntil(lambda: window.captures.layer == 1)
    assert window.captures.opened is opened
    assert not notice(window)


def test_undo_back_to_a_layer_of_what_was_open_before_offers_it(
    window, qtbot, tiny_model, layers_file
):
    open_model(window, qtbot, tiny_model, "a cat")
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: window.captures.model is None)
    window.findChild(QAction, "undo").trigger()
    told(window, qtbot, "layer 1 of tiny with the prompt “a cat”")
    window.findChild(QAction, "redo").trigger()
    qtbot.waitUntil(lambda: "tiny" not in notice(window))
    assert window.captures.layer == 2


def test_a_notice_that_was_closed_stays_closed(of_model, window, qtbot, settle):
    window.openings.open(of_model)
    told(window, qtbot, "layer 2 of tiny")
    window.notices.dismiss()
    window.bench.edit(set_gain(2, 0.5))
    settle()
    assert not notice(window)


def test_a_file_that_is_gone_is_found_where_it_is(
    of_model, window, qtbot, monkeypatch, tiny_model, tmp_path
):
    moved = tmp_path / "moved"
    tiny_model.rename(moved)
    window.openings.open(of_model)
    told(window, qtbot, "layer 2 of tiny")
    press(window, qtbot, OPEN)
    assert told(window, qtbot, "not where") == "tiny is not where it was."
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    press(window, qtbot, FIND)
    told(window, qtbot, "is not what this layer was taken from.")  # the folder above it
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    press(window, qtbot, FIND)
    told(window, qtbot, "layer 2 of tiny")  # nothing was chosen: as before
    press(window, qtbot, OPEN)
    told(window, qtbot, "not where")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(moved))
    press(window, qtbot, FIND)
    qtbot.waitUntil(lambda: window.captures.layer == 2)
    assert window.files.save()
    assert read_session(of_model).source.path == moved  # known from now on


def test_a_file_that_has_changed_is_not_taken_for_what_it_was(
    of_tensors, window, qtbot, monkeypatch, layers_file, attention, tmp_path
):
    good = tmp_path / "copy.npz"
    good.write_bytes(layers_file.path.read_bytes())
    np.savez(layers_file.path, layer_2=attention(3, 5, 5), layer_7=attention(3, 5, 5) / 2)
    window.openings.open(of_tensors)
    told(window, qtbot, "layer 7 of attn.npz")
    press(window, qtbot, OPEN)
    told(window, qtbot, "attn.npz has changed since this layer was taken from it.")
    assert window.captures.opened is None
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(good), ""))
    press(window, qtbot, FIND)
    qtbot.waitUntil(lambda: window.captures.layer == 7)


def test_a_file_that_is_replaced_while_it_is_opened_again_is_not_taken(
    of_tensors, window, qtbot, monkeypatch, layers_file, attention
):
    real = reopening.Reader.look_again

    def replaced(self, path, *rest):
        arrays = {name: attention(3, 5, 5) for name in ("layer_2", "layer_7")}  # others
        np.savez(layers_file.path, tokens=np.array(list("abcde")), **arrays)
        real(self, path, *rest)

    monkeypatch.setattr(reopening.Reader, "look_again", replaced)
    window.openings.open(of_tensors)
    told(window, qtbot, "layer 7 of attn.npz")
    press(window, qtbot, OPEN)
    told(window, qtbot, "attn.npz has changed since this layer was taken from it.")
    assert window.captures.opened is None


def test_a_run_is_of_the_model_as_it_was_opened_whatever_is_there_by_now(
    window, qtbot, tiny_model, dialog_of
):
    open_model(window, qtbot, tiny_model, "a cat")  # all weights are in memory from now on
    was = mark_of(tiny_model)
    weights = tiny_model / "model.safetensors"
    other = bytearray(weights.read_bytes())
    other[-8:] = bytes(8)
    weights.write_bytes(other)
    assert mark_of(tiny_model) != was
    window.openings.ask_for_prompt()
    dialog = dialog_of(window, "modelDialog")
    dialog.findChild(QPlainTextEdit, "modelPrompt").setPlainText("a dog")
    dialog.run_when_counted()
    qtbot.waitUntil(lambda: window.captures.opened.prompt == "a dog")
    assert window.captures.opened.source.mark == was


def test_a_run_that_is_cancelled_leaves_the_offer(of_model, window, qtbot, dialog_of, monkeypatch):
    monkeypatch.setattr("mhagui.gui.opening.model_dialog.run", lambda *_: 1 / 0)
    window.openings.open(of_model)
    told(window, qtbot, "layer 2 of tiny")
    with qtbot.capture_exceptions() as caught:
        press(window, qtbot, OPEN)
        dialog = dialog_of(window, "modelDialog")
        qtbot.waitUntil(lambda: bool(caught))
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    told(window, qtbot, "layer 2 of tiny")
    assert window.captures.opened is None


def test_another_prompt_chosen_meanwhile_is_opened_as_any(
    of_model, window, qtbot, dialog_of, monkeypatch
):
    real = reopening.Reader.ask_prompt

    def asked(self, model, path, prompt, take):  # as who cancels the run, and types another one
        dialog = real(self, model, path, prompt, take)
        dialog.findChild(QPlainTextEdit, "modelPrompt").setPlainText("other")
        return dialog

    monkeypatch.setattr(reopening.Reader, "ask_prompt", asked)
    window.openings.open(of_model)
    told(window, qtbot, "layer 2 of tiny")
    press(window, qtbot, OPEN)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert (window.captures.opened.prompt, window.captures.layer) == ("other", 2)
    assert window.bench.scene.n_positions == 5
    assert window.bench.scene.heads[0].gain == 1.0


def test_a_new_window_says_it_of_the_session_it_begins_with(of_model, open_window, qtbot):
    session, origin = open_session(of_model)
    window = open_window()
    window.close()
    window = type(window)(session.scene, origin=origin, view=session.view)
    qtbot.addWidget(window)
    window.show()
    told(window, qtbot, "layer 2 of tiny")
    window.close()


def test_what_is_recovered_after_a_crash_says_it_too(
    of_model, open_window, qtbot, tmp_path, unsaved
):
    home = Home.below(tmp_path / "home")
    session, origin = open_session(of_model)
    first = open_window(home=home)
    assert first.files.lay_out(session.scene, origin, session.view)
    first.bench.edit(set_gain(1, 3.0))
    first.keep_now()
    (kept,) = (home.state / "recovery").glob("*/unsaved.mhascene")
    assert json.loads(_text_in(kept))["made_of"]["path"] == str(origin.source.path)
    left = Home.below(tmp_path / "left")  # as a crash leaves it, which nobody has locked
    shutil.copytree(home.state, left.state)
    first.close()
    second = open_window(home=left)
    told(second, qtbot, "unsaved work on “layer.mhascene”")
    press(second, qtbot, "Recover")
    told(second, qtbot, "layer 2 of tiny")
    press(second, qtbot, OPEN)
    qtbot.waitUntil(lambda: second.captures.layer == 2)
    assert second.bench.scene.heads[0].gain == 3.0
    second.close()
    assert unsaved == ["layer.mhascene"] * 2  # asked at both ends
    unsaved.clear()


def _text_in(path):
    with zipfile.ZipFile(path) as archive:
        return archive.read("scene.json")


# -------------------------------------------------------------------------- sessions from others


@pytest.fixture
def spoiled(of_model):
    """Change what the session says of its layer: ``spoiled(path="…")``; gives its path."""

    def spoiled(**changes):
        path = of_model.with_suffix(".json")
        session = read_session(of_model)
        write_session(path, session)
        document = json.loads(path.read_text())
        document["made_of"] |= changes
        path.write_text(json.dumps(document))
        return path

    return spoiled


@pytest.mark.parametrize(
    "changes",
    [
        {"path": "/dev/zero"},
        {"path": "/proc/self/mem"},
        {"path": "/"},
        {"path": "."},
        {"path": "\\\\host\\share\\x.gguf"},
    ],
)
def test_a_path_that_leads_elsewhere_is_not_looked_at_and_then_refused(
    spoiled, window, qtbot, changes
):
    window.openings.open(spoiled(**changes))
    told(window, qtbot, "This is layer 2 of")
    press(window, qtbot, OPEN)
    qtbot.waitUntil(lambda: FIND in [b.text().replace("&", "") for b in
                                     window.notices.findChildren(QPushButton)])  # fmt: skip
    assert window.captures.opened is None


def test_nothing_is_read_before_it_is_asked_for(spoiled, window, qtbot, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # whoever opens this waits for ever
    window.openings.open(spoiled(path=str(pipe)))
    told(window, qtbot, "layer 2 of pipe")
    press(window, qtbot, OPEN)
    told(window, qtbot, "pipe is not where it was.")


def test_a_layer_that_there_is_none_of_is_refused_by_its_number(spoiled, window, qtbot):
    path = spoiled(number=77)
    window.openings.open(path)
    told(window, qtbot, "layer 77 of tiny")
    press(window, qtbot, OPEN)
    told(window, qtbot, "There is no layer 77; the layers are 0, 1, 2.")
    assert window.captures.opened is None


def test_names_and_prompts_are_shown_in_one_line_and_cut(spoiled, window, qtbot):
    window.openings.open(
        spoiled(path="a\u202egpj.exe\n" + "x" * 300, prompt="line\n\nline \u2066" + "y" * 999)
    )
    said = told(window, qtbot, "layer 2")
    assert said.isprintable()
    assert len(said) < 240
    assert "…" in said


def test_a_model_that_is_said_to_be_tensors_is_refused_in_a_sentence(spoiled, window, qtbot):
    part = {"role": "weights", "arrays": ["a"], "layers": [0], "steps": [0]}
    path = spoiled(reading={"parts": [part]})
    window.openings.open(path)
    told(window, qtbot, "layer 2 of tiny")
    press(window, qtbot, OPEN)
    told(window, qtbot, "is a folder; open a file in it.")


def test_the_view_of_a_session_is_as_it_was(of_model, window, qtbot):
    window.openings.open(of_model)
    told(window, qtbot, "layer 2 of tiny")
    before = window.bench.view
    press(window, qtbot, OPEN)
    qtbot.waitUntil(lambda: window.captures.layer == 2)
    assert window.bench.view == before
    assert Path(window.files.state.path) == of_model


def test_a_session_of_a_layer_has_its_numbers_in_scorecard(window, qtbot, of_tensors):
    window.openings.open(of_tensors)
    window.docks.show(["atlasDock"])
    dock = window.docks.dock("atlasDock")
    names = ("L7 H0", "L7 H1", "L7 H2")
    qtbot.waitUntil(lambda: dock._heads is not None and dock._heads.names == names)
    assert window.captures.capture is None  # they are the bench's
    grid = dock._heads.grid
    assert (grid.rows, grid.columns) == (("L7",), ("H0", "H1", "H2"))
    assert "Counted from 0" in dock.notes.text()


def test_the_keyboard_is_in_no_field_after_it_is_open_again(window, qtbot, of_tensors):
    window.openings.open(of_tensors)
    told(window, qtbot, "layer 7")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    press(window, qtbot, OPEN)
    qtbot.waitUntil(lambda: window.captures.layer == 7)
    qtbot.waitUntil(lambda: any(card.view.hasFocus() for card in window.docks.heatmaps._grid.cards))
