"""The edits of what stands beside the scores in a softmax: ALiBi slopes and sink logits."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

from mhagui import core
from mhagui.document.edits import SetHead
from mhagui.document.head import Head
from mhagui.document.patterns import Pattern
from mhagui.document.scene import Scene
from mhagui.errors import UserError

NEW_SINK = 0.0  # a logit that nobody has chosen: it weighs as much as a key of score 0
ALL_GIVEN = "All heads have given weights, in which bias and sink are already"


def set_slope(head: int, slope: float) -> SetHead:
    """Return the edit that sets a head's ALiBi slope to a number of 0 or more."""
    return SetHead(head, "slope", slope, "Change ALiBi slope", merges=True)


def set_sink(head: int, sink: float | None) -> SetHead:
    """Return the edit that sets a head's sink logit, or takes it away."""
    if sink is None:
        return SetHead(head, "sink", None, "Remove sink logit")
    return SetHead(head, "sink", sink, "Change sink logit", merges=True)


def add_sink(head: int) -> SetHead:
    """Return the edit that gives a head a sink logit."""
    return SetHead(head, "sink", NEW_SINK, "Add sink logit")


@dataclass(frozen=True, slots=True)
class SetAlibi:
    """Give all heads the slopes of ALiBi by their places, or none any; given weights stay."""

    is_on: bool
    merge_key: Hashable | None = None

    @property
    def text(self) -> str:
        """Say which of the two."""
        return "Add ALiBi slopes" if self.is_on else "Remove ALiBi slopes"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the slopes."""
        slopes = standard_slopes(scene) if self.is_on else (0.0,) * scene.n_heads
        return _changed(scene, [{"slope": slope} for slope in slopes])


@dataclass(frozen=True, slots=True)
class SetSinks:
    """Give all heads without a sink logit one, or take all away; given weights stay."""

    is_on: bool
    merge_key: Hashable | None = None

    @property
    def text(self) -> str:
        """Say which of the two."""
        return "Add sink logits" if self.is_on else "Remove sink logits"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the sinks."""
        if not self.is_on:
            return _changed(scene, [{"sink": None}] * scene.n_heads)
        sinks = (NEW_SINK if head.sink is None else head.sink for head in scene.heads)
        return _changed(scene, [{"sink": sink} for sink in sinks])


def standard_slopes(scene: Scene) -> tuple[float, ...]:
    """Return the slopes that ALiBi has for so many heads."""
    return tuple(core.alibi_slopes(scene.n_heads).tolist())


def has_standard_slopes(scene: Scene) -> bool:
    """Say whether all heads that can have them have the slopes of ALiBi."""
    pairs = list(zip(scene.heads, standard_slopes(scene), strict=True))
    own = [(head, slope) for head, slope in pairs if _can_have(head)]
    return bool(own) and all(head.slope == slope for head, slope in own)


def has_sinks(scene: Scene) -> bool:
    """Say whether all heads that can have a sink logit have one."""
    own = [head for head in scene.heads if _can_have(head)]
    return bool(own) and all(head.sink is not None for head in own)


def why_no_bias(scene: Scene) -> str:
    """Return why no head can have a slope or a sink; empty where one can."""
    return "" if any(map(_can_have, scene.heads)) else ALL_GIVEN


def _can_have(head: Head) -> bool:
    return head.pattern is not Pattern.GIVEN


def _changed(scene: Scene, changes: list[dict[str, float | None]]) -> Scene:
    """Return the scene with the ``changes`` of each head that can have any."""
    if why_no_bias(scene):
        raise UserError(f"{ALL_GIVEN}.")
    pairs = zip(scene.heads, changes, strict=True)
    heads = (replace(head, **of) if _can_have(head) else head for head, of in pairs)  # type: ignore[arg-type]
    return replace(scene, heads=tuple(heads))
