"""The ablation lab, what it is told of a capture session, and how what it shows is read."""

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, Signal

from mhagui.document import compute
from mhagui.document.edits import set_muted
from mhagui.gui.docks.ablation_lab import AblationLabDock


class Captures(QObject):
    """What the dock is told of a capture session."""

    changed = Signal(object)
    shown = Signal(int)

    def __init__(self):
        super().__init__()
        self.opened = self.layer = None


@pytest.fixture
def captures(qapp):
    return Captures()


@pytest.fixture
def dock(open_dock, captures):
    return open_dock(lambda bench: AblationLabDock(bench, captures), 620, 560)


def _click_head(qtbot, dock, row):
    picker = dock.controls.picker
    place = picker.visualItemRect(picker.item(row)).center()
    qtbot.mouseClick(picker.viewport(), Qt.MouseButton.LeftButton, pos=place)


@pytest.fixture
def click_head():
    return _click_head


def _cells(table):
    model = table.model()
    return np.array(
        [
            [model.index(row, n).data(Qt.ItemDataRole.EditRole) for n in range(model.columnCount())]
            for row in range(model.rowCount())
        ]
    )  # fmt: skip


@pytest.fixture
def cells():
    return _cells


def _show_page(qtbot, dock, page):
    (button,) = (button for button, shown in dock.pages.items() if shown is page)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert [shown for shown in dock.pages.values() if shown.isVisible()] == [page]


@pytest.fixture
def show_page():
    return _show_page


def _norms_without(scene, *places):
    """Give how far O moves at each position where heads are muted on the bench instead."""
    muted = scene
    for place in places:
        muted = set_muted(scene.heads[place].uid, True).apply(muted)
    return np.linalg.norm(compute(muted).output - compute(scene).output, axis=1)


@pytest.fixture
def norms_without():
    return _norms_without
