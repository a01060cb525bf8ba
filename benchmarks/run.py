"""Measure what is claimed to be quick, side by side with others: all of it, or the parts named.

    python benchmarks/run.py        all, and write benchmarks/RESULTS.md
    python benchmarks/run.py a c    these two, only printed

Each part is a process of its own, in which both sides take turns.
"""

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from textwrap import fill

from measuring import Section, machine

# By letter: a module here, of which `section` measures.
PARTS = {
    "a": "weights",
    "b": "floor",
    "c": "gain_tick",
    "d": "open_dump",
    "e": "cold_start",
    "f": "growth",
    "g": "export_figure",
}
RESULTS = Path(__file__).with_name("RESULTS.md")
INTRODUCTION = """# Results

Written by `make bench`, all from one run. Each row has the medians of both sides, with the least
and the largest; both sides took turns in one process, or as processes of their own where the row
says so. The ratio is that of the medians, with the least and the largest of the pairs. Times are
those of one machine: what counts is the ratio. A bar is what has to be met, a goal what is wished
for."""


def measured(module: str) -> Section:
    """Return what the module measures."""
    section: Section = import_module(module).section()
    return section


def main(arguments: list[str]) -> int:
    """Measure; print every part, and write the results of a run of all. 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description="Measure side by side with others.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"some of {' '.join(PARTS)}")
    parts = parser.parse_args(arguments).parts
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}: there are {' '.join(PARTS)}.")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    # No screen has a window manager, which Qt says of every dock.
    os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")
    sections = []
    for part in parts or PARTS:
        print(f"measuring {part} ...", file=sys.stderr)
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            sections.append(pool.submit(measured, PARTS[part]).result())
        print(f"{sections[-1].markdown()}\n")
    if not parts:
        where = fill(machine(), 100, break_on_hyphens=False)
        told = [INTRODUCTION, *(section.markdown() for section in sections), "## Where", where]
        RESULTS.write_text("\n\n".join(told) + "\n", encoding="utf-8")
    return int(any(section.misses_a_bar for section in sections))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
