"""The atlas of a capture that is made up, and how what it shows is read."""

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, Signal

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.gui.docks.atlas import AtlasDock

T = 12
TOKENS = ("the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "saw", "the", "dog")


def _designed(*makers):
    return [core.attention_weights(*make(T, key_magnitude=12.0)) for make in makers]


@pytest.fixture
def designed():
    return _designed


def _blended():
    """Return a head that does a little of everything, and is called nothing."""
    rows = _designed(core.first_token_head, core.previous_token_head, core.self_head)
    return sum(rows) / 3


@pytest.fixture
def blended():
    return _blended


def _two_layers():
    first = _designed(core.first_token_head, core.previous_token_head, core.uniform_head)
    second = [*_designed(core.self_head), _blended()]
    causal = core.causal_mask(T)
    layers = (
        CapturedLayer(3, given=np.stack(first), allowed=causal),
        CapturedLayer(7, given=np.stack(second), allowed=causal),
    )
    return Capture("made up", layers, TOKENS, TOKENS)


@pytest.fixture
def two_layers():
    return _two_layers


class Captures(QObject):
    """What the window's own session of captures offers to docks."""

    changed = Signal(object)

    def __init__(self, capture=None):
        super().__init__()
        self.capture, self.layer, self.asked = capture, None, []

    def show(self, layer, head):
        self.asked.append((layer, head))

    def open(self, capture):
        self.capture = capture
        self.changed.emit(capture)


@pytest.fixture
def wait(qtbot, settle):
    """A function that waits until a dock has scored what it is to show."""

    def wait(dock):
        qtbot.waitUntil(lambda: dock.map.heads is not None and not dock._scoring.is_at_work)
        settle()

    return wait


@pytest.fixture
def captures(qapp, nothing_left):
    captures = Captures(_two_layers())
    yield captures
    captures.deleteLater()


@pytest.fixture
def dock(captures, open_dock, wait):
    dock = open_dock(lambda bench: AtlasDock(bench, captures), 640, 620)
    wait(dock)
    return dock


def _rows_of(table):
    """Return the table as it can be seen: the row labels, and the texts of each row."""
    model = table.model()
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    names = [model.headerData(row, down).strip() for row in range(model.rowCount())]
    titles = [model.headerData(n, across).replace("\n", " ") for n in range(model.columnCount())]
    texts = [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]
    return names, titles, texts


@pytest.fixture
def rows_of():
    return _rows_of


def _centre(dock, place):
    cells = dock.map.map
    return cells.cell_rect(*cells._shown.cells[place]).center().toPoint()


@pytest.fixture
def centre():
    return _centre


def _marked(dock):
    """Return which head map, table and scatter plot mark as the current one."""
    front = dock.views.tabs.currentWidget()
    dock.views.tabs.setCurrentWidget(dock.scatter)
    points = dock.scatter.plot._current
    dock.views.tabs.setCurrentWidget(dock.table)
    rows = dock.table.table.current
    dock.views.tabs.setCurrentWidget(front)
    return dock.map.map._current, rows, points


@pytest.fixture
def marked():
    return _marked
