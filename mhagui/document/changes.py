"""How two scenes differ, in a few words."""

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from mhagui import formats
from mhagui.document.head import SYMBOLS, Head
from mhagui.document.patterns import parameters_of
from mhagui.document.records import Array
from mhagui.document.scene import MAX_HEAD_WIDTH, Scene

MOST_CHANGES = 2  # that are told one by one


def difference(before: Scene, after: Scene) -> str:
    """Return what is other in ``after``: “h2 gain 2.68”, “W_O h1.2, d8: −0.5”, “T = 8”.

    Heads are numbered as in ``after``, one that is gone as in ``before``. Empty where a few words
    do not tell it: another scene, tokens, or more than two changes.
    """
    if before is after:
        return ""
    changes = list(islice(_changes(before, after), MOST_CHANGES + 1))
    return "" if len(changes) > MOST_CHANGES else ", ".join(changes)


def _changes(before: Scene, after: Scene) -> Iterator[str]:
    if before.title != after.title:
        yield f"title “{after.title}”"
    elif before.description != after.description:
        yield "description"
    for field, name in (("n_positions", "T"), ("d_k", "d_k"), ("d_model", "d_model")):
        if getattr(before, field) != getattr(after, field):
            yield f"{name} = {getattr(after, field)}"
    if after.mask.across and before.n_keys != after.n_keys:
        yield f"T_k = {after.n_keys}"
    if before.master_gain != after.master_gain:
        yield f"master gain {formats.short(after.master_gain)}"
    yield from _changes_of_all(before, after)
    yield from _head_changes(before, after)
    if before.tokens == after.tokens:
        yield from _cell_changes("X", before.x, after.x, _position, _channel)
    if [head.uid for head in before.heads] == [head.uid for head in after.heads]:
        rows = formats.head_columns(after.n_heads, after.d_v)
        yield from _cell_changes("W_O", before.w_o, after.w_o, rows.__getitem__, _channel)
    yield from _bias_changes(before, after)


def _changes_of_all(before: Scene, after: Scene) -> Iterator[str]:
    """Yield what is other for all heads at once."""
    if before.mask != after.mask:
        yield f"mask: {after.mask.text}"
    if before.keep_margin is not after.keep_margin:
        yield "margin kept" if after.keep_margin else "margin shrinks"
    if before.source != after.source:
        yield "token source"


def _bias_changes(before: Scene, after: Scene) -> Iterator[str]:
    if before.b_o is not None and after.b_o is not None:
        yield from _cell_changes("b_O", before.b_o, after.b_o, _only, _channel)
    elif before.b_o is not after.b_o:
        yield "b_O removed" if after.b_o is None else "b_O added"


def _head_changes(before: Scene, after: Scene) -> Iterator[str]:
    old = {head.uid: (place, head) for place, head in enumerate(before.heads, 1)}
    new = {head.uid: (place, head) for place, head in enumerate(after.heads, 1)}
    yield from (f"h{old[u][0]} removed: {old[u][1].name}" for u in old if u not in new)
    yield from (f"h{new[u][0]} added: {new[u][1].name}" for u in new if u not in old)
    yield from _moves(before, after)
    for uid, (place, head) in new.items():
        if uid in old and head is not old[uid][1]:
            yield from (f"h{place} {change}" for change in _changes_of_head(old[uid][1], head))
            biases = _bias_changes_of_head(old[uid][1], head)
            yield from (f"h{place} {change}" for change in biases)
            yield from _matrix_changes(place, old[uid][1], head)


def _moves(before: Scene, after: Scene) -> Iterator[str]:
    """Yield the one move that leads from one order to the other, if the heads are the same."""
    old, new = ([head.uid for head in scene.heads] for scene in (before, after))
    if old == new or set(old) != set(new):
        return
    for uid in new:
        if [u for u in old if u != uid] == [u for u in new if u != uid]:
            here, there = old.index(uid) + 1, new.index(uid) + 1
            is_next = abs(here - there) == 1  # then it could be either of the two
            yield f"h{there} and h{here} swapped" if is_next else f"h{here} moved to h{there}"
            return
    yield "heads in another order"


def _changes_of_head(before: Head, after: Head) -> Iterator[str]:
    if before.pattern is not after.pattern:
        yield f"pattern: {after.pattern.value}"
    elif before.name != after.name:
        yield f"name: {after.name}"
    if before.gain != after.gain:
        yield f"gain {formats.short(after.gain)}"
    if before.key_magnitude != after.key_magnitude:
        yield f"|K| {formats.short(after.key_magnitude)}"
    if before.muted is not after.muted:
        yield "muted" if after.muted else "not muted"
    if before.soloed is not after.soloed:
        yield "soloed" if after.soloed else "not soloed"
    if before.layer != after.layer:
        yield f"layer {after.layer}"
    if before.pattern is after.pattern:
        settings = zip(parameters_of(after.pattern), before.settings, after.settings, strict=True)
        yield from (
            f"{what.name} {formats.short(new)}" for what, old, new in settings if old != new
        )


def _bias_changes_of_head(before: Head, after: Head) -> Iterator[str]:
    if before.slope != after.slope:
        yield f"slope {formats.short(after.slope)}" if after.slope else "no slope"
    if before.sink != after.sink:
        yield "no sink" if after.sink is None else f"sink {formats.short(after.sink)}"


def _matrix_changes(place: int, before: Head, after: Head) -> Iterator[str]:
    features = formats.positions(MAX_HEAD_WIDTH, f"h{place}.").__getitem__
    for field, symbol in SYMBOLS.items():
        rows = {"q": _position, "k": _position, "a": _position, "b_v": _only}.get(field, _channel)
        columns = _position if field == "a" else features
        old, new = getattr(before, field), getattr(after, field)
        if old is not None and new is not None:
            whole = f"{symbol} of h{place}"
            yield from _cell_changes(symbol, old, new, rows, columns, whole)


def _cell_changes(
    name: str,
    before: Array,
    after: Array,
    row: Callable[[int], str],
    column: Callable[[int], str],
    whole: str = "",
) -> Iterator[str]:
    """Yield the cell of a matrix that is other, or how many are; none where all cells are new."""
    if before is after or before.shape != after.shape:
        return
    differs = before != after
    n_cells = np.count_nonzero(differs)
    if n_cells == 1:
        r, c = np.unravel_index(differs.argmax(), differs.shape)
        place = ", ".join(part for part in (row(int(r)), column(int(c))) if part)
        yield f"{name} {place}: {formats.short(float(after[r, c]))}"
    elif n_cells:
        yield f"{n_cells:,} cells of {whole or name}"


def _only(_row: int) -> str:
    return ""


def _position(row: int) -> str:
    return f"t{row + 1}"


def _channel(number: int) -> str:
    return f"d{number + 1}"
