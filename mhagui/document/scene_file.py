"""Scenes as they stand in files, and as JSON text: what is opened is what the file says."""

from collections.abc import Callable

import numpy as np

from mhagui import __version__
from mhagui.document.checks import count
from mhagui.document.file_entries import (
    FORMAT,
    VERSION,
    HeadEntry,
    MaskEntry,
    Matrix,
    SceneEntry,
    SourceEntry,
)
from mhagui.document.file_text import (
    MAX_NUMBERS,
    MAX_ROWS,
    entry_from_json,
    line,
    text_of,
)
from mhagui.document.head import MAX_UID, NONE_GIVEN, Head
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.patterns import Pattern
from mhagui.document.records import Array, sealed
from mhagui.document.scene import Scene
from mhagui.document.scene_input import designed_input, made_input
from mhagui.document.token_source import TokenSource
from mhagui.errors import UserError

# How a matrix is found from what stands for it in a file, by what it is called; and the reverse,
# by a plain name that no other matrix of the scene has.
FindMatrix = Callable[[str, Matrix], Array]
KeepMatrix = Callable[[str, Array], Matrix]
_MAYBE = (*NONE_GIVEN, "b_v")  # what a head can have


def scene_from_json(text: bytes) -> Scene:
    """Return the scene that JSON ``text`` describes; raises UserError naming what is wrong."""
    return scene_of(entry_from_json(text), matrix_of_rows)


def scene_to_json(scene: Scene) -> bytes:
    """Return ``scene`` as JSON text, from which ``scene_from_json`` makes an equal one.

    As in the lessons a row of a matrix has a line of its own, and an X that is made of the tokens,
    or one-hot, is left out. Raises UserError where the scene is too large for text.
    """
    check_fits_text(scene)
    return text_of(entry_of(scene, rows_of_matrix))


def fits_text(scene: Scene) -> bool:
    """Say whether ``scene`` has no more numbers, nor rows of them, than text can hold."""
    return scene.n_numbers <= MAX_NUMBERS and _n_rows(scene) <= MAX_ROWS


def check_fits_text(scene: Scene) -> None:
    """Raise UserError unless ``scene`` fits into text."""
    if not fits_text(scene):
        raise UserError(
            f"This scene holds {scene.n_numbers:,} numbers in {_n_rows(scene):,} rows, and JSON "
            f"text holds at most {MAX_NUMBERS:,} in {MAX_ROWS:,}: save it as .mhascene."
        )


def _n_rows(scene: Scene) -> int:
    return sum(map(len, scene.matrices()))


def entry_of(scene: Scene, keep: KeepMatrix) -> SceneEntry:
    """Return ``scene`` as it stands in a file in which ``keep`` puts the matrices."""
    made = designed_input(scene, scene.n_positions)
    return SceneEntry(
        format=FORMAT,
        version=VERSION,
        app=__version__,
        title=scene.title,
        description=scene.description,
        sequence_length=scene.n_positions,
        d_k=scene.d_k,
        master_gain=scene.master_gain,
        heads=[_head_entry(number, head, keep) for number, head in enumerate(scene.heads, 1)],
        w_o=keep("w_o", scene.w_o),
        x=None if scene.x.tobytes() == made.tobytes() else keep("x", scene.x),
        keep_margin=scene.keep_margin,
        tokens=list(scene.tokens),
        token_scheme=scene.token_scheme,
        key_tokens=list(scene.key_tokens),
        vocabulary=list(scene.vocabulary),
        position_code=scene.has_position_code,
        source=_source_entry(scene.source, keep),
        mask=_mask_entry(scene.mask),
        b_o=None if scene.b_o is None else keep("b_o", scene.b_o),
        has_values=scene.has_values,
    )


def scene_of(entry: SceneEntry, find: FindMatrix) -> Scene:
    """Return the scene that ``entry`` describes, its matrices as ``find`` finds them."""
    w_o = find("w_o", entry.w_o)
    x = _input(entry, w_o.shape[1], find)
    if len(x) != entry.sequence_length:
        raise UserError(f"x has {len(x)} rows, but sequence_length is {entry.sequence_length}.")
    return Scene(
        title=entry.title,
        description=entry.description,
        heads=tuple(_head(number, head, find) for number, head in enumerate(entry.heads, 1)),
        x=x,
        w_o=w_o,
        d_k=entry.d_k,
        master_gain=entry.master_gain,
        keep_margin=entry.keep_margin,
        tokens=tuple(entry.tokens),
        token_scheme=entry.token_scheme,
        key_tokens=tuple(entry.key_tokens),
        vocabulary=tuple(entry.vocabulary),
        has_position_code=entry.position_code,
        source=TokenSource() if entry.source is None else _source(entry.source, find),
        mask=MaskRule() if entry.mask is None else _mask(entry.mask),
        b_o=None if entry.b_o is None else find("b_o", entry.b_o),
        has_values=entry.has_values,
    )


def matrix_of_rows(name: str, rows: Matrix) -> Array:
    """Return the matrix whose rows stand in the text itself."""
    if isinstance(rows, str):
        raise UserError(f"{name} is “{line(rows, 80)}”; in JSON text its rows stand there.")
    if not rows or not rows[0]:
        raise UserError(f"{name} needs at least one row and one column.")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise UserError(
                f"row {number} of {name} has {len(row)} numbers, but row 1 has {len(rows[0])}."
            )
    return sealed(np.array(rows))


def rows_of_matrix(_name: str, matrix: Array) -> Matrix:
    """Return the rows of ``matrix``, as they stand in the text itself."""
    rows: list[list[float]] = matrix.tolist()
    return rows


def _input(entry: SceneEntry, d_model: int, find: FindMatrix) -> Array:
    """Return X as given, or as made of the tokens; one-hot where there is nothing of the sort."""
    if entry.x is not None:
        return find("x", entry.x)
    if entry.vocabulary and len(entry.tokens) != entry.sequence_length:
        raise UserError(
            f"there are {len(entry.tokens)} tokens, but sequence_length is {entry.sequence_length}."
        )
    words, code = (tuple(entry.tokens), tuple(entry.vocabulary)), entry.position_code
    return made_input(entry.sequence_length, d_model, *words, has_position_code=code)


def _mask(entry: MaskEntry) -> MaskRule:
    kinds = {kind.value: kind for kind in MaskKind}
    if entry.kind not in kinds:
        raise UserError(f"the mask is “{line(entry.kind, 40)}”; the masks are {', '.join(kinds)}.")
    return MaskRule(kinds[entry.kind], entry.size, entry.left, entry.right, entry.across)


def _mask_entry(rule: MaskRule) -> MaskEntry | None:
    if rule.is_causal:
        return None
    return MaskEntry(
        kind=rule.kind.value,
        size=rule.size,
        left=rule.left,
        right=rule.right,
        across=rule.across,
    )


def _source(entry: SourceEntry, find: FindMatrix) -> TokenSource:
    given = entry.transition
    return TokenSource(
        kind=entry.kind,  # type: ignore[arg-type]  # checked and converted there
        n_symbols=entry.n_symbols,
        lag=entry.lag,
        transition=None if given is None else find("transition", given),
        resolution=entry.resolution,
    )


def _source_entry(source: TokenSource, keep: KeepMatrix) -> SourceEntry | None:
    if source == TokenSource():
        return None
    return SourceEntry(
        kind=source.kind.value,
        n_symbols=source.n_symbols,
        lag=source.lag,
        transition=keep("transition", source.probabilities),
        resolution=source.resolution,
    )


def _head(number: int, entry: HeadEntry, find: FindMatrix) -> Head:
    given = {name: getattr(entry, name) for name in _MAYBE}
    return Head(
        uid=count(f"uid of head {number}", entry.uid, MAX_UID),
        name=entry.name,
        pattern=_pattern(number, entry.pattern),
        w_v=find(f"w_v of head {number}", entry.w_v),
        gain=entry.gain,
        key_magnitude=entry.key_magnitude,
        muted=entry.muted,
        soloed=entry.soloed,
        settings=tuple(entry.settings),
        layer=entry.layer,
        key_head=entry.key_head,
        slope=0.0 if entry.slope is None else entry.slope,
        sink=entry.sink,
        **{
            name: None if value is None else find(f"{name} of head {number}", value)
            for name, value in given.items()
        },
    )


def _head_entry(number: int, head: Head, keep: KeepMatrix) -> HeadEntry:
    given = {name: getattr(head, name) for name in _MAYBE}
    return HeadEntry(
        uid=head.uid,
        name=head.name,
        pattern=head.pattern.value,
        w_v=keep(f"head-{number}-w_v", head.w_v),
        gain=head.gain,
        key_magnitude=head.key_magnitude,
        muted=head.muted,
        soloed=head.soloed,
        settings=list(head.settings),
        layer=head.layer,
        key_head=head.key_head,
        slope=head.slope or None,
        sink=head.sink,
        **{
            name: None if value is None else keep(f"head-{number}-{name}", value)
            for name, value in given.items()
        },
    )


def _pattern(number: int, name: str) -> Pattern:
    try:
        return Pattern(name)
    except ValueError as error:
        names = ", ".join(pattern.value for pattern in Pattern)
        raise UserError(
            f"head {number} has the pattern “{line(name)}”; the patterns are {names}."
        ) from error
