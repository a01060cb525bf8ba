"""The sizes whose cost is asked for, as number boxes with the switch that ties them together."""

from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QPushButton, QVBoxLayout, QWidget

from mhagui.document.cost import MAX_HEADS, MAX_LENGTH, MAX_WIDTH, divisors, is_divisible
from mhagui.document.view_state import WhatIf
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.page import label_of, sentence

MOST_NAMED = 8  # divisors in a sentence

# Field, label, most, what it is called, and tip.
_FIELDS = (
    ("d_model", "d_model", MAX_WIDTH, "The model width d_model",
     "d_model, the width of X and of O: columns of X, and rows of W_Q, W_K and W_V"),
    ("n_heads", "H", MAX_HEADS, "The number of heads H", "H, the number of heads"),
    ("d_k", "d_k", MAX_WIDTH, "The key width d_k", "d_k, columns of each head's Q and K"),
    ("d_v", "d_v", MAX_WIDTH, "The value width d_v", "d_v, columns of each head's V"),
    ("n_positions", "T", MAX_LENGTH, "The sequence length T", "T, positions in the sequence"),
)  # fmt: skip
_SHARED_TIP = (
    "H_kv, how many keys and values there are: H, or a divisor of it where heads share them, "
    "as with grouped queries"
)
_STANDARD_TIP = "d_k and d_v follow d_model and H, so that H·d_k = H·d_v = d_model"
_BENCH_TIP = "Take the sizes of the scene on the bench, and follow them as they change"
_TIED = ("d_k", "d_v")


class CostSizes(QWidget):
    """Number boxes, a choice of H_kv, a switch for the standard widths, and how they fit.

    Signals
    -------
    changed
        The user wants another size; carries the field of ``WhatIf`` and the number.
    tied
        The user has turned the switch; carries whether d_k and d_v are to follow.
    bench_wanted
        The sizes of the bench are wanted.
    refused
        What was typed was not taken; carries the sentence that says why.
    """

    changed = Signal(str, int)
    tied = Signal(bool)
    bench_wanted = Signal()
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._boxes = {field: CountBox(1, most) for field, _, most, _, _ in _FIELDS}
        self._shared = ChoiceBox()
        self._switch = QCheckBox("d_k = d_v = d_model/H")
        self._button = QPushButton("As on the bench")
        self._sentence = sentence("costSizes")
        self._describe()
        self._arrange()
        for field, box in self._boxes.items():
            box.setAccelerated(True)
            box.valueChanged.connect(partial(self.changed.emit, field))
            box.refused.connect(self.refused)
        self._shared.activated.connect(self._on_shared)
        self._switch.clicked.connect(self.tied)
        self._button.clicked.connect(self.bench_wanted)

    def show_sizes(self, sizes: WhatIf, *, tied: bool, of_bench: bool) -> None:
        """Show ``sizes``, whether d_k and d_v follow, and whether all follow the bench."""
        self._switch.setChecked(tied)
        for field, box in self._boxes.items():
            box.show_value(getattr(sizes, field))
            box.setEnabled(not (tied and field in _TIED))
        self._show_shared(sizes)
        self._sentence.setText(_sentence(sizes, tied=tied, of_bench=of_bench))

    def _show_shared(self, sizes: WhatIf) -> None:
        """Offer the divisors of H, and what the bench has where heads have been edited apart."""
        fitting = sorted({*divisors(sizes.n_heads), sizes.key_heads}, reverse=True)
        offered = [str(number) for number in fitting]
        with QSignalBlocker(self._shared):
            if offered != [self._shared.itemText(at) for at in range(self._shared.count())]:
                self._shared.clear()
                self._shared.addItems(offered)
            self._shared.setCurrentText(str(sizes.key_heads))

    def _on_shared(self, index: int) -> None:
        self.changed.emit("n_key_heads", int(self._shared.itemText(index)))

    def _describe(self) -> None:
        for field, _, _, name, tip in _FIELDS:
            self._boxes[field].setObjectName(f"cost_{field}")
            self._boxes[field].describe(name, tip)
        named(
            self._shared, "cost_n_key_heads", "The number of key and value heads H_kv", _SHARED_TIP
        )
        for part in (*self._boxes.values(), self._shared, self._switch, self._sentence):
            put_above(part, Formula.SIZES)
        self._switch.setObjectName("costStandard")
        self._switch.setToolTip(_STANDARD_TIP)
        self._button.setObjectName("costOfBench")
        self._button.setToolTip(_BENCH_TIP)

    def _arrange(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(4)
        for number, (field, text, _, _, _) in enumerate(_FIELDS):
            row, place = divmod(number, 2)
            grid.addWidget(label_of(self._boxes[field], text), row, 2 * place)
            grid.addWidget(self._boxes[field], row, 2 * place + 1)
        grid.addWidget(label_of(self._shared, "H_kv"), 2, 2)
        grid.addWidget(self._shared, 2, 3)
        grid.addWidget(self._button, 3, 0, 1, 4)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(grid)
        column.addWidget(self._switch)
        column.addWidget(self._sentence)


def _sentence(sizes: WhatIf, *, tied: bool, of_bench: bool) -> str:
    d, heads = sizes.d_model, sizes.n_heads
    if tied and not is_divisible(sizes):
        return (
            f"H = {heads} does not divide d_model = {d}, so d_k and d_v stay as they are. "
            f"{_divisors_text(sizes)}."
        )
    start = "As on the bench: " if of_bench else ""
    if tied:
        return f"{start}d_k = d_v = {d:,}/{heads:,} = {sizes.d_k:,}."
    widths = f"H·d_k = {heads * sizes.d_k:,}, H·d_v = {heads * sizes.d_v:,}, d_model = {d:,}."
    return start + widths.replace(" = ", "\xa0=\xa0")


def _divisors_text(sizes: WhatIf) -> str:
    """Return which H divide d_model, or of many those next to this H."""
    every = divisors(sizes.d_model)
    nearest = sorted(every, key=lambda heads: abs(heads - sizes.n_heads))[:MOST_NAMED]
    names = ", ".join(map(str, sorted(nearest)))
    return f"These do: {names}" if len(every) <= MOST_NAMED else f"The nearest that do: {names}"
