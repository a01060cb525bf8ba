"""The packed W_Q that would make the designed queries from X, where there is one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mhagui.document.records import Array, sealed


@dataclass(frozen=True, eq=False)
class PackedQueries:
    """The W_Q with X W_Q = [Q_1 .. Q_H], found when first asked for.

    Attributes
    ----------
    x
        X, (T, d_model).
    queries
        Q_1 .. Q_H, each (T, d_k).
    """

    x: Array
    queries: tuple[Array, ...]

    @cached_property
    def wanted(self) -> Array:
        """[Q_1 .. Q_H], (T, H * d_k)."""
        return sealed(np.hstack(self.queries))

    @cached_property
    def w_q(self) -> Array:
        """W_Q, (d_model, H * d_k), the shortest; where there is none, what comes closest."""
        if np.array_equal(self.x @ self.x.T, np.eye(len(self.x))):
            return sealed(self.x.T @ self.wanted)  # one-hot tokens: the queries to the last bit
        return sealed(np.linalg.lstsq(self.x, self.wanted, rcond=None)[0])

    @cached_property
    def why_none(self) -> str | None:
        """One sentence on why there is no such W_Q; None when there is.

        There is none where tokens of X are alike, or depend on one another, but their queries do
        not.
        """
        error = np.abs(self.x @ self.w_q - self.wanted).max(axis=1)
        worst = int(np.argmax(error))
        if error[worst] <= 1e-9 * float(np.abs(self.wanted).max()):
            return None
        twins = np.flatnonzero((self.x == self.x[worst]).all(axis=1)) + 1
        what = "the tokens of X depend on one another, but their queries do not follow"
        if len(twins) > 1:
            what = f"tokens t{twins[0]} and t{twins[1]} are the same, but their queries are not"
        return (
            f"The packed W_Q does not exist for this scene: {what}; "
            f"it does with a T of at most d_model = {self.x.shape[1]} different tokens."
        )


def packed_queries(x: Array, *queries: Array) -> PackedQueries:
    """Return what packs the heads' ``queries``, each (T, d_k)."""
    return PackedQueries(x, queries)
