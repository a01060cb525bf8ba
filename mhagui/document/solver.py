"""The gain at which a row of attention spreads over as many positions as one asks for."""

import math

import numpy as np

from mhagui import core
from mhagui.document.compute import Result
from mhagui.document.edits import SetHead, set_gain
from mhagui.document.records import Array
from mhagui.document.scene import Scene
from mhagui.errors import UserError
from mhagui.formats import short

_LARGEST_GAIN = 1e30


def edit_for(scene: Scene, result: Result, head: int, row: int, n_effective: float) -> SetHead:
    """Return the edit that gives row ``row``, from 0, of a head so many effective positions.

    It sets the head's own gain, so that times the master gain it is what ``gain_for`` finds.

    Raises
    ------
    UserError
        When no gain gives so many, the master gain is 0, or the head has a slope. A sink changes
        nothing: the positions are those of the weights over what they sum to.
    """
    if scene.master_gain == 0:
        raise UserError("The master gain is 0, so that a head's own gain changes nothing.")
    allowed = result.allowed[row]
    if not allowed.any():
        raise UserError(f"Row t{row + 1} sees no key, so that no gain changes it.")
    if scene.head(head).slope:
        raise UserError(
            "This head has an ALiBi slope, which a gain does not scale: its effective positions "
            "follow from both, and no gain is found for them."
        )
    scores = result.heads[scene.index_of(head)].scores[row][allowed]
    return set_gain(head, gain_for(scores, n_effective) / scene.master_gain)


def gain_for(scores: Array, n_effective: float) -> float:
    """Return the gain g > 0 at which softmax(g·S) of one row has so many effective positions.

    Parameters
    ----------
    scores
        Scores of the row's allowed keys, (n,), dimensionless.
    n_effective
        2 to the row entropy that is wanted, between the number of keys that share the largest
        score and n, both excluded.

    Raises
    ------
    UserError
        When no gain gives so many: the sentence says what the row can reach.

    Notes
    -----
    The entropy falls as g grows, since its derivative is -g times the variance of S under the
    weights; so there is one such gain, found by halving to the last bit.
    """
    most, least = len(scores), int(np.count_nonzero(scores == scores.max()))
    if most == least:
        raise UserError("All keys of this row have the same score: its weights move with no gain.")
    if not least < n_effective < most:
        raise UserError(
            f"This row's effective positions lie between {least} and {most} for gains above 0; "
            f"{short(n_effective)} cannot be reached."
        )
    low, high = 0.0, 1.0
    while _effective(scores, high) > n_effective and high < _LARGEST_GAIN:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        if _effective(scores, middle) > n_effective:
            low = middle
        else:
            high = middle
    return high


def _effective(scores: Array, gain: float) -> float:
    weights = core.weights_from_scores(scores[np.newaxis], gain=gain, mask=None)
    return math.pow(2.0, float(core.row_entropy_bits(weights)[0]))
