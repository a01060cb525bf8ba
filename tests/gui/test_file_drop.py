"""Files that are dropped, anywhere on a real window."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QLibraryInfo, QMimeData, QPoint, QPointF, Qt, QUrl, QVersionNumber
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from mhagui.document import ViewState, compute, load_lesson
from mhagui.document.edits import AddHead
from mhagui.document.patterns import Pattern
from mhagui.document.session import Session
from mhagui.document.session_file import write_session
from mhagui.figures import Subject, render
from mhagui.gui.file_drop import WHAT_CAN
from mhagui.gui.main_window import MainWindow
from mhagui.gui.opening.import_dialog import ImportDialog

COPY, MOVE = Qt.DropAction.CopyAction, Qt.DropAction.MoveAction


def a_scene(path: Path) -> Path:
    scene = load_lesson("two-heads")
    write_session(path, Session(scene, ViewState.of(scene)))
    return path


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drop(target: QWidget, data: QMimeData, actions: Qt.DropAction = COPY | MOVE) -> bool:
    """Drag onto a widget, and let go where it, or one that it is in, takes that."""
    # By Shift a file is moved: whoever has it deletes it then.
    button, key = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
    # Deprecated since Qt 6.12, and the only one before, is a place in whole pixels.
    is_newer = QLibraryInfo.version() >= QVersionNumber(6, 12)
    place = QPointF(5, 5) if is_newer else QPoint(5, 5)
    enter = QDragEnterEvent(place, actions, data, button, key)
    enter.ignore()
    QApplication.sendEvent(target, enter)
    if enter.isAccepted():
        event = QDropEvent(QPointF(5, 5), actions, data, button, key)
        QApplication.sendEvent(target, event)
        assert (enter.dropAction(), event.dropAction()) == (COPY, COPY)
    return enter.isAccepted()


def dialog_of(window: MainWindow, qtbot) -> ImportDialog:
    """Return the dialog that asks how a file is to be read."""
    qtbot.waitUntil(lambda: len(window.findChildren(ImportDialog)) == 1)
    return window.findChildren(ImportDialog)[0]


def refusal(window: MainWindow) -> str:
    return window.findChild(QLabel, "refusal").text()


@pytest.mark.parametrize("name", ["dropped.mhascene", "A.MHASCENE", "b.Json"])
def test_a_scene_file_that_is_dropped_on_the_window_is_opened(window, qtbot, tmp_path, name):
    path = a_scene(tmp_path / name)
    assert drop(window, files(path))
    qtbot.waitUntil(lambda: window.files.state.path == path)
    assert window.bench.scene == load_lesson("two-heads")


def test_a_figure_that_is_dropped_is_opened_as_its_scene(window, qtbot, tmp_path):
    scene, path = load_lesson("two-heads"), tmp_path / "entropy.PDF"
    path.write_bytes(render("entropy", Subject(scene, compute(scene)), "pdf"))
    assert drop(window, files(path))
    qtbot.waitUntil(lambda: window.bench.scene == scene)
    assert window.files.state.path is None


def test_tensors_and_folders_of_models_that_are_dropped_are_looked_into(window, qtbot, tmp_path):
    weights = np.tril(np.ones((2, 4, 4), np.float32))
    weights /= weights.sum(-1, keepdims=True)
    np.savez(tmp_path / "a.npz", layer_3=weights, layer_4=weights)
    assert drop(window, files(tmp_path / "a.npz"))
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert window.bench.scene.heads[0].name == "L3 H0"
    folder = tmp_path / "folder of a model"
    folder.mkdir()
    assert drop(window, files(folder))
    told = window.findChild(QLabel, "notice")
    qtbot.waitUntil(lambda: "There is no config.json in folder of a model" in told.text())


def test_cross_attention_that_is_dropped_is_on_the_bench(window, qtbot, tmp_path):
    weights = np.random.default_rng(0).random((2, 3, 7))
    weights = (weights / weights.sum(-1, keepdims=True)).astype(np.float32)
    queries, keys = tuple("abc"), tuple("defghij")
    path = tmp_path / "cross.npz"
    np.savez(path, cross_attentions=weights[np.newaxis], query_tokens=queries, key_tokens=keys)
    assert drop(window, files(path))
    qtbot.waitUntil(lambda: window.bench.scene.mask.across)
    scene = window.bench.scene
    assert (scene.tokens, scene.key_tokens) == (queries, keys)
    np.testing.assert_array_equal(np.stack([head.a for head in scene.heads]), weights)
    qtbot.waitUntil(lambda: window.bench.frame.scene is scene)


def test_sinks_of_a_file_that_is_dropped_take_what_the_heads_dock_says(
    window, qtbot, settle, tmp_path
):
    """As a layer of gpt-oss: queries of two heads that share a key head, and a logit of each."""
    states = {"q": np.zeros((2, 5, 3), np.float32), "k": np.ones((1, 5, 3), np.float32)}
    sinks = np.array([0.0, np.log(5)], np.float32)  # as one key more, and as five
    np.savez(tmp_path / "a.npz", **states, **{"model.layers.4.self_attn.sinks": sinks})
    assert drop(window, files(tmp_path / "a.npz"))
    dialog = dialog_of(window, qtbot)
    kinds, causal = (dialog.findChild(QComboBox, f"import{name}") for name in ("Kind", "Causal"))
    assert "sinks from model.layers.4.self_attn.sinks" in kinds.currentText()
    QTest.keyClick(causal, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: dialog.trial is not None and dialog.trial.capture is not None)
    qtbot.mouseClick(dialog.findChild(QPushButton, "importOpen"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.bench.scene.heads[0].name == "L4 H0")
    window.bench.point(query=4)
    settle()
    for number, taken in ((1, "takes 16.7 %"), (2, "takes 50.0 %")):
        labels = window.findChild(QWidget, f"headCard{number}").findChildren(QLabel)
        (said,) = [label.text() for label in labels if "takes" in label.text()]
        assert said.startswith(taken)


def test_no_widget_of_the_window_keeps_a_file_to_itself(open_window, settle):
    """Not one that was there from the start, nor a card or an editor that came later."""
    window = open_window("induction")
    window.docks.make_ahead()
    window.bench.edit(AddHead(Pattern.SELF))
    settle()
    for dock in window.docks.all:
        window.docks.enter(dock)
        settle()
    choice = window.findChild(QComboBox, "lessonExercise")
    for row in range(choice.count()):
        choice.setCurrentIndex(row)
        settle()
        assert_takers(window)
    n_editors = sum(opened_editor(table) for table in window.findChildren(QTableView))
    assert n_editors >= 3
    lines = [line.objectName() for line in window.findChildren(QLineEdit)]
    assert {"cellEditor", "tokenSequence", "commandQuery", "nameEdit3"} <= set(lines)
    assert_takers(window)


def assert_takers(window: MainWindow) -> None:
    takers = [widget for widget in window.findChildren(QWidget) if widget.acceptDrops()]
    assert set(takers) == set(window.docks.all)  # which hand it on, also where they float


def opened_editor(table: QTableView) -> bool:
    model = table.model()
    index = model.index(model.rowCount() - 1, model.columnCount() - 1)
    if not index.flags() & Qt.ItemFlag.ItemIsEditable:
        return False
    table.setCurrentIndex(index)
    table.edit(index)
    return True


@pytest.mark.parametrize("window", ["induction"], indirect=True)
@pytest.mark.parametrize(
    "name", ["nameEdit1", "gainBox1", "tokenSequence", "entropyPlot", "heatmap1", "historyList"]
)
def test_a_file_is_opened_wherever_it_is_dropped(window, qtbot, settle, tmp_path, name):
    path = a_scene(tmp_path / "a.json")
    target = window.findChild(QWidget, name)
    for child in target.findChildren(QWidget) or [target]:
        before = child.text() if isinstance(child, QLineEdit) else ""
        assert drop(child, files(tmp_path / "none.txt"))
        assert (child.text() if isinstance(child, QLineEdit) else "") == before
    assert drop(target, files(path))
    qtbot.waitUntil(lambda: window.files.state.path == path)


def test_a_file_is_opened_that_is_dropped_on_a_dock_that_floats(window, qtbot, settle, tmp_path):
    path = a_scene(tmp_path / "a.json")
    dock = window.docks.heatmaps
    dock.setFloating(True)
    settle()
    assert drop(dock.widget(), files(path))
    qtbot.waitUntil(lambda: window.files.state.path == path)


@pytest.mark.parametrize("names", [["a.json", "b.json"], ["picture.jpg"], ["folder"]])
def test_what_else_is_dropped_is_refused_in_a_sentence(window, qtbot, tmp_path, names):
    before = window.bench.scene
    assert drop(window, files(*(tmp_path / name for name in names)))
    qtbot.waitUntil(lambda: refusal(window) == WHAT_CAN)
    assert window.bench.scene is before


def test_a_page_of_the_web_is_no_file(window, qtbot):
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/a.json")])
    assert drop(window, data)
    qtbot.waitUntil(lambda: refusal(window) == WHAT_CAN)


def test_text_is_not_taken_and_no_file_is_ever_moved(window, tmp_path):
    text = QMimeData()
    text.setText("hello")
    assert not drop(window, text)
    assert not drop(window.findChild(QWidget, "nameEdit1"), text)
    assert not drop(window, files(tmp_path / "a.json"), MOVE)
