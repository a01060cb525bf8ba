"""Attention between words, where a word is several tokens."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import FloatArray, as_matrices


def merged_weights(
    weights: npt.ArrayLike, query_words: Sequence[slice], key_words: Sequence[slice]
) -> FloatArray:
    """Return the weights between words: sums over their keys, means over their queries.

    Parameters
    ----------
    weights
        A, shape (..., T_q, T_k).
    query_words, key_words
        The positions of each word, which follow on one another from 0 to T_q and to T_k.

    Returns
    -------
    ndarray, shape (..., query words, key words)
        In the dtype of ``weights``. Rows that sum to 1 still do; a word that has a row without any
        weight gives less than 1 in all. NaN stays NaN.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, or words do not cover all positions in order.

    Notes
    -----
    What a query gives to a word is all that it gives to the word's tokens, and a word of several
    queries gives what they give on average.

    Source: K. Clark et al., "What Does BERT Look At?", BlackboxNLP 2019, section 4.
    """
    weights = as_matrices(weights, "weights", "T_q, T_k")
    queries = _starts("query", query_words, weights.shape[-2])
    keys = _starts("key", key_words, weights.shape[-1])
    summed = np.add.reduceat(weights, keys, axis=-1)
    lengths = np.diff([*queries, weights.shape[-2]]).astype(weights.dtype)
    means: FloatArray = np.add.reduceat(summed, queries, axis=-2)
    means /= lengths[:, np.newaxis]
    return means


def _starts(what: str, words: Sequence[slice], count: int) -> list[int]:
    """Return where the words begin; raises ValueError unless they follow on one another."""
    starts, stops = [word.start for word in words], [word.stop for word in words]
    is_whole = bool(words) and [*starts, count] == [0, *stops]
    if not is_whole or any(word.stop <= word.start for word in words):
        raise ValueError(
            f"The {what} words must follow on one another from 0 to {count}, none empty; got "
            f"{', '.join(f'{start}:{stop}' for start, stop in zip(starts, stops, strict=True))}."
        )
    return starts
