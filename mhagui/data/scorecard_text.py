"""A scorecard for people: as text for a terminal, as HTML for a notebook.

Layers and heads count from 0, as in files of models; scores have three decimals.
"""

from collections.abc import Iterator
from html import escape

import numpy as np

from mhagui.document.scorecard import Column, Scorecard
from mhagui.formats import UNDEFINED, fixed

_WORDS = {
    "previous token": "prev.",
    "first token": "first",
    "induction": "induc.",
    "duplicate token": "dupl.",
    "uniformity": "unif.",
    "confidence": "conf.",
    "entropy": "bits",
    "effective positions": "eff.pos",
    "mean distance": "dist.",
    "distance variance": "var.",
    "effective rank": "rank",
}
_LEFT = 2  # which column holds words
_GAP = "…"


def scorecard_text(card: Scorecard, most: int | None = None, *, with_ranks: bool = False) -> str:
    """Return the table as lines: a head to each, then chance, then what has to be known of it.

    Of more than ``most`` heads the first and the last are shown. Chance has a line where it is the
    same for all heads.
    """
    rows = list(_rows(card, most, with_ranks=with_ranks))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if place == _LEFT else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, *(f"\n{note}" for note in card.notes)]) + "\n"


def scorecard_html(card: Scorecard, most: int | None = None, *, with_ranks: bool = False) -> str:
    """Return what ``scorecard_text`` says as a table of HTML."""
    heading, *rows = _rows(card, most, with_ranks=with_ranks)
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    first = "".join(f"<th>{escape(cell)}</th>" for cell in heading)
    notes = "".join(f"<p>{escape(note)}</p>" for note in card.notes)
    return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _rows(card: Scorecard, most: int | None, *, with_ranks: bool) -> Iterator[list[str]]:
    """Yield the heading, a row to each head, and that of chance."""
    columns = (*card.columns, card.effective_ranks) if with_ranks else card.columns
    names = [column.measure.name for column in columns]
    yield ["layer", "head", "called", *(_WORDS.get(name, name) for name in names)]
    n_heads = len(card.heads)
    n_first = n_heads if most is None or n_heads <= most else most // 2
    for at in (*range(n_first), *range(max(n_heads - n_first, n_first), n_heads)):
        if at == n_heads - n_first >= n_first < n_heads:
            yield [_GAP] * (3 + len(names))
        layer, head = card.heads[at]
        scores = [fixed(float(column.values[at])) for column in columns]
        yield [str(layer), str(head), card.labels[at] or UNDEFINED, *scores]
    chance = [_chance(column) for column in columns]
    if any(chance):
        yield ["", "", "chance", *chance]


def _chance(column: Column) -> str:
    """Return what the uniform head has; nothing where that differs between heads."""
    first = float(column.baselines[0])
    is_same = np.allclose(column.baselines, first, rtol=0.0, atol=5e-4, equal_nan=True)
    return fixed(first) if is_same else ""
