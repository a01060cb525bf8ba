"""The beginning of a long scene: what there is to look at while all of it is computed."""

from dataclasses import replace

from mhagui.document.head import Head
from mhagui.document.mask_rule import MaskKind
from mhagui.document.scene import Scene

POSITIONS = 64


def beginning(scene: Scene) -> Scene:
    """Return the scene with its first ``POSITIONS`` positions alone; itself where it has no more.

    The heads are the same; those that are designed are designed for the shorter sequence, and of
    given weights there are those between its positions, and of another sequence's keys the first
    as well. Nothing is padded.
    """
    if scene.n_positions <= POSITIONS:
        return scene
    n_keys = POSITIONS
    if scene.mask.kind is MaskKind.CAUSAL:  # those before the first query, too
        n_keys += scene.n_keys - scene.n_positions
    return replace(
        scene,
        x=scene.x[:POSITIONS],
        tokens=scene.tokens[:POSITIONS],
        key_tokens=scene.key_tokens[:n_keys],
        heads=tuple(_beginning(head, n_keys) for head in scene.heads),
        mask=replace(scene.mask, left=0, right=0),
    )


def _beginning(head: Head, n_keys: int) -> Head:
    if head.a is not None:
        return replace(head, a=head.a[:POSITIONS, :n_keys])
    if head.q is not None and head.k is not None:
        return replace(head, q=head.q[:POSITIONS], k=head.k[:POSITIONS])
    return head
