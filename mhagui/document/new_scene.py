"""A fresh scene of any sizes, to begin with."""

from itertools import cycle

import numpy as np

from mhagui.document.checks import count
from mhagui.document.head import Head
from mhagui.document.patterns import Pattern
from mhagui.document.scene import (
    MAX_HEAD_WIDTH,
    MAX_HEADS,
    MAX_MODEL_WIDTH,
    ON_CIRCLE,
    Scene,
    check_numbers,
    check_positions,
)
from mhagui.document.scene_input import one_hot_tokens

TITLE = "Untitled"


def new_scene(n_positions: int, n_heads: int, d_k: int, d_v: int, d_model: int) -> Scene:
    """Return a fresh scene: one-hot tokens, and heads that look in one way each.

    The heads take the designed patterns in turn, those of the lesson first, as far as ``d_k`` has
    room for them. Their values are the features of X in turn, which W_O puts back where they were.
    Raises UserError where a scene cannot have such sizes.
    """
    check_sizes(n_positions, n_heads, d_k, d_v, d_model)
    x = one_hot_tokens(n_positions, d_model)
    designed = [pattern for pattern in Pattern if pattern.is_designed]
    patterns = [pattern for pattern in designed if d_k > 1 or pattern not in ON_CIRCLE]
    features = np.eye(d_model)[:, np.arange(n_heads * d_v) % d_model]
    values = np.split(features, n_heads, axis=1)
    heads = tuple(
        Head(uid, pattern.value, pattern, w_v)
        for uid, (pattern, w_v) in enumerate(zip(cycle(patterns), values), 1)
    )
    return Scene(TITLE, "", heads, x, features.T, d_k)


def check_sizes(n_positions: int, n_heads: int, d_k: int, d_v: int, d_model: int) -> None:
    """Raise UserError where a fresh scene cannot have such sizes; makes nothing of them."""
    for what, size, most in (
        ("d_model", d_model, MAX_MODEL_WIDTH),
        ("The number of heads", n_heads, MAX_HEADS),
        ("d_k", d_k, MAX_HEAD_WIDTH),
        ("d_v", d_v, MAX_HEAD_WIDTH),
    ):
        count(what, size, most)
    check_positions(n_positions)
    n_numbers = (n_positions + 2 * n_heads * d_v) * d_model  # X, W_V and W_O
    check_numbers(n_numbers, n_positions, n_heads, d_k, d_v, d_model)
