"""Python source for the values of a scene: exact, on as few lines as they can be read on.

Laid out as ``ruff format`` would, with its own width, so that nobody's formatter moves a line.
"""

import base64
import io
import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from mhagui.document.records import Array

WIDTH = 88
MOST_NUMBERS = 64  # of a matrix that is written out; larger ones are packed
_STEP = 4


def text(value: str) -> str:
    """Return a string literal of ``value``: one line, whatever the value holds."""
    literal = repr(value)
    if literal[0] == "'" and '"' not in value:
        return '"' + literal[1:-1].replace("\\'", "'") + '"'
    return literal


def comment(value: str) -> str:
    """Return ``value`` as it can stand in a comment or a docstring: one line, no end of either."""
    printable = "".join(char if char.isprintable() else " " for char in value)
    return printable.replace('"""', "'''").strip()


def number(value: float) -> str:
    """Return the shortest literal that is exactly ``value``."""
    return repr(float(value)).replace("e+", "e")


def items(values: Sequence[str], indent: int = 0, before: int = 0) -> str:
    """Return the list of source texts ``values``, on one line where it fits behind ``before``."""
    line = f"[{', '.join(values)}]"
    if len(values) < 2 or _fits(line, indent, before):
        return line
    return _lines("[", [f"{value}," for value in values], "]", indent)


def texts(values: Sequence[str], before: int = 0) -> str:
    """Return a list of string literals."""
    return items([text(value) for value in values], before=before)


def by_head(values: Sequence[str | None], *, as_dict: bool) -> str:
    """Return the source of a list with an item per head, or of a dict of those that are not None.

    Each value stands on a line of its own, or on several, indented by four.
    """
    shown = [(place, value) for place, value in enumerate(values) if value is not None]
    keys = [f"{place}: " if as_dict else "" for place, _ in shown]
    entries = [
        f"{key}{value},  # h{place + 1}" for key, (place, value) in zip(keys, shown, strict=True)
    ]
    opening, closing = "{}" if as_dict else "[]"
    return _lines(opening, entries, closing, 0) if entries else opening + closing


def matrix(array: Array, indent: int = 0, before: int = 0) -> str:
    """Return an expression that is ``array``, (rows, columns), to the last bit.

    It stands on a line indented by ``indent`` with ``before`` more characters on it.
    """
    room = WIDTH - indent - before
    for form in (*_compact(array), _written(array)):
        if form and len(form) <= room:
            return form
    rows = [items([number(value) for value in row]) for row in array.tolist()]
    if array.size <= MOST_NUMBERS and max(map(len, rows)) + indent + 2 * _STEP < WIDTH:
        inner = _lines("[", [f"{row}," for row in rows], "]", indent + _STEP)
        return _lines("np.array(", [inner], ")", indent)
    return _packed(array, indent, before)


def _compact(array: Array) -> Iterator[str]:
    """Yield short expressions that are ``array``."""
    rows, columns = array.shape
    if _same(array, np.zeros(array.shape)):
        yield f"np.zeros(({rows}, {columns}))"
    if _same(array, np.eye(rows, columns)):
        yield f"np.eye({rows})" if rows == columns else f"np.eye({rows}, {columns})"
    if rows > columns and _same(array, np.eye(columns)[np.arange(rows) % columns]):
        yield f"np.eye({columns})[np.arange({rows}) % {columns}]"
    if rows > 2 and _same(array, np.tile(array[0], (rows, 1))):
        yield f"np.tile({items([number(value) for value in array[0]])}, ({rows}, 1))"
    at = np.flatnonzero(array.any(axis=1))
    if rows > 2 and len(at) and _same(array, np.outer(np.isin(np.arange(rows), at), array[at[0]])):
        row = items([number(value) for value in array[at[0]]])
        one = f"np.arange({rows}) == {at[0]}"
        chosen = one if len(at) == 1 else f"np.isin(range({rows}), {at.tolist()})"
        yield f"np.outer({chosen}, {row})"
    if _same(array, np.eye(columns)[array.argmax(axis=1)]):
        yield f"np.eye({columns})[{array.argmax(axis=1).tolist()}]"
    if _same(array, np.eye(rows)[:, array.argmax(axis=0)]):
        yield f"np.eye({rows})[:, {array.argmax(axis=0).tolist()}]"


def _written(array: Array) -> str:
    """Return ``array`` written out on one line; nothing where it is too large for that."""
    rows = (", ".join(map(number, row)) for row in array.tolist())
    return f"np.array([[{'], ['.join(rows)}]])" if array.size <= MOST_NUMBERS else ""


def _packed(array: Array, indent: int, before: int) -> str:
    """Return a call that unpacks ``array`` from text."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    packed = base64.b64encode(zlib.compress(file.getvalue(), 9)).decode("ascii")
    line = f'unpack("{packed}")'
    if _fits(line, indent, before):
        return line
    width = WIDTH - indent - _STEP - 2
    return _lines("unpack(", [f'"{part}"' for part in _cut(packed, width)], ")", indent)


def _cut(packed: str, width: int) -> list[str]:
    return re.findall(f".{{1,{width}}}", packed)


def _fits(line: str, indent: int, before: int) -> bool:
    return indent + before + len(line) <= WIDTH


def _lines(opening: str, inner: Sequence[str], closing: str, indent: int) -> str:
    margin = "\n" + " " * indent
    inside = "".join(f"{margin}{' ' * _STEP}{entry}" for entry in inner)
    return f"{opening}{inside}{margin}{closing}"


def _same(one: Array, other: Array) -> bool:
    """Return whether the arrays are the same to the last bit: the sign of a zero counts."""
    return np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()
