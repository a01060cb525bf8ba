"""From a reading to captured layers: arrays read, their axes put in order, their sizes checked."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from mhagui.document.capture import CapturedLayer, Floats
from mhagui.document.captured_bias import alibi_view
from mhagui.document.checks import LARGEST
from mhagui.errors import UserError
from mhagui.sources import names
from mhagui.sources.entries import Entry, Picks, shape_text
from mhagui.sources.found import Found
from mhagui.sources.projections import projected
from mhagui.sources.readings import (
    BATCH,
    HEAD,
    KEY,
    LAYER,
    MODEL,
    PACKED,
    POSITION,
    QUERY,
    WIDTH,
    Part,
    Reading,
)

MOST_GIGABYTES = 8  # of numbers as float32; more is read by fewer layers
_PICKED = (LAYER, BATCH)
_MOST_AXES = {names.WEIGHTS: 5, names.Q: 5, names.K: 5, names.V: 5, names.X: 4}
_ORDERS = {  # of the axes, where they are what a layer holds; others are picked from
    names.WEIGHTS: (HEAD, QUERY, KEY),
    names.Q: (HEAD, POSITION, WIDTH),
    names.K: (HEAD, POSITION, WIDTH),
    names.V: (HEAD, POSITION, WIDTH),
    names.X: (POSITION, MODEL),
    **dict.fromkeys(names.TERMS, (HEAD,)),
}


def layer_numbers(found: Found, reading: Reading) -> tuple[int, ...]:
    """Return the numbers of the layers that ``reading`` takes, rising, as the file counts them.

    Raises UserError where parts have different layers, or where a chosen one is not there.
    """
    there: tuple[int, ...] | None = None
    of = ""
    for part in reading.parts:
        if not part.is_layered:
            continue
        numbers = _numbers(found, part)
        if there is not None and numbers != there:
            raise UserError(
                f"{part.entries[0]} has the layers {_listed(numbers)}, {of} has {_listed(there)}."
            )
        there, of = numbers, part.entries[0]
    if there is None:
        there = (_only_number(reading),)
    missing = sorted(set(reading.layers or ()) - set(there))
    if missing or reading.layers == ():
        chosen = f"no layer {_listed(tuple(missing))}" if missing else "no layer chosen"
        raise UserError(f"{found.path.name} has {chosen}; its layers are {_listed(there)}.")
    return tuple(sorted(set(reading.layers or there)))


def _only_number(reading: Reading) -> int:
    """Return which layer the names say that all is of; 0 where they say nothing."""
    numbers = {part.layers[0] for part in reading.parts} - {0}
    if len(numbers) > 1:
        raise UserError(
            f"The names are of different layers, {_listed(tuple(sorted(numbers)))}, and each of "
            "them has only a part."
        )
    return max(numbers, default=0)


def _numbers(found: Found, part: Part) -> tuple[int, ...]:
    if LAYER not in part.axes:
        return tuple(sorted(set(part.layers)))
    entry = _checked(found, part, 0)
    return tuple(range(entry.shape[part.axes.index(LAYER)]))


def _listed(numbers: tuple[int, ...]) -> str:
    if len(numbers) > 2 and numbers == tuple(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers[:20])) + (" …" if len(numbers) > 20 else "")


def check_parts(found: Found, reading: Reading) -> None:
    """Raise UserError where an array cannot be read, or has other axes than ``reading`` says."""
    for part in reading.parts:
        if part.role not in names.LABELS:
            for at in range(len(part.entries)):
                _checked(found, part, at)


def batch_size(found: Found, reading: Reading) -> int:
    """Return how many items the batch has; 1 where there is no axis of a batch."""
    sizes = {
        entry.shape[part.axes.index(BATCH)]
        for part in reading.parts
        if BATCH in part.axes
        for entry in [_checked(found, part, 0)]
    }
    return max(sizes, default=1)


def captured_layers(
    found: Found, reading: Reading, before_layer: Callable[[int], object]
) -> Iterator[CapturedLayer]:
    """Yield the layers of ``reading``, one in memory at a time where the caller keeps none.

    ``before_layer`` is called with the number of each, and may raise to call it off.

    Raises UserError where something does not fit, naming the array, the axis and the numbers.
    """
    numbers = layer_numbers(found, reading)
    n_items = batch_size(found, reading)
    for part in reading.parts:
        is_any = part.role not in _ORDERS or part.role in names.TERMS
        if n_items > 1 and not is_any and BATCH not in part.axes:
            raise UserError(
                f"{part.entries[0]} has no batch, and there are {n_items} items of one."
            )
    _check_size(found, reading, numbers)
    reading = _with_heads(found, reading)
    for number in numbers:
        before_layer(number)
        found.check_unchanged()
        layer = _layer(found, reading, number, len(numbers))
        found.check_unchanged()  # or half of it is of another file
        yield layer


def _with_heads(found: Found, reading: Reading) -> Reading:
    """Return ``reading`` with as many heads as the stored weights have, where none were said."""
    part = reading.part(names.WEIGHTS)
    if part is None:
        return reading
    shape = _checked(found, part, 0).shape
    n_heads = shape[part.axes.index(HEAD)] if HEAD in part.axes else 1
    if reading.heads not in (None, n_heads):
        raise UserError(
            f"{part.entries[0]} has {n_heads} heads, but {reading.heads} were said (heads=…)."
        )
    return replace(reading, heads=n_heads)


def _check_size(found: Found, reading: Reading, numbers: tuple[int, ...]) -> None:
    """Raise UserError where layers of these ``numbers`` take more memory than is ever taken."""
    n_items, wanted = 0, set(numbers)
    for part in reading.parts:
        if part.role in names.LABELS:
            continue
        for at, layer in enumerate(part.layers):
            if LAYER in part.axes or not part.is_layered or layer in wanted:
                shape = _checked(found, part, at).shape
                axes = part.axes or ("",) * len(shape)
                sizes = [n for n, axis in zip(shape, axes, strict=True) if axis not in _PICKED]
                n_items += math.prod(sizes) * (len(numbers) if LAYER in axes else 1)
    gigabytes = 4 * n_items / 2**30
    if gigabytes > MOST_GIGABYTES:
        are = f"{len(numbers):,} layers" if len(numbers) > 1 else f"Layer {numbers[0]}"
        takes, right = (
            ("take", "choose fewer layers")
            if len(numbers) > 1
            else ("takes", "save fewer heads or positions of it")
        )
        raise UserError(
            f"{are} of {found.path.name} {takes} {gigabytes:,.1f} GiB in memory; at most "
            f"{MOST_GIGABYTES} are taken: {right}."
        )


def _layer(found: Found, reading: Reading, number: int, n_layers: int) -> CapturedLayer:
    read: dict[str, Floats] = {}
    for part in reading.parts:
        if part.role in (*names.LABELS, names.TOKEN_IDS):
            continue
        is_any = part.role in names.TERMS and not names.says_layer(part.entries[0])
        if not part.is_layered and n_layers > 1 and not is_any:
            raise UserError(
                f"{part.entries[0]} is of one layer, and there are {n_layers}: choose the one "
                "layer it belongs to."
            )
        read[part.role] = _array(found, reading, part, number)
    fields: dict[str, Any] = {"given": read.get(names.WEIGHTS)}
    fields |= {role: read[role] for role in names.STATES if role in read}
    fields |= {role: read[role] for role in names.TERMS if role in read}
    if reading.has_projections:
        fields |= projected(reading, read)
    elif names.X in read:
        fields["x"] = read[names.X]
    return _checked_layer(reading, number, fields)


def _checked(found: Found, part: Part, at: int) -> Entry:
    """Return the array ``at`` that place of a part: it can be read and has the axes it should."""
    name = part.entries[at]
    entry = found.entry(name)
    of_layer = f" (layer {part.layers[at]})" if len(part.entries) > 1 else ""
    if entry.problem:
        raise UserError(entry.problem.rstrip(".") + of_layer + ".")
    if part.axes and len(entry.shape) != len(part.axes):
        raise UserError(
            f"{name}{of_layer} has {len(entry.shape)} axes ({shape_text(entry.shape)}), not "
            f"{len(part.axes)}: {', '.join(part.axes)}."
        )
    if not part.axes and part.role in names.TERMS:
        raise UserError(
            f"{name}{of_layer} is {shape_text(entry.shape)}; {part.role} are a number for each "
            "head, or for each head of each layer (layer × head)."
        )
    if not part.axes and (part.role in _ORDERS or not 1 <= len(entry.shape) <= 3):
        raise UserError(
            f"{name}{of_layer} has {len(entry.shape)} axes ({shape_text(entry.shape)}); as "
            f"{part.role} there are at most {_MOST_AXES.get(part.role, 3)}, and at least one."
        )
    known = {LAYER, BATCH, *_ORDERS.get(part.role, ())} | (
        {PACKED} if part.role in names.STATES else set()
    )
    if len(set(part.axes)) != len(part.axes) or not set(part.axes) <= known:
        raise UserError(f"{name} cannot have the axes {', '.join(part.axes)} as {part.role}.")
    for axis, size in enumerate(entry.shape):
        if size == 0:
            what = part.axes[axis] if part.axes else "unnamed"
            raise UserError(
                f"{name}{of_layer} is empty: axis {axis} ({what}) has no entries, its shape is "
                f"({', '.join(map(str, entry.shape))})."
            )
    return entry


def _array(found: Found, reading: Reading, part: Part, number: int) -> Floats:
    """Return what plays a role in layer ``number``, its axes in the order of a captured layer."""
    is_any = LAYER in part.axes or not part.is_layered
    at = range(len(part.entries)) if is_any else part.places[number]
    if part.role == names.WEIGHTS and reading.has_steps:
        return _stitched(
            [_ordered(found, reading, part, index, number) for index in at],
            [part.steps[index] for index in at],
        )
    if len(at) > 1:
        raise UserError(
            f"Layer {number} has {len(at)} arrays as {part.role}, {part.entries[at[0]]} and "
            f"{part.entries[at[1]]} among them; one is needed."
        )
    return _ordered(found, reading, part, at[0], number)


def _ordered(found: Found, reading: Reading, part: Part, at: int, number: int) -> Floats:
    name, entry = part.entries[at], _checked(found, part, at)
    picks: Picks = tuple(
        _pick(reading, axis, size, number, name)
        for axis, size in zip(part.axes, entry.shape, strict=False)
    )
    array = entry.read(picks)
    if part.role not in _ORDERS:
        return array
    left = [axis for axis in part.axes if axis not in _PICKED]
    if PACKED in left:
        array = _unpacked(array, reading, part, name)
        left = [POSITION, HEAD, WIDTH]
    wanted = [axis for axis in _ORDERS[part.role] if axis in left]
    array = array.transpose([left.index(axis) for axis in wanted])
    for place, axis in enumerate(_ORDERS[part.role]):
        if axis not in left:  # one head, or one query, of which no axis is made
            array = np.expand_dims(array, place)
    return array


def _pick(reading: Reading, axis: str, size: int, number: int, name: str) -> int | None:
    if axis == LAYER:
        return number
    if axis != BATCH:
        return None
    if reading.batch is None and size > 1:
        raise UserError(f"The batch of {name} has {size} items: say which one, 0 to {size - 1}.")
    if not 0 <= (reading.batch or 0) < size:
        raise UserError(
            f"The batch of {name} has {size} item{'s' if size > 1 else ''}, 0 to {size - 1}, and "
            f"no item {reading.batch}."
        )
    return reading.batch or 0


def _unpacked(array: Floats, reading: Reading, part: Part, name: str) -> Floats:
    """Return (T, H·d) as (T, H, d)."""
    is_query = part.role == names.Q
    n_heads = reading.heads if is_query else (reading.key_heads or reading.heads)
    if n_heads is None:
        raise UserError(f"{name} holds the heads side by side: say how many there are.")
    n_positions, width = array.shape
    if n_heads < 1 or width % n_heads:
        raise UserError(f"{name} has a width of {width}, which {n_heads} heads do not divide.")
    return array.reshape(n_positions, n_heads, width // n_heads)


def _stitched(rows: list[Floats], steps: list[int]) -> Floats:
    """Return the weights of a prompt, and of one query after the other, as one matrix (H, T, T).

    Keys that a step did not have yet are future ones, of weight 0.
    """
    first = rows[0]
    n_heads, n_prompt, n_keys = first.shape
    if n_prompt != n_keys:
        raise UserError(
            f"Step {steps[0]} has {n_prompt} queries and {n_keys} keys; the first step reads "
            "the whole prompt, and has as many of both."
        )
    for at, (row, step) in enumerate(zip(rows[1:], steps[1:], strict=True), n_prompt):
        if row.shape != (n_heads, 1, at + 1):
            raise UserError(
                f"Step {step} has {row.shape[0]} heads and {row.shape[1]} × {row.shape[2]} "
                f"positions; after the steps before it, it should have {n_heads} and 1 × {at + 1}."
            )
    total = n_prompt + len(rows) - 1
    whole = np.zeros((n_heads, total, total), first.dtype)
    whole[:, :n_prompt, :n_prompt] = first
    for at, row in enumerate(rows[1:], n_prompt):
        whole[:, at, : at + 1] = row[:, 0]
    return whole


def _checked_layer(reading: Reading, number: int, fields: dict[str, Any]) -> CapturedLayer:
    fields = {role: _sealed(array) for role, array in fields.items() if array is not None}
    q, k, v, given = (fields.get(role) for role in (names.Q, names.K, names.V, "given"))
    if given is None and (q is None or k is None):
        raise UserError(f"Layer {number} has neither weights nor both q and k to make them of.")
    if q is not None and k is not None:
        _check_pair(number, "q", q.shape[2], "k", k.shape[2], "numbers a head")
        if len(q) % len(k):
            raise UserError(
                f"Layer {number} has {len(q)} query heads, which {len(k)} key heads do not divide."
            )
    if k is not None and v is not None:
        _check_pair(number, "k", len(k), "v", len(v), "heads")
        _check_pair(number, "k", k.shape[1], "v", v.shape[1], "positions")
    if given is not None and q is not None:
        _check_pair(number, "weights", len(given), "q", len(q), "heads")
        _check_pair(number, "weights", given.shape[1], "q", q.shape[1], "query positions")
    for role, other in (("k", k), ("v", v)):
        if given is not None and other is not None:
            _check_pair(number, "weights", given.shape[2], role, other.shape[1], "key positions")
            if len(given) % len(other):
                raise UserError(
                    f"In layer {number} weights has {len(given)} heads, which the {len(other)} of "
                    f"{role} do not divide."
                )
    slopes = _terms(number, fields)
    if slopes is not None and q is not None and k is not None:
        fields["bias"] = alibi_view(slopes, (q.shape[1], k.shape[1]), q.dtype)
    return CapturedLayer(number, scale=reading.scale, **fields)


def _terms(number: int, fields: dict[str, Any]) -> Floats | None:
    """Return the slopes, taken out of ``fields``; checks that these and sinks are one a head."""
    queries = fields.get(names.Q, fields.get("given"))
    n_heads = 0 if queries is None else len(queries)
    for role in names.TERMS:
        term = fields.get(role)
        if term is None:
            continue
        if len(term) != n_heads:
            raise UserError(
                f"Layer {number} has {n_heads} query heads, and {role} {len(term)} numbers; there "
                "is one for each head."
            )
        right = np.abs(term) <= LARGEST
        if not right.all():
            head = int(right.argmin())
            raise UserError(
                f"In layer {number} {role} has {term[head]:g} for head {head}; numbers from "
                f"−{LARGEST:g} to {LARGEST:g} are taken."
            )
    slopes: Floats | None = fields.pop(names.SLOPES, None)
    return slopes


def _check_pair(number: int, one: str, n_one: int, two: str, n_two: int, what: str) -> None:
    if n_one != n_two:
        raise UserError(f"In layer {number} {one} has {n_one} {what}, {two} has {n_two}.")


def _sealed(array: Floats) -> Floats:
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
