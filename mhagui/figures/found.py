"""What was found of some heads, as figures show it: two compared, and heads ablated."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mhagui.document.capture import Flags, Floats
from mhagui.figures.charts import Chart, Doubles, Facts, cut
from mhagui.figures.paper import Axis
from mhagui.formats import short

DIFFERS = "·"  # in place of a token


@dataclass(frozen=True, eq=False)
class ComparedHead:
    """One of two heads.

    Attributes
    ----------
    name, where
        What it is called, and what it is a head of.
    weights
        (T_q, T_k).
    allowed
        Which keys a query may see, (T_q, T_k); None means all.
    queries, keys
        What stands at rows and columns.
    """

    name: str
    where: str
    weights: Floats
    allowed: Flags | None
    queries: Axis
    keys: Axis


@dataclass(frozen=True, eq=False)
class Comparison(Chart):
    """Head A, head B, B − A, and how far apart their rows are.

    Attributes
    ----------
    one, other
        A and B, of one shape.
    bits
        Jensen–Shannon divergence of each row, (T_q,); NaN where it is not defined.
    mean_bits
        Its mean over the rows that have one.
    largest_weight
        The largest of both in rows that see more than one key.
    """

    name: ClassVar[str] = "comparison"
    title = "Comparison: A, B, B − A and each row’s divergence"
    one: ComparedHead
    other: ComparedHead
    bits: Floats
    mean_bits: float
    largest_weight: float

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{self.one.name} and {self.other.name}"

    @property
    def difference(self) -> Doubles:
        """B − A, (T_q, T_k)."""
        with np.errstate(invalid="ignore"):  # ∞ − ∞
            difference: Doubles = np.subtract(self.other.weights, self.one.weights, dtype=float)
        return difference

    @property
    def facts(self) -> Facts:
        """Which heads, and how far apart they are."""
        told: Facts = {}
        for letter, head in (("a", self.one), ("b", self.other)):
            told[letter] = f"{head.name}, {head.where}"
            if head.keys.tokens:
                told[f"{letter}_given"] = cut(" ".join(head.keys.tokens))
        return told | {"mean_jensen_shannon_bits": short(self.mean_bits, 6)}


@dataclass(frozen=True, eq=False)
class AblatedOutput(Chart):
    """How much O changes at each position when heads are ablated.

    Attributes
    ----------
    what
        Which heads are ablated, and how, in words.
    axis
        The positions.
    change
        ‖ΔO_t‖, (T,).
    share
        ‖ΔO‖ / ‖O‖ over all positions.
    wrong
        ‖ΔO_t‖ with the same columns zeroed after W_O, (T,); None where that is not shown.
    """

    name: ClassVar[str] = "ablation"
    title = "Change of O by ablation, at each position"
    what: str
    axis: Axis
    change: Doubles
    share: float
    wrong: Doubles | None = None

    @property
    def facts(self) -> Facts:
        """What is ablated, and how much of O that changes."""
        return super().facts | {"ablated": self.what, "share_of_output": short(self.share, 6)}


@dataclass(frozen=True, eq=False)
class HeadImportance(Chart):
    """Gradient × output of each head beside what ablating it really does.

    Attributes
    ----------
    heads
        What they are called.
    readout, value
        The number L that is read off O, by its name, and what it is.
    predicted, ablated
        What L gains without the head, to first order and really, (H,).
    """

    name: ClassVar[str] = "importance"
    title = "Importance of heads, beside ablation"
    heads: Sequence[str]
    readout: str
    value: float
    predicted: Doubles
    ablated: Doubles

    @property
    def facts(self) -> Facts:
        """What is read off O."""
        return super().facts | {"readout": self.readout, "value": short(self.value, 6)}


@dataclass(frozen=True, eq=False)
class PrunedHeads(Chart):
    """The error of O while heads are removed, the least important first.

    Attributes
    ----------
    readout
        What importance is of, by its name.
    by_gradient, by_ablation
        ‖ΔO‖ / ‖O‖ without 1, 2, … heads in either order; none where there is no such order.
    """

    name: ClassVar[str] = "pruning"
    title = "Error of O while heads are removed"
    readout: str
    by_gradient: Doubles
    by_ablation: Doubles

    @property
    def facts(self) -> Facts:
        """What importance is of."""
        return super().facts | {"importance_of": self.readout}


@dataclass(frozen=True, eq=False)
class NextTokens(Chart):
    """Probabilities of the next token, with heads and without.

    Attributes
    ----------
    what
        Which heads are ablated, and how, in words.
    tokens
        What is written for the tokens.
    before, after
        Their probabilities, 0..1, of the model as it is and with the heads ablated.
    bits
        Kullback–Leibler divergence of all probabilities.
    """

    name: ClassVar[str] = "next-token"
    title = "Next token, before and after ablation"
    what: str
    tokens: Sequence[str]
    before: Doubles
    after: Doubles
    bits: float

    @property
    def facts(self) -> Facts:
        """What is ablated, and how far that moves the probabilities."""
        return super().facts | {"ablated": self.what, "divergence_bits": short(self.bits, 6)}
