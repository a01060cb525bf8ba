"""The source of tokens on which the heads' information is measured."""

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from mhagui import core
from mhagui.document.checks import count, shape_text
from mhagui.document.records import Array, Record, read_only, sealed
from mhagui.errors import UserError
from mhagui.formats import subscript

LEAST_SYMBOLS, MOST_SYMBOLS = 2, 8
MOST_LAG = 16
PARTS_SYMBOLS = 4
LEAST_RESOLUTION, MOST_RESOLUTION = 0.001, 1.0
STAY = 0.9  # of the Markov source one starts with: the probability that a symbol comes again
_ROW_TOLERANCE = 1e-6


class SourceKind(enum.Enum):
    """How the next token comes about; the value is the name shown to the user."""

    IID = "i.i.d."
    MARKOV = "Markov"
    PERIODIC = "periodic"
    COPY = "copy"
    SUM = "sum of two"
    PARTS = "a bit of each of two"


@dataclass(frozen=True, slots=True, eq=False)
class TokenSource(Record):
    """A source of tokens X_1, X_2, .. over S symbols, and how finely heads' outputs are observed.

    Attributes
    ----------
    kind
        IID: every token uniform, independent of all others. MARKOV: X_1 uniform, then row X_t of
        ``transition``. PERIODIC: X_1 uniform, then X_{t+1} = X_t + 1 mod S. COPY: the first
        ``lag`` tokens i.i.d. uniform, then X_{t+1} = X_{t+1−lag}. SUM: two tokens i.i.d. uniform,
        then X_{t+1} = X_t + X_{t−1} mod S, which for S = 2 is their exclusive or. PARTS, for
        S = 4 symbols of two bits: two tokens i.i.d. uniform, then the high bit of X_{t+1} is the
        low one of X_t, and its low bit the high one of X_{t−1}.
    n_symbols
        S, 2 to 8.
    lag
        k of COPY, 1 to 16.
    transition
        P(X_{t+1} = column | X_t = row) of MARKOV, (S, S), 0 to 1; each row sums to 1 within 1e-6.
        None makes one in which a symbol comes again with probability 0.9.
    resolution
        Every number of a head's output is observed rounded to multiples of it, 0.001 to 1; 0 for
        exactly, that is to 12 decimals.
    """

    kind: SourceKind = SourceKind.COPY
    n_symbols: int = 2
    lag: int = 2
    transition: Array | None = None
    resolution: float = 0.0

    def __post_init__(self) -> None:
        """Check that everything fits together and freeze the transition matrix."""
        set_field = partial(object.__setattr__, self)
        set_field("kind", _kind(self.kind))
        symbols = "The number of symbols S", self.n_symbols, MOST_SYMBOLS, LEAST_SYMBOLS
        set_field("n_symbols", count(*symbols))
        set_field("lag", count("The lag k", self.lag, MOST_LAG))
        given = self.transition
        set_field("transition", staying(self.n_symbols) if given is None else read_only(given))
        set_field("resolution", float(self.resolution) + 0.0)
        _check_transition(self.probabilities, self.n_symbols)
        if self.kind is SourceKind.PARTS and self.n_symbols != PARTS_SYMBOLS:
            raise UserError(
                f"The source “{self.kind.value}” has {PARTS_SYMBOLS} symbols, of two bits; "
                f"got S = {self.n_symbols}."
            )
        _check_resolution(self.resolution)

    @property
    def probabilities(self) -> Array:
        """The transition matrix, (S, S), which there always is once the source is made."""
        assert self.transition is not None
        return self.transition

    @property
    def next_tokens(self) -> Callable[[core.Tokens], Array]:
        """The rule of the source: from (N, t) sequences to P(X_{t+1} | sequence), (N, S)."""
        return partial(_RULES[self.kind], self)

    @property
    def formula(self) -> str:
        """How the next token comes about, in a line."""
        symbols, lag = self.n_symbols, self.lag
        last = f"X{subscript(lag)}"
        first = "X₁ uniform" if lag == 1 else f"X₁{', ' if lag == 2 else '..'}{last} i.i.d."
        back = "X_t" if lag == 1 else f"X_{{t−{lag - 1}}}"
        return {
            SourceKind.IID: "X_{t+1} independent of all before",
            SourceKind.MARKOV: "X_{t+1} from row X_t of P",
            SourceKind.PERIODIC: f"X_{{t+1}} = X_t + 1 mod {symbols}",
            SourceKind.COPY: f"{first}, then X_{{t+1}} = {back}",
            SourceKind.SUM: f"X₁, X₂ i.i.d., then X_{{t+1}} = X_t + X_{{t−1}} mod {symbols}",
            SourceKind.PARTS: "X₁, X₂ i.i.d., then X_{t+1} = (low bit of X_t, high of X_{t−1})",
        }[self.kind]

    def with_kind(self, kind: SourceKind) -> "TokenSource":
        """Return the source of another kind, with as many symbols as it has to have."""
        has_to = kind is SourceKind.PARTS and self.n_symbols != PARTS_SYMBOLS
        return replace(self.with_symbols(PARTS_SYMBOLS) if has_to else self, kind=kind)

    def with_symbols(self, n_symbols: int) -> "TokenSource":
        """Return the source over another number of symbols, its transition matrix made anew."""
        return replace(self, n_symbols=n_symbols, transition=None)

    def with_probability(self, row: int, column: int, probability: float) -> "TokenSource":
        """Return the source with one transition probability set and the rest of its row scaled.

        So each row still sums to 1; where the rest was 0 it is shared alike. Places count from 0.
        """
        if not 0 <= probability <= 1:
            raise UserError(f"A probability must be a number from 0 to 1; got {probability:g}.")
        transition = self.probabilities.copy()
        rest = np.delete(transition[row], column)
        shares = rest / rest.sum() if rest.sum() else np.full(rest.shape, 1 / rest.size)
        transition[row] = np.insert(shares * (1 - probability), column, probability)
        return replace(self, transition=transition)


def staying(n_symbols: int) -> Array:
    """Return the transition matrix of one who stays with probability 0.9, (S, S)."""
    transition = np.full((n_symbols, n_symbols), (1 - STAY) / (n_symbols - 1))
    np.fill_diagonal(transition, STAY)
    return sealed(transition)


def _uniform(source: TokenSource, sequences: core.Tokens) -> Array:
    return np.full((len(sequences), source.n_symbols), 1 / source.n_symbols)


def _only(source: TokenSource, symbols: core.Tokens) -> Array:
    """Return the distributions that are certain of ``symbols``, (N,)."""
    return np.eye(source.n_symbols)[symbols]


def _markov(source: TokenSource, sequences: core.Tokens) -> Array:
    if sequences.shape[1] < 1:
        return _uniform(source, sequences)
    # A row may miss 1 by a little; as many steps on that would be more than a little.
    rows = source.probabilities / source.probabilities.sum(axis=1, keepdims=True)
    following: Array = rows[sequences[:, -1]]
    return following


def _periodic(source: TokenSource, sequences: core.Tokens) -> Array:
    if sequences.shape[1] < 1:
        return _uniform(source, sequences)
    return _only(source, (sequences[:, -1] + 1) % source.n_symbols)


def _copy(source: TokenSource, sequences: core.Tokens) -> Array:
    if sequences.shape[1] < source.lag:
        return _uniform(source, sequences)
    return _only(source, sequences[:, -source.lag])


def _sum(source: TokenSource, sequences: core.Tokens) -> Array:
    if sequences.shape[1] < 2:
        return _uniform(source, sequences)
    return _only(source, (sequences[:, -1] + sequences[:, -2]) % source.n_symbols)


def _parts(source: TokenSource, sequences: core.Tokens) -> Array:
    if sequences.shape[1] < 2:
        return _uniform(source, sequences)
    return _only(source, sequences[:, -1] % 2 * 2 + sequences[:, -2] // 2)


_RULES = {
    SourceKind.IID: _uniform,
    SourceKind.MARKOV: _markov,
    SourceKind.PERIODIC: _periodic,
    SourceKind.COPY: _copy,
    SourceKind.SUM: _sum,
    SourceKind.PARTS: _parts,
}


def _kind(given: object) -> SourceKind:
    try:
        return SourceKind(given)
    except ValueError:
        names = ", ".join(f"“{kind.value}”" for kind in SourceKind)
        raise UserError(f"A token source is one of {names}; got {given!s:.40}.") from None


def _check_transition(transition: Array, n_symbols: int) -> None:
    if transition.shape != (n_symbols, n_symbols):
        raise UserError(
            f"The transition matrix must be {n_symbols} × {n_symbols} (S rows and columns); "
            f"got {shape_text(transition)}."
        )
    for number, row in enumerate(transition, 1):
        if not ((row >= 0) & (row <= 1)).all():
            raise UserError(
                f"Row {number} of the transition matrix must hold probabilities from 0 to 1."
            )
        if not abs(row.sum() - 1) <= _ROW_TOLERANCE:
            raise UserError(
                f"Row {number} of the transition matrix must sum to 1; it sums to {row.sum():.9g}."
            )


def _check_resolution(resolution: float) -> None:
    is_step = LEAST_RESOLUTION <= resolution <= MOST_RESOLUTION
    if not math.isfinite(resolution) or not (resolution == 0 or is_step):
        raise UserError(
            f"The resolution must be 0 (exact) or a number from {LEAST_RESOLUTION:g} to "
            f"{MOST_RESOLUTION:g}; got {resolution:g}."
        )
