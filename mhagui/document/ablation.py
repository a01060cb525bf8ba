"""Heads of the scene on the bench ablated before W_O: what becomes of O, and what hangs on each.

What is done to a head is told as of a captured layer. The other heads' outputs are those of the
scene: a head of layer 2 goes on reading what it reads.
"""

import enum
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mhagui import core
from mhagui.core.threads import one_blas_thread
from mhagui.document.capture import CapturedLayer, Floats
from mhagui.document.captured_ablation import Ablation, AblationKind, ablated_outputs
from mhagui.document.compute import Result, compute
from mhagui.document.filter_bank import why_no_wrong_site
from mhagui.document.head_result import HeadResult
from mhagui.document.on_demand import OnDemand
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene


@dataclass(frozen=True, slots=True)
class MuteHeads:
    """Mute some heads, by uid, in one step."""

    heads: tuple[int, ...]
    merge_key: Hashable | None = None

    @property
    def text(self) -> str:
        """What it does."""
        return "Mute head" if len(self.heads) == 1 else f"Mute {len(self.heads)} heads"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with these heads muted; raises UserError where there is no such head."""
        for uid in self.heads:
            scene = scene.with_head(uid, muted=True)
        return scene


@dataclass(frozen=True, eq=False)
class Effect:
    """What O loses or gains, all in its unit but for the shares.

    Attributes
    ----------
    output
        O as it was, (T, d_model).
    change
        O afterwards minus O before, (T, d_model).
    """

    output: Array
    change: Array

    @property
    def by_position(self) -> Array:
        """Norm of the change at each position, ‖ΔO_t‖, (T,)."""
        return _row_norms(self.change)

    @property
    def share_by_position(self) -> Array:
        """‖ΔO_t‖ / ‖O_t‖, (T,); NaN where O_t is 0."""
        return _ratio(self.by_position, _row_norms(self.output))

    @property
    def norm(self) -> float:
        """‖ΔO‖ over all positions."""
        return _norm(self.change)

    @property
    def share(self) -> float:
        """‖ΔO‖ / ‖O‖ over all positions; NaN where O is 0."""
        return _share(self.change, _norm(self.output))

    def largest_at(self, row: int) -> int:
        """Return the channel, from 0, that changes most at position ``row``."""
        return int(np.abs(self.change[row]).argmax())

    @property
    def largest(self) -> tuple[int, int]:
        """The position and channel, from 0, of what changes most."""
        row, channel = np.unravel_index(np.abs(self.change).argmax(), self.change.shape)
        return int(row), int(channel)


def ablation_effect(scene: Scene, result: Result, ablations: Sequence[Ablation]) -> Effect:
    """Return what ``ablations``, each of another head by its place from 0, change of O together.

    Heads that do not reach W_O change nothing. A gain is a factor on the one that the head has.
    Raises UserError where an ablation cannot be done.
    """
    with one_blas_thread():
        change = np.zeros_like(result.output)
        for ablation in ablations:
            head = result.heads[ablation.head]
            if head.active:
                moved = _after(scene, result, ablation) - head.output
                change += moved @ scene.w_o[scene.rows_of(ablation.head)]
    return Effect(result.output, sealed(change))


def wrong_site_effect(scene: Scene, result: Result, places: Sequence[int]) -> Effect | None:
    """Return what zeroing the same columns of O changes, those that the heads have in Concat.

    The wrong site; None where O has not as many columns as Concat.
    """
    if why_no_wrong_site(scene):
        return None
    zeroed = result.output
    for place in places:
        zeroed = sealed(core.zero_head_columns(zeroed, place, scene.n_heads))
    return Effect(result.output, sealed(zeroed - result.output))


def effort_of(scene: Scene, ablations: Sequence[Ablation]) -> int:
    """Return about how many multiplications and additions `ablation_effect` needs."""
    n_positions, d_v = scene.n_positions, scene.d_v
    per_head = n_positions * d_v * scene.d_model
    total = len(ablations) * per_head
    for ablation in ablations:
        if ablation.kind is AblationKind.GAIN:  # as on the bench: O is made anew
            total += n_positions**2 * (scene.d_k + d_v) + scene.n_heads * per_head
        elif ablation.kind is not AblationKind.ZERO:
            total += n_positions**2 * d_v
    return total


def _after(scene: Scene, result: Result, ablation: Ablation) -> Array:
    """Return O_h after its ablation, (T, d_v)."""
    head = result.heads[ablation.head]
    if ablation.kind is AblationKind.GAIN:
        # Which says the same as the gain on the bench would, of given weights too.
        gained = scene.with_head(head.head.uid, gain=head.head.gain * ablation.gain)
        return compute(gained, result).heads[ablation.head].output
    layer = _as_layer(result, head)
    after: Array = ablated_outputs(layer, replace(ablation, head=0), head.output[np.newaxis])[0]
    return after


def _as_layer(result: Result, head: HeadResult) -> CapturedLayer:
    """Return a head as a layer of its own; without b_V its bias is 0."""
    width = head.values.shape[1]
    bias = np.zeros((1, width)) if head.head.b_v is None else head.head.b_v
    layer = CapturedLayer(
        number=head.head.layer, v=head.values[np.newaxis], b_v=bias, allowed=result.allowed
    )
    if isinstance(head.weights, OnDemand):  # they are made where they are needed
        scale = head.gain / math.sqrt(head.q.shape[1])
        return replace(layer, q=head.q[np.newaxis], k=head.k[np.newaxis], scale=scale)
    return replace(layer, given=head.weights[np.newaxis])


# ------------------------------------------------------------------- how much hangs on each head


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
        return _norm(rows)

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
                norm = _norm(rows)
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
    gone, whole = np.zeros_like(rows), _norm(rows)
    errors = []
    for place in order:
        gone += outputs[place] @ scene.w_o[scene.rows_of(place)]
        errors.append(_share(gone, whole))
    return sealed(np.array(errors))


# -------------------------------------------------------------------------------------------- norms


def _norm(matrix: Floats) -> float:
    return float(core.frobenius_norms(matrix))


def _row_norms(matrix: Array) -> Array:
    return sealed(core.frobenius_norms(matrix[:, np.newaxis, :]))


def _share(part: Array, whole: float) -> float:
    return _norm(part) / whole if whole > 0 else math.nan


def _ratio(parts: Array, wholes: Array) -> Array:
    return np.divide(parts, wholes, out=np.full_like(parts, math.nan), where=wholes > 0)
