"""The filter bank: what each head adds to O, and where a head is to be ablated."""

from functools import partial
from itertools import pairwise
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QRadioButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mhagui import formats
from mhagui.document import Cursor, HeadResult, Result
from mhagui.document.edits import set_muted
from mhagui.document.filter_bank import (
    SHORT_IDENTITY,
    FilterBank,
    filter_bank,
    identity_of,
    in_bounds,
    residual_text,
)
from mhagui.document.known import Need
from mhagui.formats import USUAL, Precision
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.ablation_site import AblationSite
from mhagui.gui.formulas import Formula
from mhagui.gui.growing import GrowingPanel
from mhagui.gui.pictures import position_labels
from mhagui.gui.widgets.card_row import CardRow
from mhagui.gui.widgets.colour_range import ColourRange, round_limit, signed_range
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.matrix_ground import Grounds
from mhagui.gui.widgets.term_card import PairCard, TermCard
from mhagui.palette import head_colour

STRIP_WIDTH = 120
BANK_TIP = "O as a sum of filters: what each head adds, A_h·X·W_V^h·W_O^(h), term by term"
SITE_TIP = "A head zeroed before W_O, and the mistake: the same columns zeroed after W_O"


class FilterBankDock(GrowingPanel):
    """The terms of the filter bank as a sum, and one head ablated at the right and wrong site."""

    needs: ClassVar[tuple[Need, ...]] = ("values",)
    usual_size = QSize(1300, 700)

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "filterBankDock", "Filter bank")
        self._shown: tuple[Frame, FilterBank, ColourRange] | None = None
        self.bank_button = _radio("showFilterBank", "Filter bank", BANK_TIP)
        self.site_button = _radio("showAblationSite", "Ablation site", SITE_TIP)
        self.row = CardRow()
        self.total_card = PairCard("termSumView", "bankOutputView")
        self._grounds = Grounds()
        self.total_card.share(self._grounds)
        self.site = AblationSite()
        self.residual = FittingLabel()
        self.strip = ColourStrip()
        self._pages = QStackedWidget()
        self._name_widgets()
        self._connect()
        self.set_body(self._make_body())

    @property
    def page_name(self) -> str:
        """What is shown, by the text of its button."""
        button = self.site_button if self.site_button.isChecked() else self.bank_button
        return button.text()

    @property
    def cards(self) -> list[TermCard]:
        """The heads' cards, in the scene's order."""
        return [card for card in self.row.cards if isinstance(card, TermCard)]

    def _name_widgets(self) -> None:
        self.bank_button.setChecked(True)
        self.total_card.set_words(Formula.FILTER_BANK.sentences, "Σ of the terms", "Σ terms", "Σ")
        self.residual.setObjectName("filterBankIdentity")
        explain(self.residual, Formula.RESIDUAL)
        put_above(self.bank_button, Formula.FILTER_BANK)
        put_above(self.site_button, Formula.ABLATED)
        put_above(self.strip, Formula.TERM)
        for part in (self.total_card.title, self.total_card.view, self.total_card.note):
            put_above(part, Formula.FILTER_BANK)
        for part in (self.total_card.caption, self.total_card.lower_view):
            put_above(part, Formula.OUTPUT)
        self.strip.setObjectName("filterBankColours")
        self.strip.setMaximumWidth(STRIP_WIDTH)

    def _connect(self) -> None:
        group = QButtonGroup(self)
        for button in (self.bank_button, self.site_button):
            group.addButton(button)
        group.buttonClicked.connect(self._on_mode)
        self.row.sight_changed.connect(self._show_matrices)
        for view in (self.total_card.view, self.total_card.lower_view):
            view.pointed.connect(self._on_row_pointed)
        self.site.row_pointed.connect(self._on_row_pointed)
        self.site.head_chosen.connect(self._on_selected)

    def _make_body(self) -> QWidget:
        controls = QHBoxLayout()
        controls.setSpacing(8)
        controls.addWidget(self.bank_button)
        controls.addWidget(self.site_button)
        controls.addWidget(self.site.chooser, 4)
        controls.addWidget(self.residual, 4)
        controls.addWidget(self.strip, 1)
        self._pages.addWidget(self.row)
        self._pages.addWidget(self.site)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(8, 2, 8, 4)
        column.setSpacing(4)
        column.addLayout(controls)
        column.addWidget(self._pages, 1)
        self._show_mode()
        return body

    # --- drawing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw what differs from ``previous``."""
        is_new = previous is None or frame.result is not previous.result
        if not self.site_button.isChecked():
            if is_new:
                self._show_bank(frame)
        elif is_new or previous is None or frame.view.cursor.head != previous.view.cursor.head:
            self.strip.set_scale(self.site.show_frame(frame))
        self._show_cursor(frame.view.cursor)

    def forget(self) -> None:
        """Let go of the bank."""
        self._shown = None

    def _show_bank(self, frame: Frame) -> None:
        heads = frame.result.heads
        bank = filter_bank(frame.result, self._shown[1] if self._shown else None)
        limit = round_limit(np.array([bank.largest]), frame.result.output)
        look = frame.view.appearance
        scale = signed_range(limit, "terms, sums and O", look)
        self._shown = None  # or what scrolls while cards come and go draws one scene on another's
        self.strip.set_scale(scale)
        self._set_count(len(heads))
        self._shown = frame, bank, scale
        most = max(bank.norms_heard)
        for place, (card, head) in enumerate(zip(self.cards, heads, strict=True)):
            _name_card(card, place + 1, head)
            colour = QColor(head_colour(head.head.uid))
            norms = bank.norms[place], bank.norms_heard[place]
            card.bar.set_norm(*norms, most, colour, look.precision)
        count = f"{len(heads)} terms" if len(heads) > 1 else "1 term"
        self.total_card.note.set_texts(f"{count} added up", count)
        sign = "=" if frame.result.filter_bank_residual == 0 else "≈"
        words = "O = Concat·W_O", f"{sign} Concat·W_O", f"{sign} O"
        if frame.scene.b_o is not None:  # which is in no term
            words = "O = Concat·W_O + b_O", f"{sign} O − b_O", "O"
        self.total_card.set_lower_words(Formula.OUTPUT.sentences, *words)
        self.residual.set_written(partial(_residual_texts, frame.result), look.precision)
        self._show_matrices()

    def _show_matrices(self) -> None:
        """Paint what is in sight, and the first card, which gives all cards their size."""
        if self._shown is None:
            return
        (frame, bank, scale), cards = self._shown, self.cards
        rows = position_labels(frame.scene.n_positions)
        columns = formats.positions(frame.scene.d_model, "d")
        self.total_card.view.show_values(bank.sums[-1], scale, rows, columns)
        self.total_card.lower_view.show_values(frame.result.output, scale, rows, columns)
        cards[0].view.show_values(bank.terms[0], scale, rows, columns)
        cards[0].lower_view.show_values(bank.sums[0], scale, rows, columns)
        self.row.arrange()
        for place in self.row.in_sight():
            if place < len(cards):
                cards[place].view.show_values(bank.terms[place], scale, rows, columns)
                cards[place].lower_view.show_values(bank.sums[place], scale, rows, columns)

    def _show_cursor(self, cursor: Cursor) -> None:
        for card in self.cards:
            card.set_cursor_row(cursor.query)
            card.set_current(card.uid == cursor.head)
        self.total_card.set_cursor_row(cursor.query)
        self.site.show_row(cursor.query)

    def _show_mode(self) -> None:
        at_site = self.site_button.isChecked()
        self._pages.setCurrentWidget(self.site if at_site else self.row)
        self.residual.setHidden(at_site)
        self.site.chooser.setVisible(at_site)

    def _set_count(self, count: int) -> None:
        cards = self.cards[:count]
        is_new = len(cards) < count or len(self.cards) != count
        while len(cards) < count:
            card = TermCard(len(cards) + 1)
            card.pointed.connect(self._on_pointed)
            card.selected.connect(self._on_selected)
            card.mute_asked.connect(self._on_mute)
            card.share(self._grounds)
            cards.append(card)
        self.row.set_cards([*cards, self.total_card], ["+"] * (count - 1) + ["="])
        if is_new:
            self._order_tabs(cards)

    def _order_tabs(self, cards: list[TermCard]) -> None:
        """Put the cards, which came after all else, where Tab looks for them."""
        stops: list[QWidget] = [self.site.box]
        for card in cards:
            stops += [card.mute, card.view, card.lower_view]
        for one, other in pairwise([*stops, self.total_card.view, self.total_card.lower_view]):
            self.setTabOrder(one, other)

    # --- what the user does

    def _on_mode(self, _button: QRadioButton) -> None:
        self._show_mode()
        self.forget()
        self.redraw()

    def _on_pointed(self, uid: int, row: int) -> None:
        self.bench.point(head=uid, query=row)
        self._show_cursor(self.bench.view.cursor)  # the next key may come before the next frame

    def _on_row_pointed(self, row: int, _column: int) -> None:
        self.bench.point(query=row)
        self._show_cursor(self.bench.view.cursor)

    def _on_selected(self, uid: int) -> None:
        self.bench.point(head=uid)

    def _on_mute(self, uid: int, muted: bool) -> None:
        if self.bench.scene.has_head(uid):  # or its card goes with the next frame
            self.bench.edit(set_muted(uid, muted))


def _residual_texts(result: Result, write: Precision) -> tuple[str, ...]:
    residual = write.short(result.filter_bank_residual, 2)
    bound = write.short(result.residual_bound, 2)
    texts = (
        f"{identity_of(result)} = {residual_text(result, write)}",
        f"{SHORT_IDENTITY} = {residual_text(result, write)}",
        f"{SHORT_IDENTITY} = {residual} (bound {bound})",
        f"residual {residual} ({write.short(in_bounds(result), 2)} of {bound})",
        f"residual {residual}",
    )
    return (*texts, "") if write == USUAL else texts


def _name_card(card: TermCard, number: int, head: HeadResult) -> None:
    uid, colour = head.head.uid, QColor(head_colour(head.head.uid))
    reads = "X" if head.head.layer == 1 else "(X + O_1)"
    card.set_head(uid, f"h{number}", head.head.name, colour, head.standing, reads)
    card.set_muted(head.head.muted)


def _radio(object_name: str, text: str, tip: str) -> QRadioButton:
    button = QRadioButton(text)
    button.setObjectName(object_name)
    button.setToolTip(tip)
    return button
