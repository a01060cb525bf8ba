"""What two layers guess to come next."""

from typing import NamedTuple

import numpy as np

from mhagui.document.compute import Result
from mhagui.document.scene import Scene

_TIE = 1e-3  # of the largest: words that are nearer are as likely


class Guess(NamedTuple):
    """The word whose column of O is the largest, and that number."""

    word: str
    value: float


def guessed_word(scene: Scene, result: Result, row: int) -> Guess | None:
    """Return what row ``row`` (from 0) of O guesses, by the columns that are words in X.

    None where no head reads what others have added, where X has no words, and for a tie.
    """
    if not scene.vocabulary or all(head.layer == 1 for head in scene.heads):
        return None
    words = result.output[row, : len(scene.vocabulary)]
    best = int(np.argmax(words))
    if np.count_nonzero(words > words[best] - _TIE * np.abs(words).max()) > 1:
        return None
    return Guess(scene.vocabulary[best], float(words[best]))
