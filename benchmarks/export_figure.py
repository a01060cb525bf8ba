"""How long the figure of four heads takes, beside the plainest matplotlib script of the same.

Both make a PNG of the same four matrices, with the value in each cell, at the same size and dpi, in
turn in one process; then both as programs of their own, from the start to the file.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from measuring import Row, Section, in_turn, profile
from plain_figure import plain

from mhagui import figures
from mhagui.document import compute, load_lesson

TURNS, STARTS = 20, 7
BAR = 1.5

TEXT = """The figure of four heads, PNG at 300 dpi. The plain script (`benchmarks/plain_figure.py`)
draws the same four matrices with `imshow`, a text in each cell and one colour bar. It has no
hatches, measures no words, and its file tells nothing of where it comes from."""


def section() -> Section:
    """Draw in turn, then start both as programs in turn."""
    made = Section("g. Drawing a figure", TEXT, "plain matplotlib", at_least=False)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = drawings(Path(folder))
        row = Row("drawn and written", *in_turn(TURNS, ours, theirs), bar=BAR)
        made.add(row, row.what, partial(profile, ours))
        made.rows.append(Row("as programs", *in_turn(STARTS, *_programs(Path(folder)))))
    return made


def drawings(folder: Path) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return what draws ours.png and plain.png into the folder, where weights.npy is then."""
    scene = load_lesson("four-heads")
    subject = figures.Subject(scene, compute(scene))
    weights = np.array([head.weights for head in subject.result.heads])
    np.save(folder / "weights.npy", weights)

    def ours() -> None:
        (folder / "ours.png").write_bytes(figures.render("heads", subject, "png"))

    return ours, partial(plain, weights, str(folder / "plain.png"))


def _programs(folder: Path) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return what starts ours and the plain script, to draw the same."""
    script = str(Path(__file__).with_name("plain_figure.py"))
    theirs = [sys.executable, script, str(folder / "weights.npy"), str(folder / "plain.png")]
    export = ["export", "four-heads", "--figure", "heads", "--out"]
    ours = [sys.executable, "-m", "mhagui", *export, str(folder)]
    run = partial(subprocess.run, check=True, capture_output=True)
    return partial(run, ours), partial(run, theirs)
