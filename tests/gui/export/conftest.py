"""The export dialog as it opens, and what a user does to it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from mhagui.document import load_lesson
from mhagui.gui.bench import Bench
from mhagui.gui.export.dialog import ExportDialog
from mhagui.settings import ExportChoices, Preferences


@pytest.fixture
def preferences() -> Preferences:
    """What is remembered while the program runs."""
    return Preferences(None, print)


@pytest.fixture
def open_dialog(qtbot: QtBot, preferences: Preferences) -> Iterator[Callable[..., ExportDialog]]:
    """A function that opens the dialog for a lesson, of choices that were made before."""
    benches = []

    def open_dialog(
        lesson: str = "two-heads",
        choices: ExportChoices | None = None,
        size: tuple[int, int] = (1240, 760),
        look: dict[str, Any] | None = None,
        figure: str | None = None,
    ) -> ExportDialog:
        bench = Bench(load_lesson(lesson))
        benches.append(bench)
        bench.look(**(look or {}))
        if choices is not None:
            preferences.change(export=choices)
        dialog = ExportDialog(bench.frame, preferences, figure)
        qtbot.addWidget(dialog)
        dialog.resize(*size)
        with qtbot.waitActive(dialog):
            dialog.show()
            dialog.activateWindow()
        return dialog

    yield open_dialog
    for bench in benches:
        bench.stop()
        bench.deleteLater()


@pytest.fixture
def shown(qtbot: QtBot) -> Callable[[ExportDialog], QImage]:
    """A function that waits until the preview has what is chosen, and gives its picture."""

    def shown(dialog: ExportDialog) -> QImage:
        preview = dialog.findChild(QWidget, "exportPreview")

        def is_settled() -> bool:
            return not (preview._soon.isActive() or preview._worker._timer.isActive())

        qtbot.waitUntil(is_settled, timeout=20_000)
        return dialog.findChild(QLabel, "previewPicture").pixmap().toImage()

    return shown


@pytest.fixture
def item() -> Callable[[ExportDialog, str], QListWidgetItem]:
    """A function that gives the entry of a figure in the list."""

    def item(dialog: ExportDialog, name: str) -> QListWidgetItem:
        titles = dialog.findChild(QListWidget, "exportFigures")
        items = [titles.item(row) for row in range(titles.count())]
        return next(i for i in items if i.data(Qt.ItemDataRole.UserRole) == name)

    return item
