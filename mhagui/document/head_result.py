"""What is computed of one head: its weights, their entropies, and what it adds to the output."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from mhagui import core
from mhagui.core.threads import one_blas_thread
from mhagui.document.head import Head
from mhagui.document.on_demand import Matrix
from mhagui.document.recall import Steps
from mhagui.document.records import Array, sealed

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
        A_h = softmax(g S_h), (T, T); rows sum to 1 over the allowed keys, other cells are 0. Where
        those of all heads are too many to be kept, rows and blocks are made on demand, here and of
        ``scores``.
    row_entropy_bits
        Entropy of each row of A_h in bits, (T,).
    effective_positions
        2 to the row entropy, (T,).
    values
        V_h = X W_V^h, (T, d_v), of what the head reads, as in the term.
    output
        O_h = A_h V_h, (T, d_v), before any ablation.
    term_parts
        The term in blocks of columns, as ``Recall.columns`` cuts them: a cell of W_O is heard in
        one of them alone.
    term
        (A_h X) (W_V^h W_O^(h)), (T, d_model), before any ablation: not made by way of ``output``.
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
    scores: Matrix
    scores_differ: bool
    weights: Matrix
    row_entropy_bits: Array
    effective_positions: Array
    values: Array
    output: Array
    term_parts: tuple[Array, ...]
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
