"""How far weights and row entropies are from their floor: the matrix products alone."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from measuring import Row, Section, in_turn, profile

from mhagui import core
from mhagui.core.kernels_scores import multiply
from mhagui.core.kernels_tiles import Tile, tiles_of
from mhagui.core.threads import one_blas_thread, share

HEADS, WIDTH = 12, 64
TURNS = {512: 41, 1024: 21, 2048: 11, 4096: 5}
GOAL = 2.0

TEXT = f"""{HEADS} heads, d_k = {WIDTH}, float32, causal. The floor is the products of the queries
and keys of the same tiles in the same threads and strips, each tile into the same piece of memory,
and nothing else: no exponentials, and no weights written."""


def products(queries: np.ndarray, keys: np.ndarray) -> None:
    """Multiply the queries and keys of each tile, and keep nothing."""
    n_heads, n_positions, _ = queries.shape
    columns = np.ascontiguousarray(keys.swapaxes(1, 2))
    tiles = tiles_of("causal", (n_heads,), n_positions, n_positions)
    most = max(int(np.prod(tile.shape)) for tile in tiles)

    def work(handed: Iterator[Tile]) -> None:
        memory = np.empty(most, queries.dtype)
        for tile in handed:
            out = memory[: np.prod(tile.shape)].reshape(tile.shape)
            multiply(queries[tile.heads, tile.rows], columns[tile.heads, :, tile.columns], out)

    with one_blas_thread() as n_threads:
        share(tiles, work, n_threads)


def measure(n_positions: int, turns: int, made: Section) -> None:
    """Add the rows for one T."""
    shape = (2, HEADS, n_positions, WIDTH)
    queries, keys = np.random.default_rng(0).standard_normal(shape, np.float32)
    weights = np.zeros((HEADS, n_positions, n_positions), np.float32)
    out = weights, np.zeros(weights.shape[:2], np.float32)
    given = partial(core.weights_and_entropies, queries, keys, out=out)
    fresh = partial(core.weights_and_entropies, queries, keys)
    floor = partial(products, queries, keys)
    ours, ours_fresh, theirs = in_turn(turns, given, fresh, floor)
    what = f"T = {n_positions:,}, into"
    for run, buffers, seconds in ((given, "given", ours), (fresh, "fresh", ours_fresh)):
        row = Row(f"{what} {buffers} buffers", seconds, theirs, goal=GOAL)
        made.add(row, row.what, partial(profile, run))


def section(turns: dict[int, int] = TURNS) -> Section:
    """Measure every T."""
    made = Section("b. Distance to the floor", TEXT, "products", at_least=False)
    for n_positions, count in turns.items():
        measure(n_positions, count, made)
    return made
