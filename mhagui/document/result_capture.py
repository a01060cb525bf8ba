"""What is computed of a scene as a capture: scored, compared and ablated as that of a model is."""

import math
from collections.abc import Sequence

import numpy as np

from mhagui.document.capture import Capture, CapturedLayer, Flags
from mhagui.document.compute import Result
from mhagui.document.head_result import HeadResult
from mhagui.document.on_demand import OnDemand
from mhagui.document.records import Array, frozen
from mhagui.document.scene import Scene


def scene_capture(scene: Scene, result: Result) -> Capture:
    """Return the weights of a scene as a capture, layer by layer, numbered from 0."""
    layers = []
    for number in sorted({head.layer for head in scene.heads}):
        own = [head for head in result.heads if head.head.layer == number]
        layers.append(layer_of_heads(number - 1, own, result.allowed))
    return Capture(scene.title, tuple(layers), *scene.texts)


def layer_of_heads(number: int, heads: Sequence[HeadResult], allowed: Flags) -> CapturedLayer:
    """Return ``heads`` as a layer, with their weights and sinks alone.

    Of weights that are too many to be kept it has what they are made of, gains included.
    """
    sinks = None
    if any(head.head.sink is not None for head in heads):
        known = (head.head.sink for head in heads)
        sinks = np.array([-math.inf if sink is None else sink for sink in known])
    given = [head.weights for head in heads if not isinstance(head.weights, OnDemand)]
    if len(given) < len(heads):
        q, k = _stacked([h.gain * h.q for h in heads]), _stacked([h.k for h in heads])
        return CapturedLayer(number, q=q, k=k, allowed=allowed, sinks=sinks)
    return CapturedLayer(number, given=_stacked(given), allowed=allowed, sinks=sinks)


def _stacked(matrices: Sequence[Array]) -> Array:
    """Return matrices of heads as one array, (H, ...); one alone is not copied."""
    return matrices[0][np.newaxis] if len(matrices) == 1 else frozen(np.stack(matrices))
