"""What an ablation does to O, and how much a number that is read off O hangs on each head."""

import math
from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from mhagui.data.matrix_text import Table
from mhagui.document.ablation import Effect
from mhagui.document.importance import Importance, Readout, ReadoutKind
from mhagui.formats import UNDEFINED, Precision
from mhagui.gui.bench import Frame
from mhagui.gui.docks.head_marks import head_columns
from mhagui.gui.formulas import Formula
from mhagui.gui.pictures import token_labels, token_tips
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.colour_range import round_limit
from mhagui.gui.widgets.curve_legend import SYMBOLS
from mhagui.gui.widgets.curve_plot import Curve, CurvePlot
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.number_table import COPY_TIP, Column, Numbers, NumberTable, Row
from mhagui.gui.widgets.page import column, label_of, number_table, page, unbroken, wrapped_label
from mhagui.palette import HEAD_COLOURS

EFFECT_TABLE_TIP = f"A click, ↑ or ↓ moves the cursor's row t; {COPY_TIP}"
POINT_TIP = "Click, or press ← or →, to move the cursor's row t."
READOUT_TIP = "Which number L is read off O; t is the cursor's position"
CURVE_TIP = "Heads go one after the other, the least important first; muted heads are gone already"
RIGHT, WRONG = (QColor(HEAD_COLOURS[place]) for place in (0, 1))
MUTED = "These heads are muted on the bench: there is nothing of them in O to ablate."
NO_GRADIENT = "O is 0 there, and its norm has no gradient at 0."


class EffectPage(QWidget):
    """How much O changes at each position, before W_O and, where it is asked for, after it.

    Signals
    -------
    row_pointed
        The cursor is wanted at a position, from 0.
    """

    row_pointed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.summary, self.here = wrapped_label(), wrapped_label()
        self.wrong = wrapped_label()
        self.plot = CurvePlot("position t", "‖ΔO_t‖", x_prefix="t", can_point=True)
        self.table = number_table("effectTable", "Change of O at each position", whole_rows=True)
        self._shown: tuple[Effect, Effect | None] | None = None
        named(self.plot, "effectPlot", "Norm of the change of O over position t", "")
        for label, name in (
            (self.summary, "effectSummary"),
            (self.here, "effectHere"),
            (self.wrong, "wrongSummary"),
        ):
            label.setObjectName(name)
        explain(self.summary, Formula.ABLATED)
        explain(self.here, Formula.ABLATED)
        explain(self.wrong, Formula.SITE_DIFFERENCE)
        explain(self.plot, Formula.ABLATED, POINT_TIP)
        explain(self.table, Formula.ABLATED, EFFECT_TABLE_TIP)
        parts = (self.summary, self.here, self.wrong, self.plot, self.table)
        fill_page(self, *parts, stretched=self.plot)
        self.plot.pointed.connect(self._on_position)
        self.table.row_pointed.connect(self.row_pointed)

    def show_effect(self, frame: Frame, right: Effect, wrong: Effect | None) -> None:
        """Show what the ablation does, ``wrong`` at the wrong site, where that is wanted."""
        self._shown = right, wrong
        write = frame.view.appearance.precision
        self.summary.setText(unbroken(_in_all(right, write)))
        self.wrong.setVisible(wrong is not None)
        if wrong is not None:
            self.wrong.setText(_of_wrong(right, wrong, write))
        self._show_curves(right, wrong)
        tokens = frame.scene.tokens, frame.scene.token_scheme
        self.plot.set_words(token_labels(*tokens), token_tips(*tokens))
        self.table.set_numbers(_effect_numbers(right, wrong, write))
        self.mark(frame)

    def mark(self, frame: Frame) -> None:
        """Mark the cursor's position, and say what changes there."""
        if self._shown is None:
            return
        right, row = self._shown[0], frame.view.cursor.query
        if row >= len(right.change):
            return
        self.here.setText(unbroken(_at(right, row, frame.view.appearance.precision)))
        self.plot.setAccessibleDescription(self.here.text())
        self.plot.set_cursor(row + 1)
        if self.table.currentIndex().row() != row:
            self.table.follow_row(row)

    @property
    def shown(self) -> tuple[Effect, Effect | None] | None:
        """What is shown: at the right site and at the wrong one; None where that is nothing."""
        return self._shown

    def say(self, why: str) -> None:
        """Show a sentence in place of numbers."""
        self._shown = None
        self.summary.setText(why)
        self._show_all(False)

    def _show_all(self, shown: bool) -> None:
        for part in (self.here, self.plot, self.table):
            part.setVisible(shown)
        self.wrong.setVisible(shown and self._shown is not None and self._shown[1] is not None)

    def _show_curves(self, right: Effect, wrong: Effect | None) -> None:
        curves = [Curve("before W_O", right.by_position, RIGHT, SYMBOLS[0])]
        if wrong is not None:
            curves.append(
                Curve("after W_O: wrong", wrong.by_position, WRONG, SYMBOLS[1], dimmed=True)
            )
        self.plot.set_y_range(0.0, round_limit(*(curve.values for curve in curves)))
        self.plot.set_curves(curves)
        self.plot.legend.setVisible(wrong is not None)
        self._show_all(True)

    def _on_position(self, position: int) -> None:
        self.row_pointed.emit(position - 1)


class ImportancePage(QWidget):
    """Gradient × output of each head beside what ablating it really does, and heads pruned.

    Signals
    -------
    changed
        Another number is to be read.
    refused
        What was typed is not taken; carries the sentence that says why.
    """

    changed = Signal()
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.kind = named(ChoiceBox(), "readoutKind", "What is read off O", READOUT_TIP)
        self.shown: tuple[str, Importance] | None = None  # what is read, and what hangs on it
        self.channel, self.other = CountBox(1, 1), CountBox(1, 2)
        self.value, self.words = wrapped_label(), wrapped_label()
        # Of few columns at least: the choices have to have room beside it.
        self.table = NumberTable(most_rows=3, least_columns=1)
        self.plot = CurvePlot("heads removed, the least important first", "‖ΔO‖ / ‖O‖")
        self._labels = label_of(self.channel, "channel d"), label_of(self.other, "− channel d")
        self.other.show_value(2)  # the difference of a channel to itself says nothing
        self._prepare()
        parts = (self._controls(), self.value, self.table, self.words, self.plot)
        fill_page(self, *parts, stretched=self.plot)
        self._connect()

    def _connect(self) -> None:
        self.kind.activated.connect(self._on_other)
        for box in (self.channel, self.other):
            box.valueChanged.connect(self._on_other)
            box.refused.connect(self.refused)

    def _prepare(self) -> None:
        for kind in ReadoutKind:
            self.kind.addItem(kind.value, kind)
        self.kind.setMinimumContentsLength(8)
        self.kind.setSizeAdjustPolicy(
            ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        for box, name, spoken in (
            (self.channel, "readoutChannel", "The channel"),
            (self.other, "readoutOther", "The channel that is subtracted"),
        ):
            box.setObjectName(name)
            box.describe(spoken, "A channel of O, a column from 1 to d_model")
            put_above(box, Formula.OUTPUT)
        named(self.table, "importanceTable", "Importance of each head", "")
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        named(self.plot, "pruningPlot", "Error of O while heads are removed", "")
        put_above(self.kind, Formula.OUTPUT)
        self.value.setObjectName("readoutValue")
        self.words.setObjectName("importanceWords")
        explain(self.value, Formula.OUTPUT)
        explain(self.words, Formula.TERM)
        explain(self.table, Formula.TERM, COPY_TIP)
        explain(self.plot, Formula.ABLATED, CURVE_TIP)

    def _controls(self) -> QWidget:
        what, which = QHBoxLayout(), QHBoxLayout()
        what.addWidget(label_of(self.kind, "L ="))
        what.addWidget(self.kind, 1)
        for label, box in zip(self._labels, (self.channel, self.other), strict=True):
            which.addWidget(label)
            which.addWidget(box)
        self._offer(ReadoutKind.WHOLE)
        which.addStretch(1)
        return column(what, which)

    def readout(self, frame: Frame) -> Readout:
        """Return what is read, and offer the channels that there are."""
        for box in (self.channel, self.other):
            with QSignalBlocker(box):
                box.setMaximum(frame.scene.d_model)
        kind = self.kind.currentData()
        self._offer(kind)
        channel, other = self.channel.value() - 1, self.other.value() - 1
        query = 0 if kind is ReadoutKind.WHOLE else frame.view.cursor.query
        return Readout(kind, query, channel, other)

    def _offer(self, kind: ReadoutKind) -> None:
        """Show the boxes of the channels that are read."""
        of_kind = {ReadoutKind.CHANNEL: 1, ReadoutKind.DIFFERENCE: 2}.get(kind, 0)
        for place, widgets in enumerate(zip(self._labels, (self.channel, self.other), strict=True)):
            for widget in widgets:
                widget.setVisible(place < of_kind)

    def show_importance(self, frame: Frame, readout: Readout, found: Importance) -> None:
        """Show how much ``readout`` hangs on each head."""
        self.shown = _name(readout), found
        write = frame.view.appearance.precision
        self.value.setText(f"L = {_name(readout)} = {write.significant(found.value)}")
        self.words.setText(_of_gap(readout, found))
        values = np.stack([found.predicted, found.ablated, found.gap])
        self.table.set_numbers(Numbers(_importance_rows(write), head_columns(frame.result), values))
        self._show_curves(found)
        self._show_all(True)
        self.mark(frame)

    def mark(self, frame: Frame) -> None:
        """Mark the cursor's head."""
        self.table.mark_column(frame.scene.index_of(frame.view.cursor.head))

    def say(self, why: str) -> None:
        """Show a sentence in place of numbers."""
        self.shown = None
        self.value.setText(why)
        self._show_all(False)

    def _show_all(self, shown: bool) -> None:
        for part in (self.table, self.words, self.plot):
            part.setVisible(shown)

    def _show_curves(self, found: Importance) -> None:
        named_curves = (
            ("by gradient × output", found.error_by_gradient, RIGHT, SYMBOLS[0], False),
            ("by ablation", found.error_by_ablation, WRONG, SYMBOLS[1], True),
        )
        curves = [
            Curve(label, values, colour, symbol, dimmed)
            for label, values, colour, symbol, dimmed in named_curves
            if len(values) and not np.isnan(values).all()
        ]
        self.plot.setVisible(bool(curves))
        if curves:
            self.plot.set_y_range(0.0, round_limit(*(curve.values for curve in curves)))
            self.plot.set_curves(curves)

    def _on_other(self) -> None:
        self.changed.emit()


def fill_page(body: QWidget, *parts: QWidget, stretched: QWidget | None = None) -> None:
    """Have ``parts`` below one another in ``body``."""
    rows = QVBoxLayout(body)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.addWidget(page(*parts, stretched=stretched))


# ---------------------------------------------------------------------------------------- in words


def percent(share: float, write: Precision) -> str:
    """Return a share as people read it; undefined where it is of nothing."""
    return UNDEFINED if math.isnan(share) else f"{write.significant(100 * share, 3)}\xa0%"


def _in_all(effect: Effect, write: Precision) -> str:
    row, channel = effect.largest
    return (
        f"‖ΔO‖ = {write.significant(effect.norm)}, {percent(effect.share, write)} of ‖O‖; most in "
        f"{_moved(effect, row, channel, write)}."
    )


def _at(effect: Effect, row: int, write: Precision) -> str:
    channel = effect.largest_at(row)
    size, share = effect.by_position[row], effect.share_by_position[row]
    return (
        f"At t{row + 1}, the cursor's: ‖ΔO_t‖ = {write.significant(float(size))}, "
        f"{percent(float(share), write)} of ‖O_t‖; most in "
        f"{_moved(effect, row, channel, write)}."
    )


def _moved(effect: Effect, row: int, channel: int, write: Precision) -> str:
    before, change = float(effect.output[row, channel]), float(effect.change[row, channel])
    moved = f"{write.significant(before)} → {write.significant(before + change)}"
    return f"O[t{row + 1},\xa0d{channel + 1}]: {moved}"


def _of_wrong(right: Effect, wrong: Effect, write: Precision) -> str:
    apart = float(np.abs(right.change - wrong.change).max())
    if apart == 0:
        return "Why before W_O? After it the result is the same here, which hides the mistake."
    return (
        "Why before W_O? It mixes all heads into each column of O. With the columns zeroed after "
        f"it that are these heads' in Concat, ‖ΔO‖ = {write.significant(wrong.norm)}, "
        f"{percent(wrong.share, write)}; cells differ by up to {write.significant(apart)}."
    )


def _name(readout: Readout) -> str:
    t, channel, other = readout.query + 1, readout.channel + 1, readout.other + 1
    return {
        ReadoutKind.WHOLE: "‖O‖",
        ReadoutKind.ROW: f"‖O_t‖ at t{t}",
        ReadoutKind.CHANNEL: f"O[t{t}, d{channel}]",
        ReadoutKind.DIFFERENCE: f"O[t{t}, d{channel}] − O[t{t}, d{other}]",
    }[readout.kind]


def _of_gap(readout: Readout, found: Importance) -> str:
    if np.isnan(found.predicted).any():
        return NO_GRADIENT
    if readout.kind in (ReadoutKind.CHANNEL, ReadoutKind.DIFFERENCE):
        return "This L is linear in O: first order is exact, but for rounding."
    return "A norm is not linear in O: the gap is what first order misses."


# ------------------------------------------------------------------------------------------- tables


def table_of(title: str, table: NumberTable) -> Table:
    """Return what ``table`` shows, in full precision."""
    numbers = table.numbers
    rows, columns = ([each.label for each in labels] for labels in (numbers.rows, numbers.columns))
    return Table(title, rows, columns, numbers.values)


def _effect_numbers(right: Effect, wrong: Effect | None, write: Precision) -> Numbers:
    effects: Sequence[tuple[str, Effect]] = [("", right)]
    if wrong is not None:
        effects = [*effects, ("wrong ", wrong)]
    columns, values = [], []
    for prefix, effect in effects:
        columns += [Column(f"{prefix}‖ΔO_t‖"), Column(f"{prefix}/ ‖O_t‖")]
        values += [effect.by_position, effect.share_by_position]
    return Numbers(_rows(len(right.change), write), tuple(columns), np.column_stack(values))


@lru_cache(maxsize=1)  # rows are the same while they are written by the same function
def _rows(n_positions: int, write: Precision) -> tuple[Row, ...]:
    row = partial(Row, write=write.significant, formula=Formula.ABLATED)
    return tuple(row(f"t{number}") for number in range(1, n_positions + 1))


@lru_cache(maxsize=1)
def _importance_rows(write: Precision) -> tuple[Row, ...]:
    row = partial(Row, write=write.significant, formula=Formula.TERM)
    gradient = "What L gains without the head, to first order: −⟨∂L/∂O, O_h·W_O^(h)⟩"
    return (
        row("gradient × output", tip=gradient),
        row("ablation", tip="What L gains without the head, ablated to zero before W_O"),
        row("gap", tip="Ablation minus gradient × output: what first order misses", summary=True),
    )
