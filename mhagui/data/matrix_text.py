"""Matrices as text for other programs: spreadsheets, LaTeX, Markdown, NumPy and rlab."""

import csv
import enum
import io
import keyword
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mhagui.document.attention import BoolArray
from mhagui.document.records import Array
from mhagui.document.table_text import number_text
from mhagui.errors import UserError, visible
from mhagui.formats import ALL_DIGITS, UNDEFINED

MAX_CELLS = 2**20  # about 20 MB of text, which is made in a second or two

Cells = list[list[str]]

_SMALL_MATRIX = 10  # columns that bmatrix has as it is
# Powers of ten of the largest number between which numbers need no exponent.
_LEAST_POWER, _MOST_POWER = -4, 5
# What the scripts already mean something by.
_TAKEN = {
    "np", "i", "j", "e", "pi", "Inf", "NaN", "true", "false",
    "function", "end", "return", "if", "elseif", "else", "for", "while", "switch", "case",
    "otherwise", "run", "format", "hold", "grid", "viewer",
}  # fmt: skip
_IN_PYTHON = {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}
_IN_RLAB = {"nan": "NaN", "inf": "Inf", "-inf": "-Inf"}
_IN_MARKDOWN = {"nan": UNDEFINED, "inf": "∞", "-inf": "−∞"}
_IN_LATEX = {"nan": r"\mathrm{NaN}", "inf": r"\infty", "-inf": r"-\infty"}
_LATEX_MARKS = {
    **{mark: f"\\{mark}" for mark in "$&#%_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Behind the end of a row these would be read as its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "␣": r"\textvisiblespace{}",
    "−": "$-$",
    "·": r"$\cdot$",
    "–": "--",
    "π": r"$\pi$",
    "σ": r"$\sigma$",
    "ω": r"$\omega$",
}
_MARKDOWN_MARK = re.compile(r"([\\`*_\[\]<>&~|$])")


class Notation(enum.StrEnum):
    """How a table is written; the value is what is typed for it."""

    TABS = "tsv"
    BMATRIX = "bmatrix"
    BOOKTABS = "booktabs"
    MARKDOWN = "markdown"
    NUMPY = "numpy"
    RLAB = "rlab"

    def __str__(self) -> str:
        """Return the text in a menu."""
        return _MENU_TEXTS[self]


_MENU_TEXTS = {
    Notation.TABS: "Tab-separated text",
    Notation.BMATRIX: "LaTeX matrix (bmatrix)",
    Notation.BOOKTABS: "LaTeX table (booktabs)",
    Notation.MARKDOWN: "Markdown table",
    Notation.NUMPY: "NumPy array",
    Notation.RLAB: "rlab matrix",
}


@dataclass(frozen=True, eq=False)
class Table:
    """A matrix, or a few vectors side by side, as one copies it.

    Attributes
    ----------
    title
        What it is, in one line; begins with its symbol: "W_O", "A_2: weights of head 2".
    row_labels, column_labels
        A label for each row and for each column.
    values
        The numbers, (rows, columns); they need not be finite.
    allowed
        Where there is a number to show, of the same shape; None for everywhere. Other cells are
        empty in every notation that knows empty cells; NumPy and rlab have what ``values`` holds
        there: 0 for weights, which sum to 1 over the allowed keys.
    """

    title: str
    row_labels: Sequence[str]
    column_labels: Sequence[str]
    values: Array
    allowed: BoolArray | None = None

    def __post_init__(self) -> None:
        """Raise ValueError where labels, numbers and mask do not have the same shape."""
        shapes = {(len(self.row_labels), len(self.column_labels)), self.values.shape}
        if self.allowed is not None:
            shapes.add(self.allowed.shape)
        if len(shapes) != 1 or not self.values.size:
            raise ValueError(f"a table of several shapes, or of none: {sorted(shapes)}")


def text_of(table: Table, notation: Notation, digits: int | None = None) -> str:
    """Return ``table`` in ``notation``, with no line end behind it.

    ``digits`` is how many digits the largest number has, 1 to 17; all others have as many decimals,
    so that they stand in line. With None every number has all its digits, and reads back as the
    same float64. Raises UserError where there are too many cells for a text.
    """
    if table.values.size > MAX_CELLS:
        raise UserError(
            f"{table.title} has {table.values.size:,} cells; at most {MAX_CELLS:,} are written as "
            "text. Export the data as NPZ instead."
        )
    form = _form(table, notation, digits)
    cells = [[form(value) for value in row] for row in table.values.tolist()]
    return _WRITERS[notation](table, cells)


def identifier(title: str) -> str:
    """Return a variable's name, in Python and in rlab, for what has ``title``.

    That is what stands before "=", a comma, a colon or a bracket: W_O, A_2, Concat.
    """
    symbol = re.split(r"[=,:;(\[–—]", title, maxsplit=1)[0]
    name = re.sub(r"[^A-Za-z0-9_]+", "_", unicodedata.normalize("NFKC", symbol)).strip("_")
    if not name or name[0].isdigit():
        name = f"M_{name}".rstrip("_")
    return f"{name}_" if name in _TAKEN or keyword.iskeyword(name) else name


def _form(table: Table, notation: Notation, digits: int | None) -> Callable[[float], str]:
    """Return what writes the numbers of ``table``, the largest with so many digits."""
    if digits is None:
        return repr if notation in (Notation.NUMPY, Notation.RLAB) else number_text
    if not 1 <= digits <= ALL_DIGITS:
        raise UserError(f"Numbers have 1 to {ALL_DIGITS} digits, not {digits}.")
    shown = table.values if table.allowed is None else table.values[table.allowed]
    largest = float(np.abs(shown[np.isfinite(shown)]).max(initial=0.0))
    power = math.floor(math.log10(largest)) if largest else 0
    if _LEAST_POWER <= power <= _MOST_POWER:
        return f"{{:z.{max(digits - 1 - power, 0)}f}}".format
    exponential = f"{{:.{digits - 1}e}}".format
    return lambda value: exponential(value) if value else "0"


def _tabs(table: Table, cells: Cells) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(["", *map(_one_line, table.column_labels)])
    writer.writerows([_one_line(label), *row] for label, row in _labelled(table, cells, str))
    return text.getvalue().removesuffix("\n")


def _bmatrix(table: Table, cells: Cells) -> str:
    n_columns = len(table.column_labels)
    wide = [f"\\setcounter{{MaxMatrixCols}}{{{n_columns}}}"] if n_columns > _SMALL_MATRIX else []
    rows = [f"  {' & '.join(row)}" for _, row in _labelled(table, cells, _latex_number)]
    body = " \\\\\n".join(rows)
    lines = [_latex_comment(table, "amsmath"), *wide, "\\begin{bmatrix}", body, "\\end{bmatrix}"]
    return "\n".join(lines)


def _booktabs(table: Table, cells: Cells) -> str:
    rows = [
        " & ".join([_latex_text(label), *(f"${cell}$" if cell else "" for cell in row)])
        for label, row in _labelled(table, cells, _latex_number)
    ]
    lines = [
        _latex_comment(table, "booktabs"),
        f"\\begin{{tabular}}{{l{'r' * len(table.column_labels)}}}",
        "\\toprule",
        f"{' & '.join(['', *map(_latex_text, table.column_labels)])} \\\\",
        "\\midrule",
        *(f"{row} \\\\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines)


def _markdown(table: Table, cells: Cells) -> str:
    rows = [
        ["", *map(_markdown_text, table.column_labels)],
        [":--", *("--:" for _ in table.column_labels)],
        *(
            [_markdown_text(label), *row]
            for label, row in _labelled(table, cells, _markdown_number)
        ),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _numpy(table: Table, cells: Cells) -> str:
    rows = [f"    [{', '.join(row)}]," for row in _literals(cells, _IN_PYTHON)]
    opening = f"# {_one_line(table.title)}\n{identifier(table.title)} = np.array(["
    return "\n".join([opening, *rows, "])"])


def _rlab(table: Table, cells: Cells) -> str:
    literals = list(_literals(cells, _IN_RLAB))
    widths = [max(map(len, column)) for column in zip(*literals, strict=True)]
    rows = (", ".join(map(str.rjust, row, widths)) for row in literals)
    opening = f"{identifier(table.title)} = [ "
    body = f";\n{' ' * len(opening)}".join(rows)
    return f"% {_one_line(table.title)}\n{opening}{body} ];"


_WRITERS: dict[Notation, Callable[[Table, Cells], str]] = {
    Notation.TABS: _tabs,
    Notation.BMATRIX: _bmatrix,
    Notation.BOOKTABS: _booktabs,
    Notation.MARKDOWN: _markdown,
    Notation.NUMPY: _numpy,
    Notation.RLAB: _rlab,
}


def _labelled(
    table: Table, cells: Cells, write: Callable[[str], str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the label and the cells of each row, as ``write`` has them; masked ones are empty."""
    allowed = np.broadcast_to(True, table.values.shape) if table.allowed is None else table.allowed
    for label, row, shown in zip(table.row_labels, cells, allowed.tolist(), strict=True):
        pairs = zip(row, shown, strict=True)
        yield label, [write(cell) if is_shown else "" for cell, is_shown in pairs]


def _literals(cells: Cells, words: dict[str, str]) -> Iterable[list[str]]:
    """Yield rows of numbers that a script takes for floats, with ``words`` for NaN and infinity."""
    for row in cells:
        yield [
            words.get(cell) or (f"{cell}.0" if cell.lstrip("-").isdigit() else cell) for cell in row
        ]


def _latex_number(cell: str) -> str:
    mantissa, e, exponent = _unsigned_zero(cell).partition("e")
    power = f" \\times 10^{{{int(exponent)}}}" if e else ""
    return _IN_LATEX.get(cell) or mantissa + power


def _markdown_number(cell: str) -> str:
    return _IN_MARKDOWN.get(cell) or _unsigned_zero(cell).replace("-", "−")


def _unsigned_zero(cell: str) -> str:
    return "0" if cell == "-0" else cell


def _latex_comment(table: Table, package: str) -> str:
    title = _one_line(table.title).replace("−", "-")
    return f"% {title} (needs \\usepackage{{{package}}})"


def _latex_text(text: str) -> str:
    return "".join(map(_latex_mark, _one_line(text)))


def _latex_mark(mark: str) -> str:
    kind, _, plain = unicodedata.decomposition(mark).partition(" ")
    if kind in ("<sub>", "<super>"):
        raised = "_" if kind == "<sub>" else "^"
        return f"${raised}{{{''.join(chr(int(code, 16)) for code in plain.split())}}}$"
    return _LATEX_MARKS.get(mark, mark)


def _markdown_text(text: str) -> str:
    return _MARKDOWN_MARK.sub(r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))
