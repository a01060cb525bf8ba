"""The part of a script that holds the scene: its sizes, matrices, gains and masks."""

from collections.abc import Sequence

import numpy as np

from mhagui.document import Head, Pattern, Scene
from mhagui.document.designs import designed_factors, ideal_taps
from mhagui.document.records import Array
from mhagui.document.response import shown_row
from mhagui.document.scene import ON_CIRCLE
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.document.view_state import WhatIf
from mhagui.figures.script import literals
from mhagui.figures.script.parts import Part
from mhagui.figures.subject import Subject

_UNPACK = '''def unpack(text):
    """Return the array in text: base64 of a compressed .npy file."""
    file = io.BytesIO(zlib.decompress(base64.b64decode(text)))
    return np.load(file, allow_pickle=False)'''
_CIRCLE = '''def circle(numbers, n, radius):
    """Return each number as a point on a circle of n, in the first two of d_k columns."""
    angle = 2.0 * np.pi * numbers / n
    points = radius * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return np.pad(points, ((0, 0), (0, d_k - 2)))'''
_ITEM = 4 + len(",  # h99")  # characters around a value in a list with an item per head


def scene_parts(subject: Subject) -> list[Part]:
    """Return what the scene consists of, in the order in which it is written."""
    scene = subject.scene
    row, gains = shown_row(scene, subject.row), [literals.number(h.gain) for h in scene.heads]
    lines = [
        _UNPACK,
        _CIRCLE,
        f"T = {scene.n_positions}  # positions",
        f"H = {scene.n_heads}  # heads",
        f"d_model = {scene.d_model}",
        f"d_k = {scene.d_k}",
        f"d_v = {scene.d_v}",
        f"row = {row}  # the query position t = {row + 1}, from 0",
        f"head = {subject.head}  # the head shown, from 0",
        f"gains = {literals.items(gains, before=8)}",
        f"gain = {literals.number(scene.master_gain)} * np.array(gains)  # times the master gain",
        f"active = {literals.items([str(value) for value in scene.active], before=9)}",
        f"layer = {literals.items([str(head.layer) for head in scene.heads], before=8)}",
        f"X = {literals.matrix(scene.x, before=4)}",
        *_matrices(scene),
        f"W_O = {literals.matrix(scene.w_o, before=6)}",
        *_ideals(scene, row),
        *_source(scene.source),
        f"n_words = {len(scene.vocabulary)}  # the first columns of X tell words apart",
        *_sizes(subject.sizes or WhatIf.of(scene)),
    ]
    return [Part(line) for line in lines]


def has_own(scene: Scene) -> bool:
    """Return whether any head of ``scene`` has W_Q and W_K."""
    return any(head.w_q is not None for head in scene.heads)


def is_stacked(scene: Scene) -> bool:
    """Return whether a head of ``scene`` reads what others have added to X."""
    return any(head.layer == 2 for head in scene.heads)


def _matrices(scene: Scene) -> list[str]:
    """Return Q and K of designed and hand-set heads, W_Q and W_K of projected ones, and W_V."""
    heads = scene.heads
    owners = has_own(scene)
    queries = [_factor(scene, head, 0) for head in heads]
    keys = [_factor(scene, head, 1) for head in heads]
    lines = [
        f"Q = {literals.by_head(queries, as_dict=owners)}",
        f"K = {literals.by_head(keys, as_dict=owners)}",
    ]
    if owners:
        lines += [f"W_Q = {_own([head.w_q for head in heads])}"]
        lines += [f"W_K = {_own([head.w_k for head in heads])}"]
    values = [literals.matrix(head.w_v, 4, _ITEM - 4) for head in heads]
    return [*lines, f"W_V = {literals.by_head(values, as_dict=False)}"]


def _own(matrices: Sequence[Array | None]) -> str:
    shown = [None if own is None else literals.matrix(own, 4, _ITEM) for own in matrices]
    return literals.by_head(shown, as_dict=True)


def _factor(scene: Scene, head: Head, place: int) -> str | None:
    """Return Q (``place`` 0) or K of ``head`` as source; None where it is projected."""
    if head.w_q is not None:
        return None
    given = head.q, head.k
    array = given[place]
    if array is None:
        made = head.pattern, head.settings, scene.n_positions, scene.d_k, head.key_magnitude
        array = designed_factors(*made, keep_margin=scene.keep_margin)[place]
        if head.pattern in ON_CIRCLE:
            return _on_circle(head, array, place) or literals.matrix(array, 4, _ITEM)
    return literals.matrix(array, 4, _ITEM)


def _on_circle(head: Head, array: Array, place: int) -> str | None:
    """Return the call that makes the points of ``array``; None where it would not to the bit."""
    n_positions = len(array)
    numbers, source, n_points = np.arange(1, n_positions + 1), "np.arange(1, T + 1)", n_positions
    back = {Pattern.PREVIOUS_TOKEN: 1, Pattern.SELF: 0}.get(head.pattern)
    if head.pattern is Pattern.BLOCK_LOCAL:
        block = int(head.settings[0])
        numbers, source = np.arange(n_positions) // block + 1, f"np.arange(T) // {block} + 1"
        n_points = int(numbers[-1])
    elif place == 0 and back != 0:
        steps = int(head.settings[0]) if back is None else back
        numbers, source = numbers - steps, f"{source} - {steps}"
    for radius in (head.key_magnitude, 3.0, float(np.hypot(*array[-1, :2]))):
        angle = 2.0 * np.pi * numbers / n_points
        points = radius * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        if np.array_equal(np.pad(points, ((0, 0), (0, array.shape[1] - 2))), array):
            return f"circle({source}, {n_points}, {literals.number(radius)})"
    return None


def _ideals(scene: Scene, row: int) -> list[str]:
    """Return which keys share row t of the filter that each head approaches."""
    shown = [_ideal(head, row) for head in scene.heads]
    return [
        "keys = np.arange(1, row + 2)  # those that t sees, from 1",
        f"ideal = {literals.by_head([one or 'None' for one in shown], as_dict=False)}",
    ]


def _ideal(head: Head, row: int) -> str:
    """Return a condition on ``keys``; empty where the row approaches no filter."""
    taps = ideal_taps(head, row)
    if taps is None:
        return ""
    at = (np.flatnonzero(taps) + 1).tolist()
    if len(at) == 1:
        return f"keys == {at[0]}"
    if at == list(range(at[0], row + 2)):
        return f"keys >= {at[0]}"
    return f"np.isin(keys, {at})"


def _source(source: TokenSource) -> list[str]:
    n_symbols = source.n_symbols
    seen = n_symbols if source.resolution else max(n_symbols - 1, 1)
    lines = [
        f"n_symbols = {n_symbols}  # of the token source: {source.kind.value}",
        f"n_seen = {seen}  # symbols whose weight is observed; the last may follow from the sum",
        f"resolution = {literals.number(source.resolution or 1e-12)}  # of what is observed",
    ]
    if source.kind is SourceKind.COPY:
        lines.append(f"lag = {source.lag}")
    if source.kind is SourceKind.MARKOV:
        lines.append(f"transition = {literals.matrix(source.probabilities, before=13)}")
    return lines


def _sizes(sizes: WhatIf) -> list[str]:
    entries = {
        "d_model": sizes.d_model, "H": sizes.n_heads, "H_kv": sizes.key_heads, "d_k": sizes.d_k,
        "d_v": sizes.d_v, "T": sizes.n_positions,
    }  # fmt: skip
    shown = ", ".join(f'"{name}": {size}' for name, size in entries.items())
    return [f"sizes = {{{shown}}}"]
