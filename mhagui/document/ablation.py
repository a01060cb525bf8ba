"""Heads of the scene on the bench ablated before W_O: what becomes of O.

What is done to a head is told as of a captured layer. The other heads' outputs are those of the
scene: a head of layer 2 goes on reading what it reads.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mhagui import core
from mhagui.core.threads import one_blas_thread
from mhagui.document.capture import CapturedLayer
from mhagui.document.captured_ablation import Ablation, AblationKind, ablated_outputs
from mhagui.document.compute import Result, compute
from mhagui.document.filter_bank import frobenius_norm, why_no_wrong_site
from mhagui.document.head_result import HeadResult
from mhagui.document.records import Array, sealed
from mhagui.document.result_capture import layer_of_heads
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

    @cached_property
    def by_position(self) -> Array:
        """Norm of the change at each position, ‖ΔO_t‖, (T,)."""
        return _row_norms(self.change)

    @cached_property
    def share_by_position(self) -> Array:
        """‖ΔO_t‖ / ‖O_t‖, (T,); NaN where O_t is 0."""
        return sealed(_ratio(self.by_position, _row_norms(self.output)))

    @cached_property
    def norm(self) -> float:
        """‖ΔO‖ over all positions."""
        return frobenius_norm(self.change)

    @property
    def share(self) -> float:
        """‖ΔO‖ / ‖O‖ over all positions; NaN where O is 0."""
        whole = frobenius_norm(self.output)
        return self.norm / whole if whole > 0 else math.nan

    def largest_at(self, row: int) -> int:
        """Return the channel, from 0, that changes most at position ``row``."""
        return int(np.abs(self.change[row]).argmax())

    @cached_property
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
    layer = layer_of_heads(head.head.layer, [head], result.allowed)
    return replace(layer, v=head.values[np.newaxis], b_v=bias)


def _row_norms(matrix: Array) -> Array:
    return sealed(core.frobenius_norms(matrix[:, np.newaxis, :]))


def _ratio(parts: Array, wholes: Array) -> Array:
    return np.divide(parts, wholes, out=np.full_like(parts, math.nan), where=wholes > 0)
