"""The dialog that shows what a file of tensors holds, and takes how it is to be read."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QListWidget,
    QPushButton,
    QSpinBox,
    QTableWidget,
)

from mhagui.document import Appearance
from mhagui.gui.opening.import_dialog import ImportDialog
from mhagui.gui.opening.trial import look
from mhagui.gui.widgets.matrix_card import MatrixCard


@pytest.fixture
def ask(qtbot):
    """Look at a file and show the dialog of it: ``ask(path)``."""

    def ask(path):
        dialog = ImportDialog(look(path), Appearance())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return ask


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


def settled(qtbot, dialog):
    qtbot.waitUntil(lambda: dialog.trial is not None)


def press_open(qtbot, dialog):
    settled(qtbot, dialog)
    with qtbot.waitSignal(dialog.accepted):
        qtbot.mouseClick(opener(dialog), Qt.MouseButton.LeftButton)
    return dialog.trial.capture


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


def test_an_axis_that_is_chosen_changes_places_with_the_one_that_was_it(
    ask, qtbot, attention, tmp_path
):
    weights = attention(3, 6, 6)
    np.save(tmp_path / "turned.npy", weights.transpose(1, 2, 0))  # query, key, head
    dialog = ask(tmp_path / "turned.npy")
    for number, word in enumerate(["query", "key", "head"]):
        choose(axis(dialog, "weights", number), word)
    assert [axis(dialog, "weights", n).currentText() for n in range(3)] == ["query", "key", "head"]
    capture = press_open(qtbot, dialog)
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


def test_nothing_opens_until_what_the_file_leaves_open_is_said(ask, qtbot, tmp_path):
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
    capture = press_open(qtbot, dialog)
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


def test_slopes_and_sinks_count_in_the_preview_of_the_first_of_many_heads(ask, qtbot, tmp_path):
    states = {"q": np.zeros((16, 6, 3)), "k": np.zeros((8, 6, 3))}
    slopes, sinks = np.zeros(16), np.linspace(-1, 2, 16)
    slopes[1] = np.log(2)
    np.savez(tmp_path / "qk.npz", **states, alibi_slopes=slopes, sinks=sinks)
    dialog = ask(tmp_path / "qk.npz")
    kind = dialog.findChild(QComboBox, "importKind").currentText()
    assert kind == "q, k, slopes from alibi_slopes, sinks"
    choose(dialog.findChild(QComboBox, "importCausal"), "full")
    settled(qtbot, dialog)
    first, second = dialog.trial.preview.weights[:2]
    assert len(dialog.trial.preview.weights) == 12
    np.testing.assert_allclose(first, 1 / (6 + np.exp(-1.0)), atol=1e-12)
    halved = 2.0 ** -np.arange(6)  # for each position of distance
    sink = np.exp(sinks[1])
    np.testing.assert_allclose(second[0], halved / (halved.sum() + sink), atol=1e-12)


def test_sinks_of_another_number_of_heads_keep_a_file_from_being_opened(ask, qtbot, tmp_path):
    np.savez(tmp_path / "qk.npz", q=np.ones((4, 6, 3)), k=np.ones((4, 6, 3)), sinks=np.ones(5))
    dialog = ask(tmp_path / "qk.npz")
    choose(dialog.findChild(QComboBox, "importCausal"), "full")
    settled(qtbot, dialog)
    assert not opener(dialog).isEnabled()
    assert said(dialog).startswith("Layer 0 has 4 query heads, and sinks 5 numbers;")


def test_arrays_of_unknown_names_can_each_be_taken_for_weights(ask, qtbot, attention, tmp_path):
    weights = attention(2, 5, 5)
    np.savez(tmp_path / "names.npz", foo=np.ones((4, 4)), bar=weights)
    dialog = ask(tmp_path / "names.npz")
    choose(dialog.findChild(QComboBox, "importKind"), "weights from bar")
    capture = press_open(qtbot, dialog)
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


def test_long_names_of_tokens_lose_their_middle_and_are_whole_in_the_tip(ask, tmp_path):
    texts = {f"{of}_tokens": list("abc") for of in ("query", "key")}
    np.savez(tmp_path / "a.npz", weights=np.tile(np.eye(3), (2, 1, 1)), **texts)
    dialog = ask(tmp_path / "a.npz")
    box = dialog.findChild(QComboBox, "importTokens")
    whole = "query_tokens (query), key_tokens (key)"
    assert box.currentText() == whole
    assert whole in box.toolTip()
    assert box.itemData(box.currentIndex(), Qt.ItemDataRole.ToolTipRole) == whole
    shown = box.shortened(whole, 180)
    assert shown.startswith("query_")
    assert shown.endswith("(key)")
    assert box.fontMetrics().horizontalAdvance(shown) <= 180
