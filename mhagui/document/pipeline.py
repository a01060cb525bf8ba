"""What a head does to a query, stage by stage, and the arithmetic of one cell of its weights."""

import enum
import math
import sys
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from mhagui import core
from mhagui.document.attention import BoolArray
from mhagui.document.compute import Result
from mhagui.document.head import Head
from mhagui.document.head_result import HeadResult
from mhagui.document.mask_rule import MaskRule
from mhagui.document.recall import Recall, Steps
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene

_LARGEST = sys.float_info.max
_EQUAL = 1e-12  # relative: numbers as near as that differ by rounding alone


class Stage(NamedTuple):
    """One stage: what it is called in few words, its formula, and what it does."""

    name: str
    formula: str
    meaning: str


STAGES = (
    Stage("Q, K", "Q, K: T × d_k each", "one query q_t and one key k_i per position"),
    Stage("Q·Kᵀ", "Q·Kᵀ", "every query meets every key"),
    Stage("÷√d_k", "S = Q·Kᵀ / √d_k", "the scores, whatever the head's width"),
    Stage("× gain", "g·S", "the gain spreads the scores"),
    Stage("mask", "g·S where i ≤ t", "no query sees a later key"),
    Stage("softmax", "A = softmax(g·S)", "each row becomes shares of 1"),
    Stage("A·V", "O_h = A·V", "each row mixes the values it sees"),
    Stage("W_O", "O_h·W_O^(h)", "what the head adds to the output O"),
)
BIASED = "g·S + bias"  # what goes into the softmax of a head with a slope
AWAY = "|t − i|"
PRODUCT, SCALED, GAINED, MASKED, SOFTMAX, MIXED, PROJECTED = range(1, len(STAGES))


def stage_of(number: int, mask: MaskRule, head: Head | None = None) -> Stage:
    """Return stage ``number``, from 0, as it is under ``mask``, and of ``head`` where one is."""
    stage = STAGES[number]
    if number == MASKED and not mask.is_causal:
        formula = f"g·S where {mask.formula}"
        stage = stage._replace(
            formula=formula, meaning=f"no query sees what is masked: {mask.text}"
        )
    return stage if head is None or not head.is_biased else _biased(number, stage, head)


def _biased(number: int, stage: Stage, head: Head) -> Stage:
    """Return a stage as it is of a head with a slope or a sink."""
    if head.slope and number == GAINED:
        return stage._replace(formula=f"g·S − slope·{AWAY}", meaning="far keys lose by the slope")
    if head.slope and number in (MASKED, SOFTMAX):
        stage = stage._replace(formula=stage.formula.replace("g·S", BIASED))
    if head.sink is not None and number == SOFTMAX:
        formula = stage.formula.replace(")", ", sink)")
        return stage._replace(formula=formula, meaning="shares of 1, of which the sink takes one")
    return stage


class Axis(enum.Enum):
    """What the rows or columns of a matrix are."""

    QUERY = "query position"
    KEY = "key position"
    FEATURE = "feature"
    CHANNEL = "output channel"


@dataclass(frozen=True, slots=True, eq=False)
class StageMatrix:
    """A matrix of a stage; the last one of a stage is what comes out of it.

    Attributes
    ----------
    sign
        What stands before it: nothing, "·", "=" or "→".
    name
        What it is called.
    values
        (rows, columns), finite.
    axes
        What its rows and its columns are.
    scale
        The matrices of the stage that share their colours with it, by name.
    allowed
        Where it is not masked, (T, T); None where nothing is.
    """

    sign: str
    name: str
    values: Array
    axes: tuple[Axis, Axis]
    scale: str
    allowed: BoolArray | None = None

    @property
    def is_weights(self) -> bool:
        """Whether the numbers are shares from 0 to 1."""
        return self.name == "A"


_POSITIONS = (Axis.QUERY, Axis.KEY)
_OF_QUERIES = (Axis.QUERY, Axis.FEATURE)


@dataclass(frozen=True, eq=False)
class StageStudy:
    """The matrices of one stage of one head: the operands, and what comes out of it, the last.

    T × T matrices that a result does not hold are held here and in ``steps`` while the stage is
    looked at, and those of other stages are not.
    """

    matrices: tuple[StageMatrix, ...]
    steps: Steps = field(repr=False)


def study_stage(
    scene: Scene, result: Result, place: int, stage: int, earlier: StageStudy | None = None
) -> StageStudy:
    """Return ``stage`` of head number ``place``, from 0; what is as in ``earlier`` is the same."""
    recall = Recall(earlier.steps if earlier else {})
    return StageStudy(_matrices(scene, result, place, stage, recall), recall.steps)


def _matrices(
    scene: Scene, result: Result, place: int, stage: int, recall: Recall
) -> tuple[StageMatrix, ...]:
    head = result.heads[place]
    if stage >= MIXED:
        return _of_values(scene, result, place, stage, recall)
    if stage <= PRODUCT:
        return _of_factors(head, stage, recall)
    return _of_scores(head, result.allowed, stage, recall)


def _of_scores(
    head: HeadResult, allowed: BoolArray, stage: int, recall: Recall
) -> tuple[StageMatrix, ...]:
    scores, shared = recall.array("S", np.asarray, head.scores), "Q·Kᵀ, S"
    if stage == SCALED:
        product = recall.array("product", _product, head.q, head.k)
        return (
            StageMatrix("", "Q·Kᵀ", product, _POSITIONS, shared),
            StageMatrix("→", "S", scores, _POSITIONS, shared),
        )
    gained = recall.array("gained", _gained, scores, head.gain)
    if not head.head.slope:
        biased, bias, name = gained, None, "g·S"
    else:
        bias = recall.array("bias", _bias, head.head.slope, len(gained))
        biased, name = recall.array("biased", _within_numbers, gained, bias), BIASED
    if stage == GAINED:
        return _of_gain(scores, gained, bias, biased)
    masked = StageMatrix("→", "masked", biased, _POSITIONS, name, allowed)
    if stage == MASKED:
        return StageMatrix("", name, biased, _POSITIONS, name), masked
    weights = recall.array("A", np.asarray, head.weights)
    return (
        replace(masked, sign="", name=f"{name}, masked"),
        StageMatrix("→", "A", weights, _POSITIONS, "A", allowed),
    )


def _of_gain(
    scores: Array, gained: Array, bias: Array | None, biased: Array
) -> tuple[StageMatrix, ...]:
    """Return what the gain makes of scores; or with a slope, what the bias makes of that."""
    if bias is None:
        shared = "S, g·S"
        return (
            StageMatrix("", "S", scores, _POSITIONS, shared),
            StageMatrix("→", "g·S", gained, _POSITIONS, shared),
        )
    shared = f"g·S, {BIASED}"
    return (
        StageMatrix("", "g·S", gained, _POSITIONS, shared),
        StageMatrix("+", "bias", bias, _POSITIONS, "bias"),
        StageMatrix("=", BIASED, biased, _POSITIONS, shared),
    )


def _of_factors(head: HeadResult, stage: int, recall: Recall) -> tuple[StageMatrix, ...]:
    if stage < PRODUCT:
        return (
            StageMatrix("", "Q", head.q, _OF_QUERIES, "Q, K"),
            StageMatrix("", "K", head.k, (Axis.KEY, Axis.FEATURE), "Q, K"),
        )
    turned = recall.array("turned", np.transpose, head.k)
    product = recall.array("product", _product, head.q, head.k)
    return (
        StageMatrix("", "Q", head.q, _OF_QUERIES, "Q, Kᵀ"),
        StageMatrix("·", "Kᵀ", turned, (Axis.FEATURE, Axis.KEY), "Q, Kᵀ"),
        StageMatrix("=", "Q·Kᵀ", product, _POSITIONS, "Q·Kᵀ"),
    )


def _of_values(
    scene: Scene, result: Result, place: int, stage: int, recall: Recall
) -> tuple[StageMatrix, ...]:
    head = result.heads[place]
    if stage == MIXED:
        weights = recall.array("A", np.asarray, head.weights)
        return (
            StageMatrix("", "A", weights, _POSITIONS, "A", result.allowed),
            StageMatrix("·", "V", head.values, (Axis.KEY, Axis.FEATURE), "V, O_h"),
            StageMatrix("=", "O_h", head.output, _OF_QUERIES, "V, O_h"),
        )
    block = recall.part("block", scene.w_o[scene.rows_of(place)])
    shared = "all three"
    return (
        StageMatrix("", "O_h", head.output, _OF_QUERIES, shared),
        StageMatrix("·", "W_O^(h)", block, (Axis.FEATURE, Axis.CHANNEL), shared),
        StageMatrix("=", "O_h·W_O^(h)", head.term, (Axis.QUERY, Axis.CHANNEL), shared),
    )


def _product(q: Array, k: Array) -> Array:
    product: Array = q @ k.T
    return product


def _gained(scores: Array, gain: float) -> Array:
    """Return g·S, held to what a number can say: a gain may be as large as numbers are."""
    with np.errstate(over="ignore"):
        gained = gain * scores
    return np.clip(gained, -_LARGEST, _LARGEST, out=gained)


def biased_scores(head: HeadResult) -> Array:
    """Return what goes into the softmax of a head, before the mask: g·S − slope·|t − i|, (T, T)."""
    gained = _gained(np.asarray(head.scores), head.gain)
    return _within_numbers(gained, _bias(head.head.slope, len(gained)))


def _bias(slope: float, n_positions: int) -> Array:
    bias: Array = core.alibi_bias([slope], n_positions)[0]
    return bias


def _within_numbers(gained: Array, bias: Array) -> Array:
    with np.errstate(over="ignore"):
        biased = gained + bias
    return np.clip(biased, -_LARGEST, _LARGEST, out=biased)


@dataclass(frozen=True, slots=True, eq=False)
class RowArithmetic:
    """How one row of a head's weights comes about, number by number.

    Attributes
    ----------
    query, gain, mask
        The row t, from 0, the gain in force, and which keys a query may see.
    q, keys
        q_t, (d_k,), and all keys K, (T, d_k).
    allowed
        Which keys the row may see, (T,); in a row that sees none nothing comes about, and its
        weights are 0.
    root
        √d_k, by which the products are divided.
    products, scores, gained
        q_t·k_i, S[t, i] and g·S[t, i], (T,) each, also where masked.
    slope, biased
        The ALiBi slope, and g·S[t, i] − slope·|t − i|, (T,): g·S itself where it is 0.
    sink
        The sink logit; None where there is none.
    largest
        The key, from 0, whose biased score is the row's largest among the allowed; the first of
        equals.
    subtracted
        That largest, or the sink where it is larger.
    exponents
        The biased scores less what is subtracted, (T,): at most 0, −inf where masked.
    exponentials
        e to the exponents, (T,): 1 for the largest unless the sink is, 0 where masked.
    sink_exponential
        The same of the sink; 0 where there is none.
    total
        Their sum, the sink's with it, at least 1; 0 where no key is allowed.
    weights
        A[t, i], exponentials / total, (T,).
    sink_share
        What the sink takes of the row; 0 where there is none.
    """

    query: int
    gain: float
    mask: MaskRule
    q: Array
    keys: Array
    allowed: BoolArray
    root: float
    products: Array
    scores: Array
    gained: Array
    slope: float
    biased: Array
    sink: float | None
    largest: int
    subtracted: float
    exponents: Array
    exponentials: Array
    sink_exponential: float
    total: float
    weights: Array
    sink_share: float

    @property
    def n_allowed(self) -> int:
        """How many keys the row may see."""
        return int(np.count_nonzero(self.allowed))

    def why_masked(self, key: int) -> str:
        """Return why ``key``, from 0, is not seen, as the beginning of a sentence."""
        t, i = self.query + 1, key + 1
        if self.mask.is_causal:
            return f"Key t{i} comes after query t{t}"
        return f"The mask ({self.mask.text}) hides key t{i} from query t{t}"

    @property
    def ties(self) -> BoolArray:
        """Which keys have the row's largest biased score, but for rounding, (T,)."""
        rounding = _EQUAL * max(abs(self.biased[self.largest]), 1.0)
        top = float(self.exponents[self.largest]) if self.n_allowed else 0.0
        equal: BoolArray = self.exponents >= top - rounding
        return equal

    def below(self, key: int) -> float:
        """Return by how much the biased score of an allowed ``key`` is below the row's largest."""
        return float(self.exponents[self.largest] - self.exponents[key])

    def feature_products(self, key: int) -> Array:
        """Return q_t times k_i of ``key``, feature by feature, (d_k,)."""
        products: Array = self.q * self.keys[key]
        return products

    def neighbours(self, key: int) -> tuple[int, ...]:
        """Return the keys to compare ``key`` with, itself among them: beside it, and the largest.

        In order of position, from 0, each once.
        """
        beside = range(max(key - 1, 0), min(key + 2, len(self.weights)))
        return tuple(sorted({*beside, self.largest}))


def _exponents(
    head: HeadResult, query: int, scores: Array, allowed: BoolArray
) -> tuple[Array, Array, float, Array, float]:
    """Return of a row g·S, the biased scores, what is subtracted, the exponents, and the sink’s.

    The exponents are -inf where there is no such term.
    """
    exponents = core.softmax_exponents(scores[np.newaxis], gain=head.gain, mask=allowed)[0]
    biased = gained = _gained(scores, head.gain)
    slope, sink, of_sink = head.head.slope, head.head.sink, -math.inf
    if slope and allowed.any():
        bias = 0.0 - slope * np.abs(query - np.arange(len(scores)))
        biased, exponents = _within_numbers(gained, bias), exponents + bias
        exponents -= exponents.max()
    subtracted = largest = float(biased[np.argmax(exponents)])
    if sink is not None and allowed.any():
        subtracted = max(largest, sink)
        exponents, of_sink = exponents - (subtracted - largest), sink - subtracted
    return gained, biased, subtracted, exponents, of_sink


def row_arithmetic(result: Result, place: int, query: int) -> RowArithmetic:
    """Return how row ``query`` of the weights of head number ``place``, both from 0, comes about.

    It costs no more than the row: T·d_k products.
    """
    head = result.heads[place]
    # Copies, which keep no T × T matrix alive.
    scores, weights = sealed(head.scores[query].copy()), sealed(head.weights[query].copy())
    allowed = result.allowed[query].copy()
    gained, biased, subtracted, exponents, of_sink = _exponents(head, query, scores, allowed)
    with np.errstate(under="ignore"):
        exponentials, sunk = np.exp(exponents), float(np.exp(of_sink))
    shares = head.sink_shares
    return RowArithmetic(
        query=query,
        gain=head.gain,
        mask=result.mask,
        q=head.q[query],
        keys=head.k,
        allowed=allowed,
        root=math.sqrt(head.q.shape[1]),
        products=head.k @ head.q[query],
        scores=scores,
        gained=gained,
        slope=head.head.slope,
        biased=biased,
        sink=head.head.sink,
        largest=int(np.argmax(exponents)),
        subtracted=subtracted,
        exponents=exponents,
        exponentials=exponentials,
        sink_exponential=sunk,
        total=float(np.add.reduce(exponentials)) + sunk,
        weights=weights,
        sink_share=0.0 if shares is None or not allowed.any() else float(shares[query]),
    )
