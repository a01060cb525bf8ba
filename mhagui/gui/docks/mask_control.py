"""Which keys a query may see: a choice of masks, and the size of those that have one."""

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from mhagui.document.edits import WHY_ACROSS
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.patterns import MAX_POSITIONS
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.words import plain

_NAMES = {MaskKind.SLIDING: "window"}  # where the usual name has no room
_SHARE = 3  # a size that nobody has chosen is this part of T
_SIZES = {
    MaskKind.SLIDING: "How many keys a query sees: its own, and those just before it",
    MaskKind.PREFIX: "How many keys, from the first, every query sees, also those after it",
}


class MaskControl(QWidget):
    """Shows a mask, and says which one the user wants; padding stays as it is.

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
        self.kind.addItems([_name(kind, self._rule) for kind in MaskKind])
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
        for part in (self.kind, self.size_box, self._unit):
            put_above(part, Formula.MASK)
        self.kind.activated.connect(self._on_kind)
        self.size_box.valueChanged.connect(self._on_size)
        self.size_box.refused.connect(self.refused)

    def show_mask(self, rule: MaskRule, n_positions: int, query: int, n_keys: int) -> None:
        """Show ``rule`` silently, and that row ``query``, from 0, sees ``n_keys`` keys."""
        if rule != self._rule:
            self._show_rule(rule)
        self._rule, self._n_positions = rule, n_positions
        with QSignalBlocker(self.kind):  # what was chosen may have been refused
            self.kind.setCurrentIndex(list(MaskKind).index(rule.kind))
        if rule.kind.has_size:
            self.size_box.show_value(rule.size)
        self.kind.setEnabled(not rule.across)
        keys = "key" if n_keys == 1 else "keys"
        tip = f"Mask: {rule.text}. Query t sees {rule.formula}; t{query + 1} sees {n_keys} {keys}."
        tip += f" {WHY_ACROSS}." if rule.across else ""
        if tip != self.kind.accessibleDescription():  # not at every step of a drag
            self.kind.setToolTip(plain(tip))
            self.kind.setAccessibleDescription(tip)

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
        kind = list(MaskKind)[index]
        if kind is self._rule.kind:
            return
        size = 0
        if kind.has_size:
            size = self._rule.size or max(self._n_positions // _SHARE, 1)
        self.chosen.emit(replace(self._rule, kind=kind, size=size))

    def _on_size(self, size: int) -> None:
        self.chosen.emit(replace(self._rule, size=size))


def _name(kind: MaskKind, shown: MaskRule) -> str:
    """Return what stands for ``kind`` while ``shown`` is, whose padding it would have."""
    name = _NAMES.get(kind, kind.value)
    return f"{name}, padded" if shown.left or shown.right else name
