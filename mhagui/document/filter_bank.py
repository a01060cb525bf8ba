"""The filter bank of a scene: what each head adds, the sum so far, and a head zeroed twice over.

A head is ablated before W_O. Zeroing its columns after W_O is a mistake that W_O = I hides; both
are made here, side by side.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from mhagui import core
from mhagui.document.compute import Recall, Result, Steps
from mhagui.document.json_text import finite
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene
from mhagui.formats import USUAL, Precision

IDENTITY = "max |Concat·W_O − Σ_h A_h X W_V^h W_O^(h)|"
SHORT_IDENTITY = "max |Concat·W_O − Σ|"


@dataclass(frozen=True, eq=False)
class FilterBank:
    """The terms as they count in O, and their running sum; arrays stay the same while unchanged.

    Attributes
    ----------
    terms
        A_h X W_V^h W_O^(h) of each head, (T, d_model) each; zero where the head is ablated.
    sums
        The sum of the terms of heads 1..h, for each h, (T, d_model) each.
    norms
        Frobenius norm of each term, as it counts.
    norms_heard
        The same as if no head were ablated.
    largest
        The largest magnitude in terms and sums.
    steps
        What the next ``filter_bank`` can take over.
    """

    terms: tuple[Array, ...]
    sums: tuple[Array, ...]
    norms: tuple[float, ...]
    norms_heard: tuple[float, ...]
    largest: float
    steps: Steps = field(repr=False)


@dataclass(frozen=True, eq=False)
class AblationSites:
    """O with one head zeroed before W_O, and with the same columns zeroed after it.

    Attributes
    ----------
    before
        Concat with the head's columns zero, times W_O, (T, d_model): the right site. The outputs
        of the other heads are those of the scene.
    after
        O with columns h·d_v .. (h+1)·d_v − 1 zero, (T, d_model): the wrong site; None where O has
        not as many columns as Concat.
    difference
        ``before`` − ``after``, None where there is no ``after``.
    change_before, change_after
        The largest change of O that each makes.
    """

    before: Array
    after: Array | None
    difference: Array | None
    change_before: float
    change_after: float | None

    @property
    def largest_difference(self) -> float | None:
        """The largest cell of |before − after|; None where there is no ``after``."""
        return None if self.difference is None else _largest(self.difference)


def filter_bank(result: Result, previous: FilterBank | None = None) -> FilterBank:
    """Return the filter bank of ``result``, taking over from ``previous`` what is the same."""
    recall = Recall(previous.steps if previous else {})
    zero = recall.array("zero", np.zeros, result.output.shape)
    terms = tuple(head.term if head.active else zero for head in result.heads)
    heard = tuple(
        recall(f"norm {place}", _norm, head.term) for place, head in enumerate(result.heads)
    )
    sums = tuple(_running_sums(terms, recall))
    shown = enumerate((*terms, *sums))
    return FilterBank(
        terms=terms,
        sums=sums,
        norms=tuple(
            norm if head.active else 0.0 for norm, head in zip(heard, result.heads, strict=True)
        ),
        norms_heard=heard,
        largest=max(recall(f"largest {place}", _largest, array) for place, array in shown),
        steps=recall.steps,
    )


def ablation_sites(scene: Scene, result: Result, place: int) -> AblationSites:
    """Return O with the head at ``place`` (from 0) zeroed before W_O and after it."""
    n_heads = scene.n_heads
    before = sealed(core.zero_head_columns(result.concat, place, n_heads) @ scene.w_o)
    after = difference = None
    if scene.n_heads * scene.d_v == scene.d_model:
        after = sealed(core.zero_head_columns(result.output, place, n_heads))
        difference = sealed(before - after)
    return AblationSites(
        before=before,
        after=after,
        difference=difference,
        change_before=_largest(result.output - before),
        change_after=None if after is None else _largest(result.output - after),
    )


def why_no_wrong_site(scene: Scene) -> str:
    """Return in a sentence why no columns of O can be mistaken for a head's; empty if they can."""
    width = scene.n_heads * scene.d_v
    if width == scene.d_model:
        return ""
    return (
        f"Concat has H·d_v = {width} columns and O has d_model = {scene.d_model}: "
        "no columns of O could be mistaken for a head's."
    )


def in_bounds(result: Result) -> float:
    """Return the filter-bank residual in units of what rounding alone can make of it.

    0 where there is no residual; at most 1 unless something is wrong.
    """
    if result.filter_bank_residual == 0:
        return 0.0
    bound = result.residual_bound
    return result.filter_bank_residual / bound if bound > 0 else math.inf


def residual_text(result: Result, write: Precision = USUAL) -> str:
    """Return the filter-bank residual beside what rounding alone can make of it."""
    residual, units = write.short(result.filter_bank_residual, 2), write.short(in_bounds(result), 2)
    return f"{residual} ({units} of the rounding bound {write.short(result.residual_bound, 2)})"


def filter_bank_report(scene: Scene, result: Result) -> dict[str, object]:
    """Return the numbers of the filter bank as JSON can hold them.

    Norms are Frobenius norms of the terms, ``norm`` as the head counts and ``norm_heard`` as if no
    head were ablated. ``ablation_before_w_o`` and ``ablation_after_w_o`` are the largest change of
    O when the head is zeroed there, ``ablation_difference`` the largest difference between the
    two; None where the shapes do not allow it, with the reason in ``why_no_wrong_site``.
    """
    bank = filter_bank(result)
    return {
        "residual": finite(result.filter_bank_residual),
        "residual_bound": finite(result.residual_bound),
        "residual_in_bounds": finite(in_bounds(result)),
        "heads": [_head(scene, result, bank, place) for place in range(scene.n_heads)],
        "why_no_wrong_site": why_no_wrong_site(scene) or None,
    }


def _head(scene: Scene, result: Result, bank: FilterBank, place: int) -> dict[str, object]:
    sites = ablation_sites(scene, result, place)
    return {
        "name": scene.heads[place].name,
        "norm": bank.norms[place],
        "norm_heard": bank.norms_heard[place],
        "ablation_before_w_o": sites.change_before,
        "ablation_after_w_o": sites.change_after,
        "ablation_difference": sites.largest_difference,
    }


def _running_sums(terms: tuple[Array, ...], recall: Recall) -> Iterator[Array]:
    so_far = terms[0]
    yield so_far
    for place, term in enumerate(terms[1:], 1):
        so_far = recall.array(f"sum {place}", np.add, so_far, term)
        yield so_far


def _norm(term: Array) -> float:
    return float(core.frobenius_norms(term))


def _largest(array: Array) -> float:
    return float(np.max(np.abs(array), initial=0.0))
