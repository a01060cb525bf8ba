"""How different two heads look at the sequence: the Jensen–Shannon divergence of their rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mhagui.core._checks import FloatArray, as_matrices, require_common_leading, shape_error
from mhagui.core.entropy import entropy_bits, row_entropy_bits


def jensen_shannon_bits(
    one: npt.ArrayLike,
    other: npt.ArrayLike,
    *,
    entropies: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> FloatArray:
    """Return the Jensen–Shannon divergence of each pair of rows, H((p + q)/2) − (H(p) + H(q))/2.

    Parameters
    ----------
    one, other
        Weights p and q, shape (..., T_q, T_k), values 0..1, rows summing to 1; leading axes
        broadcast, so that ``a[:, None], a`` gives all pairs of heads.
    entropies
        `row_entropy_bits` of ``one`` and of ``other`` where they are known, shape (..., T_q):
        they take two thirds of the work. Of the values only (p + q)/2 is looked at then.

    Returns
    -------
    ndarray, shape (..., T_q)
        Bits, from 0 (the same weights) to 1 (no key in common); NaN where a row has no weight.

    Raises
    ------
    ValueError
        When a shape or dtype does not fit, or a value is outside 0..1 or NaN.

    Notes
    -----
    Source: J. Lin, "Divergence measures based on the Shannon entropy", IEEE Trans. Inf. Theory
    37 (1991) 145–151.
    """
    p, q = as_matrices(one, "one", "T_q, T_k"), as_matrices(other, "other", "T_q, T_k")
    if q.shape[-2:] != p.shape[-2:]:
        raise shape_error("other", f"(..., {p.shape[-2]}, {p.shape[-1]})", q)
    require_common_leading("one and other", p.shape[:-2], q.shape[:-2])
    if entropies is None:
        entropies = entropy_bits(p, "one"), entropy_bits(q, "other")
    apart = np.add(*entropies) / 2
    bits: FloatArray = np.clip(row_entropy_bits((p + q) / 2) - apart, 0.0, 1.0)
    return bits
