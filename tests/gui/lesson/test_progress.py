"""The lesson dock: progress that is kept, and the report."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QMessageBox

from mhagui.document.edits import set_key_magnitude
from mhagui.document.presets import Preset, SetPreset
from mhagui.document.progress import Progress
from mhagui.gui.docks import lesson
from mhagui.gui.progress_store import ProgressStore

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def store(tmp_path):
    return ProgressStore(tmp_path / "kept" / "progress.json")


def test_progress_outlives_the_window(make, store, bench, settle, qtbot, met):
    dock = make(store)
    dock.session.choose(6)
    dock.session.start()
    settle()
    bench.edit(set_key_magnitude(1, 6.0))
    settle()
    qtbot.waitUntil(store.path.exists)
    again = make(ProgressStore(store.path))
    assert again.page.exercise.number == 6
    assert met(again) == [True, False, False]
    bench.edit(set_key_magnitude(1, 9.0))  # nothing is looked at before it goes on
    settle()
    assert met(again) == [True, False, False]
    dock.session.save_now()


def test_the_last_moment_is_kept_when_the_program_ends(make, store, qapp):
    dock = make(store)
    dock.session.start()
    assert not store.path.exists()
    qapp.aboutToQuit.emit()
    assert store.load().active == 1


def test_a_file_that_cannot_be_read_is_said_once_and_begins_anew(
    make, store, failed, settle, bench
):
    store.path.parent.mkdir()
    store.path.write_bytes(b"garbage")
    dock = make(store)
    settle()
    bench.look(stage=1)
    settle()
    assert len(failed) == 1
    assert "begins anew" in failed[0]
    assert dock.session.progress == Progress()


@pytest.mark.parametrize(
    ("when", "sentence"),
    [("before", "cannot be read, and is not kept:"), ("after", "Progress is not kept:")],
)
def test_a_disk_that_fails_is_said_once_and_disturbs_nothing(
    make, store, failed, settle, bench, when, sentence, met
):
    if when == "before":
        store.path.parent.write_bytes(b"")  # where the folder should be
    dock = make(store)
    if when == "after":
        store.path.parent.write_bytes(b"")
    dock.session.choose(6)
    dock.session.start()
    dock.session.save_now()
    settle()
    bench.edit(set_key_magnitude(1, 6.0))
    settle()
    dock.session.save_now()
    assert len(failed) == 1
    assert sentence in failed[0]
    assert met(dock) == [True, False, False]


def answer_box(qtbot, name):
    """Press the button ``name`` in the box that opens."""

    def press():
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):  # not open yet
            QTimer.singleShot(0, press)
            return
        button = next(b for b in box.findChildren(QAbstractButton) if name in b.text())
        qtbot.mouseClick(button, LEFT)

    QTimer.singleShot(0, press)


@pytest.mark.parametrize(
    ("button", "left"),
    [("Exercise 6", {"1.swap"}), ("All", set()), ("Cancel", {"1.swap", "6.six"})],
)
def test_start_over_forgets_one_or_all_or_nothing(
    dock, click, choose, do, qtbot, button, left, met
):
    click("lessonStart")
    do(SetPreset(Preset.SWAP))
    choose(6)
    click("lessonStart")
    do(set_key_magnitude(1, 6.0))
    answer_box(qtbot, button)
    click("lessonStartOver")
    assert set(dock.session.progress.readings) == left
    assert met(dock)[0] is ("6.six" in left)


# --- the report


def test_the_report_is_written_where_one_says(dock, click, do, monkeypatch, tmp_path):
    click("lessonStart")
    do(SetPreset(Preset.SWAP))
    path = tmp_path / "handed in.md"

    def choose(dialog):
        assert Path(dialog.selectedFiles()[0]).name == "exercises.pdf"
        dialog.filterSelected.emit(dialog.nameFilters()[1])
        assert Path(dialog.selectedFiles()[0]).name == "exercises.md"
        dialog.selectFile(str(path))
        return True

    monkeypatch.setattr(QFileDialog, "exec", choose)
    sentences = []
    dock.said.connect(sentences.append)
    click("lessonExport")
    assert sentences == [f"Report written to {path}"]
    assert "- [x] W_O swaps the head blocks, and no channel hears two heads: d1: h2; d2: h2" in (
        path.read_text()
    )


def test_the_pointer_tells_that_a_report_is_being_written(dock, monkeypatch, tmp_path):
    shapes = []

    def write(_progress, _path):
        shapes.append(QGuiApplication.overrideCursor().shape())

    monkeypatch.setattr(lesson, "write_report", write)
    dock.export_report(tmp_path / "report.pdf")
    assert shapes == [Qt.CursorShape.WaitCursor]
    assert QGuiApplication.overrideCursor() is None


def test_a_report_that_cannot_be_written_is_said(dock, failed, tmp_path):
    dock.export_report(tmp_path / "no" / "report.md")
    assert len(failed) == 1
    assert "does not exist" in failed[0]
