"""From a file with the weights of a whole model to a picture of all heads, beside web pages.

Each opening is a process of its own, which tells its time and the most memory it had.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from measuring import Row, Section, profile

if TYPE_CHECKING:
    from PySide6.QtGui import QPixmap

    from mhagui.document.capture import Capture

LAYERS, HEADS, POSITIONS = 12, 12, 256
TILE = 64  # pixels of a head in the picture, which is 768 wide
TURNS = 5
GOALS = {"bertviz": {"time": 20.0, "memory": 5.0}}

TEXT = f"""A file of {LAYERS} layers × {HEADS} heads × {POSITIONS} × {POSITIONS} float32. mhagui
opens it as a command does, with all proofs of how it was read, and paints one picture of all heads,
each {TILE} × {TILE} pixels: pooled, quantised, drawn by the colour table of the heatmaps. bertviz
`model_view` and CircuitsVis `attention_heads` load the same file and build their page; that a
browser still has to show it is not counted. The time is that of the work alone, all imports done
before; “with start” is the whole process, and memory the most that the process ever had, its
imports included."""


class Opening(NamedTuple):
    """What one opening took: seconds of the work, seconds of its whole process, bytes."""

    work: float
    whole: float
    memory: float


def make_dump(path: str, shape: tuple[int, int, int, int]) -> None:
    """Write causal weights of the shape (layers, heads, T, T)."""
    import numpy as np

    from mhagui import core

    scores = np.random.default_rng(0).standard_normal(shape, np.float32) * 2.0
    np.save(path, core.weights_from_scores(scores))


def picture_of(capture: "Capture") -> "QPixmap":
    """Return the heads of each layer in a row, each head ``TILE`` pixels wide and high."""
    import numpy as np
    from PySide6.QtGui import QImage, QPainter, QPixmap, qRgb

    from mhagui import core
    from mhagui.gui.pictures import weight_table

    pooled = np.stack([core.pool_maximum(layer.weights, TILE, TILE) for layer in capture.layers])
    levels = core.quantise(pooled, 0.0, 1.0)
    n_layers, n_heads, height, width = levels.shape
    colours = [qRgb(*colour) for colour in weight_table().tolist()]
    picture = QPixmap(n_heads * width, n_layers * height)
    painter = QPainter(picture)
    for layer, head in np.ndindex(n_layers, n_heads):
        data = levels[layer, head].data
        image = QImage(data, width, height, width, QImage.Format.Format_Indexed8)
        image.setColorTable(colours)
        painter.drawImage(head * width, layer * height, image)
    painter.end()
    return picture


def paint(path: str) -> tuple[float, float]:
    """Open as mhagui does; return seconds and the most memory in bytes."""
    from PySide6.QtGui import QGuiApplication

    import mhagui.gui.pictures  # noqa: F401 - before the time begins, as on the other side
    from mhagui import sources

    app = QGuiApplication(["", "-platform", "offscreen"])
    start = time.perf_counter()
    axes = sources.Choices(axes="layer,head,query,key")
    picture = picture_of(sources.open_capture(Path(path), axes))
    seconds = time.perf_counter() - start
    assert not picture.isNull()
    app.shutdown()
    return seconds, _peak()


def build_bertviz(path: str) -> tuple[float, float]:
    """Open as bertviz does; return seconds and the most memory in bytes."""
    import bertviz
    import numpy as np
    import torch

    start = time.perf_counter()
    attention = list(torch.from_numpy(np.load(path))[:, np.newaxis])
    page = bertviz.model_view(attention, _tokens(attention[0].shape[-1]), html_action="return")
    seconds = time.perf_counter() - start
    assert page.data
    return seconds, _peak()


def build_circuitsvis(path: str) -> tuple[float, float]:
    """Open as CircuitsVis does; return seconds and the most memory in bytes."""
    import numpy as np
    from circuitsvis.attention import attention_heads

    start = time.perf_counter()
    weights = np.load(path)
    heads = weights.reshape(-1, *weights.shape[2:])
    page = str(attention_heads(heads, _tokens(weights.shape[-1])))
    seconds = time.perf_counter() - start
    assert page
    return seconds, _peak()


def _tokens(count: int) -> list[str]:
    return [f"t{position + 1}" for position in range(count)]


def _peak() -> float:
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(largest if sys.platform == "darwin" else largest * 1024)


def in_own_process(opening: Callable[[str], tuple[float, float]], path: str) -> Opening:
    """Run ``opening`` in a process that ends with it."""
    start = time.perf_counter()
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        work, memory = pool.submit(opening, path).result()
    return Opening(work, time.perf_counter() - start, memory)


def rows(name: str, ours: list[Opening], theirs: list[Opening]) -> list[Row]:
    """Return what both took, beside the peer of that name."""
    goals = GOALS.get(name, {})
    work, whole, memory = (
        ([opening[part] for opening in ours], [opening[part] for opening in theirs])
        for part in range(3)
    )
    return [
        Row(f"{name}: time", work[0], work[1], goal=goals.get("time")),
        Row(f"{name}: with start", whole[0], whole[1]),
        Row(f"{name}: memory", memory[0], memory[1], goal=goals.get("memory"), unit="B"),
    ]


def section(turns: int = TURNS) -> Section:
    """Open in turn, once before it counts."""
    made = Section("d. Opening a dump", TEXT, "peer", at_least=True)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "weights.npy")
        # Not in this process, whose memory each that it starts would be said to have had as well.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            pool.submit(make_dump, path, (LAYERS, HEADS, POSITIONS, POSITIONS)).result()
        openings = paint, build_bertviz, build_circuitsvis
        runs = [[in_own_process(opening, path) for opening in openings] for _ in range(turns + 1)]
        ours, bertviz, circuitsvis = map(list, zip(*runs[1:], strict=True))
        for row in rows("bertviz", ours, bertviz) + rows("CircuitsVis", ours, circuitsvis):
            made.add(row, "Painting the picture", partial(profile, partial(paint, path)))
    return made
