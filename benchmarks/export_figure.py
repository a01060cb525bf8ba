"""How long the figure of four heads takes, beside the plainest matplotlib script of the same.

Both make a PNG of the same four matrices, with the value in each cell, at the same size and dpi, in
turn in one process; then both as programs of their own, from the start to the file. What counts is
the ratio of the medians. ``make bench`` prints it, and writes it to benchmarks/RESULTS.md.
"""

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np
from plain_figure import plain

from mhagui import __version__, figures
from mhagui.document import compute, load_lesson

TURNS, STARTS = 20, 7
BAR = 1.5
RESULTS = Path(__file__).with_name("RESULTS.md")
HEADER = """| the figure of four heads, PNG at 300 dpi | mhagui | plain matplotlib | ratio |
| --- | ---: | ---: | ---: |"""
PAGE = """# Results

Written by `make bench`. Medians, with the shortest and the longest time; both sides in turn in one
run. Times are those of one machine: what counts is the ratio.

{table}

The plain script (`benchmarks/plain_figure.py`) draws the same four matrices with `imshow`, a text
in each cell and one colour bar. It has no hatches, measures no words, and its file tells nothing
of where it comes from. The bar is a ratio of 1.5.

{system}.
"""


def seconds(run: Callable[[], object]) -> float:
    """Return how long ``run`` takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def told(what: str, ours: list[float], theirs: list[float]) -> tuple[float, str]:
    """Return the ratio of the medians, and a row of a table with both and their spread."""
    ratio = statistics.median(ours) / statistics.median(theirs)
    both = [
        f"{statistics.median(t) * 1000:.0f} ms ({min(t) * 1000:.0f} to {max(t) * 1000:.0f})"
        for t in (ours, theirs)
    ]
    return ratio, f"| {what} | {both[0]} | {both[1]} | {ratio:.2f} |"


def in_one_process(folder: Path, weights: np.ndarray) -> tuple[float, str]:
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


def as_programs(folder: Path, weights: np.ndarray) -> tuple[float, str]:
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
    """Print the ratios and write them to the results; 1 where the first is above the bar."""
    scene = load_lesson("four-heads")
    weights = np.array([head.weights for head in compute(scene).heads])
    with tempfile.TemporaryDirectory() as name:
        ratio, drawn = in_one_process(Path(name), weights)
        _, started = as_programs(Path(name), weights)
    table = f"{HEADER}\n{drawn}\n{started}"
    print(table)
    RESULTS.write_text(PAGE.format(table=table, system=system()), encoding="utf-8")
    return int(ratio > BAR)


def system() -> str:
    """Return on what the figures were measured."""
    versions = [f"{name} {metadata.version(name)}" for name in ("numpy", "matplotlib", "pillow")]
    python = f"CPython {platform.python_version()}"
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return ", ".join([f"mhagui {__version__}", python, *versions, machine])


if __name__ == "__main__":
    sys.exit(main())
