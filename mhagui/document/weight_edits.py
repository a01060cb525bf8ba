"""The edits of X and of the heads' own matrices, and how a head comes by them."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mhagui.document.compute import Result
from mhagui.document.edits import Edit, HandSet, SetBlock, SetPattern, written
from mhagui.document.head import NONE_GIVEN, SYMBOLS, Head
from mhagui.document.patterns import Pattern
from mhagui.document.records import Array, read_only
from mhagui.document.scene import Scene
from mhagui.errors import UserError

_UNKNOWN = "its queries and keys are not known"


@dataclass(frozen=True, slots=True, eq=False)
class SetInputBlock(SetBlock):
    """Overwrite a rectangle of X."""

    field: ClassVar[str] = "x"
    symbol: ClassVar[str] = "X"
    text: str = "Edit X"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the rectangle written; refuses where words are written."""
        if self.column < scene.n_fixed_features:
            raise UserError(why_input_fixed(scene))
        return SetBlock.apply(self, scene)


@dataclass(frozen=True, slots=True, eq=False)
class SetHeadBlock:
    """Overwrite a rectangle of a matrix of one head, or of several heads' side by side.

    Attributes
    ----------
    heads
        Uids of the heads whose matrices stand side by side.
    field
        "q", "k", "w_q", "w_k" or "w_v"; every one of the heads written to has such a matrix.
    row, column
        Place of the rectangle's first cell, from 0, in what stands side by side.
    values
        What is written, with rows and columns.
    """

    heads: tuple[int, ...]
    field: str
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
        is_cell = self.values.size == 1
        return (self.field, self.heads, self.row, self.column) if is_cell else None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the rectangle written, wholly or not at all."""
        width = scene.d_v if self.field == "w_v" else scene.d_k
        rows = scene.n_positions if self.field in ("q", "k") else scene.d_model
        heads = [scene.head(uid) for uid in self.heads]
        given = [getattr(head, self.field) for head in heads]
        blank = np.zeros((rows, width))
        before = np.hstack([blank if matrix is None else matrix for matrix in given])
        after = written(SYMBOLS[self.field], before, self.row, self.column, self.values)
        last = self.column + self.values.shape[1] - 1
        touched = slice(self.column // width, last // width + 1)
        matrices = np.hsplit(after, len(heads))[touched]
        for head, matrix in zip(heads[touched], matrices, strict=True):
            reason = why_fixed(head, self.field)
            if reason:
                raise UserError(reason)
            # What a head was given with others it does not share with them any more.
            own = {"key_head": None} if self.field in ("k", "w_v") else {}
            scene = scene.with_head(head.uid, **{self.field: matrix, **own})
        return scene


@dataclass(frozen=True, slots=True, eq=False)
class ProjectHead:
    """Have a head make its queries and keys with matrices of its own, each (d_model, d_k)."""

    head: int
    w_q: Array
    w_k: Array
    text: str = "Project queries and keys"
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the head projected; its gain and name stay."""
        given = NONE_GIVEN | {"w_q": self.w_q, "w_k": self.w_k}
        given_by = {"pattern": Pattern.PROJECTED, "settings": (), "key_head": None}
        return scene.with_head(self.head, **given, **given_by)


def to_pattern(result: Result, uid: int, pattern: Pattern) -> Edit:
    """Return the edit that gives head ``uid`` another pattern.

    A head becomes hand-set with the queries and keys it has, and projected with the W_Q and W_K
    that make them of what it reads; raises UserError where there are none.
    """
    if pattern.is_designed:
        return SetPattern(uid, pattern)
    place = [head.head.uid for head in result.heads].index(uid)
    head = result.heads[place]
    if pattern is Pattern.GIVEN or not head.has_queries:
        what = "such weights come from a file" if pattern is Pattern.GIVEN else _UNKNOWN
        raise UserError(f"Head “{head.head.name}” cannot become “{pattern.value}”: {what}.")
    if pattern is Pattern.HAND_SET:
        return HandSet(uid, head.q, head.k)
    for packed in (result.packed_queries, result.packed_keys):
        cause = packed.cause_of_none(place)
        if cause:
            raise UserError(
                f"A {packed.symbol} of head “{head.head.name}” does not exist for this scene: "
                f"{cause}."
            )
    w_q, w_k = (p.matrix_of(place) for p in (result.packed_queries, result.packed_keys))
    return ProjectHead(uid, w_q, w_k)


def why_fixed(head: Head, field: str) -> str:
    """Return why cells of a head's matrix cannot be written; empty where they can."""
    if getattr(head, field) is not None:
        return ""
    name, symbol, pattern = f"Head “{head.name}”", SYMBOLS[field], head.pattern
    if pattern is Pattern.GIVEN:
        return f"{name} has given weights: {_UNKNOWN}."
    if field in ("w_q", "w_k"):
        how = "hand-set" if pattern is Pattern.HAND_SET else f"designed ({pattern.value})"
        return f"{name} is {how}; make it “projected” to edit its {symbol}."
    if pattern is Pattern.PROJECTED:
        return f"{name} makes its {symbol} with W_{symbol}; edit that, or make the head “hand-set”."
    return f"{name} is designed ({pattern.value}); make it “hand-set” to edit its {symbol}."


def why_input_fixed(scene: Scene) -> str:
    """Return why the columns of X that hold the tokens cannot be written."""
    what = "words and positions" if scene.has_position_code else "words"
    return f"Columns 1 to {scene.n_fixed_features} of X hold the {what} of the tokens."
