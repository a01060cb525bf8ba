"""The X that a scene begins with: one-hot tokens, or the words of its vocabulary."""

import numpy as np

from mhagui.document.checks import count
from mhagui.document.records import Array, sealed
from mhagui.document.scene import MAX_MODEL_WIDTH, Scene, check_positions, check_words


def one_hot_tokens(n_positions: int, d_model: int) -> Array:
    """Return X of shape (T, d_model), row t one-hot at t.

    Where T is larger than d_model the tokens repeat in turn: row d_model + 1 equals row 1.
    """
    positions = np.arange(check_positions(n_positions))
    x = np.zeros((len(positions), count("d_model", d_model, MAX_MODEL_WIDTH)))
    x[positions, positions % d_model] = 1.0
    return sealed(x)


def embedded_tokens(
    tokens: tuple[str, ...], vocabulary: tuple[str, ...], d_model: int, *, has_position_code: bool
) -> Array:
    """Return X of shape (T, d_model) for ``tokens``, each of them in ``vocabulary``.

    Columns: the word, one-hot; with ``has_position_code`` cos 2πt/T and sin 2πt/T; zeros. Raises
    UserError where a token is no such word, or ``d_model`` has no room for all of them.
    """
    check_words(tokens, vocabulary, d_model, has_position_code=has_position_code)
    x = np.zeros((check_positions(len(tokens)), d_model))
    n_words, positions = len(vocabulary), np.arange(len(tokens))
    place = {word: column for column, word in enumerate(vocabulary)}
    x[positions, [place[token] for token in tokens]] = 1.0
    if has_position_code:
        angles = 2 * np.pi * (positions + 1) / len(tokens)
        x[:, n_words] = np.cos(angles)
        x[:, n_words + 1] = np.sin(angles)
    return sealed(x)


def made_input(
    n_positions: int,
    d_model: int,
    tokens: tuple[str, ...] = (),
    vocabulary: tuple[str, ...] = (),
    *,
    has_position_code: bool = False,
) -> Array:
    """Return X of shape (T, d_model) as it is where nobody wrote into it.

    One-hot tokens; with a vocabulary ``tokens``, again from the first where they end.
    """
    if not vocabulary:
        return one_hot_tokens(n_positions, d_model)
    tokens = repeated(tokens, check_positions(n_positions))
    return embedded_tokens(tokens, vocabulary, d_model, has_position_code=has_position_code)


def designed_input(scene: Scene, n_positions: int) -> Array:
    """Return the X that ``scene`` begins with at T = ``n_positions``."""
    code = scene.has_position_code
    words = scene.tokens, scene.vocabulary
    return made_input(n_positions, scene.d_model, *words, has_position_code=code)


def repeated(tokens: tuple[str, ...], n_positions: int) -> tuple[str, ...]:
    """Return ``tokens`` for ``n_positions``, again from the first where they end."""
    return tuple(tokens[position % len(tokens)] for position in range(n_positions if tokens else 0))
