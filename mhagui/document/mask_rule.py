"""Which keys a query may see, as a rule that holds at any T."""

import enum
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.checks import count
from mhagui.document.patterns import MAX_POSITIONS
from mhagui.document.records import frozen
from mhagui.errors import UserError

Flags = npt.NDArray[np.bool_]


class MaskKind(enum.Enum):
    """What a query may see; the value is what it is called."""

    CAUSAL = "causal"
    FULL = "full"
    SLIDING = "sliding window"
    PREFIX = "prefix"

    @property
    def has_size(self) -> bool:
        """Whether it takes a number of keys."""
        return self in (MaskKind.SLIDING, MaskKind.PREFIX)


# What masks go across, from queries to keys that are not their positions, and how that is said.
_ACROSS = {
    MaskKind.FULL: " over the keys of another sequence",
    MaskKind.CAUSAL: ", the queries being the last of the keys",
}


@dataclass(frozen=True, slots=True)
class MaskRule:
    """A mask, True = allowed; causal unless another is asked for.

    Attributes
    ----------
    kind
        Causal: no query sees a later key. Full: every query sees every key. Sliding window: of
        the causal keys the last ``size``, a query's own among them. Prefix: the causal keys, and
        for every query the first ``size``.
    size
        1 to 4,096 keys; 0 where the kind takes none.
    left, right
        How many positions at either end are padding, which neither see nor are seen.
    across
        Whether queries and keys are not the same positions. Where the mask is full the keys are
        those of another sequence; where it is causal the queries are the last of the keys, as when
        a text is continued. ``left`` and ``right`` are of the keys alone then.
    """

    kind: MaskKind = MaskKind.CAUSAL
    size: int = 0
    left: int = 0
    right: int = 0
    across: bool = False

    def __post_init__(self) -> None:
        """Check the numbers; raises UserError naming the one that cannot be."""
        least, most = (1, MAX_POSITIONS) if self.kind.has_size else (0, 0)
        set_field = object.__setattr__
        set_field(self, "kind", MaskKind(self.kind))
        set_field(
            self, "size", count(f"The size of a {self.kind.value} mask", self.size, most, least)
        )
        for name in ("left", "right"):
            what = f"The number of padded positions on the {name}"
            set_field(self, name, count(what, getattr(self, name), MAX_POSITIONS, 0))
        set_field(self, "across", bool(self.across))
        if self.across and self.kind not in _ACROSS:
            raise UserError(
                "Where queries and keys are not the same positions a mask is full or causal, not "
                f"{self.kind.value}."
            )

    @property
    def is_causal(self) -> bool:
        """Whether query t sees the keys 1 to t, neither more nor fewer."""
        return self == CAUSAL

    @property
    def sees_later(self) -> bool:
        """Whether any query may see a key behind itself, or one of another sequence."""
        return self.across or self.kind in (MaskKind.FULL, MaskKind.PREFIX)

    @property
    def text(self) -> str:
        """What the mask is called, with its numbers."""
        name = self.kind.value
        if self.kind.has_size:
            name += f" of {self.size} {'key' if self.size == 1 else 'keys'}"
        if self.across:
            name += _ACROSS[self.kind]
        ends = [f"{n} on the {end}" for end in ("left", "right") if (n := getattr(self, end))]
        return f"{name}, padding {' and '.join(ends)}" if ends else name

    @property
    def key_sign(self) -> str:
        """What stands before the number of a key: t, or i where no key is a query, too."""
        return "i" if self.across else "t"

    @property
    def formula(self) -> str:
        """Which keys i query t sees, padding apart."""
        if self.across and self.kind is MaskKind.CAUSAL:
            return "i ≤ t + T_k − T"
        return {
            MaskKind.CAUSAL: "i ≤ t",
            MaskKind.FULL: "every i",
            MaskKind.SLIDING: f"t − {self.size} < i ≤ t",
            MaskKind.PREFIX: f"i ≤ max(t, {self.size})",
        }[self.kind]

    def allowed(self, n_positions: int, n_keys: int | None = None) -> Flags:
        """Return which keys each query may see, (T, T), read-only.

        (T, T_k) where there are ``n_keys`` that are not the queries' positions; they count for
        nothing otherwise.
        """
        if self.across:
            return frozen(self._across(n_positions, n_positions if n_keys is None else n_keys))
        match self.kind:
            case MaskKind.CAUSAL:
                allowed = core.causal_mask(n_positions)
            case MaskKind.FULL:
                allowed = np.ones((n_positions, n_positions), dtype=np.bool_)
            case MaskKind.SLIDING:
                allowed = core.sliding_window_mask(n_positions, window=self.size)
            case MaskKind.PREFIX:
                allowed = core.prefix_mask(n_positions, prefix=self.size)
        if self.left or self.right:
            place = np.arange(n_positions)
            is_token = (place >= self.left) & (place < n_positions - self.right)
            allowed &= core.padding_mask(is_token)
        return frozen(allowed)

    def _across(self, n_queries: int, n_keys: int) -> Flags:
        place = np.arange(n_keys)
        is_seen = (place >= self.left) & (place < n_keys - self.right)
        if self.kind is MaskKind.FULL:
            return np.tile(is_seen, (n_queries, 1))
        return core.causal_mask(n_queries, n_keys) & is_seen


CAUSAL = MaskRule()


def rule_across(allowed: Flags) -> MaskRule | None:
    """Return the rule that makes ``allowed``, (T_q, T_k), where it goes across; None: none does."""
    sees = allowed[-1]
    if not sees.any():
        return None
    ends = int(sees.argmax()), int(sees[::-1].argmax())
    kinds = (MaskKind.FULL, MaskKind.CAUSAL) if len(allowed) <= len(sees) else (MaskKind.FULL,)
    rules = (MaskRule(kind, 0, *ends, across=True) for kind in kinds)
    same = (rule for rule in rules if np.array_equal(rule.allowed(*allowed.shape), allowed))
    return next(same, None)


def rule_of(allowed: Flags) -> MaskRule | None:
    """Return the rule that makes ``allowed``, (T, T), the simplest first; None where none does."""
    n_positions, sees = len(allowed), np.any(allowed, axis=1)
    if not sees.any():
        return None
    left, right = int(sees.argmax()), int(sees[::-1].argmax())
    first = int(np.flatnonzero(allowed[left])[-1]) + 1
    rules = [
        MaskRule(left=left, right=right),
        MaskRule(MaskKind.FULL, 0, left, right),
        MaskRule(MaskKind.SLIDING, int(allowed.sum(axis=1).max()), left, right),
        MaskRule(MaskKind.PREFIX, first, left, right),
    ]
    same = (rule for rule in rules if np.array_equal(rule.allowed(n_positions), allowed))
    return next(same, None)
