"""Why is this cell lit? The arithmetic of one weight, and that of its neighbours beside it."""

import math
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from mhagui.document import HeadResult
from mhagui.document.known import Need
from mhagui.document.pipeline import BIASED, RowArithmetic, row_arithmetic
from mhagui.formats import USUAL
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.cell_words import Line, lines, reason, title
from mhagui.gui.docks.pipeline_words import Arithmetic
from mhagui.gui.formulas import Formula
from mhagui.gui.growing import GrowingPanel
from mhagui.gui.widgets.drawing import demi_bold, even_digits, scaled_font
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_table import Column, Numbers, NumberTable, Row
from mhagui.gui.widgets.turning_scroll import TurningScroll
from mhagui.palette import head_colour

TITLE_FONT = 1.15
FEATURES_TIP = (
    "Feature by feature: q_t, k_i and their product; Σ is the sum of the products, q_t·k_i"
)
NEIGHBOURS_TIP = (
    "The same arithmetic for the keys beside this one, and for the key with the row's largest g·S "
    "(max)"
)


class CellDock(GrowingPanel):
    """Follows the cursor: from q_t and k_i to the weight A[t, i], each step with its numbers."""

    is_complete_undrawn = True
    needs: ClassVar[tuple[Need, ...]] = ("queries",)
    usual_size = QSize(640, 390)

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "cellDock", "Why is this cell lit?")
        self.title, self.reason = FittingLabel(), FittingLabel()
        self.lines = _Lines()
        self.products = _table("cellFeatures", "q_t, k_i and their products", FEATURES_TIP)
        self.neighbours = _table("cellNeighbours", "The cell and its neighbours", NEIGHBOURS_TIP)
        for label in (self.title, self.reason):
            explain(label, Formula.WEIGHTS)
        self.title.setObjectName("cellTitle")
        self.reason.setObjectName("cellReason")
        parts = self._lay_out()
        body = QWidget()
        body.setLayout(parts)
        self.set_body(TurningScroll(body, parts))

    def _lay_out(self) -> QBoxLayout:
        words, tables = QVBoxLayout(), QVBoxLayout()
        words.setSpacing(5)
        tables.setSpacing(2)
        for widget in (self.title, self.reason, self.lines):
            words.addWidget(widget)
        words.addStretch(1)
        for name, table, formula in (
            ("Products, feature by feature", self.products, Formula.PRODUCT),
            ("Beside its neighbours", self.neighbours, Formula.SOFTMAX),
        ):
            heading = explain(QLabel(name), formula)
            heading.setFont(demi_bold(heading.font()))
            put_above(table, formula)
            tables.addWidget(heading)
            tables.addWidget(table)
        tables.addStretch(1)
        parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        parts.setContentsMargins(8, 0, 8, 4)
        parts.setSpacing(10)
        parts.addLayout(words)
        parts.addLayout(tables, 1)
        return parts

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw the arithmetic of the cursor's cell."""
        cursor = frame.view.cursor
        if previous is not None and (previous.result, previous.view.cursor) == (
            frame.result,
            cursor,
        ):
            return
        place = frame.scene.index_of(cursor.head)
        head, row = frame.result.heads[place], row_arithmetic(frame.result, place, cursor.query)
        self.title.setFont(demi_bold(scaled_font(self.widget().font(), TITLE_FONT)))
        precision = frame.view.appearance.precision
        named_cell = partial(title, place + 1, head.head.name, row, cursor.key)
        self.title.set_written(named_cell, precision)
        self.reason.set_written(partial(reason, row, cursor.key), precision)
        usual = lines(row, cursor.key, USUAL)
        self.lines.show_lines(lines(row, cursor.key, precision), usual)
        say = Arithmetic(precision)
        self.products.set_numbers(_feature_numbers(row, cursor.key, say))
        self._show_neighbours(row, cursor.key, head, say)

    def _show_neighbours(
        self, row: RowArithmetic, key: int, head: HeadResult, say: Arithmetic
    ) -> None:
        keys = row.neighbours(key)
        chosen = np.array(keys)
        scores = (row.scores, row.gained, row.biased) if row.slope else (row.scores, row.gained)
        values = (row.products, *scores, row.exponentials, row.weights)
        band = QColor(head_colour(head.head.uid))
        columns = tuple(_column(row, each, band if each == key else None) for each in keys)
        cells = np.array([all_keys[chosen] for all_keys in values])
        self.neighbours.set_numbers(Numbers(_neighbour_rows(say, bool(row.slope)), columns, cells))
        self.neighbours.mark_column(keys.index(key))


class _Lines(QWidget):
    """The arithmetic, line by line: what is done, with which numbers, and what comes out."""

    def __init__(self) -> None:
        super().__init__()
        self._labels: list[tuple[QLabel, FittingLabel, QLabel]] = []
        self._n_shown = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 2, 0, 2)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)
        self.setObjectName("cellLines")

    def show_lines(self, shown: tuple[Line, ...], usual: tuple[Line, ...]) -> None:
        """Show ``shown``; the working as in ``usual``, of as many, where there is no room."""
        while len(self._labels) < len(shown):
            self._add_line()
        if len(shown) != self._n_shown:
            self._show_as_many(len(shown))
        for labels, line, short in zip(self._labels, shown, usual, strict=False):
            name, working, result = labels
            name.setText(line.name)
            working.set_texts(line.working, short.working)
            result.setText(f"= {line.result}")
            for label in labels:
                explain(label, line.formula)
        self._labels[len(shown) - 1][2].setFont(demi_bold(self.font()))
        words = "; ".join(f"{line.name}: {line.working} = {line.result}" for line in shown)
        self.setAccessibleName(words)

    def _show_as_many(self, count: int) -> None:
        self._n_shown, had_any = count, self._n_shown > 0
        for number, labels in enumerate(self._labels if had_any else ()):
            labels[2].setFont(even_digits(QFont()))  # that of the last is bolder
            for label in labels:
                label.setVisible(number < count)

    def _add_line(self) -> None:
        row, labels = len(self._labels), (QLabel(), FittingLabel(), QLabel())
        for column, label in enumerate(labels):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(even_digits(label.font()))
            self._grid.addWidget(label, row, column)
        labels[2].setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._labels.append(labels)


def _table(object_name: str, accessible_name: str, tip: str) -> NumberTable:
    table = named(NumberTable(), object_name, accessible_name, tip)
    table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return table


def _column(row: RowArithmetic, key: int, band: QColor | None) -> Column:
    label = f"t{key + 1} max" if key == row.largest else f"t{key + 1}"
    if row.allowed[key]:
        return Column(label, band=band)
    tip = f"{row.why_masked(key)}: masked"
    return Column(label, tip, band, dimmed=True, state="masked")


def _feature_numbers(row: RowArithmetic, key: int, say: Arithmetic) -> Numbers:
    q, k = row.q, row.keys[key]
    total = np.array([math.nan, math.nan, row.products[key]])
    columns = (*(Column(str(n)) for n in range(1, len(q) + 1)), Column("Σ"))
    features = np.array([q, k, row.feature_products(key)])
    return Numbers(_feature_rows(say), columns, np.column_stack([features, total]))


@lru_cache(maxsize=1)
def _feature_rows(say: Arithmetic) -> tuple[Row, ...]:
    def write(value: float) -> str:
        return "" if math.isnan(value) else say.number(value)

    return (
        Row("q_t", write, formula=Formula.QUERIES),
        Row("k_i", write, formula=Formula.KEYS),
        Row("product", write, formula=Formula.PRODUCT),
    )


@lru_cache(maxsize=1)
def _neighbour_rows(say: Arithmetic, has_slope: bool) -> tuple[Row, ...]:
    biased = (Row(BIASED, say.number, formula=Formula.ALIBI),) if has_slope else ()
    return (
        Row("q_t·k_i", say.number, formula=Formula.PRODUCT),
        Row("S", say.number, formula=Formula.SCORES),
        Row("g·S", say.number, formula=Formula.GAINED_SCORES),
        *biased,
        Row("exp", say.small, formula=Formula.EXPONENTIAL),
        Row("weight", say.weight, summary=True, formula=Formula.SOFTMAX),
    )
