"""Many heads of a real model's size: what is drawn of them, to the digit, and what it takes."""

import json
import subprocess
import sys

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QLabel

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import scene_of
from mhagui.document.edits import OpenScene
from mhagui.document.on_demand import OnDemand
from mhagui.document.view_state import FEWEST_SHOWN
from mhagui.gui.widgets.matrix_card import MatrixCard
from mhagui.gui.widgets.matrix_grid import CardGrid
from mhagui.gui.widgets.matrix_picture import HATCHED, shown_indices

pytestmark = pytest.mark.thorough

N_HEADS, T, WIDTH = 32, 2048, 8
CONTROL = Qt.KeyboardModifier.ControlModifier
MOST_MEGABYTES = 400

# The child says what it shows, and the most memory that it ever had, as Linux counts it: getrusage
# would begin with what the process had that started it.
OPEN = """
import json, pathlib, sys, time
import numpy as np
import mhagui
from PySide6.QtWidgets import QApplication
from mhagui.gui.main_window import MainWindow
from mhagui.gui.widgets.matrix_card import MatrixCard

weights = np.load(sys.argv[1], mmap_mode="r")
view = mhagui.view(weights, axes="layer,head,query,key", block=False)
view.show(11, 7)
(window,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
until = time.monotonic() + 60
cards = []
while time.monotonic() < until:
    QApplication.processEvents()
    cards = window.docks.heatmaps.findChildren(MatrixCard)
    if len(cards) == 12 and all(card.view.picture is not None for card in cards):
        break
window.grab()
values = [float(card.view.picture.value(200, 100)) for card in cards]
cursor = window.bench.scene.index_of(window.bench.view.cursor.head)
status = pathlib.Path("/proc/self/status").read_text()
peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
print(json.dumps({"title": view.scene.title, "values": values, "head": cursor, "peak": peak}))
view.close()
"""


@pytest.fixture
def layer():
    rng = np.random.default_rng(5)
    q, k = rng.normal(size=(2, N_HEADS, T, WIDTH))
    return CapturedLayer(0, q=q, k=k, allowed=np.tri(T, dtype=bool))


@pytest.fixture
def direct(layer):
    """A function that gives one row of a head's weights by their definition in float64."""

    def direct(head, t):
        scores = layer.k[head, : t + 1] @ layer.q[head, t] / np.sqrt(WIDTH)
        powers = np.exp(scores - scores.max())
        return powers / powers.sum()

    return direct


@pytest.fixture
def made(monkeypatch):
    """How many cells each block of weights had that was made since."""
    cells, make = [], core.weights_block

    def counted(*args, **options):
        block = make(*args, **options)
        cells.append(block.size)
        return block

    monkeypatch.setattr(core, "weights_block", counted)
    return cells


def in_sight(grid, card):
    place = QRect(card.mapTo(grid.viewport(), card.rect().topLeft()), card.size())
    return grid.viewport().rect().contains(place.center())


def test_32_heads_of_2048_scroll_and_zoom_to_exact_cells(
    open_window, qtbot, wheel, layer, direct, made
):
    window = open_window(size=(1024, 700))
    bench = window.bench
    bench.edit(OpenScene(scene_of(Capture("large", (layer,)), 0)))
    qtbot.waitUntil(lambda: bench.frame.scene is bench.scene, timeout=120_000)
    assert all(isinstance(head.weights, OnDemand) for head in bench.frame.result.heads)
    dock = window.docks.heatmaps
    grid, cards = dock.findChild(CardGrid), dock.findChildren(MatrixCard)
    qtbot.waitUntil(lambda: not dock.is_behind, timeout=60_000)
    assert len(cards) == N_HEADS

    # All of a matrix is drawn from what is kept of it, and what is out of sight by a wheel.
    assert not in_sight(grid, cards[-1])
    for _ in range(40):
        wheel(grid.viewport(), -120)
    assert in_sight(grid, cards[-1])
    assert sum(made) < N_HEADS * T  # less than a row of each

    # Ctrl and the wheel show ever fewer cells, those around the pointer, of all heads the same.
    view = cards[-1].view
    made.clear()
    for _ in range(60):
        wheel(view, 120, view.rect().center(), CONTROL)
    qtbot.waitUntil(lambda: bench.frame.view.window == bench.view.window)
    qtbot.waitUntil(lambda: not dock.is_behind, timeout=60_000)
    part = view.laid_out.part
    assert (len(part.rows), len(part.columns)) == (FEWEST_SHOWN, FEWEST_SHOWN)
    assert all(card.view.laid_out.part == part for card in cards)

    # What is drawn is what is in sight: no more than that many cells of each head, a few times.
    for card in cards:
        card.view.grab()
    assert 0 < sum(made) <= 8 * N_HEADS * FEWEST_SHOWN**2

    for place in (N_HEADS - 1, N_HEADS - 4):
        shown = cards[place].view
        for t in (part.rows[0], part.rows[-1]):
            row = direct(place, t)
            for i in (part.columns[0], part.columns[-1]):
                if i <= t:
                    assert shown.picture.value(t, i) == pytest.approx(row[i], rel=1e-12)
        assert_colours(shown, part, direct, place)


def assert_colours(view, part, direct, place):
    """Each cell in sight has the colour of its weight, or is hatched where it is masked."""
    indices = shown_indices(view.picture, part)
    assert indices.shape == (len(part.rows), len(part.columns))
    for row, t in enumerate(part.rows):
        weights = direct(place, t)
        for column, i in enumerate(part.columns):
            if i > t:
                assert indices[row, column] == HATCHED
            else:
                assert abs(indices[row, column] - 254 * weights[i]) <= 0.5 + 1e-6


def test_a_click_reads_out_the_weight_to_its_digits(
    open_window, qtbot, settle, wheel, layer, direct
):
    window = open_window(size=(1440, 900))
    bench = window.bench
    bench.edit(OpenScene(scene_of(Capture("large", (layer,)), 0)))
    qtbot.waitUntil(lambda: bench.frame.scene is bench.scene, timeout=120_000)
    bench.point(head=bench.scene.heads[3].uid, query=T - 2, key=T - 5)
    for _ in range(60):
        bench.look(window=bench.view.zoomed(1.2, bench.scene).fitted(T, T))
    settle()
    view = window.docks.heatmaps.findChildren(MatrixCard)[3].view
    t, i = T - 3, T - 6
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.cell_rect(t, i).center())
    settle()
    assert (bench.view.cursor.query, bench.view.cursor.key) == (t, i)
    told = window.findChild(QLabel, "cursorReadout").text()
    value = float(told.split("weight ")[1].split(" ")[0])
    assert value == pytest.approx(direct(3, t)[i], rel=5e-3)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_144_maps_of_256_open_in_little_memory(tmp_path):
    rng = np.random.default_rng(1)
    weights = rng.random((12, 12, 256, 256), dtype=np.float32) * np.tri(256, dtype=np.float32)
    weights /= weights.sum(axis=-1, keepdims=True)
    np.save(tmp_path / "heads.npy", weights)
    told = subprocess.run(
        [sys.executable, "-c", OPEN, str(tmp_path / "heads.npy")],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found = json.loads(told.stdout.splitlines()[-1])
    assert found["head"] == 7
    assert found["values"] == pytest.approx(weights[11, :, 200, 100].tolist(), rel=1e-6)
    assert found["peak"] < MOST_MEGABYTES
