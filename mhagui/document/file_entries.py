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


class MaskEntry(Entry, kw_only=True):
    """Which keys a query may see: the kind by its name in the program."""

    kind: str
    size: int = 0
    left: int = 0
    right: int = 0


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
    vocabulary: list[str] = []
    position_code: bool = False
    source: SourceEntry | None = None
    mask: MaskEntry | None = None
    b_o: Matrix | None = None
    has_values: bool = True
    view: ViewEntry | None = None
