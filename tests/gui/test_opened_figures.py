"""Figures that hold their scene, opened in a real window."""

from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QLabel

from mhagui.document import compute, load_lesson, read_scene
from mhagui.document.edits import set_gain
from mhagui.figures import FigureStyle, Subject, render
from mhagui.gui.file_session import OPENED_FILES

SCENE = set_gain(1, 1.5).apply(load_lesson("two-heads"))


@pytest.fixture
def figure(tmp_path):
    subject = Subject(SCENE, compute(SCENE), FigureStyle(dpi=50))
    path = tmp_path / "entropy.svg"
    path.write_bytes(render("entropy", subject, "svg"))
    return path


def test_a_figure_is_opened_as_its_scene_and_never_written_over(
    window, figure, tmp_path, monkeypatch
):
    before, offered = figure.read_bytes(), []
    assert window.files.open(figure)
    assert window.bench.scene == SCENE
    assert window.windowTitle() == "two heads[*] — mhagui"
    said = window.statusBar().currentMessage()
    assert said == "The scene of entropy.svg is on the bench"
    assert not window.isWindowModified()

    def choose(dialog: QFileDialog) -> bool:
        offered.append(Path(dialog.selectedFiles()[0]))
        return True

    monkeypatch.setattr(QFileDialog, "exec", choose)
    window.bench.edit(set_gain(1, 3.0))
    window.findChild(QAction, "save").trigger()
    assert offered == [tmp_path / "two heads.mhascene"]  # beside the figure
    assert read_scene(offered[0]) == window.bench.scene
    assert figure.read_bytes() == before


def test_revert_goes_back_to_the_scene_in_the_figure(window, figure):
    window.files.open(figure)
    window.bench.edit(set_gain(1, 3.0))
    window.findChild(QAction, "revert").trigger()
    assert window.bench.scene == SCENE
    assert not window.isWindowModified()


def test_a_picture_that_is_no_figure_changes_nothing(window, tmp_path):
    path, before = tmp_path / "cat.svg", window.bench.scene
    path.write_text("<svg><title>a cat</title></svg>")
    assert not window.files.open(path)
    assert "cat.svg is not a scene" in window.findChild(QLabel, "notice").text()
    assert window.bench.scene is before


def test_the_dialog_shows_scenes_and_figures_at_once(window, figure, qtbot):
    dialog = QFileDialog(window, "", str(figure.parent), OPENED_FILES)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    kinds = [kind.partition(" (")[0] for kind in dialog.nameFilters()]
    assert kinds == [
        "All that can be opened",
        "Scenes",
        "Figures exported by mhagui",
        "Tensors",
        "Models",
        "All files",
    ]
    patterns = dialog.selectedNameFilter()
    for ending in ("mhascene", "json", "png", "svg", "pdf", "eps", "tiff", "tif", "gif"):
        assert f"*.{ending}" in patterns
    dialog.deleteLater()
