"""A scorecard as CSV and JSON: a row to each head, with all digits. docs/data.md lists the columns.

Layers and heads count from 0, as in files of models. A cell is empty, in JSON null, where a score
is not defined.
"""

import csv
import io
from collections.abc import Iterator

from mhagui.document.json_text import finite, json_text
from mhagui.document.scorecard import Scorecard

Cell = int | float | str | None


def scorecard_csv(card: Scorecard, *, with_ranks: bool = False) -> bytes:
    """Return the table as CSV (RFC 4180, UTF-8); effective ranks, which take longer, on demand."""
    text = io.StringIO(newline="")
    rows = list(scorecard_rows(card, with_ranks=with_ranks))
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def scorecard_json(card: Scorecard, *, with_ranks: bool = False) -> bytes:
    """Return the table as JSON: ``heads``, a record for each, and ``notes``."""
    heads = list(scorecard_rows(card, with_ranks=with_ranks))
    return json_text({"heads": heads, "notes": list(card.notes)}, only_ascii=False).encode()


def scorecard_rows(card: Scorecard, *, with_ranks: bool = False) -> Iterator[dict[str, Cell]]:
    """Yield the row of each head, by the names of its columns.

    Each score has one, one more ending in "_chance" and, if it is a share, one in "_corrected".
    """
    columns = (*card.columns, card.effective_ranks) if with_ranks else card.columns
    for row, (place, label) in enumerate(zip(card.heads, card.labels, strict=True)):
        cells: dict[str, Cell] = {"layer": place.layer, "head": place.head, "label": label}
        for column in columns:
            name = column.measure.name.replace(" ", "_")
            cells[name] = finite(column.values[row])
            cells[f"{name}_chance"] = finite(column.baselines[row])
            if column.measure.is_share:
                cells[f"{name}_corrected"] = finite(column.corrected[row])
        cells["rows"] = int(card.n_rows[row])
        cells["empty_rows"] = int(card.n_empty[row])
        cells["unreadable_rows"] = int(card.n_unreadable[row])
        yield cells
