"""The filter bank of a scene: what each head adds, the sum so far, and a head zeroed twice over.

A head is ablated before W_O. Zeroing its columns after W_O is a mistake that W_O = I hides; both
are made here, side by side.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.compute import MOST_MAPPED, Result
from mhagui.document.json_text import finite
from mhagui.document.recall import Recall, Steps
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene
from mhagui.formats import USUAL, Precision

IDENTITY = "max |Concat·W_O − Σ_h A_h X W_V^h W_O^(h)|"
BLOCK_IDENTITY = "max |Concat·W_O − Σ_h O_h W_O^(h)|"  # of wide models, as ``compute`` says
SHORT_IDENTITY = "max |Concat·W_O − Σ|"
BLOCK_CELLS = 2**15  # that are added up at once: they stay in the processor's cache


class RunningSums:
    """The sums of the terms of heads 1..h, for each h, (T, d_model) each, made when asked for.

    Another term moves only the sums from its head on, and in them the columns that hear the head:
    all else is taken over from ``earlier``.

    Attributes
    ----------
    terms
        What is added up.
    heard
        Which columns of them are not zero, (H, d_model).
    made
        The sums that were asked for, by place.
    largest
        The largest magnitude in each column of each sum, (H, d_model).
    n_added
        How many columns were added to others to find that out.
    """

    def __init__(
        self,
        terms: tuple[Array, ...],
        heard: npt.NDArray[np.bool_],
        earlier: "RunningSums | None" = None,
    ) -> None:
        self.terms, self.heard = terms, heard
        self.made: dict[int, Array] = {0: terms[0]}
        self._earlier: dict[int, Array] = {}
        self._first, self._columns = 0, slice(0, heard.shape[1])
        self.largest = np.zeros(heard.shape)
        if earlier is not None and _shapes(terms) == _shapes(earlier.terms):
            self._earlier, self.largest = earlier.made, earlier.largest.copy()
            self._first, self._columns = self._changes_since(earlier)
        self.n_added = self._measure()

    def __len__(self) -> int:
        """Return the number of heads."""
        return len(self.terms)

    def __iter__(self) -> Iterator[Array]:
        """Make one after the other."""
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> Array:
        """Return the sum up to the head at ``place``, from 0, or from the end where negative."""
        place = range(len(self))[place]
        if place not in self.made:
            self.made[place] = self._make(place)
        return self.made[place]

    def _changes_since(self, earlier: "RunningSums") -> tuple[int, slice]:
        """Return the first place where sums are others, and between which columns they are."""
        pairs = enumerate(zip(self.terms, earlier.terms, strict=True))
        changed = [place for place, (term, before) in pairs if term is not before]
        columns = _span(np.any((self.heard | earlier.heard)[changed], axis=0))
        return min(changed, default=len(self)), columns

    def _measure(self) -> int:
        """Find what is largest in each column, anew where it may be another."""
        columns = range(*self._columns.indices(self.heard.shape[1]))
        n_rows, largest = len(self.terms[0]), self.largest[self._first :, self._columns]
        step = max(BLOCK_CELLS // max(len(columns), 1), 1)
        adding = [bool(heard[self._columns].any()) for heard in self.heard]
        largest[:] = 0.0
        for start in range(0, n_rows if columns else 0, step):
            so_far = np.zeros((min(step, n_rows - start), len(columns)))
            most = np.zeros(len(columns))
            for place, term in enumerate(self.terms):
                if adding[place]:
                    so_far += term[start : start + step, self._columns]
                    most = np.maximum(so_far.max(axis=0), -so_far.min(axis=0))
                if place >= self._first:
                    row = largest[place - self._first]
                    np.maximum(row, most, out=row)
        return sum(adding) * len(columns)

    def _make(self, place: int) -> Array:
        """Add up from the nearest sum below that is made, in the columns that changed."""
        before = self._earlier.get(place)
        if before is not None and place < self._first:
            return before
        columns = slice(None) if before is None else self._columns
        below = max(made for made in self.made if made < place)
        so_far = self.made[below][:, columns].copy()
        for each in range(below + 1, place + 1):
            if self.heard[each, columns].any():
                so_far += self.terms[each][:, columns]
        if before is None:
            return sealed(so_far)
        whole = before.copy()
        whole[:, columns] = so_far
        return sealed(whole)


@dataclass(frozen=True, eq=False)
class FilterBank:
    """The terms as they count in O, and their running sum; arrays stay the same while unchanged.

    Attributes
    ----------
    terms
        A_h X W_V^h W_O^(h) of each head, (T, d_model) each; zero where the head is ablated.
    sums
        The sum of the terms of heads 1..h, for each h, (T, d_model) each; one is made when it is
        asked for. The last is O without b_O.
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
    sums: RunningSums
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
        Concat with the head's columns zero, its bias b_V among what is zeroed, times W_O, plus b_O,
        (T, d_model): the right site. The outputs of the other heads are those of the scene.
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
    hears = result.listening.T > 0
    is_active = np.array([[head.active] for head in result.heads])
    sums = RunningSums(terms, hears & is_active, previous.sums if previous else None)
    sizes = [
        recall(f"size {place}", _size, head.term, _span(hears[place]))
        for place, head in enumerate(result.heads)
    ]
    heard = tuple(size.norm for size in sizes)
    counts = (size.largest for size, head in zip(sizes, result.heads, strict=True) if head.active)
    return FilterBank(
        terms=terms,
        sums=sums,
        norms=tuple(
            norm if head.active else 0.0 for norm, head in zip(heard, result.heads, strict=True)
        ),
        norms_heard=heard,
        largest=max((float(sums.largest.max()), *counts)),
        steps=recall.steps,
    )


def ablation_sites(scene: Scene, result: Result, place: int) -> AblationSites:
    """Return O with the head at ``place`` (from 0) zeroed before W_O and after it."""
    n_heads = scene.n_heads
    without = core.zero_head_columns(result.concat, place, n_heads) @ scene.w_o
    before = sealed(without if scene.b_o is None else without + scene.b_o)
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


def identity_of(result: Result) -> str:
    """Return what the residual is of: how the terms that it compares with O are made."""
    return BLOCK_IDENTITY if result.output.shape[1] > MOST_MAPPED else IDENTITY


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


def _shapes(terms: tuple[Array, ...]) -> list[tuple[int, ...]]:
    return [term.shape for term in terms]


def _span(is_wanted: npt.NDArray[np.bool_]) -> slice:
    """Return the first to the last column that is wanted, as quick to get at as all."""
    columns = np.flatnonzero(is_wanted)
    return slice(int(columns[0]), int(columns[-1]) + 1) if columns.size else slice(0, 0)


class _Size(NamedTuple):
    norm: float
    largest: float


def _size(term: Array, columns: slice) -> _Size:
    """Return how large ``term`` is, which is zero but in ``columns``."""
    cells = term[:, columns]
    return _Size(frobenius_norm(cells), _largest(cells))


def frobenius_norm(matrix: npt.NDArray[np.floating[Any]]) -> float:
    """Return the norm of one matrix, ‖M‖."""
    return float(core.frobenius_norms(matrix))


def _largest(array: Array) -> float:
    # Twice over the cells is quicker than a copy of their magnitudes.
    return max(float(array.max(initial=0.0)), -float(array.min(initial=0.0)))
