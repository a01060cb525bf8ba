"""The impulse dock: row t of every head as the impulse response of a filter, and its spectrum."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import ClassVar

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QRadioButton,
    QSlider,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import HeadResult, Result
from mhagui.document.designs import filter_of
from mhagui.document.known import Need
from mhagui.document.response import (
    FINE_ROWS,
    FLAT_FILTERS,
    FREQUENCIES,
    MEAN_ROWS,
    ResponseStudy,
    RowResponse,
    SpectrumStudy,
    delay_range,
    study_responses,
    study_spectra,
)
from mhagui.formats import Precision
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.head_marks import head_curve
from mhagui.gui.formulas import Formula
from mhagui.gui.panel import Panel
from mhagui.gui.pictures import token_labels
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.curve_legend import CurveLegend, LegendEntry
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.frequency_plot import FrequencyPlot
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.page import label_of, sentence
from mhagui.gui.widgets.stem_card import CardFlow, StemCard
from mhagui.gui.widgets.stem_plot import Stems
from mhagui.gui.widgets.turning_scroll import TurningScroll
from mhagui.gui.widgets.words import plain
from mhagui.palette import head_colour

MOST_FOLLOWED = 300  # waves of all curves together, that an eye can follow
PLACES = FREQUENCIES / math.pi
POOLED_FROM = 128  # positions; more may be closer than the pixels of a narrow plot
ROW_TIP = "The query row t whose weights are shown: the impulse response at t. It is the cursor's"
TAPS_TIP = "Show row t of A_h over the key positions i, and the ideal filter behind it"
RESPONSE_TIP = "Show what row t does to frequencies: |H(ω)| and group delay, lag τ = t − i"
CAPTION_TIP = (
    "Mean: over all rows that have an ideal filter, "
    f"above T = {MEAN_ROWS} over {MEAN_ROWS} evenly spaced rows."
)
PLOT_TIP = "Click, or press ← or →, to move the cursor's key i; ↑ or ↓ moves its row t."
MAGNITUDE_TIP = (
    f"Drawn at {len(FREQUENCIES)} frequencies: for t above {FINE_ROWS} some lobes lie between them."
)
DELAY_TIP = "What is beyond the range of the plot, where taps nearly cancel, is not drawn."


class ImpulseDock(Panel):
    """Row t of every head: its taps beside the ideal filter's, or its frequency response."""

    needs: ClassVar[tuple[Need, ...]] = ("filters",)

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "impulseDock", "Impulse")
        self._row = _RowControl()
        self._row.slider.valueChanged.connect(self._on_row)
        self._row.box.valueChanged.connect(self._on_row)
        self._row.box.refused.connect(self.bench.refused)
        self._choices = QButtonGroup(self)
        self._choice = self._make_choice()
        self._taps = _TapsPage(self._choices.button(1))
        self._taps.pointed.connect(self._on_pointed)
        self._response = _ResponsePage()
        self._pages = QStackedWidget()
        for page in (self._taps, self._response):
            self._pages.addWidget(page)
        self.set_body(self._make_body())

    @property
    def page_name(self) -> str:
        """What row t is shown as."""
        chosen = self._choices.checkedButton()
        return chosen.text() if chosen else ""

    def _make_body(self) -> QWidget:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(8, 4, 8, 6)
        column.setSpacing(4)
        column.addWidget(self._row)
        column.addWidget(self._choice)
        column.addWidget(self._pages, 1)
        return body

    def _make_choice(self) -> QWidget:
        choice = QWidget()
        row = QHBoxLayout(choice)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        for page, name, text, formula, tip in (
            (0, "showTaps", "Taps", Formula.IMPULSE_RESPONSE, TAPS_TIP),
            (1, "showResponse", "Frequency response", Formula.FREQUENCY_RESPONSE, RESPONSE_TIP),
        ):
            button = named(QRadioButton(text), name, f"Show {text.lower()}", tip)
            explain(button, formula, tip)
            button.setChecked(page == 0)
            self._choices.addButton(button, page)
            row.addWidget(button)
        row.addStretch(1)
        self._choices.idClicked.connect(self._on_page)
        return choice

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw row t as it is looked at: as taps, or as a frequency response."""
        row = frame.view.cursor.query
        self._row.show_row(row, frame.scene.n_positions)
        moved = previous is None or row != previous.view.cursor.query
        changed = moved or previous is None or frame.result is not previous.result
        if self._pages.currentIndex() == 1:
            is_other_head = previous is None or frame.view.cursor.head != previous.view.cursor.head
            if changed or is_other_head:
                self._response.show_row(frame.result, row, frame.view.cursor.head)
            return
        if changed:
            if previous is None:
                self._taps.shown.clear()
            self._taps.show_row(frame.result, row, frame.view.appearance.precision)
        scene = frame.scene
        self._taps.show_words(token_labels(scene.tokens, scene.token_scheme))
        self._taps.show_cursor(frame.view.cursor.head, frame.view.cursor.key)

    def forget(self) -> None:
        """Let go of the studies."""
        self._taps.study = self._response.study = None

    def _on_row(self, number: int) -> None:
        self.bench.point(query=number - 1)
        self._row.show_row(number - 1, self.bench.scene.n_positions)

    def _on_pointed(self, uid: int, row: int, key: int) -> None:
        self.bench.point(head=uid, query=row, key=key)
        # At once: the next key may be here before the next frame.
        view = self.bench.view
        self._taps.show_row(self.bench.frame.result, view.cursor.query, view.appearance.precision)
        self._taps.show_cursor(uid, view.cursor.key)

    def _on_page(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self.forget()
        self.redraw()


class _RowControl(QWidget):
    """A slider and a box for the row t."""

    def __init__(self) -> None:
        super().__init__()
        self.slider, self.box = QSlider(Qt.Orientation.Horizontal), CountBox(1, 1)
        named(self.slider, "impulseRowSlider", "Query row t, slider", ROW_TIP)
        self.box.setObjectName("impulseRowBox")
        self.box.describe("Query row t", ROW_TIP)
        for part in (self.slider, self.box):
            put_above(part, Formula.IMPULSE_RESPONSE)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label_of(self.box, "row t"))
        row.addWidget(self.slider, 1)
        row.addWidget(self.box)

    def show_row(self, row: int, n_positions: int) -> None:
        """Show ``row`` (from 0) of ``n_positions`` silently."""
        with QSignalBlocker(self.slider), QSignalBlocker(self.box):
            for control in (self.slider, self.box):
                if control.maximum() != n_positions:
                    control.setRange(1, n_positions)
            self.slider.setPageStep(max(n_positions // 10, 1))
            self.slider.setValue(row + 1)
            self.box.show_value(row + 1)


class _TapsPage(QWidget):
    """A card of stems per head, and what stems and bars are.

    Signals
    -------
    pointed
        The cursor is wanted at (head, row, key): the head by uid.
    """

    pointed = Signal(int, int, int)

    def __init__(self, before: QWidget) -> None:
        super().__init__()
        self._before = before  # where Tab comes from
        self.flow = CardFlow()
        self._legend = explain(CurveLegend(), Formula.IMPULSE_RESPONSE)
        self.study: ResponseStudy | None = None
        # Of each card its row, the same where it is one object, and what is written of it.
        self.shown: dict[StemCard, tuple[RowResponse, tuple[object, ...]]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._legend)
        column.addWidget(ColumnScroll(self.flow), 1)

    def show_row(self, result: Result, row: int, write: Precision) -> None:
        """Show ``row`` of every head."""
        n_positions, allowed = len(result.allowed), result.allowed[row]
        first = int(allowed.argmax()) if allowed.any() else row + 1
        self._legend.set_entries(_legend_entries(n_positions, self.palette().text().color()))
        self._deal(len(result.heads))
        study = self.study = study_responses(result, row, self.study)
        each = zip(
            self.flow.cards, result.heads, study.responses, study.mean_distances, strict=True
        )
        before, self.shown = self.shown, {}
        for number, (card, head, response, mean) in enumerate(each, 1):
            words = (
                number,
                head.head.uid,
                head.head.name,
                filter_of(head.head, head.mask),
                head.active,
                head.standing,
                mean,
                first,
                write,
            )
            kept, self.shown[card] = before.get(card), (response, words)
            if kept is None or kept[0] is not response or kept[1] != words:
                _fill(card, number, head, response, mean, first, write)
        self.flow.arrange()

    def show_words(self, words: tuple[str, ...]) -> None:
        """Say in every plot what stands at each position, or nothing where there are no tokens."""
        for card in self.flow.cards:
            card.plot.set_words(words)

    def show_cursor(self, uid: int, key: int) -> None:
        """Mark the key in every plot, and the plot of head ``uid``."""
        for card in self.flow.cards:
            card.plot.set_key(key, is_current=card.uid == uid)

    def _deal(self, count: int) -> None:
        cards = list(self.flow.cards[:count])
        while len(cards) < count:
            cards.append(StemCard(len(cards) + 1))
            cards[-1].pointed.connect(self.pointed)
        if len(cards) != len(self.flow.cards):
            self.flow.set_cards(cards)
            # New cards came after all else: they are put where Tab looks for them.
            for one, other in pairwise([self._before, *(card.plot for card in cards)]):
                self.setTabOrder(one, other)


class _ResponsePage(QWidget):
    """Magnitude and group delay of row t of every head."""

    def __init__(self) -> None:
        super().__init__()
        self.study: SpectrumStudy | None = None
        self.magnitude = _plot("magnitudePlot", "magnitude |H|")
        self.delay = _plot("groupDelayPlot", "delay (positions)")
        explain(self.magnitude, Formula.FREQUENCY_RESPONSE, MAGNITUDE_TIP)
        explain(self.delay, Formula.GROUP_DELAY, DELAY_TIP)
        self.magnitude.set_y_range(0.0, 1.0)
        explain(self.magnitude.legend, Formula.FREQUENCY_RESPONSE)
        self.delay.legend.hide()
        body = QWidget()
        plots = QVBoxLayout(body)
        plots.setContentsMargins(0, 0, 0, 0)
        for plot in (self.magnitude, self.delay):
            plots.addWidget(plot, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        flat = explain(sentence("flatText", FLAT_FILTERS), Formula.FREQUENCY_RESPONSE)
        column.addWidget(flat)
        column.addWidget(self.magnitude.legend)  # of both plots
        column.addWidget(TurningScroll(body, plots), 1)

    def show_row(self, result: Result, row: int, uid: int) -> None:
        """Show ``row`` of every head, that of ``uid`` strongly where there is much to follow."""
        uid = uid if row * len(result.heads) > MOST_FOLLOWED else -1
        study = self.study = study_spectra(result, row, self.study)
        for plot in (self.magnitude, self.delay):
            plot.keep_room(f"−{row}", "0.5")  # so that they are as wide as one another
        self.delay.set_y_range(*delay_range(row))
        magnitudes, delays = zip(*((of.magnitude, of.delay) for of in study.spectra), strict=True)
        for plot, values in ((self.magnitude, magnitudes), (self.delay, delays)):
            pairs = enumerate(zip(result.heads, values, strict=True), 1)
            plot.set_curves(
                [
                    replace(head_curve(n, head, of), at=PLACES, strong=head.head.uid == uid)
                    for n, (head, of) in pairs
                ]
            )


def _plot(object_name: str, y_title: str) -> FrequencyPlot:
    spoken = f"{y_title} of row t over frequency, per head".capitalize()
    return named(FrequencyPlot(y_title), object_name, spoken, "")


def _legend_entries(n_positions: int, ink: QColor) -> tuple[LegendEntry, ...]:
    weight, distance = "weight A[t, i]", "TV distance"
    if n_positions > POOLED_FROM:
        weight = "A[t, i], of each pixel the largest"
    if n_positions > MEAN_ROWS:
        distance = f"TV, mean over {MEAN_ROWS} rows"
    return (
        LegendEntry(weight, ink, "o", formula=Formula.IMPULSE_RESPONSE),
        LegendEntry(f"ideal filter · {distance}", formula=Formula.IDEAL_TAPS),
    )


def _fill(
    card: StemCard,
    number: int,
    head: HeadResult,
    response: RowResponse,
    mean: float,
    first: int,
    write: Precision,
) -> None:
    n_positions = len(head.weights)
    uid, label, colour = head.head.uid, f"h{number}", QColor(head_colour(head.head.uid))
    words = f"{label} {head.head.name}"
    t = len(response.taps)
    card.uid = uid
    card.title.set_head(label, head.head.name, colour, head.standing)
    explain(card.title, Formula.IMPULSE_RESPONSE, words)
    # Room for any row's texts, so that no card moves from row to row.
    room = (_distance_text(f"t{n_positions}", value, mean, write) for value in (1 / 3, math.nan))
    distance = _distance_text(f"t{t}", response.distance, mean, write)
    card.set_caption((filter_of(head.head, head.mask), distance), tuple(room))
    explain(card.caption, Formula.TOTAL_VARIATION, CAPTION_TIP)
    card.plot.setAccessibleName(f"Impulse response of {words} at t{t}")
    card.plot.setToolTip(plain(f"Row t{t} of A of {words}. {PLOT_TIP}"))
    stems = Stems(response.taps, response.ideal, n_positions, colour, not head.active, write, first)
    if not _look_alike(stems, card.plot.stems):
        card.plot.set_stems(stems)


def _look_alike(stems: Stems, drawn: Stems | None) -> bool:
    """Return whether there is nothing to draw anew; taps are the same when they are one array."""
    return drawn is not None and (
        stems.taps is drawn.taps
        and (stems.colour, stems.dimmed) == (drawn.colour, drawn.dimmed)
        and (stems.precision, stems.first) == (drawn.precision, drawn.first)
    )


def _distance_text(t: str, distance: float, mean: float, write: Precision) -> str:
    here = "no ideal" if math.isnan(distance) else f"TV {write.fixed(distance)}"
    over_rows = "" if math.isnan(mean) else f" · mean {write.fixed(mean)}"
    return f"{here} at {t}{over_rows}"
