"""What is computed of one head: its weights, their entropies, and what it adds to the output."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.core.threads import one_blas_thread
from mhagui.document.head import Head
from mhagui.document.mask_rule import MaskRule
from mhagui.document.on_demand import Matrix
from mhagui.document.recall import Steps
from mhagui.document.records import Array, sealed
from mhagui.formats import UNDEFINED

Standing = Literal["", "soloed", "muted", "not soloed"]


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

    weights: Matrix

    @property
    def is_known(self) -> bool:
        """Whether the decomposition has been made, so that asking costs nothing."""
        return "singular_values" in vars(self)

    @cached_property
    def singular_values(self) -> Array:
        """Singular values of A, descending, T of them."""
        with one_blas_thread():
            return sealed(core.singular_values(np.asarray(self.weights)))

    @cached_property
    def effective_rank(self) -> float:
        """Effective rank of A (Roy & Vetterli), 1..T."""
        return float(core.effective_rank_from_singular_values(self.singular_values))


@dataclass(frozen=True, eq=False)
class Joined:
    """A matrix that is made in blocks of columns: all of it is put together when asked for."""

    parts: tuple[Array, ...]

    @cached_property
    def whole(self) -> Array:
        """All columns side by side."""
        return self.parts[0] if len(self.parts) == 1 else sealed(np.concatenate(self.parts, axis=1))


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
    mask
        Which keys its queries may see.
    x
        What the head reads, (T, d_model): X, or X + O_1 for a head of layer 2.
    q, k
        Q_h and K_h, (T, d_k), K_h without the gain; zeros where they are not ``has_queries``.
    scores
        S_h = Q_h K_hᵀ / sqrt(d_k), (T, T), without gain or mask; of given weights ln A, which is S
        but for a constant in each row, a weight of 0 counting as the smallest normal number.
    scores_differ
        Whether any row's allowed keys have different scores, or with a sink any but 0; where none
        does, no gain changes A_h.
    weights
        A_h = softmax(g S_h - slope |t - i|), (T, T); rows sum to 1 over the allowed keys, or to
        what a sink logit leaves of it, other cells are 0; of given weights, the row's softmax times
        what the row as it was given sums to. Where those of all heads are too many to be kept, rows
        and blocks are made on demand, here and of ``scores``.
    row_entropy_bits
        Entropy of each row of A_h in bits, (T,), of given weights and beside a sink that of each
        row's shares, of the weights over what they sum to; NaN, undefined, in a row without
        weights.
    effective_positions
        2 to the row entropy, (T,).
    values
        V_h = X W_V^h, (T, d_v), of what the head reads, as in the term.
    output
        O_h = A_h V_h, (T, d_v), before any ablation.
    joined
        The term in blocks of columns, as ``Recall.columns`` cuts them: a cell of W_O is heard in
        one of them alone.
    sink_shares
        What the head's sink logit takes of each row, 0..1, (T,): what its weights lack of 1; NaN
        in a row that sees no key. None of a head without a sink.
    score_spectrum, weight_spectrum
        Ranks and singular values, made when first asked for.
    steps
        What the next ``compute`` can take over.
    """

    head: Head
    active: bool
    gain: float
    mask: MaskRule
    x: Array
    q: Array
    k: Array
    scores: Matrix
    scores_differ: bool
    weights: Matrix
    row_entropy_bits: Array
    effective_positions: Array
    values: Array
    output: Array
    joined: Joined
    score_spectrum: ScoreSpectrum
    weight_spectrum: WeightSpectrum
    steps: Steps = field(repr=False)
    sink_shares: Array | None = None

    @property
    def has_queries(self) -> bool:
        """Whether queries and keys are known; not of given weights."""
        return self.head.a is None

    @property
    def has_support(self) -> npt.NDArray[np.bool_]:
        """Which rows have weights at all, (T,); in others the entropy is undefined, NaN."""
        return ~np.isnan(self.row_entropy_bits)

    @property
    def standing(self) -> Standing:
        """What mute and solo make of the head, in words; nothing for one that is merely heard.

        A head that another's solo silences is "not soloed", unless it is muted as well.
        """
        if self.active:
            return "soloed" if self.head.soloed else ""
        return "muted" if self.head.muted else "not soloed"

    @property
    def term_parts(self) -> tuple[Array, ...]:
        """The term in blocks of columns."""
        return self.joined.parts

    @property
    def term(self) -> Array:
        """What the head adds to O, (T, d_model), before any ablation.

        (A_h X) (W_V^h W_O^(h)), which is not made by way of ``output``, up to d_model = 256; above
        that O_h W_O^(h), so that the residual tells only whether the heads add up.
        """
        return self.joined.whole

    @property
    def mean_row_entropy_bits(self) -> float:
        """Mean of the row entropy over the rows that have weights, bits; NaN where none has."""
        return _mean(self.row_entropy_bits)

    @property
    def mean_effective_positions(self) -> float:
        """Mean over the same rows of 2 to the row entropy; not 2 to the mean entropy."""
        return _mean(self.effective_positions)

    @property
    def score_rank(self) -> int | None:
        """Numerical rank of Q_h K_hᵀ; None where these are not known."""
        return self.score_spectrum.rank if self.has_queries else None

    @property
    def score_rank_text(self) -> str:
        """The score rank as it is written; “–” where it is not known."""
        return UNDEFINED if self.score_rank is None else str(self.score_rank)

    @property
    def score_singular_values(self) -> Array:
        """Singular values of Q_h K_hᵀ, descending; none where these are not known."""
        return self.score_spectrum.singular_values[: None if self.has_queries else 0]

    @property
    def weight_singular_values(self) -> Array:
        """Singular values of A_h, descending; costs a T × T decomposition when first asked for."""
        return self.weight_spectrum.singular_values

    @property
    def effective_rank(self) -> float:
        """Effective rank of A_h; costs a T × T decomposition when first asked for."""
        return self.weight_spectrum.effective_rank


def _mean(of_rows: Array) -> float:
    known = of_rows[~np.isnan(of_rows)]
    return float(known.mean()) if known.size else math.nan
