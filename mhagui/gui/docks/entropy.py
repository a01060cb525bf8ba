"""The entropy dock: how many bits each head spends at each query position."""

from collections.abc import Iterable
from functools import lru_cache, partial

import numpy as np
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from mhagui.document import Result
from mhagui.document.mask_rule import MaskRule
from mhagui.formats import Precision
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.head_marks import head_columns, head_curve
from mhagui.gui.formulas import Formula
from mhagui.gui.panel import Panel
from mhagui.gui.pictures import token_labels, token_tips
from mhagui.gui.widgets.crowded_plot import CrowdedPlot
from mhagui.gui.widgets.curve_plot import Curve
from mhagui.gui.widgets.formula_tip import explain
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_table import COPY_TIP, Column, Numbers, NumberTable, Row
from mhagui.gui.widgets.sharing_split import SharingSplit

CAPTION = "Row entropy H (bits), effective positions 2^H"
MOST_NUMBERS = 0.55  # of the height, that the numbers have
OF_MEANS = " · curves: means of {} rows each, thin the cursor's head row by row"
PLOT_TIP = "Click, or press ← or →, to move the cursor's row t."
TABLE_TIP = f"A click, ↑ or ↓ moves the cursor's row t; {COPY_TIP}"


class EntropyDock(Panel):
    """Row entropies of all heads against their ceiling log2 t: a plot, and the numbers below it."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "entropyDock", "Entropy")
        self.plot = self._make_plot()
        self.table = self._make_table()
        self.set_body(self._make_body())

    def _make_plot(self) -> CrowdedPlot:
        plot = CrowdedPlot("query position t", "entropy (bits)", x_prefix="t")
        plot.pointed.connect(self._on_position)
        named(plot, "entropyPlot", "Row entropy in bits over query position t", "")
        return explain(plot, Formula.ROW_ENTROPY, PLOT_TIP)

    def _make_table(self) -> NumberTable:
        table = NumberTable(whole_rows=True, most_rows=14, least_columns=5)
        table.row_pointed.connect(self._on_row)
        spoken = "Row entropy in bits, per query position and head"
        named(table, "entropyTable", spoken, "")
        return explain(table, Formula.ROW_ENTROPY, TABLE_TIP)

    def _make_body(self) -> QWidget:
        self.caption = caption = explain(QLabel(CAPTION), Formula.EFFECTIVE_POSITIONS)
        caption.setWordWrap(True)
        caption.setBuddy(self.table)
        caption.setContentsMargins(6, 4, 6, 2)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(caption)
        column.addWidget(self.table, 1)
        return _Split(self.plot, below)

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw the curves, and mark the cursor's row in plot and table, and its head."""
        column = frame.scene.index_of(frame.view.cursor.head)
        if previous is None or frame.result is not previous.result:
            self._show_curves(frame.result, column)
        else:
            self.plot.set_current(column)
        tokens = frame.scene.tokens, frame.scene.token_scheme
        self.plot.set_words(token_labels(*tokens), token_tips(*tokens))
        query = frame.view.cursor.query
        self.plot.set_cursor(query + 1)
        bits = frame.result.heads[column].row_entropy_bits[query]
        said = frame.view.appearance.precision.fixed(float(bits))
        self.plot.setAccessibleDescription(f"h{column + 1} at t{query + 1}: {said} bits")
        # Only when the cursor has moved: a selection made for copying outlasts the drag of a gain.
        moved = previous is None or query != previous.view.cursor.query
        if moved or not self.table.currentIndex().isValid():
            self.table.follow_row(query)
        self.table.mark_column(1 + column)  # behind the ceiling

    def keep_up(self, frame: Frame) -> None:
        """Fill the table."""
        self.table.set_numbers(_numbers(frame.result, frame.view.appearance.precision))

    def _show_curves(self, result: Result, current: int) -> None:
        bits = result.ceiling_bits
        ceiling = Curve(f"ceiling {result.ceiling_name}", bits, QColor(), formula=Formula.CEILING)
        heads = enumerate(result.heads, 1)
        curves = tuple(head_curve(number, head, head.row_entropy_bits) for number, head in heads)
        self.plot.set_y_range(0.0, float(np.nanmax(bits)) or 1.0)
        self.plot.set_heads(curves, ceiling, current)
        n_rows = self.plot.per_mean
        self.caption.setText(CAPTION + OF_MEANS.format(n_rows) * (n_rows > 1))

    def _on_position(self, position: int) -> None:
        self.bench.point(query=position - 1)

    def _on_row(self, row: int) -> None:
        if row < self.bench.scene.n_positions:
            self.bench.point(query=row)


class _Split(SharingSplit):
    """Gives the lower part what it asks for, up to a share, and the upper the rest."""

    def __init__(self, upper: QWidget, lower: QWidget) -> None:
        self._lower = lower
        super().__init__(upper, lower)
        self.setStretchFactor(0, 1)

    def _wanted(self, room: int) -> int:
        return room - min(self._lower.sizeHint().height(), round(MOST_NUMBERS * room))


def _numbers(result: Result, write: Precision) -> Numbers:
    """Return the table's content: a row per query position, then the means."""
    ceiling, heads = result.ceiling_bits, result.heads
    bits = np.column_stack([ceiling, *(head.row_entropy_bits for head in heads)])
    means = [result.mean_ceiling_bits, *(head.mean_row_entropy_bits for head in heads)]
    counts = [
        result.mean_allowed,
        *(head.mean_effective_positions for head in heads),
    ]
    columns = (Column(result.ceiling_name, formula=Formula.CEILING), *head_columns(result))
    rows = _rows(*result.allowed.shape, write, result.mask)
    return Numbers(rows, columns, np.vstack([bits, means, counts]))


def _keys_seen(number: int, n_keys: int) -> str:
    told = f"t{number} sees {n_keys} {'key' if n_keys == 1 else 'keys'}."
    if n_keys == 0:
        told = f"t{number} sees no key, so that its entropy is undefined."
    return f"{Formula.ROW_ENTROPY.sentences}\n{told}"


@lru_cache(maxsize=1)  # rows are the same while they are written by the same function
def _rows(n_positions: int, n_keys: int, write: Precision, mask: MaskRule) -> tuple[Row, ...]:
    row = partial(Row, write=write.fixed, unit="bits", formula=Formula.ROW_ENTROPY)
    seen: Iterable[int] = range(1, n_positions + 1)
    if not mask.is_causal:
        seen = np.count_nonzero(mask.allowed(n_positions, n_keys), axis=1).tolist()
    rows = [row(f"t{n}", tip=_keys_seen(n, n_keys)) for n, n_keys in enumerate(seen, 1)]
    mean = Row("mean H", write.fixed, "bits", summary=True, formula=Formula.MEAN_ENTROPY)
    per_row = write.significant
    count = Row("mean 2^H", per_row, "positions", summary=True, formula=Formula.MEAN_POSITIONS)
    return (*rows, mean, count)
