"""Tables of numbers as text: what a copy writes, and what people paste.

Read are the clipboards of spreadsheets (tabs, quoted cells, decimal commas), semicolon-, comma- and
space-separated text, and the brackets of NumPy and Matlab. What can mean two things is refused.
"""

import csv
import math
import re

import numpy as np

from mhagui.document.records import Array
from mhagui.errors import UserError

MAX_CHARACTERS = 20_000_000  # more than the largest W_O written with 17 digits a cell

_SHOWN = 30
_ADVICE = "write it like 0.5, −2 or 1e-3"

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*|,\d+)?|[.,]\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+(?:\.\d*)?|(?:\.\d{3})+(?:,\d*)?)", re.ASCII)
_ONLY_BEHIND_A_COMMA = re.compile(r"0\d+|-0")  # no column of numbers holds such a cell
_QUOTED = re.compile(r'"[^"]*"')
_INNER_COMMA = re.compile(r",(?=\S)")
_ROW_ENDS = re.compile(r"\]\s*,?\s*\[|;")


def write_table(values: Array) -> str:
    """Return ``values`` (rows, columns) as tab-separated text, with all the digits there are."""
    return "\n".join("\t".join(number_text(value) for value in row) for row in values)


def number_text(value: float) -> str:
    """Return the shortest text that reads back to the same float; whole numbers without a point."""
    return repr(float(value)).removesuffix(".0")


def parse_number(text: str) -> float:
    """Return the finite number that ``text`` is; raises UserError saying why it is none."""
    return _number(text, "", decimal_commas=False)


def parse_table(text: str) -> Array:
    """Return the finite numbers of a pasted table, shape (rows, columns).

    Labels of columns and rows, which meet in an empty corner, are left out.

    Raises UserError naming row, column (from 1) and text of the first cell that is no number, or
    the first row that is longer or shorter than row 1.
    """
    rows = _cells(text)
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(rows[0]):
            raise UserError(
                f"Row {number} of the pasted text, “{_shortened(' '.join(row))}”, "
                f"has {_columns(len(row))}, but row 1 has {_columns(len(rows[0]))}."
            )
    if _are_labelled(rows):
        return _numbers([row[1:] for row in rows[1:]], first=2)
    return _numbers(rows)


def _are_labelled(rows: list[list[str]]) -> bool:
    """Say whether labels stand above and beside the numbers; no number is a label."""
    if len(rows) == 1 or len(rows[0]) < 2 or rows[0][0]:  # in the corner of labels is none
        return False
    return not any(map(_may_be_number, [*rows[0][1:], *(row[0] for row in rows[1:])]))


def _may_be_number(cell: str) -> bool:
    return not cell or _reads_as_one(cell)


def _numbers(rows: list[list[str]], first: int = 1) -> Array:
    """Read the cells; ``first`` is how the pasted text counts the first row and column."""
    cells = [cell for row in rows for cell in row]
    commas = any("," in cell and not _GROUPED.fullmatch(cell) for cell in cells)
    return np.array(
        [
            [
                _number(cell, f" in row {i}, column {j} of the pasted text", decimal_commas=commas)
                for j, cell in enumerate(row, start=first)
            ]
            for i, row in enumerate(rows, start=first)
        ]
    )


def _number(text: str, where: str, *, decimal_commas: bool) -> float:
    """Read one number; ``decimal_commas``: the table has commas that can only be decimal."""
    written = text.strip().replace("−", "-")
    fault = _fault(written, decimal_commas=decimal_commas)
    value = 0.0 if fault else float(written.replace(",", "."))
    if math.isinf(value):
        fault = "is larger than any number a cell can hold"
    if fault:
        what = f"“{_shortened(written)}”" if written else "The cell"
        raise UserError(f"{what}{where} {fault}.")
    return value


def _fault(written: str, *, decimal_commas: bool) -> str | None:
    if not written:
        return f"is empty; {_ADVICE}"
    if written.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return f"is not a finite number; {_ADVICE}"
    if not _NUMBER.fullmatch(written):
        marks = ("," in written and "." in written) or written.count(",") > 1
        return f"{'has more than one decimal mark' if marks else 'is no number'}; {_ADVICE}"
    # "1,234" and "1.234" are 1.234 or 1234, depending on who wrote them.
    if _GROUPED.fullmatch(written) and ("," in written) != decimal_commas:
        grouped, decimal = (".", ",") if decimal_commas else (",", ".")
        one, other = written.replace(grouped, decimal), written.replace(grouped, "")
        return f"can mean {one} or {other}; write either of them"
    return None


def _cells(text: str) -> list[list[str]]:
    if len(text) > MAX_CHARACTERS:
        raise UserError(
            f"The pasted text has {len(text)} characters; at most {MAX_CHARACTERS} are read."
        )
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("−", "-").strip("\n\ufeff\0")
    if not lines.strip():
        raise UserError("There is nothing to paste: the text is empty.")
    if "[" in lines and not lines.startswith("\t"):  # a tab: the corner of a table with labels
        return _bracketed(lines)
    delimiter = _delimiter(lines)
    if delimiter == " ":
        # Spaces only: a no-break space groups thousands.
        return [[_unquoted(cell) for cell in line.split(" ") if cell] for line in lines.split("\n")]
    try:
        # Line ends are kept, so that a quoted cell of two lines is not glued to one number.
        rows = csv.reader(lines.splitlines(keepends=True), delimiter=delimiter, strict=True)
        return [[cell.strip() for cell in row] for row in rows]
    except csv.Error as error:
        raise UserError("The pasted text has a quoted cell with no end or a rest.") from error


def _delimiter(lines: str) -> str:
    """Return what separates the columns: a tab, a semicolon, a comma, or a space for any blanks."""
    bare = _QUOTED.sub("0.0", lines)
    for mark in "\t;":
        if mark in bare:
            return mark
    if "," in bare and _commas_separate(bare.split("\n")):
        return ","
    return " "


def _commas_separate(lines: list[str]) -> bool:
    if not any(_INNER_COMMA.search(line) for line in lines):
        return True
    tokens = [token.rstrip(",") for line in lines for token in line.split()]
    as_numbers = all(_reads_as_one(token) for token in tokens)
    as_columns = _read_as_columns(lines)
    if as_numbers and as_columns and len(tokens) > 1:
        first = next(token for token in tokens if "," in token)
        numbers = " and ".join(first.split(","))
        raise UserError(
            f"“{_shortened(first)}” in the pasted text can be one number or the numbers {numbers}; "
            "separate columns by tabs or semicolons."
        )
    return not as_numbers and (as_columns or any(line.count(",") > 1 for line in lines))


def _reads_as_one(token: str) -> bool:
    return any(pattern.fullmatch(token) for pattern in (_NUMBER, _GROUPED))


def _read_as_columns(lines: list[str]) -> bool:
    rows = [[cell.strip() for cell in line.split(",")] for line in lines]
    same_length = len({len(row) for row in rows}) == 1
    return same_length and all(
        _NUMBER.fullmatch(cell) and not _ONLY_BEHIND_A_COMMA.fullmatch(cell)
        for row in rows
        for cell in row
    )


def _bracketed(text: str) -> list[list[str]]:
    """Split what NumPy and Matlab write in brackets; commas there are never decimal."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        raise UserError(
            "The brackets of the pasted text cannot be read; "
            "write it like [[1, 0], [0, 1]] or [1 0; 0 1]."
        )
    rows = [row.strip("[] \n") for row in _ROW_ENDS.split(text)]
    if not any(rows):
        raise UserError("There is nothing to paste: the brackets are empty.")
    return [row.split(",") if "," in row else row.split() for row in rows]


def _unquoted(cell: str) -> str:
    return cell[1:-1].strip() if _QUOTED.fullmatch(cell) else cell


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count or 'no'} columns"


def _shortened(text: str) -> str:
    words = " ".join(text.split()).replace("-", "−")
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"
