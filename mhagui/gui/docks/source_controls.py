"""The controls of the token source, and of how finely outputs are observed."""

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mhagui.document.token_source import (
    LEAST_SYMBOLS,
    MOST_LAG,
    MOST_RESOLUTION,
    MOST_SYMBOLS,
    SourceKind,
    TokenSource,
)
from mhagui.errors import UserError
from mhagui.formats import USUAL, Precision, positions
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox, NumberBox
from mhagui.gui.widgets.number_table import Column, Numbers, Row
from mhagui.gui.widgets.page import label_of, sentence
from mhagui.gui.widgets.probability_table import ProbabilityTable
from mhagui.gui.widgets.words import with_subscripts

RESOLUTIONS = {"exact": 0.0, "0.1": 0.1, "0.25": 0.25, "0.5": 0.5}
KIND_SHOWS = {
    SourceKind.IID: "nothing is told of it, by no head",
    SourceKind.MARKOV: "the last token tells all that is told of it",
    SourceKind.PERIODIC: "any one token tells it",
    SourceKind.COPY: "the token k back tells it",
    SourceKind.SUM: "for S = 2 their exclusive or, of which neither alone tells anything",
    SourceKind.PARTS: "each tells one bit of it, both together two",
}
TABLE_TIP = "Type a probability: the rest of its row is scaled, so that each row sums to 1."
RESOLUTION_TIP = (
    "Exact outputs tell nearly all pasts apart, so that most heads know everything; "
    "coarse ones show which tokens a head looks at."
)
RESOLUTION_TEXT = "Exact outputs tell nearly all pasts apart; rounded ones show where a head looks."


class SourceControls(QWidget):
    """Kind, S, k, transition matrix and resolution of a token source.

    Signals
    -------
    chosen
        The user asks for the source it carries; then the text of the edit, and its merge key.
    refused
        What the user typed cannot be; carries the sentence that says why.
    """

    chosen = Signal(object, str, object)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._source, self._precision = TokenSource(), USUAL
        self.kind = _KindBox()
        self.symbols = CountBox(LEAST_SYMBOLS, MOST_SYMBOLS)
        self.lag = CountBox(1, MOST_LAG)
        self.table = ProbabilityTable()
        self.resolution = NumberBox(0.0, MOST_RESOLUTION, 0.05)
        self._lag_label, self.formula = label_of(self.lag, "lag k"), sentence("sourceFormula")
        self._presets = QButtonGroup(self)
        self._presets.setExclusive(False)  # none is on at another resolution
        self._name_widgets()
        self._lay_out()
        self._connect()

    def _name_widgets(self) -> None:
        self.kind.setObjectName("sourceKind")
        self.kind.setAccessibleName("Token source")
        self.symbols.setObjectName("sourceSymbols")
        self.symbols.describe("The number of symbols S", "S: how many symbols the source has")
        self.lag.setObjectName("sourceLag")
        self.lag.describe("The lag k", "k: Xₜ₊₁ is a copy of the token k back, Xₜ₊₁₋ₖ")
        self.resolution.setObjectName("sourceResolution")
        words = f"{Formula.OBSERVED.sentences}\n{RESOLUTION_TIP}"
        self.resolution.describe("The resolution", words)
        put_above(self.resolution, Formula.OBSERVED)
        put_above(self.lag, Formula.COPY_LAG)
        for part in (self.kind, self.symbols):
            put_above(part, Formula.SOURCE)
        explain(self.formula, Formula.SOURCE)
        named(self.table, "transitionTable", "Transition matrix P", "")
        explain(self.table, Formula.SOURCE, TABLE_TIP)
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(self._make_grid())
        column.addWidget(self.formula)
        column.addWidget(self.table)
        column.addLayout(self._make_resolution())
        column.addLayout(self._make_presets())
        column.addWidget(explain(sentence(text=RESOLUTION_TEXT), Formula.OBSERVED))

    def _make_grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        grid.addWidget(label_of(self.kind, "source"), 0, 0)
        grid.addWidget(self.kind, 0, 1, 1, 4)
        grid.addWidget(label_of(self.symbols, "symbols S"), 1, 0)
        grid.addWidget(self.symbols, 1, 1)
        grid.addWidget(self._lag_label, 1, 2)
        grid.addWidget(self.lag, 1, 3)
        grid.setColumnStretch(4, 1)
        return grid

    def _make_resolution(self) -> QHBoxLayout:
        label = label_of(self.resolution, "resolution of oₜ")
        line = QHBoxLayout()
        line.setSpacing(6)
        line.addWidget(label)
        line.addWidget(self.resolution)
        line.addStretch(1)
        return line

    def _make_presets(self) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(8)
        for number, text in enumerate(RESOLUTIONS):
            line.addWidget(self._preset(number, text))
        line.addStretch(1)
        return line

    def _preset(self, number: int, text: str) -> QRadioButton:
        button = QRadioButton(text)
        button.setAutoExclusive(False)
        named(button, f"resolution{number}", f"Resolution {text}", RESOLUTION_TIP)
        put_above(button, Formula.OBSERVED)
        self._presets.addButton(button, number)
        return button

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._on_kind)
        self.symbols.valueChanged.connect(self._on_symbols)
        self.lag.valueChanged.connect(self._on_lag)
        self.resolution.valueChanged.connect(self._on_resolution)
        self._presets.idClicked.connect(self._on_preset)
        self.table.written.connect(self._on_probability)
        for part in (self.symbols, self.lag, self.resolution, self.table):
            part.refused.connect(self.refused)

    def show_source(self, source: TokenSource, precision: Precision) -> None:
        """Show ``source`` silently."""
        self._source, self._precision = source, precision
        with QSignalBlocker(self.kind):
            self.kind.setCurrentIndex(list(SourceKind).index(source.kind))
        for number, kind in enumerate(SourceKind):
            self.kind.setItemData(number, _kind_tip(source, kind), Qt.ItemDataRole.ToolTipRole)
        self.kind.setToolTip(_kind_tip(source, source.kind))
        self.symbols.show_value(source.n_symbols)
        self.lag.show_value(source.lag)
        self.resolution.show_value(source.resolution)
        for number, resolution in enumerate(RESOLUTIONS.values()):
            self._presets.button(number).setChecked(resolution == source.resolution)
        self.formula.setText(with_subscripts(source.formula))
        for part in (self._lag_label, self.lag):
            part.setVisible(source.kind is SourceKind.COPY)
        self.table.setVisible(source.kind is SourceKind.MARKOV)
        self.table.set_numbers(_transition_numbers(source, precision))

    def _on_kind(self, index: int) -> None:
        kind = list(SourceKind)[index]
        self.chosen.emit(self._source.with_kind(kind), "Change token source", None)

    def _on_symbols(self, count: int) -> None:
        try:
            source = self._source.with_symbols(count)
        except UserError as error:
            self.symbols.show_value(self._source.n_symbols)
            self.refused.emit(str(error))
        else:
            self.chosen.emit(source, "Change number of symbols", "source symbols")

    def _on_lag(self, lag: int) -> None:
        self.chosen.emit(replace(self._source, lag=lag), "Change lag", "source lag")

    def _on_preset(self, number: int) -> None:
        # Checked by what it stands for alone: the click alone changes nothing.
        self.show_source(self._source, self._precision)
        self._ask_for_resolution(list(RESOLUTIONS.values())[number])

    def _on_resolution(self, resolution: float) -> None:
        try:
            self._ask_for_resolution(resolution)
        except UserError as error:
            self.resolution.show_value(self._source.resolution)
            self.refused.emit(str(error))

    def _ask_for_resolution(self, resolution: float) -> None:
        source = replace(self._source, resolution=resolution)
        self.chosen.emit(source, "Change resolution", "source resolution")

    def _on_probability(self, row: int, column: int, probability: float) -> None:
        try:
            source = self._source.with_probability(row, column, probability)
        except UserError as error:
            self.refused.emit(str(error))
        else:
            self.chosen.emit(source, "Change transition probability", None)


class _KindBox(ChoiceBox):
    """The kinds of sources."""

    def __init__(self) -> None:
        super().__init__()
        for kind in SourceKind:
            self.addItem(kind.value, kind)


def _kind_tip(source: TokenSource, kind: SourceKind) -> str:
    return f"{with_subscripts(source.with_kind(kind).formula)}: {KIND_SHOWS[kind]}"


@lru_cache(maxsize=1)  # rows are the same while they are written by the same function
def _rows(names: tuple[str, ...], precision: Precision) -> tuple[Row, ...]:
    write = partial(precision.fixed, decimals=2)
    tip = f"{Formula.SOURCE.sentences}\n{TABLE_TIP}"
    return tuple(Row(name, write, tip=tip, formula=Formula.SOURCE) for name in names)


def _transition_numbers(source: TokenSource, precision: Precision) -> Numbers:
    names = positions(source.n_symbols, "s")
    columns = (*(Column(name) for name in names), Column("sum", "Each row sums to 1"))
    matrix = source.probabilities
    return Numbers(_rows(names, precision), columns, np.column_stack([matrix, matrix.sum(axis=1)]))
