"""The two benchmarks of the real window: a gain tick, and the start."""

from functools import partial

from measuring import Row, Section, profile

HEADS = 16
TICKS = 45
GOALS = {512: 20.0, 2048: 50.0}
FRAME = 1 / 60  # seconds
FRAME_AT = 2048  # positions
START_GOAL = 1.3

TICK_TEXT = f"""One move of the gain slider on a head's card, to the frame that is painted, in the
real window without a screen: {HEADS} heads, every dock open. The other side computes the whole
scene anew and draws the heatmaps, entropies, singular values, impulse responses and the output
with matplotlib (Agg). A tick at T = {FRAME_AT:,} stands beside a frame of a 60 Hz screen as
well."""

START_TEXT = """From the start of the process to the first paint of its window, no screen, the files
in the system's cache; beside a QMainWindow with one pyqtgraph PlotWidget and one curve. Both are
processes of their own."""


def gain_tick(ticks: int = TICKS) -> Section:
    """Move the gain at each T."""
    from gain_tick import EVERY, measure

    made = Section("c. Gain tick to painted frame", TICK_TEXT, "peer", at_least=True)
    for n_positions, goal in GOALS.items():
        ours, theirs = measure(HEADS, n_positions, ticks)
        what = f"T = {n_positions:,}"
        # The other side is so slow that it has a turn at some ticks only, which make the pairs.
        rows = [Row(f"{what}: all computed and drawn anew", ours[::EVERY], theirs, goal=goal)]
        if n_positions == FRAME_AT:
            rows.append(Row(f"{what}: a frame of 60 Hz", ours, [FRAME] * len(ours), goal=1.0))
        for row in rows:
            made.add(row, f"Ticks at {what}", partial(_profile_of_ticks, n_positions))
    return made


def _profile_of_ticks(n_positions: int) -> str:
    from gain_tick import OpenWindow, make_scene, values_of_drag

    window = OpenWindow(make_scene(HEADS, n_positions))
    told = profile(lambda: [window.tick(value) for value in values_of_drag(TICKS)])
    window.close()
    return told


def cold_start() -> Section:
    """Start both in turn."""
    from cold_start import measure

    made = Section("e. Cold start to first paint", START_TEXT, "bare window", at_least=False)
    ours, bare = zip(*measure(), strict=True)
    row = Row("start to first paint", ours, bare, goal=START_GOAL)
    made.add(row, "Imports, and the window made and painted", partial(profile, _start))
    return made


def _start() -> None:
    from PySide6.QtWidgets import QApplication

    from mhagui.document import load_lesson
    from mhagui.gui.main_window import MainWindow

    app = QApplication([])
    window = MainWindow(load_lesson("four-heads"), is_start=True)
    window.show()
    app.processEvents()
    window.bench.stop()
