"""Files of tensors, opened in a real window: at once where they are clear, else by the dialog."""

import json
import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QListWidget,
    QPushButton,
    QSpinBox,
)
from safetensors.numpy import save_file

from mhagui.document import compute
from mhagui.document.edits import set_gain
from mhagui.file_kinds import kind_of
from mhagui.gui import bench, questions
from mhagui.gui.opening import reader

DIALOG = "importDialog"


def axis(dialog, role, number):
    return dialog.findChild(QComboBox, f"importAxis_{role}_{number}")


def opener(dialog):
    return dialog.findChild(QPushButton, "importOpen")


def proofs(dialog):
    listed = dialog.findChild(QListWidget, "importProofs")
    return [listed.item(row).text() for row in range(listed.count())]


def notice(window):
    return window.findChild(QLabel, "notice").text() if window.notices.isVisible() else ""


def settled(qtbot, dialog):
    qtbot.waitUntil(lambda: dialog.trial is not None)


def press_open(qtbot, window, dialog):
    settled(qtbot, dialog)
    qtbot.mouseClick(opener(dialog), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    return window.captures.capture


# ------------------------------------------------------------------------------ what is clear


@pytest.mark.parametrize("name", ["attn.safetensors", "attn.json"])
def test_no_file_that_takes_long_to_tell_is_looked_into_by_the_windows_thread(
    window, qtbot, layers_file, tmp_path, monkeypatch, name
):
    path, looked = tmp_path / name, []
    if name.endswith("json"):
        arrays = {name: array.tolist() for name, array in layers_file.weights.items()}
        path.write_text(json.dumps(arrays) + " " * 2**21)
    else:
        save_file(layers_file.weights, path)

    def noted(path):
        looked.append(threading.current_thread())
        return kind_of(path)

    monkeypatch.setattr(reader, "kind_of", noted)
    window.openings.open(path)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert len(looked) == 1
    assert looked[0] is not threading.main_thread()


def test_a_clear_file_is_on_the_bench_at_once_and_undone_by_an_undo(window, qtbot, layers_file):
    before = window.bench.scene
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert window.findChild(QDialog, DIALOG) is None
    scene = window.bench.scene
    given = np.stack([head.a for head in scene.heads])
    np.testing.assert_array_equal(given, layers_file.weights["layer_2"])
    assert scene.tokens == ("the", "cat", "sat", "on", "mats")
    assert [head.name for head in scene.heads] == ["L2 H0", "L2 H1", "L2 H2"]
    assert [layer.number for layer in window.captures.capture.layers] == [2, 7]
    assert str(layers_file.path) in window.preferences.settings.recent_files
    window.findChild(QAction, "undo").trigger()
    assert window.bench.scene is before


def test_the_notice_says_how_it_was_read_and_leads_to_the_dialog(
    window, qtbot, dialog_of, layers_file
):
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: "attn.npz was read: " in notice(window))
    assert "layer_2 and 1 more as weights (head 3, query 5, key 5)" in notice(window)
    button = next(b for b in window.notices.findChildren(QPushButton) if "How" in b.text())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    dialog = dialog_of(window, DIALOG)
    assert axis(dialog, "weights", 0).currentText() == "head"
    assert len(proofs(dialog)) >= 4
    assert all(text.startswith("Sound: ") for text in proofs(dialog))
    assert opener(dialog).isEnabled()
    dialog.reject()


def test_open_asks_for_the_file_and_recent_files_lead_to_it_again(
    window, qtbot, monkeypatch, layers_file
):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(layers_file.path), ""))
    window.findChild(QAction, "open").trigger()
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    first = window.captures.capture
    action = next(a for a in window._recent.actions() if "attn.npz" in a.text())
    action.trigger()
    qtbot.waitUntil(lambda: window.captures.capture is not first)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("half.npy", b"\x93NUMPY\x01\x00", "half.npy"),
        ("pickle.npy", b"\x80\x04\x95", "pickle"),
        ("words.json", b'{"a": "b"}', "words.json"),
        ("checkpoint.npz", None, "open it as a model"),
        ("gone.npy", ..., "there is no such file"),
    ],
)
def test_what_cannot_be_opened_is_said_and_nothing_is_changed(
    window, qtbot, tmp_path, name, content, words
):
    path, before = tmp_path / name, window.bench.scene
    if content is None:
        arrays = {"wte.weight": np.ones((4, 2)), "h.0.attn.c_attn.weight": np.ones((2, 6))}
        np.savez(path, **arrays)
    elif content is not ...:
        path.write_bytes(content)
    window.openings.open(path)
    qtbot.waitUntil(lambda: words in notice(window))
    assert "Traceback" not in notice(window)
    assert window.statusBar().currentMessage() == ""  # it is not being read any more
    assert (window.bench.scene, window.captures.capture) == (before, None)
    assert window.preferences.settings.recent_files == ()


def test_it_is_open_when_its_numbers_are_there(window, qtbot, monkeypatch, layers_file):
    may_go_on = threading.Event()

    def compute_late(*arguments):
        may_go_on.wait(10)
        return compute(*arguments)

    monkeypatch.setattr(bench, "compute", compute_late)
    monkeypatch.setattr(bench, "MOST_AT_ONCE", 0)
    title = layers_file.path.name
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert window.statusBar().currentMessage() == f"Opening {window.captures.capture.title}…"
    may_go_on.set()
    qtbot.waitUntil(lambda: window.bench.frame.scene is window.bench.scene)
    opened = f"{window.captures.capture.title} is open"
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == opened)
    assert title in notice(window)


def test_what_is_cancelled_before_that_is_never_said_to_be_open(
    window, qtbot, monkeypatch, layers_file
):
    is_begun, may_go_on = threading.Event(), threading.Event()

    def compute(*_arguments):
        is_begun.set()
        may_go_on.wait(10)

    monkeypatch.setattr(bench, "compute", compute)
    monkeypatch.setattr(bench, "MOST_AT_ONCE", 0)
    said = []
    window.files.said.connect(said.append)
    before = window.bench.scene
    window.openings.open(layers_file.path)
    qtbot.waitUntil(is_begun.is_set)
    assert window.captures.capture is not None
    window.bench.cancel()
    may_go_on.set()
    with qtbot.waitSignal(window.bench.shown):
        pass
    assert window.bench.scene is before
    assert not [sentence for sentence in said if sentence.endswith("is open")]


def test_a_recent_file_that_has_gone_is_forgotten(window, qtbot, layers_file):
    window.files.note(layers_file.path)
    assert window.preferences.settings.recent_files == (str(layers_file.path),)
    layers_file.path.unlink()
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: "there is no such file" in notice(window))
    assert window.preferences.settings.recent_files == ()


def test_unsaved_work_is_asked_about_and_kept(window, qtbot, monkeypatch, layers_file):
    window.bench.edit(set_gain(1, 2.0))
    changed, asked = window.bench.scene, []
    monkeypatch.setattr(
        questions, "ask_to_leave", lambda *_: asked.append(1) or questions.Leave.CANCEL
    )
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: asked == [1])
    assert (window.bench.scene, window.captures.capture) == (changed, None)


# ------------------------------------------------------------------------ what has to be said


def test_the_item_of_the_batch_and_the_layers_are_chosen(ask, window, qtbot, attention, tmp_path):
    weights = attention(3, 4, 2, 6, 6)
    np.save(tmp_path / "five.npy", weights)
    dialog = ask(tmp_path / "five.npy")
    dialog.findChild(QSpinBox, "importBatch").setValue(2)
    dialog.findChild(QSpinBox, "importFirstLayer").setValue(1)
    capture = press_open(qtbot, window, dialog)
    assert [layer.number for layer in capture.layers] == [1, 2]
    np.testing.assert_array_equal(capture.layers[1].given, weights[2, 2])
    assert window.captures.layer == 1
    assert any("item 2" in note for note in capture.notes)


def test_cancel_leaves_all_as_it_was(ask, window, qtbot, attention, tmp_path):
    np.save(tmp_path / "a.npy", attention(3, 6, 6))
    before = window.bench.scene
    dialog = ask(tmp_path / "a.npy")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(QDialog, DIALOG) is None)
    assert (window.bench.scene, window.captures.capture) == (before, None)
