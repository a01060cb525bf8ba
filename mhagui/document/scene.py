"""The Scene: everything a user can change, in one frozen value."""

import math
import operator
from dataclasses import dataclass, replace
from functools import partial
from typing import SupportsIndex

import numpy as np

from mhagui.document.designs import Pattern
from mhagui.document.records import Array, Record, read_only, sealed
from mhagui.errors import UserError

MAX_POSITIONS = 1024
MAX_HEADS = 32
MAX_HEAD_WIDTH = 64
MAX_MODEL_WIDTH = 256
MAX_NAME_LENGTH = 60
MAX_TITLE_LENGTH = 120
MAX_DESCRIPTION_LENGTH = 4000

# No product of three matrices of such numbers overflows, so that a Result is always finite.
LARGEST = 1e100


@dataclass(frozen=True, slots=True, eq=False)
class Head(Record):
    """One designed attention head.

    Attributes
    ----------
    uid
        Identity of the head, from 1: it stays with the head when heads are moved or renamed. Scene
        files do not hold it: heads are numbered in order when they are read.
    name
        What the user calls it, 1 to 60 characters.
    pattern
        What its queries and keys are designed to find.
    w_v
        W_V^h, shape (d_model, d_v): the values are V_h = X W_V^h. As in every matrix of a scene,
        numbers are from -1e100 to 1e100.
    gain
        Dimensionless factor on the head's keys; any finite number, 1 is as designed.
    key_magnitude
        |K| of the designed rows, from 0 to 1e100; 3 in the lesson. |Q| is the pattern's own.
    muted, soloed
        Muted heads, and while any head is soloed all others, are ablated to zero before W_O.
    """

    uid: int
    name: str
    pattern: Pattern
    w_v: Array
    gain: float = 1.0
    key_magnitude: float = 3.0
    muted: bool = False
    soloed: bool = False

    def __post_init__(self) -> None:
        """Check the head and freeze its array."""
        _check_text("A head's name", self.name, MAX_NAME_LENGTH)
        set_field = partial(object.__setattr__, self)
        for field in ("gain", "key_magnitude"):
            set_field(field, _plain(getattr(self, field)))
        for field in ("muted", "soloed"):
            set_field(field, bool(getattr(self, field)))
        set_field("w_v", _matrix(f"W_V of head “{self.name}”", self.w_v))
        _check_finite(f"The gain of head “{self.name}”", self.gain)
        _check_magnitude(f"The key magnitude of head “{self.name}”", self.key_magnitude)


@dataclass(frozen=True, slots=True, eq=False)
class Scene(Record):
    """A layer of attention heads on the bench, and what is fed to it.

    Attributes
    ----------
    title, description
        For people, 1 to 120 and at most 4,000 characters; the description says what is the
        lesson's and what is ours.
    heads
        1 to 32 heads, in the order in which Concat stacks their outputs.
    x
        The input X, shape (T, d_model).
    w_o
        The output projection, shape (H * d_v, d_model); head h owns rows h * d_v onwards.
    d_k
        Width of every head's queries and keys.
    master_gain
        Factor on every head's gain; any finite number.
    """

    title: str
    description: str
    heads: tuple[Head, ...]
    x: Array
    w_o: Array
    d_k: int
    master_gain: float = 1.0

    def __post_init__(self) -> None:
        """Check that everything fits together and freeze the arrays."""
        _check_text("A scene's title", self.title, MAX_TITLE_LENGTH)
        _check_description(self.description)
        set_field = partial(object.__setattr__, self)
        set_field("heads", tuple(self.heads))
        set_field("x", _matrix("X", self.x))
        set_field("w_o", _matrix("W_O", self.w_o))
        set_field("d_k", _count("d_k", self.d_k, MAX_HEAD_WIDTH))
        set_field("master_gain", _plain(self.master_gain))
        _check_finite("The master gain", self.master_gain)
        check_positions(self.n_positions)
        _count("d_model", self.d_model, MAX_MODEL_WIDTH)
        _count("The number of heads", self.n_heads, MAX_HEADS)
        _count("d_v", self.d_v, MAX_HEAD_WIDTH)
        _check_heads(self)
        _check_gains(self)
        _check_projection(self.w_o, self.n_heads * self.d_v, self.d_model)

    @property
    def n_positions(self) -> int:
        """T, the sequence length."""
        return int(self.x.shape[0])

    @property
    def d_model(self) -> int:
        """Width of the model: columns of X and of W_O."""
        return int(self.x.shape[1])

    @property
    def d_v(self) -> int:
        """Width of every head's values."""
        return int(self.heads[0].w_v.shape[1])

    @property
    def n_heads(self) -> int:
        """H, the number of heads."""
        return len(self.heads)

    @property
    def active(self) -> tuple[bool, ...]:
        """For each head whether it reaches W_O: not muted, and soloed if any head is."""
        any_solo = any(head.soloed for head in self.heads)
        return tuple(head.soloed if any_solo else not head.muted for head in self.heads)

    def has_head(self, uid: int) -> bool:
        """Say whether head ``uid`` is in this scene."""
        return any(head.uid == uid for head in self.heads)

    def index_of(self, uid: int) -> int:
        """Return the place of head ``uid``, from 0; raises UserError if there is no such head."""
        for index, head in enumerate(self.heads):
            if head.uid == uid:
                return index
        raise UserError(f"There is no head {uid} in this scene.")

    def head(self, uid: int) -> Head:
        """Return head ``uid``."""
        return self.heads[self.index_of(uid)]

    def with_head(self, uid: int, **changes: object) -> "Scene":
        """Return a scene in which head ``uid`` has ``changes``."""
        index = self.index_of(uid)
        changed = replace(self.heads[index], **changes)  # type: ignore[arg-type]
        return replace(self, heads=(*self.heads[:index], changed, *self.heads[index + 1 :]))


def one_hot_tokens(n_positions: int, d_model: int) -> Array:
    """Return X of shape (T, d_model), row t one-hot at t.

    Where T is larger than d_model the tokens repeat in turn: row d_model + 1 equals row 1.
    """
    positions = np.arange(check_positions(n_positions))
    x = np.zeros((len(positions), _count("d_model", d_model, MAX_MODEL_WIDTH)))
    x[positions, positions % d_model] = 1.0
    return sealed(x)


def check_positions(n_positions: int) -> int:
    """Return ``n_positions`` as an int; raises UserError unless a scene can have that many."""
    return _count("The sequence length T", n_positions, MAX_POSITIONS)


def _check_projection(w_o: Array, n_rows: int, n_columns: int) -> None:
    """Raise UserError unless ``w_o`` is a matrix of ``n_rows`` (H·d_v) by ``n_columns``."""
    if w_o.shape != (n_rows, n_columns):
        raise UserError(
            f"W_O is {_shape(w_o)}, but these heads need {n_rows} × {n_columns} "
            "(H·d_v rows, d_model columns)."
        )


def _check_heads(scene: Scene) -> None:
    if len({head.uid for head in scene.heads}) != scene.n_heads:
        raise UserError("Two heads of this scene have the same identity; each needs its own.")
    wanted = (scene.d_model, scene.d_v)
    for head in scene.heads:
        if head.w_v.shape != wanted:
            raise UserError(
                f"W_V of head “{head.name}” is {_shape(head.w_v)}, but this scene needs "
                f"{wanted[0]} × {wanted[1]} (d_model rows, d_v columns)."
            )
        if scene.d_k == 1 and head.pattern in (Pattern.PREVIOUS_TOKEN, Pattern.SELF):
            raise UserError(
                f"Head “{head.name}” ({head.pattern.value}) writes positions on a circle, "
                "which needs d_k of at least 2; this scene has d_k = 1."
            )


def _check_gains(scene: Scene) -> None:
    for head in scene.heads:
        if not math.isfinite(head.gain * scene.master_gain):
            raise UserError(
                f"The gain of head “{head.name}”, {head.gain:g}, times the master gain, "
                f"{scene.master_gain:g}, is too large for a number; make one of them smaller."
            )


def _check_text(what: str, text: str, most: int) -> None:
    if not text.strip() or len(text) > most or not text.isprintable():
        raise UserError(
            f"{what} needs 1 to {most} printable characters; got {len(text)}: {text[:20]!r}."
        )


def _check_description(text: str) -> None:
    if len(text) > MAX_DESCRIPTION_LENGTH or not text.replace("\n", "").isprintable():
        raise UserError(
            f"A scene's description has at most {MAX_DESCRIPTION_LENGTH} printable characters "
            f"and line ends; got {len(text)}: {text[:20]!r}."
        )


def _count(what: str, given: object, most: int) -> int:
    """Return ``given`` as an int; whole numbers of any integer type pass, but no bool."""
    count = operator.index(given) if isinstance(given, SupportsIndex) else 0
    if isinstance(given, bool | np.bool_) or not 1 <= count <= most:
        raise UserError(f"{what} must be a whole number from 1 to {most}; got {given!s:.40}.")
    return count


def _plain(value: float) -> float:
    """Return any real number as a Python float, and no negative zero."""
    try:
        return float(value) + 0.0
    except OverflowError:  # an integer beyond float64
        return math.inf


def _check_finite(what: str, value: float) -> None:
    if not math.isfinite(value):
        raise UserError(f"{what} must be a finite number; got {value}.")


def _check_magnitude(what: str, value: float) -> None:
    if not 0 <= value <= LARGEST:
        raise UserError(f"{what} must be a number from 0 to {LARGEST:g}; got {value}.")


def _matrix(what: str, value: Array) -> Array:
    matrix = read_only(value)
    if matrix.ndim != 2:
        raise UserError(f"{what} must have rows and columns; got {matrix.ndim} dimensions.")
    fits = np.abs(matrix) <= LARGEST
    if not fits.all():
        row, column = np.argwhere(~fits)[0]
        raise UserError(
            f"{what} must hold numbers from -{LARGEST:g} to {LARGEST:g}; "
            f"row {row + 1}, column {column + 1} is {matrix[row, column]}."
        )
    return matrix


def _shape(matrix: Array) -> str:
    return " × ".join(str(length) for length in matrix.shape)
