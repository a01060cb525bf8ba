"""Scenes as JSON files: read strictly, so that what is opened is what the file says."""

import codecs
import json
import stat
from pathlib import Path

import msgspec
import numpy as np

from mhagui.document.checks import count
from mhagui.document.head import NONE_GIVEN, Head
from mhagui.document.json_text import json_text
from mhagui.document.patterns import Pattern
from mhagui.document.records import Array, sealed
from mhagui.document.scene import MAX_HEADS, Scene, designed_input, made_input
from mhagui.document.token_source import TokenSource
from mhagui.errors import UserError

FORMAT = "mhagui scene"
VERSION = 2
READABLE_VERSIONS = (1, 2)  # the second has all of the first, and more kinds of heads and tokens
MAX_FILE_BYTES = 64 * 2**20  # the largest possible scene, written to full precision, has 58 MB
MAX_MESSAGE_LENGTH = 300

Matrix = list[list[float]]


class HeadEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A head as it stands in a file."""

    name: str
    pattern: str
    w_v: Matrix
    gain: float = 1.0
    key_magnitude: float = 3.0
    muted: bool = False
    soloed: bool = False
    settings: list[float] = []
    layer: int = 1
    q: Matrix | None = None
    k: Matrix | None = None
    w_q: Matrix | None = None
    w_k: Matrix | None = None


class SourceEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A source of tokens as it stands in a file."""

    kind: str
    n_symbols: int = 2
    lag: int = 2
    transition: Matrix | None = None
    resolution: float = 0.0


class SceneEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A scene as it stands in a file; X is made of its tokens, or one-hot, unless given."""

    format: str
    version: int
    title: str
    description: str = ""
    sequence_length: int
    d_k: int
    master_gain: float = 1.0
    heads: list[HeadEntry]
    w_o: Matrix
    x: Matrix | None = None
    keep_margin: bool = False
    tokens: list[str] = []
    vocabulary: list[str] = []
    position_code: bool = False
    source: SourceEntry | None = None


def read_scene(path: Path) -> Scene:
    """Read the scene file at ``path``; raises UserError naming the file and what is wrong in it."""
    text = _read(path)
    try:
        return scene_from_json(text)
    except UserError as error:
        raise UserError(f"{path} is not a scene this version can open: {error}") from error


def scene_from_json(text: bytes) -> Scene:
    """Return the scene that JSON ``text`` describes; raises UserError naming what is wrong."""
    document = _parsed(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UserError(f'it lacks "format": "{FORMAT}".')
    version = document.get("version", "missing")
    if version not in READABLE_VERSIONS:
        known = " and ".join(map(str, READABLE_VERSIONS))
        raise UserError(f"its version is {_line(version)}; this program reads versions {known}.")
    heads = document.get("heads")
    if isinstance(heads, list):  # before so many are looked into
        count("The number of heads", len(heads), MAX_HEADS)
    try:
        entry = msgspec.convert(document, SceneEntry)
    except (msgspec.MsgspecError, ValueError) as error:
        raise UserError(f"{_line(error)}.") from error
    return _scene(entry)


def scene_to_json(scene: Scene) -> bytes:
    """Return ``scene`` as JSON text, from which ``scene_from_json`` makes an equal one.

    As in the lessons a row of a matrix has a line of its own, and an X that is made of the tokens,
    or one-hot, is left out.
    """
    made = designed_input(scene, scene.n_positions)
    entry = SceneEntry(
        format=FORMAT,
        version=VERSION,
        title=scene.title,
        description=scene.description,
        sequence_length=scene.n_positions,
        d_k=scene.d_k,
        master_gain=scene.master_gain,
        heads=[_head_entry(head) for head in scene.heads],
        w_o=scene.w_o.tolist(),
        x=None if scene.x.tobytes() == made.tobytes() else scene.x.tolist(),
        keep_margin=scene.keep_margin,
        tokens=list(scene.tokens),
        vocabulary=list(scene.vocabulary),
        position_code=scene.has_position_code,
        source=_source_entry(scene.source),
    )
    return json_text(msgspec.to_builtins(entry), only_ascii=False).encode()


def _read(path: Path) -> bytes:
    """Return the content of a file, and never wait for a pipe or a device that has no end."""
    try:
        is_file = stat.S_ISREG(path.stat().st_mode)
        text = _read_limited(path) if is_file else b""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{path} cannot be read: {reason}.") from error
    if not is_file:
        raise UserError(f"{path} is not a file; give a scene file or a lesson's name.")
    if len(text) > MAX_FILE_BYTES:
        raise UserError(f"{path} is too long; a scene file has at most {MAX_FILE_BYTES:,} bytes.")
    return text


def _read_limited(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES + 1)


def _parsed(text: bytes) -> object:
    """Return JSON as Python's own objects: json, unlike msgspec, names the line, and sees pairs."""
    if text.startswith(codecs.BOM_UTF8):
        raise UserError("it begins with a byte order mark; save it as UTF-8 without one.")
    try:
        document: object = json.loads(text.decode("utf-8"), object_pairs_hook=_without_duplicates)
    except UserError:
        raise
    except UnicodeDecodeError as error:
        raise UserError(f"it is not UTF-8 text, at byte {error.start + 1}.") from error
    except RecursionError as error:
        raise UserError("it is nested too deeply.") from error
    except ValueError as error:
        raise UserError(f"it is not JSON: {_line(error)}.") from error
    return document


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in pairs:
        if name in fields:
            raise UserError(f'it gives "{_line(name)}" twice in one object.')
        fields[name] = value
    return fields


def _line(value: object) -> str:
    """Return text from a file as part of one sentence: one line, not too long, no full stop."""
    text = str(value)[:MAX_MESSAGE_LENGTH].rstrip(".")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _scene(entry: SceneEntry) -> Scene:
    w_o = _matrix("w_o", entry.w_o)
    x = _input(entry, w_o.shape[1])
    if len(x) != entry.sequence_length:
        raise UserError(f"x has {len(x)} rows, but sequence_length is {entry.sequence_length}.")
    return Scene(
        title=entry.title,
        description=entry.description,
        heads=tuple(_head(number, head) for number, head in enumerate(entry.heads, 1)),
        x=x,
        w_o=w_o,
        d_k=entry.d_k,
        master_gain=entry.master_gain,
        keep_margin=entry.keep_margin,
        tokens=tuple(entry.tokens),
        vocabulary=tuple(entry.vocabulary),
        has_position_code=entry.position_code,
        source=TokenSource() if entry.source is None else _source(entry.source),
    )


def _input(entry: SceneEntry, d_model: int) -> Array:
    """Return X as given, or as made of the tokens; one-hot where there is nothing of the sort."""
    if entry.x is not None:
        return _matrix("x", entry.x)
    if entry.vocabulary and len(entry.tokens) != entry.sequence_length:
        raise UserError(
            f"there are {len(entry.tokens)} tokens, but sequence_length is {entry.sequence_length}."
        )
    words, code = (tuple(entry.tokens), tuple(entry.vocabulary)), entry.position_code
    return made_input(entry.sequence_length, d_model, *words, has_position_code=code)


def _source(entry: SourceEntry) -> TokenSource:
    return TokenSource(
        kind=entry.kind,  # type: ignore[arg-type]  # checked and converted there
        n_symbols=entry.n_symbols,
        lag=entry.lag,
        transition=_given("transition", entry.transition),
        resolution=entry.resolution,
    )


def _source_entry(source: TokenSource) -> SourceEntry | None:
    if source == TokenSource():
        return None
    return SourceEntry(
        kind=source.kind.value,
        n_symbols=source.n_symbols,
        lag=source.lag,
        transition=source.probabilities.tolist(),
        resolution=source.resolution,
    )


def _head(number: int, entry: HeadEntry) -> Head:
    given = {name: _given(f"{name} of head {number}", getattr(entry, name)) for name in NONE_GIVEN}
    return Head(
        uid=number,
        name=entry.name,
        pattern=_pattern(number, entry.pattern),
        w_v=_matrix(f"w_v of head {number}", entry.w_v),
        gain=entry.gain,
        key_magnitude=entry.key_magnitude,
        muted=entry.muted,
        soloed=entry.soloed,
        settings=tuple(entry.settings),
        layer=entry.layer,
        **given,
    )


def _head_entry(head: Head) -> HeadEntry:
    given = {name: getattr(head, name) for name in NONE_GIVEN}
    return HeadEntry(
        name=head.name,
        pattern=head.pattern.value,
        w_v=head.w_v.tolist(),
        gain=head.gain,
        key_magnitude=head.key_magnitude,
        muted=head.muted,
        soloed=head.soloed,
        settings=list(head.settings),
        layer=head.layer,
        **{name: None if value is None else value.tolist() for name, value in given.items()},
    )


def _given(name: str, rows: Matrix | None) -> Array | None:
    return None if rows is None else _matrix(name, rows)


def _pattern(number: int, name: str) -> Pattern:
    try:
        return Pattern(name)
    except ValueError as error:
        names = ", ".join(pattern.value for pattern in Pattern)
        raise UserError(
            f"head {number} has the pattern “{_line(name)}”; the patterns are {names}."
        ) from error


def _matrix(name: str, rows: Matrix) -> Array:
    if not rows or not rows[0]:
        raise UserError(f"{name} needs at least one row and one column.")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise UserError(
                f"row {number} of {name} has {len(row)} numbers, but row 1 has {len(rows[0])}."
            )
    return sealed(np.array(rows))
