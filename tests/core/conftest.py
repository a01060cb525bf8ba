"""What several tests of the core share: the lesson's numbers, and its heads written out anew."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="session")
def expected() -> dict[str, Any]:
    """Every number of the lesson, worked out with 40 digits by another program."""
    return json.loads((DATA / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def lesson_heads() -> list[tuple[np.ndarray, np.ndarray]]:
    """(Q, K) of the lesson's four heads for T = 6, loop for loop as the lesson has them."""
    n = 6
    k1, q1, k2, q2 = (np.zeros((n, 2)) for _ in range(4))
    k1[0, 0] = 3.0
    q1[:, 0] = 1.0
    for i in range(1, n + 1):
        k2[i - 1] = [3 * math.cos(2 * math.pi * i / n), 3 * math.sin(2 * math.pi * i / n)]
        back = 2 * math.pi * (i - 1) / n
        q2[i - 1] = [3 * math.cos(back), 3 * math.sin(back)]
    return [(q1, k1), (q2, k2), (k2, k2), (np.zeros((n, 2)), np.zeros((n, 2)))]


@pytest.fixture(scope="session")
def two_head_scene() -> dict[str, np.ndarray]:
    """Return the lesson's two-head pipeline: X, Q, K and W_V of each head, and W_O."""
    circle = np.array([[0.0, 3.0], [-3.0, 0.0], [0.0, -3.0], [3.0, 0.0]])
    zeros, eye = np.zeros((4, 2)), np.eye(4)
    w_o = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, -1, 0], [0, 0, 0, 1]]
    return {
        "x": eye,
        "q": np.stack([circle, zeros]),
        "k": np.stack([circle, zeros]),
        "w_v": np.stack([eye[:, 2:], eye[:, :2]]),
        "w_o": np.array(w_o, dtype=float),
    }


@pytest.fixture(scope="session")
def plain_weights() -> Callable[..., np.ndarray]:
    """Softmax as a textbook has it: the whole matrix at once, −inf where masked."""

    def weights(scores: np.ndarray, gain: Any, allowed: np.ndarray) -> np.ndarray:
        gain = np.asarray(gain, dtype=scores.dtype)[..., np.newaxis, np.newaxis]
        masked = np.where(allowed, gain * scores, np.array(-np.inf, dtype=scores.dtype))
        e = np.exp(masked - masked.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    return weights
