"""How long the figure of four heads takes, beside the plainest matplotlib script of the same.

Both make a PNG of the same four matrices, with the value in each cell, at the same size and dpi, in
turn in one process; then both as programs of their own, from the start to the file. What is
compared is the ratio of the medians: ``make bench`` prints it.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from plain_figure import plain

from mhagui import figures
from mhagui.document import compute, load_lesson

TURNS, STARTS = 20, 5
BAR = 1.5


def seconds(run: Callable[[], object]) -> float:
    """Return how long ``run`` takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def told(what: str, ours: list[float], theirs: list[float]) -> float:
    """Print both medians with their spread, and return the ratio."""
    ratio = statistics.median(ours) / statistics.median(theirs)
    both = [
        f"{statistics.median(t) * 1000:.0f} ms ({min(t) * 1000:.0f} to {max(t) * 1000:.0f})"
        for t in (ours, theirs)
    ]
    print(f"{what}: mhagui {both[0]}, plain matplotlib {both[1]}, ratio {ratio:.2f}")
    return ratio


def in_one_process(folder: Path, weights: np.ndarray) -> float:
    """Draw in turn, each several times, after one time that does not count."""
    scene = load_lesson("four-heads")
    subject = figures.Subject(scene, compute(scene))

    def ours() -> None:
        (folder / "ours.png").write_bytes(figures.render("heads", subject, "png"))

    def theirs() -> None:
        plain(weights, str(folder / "plain.png"))

    ours()
    theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(TURNS)]
    return told("drawn and written", *map(list, zip(*pairs, strict=True)))


def as_programs(folder: Path, weights: np.ndarray) -> float:
    """Start both as programs, in turn."""
    np.save(folder / "weights.npy", weights)
    script = str(Path(__file__).with_name("plain_figure.py"))
    theirs = [sys.executable, script, str(folder / "weights.npy"), str(folder / "plain.png")]
    export = ["export", "four-heads", "--figure", "heads", "--out"]
    ours = [sys.executable, "-m", "mhagui", *export, str(folder)]

    def run(command: list[str]) -> float:
        return seconds(lambda: subprocess.run(command, check=True, capture_output=True))

    pairs = [(run(ours), run(theirs)) for _ in range(STARTS)]
    return told("as programs", *map(list, zip(*pairs, strict=True)))


def main() -> int:
    """Print the ratios; 1 where the first is above the bar."""
    scene = load_lesson("four-heads")
    weights = np.array([head.weights for head in compute(scene).heads])
    with tempfile.TemporaryDirectory() as name:
        ratio = in_one_process(Path(name), weights)
        as_programs(Path(name), weights)
    return int(ratio > BAR)


if __name__ == "__main__":
    sys.exit(main())
