"""Files opened to be compared, and forgotten."""

import gc
import weakref
from threading import Event, current_thread, main_thread

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton

from mhagui.document.edits import set_gain
from mhagui.document.session import Session
from mhagui.document.session_file import write_session
from mhagui.gui.opening import reader, trial
from mhagui.gui.opening.import_dialog import ImportDialog
from mhagui.gui.watch import Dropped

LEFT = Qt.MouseButton.LeftButton
A, B, DIFFERENCE, ROWS = range(4)


def test_weights_that_are_clear_are_opened_to_compare(
    dock, bench, qtbot, tmp_path, settle, choose, shown, captured
):
    layers = [layer.weights for layer in captured(4).layers]
    path = tmp_path / "attention.npz"
    np.savez(path, **{f"attentions.{n}": weights for n, weights in enumerate(layers)})
    scene = bench.scene
    with qtbot.waitSignal(dock._opening.opened):
        dock._opening.open(path)
    settle()
    assert bench.scene is scene
    assert dock.sides[1].source_box.currentText().startswith("attention")
    choose(dock.sides[1].layer_box, "L1")
    settle()
    assert np.array_equal(shown(dock, B), layers[1][0])


def forget(dock, number):
    """Forget what was opened, by its number in the menu."""
    menu = dock.let_go.menu()
    menu.aboutToShow.emit()
    menu.actions()[number].trigger()


def test_files_that_were_opened_are_forgotten_one_by_one(
    dock, qtbot, tmp_path, settle, choose, entries, attention_file
):
    for name, seed in (("one&two.npz", 4), ("three.npz", 5)):
        with qtbot.waitSignal(dock._opening.opened):
            dock._opening.open(attention_file(tmp_path / name, seed))
        settle()
    choose(dock.sides[0].source_box, "one&two")
    settle()
    dock.open.setFocus()
    qtbot.keyClick(dock.open, Qt.Key.Key_Tab)
    assert dock.let_go.hasFocus()
    first, second = (weakref.ref(source.capture) for source in dock._opened)
    dock.let_go.menu().aboutToShow.emit()
    assert [a.text() for a in dock.let_go.menu().actions()] == ["one&&two.npz", "three.npz"]
    forget(dock, 0)
    settle()
    assert dock.sides[0].source_box.currentText() == "On the bench"
    assert dock.sides[1].source_box.currentText() == "three.npz"
    assert "one&two.npz" not in entries(dock.sides[1].source_box)
    gc.collect()
    assert first() is None
    assert second() is not None
    assert dock.let_go.isEnabled()
    forget(dock, 0)
    settle()
    gc.collect()
    assert second() is None
    assert not dock.let_go.isEnabled()
    assert [side.source_box.currentText() for side in dock.sides] == ["On the bench"] * 2


def test_what_a_file_is_is_found_aside(dock, qtbot, tmp_path, monkeypatch, captured):
    from safetensors.numpy import save_file

    path, threads = tmp_path / "attention.safetensors", []
    save_file({"attentions.0": np.array(captured(4).layer(0).weights)[np.newaxis]}, path)
    find = reader.kind_of
    monkeypatch.setattr(
        reader, "kind_of", lambda path: threads.append(current_thread()) or find(path)
    )
    with qtbot.waitSignal(dock._opening.opened):
        dock._opening.open(path)
    assert len(threads) == 1
    assert threads[0] is not main_thread()


def test_another_file_ends_the_reading_of_the_first(
    dock, qtbot, tmp_path, monkeypatch, settle, attention_file
):
    go_on, ended, look = Event(), Event(), trial.look

    def slow(path, watch):
        if path.name == "first.npz":
            assert go_on.wait(20)
            try:
                watch(0)
            except Dropped:
                ended.set()
                raise
        return look(path, watch)

    monkeypatch.setattr(trial, "look", slow)
    with qtbot.waitSignal(dock._opening.opened):
        for number, name in enumerate(("first.npz", "second.npz")):
            dock._opening.open(attention_file(tmp_path / name, number))
        go_on.set()
    settle()
    assert ended.is_set()
    assert dock.sides[1].source_box.currentText() == "second.npz"


def test_where_axes_are_not_clear_they_are_asked_for(
    dock, qtbot, tmp_path, settle, shown, captured
):
    weights_of_file = captured(4).layer(0).weights
    path = tmp_path / "attention.npy"
    np.save(path, weights_of_file)
    dock._opening.open(path)
    qtbot.waitUntil(lambda: dock.findChild(ImportDialog) is not None)
    dialog = dock.findChild(ImportDialog)
    qtbot.mouseClick(dialog.findChild(QPushButton, "importOpen"), LEFT)
    settle()
    assert dialog.trial.capture.layer(0).weights.shape == (3, 6, 6)
    assert np.array_equal(shown(dock, B), weights_of_file[0])


def test_a_file_is_asked_for_in_the_menu(dock, qtbot, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (asked.append(1) or "", ""))
    next(a for a in dock.open.menu().actions() if "File" in a.text()).trigger()
    assert asked == [1]


def test_a_scene_is_opened_to_compare(dock, bench, qtbot, tmp_path, settle, choose, shown, weights):
    path = tmp_path / "louder.mhascene"
    louder = set_gain(1, 3.0).apply(bench.scene)
    write_session(path, Session.of(louder))
    with qtbot.waitSignal(dock._opening.opened):
        dock._opening.open(path)
    settle()
    choose(dock.sides[1].head_box, "h1")
    settle()
    assert dock.sides[1].source_box.currentText() == "louder.mhascene"
    assert np.array_equal(shown(dock, B), weights(louder, 0))


def test_what_cannot_be_opened_is_said_and_nothing_changes(dock, bench, qtbot, tmp_path, entries):
    path = tmp_path / "half.npy"
    np.save(path, np.ones((2, 4, 4)))
    path.write_bytes(path.read_bytes()[:100])
    before = entries(dock.sides[1].source_box)
    with qtbot.waitSignal(bench.failed) as told:
        dock._opening.open(path)
    assert "half.npy" in told.args[0]
    assert entries(dock.sides[1].source_box) == before


def test_another_prompt_is_offered_only_of_a_model(dock, captures):
    dock.open.menu().aboutToShow.emit()
    assert not dock._another_prompt.isEnabled()
