"""The weights of a head, their entropies, and what they make of its input and values."""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.head import Head
from mhagui.document.on_demand import Matrix, scores_on_demand, weights_on_demand
from mhagui.document.recall import Recall
from mhagui.document.records import Array, sealed

BoolArray = npt.NDArray[np.bool_]
Check: TypeAlias = Callable[[], object]  # ends the work by what it raises
Seen: TypeAlias = Literal["causal"] | BoolArray  # a mask as the core takes it
ROWS = 128  # of a block of scores that is looked at in one go, so that it stays in the cache


class Attention(NamedTuple):
    """S, A, the row entropies, A times what is read of X, A V, and the shares of a sink."""

    scores: Matrix
    weights: Matrix
    entropy: Array
    mixed: Array
    output: Array
    sink_shares: Array | None = None


def attention(
    head: Head, q: Array, k: Array, gain: float, x: Array, values: Array, seen: Seen, recall: Recall
) -> Attention:
    """Return what is made of A, which is kept; ``x`` is what is read of X."""
    scores = recall.array("scores", partial(core.attention_scores, check=recall.check), q, k)
    make = partial(_weights_and_entropies, recall.check)
    weights, entropy, shares = recall("weights", make, scores, gain, head.slope, head.sink, seen)
    found = _weighed(scores, weights, entropy, x, values, seen, recall)
    return found._replace(sink_shares=shares)


def given_attention(
    a: Array, gain: float, x: Array, values: Array, seen: Seen, recall: Recall
) -> Attention:
    """Return the same of given weights, which are A to the bit where the gain is 1."""
    scores = recall.array("scores", _log_weights, a)
    make = partial(_reweighted, recall.check)
    weights, entropy = recall("weights", make, a, scores, gain, seen)
    return _weighed(scores, weights, entropy, x, values, seen, recall)


def _weighed(
    scores: Array,
    weights: Array,
    entropy: Array,
    x: Array,
    values: Array,
    seen: Seen,
    recall: Recall,
) -> Attention:
    sums = partial(core.weighted_sums, check=recall.check)
    mixed = recall.array("mixed", sums, weights, x, mask=seen) if x.shape[1] else x
    output = recall.array("output", sums, weights, values, mask=seen)
    return Attention(scores, weights, entropy, mixed, output)


def attention_on_demand(
    q: Array, k: Array, gain: float, x: Array, values: Array, recall: Recall
) -> Attention:
    """Return the same without keeping S or A: all that follows from A is made in one pass."""
    scores = recall("scores on demand", partial(scores_on_demand, recall.check), q, k)
    make = partial(weights_on_demand, recall.check)
    weights, entropy, sums = recall("weights", make, q, k, gain, x, values)
    return Attention(scores, weights, entropy, *sums)


def _weights_and_entropies(
    check: Check, scores: Array, gain: float, slope: float, sink: float | None, seen: Seen
) -> tuple[Array, Array, Array | None]:
    """Return A, the entropy of each row's shares, and what the sink takes where there is one."""
    if slope == 0 and sink is None:
        plain = core.weights_and_entropies_from_scores(scores, gain=gain, mask=seen, check=check)
        weights, bits = plain
        return sealed(weights), sealed(bits), None
    bias = core.alibi_bias([slope], *scores.shape)[0]
    found = core.biased_weights(scores, gain=gain, bias=bias, sinks=sink, mask=seen, check=check)
    shares = None if sink is None else sealed(found.sink_shares)
    return sealed(found.weights), sealed(found.bits), shares


def _log_weights(a: Array) -> Array:
    return np.log(np.maximum(a, np.finfo(a.dtype).tiny))


def _reweighted(
    check: Check, a: Array, scores: Array, gain: float, seen: Seen
) -> tuple[Array, Array]:
    """Return softmax(g S) times what each given row sums to, and the entropy of its shares."""
    found = core.weights_and_entropies_from_scores(scores, gain=gain, mask=seen, check=check)
    shares, bits = found
    sums = a.sum(axis=1)
    bits[sums == 0] = np.nan
    return (a if gain == 1 else sealed(shares * sums[:, np.newaxis])), sealed(bits)


def differ_in_a_row(scores: Matrix, seen: Seen, has_sink: bool = False) -> bool:
    """Say whether any row's allowed scores differ: most do in the second row.

    With a sink, which no gain scales: whether any of them is not 0.
    """
    for first in range(0, len(scores), ROWS):
        rows = scores[first : first + ROWS]
        if isinstance(seen, str):
            differ = np.tril(rows != (0.0 if has_sink else rows[:, :1]), first)
        else:
            allowed = seen[first : first + ROWS]
            one_allowed = np.take_along_axis(rows, allowed.argmax(axis=1)[:, np.newaxis], axis=1)
            differ = (rows != (0.0 if has_sink else one_allowed)) & allowed
        if differ.any():
            return True
    return False
