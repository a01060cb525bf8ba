"""How long one tick of a gain slider takes to the painted frame, beside a whole redraw."""

import os
import time
from functools import partial
from typing import Any, NamedTuple

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from measuring import Row, Section, profile
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication, QSlider

from mhagui.document import Result, Scene, compute
from mhagui.document.edits import set_gain
from mhagui.document.new_scene import new_scene
from mhagui.gui.bench import Frame
from mhagui.gui.main_window import MainWindow

HEADS = 16
WIDTH = 256  # of the model
HEAD_WIDTH = 16  # so that 16 heads fill it
TICKS = 45
GOALS = {512: 20.0, 2048: 50.0}
FRAME = 1 / 60  # seconds
FRAME_AT = 2048  # positions
DOCK_SIZE = (520, 420)
EVERY = 3  # ticks the peer draws one, which takes it many times as long

TEXT = f"""One move of the gain slider on a head's card, to the frame that is painted, in the
real window without a screen: {HEADS} heads, every dock open. The other side computes the whole
scene anew and draws the heatmaps, entropies, singular values, impulse responses and the output
with matplotlib (Agg). A tick at T = {FRAME_AT:,} stands beside a frame of a 60 Hz screen as
well."""


class Times(NamedTuple):
    """Seconds of each tick: from the slider's move to the painted frame, and of the peer's."""

    ours: list[float]
    theirs: list[float]


def make_scene(n_heads: int, n_positions: int) -> Scene:
    """Return a scene with the designed patterns in turn."""
    return new_scene(n_positions, n_heads, d_k=8, d_v=HEAD_WIDTH, d_model=WIDTH)


class OpenWindow:
    """The real window with all docks in sight, and the slider of one head."""

    def __init__(self, scene: Scene) -> None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        self.app = QApplication.instance() or QApplication([])
        self.window = MainWindow(scene)
        self.window.show()
        self.settle()
        for dock in self.window.docks.all:
            dock.setFloating(True)
            dock.resize(*DOCK_SIZE)
            dock.show()
        self.settle()
        found = self.window.docks.heads.findChild(QSlider, "gainSlider2")
        assert found is not None
        self.slider = found
        self._is_shown = False
        self.window.bench.shown.connect(self._on_shown)

    def _on_shown(self, frame: Frame) -> None:
        self._is_shown = frame.scene is self.window.bench.scene

    def settle(self) -> None:
        """Have everything done that waits: docks are made, and drawn ahead, one a turn."""
        for _ in range(3 * len(self.window.docks.all)):
            self.app.processEvents()
        while self.window.bench.frame.is_behind or self.window.docks.heatmaps.is_behind:
            self.app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)

    def tick(self, value: int) -> float:
        """Move the slider to ``value`` hundredths; return the seconds until all is painted."""
        self._is_shown = False
        start = time.perf_counter()
        self.slider.setValue(value)
        while not self._is_shown:
            self.app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        self.app.processEvents()  # what the frame asked to be painted
        while self.window.docks.heatmaps.is_behind:  # cells that a thread makes
            self.app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        return time.perf_counter() - start

    def close(self) -> None:
        """Close the window unasked."""
        self.window.bench.stop()
        for part in (*self.window.docks.all, self.window):
            part.hide()
        self.window.deleteLater()
        self.app.processEvents()


class Redraw:
    """The plain way: compute all, draw all."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._uid = scene, scene.heads[1].uid
        self._canvas = FigureCanvasAgg(Figure(figsize=(16, 10), dpi=100))

    def tick(self, value: int) -> float:
        """Set the gain to ``value`` hundredths; return the seconds until all is drawn."""
        start = time.perf_counter()
        self._scene = set_gain(self._uid, value / 100).apply(self._scene)
        self._draw(compute(self._scene))
        return time.perf_counter() - start

    def _draw(self, result: Result) -> None:
        figure = self._canvas.figure
        figure.clear()
        halves: Any = figure.subfigures(2, 1, height_ratios=[3, 2])
        above, below = halves
        maps = above.subplots(2, -(-len(result.heads) // 2), squeeze=False).flat
        for axes, head in zip(maps, result.heads, strict=False):
            axes.imshow(head.weights, vmin=0.0, vmax=1.0)
        entropies, values, impulses, output = below.subplots(1, 4)
        row = len(result.output) // 2
        for head in result.heads:
            entropies.plot(head.row_entropy_bits)
            values.plot(head.score_singular_values)
            impulses.stem(head.weights[row, : row + 1])
        output.imshow(result.output, aspect="auto")
        self._canvas.draw()  # type: ignore[no-untyped-call]


def values_of_drag(n_ticks: int) -> list[int]:
    """Return where the slider is at each tick, in hundredths: up from 1.01."""
    return [101 + tick % 250 for tick in range(n_ticks)]


def measure(n_heads: int, n_positions: int, n_ticks: int) -> Times:
    """Return the seconds of ``n_ticks`` ticks, and of the peer after every third of them."""
    scene = make_scene(n_heads, n_positions)
    ours, theirs = OpenWindow(scene), Redraw(scene)
    ours.tick(99)  # so that all is imported and laid out
    theirs.tick(99)
    times = Times([], [])
    for turn, value in enumerate(values_of_drag(n_ticks)):
        times.ours.append(ours.tick(value))
        if turn % EVERY == 0:
            times.theirs.append(theirs.tick(value))
    ours.close()
    return times


def section() -> Section:
    """Move the gain at each T."""
    made = Section("c. Gain tick to painted frame", TEXT, "peer", at_least=True)
    for n_positions, goal in GOALS.items():
        ours, theirs = measure(HEADS, n_positions, TICKS)
        what = f"T = {n_positions:,}"
        # The other side is so slow that it has a turn at some ticks only, which make the pairs.
        rows = [Row(f"{what}: all computed and drawn anew", ours[::EVERY], theirs, goal=goal)]
        if n_positions == FRAME_AT:
            rows.append(Row(f"{what}: a frame of 60 Hz", ours, [FRAME] * len(ours), goal=1.0))
        for row in rows:
            made.add(row, f"Ticks at {what}", partial(_profile_of_ticks, n_positions))
    return made


def _profile_of_ticks(n_positions: int) -> str:
    window = OpenWindow(make_scene(HEADS, n_positions))
    told = profile(lambda: [window.tick(value) for value in values_of_drag(TICKS)])
    window.close()
    return told
