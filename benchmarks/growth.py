"""How time, memory and the bytes that are touched grow with the length of the sequence."""

import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from measuring import Row, Section, in_turn, memory_of, profile

from mhagui import core
from mhagui.core.kernels_tiles import tiles_of
from mhagui.document import Result, Scene, compute
from mhagui.document.edits import set_gain
from mhagui.document.new_scene import new_scene
from mhagui.document.recall import Step

RANK_LENGTHS = (1024, 2048, 4096, 8192, 16384)
TICK_LENGTHS = (256, 512, 1024, 2048, 4096)
MEMORY_SCENES = ((16, 512), (16, 1024), (4, 2048))
WIDTH = 64
TICK_HEADS = 2
TURNS = 11
LINEAR = 1.5  # times as long for each position, at the most, in sequences up to 16 times as long
BYTES = 4.0  # times those of the weights: 32 bytes for each cell of 8
PEAK = 2.5

TEXT = f"""The score rank (q and k of width {WIDTH}, float64) is linear in T: each length has its
time divided by T beside that of the shortest. A gain tick is `compute` after the gain of one head
of {TICK_HEADS} moved, its time divided by the T² cells of the weights, beside that of the shortest.
The bytes it touches are those of the square arrays that its steps read and write, as `compute`
records them, once for each step: of each the tiles that the causal mask leaves, for no other cell
is visited; a new array whole besides, for the system clears it; and all that is allocated on the
way and not kept, twice, for it is written and read. They stand beside the bytes of the weights, 8 a
cell: a ratio of 4 is 32 bytes a cell. The peak memory of `compute` on a new scene, traced by
tracemalloc, stands beside the bytes of the weights of all its heads."""


def rank_rows(lengths: tuple[int, ...] = RANK_LENGTHS, turns: int = TURNS) -> list[Row]:
    """Return the time of the score rank for each position."""
    factors = np.random.default_rng(0).standard_normal((2, max(lengths), WIDTH))
    runs = [partial(core.score_rank, *factors[:, :length]) for length in lengths]
    return _beside_the_first("score rank, T = {:,}: time a position", lengths, turns, runs, 1)


def tick_rows(lengths: tuple[int, ...] = TICK_LENGTHS, turns: int = TURNS) -> list[Row]:
    """Return the time of a gain tick for each cell of the weights."""
    runs = [Tick(length) for length in lengths]
    return _beside_the_first("gain tick, T = {:,}: time a cell", lengths, turns, runs, 2)


def _beside_the_first(
    what: str,
    lengths: tuple[int, ...],
    turns: int,
    runs: Sequence[Callable[[], object]],
    power: int,
) -> list[Row]:
    seconds = in_turn(turns, *runs)
    each = [
        [second / length**power for second in own]
        for own, length in zip(seconds, lengths, strict=True)
    ]
    goal = LINEAR if power == 1 else None
    return [
        Row(what.format(length), own, each[0], goal=goal)
        for length, own in zip(lengths[1:], each[1:], strict=True)
    ]


class Tick:
    """A gain that goes on with each call, each computed from the result before it."""

    def __init__(self, n_positions: int) -> None:
        scene = _scene(TICK_HEADS, n_positions)
        self.scene, self.result = scene, compute(scene)
        self._gain = 1.0

    def __call__(self) -> Result:
        """Move the gain of the first head by a hundredth, and compute."""
        self._gain += 0.01
        self.scene = set_gain(self.scene.heads[0].uid, self._gain).apply(self.scene)
        self.result = compute(self.scene, self.result)
        return self.result

    def bytes_touched(self) -> tuple[float, float]:
        """Return the bytes that one tick touches, and those of the head's weights."""
        before = self.result.heads[0].steps
        after = self().heads[0].steps
        made = [after[name] for name in after if after[name] is not before.get(name)]
        touched = float(sum(map(_bytes_of, made)))
        tracemalloc.start()
        self()
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return touched + 2.0 * (peak - kept), float(self.result.heads[0].weights.nbytes)


def _bytes_of(step: Step) -> int:
    """Return the bytes of square arrays that a step touches, those it makes cleared before.

    One that makes something other than arrays keeps its inputs for later, and reads nothing.
    """
    outputs = step.output if isinstance(step.output, tuple) else (step.output,)
    if not all(isinstance(output, np.ndarray | None) for output in outputs):
        return 0
    read, written = (list(filter(_is_square, arrays)) for arrays in (step.inputs, outputs))
    visited = sum(_visited(len(array)) * array.itemsize for array in read + written)
    return visited + sum(array.nbytes for array in written)


def _is_square(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[0] == value.shape[1]


def _visited(n_positions: int) -> int:
    """Return how many cells of a square the tiles of the causal mask cover."""
    return sum(
        int(np.prod(tile.shape)) for tile in tiles_of("causal", (1,), n_positions, n_positions)
    )


def bytes_rows(lengths: tuple[int, ...] = TICK_LENGTHS) -> list[Row]:
    """Return the bytes that a gain tick touches beside those of the weights."""
    both = [(length, *Tick(length).bytes_touched()) for length in lengths]
    return [
        Row(f"gain tick, T = {length:,}: bytes touched", [ours], [weights], goal=BYTES, unit="B")
        for length, ours, weights in both
    ]


def memory_row(n_heads: int, n_positions: int) -> Row:
    """Return the most memory that the computation of a new scene has at a time."""
    scene = _scene(n_heads, n_positions)
    tracemalloc.start()
    compute(scene)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    weights = float(n_heads * n_positions**2 * np.dtype(np.float64).itemsize)
    what = f"{n_heads} heads, T = {n_positions:,}: peak memory"
    return Row(what, [float(peak)], [weights], goal=PEAK, unit="B")


def section() -> Section:
    """Measure all of it."""
    made = Section("f. Growth", TEXT, "measure", at_least=False)
    longest = np.ones((2, RANK_LENGTHS[-1], WIDTH))
    for row in rank_rows():
        made.add(row, "Score rank", partial(profile, partial(core.score_rank, *longest)))
    for row in [*tick_rows(), *bytes_rows()]:
        made.add(row, "Gain tick", partial(profile, Tick(TICK_LENGTHS[-1])))
    for sizes in MEMORY_SCENES:
        row, run = memory_row(*sizes), partial(compute, _scene(*sizes))
        made.add(row, row.what, partial(memory_of, run))
    return made


def _scene(n_heads: int, n_positions: int) -> Scene:
    return new_scene(n_positions, n_heads, d_k=WIDTH, d_v=WIDTH, d_model=WIDTH)
