"""Files of tensors, opened in a real window: at once where they are clear, else by the dialog."""

import json
import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
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


# ------------------------------------------------------------- what the bench cannot hold


def with_nan(path, attention, *wrong, n_heads=2):
    """Write heads that can be read in one way; some have a row that is no numbers."""
    weights = attention(n_heads, 6, 6)
    weights[list(wrong), 2] = np.nan
    np.savez(path, layer_0=weights, layer_1=attention(n_heads, 6, 6))
    return path


def opened_so(window, qtbot, dialog_of, path):
    """Open what is not sound, by the dialog that tells of it."""
    window.openings.open(path)
    dialog = dialog_of(window, DIALOG)
    return press_open(qtbot, window, dialog)


def test_why_the_bench_has_it_not_stays_told(window, qtbot, dialog_of, attention, tmp_path):
    before, said = window.bench.scene, []
    window.files.said.connect(said.append)
    path = with_nan(tmp_path / "nan.npz", attention, 0, 1)
    capture = opened_so(window, qtbot, dialog_of, path)
    qtbot.waitUntil(lambda: "Scorecard only" in notice(window))
    assert notice(window) == (
        "nan.npz is open in Scorecard only: Layer 0, head 0: 6 of 36 weights are not numbers, the "
        "first on key t1 at query t3."
    )
    assert (window.captures.capture, window.bench.scene) == (capture, before)
    assert not [sentence for sentence in said if sentence.endswith("is open")]
    assert str(path) in window.preferences.settings.recent_files
    window.captures.show(1)  # which is sound
    assert [head.name for head in window.bench.scene.heads] == ["L1 H0", "L1 H1"]


def test_sound_heads_come_and_the_others_say_why_not_when_they_are_clicked(
    window, qtbot, dialog_of, attention, tmp_path
):
    path = with_nan(tmp_path / "nan.npz", attention, 0)
    opened_so(window, qtbot, dialog_of, path)
    why = "Layer 0, head 0: 6 of 36 weights are not numbers, the first on key t1 at query t3."
    qtbot.waitUntil(lambda: notice(window) == f"{why} It is not on the bench.")
    scene = window.bench.scene
    assert [head.name for head in scene.heads] == ["L0 H1"]
    window.docks.show(["atlasDock"])
    dock = window.docks.dock("atlasDock")
    qtbot.waitUntil(lambda: dock._heads is not None)
    cells = dock.map.map
    qtbot.waitUntil(lambda: cells._shown is not None)
    at = cells.cell_rect(*cells._shown.cells[0]).center().toPoint()
    qtbot.mouseClick(cells, Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: notice(window) == why)
    assert window.bench.scene is scene


def test_that_some_heads_have_no_room_comes_before_how_it_was_read(
    window, qtbot, tmp_path, layers_file
):
    path = tmp_path / "many.npz"
    np.savez(path, **{f"layer_{n}": np.tile(np.eye(3), (65, 1, 1)) for n in (0, 1)})
    window.openings.open(path)
    qtbot.waitUntil(lambda: notice(window).startswith("The bench has room for 64 of the 65 heads"))
    window.notices.dismiss()
    assert notice(window).startswith("many.npz was read: ")
    window.openings.open(path)
    qtbot.waitUntil(lambda: notice(window).startswith("The bench has room for 64 of the 65 heads"))
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: notice(window).startswith("attn.npz was read: "))
    window.notices.dismiss()
    assert notice(window) == ""  # nothing of what is not open any more


def test_an_array_without_a_name_is_called_as_its_file(window, qtbot, attention, tmp_path):
    np.save(tmp_path / "big.npy", attention(1, 1, 3, 5, 5))
    window.openings.open(tmp_path / "big.npy")
    wanted = "big.npy was read as weights (layer 1, batch 1, head 3, query 5, key 5)."
    qtbot.waitUntil(lambda: notice(window) == wanted)


# ------------------------------------------------------------- where the keyboard is


@pytest.mark.parametrize("has", ["heatmap", "card"])
def test_the_keyboard_is_in_no_field_when_what_had_it_is_gone(
    window, qtbot, layers_file, tmp_path, has
):
    many = tmp_path / "many.npz"
    np.savez(many, **{f"layer_{n}": np.tile(np.eye(3), (6, 1, 1)) for n in (0, 1)})
    window.openings.open(many)
    qtbot.waitUntil(lambda: len(window.docks.heatmaps._grid.cards) == 6)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    cards = window.docks.dock("headsDock")._cards
    last = cards[5] if has == "card" else window.docks.heatmaps._grid.cards[5].view
    last.setFocus()
    qtbot.waitUntil(last.hasFocus)
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: window.bench.frame.scene.n_heads == 3)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    place = cards[0] if has == "card" else window.docks.heatmaps._grid.cards[0].view
    qtbot.waitUntil(place.hasFocus)


def test_nor_when_a_dialog_stood_before_it_meanwhile(window, qtbot, layers_file, tmp_path):
    many = tmp_path / "many.npz"
    np.savez(many, **{f"layer_{n}": np.tile(np.eye(3), (6, 1, 1)) for n in (0, 1)})
    window.openings.open(many)
    qtbot.waitUntil(lambda: len(window.docks.heatmaps._grid.cards) == 6)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.docks.heatmaps._grid.cards[5].view.setFocus()
    dialog = QDialog(window)
    dialog.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: window.bench.frame.scene.n_heads == 3)
    dialog.accept()
    dialog.deleteLater()
    window.activateWindow()
    qtbot.waitUntil(window.docks.heatmaps._grid.cards[0].view.hasFocus)


def test_nor_when_another_dock_than_the_heatmaps_is_in_front(window, qtbot, layers_file):
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.docks.heatmaps.take_focus()
    dock = window.docks.dock("atlasDock")
    window.docks.show(["atlasDock"])
    qtbot.waitUntil(lambda: dock.isAncestorOf(QApplication.focusWidget() or window))
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: window.bench.frame.scene.n_heads == 3)
    qtbot.waitUntil(lambda: dock._heads is not None and not dock._scoring.is_at_work)
    qtbot.waitUntil(lambda: dock.isAncestorOf(QApplication.focusWidget() or window))
