"""What is shown of two heads: their pictures, what is said of them, and their numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mhagui import formats
from mhagui.data.matrix_text import Table
from mhagui.document import ColourScale, Quantity, ViewState
from mhagui.document.capture import Flags, Floats
from mhagui.document.captured_comparison import Comparison, compare
from mhagui.document.records import Array
from mhagui.figures.found import DIFFERS
from mhagui.formats import Precision
from mhagui.gui.docks.compare_pictures import NAMES, Shown
from mhagui.gui.docks.compare_sources import ComparedHead, Tokens
from mhagui.gui.formulas import Formula
from mhagui.gui.pictures import (
    colour_range,
    keys_seen,
    numbers_seen,
    position_labels,
    token_labels,
    token_tips,
    weight_range,
)
from mhagui.gui.widgets.colour_range import ColourRange, round_limit, signed_range
from mhagui.gui.widgets.matrix_picture import Picture, Writing

Counts = npt.NDArray[np.intp]
TIP = (
    "Arrow keys move the cursor; Ctrl+wheel, + and − zoom all pictures at once, 0 shows all cells."
)
DIFFERENCE_TIP = "B − A: how much more weight B has than A, around 0."
ROWS_TIP = "Of each row of A and B, bits: 0 where they are the same, 1 with no key in common."


@dataclass(frozen=True, eq=False)
class Compared:
    """Head A, head B, and how their weights differ."""

    one: ComparedHead
    other: ComparedHead
    comparison: Comparison

    @property
    def shape(self) -> tuple[int, int]:
        """(T_q, T_k)."""
        rows, columns = self.comparison.one.shape[1:]
        return rows, columns

    @property
    def difference(self) -> Floats:
        """B − A, (T_q, T_k)."""
        difference: Floats = self.comparison.difference[0]
        return difference

    @property
    def bits(self) -> Floats:
        """Jensen–Shannon divergence of each row, (T_q,); NaN where it is not defined."""
        bits: Floats = self.comparison.divergences[0]
        return bits

    @property
    def mean_bits(self) -> float:
        """Mean over the rows that have one."""
        return float(self.comparison.mean_divergences[0])

    @cached_property
    def limit(self) -> float:
        """A round number that no difference exceeds."""
        return round_limit(self.difference.astype(np.float64, copy=False))

    @cached_property
    def largest(self) -> tuple[int, int] | None:
        """Where the weights differ most, from 0; None where nowhere."""
        size = np.nan_to_num(np.abs(self.difference), nan=0.0)
        row, column = np.unravel_index(int(size.argmax()), size.shape)
        return (int(row), int(column)) if size[row, column] > 0 else None

    @cached_property
    def seen(self) -> tuple[Counts | None, Counts | None, Counts | None]:
        """Which keys each row of A, of B and of either sees, as pictures have it; None for all."""
        one, other = self.one.layer.allowed, self.other.layer.allowed
        either = None if one is None or other is None else one | other
        return _seen(one), _seen(other), _seen(either)

    @cached_property
    def largest_weight(self) -> float:
        """The largest weight of both in rows that see more than one key."""
        pairs = zip((self.one, self.other), self.seen[:2], strict=True)
        return max(_largest(head.weights, seen) for head, seen in pairs)


def compared(one: Callable[[], ComparedHead], other: Callable[[], ComparedHead]) -> Compared:
    """Return the comparison of two heads; raises UserError where they cannot be compared.

    All that pictures need is worked out: this may take long.
    """
    a, b = one(), other()
    found = Compared(a, b, compare(a.layer, b.layer, (a.place, b.place)))
    for known in ("limit", "largest", "seen", "largest_weight", "bits"):
        getattr(found, known)
    return found


def _seen(allowed: Flags | None) -> Counts | None:
    """Return which keys each row of a mask sees; None where these are not one behind the other."""
    if allowed is None:
        return None
    seen = keys_seen(allowed)
    places = np.arange(allowed.shape[1])
    first, end = (0, seen[:, np.newaxis]) if seen.ndim == 1 else seen[:, :, np.newaxis]
    return seen if np.array_equal((places >= first) & (places < end), allowed) else None


def _largest(weights: Floats, seen: Counts | None) -> float:
    rows = weights if seen is None else weights[numbers_seen(seen) > 1]
    return float(np.max(rows, initial=0.0, where=np.isfinite(rows)))


# ------------------------------------------------------------------------------- pictures


class Scales(NamedTuple):
    """The colours of A and B, of their difference, and of the rows."""

    weights: ColourRange
    difference: ColourRange
    rows: ColourRange


def scales(found: Compared, view: ViewState) -> Scales:
    """Return the scales: that of the heatmaps, in which a weight is no ratio, for A and B."""
    if view.colour_scale is ColourScale.RELATIVE:  # which has another unit in every row
        view = replace(view, colour_scale=ColourScale.LINEAR)
    view, look = replace(view, quantity=Quantity.WEIGHTS), view.appearance
    return Scales(
        colour_range(view, found.shape[1], found.largest_weight),
        signed_range(found.limit, "B − A, linear", look),
        weight_range(1.0, "Jensen–Shannon divergence, bits", look),
    )


def pictures(found: Compared, colours: Scales) -> list[Shown]:
    """Return A, B, B − A and the divergence of each row."""
    one, other = found.one, found.other
    names = (
        (f"A  {one.name}", f"A  {one.name.partition(' ')[0]}", "A"),
        (f"B  {other.name}", f"B  {other.name.partition(' ')[0]}", "B"),
    )
    return [
        *(
            Shown(
                _picture(found, head.weights, colours.weights, _tokens(head), seen),
                titles,
                f"{letter}: weights of {head.name}, {head.where}",
                Formula.WEIGHTS,
                f"{letter}: {head.name}, {head.where}.\n{TIP}",
            )
            for letter, head, titles, seen in zip(
                "AB", (one, other), names, found.seen[:2], strict=True
            )
        ),
        Shown(
            _difference(found, colours.difference),
            ("B − A",),
            "B − A: difference of the weights",
            Formula.WEIGHTS,
            f"{DIFFERENCE_TIP}\n{TIP}",
        ),
        Shown(
            _rows(found, colours.rows),
            ("JS (bits)", "bits", ""),
            "Jensen–Shannon divergence of each row",
            Formula.DIVERGENCE,
            f"{ROWS_TIP}\n{TIP}",
        ),
    ]


def _picture(
    found: Compared,
    values: Floats,
    scale: ColourRange,
    tokens: tuple[Tokens, Tokens],
    seen: Counts | None,
) -> Picture:
    rows, columns = found.shape
    return Picture(
        values=cast("Array", values),  # float32 is pooled and read out as well
        low=scale.low,
        high=scale.high,
        table=scale.table,
        row_labels=position_labels(rows),
        column_labels=position_labels(columns, "t" if columns == rows else "i"),
        seen=seen,
        logarithmic=scale.logarithmic,
        writings=_WEIGHTS,
        row_words=token_labels(tokens[0]),
        column_words=token_labels(tokens[1]),
        row_tips=token_tips(tokens[0]),
        column_tips=token_tips(tokens[1]),
        noun="weight",
        precision=scale.precision,
    )


_WEIGHTS = (
    Writing(partial(formats.cell, decimals=3), ".000"),
    Writing(formats.cell, ".00"),
)
_DIFFERENCES = (
    Writing(partial(formats.cell, decimals=3), "−.000"),
    Writing(formats.cell, "−.00"),
)


def _difference(found: Compared, scale: ColourRange) -> Picture:
    rows, columns = _difference_words(found)
    of_weights = _picture(found, found.difference, scale, ((), ()), found.seen[2])
    return replace(
        of_weights,
        signed=True,
        writings=_DIFFERENCES,
        noun="difference",
        row_words=rows[0],
        column_words=columns[0],
        row_tips=rows[1],
        column_tips=columns[1],
    )


def _difference_words(found: Compared) -> tuple[tuple[Tokens, Tokens], tuple[Tokens, Tokens]]:
    """Return what is written and said at the rows and at the columns of the difference."""
    rows, columns = zip(_tokens(found.one), _tokens(found.other), strict=True)
    return _joint(*rows), _joint(*columns)


def _joint(one: Tokens, other: Tokens) -> tuple[Tokens, Tokens]:
    """Return what is written for the tokens of both, a dot where they differ, and said of them."""
    if not (one and other):
        return (), ()
    words = zip(token_labels(one), token_labels(other), strict=True)
    tips = zip(token_tips(one), token_tips(other), strict=True)
    return (
        tuple(a if a == b else DIFFERS for a, b in words),
        tuple(a if a == b else f"A: {a}\nB: {b}" for a, b in tips),
    )


def _rows(found: Compared, scale: ColourRange) -> Picture:
    return Picture(
        values=cast("Array", found.bits[:, np.newaxis]),
        low=scale.low,
        high=scale.high,
        table=scale.table,
        row_labels=position_labels(len(found.bits)),
        column_labels=("",),
        row_words=_difference_words(found)[0][0],
        writings=_WEIGHTS,
        noun="bits",
        precision=scale.precision,
    )


def _tokens(head: ComparedHead) -> tuple[Tokens, Tokens]:
    """Return the tokens of rows and of columns; none where there are not as many."""
    n_rows, n_columns = head.layer.shape
    rows, columns = head.query_tokens, head.key_tokens
    return rows if len(rows) == n_rows else (), columns if len(columns) == n_columns else ()


# --------------------------------------------------------------------------- words and numbers


def summary(found: Compared, write: Precision) -> tuple[str, ...]:
    """Return how far A and B are apart, from the longest to the shortest text."""
    if found.largest is None:
        return ("The same weights, to the last digit", "The same weights", "same")
    row, column = found.largest
    value = float(found.difference[row, column])
    of_cell = f"{'+' if value > 0 else ''}{write.read_out(value)} at t{row + 1}, i{column + 1}"
    mean = f"{write.fixed(found.mean_bits)} bits"
    if math.isnan(found.mean_bits):
        return (f"largest B − A: {of_cell}", of_cell, "")
    worst = int(np.nanargmax(found.bits))
    of_row = f"{write.fixed(float(found.bits[worst]))} at t{worst + 1}"
    return (
        f"Jensen–Shannon: mean {mean}, largest {of_row} · largest B − A: {of_cell}",
        f"JS mean {mean}, largest {of_row} · B − A: {of_cell}",
        f"JS mean {mean} · B − A: {of_cell}",
        f"JS mean {mean}",
        "",
    )


def tables(found: Compared) -> tuple[tuple[str, Callable[[], Table], str], ...]:
    """Return the tables that can be copied: each one's name, what makes it, and what shows it."""
    a, b = found.one, found.other
    difference = "B − A: difference of the weights"
    makers = (
        partial(_table, found, difference, found.difference),
        partial(_table, found, f"A: {a.name}, {a.where}", a.weights),
        partial(_table, found, f"B: {b.name}, {b.where}", b.weights),
        partial(_bits_table, found),
    )
    names, places = ("B − A", "A", "B", "divergences"), (NAMES[2], NAMES[0], NAMES[1], NAMES[3])
    return tuple(zip(names, makers, places, strict=True))


def _table(found: Compared, title: str, values: Floats) -> Table:
    rows, columns = found.shape
    labels = formats.positions(rows), formats.positions(columns, "i")
    return Table(title, *labels, values.astype(np.float64))


def _bits_table(found: Compared) -> Table:
    title = "JS: Jensen–Shannon divergence of each row, bits"
    bits = found.bits.astype(np.float64)[:, np.newaxis]
    return Table(title, formats.positions(len(bits)), ("bits",), bits)
