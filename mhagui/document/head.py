"""One head of a layer, as the user can change it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from mhagui.document.checks import (
    LARGEST,
    check_finite,
    check_text,
    count,
    matrix,
    plain,
    shape_text,
)
from mhagui.document.patterns import Pattern, checked_settings
from mhagui.document.records import Array, Record
from mhagui.errors import UserError

MAX_NAME_LENGTH = 60
MAX_LAYERS = 2
MAX_UID = 10**9  # well within the numbers that Qt's signals carry
# A head of a captured layer has its place there as its uid, from 1: up to here, beside such heads,
# no other head has one, lest it be taken for one of the model's. All ways to draw heads recur in
# it.
LAST_OF_LAYERS = 2**20
# The matrices of a head by the names of their fields, and those that a designed head has not.
SYMBOLS = {
    "q": "Q",
    "k": "K",
    "w_q": "W_Q",
    "w_k": "W_K",
    "a": "A",
    "w_v": "W_V",
    "b_v": "b_V",
}
NONE_GIVEN: dict[str, Array | None] = dict.fromkeys(("q", "k", "w_q", "w_k", "a"))
# Which of them each pattern needs that is not designed.
_GIVEN = {
    Pattern.HAND_SET: ("q", "k"),
    Pattern.PROJECTED: ("w_q", "w_k"),
    Pattern.GIVEN: ("a",),
}


@dataclass(frozen=True, slots=True, eq=False)
class Head(Record):
    """One attention head.

    Attributes
    ----------
    uid
        Identity of the head, from 1: it stays with the head when heads are moved or renamed, and
        when the scene is saved and opened.
    name
        What the user calls it, 1 to 60 characters.
    pattern
        Where its queries and keys come from: designed to find something, hand-set, projected, or
        not known at all where the weights themselves are given.
    w_v
        W_V^h, shape (d_model, d_v): the values are V_h = X W_V^h. As in every matrix of a scene,
        numbers are from -1e30 to 1e30.
    gain
        Dimensionless factor on the head's keys; any finite number, 1 is as designed.
    key_magnitude
        |K| of the designed rows, from 0 to 1e30; 3 in the lesson. |Q| is the pattern's own.
    muted, soloed
        Muted heads, and while any head is soloed all others, are ablated to zero before W_O.
    settings
        The pattern's own numbers, as ``parameters_of`` lists them; its defaults where none are
        given.
    layer
        1, or 2 for a head that reads X + O_1, to which the heads of layer 1 have added.
    q, k
        Q_h and K_h of a hand-set head, shape (T, d_k); None for any other.
    w_q, w_k
        W_Q^h and W_K^h of a projected head, shape (d_model, d_k); None for any other.
    a
        The weights of a head of given weights, shape (T, T), or (T, T_k) where the keys are not
        the queries' positions, 0 or more; None for any other. They are what they are: rows need not
        sum to 1.
    b_v
        b_V^h, shape (1, d_v): the values are V_h = X W_V^h + b_V^h; None is none.
    key_head
        The number, from 0, of the keys and values that the head shares with others of the same
        number; None where they are its own.
    slope
        ALiBi: by how much gained scores fall per position between query and key, from 0 to 1e30;
        0 is no bias. Given weights have none: it is in them.
    sink
        A logit, from -1e30 to 1e30, that takes part in the softmax of every row and is no key:
        what it gets, the row's weights lack of 1. None is none, as always of given weights.
    """

    uid: int
    name: str
    pattern: Pattern
    w_v: Array
    gain: float = 1.0
    key_magnitude: float = 3.0
    muted: bool = False
    soloed: bool = False
    settings: tuple[float, ...] = ()
    layer: int = 1
    q: Array | None = None
    k: Array | None = None
    w_q: Array | None = None
    w_k: Array | None = None
    a: Array | None = None
    b_v: Array | None = None
    key_head: int | None = None
    slope: float = 0.0
    sink: float | None = None

    def __post_init__(self) -> None:
        """Check the head and freeze its arrays."""
        check_text("A head's name", self.name, MAX_NAME_LENGTH)
        set_field = partial(object.__setattr__, self)
        for field in ("gain", "key_magnitude"):
            set_field(field, plain(getattr(self, field)))
        for field in ("muted", "soloed"):
            set_field(field, bool(getattr(self, field)))
        set_field("settings", checked_settings(self.pattern, tuple(self.settings)))
        set_field("layer", count("The layer of a head", self.layer, MAX_LAYERS))
        set_field("w_v", matrix(f"W_V of head “{self.name}”", self.w_v))
        if self.b_v is not None:
            set_field("b_v", matrix(f"b_V of head “{self.name}”", self.b_v))
        for field in NONE_GIVEN:
            set_field(field, _given_matrix(self, field))
        if self.a is not None:
            _check_weights(self.name, self.a)
        if self.key_head is not None:
            what = f"The key head of head “{self.name}”"
            set_field("key_head", count(what, self.key_head, MAX_UID, 0))
        set_field("slope", plain(self.slope))
        if self.sink is not None:
            set_field("sink", plain(self.sink))
        _check_bias(self)
        check_finite(f"The gain of head “{self.name}”", self.gain)
        if not 0 <= self.key_magnitude <= LARGEST:
            raise UserError(
                f"The key magnitude of head “{self.name}” must be a number from 0 to {LARGEST:g}; "
                f"got {self.key_magnitude}."
            )

    @property
    def is_biased(self) -> bool:
        """Whether more than gained scores is in its softmax: a slope, or a sink logit."""
        return self.slope != 0 or self.sink is not None

    def matrices(self) -> Iterator[Array]:
        """Yield every matrix that the head has."""
        for field in SYMBOLS:
            matrix = getattr(self, field)
            if matrix is not None:
                yield matrix

    def check_sizes(
        self, n_positions: int, d_model: int, d_k: int, d_v: int, n_keys: int | None = None
    ) -> None:
        """Raise UserError unless every matrix of the head has the shape its scene needs.

        ``n_keys`` is T_k where keys are not the queries' positions.
        """
        inputs = (d_model, "d_model")
        keys = (n_positions, "T") if n_keys is None else (n_keys, "T_k")
        self._check_shape("w_v", inputs, (d_v, "d_v"))
        self._check_shape("b_v", (1, "one"), (d_v, "d_v"))
        self._check_shape("a", (n_positions, "T"), keys)
        for field in ("q", "k"):
            self._check_shape(field, (n_positions, "T"), (d_k, "d_k"))
        for field in ("w_q", "w_k"):
            self._check_shape(field, inputs, (d_k, "d_k"))

    def _check_shape(self, field: str, rows: tuple[int, str], columns: tuple[int, str]) -> None:
        value = getattr(self, field)
        if value is not None and value.shape != (rows[0], columns[0]):
            raise UserError(
                f"{SYMBOLS[field]} of head “{self.name}” is {shape_text(value)}, "
                f"but this scene needs {rows[0]} × {columns[0]} "
                f"({rows[1]} {'row' if rows[1] == 'one' else 'rows'}, {columns[1]} columns)."
            )


def _check_bias(head: Head) -> None:
    """Raise UserError unless slope and sink are such as heads can have, and none is in vain."""
    name = f"head “{head.name}”"
    if not 0 <= head.slope <= LARGEST:
        raise UserError(
            f"The ALiBi slope of {name} must be a number from 0 to {LARGEST:g}; got {head.slope}."
        )
    if head.sink is not None and not -LARGEST <= head.sink <= LARGEST:
        raise UserError(
            f"The sink logit of {name} must be a number from -{LARGEST:g} to {LARGEST:g}; got "
            f"{head.sink}."
        )
    if head.is_biased and head.pattern is Pattern.GIVEN:
        raise UserError(
            f"{name[0].upper()}{name[1:]} has given weights, in which slope and sink are already: "
            "it takes neither."
        )


def _check_weights(name: str, a: Array) -> None:
    """Raise UserError where a weight is below 0."""
    if a.min() < 0:
        row, column = np.unravel_index(a.argmin(), a.shape)
        raise UserError(
            f"Weights are 0 or more; A of head “{name}” has {a[row, column]:g} in row {row + 1}, "
            f"column {column + 1}."
        )


def _given_matrix(head: Head, field: str) -> Array | None:
    """Return a matrix of ``head`` as read-only, and None where it has and needs none."""
    value, is_needed = getattr(head, field), field in _GIVEN.get(head.pattern, ())
    if (value is not None) is not is_needed:
        what = "needs" if is_needed else "takes no"
        raise UserError(
            f"Head “{head.name}” ({head.pattern.value}) {what} matrix {SYMBOLS[field]}."
        )
    return matrix(f"{SYMBOLS[field]} of head “{head.name}”", value) if is_needed else None
