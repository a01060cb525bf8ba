"""From a Scene to a Result: the one place where the attention layer of a scene is computed.

Each step of the computation is remembered together with its inputs; ``compute`` takes a step over
from the previous result when its inputs are the same. So a gain redoes one head's softmax and what
hangs below it, and a cell of W_O the projection alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.blas import one_blas_thread
from mhagui.document.designs import designed_factors
from mhagui.document.head import Head
from mhagui.document.packed import PackedProjection, Slice
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene

BoolArray = npt.NDArray[np.bool_]
P = ParamSpec("P")
T = TypeVar("T")


class Step(NamedTuple):
    """What one step was made from, and what came out of it."""

    inputs: tuple[Any, ...]
    output: Any


Steps = Mapping[str, Step]
Standing = Literal["", "soloed", "muted", "not soloed"]


class Recall:
    """Makes the steps of a computation, or takes them over from an earlier one, by name.

    Arrays are the same input when they are the same object. That costs nothing to find out, and is
    enough: a step taken over hands on the very array it handed on before.
    """

    def __init__(self, earlier: Steps) -> None:
        self._earlier = earlier
        self.steps: dict[str, Step] = {}

    def __call__(self, name: str, make: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return ``make(*args, **kwargs)``, not made again when these are what they were."""
        inputs = (*args, *kwargs.values())
        step = self._earlier.get(name)
        if step is None or not _are_same(step.inputs, inputs):
            step = Step(inputs, make(*args, **kwargs))
        self.steps[name] = step
        output: T = step.output
        return output

    def array(
        self,
        name: str,
        make: Callable[P, npt.NDArray[Any]],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Array:
        """Do the same for a ``make`` that returns a new array; it becomes read-only."""
        return self(name, _sealing(make), *args, **kwargs)

    def part(self, name: str, array: Array) -> Array:
        """Return ``array``, a part of a larger one, or the earlier one that holds the same.

        The larger array is new whenever any part of it is, so this part alone is compared by value.
        """
        step = self._earlier.get(name)
        if step is None or not np.array_equal(step.output, array):
            step = Step((), array)
        self.steps[name] = step
        same: Array = step.output
        return same


@dataclass(frozen=True, eq=False)
class ScoreSpectrum:
    """What no gain changes of a head, made when first asked for."""

    q: Array
    k: Array

    @cached_property
    def rank(self) -> int:
        """Numerical rank of Q Kᵀ, 0..d_k."""
        return int(core.score_rank(self.q, self.k))

    @cached_property
    def singular_values(self) -> Array:
        """Singular values of Q Kᵀ, descending, at most d_k of them."""
        return sealed(core.score_singular_values(self.q, self.k))


@dataclass(frozen=True, eq=False)
class WeightSpectrum:
    """The spectrum of A: a T × T decomposition, made once and when first asked for."""

    weights: Array

    @property
    def is_known(self) -> bool:
        """Whether the decomposition has been made, so that asking costs nothing."""
        return "singular_values" in vars(self)

    @cached_property
    def singular_values(self) -> Array:
        """Singular values of A, descending, T of them."""
        with one_blas_thread():
            return sealed(core.singular_values(self.weights))

    @cached_property
    def effective_rank(self) -> float:
        """Effective rank of A (Roy & Vetterli), 1..T."""
        return float(core.effective_rank_from_singular_values(self.singular_values))


@dataclass(frozen=True, eq=False)
class HeadResult:
    """All that is computed of one head; an array is the same object as long as it is unchanged.

    Attributes
    ----------
    head
        The head as it stands in the scene.
    active
        Whether it reaches W_O; an ablated head's block of Concat and its term in the sum are zero.
    gain
        The gain in force: the head's times the master gain.
    x
        What the head reads, (T, d_model): X, or X + O_1 for a head of layer 2.
    q, k
        Q_h and K_h, (T, d_k), K_h without the gain.
    scores
        S_h = Q_h K_hᵀ / sqrt(d_k), (T, T), without gain or mask.
    scores_differ
        Whether any row's allowed keys have different scores; where none does, no gain changes A_h.
    weights
        A_h = softmax(g S_h), (T, T); rows sum to 1 over the allowed keys, other cells are 0.
    row_entropy_bits
        Entropy of each row of A_h in bits, (T,).
    effective_positions
        2 to the row entropy, (T,).
    values
        V_h = X W_V^h, (T, d_v), of what the head reads, as in the term.
    output
        O_h = A_h V_h, (T, d_v), before any ablation.
    term
        A_h (X (W_V^h W_O^(h))), (T, d_model), before any ablation: not made by way of ``output``.
    score_spectrum, weight_spectrum
        Ranks and singular values, made when first asked for.
    steps
        What the next ``compute`` can take over.
    """

    head: Head
    active: bool
    gain: float
    x: Array
    q: Array
    k: Array
    scores: Array
    scores_differ: bool
    weights: Array
    row_entropy_bits: Array
    effective_positions: Array
    values: Array
    output: Array
    term: Array
    score_spectrum: ScoreSpectrum
    weight_spectrum: WeightSpectrum
    steps: Steps = field(repr=False)

    @property
    def standing(self) -> Standing:
        """What mute and solo make of the head, in words; nothing for one that is merely heard.

        A head that another's solo silences is "not soloed", unless it is muted as well.
        """
        if self.active:
            return "soloed" if self.head.soloed else ""
        return "muted" if self.head.muted else "not soloed"

    @property
    def mean_row_entropy_bits(self) -> float:
        """Mean over the query rows of the row entropy, bits."""
        return float(self.row_entropy_bits.mean())

    @property
    def mean_effective_positions(self) -> float:
        """Mean over the query rows of 2 to the row entropy; not 2 to the mean entropy."""
        return float(self.effective_positions.mean())

    @property
    def score_rank(self) -> int:
        """Numerical rank of Q_h K_hᵀ."""
        return self.score_spectrum.rank

    @property
    def score_singular_values(self) -> Array:
        """Singular values of Q_h K_hᵀ, descending."""
        return self.score_spectrum.singular_values

    @property
    def weight_singular_values(self) -> Array:
        """Singular values of A_h, descending; costs a T × T decomposition when first asked for."""
        return self.weight_spectrum.singular_values

    @property
    def effective_rank(self) -> float:
        """Effective rank of A_h; costs a T × T decomposition when first asked for."""
        return self.weight_spectrum.effective_rank


@dataclass(frozen=True, eq=False)
class Result:
    """All that is computed of a scene; every array is read-only and finite.

    Attributes
    ----------
    heads
        One record per head, in the scene's order.
    allowed
        The causal mask, (T, T), True = allowed.
    concat
        [O_1 .. O_H], (T, H * d_v), ablated heads zero.
    output
        O = Concat W_O, (T, d_model); of two layers the sum O_1 + O_2.
    terms
        A_h X W_V^h W_O^(h) of each head, (H, T, d_model), ablated heads zero.
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
    """

    heads: tuple[HeadResult, ...]
    allowed: BoolArray
    concat: Array
    output: Array
    terms: Array
    filter_bank_residual: float
    residual_bound: float
    listening: Array
    packed_queries: PackedProjection
    packed_keys: PackedProjection
    packed_values: PackedProjection
    steps: Steps = field(repr=False)

    @cached_property
    def ceiling_bits(self) -> Array:
        """The most a row's entropy can be, log2 of its number of allowed keys, (T,), bits."""
        return sealed(np.log2(self.allowed.sum(axis=1)))


def compute(scene: Scene, previous: Result | None = None) -> Result:
    """Compute ``scene``, taking over from ``previous`` each step whose inputs are the same."""
    recall = Recall(previous.steps if previous else {})
    allowed = recall("allowed", _allowed, scene.n_positions)
    heads = _head_results(scene, allowed, previous, recall)
    outputs = recall.array("outputs", _ablated, scene.active, *(head.output for head in heads))
    terms = recall.array("terms", _ablated, scene.active, *(head.term for head in heads))
    concat = recall.array("concat", core.concat_heads, outputs)
    return Result(
        heads=heads,
        allowed=allowed,
        concat=concat,
        output=recall.array("output", _product, concat, scene.w_o),
        terms=terms,
        filter_bank_residual=recall(
            "residual", core.filter_bank_residual, outputs, scene.w_o, terms
        ),
        residual_bound=_residual_bound(scene, heads, recall),
        listening=recall.array("listening", core.synthesis_norms, scene.w_o, scene.n_heads),
        **_packed(scene, heads, recall),
        steps=recall.steps,
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


def _residual_bound(scene: Scene, heads: tuple[HeadResult, ...], recall: Recall) -> float:
    """Add up what rounding allows each layer, whose heads read the same and which may differ."""
    bound = 0.0
    for layer, x in {head.head.layer: head.x for head in heads}.items():
        counts = tuple(head.active and head.head.layer == layer for head in heads)
        w_v = recall.array(f"w_v {layer}", _ablated, counts, *(head.w_v for head in scene.heads))
        bound += recall(f"bound {layer}", core.filter_bank_bound, x, w_v, scene.w_o)
    return bound


def _head_results(
    scene: Scene, allowed: BoolArray, previous: Result | None, recall: Recall
) -> tuple[HeadResult, ...]:
    """Compute the heads of layer 1, and then those that read what these have added to X."""
    earlier = {result.head.uid: result.steps for result in previous.heads} if previous else {}
    results: dict[int, HeadResult] = {}
    x = scene.x
    for layer in sorted({head.layer for head in scene.heads}):
        if results:
            added = [result.term for result in results.values() if result.active]
            x = recall.array("stream", _sum, scene.x, *added)
        for index, head in enumerate(scene.heads):
            if head.layer == layer:
                own = Recall(earlier.get(head.uid, {}))
                results[index] = _head_result(scene, index, x, allowed, own)
    return tuple(results[index] for index in range(scene.n_heads))


def _head_result(
    scene: Scene, index: int, x: Array, allowed: BoolArray, recall: Recall
) -> HeadResult:
    head = scene.heads[index]
    gain = head.gain * scene.master_gain
    q, k = _factors(scene, head, x, recall)
    scores = recall.array("scores", core.attention_scores, q, k)
    weights = recall.array("weights", core.weights_from_scores, scores, gain=gain, mask=allowed)
    entropy = recall.array("entropy", core.row_entropy_bits, weights)
    values = recall.array("values", _product, x, head.w_v)
    block = recall.part("block", scene.w_o[scene.rows_of(index)])
    return HeadResult(
        head=head,
        active=scene.active[index],
        gain=gain,
        x=x,
        q=q,
        k=k,
        scores=scores,
        scores_differ=recall("differ", _differ_in_a_row, scores, allowed),
        weights=weights,
        row_entropy_bits=entropy,
        effective_positions=recall.array("positions", _two_to_the, entropy),
        values=values,
        output=recall.array("output", _product, weights, values),
        term=recall.array("term", _term, weights, x, head.w_v, block),
        score_spectrum=recall("score spectrum", ScoreSpectrum, q, k),
        weight_spectrum=recall("weight spectrum", WeightSpectrum, weights),
        steps=recall.steps,
    )


def _factors(scene: Scene, head: Head, x: Array, recall: Recall) -> tuple[Array, Array]:
    """Return Q and K of a head: as given, projected from what it reads, or as designed."""
    if head.q is not None and head.k is not None:
        return head.q, head.k
    if head.w_q is not None and head.w_k is not None:
        return recall.array("q", _product, x, head.w_q), recall.array("k", _product, x, head.w_k)
    return recall(
        "factors",
        designed_factors,
        head.pattern,
        head.settings,
        scene.n_positions,
        scene.d_k,
        head.key_magnitude,
        keep_margin=scene.keep_margin,
    )


def _differ_in_a_row(scores: Array, allowed: BoolArray) -> bool:
    lowest = np.min(scores, axis=1, where=allowed, initial=np.inf)
    highest = np.max(scores, axis=1, where=allowed, initial=-np.inf)
    return bool((lowest < highest).any())


def _allowed(n_positions: int) -> BoolArray:
    allowed = core.causal_mask(n_positions)
    allowed.flags.writeable = False
    return allowed


def _ablated(active: tuple[bool, ...], *of_heads: Array) -> Array:
    """Stack the heads' arrays, those of heads that are not active as zeros."""
    stacked = np.zeros((len(of_heads), *of_heads[0].shape))
    for place, is_active, array in zip(stacked, active, of_heads, strict=True):
        if is_active:
            place[:] = array
    return stacked


def _term(weights: Array, x: Array, w_v: Array, block: Array) -> Array:
    """Return one head's term of the filter bank."""
    terms = core.filter_bank_terms(weights[np.newaxis], x, w_v[np.newaxis], block)
    return sealed(terms[0])


def _sum(*arrays: Array) -> Array:
    total: Array = np.sum(arrays, axis=0)
    return total


def _product(one: Array, other: Array) -> Array:
    product: Array = one @ other
    return product


def _two_to_the(bits: Array) -> Array:
    return np.exp2(bits)


def _sealing(make: Callable[P, npt.NDArray[Any]]) -> Callable[P, Array]:
    @wraps(make)
    def make_sealed(*args: P.args, **kwargs: P.kwargs) -> Array:
        return sealed(make(*args, **kwargs))

    return make_sealed


def _are_same(earlier: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    return len(earlier) == len(now) and all(map(_is_same, earlier, now))


def _is_same(earlier: object, now: object) -> bool:
    if isinstance(earlier, tuple) and isinstance(now, tuple):
        return _are_same(earlier, now)
    if isinstance(earlier, np.ndarray) or isinstance(now, np.ndarray):
        return earlier is now
    return bool(earlier == now)
