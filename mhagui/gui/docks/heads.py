"""The Heads dock: the sequence length, the master gain, and a card for every head."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QStyleOptionToolButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mhagui.core import TargetFit
from mhagui.document.edits import (
    DuplicateHead,
    HandSet,
    MoveHead,
    RemoveHead,
    SetKeepMargin,
    SetKeyWidth,
    SetMask,
    SetMasterGain,
    SetSequenceLength,
    why_given_alone,
)
from mhagui.document.mask_rule import MaskRule
from mhagui.document.patterns import MAX_POSITIONS, Pattern
from mhagui.document.scene import MAX_HEAD_WIDTH, MAX_HEADS
from mhagui.document.target import why_not_by_rows
from mhagui.formats import UNDEFINED
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.bias_controls import BIAS_TIP, BiasMenu, biases_of
from mhagui.gui.docks.head_card import HeadCard
from mhagui.gui.docks.mask_control import MaskControl
from mhagui.gui.docks.target_dialog import TargetDialog
from mhagui.gui.formulas import Formula
from mhagui.gui.head_commands import AddHeadMenu
from mhagui.gui.icons import icon
from mhagui.gui.panel import Panel
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.gain_control import GainControl
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.page import label_of

_MARGIN = 6
_LENGTH_TIP = f"How many positions: 1 to {MAX_POSITIONS}; X is made anew"
_WIDTH_TIP = f"Width of every head's queries and keys: 1 to {MAX_HEAD_WIDTH}; S = Q Kᵀ/√d_k"


@dataclass(frozen=True, slots=True)
class _Button:
    """A button below the cards: what it is called, and its tip while it can be used."""

    key: str
    text: str
    name: str
    tip: str
    icon: str | None = None
    shortcut: str | None = None


_BY_ROWS = _Button(
    "byRows", "Design by rows…", "Design head by rows",
    "Say row by row what A of the selected head is to be, and find Q and K for it",
)  # fmt: skip
_BUTTONS = (
    _Button("add", "Add ▾", "Add head",
            "Add a head after the last; its rows of W_O are zero, so O stays"),
    _Button("duplicate", "Duplicate", "Duplicate head",
            "Copy the selected head; the copy's rows of W_O are zero, so O stays"),
    _Button("remove", "Remove", "Remove head",
            "Remove the selected head and its rows of W_O"),
    _Button("moveUp", "Move up", "Move head up",
            "Move the selected head up, its rows of W_O with it (Alt+Up)", "up", "Alt+Up"),
    _Button("moveDown", "Move down", "Move head down",
            "Move the selected head down, its rows of W_O with it (Alt+Down)", "down", "Alt+Down"),
)  # fmt: skip


class HeadsDock(Panel):
    """Shows the heads as cards; adds heads, and copies, removes and moves the cursor's."""

    shows_latest = True

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "headsDock", "Heads")
        self._cards: list[HeadCard] = []
        self._length = CountBox(1, MAX_POSITIONS)
        self._width = CountBox(1, MAX_HEAD_WIDTH)
        self._mask = MaskControl()
        self._margin = QCheckBox("Keep margin")
        self._master = GainControl()
        self._list = QWidget()
        self._scroll = ColumnScroll(self._list)
        self._actions = {button.key: self._action(button) for button in (_BY_ROWS, *_BUTTONS)}
        self._by_rows, self._bias = self._button(_BY_ROWS), _MenuButton()
        self._buttons = [self._button(button) for button in _BUTTONS]
        body = self._body()
        self._describe_header()
        self._connect()
        self.set_body(body)

    # --- what it is made of

    def _body(self) -> QWidget:
        body = QWidget()
        rows = QVBoxLayout(body)
        rows.setContentsMargins(0, _MARGIN, 0, _MARGIN)
        rows.setSpacing(_MARGIN)
        rows.addLayout(self._header())
        self._card_rows = QVBoxLayout(self._list)
        self._card_rows.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        self._card_rows.setSpacing(_MARGIN)
        self._card_rows.addStretch()  # takes what the cards leave
        rows.addWidget(self._scroll, 1)
        rows.addLayout(self._button_row())
        return body

    def _header(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(2, 1)
        grid.addWidget(label_of(self._length, "Length T"), 0, 0)
        grid.addWidget(self._length, 0, 1)
        grid.addWidget(label_of(self._width, "d_k"), 0, 2, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self._width, 0, 3)
        grid.addWidget(label_of(self._mask.kind, "Mask"), 1, 0)
        grid.addWidget(self._mask, 1, 1, 1, 3)
        grid.addWidget(self._mask.padding.label, 2, 0)
        grid.addWidget(self._mask.padding, 2, 1, 1, 3)
        grid.addWidget(label_of(self._master.slider, "Master gain"), 3, 0)
        grid.addWidget(self._master, 3, 1, 1, 3)
        last = QHBoxLayout()
        last.setSpacing(4)
        last.addWidget(self._margin, 1)
        last.addWidget(self._bias)
        last.addWidget(self._by_rows)
        grid.addLayout(last, 4, 0, 1, 4)
        return grid

    def _button_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        row.setSpacing(4)
        for place, button in enumerate(self._buttons):
            row.addWidget(button, 1 if place < 3 else 0)
        return row

    def _action(self, button: _Button) -> QAction:
        action = QAction(button.text, self)
        action.setIconText(button.text)  # or Qt takes the dots off a button
        action.setToolTip(button.tip)
        if button.icon:
            action.setIcon(icon(button.icon))
        if button.shortcut:
            action.setShortcut(QKeySequence(button.shortcut))
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self.addAction(action)
        return action

    def _button(self, button: _Button) -> QToolButton:
        widget = _MenuButton() if button.key == "add" else QToolButton()
        widget.setDefaultAction(self._actions[button.key])
        widget.setObjectName(f"{button.key}HeadButton")
        widget.setAccessibleName(button.name)
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if not button.icon:
            widget.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        return widget

    def _describe_header(self) -> None:
        self._length.setObjectName("sequenceLengthBox")
        self._length.describe("Sequence length T", _LENGTH_TIP)
        self._width.setObjectName("keyWidthBox")
        self._width.describe("Width d_k", _WIDTH_TIP)
        for box in (self._length, self._width):
            put_above(box, Formula.SIZES)
        named(self._bias, "biasButton", "Bias and sinks of the softmax", "")
        explain(self._bias, Formula.ALIBI, BIAS_TIP)
        self._bias.setText("Bias ▾")
        self._bias.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        named(self._margin, "keepMarginBox", "Keep margin as T grows", "")
        explain(self._margin, Formula.KEPT_MARGIN)
        self._master.slider.setObjectName("masterGainSlider")
        self._master.box.setObjectName("masterGainBox")
        self._master.describe("Master gain", Formula.MASTER_GAIN.sentences)
        for part in (self._master.slider, self._master.box):
            put_above(part, Formula.MASTER_GAIN)

    def _connect(self) -> None:
        self._length.valueChanged.connect(self._set_length)
        self._length.refused.connect(self.bench.refused)
        self._width.valueChanged.connect(self._set_width)
        self._width.refused.connect(self.bench.refused)
        self._mask.chosen.connect(self._set_mask)
        self._mask.refused.connect(self.bench.refused)
        self._margin.toggled.connect(self._set_keep_margin)
        self._master.edited.connect(self._set_master_gain)
        self._master.refused.connect(self.bench.refused)
        self._buttons[0].setMenu(AddHeadMenu(self.bench, self))
        self._bias.setMenu(BiasMenu(self.bench, self))
        self._actions["byRows"].triggered.connect(self._design_by_rows)
        self._actions["duplicate"].triggered.connect(self._duplicate)
        self._actions["remove"].triggered.connect(self._remove)
        self._actions["moveUp"].triggered.connect(partial(self._move, -1))
        self._actions["moveDown"].triggered.connect(partial(self._move, 1))

    # --- what it shows

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw the heads of ``frame``, each on the card it had before."""
        self._length.show_value(frame.latest.n_positions)
        self._show_width(frame)
        self._show_mask(frame)
        with QSignalBlocker(self._margin):
            self._margin.setChecked(frame.scene.keep_margin)
        acts = any(head.scores_differ for head in frame.result.heads)
        why_fixed = "" if acts else "No gain changes any of these heads"
        self._master.show_gain(frame.latest.master_gain, why_fixed=why_fixed)
        old = [card.uid for card in self._cards]
        uids = [head.uid for head in frame.scene.heads]
        if uids != old:
            self._deal_cards(uids)
        biases = biases_of(frame.latest)
        for card in self._cards:
            card.show_frame(frame, biases)
        self._offer(frame)
        if previous is None or uids != old or frame.view.cursor.head != previous.view.cursor.head:
            QTimer.singleShot(0, self, self._reveal_selected)

    def _show_width(self, frame: Frame) -> None:
        """Show d_k, or where nothing has one that there is none."""
        is_known = any(head.pattern is not Pattern.GIVEN for head in frame.scene.heads)
        self._width.setSpecialValueText("" if is_known else UNDEFINED)
        self._width.setEnabled(is_known)
        self._width.show_value(frame.scene.d_k)

    def _show_mask(self, frame: Frame) -> None:
        scene, query = frame.latest, frame.view.cursor.query
        n_keys = int(frame.result.n_allowed[query])
        self._mask.show_mask(scene.mask, scene.n_positions, query, n_keys)

    def _deal_cards(self, uids: list[int]) -> None:
        """Bring the cards into the order of ``uids``; a head keeps its card, and so the focus."""
        kept = {card.uid: card for card in self._cards}
        self._cards = [kept.pop(uid) if uid in kept else self._new_card(uid) for uid in uids]
        for place, card in enumerate(self._cards):
            self._card_rows.insertWidget(place, card, 1)
            card.show()  # now, not a turn of the event loop later, when the others had jumped
        for gone in kept.values():
            if gone.isAncestorOf(QApplication.focusWidget() or self):
                self._cards[0].setFocus()  # in no field, in which the next digit would count
            self._card_rows.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        self._order_stops()

    def _new_card(self, uid: int) -> HeadCard:
        card = HeadCard(self.bench, uid, self._list)
        card.neighbour_asked.connect(self._go_to_neighbour)
        return card

    def _order_stops(self) -> None:
        stops: list[QWidget] = [self._length, self._width, self._mask.kind, self._mask.size_box]
        stops += self._mask.padding.boxes
        stops += [self._master.slider, self._master.box, self._margin, self._bias, self._by_rows]
        for card in self._cards:
            stops += card.stops()
        stops += self._buttons
        for one, other in pairwise(stops):
            QWidget.setTabOrder(one, other)

    def _offer(self, frame: Frame) -> None:
        """Grey what cannot be done, with the reason as its tip."""
        n_heads = frame.scene.n_heads
        place = frame.scene.index_of(frame.view.cursor.head)
        full = f"A scene holds at most {MAX_HEADS} heads" if n_heads >= MAX_HEADS else ""
        refusals = {
            "byRows": why_not_by_rows(frame.scene.n_positions, frame.scene.mask),
            "add": full or why_given_alone(frame.scene),
            "duplicate": full,
            "remove": "A scene needs at least one head" if n_heads == 1 else "",
            "moveUp": "The selected head is the first" if place == 0 else "",
            "moveDown": "The selected head is the last" if place == n_heads - 1 else "",
        }
        for button in (_BY_ROWS, *_BUTTONS):
            action = self._actions[button.key]
            action.setEnabled(not refusals[button.key])
            action.setToolTip(refusals[button.key] or button.tip)

    def _reveal_selected(self) -> None:
        for card in self._cards:
            if card.uid == self.bench.view.cursor.head:
                self._scroll.ensureWidgetVisible(card, 0, _MARGIN)

    # --- what the user does

    def _set_length(self, length: int) -> None:
        self.bench.edit(SetSequenceLength(length))

    def _set_width(self, width: int) -> None:
        self.bench.edit(SetKeyWidth(width))

    def _set_mask(self, rule: MaskRule) -> None:
        if not self.bench.edit(SetMask(rule)):
            self._show_mask(self.bench.frame)

    def _set_keep_margin(self, keep: bool) -> None:
        self.bench.edit(SetKeepMargin(keep))

    def _set_master_gain(self, gain: float, gesture: object | None) -> None:
        self.bench.edit(SetMasterGain(gain), gesture)

    def _design_by_rows(self) -> None:
        uid, place = self._selected()
        self.bench.when_settled(partial(self._ask_for_rows, uid, place))

    def _ask_for_rows(self, uid: int, place: int, frame: Frame) -> None:
        dialog = TargetDialog(frame, place, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.found.connect(partial(self._hand_set, uid))
        dialog.open()

    def _hand_set(self, uid: int, fit: TargetFit) -> None:
        self.bench.edit(HandSet(uid, fit.q, fit.k, "Design head by rows", gain=1.0))

    def _duplicate(self) -> None:
        uid, place = self._selected()
        if self.bench.edit(DuplicateHead(uid)):
            self.bench.point(head=self.bench.scene.heads[place + 1].uid)

    def _remove(self) -> None:
        uid, place = self._selected()
        if self.bench.edit(RemoveHead(uid)):
            heads = self.bench.scene.heads
            self.bench.point(head=heads[min(place, len(heads) - 1)].uid)

    def _move(self, step: int) -> None:
        uid, place = self._selected()
        self.bench.edit(MoveHead(uid, place + step))

    def _selected(self) -> tuple[int, int]:
        """Return the uid of the head the cursor is at, and its place from 0."""
        uid = self.bench.view.cursor.head
        return uid, self.bench.scene.index_of(uid)

    def _go_to_neighbour(self, uid: int, step: int) -> None:
        place = [card.uid for card in self._cards].index(uid) + step
        if 0 <= place < len(self._cards):
            self.bench.point(head=self._cards[place].uid)
            self._cards[place].setFocus(Qt.FocusReason.OtherFocusReason)


class _MenuButton(QToolButton):
    """Opens its menu at once; its text has the arrow, which Fusion would squeeze into a corner."""

    def __init__(self) -> None:
        super().__init__()
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def initStyleOption(self, option: QStyleOptionToolButton) -> None:
        """Leave the arrow out."""
        super().initStyleOption(option)
        option.features &= ~QStyleOptionToolButton.ToolButtonFeature.HasMenu
