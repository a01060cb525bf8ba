"""A reading tried: its layers read, and what their numbers prove."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.errors import UserError, visible
from mhagui.sources import names
from mhagui.sources.entries import enough_memory, shape_text
from mhagui.sources.found import Found
from mhagui.sources.head_facts import HeadFacts, head_facts
from mhagui.sources.labels import Labels, labels
from mhagui.sources.layers import captured_layers, layer_numbers
from mhagui.sources.padding import looks_at_padding, padded, rows_that_look_ahead, with_padding
from mhagui.sources.proofs import (
    Evidence,
    Proof,
    difference,
    key_heads_proof,
    padding_proofs,
    recomputed_proof,
    same_within,
    states_proofs,
    tolerance,
    weights_proofs,
)
from mhagui.sources.readings import BATCH, IN_BY_OUT, ORIENTATIONS, Reading, description

_NO_POSITIONS = (
    "No rotary positions were put into q and k: a model that has them, as LLaMA, has other "
    "weights; open it as a model."
)
_MOST_NAMED = 6
BeforeLayer: TypeAlias = Callable[[int], object]


def evidence(found: Found, reading: Reading, *, before_layer: BeforeLayer = int) -> Evidence:
    """Return what the numbers say of ``reading``; layers are read one after the other.

    ``before_layer`` is called with the number of each, and may raise to call it off.

    Raises UserError where the file cannot be read so, with the axis and the numbers.
    """
    with enough_memory(found.path.name):
        tried = proven_orientation(found, reading)
        if tried.orientation is None and reading.has_projections:
            tried = replace(tried, orientation=IN_BY_OUT)  # for all else that there is to see
        _, seen, _ = _survey(found, tried, before_layer, keep=False)
        return replace(seen, proofs=(*seen.proofs, *_orientation_proofs(found, reading)))


def describe(found: Found, reading: Reading) -> str:
    """Return what ``reading`` takes the file for, a sentence."""
    shapes = {name: found.entry(name).shape for part in reading.parts for name in part.entries[:1]}
    return description(reading, shapes)


def captured(
    found: Found, reading: Reading, before_layer: BeforeLayer = int
) -> tuple[Capture, Evidence]:
    """Return what the file holds as ``reading`` says, and what its numbers prove.

    Raises UserError where the file cannot be read so, with the axis and the numbers.
    """
    with enough_memory(found.path.name):
        layers, seen, named = _survey(found, reading, before_layer, keep=True)
    notes = (
        describe(found, reading),
        *_choices(reading),
        *(proof.sentence for proof in seen.proofs),
        *_left_out(found, reading),
        "Layers, heads and positions are counted from 0 here.",
    )
    capture = Capture(
        found.path.name,
        tuple(layers),
        named.query_tokens,
        named.key_tokens,
        named.token_ids,
        tuple(map(visible, notes)),
    )
    return capture, seen


def _survey(
    found: Found, reading: Reading, before_layer: BeforeLayer, *, keep: bool
) -> tuple[list[CapturedLayer], Evidence, Labels]:
    layers: list[CapturedLayer] = []
    facts: list[HeadFacts] = []
    differences: list[float] = []
    others: list[Proof] = []
    shapes: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    sees_padding = False
    for layer, seen in _looked_at(found, reading, before_layer):
        facts += seen
        others += states_proofs(layer)
        if not shapes:
            others += key_heads_proof(layer)
        shapes.append(layer.shape)
        ends.append(padded(layer))
        sees_padding = sees_padding or looks_at_padding(layer)
        off = difference(layer)
        if off is not None:
            differences.append(off)
        if keep:
            layers.append(layer)
    named = labels(found, reading, shapes)
    is_square = all(n_queries == n_keys for n_queries, n_keys in shapes)
    proofs = weights_proofs(
        facts,
        _within(found, reading),
        is_causal=reading.causal,
        is_square=is_square,
        has_sinks=reading.part(names.SINKS) is not None,
    )
    terms = [part for part in reading.parts if part.role in names.TERMS]
    if terms:
        said = " and ".join(f"{part.role} ({part.entries[0]})" for part in terms)
        proofs.append(Proof("terms", f"In each softmax are {said} too.", "ok", float(len(terms))))
    proofs += padding_proofs(facts, ends, sees_padding=sees_padding)
    if differences:
        how = f" with {' and '.join(part.role for part in terms)}" if terms else ""
        how += f" ({reading.orientation})" if reading.has_projections else ""
        within = _same_within(found, reading)
        proofs.append(recomputed_proof(how, max(differences), within, is_chosen=True))
    elif not facts:
        text = "There are no stored weights that those made of q and k could be compared with."
        proofs.append(Proof("recomputed", text, "warn", 0.0))
        if reading.has_projections:
            proofs.append(Proof("positions", _NO_POSITIONS, "warn", 0.0))
    if reading.has_steps:
        proofs.append(_steps(reading, shapes[0][0]))
    return layers, Evidence((*proofs, *others, *named.proofs)), named


def _looked_at(
    found: Found, reading: Reading, before_layer: BeforeLayer = int
) -> Iterator[tuple[CapturedLayer, tuple[HeadFacts, ...]]]:
    """Yield each layer with its mask, where that is said or seen, and the facts of its heads."""
    within, last = _within(found, reading), None
    for layer in captured_layers(found, reading, before_layer):
        n_ahead = 0 if reading.causal is False else rows_that_look_ahead(layer)
        facts = tuple(head_facts(layer, within, n_ahead))
        is_causal = reading.causal
        if is_causal is None:  # where nothing but NaN was seen nobody knows
            is_causal = any(head.n_rows for head in facts)
            is_causal = is_causal and not any(head.above for head in facts)
        if is_causal:
            if last is None or last.shape != layer.shape:
                last = core.causal_mask(*layer.shape)
                last.flags.writeable = False
            layer = replace(layer, allowed=last)  # noqa: PLW2901  # layers share one mask
        yield with_padding(layer, n_ahead), facts


def _left_out(found: Found, reading: Reading) -> Iterator[str]:
    """Yield what is in the file and plays no role, as masks."""
    taken = {name for part in reading.parts for name in part.entries}
    others = [e for e in found.entries if e.name not in taken and e.texts is None]
    if others:
        shown = ", ".join(f"{e.name} ({shape_text(e.shape)})" for e in others[:_MOST_NAMED])
        n_more = len(others) - _MOST_NAMED
        more = f" and {n_more:,} more" if n_more > 0 else ""
        yield f"Also in the file, and not read: {shown}{more}."


def _choices(reading: Reading) -> Iterator[str]:
    if any(BATCH in part.axes for part in reading.parts):
        yield f"Of the batch this is item {reading.batch or 0}."
    if reading.layers is not None:
        numbers = ", ".join(map(str, sorted(reading.layers)))
        yield f"Layers taken: {numbers}; they keep their numbers."
    if reading.has_projections:
        yield (
            f"The matrices of the projections were read as {reading.orientation}; x was taken for "
            "what they read, after its norm."
        )


def _steps(reading: Reading, total: int) -> Proof:
    part = reading.part(names.WEIGHTS)
    n_steps = len(set(part.steps)) if part else 0
    text = (
        f"{n_steps} steps of generation were put together to {total} rows; the last token that "
        "was generated was never read, and has no row."
    )
    return Proof("steps", text, "ok", float(n_steps))


def proven_orientation(found: Found, reading: Reading) -> Reading:
    """Return ``reading`` with the only orientation in which the stored weights come out again.

    As it was where that is said already, and where neither gives them, or both.
    """
    if reading.orientation is not None or not reading.has_projections:
        return reading
    within = _same_within(found, reading)
    same = [way for way, off in _orientations(found, reading).items() if off <= within]
    return replace(reading, orientation=same[0]) if len(same) == 1 else reading


def _orientation_proofs(found: Found, reading: Reading) -> list[Proof]:
    """Return how each orientation that was not chosen does on the first layer."""
    if not reading.has_projections:
        return []
    within = _same_within(found, reading)
    return [
        recomputed_proof(f" ({way}, first layer)", off, within, is_chosen=False)
        for way, off in _orientations(found, reading).items()
        if way != reading.orientation
    ]


def _orientations(found: Found, reading: Reading) -> dict[str, float]:
    """Return how far the first layer's recomputed weights are from the stored, each way."""
    tried = {}
    for way in ORIENTATIONS:
        one = replace(reading, orientation=way, layers=layer_numbers(found, reading)[:1])
        try:
            off = next(difference(layer) for layer, _ in _looked_at(found, one))
        except UserError:  # sizes do not fit this way
            continue
        if off is not None:
            tried[way] = off
    return tried


def _within(found: Found, reading: Reading) -> float:
    part = reading.part(names.WEIGHTS)
    return tolerance(found.entry(part.entries[0]).dtype) if part else 0.0


def _same_within(found: Found, reading: Reading) -> float:
    """Return how far recomputed weights may be from the stored, by the coarsest type in use."""
    numbers = [part for part in reading.parts if part.role not in names.LABELS]
    return max(same_within(found.entry(part.entries[0]).dtype) for part in numbers)
