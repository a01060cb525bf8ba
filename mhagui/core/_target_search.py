"""The search for queries and keys whose weights come nearest to given rows of weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import BoolArray

Floats: TypeAlias = npt.NDArray[np.float64]

ZERO_SHARE = 1e-3  # what the weights asked as 0 may have of a row, all together
_STARTS = 8
_MOST_STEPS = 60  # from one start, and towards one end
_LEAST_STEPS = 12
_WORK = 4e9  # multiplications one width may cost, so that its answer comes while one waits
_FILLINGS = 30
_MET = 1e-18  # a cost this small is none
_STEEPEST = 50.0  # the exponent of e at which no step is any good


class Rows(NamedTuple):
    """The rows asked for: weights and what the mask allows, both (R, T); the rest is free."""

    weights: Floats
    allowed: BoolArray


class Factors(NamedTuple):
    """Scores queries·keysᵀ + constants: shapes (R, d), (T, d) and (R, 1)."""

    queries: Floats
    keys: Floats
    constants: Floats

    def scores(self) -> Floats:
        """Return the scores, shape (R, T)."""
        return self.queries @ self.keys.T + self.constants


class _Lie(NamedTuple):
    """How scores lie to what is sought: cost, its slope and its curvature in each cell."""

    cost: float
    slopes: Floats
    curvatures: Floats


_Aim: TypeAlias = Callable[[Floats], _Lie]


def nearest_factors(rows: Rows, width: int, *, enough: float, share: float = 1.0) -> Factors:
    """Return the factors of that width with the nearest weights that were found.

    The same at every call. From the leading singular vectors of the log weights, and then from
    a few random starts of fixed seeds, damped Gauss-Newton steps (Marquardt 1963) go towards the
    log weights by least squares; where these cannot be met, on towards the least relative
    entropy. No other start is tried once no weight errs by more than `enough`; `share` is that
    of the usual work.
    """
    by_logs, by_entropy = _log_aim(rows), _entropy_aim(rows)
    left = _affordable_steps(len(rows.weights), rows.weights.shape[1], width, share)
    best, least = _leading(rows, width), math.inf
    for start in range(_STARTS):
        found = best if start == 0 else _random(rows, width, start)
        for aim, till in ((by_logs, 0.0), (by_entropy, enough)):
            found, taken = _improved(rows, aim, found, min(left, _MOST_STEPS), till)
            left -= taken
            error = _error(rows, found)
            if error < least:
                best, least = found, error
            if least <= enough or left <= 0:
                return best
    return best


def _affordable_steps(n_rows: int, n: int, width: int, share: float) -> int:
    work_of_one = n_rows * ((width + 1) * (n * width) ** 2 + 2000 * n)
    most = 2 * _STARTS * _MOST_STEPS
    return max(_LEAST_STEPS, min(most, int(share * _WORK / work_of_one)))


def _error(rows: Rows, factors: Factors) -> float:
    scores = np.where(rows.allowed, factors.scores(), -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return float(np.abs(weights - rows.weights).max())


# --- what is aimed at


def _log_weights(rows: Rows) -> Floats:
    """Return the logs, where 0 is asked the most that will do, and 0 where a cell is free."""
    zero = rows.allowed & (rows.weights == 0)
    logs = np.log(rows.weights, where=rows.weights > 0, out=np.zeros_like(rows.weights))
    ceilings = math.log(ZERO_SHARE) - np.log(np.maximum(zero.sum(axis=1), 1))
    ceilings = np.minimum(ceilings, logs.min(axis=1))
    return np.where(zero, ceilings[:, np.newaxis], logs)


def _log_aim(rows: Rows) -> _Aim:
    """Return least squares of the logs; of a weight asked as 0 less than its log will do."""
    logs, zero = _log_weights(rows), rows.weights == 0
    # The error of a weight is that weight times the error of its log: large ones count more.
    importance = np.where(zero, 1.0, rows.weights + 1e-4) * rows.allowed

    def lie(scores: Floats) -> _Lie:
        misses = scores - logs
        curvatures = np.where(zero & (misses <= 0), 0.0, importance)
        slopes = curvatures * misses
        return _Lie(float((slopes * misses).sum()), slopes, curvatures)

    return lie


def _entropy_aim(rows: Rows) -> _Aim:
    """Return the relative entropy, with e^scores as the weights: they sum to 1 at its least."""

    def lie(scores: Floats) -> _Lie:
        weights = np.exp(np.minimum(scores, _STEEPEST)) * rows.allowed
        cost = float((weights - rows.weights * scores).sum())
        return _Lie(cost, weights - rows.weights, weights)

    return lie


# --- where the search begins


def _leading(rows: Rows, width: int) -> Factors:
    """Return the leading singular vectors of the logs, with the free cells filled by them."""
    logs, allowed = _log_weights(rows), rows.allowed
    means = logs.sum(axis=1, keepdims=True) / allowed.sum(axis=1, keepdims=True)
    filled = np.where(allowed, logs - means, 0.0)
    for _ in range(_FILLINGS):
        left, sizes, right = np.linalg.svd(filled, full_matrices=False)
        roots = np.sqrt(sizes[:width])
        queries, keys = left[:, :width] * roots, right[:width].T * roots
        filled = np.where(allowed, filled, queries @ keys.T)
    return Factors(queries, keys, means)


def _random(rows: Rows, width: int, seed: int) -> Factors:
    (n_rows, n), random = rows.weights.shape, np.random.default_rng(seed)
    return Factors(
        random.normal(size=(n_rows, width)),
        random.normal(size=(n, width)),
        random.normal(size=(n_rows, 1)),
    )


# --- how it goes on


def _improved(
    rows: Rows, aim: _Aim, factors: Factors, n_steps: int, till: float
) -> tuple[Factors, int]:
    """Return factors of less cost and how many steps it took: `n_steps`, or till that error."""
    lie, damping = aim(factors.scores()), 1e-2
    for step in range(n_steps):
        if abs(lie.cost) < _MET or _error(rows, factors) <= till:
            return factors, step
        try:
            moved = _moved(factors, lie, damping)
        except np.linalg.LinAlgError:  # too steep for so little damping
            damping *= 8
            continue
        new = aim(moved.scores())
        if new.cost < lie.cost:
            stalls = lie.cost - new.cost < 1e-9 * abs(lie.cost)
            factors, lie, damping = moved, new, max(damping / 5, 1e-12)
            if stalls:
                return factors, step + 1
        else:
            damping *= 8
    return factors, n_steps


def _moved(factors: Factors, lie: _Lie, damping: float) -> Factors:
    """Return the factors after one step; each row's query and constant are eliminated."""
    q, keys, constants = factors
    n_rows, (n, d) = len(q), keys.shape
    k = np.hstack([keys, np.ones((n, 1))])
    of_rows = np.matmul(lie.curvatures[:, np.newaxis] * k.T, k) + damping * np.eye(d + 1)
    of_keys = np.matmul(lie.curvatures.T[:, np.newaxis] * q.T, q) + damping * np.eye(d)
    between = np.einsum("ri,ia,rb->raib", lie.curvatures, k, q).reshape(n_rows, d + 1, n * d)
    row_slopes = lie.slopes @ k
    key_slopes = (lie.slopes.T @ q).ravel()
    roots = np.linalg.cholesky(of_rows)
    reduced = np.linalg.solve(roots, between).reshape(-1, n * d)
    rest = np.linalg.solve(roots, row_slopes[..., np.newaxis]).ravel()
    system = -(reduced.T @ reduced).reshape(n, d, n, d)
    system[np.arange(n), :, np.arange(n)] += of_keys
    key_steps = np.linalg.solve(system.reshape(n * d, n * d), reduced.T @ rest - key_slopes)
    sums = (row_slopes + between @ key_steps)[..., np.newaxis]
    row_steps = -np.linalg.solve(of_rows, sums)[..., 0]
    return Factors(
        q + row_steps[:, :d], keys + key_steps.reshape(n, d), constants + row_steps[:, d:]
    )
