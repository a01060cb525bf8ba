"""The heatmaps: every head's weights or scores, under one cursor and one colour bar."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QRadioButton,
    QSizePolicy,
    QSpacerItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import ColourScale, Cursor, HeadResult, Quantity, Scene, ViewState, Window
from mhagui.document.view_state import FEWEST_SHOWN
from mhagui.document.weight_scale import DIM, looks_dark
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.key_heads import key_head_mark, key_head_tip
from mhagui.gui.formulas import Formula
from mhagui.gui.growing import GrowingPanel
from mhagui.gui.icons import icon
from mhagui.gui.pictures import Largest, Pictures, largest_of_each, words_of
from mhagui.gui.pooling import MOST_AT_ONCE, Pooling
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.fitting_button import FittingButton
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.keyed_grid import KeyedGrid
from mhagui.gui.widgets.matrix_card import MatrixCard, marked
from mhagui.gui.widgets.matrix_ground import Grounds
from mhagui.gui.widgets.matrix_picture import Part
from mhagui.gui.widgets.matrix_zoom import ZoomedView
from mhagui.gui.widgets.naming import named
from mhagui.gui.worker import Worker
from mhagui.palette import head_colour

GAP = 12
LEAST_SCALE = 84
_QUANTITIES = {
    Quantity.WEIGHTS: ("Weights A", "Show the weights A = softmax(g·S) over the allowed keys"),
    Quantity.SCORES: (
        "Scores S",
        "Show the scores S = Q·Kᵀ/√d_k, which no gain changes; of given weights S = ln A",
    ),
}
_FORMULAS = {Quantity.WEIGHTS: Formula.WEIGHTS, Quantity.SCORES: Formula.SCORES}
_SCALE_TIP = (
    "How a weight becomes a colour: linear from 0 to 1, or to the largest weight of all heads\n"
    "(of rows that see two keys or more, for with one A is 1), logarithmic, or relative to\n"
    "uniform: colours and cells show A·n_t, where n_t is the number of keys that row t may see:\n"
    "1 is what a uniform row has. Scores are coloured symmetrically around 0, up to the largest\n"
    "of all heads or up to each head's own, where the bar is that of the cursor's head."
)
_SCORE_SCALES = ("one scale", "each its own")
_HINT = "rows: queries t · columns: keys i"
_ALL_TIP = (
    "Show all cells again (0). In a heatmap Ctrl+wheel, + and - show larger or smaller cells,\n"
    "of all heads the same; Shift+drag and the middle button move them, and so does the cursor."
)
_OFFERS = {
    Quantity.WEIGHTS: ("Most rows look black: logarithmic", "Show logarithmic", "log"),
    Quantity.SCORES: ("Most heads look empty: own scales", "Own scales", "own"),
}
_OFFER_TIPS = {
    Quantity.WEIGHTS: (
        "In most rows of most heads no weight reaches a tenth of this scale, so that they look\n"
        "black. A click shows the weights on the logarithmic scale, where they differ; the choice\n"
        "beside it brings this one back."
    ),
    Quantity.SCORES: (
        "The largest score of most heads is less than a tenth of this scale, so that they look\n"
        "empty. A click gives each head a scale of its own; the choice beside it brings this one\n"
        "back."
    ),
}
_LINEAR = (ColourScale.LINEAR, ColourScale.LINEAR_TO_MAX)
_VIEW_TIP = (
    "{} of {} {}: rows are query positions t, columns key positions i.\n"
    "Arrow keys move the cursor; Enter or a click shows why the cell is lit;\n"
    "Shift+Enter, Ctrl+L or a double click shows the head alone, or all again."
)


class HeatmapsDock(GrowingPanel):
    """One card per head, all under the same colours; the cursor is the same cell in every head."""

    usual_size = QSize(1000, 620)

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "heatmapsDock", "Heatmaps")
        self._pictures = Pictures()
        self._middle, self._grounds = KeyedGrid(), Grounds()
        self._grid = self._middle.grid
        self._pooling, self._worker = Pooling(self._served, self), Worker(self)
        self._quantities = {quantity: QRadioButton() for quantity in Quantity}
        self._scales = ChoiceBox()
        self._all = QToolButton()
        self._offer = FittingButton(*_OFFERS[Quantity.WEIGHTS])
        self._shown = FittingLabel()
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(6)
        column.addLayout(self._controls())
        column.addWidget(self._middle, 1)
        self.set_body(body)

    def _controls(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(0)
        group = QButtonGroup(self)
        for quantity, button in self._quantities.items():
            text, tip = _QUANTITIES[quantity]
            named(button, f"show{quantity.value.capitalize()}", f"Show {text}", tip)
            explain(button, _FORMULAS[quantity], tip)
            button.setText(text)
            group.addButton(button)
            row.addWidget(button)
            row.addItem(_gap())
        group.buttonClicked.connect(self._on_quantity)
        self._make_scales()
        self._make_offer()
        self._all.setText("All")
        named(self._all, "showAllCells", "Show all cells", _ALL_TIP)
        self._all.clicked.connect(self._on_all)
        row.addWidget(self._scales)
        row.addItem(_gap())
        row.addWidget(self._all)
        row.addItem(_gap())
        row.addWidget(self._offer)
        self._shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._shown, 1)
        return row

    def _make_offer(self) -> None:
        named(self._offer, "offerScale", "Show on another colour scale", "")
        self._offer.setIcon(icon("notice"))
        self._offer.setIconSize(QSize(14, 14))
        self._offer.hide()
        self._offer.clicked.connect(self._on_offer)

    def _make_scales(self) -> None:
        self._scales.addItems(list(ColourScale))
        named(self._scales, "colourScale", "Colour scale", _SCALE_TIP)
        self._scales.activated.connect(self._on_scale)

    def take_focus(self) -> None:
        """Give the keyboard to the heatmap of the cursor's head, or to the one shown alone."""
        wanted = _head_in_front(self.bench.view)
        for card in self._grid.cards:
            if card.uid == wanted:
                card.view.setFocus()

    # --- drawing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw what differs from ``previous``."""
        view = frame.view
        had_focus = any(card.view.hasFocus() for card in self._grid.cards)
        if previous is None or _shows_other_things(frame, previous):
            self._show_controls(frame)
            self._show_heads(frame)
        self._show_window()
        self._show_cursor(view.cursor)
        if had_focus and previous and _head_in_front(view) != _head_in_front(previous.view):
            self.take_focus()  # or the keyboard would stay at a head of another scene

    def forget(self) -> None:
        """Let go of the pictures."""
        self._pictures = Pictures()
        for card in self._grid.cards:
            card.view.forget_picture()

    @property
    def is_behind(self) -> bool:
        """Whether something of what is in sight is yet to be made."""
        return self._worker.is_busy or any(view.wanted is not None for view in self._served())

    def _served(self) -> list[ZoomedView]:
        """Return the views in the order in which their cells are made: the cursor's head first."""
        cards, head = self._grid.cards, self.bench.view.cursor.head
        return [card.view for card in sorted(cards, key=lambda card: card.uid != head)]

    def _show_cursor(self, cursor: Cursor) -> None:
        for card in self._grid.cards:
            card.view.set_cursor_cell(cursor.query, cursor.key)
            card.set_current(card.uid == cursor.head)

    def _show_window(self) -> None:
        """Show the part that is looked at: as it is wanted now, for a wheel does not wait."""
        window, part, text = self.bench.view.window, None, _HINT
        if self._offer.isVisibleTo(self):
            text = ""  # which needs the room
        scene = self.bench.scene
        if window is not None:
            part = Part(*window.shown(scene.n_positions, scene.n_keys))
            queries, keys = part
            text = f"t {queries.start + 1}..{queries.stop} · i {keys.start + 1}..{keys.stop}"
        for card in self._grid.cards:
            card.view.set_part(part)
        self._shown.set_texts(text, "")
        self._all.setVisible(max(scene.n_positions, scene.n_keys) > FEWEST_SHOWN)
        self._all.setEnabled(window is not None)

    def _show_controls(self, frame: Frame) -> None:
        view = frame.view
        self._quantities[view.quantity].setChecked(True)
        heads = frame.result.heads
        formula = _formula(view.quantity, has_queries=heads[0].has_queries)
        self._middle.explain(formula)
        put_above(self._scales, formula)
        is_of_scores = view.quantity is Quantity.SCORES
        names = _SCORE_SCALES if is_of_scores else tuple(map(str, ColourScale))
        if names != tuple(self._scales.itemText(at) for at in range(self._scales.count())):
            self._scales.clear()
            self._scales.addItems(names)
        chosen = _SCORE_SCALES[view.own_scales] if is_of_scores else view.colour_scale
        self._scales.setCurrentText(chosen)

    def _show_heads(self, frame: Frame) -> None:
        view, heads = frame.view, frame.result.heads
        self._set_count(len(heads))
        unknown = self._pictures.unknown(frame.result, view)
        if sum(each.effort for each in unknown) <= MOST_AT_ONCE:
            self._show_pictures(frame)
        else:  # what is shown stays until the scale is known
            self._worker.run(partial(largest_of_each, unknown), self._on_largest, self._on_failed)
        alone = None
        for place, (card, head) in enumerate(zip(self._grid.cards, heads, strict=True), 1):
            _name_card(card, place, head, frame.scene, view)
            alone = card if head.head.uid == view.enlarged else alone
        self._middle.show_cards(alone)

    def _show_pictures(self, frame: Frame) -> None:
        view, heads = frame.view, frame.result.heads
        scale = self._pictures.scale(frame.result, view)
        self._middle.set_scale(scale)
        self._show_offer(view.quantity, self._looks_empty(frame, scale.high))
        is_own = view.quantity is Quantity.SCORES and view.own_scales
        for card, head in zip(self._grid.cards, heads, strict=True):
            if is_own:
                scale = self._pictures.scale_of(head, frame.result, view)
                if head.head.uid == _head_in_front(view):
                    self._middle.set_scale(scale)
            if view.enlarged in (None, head.head.uid):
                allowed, words = frame.result.allowed, words_of(frame.scene)
                card.view.set_picture(self._pictures.of(head, allowed, view, scale, words))

    def _on_largest(self, found: list[Largest]) -> None:
        self._pictures.learn(found)
        self.redraw()

    def _on_failed(self, _error: Exception) -> None:
        """Show what there is; the fault is told of."""

    def _looks_empty(self, frame: Frame, high: float) -> bool:
        """Say whether a scale up to ``high`` shows little of what is in sight."""
        view = frame.view
        heads = [h for h in frame.result.heads if view.enlarged in (None, h.head.uid)]
        if view.quantity is Quantity.WEIGHTS:
            return view.colour_scale in _LINEAR and looks_dark(heads, high)
        largest = [self._pictures.scale_of(head, frame.result, view).high for head in heads]
        return not view.own_scales and 2 * sum(each < DIM * high for each in largest) > len(heads)

    def _show_offer(self, quantity: Quantity, is_offered: bool) -> None:
        self._offer.set_texts(*_OFFERS[quantity])
        self._offer.setToolTip(_OFFER_TIPS[quantity])
        # Room first: what is shown is laid out at once, and might widen the window.
        if is_offered:
            self._shown.set_texts("")
            self._scales.setMinimumWidth(LEAST_SCALE)
        self._offer.setVisible(is_offered)
        if not is_offered:
            self._scales.setMinimumWidth(0)

    def _set_count(self, count: int) -> None:
        cards = list(self._grid.cards[:count])
        while len(cards) < count:
            card = MatrixCard(len(cards) + 1)
            card.pointed.connect(self._on_pointed)
            card.asked.connect(self._on_asked)
            card.chosen.connect(self._on_chosen)
            card.toggled.connect(self._on_toggled)
            card.view.zoomed.connect(self._on_zoomed)
            card.view.dragged.connect(self._on_dragged)
            card.view.whole_wanted.connect(self._on_whole_wanted)
            card.view.set_aside(self._pooling)
            card.view.share(self._grounds)
            cards.append(card)
        if len(cards) != len(self._grid.cards):
            self._grid.set_cards(cards)
            self._order_tabs(cards)

    def _order_tabs(self, cards: list[MatrixCard]) -> None:
        """Put the cards, which came after all else, where Tab looks for them."""
        stops = [self._scales, self._all, self._offer, *(card.view for card in cards)]
        for one, other in pairwise(stops):
            self.setTabOrder(one, other)

    # --- what the user does

    def _on_quantity(self, clicked: QRadioButton) -> None:
        chosen = next(q for q, button in self._quantities.items() if button is clicked)
        self.bench.look(quantity=chosen)

    def _on_scale(self, index: int) -> None:
        name = self._scales.itemText(index)
        if name in _SCORE_SCALES:
            self.bench.look(own_scales=name == _SCORE_SCALES[True])
        else:
            self.bench.look(colour_scale=ColourScale(name))

    def _on_offer(self) -> None:
        if self.bench.view.quantity is Quantity.SCORES:
            self.bench.look(own_scales=True)
        else:
            self.bench.look(colour_scale=ColourScale.LOGARITHMIC)
        self.take_focus()  # the button goes

    def _on_pointed(self, uid: int, row: int, column: int) -> None:
        self.bench.point(head=uid, query=row, key=column)
        self._show_window()
        self._show_cursor(self.bench.view.cursor)  # the next key may come before the next frame

    def _on_zoomed(self, factor: float, at: tuple[float, float] | None) -> None:
        self._look_at(self.bench.view.zoomed(factor, self.bench.scene, at))

    def _on_dragged(self, query: int, key: int) -> None:
        window = self.bench.view.window
        self._look_at(window and replace(window, query=query, key=key))

    def _on_whole_wanted(self) -> None:
        self._look_at(None)

    def _on_all(self) -> None:
        self._look_at(None)
        self.take_focus()  # the button has done what it can

    def _look_at(self, window: Window | None) -> None:
        self.bench.look(window=window)
        self._show_window()

    def _on_asked(self, uid: int, row: int, column: int) -> None:
        self._on_pointed(uid, row, column)
        self.cell_asked.emit()

    def _on_chosen(self, uid: int) -> None:
        self.bench.point(head=uid)
        self._show_cursor(self.bench.view.cursor)

    def _on_toggled(self, uid: int) -> None:
        for card in self._grid.cards:  # a card that has gone may still have been clicked
            if card.uid == uid:
                card.view.setFocus()
        self.bench.look(enlarged=None if self.bench.view.enlarged == uid else uid)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show all heads again on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.bench.view.enlarged is not None:
            self.bench.look(enlarged=None)
        else:
            super().keyPressEvent(event)


def _gap() -> QSpacerItem:
    """Return a space that gives way in a narrow dock."""
    return QSpacerItem(GAP, 0, QSizePolicy.Policy.Maximum)


def _head_in_front(view: ViewState) -> int:
    return view.cursor.head if view.enlarged is None else view.enlarged


def _shows_other_things(frame: Frame, previous: Frame) -> bool:
    now, then = frame.view, previous.view
    return frame.result is not previous.result or _looks(now) != _looks(then)


def _looks(view: ViewState) -> tuple[object, ...]:
    """Return what pictures and bar depend on; that is of the head in front where each has one."""
    head = _head_in_front(view) if view.own_scales else None
    return view.quantity, view.colour_scale, view.enlarged, view.own_scales, head


def _name_card(
    card: MatrixCard, place: int, head: HeadResult, scene: Scene, view: ViewState
) -> None:
    label, name, shared = f"h{place}", head.head.name, key_head_mark(head.head)
    colour = QColor(head_colour(head.head.uid))
    card.set_head(head.head.uid, label, name, colour, head.standing, shared, head.head.key_head)
    card.set_enlarged(head.head.uid == view.enlarged)
    what = _QUANTITIES[view.quantity][0]
    formula = _formula(view.quantity, has_queries=head.has_queries)
    tip = "\n".join(
        filter(None, (_VIEW_TIP.format(what, label, name), key_head_tip(scene, head.head)))
    )
    card.set_words(f"{what} of head {place}, {marked(name, shared)}", formula, tip)


def _formula(quantity: Quantity, *, has_queries: bool) -> Formula:
    is_given = quantity is Quantity.SCORES and not has_queries
    return Formula.GIVEN_SCORES if is_given else _FORMULAS[quantity]
