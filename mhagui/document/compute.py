"""From a Scene to a Result: the one place where the attention layer of a scene is computed.

Each step of the computation is remembered together with its inputs; ``compute`` takes a step over
from the previous result when its inputs are the same. So a gain redoes one head's softmax and what
hangs below it, a cell of W_O the few columns that it stands in, and mute the sums over heads.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.core.threads import one_blas_thread
from mhagui.document.designs import designed_factors
from mhagui.document.head import Head
from mhagui.document.head_result import HeadResult, ScoreSpectrum, WeightSpectrum
from mhagui.document.on_demand import Matrix, most_kept, scores_on_demand, weights_on_demand
from mhagui.document.packed import PackedProjection, Slice
from mhagui.document.recall import Recall, Steps
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene

BoolArray = npt.NDArray[np.bool_]
ROWS = 128  # of a block of scores that is looked at in one go, so that it stays in the cache


@dataclass(frozen=True, eq=False)
class Result:
    """All that is computed of a scene; every array is read-only and finite.

    Attributes
    ----------
    heads
        One record per head, in the scene's order.
    allowed
        The causal mask, (T, T), True = allowed.
    ceiling_bits
        The most a row's entropy can be, log2 of its number of allowed keys, (T,), bits.
    concat
        [O_1 .. O_H], (T, H * d_v), ablated heads zero.
    output
        O = Concat W_O, (T, d_model); of two layers the sum O_1 + O_2.
    filter_bank_residual
        max |Concat W_O - sum of the terms|.
    residual_bound
        What rounding alone can make of the residual, whatever the gains.
    listening
        Norm of column j of W_O^(h), (d_model, H): how much output channel j hears of head h.
    packed_queries, packed_keys, packed_values
        The packed W_Q, W_K and W_V, found when first asked for.
    steps
        What the next ``compute`` can take over.
    made
        The names of the steps that were made and not taken over; those of a head begin with it.
    """

    heads: tuple[HeadResult, ...]
    allowed: BoolArray
    ceiling_bits: Array
    concat: Array
    output: Array
    filter_bank_residual: float
    residual_bound: float
    listening: Array
    packed_queries: PackedProjection
    packed_keys: PackedProjection
    packed_values: PackedProjection
    steps: Steps = field(repr=False)
    made: tuple[str, ...] = field(repr=False)

    @cached_property
    def terms(self) -> Array:
        """(A_h X) (W_V^h W_O^(h)) of each head, (H, T, d_model), ablated heads zero."""
        terms = np.zeros((len(self.heads), *self.output.shape))
        for place, head in zip(terms, self.heads, strict=True):
            if head.active:
                place[:] = head.term
        return sealed(terms)


def compute(
    scene: Scene,
    previous: Result | None = None,
    before_head: Callable[[int], object] | None = None,
) -> Result:
    """Compute ``scene``, taking over from ``previous`` each step whose inputs are the same.

    ``before_head`` is called before each, with how many there are already; what it raises ends the
    computation.
    """
    # The kernels have threads of their own, and products of a few columns take less time than
    # the threads of BLAS wait for one another.
    with one_blas_thread():
        return _compute(scene, Recall(previous.steps if previous else {}), previous, before_head)


def _compute(
    scene: Scene,
    recall: Recall,
    previous: Result | None,
    before_head: Callable[[int], object] | None,
) -> Result:
    allowed = recall("allowed", _allowed, scene.n_positions)
    heads = _head_results(scene, previous, recall, before_head)
    counted = [head for head in heads if head.active]
    zero = recall.array("zero", np.zeros, heads[0].output.shape)
    outputs = tuple(head.output if head.active else zero for head in heads)
    concat = recall.array("concat", _side_by_side, *outputs)
    w_o = recall.columns("W_O", scene.w_o)
    output = _outputs(concat, outputs, w_o, recall)
    return Result(
        heads=heads,
        allowed=allowed,
        ceiling_bits=recall.array("ceiling", _ceiling_bits, scene.n_positions),
        concat=concat,
        output=_joined("output", output, recall),
        filter_bank_residual=max(
            recall(f"residual {n}", _residual, part, *(head.term_parts[n] for head in counted))
            for n, part in enumerate(output)
        ),
        residual_bound=_residual_bound(scene, heads, w_o, recall),
        listening=_listening(scene, w_o, recall),
        **_packed(scene, heads, recall),
        steps=recall.steps,
        made=tuple(recall.made),
    )


def _packed(
    scene: Scene, heads: tuple[HeadResult, ...], recall: Recall
) -> dict[str, PackedProjection]:
    """Return the packed matrices by the name of their field in a Result."""
    slices = {
        "W_Q": tuple(Slice(of.x, of.q, of.head.w_q) for of in heads),
        "W_K": tuple(Slice(of.x, of.k, of.head.w_k) for of in heads),
        "W_V": tuple(Slice(of.x, of.values, of.head.w_v) for of in heads),
    }
    fields = ("packed_queries", "packed_keys", "packed_values")
    return {
        field: recall(symbol, PackedProjection, symbol, scene.x, parts)
        for field, (symbol, parts) in zip(fields, slices.items(), strict=True)
    }


def _residual_bound(
    scene: Scene, heads: tuple[HeadResult, ...], w_o: tuple[Array, ...], recall: Recall
) -> float:
    """Add up what rounding allows each layer, whose heads read the same and which may differ."""
    bound = 0.0
    for layer, x in {head.head.layer: head.x for head in heads}.items():
        counts = tuple(head.active and head.head.layer == layer for head in heads)
        w_v = recall.array(f"w_v {layer}", _ablated, counts, *(head.w_v for head in scene.heads))
        bound += max(
            recall(f"bound {layer} {n}", core.filter_bank_bound, x, w_v, part)
            for n, part in enumerate(w_o)
        )
    return bound


def _listening(scene: Scene, w_o: tuple[Array, ...], recall: Recall) -> Array:
    parts = [
        recall.array(f"listening {n}", core.synthesis_norms, part, scene.n_heads)
        for n, part in enumerate(w_o)
    ]
    return recall.array("listening", _stacked, *parts)


def _head_results(
    scene: Scene,
    previous: Result | None,
    recall: Recall,
    before_head: Callable[[int], object] | None,
) -> tuple[HeadResult, ...]:
    """Compute the heads of layer 1, and then those that read what these have added to X."""
    earlier = {result.head.uid: result for result in previous.heads} if previous else {}
    results: dict[int, HeadResult] = {}
    x = scene.x
    for layer in sorted({head.layer for head in scene.heads}):
        if results:
            added = [result.term for result in results.values() if result.active]
            x = recall.array("stream", _sum, scene.x, *added)
        for index, head in enumerate(scene.heads):
            if head.layer == layer:
                if before_head is not None:
                    before_head(len(results))
                results[index] = _of_head(scene, index, x, earlier.get(head.uid), recall)
    return tuple(results[index] for index in range(scene.n_heads))


def _of_head(
    scene: Scene, index: int, x: Array, earlier: HeadResult | None, recall: Recall
) -> HeadResult:
    """Return the result of a head: the earlier one where nothing of it has changed."""
    head = scene.heads[index]
    own = Recall(earlier.steps if earlier else {})
    # Not one of the head's own steps: those of a head that is taken over would hold an earlier W_O.
    block = recall.columns(f"block {head.uid}", scene.w_o, scene.rows_of(index))
    design = scene.d_k, scene.keep_margin
    is_kept = scene.n_positions <= most_kept(scene.n_heads)
    name, make = f"head {head.uid}", partial(_head_result, own)
    # Added to 0 there is no −0, which would be the same input, but not the same bits.
    gain, active = head.gain * scene.master_gain + 0.0, scene.active[index]
    result = recall(name, make, head, active, gain, design, x, block, is_kept)
    recall.made.extend(f"{name} {made}" for made in own.made)
    return result


def _head_result(
    recall: Recall,
    head: Head,
    active: bool,
    gain: float,
    design: tuple[int, bool],
    x: Array,
    block: tuple[Array, ...],
    is_kept: bool,
) -> HeadResult:
    q, k = _factors(head, design, x, recall)
    values = recall.array("values", _product, x, head.w_v)
    attend = _attention if is_kept else _attention_on_demand
    x_read, w_v_read = recall("read", _read, x, head.w_v)
    found = attend(q, k, gain, x_read, values, recall)
    channels = _products("channels", w_v_read, block, recall)
    term = _products("term", found.mixed, channels, recall)
    return HeadResult(
        head=head,
        active=active,
        gain=gain,
        x=x,
        q=q,
        k=k,
        scores=found.scores,
        scores_differ=recall("differ", _differ_in_a_row, found.scores),
        weights=found.weights,
        row_entropy_bits=found.entropy,
        effective_positions=recall.array("positions", np.exp2, found.entropy),
        values=values,
        output=found.output,
        term_parts=term,
        term=_joined("term", term, recall),
        score_spectrum=recall("score spectrum", ScoreSpectrum, q, k),
        weight_spectrum=recall("weight spectrum", WeightSpectrum, found.weights),
        steps=recall.steps,
    )


def _read(x: Array, w_v: Array) -> tuple[Array, Array]:
    """Return X and W_V without the features that W_V takes nothing from: nor does the term."""
    read = w_v.any(axis=1)
    if read.all() or not read.any():
        return x, w_v
    return sealed(x[:, read]), sealed(w_v[read])


def _factors(head: Head, design: tuple[int, bool], x: Array, recall: Recall) -> tuple[Array, Array]:
    """Return Q and K of a head: as given, projected from what it reads, or as designed."""
    if head.q is not None and head.k is not None:
        return head.q, head.k
    if head.w_q is not None and head.w_k is not None:
        return recall.array("q", _product, x, head.w_q), recall.array("k", _product, x, head.w_k)
    d_k, keep_margin = design
    return recall(
        "factors",
        designed_factors,
        head.pattern,
        head.settings,
        len(x),
        d_k,
        head.key_magnitude,
        keep_margin=keep_margin,
    )


class _Attention(NamedTuple):
    """S, A, the row entropies, A times what is read of X, and A V."""

    scores: Matrix
    weights: Matrix
    entropy: Array
    mixed: Array
    output: Array


def _attention(
    q: Array, k: Array, gain: float, x: Array, values: Array, recall: Recall
) -> _Attention:
    """Return what is made of A, which is kept; ``x`` is what is read of X."""
    scores = recall.array("scores", core.attention_scores, q, k)
    weights, entropy = recall("weights", _weights_and_entropies, scores, gain)
    mixed = recall.array("mixed", core.weighted_sums, weights, x)
    output = recall.array("output", core.weighted_sums, weights, values)
    return _Attention(scores, weights, entropy, mixed, output)


def _attention_on_demand(
    q: Array, k: Array, gain: float, x: Array, values: Array, recall: Recall
) -> _Attention:
    """Return the same without keeping S or A: all that follows from A is made in one pass."""
    scores = recall("scores on demand", scores_on_demand, q, k)
    weights, entropy, sums = recall("weights", weights_on_demand, q, k, gain, x, values)
    return _Attention(scores, weights, entropy, *sums)


def _weights_and_entropies(scores: Array, gain: float) -> tuple[Array, Array]:
    weights, bits = core.weights_and_entropies_from_scores(scores, gain=gain)
    return sealed(weights), sealed(bits)


def _differ_in_a_row(scores: Matrix) -> bool:
    """Say whether any row's allowed scores differ: most do in the second row."""
    for first in range(0, len(scores), ROWS):
        rows = scores[first : first + ROWS]
        if (np.tril(rows != rows[:, :1], first)).any():
            return True
    return False


def _allowed(n_positions: int) -> BoolArray:
    allowed = core.causal_mask(n_positions)
    allowed.flags.writeable = False
    return allowed


def _ceiling_bits(n_positions: int) -> Array:
    return np.log2(np.arange(1, n_positions + 1))


def _ablated(active: tuple[bool, ...], *of_heads: Array) -> Array:
    """Stack the heads' arrays, those of heads that are not active as zeros."""
    stacked = np.zeros((len(of_heads), *of_heads[0].shape))
    for place, is_active, array in zip(stacked, active, of_heads, strict=True):
        if is_active:
            place[:] = array
    return stacked


def _products(
    name: str, array: Array, parts: tuple[Array, ...], recall: Recall
) -> tuple[Array, ...]:
    """Return ``array`` times each of ``parts``, the blocks of columns of another matrix.

    Where nothing is heard nothing is multiplied: of a W_O that only puts features back where they
    were, a head has one block of many.
    """
    return tuple(
        recall.array(f"{name} {n}", _product, array, part)
        if part.any()
        else recall.array(f"{name} {n}", np.zeros, (len(array), part.shape[1]))
        for n, part in enumerate(parts)
    )


def _outputs(
    concat: Array, outputs: tuple[Array, ...], w_o: tuple[Array, ...], recall: Recall
) -> tuple[Array, ...]:
    """Return O in blocks of columns, each made of the heads from the first to the last it hears.

    ``concat`` holds the ``outputs``: a block is the same while those of its heads are.
    """
    width, parts = outputs[0].shape[1], []
    for n, part in enumerate(w_o):
        heard = np.flatnonzero(part.any(axis=1)) // width
        heads = slice(int(heard[0]), int(heard[-1]) + 1) if len(heard) else slice(0, 0)
        make = partial(_heard, concat, slice(heads.start * width, heads.stop * width))
        parts.append(recall.array(f"output {n}", make, part, len(concat), outputs[heads]))
    return tuple(parts)


def _heard(
    concat: Array, rows: slice, part: Array, _n_positions: int, _outputs: tuple[Array, ...]
) -> Array:
    return _product(concat[:, rows], part[rows])


def _joined(name: str, parts: tuple[Array, ...], recall: Recall) -> Array:
    return parts[0] if len(parts) == 1 else recall.array(name, _side_by_side, *parts)


def _side_by_side(*parts: Array) -> Array:
    return np.concatenate(parts, axis=1)


def _stacked(*parts: Array) -> Array:
    return np.concatenate(parts)


def _residual(output: Array, *terms: Array) -> float:
    """Return the largest difference between some columns of O and of the sum of the terms."""
    return float(np.max(np.abs(output - _sum(*terms)))) if terms else float(np.max(np.abs(output)))


def _sum(first: Array, *others: Array) -> Array:
    total = first.copy()
    for other in others:
        total += other
    return total


def _product(one: Array, other: Array) -> Array:
    product: Array = one @ other
    return product
