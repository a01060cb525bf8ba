"""How much there is to compute of a scene when another has been computed, known beforehand."""

from dataclasses import fields

import numpy as np

from mhagui.document.compute import MOST_MAPPED
from mhagui.document.head import SYMBOLS, Head
from mhagui.document.recall import block_width
from mhagui.document.scene import Scene

_NUMBERS_OF_HEAD = frozenset({"gain", "muted", "soloed", "slope", "sink"})
_NUMBERS_OF_SCENE = frozenset({"heads", "w_o", "master_gain"})
_SOFTMAX = 16  # multiplications and additions in the time that one weight takes


def effort(scene: Scene, before: Scene) -> int:
    """Return about how many multiplications and additions ``compute`` needs after ``before``."""
    n_positions, width = scene.n_positions, scene.n_heads * scene.d_v
    new = _new_heads(scene, before)
    per_weight = _SOFTMAX + scene.d_k + scene.d_v
    per_pair = sum(per_weight + _n_read(head) for head in scene.heads if head.uid in new)
    columns = _columns_changed(scene, before, new)
    return n_positions * scene.n_keys // 2 * per_pair + n_positions * width * columns


def moves_numbers_alone(scene: Scene, before: Scene) -> bool:
    """Say whether the scenes differ in gains, slopes, sinks, mute, solo and W_O alone.

    Both have the same cells then: what acts upon one of them means the same to the other.
    """
    if scene.n_heads != before.n_heads or scene.w_o.shape != before.w_o.shape:
        return False
    pairs = zip(scene.heads, before.heads, strict=True)
    return _are_alike(scene, before, _NUMBERS_OF_SCENE) and all(
        head is old or _are_alike(head, old, _NUMBERS_OF_HEAD) for head, old in pairs
    )


def _are_alike(one: Scene | Head, other: Scene | Head, but: frozenset[str]) -> bool:
    """Say whether all fields ``but`` some are the same; arrays where they are the same objects."""
    names = (field.name for field in fields(one) if field.name not in but)
    pairs = ((getattr(one, name), getattr(other, name)) for name in names)
    return all(a is b or (not isinstance(a, np.ndarray) and a == b) for a, b in pairs)


def _new_heads(scene: Scene, before: Scene) -> set[int]:
    """Return the heads whose weights, or what they weigh, have to be computed."""
    known = {head.uid: _makings(head, before) for head in before.heads}
    new = {head.uid for head in scene.heads if known.get(head.uid) != _makings(head, scene)}
    if len({head.layer for head in scene.heads}) > 1 and _adds_another(scene, before, new):
        new |= {head.uid for head in scene.heads if head.layer > 1}  # which read X + O_1
    return new


def _n_read(head: Head) -> int:
    """Return how many features of X are read, which are weighed for the term."""
    if len(head.w_v) > MOST_MAPPED:
        return 0
    return int(np.count_nonzero(head.w_v.any(axis=1)))


def _adds_another(scene: Scene, before: Scene, new: set[int]) -> bool:
    """Say whether layer 1 adds to X what it did not add before."""
    if scene.n_heads != before.n_heads or scene.w_o.shape != before.w_o.shape:
        return True
    for place, head in enumerate(scene.heads):
        rows = scene.rows_of(place)
        is_heard = scene.active[place], before.active[place]
        if head.layer == 1 and (
            head.uid in new
            or is_heard[0] is not is_heard[1]
            or not np.array_equal(scene.w_o[rows], before.w_o[rows])
        ):
            return True
    return False


def _makings(head: Head, scene: Scene) -> tuple[object, ...]:
    """Return what the weights and values of a head are made of; arrays by their identity."""
    arrays = scene.x, *(getattr(head, field) for field in SYMBOLS)
    numbers = head.pattern, head.settings, head.key_magnitude, head.gain * scene.master_gain
    of_scene = scene.d_k, scene.keep_margin, scene.mask
    return *map(id, arrays), *numbers, head.slope, head.sink, head.layer, *of_scene


def _columns_changed(scene: Scene, before: Scene, new: set[int]) -> int:
    """Return how many columns of O are made again, in blocks: those that hear what changed."""
    if scene.w_o.shape != before.w_o.shape or scene.active != before.active:
        return scene.d_model
    changed = np.zeros(scene.d_model, dtype=np.bool_)
    if scene.w_o is not before.w_o:
        changed |= (scene.w_o != before.w_o).any(axis=0)
    for place, head in enumerate(scene.heads):
        if head.uid in new:
            changed |= scene.w_o[scene.rows_of(place)].any(axis=0)
    width = block_width(scene.d_model)
    return min(width * len(set(np.flatnonzero(changed) // width)), scene.d_model)
