"""Files of tensors, opened in a real window: at once where they are clear, else by a dialog."""

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
    QTableWidget,
)

from mhagui.document.edits import set_gain
from mhagui.gui import questions
from mhagui.gui.widgets.matrix_card import MatrixCard

DIALOG = "importDialog"


@pytest.fixture
def ask(window, dialog_of):
    """Open a file that leaves something open: ``ask(path)`` gives the dialog."""

    def ask(path):
        window.openings.open(path)
        return dialog_of(window, DIALOG)

    yield ask
    for dialog in window.findChildren(QDialog, DIALOG):
        dialog.reject()


def choose(box: QComboBox, text: str) -> None:
    """Choose what begins so, with keys."""
    row = next(row for row in range(box.count()) if box.itemText(row).startswith(text))
    while box.currentIndex() != row:
        key = Qt.Key.Key_Down if row > box.currentIndex() else Qt.Key.Key_Up
        QTest.keyClick(box, key)


def axis(dialog, role, number):
    return dialog.findChild(QComboBox, f"importAxis_{role}_{number}")


def opener(dialog):
    return dialog.findChild(QPushButton, "importOpen")


def said(dialog):
    return dialog.findChild(QLabel, "importMessage").text()


def proofs(dialog):
    listed = dialog.findChild(QListWidget, "importProofs")
    return [listed.item(row).text() for row in range(listed.count())]


def notice(window):
    return window.findChild(QLabel, "notice").text()


def settled(qtbot, dialog):
    qtbot.waitUntil(lambda: dialog.trial is not None)


def press_open(qtbot, window, dialog):
    settled(qtbot, dialog)
    qtbot.mouseClick(opener(dialog), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    return window.captures.capture


# ------------------------------------------------------------------------------ what is clear


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
    qtbot.waitUntil(lambda: "attn.npz is read as" in notice(window))
    assert "head 3, query 5, key 5" in notice(window)
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
    assert (window.bench.scene, window.captures.capture) == (before, None)
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


# -------------------------------------------------------------------------------- the dialog


def test_what_is_found_is_listed_and_the_likeliest_reading_is_shown(ask, attention, tmp_path):
    path = tmp_path / "five.npz"
    np.savez(path, attentions=attention(2, 4, 3, 6, 6), tokens=np.array(list("abcdef")))
    dialog = ask(path)
    table = dialog.findChild(QTableWidget, "importEntries")
    rows = [
        [table.item(row, column).text() for column in range(4)] for row in range(table.rowCount())
    ]
    assert rows[0] == ["attentions", "2 × 4 × 3 × 6 × 6", "float32", "3.46 kB"]
    assert (rows[1][0], rows[1][3]) == ("tokens", "6 texts")
    axes = [axis(dialog, "weights", number).currentText() for number in range(5)]
    assert axes == ["layer", "batch", "head", "query", "key"]
    assert [card.view.picture.shape for card in dialog.findChildren(MatrixCard)] == [(6, 6)] * 3
    assert said(dialog) == "2 layers of 3 heads, 6 × 6 positions."


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


def test_an_axis_that_is_chosen_changes_places_with_the_one_that_was_it(
    ask, window, qtbot, attention, tmp_path
):
    weights = attention(3, 6, 6)
    np.save(tmp_path / "turned.npy", weights.transpose(1, 2, 0))  # query, key, head
    dialog = ask(tmp_path / "turned.npy")
    for number, word in enumerate(["query", "key", "head"]):
        choose(axis(dialog, "weights", number), word)
    assert [axis(dialog, "weights", n).currentText() for n in range(3)] == ["query", "key", "head"]
    capture = press_open(qtbot, window, dialog)
    np.testing.assert_array_equal(capture.layers[0].given, weights)


def test_keys_and_queries_that_are_exchanged_are_a_fault_with_numbers(
    ask, qtbot, attention, tmp_path
):
    np.save(tmp_path / "turned.npy", attention(2, 4, 6, 6).swapaxes(-1, -2))
    dialog = ask(tmp_path / "turned.npy")
    assert proofs(dialog)[0].startswith("Fault: ")
    assert any("the last two axes seem to be key and query" in text for text in proofs(dialog))
    choose(axis(dialog, "weights", 2), "key")
    settled(qtbot, dialog)
    assert not any(text.startswith("Fault: ") for text in proofs(dialog))


def test_nothing_opens_until_what_the_file_leaves_open_is_said(ask, window, qtbot, tmp_path):
    rng = np.random.default_rng(1)
    arrays = {name: rng.normal(size=(8, 8)) for name in ("w_q", "w_k", "w_v", "w_o")}
    x = rng.normal(size=(5, 8))
    np.savez(tmp_path / "square.npz", x=x, **arrays)
    dialog = ask(tmp_path / "square.npz")
    assert not opener(dialog).isEnabled()
    assert "say how many there are" in said(dialog)
    assert "=" not in said(dialog)  # words of the command line
    for name, word in (
        ("importHeads", "2 of width 4"),
        ("importOrientation", "out × in"),
        ("importCausal", "causal"),
    ):
        box = dialog.findChild(QComboBox, name)
        assert not opener(dialog).isEnabled()
        choose(box, word)
        settled(qtbot, dialog)
    capture = press_open(qtbot, window, dialog)
    q, k = (x @ arrays[name].T for name in ("w_q", "w_k"))
    for head, weights in enumerate(capture.layers[0].weights):
        part = slice(4 * head, 4 * head + 4)
        scores = q[:, part] @ k[:, part].T / 2
        right = np.tril(np.exp(scores))
        right /= right.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(weights, right, atol=1e-12)


def test_a_sentence_says_why_a_reading_cannot_be_and_choosing_again_mends_it(ask, qtbot, tmp_path):
    rng = np.random.default_rng(1)
    np.savez(tmp_path / "qk.npz", q=rng.normal(size=(4, 6, 3)), k=rng.normal(size=(4, 6, 3)))
    dialog = ask(tmp_path / "qk.npz")
    choose(dialog.findChild(QComboBox, "importCausal"), "full")
    settled(qtbot, dialog)
    assert opener(dialog).isEnabled()
    choose(axis(dialog, "q", 0), "heads × width")
    settled(qtbot, dialog)
    assert not opener(dialog).isEnabled()
    assert said(dialog)
    choose(axis(dialog, "q", 0), "head")
    settled(qtbot, dialog)
    assert opener(dialog).isEnabled()


def test_arrays_of_unknown_names_can_each_be_taken_for_weights(
    ask, window, qtbot, attention, tmp_path
):
    weights = attention(2, 5, 5)
    np.savez(tmp_path / "names.npz", foo=np.ones((4, 4)), bar=weights)
    dialog = ask(tmp_path / "names.npz")
    choose(dialog.findChild(QComboBox, "importKind"), "weights from bar")
    capture = press_open(qtbot, window, dialog)
    np.testing.assert_array_equal(capture.layers[0].given, weights)


def test_a_file_that_is_written_anew_meanwhile_is_not_mixed_with_what_was_seen(
    ask, qtbot, attention, tmp_path
):
    path = tmp_path / "five.npy"
    np.save(path, attention(3, 4, 2, 6, 6))
    dialog = ask(path)
    np.save(path, attention(3, 4, 2, 7, 7))
    dialog.findChild(QSpinBox, "importBatch").setValue(1)
    settled(qtbot, dialog)
    assert "has changed since it was looked at" in said(dialog)
    assert not opener(dialog).isEnabled()


def test_cancel_leaves_all_as_it_was(ask, window, qtbot, attention, tmp_path):
    np.save(tmp_path / "a.npy", attention(3, 6, 6))
    before = window.bench.scene
    dialog = ask(tmp_path / "a.npy")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(QDialog, DIALOG) is None)
    assert (window.bench.scene, window.captures.capture) == (before, None)


def test_long_maps_are_pooled_so_that_a_lone_bright_cell_survives(ask, tmp_path):
    weights = np.zeros((2, 300, 300), np.float32)
    weights[:, :, 0] = 1
    weights[0, 250] = 0
    weights[0, 250, 123] = 1
    np.save(tmp_path / "long.npy", weights)
    dialog = ask(tmp_path / "long.npy")
    picture = dialog.findChildren(MatrixCard)[0].view.picture
    assert max(picture.shape) <= 96
    assert picture.values[:, 1:].max() == 1
    assert "300 × 300" in dialog.findChild(QLabel, "importPreviewCaption").text()


def test_every_choice_has_a_name_and_a_tip_and_keys_reach_it(ask, attention, tmp_path):
    path = tmp_path / "five.npz"
    np.savez(path, attentions=attention(2, 4, 3, 6, 6), tokens=np.array(list("abcdef")))
    dialog = ask(path)
    boxes = [box for kind in (QComboBox, QSpinBox) for box in dialog.findChildren(kind)]
    shown = [box for box in boxes if box.isVisible()]
    assert len(shown) >= 10
    for box in shown:
        assert box.accessibleName(), box.objectName()
        assert box.toolTip(), box.objectName()
    stops, stop = [], dialog.nextInFocusChain()
    while stop is not dialog:
        if stop.isVisible() and stop.isEnabled() and stop.focusPolicy() & Qt.FocusPolicy.TabFocus:
            stops.append(stop.objectName())
        stop = stop.nextInFocusChain()
    names = {box.objectName() for box in shown}
    assert names | {"importEntries", "importProofs", "importOpen", "importCancel"} <= set(stops)
    assert not any(name.startswith("importHead0") for name in stops)
