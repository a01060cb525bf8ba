"""Weights and row entropies of causal attention, beside PyTorch on the same numbers."""

import gc
import math
import time
from collections.abc import Callable
from functools import cached_property, partial

import numpy as np
import torch
from measuring import Row, Section, in_turn, profile

from mhagui import core

HEADS, WIDTH = 12, 64  # of a small GPT; the width is d_k
TURNS = {128: 21, 512: 41, 1024: 21, 2048: 11, 4096: 7}
SHORT = 128  # up to here a turn is many calls in a row
LONG = 2048  # and from here a few
CALLS, FEW_CALLS = 50, 3
PAUSE = 0.2
BARS = {128: 1.0, 1024: 3.0, 2048: 4.0, 4096: 4.0}
GOALS = {1024: 5.0, 2048: 5.0, 4096: 5.0}

TEXT = f"""{HEADS} heads, d_k = {WIDTH}, float32, causal. mhagui is `core.weights_and_entropies`.
PyTorch has its own threads, as many as there are cores, and is written for speed: the mask added by
`baddbmm`, `softmax`, the terms of the entropy into the scores that are no longer needed, no
gradients. `MultiheadAttention` (need_weights, not averaged) is measured as it is: it makes its
projections and its output as well, and no entropies. That both give the same numbers is checked
first. A bar or goal is for fresh buffers: the memory is asked of the system and given back each
time, on both sides. Up to T = {SHORT} a turn is {CALLS} calls in a row, after a pause in which the
threads of the other side go to sleep, and counts with the quickest of these, on both sides: when a
thread wakes up, or has to wait for its core, that takes longer than the work, and says nothing of
it. From T = {LONG:,} it is {FEW_CALLS} calls, for a like reason: fresh memory that a virtual
machine has to be given again costs several times as much as the work."""

Pair = tuple[torch.Tensor, torch.Tensor]


class Peer:
    """What is measured of PyTorch, for one T."""

    def __init__(self, queries: np.ndarray, keys: np.ndarray) -> None:
        n_heads, n_positions, width = queries.shape
        self.queries, self.keys = torch.from_numpy(queries), torch.from_numpy(keys)
        self.mask = torch.full((n_positions, n_positions), -math.inf).triu(1)
        self._scale = 1.0 / math.sqrt(width)
        self.module = torch.nn.MultiheadAttention(n_heads * width, n_heads, batch_first=True)
        self.module.eval()
        self.x = torch.randn(1, n_positions, n_heads * width)

    def fresh(self) -> Pair:
        """Return weights and row entropies in bits, in new tensors."""
        scores = torch.baddbmm(self.mask, self.queries, self.keys.mT, alpha=self._scale)
        weights = torch.softmax(scores, -1)
        nats = torch.special.entr(weights, out=scores).sum(-1)
        return weights, nats.div_(math.log(2.0))

    @cached_property
    def _given(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        # Not before they are needed: beside fresh buffers they would leave less memory whole.
        shape = (len(self.queries), *self.mask.shape)
        return torch.zeros(shape), torch.zeros(shape), torch.zeros(shape[:2])

    def given(self) -> Pair:
        """Return the same in tensors that are there."""
        scores, weights, bits = self._given
        torch.baddbmm(self.mask, self.queries, self.keys.mT, alpha=self._scale, out=scores)
        torch.softmax(scores, -1, out=weights)
        torch.sum(torch.special.entr(weights, out=scores), -1, out=bits)
        return weights, bits.div_(math.log(2.0))

    def layer(self) -> Pair:
        """Return output and weights of the module."""
        x = self.x
        pair: Pair = self.module(x, x, x, attn_mask=self.mask, average_attn_weights=False)
        return pair

    def factors_of_layer(self) -> list[np.ndarray]:
        """Return the queries and keys of the module, for the check."""
        n_heads = self.module.num_heads
        packed = torch.nn.functional.linear(
            self.x[0], self.module.in_proj_weight, self.module.in_proj_bias
        )
        return [
            part.reshape(len(part), n_heads, -1).transpose(0, 1).numpy()
            for part in packed.chunk(3, -1)[:2]
        ]


def check_same(ours: tuple[np.ndarray, np.ndarray], theirs: Pair) -> None:
    """Raise AssertionError unless weights and entropies agree as closely as float32 lets them."""
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other.numpy(), atol=2e-5)


def calls_in_turn(turns: int, *runs: Callable[[], object], calls: int = CALLS) -> list[list[float]]:
    """Return the least seconds of a call of each of ``runs``, so many in a row in each turn.

    What a run returns is let go within its time, as by ``in_turn``.
    """
    least: list[list[float]] = [[] for _ in runs]
    gc.collect()
    for _ in range(turns):
        for run, own in zip(runs, least, strict=True):
            time.sleep(PAUSE)
            own.append(min(_seconds(run) for _ in range(calls)))
    return least


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


@torch.inference_mode()
def measure(n_positions: int, turns: int, made: Section) -> None:
    """Add the rows for one T."""
    numbers = np.random.default_rng(0).standard_normal((2, HEADS, n_positions, WIDTH), np.float32)
    queries, keys = numbers
    peer = Peer(queries, keys)

    def fresh() -> object:
        return core.weights_and_entropies(queries, keys)

    def given() -> object:
        return core.weights_and_entropies(queries, keys, out=out)

    check_same(core.weights_and_entropies(queries, keys), peer.fresh())
    weights, _ = core.weights_and_entropies(*peer.factors_of_layer())
    np.testing.assert_allclose(weights, peer.layer()[1][0].numpy(), atol=2e-5)
    timed = calls_in_turn if n_positions <= SHORT else in_turn
    if n_positions >= LONG:
        timed = partial(calls_in_turn, calls=FEW_CALLS)
    # By twos: what threads of the module do after it has returned would slow the others as well.
    ours, theirs = timed(turns, fresh, peer.fresh)
    beside_layer, layer = timed(turns, fresh, peer.layer)
    shape = (HEADS, n_positions, n_positions)
    out = np.zeros(shape, np.float32), np.zeros(shape[:2], np.float32)
    check_same(core.weights_and_entropies(queries, keys, out=out), peer.given())
    ours_given, theirs_given = timed(turns, given, peer.given)
    what, limits = f"T = {n_positions:,}", (BARS.get(n_positions), GOALS.get(n_positions))
    if n_positions <= SHORT:  # where mhagui takes one thread: what each does with a core
        n_threads = torch.get_num_threads()
        torch.set_num_threads(1)
        row = Row(f"{what}: baddbmm, softmax, entr on one thread", *timed(turns, fresh, peer.fresh))
        torch.set_num_threads(n_threads)
        made.rows.append(row)
    for row in (
        Row(f"{what}: baddbmm, softmax, entr", ours, theirs, *limits),
        Row(f"{what}: MultiheadAttention", beside_layer, layer, *limits),
        Row(f"{what}: baddbmm, softmax, entr into given buffers", ours_given, theirs_given),
    ):
        made.add(row, f"Into fresh buffers at {what}", partial(profile, fresh))


def section(turns: dict[int, int] = TURNS) -> Section:
    """Measure every T."""
    made = Section("a. Weights and row entropies", TEXT, "torch", at_least=True)
    for n_positions, count in turns.items():
        measure(n_positions, count, made)
    return made
