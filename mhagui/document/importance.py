"""How much a number that is read off O hangs on each head of the scene on the bench."""

import enum
import math
from dataclasses import dataclass

import numpy as np

from mhagui import core
from mhagui.core.threads import one_blas_thread
from mhagui.document.capture import Floats
from mhagui.document.compute import Result
from mhagui.document.filter_bank import frobenius_norm
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene


class ReadoutKind(enum.Enum):
    """Which number is read off O; the value is the name shown to the user."""

    WHOLE = "norm of O, all positions"
    ROW = "norm of O at t"
    CHANNEL = "one channel of O at t"
    DIFFERENCE = "difference of two channels at t"


@dataclass(frozen=True, slots=True)
class Readout:
    """A number L that is read off O; position and channels count from 0.

    ``other`` is subtracted in a difference.
    """

    kind: ReadoutKind = ReadoutKind.WHOLE
    query: int = 0
    channel: int = 0
    other: int = 0

    @property
    def rows(self) -> slice:
        """The positions that are read."""
        whole = self.kind is ReadoutKind.WHOLE
        return slice(None) if whole else slice(self.query, self.query + 1)

    def of(self, rows: Floats) -> float:
        """Return L of the rows of O that are read."""
        match self.kind:
            case ReadoutKind.CHANNEL:
                return float(rows[0, self.channel])
            case ReadoutKind.DIFFERENCE:
                return float(rows[0, self.channel] - rows[0, self.other])
        return frobenius_norm(rows)

    def gradient(self, rows: Array) -> Array | None:
        """Return ∂L/∂O of these rows; None where L is the norm of zeros, which has none."""
        slope = np.zeros_like(rows)
        match self.kind:
            case ReadoutKind.CHANNEL:
                slope[0, self.channel] = 1.0
            case ReadoutKind.DIFFERENCE:
                slope[0, self.channel] += 1.0
                slope[0, self.other] -= 1.0
            case _:
                norm = frobenius_norm(rows)
                return rows / norm if norm > 0 else None
        return slope


@dataclass(frozen=True, eq=False)
class Importance:
    """How much a readout L of O hangs on each head.

    Attributes
    ----------
    value
        L.
    predicted
        −∂L/∂ξ_h, gradient times output: to first order what ablating head h to zero adds to L,
        (H,); NaN where there is no gradient.
    ablated
        What it really adds, L without head h minus L, (H,).
    error_by_gradient, error_by_ablation
        ‖ΔO‖ / ‖O‖ of the positions that are read when 1, 2, .. of the heads that reach W_O are
        gone, those first whose ``predicted``, or ``ablated``, is smallest in magnitude; none
        where there is no gradient.
    """

    value: float
    predicted: Array
    ablated: Array
    error_by_gradient: Array
    error_by_ablation: Array

    @property
    def gap(self) -> Array:
        """What first order misses of each head, ``ablated`` − ``predicted``, (H,)."""
        return self.ablated - self.predicted


def head_importance(scene: Scene, result: Result, readout: Readout) -> Importance:
    """Return how much ``readout`` hangs on each head of the scene; muted heads add nothing."""
    rows = result.output[readout.rows]
    outputs = _head_outputs(result, readout.rows)
    with one_blas_thread():
        slope = readout.gradient(rows)
        predicted = (
            np.full(scene.n_heads, math.nan)
            if slope is None
            # Added to 0 there is no −0.
            else 0.0 - core.gradient_importance(outputs, scene.w_o, slope)
        )
        ablated = core.ablation_importance(outputs, scene.w_o, readout.of, rest=scene.b_o)
        by_gradient, by_ablation = (
            _errors(scene, outputs, _least_first(result, sizes), rows)
            for sizes in (predicted, ablated)
        )
    return Importance(
        value=readout.of(rows),
        predicted=sealed(predicted),
        ablated=sealed(ablated),
        error_by_gradient=by_gradient,
        error_by_ablation=by_ablation,
    )


def importance_effort(scene: Scene, readout: Readout) -> int:
    """Return about how many multiplications and additions `head_importance` needs."""
    n_rows = scene.n_positions if readout.kind is ReadoutKind.WHOLE else 1
    return 2 * n_rows * scene.n_heads * scene.d_v * scene.d_model


def _head_outputs(result: Result, rows: slice) -> Array:
    """Return O_h of all heads at some positions, (H, R, d_v), those of muted heads 0."""
    some = result.concat[rows]
    by_head: Array = some.reshape(len(some), len(result.heads), -1).swapaxes(0, 1)
    return by_head


def _least_first(result: Result, sizes: Array) -> list[int]:
    """Return the heads that reach W_O, by rising magnitude; none where there are no sizes."""
    active = [place for place, head in enumerate(result.heads) if head.active]
    return [] if np.isnan(sizes).any() else sorted(active, key=np.abs(sizes).tolist().__getitem__)


def _errors(scene: Scene, outputs: Array, order: list[int], rows: Array) -> Array:
    """Return the share of O that is gone after each head of ``order``.

    What is gone is added up: one product for each head, where O made anew would take all.
    """
    gone, norms = np.zeros_like(rows), []
    for place in order:
        gone += outputs[place] @ scene.w_o[scene.rows_of(place)]
        norms.append(frobenius_norm(gone))
    return sealed(np.array(norms) / (frobenius_norm(rows) or math.nan))
