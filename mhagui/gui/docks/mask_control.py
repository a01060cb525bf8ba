"""Which keys a query may see: a choice of masks, and the size of those that have one."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from mhagui.document.edits import WHY_ACROSS
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.patterns import MAX_POSITIONS
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.page import label_of
from mhagui.gui.widgets.words import plain

PADDING = "padding…"
ENDS = ("left", "right")
PADDING_TIPS = {
    "left": "How many of the first positions are padding, which neither see nor are seen",
    "right": "How many of the last positions are padding, which neither see nor are seen",
}
_NAMES = {MaskKind.SLIDING: "window"}  # where the usual name has no room
_SHARE = 3  # a size that nobody has chosen is this part of T
_SIZES = {
    MaskKind.SLIDING: "How many keys a query sees: its own, and those just before it",
    MaskKind.PREFIX: "How many keys, from the first, every query sees, also those after it",
}


class MaskControl(QWidget):
    """Shows a mask, and says which one the user wants.

    ``padding`` is a row of its own, to be placed below: in sight where there is any, or where the
    last entry of the box has been asked for.

    Signals
    -------
    chosen
        The user asks for the ``MaskRule`` it carries.
    refused
        Why what was typed is no size.
    """

    chosen = Signal(object)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._rule, self._n_positions = MaskRule(), 1
        self.kind = ChoiceBox()
        self.kind.addItems([_name(kind, self._rule) for kind in MaskKind] + [PADDING])
        self.size_box = CountBox(1, MAX_POSITIONS)
        named(self.kind, "maskBox", "Mask: the keys that a query may see", "")
        self.size_box.setObjectName("maskSizeBox")
        self.size_box.hide()
        self._unit = QLabel()
        self._unit.hide()
        self.kind.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.kind, 1)
        row.addWidget(self.size_box)
        row.addWidget(self._unit)
        self.padding = PaddingRow()
        for part in (self.kind, self.size_box, self._unit, *self.padding.boxes):
            put_above(part, Formula.MASK)
        self.kind.activated.connect(self._on_kind)
        self.size_box.valueChanged.connect(self._on_size)
        self.size_box.refused.connect(self.refused)
        self.padding.changed.connect(self._on_padding)
        self.padding.refused.connect(self.refused)

    def show_mask(self, rule: MaskRule, n_positions: int, query: int, n_keys: int) -> None:
        """Show ``rule`` silently, and that row ``query``, from 0, sees ``n_keys`` keys."""
        if rule != self._rule:
            self._show_rule(rule)
        self._rule, self._n_positions = rule, n_positions
        self._show_kind()
        if rule.kind.has_size:
            self.size_box.show_value(rule.size)
        self.padding.show_padding(rule)
        self.kind.setEnabled(not rule.across)
        keys = "key" if n_keys == 1 else "keys"
        tip = f"Mask: {rule.text}. Query t sees {rule.formula}; t{query + 1} sees {n_keys} {keys}."
        tip += f" {WHY_ACROSS}." if rule.across else ""
        if tip != self.kind.accessibleDescription():  # not at every step of a drag
            self.kind.setToolTip(plain(tip))
            self.kind.setAccessibleDescription(tip)

    def _show_kind(self) -> None:
        with QSignalBlocker(self.kind):  # what was chosen may have been refused
            self.kind.setCurrentIndex(list(MaskKind).index(self._rule.kind))

    def _show_rule(self, rule: MaskRule) -> None:
        for at, kind in enumerate(MaskKind):
            self.kind.setItemText(at, _name(kind, rule))
        if rule.kind.has_size:
            self._unit.setText("key" if rule.size == 1 else "keys")
            self.size_box.describe(f"Size of the {rule.kind.value} mask", _SIZES[rule.kind])
        elif self.size_box.hasFocus():
            self.kind.setFocus()  # or the focus goes to another part of the window
        for part in (self.size_box, self._unit):
            part.setVisible(rule.kind.has_size)

    def _on_kind(self, index: int) -> None:
        if index == len(MaskKind):
            self._show_kind()
            self.padding.ask()
            return
        kind = list(MaskKind)[index]
        if kind is self._rule.kind:
            return
        size = 0
        if kind.has_size:
            size = self._rule.size or max(self._n_positions // _SHARE, 1)
        self.chosen.emit(replace(self._rule, kind=kind, size=size))

    def _on_size(self, size: int) -> None:
        self.chosen.emit(replace(self._rule, size=size))

    def _on_padding(self, end: str, count: int) -> None:
        left, right = (count if name == end else getattr(self._rule, name) for name in ENDS)
        self.chosen.emit(replace(self._rule, left=left, right=right))


class PaddingRow(QWidget):
    """How many positions at either end are padding.

    Signals
    -------
    changed
        The user wants so many, which it carries behind the end: left or right.
    refused
        Why what was typed is no number of positions.
    """

    changed = Signal(str, int)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.label = QLabel("Padding")
        self.boxes = tuple(CountBox(0, MAX_POSITIONS) for _ in ENDS)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for box, end in zip(self.boxes, ENDS, strict=True):
            box.setObjectName(f"{end}PaddingBox")
            box.describe(f"Padding on the {end}", PADDING_TIPS[end])
            box.valueChanged.connect(partial(self.changed.emit, end))
            box.refused.connect(self.refused)
            box.editingFinished.connect(self._on_left)
            row.addWidget(label_of(box, end))
            row.addWidget(box, 1)
        self.label.setBuddy(self.boxes[0])
        self._rule = MaskRule()
        self._set_shown(False)

    def show_padding(self, rule: MaskRule) -> None:
        """Show the padding of ``rule`` silently."""
        self._rule = rule
        for box, end in zip(self.boxes, ENDS, strict=True):
            box.show_value(getattr(rule, end))
        self._on_left()

    def ask(self) -> None:
        """Come in sight, with the keyboard."""
        self._set_shown(True)
        self.boxes[0].setFocus(Qt.FocusReason.OtherFocusReason)
        self.boxes[0].selectAll()

    def _on_left(self) -> None:
        """Go out of sight where there is no padding, and nobody is about to say how much."""
        in_use = self.window().focusWidget() in self.boxes
        self._set_shown(bool(self._rule.left or self._rule.right or in_use))

    def _set_shown(self, is_shown: bool) -> None:
        for part in (self.label, self):
            if part.isHidden() is is_shown:
                part.setVisible(is_shown)


def _name(kind: MaskKind, shown: MaskRule) -> str:
    """Return what stands for ``kind`` while ``shown`` is, whose padding it would have."""
    name = _NAMES.get(kind, kind.value)
    return f"{name}, padded" if shown.left or shown.right else name
