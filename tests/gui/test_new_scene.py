"""The dialog that asks for the sizes of a fresh scene."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QDialog, QLabel, QSpinBox, QWidget

from mhagui.document.new_scene import new_scene
from mhagui.gui.new_scene import NewSceneDialog

Key, LEFT = Qt.Key, Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(qtbot):
    dialog = NewSceneDialog()
    qtbot.addWidget(dialog)
    with qtbot.waitActive(dialog):
        dialog.show()
    return dialog


@pytest.fixture
def box(dialog):
    """A function that gives the field of a size."""
    return lambda name: dialog.findChild(QSpinBox, f"newScene_{name}")


@pytest.fixture
def said(dialog):
    """A function that gives the sentence below the sizes."""
    return dialog.findChild(QLabel, "newSceneMessage").text


@pytest.fixture
def create(dialog):
    return dialog.findChild(QAbstractButton, "newSceneCreate")


def test_it_begins_with_the_sizes_of_the_four_heads(dialog, said, qtbot):
    assert said() == (
        "X: one-hot tokens. W_O: 8 × 8. Heads: first token, previous token, self, uniform."
    )
    qtbot.keyClick(dialog.focusWidget(), Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Accepted
    assert dialog.scene() == new_scene(6, 4, 2, 2, 8)


def test_patterns_that_fade_are_told_of_with_what_to_do(box, said, create, qtbot):
    told = "Patterns fade at T = 64: turn on Keep margin in Heads, and raise |K|"
    box("T").setValue(16)
    assert "fade" not in said()
    box("T").setValue(64)
    assert told in said()
    assert create.isEnabled()


def test_it_is_filled_in_by_keys_alone(dialog, qtbot):
    for text in ("9", "3", "4", "5", "7"):
        qtbot.keyClicks(dialog.focusWidget(), text)
        qtbot.keyClick(dialog.focusWidget(), Key.Key_Tab)
    qtbot.keyClick(dialog.focusWidget(), Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Accepted
    assert dialog.scene() == new_scene(9, 3, 4, 5, 7)


def test_letters_with_alt_lead_to_each_size(dialog, box, qtbot):
    for letter, name in (("H", "H"), ("K", "d_k"), ("V", "d_v"), ("M", "d_model"), ("T", "T")):
        qtbot.keyClick(dialog.focusWidget(), letter, Qt.KeyboardModifier.AltModifier)
        assert dialog.focusWidget() is box(name)


def test_d_model_follows_until_it_is_given(box, type_in):
    type_in(box("H"), "3", Key.Key_Tab)
    assert box("d_model").value() == 6
    type_in(box("d_v"), "64", Key.Key_Tab)
    assert box("d_model").value() == 192
    type_in(box("H"), "32", Key.Key_Tab)
    assert box("d_model").value() == 2048  # the most there is
    type_in(box("d_model"), "10", Key.Key_Tab)
    type_in(box("H"), "2", Key.Key_Tab)
    assert box("d_model").value() == 10


def test_the_largest_sizes_go_together_and_what_there_will_be_is_said(box, said, create, type_in):
    type_in(box("H"), "32", Key.Key_Tab)
    type_in(box("T"), "4096", Key.Key_Tab)
    assert create.isEnabled()
    assert "one-hot tokens, which repeat after 64." in said()
    assert "self, uniform and so on." in said()


def test_what_there_will_be_is_said_while_a_size_is_typed(box, said, type_in, qtbot):
    type_in(box("H"), "12", None)
    assert "W_O: 24 × 24." in said()
    assert (box("H").value(), box("d_model").value()) == (4, 8)  # until the typing ends
    qtbot.keyClicks(box("H"), "8")
    assert said() == ""  # 128 heads there cannot be
    qtbot.keyClick(box("H"), Key.Key_Backspace)
    qtbot.keyClick(box("H"), Key.Key_Tab)
    assert "W_O: 24 × 24." in said()
    assert box("d_model").value() == 24


def test_what_is_said_at_a_key_does_not_make_all_positions(box, said, type_in, monkeypatch):
    made = []

    def count_positions(n_positions, **sizes):
        made.append(n_positions)
        return new_scene(n_positions, **sizes)

    monkeypatch.setattr("mhagui.gui.new_scene.new_scene", count_positions)
    type_in(box("T"), "4096", None)
    assert "which repeat after 8." in said()
    assert made == [4, 9, 9, 9]


def test_sizes_that_are_too_many_numbers_together_cannot_be_created(box, said, create, type_in):
    for name, size in {"H": "32", "d_k": "32", "d_v": "32", "T": "4096"}.items():
        type_in(box(name), size, Key.Key_Tab)
    assert "take a shorter sequence (T = 4096)" in said()
    assert not create.isEnabled()
    type_in(box("T"), "1024", Key.Key_Tab)
    assert create.isEnabled()


@pytest.mark.parametrize("text", ["4097", "0", "six", "", "2.5"])
def test_enter_after_what_is_no_size_creates_nothing(dialog, box, said, type_in, text, qtbot):
    type_in(box("T"), text, Key.Key_Return)
    assert dialog.isVisible()
    assert said().startswith("Sequence length T")
    if text:
        assert text in said()
    qtbot.waitUntil(dialog.findChild(QAbstractButton, "newSceneCreate").isEnabled)
    qtbot.keyClick(box("T"), Key.Key_Return)  # once the sentence has been there to read
    assert dialog.scene() == new_scene(6, 4, 2, 2, 8)
    assert dialog.result() == QDialog.DialogCode.Accepted


def test_so_does_a_press_on_create(dialog, box, said, create, type_in, qtbot):
    type_in(box("T"), "9999", None)
    qtbot.mouseClick(create, LEFT)
    assert dialog.isVisible()
    assert "got 9999" in said()
    qtbot.waitUntil(create.isEnabled)
    qtbot.mouseClick(create, LEFT)
    assert dialog.result() == QDialog.DialogCode.Accepted


def test_escape_and_cancel_create_nothing(dialog, qtbot):
    qtbot.mouseClick(dialog.findChild(QAbstractButton, "newSceneCancel"), LEFT)
    assert dialog.result() == QDialog.DialogCode.Rejected
    dialog.show()
    qtbot.keyClick(dialog, Key.Key_Escape)
    assert not dialog.isVisible()


def test_nothing_moves_when_the_sentence_gets_longer(dialog, box, create, type_in, settle):
    before = dialog.size(), create.geometry()
    type_in(box("T"), "4096", Key.Key_Tab)
    type_in(box("H"), "32", Key.Key_Tab)
    settle()
    assert (dialog.size(), create.geometry()) == before


def test_everything_has_a_name_and_a_tip(dialog):
    used = [w for w in dialog.findChildren(QWidget) if isinstance(w, QSpinBox | QAbstractButton)]
    assert len(used) == 7
    for widget in used:
        assert all((widget.objectName(), widget.accessibleName(), widget.toolTip()))
