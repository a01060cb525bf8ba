"""What a captured layer adds to its scores, made of slopes of ALiBi and read as such."""

from typing import Any

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.capture import CapturedLayer, Flags, Floats
from mhagui.document.records import Array
from mhagui.errors import UserError

_ROUNDING = 8  # times the precision of the numbers, of the largest of them


def alibi_view(
    slopes: npt.ArrayLike, shape: tuple[int, int], dtype: np.dtype[np.floating[Any]]
) -> Floats:
    """Return the bias of ALiBi, (H, T_q, T_k), read-only: of (T_q, T_k), in few numbers.

    Each row is the one before it moved by one, and all are views of one row.
    """
    n_queries, n_keys = shape
    away = np.abs(np.arange(1 - n_keys, n_queries))
    by_distance = core.alibi_bias(slopes, 1, max(shape))[:, 0, ::-1]
    added = by_distance[:, away].astype(dtype)
    return np.lib.stride_tricks.sliding_window_view(added, n_keys, axis=-1)[:, ::-1]


def slopes_of(layer: CapturedLayer) -> tuple[float, ...]:
    """Return the slope of each head; 0 where nothing is added, or weights are given.

    A bias that differs from -slope |t - i| by a number for each row is as good, as of programs that
    add slope · i, unless there is a sink: no softmax sees it.

    Raises
    ------
    UserError
        When the bias of a head is none of ALiBi, for any slope of 0 or more: with head and cell.
    """
    if layer.bias is None or layer.given is not None:
        return (0.0,) * layer.n_heads
    usual = core.alibi_slopes(layer.n_heads)
    return tuple(
        _slope(layer, head, bias, float(usual[head])) for head, bias in enumerate(layer.bias)
    )


def _slope(layer: CapturedLayer, head: int, bias: Floats, usual: float) -> float:
    """Return the slope of a head: the usual one where it fits, for rounding hides the last bits."""
    allowed = layer.mask
    away = _distances(len(bias))
    added, distance = bias.astype(np.float64), away
    if layer.sinks is None:
        nearest = np.where(allowed, away, np.inf).argmin(axis=1)[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # ∞ − ∞
            added = added - np.take_along_axis(added, nearest, axis=1)
        distance = away - np.take_along_axis(away, nearest, axis=1)
    largest = float(np.max(np.abs(bias), where=allowed & np.isfinite(bias), initial=0.0))
    rounding = _ROUNDING * float(np.finfo(bias.dtype).eps) * largest
    slopes = [usual, *_estimates(added, distance, allowed)]
    for slope in slopes:
        if slope >= 0 and not _misfits(added, distance, allowed, slope, rounding).any():
            return slope + 0.0
    slope = max(slopes[-1], 0.0) if len(slopes) > 1 else 0.0
    wrong = _misfits(added, distance, allowed, slope if np.isfinite(slope) else 0.0, rounding)
    row, column = np.unravel_index(wrong.argmax(), wrong.shape)
    raise UserError(
        f"Layer {layer.number} adds to the scores of head {head} what is no ALiBi bias, "
        f"−slope · |t − i| with a slope of 0 or more: {bias[row, column]:g} on key t{column + 1} "
        f"at query t{row + 1}. Heads on the bench have no other."
    )


def _distances(n_positions: int) -> Array:
    bias: Array = core.alibi_bias([1.0], n_positions)[0]
    return np.abs(bias)


def _estimates(added: Array, distance: Array, allowed: Flags) -> list[float]:
    """Return what two cells say: one of which no bit is lost, and the farthest."""
    farthest = float(np.max(distance, where=allowed, initial=0.0))
    if not farthest:
        return [0.0]
    power = 2.0 ** np.floor(np.log2(farthest))
    found = []
    for wanted in (power, farthest):
        cells = np.argwhere((distance == wanted) & allowed)
        if len(cells):
            row, column = cells[-1]
            found.append(-float(added[row, column]) / wanted)
    return found


def _misfits(added: Array, distance: Array, allowed: Flags, slope: float, rounding: float) -> Flags:
    """Return the allowed cells that are not as the slope has them."""
    with np.errstate(invalid="ignore", over="ignore"):
        wrong: Flags = ~(np.abs(added + slope * distance) <= rounding)
    return wrong & allowed
