"""The information dock: what each head tells of the next token, and what two heads tell twice."""

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from mhagui import formats
from mhagui.document import Result
from mhagui.document.information import (
    Divergences,
    InformationStudy,
    places_of,
    study_divergences,
    study_information,
    verdict,
)
from mhagui.document.source_edits import SetSource
from mhagui.document.token_source import TokenSource
from mhagui.formats import Precision
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.source_controls import SourceControls
from mhagui.gui.formulas import Formula
from mhagui.gui.panel import Panel
from mhagui.gui.pictures import weight_range
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.bar_list import Bar, BarList
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.head_box import HeadBox
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import column, heading, label_of, page, sentence
from mhagui.gui.widgets.snug_matrix_view import SnugMatrixView
from mhagui.palette import head_colour

CELL = 40  # pixels that a cell of the divergences has at most
HEADS_TIP = (
    "Exact: all token sequences are gone through. oₜ = Σ_i A_h[t,i]·e(Xᵢ) holds the weight on "
    "each symbol, e the one-hot vector of a token; W_V is not applied, so that heads are compared "
    "by where they look. A head that attends by content looks anew at every sequence, symbol s "
    "being word s of the vocabulary. The line is what the whole past X₁..Xₜ tells."
)
DIVERGENCE_TIP = "A click, or an arrow key, chooses the two heads."


class InformationDock(Panel):
    """The token source; information per head and of two; the divergence of each two heads."""

    is_complete_undrawn = True

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "informationDock", "Information")
        self._study: InformationStudy | None = None
        self._divergences: Divergences | None = None
        self.controls = SourceControls()
        self.past, self.why_not = sentence("wholePast"), sentence("informationUnknown")
        self.bars = _bars("informationBars", "Information of each head in bits")
        self.choices = [_choice("firstHead", "First head"), _choice("secondHead", "Second head")]
        self.pair_bars = _bars("pairBars", "Information of two heads in bits")
        self.balance, self.verdict = sentence("redundancySynergy"), sentence("pairVerdict")
        self.matrix = _DivergenceView()
        self.strip, self.rows = ColourStrip(), sentence("divergenceRows")
        self._connect()
        self.set_body(ColumnScroll(self._make_body()))

    def _connect(self) -> None:
        self.controls.chosen.connect(self._on_source)
        self.controls.refused.connect(self.bench.refused)
        self.bars.pointed.connect(self._on_head)
        self.pair_bars.pointed.connect(self._on_pair_bar)
        for choice in self.choices:
            choice.head_chosen.connect(self._on_choice)
        self.matrix.pointed.connect(self._on_pair)

    def _make_body(self) -> QWidget:
        explain(self.balance, Formula.REDUNDANCY)
        explain(self.past, Formula.WHOLE_PAST)
        explain(self.bars, Formula.INFORMATION, HEADS_TIP)
        explain(self.pair_bars, Formula.JOINT_INFORMATION)
        explain(self.verdict, Formula.REDUNDANCY)
        explain(self.why_not, Formula.INFORMATION)
        explain(self.rows, Formula.DIVERGENCE)
        put_above(self.strip, Formula.DIVERGENCE)
        self.verdict.setFont(demi_bold(QFont()))
        self._title = explain(heading(), Formula.INFORMATION)
        self._of_two = column(
            heading("Two heads together", Formula.JOINT_INFORMATION),
            self._make_choices(),
            self.verdict,
            self.pair_bars,
            self.balance,
        )
        square = QHBoxLayout()
        square.addWidget(self.matrix, 1, Qt.AlignmentFlag.AlignTop)
        square.addStretch()
        title = heading("Jensen–Shannon divergence (bits)", Formula.DIVERGENCE)
        self._of_all = column(title, square, self.strip, self.rows)
        alone = (self._title, self.past, self.bars, self.why_not)
        source = (heading("Token source", Formula.SOURCE), self.controls)
        return page(*alone, self._of_two, *source, self._of_all)

    def _make_choices(self) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(6)
        for text, choice in zip(("heads", "and"), self.choices, strict=True):
            line.addWidget(label_of(choice, text))
            line.addWidget(choice, 1)
        return line

    # --- drawing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Measure and draw what differs from ``previous``."""
        row, scene = frame.view.cursor.query, frame.scene
        is_new = previous is None or frame.result is not previous.result
        if is_new:
            if previous is None or scene.source is not previous.scene.source:
                self.controls.show_source(scene.source, frame.view.appearance.precision)
            self._show_divergences(frame)
        study = self._study
        if is_new or study is None or study.row != row:
            study = self._study = study_information(scene, frame.result, row, study)
            self._show_heads(frame, study)
        if is_new or previous is None or frame.view != previous.view:
            self._show_pair(frame, study)
        self.bars.mark_row(scene.index_of(frame.view.cursor.head))

    def forget(self) -> None:
        """Let go of the studies."""
        self._study = self._divergences = None

    def _show_heads(self, frame: Frame, study: InformationStudy) -> None:
        t, write = study.row + 1, frame.view.appearance.precision
        symbols = math.log2(study.source.n_symbols)
        self._title.setText(f"What oₜ tells of Xₜ₊₁ at t = {t}")
        self.past.setText(
            study.why_not
            or f"Line: the whole past, {write.fixed(study.whole_past_bits)} bits. Full width: "
            f"log2\xa0S\xa0=\xa0{write.fixed(symbols)} bits. "
            f"{len(study.sequences):,} token sequences."
        )
        bars = tuple(_head_bars(frame.result, study, write))
        self.bars.set_bars(bars, symbols, study.whole_past_bits, write)
        self.bars.setVisible(not study.why_not)
        reasons = [] if study.why_not else study.reasons()
        self.why_not.setText("\n".join(reasons))
        self.why_not.setVisible(bool(reasons))

    def _show_pair(self, frame: Frame, study: InformationStudy) -> None:
        pair = places_of(frame.view, frame.scene)
        for part in (self._of_two, self._of_all):
            part.setVisible(pair is not None)
        if pair is None:
            return
        names = [f"h{place + 1}" for place in pair]
        for choice, place in zip(self.choices, pair, strict=True):
            choice.show_heads(frame.scene.heads, frame.scene.heads[place].uid)
        self.matrix.set_cursor_cell(*pair)
        numbers = study.pair(*pair)
        write = frame.view.appearance.precision
        bars = _head_bars(frame.result, study, write)
        grey = theme_of(self.palette()).muted
        together = Bar("both", numbers.joint, grey)
        self.pair_bars.set_bars(
            (bars[pair[0]], bars[pair[1]], together),
            math.log2(study.source.n_symbols),
            study.whole_past_bits,
            write,
        )
        self.balance.setText(
            f"redundancy − synergy = {_signed(numbers.redundancy_minus_synergy, write)} bits"
        )
        self.verdict.setText(verdict(numbers, *names) or "Not known")
        for part in (self.pair_bars, self.balance):
            part.setVisible(not study.why_not)
        at = frame.scene.index_of(frame.view.cursor.head)
        self.pair_bars.mark_row(pair.index(at) if at in pair else -1)

    def _show_divergences(self, frame: Frame) -> None:
        result = frame.result
        divergences = self._divergences = study_divergences(result, self._divergences)
        labels = formats.positions(len(result.heads), "h")
        scale = weight_range(1.0, "divergence", frame.view.appearance, unit=" bit")
        bands = tuple(QColor(head_colour(head.head.uid)) for head in result.heads)
        self.matrix.show_values(divergences.bits, scale, labels, labels, bands)
        self.matrix.limit_width(len(labels) * CELL)
        self.strip.set_scale(scale)
        n_rows, n_all = len(divergences.rows), len(result.allowed)
        some = f"Mean over {n_rows} evenly spaced rows of {n_all}."
        self.rows.setText(some if n_rows < n_all else f"Mean over all {n_all} rows of A.")

    # --- what the user does

    def _on_source(self, source: TokenSource, text: str, merge_key: object) -> None:
        self.bench.edit(SetSource(source, text, merge_key))
        # The next step may come before the next frame, and starts from this source.
        self.controls.show_source(self.bench.scene.source, self.bench.view.appearance.precision)

    def _on_head(self, place: int) -> None:
        heads = self.bench.scene.heads
        if place < len(heads):
            self.bench.point(head=heads[place].uid)
            self.bars.mark_row(place)

    def _on_pair_bar(self, bar: int) -> None:
        pair = places_of(self.bench.view, self.bench.scene)
        if pair is not None and bar < len(pair):
            self._on_head(pair[bar])

    def _on_choice(self, _uid: int) -> None:
        self._on_pair(*(choice.currentIndex() for choice in self.choices))

    def _on_pair(self, one: int, other: int) -> None:
        heads = self.bench.scene.heads
        if max(one, other) < len(heads):
            self.bench.look(pair=(heads[one].uid, heads[other].uid))
            self.matrix.set_cursor_cell(one, other)


class _DivergenceView(SnugMatrixView):
    """Heads by heads; a pointer that passes over it chooses nothing."""

    def __init__(self) -> None:
        super().__init__()
        spoken = "Jensen–Shannon divergence of each two heads, bits"
        named(self, "divergenceMatrix", spoken, "")
        explain(self, Formula.DIVERGENCE, DIVERGENCE_TIP)

    def limit_width(self, pixels: int) -> None:
        """Keep cells from growing beyond ``pixels`` in all."""
        self.setMaximumWidth(pixels + self._width_around())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Leave the choice of heads to a click."""


def _head_bars(result: Result, study: InformationStudy, write: Precision) -> list[Bar]:
    bars = []
    for number, (head, told) in enumerate(zip(result.heads, study.heads, strict=True), 1):
        colour = QColor(head_colour(head.head.uid))
        what = told.why_not or f"I = {write.fixed(told.bits, 6)} bits"
        tip = f"h{number} {head.head.name}: {what}"
        bars.append(Bar(f"h{number}", told.bits, colour, tip, not head.active))
    return bars


def _signed(bits: float, write: Precision) -> str:
    text = write.fixed(bits)
    return f"+{text}" if bits > 0 and text != write.fixed(0.0) else text


def _bars(object_name: str, name: str) -> BarList:
    return named(BarList("bits"), object_name, name, "")


def _choice(object_name: str, name: str) -> HeadBox:
    return named(HeadBox(), object_name, name, f"{name} of the two whose information is compared")
