"""The edits: small named objects, each turning one scene into the next.

An edit says what it does (``text``, shown after "Undo"), whether it merges with the one before
(edits with the same ``merge_key`` can; None never does) and makes the new scene (``apply``). None
of them changes the scene it is given.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from mhagui.document.checks import count, shape_text
from mhagui.document.head import LAST_OF_LAYERS, MAX_UID, NONE_GIVEN, Head
from mhagui.document.mask_rule import MaskRule
from mhagui.document.patterns import Pattern
from mhagui.document.records import Array, read_only
from mhagui.document.scene import MAX_HEAD_WIDTH, MAX_HEADS, Scene
from mhagui.document.scene_input import designed_input, repeated
from mhagui.errors import UserError

WHY_ACROSS = "Queries and keys are not the same positions: their mask is as it was given"
WHY_GIVEN_ALONE = (
    "Queries and keys are not the same positions: every head has given weights, and none is made"
)


class Edit(Protocol):
    """What every edit offers."""

    @property
    def text(self) -> str:
        """What the edit does, as shown behind "Undo"."""

    @property
    def merge_key(self) -> Hashable | None:
        """Edits with equal keys can be one undo step; None stands alone."""

    def apply(self, scene: Scene) -> Scene:
        """Return the scene after the edit; raises UserError where it cannot be done."""


@dataclass(frozen=True, slots=True)
class SetHead:
    """Set one field of one head; of numbers that are dragged a whole drag is one step."""

    head: int
    field: str
    value: object
    text: str
    merges: bool = False

    @property
    def merge_key(self) -> Hashable | None:
        """One step per head and field where edits merge."""
        return (self.field, self.head) if self.merges else None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the field set."""
        return scene.with_head(self.head, **{self.field: self.value})


def set_gain(head: int, gain: float) -> SetHead:
    """Return the edit that sets a head's gain to any finite number."""
    return SetHead(head, "gain", gain, "Change gain", merges=True)


def set_key_magnitude(head: int, magnitude: float) -> SetHead:
    """Return the edit that sets a head's key magnitude to a finite number of 0 or more."""
    return SetHead(head, "key_magnitude", magnitude, "Change key magnitude", merges=True)


def rename_head(head: int, name: str) -> SetHead:
    """Return the edit that renames a head."""
    return SetHead(head, "name", name.strip(), "Rename head")


def set_muted(head: int, muted: bool) -> SetHead:
    """Return the edit that mutes a head or lets it through again."""
    return SetHead(head, "muted", muted, "Mute head" if muted else "Unmute head")


def set_soloed(head: int, soloed: bool) -> SetHead:
    """Return the edit that solos a head or ends its solo."""
    return SetHead(head, "soloed", soloed, "Solo head" if soloed else "End solo")


@dataclass(frozen=True, slots=True)
class SetMasterGain:
    """Set the factor on every head's gain."""

    gain: float
    text: str = "Change master gain"
    merge_key: Hashable = "master gain"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the master gain set."""
        return replace(scene, master_gain=self.gain)


@dataclass(frozen=True, slots=True)
class ResetGains:
    """Set the master gain and every head's gain to 1, as designed."""

    text: str = "Reset gains"
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with all gains 1."""
        return replace(
            scene, heads=tuple(replace(head, gain=1.0) for head in scene.heads), master_gain=1.0
        )


@dataclass(frozen=True, slots=True)
class SetPattern:
    """Design a head anew for another pattern; a name that was the old pattern's follows."""

    head: int
    pattern: Pattern
    text: str = "Change pattern"
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the head designed anew; key magnitude and gain stay."""
        _check_can_design(scene)
        head = scene.head(self.head)
        name = self.pattern.value if head.name == head.pattern.value else head.name
        changes = {"pattern": self.pattern, "name": name, "settings": (), "key_head": None}
        return scene.with_head(self.head, **NONE_GIVEN, **changes)


@dataclass(frozen=True, slots=True)
class SetSetting:
    """Set one of the numbers a head's pattern takes, by its place from 0."""

    head: int
    place: int
    value: float
    text: str = "Change pattern"

    @property
    def merge_key(self) -> Hashable | None:
        """One step per head and number."""
        return ("setting", self.head, self.place)

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the number set."""
        settings = list(scene.head(self.head).settings)
        settings[self.place] = self.value
        return scene.with_head(self.head, settings=tuple(settings))


@dataclass(frozen=True, slots=True, eq=False)
class HandSet:
    """Give a head queries and keys of its own, each (T, d_k).

    Its gain stays, and its name, unless there is a ``gain`` for which they are meant: then they are
    others than it had, meant without slope and sink, and a name that was its pattern's follows.
    """

    head: int
    q: Array
    k: Array
    text: str = "Set queries and keys"
    gain: float | None = None
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the head hand-set."""
        given: dict[str, object] = {**NONE_GIVEN, "q": self.q, "k": self.k, "key_head": None}
        if self.gain is not None:
            head = scene.head(self.head)
            given |= {"gain": self.gain, "slope": 0.0, "sink": None}
            if head.name == head.pattern.value:
                given["name"] = Pattern.HAND_SET.value
        return scene.with_head(self.head, pattern=Pattern.HAND_SET, settings=(), **given)


@dataclass(frozen=True, slots=True)
class SetMask:
    """Let queries see other keys."""

    rule: MaskRule
    merge_key: Hashable = "mask"

    @property
    def text(self) -> str:
        """Name the mask."""
        return f"Set mask to {self.rule.text}"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the mask; refuses where given weights are on keys it hides."""
        if scene.mask.across and not self.rule.across:
            raise UserError(f"{WHY_ACROSS}.")
        return replace(scene, mask=self.rule)


@dataclass(frozen=True, slots=True)
class SetKeepMargin:
    """Let position codes on a circle grow with T, or leave them as the lesson has them."""

    keep: bool
    merge_key: None = None

    @property
    def text(self) -> str:
        """Say which of the two."""
        return "Keep margin" if self.keep else "Let margin shrink"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the switch set."""
        return replace(scene, keep_margin=self.keep)


@dataclass(frozen=True, slots=True)
class SetKeyWidth:
    """Change d_k: designed heads are made anew, given matrices get or lose columns of zeros."""

    d_k: int
    text: str = "Change d_k"
    merge_key: Hashable = "d_k"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with d_k; refuses to drop a column that is not zero."""
        d_k = count("d_k", self.d_k, MAX_HEAD_WIDTH)
        heads = tuple(_with_width(head, d_k) for head in scene.heads)
        return replace(scene, heads=heads, d_k=d_k)


@dataclass(frozen=True, slots=True)
class SetSequenceLength:
    """Change T: X is made anew, the heads are designed anew, W_O stays.

    X becomes one-hot tokens; in a scene with a vocabulary its tokens, repeated in turn.
    """

    n_positions: int
    text: str = "Change sequence length"
    merge_key: Hashable = "sequence length"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with T positions; refuses where a head is hand-set for the old T."""
        x = designed_input(scene, self.n_positions)
        if len(x) != scene.n_positions:
            check_none_hand_set(scene)
        return replace(scene, x=x, tokens=repeated(scene.tokens, len(x)))


@dataclass(frozen=True, slots=True)
class AddHead:
    """Append a designed head whose rows of W_O are zero, so that O does not change."""

    pattern: Pattern
    text: str = "Add head"
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with one head more, reading the next value features in turn."""
        _check_can_design(scene)
        features = (np.arange(scene.d_v) + scene.n_heads * scene.d_v) % scene.d_model
        w_v = np.eye(scene.d_model)[:, features] * scene.has_values
        head = Head(_next_uid(scene), self.pattern.value, self.pattern, w_v)
        return _with_inserted(scene, scene.n_heads, head)


@dataclass(frozen=True, slots=True)
class DuplicateHead:
    """Put an equal head behind a head; its rows of W_O are zero, so that O does not change."""

    head: int
    text: str = "Duplicate head"
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the copy."""
        copy = replace(scene.head(self.head), uid=_next_uid(scene))
        return _with_inserted(scene, scene.index_of(self.head) + 1, copy)


@dataclass(frozen=True, slots=True)
class RemoveHead:
    """Remove a head and its block of W_O."""

    head: int
    text: str = "Remove head"
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene without the head; the last head cannot be removed."""
        if scene.n_heads == 1:
            raise UserError("The last head cannot be removed; a scene needs at least one.")
        index = scene.index_of(self.head)
        blocks = np.delete(_blocks(scene), index, axis=0)
        heads = scene.heads[:index] + scene.heads[index + 1 :]
        return replace(scene, heads=heads, w_o=_stacked(blocks))


@dataclass(frozen=True, slots=True)
class MoveHead:
    """Move a head to another place; its block of W_O goes with it, so that O does not change."""

    head: int
    position: int
    text: str = "Move head"
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene in the new order; ``position`` counts from 0."""
        if not 0 <= self.position < scene.n_heads:
            raise UserError(
                f"A head can move to places 1 to {scene.n_heads}; got {self.position + 1}."
            )
        order = list(range(scene.n_heads))
        order.insert(self.position, order.pop(scene.index_of(self.head)))
        heads = tuple(scene.heads[index] for index in order)
        return replace(scene, heads=heads, w_o=_stacked(_blocks(scene)[order]))


@dataclass(frozen=True, slots=True, eq=False)
class SetBlock:
    """Overwrite a rectangle of a matrix: one typed or scrubbed cell, or a pasted block.

    ``row`` and ``column`` are the place of its first cell, from 0; ``values`` has two dimensions.
    """

    field: ClassVar[str]  # of a scene
    symbol: ClassVar[str]

    row: int
    column: int
    values: Array
    text: str

    def __post_init__(self) -> None:
        """Keep the values as they are now."""
        object.__setattr__(self, "values", read_only(self.values))

    @property
    def merge_key(self) -> Hashable | None:
        """A burst on one cell is one step; a block stands alone."""
        return (self.field, self.row, self.column) if self.values.size == 1 else None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the rectangle written, wholly or not at all."""
        before: Array = getattr(scene, self.field)
        after = written(self.symbol, before, self.row, self.column, self.values)
        return replace(scene, **{self.field: after})  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class SetProjectionBlock(SetBlock):
    """Overwrite a rectangle of W_O."""

    field: ClassVar[str] = "w_o"
    symbol: ClassVar[str] = "W_O"
    text: str = "Edit W_O"


@dataclass(frozen=True, slots=True, eq=False)
class OpenScene:
    """Put another scene on the bench; an undo brings the old one back."""

    scene: Scene
    verb: str = "Open"
    merge_key: None = None

    @property
    def text(self) -> str:
        """Name the scene that was opened."""
        return f"{self.verb} “{self.scene.title}”"

    def apply(self, scene: Scene) -> Scene:  # noqa: ARG002 - what was on the bench does not matter
        """Return the scene to open."""
        return self.scene


@dataclass(frozen=True, slots=True)
class DescribeScene:
    """Give the scene a title, 1 to 120 characters, and say what it is in up to 4,000."""

    title: str
    description: str
    text: str = "Describe scene"
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with its own words."""
        return replace(scene, title=self.title.strip(), description=self.description)


def check_none_hand_set(scene: Scene) -> None:
    """Raise UserError where a head is hand-set or of given weights, and so holds T."""
    for head in scene.heads:
        if head.q is not None or head.a is not None:
            what = "is hand-set" if head.a is None else "has given weights"
            raise UserError(
                f"Head “{head.name}” {what} for T = {scene.n_positions}; give it another "
                "pattern before you change T."
            )


def why_given_alone(scene: Scene) -> str:
    """Return why no head can make its weights itself; empty where one can."""
    return WHY_GIVEN_ALONE if scene.mask.across else ""


def written(name: str, matrix: Array, row: int, column: int, values: Array) -> Array:
    """Return ``matrix``, called ``name``, with ``values`` written from (row, column) on."""
    if values.ndim != 2:
        raise UserError(f"A block of {name} has rows and columns; got {values.ndim} dimensions.")
    bottom, right = row + values.shape[0], column + values.shape[1]
    rows, columns = matrix.shape
    if not (0 <= row <= bottom <= rows and 0 <= column <= right <= columns):
        raise UserError(
            f"A block of {shape_text(values)} does not fit at row {row + 1}, column {column + 1} "
            f"of {name}, which is {shape_text(matrix)}."
        )
    after = matrix.copy()
    after[row:bottom, column:right] = values
    return after


def _check_can_design(scene: Scene) -> None:
    reason = why_given_alone(scene)
    if reason:
        raise UserError(f"{reason}.")


def _with_width(head: Head, d_k: int) -> Head:
    names = ("q", "k", "w_q", "w_k")
    changed = {name: _resized(head, getattr(head, name), d_k) for name in names}
    return replace(head, **changed)  # type: ignore[arg-type]


def _resized(head: Head, value: Array | None, d_k: int) -> Array | None:
    """Return a matrix of ``head`` with ``d_k`` columns, zeros where it had none."""
    if value is None or value.shape[1] == d_k:
        return value
    if value[:, d_k:].any():
        raise UserError(
            f"Head “{head.name}” uses {value.shape[1]} features of its queries and keys; "
            f"d_k = {d_k} would cut them. Give it another pattern first."
        )
    resized = np.zeros((len(value), d_k))
    kept = min(d_k, value.shape[1])
    resized[:, :kept] = value[:, :kept]
    return resized


def _next_uid(scene: Scene) -> int:
    """Return the uid above all others; where no file can hold that, the least that is free.

    Never one that a head of a captured layer may have, on the bench or not, where such heads are.
    """
    taken = {head.uid for head in scene.heads}
    is_of_layer = any(head.q is not None or head.a is not None for head in scene.heads)
    last = LAST_OF_LAYERS if is_of_layer else 0
    above = max(last, *taken) + 1
    return above if above <= MAX_UID else min(set(range(last + 1, last + len(taken) + 2)) - taken)


def _blocks(scene: Scene) -> Array:
    return scene.w_o.reshape(scene.n_heads, scene.d_v, scene.d_model)


def _stacked(blocks: Array) -> Array:
    return blocks.reshape(-1, blocks.shape[-1])


def _with_inserted(scene: Scene, position: int, head: Head) -> Scene:
    if scene.n_heads >= MAX_HEADS:
        raise UserError(f"A scene holds at most {MAX_HEADS} heads; remove one first.")
    blocks = np.insert(_blocks(scene), position, 0.0, axis=0)
    heads = (*scene.heads[:position], head, *scene.heads[position:])
    return replace(scene, heads=heads, w_o=_stacked(blocks))
