"""The packed W_Q, W_K and W_V: the heads' own side by side, and what designs amount to."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mhagui.document.records import Array, sealed

_EXACT = 1e-9  # times the largest number wanted: what rounding can make of an exact solution
_NOUNS = {"W_Q": "queries", "W_K": "keys", "W_V": "values"}


class Slice(NamedTuple):
    """What one head has to do with a packed matrix.

    Attributes
    ----------
    x
        What the head reads, (T, d_model).
    wanted
        What it makes of that: Q_h, K_h or V_h, (T, width).
    own
        Its own W^h, (d_model, width); None where ``wanted`` is designed or hand-set.
    """

    x: Array
    wanted: Array
    own: Array | None


@dataclass(frozen=True, eq=False)
class PackedProjection:
    """W = [W^1 .. W^H] with x_h W^h = F_h for every head h, found when first asked for.

    A head that has a matrix of its own brings it along, number by number; for any other its slice
    is the shortest matrix that makes F_h from what the head reads, x_h.

    Attributes
    ----------
    symbol
        W_Q, W_K or W_V.
    x
        X, (T, d_model); a head of layer 2 reads X + O_1 instead.
    slices
        One per head.
    """

    symbol: str
    x: Array
    slices: tuple[Slice, ...]

    @property
    def width(self) -> int:
        """Columns of one head."""
        return int(self.slices[0].wanted.shape[1])

    @cached_property
    def matrix(self) -> Array:
        """W, (d_model, H * width); slices there are none for are what comes closest."""
        packed = np.empty((self.x.shape[1], len(self.slices) * self.width))
        for place, part in enumerate(self.slices):
            if part.own is not None:
                packed[:, self.columns_of(place)] = part.own
        for x, places in self._readers():
            sought = [place for place in places if self.slices[place].own is None]
            if sought:
                wanted = np.hstack([self.slices[place].wanted for place in sought])
                found = np.hsplit(_solved(x, wanted), len(sought))
                for place, columns in zip(sought, found, strict=True):
                    packed[:, self.columns_of(place)] = columns
        return sealed(packed)

    @cached_property
    def product(self) -> Array:
        """What W makes of the input in one product, (T, H * width): X W, of layer 2 (X + O_1) W."""
        readers = self._readers()
        if len(readers) == 1:
            return sealed(readers[0][0] @ self.matrix)
        product = np.empty((len(self.x), self.matrix.shape[1]))
        for x, places in readers:
            whole = x @ self.matrix
            for place in places:
                product[:, self.columns_of(place)] = whole[:, self.columns_of(place)]
        return sealed(product)

    @cached_property
    def errors(self) -> tuple[float, ...]:
        """For each head max |product[:, its columns] - F_h|."""
        return tuple(float(error.max()) for error in self._row_errors)

    def matrix_of(self, place: int) -> Array:
        """Return the slice of the head at ``place``, (d_model, width)."""
        return sealed(self.matrix[:, self.columns_of(place)].copy())

    @cached_property
    def why_none(self) -> str | None:
        """One sentence on why there is no such W; None when there is."""
        for place in sorted(range(len(self.slices)), key=self.errors.__getitem__, reverse=True):
            cause = self.cause_of_none(place)
            if cause:
                return f"The packed {self.symbol} does not exist for this scene: {cause}."
        return None

    def cause_of_none(self, place: int) -> str | None:
        """Return in words why there is no slice for the head at ``place``; None when there is.

        There is none where rows of its input are alike, or depend on one another, but the head's
        queries (or keys) do not.
        """
        part, error = self.slices[place], self._row_errors[place]
        worst = int(np.argmax(error))
        if part.own is not None or error[worst] <= _EXACT * float(np.abs(part.wanted).max()):
            return None
        reads_x, noun = part.x is self.x, _NOUNS[self.symbol]
        rows, source = ("tokens", "X") if reads_x else ("rows", "X + O_1")
        twins = np.flatnonzero((part.x == part.x[worst]).all(axis=1)) + 1
        cause = f"the {rows} of {source} depend on one another, but their {noun} do not follow"
        if len(twins) > 1:
            which = f"{rows} t{twins[0]} and t{twins[1]}" + ("" if reads_x else f" of {source}")
            cause = f"{which} are the same, but their {noun} are not"
        most = f"; it does with a T of at most d_model = {self.x.shape[1]} different tokens"
        return cause + most if reads_x else cause

    @cached_property
    def _row_errors(self) -> tuple[Array, ...]:
        found = np.hsplit(self.product, len(self.slices))
        parts = zip(found, self.slices, strict=True)
        return tuple(np.abs(columns - part.wanted).max(axis=1) for columns, part in parts)

    def columns_of(self, place: int) -> slice:
        """Return the columns of the head at ``place``."""
        return slice(place * self.width, (place + 1) * self.width)

    def _readers(self) -> list[tuple[Array, list[int]]]:
        """Return each input and the places of the heads that read it."""
        readers: dict[int, tuple[Array, list[int]]] = {}
        for place, part in enumerate(self.slices):
            readers.setdefault(id(part.x), (part.x, []))[1].append(place)
        return list(readers.values())


def _solved(x: Array, wanted: Array) -> Array:
    """Return the shortest W with x W = ``wanted``; where there is none, what comes closest."""
    if len(x) <= x.shape[1] and np.array_equal(x @ x.T, np.eye(len(x))):
        return sealed(x.T @ wanted)  # one-hot tokens: to the last bit
    return sealed(np.linalg.lstsq(x, wanted, rcond=None)[0])
