"""The export dialog writes what is ticked, asks before it replaces, and says why it could not."""

from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QMessageBox, QPushButton, QSpinBox

from mhagui import figures
from mhagui.document import load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.errors import UserError
from mhagui.gui.bench import Bench
from mhagui.gui.export_dialog import ExportDialog
from mhagui.gui.worker import LOOK_EVERY

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(qtbot, tmp_path):
    bench = Bench(load_lesson("two-heads"))
    dialog = ExportDialog(bench.frame)
    bench.setParent(dialog)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.findChild(QLineEdit, "exportFolder").setText(str(tmp_path / "out"))
    return dialog


def tick(dialog, *, figures, formats):
    for box in dialog.findChildren(QCheckBox):
        kind, name = box.objectName().split("_", 1)
        box.setChecked(name in (figures if kind == "figure" else formats))


def export(dialog, qtbot):
    button = dialog.findChild(QPushButton, "exportButton")
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(button.isEnabled, timeout=20_000)
    return dialog.findChild(QLabel, "exportMessage").text()


def test_writes_what_is_ticked(dialog, qtbot, tmp_path):
    tick(dialog, figures=["heads", "entropy"], formats=["png", "pdf"])
    dialog.findChild(QSpinBox, "exportDpi").setValue(72)
    assert "4 files" in export(dialog, qtbot)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["entropy.pdf", "entropy.png", "heads.pdf", "heads.png"]
    assert (tmp_path / "out" / "heads.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "out" / "heads.pdf").read_bytes().startswith(b"%PDF")


def test_nothing_ticked_says_so(dialog, qtbot, tmp_path):
    tick(dialog, figures=[], formats=["png"])
    assert "at least one figure" in export(dialog, qtbot)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_is_named(dialog, qtbot, tmp_path):
    (tmp_path / "out").write_text("a file in the way")
    tick(dialog, figures=["entropy"], formats=["png"])
    assert str(tmp_path / "out") in export(dialog, qtbot)
    assert (tmp_path / "out").read_text() == "a file in the way"


@pytest.mark.parametrize("folder", ["~nobody-of-this-name/x", "x" * 300, "/".join("a" * 3000), ""])
def test_every_folder_that_can_be_typed_gets_an_answer(
    dialog, qtbot, tmp_path, monkeypatch, folder
):
    monkeypatch.chdir(tmp_path)
    dialog.findChild(QLineEdit, "exportFolder").setText(folder)
    tick(dialog, figures=["entropy"], formats=["png"])
    dialog.findChild(QSpinBox, "exportDpi").setValue(30)
    assert export(dialog, qtbot)


@pytest.mark.parametrize("answer", [QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No])
def test_asks_once_before_it_replaces(dialog, qtbot, tmp_path, monkeypatch, answer):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "entropy.png").write_text("old")
    asked = []

    def question(*arguments):
        asked.append(arguments[2])
        return answer

    monkeypatch.setattr(QMessageBox, "question", question)
    tick(dialog, figures=["entropy", "heads"], formats=["png"])
    export(dialog, qtbot)
    assert len(asked) == 1
    assert "entropy.png" in asked[0]
    replaced = (tmp_path / "out" / "entropy.png").read_bytes() != b"old"
    assert replaced is (answer == QMessageBox.StandardButton.Yes)
    assert (tmp_path / "out" / "heads.png").exists() is replaced


def test_what_this_scene_does_not_have_is_greyed_with_the_reason(qtbot, bench):
    bench.edit(SetSequenceLength(64))  # one-hot tokens repeat, so no W_Q gives back Q
    dialog = ExportDialog(bench.frame)
    qtbot.addWidget(dialog)
    box = dialog.findChild(QCheckBox, "figure_packed-wq")
    assert not box.isEnabled()
    assert not box.isChecked()
    assert "W_Q" in box.toolTip()
    assert dialog.findChild(QCheckBox, "figure_heads").isChecked()


def test_enter_exports(dialog, qtbot, tmp_path):
    tick(dialog, figures=["entropy"], formats=["png"])
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil((tmp_path / "out" / "entropy.png").exists, timeout=20_000)


def test_closed_while_it_draws_it_writes_nothing(dialog, qtbot, tmp_path, monkeypatch):
    begun, gate, over = Event(), Event(), Event()

    def render_all(*arguments, **options):
        begun.set()
        assert gate.wait(30)
        over.set()
        return {"entropy.png": b"late"}

    monkeypatch.setattr(figures, "render_all", render_all)
    button = dialog.findChild(QPushButton, "exportButton")
    qtbot.mouseClick(button, LEFT)
    assert begun.wait(10)
    assert not button.isEnabled()
    assert dialog.findChild(QLabel, "exportMessage").text() == "Drawing…"
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    gate.set()
    assert over.wait(10)
    qtbot.wait(5 * LOOK_EVERY)
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_drawn_is_said_and_the_dialog_can_be_used_again(dialog, qtbot, monkeypatch):
    def render_all(*arguments, **options):
        raise UserError("It is too large to be drawn.")

    monkeypatch.setattr(figures, "render_all", render_all)
    row = dialog.findChild(QSpinBox, "exportRow")
    row.setFocus()
    assert export(dialog, qtbot) == "It is too large to be drawn."
    assert row.isEnabled()


def test_the_impulse_responses_are_of_the_row_that_is_named(dialog, qtbot, tmp_path):
    row = dialog.findChild(QSpinBox, "exportRow")
    assert row.value() == 4  # the cursor's
    row.setValue(2)
    tick(dialog, figures=["impulse"], formats=["svg"])
    export(dialog, qtbot)
    assert "weight at t2" in (tmp_path / "out" / "impulse.svg").read_text()
