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

from mhagui import core
from mhagui.core.threads import one_blas_thread
from mhagui.document.attention import (
    BoolArray,
    Seen,
    attention,
    attention_on_demand,
    differ_in_a_row,
    given_attention,
)
from mhagui.document.designs import designed_factors
from mhagui.document.head import Head
from mhagui.document.head_result import HeadResult, Joined, ScoreSpectrum, WeightSpectrum
from mhagui.document.mask_rule import MaskRule
from mhagui.document.on_demand import are_kept
from mhagui.document.packed import PackedProjection, Slice
from mhagui.document.recall import Recall, Steps
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene

# The widest model whose channel maps W_V^h W_O^(h), d_model × d_model for each head, are made. They
# say more than O_h W_O^(h) does, but cost d_model² · d_v; 1 GB for a layer of a billion parameters.
MOST_MAPPED = 256


@dataclass(frozen=True, eq=False)
class Result:
    """All that is computed of a scene; every array is read-only, and finite but where told.

    Attributes
    ----------
    heads
        One record per head, in the scene's order.
    mask, allowed
        The mask, and which keys it lets each query see, (T, T), or (T, T_k) of keys that are not
        the queries' positions; True = allowed.
    has_values
        Whether X, W_V and W_O are known; where they are not, all that follows from them is 0.
    n_allowed
        How many keys each query may see, (T,).
    ceiling_bits
        The most a row's entropy can be, log2 of its number of allowed keys, (T,), bits; NaN where
        it has none.
    concat
        [O_1 .. O_H], (T, H * d_v), ablated heads zero.
    output
        O = Concat W_O + b_O, (T, d_model); of two layers the sum O_1 + O_2.
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
    mask: MaskRule
    allowed: BoolArray
    has_values: bool
    n_allowed: Array
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

    @property
    def ceiling_name(self) -> str:
        """What the ceiling is called: log2 t, or of n_t keys that row t sees under another mask."""
        return "log2 t" if self.mask.is_causal else "log2 n_t"

    @property
    def mean_ceiling_bits(self) -> float:
        """Mean of the ceiling over the rows that see a key, bits."""
        return float(self.ceiling_bits[~np.isnan(self.ceiling_bits)].mean())

    @property
    def mean_allowed(self) -> float:
        """Mean over the same rows of the number of allowed keys."""
        return float(self.n_allowed[self.n_allowed > 0].mean())

    @property
    def has_queries(self) -> bool:
        """Whether queries and keys of all heads are known."""
        return all(head.has_queries for head in self.heads)

    @cached_property
    def terms(self) -> Array:
        """The term of each head, (H, T, d_model), ablated heads zero."""
        terms = np.zeros((len(self.heads), *self.output.shape))
        for place, head in zip(terms, self.heads, strict=True):
            if head.active:
                place[:] = head.term
        return sealed(terms)


def compute(
    scene: Scene,
    previous: Result | None = None,
    check: Callable[[int], object] | None = None,
) -> Result:
    """Compute ``scene``, taking over from ``previous`` each step whose inputs are the same.

    ``check`` is called with how many heads are done, before each and again and again within it,
    in other threads as well; what it raises ends the computation.
    """
    # The kernels have threads of their own, and products of a few columns take less time than
    # the threads of BLAS wait for one another.
    with one_blas_thread():
        return _compute(scene, Recall(previous.steps if previous else {}), previous, check)


def _compute(
    scene: Scene,
    recall: Recall,
    previous: Result | None,
    check: Callable[[int], object] | None,
) -> Result:
    allowed = recall("allowed", MaskRule.allowed, scene.mask, scene.n_positions, scene.n_keys)
    seen: Seen = "causal" if scene.mask.is_causal else allowed
    heads = _head_results(scene, seen, previous, recall, check)
    counted = [head for head in heads if head.active]
    zero = recall.array("zero", np.zeros, heads[0].output.shape)
    outputs = tuple(head.output if head.active else zero for head in heads)
    concat = recall.array("concat", _side_by_side, *outputs)
    w_o = recall.columns("W_O", scene.w_o)
    output = _outputs(concat, outputs, w_o, recall)
    n_allowed = recall.array("keys seen", core.allowed_counts, allowed)
    return Result(
        heads=heads,
        mask=scene.mask,
        allowed=allowed,
        has_values=scene.has_values,
        n_allowed=n_allowed,
        ceiling_bits=recall.array("ceiling", _ceiling_bits, n_allowed),
        concat=concat,
        output=_with_bias(_joined("output", output, recall), scene.b_o, recall),
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
        "W_V": tuple(Slice(of.x, _unbiased(of, recall), of.head.w_v) for of in heads),
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
        sums = tuple(_largest_sum(of, recall) * (of.head.layer == layer) for of in heads)
        if scene.d_model > MOST_MAPPED:
            values = (head.values for head in heads)
            reach = recall.array(f"reach {layer}", _reach, sums, *values)
            bounds = [
                recall(f"bound {layer} {n}", core.synthesis_bound, reach, part, scene.n_heads)
                for n, part in enumerate(w_o)
            ]
        else:
            read, maps = _affine_maps(scene, x, layer, recall)
            w_v = recall.array(f"w_v {layer}", _weighed, sums, *maps)
            bounds = [
                recall(f"bound {layer} {n}", core.filter_bank_bound, read, w_v, part)
                for n, part in enumerate(w_o)
            ]
        bound += max(bounds)
    return bound


def _largest_sum(of: HeadResult, recall: Recall) -> float:
    """Return the most a row sums to: 1, or more where weights are given; 0 of a muted head."""
    a = of.head.a
    if not of.active or a is None:
        return float(of.active)
    return max(1.0, recall(f"sum {of.head.uid}", _largest_row_sum, a))


def _affine_maps(
    scene: Scene, x: Array, layer: int, recall: Recall
) -> tuple[Array, tuple[Array, ...]]:
    """Return X and every W_V; where a head has a bias [X 1] and [W_V; b_V], which are the same."""
    if all(head.b_v is None for head in scene.heads):
        return x, tuple(head.w_v for head in scene.heads)
    zero = recall.array("no bias", np.zeros, (1, scene.d_v))
    b_v = {head.uid: zero if head.b_v is None else head.b_v for head in scene.heads}
    return recall.array(f"x 1 {layer}", _with_ones, x), tuple(
        recall.array(f"affine {head.uid}", _stacked, head.w_v, b_v[head.uid])
        for head in scene.heads
    )


def _unbiased(of: HeadResult, recall: Recall) -> Array:
    """Return X W_V of a head."""
    if of.head.b_v is None:
        return of.values
    return recall.array(f"X W_V {of.head.uid}", _product, of.x, of.head.w_v)


def _listening(scene: Scene, w_o: tuple[Array, ...], recall: Recall) -> Array:
    parts = [
        recall.array(f"listening {n}", core.synthesis_norms, part, scene.n_heads)
        for n, part in enumerate(w_o)
    ]
    return recall.array("listening", _stacked, *parts)


def _head_results(
    scene: Scene,
    seen: Seen,
    previous: Result | None,
    recall: Recall,
    check: Callable[[int], object] | None,
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
                before = earlier.get(head.uid)
                own = Recall(before.steps if before else {}, check and partial(check, len(results)))
                own.check()
                results[index] = _of_head(scene, index, x, seen, own, recall)
    return tuple(results[index] for index in range(scene.n_heads))


class _Layer(NamedTuple):
    """What every head of a scene is computed by."""

    d_k: int
    keep_margin: bool
    mask: MaskRule
    seen: Seen
    is_kept: bool  # whether there is room for the weights of all heads


def _of_head(
    scene: Scene, index: int, x: Array, seen: Seen, own: Recall, recall: Recall
) -> HeadResult:
    """Return the result of a head, of ``own`` steps: the earlier one where nothing has changed."""
    head = scene.heads[index]
    # Not one of the head's own steps: those of a head that is taken over would hold an earlier W_O.
    block = recall.columns(f"block {head.uid}", scene.w_o, scene.rows_of(index))
    is_kept = are_kept(scene.n_weights)
    layer = _Layer(scene.d_k, scene.keep_margin, scene.mask, seen, is_kept)
    name, make = f"head {head.uid}", partial(_head_result, own)
    # Added to 0 there is no −0, which would be the same input, but not the same bits.
    gain, active = head.gain * scene.master_gain + 0.0, scene.active[index]
    result = recall(name, make, head, active, gain, layer, x, block)
    recall.made.extend(f"{name} {made}" for made in own.made)
    return result


def _head_result(
    recall: Recall,
    head: Head,
    active: bool,
    gain: float,
    layer: _Layer,
    x: Array,
    block: tuple[Array, ...],
) -> HeadResult:
    q, k, seen = *_factors(head, layer, x, recall), layer.seen
    of_keys = x  # the rows that keys and values come from
    if layer.mask.across:  # of which nothing is known but that they are so many
        of_keys = recall.array("keys read", np.zeros, (len(k), x.shape[1]))
    values = recall.array("values", _values, of_keys, head.w_v, head.b_v)
    x_read, w_v_read = recall("read", _read, of_keys, head.w_v, head.b_v)
    if head.a is not None:
        found = given_attention(head.a, gain, x_read, values, seen, recall)
    elif layer.is_kept:
        found = attention(head, q, k, gain, x_read, values, seen, recall)
    else:  # under the causal mask alone
        found = attention_on_demand(q, k, gain, x_read, values, recall)
    if w_v_read is None:
        term = _products("term", found.output, block, recall)
    else:
        channels = _products("channels", w_v_read, block, recall)
        term = _products("term", found.mixed, channels, recall)
    return HeadResult(
        head=head,
        active=active,
        gain=gain,
        mask=layer.mask,
        x=x,
        q=q,
        k=k,
        scores=found.scores,
        scores_differ=recall("differ", differ_in_a_row, found.scores, seen, head.sink is not None),
        weights=found.weights,
        row_entropy_bits=found.entropy,
        effective_positions=recall.array("positions", np.exp2, found.entropy),
        values=values,
        output=found.output,
        joined=recall("term", Joined, term),
        sink_shares=found.sink_shares,
        score_spectrum=recall("score spectrum", ScoreSpectrum, q, k),
        weight_spectrum=recall("weight spectrum", WeightSpectrum, found.weights),
        steps=recall.steps,
    )


def _read(x: Array, w_v: Array, b_v: Array | None) -> tuple[Array, Array | None]:
    """Return X and W_V without the features that W_V takes nothing from: nor does the term.

    A bias is read from a feature more, which is 1. Nothing is read where the term is made of O_h.
    """
    if x.shape[1] > MOST_MAPPED:
        return x[:, :0], None
    read = w_v.any(axis=1)
    if b_v is not None:
        return sealed(_with_ones(x[:, read])), sealed(_stacked(w_v[read], b_v))
    if read.all() or not read.any():
        return x, w_v
    return sealed(x[:, read]), sealed(w_v[read])


def _factors(head: Head, layer: _Layer, x: Array, recall: Recall) -> tuple[Array, Array]:
    """Return Q and K of a head: as given, projected from what it reads, or as designed."""
    if head.q is not None and head.k is not None:
        return head.q, head.k
    if head.w_q is not None and head.w_k is not None:
        return recall.array("q", _product, x, head.w_q), recall.array("k", _product, x, head.w_k)
    if head.a is not None:
        n_queries, n_keys = head.a.shape
        unknown = recall.array("factors", np.zeros, (n_queries, layer.d_k))
        if n_keys == n_queries:
            return unknown, unknown
        return unknown, recall.array("key factors", np.zeros, (n_keys, layer.d_k))
    return recall(
        "factors",
        designed_factors,
        head.pattern,
        head.settings,
        len(x),
        layer.d_k,
        head.key_magnitude,
        keep_margin=layer.keep_margin,
    )


def _largest_row_sum(a: Array) -> float:
    return float(a.sum(axis=1).max())


def _ceiling_bits(counts: Array) -> Array:
    return np.log2(np.where(counts > 0, counts, np.nan))


def _values(x: Array, w_v: Array, b_v: Array | None) -> Array:
    return _product(x, w_v) if b_v is None else _product(x, w_v) + b_v


def _with_bias(output: Array, b_o: Array | None, recall: Recall) -> Array:
    return output if b_o is None else recall.array("output + b_O", np.add, output, b_o)


def _with_ones(x: Array) -> Array:
    return np.hstack((x, np.ones((len(x), 1))))


def _weighed(sums: tuple[float, ...], *of_heads: Array) -> Array:
    """Stack the heads' arrays, each times what its weights sum to at most."""
    stacked = np.zeros((len(of_heads), *of_heads[0].shape))
    for place, factor, array in zip(stacked, sums, of_heads, strict=True):
        np.multiply(array, factor, out=place)
    return stacked


def _reach(sums: tuple[float, ...], *values: Array) -> Array:
    """Return a bound of |O_h| of each row of W_O, (H * d_v,): no output is larger, at any gain."""
    largest = [np.abs(of_head).max(axis=0) for of_head in values]
    return np.concatenate([of * factor for of, factor in zip(largest, sums, strict=True)])


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
