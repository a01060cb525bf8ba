"""The dialog of films, with or without a picture, and the files that are chosen in it."""

from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QFileDialog

from mhagui.gui.motion_dialog import MotionDialog
from mhagui.gui.motion_preview import MotionPreview


@pytest.fixture
def unseen(monkeypatch):
    """Have no frame drawn for the preview."""
    monkeypatch.setattr(MotionPreview, "show_film", lambda *_: None)


@pytest.fixture
def open_dialog(bench, qtbot, settle):
    def open_dialog(*given):
        dialog = MotionDialog(bench.frame, *given)
        qtbot.addWidget(dialog)
        with qtbot.waitActive(dialog):
            dialog.show()
            dialog.activateWindow()
        settle()
        return dialog

    return open_dialog


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    """The file that is chosen, and the dialogs in which it was."""

    chosen = SimpleNamespace(path=tmp_path / "film.gif", dialogs=[], accepts=True)

    def choose(dialog):
        offered = dialog.selectedFiles()[0], dialog.defaultSuffix(), dialog.acceptMode()
        chosen.dialogs.append(offered)
        assert not dialog.testOption(QFileDialog.Option.DontConfirmOverwrite)
        dialog.selectFile(str(chosen.path))
        return int(chosen.accepts)

    monkeypatch.setattr(QFileDialog, "exec", choose)
    return chosen
