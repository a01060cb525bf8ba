"""The scene file, version 4, as the structures that its JSON is checked against.

They are not the classes of the program, so that a new version of the file touches none of those.
"""

import msgspec

FORMAT = "mhagui scene"
VERSION = 4

# The rows themselves in JSON text; in a zip file the name of the member that holds them.
Matrix = list[list[float]] | str


class Entry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Base of what stands in a file: nothing in it that is not known, nothing that goes unsaid."""


class FrozenEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """Base of what stands in a file and is kept by the program as it stands there."""


class HeadEntry(Entry, kw_only=True):
    """A head as it stands in a file."""

    uid: int
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
    a: Matrix | None = None
    b_v: Matrix | None = None
    key_head: int | None = None
    slope: float | None = None
    sink: float | None = None


class MaskEntry(Entry, kw_only=True):
    """Which keys a query may see: the kind by its name in the program.

    Where it goes ``across``, keys are not the queries' positions.
    """

    kind: str
    size: int = 0
    left: int = 0
    right: int = 0
    across: bool = False


class SourceEntry(Entry, kw_only=True):
    """A source of tokens as it stands in a file."""

    kind: str
    n_symbols: int = 2
    lag: int = 2
    transition: Matrix | None = None
    resolution: float = 0.0


class CursorEntry(Entry, kw_only=True):
    """The cell that is looked at: head by uid, row and column from 0."""

    head: int
    query: int
    key: int


class WhatIfEntry(Entry, kw_only=True):
    """The sizes of a layer whose cost is asked for."""

    d_model: int
    n_heads: int
    d_k: int
    d_v: int
    n_positions: int
    n_key_heads: int | None = None


class ViewEntry(Entry, kw_only=True):
    """What is looked at; the kinds by the names they have in the program, in small letters."""

    cursor: CursorEntry
    enlarged: int | None = None
    quantity: str = "weights"
    colour_scale: str = "linear"
    stage: int = 0
    pair: tuple[int, int] | None = None
    what_if: WhatIfEntry | None = None
    widths_follow: bool = True


class PartEntry(FrozenEntry, kw_only=True, frozen=True):
    """Arrays of a file of tensors that play one role, each with its layer and its step."""

    role: str
    arrays: tuple[str, ...]
    layers: tuple[int, ...]
    steps: tuple[int, ...]
    axes: tuple[str, ...] = ()


class ReadingEntry(FrozenEntry, kw_only=True, frozen=True):
    """How a file of tensors was read."""

    parts: tuple[PartEntry, ...]
    batch: int | None = None
    layers: tuple[int, ...] | None = None
    orientation: str | None = None
    heads: int | None = None
    key_heads: int | None = None
    causal: bool | None = None
    scale: float | None = None
    has_steps: bool = False


class LayerEntry(Entry, kw_only=True):
    """Of which layer of what file or model the scene was made; the path from the session's folder.

    ``sha256_of_ends`` is that of the first and last bytes of what was opened.
    """

    number: int
    path: str
    is_folder: bool = False
    n_bytes: int
    sha256_of_ends: str
    prompt: str = ""
    reading: ReadingEntry | None = None
    by_words: bool = False


class SceneEntry(Entry, kw_only=True):
    """A scene file: X is made of its tokens, or one-hot, unless given.

    ``app`` is the version of the program that wrote it; ``belongs_to``, in what is kept for
    recovery, the path of the file that the work belongs to.
    """

    format: str
    version: int
    app: str = ""
    belongs_to: str | None = None
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
    token_scheme: str = ""
    key_tokens: list[str] = []
    vocabulary: list[str] = []
    position_code: bool = False
    source: SourceEntry | None = None
    mask: MaskEntry | None = None
    b_o: Matrix | None = None
    has_values: bool = True
    view: ViewEntry | None = None
    made_of: LayerEntry | None = None
