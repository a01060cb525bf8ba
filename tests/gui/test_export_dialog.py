"""The export dialog writes what is ticked, asks before it replaces, and says why it could not."""

import json
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
)

from mhagui import figures
from mhagui.document import load_lesson
from mhagui.errors import UserError
from mhagui.gui.bench import Bench
from mhagui.gui.export.dialog import DEFAULT_FOLDER, ExportDialog
from mhagui.gui.export.preview import Preview
from mhagui.gui.worker import LOOK_EVERY
from mhagui.settings import ExportChoices, Preferences

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(qtbot, tmp_path, monkeypatch):
    """A dialog that shows no figure: here it is looked at what it writes."""
    monkeypatch.setattr(Preview, "show_figure", lambda *_: None)
    bench = Bench(load_lesson("two-heads"))
    dialog = ExportDialog(bench.frame, Preferences(None, print))
    bench.setParent(dialog)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.findChild(QLineEdit, "exportFolder").setText(str(tmp_path / "out"))
    dialog.findChild(QSpinBox, "exportDpi").setValue(30)
    return dialog


def message(dialog):
    return dialog.findChild(QLabel, "exportMessage").text()


def button(dialog, name):
    return dialog.findChild(QPushButton, name)


def choose(dialog, figures=(), formats=(), data=(), scripts=False, reports=()):
    choices = ExportChoices(
        style=dialog.choices().style,
        figures=tuple(figures),
        formats=tuple(formats),
        data=tuple(data),
        scripts=scripts,
        reports=tuple(reports),
        folder=dialog.findChild(QLineEdit, "exportFolder").text(),
    )
    dialog._show(choices)


def export(dialog, qtbot):
    qtbot.mouseClick(button(dialog, "exportButton"), LEFT)
    qtbot.waitUntil(button(dialog, "exportButton").isEnabled, timeout=60_000)
    return message(dialog)


class Gate:
    """Stands for the drawing of figures: it waits before the second file for ``go``."""

    def __init__(self):
        self.first_made, self.go, self.n_made = Event(), Event(), 0

    def __call__(self, _subject, names, kinds):
        for name in names:
            for kind in kinds:
                if self.n_made == 1:
                    self.first_made.set()
                    assert self.go.wait(30)
                self.n_made += 1
                yield f"{name}.{kind}", b"drawn"


@pytest.fixture
def gate(monkeypatch):
    gate = Gate()
    monkeypatch.setattr(figures, "render_each", gate)
    yield gate
    gate.go.set()


# --- what is written


def test_writes_what_is_ticked(dialog, qtbot, tmp_path):
    choose(dialog, ["heads", "entropy"], ["png", "pdf"])
    dialog.findChild(QSpinBox, "exportDpi").setValue(72)
    assert export(dialog, qtbot) == f"4 files written to {tmp_path / 'out'}"
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["entropy.pdf", "entropy.png", "heads.pdf", "heads.png"]
    assert QImage(str(tmp_path / "out" / "heads.png")).width() == int(170 / 25.4 * 72)
    assert (tmp_path / "out" / "heads.pdf").read_bytes().startswith(b"%PDF")


def test_numbers_and_scripts_are_written_beside_the_figures(dialog, qtbot, tmp_path):
    choose(dialog, ["heads"], ["svg"], data=["csv", "npz", "json"], scripts=True)
    assert export(dialog, qtbot).startswith("5 files written")
    out = tmp_path / "out"
    names = sorted(path.name for path in out.iterdir())
    assert names == ["heads.py", "heads.svg", "numbers.csv", "numbers.json", "numbers.npz"]
    assert (out / "numbers.csv").read_text().startswith("head,t,i,weight,score")
    compile((out / "heads.py").read_text(), "heads.py", "exec")
    assert json.loads((out / "numbers.json").read_text())
    with np.load(out / "numbers.npz") as arrays:
        assert arrays.files


@pytest.mark.thorough
def test_reports_are_written_too(dialog, qtbot, tmp_path):
    dialog.findChild(QSpinBox, "exportRow").setValue(2)
    choose(dialog, reports=["html", "markdown"])
    assert export(dialog, qtbot).startswith("2 files written")
    out = tmp_path / "out"
    assert (out / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    words = (out / "report.md").read_text("utf-8")
    assert words.startswith("# ")
    assert "at t2" in words
    assert "at t4" not in words


def test_numbers_alone_need_no_figure(dialog, qtbot, tmp_path):
    choose(dialog, data=["csv"])
    assert export(dialog, qtbot).startswith("1 file written")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["numbers.csv"]


@pytest.mark.parametrize("chosen", [{"formats": ["png"]}, {"figures": ["heads"]}])
def test_nothing_to_write_is_said(dialog, qtbot, tmp_path, chosen):
    choose(dialog, **chosen)
    assert "at least one figure" in export(dialog, qtbot)
    assert not (tmp_path / "out").exists()


def test_the_impulse_responses_are_of_the_row_that_is_named(dialog, qtbot, tmp_path):
    row = dialog.findChild(QSpinBox, "exportRow")
    assert row.value() == 4  # the cursor's
    row.setValue(2)
    choose(dialog, ["impulse"], ["svg"])
    export(dialog, qtbot)
    assert "weight at t2" in (tmp_path / "out" / "impulse.svg").read_text()


def test_the_head_is_that_of_the_cursor_until_another_is_named(qtbot, bench):
    cursor = bench.view.cursor
    bench.look(cursor=type(cursor)(bench.scene.heads[2].uid, cursor.query, cursor.key))
    dialog = ExportDialog(bench.frame)
    qtbot.addWidget(dialog)
    head = dialog.findChild(QSpinBox, "exportHead")
    assert (head.value(), dialog.subject().head) == (3, 2)
    head.setValue(1)
    assert dialog.subject().head == 0


def test_enter_exports(dialog, qtbot, tmp_path):
    choose(dialog, ["entropy"], ["png"])
    dialog.findChild(QLineEdit, "exportFolder").setFocus()
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    qtbot.waitUntil((tmp_path / "out" / "entropy.png").exists, timeout=60_000)


def test_the_key_that_ends_the_typing_of_what_is_refused_exports_nothing(
    dialog, qtbot, tmp_path, type_in, settle
):
    choose(dialog, ["entropy"], ["png"])
    type_in(dialog.findChild(QSpinBox, "exportDpi"), "5")
    assert "must be a whole number from 30" in message(dialog)
    settle()
    assert "must be a whole number from 30" in message(dialog)
    assert button(dialog, "exportButton").isEnabled()
    assert not (tmp_path / "out").exists()


# --- where to


def test_a_folder_that_cannot_be_is_named(dialog, qtbot, tmp_path, gate):
    (tmp_path / "out").write_text("a file in the way")
    choose(dialog, ["entropy"], ["png"])
    assert str(tmp_path / "out") in export(dialog, qtbot)
    assert not gate.first_made.is_set()  # before anything is drawn
    assert (tmp_path / "out").read_text() == "a file in the way"
    (tmp_path / "out").unlink()
    (tmp_path / "out" / "entropy.png").mkdir(parents=True)
    assert "entropy.png cannot be written: it is a folder." in export(dialog, qtbot)
    assert not gate.first_made.is_set()


@pytest.mark.parametrize("folder", ["~nobody-of-this-name/x", "x" * 300, "/".join("a" * 3000), ""])
def test_every_folder_that_can_be_typed_gets_an_answer(
    dialog, qtbot, tmp_path, monkeypatch, gate, folder
):
    gate.go.set()
    monkeypatch.chdir(tmp_path)
    choose(dialog, ["entropy"], ["png"])
    dialog.findChild(QLineEdit, "exportFolder").setText(folder)
    assert export(dialog, qtbot)


@pytest.mark.parametrize(
    ("typed", "folder"),
    [
        ("-x", "{here}/-x"),
        (" a/b  ", "{here}/a/b"),
        ("./~nobody-of-this-name", "{here}/~nobody-of-this-name"),
        ("~/figures", "{home}/figures"),
        ("file://{here}/my%20figures", "{here}/my figures"),
        ("file://localhost{here}/y", "{here}/y"),
    ],
)
def test_a_folder_is_written_to_and_named_from_the_root(
    dialog, qtbot, tmp_path, monkeypatch, gate, typed, folder
):
    gate.go.set()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    places = {"here": tmp_path, "home": tmp_path / "home"}
    choose(dialog, ["entropy"], ["png"])
    dialog.findChild(QLineEdit, "exportFolder").setText(typed.format(**places))
    where = Path(folder.format(**places))
    assert export(dialog, qtbot) == f"1 file written to {where}"
    assert (where / "entropy.png").is_file()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("~nobody-of-this-name/x", "is in no user's home; ./~nobody-of-this-name/x is a folder"),
        ("file://elsewhere/x", "file://elsewhere/x is no folder of this machine"),
        ("http://elsewhere/x", "http://elsewhere/x is no folder of this machine"),
        ("file:", "file: is no folder of this machine"),
    ],
)
def test_what_is_no_folder_is_refused(dialog, qtbot, tmp_path, monkeypatch, typed, said):
    monkeypatch.chdir(tmp_path)
    choose(dialog, ["entropy"], ["png"])
    dialog.findChild(QLineEdit, "exportFolder").setText(typed)
    assert said in export(dialog, qtbot)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_can_be_browsed_for(dialog, qtbot, tmp_path, monkeypatch):
    folder = dialog.findChild(QLineEdit, "exportFolder")
    before = folder.text()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    qtbot.mouseClick(button(dialog, "exportBrowse"), LEFT)
    assert folder.text() == before
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    qtbot.mouseClick(button(dialog, "exportBrowse"), LEFT)
    assert folder.text() == str(tmp_path)


def test_at_first_it_is_a_folder_where_the_program_was_started(qtbot, bench, monkeypatch):
    def gone():
        raise FileNotFoundError

    for start in (Path.cwd(), Path.home()):
        dialog = ExportDialog(bench.frame)
        qtbot.addWidget(dialog)
        assert dialog.findChild(QLineEdit, "exportFolder").text() == str(start / DEFAULT_FOLDER)
        monkeypatch.setattr(Path, "cwd", gone)


@pytest.mark.parametrize("text", ["Yes", "No"])
def test_asks_before_it_replaces(dialog, qtbot, tmp_path, gate, answer, text):
    gate.go.set()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "entropy.png").write_text("old")
    (tmp_path / "out" / "entropy.py").write_text("old")
    choose(dialog, ["entropy", "heads"], ["png"], scripts=True)
    asked = answer(text)
    said = export(dialog, qtbot)
    assert (said == "Nothing is written.") is (text == "No")
    assert asked == [
        f"{tmp_path / 'out'} already has entropy.png, entropy.py.",
        "Replace what is there?",
        "No",  # Enter loses nothing
    ]
    replaced = (tmp_path / "out" / "entropy.png").read_bytes() != b"old"
    assert replaced is (text == "Yes")
    assert (tmp_path / "out" / "heads.png").exists() is replaced


def test_of_many_files_that_would_be_replaced_some_are_named(dialog, qtbot, tmp_path, answer):
    (tmp_path / "out").mkdir()
    names = ["heads", "entropy", "cost"]
    for name in names:
        for kind in figures.FORMATS:
            (tmp_path / "out" / f"{name}.{kind}").touch()
    choose(dialog, names, figures.FORMATS)
    asked = answer("No")
    export(dialog, qtbot)
    assert "heads.png" in asked[0]
    assert "and 7 more" in asked[0]


# --- how far it is


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Escape])
def test_it_is_said_how_far_it_is_and_cancelled_nothing_is_written(
    dialog, qtbot, tmp_path, gate, key
):
    choose(dialog, ["heads", "entropy", "cost"], ["png"])
    folder = dialog.findChild(QLineEdit, "exportFolder")
    folder.setFocus()
    qtbot.keyClick(folder, Qt.Key.Key_Return)
    assert gate.first_made.wait(10)
    bar = dialog.findChild(QProgressBar)
    qtbot.waitUntil(lambda: (bar.value(), bar.maximum()) == (1, 3))
    assert not button(dialog, "exportButton").isEnabled()
    assert message(dialog) == "1 of 3 files are drawn"
    assert dialog.focusWidget() is button(dialog, "exportCancel")
    qtbot.keyClick(dialog.focusWidget(), key)
    assert dialog.isVisible()
    assert message(dialog) == "Cancelled; nothing is written."
    assert folder.isEnabled()
    assert dialog.focusWidget() is folder
    assert not bar.isVisible()
    gate.go.set()
    qtbot.waitUntil(lambda: dialog._worker._job.is_over)
    assert gate.n_made == 2  # and not the third
    assert not (tmp_path / "out").exists()
    assert export(dialog, qtbot).startswith("3 files written")  # it can be begun again


def test_closed_while_it_draws_it_writes_nothing(dialog, qtbot, tmp_path, gate):
    choose(dialog, ["heads", "entropy"], ["png"])
    qtbot.mouseClick(button(dialog, "exportButton"), LEFT)
    assert gate.first_made.wait(10)
    assert not button(dialog, "exportClose").isEnabled()  # there is Cancel, which says so
    dialog.close()
    assert not dialog.isVisible()
    gate.go.set()
    qtbot.waitUntil(lambda: dialog._worker._job.is_over)
    qtbot.wait(5 * LOOK_EVERY)
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_drawn_is_said_and_the_dialog_can_be_used_again(dialog, qtbot, monkeypatch):
    def render_each(_subject, _names, _kinds):
        yield "heads.png", b"drawn"
        raise UserError("It is too large to be drawn.")

    monkeypatch.setattr(figures, "render_each", render_each)
    row = dialog.findChild(QSpinBox, "exportRow")
    row.setFocus()
    qtbot.keyClick(row, Qt.Key.Key_Return)
    qtbot.waitUntil(row.isEnabled)
    assert message(dialog) == "It is too large to be drawn."
    assert dialog.focusWidget() is row


def test_the_folder_can_be_opened_once_there_is_something_in_it(
    dialog, qtbot, tmp_path, monkeypatch, gate
):
    gate.go.set()
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    choose(dialog, ["heads"], ["png"])
    assert not button(dialog, "exportOpen").isVisible()
    export(dialog, qtbot)
    qtbot.mouseClick(button(dialog, "exportOpen"), LEFT)
    assert opened == [QUrl.fromLocalFile(str(tmp_path / "out"))]
    dialog.findChild(QCheckBox, "format_svg").click()
    assert not button(dialog, "exportOpen").isVisible()


def test_what_is_said_can_be_selected(dialog):
    message = dialog.findChild(QLabel, "exportMessage")
    assert message.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    assert message.focusPolicy() & Qt.FocusPolicy.ClickFocus  # then Ctrl+A and Ctrl+C
