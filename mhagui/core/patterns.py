"""Which keys a head of a known pattern looks at: previous, first, self, induction, duplicate."""

from __future__ import annotations

from typing import Literal, SupportsIndex, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import BoolArray, as_array, as_length, described
from mhagui.core.masks import query_positions

HeadPattern: TypeAlias = Literal[
    "previous token", "first token", "self", "induction", "duplicate token"
]
HEAD_PATTERNS: tuple[HeadPattern, ...] = get_args(HeadPattern)
POSITION_PATTERNS, TOKEN_PATTERNS = HEAD_PATTERNS[:3], HEAD_PATTERNS[3:]


def pattern_targets(
    pattern: HeadPattern,
    n_queries: SupportsIndex,
    n_keys: SupportsIndex | None = None,
    *,
    token_ids: npt.ArrayLike | None = None,
) -> BoolArray:
    """Return the keys that a head of a pattern looks at, whatever the mask.

    Parameters
    ----------
    pattern
        With p the query's position: "previous token" p − 1; "first token" the first key, for p
        of at least 1; "self" p; "duplicate token" the earlier positions of the token at p;
        "induction" what came after these, without p itself.
    n_queries, n_keys
        T_q and T_k, as for `causal_mask`: the queries are the last T_q positions of the keys.
    token_ids
        Which token stands at each key position, shape (T_k,), integers; needed for "induction"
        and "duplicate token", without effect on others.

    Returns
    -------
    ndarray of bool, shape (T_q, T_k)
        A new array; a row with no such key is all False.

    Raises
    ------
    ValueError
        When there is no such pattern, a count is not acceptable, or `token_ids` does not fit.

    Notes
    -----
    Source: Olsson et al., "In-context Learning and Induction Heads" (2022) for the induction
    pattern, whose prefix matching this is. The key after an earlier token is the query itself
    where a token stands twice in a row; it is left out, for `self` finds it as well.
    """
    if pattern not in HEAD_PATTERNS:
        raise ValueError(f"pattern must be one of {HEAD_PATTERNS}, got {described(pattern)}.")
    rows = as_length(n_queries, "n_queries")
    columns = rows if n_keys is None else as_length(n_keys, "n_keys")
    position, key = query_positions(rows, columns)[:, np.newaxis], np.arange(columns)
    if pattern == "previous token":
        targets: BoolArray = key == position - 1
    elif pattern == "self":
        targets = key == position
    elif pattern == "first token":
        targets = (key == 0) & (position >= 1)
    else:
        targets = _earlier_of_the_same(position, _checked_ids(token_ids, columns))
        if pattern == "induction":
            targets[:, 1:] = targets[:, :-1].copy() & (key[1:] != position)
            targets[:, 0] = False
    return targets


def _earlier_of_the_same(
    position: npt.NDArray[np.int64], ids: npt.NDArray[np.integer]
) -> BoolArray:
    """Return which keys are earlier than a query and hold its token; queries may lie outside."""
    key = np.arange(len(ids))
    within = (position >= 0) & (position < len(ids))
    own = ids[np.clip(position, 0, len(ids) - 1)]
    same: BoolArray = within & (ids == own) & (key < position)
    return same


def _checked_ids(token_ids: npt.ArrayLike | None, n_keys: int) -> npt.NDArray[np.integer]:
    if token_ids is None:
        raise ValueError(
            f"token_ids must be given for the patterns {' and '.join(TOKEN_PATTERNS)}."
        )
    ids = as_array(token_ids, "token_ids")
    if ids.dtype.kind not in "iu":
        raise ValueError(f"token_ids must hold integers, got dtype {ids.dtype}.")
    if ids.shape != (n_keys,):
        raise ValueError(f"token_ids must be one per key, {n_keys}, got shape {ids.shape}.")
    return ids
