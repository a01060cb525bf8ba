"""What all benchmarks share: times taken in turn, and ratios held against their limits."""

import cProfile
import gc
import math
import os
import platform
import pstats
import statistics
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Literal

from mhagui import __version__

PEERS = ("torch", "bertviz", "circuitsvis", "matplotlib")
UNITS = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
}
REST = 0.01
SHOWN = 6  # lines of what explains a miss


@dataclass(frozen=True)
class Row:
    """One comparison: what was measured of both sides, in pairs, in seconds or bytes.

    ``bar`` has to be met, ``goal`` is wished for; None where there is none. Both are limits of the
    section's ratio.
    """

    what: str
    ours: Sequence[float]
    theirs: Sequence[float]
    bar: float | None = None
    goal: float | None = None
    unit: Literal["s", "B"] = "s"


@dataclass
class Section:
    """The rows of one benchmark.

    With ``at_least`` the ratio is theirs over ours and a limit its least value; without, it is ours
    over theirs and a limit its largest.
    """

    title: str
    text: str
    peer: str
    at_least: bool
    rows: list[Row] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)

    def ratio(self, row: Row) -> float:
        """Return the ratio of the medians."""
        ours, theirs = statistics.median(row.ours), statistics.median(row.theirs)
        return theirs / ours if self.at_least else ours / theirs

    def ratios(self, row: Row) -> list[float]:
        """Return the ratio of each pair, which what slows both sides at a time hardly moves."""
        pairs = zip(row.ours, row.theirs, strict=True)
        return [theirs / ours if self.at_least else ours / theirs for ours, theirs in pairs]

    def meets(self, row: Row, limit: float | None) -> bool:
        """Return whether the ratio keeps within the limit; so it does where there is none."""
        if limit is None:
            return True
        ratio = self.ratio(row)
        return ratio >= limit if self.at_least else ratio <= limit

    def add(self, row: Row, subject: str, explain: Callable[[], str]) -> None:
        """Add a row and, where it misses its bar or goal, what ``explain`` tells of the subject."""
        self.rows.append(row)
        is_met = self.meets(row, row.bar) and self.meets(row, row.goal)
        if not is_met and subject not in self.notes:
            self.notes[subject] = explain()

    @property
    def misses_a_bar(self) -> bool:
        """Whether any row does."""
        return not all(self.meets(row, row.bar) for row in self.rows)

    def markdown(self) -> str:
        """Return title, text, table and notes."""
        ratio = f"{self.peer} / mhagui" if self.at_least else f"mhagui / {self.peer}"
        head = ["", "mhagui", self.peer, ratio, "bar", "goal"]
        cells = [[row.what, *self._told(row)] for row in self.rows]
        notes = [f"{subject}:\n\n{note}" for subject, note in self.notes.items()]
        return "\n\n".join([f"## {self.title}", self.text, table(head, cells), *notes])

    def _told(self, row: Row) -> list[str]:
        ratios = self.ratios(row)
        ratio = f"**{number(self.ratio(row))}** ({number(min(ratios))} to {number(max(ratios))})"
        limits = [self._verdict(row, limit) for limit in (row.bar, row.goal)]
        return [spread(row.ours, row.unit), spread(row.theirs, row.unit), ratio, *limits]

    def _verdict(self, row: Row, limit: float | None) -> str:
        if limit is None:
            return ""
        sign = "≥" if self.at_least else "≤"
        return f"{sign} {limit:g} {'met' if self.meets(row, limit) else '**missed**'}"


def in_turn(turns: int, *runs: Callable[[], object]) -> list[list[float]]:
    """Return the seconds of each of ``runs``, one after the other, ``turns`` times.

    One turn before does not count. What a run returns is let go within its time: memory is taken
    and given back on all sides. Between them is a rest, in which the threads of one side, which
    wait awake for a while, go to sleep and leave the cores to the other.
    """
    seconds: list[list[float]] = [[] for _ in runs]
    gc.collect()
    for turn in range(turns + 1):
        for run, own in zip(runs, seconds, strict=True):
            time.sleep(REST)
            start = time.perf_counter()
            run()
            if turn:
                own.append(time.perf_counter() - start)
    return seconds


def number(value: float) -> str:
    """Return ``value`` with three digits, more where it has more before the point."""
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def spread(values: Sequence[float], unit: Literal["s", "B"]) -> str:
    """Return the median with the least and the largest, or one value where all are the same."""
    median = statistics.median(values)
    size, name = next((at for at in UNITS[unit] if median >= at[0]), UNITS[unit][-1])
    told = [number(value / size) for value in (median, min(values), max(values))]
    return f"{told[0]} {name}" + (f" ({told[1]} to {told[2]})" if len(set(values)) > 1 else "")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, all columns but the first to the right."""
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def memory_of(run: Callable[[], object]) -> str:
    """Return the lines that take most of the memory which the result of ``run`` keeps."""
    tracemalloc.start()
    kept = run()
    found = tracemalloc.take_snapshot().statistics("lineno")[:SHOWN]
    tracemalloc.stop()
    del kept
    rows = [
        [_named(at.traceback[0].filename, at.traceback[0].lineno), spread([at.size], "B")]
        for at in found
    ]
    return table(["line", "memory kept"], rows)


def profile(run: Callable[[], object]) -> str:
    """Return the functions in which ``run`` and the threads it starts are longest."""
    profiles = [cProfile.Profile()]

    def begin(*_: object) -> None:
        own = cProfile.Profile()
        profiles.append(own)
        own.enable()  # in the place of this function, for the rest of the thread

    if sys.version_info < (3, 12):  # from then on a profile sees all threads, and there is but one
        threading.setprofile(begin)
    try:
        profiles[0].runcall(run)
    finally:
        threading.setprofile(None)
    stats = pstats.Stats(profiles[0])
    stats.add(*profiles[1:])
    return _longest(stats)


def _longest(stats: pstats.Stats) -> str:
    # The attribute is how everybody reads them, and unknown to typeshed.
    own = {place: numbers[2] for place, numbers in stats.stats.items()}  # type: ignore[attr-defined]
    total = sum(own.values())
    longest = sorted(own, key=lambda place: -own[place])[:SHOWN]
    rows = [[_named(*place), f"{100 * own[place] / total:.0f} %"] for place in longest]
    return table(["function", "own time"], rows)


def _named(path: str, line: int, function: str = "") -> str:
    place = "" if path == "~" else f"{Path(path).parent.name}/{Path(path).name}:{line}"
    return f"`{f'{place} {function}'.strip()}`"


def machine() -> str:
    """Return on what the figures were measured, in two sentences."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    hardware = f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB of memory"
    names = ("numpy", "PySide6-Essentials", "pyqtgraph", "pillow", *PEERS)
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in names)
    system = f"{platform.system()} {platform.machine()}"
    python = f"CPython {platform.python_version()}"
    return f"{hardware}, {system}. mhagui {__version__}, {python}, {versions}."


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()
