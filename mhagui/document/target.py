"""Weights asked for row by row: what is asked, and in words how near a head came to it."""

import math

import numpy as np

from mhagui.core import LARGEST_TARGET, TARGET_TOLERANCE, TargetFit
from mhagui.document.mask_rule import CAUSAL, MaskRule
from mhagui.document.records import Array
from mhagui.errors import UserError


def why_not_by_rows(n_positions: int, mask: MaskRule = CAUSAL) -> str:
    """Return why no head of T positions is designed by rows; empty where one can be."""
    if mask.across:
        return "No rows can be asked for where queries and keys are not the same positions"
    if not mask.is_causal:
        return f"Rows can be asked for under the causal mask alone; this one is {mask.text}"
    if n_positions <= LARGEST_TARGET:
        return ""
    return f"Rows of at most {LARGEST_TARGET} positions can be asked for; T is {n_positions}"


def asked_rows(wanted: Array) -> Array:
    """Return each row of ``wanted`` scaled to sum 1, NaN where all its cells are; empty ones are 0.

    Raises UserError where a row has nothing above 0.
    """
    given = ~np.isnan(wanted).all(axis=1)
    weights = np.nan_to_num(wanted)
    largest = weights.max(axis=1, keepdims=True)
    for row in np.flatnonzero(given & ~(largest[:, 0] > 0)):
        raise UserError(f"Row t{row + 1} asks for nothing; give it a weight above 0.")
    asked = np.full_like(wanted, math.nan)
    shares = weights[given] / largest[given]  # at first: a sum of large weights may overflow
    asked[given] = shares / shares.sum(axis=1, keepdims=True)
    return asked


def fit_text(fit: TargetFit, d_k: int) -> str:
    """Return in words how near ``fit`` comes to what was asked for."""
    if fit.worst_row is None:
        return "Give at least one row; empty rows are free."
    if fit.largest_error <= TARGET_TOLERANCE:
        thousandths = max(math.ceil(1000 * fit.largest_error - 1e-6), 1)
        return f"Found with d_k = {d_k}: every given weight is met within {thousandths / 1000:g}."
    nearest = f"Nearest found misses row t{fit.worst_row + 1} by {fit.largest_error:.2f};"
    if fit.d_k_needed is None:
        return f"{nearest} no larger d_k was found that would do."
    return f"{nearest} d_k = {fit.d_k_needed} would do."
