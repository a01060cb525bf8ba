"""What is looked at, as it stands in a session file."""

import enum
from dataclasses import asdict, replace
from typing import TypeVar

from mhagui.document.checks import count
from mhagui.document.cost import MAX_HEADS, MAX_LENGTH, MAX_WIDTH
from mhagui.document.file_entries import CursorEntry, ViewEntry, WhatIfEntry
from mhagui.document.file_text import line
from mhagui.document.pipeline import STAGES
from mhagui.document.scene import Scene
from mhagui.document.view_state import ColourScale, Cursor, Quantity, ViewState, WhatIf
from mhagui.errors import UserError

_MOST = {"n_heads": MAX_HEADS, "n_positions": MAX_LENGTH}  # the widths have another one

_Kind = TypeVar("_Kind", bound=enum.Enum)


def view_entry(view: ViewState) -> ViewEntry:
    """Return ``view`` as it stands in a file, without its appearance, which is the user's own."""
    return ViewEntry(
        cursor=CursorEntry(**asdict(view.cursor)),
        enlarged=view.enlarged,
        quantity=_name(view.quantity),
        colour_scale=_name(view.colour_scale),
        stage=view.stage,
        pair=view.pair,
        what_if=None if view.what_if is None else WhatIfEntry(**asdict(view.what_if)),
        widths_follow=view.widths_follow,
    )


def view_of(entry: ViewEntry | None, scene: Scene) -> ViewState:
    """Return the view that ``entry`` describes, on ``scene``; where one starts if there is none.

    What it points at is moved into the scene, from which heads or rows may have been taken by hand.
    Raises UserError where a name or a number is none that a view can have.
    """
    start = ViewState.of(scene)
    if entry is None:
        return start
    view = replace(
        start,
        cursor=Cursor(entry.cursor.head, entry.cursor.query, entry.cursor.key),
        enlarged=entry.enlarged,
        quantity=_kind("quantity", Quantity, entry.quantity),
        colour_scale=_kind("colour_scale", ColourScale, entry.colour_scale),
        stage=count("stage of the view", entry.stage, len(STAGES) - 1, 0),
        pair=entry.pair,
        what_if=None if entry.what_if is None else _what_if(entry.what_if),
        widths_follow=entry.widths_follow,
    )
    return view.fitted(scene)


def _what_if(entry: WhatIfEntry) -> WhatIf:
    sizes = {
        name: count(f"{name} of what_if", size, _MOST.get(name, MAX_WIDTH))
        for name in entry.__struct_fields__
        if (size := getattr(entry, name)) is not None
    }
    if "n_key_heads" in sizes:
        count("n_key_heads of what_if", sizes["n_key_heads"], sizes["n_heads"])
    return WhatIf(**sizes)


def _name(kind: enum.Enum) -> str:
    return kind.name.lower()


def _kind(field: str, kinds: type[_Kind], name: str) -> _Kind:
    for kind in kinds:
        if _name(kind) == name:
            return kind
    names = ", ".join(map(_name, kinds))
    raise UserError(f"{field} of the view is “{line(name, 40)}”; it can be {names}.")
