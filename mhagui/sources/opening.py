"""Files opened: a reading made into a capture, with what its numbers prove of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mhagui.document.capture import Capture
from mhagui.errors import UserError
from mhagui.sources import names
from mhagui.sources.entries import enough_memory
from mhagui.sources.evidence import BeforeLayer, captured, describe, proven_orientation
from mhagui.sources.found import Found, inspect
from mhagui.sources.layers import batch_size, check_parts
from mhagui.sources.readings import AXES, BATCH, ORIENTATIONS, PACKED, Reading


def read(found: Found, reading: Reading, *, before_layer: BeforeLayer = int) -> Capture:
    """Return what the file holds as ``reading`` says, with what was proven of it as notes.

    ``before_layer`` is called with the number of each layer, and may raise to call it off.

    Raises UserError where the file cannot be read so, with the axis and the numbers.
    """
    return captured(found, reading, before_layer)[0]


def questions(found: Found, reading: Reading) -> tuple[str, ...]:
    """Return what has to be said before ``reading`` can be read, a sentence each."""
    asked = []
    n_items = batch_size(found, reading)
    if n_items > 1 and reading.batch is None:
        asked.append(f"The batch has {n_items} items: say which one (batch=0 to {n_items - 1}).")
    has_weights = reading.part(names.WEIGHTS) is not None
    if reading.heads is None and not has_weights and _is_packed(found, reading):
        asked.append("Heads lie side by side: say how many there are (heads=…).")
    if reading.has_projections and reading.orientation is None and not has_weights:
        asked.append("Say how the matrices lie (orientation=“in x out” or “out x in”).")
    if reading.causal is None and not has_weights:
        asked.append(
            "Say whether queries see only keys up to their own position (causal=yes or no)."
        )
    return tuple(asked)


@dataclass(frozen=True)
class Choices:
    """What is said beside a file; None leaves it to the file.

    Raises UserError where a value is of no kind that it could be.

    Attributes
    ----------
    weights
        How the name of the weights begins, where there are several.
    axes
        What the axes are, as in ``layer,head,query,key``; those of several arrays with spaces
        between.
    batch, layers, orientation, heads, key_heads, causal
        As in a ``Reading``.
    """

    weights: str | None = None
    axes: str | None = None
    batch: int | None = None
    layers: Sequence[int] | None = None
    orientation: str | None = None
    heads: int | None = None
    key_heads: int | None = None
    causal: bool | None = None

    def __post_init__(self) -> None:
        """Refuse values that callers without types may give."""
        for name, wanted, right in _KINDS:
            value = getattr(self, name)
            if value is not None and not _is_of(value, wanted):
                raise UserError(f"{name}={value!r} is not {right}.")
        layers: object = self.layers
        if layers is not None and not (
            isinstance(layers, Sequence) and all(_is_of(layer, _WHOLE) for layer in layers)
        ):
            raise UserError(f"layers={layers!r} is no list of whole numbers.")


_WHOLE = (int, np.integer)
_KINDS: tuple[tuple[str, Any, str], ...] = (
    ("batch", _WHOLE, "a whole number"),
    ("heads", _WHOLE, "a whole number"),
    ("key_heads", _WHOLE, "a whole number"),
    ("weights", str, "a text"),
    ("axes", str, "a text, as “head,query,key”"),
    ("causal", bool, "true or false"),
)


def _is_of(value: object, wanted: Any) -> bool:  # noqa: ANN401  # a type, or several
    return isinstance(value, wanted) and isinstance(value, bool) == (wanted is bool)


def open_capture(
    path: Path, choices: Choices = Choices(), *, before_layer: BeforeLayer = int
) -> Capture:
    """Return what the file at ``path`` holds, where there is one sensible way to read it.

    ``before_layer`` is as for ``read``.

    Raises
    ------
    UserError
        Where the file cannot be read, or where something has to be said; then with all of it.
    """
    return read_only_way(inspect(path), choices, before_layer=before_layer)


def read_only_way(
    found: Found, choices: Choices = Choices(), *, before_layer: BeforeLayer = int
) -> Capture:
    """Return what ``found`` holds, as ``open_capture`` does for a file."""
    reading = _chosen(_only_reading(found, choices), choices)
    check_parts(found, reading)
    if choices.batch and not any(BATCH in part.axes for part in reading.parts):
        raise UserError(
            f"{describe(found, reading)[:-1]}: there is no batch that item {choices.batch} could "
            "be taken of (batch=…)."
        )
    asked = questions(found, reading)
    if asked:
        raise UserError(f"{found.path.name} leaves something open. {' '.join(asked)}")
    with enough_memory(found.path.name):
        reading = proven_orientation(found, reading)
    capture, proven = captured(found, reading, before_layer)
    turned = proven.about("columns")
    if turned and choices.axes is None:
        raise UserError(f"{found.path.name}: {turned[0].sentence} Say which they are (axes=…).")
    return capture


def _chosen(reading: Reading, choices: Choices) -> Reading:
    """Return ``reading`` with all that was said; what was not stays as the file has it."""
    if choices.orientation not in (None, *ORIENTATIONS):
        raise UserError(
            f"There is no orientation “{choices.orientation}”; it is in x out or out x in."
        )
    return replace(
        reading,
        batch=choices.batch,
        layers=None if choices.layers is None else tuple(choices.layers),
        orientation=choices.orientation or reading.orientation,
        heads=choices.heads,
        key_heads=choices.key_heads,
        causal=reading.causal if choices.causal is None else choices.causal,
    )


def _only_reading(found: Found, choices: Choices) -> Reading:
    """Return the reading that fits what was said; raises UserError where none or several do."""
    readings = found.readings
    if not readings:
        raise UserError(why_none(found))
    if choices.weights is not None:
        readings = tuple(r for r in readings if _weights_name(r).startswith(choices.weights))
    if not readings:
        raise UserError(
            f"{found.path.name} has no weights called “{choices.weights}”; {found.listing}"
        )
    several = dict.fromkeys(f"weights={_weights_name(reading)}" for reading in readings)
    if len(several) > 1:
        raise UserError(
            f"{found.path.name} holds weights several times: say which ({' or '.join(several)})."
        )
    for axes in re.sub(r"\s*,\s*", ",", choices.axes or "").split():
        readings = _with_axes(found, readings, tuple(axes.split(",")))
    if len(readings) > 1:
        check_parts(found, readings[0])
        ways = f"{found.path.name} can be read in {len(readings)} ways"
        raise UserError(f"{ways}: {_what_differs(found, readings)}")
    return readings[0]


def _what_differs(found: Found, readings: Sequence[Reading]) -> str:
    """Return the question that tells ``readings`` apart, or the first of those that do."""
    for parts in zip(*(reading.parts for reading in readings), strict=True):
        several = dict.fromkeys(f"axes={','.join(part.axes)}" for part in parts)
        if len(several) > 1:
            break
    name = parts[0].entries[0]
    shape = ", ".join(map(str, found.entry(name).shape))
    return f"say what the axes of {name} ({shape}) are ({' or '.join(several)})."


def why_none(found: Found) -> str:
    """Return why there is no way to read ``found``, a sentence."""
    name = found.path.name
    if found.family:
        return (
            f"{name} is a checkpoint of a {found.family} model, weights of projections without an "
            "input: open it as a model."
        )
    problems = [entry.problem for entry in found.entries if entry.problem and entry.texts is None]
    if problems:
        return problems[0]
    return (
        f"Nothing in {name} is known by its name: {found.listing[:-1]}; attention is known as "
        "weights, as q and k, or as x with W_Q and W_K."
    )


def _with_axes(
    found: Found, readings: Sequence[Reading], axes: tuple[str, ...]
) -> tuple[Reading, ...]:
    """Return those of ``readings`` with ``axes`` of an array, or the first with them put in.

    They are those of q, k and v together.
    """
    fitting = tuple(r for r in readings if axes in {part.axes for part in r.parts})
    if fitting:
        return fitting
    check_parts(found, readings[0])
    main = next(part for part in readings[0].parts if part.axes)
    if len(axes) != len(main.axes) or len(set(axes)) != len(axes) or not set(axes) <= AXES:
        shape = ", ".join(map(str, found.entry(main.entries[0]).shape))
        raise UserError(
            f"{main.entries[0]} ({shape}) cannot have the axes “{','.join(axes)}”: say one name "
            f"for each, as in {','.join(main.axes)}."
        )
    reading = readings[0]
    for role in names.STATES if main.role in names.STATES else (main.role,):
        reading = reading.with_axes(role, axes)
    return (reading,)


def _weights_name(reading: Reading) -> str:
    part = reading.part(names.WEIGHTS)
    return part.entries[0] if part else ""


def _is_packed(found: Found, reading: Reading) -> bool:
    matrix = reading.part(names.W_Q) or reading.part(names.W_QKV)
    is_matrix = matrix is not None and len(found.entry(matrix.entries[0]).shape) == 2
    return is_matrix or any(PACKED in part.axes for part in reading.parts)
